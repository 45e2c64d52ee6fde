/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a scene's YAML, one loader each. base is the scene. All return 0, or -1 with
 * l->yaml.err set. */
#ifndef MRCT_SIM_SCENE_PARTS_H
#define MRCT_SIM_SCENE_PARTS_H

#include "harness/cases/load.h"
#include "harness/sim/scene.h"

int mrct_scene_queues(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_scene_endpoint(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_scene_traffic(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_scene_faults(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_scene_phases(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_scene_reported(struct mrct_load *l, yaml_node_t *node, void *base);
int mrct_scene_expects(struct mrct_load *l, yaml_node_t *node, void *base);
/* Of a key whose value is read when all else is known: nothing yet. */
int mrct_scene_later(struct mrct_load *l, yaml_node_t *node, void *base);
/* `against`: after all else is known. */
int mrct_scene_against(struct mrct_load *l, yaml_node_t *node, struct mrct_scene *s);
/* Whether transport, congestion control, IP and forwarding go together; node: for the line. */
int mrct_scene_verify_endpoint(struct mrct_load *l, const yaml_node_t *node,
                               const struct mrct_scene *s);
/* `topology: {graph: ...}`; base is the topology. */
int mrct_scene_graph(struct mrct_load *l, yaml_node_t *node, void *base);
/* By its name; false: there is none. */
bool mrct_scene_graph_node(const struct mrct_scene_graph *g, const char *name,
                           struct mrct_graph_node *out);
int mrct_scene_verify_faults(struct mrct_load *l, const struct mrct_scene *s);
/* Phases that exist. */
int mrct_scene_verify_reported(struct mrct_load *l, const struct mrct_scene *s);
/* Hosts that exist, once the topology is known. */
int mrct_scene_verify_traffic(struct mrct_load *l, const struct mrct_scene *s);
/* An error about a line when its node is gone. */
int mrct_scene_fail_line(struct mrct_load *l, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A list of whole numbers of min..max, or of ranges "3..5", or one of either. */
int mrct_scene_numbers(struct mrct_load *l, yaml_node_t *node, const char *key, int64_t min,
                       int64_t max, int64_t **out, size_t *count);

#endif
