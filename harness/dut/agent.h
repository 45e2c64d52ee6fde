/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent protocol as the harness speaks it: one request at a time over lines, and a device in
 * virtual time behind them. docs/reference/agent-protocol.md.
 *
 * Whatever an agent answers, or does not, ends as an error with a sentence: the agent is broken
 * from then on, every call fails at once, and the run proves nothing about the device.
 */
#ifndef MRCT_DUT_AGENT_H
#define MRCT_DUT_AGENT_H

#include "harness/dut/agent_io.h"
#include "harness/dut/agent_msg.h"

#define MRCT_AGENT_CAPS_MAX 32u

/* What an agent says of itself. */
struct mrct_agent_hello {
    int version;
    char name[64], device_version[64], firmware[64];
    bool virtual_time, live; /* the modes it can do */
    unsigned ports;          /* that it can have, 1 when it does not say */
    char capabilities[MRCT_AGENT_CAPS_MAX][32];
    unsigned capability_count;
};

struct mrct_agent;

/* Takes io over, also when it fails. NULL: no memory. */
struct mrct_agent *mrct_agent_new(struct mrct_agent_io *io);
void mrct_agent_free(struct mrct_agent *a); /* says bye first, unless it is broken; NULL is fine */
/* Requests and answers that move no frame are also written there, a line each; NULL: nowhere. */
void mrct_agent_log(struct mrct_agent *a, FILE *log);

/*
 * Sends a request (the reference is taken over; NULL is a lack of memory) and waits for its answer.
 * *answer (may be NULL) is the object, owned by the caller. 0, or the error: enum mrc_ep_error or
 * MRCT_AGENT_x, with a sentence at mrct_agent_why().
 */
int mrct_agent_ask(struct mrct_agent *a, json_t *request, json_t **answer);
/* The same, but the answer is waited for with that of the next mrct_agent_ask(). */
void mrct_agent_tell(struct mrct_agent *a, json_t *request);
/* A line (with its newline) that need not be a request; its answer may carry any id. As
 * mrct_agent_ask(). */
int mrct_agent_raw(struct mrct_agent *a, const char *line);
/* Says bye and waits for the end of the session. 0, or MRCT_AGENT_GONE with a sentence. */
int mrct_agent_ends(struct mrct_agent *a);
/* Of the first thing that broke it, or else of the latest error; "" when there was none. */
const char *mrct_agent_why(const struct mrct_agent *a);
bool mrct_agent_broken(const struct mrct_agent *a);
/* An answer since the latest case began said no, and not because a queue was full or a QP's state
 * did not allow it. */
bool mrct_agent_refused(const struct mrct_agent *a);
/* For what only the caller can see to be garbage. */
void mrct_agent_break(struct mrct_agent *a, const char *op, const char *words);
/* The operation that an answer called unsupported since the latest case began, or NULL. */
const char *mrct_agent_unsupported(const struct mrct_agent *a);

/* The first request. Fails with MRCT_AGENT_VERSION_BAD when the versions do not fit. */
int mrct_agent_hello(struct mrct_agent *a, struct mrct_agent_hello *hello);
bool mrct_agent_claims(const struct mrct_agent_hello *h, const char *capability);

/* What every answer may carry. */
uint64_t mrct_agent_deadline(struct mrct_agent *a); /* as told latest */
bool mrct_agent_idle(struct mrct_agent *a); /* a live device has said last that no timer runs */
bool mrct_agent_event(struct mrct_agent *a, struct mrc_ep_event *ev);

/* What a case is begun with: its name, which of its hosts (0, 1) the device is, the node, the seed.
 */
struct mrct_agent_case {
    const char *case_id;
    unsigned host;
    bool live; /* the device uses ports of its own, and real time: it takes and gives no frames here
                */
    const struct mrc_ep_config *cfg;
    uint64_t seed;
};
/*
 * Begins a case. Returns the device, or NULL with *error set; MRCT_AGENT_UNSUPPORTED means that the
 * device does not do this case. Freeing the device ends the case; the agent stays.
 */
struct mrct_dut *mrct_agent_begin(struct mrct_agent *a, const char *name,
                                  const struct mrct_agent_case *c, int *error);
/* The bare request "case"; agent checks use it. */
json_t *mrct_agent_case_request(const struct mrct_agent_case *c);

#endif
