/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/trace/record.h"

#include "harness/trace/text.h"
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE   ((size_t)1 << 20)
#define COMMENTS_MAX 64u   /* of one frame; a frame with more says the same again */
#define COMMENT_MAX  1024u /* bytes of one comment with its NUL */

/* Memory is taken from chunks that never move, so pointers into them stay good. */
struct chunk {
    struct chunk *before;
    size_t used, size;
    uint8_t bytes[];
};

struct comment {
    struct comment *next;
    char text[];
};

struct kept {
    uint64_t time_ns;
    const uint8_t *bytes;
    struct comment *first, *last;
    uint32_t cap_len, wire_len, iface;
    enum mrct_dir dir;
};

struct iface {
    char *name, *description; /* in the chunks */
};

struct mrct_record {
    struct chunk *chunk; /* the newest */
    struct kept *frames;
    size_t count, room;
    struct iface *ifaces;
    size_t iface_count;
    uint32_t snap_len;
};

static void *take(struct mrct_record *r, size_t len)
{
    const size_t need = (len + 15) & ~(size_t)15;
    struct chunk *c = r->chunk;
    if (c == NULL || c->size - c->used < need) {
        const size_t size = need > CHUNK_SIZE ? need : CHUNK_SIZE;
        c = malloc(sizeof(*c) + size);
        if (c == NULL)
            return NULL;
        *c = (struct chunk){.before = r->chunk, .used = 0, .size = size};
        r->chunk = c;
    }
    void *const p = c->bytes + c->used;
    c->used += need;
    return p;
}

static char *take_text(struct mrct_record *r, const char *text)
{
    char clean[COMMENT_MAX];
    const size_t len = mrct_text_clean(text, clean, sizeof(clean));
    char *const copy = take(r, len + 1);
    if (copy != NULL)
        memcpy(copy, clean, len + 1);
    return copy;
}

struct mrct_record *mrct_record_new(uint32_t snap_len)
{
    struct mrct_record *const r = calloc(1, sizeof(*r));
    if (r != NULL)
        r->snap_len = snap_len;
    return r;
}

void mrct_record_free(struct mrct_record *r)
{
    if (r == NULL)
        return;
    while (r->chunk != NULL) {
        struct chunk *const before = r->chunk->before;
        free(r->chunk);
        r->chunk = before;
    }
    free(r->frames);
    free(r->ifaces);
    free(r);
}

int mrct_record_iface(struct mrct_record *r, const char *name, const char *description)
{
    struct iface *const more = realloc(r->ifaces, (r->iface_count + 1) * sizeof(*more));
    if (more == NULL)
        return -1;
    r->ifaces = more;
    struct iface *const i = &more[r->iface_count];
    i->name = take_text(r, name);
    i->description = take_text(r, description);
    if (i->name == NULL || i->description == NULL)
        return -1;
    return (int)r->iface_count++;
}

static struct kept *new_frame(struct mrct_record *r)
{
    if (r->count == r->room) {
        const size_t room = r->room == 0 ? 256 : r->room * 2;
        struct kept *const more = realloc(r->frames, room * sizeof(*more));
        if (more == NULL)
            return NULL;
        r->frames = more;
        r->room = room;
    }
    return &r->frames[r->count];
}

uint64_t mrct_record_append(struct mrct_record *r, uint64_t time_ns, int iface, enum mrct_dir dir,
                            const uint8_t *bytes, uint32_t cap_len, uint32_t wire_len)
{
    if (iface < 0 || (size_t)iface >= r->iface_count)
        return 0;
    const uint32_t kept_len = r->snap_len != 0 && cap_len > r->snap_len ? r->snap_len : cap_len;
    struct kept *const k = new_frame(r);
    uint8_t *const copy = k == NULL ? NULL : take(r, kept_len);
    if (copy == NULL)
        return 0;
    if (kept_len > 0)
        memcpy(copy, bytes, kept_len);
    *k = (struct kept){.time_ns = time_ns,
                       .bytes = copy,
                       .cap_len = kept_len,
                       .wire_len = wire_len,
                       .iface = (uint32_t)iface,
                       .dir = dir};
    return ++r->count;
}

uint64_t mrct_record_count(const struct mrct_record *r)
{
    return r->count;
}

int mrct_record_get(const struct mrct_record *r, uint64_t frame_no, struct mrct_pcapng_frame *f)
{
    if (frame_no == 0 || frame_no > r->count)
        return -1;
    const struct kept *const k = &r->frames[frame_no - 1];
    *f = (struct mrct_pcapng_frame){.iface = k->iface,
                                    .dir = k->dir,
                                    .time_ns = k->time_ns,
                                    .bytes = k->bytes,
                                    .cap_len = k->cap_len,
                                    .wire_len = k->wire_len};
    return 0;
}

int mrct_record_comment(struct mrct_record *r, uint64_t frame_no, const char *text)
{
    char clean[COMMENT_MAX];
    if (frame_no == 0 || frame_no > r->count)
        return -1;
    const size_t len = mrct_text_clean(text, clean, sizeof(clean));
    struct comment *const c = take(r, sizeof(*c) + len + 1);
    if (c == NULL)
        return -1;
    struct kept *const k = &r->frames[frame_no - 1];
    c->next = NULL;
    memcpy(c->text, clean, len + 1);
    if (k->last == NULL)
        k->first = c;
    else
        k->last->next = c;
    k->last = c;
    return 0;
}

static void write_frame(const struct mrct_record *r, uint64_t frame_no, struct mrct_pcapng *w)
{
    const char *comments[COMMENTS_MAX];
    struct mrct_pcapng_frame f;
    mrct_record_get(r, frame_no, &f);
    for (const struct comment *c = r->frames[frame_no - 1].first;
         c != NULL && f.comment_count < COMMENTS_MAX; c = c->next)
        comments[f.comment_count++] = c->text;
    f.comments = comments;
    mrct_pcapng_frame(w, &f);
}

int mrct_record_write(const struct mrct_record *r, const char *path, char *err, size_t err_cap)
{
    struct mrct_pcapng w;
    if (mrct_pcapng_open(&w, path, err, err_cap) != 0)
        return -1;
    for (size_t i = 0; i < r->iface_count; i++)
        mrct_pcapng_iface(&w, r->ifaces[i].name, r->ifaces[i].description);
    for (uint64_t n = 1; n <= r->count; n++)
        write_frame(r, n, &w);
    return mrct_pcapng_commit(&w, err, err_cap);
}
