/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device behind an agent: every call of the vtable becomes a request, memory travels as bytes,
 * and so do frames in virtual time. A device on ports of its own sends and receives by these, and
 * is asked for its events now and then.
 */
#include "harness/dut/agent.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Bytes of payloads that the fabric may still refer to: far more than can be under way. */
#define KEEP_BYTES  (UINT32_C(64) << 20)
#define KEEP_CHUNK  (UINT32_C(1) << 20)
#define KEEP_CHUNKS (KEEP_BYTES / KEEP_CHUNK)
/* Where the sources of writes lie in the device's memory: below every region of a case. */
#define SOURCE_BASE    UINT64_C(0x100000000)
#define PAGE           UINT64_C(4096)
#define POLL_NS        UINT64_C(1000000) /* between two questions for events */
#define MRCT_FRAME_MIN 14                /* an Ethernet header */

struct source {
    struct source *next;
    uint64_t wr_id, va;
};

struct agent_dut {
    struct mrct_dut dut; /* first */
    struct mrct_agent *agent;
    struct mrc_wire_config wire;
    unsigned ports;
    json_t *frames; /* of the latest "output", those from frame_next on not handed over yet */
    size_t frame_next;
    /* Ports for which the latest "output" had nothing, as long as nothing has happened since: what
     * a device wants to send later, it asks for by its deadline. */
    uint64_t silent_ports;
    uint8_t *keep[KEEP_CHUNKS];
    uint32_t keep_chunk, keep_used;
    struct source *sources;
    uint64_t source_next;
    uint64_t asked_ns; /* when a live one was asked for events, real time */
};

static struct agent_dut *of(struct mrct_dut *d)
{
    return (struct agent_dut *)d;
}

/* Something happens to the device: what it had to send may be something else now. */
static struct mrct_agent *touch(struct mrct_dut *d)
{
    of(d)->silent_ports = 0;
    return of(d)->agent;
}

static json_int_t num(uint64_t v)
{
    return (json_int_t)v;
}

/* ---- time and frames ---- */

static void dut_input(struct mrct_dut *d, uint64_t now_ns, unsigned port, const struct mrc_frame *f)
{
    uint8_t bytes[MRC_FRAME_MAX];
    const size_t len = mrc_frame_gather(&of(d)->wire, f, bytes, sizeof bytes);
    mrct_agent_tell(touch(d), json_pack("{s:s,s:I,s:i,s:o}", "op", "input", "now", num(now_ns),
                                        "port", (int)port, "frame", mrct_msg_hex(bytes, len)));
}

static uint64_t ports_of(const json_t *frames)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < json_array_size(frames); i++) {
        const json_t *const port = json_object_get(json_array_get(frames, i), "port");
        mask |= UINT64_C(1) << ((uint64_t)json_integer_value(port) & 63);
    }
    return mask;
}

/* Room for a payload; the oldest is forgotten when there are too many. */
static uint8_t *keep(struct agent_dut *d)
{
    if (d->keep_used + MRC_FRAME_MAX > KEEP_CHUNK) {
        d->keep_chunk = (d->keep_chunk + 1) % KEEP_CHUNKS;
        d->keep_used = 0;
    }
    uint8_t **const chunk = &d->keep[d->keep_chunk];
    if (*chunk == NULL)
        *chunk = malloc(KEEP_CHUNK);
    return *chunk != NULL ? *chunk + d->keep_used : NULL;
}

/* The next frame of the answer: its port; -1 when there is none for the free ports. */
static int next_frame(struct agent_dut *d, uint64_t port_free_mask, struct mrc_frame *out)
{
    const json_t *const o = json_array_get(d->frames, d->frame_next);
    if (o == NULL)
        return -1;
    const json_int_t port = json_integer_value(json_object_get(o, "port"));
    if (port < 0 || port >= (json_int_t)MRC_EP_PORTS_MAX || (port_free_mask >> port & 1) == 0) {
        mrct_agent_break(d->agent, "output", "a frame for a port that is not free");
        return -1;
    }
    uint8_t *const bytes = keep(d);
    const int len =
        bytes != NULL ? mrct_msg_unhex(json_object_get(o, "frame"), bytes, MRC_FRAME_MAX) : -1;
    if (len < MRCT_FRAME_MIN) {
        mrct_agent_break(d->agent, "output", "'frame' is no frame");
        return -1;
    }
    mrct_msg_frame(&d->wire, bytes, (size_t)len, out);
    d->keep_used += (uint32_t)len;
    d->frame_next++;
    return (int)port;
}

