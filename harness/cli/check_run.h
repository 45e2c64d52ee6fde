/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct check, its inside: the command line, and frames on their way to the oracles. */
#ifndef MRCT_CLI_CHECK_RUN_H
#define MRCT_CLI_CHECK_RUN_H

#include "harness/cli/check.h"
#include "harness/cli/check_peek.h"

#include <signal.h>

#define TAP_RULES_MAX 64u
#define FIELDS_MAX    64u

/* --tap IFACE=WHERE */
struct tap_rule {
    const char *iface; /* name, number, or file; not terminated at '=' */
    size_t len;
    enum mrct_tap tap;
};

struct check_options {
    const char *facts_file, *out_file, *junit_file, *html_file, *csv_file, *live;
    char *fields; /* "a,b,c" */
    bool json, have_tap, merge, stats, health, coverage;
    uint64_t count;   /* stop after so many frames; 0: all */
    unsigned threads; /* 0: as many as there are cores */
    struct tap_rule taps[TAP_RULES_MAX];
    unsigned tap_count;
    uint16_t ports[MRC_UDP_PORTS_MAX];
    unsigned port_count;
    char **files;
    size_t file_count;
    struct mrct_oracle_config cfg;
};

/* Returns MRCT_CLI_END when there is something to do, else what mrct_cli_next() or a value said. */
int mrct_check_command_line(struct check_options *o, int argc, char **argv);

/* What all judges of a run share; constant while they work. */
struct check_shared {
    const struct check_options *opt;
    const struct mrct_facts *facts;
    enum mrct_tap default_tap;
    const volatile sig_atomic_t *stop;
    bool keep_stats;
};

/* One judge: it sees all frames of a run, and judges those that are its own. */
struct check_judge {
    const struct check_shared *shared;
    unsigned index, count; /* this judge of so many; a pair of hosts belongs to one */
    struct mrct_peek peek;
    struct mrct_oracle *oracles[MRCT_TAPS];
    struct judge_sink {
        struct check_judge *judge;
        enum mrct_tap tap;
    } sinks[MRCT_TAPS];
    enum mrct_tap *taps; /* of the feed's interfaces */
    size_t tap_room;
    struct mrct_tap_side sides[MRCT_TAPS];
    struct mrct_stats *stats;   /* NULL unless asked for */
    struct mrct_check_result r; /* counts, findings and conversations of its own frames */
    bool no_memory;
};
int mrct_judge_init(struct check_judge *j, const struct check_shared *shared, unsigned index,
                    unsigned count);
void mrct_judge_fini(struct check_judge *j);
/* Judges one frame of the feed. Returns 0, or -1 when memory fails. */
int mrct_judge_frame(struct check_judge *j, const struct mrct_feed *feed,
                     const struct mrct_capture_frame *f);
void mrct_judge_end(struct check_judge *j, uint64_t last_ns);

/* The tap of an interface: by option, by its own words, or the default. */
enum mrct_tap mrct_check_tap_of(const struct check_shared *s, const struct mrct_feed_iface *i,
                                size_t number);

/* Reads everything and fills r; *feed stays open for its interfaces. Returns an exit status, 0 when
 * there is something to report. */
struct check_run {
    struct check_shared shared;
    struct mrct_check_result r;
    struct mrct_req_result *reqs; /* owned; r.reqs */
    struct mrct_feed *feed;
    struct mrct_feed_config feed_cfg;
    int64_t offsets[2];
    char *spool; /* a copy of what cannot be read twice, for --out; removed at the end */
    const char *spooled[1];
    struct mrct_stats *stats;
    bool several; /* the input can be read more than once */
    struct mrct_term *term;
};
int mrct_check_read(struct check_run *c);
void mrct_check_run_fini(struct check_run *c);

/* After the reading: takes back what holes in the capture may have proven, and sums up the taps. */
int mrct_check_conclude(struct check_run *c, struct check_judge *judges, unsigned count);

/* Writes the capture again, with findings as comments. Returns an exit status. */
int mrct_check_write_out(struct check_run *c);
/* Behind the last frame: what the interfaces of a feed counted. */
struct mrct_pcapng;
void mrct_check_write_counts(struct mrct_pcapng *w, const struct mrct_feed *feed, uint64_t time_ns);
/* --fields: prints a line a frame. Returns an exit status. */
int mrct_check_fields(const struct check_options *o, const struct mrct_facts *facts,
                      const volatile sig_atomic_t *stop);

void mrct_check_junit(const struct mrct_check_result *r, FILE *out);
void mrct_check_html(const struct mrct_check_result *r, const struct mrct_check_show *show,
                     FILE *out);

int mrct_check_no_memory(void);

/* Progress on a terminal. */
struct check_progress {
    FILE *out; /* NULL: none */
    uint64_t start_ns, last_ns, frames;
};
void mrct_progress_begin(struct check_progress *p, FILE *out);
void mrct_progress_frame(struct check_progress *p, const struct mrct_feed *feed);
void mrct_progress_end(struct check_progress *p);

#endif
