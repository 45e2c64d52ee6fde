/* SPDX-License-Identifier: BSD-2-Clause */
/* One judge: frames decoded, counted, and shown to the oracle of their tap. */
#include "harness/cli/check_run.h"

#include "harness/stats/stats.h"
#include "harness/trace/decap.h"
#include <stdlib.h>
#include <string.h>

/* ---- taps ---- */

static bool rule_names(const struct tap_rule *t, const char *name)
{
    return strlen(name) == t->len && strncmp(name, t->iface, t->len) == 0;
}

static const char *base_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool rule_matches(const struct tap_rule *t, const struct mrct_feed_iface *i, size_t number)
{
    char text[24];
    snprintf(text, sizeof(text), "%zu", number);
    return rule_names(t, i->name) || rule_names(t, i->description) || rule_names(t, i->comment) ||
           rule_names(t, text) || rule_names(t, i->file) || rule_names(t, base_name(i->file));
}

/* Words that whoever made the capture wrote: the last one in "NIC of host1, the requestor". */
static bool tap_in(const char *words, enum mrct_tap *tap)
{
    if (strstr(words, "requestor") != NULL)
        *tap = MRCT_TAP_REQUESTOR;
    else if (strstr(words, "responder") != NULL)
        *tap = MRCT_TAP_RESPONDER;
    else
        return false;
    return true;
}

enum mrct_tap mrct_check_tap_of(const struct check_shared *s, const struct mrct_feed_iface *i,
                                size_t number)
{
    const struct check_options *const o = s->opt;
    enum mrct_tap tap;
    for (unsigned k = 0; k < o->tap_count; k++)
        if (rule_matches(&o->taps[k], i, number))
            return o->taps[k].tap;
    if (!o->have_tap &&
        (tap_in(i->name, &tap) || tap_in(i->description, &tap) || tap_in(i->comment, &tap)))
        return tap;
    return s->default_tap;
}

static int learn_taps(struct check_judge *j, const struct mrct_feed *feed, size_t upto)
{
    enum mrct_tap *const more = realloc(j->taps, (upto + 1) * sizeof(*more));
    if (more == NULL)
        return -1;
    j->taps = more;
    for (; j->tap_room <= upto; j->tap_room++)
        more[j->tap_room] =
            mrct_check_tap_of(j->shared, mrct_feed_iface(feed, j->tap_room), j->tap_room);
    return 0;
}

/* ---- oracles ---- */

static void keep_finding(void *user, const struct mrct_finding *f)
{
    const struct judge_sink *const s = user;
    mrct_findings_add_at(&s->judge->r.findings, f, s->tap);
}

static struct mrct_oracle *oracle_of(struct check_judge *j, enum mrct_tap tap)
{
    if (j->oracles[tap] != NULL)
        return j->oracles[tap];
    struct mrct_oracle_config cfg = j->shared->opt->cfg;
    j->sinks[tap] = (struct judge_sink){.judge = j, .tap = tap};
    cfg.facts = j->shared->facts;
    cfg.tap = tap;
    cfg.on_finding = keep_finding;
    cfg.user = &j->sinks[tap];
    cfg.side = &j->sides[tap];
    j->oracles[tap] = mrct_oracle_new(&cfg);
    j->no_memory |= j->oracles[tap] == NULL;
    return j->oracles[tap];
}

int mrct_judge_init(struct check_judge *j, const struct check_shared *shared, unsigned index,
                    unsigned count)
{
    memset(j, 0, sizeof(*j));
    j->shared = shared;
    j->index = index;
    j->count = count;
    j->peek = (struct mrct_peek){.facts = shared->facts, .judges = count};
    if (shared->keep_stats)
        j->stats = mrct_stats_new(shared->facts);
    return shared->keep_stats && j->stats == NULL ? -1 : 0;
}

void mrct_judge_fini(struct check_judge *j)
{
    for (unsigned t = 0; t < MRCT_TAPS; t++)
        mrct_oracle_free(j->oracles[t]);
    mrct_stats_free(j->stats);
    mrct_findings_fini(&j->r.findings);
    mrct_talks_fini(&j->r.talks);
    free(j->taps);
    memset(j, 0, sizeof(*j));
}

/* ---- frames ---- */

#define ICRC_QUESTION 6

/* Q6 leaves open what the ICRC covers in SRv6 mode. Where nobody chose, one that fits the other
 * reading proves the bytes; that it is no good under this one is for REQ-6-12 to tell. */
