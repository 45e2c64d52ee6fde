/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A script: what the harness does when it plays one side of a QP against the device, as data. One
 * line is one thing that happens; docs/reference/scripts.md has the notation. Numbers of a script
 * are its own (relative PSNs, QP 1, EV 0, offsets in a region) until the player maps them to those
 * of a run, so that a script knows no run and a run can be any that has two hosts.
 */
#ifndef MRCT_CASES_SCRIPT_H
#define MRCT_CASES_SCRIPT_H

#include "gen/mrc_wire.h"
#include "harness/cases/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MRCT_SCRIPT_LINES_MAX 2000u
#define MRCT_SCRIPT_ITEMS_MAX 48u /* of a line */
#define MRCT_SCRIPT_VARS_MAX  32u
#define MRCT_SCRIPT_COUNT_MAX 40000u /* of "x8" */
#define MRCT_SCRIPT_NEVER     UINT64_MAX

enum mrct_line_kind {
    MRCT_LINE_SEND,    /* ">"  the harness sends */
    MRCT_LINE_EXPECT,  /* "<"  the next packet of that name must be this one */
    MRCT_LINE_AWAIT,   /* "<~" packets of that name pass until this one comes */
    MRCT_LINE_MAYBE,   /* "<?" the next one of that name is taken if it is this one */
    MRCT_LINE_FORBID,  /* "<!" none such may come in its time; "*": from here to the end */
    MRCT_LINE_NOTHING, /* the device sends no frame in its time */
    MRCT_LINE_WAIT,
    MRCT_LINE_POST_WRITE, /* the device's application posts a write */
    MRCT_LINE_POST_RECV,
    MRCT_LINE_SET_MPR,
    MRCT_LINE_SHORTAGE,
    MRCT_LINE_MEMORY, /* the device's memory must be so now */
    MRCT_LINE_OWN,    /* the harness's memory, that the device writes to */
    MRCT_LINE_OPEN,   /* "{": the lines up to "}" may come true in any order */
    MRCT_LINE_CLOSE,
};

/* When: absolute from the script's start, relative to the line before, or any time. */
enum mrct_time_kind { MRCT_TIME_ANY, MRCT_TIME_ABSOLUTE, MRCT_TIME_RELATIVE };
struct mrct_script_time {
    enum mrct_time_kind kind;
    bool ranged; /* "+10us~+40us"; else from_ns = to_ns */
    uint64_t from_ns, to_ns;
};

/* Which part of a script a line is of: a failure in the preamble proves nothing of the device. */
enum mrct_script_phase { MRCT_PHASE_PREAMBLE, MRCT_PHASE_BODY, MRCT_PHASE_POSTAMBLE };

/* What a line's packet is called: an opcode, or one of these. */
enum {
    MRCT_NAME_ANY = 256,  /* "*": any packet */
    MRCT_NAME_WRITE,      /* any of the six requests */
    MRCT_NAME_ANSWER,     /* SACK, NACK, ACK or EP_RESPONSE */
    MRCT_NAME_RAW,        /* bytes as they stand */
    MRCT_NAME_COMPLETION, /* from here on no packets: what the device's application hears */
    MRCT_NAME_RECV,
    MRCT_NAME_ERROR,
};

enum mrct_item_kind {
    MRCT_ITEM_FIELD, /* of a header, by its word or as "bth.r=1" */
    MRCT_ITEM_SACK,  /* the PSNs that a SACK's bitmap names */
    MRCT_ITEM_PLANE,
    MRCT_ITEM_EV,
    MRCT_ITEM_DSCP,
    MRCT_ITEM_ECN,
    MRCT_ITEM_LEN, /* bytes of payload; of a message that was received */
    MRCT_ITEM_PAD,
    MRCT_ITEM_UDP_LEN,
    MRCT_ITEM_WR, /* of events: the n-th write or receive that was posted, from 1 */
    MRCT_ITEM_STATUS,
    MRCT_ITEM_IMM,
    MRCT_ITEM_QP,
    /* from here on only of packets that are sent */
    MRCT_ITEM_IP_LEN,
    MRCT_ITEM_DATA, /* which pattern the payload is of */
    MRCT_ITEM_CUT,  /* so many bytes of the headers are missing, and what follows them */
    MRCT_ITEM_TRIM, /* so many bytes of the payload are left; 1 after: at the last hop */
    MRCT_ITEM_CHOP, /* so many bytes of the frame's end are missing */
    MRCT_ITEM_BAD_ICRC,
    MRCT_ITEM_NO_ICRC,
    MRCT_ITEM_NO_TS,    /* without a TSETH */
    MRCT_ITEM_FROM_IP6, /* the source address is another: its last byte */
};

