/* SPDX-License-Identifier: BSD-2-Clause */
/* Topology, options of the hosts, and random rates. */
#include "harness/cases/case_parts.h"
#include "harness/cases/case_print.h"

#include <string.h>

#define FAB(m) offsetof(struct mrct_fab_config, m)

static const struct mrct_load_field topology_fields[] = {
    {.key = "planes",
     .type = MRCT_LOAD_U32,
     .offset = FAB(planes),
     .min = 1,
     .max = MRC_EP_PORTS_MAX},
    {.key = "paths", .type = MRCT_LOAD_U32, .offset = FAB(paths), .min = 1, .max = 1024},
    {.key = "rate",
     .type = MRCT_LOAD_RATE,
     .offset = FAB(rate_bps),
     .min = 1000000,
     .max = INT64_C(1600000000000)},
    {.key = "latency", .type = MRCT_LOAD_DURATION, .offset = FAB(latency_ns)},
    {.key = "latency_step", .type = MRCT_LOAD_DURATION, .offset = FAB(latency_step_ns)},
    {.key = NULL},
};

int mrct_case_topology(struct mrct_load *l, yaml_node_t *node, void *base)
{
    return mrct_load_map(l, node, topology_fields, &((struct mrct_case *)base)->fabric);
}

static const struct mrct_load_field random_fields[] = {
    {.key = "loss", .type = MRCT_LOAD_SHARE, .offset = FAB(loss_ppm)},
    {.key = "duplicate", .type = MRCT_LOAD_SHARE, .offset = FAB(dup_ppm)},
    {.key = "mark_ce", .type = MRCT_LOAD_SHARE, .offset = FAB(ce_ppm)},
    {.key = "trim", .type = MRCT_LOAD_SHARE, .offset = FAB(trim_ppm)},
    {.key = "corrupt", .type = MRCT_LOAD_SHARE, .offset = FAB(corrupt_ppm)},
    {.key = "delay", .type = MRCT_LOAD_SHARE, .offset = FAB(delay_ppm)},
    {.key = "delay_max", .type = MRCT_LOAD_DURATION, .offset = FAB(delay_max_ns)},
    {.key = "until", .type = MRCT_LOAD_DURATION, .offset = FAB(random_until_ns)},
    {.key = NULL},
};

int mrct_case_random(struct mrct_load *l, yaml_node_t *node, void *base)
{
    return mrct_load_map(l, node, random_fields, &((struct mrct_case *)base)->fabric);
}

static const struct mrct_load_word format_words[] = {{"structured", MRCT_EV_STRUCTURED},
                                                     {"udp", MRCT_EV_UDP},
                                                     {"srv6", MRCT_EV_SRV6},
                                                     {"srv6_srh", MRCT_EV_SRV6_SRH},
                                                     {NULL, 0}};
static const struct mrct_load_word source_words[] = {{"list", MRCT_EVS_LIST},
                                                     {"explicit", MRCT_EVS_EXPLICIT},
                                                     {"generated", MRCT_EVS_GENERATED},
                                                     {"auto", MRCT_EVS_AUTO},
                                                     {NULL, 0}};
static const struct mrct_load_word q2_words[] = {{"a", 'a'}, {"b", 'b'}, {NULL, 0}};
static const struct mrct_load_word q26_words[] = {{"a", 'a'}, {"b", 'b'}, {"c", 'c'}, {NULL, 0}};
static const struct mrct_load_word cc_words[] = {
    {"fixed", 'f'}, {"nscc", 'n'}, {"off", 'o'}, {NULL, 0}};
static const struct mrct_load_word ip_words[] = {{"4", 0}, {"6", 1}, {NULL, 0}};
static const struct mrct_load_word mtu_words[] = {{"256", 256},   {"512", 512},   {"1024", 1024},
                                                  {"2048", 2048}, {"4096", 4096}, {NULL, 0}};

