/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/sim/wheel.h"

#include <stdlib.h>

#define BUCKETS     UINT64_C(4096) /* 262 us ahead */
#define MASK        (BUCKETS - 1)
#define NS          64u /* of a bucket */
#define KIND_BITS   8u
#define WAYS        4u
#define SLAB_CHUNKS 256u
#define SLOT_LEAST  8u
#define LOOK_NS     1024u /* the cursor goes no further than this ahead of time */
#define NONE        UINT64_MAX

int mrct_wheel_init(struct mrct_wheel *w, struct mrct_arena *arena)
{
    *w = (struct mrct_wheel){.arena = arena};
    w->buckets = mrct_arena_alloc(arena, BUCKETS * sizeof *w->buckets);
    w->used = mrct_arena_alloc(arena, BUCKETS / 64 * sizeof *w->used);
    return w->buckets != NULL && w->used != NULL ? 0 : -1;
}

void mrct_wheel_fini(struct mrct_wheel *w)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < NS; k++)
            free(w->open[i].slot[k].entry);
    free(w->far);
}

static int far_before(const struct mrct_wheel_far *a, const struct mrct_wheel_far *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->seq < b->seq;
}

static int far_push(struct mrct_wheel *w, uint64_t at_ns, struct mrct_wheel_entry entry)
{
    if (w->far_len == w->far_cap) {
        const size_t cap = w->far_cap > 0 ? 2 * w->far_cap : 64;
        struct mrct_wheel_far *const more = realloc(w->far, cap * sizeof *more);
        if (more == NULL)
            return -1;
        w->far = more;
        w->far_cap = cap;
    }
    const struct mrct_wheel_far f = {at_ns, w->far_seq++, entry};
    size_t i = w->far_len++;
    for (; i > 0 && far_before(&f, &w->far[(i - 1) / WAYS]); i = (i - 1) / WAYS)
        w->far[i] = w->far[(i - 1) / WAYS];
    w->far[i] = f;
    return 0;
}

static struct mrct_wheel_entry far_pop(struct mrct_wheel *w)
{
    const struct mrct_wheel_entry out = w->far[0].entry;
    const struct mrct_wheel_far last = w->far[--w->far_len];
    size_t i = 0;
    for (;;) {
        size_t least = WAYS * i + 1;
        if (least >= w->far_len)
            break;
        for (size_t c = least + 1; c < WAYS * i + 1 + WAYS && c < w->far_len; c++)
            if (far_before(&w->far[c], &w->far[least]))
                least = c;
        if (!far_before(&w->far[least], &last))
            break;
        w->far[i] = w->far[least];
        i = least;
    }
    w->far[i] = last;
    return out;
}

/* ---- buckets ---- */

static int more_chunks(struct mrct_wheel *w)
{
    struct mrct_wheel_chunk *const slab = mrct_arena_alloc(w->arena, SLAB_CHUNKS * sizeof *slab);
    if (slab == NULL)
        return -1;
    for (size_t i = SLAB_CHUNKS; i-- > 0; w->spare = &slab[i])
        slab[i].next = w->spare;
    return 0;
}

static struct mrct_wheel_chunk *add_chunk(struct mrct_wheel *w, struct mrct_wheel_bucket *b)
{
    if (w->spare == NULL && more_chunks(w) != 0)
        return NULL;
    struct mrct_wheel_chunk *const c = w->spare;
    w->spare = c->next;
    c->next = NULL;
    c->count = 0;
    if (b->first == NULL)
        b->first = c;
    else
        b->last->next = c;
    b->last = c;
    return c;
}

static int bucket_push(struct mrct_wheel *w, uint64_t at_ns, struct mrct_wheel_entry entry)
{
    const uint64_t i = at_ns / NS & MASK;
    struct mrct_wheel_bucket *const b = &w->buckets[i];
    struct mrct_wheel_chunk *c = b->last;
    if (b->first == NULL || c->count == MRCT_WHEEL_CHUNK) {
        w->used[i / 64] |= UINT64_C(1) << (i & 63);
        w->summary |= UINT64_C(1) << i / 64;
        c = add_chunk(w, b);
        if (c == NULL)
            return -1;
    }
    entry.kind |= (uint32_t)(at_ns % NS) << KIND_BITS;
    c->entry[c->count++] = entry;
    return 0;
}