static int dut_output(struct mrct_dut *dut, uint64_t now_ns, uint64_t port_free_mask,
                      struct mrc_frame *out)
{
    struct agent_dut *const d = of(dut);
    json_t *answer = NULL;
    if (mrct_agent_broken(d->agent))
        return -1;
    if (d->frame_next < json_array_size(d->frames))
        return next_frame(d, port_free_mask, out);
    if ((port_free_mask & ~d->silent_ports) == 0)
        return -1;
    if (mrct_agent_ask(d->agent,
                       json_pack("{s:s,s:I,s:I}", "op", "output", "now", num(now_ns), "ports",
                                 num(port_free_mask)),
                       &answer) != 0)
        return -1;
    json_decref(d->frames);
    d->frames = json_incref(json_object_get(answer, "frames"));
    d->frame_next = 0;
    json_decref(answer);
    d->silent_ports = port_free_mask & ~ports_of(d->frames);
    return next_frame(d, port_free_mask, out);
}

static uint64_t dut_deadline(const struct mrct_dut *d)
{
    return mrct_agent_deadline(((const struct agent_dut *)d)->agent);
}

static void dut_tick(struct mrct_dut *d, uint64_t now_ns)
{
    (void)mrct_agent_ask(touch(d), json_pack("{s:s,s:I}", "op", "tick", "now", num(now_ns)), NULL);
}

/* ---- QPs ---- */

static json_t *evs_of(const struct mrc_qp_attr *attr)
{
    json_t *const list = json_array();
    for (unsigned i = 0; i < attr->ev_count; i++)
        (void)json_array_append_new(list, json_pack("{s:I,s:i}", "ev", num(attr->evs[i].value),
                                                    "port", (int)attr->evs[i].port));
    return list;
}

/* null stands for the fixed window of cwnd_bytes. */
static json_t *cc_of(const struct mrc_cc_profile *cc)
{
    if (cc == NULL)
        return json_null();
    json_t *const o =
        json_pack("{s:s}", "algorithm", cc->algorithm != NULL ? cc->algorithm : "off");
    (void)mrct_msg_put(o, mrct_msg_cc, cc);
    return o;
}

static int dut_ev_profile(struct mrct_dut *d, const struct mrc_ev_profile *profile)
{
    return mrct_agent_ask(
        touch(d), json_pack("{s:s,s:o}", "op", "ev_profile", "profile", mrct_msg_profile(profile)),
        NULL);
}

static int64_t dut_create_qp(struct mrct_dut *d, const struct mrc_qp_attr *attr)
{
    json_t *const o =
        json_pack("{s:s,s:o,s:o}", "op", "create_qp", "evs", evs_of(attr), "cc", cc_of(attr->cc));
    json_t *answer = NULL;
    (void)mrct_msg_put(o, mrct_msg_attr, attr);
    const int rc = mrct_agent_ask(touch(d), o, &answer);
    const json_int_t qpn = json_integer_value(json_object_get(answer, "qpn"));
    json_decref(answer);
    if (rc != 0)
        return rc;
    return qpn > 2 && qpn <= 0xFFFFFF ? qpn : MRCT_AGENT_FAILED;
}

static int dut_connect(struct mrct_dut *d, uint32_t qpn, const struct mrc_qp_peer *peer)
{
    json_t *const p = json_pack("{s:o}", "ports", mrct_msg_ports(peer->addr, of(d)->ports));
    (void)mrct_msg_put(p, mrct_msg_peer, peer);
    if (peer->srv6.usid_count > 0)
        (void)json_object_set_new(p, "srv6", mrct_msg_srv6(&peer->srv6));
    return mrct_agent_ask(
        touch(d), json_pack("{s:s,s:I,s:o}", "op", "connect", "qpn", num(qpn), "peer", p), NULL);
}

/* ---- memory ---- */

static int dut_put(struct mrct_dut *d, const uint8_t *mem, uint64_t va, uint64_t len)
{
    for (uint64_t at = 0; at < len; at += MRCT_AGENT_CHUNK_MAX) {
        const uint64_t n = len - at < MRCT_AGENT_CHUNK_MAX ? len - at : MRCT_AGENT_CHUNK_MAX;
        mrct_agent_tell(of(d)->agent, json_pack("{s:s,s:I,s:o}", "op", "store", "va", num(va + at),
                                                "data", mrct_msg_hex(mem + at, n)));
    }
    return mrct_agent_broken(of(d)->agent) ? MRCT_AGENT_GONE : 0;
}

