/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/dut/agent_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXEC_FAILED 127

/* Ends of the pipes: [0] is read, [1] is written. */
struct pipes {
    int in[2], out[2], status[2], exec[2];
};

struct start {
    const char *const *argv;
    const char *folder;
    int err_fd;
    struct pipes p;
    pid_t parent;
};

/* ---- in the guarded process ---- */

static _Noreturn void run_it(const struct start *s)
{
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    bool ok = dup2(s->p.in[0], STDIN_FILENO) >= 0 && dup2(s->p.out[1], STDOUT_FILENO) >= 0 &&
              (s->err_fd < 0 || dup2(s->err_fd, STDERR_FILENO) >= 0) &&
              (s->folder == NULL || chdir(s->folder) == 0);
    if (ok) {
        /* execvp() takes strings that it leaves alone as strings that it could change. */
        char **argv;
        memcpy(&argv, &s->argv, sizeof argv);
        (void)execvp(argv[0], argv);
    }
    const int why = errno;
    (void)!write(s->p.exec[1], &why, sizeof why);
    _exit(EXEC_FAILED);
}

/* ---- in the guard ---- */

/* Kills every child there is; those of a killed child become ours, since we are the reaper. */
static bool kill_children(void)
{
    char path[64], list[4096];
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *const f = fopen(path, "re");
    if (f == NULL)
        return false;
    const size_t n = fread(list, 1, sizeof list - 1, f);
    (void)fclose(f);
    list[n] = '\0';
    bool any = false;
    for (char *at = list, *end; *at != '\0'; at = end) {
        const long pid = strtol(at, &end, 10);
        if (end == at)
            break;
        any = true;
        (void)kill((pid_t)pid, SIGKILL);
    }
    return any;
}

static _Noreturn void clean_up(pid_t agent)
{
    (void)kill(-agent, SIGKILL);
    do {
        (void)kill_children();
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
    } while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
    _exit(0);
}

/* The guard keeps one descriptor, for the status: what else is open here belongs to others. */
static void close_others(const struct start *s)
{
    const int keep = s->p.status[1];
    (void)close_range(3, (unsigned)keep - 1, 0);
    (void)close_range((unsigned)keep + 1, ~0u, 0);
}

/* Waits for the agent's end, or for our parent's, or to be told. */
static _Noreturn void guard(const struct start *s)
{
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGTERM);
    sigaddset(&wanted, SIGINT);
    sigaddset(&wanted, SIGHUP);
    sigaddset(&wanted, SIGQUIT);
    sigaddset(&wanted, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &wanted, NULL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    const pid_t agent = getppid() == s->parent ? fork() : -1;
    if (agent == 0)
        run_it(s);
    if (agent < 0)
        _exit(1);
    (void)setpgid(agent, agent);
    close_others(s);
    for (bool over = false; !over;) {
        const int signal = sigwaitinfo(&wanted, NULL);
        over = signal != SIGCHLD && (signal >= 0 || errno != EINTR);
        int status;
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
            if (pid != agent)
                continue;
            (void)!write(s->p.status[1], &status, sizeof status);
            over = true;
        }
    }
    clean_up(agent);
}

/* ---- here ---- */

static void close_all(struct pipes *p)
{
    int *const fd = &p->in[0];
    for (size_t i = 0; i < sizeof *p / sizeof *fd; i++)
        if (fd[i] >= 0)
            (void)close(fd[i]);
}

static int open_pipes(struct pipes *p)
{
    int *const fd = &p->in[0];
    for (size_t i = 0; i < sizeof *p / sizeof *fd; i++)
        fd[i] = -1;
    return pipe2(p->in, O_CLOEXEC) == 0 && pipe2(p->out, O_CLOEXEC) == 0 &&
                   pipe2(p->status, O_CLOEXEC) == 0 && pipe2(p->exec, O_CLOEXEC) == 0
               ? 0
               : -1;
}

static int take(int *fd)
{
    const int mine = *fd;
    *fd = -1;
    return mine;
}

int mrct_guard_start(struct mrct_guard *g, const char *const *argv, const char *folder, int err_fd,
                     char *err, size_t err_cap)
{
    struct start s = {.argv = argv, .folder = folder, .err_fd = err_fd, .parent = getpid()};
    *g = (struct mrct_guard){.pid = -1, .in = -1, .out = -1, .status_fd = -1, .status = -1};
    int why = 0;
    if (open_pipes(&s.p) != 0 || (g->pid = fork()) < 0) {
        (void)snprintf(err, err_cap, "'%s' cannot be started: %s", argv[0], strerror(errno));
        close_all(&s.p);
        return -1;
    }
    if (g->pid == 0)
        guard(&s);
    g->in = take(&s.p.in[1]);
    g->out = take(&s.p.out[0]);
    g->status_fd = take(&s.p.status[0]);
    (void)close(take(&s.p.exec[1]));
    ssize_t n;
    do {
        n = read(s.p.exec[0], &why, sizeof why);
    } while (n < 0 && errno == EINTR);
    close_all(&s.p);
    if (n == 0)
        return 0;
    (void)snprintf(err, err_cap, "'%s' cannot be started: %s", argv[0], strerror(why));
    (void)close(g->in);
    (void)close(g->out);
    mrct_guard_end(g);
    return -1;
}

int mrct_guard_status(struct mrct_guard *g, int wait_ms)
{
    struct pollfd p = {.fd = g->status_fd, .events = POLLIN};
    int status;
    if (g->status < 0 && poll(&p, 1, wait_ms) > 0 &&
        read(g->status_fd, &status, sizeof status) == (ssize_t)sizeof status)
        g->status = status;
    return g->status;
}

void mrct_guard_end(struct mrct_guard *g)
{
    if (g->pid > 0) {
        (void)kill(g->pid, SIGTERM);
        while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    if (g->status_fd >= 0)
        (void)close(g->status_fd);
    g->pid = -1;
    g->status_fd = -1;
}
