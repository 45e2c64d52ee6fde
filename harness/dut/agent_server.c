/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/dut/agent_serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the session and the case ---- */

static int on_hello(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    json_t *const caps = json_array();
    if (json_integer_value(json_object_get(o, "version")) != MRCT_AGENT_VERSION) {
        (void)snprintf(s->why, sizeof s->why, "this agent speaks version %d", MRCT_AGENT_VERSION);
        json_decref(caps);
        return MRCT_AGENT_VERSION_BAD;
    }
    for (const char *const *c = s->service.capabilities; *c != NULL; c++)
        (void)json_array_append_new(caps, json_string(*c));
    (void)json_object_set_new(answer, "version", json_integer(MRCT_AGENT_VERSION));
    (void)json_object_set_new(answer, "name", json_string(s->service.name));
    (void)json_object_set_new(answer, "device_version", json_string(s->service.version));
    (void)json_object_set_new(answer, "firmware", json_string(s->service.firmware));
    const bool live = s->service.make_live != NULL;
    (void)json_object_set_new(answer, "modes",
                              live ? json_pack("[s,s]", "virtual", "live")
                                   : json_pack("[s]", "virtual"));
    (void)json_object_set_new(
        answer, "ports",
        json_integer(s->service.live_ports > 0 ? s->service.live_ports : MRC_EP_PORTS_MAX));
    s->greeted = true;
    return json_object_set_new(answer, "capabilities", caps) == 0 ? 0 : MRC_EP_ENOMEM;
}

static void end_case(struct mrct_agent_server *s)
{
    if (s->dut != NULL)
        s->dut->ops->free(s->dut);
    for (size_t i = 0; i < s->buffer_count; i++)
        free(s->buffers[i].mem);
    s->dut = NULL;
    s->live = false;
    s->buffer_count = 0;
    s->buffer_bytes = 0;
    s->now_ns = 0;
}

static int take_config(struct mrct_agent_server *s, const json_t *o, struct mrc_ep_config *cfg)
{
    mrc_ep_config_default(cfg);
    if (mrct_msg_get(json_object_get(o, "node"), mrct_msg_node, cfg, s->why, sizeof s->why) != 0 ||
        mrct_msg_wire_get(json_object_get(o, "wire"), &cfg->wire, s->why, sizeof s->why) != 0)
        return MRC_EP_EINVAL;
    if (mrct_msg_ports_get(json_object_get(o, "ports"), cfg->port_addr, &cfg->ports) != 0)
        return mrct_serve_bad(s, "ports");
    return 0;
}

static int on_case(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    const char *const id = json_string_value(json_object_get(o, "case"));
    const char *const mode = json_string_value(json_object_get(o, "mode"));
    const char *const seed = json_string_value(json_object_get(o, "seed"));
    struct mrc_ep_config cfg;
    (void)answer;
    if (s->dut != NULL)
        return MRC_EP_ESTATE;
    if (id == NULL || mode == NULL)
        return mrct_serve_bad(s, id == NULL ? "case" : "mode");
    const bool live = strcmp(mode, "live") == 0 && s->service.make_live != NULL;
    if ((!live && strcmp(mode, "virtual") != 0) || !s->service.knows(s->service.user, id))
        return MRCT_AGENT_UNSUPPORTED;
    if (seed == NULL || strlen(seed) != 16)
        return mrct_serve_bad(s, "seed");
    const int rc = take_config(s, o, &cfg);
    if (rc != 0)
        return rc;
    s->wire = cfg.wire;
    s->ports = cfg.ports;
    const uint64_t number = strtoull(seed, NULL, 16);
    s->dut = live ? s->service.make_live(s->service.user, &cfg, number)
                  : s->service.make(s->service.user, &cfg, number);
    s->live = live && s->dut != NULL;
    return s->dut != NULL ? 0 : MRC_EP_EINVAL;
}

static int on_reset(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    (void)o;
    (void)answer;
    end_case(s);
    return 0;
}

static int on_nothing(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    (void)s;
    (void)o;
    (void)answer;
    return 0;
}

/* ---- the table ---- */

static const struct {
    const char *op;
    mrct_serve_handler handle;
    bool in_case; /* only while a case is running */
    bool moves;   /* frames or time: in virtual time alone */
} ops[] = {
    {"input", mrct_serve_input, true, true},
    {"output", mrct_serve_output, true, true},
    {"tick", mrct_serve_tick, true, true},
    {"poll", on_nothing, true, false}, /* events go with every answer */
    {"write", mrct_serve_write, true, false},
    {"post_recv", mrct_serve_post_recv, true, false},
    {"alloc", mrct_serve_alloc, true, false},
    {"free", mrct_serve_free, true, false},
    {"store", mrct_serve_store, true, false},
    {"load", mrct_serve_load, true, false},
    {"digest", mrct_serve_digest, true, false},
    {"register", mrct_serve_register, true, false},
    {"create_qp", mrct_serve_create_qp, true, false},
    {"connect", mrct_serve_connect, true, false},
    {"set_mpr", mrct_serve_set_mpr, true, false},
    {"force_nack", mrct_serve_force_nack, true, false},
    {"shortage", mrct_serve_shortage, true, false},
    {"port", mrct_serve_port, true, false},
    {"ev_profile", mrct_serve_ev_profile, true, false},
    {"ev_state", mrct_serve_ev_state, true, false},
    {"ev_replace", mrct_serve_ev_replace, true, false},
    {"evs", mrct_serve_evs, true, false},
    {"counters", mrct_serve_counters, true, false},
    {"case", on_case, false, false},
    {"reset", on_reset, false, false},
    {"hello", on_hello, false, false},
    {"bye", on_nothing, false, false},
};

