/* SPDX-License-Identifier: BSD-2-Clause */
/* A case as it runs. Internal to harness/cases: setup, application, memory, taps, injection. */
#ifndef MRCT_CASES_RUN_PRIV_H
#define MRCT_CASES_RUN_PRIV_H

#include "harness/cases/run.h"
#include "harness/cases/script_dut.h"
#include "harness/cases/verdict.h"
#include "harness/fabric/rng.h"
#include "harness/trace/record.h"

#define MRCT_RUN_GUARD     4096u /* bytes around each region that nobody may touch */
#define MRCT_RUN_READ_ONLY 8192u /* bytes of the region without remote write */
#define MRCT_RUN_VLAN_TCI  0x6064u

/* A host's memory that its peer writes to: guard, target, guard, read-only region, guard. */
struct mrct_run_memory {
    uint8_t *bytes;  /* all of it */
    uint8_t *before; /* what it held at the start */
    size_t len;
    struct mrc_mr target, read_only;
    uint64_t used; /* bytes of the target that writes have been given */
};

/* One posted write, and what is known of it. */
struct mrct_run_write {
    unsigned host, qp; /* host 0 or 1; qp from 0 */
    uint64_t wr_id;    /* index + 1 */
    const uint8_t *src;
    uint32_t size;
    uint64_t va;
    uint32_t rkey;
    bool has_imm;
    uint32_t imm;
    enum mrct_write_target target;
    enum mrct_step_phase phase;
    bool posted, done;
    enum mrc_wc_status status;
};

/* Bytes that the application rewrote after they had been placed. */
struct mrct_run_rewrite {
    uint64_t va;
    uint32_t len;
    bool made;
};

/* One host's end of one QP. */
struct mrct_run_qp {
    uint32_t qpn;
    uint32_t start_psn;
    size_t next_post; /* index of the next write that this side may have to post */
    size_t next_imm;  /* index of the peer's write whose immediate is due next */
    uint32_t recvs;   /* posted so far; the next wr_id is recvs + 1 */
    int error;        /* status of the QP's error, or -1 */
};

struct mrct_run_node {
    struct mrct_dut *dut;  /* the endpoint */
    struct mrct_dut *gate; /* around the endpoint; what the fabric drives */
    struct mrct_run_memory mem;
    struct mrct_run_qp qp[MRCT_CASE_QPS_MAX];
    struct mrc_ev evs[MRC_EP_PORTS_MAX * MRCT_CASE_EVS_MAX]; /* by plane, then index */
    uint16_t ev_index[MRC_EP_PORTS_MAX * MRCT_CASE_EVS_MAX]; /* the device's number of each */
    unsigned ev_count;
    uint32_t ports_down;     /* own ports that were told to be, bit = port */
    struct mrct_facts facts; /* as known at this host's tap */
    struct mrct_oracle *oracle;
    int iface[MRC_EP_PORTS_MAX]; /* in the record */
};

struct mrct_run {
    const struct mrct_run_config *cfg;
    const struct mrct_case *c;
    struct mrct_pool *pool; /* of the result */
    struct mrct_pool own;   /* of the run alone */
    struct mrct_rng rng;
    uint64_t seed;
    struct mrc_wire_config wire;
    struct mrct_run_node node[2];
    struct mrct_fab *fab;
    struct mrct_player *player;    /* of the case's script, or NULL */
    int *rule_index;               /* in the fabric, one per rule of the case */
    struct mrct_record *record;    /* NULL: frames are only counted */
    unsigned sender;               /* host that sent the frame now at a tap */
    uint64_t frames;               /* that passed taps; number of the latest */
    struct mrct_run_write *writes; /* of all steps, in their order */
    size_t write_count;
    struct mrct_run_rewrite *rewrites; /* one per step, for OVERWRITE */
    size_t next_step;
    size_t started_writes; /* writes of the steps that have started */
    size_t done_writes;
    struct mrct_tally tally;
    uint64_t *frames_seen;                /* one per frame expectation */
    struct mrct_result_finding *findings; /* heap, copied to the pool at the end */
    size_t finding_count, finding_cap;
    char words[200], memory_words[300], look_words[300]; /* the tally's sentences */
    char fault[400];
    enum mrct_dut_trouble trouble; /* with a device behind an agent */
    char trouble_words[500];
    size_t phase_step;                           /* index of the step that began the phase */
    uint64_t now_ns;                             /* of the step that is under way */
    uint64_t phase_ns, body_from_ns, body_to_ns; /* when the phase began; the traffic's time */
    struct mrct_run_reading *readings; /* of open questions, each with oracles of its own */
    size_t reading_count;
};

extern const char *const mrct_run_host_names[2];

