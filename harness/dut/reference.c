/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference endpoint as a device in this process. */
#include "harness/dut/dut.h"

#include <stdlib.h>

struct reference {
    struct mrct_dut dut; /* first */
    struct mrc_ep *ep;
};

static struct mrc_ep *ep_of(struct mrct_dut *d)
{
    return ((struct reference *)d)->ep;
}

static void ref_free(struct mrct_dut *d)
{
    mrc_ep_free(ep_of(d));
    free(d);
}

static void ref_input(struct mrct_dut *d, uint64_t now_ns, unsigned port, const struct mrc_frame *f)
{
    mrc_ep_input(ep_of(d), now_ns, port, f);
}

static int ref_output(struct mrct_dut *d, uint64_t now_ns, uint64_t port_free_mask,
                      struct mrc_frame *out)
{
    return mrc_ep_output(ep_of(d), now_ns, port_free_mask, out);
}

static uint64_t ref_deadline(const struct mrct_dut *d)
{
    return mrc_ep_deadline(((const struct reference *)d)->ep);
}

static void ref_tick(struct mrct_dut *d, uint64_t now_ns)
{
    mrc_ep_tick(ep_of(d), now_ns);
}

static int64_t ref_create_qp(struct mrct_dut *d, const struct mrc_qp_attr *attr)
{
    return mrc_qp_create(ep_of(d), attr);
}

static int ref_connect(struct mrct_dut *d, uint32_t qpn, const struct mrc_qp_peer *peer)
{
    return mrc_qp_connect(ep_of(d), qpn, peer);
}

static int ref_register_mr(struct mrct_dut *d, struct mrc_mr *mr)
{
    return mrc_ep_register(ep_of(d), mr);
}

static int ref_post_write(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns,
                          const struct mrc_write *w)
{
    return mrc_qp_post_write(ep_of(d), qpn, now_ns, w);
}

static int ref_post_recv(struct mrct_dut *d, uint32_t qpn, uint64_t wr_id)
{
    return mrc_qp_post_recv(ep_of(d), qpn, wr_id);
}

static bool ref_poll(struct mrct_dut *d, struct mrc_ep_event *ev)
{
    return mrc_ep_poll_event(ep_of(d), ev);
}

static int ref_set_mpr(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns, uint8_t mpr)
{
    return mrc_qp_set_mpr(ep_of(d), qpn, now_ns, mpr);
}

static int ref_force_nack(struct mrct_dut *d, uint32_t qpn, enum mrc_nack_reason reason,
                          uint32_t count)
{
    return mrc_qp_force_nack(ep_of(d), qpn, reason, count);
}

static int ref_shortage(struct mrct_dut *d, enum mrc_nack_reason reason, uint32_t ppm)
{
    return mrc_ep_shortage(ep_of(d), reason, ppm);
}

static int ref_port_set(struct mrct_dut *d, uint64_t now_ns, unsigned port, bool up)
{
    return mrc_ep_port_set(ep_of(d), now_ns, port, up);
}

static int ref_ev_profile(struct mrct_dut *d, const struct mrc_ev_profile *profile)
{
    return mrc_ev_profile_create(ep_of(d), profile);
}

static int ref_ev_set_state(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns, struct mrc_ev ev,
                            enum mrc_ev_state state)
{
    return mrc_ev_set_state(ep_of(d), qpn, now_ns, ev, state);
}

static int ref_ev_replace(struct mrct_dut *d, uint64_t now_ns, uint64_t profile, unsigned index,
                          const struct mrc_ev_spec *spec)
{
    return mrc_ev_profile_replace(ep_of(d), profile, now_ns, index, spec);
}

static int ref_ev_query(const struct mrct_dut *d, uint32_t qpn, unsigned first,
                        struct mrc_ev_info *out, unsigned room)
{
    return mrc_ev_query_array(((const struct reference *)d)->ep, qpn, first, out, room);
}

static int ref_qp_info(const struct mrct_dut *d, uint32_t qpn, struct mrc_qp_info *info)
{
    return mrc_qp_info_get(((const struct reference *)d)->ep, qpn, info);
}

static const struct mrct_dut_ops reference_ops = {
    .free = ref_free,
    .input = ref_input,
    .output = ref_output,
    .deadline = ref_deadline,
    .tick = ref_tick,
    .create_qp = ref_create_qp,
    .connect = ref_connect,
    .register_mr = ref_register_mr,
    .post_write = ref_post_write,
    .post_recv = ref_post_recv,
    .poll = ref_poll,
    .set_mpr = ref_set_mpr,
    .force_nack = ref_force_nack,
    .shortage = ref_shortage,
    .port_set = ref_port_set,
    .ev_profile = ref_ev_profile,
    .ev_set_state = ref_ev_set_state,
    .ev_replace = ref_ev_replace,
    .ev_query = ref_ev_query,
    .qp_info = ref_qp_info,
};

struct mrct_dut *mrct_dut_reference(const struct mrc_ep_config *cfg, uint64_t seed)
{
    struct reference *const r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->dut = (struct mrct_dut){.ops = &reference_ops, .name = "reference"};
    r->ep = mrc_ep_new(cfg, seed, NULL);
    if (r->ep == NULL) {
        free(r);
        return NULL;
    }
    mrc_ep_placement_events(r->ep, true);
    return &r->dut;
}
