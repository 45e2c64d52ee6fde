/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EV profiles. A profile holds the EVs, and the table by which a reflected value is found again;
 * its QPs share both, and under Q25 b the states and the rotation, too.
 */
#include "ref/endpoint/ep_int.h"
#include "ref/endpoint/mrc_profile.h"
#include <string.h>

struct mrc_ev_set {
    struct mrc_ev_set *next;
    uint64_t id;
    unsigned refs; /* QPs that name it */
    unsigned active, min_active, events;
    struct mrc_evs table;
    uint8_t (*outer)[MRC_EV_BYTES]; /* SRV6: NULL when templates make them */
};

static struct mrc_ev_set *find(const struct mrc_ep *ep, uint64_t id)
{
    struct mrc_ev_set *s = ep->ev_sets;
    while (s && s->id != id)
        s = s->next;
    return s;
}

/* ---- values ---- */

static uint32_t value_of(const struct mrc_ep *ep, const struct mrc_ev_format *f,
                         const struct mrc_ev_spec *spec)
{
    const uint8_t *b = spec->value;
    if (f->mode == MRC_EV_MODE_SRV6)
        return spec->wire;
    if (f->mode == MRC_EV_MODE_UDP)
        return mrc_ev_from_fields(&ep->cfg.wire, (uint16_t)(b[0] << 8 | b[1]), 0, false);
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Numbers that differ, in a pseudo-random order: steps through 0 .. n-1 by a number that has no
 * factor in common with n. */
struct walk {
    uint64_t n, at, step;
};

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static struct walk walk_of(struct mrc_rng *rng, uint64_t n)
{
    struct walk w = {.n = n, .at = mrc_rng_next(rng) % n, .step = mrc_rng_next(rng) % n};
    while (gcd(w.step, n) != 1)
        w.step = (w.step + 1) % n;
    return w;
}

/* n may be close to 2^64: the sum must not wrap. */
static uint64_t walk_next(struct walk *w)
{
    const uint64_t got = w->at;
    w->at = w->at >= w->n - w->step ? w->at - (w->n - w->step) : w->at + w->step;
    return got;
}

static uint64_t span(const struct mrc_ev_field *f)
{
    return f->max_val - f->min_val + 1; /* 0: 2^64 */
}

/* How many EVs fields make; saturates. */
static uint64_t combinations(const struct mrc_ev_field *fields, unsigned count)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t s = span(&fields[i]);
        if (s == 0 || n > UINT64_MAX / s)
            return UINT64_MAX;
        n *= s;
    }
    return n;
}

/* The nth combination as a compact EV. */
static uint64_t compact_of(const struct mrc_ev_field *fields, unsigned count, uint64_t nth)
{
    uint64_t ev = 0;
    unsigned shift = 0;
    for (unsigned i = count; i-- > 0;) {
        const uint64_t s = span(&fields[i]);
        const uint64_t v = fields[i].min_val + (s ? nth % s : nth);
        nth = s ? nth / s : 0;
        if (shift < 64)
            ev |= v << shift;
        shift += (unsigned)__builtin_popcountll(fields[i].mask);
    }
    return ev;
}

#define AUTO_PORT_LOW 0xC000u /* source ports from the ephemeral range */

static void auto_value(const struct mrc_ep *ep, const struct mrc_ev_format *f, unsigned port,
                       uint64_t nth, struct mrc_ev_spec *out)
{
    const uint16_t src = (uint16_t)(AUTO_PORT_LOW | (nth & 0x3FFFu));
    const uint32_t ev =
        mrc_ev_from_fields(&ep->cfg.wire, src, (uint32_t)(nth >> 14) & 0xFFFFu, true);
    *out = (struct mrc_ev_spec){.port = (uint8_t)port, .wire = (uint32_t)nth};
    if (f->mode == MRC_EV_MODE_UDP) {
        out->value[0] = (uint8_t)(src >> 8);
        out->value[1] = (uint8_t)src;
    } else {
        for (unsigned i = 0; i < 4; i++)
            out->value[i] = (uint8_t)(ev >> (24 - 8 * i));
    }
}

/* How many EVs a port can have. */
static uint64_t choices(const struct mrc_ev_profile *a)
{
    if (a->source == MRC_EV_GENERATED)
        return combinations(a->fields, a->field_count);
    if (a->format.mode == MRC_EV_MODE_SRV6)
        return a->ev_count; /* an uplink each */
    return a->format.mode == MRC_EV_MODE_UDP ? UINT64_C(1) << 14 : UINT64_C(1) << 30;
}

static void make_specs(struct mrc_ep *ep, const struct mrc_ev_profile *a, struct mrc_ev_spec *specs)
{
    const unsigned each = a->ev_count / ep->cfg.ports;
    const bool uplinks = a->source == MRC_EV_AUTO && a->format.mode == MRC_EV_MODE_SRV6;
    for (unsigned port = 0; port < ep->cfg.ports; port++) {
        struct walk w = walk_of(&ep->rng, uplinks ? each : choices(a));
        for (unsigned i = 0; i < each; i++) {
            struct mrc_ev_spec *s = &specs[i * ep->cfg.ports + port];
            const uint64_t nth = walk_next(&w);
            if (a->source == MRC_EV_AUTO) {
                auto_value(ep, &a->format, port, nth, s);
                continue;
            }
            const uint64_t compact = compact_of(a->fields, a->field_count, nth);
            mrc_ev_expand(a->fields, a->field_count, compact, s->value);
            s->wire = (uint32_t)compact;
            s->port = (uint8_t)port;
        }
    }
}

/* ---- making a profile ---- */

