/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where in the order active GOOD EVs stand, by the port they leave by: a bit a place, and above
 * each word of them a bit that says whether it has any. The next place for any set of ports is
 * found in two looks, for 4 EVs and for 32768. The ports' words of the same places lie side by
 * side.
 */
#include "ref/endpoint/ep_int.h"

#define WORD_BITS 64u

/* One row for each port up to the last that has EVs. */
static unsigned rows(const struct mrc_evs *evs)
{
    return 32u - (unsigned)__builtin_clz(evs->ports);
}

static unsigned words(const struct mrc_evs *evs)
{
    return (evs->count + WORD_BITS - 1) / WORD_BITS;
}

static unsigned sums(const struct mrc_evs *evs)
{
    return (words(evs) + WORD_BITS - 1) / WORD_BITS;
}

bool mrc_places_init(struct mrc_ep *ep, struct mrc_evs *evs)
{
    evs->places = mrc_ep_alloc(ep, (size_t)rows(evs) * (words(evs) + sums(evs)), sizeof(uint64_t));
    return evs->places != NULL;
}

static uint64_t *word(const struct mrc_evs *evs, unsigned w, unsigned port)
{
    return &evs->places[w * rows(evs) + port];
}

static uint64_t *sum(const struct mrc_evs *evs, unsigned v, unsigned port)
{
    return word(evs, words(evs) + v, port);
}

bool mrc_places_has(const struct mrc_evs *evs, unsigned port, uint16_t place)
{
    return (*word(evs, place / WORD_BITS, port) >> (place % WORD_BITS) & 1u) != 0;
}

void mrc_places_add(struct mrc_evs *evs, unsigned port, uint16_t place)
{
    const unsigned w = place / WORD_BITS;
    *word(evs, w, port) |= UINT64_C(1) << (place % WORD_BITS);
    *sum(evs, w / WORD_BITS, port) |= UINT64_C(1) << (w % WORD_BITS);
}

void mrc_places_remove(struct mrc_evs *evs, unsigned port, uint16_t place)
{
    const unsigned w = place / WORD_BITS;
    uint64_t *const bits = word(evs, w, port);
    *bits &= ~(UINT64_C(1) << (place % WORD_BITS));
    if (*bits == 0)
        *sum(evs, w / WORD_BITS, port) &= ~(UINT64_C(1) << (w % WORD_BITS));
}

/* The words at `at` of all these ports as one. */
static uint64_t joined(const uint64_t *at, uint32_t ports)
{
    uint64_t bits = 0;
    for (; ports; ports &= ports - 1)
        bits |= at[__builtin_ctz(ports)];
    return bits;
}

/* Bits from number n on, n < 64. */
static uint64_t from_bit(uint64_t bits, unsigned n)
{
    return bits >> n << n;
}

/* First word from w on that is not empty, or the number of words. */
static unsigned next_word(const struct mrc_evs *evs, uint32_t ports, unsigned w)
{
    const unsigned n = words(evs);
    unsigned skip = w % WORD_BITS;
    for (unsigned v = w / WORD_BITS; w < n && v < sums(evs); v++, skip = 0) {
        const uint64_t bits = from_bit(joined(sum(evs, v, 0), ports), skip);
        if (bits)
            return v * WORD_BITS + (unsigned)__builtin_ctzll(bits);
    }
    return n;
}

uint16_t mrc_places_next(const struct mrc_evs *evs, uint32_t ports, uint16_t from)
{
    unsigned w = from / WORD_BITS;
    if (w >= words(evs))
        return MRC_EV_NIL;
    uint64_t bits = from_bit(joined(word(evs, w, 0), ports), from % WORD_BITS);
    if (!bits) {
        w = next_word(evs, ports, w + 1);
        if (w == words(evs))
            return MRC_EV_NIL;
        bits = joined(word(evs, w, 0), ports);
    }
    return (uint16_t)(w * WORD_BITS + (unsigned)__builtin_ctzll(bits));
}
