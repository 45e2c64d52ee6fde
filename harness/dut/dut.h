/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device under test as the harness drives it: an endpoint in this process, a deviant wrapped
 * around one, later an agent process. One vtable; the fabric moves its frames, the runner plays its
 * application. Times are virtual ns.
 */
#ifndef MRCT_DUT_DUT_H
#define MRCT_DUT_DUT_H

#include "ref/endpoint/mrc_profile.h"

struct mrct_dut;

enum mrct_dut_trouble {
    MRCT_DUT_FINE,
    MRCT_DUT_UNSUPPORTED, /* it says that it cannot do this: the run says nothing about it */
    MRCT_DUT_BROKEN,      /* its agent failed, so that the run proves nothing */
};

struct mrct_dut_ops {
    void (*free)(struct mrct_dut *d);
    void (*input)(struct mrct_dut *d, uint64_t now_ns, unsigned port, const struct mrc_frame *f);
    int (*output)(struct mrct_dut *d, uint64_t now_ns, uint64_t port_free_mask,
                  struct mrc_frame *out);
    uint64_t (*deadline)(const struct mrct_dut *d);
    void (*tick)(struct mrct_dut *d, uint64_t now_ns);
    int64_t (*create_qp)(struct mrct_dut *d, const struct mrc_qp_attr *attr);
    int (*connect)(struct mrct_dut *d, uint32_t qpn, const struct mrc_qp_peer *peer);
    int (*register_mr)(struct mrct_dut *d, struct mrc_mr *mr);
    int (*post_write)(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns, const struct mrc_write *w);
    int (*post_recv)(struct mrct_dut *d, uint32_t qpn, uint64_t wr_id);
    bool (*poll)(struct mrct_dut *d, struct mrc_ep_event *ev);
    /* What only some devices can be asked for; NULL: not this one. */
    int (*set_mpr)(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns, uint8_t mpr);
    int (*force_nack)(struct mrct_dut *d, uint32_t qpn, enum mrc_nack_reason reason,
                      uint32_t count);
    int (*shortage)(struct mrct_dut *d, enum mrc_nack_reason reason, uint32_t ppm);
    /* An own port goes down or comes up. */
    int (*port_set)(struct mrct_dut *d, uint64_t now_ns, unsigned port, bool up);
    /* A controller's calls; each is the mrc_ call of that name. */
    int (*ev_profile)(struct mrct_dut *d, const struct mrc_ev_profile *profile);
    int (*ev_set_state)(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns, struct mrc_ev ev,
                        enum mrc_ev_state state);
    /* mrc_ev_profile_replace(): another EV takes the place of one of a profile. */
    int (*ev_replace)(struct mrct_dut *d, uint64_t now_ns, uint64_t profile, unsigned index,
                      const struct mrc_ev_spec *spec);
    int (*ev_query)(const struct mrct_dut *d, uint32_t qpn, unsigned first, struct mrc_ev_info *out,
                    unsigned room);
    int (*qp_info)(const struct mrct_dut *d, uint32_t qpn, struct mrc_qp_info *info);
    /* Memory of a device that has its own; all NULL: it shares ours. map: len bytes at va, set to
     * those of mem. fetch: the device's bytes into mem. put: mem over the device's. */
    int (*map)(struct mrct_dut *d, const uint8_t *mem, uint64_t va, uint64_t len);
    int (*fetch)(struct mrct_dut *d, uint8_t *mem, uint64_t va, uint64_t len);
    int (*put)(struct mrct_dut *d, const uint8_t *mem, uint64_t va, uint64_t len);
    /* What went wrong on the way to a device that is not in this process; NULL: never anything. */
    enum mrct_dut_trouble (*trouble)(const struct mrct_dut *d, const char **words);
};

/* Embed first in an adapter's own struct. */
struct mrct_dut {
    const struct mrct_dut_ops *ops;
    const char *name; /* static: "reference", or the deviant's name */
};

/* Where devices of one kind come from, one a run. */
struct mrct_dut_source {
    const char *name;
    /*
     * A device for one host (0, 1) of a case. NULL with a sentence in words; then *trouble says
     * whose fault that is, FINE meaning nobody's but ours: memory, or a bad configuration.
     */
    struct mrct_dut *(*make)(const struct mrct_dut_source *s, const char *case_id, unsigned host,
                             const struct mrc_ep_config *cfg, uint64_t seed,
                             enum mrct_dut_trouble *trouble, char *words, size_t cap);
    void *user;
};

/* The reference endpoint in this process, placement events on. NULL: no memory, or cfg is bad. */
struct mrct_dut *mrct_dut_reference(const struct mrc_ep_config *cfg, uint64_t seed);

#endif