static int dut_map(struct mrct_dut *d, const uint8_t *mem, uint64_t va, uint64_t len)
{
    const int rc = mrct_agent_ask(
        of(d)->agent, json_pack("{s:s,s:I,s:I}", "op", "alloc", "va", num(va), "len", num(len)),
        NULL);
    return rc == 0 ? dut_put(d, mem, va, len) : rc;
}

static int dut_fetch(struct mrct_dut *d, uint8_t *mem, uint64_t va, uint64_t len)
{
    int rc = 0;
    for (uint64_t at = 0; at < len && rc == 0; at += MRCT_AGENT_CHUNK_MAX) {
        const uint64_t n = len - at < MRCT_AGENT_CHUNK_MAX ? len - at : MRCT_AGENT_CHUNK_MAX;
        json_t *answer = NULL;
        rc = mrct_agent_ask(
            of(d)->agent,
            json_pack("{s:s,s:I,s:I}", "op", "load", "va", num(va + at), "len", num(n)), &answer);
        if (rc == 0 && mrct_msg_unhex(json_object_get(answer, "data"), mem + at, n) != (int)n)
            rc = MRCT_AGENT_FAILED;
        json_decref(answer);
    }
    return rc;
}

static int dut_register_mr(struct mrct_dut *d, struct mrc_mr *mr)
{
    json_t *answer = NULL;
    const int rc = mrct_agent_ask(touch(d),
                                  json_pack("{s:s,s:I,s:I,s:b}", "op", "register", "va",
                                            num(mr->va), "len", num(mr->len_bytes), "remote_write",
                                            (int)(mr->access & MRC_MR_REMOTE_WRITE)),
                                  &answer);
    const json_t *const rkey = json_object_get(answer, "rkey");
    const bool good = json_is_integer(rkey) && json_integer_value(rkey) >= 0 &&
                      json_integer_value(rkey) <= UINT32_MAX;
    if (rc == 0 && good)
        mr->rkey = (uint32_t)json_integer_value(rkey);
    json_decref(answer);
    return rc != 0 || good ? rc : MRCT_AGENT_FAILED;
}

/* ---- what an application does ---- */

/* The bytes of a write into the device's memory, once, however often its queue is full. */
static struct source *stage(struct agent_dut *d, const struct mrc_write *w)
{
    for (struct source *s = d->sources; s != NULL; s = s->next)
        if (s->wr_id == w->wr_id)
            return s;
    struct source *const s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    *s = (struct source){.next = d->sources, .wr_id = w->wr_id, .va = d->source_next};
    d->sources = s;
    d->source_next += (w->len_bytes + PAGE - 1) / PAGE * PAGE;
    return dut_map(&d->dut, w->local, s->va, w->len_bytes) == 0 ? s : NULL;
}

static void unstage(struct agent_dut *d, uint64_t wr_id)
{
    for (struct source **at = &d->sources; *at != NULL; at = &(*at)->next) {
        struct source *const s = *at;
        if (s->wr_id != wr_id)
            continue;
        mrct_agent_tell(d->agent, json_pack("{s:s,s:I}", "op", "free", "va", num(s->va)));
        *at = s->next;
        free(s);
        return;
    }
}

static int dut_post_write(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns,
                          const struct mrc_write *w)
{
    const struct source *const s = stage(of(d), w);
    if (s == NULL)
        return mrct_agent_broken(of(d)->agent) ? MRCT_AGENT_GONE : MRC_EP_ENOMEM;
    json_t *const o = json_pack("{s:s,s:I,s:I,s:I}", "op", "write", "now", num(now_ns), "qpn",
                                num(qpn), "local", num(s->va));
    (void)mrct_msg_put(o, mrct_msg_write, w);
    return mrct_agent_ask(touch(d), o, NULL);
}

static int dut_post_recv(struct mrct_dut *d, uint32_t qpn, uint64_t wr_id)
{
    return mrct_agent_ask(
        touch(d),
        json_pack("{s:s,s:I,s:I}", "op", "post_recv", "qpn", num(qpn), "wr_id", num(wr_id)), NULL);
}

static bool dut_poll(struct mrct_dut *d, struct mrc_ep_event *ev)
{
    if (!mrct_agent_event(of(d)->agent, ev))
        return false;
    if (ev->kind == MRC_EVENT_SEND_DONE)
        unstage(of(d), ev->wr_id);
    return true;
}

/* ---- on ports of its own ---- */

static void live_input(struct mrct_dut *d, uint64_t now_ns, unsigned port,
                       const struct mrc_frame *f)
{
    (void)d;
    (void)now_ns;
    (void)port;
    (void)f;
}

