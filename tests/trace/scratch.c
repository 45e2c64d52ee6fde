/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/trace/suites.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[200];

void scratch_setup(void)
{
    const char *const tmp = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/mrct-trace-test.%s%s%s", tmp == NULL ? "/tmp" : tmp, "XX",
             "XX", "XX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static size_t each_file(bool remove_it)
{
    DIR *const dir = opendir(folder);
    size_t n = 0;
    ck_assert_ptr_nonnull(dir);
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (e->d_name[0] == '.')
            continue;
        n++;
        if (remove_it)
            unlink(scratch_path(e->d_name));
    }
    closedir(dir);
    return n;
}

void scratch_teardown(void)
{
    each_file(true);
    rmdir(folder);
}

size_t scratch_count(void)
{
    return each_file(false);
}

const char *scratch_path(const char *name)
{
    static char paths[4][500];
    static size_t next;
    char *const path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

const char *scratch_file(const char *name, const void *bytes, size_t len)
{
    const char *const path = scratch_path(name);
    FILE *const f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, len, f), len);
    ck_assert_int_eq(fclose(f), 0);
    return path;
}

char *scratch_read(const char *path, size_t *len)
{
    FILE *const f = fopen(path, "rb");
    char *text = NULL;
    size_t used = 0, got;
    ck_assert_ptr_nonnull(f);
    do {
        text = realloc(text, used + 4096 + 1);
        ck_assert_ptr_nonnull(text);
        got = fread(text + used, 1, 4096, f);
        used += got;
    } while (got > 0);
    fclose(f);
    text[used] = '\0';
    *len = used;
    return text;
}
