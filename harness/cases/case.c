/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/case.h"

/* What a case gets that does not say otherwise. */
static const struct mrct_case_host host_default = {
    .path_mtu = 1024,
    .ip6 = true,
    .tseth = true,
    .ecn = true,
    .trimmable = true,
    .trim_nack = true,
    .evs = 8,
    .start_psn = -1,
    .mpr = 8,
    .max_wimm = 32,
    .told_mpr = -1,
    .told_max_wimm = -1,
    .timeout = 7, /* 131 us: well above the round trip of the default topology */
    .linear_cnt = 5,
    .exp_cnt = 7,
    .exp_ceiling_ns = 10000000,
    .cwnd_bytes = 262144,
    .cc = 'f',
    .q20 = 'b',
    .tseth_every = 1,
    .sack_threshold = 16384,
    .sack_min_pkt = 1024,
    .reorder_margin = 32,
    .dest_port = 4791,
    .q2 = 'b',
    .q26 = 'b',
    .q9 = 'a',
    .q10 = 'a',
    .q11 = 'a',
    .q17 = 'a',
    .q22 = 'a',
    .q25 = 'a',
};

static void expect_init(struct mrct_case_expect *e)
{
    *e = (struct mrct_case_expect){
        .all_success = true,
        .all_done = true,
        .qp_error = {-1, -1},
        .imm_min = -1,
        .imm_max = -1,
        .memory = true,
    };
}

void mrct_case_init(struct mrct_case *c)
{
    static char empty[] = "";
    *c = (struct mrct_case){
        .id = empty,
        .section = empty,
        .file = empty,
        .version = 1,
        .title = empty,
        .purpose = empty,
        .host = {host_default, host_default},
        .qps = 1,
        .limit_ns = 2000000000,
    };
    mrct_pool_init(&c->pool);
    mrct_fab_config_default(&c->fabric);
    c->fabric.planes = 1;
    c->fabric.paths = 4;
    c->fabric.latency_ns = 2000;
    expect_init(&c->expect);
}

void mrct_case_fini(struct mrct_case *c)
{
    mrct_pool_fini(&c->pool);
}

bool mrct_case_peer_misled(const struct mrct_case *c)
{
    if (c->script != NULL) {
        return true;
    }
    for (size_t i = 0; i < c->step_count; i++) {
        if (c->steps[i].kind == MRCT_STEP_INJECT) {
            return true;
        }
    }
    for (size_t i = 0; i < c->rule_count; i++) {
        if (c->rules[i].rule.mend_icrc) {
            return true; /* what the path changed looks as if its sender had written it */
        }
    }
    for (unsigned h = 0; h < 2; h++) {
        if (c->host[h].told_mpr >= 0 || c->host[h].told_max_wimm >= 0) {
            return true;
        }
    }
    return false;
}
