/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of the oracle: what a check is, what it is shown, and how it speaks. A check is one row of
 * a table, in the file of its section; core.c shows it the frames it asked for. Checks know nothing
 * of levels, evidence, strict mode and taps: they say "fails" or "holds", and the core grades it by
 * the requirement's row in spec/requirements.
 *
 * Order for one frame: (1) obligations whose time this frame proves to be over are judged (on_due),
 * (2) the models of its flow look at it (before), (3) frame-scope checks, (4) flow-scope checks,
 * (5) the models take it into their state (after). So a check sees the state as it was when the
 * frame came, plus what "before" wrote down about this frame.
 */
#ifndef MRCT_ORACLE_CHECK_H
#define MRCT_ORACLE_CHECK_H

#include "gen/mrc_req.h"
#include "harness/oracle/oracle.h"

struct look;
struct flow;
struct due;

/* What a frame is; a check names those it wants as a mask of 1u << KIND_x. */
enum frame_kind {
    KIND_REQUEST, /* opcodes 0xC6..0xCB, trimmed ones too: see obs->pkt.trim */
    KIND_ACK,     /* transport ACK and NAK */
    KIND_SACK,
    KIND_NACK,
    KIND_PROBE, /* Reliability Probe Request */
    KIND_EP_REQUEST,
    KIND_EP_RESPONSE,
    KIND_BROKEN, /* the sender's fault: obs->err is neither OK, BAD_ICRC, NOT_MRC nor CUT; the pkt
                    holds what decoded */
    KIND_COUNT
};
#define WANT(kind)   (1u << (kind))
#define WANT_CONTROL (WANT(KIND_ACK) | WANT(KIND_SACK) | WANT(KIND_NACK))
#define WANT_FORWARD (WANT(KIND_REQUEST) | WANT(KIND_PROBE)) /* requestor -> responder */
#define WANT_DECODED (WANT(KIND_COUNT - 1) - 1u)             /* all but broken ones */
#define WANT_ALL     (WANT(KIND_COUNT) - 1u)

enum check_scope {
    SCOPE_FRAME, /* each frame for itself, paired or not; l->flow may be NULL */
    SCOPE_FLOW,  /* frames of one direction of a QP; l->flow is set */
    SCOPE_NODE,  /* Endpoint Requests from one host to another and their Responses; l->flow is
                    set, and is_node: "requestor" is the host that asks */
};

/* Flags of a check. */
#define CHECK_SEES_BAD_ICRC                                                                        \
    1u /* show frames with a wrong ICRC too (frame scope always sees them) */
#define CHECK_NEEDS_COMPLETE                                                                       \
    2u /* proves something by what is not there: without cfg.complete a                            \
          failure is INCONCLUSIVE */

struct check {
    const char *name;        /* as in spec/requirements, "sack-on-ce" */
    const char *requirement; /* "REQ-7.5.2-03" */
    enum check_scope scope;
    uint32_t want;  /* frames shown to on_frame: WANT(KIND_x) | ... */
    unsigned flags; /* CHECK_x */
    void (*on_frame)(struct look *l);
    void (*on_event)(struct look *l);                    /* l->ev; only with a flow */
    void (*on_due)(struct look *l, const struct due *d); /* an obligation's time is over */
    void (*on_end)(struct look *l); /* per flow; frame scope: once, with l->flow NULL. Obligations
                                       that the end proves overdue were judged before. */
    const char *file;
    int line;
};
/* Ends a row: { .name = ..., CHECK_HERE }. */
#define CHECK_HERE .file = __FILE__, .line = __LINE__

/* A whole row on a line or two; what follows flags sets callbacks by name. */
#define CHECK_ROW(name_, req_, scope_, want_, flags_, ...)                                         \
    {                                                                                              \
        .name = (name_), .requirement = (req_), .scope = (scope_), .want = (want_),                \
        .flags = (flags_), __VA_ARGS__, CHECK_HERE                                                 \
    }

struct check_table {
    const struct check *rows;
    size_t count;
};
#define CHECK_TABLE(array)                                                                         \
    {                                                                                              \
        (array), sizeof(array) / sizeof((array)[0])                                                \
    }
/* Each section file defines "const struct check_table mrct_checks_<file>" and is listed in
 * tables.c; that list is the order in which checks see a frame. */
extern const struct check_table *const mrct_check_tables[];
extern const size_t mrct_check_table_count;

/* ---- flows --------------------------------------------------------------------------------- */

#define FLOW_HOST_NONE (-1)

/* One direction of a QP (or of node traffic): who asks is the requestor, who answers the responder.
 * Facts that nobody gave are MRCT_UNKNOWN; learned says what pairing found out by itself. */
