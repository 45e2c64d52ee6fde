/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/sim/wheel.h"

#include <stdlib.h>

#define SLOTS       (UINT64_C(1) << 18) /* 262 us ahead */
#define MASK        (SLOTS - 1)
#define WAYS        4u
#define SLAB_CHUNKS 1024u
#define LOOK_NS     1024u /* the cursor goes no further than this ahead of time */

int mrct_wheel_init(struct mrct_wheel *w, struct mrct_arena *arena)
{
    *w = (struct mrct_wheel){.arena = arena};
    w->slots = mrct_arena_alloc(arena, SLOTS * sizeof *w->slots);
    uint64_t words = SLOTS;
    for (unsigned i = 0; i < 3; i++) {
        words = (words + 63) / 64;
        w->used[i] = mrct_arena_alloc(arena, words * sizeof(uint64_t));
        if (w->used[i] == NULL)
            return -1;
    }
    return w->slots != NULL ? 0 : -1;
}

void mrct_wheel_fini(struct mrct_wheel *w)
{
    free(w->far);
}

static void set_used(struct mrct_wheel *w, uint64_t slot)
{
    for (unsigned i = 0; i < 3; i++, slot /= 64)
        w->used[i][slot / 64] |= UINT64_C(1) << (slot & 63);
}

static void clear_used(struct mrct_wheel *w, uint64_t slot)
{
    for (unsigned i = 0; i < 3; i++, slot /= 64) {
        w->used[i][slot / 64] &= ~(UINT64_C(1) << (slot & 63));
        if (w->used[i][slot / 64] != 0)
            return;
    }
}

/* The first used slot from `from` on, without going round; SLOTS when there is none. */
static uint64_t find_used(const struct mrct_wheel *w, uint64_t from)
{
    unsigned level = 0;
    for (;;) {
        if (level == 3 || from >= SLOTS >> (6 * level))
            return SLOTS;
        const uint64_t word = w->used[level][from / 64] & (UINT64_MAX << (from & 63));
        if (word != 0) {
            from = from / 64 * 64 + (uint64_t)__builtin_ctzll(word);
            break;
        }
        from = from / 64 + 1;
        level++;
    }
    for (; level > 0; level--)
        from = from * 64 + (uint64_t)__builtin_ctzll(w->used[level - 1][from]);
    return from;
}

/* The first time from `from_ns` on whose slot is used; there is one. */
static uint64_t used_from_ns(const struct mrct_wheel *w, uint64_t from_ns)
{
    const uint64_t at = from_ns & MASK;
    if (w->slots[at].first != NULL)
        return from_ns;
    const uint64_t ahead = find_used(w, at);
    const uint64_t slot = ahead < SLOTS ? ahead : find_used(w, 0);
    return from_ns + ((slot - at) & MASK);
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

static int more_chunks(struct mrct_wheel *w)
{
    struct mrct_wheel_chunk *const slab = mrct_arena_alloc(w->arena, SLAB_CHUNKS * sizeof *slab);
    if (slab == NULL)
        return -1;
    for (size_t i = SLAB_CHUNKS; i-- > 0; w->spare = &slab[i])
        slab[i].next = w->spare;
    return 0;
}

static struct mrct_wheel_chunk *add_chunk(struct mrct_wheel *w, struct mrct_wheel_slot *s)
{
    if (w->spare == NULL && more_chunks(w) != 0)
        return NULL;
    struct mrct_wheel_chunk *const c = w->spare;
    w->spare = c->next;
    c->next = NULL;
    c->count = 0;
    if (s->first == NULL)
        s->first = c;
    else
        s->last->next = c;
    s->last = c;
    return c;
}

int mrct_wheel_push(struct mrct_wheel *w, uint64_t at_ns, struct mrct_wheel_entry entry)
{
    if (at_ns - w->now_ns >= SLOTS)
        return far_push(w, at_ns, entry);
    struct mrct_wheel_slot *const s = &w->slots[at_ns & MASK];
    struct mrct_wheel_chunk *c = s->last;
    if (s->first == NULL)
        set_used(w, at_ns & MASK);
    if (s->first == NULL || c->count == MRCT_WHEEL_CHUNK)
        c = add_chunk(w, s);
    if (c == NULL)
        return -1;
    c->entry[c->count++] = entry;
    w->near++;
    return 0;
}

/* The first chunk of the slot of now is used up. */
static void drop_chunk(struct mrct_wheel *w, struct mrct_wheel_slot *s)
{
    struct mrct_wheel_chunk *const c = s->first;
    s->first = c->next;
    if (w->cursor == c)
        w->cursor = NULL;
    c->next = w->spare;
    w->spare = c;
    w->taken = 0;
    if (s->first == NULL)
        clear_used(w, w->now_ns & MASK);
}

bool mrct_wheel_take(struct mrct_wheel *w, uint64_t until_ns, struct mrct_wheel_entry *out)
{
    const uint64_t near = w->near > 0 ? used_from_ns(w, w->now_ns) : UINT64_MAX;
    const uint64_t far = w->far_len > 0 ? w->far[0].at_ns : UINT64_MAX;
    if (near > until_ns && far > until_ns)
        return false;
    if (near == UINT64_MAX && far == UINT64_MAX)
        return false;
    /* What was put in long before goes first at its time. */
    if (far <= near) {
        *out = far_pop(w);
        w->now_ns = far;
        return true;
    }
    w->now_ns = near;
    struct mrct_wheel_slot *const s = &w->slots[near & MASK];
    *out = s->first->entry[w->taken++];
    w->near--;
    w->lead -= w->lead > 0;
    if (w->taken == s->first->count)
        drop_chunk(w, s);
    return true;
}

/* To the next entry, or false. */
static bool advance(struct mrct_wheel *w)
{
    if (w->cursor_i < w->cursor->count)
        return true;
    if (w->cursor->next != NULL) {
        w->cursor = w->cursor->next;
        w->cursor_i = 0;
        return true;
    }
    const uint64_t next_ns = used_from_ns(w, w->cursor_ns + 1);
    if (next_ns - w->now_ns > LOOK_NS)
        return false;
    w->cursor_ns = next_ns;
    w->cursor = w->slots[next_ns & MASK].first;
    w->cursor_i = 0;
    return true;
}

/* At the entry that is taken next. */
static void restart(struct mrct_wheel *w)
{
    w->cursor_ns = used_from_ns(w, w->now_ns);
    w->cursor = w->slots[w->cursor_ns & MASK].first;
    w->cursor_i = w->cursor_ns == w->now_ns ? w->taken : 0;
    w->lead = 0;
}

bool mrct_wheel_look(struct mrct_wheel *w, uint64_t lead, struct mrct_wheel_entry *out)
{
    if (w->near == 0 || (w->cursor != NULL && w->lead >= lead))
        return false;
    if (w->cursor == NULL || w->lead == 0)
        restart(w);
    if (!advance(w))
        return false;
    *out = w->cursor->entry[w->cursor_i++];
    w->ahead[w->passed++ & (MRCT_WHEEL_AHEAD - 1)] = *out;
    w->lead++;
    return true;
}
