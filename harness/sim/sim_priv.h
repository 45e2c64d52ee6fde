/* SPDX-License-Identifier: BSD-2-Clause */
/* What the simulator's files share. Nobody outside harness/sim includes this. */
#ifndef MRCT_SIM_PRIV_H
#define MRCT_SIM_PRIV_H

#include "harness/fabric/rng.h"
#include "harness/sim/arena.h"
#include "harness/sim/rc.h"
#include "harness/sim/sim.h"
#include "harness/sim/wheel.h"
#include "harness/trace/obs.h"
#include "ref/endpoint/cc.h"
#include "ref/endpoint/mrc_ep.h"

#define SIM_NONE UINT32_MAX
/* Both ends of a flow have the QP of this number and the flow's index. */
#define SIM_QPN_FIRST 16u
/* SRv6: the locator of all uSIDs. A uSID is tier (3: a host's port), plane, and a code of 10 bits
 * that is never 0, since a uSID of 0 ends a carrier: of a T0 and of a port its index from 1; of a
 * T1 the pod, and behind it the place there from 1; of a T2 the place from 1 of the T1 switches
 * that it joins, and behind it its own among their T2s from 1. So a place is the EV's bits as they
 * are. */
#define SIM_LOCATOR   0x5F000001u
#define SIM_USID_BITS 10u
#define SIM_USID(t, p, code)                                                                       \
    ((uint16_t)((unsigned)(t) << 14 | (unsigned)(p) << 10 | (unsigned)(code)))

enum sim_kind {
    SIM_ARRIVE,    /* what: a packet; arg: the port that it left by */
    SIM_PORT_FREE, /* arg: a switch's port where something waits */
    SIM_NIC_FREE,  /* arg: a host's port */
    SIM_START,     /* arg: a flow begins */
    SIM_SAMPLE,    /* queues and goodput are noted */
    SIM_FAULT,     /* arg: index into faults; what: NULL begins, else ends */
    SIM_PHASE,     /* arg: phase * 2, + 1 at its end */
};

#define SIM_LINE 64 /* of a cache, bytes: what switches look at fits one */

/* A packet under way. What switches look at stands in front. */
struct sim_pkt {
    _Alignas(SIM_LINE) struct sim_pkt *next; /* of its queue, or of the free list */
    uint32_t len;                            /* what it takes on a link, bytes with framing */
    uint32_t dst;                            /* host, by its inner address; SIM_NONE: nobody's */
    uint32_t edge, local;                    /* T0 switch of dst, and its port there */
    uint32_t hash;                           /* of its 5-tuple (and flow label) */
    uint32_t entropy;                        /* the EV as the header has it */
    uint32_t epoch;                          /* of its link when it left */
    uint32_t qpn;                            /* it is for; of a request the flow's */
    uint8_t cls;                             /* enum mrct_sim_class */
    uint8_t plane;
    uint8_t ip_at; /* offset of the outermost IP header */
    uint8_t hops;  /* links traversed */
    bool v6, srv6, request;
    uint8_t *bytes; /* full fidelity: the frame as sent; NULL else */
    _Alignas(SIM_LINE) struct mrc_frame frame;
};

struct sim_fifo {
    struct sim_pkt *first, *last;
};

/* The sending end of a link. Hosts' ports come first: host * planes + plane. */
struct sim_port {
    _Alignas(SIM_LINE) uint64_t busy_ps; /* when the last bit of what it sends is gone */
    uint32_t ps_per_byte_q8;             /* ps / 256 a byte */
    uint32_t latency_ns;
    uint32_t to;    /* host, or switch */
    uint32_t epoch; /* times it went down */
    bool to_host, upward, waiting;
    bool troubled;                /* something below is not 0 */
    uint8_t tier, plane;          /* enum mrct_sim_tier */
    uint8_t turn;                 /* class whose turn it is, by weights */
    uint32_t queued;              /* packets in all queues */
    uint32_t depth[MRCT_CLASSES]; /* of the queues, bytes */
    uint64_t packets, bytes;      /* sent */
    struct sim_fifo q[MRCT_CLASSES];
    uint32_t limit_data; /* of the data queue, bytes */
    uint32_t depth_max;  /* deepest of it, up to the last sample, */
    uint32_t depth_seen; /* and since then */
    uint32_t depth_next; /* port that was noted before it, when depth_seen > 0 */
    int32_t deficit[MRCT_CLASSES];
    uint64_t marked, trimmed, dropped;
    uint64_t rate_bps;          /* when it is not slow */
    uint32_t downs;             /* faults that keep it down */
    uint32_t loss_ppm, loss_by; /* of packets, and which fault's */
    int64_t loss_ev;            /* with this EV alone, or MRCT_SIM_ALL */
    int64_t loss_to;            /* to this host alone, or MRCT_SIM_ALL */
};

