/* SPDX-License-Identifier: BSD-2-Clause */
/* Fault rules and the timeline of links. */
#include "harness/cases/case_parts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define RULE(m)  offsetof(struct mrct_case_rule, rule.m)
#define MATCH(m) offsetof(struct mrct_case_rule, rule.match.m)
#define OWN(m)   offsetof(struct mrct_case_rule, m)

const struct mrct_load_word mrct_words_opcode[] = {
    {"write_first", MRC_OP_WRITE_FIRST},
    {"write_middle", MRC_OP_WRITE_MIDDLE},
    {"write_last", MRC_OP_WRITE_LAST},
    {"write_last_imm", MRC_OP_WRITE_LAST_IMM},
    {"write_only", MRC_OP_WRITE_ONLY},
    {"write_only_imm", MRC_OP_WRITE_ONLY_IMM},
    {"ack", MRC_OP_ACK},
    {"ep_request", MRC_OP_EP_REQUEST},
    {"ep_response", MRC_OP_EP_RESPONSE},
    {"sack", MRC_OP_SACK},
    {"nack", MRC_OP_NACK},
    {"probe", MRC_OP_PROBE},
    {NULL, 0},
};

static const struct mrct_load_word direction_words[] = {
    {"requests", 0}, {"responses", 1}, {"host1", 0}, {"host2", 1}, {NULL, 0}};

static int load_opcode(struct mrct_load *l, yaml_node_t *node, void *base)
{
    const int v = mrct_load_word(l, node, "opcode", mrct_words_opcode);
    ((struct mrct_case_rule *)base)->rule.match.opcode = v;
    return v < 0 ? -1 : 0;
}

static int load_name(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_fault_rule *const r = &((struct mrct_case_rule *)base)->rule;
    const char *const text = mrc_yaml_text(node);
    if (text == NULL || text[0] == '\0' || strlen(text) >= sizeof r->name) {
        return mrc_yaml_fail(&l->yaml, node, "name: a text of 1 to %zu letters was expected",
                             sizeof r->name - 1);
    }
    (void)snprintf(r->name, sizeof r->name, "%s", text);
    return 0;
}

static int load_field(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_fault_rule *const r = &((struct mrct_case_rule *)base)->rule;
    const char *const text = mrc_yaml_text(node);
    for (size_t i = 0; text != NULL && i < mrc_field_count; i++) {
        if (strcmp(mrc_fields[i].name, text) == 0 && strlen(text) < sizeof r->field) {
            (void)snprintf(r->field, sizeof r->field, "%s", text);
            return 0;
        }
    }
    return mrc_yaml_fail(&l->yaml, node,
                         "field: '%s' is no field of a header; one like bth.psn was expected",
                         text != NULL ? text : "");
}

static int load_mask(struct mrct_load *l, yaml_node_t *node, void *base)
{
    static const struct mrct_load_field mask = {
        .key = "mask", .type = MRCT_LOAD_I64, .offset = 0, .min = 1, .max = INT64_MAX};
    int64_t v = 0;
    if (mrct_load_value(l, node, &mask, &v) != 0) {
        return -1;
    }
    ((struct mrct_case_rule *)base)->rule.value = (uint64_t)v;
    return 0;
}

static int load_hits(struct mrct_load *l, yaml_node_t *node, void *base)
{
    static const struct mrct_load_field hits = {
        .key = "hits", .type = MRCT_LOAD_I64, .offset = 0, .min = 0, .max = 1000000};
    int64_t v = 0;
    if (mrct_load_value(l, node, &hits, &v) != 0) {
        return -1;
    }
    ((struct mrct_case_rule *)base)->hits_min = (uint64_t)v;
    return 0;
}

static int load_last_hop(struct mrct_load *l, yaml_node_t *node, void *base)
{
    static const struct mrct_load_field last_hop = {
        .key = "last_hop", .type = MRCT_LOAD_BOOL, .offset = 0};
    bool v = false;
    if (mrct_load_value(l, node, &last_hop, &v) != 0) {
        return -1;
    }
    ((struct mrct_case_rule *)base)->rule.arg = v;
    return 0;
}

