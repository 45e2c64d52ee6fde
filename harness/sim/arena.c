/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/sim/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE        64u
#define HUGE_PAGE   (2u << 20)
#define BLOCK_MAX   (64u << 20)
#define BLOCK_LEAST HUGE_PAGE

/* Each block twice the last, up to a limit; more when one piece asks for more. */
static size_t block_bytes(const struct mrct_arena *a, size_t wanted)
{
    size_t bytes = BLOCK_LEAST;
    for (size_t i = 0; i < a->block_count && bytes < BLOCK_MAX; i++)
        bytes *= 2;
    return wanted <= bytes ? bytes : (wanted + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

static int add_block(struct mrct_arena *a, size_t wanted)
{
    void **const blocks = realloc(a->blocks, (a->block_count + 1) * sizeof *blocks);
    if (blocks == NULL)
        return -1;
    a->blocks = blocks;
    const size_t bytes = block_bytes(a, wanted);
    char *const block = aligned_alloc(HUGE_PAGE, bytes);
    if (block == NULL)
        return -1;
    (void)madvise(block, bytes, MADV_HUGEPAGE); /* a wish */
    a->blocks[a->block_count++] = block;
    a->next = block;
    a->left = bytes;
    a->bytes += bytes;
    return 0;
}

void *mrct_arena_alloc(struct mrct_arena *a, size_t bytes)
{
    bytes = (bytes + LINE - 1) / LINE * LINE;
    bytes = bytes > 0 ? bytes : LINE;
    if (bytes > a->left && add_block(a, bytes) != 0)
        return NULL;
    void *const p = a->next;
    a->next += bytes;
    a->left -= bytes;
    memset(p, 0, bytes);
    return p;
}

void mrct_arena_fini(struct mrct_arena *a)
{
    for (size_t i = 0; i < a->block_count; i++)
        free(a->blocks[i]);
    free(a->blocks);
    *a = (struct mrct_arena){0};
}
