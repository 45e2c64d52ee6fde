/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps that change what a device has: its window, its resources. */
#include "harness/cases/run_priv.h"

/* A device that cannot be asked for it is the harness's fault. */
void mrct_run_change(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns)
{
    struct mrct_dut *const d = r->node[s->host].dut;
    const uint32_t qpn = r->node[s->host].qp[s->qp - 1].qpn;
    const enum mrc_nack_reason reason = (enum mrc_nack_reason)s->reason;
    int rc = MRC_EP_ESTATE;
    if (s->kind == MRCT_STEP_SET_MPR && d->ops->set_mpr != NULL) {
        rc = d->ops->set_mpr(d, qpn, now_ns, s->mpr);
    } else if (s->kind == MRCT_STEP_SHORTAGE && (s->rate_ppm > 0 || s->count == 0) &&
               d->ops->shortage != NULL) {
        rc = d->ops->shortage(d, reason, s->rate_ppm);
    } else if (s->kind == MRCT_STEP_SHORTAGE && d->ops->force_nack != NULL) {
        rc = d->ops->force_nack(d, qpn, reason, s->count);
    }
    if (rc == MRC_EP_ESTATE && r->tally.qp_error[s->host] >= 0) {
        return; /* a QP in ERROR has no window any more */
    }
    if (rc != 0) {
        (void)mrct_run_fault(r, "host%u cannot do what line %d asks for: %s", s->host + 1, s->line,
                             mrc_ep_strerror(rc));
    }
}
