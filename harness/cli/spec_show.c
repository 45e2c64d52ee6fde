/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct spec show: all about one requirement. */
#include "harness/cli/cli.h"
#include "harness/cli/spec_cmds.h"

#include <stdio.h>
#include <string.h>

static void row(const char *name, const char *value)
{
    (void)printf("  %-12s %s\n", name, value);
}

static void row_if(const char *name, const char *value)
{
    if (value) {
        row(name, value);
    }
}

static const char *evidence_words(char evidence)
{
    switch (evidence) {
    case 'C':
        return "C, two independent public descriptions agree";
    case 'S':
        return "S, one public description";
    case 'U':
        return "U, from Ultra Ethernet";
    default:
        return "I, from InfiniBand and RoCEv2";
    }
}

static void show_taps(unsigned taps)
{
    static const char *const names[] = {"requestor", "responder", "middle"};
    (void)printf("  %-12s", "taps");
    for (unsigned i = 0; i < 3; i++) {
        if (taps & (1u << i)) {
            (void)printf(" %s", names[i]);
        }
    }
    (void)putchar('\n');
}

/* The verdict of "a=pass b=fail" for one reading. */
static const char *verdict_of(const char *verdicts, char reading)
{
    const char key[3] = {reading, '=', '\0'};
    const char *at = strstr(verdicts, key);
    return at && strncmp(at + 2, "fail", 4) == 0 ? "fails" : "passes";
}

static void show_question(const struct mrc_requirement *r)
{
    const struct mrc_question *q = mrc_question_find(r->question);
    if (!q) {
        return;
    }
    (void)printf("  %-12s %s %s\n", "question", q->id, q->text);
    for (size_t i = 0; i < q->reading_count; i++) {
        const struct mrc_reading *d = &q->readings[i];
        (void)printf("    %c %c %s Who breaks the sentence %s.\n",
                     d->id == q->default_reading ? '*' : ' ', d->id, d->text,
                     verdict_of(r->reading_verdicts, d->id));
    }
}

static void show_checks(const struct mrct_cov_input *in, const struct mrc_requirement *r)
{
    for (const char *const *c = r->checks; *c; c++) {
        const struct mrct_check_info *info = mrct_cov_check(in, *c);
        if (info) {
            (void)printf("  %-12s %s (%s:%d)\n", "check", *c, info->file, info->line);
        } else {
            (void)printf("  %-12s %s (not in the oracle)\n", "check", *c);
        }
    }
    row_if("not checked", r->not_checked_why);
}

static void show_proofs(const struct mrct_cov_input *in, const struct mrc_requirement *r)
{
    const struct mrct_cov_case *c;
    for (size_t i = 0; (c = mrct_cov_next_case(in, r->id, &i)) != NULL;) {
        (void)printf("  %-12s %s (%s)\n", "case", c->id, c->file);
    }
    row_if("no case", r->no_case_why);
    const struct mrct_cov_deviant *d;
    for (size_t i = 0; (d = mrct_cov_next_deviant(in, r->id, &i)) != NULL;) {
        row("deviant", d->name);
    }
    row_if("no deviant", r->no_deviant_why);
}

static void show(const struct mrct_cov_input *in, const struct mrc_requirement *r)
{
    (void)printf("%s  %s  %s\n  %s\n\n", r->id, mrc_req_level_str(r->level),
                 mrc_req_role_str(r->role), r->text);
    (void)printf("  %-12s %s %s\n", "section", r->section, r->title);
    row_if("table", r->table);
    row("evidence", evidence_words(r->evidence));
    show_taps(r->taps);
    row("decided by", r->needs_events ? "frames and application events" : "frames");
    for (const char *const *f = r->facts; *f; f++) {
        row("fact", *f);
    }
    row_if("capability", r->capability);
    show_question(r);
    show_checks(in, r);
    show_proofs(in, r);
    (void)printf("  %-12s %s:%d\n", "defined", r->file, r->line);
}

int mrct_spec_show(int argc, char **argv)
{
    const char *dir = NULL;
    int count = 0;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--cases") == 0) {
            if (++i == argc) {
                return mrct_cli_fail("spec", "--cases needs a directory");
            }
            dir = argv[i];
        } else if (argv[i][0] == '-') {
            return mrct_cli_fail("spec", "show takes ids, not '%s'", argv[i]);
        } else if (!mrc_requirement_find(argv[i])) {
            return mrct_cli_fail("spec", "no requirement '%s'", argv[i]);
        } else {
            argv[count++] = argv[i];
        }
    }
    if (count == 0) {
        return mrct_cli_fail("spec", "show needs the id of a requirement");
    }
    struct mrct_spec_catalogue *c = mrct_spec_catalogue_new(dir);
    if (!c) {
        return MRCT_EXIT_USAGE;
    }
    for (int i = 0; i < count; i++) {
        if (i > 0) {
            (void)putchar('\n');
        }
        show(mrct_spec_catalogue_input(c), mrc_requirement_find(argv[i]));
    }
    mrct_spec_catalogue_free(c);
    return MRCT_EXIT_PASS;
}
