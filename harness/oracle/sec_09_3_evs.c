/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 9.3: the rotation over EVs and planes, EVs that a report withdraws or leaves alone, and
 * ports that the peer reports down. All at the requestor's own tap. */
#include "harness/oracle/core.h"
#include "harness/oracle/path.h"
#include <inttypes.h>
#include <string.h>

#define MANY 256u /* requests from which a habit can be read */
#define EACH                                                                                       \
    60u /* uses of an EV, on average, from which they can be compared: a busy port is              \
           passed over, and an order stays for some rounds */
#define SIGNS_MIN 16u
#define LONG_NS   UINT64_C(1000000000) /* any device probes within a second */

/* Another QP of the host sends, too: then ports are busy in a rhythm of their own, and QPs that
 * take turns may keep to a plane each. */
static bool has_company(const struct look *l)
{
    for (size_t i = 0; i < l->o->flow_count; i++) {
        const struct flow *const f = l->o->flows[i];
        if (f != l->flow && f->path != NULL && f->path->total > SIGNS_MIN &&
            strcmp(f->requestor, l->flow->requestor) == 0)
            return true;
    }
    return false;
}

static bool is_controlled(const struct path_model *m)
{
    return m->controlled;
}

/* EVs may be withdrawn, whatever is lost. */
static bool is_told(const struct path_model *m)
{
    return m->any_always || m->told_ports || m->controlled;
}

static bool is_moved(const struct path_model *m)
{
    return m->any_loss || m->any_mark || m->any_trim || is_told(m);
}

static bool is_disturbed(const struct path_model *m)
{
    return m->any_again || m->any_mark || m->any_nack || is_told(m);
}

/* Whether it is so of the flow at hand, or of one that may share the states of its EVs. */
static bool so_of_any(const struct look *l, bool (*is)(const struct path_model *m))
{
    for (size_t i = 0; i < l->o->flow_count; i++)
        if (mrct_path_shares(l, l->o->flows[i]) && is(l->o->flows[i]->path))
            return true;
    return false;
}

/* The model where nothing moved any EV out of the rotation, else NULL. */
static const struct path_model *undisturbed(const struct look *l)
{
    const struct path_model *const m = l->flow->path;
    const bool enough = m->evs != NULL && !m->full && m->total >= MANY;
    return mrct_look_can_decide(l) && enough && l->flow->reqr->missing == 0 &&
                   !so_of_any(l, is_disturbed) && !has_company(l)
               ? m
               : NULL;
}

/* REQ-9.3-01: a plane with one EV says nothing, since the ports of the others may be busy. */
static void rotates(struct look *l)
{
    const struct path_model *const m = undisturbed(l);
    uint64_t total = m != NULL && m->plane_unknown ? m->total : 0;
    uint64_t repeats = m != NULL && m->plane_unknown ? m->repeats : 0;
    for (unsigned p = 0; m != NULL && !m->plane_unknown && p < PATH_PLANES; p++) {
        total += m->evs_on[p] > 1 ? m->total_on[p] : 0;
        repeats += m->evs_on[p] > 1 ? m->repeats_on[p] : 0;
    }
    if (m == NULL || total < MANY || m->ev_count < 2)
        return;
    if (repeats * 2 <= total)
        mrct_look_pass(l);
    else if (m->plane_unknown && repeats * 4 <= total * 3)
        mrct_look_missing(l, "plane");
    else
        mrct_look_fail_at(l, NULL, 0,
                          "%" PRIu64 " of %" PRIu64 " requests take the EV of the one before, "
                          "though %u EVs are in use",
                          repeats, total, m->ev_count);
}

/* REQ-9.3-02: within a plane, since a busy port is passed over. */
static void uses_equally(struct look *l)
{
    const struct path_model *const m = undisturbed(l);
    if (m == NULL || m->plane_unknown)
        return;
    for (uint32_t i = 0; i < m->cap; i++) {
        const struct path_ev *const e = &m->evs[i];
        if (!e->used || m->evs_on[e->plane] < 2)
            continue;
        const uint64_t average = m->total_on[e->plane] / m->evs_on[e->plane];
        if (average < EACH)
            continue;
        if (e->uses <= 4 * average && e->uses * 16 >= average) {
            mrct_look_pass(l);
            continue;
        }
        mrct_look_fail_at(l, NULL, 0,
                          "EV 0x%08X was used %" PRIu64 " times, the EVs of its plane on average "
                          "%" PRIu64 " times",
                          e->ev, e->uses, average);
        return;
    }
}

