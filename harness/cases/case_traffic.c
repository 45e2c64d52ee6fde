/* SPDX-License-Identifier: BSD-2-Clause */
/* What the applications do: a list of steps. */
#include "harness/cases/case_parts.h"

#include <limits.h>
#include <string.h>

#define STEP(m) offsetof(struct mrct_step, m)
#define INJ(m)  offsetof(struct mrct_step, inject.m)

static const struct mrct_load_word target_words[] = {
    {"good", MRCT_TARGET_GOOD},           {"wrong_rkey", MRCT_TARGET_WRONG_RKEY},
    {"past_end", MRCT_TARGET_PAST_END},   {"before", MRCT_TARGET_BEFORE},
    {"read_only", MRCT_TARGET_READ_ONLY}, {NULL, 0}};
static const struct mrct_load_word after_words[] = {{"completion", MRCT_WHEN_COMPLETED}, {NULL, 0}};
static const struct mrct_load_word inject_words[] = {{"probe", MRCT_INJECT_PROBE},
                                                     {"ev_probe", MRCT_INJECT_EV_PROBE},
                                                     {"port_status", MRCT_INJECT_PORT_STATUS},
                                                     {"write", MRCT_INJECT_WRITE},
                                                     {"nack", MRCT_INJECT_NACK},
                                                     {NULL, 0}};

static int load_at(struct mrct_load *l, yaml_node_t *node, void *base)
{
    static const struct mrct_load_field at = {
        .key = "at", .type = MRCT_LOAD_DURATION, .offset = STEP(at_ns)};
    ((struct mrct_step *)base)->when = MRCT_WHEN_AT;
    return mrct_load_value(l, node, &at, base);
}

static int load_host(struct mrct_load *l, yaml_node_t *node, void *base)
{
    const int v = mrct_load_word(l, node, "host", mrct_words_host);
    ((struct mrct_step *)base)->host = v == 1;
    return v < 0 ? -1 : 0;
}

#define WHO_AND_WHEN                                                                               \
    {.key = "host", .type = MRCT_LOAD_CUSTOM, .custom = load_host},                                \
        {.key = "qp",                                                                              \
         .type = MRCT_LOAD_U32,                                                                    \
         .offset = STEP(qp),                                                                       \
         .min = 1,                                                                                 \
         .max = MRCT_CASE_QPS_MAX},                                                                \
        {.key = "at", .type = MRCT_LOAD_CUSTOM, .custom = load_at},                                \
    {                                                                                              \
        .key = "after", .type = MRCT_LOAD_WORD, .offset = STEP(when), .words = after_words         \
    }

#define COUNT                                                                                      \
    {                                                                                              \
        .key = "count", .type = MRCT_LOAD_U32, .offset = STEP(count), .min = 0, .max = 100000      \
    }

#define WRITE_FIELDS                                                                               \
    WHO_AND_WHEN, COUNT,                                                                           \
        {.key = "size",                                                                            \
         .type = MRCT_LOAD_SIZE,                                                                   \
         .offset = STEP(size),                                                                     \
         .min = 1,                                                                                 \
         .max = MRCT_CASE_SIZE_MAX,                                                                \
         .required = true},                                                                        \
    {                                                                                              \
        .key = "target", .type = MRCT_LOAD_WORD, .offset = STEP(target), .words = target_words     \
    }

static const struct mrct_load_field write_fields[] = {WRITE_FIELDS, {.key = NULL}};

static const struct mrct_load_field write_imm_fields[] = {
    WRITE_FIELDS,
    {.key = "imm", .type = MRCT_LOAD_U32, .offset = STEP(imm), .min = 0, .max = UINT32_MAX},
    {.key = NULL},
};

static const struct mrct_load_field recv_fields[] = {WHO_AND_WHEN, COUNT, {.key = NULL}};

