/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of mrct endpoint. */
#include "harness/cli/endpoint.h"

#include <string.h>

enum option {
    OPT_LISTEN,
    OPT_CONNECT,
    OPT_PORT,
    OPT_SEND,
    OPT_PATTERN,
    OPT_MESSAGES,
    OPT_RECEIVE,
    OPT_OUT,
    OPT_NO_VERIFY,
    OPT_QPS,
    OPT_EVS,
    OPT_MTU,
    OPT_MESSAGE,
    OPT_DEPTH,
    OPT_WINDOW,
    OPT_NSCC,
    OPT_TIMEOUT,
    OPT_UDP_PORT,
    OPT_NEIGHBOUR,
    OPT_BUSY_POLL,
    OPT_RING,
    OPT_BYPASS,
    OPT_FACTS,
    OPT_SEED,
    OPT_JSON,
};

static const struct mrct_cli_option options[] = {
    [OPT_LISTEN] = {"listen", 0, "ADDR:PORT", "wait for the peer at a TCP address"},
    [OPT_CONNECT] = {"connect", 0, "ADDR:PORT", "talk to the peer that listens there"},
    [OPT_PORT] = {"port", 'p', "IFACE[=ADDR]",
                  "an interface, and its address; the next port with each one.\nWithout ADDR an "
                  "IPv6 link-local address of its own"},
    [OPT_SEND] = {"send", 0, "FILE", "write a file to the peer"},
    [OPT_PATTERN] = {"pattern", 0, "SIZE", "write messages of so many bytes"},
    [OPT_MESSAGES] = {"messages", 0, "N", "so many of them; default 1"},
    [OPT_RECEIVE] = {"receive", 0, NULL, "take what the peer sends, and verify it"},
    [OPT_OUT] = {"out", 'o', "FILE", "write the file received to FILE"},
    [OPT_NO_VERIFY] = {"no-verify", 0, NULL, "leave it at the ICRC of each packet"},
    [OPT_QPS] = {"qps", 'q', "N", "connections; default 1"},
    [OPT_EVS] = {"evs", 0, "N", "entropy values of a QP, over all ports; default 32"},
    [OPT_MTU] = {"mtu", 'm', "BYTES", "path MTU: 256, 512, 1024, 2048 or 4096 (the default)"},
    [OPT_MESSAGE] = {"message", 0, "BYTES", "a file goes in messages of this size; default 1 MiB"},
    [OPT_DEPTH] = {"depth", 0, "N", "messages of a QP under way; default 4, at most 32"},
    [OPT_WINDOW] = {"window", 0, "BYTES",
                    "congestion window of a QP; default: 256 KiB shared by all"},
    [OPT_NSCC] = {"nscc", 0, NULL, "congestion control by NSCC instead of a fixed window"},
    [OPT_TIMEOUT] = {"timeout", 0, "N", "retransmission after 1.024 us x 2^N; default 16"},
    [OPT_UDP_PORT] = {"udp-port", 0, "N", "UDP destination port; default 4791"},
    [OPT_NEIGHBOUR] = {"neighbour", 0, "ADDR=MAC", "a neighbour that is not asked for; repeat"},
    [OPT_BUSY_POLL] = {"busy-poll", 0, "USEC", "spin so long before sleeping; default 50"},
    [OPT_RING] = {"ring", 0, "N",
                  "frames that a receive ring holds; default: twice what the\nwindows hold"},
    [OPT_BYPASS] = {"bypass", 0, NULL,
                    "send past queueing disciplines and capture programs of this host"},
    [OPT_FACTS] = {"facts", 0, "FILE", "write what mrct check must know of the run to FILE"},
    [OPT_SEED] = {"seed", 's', "N", "of EVs, PSNs and pattern; default 1"},
    [OPT_JSON] = {"json", 'j', NULL, "print one JSON object"},
    {0},
};

/* Options whose value is a number. */
struct number {
    enum option option;
    uint64_t min, max;
    size_t at; /* offset in the options */
};
#define AT(member) offsetof(struct mrct_live_options, member)
static const struct number numbers[] = {
    {OPT_PATTERN, 1, UINT64_C(1) << 30, AT(pattern_bytes)},
    {OPT_MESSAGES, 1, UINT32_MAX, AT(messages)},
    {OPT_QPS, 1, MRCT_LIVE_QPS_MAX, AT(qps)},
    {OPT_EVS, 1, MRCT_LIVE_EVS_MAX, AT(evs)},
    {OPT_MTU, 256, 4096, AT(mtu)},
    {OPT_MESSAGE, 1, UINT64_C(1) << 30, AT(message_bytes)},
    {OPT_DEPTH, 1, 32, AT(depth)},
    {OPT_WINDOW, 1, UINT32_MAX, AT(window_bytes)},
    {OPT_TIMEOUT, 0, 24, AT(timeout)},
    {OPT_UDP_PORT, 1, 65535, AT(udp_port)},
    {OPT_BUSY_POLL, 0, 1000000, AT(busy_poll_us)},
    {OPT_RING, 16, 65536, AT(ring)},
    {OPT_SEED, 0, INT64_MAX, AT(seed)},
};

static bool bad(const char *fmt, const char *value)
{
    mrct_cli_fail("endpoint", fmt, value);
    return false;
}

