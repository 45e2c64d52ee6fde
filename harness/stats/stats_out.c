/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics as JSON, CSV and text. */
#include "harness/stats/stats_priv.h"

#include <inttypes.h>

#define LINES_MAX 20u /* of a table on a terminal: JSON and CSV have all */

static const char *const state_names[] = {"good", "skip", "lost", "trimmed"};

/* ---- JSON ---- */

static int set(json_t *o, const char *key, json_t *value)
{
    return json_object_set_new(o, key, value);
}

static int count(json_t *o, const char *key, uint64_t v)
{
    return set(o, key, json_integer((json_int_t)v));
}

static json_t *times(const struct stats_rtt *r)
{
    json_t *const o = json_object();
    int bad = count(o, "count", r->count);
    bad |= count(o, "min_ns", r->min_ns);
    bad |= count(o, "p50_ns", mrct_rtt_quantile(r, 50));
    bad |= count(o, "p99_ns", mrct_rtt_quantile(r, 99));
    bad |= count(o, "max_ns", r->max_ns);
    (void)bad;
    return o;
}

static json_t *ev_json(const struct stats_ev *e)
{
    json_t *const o = json_object();
    int bad = count(o, "ev", e->ev);
    bad |= count(o, "packets", e->packets);
    bad |= count(o, "bytes", e->bytes);
    bad |= count(o, "retransmitted", e->retransmitted);
    bad |= count(o, "lost", e->lost);
    bad |= count(o, "marked", e->marked);
    bad |= count(o, "trimmed", e->trimmed);
    bad |= count(o, "skips", e->skips);
    bad |= set(o, "rtt", times(&e->rtt));
    (void)bad;
    return o;
}

static json_t *histogram(const uint64_t *buckets)
{
    json_t *const list = json_array();
    for (unsigned i = 0; i < STATS_REORDER; i++)
        json_array_append_new(list, json_integer((json_int_t)buckets[i]));
    return list;
}

static json_t *changes(const struct stats_flow *f)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < f->change_count; i++) {
        json_t *const o = json_object();
        count(o, "time_ns", f->changes[i].time_ns);
        count(o, "ev", f->changes[i].ev);
        set(o, "state", json_string(state_names[f->changes[i].state]));
        json_array_append_new(list, o);
    }
    return list;
}

