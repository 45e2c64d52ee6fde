/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct check, interrupted while several threads judge: all of them end at the same frame, and the
 * report is that of a capture that ends there. */
#include "harness/cli/cli.h"
#include "tests/cli/generate.h"
#include "tests/cli/judge.h"
#include "tests/cli/suites.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAMES     300000u
#define FEWER      100000u /* MRCT_QUICK: a program that is slowed down is still not through */
#define PAIRS      8u
#define READ_BYTES 8000000L /* of the capture, beyond the look ahead at its beginning */
#define TRIES      20u      /* a process may be through before it hears of the signal */

static char dir[64], capture[128], out[128];
static unsigned frames_made;

static void setup(void)
{
    strcpy(dir, "/tmp/mrct-interrupt-"
                "XX"
                "XX"
                "XX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(capture, sizeof(capture), "%s/capture.pcap", dir);
    snprintf(out, sizeof(out), "%s/out.json", dir);
    frames_made = getenv("MRCT_QUICK") != NULL ? FEWER : FRAMES;
    cli_generate(capture, frames_made, PAIRS);
}

static void teardown(void)
{
    unlink(capture);
    unlink(out);
    rmdir(dir);
}

/* How far the process has read the capture by that descriptor; 0 where it is of another file. */
static long read_by(pid_t pid, const char *fd)
{
    char path[300], target[300] = "";
    long pos = 0;
    snprintf(path, sizeof(path), "/proc/%ld/fd/%s", (long)pid, fd);
    if (readlink(path, target, sizeof(target) - 1) < 0 || strcmp(target, capture) != 0)
        return 0;
    snprintf(path, sizeof(path), "/proc/%ld/fdinfo/%s", (long)pid, fd);
    FILE *const info = fopen(path, "r");
    if (info == NULL)
        return 0;
    if (fscanf(info, "pos: %ld", &pos) != 1)
        pos = 0;
    fclose(info);
    return pos;
}

static bool is_reading(pid_t pid)
{
    char path[64];
    bool far = false;
    snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
    DIR *const d = opendir(path);
    for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
        far = far || read_by(pid, e->d_name) >= READ_BYTES;
    if (d != NULL)
        closedir(d);
    return far;
}

static pid_t start(void)
{
    char *argv[] = {(char[]){"check"},
                    (char[]){"--json"},
                    (char[]){"--health"},
                    (char[]){"--threads"},
                    (char[]){"3"},
                    capture,
                    NULL};
    fflush(NULL);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        const int to = open(out, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        dup2(to, STDOUT_FILENO);
        const int status = mrct_cmd_check(6, argv);
        fflush(stdout);
        _exit(status);
    }
    return child;
}

/* The report of a run that was interrupted, or NULL where it was through before. */
static json_t *interrupted(void)
{
    int status = 0;
    const pid_t child = start();
    pid_t ended = 0;
    while (!is_reading(child) && (ended = waitpid(child, &status, WNOHANG)) == 0)
        ;
    if (ended == 0) {
        kill(child, SIGINT);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
    }
    ck_assert_msg(WIFEXITED(status), "the signal ended it");
    json_t *const j = json_load_file(out, 0, NULL);
    ck_assert_msg(j != NULL, "no report");
    if (json_is_true(json_object_get(json_object_get(j, "health"), "stopped")))
        return j;
    json_decref(j);
    return NULL;
}

START_TEST(all_threads_end_at_the_same_frame)
{
    json_t *j = NULL;
    char count[32];
    for (unsigned n = 0; n < TRIES && j == NULL; n++)
        j = interrupted();
    ck_assert_msg(j != NULL, "never in time");
    const json_int_t frames = json_integer_value(json_object_get(j, "frames"));
    ck_assert_int_gt(frames, 0);
    ck_assert_int_lt(frames, frames_made);
    snprintf(count, sizeof(count), "%lld", (long long)frames);
    char *argv[] = {(char[]){"check"},
                    (char[]){"--json"},
                    (char[]){"--health"},
                    (char[]){"--threads"},
                    (char[]){"1"},
                    (char[]){"--count"},
                    count,
                    capture,
                    NULL};
    json_t *const want = cli_judge(out, 8, argv);
    json_object_set(json_object_get(want, "health"), "stopped", json_true());
    ck_assert_msg(json_equal(j, want), "another report than that of %s frames", count);
    json_decref(want);
    json_decref(j);
}
END_TEST

Suite *cli_interrupt_suite(void)
{
    Suite *const s = suite_create("interrupted");
    TCase *const t = tcase_create("threads");
    tcase_set_timeout(t, 0);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, all_threads_end_at_the_same_frame);
    suite_add_tcase(s, t);
    return s;
}
