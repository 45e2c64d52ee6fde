/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a responder got, as its own tap shows, and the state that follows from it (Table 7-5): one
 * model per flow, fed in the order of the tap. A SACK may show the state of its trigger's moment or
 * any later one up to its own sending, so past states are kept and a claim is looked up among them.
 *
 * The set of arrivals is what the responder can have at most. Where less may be true (it refused a
 * packet, its window may have changed), the model is murky for a while: then only claims beyond the
 * arrivals are faults.
 *
 * Memory is bounded: rings that grow with what happens inside one reaction time, up to RESP_x_MAX.
 */
#ifndef MRCT_ORACLE_RESP_H
#define MRCT_ORACLE_RESP_H

#include "harness/oracle/check.h"

#define RESP_ARRIVALS_MAX 16384u
#define RESP_STATES_MAX   16384u
#define RESP_PSNS_MAX     131072u /* twice the widest window, and some */
#define RESP_SLOTS_MIN    1024u   /* heads of the chains of arrivals with one PSN */
#define RESP_CHAIN_MAX    64u     /* arrivals looked at to find a trigger */
#define RESP_READINGS     3u      /* of Q12: what rcvd_bytes counts */
#define RESP_NEVER        UINT64_MAX
#define RESP_WINDOW_MIN   1024  /* PSNs that every responder supports */
#define RESP_WINDOW_MAX   32640 /* 255 x 128 */
#define RESP_STRAY_MAX    65280 /* above cack; nothing is noted of PSNs further away */

/* PSNs are kept as 64-bit numbers that do not wrap. */
typedef int64_t resp_psn;

enum arrival_class {
    ARRIVAL_NEW,      /* in the window, not there before */
    ARRIVAL_DUP,      /* in the window, there before */
    ARRIVAL_OLD,      /* below the expected PSN */
    ARRIVAL_UNSURE,   /* start_psn is not known */
    ARRIVAL_PROBE,    /* a Reliability Probe */
    ARRIVAL_TRIMMED,  /* trimmed, and its PSN had not arrived */
    ARRIVAL_TRIM_DUP, /* trimmed, and its PSN had arrived (Q26) */
    ARRIVAL_BEYOND,   /* above the window */
    ARRIVAL_BAD_ICRC,
    ARRIVAL_UNKNOWN, /* unlisted opcode or another transport version */
    ARRIVAL_MISFIT,  /* headers, pad or length do not fit */
    ARRIVAL_PKEY,    /* of another partition than the responder's answers */
};

/* One packet that came. A cache line of it is kept for each; see arrival_link for what is searched.
 */
struct arrival {
    uint64_t seq;   /* from 1, in order */
    uint64_t state; /* number of the state after it was taken in */
    uint64_t frame_no, time_ns;
    uint64_t va;
    uint32_t psn, ev, payload_len, nominal_len;
    uint16_t ts, probe_id;
    uint8_t opcode;
    uint8_t cls;           /* enum arrival_class */
    uint8_t trim : 2;      /* enum mrc_trim */
    bool wants_answer : 1; /* something asks for an answer to it alone */
    bool answered : 1;     /* and it got one */
    bool refused : 1;      /* by a NACK: it was not taken */
    bool has_ts : 1, tsr : 1, ack_req : 1, rtx : 1;
    bool ce : 1;     /* marked in the outermost IP header */
    bool ce_any : 1; /* or in the inner one (Q21) */
};
_Static_assert(sizeof(struct arrival) == 64, "one cache line");

/* Of each arrival, so that a chain can be walked without touching the arrivals themselves. */
struct arrival_link {
    uint32_t key;  /* its PSN, or its probe_id */
    uint32_t back; /* how many before it the one before in its chain came; 0: none */
};

/* The responder's state after some arrival. */
struct resp_state {
    resp_psn cack, max_rcv;
    uint64_t total[RESP_READINGS]; /* bytes by the readings of Q12 */
    uint32_t ooo;                  /* arrived above cack */
};

/* Why a PSN that never arrived well may yet be called arrived; bits. */
#define CAUSE_TRIMMED  1u
#define CAUSE_BAD_ICRC 2u
#define CAUSE_MISFIT   4u
#define CAUSE_UNKNOWN  8u
#define CAUSE_BEYOND   16u
#define CAUSE_PKEY     32u

