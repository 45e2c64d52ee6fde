/* SPDX-License-Identifier: BSD-2-Clause */
/* The same scene with other endpoints or queues: what it is compared with. */
#include "harness/sim/scene_parts.h"

static int load_name(struct mrct_load *l, yaml_node_t *n, void *base)
{
    static const struct mrct_load_field field = {.key = "name",
                                                 .type = MRCT_LOAD_STRING,
                                                 .offset =
                                                     offsetof(struct mrct_scene, against_name)};
    return mrct_load_value(l, n, &field, base);
}

static const struct mrct_load_field fields[] = {
    {.key = "name", .type = MRCT_LOAD_CUSTOM, .custom = load_name, .required = true},
    {.key = "endpoint", .type = MRCT_LOAD_CUSTOM, .custom = mrct_scene_endpoint},
    {.key = "queues", .type = MRCT_LOAD_CUSTOM, .custom = mrct_scene_queues},
    {.key = NULL},
};

int mrct_scene_verify_endpoint(struct mrct_load *l, const yaml_node_t *node,
                               const struct mrct_scene *s)
{
    const bool rc = s->endpoint.transport == MRCT_TRANSPORT_RC;
    if (!rc && s->endpoint.cc == MRCT_CC_DCQCN)
        return mrc_yaml_fail(&l->yaml, node, "cc: dcqcn needs the transport rc");
    if (rc && s->endpoint.cc != MRCT_CC_DCQCN && s->endpoint.cc != MRCT_CC_FIXED)
        return mrc_yaml_fail(&l->yaml, node, "transport: rc needs cc: dcqcn or fixed");
    if (rc && s->watch_count > 0)
        return mrc_yaml_fail(&l->yaml, node, "transport: checks watch hosts of mrc, not of rc");
    if (rc && s->forwarding == MRCT_FORWARD_SRV6)
        return mrc_yaml_fail(&l->yaml, node, "transport: rc has no SRv6");
    if (s->forwarding == MRCT_FORWARD_SRV6 && s->endpoint.ip_version != 6)
        return mrc_yaml_fail(&l->yaml, node, "ip: forwarding by srv6 needs IPv6");
    if (s->forwarding == MRCT_FORWARD_STRUCTURED && s->endpoint.ip_version != 6)
        return mrc_yaml_fail(&l->yaml, node, "ip: structured EVs have 32 bits, which needs IPv6");
    return 0;
}

int mrct_scene_against(struct mrct_load *l, yaml_node_t *node, struct mrct_scene *s)
{
    struct mrct_scene *const other = mrct_pool_alloc(l->pool, sizeof *other);
    if (other == NULL)
        return mrc_yaml_fail(&l->yaml, node, "out of memory");
    *other = *s;
    other->watch_count = 0; /* the scene's own hosts are judged */
    other->expect_count = 0;
    if (mrct_load_map(l, node, fields, other) != 0)
        return -1;
    s->against = other;
    s->against_name = other->against_name;
    return mrct_scene_verify_endpoint(l, node, other);
}
