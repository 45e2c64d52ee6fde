/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet's way: out of a port, through the faults, over a path, perhaps held back, into a host.
 */
#include "harness/fabric/internal.h"

#include <string.h>

static void tap(struct mrct_fab *fab, unsigned host, bool out, unsigned plane,
                const struct mrc_frame *f)
{
    if (fab->tap == NULL)
        return;
    const size_t n = mrc_frame_gather(&fab->cfg.wire, f, fab->bytes, sizeof fab->bytes);
    if (n > 0)
        fab->tap(fab->tap_user, host, out, fab->now_ns, plane, fab->bytes, n);
}

static uint64_t serialisation_ns(const struct mrct_fab *fab, const struct mrc_frame *f)
{
    if (fab->cfg.rate_bps == 0)
        return 0;
    const uint64_t bits = (mrc_frame_wire_len(f) + MRCT_FAB_FRAMING) * 8;
    const uint64_t ns = (bits * UINT64_C(1000000000) + fab->cfg.rate_bps - 1) / fab->cfg.rate_bps;
    return ns == 0 ? 1 : ns;
}

static unsigned path_of(const struct mrct_fab *fab, const struct mrc_pkt *p)
{
    if (fab->cfg.paths == 1 || !MRC_PKT_HAS(p, UDP))
        return 0;
    /* IPv4, and an EV of the source port alone, would leave the other half's zeros to choose by. */
    return (p->is_v6 && p->ip6.flow_label != 0 ? p->ev : p->udp.src_port) % fab->cfg.paths;
}

static void end(struct mrct_fab *fab, struct mrct_fab_pkt *pkt)
{
    mrct_fabpool_give(&fab->pool, pkt);
    fab->account.in_flight--;
}

static struct mrct_fab_pkt *begin(struct mrct_fab *fab)
{
    struct mrct_fab_pkt *const pkt = mrct_fabpool_pkt(&fab->pool);
    if (pkt == NULL) {
        fab->error = "no memory for a packet";
        return NULL;
    }
    pkt->serial = fab->next_serial++;
    fab->account.in_flight++;
    return pkt;
}

/* Another of the same, with bytes of its own where the first has. */
static struct mrct_fab_pkt *copy_of(struct mrct_fab *fab, const struct mrct_fab_pkt *from)
{
    struct mrct_fab_pkt *const pkt = begin(fab);
    if (pkt == NULL)
        return NULL;
    const uint64_t serial = pkt->serial;
    *pkt = *from;
    pkt->next = NULL;
    pkt->serial = serial;
    pkt->owned = NULL;
    if (from->owned != NULL) {
        pkt->owned = mrct_fabpool_buf(&fab->pool);
        if (pkt->owned == NULL) {
            fab->error = "no memory for a packet";
            end(fab, pkt);
            return NULL;
        }
        memcpy(pkt->owned, from->owned, (size_t)from->frame.payload_len);
        pkt->frame.payload = from->frame.payload_len > 0 ? pkt->owned : NULL;
    }
    return pkt;
}

/*
 * A network holds bytes, not references: what stays in it longer than a path takes may outlive the
 * write it belongs to, and the application is then free to reuse its memory.
 */
static bool keep_bytes(struct mrct_fab *fab, struct mrct_fab_pkt *pkt)
{
    struct mrc_frame *const f = &pkt->frame;
    if (pkt->owned != NULL || f->payload_len == 0)
        return true;
    pkt->owned = mrct_fabpool_buf(&fab->pool);
    if (pkt->owned == NULL) {
        fab->error = "no memory for a packet";
        return false;
    }
    memcpy(pkt->owned, f->payload, f->payload_len);
    f->payload = pkt->owned;
    return true;
}

static void set_out(struct mrct_fab *fab, struct mrct_fab_pkt *pkt, const struct mrct_fate *fate,
                    uint64_t arrival_ns)
{
    const bool stays =
        fab->cfg.keep_bytes || fate->copies > 0 || fate->delay_ns > 0 || pkt->hold_past > 0;
    if (stays && !keep_bytes(fab, pkt)) {
        end(fab, pkt);
        return;
    }
    mrct_fab_schedule(fab, MRCT_FABQ_ARRIVE, arrival_ns, 0, pkt);
    for (uint32_t i = 1; i <= fate->copies && fab->error == NULL; i++) {
        struct mrct_fab_pkt *const copy = copy_of(fab, pkt);
        if (copy == NULL)
            return;
        copy->hold_past = 0;
        fab->account.duplicated++;
        mrct_fab_schedule(fab, MRCT_FABQ_ARRIVE, arrival_ns + i * fate->copy_apart_ns, 0, copy);
    }
}

