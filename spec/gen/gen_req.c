/* SPDX-License-Identifier: BSD-2-Clause */
#include "spec/gen/specgen.h"

#include <stdio.h>

int specgen_req(int argc, char **argv)
{
    (void)argv;
    (void)fprintf(stderr, "specgen: req does not take %d arguments\n", argc - 1);
    return 2;
}
