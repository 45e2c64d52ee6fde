/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 6.3.1: what becomes of a request by its PSN. */
#include "harness/oracle/resp.h"
#include <inttypes.h>

/* ---- placement, as told by events ---- */

static bool at_responder(const struct look *l, enum mrct_event_kind kind)
{
    return l->ev->kind == kind && !l->ev_at_requestor && mrct_look_can_decide(l);
}

/* The arrival that counted for psn, if it is still remembered. */
static const struct arrival *accepted_arrival(const struct resp_model *m, uint32_t psn)
{
    struct arrival_walk w = mrct_resp_walk(m, psn);
    for (const struct arrival *a; (a = mrct_resp_walk_next(m, &w)) != NULL;)
        if (a->cls == ARRIVAL_NEW)
            return a;
    return NULL;
}

static bool overlaps_dups(const struct resp_model *m, const struct mrct_event *ev)
{
    return m->any_dup_va && ev->va < m->dup_va_hi && m->dup_va_lo < ev->va + ev->len_bytes;
}

/* A region that is not as it must be, where nothing says how: a duplicate written again? */
static bool blames_duplicate(const struct resp_model *m, const struct mrct_event *ev)
{
    return m->dup_placed || (!m->any_mem_write && overlaps_dups(m, ev));
}

static void check_write(struct look *l)
{
    const struct mrct_event *const ev = l->ev;
    const struct arrival *const a = accepted_arrival(l->flow->resp, ev->psn & 0xFFFFFFu);
    if (ev->psn > 0xFFFFFFu || a == NULL || a->payload_len == 0)
        return; /* of one without bytes Q15 leaves open whether it was taken at all */
    if (a->va == ev->va && a->payload_len == ev->len_bytes) {
        mrct_look_pass(l);
        return;
    }
    mrct_look_fail_at(l, &a->frame_no, 1,
                      "PSN %u, %u bytes for 0x%" PRIx64 ", was placed as %u bytes at 0x%" PRIx64,
                      ev->psn, a->payload_len, a->va, ev->len_bytes, ev->va);
}

/* REQ-6.3.1-01 */
static void payload_placed(struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    if (at_responder(l, MRCT_EVENT_MEM_WRITE))
        check_write(l);
    if (!at_responder(l, MRCT_EVENT_MEM_CHECK))
        return;
    if (l->ev->ok)
        mrct_look_pass(l);
    else if (!blames_duplicate(m, l->ev))
        mrct_look_fail(l, "memory at 0x%" PRIx64 ", %u bytes, is not as it must be: %s", l->ev->va,
                       l->ev->len_bytes, l->ev->why != NULL ? l->ev->why : "it differs");
}

/* REQ-6.3.1-02 */
static void duplicate_not_placed(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    if (at_responder(l, MRCT_EVENT_MEM_WRITE) && m->synced && l->ev->psn <= 0xFFFFFFu) {
        struct psn_info *const i = mrct_resp_psn(m, mrct_resp_extend(m, l->ev->psn));
        if (i == NULL || i->state == RESP_NEVER)
            return;
        if (i->placed) {
            m->dup_placed = true;
            mrct_look_fail(l, "the payload of PSN %u was placed a second time", l->ev->psn);
        } else if (m->any_dup_va) {
            mrct_look_pass(l);
        }
        i->placed = true;
    }
    if (!at_responder(l, MRCT_EVENT_MEM_CHECK) || !overlaps_dups(m, l->ev))
        return;
    if (l->ev->ok)
        mrct_look_pass(l);
    else if (!m->dup_placed && !m->any_mem_write)
        mrct_look_fail(l,
                       "memory at 0x%" PRIx64 ", %u bytes, where duplicates came for, is not as it "
                       "must be: %s",
                       l->ev->va, l->ev->len_bytes, l->ev->why != NULL ? l->ev->why : "it differs");
}

static void without_events(struct look *l)
{
    if (!l->cfg->have_events && mrct_look_can_decide(l))
        mrct_look_unsure(l, "what is in memory is told by application events only");
}

static void dup_without_events(struct look *l)
{
    const enum arrival_class came = l->flow->resp->came;
    if (came == ARRIVAL_DUP || came == ARRIVAL_OLD)
        without_events(l);
}

/* ---- duplicates and the window ---- */

#define OLD_WORDS "no transport ACK for a duplicate below the expected PSN"

/* REQ-6.3.1-03 */
static void old_acked(struct look *l)
{
    if (!mrct_look_can_decide(l))
        return;
    if (!l->flow->resp->synced && l->kind == KIND_REQUEST)
        mrct_look_missing(l, "start_psn");
    mrct_duty_judge(l, DUTY_OLD_ACK, false, OLD_WORDS);
}

static void old_acked_end(struct look *l)
{
    if (mrct_look_can_decide(l))
        mrct_duty_judge(l, DUTY_OLD_ACK, true, OLD_WORDS);
}

static bool window_known(struct look *l)
{
    if (!l->flow->resp->synced)
        mrct_look_missing(l, "start_psn");
    else if (l->flow->fact.mpr < 0)
        mrct_look_missing(l, "mpr");
    else
        return true;
    return false;
}

/* REQ-6.3.1-04 */
static void beyond_not_recorded(struct look *l)
{
    const struct resp_model *const m = l->flow->resp;
    if (!mrct_look_can_decide(l) || !window_known(l) || m->seen[ARRIVAL_BEYOND] == 0)
        return;
    if ((m->view.causes & CAUSE_BEYOND) == 0) {
        mrct_look_pass(l);
        return;
    }
    mrct_resp_fail_cause(l, "it lay above the window when it came");
}

#define BEYOND_WORDS "no NACK for a request above the window"

/* REQ-6.3.1-05, the reading b of Q2 */
static void beyond_nacked(struct look *l)
{
    if (mrct_look_can_decide(l))
        mrct_duty_judge(l, DUTY_BEYOND_NACK, false, BEYOND_WORDS);
}

static void beyond_nacked_end(struct look *l)
{
    if (mrct_look_can_decide(l))
        mrct_duty_judge(l, DUTY_BEYOND_NACK, true, BEYOND_WORDS);
}

static const struct check checks[] = {
    CHECK_ROW("payload-placed", "REQ-6.3.1-01", SCOPE_FLOW, WANT(KIND_REQUEST), 0,
              .on_frame = without_events, .on_event = payload_placed),
    CHECK_ROW("duplicate-not-placed", "REQ-6.3.1-02", SCOPE_FLOW, WANT(KIND_REQUEST), 0,
              .on_frame = dup_without_events, .on_event = duplicate_not_placed),
    CHECK_ROW("old-duplicate-acked", "REQ-6.3.1-03", SCOPE_FLOW, WANT_DECODED, CHECK_NEEDS_COMPLETE,
              .on_frame = old_acked, .on_end = old_acked_end),
    CHECK_ROW("beyond-window-not-recorded", "REQ-6.3.1-04", SCOPE_FLOW, WANT_CONTROL,
              CHECK_NEEDS_COMPLETE, .on_frame = beyond_not_recorded),
    CHECK_ROW("beyond-window-nacked", "REQ-6.3.1-05", SCOPE_FLOW, WANT_DECODED,
              CHECK_NEEDS_COMPLETE, .on_frame = beyond_nacked, .on_end = beyond_nacked_end),
};

const struct check_table mrct_checks_sec_06_3_1_psn = CHECK_TABLE(checks);
