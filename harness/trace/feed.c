/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/trace/feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WARNINGS_MAX 32u /* cut files of a ring that get a sentence of their own */

/* One file of the feed. */
struct source {
    const char *path;
    size_t index; /* as given */
    uint64_t first_ns, size;
    struct mrct_capture *cap;
    struct mrct_order *order;
    size_t *ifaces; /* of the capture, by number: that of the feed */
    size_t iface_count;
    struct mrct_capture_frame next; /* merge: what comes next */
    bool have_next;
    int64_t offset_ns;
};

struct mrct_feed {
    struct mrct_feed_config cfg;
    struct source *sources;
    size_t count, at; /* at: the one being read, of a ring */
    struct mrct_feed_iface *ifaces;
    size_t iface_count;
    struct mrct_order_seen done; /* of files that are closed */
    uint64_t frames, base, bytes_done, bytes_total;
    char *warnings[WARNINGS_MAX];
    size_t warning_count;
    enum mrct_capture_state state;
    char message[400];
};

/* ---- interfaces ---- */

static char *copy(const char *text)
{
    char *const c = strdup(text);
    return c;
}

/* Of a ring, the same interface has the same name in each file; a merge keeps them apart. */
static bool is_same(const struct mrct_feed *f, const struct mrct_feed_iface *a,
                    const struct mrct_capture_iface *b)
{
    return !f->cfg.merge && a->link == b->link && strcmp(a->name, b->name) == 0 &&
           strcmp(a->description, b->description) == 0 && strcmp(a->comment, b->comment) == 0;
}

static bool in_use(const struct source *s, size_t feed_iface)
{
    for (size_t i = 0; i < s->iface_count; i++)
        if (s->ifaces[i] == feed_iface)
            return true;
    return false;
}

static long find_iface(struct mrct_feed *f, const struct source *s,
                       const struct mrct_capture_iface *i)
{
    for (size_t k = 0; k < f->iface_count; k++)
        if (is_same(f, &f->ifaces[k], i) && !in_use(s, k))
            return (long)k;
    struct mrct_feed_iface *const more = realloc(f->ifaces, (f->iface_count + 1) * sizeof(*more));
    if (more == NULL)
        return -1;
    f->ifaces = more;
    struct mrct_feed_iface *const n = &more[f->iface_count];
    *n = (struct mrct_feed_iface){.name = copy(i->name),
                                  .description = copy(i->description),
                                  .comment = copy(i->comment),
                                  .file = s->path,
                                  .file_index = s->index,
                                  .link = i->link,
                                  .snap_len = i->snap_len};
    if (n->name == NULL || n->description == NULL || n->comment == NULL)
        return -1;
    return (long)f->iface_count++;
}

static int map_ifaces(struct mrct_feed *f, struct source *s)
{
    const size_t count = mrct_capture_iface_count(s->cap);
    size_t *const more = realloc(s->ifaces, (count + 1) * sizeof(*more));
    if (more == NULL)
        return -1;
    s->ifaces = more;
    for (; s->iface_count < count; s->iface_count++) {
        const long k = find_iface(f, s, mrct_capture_iface(s->cap, s->iface_count));
        if (k < 0)
            return -1;
        s->ifaces[s->iface_count] = (size_t)k;
    }
    return 0;
}

static void add_counts(struct mrct_feed *f, const struct source *s)
{
    for (size_t i = 0; i < s->iface_count; i++) {
        const struct mrct_capture_iface *const from = mrct_capture_iface(s->cap, i);
        struct mrct_feed_iface *const to = &f->ifaces[s->ifaces[i]];
        to->have_counts |= from->have_counts;
        to->received += from->received;
        to->dropped += from->dropped;
        to->dropped_iface += from->dropped_iface;
        to->dropped_os += from->dropped_os;
    }
}

/* ---- files ---- */

static enum mrct_capture_state fail(struct mrct_feed *f, const char *words)
{
    snprintf(f->message, sizeof(f->message), "%s", words);
    return f->state = MRCT_CAPTURE_BAD;
}

static int open_source(struct mrct_feed *f, struct source *s, char *err, size_t err_cap)
{
    s->cap = f->cfg.live != NULL ? mrct_capture_live(f->cfg.live, err, err_cap)
                                 : mrct_capture_open(s->path, err, err_cap);
    if (s->cap == NULL)
        return -1;
    mrct_capture_watch(s->cap, f->cfg.stop);
    s->order = mrct_order_new(f->cfg.order, f->cfg.window);
    s->iface_count = 0;
    if (s->order != NULL)
        return 0;
    snprintf(err, err_cap, "%s: out of memory", s->path);
    return -1;
}

static void warn(struct mrct_feed *f, const char *words)
{
    char *const c = f->warning_count < WARNINGS_MAX ? copy(words) : NULL;
    if (c != NULL)
        f->warnings[f->warning_count++] = c;
}

