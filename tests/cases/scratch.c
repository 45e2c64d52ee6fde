/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/cases/suites.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[200];

void scratch_setup(void)
{
    const char *const tmp = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/mrct-cases-test.XXXXXX", tmp == NULL ? "/tmp" : tmp);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

void scratch_teardown(void)
{
    ck_assert_int_eq(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

const char *scratch_path(const char *name)
{
    static char paths[8][600];
    static size_t next;
    char *const path = paths[next++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *scratch_file(const char *name, const char *text)
{
    const char *const path = scratch_path(name);
    char parent[600];
    (void)snprintf(parent, sizeof parent, "%s", path);
    *strrchr(parent, '/') = '\0';
    (void)mkdir(parent, 0777);
    FILE *const f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
    return path;
}

const char *scratch_case(const char *id, const char *more)
{
    char name[200];
    char text[4000];
    (void)snprintf(name, sizeof name, "%s.yaml", id);
    (void)snprintf(text, sizeof text,
                   "id: %s\n"
                   "title: A title\n"
                   "purpose: A purpose.\n"
                   "requirements: [REQ-6.2-01]\n"
                   "device: both\n"
                   "%s",
                   id, more);
    return scratch_file(name, text);
}
