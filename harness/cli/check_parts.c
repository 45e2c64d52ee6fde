/* SPDX-License-Identifier: BSD-2-Clause */
/* What mrct check gathers while it reads: findings and conversations. */
#include "harness/cli/check.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define KEY_SLOTS ((size_t)1 << 14) /* a power of two; half of them are used at most */

static const char *keep_host(struct mrct_findings *f, const char *host)
{
    for (size_t i = 0; i < f->host_count; i++)
        if (strcmp(f->hosts[i], host) == 0)
            return f->hosts[i];
    char **const more = realloc(f->hosts, (f->host_count + 1) * sizeof(*more));
    if (more == NULL)
        return NULL;
    f->hosts = more;
    more[f->host_count] = strdup(host);
    return more[f->host_count] == NULL ? NULL : more[f->host_count++];
}

static struct mrct_finding_count *count_of(struct mrct_findings *f, const char *check,
                                           enum mrct_tap tap)
{
    for (size_t i = 0; i < f->by_check_count; i++)
        if (f->by_check[i].check == check && f->by_check[i].tap == tap)
            return &f->by_check[i];
    struct mrct_finding_count *const more =
        realloc(f->by_check, (f->by_check_count + 1) * sizeof(*more));
    if (more == NULL)
        return NULL;
    f->by_check = more;
    more[f->by_check_count] = (struct mrct_finding_count){.check = check, .tap = tap};
    return &more[f->by_check_count++];
}

static int make_room(struct mrct_findings *f)
{
    if (f->count < f->room)
        return 0;
    const size_t room = f->room == 0 ? 64 : f->room * 2;
    struct mrct_finding *const more = realloc(f->list, room * sizeof(*more));
    if (more == NULL)
        return -1;
    f->list = more;
    enum mrct_tap *const taps = realloc(f->taps, room * sizeof(*taps));
    if (taps == NULL)
        return -1;
    f->taps = taps;
    f->room = room;
    return 0;
}

static void keep(struct mrct_findings *f, const struct mrct_finding *finding, enum mrct_tap tap)
{
    const char *const host = keep_host(f, finding->host == NULL ? "" : finding->host);
    if (host == NULL || make_room(f) != 0) {
        f->failed = true;
        return;
    }
    f->list[f->count] = *finding;
    f->taps[f->count] = tap;
    f->list[f->count++].host = host;
}

void mrct_findings_add_at(struct mrct_findings *f, const struct mrct_finding *finding,
                          enum mrct_tap tap)
{
    struct mrct_finding_count *const c = count_of(f, finding->check, tap);
    if (c == NULL) {
        f->failed = true;
        return;
    }
    c->kinds[finding->kind]++;
    if (c->kept == MRCT_FINDINGS_OF_CHECK) {
        f->not_kept++;
        return;
    }
    c->kept++;
    keep(f, finding, tap);
}

void mrct_findings_add(struct mrct_findings *f, const struct mrct_finding *finding)
{
    mrct_findings_add_at(f, finding, MRCT_TAP_MIDDLE);
}

void mrct_findings_merge(struct mrct_findings *f, const struct mrct_findings *other)
{
    f->failed |= other->failed;
    f->not_kept += other->not_kept;
    for (size_t i = 0; i < other->by_check_count; i++) {
        const struct mrct_finding_count *const from = &other->by_check[i];
        struct mrct_finding_count *const to = count_of(f, from->check, from->tap);
        if (to == NULL) {
            f->failed = true;
            return;
        }
        for (unsigned k = 0; k <= MRCT_FINDING_INCONCLUSIVE; k++)
            to->kinds[k] += from->kinds[k];
        to->kept += from->kept;
    }
    for (size_t i = 0; i < other->count; i++)
        keep(f, &other->list[i], other->taps[i]);
}

/* ---- their order ---- */

/* One on its way through the sorting. */
struct placed {
    struct mrct_finding f;
    enum mrct_tap tap;
    size_t at; /* as it came */
};

static uint64_t first_frame(const struct mrct_finding *f)
{
    return f->frame_count == 0 ? UINT64_MAX : f->frames[0];
}

