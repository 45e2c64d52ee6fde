/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One case as data: what cases/SECTION/NAME.yaml says, checked and with its defaults filled in.
 * Hosts are 0 (host1) and 1 (host2); planes, paths and indices of EVs count from 0, QPs of a case
 * from 1. All times are virtual ns.
 */
#ifndef MRCT_CASES_CASE_H
#define MRCT_CASES_CASE_H

#include "harness/cases/pool.h"
#include "harness/cases/script.h"
#include "harness/fabric/fabric.h"

#define MRCT_CASE_QPS_MAX  8u
#define MRCT_CASE_EVS_MAX  64u                   /* per plane */
#define MRCT_CASE_SIZE_MAX (UINT32_C(64) << 20)  /* bytes one write step may carry in all */
#define MRCT_CASE_LIMIT_NS UINT64_C(20000000000) /* longest virtual time of a case */

enum mrct_case_device {
    MRCT_DEVICE_REQUESTOR, /* the device is host1, the reference is its peer */
    MRCT_DEVICE_RESPONDER, /* the device is host2 */
    MRCT_DEVICE_BOTH,      /* the device is on both sides */
};
const char *mrct_case_device_str(enum mrct_case_device d);

/* What the EVs of a host are made of, and who makes them. */
enum mrct_ev_format { MRCT_EV_STRUCTURED, MRCT_EV_UDP, MRCT_EV_SRV6, MRCT_EV_SRV6_SRH };
enum mrct_ev_source {
    MRCT_EVS_LIST,      /* each QP is given a list */
    MRCT_EVS_EXPLICIT,  /* a profile that lists them, which all QPs of the host use */
    MRCT_EVS_GENERATED, /* a profile that makes them of fields */
    MRCT_EVS_AUTO,      /* a profile whose EVs the endpoint chooses */
};

/* How one host's endpoint and QPs are set up. */
struct mrct_case_host {
    uint16_t path_mtu;                     /* bytes; the same on both hosts */
    bool ip6;                              /* else IPv4; the same on both hosts */
    bool vlan;                             /* frames carry a tag */
    bool tseth;                            /* requests carry TSETH */
    bool ecn;                              /* requests are sent ECT(0) */
    bool trimmable;                        /* requests go TRIMMABLE */
    bool trim_nack, dynamic_mpr, svc_time; /* attributes told to the peer */
    unsigned evs;                          /* per plane */
    unsigned ev_active;                    /* of all of them; 0: all, no backups */
    unsigned ev_min_active;                /* with so few none is taken for bad; 0: a quarter */
    unsigned ev_loss_limit;                /* losses on an EV that make it bad; 0: none do */
    uint64_t reverse_probe_ns;             /* EV Probes of a QP that only receives; 0: none */
    int ev_format;                         /* enum mrct_ev_format; SRV6 needs ip6 and a profile */
    int ev_source;                         /* enum mrct_ev_source */
    int64_t start_psn;                     /* first PSN sent, or -1: drawn from the seed */
    unsigned mpr;                          /* own receive window, units of 128 PSNs */
    unsigned max_wimm;                     /* WriteImm this host tracks */
    int told_mpr;                          /* told to the peer instead of mpr, or -1 */
    int told_max_wimm;                     /* told to the peer instead of max_wimm, or -1 */
    uint8_t timeout, linear_cnt, exp_cnt;
    uint64_t exp_ceiling_ns;
    uint32_t cwnd_bytes;                   /* with cc 'f' */
    char cc;                               /* 'f' fixed window, 'n' NSCC, 'o' off */
    bool cc_shared;                        /* all QPs use one controller; with cc 'n' */
    uint8_t cwnd_pen;                      /* penalty that SACKs ask for, 0..127 */
    bool restore_cwnd;                     /* r_c of the SACKs */
    uint64_t service_ns;                   /* how long an answer waits */
    char q20;                              /* how that is told */
    unsigned tseth_every;                  /* one request in so many carries TSETH */
    uint32_t sack_threshold, sack_min_pkt; /* bytes */
    uint32_t reorder_margin;               /* PSNs */
    uint16_t dest_port;                    /* UDP */
    char q2, q26;                          /* readings that the reference takes */
    char q9, q10, q11, q17, q22, q25;      /* further ones */
};

