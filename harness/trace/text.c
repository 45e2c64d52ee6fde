/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/trace/text.h"

#include <stdbool.h>
#include <string.h>

#define REPLACEMENT 0xFFFDu

/* Lead bytes of UTF-8: how many bytes follow, and the least code point that needs so many. */
struct lead {
    uint8_t mask, value, more;
    uint32_t least;
};
static const struct lead leads[] = {
    {0x80, 0x00, 0, 0},
    {0xE0, 0xC0, 1, 0x80},
    {0xF0, 0xE0, 2, 0x800},
    {0xF8, 0xF0, 3, 0x10000},
};

static bool printable(uint32_t c)
{
    if (c < 0x20)
        return c == '\n' || c == '\t';
    if (c >= 0x7F && c < 0xA0)
        return false;
    return (c < 0xD800 || c > 0xDFFF) && (c & 0xFFFEu) != 0xFFFEu && c <= 0x10FFFF;
}

static const struct lead *lead_of(uint8_t byte)
{
    for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++)
        if ((byte & leads[i].mask) == leads[i].value)
            return &leads[i];
    return NULL;
}

uint32_t mrct_text_next(const char **text)
{
    const unsigned char *p = (const unsigned char *)*text;
    if (*p == 0)
        return 0;
    const struct lead *const l = lead_of(*p);
    *text += 1;
    if (l == NULL)
        return REPLACEMENT;
    uint32_t c = *p & (uint8_t)~l->mask;
    for (unsigned i = 1; i <= l->more; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return REPLACEMENT;
        c = c << 6 | (p[i] & 0x3Fu);
    }
    if (c < l->least || !printable(c)) /* an overlong form hides what it stands for */
        c = REPLACEMENT;
    *text += l->more;
    return c;
}

size_t mrct_text_put(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const unsigned more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    out[0] = (char)(leads[more].value | c >> (6 * more));
    for (unsigned i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3F));
    return more + 1;
}

size_t mrct_text_clean(const char *text, char *buf, size_t cap)
{
    size_t used = 0;
    for (;;) {
        char one[4];
        const uint32_t c = mrct_text_next(&text);
        const size_t len = mrct_text_put(c, one);
        if (c == 0 || used + len >= cap)
            break;
        memcpy(buf + used, one, len);
        used += len;
    }
    buf[used] = '\0';
    return used;
}
