/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which frames belong together. Requests carry no source QP: a stream is known by the two hosts and
 * the responder's QP, which requests and probes name; the requestor's QP, which control packets
 * name, is learned from the first of those that only one stream can have caused.
 */
#include "mrc_plugin.h"

#include <string.h>

#define SPAN 32768 /* PSNs; about the widest window */

static struct {
    wmem_map_t *hosts;        /* address to number + 1 */
    wmem_map_t *by_responder; /* key of asker, answerer and QPN to stream */
    wmem_map_t *by_requestor;
    wmem_map_t *of_pair;   /* key of asker and answerer to the newest stream */
    wmem_map_t *endpoints; /* key of asker, answerer and id to struct mrc_asked */
    uint32_t host_count, stream_count;
} flows;

static guint hash_address(gconstpointer key)
{
    const address *const a = (const address *)key;
    const uint8_t *const bytes = (const uint8_t *)a->data;
    guint h = 5381;
    for (int i = 0; i < a->len; i++) {
        h = h * 33 + bytes[i];
    }
    return h;
}

static gboolean same_address(gconstpointer a, gconstpointer b)
{
    return addresses_equal((const address *)a, (const address *)b);
}

static wmem_map_t *key_map(void)
{
    return wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
}

void mrc_flows_reset(void)
{
    flows.hosts = wmem_map_new(wmem_file_scope(), hash_address, same_address);
    flows.by_responder = key_map();
    flows.by_requestor = key_map();
    flows.of_pair = key_map();
    flows.endpoints = key_map();
    flows.host_count = flows.stream_count = 0;
}

uint32_t mrc_flows_host(const address *a)
{
    const void *const known = wmem_map_lookup(flows.hosts, a);
    if (known) {
        return GPOINTER_TO_UINT(known) - 1;
    }
    address *const copy = wmem_new0(wmem_file_scope(), address);
    copy_address_wmem(wmem_file_scope(), copy, a);
    wmem_map_insert(flows.hosts, copy, GUINT_TO_POINTER(++flows.host_count));
    return flows.host_count - 1;
}

/* Twenty bits for a host, twenty-four for a QPN. */
static uint64_t key_of(uint32_t from, uint32_t to, uint32_t qpn)
{
    return (uint64_t)(from & 0xFFFFF) << 44 | (uint64_t)(to & 0xFFFFF) << 24 | (qpn & 0xFFFFFF);
}

static void put(wmem_map_t *map, uint64_t key, void *value)
{
    uint64_t *const copy = wmem_new(wmem_file_scope(), uint64_t);
    *copy = key;
    wmem_map_insert(map, copy, value);
}

int32_t mrc_psn_less(uint32_t a, uint32_t b)
{
    return (int32_t)((a - b) << 8) >> 8;
}

uint32_t mrc_psn_plus(uint32_t psn, int32_t n)
{
    return (psn + (uint32_t)n) & 0xFFFFFF;
}

static wmem_map_t *number_map(void)
{
    return wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
}

static struct mrc_stream *stream_new(uint32_t asker, uint32_t answerer, uint32_t qpn)
{
    struct mrc_stream *const s = wmem_new0(wmem_file_scope(), struct mrc_stream);
    const uint64_t pair = key_of(asker, answerer, 0);
    s->id = flows.stream_count++;
    s->asker = asker;
    s->answerer = answerer;
    s->qpn = qpn;
    s->peer_qpn = -1;
    s->pkts = number_map();
    s->msgs = number_map();
    s->evs = number_map();
    s->probes = number_map();
    s->next = (struct mrc_stream *)wmem_map_lookup(flows.of_pair, &pair);
    put(flows.of_pair, pair, s);
    put(flows.by_responder, key_of(asker, answerer, qpn), s);
    return s;
}

/* Unwrapped around the highest PSN sent. */
int32_t mrc_stream_rel(const struct mrc_stream *s, uint32_t psn)
{
    const int32_t top = s->has_top ? s->top : 0;
    return top + mrc_psn_less(psn, mrc_psn_plus(s->first, top));
}

