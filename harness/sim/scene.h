/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A scene: a network, what its hosts do, what befalls it and what is expected of it; as a YAML
 * file tells it (docs/reference/sim.md). Every member has a value once a scene was loaded.
 */
#ifndef MRCT_SIM_SCENE_H
#define MRCT_SIM_SCENE_H

#include "harness/cases/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MRCT_SIM_PLANES_MAX 16u
#define MRCT_SIM_TIERS      3u
#define MRCT_SIM_HOSTS_MAX  (1u << 20)
#define MRCT_SIM_ALL        (-1)

/* Kinds of links by what they join. */
enum mrct_sim_tier { MRCT_TIER_NIC, MRCT_TIER_T0_T1, MRCT_TIER_T1_T2, MRCT_TIERS };

/* Traffic classes of a port, the most urgent first. */
enum mrct_sim_class { MRCT_CLASS_CONTROL, MRCT_CLASS_TRIMMED, MRCT_CLASS_DATA, MRCT_CLASSES };

enum mrct_sim_forwarding { MRCT_FORWARD_ECMP, MRCT_FORWARD_STRUCTURED, MRCT_FORWARD_SRV6 };

struct mrct_scene_link {
    uint64_t rate_bps;   /* default 100 Gb/s */
    uint64_t latency_ns; /* of the cable and the switch behind it, default 500 ns */
};

/* A host or a switch of a graph, by its place in the list of its kind. */
struct mrct_graph_node {
    bool host;
    uint32_t id;
};

/* A cable, the same both ways. */
struct mrct_graph_link {
    char **names; /* of its two ends */
    size_t name_count;
    struct mrct_graph_node end[2];
    struct mrct_scene_link link;
    uint32_t queue_bytes; /* limit of the data queues before it; 0: the scene's */
    int line;
};

/* A network link by link. The k-th link of a host is its port k; all hosts have as many. */
struct mrct_scene_graph {
    char **hosts; /* names */
    size_t host_count;
    char **switches;
    size_t switch_count;
    struct mrct_graph_link *links;
    size_t link_count;
};

struct mrct_scene_topology {
    struct mrct_scene_graph graph; /* with hosts: instead of all that follows but planes */
    unsigned planes;               /* port = plane */
    unsigned t0, t1, t2;           /* switches of a tier in a plane; t2 0: two tiers; t1 0: one */
    unsigned pods;                 /* with t2: T0 and T1 switches stand in so many groups */
    unsigned hosts_per_t0;
    struct mrct_scene_link link[MRCT_TIERS];
};

struct mrct_scene_queues {
    uint32_t limit_bytes[MRCT_CLASSES]; /* of a port's queue */
    bool strict;                        /* the most urgent class first; else by weights */
    uint32_t weight[MRCT_CLASSES];
    uint32_t ecn_min_bytes, ecn_max_bytes; /* data queue: from here on by chance, and always */
    uint32_t ecn_ppm;                      /* chance just below the most */
    bool ecn, ecn_last_hop;
    bool trim; /* else what finds a full queue is dropped */
};

struct mrct_scene_endpoint {
    unsigned mtu, evs, ev_active, mpr, timeout, linear_cnt, exp_cnt, qps, loss_limit;
    unsigned reorder_margin, min_active;
    int ip_version;            /* 4 or 6 */
    int transport;             /* enum mrct_sim_transport */
    int cc;                    /* enum mrct_sim_cc */
    uint32_t cwnd_bytes;       /* of fixed */
    uint64_t base_rtt_ns;      /* 0: of the longest path, by the topology */
    uint64_t target_delay_ns;  /* 0: NSCC's own */
    uint64_t probe_ns;         /* 0: the timeout */
    uint64_t reverse_probe_ns; /* 0: never */
    bool trim_nack, fidelity;  /* fidelity: every ICRC computed and verified, payloads copied */
};
enum mrct_sim_transport {
    MRCT_TRANSPORT_MRC,
    MRCT_TRANSPORT_RC, /* goes back N, to compare with: rc.h */
};
enum mrct_sim_cc { MRCT_CC_NSCC, MRCT_CC_FIXED, MRCT_CC_OFF, MRCT_CC_DCQCN };
/* By enum mrct_sim_cc. */
extern const char *const mrct_scene_cc_names[];

enum mrct_sim_work {
    MRCT_WORK_STREAM,
    MRCT_WORK_PERMUTATION,
    MRCT_WORK_INCAST,
    MRCT_WORK_RING,
    MRCT_WORK_ALLTOALL,
    MRCT_WORK_ALLREDUCE,
};