/* How a number of the script becomes one of the wire. */
enum mrct_item_map {
    MRCT_MAP_LITERAL,
    MRCT_MAP_PSN,      /* relative to the first PSN of its flow */
    MRCT_MAP_PSN_LAST, /* relative to the highest PSN of its flow so far */
    MRCT_MAP_QP,       /* n-th QP of the case, from 1 */
    MRCT_MAP_EV,       /* n-th EV of a plane, from 0 */
    MRCT_MAP_VA,       /* offset in the region */
    MRCT_MAP_VA_END,   /* the same from its end */
    MRCT_MAP_RKEY,     /* 1: the region, 2: one without remote write, 3: a key of no region */
    MRCT_MAP_VAR,      /* a variable of the script */
};

struct mrct_psn_range {
    int64_t first, last;
};

struct mrct_script_item {
    enum mrct_item_kind kind;
    enum mrct_item_map map;
    const struct mrc_field *field;       /* FIELD */
    const char *word;                    /* as the script has it, for messages */
    bool differs;                        /* "!5": anything else */
    int64_t lo, hi;                      /* equal unless it is a range */
    int var;                             /* VAR: index */
    int plane;                           /* EV: the plane it belongs to, -1: the line's */
    const struct mrct_psn_range *ranges; /* SACK */
    size_t range_count;
};

struct mrct_script_line {
    enum mrct_line_kind kind;
    enum mrct_script_phase phase;
    struct mrct_script_time time;
    int number;       /* in the file */
    const char *text; /* without what stands around it */
    int name;         /* opcode or MRCT_NAME_ */
    struct mrct_script_item *items;
    size_t item_count;
    uint32_t count; /* "x8": so many in a row; 1 */
    /* POST_WRITE, POST_RECV, SET_MPR, SHORTAGE */
    unsigned qp;   /* from 1 */
    uint32_t size; /* bytes */
    bool has_imm;
    uint32_t imm;
    unsigned rkey;  /* 1, 2, 3 as above */
    unsigned value; /* SET_MPR: units of 128; SHORTAGE: reason */
    /* MEMORY, OWN: bytes first .. first + length - 1 are of ... */
    uint64_t first, length;
    int pattern; /* a pattern, 0: as at the start; or -n: what write n carries */
    /* RAW */
    const uint8_t *bytes;
    size_t byte_count;
};

struct mrct_script {
    struct mrct_script_line *lines;
    size_t line_count;
    const char *vars[MRCT_SCRIPT_VARS_MAX]; /* names without the $ */
    unsigned var_count;
    const char *text; /* all of it, as it stands in the file */
};

/*
 * Reads text, whose first line is line first_line of the file. Everything lives in pool. Returns 0,
 * or -1 with *bad_line and one sentence without place in err.
 */
int mrct_script_parse(struct mrct_script *s, struct mrct_pool *pool, const char *text,
                      int first_line, int *bad_line, char *err, size_t err_cap);

/* The harness plays the requestor of this script, or the responder: what only one may say. Returns
 * 0, or -1 as above. */
int mrct_script_verify(const struct mrct_script *s, bool device_is_requestor, unsigned qps,
                       unsigned planes, int *bad_line, char *err, size_t err_cap);

/* Byte of pattern n (from 1) at an offset in a region. */
uint8_t mrct_script_pattern(unsigned n, uint64_t offset);

const char *mrct_script_name_str(int name); /* NULL: an unlisted opcode */

#endif