/* The options one host may have for itself; O(m) is the offset of struct mrct_case_host's m. */
#define HOST_FIELDS(O)                                                                             \
    {.key = "tseth", .type = MRCT_LOAD_BOOL, .offset = O(tseth)},                                  \
        {.key = "ecn", .type = MRCT_LOAD_BOOL, .offset = O(ecn)},                                  \
        {.key = "trimmable", .type = MRCT_LOAD_BOOL, .offset = O(trimmable)},                      \
        {.key = "trim_nack", .type = MRCT_LOAD_BOOL, .offset = O(trim_nack)},                      \
        {.key = "dynamic_mpr", .type = MRCT_LOAD_BOOL, .offset = O(dynamic_mpr)},                  \
        {.key = "svc_time", .type = MRCT_LOAD_BOOL, .offset = O(svc_time)},                        \
        {.key = "ev_active",                                                                       \
         .type = MRCT_LOAD_U32,                                                                    \
         .offset = O(ev_active),                                                                   \
         .min = 0,                                                                                 \
         .max = INT64_C(1) * MRCT_CASE_EVS_MAX * MRC_EP_PORTS_MAX},                                \
        {.key = "evs",                                                                             \
         .type = MRCT_LOAD_U32,                                                                    \
         .offset = O(evs),                                                                         \
         .min = 1,                                                                                 \
         .max = MRCT_CASE_EVS_MAX},                                                                \
        {.key = "ev_min_active",                                                                   \
         .type = MRCT_LOAD_U32,                                                                    \
         .offset = O(ev_min_active),                                                               \
         .min = 0,                                                                                 \
         .max = INT64_C(1) * MRCT_CASE_EVS_MAX * MRC_EP_PORTS_MAX},                                \
        {.key = "ev_loss_limit",                                                                   \
         .type = MRCT_LOAD_U32,                                                                    \
         .offset = O(ev_loss_limit),                                                               \
         .min = 0,                                                                                 \
         .max = 31},                                                                               \
        {.key = "reverse_probe", .type = MRCT_LOAD_DURATION, .offset = O(reverse_probe_ns)},       \
        {.key = "ev_format",                                                                       \
         .type = MRCT_LOAD_WORD,                                                                   \
         .offset = O(ev_format),                                                                   \
         .words = format_words},                                                                   \
        {.key = "ev_source",                                                                       \
         .type = MRCT_LOAD_WORD,                                                                   \
         .offset = O(ev_source),                                                                   \
         .words = source_words},                                                                   \
        {.key = "start_psn",                                                                       \
         .type = MRCT_LOAD_I64,                                                                    \
         .offset = O(start_psn),                                                                   \
         .min = 0,                                                                                 \
         .max = 0xFFFFFF},                                                                         \
        {.key = "mpr", .type = MRCT_LOAD_U32, .offset = O(mpr), .min = 8, .max = 255},             \
        {.key = "max_wimm", .type = MRCT_LOAD_U32, .offset = O(max_wimm), .min = 32, .max = 4096}, \
        {.key = "told_mpr", .type = MRCT_LOAD_INT, .offset = O(told_mpr), .min = 1, .max = 255},   \
        {.key = "told_max_wimm",                                                                   \
         .type = MRCT_LOAD_INT,                                                                    \
         .offset = O(told_max_wimm),                                                               \
         .min = 1,                                                                                 \
         .max = 4096},                                                                             \
        {.key = "timeout", .type = MRCT_LOAD_U8, .offset = O(timeout), .min = 0, .max = 24},       \
        {.key = "linear_cnt", .type = MRCT_LOAD_U8, .offset = O(linear_cnt), .min = 0, .max = 7},  \
        {.key = "exp_cnt", .type = MRCT_LOAD_U8, .offset = O(exp_cnt), .min = 0, .max = 25},       \
        {.key = "exp_ceiling", .type = MRCT_LOAD_DURATION, .offset = O(exp_ceiling_ns)},           \
        {.key = "cwnd",                                                                            \
         .type = MRCT_LOAD_SIZE,                                                                   \
         .offset = O(cwnd_bytes),                                                                  \
         .min = 4200,                                                                              \
         .max = 1 << 30},                                                                          \
        {.key = "cc", .type = MRCT_LOAD_CHAR, .offset = O(cc), .words = cc_words},                 \
        {.key = "cc_shared", .type = MRCT_LOAD_BOOL, .offset = O(cc_shared)},                      \
        {.key = "cwnd_pen", .type = MRCT_LOAD_U8, .offset = O(cwnd_pen), .min = 0, .max = 127},    \
        {.key = "restore_cwnd", .type = MRCT_LOAD_BOOL, .offset = O(restore_cwnd)},                \
        {.key = "service_time", .type = MRCT_LOAD_DURATION, .offset = O(service_ns)},              \
        {.key = "q20", .type = MRCT_LOAD_CHAR, .offset = O(q20), .words = q2_words},               \
        {.key = "tseth_every",                                                                     \
         .type = MRCT_LOAD_U32,                                                                    \
         .offset = O(tseth_every),                                                                 \
         .min = 1,                                                                                 \
         .max = 1000},                                                                             \
        {.key = "sack_threshold",                                                                  \
         .type = MRCT_LOAD_SIZE,                                                                   \
         .offset = O(sack_threshold),                                                              \
         .min = 0,                                                                                 \
         .max = 1 << 24},                                                                          \
        {.key = "sack_min_pkt",                                                                    \
         .type = MRCT_LOAD_SIZE,                                                                   \
         .offset = O(sack_min_pkt),                                                                \
         .min = 1,                                                                                 \
         .max = 4096},                                                                             \
        {.key = "reorder_margin",                                                                  \
         .type = MRCT_LOAD_U32,                                                                    \
         .offset = O(reorder_margin),                                                              \
         .min = 1,                                                                                 \
         .max = 1023},                                                                             \
        {.key = "q2", .type = MRCT_LOAD_CHAR, .offset = O(q2), .words = q2_words},                 \
        {.key = "q9", .type = MRCT_LOAD_CHAR, .offset = O(q9), .words = q2_words},                 \
        {.key = "q10", .type = MRCT_LOAD_CHAR, .offset = O(q10), .words = q2_words},               \
        {.key = "q11", .type = MRCT_LOAD_CHAR, .offset = O(q11), .words = q2_words},               \
        {.key = "q17", .type = MRCT_LOAD_CHAR, .offset = O(q17), .words = q2_words},               \
        {.key = "q22", .type = MRCT_LOAD_CHAR, .offset = O(q22), .words = q2_words},               \
        {.key = "q25", .type = MRCT_LOAD_CHAR, .offset = O(q25), .words = q2_words},               \
    {                                                                                              \
        .key = "q26", .type = MRCT_LOAD_CHAR, .offset = O(q26), .words = q26_words                 \
    }