/* By everything that a reader sees, so that no order of arrival shows; then as they came. */
static int compare(const void *a, const void *b)
{
    const struct placed *const x = a;
    const struct placed *const y = b;
    const uint64_t fx = first_frame(&x->f), fy = first_frame(&y->f);
    int order = fx < fy ? -1 : fx > fy;
    order = order != 0 ? order : strcmp(x->f.requirement, y->f.requirement);
    order = order != 0 ? order : (int)x->tap - (int)y->tap;
    order = order != 0 ? order : (x->f.time_ns > y->f.time_ns) - (x->f.time_ns < y->f.time_ns);
    order = order != 0 || x->f.frame_count > 0 ? order : strcmp(x->f.host, y->f.host);
    return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

void mrct_findings_sort(struct mrct_findings *f)
{
    struct placed *const all = calloc(f->count + 1, sizeof(*all));
    if (all == NULL) {
        f->failed = true;
        return;
    }
    for (size_t i = 0; i < f->count; i++)
        all[i] = (struct placed){.f = f->list[i], .tap = f->taps[i], .at = i};
    qsort(all, f->count, sizeof(*all), compare);
    for (size_t i = 0; i < f->count; i++) {
        f->list[i] = all[i].f;
        f->taps[i] = all[i].tap;
    }
    free(all);
}

void mrct_findings_fini(struct mrct_findings *f)
{
    for (size_t i = 0; i < f->host_count; i++)
        free(f->hosts[i]);
    free(f->hosts);
    free(f->list);
    free(f->taps);
    free(f->by_check);
    memset(f, 0, sizeof(*f));
}

/* ---- conversations ---- */

static void name_of(const struct mrct_facts *facts, const struct mrc_pkt *p, bool source,
                    char name[64])
{
    const uint8_t *const v4 = source ? p->ip4.src : p->ip4.dst;
    const uint8_t *const v6 = source ? p->ip6.src : p->ip6.dst;
    const int host = mrct_facts_host_of(facts, p->is_v6, p->is_v6 ? v6 : v4);
    if (host >= 0)
        snprintf(name, 64, "%s", facts->hosts[host].name);
    else
        inet_ntop(p->is_v6 ? AF_INET6 : AF_INET, p->is_v6 ? v6 : v4, name, 64);
}

static struct mrct_talk *find(struct mrct_talks *t, const char *from, const char *to, uint32_t qp)
{
    for (size_t i = 0; i < t->count; i++) {
        struct mrct_talk *const k = &t->list[i];
        if (k->dest_qp == qp && strcmp(k->from, from) == 0 && strcmp(k->to, to) == 0)
            return k;
    }
    return NULL;
}

static struct mrct_talk *add(struct mrct_talks *t, const char *from, const char *to, uint32_t qp)
{
    if (t->count == MRCT_TALKS_MAX)
        return NULL;
    if (t->count == t->room) {
        const size_t room = t->room == 0 ? 16 : t->room * 2;
        struct mrct_talk *const more = realloc(t->list, room * sizeof(*more));
        if (more == NULL)
            return NULL;
        t->list = more;
        t->room = room;
    }
    struct mrct_talk *const k = &t->list[t->count++];
    memset(k, 0, sizeof(*k));
    snprintf(k->from, sizeof(k->from), "%s", from);
    snprintf(k->to, sizeof(k->to), "%s", to);
    k->dest_qp = qp;
    return k;
}

static void count_request(struct mrct_talk *k, const struct mrc_bth *bth)
{
    if (k->requests++ == 0)
        k->psn_first = k->psn_last = bth->psn;
    else if (mrc_psn_diff(bth->psn, k->psn_last) > 0)
        k->psn_last = bth->psn;
    else if (mrc_psn_diff(bth->psn, k->psn_first) < 0)
        k->psn_first = bth->psn;
    if (bth->rtx)
        k->retransmitted++;
}

static struct mrct_talk *named(struct mrct_talks *t, const struct mrct_facts *facts,
                               const struct mrc_pkt *p)
{
    char from[64], to[64];
    name_of(facts, p, true, from);
    name_of(facts, p, false, to);
    struct mrct_talk *const k = find(t, from, to, p->bth.dest_qp);
    return k != NULL ? k : add(t, from, to, p->bth.dest_qp);
}

static void make_key(const struct mrc_pkt *p, struct mrct_talk_key *key)
{
    memset(key, 0, sizeof(*key));
    memcpy(key->src, p->is_v6 ? p->ip6.src : p->ip4.src, p->is_v6 ? 16 : 4);
    memcpy(key->dst, p->is_v6 ? p->ip6.dst : p->ip4.dst, p->is_v6 ? 16 : 4);
    key->dest_qp = p->bth.dest_qp;
}

/* The slot of a key, or a free one; NULL when there is no table or it is too full to add to. */
static struct mrct_talk_key *slot_of(struct mrct_talks *t, const struct mrct_talk_key *key)
{
    uint64_t half[4], h = key->dest_qp;
    if (t->keys == NULL)
        t->keys = calloc(KEY_SLOTS, sizeof(*t->keys));
    if (t->keys == NULL)
        return NULL;
    memcpy(half, key->src, sizeof(key->src));
    memcpy(half + 2, key->dst, sizeof(key->dst));
    for (unsigned i = 0; i < 4; i++)
        h = (h ^ half[i] ^ h >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = (size_t)(h ^ h >> 31);; i++) {
        struct mrct_talk_key *const s = &t->keys[i & (KEY_SLOTS - 1)];
        if (s->talk == 0)
            return t->keys_used < KEY_SLOTS / 2 ? s : NULL;
        if (memcmp(s, key, offsetof(struct mrct_talk_key, talk)) == 0)
            return s;
    }
}

static struct mrct_talk *talk_of(struct mrct_talks *t, const struct mrct_facts *facts,
                                 const struct mrc_pkt *p)
{
    struct mrct_talk_key key;
    if (t->last.talk != 0 && p->is_v6 && t->last.dest_qp == p->bth.dest_qp &&
        memcmp(t->last.src, p->ip6.src, 16) == 0 && memcmp(t->last.dst, p->ip6.dst, 16) == 0)
        return &t->list[t->last.talk - 1];
    make_key(p, &key);
    if (t->last.talk != 0 && memcmp(&key, &t->last, offsetof(struct mrct_talk_key, talk)) == 0)
        return &t->list[t->last.talk - 1];
    struct mrct_talk_key *const slot = slot_of(t, &key);
    if (slot != NULL && slot->talk != 0) {
        t->last = *slot;
        return &t->list[slot->talk - 1];
    }
    struct mrct_talk *const k = named(t, facts, p);
    if (slot != NULL && k != NULL) {
        *slot = key;
        slot->talk = (uint32_t)(k - t->list) + 1;
        t->keys_used++;
    }
    return k;
}

void mrct_talks_frame(struct mrct_talks *t, const struct mrct_facts *facts, const struct mrc_pkt *p)
{
    if (!MRC_PKT_HAS(p, BTH))
        return;
    struct mrct_talk *const k = talk_of(t, facts, p);
    if (k == NULL) {
        t->beyond++;
        return;
    }
    if (k->frames == 0)
        k->first_frame = t->frame_no;
    k->frames++;
    if (mrc_op_is_write(p->bth.opcode))
        count_request(k, &p->bth);
    else if (p->bth.opcode == MRC_OP_SACK)
        k->sacks++;
    else if (p->bth.opcode == MRC_OP_NACK)
        k->nacks++;
    else if (p->bth.opcode == MRC_OP_ACK)
        k->acks++;
    else
        k->others++;
}

static int by_first_frame(const void *a, const void *b)
{
    const struct mrct_talk *const x = a;
    const struct mrct_talk *const y = b;
    return x->first_frame < y->first_frame ? -1 : x->first_frame > y->first_frame;
}

void mrct_talks_merge(struct mrct_talks *t, const struct mrct_talks *other)
{
    t->beyond += other->beyond;
    for (size_t i = 0; i < other->count; i++) {
        struct mrct_talk *const k =
            add(t, other->list[i].from, other->list[i].to, other->list[i].dest_qp);
        if (k != NULL)
            *k = other->list[i];
        else
            t->beyond += other->list[i].frames;
    }
    if (t->count > 1)
        qsort(t->list, t->count, sizeof(*t->list), by_first_frame);
}

void mrct_talks_fini(struct mrct_talks *t)
{
    free(t->keys);
    free(t->list);
    memset(t, 0, sizeof(*t));
}