/* Every EV in use has come round often enough to be seen. */
static const struct path_model *all_seen(const struct look *l)
{
    const struct path_model *const m = undisturbed(l);
    if (m == NULL || m->planes < 2 || m->plane_unknown || m->total < (uint64_t)EACH * m->ev_count)
        return NULL;
    return m;
}

/* REQ-9.3-03 */
static void equal_numbers(struct look *l)
{
    const struct path_model *const m = all_seen(l);
    if (m == NULL)
        return;
    for (unsigned p = 0; p < m->planes; p++)
        if (m->total_on[p] < (uint64_t)EACH * m->evs_on[p] || m->evs_on[p] == 0)
            return; /* REQ-9.3-04's matter */
    for (unsigned p = 1; p < m->planes; p++)
        if (m->evs_on[p] != m->evs_on[0]) {
            mrct_look_fail_at(l, NULL, 0, "%u EVs are in use on plane 0, and %u on plane %u",
                              m->evs_on[0], m->evs_on[p], p);
            return;
        }
    mrct_look_pass(l);
}

/* REQ-9.3-04: a slow plane may carry less, but not next to nothing. */
static void all_planes(struct look *l)
{
    const struct path_model *const m = all_seen(l);
    if (m == NULL)
        return;
    for (unsigned p = 0; p < m->planes; p++)
        if (m->total_on[p] * 8 * m->planes < m->total) {
            mrct_look_fail_at(l, NULL, 0,
                              "%" PRIu64 " of %" PRIu64 " requests went by plane %u, of %u planes",
                              m->total_on[p], m->total, p, m->planes);
            return;
        }
    mrct_look_pass(l);
}

/* REQ-9.3-05 */
static void left_alone(struct look *l)
{
    const struct path_model *const m = l->flow->path;
    /* By several planes it takes as long as for a comparison: a busy port is passed over. */
    const uint64_t long_enough =
        m->planes == 1 ? 8u * m->ev_count + MANY : (uint64_t)EACH * m->ev_count;
    if (!mrct_look_can_decide(l) || m->evs == NULL || m->full || l->flow->reqr->missing != 0 ||
        so_of_any(l, is_moved))
        return;
    for (uint32_t i = 0; i < m->cap; i++) {
        const struct path_ev *const e = &m->evs[i];
        if (!e->used || e->named_frame == 0)
            continue;
        if (e->last_use > e->named_at)
            mrct_look_pass(l);
        else if (m->total - e->named_at >= long_enough)
            mrct_look_fail_at(l, &e->named_frame, 1,
                              "EV 0x%08X is used no more after this NACK, whose reason leaves it "
                              "alone",
                              e->ev);
    }
}

/* ---- REQ-9.3-06, 07: EVs that a report withdraws ---- */

/* So few are withdrawn that the device cannot be short of EVs. */
static bool can_spare(const struct look *l, const struct path_model *m)
{
    const int least = l->flow->fact.ev_min_active;
    const unsigned left = m->ev_count - m->bad_count;
    return least >= 0 ? left >= (unsigned)least : m->bad_count * 4 <= m->ev_count;
}

/*
 * A device keeps a least number of EVs in use, whatever becomes of them. So many others were in
 * use after this one was withdrawn, and not brought back by a probe, that it was not needed: how
 * many had timed out unseen does not matter then.
 */
static bool others_in_use(const struct look *l, const struct path_ev *e)
{
    const struct path_model *const m = l->flow->path;
    const int least = l->flow->fact.ev_min_active;
    unsigned others = 0;
    for (uint32_t i = 0; i < m->cap; i++) {
        const struct path_ev *const o = &m->evs[i];
        others += o->used && o != e && !o->late && !o->bad && o->last_use > e->late_total &&
                  o->answered_ns < e->late_ns;
    }
    return others + m->late_count >= m->ev_count && (int)others >= least;
}

