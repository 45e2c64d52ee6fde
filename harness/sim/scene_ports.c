/* SPDX-License-Identifier: BSD-2-Clause */
/* A scene's queues and endpoints. */
#include "harness/sim/scene_parts.h"

#include <string.h>

#define GIB INT64_C(1073741824)

#define Q(m) offsetof(struct mrct_scene_queues, m)
#define BYTES(k, m)                                                                                \
    {                                                                                              \
        .key = (k), .type = MRCT_LOAD_SIZE, .offset = (m), .min = 0, .max = GIB                    \
    }
#define NUMBER(k, m, lo, hi)                                                                       \
    {                                                                                              \
        .key = (k), .type = MRCT_LOAD_U32, .offset = (m), .min = (lo), .max = (hi)                 \
    }
#define SWITCH(k, m)                                                                               \
    {                                                                                              \
        .key = (k), .type = MRCT_LOAD_BOOL, .offset = (m)                                          \
    }

static const struct mrct_load_field limit_fields[] = {
    BYTES("control", Q(limit_bytes[MRCT_CLASS_CONTROL])),
    BYTES("trimmed", Q(limit_bytes[MRCT_CLASS_TRIMMED])),
    BYTES("data", Q(limit_bytes[MRCT_CLASS_DATA])),
    {.key = NULL},
};
static const struct mrct_load_field weight_fields[] = {
    NUMBER("control", Q(weight[MRCT_CLASS_CONTROL]), 1, 1000),
    NUMBER("trimmed", Q(weight[MRCT_CLASS_TRIMMED]), 1, 1000),
    NUMBER("data", Q(weight[MRCT_CLASS_DATA]), 1, 1000),
    {.key = NULL},
};
static const struct mrct_load_field ecn_fields[] = {
    BYTES("min", Q(ecn_min_bytes)),
    BYTES("max", Q(ecn_max_bytes)),
    {.key = "probability", .type = MRCT_LOAD_SHARE, .offset = Q(ecn_ppm)},
    SWITCH("last_hop", Q(ecn_last_hop)),
    {.key = NULL},
};

static int load_limits(struct mrct_load *l, yaml_node_t *n, void *base)
{
    return mrct_load_map(l, n, limit_fields, base);
}

static int load_weights(struct mrct_load *l, yaml_node_t *n, void *base)
{
    struct mrct_scene_queues *const q = base;
    q->strict = false;
    return mrct_load_map(l, n, weight_fields, base);
}

static int load_ecn(struct mrct_load *l, yaml_node_t *n, void *base)
{
    struct mrct_scene_queues *const q = base;
    const char *const text = mrc_yaml_text(n);
    if (text != NULL && strcmp(text, "off") == 0) {
        q->ecn = false;
        return 0;
    }
    if (mrct_load_map(l, n, ecn_fields, base) != 0)
        return -1;
    if (q->ecn_min_bytes > q->ecn_max_bytes)
        return mrc_yaml_fail(&l->yaml, n, "ecn: min is above max");
    return 0;
}

static const struct mrct_load_field queue_fields[] = {
    {.key = "limits", .type = MRCT_LOAD_CUSTOM, .custom = load_limits},
    {.key = "weights", .type = MRCT_LOAD_CUSTOM, .custom = load_weights},
    {.key = "ecn", .type = MRCT_LOAD_CUSTOM, .custom = load_ecn},
    SWITCH("trim", Q(trim)),
    {.key = NULL},
};

int mrct_scene_queues(struct mrct_load *l, yaml_node_t *node, void *base)
{
    return mrct_load_map(l, node, queue_fields, &((struct mrct_scene *)base)->queues);
}

#define E(m) offsetof(struct mrct_scene_endpoint, m)
#define TIME(k, m)                                                                                 \
    {                                                                                              \
        .key = (k), .type = MRCT_LOAD_DURATION, .offset = (m), .max = INT64_C(1000000000000)       \
    }

static const struct mrct_load_word cc_words[] = {{"nscc", MRCT_CC_NSCC},
                                                 {"fixed", MRCT_CC_FIXED},
                                                 {"off", MRCT_CC_OFF},
                                                 {"dcqcn", MRCT_CC_DCQCN},
                                                 {NULL, 0}};
static const struct mrct_load_word transport_words[] = {
    {"mrc", MRCT_TRANSPORT_MRC}, {"rc", MRCT_TRANSPORT_RC}, {NULL, 0}};
static const struct mrct_load_word ip_words[] = {{"4", 4}, {"6", 6}, {NULL, 0}};
static const struct mrct_load_word mtu_words[] = {{"256", 256},   {"512", 512},   {"1024", 1024},
                                                  {"2048", 2048}, {"4096", 4096}, {NULL, 0}};

static const struct mrct_load_field endpoint_fields[] = {
    {.key = "mtu", .type = MRCT_LOAD_WORD, .offset = E(mtu), .words = mtu_words},
    {.key = "transport", .type = MRCT_LOAD_WORD, .offset = E(transport), .words = transport_words},
    {.key = "ip", .type = MRCT_LOAD_WORD, .offset = E(ip_version), .words = ip_words},
    NUMBER("evs", E(evs), 1, 4096),
    NUMBER("ev_active", E(ev_active), 0, 4096),
    NUMBER("ev_min_active", E(min_active), 0, 4096),
    NUMBER("mpr", E(mpr), 8, 255),
    NUMBER("timeout", E(timeout), 0, 24),
    NUMBER("linear_cnt", E(linear_cnt), 0, 7),
    NUMBER("exp_cnt", E(exp_cnt), 0, 25),
    NUMBER("loss_limit", E(loss_limit), 0, 31),
    NUMBER("reorder_margin", E(reorder_margin), 1, 1 << 20),
    SWITCH("trim_nack", E(trim_nack)),
    SWITCH("fidelity", E(fidelity)),
    {.key = "cc", .type = MRCT_LOAD_WORD, .offset = E(cc), .words = cc_words},
    {.key = "cwnd", .type = MRCT_LOAD_SIZE, .offset = E(cwnd_bytes), .min = 1, .max = GIB},
    TIME("base_rtt", E(base_rtt_ns)),
    TIME("target_delay", E(target_delay_ns)),
    TIME("probe", E(probe_ns)),
    TIME("reverse_probe", E(reverse_probe_ns)),
    {.key = NULL},
};

int mrct_scene_endpoint(struct mrct_load *l, yaml_node_t *node, void *base)
{
    return mrct_load_map(l, node, endpoint_fields, &((struct mrct_scene *)base)->endpoint);
}
