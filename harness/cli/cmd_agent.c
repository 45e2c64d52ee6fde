/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct agent: the reference agent, over the reference endpoint or a deviant, in virtual time or on
 * interfaces. */
#include "harness/cases/plan.h"
#include "harness/cli/agent_listen.h"
#include "harness/cli/cli.h"
#include "harness/deviant/deviant.h"
#include "harness/dut/agent_server.h"
#include "harness/live/own.h"

#include <string.h>
#include <unistd.h>

enum option { OPT_DEVIANT, OPT_LISTEN, OPT_CASES, OPT_WITHOUT, OPT_PORT };
static const struct mrct_cli_option options[] = {
    [OPT_DEVIANT] = {"deviant", 0, "NAME", "be this deviant instead of the reference endpoint"},
    [OPT_LISTEN] = {"listen", 0, "HOST:PORT",
                    "answer on TCP, one session at a time, until killed;\n"
                    "else on standard input and output"},
    [OPT_CASES] = {"cases", 0, "DIR", "know the cases of DIR"},
    [OPT_WITHOUT] = {"without", 0, "CAP", "do not claim this capability; may be given again"},
    [OPT_PORT] = {"port", 'p', "IFACE",
                  "the device has this interface (root); given again, one for each plane:\n"
                  "the first is plane 0. It can be judged in virtual time as well"},
    {0},
};

#define CAPS_MAX 32u

struct agent {
    const struct mrct_deviant *deviant;
    const char *listen, *cases;
    const char *without[CAPS_MAX];
    size_t without_count;
    const char *claims[CAPS_MAX + 1];
    char dir[4096];
    const char *port[MRC_EP_PORTS_MAX];
    unsigned ports;
    struct mrct_own *own; /* with ports */
};

static struct mrct_dut *make(void *user, const struct mrc_ep_config *cfg, uint64_t seed)
{
    const struct agent *const a = user;
    return a->deviant != NULL ? a->deviant->make(cfg, seed) : mrct_dut_reference(cfg, seed);
}

static struct mrct_dut *make_live(void *user, const struct mrc_ep_config *cfg, uint64_t seed)
{
    struct agent *const a = user;
    struct mrct_dut *const dut = cfg->ports <= a->ports ? make(user, cfg, seed) : NULL;
    if (dut != NULL)
        mrct_own_take(a->own, dut, &cfg->wire, cfg->ports);
    return dut;
}

static void attend(void *user, int fd)
{
    mrct_own_attend(((struct agent *)user)->own, fd);
}

static uint64_t now_ns(void *user)
{
    return mrct_own_now(((const struct agent *)user)->own);
}

/* A case is known when it has a file; reading them all would take longer than most sessions. */
static bool knows(void *user, const char *case_id)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    const struct agent *const a = user;
    const size_t section = strspn(case_id, letters);
    const char *const name = case_id + section + 1;
    char path[4200];
    if (section == 0 || case_id[section] != '/' || strncmp(case_id, "deviants/", 9) == 0 ||
        name[0] == '\0' || name[strspn(name, letters)] != '\0' || strlen(case_id) > 90)
        return false;
    (void)snprintf(path, sizeof path, "%s/%s.yaml", a->dir, case_id);
    return access(path, R_OK) == 0;
}

static int take_option(struct agent *a, enum option option, const char *value)
{
    switch (option) {
    case OPT_DEVIANT:
        a->deviant = mrct_deviant_find(value);
        return a->deviant != NULL ? 0 : mrct_cli_fail("agent", "there is no deviant '%s'", value);
    case OPT_LISTEN:
        a->listen = value;
        return 0;
    case OPT_CASES:
        a->cases = value;
        return 0;
    case OPT_WITHOUT:
        if (a->without_count == CAPS_MAX)
            return mrct_cli_fail("agent", "too many capabilities");
        a->without[a->without_count++] = value;
        return 0;
    case OPT_PORT:
        if (a->ports == MRC_EP_PORTS_MAX)
            return mrct_cli_fail("agent", "at most %u ports are possible", MRC_EP_PORTS_MAX);
        a->port[a->ports++] = value;
        return 0;
    }
    return 0;
}

static bool is_without(const struct agent *a, const char *capability)
{
    for (size_t i = 0; i < a->without_count; i++)
        if (strcmp(a->without[i], capability) == 0)
            return true;
    return false;
}

static int claim(struct agent *a)
{
    size_t n = 0;
    for (const char *const *c = mrct_capabilities; *c != NULL && n < CAPS_MAX; c++)
        if (!is_without(a, *c))
            a->claims[n++] = *c;
    return n > 0 ? 0 : -1;
}

static int serve(struct agent *a)
{
    char err[300];
    if (a->ports > 0 && (a->own = mrct_own_new(a->port, a->ports, err, sizeof err)) == NULL)
        return mrct_cli_fail("agent", "%s", err);
    const struct mrct_agent_service service = {
        .name = a->deviant != NULL ? a->deviant->name : "reference",
        .version = MRCT_VERSION,
        .firmware = "",
        .capabilities = a->claims,
        .make = make,
        .knows = knows,
        .make_live = a->own != NULL ? make_live : NULL,
        .attend = attend,
        .now_ns = now_ns,
        .live_ports = a->ports,
        .user = a,
    };
    if (a->listen != NULL)
        return mrct_agent_listen(&service, a->listen);
    struct mrct_agent_io *const io = mrct_agent_fds(STDIN_FILENO, STDOUT_FILENO, UINT64_MAX);
    if (io == NULL)
        return mrct_cli_fail("agent", "out of memory");
    const int rc = mrct_agent_serve(&service, io);
    if (rc != 0)
        (void)mrct_cli_fail("agent", "the answers could not be written");
    io->ops->free(io);
    return rc == 0 ? MRCT_EXIT_PASS : MRCT_EXIT_HARNESS;
}

int mrct_cmd_agent(int argc, char **argv)
{
    struct agent a = {0};
    struct mrct_cli cli = {.command = "agent",
                           .operands = "",
                           .summary =
                               "Answers the agent protocol for an endpoint, in virtual time or on\n"
                               "interfaces.",
                           .options = options};
    mrct_cli_begin(&cli, argc, argv);
    int option;
    char **operands = NULL;
    while ((option = mrct_cli_next(&cli)) >= 0)
        if (take_option(&a, (enum option)option, cli.value) != 0)
            return MRCT_EXIT_USAGE;
    if (option != MRCT_CLI_END)
        return option == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    if (mrct_cli_operands(&cli, &operands) > 0)
        return mrct_cli_fail("agent", "'%s' is one operand too many", operands[0]);
    if (mrct_plan_dir(a.cases, a.dir, sizeof a.dir) != 0)
        return mrct_cli_fail("agent", "%s: no such directory of cases", a.dir);
    if (claim(&a) != 0)
        return mrct_cli_fail("agent", "no capability is left");
    const int status = serve(&a);
    mrct_own_free(a.own);
    return status;
}
