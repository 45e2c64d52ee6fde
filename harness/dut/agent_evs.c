/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of the controller: profiles of EVs, SRv6 templates, states. */
#include "harness/dut/agent_msg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX 32768u

#define PROFILE(key, type, m) MRCT_MSG_FIELD(struct mrc_ev_profile, key, type, m)
static const struct mrct_msg_field profile_fields[] = {
    PROFILE("id", U64, id),
    PROFILE("count", U32, ev_count),
    PROFILE("ev_active", U32, ev_active),
    PROFILE("ev_min_active", U32, ev_min_active),
    PROFILE("srh", BOOL, format.srh),
    {0},
};

#define FIELD(key, type, m) MRCT_MSG_FIELD(struct mrc_ev_field, key, type, m)
static const struct mrct_msg_field field_fields[] = {
    FIELD("width", U8, width),  FIELD("init", U64, init_val), FIELD("min", U64, min_val),
    FIELD("max", U64, max_val), FIELD("mask", U64, mask),     {0},
};

#define SPEC(key, type, m) MRCT_MSG_FIELD(struct mrc_ev_spec, key, type, m)
static const struct mrct_msg_field spec_fields[] = {
    SPEC("wire", U32, wire), SPEC("port", U8, port), {0}};

#define SRV6(key, type, m) MRCT_MSG_FIELD(struct mrc_srv6_template, key, type, m)
static const struct mrct_msg_field srv6_fields[] = {
    SRV6("tier1", U8, tier1),
    SRV6("plane_shift", U8, plane_shift),
    SRV6("plane_bits", U8, plane_bits),
    SRV6("uplink_shift", U8, uplink_shift),
    SRV6("uplink_bits", U8, uplink_bits),
    {0},
};

/* Words of the API's numbers. */
struct word {
    const char *name;
    int value;
};
static const struct word modes[] = {{"structured", MRC_EV_MODE_STEV},
                                    {"srv6", MRC_EV_MODE_SRV6},
                                    {"udp", MRC_EV_MODE_UDP},
                                    {NULL, 0}};
static const struct word sources[] = {{"auto", MRC_EV_AUTO},
                                      {"explicit", MRC_EV_EXPLICIT},
                                      {"generated", MRC_EV_GENERATED},
                                      {NULL, 0}};

static const char *name_of(const struct word *w, int value)
{
    while (w->name != NULL && w->value != value)
        w++;
    return w->name;
}

static int value_of(const struct word *w, const char *name)
{
    while (w->name != NULL && (name == NULL || strcmp(w->name, name) != 0))
        w++;
    return w->value; /* 0 at the end */
}

/* ---- profiles ---- */

json_t *mrct_msg_spec(const struct mrc_ev_spec *spec)
{
    json_t *const o = json_pack("{s:o}", "value", mrct_msg_hex(spec->value, sizeof spec->value));
    (void)mrct_msg_put(o, spec_fields, spec);
    return o;
}

int mrct_msg_spec_get(const json_t *o, struct mrc_ev_spec *spec)
{
    char err[200];
    return mrct_msg_get(o, spec_fields, spec, err, sizeof err) == 0 &&
                   mrct_msg_unhex(json_object_get(o, "value"), spec->value, sizeof spec->value) >= 0
               ? 0
               : -1;
}

static json_t *put_list(const struct mrc_ev_profile *p)
{
    json_t *const list = json_array();
    for (unsigned i = 0; p->list != NULL && i < p->ev_count; i++)
        (void)json_array_append_new(list, mrct_msg_spec(&p->list[i]));
    return list;
}

static json_t *put_fields(const struct mrc_ev_profile *p)
{
    json_t *const list = json_array();
    for (unsigned i = 0; p->fields != NULL && i < p->field_count; i++) {
        json_t *const o = json_object();
        (void)mrct_msg_put(o, field_fields, &p->fields[i]);
        (void)json_array_append_new(list, o);
    }
    return list;
}

json_t *mrct_msg_profile(const struct mrc_ev_profile *p)
{
    json_t *const widths = json_array();
    for (unsigned i = 0; i < p->format.field_count; i++)
        (void)json_array_append_new(widths, json_integer(p->format.width[i]));
    json_t *const o =
        json_pack("{s:s?,s:s?,s:o,s:o,s:o}", "source", name_of(sources, (int)p->source), "mode",
                  name_of(modes, (int)p->format.mode), "widths", widths, "list", put_list(p),
                  "fields", put_fields(p));
    (void)mrct_msg_put(o, profile_fields, p);
    return o;
}

static int get_widths(const json_t *list, struct mrc_ev_format *f)
{
    if (json_array_size(list) > MRC_EV_FIELDS_MAX)
        return -1;
    f->field_count = (unsigned)json_array_size(list);
    for (unsigned i = 0; i < f->field_count; i++) {
        const json_int_t width = json_integer_value(json_array_get(list, i));
        if (width < 1 || width > 64)
            return -1;
        f->width[i] = (uint8_t)width;
    }
    return 0;
}

