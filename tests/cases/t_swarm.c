/* SPDX-License-Identifier: BSD-2-Clause */
/* The swarm's watches: each is seen to fail, on a device that is the reference but for one thing.
 */
#include "harness/cases/swarm.h"
#include "tests/cases/suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS_MAX 200u

enum wrong {
    WRONG_NONE,
    WRONG_STATE,      /* shows its EVs as DENIED */
    WRONG_BACKUP,     /* shows its EVs as backups */
    WRONG_EVS,        /* uses other EVs than it was given */
    WRONG_WINDOW,     /* shows a window that is closed */
    WRONG_PORT,       /* does not hear that a port is down */
    WRONG_REST,       /* shows a packet in flight for ever */
    WRONG_INFLIGHT,   /* shows bytes in flight for ever */
    WRONG_OUTSIDE,    /* writes a byte in front of a region */
    WRONG_INSIDE,     /* changes a byte of a region */
    WRONG_ERROR,      /* tells of an error that there was not */
    WRONG_STATUS,     /* tells of a write that succeeded as flushed */
    WRONG_SILENT,     /* does not tell that a write is done */
    WRONG_IMM,        /* changes an immediate */
    WRONG_IMM_TWICE,  /* delivers an immediate twice */
    WRONG_IMM_SILENT, /* does not deliver an immediate */
};

struct crook {
    struct mrct_dut dut; /* first */
    struct mrct_dut_ops ops;
    struct mrct_dut *inner;
    struct mrc_mr mr;
    bool done;                 /* it did its wrong once */
    struct mrc_ep_event again; /* to be told a second time */
    bool have_again;
};

static struct crook *of(struct mrct_dut *d)
{
    return (struct crook *)d;
}

static struct mrct_dut *inner_of(const struct mrct_dut *d)
{
    return ((const struct crook *)d)->inner;
}

static void crook_free(struct mrct_dut *d)
{
    inner_of(d)->ops->free(inner_of(d));
    free(d);
}

static void crook_input(struct mrct_dut *d, uint64_t now_ns, unsigned port,
                        const struct mrc_frame *f)
{
    inner_of(d)->ops->input(inner_of(d), now_ns, port, f);
}

static int crook_output(struct mrct_dut *d, uint64_t now_ns, uint64_t mask, struct mrc_frame *out)
{
    return inner_of(d)->ops->output(inner_of(d), now_ns, mask, out);
}

static uint64_t crook_deadline(const struct mrct_dut *d)
{
    return inner_of(d)->ops->deadline(inner_of(d));
}

static void crook_tick(struct mrct_dut *d, uint64_t now_ns)
{
    inner_of(d)->ops->tick(inner_of(d), now_ns);
}

static int64_t crook_create_qp(struct mrct_dut *d, const struct mrc_qp_attr *attr)
{
    return inner_of(d)->ops->create_qp(inner_of(d), attr);
}

static int crook_connect(struct mrct_dut *d, uint32_t qpn, const struct mrc_qp_peer *peer)
{
    return inner_of(d)->ops->connect(inner_of(d), qpn, peer);
}

static int crook_register_mr(struct mrct_dut *d, struct mrc_mr *mr)
{
    of(d)->mr = of(d)->mr.mem == NULL ? *mr : of(d)->mr;
    return inner_of(d)->ops->register_mr(inner_of(d), mr);
}

static int crook_post_write(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns,
                            const struct mrc_write *w)
{
    return inner_of(d)->ops->post_write(inner_of(d), qpn, now_ns, w);
}

static int crook_post_recv(struct mrct_dut *d, uint32_t qpn, uint64_t wr_id)
{
    return inner_of(d)->ops->post_recv(inner_of(d), qpn, wr_id);
}

static bool crook_poll(struct mrct_dut *d, struct mrc_ep_event *ev)
{
    return inner_of(d)->ops->poll(inner_of(d), ev);
}

static int crook_set_mpr(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns, uint8_t mpr)
{
    return inner_of(d)->ops->set_mpr(inner_of(d), qpn, now_ns, mpr);
}

