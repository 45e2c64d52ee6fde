/* SPDX-License-Identifier: BSD-2-Clause */
/* What a case expects beyond the checks. */
#include "harness/cases/case_parts.h"
#include "harness/cases/units.h"

#include <limits.h>
#include <string.h>

#define EXP(m) offsetof(struct mrct_case_expect, m)

const struct mrct_load_word mrct_words_status[] = {
    {"success", MRC_WC_SUCCESS},
    {"retry_exceeded", MRC_WC_RETRY_EXCEEDED},
    {"remote_access", MRC_WC_REMOTE_ACCESS},
    {"remote_invalid", MRC_WC_REMOTE_INVALID},
    {"remote_op", MRC_WC_REMOTE_OP},
    {"flushed", MRC_WC_FLUSHED},
    {"rq_empty", MRC_WC_LOCAL_RQ_EMPTY},
    {"local_access", MRC_WC_LOCAL_ACCESS},
    {"wimm_limit", MRC_WC_LOCAL_WIMM_LIMIT},
    {"unexpected_event", MRC_WC_LOCAL_UNEXP_EVENT},
    {NULL, 0},
};

static const struct mrct_load_word writes_words[] = {
    {"success", 1}, /* all of them, with success */
    {"done", 2},    /* all of them, one way or another */
    {"any", 3},     /* they need not complete */
    {NULL, 0},
};

/* "writes: success", or a map of statuses with how many of each: {success: 3, flushed: 0..} */
static int load_writes(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_case_expect *const e = base;
    if (node->type != YAML_MAPPING_NODE) {
        const int v = mrct_load_word(l, node, "writes", writes_words);
        e->all_success = v == 1;
        e->all_done = v != 3;
        for (size_t i = 0; i < MRCT_WC_STATUSES; i++) {
            e->done_max[i] = UINT64_MAX;
        }
        return v < 0 ? -1 : 0;
    }
    e->all_success = false;
    yaml_node_t *key = NULL;
    yaml_node_t *value = NULL;
    for (size_t i = 0; mrc_yaml_pair(&l->yaml, node, i, &key, &value); i++) {
        const int status = mrct_load_word(l, key, "writes", mrct_words_status);
        static const struct mrct_load_field count = {
            .key = "writes", .type = MRCT_LOAD_RANGE, .offset = 0, .min = 0, .max = 1000000};
        int64_t ends[2] = {0, 0};
        if (status < 0 || mrct_load_value(l, value, &count, ends) != 0) {
            return -1;
        }
        e->done_min[status] = (uint64_t)ends[0];
        e->done_max[status] = (uint64_t)ends[1];
    }
    return 0;
}

static const struct mrct_load_field qp_error_fields[] = {
    {.key = "host1", .type = MRCT_LOAD_WORD, .offset = 0, .words = mrct_words_status},
    {.key = "host2", .type = MRCT_LOAD_WORD, .offset = sizeof(int), .words = mrct_words_status},
    {.key = NULL},
};

static int load_qp_error(struct mrct_load *l, yaml_node_t *node, void *base)
{
    return mrct_load_map(l, node, qp_error_fields, ((struct mrct_case_expect *)base)->qp_error);
}

#define FRM(m) offsetof(struct mrct_expect_frames, m)

static int load_frame_host(struct mrct_load *l, yaml_node_t *node, void *base)
{
    const int v = mrct_load_word(l, node, "from", mrct_words_host);
    ((struct mrct_expect_frames *)base)->host = v == 1;
    return v < 0 ? -1 : 0;
}

static int load_frame_count(struct mrct_load *l, yaml_node_t *node, void *base)
{
    static const struct mrct_load_field count = {
        .key = "count", .type = MRCT_LOAD_RANGE, .offset = 0, .min = 0, .max = 1000000};
    int64_t ends[2] = {0, 0};
    if (mrct_load_value(l, node, &count, ends) != 0) {
        return -1;
    }
    struct mrct_expect_frames *const f = base;
    f->min = (uint64_t)ends[0];
    f->max = (uint64_t)ends[1];
    return 0;
}

