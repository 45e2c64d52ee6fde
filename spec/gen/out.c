/* SPDX-License-Identifier: BSD-2-Clause */
#include "spec/gen/out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATH_CAP 1024u

void gen_out_init(struct gen_out *o, const char *dir)
{
    memset(o, 0, sizeof *o);
    o->dir = dir;
}

FILE *gen_out_open(struct gen_out *o, const char *name)
{
    if (o->count == GEN_OUT_MAX) {
        return NULL;
    }
    struct gen_out_file *f = &o->files[o->count];
    f->name = name;
    f->stream = open_memstream(&f->text, &f->len);
    if (!f->stream) {
        return NULL;
    }
    o->count++;
    return f->stream;
}

static int path_of(const struct gen_out *o, const struct gen_out_file *f, const char *suffix,
                   char path[PATH_CAP])
{
    const int n = snprintf(path, PATH_CAP, "%s/%s%s", o->dir, f->name, suffix);
    return n > 0 && (size_t)n < PATH_CAP ? 0 : -1;
}

static int write_temp(const struct gen_out *o, struct gen_out_file *f, char *err, size_t err_cap)
{
    char path[PATH_CAP];
    const int closed = fclose(f->stream);
    f->stream = NULL;
    if (closed != 0 || path_of(o, f, ".tmp", path) != 0) {
        (void)snprintf(err, err_cap, "%s/%s: no memory, or the path is too long", o->dir, f->name);
        return -1;
    }
    FILE *out = fopen(path, "wb");
    if (!out) {
        (void)snprintf(err, err_cap, "%s: %s", path, strerror(errno));
        return -1;
    }
    const size_t n = fwrite(f->text, 1, f->len, out);
    if (fclose(out) != 0 || n != f->len) {
        (void)snprintf(err, err_cap, "%s: write failed", path);
        (void)remove(path);
        return -1;
    }
    return 0;
}

static void remove_temps(const struct gen_out *o, size_t count)
{
    char path[PATH_CAP];
    for (size_t i = 0; i < count; i++) {
        if (path_of(o, &o->files[i], ".tmp", path) == 0) {
            (void)remove(path);
        }
    }
}

int gen_out_commit(struct gen_out *o, char *err, size_t err_cap)
{
    for (size_t i = 0; i < o->count; i++) {
        if (write_temp(o, &o->files[i], err, err_cap) != 0) {
            remove_temps(o, i);
            return -1;
        }
    }
    for (size_t i = 0; i < o->count; i++) {
        char from[PATH_CAP], to[PATH_CAP];
        if (path_of(o, &o->files[i], ".tmp", from) != 0 || path_of(o, &o->files[i], "", to) != 0 ||
            rename(from, to) != 0) {
            (void)snprintf(err, err_cap, "%s/%s: %s", o->dir, o->files[i].name, strerror(errno));
            remove_temps(o, o->count);
            return -1;
        }
    }
    return 0;
}

void gen_out_fini(struct gen_out *o)
{
    for (size_t i = 0; i < o->count; i++) {
        if (o->files[i].stream) {
            (void)fclose(o->files[i].stream);
        }
        free(o->files[i].text);
    }
    o->count = 0;
}