/* The first bucket from the one of a number on that is not empty, as a number; NONE. */
static uint64_t next_bucket(const struct mrct_wheel *w, uint64_t number)
{
    if (w->summary == 0)
        return NONE;
    const uint64_t from = number & MASK, word = from / 64;
    const uint64_t here = w->used[word] & (UINT64_MAX << (from & 63));
    if (here != 0)
        return number + (uint64_t)__builtin_ctzll(here) - (from & 63);
    const uint64_t above = word < 63 ? w->summary & (UINT64_MAX << (word + 1)) : 0;
    const uint64_t at = (uint64_t)__builtin_ctzll(above != 0 ? above : w->summary);
    const uint64_t i = at * 64 + (uint64_t)__builtin_ctzll(w->used[at]);
    return number + ((i - from) & MASK);
}

/* ---- the two that are open ---- */

static int slot_push(struct mrct_wheel_open *o, unsigned ns, struct mrct_wheel_entry entry)
{
    struct mrct_wheel_slot *const s = &o->slot[ns];
    if (s->len == s->cap) {
        const uint32_t cap = s->cap > 0 ? 2 * s->cap : SLOT_LEAST;
        struct mrct_wheel_entry *const more = realloc(s->entry, cap * sizeof *more);
        if (more == NULL)
            return -1;
        s->entry = more;
        s->cap = cap;
    }
    s->entry[s->len++] = entry;
    o->used |= UINT64_C(1) << ns;
    return 0;
}

static int spread(struct mrct_wheel *w, struct mrct_wheel_open *o, uint64_t number)
{
    const uint64_t i = number & MASK;
    struct mrct_wheel_chunk *c = w->buckets[i].first;
    o->number = number;
    o->is_open = true;
    while (c != NULL) {
        struct mrct_wheel_chunk *const next = c->next;
        for (uint64_t k = 0; k < c->count; k++) {
            struct mrct_wheel_entry e = c->entry[k];
            const unsigned ns = e.kind >> KIND_BITS;
            e.kind &= (1u << KIND_BITS) - 1;
            if (slot_push(o, ns, e) != 0)
                return -1;
        }
        c->next = w->spare;
        w->spare = c;
        c = next;
    }
    w->buckets[i] = (struct mrct_wheel_bucket){0};
    w->used[i / 64] &= ~(UINT64_C(1) << (i & 63));
    if (w->used[i / 64] == 0)
        w->summary &= ~(UINT64_C(1) << i / 64);
    return 0;
}

/* Back into its bucket: something comes before it, so nothing of it is taken. */
static int gather(struct mrct_wheel *w, struct mrct_wheel_open *o)
{
    for (; o->used != 0; o->used &= o->used - 1) {
        const unsigned ns = (unsigned)__builtin_ctzll(o->used);
        for (uint32_t k = 0; k < o->slot[ns].len; k++)
            if (bucket_push(w, o->number * NS + ns, o->slot[ns].entry[k]) != 0)
                return -1;
        o->slot[ns].len = 0;
    }
    o->is_open = false;
    w->looking = false;
    return 0;
}

int mrct_wheel_push(struct mrct_wheel *w, uint64_t at_ns, struct mrct_wheel_entry entry)
{
    const uint64_t number = at_ns / NS;
    struct mrct_wheel_open *const now = &w->open[w->now], *const next = &w->open[1 - w->now];
    if (now->is_open && number == now->number)
        return slot_push(now, at_ns % NS, entry);
    if (next->is_open && number == next->number)
        return slot_push(next, at_ns % NS, entry);
    if (now->is_open && number < now->number && gather(w, now) != 0)
        return -1;
    if (number - w->now_ns / NS >= BUCKETS)
        return far_push(w, at_ns, entry);
    return bucket_push(w, at_ns, entry);
}

