/* SPDX-License-Identifier: BSD-2-Clause */
/* The wrapper: every call goes to the reference endpoint, past the hooks of the lie. */
#include "harness/deviant/liar.h"

#include <stdlib.h>
#include <string.h>

#define NODE_QP 2u

static struct mrct_liar *of(struct mrct_dut *d)
{
    return (struct mrct_liar *)d;
}

static struct mrct_liar_qp *by_own(struct mrct_liar *l, uint32_t qpn)
{
    for (unsigned i = 0; i < l->qp_count; i++)
        if (l->qps[i].qpn == qpn)
            return &l->qps[i];
    return NULL;
}

static struct mrct_liar_qp *by_peer(struct mrct_liar *l, uint32_t qpn)
{
    for (unsigned i = 0; i < l->qp_count; i++)
        if (l->qps[i].connected && l->qps[i].peer.qpn == qpn)
            return &l->qps[i];
    return NULL;
}

static void liar_free(struct mrct_dut *d)
{
    struct mrct_liar *const l = of(d);
    l->inner->ops->free(l->inner);
    while (l->extras != NULL) {
        struct mrct_liar_extra *const e = l->extras;
        l->extras = e->next;
        free(e);
    }
    while (l->events != NULL) {
        struct mrct_liar_event *const e = l->events;
        l->events = e->next;
        free(e);
    }
    for (unsigned i = 0; i < l->qp_count; i++) {
        free(l->qps[i].evs);
        free(l->qps[i].book);
        free(l->qps[i].state);
    }
    free(l);
}

/* ---- frames ---- */

/* Encodes io->p over io->f as the hook asked; what is no sender's doing stays as it was. */
static void encode(struct mrct_liar *l, struct mrct_liar_io *io, enum mrct_liar_do how)
{
    const struct mrc_frame before = *io->f;
    if (io->p->trim != MRC_TRIM_NONE && io->f->icrc_state == MRC_ICRC_ABSENT)
        how = MRCT_LIAR_RAW; /* its UDP length tells what it was */
    const int rc = how == MRCT_LIAR_RAW ? mrc_pkt_encode_raw(&l->cfg.wire, io->p, io->f)
                                        : mrc_pkt_encode(&l->cfg.wire, io->p, io->f);
    if (rc != 0) {
        *io->f = before;
    } else if (before.icrc_state == MRC_ICRC_ABSENT || before.icrc_state == MRC_ICRC_WRONG) {
        io->f->icrc_state = before.icrc_state;
        io->f->icrc = before.icrc;
    }
}

static void liar_input(struct mrct_dut *d, uint64_t now_ns, unsigned port,
                       const struct mrc_frame *f)
{
    struct mrct_liar *const l = of(d);
    l->now_ns = now_ns;
    struct mrc_frame mine = *f;
    struct mrc_pkt p;
    struct mrct_liar_io io = {.liar = l, .now_ns = now_ns, .port = port, .p = &p, .f = &mine};
    io.err = mrc_pkt_decode_frame(&l->cfg.wire, f, &p);
    io.qp = MRC_PKT_HAS(&p, BTH) ? by_own(l, p.bth.dest_qp) : NULL;
    enum mrct_liar_do what = MRCT_LIAR_PASS;
    if (io.qp != NULL) {
        io.state = io.qp->state;
        if (mrct_liar_is_request(&io) && f->icrc_state != MRC_ICRC_WRONG)
            io.duplicate = mrct_liar_book_note(io.qp, &p);
        if (l->hooks->in != NULL)
            what = l->hooks->in(&io);
    }
    const bool node = io.qp == NULL && MRC_PKT_HAS(&p, BTH) && p.bth.dest_qp == NODE_QP;
    if (node && l->hooks->node_in != NULL)
        what = l->hooks->node_in(&io);
    if (what == MRCT_LIAR_SWALLOW)
        return;
    if (what != MRCT_LIAR_PASS)
        encode(l, &io, what);
    l->inner->ops->input(l->inner, now_ns, port, &mine);
    if (io.qp != NULL && l->hooks->in_done != NULL)
        l->hooks->in_done(&io);
}

