/* SPDX-License-Identifier: BSD-2-Clause */
/* What became of every frame that met the fabric. */
#include "harness/cli/fabric.h"

#include <jansson.h>

typedef unsigned long long ull;

static double us(uint64_t ns)
{
    return (double)ns / 1000.0;
}

static double per_second(uint64_t n, uint64_t ns)
{
    return ns > 0 ? (double)n * 1e9 / (double)ns : 0.0;
}

/* Frames of the fabric and others that left by a side's port of a plane. */
static uint64_t left(const struct mrct_side_counters *c)
{
    return c->delivered + c->others_out;
}

static uint64_t by_links(const struct mrct_relay_sum *s)
{
    return s->fab.dropped_link + s->others_cut;
}

static void text_planes(const struct mrct_fabric_options *o, struct mrct_relay *r, FILE *out)
{
    for (unsigned p = 0; p < o->planes; p++) {
        for (unsigned s = 0; s < 2; s++) {
            const struct mrct_side_counters *const in = mrct_relay_side(r, s, p);
            const struct mrct_side_counters *const to = mrct_relay_side(r, 1 - s, p);
            fprintf(out, "plane %-2u %s -> %s: %llu in (%llu MRC), %llu out (%llu MRC)\n", p,
                    o->names[s][p], o->names[1 - s][p], (ull)in->in, (ull)in->mrc, (ull)left(to),
                    (ull)to->delivered);
        }
    }
}

static void text_faults(const struct mrct_case *faults, struct mrct_relay *r, FILE *out)
{
    const struct mrct_fab *const fab = mrct_relay_fab(r);
    for (size_t i = 0; i < faults->rule_count; i++) {
        const struct mrct_fault_rule *const rule = mrct_fab_rule(fab, (int)i);
        fprintf(out, "fault    '%s': %llu frames\n", rule->name, (ull)rule->hits);
    }
}

void mrct_fabric_text(const struct mrct_fabric_options *o, const struct mrct_case *faults,
                      struct mrct_relay *r, const char *why, FILE *out)
{
    struct mrct_relay_sum s;
    const struct mrct_spread *const added = mrct_relay_added(r);
    const struct mrc_net_stamps *const stamps = mrct_relay_stamps(r);
    mrct_relay_sum(r, &s);
    text_planes(o, r, out);
    text_faults(faults, r, out);
    fprintf(
        out,
        "account  %llu in + %llu duplicated = %llu out + %llu dropped by rules + %llu at random + "
        "%llu by links + %llu where the interface was gone + %llu under way%s%s\n",
        (ull)s.in, (ull)s.fab.duplicated, (ull)s.out, (ull)s.fab.dropped_rule,
        (ull)s.fab.dropped_random, (ull)by_links(&s), (ull)s.vanished, (ull)s.fab.in_flight,
        why != NULL ? ": does NOT add up, " : "", why != NULL ? why : "");
    fprintf(out,
            "changed  %llu corrupted, %llu marked, %llu trimmed, %llu delayed, %llu reordered\n",
            (ull)s.fab.corrupted, (ull)s.fab.marked, (ull)s.fab.trimmed, (ull)s.fab.delayed,
            (ull)s.fab.reordered);
    fprintf(out,
            "itself   lost %llu: %llu in a full ring, %llu too long, %llu refused by the kernel\n",
            (ull)mrct_relay_own_losses(&s), (ull)s.own_ring, (ull)s.own_long, (ull)s.own_refused);
    fprintf(out, "added    median %.1f us, p99 %.1f us, most %.1f us, over %llu frames\n",
            us(mrct_spread_at(added, 500)), us(mrct_spread_at(added, 990)), us(added->max_ns),
            (ull)added->count);
    fprintf(out, "speed    %.0f frames/s over %.3f s; %llu changes of interfaces\n",
            per_second(s.in, s.elapsed_ns), (double)s.elapsed_ns / 1e9, (ull)s.link_news);
    fprintf(out, "clock    stamps within %.3f us; longest from stamp to reading %.1f us\n",
            us(stamps->error_ns), us(stamps->latest_ns));
}

