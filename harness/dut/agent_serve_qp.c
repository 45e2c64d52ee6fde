/* SPDX-License-Identifier: BSD-2-Clause */
/* QPs, what an application does, what a controller does, and frames. */
#include "harness/dut/agent_serve.h"

#include <stdlib.h>

#define PORTS_MASK ((UINT64_C(1) << MRC_EP_PORTS_MAX) - 1)

/* ---- QPs ---- */

static int take_evs(const json_t *list, unsigned ports, struct mrc_ev *evs)
{
    char err[200];
    for (size_t i = 0; i < json_array_size(list); i++) {
        evs[i] = (struct mrc_ev){0};
        if (mrct_msg_get(json_array_get(list, i), mrct_msg_ev, &evs[i], err, sizeof err) != 0 ||
            evs[i].port >= ports)
            return -1;
    }
    return 0;
}

static int take_cc(struct mrct_agent_server *s, const json_t *o, struct mrc_cc_profile *cc,
                   struct mrc_qp_attr *attr)
{
    if (!json_is_object(o))
        return 0;
    mrc_cc_profile_default(cc);
    if (mrct_msg_get(o, mrct_msg_cc, cc, s->why, sizeof s->why) != 0)
        return MRC_EP_EINVAL;
    cc->algorithm = json_string_value(json_object_get(o, "algorithm"));
    attr->cc = cc;
    return 0;
}

int mrct_serve_create_qp(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    const json_t *const list = json_object_get(o, "evs");
    const size_t count = json_array_size(list);
    struct mrc_cc_profile cc;
    struct mrc_qp_attr attr;
    mrc_qp_attr_default(&attr);
    if (mrct_msg_get(o, mrct_msg_attr, &attr, s->why, sizeof s->why) != 0 ||
        take_cc(s, json_object_get(o, "cc"), &cc, &attr) != 0)
        return MRC_EP_EINVAL;
    if ((count == 0 && attr.ev_profile == 0) || count > 32768)
        return mrct_serve_bad(s, "evs");
    struct mrc_ev *const evs = calloc(count + 1, sizeof *evs);
    if (evs == NULL)
        return MRC_EP_ENOMEM;
    attr.evs = evs;
    attr.ev_count = (unsigned)count;
    const int64_t qpn = take_evs(list, s->ports, evs) == 0 ? s->dut->ops->create_qp(s->dut, &attr)
                                                           : mrct_serve_bad(s, "evs");
    free(evs);
    if (qpn < 0)
        return (int)qpn;
    return json_object_set_new(answer, "qpn", json_integer(qpn)) == 0 ? 0 : MRC_EP_ENOMEM;
}

int mrct_serve_connect(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    const json_t *const p = json_object_get(o, "peer");
    struct mrc_qp_peer peer = {0};
    unsigned ports = 0;
    uint32_t qpn = 0;
    (void)answer;
    if (mrct_serve_qpn(s, o, &qpn) != 0)
        return MRC_EP_EINVAL;
    if (mrct_msg_get(p, mrct_msg_peer, &peer, s->why, sizeof s->why) != 0)
        return MRC_EP_EINVAL;
    if (mrct_msg_ports_get(json_object_get(p, "ports"), peer.addr, &ports) != 0)
        return mrct_serve_bad(s, "ports");
    if (mrct_msg_srv6_get(json_object_get(p, "srv6"), &peer.srv6) != 0)
        return mrct_serve_bad(s, "srv6");
    return s->dut->ops->connect(s->dut, qpn, &peer);
}

/* ---- what an application does ---- */

int mrct_serve_write(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    struct mrc_write w = {0};
    uint64_t local = 0;
    uint32_t qpn = 0;
    (void)answer;
    if (mrct_serve_now(s, o) != 0 || mrct_serve_qpn(s, o, &qpn) != 0)
        return MRC_EP_EINVAL;
    if (mrct_msg_get(o, mrct_msg_write, &w, s->why, sizeof s->why) != 0)
        return MRC_EP_EINVAL;
    if (!mrct_serve_u64(o, "local", INT64_MAX, &local))
        return mrct_serve_bad(s, "local");
    w.local = mrct_serve_memory(s, local, w.len_bytes);
    return w.local != NULL ? s->dut->ops->post_write(s->dut, qpn, s->now_ns, &w) : MRC_EP_ENOENT;
}