static int crook_force_nack(struct mrct_dut *d, uint32_t qpn, enum mrc_nack_reason r, uint32_t n)
{
    return inner_of(d)->ops->force_nack(inner_of(d), qpn, r, n);
}

static int crook_shortage(struct mrct_dut *d, enum mrc_nack_reason reason, uint32_t ppm)
{
    return inner_of(d)->ops->shortage(inner_of(d), reason, ppm);
}

static int crook_port_set(struct mrct_dut *d, uint64_t now_ns, unsigned port, bool up)
{
    return inner_of(d)->ops->port_set(inner_of(d), now_ns, port, up);
}

static int crook_ev_profile(struct mrct_dut *d, const struct mrc_ev_profile *profile)
{
    return inner_of(d)->ops->ev_profile(inner_of(d), profile);
}

static int crook_ev_set_state(struct mrct_dut *d, uint32_t qpn, uint64_t now_ns, struct mrc_ev ev,
                              enum mrc_ev_state state)
{
    return inner_of(d)->ops->ev_set_state(inner_of(d), qpn, now_ns, ev, state);
}

static int crook_ev_replace(struct mrct_dut *d, uint64_t now_ns, uint64_t profile, unsigned index,
                            const struct mrc_ev_spec *spec)
{
    return inner_of(d)->ops->ev_replace(inner_of(d), now_ns, profile, index, spec);
}

static int crook_ev_query(const struct mrct_dut *d, uint32_t qpn, unsigned first,
                          struct mrc_ev_info *out, unsigned room)
{
    return inner_of(d)->ops->ev_query(inner_of(d), qpn, first, out, room);
}

static int crook_qp_info(const struct mrct_dut *d, uint32_t qpn, struct mrc_qp_info *info)
{
    return inner_of(d)->ops->qp_info(inner_of(d), qpn, info);
}

static const struct mrct_dut_ops honest = {
    .free = crook_free,
    .input = crook_input,
    .output = crook_output,
    .deadline = crook_deadline,
    .tick = crook_tick,
    .create_qp = crook_create_qp,
    .connect = crook_connect,
    .register_mr = crook_register_mr,
    .post_write = crook_post_write,
    .post_recv = crook_post_recv,
    .poll = crook_poll,
    .set_mpr = crook_set_mpr,
    .force_nack = crook_force_nack,
    .shortage = crook_shortage,
    .port_set = crook_port_set,
    .ev_profile = crook_ev_profile,
    .ev_set_state = crook_ev_set_state,
    .ev_replace = crook_ev_replace,
    .ev_query = crook_ev_query,
    .qp_info = crook_qp_info,
};

/* ---- the wrongs ---- */

static int denied_query(const struct mrct_dut *d, uint32_t qpn, unsigned first,
                        struct mrc_ev_info *out, unsigned room)
{
    const int n = crook_ev_query(d, qpn, first, out, room);
    for (int i = 0; i < n; i++)
        out[i].state = MRC_EV_DENIED;
    return n;
}

static int backup_query(const struct mrct_dut *d, uint32_t qpn, unsigned first,
                        struct mrc_ev_info *out, unsigned room)
{
    const int n = crook_ev_query(d, qpn, first, out, room);
    for (int i = 0; i < n; i++)
        out[i].active = false;
    return n;
}

static int64_t other_evs(struct mrct_dut *d, const struct mrc_qp_attr *attr)
{
    struct mrc_ev evs[MRC_EP_PORTS_MAX * MRCT_CASE_EVS_MAX];
    struct mrc_qp_attr mine = *attr;
    for (unsigned i = 0; i < attr->ev_count; i++) {
        evs[i] = attr->evs[i];
        evs[i].value ^= UINT32_C(0x01000000);
    }
    mine.evs = attr->ev_count > 0 ? evs : NULL;
    return crook_create_qp(d, &mine);
}

static int closed_info(const struct mrct_dut *d, uint32_t qpn, struct mrc_qp_info *info)
{
    const int rc = crook_qp_info(d, qpn, info);
    info->cwnd_bytes = 0;
    return rc;
}

