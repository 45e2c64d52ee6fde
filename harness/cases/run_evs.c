/* SPDX-License-Identifier: BSD-2-Clause */
/* The EVs of a host: drawn here and given as a list or in a profile, or made by the device. */
#include "harness/cases/run_priv.h"

#include <string.h>

#define UPLINK_BITS 6u /* of a uSID, for MRCT_CASE_EVS_MAX */

static bool is_srv6(const struct mrct_case_host *h)
{
    return h->ev_format == MRCT_EV_SRV6 || h->ev_format == MRCT_EV_SRV6_SRH;
}

static bool by_template(const struct mrct_case_host *h)
{
    return is_srv6(h) && h->ev_source == MRCT_EVS_AUTO;
}

/* ---- drawn here ---- */

/* Which path an EV takes; the fabric uses the source port alone where there is no flow label. */
static unsigned path_of(const struct mrct_run *r, uint32_t ev)
{
    uint16_t port = 0;
    uint32_t label = 0;
    mrc_ev_to_fields(&r->wire, ev, &port, &label);
    return (r->c->host[0].ip6 && label != 0 ? ev : port) % r->c->fabric.paths;
}

/* EVs of a plane cover its paths in turn: EV i takes path i modulo their number. */
static uint32_t draw_ev(struct mrct_run *r, const struct mrct_run_node *n, unsigned i, bool labels)
{
    uint32_t ev = 0;
    for (unsigned tries = 0; tries < 100000; tries++) {
        const uint32_t draw = (uint32_t)mrct_rng_next(&r->rng);
        const uint32_t label = labels ? draw & 0xFFFFu : 0;
        ev = mrc_ev_from_fields(&r->wire, (uint16_t)(0xC000u | (draw >> 18)), label,
                                r->c->host[0].ip6);
        bool taken = false;
        for (unsigned k = 0; k < n->ev_count; k++) {
            taken = taken || n->evs[k].value == ev;
        }
        if (!taken && path_of(r, ev) == i % r->c->fabric.paths) {
            break;
        }
    }
    return ev;
}

static void draw_evs(struct mrct_run *r, unsigned host)
{
    struct mrct_run_node *const n = &r->node[host];
    const bool labels = r->c->host[0].ip6 && r->c->host[host].ev_format != MRCT_EV_UDP;
    for (unsigned p = 0; p < r->c->fabric.planes; p++) {
        for (unsigned i = 0; i < r->c->host[host].evs; i++) {
            const uint32_t ev = draw_ev(r, n, i, labels);
            n->ev_index[n->ev_count] = (uint16_t)n->ev_count;
            n->evs[n->ev_count++] = (struct mrc_ev){.value = ev, .port = (uint8_t)p};
        }
    }
}

/* ---- profiles ---- */

static void put16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

/* A carrier of uSIDs that says plane and number, behind the locator fcbb:0. */
static void put_carrier(uint8_t out[16], unsigned plane, unsigned i)
{
    static const uint8_t locator[4] = {0xFC, 0xBB, 0, 0};
    memset(out, 0, 16);
    memcpy(out, locator, sizeof locator);
    for (unsigned u = 0; u < 4; u++) {
        put16(out + 4 + (size_t)2 * u, 0x1000u * (u + 1) + 0x100u * plane + (u == 1 ? i : 0));
    }
}

static void set_spec(const struct mrct_run *r, const struct mrct_case_host *h, unsigned i,
                     struct mrc_ev ev, struct mrc_ev_spec *s)
{
    *s = (struct mrc_ev_spec){.wire = ev.value, .port = ev.port};
    if (h->ev_format == MRCT_EV_UDP) {
        uint16_t port = 0;
        uint32_t label = 0;
        mrc_ev_to_fields(&r->wire, ev.value, &port, &label);
        put16(s->value, port);
    } else if (h->ev_format == MRCT_EV_STRUCTURED) {
        put16(s->value, ev.value >> 16);
        put16(s->value + 2, ev.value);
    } else {
        put_carrier(s->value, ev.port, i);
        put_carrier(s->value + 16, ev.port, i);
    }
}

