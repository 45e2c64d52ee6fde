/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct decode: the frames of a capture, one line each. */
#include "harness/cli/cli.h"
#include "harness/cli/decode_json.h"
#include "ref/wire/print.h"

#include <inttypes.h>
#include <string.h>

enum option { OPT_JSON, OPT_VERBOSE, OPT_PORT, OPT_READING };
static const struct mrct_cli_option options[] = {
    [OPT_JSON] = {"json", 'j', NULL, "one JSON object a line"},
    [OPT_VERBOSE] = {"verbose", 'v', NULL, "all fields of all headers"},
    [OPT_PORT] = {"port", 'p', "N", "take UDP port N as MRC too; may be given again"},
    [OPT_READING] = {"reading", 'r', "Qn=x", "reading of an open question: Q3 and Q6 matter here"},
    {0},
};

struct decode {
    const char *file;
    bool json, verbose;
    struct mrc_wire_config wire;
    char reading[MRCT_QUESTIONS_MAX];
};

static int take_port(struct decode *d, const char *text)
{
    uint64_t port;
    if (!mrct_cli_u64(text, 1, 65535, &port))
        return mrct_cli_fail("decode", "'%s' is no UDP port (1 to 65535)", text);
    if (d->wire.udp_port_count == MRC_UDP_PORTS_MAX)
        return mrct_cli_fail("decode", "more than %u UDP ports in all", MRC_UDP_PORTS_MAX);
    d->wire.udp_ports[d->wire.udp_port_count++] = (uint16_t)port;
    return 0;
}

static int take_option(struct decode *d, enum option option, const char *value)
{
    char err[300];
    switch (option) {
    case OPT_JSON:
        d->json = true;
        return 0;
    case OPT_VERBOSE:
        d->verbose = true;
        return 0;
    case OPT_PORT:
        return take_port(d, value);
    case OPT_READING:
        if (mrct_cli_reading(d->reading, value, err, sizeof(err)) != 0)
            return mrct_cli_fail("decode", "%s", err);
        return 0;
    }
    return 0;
}

/* Returns MRCT_CLI_END when there is something to do, else what mrct_cli_next() or a value said. */
static int take_command_line(struct decode *d, int argc, char **argv)
{
    struct mrct_cli cli = {.command = "decode",
                           .operands = "FILE",
                           .summary =
                               "Prints the frames of a pcap or pcapng capture (- is standard "
                               "input).",
                           .options = options};
    char **files;
    int option;
    mrct_cli_begin(&cli, argc, argv);
    while ((option = mrct_cli_next(&cli)) >= 0)
        if (take_option(d, (enum option)option, cli.value) != 0)
            return MRCT_CLI_BAD;
    if (option != MRCT_CLI_END)
        return option;
    if (mrct_cli_operands(&cli, &files) != 1) {
        mrct_cli_fail("decode", "one capture file is expected (see mrct decode --help)");
        return MRCT_CLI_BAD;
    }
    d->file = files[0];
    return MRCT_CLI_END;
}

static void print_frame(const struct decode *d, const struct mrct_capture_frame *f)
{
    char text[MRC_PRINT_FULL_MAX];
    struct mrc_pkt p;
    const enum mrc_wire_error err =
        mrc_pkt_decode(&d->wire, f->bytes, f->cap_len, f->wire_len, true, &p);
    if (d->json) {
        mrct_decode_json(f, &p, err, text, sizeof(text));
        puts(text);
        return;
    }
    mrc_print_line(&p, err, text, sizeof(text));
    printf("%" PRIu64 " %" PRIu64 ".%09" PRIu64 " %s\n", f->frame_no, f->time_ns / 1000000000,
           f->time_ns % 1000000000, text);
    if (d->verbose) {
        mrc_print_full(&p, err, text, sizeof(text));
        printf("%s\n", text);
    }
}

static int print_all(const struct decode *d)
{
    char err[300];
    struct mrct_capture_frame f;
    struct mrct_capture *const c = mrct_capture_open(d->file, err, sizeof(err));
    int status = MRCT_EXIT_PASS;
    if (c == NULL)
        return mrct_cli_fail("decode", "%s", err);
    while (!ferror(stdout) && mrct_capture_next(c, &f) == MRCT_CAPTURE_FRAME)
        print_frame(d, &f);
    if (mrct_capture_state(c) == MRCT_CAPTURE_BAD)
        status = mrct_cli_fail("decode", "%s", mrct_capture_message(c));
    else if (mrct_capture_state(c) == MRCT_CAPTURE_CUT)
        mrct_cli_warn("decode", "%s", mrct_capture_message(c));
    mrct_capture_close(c);
    if (fflush(stdout) != 0 || ferror(stdout))
        status = mrct_cli_fail("decode", "standard output cannot be written");
    return status;
}

int mrct_cmd_decode(int argc, char **argv)
{
    struct decode d;
    memset(&d, 0, sizeof(d));
    mrc_wire_config_default(&d.wire);
    const int todo = take_command_line(&d, argc, argv);
    if (todo != MRCT_CLI_END)
        return todo == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    mrct_cli_reading_wire(d.reading, &d.wire);
    return print_all(&d);
}
