/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/trace/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define BUFFER_SIZE ((size_t)256 << 10) /* stays in the second-level cache */
#define PACKED_SIZE ((size_t)128 << 10)
#define ROW_MAX     ((size_t)64 << 20) /* more in a row is no honest record */

enum packing { PLAIN, GZIP, ZSTD };

struct mrct_source_priv {
    int fd;
    bool own_fd, ended, cut;
    enum packing packing;
    uint8_t *buffer;
    size_t size;     /* of the buffer */
    uint8_t *packed; /* NULL for a plain file */
    size_t packed_at, packed_end;
    bool inside; /* of a packed member or frame: an end here is a cut */
    z_stream gz;
    ZSTD_DStream *zstd;
    const char *failure;
    char words[200];
};

static ssize_t read_some(struct mrct_source *s, uint8_t *to, size_t room)
{
    ssize_t got;
    if (s->stop != NULL && *s->stop != 0)
        return 0;
    do
        got = read(s->priv->fd, to, room);
    while (got < 0 && errno == EINTR && (s->stop == NULL || *s->stop == 0));
    if (got < 0 && errno == EINTR)
        return 0;
    if (got > 0)
        s->taken += (uint64_t)got;
    if (got < 0) {
        snprintf(s->priv->words, sizeof(s->priv->words), "cannot be read: %s", strerror(errno));
        s->priv->failure = s->priv->words;
    }
    return got;
}

