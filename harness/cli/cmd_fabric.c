/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct fabric: the fabric between real interfaces, until a signal or a time. */
#include "harness/cli/fabric.h"

#include "harness/report/report.h"
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* A descriptor that is readable once somebody wants the end; -1: errno. */
static int watch_signals(void)
{
    sigset_t ends;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGINT);
    (void)sigaddset(&ends, SIGTERM);
    (void)sigaddset(&ends, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &ends, NULL);
    return signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void take_udp_port(struct mrc_wire_config *w, uint16_t port)
{
    for (unsigned i = 0; i < w->udp_port_count; i++)
        if (w->udp_ports[i] == port)
            return;
    if (port != 0 && w->udp_port_count < MRC_UDP_PORTS_MAX)
        w->udp_ports[w->udp_port_count++] = port;
}

#define PATH_LEN 4096u

/* Names the capture of each side; the directory is made if need be. */
static int name_captures(const char *dir, char path[2][PATH_LEN], char *err, size_t cap)
{
    if (mrct_report_make_dir(dir, err, cap) != 0)
        return -1;
    for (unsigned s = 0; s < 2; s++) {
        if ((size_t)snprintf(path[s], PATH_LEN, "%s/host%u.pcapng", dir, s + 1) < PATH_LEN)
            continue;
        (void)snprintf(err, cap, "%.100s...: too long a name", dir);
        return -1;
    }
    return 0;
}

static struct mrct_relay *make(const struct mrct_fabric_options *o, const struct mrct_case *c,
                               char *err, size_t cap)
{
    struct mrct_relay_config rc = {.fab = c->fabric,
                                   .seed = o->seed,
                                   .ring = (uint32_t)o->ring,
                                   .busy_poll_us = (uint32_t)o->busy_poll_us,
                                   .qdisc_bypass = o->bypass};
    char path[2][PATH_LEN];
    if (o->capture != NULL && name_captures(o->capture, path, err, cap) != 0)
        return NULL;
    for (unsigned s = 0; s < 2; s++) {
        rc.capture[s] = o->capture != NULL ? path[s] : NULL;
        for (unsigned p = 0; p < o->planes; p++)
            rc.ifname[s][p] = o->names[s][p];
    }
    take_udp_port(&rc.fab.wire, o->udp_port);
    struct mrct_relay *const r = mrct_relay_new(&rc, err, cap);
    if (r != NULL && mrct_fabric_file_apply(c, mrct_relay_fab(r), err, cap) != 0) {
        mrct_relay_free(r);
        return NULL;
    }
    return r;
}

/* What was lost on the way through makes every verdict on the run the harness's fault. */
static int judge(struct mrct_relay *r, char *why, size_t cap)
{
    struct mrct_relay_sum s;
    if (!mrct_relay_balanced(r, why, cap)) {
        (void)mrct_cli_fail("fabric", "the account does not add up: %s", why);
        return MRCT_EXIT_HARNESS;
    }
    mrct_relay_sum(r, &s);
    why[0] = '\0';
    if (mrct_relay_own_losses(&s) == 0)
        return MRCT_EXIT_PASS;
    (void)mrct_cli_fail("fabric",
                        "it lost %llu frames itself, so that nothing seen behind it is proof",
                        (unsigned long long)mrct_relay_own_losses(&s));
    return MRCT_EXIT_HARNESS;
}

static int report(const struct mrct_fabric_options *o, const struct mrct_case *c,
                  struct mrct_relay *r)
{
    char why[200] = "", err[300];
    int status = judge(r, why, sizeof why);
    if (mrct_relay_close(r, err, sizeof err) != 0) {
        (void)mrct_cli_fail("fabric", "%s", err);
        status = MRCT_EXIT_HARNESS;
    }
    const char *const words = why[0] != '\0' ? why : NULL;
    if (o->json)
        (void)mrct_fabric_json(o, c, r, status, words, stdout);
    else
        mrct_fabric_text(o, c, r, words, stdout);
    if (fflush(stdout) == 0)
        return status;
    (void)mrct_cli_fail("fabric", "standard output: write error");
    return MRCT_EXIT_HARNESS;
}

static int carry(const struct mrct_fabric_options *o, const struct mrct_case *c)
{
    char err[300] = "";
    struct mrct_relay *const r = make(o, c, err, sizeof err);
    if (r == NULL)
        return mrct_cli_fail("fabric", "%s", err);
    const int stop_fd = watch_signals();
    FILE *const out = o->json ? stderr : stdout; /* for whoever waits for it */
    (void)fprintf(out, "%u plane%s ready, %zu faults, %zu changes of links\n", o->planes,
                  o->planes == 1 ? "" : "s", c->rule_count, c->link_count);
    (void)fflush(out);
    int status = MRCT_EXIT_HARNESS;
    if (mrct_relay_run(r, stop_fd, o->for_ns, err, sizeof err) == 0)
        status = report(o, c, r);
    else
        (void)mrct_cli_fail("fabric", "%s", err);
    mrct_relay_free(r);
    if (stop_fd >= 0)
        (void)close(stop_fd);
    return status;
}

int mrct_cmd_fabric(int argc, char **argv)
{
    struct mrct_fabric_options o;
    const int n = mrct_fabric_command_line(&o, argc, argv);
    if (n != MRCT_CLI_END)
        return n == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    struct mrct_case c;
    char err[700];
    if (mrct_fabric_file_load(&c, o.faults, o.planes, err, sizeof err) != 0)
        return mrct_cli_fail("fabric", "%s", err);
    const int status = carry(&o, &c);
    mrct_case_fini(&c);
    return status;
}