void mrct_run_evs_other(struct mrct_run *r, unsigned host, unsigned at, struct mrc_ev_spec *spec)
{
    const struct mrct_case_host *const h = &r->c->host[host];
    const struct mrct_run_node *const n = &r->node[host];
    const bool labels = r->c->host[0].ip6 && h->ev_format != MRCT_EV_UDP;
    const struct mrc_ev other = {.value = draw_ev(r, n, at % h->evs, labels),
                                 .port = n->evs[at].port};
    set_spec(r, h, h->evs + at % h->evs, other, spec);
}

static int set_list(struct mrct_run *r, unsigned host, struct mrc_ev_profile *p)
{
    const struct mrct_case_host *const h = &r->c->host[host];
    const struct mrct_run_node *const n = &r->node[host];
    struct mrc_ev_spec *const list = mrct_pool_alloc(&r->own, n->ev_count * sizeof *list);
    if (list == NULL) {
        return mrct_run_fault(r, "out of memory");
    }
    for (unsigned i = 0; i < n->ev_count; i++) {
        set_spec(r, h, i % h->evs, n->evs[i], &list[i]);
    }
    p->list = list;
    return 0;
}

/* Fields of 16 bits that make EVs enough. Which bits vary is drawn, and between which bounds. */
static int set_fields(struct mrct_run *r, unsigned host, struct mrc_ev_profile *p)
{
    const struct mrct_case_host *const h = &r->c->host[host];
    struct mrc_ev_field *const f = mrct_pool_alloc(&r->own, MRC_EV_FIELDS_MAX * sizeof *f);
    if (f == NULL) {
        return mrct_run_fault(r, "out of memory");
    }
    p->field_count = p->format.field_count;
    p->fields = f;
    for (unsigned i = 0; i < p->field_count; i++) {
        f[i] = (struct mrc_ev_field){.width = 16,
                                     .init_val = i % 8u == 0 ? 0xFCBB : 0x1000u * (i % 8u - 1)};
    }
    /* The source port, or the uSID of the upper tier, varies; the label does where there is one. */
    const bool structured = h->ev_format == MRCT_EV_STRUCTURED;
    const unsigned port = structured && r->wire.q3_ev == 'b' ? 1 : 0;
    struct mrc_ev_field *const main = &f[is_srv6(h) ? 3 : port];
    main->init_val = is_srv6(h) ? 0x2000 : 0xC000;
    main->mask = UINT64_C(0xFF) << mrct_rng_below(&r->rng, 6);
    main->min_val = mrct_rng_below(&r->rng, 128);
    main->max_val = main->min_val + MRCT_CASE_EVS_MAX - 1 + mrct_rng_below(&r->rng, 64);
    if (structured) {
        const bool ip6 = r->c->host[0].ip6;
        f[1 - port] =
            (struct mrc_ev_field){.width = 16, .mask = ip6 ? 0x0F0F : 0, .max_val = ip6 ? 99 : 0};
    }
    return 0;
}

static const struct mrc_ev_format formats[] = {
    [MRCT_EV_STRUCTURED] = {.mode = MRC_EV_MODE_STEV, .field_count = 2, .width = {16, 16}},
    [MRCT_EV_UDP] = {.mode = MRC_EV_MODE_UDP, .field_count = 1, .width = {16}},
    [MRCT_EV_SRV6] = {.mode = MRC_EV_MODE_SRV6,
                      .field_count = 8,
                      .width = {16, 16, 16, 16, 16, 16, 16, 16}},
    [MRCT_EV_SRV6_SRH] = {.mode = MRC_EV_MODE_SRV6,
                          .srh = true,
                          .field_count = 16,
                          .width = {16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
                                    16}},
};

static const enum mrc_ev_source sources[] = {[MRCT_EVS_EXPLICIT] = MRC_EV_EXPLICIT,
                                             [MRCT_EVS_GENERATED] = MRC_EV_GENERATED,
                                             [MRCT_EVS_AUTO] = MRC_EV_AUTO};

