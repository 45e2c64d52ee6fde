/* SPDX-License-Identifier: BSD-2-Clause */
/* What a scene expects of its results. */
#ifndef MRCT_SIM_EXPECT_H
#define MRCT_SIM_EXPECT_H

#include "harness/sim/scene.h"

#include <jansson.h>

/*
 * Judges results by a scene's expectations and adds them as "expect": what, value, min, max and
 * passed of each. A value that is not there has not passed. Returns how many did not.
 */
size_t mrct_sim_expect(const struct mrct_scene *s, json_t *results);
/* A number by its path: keys, or indices of lists, with / between; false: there is none. */
bool mrct_sim_value(const json_t *results, const char *path, double *out);

/* Adds to the results what papers report of the scene (scene.h). */
void mrct_sim_reported(const struct mrct_scene *s, json_t *results);

#endif
