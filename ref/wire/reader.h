/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of the one-line notation, shared by its parts. */
#ifndef MRC_WIRE_READER_H
#define MRC_WIRE_READER_H

#include "ref/wire/chain.h"

#define MRC_BIT(id) (UINT32_C(1) << (id))

/* A line being read. */
struct mrc_reader {
    const struct mrc_wire_config *cfg;
    const char *line, *at; /* the whole, and what is not read yet */
    const char *tok;       /* current word */
    size_t len;            /* its characters */
    char *err;
    size_t err_cap;
    struct mrc_pkt *p;
    uint8_t hdr[MRC_HDR_COUNT][MRC_HDR_LEN_MAX];
    uint32_t possible; /* headers the opcode allows, beyond those it asks for */
    uint32_t ev;
    uint8_t flow_high;
    bool have_ev, have_pad, have_udp, have_inner_dscp, have_inner_ecn;
    const char *sack; /* PSN ranges, or NULL */
    size_t sack_len;
};

/* Writes "column N: words" of the current word; returns -1. */
int mrc_reader_fail(struct mrc_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Steps to the next word; false at the end of the line. */
bool mrc_reader_next(struct mrc_reader *r);
/* Whether the current word is this one. */
bool mrc_reader_is(const struct mrc_reader *r, const char *word);
/* Text as a number, decimal or 0x; negative ones as two's complement. 0, or -1 with the error. */
int mrc_reader_convert(struct mrc_reader *r, const char *text, size_t len, int64_t min,
                       uint64_t max, uint64_t *out);
/* The next word as a number up to max. */
int mrc_reader_number(struct mrc_reader *r, uint64_t max, uint64_t *out);

/* What stands in front of "MRC": link, addresses, EV, classes; r->at is behind "MRC" then. */
int mrc_reader_head(struct mrc_reader *r);
/* Opcode, header fields, lengths, to the end of the line or a '['. */
int mrc_reader_body(struct mrc_reader *r);

#endif
