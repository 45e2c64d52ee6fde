/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the messages of the agent protocol are made of: JSON members to members of structs by
 * tables, bytes as hexadecimal text, frames, addresses, events, errors. Shared by both ends, so
 * that one table says how a thing is written and read. docs/reference/agent-protocol.md.
 */
#ifndef MRCT_DUT_AGENT_MSG_H
#define MRCT_DUT_AGENT_MSG_H

#include "harness/dut/dut.h"
#include "ref/endpoint/cc.h"

#include <jansson.h>

#define MRCT_AGENT_VERSION   1
#define MRCT_AGENT_LINE_MAX  (1u << 20) /* bytes of one message, newline included */
#define MRCT_AGENT_CHUNK_MAX (1u << 16) /* bytes of memory in one message */

/* ---- members by tables ---- */

enum mrct_msg_type {
    MRCT_MSG_BOOL,
    MRCT_MSG_U8,
    MRCT_MSG_U16,
    MRCT_MSG_U32, /* and unsigned int */
    MRCT_MSG_INT,
    MRCT_MSG_U64,    /* 0 .. 2^63-1 */
    MRCT_MSG_TIME,   /* uint64_t ns; null is MRC_TIME_NEVER */
    MRCT_MSG_REAL,   /* double, finite */
    MRCT_MSG_LETTER, /* char, a text of one small letter */
    MRCT_MSG_WORD,   /* an enum of `words`, by its index */
};
struct mrct_msg_field {
    const char *key; /* NULL ends a table */
    enum mrct_msg_type type;
    size_t offset;
    const char *const *words; /* NULL-terminated */
};
/* A field of a struct, but for one of words. */
#define MRCT_MSG_FIELD(of, key, type, m)                                                           \
    {                                                                                              \
        key, MRCT_MSG_##type, offsetof(of, m), NULL                                                \
    }
/* 0, or -1 when memory fails. */
int mrct_msg_put(json_t *object, const struct mrct_msg_field *fields, const void *base);
/* A key that is absent leaves its member as it is. 0, or -1 with a sentence. */
int mrct_msg_get(const json_t *object, const struct mrct_msg_field *fields, void *base, char *err,
                 size_t err_cap);

extern const struct mrct_msg_field mrct_msg_node[];  /* of struct mrc_ep_config */
extern const struct mrct_msg_field mrct_msg_attr[];  /* of struct mrc_qp_attr */
extern const struct mrct_msg_field mrct_msg_peer[];  /* of struct mrc_qp_peer */
extern const struct mrct_msg_field mrct_msg_cc[];    /* of struct mrc_cc_profile */
extern const struct mrct_msg_field mrct_msg_write[]; /* of struct mrc_write, but for its bytes */
extern const struct mrct_msg_field mrct_msg_event[]; /* of struct mrc_ep_event */
extern const struct mrct_msg_field mrct_msg_ev[];    /* of struct mrc_ev */
json_t *mrct_msg_spec(const struct mrc_ev_spec *spec);
int mrct_msg_spec_get(const json_t *o, struct mrc_ev_spec *spec); /* 0, or -1 */
extern const struct mrct_msg_field mrct_msg_ev_info[];            /* of struct mrc_ev_info */
extern const struct mrct_msg_field mrct_msg_qp_info[];            /* of struct mrc_qp_info */
extern const char *const mrct_msg_reasons[]; /* of NACKs that can be asked for */
/* The code of a reason's name, or 0. */
enum mrc_nack_reason mrct_msg_reason(const char *name);
const char *mrct_msg_reason_str(enum mrc_nack_reason reason); /* NULL: cannot be asked for */

/* ---- bytes ---- */

/* NULL when memory fails. */
json_t *mrct_msg_hex(const uint8_t *bytes, size_t len);
/* Bytes of a hexadecimal text; -1 when it is none, or longer than cap. */
int mrct_msg_unhex(const json_t *text, uint8_t *buf, size_t cap);

/* ---- what is more than members ---- */

json_t *mrct_msg_addr(const struct mrc_addr *a);
int mrct_msg_addr_get(const json_t *o, struct mrc_addr *a);
/* Lists: "ports" of addresses by their place, "evs" as pairs [value, port]. */
json_t *mrct_msg_ports(const struct mrc_addr *addr, unsigned count);
int mrct_msg_ports_get(const json_t *list, struct mrc_addr *addr, unsigned *count);
json_t *mrct_msg_wire(const struct mrc_wire_config *w);
int mrct_msg_wire_get(const json_t *o, struct mrc_wire_config *w, char *err, size_t err_cap);

json_t *mrct_msg_profile(const struct mrc_ev_profile *p);
/* A profile with the lists that it refers to. */
struct mrct_msg_profile {
    struct mrc_ev_profile profile;
    struct mrc_ev_spec *list;
    struct mrc_ev_field fields[MRC_EV_FIELDS_MAX];
};
/* 0, or -1 with nothing to free. Do not copy the struct. */
int mrct_msg_profile_get(const json_t *o, struct mrct_msg_profile *p);
void mrct_msg_profile_free(struct mrct_msg_profile *p);
json_t *mrct_msg_srv6(const struct mrc_srv6_template *t);
int mrct_msg_srv6_get(const json_t *o, struct mrc_srv6_template *t); /* o NULL: none */

/*
 * A frame of bytes as an endpoint gets it. bytes outlive it. What the codec cannot split (a header
 * cut short, another version) is handed on as header bytes and payload, so that the endpoint itself
 * turns it away.
 */
void mrct_msg_frame(const struct mrc_wire_config *w, const uint8_t *bytes, size_t len,
                    struct mrc_frame *f);

/* ---- errors: the words of answers ---- */

#define MRCT_AGENT_UNSUPPORTED (-100) /* beside enum mrc_ep_error */
#define MRCT_AGENT_VERSION_BAD (-101)
#define MRCT_AGENT_FAILED      (-102)
#define MRCT_AGENT_GONE        (-103) /* never on the wire: the agent does not answer any more */
const char *mrct_msg_error_str(int error);
int mrct_msg_error(const char *word); /* a word that is not known is MRCT_AGENT_FAILED */

#endif
