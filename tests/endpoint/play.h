/* SPDX-License-Identifier: BSD-2-Clause */
/* One endpoint of the rig, host 1, with the test in the other's place: requests in, answers out. */
#ifndef TESTS_ENDPOINT_PLAY_H
#define TESTS_ENDPOINT_PLAY_H

#include "tests/endpoint/rig.h"

/* A Write Only of 1024 bytes to offset 1024 x n of host 1's memory, PSN 100 + n. */
void play_request(const struct rig *r, int n, struct mrc_pkt *p);
/* The same as part of a long message: First when n = 0, else Middle. */
void play_part(const struct rig *r, int n, struct mrc_pkt *p);
void play_send(struct rig *r, int n);     /* builds and injects a request */
void play_send_ask(struct rig *r, int n); /* the same with A */
/* The packet as a switch trims it, injected; last: at the last hop. */
void play_trimmed(struct rig *r, const struct mrc_pkt *p, bool last);
/* Takes host 1's next control packet, which must have this opcode. */
void play_expect(struct rig *r, uint8_t opcode, struct mrc_pkt *p);
void play_expect_nothing(struct rig *r);

#endif
