/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/net/link.h"
#include "tests/net/suites.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int run(const char *command)
{
    return system(command); /* NOLINT: a test's own fixed command */
}

void net_ip(const char *fmt, ...)
{
    char args[200], command[240];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(args, sizeof args, fmt, ap);
    va_end(ap);
    snprintf(command, sizeof command, "ip %s", args);
    ck_assert_msg(run(command) == 0, "%s", command);
}

void net_up(void)
{
    struct mrc_net_link a = {.name = "a"}, b = {.name = "b"};
    net_ip("link set dev a up");
    net_ip("link set dev b up");
    while (mrc_net_link_read(&a) != 0 || !a.up || mrc_net_link_read(&b) != 0 || !b.up)
        sched_yield();
    net_ip("link set dev a up"); /* waits for the kernel's lock, so that the change is complete */
}

bool net_alone(unsigned mtu)
{
    char command[200];
    snprintf(command, sizeof command,
             "ip link add name a mtu %u type veth peer name b mtu %u >/dev/null 2>&1", mtu, mtu);
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
        puts("SKIP: no network namespace for this user");
        return false;
    }
    if (run(command) != 0) {
        puts("SKIP: no veth pair (iproute2, or the kernel's module, is missing)");
        return false;
    }
    net_up();
    return true;
}
