/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/fabric_file.h"

#include "harness/cases/case_parts.h"
#include <stdio.h>

static const struct mrct_load_field file_fields[] = {
    {.key = "topology", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_topology},
    {.key = "random", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_random},
    {.key = "faults", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_faults},
    {.key = "links", .type = MRCT_LOAD_CUSTOM, .custom = mrct_case_links},
    {.key = NULL},
};

static int verify(struct mrct_load *l, struct mrct_case *c, unsigned planes)
{
    for (size_t i = 0; i < c->rule_count; i++) {
        if (c->rules[i].ev_index >= 0 || c->rules[i].qp >= 0) {
            return mrct_case_fail_line(l, c->rules[i].line,
                                       "%s counts what a case has: between interfaces dest_qp and "
                                       "ev_value were expected",
                                       c->rules[i].qp >= 0 ? "qp" : "ev");
        }
    }
    c->fabric.planes = planes;
    return mrct_case_verify(l, c);
}

static int load_file(struct mrct_load *l, struct mrct_case *c, const char *path, unsigned planes)
{
    yaml_node_t *const root = mrct_load_open(l, path);
    if (root == NULL || mrct_load_map(l, root, file_fields, c) != 0) {
        return -1;
    }
    return verify(l, c, planes);
}

int mrct_fabric_file_load(struct mrct_case *c, const char *path, unsigned planes, char *err,
                          size_t err_cap)
{
    mrct_case_init(c);
    c->fabric.planes = planes;
    c->fabric.paths = 1;
    c->fabric.rate_bps = 0;
    c->fabric.latency_ns = 0;
    c->fabric.latency_step_ns = 0;
    if (path == NULL) {
        return 0;
    }
    struct mrct_case_load state = {.c = c};
    struct mrct_load l = {.pool = &c->pool, .user = &state};
    const int rc = load_file(&l, c, path, planes);
    if (rc != 0) {
        (void)snprintf(err, err_cap, "%s", l.yaml.err);
        mrct_case_fini(c);
    }
    mrc_yaml_fini(&l.yaml);
    return rc;
}

int mrct_fabric_file_apply(const struct mrct_case *c, struct mrct_fab *fab, char *err,
                           size_t err_cap)
{
    for (size_t i = 0; i < c->rule_count; i++) {
        if (mrct_fab_add_rule(fab, &c->rules[i].rule) < 0) {
            (void)snprintf(err, err_cap, "the fabric refused the fault '%s'",
                           c->rules[i].rule.name);
            return -1;
        }
    }
    for (size_t i = 0; i < c->link_count; i++) {
        const struct mrct_case_link *const l = &c->links[i];
        if (mrct_fab_link(fab, l->at_ns, l->host, l->plane, l->path, l->up) != 0) {
            (void)snprintf(err, err_cap, "the fabric refused entry %zu of the links", i + 1);
            return -1;
        }
    }
    return 0;
}
