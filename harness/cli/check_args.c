/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct check's command line. */
#include "harness/cli/check_run.h"

#include "harness/cases/units.h"
#include <string.h>
#include <sys/stat.h>

enum option {
    OPT_TAP,
    OPT_LIVE,
    OPT_COUNT,
    OPT_MERGE,
    OPT_PORT,
    OPT_FACTS,
    OPT_STRICT,
    OPT_READING,
    OPT_JSON,
    OPT_HEALTH,
    OPT_COVERAGE,
    OPT_STATS,
    OPT_FIELDS,
    OPT_WRITE,
    OPT_OUT,
    OPT_JUNIT,
    OPT_HTML,
    OPT_CSV,
    OPT_THREADS,
    OPT_THOROUGH,
    OPT_REACTION
};
static const struct mrct_cli_option options[] = {
    [OPT_TAP] = {"tap", 't', "[IFACE=]WHERE",
                 "where the capture was taken: requestor, responder or middle\n"
                 "(default: what interfaces or facts say, else middle);\n"
                 "IFACE is an interface's name or number, or a file"},
    [OPT_LIVE] = {"interface", 'i', "IFACE", "capture from this interface until interrupted"},
    [OPT_COUNT] = {"count", 'c', "N", "stop after N frames"},
    [OPT_MERGE] = {"merge", 'm', NULL,
                   "two captures of two points: merged by time, the offset of\n"
                   "their clocks estimated"},
    [OPT_PORT] = {"port", 'p', "N", "take UDP port N as MRC too; may be given again"},
    [OPT_FACTS] = {"facts", 'f', "FILE",
                   "what the capture does not say: hosts, QPs, classes (YAML)"},
    [OPT_STRICT] = {"strict", 's', NULL, "evidence S and U fails, and readings chosen are binding"},
    [OPT_READING] = {"reading", 'r', "Qn=x", "reading of an open question; may be given again"},
    [OPT_JSON] = {"json", 'j', NULL, "print findings as JSON"},
    [OPT_HEALTH] = {"health", 0, NULL,
                    "print what the capture itself lacks, or \"health\" in JSON"},
    [OPT_COVERAGE] = {"coverage", 'C', NULL,
                      "print what became of each requirement, and the case that would\n"
                      "reach it; or \"requirements\" in JSON"},
    [OPT_STATS] = {"stats", 'S', NULL, "print statistics, or \"statistics\" in JSON"},
    [OPT_FIELDS] = {"fields", 'T', "A,B,...",
                    "print these fields of each MRC frame instead of judging it\n"
                    "(frame.number, frame.time, ev, bth.psn, ...; help lists them)"},
    [OPT_WRITE] = {"write", 'w', "FILE.pcapng",
                   "write the capture again, with findings as comments"},
    [OPT_OUT] = {"out", 'o', "FILE.pcapng", "the same"},
    [OPT_JUNIT] = {"junit", 0, "FILE", "write verdicts as JUnit XML"},
    [OPT_HTML] = {"html", 0, "FILE", "write a page with findings, statistics and plots"},
    [OPT_CSV] = {"csv", 0, "FILE", "write statistics as CSV"},
    [OPT_THREADS] = {"threads", 0, "N", "judge with N threads (default: one a core)"},
    [OPT_THOROUGH] = {"thorough", 0, NULL,
                      "show every frame to every check, which says the same, slower"},
    [OPT_REACTION] = {"reaction", 0, "TIME",
                      "time that a device may take to react, as the tap sees it\n"
                      "(10ms, 1s; default 10ms)"},
    {0},
};

static int take_port(struct check_options *c, const char *text)
{
    uint64_t port;
    if (!mrct_cli_u64(text, 1, 65535, &port))
        return mrct_cli_fail("check", "'%s' is no UDP port (1 to 65535)", text);
    if (c->port_count == MRC_UDP_PORTS_MAX)
        return mrct_cli_fail("check", "at most %u ports can be given", MRC_UDP_PORTS_MAX);
    c->ports[c->port_count++] = (uint16_t)port;
    return 0;
}

static int take_tap(struct check_options *c, const char *text)
{
    const char *const sign = strrchr(text, '=');
    const char *const where = sign != NULL ? sign + 1 : text;
    enum mrct_tap tap;
    if (!mrct_tap_named(where, &tap))
        return mrct_cli_fail("check", "'%s' is no tap: requestor, responder or middle", where);
    if (sign == NULL) {
        c->have_tap = true;
        c->cfg.tap = tap;
        return 0;
    }
    if (c->tap_count == TAP_RULES_MAX)
        return mrct_cli_fail("check", "at most %u interfaces can be given a tap", TAP_RULES_MAX);
    c->taps[c->tap_count++] =
        (struct tap_rule){.iface = text, .len = (size_t)(sign - text), .tap = tap};
    return 0;
}

