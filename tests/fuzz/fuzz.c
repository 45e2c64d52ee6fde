/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void fuzz_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

static char scratch[64];

static void forget(void)
{
    (void)unlink(scratch);
}

const char *fuzz_file(const uint8_t *data, size_t len)
{
    if (scratch[0] == '\0') {
        (void)snprintf(scratch, sizeof scratch, "/tmp/mrct-fuzz-%ld", (long)getpid());
        (void)atexit(forget);
    }
    FILE *const f = fopen(scratch, "wb");
    if (f == NULL || fwrite(data, 1, len, f) != len || fclose(f) != 0)
        fuzz_fail(__FILE__, __LINE__, "a scratch file can be written");
    return scratch;
}