int mrct_serve_post_recv(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    uint64_t wr_id = 0;
    uint32_t qpn = 0;
    (void)answer;
    if (mrct_serve_qpn(s, o, &qpn) != 0)
        return MRC_EP_EINVAL;
    return mrct_serve_u64(o, "wr_id", INT64_MAX, &wr_id)
               ? s->dut->ops->post_recv(s->dut, qpn, wr_id)
               : mrct_serve_bad(s, "wr_id");
}

int mrct_serve_set_mpr(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    uint64_t mpr = 0;
    uint32_t qpn = 0;
    (void)answer;
    if (mrct_serve_now(s, o) != 0 || mrct_serve_qpn(s, o, &qpn) != 0)
        return MRC_EP_EINVAL;
    if (!mrct_serve_u64(o, "mpr", UINT8_MAX, &mpr))
        return mrct_serve_bad(s, "mpr");
    return s->dut->ops->set_mpr != NULL ? s->dut->ops->set_mpr(s->dut, qpn, s->now_ns, (uint8_t)mpr)
                                        : MRCT_AGENT_UNSUPPORTED;
}

int mrct_serve_force_nack(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    const enum mrc_nack_reason reason =
        mrct_msg_reason(json_string_value(json_object_get(o, "reason")));
    uint64_t count = 0;
    uint32_t qpn = 0;
    (void)answer;
    if (mrct_serve_qpn(s, o, &qpn) != 0)
        return MRC_EP_EINVAL;
    if (reason == 0 || !mrct_serve_u64(o, "count", UINT32_MAX, &count))
        return mrct_serve_bad(s, reason == 0 ? "reason" : "count");
    return s->dut->ops->force_nack != NULL
               ? s->dut->ops->force_nack(s->dut, qpn, reason, (uint32_t)count)
               : MRCT_AGENT_UNSUPPORTED;
}

int mrct_serve_shortage(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    const enum mrc_nack_reason reason =
        mrct_msg_reason(json_string_value(json_object_get(o, "reason")));
    uint64_t ppm = 0;
    (void)answer;
    if (reason == 0 || !mrct_serve_u64(o, "ppm", 1000000, &ppm))
        return mrct_serve_bad(s, reason == 0 ? "reason" : "ppm");
    return s->dut->ops->shortage != NULL ? s->dut->ops->shortage(s->dut, reason, (uint32_t)ppm)
                                         : MRCT_AGENT_UNSUPPORTED;
}

/* ---- the controller ---- */

int mrct_serve_port(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    const json_t *const up = json_object_get(o, "up");
    uint64_t port = 0;
    (void)answer;
    if (mrct_serve_now(s, o) != 0)
        return MRC_EP_EINVAL;
    if (s->ports == 0 || !mrct_serve_u64(o, "port", s->ports - 1u, &port) || !json_is_boolean(up))
        return mrct_serve_bad(s, "port");
    return s->dut->ops->port_set != NULL
               ? s->dut->ops->port_set(s->dut, s->now_ns, (unsigned)port, json_is_true(up))
               : MRCT_AGENT_UNSUPPORTED;
}

int mrct_serve_ev_profile(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    struct mrct_msg_profile p;
    (void)answer;
    if (s->dut->ops->ev_profile == NULL)
        return MRCT_AGENT_UNSUPPORTED;
    if (mrct_msg_profile_get(json_object_get(o, "profile"), &p) != 0)
        return mrct_serve_bad(s, "profile");
    const int rc = s->dut->ops->ev_profile(s->dut, &p.profile);
    mrct_msg_profile_free(&p);
    return rc;
}

int mrct_serve_ev_state(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    struct mrc_ev_info info = {.state = MRC_EV_STATES};
    uint32_t qpn = 0;
    (void)answer;
    if (mrct_serve_now(s, o) != 0 || mrct_serve_qpn(s, o, &qpn) != 0)
        return MRC_EP_EINVAL;
    if (mrct_msg_get(o, mrct_msg_ev_info, &info, s->why, sizeof s->why) != 0)
        return MRC_EP_EINVAL;
    if (info.state == MRC_EV_STATES)
        return mrct_serve_bad(s, "state");
    return s->dut->ops->ev_set_state != NULL
               ? s->dut->ops->ev_set_state(s->dut, qpn, s->now_ns, info.ev, info.state)
               : MRCT_AGENT_UNSUPPORTED;
}

