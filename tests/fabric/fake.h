/* SPDX-License-Identifier: BSD-2-Clause */
/* A device that sends what it is told, when it is told, and keeps what it gets. */
#ifndef TESTS_FABRIC_FAKE_H
#define TESTS_FABRIC_FAKE_H

#include "harness/fabric/fabric.h"
#include <check.h>
#include <stdio.h>

#define FAKE_SENDS 512u
#define FAKE_GOT   1024u

#define FAKE_QP 0x11u /* destination QP of every packet unless changed */

struct fake_send {
    uint64_t at_ns;
    unsigned port;
    bool done;
    struct mrc_frame f;
};

struct fake_got {
    uint64_t at_ns;
    unsigned port;
    struct mrc_frame f;
    struct mrc_pkt p; /* payload: only as long as the fabric's packet lived */
    enum mrc_wire_error err;
    uint8_t first_byte; /* of the payload */
};

struct fake {
    struct mrct_dut dut;
    struct mrc_wire_config wire;
    uint64_t now_ns;
    struct fake_send send[FAKE_SENDS];
    unsigned sends;
    struct fake_got got[FAKE_GOT];
    unsigned gots;
    /* Misbehaviour */
    uint64_t deadline_ns; /* 0: honest */
    int port_forced;      /* -1: honest */
};

struct fake *fake_new(void);
void fake_free(struct fake *f);

/* A Write Only of len bytes to FAKE_QP over IPv6, ECT(0), trimmable, with TSETH. */
void fake_request(struct mrc_pkt *p, uint32_t psn, uint32_t ev, const uint8_t *payload,
                  uint32_t len);
/* A SACK to FAKE_QP. */
void fake_sack(struct mrc_pkt *p, uint32_t cack, uint32_t ev);
/* Has it sent by a port at a time; returns its number. */
unsigned fake_send(struct fake *f, uint64_t at_ns, unsigned port, const struct mrc_pkt *p);

/* Two of them, on a fabric of one plane and one path without latency steps unless cfg says else. */
struct pair {
    struct fake *host[2];
    struct mrct_fab *fab;
};
void pair_config(struct mrct_fab_config *cfg);
void pair_new(struct pair *t, const struct mrct_fab_config *cfg, uint64_t seed);
void pair_free(struct pair *t);
/* Runs to rest; the account must balance. */
void pair_run(struct pair *t);
/* Sends n Write Onlys of 200 bytes, PSN first.., 1 us apart from host 0. */
void pair_send_many(struct pair *t, uint32_t first_psn, unsigned n);

extern const uint8_t fake_bytes[4096];

Suite *suite_queue(void);
Suite *suite_rules(void);
Suite *suite_acts(void);
Suite *suite_corrupt(void);
Suite *suite_ways(void);
Suite *suite_chance(void);
Suite *suite_broken(void);
Suite *suite_endpoint(void);

#endif
