/* SPDX-License-Identifier: BSD-2-Clause */
/* Two endpoints of two QPs each under a fuzzer, and what must hold of them at any time. */
#ifndef TESTS_FUZZ_WORLD_H
#define TESTS_FUZZ_WORLD_H

#include "ref/endpoint/cc.h"
#include "ref/endpoint/mrc_profile.h"
#include "tests/fuzz/fuzz.h"

#define WORLD_QPS  2u
#define WORLD_MEM  16384u
#define WORLD_VA   UINT64_C(0x7000000000)
#define WORLD_EVS  6u
#define WORLD_HELD 8u

struct world_frame {
    struct mrc_frame frame; /* hdr_len 0: none */
    unsigned to, port;
};

struct world_qp {
    uint32_t qpn;
    uint64_t posted, done; /* writes, counted by wr_id from 0 */
    uint64_t recv_posted, recv_done;
    bool failed; /* its QP_ERROR event was seen */
};

struct world_host {
    struct mrc_ep *ep;
    struct mrc_ep_config cfg;
    struct mrc_qp_attr attr;
    struct mrc_ev evs[WORLD_EVS];
    struct mrc_cc_profile cc;
    uint8_t *mem; /* exactly the region: a sanitizer guards its ends */
    struct mrc_mr mr;
    struct world_qp qp[WORLD_QPS];
};

struct world {
    struct world_host host[2];
    uint64_t now_ns;
    struct world_frame held[WORLD_HELD];
    long allocs_left; /* the allocator refuses when they are used up; < 0: never */
};

/* Draws the set-up from the input. false: the allocator was told to fail, and it ended cleanly. */
bool world_init(struct world *w, struct fuzz_in *in);
void world_fini(struct world *w);
void world_check(struct world *w);

bool world_take(struct world *w, unsigned from, struct world_frame *f); /* f->to is the other */
void world_give(struct world *w, const struct world_frame *f);
void world_set_class(const struct world *w, struct world_frame *f, enum mrc_dscp_class cls,
                     uint8_t ecn);
void world_trim(const struct world *w, struct world_frame *f, bool last_hop);
/* A packet to a QP of host h, below its MRC headers all right. */
void world_packet(const struct world *w, unsigned h, uint8_t opcode, uint8_t nth,
                  struct mrc_pkt *p);
/* A PSN that h expects in a packet of this opcode. */
uint32_t world_psn(const struct world *w, unsigned h, uint8_t opcode);

void world_post(struct world *w, unsigned h, unsigned q, uint32_t len, bool imm, bool wrong_key);
void world_recv(struct world *w, unsigned h, unsigned q);
void world_pass(struct world *w, uint64_t ns);
void world_pass_to_deadline(struct world *w, unsigned h);
/* Destroys, makes again, connects a QP: what 0..3. */
void world_life(struct world *w, unsigned h, unsigned q, unsigned what);
void world_control(struct world *w, unsigned h, unsigned what, uint8_t arg);
void world_misc(struct world *w, unsigned h, unsigned what, uint8_t arg);

#endif
