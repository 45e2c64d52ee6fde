/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 9.3, what a device is asked from outside: EVs that its controller denies, and ports of
 * its own that go down or come up. Only the harness, or the device's agent, knows of these. */
#include "harness/oracle/path.h"
#include <inttypes.h>

/* ---- REQ-9.3-16: a denied EV carries no data ---- */

static const struct path_denied *denied_for(const struct look *l, int plane)
{
    const struct path_model *const m = l->flow->path;
    for (unsigned i = 0; i < m->denied_count; i++)
        if (m->denied[i].ev == l->obs->pkt.ev && m->denied[i].plane == plane)
            return &m->denied[i];
    return NULL;
}

static void denied_not_used(struct look *l)
{
    const struct path_model *const m = l->flow->path;
    if (m->denied_count == 0 || !mrct_reqr_is_sending(l->flow->reqr) || !mrct_look_can_decide(l))
        return;
    const int plane = mrct_path_plane(l);
    const struct path_denied *const d = denied_for(l, plane);
    if (plane == MRCT_UNKNOWN)
        mrct_look_missing(l, "plane");
    else if (d == NULL)
        mrct_look_pass(l);
    else if (l->now_ns > d->ns + l->cfg->reaction_ns + l->obs->time_err_ns &&
             m->ev_count > m->denied_count)
        mrct_look_fail(
            l, "EV 0x%08X of plane %d carries data; its controller denied it %" PRIu64 " ns before",
            d->ev, plane, l->now_ns - d->ns);
}

/* ---- REQ-9.3-19: a port that goes down or comes up is told to the peers ---- */

/* A port is up at both ends, by which it can be told. */
static bool can_tell(const struct path_model *m)
{
    return (((UINT32_C(1) << m->planes) - 1) & ~(m->own_down | m->down)) != 0;
}

/* What changes back soon may go untold. */
static void port_changed(struct look *l)
{
    struct path_model *const m = l->flow->path;
    if (!l->ev_at_requestor || l->ev->kind != MRCT_EVENT_PORT || !mrct_look_can_decide(l))
        return;
    const bool soon = m->port_ns != 0 && l->now_ns <= m->port_ns + l->cfg->reaction_ns;
    m->port_ns = l->now_ns;
    if (!soon && can_tell(m))
        mrct_look_due(l, mrct_look_reaction(l), l->now_ns, 0);
}

static void port_told_due(struct look *l, const struct due *d)
{
    const struct path_model *const m = l->flow->path;
    if (m->told_own_ns >= d->a)
        mrct_look_pass(l);
    else if (m->port_ns == d->a && can_tell(m) && !l->flow->reqr->qp_error)
        mrct_look_fail(l, "a port went down or came up, and no Port Status Update says so");
}

static const struct check rows[] = {
    CHECK_ROW("denied-ev-not-used", "REQ-9.3-16", SCOPE_FLOW, WANT(KIND_REQUEST), 0,
              .on_frame = denied_not_used),
    CHECK_ROW("port-change-told", "REQ-9.3-19", SCOPE_FLOW, 0, CHECK_NEEDS_COMPLETE,
              .on_event = port_changed, .on_due = port_told_due),
};
const struct check_table mrct_checks_sec_09_3_control = CHECK_TABLE(rows);
