/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Info column. */
#include "mrc_plugin.h"

struct line {
    wmem_strbuf_t *text;
    const struct mrc_packet *p;
    const struct mrc_result *r;
};

static void add(struct line *l, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void add(struct line *l, const char *format, ...)
{
    va_list args;
    if (wmem_strbuf_get_len(l->text) > 0) {
        wmem_strbuf_append_c(l->text, ' ');
    }
    va_start(args, format);
    wmem_strbuf_append_vprintf(l->text, format, args);
    va_end(args);
}

static void add_psn(struct line *l, const char *name, uint32_t psn)
{
    const struct mrc_result *const r = l->r;
    if (mrc_prefs.relative_psn && r && r->stream && r->stream->has_first && r->has_rel) {
        add(l, "%s=%d", name, r->rel + mrc_psn_less(psn, l->p->bth.psn));
    } else {
        add(l, "%s=%u", name, psn);
    }
}

static void add_request(struct line *l)
{
    const struct mrc_packet *const p = l->p;
    add_psn(l, "PSN", p->bth.psn);
    if (MRC_HAS(p, METH)) {
        add(l, "MSN=%u", p->meth.msn);
    }
    if (p->have_payload_len) {
        add(l, "Len=%u", p->payload_len);
    }
    if (l->r && l->r->has_offset) {
        add(l, "Off=%u/%u", l->r->offset, l->r->message->len);
    }
    add(l, "EV=0x%08x", p->ev);
}

static void add_sack(struct line *l)
{
    const struct mrc_seth *const h = &l->p->seth;
    add_psn(l, "cAck", h->cack_psn);
    if (h->pr) {
        add(l, "Probe=0x%04x", h->probe_id);
    } else {
        add_psn(l, "Trigger", mrc_psn_plus(h->cack_psn, h->ack_psn_offset));
    }
    add(l, "EV=0x%08x", h->entropy);
    if (h->m > 0) {
        const char *const name = mrc_seth_m_str(h->m);
        add(l, "M=%s", name ? name : "reserved");
    }
    if (l->p->cc_state.ooo_count > 0) {
        add(l, "OOO=%u", l->p->cc_state.ooo_count);
    }
}

static void add_nack(struct line *l)
{
    const struct mrc_neth *const h = &l->p->neth;
    const char *const name = mrc_nack_reason_str(h->nack_reason);
    add_psn(l, "PSN", h->nack_psn);
    add(l, "%s", name ? name : "unlisted");
    add(l, "EV=0x%08x", h->entropy);
}

static void add_ack(struct line *l)
{
    const char *const name = mrc_syndrome_str(l->p->aeth.syndrome);
    add_psn(l, "PSN", l->p->bth.psn);
    add(l, "MSN=%u", l->p->aeth.msn);
    add(l, "%s", name ? name : "unlisted");
}

static void add_endpoint(struct line *l)
{
    const struct mrc_packet *const p = l->p;
    const unsigned op = MRC_HAS(p, ERTH) ? p->erth.op : p->eeth.op;
    const char *const name = mrc_ep_op_str(op);
    add(l, "%s", name ? name : "reserved");
    add(l, "Id=0x%04x", p->bth.psn & 0xFFFF);
    if (MRC_HAS(p, ERTH) && op == MRC_EP_OP_PORT_STATUS) {
        add(l, "Ports=0x%08x", p->erth.port_status_mask);
    }
}

static void add_kind(struct line *l)
{
    const struct mrc_packet *const p = l->p;
    if (p->is_request) {
        add_request(l);
    } else if (MRC_HAS(p, CC_STATE)) {
        add_sack(l);
    } else if (MRC_HAS(p, NETH)) {
        add_nack(l);
    } else if (MRC_HAS(p, AETH)) {
        add_ack(l);
    } else if (MRC_HAS(p, PETH)) {
        add(l, "Probe=0x%04x", p->peth.probe_id);
        add(l, "EV=0x%08x", p->ev);
    } else if (MRC_HAS(p, ERTH) || MRC_HAS(p, EETH)) {
        add_endpoint(l);
    }
}

static void add_flags(struct line *l)
{
    const struct mrc_packet *const p = l->p;
    if (MRC_HAS(p, BTH) && p->bth.a) {
        add(l, "A");
    }
    if (MRC_HAS(p, BTH) && p->bth.rtx) {
        add(l, "RTX");
    }
    if (p->carrier.ecn == MRC_ECN_CE) {
        add(l, "CE");
    }
    if (p->trim > 0) {
        add(l, p->trim == 1 ? "[Trimmed]" : "[Trimmed at the last hop]");
    }
    if (p->error) {
        add(l, "[%s]", p->error);
    }
}

static void add_list(struct line *l, const char *word, wmem_array_t *list, packet_info *pinfo)
{
    if (list) {
        add(l, "[%s %s]", word,
            mrc_show_ranges(pinfo->pool, (const int32_t *)wmem_array_get_raw(list),
                            wmem_array_get_count(list),
                            mrc_prefs.relative_psn ? 0 : l->r->stream->first));
    }
}

static void add_analysis(struct line *l, packet_info *pinfo)
{
    const struct mrc_result *const r = l->r;
    if (r->retransmission != 0) {
        add(l, "[Retransmission of frame %u]", r->retransmission);
    }
    if (r->original_unseen) {
        add(l, "[Retransmission, original not captured]");
    }
    if (r->duplicate != 0) {
        add(l, "[Same as frame %u]", r->duplicate);
    }
    if (r->data && r->data->acked != 0) {
        add(l, "[Acked in frame %u after %.3f us]", r->data->acked,
            (double)(r->data->acked_now - r->send->now) / 1000);
    }
    if (r->ev_state != MRC_EV_GOOD) {
        add(l, "[EV told: %s]", r->ev_state == MRC_EV_SKIP ? "skip once" : "assumed bad");
    }
    if (r->answers != 0) {
        add(l, "[Answers frame %u]", r->answers);
    }
    add_list(l, "Acks", r->acked, pinfo);
    add_list(l, "Holes", r->holes, pinfo);
    if (r->has_rtt) {
        add(l, "[RTT %.3f us]", (double)r->rtt / 1000);
    }
}

void mrc_show_info(const struct mrc_packet *p, const struct mrc_result *r, packet_info *pinfo)
{
    struct line l = {wmem_strbuf_new(pinfo->pool, ""), p, r};
    add(&l, "%s", MRC_OP_NAME(p) ? MRC_OP_NAME(p) : "MRC");
    if (MRC_HAS(p, BTH)) {
        add(&l, "QP=0x%x", p->bth.dest_qp);
    }
    add_kind(&l);
    add_flags(&l);
    if (r) {
        add_analysis(&l, pinfo);
    }
    col_add_str(pinfo->cinfo, COL_INFO, wmem_strbuf_get_str(l.text));
}
