/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Congestion control as the requestor sees it (section 8): a window, what is in flight, and one
 * call for each thing that happened. An algorithm is a table of functions over a state of its own,
 * which embeds struct mrc_cc first. A QP's CC profile chooses the algorithm; several QPs to one
 * destination may share a controller (qpcc.c). Sizes are nominal packet sizes (UDP length + 40),
 * times are ns.
 */
#ifndef MRC_ENDPOINT_CC_H
#define MRC_ENDPOINT_CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mrc_cc;
struct mrc_cc_profile;

/* What one SACK told, or a transport ACK that was ahead of the SACKs. */
struct mrc_cc_sack {
    uint64_t now_ns;
    bool has_cc_state;         /* false: only acked_bytes means anything */
    bool is_ack;               /* a transport ACK: rcvd_bytes will follow with a SACK */
    uint64_t newly_rcvd_bytes; /* by the responder's rcvd_bytes; 0 on a backward step */
    uint64_t acked_bytes; /* by the requestor's own books: sizes of packets newly known arrived */
    bool ce_marked;       /* M was SKIP_ONCE */
    bool rtt_valid;       /* the sample belongs to one sending, without doubt */
    uint64_t rtt_ns;      /* the sample, when valid */
    uint8_t rcv_cwnd_pen; /* the responder's penalty, 0..127 */
    bool restore_cwnd;    /* r_c */
};

/* What one NACK told, of a packet that it took out of flight. */
struct mrc_cc_nack {
    uint64_t now_ns;
    uint32_t size_bytes;
    bool trimmed; /* either TRIMMED reason */
    bool rtt_valid;
    uint64_t rtt_ns;
};

/* An algorithm's inside, for reports; a member that it has not is 0. */
struct mrc_cc_view {
    double cwnd_bytes, max_wnd_bytes, saved_cwnd_bytes;
    double avg_delay_ns, inc_bytes;
    uint64_t base_rtt_ns, qa_endtime_ns, last_dec_ns, last_adjust_ns;
    uint64_t received_bytes, achieved_bytes, fi_count;
    int64_t bytes_to_ignore, bytes_ignored;
    bool increase_mode, trigger_qa;
};

struct mrc_cc_ops {
    const char *name;
    size_t size_bytes; /* of the state */
    /* false: the profile's values are out of range. init: state is zeroed, ops set. */
    bool (*valid)(const struct mrc_cc_profile *profile);
    void (*init)(struct mrc_cc *cc, const struct mrc_cc_profile *profile, uint64_t now_ns);
    /* May a packet be sent now? Section 8.3.1: while cwnd > inflight. */
    bool (*can_send)(const struct mrc_cc *cc);
    void (*on_send)(struct mrc_cc *cc, uint64_t now_ns, uint32_t size_bytes);
    void (*on_sack)(struct mrc_cc *cc, const struct mrc_cc_sack *sack);
    void (*on_nack)(struct mrc_cc *cc, const struct mrc_cc_nack *nack);
    /* A packet was declared lost, by a hole or a timeout. */
    void (*on_loss)(struct mrc_cc *cc, uint64_t now_ns, uint32_t size_bytes);
    /* bytes left flight without a word from the peer: a QP failed. May be NULL. */
    void (*on_forget)(struct mrc_cc *cc, uint64_t bytes);
    /* Nothing at all is in flight by the requestor's own books. May be NULL. */
    void (*on_idle)(struct mrc_cc *cc);
    void (*view)(const struct mrc_cc *cc, struct mrc_cc_view *view); /* may be NULL */
};

/* One controller. The algorithm keeps the first three members. */
struct mrc_cc {
    const struct mrc_cc_ops *ops;
    uint64_t cwnd_bytes;
    int64_t inflight_bytes; /* signed: the books of some algorithms dip below 0 */
    uint64_t out_bytes;     /* in flight by the requestors' own books */
    bool by_sacks;          /* the window moves by SACKs: ask for one when it is small */
};

/* What a QP's controller is to be: the profile of the QP's attributes. Strings and the struct are
 * read while the QP is created, and kept by value. */
struct mrc_cc_profile {
    /* "nscc" (or "uet-1.0-nscc"), "fixed" or "off"; NULL means off. */
    const char *algorithm;
    const struct mrc_cc_ops *ops; /* an algorithm from outside instead; lives as long as the ep */
    uint64_t share_id;   /* QPs to one peer with the same id share one controller, made of the first
                            one's profile; 0: a controller of its own */
    uint32_t mtu_bytes;  /* path MTU; 0: the endpoint's */
    uint64_t cwnd_bytes; /* "fixed": the window, >= 1 */

    /* NSCC (Tables 8-1..8-3). 0 means: derived as UET does, where nothing else is said. */
    double line_rate_bps;      /* bits per second; default 400e9 */
    uint64_t base_rtt_ns;      /* without queues; default 12000 */
    uint64_t target_delay_ns;  /* default 0.75 base_rtt when `trimming`, else 1.0 */
    bool trimming;             /* switches trim; default true */
    bool disable_qa;           /* no quick adapt */
    uint64_t max_cwnd_bytes;   /* ceiling below max_wnd; 0: none */
    uint32_t adjust_bytes;     /* received bytes after which increments are applied */
    uint64_t adjust_period_ns; /* time after which they are */
    double eta, fi, fi_scale;  /* bytes; bytes^2 per byte; bytes per byte */
    double gamma, max_md_jump; /* decrease gain; least factor of one decrease */
    int qa_gate;               /* quick adapt acts below max_wnd >> qa_gate, 0..31; default 3 */
    uint64_t qa_threshold_ns;  /* delay that triggers quick adapt */
    char q22_avg;              /* reading of Q22: 'a' gain 1/8 (default), 'b' 1/80 */
};

/* "nscc" with everything at its default, not shared. */
void mrc_cc_profile_default(struct mrc_cc_profile *profile);

/* The algorithm that a profile names; NULL: none of that name, or its values are out of range. */
const struct mrc_cc_ops *mrc_cc_find(const struct mrc_cc_profile *profile);

extern const struct mrc_cc_ops mrc_cc_off, mrc_cc_fixed, mrc_cc_nscc;

#endif
