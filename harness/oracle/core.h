/* SPDX-License-Identifier: BSD-2-Clause */
/* The oracle's own parts, shared by oracle.c, speak.c, dues.c and flow.c; checks do not see it. */
#ifndef MRCT_ORACLE_CORE_H
#define MRCT_ORACLE_CORE_H

#include "harness/oracle/check.h"

/* Numbers of rows, by what they asked for. */
struct row_list {
    uint32_t *rows;
    struct row_call *calls; /* the same rows, as show() needs them; on_frame lists only */
    size_t count;
};
/* A row as it is called for each frame. */
struct row_call {
    void (*on_frame)(struct look *l);
    const struct check *check;
    uint32_t row;
    bool sees_bad_icrc;
    bool steady; /* lane.h */
};
/* A row as it answers "holds" for each frame. */
struct row_pass {
    uint64_t *exercised; /* of its result; or of spare, for a row without a requirement */
    unsigned taps;       /* where it can be decided, bits by enum mrct_tap */
};

/* One host: of the facts file, or an address that no fact knows. */
struct host {
    const char *name; /* the facts' or words_mem */
    char *words_mem;  /* owned; NULL for a host of the facts */
    bool is_v6;       /* the address, of a learned host only */
    uint8_t ip[16];
};

/* Open addressing, power-of-two size; a slot with used false ends a probe. */
struct flow_slot {
    bool used;
    uint8_t what;  /* enum flow_key */
    uint32_t a, b; /* host numbers, asker first */
    uint32_t qpn;
    struct flow *flow;
};
enum flow_key {
    FLOW_BY_PEER_QPN, /* both hosts, the responder's QPN */
    FLOW_BY_QPN,      /* both hosts, the requestor's QPN */
    FLOW_OF_NODES,    /* both hosts */
    FLOW_AT_ASKER,    /* the requestor's host twice, its QPN: for events */
    FLOW_AT_ANSWERER, /* the responder's host twice, its QPN */
};

struct flow_map {
    struct flow_slot *slots;
    size_t cap, used;
};

#define FLOWS_MAX     4096u /* more are counted as unpaired */
#define HOSTS_MAX     4096u
#define UNLEARNED_MAX 64u /* flows whose requestor's QPN is still to be learned */

#define MODELS_MAX 16u

/* An address and its host, found before. */
struct host_hint {
    uint64_t lo, hi;
    int host;
    bool is_v6, used;
};
#define HOST_HINTS 64u

/* How the halves of an EV stand in answers, against how requests are read. */
enum halves { HALVES_UNKNOWN, HALVES_AS_READ, HALVES_SWAPPED };

struct mrct_oracle {
    struct mrct_oracle_config cfg;
    struct mrct_facts no_facts; /* stands in where none are given */
    bool complete;              /* cfg.complete, and no cut frame seen */
    bool out_of_memory;         /* flows were refused; everything later is INCONCLUSIVE */

    const struct check **rows;           /* all tables, one after the other */
    const struct mrc_requirement **reqs; /* of each row; NULL when the tables know none */
    size_t *result_of;                   /* of each row, index into results */
    struct row_pass *passes;             /* of each row */
    uint64_t spare;
    size_t row_count;
    struct row_list by[3][KIND_COUNT];   /* on_frame, by scope and kind */
    struct row_list on_event, on_end[3]; /* on_end by scope */
    struct row_list lively[3];           /* on_frame for requests, those that are not steady */
    struct model_calls {                 /* of flows of QPs, in the order of mrct_models */
        void (*before[MODELS_MAX])(struct look *l);
        void (*after[MODELS_MAX])(struct look *l);
        unsigned before_count, after_count;
    } qp_models;
    struct mrct_req_result *results;
    size_t result_count;
    struct flow_said *said; /* of rows without a flow */

    struct host_hint hints[HOST_HINTS];
    struct host *hosts;
    size_t host_count, fact_hosts;
    int tap_host; /* number, or FLOW_HOST_NONE while unknown or in the middle */
    enum halves halves;
    bool tap_guessed; /* from the first connection seen, not from facts */
    bool tap_doubted; /* and both hosts turned out to be requestors */
    struct flow_map map;
    struct flow **flows; /* in order of appearance */
    size_t flow_count, flow_cap;
    struct flow *unlearned[UNLEARNED_MAX];
    size_t unlearned_count;
    uint32_t unpaired_said; /* kinds of frame whose unpaired ones were reported */

    uint64_t now_ns; /* never goes back */
    uint64_t frames, not_mrc, cut, unpaired;
    uint64_t findings;   /* emitted */
    struct flow *paired; /* flow of the newest frame, or NULL */
    struct lane **lanes; /* LANES of them, NULL where none; itself NULL before the first */
    uint32_t stir;       /* counts what may matter to any flow: events, frames of nodes, NAKs */
};

/* ---- flow.c: pairing ---- */
int mrct_flows_init(struct mrct_oracle *o); /* creates the flows of the facts; 0 or -1 */
void mrct_flows_fini(struct mrct_oracle *o);
/* Fills l->flow, to_responder, sent_at_tap and seen_at_receiver for l->obs; l->kind is set. */
void mrct_flow_pair(struct mrct_oracle *o, struct look *l);
/* Flows of which the event's QP is the requestor's or the responder's; NULL where none. */
void mrct_flow_of_event(struct mrct_oracle *o, const struct mrct_event *ev, struct flow *of[2]);

/* ---- halves.c: Q3 ---- */
/* The observation with its entropy read as the device's answers show; mine holds it where it is not
 * l->obs itself. */
const struct mrct_obs *mrct_halves_read(const struct look *l, struct mrct_obs *mine);

/* ---- flow_map.c ---- */
struct flow *mrct_flow_map_get(const struct flow_map *m, enum flow_key what, uint32_t a, uint32_t b,
                               uint32_t qpn);
int mrct_flow_map_put(struct flow_map *m, enum flow_key what, uint32_t a, uint32_t b, uint32_t qpn,
                      struct flow *f);

/* ---- speak.c ---- */
#define SAID_MISSING 1u
#define SAID_UNSURE  2u
struct flow_said *mrct_said_new(size_t rows);

/* ---- dues.c ---- */
struct due_queue *mrct_dues_new(void);
/* Judges what is overdue at t (its error already taken off), or everything before the end. */
void mrct_dues_run(struct mrct_oracle *o, struct flow *f, uint64_t t_ns);

/* ---- lane.c ---- */
void mrct_lanes_settle(struct mrct_oracle *o); /* adds what was counted */
void mrct_lanes_fini(struct mrct_oracle *o);

/* ---- oracle.c ---- */
void mrct_rows_show(struct look *l, const struct row_list *list);

/* Models of a flow, oracle.c. */
int mrct_models_init(struct mrct_oracle *o, struct flow *f);
void mrct_models_fini(struct flow *f);

#endif
