/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a fabric, what is attached to it, and its account. */
#include "harness/fabric/internal.h"

#include <stdlib.h>

void mrct_fab_config_default(struct mrct_fab_config *cfg)
{
    *cfg = (struct mrct_fab_config){
        .planes = 2,
        .paths = 4,
        .rate_bps = UINT64_C(100000000000),
        .latency_ns = 2000,
        .latency_step_ns = 100,
        .delay_max_ns = 20000,
    };
    mrc_wire_config_default(&cfg->wire);
}

static bool config_good(const struct mrct_fab_config *c)
{
    const uint64_t second_ns = UINT64_C(1000000000);
    return c->planes >= 1 && c->planes <= MRC_EP_PORTS_MAX && c->paths >= 1 &&
           c->paths <= MRCT_FAB_PATHS_MAX && (c->rate_bps == 0 || c->rate_bps >= 1000000) &&
           c->latency_ns <= 1000 * second_ns && c->latency_step_ns <= second_ns;
}

struct mrct_fab *mrct_fab_new(const struct mrct_fab_config *cfg, uint64_t seed)
{
    if (!config_good(cfg))
        return NULL;
    struct mrct_fab *const fab = calloc(1, sizeof *fab);
    if (fab == NULL)
        return NULL;
    fab->cfg = *cfg;
    mrct_rng_init(&fab->rng, seed);
    for (unsigned h = 0; h < MRCT_FAB_HOSTS; h++)
        fab->host[h].port_free_mask = (UINT64_C(1) << cfg->planes) - 1;
    if (mrct_fab_links_init(fab) != 0) {
        mrct_fab_free(fab);
        return NULL;
    }
    return fab;
}

void mrct_fab_free(struct mrct_fab *fab)
{
    if (fab == NULL)
        return;
    mrct_fab_links_fini(fab);
    mrct_fabq_fini(&fab->queue);
    mrct_fabpool_fini(&fab->pool);
    free(fab->rules);
    free(fab->flows);
    free(fab);
}

void mrct_fab_attach(struct mrct_fab *fab, unsigned host, struct mrct_dut *dut)
{
    fab->host[host].dut = dut;
}

void mrct_fab_set_tap(struct mrct_fab *fab, mrct_fab_tap tap, void *user)
{
    fab->tap = tap;
    fab->tap_user = user;
}

uint64_t mrct_fab_now(const struct mrct_fab *fab)
{
    return fab->now_ns;
}

const char *mrct_fab_error(const struct mrct_fab *fab)
{
    return fab->error;
}

void mrct_fab_account_get(const struct mrct_fab *fab, struct mrct_fab_account *a)
{
    *a = fab->account;
}

bool mrct_fab_account_balanced(const struct mrct_fab_account *a)
{
    return a->sent + a->duplicated == a->delivered + a->dropped_rule + a->dropped_random +
                                          a->dropped_link + a->dropped_queue + a->in_flight;
}
