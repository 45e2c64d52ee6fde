/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/fabric/queue.h"

#include <stdlib.h>

void mrct_fabq_fini(struct mrct_fabq *q)
{
    free(q->heap);
    *q = (struct mrct_fabq){0};
}

static bool earlier(const struct mrct_fabq_event *a, const struct mrct_fabq_event *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->seq < b->seq;
}

static int grow(struct mrct_fabq *q)
{
    const size_t cap = q->cap == 0 ? 256 : q->cap * 2;
    struct mrct_fabq_event *const heap = realloc(q->heap, cap * sizeof *heap);
    if (heap == NULL)
        return -1;
    q->heap = heap;
    q->cap = cap;
    return 0;
}

int mrct_fabq_push(struct mrct_fabq *q, const struct mrct_fabq_event *ev)
{
    if (q->len == q->cap && grow(q) != 0)
        return -1;
    struct mrct_fabq_event e = *ev;
    e.seq = q->next_seq++;
    size_t i = q->len++;
    while (i > 0 && earlier(&e, &q->heap[(i - 1) / 2])) {
        q->heap[i] = q->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    q->heap[i] = e;
    return 0;
}

const struct mrct_fabq_event *mrct_fabq_top(const struct mrct_fabq *q)
{
    return q->len == 0 ? NULL : &q->heap[0];
}

struct mrct_fabq_event mrct_fabq_pop(struct mrct_fabq *q)
{
    const struct mrct_fabq_event top = q->heap[0];
    const struct mrct_fabq_event last = q->heap[--q->len];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= q->len)
            break;
        if (child + 1 < q->len && earlier(&q->heap[child + 1], &q->heap[child]))
            child++;
        if (!earlier(&q->heap[child], &last))
            break;
        q->heap[i] = q->heap[child];
        i = child;
    }
    q->heap[i] = last;
    return top;
}
