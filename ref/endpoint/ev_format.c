/* SPDX-License-Identifier: BSD-2-Clause */
/* EV formats: fields that are checked, and expanded to the bits of an EV. */
#include "ref/endpoint/mrc_profile.h"
#include <string.h>

static unsigned mode_bits(const struct mrc_ev_format *f)
{
    switch (f->mode) {
    case MRC_EV_MODE_UDP:
        return 16;
    case MRC_EV_MODE_STEV:
        return 32;
    case MRC_EV_MODE_SRV6:
        return f->srh ? 256 : 128;
    }
    return 0;
}

static uint64_t low_bits(unsigned n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static unsigned ones(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

static bool field_ok(const struct mrc_ev_field *f)
{
    const uint64_t fits = low_bits(f->width);
    return f->width >= 1 && f->width <= 64 && (f->init_val & ~fits) == 0 &&
           (f->mask & ~fits) == 0 && (f->max_val & ~low_bits(ones(f->mask))) == 0 &&
           f->min_val <= f->max_val;
}

int mrc_ev_fields_check(const struct mrc_ev_format *format, const struct mrc_ev_field *fields,
                        unsigned count)
{
    unsigned room = 0, used = 0, variable = 0;
    if (format->field_count > MRC_EV_FIELDS_MAX)
        return MRC_EP_EINVAL;
    for (unsigned i = 0; i < format->field_count; i++)
        room += format->width[i];
    for (unsigned i = 0; i < count && i < MRC_EV_FIELDS_MAX; i++)
        used += fields[i].width;
    if (count > format->field_count || used > room || used > mode_bits(format))
        return MRC_EP_E2BIG;
    for (unsigned i = 0; i < count; i++) {
        variable += ones(fields[i].mask);
        if (!field_ok(&fields[i]))
            return MRC_EP_EINVAL;
    }
    return variable > 64 || count == 0 ? MRC_EP_EINVAL : MRC_EP_OK;
}

static void put_bit(uint8_t *out, unsigned at, bool on)
{
    if (on)
        out[at / 8] |= (uint8_t)(0x80u >> (at % 8));
}

void mrc_ev_expand(const struct mrc_ev_field *fields, unsigned count, uint64_t compact,
                   uint8_t out[MRC_EV_BYTES])
{
    unsigned left = 0, at = 0;
    memset(out, 0, MRC_EV_BYTES);
    for (unsigned i = 0; i < count; i++)
        left += ones(fields[i].mask);
    for (unsigned i = 0; i < count; i++)
        for (unsigned bit = fields[i].width; bit-- > 0; at++) {
            const bool variable = (fields[i].mask >> bit & 1u) != 0;
            if (variable)
                left--;
            put_bit(out, at, ((variable ? compact >> left : fields[i].init_val >> bit) & 1u) != 0);
        }
}
