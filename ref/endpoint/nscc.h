/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NSCC, the sender's congestion control (section 8, Tables 8-1..8-3; UET 3.6.13): a window in bytes
 * driven by what SACKs and NACKs tell of marks, round-trip times and bytes received. Pure
 * arithmetic over events; nothing here knows packets, QPs or timers. One struct serves one QP
 * congestion controller, which several QPs to one destination may share.
 */
#ifndef MRC_ENDPOINT_NSCC_H
#define MRC_ENDPOINT_NSCC_H

#include <stdbool.h>
#include <stdint.h>

/* What the deployment chooses. mrc_nscc_config_derive() fills all but the first five from them. */
struct mrc_nscc_config {
    double line_rate_bps; /* of the NIC, bits per second */
    uint64_t base_rtt_ns; /* configured round trip without queues */
    uint64_t
        target_delay_ns; /* queueing delay aimed at; 0.75 base_rtt with trimming, 1.0 without */
    uint32_t mtu_bytes;  /* path MTU: the least the window shrinks to */
    bool disable_qa;     /* no quick adapt */

    double alpha;              /* proportional gain, bytes^2 per byte and ns */
    double fi;                 /* fair increase, bytes^2 per byte */
    double fi_scale;           /* fast increase, bytes per byte */
    double eta;                /* bytes added once a period */
    double gamma;              /* decrease gain, default 0.8 */
    double max_md_jump;        /* least factor of one decrease, default 0.5 */
    uint32_t adjust_bytes;     /* received bytes after which increments are applied; 8 MTU */
    uint64_t adjust_period_ns; /* time after which they are; base_rtt */
    unsigned qa_gate;          /* quick adapt acts below max_wnd >> qa_gate; default 3 */
    uint64_t qa_threshold_ns;  /* delay that triggers quick adapt; 4 target_delay */
    uint64_t near_zero_ns;     /* a delay up to this counts as none; default 1000 */
    double avg_gain;           /* gain of the average delay (Q22); default 1/8 */
    double wnd_bdps;           /* max_wnd in bandwidth-delay products; default 1.5 */
    uint64_t max_cwnd_bytes;   /* ceiling of max_wnd; 0: none */
};

/* A round-trip time that is ambiguous or was not measured. */
#define MRC_NSCC_NO_RTT UINT64_MAX

struct mrc_nscc {
    struct mrc_nscc_config cfg;
    double cwnd;         /* congestion window, bytes */
    double max_wnd;      /* its ceiling, from the current base_rtt */
    double saved_cwnd;   /* window before a responder's penalty; 0 = none saved */
    double inc_bytes;    /* increments gathered, not applied yet; bytes^2 */
    double avg_delay_ns; /* mean queueing delay; valid when have_avg */
    bool have_avg;
    int64_t inflight;        /* bytes sent and not known received or lost; may dip below 0 */
    uint64_t base_rtt_ns;    /* least round trip seen, at most the configured one */
    uint64_t received_bytes; /* since increments were last applied */
    uint64_t achieved_bytes; /* since the last quick-adapt period began */
    uint64_t fi_count;       /* bytes received in a row without delay */
    int64_t bytes_to_ignore; /* after a quick adapt: bytes whose marks say nothing new */
    int64_t bytes_ignored;   /* of them, seen so far */
    uint64_t last_adjust_ns;
    uint64_t last_dec_ns;
    uint64_t qa_endtime_ns; /* end of the quick-adapt period; 0 = none begun */
    bool trigger_qa;        /* a trim or loss asks for a quick adapt at the period's end */
    bool increase_mode;     /* fast increase is on */
};

/* Derived members from the first five, by UET's formulas (scaling_a, scaling_b). */
void mrc_nscc_config_derive(struct mrc_nscc_config *cfg);

/* Starts with cwnd = max_wnd. cfg is copied. */
void mrc_nscc_init(struct mrc_nscc *cc, const struct mrc_nscc_config *cfg, uint64_t now_ns);

/* A packet of size_bytes (nominal size) leaves, first sending or retransmission alike. */
void mrc_nscc_on_send(struct mrc_nscc *cc, uint32_t size_bytes);

struct mrc_nscc_sack {
    uint32_t newly_rcvd;  /* bytes rcvd_bytes advanced by; 0 for a backward step */
    bool marked;          /* SETH.M = SKIP_ONCE: the triggering packet was CE marked */
    uint64_t rtt_ns;      /* unambiguous sample, or MRC_NSCC_NO_RTT */
    uint8_t rcv_cwnd_pen; /* 0..127 */
    bool restore_cwnd;    /* r_c */
};
void mrc_nscc_on_sack(struct mrc_nscc *cc, uint64_t now_ns, const struct mrc_nscc_sack *s);

/* trimmed: reason TRIMMED or TRIMMED_LASTHOP. */
void mrc_nscc_on_nack(struct mrc_nscc *cc, uint64_t now_ns, uint32_t size_bytes, bool trimmed,
                      uint64_t rtt_ns);

/* A packet taken for lost from a hole or a timeout. */
void mrc_nscc_on_loss(struct mrc_nscc *cc, uint32_t size_bytes);

/* True while cwnd > inflight (section 8.3.1). */
bool mrc_nscc_can_send(const struct mrc_nscc *cc);

#endif