static void add_seen(struct mrct_order_seen *sum, const struct mrct_order_seen *one)
{
    sum->frames += one->frames;
    sum->backward += one->backward;
    sum->below += one->below;
    sum->late += one->late;
    sum->ties += one->ties;
    if (one->back_max_ns > sum->back_max_ns)
        sum->back_max_ns = one->back_max_ns;
}

static void close_source(struct mrct_feed *f, struct source *s)
{
    if (s->cap != NULL) {
        uint64_t done, total;
        mrct_capture_progress(s->cap, &done, &total);
        f->bytes_done += done;
        add_counts(f, s);
        if (mrct_capture_state(s->cap) == MRCT_CAPTURE_CUT)
            warn(f, mrct_capture_message(s->cap));
    }
    if (s->order != NULL)
        add_seen(&f->done, mrct_order_seen(s->order));
    mrct_order_free(s->order);
    mrct_capture_close(s->cap);
    s->order = NULL;
    s->cap = NULL;
}

static bool is_regular(const char *path, uint64_t *size)
{
    struct stat st;
    *size = 0;
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    *size = (uint64_t)st.st_size;
    return true;
}

bool mrct_feed_rereadable(const struct mrct_feed_config *cfg)
{
    uint64_t size;
    for (size_t i = 0; i < cfg->file_count; i++)
        if (!is_regular(cfg->files[i], &size))
            return false;
    return cfg->live == NULL;
}

/* The time of a file's first frame orders a ring, whose names may have wrapped. */
static int peek(struct source *s, char *err, size_t err_cap)
{
    struct mrct_capture_frame f;
    struct mrct_capture *const c = mrct_capture_open(s->path, err, err_cap);
    if (c == NULL)
        return -1;
    s->first_ns = mrct_capture_next(c, &f) == MRCT_CAPTURE_FRAME ? f.time_ns : 0;
    mrct_capture_close(c);
    return 0;
}

static int by_first(const void *a, const void *b)
{
    const struct source *const x = a;
    const struct source *const y = b;
    if (x->first_ns != y->first_ns)
        return x->first_ns < y->first_ns ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static int order_ring(struct mrct_feed *f, char *err, size_t err_cap)
{
    uint64_t size;
    for (size_t i = 0; i < f->count; i++)
        if (is_regular(f->sources[i].path, &size) && peek(&f->sources[i], err, err_cap) != 0)
            return -1;
    qsort(f->sources, f->count, sizeof(*f->sources), by_first);
    return 0;
}

static int open_all(struct mrct_feed *f, char *err, size_t err_cap)
{
    if (!f->cfg.merge && f->count > 1 && order_ring(f, err, err_cap) != 0)
        return -1;
    const size_t now = f->cfg.merge ? f->count : 1;
    for (size_t i = 0; i < now; i++)
        if (open_source(f, &f->sources[i], err, err_cap) != 0)
            return -1;
    return 0;
}

struct mrct_feed *mrct_feed_open(const struct mrct_feed_config *cfg, char *err, size_t err_cap)
{
    struct mrct_feed *const f = calloc(1, sizeof(*f));
    const size_t count = cfg->live != NULL ? 1 : cfg->file_count;
    struct source *const sources = calloc(count + 1, sizeof(*sources));
    if (f == NULL || sources == NULL) {
        snprintf(err, err_cap, "out of memory");
        free(f);
        free(sources);
        return NULL;
    }
    f->cfg = *cfg;
    f->sources = sources;
    f->count = count;
    f->state = MRCT_CAPTURE_FRAME;
    for (size_t i = 0; i < count; i++) {
        struct source *const s = &sources[i];
        s->path = cfg->live != NULL ? cfg->live : cfg->files[i];
        s->index = i;
        s->offset_ns = cfg->merge && cfg->offset_ns != NULL ? cfg->offset_ns[i] : 0;
        if (cfg->live == NULL && is_regular(s->path, &s->size))
            f->bytes_total += s->size;
    }
    if (open_all(f, err, err_cap) != 0) {
        mrct_feed_close(f);
        return NULL;
    }
    return f;
}

void mrct_feed_close(struct mrct_feed *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < f->count; i++) {
        mrct_order_free(f->sources[i].order);
        mrct_capture_close(f->sources[i].cap);
        free(f->sources[i].ifaces);
    }
    for (size_t i = 0; i < f->iface_count; i++) {
        free((char *)(uintptr_t)f->ifaces[i].name);
        free((char *)(uintptr_t)f->ifaces[i].description);
        free((char *)(uintptr_t)f->ifaces[i].comment);
    }
    for (size_t i = 0; i < f->warning_count; i++)
        free(f->warnings[i]);
    free(f->ifaces);
    free(f->sources);
    free(f);
}

/* ---- frames ---- */

