/* SPDX-License-Identifier: BSD-2-Clause */
/* NSCC against traces of another implementation: configuration, events, the state after each. */
#include "ref/endpoint/nscc.h"
#include "tests/endpoint/suites.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

#define VECTORS   "tests/data/vectors/nscc.json"
#define TOLERANCE 1e-6

static double number(const json_t *obj, const char *key, double otherwise)
{
    const json_t *v = json_object_get(obj, key);
    if (json_is_boolean(v))
        return json_is_true(v);
    return json_is_number(v) ? json_number_value(v) : otherwise;
}

static void start(struct mrc_nscc *cc, const json_t *c)
{
    struct mrc_nscc_config cfg = {
        .line_rate_bps = number(c, "line_rate_bps", 0),
        .base_rtt_ns = (uint64_t)number(c, "base_rtt_ns", 0),
        .target_delay_ns = (uint64_t)number(c, "target_delay_ns", 0),
        .mtu_bytes = (uint32_t)number(c, "mtu", 0),
        .disable_qa = number(c, "disable_qa", 0) != 0,
    };
    mrc_nscc_config_derive(&cfg);
    mrc_nscc_init(cc, &cfg, (uint64_t)number(c, "start_ns", 0));
    cc->cwnd = number(c, "initial_cwnd", cc->cwnd);
}

static void apply(struct mrc_nscc *cc, const json_t *e)
{
    const char *kind = json_string_value(json_object_get(e, "ev"));
    const uint64_t now = (uint64_t)number(e, "t_ns", 0);
    const uint32_t size = (uint32_t)number(e, "size", 0);
    const double rtt = number(e, "rtt_ns", -1);
    const uint64_t rtt_ns = rtt < 0 ? MRC_NSCC_NO_RTT : (uint64_t)rtt;
    const double reason = number(e, "reason", 0);
    if (strcmp(kind, "send") == 0)
        mrc_nscc_on_send(cc, size);
    else if (strcmp(kind, "loss") == 0)
        mrc_nscc_on_loss(cc, size);
    else if (strcmp(kind, "nack") == 0)
        mrc_nscc_on_nack(cc, now, size, reason == 1 || reason == 2, rtt_ns);
    else
        mrc_nscc_on_sack(cc, now,
                         &(struct mrc_nscc_sack){
                             .newly_rcvd = (uint32_t)number(e, "newly_rcvd", 0),
                             .marked = number(e, "m", 0) != 0,
                             .rtt_ns = rtt_ns,
                             .rcv_cwnd_pen = (uint8_t)number(e, "pen", 0),
                             .restore_cwnd = number(e, "rc", 0) != 0,
                         });
}

static void compare(const struct mrc_nscc *cc, const json_t *want, const char *trace, size_t event)
{
    const struct {
        const char *key;
        double is, within;
    } values[] = {
        {"cwnd", cc->cwnd, TOLERANCE},
        {"max_wnd", cc->max_wnd, TOLERANCE},
        {"saved_cwnd", cc->saved_cwnd, TOLERANCE},
        {"inflight", (double)cc->inflight, 0},
        {"base_rtt_ns", (double)cc->base_rtt_ns, 0},
        {"increase_mode", cc->increase_mode, 0},
        {"can_send", mrc_nscc_can_send(cc), 0},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const double wanted = number(want, values[i].key, values[i].is);
        ck_assert_msg(fabs(values[i].is - wanted) <= values[i].within * fabs(wanted),
                      "trace %s, event %zu: %s is %f, wanted %f", trace, event, values[i].key,
                      values[i].is, wanted);
    }
}

/* REQ-8-02 REQ-8-03 REQ-8-04: every event of every trace. */
START_TEST(vectors)
{
    json_t *root = json_load_file(VECTORS, 0, NULL);
    size_t events = 0;
    ck_assert_ptr_nonnull(root);
    for (size_t i = 0; i < json_array_size(root); i++) {
        const json_t *trace = json_array_get(root, i);
        const json_t *list = json_object_get(trace, "events");
        struct mrc_nscc cc;
        start(&cc, json_object_get(trace, "config"));
        for (size_t k = 0; k < json_array_size(list); k++, events++) {
            const json_t *e = json_array_get(list, k);
            apply(&cc, e);
            compare(&cc, json_object_get(e, "want"),
                    json_string_value(json_object_get(trace, "name")), k);
        }
    }
    json_decref(root);
    ck_assert_uint_ge(events, 8000);
}
END_TEST

static void init(struct mrc_nscc *cc, uint64_t max_cwnd)
{
    struct mrc_nscc_config cfg = {
        .line_rate_bps = 100e9, .base_rtt_ns = 10000, .target_delay_ns = 7500, .mtu_bytes = 4096};
    mrc_nscc_config_derive(&cfg);
    cfg.max_cwnd_bytes = max_cwnd;
    mrc_nscc_init(cc, &cfg, 0);
}

/* A configured ceiling holds at the start and when base_rtt moves; one below a packet is a packet.
 */
START_TEST(ceiling)
{
    struct mrc_nscc cc;
    init(&cc, 0);
    ck_assert_double_eq_tol(cc.max_wnd, 187500, 1);
    init(&cc, 50000);
    ck_assert_double_eq_tol(cc.max_wnd, 50000, 1);
    ck_assert_double_eq_tol(cc.cwnd, 50000, 1);
    mrc_nscc_on_sack(&cc, 1000, &(struct mrc_nscc_sack){.rtt_ns = 2000});
    ck_assert_double_eq_tol(cc.max_wnd, 37500, 1);
    init(&cc, 1);
    ck_assert_double_eq_tol(cc.max_wnd, 4096, 1);
}
END_TEST

TCase *tcase_nscc(void)
{
    TCase *tc = tcase_create("nscc");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, vectors);
    tcase_add_test(tc, ceiling);
    return tc;
}
