/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One decoded packet: every header it has, from Ethernet to the last MRC header. The single place
 * where bytes become meaning; the endpoint, the oracle, the printers and the fabric's matching all
 * read this struct. Header structs and their fields are generated from spec/wire.yaml.
 */
#ifndef MRC_WIRE_PKT_H
#define MRC_WIRE_PKT_H

#include "gen/mrc_wire.h"
#include "ref/wire/frame.h"
#include <stdbool.h>

#define MRC_UDP_PORTS_MAX     8u
#define MRC_ICRC_HEAD_PAYLOAD 256u /* bytes of payload from which icrc_head is set */

/* DSCP class of a packet (section 9, deployment's values). */
enum mrc_dscp_class {
    MRC_DSCP_NO_TRIM,
    MRC_DSCP_TRIMMABLE,
    MRC_DSCP_TRIMMABLE_RETX,
    MRC_DSCP_TRIMMED,
    MRC_DSCP_TRIMMED_LASTHOP,
    MRC_DSCP_CONTROL,
    MRC_DSCP_CLASSES
};

/* What the codec has to be told about a deployment. Filled by mrc_wire_config_default(). */
struct mrc_wire_config {
    uint16_t
        udp_ports[MRC_UDP_PORTS_MAX]; /* destination ports taken as MRC; default 4791, 4971 (Q1) */
    unsigned udp_port_count;
    uint8_t dscp[MRC_DSCP_CLASSES]; /* code point of each class, 0..63 */
    char q3_ev;                     /* reading of Q3, 'a' or 'b': which half of the EV goes where */
    char q6_icrc;                   /* reading of Q6, 'a' (inner packet) or 'b' */
};

void mrc_wire_config_default(struct mrc_wire_config *cfg);

/* Why a frame is no acceptable MRC packet. One list, one string each: mrc_wire_error_str(). */
enum mrc_wire_error {
    MRC_WIRE_OK,
    MRC_WIRE_NOT_MRC,        /* another protocol: counted, never judged */
    MRC_WIRE_CUT,            /* "cut short": the capture ended before the headers did, or the frame
                                before its IP length */
    MRC_WIRE_SHORT_BTH,      /* "truncated BTH": the IP length ends inside the header */
    MRC_WIRE_SHORT_METH,     /* "truncated METH" */
    MRC_WIRE_SHORT_TSETH,    /* "truncated TSETH" */
    MRC_WIRE_SHORT_RETH,     /* "truncated RETH" */
    MRC_WIRE_SHORT_IMMDT,    /* "truncated ImmDt" */
    MRC_WIRE_SHORT_AETH,     /* "truncated AETH" */
    MRC_WIRE_SHORT_SETH,     /* "truncated SETH" */
    MRC_WIRE_SHORT_CC_STATE, /* "truncated CC_STATE" */
    MRC_WIRE_SHORT_NETH,     /* "truncated NETH" */
    MRC_WIRE_SHORT_PETH,     /* "truncated PETH" */
    MRC_WIRE_SHORT_ERTH,     /* "truncated ERTH" */
    MRC_WIRE_SHORT_EETH,     /* "truncated EETH" */
    MRC_WIRE_BAD_TVER,       /* "transport version" */
    MRC_WIRE_BAD_OPCODE,     /* "opcode": in the MRC range 110b, not listed */
    MRC_WIRE_BAD_PAD,        /* "pad longer than payload" */
    MRC_WIRE_BAD_UDP_LEN,    /* "UDP length beyond the IP payload" without a trimmed class */
    MRC_WIRE_BAD_ICRC,       /* "icrc": the rest decoded as far as it goes, but proves nothing */
    MRC_WIRE_BAD_UDP_SHORT,  /* "UDP length short of the IP payload" */
    MRC_WIRE_ERRORS
};

/* The reason in the words of the golden vectors; static string. */
const char *mrc_wire_error_str(enum mrc_wire_error e);

enum mrc_trim { MRC_TRIM_NONE, MRC_TRIM_TRIMMED, MRC_TRIM_LASTHOP };

