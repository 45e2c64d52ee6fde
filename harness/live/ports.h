/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports that stay from case to case: what is left in their rings, and what they lost. */
#ifndef MRCT_LIVE_PORTS_H
#define MRCT_LIVE_PORTS_H

#include "ref/net/port.h"

/* Empties the rings: nothing of a case that is over may reach the next one. */
void mrct_ports_sweep(struct mrc_net_port *const *port, unsigned n);

/* Adds what the ports lost themselves since they were opened. */
void mrct_ports_add_losses(struct mrc_net_port *const *port, unsigned n,
                           struct mrc_net_port_counters *sum);
/* What was lost from one such sum to the next, as a sentence in err, which is left alone when that
 * is nothing. */
void mrct_ports_tell_losses(const struct mrc_net_port_counters *was,
                            const struct mrc_net_port_counters *is, char *err, size_t err_cap);

#endif
