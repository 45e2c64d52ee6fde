/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of the applications: what was posted, in which order, and what was told of it. */
#include "harness/oracle/app.h"
#include "harness/oracle/core.h"
#include <stdlib.h>

static int app_init(struct mrct_oracle *o, struct flow *f)
{
    (void)o;
    f->app = calloc(1, sizeof *f->app);
    return f->app != NULL ? 0 : -1;
}

static void app_fini(struct flow *f)
{
    if (f->app == NULL)
        return;
    free(f->app->sends.ids);
    free(f->app->sends.done);
    free(f->app->recvs.ids);
    free(f->app->recvs.done);
    free(f->app->imms);
    free(f->app);
    f->app = NULL;
}

/* ---- queues ---- */

static void post(struct app_queue *q, uint64_t id)
{
    if (q->ids == NULL) {
        q->ids = calloc(APP_QUEUE_MAX, sizeof *q->ids);
        q->done = calloc(APP_QUEUE_MAX, sizeof *q->done);
    }
    if (q->ids == NULL || q->done == NULL || q->count == APP_QUEUE_MAX - APP_PAST) {
        q->lost = true;
        return;
    }
    const uint64_t at = (q->head + q->count++) % APP_QUEUE_MAX;
    q->ids[at] = id;
    q->done[at] = false;
}

static bool is_past(const struct app_queue *q, uint64_t id)
{
    for (uint64_t n = 1; n <= APP_PAST && n <= q->head; n++)
        if (q->ids[(q->head - n) % APP_QUEUE_MAX] == id)
            return true;
    return false;
}

static enum app_report report(struct app_model *m, struct app_queue *q, uint64_t id)
{
    uint64_t n = 0;
    if (q->lost || q->ids == NULL)
        return APP_REPORT_NONE;
    while (n < q->count) {
        const uint64_t at = (q->head + n) % APP_QUEUE_MAX;
        if (q->ids[at] == id && !q->done[at])
            break;
        n++;
    }
    if (n == q->count) {
        for (uint64_t k = 0; k < q->count; k++)
            if (q->ids[(q->head + k) % APP_QUEUE_MAX] == id)
                return APP_REPORT_TWICE;
        return is_past(q, id) ? APP_REPORT_TWICE : APP_REPORT_ALIEN;
    }
    m->came_before = q->ids[q->head % APP_QUEUE_MAX];
    q->done[(q->head + n) % APP_QUEUE_MAX] = true;
    while (q->count > 0 && q->done[q->head % APP_QUEUE_MAX]) {
        q->head++;
        q->count--;
    }
    return n == 0 ? APP_REPORT_NEXT : APP_REPORT_LATER;
}

static void at_requestor(struct look *l, struct app_model *m)
{
    if (l->ev->kind == MRCT_EVENT_POST_WRITE)
        post(&m->sends, l->ev->wr_id);
    else if (l->ev->kind == MRCT_EVENT_SEND_DONE)
        m->came = report(m, &m->sends, l->ev->wr_id);
}

static void at_responder(struct look *l, struct app_model *m)
{
    if (l->ev->kind == MRCT_EVENT_POST_RECV) {
        post(&m->recvs, l->ev->wr_id);
        m->recvs_posted++;
    } else if (l->ev->kind == MRCT_EVENT_RECV_IMM) {
        m->came = report(m, &m->recvs, l->ev->wr_id);
        m->recvs_done++;
    } else if (l->ev->kind == MRCT_EVENT_QP_ERROR && !m->responder_error) {
        m->responder_error = true;
        m->responder_error_ns = l->now_ns;
        m->responder_status = l->ev->status;
    }
}

static void app_event(struct look *l)
{
    struct app_model *const m = l->flow->app;
    m->came = APP_REPORT_NONE;
    if (l->ev_at_requestor)
        at_requestor(l, m);
    else
        at_responder(l, m);
}

/* ---- immediate data that arrives ---- */

static void keep_imm(struct app_model *m, const struct mrc_pkt *p)
{
    if (m->imms == NULL)
        m->imms = calloc(APP_IMMS, sizeof *m->imms);
    if (m->imms == NULL)
        return;
    m->imms[m->imm_count++ % APP_IMMS] =
        (struct app_imm){.used = true,
                         .any_len = p->bth.opcode != MRC_OP_WRITE_ONLY_IMM,
                         .imm = p->immdt.imm,
                         .len_bytes = p->reth.dma_len};
}