/* The first fault of the harness stays; later ones change nothing. Returns -1. */
int mrct_run_fault(struct mrct_run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Notes what is wrong with the way to a host's device. True when something is. */
bool mrct_run_troubled(struct mrct_run *r);

/* ---- run_setup.c, run_facts.c: 0, or -1 with the fault told ---- */
int mrct_run_setup(struct mrct_run *r);
int mrct_run_facts(struct mrct_run *r, unsigned host);
/* True when the device under test plays this host. */
bool mrct_run_is_device(const struct mrct_case *c, unsigned host);
void mrct_run_address(const struct mrct_run *r, unsigned host, unsigned plane,
                      struct mrc_addr *addr);

/* ---- run_evs.c: the EVs of a host, by plane, then index ---- */
/* Draws them, and makes the host's profile where there is one. 0, or -1 with the fault told. */
int mrct_run_evs_setup(struct mrct_run *r, unsigned host);
/* What a QP of the host is told of its EVs, and of the way to its peer. */
void mrct_run_evs_attr(const struct mrct_run *r, unsigned host, struct mrc_qp_attr *a);
void mrct_run_evs_peer(const struct mrct_run *r, unsigned host, struct mrc_qp_peer *peer);
/* What may take the place of EV `at` of a host's in its profile: another by the same path. */
#define MRCT_RUN_PROFILE 1u /* id of the profile of each host that has one */
void mrct_run_evs_other(struct mrct_run *r, unsigned host, unsigned at, struct mrc_ev_spec *spec);
/* Asks the device, once it has a QP, for EVs that it made itself. 0, or -1 with the fault told. */
int mrct_run_evs_learn(struct mrct_run *r, unsigned host);

/* ---- run_memory.c ---- */
int mrct_run_memory_setup(struct mrct_run *r, unsigned host, uint64_t target_bytes);
void mrct_run_memory_free(struct mrct_run_memory *m);
/* The bytes behind a VA of the host's memory, or NULL when len of them are not there. */
uint8_t *mrct_run_memory_at(struct mrct_run_memory *m, uint64_t va, uint64_t len);
/* Rewrites a placed packet's bytes, so that a second placement shows. */
void mrct_run_memory_rewrite(struct mrct_run *r, unsigned host, size_t step, uint64_t va,
                             uint32_t len);
/* Compares a host's memory with what it must hold; words into buf when it does not. */
bool mrct_run_memory_check(struct mrct_run *r, unsigned host, char *buf, size_t cap);

/* ---- run_app.c ---- */
int mrct_run_app_setup(struct mrct_run *r);
/* Step function of the fabric: events, then steps that are due, then posting. */
void mrct_run_step(void *run, uint64_t now_ns);
/* What the end of a run tells both oracles, and the tally. */
void mrct_run_app_end(struct mrct_run *r, uint64_t now_ns);
void mrct_run_tell(struct mrct_run *r, const struct mrct_event *ev);

/* ---- run.c, run_repeat.c ---- */
void mrct_run_once(const struct mrct_run_config *cfg, const struct mrct_case *c,
                   struct mrct_pool *pool, struct mrct_result_case *out);
/* As often as c->repeat says; out is that of the first run which did not pass, or of the first. */
void mrct_run_repeated(const struct mrct_run_config *cfg, const struct mrct_case *c,
                       struct mrct_pool *pool, struct mrct_result_case *out);

/* ---- run_readings.c: the same run judged under every reading of the questions that the case's
 * requirements depend on ---- */
int mrct_run_readings_setup(struct mrct_run *r);
void mrct_run_readings_fini(struct mrct_run *r);
void mrct_run_readings_frame(struct mrct_run *r, unsigned host, const struct mrct_obs *obs);
void mrct_run_readings_event(struct mrct_run *r, const struct mrct_event *ev);
void mrct_run_readings_end(struct mrct_run *r, uint64_t now_ns);
/* Fills out->readings where the verdict depends on a reading; after the findings. */
void mrct_run_readings_tell(const struct mrct_run *r, struct mrct_result_case *out);

/* ---- run_tap.c ---- */
int mrct_run_tap_setup(struct mrct_run *r);
void mrct_run_tap(void *run, unsigned host, bool out, uint64_t now_ns, unsigned plane,
                  const uint8_t *bytes, size_t len);

/* ---- gate.c: a device that sends crafted frames besides those of inner, which it does not own
 * ---- */
struct mrct_dut *mrct_gate_new(struct mrct_dut *inner);
void mrct_gate_free(struct mrct_dut *gate);
/* Lets nothing pass any more, in or out: the run comes to rest. */
void mrct_gate_shut(struct mrct_dut *gate);
/* Sends f through plane as soon as its port is free; f and its payload outlive the run. 0 or -1. */
int mrct_gate_add(struct mrct_dut *gate, unsigned plane, const struct mrc_frame *f);

/* ---- inject.c ---- */
/* Builds the frame of a step and hands it to the host's gate. 0, or -1 with the fault told. */
int mrct_run_inject(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns);

/* ---- run_script.c: 0, or -1 with the fault told ---- */
/* Gives the script's host its player, once both hosts have their QPs. */
int mrct_run_script_setup(struct mrct_run *r);
/* What the script came to, for the tally and the result. */
void mrct_run_script_end(struct mrct_run *r, uint64_t now_ns, struct mrct_result_case *out);

/* ---- run_change.c ---- */
/* Carries out a step of that kind; the fault is told when the device refuses. */
void mrct_run_change(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns);

#endif
