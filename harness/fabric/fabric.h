/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fabric in virtual time: hosts, planes, paths; faults that hit exactly the packets they name;
 * a timeline of links; an account of every packet. Deterministic: everything random comes from its
 * seed. Frames are carried by reference; bytes are made only where a rule corrupts or a tap records.
 */
#ifndef MRCT_FABRIC_FABRIC_H
#define MRCT_FABRIC_FABRIC_H

#include "harness/dut/dut.h"

struct mrct_fab;

/* Two hosts, 0 and 1, joined by planes; a path of a plane is chosen by the packet's EV. */
struct mrct_fab_config {
    struct mrc_wire_config wire;
    unsigned planes;            /* 1..MRC_EP_PORTS_MAX; port = plane */
    unsigned paths;             /* per plane, 1..1024: path = ev % paths */
    uint64_t rate_bps;          /* of a NIC port, default 100 Gb/s */
    uint64_t latency_ns;        /* one way, of a path */
    uint64_t latency_step_ns;   /* path i is i steps slower: paths differ, so packets reorder */
    /* Random faults, parts per million of packets, either direction. */
    uint32_t loss_ppm, dup_ppm, ce_ppm, trim_ppm, corrupt_ppm, delay_ppm;
    uint64_t delay_max_ns;      /* of a randomly delayed packet */
};
void mrct_fab_config_default(struct mrct_fab_config *cfg);

/* ---- fault rules ---- */

enum mrct_fault_act {
    MRCT_ACT_DROP,
    MRCT_ACT_DUPLICATE,  /* arg: copies more; arg_ns: delay of each further copy */
    MRCT_ACT_DELAY,      /* arg_ns */
    MRCT_ACT_REORDER,    /* arg: let this many packets of its direction and QP pass first */
    MRCT_ACT_CORRUPT,    /* field (or bit offset) flipped or set; mend: ICRC made right again */
    MRCT_ACT_MARK_CE,
    MRCT_ACT_TRIM,       /* arg: 0 on the way, 1 at the last hop */
    MRCT_ACT_DSCP,       /* arg: new code point */
};

#define MRCT_ANY (-1)

/* Every member that is not MRCT_ANY must match. Directions: 0 = from host 0 to 1, 1 = back. */
struct mrct_fault_match {
    int direction, plane, path;
    int64_t ev, dest_qp, opcode;
    int64_t psn_first, psn_last; /* relative to the first PSN of the flow, of BTH.PSN */
    int retransmission;          /* 0 first sending, 1 RTX=1 */
    int nth_first, nth_last;     /* n-th packet that matches all else, from 1 */
};

struct mrct_fault_rule {
    char name[48];               /* printed in accounts and reports */
    struct mrct_fault_match match;
    enum mrct_fault_act act;
    int64_t arg;
    uint64_t arg_ns;
    char field[48];              /* CORRUPT: "bth.psn" of the generated table, or "" for bit */
    uint64_t value;              /* CORRUPT of a field: xor mask */
    uint32_t bit;                /* CORRUPT of a bit: from the first byte of BTH */
    bool mend_icrc;
    uint64_t hits;               /* counted by the fabric: a rule that never hit proves nothing */
};
void mrct_fault_rule_init(struct mrct_fault_rule *r); /* matches everything, act DROP */

/* ---- a run ---- */

struct mrct_fab *mrct_fab_new(const struct mrct_fab_config *cfg, uint64_t seed);
void mrct_fab_free(struct mrct_fab *fab);
void mrct_fab_attach(struct mrct_fab *fab, unsigned host, struct mrct_dut *dut); /* not owned */
int mrct_fab_add_rule(struct mrct_fab *fab, const struct mrct_fault_rule *r); /* index, or -1 */
const struct mrct_fault_rule *mrct_fab_rule(const struct mrct_fab *fab, int index);
/* PSN that rules count from, for packets to dest_qp at host `to` (and SACKs about it). */
void mrct_fab_psn_base(struct mrct_fab *fab, unsigned to, uint32_t dest_qp, uint32_t start_psn);
/* A link on the timeline: host -1 both, plane, path -1 all of the plane. Packets on it are lost. */
int mrct_fab_link(struct mrct_fab *fab, uint64_t at_ns, int host, unsigned plane, int path, bool up);

/* A frame passing a host's NIC: bytes are gathered, the ICRC in place. out: leaving the host. */
typedef void (*mrct_fab_tap)(void *user, unsigned host, bool out, uint64_t now_ns, unsigned plane,
                             const uint8_t *bytes, size_t len);
void mrct_fab_set_tap(struct mrct_fab *fab, mrct_fab_tap tap, void *user);

/*
 * Runs until `until_ns`, or until nothing is in flight, no dut has a frame to send and no deadline
 * lies before it. after each event at which a dut may have moved, step(user, now) is called: the
 * runner polls completions and posts there. Returns the virtual time reached.
 */
uint64_t mrct_fab_run(struct mrct_fab *fab, uint64_t until_ns, void (*step)(void *user, uint64_t now_ns),
                      void *user);
uint64_t mrct_fab_now(const struct mrct_fab *fab);

/* Every packet accounted for. sent + duplicated = delivered + the drops + in flight. */
struct mrct_fab_account {
    uint64_t sent, duplicated, delivered, in_flight;
    uint64_t dropped_rule, dropped_random, dropped_link, dropped_queue;
    uint64_t corrupted, marked, trimmed, delayed;
};
void mrct_fab_account_get(const struct mrct_fab *fab, struct mrct_fab_account *a);

#endif
