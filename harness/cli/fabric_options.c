/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of mrct fabric. */
#include "harness/cli/fabric.h"

#include "harness/cases/units.h"
#include <string.h>

enum option {
    OPT_PAIR,
    OPT_FAULTS,
    OPT_CAPTURE,
    OPT_FOR,
    OPT_SEED,
    OPT_RING,
    OPT_BUSY_POLL,
    OPT_UDP_PORT,
    OPT_BYPASS,
    OPT_JSON,
};

static const struct mrct_cli_option options[] = {
    [OPT_PAIR] = {"pair", 'p', "A:B",
                  "two interfaces: A faces host 1, B faces host 2; the next plane with\n"
                  "each one"},
    [OPT_FAULTS] = {"faults", 'f', "FILE",
                    "YAML with topology, random, faults and links as in a case"},
    [OPT_CAPTURE] = {"capture", 'w', "DIR",
                     "write what passed on either side to DIR/host1.pcapng and\nDIR/host2.pcapng"},
    [OPT_FOR] = {"for", 0, "TIME", "end after so long (10s, 500ms); else at a signal"},
    [OPT_SEED] = {"seed", 's', "N", "of everything random; default 1"},
    [OPT_RING] = {"ring", 0, "N", "frames that a receive ring holds; default 1024"},
    [OPT_BUSY_POLL] = {"busy-poll", 0, "USEC", "spin so long before sleeping; default 50"},
    [OPT_UDP_PORT] = {"udp-port", 0, "N", "UDP destination port taken as MRC besides 4791, 4971"},
    [OPT_BYPASS] = {"bypass", 0, NULL,
                    "send past queueing disciplines and capture programs of this host"},
    [OPT_JSON] = {"json", 'j', NULL, "print one JSON object at the end"},
    {0},
};

static int bad(const char *fmt, const char *value)
{
    (void)mrct_cli_fail("fabric", fmt, value);
    return MRCT_CLI_BAD;
}

static bool take_name(char to[IF_NAMESIZE], const char *from, size_t len)
{
    if (len == 0 || len >= IF_NAMESIZE)
        return false;
    memcpy(to, from, len);
    to[len] = '\0';
    return true;
}

static int take_pair(struct mrct_fabric_options *o, const char *text)
{
    const char *const colon = strchr(text, ':');
    if (o->planes == MRC_EP_PORTS_MAX)
        return bad("more than 16 planes%s", "");
    if (colon == NULL || !take_name(o->names[0][o->planes], text, (size_t)(colon - text)) ||
        !take_name(o->names[1][o->planes], colon + 1, strlen(colon + 1)))
        return bad("'%s' is no pair of interfaces A:B", text);
    o->planes++;
    return 0;
}

static int take_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *to)
{
    if (mrct_cli_u64(text, min, max, to))
        return 0;
    (void)mrct_cli_fail("fabric", "--%s wants a number of %llu to %llu, not '%s'", name,
                        (unsigned long long)min, (unsigned long long)max, text);
    return MRCT_CLI_BAD;
}

static int take(struct mrct_fabric_options *o, enum option which, const char *value)
{
    uint64_t port = 0;
    int rc = 0;
    switch (which) {
    case OPT_PAIR:
        return take_pair(o, value);
    case OPT_FAULTS:
        o->faults = value;
        return 0;
    case OPT_CAPTURE:
        o->capture = value;
        return 0;
    case OPT_FOR:
        return mrct_units_duration(value, &o->for_ns) == 0 && o->for_ns > 0
                   ? 0
                   : bad("--for wants a time like 10s or 500ms, not '%s'", value);
    case OPT_SEED:
        return take_number("seed", value, 0, UINT64_MAX, &o->seed);
    case OPT_RING:
        return take_number("ring", value, 16, 65536, &o->ring);
    case OPT_BUSY_POLL:
        return take_number("busy-poll", value, 0, 1000000, &o->busy_poll_us);
    case OPT_UDP_PORT:
        rc = take_number("udp-port", value, 1, 65535, &port);
        o->udp_port = (uint16_t)port;
        return rc;
    case OPT_BYPASS:
        o->bypass = true;
        return 0;
    case OPT_JSON:
        o->json = true;
        return 0;
    }
    return 0;
}

/* An interface can stand at one place only. */
static int no_double(const struct mrct_fabric_options *o)
{
    for (unsigned i = 0; i < 2 * o->planes; i++)
        for (unsigned k = 0; k < i; k++)
            if (strcmp(o->names[i % 2][i / 2], o->names[k % 2][k / 2]) == 0)
                return bad("%s: stands twice among the pairs", o->names[i % 2][i / 2]);
    return MRCT_CLI_END;
}

int mrct_fabric_command_line(struct mrct_fabric_options *o, int argc, char **argv)
{
    struct mrct_cli cli = {
        .command = "fabric",
        .operands = "",
        .summary =
            "Stands between pairs of network interfaces, one pair a plane, passes what comes\n"
            "and does the faults it was told. Needs root or CAP_NET_RAW.",
        .options = options,
    };
    char **first;
    *o = (struct mrct_fabric_options){
        .for_ns = MRC_TIME_NEVER, .seed = 1, .ring = 1024, .busy_poll_us = 50};
    mrct_cli_begin(&cli, argc, argv);
    for (int n = mrct_cli_next(&cli); n != MRCT_CLI_END; n = mrct_cli_next(&cli)) {
        if (n < 0)
            return n;
        if (take(o, (enum option)n, cli.value) != 0)
            return MRCT_CLI_BAD;
    }
    if (mrct_cli_operands(&cli, &first) > 0)
        return bad("unexpected '%s'", first[0]);
    return o->planes == 0 ? bad("at least one --pair is needed%s", "") : no_double(o);
}
