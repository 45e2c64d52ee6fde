/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DCQCN's rate at a sender (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
 * SIGCOMM 2015): cut by a CNP, raised by a timer alone. Rates are bits a second.
 */
#ifndef MRCT_SIM_DCQCN_H
#define MRCT_SIM_DCQCN_H

#include <stdint.h>

#define DCQCN_CNP_NS UINT64_C(50000) /* a receiver sends one CNP in so long, a QP */

struct dcqcn {
    double line, current, target, alpha;
    uint64_t alpha_ns, raise_ns; /* when alpha falls, and the rate rises, next */
    uint32_t raises;             /* since the last cut */
};

void dcqcn_init(struct dcqcn *d, double line_bps);
/* Time goes on; to be called before the rate is looked at. */
void dcqcn_advance(struct dcqcn *d, uint64_t now_ns);
void dcqcn_cnp(struct dcqcn *d, uint64_t now_ns);

#endif