static int take_number(const char *text, uint64_t max, const char *what, uint64_t *out)
{
    if (!mrct_cli_u64(text, 1, max, out))
        return mrct_cli_fail("check", "'%s' is no number of %s", text, what);
    return 0;
}

static int take_threads(struct check_options *c, const char *text)
{
    uint64_t n;
    if (take_number(text, 64, "threads (1 to 64)", &n) != 0)
        return -1;
    c->threads = (unsigned)n;
    return 0;
}

static int take_reaction(struct check_options *c, const char *text)
{
    if (mrct_units_duration(text, &c->cfg.reaction_ns) != 0 || c->cfg.reaction_ns == 0)
        return mrct_cli_fail("check", "--reaction wants a time like 10ms or 1s, not '%s'", text);
    return 0;
}

/* Options that set one member; NULL where it takes more than that. */
static const char **word_of(struct check_options *c, enum option option)
{
    return option == OPT_FACTS                        ? &c->facts_file
           : option == OPT_OUT || option == OPT_WRITE ? &c->out_file
           : option == OPT_JUNIT                      ? &c->junit_file
           : option == OPT_HTML                       ? &c->html_file
           : option == OPT_CSV                        ? &c->csv_file
           : option == OPT_LIVE                       ? &c->live
                                                      : NULL;
}

static bool *flag_of(struct check_options *c, enum option option)
{
    return option == OPT_STRICT     ? &c->cfg.strict
           : option == OPT_JSON     ? &c->json
           : option == OPT_HEALTH   ? &c->health
           : option == OPT_COVERAGE ? &c->coverage
           : option == OPT_STATS    ? &c->stats
           : option == OPT_MERGE    ? &c->merge
           : option == OPT_THOROUGH ? &c->cfg.thorough
                                    : NULL;
}

static int take_option(struct check_options *c, enum option option, char *value)
{
    char err[300];
    const char **const word = word_of(c, option);
    bool *const flag = flag_of(c, option);
    if (word != NULL)
        *word = value;
    else if (flag != NULL)
        *flag = true;
    else if (option == OPT_TAP)
        return take_tap(c, value);
    else if (option == OPT_PORT)
        return take_port(c, value);
    else if (option == OPT_COUNT)
        return take_number(value, UINT64_MAX, "frames", &c->count);
    else if (option == OPT_THREADS)
        return take_threads(c, value);
    else if (option == OPT_REACTION)
        return take_reaction(c, value);
    else if (option == OPT_FIELDS)
        c->fields = value;
    else if (option == OPT_READING &&
             mrct_cli_reading(c->cfg.reading, value, err, sizeof(err)) != 0)
        return mrct_cli_fail("check", "%s", err);
    return 0;
}

/* One file, by whatever names. */
static bool is_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* A capture is evidence: nothing is written over it. */
static int keep_inputs(const struct check_options *o)
{
    const char *const outs[] = {o->out_file, o->junit_file, o->html_file, o->csv_file};
    for (size_t i = 0; i < o->file_count; i++)
        for (size_t n = 0; n < sizeof outs / sizeof outs[0]; n++)
            if (outs[n] != NULL && is_same(o->files[i], outs[n]))
                return mrct_cli_fail("check", "%s is read, so it cannot be written", outs[n]);
    return 0;
}

static int take_files(struct check_options *o, const struct mrct_cli *cli)
{
    const int count = mrct_cli_operands(cli, &o->files);
    o->file_count = (size_t)count;
    if (o->live != NULL && count > 0)
        return mrct_cli_fail("check", "an interface and a file cannot be read at once");
    if (o->live != NULL && o->merge)
        return mrct_cli_fail("check", "an interface cannot be merged");
    if (o->merge && count != 2)
        return mrct_cli_fail("check", "--merge takes two captures");
    const bool help = o->fields != NULL && strcmp(o->fields, "help") == 0;
    if (o->live == NULL && count < 1 && !help)
        return mrct_cli_fail(
            "check", "one capture file is expected, or several of a ring (see mrct check --help)");
    return keep_inputs(o);
}

int mrct_check_command_line(struct check_options *o, int argc, char **argv)
{
    struct mrct_cli cli = {.command = "check",
                           .operands = "FILE...",
                           .summary = "Judges pcap or pcapng captures (- is standard input).",
                           .options = options};
    int option;
    memset(o, 0, sizeof(*o));
    mrct_oracle_config_default(&o->cfg);
    mrct_cli_begin(&cli, argc, argv);
    while ((option = mrct_cli_next(&cli)) >= 0)
        if (take_option(o, (enum option)option, (char *)(uintptr_t)cli.value) != 0)
            return MRCT_CLI_BAD;
    if (option != MRCT_CLI_END)
        return option;
    return take_files(o, &cli) == 0 ? MRCT_CLI_END : MRCT_CLI_BAD;
}
