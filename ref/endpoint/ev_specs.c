/* SPDX-License-Identifier: BSD-2-Clause */
/* The EVs of a profile that does not list them: drawn from fields, or from what a format holds. */
#include "ref/endpoint/ev_set.h"

uint32_t mrc_ev_spec_value(const struct mrc_ep *ep, const struct mrc_ev_format *f,
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
uint64_t mrc_ev_choices(const struct mrc_ev_profile *a)
{
    if (a->source == MRC_EV_GENERATED)
        return combinations(a->fields, a->field_count);
    if (a->format.mode == MRC_EV_MODE_SRV6)
        return a->ev_count; /* an uplink each */
    return a->format.mode == MRC_EV_MODE_UDP ? UINT64_C(1) << 14 : UINT64_C(1) << 30;
}

void mrc_ev_make_specs(struct mrc_ep *ep, const struct mrc_ev_profile *a, struct mrc_ev_spec *specs)
{
    const unsigned each = a->ev_count / ep->cfg.ports;
    const bool uplinks = a->source == MRC_EV_AUTO && a->format.mode == MRC_EV_MODE_SRV6;
    for (unsigned port = 0; port < ep->cfg.ports; port++) {
        struct walk w = walk_of(&ep->rng, uplinks ? each : mrc_ev_choices(a));
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