static int get_list(const json_t *list, struct mrct_msg_profile *p)
{
    const size_t n = json_array_size(list);
    p->list = n <= LIST_MAX ? calloc(n + 1, sizeof *p->list) : NULL;
    for (size_t i = 0; p->list != NULL && i < n; i++)
        if (mrct_msg_spec_get(json_array_get(list, i), &p->list[i]) != 0)
            return -1;
    p->profile.list = p->list;
    return p->list != NULL && (n == 0 || n == p->profile.ev_count) ? 0 : -1;
}

static int get_fields(const json_t *list, struct mrct_msg_profile *p)
{
    char err[200];
    const size_t n = json_array_size(list);
    if (n > MRC_EV_FIELDS_MAX)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (mrct_msg_get(json_array_get(list, i), field_fields, &p->fields[i], err, sizeof err) !=
            0)
            return -1;
    p->profile.fields = p->fields;
    p->profile.field_count = (unsigned)n;
    return 0;
}

int mrct_msg_profile_get(const json_t *o, struct mrct_msg_profile *p)
{
    char err[200];
    *p = (struct mrct_msg_profile){0};
    p->profile.source =
        (enum mrc_ev_source)value_of(sources, json_string_value(json_object_get(o, "source")));
    p->profile.format.mode =
        (enum mrc_ev_mode)value_of(modes, json_string_value(json_object_get(o, "mode")));
    if ((int)p->profile.source == 0 || (int)p->profile.format.mode == 0 ||
        mrct_msg_get(o, profile_fields, &p->profile, err, sizeof err) != 0 ||
        p->profile.ev_count > LIST_MAX ||
        get_widths(json_object_get(o, "widths"), &p->profile.format) != 0 ||
        get_list(json_object_get(o, "list"), p) != 0 ||
        get_fields(json_object_get(o, "fields"), p) != 0 ||
        (p->profile.source == MRC_EV_EXPLICIT &&
         json_array_size(json_object_get(o, "list")) == 0)) {
        mrct_msg_profile_free(p);
        return -1;
    }
    return 0;
}

void mrct_msg_profile_free(struct mrct_msg_profile *p)
{
    free(p->list);
    p->list = NULL;
}

/* ---- SRv6 ---- */

json_t *mrct_msg_srv6(const struct mrc_srv6_template *t)
{
    json_t *const usids = json_array();
    for (unsigned i = 0; i < t->usid_count; i++)
        (void)json_array_append_new(usids, json_integer(t->usid[i]));
    json_t *const o = json_pack("{s:o,s:o}", "locator", mrct_msg_hex(t->locator, sizeof t->locator),
                                "usids", usids);
    (void)mrct_msg_put(o, srv6_fields, t);
    return o;
}

int mrct_msg_srv6_get(const json_t *o, struct mrc_srv6_template *t)
{
    char err[200];
    const json_t *const usids = json_object_get(o, "usids");
    const size_t n = json_array_size(usids);
    *t = (struct mrc_srv6_template){0};
    if (o == NULL)
        return 0;
    if (mrct_msg_get(o, srv6_fields, t, err, sizeof err) != 0 ||
        n > sizeof t->usid / sizeof t->usid[0] ||
        mrct_msg_unhex(json_object_get(o, "locator"), t->locator, sizeof t->locator) !=
            (int)sizeof t->locator)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const json_int_t v = json_integer_value(json_array_get(usids, i));
        if (v < 0 || v > UINT16_MAX)
            return -1;
        t->usid[i] = (uint16_t)v;
    }
    t->usid_count = (uint8_t)n;
    return 0;
}

/* ---- states, and a QP from inside ---- */

static const char *const ev_states[] = {"good", "skip", "assumed_bad", "denied", NULL};
const struct mrct_msg_field mrct_msg_ev_info[] = {
    {"ev", MRCT_MSG_U32, offsetof(struct mrc_ev_info, ev.value), NULL},
    {"port", MRCT_MSG_U8, offsetof(struct mrc_ev_info, ev.port), NULL},
    {"state", MRCT_MSG_WORD, offsetof(struct mrc_ev_info, state), ev_states},
    {"active", MRCT_MSG_BOOL, offsetof(struct mrc_ev_info, active), NULL},
    {"drop_count", MRCT_MSG_U32, offsetof(struct mrc_ev_info, drop_count), NULL},
    {0},
};

static const char *const qp_states[] = {"reset", "init", "rtr", "rts", "error", NULL};
#define INFO(key, type, m) MRCT_MSG_FIELD(struct mrc_qp_info, key, type, m)
const struct mrct_msg_field mrct_msg_qp_info[] = {
    {"state", MRCT_MSG_WORD, offsetof(struct mrc_qp_info, state), qp_states},
    INFO("snd_una", U32, snd_una),
    INFO("snd_nxt", U32, snd_nxt),
    INFO("ack_una", U32, ack_una),
    INFO("lost", U32, lost),
    INFO("outstanding", U32, outstanding),
    INFO("retries", U32, retries),
    INFO("mpr_psn", U32, mpr_psn),
    INFO("wimm_inflight", U32, wimm_inflight),
    INFO("cwnd_bytes", U64, cwnd_bytes),
    INFO("epsn", U32, epsn),
    INFO("max_rcv", U32, max_rcv),
    INFO("ooo_count", U32, ooo_count),
    INFO("msn", U32, msn),
    INFO("rcvd_bytes", U64, rcvd_bytes),
    {0},
};
