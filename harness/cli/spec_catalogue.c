/* SPDX-License-Identifier: BSD-2-Clause */
/* What coverage compares: gathered from the oracle, the cases' files and the deviants. */
#include "harness/cases/case.h"
#include "harness/cli/cli.h"
#include "harness/cli/spec_cmds.h"
#include "harness/deviant/deviant.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define INSTALLED_CASES MRCT_PREFIX "/share/mrct/cases"

struct mrct_spec_catalogue {
    struct mrct_cov_input in;
    struct mrct_check_info *checks;
    struct mrct_case **loaded; /* their texts are referenced by cases */
    struct mrct_cov_case *cases;
    size_t case_count;
    struct mrct_cov_deviant *deviants;
};

static int add_checks(struct mrct_spec_catalogue *c)
{
    const size_t count = mrct_oracle_checks(NULL, 0);
    c->checks = calloc(count + 1, sizeof *c->checks);
    if (!c->checks) {
        return -1;
    }
    c->in.check_count = mrct_oracle_checks(c->checks, count);
    c->in.checks = c->checks;
    return 0;
}

static int add_deviants(struct mrct_spec_catalogue *c)
{
    c->deviants = calloc(mrct_deviant_count + 1, sizeof *c->deviants);
    if (!c->deviants) {
        return -1;
    }
    for (size_t i = 0; i < mrct_deviant_count; i++) {
        c->deviants[i] =
            (struct mrct_cov_deviant){mrct_deviants[i].name, mrct_deviants[i].requirement};
    }
    c->in.deviants = c->deviants;
    c->in.deviant_count = mrct_deviant_count;
    return 0;
}

/* Room for one more case in both lists. */
static int grow(struct mrct_spec_catalogue *c)
{
    struct mrct_case **loaded =
        realloc(c->loaded, (c->case_count + 1) * sizeof(struct mrct_case *));
    if (!loaded) {
        return -1;
    }
    c->loaded = loaded;
    struct mrct_cov_case *cases = realloc(c->cases, (c->case_count + 1) * sizeof *cases);
    if (!cases) {
        return -1;
    }
    c->cases = cases;
    return 0;
}

static int add_case(struct mrct_spec_catalogue *c, const char *path, const char *id)
{
    char err[600] = "out of memory";
    struct mrct_case *one = calloc(1, sizeof *one);
    if (!one || grow(c) != 0 || mrct_case_load(one, path, id, err, sizeof err) != 0) {
        free(one);
        (void)mrct_cli_fail("spec", "%s", err);
        return -1;
    }
    c->cases[c->case_count] = (struct mrct_cov_case){
        .id = one->id,
        .file = one->file,
        .requirements = one->requirements,
        .requirement_count = one->requirement_count,
    };
    c->loaded[c->case_count++] = one;
    return 0;
}

static int visible(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool ends_in_yaml(const char *name)
{
    const size_t len = strlen(name);
    return len > 5 && strcmp(name + len - 5, ".yaml") == 0;
}

/* Reads SECTION/NAME.yaml as the case "SECTION/NAME". */
static int add_file(struct mrct_spec_catalogue *c, const char *dir, const char *section,
                    const char *name)
{
    char path[1024], id[300];
    const int stem = (int)strlen(name) - 5;
    const int n = snprintf(path, sizeof path, "%s/%s/%s", dir, section, name);
    const int m = snprintf(id, sizeof id, "%s/%.*s", section, stem, name);
    if (n < 0 || m < 0 || (size_t)n >= sizeof path || (size_t)m >= sizeof id) {
        (void)mrct_cli_fail("spec", "%s: a path is too long", dir);
        return -1;
    }
    return add_case(c, path, id);
}

static int add_section(struct mrct_spec_catalogue *c, const char *dir, const char *section)
{
    char path[1024];
    struct dirent **names = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", dir, section);
    const int count = scandir(path, &names, visible, by_name);
    int rc = 0;
    for (int i = 0; i < count; i++) {
        if (rc == 0 && ends_in_yaml(names[i]->d_name)) {
            rc = add_file(c, dir, section, names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
    return rc;
}

static int add_cases(struct mrct_spec_catalogue *c, const char *dir)
{
    struct stat st;
    if (!dir) {
        dir = stat("cases", &st) == 0 ? "cases" : INSTALLED_CASES;
    }
    struct dirent **names = NULL;
    const int count = scandir(dir, &names, visible, by_name);
    if (count < 0) {
        (void)mrct_cli_fail("spec", "%s: %s", dir, strerror(errno));
        return -1;
    }
    int rc = 0;
    for (int i = 0; i < count; i++) {
        if (rc == 0 && strcmp(names[i]->d_name, "deviants") != 0) {
            rc = add_section(c, dir, names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
    c->in.cases = c->cases;
    c->in.case_count = c->case_count;
    return rc;
}

struct mrct_spec_catalogue *mrct_spec_catalogue_new(const char *dir)
{
    struct mrct_spec_catalogue *c = calloc(1, sizeof *c);
    if (!c || add_checks(c) != 0 || add_deviants(c) != 0) {
        (void)mrct_cli_fail("spec", "out of memory");
        mrct_spec_catalogue_free(c);
        return NULL;
    }
    c->in.reqs = mrc_requirements;
    c->in.req_count = mrc_requirement_count;
    if (add_cases(c, dir) != 0) {
        mrct_spec_catalogue_free(c);
        return NULL;
    }
    return c;
}

const struct mrct_cov_input *mrct_spec_catalogue_input(const struct mrct_spec_catalogue *c)
{
    return &c->in;
}

void mrct_spec_catalogue_free(struct mrct_spec_catalogue *c)
{
    if (!c) {
        return;
    }
    for (size_t i = 0; i < c->case_count; i++) {
        mrct_case_fini(c->loaded[i]);
        free(c->loaded[i]);
    }
    free(c->loaded);
    free(c->cases);
    free(c->checks);
    free(c->deviants);
    free(c);
}
