/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets as text, in a notation that a reader of tcpdump understands, and back.
 *
 *   IP6 fd00::1 > fd00::2 ev 0x304e0be4 dscp 4 ect0: MRC WRITE_MIDDLE qp 0x11 psn 111 A RTX ts 1234
 *       msn 3 rqmsn 0 va 0x10992 rkey 0x1234 dma 5000 len 256          (one line)
 *
 * In front of IP or IP6: "vlan TCI", "qinq TCI". Behind the addresses: "srv6 OUTER-DST", "srh
 * SEGMENT", "from OUTER-SRC", "port N" when it is not 4791, "inner-dscp N" and "inner-ecn N" in
 * SRv6 mode where they differ from the outer ones. Usual values are left out: pkey 0xffff, tver 0,
 * PadCnt that fills the payload to four bytes, a UDP length that fits. "noicrc": none there;
 * "badicrc X": wrong. A field without a word of its own is written as "seth.rsvd2=0x1" when it is
 * not 0. The MAC addresses, TTL and payload bytes are not written.
 */
#ifndef MRC_WIRE_PRINT_H
#define MRC_WIRE_PRINT_H

#include "ref/wire/pkt.h"

#define MRC_PRINT_LINE_MAX 1024u  /* enough for any packet's line */
#define MRC_PRINT_FULL_MAX 32768u /* enough for any packet's full text */

/*
 * One line without newline. err is what decoding p returned: it is added as "[reason]", and headers
 * that did not decode are left out. Returns the characters wanted; buf gets at most cap - 1 of them
 * and a NUL.
 */
size_t mrc_print_line(const struct mrc_pkt *p, enum mrc_wire_error err, char *buf, size_t cap);

/* All fields of all headers with offset, width, value, code name and unit; many lines. */
size_t mrc_print_full(const struct mrc_pkt *p, enum mrc_wire_error err, char *buf, size_t cap);

/*
 * Reads a line of the notation above into p: ready for mrc_pkt_encode() and _raw(), with as many
 * zero bytes of payload as len says. Text in [] at the end is ignored. Returns 0, or -1 with one
 * sentence "column N: ..." in err.
 */
int mrc_print_parse_line(const struct mrc_wire_config *cfg, const char *line, struct mrc_pkt *p,
                         char *err, size_t err_cap);

#endif