static enum mrc_wire_error other_icrc(const struct check_judge *j, struct mrct_obs *obs,
                                      const uint8_t *bytes)
{
    const struct mrct_oracle_config *const cfg = &j->shared->opt->cfg;
    struct mrc_wire_config wire = j->shared->facts->wire;
    struct mrc_pkt other;
    if (!obs->pkt.has_outer || cfg->strict || cfg->reading[ICRC_QUESTION] != 0)
        return MRC_WIRE_BAD_ICRC;
    wire.q6_icrc = wire.q6_icrc == 'a' ? 'b' : 'a';
    if (mrc_pkt_decode(&wire, bytes, obs->cap_len, obs->wire_len, true, &other) != MRC_WIRE_OK)
        return MRC_WIRE_BAD_ICRC;
    other.icrc_state = obs->pkt.icrc_state;
    other.icrc_expected = obs->pkt.icrc_expected;
    obs->pkt = other;
    return MRC_WIRE_OK;
}

static enum mrc_wire_error decode(const struct check_judge *j, struct mrct_obs *obs,
                                  const uint8_t *bytes)
{
    const enum mrc_wire_error err = mrc_pkt_decode(&j->shared->facts->wire, bytes, obs->cap_len,
                                                   obs->wire_len, true, &obs->pkt);
    return err == MRC_WIRE_BAD_ICRC ? other_icrc(j, obs, bytes) : err;
}

/* What is no MRC may carry a frame that is: then true. */
static bool decode_any(struct check_judge *j, struct mrct_obs *obs, const uint8_t *bytes)
{
    struct mrct_inner inner;
    obs->err = decode(j, obs, bytes);
    if (obs->err != MRC_WIRE_NOT_MRC)
        return false;
    const enum mrct_tunnel t = mrct_decap(bytes, obs->cap_len, obs->wire_len, &inner);
    if (t == MRCT_TUNNEL_NONE)
        return false;
    obs->cap_len = inner.cap_len;
    obs->wire_len = inner.wire_len;
    obs->err = decode(j, obs, inner.bytes);
    if (obs->err != MRC_WIRE_NOT_MRC)
        j->r.health.tunnelled[t]++;
    return true;
}

static void take(struct check_judge *j, const struct mrct_obs *obs, enum mrct_tap tap)
{
    struct mrct_check_result *const r = &j->r;
    r->by_error[obs->err]++;
    r->taps |= 1u << tap;
    r->mrc++;
    if (MRC_PKT_HAS(&obs->pkt, BTH))
        r->by_opcode[obs->pkt.bth.opcode]++;
    r->health.snapped += obs->cap_len < obs->pkt.wire_len;
    r->talks.frame_no = obs->frame_no;
    mrct_talks_frame(&r->talks, j->shared->facts, &obs->pkt);
    if (j->stats != NULL)
        mrct_stats_frame(j->stats, obs, tap);
}

int mrct_judge_frame(struct check_judge *j, const struct mrct_feed *feed,
                     const struct mrct_capture_frame *f)
{
    struct mrct_check_result *const r = &j->r;
    if (f->iface >= j->tap_room && learn_taps(j, feed, f->iface) != 0)
        return -1;
    const enum mrct_tap tap = j->taps[f->iface];
    struct mrct_oracle *const o = oracle_of(j, tap);
    if (o == NULL)
        return -1;
    if (j->count > 1 && mrct_peek_owner(&j->peek, f) != j->index) {
        mrct_oracle_clock(o, f->time_ns);
        return 0;
    }
    const struct mrct_obs *const seen = mrct_oracle_quick(o, f);
    if (seen != NULL) {
        take(j, seen, tap);
        return j->no_memory ? -1 : 0;
    }
    struct mrct_obs obs = {.time_ns = f->time_ns,
                           .frame_no = f->frame_no,
                           .cap_len = f->cap_len,
                           .wire_len = f->wire_len};
    const bool inner = decode_any(j, &obs, f->bytes);
    if (obs.err == MRC_WIRE_NOT_MRC) {
        r->by_error[obs.err]++;
        mrct_oracle_clock(o, f->time_ns);
        return 0;
    }
    take(j, &obs, tap);
    mrct_oracle_frame(o, &obs);
    if (!inner)
        mrct_oracle_remember(o, f, &obs);
    return j->no_memory ? -1 : 0;
}

void mrct_judge_end(struct check_judge *j, uint64_t last_ns)
{
    for (unsigned t = 0; t < MRCT_TAPS; t++)
        if (j->oracles[t] != NULL) {
            mrct_oracle_end(j->oracles[t], last_ns);
            mrct_oracle_gaps(j->oracles[t], &j->r.health.gaps[t]);
        }
}
