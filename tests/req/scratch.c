/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/req/scratch.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[PATH_MAX], place[] = "/tmp/mrc-req-??????";

char *scratch_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s", path);
    char *text = calloc(1, 65536);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_lt(fread(text, 1, 65535, f), 65535);
    ck_assert_int_eq(fclose(f), 0);
    return text;
}

void scratch_enter(void)
{
    ck_assert_ptr_nonnull(getcwd(home, sizeof home));
    memset(place + sizeof place - 7, 'X', 6); /* what mkdtemp() wants to see */
    ck_assert_ptr_nonnull(mkdtemp(place));
    ck_assert_int_eq(chdir(place), 0);
    ck_assert_int_eq(mkdir("req", 0700), 0);
}

void scratch_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    ck_assert_msg(f != NULL, "%s", path);
    ck_assert_uint_eq(fwrite(text, 1, strlen(text), f), strlen(text));
    ck_assert_int_eq(fclose(f), 0);
}

char *scratch_replace(const char *text, const char *find, const char *replace)
{
    const char *at = strstr(text, find);
    ck_assert_msg(at != NULL, "nothing to replace: %s", find);
    char *out = NULL;
    ck_assert_int_ge(asprintf(&out, "%.*s%s%s", (int)(at - text), text, replace, at + strlen(find)),
                     0);
    return out;
}

void scratch_leave(void)
{
    (void)unlink("req/a.yaml");
    (void)unlink("req/b.yaml");
    (void)unlink("q.yaml");
    (void)rmdir("req");
    ck_assert_int_eq(chdir(home), 0);
    ck_assert_int_eq(rmdir(place), 0);
}