struct mrct_scene_work {
    char *name; /* of the group in the results */
    enum mrct_sim_work kind;
    uint32_t size_bytes; /* of a message; all-reduce: of the vector */
    uint32_t messages;   /* each flow sends; 0: until stop */
    uint32_t depth;      /* messages posted at a time */
    uint32_t qps;        /* QPs that share a flow's messages */
    uint64_t start_ns, stop_ns;
    int64_t first, last; /* hosts that take part */
    int64_t *from, *to;  /* STREAM: pairs; INCAST: from and to[0] */
    size_t from_count, to_count;
    uint32_t steps; /* RING */
    int64_t shift;  /* PERMUTATION: host i to i + shift; 0: at random */
    int64_t *evs;   /* explicit EVs instead of random ones */
    size_t ev_count;
    int line;
};

enum mrct_sim_fault_kind {
    MRCT_SIM_DOWN,     /* links are cut; hosts see their own */
    MRCT_SIM_GRAY,     /* switches lose everything while their links stay up */
    MRCT_SIM_REBOOT,   /* switches and all their links are gone, then back */
    MRCT_SIM_LOSS,     /* links lose packets by chance */
    MRCT_SIM_SLOW,     /* links have another rate */
    MRCT_SIM_MISROUTE, /* a switch sends what is for a host out of a wrong port */
    MRCT_SIM_FAULTS
};

/* Where: a member that is MRCT_SIM_ALL says nothing. A host alone is its NIC's links; two
 * neighbours are the links between them; a switch alone all of its links; nothing but a plane all
 * of the plane. With `tier` and nothing else, one link of that tier at random, each time anew. */
struct mrct_scene_fault {
    enum mrct_sim_fault_kind kind;
    char *name;
    uint64_t at_ns, for_ns; /* for 0: to the end */
    uint64_t every_ns;      /* again after so long, */
    uint32_t count;         /* so many times in all */
    int64_t plane, host, t0, t1, t2;
    int tier; /* enum mrct_sim_tier, or MRCT_SIM_ALL */
    uint32_t loss_ppm;
    uint64_t rate_bps;
    char *sw;       /* of a graph: a switch, */
    char **between; /* or two neighbours, by name */
    size_t between_count;
    struct mrct_graph_node end[2]; /* what they name */
    unsigned ends;
    int64_t ev;            /* LOSS: packets with this EV alone, */
    int64_t to;            /* and to this host: with `host` a path */
    int64_t to_host, port; /* MISROUTE: what is for it; the port, downward ones first */
    bool unseen;           /* hosts do not see that their links are down */
    int line;
};

/* A stretch of time that results speak of. */
struct mrct_scene_phase {
    char *name;
    uint64_t from_ns, to_ns;
};

/* A value of the results, by its path, or its ratio to another, lies between two numbers. */
struct mrct_scene_expect {
    char *what;         /* a sentence */
    char *value, *over; /* over NULL: value itself */
    double min, max;
    bool has_min, has_max;
    int line;
};

/* What a paper reports, beside a value of the results or its ratio to another. */
struct mrct_scene_reported {
    char *what;
    double is[2]; /* from, to; the same: one figure */
    char *value, *over;
    char *phase;   /* when value is a goodput: where it is drawn; or NULL */
    bool estimate; /* the paper's own estimate, no measurement */
    int line;
};

struct mrct_scene {
    char *title;
    char *path;  /* of its file; NULL: made by a program */
    char *paper; /* what a paper reports of the same experiment, or NULL */
    uint64_t seed, limit_ns, sample_ns;
    struct mrct_scene *against; /* the same with other endpoints or queues, to compare with; or
                                   NULL. Its strings and arrays are shared */
    char *against_name;
    struct mrct_scene_topology topology;
    struct mrct_scene_queues queues;
    enum mrct_sim_forwarding forwarding;
    bool hash_flow_label;
    struct mrct_scene_endpoint endpoint;
    struct mrct_scene_work *works;
    size_t work_count;
    int64_t *watch; /* hosts whose frames are judged */
    size_t watch_count;
    struct mrct_scene_fault *faults;
    size_t fault_count;
    struct mrct_scene_phase *phases;
    size_t phase_count;
    struct mrct_scene_expect *expects;
    size_t expect_count;
    struct mrct_scene_reported *reported;
    size_t reported_count;
    struct mrct_pool pool; /* what the pointers point to */
};

/* Reads a scene. Returns 0, or -1 with one sentence "FILE:LINE: ..." in err. mrct_scene_fini() is
 * due in both cases. */
int mrct_scene_load(struct mrct_scene *s, const char *path, char *err, size_t err_cap);
void mrct_scene_seed(struct mrct_scene *s, uint64_t seed);
void mrct_scene_default(struct mrct_scene *s);
void mrct_scene_fini(struct mrct_scene *s);

bool mrct_scene_is_graph(const struct mrct_scene *s);
unsigned mrct_scene_hosts(const struct mrct_scene *s);
const char *mrct_sim_work_str(enum mrct_sim_work w);
const char *mrct_sim_fault_str(enum mrct_sim_fault_kind k);

#endif
