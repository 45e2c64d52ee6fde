/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of a packet on its way: the rules first, in their order, then chance. */
#include "harness/fabric/internal.h"

#define MILLION 1000000u

static uint32_t at_least_1(int64_t arg)
{
    return arg < 1 ? 1 : (uint32_t)arg;
}

static bool act_drop(struct mrct_fab *fab, struct mrct_fab_rule *rule, struct mrct_fab_pkt *pkt,
                     struct mrct_fate *fate)
{
    (void)rule;
    (void)pkt;
    fate->dropped = true;
    fab->account.dropped_rule++;
    return true;
}

static bool act_duplicate(struct mrct_fab *fab, struct mrct_fab_rule *rule,
                          struct mrct_fab_pkt *pkt, struct mrct_fate *fate)
{
    (void)fab;
    (void)pkt;
    fate->copies += at_least_1(rule->r.arg);
    fate->copy_apart_ns = rule->r.arg_ns;
    return true;
}

static bool act_delay(struct mrct_fab *fab, struct mrct_fab_rule *rule, struct mrct_fab_pkt *pkt,
                      struct mrct_fate *fate)
{
    (void)pkt;
    fate->delay_ns += rule->r.arg_ns;
    fab->account.delayed++;
    return true;
}

static bool act_reorder(struct mrct_fab *fab, struct mrct_fab_rule *rule, struct mrct_fab_pkt *pkt,
                        struct mrct_fate *fate)
{
    (void)fate;
    pkt->hold_past = at_least_1(rule->r.arg);
    pkt->hold_flush_ns = rule->r.arg_ns == 0 ? MRCT_REORDER_FLUSH_NS : rule->r.arg_ns;
    fab->account.reordered++;
    return true;
}

static bool act_corrupt(struct mrct_fab *fab, struct mrct_fab_rule *rule, struct mrct_fab_pkt *pkt,
                        struct mrct_fate *fate)
{
    (void)fate;
    const struct mrct_corruption c = {rule->field, rule->r.value, rule->r.bit, rule->r.mend_icrc};
    const bool hit = mrct_fab_corrupt(fab, pkt, &c);
    fab->account.corrupted += hit;
    return hit;
}

static bool act_mark(struct mrct_fab *fab, struct mrct_fab_rule *rule, struct mrct_fab_pkt *pkt,
                     struct mrct_fate *fate)
{
    (void)rule;
    (void)fate;
    const bool hit = mrct_act_mark_ce(&pkt->frame, &fab->seen);
    fab->account.marked += hit;
    return hit;
}

static bool act_trim(struct mrct_fab *fab, struct mrct_fab_rule *rule, struct mrct_fab_pkt *pkt,
                     struct mrct_fate *fate)
{
    (void)fate;
    const bool hit = mrct_act_trim(&fab->cfg.wire, &pkt->frame, &fab->seen, rule->r.arg == 1);
    fab->account.trimmed += hit;
    return hit;
}

static bool act_dscp(struct mrct_fab *fab, struct mrct_fab_rule *rule, struct mrct_fab_pkt *pkt,
                     struct mrct_fate *fate)
{
    (void)fate;
    return mrct_act_dscp(&pkt->frame, &fab->seen, (uint8_t)rule->r.arg);
}

/* By enum mrct_fault_act. True: the packet could be and was changed. */
static bool (*const acts[])(struct mrct_fab *, struct mrct_fab_rule *, struct mrct_fab_pkt *,
                            struct mrct_fate *) = {
    [MRCT_ACT_DROP] = act_drop,       [MRCT_ACT_DUPLICATE] = act_duplicate,
    [MRCT_ACT_DELAY] = act_delay,     [MRCT_ACT_REORDER] = act_reorder,
    [MRCT_ACT_CORRUPT] = act_corrupt, [MRCT_ACT_MARK_CE] = act_mark,
    [MRCT_ACT_TRIM] = act_trim,       [MRCT_ACT_DSCP] = act_dscp,
};

