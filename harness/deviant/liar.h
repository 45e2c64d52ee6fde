/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a liar is made of: the reference endpoint, and hooks that see each frame on its way in and
 * out, the attributes, and the events. A lie is a table of hooks; what they share is kept here: the
 * QPs, a book of the requests that arrived, frames and events of the liar's own.
 */
#ifndef MRCT_DEVIANT_LIAR_H
#define MRCT_DEVIANT_LIAR_H

#include "harness/deviant/deviant.h"

#define MRCT_LIAR_QPS_MAX 16u
#define MRCT_LIAR_MRS_MAX 32u
#define MRCT_LIAR_EVS_MAX 1024u
/* PSNs the books remember: more than the largest window, 255 units of 128. A power of two. */
#define MRCT_LIAR_BOOK 32768u

struct mrct_liar;

enum mrct_liar_do {
    MRCT_LIAR_PASS,    /* io->f goes on as it stands */
    MRCT_LIAR_CHANGED, /* encode io->p again: lengths, pad and IPv4 checksum made right */
    MRCT_LIAR_RAW,     /* encode io->p again with every field as it stands */
    MRCT_LIAR_SWALLOW, /* it goes no further */
};

enum {
    MRCT_ARRIVED = 1u, /* whole and with a right ICRC */
    MRCT_ARRIVED_A = 2u,
    MRCT_ARRIVED_CE = 4u,
    MRCT_ARRIVED_RTX = 8u,
    MRCT_ARRIVED_DUP = 16u, /* this time it was a duplicate */
    MRCT_ARRIVED_TS = 32u,
};

/* The latest arrival of a PSN. */
struct mrct_liar_arrival {
    uint32_t psn;
    uint16_t msn;
    uint8_t flags; /* MRCT_ARRIVED_x; 0: never */
};

struct mrct_liar_qp {
    uint32_t qpn;
    struct mrc_qp_attr attr; /* evs: the copy below */
    struct mrc_qp_peer peer;
    bool connected;
    struct mrc_ev *evs;
    unsigned ev_count, ev_next;
    /* Book of the requests that came in. */
    uint32_t cack;
    struct mrct_liar_arrival *book; /* MRCT_LIAR_BOOK */
    void *state;                    /* of the lie, zeroed */
};

/* One frame at a hook. */
struct mrct_liar_io {
    struct mrct_liar *liar;
    struct mrct_liar_qp *qp;
    void *state; /* qp's */
    uint64_t now_ns;
    unsigned port; /* it came by or leaves by; an out hook may move it */
    struct mrc_pkt *p;
    struct mrc_frame *f;
    enum mrc_wire_error err; /* of decoding */
    bool duplicate;          /* in: a whole request whose PSN had arrived */
};

struct mrct_liar_hooks {
    size_t state_size; /* bytes per QP */
    void (*config)(struct mrc_ep_config *cfg);
    void (*attr)(const struct mrc_ep_config *cfg, struct mrc_qp_attr *attr);
    void (*peer)(struct mrc_qp_peer *peer);
    enum mrct_liar_do (*in)(struct mrct_liar_io *io);
    /* After the endpoint had the frame. */
    void (*in_done)(struct mrct_liar_io *io);
    enum mrct_liar_do (*out)(struct mrct_liar_io *io);
    /* The node's own packets, to QP 0x2: io->qp and io->state are NULL. */
    enum mrct_liar_do (*node_in)(struct mrct_liar_io *io);
    enum mrct_liar_do (*node_out)(struct mrct_liar_io *io);
    /* An event on its way to the application; false: it does not get there. */
    bool (*event)(struct mrct_liar *l, struct mrct_liar_qp *qp, struct mrc_ep_event *ev);
    void (*posted_write)(struct mrct_liar *l, struct mrct_liar_qp *qp, const struct mrc_write *w);
    void (*posted_recv)(struct mrct_liar *l, struct mrct_liar_qp *qp, uint64_t wr_id);
    bool keeps_evs; /* no EV is ever replaced, whatever the controller is told */
};

/* A frame of the liar's own, waiting for its port. */
struct mrct_liar_extra {
    struct mrct_liar_extra *next;
    uint64_t not_before_ns;
    unsigned port;
    struct mrc_frame f;
};

struct mrct_liar_event {
    struct mrct_liar_event *next;
    struct mrc_ep_event ev;
};

