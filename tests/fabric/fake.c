/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/fabric/fake.h"

#include <stdlib.h>
#include <string.h>

#define HAS(hdr) (UINT32_C(1) << MRC_HDR_##hdr)

const uint8_t fake_bytes[4096] = {0x42, 1, 2, 3, 4, 5, 6, 7};

static struct fake *of(struct mrct_dut *d)
{
    return (struct fake *)d;
}

static void fake_dut_free(struct mrct_dut *d)
{
    free(d);
}

static void fake_input(struct mrct_dut *d, uint64_t now_ns, unsigned port,
                       const struct mrc_frame *f)
{
    struct fake *const k = of(d);
    ck_assert_uint_lt(k->gots, FAKE_GOT);
    ck_assert_uint_ge(now_ns, k->now_ns);
    struct fake_got *const g = &k->got[k->gots++];
    k->now_ns = g->at_ns = now_ns;
    g->port = port;
    g->f = *f;
    g->err = mrc_pkt_decode_frame(&k->wire, f, &g->p);
    g->first_byte = f->payload_len > 0 ? f->payload[0] : 0;
}

static int fake_output(struct mrct_dut *d, uint64_t now_ns, uint64_t port_free_mask,
                       struct mrc_frame *out)
{
    struct fake *const k = of(d);
    k->now_ns = now_ns;
    for (unsigned i = 0; i < k->sends; i++) {
        struct fake_send *const s = &k->send[i];
        if (s->done || s->at_ns > now_ns || (port_free_mask >> s->port & 1u) == 0)
            continue;
        s->done = true;
        *out = s->f;
        return k->port_forced >= 0 ? k->port_forced : (int)s->port;
    }
    return -1;
}

static uint64_t fake_deadline(const struct mrct_dut *d)
{
    const struct fake *const k = (const struct fake *)d;
    uint64_t least = MRC_TIME_NEVER;
    if (k->deadline_ns != 0)
        return k->deadline_ns;
    for (unsigned i = 0; i < k->sends; i++)
        if (!k->send[i].done && k->send[i].at_ns > k->now_ns && k->send[i].at_ns < least)
            least = k->send[i].at_ns;
    return least;
}

static void fake_tick(struct mrct_dut *d, uint64_t now_ns)
{
    of(d)->now_ns = now_ns;
}

static const struct mrct_dut_ops fake_ops = {
    .free = fake_dut_free,
    .input = fake_input,
    .output = fake_output,
    .deadline = fake_deadline,
    .tick = fake_tick,
};

struct fake *fake_new(void)
{
    struct fake *const k = calloc(1, sizeof *k);
    ck_assert_ptr_nonnull(k);
    k->dut = (struct mrct_dut){.ops = &fake_ops, .name = "fake"};
    k->port_forced = -1;
    mrc_wire_config_default(&k->wire);
    return k;
}

void fake_free(struct fake *f)
{
    f->dut.ops->free(&f->dut);
}

static void begin(struct mrc_pkt *p, uint8_t opcode, uint32_t psn, uint32_t ev,
                  enum mrc_dscp_class cls, uint8_t ecn)
{
    struct mrc_wire_config wire;
    uint16_t src_port;
    uint32_t flow_label;
    mrc_wire_config_default(&wire);
    *p = (struct mrc_pkt){.present = HAS(ETH) | HAS(IPV6) | HAS(UDP) | HAS(BTH), .is_v6 = true};
    p->eth.ethertype = 0x86DD;
    p->ip6 = (struct mrc_ipv6){.version = 6, .next_hdr = 17, .hop_limit = 64, .ecn = ecn};
    p->ip6.dscp = wire.dscp[cls];
    p->ip6.src[0] = p->ip6.dst[0] = 0xFD;
    mrc_ev_to_fields(&wire, ev, &src_port, &flow_label);
    p->ip6.flow_label = flow_label;
    p->udp.src_port = src_port;
    p->udp.dst_port = 4791;
    p->bth.opcode = opcode;
    p->bth.pkey = 0xFFFF;
    p->bth.dest_qp = FAKE_QP;
    p->bth.psn = psn & 0xFFFFFF;
}

void fake_request(struct mrc_pkt *p, uint32_t psn, uint32_t ev, const uint8_t *payload,
                  uint32_t len)
{
    begin(p, MRC_OP_WRITE_ONLY, psn, ev, MRC_DSCP_TRIMMABLE, 2);
    p->present |= HAS(METH) | HAS(TSETH) | HAS(RETH);
    p->bth.ts = 1;
    p->tseth.ftype = 1;
    p->reth.va = 0x1000;
    p->reth.dma_len = len;
    p->payload = payload;
    p->payload_len = len;
}

void fake_sack(struct mrc_pkt *p, uint32_t cack, uint32_t ev)
{
    begin(p, MRC_OP_SACK, cack, ev, MRC_DSCP_CONTROL, 0);
    p->present |= HAS(SETH) | HAS(CC_STATE);
    p->seth.cack_psn = cack & 0xFFFFFF;
    p->seth.sack_offset = 1;
}

unsigned fake_send(struct fake *f, uint64_t at_ns, unsigned port, const struct mrc_pkt *p)
{
    ck_assert_uint_lt(f->sends, FAKE_SENDS);
    struct fake_send *const s = &f->send[f->sends];
    s->at_ns = at_ns;
    s->port = port;
    s->done = false;
    ck_assert_int_eq(mrc_pkt_encode(&f->wire, p, &s->f), 0);
    return f->sends++;
}

void pair_config(struct mrct_fab_config *cfg)
{
    mrct_fab_config_default(cfg);
    cfg->planes = 1;
    cfg->paths = 1;
    cfg->latency_step_ns = 0;
}

void pair_new(struct pair *t, const struct mrct_fab_config *cfg, uint64_t seed)
{
    t->fab = mrct_fab_new(cfg, seed);
    ck_assert_ptr_nonnull(t->fab);
    for (unsigned h = 0; h < 2; h++) {
        t->host[h] = fake_new();
        mrct_fab_attach(t->fab, h, &t->host[h]->dut);
    }
}

void pair_free(struct pair *t)
{
    mrct_fab_free(t->fab);
    fake_free(t->host[0]);
    fake_free(t->host[1]);
}

void pair_run(struct pair *t)
{
    struct mrct_fab_account a;
    (void)mrct_fab_run(t->fab, MRC_TIME_NEVER, NULL, NULL);
    ck_assert_ptr_null(mrct_fab_error(t->fab));
    mrct_fab_account_get(t->fab, &a);
    ck_assert(mrct_fab_account_balanced(&a));
    ck_assert_uint_eq(a.in_flight, 0);
    ck_assert_uint_eq(a.delivered, t->host[0]->gots + t->host[1]->gots);
}

void pair_send_many(struct pair *t, uint32_t first_psn, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        struct mrc_pkt p;
        fake_request(&p, first_psn + i, i, fake_bytes, 200);
        (void)fake_send(t->host[0], 1000 * (i + 1), 0, &p);
    }
}
