/* SPDX-License-Identifier: BSD-2-Clause */
/* A case's YAML from the top: what it is about, and its parts in order. */
#include "harness/cases/case_parts.h"

#include "gen/mrc_req.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const mrct_capabilities[] = {
    "ipv4",      "vlan",   "tseth", "trimming",   "trim_nack",    "dynamic_mpr", "svc_time",
    "write_imm", "planes", "srv6",  "ev_control", "port_control", NULL};

const struct mrct_load_word mrct_words_host[] = {{"host1", 0}, {"host2", 1}, {NULL, 0}};

static const struct mrct_load_word device_words[] = {{"requestor", MRCT_DEVICE_REQUESTOR},
                                                     {"responder", MRCT_DEVICE_RESPONDER},
                                                     {"both", MRCT_DEVICE_BOTH},
                                                     {NULL, 0}};

const char *mrct_case_device_str(enum mrct_case_device d)
{
    return device_words[d].name;
}

int mrct_case_fail_line(struct mrct_load *l, int line, const char *fmt, ...)
{
    char words[300];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    (void)snprintf(l->yaml.err, sizeof l->yaml.err, "%s:%d: %s", l->yaml.path, line, words);
    return -1;
}

static int load_requirements(struct mrct_load *l, yaml_node_t *node, void *base)
{
    struct mrct_case *const c = base;
    c->requirements = mrct_load_array(l, node, sizeof *c->requirements, "requirements");
    if (c->requirements == NULL) {
        return -1;
    }
    const size_t n = mrc_yaml_count(node);
    if (n == 0) {
        return mrc_yaml_fail(&l->yaml, node, "requirements: at least one id was expected");
    }
    for (size_t i = 0; i < n; i++) {
        yaml_node_t *const item = mrc_yaml_item(&l->yaml, node, i);
        const char *const id = mrc_yaml_text(item);
        const struct mrc_requirement *const r = id != NULL ? mrc_requirement_find(id) : NULL;
        if (r == NULL) {
            return mrc_yaml_fail(&l->yaml, item, "requirements: '%s' is no known requirement",
                                 id != NULL ? id : "");
        }
        for (size_t k = 0; k < c->requirement_count; k++) {
            if (strcmp(c->requirements[k], id) == 0) {
                return mrc_yaml_fail(&l->yaml, item, "requirements: '%s' stands twice", id);
            }
        }
        c->requirements[c->requirement_count++] = r->id;
    }
    return 0;
}

static int load_capabilities(struct mrct_load *l, yaml_node_t *node, void *base)
{
    static const struct mrct_load_field list = {
        .key = "capabilities",
        .type = MRCT_LOAD_STRINGS,
        .offset = offsetof(struct mrct_case, capabilities),
    };
    struct mrct_case *const c = base;
    if (mrct_load_value(l, node, &list, base) != 0) {
        return -1;
    }
    for (size_t i = 0; i < c->capability_count; i++) {
        const char *const *known = mrct_capabilities;
        while (*known != NULL && strcmp(*known, c->capabilities[i]) != 0) {
            known++;
        }
        if (*known == NULL) {
            return mrc_yaml_fail(&l->yaml, mrc_yaml_item(&l->yaml, node, i),
                                 "capabilities: '%s' is no known capability", c->capabilities[i]);
        }
    }
    return 0;
}

#define CASE(m) offsetof(struct mrct_case, m)