#define HOST(m)   offsetof(struct mrct_case_host, m)
#define COMMON(m) (offsetof(struct mrct_case, host) + HOST(m))

static const struct mrct_load_field host_fields[] = {
    HOST_FIELDS(HOST),
    {.key = NULL},
};

static int keep_host(struct mrct_load *l, yaml_node_t *node, unsigned host)
{
    ((struct mrct_case_load *)l->user)->host[host] = node;
    return 0;
}

static int keep_host1(struct mrct_load *l, yaml_node_t *node, void *base)
{
    (void)base;
    return keep_host(l, node, 0);
}

static int keep_host2(struct mrct_load *l, yaml_node_t *node, void *base)
{
    (void)base;
    return keep_host(l, node, 1);
}

static int load_ip(struct mrct_load *l, yaml_node_t *node, void *base)
{
    const int v = mrct_load_word(l, node, "ip", ip_words);
    ((struct mrct_case *)base)->host[0].ip6 = v == 1;
    return v < 0 ? -1 : 0;
}

static int load_mtu(struct mrct_load *l, yaml_node_t *node, void *base)
{
    const int v = mrct_load_word(l, node, "path_mtu", mtu_words);
    ((struct mrct_case *)base)->host[0].path_mtu = (uint16_t)v;
    return v < 0 ? -1 : 0;
}

static const struct mrct_load_field options_fields[] = {
    {.key = "qps",
     .type = MRCT_LOAD_U32,
     .offset = offsetof(struct mrct_case, qps),
     .min = 1,
     .max = MRCT_CASE_QPS_MAX},
    {.key = "path_mtu", .type = MRCT_LOAD_CUSTOM, .custom = load_mtu},
    {.key = "ip", .type = MRCT_LOAD_CUSTOM, .custom = load_ip},
    {.key = "vlan", .type = MRCT_LOAD_BOOL, .offset = COMMON(vlan)},
    {.key = "dest_port",
     .type = MRCT_LOAD_U16,
     .offset = COMMON(dest_port),
     .min = 1,
     .max = 65535},
    {.key = "host1", .type = MRCT_LOAD_CUSTOM, .custom = keep_host1},
    {.key = "host2", .type = MRCT_LOAD_CUSTOM, .custom = keep_host2},
    HOST_FIELDS(COMMON),
    {.key = NULL},
};

int mrct_case_options(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_case *const c = base;
    if (mrct_load_map(l, node, options_fields, c) != 0) {
        return -1;
    }
    c->host[1] = c->host[0];
    const struct mrct_case_load *const state = l->user;
    for (unsigned h = 0; h < 2; h++) {
        if (state->host[h] != NULL &&
            mrct_load_map(l, state->host[h], host_fields, &c->host[h]) != 0) {
            return -1;
        }
    }
    return 0;
}

const struct mrct_load_field *const mrct_case_fields_topology = topology_fields;
const struct mrct_load_field *const mrct_case_fields_random = random_fields;
const struct mrct_load_field *const mrct_case_fields_host = host_fields;
