/* SPDX-License-Identifier: BSD-2-Clause */
/* Section 8, the little of congestion control that frames can show. */
#include "harness/oracle/reqr.h"
#include <inttypes.h>

/* The window falls to a packet within a round trip or two; those at work need not be exact. */
#define ROUNDS_TO_FALL 3u
#define PACKETS_LEFT   8u
#define HEADERS_MAX    128u
#define MTU_MAX        4096u

static uint64_t bytes_left(const struct look *l)
{
    const int mtu = l->facts->path_mtu;
    return (uint64_t)PACKETS_LEFT * ((mtu != MRCT_UNKNOWN ? (uint32_t)mtu : MTU_MAX) + HEADERS_MAX);
}

/* REQ-8-04: a window of one packet lets one packet go a round trip. */
static void penalty_obeyed(struct look *l)
{
    const struct reqr_model *const m = l->flow->reqr;
    if (m == NULL || m->now.class != REQR_FIRST || !m->pen.running ||
        m->pen.rounds < ROUNDS_TO_FALL || !mrct_look_can_decide(l))
        return;
    const uint64_t bytes = m->pen.bytes + l->obs->pkt.nominal_len;
    if (bytes <= bytes_left(l))
        mrct_look_pass(l);
    else if (!mrct_reqr_unsure(l))
        mrct_look_fail(l,
                       "%" PRIu64 " bytes of new requests in one round trip, although all SACKs of "
                       "the %u before it had a penalty of 127",
                       bytes, m->pen.rounds);
}

static const struct check rows[] = {
    CHECK_ROW("penalty-obeyed", "REQ-8-04", SCOPE_FLOW, WANT(KIND_REQUEST), 0,
              .on_frame = penalty_obeyed),
};
const struct check_table mrct_checks_sec_08_penalty = CHECK_TABLE(rows);