static int live_output(struct mrct_dut *d, uint64_t now_ns, uint64_t port_free_mask,
                       struct mrc_frame *out)
{
    (void)d;
    (void)now_ns;
    (void)port_free_mask;
    (void)out;
    return -1;
}

/* Its own business, but for whether it has one. */
static uint64_t live_deadline(const struct mrct_dut *d)
{
    return mrct_agent_idle(((const struct agent_dut *)d)->agent) ? MRC_TIME_NEVER : 0;
}

static void live_tick(struct mrct_dut *d, uint64_t now_ns)
{
    (void)d;
    (void)now_ns;
}

static bool live_poll(struct mrct_dut *dut, struct mrc_ep_event *ev)
{
    struct agent_dut *const d = of(dut);
    struct timespec t;
    if (dut_poll(dut, ev))
        return true;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    const uint64_t now_ns = (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
    if (now_ns - d->asked_ns < POLL_NS)
        return false;
    d->asked_ns = now_ns;
    (void)mrct_agent_ask(d->agent, json_pack("{s:s}", "op", "poll"), NULL);
    return dut_poll(dut, ev);
}

/* ---- what only some can do ---- */

static int dut_set_mpr(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns, uint8_t mpr)
{
    return mrct_agent_ask(touch(d),
                          json_pack("{s:s,s:I,s:I,s:i}", "op", "set_mpr", "now", num(now_ns), "qpn",
                                    num(qpn), "mpr", (int)mpr),
                          NULL);
}

static int dut_force_nack(struct mrct_dut *d, uint32_t qpn, enum mrc_nack_reason reason,
                          uint32_t count)
{
    return mrct_agent_ask(touch(d),
                          json_pack("{s:s,s:I,s:s?,s:I}", "op", "force_nack", "qpn", num(qpn),
                                    "reason", mrct_msg_reason_str(reason), "count", num(count)),
                          NULL);
}

static int dut_shortage(struct mrct_dut *d, enum mrc_nack_reason reason, uint32_t ppm)
{
    return mrct_agent_ask(touch(d),
                          json_pack("{s:s,s:s?,s:I}", "op", "shortage", "reason",
                                    mrct_msg_reason_str(reason), "ppm", num(ppm)),
                          NULL);
}

static int dut_port_set(struct mrct_dut *d, uint64_t now_ns, unsigned port, bool up)
{
    return mrct_agent_ask(touch(d),
                          json_pack("{s:s,s:I,s:i,s:b}", "op", "port", "now", num(now_ns), "port",
                                    (int)port, "up", (int)up),
                          NULL);
}

static int dut_ev_set_state(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns, struct mrc_ev ev,
                            enum mrc_ev_state state)
{
    const struct mrc_ev_info info = {.ev = ev, .state = state};
    json_t *const o =
        json_pack("{s:s,s:I,s:I}", "op", "ev_state", "now", num(now_ns), "qpn", num(qpn));
    (void)mrct_msg_put(o, mrct_msg_ev_info, &info);
    (void)json_object_del(o, "active");
    (void)json_object_del(o, "drop_count");
    return mrct_agent_ask(touch(d), o, NULL);
}

static int dut_ev_replace(struct mrct_dut *d, uint64_t now_ns, uint64_t profile, unsigned index,
                          const struct mrc_ev_spec *spec)
{
    return mrct_agent_ask(touch(d),
                          json_pack("{s:s,s:I,s:I,s:I,s:o}", "op", "ev_replace", "now", num(now_ns),
                                    "profile", num(profile), "index", num(index), "spec",
                                    mrct_msg_spec(spec)),
                          NULL);
}

static int dut_ev_query(const struct mrct_dut *dut, uint32_t qpn, unsigned first,
                        struct mrc_ev_info *out, unsigned room)
{
    struct mrct_agent *const a = ((const struct agent_dut *)dut)->agent;
    char err[200];
    json_t *answer = NULL;
    int rc = mrct_agent_ask(a,
                            json_pack("{s:s,s:I,s:I,s:I}", "op", "evs", "qpn", num(qpn), "first",
                                      num(first), "room", num(room)),
                            &answer);
    const json_t *const list = json_object_get(answer, "evs");
    const size_t n = json_array_size(list);
    for (size_t i = 0; rc == 0 && i < n && i < room; i++) {
        out[i] = (struct mrc_ev_info){.active = true};
        if (mrct_msg_get(json_array_get(list, i), mrct_msg_ev_info, &out[i], err, sizeof err) != 0)
            rc = MRCT_AGENT_FAILED;
    }
    json_decref(answer);
    return rc != 0 ? rc : (int)(n < room ? n : room);
}

static int dut_qp_info(const struct mrct_dut *dut, uint32_t qpn, struct mrc_qp_info *info)
{
    struct mrct_agent *const a = ((const struct agent_dut *)dut)->agent;
    char err[200];
    json_t *answer = NULL;
    *info = (struct mrc_qp_info){.deadline_ns = MRC_TIME_NEVER};
    const int rc =
        mrct_agent_ask(a, json_pack("{s:s,s:I}", "op", "counters", "qpn", num(qpn)), &answer);
    const json_t *const o = json_object_get(answer, "counters");
    const int got = rc == 0 ? mrct_msg_get(o, mrct_msg_qp_info, info, err, sizeof err) : 0;
    json_decref(answer);
    return rc != 0 || got == 0 ? rc : MRCT_AGENT_FAILED;
}

/* ---- the whole ---- */

static enum mrct_dut_trouble dut_trouble(const struct mrct_dut *dut, const char **words)
{
    const struct agent_dut *const d = (const struct agent_dut *)dut;
    const char *const op = mrct_agent_unsupported(d->agent);
    *words = mrct_agent_why(d->agent);
    if (mrct_agent_broken(d->agent) || mrct_agent_refused(d->agent))
        return MRCT_DUT_BROKEN;
    return op != NULL ? MRCT_DUT_UNSUPPORTED : MRCT_DUT_FINE;
}

static void dut_free(struct mrct_dut *dut)
{
    struct agent_dut *const d = of(dut);
    struct mrc_ep_event ev;
    (void)mrct_agent_ask(d->agent, json_pack("{s:s}", "op", "reset"), NULL);
    while (mrct_agent_event(d->agent, &ev))
        continue;
    while (d->sources != NULL) {
        struct source *const s = d->sources;
        d->sources = s->next;
        free(s);
    }
    for (size_t i = 0; i < KEEP_CHUNKS; i++)
        free(d->keep[i]);
    json_decref(d->frames);
    free(d);
}

#define OTHER_OPS                                                                                  \
    .free = dut_free, .create_qp = dut_create_qp, .connect = dut_connect,                          \
    .register_mr = dut_register_mr, .post_write = dut_post_write, .post_recv = dut_post_recv,      \
    .set_mpr = dut_set_mpr, .force_nack = dut_force_nack, .shortage = dut_shortage,                \
    .port_set = dut_port_set, .ev_profile = dut_ev_profile, .ev_set_state = dut_ev_set_state,      \
    .ev_replace = dut_ev_replace, .ev_query = dut_ev_query, .qp_info = dut_qp_info,                \
    .map = dut_map, .fetch = dut_fetch, .put = dut_put, .trouble = dut_trouble

static const struct mrct_dut_ops agent_ops = {
    OTHER_OPS,        .input = dut_input, .output = dut_output, .deadline = dut_deadline,
    .tick = dut_tick, .poll = dut_poll};
static const struct mrct_dut_ops live_ops = {
    OTHER_OPS,         .input = live_input, .output = live_output, .deadline = live_deadline,
    .tick = live_tick, .poll = live_poll};

json_t *mrct_agent_case_request(const struct mrct_agent_case *c)
{
    char text[20];
    json_t *const node = json_object();
    (void)snprintf(text, sizeof text, "%016" PRIx64, c->seed);
    json_t *const o =
        json_pack("{s:s,s:s,s:s,s:i,s:s,s:o,s:o,s:o}", "op", "case", "case", c->case_id, "mode",
                  c->live ? "live" : "virtual", "host", (int)c->host + 1, "seed", text, "ports",
                  mrct_msg_ports(c->cfg->port_addr, c->cfg->ports), "wire",
                  mrct_msg_wire(&c->cfg->wire), "node", node);
    if (o != NULL && mrct_msg_put(node, mrct_msg_node, c->cfg) != 0) {
        json_decref(o);
        return NULL;
    }
    return o;
}

struct mrct_dut *mrct_agent_begin(struct mrct_agent *a, const char *name,
                                  const struct mrct_agent_case *c, int *error)
{
    struct agent_dut *const d = calloc(1, sizeof *d);
    *error = MRC_EP_ENOMEM;
    if (d == NULL)
        return NULL;
    d->dut = (struct mrct_dut){.ops = c->live ? &live_ops : &agent_ops, .name = name};
    d->agent = a;
    d->wire = c->cfg->wire;
    d->ports = c->cfg->ports;
    d->source_next = SOURCE_BASE;
    *error = mrct_agent_ask(a, mrct_agent_case_request(c), NULL);
    if (*error != 0) {
        free(d);
        return NULL;
    }
    return &d->dut;
}
