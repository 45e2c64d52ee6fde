/* SPDX-License-Identifier: BSD-2-Clause */
/* Text into a buffer of fixed size: what does not fit is counted and left out. */
#ifndef MRC_WIRE_TEXT_H
#define MRC_WIRE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct mrc_text {
    char *buf;
    size_t cap; /* bytes, with the ending NUL */
    size_t len; /* characters wanted so far; may exceed cap - 1 */
};

/* Empty text; buf may be NULL when cap is 0. */
void mrc_text_init(struct mrc_text *t, char *buf, size_t cap);
void mrc_text_add(struct mrc_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mrc_text_hex(struct mrc_text *t, const uint8_t *bytes, size_t len);
/* An IPv4 (4 bytes) or IPv6 (16 bytes) address. */
void mrc_text_ip(struct mrc_text *t, const uint8_t *addr, int is_v6);

#endif