/* More packed bytes; false at their end. */
static bool read_packed(struct mrct_source *s)
{
    struct mrct_source_priv *const p = s->priv;
    const ssize_t got = read_some(s, p->packed, PACKED_SIZE);
    p->packed_at = 0;
    p->packed_end = got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* One step of each unpacker: bytes written to `to`, or -1 with failure set. */
static ssize_t step_gzip(struct mrct_source_priv *p, uint8_t *to, size_t room)
{
    if (!p->inside && inflateReset(&p->gz) != Z_OK)
        return -1;
    p->inside = true;
    p->gz.next_in = p->packed + p->packed_at;
    p->gz.avail_in = (uInt)(p->packed_end - p->packed_at);
    p->gz.next_out = to;
    p->gz.avail_out = (uInt)room;
    const int rc = inflate(&p->gz, Z_NO_FLUSH);
    p->packed_at = p->packed_end - p->gz.avail_in;
    if (rc == Z_STREAM_END) {
        p->inside = false;
    } else if (rc != Z_OK && rc != Z_BUF_ERROR) {
        p->failure = "is damaged: its gzip data do not unpack";
        return -1;
    }
    return (ssize_t)(room - p->gz.avail_out);
}

static ssize_t step_zstd(struct mrct_source_priv *p, uint8_t *to, size_t room)
{
    ZSTD_inBuffer in = {p->packed, p->packed_end, p->packed_at};
    ZSTD_outBuffer out = {to, room, 0};
    const size_t rc = ZSTD_decompressStream(p->zstd, &out, &in);
    p->packed_at = in.pos;
    if (ZSTD_isError(rc)) {
        p->failure = "is damaged: its zstd data do not unpack";
        return -1;
    }
    p->inside = rc != 0;
    return (ssize_t)out.pos;
}

static ssize_t unpack_some(struct mrct_source *s, uint8_t *to, size_t room)
{
    struct mrct_source_priv *const p = s->priv;
    for (;;) {
        if (p->packed_at == p->packed_end && !read_packed(s)) {
            p->cut = p->inside && p->failure == NULL;
            return 0;
        }
        const ssize_t got = p->packing == GZIP ? step_gzip(p, to, room) : step_zstd(p, to, room);
        if (got != 0)
            return got;
    }
}

/* Moves what is left to the front, so that n bytes have room; false when memory fails. */
static bool make_room(struct mrct_source *s, size_t n)
{
    struct mrct_source_priv *const p = s->priv;
    const size_t left = (size_t)(s->end - s->at);
    if (n > p->size) {
        uint8_t *const bigger = n <= ROW_MAX ? malloc(n) : NULL;
        if (bigger == NULL) {
            p->failure = n <= ROW_MAX ? "needs more memory than there is" : NULL;
            return false;
        }
        memcpy(bigger, s->at, left);
        free(p->buffer);
        p->buffer = bigger;
        p->size = n;
    } else if (left > 0) {
        memmove(p->buffer, s->at, left);
    }
    s->at = p->buffer;
    s->end = p->buffer + left;
    return true;
}

const uint8_t *mrct_source_fill(struct mrct_source *s, size_t n)
{
    struct mrct_source_priv *const p = s->priv;
    if (p->ended || p->failure != NULL || !make_room(s, n))
        return NULL;
    uint8_t *end = p->buffer + (s->end - s->at);
    while ((size_t)(end - s->at) < n) {
        const size_t room = p->size - (size_t)(end - p->buffer);
        const ssize_t got =
            p->packing == PLAIN ? read_some(s, end, room) : unpack_some(s, end, room);
        if (got <= 0) {
            p->ended = true;
            break;
        }
        end += got;
        s->end = end;
    }
    return (size_t)(s->end - s->at) >= n ? s->at : NULL;
}

static int sorry(char *err, size_t cap, const char *path, const char *words)
{
    snprintf(err, cap, "%s: %s", path, words);
    return -1;
}

static int open_file(struct mrct_source *s, const char *path, char *err, size_t cap)
{
    struct stat st;
    char words[200];
    s->priv->own_fd = strcmp(path, "-") != 0;
    s->priv->fd = s->priv->own_fd ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (s->priv->fd < 0) {
        snprintf(words, sizeof(words), "cannot open the capture: %s", strerror(errno));
        return sorry(err, cap, path, words);
    }
    if (fstat(s->priv->fd, &st) == 0 && S_ISDIR(st.st_mode))
        return sorry(err, cap, path, "is a directory, not a capture");
    if (fstat(s->priv->fd, &st) == 0 && S_ISREG(st.st_mode))
        s->size = (uint64_t)st.st_size;
    return 0;
}

/* The first bytes tell the packing; what was read of a packed file moves to its own buffer. */
static int start_packing(struct mrct_source *s)
{
    static const uint8_t gzip[2] = {0x1F, 0x8B}, zstd[4] = {0x28, 0xB5, 0x2F, 0xFD};
    struct mrct_source_priv *const p = s->priv;
    const uint8_t *const first = mrct_source_need(s, 4);
    if (first == NULL)
        return 0;
    const bool is_gzip = memcmp(first, gzip, sizeof(gzip)) == 0;
    if (!is_gzip && memcmp(first, zstd, sizeof(zstd)) != 0)
        return 0;
    p->packed = malloc(BUFFER_SIZE);
    if (p->packed == NULL)
        return -1;
    p->packed_end = (size_t)(s->end - s->at);
    memcpy(p->packed, s->at, p->packed_end);
    s->at = s->end = p->buffer;
    p->ended = false;
    p->packing = is_gzip ? GZIP : ZSTD;
    if (is_gzip)
        return inflateInit2(&p->gz, 16 + MAX_WBITS) == Z_OK ? 0 : -1;
    p->zstd = ZSTD_createDStream();
    return p->zstd == NULL ? -1 : 0;
}

int mrct_source_open(struct mrct_source *s, const char *path, char *err, size_t err_cap)
{
    memset(s, 0, sizeof(*s));
    s->priv = calloc(1, sizeof(*s->priv));
    if (s->priv != NULL) {
        s->priv->fd = -1;
        s->priv->size = BUFFER_SIZE;
        s->priv->buffer = malloc(BUFFER_SIZE);
    }
    int status = -1;
    if (s->priv == NULL || s->priv->buffer == NULL) {
        sorry(err, err_cap, path, "out of memory");
    } else {
        s->at = s->end = s->priv->buffer;
        status = open_file(s, path, err, err_cap);
        if (status == 0 && start_packing(s) != 0)
            status = sorry(err, err_cap, path, "out of memory");
        if (status == 0 && s->priv->failure != NULL)
            status = sorry(err, err_cap, path, s->priv->failure);
    }
    if (status != 0)
        mrct_source_close(s);
    return status;
}

void mrct_source_close(struct mrct_source *s)
{
    struct mrct_source_priv *const p = s->priv;
    if (p == NULL)
        return;
    if (p->own_fd && p->fd >= 0)
        close(p->fd);
    if (p->packing == GZIP)
        inflateEnd(&p->gz);
    ZSTD_freeDStream(p->zstd);
    free(p->packed);
    free(p->buffer);
    free(p);
    memset(s, 0, sizeof(*s));
}

const char *mrct_source_failure(const struct mrct_source *s)
{
    return s->priv->failure;
}

bool mrct_source_was_cut(const struct mrct_source *s)
{
    return s->priv->cut;
}