/* Which packets a rule hits: the same keys for every act. */
#define MATCH_FIELDS                                                                               \
    {.key = "name", .type = MRCT_LOAD_CUSTOM, .custom = load_name},                                \
        {.key = "direction",                                                                       \
         .type = MRCT_LOAD_WORD,                                                                   \
         .offset = MATCH(direction),                                                               \
         .words = direction_words},                                                                \
        {.key = "plane",                                                                           \
         .type = MRCT_LOAD_INT,                                                                    \
         .offset = MATCH(plane),                                                                   \
         .min = 0,                                                                                 \
         .max = MRC_EP_PORTS_MAX - 1},                                                             \
        {.key = "path", .type = MRCT_LOAD_INT, .offset = MATCH(path), .min = 0, .max = 1023},      \
        {.key = "ev",                                                                              \
         .type = MRCT_LOAD_INT,                                                                    \
         .offset = OWN(ev_index),                                                                  \
         .min = 0,                                                                                 \
         .max = MRCT_CASE_EVS_MAX - 1},                                                            \
        {.key = "qp",                                                                              \
         .type = MRCT_LOAD_INT,                                                                    \
         .offset = OWN(qp),                                                                        \
         .min = 1,                                                                                 \
         .max = MRCT_CASE_QPS_MAX},                                                                \
        {.key = "ev_value",                                                                        \
         .type = MRCT_LOAD_I64,                                                                    \
         .offset = MATCH(ev),                                                                      \
         .min = 0,                                                                                 \
         .max = UINT32_MAX},                                                                       \
        {.key = "dest_qp",                                                                         \
         .type = MRCT_LOAD_I64,                                                                    \
         .offset = MATCH(dest_qp),                                                                 \
         .min = 0,                                                                                 \
         .max = 0xFFFFFF},                                                                         \
        {.key = "opcode", .type = MRCT_LOAD_CUSTOM, .custom = load_opcode},                        \
        {.key = "psn",                                                                             \
         .type = MRCT_LOAD_RANGE,                                                                  \
         .offset = MATCH(psn_first),                                                               \
         .min = -0x7FFFFF,                                                                         \
         .max = 0x7FFFFF},                                                                         \
        {.key = "retransmission", .type = MRCT_LOAD_TRISTATE, .offset = MATCH(retransmission)},    \
        {.key = "nth",                                                                             \
         .type = MRCT_LOAD_RANGE_INT,                                                              \
         .offset = MATCH(nth_first),                                                               \
         .min = 1,                                                                                 \
         .max = 1000000},                                                                          \
    {                                                                                              \
        .key = "hits", .type = MRCT_LOAD_CUSTOM, .custom = load_hits                               \
    }

static const struct mrct_load_field plain_fields[] = {MATCH_FIELDS, {.key = NULL}};

static const struct mrct_load_field duplicate_fields[] = {
    MATCH_FIELDS,
    {.key = "copies", .type = MRCT_LOAD_I64, .offset = RULE(arg), .min = 1, .max = 16},
    {.key = "delay", .type = MRCT_LOAD_DURATION, .offset = RULE(arg_ns)},
    {.key = NULL},
};

static const struct mrct_load_field delay_fields[] = {
    MATCH_FIELDS,
    {.key = "by", .type = MRCT_LOAD_DURATION, .offset = RULE(arg_ns), .required = true},
    {.key = NULL},
};

static const struct mrct_load_field reorder_fields[] = {
    MATCH_FIELDS,
    {.key = "past",
     .type = MRCT_LOAD_I64,
     .offset = RULE(arg),
     .min = 1,
     .max = 100000,
     .required = true},
    {.key = NULL},
};

static const struct mrct_load_field corrupt_fields[] = {
    MATCH_FIELDS,
    {.key = "field", .type = MRCT_LOAD_CUSTOM, .custom = load_field},
    {.key = "mask", .type = MRCT_LOAD_CUSTOM, .custom = load_mask},
    {.key = "bit", .type = MRCT_LOAD_U32, .offset = RULE(bit), .min = 0, .max = 65535},
    {.key = "mend", .type = MRCT_LOAD_BOOL, .offset = RULE(mend_icrc)},
    {.key = NULL},
};

static const struct mrct_load_field trim_fields[] = {
    MATCH_FIELDS,
    {.key = "last_hop", .type = MRCT_LOAD_CUSTOM, .custom = load_last_hop},
    {.key = NULL},
};

static const struct mrct_load_field dscp_fields[] = {
    MATCH_FIELDS,
    {.key = "to",
     .type = MRCT_LOAD_I64,
     .offset = RULE(arg),
     .min = 0,
     .max = 63,
     .required = true},
    {.key = NULL},
};

