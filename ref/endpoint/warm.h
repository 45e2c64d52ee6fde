/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory asked for ahead of its use. With thousands of QPs none of a QP's memory is in a cache when
 * its turn comes, and waiting for one line after another costs more than the work. Hints only: they
 * change nothing but time.
 */
#ifndef MRC_ENDPOINT_WARM_H
#define MRC_ENDPOINT_WARM_H

#include "ref/endpoint/mrc_ep.h"

struct mrc_qp;

/* A packet of this QP was sent: asks for what the next ones of its ready ring will touch. */
void mrc_warm_next(const struct mrc_qp *qp);
/* A packet to a QP came: asks for what the responder, or the requestor, will touch. */
void mrc_warm_request(const struct mrc_qp *qp);
void mrc_warm_answer(const struct mrc_qp *qp);

#endif
