/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/endpoint/cc.h"

static bool fixed_can_send(const struct mrc_cc *cc)
{
    return cc->inflight_bytes < 0 || cc->cwnd_bytes > (uint64_t)cc->inflight_bytes;
}

static void fixed_on_send(struct mrc_cc *cc, uint64_t now_ns, uint32_t size_bytes)
{
    (void)now_ns;
    cc->inflight_bytes += size_bytes;
}

static void fixed_on_sack(struct mrc_cc *cc, const struct mrc_cc_sack *sack)
{
    cc->inflight_bytes -= (int64_t)sack->acked_bytes;
}

static void fixed_on_nack(struct mrc_cc *cc, uint64_t now_ns, uint32_t size_bytes, bool trimmed)
{
    (void)now_ns;
    (void)trimmed;
    cc->inflight_bytes -= size_bytes;
}

static void fixed_on_loss(struct mrc_cc *cc, uint64_t now_ns, uint32_t size_bytes)
{
    (void)now_ns;
    cc->inflight_bytes -= size_bytes;
}

static const struct mrc_cc_ops fixed_ops = {
    .name = "fixed",
    .can_send = fixed_can_send,
    .on_send = fixed_on_send,
    .on_sack = fixed_on_sack,
    .on_nack = fixed_on_nack,
    .on_loss = fixed_on_loss,
};

void mrc_cc_fixed_init(struct mrc_cc *cc, uint64_t cwnd_bytes)
{
    *cc = (struct mrc_cc){.ops = &fixed_ops, .cwnd_bytes = cwnd_bytes};
}