enum mrct_step_kind {
    MRCT_STEP_WRITE,      /* count writes of size bytes, with immediates if has_imm */
    MRCT_STEP_RECV,       /* count receives are posted */
    MRCT_STEP_OVERWRITE,  /* the host's application rewrites the bytes that a packet placed */
    MRCT_STEP_INJECT,     /* a crafted packet leaves a host */
    MRCT_STEP_SET_MPR,    /* a host's receive window changes to mpr */
    MRCT_STEP_SHORTAGE,   /* a host turns requests away: the next count, or by chance */
    MRCT_STEP_PORT,       /* a host's own port goes down or comes up */
    MRCT_STEP_EV_STATE,   /* a host's controller sets the state of an EV of its QP */
    MRCT_STEP_EV_REPLACE, /* it puts another EV in the place of one of the host's profile */
};

#define MRCT_QP_ERROR_ANY (-2) /* of an expectation: whether and why a QP fails does not matter */

enum mrct_step_when {
    MRCT_WHEN_NOW,       /* with the step before it */
    MRCT_WHEN_AT,        /* at time at_ns */
    MRCT_WHEN_COMPLETED, /* when every write posted before it has completed */
    MRCT_WHEN_SCRIPT,    /* when the script has come to its line */
};

/* Where a write points. All but GOOD are refused by an honest responder. */
enum mrct_write_target {
    MRCT_TARGET_GOOD,
    MRCT_TARGET_WRONG_RKEY,
    MRCT_TARGET_PAST_END,  /* starts in the region, ends beyond it */
    MRCT_TARGET_BEFORE,    /* starts before the region */
    MRCT_TARGET_READ_ONLY, /* a region without remote write */
};

enum mrct_inject_kind {
    MRCT_INJECT_PROBE,       /* Reliability Probe to the peer's QP */
    MRCT_INJECT_EV_PROBE,    /* Endpoint Request, EV Probe */
    MRCT_INJECT_PORT_STATUS, /* Endpoint Request, Port Status Update */
    MRCT_INJECT_WRITE,       /* a one-packet write the host's requestor never sent */
    MRCT_INJECT_NACK,        /* a NACK about a PSN, to the peer's requestor */
};

struct mrct_inject {
    enum mrct_inject_kind kind;
    int64_t psn;        /* WRITE, NACK: relative to the first PSN of the flow */
    uint16_t id;        /* of a probe or an endpoint request */
    uint32_t size;      /* WRITE: payload bytes */
    uint32_t port_mask; /* PORT_STATUS */
    unsigned plane, ev; /* leaves by this plane, on this EV (index) of the host */
    uint8_t reason;     /* NACK */
    int opcode;         /* BTH.opcode instead of the right one, or -1 */
    int tver;           /* BTH.TVer, 0 unless wanted otherwise */
    bool ack_req;       /* A */
    bool bad_icrc;      /* the ICRC is made wrong */
    int cut;            /* bytes cut off the end of the MRC headers, 0 for none */
};

/* Before the traffic all of the preamble has ended, before the postamble all of the traffic. */
enum mrct_step_phase { MRCT_STEP_BODY, MRCT_STEP_BEFORE, MRCT_STEP_AFTER };

struct mrct_step {
    enum mrct_step_kind kind;
    enum mrct_step_phase phase;
    enum mrct_step_when when;
    uint64_t at_ns;
    int line;       /* in the case's file */
    unsigned host;  /* who acts: 0 or 1 */
    unsigned qp;    /* from 1 */
    uint32_t count; /* WRITE, RECV */
    uint32_t size;  /* WRITE: bytes of each */
    bool has_imm;
    uint32_t imm; /* of the first; the next have imm + 1, ... */
    enum mrct_write_target target;
    int64_t psn;       /* OVERWRITE: relative PSN of the packet whose placement triggers it */
    uint8_t mpr;       /* SET_MPR: units of 128 PSNs */
    uint8_t reason;    /* SHORTAGE: enum mrc_nack_reason */
    uint32_t rate_ppm; /* SHORTAGE: of new requests, instead of count */
    unsigned plane;    /* PORT, EV_STATE, EV_REPLACE */
    bool up;           /* PORT */
    unsigned ev;       /* EV_STATE, EV_REPLACE: index on the plane */
    int state;         /* EV_STATE: enum mrc_ev_state, GOOD or DENIED */
    struct mrct_inject inject;
};

