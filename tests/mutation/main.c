/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes each comparison and constant of the checks, one at a time, and sees whether the suite
 * notices: the golden findings of a case, a deviant, a seed or a unit test are no longer what they
 * were, or a suite fails. Usage: mutation [--jobs N] [--only FILE] [--every N] [--budget N]
 *                  [--json FILE]
 * --only takes the files whose path contains that, --every N each N-th mutant alone: a sample, for
 * those who cannot wait; --budget plays no more than N frames and events for a mutant, cheap runs
 * first: quick, and some that are noticed are called alive.
 * Ends on a line with the numbers; exit status 0 when nine of ten that can matter are noticed.
 */
#include "tests/mutation/kill.h"
#include "tests/mutation/mutant.h"
#include "tests/mutation/score.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    unsigned jobs, every;
    size_t budget;
    const char *only, *json;
};

static int take(struct options *o, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--jobs") == 0)
            o->jobs = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--every") == 0)
            o->every = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--budget") == 0)
            o->budget = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            o->only = argv[i + 1];
        else if (strcmp(argv[i], "--json") == 0)
            o->json = argv[i + 1];
        else
            return -1;
    }
    return argc % 2 == 1 && o->jobs >= 1 && o->jobs <= 64 && o->every >= 1 ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct options o = {.jobs = 2, .every = 1, .budget = SIZE_MAX};
    if (take(&o, argc, argv) != 0) {
        fprintf(stderr, "usage: mutation [--jobs 1..64] [--only FILE] [--every N] [--budget N] "
                        "[--json FILE]\n");
        return 2;
    }
    struct units u;
    struct kill k = {0};
    kill_prepare();
    if (units_load(&u) != 0)
        return 2;
    int rc = 3;
    if (kill_baseline(&k, &u) == 0) {
        k.budget = o.budget;
        k.progress = isatty(STDERR_FILENO);
        if (kill_all(&k, o.only, o.every, o.jobs) == 0)
            rc = score_print(&k, o.only, o.every, o.json);
    }
    kill_fini(&k);
    units_fini(&u);
    return rc;
}
