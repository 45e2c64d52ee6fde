/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/units.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    uint64_t factor; /* 0 ends a table */
};

static const struct unit durations[] = {
    {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};
static const struct unit rates[] = {
    {"bps", 1}, {"kbps", 1000}, {"mbps", 1000000}, {"gbps", 1000000000}, {NULL, 0}};
static const struct unit sizes[] = {
    {"", 1}, {"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {NULL, 0}};
/* A share counts in parts per million. */
static const struct unit shares[] = {{"ppm", 1}, {"%", 10000}, {NULL, 0}};

/* Digits with up to nine decimals: value = *whole + *nano / 10^9. Returns what follows, or NULL. */
static const char *decimal(const char *s, uint64_t *whole, uint64_t *nano)
{
    if (!isdigit((unsigned char)*s)) {
        return NULL;
    }
    uint64_t w = 0;
    for (; isdigit((unsigned char)*s); s++) {
        if (w > (UINT64_MAX >> 4) / 10) {
            return NULL;
        }
        w = w * 10 + (uint64_t)(*s - '0');
    }
    uint64_t n = 0;
    if (*s == '.' && isdigit((unsigned char)s[1])) {
        uint64_t place = 100000000;
        for (s++; isdigit((unsigned char)*s); s++, place /= 10) {
            n += place * (uint64_t)(*s - '0');
        }
    }
    *whole = w;
    *nano = n;
    return s;
}

/* Only exact values are taken: "0.5ns" names no whole number of nanoseconds. */
static int quantity(const char *s, const struct unit *units, uint64_t *v)
{
    uint64_t whole = 0;
    uint64_t nano = 0;
    const char *const rest = decimal(s, &whole, &nano);
    if (rest == NULL) {
        return -1;
    }
    if (*rest == '\0' && whole == 0 && nano == 0) {
        *v = 0;
        return 0;
    }
    for (const struct unit *u = units; u->name != NULL; u++) {
        if (strcmp(rest, u->name) != 0) {
            continue;
        }
        if (whole > (UINT64_MAX >> 1) / u->factor || nano * u->factor % 1000000000u != 0) {
            return -1;
        }
        *v = whole * u->factor + nano * u->factor / 1000000000u;
        return 0;
    }
    return -1;
}

int mrct_units_duration(const char *s, uint64_t *ns)
{
    return quantity(s, durations, ns);
}

int mrct_units_rate(const char *s, uint64_t *bps)
{
    return quantity(s, rates, bps);
}

int mrct_units_size(const char *s, uint64_t *bytes)
{
    return quantity(s, sizes, bytes);
}

int mrct_units_share(const char *s, uint32_t *ppm)
{
    uint64_t v = 0;
    if (quantity(s, shares, &v) != 0 || v > 1000000) {
        return -1;
    }
    *ppm = (uint32_t)v;
    return 0;
}

/* strtoll() that takes no blanks, no plus sign, no octal. Returns what follows, or NULL. */
static const char *integer(const char *s, int64_t *v)
{
    const char *const digits = s + (*s == '-');
    if (!isdigit((unsigned char)*digits)) {
        return NULL;
    }
    const bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    char *end = NULL;
    errno = 0;
    *v = strtoll(s, &end, hex ? 16 : 10);
    return errno == 0 ? end : NULL;
}

int mrct_units_int(const char *s, int64_t *v)
{
    int64_t n = 0;
    const char *const rest = integer(s, &n);
    if (rest == NULL || *rest != '\0') {
        return -1;
    }
    *v = n;
    return 0;
}

int mrct_units_range(const char *s, int64_t *first, int64_t *last)
{
    int64_t a = 0;
    int64_t b = 0;
    const char *rest = integer(s, &a);
    if (rest == NULL) {
        return -1;
    }
    if (*rest == '\0') {
        b = a;
    } else if (strcmp(rest, "..") == 0) {
        b = INT64_MAX;
    } else if (strncmp(rest, "..", 2) != 0 || mrct_units_int(rest + 2, &b) != 0 || b < a) {
        return -1;
    }
    *first = a;
    *last = b;
    return 0;
}

int mrct_units_bool(const char *s, bool *v)
{
    static const struct {
        const char *name;
        bool value;
    } words[] = {{"true", true}, {"false", false}, {"yes", true}, {"no", false}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(s, words[i].name) == 0) {
            *v = words[i].value;
            return 0;
        }
    }
    return -1;
}
