/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/endpoint/nscc.h"

/* UET's reference network: 100 Gb/s with a round trip of 12 us. */
static const double ref_bdp_bytes = 150000.0;
static const double ref_rtt_ns = 12000.0;

static double max_double(double a, double b)
{
    return a > b ? a : b;
}

static double min_double(double a, double b)
{
    return a < b ? a : b;
}

static double bdp_bytes(const struct mrc_nscc_config *cfg, uint64_t rtt_ns)
{
    return cfg->line_rate_bps / 8.0 * (double)rtt_ns / 1e9;
}

static double ceiling_bytes(const struct mrc_nscc_config *cfg, uint64_t rtt_ns)
{
    const double wnd = cfg->wnd_bdps * bdp_bytes(cfg, rtt_ns);
    const double limit = (double)cfg->max_cwnd_bytes;
    return limit > 0 ? min_double(wnd, max_double(limit, cfg->mtu_bytes)) : wnd;
}

void mrc_nscc_config_derive(struct mrc_nscc_config *cfg)
{
    const double mtu = cfg->mtu_bytes;
    const double target = (double)cfg->target_delay_ns;
    const double scaling_a = bdp_bytes(cfg, cfg->base_rtt_ns) / ref_bdp_bytes;
    const double scaling_b = target / ref_rtt_ns;
    cfg->alpha = 4.0 * scaling_a * scaling_b * mtu / target;
    cfg->fi = 5.0 * mtu * scaling_a;
    cfg->fi_scale = 0.25 * scaling_a;
    cfg->eta = 0.15 * mtu * scaling_a;
    cfg->gamma = 0.8;
    cfg->max_md_jump = 0.5;
    cfg->adjust_bytes = 8 * cfg->mtu_bytes;
    cfg->adjust_period_ns = cfg->base_rtt_ns;
    cfg->qa_gate = 3;
    cfg->qa_threshold_ns = 4 * cfg->target_delay_ns;
    cfg->near_zero_ns = 1000;
    cfg->avg_gain = 1.0 / 8.0;
    cfg->wnd_bdps = 1.5;
    cfg->max_cwnd_bytes = 0;
}

void mrc_nscc_init(struct mrc_nscc *cc, const struct mrc_nscc_config *cfg, uint64_t now_ns)
{
    *cc = (struct mrc_nscc){.cfg = *cfg};
    cc->base_rtt_ns = cfg->base_rtt_ns;
    cc->max_wnd = ceiling_bytes(cfg, cfg->base_rtt_ns);
    cc->cwnd = cc->max_wnd;
    cc->last_adjust_ns = now_ns;
    cc->last_dec_ns = now_ns;
}

void mrc_nscc_on_send(struct mrc_nscc *cc, uint32_t size_bytes)
{
    cc->inflight += size_bytes;
}

bool mrc_nscc_can_send(const struct mrc_nscc *cc)
{
    return cc->cwnd > (double)cc->inflight;
}

static void shrink_by_packet(struct mrc_nscc *cc, uint32_t size_bytes)
{
    cc->cwnd = max_double(cc->cwnd - size_bytes, cc->cfg.mtu_bytes);
}

static void learn_base_rtt(struct mrc_nscc *cc, uint64_t rtt_ns)
{
    if (rtt_ns < cc->base_rtt_ns) {
        cc->base_rtt_ns = rtt_ns;
        cc->max_wnd = ceiling_bytes(&cc->cfg, rtt_ns);
    }
}

static void feed_delay(struct mrc_nscc *cc, uint64_t delay_ns)
{
    const double delay = (double)delay_ns;
    if (cc->have_avg) {
        cc->avg_delay_ns += cc->cfg.avg_gain * (delay - cc->avg_delay_ns);
    } else {
        cc->avg_delay_ns = delay;
        cc->have_avg = true;
    }
}

/* The gathered increments reach the window, and once a period eta with them. */
static void apply_increments(struct mrc_nscc *cc, uint64_t now_ns)
{
    cc->cwnd += cc->inc_bytes / cc->cwnd;
    if (now_ns - cc->last_adjust_ns >= cc->cfg.adjust_period_ns) {
        cc->last_adjust_ns = now_ns;
        cc->cwnd += cc->cfg.eta;
    }
    cc->cwnd = min_double(cc->cwnd, cc->max_wnd);
    cc->inc_bytes = 0;
    cc->received_bytes = 0;
}

/*
 * Quick adapt: once a period, when the path delivered far less than the window, the window becomes
 * what was delivered. Returns true when it acted, or when the mark is news of before it acted.
 */
static bool quick_adapt(struct mrc_nscc *cc, uint64_t now_ns, bool marked, bool loss,
                        uint64_t delay_ns)
{
    if (cc->cfg.disable_qa) {
        return false;
    }
    bool handled = false;
    if (cc->bytes_ignored < cc->bytes_to_ignore && marked) {
        handled = true;
    } else if (now_ns >= cc->qa_endtime_ns) {
        const double gate = (double)((uint64_t)cc->max_wnd >> cc->cfg.qa_gate);
        if (cc->qa_endtime_ns != 0 &&
            (cc->trigger_qa || loss || delay_ns > cc->cfg.qa_threshold_ns) &&
            (double)cc->achieved_bytes < gate) {
            cc->cwnd = max_double((double)cc->achieved_bytes, cc->cfg.mtu_bytes);
            cc->bytes_to_ignore = cc->inflight;
            cc->bytes_ignored = 0;
            cc->trigger_qa = false;
            handled = true;
        }
        cc->achieved_bytes = 0;
        cc->qa_endtime_ns = now_ns + cc->base_rtt_ns + cc->cfg.target_delay_ns;
    }
    if (handled) {
        cc->inc_bytes = 0;
        cc->received_bytes = 0;
    }
    return handled;
}

