/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/dut/agent_io.h"

#include "harness/dut/agent_guard.h"
#include "harness/dut/agent_msg.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS      UINT64_C(1000000)
#define GOODBYE_MS     1000 /* for an agent to end by itself once its input has ended */
#define STATUS_WAIT_MS 1000 /* for its guard to tell how it ended, once its output has */
#define ROOM_AT_LEAST  65536u

struct lines {
    struct mrct_agent_io io; /* first */
    int in, out;             /* the same for a socket */
    bool guarded;
    struct mrct_guard guard;
    uint64_t patience_ns;
    char *buf; /* what was read: [start, end) is not yet taken */
    size_t room, start, end;
};

static int fail(struct lines *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct lines *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(l->io.err, sizeof l->io.err, fmt, ap);
    va_end(ap);
    return -1;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static uint64_t until(const struct lines *l)
{
    const uint64_t now = now_ns();
    return l->patience_ns < UINT64_MAX - now ? now + l->patience_ns : UINT64_MAX;
}

/* ---- how it ended ---- */

static int ended(struct lines *l)
{
    const int status = l->guarded ? mrct_guard_status(&l->guard, STATUS_WAIT_MS) : -1;
    if (status < 0)
        return fail(l, l->guarded ? "it closed its output" : "it closed the connection");
    if (WIFSIGNALED(status))
        return fail(l, "it ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return fail(l, "it ended with exit status %d", WEXITSTATUS(status));
}

/* ---- reading ---- */

/* Takes what there is. 1, 0 when there is nothing now, -1 at the end. */
static int fill(struct lines *l)
{
    if (l->start > 0 && l->end == l->room) {
        memmove(l->buf, l->buf + l->start, l->end - l->start);
        l->end -= l->start;
        l->start = 0;
    }
    if (l->end == l->room) {
        const size_t room = l->room == 0 ? ROOM_AT_LEAST : 2 * l->room;
        char *const more = realloc(l->buf, room);
        if (more == NULL)
            return fail(l, "there is no memory for its answer");
        l->buf = more;
        l->room = room;
    }
    const ssize_t n = read(l->in, l->buf + l->end, l->room - l->end);
    if (n > 0) {
        l->end += (size_t)n;
        return 1;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    return ended(l);
}

/* Waits for one of the events; what comes in meanwhile is read. 0, or -1. */
static int await(struct lines *l, short events, uint64_t until_ns)
{
    const uint64_t now = now_ns();
    struct pollfd p[2] = {{.fd = l->in, .events = POLLIN}, {.fd = -1, .events = POLLOUT}};
    if ((events & POLLOUT) != 0)
        p[1].fd = l->out;
    if (now >= until_ns)
        return fail(l, "no answer came in %" PRIu64 " ms", l->patience_ns / NS_PER_MS);
    const uint64_t wait_ms = (until_ns - now - 1) / NS_PER_MS + 1;
    if (poll(p, 2, (int)(wait_ms < 60000 ? wait_ms : 60000)) < 0 && errno != EINTR)
        return fail(l, "poll: %s", strerror(errno));
    if ((p[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 &&
        l->end - l->start < 2 * (size_t)MRCT_AGENT_LINE_MAX)
        return fill(l) < 0 ? -1 : 0;
    return 0;
}

static int lines_recv(struct mrct_agent_io *io, const char **line, size_t *len)
{
    struct lines *const l = (struct lines *)io;
    const uint64_t until_ns = until(l);
    size_t looked = 0;
    for (;;) {
        const size_t have = l->end - l->start;
        char *const at = have > 0 ? l->buf + l->start : NULL; /* at first there is no buffer */
        char *const newline = have > looked ? memchr(at + looked, '\n', have - looked) : NULL;
        if (newline != NULL) {
            *line = at;
            *len = (size_t)(newline - at);
            l->start += *len + 1;
            return 0;
        }
        looked = have;
        if (have >= MRCT_AGENT_LINE_MAX)
            return fail(l, "its line is longer than %u bytes", MRCT_AGENT_LINE_MAX);
        if (await(l, POLLIN, until_ns) != 0)
            return -1;
    }
}

static bool lines_ready(const struct mrct_agent_io *io, int *fd)
{
    const struct lines *const l = (const struct lines *)io;
    const size_t have = l->end - l->start;
    if (fd != NULL)
        *fd = l->in;
    return have >= MRCT_AGENT_LINE_MAX ||
           (have > 0 && memchr(l->buf + l->start, '\n', have) != NULL);
}

/* ---- writing ---- */

/* The agent may write while we do: what it says is read, so that neither waits for the other. */
static int lines_send(struct mrct_agent_io *io, const char *bytes, size_t len)
{
    struct lines *const l = (struct lines *)io;
    const uint64_t until_ns = until(l);
    while (len > 0) {
        const ssize_t n = write(l->out, bytes, len);
        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
            return ended(l);
        } else if (await(l, POLLOUT, until_ns) != 0) {
            return -1;
        }
    }
    return 0;
}

static void lines_free(struct mrct_agent_io *io)
{
    struct lines *const l = (struct lines *)io;
    (void)close(l->out);
    if (l->guarded) {
        (void)mrct_guard_status(&l->guard, GOODBYE_MS);
        mrct_guard_end(&l->guard);
    }
    if (l->in != l->out)
        (void)close(l->in);
    free(l->buf);
    free(l);
}

static const struct mrct_agent_io_ops lines_ops = {
    .send = lines_send, .recv = lines_recv, .ready = lines_ready, .free = lines_free};

/* ---- where they come from ---- */

/* A terminal is shared with the shell, which would find it changed. */
static void do_not_block(int fd)
{
    if (isatty(fd) == 0)
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

struct mrct_agent_io *mrct_agent_fds(int in, int out, uint64_t patience_ns)
{
    struct lines *const l = calloc(1, sizeof *l);
    if (l == NULL)
        return NULL;
    l->io.ops = &lines_ops;
    l->in = in;
    l->out = out;
    l->patience_ns = patience_ns;
    do_not_block(in);
    do_not_block(out);
    (void)signal(SIGPIPE, SIG_IGN); /* an agent that has gone is an answer, not our end */
    return &l->io;
}

struct mrct_agent_io *mrct_agent_spawn(const char *const *argv, const char *folder, int err_fd,
                                       uint64_t patience_ns, char *err, size_t err_cap)
{
    struct mrct_guard g;
    if (mrct_guard_start(&g, argv, folder, err_fd, err, err_cap) != 0)
        return NULL;
    struct mrct_agent_io *const io = mrct_agent_fds(g.out, g.in, patience_ns);
    if (io == NULL) {
        (void)snprintf(err, err_cap, "out of memory");
        (void)close(g.in);
        (void)close(g.out);
        mrct_guard_end(&g);
        return NULL;
    }
    struct lines *const l = (struct lines *)io;
    l->guarded = true;
    l->guard = g;
    return io;
}

/* "HOST:PORT" into its two parts. */
static int split(const char *address, char host[256], const char **port)
{
    const char *const colon = strrchr(address, ':');
    const bool bracket = address[0] == '[';
    const size_t len = colon != NULL ? (size_t)(colon - address) : 0;
    if (colon == NULL || colon[1] == '\0' || len == 0 || len >= 256 ||
        (bracket && (len < 3 || address[len - 1] != ']')))
        return -1;
    const size_t skip = bracket ? 1 : 0;
    memcpy(host, address + skip, len - 2 * skip);
    host[len - 2 * skip] = '\0';
    *port = colon + 1;
    return 0;
}

static int connect_one(const struct addrinfo *a, uint64_t patience_ns)
{
    const int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    int why = 0;
    socklen_t size = sizeof why;
    if (fd < 0)
        return -1;
    if (connect(fd, a->ai_addr, a->ai_addrlen) != 0 && errno != EINPROGRESS)
        why = errno;
    else if (poll(&p, 1, (int)(patience_ns / NS_PER_MS)) <= 0)
        why = ETIMEDOUT;
    else
        (void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size);
    if (why == 0) {
        const int on = 1;
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return fd;
    }
    (void)close(fd);
    errno = why;
    return -1;
}

struct mrct_agent_io *mrct_agent_connect(const char *address, uint64_t patience_ns, char *err,
                                         size_t err_cap)
{
    char host[256];
    const char *port = NULL;
    struct addrinfo *list = NULL;
    const struct addrinfo want = {.ai_socktype = SOCK_STREAM};
    if (split(address, host, &port) != 0) {
        (void)snprintf(err, err_cap, "'%s' is no HOST:PORT", address);
        return NULL;
    }
    const int e = getaddrinfo(host, port, &want, &list);
    if (e != 0) {
        (void)snprintf(err, err_cap, "'%s': %s", address, gai_strerror(e));
        return NULL;
    }
    int fd = -1;
    for (const struct addrinfo *a = list; a != NULL && fd < 0; a = a->ai_next)
        fd = connect_one(a, patience_ns);
    if (fd < 0)
        (void)snprintf(err, err_cap, "'%s': %s", address, strerror(errno));
    freeaddrinfo(list);
    struct mrct_agent_io *const io = fd >= 0 ? mrct_agent_fds(fd, fd, patience_ns) : NULL;
    if (fd >= 0 && io == NULL) {
        (void)snprintf(err, err_cap, "out of memory");
        (void)close(fd);
    }
    return io;
}
