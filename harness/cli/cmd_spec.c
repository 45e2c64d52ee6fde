/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct spec: the requirements, how they are covered, and the open questions. */
#include "harness/cli/cli.h"
#include "harness/cli/spec_cmds.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "Usage: mrct spec list [--section S] [--role R]\n"
    "       mrct spec show [--cases DIR] ID...\n"
    "       mrct spec coverage [--json] [--cases DIR]\n"
    "       mrct spec questions\n"
    "\n"
    "list       one line a requirement: id, level, role, evidence, sentence. --section takes the\n"
    "           section and those below it; --role is any, requestor, responder or node.\n"
    "show       all about a requirement: sentence, section, where it can be decided, the facts it\n"
    "           needs, its open question, checks, cases and deviants.\n"
    "coverage   requirement -> checks -> cases -> deviants, and the gaps; exit 1 when a gap has "
    "no\n"
    "           reason.\n"
    "questions  what public descriptions of the protocol leave open, with the readings; the one\n"
    "           marked * is the default.\n"
    "\n"
    "--cases DIR reads the cases of another directory.\n"
    "Evidence: C confirmed by two descriptions, S by one, U from Ultra Ethernet, I from "
    "InfiniBand.\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"list", mrct_spec_list},
    {"show", mrct_spec_show},
    {"coverage", mrct_spec_coverage},
    {"questions", mrct_spec_questions},
};

static bool wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

int mrct_cmd_spec(int argc, char **argv)
{
    if (wants_help(argc, argv)) {
        (void)fputs(help, stdout);
        return MRCT_EXIT_PASS;
    }
    if (argc < 2) {
        return mrct_cli_fail("spec", "expected list, show, coverage or questions; see --help");
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 2, argv + 2);
        }
    }
    return mrct_cli_fail("spec", "no subcommand '%s'; there are list, show, coverage and questions",
                         argv[1]);
}

/* "7.5" takes 7.5 and 7.5.2, but not 7.51. */
static bool in_section(const struct mrc_requirement *r, const char *section)
{
    const size_t len = strlen(section);
    return strncmp(r->section, section, len) == 0 &&
           (r->section[len] == '\0' || r->section[len] == '.');
}

static bool is_role(const char *role)
{
    for (int i = MRC_ROLE_ANY; i <= MRC_ROLE_NODE; i++) {
        if (strcmp(mrc_req_role_str((enum mrc_req_role)i), role) == 0) {
            return true;
        }
    }
    return false;
}

int mrct_spec_list(int argc, char **argv)
{
    const char *section = NULL, *role = NULL;
    for (int i = 0; i < argc; i++) {
        const char **value = strcmp(argv[i], "--section") == 0 ? &section
                             : strcmp(argv[i], "--role") == 0  ? &role
                                                               : NULL;
        if (!value) {
            return mrct_cli_fail("spec", "list takes --section S and --role R, not '%s'", argv[i]);
        }
        if (++i == argc) {
            return mrct_cli_fail("spec", "%s needs a value", argv[i - 1]);
        }
        *value = argv[i];
    }
    if (role && !is_role(role)) {
        return mrct_cli_fail("spec", "no role '%s'; there are any, requestor, responder and node",
                             role);
    }
    size_t shown = 0;
    for (size_t i = 0; i < mrc_requirement_count; i++) {
        const struct mrc_requirement *r = &mrc_requirements[i];
        if ((!section || in_section(r, section)) &&
            (!role || strcmp(mrc_req_role_str(r->role), role) == 0)) {
            (void)printf("%-13s %-10s %-9s %c  %s\n", r->id, mrc_req_level_str(r->level),
                         mrc_req_role_str(r->role), r->evidence, r->text);
            shown++;
        }
    }
    return shown > 0 ? MRCT_EXIT_PASS : mrct_cli_fail("spec", "no requirement matches");
}

int mrct_spec_questions(int argc, char **argv)
{
    if (argc > 0) {
        return mrct_cli_fail("spec", "questions takes no '%s'", argv[0]);
    }
    for (size_t i = 0; i < mrc_question_count; i++) {
        const struct mrc_question *q = &mrc_questions[i];
        (void)printf("%-4s %s\n", q->id, q->text);
        for (size_t k = 0; k < q->reading_count; k++) {
            (void)printf("   %c %c  %s\n", q->readings[k].id == q->default_reading ? '*' : ' ',
                         q->readings[k].id, q->readings[k].text);
        }
        if (q->note) {
            (void)printf("        %s\n", q->note);
        }
    }
    return MRCT_EXIT_PASS;
}