void mrct_liar_send(struct mrct_liar *l, uint64_t not_before_ns, unsigned port,
                    const struct mrc_frame *f)
{
    struct mrct_liar_extra *const e = calloc(1, sizeof *e);
    struct mrct_liar_extra **at = &l->extras;
    if (e == NULL)
        return;
    e->not_before_ns = not_before_ns;
    e->port = port;
    e->f = *f;
    while (*at != NULL)
        at = &(*at)->next;
    *at = e;
}

void mrct_liar_send_pkt(struct mrct_liar *l, uint64_t not_before_ns, unsigned port,
                        const struct mrc_pkt *p, enum mrct_liar_do how)
{
    struct mrc_frame f;
    const int rc = how == MRCT_LIAR_RAW ? mrc_pkt_encode_raw(&l->cfg.wire, p, &f)
                                        : mrc_pkt_encode(&l->cfg.wire, p, &f);
    if (rc == 0)
        mrct_liar_send(l, not_before_ns, port, &f);
}

static int extra_take(struct mrct_liar *l, uint64_t port_free_mask, struct mrc_frame *out)
{
    for (struct mrct_liar_extra **at = &l->extras; *at != NULL; at = &(*at)->next) {
        struct mrct_liar_extra *const e = *at;
        if ((port_free_mask >> e->port & 1u) == 0 || e->not_before_ns > l->now_ns)
            continue;
        const int port = (int)e->port;
        *out = e->f;
        *at = e->next;
        free(e);
        return port;
    }
    return -1;
}

/* The frame past the hook: the port it goes by, or -1 when it does not go now. */
static int past_hook(struct mrct_liar *l, uint64_t now_ns, uint64_t port_free_mask, int port,
                     struct mrc_frame *out)
{
    struct mrc_pkt p;
    struct mrct_liar_io io = {
        .liar = l, .now_ns = now_ns, .port = (unsigned)port, .p = &p, .f = out};
    io.err = mrc_pkt_decode_frame(&l->cfg.wire, out, &p);
    io.qp = MRC_PKT_HAS(&p, BTH) ? by_peer(l, p.bth.dest_qp) : NULL;
    const bool node = io.qp == NULL && MRC_PKT_HAS(&p, BTH) && p.bth.dest_qp == NODE_QP;
    enum mrct_liar_do (*const hook)(struct mrct_liar_io *) =
        node ? l->hooks->node_out : l->hooks->out;
    if (hook == NULL || (io.qp == NULL && !node))
        return port;
    io.state = node ? NULL : io.qp->state;
    const enum mrct_liar_do what = hook(&io);
    if (what == MRCT_LIAR_SWALLOW)
        return -1;
    if (what != MRCT_LIAR_PASS)
        encode(l, &io, what);
    if ((port_free_mask >> io.port & 1u) != 0)
        return (int)io.port;
    mrct_liar_send(l, now_ns, io.port, out);
    return -1;
}

static int liar_output(struct mrct_dut *d, uint64_t now_ns, uint64_t port_free_mask,
                       struct mrc_frame *out)
{
    struct mrct_liar *const l = of(d);
    l->now_ns = now_ns;
    for (;;) {
        const int extra = extra_take(l, port_free_mask, out);
        if (extra >= 0)
            return extra;
        const int port = l->inner->ops->output(l->inner, now_ns, port_free_mask, out);
        if (port < 0)
            return port;
        const int by = past_hook(l, now_ns, port_free_mask, port, out);
        if (by >= 0)
            return by;
    }
}

