/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line: the commands, and what they share. A command gets argv from its own name on
 * ("check", ...), prints results on standard output and sentences of failure on standard error, and
 * returns an exit status (enum mrct_exit).
 */
#ifndef MRCT_CLI_CLI_H
#define MRCT_CLI_CLI_H

#include "harness/oracle/oracle.h"
#include "harness/report/result.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

int mrct_cmd_agent(int argc, char **argv);
int mrct_cmd_agent_check(int argc, char **argv);
int mrct_cmd_certify(int argc, char **argv);
int mrct_cmd_cases(int argc, char **argv);
int mrct_cmd_check(int argc, char **argv);
int mrct_cmd_endpoint(int argc, char **argv);
int mrct_cmd_fabric(int argc, char **argv);
int mrct_cmd_pics(int argc, char **argv);
int mrct_cmd_shrink(int argc, char **argv);
int mrct_cmd_preflight(int argc, char **argv);
int mrct_cmd_interop(int argc, char **argv);
int mrct_cmd_spec(int argc, char **argv);
int mrct_cmd_decode(int argc, char **argv);
int mrct_cmd_mutation(int argc, char **argv);
int mrct_cmd_nscc(int argc, char **argv);
int mrct_cmd_sim(int argc, char **argv);
int mrct_cmd_swarm(int argc, char **argv);

/* ---- options ---- */

/* One option of a command. A table of these ends with {0}. --help needs no entry. */
struct mrct_cli_option {
    const char *name;  /* long name without dashes */
    char letter;       /* short name, or 0 */
    const char *value; /* what the value is called in the help, NULL for an option without one */
    const char *help;  /* may hold newlines */
};

#define MRCT_CLI_OPTIONS_MAX 40

/* A command line on its way through mrct_cli_next(). Every member is private but value. */
struct mrct_cli {
    const char *command;  /* "check" */
    const char *operands; /* "FILE.pcap" */
    const char *summary;  /* one sentence for --help */
    const struct mrct_cli_option *options;
    const char *value; /* of the option that mrct_cli_next() returned, or NULL */
    int argc;
    char **argv;
};

enum {
    MRCT_CLI_END = -1,  /* no more options: operands begin at mrct_cli_operands() */
    MRCT_CLI_HELP = -2, /* --help was printed: return 0 */
    MRCT_CLI_BAD = -3,  /* a sentence was printed: return MRCT_EXIT_USAGE */
};

/* Begins; c's first four members are set by the caller. */
void mrct_cli_begin(struct mrct_cli *c, int argc, char **argv);
/* The index of the next option in the table, or one of the values above. */
int mrct_cli_next(struct mrct_cli *c);
/* Number of operands, and the first of them. Good after MRCT_CLI_END. */
int mrct_cli_operands(const struct mrct_cli *c, char ***first);

/* ---- sentences and values ---- */

/* Prints "mrct COMMAND: sentence" on standard error and returns MRCT_EXIT_USAGE; command may be
 * NULL. */
int mrct_cli_fail(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mrct_cli_warn(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The whole text as a number of min..max, decimal or 0x; false when it is none. */
bool mrct_cli_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/*
 * Readings of open questions, "Q2=b" or "Q2=b,Q9=a", into reading[number of the question]. Returns
 * 0, or -1 with one sentence in err when there is no such question or no such reading.
 */
int mrct_cli_reading(char reading[MRCT_QUESTIONS_MAX], const char *text, char *err, size_t err_cap);
/* The readings that were chosen, "Q2=b,Q9=a", in the order of the questions; "" for none. */
void mrct_cli_reading_str(const char reading[MRCT_QUESTIONS_MAX], char *buf, size_t cap);
/* Readings that the codec obeys (Q3, Q6) into a wire configuration. */
void mrct_cli_reading_wire(const char reading[MRCT_QUESTIONS_MAX], struct mrc_wire_config *cfg);

#endif
