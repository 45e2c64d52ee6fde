/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EV profiles: a universe of EVs that QPs name by an id, and how its EVs come to be: listed,
 * generated from fields, or chosen by the endpoint. A profile stays as it was made.
 */
#ifndef MRC_ENDPOINT_MRC_PROFILE_H
#define MRC_ENDPOINT_MRC_PROFILE_H

#include "ref/endpoint/mrc_ep.h"

#define MRC_EV_FIELDS_MAX 16u
#define MRC_EV_BYTES      32u

/* What an EV is made of. The numbers are the API's. */
enum mrc_ev_mode {
    MRC_EV_MODE_STEV = 1, /* flow label and source port: 32 bits, the first 4 bytes */
    MRC_EV_MODE_SRV6 = 2, /* outer destination, 16 bytes; with an SRH 16 more */
    MRC_EV_MODE_UDP = 4,  /* source port alone: 16 bits, the first 2 bytes */
};

/* The fields of a format, most significant first. */
struct mrc_ev_format {
    enum mrc_ev_mode mode;
    bool srh;                         /* SRV6: with a routing header that carries bytes 16..31 */
    unsigned field_count;             /* <= MRC_EV_FIELDS_MAX */
    uint8_t width[MRC_EV_FIELDS_MAX]; /* bits, 1..64 each */
};

/* One field of generated EVs: init_val, with the bits of mask replaced by a number from min_val to
 * max_val. */
struct mrc_ev_field {
    uint8_t width; /* bits, 1..64 */
    uint64_t init_val, min_val, max_val, mask;
};

/* Checks fields against a format. E2BIG: more fields, or more bits in them, than the format has, or
 * than its mode holds; EINVAL: init_val or mask beyond the width, max_val beyond the mask's bits,
 * min_val above max_val. */
int mrc_ev_fields_check(const struct mrc_ev_format *format, const struct mrc_ev_field *fields,
                        unsigned count);
/* Expands a compact EV, right-aligned in its sum of mask bits (at most 64), to `out`: the fields
 * one after the other from the most significant bit of byte 0; the rest is 0. */
void mrc_ev_expand(const struct mrc_ev_field *fields, unsigned count, uint64_t compact,
                   uint8_t out[MRC_EV_BYTES]);

/* An EV of a list. */
struct mrc_ev_spec {
    uint8_t value[MRC_EV_BYTES]; /* as its format has it */
    uint32_t wire; /* SRV6: what the inner packet carries for the peer to reflect; not twice in a
                      list by the same port */
    uint8_t port;  /* from 0 */
};

enum mrc_ev_source { MRC_EV_AUTO = 1, MRC_EV_EXPLICIT = 2, MRC_EV_GENERATED = 4 };

struct mrc_ev_profile {
    uint64_t id; /* the controller's, not 0 */
    enum mrc_ev_source source;
    struct mrc_ev_format format;
    unsigned ev_count;                 /* a multiple of the ports, but for EXPLICIT */
    const struct mrc_ev_spec *list;    /* EXPLICIT; copied */
    const struct mrc_ev_field *fields; /* GENERATED; copied */
    unsigned field_count;
    unsigned ev_active, ev_min_active, ev_events; /* as in struct mrc_qp_attr */
};

/*
 * AUTO and GENERATED make as many EVs for each port, different ones of a port. AUTO with SRV6 makes
 * EVs for the peers' templates: uplinks 0 .. ev_count / ports - 1. GENERATED EVs of SRV6 carry
 * their compact value in the inner packet. EINVAL: a bad argument, fields that make too few EVs, or
 * an id in use; E2BIG: see mrc_ev_fields_check(); ENOMEM.
 */
int mrc_ev_profile_create(struct mrc_ep *ep, const struct mrc_ev_profile *profile);
/* EBUSY while a QP uses it, ENOENT. */
int mrc_ev_profile_destroy(struct mrc_ep *ep, uint64_t id);

#endif
