/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct check: judges somebody's capture. */
#include "harness/cli/check_cover.h"
#include "harness/cli/check_run.h"
#include "harness/stats/stats.h"
#include "harness/trace/outfile.h"

#include <inttypes.h>
#include <string.h>

/* Set by an interrupt: reading ends, and what was read is reported. */
static volatile sig_atomic_t stop;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    stop = 1;
}

static int add_ports(const struct check_options *o, struct mrct_facts *facts)
{
    struct mrc_wire_config *const wire = &facts->wire;
    for (unsigned i = 0; i < o->port_count; i++) {
        if (wire->udp_port_count == MRC_UDP_PORTS_MAX)
            return mrct_cli_fail("check", "more than %u UDP ports in all", MRC_UDP_PORTS_MAX);
        wire->udp_ports[wire->udp_port_count++] = o->ports[i];
    }
    return 0;
}

static int take_facts(const struct check_options *o, struct mrct_facts *facts, struct check_run *c)
{
    char err[600];
    if (o->facts_file != NULL && mrct_facts_load(facts, o->facts_file, err, sizeof(err)) != 0)
        return mrct_cli_fail("check", "%s", err);
    c->shared.default_tap = o->have_tap ? o->cfg.tap : facts->tap;
    c->r.strict = o->cfg.strict;
    c->r.file = o->live != NULL ? o->live : o->file_count > 0 ? o->files[0] : "";
    mrct_cli_reading_wire(o->cfg.reading, &facts->wire);
    mrct_cli_reading_str(o->cfg.reading, c->r.readings, sizeof(c->r.readings));
    return add_ports(o, facts);
}

/* The tap to name in the summary: the only one that saw frames, or the default. */
static enum mrct_tap main_tap(const struct check_run *c)
{
    for (unsigned t = 0; t < MRCT_TAPS; t++)
        if (c->r.taps == 1u << t)
            return (enum mrct_tap)t;
    return c->shared.default_tap;
}

/* ---- what is written ---- */

enum page { PAGE_JUNIT, PAGE_HTML, PAGE_CSV };

static int write_page(const struct check_run *c, const struct mrct_check_show *show,
                      const char *path, enum page page)
{
    struct mrct_outfile o;
    char err[400];
    if (path == NULL)
        return 0;
    if (mrct_outfile_open(&o, path, err, sizeof(err)) != 0)
        return mrct_cli_fail("check", "%s", err);
    switch (page) {
    case PAGE_JUNIT:
        mrct_check_junit(&c->r, o.file);
        break;
    case PAGE_HTML:
        mrct_check_html(&c->r, show, o.file);
        break;
    case PAGE_CSV:
        mrct_stats_csv(c->stats, o.file);
        break;
    }
    if (mrct_outfile_commit(&o, err, sizeof(err)) != 0)
        return mrct_cli_fail("check", "%s", err);
    return 0;
}

static int write_files(struct check_run *c, const struct mrct_check_show *show)
{
    const struct check_options *const o = c->shared.opt;
    int status = o->out_file != NULL ? mrct_check_write_out(c) : 0;
    if (status == 0)
        status = write_page(c, show, o->junit_file, PAGE_JUNIT);
    if (status == 0)
        status = write_page(c, show, o->html_file, PAGE_HTML);
    return status != 0 ? status : write_page(c, show, o->csv_file, PAGE_CSV);
}

static void print_text(const struct check_run *c, const struct mrct_check_show *show)
{
    mrct_check_text(&c->r, c->term);
    if (show->health && !mrct_check_unwell(&c->r))
        mrct_check_text_health(&c->r, c->term->out);
    if (show->coverage)
        mrct_check_text_coverage(&c->r, show, c->term->out);
    if (show->stats)
        mrct_stats_text(c->stats, c->term->out);
}

static int report(struct check_run *c)
{
    const struct check_options *const o = c->shared.opt;
    struct mrct_check_cases cases = {.found = false};
    c->r.tap = main_tap(c);
    if (o->coverage || o->html_file != NULL)
        mrct_check_cases_load(&cases);
    const struct mrct_check_show show = {.health = o->health,
                                         .coverage = o->coverage,
                                         .stats = o->stats,
                                         .cases = cases.found ? &cases : NULL,
                                         .statistics = c->stats};
    int status = write_files(c, &show);
    if (status == 0) {
        const int bad = o->json ? mrct_check_json_with(&c->r, &show, stdout) : 0;
        if (!o->json)
            print_text(c, &show);
        status = bad != 0 || fflush(stdout) != 0 || ferror(stdout)
                     ? mrct_cli_fail("check", "the findings cannot be written")
                     : mrct_check_status(&c->r);
    }
    mrct_check_cases_fini(&cases);
    return status;
}

static int run(const struct check_options *o, struct mrct_facts *facts, struct mrct_term *term)
{
    struct check_run c;
    memset(&c, 0, sizeof(c));
    c.term = term;
    c.shared = (struct check_shared){
        .opt = o,
        .facts = facts,
        .stop = &stop,
        .keep_stats = o->stats || o->csv_file != NULL || o->html_file != NULL,
    };
    int status = take_facts(o, facts, &c);
    if (status == 0 && o->fields != NULL)
        return mrct_check_fields((struct check_options *)(uintptr_t)o, facts, &stop);
    if (status == 0)
        status = mrct_check_read(&c);
    if (status == 0)
        status = report(&c);
    mrct_check_run_fini(&c);
    return status;
}

int mrct_cmd_check(int argc, char **argv)
{
    struct sigaction interrupt = {.sa_handler = on_interrupt}, before;
    struct check_options o;
    struct mrct_facts facts;
    struct mrct_term term;
    const int option = mrct_check_command_line(&o, argc, argv);
    if (option != MRCT_CLI_END)
        return option == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    mrct_facts_init(&facts);
    mrct_term_init(&term, stdout, 0);
    stop = 0;
    sigaction(SIGINT, &interrupt, &before);
    const int status = run(&o, &facts, &term);
    sigaction(SIGINT, &before, NULL);
    mrct_facts_fini(&facts);
    return status;
}