static void flow_counts(const struct stats_flow *f, json_t *o)
{
    const struct {
        const char *key;
        uint64_t value;
    } rows[] = {{"packets", f->packets},
                {"bytes", f->bytes},
                {"payload_bytes", f->payload_bytes},
                {"new_payload_bytes", f->new_payload_bytes},
                {"retransmitted", f->retransmitted},
                {"marked", f->marked},
                {"trimmed", f->trimmed},
                {"sacks", f->sacks},
                {"nacks", f->nacks},
                {"acks", f->acks},
                {"probes", f->probes},
                {"window_max", f->flight_max},
                {"first_ns", f->first_ns},
                {"last_ns", f->last_ns}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        count(o, rows[i].key, rows[i].value);
}

static double mean(uint64_t sum, uint64_t n)
{
    return n == 0 ? 0 : (double)sum / (double)n;
}

static json_t *flow_json(const struct stats_flow *f)
{
    json_t *const o = json_object(), *const evs = json_array();
    set(o, "from", json_string(f->from));
    set(o, "to", json_string(f->to));
    count(o, "qp", f->dest_qp);
    set(o, "tap", json_string(mrct_tap_str(f->tap)));
    flow_counts(f, o);
    set(o, "goodput_bps", json_real(mrct_stats_goodput(f)));
    set(o, "window_mean", json_real(mean(f->flight_sum, f->flight_count)));
    set(o, "requests_per_sack", json_real(mean(f->requests_by_sack, f->sacks)));
    set(o, "sack_gap", times(&f->sack_gap));
    set(o, "rtt", times(&f->rtt));
    set(o, "reorder_distance_log2", histogram(f->reorder));
    set(o, "reorder_time_log2_us", histogram(f->reorder_time));
    for (size_t i = 0; i < f->ev_count; i++)
        json_array_append_new(evs, ev_json(&f->evs[i]));
    set(o, "evs", evs);
    set(o, "ev_states", changes(f));
    return o;
}

json_t *mrct_stats_json(const struct mrct_stats *s)
{
    json_t *const root = json_object(), *const flows = json_array(), *const hosts = json_array(),
                  *const planes = json_array();
    for (size_t i = 0; i < s->flow_count; i++)
        json_array_append_new(flows, flow_json(&s->flows[i]));
    for (size_t i = 0; i < s->host_count; i++) {
        json_t *const o = json_object();
        set(o, "host", json_string(s->hosts[i].name));
        count(o, "packets", s->hosts[i].packets);
        count(o, "bytes", s->hosts[i].bytes);
        json_array_append_new(hosts, o);
    }
    for (unsigned i = 0; i < STATS_PLANES_MAX; i++) {
        json_t *const o = json_object();
        count(o, "plane", i);
        count(o, "packets", s->planes[i].packets);
        count(o, "bytes", s->planes[i].bytes);
        count(o, "retransmitted", s->planes[i].retransmitted);
        count(o, "marked", s->planes[i].marked);
        count(o, "trimmed", s->planes[i].trimmed);
        if (s->planes[i].packets > 0)
            json_array_append_new(planes, o);
        else
            json_decref(o);
    }
    int bad = set(root, "connections", flows);
    bad |= set(root, "hosts", hosts);
    bad |= set(root, "planes", planes);
    bad |= count(root, "frames_of_more_connections", s->beyond);
    if (bad == 0)
        return root;
    json_decref(root);
    return NULL;
}

/* ---- CSV ---- */

static void csv_times(const struct stats_rtt *r, FILE *out)
{
    if (r->count == 0)
        fputs(",,", out);
    else
        fprintf(out, ",%" PRIu64 ",%" PRIu64, mrct_rtt_quantile(r, 50), mrct_rtt_quantile(r, 99));
}

void mrct_stats_csv(const struct mrct_stats *s, FILE *out)
{
    fputs("kind,from,to,qp,tap,ev,packets,bytes,goodput_bps,retransmitted,lost,marked,trimmed,"
          "sacks,nacks,rtt_p50_ns,rtt_p99_ns\n",
          out);
    for (size_t i = 0; i < s->flow_count; i++) {
        const struct stats_flow *const f = &s->flows[i];
        uint64_t lost = 0;
        for (size_t k = 0; k < f->ev_count; k++)
            lost += f->evs[k].lost;
        fprintf(out,
                "connection,%s,%s,%" PRIu32 ",%s,,%" PRIu64 ",%" PRIu64 ",%.0f,%" PRIu64 ",%" PRIu64
                ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                f->from, f->to, f->dest_qp, mrct_tap_str(f->tap), f->packets, f->bytes,
                mrct_stats_goodput(f), f->retransmitted, lost, f->marked, f->trimmed, f->sacks,
                f->nacks);
        csv_times(&f->rtt, out);
        fputc('\n', out);
        for (size_t k = 0; k < f->ev_count; k++) {
            const struct stats_ev *const e = &f->evs[k];
            fprintf(out,
                    "ev,%s,%s,%" PRIu32 ",%s,%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",,%" PRIu64
                    ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",,",
                    f->from, f->to, f->dest_qp, mrct_tap_str(f->tap), e->ev, e->packets, e->bytes,
                    e->retransmitted, e->lost, e->marked, e->trimmed);
            csv_times(&e->rtt, out);
            fputc('\n', out);
        }
    }
    for (size_t i = 0; i < s->host_count; i++)
        fprintf(out, "host,%s,,,,,%" PRIu64 ",%" PRIu64 ",,,,,,,,,\n", s->hosts[i].name,
                s->hosts[i].packets, s->hosts[i].bytes);
    for (unsigned i = 0; i < STATS_PLANES_MAX; i++)
        if (s->planes[i].packets > 0)
            fprintf(out,
                    "plane,%u,,,,,%" PRIu64 ",%" PRIu64 ",,%" PRIu64 ",,%" PRIu64 ",%" PRIu64
                    ",,,,\n",
                    i, s->planes[i].packets, s->planes[i].bytes, s->planes[i].retransmitted,
                    s->planes[i].marked, s->planes[i].trimmed);
}

/* ---- text ---- */

static void put_us(uint64_t ns, FILE *out)
{
    fprintf(out, "%" PRIu64 ".%" PRIu64, ns / 1000, ns % 1000 / 100);
}

static void text_times(const char *name, const struct stats_rtt *r, FILE *out)
{
    if (r->count == 0)
        return;
    fprintf(out, "    %s p50 ", name);
    put_us(mrct_rtt_quantile(r, 50), out);
    fputs(" us, p99 ", out);
    put_us(mrct_rtt_quantile(r, 99), out);
    fprintf(out, " us (%" PRIu64 " of them)\n", r->count);
}

/* A column of an EV's line; without a sample there is no time. */
static void text_quantile(const struct stats_rtt *r, unsigned percent, FILE *out)
{
    if (r->count == 0)
        fprintf(out, " %8s", "-");
    else
        fprintf(out, " %8.1f", (double)mrct_rtt_quantile(r, percent) / 1e3);
}

static void text_reorder(const struct stats_flow *f, FILE *out)
{
    bool any = false;
    for (unsigned i = 0; i < STATS_REORDER; i++)
        if (f->reorder[i] > 0) {
            fprintf(out, "%s %" PRIu64 " by %" PRIu64 "+",
                    any ? "," : "    reordered:", f->reorder[i], UINT64_C(1) << i);
            any = true;
        }
    fputs(any ? " PSNs\n" : "", out);
}

static void text_flow(const struct stats_flow *f, FILE *out)
{
    fprintf(out, "  %s -> %s QP 0x%" PRIx32 ": %" PRIu64 " packets, %" PRIu64 " bytes, ", f->from,
            f->to, f->dest_qp, f->packets, f->bytes);
    fprintf(out, "goodput %.3f Gbit/s\n", mrct_stats_goodput(f) / 1e9);
    fprintf(out,
            "    %" PRIu64 " retransmitted, %" PRIu64 " marked, %" PRIu64 " trimmed; %" PRIu64
            " SACK, %" PRIu64 " NACK, %" PRIu64 " ACK\n",
            f->retransmitted, f->marked, f->trimmed, f->sacks, f->nacks, f->acks);
    text_times("RTT", &f->rtt, out);
    text_times("between SACKs", &f->sack_gap, out);
    if (f->sacks > 0)
        fprintf(out, "    a SACK for %.1f requests; in flight up to %" PRIu64 ", %.1f on average\n",
                mean(f->requests_by_sack, f->sacks), f->flight_max,
                mean(f->flight_sum, f->flight_count));
    text_reorder(f, out);
    if (f->ev_count > 0)
        fputs("    EV          packets   again    lost  marked trimmed   p50 us   p99 us\n", out);
    for (size_t i = 0; i < f->ev_count && i < LINES_MAX; i++) {
        const struct stats_ev *const e = &f->evs[i];
        fprintf(out,
                "    0x%08" PRIx32 " %8" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %7" PRIu64,
                e->ev, e->packets, e->retransmitted, e->lost, e->marked, e->trimmed);
        text_quantile(&e->rtt, 50, out);
        text_quantile(&e->rtt, 99, out);
        fputc('\n', out);
    }
    if (f->ev_count > LINES_MAX)
        fprintf(out, "    and %zu more EVs (--json and --csv show all)\n", f->ev_count - LINES_MAX);
    if (f->change_count > 0)
        fprintf(out, "    %zu changes of what an EV is thought of (--json and --html show them)\n",
                f->change_count);
}

void mrct_stats_text(const struct mrct_stats *s, FILE *out)
{
    fputs("\nstatistics\n", out);
    for (size_t i = 0; i < s->flow_count && i < LINES_MAX; i++)
        text_flow(&s->flows[i], out);
    if (s->flow_count > LINES_MAX)
        fprintf(out, "  and %zu more connections\n", s->flow_count - LINES_MAX);
    for (size_t i = 0; i < s->host_count && i < LINES_MAX; i++)
        fprintf(out, "  host %s sent %" PRIu64 " packets, %" PRIu64 " bytes\n", s->hosts[i].name,
                s->hosts[i].packets, s->hosts[i].bytes);
    for (unsigned i = 0; i < STATS_PLANES_MAX; i++)
        if (s->planes[i].packets > 0)
            fprintf(out,
                    "  plane %u: %" PRIu64 " packets, %" PRIu64 " bytes, %" PRIu64
                    " retransmitted, %" PRIu64 " marked, %" PRIu64 " trimmed\n",
                    i, s->planes[i].packets, s->planes[i].bytes, s->planes[i].retransmitted,
                    s->planes[i].marked, s->planes[i].trimmed);
}