struct sim_switch {
    _Alignas(SIM_LINE) uint32_t seed;
    uint32_t index; /* in its tier and plane */
    uint8_t tier;   /* 0, 1, 2 */
    uint8_t plane;
    uint16_t usid;                                       /* SRv6 */
    uint32_t down_first, down_count, up_first, up_count; /* ports */
    uint32_t edge_first, edge_count, edge_step; /* T0 switches below, and how many a port has */
    uint32_t grays, gray_by;                    /* faults that make it lose everything; the last */
    uint32_t wrong_host, wrong_port, wrong_by;  /* what is for the host goes there; SIM_NONE */
    uint8_t field_at;                           /* bits of an EV before those of its tier */
};

/* Of a network told link by link: the ports on shortest paths, next[first ..]. */
struct sim_route {
    uint32_t first, count;
};

/* Where a host's port is attached: the switch, and the place of its port there. */
struct sim_spot {
    uint32_t edge, local;
};

struct sim_graph {
    struct sim_route *routes; /* [switch * switches + edge switch] */
    uint32_t *next;           /* ports */
    uint32_t next_count, next_cap;
    struct sim_spot *spots; /* by port of a host */
    uint32_t *reverse;      /* by port: the one at the link's other end */
};

struct sim_host {
    _Alignas(SIM_LINE) struct mrc_ep *ep; /* NULL: rc */
    struct sim_watch *watch;              /* who judges its frames; NULL: nobody */
    uint64_t free_mask;
    uint64_t wake_ns; /* of its entry in the heap of wakes */
    uint32_t wake_pos;
    uint32_t rkey;
    struct sim_rc *rc; /* transport rc */
};

struct sim_flow {
    uint32_t src, dst, work;
    uint64_t size_bytes;      /* of a message */
    uint32_t messages, depth; /* messages 0: until stop_ns */
    uint32_t posted, done;
    uint32_t received; /* chained: messages that the receiver was told of */
    uint32_t recvs;    /* chained: receives posted */
    uint64_t *post_ns; /* of the messages that are not done: by their number, modulo depth */
    uint64_t start_ns, stop_ns;
    uint64_t first_ns, end_ns; /* of its first post; of its last completion */
    uint64_t acked_bytes;
    uint32_t rank; /* chained: in its work */
    int status;    /* enum mrc_wc_status of a failure, or 0 */
    bool chained;  /* a step of a work in steps: its messages end with an immediate */
    bool finished;
};

/* Queues of a kind: [tier][0 up, 1 down], bytes. */
struct sim_depths {
    uint64_t bytes[MRCT_TIERS][2];
};

struct sim_sample {
    uint64_t at_ns;
    struct sim_depths depth; /* deepest data queues since the sample before */
    uint64_t marked, trimmed, dropped;
};

struct sim_link_depth {
    uint32_t interval, port, bytes; /* deepest data queue */
};

/* Of every link over time. */
struct sim_link_queues {
    struct sim_link_depth *depth;
    size_t count, cap;
    uint32_t stride; /* samples an interval */
};

/* A fault at one time and place: made of those of the scene. */
struct sim_fault {
    uint32_t scene; /* index there */
    uint64_t at_ns, end_ns;
    uint32_t *ports; /* both directions of its links */
    size_t port_count;
    uint32_t *switches;
    size_t switch_count;
    uint64_t hits; /* packets that it took or led astray */
};

/* The network's account and the works' bytes at the ends of a phase. */
struct sim_phase {
    bool began, ended;
    struct mrct_sim_account at[2];
    uint64_t *delivered[2]; /* by work */
};

/* What a work has come to. */
struct sim_work {
    uint32_t flow_first, flow_count;
    uint32_t ranks, steps;    /* of a work in steps */
    uint32_t *step;           /* of each rank: the one it is at */
    uint64_t delivered_bytes; /* payload that reached its hosts */
    uint64_t *latencies;      /* of its messages, ns */
    size_t latency_count, latency_cap;
    uint64_t *sampled; /* delivered_bytes at each sample */
};

/* Hosts that events soon touch, and their packets (NULL: none), a step of warm.c apart. */
#define SIM_WARM_STEPS 5u
struct sim_warm_host {
    const struct mrc_ep *ep;
    const struct sim_pkt *pkt;
};
struct sim_warm {
    bool on; /* more is in use than a cache holds */
    uint32_t count;
    struct sim_warm_host host[SIM_WARM_STEPS];
};

