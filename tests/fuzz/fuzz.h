/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the fuzz targets share: libFuzzer's entry point, a reader over the input that never runs
 * out, and scratch files for readers that want a path. Each target also builds with a main() that
 * replays files (replay.c), so that the committed corpus runs under any compiler.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct fuzz_in {
    const uint8_t *p, *end;
};

static inline uint8_t fuzz_u8(struct fuzz_in *in)
{
    return in->p < in->end ? *in->p++ : 0;
}

static inline uint16_t fuzz_u16(struct fuzz_in *in)
{
    const uint16_t high = fuzz_u8(in);
    return (uint16_t)(high << 8 | fuzz_u8(in));
}

static inline uint32_t fuzz_u32(struct fuzz_in *in)
{
    const uint32_t high = fuzz_u16(in);
    return high << 16 | fuzz_u16(in);
}

/* Fills n bytes; zeros when the input ends. */
static inline void fuzz_bytes(struct fuzz_in *in, uint8_t *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = fuzz_u8(in);
}

/* Stops the target with the sentence that does not hold. */
void fuzz_fail(const char *file, int line, const char *what);
#define FUZZ_ASSERT(x) ((x) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #x))

/* The input as a file; the path is the same in every call of a process. */
const char *fuzz_file(const uint8_t *data, size_t len);

#endif