struct mrc_pkt {
    uint32_t present;            /* bit 1 << MRC_HDR_x for each header decoded */
    uint16_t off[MRC_HDR_COUNT]; /* offset of each present header in the frame, bytes; unset
                                    for an absent one */
    uint16_t outer_off;          /* offset of outer_ip6, when has_outer */
    uint16_t hdr_end;            /* offset behind the last header decoded */
    uint8_t vlan_count;          /* 0..2 */
    bool is_v6;                  /* the inner (or only) IP header is IPv6 */
    bool
        complete; /* all headers that the opcode calls for were decoded, and payload_len is known */
    bool has_outer;                /* SRv6 mode: outer_ip6 (and srh if present) are set */
    enum mrc_trim trim;            /* by the DSCP of the outermost IP header */
    uint8_t dscp, ecn;             /* of the outermost IP header; ecn 3 = CE */
    uint8_t inner_dscp, inner_ecn; /* of the inner one; equal to the above outside SRv6 mode */
    uint32_t ev;                   /* from source port and flow label by Q3; IPv4: see Q19 */
    enum mrc_icrc_state icrc_state;
    uint32_t icrc;          /* as found on the wire */
    uint32_t icrc_expected; /* as computed, when it was */
    bool has_icrc_head;     /* icrc_head is set: of long payloads whose ICRC was verified */
    uint32_t icrc_head;     /* CRC of what the ICRC covers before the payload */
    uint32_t wire_len;      /* bytes on the wire, from Ethernet to the end of the ICRC */
    uint32_t payload_len;   /* bytes without pad; of a trimmed packet the bytes it still has */
    uint32_t nominal_len;   /* nominal_pktsize: UDP length + 40 (Q12) */
    const uint8_t *payload; /* into the bytes decoded; NULL if none, or if a snap length cut it */
    uint8_t ip4_opt[40];    /* options of ip4, when its ihl is above 5 */
    struct mrc_eth eth;
    struct mrc_vlan vlan[2];
    struct mrc_ipv6 outer_ip6;
    struct mrc_srh srh;
    struct mrc_ipv4 ip4;
    struct mrc_ipv6 ip6;
    struct mrc_udp udp;
    struct mrc_bth bth;
    struct mrc_meth meth;
    struct mrc_tseth tseth;
    struct mrc_reth reth;
    struct mrc_immdt immdt;
    struct mrc_aeth aeth;
    struct mrc_seth seth;
    struct mrc_cc_state cc_state;
    struct mrc_neth neth;
    struct mrc_peth peth;
    struct mrc_erth erth;
    struct mrc_eeth eeth;
};

#define MRC_PKT_HAS(p, HDR) (((p)->present & (UINT32_C(1) << MRC_HDR_##HDR)) != 0)

/*
 * Decodes caplen captured bytes of a frame of wire_len bytes; what follows the IP length (padding,
 * FCS) is ignored. Never reads past caplen. Headers decoded before an error stay in p; structs of
 * absent headers are left untouched, so look at p->present first.
 *
 * The order of judgement: another protocol, lengths of IP and UDP, ICRC, then version, opcode and
 * the header chain, so that a packet corrupted on its way is not blamed for what it seems to say.
 * When the snap length cut payload or ICRC alone, the result is MRC_WIRE_OK with icrc_state ABSENT
 * and payload NULL. A packet of a trimmed class may end within RETH or ImmDt: then they are absent.
 * When verify_icrc is false the state is left DEFERRED where the bytes are all there.
 */
enum mrc_wire_error mrc_pkt_decode(const struct mrc_wire_config *cfg, const uint8_t *bytes,
                                   size_t caplen, size_t wire_len, bool verify_icrc,
                                   struct mrc_pkt *p);

/*
 * The same for a frame inside the suite: p->payload is f->payload (or within f->hdr when the bytes
 * stand there), the ICRC state is f's. f must outlive the use of p->payload.
 */
enum mrc_wire_error mrc_pkt_decode_frame(const struct mrc_wire_config *cfg,
                                         const struct mrc_frame *f, struct mrc_pkt *p);

/*
 * Encodes the headers p->present names into f. Made right from p->payload_len and the headers
 * present: lengths (IP, UDP), PadCnt, the IPv4 checksum, and what chains headers (EtherType,
 * version, IHL, protocol, next header). The ICRC is deferred, the payload referenced. All other
 * fields are taken as they stand; p->ev, dscp and ecn are not looked at (set udp.src_port, ip6.* or
 * ip4.*). Returns 0, or -1 when the headers do not fit MRC_FRAME_HDR_MAX or the payload is longer
 * than MRC_PAYLOAD_MAX; then *f holds nothing of use.
 */
int mrc_pkt_encode(const struct mrc_wire_config *cfg, const struct mrc_pkt *p, struct mrc_frame *f);

/*
 * Keeps every field as it stands in p: tests and deviants build illegal packets with it. The pad is
 * bth.pad_cnt zero bytes. icrc_state: ABSENT and WRONG (with p->icrc) stay; else it is deferred.
 */
int mrc_pkt_encode_raw(const struct mrc_wire_config *cfg, const struct mrc_pkt *p,
                       struct mrc_frame *f);

/* Writes the right checksum into the IPv4 header of len bytes (20..60) at ip. */
void mrc_ipv4_mend_checksum(uint8_t *ip, size_t len);

/* EV <-> the two fields by the reading of Q3; on IPv4 the flow label half is 0 (Q19 a). */
uint32_t mrc_ev_from_fields(const struct mrc_wire_config *cfg, uint16_t src_port,
                            uint32_t flow_label, bool is_v6);
void mrc_ev_to_fields(const struct mrc_wire_config *cfg, uint32_t ev, uint16_t *src_port,
                      uint32_t *flow_label);

/* PSN arithmetic, 24 bits. mrc_psn_diff(a, b) = a - b in -2^23 .. 2^23-1. */
static inline uint32_t mrc_psn_add(uint32_t psn, int32_t n)
{
    return (psn + (uint32_t)n) & 0xFFFFFFu;
}

static inline int32_t mrc_psn_diff(uint32_t a, uint32_t b)
{
    return (int32_t)((a - b) << 8) >> 8;
}

/* True for opcodes 0xC6..0xCB: the packet is a request that consumes a PSN. */
static inline bool mrc_op_is_write(uint8_t opcode)
{
    return opcode >= MRC_OP_WRITE_FIRST && opcode <= MRC_OP_WRITE_ONLY_IMM;
}

#endif
