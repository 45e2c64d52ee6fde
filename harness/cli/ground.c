/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/ground.h"

#include "harness/cases/case_live.h"
#include "harness/live/field.h"

/* What a device may be late by when its machine has other things to do. */
#define SLACK_NS UINT64_C(250000000)

struct ground {
    struct mrct_field *field;
    uint64_t quiet_ns;
};

static int enter(void *user, struct mrct_fab *fab, unsigned planes,
                 const struct mrc_wire_config *wire, struct mrct_dut *const dut[2], char *err,
                 size_t err_cap)
{
    const struct ground *const g = user;
    return mrct_field_enter(g->field, fab, planes, wire, dut, err, err_cap);
}

static uint64_t play(void *user, uint64_t limit_ns, void (*step)(void *run, uint64_t now_ns),
                     void *run, char *err, size_t err_cap)
{
    const struct ground *const g = user;
    return mrct_field_play(g->field, limit_ns, g->quiet_ns, step, run, err, err_cap);
}

static uint64_t tap_error_ns(const void *user)
{
    const uint64_t late_ns = mrct_field_late(((const struct ground *)user)->field);
    return late_ns > MRCT_FIELD_CLOCK_ERROR_NS ? late_ns : MRCT_FIELD_CLOCK_ERROR_NS;
}

/* The addresses of a device by plane; false: its manifest leaves them to us. */
static bool addresses(const struct mrct_manifest *m, struct mrc_addr addr[MRC_EP_PORTS_MAX])
{
    bool all = m->port_count > 0;
    for (unsigned i = 0; i < m->port_count; i++) {
        all = all && m->ports[i].has_addr && m->ports[i].plane < m->port_count;
        if (all)
            addr[m->ports[i].plane] = m->ports[i].addr;
    }
    return all;
}

void mrct_ground_run(const struct mrct_run_config *cfg, const struct mrct_device *const at[2],
                     const struct mrct_case *c, struct mrct_pool *pool,
                     struct mrct_result_case *out)
{
    struct mrct_run_config live_cfg = *cfg;
    struct mrct_field_config ways = {.planes = {0, 0}};
    struct mrct_case_live live = {.own = {at[0] != NULL, at[1] != NULL}};
    struct mrc_addr addr[2][MRC_EP_PORTS_MAX];
    struct mrct_case slow;
    struct ground g = {0};
    char err[300];
    for (unsigned h = 0; h < 2; h++) {
        if (at[h] == NULL)
            continue;
        ways.planes[h] = live.planes[h] = at[h]->manifest.port_count;
        for (unsigned p = 0; p < ways.planes[h]; p++)
            ways.ifname[h][p] = mrct_device_way(at[h], p);
        live.addr[h] = addresses(&at[h]->manifest, addr[h]) ? addr[h] : NULL;
        live_cfg.addr[h] = live.addr[h];
    }
    const char *const why = mrct_case_not_live(c, &live);
    if (why != NULL) {
        mrct_run_not_applicable(cfg, c, why, pool, out);
        return;
    }
    g.field = mrct_field_new(&ways, err, sizeof err);
    if (g.field == NULL) {
        mrct_run_not_applicable(cfg, c, err, pool, out);
        out->verdict = MRCT_ERROR;
        return;
    }
    mrct_case_slowed(c, &slow, &g.quiet_ns);
    const struct mrct_run_stage stage = {.user = &g,
                                         .slack_ns = SLACK_NS,
                                         .tap_error_ns = tap_error_ns,
                                         .enter = enter,
                                         .play = play};
    live_cfg.stage = &stage;
    live_cfg.reaction_ns = SLACK_NS;
    mrct_run_case(&live_cfg, &slow, pool, out);
    mrct_field_free(g.field);
}
