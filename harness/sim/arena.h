/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that lives as long as a simulation, in pages as large as the system has: a thousand
 * endpoints are spread over more small pages than a processor can keep in mind.
 */
#ifndef MRCT_SIM_ARENA_H
#define MRCT_SIM_ARENA_H

#include <stddef.h>

struct mrct_arena {
    void **blocks;
    size_t block_count;
    char *next; /* in the last block */
    size_t left;
    size_t bytes; /* of all blocks */
};

/* Zeroed, at the beginning of a line of the cache (64 bytes); NULL: none is left. */
void *mrct_arena_alloc(struct mrct_arena *a, size_t bytes);
/* Of all it holds, used or not. */
static inline size_t mrct_arena_bytes(const struct mrct_arena *a)
{
    return a->bytes;
}
void mrct_arena_fini(struct mrct_arena *a); /* a zeroed arena is fine */

#endif
