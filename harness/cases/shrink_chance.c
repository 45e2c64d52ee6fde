/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/shrink_chance.h"

#include <inttypes.h>
#include <stdlib.h>

void mrct_chance_log_init(struct mrct_chance_log *log)
{
    *log = (struct mrct_chance_log){.rules = NULL};
}

void mrct_chance_log_fini(struct mrct_chance_log *log)
{
    free(log->rules);
}

void mrct_chance_log_add(void *user, const struct mrct_fault_rule *same)
{
    struct mrct_chance_log *const log = user;
    if (log->count == log->cap) {
        const size_t cap = 2 * log->cap + 64;
        struct mrct_fault_rule *const more = realloc(log->rules, cap * sizeof *more);
        if (more == NULL) {
            log->failed = true;
            return;
        }
        log->rules = more;
        log->cap = cap;
    }
    log->rules[log->count++] = *same;
}

static int add_key(struct mrct_pool *pool, struct mrct_tree *map, const char *key, uint64_t v,
                   const char *unit)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%" PRIu64 "%s", v, unit);
    return mrct_tree_add(pool, map, mrct_tree_new(pool, MRCT_TREE_TEXT, key, text));
}

/* What stands before the colon, and what a rule of its kind says besides. */
static int add_own(struct mrct_pool *pool, struct mrct_tree *map, const struct mrct_fault_rule *r)
{
    switch (r->act) {
    case MRCT_ACT_DELAY:
        return add_key(pool, map, "by", r->arg_ns, "ns");
    case MRCT_ACT_CORRUPT:
        return add_key(pool, map, "bit", r->bit, "");
    case MRCT_ACT_TRIM:
        return r->arg == 0 ? 0
                           : mrct_tree_add(pool, map,
                                           mrct_tree_new(pool, MRCT_TREE_TEXT, "last_hop", "true"));
    case MRCT_ACT_DROP:
    case MRCT_ACT_DUPLICATE:
    case MRCT_ACT_REORDER:
    case MRCT_ACT_MARK_CE:
    case MRCT_ACT_DSCP:
        break;
    }
    return 0;
}

static struct mrct_tree *fault_of(struct mrct_pool *pool, const struct mrct_fault_rule *r)
{
    static const char *const names[] = {
        [MRCT_ACT_DROP] = "drop",       [MRCT_ACT_DUPLICATE] = "duplicate",
        [MRCT_ACT_DELAY] = "delay",     [MRCT_ACT_REORDER] = "reorder",
        [MRCT_ACT_CORRUPT] = "corrupt", [MRCT_ACT_MARK_CE] = "mark_ce",
        [MRCT_ACT_TRIM] = "trim",       [MRCT_ACT_DSCP] = "dscp",
    };
    struct mrct_tree *const fault = mrct_tree_new(pool, MRCT_TREE_MAP, NULL, NULL);
    struct mrct_tree *const map = mrct_tree_new(pool, MRCT_TREE_MAP, names[r->act], NULL);
    if (fault == NULL || map == NULL || mrct_tree_add(pool, fault, map) != 0 ||
        mrct_tree_add(pool, map,
                      mrct_tree_new(pool, MRCT_TREE_TEXT, "direction",
                                    r->match.direction == 0 ? "requests" : "responses")) != 0 ||
        add_key(pool, map, "nth", (uint64_t)r->match.nth_first, "") != 0 ||
        add_own(pool, map, r) != 0) {
        return NULL;
    }
    return fault;
}

static bool same_packet(const struct mrct_fault_rule *a, const struct mrct_fault_rule *b)
{
    return a->match.direction == b->match.direction && a->match.nth_first == b->match.nth_first;
}

int mrct_chance_log_tree(const struct mrct_chance_log *log, struct mrct_pool *pool,
                         struct mrct_tree *faults)
{
    if (log->failed) {
        return -1;
    }
    for (size_t to = log->count; to > 0;) {
        size_t from = to - 1;
        while (from > 0 && same_packet(&log->rules[from - 1], &log->rules[to - 1])) {
            from--;
        }
        for (size_t i = from; i < to; i++) {
            if (mrct_tree_add(pool, faults, fault_of(pool, &log->rules[i])) != 0) {
                return -1;
            }
        }
        to = from;
    }
    return 0;
}
