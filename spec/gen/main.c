/* SPDX-License-Identifier: BSD-2-Clause */
/* specgen: makes C, Lua and Markdown of the specification's YAML. Exit 2 on any error. */
#include "spec/gen/specgen.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "wire") == 0) {
        return specgen_wire(argc - 1, argv + 1);
    }
    if (argc >= 2 && strcmp(argv[1], "req") == 0) {
        return specgen_req(argc - 1, argv + 1);
    }
    (void)fprintf(stderr, "usage: specgen wire FILE OUTDIR | specgen req DIR QUESTIONS OUTDIR\n");
    return 2;
}
