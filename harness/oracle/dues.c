/* SPDX-License-Identifier: BSD-2-Clause */
/* Obligations with a time: kept per flow, judged when a later frame proves their time over. */
#include "harness/oracle/core.h"
#include <stdlib.h>

struct due_queue {
    uint64_t next_at_ns; /* least at_ns of all; UINT64_MAX when empty */
    unsigned count;
    struct due dues[DUES_MAX]; /* in the order in which they were added */
};

struct due_queue *mrct_dues_new(void)
{
    struct due_queue *const q = calloc(1, sizeof(*q));
    if (q != NULL)
        q->next_at_ns = UINT64_MAX;
    return q;
}

uint64_t mrct_look_reaction(const struct look *l)
{
    const uint64_t err_ns = l->obs != NULL ? l->obs->time_err_ns : 0;
    return l->now_ns + l->cfg->reaction_ns + err_ns;
}

void mrct_look_due(struct look *l, uint64_t at_ns, uint64_t a, uint64_t b)
{
    struct due_queue *const q = l->flow->dues;
    if (q->count == DUES_MAX) {
        mrct_look_unsure(l, "more obligations were open at once than are followed");
        return;
    }
    q->dues[q->count++] = (struct due){.check = l->check,
                                       .row = l->row,
                                       .at_ns = at_ns,
                                       .frame_no = l->obs != NULL ? l->obs->frame_no : 0,
                                       .a = a,
                                       .b = b};
    if (at_ns < q->next_at_ns)
        q->next_at_ns = at_ns;
}

unsigned mrct_look_due_drop(struct look *l, bool (*match)(const struct due *d, const void *arg),
                            const void *arg)
{
    struct due_queue *const q = l->flow->dues;
    unsigned kept = 0, dropped = 0;
    for (unsigned i = 0; i < q->count; i++) {
        const struct due d = q->dues[i];
        if (d.check == l->check && match(&d, arg))
            dropped++;
        else
            q->dues[kept++] = d;
    }
    q->count = kept;
    return dropped;
}

void mrct_dues_run(struct mrct_oracle *o, struct flow *f, uint64_t t_ns)
{
    struct due_queue *const q = f->dues;
    if (t_ns <= q->next_at_ns)
        return;
    f->stirred = true;
    /* Callbacks may add obligations: they land at the end and are looked at too. */
    for (unsigned i = 0; i < q->count;) {
        const struct due d = q->dues[i];
        if (t_ns <= d.at_ns) {
            i++;
            continue;
        }
        q->count--;
        for (unsigned k = i; k < q->count; k++)
            q->dues[k] = q->dues[k + 1];
        struct look l = {.o = o,
                         .cfg = &o->cfg,
                         .facts = o->cfg.facts,
                         .check = d.check,
                         .row = d.row,
                         .flow = f,
                         .due = &d,
                         .now_ns = o->now_ns};
        d.check->on_due(&l, &d);
    }
    q->next_at_ns = UINT64_MAX;
    for (unsigned i = 0; i < q->count; i++)
        if (q->dues[i].at_ns < q->next_at_ns)
            q->next_at_ns = q->dues[i].at_ns;
}
