/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct preflight: does the way between two ports carry what MRC needs? */
#include "harness/cli/cli.h"
#include "harness/live/preflight.h"

#include <jansson.h>
#include <net/if.h>
#include <string.h>

enum option { OPT_PAIR, OPT_MTU, OPT_JSON };

static const struct mrct_cli_option options[] = {
    [OPT_PAIR] = {"pair", 'p', "A:B",
                  "two interfaces of this host, with the network of a plane between\n"
                  "them; the next plane with each one"},
    [OPT_MTU] = {"mtu", 'm', "BYTES",
                 "path MTU that must pass: 256, 512, 1024, 2048 or 4096 (the default)"},
    [OPT_JSON] = {"json", 'j', NULL, "print one JSON object"},
    {0},
};

struct preflight {
    char name[2][MRC_EP_PORTS_MAX][IF_NAMESIZE];
    unsigned planes;
    uint64_t mtu;
    bool json;
    struct mrct_preflight result[MRC_EP_PORTS_MAX];
};

static int bad(const char *fmt, const char *value)
{
    (void)mrct_cli_fail("preflight", fmt, value);
    return MRCT_CLI_BAD;
}

static int take_pair(struct preflight *f, const char *text)
{
    const char *const colon = strchr(text, ':');
    const size_t len = colon == NULL ? 0 : (size_t)(colon - text);
    if (f->planes == MRC_EP_PORTS_MAX)
        return bad("more than 16 planes%s", "");
    if (len == 0 || len >= IF_NAMESIZE || colon[1] == '\0' || strlen(colon + 1) >= IF_NAMESIZE)
        return bad("'%s' is no pair of interfaces A:B", text);
    memcpy(f->name[0][f->planes], text, len);
    memcpy(f->name[1][f->planes], colon + 1, strlen(colon + 1));
    f->planes++;
    return 0;
}

static int take(struct preflight *f, enum option which, const char *value)
{
    switch (which) {
    case OPT_PAIR:
        return take_pair(f, value);
    case OPT_MTU:
        if (mrct_cli_u64(value, 256, 4096, &f->mtu) && (f->mtu & (f->mtu - 1)) == 0)
            return 0;
        return bad("--mtu wants 256, 512, 1024, 2048 or 4096, not '%s'", value);
    case OPT_JSON:
        f->json = true;
        return 0;
    }
    return 0;
}

static int take_command_line(struct preflight *f, int argc, char **argv)
{
    struct mrct_cli cli = {
        .command = "preflight",
        .operands = "",
        .summary =
            "Sends packets of every size, class and mark over each plane, both ways, and says\n"
            "what the way does to them. Needs root or CAP_NET_RAW.",
        .options = options,
    };
    char **first;
    mrct_cli_begin(&cli, argc, argv);
    for (int n = mrct_cli_next(&cli); n != MRCT_CLI_END; n = mrct_cli_next(&cli)) {
        if (n < 0)
            return n;
        if (take(f, (enum option)n, cli.value) != 0)
            return MRCT_CLI_BAD;
    }
    if (mrct_cli_operands(&cli, &first) > 0)
        return bad("unexpected '%s'", first[0]);
    return f->planes > 0 ? MRCT_CLI_END : bad("at least one --pair is needed%s", "");
}

/* 0, or -1 with a sentence. */
static int fly(struct preflight *f, unsigned plane, const struct mrc_wire_config *wire,
               struct mrc_net_stamps *stamps, char *err, size_t cap)
{
    struct mrc_net_port *port[2] = {NULL, NULL};
    for (unsigned i = 0; i < 2; i++) {
        const struct mrc_net_port_config c = {.ifname = f->name[i][plane],
                                              .udp_ports = wire->udp_ports,
                                              .udp_port_count = wire->udp_port_count,
                                              .promiscuous = true};
        port[i] = i == 0 || port[0] != NULL ? mrc_net_port_open(&c, err, cap) : NULL;
    }
    const bool open = port[0] != NULL && port[1] != NULL;
    if (open)
        mrct_preflight_ports(port, wire, (uint16_t)f->mtu, stamps, &f->result[plane]);
    mrc_net_port_free(port[0]);
    mrc_net_port_free(port[1]);
    return open ? 0 : -1;
}

static bool print_text(const struct preflight *f)
{
    bool good = true;
    for (unsigned p = 0; p < f->planes; p++) {
        for (unsigned i = 0; i < MRCT_PREFLIGHT_ITEMS; i++) {
            const struct mrct_preflight_line *const l = &f->result[p].line[i];
            printf("%-4s plane %u, %s: %s\n", l->good ? "ok" : "BAD", p,
                   mrct_preflight_item_str((enum mrct_preflight_item)i), l->words);
            good = good && l->good;
        }
    }
    return good;
}

static bool print_json(const struct preflight *f)
{
    bool good = true;
    json_t *const lines = json_array();
    for (unsigned p = 0; p < f->planes; p++) {
        for (unsigned i = 0; i < MRCT_PREFLIGHT_ITEMS; i++) {
            const struct mrct_preflight_line *const l = &f->result[p].line[i];
            json_array_append_new(lines,
                                  json_pack("{s:i,s:s,s:b,s:s}", "plane", (int)p, "item",
                                            mrct_preflight_item_str((enum mrct_preflight_item)i),
                                            "good", (int)l->good, "words", l->words));
            good = good && l->good;
        }
    }
    json_t *const doc = json_pack("{s:s,s:i,s:b,s:o}", "mrct", "preflight", "version", 1, "good",
                                  (int)good, "lines", lines);
    (void)json_dumpf(doc, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(doc);
    return good;
}

int mrct_cmd_preflight(int argc, char **argv)
{
    struct preflight f = {.mtu = 4096};
    const int n = take_command_line(&f, argc, argv);
    if (n != MRCT_CLI_END)
        return n == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    struct mrc_wire_config wire;
    struct mrc_net_stamps stamps = {0};
    char err[200];
    mrc_wire_config_default(&wire);
    for (unsigned p = 0; p < f.planes; p++)
        if (fly(&f, p, &wire, &stamps, err, sizeof err) != 0)
            return mrct_cli_fail("preflight", "%s", err);
    const bool good = f.json ? print_json(&f) : print_text(&f);
    if (fflush(stdout) != 0)
        return MRCT_EXIT_HARNESS;
    return good ? MRCT_EXIT_PASS : MRCT_EXIT_HARNESS;
}