/* What may stand before the colon of a fault. */
static const struct rule_form {
    const char *name;
    enum mrct_fault_act act;
    const struct mrct_load_field *fields;
    int64_t arg; /* unless the rule says */
} forms[] = {
    {"drop", MRCT_ACT_DROP, plain_fields, 0},
    {"duplicate", MRCT_ACT_DUPLICATE, duplicate_fields, 1},
    {"delay", MRCT_ACT_DELAY, delay_fields, 0},
    {"reorder", MRCT_ACT_REORDER, reorder_fields, 1},
    {"corrupt", MRCT_ACT_CORRUPT, corrupt_fields, 0},
    {"mark_ce", MRCT_ACT_MARK_CE, plain_fields, 0},
    {"trim", MRCT_ACT_TRIM, trim_fields, 0},
    {"dscp", MRCT_ACT_DSCP, dscp_fields, 0},
};

static void rule_init(struct mrct_case_rule *r, const struct rule_form *form, int line)
{
    mrct_fault_rule_init(&r->rule);
    r->rule.act = form->act;
    r->rule.arg = form->arg;
    (void)snprintf(r->rule.name, sizeof r->rule.name, "%s, line %d", form->name, line);
    r->ev_index = -1;
    r->qp = -1;
    r->hits_min = 1;
    r->line = line;
}

static int load_rule(struct mrct_load *l, yaml_node_t *item, struct mrct_case_rule *r)
{
    yaml_node_t *value = NULL;
    const char *const key = mrct_load_single(l, item, &value);
    for (size_t i = 0; key != NULL && i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(forms[i].name, key) != 0) {
            continue;
        }
        rule_init(r, &forms[i], mrc_yaml_line(item));
        if (mrct_load_map(l, value, forms[i].fields, r) != 0) {
            return -1;
        }
        if (r->rule.act == MRCT_ACT_CORRUPT && r->rule.field[0] != '\0' && r->rule.value == 0) {
            return mrc_yaml_fail(&l->yaml, item, "corrupt: a field needs a mask other than 0");
        }
        return 0;
    }
    return mrc_yaml_fail(&l->yaml, item,
                         "faults: a rule was expected: drop, duplicate, delay, reorder, corrupt, "
                         "mark_ce, trim or dscp, with its keys in braces");
}

int mrct_case_faults(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_case *const c = base;
    c->rules = mrct_load_array(l, node, sizeof *c->rules, "faults");
    if (c->rules == NULL) {
        return -1;
    }
    const size_t n = mrc_yaml_count(node);
    for (size_t i = 0; i < n; i++) {
        if (load_rule(l, mrc_yaml_item(&l->yaml, node, i), &c->rules[i]) != 0) {
            return -1;
        }
        c->rule_count++;
    }
    return 0;
}

#define LINK(m) offsetof(struct mrct_case_link, m)

static const struct mrct_load_word link_host_words[] = {
    {"host1", 0}, {"host2", 1}, {"both", -1}, {NULL, 0}};
static const struct mrct_load_word link_state_words[] = {{"down", 0}, {"up", 1}, {NULL, 0}};

static int load_state(struct mrct_load *l, yaml_node_t *node, void *base)
{
    const int v = mrct_load_word(l, node, "state", link_state_words);
    ((struct mrct_case_link *)base)->up = v == 1;
    return v < 0 ? -1 : 0;
}

static const struct mrct_load_field link_fields[] = {
    {.key = "at", .type = MRCT_LOAD_DURATION, .offset = LINK(at_ns), .required = true},
    {.key = "host", .type = MRCT_LOAD_WORD, .offset = LINK(host), .words = link_host_words},
    {.key = "plane",
     .type = MRCT_LOAD_U32,
     .offset = LINK(plane),
     .min = 0,
     .max = MRC_EP_PORTS_MAX - 1},
    {.key = "path", .type = MRCT_LOAD_INT, .offset = LINK(path), .min = 0, .max = 1023},
    {.key = "state", .type = MRCT_LOAD_CUSTOM, .custom = load_state, .required = true},
    {.key = NULL},
};

int mrct_case_links(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_case *const c = base;
    c->links = mrct_load_array(l, node, sizeof *c->links, "links");
    if (c->links == NULL) {
        return -1;
    }
    const size_t n = mrc_yaml_count(node);
    for (size_t i = 0; i < n; i++) {
        c->links[i] = (struct mrct_case_link){.host = -1, .path = -1};
        if (mrct_load_map(l, mrc_yaml_item(&l->yaml, node, i), link_fields, &c->links[i]) != 0) {
            return -1;
        }
        c->link_count++;
    }
    return 0;
}
