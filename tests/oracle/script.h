/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversations in a line of text, for tests at the edge of a check: what is just allowed, and what
 * is just not. A row tells one, and everything that the oracle says of it.
 *
 * setup, words NAME=VALUE ("?" is an unknown fact): qpn, peer_qpn, mpr, dynamic_mpr, trim_nack,
 * svc_time, max_wimm, timeout, linear_cnt, exp_cnt, sack_threshold, ev_min_active and mtu of the
 * facts; tap (q, r, m for requestor, responder, middle), synced=0 (start PSN unknown), dscp=0
 * (classes unknown), facts=0 (none at all), events, complete, pace, strict, reaction, err (of each
 * time stamp), q<N>=<letter> (reading of a question), planes=<N> (hosts have so many addresses, one
 * to a plane), both (facts know the QP's other direction, too), two (and another QP), begin=<ns>
 * (time of the begin).
 *
 * steps, each a frame 1000 ns after the one before unless a wait stands before it:
 *   w3        request 3, whole in one packet, that arrives; w3..9: from 3 to 9
 *   i3 l3     the same with immediate data; one that is lost on its way
 *   m3-5      a message of packets 3 to 5
 *   r3 R3 c3  request 3 once more, as a retransmission; one that is lost; a copy of the very frame
 *   x3        request 3 of another QP
 *   t3 T3     request 3 as it arrives trimmed; trimmed at the last hop
 *   s3        the SACK that an honest responder sends for the latest arrival of 3
 *   n3 a3 A3  the NACK (reason 6) and the transport ACK of 3; the requestor's ACK of its peer's 3
 *   p7 P7     Reliability Probe 7, and its SACK
 *   e7 f7     Endpoint Request (EV Probe) and its Response; E7: a Port Status Update of the peer
 *   !post3 !done3 !error !port !ev !imm3 !rerror !rport   events, of the requestor; the last three
 *             of the responder
 *   +N        the next frame comes N ns after the one before; in N, T is the timeout and R the
 *             reaction time, and terms may be added: +T-2048. @N: at N ns after the begin
 *   w>8 s>    the next eight requests; the latest one's SACK
 *   9[ ... ]  the steps between, so many times
 * and behind a step ":" with fields that are changed, comma between them: w3:a=1,ecn=3.
 *
 * said: how often the requirement was seen and could be judged, then words: fail@5, warn@5 and
 * unsure@5 for findings of the requirement itself, and NAME@5 for failures of other checks, with
 * their frames (@5+3: two). Nothing else may be said, but that other checks are unsure. Behind a
 * "~" at the end: words in a finding of the requirement.
 */
#ifndef TESTS_ORACLE_SCRIPT_H
#define TESTS_ORACLE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

struct script {
    const char *requirement, *setup, *steps, *said;
};

/* The rows of one file; each file is listed in t_scripts.c. */
struct script_part {
    const char *name;
    const struct script *rows;
    size_t count;
};
#define SCRIPT_PART(name_, rows_)                                                                  \
    {                                                                                              \
        .name = (name_), .rows = (rows_), .count = sizeof(rows_) / sizeof((rows_)[0])              \
    }
extern const struct script_part *const script_parts[];
extern const size_t script_part_count;

/* Tells it twice, the second time with PSNs that wrap: whether just that is said. If not, what was
 * is printed. */
bool script_holds(const struct script *s);

#endif
