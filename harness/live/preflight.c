/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/live/preflight.h"

#include "harness/live/spread.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PROBES  20u /* for the time that a way takes */
#define GIVE_UP 2u  /* packets lost, and a way is taken for dead */
#define QPN     0xFFFFFFu

const char *mrct_preflight_item_str(enum mrct_preflight_item item)
{
    static const char *const names[MRCT_PREFLIGHT_ITEMS] = {
        "alive", "MTU", "DSCP", "CE", "flow label, source port", "clock"};
    return names[item];
}

bool mrct_preflight_good(const struct mrct_preflight *result)
{
    bool good = true;
    for (unsigned i = 0; i < MRCT_PREFLIGHT_ITEMS; i++)
        good = good && result->line[i].good;
    return good;
}

/* One packet, and what became of it. */
struct trial {
    uint16_t size; /* payload bytes */
    uint8_t dscp, ecn;
    uint16_t src_port;
    uint32_t flow_label;
};

struct flight {
    const struct mrct_preflight_way *way;
    struct mrct_preflight *result;
    uint32_t psn;            /* of the next trial: tells one from the other */
    struct mrct_spread took; /* from sending to the far end's stamp */
    uint64_t stamp_off_ns;   /* most that a stamp lay before the sending */
    uint64_t sent, lost;
};

static void make(const struct flight *f, unsigned from, const struct trial *t,
                 struct mrc_frame *frame)
{
    static const uint8_t payload[MRC_PAYLOAD_MAX];
    struct mrc_pkt p = {.is_v6 = true, .payload = payload, .payload_len = t->size};
    p.present = UINT32_C(1) << MRC_HDR_ETH | UINT32_C(1) << MRC_HDR_IPV6 |
                UINT32_C(1) << MRC_HDR_UDP | UINT32_C(1) << MRC_HDR_BTH |
                UINT32_C(1) << MRC_HDR_METH | UINT32_C(1) << MRC_HDR_RETH;
    memcpy(p.eth.dst, f->way->mac[1 - from], sizeof p.eth.dst);
    memcpy(p.eth.src, f->way->mac[from], sizeof p.eth.src);
    p.eth.ethertype = MRC_ETHERTYPE_IPV6;
    p.ip6 = (struct mrc_ipv6){.version = 6,
                              .dscp = t->dscp,
                              .ecn = t->ecn,
                              .flow_label = t->flow_label,
                              .next_hdr = 17,
                              .hop_limit = 64};
    p.ip6.src[0] = p.ip6.dst[0] = 0xFD;
    p.ip6.src[15] = 1;
    p.ip6.dst[15] = 2;
    p.udp.src_port = t->src_port;
    p.udp.dst_port = f->way->wire->udp_ports[0];
    p.bth.opcode = MRC_OP_WRITE_ONLY;
    p.bth.pkey = 0xFFFF;
    p.bth.dest_qp = QPN;
    p.bth.psn = f->psn;
    p.reth.dma_len = t->size;
    if (mrc_pkt_encode(f->way->wire, &p, frame) != 0)
        frame->hdr_len = 0;
}

/* Sends one; true when it arrived, decoded into p. */
static bool try_one(struct flight *f, unsigned from, const struct trial *t, struct mrc_pkt *p)
{
    uint8_t out[MRC_FRAME_MAX], in[MRC_FRAME_MAX];
    struct mrc_frame frame;
    uint64_t sent_ns = 0, stamp_ns = 0;
    f->psn++;
    f->sent++;
    make(f, from, t, &frame);
    const size_t len = mrc_frame_gather(f->way->wire, &frame, out, sizeof out);
    const size_t got = f->way->carry(f->way->user, from, out, len, in, &sent_ns, &stamp_ns);
    const bool here = got > 0 &&
                      mrc_pkt_decode(f->way->wire, in, got, got, true, p) == MRC_WIRE_OK &&
                      p->bth.psn == f->psn && p->bth.dest_qp == QPN && p->payload_len == t->size;
    p->payload = NULL; /* it was of `in` */
    if (!here) {
        f->lost++;
        return false;
    }
    if (stamp_ns >= sent_ns)
        mrct_spread_add(&f->took, stamp_ns - sent_ns);
    else if (sent_ns - stamp_ns > f->stamp_off_ns)
        f->stamp_off_ns = sent_ns - stamp_ns;
    return true;
}

static struct trial plain(const struct flight *f)
{
    return (struct trial){.size = 64,
                          .dscp = f->way->wire->dscp[MRC_DSCP_NO_TRIM],
                          .ecn = 2,
                          .src_port = 0xC001,
                          .flow_label = 1};
}

__attribute__((format(printf, 4, 5))) static void
say(struct flight *f, enum mrct_preflight_item item, bool good, const char *fmt, ...)
{
    va_list ap;
    struct mrct_preflight_line *const l = &f->result->line[item];
    va_start(ap, fmt);
    (void)vsnprintf(l->words, sizeof l->words, fmt, ap);
    va_end(ap);
    l->good = good;
}

