/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mrct nscc FILE: replays congestion-control traces (JSON: configuration, events, the state wanted
 * after each) through the reference's NSCC and reports the first event that differs.
 */
#include "harness/cli/cli.h"
#include "ref/endpoint/nscc.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Windows are compared within this relative distance; all else exactly. */
static const double tolerance = 1e-6;

struct replay {
    const char *file;
    const char *trace; /* name of the trace in the file */
    size_t event;      /* index in the trace, from 0 */
};

static int bad_input(const struct replay *r, const char *key, const char *expected)
{
    fprintf(stderr, "mrct nscc: %s: trace '%s', event %zu: '%s': expected %s\n", r->file, r->trace,
            r->event, key, expected);
    return MRCT_EXIT_USAGE;
}

static bool get_number(const json_t *obj, const char *key, double *out)
{
    const json_t *v = json_object_get(obj, key);
    if (!json_is_number(v)) {
        return false;
    }
    *out = json_number_value(v);
    return true;
}

/* A count: a whole number that fits, 0 when the key is absent. */
static bool get_count(const json_t *obj, const char *key, uint64_t max, uint64_t *out)
{
    const json_t *v = json_object_get(obj, key);
    *out = 0;
    if (v == NULL) {
        return true;
    }
    if (json_is_boolean(v)) {
        *out = json_is_true(v) ? 1 : 0;
        return true;
    }
    if (!json_is_integer(v) || json_integer_value(v) < 0 || (uint64_t)json_integer_value(v) > max) {
        return false;
    }
    *out = (uint64_t)json_integer_value(v);
    return true;
}

static int start(struct replay *r, const json_t *trace, struct mrc_nscc *cc)
{
    const json_t *c = json_object_get(trace, "config");
    struct mrc_nscc_config cfg = {0};
    uint64_t mtu = 0, start_ns = 0;
    if (!get_number(c, "line_rate_bps", &cfg.line_rate_bps) || cfg.line_rate_bps <= 0) {
        return bad_input(r, "config.line_rate_bps", "bits per second");
    }
    if (!get_count(c, "base_rtt_ns", UINT32_MAX, &cfg.base_rtt_ns) || cfg.base_rtt_ns == 0) {
        return bad_input(r, "config.base_rtt_ns", "nanoseconds above 0");
    }
    if (!get_count(c, "target_delay_ns", UINT32_MAX, &cfg.target_delay_ns) ||
        cfg.target_delay_ns == 0) {
        return bad_input(r, "config.target_delay_ns", "nanoseconds above 0");
    }
    if (!get_count(c, "mtu", 65535, &mtu) || mtu == 0) {
        return bad_input(r, "config.mtu", "bytes, 1 to 65535");
    }
    if (!get_count(c, "start_ns", UINT64_MAX / 2, &start_ns)) {
        return bad_input(r, "config.start_ns", "nanoseconds");
    }
    cfg.mtu_bytes = (uint32_t)mtu;
    cfg.disable_qa = json_is_true(json_object_get(c, "disable_qa"));
    mrc_nscc_config_derive(&cfg);
    mrc_nscc_init(cc, &cfg, start_ns);
    double cwnd = 0;
    if (get_number(c, "initial_cwnd", &cwnd)) {
        cc->cwnd = cwnd;
    }
    return 0;
}

static int apply(struct replay *r, const json_t *ev, struct mrc_nscc *cc)
{
    const char *kind = json_string_value(json_object_get(ev, "ev"));
    const json_t *rtt = json_object_get(ev, "rtt_ns");
    uint64_t now = 0, size = 0, rcvd = 0, marked = 0, pen = 0, rc = 0, reason = 0;
    uint64_t rtt_ns = MRC_NSCC_NO_RTT;
    const struct {
        const char *key;
        uint64_t max;
        uint64_t *to;
    } counts[] = {
        {"t_ns", UINT64_MAX / 2, &now},
        {"size", UINT32_MAX, &size},
        {"newly_rcvd", UINT32_MAX, &rcvd},
        {"m", 1, &marked},
        {"pen", 127, &pen},
        {"rc", 1, &rc},
        {"reason", UINT8_MAX, &reason},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (!get_count(ev, counts[i].key, counts[i].max, counts[i].to)) {
            return bad_input(r, counts[i].key, "a whole number in range");
        }
    }
    if (rtt != NULL && !json_is_null(rtt) && !get_count(ev, "rtt_ns", UINT32_MAX, &rtt_ns)) {
        return bad_input(r, "rtt_ns", "nanoseconds or null");
    }
    if (kind == NULL) {
        return bad_input(r, "ev", "send, sack, nack or loss");
    }
    if (strcmp(kind, "send") == 0) {
        mrc_nscc_on_send(cc, (uint32_t)size);
    } else if (strcmp(kind, "loss") == 0) {
        mrc_nscc_on_loss(cc, (uint32_t)size);
    } else if (strcmp(kind, "nack") == 0) {
        const bool trimmed = reason == 1 || reason == 2;
        mrc_nscc_on_nack(cc, now, (uint32_t)size, trimmed, rtt_ns);
    } else if (strcmp(kind, "sack") == 0) {
        const struct mrc_nscc_sack s = {.newly_rcvd = (uint32_t)rcvd,
                                        .marked = marked != 0,
                                        .rtt_ns = rtt_ns,
                                        .rcv_cwnd_pen = (uint8_t)pen,
                                        .restore_cwnd = rc != 0};
        mrc_nscc_on_sack(cc, now, &s);
    } else {
        return bad_input(r, "ev", "send, sack, nack or loss");
    }
    return 0;
}

