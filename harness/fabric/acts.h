/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a switch does to a packet: mark, reclassify, trim. It sees the outermost IP header alone, so
 * in SRv6 mode the inner one stays as sent. Shared by every fabric, whatever carries its packets.
 */
#ifndef MRCT_FABRIC_ACTS_H
#define MRCT_FABRIC_ACTS_H

#include "ref/wire/pkt.h"

/* p is the decoded frame f. False: this packet cannot be marked, given a class, or trimmed. */
bool mrct_act_mark_ce(struct mrc_frame *f, const struct mrc_pkt *p);
bool mrct_act_dscp(struct mrc_frame *f, const struct mrc_pkt *p, uint8_t dscp);
bool mrct_act_trim(const struct mrc_wire_config *wire, struct mrc_frame *f, const struct mrc_pkt *p,
                   bool last_hop);
/* Mends the checksum of an IPv4 header. */
void mrct_act_fix_ipv4(struct mrc_frame *f, const struct mrc_pkt *p);

/* The same as mrct_act_mark_ce() for who knows where the outermost IP header stands: bytes from the
 * start of the frame. */
bool mrct_act_mark_ce_at(struct mrc_frame *f, size_t ip_at, bool v6);

#endif
