/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cluster in virtual time: hosts that are reference endpoints, switches with queues, links. One
 * seed draws everything; the same scene gives the same results, byte for byte.
 */
#ifndef MRCT_SIM_SIM_H
#define MRCT_SIM_SIM_H

#include "harness/sim/scene.h"

#include <jansson.h>

struct mrct_sim;

/* s outlives the sim. NULL with one sentence in err: what the scene asks is impossible, or
 * takes more memory than there is. */
struct mrct_sim *mrct_sim_new(const struct mrct_scene *s, char *err, size_t err_cap);
void mrct_sim_free(struct mrct_sim *sim); /* NULL is fine */

/* Runs until every flow is done, or the scene's limit. progress(user, now, flows done, flows) is
 * called now and then; NULL: nobody. Returns 0, or -1 with one sentence in err. */
int mrct_sim_run(struct mrct_sim *sim, void (*progress)(void *, uint64_t, size_t, size_t),
                 void *user, char *err, size_t err_cap);

/* What came of it. Every packet is accounted for: sent = delivered + drops + in flight. */
struct mrct_sim_account {
    uint64_t sent, delivered, in_flight;
    uint64_t data_sent, data_delivered; /* requests, with their payload */
    uint64_t payload_bytes;             /* of requests delivered */
    uint64_t marked, trimmed;
    uint64_t dropped_queue, dropped_link, dropped_fault;
    uint64_t dropped_route; /* no entry for its destination, or hop limit */
    uint64_t srv6_spent, srv6_foreign, srv6_segments; /* carriers used up; not this switch's; next
                                                         segments taken (not a drop) */
    uint64_t data_lost;                               /* requests among the drops */
    uint64_t icrc_wrong;
    uint64_t hops; /* links traversed */
};
const struct mrct_sim_account *mrct_sim_account(const struct mrct_sim *sim);
uint64_t mrct_sim_now(const struct mrct_sim *sim);
/* All results as one JSON value; NULL when memory fails. */
json_t *mrct_sim_json(const struct mrct_sim *sim);

#endif
