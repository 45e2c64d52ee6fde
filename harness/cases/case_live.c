/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/case_live.h"

#define TIMEOUT_MIN     19u /* 537 ms: what a busy machine is late by is no loss */
#define CEILING_MIN_NS  UINT64_C(2000000000)
#define QUIET_MIN_NS    UINT64_C(150000000)
#define QUIET_MAX_NS    UINT64_C(1500000000)
#define TIMEOUT_UNIT_NS UINT64_C(1024)

/* ---- what cannot be played ---- */

static const char *of_steps(const struct mrct_case *c, const struct mrct_case_live *live)
{
    for (size_t i = 0; i < c->step_count; i++) {
        const struct mrct_step *const s = &c->steps[i];
        if (s->when == MRCT_WHEN_AT) {
            return "the case does something at an exact time, and a device on ports of its own "
                   "keeps "
                   "its own time";
        }
        if (s->kind == MRCT_STEP_INJECT && live->own[s->host]) {
            return "the case lets the device's own NIC send crafted packets, which takes a device "
                   "in "
                   "virtual time";
        }
        if (s->kind == MRCT_STEP_OVERWRITE) {
            return "the case changes the device's memory between two packets, which takes exact "
                   "virtual time";
        }
    }
    return NULL;
}

static const char *of_ports(const struct mrct_case *c, const struct mrct_case_live *live)
{
    for (unsigned h = 0; h < 2; h++) {
        if (live->own[h] && live->planes[h] < c->fabric.planes) {
            return "the device has fewer ports than the case has planes";
        }
        for (unsigned p = 0; live->own[h] && live->addr[h] != NULL && p < c->fabric.planes; p++) {
            if (live->addr[h][p].is_v6 != c->host[0].ip6) {
                return "the device has no address of the case's IP version";
            }
        }
    }
    return NULL;
}

const char *mrct_case_not_live(const struct mrct_case *c, const struct mrct_case_live *live)
{
    if (c->exact_time || c->expect.has_pace) {
        return "the case rests on exact times, which only virtual time keeps";
    }
    if (c->link_count > 0) {
        return "the case cuts links at exact times, which only virtual time keeps";
    }
    const char *const why = of_steps(c, live);
    return why != NULL ? why : of_ports(c, live);
}

/* ---- slower ---- */

void mrct_case_slowed(const struct mrct_case *c, struct mrct_case *slow, uint64_t *quiet_ns)
{
    uint64_t longest_ns = QUIET_MIN_NS;
    *slow = *c;
    for (unsigned h = 0; h < 2; h++) {
        struct mrct_case_host *const host = &slow->host[h];
        host->timeout = host->timeout > TIMEOUT_MIN ? host->timeout : TIMEOUT_MIN;
        if (host->exp_ceiling_ns < CEILING_MIN_NS) {
            host->exp_ceiling_ns = CEILING_MIN_NS;
        }
        const uint64_t twice_ns = 2 * (TIMEOUT_UNIT_NS << host->timeout);
        longest_ns = twice_ns > longest_ns ? twice_ns : longest_ns;
    }
    slow->limit_ns = MRCT_CASE_LIMIT_NS;
    *quiet_ns = longest_ns < QUIET_MAX_NS ? longest_ns : QUIET_MAX_NS;
}
