/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct spec coverage: the table and the gaps, for people or as JSON. */
#include "harness/cli/cli.h"
#include "harness/cli/spec_cmds.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* ---- text ---- */

/* Prints one name of a list, with an arrow before the first and a comma before the others. */
static void print_name(size_t nth, const char *name)
{
    (void)printf("%s%s", nth == 0 ? " -> " : ", ", name);
}

static void print_row(const struct mrct_cov_input *in, const struct mrc_requirement *r)
{
    (void)printf("%-13s", r->id);
    if (r->not_checked_why) {
        (void)printf(" not checked: %s\n", r->not_checked_why);
        return;
    }
    for (size_t n = 0; r->checks[n]; n++) {
        print_name(n, r->checks[n]);
    }
    const struct mrct_cov_case *c;
    size_t n = 0;
    for (size_t i = 0; (c = mrct_cov_next_case(in, r->id, &i)) != NULL; n++) {
        print_name(n, c->id);
    }
    if (n == 0) {
        print_name(0, r->no_case_why ? "(no case)" : "NO CASE");
    }
    const struct mrct_cov_deviant *d;
    n = 0;
    for (size_t i = 0; (d = mrct_cov_next_deviant(in, r->id, &i)) != NULL; n++) {
        print_name(n, d->name);
    }
    if (n == 0) {
        print_name(0, r->no_deviant_why ? "(no deviant)" : "NO DEVIANT");
    }
    (void)putchar('\n');
}

static void print_gap(void *user, const struct mrct_cov_gap *g)
{
    const bool explained = *(const bool *)user;
    if ((g->why != NULL) != explained) {
        return;
    }
    if (g->file) {
        (void)printf("%s:%d: ", g->file, g->line);
    }
    (void)printf("%s: %s", g->requirement, mrct_cov_gap_str(g->kind));
    if (g->name) {
        (void)printf(" '%s'", g->name);
    }
    (void)printf("%s%s\n", g->why ? ": " : "", g->why ? g->why : "");
}

static struct mrct_cov_counts print_text(const struct mrct_cov_input *in)
{
    for (size_t i = 0; i < in->req_count; i++) {
        print_row(in, &in->reqs[i]);
    }
    bool explained = true;
    struct mrct_cov_counts n = mrct_cov_compare(in, NULL, NULL);
    if (n.explained > 0) {
        (void)printf("\nGaps with a reason:\n");
        n = mrct_cov_compare(in, print_gap, &explained);
    }
    if (n.gaps > 0) {
        explained = false;
        (void)printf("\nGaps without a reason:\n");
        n = mrct_cov_compare(in, print_gap, &explained);
    }
    (void)printf("\n%zu requirements: %zu checked, %zu with a case, %zu with a deviant; %zu gaps "
                 "explained, %zu not\n",
                 n.requirements, n.checked, n.with_case, n.with_deviant, n.explained, n.gaps);
    return n;
}

/* ---- JSON ---- */

static json_t *json_row(const struct mrct_cov_input *in, const struct mrc_requirement *r)
{
    json_t *checks = json_array(), *cases = json_array(), *deviants = json_array();
    for (const char *const *c = r->checks; *c; c++) {
        const struct mrct_check_info *info = mrct_cov_check(in, *c);
        json_t *o = json_pack("{s:s, s:b}", "name", *c, "implemented", info != NULL);
        if (info) {
            json_object_set_new(o, "file", json_string(info->file));
            json_object_set_new(o, "line", json_integer(info->line));
        }
        json_array_append_new(checks, o);
    }
    const struct mrct_cov_case *c;
    for (size_t i = 0; (c = mrct_cov_next_case(in, r->id, &i)) != NULL;) {
        json_array_append_new(cases, json_string(c->id));
    }
    const struct mrct_cov_deviant *d;
    for (size_t i = 0; (d = mrct_cov_next_deviant(in, r->id, &i)) != NULL;) {
        json_array_append_new(deviants, json_string(d->name));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "id", r->id, "section", r->section,
                     "level", mrc_req_level_str(r->level), "role", mrc_req_role_str(r->role),
                     "checks", checks, "cases", cases, "deviants", deviants);
}

static void append_gap(void *user, const struct mrct_cov_gap *g)
{
    json_t *o =
        json_pack("{s:s, s:s, s:s?, s:s?, s:s?}", "requirement", g->requirement, "gap",
                  mrct_cov_gap_str(g->kind), "name", g->name, "file", g->file, "why", g->why);
    if (o && g->file) {
        json_object_set_new(o, "line", json_integer(g->line));
    }
    json_array_append_new(user, o);
}

static struct mrct_cov_counts print_json(const struct mrct_cov_input *in)
{
    json_t *rows = json_array(), *gaps = json_array();
    for (size_t i = 0; i < in->req_count; i++) {
        json_array_append_new(rows, json_row(in, &in->reqs[i]));
    }
    const struct mrct_cov_counts n = mrct_cov_compare(in, append_gap, gaps);
    json_t *top =
        json_pack("{s:i, s:s, s:o, s:o, s:{s:I, s:I, s:I, s:I, s:I, s:I}}", "schema", 1,
                  "spec_hash", mrc_spec_hash, "requirements", rows, "gaps", gaps, "counts",
                  "requirements", (json_int_t)n.requirements, "checked", (json_int_t)n.checked,
                  "with_case", (json_int_t)n.with_case, "with_deviant", (json_int_t)n.with_deviant,
                  "explained", (json_int_t)n.explained, "gaps", (json_int_t)n.gaps);
    (void)json_dumpf(top, stdout, JSON_INDENT(1));
    (void)putchar('\n');
    json_decref(top);
    return n;
}

int mrct_spec_coverage(int argc, char **argv)
{
    bool json = false;
    const char *dir = NULL;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (strcmp(argv[i], "--cases") != 0) {
            return mrct_cli_fail("spec", "coverage takes --json and --cases DIR, not '%s'",
                                 argv[i]);
        } else if (++i == argc) {
            return mrct_cli_fail("spec", "--cases needs a directory");
        } else {
            dir = argv[i];
        }
    }
    struct mrct_spec_catalogue *c = mrct_spec_catalogue_new(dir);
    if (!c) {
        return MRCT_EXIT_USAGE;
    }
    const struct mrct_cov_input *in = mrct_spec_catalogue_input(c);
    const struct mrct_cov_counts n = json ? print_json(in) : print_text(in);
    mrct_spec_catalogue_free(c);
    return n.gaps > 0 ? MRCT_EXIT_FAIL : MRCT_EXIT_PASS;
}
