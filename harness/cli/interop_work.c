/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cells' processes. Each cell has two: a keeper, which outlives everything that can happen to
 * the other and removes what that leaves, and the one that runs the cases. The keeper ends with
 * this process, and the runner with the keeper.
 */
#include "harness/cli/interop.h"
#include "harness/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A cell that is being run. */
struct job {
    bool busy;
    size_t a, b;
    pid_t keeper;
    int fd; /* its JSON comes from there */
    char *text;
    size_t len, room;
};

struct work {
    struct mrct_interop *t;
    json_t **cells;
    struct job *jobs;
    size_t done, total;
};

/* ---- in the runner and its keeper ---- */

static int write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        const ssize_t n = write(fd, text, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        text += n;
        len -= (size_t)n;
    }
    return 0;
}

static int run_cell(struct mrct_interop *t, size_t a, size_t b, const char *dir, int fd)
{
    char err[700];
    json_t *cell = mrct_interop_cell(t, a, b, dir);
    if (dir != NULL && mrct_interop_write_cell(cell, dir, err, sizeof err) != 0) {
        json_decref(cell);
        cell = mrct_interop_no_cell(t, a, b, MRCT_ERROR, err);
    }
    char *const text = json_dumps(cell, JSON_COMPACT);
    const int rc = text != NULL ? write_all(fd, text, strlen(text)) : -1;
    free(text);
    json_decref(cell);
    return rc;
}

static _Noreturn void keep(struct mrct_interop *t, size_t a, size_t b, int fd, pid_t parent)
{
    char part[4200] = "", whole[4200] = "", err[700];
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGTERM);
    sigaddset(&wanted, SIGINT);
    sigaddset(&wanted, SIGHUP);
    sigaddset(&wanted, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &wanted, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    const bool files = t->out != NULL &&
                       mrct_interop_folder(t, a, b, ".part", part, sizeof part) == 0 &&
                       mrct_interop_folder(t, a, b, "", whole, sizeof whole) == 0;
    if (getppid() != parent)
        _exit(MRCT_EXIT_HARNESS);
    if (files)
        mrct_interop_remove(part);
    const bool ready = !files || mrct_report_make_dir(part, err, sizeof err) == 0;
    const pid_t runner = ready ? fork() : -1;
    if (runner == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)sigprocmask(SIG_UNBLOCK, &wanted, NULL);
        _exit(run_cell(t, a, b, files ? part : NULL, fd) == 0 ? 0 : MRCT_EXIT_HARNESS);
    }
    (void)close(fd);
    int status = -1;
    bool over = runner < 0;
    while (!over) {
        const int signal = sigwaitinfo(&wanted, NULL);
        if (signal == SIGCHLD && waitpid(runner, &status, WNOHANG) == runner)
            break;
        over = signal >= 0 && signal != SIGCHLD;
    }
    if (over && runner > 0) {
        (void)kill(runner, SIGKILL);
        (void)waitpid(runner, &status, 0);
        status = -1;
    }
    if (files && status == 0) {
        mrct_interop_remove(whole);
        status = rename(part, whole) == 0 ? 0 : -1;
    }
    if (files && status != 0)
        mrct_interop_remove(part);
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : status == 0 ? 0 : MRCT_EXIT_HARNESS);
}

/* ---- here ---- */

static bool is_busy(const struct work *w, const struct mrct_device *d)
{
    for (unsigned i = 0; i < w->t->jobs; i++) {
        const struct job *const j = &w->jobs[i];
        if (j->busy && (&w->t->devices[j->a] == d || &w->t->devices[j->b] == d))
            return true;
    }
    return false;
}

static bool is_exclusive(const struct mrct_device *d)
{
    return d->has_manifest && d->manifest.exclusive;
}

/* A device with ports or an agent of its own is in one cell at a time. */
static bool may_start(const struct work *w, size_t a, size_t b)
{
    const struct mrct_device *const x = &w->t->devices[a], *const y = &w->t->devices[b];
    return !(is_exclusive(x) && is_busy(w, x)) && !(is_exclusive(y) && is_busy(w, y));
}

static int start(struct work *w, struct job *j, size_t a, size_t b)
{
    int fd[2];
    const pid_t parent = getpid();
    if (pipe2(fd, O_CLOEXEC) != 0)
        return -1;
    (void)fflush(NULL);
    const pid_t keeper = fork();
    if (keeper == 0) {
        (void)close(fd[0]);
        keep(w->t, a, b, fd[1], parent);
    }
    (void)close(fd[1]);
    if (keeper < 0) {
        (void)close(fd[0]);
        return -1;
    }
    *j = (struct job){.busy = true, .a = a, .b = b, .keeper = keeper, .fd = fd[0]};
    return 0;
}

static void progress(const struct work *w)
{
    if (isatty(STDERR_FILENO) != 0)
        (void)fprintf(stderr, "\r\033[K[%zu/%zu] cells", w->done, w->total);
}