static void bad_not_used(struct look *l)
{
    const struct path_model *const m = l->flow->path;
    if (m->bad_count == 0 || !mrct_reqr_is_sending(l->flow->reqr) || !mrct_look_can_decide(l))
        return;
    const struct path_ev *const e = mrct_path_find(m, l->obs->pkt.ev, mrct_path_plane(l));
    if (e == NULL || !e->bad) {
        if (can_spare(l, m))
            mrct_look_pass(l);
        return;
    }
    if (l->now_ns > e->bad_ns + l->cfg->reaction_ns && can_spare(l, m) &&
        !so_of_any(l, is_controlled) && !mrct_path_answered(l, e->ev, e->bad_ns))
        mrct_look_fail(l,
                       "EV 0x%08X carries data after the ALWAYS_SKIP in frame %" PRIu64
                       ", and no probe was answered since",
                       e->ev, e->bad_frame);
}

/* REQ-9.3-12: the requestor knows by itself that a packet timed out. */
static void late_not_used(struct look *l)
{
    const struct path_model *const m = l->flow->path;
    if (m->late_count == 0 || m->late_count * 4 > m->ev_count ||
        !mrct_reqr_is_sending(l->flow->reqr) || !mrct_look_can_decide(l) || mrct_reqr_unsure(l))
        return;
    const struct path_ev *const e = mrct_path_find(m, l->obs->pkt.ev, mrct_path_plane(l));
    if (e == NULL || !e->late)
        mrct_look_pass(l);
    else if (l->now_ns > e->late_ns + l->cfg->reaction_ns && !so_of_any(l, is_controlled) &&
             others_in_use(l, e) && !mrct_path_answered(l, e->ev, e->late_ns))
        mrct_look_fail(l,
                       "EV 0x%08X carries data; a packet timed out on it, sent again in frame "
                       "%" PRIu64 ", and no probe was answered since",
                       e->ev, e->late_frame);
}

static void bad_probed(struct look *l)
{
    const struct path_model *const m = l->flow->path;
    if (!mrct_look_can_decide(l) || l->obs->pkt.seth.pr ||
        l->obs->pkt.seth.m != MRC_M_ALWAYS_SKIP || m->bad_count != 0)
        return;
    mrct_look_due(l, l->now_ns + LONG_NS, m->restored, 0);
}

static void bad_probed_due(struct look *l, const struct due *d)
{
    const struct path_model *const m = l->flow->path;
    bool probed = m->restored > d->a;
    for (uint32_t i = 0; i < m->cap && !probed; i++)
        probed = m->evs[i].used && m->evs[i].bad && m->evs[i].probed;
    if (probed)
        mrct_look_pass(l);
    else if (m->bad_count != 0 && can_spare(l, m))
        mrct_look_fail(l, "an EV was told ALWAYS_SKIP, and no probe has gone by it in a second");
}

/* ---- REQ-9.3-08, 09: EVs that the rotation passes over once ---- */

static void passed_over(struct look *l, enum path_sign s)
{
    const struct path_model *const m = l->flow->path;
    const struct path_watch *const w = &m->watch[s];
    if (!mrct_look_can_decide(l) || !w->begun || w->signs < SIGNS_MIN || so_of_any(l, is_told))
        return;
    const struct path_ev *const e = mrct_path_find(m, w->ev, w->plane);
    uint64_t others = 0;
    unsigned count = 0;
    for (uint32_t i = 0; i < m->cap; i++) {
        const struct path_ev *const o = &m->evs[i];
        if (!o->used || o->plane != e->plane || o->base[s] == 0 || o->signs[PATH_MARK] != 0 ||
            o->signs[PATH_TRIM] != 0)
            continue;
        others += o->uses - o->base[s];
        count++;
    }
    const uint64_t uses = w->until - e->base[s];
    if (count == 0 || others < (uint64_t)SIGNS_MIN * count || uses < SIGNS_MIN)
        return;
    /* It is told of again and again: with each time passed over it falls behind the others. */
    if (uses * count * 10 <= others * 9)
        mrct_look_pass(l);
    else
        mrct_look_fail_at(l, &w->frame, 1,
                          "EV 0x%08X was told of %" PRIu64 " times and carried %" PRIu64
                          " requests meanwhile, the others %" PRIu64 " on average",
                          e->ev, w->signs, uses, others / count);
}

static void marked_passed_over(struct look *l)
{
    passed_over(l, PATH_MARK);
}

static void trimmed_passed_over(struct look *l)
{
    passed_over(l, PATH_TRIM);
}

/* ---- REQ-9.3-10, 11: ports that the peer reports ---- */

