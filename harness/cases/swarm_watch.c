/* SPDX-License-Identifier: BSD-2-Clause */
/* What must hold of each packet as it leaves a host of a drawn run, by what the device shows. */
#include "harness/cases/swarm_priv.h"

#include <inttypes.h>
#include <stdio.h>

struct leaving {
    struct mrct_run *run;
    const struct mrct_watch *w;
    const struct mrct_run_node *node;
    char *words;
    size_t cap;
};

static unsigned qp_of(const struct leaving *l)
{
    unsigned q = 0;
    while (q < l->run->c->qps && l->run->node[1 - l->w->host].qp[q].qpn != l->w->pkt->bth.dest_qp) {
        q++;
    }
    return q;
}

/* The place of the packet's EV among the host's, or one that none has. */
static unsigned ev_of(const struct leaving *l)
{
    const unsigned each = l->run->c->host[l->w->host].evs;
    for (unsigned i = l->w->plane * each; i < (l->w->plane + 1) * each; i++) {
        if (l->node->evs[i].value == l->w->pkt->ev) {
            return i;
        }
    }
    return l->node->ev_count;
}

static bool by_good_ev(const struct leaving *l, unsigned qp)
{
    const unsigned at = ev_of(l);
    if (at == l->node->ev_count) {
        (void)snprintf(l->words, l->cap,
                       "host%u sends PSN %u by EV 0x%08" PRIX32
                       " on plane %u, which is none of its",
                       l->w->host + 1, l->w->pkt->bth.psn, l->w->pkt->ev, l->w->plane);
        return false;
    }
    struct mrc_ev_info info;
    if (l->node->dut->ops->ev_query(l->node->dut, l->node->qp[qp].qpn, l->node->ev_index[at], &info,
                                    1) != 1 ||
        (info.state == MRC_EV_GOOD && info.active && info.ev.value == l->w->pkt->ev)) {
        return true;
    }
    (void)snprintf(l->words, l->cap,
                   "host%u sends PSN %u by EV 0x%08" PRIX32 " on plane %u, which is %s%s",
                   l->w->host + 1, l->w->pkt->bth.psn, l->w->pkt->ev, l->w->plane,
                   mrc_ev_state_str(info.state), info.active ? "" : " and not in use");
    return false;
}

/* Section 8.3.1: sent while cwnd > inflight. The packet itself is in flight by now, and a window
 * that is no whole number of bytes is shown without its fraction. */
static bool in_window(const struct leaving *l, unsigned qp)
{
    struct mrc_qp_info info;
    const int64_t size = (int64_t)l->w->pkt->udp.length + 40;
    if (l->node->dut->ops->qp_info(l->node->dut, l->node->qp[qp].qpn, &info) != 0 ||
        info.inflight_bytes - size < 0 ||
        (uint64_t)(info.inflight_bytes - size) <= info.cwnd_bytes) {
        return true;
    }
    (void)snprintf(l->words, l->cap,
                   "host%u sends PSN %u of %" PRId64 " bytes with %" PRId64
                   " in flight, and its window is %" PRIu64,
                   l->w->host + 1, l->w->pkt->bth.psn, size, info.inflight_bytes - size,
                   info.cwnd_bytes);
    return false;
}

bool mrct_swarm_watch(struct mrct_run *run, const struct mrct_watch *w, char *words, size_t cap)
{
    const struct leaving l = {run, w, &run->node[w->host], words, cap};
    if ((l.node->ports_down >> w->plane & 1u) != 0) {
        (void)snprintf(words, cap, "host%u sends by port %u, which is down", w->host + 1, w->plane);
        return false;
    }
    if (!w->whole || !mrc_op_is_write(w->pkt->bth.opcode)) {
        return true;
    }
    const unsigned qp = qp_of(&l);
    return qp == run->c->qps || (by_good_ev(&l, qp) && in_window(&l, qp));
}
