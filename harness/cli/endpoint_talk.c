/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of JSON over one TCP connection. */
#include "harness/cli/endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINE_MAX_BYTES (1u << 20)
#define TRIES          200u /* to connect, before it is given up */
#define TRY_EVERY_S    0.1

/* "ADDR:PORT", "[ADDR]:PORT" or ":PORT". Returns 0, or -1 with a sentence. */
static int find(const char *text, bool passive, struct addrinfo **list, char *err, size_t cap)
{
    char host[256] = "";
    const char *const colon = strrchr(text, ':');
    const bool bracket = text[0] == '[';
    const size_t len = colon == NULL ? 0 : (size_t)(colon - text);
    if (colon == NULL || colon[1] == '\0' || len >= sizeof host ||
        (bracket && (len < 3 || text[len - 1] != ']')) ||
        (!bracket && memchr(text, ':', len) != NULL)) {
        snprintf(err, cap, "'%s' is no ADDRESS:PORT (an IPv6 address stands in brackets)", text);
        return -1;
    }
    memcpy(host, text + bracket, len - (bracket ? 2u : 0u));
    const struct addrinfo want = {.ai_socktype = SOCK_STREAM, .ai_flags = passive ? AI_PASSIVE : 0};
    const int e = getaddrinfo(host[0] == '\0' ? NULL : host, colon + 1, &want, list);
    if (e != 0)
        snprintf(err, cap, "'%s': %s", text, gai_strerror(e));
    return e == 0 ? 0 : -1;
}

static void closed(struct mrct_live_talk *t, const char *why)
{
    if (t->closed)
        return;
    t->closed = true;
    ev_io_stop(t->loop, &t->io);
    t->on_close(t->user, why);
}

static void watch(struct mrct_live_talk *t)
{
    const int events = t->out_len > 0 ? EV_READ | EV_WRITE : EV_READ;
    ev_io_stop(t->loop, &t->io);
    if (t->closed || t->fd < 0)
        return;
    ev_io_set(&t->io, t->fd, events);
    ev_io_start(t->loop, &t->io);
}

static void push(struct mrct_live_talk *t)
{
    while (t->out_len > 0) {
        const ssize_t n = send(t->fd, t->out, t->out_len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN)
            closed(t, strerror(errno));
        if (n <= 0)
            break;
        t->out_len -= (size_t)n;
        memmove(t->out, t->out + n, t->out_len);
    }
    watch(t);
}

static bool make_room(char **buf, size_t *room, size_t need)
{
    if (need <= *room)
        return true;
    size_t n = *room < 4096 ? 4096 : *room;
    while (n < need)
        n *= 2;
    char *const p = realloc(*buf, n);
    if (p == NULL)
        return false;
    *buf = p;
    *room = n;
    return true;
}

void mrct_live_talk_say(struct mrct_live_talk *t, json_t *object)
{
    char *const text = object == NULL ? NULL : json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (text == NULL || t->closed || t->fd < 0) {
        free(text);
        return;
    }
    const size_t len = strlen(text);
    if (make_room(&t->out, &t->out_room, t->out_len + len + 1)) {
        memcpy(t->out + t->out_len, text, len);
        t->out[t->out_len + len] = '\n';
        t->out_len += len + 1;
        push(t);
    } else {
        closed(t, "out of memory");
    }
    free(text);
}

static void take_line(struct mrct_live_talk *t, const char *line, size_t len)
{
    json_error_t e;
    json_t *const o = json_loadb(line, len, JSON_REJECT_DUPLICATES, &e);
    char why[256];
    if (json_is_object(o)) {
        t->on_line(t->user, o);
    } else {
        snprintf(why, sizeof why, "the peer sent a line that is no JSON object%s%s",
                 o == NULL ? ": " : "", o == NULL ? e.text : "");
        closed(t, why);
    }
    json_decref(o);
}

static void take_lines(struct mrct_live_talk *t)
{
    size_t from = 0;
    while (!t->closed) {
        const char *const end = memchr(t->in + from, '\n', t->in_len - from);
        if (end == NULL)
            break;
        const size_t len = (size_t)(end - t->in) - from;
        take_line(t, t->in + from, len);
        from += len + 1;
    }
    t->in_len -= from;
    memmove(t->in, t->in + from, t->in_len);
    if (t->in_len > LINE_MAX_BYTES)
        closed(t, "the peer sent a line longer than a mebibyte");
}

static void pull(struct mrct_live_talk *t)
{
    while (!t->closed) {
        if (!make_room(&t->in, &t->in_room, t->in_len + 4096)) {
            closed(t, "out of memory");
            return;
        }
        const ssize_t n = recv(t->fd, t->in + t->in_len, t->in_room - t->in_len, 0);
        if (n > 0) {
            t->in_len += (size_t)n;
            take_lines(t);
        } else if (n == 0) {
            closed(t, "it closed the connection");
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            closed(t, strerror(errno));
        }
    }
}