static uint64_t liar_deadline(const struct mrct_dut *d)
{
    const struct mrct_liar *const l = (const struct mrct_liar *)d;
    uint64_t least_ns = l->inner->ops->deadline(l->inner);
    for (const struct mrct_liar_extra *e = l->extras; e != NULL; e = e->next)
        if (e->not_before_ns > l->now_ns && e->not_before_ns < least_ns)
            least_ns = e->not_before_ns;
    return least_ns;
}

static void liar_tick(struct mrct_dut *d, uint64_t now_ns)
{
    struct mrct_liar *const l = of(d);
    l->now_ns = now_ns;
    l->inner->ops->tick(l->inner, now_ns);
}

/* ---- the application's calls ---- */

static int qp_fill(struct mrct_liar *l, struct mrct_liar_qp *qp, const struct mrc_qp_attr *attr)
{
    qp->attr = *attr;
    qp->ev_count = attr->ev_count < MRCT_LIAR_EVS_MAX ? attr->ev_count : MRCT_LIAR_EVS_MAX;
    qp->evs = calloc(qp->ev_count + 1u, sizeof *qp->evs);
    qp->book = calloc(MRCT_LIAR_BOOK, sizeof *qp->book);
    qp->state = calloc(1, l->hooks->state_size + 1);
    if (qp->evs == NULL || qp->book == NULL || qp->state == NULL) {
        free(qp->evs);
        free(qp->book);
        free(qp->state);
        return MRC_EP_ENOMEM;
    }
    if (qp->ev_count > 0)
        memcpy(qp->evs, attr->evs, qp->ev_count * sizeof *qp->evs);
    qp->attr.evs = qp->evs;
    return 0;
}

static int64_t liar_create_qp(struct mrct_dut *d, const struct mrc_qp_attr *attr)
{
    struct mrct_liar *const l = of(d);
    struct mrc_qp_attr mine = *attr;
    if (l->qp_count == MRCT_LIAR_QPS_MAX)
        return MRC_EP_EFULL;
    if (l->hooks->attr != NULL)
        l->hooks->attr(&l->cfg, &mine);
    struct mrct_liar_qp *const qp = &l->qps[l->qp_count];
    *qp = (struct mrct_liar_qp){0};
    if (qp_fill(l, qp, attr) != 0)
        return MRC_EP_ENOMEM;
    l->qp_count++;
    const int64_t qpn = l->inner->ops->create_qp(l->inner, &mine);
    qp->qpn = qpn < 0 ? UINT32_MAX : (uint32_t)qpn;
    return qpn;
}

static int liar_connect(struct mrct_dut *d, uint32_t qpn, const struct mrc_qp_peer *peer)
{
    struct mrct_liar *const l = of(d);
    struct mrct_liar_qp *const qp = by_own(l, qpn);
    struct mrc_qp_peer mine = *peer;
    if (qp != NULL) {
        qp->peer = *peer;
        qp->connected = true;
        qp->cack = mrc_psn_add(peer->start_psn, -1);
    }
    if (l->hooks->peer != NULL)
        l->hooks->peer(&mine);
    return l->inner->ops->connect(l->inner, qpn, &mine);
}

static int liar_register_mr(struct mrct_dut *d, struct mrc_mr *mr)
{
    struct mrct_liar *const l = of(d);
    const int rc = l->inner->ops->register_mr(l->inner, mr);
    if (rc == 0 && l->mr_count < MRCT_LIAR_MRS_MAX)
        l->mrs[l->mr_count++] = *mr;
    return rc;
}

static int liar_post_write(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns,
                           const struct mrc_write *w)
{
    struct mrct_liar *const l = of(d);
    struct mrct_liar_qp *const qp = by_own(l, qpn);
    const int rc = l->inner->ops->post_write(l->inner, qpn, now_ns, w);
    if (rc == 0 && qp != NULL && l->hooks->posted_write != NULL)
        l->hooks->posted_write(l, qp, w);
    return rc;
}

