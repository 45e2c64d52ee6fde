/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a capture does not say: the deployment and the QPs, from a YAML file or from the run that
 * made the capture. Every fact may be absent; what needs an absent one is INCONCLUSIVE.
 */
#ifndef MRCT_TRACE_FACTS_H
#define MRCT_TRACE_FACTS_H

#include "harness/trace/obs.h"
#include <stdio.h>

#define MRCT_HOST_NAME_MAX 64u
#define MRCT_UNKNOWN       (-1) /* an int fact that nobody gave */

struct mrct_fact_addr {
    bool is_v6;
    uint8_t ip[16]; /* IPv4 in the first four bytes */
    int plane;      /* MRCT_UNKNOWN, or from 0 */
};
struct mrct_fact_host {
    char name[MRCT_HOST_NAME_MAX];
    struct mrct_fact_addr *addrs;
    size_t addr_count;
};
/* One direction of a QP: host is the requestor, peer_host the responder. */
struct mrct_fact_qp {
    int host, peer_host;                  /* indices into hosts */
    int64_t qpn, peer_qpn;                /* requestor's and responder's QPN, or MRCT_UNKNOWN */
    int64_t start_psn;                    /* or MRCT_UNKNOWN */
    int mpr;                              /* units of 128 PSNs, or MRCT_UNKNOWN */
    int dynamic_mpr, trim_nack, svc_time; /* 0, 1, MRCT_UNKNOWN */
    int max_wimm, timeout, linear_cnt, exp_cnt, ev_min_active; /* or MRCT_UNKNOWN */
    int64_t exp_ceiling_ns;                                    /* or MRCT_UNKNOWN */
    int64_t sack_threshold;                                    /* bytes, or MRCT_UNKNOWN */
};
struct mrct_facts {
    int path_mtu; /* bytes, or MRCT_UNKNOWN */
    bool have_ports, have_dscp, have_tap;
    struct mrc_wire_config wire; /* ports and DSCP classes given, or the defaults */
    enum mrct_tap tap;           /* MIDDLE when not given */
    struct mrct_fact_host *hosts;
    size_t host_count;
    struct mrct_fact_qp *qps;
    size_t qp_count;
    struct mrct_fact_index *index; /* of the addresses; private */
};

void mrct_facts_init(struct mrct_facts *f); /* nothing known */
void mrct_facts_fini(struct mrct_facts *f);

/*
 * Reads a YAML facts file into f, which must be fresh from init. Every key is optional; an entry of
 * qps that does not tell both hosts (of two, one tells the other) is passed over. Returns 0, or -1
 * with one sentence "FILE:LINE: ..." in err.
 */
int mrct_facts_load(struct mrct_facts *f, const char *path, char *err, size_t err_cap);

/* Host index by address (16 bytes, or the first 4 of an IPv4 one), or -1. */
int mrct_facts_host_of(const struct mrct_facts *f, bool is_v6, const uint8_t ip[16]);
/* Host index by name, or -1. */
int mrct_facts_host_named(const struct mrct_facts *f, const char *name);

/* ---- facts of a run, added as they become known ---- */

/* Adds a host; returns its index, or -1 when the name is empty, too long or taken, or memory fails.
 */
int mrct_facts_add_host(struct mrct_facts *f, const char *name);
/* Adds an address to a host; plane may be MRCT_UNKNOWN. Returns 0, or -1 when another has it. */
int mrct_facts_add_addr(struct mrct_facts *f, int host, bool is_v6, const uint8_t *ip, int plane);
/* A direction of a QP of which nothing else is known. */
struct mrct_fact_qp mrct_fact_qp_unknown(int host, int peer_host);
/* Adds such a direction. The pointer is good until the next call; NULL
 * when memory fails. */
struct mrct_fact_qp *mrct_facts_add_qp(struct mrct_facts *f, int host, int peer_host);

/* "requestor", "responder", "middle", and back; false when name is none of them. */
const char *mrct_tap_str(enum mrct_tap tap);
bool mrct_tap_named(const char *name, enum mrct_tap *tap);

/* Writes what is known in the form that mrct_facts_load() reads. Errors stay with the stream. */
void mrct_facts_write(const struct mrct_facts *f, FILE *out);

#endif
