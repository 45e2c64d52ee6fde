/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference agent's inside: its session, and the handlers of the operations. */
#ifndef MRCT_DUT_AGENT_SERVE_H
#define MRCT_DUT_AGENT_SERVE_H

#include "harness/dut/agent_server.h"

#define MRCT_SERVE_BUFFERS_MAX 4096u
#define MRCT_SERVE_BYTES_MAX   (UINT64_C(1) << 28) /* of all together */

/* Memory of the application, as the harness asked for it. */
struct mrct_serve_buffer {
    uint64_t va, len;
    uint8_t *mem;
};

struct mrct_agent_server {
    struct mrct_agent_service service;
    bool greeted;
    struct mrct_dut *dut; /* NULL: no case is running */
    bool live;            /* it has ports and a clock of its own */
    struct mrc_wire_config wire;
    unsigned ports;
    uint64_t now_ns; /* the latest told: time does not go back */
    struct mrct_serve_buffer *buffers;
    size_t buffer_count, buffer_room;
    uint64_t buffer_bytes;
    char why[300]; /* of a refusal */
};

/* A handler fills the answer and returns 0, or an error of the protocol. */
typedef int (*mrct_serve_handler)(struct mrct_agent_server *s, const json_t *request,
                                  json_t *answer);

/* Members of requests. bad: tells which one is wrong, and returns MRC_EP_EINVAL. */
int mrct_serve_bad(struct mrct_agent_server *s, const char *key);
bool mrct_serve_u64(const json_t *o, const char *key, uint64_t max, uint64_t *out);
int mrct_serve_now(struct mrct_agent_server *s, const json_t *o);
int mrct_serve_qpn(struct mrct_agent_server *s, const json_t *o, uint32_t *qpn);
/* NULL unless len bytes lie in one buffer. */
uint8_t *mrct_serve_memory(struct mrct_agent_server *s, uint64_t va, uint64_t len);

/* Handlers: memory. */
int mrct_serve_alloc(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_free(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_store(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_load(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_digest(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_register(struct mrct_agent_server *s, const json_t *o, json_t *answer);
/* QPs, and what an application does. */
int mrct_serve_create_qp(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_connect(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_write(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_post_recv(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_set_mpr(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_force_nack(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_shortage(struct mrct_agent_server *s, const json_t *o, json_t *answer);
/* The controller. */
int mrct_serve_port(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_ev_profile(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_ev_replace(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_ev_state(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_evs(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_counters(struct mrct_agent_server *s, const json_t *o, json_t *answer);
/* Frames and time. */
int mrct_serve_input(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_output(struct mrct_agent_server *s, const json_t *o, json_t *answer);
int mrct_serve_tick(struct mrct_agent_server *s, const json_t *o, json_t *answer);

#endif
