/* SPDX-License-Identifier: BSD-2-Clause */
/* What has passed on each QP: what a responder reflects, and what a second sending repeats. */
#include "harness/cases/script_priv.h"

#include <stdlib.h>
#include <string.h>

#define PSNS_MAX 65536 /* of a flow that are remembered, from its first PSN on */

static bool is_end(uint8_t opcode)
{
    return opcode >= MRC_OP_WRITE_LAST;
}

static void *grow(void *list, size_t *cap, size_t size, int64_t index)
{
    const size_t want = (size_t)(index / 256 + 1) * 256 * 2;
    if ((size_t)index < *cap) {
        return list;
    }
    char *const more = realloc(list, want * size);
    if (more != NULL) {
        memset(more + *cap * size, 0, (want - *cap) * size);
        *cap = want;
    }
    return more;
}

struct mrct_sent *mrct_play_sent(struct mrct_player *p, unsigned qp, int64_t psn)
{
    struct mrct_play_qp *const q = &p->qp[qp];
    if (psn < 0 || psn >= PSNS_MAX) {
        return NULL;
    }
    struct mrct_sent *const list = grow(q->sent, &q->sent_cap, sizeof *list, psn);
    if (list == NULL) {
        return NULL;
    }
    q->sent = list;
    return &list[psn];
}

const struct mrct_seen *mrct_play_seen(const struct mrct_player *p, unsigned qp, int64_t psn)
{
    const struct mrct_play_qp *const q = &p->qp[qp];
    return psn >= 0 && psn < (int64_t)q->seen_cap && q->seen[psn].got ? &q->seen[psn] : NULL;
}

static int note_at(struct mrct_play_qp *q, int64_t psn, const struct mrc_pkt *pkt)
{
    struct mrct_seen *const list = grow(q->seen, &q->seen_cap, sizeof *list, psn);
    if (list == NULL) {
        return -1;
    }
    q->seen = list;
    struct mrct_seen *const s = &list[psn];
    if (!s->got) {
        q->rcvd_bytes += pkt->nominal_len;
    }
    *s = (struct mrct_seen){.got = true,
                            .rtx = pkt->bth.rtx,
                            .end = is_end(pkt->bth.opcode),
                            .timestamp = MRC_PKT_HAS(pkt, TSETH) ? pkt->tseth.tx_timestamp : 0,
                            .ev = pkt->ev};
    q->seen_latest = psn;
    q->seen_last = psn > q->seen_last ? psn : q->seen_last;
    while (q->seen_cack + 1 < (int64_t)q->seen_cap && q->seen[q->seen_cack + 1].got) {
        q->seen_cack++;
    }
    return 0;
}

int mrct_play_note_seen(struct mrct_player *p, const struct mrct_rx *rx)
{
    const struct mrc_pkt *const pkt = &rx->pkt;
    if (rx->err != MRC_WIRE_OK || !mrc_op_is_write(pkt->bth.opcode) || pkt->trim != MRC_TRIM_NONE) {
        return 0;
    }
    const int qp = mrct_play_qp_of(p, p->w.host, pkt->bth.dest_qp);
    if (qp < 0) {
        return 0;
    }
    const uint32_t base = p->w.start_psn[mrct_play_device(p)][qp];
    const int64_t psn = mrc_psn_diff(pkt->bth.psn, base);
    return psn < 0 || psn >= PSNS_MAX ? 0 : note_at(&p->qp[qp], psn, pkt);
}

void mrct_play_place(struct mrct_player *p, const struct mrct_rx *rx, const uint8_t *payload)
{
    const struct mrc_pkt *const pkt = &rx->pkt;
    const struct mrc_mr *const mr = &p->w.target[p->w.host];
    if (rx->err != MRC_WIRE_OK || !mrc_op_is_write(pkt->bth.opcode) || payload == NULL ||
        pkt->trim != MRC_TRIM_NONE || pkt->reth.rkey != mr->rkey || mr->mem == NULL) {
        return;
    }
    const uint64_t at = pkt->reth.va - mr->va;
    if (at < mr->len_bytes && pkt->payload_len <= mr->len_bytes - at) {
        memcpy(mr->mem + at, payload, pkt->payload_len);
    }
}

uint32_t mrct_play_messages(const struct mrct_player *p, unsigned qp, int64_t upto)
{
    uint32_t n = 0;
    for (int64_t i = 0; i <= upto; i++) {
        const struct mrct_seen *const s = mrct_play_seen(p, qp, i);
        n += s != NULL && s->end;
    }
    return n;
}
