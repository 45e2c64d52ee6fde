/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one-line notation's words for header fields, shared by the printer and the parser so that
 * they cannot disagree. A field without a word is written as "bth.r=1" when it is not 0.
 */
#ifndef MRC_WIRE_WORDS_H
#define MRC_WIRE_WORDS_H

#include "gen/mrc_wire.h"

enum mrc_word_style {
    MRC_WORD_DEC,
    MRC_WORD_HEX,
    MRC_WORD_FLAG, /* the word alone says 1 */
    MRC_WORD_CODE, /* name of the code point, or hex */
    MRC_WORD_SACK, /* bitmap as PSN ranges */
    MRC_WORD_OWN,  /* written and read by code of its own */
};

struct mrc_word {
    const char *word;
    const char *field; /* name without the header's */
    enum mrc_hdr_id hdr;
    enum mrc_word_style style;
    bool omit;      /* left out when the value is the usual one */
    uint32_t usual; /* set by the parser when the word is not there */
};

/* In the order of printing; words of one header stand together. */
extern const struct mrc_word mrc_words[];
extern const size_t mrc_word_count;

/* The generated field of a word; never NULL for a word of the table. */
const struct mrc_field *mrc_word_field(const struct mrc_word *w);
/* Whether a field has a word. */
bool mrc_word_covers(const struct mrc_field *f);

#endif