static void alive(struct flight *f)
{
    const struct trial t = plain(f);
    struct mrc_pkt p;
    unsigned lost[2] = {0, 0};
    for (unsigned from = 0; from < 2; from++)
        for (unsigned i = 0; i < PROBES && lost[from] < GIVE_UP; i++)
            lost[from] += !try_one(f, from, &t, &p);
    if (lost[0] + lost[1] > 0)
        say(f, MRCT_PREFLIGHT_ALIVE, false, "%u packets lost one way, %u the other%s", lost[0],
            lost[1],
            lost[0] >= GIVE_UP || lost[1] >= GIVE_UP ? ", and then no more were sent" : "");
    else
        say(f, MRCT_PREFLIGHT_ALIVE, true, "both ways; one way takes %.1f us (median)",
            (double)mrct_spread_at(&f->took, 500) / 1000.0);
}

static void mtu(struct flight *f)
{
    static const uint16_t sizes[] = {4096, 2048, 1024, 512, 256};
    struct mrc_pkt p;
    unsigned most = 0;
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0] && most == 0; i++) {
        struct trial t = plain(f);
        t.size = sizes[i];
        if (sizes[i] <= f->way->path_mtu && try_one(f, 0, &t, &p) && try_one(f, 1, &t, &p))
            most = sizes[i];
    }
    const bool good = most == f->way->path_mtu;
    say(f, MRCT_PREFLIGHT_MTU, good,
        good ? "a path MTU of %u passes" : "a path MTU of %u passes, %u does not", most,
        f->way->path_mtu);
}

static void dscp(struct flight *f)
{
    struct mrc_pkt p;
    for (unsigned i = 0; i < 2u * MRC_DSCP_CLASSES; i++) {
        struct trial t = plain(f);
        t.dscp = f->way->wire->dscp[i / 2];
        if (!try_one(f, i % 2, &t, &p)) {
            say(f, MRCT_PREFLIGHT_DSCP, false, "a packet of code point %u is lost", t.dscp);
            return;
        }
        if (p.ip6.dscp != t.dscp) {
            say(f, MRCT_PREFLIGHT_DSCP, false, "code point %u arrives as %u", t.dscp, p.ip6.dscp);
            return;
        }
    }
    say(f, MRCT_PREFLIGHT_DSCP, true, "all %u code points arrive as they were sent",
        (unsigned)MRC_DSCP_CLASSES);
}

static void ce(struct flight *f)
{
    static const char *const names[] = {"Not-ECT", "ECT(1)", "ECT(0)", "CE"};
    struct mrc_pkt p;
    for (unsigned i = 0; i < 8; i++) {
        struct trial t = plain(f);
        t.ecn = (uint8_t)(i / 2);
        if (!try_one(f, i % 2, &t, &p)) {
            say(f, MRCT_PREFLIGHT_CE, false, "a packet with %s is lost", names[t.ecn]);
            return;
        }
        if (p.ip6.ecn != t.ecn) {
            say(f, MRCT_PREFLIGHT_CE, false, "%s arrives as %s", names[t.ecn], names[p.ip6.ecn]);
            return;
        }
    }
    say(f, MRCT_PREFLIGHT_CE, true, "marks pass, and nobody marks");
}

static void fields(struct flight *f)
{
    static const struct {
        uint16_t port;
        uint32_t label;
    } values[] = {{0xC000, 0}, {0xFFFF, 0xFFFFF}, {0xD555, 0xAAAAA}, {0x8001, 0x12345}};
    struct mrc_pkt p;
    for (unsigned i = 0; i < 8; i++) {
        struct trial t = plain(f);
        t.src_port = values[i / 2].port;
        t.flow_label = values[i / 2].label;
        if (!try_one(f, i % 2, &t, &p)) {
            say(f, MRCT_PREFLIGHT_FIELDS, false, "a packet of source port %u, label %u is lost",
                t.src_port, t.flow_label);
            return;
        }
        if (p.ip6.flow_label != t.flow_label || p.udp.src_port != t.src_port) {
            say(f, MRCT_PREFLIGHT_FIELDS, false,
                "source port %u and flow label %u arrive as %u and %u", t.src_port, t.flow_label,
                p.udp.src_port, p.ip6.flow_label);
            return;
        }
    }
    say(f, MRCT_PREFLIGHT_FIELDS, true, "both are kept");
}

static void clock_error(struct flight *f)
{
    const uint64_t known_ns = f->way->stamps->error_ns;
    const bool good = f->stamp_off_ns <= known_ns;
    if (good)
        say(f, MRCT_PREFLIGHT_CLOCK, true, "stamps are right within %.3f us",
            (double)known_ns / 1000.0);
    else
        say(f, MRCT_PREFLIGHT_CLOCK, false,
            "a packet was stamped %.3f us before it was sent; stamps should be right within %.3f "
            "us",
            (double)f->stamp_off_ns / 1000.0, (double)known_ns / 1000.0);
}

void mrct_preflight_plane(const struct mrct_preflight_way *way, struct mrct_preflight *result)
{
    struct flight f = {.way = way, .result = result};
    *result = (struct mrct_preflight){0};
    alive(&f);
    if (f.lost >= GIVE_UP) {
        for (unsigned i = MRCT_PREFLIGHT_ALIVE + 1; i < MRCT_PREFLIGHT_ITEMS; i++)
            say(&f, (enum mrct_preflight_item)i, false, "not tried");
        return;
    }
    mtu(&f);
    dscp(&f);
    ce(&f);
    fields(&f);
    clock_error(&f);
}
