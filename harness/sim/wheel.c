/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/sim/wheel.h"

#include <stdlib.h>

#define SLOTS (UINT64_C(1) << 18) /* 262 us ahead */
#define MASK  (SLOTS - 1)
#define WAYS  4u

int mrct_wheel_init(struct mrct_wheel *w)
{
    *w = (struct mrct_wheel){0};
    w->slots = calloc(SLOTS, sizeof *w->slots);
    uint64_t words = SLOTS;
    for (unsigned i = 0; i < 3; i++) {
        words = (words + 63) / 64;
        w->used[i] = calloc(words, sizeof(uint64_t));
        if (w->used[i] == NULL)
            return -1;
    }
    return w->slots != NULL ? 0 : -1;
}

void mrct_wheel_fini(struct mrct_wheel *w)
{
    free(w->slots);
    for (unsigned i = 0; i < 3; i++)
        free(w->used[i]);
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

static uint64_t near_next_ns(const struct mrct_wheel *w)
{
    if (w->near == 0)
        return UINT64_MAX;
    const uint64_t now = w->now_ns & MASK;
    if (w->slots[now].first != NULL)
        return w->now_ns;
    const uint64_t ahead = find_used(w, now);
    const uint64_t slot = ahead < SLOTS ? ahead : find_used(w, 0);
    return w->now_ns + ((slot - now) & MASK);
}

static int far_before(const struct mrct_wheel_far *a, const struct mrct_wheel_far *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->seq < b->seq;
}

static int far_push(struct mrct_wheel *w, struct mrct_sim_event *ev)
{
    if (w->far_len == w->far_cap) {
        const size_t cap = w->far_cap > 0 ? 2 * w->far_cap : 64;
        struct mrct_wheel_far *const more = realloc(w->far, cap * sizeof *more);
        if (more == NULL)
            return -1;
        w->far = more;
        w->far_cap = cap;
    }
    const struct mrct_wheel_far f = {ev->at_ns, w->far_seq++, ev};
    size_t i = w->far_len++;
    for (; i > 0 && far_before(&f, &w->far[(i - 1) / WAYS]); i = (i - 1) / WAYS)
        w->far[i] = w->far[(i - 1) / WAYS];
    w->far[i] = f;
    return 0;
}

static struct mrct_sim_event *far_pop(struct mrct_wheel *w)
{
    struct mrct_sim_event *const out = w->far[0].ev;
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

int mrct_wheel_push(struct mrct_wheel *w, struct mrct_sim_event *ev)
{
    if (ev->at_ns - w->now_ns >= SLOTS)
        return far_push(w, ev);
    struct mrct_wheel_slot *const s = &w->slots[ev->at_ns & MASK];
    ev->next = NULL;
    if (s->first == NULL) {
        s->first = ev;
        set_used(w, ev->at_ns & MASK);
    } else {
        s->last->next = ev;
    }
    s->last = ev;
    w->near++;
    return 0;
}

uint64_t mrct_wheel_next_ns(const struct mrct_wheel *w)
{
    const uint64_t near = near_next_ns(w);
    return w->far_len > 0 && w->far[0].at_ns < near ? w->far[0].at_ns : near;
}

struct mrct_sim_event *mrct_wheel_pop(struct mrct_wheel *w)
{
    const uint64_t near = near_next_ns(w);
    /* What was put in long before goes first at its time. */
    if (w->far_len > 0 && w->far[0].at_ns <= near) {
        struct mrct_sim_event *const ev = far_pop(w);
        w->now_ns = ev->at_ns;
        return ev;
    }
    w->now_ns = near;
    struct mrct_wheel_slot *const s = &w->slots[near & MASK];
    struct mrct_sim_event *const ev = s->first;
    s->first = ev->next;
    w->near--;
    if (s->first == NULL)
        clear_used(w, near & MASK);
    return ev;
}
