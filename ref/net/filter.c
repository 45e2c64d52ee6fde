/* SPDX-License-Identifier: BSD-2-Clause */
/* Offsets are of an untagged frame; X is 4 when a tag stands in front of them. */
#include "ref/net/filter.h"

#include "gen/mrc_wire.h"

#define ETHERTYPE_ARP 0x0806u
#define ICMPV6        58u
#define ND_SOLICIT    135u
#define ND_ADVERTISE  136u

#define AT_TYPE      12u
#define AT_V4        14u
#define AT_V4_FRAG   20u
#define AT_V4_PROTO  23u
#define AT_V6_NEXT   20u
#define AT_V6_ICMP   54u
#define AT_V6_DPORT  56u
#define AT_UDP_DPORT 2u

enum label { HERE, TAG, GO, V6, V4, ICMP, UDP6, TAKE, DROP, LABELS };

struct assembler {
    struct sock_filter *prog;
    size_t n;
    size_t at[LABELS];
    uint8_t to[MRC_NET_FILTER_MAX]; /* where a conditional jump goes when it holds, or HERE */
};

static void op(struct assembler *a, uint16_t code, uint32_t k)
{
    a->to[a->n] = HERE;
    a->prog[a->n++] = (struct sock_filter){.code = code, .k = k};
}

static void jump(struct assembler *a, uint16_t code, uint32_t k, enum label to)
{
    op(a, code, k);
    a->to[a->n - 1] = (uint8_t)to;
}

static void if_equal(struct assembler *a, uint32_t k, enum label to)
{
    jump(a, BPF_JMP | BPF_JEQ | BPF_K, k, to);
}

static void label(struct assembler *a, enum label l)
{
    a->at[l] = a->n;
}

static void any_port(struct assembler *a, const uint16_t *ports, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if_equal(a, ports[i], TAKE);
    op(a, BPF_RET | BPF_K, 0);
}

static void link_layer(struct assembler *a)
{
    op(a, BPF_LD | BPF_H | BPF_ABS, AT_TYPE);
    if_equal(a, MRC_ETHERTYPE_VLAN, TAG);
    if_equal(a, MRC_ETHERTYPE_QINQ, TAG);
    op(a, BPF_LDX | BPF_IMM, 0);
    jump(a, BPF_JMP | BPF_JA, 0, GO);
    label(a, TAG);
    op(a, BPF_LDX | BPF_IMM, MRC_VLAN_LEN);
    label(a, GO);
    op(a, BPF_LD | BPF_H | BPF_IND, AT_TYPE);
    if_equal(a, MRC_ETHERTYPE_IPV6, V6);
    if_equal(a, MRC_ETHERTYPE_IPV4, V4);
    if_equal(a, ETHERTYPE_ARP, TAKE);
    op(a, BPF_RET | BPF_K, 0);
}

static void version6(struct assembler *a, const uint16_t *ports, unsigned count)
{
    label(a, V6);
    op(a, BPF_LD | BPF_B | BPF_IND, AT_V6_NEXT);
    if_equal(a, MRC_IP_PROTO_UDP, UDP6);
    if_equal(a, MRC_IP_PROTO_IPV6, TAKE);
    if_equal(a, MRC_IP_PROTO_ROUTING, TAKE);
    if_equal(a, ICMPV6, ICMP);
    op(a, BPF_RET | BPF_K, 0);
    label(a, ICMP);
    op(a, BPF_LD | BPF_B | BPF_IND, AT_V6_ICMP);
    if_equal(a, ND_SOLICIT, TAKE);
    if_equal(a, ND_ADVERTISE, TAKE);
    op(a, BPF_RET | BPF_K, 0);
    label(a, UDP6);
    op(a, BPF_LD | BPF_H | BPF_IND, AT_V6_DPORT);
    any_port(a, ports, count);
}

static void version4(struct assembler *a, const uint16_t *ports, unsigned count)
{
    label(a, V4);
    op(a, BPF_LD | BPF_H | BPF_IND, AT_V4_FRAG);
    jump(a, BPF_JMP | BPF_JSET | BPF_K, 0x1FFF, DROP);
    op(a, BPF_LD | BPF_B | BPF_IND, AT_V4_PROTO);
    op(a, BPF_ALU | BPF_SUB | BPF_K, MRC_IP_PROTO_UDP);
    jump(a, BPF_JMP | BPF_JGT | BPF_K, 0, DROP);
    op(a, BPF_LD | BPF_B | BPF_IND, AT_V4);
    op(a, BPF_ALU | BPF_AND | BPF_K, 0x0F);
    op(a, BPF_ALU | BPF_LSH | BPF_K, 2);
    op(a, BPF_ALU | BPF_ADD | BPF_X, 0);
    op(a, BPF_MISC | BPF_TAX, 0);
    op(a, BPF_LD | BPF_H | BPF_IND, AT_V4 + AT_UDP_DPORT);
    any_port(a, ports, count);
}

static void resolve(struct assembler *a)
{
    for (size_t i = 0; i < a->n; i++) {
        if (a->to[i] == HERE)
            continue;
        const size_t skip = a->at[a->to[i]] - i - 1;
        if (BPF_OP(a->prog[i].code) == BPF_JA)
            a->prog[i].k = (uint32_t)skip;
        else
            a->prog[i].jt = (uint8_t)skip;
    }
}

size_t mrc_net_filter_make(struct sock_filter prog[MRC_NET_FILTER_MAX], const uint16_t *ports,
                           unsigned port_count, uint32_t snap)
{
    struct assembler a = {.prog = prog};
    if (port_count > 16)
        return 0;
    link_layer(&a);
    version6(&a, ports, port_count);
    version4(&a, ports, port_count);
    label(&a, TAKE);
    op(&a, BPF_RET | BPF_K, snap);
    label(&a, DROP);
    op(&a, BPF_RET | BPF_K, 0);
    resolve(&a);
    return a.n;
}