static int deaf_port(struct mrct_dut *d, uint64_t now_ns, unsigned port, bool up)
{
    (void)d;
    (void)now_ns;
    (void)port;
    (void)up;
    return 0;
}

static int busy_info(const struct mrct_dut *d, uint32_t qpn, struct mrc_qp_info *info)
{
    const int rc = crook_qp_info(d, qpn, info);
    info->outstanding = 1;
    return rc;
}

static int heavy_info(const struct mrct_dut *d, uint32_t qpn, struct mrc_qp_info *info)
{
    const int rc = crook_qp_info(d, qpn, info);
    info->inflight_bytes += 1;
    return rc;
}

static void outside_input(struct mrct_dut *d, uint64_t now_ns, unsigned port,
                          const struct mrc_frame *f)
{
    crook_input(d, now_ns, port, f);
    if (!of(d)->done)
        *(of(d)->mr.mem - 1) ^= 0x40;
    of(d)->done = true;
}

static bool inside_poll(struct mrct_dut *d, struct mrc_ep_event *ev)
{
    const bool any = crook_poll(d, ev);
    if (any && ev->kind == MRC_EVENT_PLACED && !of(d)->done) {
        of(d)->mr.mem[ev->va - of(d)->mr.va] ^= 0x40;
        of(d)->done = true;
    }
    return any;
}

static bool error_poll(struct mrct_dut *d, struct mrc_ep_event *ev)
{
    const bool any = crook_poll(d, ev);
    if (any && ev->kind == MRC_EVENT_PLACED && !of(d)->done) {
        ev->kind = MRC_EVENT_QP_ERROR;
        ev->status = MRC_WC_LOCAL_UNEXP_EVENT;
        of(d)->done = true;
    }
    return any;
}

static bool status_poll(struct mrct_dut *d, struct mrc_ep_event *ev)
{
    const bool any = crook_poll(d, ev);
    if (any && ev->kind == MRC_EVENT_SEND_DONE && !of(d)->done) {
        ev->status = MRC_WC_FLUSHED;
        of(d)->done = true;
    }
    return any;
}

/* Swallows the first event of a kind. */
static bool silent_about(struct mrct_dut *d, struct mrc_ep_event *ev, enum mrc_ep_event_kind kind)
{
    bool any = crook_poll(d, ev);
    if (any && ev->kind == kind && !of(d)->done) {
        of(d)->done = true;
        any = crook_poll(d, ev);
    }
    return any;
}

static bool silent_poll(struct mrct_dut *d, struct mrc_ep_event *ev)
{
    return silent_about(d, ev, MRC_EVENT_SEND_DONE);
}

static bool imm_silent_poll(struct mrct_dut *d, struct mrc_ep_event *ev)
{
    return silent_about(d, ev, MRC_EVENT_RECV_IMM);
}

static bool imm_poll(struct mrct_dut *d, struct mrc_ep_event *ev)
{
    const bool any = crook_poll(d, ev);
    if (any && ev->kind == MRC_EVENT_RECV_IMM)
        ev->imm ^= 0x10;
    return any;
}

static bool imm_twice_poll(struct mrct_dut *d, struct mrc_ep_event *ev)
{
    if (of(d)->have_again) {
        *ev = of(d)->again;
        of(d)->have_again = false;
        return true;
    }
    const bool any = crook_poll(d, ev);
    if (any && ev->kind == MRC_EVENT_RECV_IMM && !of(d)->done) {
        of(d)->again = *ev;
        of(d)->have_again = of(d)->done = true;
    }
    return any;
}

