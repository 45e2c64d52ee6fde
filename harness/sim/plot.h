/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MRCT_SIM_PLOT_H
#define MRCT_SIM_PLOT_H

#include <jansson.h>
#include <stdio.h>

/* Plots of the samples as SVG within a page: goodput, queues, and what befell packets. */
void sim_plots(const json_t *results, FILE *out);

#endif
