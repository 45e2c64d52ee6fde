/* SPDX-License-Identifier: BSD-2-Clause */
/* Round-trip times from reflected timestamps: 16 bits of 128 ns. */
#include "ref/endpoint/ep_int.h"

#define UNIT_NS UINT64_C(128)
#define WRAP_NS (UNIT_NS << 16)

bool mrc_rtt_unambiguous(const struct mrc_tx_slot *t, bool rtx)
{
    return rtx ? t->tries == 1 : t->tries == 0;
}

bool mrc_rtt_sample(const struct mrc_ep *ep, const struct mrc_tx_slot *t, uint64_t seq, bool rtx,
                    uint16_t timestamp, uint64_t *rtt_ns)
{
    /* While a packet is LOST its time of sending is not known any more. */
    if (!t || !mrc_req_stamped(ep, seq) || !mrc_rtt_unambiguous(t, rtx) ||
        (t->flags & MRC_SLOT_LOST))
        return false;
    const uint64_t elapsed_ns = ep->now_ns - t->sent_ns;
    const uint16_t units = (uint16_t)(mrc_timestamp(ep->now_ns) - timestamp);
    const uint64_t sample_ns = (units > 0 ? units : 1) * UNIT_NS;
    if (elapsed_ns >= WRAP_NS || sample_ns > elapsed_ns + 2 * UNIT_NS)
        return false;
    *rtt_ns = sample_ns;
    return true;
}
