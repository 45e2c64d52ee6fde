/* SPDX-License-Identifier: BSD-2-Clause */
/* A script being played. Internal to harness/cases/script_*.c. */
#ifndef MRCT_CASES_SCRIPT_PRIV_H
#define MRCT_CASES_SCRIPT_PRIV_H

#include "harness/cases/script_play.h"
#include "harness/fabric/rng.h"
#include "ref/wire/print.h"
#include "ref/wire/text.h"

#define MRCT_PLAY_HEAD 256u /* bytes of a frame kept: more than its headers */

/* Something the device did: a frame, or an event of its application. */
struct mrct_rx {
    uint64_t time_ns;
    int name;   /* opcode or MRCT_NAME_ */
    bool used;  /* a line has been about it */
    bool taken; /* and came true by it */
    bool is_event;
    unsigned plane;
    enum mrc_wire_error err;
    struct mrc_pkt pkt;
    uint8_t head[MRCT_PLAY_HEAD];
    size_t head_len;
    struct mrc_ep_event ev;
};

/* A request that the device sent, as a responder has to remember it. */
struct mrct_seen {
    bool got, rtx, end;
    uint16_t timestamp;
    uint32_t ev;
};

/* A request that the harness sent: what a second sending repeats. */
struct mrct_sent {
    bool made;
    int64_t va; /* offset in the region */
    uint32_t len, dma, imm;
    uint16_t msn, rqmsn;
    unsigned pattern;
};

/* Bytes that a valid request carried to the device's region. */
struct mrct_laid {
    uint64_t offset;
    uint32_t len;
    unsigned pattern;
};

struct mrct_play_qp {
    /* the device as requestor */
    struct mrct_seen *seen; /* by relative PSN */
    size_t seen_cap;
    int64_t seen_last, seen_latest, seen_cack; /* highest, latest, all up to it; -1: none */
    uint64_t rcvd_bytes;
    /* the harness as requestor */
    struct mrct_sent *sent; /* by relative PSN */
    size_t sent_cap;
    int64_t next_psn;
    uint16_t msn, rqmsn;
    int64_t msg_first, msg_va; /* of the message that FIRST began: its PSN, its address */
    uint32_t msg_dma;
    int64_t va_next; /* where the next message goes */
};

struct mrct_player {
    const struct mrct_script *s;
    struct mrct_script_world w;
    struct mrct_pool pool; /* frames sent */
    struct mrct_rng rng;
    enum mrct_player_state state;
    bool started;
    uint64_t start_ns, now_ns;
    size_t at;               /* line being played */
    uint64_t prev_ns;        /* when the line before it happened */
    uint64_t deed_ns;        /* when the script last did something, or waited */
    uint64_t from_ns, to_ns; /* of the line being played; MRCT_SCRIPT_NEVER: open */
    uint32_t done;           /* of its "x8" */
    uint32_t *left;          /* of a set: how many each line still waits for; one per line */
    size_t calls;
    struct mrct_rx *rx;
    size_t rx_count, rx_cap;
    bool *guard; /* one per line: forbidden from now on */
    uint64_t var[MRCT_SCRIPT_VARS_MAX];
    bool bound[MRCT_SCRIPT_VARS_MAX];
    struct mrct_play_qp qp[MRCT_CASE_QPS_MAX];
    unsigned ev_next[MRC_EP_PORTS_MAX];
    unsigned pattern; /* of the request built last */
    struct mrct_laid *laid;
    size_t laid_count, laid_cap;
    uint8_t bytes[MRC_FRAME_MAX];
    char words[1200], due[400], came[MRC_PRINT_LINE_MAX];
};

/* The other host: the device. */
static inline unsigned mrct_play_device(const struct mrct_player *p)
{
    return 1 - p->w.host;
}

/* Ends the play; the first end stays. `rx` is what came, or NULL. */
void mrct_play_stop(struct mrct_player *p, enum mrct_player_state state,
                    const struct mrct_script_line *line, const struct mrct_rx *rx, const char *fmt,
                    ...) __attribute__((format(printf, 5, 6)));

/* ---- script_map.c: numbers of the script and of the wire ---- */
/* Which host's requests a packet speaks of, by its opcode: the sender's, or the other's. */
unsigned mrct_play_flow_host(unsigned from, int opcode);
/* The value an item has on the wire in a packet that `from` sends; k is added to a BTH.PSN. False:
 * the run has no such thing, or the variable has no value. */
bool mrct_play_value(struct mrct_player *p, const struct mrct_script_line *line,
                     const struct mrct_script_item *i, unsigned from, int64_t number, uint32_t k,
                     uint64_t *value);
/* What the k-th packet of "x8" adds to an item of the first: what counts packets counts on. */
int64_t mrct_play_step(const struct mrct_script_line *line, const struct mrct_script_item *i,
                       uint32_t k);
/* The script's number of a wire's value; false when it has none. */
bool mrct_play_number(const struct mrct_player *p, const struct mrct_script_line *line,
                      const struct mrct_script_item *i, const struct mrct_rx *rx, uint64_t value,
                      int64_t *number);
/* Index of the QP of a host by its number, or -1. */
int mrct_play_qp_of(const struct mrct_player *p, unsigned host, uint32_t qpn);
/* QP of a line, from 0. */
unsigned mrct_play_line_qp(const struct mrct_script_line *line);
/* The highest relative PSN of the flow that a packet speaks of, -1: none yet. */
int64_t mrct_play_last(const struct mrct_player *p, unsigned from, int opcode, unsigned qp);

/* ---- script_flow.c: what has passed ---- */
/* 0, or -1: no memory. */
int mrct_play_note_seen(struct mrct_player *p, const struct mrct_rx *rx);
struct mrct_sent *mrct_play_sent(struct mrct_player *p, unsigned qp, int64_t psn); /* or NULL */
const struct mrct_seen *mrct_play_seen(const struct mrct_player *p, unsigned qp, int64_t psn);
/* Places the payload of a valid request in the harness's own memory. */
void mrct_play_place(struct mrct_player *p, const struct mrct_rx *rx, const uint8_t *payload);
uint32_t mrct_play_messages(const struct mrct_player *p, unsigned qp, int64_t upto);

/* ---- script_build.c ---- */
/* Builds the k-th packet of a line into *out; false: the play was stopped. *plane is its port. */
bool mrct_play_build(struct mrct_player *p, const struct mrct_script_line *line, uint32_t k,
                     struct mrc_frame *out, unsigned *plane);
/* script_wire.c: makes bytes of the packet, with all that the items change. */
bool mrct_play_wire(struct mrct_player *p, const struct mrct_script_line *line, uint32_t k,
                    struct mrc_pkt *pkt, struct mrc_frame *out);
/* The plane of a line, 0 unless it names one. */
unsigned mrct_play_plane(const struct mrct_script_line *line);

/* ---- script_match.c ---- */
/* Whether rx is what the line's name, QP and plane are about. */
bool mrct_play_about(const struct mrct_player *p, const struct mrct_script_line *line,
                     const struct mrct_rx *rx);
/* Whether it is as the line says; words on the first difference otherwise. Binds variables when it
 * is and `bind`. */
bool mrct_play_fits(struct mrct_player *p, const struct mrct_script_line *line, uint32_t k,
                    const struct mrct_rx *rx, bool bind, char *words, size_t cap);

/* ---- script_print.c ---- */
void mrct_play_print(const struct mrct_player *p, const struct mrct_rx *rx, char *buf, size_t cap);
/* "12.5us" */
void mrct_play_print_time(struct mrc_text *t, uint64_t ns);

#endif
