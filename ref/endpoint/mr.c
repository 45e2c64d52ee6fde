/* SPDX-License-Identifier: BSD-2-Clause */
/* Registered regions: a key is the region's slot and a random byte, so that a stale key is refused.
 */
#include "ref/endpoint/ep_int.h"

#define KEY_BITS 8u

static uint32_t make_key(struct mrc_ep *ep, uint32_t slot)
{
    return (slot + 1) << KEY_BITS | (uint32_t)(mrc_rng_next(&ep->rng) >> 56);
}

int mrc_ep_register(struct mrc_ep *ep, struct mrc_mr *mr)
{
    if (!mr->mem || mr->len_bytes == 0 || mr->va > UINT64_MAX - (mr->len_bytes - 1))
        return MRC_EP_EINVAL;
    for (uint32_t n = 0; n < ep->cfg.mrs_max; n++) {
        const uint32_t i = (ep->mr_next + n) % ep->cfg.mrs_max;
        if (ep->mrs[i].used)
            continue;
        mr->rkey = make_key(ep, i);
        ep->mrs[i] = (struct mrc_mr_slot){.mr = *mr, .used = true};
        ep->mr_next = i + 1;
        return MRC_EP_OK;
    }
    return MRC_EP_EFULL;
}

static struct mrc_mr_slot *find(const struct mrc_ep *ep, uint32_t rkey)
{
    const uint32_t i = (rkey >> KEY_BITS) - 1; /* slot 0xFFFF.. of key 0 is beyond every limit */
    if (i >= ep->cfg.mrs_max || !ep->mrs[i].used || ep->mrs[i].mr.rkey != rkey)
        return NULL;
    return &ep->mrs[i];
}

int mrc_ep_deregister(struct mrc_ep *ep, uint32_t rkey)
{
    struct mrc_mr_slot *s = find(ep, rkey);
    if (!s)
        return MRC_EP_ENOENT;
    s->used = false;
    return MRC_EP_OK;
}

uint8_t *mrc_mr_resolve(const struct mrc_ep *ep, uint32_t rkey, uint64_t va, uint32_t len_bytes)
{
    const struct mrc_mr_slot *s = find(ep, rkey);
    if (!s || !(s->mr.access & MRC_MR_REMOTE_WRITE) || va < s->mr.va)
        return NULL;
    const uint64_t off = va - s->mr.va;
    if (off > s->mr.len_bytes || s->mr.len_bytes - off < len_bytes)
        return NULL;
    return s->mr.mem + off;
}