static int liar_post_recv(struct mrct_dut *d, uint32_t qpn, uint64_t wr_id)
{
    struct mrct_liar *const l = of(d);
    struct mrct_liar_qp *const qp = by_own(l, qpn);
    const int rc = l->inner->ops->post_recv(l->inner, qpn, wr_id);
    if (rc == 0 && qp != NULL && l->hooks->posted_recv != NULL)
        l->hooks->posted_recv(l, qp, wr_id);
    return rc;
}

void mrct_liar_tell(struct mrct_liar *l, const struct mrc_ep_event *ev)
{
    struct mrct_liar_event *const e = calloc(1, sizeof *e);
    struct mrct_liar_event **at = &l->events;
    if (e == NULL)
        return;
    e->ev = *ev;
    while (*at != NULL)
        at = &(*at)->next;
    *at = e;
}

static bool liar_poll(struct mrct_dut *d, struct mrc_ep_event *ev)
{
    struct mrct_liar *const l = of(d);
    for (;;) {
        if (l->events != NULL) {
            struct mrct_liar_event *const e = l->events;
            *ev = e->ev;
            l->events = e->next;
            free(e);
            return true;
        }
        if (!l->inner->ops->poll(l->inner, ev))
            return false;
        struct mrct_liar_qp *const qp = by_own(l, ev->qpn);
        if (qp == NULL || l->hooks->event == NULL || l->hooks->event(l, qp, ev))
            return true;
    }
}

/* What is asked of resources, ports and EVs has nothing to lie about. */
static int liar_set_mpr(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns, uint8_t mpr)
{
    struct mrct_dut *const inner = of(d)->inner;
    return inner->ops->set_mpr(inner, qpn, now_ns, mpr);
}

static int liar_force_nack(struct mrct_dut *d, uint32_t qpn, enum mrc_nack_reason reason,
                           uint32_t count)
{
    struct mrct_dut *const inner = of(d)->inner;
    return inner->ops->force_nack(inner, qpn, reason, count);
}

static int liar_shortage(struct mrct_dut *d, enum mrc_nack_reason reason, uint32_t ppm)
{
    struct mrct_dut *const inner = of(d)->inner;
    return inner->ops->shortage(inner, reason, ppm);
}

static int liar_port_set(struct mrct_dut *d, uint64_t now_ns, unsigned port, bool up)
{
    struct mrct_dut *const inner = of(d)->inner;
    return inner->ops->port_set(inner, now_ns, port, up);
}

static int liar_ev_profile(struct mrct_dut *d, const struct mrc_ev_profile *profile)
{
    struct mrct_dut *const inner = of(d)->inner;
    return inner->ops->ev_profile(inner, profile);
}

static int liar_ev_set_state(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns, struct mrc_ev ev,
                             enum mrc_ev_state state)
{
    struct mrct_dut *const inner = of(d)->inner;
    return inner->ops->ev_set_state(inner, qpn, now_ns, ev, state);
}

static int liar_ev_replace(struct mrct_dut *d, uint64_t now_ns, uint64_t profile, unsigned index,
                           const struct mrc_ev_spec *spec)
{
    struct mrct_dut *const inner = of(d)->inner;
    return of(d)->hooks->keeps_evs ? MRC_EP_OK
                                   : inner->ops->ev_replace(inner, now_ns, profile, index, spec);
}

static int liar_ev_query(const struct mrct_dut *d, uint32_t qpn, unsigned first,
                         struct mrc_ev_info *out, unsigned room)
{
    const struct mrct_dut *const inner = ((const struct mrct_liar *)d)->inner;
    return inner->ops->ev_query(inner, qpn, first, out, room);
}

static int liar_qp_info(const struct mrct_dut *d, uint32_t qpn, struct mrc_qp_info *info)
{
    const struct mrct_dut *const inner = ((const struct mrct_liar *)d)->inner;
    return inner->ops->qp_info(inner, qpn, info);
}

