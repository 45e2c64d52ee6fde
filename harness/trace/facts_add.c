/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts as they are built, by the loader and by runs; and who owns an address. */
#include "harness/trace/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_MIN 64u /* slots; a power of two */

/* Open addressing over all addresses of all hosts; host < 0 marks a free slot. */
struct mrct_fact_slot {
    uint8_t ip[16];
    bool is_v6;
    int host;
};
struct mrct_fact_index {
    size_t size, used;
    struct mrct_fact_slot slots[];
};

void mrct_facts_init(struct mrct_facts *f)
{
    memset(f, 0, sizeof(*f));
    f->path_mtu = MRCT_UNKNOWN;
    f->tap = MRCT_TAP_MIDDLE;
    mrc_wire_config_default(&f->wire);
}

void mrct_facts_fini(struct mrct_facts *f)
{
    for (size_t i = 0; i < f->host_count; i++)
        free(f->hosts[i].addrs);
    free(f->hosts);
    free(f->qps);
    free(f->index);
    memset(f, 0, sizeof(*f));
}

static size_t ip_len(bool is_v6)
{
    return is_v6 ? 16 : 4;
}

static size_t hash_of(bool is_v6, const uint8_t *ip)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325) ^ (is_v6 ? 1 : 0); /* FNV-1a */
    for (size_t i = 0; i < ip_len(is_v6); i++)
        h = (h ^ ip[i]) * UINT64_C(0x100000001B3);
    return (size_t)(h ^ h >> 29);
}

static struct mrct_fact_slot *slot_of(struct mrct_fact_index *x, bool is_v6, const uint8_t *ip)
{
    for (size_t i = hash_of(is_v6, ip);; i++) {
        struct mrct_fact_slot *const s = &x->slots[i & (x->size - 1)];
        if (s->host < 0 || (s->is_v6 == is_v6 && memcmp(s->ip, ip, ip_len(is_v6)) == 0))
            return s;
    }
}

static struct mrct_fact_index *new_index(size_t size)
{
    struct mrct_fact_index *const x = calloc(1, sizeof(*x) + size * sizeof(x->slots[0]));
    if (x == NULL)
        return NULL;
    x->size = size;
    for (size_t i = 0; i < size; i++)
        x->slots[i].host = -1;
    return x;
}

/* Keeps at least half of the slots free, so that a search ends soon. */
static int index_room(struct mrct_facts *f)
{
    struct mrct_fact_index *const old = f->index;
    if (old != NULL && (old->used + 1) * 2 <= old->size)
        return 0;
    struct mrct_fact_index *const x = new_index(old == NULL ? INDEX_MIN : old->size * 2);
    if (x == NULL)
        return -1;
    for (size_t i = 0; old != NULL && i < old->size; i++) {
        const struct mrct_fact_slot *const s = &old->slots[i];
        if (s->host >= 0)
            *slot_of(x, s->is_v6, s->ip) = *s;
    }
    x->used = old == NULL ? 0 : old->used;
    free(old);
    f->index = x;
    return 0;
}

int mrct_facts_host_of(const struct mrct_facts *f, bool is_v6, const uint8_t ip[16])
{
    return f->index == NULL ? -1 : slot_of(f->index, is_v6, ip)->host;
}

int mrct_facts_host_named(const struct mrct_facts *f, const char *name)
{
    for (size_t i = 0; i < f->host_count; i++)
        if (strcmp(f->hosts[i].name, name) == 0)
            return (int)i;
    return -1;
}

int mrct_facts_add_host(struct mrct_facts *f, const char *name)
{
    const size_t len = strlen(name);
    if (len == 0 || len >= MRCT_HOST_NAME_MAX || mrct_facts_host_named(f, name) >= 0)
        return -1;
    struct mrct_fact_host *const more = realloc(f->hosts, (f->host_count + 1) * sizeof(*more));
    if (more == NULL)
        return -1;
    f->hosts = more;
    struct mrct_fact_host *const h = &more[f->host_count];
    memset(h, 0, sizeof(*h));
    memcpy(h->name, name, len + 1);
    return (int)f->host_count++;
}

int mrct_facts_add_addr(struct mrct_facts *f, int host, bool is_v6, const uint8_t *ip, int plane)
{
    if (host < 0 || (size_t)host >= f->host_count || index_room(f) != 0)
        return -1;
    struct mrct_fact_slot *const s = slot_of(f->index, is_v6, ip);
    if (s->host >= 0)
        return -1;
    struct mrct_fact_host *const h = &f->hosts[host];
    struct mrct_fact_addr *const more = realloc(h->addrs, (h->addr_count + 1) * sizeof(*more));
    if (more == NULL)
        return -1;
    h->addrs = more;
    struct mrct_fact_addr *const a = &more[h->addr_count++];
    memset(a, 0, sizeof(*a));
    a->is_v6 = is_v6;
    a->plane = plane;
    memcpy(a->ip, ip, ip_len(is_v6));
    s->is_v6 = is_v6;
    s->host = host;
    memcpy(s->ip, ip, ip_len(is_v6));
    f->index->used++;
    return 0;
}

struct mrct_fact_qp mrct_fact_qp_unknown(int host, int peer_host)
{
    return (struct mrct_fact_qp){
        .host = host,
        .peer_host = peer_host,
        .qpn = MRCT_UNKNOWN,
        .peer_qpn = MRCT_UNKNOWN,
        .start_psn = MRCT_UNKNOWN,
        .mpr = MRCT_UNKNOWN,
        .dynamic_mpr = MRCT_UNKNOWN,
        .trim_nack = MRCT_UNKNOWN,
        .svc_time = MRCT_UNKNOWN,
        .max_wimm = MRCT_UNKNOWN,
        .timeout = MRCT_UNKNOWN,
        .linear_cnt = MRCT_UNKNOWN,
        .exp_cnt = MRCT_UNKNOWN,
        .exp_ceiling_ns = MRCT_UNKNOWN,
        .ev_min_active = MRCT_UNKNOWN,
        .sack_threshold = MRCT_UNKNOWN,
    };
}

struct mrct_fact_qp *mrct_facts_add_qp(struct mrct_facts *f, int host, int peer_host)
{
    struct mrct_fact_qp *const more = realloc(f->qps, (f->qp_count + 1) * sizeof(*more));
    if (more == NULL)
        return NULL;
    f->qps = more;
    f->qps[f->qp_count] = mrct_fact_qp_unknown(host, peer_host);
    return &f->qps[f->qp_count++];
}