static const struct mrct_load_field frame_fields[] = {
    {.key = "from", .type = MRCT_LOAD_CUSTOM, .custom = load_frame_host, .required = true},
    {.key = "opcode",
     .type = MRCT_LOAD_WORD,
     .offset = FRM(opcode),
     .words = mrct_words_opcode,
     .required = true},
    {.key = "retransmission", .type = MRCT_LOAD_TRISTATE, .offset = FRM(retransmission)},
    {.key = "count", .type = MRCT_LOAD_CUSTOM, .custom = load_frame_count, .required = true},
    {.key = NULL},
};

static int load_frames(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_case_expect *const e = base;
    e->frames = mrct_load_array(l, node, sizeof *e->frames, "frames");
    if (e->frames == NULL) {
        return -1;
    }
    const size_t n = mrc_yaml_count(node);
    for (size_t i = 0; i < n; i++) {
        yaml_node_t *const item = mrc_yaml_item(&l->yaml, node, i);
        e->frames[i] =
            (struct mrct_expect_frames){.retransmission = -1, .line = mrc_yaml_line(item)};
        if (mrct_load_map(l, item, frame_fields, &e->frames[i]) != 0) {
            return -1;
        }
        e->frame_count++;
    }
    return 0;
}

/* "time: 10us..200us", either end may be left out. */
static int load_time(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_case_expect *const e = base;
    const char *const text = mrc_yaml_text(node);
    const char *const dots = text != NULL ? strstr(text, "..") : NULL;
    char first[40];
    e->has_pace = true;
    e->time_max_ns = UINT64_MAX;
    if (dots != NULL && (size_t)(dots - text) < sizeof first) {
        memcpy(first, text, (size_t)(dots - text));
        first[dots - text] = '\0';
        if ((first[0] == '\0' || mrct_units_duration(first, &e->time_min_ns) == 0) &&
            (dots[2] == '\0' || mrct_units_duration(dots + 2, &e->time_max_ns) == 0) &&
            e->time_min_ns <= e->time_max_ns) {
            return 0;
        }
    }
    return mrc_yaml_fail(&l->yaml, node, "time: a range like 10us..200us was expected");
}

static int load_goodput(struct mrct_load *l, yaml_node_t *node, void *base)
{
    static const struct mrct_load_field rate = {
        .key = "goodput", .type = MRCT_LOAD_RATE, .min = 1000000, .max = INT64_C(1600000000000)};
    struct mrct_case_expect *const e = base;
    e->time_max_ns = e->has_pace ? e->time_max_ns : UINT64_MAX;
    e->has_pace = true;
    return mrct_load_value(l, node, &rate, &e->goodput_bps);
}

static const struct mrct_load_field expect_fields[] = {
    {.key = "time", .type = MRCT_LOAD_CUSTOM, .custom = load_time},
    {.key = "goodput", .type = MRCT_LOAD_CUSTOM, .custom = load_goodput},
    {.key = "margin", .type = MRCT_LOAD_DURATION, .offset = EXP(margin_ns)},
    {.key = "writes", .type = MRCT_LOAD_CUSTOM, .custom = load_writes},
    {.key = "qp_error", .type = MRCT_LOAD_CUSTOM, .custom = load_qp_error},
    {.key = "immediates",
     .type = MRCT_LOAD_RANGE,
     .offset = EXP(imm_min),
     .min = 0,
     .max = 1000000},
    {.key = "memory", .type = MRCT_LOAD_BOOL, .offset = EXP(memory)},
    {.key = "frames", .type = MRCT_LOAD_CUSTOM, .custom = load_frames},
    {.key = NULL},
};

int mrct_case_expect(struct mrct_load *l, yaml_node_t *node, void *base)
{
    return mrct_load_map(l, node, expect_fields, &((struct mrct_case *)base)->expect);
}
