/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/check_planes.h"

#include "harness/oracle/oracle.h"

#include <string.h>

void mrct_planes_look(struct mrct_planes *s, const struct mrc_pkt *p)
{
    const size_t len = p->is_v6 ? 16 : 4;
    const uint8_t *const src = p->is_v6 ? p->ip6.src : p->ip4.src;
    const uint8_t *const dst = p->is_v6 ? p->ip6.dst : p->ip4.dst;
    bool known = false;
    if (!mrc_op_is_write(p->bth.opcode))
        return;
    for (unsigned i = 0; i < s->count; i++) {
        if (s->seen[i].qpn != p->bth.dest_qp || s->seen[i].is_v6 != p->is_v6)
            continue;
        if (memcmp(s->seen[i].src, src, len) == 0 && memcmp(s->seen[i].dst, dst, len) == 0) {
            known = true;
            s->seen[i].psn = p->bth.psn;
        } else if (memcmp(s->seen[i].src, dst, len) != 0 &&
                   mrct_psn_near(p->bth.psn, s->seen[i].psn)) {
            s->found = true;
        }
    }
    if (known || s->count == MRCT_PLANES_QPS)
        return;
    s->seen[s->count].qpn = p->bth.dest_qp;
    s->seen[s->count].psn = p->bth.psn;
    s->seen[s->count].is_v6 = p->is_v6;
    memcpy(s->seen[s->count].src, src, len);
    memcpy(s->seen[s->count++].dst, dst, len);
}