static const struct mrct_load_field overwrite_fields[] = {
    {.key = "host", .type = MRCT_LOAD_CUSTOM, .custom = load_host},
    {.key = "qp", .type = MRCT_LOAD_U32, .offset = STEP(qp), .min = 1, .max = MRCT_CASE_QPS_MAX},
    {.key = "placed_psn",
     .type = MRCT_LOAD_I64,
     .offset = STEP(psn),
     .min = 0,
     .max = 0x7FFFFF,
     .required = true},
    {.key = NULL},
};

static const struct mrct_load_field set_mpr_fields[] = {
    WHO_AND_WHEN,
    {.key = "mpr",
     .type = MRCT_LOAD_U8,
     .offset = STEP(mpr),
     .min = 1,
     .max = 255,
     .required = true},
    {.key = NULL},
};

const struct mrct_load_word mrct_words_reason[] = {
    {"no_bitmap", MRC_NACK_NO_BITMAP},
    {"no_packet_buffer", MRC_NACK_NO_PKT_BUFFER},
    {"no_resource", MRC_NACK_NO_RESOURCE},
    {"unexpected_event", MRC_NACK_UNEXP_EVENT},
    {NULL, 0},
};

static int load_reason(struct mrct_load *l, yaml_node_t *node, void *base)
{
    const int v = mrct_load_word(l, node, "reason", mrct_words_reason);
    ((struct mrct_step *)base)->reason = (uint8_t)v;
    return v < 0 ? -1 : 0;
}

static const struct mrct_load_field shortage_fields[] = {
    WHO_AND_WHEN,
    COUNT,
    {.key = "reason", .type = MRCT_LOAD_CUSTOM, .custom = load_reason, .required = true},
    {.key = "rate", .type = MRCT_LOAD_SHARE, .offset = STEP(rate_ppm)},
    {.key = NULL},
};

static const struct mrct_load_word port_words[] = {{"down", 0}, {"up", 1}, {NULL, 0}};

static int load_up(struct mrct_load *l, yaml_node_t *node, void *base)
{
    const int v = mrct_load_word(l, node, "state", port_words);
    ((struct mrct_step *)base)->up = v == 1;
    return v < 0 ? -1 : 0;
}

#define PLANE                                                                                      \
    {                                                                                              \
        .key = "plane", .type = MRCT_LOAD_U32, .offset = STEP(plane), .min = 0,                    \
        .max = MRC_EP_PORTS_MAX - 1, .required = true                                              \
    }

static const struct mrct_load_field port_fields[] = {
    WHO_AND_WHEN,
    PLANE,
    {.key = "state", .type = MRCT_LOAD_CUSTOM, .custom = load_up, .required = true},
    {.key = NULL},
};

static const struct mrct_load_word ev_state_words[] = {
    {"good", MRC_EV_GOOD}, {"denied", MRC_EV_DENIED}, {NULL, 0}};

#define EV                                                                                         \
    {                                                                                              \
        .key = "ev", .type = MRCT_LOAD_U32, .offset = STEP(ev), .min = 0,                          \
        .max = MRCT_CASE_EVS_MAX - 1, .required = true                                             \
    }

static const struct mrct_load_field ev_replace_fields[] = {
    WHO_AND_WHEN,
    PLANE,
    EV,
    {.key = NULL},
};

static const struct mrct_load_field ev_state_fields[] = {
    WHO_AND_WHEN,
    PLANE,
    EV,
    {.key = "state",
     .type = MRCT_LOAD_WORD,
     .offset = STEP(state),
     .words = ev_state_words,
     .required = true},
    {.key = NULL},
};