struct mrct_sim {
    const struct mrct_scene *scene;
    struct mrc_wire_config wire;
    struct mrct_arena arena;
    struct mrct_wheel wheel;
    struct sim_warm warm;
    uint64_t now_ns;
    struct mrct_rng rng;
    uint32_t planes, host_count, switch_count, port_count;
    struct sim_host *hosts;
    struct sim_switch *switches;
    struct sim_port *ports;
    struct sim_graph *graph; /* NULL: planes and tiers */
    uint8_t class_of[64];    /* by DSCP */
    struct sim_pkt *free_pkts;
    uint32_t *wakes; /* heap of hosts by wake_ns */
    struct sim_flow *flows;
    uint16_t *work_of; /* by flow: what a packet asks, close together */
    size_t flow_count, flows_done;
    uint8_t *memory; /* all messages come from and go to it */
    uint64_t memory_bytes;
    uint64_t base_rtt_ns;
    struct mrct_sim_account account;
    struct sim_depths depth, depth_max; /* since a sample; since the start */
    struct sim_work *works;
    struct sim_fault *faults;
    size_t fault_count, fault_cap;
    struct sim_phase *phases;
    struct sim_watch *watches;
    struct sim_sample *samples;
    size_t sample_count, sample_cap;
    uint32_t noted; /* ports that held something since the last sample; SIM_NONE ends the list */
    struct sim_link_queues link_queues;
    char err[256]; /* "" while all is well */
};

