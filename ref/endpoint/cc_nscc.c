/* SPDX-License-Identifier: BSD-2-Clause */
/* NSCC behind the interface of congestion control: a profile's values in, SACKs and NACKs through.
 */
#include "ref/endpoint/cc.h"
#include "ref/endpoint/nscc.h"

struct nscc {
    struct mrc_cc cc; /* first */
    struct mrc_nscc n;
};

static const double avg_gain_q22b = 1.0 / 80.0;

static bool nscc_valid(const struct mrc_cc_profile *p)
{
    return p->line_rate_bps > 0 && p->line_rate_bps <= 1e13 && p->base_rtt_ns > 0 &&
           p->base_rtt_ns <= UINT32_MAX && p->target_delay_ns <= UINT32_MAX && p->eta >= 0 &&
           p->fi >= 0 && p->fi_scale >= 0 && p->gamma >= 0 && p->max_md_jump >= 0 &&
           p->max_md_jump <= 1 && p->qa_gate >= 0 && p->qa_gate <= 31 &&
           (p->q22_avg == 'a' || p->q22_avg == 'b');
}

static void set_double(double *to, double wanted)
{
    if (wanted > 0)
        *to = wanted;
}

static void set_u64(uint64_t *to, uint64_t wanted)
{
    if (wanted > 0)
        *to = wanted;
}

static uint64_t target_of(const struct mrc_cc_profile *p)
{
    if (p->target_delay_ns > 0)
        return p->target_delay_ns;
    const uint64_t target = p->trimming ? p->base_rtt_ns * 3 / 4 : p->base_rtt_ns;
    return target > 0 ? target : 1;
}

static void configure(struct mrc_nscc_config *cfg, const struct mrc_cc_profile *p)
{
    *cfg = (struct mrc_nscc_config){
        .line_rate_bps = p->line_rate_bps,
        .base_rtt_ns = p->base_rtt_ns,
        .target_delay_ns = target_of(p),
        .mtu_bytes = p->mtu_bytes,
        .disable_qa = p->disable_qa,
    };
    mrc_nscc_config_derive(cfg);
    cfg->max_cwnd_bytes = p->max_cwnd_bytes;
    if (p->adjust_bytes > 0)
        cfg->adjust_bytes = p->adjust_bytes;
    set_u64(&cfg->adjust_period_ns, p->adjust_period_ns);
    set_u64(&cfg->qa_threshold_ns, p->qa_threshold_ns);
    set_double(&cfg->eta, p->eta);
    set_double(&cfg->fi, p->fi);
    set_double(&cfg->fi_scale, p->fi_scale);
    set_double(&cfg->gamma, p->gamma);
    set_double(&cfg->max_md_jump, p->max_md_jump);
    cfg->qa_gate = (unsigned)p->qa_gate;
    if (p->q22_avg == 'b')
        cfg->avg_gain = avg_gain_q22b;
}

/* What the rest of the endpoint sees: whole bytes. */
static void show(struct nscc *s)
{
    s->cc.cwnd_bytes = (uint64_t)s->n.cwnd;
    s->cc.inflight_bytes = s->n.inflight;
}

static void nscc_init(struct mrc_cc *cc, const struct mrc_cc_profile *profile, uint64_t now_ns)
{
    struct nscc *s = (struct nscc *)cc;
    struct mrc_nscc_config cfg;
    configure(&cfg, profile);
    mrc_nscc_init(&s->n, &cfg, now_ns);
    s->cc.by_sacks = true;
    show(s);
}

static bool nscc_can_send(const struct mrc_cc *cc)
{
    return mrc_nscc_can_send(&((const struct nscc *)cc)->n);
}

static void nscc_on_send(struct mrc_cc *cc, uint64_t now_ns, uint32_t size_bytes)
{
    (void)now_ns;
    struct nscc *s = (struct nscc *)cc;
    mrc_nscc_on_send(&s->n, size_bytes);
    show(s);
}

/* A transport ACK says nothing that the next SACK's rcvd_bytes will not say. A peer without
 * CC_STATE (Q18) leaves only the own books, and no other signal. */
static void nscc_on_sack(struct mrc_cc *cc, const struct mrc_cc_sack *sack)
{
    struct nscc *s = (struct nscc *)cc;
    const struct mrc_nscc_sack news = {
        .newly_rcvd = (uint32_t)(sack->has_cc_state ? sack->newly_rcvd_bytes : sack->acked_bytes),
        .marked = sack->ce_marked,
        .rtt_ns = sack->rtt_valid ? sack->rtt_ns : MRC_NSCC_NO_RTT,
        .rcv_cwnd_pen = sack->rcv_cwnd_pen,
        .restore_cwnd = sack->restore_cwnd,
    };
    if (!sack->is_ack)
        mrc_nscc_on_sack(&s->n, sack->now_ns, &news);
    show(s);
}

static void nscc_on_nack(struct mrc_cc *cc, const struct mrc_cc_nack *nack)
{
    struct nscc *s = (struct nscc *)cc;
    mrc_nscc_on_nack(&s->n, nack->now_ns, nack->size_bytes, nack->trimmed,
                     nack->rtt_valid ? nack->rtt_ns : MRC_NSCC_NO_RTT);
    show(s);
}

static void nscc_on_loss(struct mrc_cc *cc, uint64_t now_ns, uint32_t size_bytes)
{
    (void)now_ns;
    struct nscc *s = (struct nscc *)cc;
    mrc_nscc_on_loss(&s->n, size_bytes);
    show(s);
}

static void nscc_on_forget(struct mrc_cc *cc, uint64_t bytes)
{
    struct nscc *s = (struct nscc *)cc;
    s->n.inflight -= (int64_t)bytes;
    show(s);
}

/* rcvd_bytes comes in units of 256 and counts what was taken for lost and had arrived: what is left
 * when nothing is in flight is an error of the books. */
static void nscc_on_idle(struct mrc_cc *cc)
{
    struct nscc *s = (struct nscc *)cc;
    s->n.inflight = 0;
    show(s);
}

static void nscc_view(const struct mrc_cc *cc, struct mrc_cc_view *view)
{
    const struct mrc_nscc *n = &((const struct nscc *)cc)->n;
    *view = (struct mrc_cc_view){
        .cwnd_bytes = n->cwnd,
        .max_wnd_bytes = n->max_wnd,
        .saved_cwnd_bytes = n->saved_cwnd,
        .avg_delay_ns = n->have_avg ? n->avg_delay_ns : 0,
        .inc_bytes = n->inc_bytes,
        .base_rtt_ns = n->base_rtt_ns,
        .qa_endtime_ns = n->qa_endtime_ns,
        .last_dec_ns = n->last_dec_ns,
        .last_adjust_ns = n->last_adjust_ns,
        .received_bytes = n->received_bytes,
        .achieved_bytes = n->achieved_bytes,
        .fi_count = n->fi_count,
        .bytes_to_ignore = n->bytes_to_ignore,
        .bytes_ignored = n->bytes_ignored,
        .increase_mode = n->increase_mode,
        .trigger_qa = n->trigger_qa,
    };
}

const struct mrc_cc_ops mrc_cc_nscc = {
    .name = "nscc",
    .size_bytes = sizeof(struct nscc),
    .valid = nscc_valid,
    .init = nscc_init,
    .can_send = nscc_can_send,
    .on_send = nscc_on_send,
    .on_sack = nscc_on_sack,
    .on_nack = nscc_on_nack,
    .on_loss = nscc_on_loss,
    .on_forget = nscc_on_forget,
    .on_idle = nscc_on_idle,
    .view = nscc_view,
};
