/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/wire/reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mrc_reader_fail(struct mrc_reader *r, const char *fmt, ...)
{
    const int n = snprintf(r->err, r->err_cap, "column %zu: ", (size_t)(r->tok - r->line) + 1);
    if (n > 0 && (size_t)n < r->err_cap) {
        va_list ap;
        va_start(ap, fmt);
        (void)vsnprintf(r->err + n, r->err_cap - (size_t)n, fmt, ap);
        va_end(ap);
    }
    return -1;
}

/* The next word; false at the end of the line. */
bool mrc_reader_next(struct mrc_reader *r)
{
    r->at += strspn(r->at, " \t");
    r->tok = r->at;
    r->len = strcspn(r->at, " \t\r\n");
    r->at += r->len;
    return r->len > 0;
}

bool mrc_reader_is(const struct mrc_reader *r, const char *word)
{
    return strlen(word) == r->len && memcmp(r->tok, word, r->len) == 0;
}

int mrc_reader_convert(struct mrc_reader *r, const char *text, size_t len, int64_t min,
                       uint64_t max, uint64_t *out)
{
    char digits[32];
    char *end = digits;
    if (len > 0 && len < sizeof digits) {
        memcpy(digits, text, len);
        digits[len] = '\0';
        const bool negative = digits[0] == '-';
        const char *const first = digits + negative;
        const int base = first[0] == '0' && first[1] == 'x' ? 16 : 10;
        errno = 0;
        const unsigned long long v = strtoull(first, &end, base);
        const bool digit = *first >= '0' && *first <= '9';
        if (errno == 0 && digit && *end == '\0' && (negative ? v <= (uint64_t)-min : v <= max)) {
            *out = negative ? (uint64_t)0 - v : v;
            return 0;
        }
    }
    return mrc_reader_fail(r, "expected a number from %lld to %llu, not '%.*s'", (long long)min,
                           (unsigned long long)max, (int)len, text);
}

int mrc_reader_number(struct mrc_reader *r, uint64_t max, uint64_t *out)
{
    return mrc_reader_next(r) ? mrc_reader_convert(r, r->tok, r->len, 0, max, out)
                              : mrc_reader_fail(r, "a number is missing at the end");
}