/* Notes the first thing that went wrong. */
void sim_fail(struct mrct_sim *sim, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_schedule(struct mrct_sim *sim, uint64_t at_ns, enum sim_kind kind, uint32_t arg,
                  void *what);

/* topo.c */
int sim_topology(struct mrct_sim *sim);
/* A full packet there and a short one back over a link, without waiting. */
uint64_t sim_link_rtt_ns(const struct mrct_scene *s, uint64_t latency_ns, uint64_t rate_bps);
/* graph.c */
int sim_graph(struct mrct_sim *sim);
void sim_graph_fini(struct mrct_sim *sim);
/* Bits of an EV under SRv6, the lowest first: the T1's place in its pod, the T2's among the T1's.
 */
struct sim_usid_widths {
    unsigned t1, t2;                   /* bits */
    unsigned t1_pod, t2_group, t0_pod; /* switches */
};
struct sim_usid_widths sim_usid_widths(const struct mrct_scene_topology *t);
uint16_t sim_usid_of(const struct mrct_scene_topology *t, unsigned tier, unsigned plane,
                     unsigned index);
uint32_t sim_srv6_ev(const struct mrct_sim *sim, unsigned i);
unsigned sim_srv6_ways(const struct mrct_sim *sim);
struct mrc_srv6_template sim_srv6_template(const struct mrct_sim *sim, uint32_t from, uint32_t to);
/* The static table: the port towards the node that a uSID names, as far as it is a neighbour. */
uint32_t sim_usid_port(const struct mrct_sim *sim, const struct sim_switch *w, uint32_t usid);
uint32_t sim_nic_port(const struct mrct_sim *sim, uint32_t host, unsigned plane);
/* The port of a T0 switch towards a host. */
uint32_t sim_host_port(const struct mrct_sim *sim, uint32_t host, unsigned plane);

/* pkts.c */
struct sim_pkt *sim_pkt_take(struct mrct_sim *sim); /* NULL: no memory, noted */
void sim_pkt_give(struct mrct_sim *sim, struct sim_pkt *pkt);

/* port.c: a packet goes into a switch's port, or is trimmed, or dropped. */
void sim_port_put(struct mrct_sim *sim, uint32_t port, struct sim_pkt *pkt);
void sim_port_free(struct mrct_sim *sim, uint32_t port);
/* Sends now; the port is free. */
void sim_port_send(struct mrct_sim *sim, struct sim_port *p, uint32_t id, struct sim_pkt *pkt);
void sim_drop(struct mrct_sim *sim, struct sim_pkt *pkt, uint64_t *counter);

/* classify.c: reads from a frame's headers what switches need. */
void sim_classify(struct mrct_sim *sim, struct sim_pkt *pkt, unsigned plane);
void sim_address(const struct mrct_sim *sim, uint32_t host, unsigned plane, struct mrc_addr *a);

/* forward.c */
unsigned sim_bits_for(uint32_t n); /* that tell n things apart */
void sim_forward(struct mrct_sim *sim, uint32_t sw, struct sim_pkt *pkt);
/* The port that a packet would take, if that can be told without changing it; else SIM_NONE. */
uint32_t sim_route(const struct mrct_sim *sim, uint32_t sw, const struct sim_pkt *pkt);

/* host.c */
int sim_hosts(struct mrct_sim *sim);
void sim_hosts_fini(struct mrct_sim *sim);
void sim_host_arrive(struct mrct_sim *sim, uint32_t host, struct sim_pkt *pkt);
void sim_host_free_port(struct mrct_sim *sim, uint32_t port);
void sim_host_wake(struct mrct_sim *sim, uint32_t host);
/* Sends what it has to send, and notes when it wants to be called. After anything done to it. */
void sim_host_settle(struct mrct_sim *sim, uint32_t host);
uint64_t sim_wake_next_ns(const struct mrct_sim *sim);
/* A write of a flow; 0 or an mrc_ep_error. */
int sim_host_post(struct mrct_sim *sim, uint32_t flow, const struct mrc_write *w);
/* What a flow's sender or receiver counted of it; zeros when there is nothing. */
void sim_flow_counters(const struct mrct_sim *sim, uint32_t flow, bool sender,
                       struct mrc_qp_counters *out);

/* work.c */
int sim_works(struct mrct_sim *sim);
void sim_works_fini(struct mrct_sim *sim);
void sim_flow_start(struct mrct_sim *sim, uint32_t flow);
void sim_flow_event(struct mrct_sim *sim, uint32_t host, const struct mrc_ep_event *ev);

/* faults.c */
int sim_faults(struct mrct_sim *sim);
void sim_faults_fini(struct mrct_sim *sim);
void sim_fault_turn(struct mrct_sim *sim, uint32_t fault, bool on);
/* A packet came to the end of a troubled link: false: it is lost, and gone. */
bool sim_fault_passes(struct mrct_sim *sim, const struct sim_port *p, struct sim_pkt *pkt);
/* fault_places.c: the ports and switches that a fault of the scene means. */
int sim_fault_place(struct mrct_sim *sim, struct sim_fault *f);
/* port.c: everything that waits is lost. */
void sim_port_flush(struct mrct_sim *sim, uint32_t port);
/* topo.c: the switch of a tier and plane, by its index there. */
uint32_t sim_switch_id(const struct mrct_sim *sim, unsigned plane, unsigned tier, uint32_t index);

/* watch.c: oracles at the NICs of some hosts. */
int sim_watches(struct mrct_sim *sim);
void sim_watches_fini(struct mrct_sim *sim);
void sim_watch_frame(struct mrct_sim *sim, struct sim_watch *w, bool out,
                     const struct sim_pkt *pkt);
/* What an application did or was told at an end of a flow, to those who watch one of its ends.
 * Host, QPN and time are filled in. */
void sim_watch_event(struct mrct_sim *sim, uint32_t flow, bool at_sender, struct mrct_event ev);
/* A host saw its own port go down or (up) come back: told for each of its QPs. */
void sim_watch_port(struct mrct_sim *sim, uint32_t host, unsigned plane, bool up);
/* What became of a watched host's requests by their EV: sent here, and as far as their receiver is
 * watched too, arrived there. */
struct sim_ev_count {
    uint64_t sent, rtx, delivered, marked, trimmed;
};
void sim_watch_ev(const struct mrct_sim *sim, uint32_t flow, uint32_t ev, struct sim_ev_count *out);
void sim_watches_end(struct mrct_sim *sim);
json_t *sim_watches_json(const struct mrct_sim *sim);

/* phases.c */
int sim_phases(struct mrct_sim *sim);
void sim_phases_fini(struct mrct_sim *sim);
void sim_phase_note(struct mrct_sim *sim, uint32_t end);
json_t *sim_phases_json(const struct mrct_sim *sim);
json_t *sim_faults_json(const struct mrct_sim *sim);

/* connect.c */
int sim_connect(struct mrct_sim *sim, uint32_t flow);

/* warm.c: asks the cache for what the next events will touch. */
void sim_warm(struct mrct_sim *sim);

#define SIM_NAME_MAX 128
/* names.c: a host or switch as results call it: its name in a graph, or host3, t1.4; into buf. */
const char *sim_node_name(const struct mrct_sim *sim, bool host, uint32_t id,
                          char buf[SIM_NAME_MAX]);
/* The sending end of a port's link: a host (true) or a switch. */
bool sim_port_sender(const struct mrct_sim *sim, uint32_t port, uint32_t *id);

/* link_queues.c */
void sim_link_queues_sample(struct mrct_sim *sim);
void sim_link_queues_fini(struct mrct_sim *sim);
json_t *sim_link_queues_json(const struct mrct_sim *sim);
uint32_t sim_port_deepest(const struct sim_port *p); /* data queue, bytes */

/* samples.c */
void sim_sample(struct mrct_sim *sim);
void sim_depth_fold(struct mrct_sim *sim); /* takes what was seen since the last sample */

#endif