static int make_profile(struct mrct_run *r, unsigned host)
{
    const struct mrct_case_host *const h = &r->c->host[host];
    struct mrct_dut *const dut = r->node[host].dut;
    struct mrc_ev_profile p = {
        .id = MRCT_RUN_PROFILE,
        .source = sources[h->ev_source],
        .format = formats[h->ev_format],
        .ev_count = h->evs * r->c->fabric.planes,
        .ev_active = h->ev_active,
        .ev_min_active = h->ev_min_active,
    };
    if ((h->ev_source == MRCT_EVS_EXPLICIT && set_list(r, host, &p) != 0) ||
        (h->ev_source == MRCT_EVS_GENERATED && set_fields(r, host, &p) != 0)) {
        return -1;
    }
    const int rc = dut->ops->ev_profile != NULL ? dut->ops->ev_profile(dut, &p) : MRC_EP_ESTATE;
    return rc == 0 ? 0
                   : mrct_run_fault(r, "host%u refused its profile of EVs: %s", host + 1,
                                    mrc_ep_strerror(rc));
}

int mrct_run_evs_setup(struct mrct_run *r, unsigned host)
{
    const struct mrct_case_host *const h = &r->c->host[host];
    if (h->ev_source == MRCT_EVS_LIST || h->ev_source == MRCT_EVS_EXPLICIT) {
        draw_evs(r, host);
    }
    return h->ev_source == MRCT_EVS_LIST ? 0 : make_profile(r, host);
}

void mrct_run_evs_attr(const struct mrct_run *r, unsigned host, struct mrc_qp_attr *a)
{
    const struct mrct_case_host *const h = &r->c->host[host];
    const struct mrct_run_node *const n = &r->node[host];
    if (h->ev_source != MRCT_EVS_LIST) {
        a->ev_profile = MRCT_RUN_PROFILE;
        return;
    }
    a->ev_active = h->ev_active;
    a->ev_min_active = h->ev_min_active;
    a->evs = n->evs;
    a->ev_count = n->ev_count;
}

/* Plane and uplink are written into these uSIDs: T0, T1, T0, host; more for a routing header. */
void mrct_run_evs_peer(const struct mrct_run *r, unsigned host, struct mrc_qp_peer *peer)
{
    const struct mrct_case_host *const h = &r->c->host[host];
    if (!by_template(h)) {
        return;
    }
    struct mrc_srv6_template *const t = &peer->srv6;
    *t = (struct mrc_srv6_template){
        .locator = {0xFC, 0xBB, 0, 0},
        .usid_count = h->ev_format == MRCT_EV_SRV6_SRH ? 8 : 4,
        .tier1 = 1,
        .plane_shift = 8,
        .plane_bits = 4,
        .uplink_bits = UPLINK_BITS,
    };
    for (unsigned i = 0; i < t->usid_count; i++) {
        t->usid[i] = (uint16_t)(0x1000u * (i + 1));
    }
}

/* ---- made by the device ---- */

int mrct_run_evs_learn(struct mrct_run *r, unsigned host)
{
    struct mrct_run_node *const n = &r->node[host];
    const unsigned each = r->c->host[host].evs;
    unsigned have[MRC_EP_PORTS_MAX] = {0};
    if (n->ev_count > 0 || n->dut->ops->ev_query == NULL) {
        return 0;
    }
    struct mrc_ev_info info;
    for (unsigned i = 0; n->dut->ops->ev_query(n->dut, n->qp[0].qpn, i, &info, 1) == 1; i++) {
        const unsigned port = info.ev.port;
        if (port >= r->c->fabric.planes || have[port] == each) {
            return mrct_run_fault(r, "host%u made more EVs than were asked for", host + 1);
        }
        const unsigned at = port * each + have[port]++;
        n->evs[at] = info.ev;
        n->ev_index[at] = (uint16_t)i;
        n->ev_count++;
    }
    return n->ev_count == each * r->c->fabric.planes
               ? 0
               : mrct_run_fault(r, "host%u made fewer EVs than were asked for", host + 1);
}