static json_t *json_planes(const struct mrct_fabric_options *o, struct mrct_relay *r)
{
    json_t *const list = json_array();
    for (unsigned p = 0; p < o->planes; p++) {
        for (unsigned s = 0; s < 2; s++) {
            const struct mrct_side_counters *const in = mrct_relay_side(r, s, p);
            const struct mrct_side_counters *const to = mrct_relay_side(r, 1 - s, p);
            const struct mrc_net_port_counters *const n = mrct_relay_port(r, s, p);
            json_array_append_new(
                list,
                json_pack("{s:i,s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "plane", (int)p, "from",
                          o->names[s][p], "to", o->names[1 - s][p], "in", (json_int_t)in->in,
                          "in_mrc", (json_int_t)in->mrc, "out", (json_int_t)left(to), "out_mrc",
                          (json_int_t)to->delivered, "ring_full", (json_int_t)n->rx_ring_full,
                          "too_long", (json_int_t)n->rx_cut, "giants", (json_int_t)n->rx_giants));
        }
    }
    return list;
}

static json_t *json_faults(const struct mrct_case *faults, struct mrct_relay *r)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < faults->rule_count; i++) {
        const struct mrct_fault_rule *const rule = mrct_fab_rule(mrct_relay_fab(r), (int)i);
        json_array_append_new(
            list, json_pack("{s:s,s:I}", "name", rule->name, "hits", (json_int_t)rule->hits));
    }
    return list;
}

static json_t *json_account(const struct mrct_relay_sum *s)
{
    const struct mrct_fab_account *const a = &s->fab;
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "in",
                     (json_int_t)s->in, "duplicated", (json_int_t)a->duplicated, "out",
                     (json_int_t)s->out, "dropped_rule", (json_int_t)a->dropped_rule,
                     "dropped_random", (json_int_t)a->dropped_random, "dropped_link",
                     (json_int_t)by_links(s), "vanished", (json_int_t)s->vanished, "under_way",
                     (json_int_t)a->in_flight, "corrupted", (json_int_t)a->corrupted, "marked",
                     (json_int_t)a->marked, "trimmed", (json_int_t)a->trimmed, "delayed",
                     (json_int_t)a->delayed, "reordered", (json_int_t)a->reordered);
}

int mrct_fabric_json(const struct mrct_fabric_options *o, const struct mrct_case *faults,
                     struct mrct_relay *r, int status, const char *why, FILE *out)
{
    struct mrct_relay_sum s;
    const struct mrct_spread *const added = mrct_relay_added(r);
    mrct_relay_sum(r, &s);
    json_t *const doc = json_pack(
        "{s:s,s:i,s:i,s:b,s:o,s:o,s:o,s:{s:I,s:I,s:I},s:{s:I,s:f,s:f,s:f},s:f,s:I,s:f}", "mrct",
        "fabric", "version", 1, "status", status, "balanced", (int)(why == NULL), "planes",
        json_planes(o, r), "faults", json_faults(faults, r), "account", json_account(&s),
        "lost_itself", "ring_full", (json_int_t)s.own_ring, "too_long", (json_int_t)s.own_long,
        "refused", (json_int_t)s.own_refused, "added_us", "frames", (json_int_t)added->count, "p50",
        us(mrct_spread_at(added, 500)), "p99", us(mrct_spread_at(added, 990)), "max",
        us(added->max_ns), "frames_per_s", per_second(s.in, s.elapsed_ns), "interface_changes",
        (json_int_t)s.link_news, "clock_error_us", us(mrct_relay_stamps(r)->error_ns));
    if (doc == NULL)
        return -1;
    const int e = json_dumpf(doc, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(doc);
    return e == 0 && fputc('\n', out) != EOF ? 0 : -1;
}
