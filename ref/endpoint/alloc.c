/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/endpoint/ep_int.h"
#include <string.h>

void *mrc_ep_alloc(struct mrc_ep *ep, size_t n, size_t size)
{
    if (size != 0 && n > SIZE_MAX / size)
        return NULL;
    void *p = ep->cfg.alloc.alloc(ep->cfg.alloc.user, n * size);
    if (p)
        memset(p, 0, n * size);
    return p;
}

void mrc_ep_dealloc(struct mrc_ep *ep, void *p)
{
    if (p)
        ep->cfg.alloc.free(ep->cfg.alloc.user, p);
}

uint32_t mrc_pow2_at_least(uint32_t n)
{
    uint32_t p = 1;
    while (p < n && p < UINT32_C(1) << 31)
        p <<= 1;
    return p;
}