static bool near_top(const struct mrc_stream *s, uint32_t psn, int32_t span)
{
    const int32_t d = mrc_stream_rel(s, psn) - (s->has_top ? s->top : 0);
    return d <= span && d >= -span;
}

static void forget(struct mrc_stream *s)
{
    const uint64_t pair = key_of(s->asker, s->answerer, 0);
    struct mrc_stream *const head = (struct mrc_stream *)wmem_map_lookup(flows.of_pair, &pair);
    if (head == s) {
        put(flows.of_pair, pair, s->next);
    }
    for (struct mrc_stream *o = head; o; o = o->next) {
        if (o->next == s) {
            o->next = s->next;
        }
    }
    if (s->peer_qpn >= 0) {
        const uint64_t key = key_of(s->answerer, s->asker, (uint32_t)s->peer_qpn);
        wmem_map_remove(flows.by_requestor, &key);
    }
}

struct mrc_stream *mrc_flows_request(uint32_t asker, uint32_t answerer, uint32_t qpn, uint32_t psn)
{
    const uint64_t key = key_of(asker, answerer, qpn);
    struct mrc_stream *s = (struct mrc_stream *)wmem_map_lookup(flows.by_responder, &key);
    if (s && s->has_first && !near_top(s, psn, SPAN)) {
        /* Passed over, since no window explains it; two in a row begin a new stream: the QP may
         * have been used again. */
        const int32_t d = mrc_psn_less(psn, s->strange);
        if (!s->has_strange || d > SPAN || d < -SPAN) {
            s->has_strange = true;
            s->strange = psn;
            return NULL;
        }
        forget(s);
        s = NULL;
    }
    if (!s) {
        s = stream_new(asker, answerer, qpn);
    }
    if (!s->has_first) {
        s->has_first = true;
        s->first = psn;
    }
    return s;
}

struct mrc_stream *mrc_flows_probe(uint32_t asker, uint32_t answerer, uint32_t qpn)
{
    const uint64_t key = key_of(asker, answerer, qpn);
    struct mrc_stream *const s = (struct mrc_stream *)wmem_map_lookup(flows.by_responder, &key);
    return s ? s : stream_new(asker, answerer, qpn);
}

static bool may_have_caused(const struct mrc_stream *s, uint32_t psn, int32_t probe_id)
{
    if (probe_id >= 0 && wmem_map_lookup(s->probes, GINT_TO_POINTER(probe_id + 1))) {
        return true;
    }
    return s->has_first && near_top(s, psn, SPAN - 1);
}

struct mrc_stream *mrc_flows_control(uint32_t from, uint32_t to, uint32_t qpn, uint32_t psn,
                                     int32_t spdcid, int32_t probe_id)
{
    const uint64_t key = key_of(from, to, qpn), pair = key_of(to, from, 0);
    struct mrc_stream *s = (struct mrc_stream *)wmem_map_lookup(flows.by_requestor, &key);
    if (s) {
        return may_have_caused(s, psn, probe_id) ? s : NULL;
    }
    struct mrc_stream *any = NULL, *by_id = NULL;
    unsigned any_count = 0, id_count = 0;
    for (s = (struct mrc_stream *)wmem_map_lookup(flows.of_pair, &pair); s; s = s->next) {
        if (s->peer_qpn >= 0 || !may_have_caused(s, psn, probe_id)) {
            continue;
        }
        any = s;
        any_count++;
        if (spdcid >= 0 && (int32_t)(s->qpn & 0xFFFF) == spdcid) {
            by_id = s;
            id_count++;
        }
    }
    s = id_count == 1 ? by_id : any_count == 1 ? any : NULL;
    if (s) {
        s->peer_qpn = qpn;
        put(flows.by_requestor, key, s);
    }
    return s;
}

struct mrc_asked *mrc_flows_asked(uint32_t asker, uint32_t answerer, uint32_t id, bool make)
{
    const uint64_t key = key_of(asker, answerer, id);
    if (!make) {
        return (struct mrc_asked *)wmem_map_lookup(flows.endpoints, &key);
    }
    struct mrc_asked *const a = wmem_new0(wmem_file_scope(), struct mrc_asked);
    put(flows.endpoints, key, a);
    return a;
}
