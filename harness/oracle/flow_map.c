/* SPDX-License-Identifier: BSD-2-Clause */
/* From hosts and a QPN to a flow: a small hash table that only grows. */
#include "harness/oracle/core.h"
#include <stdlib.h>

static size_t slot_hash(enum flow_key what, uint32_t a, uint32_t b, uint32_t qpn)
{
    uint64_t x = ((uint64_t)a << 40) ^ ((uint64_t)b << 24) ^ qpn ^ ((uint64_t)what << 60);
    x *= UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(x >> 20);
}

static struct flow_slot *slot_of(const struct flow_map *m, enum flow_key what, uint32_t a,
                                 uint32_t b, uint32_t qpn)
{
    size_t i = slot_hash(what, a, b, qpn) & (m->cap - 1);
    for (;; i = (i + 1) & (m->cap - 1)) {
        struct flow_slot *const s = &m->slots[i];
        if (!s->used || (s->what == what && s->a == a && s->b == b && s->qpn == qpn))
            return s;
    }
}

struct flow *mrct_flow_map_get(const struct flow_map *m, enum flow_key what, uint32_t a, uint32_t b,
                               uint32_t qpn)
{
    if (m->cap == 0)
        return NULL;
    const struct flow_slot *const s = slot_of(m, what, a, b, qpn);
    return s->used ? s->flow : NULL;
}

static int map_grow(struct flow_map *m)
{
    struct flow_map bigger = {.cap = m->cap != 0 ? 2 * m->cap : 64, .used = m->used};
    bigger.slots = calloc(bigger.cap, sizeof(*bigger.slots));
    if (bigger.slots == NULL)
        return -1;
    for (size_t i = 0; i < m->cap; i++) {
        const struct flow_slot *const s = &m->slots[i];
        if (s->used)
            *slot_of(&bigger, (enum flow_key)s->what, s->a, s->b, s->qpn) = *s;
    }
    free(m->slots);
    *m = bigger;
    return 0;
}

int mrct_flow_map_put(struct flow_map *m, enum flow_key what, uint32_t a, uint32_t b, uint32_t qpn,
                      struct flow *f)
{
    if (2 * (m->used + 1) > m->cap && map_grow(m) != 0)
        return -1;
    struct flow_slot *const s = slot_of(m, what, a, b, qpn);
    if (!s->used)
        m->used++;
    *s = (struct flow_slot){
        .used = true, .what = (uint8_t)what, .a = a, .b = b, .qpn = qpn, .flow = f};
    return 0;
}
