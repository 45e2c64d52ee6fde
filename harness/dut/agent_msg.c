/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/dut/agent_msg.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static json_t *number(uint64_t v)
{
    return json_integer((json_int_t)(v <= INT64_MAX ? v : INT64_MAX));
}

static json_t *value_of(const struct mrct_msg_field *f, const void *at)
{
    switch (f->type) {
    case MRCT_MSG_BOOL:
        return json_boolean(*(const bool *)at);
    case MRCT_MSG_U8:
        return number(*(const uint8_t *)at);
    case MRCT_MSG_U16:
        return number(*(const uint16_t *)at);
    case MRCT_MSG_U32:
        return number(*(const uint32_t *)at);
    case MRCT_MSG_INT:
        return json_integer(*(const int *)at);
    case MRCT_MSG_U64:
        return number(*(const uint64_t *)at);
    case MRCT_MSG_TIME:
        return *(const uint64_t *)at == MRC_TIME_NEVER ? json_null()
                                                       : number(*(const uint64_t *)at);
    case MRCT_MSG_REAL:
        return json_real(*(const double *)at);
    case MRCT_MSG_LETTER:
        return json_stringn(at, 1);
    case MRCT_MSG_WORD:
        return json_string(f->words[*(const unsigned *)at]);
    }
    return NULL;
}

int mrct_msg_put(json_t *object, const struct mrct_msg_field *fields, const void *base)
{
    for (const struct mrct_msg_field *f = fields; f->key != NULL; f++)
        if (json_object_set_new(object, f->key, value_of(f, (const char *)base + f->offset)) != 0)
            return -1;
    return 0;
}

/* ---- reading ---- */

static bool get_number(const json_t *v, uint64_t max, uint64_t *out)
{
    if (!json_is_integer(v) || json_integer_value(v) < 0 || (uint64_t)json_integer_value(v) > max)
        return false;
    *out = (uint64_t)json_integer_value(v);
    return true;
}

static bool get_word(const struct mrct_msg_field *f, const json_t *v, void *at)
{
    const char *const text = json_string_value(v);
    for (unsigned i = 0; text != NULL && f->words[i] != NULL; i++) {
        if (strcmp(f->words[i], text) == 0) {
            *(unsigned *)at = i;
            return true;
        }
    }
    return false;
}

static bool get_value(const struct mrct_msg_field *f, const json_t *v, void *at)
{
    uint64_t n = 0;
    const char *text;
    switch (f->type) {
    case MRCT_MSG_BOOL:
        *(bool *)at = json_is_true(v);
        return json_is_boolean(v);
    case MRCT_MSG_U8:
        return get_number(v, UINT8_MAX, &n) && (*(uint8_t *)at = (uint8_t)n, true);
    case MRCT_MSG_U16:
        return get_number(v, UINT16_MAX, &n) && (*(uint16_t *)at = (uint16_t)n, true);
    case MRCT_MSG_U32:
        return get_number(v, UINT32_MAX, &n) && (*(uint32_t *)at = (uint32_t)n, true);
    case MRCT_MSG_INT:
        if (!json_is_integer(v) || json_integer_value(v) < INT_MIN ||
            json_integer_value(v) > INT_MAX)
            return false;
        *(int *)at = (int)json_integer_value(v);
        return true;
    case MRCT_MSG_TIME:
        if (json_is_null(v)) {
            *(uint64_t *)at = MRC_TIME_NEVER;
            return true;
        }
        return get_number(v, INT64_MAX, (uint64_t *)at);
    case MRCT_MSG_U64:
        return get_number(v, INT64_MAX, (uint64_t *)at);
    case MRCT_MSG_REAL:
        *(double *)at = json_number_value(v);
        return json_is_number(v) && isfinite(*(double *)at);
    case MRCT_MSG_LETTER:
        text = json_string_value(v);
        if (text == NULL || text[0] < 'a' || text[0] > 'z' || text[1] != '\0')
            return false;
        *(char *)at = text[0];
        return true;
    case MRCT_MSG_WORD:
        return get_word(f, v, at);
    }
    return false;
}

int mrct_msg_get(const json_t *object, const struct mrct_msg_field *fields, void *base, char *err,
                 size_t err_cap)
{
    if (!json_is_object(object)) {
        (void)snprintf(err, err_cap, "an object was expected");
        return -1;
    }
    for (const struct mrct_msg_field *f = fields; f->key != NULL; f++) {
        const json_t *const v = json_object_get(object, f->key);
        if (v != NULL && !get_value(f, v, (char *)base + f->offset)) {
            (void)snprintf(err, err_cap, "'%s' is not what was expected", f->key);
            return -1;
        }
    }
    return 0;
}

/* ---- the tables ---- */

