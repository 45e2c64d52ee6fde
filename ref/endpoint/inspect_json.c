/* SPDX-License-Identifier: BSD-2-Clause */
/* A bounded JSON writer and a QP through it. Scalars are described by tables of offsets. */
#include "ref/endpoint/ep_int.h"
#include "ref/endpoint/inspect.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct out {
    char *buf;
    size_t size, len; /* len: what the whole needs */
    bool comma;       /* the next member needs one before it */
};

__attribute__((format(printf, 2, 3))) static void put(struct out *o, const char *fmt, ...)
{
    va_list ap;
    const size_t room = o->len < o->size ? o->size - o->len : 0;
    va_start(ap, fmt);
    const int n = vsnprintf(room > 0 ? o->buf + o->len : NULL, room, fmt, ap);
    va_end(ap);
    o->len += n > 0 ? (size_t)n : 0;
}

static void key(struct out *o, const char *name)
{
    put(o, o->comma ? ",\"%s\":" : "\"%s\":", name);
    o->comma = true;
}

static void open_with(struct out *o, const char *name, char bracket)
{
    if (name)
        key(o, name);
    else if (o->comma)
        put(o, ",");
    put(o, "%c", bracket);
    o->comma = false;
}

static void close_with(struct out *o, char bracket)
{
    put(o, "%c", bracket);
    o->comma = true;
}

enum type { U8, U16, U32, U64, I64, TIME, BOOL, REAL, WORD };

/* One scalar member of a struct; WORD: a pointer to a string that needs no escapes. */
struct member {
    const char *name;
    size_t offset;
    enum type type;
};

static void put_time(struct out *o, uint64_t t)
{
    if (t == MRC_TIME_NEVER)
        put(o, "null");
    else
        put(o, "%" PRIu64, t);
}

static void put_value(struct out *o, enum type type, const void *at)
{
    switch (type) {
    case U8:
        put(o, "%u", *(const uint8_t *)at);
        break;
    case U16:
        put(o, "%u", *(const uint16_t *)at);
        break;
    case U32:
        put(o, "%" PRIu32, *(const uint32_t *)at);
        break;
    case U64:
        put(o, "%" PRIu64, *(const uint64_t *)at);
        break;
    case I64:
        put(o, "%" PRId64, *(const int64_t *)at);
        break;
    case TIME:
        put_time(o, *(const uint64_t *)at);
        break;
    case BOOL:
        put(o, *(const bool *)at ? "true" : "false");
        break;
    case REAL:
        put(o, "%.3f", *(const double *)at);
        break;
    case WORD:
        put(o, "\"%s\"", *(const char *const *)at);
        break;
    }
}

static void put_members(struct out *o, const void *base, const struct member *m)
{
    for (; m->name; m++) {
        key(o, m->name);
        put_value(o, m->type, (const uint8_t *)base + m->offset);
    }
}

#define M(name, type)                                                                              \
    {                                                                                              \
#name, offsetof(struct mrc_qp_inspection, name), type                                      \
    }
#define INFO(name, type)                                                                           \
    {                                                                                              \
#name, offsetof(struct mrc_qp_inspection, info.name), type                                 \
    }
#define COUNT(name)                                                                                \
    {                                                                                              \
#name, offsetof(struct mrc_qp_inspection, count.name), U64                                 \
    }
#define VIEW(name, type)                                                                           \
    {                                                                                              \
#name, offsetof(struct mrc_qp_inspection, cc.name), type                                   \
    }
#define AS(key, name, type)                                                                        \
    {                                                                                              \
        key, offsetof(struct mrc_qp_inspection, name), type                                        \
    }
#define END                                                                                        \
    {                                                                                              \
        NULL, 0, U8                                                                                \
    }

static const struct member requestor_members[] = {
    INFO(snd_una, U32), INFO(snd_nxt, U32),  INFO(ack_una, U32),      INFO(outstanding, U32),
    INFO(lost, U32),    INFO(retries, U32),  INFO(mpr_psn, U32),      INFO(wimm_inflight, U32),
    M(wimm_max, U32),   M(sq_depth, U32),    M(sq_used, U32),         M(sq_unsent, U32),
    M(timeout_ns, U64), M(ev_wait_ns, TIME), M(oldest_sent_ns, TIME), END,
};

static const struct member responder_members[] = {
    INFO(epsn, U32),
    INFO(max_rcv, U32),
    INFO(ooo_count, U32),
    INFO(msn, U32),
    INFO(rcvd_bytes, U64),
    M(rcv_window_psn, U32),
    M(sack_trigger_bytes, U32),
    M(wimm_stashed, U32),
    M(rq_depth, U32),
    M(rq_used, U32),
    M(cwnd_pen, U8),
    M(restore_cwnd, BOOL),
    END,
};

