/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct certify --live: the stage that cases are played on. */
#include "harness/cli/certify.h"

#include <inttypes.h>

static int enter(void *user, struct mrct_fab *fab, unsigned planes,
                 const struct mrc_wire_config *wire, struct mrct_dut *const dut[2], char *err,
                 size_t err_cap)
{
    return mrct_stage_enter(user, fab, planes, wire, dut, err, err_cap);
}

static uint64_t play(void *user, uint64_t limit_ns, void (*step)(void *run, uint64_t now_ns),
                     void *run, char *err, size_t err_cap)
{
    return mrct_stage_play(user, limit_ns, step, run, err, err_cap);
}

static unsigned planes_of(const struct mrct_certify *c)
{
    unsigned most = 1;
    for (size_t i = 0; i < c->plan.count; i++) {
        if (c->plan.taken[i] && c->plan.cases[i].fabric.planes > most) {
            most = c->plan.cases[i].fabric.planes;
        }
    }
    return most;
}

/* The line into the report; true when it is good. */
static bool keep_line(struct mrct_certify *c, unsigned host, unsigned plane, unsigned item,
                      const struct mrct_preflight_line *l)
{
    char text[300];
    (void)snprintf(text, sizeof text, "%-4s plane %u, host%u to the fabric, %s: %s",
                   l->good ? "ok" : "BAD", plane, host + 1,
                   mrct_preflight_item_str((enum mrct_preflight_item)item), l->words);
    c->network[c->network_count] = mrct_pool_strdup(&c->network_pool, text);
    if (c->network[c->network_count] == NULL) {
        return false;
    }
    if (!c->json) {
        printf("%s\n", c->network[c->network_count]);
    }
    c->network_count++;
    return l->good;
}

static int preflight(struct mrct_certify *c, struct mrct_stage *s, char *err, size_t cap)
{
    static const uint16_t path_mtu = 4096;
    struct mrct_preflight found[2][MRC_EP_PORTS_MAX];
    const unsigned planes = planes_of(c);
    const size_t lines = (size_t)2 * planes * MRCT_PREFLIGHT_ITEMS;
    c->network = mrct_pool_alloc(&c->network_pool, lines * sizeof *c->network);
    if (c->network == NULL) {
        (void)snprintf(err, cap, "out of memory");
        return -1;
    }
    if (mrct_stage_preflight(s, planes, path_mtu, found, err, cap) != 0) {
        return -1;
    }
    bool good = true;
    for (unsigned p = 0; p < planes; p++) {
        for (unsigned h = 0; h < 2; h++) {
            for (unsigned i = 0; i < MRCT_PREFLIGHT_ITEMS; i++) {
                good = keep_line(c, h, p, i, &found[h][p].line[i]) && good;
            }
        }
    }
    (void)snprintf(err, cap, "the wires do not carry what MRC needs, so nothing was judged");
    return good ? 0 : -1;
}

int mrct_certify_go_live(struct mrct_certify *c)
{
    char err[300];
    struct mrct_stage *const s = mrct_stage_new(err, sizeof err);
    mrct_pool_init(&c->network_pool);
    if (s == NULL) {
        return mrct_cli_fail("certify", "--live: %s", err);
    }
    c->stage = (struct mrct_run_stage){.user = s, .enter = enter, .play = play};
    c->cfg.stage = &c->stage;
    if (preflight(c, s, err, sizeof err) == 0) {
        return 0;
    }
    (void)mrct_cli_fail("certify", "--live: %s", err);
    mrct_certify_come_back(c);
    return MRCT_EXIT_HARNESS;
}

void mrct_certify_come_back(struct mrct_certify *c)
{
    if (c->cfg.stage == NULL) {
        return;
    }
    mrct_stage_free(c->stage.user);
    mrct_pool_fini(&c->network_pool);
    c->cfg.stage = NULL;
}

void mrct_certify_say_live(const struct mrct_certify *c)
{
    struct mrct_stage_times t;
    mrct_stage_times(c->stage.user, &t);
    printf("live: %" PRIu64 " frames through sockets; the cases took %.3f s, and their clock stood "
           "still for %.3f s\n",
           t.frames, (double)t.played_ns / 1e9, (double)t.stood_ns / 1e9);
}
