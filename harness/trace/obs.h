/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a watcher sees: frames at a tap, and what an application did or was told. The oracle knows
 * nothing else of a run.
 */
#ifndef MRCT_TRACE_OBS_H
#define MRCT_TRACE_OBS_H

#include "ref/wire/pkt.h"

/* Where a capture was taken, relative to the QP's requestor (facts may name the host instead). */
enum mrct_tap { MRCT_TAP_MIDDLE, MRCT_TAP_REQUESTOR, MRCT_TAP_RESPONDER };

/* One frame seen. pkt and what it points at live until the call that hands it over returns. */
struct mrct_obs {
    uint64_t time_ns;
    uint64_t time_err_ns;    /* how far time_ns may be off, either way */
    uint64_t frame_no;       /* from 1, in the order of its capture */
    uint32_t cap_len;        /* bytes captured */
    uint32_t wire_len;       /* bytes on the wire */
    uint8_t plane;           /* 0 when unknown */
    enum mrc_wire_error err; /* of decoding; pkt holds what decoded before it */
    struct mrc_pkt pkt;
};

/* What an application at one host did or saw. Supplied by simulated and live runs, never by a bare
 * capture: a check that needs one that nobody supplies is INCONCLUSIVE. */
enum mrct_event_kind {
    MRCT_EVENT_POST_WRITE, /* qpn, wr_id, va, rkey, len, imm if has_imm */
    MRCT_EVENT_POST_RECV,  /* qpn, wr_id */
    MRCT_EVENT_SEND_DONE,  /* qpn, wr_id, status */
    MRCT_EVENT_RECV_IMM,   /* qpn, wr_id, imm, len */
    MRCT_EVENT_QP_ERROR,   /* qpn, status */
    MRCT_EVENT_MEM_WRITE,  /* va, len: the device placed bytes (digest: crc32 of them) */
    MRCT_EVENT_MEM_CHECK,  /* va, len: the harness compared a region; ok says whether it is as
                              it must be (bytes written once, the rest untouched) */
    MRCT_EVENT_PORT,       /* an own port went down or (ok) came up: plane; told for each QP */
    MRCT_EVENT_EV_STATE,   /* qpn, plane, ev: its controller denied the EV, or (ok) allowed it */
};

struct mrct_event {
    enum mrct_event_kind kind;
    uint64_t time_ns;
    const char *host; /* name as in the facts; static for the run */
    uint32_t qpn;     /* of the host's own QP */
    uint64_t wr_id;
    uint64_t va;
    uint32_t rkey;
    uint32_t len_bytes;
    uint32_t psn; /* MEM_WRITE: of the packet, when known; else UINT32_MAX */
    bool has_imm;
    uint32_t imm;
    int status; /* enum mrc_wc_status */
    uint32_t ev;
    int plane;
    bool ok;         /* MEM_CHECK, PORT, EV_STATE */
    const char *why; /* MEM_CHECK that failed: words; else NULL */
};

#endif
