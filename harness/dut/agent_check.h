/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is an agent fit to speak for its device? It is asked what no case asks, in sessions of its own,
 * before any verdict: another version, unknown operations and cases, garbage, calls out of turn;
 * and whether it can do what it claims.
 */
#ifndef MRCT_DUT_AGENT_CHECK_H
#define MRCT_DUT_AGENT_CHECK_H

#include "harness/dut/agent.h"

enum mrct_check_end {
    MRCT_CHECK_OK,
    MRCT_CHECK_BAD,
    MRCT_CHECK_NOT_SHOWN, /* the agent did its part, but the device did not do what it claims */
    MRCT_CHECK_SKIPPED
};

struct mrct_agent_check {
    /* A new session; NULL with a sentence in err. */
    struct mrct_agent_io *(*open)(void *user, char *err, size_t err_cap);
    /* The outcome of one item: its name, what it asks, and why it is bad or was skipped ("" when it
     * is good). */
    void (*tell)(void *user, const char *item, const char *what, enum mrct_check_end end,
                 const char *why);
    void *user;
    const char *const *case_ids; /* those there are, NULL-terminated; one that it knows is used */
    const char *const *capabilities; /* that cases ask for, NULL-terminated */
    const char *only;                /* this item alone and those that it rests on; NULL: all */
    uint64_t seed;                   /* of the names that nobody can know */
};

/* All items. Returns how many were bad or not shown; -1: no session at all, with a sentence in err.
 */
int mrct_agent_check(const struct mrct_agent_check *check, char *err, size_t err_cap);

/* ---- agent_bench.c: an agent's device and the reference endpoint on a wire that loses nothing
 * ---- */

/* How the two are set up, and what was seen of the device. */
struct mrct_bench {
    struct mrc_ep_config cfg; /* of both, addresses apart */
    struct mrc_qp_attr attr;  /* of both, but for numbers */
    bool imm, trim; /* writes carry an immediate; the first request to the device is trimmed */
    bool set_mpr, ev_control, port_control;
    /* Seen of what the device sent. */
    uint32_t frames, requests, with_tseth, with_vlan, trimmable, with_imm, srv6, trim_nacks;
    uint64_t ports;      /* by which requests left */
    bool sent, received; /* the writes of the device arrived, those to the device did */
    uint32_t hash;       /* of all that it sent: two runs with one seed have the same */
};
void mrct_bench_init(struct mrct_bench *b);
/* Runs it. 0, or -1 with a sentence on what the device could not do. */
int mrct_bench_run(struct mrct_bench *b, struct mrct_agent *a, const char *case_id, char *err,
                   size_t err_cap);

#endif