#define NODE(key, type, m)  MRCT_MSG_FIELD(struct mrc_ep_config, key, type, m)
#define ATTR(key, type, m)  MRCT_MSG_FIELD(struct mrc_qp_attr, key, type, m)
#define PEER(key, type, m)  MRCT_MSG_FIELD(struct mrc_qp_peer, key, type, m)
#define CC(key, type, m)    MRCT_MSG_FIELD(struct mrc_cc_profile, key, type, m)
#define WRITE(key, type, m) MRCT_MSG_FIELD(struct mrc_write, key, type, m)
#define EVENT(key, type, m) MRCT_MSG_FIELD(struct mrc_ep_event, key, type, m)
#define EV(key, type, m)    MRCT_MSG_FIELD(struct mrc_ev, key, type, m)

const struct mrct_msg_field mrct_msg_node[] = {
    NODE("qps", U32, qps_max),
    NODE("regions", U32, mrs_max),
    NODE("path_mtu", U16, path_mtu),
    NODE("udp_port", U16, dest_port),
    NODE("vlan", BOOL, vlan),
    NODE("vlan_tci", U16, vlan_tci),
    NODE("tseth", BOOL, send_tseth),
    NODE("tseth_every", U16, tseth_every),
    NODE("service_ns", U64, svc_delay_ns),
    NODE("ecn", BOOL, ecn_capable),
    NODE("trimmable", BOOL, trimmable),
    NODE("sack_threshold", U32, sack_gen_threshold_bytes),
    NODE("sack_min_packet", U32, sack_min_pkt_bytes),
    NODE("reorder_margin", U32, reorder_margin_psn),
    NODE("pkey", U16, pkey),
    NODE("q2", LETTER, q2_oor),
    NODE("q10", LETTER, node.q10_port_bit),
    NODE("q11", LETTER, ev.q11_probe_skip),
    NODE("q17", LETTER, node.q17_repeat),
    NODE("q20", LETTER, q20_svc_time),
    NODE("q25", LETTER, ev.q25_scope),
    NODE("q26", LETTER, q26_trim_dup),
    {0},
};

const struct mrct_msg_field mrct_msg_attr[] = {
    ATTR("qpn", U32, qpn),
    ATTR("start_psn", U32, start_psn),
    ATTR("max_wimm", U16, max_wimm_dest),
    ATTR("mpr", U8, mpr_dest),
    ATTR("dynamic_mpr", BOOL, dynamic_mpr),
    ATTR("trim_nack", BOOL, trim_nack),
    ATTR("svc_time", BOOL, svc_time),
    ATTR("timeout", U8, timeout),
    ATTR("linear_cnt", U8, linear_cnt),
    ATTR("exp_cnt", U8, exp_cnt),
    ATTR("exp_ceiling_ns", U64, exp_ceiling_ns),
    ATTR("cwnd_bytes", U32, cwnd_bytes),
    ATTR("cwnd_penalty", U8, rcv_cwnd_pen),
    ATTR("restore_cwnd", BOOL, restore_cwnd),
    ATTR("ev_profile", U64, ev_profile),
    ATTR("ev_active", U32, ev_active),
    ATTR("ev_min_active", U32, ev_min_active),
    ATTR("sq_depth", U32, sq_depth),
    ATTR("rq_depth", U32, rq_depth),
    {0},
};

const struct mrct_msg_field mrct_msg_peer[] = {
    PEER("qpn", U32, qpn),
    PEER("start_psn", U32, start_psn),
    PEER("max_wimm", U16, max_wimm_dest),
    PEER("mpr", U8, mpr_dest),
    PEER("dynamic_mpr", BOOL, dynamic_mpr),
    PEER("trim_nack", BOOL, trim_nack),
    PEER("svc_time", BOOL, svc_time),
    {0},
};

const struct mrct_msg_field mrct_msg_cc[] = {
    CC("share_id", U64, share_id),
    CC("line_rate_bps", REAL, line_rate_bps),
    CC("base_rtt_ns", U64, base_rtt_ns),
    CC("target_delay_ns", U64, target_delay_ns),
    CC("trimming", BOOL, trimming),
    CC("disable_qa", BOOL, disable_qa),
    CC("max_cwnd_bytes", U64, max_cwnd_bytes),
    CC("adjust_bytes", U32, adjust_bytes),
    CC("adjust_period_ns", U64, adjust_period_ns),
    CC("eta", REAL, eta),
    CC("fi", REAL, fi),
    CC("fi_scale", REAL, fi_scale),
    CC("gamma", REAL, gamma),
    CC("max_md_jump", REAL, max_md_jump),
    CC("qa_gate", INT, qa_gate),
    CC("qa_threshold_ns", U64, qa_threshold_ns),
    CC("q22", LETTER, q22_avg),
    {0},
};