static bool take_port(struct mrct_live_options *o, const char *text)
{
    const char *const sign = strchr(text, '=');
    const size_t len = sign == NULL ? strlen(text) : (size_t)(sign - text);
    if (o->port_count == MRC_EP_PORTS_MAX)
        return bad("more than 16 ports%s", "");
    if (len == 0 || len >= IF_NAMESIZE)
        return bad("'%s' is no interface or IFACE=ADDRESS", text);
    struct mrc_net_node_port *const p = &o->ports[o->port_count];
    char *const name = o->names[o->port_count++];
    memcpy(name, text, len);
    name[len] = '\0';
    p->ifname = name;
    p->has_addr = sign != NULL;
    if (sign != NULL && mrc_net_addr_parse(sign + 1, &p->addr) != 0)
        return bad("'%s' is no IPv4 or IPv6 address", sign + 1);
    return true;
}

static bool take_neighbour(struct mrct_live_options *o, const char *text)
{
    char addr[64] = "";
    const char *const sign = strchr(text, '=');
    struct mrc_addr *const a = &o->neighbours[o->neighbour_count];
    if (o->neighbour_count == MRCT_LIVE_NEIGHBOURS_MAX)
        return bad("more than 64 neighbours%s", "");
    if (sign != NULL && (size_t)(sign - text) < sizeof addr)
        memcpy(addr, text, (size_t)(sign - text));
    if (mrc_net_addr_parse(addr, a) != 0 || mrc_net_mac_parse(sign + 1, a->mac) != 0)
        return bad("'%s' is no ADDRESS=MAC", text);
    o->neighbour_count++;
    return true;
}

static bool take_number(struct mrct_live_options *o, const struct number *n, const char *text)
{
    if (mrct_cli_u64(text, n->min, n->max, (uint64_t *)(void *)((char *)o + n->at)))
        return true;
    mrct_cli_fail("endpoint", "--%s wants a number of %llu to %llu, not '%s'",
                  options[n->option].name, (unsigned long long)n->min, (unsigned long long)n->max,
                  text);
    return false;
}

static bool take(struct mrct_live_options *o, enum option which, const char *value)
{
    const struct {
        enum option option;
        const char **to;
    } texts[] = {{OPT_LISTEN, &o->listen},
                 {OPT_CONNECT, &o->connect},
                 {OPT_SEND, &o->send_file},
                 {OPT_OUT, &o->out_file},
                 {OPT_FACTS, &o->facts_file}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].option == which)
            return take_number(o, &numbers[i], value);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].option == which)
            *texts[i].to = value;
    o->receive |= which == OPT_RECEIVE || which == OPT_OUT;
    o->verify &= which != OPT_NO_VERIFY;
    o->json |= which == OPT_JSON;
    o->bypass |= which == OPT_BYPASS;
    o->nscc |= which == OPT_NSCC;
    if (which == OPT_PORT)
        return take_port(o, value);
    return which != OPT_NEIGHBOUR || take_neighbour(o, value);
}

/* Small windows and rings stay in a processor's cache, which is worth a third of the speed. */
#define WINDOW_BYTES  (UINT64_C(256) << 10) /* of all QPs */
#define WINDOW_MIN    (UINT64_C(32) << 10)  /* of a QP */
#define RING_MIN      128u
#define RING_MAX      8192u
#define RING_FOR_NSCC 4096u /* its window finds its own size */

/* Twice what the windows hold, as the peer is thought to have the same. */
static uint64_t ring_for(const struct mrct_live_options *o)
{
    const uint64_t n = 2 * o->qps * o->window_bytes / o->mtu;
    if (o->nscc && n < RING_FOR_NSCC)
        return RING_FOR_NSCC;
    return n < RING_MIN ? RING_MIN : n > RING_MAX ? RING_MAX : n;
}

static bool consistent(struct mrct_live_options *o)
{
    if ((o->listen == NULL) == (o->connect == NULL))
        return bad("one of --listen and --connect is needed%s", "");
    if (o->port_count == 0)
        return bad("at least one --port is needed%s", "");
    if (o->send_file != NULL && o->pattern_bytes != 0)
        return bad("--send and --pattern exclude each other%s", "");
    if (o->mtu != 256 && o->mtu != 512 && o->mtu != 1024 && o->mtu != 2048 && o->mtu != 4096)
        return bad("--mtu wants 256, 512, 1024, 2048 or 4096%s", "");
    if (o->evs < o->port_count)
        return bad("--evs: each port needs one%s", "");
    if (o->window_bytes == 0)
        o->window_bytes = o->qps > WINDOW_BYTES / WINDOW_MIN ? WINDOW_MIN : WINDOW_BYTES / o->qps;
    if (o->ring == 0)
        o->ring = ring_for(o);
    return true;
}

int mrct_live_command_line(struct mrct_live_options *o, int argc, char **argv)
{
    struct mrct_cli cli = {
        .command = "endpoint",
        .operands = "",
        .summary =
            "Runs the reference endpoint on network interfaces, against a peer of its kind,\n"
            "and moves a file or a pattern. Needs root or CAP_NET_RAW.",
        .options = options,
    };
    char **first;
    *o = (struct mrct_live_options){.messages = 1,
                                    .message_bytes = UINT64_C(1) << 20,
                                    .qps = 1,
                                    .evs = 32,
                                    .mtu = 4096,
                                    .seed = 1,
                                    .depth = 4,
                                    .timeout = 16,
                                    .busy_poll_us = 50,
                                    .udp_port = 4791,
                                    .verify = true};
    mrct_cli_begin(&cli, argc, argv);
    for (int n = mrct_cli_next(&cli); n != MRCT_CLI_END; n = mrct_cli_next(&cli)) {
        if (n < 0)
            return n;
        if (!take(o, (enum option)n, cli.value))
            return MRCT_CLI_BAD;
    }
    if (mrct_cli_operands(&cli, &first) > 0)
        bad("unexpected '%s'", first[0]);
    else if (consistent(o))
        return MRCT_CLI_END;
    return MRCT_CLI_BAD;
}