static const struct member cc_members[] = {
    AS("algorithm", cc_name, WORD), AS("share_id", cc_share_id, U64),
    AS("members", cc_members, U32), INFO(cwnd_bytes, U64),
    INFO(inflight_bytes, I64),      AS("out_bytes", cc_out_bytes, U64),
    M(qp_out_bytes, U64),           END,
};

static const struct member view_members[] = {
    VIEW(max_wnd_bytes, REAL), VIEW(saved_cwnd_bytes, REAL),
    VIEW(avg_delay_ns, REAL),  VIEW(inc_bytes, REAL),
    VIEW(base_rtt_ns, U64),    VIEW(qa_endtime_ns, U64),
    VIEW(last_dec_ns, U64),    VIEW(last_adjust_ns, U64),
    VIEW(received_bytes, U64), VIEW(achieved_bytes, U64),
    VIEW(fi_count, U64),       VIEW(bytes_to_ignore, I64),
    VIEW(bytes_ignored, I64),  VIEW(increase_mode, BOOL),
    VIEW(trigger_qa, BOOL),    END,
};

static const struct member count_members[] = {
    COUNT(tx_data),
    COUNT(tx_rtx),
    COUNT(timeouts),
    COUNT(holes),
    COUNT(nacked),
    COUNT(rx_new),
    COUNT(rx_dup),
    COUNT(rx_trimmed),
    COUNT(tx_sack),
    COUNT(tx_nack),
    COUNT(tx_ack),
    COUNT(tx_nak),
    END,
};

static void put_part(struct out *o, const char *name, const struct mrc_qp_inspection *in,
                     const struct member *members)
{
    open_with(o, name, '{');
    put_members(o, in, members);
    close_with(o, '}');
}

static void put_reverse(struct out *o, const struct mrc_qp_inspection *in)
{
    open_with(o, "reverse", '[');
    for (unsigned i = 0; i < MRC_EP_PORTS_MAX; i++) {
        if (!(in->reverse_ports >> i & 1u))
            continue;
        put(o, o->comma ? ",{\"port\":%u,\"ev\":%" PRIu32 "}" : "{\"port\":%u,\"ev\":%" PRIu32 "}",
            i, in->reverse_ev[i]);
        o->comma = true;
    }
    close_with(o, ']');
}

static void put_evs(struct out *o, const struct mrc_ep *ep, uint32_t qpn)
{
    struct mrc_ev_info e;
    open_with(o, "evs", '[');
    for (unsigned i = 0; mrc_ev_query_array(ep, qpn, i, &e, 1) == 1; i++) {
        open_with(o, NULL, '{');
        put(o, "\"ev\":%" PRIu32 ",\"port\":%u,\"state\":\"%s\",\"active\":%s,\"drops\":%" PRIu32,
            e.ev.value, e.ev.port, mrc_ev_state_str(e.state), e.active ? "true" : "false",
            e.drop_count);
        close_with(o, '}');
    }
    close_with(o, ']');
}

int64_t mrc_qp_inspect_json(const struct mrc_ep *ep, uint32_t qpn, char *buf, size_t size)
{
    struct mrc_qp_inspection in;
    struct out o = {.size = size};
    o.buf = buf;
    if (mrc_qp_inspect(ep, qpn, &in) != MRC_EP_OK)
        return MRC_EP_ENOENT;
    open_with(&o, NULL, '{');
    put(&o, "\"qpn\":%" PRIu32 ",\"peer_qpn\":%" PRIu32 ",\"state\":\"%s\",\"scheduler\":\"%s\"",
        in.qpn, in.peer_qpn, mrc_qp_state_str(in.info.state), mrc_sched_state_str(in.info.sched));
    put(&o, ",\"deadline_ns\":");
    put_time(&o, in.info.deadline_ns);
    o.comma = true;
    put_part(&o, "requestor", &in, requestor_members);
    put_part(&o, "responder", &in, responder_members);
    open_with(&o, "cc", '{');
    put_members(&o, &in, cc_members);
    if (mrc_qp_find(ep, qpn)->qpcc->cc->ops->view)
        put_members(&o, &in, view_members);
    close_with(&o, '}');
    put_part(&o, "counters", &in, count_members);
    put_reverse(&o, &in);
    put_evs(&o, ep, qpn);
    close_with(&o, '}');
    return (int64_t)o.len;
}