static void set_cell(struct work *w, size_t a, size_t b, json_t *cell)
{
    w->cells[a * w->t->device_count + b] = cell;
    w->done++;
    progress(w);
}

static void finish(struct work *w, struct job *j)
{
    int status = 0;
    json_error_t e;
    char why[200];
    (void)close(j->fd);
    while (waitpid(j->keeper, &status, 0) < 0 && errno == EINTR)
        continue;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    json_t *cell = code == 0 && j->text != NULL ? json_loadb(j->text, j->len, 0, &e) : NULL;
    if (!json_is_object(cell)) {
        json_decref(cell);
        if (code > 128)
            (void)snprintf(why, sizeof why, "the process that ran this cell ended by signal %d",
                           code - 128);
        else
            (void)snprintf(why, sizeof why, "the process that ran this cell left no result");
        cell = mrct_interop_no_cell(w->t, j->a, j->b, MRCT_ERROR, why);
    }
    free(j->text);
    set_cell(w, j->a, j->b, cell);
    *j = (struct job){.busy = false};
}

/* False at the end of what the job says. */
static bool take(struct job *j)
{
    if (j->room - j->len < 4096) {
        const size_t room = j->room == 0 ? 65536 : 2 * j->room;
        char *const more = realloc(j->text, room);
        if (more == NULL)
            return false;
        j->text = more;
        j->room = room;
    }
    const ssize_t n = read(j->fd, j->text + j->len, j->room - j->len);
    if (n > 0)
        j->len += (size_t)n;
    return n > 0 || (n < 0 && errno == EINTR);
}

static void wait_for_any(struct work *w)
{
    struct pollfd p[256];
    const unsigned n = w->t->jobs;
    for (unsigned i = 0; i < n; i++)
        p[i] = (struct pollfd){.fd = w->jobs[i].busy ? w->jobs[i].fd : -1, .events = POLLIN};
    if (poll(p, n, -1) < 0)
        return;
    for (unsigned i = 0; i < n; i++)
        if (w->jobs[i].busy && p[i].revents != 0 && !take(&w->jobs[i]))
            finish(w, &w->jobs[i]);
}

/* Cells that need no process: kept ones, and those of devices that cannot be judged. */
static json_t *without_run(struct mrct_interop *t, size_t a, size_t b)
{
    char words[600];
    const size_t bad = t->unfit[a][0] != '\0' ? a : b;
    if (t->unfit[bad][0] != '\0') {
        (void)snprintf(words, sizeof words, "not judged: %s", t->unfit[bad]);
        return mrct_interop_no_cell(t, a, b, MRCT_INCONCLUSIVE, words);
    }
    if (a == b && is_exclusive(&t->devices[a]))
        return mrct_interop_no_cell(t, a, b, MRCT_NOT_APPLICABLE,
                                    "there is one of this device, which cannot be its own peer");
    return t->resume ? mrct_interop_read_cell(t, a, b) : NULL;
}

static struct job *free_job(const struct work *w)
{
    for (unsigned i = 0; i < w->t->jobs; i++)
        if (!w->jobs[i].busy)
            return &w->jobs[i];
    return NULL;
}

/* Starts what can be started; false when all cells were begun. */
static bool start_some(struct work *w, bool *begun)
{
    const size_t n = w->t->device_count;
    bool left = false;
    for (size_t i = 0; i < n * n; i++) {
        if (begun[i])
            continue;
        struct job *const j = free_job(w);
        left = true;
        if (j == NULL)
            return true;
        if (!may_start(w, i / n, i % n))
            continue;
        begun[i] = true;
        if (start(w, j, i / n, i % n) != 0)
            set_cell(w, i / n, i % n,
                     mrct_interop_no_cell(w->t, i / n, i % n, MRCT_ERROR, strerror(errno)));
    }
    return left;
}

int mrct_interop_work(struct mrct_interop *t, json_t **cells, char *err, size_t err_cap)
{
    const size_t n = t->device_count;
    struct work w = {.t = t, .cells = cells, .total = n * n};
    bool *const begun = calloc(n * n, sizeof *begun);
    w.jobs = calloc(t->jobs, sizeof *w.jobs);
    if (begun == NULL || w.jobs == NULL) {
        (void)snprintf(err, err_cap, "out of memory");
        free(begun);
        free(w.jobs);
        return -1;
    }
    for (size_t i = 0; i < n * n; i++) {
        json_t *const cell = without_run(t, i / n, i % n);
        begun[i] = cell != NULL;
        if (cell != NULL)
            set_cell(&w, i / n, i % n, cell);
    }
    while (w.done < w.total) {
        (void)start_some(&w, begun);
        if (w.done < w.total)
            wait_for_any(&w);
    }
    if (isatty(STDERR_FILENO) != 0)
        (void)fputs("\r\033[K", stderr);
    free(begun);
    free(w.jobs);
    return 0;
}
