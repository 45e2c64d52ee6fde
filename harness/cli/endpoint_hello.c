/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The peers' hello: version, path MTU, the address of each port, the QPs with their attributes, and
 * what the side is going to send.
 */
#include "harness/cli/endpoint.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define VERSION    1
#define SIZE_LIMIT (UINT64_C(1) << 44) /* of what is sent, bytes */

static json_t *load_json(const struct mrct_live_load *l)
{
    char crc[20];
    snprintf(crc, sizeof crc, "%016llx", (unsigned long long)l->crc64);
    json_t *const o = json_pack("{s:s,s:I,s:I,s:I}", "kind", l->is_file ? "file" : "pattern",
                                "message_bytes", (json_int_t)l->message_bytes, "messages",
                                (json_int_t)l->messages, "slots", (json_int_t)l->slots);
    if (l->is_file)
        json_object_set_new(o, "total_bytes", json_integer((json_int_t)l->total_bytes));
    if (l->is_file)
        json_object_set_new(o, "crc64", json_string(crc));
    else
        json_object_set_new(o, "seed", json_integer((json_int_t)l->seed));
    return o;
}

json_t *mrct_live_hello(const struct mrct_live *l)
{
    char text[46];
    json_t *const ports = json_array(), *const qps = json_array();
    for (unsigned i = 0; i < l->opt.port_count; i++)
        json_array_append_new(ports,
                              json_string(mrc_net_addr_str(mrc_net_node_addr(l->node, i), text)));
    for (unsigned q = 0; q < l->opt.qps; q++) {
        json_array_append_new(
            qps, json_pack("{s:i,s:i}", "qpn", (int)l->qpn[q], "psn", (int)l->start_psn[q]));
    }
    json_t *const o =
        json_pack("{s:s,s:i,s:s,s:I,s:i,s:i,s:o,s:o,s:b}", "mrct", "endpoint", "version", VERSION,
                  "type", "hello", "mtu", (json_int_t)l->opt.mtu, "mpr", MRCT_LIVE_MPR, "max_wimm",
                  MRCT_LIVE_WIMM, "ports", ports, "qps", qps, "receive", (int)l->opt.receive);
    json_object_set_new(o, "send", l->out.on ? load_json(&l->out.load) : json_null());
    return o;
}

/* A sentence, and false. */
static bool bad(char *err, size_t cap, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool bad(char *err, size_t cap, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err, cap, fmt, ap);
    va_end(ap);
    return false;
}

static bool get(const json_t *o, const char *key, uint64_t min, uint64_t max, uint64_t *out,
                char *err, size_t cap)
{
    const json_t *const v = json_object_get(o, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0 || (uint64_t)json_integer_value(v) < min ||
        (uint64_t)json_integer_value(v) > max)
        return bad(err, cap, "the peer's hello: '%s' is no number of %llu to %llu", key,
                   (unsigned long long)min, (unsigned long long)max);
    *out = (uint64_t)json_integer_value(v);
    return true;
}

static bool take_file(struct mrct_live_load *l, const json_t *o, char *err, size_t cap)
{
    const char *const crc = json_string_value(json_object_get(o, "crc64"));
    if (!get(o, "total_bytes", 0, SIZE_LIMIT, &l->total_bytes, err, cap))
        return false;
    if (crc == NULL || strlen(crc) != 16 || strspn(crc, "0123456789abcdef") != 16)
        return bad(err, cap, "the peer's hello: 'crc64' is no text of 16 hexadecimal digits");
    l->crc64 = strtoull(crc, NULL, 16);
    if (l->messages != (l->total_bytes + l->message_bytes - 1) / l->message_bytes)
        return bad(err, cap, "the peer's hello: 'messages' does not fit 'total_bytes'");
    return true;
}

