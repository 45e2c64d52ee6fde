/* SPDX-License-Identifier: BSD-2-Clause */
/* Quantities as people write them in a case. All return 0, or -1 when the text is something else.
 */
#ifndef MRCT_CASES_UNITS_H
#define MRCT_CASES_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* "250ns", "10us", "2.5ms", "1s": nanoseconds. A unit is asked for, but "0" stands alone. */
int mrct_units_duration(const char *s, uint64_t *ns);
/* "100gbps", "400mbps": bits a second. */
int mrct_units_rate(const char *s, uint64_t *bps);
/* "512", "64KiB", "3MiB", "1.5KiB": bytes. */
int mrct_units_size(const char *s, uint64_t *bytes);
/* "0.5%", "200ppm", "0": parts per million, at most 1000000. */
int mrct_units_share(const char *s, uint32_t *ppm);
/* A whole number, decimal or 0x hexadecimal, with an optional minus sign. */
int mrct_units_int(const char *s, int64_t *v);
/* "7" (first = last = 7), "3..5", or "3.." (last = INT64_MAX). */
int mrct_units_range(const char *s, int64_t *first, int64_t *last);
/* "true" or "false" (also yes, no). */
int mrct_units_bool(const char *s, bool *v);

#endif
