/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/script_dut.h"

#include <stdlib.h>

#define FIRST_RKEY 0x00C0FFEEu

struct scripted {
    struct mrct_dut dut; /* first */
    struct mrc_wire_config wire;
    struct mrct_player *player; /* NULL: not yet */
    uint32_t next_rkey;
    uint8_t bytes[MRC_FRAME_MAX];
};

static struct scripted *of(struct mrct_dut *d)
{
    return (struct scripted *)d;
}

static void scripted_free(struct mrct_dut *d)
{
    free(of(d));
}

static void scripted_input(struct mrct_dut *d, uint64_t now_ns, unsigned port,
                           const struct mrc_frame *f)
{
    struct scripted *const s = of(d);
    const size_t len = mrc_frame_gather(&s->wire, f, s->bytes, sizeof s->bytes);
    if (s->player != NULL && len > 0) {
        mrct_player_input(s->player, now_ns, port, s->bytes, len);
    }
}

static int scripted_output(struct mrct_dut *d, uint64_t now_ns, uint64_t port_free_mask,
                           struct mrc_frame *out)
{
    struct scripted *const s = of(d);
    return s->player != NULL ? mrct_player_output(s->player, now_ns, port_free_mask, out) : -1;
}

static uint64_t scripted_deadline(const struct mrct_dut *d)
{
    const struct scripted *const s = (const struct scripted *)d;
    return s->player != NULL ? mrct_player_deadline(s->player) : MRC_TIME_NEVER;
}

static void scripted_tick(struct mrct_dut *d, uint64_t now_ns)
{
    if (of(d)->player != NULL) {
        mrct_player_tick(of(d)->player, now_ns);
    }
}

static int64_t scripted_create_qp(struct mrct_dut *d, const struct mrc_qp_attr *attr)
{
    (void)d;
    return attr->qpn;
}

static int scripted_connect(struct mrct_dut *d, uint32_t qpn, const struct mrc_qp_peer *peer)
{
    (void)d;
    (void)qpn;
    (void)peer;
    return MRC_EP_OK;
}

static int scripted_register_mr(struct mrct_dut *d, struct mrc_mr *mr)
{
    mr->rkey = of(d)->next_rkey++;
    return MRC_EP_OK;
}

static int scripted_post_write(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns,
                               const struct mrc_write *w)
{
    (void)d;
    (void)qpn;
    (void)now_ns;
    (void)w;
    return MRC_EP_ESTATE;
}

/* Where the device's immediates would need one, the script says what becomes of them. */
static int scripted_post_recv(struct mrct_dut *d, uint32_t qpn, uint64_t wr_id)
{
    (void)d;
    (void)qpn;
    (void)wr_id;
    return MRC_EP_OK;
}

static bool scripted_poll(struct mrct_dut *d, struct mrc_ep_event *ev)
{
    (void)d;
    (void)ev;
    return false;
}

static const struct mrct_dut_ops scripted_ops = {
    .free = scripted_free,
    .input = scripted_input,
    .output = scripted_output,
    .deadline = scripted_deadline,
    .tick = scripted_tick,
    .create_qp = scripted_create_qp,
    .connect = scripted_connect,
    .register_mr = scripted_register_mr,
    .post_write = scripted_post_write,
    .post_recv = scripted_post_recv,
    .poll = scripted_poll,
};

struct mrct_dut *mrct_scripted_new(const struct mrc_wire_config *wire)
{
    struct scripted *const s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->dut = (struct mrct_dut){.ops = &scripted_ops, .name = "script"};
    s->wire = *wire;
    s->next_rkey = FIRST_RKEY;
    return &s->dut;
}

void mrct_scripted_set(struct mrct_dut *d, struct mrct_player *player)
{
    of(d)->player = player;
}
