/* SPDX-License-Identifier: BSD-2-Clause */
/* The requestor's model, events: what the application posted and what it became on the wire. */
#include "harness/oracle/reqr.h"
#include <stdlib.h>

static void posted(struct reqr_model *m, const struct mrct_event *ev)
{
    if (m->posts == NULL)
        m->posts = calloc(REQR_POSTS_MAX, sizeof *m->posts);
    if (m->posts == NULL || m->post_count == REQR_POSTS_MAX) {
        m->posts_lost = true;
        return;
    }
    struct reqr_post *const p = &m->posts[(m->post_head + m->post_count) % REQR_POSTS_MAX];
    *p = (struct reqr_post){.wr_id = ev->wr_id,
                            .va = ev->va,
                            .len_bytes = ev->len_bytes,
                            .rkey = ev->rkey,
                            .has_imm = ev->has_imm,
                            .imm = ev->imm};
    m->post_count++;
    m->post_unsent++;
}

void mrct_reqr_post_sent(struct reqr_model *m, uint32_t last_psn)
{
    if (m->post_unsent == 0)
        return;
    const unsigned i = m->post_count - m->post_unsent;
    struct reqr_post *const p = &m->posts[(m->post_head + i) % REQR_POSTS_MAX];
    p->sent = true;
    p->last_psn = last_psn;
    m->post_unsent--;
}

struct reqr_post *mrct_reqr_post(const struct reqr_model *m, uint64_t wr_id)
{
    for (unsigned i = 0; i < m->post_count; i++) {
        struct reqr_post *const p = &m->posts[(m->post_head + i) % REQR_POSTS_MAX];
        if (p->wr_id == wr_id)
            return p;
    }
    return NULL;
}

/* Forgets completed posts from the oldest on; those of the event at hand are still found. */
static void forget_done(struct reqr_model *m)
{
    while (m->post_count > 0 && m->posts[m->post_head].done) {
        m->post_head = (m->post_head + 1) % REQR_POSTS_MAX;
        m->post_count--;
        if (m->post_unsent > m->post_count)
            m->post_unsent = m->post_count;
    }
}

void mrct_reqr_event(struct look *l)
{
    struct reqr_model *const m = l->flow->reqr;
    if (!l->ev_at_requestor)
        return;
    forget_done(m);
    struct reqr_post *const done =
        l->ev->kind == MRCT_EVENT_SEND_DONE ? mrct_reqr_post(m, l->ev->wr_id) : NULL;
    if (done != NULL)
        done->done = true;
    if (l->ev->kind == MRCT_EVENT_POST_WRITE)
        posted(m, l->ev);
    if (l->ev->kind == MRCT_EVENT_QP_ERROR && !m->qp_error) {
        m->qp_error = true;
        m->qp_error_ns = l->now_ns;
        m->qp_error_status = l->ev->status;
    }
}
