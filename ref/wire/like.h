/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests that are like one decoded before: the same connection, opcode and lengths. Most frames
 * of a capture are, and what makes them differ stands in a few fields; so a frame is compared with
 * the one remembered and only those fields are read again. The result is what mrc_pkt_decode()
 * gives.
 */
#ifndef MRC_WIRE_LIKE_H
#define MRC_WIRE_LIKE_H

#include "ref/wire/icrc.h"
#include "ref/wire/pkt.h"

#define MRC_LIKE_WORDS ((size_t)8)

/* Bytes that are compared at once. */
typedef uint64_t mrc_like_word __attribute__((vector_size(16)));

struct mrc_like {
    size_t len;                         /* of the frame, captured whole */
    size_t words;                       /* that cover the headers */
    mrc_like_word want[MRC_LIKE_WORDS]; /* headers of the frame remembered, under the mask */
    mrc_like_word mask[MRC_LIKE_WORDS]; /* bits that must be the same */
    struct mrc_icrc_span span;
};

/*
 * Remembers the frame of which p was decoded with its ICRC found right. False, with *t of no use,
 * where its kind is not one that is followed: only whole requests without immediate data are.
 */
bool mrc_like_learn(struct mrc_like *t, const uint8_t *bytes, size_t caplen, size_t wire_len,
                    const struct mrc_pkt *p);

/*
 * Reads a frame if it is like the one remembered and its ICRC is right; else false, and *p says
 * nothing. p must hold what was decoded of a frame that is like it; the payload points into bytes.
 */
bool mrc_like_decode(const struct mrc_like *t, const struct mrc_wire_config *cfg,
                     const uint8_t *bytes, size_t caplen, size_t wire_len, struct mrc_pkt *p);

#endif