/* Elsewhere than at the requestor's tap nothing is known of planes: nothing is said. */
static bool planes_known(struct look *l)
{
    if (l->flow->path->plane_unknown)
        mrct_look_missing(l, "plane");
    return !l->flow->path->plane_unknown;
}

static void down_not_used(struct look *l)
{
    const struct path_model *const m = l->flow->path;
    if (m->down == 0 || !mrct_reqr_is_sending(l->flow->reqr) || !planes_known(l) ||
        l->now_ns <= m->told_ns + l->cfg->reaction_ns)
        return;
    const int plane = mrct_path_plane(l);
    const uint32_t have = (UINT32_C(1) << m->planes) - 1;
    if (plane < 0 || (have & ~m->down) == 0)
        return; /* none is left */
    if ((m->down >> plane & 1u) == 0)
        mrct_look_pass(l);
    else
        mrct_look_fail(
            l, "a request leaves by plane %d, which the peer reported down in frame %" PRIu64,
            plane, m->told_frame);
}

static void up_used_again(struct look *l)
{
    const struct path_model *const m = l->flow->path;
    const uint32_t back = m->was_down & ~m->down;
    if (back == 0 || m->planes == 0 || !planes_known(l) || m->any_loss ||
        m->since_told < 8u * m->ev_count + MANY)
        return;
    for (unsigned p = 0; p < m->planes; p++) {
        if ((back >> p & 1u) == 0)
            continue;
        if (m->since_on[p] != 0)
            mrct_look_pass(l);
        else
            mrct_look_fail_at(l, &m->told_frame, 1,
                              "plane %u was reported up again, and none of %" PRIu64
                              " requests went by it",
                              p, m->since_told);
    }
}

/* ---- REQ-7.4-23: probes and PSNs ---- */

static void probe_takes_no_psn(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m->now.class != REQR_FIRST || m->probes == 0 || m->now.stray || !mrct_look_can_decide(l))
        return;
    if (m->now.gap == 0)
        mrct_look_pass(l);
    else if (m->now.gap_proven && (uint32_t)m->now.gap == m->probes)
        mrct_look_fail(l, "%u PSNs are left out, as many as probes were sent", m->probes);
}

#define END(check_, req, fn)                                                                       \
    CHECK_ROW(check_, req, SCOPE_FLOW, 0, CHECK_NEEDS_COMPLETE, .on_end = (fn))

static const struct check rows[] = {
    CHECK_ROW("probe-takes-no-psn", "REQ-7.4-23", SCOPE_FLOW, WANT(KIND_REQUEST),
              CHECK_NEEDS_COMPLETE, .on_frame = probe_takes_no_psn),
    END("ev-rotates", "REQ-9.3-01", rotates),
    END("evs-used-equally", "REQ-9.3-02", uses_equally),
    END("evs-per-plane", "REQ-9.3-03", equal_numbers),
    END("all-planes-used", "REQ-9.3-04", all_planes),
    END("nack-leaves-ev-alone", "REQ-9.3-05", left_alone),
    CHECK_ROW("bad-ev-not-used", "REQ-9.3-06", SCOPE_FLOW, WANT(KIND_REQUEST), CHECK_NEEDS_COMPLETE,
              .on_frame = bad_not_used),
    CHECK_ROW("bad-ev-probed", "REQ-9.3-07", SCOPE_FLOW, WANT(KIND_SACK), CHECK_NEEDS_COMPLETE,
              .on_frame = bad_probed, .on_due = bad_probed_due),
    CHECK_ROW("late-ev-not-used", "REQ-9.3-12", SCOPE_FLOW, WANT(KIND_REQUEST),
              CHECK_NEEDS_COMPLETE, .on_frame = late_not_used),
    END("marked-ev-passed-over", "REQ-9.3-08", marked_passed_over),
    END("trimmed-ev-passed-over", "REQ-9.3-09", trimmed_passed_over),
    CHECK_ROW("down-plane-not-used", "REQ-9.3-10", SCOPE_FLOW, WANT(KIND_REQUEST),
              CHECK_NEEDS_COMPLETE, .on_frame = down_not_used),
    END("up-plane-used-again", "REQ-9.3-11", up_used_again),
};
const struct check_table mrct_checks_sec_09_3_evs = CHECK_TABLE(rows);
