/* SPDX-License-Identifier: BSD-2-Clause */
/* The folders of an interop run: written whole or not at all, and read again when it is resumed. */
#include "gen/mrc_req.h"
#include "harness/cli/interop.h"
#include "harness/report/json.h"
#include "harness/report/matrix.h"
#include "harness/trace/outfile.h"

#include <ftw.h>
#include <inttypes.h>
#include <string.h>

int mrct_interop_folder(const struct mrct_interop *t, size_t a, size_t b, const char *suffix,
                        char *buf, size_t cap)
{
    const int n = snprintf(buf, cap, "%s/cells/%s--%s%s", t->out, t->devices[a].name,
                           t->devices[b].name, suffix);
    return n > 0 && (size_t)n < cap ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    (void)remove(path); /* what stays is met again by whoever writes there */
    return 0;
}

void mrct_interop_remove(const char *folder)
{
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- writing ---- */

static int write_one(const json_t *cell, const char *dir, const char *name,
                     int (*write)(const json_t *cell, FILE *out), char *err, size_t err_cap)
{
    char path[4200];
    struct mrct_outfile out;
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    if (mrct_outfile_open(&out, path, err, err_cap) != 0)
        return -1;
    if (write(cell, out.file) != 0) {
        mrct_outfile_abort(&out);
        (void)snprintf(err, err_cap, "%s: cannot write", path);
        return -1;
    }
    return mrct_outfile_commit(&out, err, err_cap);
}

static int write_json(const json_t *cell, FILE *out)
{
    return mrct_json_write((json_t *)cell, out);
}

static int write_html(const json_t *cell, FILE *out)
{
    mrct_matrix_cell_html(cell, out);
    return 0;
}

int mrct_interop_write_cell(const json_t *cell, const char *dir, char *err, size_t err_cap)
{
    return write_one(cell, dir, "index.html", write_html, err, err_cap) == 0 &&
                   write_one(cell, dir, "cell.json", write_json, err, err_cap) == 0
               ? 0
               : -1;
}

/* ---- resuming ---- */

json_t *mrct_interop_read_cell(const struct mrct_interop *t, size_t a, size_t b)
{
    char path[4200], want[20];
    json_error_t e;
    if (mrct_interop_folder(t, a, b, "/cell.json", path, sizeof path) != 0)
        return NULL;
    json_t *const cell = json_load_file(path, 0, &e);
    const char *const has = json_string_value(json_object_get(cell, "fingerprint"));
    (void)snprintf(want, sizeof want, "%016" PRIx64, t->fingerprint);
    if (has != NULL && strcmp(has, want) == 0 && json_is_array(json_object_get(cell, "cases")) &&
        json_is_string(json_object_get(cell, "verdict")))
        return cell;
    json_decref(cell);
    return NULL;
}

static uint64_t add_bytes(uint64_t h, const void *bytes, size_t len)
{
    const uint8_t *const p = bytes;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001B3);
    return h;
}

static uint64_t add_text(uint64_t h, const char *text)
{
    return add_bytes(h, text, strlen(text) + 1);
}

static uint64_t add_file(uint64_t h, const char *path)
{
    char buf[4096];
    FILE *const f = fopen(path, "re");
    size_t n = 0;
    while (f != NULL && (n = fread(buf, 1, sizeof buf, f)) > 0)
        h = add_bytes(h, buf, n);
    if (f != NULL)
        (void)fclose(f);
    return add_text(h, "");
}

/* A device's own part is in it for all cells: what it is called, and what its manifest says. */
uint64_t mrct_interop_fingerprint(const struct mrct_interop *t)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    h = add_text(h, MRCT_VERSION);
    h = add_text(h, mrc_spec_hash);
    h = add_text(h, t->readings);
    h = add_bytes(h, &t->cfg.seed, sizeof t->cfg.seed);
    h = add_bytes(h, &t->cfg.strict, sizeof t->cfg.strict);
    h = add_bytes(h, &t->keep, sizeof t->keep);
    h = add_bytes(h, &t->live, sizeof t->live);
    for (size_t i = 0; i < t->device_count; i++) {
        h = add_text(h, t->devices[i].name);
        if (t->devices[i].has_manifest)
            h = add_file(h, t->devices[i].manifest.path);
    }
    for (size_t i = 0; i < t->plan.count; i++)
        if (t->plan.taken[i])
            h = add_file(h, t->plan.cases[i].file);
    return h;
}
