/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets and payload buffers in slabs, so that a run allocates while it grows and then no more. */
#include "harness/fabric/internal.h"

#include <stdlib.h>
#include <string.h>

#define PKTS_A_SLAB 64u
#define BUFS_A_SLAB 16u

/* Slab header, kept to a size after which any object is aligned. */
#define SLAB_HEAD ((sizeof(struct mrct_fab_slab) + 63u) & ~(size_t)63u)
#define BUF_SIZE  ((MRC_FRAME_MAX + 63u) & ~(size_t)63u)

static uint8_t *slab_new(struct mrct_fab_pool *p, size_t bytes)
{
    struct mrct_fab_slab *const s = malloc(SLAB_HEAD + bytes);
    if (s == NULL)
        return NULL;
    s->next = p->slabs;
    p->slabs = s;
    return (uint8_t *)s + SLAB_HEAD;
}

struct mrct_fab_pkt *mrct_fabpool_pkt(struct mrct_fab_pool *p)
{
    if (p->pkts == NULL) {
        struct mrct_fab_pkt *const a = (void *)slab_new(p, PKTS_A_SLAB * sizeof *a);
        if (a == NULL)
            return NULL;
        for (size_t i = PKTS_A_SLAB; i-- > 0;) {
            a[i].next = p->pkts;
            p->pkts = &a[i];
        }
    }
    struct mrct_fab_pkt *const pkt = p->pkts;
    p->pkts = pkt->next;
    p->pkts_out++;
    pkt->next = NULL;
    pkt->owned = NULL;
    pkt->hold_past = 0;
    return pkt;
}

static void buf_link(struct mrct_fab_pool *p, uint8_t *buf)
{
    memcpy(buf, &p->bufs, sizeof p->bufs);
    p->bufs = buf;
}

uint8_t *mrct_fabpool_buf(struct mrct_fab_pool *p)
{
    if (p->bufs == NULL) {
        uint8_t *const a = slab_new(p, BUFS_A_SLAB * BUF_SIZE);
        if (a == NULL)
            return NULL;
        for (size_t i = BUFS_A_SLAB; i-- > 0;)
            buf_link(p, a + i * BUF_SIZE);
    }
    uint8_t *const buf = p->bufs;
    memcpy(&p->bufs, buf, sizeof p->bufs);
    p->bufs_out++;
    return buf;
}

void mrct_fabpool_give(struct mrct_fab_pool *p, struct mrct_fab_pkt *pkt)
{
    if (pkt->owned != NULL) {
        buf_link(p, pkt->owned);
        p->bufs_out--;
        pkt->owned = NULL;
    }
    pkt->next = p->pkts;
    p->pkts = pkt;
    p->pkts_out--;
}

void mrct_fabpool_fini(struct mrct_fab_pool *p)
{
    while (p->slabs != NULL) {
        struct mrct_fab_slab *const s = p->slabs;
        p->slabs = s->next;
        free(s);
    }
    *p = (struct mrct_fab_pool){0};
}
