/* SPDX-License-Identifier: BSD-2-Clause */
/* Which links are up, and how often each went down: what a packet in flight compares. */
#include "harness/fabric/internal.h"

#include <stdlib.h>

static size_t slot(const struct mrct_fab *fab, unsigned host, unsigned plane, unsigned path)
{
    return ((size_t)host * fab->cfg.planes + plane) * fab->cfg.paths + path;
}

int mrct_fab_links_init(struct mrct_fab *fab)
{
    const size_t n = slot(fab, MRCT_FAB_HOSTS, 0, 0);
    fab->links.path_down = calloc(n, sizeof *fab->links.path_down);
    fab->links.path_epoch = calloc(n, sizeof *fab->links.path_epoch);
    return fab->links.path_down == NULL || fab->links.path_epoch == NULL ? -1 : 0;
}

void mrct_fab_links_fini(struct mrct_fab *fab)
{
    free(fab->links.path_down);
    free(fab->links.path_epoch);
    free(fab->links.changes);
}

int mrct_fab_link(struct mrct_fab *fab, uint64_t at_ns, int host, unsigned plane, int path, bool up)
{
    struct mrct_fab_links *const l = &fab->links;
    if (host < -1 || host >= (int)MRCT_FAB_HOSTS || plane >= fab->cfg.planes || path < -1 ||
        path >= (int)fab->cfg.paths || at_ns < fab->now_ns)
        return -1;
    if (l->change_count == l->change_cap) {
        const size_t cap = l->change_cap == 0 ? 16 : l->change_cap * 2;
        struct mrct_fab_link_change *const c = realloc(l->changes, cap * sizeof *c);
        if (c == NULL)
            return -1;
        l->changes = c;
        l->change_cap = cap;
    }
    l->changes[l->change_count] = (struct mrct_fab_link_change){host, path, plane, up};
    mrct_fab_schedule(fab, MRCT_FABQ_LINK, at_ns, l->change_count++, NULL);
    return fab->error == NULL ? 0 : -1;
}

static void set(bool *down, uint64_t *epoch, bool up)
{
    if (!up && !*down)
        ++*epoch;
    *down = !up;
}

void mrct_fab_links_change(struct mrct_fab *fab, size_t index)
{
    struct mrct_fab_links *const l = &fab->links;
    const struct mrct_fab_link_change *const c = &l->changes[index];
    for (unsigned h = 0; h < MRCT_FAB_HOSTS; h++) {
        if (c->host >= 0 && (unsigned)c->host != h)
            continue;
        if (c->path < 0) {
            set(&l->nic_down[h][c->plane], &l->nic_epoch[h][c->plane], c->up);
        } else {
            const size_t i = slot(fab, h, c->plane, (unsigned)c->path);
            set(&l->path_down[i], &l->path_epoch[i], c->up);
        }
    }
}

bool mrct_fab_links_up(const struct mrct_fab *fab, unsigned plane, unsigned path)
{
    const struct mrct_fab_links *const l = &fab->links;
    for (unsigned h = 0; h < MRCT_FAB_HOSTS; h++)
        if (l->nic_down[h][plane] || l->path_down[slot(fab, h, plane, path)])
            return false;
    return true;
}

uint64_t mrct_fab_links_epoch(const struct mrct_fab *fab, unsigned plane, unsigned path)
{
    const struct mrct_fab_links *const l = &fab->links;
    uint64_t sum = 0;
    for (unsigned h = 0; h < MRCT_FAB_HOSTS; h++)
        sum += l->nic_epoch[h][plane] + l->path_epoch[slot(fab, h, plane, path)];
    return sum;
}

bool mrct_fab_plane_up(const struct mrct_fab *fab, unsigned plane)
{
    return !fab->links.nic_down[0][plane] && !fab->links.nic_down[1][plane];
}