struct flow {
    uint32_t id;              /* from 0, in order of appearance */
    bool is_node;             /* Endpoint Requests and Responses, QP 0x2 */
    bool from_facts;          /* fact holds a row of the facts file */
    bool learned_qpn;         /* fact.qpn was taken from control packets, not from facts */
    bool is_plane;            /* maybe one plane's part of a QP: another flow has the same QPN and
                                 PSNs nearby between other addresses, and no fact names the hosts */
    struct mrct_fact_qp fact; /* qpn, peer_qpn, start_psn, mpr, ...; a copy */
    const char *requestor;    /* host names of the facts, or addresses in words */
    const char *responder;
    enum mrct_tap tap;       /* where the capture was taken relative to THIS flow */
    struct flow *reverse;    /* the same QP's other direction, or NULL (facts only) */
    struct reqr_model *reqr; /* requestor's model: reqr.h; NULL for node flows */
    struct resp_model *resp; /* responder's model: resp.h; NULL for node flows */
    struct node_model *node; /* node model: node.h; NULL for QP flows */
    struct gap_model *gaps;  /* frames the capture misses: gaps.h; NULL for node flows */
    struct app_model *app;   /* what was posted and reported: app.h; NULL for node flows */
    struct path_model *path; /* what its EVs were used for: path.h; NULL for node flows */
    uint64_t frames;         /* frames paired into it so far */
    bool have_psn;           /* last_psn is set */
    uint32_t last_psn;       /* of the latest request seen with a right ICRC */
    struct due_queue *dues;
    struct flow_said *said; /* what was said once already, by check */
    /* lane.c: whether steady checks can be passed over */
    uint32_t calm;          /* CALM_x; 0: they cannot */
    uint64_t calm_until_ns; /* nor after that */
    bool stirred;           /* something that was not plain came since calm was worked out */
    uint32_t stir;          /* the core's count when it was */
};

/* A model keeps what several checks need. Called for frames of its flows, wrong ICRC included
 * (l->icrc_bad), broken ones (l->kind) only if it asks for them. All but init and fini may be
 * NULL. */
struct model_ops {
    bool of_nodes;    /* lives in node flows; else in the flows of QPs */
    bool sees_broken; /* also show broken frames, where BTH and addresses named the flow */
    int (*init)(struct mrct_oracle *o, struct flow *f); /* 0, or -1 when memory fails */
    void (*fini)(struct flow *f);
    void (*before)(struct look *l);
    void (*after)(struct look *l);
    void (*on_event)(struct look *l); /* before the checks see the event */
};
/* All models, listed in tables.c beside the check tables. */
extern const struct model_ops *const mrct_models[];
extern const size_t mrct_model_count;

/* ---- what a callback gets ------------------------------------------------------------------ */

struct look {
    struct mrct_oracle *o;
    const struct mrct_oracle_config *cfg;
    const struct mrct_facts *facts; /* never NULL */
    const struct check *check;      /* the row that is speaking; NULL in models */
    uint32_t row;                   /* its number, the core's own */
    struct flow *flow;              /* or NULL */
    const struct mrct_obs *obs;     /* NULL in on_event, on_due and on_end */
    const struct mrct_event *ev;    /* on_event only */
    const struct due *due;          /* on_due only */
    bool ev_at_requestor;  /* the event is of the flow's requestor; else of its responder */
    uint64_t now_ns;       /* time of the frame, event or end */
    enum frame_kind kind;  /* of obs */
    bool icrc_bad;         /* obs->err == MRC_WIRE_BAD_ICRC */
    bool to_responder;     /* obs goes from the flow's requestor to its responder */
    bool sent_at_tap;      /* the tap is at the sender of obs: it left its sender so */
    bool seen_at_receiver; /* the tap is at the receiver of obs */
    const char *sender;    /* host that sent obs, by its address; may be NULL */
    uint64_t silence;      /* of a failure, see mrct_finding */
    const char *blame;     /* set it before a failure to name somebody else than the
                              requirement's role (e.g. "sender or path") */
};

/* The condition of the check's requirement was seen and it held. */
void mrct_look_pass(struct look *l);

/*
 * The requirement is broken. The core makes it FAIL, WARN or INCONCLUSIVE by level, evidence, open
 * question, strict, tap and completeness. The frame at hand is the offending one; in on_due it is
 * the frame that created the obligation... unless _at names frames (n may be 0: never happened).
 */
void mrct_look_fail(struct look *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mrct_look_fail_at(struct look *l, const uint64_t *frames, unsigned n, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The same where no reading of the requirement's open question would excuse it. */
void mrct_look_fail_any_reading(struct look *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Cannot be judged for want of a fact: "start_psn", "mpr", "trim_nack". Once per check and flow. */
void mrct_look_missing(struct look *l, const char *fact);
/* Cannot be judged for another reason. Once per check and flow. */
void mrct_look_unsure(struct look *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Reading taken of an open question, 'a'..: the one chosen, else the default of questions.yaml. */
char mrct_look_reading(const struct look *l, int question);
/* Whether it was chosen by whoever runs this; where not, be lenient. */
bool mrct_look_reading_chosen(const struct look *l, int question);

/* True when the check's requirement can be decided at the flow's tap (also done by the core when
 * a check speaks; ask it to save work). */
bool mrct_look_can_decide(const struct look *l);

/* ---- obligations with a time --------------------------------------------------------------- */

/* "By at_ns this must have happened." Judged (on_due of the check that added it) only when a later
 * frame, or the end, proves that at_ns has passed, its time error considered. */
struct due {
    const struct check *check;
    uint32_t row; /* the core's own */
    uint64_t at_ns;
    uint64_t frame_no; /* of the frame that created it; 0 for an event */
    uint64_t a, b;     /* the check's own */
};
#define DUES_MAX 512u /* per flow; beyond, the check becomes INCONCLUSIVE for the flow */

void mrct_look_due(struct look *l, uint64_t at_ns, uint64_t a, uint64_t b);
/* Drops the check's obligations for which match is true; returns how many. */
unsigned mrct_look_due_drop(struct look *l, bool (*match)(const struct due *d, const void *arg),
                            const void *arg);
/* now + the reaction time that the configuration allows. */
uint64_t mrct_look_reaction(const struct look *l);

#endif