static int dispatch(struct mrct_agent_server *s, const json_t *request, json_t *answer)
{
    const char *const op = json_string_value(json_object_get(request, "op"));
    if (op == NULL)
        return mrct_serve_bad(s, "op");
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (strcmp(ops[i].op, op) != 0)
            continue;
        const bool out_of_turn =
            (ops[i].in_case && s->dut == NULL) || (!s->greeted && ops[i].handle != on_hello);
        if (!out_of_turn && s->live && ops[i].moves)
            return MRCT_AGENT_UNSUPPORTED;
        return out_of_turn ? MRC_EP_ESTATE : ops[i].handle(s, request, answer);
    }
    return MRCT_AGENT_UNSUPPORTED;
}

/* Events and the deadline go with every answer while a case is running. */
static void add_state(struct mrct_agent_server *s, json_t *answer)
{
    struct mrc_ep_event ev;
    json_t *events = NULL;
    if (s->dut == NULL)
        return;
    while (s->dut->ops->poll(s->dut, &ev)) {
        json_t *const o = json_object();
        events = events != NULL ? events : json_array();
        (void)mrct_msg_put(o, mrct_msg_event, &ev);
        (void)json_array_append_new(events, o);
    }
    if (events != NULL)
        (void)json_object_set_new(answer, "events", events);
    const uint64_t deadline = s->dut->ops->deadline(s->dut);
    if (s->live) {
        (void)json_object_set_new(answer, "idle", json_boolean(deadline == MRC_TIME_NEVER));
        return;
    }
    (void)json_object_set_new(answer, "deadline",
                              deadline <= INT64_MAX ? json_integer((json_int_t)deadline)
                                                    : json_null());
}

static json_t *refuse(const struct mrct_agent_server *s, int error)
{
    return json_pack("{s:s,s:s}", "error", mrct_msg_error_str(error), "why",
                     s->why[0] != '\0' ? s->why : mrc_ep_strerror(error));
}

char *mrct_agent_server_answer(struct mrct_agent_server *s, const char *line, size_t len, bool *bye)
{
    json_error_t e;
    json_t *const request = json_loadb(line, len, JSON_REJECT_DUPLICATES, &e);
    json_t *answer = json_object();
    int error = MRC_EP_EINVAL;
    s->why[0] = '\0';
    if (json_is_object(request))
        error = dispatch(s, request, answer);
    else
        (void)snprintf(s->why, sizeof s->why, "the line is no JSON object");
    if (error == 0) {
        (void)json_object_set_new(answer, "ok", json_true());
        add_state(s, answer);
    } else {
        json_decref(answer);
        answer = refuse(s, error);
    }
    json_t *const id = json_object_get(request, "id");
    (void)json_object_set(answer, "id", id != NULL ? id : json_null());
    const char *const op = json_string_value(json_object_get(request, "op"));
    *bye = error == 0 && op != NULL && strcmp(op, "bye") == 0;
    char *const text = json_dumps(answer, JSON_COMPACT);
    json_decref(request);
    json_decref(answer);
    if (text == NULL)
        return NULL;
    const size_t n = strlen(text);
    char *const out = realloc(text, n + 2);
    if (out == NULL) {
        free(text);
        return NULL;
    }
    memcpy(out + n, "\n", 2);
    return out;
}

struct mrct_agent_server *mrct_agent_server_new(const struct mrct_agent_service *service)
{
    struct mrct_agent_server *const s = calloc(1, sizeof *s);
    if (s != NULL)
        s->service = *service;
    return s;
}

void mrct_agent_server_free(struct mrct_agent_server *s)
{
    if (s == NULL)
        return;
    end_case(s);
    free(s->buffers);
    free(s);
}

int mrct_agent_serve(const struct mrct_agent_service *service, struct mrct_agent_io *io)
{
    struct mrct_agent_server *const s = mrct_agent_server_new(service);
    bool bye = false;
    int rc = s != NULL ? 0 : -1;
    while (rc == 0 && !bye) {
        const char *line = NULL;
        size_t len = 0;
        int fd = -1;
        if (s->live && !io->ops->ready(io, &fd))
            service->attend(service->user, fd);
        if (io->ops->recv(io, &line, &len) != 0)
            break; /* the harness has gone */
        char *const answer = mrct_agent_server_answer(s, line, len, &bye);
        rc = answer != NULL ? io->ops->send(io, answer, strlen(answer)) : -1;
        free(answer);
    }
    mrct_agent_server_free(s);
    return rc;
}
