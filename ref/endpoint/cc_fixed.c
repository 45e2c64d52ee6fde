/* SPDX-License-Identifier: BSD-2-Clause */
/* A window that never moves, and none at all. In flight is what the own books say. */
#include "ref/endpoint/cc.h"

static bool fixed_valid(const struct mrc_cc_profile *profile)
{
    return profile->cwnd_bytes >= 1;
}

static void fixed_init(struct mrc_cc *cc, const struct mrc_cc_profile *profile, uint64_t now_ns)
{
    (void)now_ns;
    cc->cwnd_bytes = profile->cwnd_bytes;
}

static bool off_valid(const struct mrc_cc_profile *profile)
{
    (void)profile;
    return true;
}

static void off_init(struct mrc_cc *cc, const struct mrc_cc_profile *profile, uint64_t now_ns)
{
    (void)profile;
    (void)now_ns;
    cc->cwnd_bytes = UINT64_MAX;
}

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

static void fixed_on_nack(struct mrc_cc *cc, const struct mrc_cc_nack *nack)
{
    cc->inflight_bytes -= nack->size_bytes;
}

static void fixed_on_loss(struct mrc_cc *cc, uint64_t now_ns, uint32_t size_bytes)
{
    (void)now_ns;
    cc->inflight_bytes -= size_bytes;
}

static void fixed_on_forget(struct mrc_cc *cc, uint64_t bytes)
{
    cc->inflight_bytes -= (int64_t)bytes;
}

const struct mrc_cc_ops mrc_cc_fixed = {
    .name = "fixed",
    .size_bytes = sizeof(struct mrc_cc),
    .valid = fixed_valid,
    .init = fixed_init,
    .can_send = fixed_can_send,
    .on_send = fixed_on_send,
    .on_sack = fixed_on_sack,
    .on_nack = fixed_on_nack,
    .on_loss = fixed_on_loss,
    .on_forget = fixed_on_forget,
};

const struct mrc_cc_ops mrc_cc_off = {
    .name = "off",
    .size_bytes = sizeof(struct mrc_cc),
    .valid = off_valid,
    .init = off_init,
    .can_send = fixed_can_send,
    .on_send = fixed_on_send,
    .on_sack = fixed_on_sack,
    .on_nack = fixed_on_nack,
    .on_loss = fixed_on_loss,
    .on_forget = fixed_on_forget,
};
