/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/cli.h"

#include "gen/mrc_req.h"
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} commands[] = {
    {"agent", mrct_cmd_agent, "answer the agent protocol for an endpoint in virtual time"},
    {"agent-check", mrct_cmd_agent_check, "see whether an agent is fit to speak for its device"},
    {"certify", mrct_cmd_certify, "run the cases against an endpoint and write the reports"},
    {"cases", mrct_cmd_cases, "describe the cases, a page each"},
    {"check", mrct_cmd_check, "judge a capture"},
    {"decode", mrct_cmd_decode, "print the frames of a capture"},
    {"endpoint", mrct_cmd_endpoint, "move data between network interfaces"},
    {"fabric", mrct_cmd_fabric, "stand between network interfaces, and do faults"},
    {"sim", mrct_cmd_sim, "run a cluster in virtual time"},
    {"pics", mrct_cmd_pics, "make or review what a device's manifest claims"},
    {"shrink", mrct_cmd_shrink, "reduce a failing run to the least that still fails"},
    {"preflight", mrct_cmd_preflight, "see whether a network carries what MRC needs"},
    {"interop", mrct_cmd_interop, "run devices against one another, every ordered pair"},
    {"spec", mrct_cmd_spec, "list and show requirements, and what covers them"},
    {"swarm", mrct_cmd_swarm, "run honest pairs under random conditions"},
    {"mutation", mrct_cmd_mutation, "test the suite itself: every deviant in every case"},
    {"nscc", mrct_cmd_nscc, "replay congestion-control traces"},
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *out)
{
    fputs("Usage: mrct COMMAND [options]\n\n"
          "Conformance tests for MRC (Multipath Reliable Connection) 1.0.\n\n",
          out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].what);
    fputs("\n  --version  print the version and the hash of the specification data\n"
          "  --help     print this; mrct COMMAND --help says more\n\n"
          "Exit status: 0 passed, 1 failed, 2 bad usage or input, 3 the harness failed,\n"
          "4 nothing to judge, 5 nothing failed but something could not be decided.\n",
          out);
}

/* What could not be said is not done: the status of a command that could not print all it had to.
 */
static int all_said(const char *command, int status)
{
    if ((fflush(stdout) == 0 && ferror(stdout) == 0) || status == MRCT_EXIT_USAGE ||
        status == MRCT_EXIT_HARNESS)
        return status;
    (void)mrct_cli_fail(command, "standard output cannot be written");
    return MRCT_EXIT_HARNESS;
}

int main(int argc, char **argv)
{
    const char *const name = argc < 2 ? "" : argv[1];
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return all_said(name, commands[i].run(argc - 1, argv + 1));
    if (strcmp(name, "--version") == 0) {
        printf("mrct %s (specification data %.12s)\n", MRCT_VERSION, mrc_spec_hash);
        return all_said(NULL, MRCT_EXIT_PASS);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return all_said(NULL, MRCT_EXIT_PASS);
    }
    if (argc < 2)
        return mrct_cli_fail(NULL, "no command was given (see mrct --help)");
    return mrct_cli_fail(NULL, "unknown %s '%s' (see mrct --help)",
                         name[0] == '-' ? "option" : "command", name);
}