static bool take_load(struct mrct_live *l, const json_t *o, char *err, size_t cap)
{
    struct mrct_live_load *const in = &l->in.load;
    const char *const kind = json_string_value(json_object_get(o, "kind"));
    if (kind == NULL || (strcmp(kind, "file") != 0 && strcmp(kind, "pattern") != 0))
        return bad(err, cap, "the peer's hello: what it sends is neither file nor pattern");
    in->is_file = kind[0] == 'f';
    if (!get(o, "message_bytes", 1, UINT32_MAX, &in->message_bytes, err, cap) ||
        !get(o, "messages", 0, UINT32_MAX, &in->messages, err, cap) ||
        !get(o, "slots", 1, UINT32_MAX, &in->slots, err, cap))
        return false;
    if (in->is_file)
        return take_file(in, o, err, cap);
    if (!get(o, "seed", 0, INT64_MAX, &in->seed, err, cap))
        return false;
    if (in->slots * in->message_bytes > SIZE_LIMIT)
        return bad(err, cap, "the peer's hello: its pattern needs too much memory");
    return true;
}

static bool take_ports(struct mrct_live *l, const json_t *o, char *err, size_t cap)
{
    const json_t *const list = json_object_get(o, "ports");
    if (json_array_size(list) != l->opt.port_count)
        return bad(err, cap, "the peer has %zu ports, this side %u: a port is a plane",
                   json_array_size(list), l->opt.port_count);
    for (unsigned i = 0; i < l->opt.port_count; i++) {
        const char *const text = json_string_value(json_array_get(list, i));
        struct mrc_addr a;
        if (text == NULL || mrc_net_addr_parse(text, &a) != 0)
            return bad(err, cap, "the peer's hello: port %u has no address", i);
        if (a.is_v6 != mrc_net_node_addr(l->node, i)->is_v6)
            return bad(err, cap, "port %u: one side has an IPv4, the other an IPv6 address", i);
        for (unsigned q = 0; q < l->opt.qps; q++)
            l->peers[q].addr[i] = a;
    }
    return true;
}

static bool take_qps(struct mrct_live *l, const json_t *o, char *err, size_t cap)
{
    const json_t *const list = json_object_get(o, "qps");
    uint64_t mpr = 0, wimm = 0;
    if (!get(o, "mpr", 8, 255, &mpr, err, cap) ||
        !get(o, "max_wimm", 32, UINT16_MAX, &wimm, err, cap))
        return false;
    if (json_array_size(list) != l->opt.qps)
        return bad(err, cap, "the peer has %zu QPs, this side %llu (--qps)", json_array_size(list),
                   (unsigned long long)l->opt.qps);
    for (unsigned q = 0; q < l->opt.qps; q++) {
        uint64_t qpn = 0, psn = 0;
        const json_t *const one = json_array_get(list, q);
        if (!get(one, "qpn", 3, 0xFFFFFF, &qpn, err, cap) ||
            !get(one, "psn", 0, 0xFFFFFF, &psn, err, cap))
            return false;
        l->peers[q].qpn = (uint32_t)qpn;
        l->peers[q].start_psn = (uint32_t)psn;
        l->peers[q].mpr_dest = (uint8_t)mpr;
        l->peers[q].max_wimm_dest = (uint16_t)wimm;
    }
    return true;
}

bool mrct_live_take_hello(struct mrct_live *l, const json_t *o, char *err, size_t cap)
{
    const char *const who = json_string_value(json_object_get(o, "mrct"));
    const json_t *const send = json_object_get(o, "send");
    uint64_t version = 0, mtu = 0;
    if (who == NULL || strcmp(who, "endpoint") != 0)
        return bad(err, cap, "the peer is no mrct endpoint");
    if (!get(o, "version", 0, INT64_MAX, &version, err, cap))
        return false;
    if (version != VERSION)
        return bad(err, cap, "the peer speaks version %llu, this side %d",
                   (unsigned long long)version, VERSION);
    if (!get(o, "mtu", 256, 4096, &mtu, err, cap))
        return false;
    if (mtu != l->opt.mtu)
        return bad(err, cap, "the peer's path MTU is %llu, this side's %llu (--mtu)",
                   (unsigned long long)mtu, (unsigned long long)l->opt.mtu);
    if (l->out.on && !json_is_true(json_object_get(o, "receive")))
        return bad(err, cap, "the peer does not receive: give it --receive");
    l->in.on = json_is_object(send);
    if (l->in.on && !l->opt.receive)
        return bad(err, cap, "the peer wants to send: give --receive");
    if (!l->in.on && !l->out.on)
        return bad(err, cap, "neither side sends: give one --send or --pattern");
    return (!l->in.on || take_load(l, send, err, cap)) && take_ports(l, o, err, cap) &&
           take_qps(l, o, err, cap);
}
