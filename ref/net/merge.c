/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/net/merge.h"

bool mrc_net_rx_earlier(const struct mrc_net_rx *a, const struct mrc_net_rx *b)
{
    return a->sec < b->sec || (a->sec == b->sec && a->nsec < b->nsec);
}

int mrc_net_merge_next(struct mrc_net_merge *m, struct mrc_net_port *const *port, unsigned ports,
                       const struct mrc_net_rx **rx)
{
    int first = -1;
    for (unsigned p = 0; p < ports; p++) {
        if (port[p] == NULL)
            continue;
        if ((m->have >> p & 1) == 0 && mrc_net_port_rx(port[p], &m->rx[p]))
            m->have |= UINT32_C(1) << p;
        if ((m->have >> p & 1) != 0 && (first < 0 || mrc_net_rx_earlier(&m->rx[p], &m->rx[first])))
            first = (int)p;
    }
    if (first >= 0)
        *rx = &m->rx[first];
    return first;
}

void mrc_net_merge_done(struct mrc_net_merge *m, struct mrc_net_port *port, unsigned index)
{
    mrc_net_port_rx_done(port);
    m->have &= ~(UINT32_C(1) << index);
}

void mrc_net_merge_forget(struct mrc_net_merge *m, unsigned index)
{
    m->have &= ~(UINT32_C(1) << index);
}
