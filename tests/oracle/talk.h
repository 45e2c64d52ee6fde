/* SPDX-License-Identifier: BSD-2-Clause */
/* A conversation between "asker" and "answerer", made frame by frame and shown to an oracle. */
#ifndef TESTS_ORACLE_TALK_H
#define TESTS_ORACLE_TALK_H

#include "tests/oracle/watch.h"

#define TALK_MTU       256u
#define TALK_START_PSN 100u
#define TALK_ASKER_QPN 34u
#define TALK_PEER_QPN  17u
#define TALK_TIMEOUT   5 /* exponent */
#define TALK_RTO_NS    (UINT64_C(1024) << TALK_TIMEOUT)
#define TALK_NO_EV     0x00010001u /* what talk_write() gives each packet, plus its PSN */

struct talk {
    struct watch w;
    struct mrct_facts facts;
    struct mrct_oracle_config cfg;
    uint64_t now_ns, frame_no;
};

/* Everything known, strict, tap at the requestor; change facts and cfg before talk_begin(). */
void talk_init(struct talk *t);
struct mrct_fact_qp *talk_qp(struct talk *t);
void talk_begin(struct talk *t);
/* Shows a frame 100 ns after the one before; its number. */
uint64_t talk_frame(struct talk *t, const struct mrc_pkt *p);
uint64_t talk_broken(struct talk *t, const struct mrc_pkt *p, enum mrc_wire_error err);
void talk_event(struct talk *t, enum mrct_event_kind kind, uint64_t wr_id, int status);
void talk_posted(struct talk *t, uint64_t wr_id, const struct mrc_pkt *message);
void talk_wait(struct talk *t, uint64_t ns);
void talk_end(struct talk *t);

/* Packets with every field as an honest endpoint has it. */
struct mrc_pkt talk_write(uint8_t opcode, uint32_t psn, uint16_t msn, uint64_t va, uint32_t len,
                          uint32_t dma_len);
struct mrc_pkt talk_only(uint32_t psn, uint16_t msn);
struct mrc_pkt talk_again(const struct mrc_pkt *first, uint32_t ev);
struct mrc_pkt talk_sack(uint32_t cack, uint64_t above); /* bit 0 of above is cack + 1 */
struct mrc_pkt talk_nack(const struct mrc_pkt *of, uint8_t reason);
struct mrc_pkt talk_ack(uint32_t psn, uint32_t msn, uint8_t syndrome);
struct mrc_pkt talk_probe(uint16_t id);

/* Asserts that a FAIL of this check stands on this frame (0: on any, or none), or that none does.
 */
void talk_fails(const struct talk *t, const char *check, uint64_t frame);
void talk_holds(const struct talk *t, const char *check);
void talk_all_hold(const struct talk *t);
/* Asserts that nothing is said against the requestor; the responder may be. */
void talk_requestor_holds(const struct talk *t);

#endif
