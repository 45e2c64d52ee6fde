/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two endpoints back to back in virtual time, and a hook on every frame between them. Frames are
 * gathered into bytes and parsed again, so that ICRC and lengths are real.
 */
#ifndef TESTS_ENDPOINT_RIG_H
#define TESTS_ENDPOINT_RIG_H

#include "ref/endpoint/mrc_ep.h"
#include <check.h>

#define RIG_PORTS   4u
#define RIG_MEM     (8u << 20)
#define RIG_VA      UINT64_C(0x7000000000)
#define RIG_EVENTS  4096u
#define RIG_LOG     65536u
#define RIG_LATENCY UINT64_C(5000)
#define RIG_FOREVER UINT64_C(1000000000000)
#define RIG_GAP     UINT64_C(100) /* between two frames of a host */

struct rig;

/* One frame on its way, as a test's hook sees and changes it. */
struct rig_frame {
    unsigned from; /* host that sent it, 0 or 1 */
    unsigned port;
    uint64_t sent_ns;
    struct mrc_pkt pkt; /* decoded; read only */
    unsigned nth;       /* of this host, from 1 */
    /* what becomes of it */
    bool drop;
    unsigned copies;   /* extra ones */
    uint64_t delay_ns; /* beside the latency */
    bool mark_ce;
    enum mrc_trim trim;
    int flip_byte; /* byte of the frame to flip, -1: none */
};
typedef void (*rig_hook)(struct rig *r, struct rig_frame *f, void *user);

/* A line of what was on the wire. */
struct rig_log {
    uint64_t time_ns;
    unsigned from, port;
    bool dropped;
    struct mrc_pkt pkt; /* payload is NULL */
};

struct rig_host {
    struct mrc_ep *ep;
    struct mrc_ep_config cfg;
    struct mrc_qp_attr attr;
    struct mrc_srv6_template srv6; /* for packets to this host */
    uint32_t qpn;
    uint8_t *mem;
    struct mrc_mr mr;
    struct mrc_ep_event events[RIG_EVENTS];
    unsigned event_count;
};

struct rig_event; /* queued frame */

struct rig {
    struct rig_host host[2];
    struct mrc_ev evs[RIG_PORTS * 8];
    unsigned ev_count;
    uint64_t now_ns;
    uint64_t port_mask; /* ports free for output, both hosts */
    uint64_t latency_ns;
    uint32_t fill_bytes; /* of each host's memory that is not 0 at the start */
    uint64_t next_out_ns[2];
    void (*before_qps)(struct rig *r); /* endpoints are there, QPs not yet; NULL: nothing */
    rig_hook hook;
    void *user;
    struct rig_event *queue; /* sorted by time, then order */
    uint64_t order;
    struct rig_log *log;
    unsigned log_len;
    unsigned sent[2];
};

/* Configurations with their defaults, one QP a host of 4 planes x 4 EVs; change, then rig_start().
 */
void rig_init(struct rig *r);
/* Makes endpoints, regions, QPs (host 0: QPN 0x22, host 1: 0x11) and connects them. */
void rig_start(struct rig *r);
void rig_connect(struct rig *r);
void rig_fini(struct rig *r);

/* Runs until nothing happens any more, or until_ns. */
void rig_run(struct rig *r, uint64_t until_ns);
/* Host h writes len bytes of its own memory at src to the other's memory at dst. */
int rig_write(struct rig *r, unsigned h, uint64_t wr_id, uint32_t src, uint32_t dst, uint32_t len);
int rig_write_imm(struct rig *r, unsigned h, uint64_t wr_id, uint32_t src, uint32_t dst,
                  uint32_t len, uint32_t imm);
void rig_fill(struct rig *r, unsigned h, uint32_t seed);
bool rig_same(const struct rig *r, unsigned from, uint32_t src, uint32_t dst, uint32_t len);
/* Feeds a built packet to host h as if the other one had sent it. */
void rig_inject(struct rig *r, unsigned h, unsigned port, const struct mrc_pkt *p);
/* A packet to host h's QP with everything below BTH filled; opcode, PSN. */
void rig_packet(const struct rig *r, unsigned h, uint8_t opcode, uint32_t psn, struct mrc_pkt *p);
/* Polls the next frame of host h at the rig's time without any wire; false: none. */
bool rig_take(struct rig *r, unsigned h, struct mrc_pkt *p);
/* n-th event of a kind at host h, from 0; NULL: fewer. */
const struct mrc_ep_event *rig_event_of(const struct rig *r, unsigned h,
                                        enum mrc_ep_event_kind kind, unsigned n);
unsigned rig_events_of(const struct rig *r, unsigned h, enum mrc_ep_event_kind kind);
/* Frames of an opcode sent by host h; -1: any write. */
unsigned rig_count(const struct rig *r, unsigned h, int opcode);
const struct rig_log *rig_find(const struct rig *r, unsigned h, int opcode, unsigned n);
const struct mrc_ep_counters *rig_counters(const struct rig *r, unsigned h);
/* All of host h's writes came back well, nothing is in flight and no timer runs. */
void rig_assert_settled(const struct rig *r, unsigned h, unsigned writes);
struct mrc_qp_info rig_info(const struct rig *r, unsigned h);

#endif
