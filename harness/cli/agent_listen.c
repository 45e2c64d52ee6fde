/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/agent_listen.h"

#include "harness/cli/cli.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static struct addrinfo *find(const char *address)
{
    char host[256];
    const char *const colon = strrchr(address, ':');
    const bool bracket = address[0] == '[';
    const size_t len = colon != NULL ? (size_t)(colon - address) : sizeof host;
    const struct addrinfo want = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *list = NULL;
    if (len >= sizeof host || colon[1] == '\0' ||
        (bracket && (len < 3 || address[len - 1] != ']'))) {
        (void)mrct_cli_fail("agent", "'%s' is no HOST:PORT", address);
        return NULL;
    }
    const size_t skip = bracket ? 1 : 0;
    memcpy(host, address + skip, len - 2 * skip);
    host[len - 2 * skip] = '\0';
    const int e = getaddrinfo(host[0] != '\0' ? host : NULL, colon + 1, &want, &list);
    if (e != 0)
        (void)mrct_cli_fail("agent", "'%s': %s", address, gai_strerror(e));
    return e == 0 ? list : NULL;
}

static int open_one(const struct addrinfo *a)
{
    const int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0);
    const int on = 1;
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, 8) == 0)
        return fd;
    const int why = errno;
    (void)close(fd);
    errno = why;
    return -1;
}

static void print_port(int fd)
{
    struct sockaddr_storage addr;
    socklen_t len = sizeof addr;
    char port[32];
    if (getsockname(fd, (struct sockaddr *)&addr, &len) == 0 &&
        getnameinfo((struct sockaddr *)&addr, len, NULL, 0, port, sizeof port, NI_NUMERICSERV) == 0)
        printf("port %s\n", port);
    (void)fflush(stdout);
}

static int session(const struct mrct_agent_service *service, int fd)
{
    const int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct mrct_agent_io *const io = mrct_agent_fds(fd, fd, UINT64_MAX);
    if (io == NULL)
        return -1;
    const int rc = mrct_agent_serve(service, io);
    io->ops->free(io);
    return rc;
}

int mrct_agent_listen(const struct mrct_agent_service *service, const char *address)
{
    struct addrinfo *const list = find(address);
    int fd = -1;
    if (list == NULL)
        return MRCT_EXIT_USAGE;
    for (const struct addrinfo *a = list; a != NULL && fd < 0; a = a->ai_next)
        fd = open_one(a);
    const int why = errno;
    freeaddrinfo(list);
    if (fd < 0)
        return mrct_cli_fail("agent", "'%s': %s", address, strerror(why));
    print_port(fd);
    (void)signal(SIGCHLD, SIG_IGN); /* sessions are reaped by themselves */
    for (;;) {
        const int one = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
        if (one < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (one < 0)
            return mrct_cli_fail("agent", "'%s': %s", address, strerror(errno));
        const pid_t child = fork();
        if (child == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            (void)close(fd);
            _exit(session(service, one) == 0 ? MRCT_EXIT_PASS : MRCT_EXIT_HARNESS);
        }
        (void)close(one);
    }
}