/* What is known of one PSN. */
struct psn_info {
    resp_psn psn;   /* 0: unused */
    uint64_t state; /* number of the state in which it had arrived; RESP_NEVER */
    uint32_t done;  /* messages complete up to here; valid once cack passed it */
    uint32_t nominal_len, payload_len, imm;
    uint8_t opcode;
    uint8_t causes; /* CAUSE_x of arrivals that do not count */
    bool missed;    /* since then a SACK has shown that it had not arrived */
    bool placed;    /* a MEM_WRITE event named it */
    bool refused;   /* a NACK took its arrival back */
};

/* Things a responder owes; each kind is judged by one check. */
enum duty_kind {
    DUTY_SACK_ACK_REQ,
    DUTY_SACK_CE,
    DUTY_SACK_RTX,
    DUTY_SACK_THRESHOLD,
    DUTY_SACK_DUP,
    DUTY_PROBE,
    DUTY_ACK,
    DUTY_OLD_ACK,
    DUTY_TRIM_NACK,
    DUTY_BEYOND_NACK,
    DUTY_IMM, /* event: the receive completion */
    DUTY_KINDS
};
enum duty_fate { DUTY_OPEN, DUTY_DONE, DUTY_MET_LATER };

struct duty {
    uint64_t seq;     /* of the arrival */
    uint64_t answers; /* that had come before it */
    uint64_t since_ns;
    uint64_t met_ns; /* of DUTY_MET_LATER: when something that may stand for it came */
    uint64_t frame_no;
    resp_psn psn;
    uint8_t fate; /* enum duty_fate */
};
#define DUTIES_MAX 1024u
struct duty_ring {
    struct duty *duties; /* power-of-two size */
    size_t cap, head, count;
    uint64_t lost; /* not followed for want of room */
};

/* How fast this responder answers, measured where it is certain what was answered. */
struct pace {
    uint64_t samples, max_ns;
};
enum pace_kind { PACE_SACK, PACE_ACK, PACE_KINDS };

/* The control packet at hand, worked out before the checks see it. */
struct resp_view {
    const struct arrival *trigger; /* the arrival that fits it best; NULL: none of its PSN */
    bool ev_ok, ts_ok, rtx_ok;     /* of the trigger */
    bool many;                     /* several arrivals fit as well */
    bool forgotten;                /* the trigger may be one that is no longer kept */
    uint32_t trigger_psn;
    uint64_t lo, hi;    /* states that it may show */
    bool exact;         /* and must show one of them; else it may show less */
    resp_psn cack;      /* what it claims */
    bool cack_beyond;   /* more than has arrived, and no cause explains it */
    resp_psn false_psn; /* a PSN falsely called arrived by the bitmap; 0: none */
    bool answers_it;    /* it answers itself a packet that a cause names */
    uint8_t causes;     /* CAUSE_x of falsely claimed PSNs that a cause explains */
    uint64_t cause_frame;
    resp_psn cause_psn;
    bool rb_back; /* rcvd_bytes went back */
};

/* A failure that a later NACK may excuse. */
struct resp_doubt {
    const struct check *check; /* whose it is; NULL: the place is free */
    uint64_t last_seq;         /* arrivals up to this one had come */
    uint64_t time_ns, frame_no;
    bool any_reading; /* as mrct_look_fail_any_reading() */
    bool excused;
    char words[200];
};
#define RESP_DOUBTS_MAX 64u

struct resp_model {
    bool synced; /* start_psn is known, the state means something */
    bool dead;   /* the responder's QP went to ERROR, as far as can be seen */
    resp_psn start;
    resp_psn highest_sent;         /* greatest PSN of any request seen, whatever became of it */
    bool have_port, several_ports; /* requests came to one address; to more than one */
    uint8_t port_ip[16];           /* the first */
    bool have_pkey;                /* an answer of the responder carried: */
    uint16_t pkey;
    struct resp_state now;
    uint32_t done;          /* messages complete up to cack */
    uint64_t murky_seq;     /* SACKs triggered by arrivals up to this one are not judged exactly */
    uint64_t first_state;   /* states before it are not comparable */
    int window, window_max; /* PSNs: surely accepted below the one, surely not above the other */
    bool window_moved;      /* dynamic: what came may not have been taken, and nothing told so */

    struct arrival *arrivals;   /* ring by seq */
    struct arrival_link *links; /* of each, in a ring as long */
    size_t arrivals_cap;
    uint64_t last_seq;
    uint64_t *heads; /* last arrival of a PSN's slot; as many as arrivals, or more */
    size_t heads_cap;
    uint64_t probe_heads[256]; /* last probe of a probe_id's slot */
    struct resp_state *states; /* ring by number */
    size_t states_cap;
    uint64_t last_state;
    struct psn_info *psns; /* ring by PSN */
    size_t psns_cap;

