/* SPDX-License-Identifier: BSD-2-Clause */
/* An EV profile inside the endpoint, for the files that make, change and destroy it. */
#ifndef MRC_ENDPOINT_EV_SET_H
#define MRC_ENDPOINT_EV_SET_H

#include "ref/endpoint/ep_int.h"
#include "ref/endpoint/mrc_profile.h"

struct mrc_ev_set {
    struct mrc_ev_set *next;
    uint64_t id;
    enum mrc_profile_state state;
    struct mrc_qp *qps; /* those that name it */
    unsigned qp_count;
    enum mrc_ev_source source;
    struct mrc_ev_format format;
    unsigned active, min_active, events;
    /* Its EVs. Of their states, the QPs' own under Q25 a, the controller's DENIED stands here, for
     * QPs to come. */
    struct mrc_evs table;
    uint8_t (*outer)[MRC_EV_BYTES]; /* SRV6: NULL when templates make them */
};

/* ---- ev_profile.c ---- */
struct mrc_ev_set *mrc_ev_set_find(const struct mrc_ep *ep, uint64_t id);

/* ---- ev_specs.c ---- */
/* An EV as the codec takes it. */
uint32_t mrc_ev_spec_value(const struct mrc_ep *ep, const struct mrc_ev_format *f,
                           const struct mrc_ev_spec *spec);
/* How many different EVs a port can have. */
uint64_t mrc_ev_choices(const struct mrc_ev_profile *a);
/* Fills ev_count EVs, as many for each port; AUTO and GENERATED. */
void mrc_ev_make_specs(struct mrc_ep *ep, const struct mrc_ev_profile *a,
                       struct mrc_ev_spec *specs);

#endif