static void on_io(struct ev_loop *loop, ev_io *w, int revents)
{
    struct mrct_live_talk *const t = w->data;
    (void)loop;
    if ((revents & EV_READ) != 0)
        pull(t);
    if ((revents & EV_WRITE) != 0 && !t->closed)
        push(t);
}

static void opened(struct mrct_live_talk *t, int fd)
{
    const int on = 1;
    t->fd = fd;
    t->connected = true;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    ev_io_init(&t->io, on_io, fd, EV_READ);
    t->io.data = t;
    watch(t);
    t->on_open(t->user);
}

static void on_accept(struct ev_loop *loop, ev_io *w, int revents)
{
    struct mrct_live_talk *const t = w->data;
    const int fd = accept4(t->listen_fd, NULL, NULL, SOCK_CLOEXEC);
    (void)revents;
    if (fd < 0)
        return;
    ev_io_stop(loop, w);
    close(t->listen_fd);
    t->listen_fd = -1;
    opened(t, fd);
}

static int start_listen(struct mrct_live_talk *t, const char *text, char *err, size_t cap)
{
    struct addrinfo *list;
    const int on = 1;
    if (find(text, true, &list, err, cap) != 0)
        return -1;
    t->listen_fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool good = t->listen_fd >= 0 &&
                      setsockopt(t->listen_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                      bind(t->listen_fd, list->ai_addr, list->ai_addrlen) == 0 &&
                      listen(t->listen_fd, 1) == 0;
    if (!good)
        snprintf(err, cap, "listening on %s: %s", text, strerror(errno));
    freeaddrinfo(list);
    if (!good)
        return -1;
    ev_io_init(&t->accept_io, on_accept, t->listen_fd, EV_READ);
    t->accept_io.data = t;
    ev_io_start(t->loop, &t->accept_io);
    return 0;
}

static void on_again(struct ev_loop *loop, ev_timer *w, int revents);

/* A peer that is not there yet is waited for. */
static void try_later(struct mrct_live_talk *t, int error)
{
    char why[200];
    if (++t->tries < TRIES) {
        ev_timer_init(&t->again, on_again, TRY_EVERY_S, 0.);
        t->again.data = t;
        ev_timer_start(t->loop, &t->again);
        return;
    }
    snprintf(why, sizeof why, "connecting to %s: %s", t->target, strerror(error));
    closed(t, why);
}

static void on_connected(struct ev_loop *loop, ev_io *w, int revents)
{
    struct mrct_live_talk *const t = w->data;
    int error = 0;
    socklen_t len = sizeof error;
    (void)revents;
    ev_io_stop(loop, w);
    getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &error, &len);
    if (error == 0) {
        opened(t, w->fd);
        return;
    }
    close(w->fd);
    try_later(t, error);
}

static int start_connect(struct mrct_live_talk *t, char *err, size_t cap)
{
    struct addrinfo *list;
    if (find(t->target, false, &list, err, cap) != 0)
        return -1;
    const int fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool begun =
        fd >= 0 && (connect(fd, list->ai_addr, list->ai_addrlen) == 0 || errno == EINPROGRESS);
    const int error = errno;
    freeaddrinfo(list);
    if (begun) {
        ev_io_init(&t->io, on_connected, fd, EV_WRITE);
        t->io.data = t;
        ev_io_start(t->loop, &t->io);
        return 0;
    }
    if (fd >= 0)
        close(fd);
    try_later(t, error);
    return 0;
}

static void on_again(struct ev_loop *loop, ev_timer *w, int revents)
{
    char err[200];
    (void)loop;
    (void)revents;
    if (start_connect(w->data, err, sizeof err) != 0)
        closed(w->data, err);
}

int mrct_live_talk_start(struct mrct_live_talk *t, const char *listen, const char *connect,
                         char *err, size_t err_cap)
{
    t->fd = t->listen_fd = -1;
    t->target = connect;
    return listen != NULL ? start_listen(t, listen, err, err_cap) : start_connect(t, err, err_cap);
}

void mrct_live_talk_end(struct mrct_live_talk *t)
{
    const bool was_closed = t->closed;
    ev_io_stop(t->loop, &t->io);
    ev_io_stop(t->loop, &t->accept_io);
    ev_timer_stop(t->loop, &t->again);
    t->closed = true;
    if (t->fd >= 0 && !was_closed) {
        fcntl(t->fd, F_SETFL, fcntl(t->fd, F_GETFL) & ~O_NONBLOCK);
        size_t at = 0;
        for (ssize_t n = 1; at < t->out_len && n > 0; at += n > 0 ? (size_t)n : 0)
            n = send(t->fd, t->out + at, t->out_len - at, MSG_NOSIGNAL);
    }
    if (t->fd >= 0)
        close(t->fd);
    if (t->listen_fd >= 0)
        close(t->listen_fd);
    free(t->in);
    free(t->out);
    t->in = t->out = NULL;
    t->fd = t->listen_fd = -1;
}
