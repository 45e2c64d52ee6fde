/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EV profiles: a universe of EVs that QPs name by an id, and how its EVs come to be: listed,
 * generated from fields, or chosen by the endpoint; the states of a profile, and what a controller
 * asks and changes of it.
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
 * The states of a profile, the API's:
 *
 *     INIT ── fill ──▶ OFFLINE ── set_state ──▶ ONLINE
 *     INIT ◀─ set_state ─ OFFLINE ◀─ set_state, once no QP uses it ─ ONLINE
 */
enum mrc_profile_state {
    MRC_PROFILE_INIT,    /* its id is taken, and that is all */
    MRC_PROFILE_OFFLINE, /* it has EVs, and may be filled anew */
    MRC_PROFILE_ONLINE,  /* QPs may be made with it */
};
const char *mrc_profile_state_str(enum mrc_profile_state s);

/* A profile in INIT. EINVAL: id is 0 or in use. */
int mrc_ev_profile_open(struct mrc_ep *ep, uint64_t id);
/*
 * INIT or OFFLINE to OFFLINE, with the EVs that `profile` asks for; on an error it stays as it was.
 * AUTO and GENERATED make as many EVs for each port, different ones of a port. AUTO with SRV6 makes
 * EVs for the peers' templates: uplinks 0 .. ev_count / ports - 1. GENERATED EVs of SRV6 carry
 * their compact value in the inner packet. EINVAL: a bad argument, or fields that make too few EVs;
 * E2BIG: see mrc_ev_fields_check(); ENOENT; ESTATE: it is ONLINE; ENOMEM.
 */
int mrc_ev_profile_fill(struct mrc_ep *ep, const struct mrc_ev_profile *profile);
/* One step of the diagram. ESTATE: no such step; EBUSY: QPs use it; ENOENT. */
int mrc_ev_profile_set_state(struct mrc_ep *ep, uint64_t id, enum mrc_profile_state state);
/* Opened, filled and ONLINE in one call; nothing is left of it on an error. */
int mrc_ev_profile_create(struct mrc_ep *ep, const struct mrc_ev_profile *profile);
/* EBUSY while a QP uses it, ENOENT. */
int mrc_ev_profile_destroy(struct mrc_ep *ep, uint64_t id);

/* ---- a controller's view ---- */

struct mrc_ev_profile_info {
    enum mrc_profile_state state;
    unsigned qps; /* that use it */
    /* 0 in INIT: */
    enum mrc_ev_source source;
    struct mrc_ev_format format;
    unsigned ev_count, ev_active, ev_min_active, ev_events;
};
/* ENOENT. */
int mrc_ev_profile_query(const struct mrc_ep *ep, uint64_t id, struct mrc_ev_profile_info *out);
/*
 * Its EVs from the `first` on, up to `room`; returns how many, or ENOENT. A state is GOOD, DENIED,
 * or ASSUMED_BAD: by the profile (Q25 b), or by one QP at least (Q25 a); SKIP is not visible.
 * active: for one of the QPs at least. drop_count: of all QPs, saturates at 65535.
 */
int mrc_ev_profile_query_array(const struct mrc_ep *ep, uint64_t id, unsigned first,
                               struct mrc_ev_info *out, unsigned room);
/* The EV number `index` of the list to GOOD or DENIED (EINVAL else), for all QPs of now and to
 * come; as mrc_ev_set_state() of each. */
int mrc_ev_profile_set_ev(struct mrc_ep *ep, uint64_t id, uint64_t now_ns, unsigned index,
                          enum mrc_ev_state state);
/*
 * Another EV in the place of number `index`, at once and for all QPs, GOOD and without losses,
 * whatever the old one was. What is in flight on the old one is still acknowledged, but nothing
 * that becomes of it is held against the new one. EINVAL: it leaves by another port, or is on the
 * list already; ENOENT.
 */
int mrc_ev_profile_replace(struct mrc_ep *ep, uint64_t id, uint64_t now_ns, unsigned index,
                           const struct mrc_ev_spec *spec);

#endif
