/* SPDX-License-Identifier: BSD-2-Clause */
/* What mrct check prints as JSON. */
#include "harness/cli/check.h"

#include "harness/cli/check_cover.h"
#include "harness/report/json.h"
#include "harness/stats/stats.h"
#include <string.h>

static int set(json_t *o, const char *key, json_t *value)
{
    return json_object_set_new(o, key, value);
}

static json_t *number(uint64_t v)
{
    return json_integer((json_int_t)v);
}

/* ---- health ---- */

static json_t *ifaces(const struct mrct_check_result *r, int *bad)
{
    json_t *const list = json_array();
    const size_t n = r->feed == NULL ? 0 : mrct_feed_iface_count(r->feed);
    for (size_t i = 0; i < n; i++) {
        const struct mrct_feed_iface *const f = mrct_feed_iface(r->feed, i);
        json_t *const o = json_object();
        *bad |= set(o, "name", mrct_json_text(f->name));
        *bad |= set(o, "frames", number(f->frames));
        if (f->have_counts)
            *bad |= set(o, "dropped", number(f->dropped));
        *bad |= json_array_append_new(list, o);
    }
    return list;
}

static json_t *gaps(const struct mrct_check_result *r, int *bad)
{
    json_t *const list = json_array();
    for (unsigned t = 0; t < MRCT_TAPS; t++) {
        const struct mrct_gaps *const g = &r->health.gaps[t];
        if ((r->taps >> t & 1u) == 0)
            continue;
        json_t *const o = json_object();
        *bad |= set(o, "tap", json_string(mrct_tap_str((enum mrct_tap)t)));
        *bad |= set(o, "connections", number(g->flows));
        *bad |= set(o, "missing_requests", number(g->missing));
        *bad |= set(o, "one_sided_connections", number(g->one_sided));
        *bad |= set(o, "unpaired_frames", number(g->unpaired));
        *bad |= set(o, "proves_absence",
                    json_boolean(!mrct_health_lossy(&r->health, (enum mrct_tap)t)));
        *bad |= json_array_append_new(list, o);
    }
    return list;
}

static json_t *health(const struct mrct_check_result *r, int *bad)
{
    static const char *const orders[] = {"kept", "sorted", "clock stepped"};
    const struct mrct_health *const h = &r->health;
    json_t *const o = json_object();
    *bad |= set(o, "dropped", number(h->dropped));
    *bad |= set(o, "cut_frames", number(h->snapped));
    *bad |= set(o, "cut_file", json_boolean(h->cut_file));
    *bad |= set(o, "stopped", json_boolean(r->stopped));
    *bad |= set(o, "backward_times", number(h->times.backward));
    *bad |= set(o, "backward_max_ns", number(h->times.back_max_ns));
    *bad |= set(o, "order", json_string(orders[h->order]));
    *bad |= set(o, "interfaces", ifaces(r, bad));
    *bad |= set(o, "taps", gaps(r, bad));
    if (h->merged && h->offset_known) {
        *bad |= set(o, "clock_offset_ns", json_integer((json_int_t)h->offset_ns));
        *bad |= set(o, "seen_at_both", number(h->offset_pairs));
        *bad |= set(o, "least_delay_ns", number(h->delay_ns));
    }
    return o;
}

/* ---- requirements ---- */

static json_t *cases_of(const struct mrct_check_show *show, const char *id, int *bad)
{
    json_t *const list = json_array();
    size_t at = 0;
    for (const char *c; (c = mrct_check_cases_next(show->cases, id, &at)) != NULL;)
        *bad |= json_array_append_new(list, mrct_json_text(c));
    return list;
}

static json_t *requirement(const struct mrct_req_result *q, const struct mrct_check_show *show,
                           int *bad)
{
    const bool met = mrct_check_met(q);
    json_t *const o = json_object();
    *bad |= set(o, "id", json_string(q->requirement));
    *bad |= set(o, "verdict",
                json_string(met ? mrct_verdict_str(mrct_check_verdict(q)) : "NEVER REACHED"));
    *bad |= set(o, "exercised", number(q->exercised));
    *bad |= set(o, "failed", number(q->failed));
    *bad |= set(o, "warned", number(q->warned));
    *bad |= set(o, "inconclusive", number(q->inconclusive));
    if (!met && show->cases != NULL)
        *bad |= set(o, "cases", cases_of(show, q->requirement, bad));
    return o;
}

static json_t *requirements(const struct mrct_check_result *r, const struct mrct_check_show *show,
                            int *bad)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < r->req_count; i++)
        *bad |= json_array_append_new(list, requirement(&r->reqs[i], show, bad));
    return list;
}

int mrct_check_json_with(const struct mrct_check_result *r, const struct mrct_check_show *show,
                         FILE *out)
{
    json_t *const root = json_object();
    json_t *const findings = json_array();
    const bool several = (r->taps & (r->taps - 1)) != 0;
    int bad = set(root, "frames", number(r->frames));
    for (size_t i = 0; i < r->findings.count; i++)
        bad |= json_array_append_new(
            findings, mrct_json_finding(&r->findings.list[i],
                                        several ? mrct_tap_str(r->findings.taps[i]) : NULL));
    bad |= set(root, "findings", findings);
    if (r->findings.not_kept > 0)
        bad |= set(root, "findings_left_out", number(r->findings.not_kept));
    if (show != NULL && show->health)
        bad |= set(root, "health", health(r, &bad));
    if (show != NULL && show->coverage)
        bad |= set(root, "requirements", requirements(r, show, &bad));
    if (show != NULL && show->stats && show->statistics != NULL)
        bad |= set(root, "statistics", mrct_stats_json(show->statistics));
    const int status = bad != 0 ? -1 : mrct_json_write(root, out);
    json_decref(root);
    return status;
}

int mrct_check_json(const struct mrct_check_result *r, FILE *out)
{
    return mrct_check_json_with(r, NULL, out);
}