    bool owes_unseen; /* the tap is not beside the responder: nothing owed can be judged, so
                         nothing is noted */
    struct duty_ring duties[DUTY_KINDS];
    struct pace pace[PACE_KINDS];
    uint64_t last_sign_ns;                  /* last packet from the responder */
    uint64_t answers, nacks, probe_answers; /* packets from it, and those among them */
    uint64_t silent_at, unanswered; /* answers before the newest duty left undone; such duties */
    uint64_t time_err_ns;           /* of the frames so far, the greatest */
    uint64_t port_ns;      /* a port of the responder's host changed: the last that is known */
    uint64_t last_wimm_ns; /* last time that cack passed immediate data */
    uint64_t wimms;        /* messages with immediate data that cack passed */

    resp_psn high_ack_req; /* highest PSN with A; 0: none */
    uint64_t high_ack_frame;
    resp_psn acked;       /* highest PSN in a transport ACK */
    resp_psn told;        /* highest PSN up to which it said that all had arrived */
    bool have_ack_offset; /* AETH.MSN minus messages complete, from the first ACK (Q24) */
    uint16_t ack_offset;
    uint64_t trigger_cnt; /* bytes since the last SACK */
    bool have_rb;
    uint32_t last_rb;
    uint64_t last_rb_seq, last_rb_frame;
    uint64_t dup_bytes; /* of duplicates and trimmed packets */
    uint8_t readings;   /* of Q12 that all SACKs so far fit: bit 1 << n */
    uint32_t last_mpr;  /* of the last SACK; units of 128 */

    bool keep_imms; /* application events are supplied */
    uint32_t *imms; /* immediate data complete in order and not yet delivered; ring */
    size_t imm_head, imm_count;
    uint64_t imms_lost;
    uint64_t dup_va_lo, dup_va_hi; /* range that duplicates wrote to */
    bool any_dup_va, any_mem_write, dup_placed;
    bool said_access_nak, in_error;  /* a NAK remote access error; an event said ERROR */
    uint64_t seen[ARRIVAL_PKEY + 1]; /* arrivals, by class */

    bool any_cause;            /* something came that must not count */
    bool any_refused;          /* a NACK said of a whole packet that it was not kept */
    struct resp_doubt *doubts; /* RESP_DOUBTS_MAX, or NULL: there was none */

    enum arrival_class came; /* class of the request at hand */
    struct resp_view view;   /* of the control packet at hand */
};
#define RESP_IMMS_MAX 4096u

/* ---- resp_ring.c: memory of what came ---- */
int mrct_resp_rings_init(struct resp_model *m);
void mrct_resp_rings_fini(struct resp_model *m);
static inline resp_psn mrct_resp_extend(const struct resp_model *m, uint32_t psn)
{
    return m->now.cack + mrc_psn_diff(psn, (uint32_t)m->now.cack & 0xFFFFFFu);
}
struct arrival *mrct_resp_arrival(const struct resp_model *m, uint64_t seq); /* NULL: forgotten */
/* The arrivals of one PSN, or probes of one id, the newest first. At most RESP_CHAIN_MAX of a chain
 * are looked at; seq is not 0 at the end when some were forgotten or not looked at. */
struct arrival_walk {
    uint32_t key;
    unsigned looks;
    uint64_t seq;
};
struct arrival_walk mrct_resp_walk(const struct resp_model *m, uint32_t psn);
struct arrival_walk mrct_resp_walk_probes(const struct resp_model *m, uint16_t probe_id);
struct arrival *mrct_resp_walk_next(const struct resp_model *m, struct arrival_walk *w);
/* A place for one that came at now_ns, of a PSN or (probe) a probe_id; its seq is set, the rest is
 * for the caller to fill in. What is younger than keep_ns stays remembered while there is room. */
struct arrival *mrct_resp_arrival_add(struct resp_model *m, uint32_t key, bool probe,
                                      uint64_t now_ns, uint64_t keep_ns);
const struct resp_state *mrct_resp_state(const struct resp_model *m, uint64_t number);
void mrct_resp_state_add(struct resp_model *m);
/* Number of the state in which everything counts that came until time_ns; false when that is no
 * longer kept. */