/* Compares what the trace wants with what is; a key that the trace leaves out is not compared. */
static int compare(const struct replay *r, const json_t *ev, const struct mrc_nscc *cc)
{
    const json_t *want = json_object_get(ev, "want");
    const struct {
        const char *key;
        double is;
        double within; /* relative */
    } values[] = {
        {"cwnd", cc->cwnd, tolerance},
        {"max_wnd", cc->max_wnd, tolerance},
        {"saved_cwnd", cc->saved_cwnd, tolerance},
        {"inflight", (double)cc->inflight, 0},
        {"base_rtt_ns", (double)cc->base_rtt_ns, 0},
    };
    const struct {
        const char *key;
        bool is;
    } flags[] = {
        {"increase_mode", cc->increase_mode},
        {"can_send", mrc_nscc_can_send(cc)},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        double wanted = 0;
        if (get_number(want, values[i].key, &wanted) &&
            fabs(values[i].is - wanted) > values[i].within * fabs(wanted)) {
            printf("%s: trace '%s', event %zu (%s at %lld ns): %s is %.6f, wanted %.6f\n", r->file,
                   r->trace, r->event, json_string_value(json_object_get(ev, "ev")),
                   (long long)json_integer_value(json_object_get(ev, "t_ns")), values[i].key,
                   values[i].is, wanted);
            return MRCT_EXIT_FAIL;
        }
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        const json_t *wanted = json_object_get(want, flags[i].key);
        if (json_is_boolean(wanted) && json_is_true(wanted) != flags[i].is) {
            printf("%s: trace '%s', event %zu: %s is %s, wanted %s\n", r->file, r->trace, r->event,
                   flags[i].key, flags[i].is ? "true" : "false",
                   json_is_true(wanted) ? "true" : "false");
            return MRCT_EXIT_FAIL;
        }
    }
    return 0;
}

static int replay_trace(struct replay *r, const json_t *trace)
{
    struct mrc_nscc cc;
    int status = start(r, trace, &cc);
    const json_t *events = json_object_get(trace, "events");
    for (r->event = 0; status == 0 && r->event < json_array_size(events); r->event++) {
        const json_t *ev = json_array_get(events, r->event);
        status = apply(r, ev, &cc);
        if (status == 0) {
            status = compare(r, ev, &cc);
        }
    }
    return status;
}

static int replay_file(const char *file)
{
    json_error_t err;
    json_t *root = json_load_file(file, 0, &err);
    if (root == NULL) {
        fprintf(stderr, "mrct nscc: %s:%d: %s\n", file, err.line > 0 ? err.line : 0, err.text);
        return MRCT_EXIT_USAGE;
    }
    struct replay r = {.file = file};
    int status = 0;
    size_t events = 0;
    if (!json_is_array(root) || json_array_size(root) == 0) {
        fprintf(stderr, "mrct nscc: %s:1: expected a list of traces\n", file);
        status = MRCT_EXIT_USAGE;
    }
    for (size_t i = 0; status == 0 && i < json_array_size(root); i++) {
        const json_t *trace = json_array_get(root, i);
        const char *name = json_string_value(json_object_get(trace, "name"));
        r.trace = name != NULL ? name : "?";
        status = replay_trace(&r, trace);
        events += json_array_size(json_object_get(trace, "events"));
    }
    if (status == 0) {
        printf("%zu traces, %zu events, all agree\n", json_array_size(root), events);
    }
    json_decref(root);
    return status;
}

int mrct_cmd_nscc(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        puts("usage: mrct nscc FILE\n"
             "Replays NSCC traces (JSON) through the reference congestion control. Exit status 0 "
             "when\n"
             "every event agrees, 1 with the first that differs, 2 when FILE is no such file.");
        return 0;
    }
    if (argc != 2 || argv[1][0] == '-') {
        fputs("mrct nscc: expected one FILE of traces; see mrct nscc --help\n", stderr);
        return MRCT_EXIT_USAGE;
    }
    return replay_file(argv[1]);
}
