/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/wire/text.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>

void mrc_text_init(struct mrc_text *t, char *buf, size_t cap)
{
    t->buf = buf;
    t->cap = cap;
    t->len = 0;
    if (cap > 0) {
        buf[0] = '\0';
    }
}

void mrc_text_add(struct mrc_text *t, const char *fmt, ...)
{
    const size_t room = t->len < t->cap ? t->cap - t->len : 0;
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(room > 0 ? t->buf + t->len : NULL, room, fmt, ap);
    va_end(ap);
    t->len += n > 0 ? (size_t)n : 0;
}

void mrc_text_hex(struct mrc_text *t, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        mrc_text_add(t, "%02x", bytes[i]);
    }
}

void mrc_text_ip(struct mrc_text *t, const uint8_t *addr, int is_v6)
{
    char text[INET6_ADDRSTRLEN];
    const char *const got = inet_ntop(is_v6 ? AF_INET6 : AF_INET, addr, text, sizeof text);
    mrc_text_add(t, "%s", got ? got : "?");
}
