/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_SIM_SUITES_H
#define TESTS_SIM_SUITES_H

#include "harness/sim/sim.h"

#include <check.h>

Suite *suite_wheel(void);
Suite *suite_scene(void);
Suite *suite_port(void);
Suite *suite_run(void);
Suite *suite_faults(void);
Suite *suite_results(void);
Suite *suite_rc(void);
Suite *suite_graph(void);
Suite *suite_watch(void);

/* A scene from YAML text; fails the test when it is refused. scene_fini() is due. */
void scene_of(struct mrct_scene *s, const char *yaml);
/* Loads one; what stands behind the path in the error. */
int scene_load(struct mrct_scene *s, const char *yaml, char *err, size_t cap);
/* Runs it to the end and returns its results; fails the test when it cannot. */
json_t *results_of(const char *yaml);
/* A number at a path like "works/incast/jain"; fails the test when there is none. */
double number(json_t *results, const char *path);

#endif
