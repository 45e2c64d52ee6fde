/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text from outside (devices, files, command lines) on its way into a report: always valid UTF-8,
 * never a control character.
 */
#ifndef MRCT_TRACE_TEXT_H
#define MRCT_TRACE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * The next code point of *text, which is moved behind it; 0 at the end. Bytes that are no UTF-8,
 * surrogates, non-characters and control characters but newline and tab come as U+FFFD.
 */
uint32_t mrct_text_next(const char **text);

/* Writes code point c to out (room for 4 bytes) and returns the number of bytes, without a NUL. */
size_t mrct_text_put(uint32_t c, char *out);

/*
 * Copies text into buf as valid UTF-8 without control characters, cut between code points to fit
 * cap bytes with the NUL. Returns the bytes written, without the NUL. cap > 0.
 */
size_t mrct_text_clean(const char *text, char *buf, size_t cap);

#endif
