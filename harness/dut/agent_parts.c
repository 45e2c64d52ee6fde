/* SPDX-License-Identifier: BSD-2-Clause */
/* What of the messages is more than members: addresses, what the wire is like, frames. */
#include "harness/dut/agent_msg.h"

#include <arpa/inet.h>
#include <netinet/ether.h>
#include <stdio.h>
#include <string.h>

/* ---- addresses ---- */

json_t *mrct_msg_addr(const struct mrc_addr *a)
{
    char ip[INET6_ADDRSTRLEN] = "", mac[18];
    (void)inet_ntop(a->is_v6 ? AF_INET6 : AF_INET, a->ip, ip, sizeof ip);
    (void)snprintf(mac, sizeof mac, "%02x:%02x:%02x:%02x:%02x:%02x", a->mac[0], a->mac[1],
                   a->mac[2], a->mac[3], a->mac[4], a->mac[5]);
    return json_pack("{s:s,s:s}", "ip", ip, "mac", mac);
}

int mrct_msg_addr_get(const json_t *o, struct mrc_addr *a)
{
    const char *const ip = json_string_value(json_object_get(o, "ip"));
    const char *const mac = json_string_value(json_object_get(o, "mac"));
    struct ether_addr ether;
    *a = (struct mrc_addr){0};
    if (ip == NULL || mac == NULL || strlen(mac) != 17 || ether_aton_r(mac, &ether) == NULL)
        return -1;
    memcpy(a->mac, ether.ether_addr_octet, sizeof a->mac);
    a->is_v6 = strchr(ip, ':') != NULL;
    return inet_pton(a->is_v6 ? AF_INET6 : AF_INET, ip, a->ip) == 1 ? 0 : -1;
}

json_t *mrct_msg_ports(const struct mrc_addr *addr, unsigned count)
{
    json_t *const list = json_array();
    for (unsigned i = 0; i < count; i++) {
        if (json_array_append_new(list, mrct_msg_addr(&addr[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

int mrct_msg_ports_get(const json_t *list, struct mrc_addr *addr, unsigned *count)
{
    const size_t n = json_array_size(list);
    if (n == 0 || n > MRC_EP_PORTS_MAX)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (mrct_msg_addr_get(json_array_get(list, i), &addr[i]) != 0)
            return -1;
    *count = (unsigned)n;
    return 0;
}

/* ---- the wire ---- */

#define WIRE(key, m)                                                                               \
    {                                                                                              \
        key, MRCT_MSG_U8, offsetof(struct mrc_wire_config, m), NULL                                \
    }
static const struct mrct_msg_field wire_fields[] = {
    WIRE("dscp_no_trim", dscp[MRC_DSCP_NO_TRIM]),
    WIRE("dscp_trimmable", dscp[MRC_DSCP_TRIMMABLE]),
    WIRE("dscp_trimmable_retx", dscp[MRC_DSCP_TRIMMABLE_RETX]),
    WIRE("dscp_trimmed", dscp[MRC_DSCP_TRIMMED]),
    WIRE("dscp_trimmed_lasthop", dscp[MRC_DSCP_TRIMMED_LASTHOP]),
    WIRE("dscp_control", dscp[MRC_DSCP_CONTROL]),
    {"q3", MRCT_MSG_LETTER, offsetof(struct mrc_wire_config, q3_ev), NULL},
    {"q6", MRCT_MSG_LETTER, offsetof(struct mrc_wire_config, q6_icrc), NULL},
    {0},
};

json_t *mrct_msg_wire(const struct mrc_wire_config *w)
{
    json_t *const o = json_object(), *const ports = json_array();
    for (unsigned i = 0; i < w->udp_port_count; i++)
        (void)json_array_append_new(ports, json_integer(w->udp_ports[i]));
    if (json_object_set_new(o, "udp_ports", ports) != 0 || mrct_msg_put(o, wire_fields, w) != 0) {
        json_decref(o);
        return NULL;
    }
    return o;
}

int mrct_msg_wire_get(const json_t *o, struct mrc_wire_config *w, char *err, size_t err_cap)
{
    const json_t *const ports = json_object_get(o, "udp_ports");
    const size_t n = json_array_size(ports);
    if (mrct_msg_get(o, wire_fields, w, err, err_cap) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const json_int_t port = json_integer_value(json_array_get(ports, i));
        if (port < 1 || port > 65535 || n > MRC_UDP_PORTS_MAX) {
            (void)snprintf(err, err_cap, "'udp_ports' is not what was expected");
            return -1;
        }
        w->udp_ports[i] = (uint16_t)port;
        w->udp_port_count = (unsigned)n;
    }
    return 0;
}

/* ---- frames ---- */

static uint32_t le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void mrct_msg_frame(const struct mrc_wire_config *w, const uint8_t *bytes, size_t len,
                    struct mrc_frame *f)
{
    if (mrc_frame_parse(w, bytes, len, f) == 0)
        return;
    struct mrc_pkt p = {0};
    (void)mrc_pkt_decode(w, bytes, len, len, true, &p);
    size_t hdr = p.hdr_end > 0 && p.hdr_end <= len ? p.hdr_end : len;
    hdr = hdr < MRC_FRAME_HDR_MAX ? hdr : MRC_FRAME_HDR_MAX;
    size_t rest = len - hdr;
    *f = (struct mrc_frame){.hdr_len = (uint16_t)hdr, .icrc_state = MRC_ICRC_ABSENT};
    memcpy(f->hdr, bytes, hdr);
    if (rest >= 4 && (p.icrc_state == MRC_ICRC_VALID || p.icrc_state == MRC_ICRC_WRONG)) {
        rest -= 4;
        f->icrc_state = p.icrc_state;
        f->icrc = le32(bytes + hdr + rest);
    }
    f->payload_len = (uint32_t)(rest < MRC_PAYLOAD_MAX ? rest : MRC_PAYLOAD_MAX);
    f->payload = f->payload_len > 0 ? bytes + hdr : NULL;
}