struct mrct_liar {
    struct mrct_dut dut; /* first */
    struct mrct_dut *inner;
    const struct mrct_liar_hooks *hooks;
    struct mrc_ep_config cfg;
    struct mrct_liar_qp qps[MRCT_LIAR_QPS_MAX];
    unsigned qp_count;
    struct mrc_mr mrs[MRCT_LIAR_MRS_MAX];
    unsigned mr_count;
    uint64_t now_ns; /* of the latest call */
    struct mrct_liar_extra *extras;
    struct mrct_liar_event *events;
};

struct mrct_dut *mrct_liar_new(const char *name, const struct mrct_liar_hooks *hooks,
                               const struct mrc_ep_config *cfg, uint64_t seed);

/* Sends a copy of f by a port as soon as that is free, but not before a time; no hook sees it. */
void mrct_liar_send(struct mrct_liar *l, uint64_t not_before_ns, unsigned port,
                    const struct mrc_frame *f);
/* The same of a packet, encoded as MRCT_LIAR_CHANGED or MRCT_LIAR_RAW says. */
void mrct_liar_send_pkt(struct mrct_liar *l, uint64_t not_before_ns, unsigned port,
                        const struct mrc_pkt *p, enum mrct_liar_do how);
/* Tells the application; the event hook does not see it. */
void mrct_liar_tell(struct mrct_liar *l, const struct mrc_ep_event *ev);
/* Puts another EV into a request, with the addresses and the port of its plane. */
void mrct_liar_use_ev(struct mrct_liar_io *io, struct mrc_ev ev);
/* The next EV of a rotation of the liar's own. */
struct mrc_ev mrct_liar_next_ev(struct mrct_liar_qp *qp);
/* The port of an EV of this QP; -1 when it is none of its own. */
int mrct_liar_ev_port(const struct mrct_liar_qp *qp, uint32_t ev);
/* Memory at a peer's address; NULL unless all len bytes lie in one region. */
uint8_t *mrct_liar_mem(struct mrct_liar *l, uint32_t rkey, uint64_t va, uint64_t len_bytes);

/* book.c */
/* Notes a request that came in; true when it is a duplicate. */
bool mrct_liar_book_note(struct mrct_liar_qp *qp, const struct mrc_pkt *p);
/* The latest arrival of a PSN; NULL when it never arrived whole or is forgotten. */
const struct mrct_liar_arrival *mrct_liar_book_get(const struct mrct_liar_qp *qp, uint32_t psn);
bool mrct_liar_book_has(const struct mrct_liar_qp *qp, uint32_t psn);
/* What the SACK in p says triggered it; NULL when that never arrived. */
const struct mrct_liar_arrival *mrct_liar_trigger(const struct mrct_liar_qp *qp,
                                                  const struct mrc_pkt *p);

static inline bool mrct_liar_is(const struct mrct_liar_io *io, uint8_t opcode)
{
    return io->err == MRC_WIRE_OK && io->p->bth.opcode == opcode;
}

static inline bool mrct_liar_is_sack(const struct mrct_liar_io *io)
{
    return mrct_liar_is(io, MRC_OP_SACK) && io->p->seth.pr == 0;
}

static inline bool mrct_liar_is_nack(const struct mrct_liar_io *io)
{
    return mrct_liar_is(io, MRC_OP_NACK);
}

static inline bool mrct_liar_is_trim_nack(const struct mrct_liar_io *io)
{
    return mrct_liar_is_nack(io) && (io->p->neth.nack_reason == MRC_NACK_TRIMMED ||
                                     io->p->neth.nack_reason == MRC_NACK_TRIMMED_LASTHOP);
}

/* A positive transport ACK. */
static inline bool mrct_liar_is_ack(const struct mrct_liar_io *io)
{
    return mrct_liar_is(io, MRC_OP_ACK) && io->p->aeth.syndrome < 0x20;
}

static inline bool mrct_liar_is_request(const struct mrct_liar_io *io)
{
    return io->err == MRC_WIRE_OK && mrc_op_is_write(io->p->bth.opcode);
}

static inline bool mrct_liar_is_first(const struct mrct_liar_io *io)
{
    return mrct_liar_is_request(io) && io->p->bth.rtx == 0;
}

static inline bool mrct_liar_is_rtx(const struct mrct_liar_io *io)
{
    return mrct_liar_is_request(io) && io->p->bth.rtx != 0;
}

#endif
