/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fabric in virtual time: hosts, planes, paths; faults that hit exactly the packets they name;
 * a timeline of links; an account of every packet. Deterministic: everything random comes from its
 * seed. Frames are carried by reference; bytes are made only where a rule corrupts or a tap
 * records.
 */
#ifndef MRCT_FABRIC_FABRIC_H
#define MRCT_FABRIC_FABRIC_H

#include "harness/dut/dut.h"

#define MRCT_FAB_HOSTS     2u
#define MRCT_FAB_PATHS_MAX 1024u
#define MRCT_FAB_RULES_MAX 2048u
/* Bytes of UDP header and what follows that a trimming switch keeps at least (UET's MIN_TRIM_SIZE).
 */
#define MRCT_FAB_MIN_TRIM 64u
/* Preamble, FCS and gap: what a frame costs on a port beyond its wire length, bytes. */
#define MRCT_FAB_FRAMING 24u

struct mrct_fab;

/* Two hosts, 0 and 1, joined by planes; a path of a plane is chosen by the packet's EV. */
struct mrct_fab_config {
    struct mrc_wire_config wire;
    unsigned planes;     /* 1..MRC_EP_PORTS_MAX; port = plane */
    unsigned paths;      /* per plane, 1..1024: path = ev % paths (IPv4, and IPv6 without a flow
                            label: source port % paths) */
    uint64_t rate_bps;   /* of a NIC port, default 100 Gb/s, >= 1 Mb/s; 0: a frame takes no time */
    uint64_t latency_ns; /* one way, of a path */
    uint64_t latency_step_ns; /* path i is i steps slower: paths differ, so packets reorder */
    /* Random faults, parts per million of packets, either direction. A mark needs an ECT packet, a
     * trim one of a trimmable class. Corruption flips one bit that the ICRC covers. */
    uint32_t loss_ppm, dup_ppm, ce_ppm, trim_ppm, corrupt_ppm, delay_ppm;
    uint64_t delay_max_ns;    /* of a randomly delayed packet, default 20 us */
    uint64_t random_until_ns; /* from then on nothing random befalls a packet; 0: never */
    /* A frame's payload is copied as it sets out, since its sender's bytes last no longer than the
     * call: those of a receive ring. */
    bool keep_bytes;
    /* A flow that nobody told of counts its PSNs from the first one that is seen of it. */
    bool learn_psn;
};
void mrct_fab_config_default(struct mrct_fab_config *cfg);

/* ---- fault rules ---- */

enum mrct_fault_act {
    MRCT_ACT_DROP,
    MRCT_ACT_DUPLICATE, /* arg: copies more (< 1: one); arg_ns: copy i is i times this later */
    MRCT_ACT_DELAY,     /* arg_ns */
    MRCT_ACT_REORDER, /* arg: let this many packets of its direction and QP arrive first (< 1: one);
                         arg_ns: held no longer than this, 0 = MRCT_REORDER_FLUSH_NS */
    MRCT_ACT_CORRUPT, /* field (or bit offset) flipped; mend: ICRC (and IPv4 checksum) made right */
    MRCT_ACT_MARK_CE, /* an ECT packet only: others pass unmarked, and are no hit */
    MRCT_ACT_TRIM,    /* arg: 0 on the way, 1 at the last hop. A packet of a trimmable class that
                         is longer than what a trim keeps; others pass, and are no hit */
    MRCT_ACT_DSCP,    /* arg: new code point of the outermost IP header, 0..63 */
};
#define MRCT_REORDER_FLUSH_NS UINT64_C(100000)

#define MRCT_ANY (-1)

/*
 * Every member that is not MRCT_ANY must match the packet as it was sent. Directions: 0 = from host
 * 0 to 1, 1 = back. The PSN is BTH.PSN minus the first PSN of the flow, 0 .. 2^24-1, so a SACK that
 * says "nothing yet" has 2^24-1; a member of a range that is MRCT_ANY leaves that end open.
 */
struct mrct_fault_match {
    int direction, plane, path;
    int64_t ev, dest_qp, opcode;
    int64_t psn_first, psn_last;
    int retransmission;      /* BTH.RTX: 0 first sending, 1 retransmission */
    int nth_first, nth_last; /* n-th packet that matches all else, from 1 */
};

struct mrct_fault_rule {
    char name[48]; /* printed in accounts and reports */
    struct mrct_fault_match match;
    enum mrct_fault_act act;
    int64_t arg;
    uint64_t arg_ns;
    char field[48]; /* CORRUPT: "bth.psn" of the generated table, or "" for bit */
    uint64_t value; /* CORRUPT of a field: xor mask */
    uint32_t bit;   /* CORRUPT of a bit: from the first byte of BTH */
    bool mend_icrc;
    uint64_t hits; /* packets it changed, counted by the fabric: a rule that never hit
                      proves nothing */
};
void mrct_fault_rule_init(struct mrct_fault_rule *r); /* matches everything, act DROP */

/* ---- a run ---- */

/* NULL when a member of cfg is out of range or memory fails. */
struct mrct_fab *mrct_fab_new(const struct mrct_fab_config *cfg, uint64_t seed);
void mrct_fab_free(struct mrct_fab *fab); /* NULL is fine; packets in flight are gone */
void mrct_fab_attach(struct mrct_fab *fab, unsigned host, struct mrct_dut *dut); /* not owned */
/* Copies the rule and returns its index; -1: too many rules, a field no header has, a bad argument.
 * Rules act in the order they were added; the first that drops ends it. */