/* The packet that everything waits for leaves the responder's list at once, so it needs no room. */
static void take_imm(struct look *l, struct app_model *m)
{
    const struct resp_model *const r = l->flow->resp;
    const struct mrc_pkt *const p = &l->obs->pkt;
    if (!r->synced || r->dead || r->came != ARRIVAL_NEW || !MRC_PKT_HAS(p, IMMDT))
        return;
    m->imm_arrived++;
    if (l->cfg->have_events)
        keep_imm(m, p);
    const int max = l->flow->fact.max_wimm;
    const uint64_t waiting = m->imm_arrived - r->wimms;
    if (max < 0 || m->excess || m->imm_unsure || waiting <= (uint64_t)max)
        return;
    m->excess = true;
    m->excess_psn = mrct_resp_extend(r, p->bth.psn);
    m->excess_frame = l->obs->frame_no;
}

/* ---- what a receiver must pass over ---- */

static bool any_reserved(const struct mrc_pkt *p)
{
    return p->bth.r != 0 || p->bth.var_rsvd != 0 || p->bth.inv_rsvd != 0 ||
           (MRC_PKT_HAS(p, TSETH) && p->tseth.rsvd != 0);
}

static void note_odd(struct look *l, struct app_model *m)
{
    const struct resp_model *const r = l->flow->resp;
    const bool reserved = any_reserved(&l->obs->pkt);
    if (r->came != ARRIVAL_NEW || m->odd_count == APP_ODD ||
        (!reserved && l->obs->pkt.udp.checksum == 0))
        return;
    m->odd[m->odd_count++] = (struct app_odd){.psn = mrct_resp_extend(r, l->obs->pkt.bth.psn),
                                              .seq = r->last_seq,
                                              .frame_no = l->obs->frame_no,
                                              .checksum = !reserved};
}

static bool is_shortage(uint8_t reason)
{
    return reason == MRC_NACK_NO_BITMAP || reason == MRC_NACK_NO_PKT_BUFFER ||
           reason == MRC_NACK_NO_RESOURCE;
}

/* A code that has no name may be taken no notice of (REQ-7-10, REQ-7-11), and so may a NAK for what
 * is not in flight. */
bool mrct_app_nak_counts(const struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    const uint8_t syndrome = l->obs->pkt.aeth.syndrome;
    const uint32_t psn = l->obs->pkt.bth.psn;
    const bool listed = syndrome == MRC_SYN_INVALID_REQUEST || syndrome == MRC_SYN_REMOTE_ACCESS ||
                        syndrome == MRC_SYN_REMOTE_OP;
    return listed && m->started && mrct_reqr_find(m, psn) != NULL &&
           (!m->have_ack || mrc_psn_diff(psn, m->ack_psn) > 0);
}

static void app_before(struct look *l)
{
    struct app_model *const m = l->flow->app;
    if (l->kind != KIND_ACK || l->icrc_bad || m->nak_counts || !mrct_app_nak_counts(l))
        return;
    m->nak_counts = true;
    m->nak_counts_ns = l->now_ns;
}

static void app_after(struct look *l)
{
    struct app_model *const m = l->flow->app;
    if (l->icrc_bad)
        return;
    if (l->to_responder && l->kind == KIND_REQUEST) {
        take_imm(l, m);
        note_odd(l, m);
    } else if (l->kind == KIND_NACK) {
        m->nack_ns = l->now_ns;
        m->imm_unsure = true;
        m->refused = m->refused || is_shortage(l->obs->pkt.neth.nack_reason);
    } else if (l->kind == KIND_ACK && (l->obs->pkt.aeth.syndrome & 0x60u) == 0x60u && !m->nak) {
        m->nak = true;
        m->nak_ns = l->now_ns;
        m->nak_frame = l->obs->frame_no;
    }
}

const struct model_ops mrct_app_model = {.init = app_init,
                                         .fini = app_fini,
                                         .before = app_before,
                                         .after = app_after,
                                         .on_event = app_event};
