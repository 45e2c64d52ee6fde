/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct check: judges somebody's capture. */
#include "harness/cli/check.h"

#include "harness/report/report.h"
#include "harness/trace/capture.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_EVERY 65536u /* frames */

enum option { OPT_TAP, OPT_PORT, OPT_FACTS, OPT_STRICT, OPT_READING, OPT_JSON, OPT_OUT };
static const struct mrct_cli_option options[] = {
    [OPT_TAP] = {"tap", 't', "WHERE",
                 "where the capture was taken: requestor, responder or middle\n"
                 "(default: what the facts say, else middle)"},
    [OPT_PORT] = {"port", 'p', "N", "take UDP port N as MRC too; may be given again"},
    [OPT_FACTS] = {"facts", 'f', "FILE",
                   "what the capture does not say: hosts, QPs, classes (YAML)"},
    [OPT_STRICT] = {"strict", 's', NULL, "evidence S and U fails, and readings chosen are binding"},
    [OPT_READING] = {"reading", 'r', "Qn=x", "reading of an open question; may be given again"},
    [OPT_JSON] = {"json", 'j', NULL, "print findings as JSON"},
    [OPT_OUT] = {"out", 'o', "FILE.pcapng", "write the capture again, with findings as comments"},
    {0},
};

struct check {
    const char *facts_file, *out_file;
    bool json, have_tap;
    uint16_t ports[MRC_UDP_PORTS_MAX];
    unsigned port_count;
    struct mrct_oracle_config cfg;
    struct mrct_facts facts;
    struct mrct_check_result result;
    struct mrct_oracle *oracle;
    struct mrct_record *record; /* NULL unless --out */
    struct mrct_term term;
};

static int take_port(struct check *c, const char *text)
{
    uint64_t port;
    if (!mrct_cli_u64(text, 1, 65535, &port))
        return mrct_cli_fail("check", "'%s' is no UDP port (1 to 65535)", text);
    if (c->port_count == MRC_UDP_PORTS_MAX)
        return mrct_cli_fail("check", "at most %u ports can be given", MRC_UDP_PORTS_MAX);
    c->ports[c->port_count++] = (uint16_t)port;
    return 0;
}

static int take_option(struct check *c, enum option option, const char *value)
{
    char err[300];
    switch (option) {
    case OPT_TAP:
        c->have_tap = true;
        if (!mrct_tap_named(value, &c->cfg.tap))
            return mrct_cli_fail("check", "'%s' is no tap: requestor, responder or middle", value);
        return 0;
    case OPT_PORT:
        return take_port(c, value);
    case OPT_FACTS:
        c->facts_file = value;
        return 0;
    case OPT_STRICT:
        c->cfg.strict = true;
        return 0;
    case OPT_READING:
        if (mrct_cli_reading(c->cfg.reading, value, err, sizeof(err)) != 0)
            return mrct_cli_fail("check", "%s", err);
        return 0;
    case OPT_JSON:
        c->json = true;
        return 0;
    case OPT_OUT:
        c->out_file = value;
        return 0;
    }
    return 0;
}

/* Returns MRCT_CLI_END when there is something to do, else what mrct_cli_next() or a value said. */
static int take_command_line(struct check *c, int argc, char **argv)
{
    struct mrct_cli cli = {.command = "check",
                           .operands = "FILE",
                           .summary = "Judges a pcap or pcapng capture (- is standard input).",
                           .options = options};
    char **files;
    int option;
    mrct_cli_begin(&cli, argc, argv);
    while ((option = mrct_cli_next(&cli)) >= 0)
        if (take_option(c, (enum option)option, cli.value) != 0)
            return MRCT_CLI_BAD;
    if (option != MRCT_CLI_END)
        return option;
    if (mrct_cli_operands(&cli, &files) != 1) {
        mrct_cli_fail("check", "one capture file is expected (see mrct check --help)");
        return MRCT_CLI_BAD;
    }
    c->result.file = files[0];
    return MRCT_CLI_END;
}

static int add_ports(struct check *c)
{
    struct mrc_wire_config *const wire = &c->facts.wire;
    for (unsigned i = 0; i < c->port_count; i++) {
        if (wire->udp_port_count == MRC_UDP_PORTS_MAX)
            return mrct_cli_fail("check", "more than %u UDP ports in all", MRC_UDP_PORTS_MAX);
        wire->udp_ports[wire->udp_port_count++] = c->ports[i];
    }
    return 0;
}

static int take_facts(struct check *c)
{
    char err[600];
    if (c->facts_file != NULL && mrct_facts_load(&c->facts, c->facts_file, err, sizeof(err)) != 0)
        return mrct_cli_fail("check", "%s", err);
    if (!c->have_tap)
        c->cfg.tap = c->facts.tap;
    mrct_cli_reading_wire(c->cfg.reading, &c->facts.wire);
    mrct_cli_reading_str(c->cfg.reading, c->result.readings, sizeof(c->result.readings));
    c->result.tap = c->cfg.tap;
    c->result.strict = c->cfg.strict;
    return add_ports(c);
}

static void keep_finding(void *user, const struct mrct_finding *f)
{
    struct check *const c = user;
    mrct_findings_add(&c->result.findings, f);
}

static int no_memory(void)
{
    mrct_cli_fail("check", "out of memory");
    return MRCT_EXIT_HARNESS;
}

