/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that take seeds in turn; what they find is handed on in the order of the seeds. */
#include "harness/cli/swarm.h"

#include <pthread.h>
#include <stdlib.h>

#define AHEAD 16u /* seeds a thread may be ahead of the slowest */

struct slot {
    struct mrct_swarm_seed seed;
    bool full;
};

struct crew {
    const struct mrct_swarm_order *order;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t next, taken, count; /* seeds begun and handed on, of all; from 0 */
    struct slot *slots;          /* a ring */
    uint64_t slot_count;
};

/* The next seed to run, from 0; false when none is left. Waits while it is too far ahead. */
static bool next_seed(struct crew *c, uint64_t *at)
{
    (void)pthread_mutex_lock(&c->lock);
    while (c->next < c->count && c->next - c->taken >= c->slot_count) {
        (void)pthread_cond_wait(&c->moved, &c->lock);
    }
    const bool more = c->next < c->count;
    *at = c->next;
    c->next += more;
    (void)pthread_mutex_unlock(&c->lock);
    return more;
}

static void *work(void *user)
{
    struct crew *const c = user;
    for (uint64_t at; next_seed(c, &at);) {
        struct mrct_swarm_seed seed;
        mrct_swarm_seed_run(c->order, c->order->first + at, &seed);
        (void)pthread_mutex_lock(&c->lock);
        c->slots[at % c->slot_count] = (struct slot){.seed = seed, .full = true};
        (void)pthread_cond_broadcast(&c->moved);
        (void)pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}

static struct mrct_swarm_seed wait_for(struct crew *c, uint64_t at)
{
    struct slot *const s = &c->slots[at % c->slot_count];
    (void)pthread_mutex_lock(&c->lock);
    while (!s->full) {
        (void)pthread_cond_wait(&c->moved, &c->lock);
    }
    const struct mrct_swarm_seed seed = s->seed;
    s->full = false;
    c->taken = at + 1;
    (void)pthread_cond_broadcast(&c->moved);
    (void)pthread_mutex_unlock(&c->lock);
    return seed;
}

int mrct_swarm_crew(const struct mrct_swarm_order *o,
                    void (*take)(void *user, const struct mrct_swarm_seed *s), void *user)
{
    struct crew c = {.order = o,
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .moved = PTHREAD_COND_INITIALIZER,
                     .count = o->last - o->first + 1,
                     .slot_count = (uint64_t)o->jobs * AHEAD};
    pthread_t *const threads = calloc(o->jobs, sizeof *threads);
    c.slots = calloc(c.slot_count, sizeof *c.slots);
    unsigned started = 0;
    if (threads == NULL || c.slots == NULL) {
        free(threads);
        free(c.slots);
        return -1;
    }
    while (started < o->jobs && pthread_create(&threads[started], NULL, work, &c) == 0) {
        started++;
    }
    for (uint64_t at = 0; started > 0 && at < c.count; at++) {
        struct mrct_swarm_seed seed = wait_for(&c, at);
        take(user, &seed);
        mrct_swarm_seed_fini(&seed);
    }
    for (unsigned i = 0; i < started; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    free(threads);
    free(c.slots);
    return started > 0 ? 0 : -1;
}