void mrct_fab_send(struct mrct_fab *fab, unsigned host, unsigned port)
{
    struct mrct_fab_pkt *const pkt = begin(fab);
    if (pkt == NULL)
        return;
    fab->account.sent++;
    pkt->frame = fab->out;
    pkt->dir = host;
    pkt->plane = port;
    (void)mrc_pkt_decode_frame(&fab->cfg.wire, &pkt->frame, &fab->seen);
    pkt->path = path_of(fab, &fab->seen);
    pkt->dest_qp = MRC_PKT_HAS(&fab->seen, BTH) ? fab->seen.bth.dest_qp : UINT32_MAX;
    tap(fab, host, true, port, &pkt->frame);

    const uint64_t gone_ns = fab->now_ns + serialisation_ns(fab, &pkt->frame);
    if (gone_ns > fab->now_ns) {
        fab->host[host].port_free_mask &= ~(UINT64_C(1) << port);
        mrct_fab_schedule(fab, MRCT_FABQ_PORT_FREE, gone_ns, host * MRC_EP_PORTS_MAX + port, NULL);
    }

    struct mrct_fate fate;
    mrct_fab_fate(fab, pkt, &fate);
    if (!fate.dropped && !mrct_fab_links_up(fab, pkt->plane, pkt->path)) {
        fab->account.dropped_link++;
        fate.dropped = true;
    }
    if (fate.dropped) {
        end(fab, pkt);
        return;
    }
    pkt->link_epoch = mrct_fab_links_epoch(fab, pkt->plane, pkt->path);
    set_out(fab, pkt, &fate,
            gone_ns + fab->cfg.latency_ns + pkt->path * fab->cfg.latency_step_ns + fate.delay_ns);
}

static void deliver_one(struct mrct_fab *fab, struct mrct_fab_pkt *pkt)
{
    const unsigned to = 1 - pkt->dir;
    struct mrct_dut *const dut = fab->host[to].dut;
    fab->account.delivered++;
    tap(fab, to, false, pkt->plane, &pkt->frame);
    dut->ops->input(dut, fab->now_ns, pkt->plane, &pkt->frame);
    end(fab, pkt);
}

static void held_add(struct mrct_fab_pkt **list, struct mrct_fab_pkt *pkt)
{
    while (*list != NULL)
        list = &(*list)->next;
    pkt->next = NULL;
    *list = pkt;
}

/* A packet to dest_qp went past those that wait for it: moves the ones that waited long enough. */
static void held_pass(struct mrct_fab_pkt **held, uint32_t dest_qp, struct mrct_fab_pkt **ready)
{
    while (*held != NULL) {
        struct mrct_fab_pkt *const h = *held;
        if (h->dest_qp == dest_qp && --h->hold_past == 0) {
            *held = h->next;
            held_add(ready, h);
        } else {
            held = &h->next;
        }
    }
}

static void deliver(struct mrct_fab *fab, struct mrct_fab_pkt *pkt)
{
    struct mrct_fab_pkt **const held = &fab->host[1 - pkt->dir].held;
    struct mrct_fab_pkt *ready = pkt;
    pkt->next = NULL;
    while (ready != NULL) {
        struct mrct_fab_pkt *const p = ready;
        const uint32_t dest_qp = p->dest_qp;
        ready = p->next;
        deliver_one(fab, p);
        held_pass(held, dest_qp, &ready);
    }
}

void mrct_fab_arrive(struct mrct_fab *fab, struct mrct_fab_pkt *pkt)
{
    if (!mrct_fab_links_up(fab, pkt->plane, pkt->path) ||
        mrct_fab_links_epoch(fab, pkt->plane, pkt->path) != pkt->link_epoch) {
        fab->account.dropped_link++;
        end(fab, pkt);
        return;
    }
    if (pkt->hold_past > 0) {
        held_add(&fab->host[1 - pkt->dir].held, pkt);
        mrct_fab_schedule(fab, MRCT_FABQ_FLUSH, fab->now_ns + pkt->hold_flush_ns, pkt->serial,
                          NULL);
        return;
    }
    deliver(fab, pkt);
}

void mrct_fab_flush(struct mrct_fab *fab, uint64_t serial)
{
    for (unsigned h = 0; h < MRCT_FAB_HOSTS; h++) {
        for (struct mrct_fab_pkt **at = &fab->host[h].held; *at != NULL; at = &(*at)->next) {
            struct mrct_fab_pkt *const pkt = *at;
            if (pkt->serial == serial) {
                *at = pkt->next;
                deliver(fab, pkt);
                return;
            }
        }
    }
}