bool mrct_resp_state_at(const struct resp_model *m, uint64_t time_ns, uint64_t *number);
/* NULL: nothing known */
static inline struct psn_info *mrct_resp_psn(const struct resp_model *m, resp_psn psn)
{
    struct psn_info *const i = &m->psns[(size_t)psn & (m->psns_cap - 1)];
    return i->psn == psn ? i : NULL;
}
struct psn_info *mrct_resp_psn_make(struct resp_model *m, resp_psn psn);
/* Number of the state from which psn had arrived; 0: before all; RESP_NEVER. */
uint64_t mrct_resp_arrived(const struct resp_model *m, resp_psn psn);
/* Takes psn in as arrived: advances the state. */
void mrct_resp_accept(struct resp_model *m, resp_psn psn, const struct arrival *a, uint32_t imm);
/* Takes it back: the responder said that it refused it. */
void mrct_resp_refuse(struct resp_model *m, resp_psn psn);
/* First and last state in [lo, hi] whose cack is this; false when there is none. */
bool mrct_resp_states_of_cack(const struct resp_model *m, resp_psn cack, uint64_t *lo,
                              uint64_t *hi);
bool mrct_resp_has_ooo(const struct resp_model *m, uint64_t lo, uint64_t hi, uint32_t ooo);
bool mrct_resp_has_bytes(const struct resp_model *m, uint64_t lo, uint64_t hi, unsigned reading,
                         uint32_t units);

/* ---- resp_view.c: what a control packet claims ---- */
void mrct_resp_view_sack(struct look *l);
void mrct_resp_view_nack(struct look *l);
void mrct_resp_view_ack(struct look *l);

/* Fails by the view's cause. Where the packet was not answered itself but called arrived, a whole
 * one may be what the capture lacks. */
void mrct_resp_fail_cause(struct look *l, const char *words);

/* Whether ts is the timestamp of a, or at most its service time later where SVC_TIME is on; unsure
 * where only the fact svc_time would tell. */
enum time_echo { TIME_ECHO_OK, TIME_ECHO_WRONG, TIME_ECHO_UNSURE };
enum time_echo mrct_resp_time_echo(const struct look *l, const struct arrival *a, uint16_t ts);

/* ---- resp_doubt.c: what a SACK leaves out ---- */
/* Instead of a failure; the check's on_due and on_end are these. */
void mrct_resp_doubt(struct look *l, bool any_reading, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void mrct_resp_doubt_due(struct look *l, const struct due *due);
void mrct_resp_doubt_end(struct look *l);
/* The arrival of this number was turned away: what was said since may be right. */
void mrct_resp_excuse(struct resp_model *m, uint64_t seq);

/* ---- resp_duty.c: what is owed ---- */
void mrct_duty_add(struct look *l, enum duty_kind kind, uint64_t seq, resp_psn psn);
/* Done: the answer to just that; met: something that may stand for it, if it came in time. */
void mrct_duty_done(struct resp_model *m, enum duty_kind kind, uint64_t seq);
void mrct_duty_met_all(struct resp_model *m, enum duty_kind kind, uint64_t now_ns);
/* Those of a PSN; above: and of all beyond it. */
void mrct_duty_done_psn(struct resp_model *m, enum duty_kind kind, resp_psn psn, bool above);
void mrct_duty_done_first(struct resp_model *m, enum duty_kind kind);
void mrct_duty_drop(struct resp_model *m, enum duty_kind kind); /* nothing of it is owed */
void mrct_duty_drop_all(struct resp_model *m);
void mrct_pace_sample(struct resp_model *m, enum pace_kind kind, uint64_t ns);
/* Until when no more than what is open is owed, with reaction_ns to go; 0 where something is
 * settled, UINT64_MAX where nothing is owed. */
uint64_t mrct_duty_next_ns(const struct resp_model *m, uint64_t reaction_ns);
/* For checks: judge what is over (on_frame, on_event), or all that can be judged (on_end). */
void mrct_duty_judge(struct look *l, enum duty_kind kind, bool at_end, const char *words);

static inline bool mrct_resp_ends_message(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_LAST || opcode == MRC_OP_WRITE_LAST_IMM ||
           opcode == MRC_OP_WRITE_ONLY || opcode == MRC_OP_WRITE_ONLY_IMM;
}

static inline bool mrct_resp_has_imm(uint8_t opcode)
{
    return opcode == MRC_OP_WRITE_LAST_IMM || opcode == MRC_OP_WRITE_ONLY_IMM;
}

#endif