int mrct_serve_ev_replace(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    struct mrc_ev_spec spec = {.port = 0};
    uint64_t profile = 0, index = 0;
    (void)answer;
    if (mrct_serve_now(s, o) != 0)
        return MRC_EP_EINVAL;
    if (!mrct_serve_u64(o, "profile", INT64_MAX, &profile))
        return mrct_serve_bad(s, "profile");
    if (!mrct_serve_u64(o, "index", UINT16_MAX, &index))
        return mrct_serve_bad(s, "index");
    if (mrct_msg_spec_get(json_object_get(o, "spec"), &spec) != 0)
        return mrct_serve_bad(s, "spec");
    return s->dut->ops->ev_replace != NULL
               ? s->dut->ops->ev_replace(s->dut, s->now_ns, profile, (unsigned)index, &spec)
               : MRCT_AGENT_UNSUPPORTED;
}

int mrct_serve_evs(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    json_t *const list = json_array();
    struct mrc_ev_info info[64];
    uint64_t first = 0, room = 0;
    uint32_t qpn = 0;
    if (json_object_set_new(answer, "evs", list) != 0)
        return MRC_EP_ENOMEM;
    if (mrct_serve_qpn(s, o, &qpn) != 0)
        return MRC_EP_EINVAL;
    if (!mrct_serve_u64(o, "first", UINT16_MAX, &first) ||
        !mrct_serve_u64(o, "room", UINT16_MAX, &room))
        return mrct_serve_bad(s, "first");
    if (s->dut->ops->ev_query == NULL)
        return MRCT_AGENT_UNSUPPORTED;
    const int n = s->dut->ops->ev_query(s->dut, qpn, (unsigned)first, info,
                                        (unsigned)(room < 64 ? room : 64));
    for (int i = 0; i < n; i++) {
        json_t *const one = json_object();
        (void)mrct_msg_put(one, mrct_msg_ev_info, &info[i]);
        (void)json_array_append_new(list, one);
    }
    return n < 0 ? n : 0;
}

int mrct_serve_counters(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    struct mrc_qp_info info;
    uint32_t qpn = 0;
    if (mrct_serve_qpn(s, o, &qpn) != 0)
        return MRC_EP_EINVAL;
    if (s->dut->ops->qp_info == NULL)
        return MRCT_AGENT_UNSUPPORTED;
    const int rc = s->dut->ops->qp_info(s->dut, qpn, &info);
    json_t *const counters = json_object();
    if (rc == 0)
        (void)mrct_msg_put(counters, mrct_msg_qp_info, &info);
    (void)json_object_set_new(answer, "counters", counters);
    return rc;
}

/* ---- frames and time ---- */

int mrct_serve_input(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    uint8_t bytes[MRC_FRAME_MAX];
    uint64_t port = 0;
    (void)answer;
    if (mrct_serve_now(s, o) != 0)
        return MRC_EP_EINVAL;
    if (s->ports == 0 || !mrct_serve_u64(o, "port", s->ports - 1u, &port))
        return mrct_serve_bad(s, "port");
    const int len = mrct_msg_unhex(json_object_get(o, "frame"), bytes, sizeof bytes);
    if (len < 0)
        return mrct_serve_bad(s, "frame");
    struct mrc_frame f;
    mrct_msg_frame(&s->wire, bytes, (size_t)len, &f);
    s->dut->ops->input(s->dut, s->now_ns, (unsigned)port, &f);
    return 0;
}

int mrct_serve_output(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    json_t *const frames = json_array();
    uint8_t bytes[MRC_FRAME_MAX];
    uint64_t mask = 0;
    if (json_object_set_new(answer, "frames", frames) != 0)
        return MRC_EP_ENOMEM;
    if (mrct_serve_now(s, o) != 0)
        return MRC_EP_EINVAL;
    if (!mrct_serve_u64(o, "ports", PORTS_MASK, &mask))
        return mrct_serve_bad(s, "ports");
    while (mask != 0) {
        struct mrc_frame f;
        const int port = s->dut->ops->output(s->dut, s->now_ns, mask, &f);
        if (port < 0)
            break;
        mask &= ~(UINT64_C(1) << port);
        const size_t len = mrc_frame_gather(&s->wire, &f, bytes, sizeof bytes);
        (void)json_array_append_new(
            frames, json_pack("{s:i,s:o}", "port", port, "frame", mrct_msg_hex(bytes, len)));
    }
    return 0;
}

int mrct_serve_tick(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    (void)answer;
    if (mrct_serve_now(s, o) != 0)
        return MRC_EP_EINVAL;
    s->dut->ops->tick(s->dut, s->now_ns);
    return 0;
}