static void do_wrong(struct mrct_dut_ops *o, enum wrong w)
{
    switch (w) {
    case WRONG_NONE:
        break;
    case WRONG_STATE:
        o->ev_query = denied_query;
        break;
    case WRONG_BACKUP:
        o->ev_query = backup_query;
        break;
    case WRONG_EVS:
        o->create_qp = other_evs;
        break;
    case WRONG_WINDOW:
        o->qp_info = closed_info;
        break;
    case WRONG_PORT:
        o->port_set = deaf_port;
        break;
    case WRONG_REST:
        o->qp_info = busy_info;
        break;
    case WRONG_INFLIGHT:
        o->qp_info = heavy_info;
        break;
    case WRONG_OUTSIDE:
        o->input = outside_input;
        break;
    case WRONG_INSIDE:
        o->poll = inside_poll;
        break;
    case WRONG_ERROR:
        o->poll = error_poll;
        break;
    case WRONG_STATUS:
        o->poll = status_poll;
        break;
    case WRONG_SILENT:
        o->poll = silent_poll;
        break;
    case WRONG_IMM:
        o->poll = imm_poll;
        break;
    case WRONG_IMM_TWICE:
        o->poll = imm_twice_poll;
        break;
    case WRONG_IMM_SILENT:
        o->poll = imm_silent_poll;
        break;
    }
}

static enum wrong chosen;

static struct mrct_dut *make(const struct mrc_ep_config *cfg, uint64_t seed)
{
    struct crook *const c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    c->ops = honest;
    do_wrong(&c->ops, chosen);
    c->dut = (struct mrct_dut){.ops = &c->ops, .name = "crook"};
    c->inner = mrct_dut_reference(cfg, seed);
    ck_assert_ptr_nonnull(c->inner);
    return &c->dut;
}

static const struct mrct_deviant crook = {.name = "crook", .make = make};

/* What each is found out by. */
static const struct {
    enum wrong wrong;
    const char *words;
} table[] = {
    {WRONG_STATE, "which is DENIED"},
    {WRONG_BACKUP, "which is GOOD and not in use"},
    {WRONG_EVS, "which is none of its"},
    {WRONG_WINDOW, "in flight, and its window is 0"},
    {WRONG_PORT, ", which is down"},
    {WRONG_REST, "is not at rest: packets are in flight"},
    {WRONG_INFLIGHT, "is not at rest: bytes in flight are not zero"},
    {WRONG_OUTSIDE, "outside the region"},
    {WRONG_INSIDE, "in the region"},
    {WRONG_ERROR, "ended with 'unexpected event', for which there is no cause"},
    {WRONG_STATUS, "writes completed with success"},
    {WRONG_SILENT, "is reported as done before write"},
    {WRONG_IMM, "was next"},
    {WRONG_IMM_TWICE, "REQ-6.3-13"},
    {WRONG_IMM_SILENT, "immediate"},
};

static void run_seed(uint64_t seed, char *why, size_t cap)
{
    struct mrct_run_config cfg;
    struct mrct_case c;
    struct mrct_pool pool;
    struct mrct_result_case r;
    mrct_run_config_default(&cfg);
    cfg.deviant = &crook;
    mrct_pool_init(&pool);
    ck_assert_int_eq(mrct_swarm_run(&cfg, &c, seed, &pool, &r), 0);
    (void)snprintf(why, cap, "%s", r.why);
    mrct_pool_fini(&pool);
    mrct_case_fini(&c);
}

START_TEST(each_watch_fails)
{
    char why[900] = "";
    char all[4000] = "";
    chosen = table[_i].wrong;
    for (uint64_t seed = 1; seed <= SEEDS_MAX; seed++) {
        run_seed(seed, why, sizeof why);
        if (strstr(why, table[_i].words) != NULL)
            return;
        const size_t used = strlen(all);
        (void)snprintf(all + used, sizeof all - used, "%s\n", why);
    }
    ck_abort_msg("'%s' was never said, but: %s", table[_i].words, all);
}
END_TEST

START_TEST(unbroken_it_is_honest)
{
    char why[900] = "";
    chosen = WRONG_NONE;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        run_seed(seed, why, sizeof why);
        ck_assert_str_eq(why, "");
    }
}
END_TEST

#define ROWS(t) (int)(sizeof(t) / sizeof((t)[0]))

Suite *cases_swarm_suite(void)
{
    Suite *const s = suite_create("swarm");
    TCase *const t = tcase_create("swarm");
    tcase_set_timeout(t, 0);
    tcase_add_loop_test(t, each_watch_fails, 0, ROWS(table));
    tcase_add_test(t, unbroken_it_is_honest);
    suite_add_tcase(s, t);
    return s;
}