/* Unmarked, below the target: fast increase on an empty path, else towards the target. */
static void proportional_increase(struct mrc_nscc *cc, uint32_t newly_rcvd, uint64_t delay_ns)
{
    if (delay_ns <= cc->cfg.near_zero_ns) {
        cc->fi_count += newly_rcvd;
        if (cc->increase_mode || (double)cc->fi_count > cc->cwnd) {
            cc->cwnd = min_double(cc->max_wnd, cc->cwnd + newly_rcvd * cc->cfg.fi_scale);
            cc->increase_mode = true;
            return;
        }
    } else {
        cc->fi_count = 0;
    }
    cc->increase_mode = false;
    cc->inc_bytes += cc->cfg.alpha * newly_rcvd * (double)(cc->cfg.target_delay_ns - delay_ns);
}

/* Marked at or above the target: at most once a round trip, by how far the mean is above it. */
static void multiplicative_decrease(struct mrc_nscc *cc, uint64_t now_ns)
{
    cc->increase_mode = false;
    cc->fi_count = 0;
    const double target = (double)cc->cfg.target_delay_ns;
    if (cc->avg_delay_ns > target && now_ns - cc->last_dec_ns > cc->base_rtt_ns) {
        const double excess = (cc->avg_delay_ns - target) / cc->avg_delay_ns;
        const double factor = max_double(1.0 - cc->cfg.gamma * excess, cc->cfg.max_md_jump);
        cc->cwnd = max_double(cc->cwnd * factor, cc->cfg.mtu_bytes);
        cc->last_dec_ns = now_ns;
    }
}

/* Section 7.5.1: the responder asks for a smaller window, or lets the old one come back. */
static void responder_penalty(struct mrc_nscc *cc, const struct mrc_nscc_sack *s)
{
    if (s->rcv_cwnd_pen > 0) {
        if (cc->saved_cwnd <= 0) {
            cc->saved_cwnd = cc->cwnd;
        }
        const uint64_t cut = ((uint64_t)s->rcv_cwnd_pen * s->newly_rcvd) >> 7;
        cc->cwnd = min_double(cc->cwnd, (double)cc->inflight);
        cc->cwnd = max_double(cc->cwnd - (double)cut, cc->cfg.mtu_bytes);
    } else if (s->restore_cwnd && cc->saved_cwnd > 0) {
        cc->cwnd = cc->saved_cwnd;
        cc->saved_cwnd = 0;
    }
}

void mrc_nscc_on_sack(struct mrc_nscc *cc, uint64_t now_ns, const struct mrc_nscc_sack *s)
{
    cc->inflight -= s->newly_rcvd;
    cc->bytes_ignored += s->newly_rcvd;
    cc->received_bytes += s->newly_rcvd;
    cc->achieved_bytes += s->newly_rcvd;
    responder_penalty(cc, s);
    if (s->rtt_ns == MRC_NSCC_NO_RTT) {
        return;
    }
    learn_base_rtt(cc, s->rtt_ns);
    const uint64_t delay_ns = s->rtt_ns - cc->base_rtt_ns;
    feed_delay(cc, delay_ns);
    if (quick_adapt(cc, now_ns, s->marked, false, delay_ns)) {
        return;
    }
    const bool late = delay_ns >= cc->cfg.target_delay_ns;
    const bool may_grow = s->rcv_cwnd_pen == 0;
    if (!s->marked && !late && may_grow) {
        proportional_increase(cc, s->newly_rcvd, delay_ns);
    } else if (!s->marked && late && may_grow) {
        cc->inc_bytes += cc->cfg.fi * s->newly_rcvd;
    } else if (s->marked && late) {
        multiplicative_decrease(cc, now_ns);
    }
    if (now_ns - cc->last_adjust_ns >= cc->cfg.adjust_period_ns ||
        cc->received_bytes > cc->cfg.adjust_bytes) {
        apply_increments(cc, now_ns);
    }
}

void mrc_nscc_on_nack(struct mrc_nscc *cc, uint64_t now_ns, uint32_t size_bytes, bool trimmed,
                      uint64_t rtt_ns)
{
    cc->inflight -= size_bytes;
    if (rtt_ns != MRC_NSCC_NO_RTT) {
        learn_base_rtt(cc, rtt_ns);
    }
    if (!trimmed) {
        return;
    }
    feed_delay(cc, cc->cfg.base_rtt_ns);
    cc->bytes_ignored += size_bytes;
    cc->trigger_qa = true;
    if (!quick_adapt(cc, now_ns, true, true, 0)) {
        shrink_by_packet(cc, size_bytes);
    }
}

void mrc_nscc_on_loss(struct mrc_nscc *cc, uint32_t size_bytes)
{
    shrink_by_packet(cc, size_bytes);
    cc->bytes_ignored += size_bytes;
    cc->inflight -= size_bytes;
}
