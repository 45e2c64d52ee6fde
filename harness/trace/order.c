/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/trace/order.h"

#include <stdlib.h>
#include <string.h>

#define STEP_MIN_NS UINT64_C(1000000) /* less is disorder, not a clock that was set */
#define STEP_RUN    16u               /* frames in a row on the new time that make it a step */

struct held {
    struct mrct_capture_frame f;
    uint8_t *copy; /* raw bytes, and behind them the view where that is another */
};

struct mrct_order {
    enum mrct_order_mode mode;
    struct mrct_order_seen seen;
    uint64_t last_ns, max_ns, out_ns, shift_ns;
    struct held *heap; /* least time first, then least number */
    size_t count, room, window, bytes;
    uint8_t *lent; /* copy of the frame handed out last */
    bool drained;
};

struct mrct_order *mrct_order_new(enum mrct_order_mode mode, size_t window_frames)
{
    struct mrct_order *const o = calloc(1, sizeof(*o));
    if (o != NULL) {
        o->mode = mode;
        o->window = window_frames;
    }
    return o;
}

void mrct_order_free(struct mrct_order *o)
{
    if (o == NULL)
        return;
    for (size_t i = 0; i < o->count; i++)
        free(o->heap[i].copy);
    free(o->heap);
    free(o->lent);
    free(o);
}

static void look(struct mrct_order *o, uint64_t t)
{
    struct mrct_order_seen *const s = &o->seen;
    if (s->frames++ > 0 && t < o->last_ns)
        s->backward++;
    if (t < o->max_ns) {
        s->below++;
        if (o->max_ns - t > s->back_max_ns)
            s->back_max_ns = o->max_ns - t;
    } else {
        o->max_ns = t;
    }
    o->last_ns = t;
}

/* ---- the window ---- */

static bool before(const struct held *a, const struct held *b)
{
    if (a->f.time_ns != b->f.time_ns)
        return a->f.time_ns < b->f.time_ns;
    return a->f.frame_no < b->f.frame_no;
}

static void swap(struct held *a, struct held *b)
{
    const struct held t = *a;
    *a = *b;
    *b = t;
}

static int push(struct mrct_order *o, const struct mrct_capture_frame *f)
{
    if (o->count == o->room) {
        const size_t room = o->room == 0 ? 256 : 2 * o->room;
        struct held *const more = realloc(o->heap, room * sizeof(*more));
        if (more == NULL)
            return -1;
        o->heap = more;
        o->room = room;
    }
    const bool viewed = f->bytes != f->raw;
    struct held *const h = &o->heap[o->count];
    h->f = *f;
    h->copy = malloc((size_t)f->raw_len + (viewed ? f->cap_len : 0) + 1);
    if (h->copy == NULL)
        return -1;
    memcpy(h->copy, f->raw, f->raw_len);
    if (viewed)
        memcpy(h->copy + f->raw_len, f->bytes, f->cap_len);
    h->f.raw = h->copy;
    h->f.bytes = viewed ? h->copy + f->raw_len : h->copy;
    o->bytes += f->raw_len;
    for (size_t i = o->count++; i > 0 && before(&o->heap[i], &o->heap[(i - 1) / 2]);
         i = (i - 1) / 2)
        swap(&o->heap[i], &o->heap[(i - 1) / 2]);
    return 0;
}

static struct held pop(struct mrct_order *o)
{
    const struct held top = o->heap[0];
    o->heap[0] = o->heap[--o->count];
    for (size_t i = 0;;) {
        size_t least = 2 * i + 1;
        if (least >= o->count)
            break;
        if (least + 1 < o->count && before(&o->heap[least + 1], &o->heap[least]))
            least++;
        if (!before(&o->heap[least], &o->heap[i]))
            break;
        swap(&o->heap[i], &o->heap[least]);
        i = least;
    }
    o->bytes -= top.f.raw_len;
    return top;
}

static enum mrct_capture_state next_sorted(struct mrct_order *o, struct mrct_capture *c,
                                           struct mrct_capture_frame *f)
{
    struct mrct_capture_frame in;
    while (!o->drained && o->count < o->window && o->bytes < MRCT_ORDER_BYTES) {
        if (mrct_capture_next(c, &in) != MRCT_CAPTURE_FRAME) {
            o->drained = true;
            break;
        }
        look(o, in.time_ns);
        if (push(o, &in) != 0)
            return MRCT_CAPTURE_BAD;
    }
    if (o->count == 0)
        return mrct_capture_state(c);
    const struct held h = pop(o);
    free(o->lent);
    o->lent = h.copy;
    *f = h.f;
    if (f->time_ns < o->out_ns) {
        o->seen.late++;
        f->time_ns = o->out_ns;
    } else if (f->time_ns == o->out_ns) {
        o->seen.ties++;
    }
    o->out_ns = f->time_ns;
    return MRCT_CAPTURE_FRAME;
}

enum mrct_capture_state mrct_order_next(struct mrct_order *o, struct mrct_capture *c,
                                        struct mrct_capture_frame *f)
{
    if (o->mode == MRCT_ORDER_SORT)
        return next_sorted(o, c, f);
    const enum mrct_capture_state state = mrct_capture_next(c, f);
    if (state != MRCT_CAPTURE_FRAME)
        return state;
    look(o, f->time_ns);
    if (o->mode == MRCT_ORDER_STEPS) {
        if (f->time_ns + o->shift_ns < o->out_ns)
            o->shift_ns = o->out_ns - f->time_ns;
        f->time_ns += o->shift_ns;
        o->out_ns = f->time_ns;
    }
    return state;
}

const struct mrct_order_seen *mrct_order_seen(const struct mrct_order *o)
{
    return &o->seen;
}

enum mrct_order_mode mrct_order_needed(const struct mrct_order_seen *seen)
{
    if (seen->backward == 0)
        return MRCT_ORDER_AS_IS;
    /* A step leaves a long run in order behind each jump; late frames are few behind each. */
    const bool step = seen->back_max_ns >= STEP_MIN_NS && seen->below / seen->backward >= STEP_RUN;
    return step ? MRCT_ORDER_STEPS : MRCT_ORDER_SORT;
}