static int prepare(struct check *c)
{
    c->cfg.facts = &c->facts;
    c->cfg.on_finding = keep_finding;
    c->cfg.user = c;
    c->oracle = mrct_oracle_new(&c->cfg);
    if (c->oracle == NULL)
        return no_memory();
    if (c->out_file == NULL)
        return 0;
    c->record = mrct_record_new(0);
    if (c->record == NULL || mrct_record_iface(c->record, "capture", mrct_tap_str(c->cfg.tap)) < 0)
        return no_memory();
    return 0;
}

static void judge(struct check *c, const struct mrct_capture_frame *f)
{
    struct mrct_check_result *const r = &c->result;
    struct mrct_obs obs = {.time_ns = f->time_ns,
                           .frame_no = f->frame_no,
                           .cap_len = f->cap_len,
                           .wire_len = f->wire_len};
    obs.err = mrc_pkt_decode(&c->facts.wire, f->bytes, f->cap_len, f->wire_len, true, &obs.pkt);
    r->by_error[obs.err]++;
    if (obs.err == MRC_WIRE_NOT_MRC)
        return;
    r->mrc++;
    if (MRC_PKT_HAS(&obs.pkt, BTH))
        r->by_opcode[obs.pkt.bth.opcode]++;
    mrct_talks_frame(&r->talks, &c->facts, &obs.pkt);
    mrct_oracle_frame(c->oracle, &obs);
}

static int take_frame(struct check *c, const struct mrct_capture_frame *f)
{
    struct mrct_check_result *const r = &c->result;
    if (r->frames++ == 0)
        r->first_ns = r->last_ns = f->time_ns;
    if (f->time_ns > r->last_ns)
        r->last_ns = f->time_ns;
    if (c->record != NULL && mrct_record_append(c->record, f->time_ns, 0, MRCT_DIR_UNKNOWN,
                                                f->bytes, f->cap_len, f->wire_len) == 0)
        return no_memory();
    if (c->term.progress != NULL && r->frames % PROGRESS_EVERY == 0)
        fprintf(c->term.progress, "\r%" PRIu64 " frames", r->frames);
    judge(c, f);
    return 0;
}

static int read_capture(struct check *c)
{
    struct mrct_capture_frame f;
    char err[400];
    int status = 0;
    struct mrct_capture *const in = mrct_capture_open(c->result.file, err, sizeof(err));
    if (in == NULL)
        return mrct_cli_fail("check", "%s", err);
    while (status == 0 && mrct_capture_next(in, &f) == MRCT_CAPTURE_FRAME)
        status = take_frame(c, &f);
    if (c->term.progress != NULL && c->result.frames >= PROGRESS_EVERY)
        fputs("\r\033[K", c->term.progress);
    if (status == 0 && mrct_capture_state(in) == MRCT_CAPTURE_CUT)
        mrct_cli_warn("check", "%s", mrct_capture_message(in));
    else if (status == 0 && mrct_capture_state(in) == MRCT_CAPTURE_BAD)
        status = mrct_cli_fail("check", "%s", mrct_capture_message(in));
    mrct_capture_close(in);
    return status;
}

static int write_comments(struct check *c)
{
    char err[400];
    int bad = 0;
    for (size_t i = 0; i < c->result.findings.count; i++)
        bad |= mrct_report_annotate(c->record, &c->result.findings.list[i]);
    if (bad != 0)
        return no_memory();
    if (mrct_record_write(c->record, c->out_file, err, sizeof(err)) != 0)
        return mrct_cli_fail("check", "%s", err);
    return 0;
}

static int finish(struct check *c)
{
    struct mrct_check_result *const r = &c->result;
    mrct_oracle_end(c->oracle, r->last_ns);
    r->req_count = mrct_oracle_results(c->oracle, &r->reqs);
    mrct_findings_sort(&r->findings);
    if (r->findings.failed)
        return no_memory();
    const int status = c->record == NULL ? 0 : write_comments(c);
    if (status != 0)
        return status;
    const int bad = c->json ? mrct_check_json(r, stdout) : 0;
    if (!c->json)
        mrct_check_text(r, &c->term);
    if (bad != 0 || fflush(stdout) != 0 || ferror(stdout))
        return mrct_cli_fail("check", "the findings cannot be written");
    return mrct_check_status(r);
}

static int run(struct check *c)
{
    int status = take_facts(c);
    if (status == 0)
        status = prepare(c);
    if (status == 0)
        status = read_capture(c);
    return status != 0 ? status : finish(c);
}

int mrct_cmd_check(int argc, char **argv)
{
    struct check c;
    memset(&c, 0, sizeof(c));
    mrct_oracle_config_default(&c.cfg);
    mrct_facts_init(&c.facts);
    mrct_term_init(&c.term, stdout, 0);
    const int option = take_command_line(&c, argc, argv);
    const int status = option == MRCT_CLI_END    ? run(&c)
                       : option == MRCT_CLI_HELP ? MRCT_EXIT_PASS
                                                 : MRCT_EXIT_USAGE;
    mrct_oracle_free(c.oracle);
    mrct_record_free(c.record);
    mrct_findings_fini(&c.result.findings);
    mrct_talks_fini(&c.result.talks);
    mrct_facts_fini(&c.facts);
    return status;
}