int mrct_fab_add_rule(struct mrct_fab *fab, const struct mrct_fault_rule *r);
const struct mrct_fault_rule *mrct_fab_rule(const struct mrct_fab *fab, int index); /* NULL: none */
/*
 * The PSN that rules count from, 0 where nothing is said. mrct_fab_flow(): requests from src_qp of
 * host `from` to dest_qp of the other host, and SACKs, NACKs and ACKs that come back to src_qp.
 * mrct_fab_psn_base() is the same with the source QP unknown: then what comes back is counted from
 * it only while no other flow leaves that host. Return 0, or -1 when memory fails.
 */
int mrct_fab_flow(struct mrct_fab *fab, unsigned from, uint32_t src_qp, uint32_t dest_qp,
                  uint32_t start_psn);
int mrct_fab_psn_base(struct mrct_fab *fab, unsigned to, uint32_t dest_qp, uint32_t start_psn);
/*
 * A link on the timeline: host -1 both ends, plane, path -1 the NIC's own link and so all paths of
 * the plane. A packet that is sent onto a link that is down, or is on its way when the link goes
 * down, is lost. Hosts are not told: they have to notice. Returns 0, or -1 on a bad argument.
 */
int mrct_fab_link(struct mrct_fab *fab, uint64_t at_ns, int host, unsigned plane, int path,
                  bool up);
/* The run is not over before at_ns, and step() is called then: for what a script does at a time. */
int mrct_fab_wake(struct mrct_fab *fab, uint64_t at_ns);

/*
 * Called for each thing that chance did to a packet, with the rule that would have done the same:
 * it names the packet as the n-th of its direction that no rule of the run dropped. Behind those
 * rules, the later packets' first, such rules repeat a run without chance.
 */
typedef void (*mrct_fab_chance)(void *user, const struct mrct_fault_rule *same);
void mrct_fab_set_chance(struct mrct_fab *fab, mrct_fab_chance told, void *user);

/*
 * A frame passing a host's NIC: bytes are gathered, the ICRC in place. out: leaving the host, so
 * before any fault; in: arriving, after all of them. Times are those of the first bit leaving and
 * of the last bit arriving, and never go back.
 */
typedef void (*mrct_fab_tap)(void *user, unsigned host, bool out, uint64_t now_ns, unsigned plane,
                             const uint8_t *bytes, size_t len);
void mrct_fab_set_tap(struct mrct_fab *fab, mrct_fab_tap tap, void *user);

/*
 * Runs until `until_ns`, or until nothing is in flight, no dut has a frame to send and no deadline
 * lies before it. After each event at which a dut may have moved, step(user, now) is called (NULL:
 * nobody): the runner polls completions and posts there. Returns the virtual time reached:
 * until_ns, or less when everything came to rest or an error stopped the run.
 */
uint64_t mrct_fab_run(struct mrct_fab *fab, uint64_t until_ns,
                      void (*step)(void *user, uint64_t now_ns), void *user);
uint64_t mrct_fab_now(const struct mrct_fab *fab);

/*
 * The same at a pace that is set from outside, for frames that come from real interfaces: all that
 * is due until now_ns happens, the time becomes now_ns, and the duts are asked for frames; their
 * deadlines are their own business. Returns now_ns, or the time of an error. mrct_fab_next() is
 * when the fabric has something to do of itself (MRC_TIME_NEVER: nothing), mrct_fab_at_rest() is
 * true when no packet is under way and nobody waits for a time.
 */
uint64_t mrct_fab_pace(struct mrct_fab *fab, uint64_t now_ns,
                       void (*step)(void *user, uint64_t now_ns), void *user);
uint64_t mrct_fab_next(const struct mrct_fab *fab);
bool mrct_fab_at_rest(const struct mrct_fab *fab);
/* Ports of a host's NIC that could send a frame now, bit = port. */
uint64_t mrct_fab_free_ports(const struct mrct_fab *fab, unsigned host);
/* Whether neither NIC's link of the plane is down now. */
bool mrct_fab_plane_up(const struct mrct_fab *fab, unsigned plane);
/*
 * NULL, or one sentence on why the run cannot go on: a dut whose deadline never moves, that sends
 * on a port that is not free or hands over a frame of impossible lengths; no memory. Static.
 */
const char *mrct_fab_error(const struct mrct_fab *fab);

/* Every packet accounted for. sent + duplicated = delivered + the drops + in flight. */
struct mrct_fab_account {
    uint64_t sent, duplicated, delivered;
    uint64_t in_flight; /* counted by packets held, not from the others: so the sum is a check */
    uint64_t dropped_rule, dropped_random, dropped_link;
    uint64_t dropped_queue;                                  /* no queue has a limit yet: 0 */
    uint64_t corrupted, marked, trimmed, delayed, reordered; /* packets, however they ended */
};
void mrct_fab_account_get(const struct mrct_fab *fab, struct mrct_fab_account *a);
bool mrct_fab_account_balanced(const struct mrct_fab_account *a);

#endif