static const struct mrct_dut_ops liar_ops = {
    .free = liar_free,
    .input = liar_input,
    .output = liar_output,
    .deadline = liar_deadline,
    .tick = liar_tick,
    .create_qp = liar_create_qp,
    .connect = liar_connect,
    .register_mr = liar_register_mr,
    .post_write = liar_post_write,
    .post_recv = liar_post_recv,
    .poll = liar_poll,
    .set_mpr = liar_set_mpr,
    .force_nack = liar_force_nack,
    .shortage = liar_shortage,
    .port_set = liar_port_set,
    .ev_profile = liar_ev_profile,
    .ev_set_state = liar_ev_set_state,
    .ev_replace = liar_ev_replace,
    .ev_query = liar_ev_query,
    .qp_info = liar_qp_info,
};

struct mrct_dut *mrct_liar_new(const char *name, const struct mrct_liar_hooks *hooks,
                               const struct mrc_ep_config *cfg, uint64_t seed)
{
    struct mrct_liar *const l = calloc(1, sizeof *l);
    if (l == NULL)
        return NULL;
    l->dut = (struct mrct_dut){.ops = &liar_ops, .name = name};
    l->hooks = hooks;
    l->cfg = *cfg;
    struct mrc_ep_config mine = *cfg;
    if (hooks->config != NULL)
        hooks->config(&mine);
    l->inner = mrct_dut_reference(&mine, seed);
    if (l->inner == NULL) {
        free(l);
        return NULL;
    }
    return &l->dut;
}

/* ---- what lies have in common ---- */

struct mrc_ev mrct_liar_next_ev(struct mrct_liar_qp *qp)
{
    const struct mrc_ev ev = qp->evs[qp->ev_next];
    qp->ev_next = (qp->ev_next + 1) % (qp->ev_count == 0 ? 1 : qp->ev_count);
    return ev;
}

int mrct_liar_ev_port(const struct mrct_liar_qp *qp, uint32_t ev)
{
    for (unsigned i = 0; i < qp->ev_count; i++)
        if (qp->evs[i].value == ev)
            return qp->evs[i].port;
    return -1;
}

static void put_addr(const struct mrc_addr *from, const struct mrc_addr *to, struct mrc_pkt *p)
{
    memcpy(p->eth.src, from->mac, sizeof p->eth.src);
    memcpy(p->eth.dst, to->mac, sizeof p->eth.dst);
    if (p->is_v6) {
        memcpy(p->ip6.src, from->ip, sizeof p->ip6.src);
        memcpy(p->ip6.dst, to->ip, sizeof p->ip6.dst);
    } else {
        memcpy(p->ip4.src, from->ip, sizeof p->ip4.src);
        memcpy(p->ip4.dst, to->ip, sizeof p->ip4.dst);
    }
}

void mrct_liar_use_ev(struct mrct_liar_io *io, struct mrc_ev ev)
{
    struct mrc_pkt *const p = io->p;
    uint16_t src_port;
    uint32_t flow_label;
    mrc_ev_to_fields(&io->liar->cfg.wire, ev.value, &src_port, &flow_label);
    p->udp.src_port = src_port;
    if (p->is_v6)
        p->ip6.flow_label = flow_label;
    p->ev = ev.value;
    if (ev.port != io->port)
        put_addr(&io->liar->cfg.port_addr[ev.port], &io->qp->peer.addr[ev.port], p);
    io->port = ev.port;
}

uint8_t *mrct_liar_mem(struct mrct_liar *l, uint32_t rkey, uint64_t va, uint64_t len_bytes)
{
    for (unsigned i = 0; i < l->mr_count; i++) {
        const struct mrc_mr *const mr = &l->mrs[i];
        if (mr->rkey == rkey && va >= mr->va && va - mr->va <= mr->len_bytes &&
            len_bytes <= mr->len_bytes - (va - mr->va))
            return mr->mem + (va - mr->va);
    }
    return NULL;
}