static const struct mrct_load_field inject_fields[] = {
    WHO_AND_WHEN,
    {.key = "what",
     .type = MRCT_LOAD_WORD,
     .offset = INJ(kind),
     .words = inject_words,
     .required = true},
    {.key = "psn", .type = MRCT_LOAD_I64, .offset = INJ(psn), .min = -0x7FFFFF, .max = 0x7FFFFF},
    {.key = "id", .type = MRCT_LOAD_U16, .offset = INJ(id), .min = 0, .max = 0xFFFF},
    {.key = "size", .type = MRCT_LOAD_SIZE, .offset = INJ(size), .min = 1, .max = MRC_PAYLOAD_MAX},
    {.key = "port_mask",
     .type = MRCT_LOAD_U32,
     .offset = INJ(port_mask),
     .min = 0,
     .max = UINT32_MAX},
    {.key = "plane",
     .type = MRCT_LOAD_U32,
     .offset = INJ(plane),
     .min = 0,
     .max = MRC_EP_PORTS_MAX - 1},
    {.key = "ev", .type = MRCT_LOAD_U32, .offset = INJ(ev), .min = 0, .max = MRCT_CASE_EVS_MAX - 1},
    {.key = "reason", .type = MRCT_LOAD_U8, .offset = INJ(reason), .min = 0, .max = 255},
    {.key = "opcode", .type = MRCT_LOAD_INT, .offset = INJ(opcode), .min = 0, .max = 255},
    {.key = "tver", .type = MRCT_LOAD_INT, .offset = INJ(tver), .min = 0, .max = 15},
    {.key = "ack_req", .type = MRCT_LOAD_BOOL, .offset = INJ(ack_req)},
    {.key = "bad_icrc", .type = MRCT_LOAD_BOOL, .offset = INJ(bad_icrc)},
    {.key = "cut", .type = MRCT_LOAD_INT, .offset = INJ(cut), .min = 1, .max = 64},
    {.key = NULL},
};

/* What may stand before the colon of a step. */
static const struct step_form {
    const char *name;
    enum mrct_step_kind kind;
    bool has_imm;
    unsigned host; /* who acts unless the step says */
    const struct mrct_load_field *fields;
} forms[] = {
    {"write", MRCT_STEP_WRITE, false, 0, write_fields},
    {"write_imm", MRCT_STEP_WRITE, true, 0, write_imm_fields},
    {"post_recv", MRCT_STEP_RECV, false, 1, recv_fields},
    {"overwrite", MRCT_STEP_OVERWRITE, false, 1, overwrite_fields},
    {"inject", MRCT_STEP_INJECT, false, 0, inject_fields},
    {"set_mpr", MRCT_STEP_SET_MPR, false, 1, set_mpr_fields},
    {"shortage", MRCT_STEP_SHORTAGE, false, 1, shortage_fields},
    {"port", MRCT_STEP_PORT, false, 0, port_fields},
    {"ev_state", MRCT_STEP_EV_STATE, false, 0, ev_state_fields},
    {"ev_replace", MRCT_STEP_EV_REPLACE, false, 0, ev_replace_fields},
};

static int load_step(struct mrct_load *l, yaml_node_t *item, struct mrct_step *s)
{
    yaml_node_t *value = NULL;
    const char *const key = mrct_load_single(l, item, &value);
    for (size_t i = 0; key != NULL && i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(forms[i].name, key) == 0) {
            *s = (struct mrct_step){
                .kind = forms[i].kind,
                .line = mrc_yaml_line(item),
                .host = forms[i].host,
                .qp = 1,
                .count = 1,
                .has_imm = forms[i].has_imm,
                .imm = 1,
                .inject = {.size = 64, .opcode = -1},
            };
            return mrct_load_map(l, value, forms[i].fields, s);
        }
    }
    return mrc_yaml_fail(&l->yaml, item,
                         "traffic: a step was expected: write, write_imm, post_recv, overwrite, "
                         "inject, set_mpr, shortage, port, ev_state or ev_replace, with its keys "
                         "in braces");
}

int mrct_case_traffic(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_case *const c = base;
    c->steps = mrct_load_array(l, node, sizeof *c->steps, "traffic");
    if (c->steps == NULL) {
        return -1;
    }
    const size_t n = mrc_yaml_count(node);
    for (size_t i = 0; i < n; i++) {
        if (load_step(l, mrc_yaml_item(&l->yaml, node, i), &c->steps[i]) != 0) {
            return -1;
        }
        c->step_count++;
    }
    return 0;
}