/* Opens what comes next as open[now], which is used up; false: nothing is due until then. */
static bool open_next(struct mrct_wheel *w, uint64_t until_ns)
{
    struct mrct_wheel_open *const now = &w->open[w->now], *const next = &w->open[1 - w->now];
    now->is_open = false;
    const uint64_t number = next_bucket(w, w->now_ns / NS);
    if (next->is_open && next->number <= number) {
        if (next->number > until_ns / NS)
            return false;
        w->now = 1 - w->now;
        return next->used != 0 || open_next(w, until_ns);
    }
    return number != NONE && number <= until_ns / NS && spread(w, now, number) == 0;
}

bool mrct_wheel_take(struct mrct_wheel *w, uint64_t until_ns, struct mrct_wheel_entry *out)
{
    const uint64_t far = w->far_len > 0 ? w->far[0].at_ns : NONE;
    uint64_t near = NONE;
    if (w->open[w->now].used != 0 || open_next(w, until_ns))
        near = w->open[w->now].number * NS + (uint64_t)__builtin_ctzll(w->open[w->now].used);
    if ((near > until_ns && far > until_ns) || (near == NONE && far == NONE))
        return false;
    /* What was put in long before goes first at its time. */
    if (far <= near) {
        *out = far_pop(w);
        w->now_ns = far;
        return true;
    }
    struct mrct_wheel_open *const o = &w->open[w->now];
    struct mrct_wheel_slot *const s = &o->slot[near % NS];
    w->now_ns = near;
    *out = s->entry[w->taken++];
    w->lead -= w->lead > 0;
    if (w->taken == s->len) {
        s->len = 0;
        w->taken = 0;
        o->used &= o->used - 1;
    }
    return true;
}

/* ---- looking ahead ---- */

static bool look_into(struct mrct_wheel *w, unsigned which, uint32_t i)
{
    if (!w->open[which].is_open || w->open[which].used == 0)
        return false;
    w->cursor = which;
    w->cursor_slot = (unsigned)__builtin_ctzll(w->open[which].used);
    w->cursor_i = i;
    return true;
}

/* The bucket behind open[now], which is spread for it when it is near. */
static bool look_further(struct mrct_wheel *w)
{
    struct mrct_wheel_open *const now = &w->open[w->now], *const next = &w->open[1 - w->now];
    if (!next->is_open) {
        const uint64_t number = next_bucket(w, now->is_open ? now->number + 1 : w->now_ns / NS);
        if (number == NONE || number * NS > w->now_ns + LOOK_NS || spread(w, next, number) != 0)
            return false;
    }
    return look_into(w, 1 - w->now, 0);
}

/* To the next entry, or false. */
static bool advance(struct mrct_wheel *w)
{
    const struct mrct_wheel_open *const o = &w->open[w->cursor];
    if (w->cursor_i < o->slot[w->cursor_slot].len)
        return true;
    const uint64_t above =
        w->cursor_slot < NS - 1 ? o->used & (UINT64_MAX << (w->cursor_slot + 1)) : 0;
    if (above == 0)
        return w->cursor == w->now && look_further(w);
    w->cursor_slot = (unsigned)__builtin_ctzll(above);
    w->cursor_i = 0;
    return true;
}

bool mrct_wheel_look(struct mrct_wheel *w, uint64_t lead, struct mrct_wheel_entry *out)
{
    if (w->looking && w->lead >= lead)
        return false;
    if (!w->looking || w->lead == 0) {
        w->lead = 0;
        w->looking = look_into(w, w->now, w->taken) || look_further(w);
    }
    if (!w->looking || !advance(w))
        return false;
    *out = w->open[w->cursor].slot[w->cursor_slot].entry[w->cursor_i++];
    w->ahead[w->passed++ & (MRCT_WHEEL_AHEAD - 1)] = *out;
    w->lead++;
    return true;
}
