/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/trace/offset.h"

#include "harness/trace/capture.h"
#include "harness/trace/decap.h"
#include <stdlib.h>
#include <string.h>

#define SLOTS      ((size_t)1 << 21) /* of the table; half of them are used at most */
#define FRAMES_MAX ((uint64_t)1 << 20)
#define PAIRS_MAX  ((size_t)1 << 18)
#define PARTS      16u  /* of the capture, each with an estimate; the median is taken */
#define LINKS_MAX  256u /* pairs of hosts */

/* A frame of the first capture. */
struct slot {
    uint64_t key, time_ns; /* key 0: free */
    bool twice;
};
/* A frame of both. */
struct match {
    uint64_t time_ns; /* at the first */
    int64_t lead_ns;  /* second less first */
    uint32_t link;    /* pair of hosts */
    bool upward;      /* from the lesser address to the greater */
};
struct link {
    uint64_t hosts;
    double sum[2]; /* of leads, by upward */
    uint64_t count[2];
};
struct matcher {
    const struct mrc_wire_config *cfg;
    struct slot *slots;
    struct match *matches;
    size_t count;
    struct link links[LINKS_MAX];
    size_t link_count;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

static uint64_t mix_bytes(uint64_t h, const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        h = mix(h, p[i]);
    return h;
}

static const uint8_t *addr(const struct mrc_pkt *p, bool source)
{
    return p->is_v6 ? (source ? p->ip6.src : p->ip6.dst) : source ? p->ip4.src : p->ip4.dst;
}

/* What a packet keeps on its way; a switch may trim it and change DSCP, ECN and hop limit. */
static uint64_t key_of(const struct mrc_pkt *p)
{
    const size_t len = p->is_v6 ? 16 : 4;
    uint64_t h = mix_bytes(mix_bytes(1, addr(p, true), len), addr(p, false), len);
    h = mix(h, (uint64_t)p->bth.opcode << 56 | (uint64_t)p->bth.dest_qp << 24 | p->bth.psn);
    h = mix(h, (uint64_t)p->ev << 32 | p->icrc);
    h = mix(h, (uint64_t)p->bth.rtx << 32 | (uint64_t)p->trim);
    return h == 0 ? 1 : h;
}

static struct slot *slot_of(const struct matcher *m, uint64_t key)
{
    for (size_t i = (size_t)key;; i++) {
        struct slot *const s = &m->slots[i & (SLOTS - 1)];
        if (s->key == 0 || s->key == key)
            return s;
    }
}

static void take_first(struct matcher *m, const struct mrc_pkt *p, uint64_t time_ns)
{
    const uint64_t key = key_of(p);
    struct slot *const s = slot_of(m, key);
    s->twice = s->key == key;
    s->key = key;
    s->time_ns = time_ns;
}

static uint32_t link_of(struct matcher *m, const struct mrc_pkt *p, bool *upward)
{
    const size_t len = p->is_v6 ? 16 : 4;
    const uint64_t a = mix_bytes(2, addr(p, true), len), b = mix_bytes(2, addr(p, false), len);
    *upward = memcmp(addr(p, true), addr(p, false), len) < 0;
    for (size_t i = 0; i < m->link_count; i++)
        if (m->links[i].hosts == (a ^ b))
            return (uint32_t)i;
    if (m->link_count == LINKS_MAX)
        return LINKS_MAX - 1;
    m->links[m->link_count].hosts = a ^ b;
    return (uint32_t)m->link_count++;
}

static void take_second(struct matcher *m, const struct mrc_pkt *p, uint64_t time_ns)
{
    struct slot *const s = slot_of(m, key_of(p));
    if (s->key == 0 || s->twice || m->count == PAIRS_MAX)
        return;
    s->twice = true; /* no second one may match it */
    struct match *const one = &m->matches[m->count++];
    one->time_ns = s->time_ns;
    one->lead_ns = (int64_t)(time_ns - s->time_ns);
    one->link = link_of(m, p, &one->upward);
    struct link *const l = &m->links[one->link];
    l->sum[one->upward] += (double)one->lead_ns;
    l->count[one->upward]++;
}

static int read_one(struct matcher *m, const char *path,
                    void (*take)(struct matcher *, const struct mrc_pkt *, uint64_t), char *err,
                    size_t err_cap)
{
    struct mrct_capture_frame f;
    struct mrct_inner in;
    struct mrc_pkt p;
    struct mrct_capture *const c = mrct_capture_open(path, err, err_cap);
    if (c == NULL)
        return -1;
    for (uint64_t n = 0; n < FRAMES_MAX && mrct_capture_next(c, &f) == MRCT_CAPTURE_FRAME; n++) {
        enum mrc_wire_error e = mrc_pkt_decode(m->cfg, f.bytes, f.cap_len, f.wire_len, false, &p);
        if (e == MRC_WIRE_NOT_MRC && mrct_decap(f.bytes, f.cap_len, f.wire_len, &in) != 0)
            e = mrc_pkt_decode(m->cfg, in.bytes, in.cap_len, in.wire_len, false, &p);
        if (e == MRC_WIRE_OK)
            take(m, &p, f.time_ns);
    }
    mrct_capture_close(c);
    return 0;
}

/* ---- the estimate ---- */

/* Whether a match went from the first point to the second: that direction leads more. */
static bool is_forth(const struct matcher *m, const struct match *one)
{
    const struct link *const l = &m->links[one->link];
    if (l->count[0] == 0 || l->count[1] == 0)
        return true;
    const double up = l->sum[1] / (double)l->count[1], down = l->sum[0] / (double)l->count[0];
    return (up > down) == one->upward;
}

/* Bounds of one part: the least lead forth, and the greatest back. */
struct bounds {
    bool forth, back;
    int64_t least, greatest;
};

static void bound(struct bounds *b, const struct match *one, bool forth)
{
    if (forth) {
        if (!b->forth || one->lead_ns < b->least)
            b->least = one->lead_ns;
        b->forth = true;
    } else {
        if (!b->back || one->lead_ns > b->greatest)
            b->greatest = one->lead_ns;
        b->back = true;
    }
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void conclude(const struct matcher *m, struct mrct_offset *out)
{
    struct bounds parts[PARTS] = {0}, all = {0};
    int64_t middles[PARTS];
    size_t n = 0;
    for (size_t i = 0; i < m->count; i++) { /* parts by number, so that each has as many */
        const bool forth = is_forth(m, &m->matches[i]);
        bound(&parts[i * PARTS / m->count], &m->matches[i], forth);
        bound(&all, &m->matches[i], forth);
    }
    out->pairs = m->count;
    out->known = m->count > 0;
    out->one_way = !(all.forth && all.back);
    if (!out->known || out->one_way) {
        out->offset_ns = all.forth ? -all.least : all.back ? -all.greatest : 0;
        return;
    }
    for (unsigned i = 0; i < PARTS; i++)
        if (parts[i].forth && parts[i].back)
            middles[n++] = parts[i].greatest + (parts[i].least - parts[i].greatest) / 2;
    if (n == 0)
        middles[n++] = all.greatest + (all.least - all.greatest) / 2;
    qsort(middles, n, sizeof(middles[0]), by_value);
    out->offset_ns = -middles[n / 2];
    out->delay_ns = all.least > all.greatest ? (uint64_t)(all.least - all.greatest) / 2 : 0;
}

int mrct_offset_estimate(const char *first, const char *second, const struct mrc_wire_config *cfg,
                         struct mrct_offset *out, char *err, size_t err_cap)
{
    struct matcher *const m = calloc(1, sizeof(*m));
    int status = -1;
    *out = (struct mrct_offset){0};
    if (m != NULL) {
        m->cfg = cfg;
        m->slots = calloc(SLOTS, sizeof(*m->slots));
        m->matches = calloc(PAIRS_MAX, sizeof(*m->matches));
    }
    if (m == NULL || m->slots == NULL || m->matches == NULL) {
        strncpy(err, "out of memory", err_cap);
    } else if (read_one(m, first, take_first, err, err_cap) == 0 &&
               read_one(m, second, take_second, err, err_cap) == 0) {
        conclude(m, out);
        status = 0;
    }
    if (m != NULL) {
        free(m->slots);
        free(m->matches);
    }
    free(m);
    return status;
}
