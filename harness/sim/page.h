/* SPDX-License-Identifier: BSD-2-Clause */
/* Results for people and for spreadsheets. Errors stay with the streams. */
#ifndef MRCT_SIM_PAGE_H
#define MRCT_SIM_PAGE_H

#include "harness/sim/sim.h"

#include <stdio.h>

/* One page with plots, of results as mrct_sim_json() and mrct_sim_expect() made them; it needs
 * nothing from a network. */
void mrct_sim_html(const json_t *results, FILE *out);
/* A row a sample: goodput of each work, queues, marks, trims, drops. */
void mrct_sim_csv_samples(const json_t *results, FILE *out);
/* A row a link and interval in which its data queue held something. */
void mrct_sim_csv_queues(const json_t *results, FILE *out);
/* A row a link, a flow, an EV of a watched host's flows. */
void mrct_sim_csv_links(const struct mrct_sim *sim, FILE *out);
void mrct_sim_csv_flows(const struct mrct_sim *sim, FILE *out);
void mrct_sim_csv_evs(const struct mrct_sim *sim, FILE *out);

#endif
