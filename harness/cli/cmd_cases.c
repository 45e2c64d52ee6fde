/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct cases: what each case is for, needs, does and expects. */
#include "harness/cases/page.h"
#include "harness/cli/cli.h"

enum option { OPT_PAGES, OPT_HTML, OPT_SECTION, OPT_REQUIREMENT, OPT_CASES };
static const struct mrct_cli_option options[] = {
    [OPT_PAGES] = {"pages", 0, "DIR",
                   "write a page per case, HTML and Markdown, and an index by subject and\n"
                   "by section into DIR"},
    [OPT_HTML] = {"html", 0, NULL, "print HTML instead of Markdown"},
    [OPT_SECTION] = {"section", 0, "S",
                     "the cases of this folder, or of this section of the specification"},
    [OPT_REQUIREMENT] = {"requirement", 0, "ID", "the cases that list this requirement"},
    [OPT_CASES] = {"cases", 0, "DIR", "take the cases from DIR"},
    {0},
};

struct cases {
    const char *pages, *cases_dir;
    enum mrct_doc_form form;
    struct mrct_selection selection;
    struct mrct_plan plan;
};

static void take_option(struct cases *c, enum option option, const char *value)
{
    switch (option) {
    case OPT_PAGES:
        c->pages = value;
        break;
    case OPT_HTML:
        c->form = MRCT_DOC_HTML;
        break;
    case OPT_SECTION:
        c->selection.section = value;
        break;
    case OPT_REQUIREMENT:
        c->selection.requirement = value;
        break;
    case OPT_CASES:
        c->cases_dir = value;
        break;
    }
}

static int take_command_line(struct cases *c, int argc, char **argv)
{
    struct mrct_cli cli = {.command = "cases",
                           .operands = "[CASE...]",
                           .summary = "Prints the page of one case, or the index of several.",
                           .options = options};
    mrct_cli_begin(&cli, argc, argv);
    int option;
    while ((option = mrct_cli_next(&cli)) >= 0) {
        take_option(c, (enum option)option, cli.value);
    }
    char **operands = NULL;
    c->selection.glob_count = (size_t)mrct_cli_operands(&cli, &operands);
    c->selection.globs = (const char *const *)operands;
    return option;
}

static int show(const struct cases *c, size_t taken)
{
    char err[700];
    if (c->pages != NULL) {
        if (mrct_pages_write(&c->plan, c->pages, err, sizeof err) != 0) {
            (void)mrct_cli_fail("cases", "%s", err);
            return MRCT_EXIT_HARNESS;
        }
        printf("%zu cases: %s/index.html\n", taken, c->pages);
        return MRCT_EXIT_PASS;
    }
    if (taken > 1) {
        mrct_page_index(&c->plan, c->form, stdout);
        return MRCT_EXIT_PASS;
    }
    for (size_t i = 0; i < c->plan.count; i++) {
        if (c->plan.taken[i] &&
            mrct_page_case(&c->plan.cases[i], c->form, stdout, err, sizeof err) != 0) {
            return mrct_cli_fail("cases", "%s", err);
        }
    }
    return MRCT_EXIT_PASS;
}

int mrct_cmd_cases(int argc, char **argv)
{
    struct cases c = {.form = MRCT_DOC_MARKDOWN, .selection = {.role = -1}};
    const int option = take_command_line(&c, argc, argv);
    if (option != MRCT_CLI_END) {
        return option == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    }
    char dir[4096];
    char err[700];
    if (mrct_plan_dir(c.cases_dir, dir, sizeof dir) != 0) {
        return mrct_cli_fail("cases", "%s: no such directory of cases", dir);
    }
    if (mrct_plan_load(&c.plan, dir, err, sizeof err) != 0) {
        return mrct_cli_fail("cases", "%s", err);
    }
    const size_t taken = mrct_plan_select(&c.plan, &c.selection);
    int status = MRCT_EXIT_NOTHING;
    if (taken == 0) {
        (void)mrct_cli_fail("cases", "none of the %zu cases matches", c.plan.count);
    } else {
        status = show(&c, taken);
    }
    mrct_plan_fini(&c.plan);
    return status;
}
