/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Doubts: what a SACK says falls short of what came. A responder may have turned a packet away
 * whose NACK still waits behind the SACK, for its service time or a busy port, and then the SACK
 * was right. So the failure is kept until the time for that NACK is over. A capture that ends
 * sooner excuses a responder only that has turned packets away before.
 */
#include "harness/oracle/resp.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static struct resp_doubt *free_place(struct resp_model *m)
{
    if (m->doubts == NULL)
        m->doubts = calloc(RESP_DOUBTS_MAX, sizeof(*m->doubts));
    for (size_t i = 0; m->doubts != NULL && i < RESP_DOUBTS_MAX; i++)
        if (m->doubts[i].check == NULL)
            return &m->doubts[i];
    return NULL;
}

void mrct_resp_doubt(struct look *l, bool any_reading, const char *fmt, ...)
{
    struct resp_model *const m = l->flow->resp;
    struct resp_doubt *const d = free_place(m);
    if (d == NULL)
        return; /* so many wait already that one more would tell nothing new */
    *d = (struct resp_doubt){.check = l->check,
                             .last_seq = m->last_seq,
                             .time_ns = l->now_ns,
                             .frame_no = l->obs->frame_no,
                             .any_reading = any_reading};
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(d->words, sizeof(d->words), fmt, ap);
    va_end(ap);
    mrct_look_due(l, mrct_look_reaction(l), (uint64_t)(d - m->doubts), 0);
}

/* The fault is as old as its frame. */
static void settle(struct look *l, struct resp_doubt *d, bool excused)
{
    const struct due due = {.frame_no = d->frame_no};
    const struct due *const due_before = l->due;
    const uint64_t now_ns = l->now_ns;
    l->due = &due;
    l->now_ns = d->time_ns;
    if (excused)
        mrct_look_unsure(l, "a NACK may have taken back what the SACK seems to leave out");
    else if (d->any_reading)
        mrct_look_fail_any_reading(l, "%s", d->words);
    else
        mrct_look_fail(l, "%s", d->words);
    l->due = due_before;
    l->now_ns = now_ns;
    d->check = NULL;
}

void mrct_resp_doubt_due(struct look *l, const struct due *due)
{
    struct resp_doubt *const d = &l->flow->resp->doubts[due->a];
    settle(l, d, d->excused);
}

void mrct_resp_doubt_end(struct look *l)
{
    struct resp_model *const m = l->flow->resp;
    for (size_t i = 0; m->doubts != NULL && i < RESP_DOUBTS_MAX; i++) {
        struct resp_doubt *const d = &m->doubts[i];
        if (d->check == l->check)
            settle(l, d, d->excused || m->any_refused);
    }
}

void mrct_resp_excuse(struct resp_model *m, uint64_t seq)
{
    for (size_t i = 0; m->doubts != NULL && i < RESP_DOUBTS_MAX; i++)
        if (m->doubts[i].last_seq >= seq)
            m->doubts[i].excused = true;
}
