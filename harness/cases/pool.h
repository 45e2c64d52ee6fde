/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool: what a loader allocates is freed in one call, with the case it belongs to. */
#ifndef MRCT_CASES_POOL_H
#define MRCT_CASES_POOL_H

#include <stddef.h>

struct mrct_pool_chunk;

struct mrct_pool {
    struct mrct_pool_chunk *chunks; /* newest first */
};

void mrct_pool_init(struct mrct_pool *p);
void mrct_pool_fini(struct mrct_pool *p);

/* Zeroed memory that lives as long as the pool; NULL when there is none left. */
void *mrct_pool_alloc(struct mrct_pool *p, size_t size_bytes);
/* A copy of s in the pool. */
char *mrct_pool_strdup(struct mrct_pool *p, const char *s);

#endif
