/* SPDX-License-Identifier: BSD-2-Clause */
/* What only the whole case can tell, in whatever order its keys stand. */
#include "harness/cases/case_parts.h"

#include <inttypes.h>

static int verify_steps(struct mrct_load *l, const struct mrct_case *c)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < c->step_count; i++) {
        const struct mrct_step *const s = &c->steps[i];
        if (s->qp > c->qps) {
            return mrct_case_fail_line(l, s->line, "qp: %u was given, but the case has %u", s->qp,
                                       c->qps);
        }
        if (s->kind == MRCT_STEP_WRITE) {
            bytes += (uint64_t)s->count * s->size;
        }
        if (bytes > MRCT_CASE_SIZE_MAX) {
            return mrct_case_fail_line(l, s->line, "the writes carry more than %" PRIu32 " bytes",
                                       MRCT_CASE_SIZE_MAX);
        }
        if (s->kind == MRCT_STEP_WRITE && s->target != MRCT_TARGET_GOOD && s->count != 1) {
            return mrct_case_fail_line(l, s->line, "count: 1 was expected with a target not good");
        }
        if (s->kind == MRCT_STEP_EV_REPLACE && c->host[s->host].ev_source == MRCT_EVS_LIST) {
            return mrct_case_fail_line(l, s->line,
                                       "ev_replace: the host's EVs stand in no profile");
        }
        if ((s->kind == MRCT_STEP_PORT || s->kind == MRCT_STEP_EV_STATE ||
             s->kind == MRCT_STEP_EV_REPLACE) &&
            (s->plane >= c->fabric.planes || s->ev >= c->host[s->host].evs)) {
            return mrct_case_fail_line(l, s->line, "there is no such plane or EV");
        }
        if (s->kind == MRCT_STEP_INJECT &&
            (s->inject.plane >= c->fabric.planes || s->inject.ev >= c->host[s->host].evs)) {
            return mrct_case_fail_line(l, s->line, "inject: no such plane or EV");
        }
    }
    return 0;
}

static int verify_rules(struct mrct_load *l, const struct mrct_case *c)
{
    for (size_t i = 0; i < c->rule_count; i++) {
        const struct mrct_case_rule *const r = &c->rules[i];
        const struct mrct_fault_match *const m = &r->rule.match;
        if (m->plane >= (int)c->fabric.planes) {
            return mrct_case_fail_line(l, r->line, "plane: %d was given, but there are %u from 0",
                                       m->plane, c->fabric.planes);
        }
        if (m->path >= (int)c->fabric.paths) {
            return mrct_case_fail_line(l, r->line, "path: %d was given, but there are %u from 0",
                                       m->path, c->fabric.paths);
        }
        if (r->qp > (int)c->qps) {
            return mrct_case_fail_line(l, r->line, "qp: %d was given, but the case has %u", r->qp,
                                       c->qps);
        }
        if ((r->ev_index >= 0 || r->qp >= 0) && m->direction == MRCT_ANY) {
            return mrct_case_fail_line(l, r->line, "direction: ev and qp need one");
        }
        if (r->ev_index >= 0 && r->ev_index >= (int)c->host[m->direction].evs) {
            return mrct_case_fail_line(l, r->line, "ev: %d was given, but there are %u from 0",
                                       r->ev_index, c->host[m->direction].evs);
        }
    }
    return 0;
}

static int verify_links(struct mrct_load *l, const struct mrct_case *c)
{
    for (size_t i = 0; i < c->link_count; i++) {
        if (c->links[i].plane >= c->fabric.planes || c->links[i].path >= (int)c->fabric.paths) {
            return mrct_case_fail_line(l, 1, "links: entry %zu names a plane or path that is not",
                                       i + 1);
        }
    }
    return 0;
}

static int verify_evs(struct mrct_load *l, const struct mrct_case *c)
{
    for (unsigned h = 0; h < 2; h++) {
        const struct mrct_case_host *const host = &c->host[h];
        if (!c->host[0].ip6 && host->ev_source == MRCT_EVS_AUTO &&
            host->ev_format == MRCT_EV_STRUCTURED) {
            return mrct_case_fail_line(l, 1, "ev_source: auto EVs over IPv4 need ev_format: udp");
        }
        if (host->ev_format != MRCT_EV_SRV6 && host->ev_format != MRCT_EV_SRV6_SRH) {
            continue;
        }
        if (!c->host[0].ip6) {
            return mrct_case_fail_line(l, 1, "ev_format: SRv6 needs ip: 6");
        }
        if (host->ev_source == MRCT_EVS_LIST) {
            return mrct_case_fail_line(l, 1, "ev_format: SRv6 needs an ev_source of a profile");
        }
    }
    return 0;
}

int mrct_case_verify(struct mrct_load *l, const struct mrct_case *c)
{
    if (verify_evs(l, c) != 0) {
        return -1;
    }
    if (verify_steps(l, c) != 0 || verify_rules(l, c) != 0) {
        return -1;
    }
    return verify_links(l, c);
}
