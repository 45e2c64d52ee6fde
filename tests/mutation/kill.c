/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/mutation/kill.h"

#include "tests/mutation/mutant.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned mrct_mutant_on;
uint8_t *mrct_mutant_reached;

/* ---- jobs in processes ---- */

#define JOBS_MAX 64u
struct crew {
    struct kill *k;
    void (*run)(struct kill *k, uint32_t job); /* in the child; exits 0, or 1 */
    void (*ended)(struct kill *k, uint32_t job, int status);
    struct {
        pid_t pid;
        uint32_t job;
    } at[JOBS_MAX];
    unsigned busy, max;
};

static int reap(struct crew *c)
{
    int status = 0;
    const pid_t pid = waitpid(-1, &status, 0);
    for (unsigned i = 0; i < c->busy; i++) {
        if (c->at[i].pid == pid) {
            c->ended(c->k, c->at[i].job, status);
            c->at[i] = c->at[--c->busy];
            return 0;
        }
    }
    return pid < 0 ? -1 : 0;
}

static void be_quiet(void)
{
    const int null = open("/dev/null", O_WRONLY);
    if (null >= 0) {
        (void)dup2(null, STDOUT_FILENO);
        (void)dup2(null, STDERR_FILENO);
    }
    const struct rlimit core = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &core);
}

static int start(struct crew *c, uint32_t job)
{
    if (c->busy == c->max && reap(c) != 0)
        return -1;
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        be_quiet();
        c->run(c->k, job);
        _exit(0);
    }
    if (pid < 0)
        return -1;
    c->at[c->busy].pid = pid;
    c->at[c->busy++].job = job;
    return 0;
}

static int finish(struct crew *c)
{
    while (c->busy > 0) {
        if (reap(c) != 0)
            return -1;
    }
    return 0;
}

static void *shared(size_t bytes)
{
    void *const p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p != MAP_FAILED ? p : NULL;
}

static size_t row(void)
{
    return (size_t)mrct_mutant_count + 1;
}

/* ---- the units alone ---- */

void kill_prepare(void)
{
    mrct_mutant_reached = shared(row());
}

int kill_baseline(struct kill *k, struct units *u)
{
    *k = (struct kill){.units = u};
    k->reached = shared((u->count + 1) * row());
    k->fate = calloc(row(), 1);
    k->killer = shared(row() * sizeof *k->killer);
    if (k->reached == NULL || k->fate == NULL || k->killer == NULL) {
        fprintf(stderr, "mutation: out of memory\n");
        return -1;
    }
    for (size_t i = 0; i < u->count; i++) {
        mrct_mutant_reached = k->reached + i * row();
        if (!unit_learn(&u->list[i])) {
            fprintf(stderr, "mutation: %s fails with the checks as they are\n", u->list[i].name);
            return -1;
        }
    }
    return 0;
}

/* ---- mutants ---- */

static bool notices(struct kill *k, uint32_t mutant, uint32_t unit)
{
    if (!k->reached[unit * row() + mutant])
        return false;
    const struct itimerval limit = {.it_value = {.tv_sec = KILL_CPU_S}};
    (void)setitimer(ITIMER_PROF, &limit, NULL);
    if (unit_run(&k->units->list[unit]))
        return false;
    k->killer[mutant] = unit;
    return true;
}

/* First what noticed the mutants before, which stand nearby; then the cheap ones. The order changes
 * who notices first, not whether anybody does. */
static void run_mutant(struct kill *k, uint32_t mutant)
{
    const struct units *const u = k->units;
    mrct_mutant_reached = k->reached + u->count * row(); /* nobody's */
    mrct_mutant_on = mutant;
    k->killer[mutant] = UINT32_MAX;
    for (unsigned i = 0; i < k->recent_count; i++) {
        if (notices(k, mutant, k->recent[i]))
            _exit(1);
    }
    size_t spent = 0;
    for (uint32_t i = 0; i < u->count && spent < k->budget; i++) {
        if (notices(k, mutant, i))
            _exit(1);
        spent += k->reached[i * row() + mutant] ? u->list[i].cost : 0;
    }
    _exit(0);
}

static void remember(struct kill *k, uint32_t unit)
{
    unsigned at = 0;
    while (at < k->recent_count && k->recent[at] != unit)
        at++;
    if (at == k->recent_count && at < KILL_RECENT)
        k->recent_count++;
    at = at < KILL_RECENT ? at : KILL_RECENT - 1;
    for (; at > 0; at--)
        k->recent[at] = k->recent[at - 1];
    k->recent[0] = unit;
}

static void mutant_ended(struct kill *k, uint32_t mutant, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
        remember(k, k->killer[mutant]);
    enum fate f = FATE_CRASHED;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1)
        f = WEXITSTATUS(status) == 1 ? FATE_KILLED : FATE_ALIVE;
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        f = FATE_ENDLESS;
    k->fate[mutant] = (uint8_t)f;
}

static bool is_reached(const struct kill *k, uint32_t mutant)
{
    for (size_t i = 0; i < k->units->count; i++) {
        if (k->reached[i * row() + mutant])
            return true;
    }
    return false;
}

int kill_all(struct kill *k, const char *only, unsigned every, unsigned jobs)
{
    struct crew c = {.k = k, .run = run_mutant, .ended = mutant_ended, .max = jobs};
    for (uint32_t m = 1; m <= mrct_mutant_count; m++) {
        if (m % every != 0 || (only != NULL && strstr(mrct_mutants[m - 1].file, only) == NULL))
            continue;
        if (k->progress)
            fprintf(stderr, "\r\033[Kmutant %u of %u", m, mrct_mutant_count);
        if (is_reached(k, m) && start(&c, m) != 0)
            return -1;
    }
    if (k->progress)
        fputs("\r\033[K", stderr);
    return finish(&c);
}

void kill_fini(struct kill *k)
{
    if (k->reached != NULL)
        (void)munmap(k->reached, (k->units->count + 1) * row());
    if (k->killer != NULL)
        (void)munmap(k->killer, row() * sizeof *k->killer);
    free(k->fate);
}