/* A rule for the fabric, with what only the runner can resolve. */
struct mrct_case_rule {
    struct mrct_fault_rule rule;
    int ev_index;      /* EV of the sending host on the rule's plane (or 0), or -1 */
    int qp;            /* from 1, or -1 for any */
    uint64_t hits_min; /* it must have hit so often; 0: it need not hit at all */
    int line;
};

struct mrct_case_link {
    uint64_t at_ns;
    int host; /* 0, 1, or -1 for both */
    unsigned plane;
    int path; /* -1: all of the plane */
    bool up;
};

#define MRCT_WC_STATUSES 10u /* number of enum mrc_wc_status values */

/* Packets that must have been seen leaving a host. */
struct mrct_expect_frames {
    unsigned host;
    int opcode;
    int retransmission; /* -1 any, 0, 1 */
    uint64_t min, max;
    int line;
};

struct mrct_case_expect {
    bool all_success; /* every write completes with success; else counts are given */
    uint64_t done_min[MRCT_WC_STATUSES], done_max[MRCT_WC_STATUSES]; /* by enum mrc_wc_status */
    bool all_done;            /* every write completes, one way or another */
    int qp_error[2];          /* enum mrc_wc_status of the host's QP error, or -1: none */
    int64_t imm_min, imm_max; /* receive completions with immediates, in order; -1: all posted */
    bool memory;              /* responder memory is as it must be */
    struct mrct_expect_frames *frames;
    size_t frame_count;
    /* From the first step of the traffic to the last completion of its writes; has_pace: judged. */
    bool has_pace;
    uint64_t time_min_ns, time_max_ns;
    uint64_t goodput_bps; /* at least, of the writes that succeeded in that time */
    uint64_t margin_ns; /* by which both may be missed; the harness's clock must not err by more */
};

/* All of the case is run so often, each time from another seed; runs 0: once. */
struct mrct_case_repeat {
    unsigned runs;
    uint32_t share_ppm; /* of runs that have to pass */
    int confidence;     /* per cent: 90, 95 or 99 */
};

struct mrct_case {
    struct mrct_pool pool; /* owns everything below */
    char *id;              /* "sack/on-ce" */
    char *section;         /* "sack" */
    char *file;            /* path it was read from, "" for a generated one */
    int version;
    char *title, *purpose;
    const char **requirements; /* ids of the generated table */
    size_t requirement_count;
    char **references;
    size_t reference_count;
    enum mrct_case_device device;
    char **capabilities; /* the device must declare these */
    size_t capability_count;
    struct mrct_fab_config fabric;
    struct mrct_case_host host[2];
    unsigned qps;
    struct mrct_step *steps;
    size_t step_count;
    struct mrct_case_rule *rules;
    size_t rule_count;
    struct mrct_case_link *links;
    size_t link_count;
    struct mrct_script *script; /* NULL: both sides are endpoints. Its calls are the steps */
    struct mrct_case_expect expect;
    struct mrct_case_repeat repeat;
    char *positive; /* id of the positive twin, or NULL */
    char **possible_problems;
    size_t problem_count;
    uint64_t limit_ns; /* virtual time at which the case is over */
    bool exact_time;   /* it rests on times that only virtual time keeps */
};

/* Everything at its default; id, section, file, title and purpose "". */
void mrct_case_init(struct mrct_case *c);
void mrct_case_fini(struct mrct_case *c);

/*
 * Reads one case. id is what its place in the tree calls for ("sack/on-ce"), or NULL to take the
 * file's word. Returns 0, or -1 with one sentence "FILE:LINE: ..." in err and c finished.
 */
int mrct_case_load(struct mrct_case *c, const char *path, const char *id, char *err,
                   size_t err_cap);

/* The same of a text instead of the file; path is what errors call it. text NULL: the file. */
int mrct_case_parse(struct mrct_case *c, const char *path, const char *text, const char *id,
                    char *err, size_t err_cap);

/* The names cases and options may use for capabilities, NULL-terminated. */
extern const char *const mrct_capabilities[];

/* The host that the harness's script plays; only where there is a script. */
static inline unsigned mrct_case_scripted_host(const struct mrct_case *c)
{
    return c->device == MRCT_DEVICE_REQUESTOR;
}

/* True when the case makes the device's peer say what an honest one would not: a step injects
 * frames, or an attribute is told wrongly. Then the peer is not judged. */
bool mrct_case_peer_misled(const struct mrct_case *c);

#endif