static enum mrct_capture_state renumber(struct mrct_feed *f, struct source *s,
                                        struct mrct_capture_frame *out)
{
    if (out->iface >= s->iface_count && map_ifaces(f, s) != 0)
        return fail(f, "out of memory");
    out->iface = (uint32_t)s->ifaces[out->iface];
    f->ifaces[out->iface].frames++;
    f->frames++;
    return MRCT_CAPTURE_FRAME;
}

/* Files one after the other, in the order of their first frames. */
static enum mrct_capture_state next_of_ring(struct mrct_feed *f, struct mrct_capture_frame *out)
{
    for (;;) {
        struct source *const s = &f->sources[f->at];
        const enum mrct_capture_state state = mrct_order_next(s->order, s->cap, out);
        if (state == MRCT_CAPTURE_FRAME) {
            out->frame_no += f->base;
            return renumber(f, s, out);
        }
        if (state == MRCT_CAPTURE_BAD)
            return fail(f, mrct_capture_message(s->cap));
        map_ifaces(f, s); /* those without frames have counts, too */
        close_source(f, s);
        f->base = f->frames;
        if (++f->at == f->count)
            return f->state = f->warning_count > 0 ? MRCT_CAPTURE_CUT : MRCT_CAPTURE_END;
        if (open_source(f, &f->sources[f->at], f->message, sizeof(f->message)) != 0)
            return f->state = MRCT_CAPTURE_BAD;
    }
}

/* What a merged file gives next; its time moved by its offset. */
static enum mrct_capture_state refill(struct mrct_feed *f, struct source *s)
{
    if (s->have_next || s->cap == NULL)
        return MRCT_CAPTURE_FRAME;
    const enum mrct_capture_state state = mrct_order_next(s->order, s->cap, &s->next);
    if (state == MRCT_CAPTURE_BAD)
        return fail(f, mrct_capture_message(s->cap));
    s->have_next = state == MRCT_CAPTURE_FRAME;
    if (s->have_next) {
        const int64_t t = (int64_t)s->next.time_ns + s->offset_ns;
        s->next.time_ns = t > 0 ? (uint64_t)t : 0;
    } else {
        map_ifaces(f, s);
        close_source(f, s);
    }
    return MRCT_CAPTURE_FRAME;
}

static enum mrct_capture_state next_of_merge(struct mrct_feed *f, struct mrct_capture_frame *out)
{
    struct source *least = NULL;
    for (size_t i = 0; i < f->count; i++) {
        struct source *const s = &f->sources[i];
        if (refill(f, s) != MRCT_CAPTURE_FRAME)
            return f->state;
        if (s->have_next && (least == NULL || s->next.time_ns < least->next.time_ns))
            least = s;
    }
    if (least == NULL)
        return f->state = f->warning_count > 0 ? MRCT_CAPTURE_CUT : MRCT_CAPTURE_END;
    *out = least->next;
    least->have_next = false;
    out->frame_no = f->frames + 1;
    return renumber(f, least, out);
}

enum mrct_capture_state mrct_feed_next(struct mrct_feed *f, struct mrct_capture_frame *out)
{
    if (f->state != MRCT_CAPTURE_FRAME)
        return f->state;
    return f->cfg.merge ? next_of_merge(f, out) : next_of_ring(f, out);
}

void mrct_feed_stop(struct mrct_feed *f)
{
    if (f->state != MRCT_CAPTURE_FRAME)
        return;
    for (size_t i = 0; i < f->count; i++)
        if (f->sources[i].cap != NULL) {
            mrct_capture_stop(f->sources[i].cap);
            map_ifaces(f, &f->sources[i]);
            add_counts(f, &f->sources[i]);
        }
    f->state = MRCT_CAPTURE_END;
}

/* ---- what is known of it ---- */

size_t mrct_feed_iface_count(const struct mrct_feed *f)
{
    return f->iface_count;
}

const struct mrct_feed_iface *mrct_feed_iface(const struct mrct_feed *f, size_t i)
{
    return &f->ifaces[i];
}

struct mrct_order_seen mrct_feed_seen(const struct mrct_feed *f)
{
    struct mrct_order_seen sum = f->done;
    for (size_t i = 0; i < f->count; i++)
        if (f->sources[i].order != NULL)
            add_seen(&sum, mrct_order_seen(f->sources[i].order));
    return sum;
}

void mrct_feed_progress(const struct mrct_feed *f, uint64_t *done, uint64_t *total)
{
    *done = f->bytes_done;
    *total = f->bytes_total;
    for (size_t i = 0; i < f->count; i++) {
        uint64_t one, all;
        if (f->sources[i].cap == NULL)
            continue;
        mrct_capture_progress(f->sources[i].cap, &one, &all);
        *done += one;
    }
}

const char *mrct_feed_message(const struct mrct_feed *f)
{
    return f->message;
}

size_t mrct_feed_warnings(const struct mrct_feed *f)
{
    return f->warning_count;
}

const char *mrct_feed_warning(const struct mrct_feed *f, size_t i)
{
    return f->warnings[i];
}
