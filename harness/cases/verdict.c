/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/verdict.h"

#include "gen/mrc_req.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* True when the device plays the host of this index. */
static bool device_is(const struct mrct_case *c, unsigned host)
{
    return c->device == MRCT_DEVICE_BOTH || (c->device == MRCT_DEVICE_RESPONDER) == (host == 1);
}

enum mrct_blame mrct_verdict_blame(const struct mrct_case *c, const struct mrct_finding *f)
{
    if (f->host != NULL && strcmp(f->host, "host1") == 0) {
        return device_is(c, 0) ? MRCT_BLAME_DEVICE : MRCT_BLAME_PEER;
    }
    if (f->host != NULL && strcmp(f->host, "host2") == 0) {
        return device_is(c, 1) ? MRCT_BLAME_DEVICE : MRCT_BLAME_PEER;
    }
    if (f->host != NULL && strcmp(f->host, "sender or path") == 0) {
        return MRCT_BLAME_PATH; /* the sender's own tap tells whether it was the sender */
    }
    return MRCT_BLAME_DEVICE;
}

static void say(struct mrct_result_case *out, enum mrct_verdict v, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void say(struct mrct_result_case *out, enum mrct_verdict v, const char *fmt, ...)
{
    out->verdict = v;
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(out->why, sizeof out->why, fmt, ap);
    va_end(ap);
}

/* The earliest FAIL that is to blame on `who`, or NULL. */
static const struct mrct_finding *
first_fail(const struct mrct_case *c, const struct mrct_result_case *out, enum mrct_blame who)
{
    const struct mrct_finding *first = NULL;
    for (size_t i = 0; i < out->finding_count; i++) {
        const struct mrct_finding *const f = &out->findings[i].f;
        if (f->kind == MRCT_FINDING_FAIL && mrct_verdict_blame(c, f) == who &&
            (first == NULL || f->time_ns < first->time_ns)) {
            first = f;
        }
    }
    return first;
}

/* The oracle did not know that an agent failed or declined, and took the silence for the device's.
 */
static void take_back(struct mrct_result_case *out)
{
    for (size_t i = 0; i < out->finding_count; i++) {
        struct mrct_finding *const f = &out->findings[i].f;
        if (f->kind == MRCT_FINDING_FAIL || f->kind == MRCT_FINDING_WARN) {
            f->kind = MRCT_FINDING_INCONCLUSIVE;
        }
    }
    for (size_t i = 0; i < out->req_count; i++) {
        if (out->reqs[i].verdict == MRCT_FAIL) {
            out->reqs[i].verdict = MRCT_INCONCLUSIVE;
        }
    }
}

/* Before the harness's own faults, which may come of it. */
static bool judge_agents(const struct mrct_tally *t, struct mrct_result_case *out)
{
    if (t->broken != NULL) {
        say(out, MRCT_INCONCLUSIVE, "%s", t->broken);
    } else if (t->unsupported != NULL) {
        say(out, MRCT_NOT_APPLICABLE, "%s", t->unsupported);
        for (size_t i = 0; i < out->req_count; i++) {
            out->reqs[i].verdict = MRCT_NOT_APPLICABLE;
        }
    } else {
        return false;
    }
    take_back(out);
    return true;
}

static bool judge_faults(const struct mrct_case *c, const struct mrct_tally *t,
                         struct mrct_result_case *out)
{
    if (t->fault != NULL) {
        say(out, MRCT_ERROR, "%s", t->fault);
        return true;
    }
    /* A peer that errs after the device did has been misled by it. */
    const struct mrct_finding *const f = first_fail(c, out, MRCT_BLAME_PEER);
    const struct mrct_finding *const before = first_fail(c, out, MRCT_BLAME_DEVICE);
    if (f != NULL && !mrct_case_peer_misled(c) &&
        (before == NULL || f->time_ns < before->time_ns)) {
        say(out, MRCT_ERROR, "the reference peer broke %s: %s", f->requirement, f->why);
        return true;
    }
    return false;
}

static bool judge_findings(const struct mrct_case *c, struct mrct_result_case *out)
{
    const struct mrct_finding *const f = first_fail(c, out, MRCT_BLAME_DEVICE);
    if (f != NULL) {
        say(out, MRCT_FAIL, "%s: %s", f->requirement, f->why);
        return true;
    }
    return false;
}

static bool judge_stimulus(const struct mrct_case *c, const struct mrct_tally *t,
                           struct mrct_result_case *out)
{
    for (size_t i = 0; i < c->rule_count; i++) {
        if (t->rule_hits[i] < c->rules[i].hits_min) {
            say(out, MRCT_INCONCLUSIVE,
                "the fault '%s' met %" PRIu64 " packets where %" PRIu64 " were wanted",
                c->rules[i].rule.name, t->rule_hits[i], c->rules[i].hits_min);
            return true;
        }
    }
    if (t->steps_left > 0 && !t->cut_off) {
        say(out, MRCT_INCONCLUSIVE, "%" PRIu64 " steps of the traffic never started",
            t->steps_left);
        return true;
    }
    return false;
}

static bool judge_script(const struct mrct_tally *t, struct mrct_result_case *out)
{
    if (t->script_failed != NULL) {
        say(out, MRCT_FAIL, "%s", t->script_failed);
        return true;
    }
    if (t->script_unclear != NULL) {
        say(out, MRCT_INCONCLUSIVE, "%s", t->script_unclear);
        return true;
    }
    return false;
}

/* "3", "3 or more", or "3 to 5". */
static const char *due(uint64_t min, uint64_t max, char buf[64])
{
    if (min == max) {
        (void)snprintf(buf, 64, "%" PRIu64, min);
    } else if (max >= INT64_MAX) {
        (void)snprintf(buf, 64, "%" PRIu64 " or more", min);
    } else {
        (void)snprintf(buf, 64, "%" PRIu64 " to %" PRIu64, min, max);
    }
    return buf;
}

static bool judge_writes(const struct mrct_case *c, const struct mrct_tally *t,
                         struct mrct_result_case *out)
{
    const struct mrct_case_expect *const e = &c->expect;
    uint64_t done = 0;
    for (size_t i = 0; i < MRCT_WC_STATUSES; i++) {
        done += t->done[i];
    }
    const char *const when =
        t->cut_off ? "at the end of the case's time" : "when all had come to rest";
    if (e->all_done && done < t->writes) {
        say(out, MRCT_FAIL, "%" PRIu64 " of %" PRIu64 " writes had completed %s", done, t->writes,
            when);
        return true;
    }
    if (e->all_success && t->done[MRC_WC_SUCCESS] < t->writes) {
        say(out, MRCT_FAIL, "%" PRIu64 " of %" PRIu64 " writes completed with success",
            t->done[MRC_WC_SUCCESS], t->writes);
        return true;
    }
    for (size_t i = 0; i < MRCT_WC_STATUSES && !e->all_success; i++) {
        if (t->done[i] < e->done_min[i] || t->done[i] > e->done_max[i]) {
            char words[64];
            say(out, MRCT_FAIL, "%" PRIu64 " writes completed with '%s', due were %s", t->done[i],
                mrc_wc_status_str((enum mrc_wc_status)i),
                due(e->done_min[i], e->done_max[i], words));
            return true;
        }
    }
    return false;
}

static bool judge_immediates(const struct mrct_case *c, const struct mrct_tally *t,
                             struct mrct_result_case *out)
{
    if (t->imm_wrong != NULL) {
        say(out, MRCT_FAIL, "%s", t->imm_wrong);
        return true;
    }
    const bool all = c->expect.imm_min < 0;
    const uint64_t min = all ? t->immediates_posted : (uint64_t)c->expect.imm_min;
    const uint64_t max = all ? t->immediates_posted : (uint64_t)c->expect.imm_max;
    if (t->immediates < min || t->immediates > max) {
        char words[64];
        say(out, MRCT_FAIL, "%" PRIu64 " immediates were delivered, due were %s", t->immediates,
            due(min, max, words));
        return true;
    }
    return false;
}

static bool judge_qps(const struct mrct_case *c, const struct mrct_tally *t,
                      struct mrct_result_case *out)
{
    for (unsigned h = 0; h < 2; h++) {
        const int want = c->expect.qp_error[h];
        const int got = t->qp_error[h];
        if (want == got || want == MRCT_QP_ERROR_ANY) {
            continue;
        }
        if (got < 0) {
            say(out, MRCT_FAIL, "the QP of host%u did not go to ERROR, '%s' was due", h + 1,
                mrc_wc_status_str((enum mrc_wc_status)want));
        } else {
            say(out, MRCT_FAIL, "the QP of host%u went to ERROR with '%s', %s%s%s was due", h + 1,
                mrc_wc_status_str((enum mrc_wc_status)got), want < 0 ? "none" : "'",
                want < 0 ? "" : mrc_wc_status_str((enum mrc_wc_status)want), want < 0 ? "" : "'");
        }
        return true;
    }
    return false;
}

static bool judge_frames(const struct mrct_case *c, const struct mrct_tally *t,
                         struct mrct_result_case *out)
{
    for (size_t i = 0; i < c->expect.frame_count; i++) {
        const struct mrct_expect_frames *const f = &c->expect.frames[i];
        if (t->frames[i] < f->min || t->frames[i] > f->max) {
            const char *const name = mrc_opcode_str((uint8_t)f->opcode);
            char words[64];
            say(out, MRCT_FAIL, "host%u sent %" PRIu64 " packets '%s', due were %s", f->host + 1,
                t->frames[i], name != NULL ? name : "?", due(f->min, f->max, words));
            return true;
        }
    }
    return false;
}

static bool judge_exercised(const struct mrct_case *c, const struct mrct_tally *t,
                            struct mrct_result_case *out)
{
    for (size_t i = 0; i < c->requirement_count; i++) {
        if (t->exercised[i] == 0) {
            say(out, MRCT_INCONCLUSIVE, "%s was not exercised: its condition was never seen",
                c->requirements[i]);
            return true;
        }
    }
    return false;
}

static bool failed(const struct mrct_case *c, const struct mrct_result_case *out, const char *id)
{
    for (size_t i = 0; i < out->finding_count; i++) {
        const struct mrct_finding *const f = &out->findings[i].f;
        if (f->kind == MRCT_FINDING_FAIL && strcmp(f->requirement, id) == 0 &&
            mrct_verdict_blame(c, f) == MRCT_BLAME_DEVICE) {
            return true;
        }
    }
    return false;
}

static void judge_requirements(const struct mrct_case *c, const struct mrct_tally *t,
                               struct mrct_result_case *out)
{
    for (size_t i = 0; i < c->requirement_count; i++) {
        struct mrct_result_req *const r = &out->reqs[i];
        *r = (struct mrct_result_req){.id = c->requirements[i], .exercised = t->exercised[i]};
        if (failed(c, out, r->id)) {
            r->verdict = MRCT_FAIL;
        } else if (r->exercised == 0) {
            r->verdict = MRCT_INCONCLUSIVE;
        } else {
            r->verdict = MRCT_PASS;
        }
    }
    out->req_count = c->requirement_count;
}

/* Memory is judged before a missed stimulus: no fault excuses bytes that nobody wrote. */
static bool judge_memory(const struct mrct_case *c, const struct mrct_tally *t,
                         struct mrct_result_case *out)
{
    if (c->expect.memory && t->memory_wrong != NULL) {
        say(out, MRCT_FAIL, "%s", t->memory_wrong);
        return true;
    }
    return false;
}

/* What came to nothing because of it is no news. */
static bool judge_stopped(const struct mrct_tally *t, struct mrct_result_case *out)
{
    if (t->stopped != NULL) {
        say(out, MRCT_INCONCLUSIVE, "%s", t->stopped);
    }
    return t->stopped != NULL;
}

/* What comes before the traffic must have gone well, or the case was not tried. */
static bool judge_preamble(const struct mrct_tally *t, struct mrct_result_case *out)
{
    if (t->before_done < t->before) {
        say(out, MRCT_INCONCLUSIVE,
            "the preamble failed: %" PRIu64 " of its %" PRIu64 " writes completed with success",
            t->before_done, t->before);
        return true;
    }
    return false;
}

/* What comes after it shows that the device is as it was. */
static bool judge_postamble(const struct mrct_tally *t, struct mrct_result_case *out)
{
    if (t->after_done < t->after) {
        say(out, MRCT_INCONCLUSIVE,
            "the postamble failed: %" PRIu64 " of its %" PRIu64 " writes completed with success",
            t->after_done, t->after);
        return true;
    }
    return false;
}

static bool judge_clock(const struct mrct_case *c, const struct mrct_tally *t,
                        struct mrct_result_case *out)
{
    if (c->expect.has_pace && t->clock_error_ns > c->expect.margin_ns) {
        say(out, MRCT_INCONCLUSIVE,
            "the harness's own clock may err by %" PRIu64 " ns, the margin is %" PRIu64 " ns",
            t->clock_error_ns, c->expect.margin_ns);
        return true;
    }
    return false;
}

static bool judge_pace(const struct mrct_case *c, const struct mrct_tally *t,
                       struct mrct_result_case *out)
{
    const struct mrct_case_expect *const e = &c->expect;
    if (!e->has_pace) {
        return false;
    }
    if (judge_clock(c, t, out)) {
        return true;
    }
    if (t->body_ns + e->margin_ns < e->time_min_ns ||
        (e->time_max_ns != UINT64_MAX && t->body_ns > e->time_max_ns + e->margin_ns)) {
        char words[64];
        say(out, MRCT_FAIL,
            "the traffic took %" PRIu64 " ns, due were %s ns, with a margin of %" PRIu64 " ns",
            t->body_ns, due(e->time_min_ns, e->time_max_ns, words), e->margin_ns);
        return true;
    }
    const uint64_t ns = t->body_ns > e->margin_ns ? t->body_ns - e->margin_ns : 1;
    const double bps = (double)t->body_bytes * 8e9 / (double)ns;
    if (bps < (double)e->goodput_bps) {
        say(out, MRCT_FAIL,
            "%" PRIu64 " bytes in %" PRIu64 " ns are %.0f Mbit/s, due were %" PRIu64 " Mbit/s",
            t->body_bytes, t->body_ns, bps / 1e6, e->goodput_bps / 1000000u);
        return true;
    }
    return false;
}

/* What whoever ordered the run looked at besides. */
static bool judge_close(const struct mrct_tally *t, struct mrct_result_case *out)
{
    if (t->wrong != NULL) {
        say(out, MRCT_FAIL, "%s", t->wrong);
        return true;
    }
    return false;
}

void mrct_verdict_case(const struct mrct_case *c, const struct mrct_tally *t,
                       struct mrct_result_case *out)
{
    judge_requirements(c, t, out);
    if (judge_agents(t, out) || judge_faults(c, t, out) || judge_findings(c, out) ||
        judge_stopped(t, out) || judge_preamble(t, out) || judge_memory(c, t, out) ||
        judge_script(t, out) || judge_stimulus(c, t, out) || judge_writes(c, t, out) ||
        judge_immediates(c, t, out) || judge_qps(c, t, out) || judge_frames(c, t, out) ||
        judge_exercised(c, t, out) || judge_pace(c, t, out) || judge_postamble(t, out) ||
        judge_close(t, out)) {
        return;
    }
    out->verdict = MRCT_PASS;
    out->why[0] = '\0';
}