const struct mrct_msg_field mrct_msg_write[] = {
    WRITE("wr_id", U64, wr_id),
    WRITE("len", U32, len_bytes),
    WRITE("remote", U64, remote_va),
    WRITE("rkey", U32, rkey),
    WRITE("has_imm", BOOL, has_imm),
    WRITE("imm", U32, imm),
    {0},
};

static const char *const kinds[] = {"send_done", "recv_imm", "qp_error", "placed",
                                    "ev_state",  "probe",    NULL};
static const char *const statuses[] = {
    "success", "retry_exceeded", "remote_access", "remote_invalid",   "remote_op",
    "flushed", "local_rq_empty", "local_access",  "local_wimm_limit", "local_unexpected",
    NULL};
static const char *const ev_states[] = {"good", "skip", "assumed_bad", "denied", NULL};

const struct mrct_msg_field mrct_msg_event[] = {
    {"kind", MRCT_MSG_WORD, offsetof(struct mrc_ep_event, kind), kinds},
    {"status", MRCT_MSG_WORD, offsetof(struct mrc_ep_event, status), statuses},
    EVENT("time", U64, time_ns),
    EVENT("qpn", U32, qpn),
    EVENT("wr_id", U64, wr_id),
    EVENT("imm", U32, imm),
    EVENT("va", U64, va),
    EVENT("len", U32, len_bytes),
    EVENT("psn", U32, psn),
    EVENT("ev", U32, ev.value),
    EVENT("port", U8, ev.port),
    {"state", MRCT_MSG_WORD, offsetof(struct mrc_ep_event, ev_state), ev_states},
    EVENT("drop_count", U32, drop_count),
    EVENT("probe_id", U16, probe_id),
    EVENT("rtt", U64, rtt_ns),
    {0},
};

const struct mrct_msg_field mrct_msg_ev[] = {EV("ev", U32, value), EV("port", U8, port), {0}};

const char *const mrct_msg_reasons[] = {"no_bitmap", "no_packet_buffer", "no_resource",
                                        "unexpected_event", NULL};
static const enum mrc_nack_reason reasons[] = {MRC_NACK_NO_BITMAP, MRC_NACK_NO_PKT_BUFFER,
                                               MRC_NACK_NO_RESOURCE, MRC_NACK_UNEXP_EVENT};

enum mrc_nack_reason mrct_msg_reason(const char *name)
{
    for (size_t i = 0; name != NULL && mrct_msg_reasons[i] != NULL; i++)
        if (strcmp(mrct_msg_reasons[i], name) == 0)
            return reasons[i];
    return (enum mrc_nack_reason)0;
}

const char *mrct_msg_reason_str(enum mrc_nack_reason reason)
{
    for (size_t i = 0; mrct_msg_reasons[i] != NULL; i++)
        if (reasons[i] == reason)
            return mrct_msg_reasons[i];
    return NULL;
}

/* ---- bytes ---- */

json_t *mrct_msg_hex(const uint8_t *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    char *const text = malloc(2 * len + 1);
    if (text == NULL)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    json_t *const s = json_stringn_nocheck(text, 2 * len);
    free(text);
    return s;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int mrct_msg_unhex(const json_t *text, uint8_t *buf, size_t cap)
{
    const char *const s = json_string_value(text);
    const size_t len = json_string_length(text);
    if (s == NULL || len % 2 != 0 || len / 2 > cap)
        return -1;
    for (size_t i = 0; i < len / 2; i++) {
        const int high = digit(s[2 * i]), low = digit(s[2 * i + 1]);
        if (high < 0 || low < 0)
            return -1;
        buf[i] = (uint8_t)(high << 4 | low);
    }
    return (int)(len / 2);
}

/* ---- errors ---- */

static const struct {
    const char *word;
    int error;
} errors[] = {
    {"invalid", MRC_EP_EINVAL},
    {"no_memory", MRC_EP_ENOMEM},
    {"not_found", MRC_EP_ENOENT},
    {"full", MRC_EP_EFULL},
    {"state", MRC_EP_ESTATE},
    {"too_big", MRC_EP_E2BIG},
    {"busy", MRC_EP_EBUSY},
    {"unsupported", MRCT_AGENT_UNSUPPORTED},
    {"version", MRCT_AGENT_VERSION_BAD},
    {"failed", MRCT_AGENT_FAILED},
};

const char *mrct_msg_error_str(int error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].error == error)
            return errors[i].word;
    return "failed";
}

int mrct_msg_error(const char *word)
{
    for (size_t i = 0; word != NULL && i < sizeof errors / sizeof errors[0]; i++)
        if (strcmp(errors[i].word, word) == 0)
            return errors[i].error;
    return MRCT_AGENT_FAILED;
}