static void by_rule(struct mrct_fab *fab, struct mrct_fab_pkt *pkt, struct mrct_fate *fate)
{
    for (size_t i = 0; i < fab->rule_count && !fate->dropped; i++)
        if (mrct_fab_rule_hits(fab, i, pkt))
            fab->rules[i].r.hits += acts[fab->rules[i].r.act](fab, &fab->rules[i], pkt, fate);
}

/* Draws only for a fault that is switched on, so that one rate does not shift another's draws away
 * from a run that never had it. */
static bool chance(struct mrct_fab *fab, uint32_t ppm)
{
    return ppm > 0 && mrct_rng_below(&fab->rng, MILLION) < ppm;
}

/* Tells whoever asked what chance did, as a rule. */
static void tell(struct mrct_fab *fab, const struct mrct_fab_pkt *pkt, enum mrct_fault_act act,
                 int64_t arg, uint64_t arg_ns)
{
    if (fab->chance == NULL)
        return;
    struct mrct_fault_rule same;
    mrct_fault_rule_init(&same);
    same.act = act;
    same.arg = arg;
    same.arg_ns = arg_ns;
    same.bit = act == MRCT_ACT_CORRUPT ? (uint32_t)arg : 0;
    same.match.direction = (int)pkt->dir;
    same.match.nth_first = same.match.nth_last = fab->chance_seen[pkt->dir];
    fab->chance(fab->chance_user, &same);
}

void mrct_fab_set_chance(struct mrct_fab *fab, mrct_fab_chance told, void *user)
{
    fab->chance = told;
    fab->chance_user = user;
}

static void by_chance(struct mrct_fab *fab, struct mrct_fab_pkt *pkt, struct mrct_fate *fate)
{
    const struct mrct_fab_config *const c = &fab->cfg;
    fab->chance_seen[pkt->dir]++;
    if (c->random_until_ns != 0 && mrct_fab_now(fab) >= c->random_until_ns)
        return;
    if (chance(fab, c->loss_ppm)) {
        fate->dropped = true;
        fab->account.dropped_random++;
        tell(fab, pkt, MRCT_ACT_DROP, 0, 0);
        return;
    }
    if (chance(fab, c->dup_ppm)) {
        fate->copies++;
        tell(fab, pkt, MRCT_ACT_DUPLICATE, 1, 0);
    }
    if (chance(fab, c->ce_ppm) && mrct_act_mark_ce(&pkt->frame, &fab->seen)) {
        fab->account.marked++;
        tell(fab, pkt, MRCT_ACT_MARK_CE, 0, 0);
    }
    if (chance(fab, c->trim_ppm)) {
        const bool last_hop = mrct_rng_below(&fab->rng, 2) != 0;
        if (mrct_act_trim(&c->wire, &pkt->frame, &fab->seen, last_hop)) {
            fab->account.trimmed++;
            tell(fab, pkt, MRCT_ACT_TRIM, last_hop, 0);
        }
    }
    uint32_t bit = 0;
    if (chance(fab, c->corrupt_ppm) && mrct_fab_corrupt_random(fab, pkt, &bit)) {
        fab->account.corrupted++;
        tell(fab, pkt, MRCT_ACT_CORRUPT, bit, 0);
    }
    if (chance(fab, c->delay_ppm)) {
        const uint64_t most = c->delay_max_ns > UINT32_MAX - 1 ? UINT32_MAX - 1 : c->delay_max_ns;
        const uint64_t by_ns = 1 + mrct_rng_below(&fab->rng, (uint32_t)most + 1);
        fate->delay_ns += by_ns;
        fab->account.delayed++;
        tell(fab, pkt, MRCT_ACT_DELAY, 0, by_ns);
    }
}

void mrct_fab_fate(struct mrct_fab *fab, struct mrct_fab_pkt *pkt, struct mrct_fate *fate)
{
    *fate = (struct mrct_fate){0};
    by_rule(fab, pkt, fate);
    if (!fate->dropped)
        by_chance(fab, pkt, fate);
}
