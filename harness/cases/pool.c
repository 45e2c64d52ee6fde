/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/pool.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct mrct_pool_chunk {
    struct mrct_pool_chunk *next;
    alignas(max_align_t) unsigned char bytes[];
};

void mrct_pool_init(struct mrct_pool *p)
{
    p->chunks = NULL;
}

void mrct_pool_fini(struct mrct_pool *p)
{
    while (p->chunks != NULL) {
        struct mrct_pool_chunk *const next = p->chunks->next;
        free(p->chunks);
        p->chunks = next;
    }
}

void *mrct_pool_alloc(struct mrct_pool *p, size_t size_bytes)
{
    struct mrct_pool_chunk *const c = calloc(1, sizeof *c + size_bytes);
    if (c == NULL) {
        return NULL;
    }
    c->next = p->chunks;
    p->chunks = c;
    return c->bytes;
}

char *mrct_pool_strdup(struct mrct_pool *p, const char *s)
{
    const size_t size = strlen(s) + 1;
    char *const copy = mrct_pool_alloc(p, size);
    if (copy != NULL) {
        memcpy(copy, s, size);
    }
    return copy;
}