static const struct mrct_load_field case_fields[] = {
    {.key = "id", .type = MRCT_LOAD_STRING, .offset = CASE(id), .required = true},
    {.key = "version", .type = MRCT_LOAD_INT, .offset = CASE(version), .min = 1, .max = 9999},
    {.key = "title", .type = MRCT_LOAD_STRING, .offset = CASE(title), .required = true},
    {.key = "purpose", .type = MRCT_LOAD_STRING, .offset = CASE(purpose), .required = true},
    {.key = "requirements",
     .type = MRCT_LOAD_CUSTOM,
     .custom = load_requirements,
     .required = true},
    {.key = "references", .type = MRCT_LOAD_STRINGS, .offset = CASE(references)},
    {.key = "device",
     .type = MRCT_LOAD_WORD,
     .offset = CASE(device),
     .words = device_words,
     .required = true},
    {.key = "capabilities", .type = MRCT_LOAD_CUSTOM, .custom = load_capabilities},
    {.key = "topology", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_topology},
    {.key = "options", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_options},
    {.key = "random", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_random},
    {.key = "traffic", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_traffic},
    {.key = "preamble", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_preamble},
    {.key = "postamble", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_postamble},
    {.key = "repeat", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_repeat},
    {.key = "script", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_script},
    {.key = "faults", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_faults},
    {.key = "links", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_links},
    {.key = "expect", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_expect},
    {.key = "positive", .type = MRCT_LOAD_STRING, .offset = CASE(positive)},
    {.key = "possible_problems", .type = MRCT_LOAD_STRINGS, .offset = CASE(possible_problems)},
    {.key = "exact_time", .type = MRCT_LOAD_BOOL, .offset = CASE(exact_time)},
    {.key = "limit",
     .type = MRCT_LOAD_DURATION,
     .offset = CASE(limit_ns),
     .min = 1,
     .max = (int64_t)MRCT_CASE_LIMIT_NS},
    {.key = NULL},
};

static int check_id(struct mrct_load *l, struct mrct_case *c, const char *id)
{
    if (id != NULL && strcmp(c->id, id) != 0) {
        const yaml_node_t *const node = mrc_yaml_get(&l->yaml, mrc_yaml_root(&l->yaml), "id");
        return mrc_yaml_fail(&l->yaml, node,
                             "id: '%s' was expected, after the file's place, not '%s'", id, c->id);
    }
    const char *const slash = strchr(c->id, '/');
    c->section = mrct_pool_strdup(&c->pool, c->id);
    if (c->section == NULL) {
        return mrc_yaml_fail(&l->yaml, NULL, "out of memory");
    }
    if (slash != NULL) {
        c->section[slash - c->id] = '\0';
    }
    return 0;
}

static int load_file(struct mrct_load *l, struct mrct_case *c, const char *id)
{
    yaml_node_t *const root = mrct_load_open(l, c->file);
    if (root != NULL && mrc_yaml_get(&l->yaml, root, "script") != NULL) {
        mrct_case_script_defaults(c);
    }
    if (root == NULL || mrct_load_map(l, root, case_fields, c) != 0 || check_id(l, c, id) != 0) {
        return -1;
    }
    if ((c->steps != NULL) == (c->script != NULL)) {
        return mrc_yaml_fail(&l->yaml, root, "either 'traffic' or 'script' was expected");
    }
    if (mrct_case_join_phases(l, c) != 0) {
        return -1;
    }
    if (c->script != NULL && mrct_case_script_finish(l, c) != 0) {
        return -1;
    }
    return mrct_case_verify(l, c);
}

int mrct_case_load(struct mrct_case *c, const char *path, const char *id, char *err, size_t err_cap)
{
    return mrct_case_parse(c, path, NULL, id, err, err_cap);
}

int mrct_case_parse(struct mrct_case *c, const char *path, const char *text, const char *id,
                    char *err, size_t err_cap)
{
    mrct_case_init(c);
    c->file = mrct_pool_strdup(&c->pool, path);
    if (c->file == NULL) {
        (void)snprintf(err, err_cap, "%s: out of memory", path);
        return -1;
    }
    struct mrct_case_load state = {.c = c};
    struct mrct_load l = {.pool = &c->pool, .user = &state, .text = text};
    const int rc = load_file(&l, c, id);
    if (rc != 0) {
        (void)snprintf(err, err_cap, "%s", l.yaml.err);
        mrct_case_fini(c);
    }
    mrc_yaml_fini(&l.yaml);
    return rc;
}