static int check(const struct mrc_ep *ep, const struct mrc_ev_profile *a)
{
    const enum mrc_ev_mode mode = a->format.mode;
    const unsigned ports = ep->cfg.ports; /* >= 1, as mrc_ep_new() saw to */
    if (ports == 0 || a->id == 0 || a->ev_count < 1 || a->ev_count > MRC_EV_COUNT_MAX ||
        find(ep, a->id) ||
        (mode != MRC_EV_MODE_STEV && mode != MRC_EV_MODE_SRV6 && mode != MRC_EV_MODE_UDP))
        return MRC_EP_EINVAL;
    for (unsigned i = 0; mode == MRC_EV_MODE_SRV6 && i < ep->cfg.ports; i++)
        if (!ep->cfg.port_addr[i].is_v6)
            return MRC_EP_EINVAL;
    if (a->source == MRC_EV_EXPLICIT)
        return a->list ? MRC_EP_OK : MRC_EP_EINVAL;
    if ((a->source != MRC_EV_AUTO && a->source != MRC_EV_GENERATED) || a->ev_count % ports != 0)
        return MRC_EP_EINVAL;
    if (a->source == MRC_EV_GENERATED) {
        const int err =
            a->fields ? mrc_ev_fields_check(&a->format, a->fields, a->field_count) : MRC_EP_EINVAL;
        if (err != MRC_EP_OK)
            return err;
    }
    return choices(a) < a->ev_count / ports ? MRC_EP_EINVAL : MRC_EP_OK;
}

static int fill(struct mrc_ep *ep, struct mrc_ev_set *s, const struct mrc_ev_profile *a,
                const struct mrc_ev_spec *specs, struct mrc_ev *evs)
{
    const bool bytes = a->format.mode == MRC_EV_MODE_SRV6 && a->source != MRC_EV_AUTO;
    for (unsigned i = 0; i < a->ev_count; i++)
        evs[i] =
            (struct mrc_ev){.value = value_of(ep, &a->format, &specs[i]), .port = specs[i].port};
    const int err = mrc_evs_init(ep, &s->table, evs, a->ev_count, a->ev_active, a->ev_min_active);
    if (err != MRC_EP_OK || !bytes)
        return err;
    s->outer = mrc_ep_alloc(ep, a->ev_count, sizeof *s->outer);
    if (!s->outer)
        return MRC_EP_ENOMEM;
    for (unsigned i = 0; i < a->ev_count; i++)
        memcpy(s->outer[i], specs[i].value, MRC_EV_BYTES);
    s->table.outer = (const uint8_t(*)[MRC_EV_BYTES])s->outer;
    s->table.srh = a->format.srh;
    return MRC_EP_OK;
}

static void release(struct mrc_ep *ep, struct mrc_ev_set *s)
{
    mrc_evs_fini(ep, &s->table);
    mrc_ep_dealloc(ep, s->outer);
    mrc_ep_dealloc(ep, s);
}

static int build(struct mrc_ep *ep, struct mrc_ev_set *s, const struct mrc_ev_profile *a)
{
    struct mrc_ev *evs = mrc_ep_alloc(ep, a->ev_count, sizeof *evs);
    struct mrc_ev_spec *made = mrc_ep_alloc(ep, a->ev_count, sizeof *made);
    int err = evs && made ? MRC_EP_OK : MRC_EP_ENOMEM;
    if (err == MRC_EP_OK && a->source != MRC_EV_EXPLICIT)
        make_specs(ep, a, made);
    if (err == MRC_EP_OK)
        err = fill(ep, s, a, a->source == MRC_EV_EXPLICIT ? a->list : made, evs);
    mrc_ep_dealloc(ep, evs);
    mrc_ep_dealloc(ep, made);
    return err;
}

int mrc_ev_profile_create(struct mrc_ep *ep, const struct mrc_ev_profile *a)
{
    int err = check(ep, a);
    if (err != MRC_EP_OK)
        return err;
    struct mrc_ev_set *s = mrc_ep_alloc(ep, 1, sizeof *s);
    if (!s)
        return MRC_EP_ENOMEM;
    s->id = a->id;
    s->active = a->ev_active;
    s->min_active = a->ev_min_active;
    s->events = a->ev_events;
    err = build(ep, s, a);
    if (err != MRC_EP_OK) {
        release(ep, s);
        return err;
    }
    s->table.profile = s->id;
    s->table.events = s->events;
    s->next = ep->ev_sets;
    ep->ev_sets = s;
    return MRC_EP_OK;
}

int mrc_ev_profile_destroy(struct mrc_ep *ep, uint64_t id)
{
    struct mrc_ev_set **at = &ep->ev_sets;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    struct mrc_ev_set *s = *at;
    if (!s)
        return MRC_EP_ENOENT;
    if (s->refs > 0)
        return MRC_EP_EBUSY;
    *at = s->next;
    release(ep, s);
    return MRC_EP_OK;
}

void mrc_ev_profile_destroy_all(struct mrc_ep *ep)
{
    while (ep->ev_sets)
        mrc_ev_profile_destroy(ep, ep->ev_sets->id);
}

/* ---- its QPs ---- */

int mrc_ev_profile_use(struct mrc_ep *ep, struct mrc_qp *qp, uint64_t id)
{
    struct mrc_ev_set *s = find(ep, id);
    if (!s)
        return MRC_EP_ENOENT;
    if (ep->cfg.ev.q25_scope == 'b')
        qp->shared_evs = &s->table;
    const int err = mrc_evs_share(ep, &qp->evs, &s->table, s->active, s->min_active,
                                  ep->cfg.ev.q25_scope == 'b');
    if (err != MRC_EP_OK)
        return err;
    qp->ev_set = s;
    s->refs++;
    return MRC_EP_OK;
}

void mrc_ev_profile_leave(struct mrc_qp *qp)
{
    if (qp->ev_set)
        qp->ev_set->refs--;
    qp->ev_set = NULL;
}
