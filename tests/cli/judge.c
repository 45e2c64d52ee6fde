/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/cli/judge.h"

#include "harness/cli/cli.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

json_t *cli_judge(const char *out, int argc, char **argv)
{
    fflush(stdout);
    fflush(stderr);
    const int keep = dup(1), keep2 = dup(2), to = open(out, O_RDWR | O_CREAT | O_TRUNC, 0600),
              null = open("/dev/null", O_WRONLY);
    dup2(to, 1);
    dup2(null, 2);
    mrct_cmd_check(argc, argv);
    fflush(stdout);
    dup2(keep, 1);
    dup2(keep2, 2);
    close(keep);
    close(keep2);
    close(to);
    close(null);
    json_t *const j = json_load_file(out, 0, NULL);
    ck_assert_msg(j != NULL, "%s: no JSON", argv[argc - 1]);
    return j;
}
