/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct check needs memory for connections, not for frames: a capture that is four times as long
 * (ten times with MRCT_LONG=1) takes no more. */
#include "harness/cli/cli.h"
#include "tests/cli/generate.h"
#include "tests/cli/suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHORT_FRAMES  100000u /* rings have grown to what they may */
#define TOLERANCE_KIB 2048

/* Greatest memory of a process that judges the capture. */
static long peak_kib(char *path)
{
    struct rusage used;
    int status;
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        char *argv[] = {(char[]){"check"}, (char[]){"--threads"}, (char[]){"1"}, path, NULL};
        const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(null, STDOUT_FILENO);
        _exit(mrct_cmd_check(4, argv));
    }
    ck_assert_int_eq(wait4(child, &status, 0, &used), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), MRCT_EXIT_INCONCLUSIVE);
    return used.ru_maxrss;
}

START_TEST(memory_is_bounded)
{
    const unsigned times = getenv("MRCT_LONG") != NULL ? 10 : 4;
    const char *const tmp = getenv("TMPDIR");
    long peak[2];
    for (unsigned i = 0; i < 2; i++) {
        char path[300];
        snprintf(path, sizeof(path), "%s/mrct-memory.%ld.pcap", tmp == NULL ? "/tmp" : tmp,
                 (long)getpid());
        cli_generate(path, i == 0 ? SHORT_FRAMES : times * SHORT_FRAMES, 1);
        peak[i] = peak_kib(path);
        unlink(path);
    }
    ck_assert_msg(peak[1] <= peak[0] + TOLERANCE_KIB, "%ld KiB, and %ld KiB of %u times the frames",
                  peak[0], peak[1], times);
}
END_TEST

Suite *cli_memory_suite(void)
{
    Suite *const s = suite_create("memory");
    TCase *const t = tcase_create("check");
    tcase_set_timeout(t, 0);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what was freed for a while */
    tcase_add_test(t, memory_is_bounded);
#else
    (void)memory_is_bounded;
#endif
    suite_add_tcase(s, t);
    return s;
}
