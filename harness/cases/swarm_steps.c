/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens in a swarm's case: writes, what befalls the hosts between them, links that fail. */
#include "harness/cases/swarm_priv.h"

#include <string.h>

#define WRITES_MAX  8u
#define CHANGES_MAX 10u
#define DENIED_MAX  6u
#define FLAPS_MAX   3u
#define LINKS_MAX   (2 * FLAPS_MAX + MRC_EP_PORTS_MAX)
/* Receives, writes, changes of which each may replace an EV, deny and allow so many, and the end.
 */
#define STEPS_MAX (MRCT_CASE_QPS_MAX + WRITES_MAX + (2 * DENIED_MAX + 1) * CHANGES_MAX + 3)

/* A list of steps in the making. They start in order, so times do not go back. */
struct draw {
    struct mrct_rng *r;
    struct mrct_case *c;
    unsigned writes_left;
    uint64_t at_ns;
    bool moves, is_short; /* windows move; resources run short */
};

static struct mrct_step *add(struct draw *d, enum mrct_step_kind kind, unsigned host)
{
    struct mrct_step *const s = &d->c->steps[d->c->step_count++];
    *s = (struct mrct_step){.kind = kind, .host = host, .qp = 1, .when = MRCT_WHEN_AT};
    s->at_ns = d->at_ns;
    return s;
}

static void wait(struct draw *d, uint32_t most_ns)
{
    d->at_ns += mrct_rng_below(d->r, most_ns);
}

/* ---- writes ---- */

static void draw_size(struct mrct_rng *r, struct mrct_step *s)
{
    switch (mrct_rng_below(r, 3)) {
    case 0:
        s->size = mrct_draw_between(r, 1, 64);
        s->count = mrct_draw_between(r, 1, 60);
        break;
    case 1:
        s->size = mrct_draw_between(r, 1, 5000);
        s->count = mrct_draw_between(r, 1, 30);
        break;
    default:
        s->size = mrct_draw_between(r, 5000, 200000);
        s->count = mrct_draw_between(r, 1, 4);
        break;
    }
}

static void add_write(struct draw *d, bool at_once)
{
    struct mrct_rng *const r = d->r;
    struct mrct_step *const s = add(d, MRCT_STEP_WRITE, mrct_draw_one_in(r, 4));
    d->writes_left--;
    s->qp = mrct_draw_between(r, 1, d->c->qps);
    s->imm = (uint32_t)mrct_rng_next(r);
    s->has_imm = mrct_draw_one_in(r, 3);
    draw_size(r, s);
    s->when = MRCT_WHEN_NOW;
    if (!at_once && mrct_draw_one_in(r, 4)) {
        s->when = MRCT_WHEN_COMPLETED;
    } else if (!at_once && mrct_draw_one_in(r, 4)) {
        s->when = MRCT_WHEN_AT;
        wait(d, 100000);
        s->at_ns = d->at_ns;
    }
}

/* One write in a few runs that an honest responder has to refuse. What is posted behind it on its
 * QP, and what comes the other way, is lost with the QP. */
static void refuse_one(struct draw *d)
{
    static const enum mrct_write_target targets[] = {MRCT_TARGET_WRONG_RKEY, MRCT_TARGET_PAST_END,
                                                     MRCT_TARGET_BEFORE, MRCT_TARGET_READ_ONLY};
    if (!mrct_draw_one_in(d->r, 5)) {
        return;
    }
    const uint32_t from = mrct_rng_below(d->r, (uint32_t)d->c->step_count);
    for (size_t i = from; i < d->c->step_count; i++) {
        struct mrct_step *const s = &d->c->steps[i];
        if (s->kind != MRCT_STEP_WRITE) {
            continue;
        }
        s->target = targets[mrct_rng_below(d->r, 4)];
        s->count = 1;
        /* One packet: of a longer one parts would land where other writes do. */
        s->size = s->size < d->c->host[0].path_mtu ? s->size : d->c->host[0].path_mtu;
        s->has_imm = false;
        return;
    }
}

/* ---- receives ---- */

/* The host posts its receives itself, before all else, and on one QP perhaps too few. */
static void draw_receives(struct draw *d)
{
    struct mrct_case *const c = d->c;
    const unsigned host = mrct_rng_below(d->r, 2);
    const unsigned few = mrct_rng_below(d->r, c->qps);
    memmove(c->steps + c->qps, c->steps, c->step_count * sizeof *c->steps);
    for (unsigned q = 0; q < c->qps; q++) {
        const uint32_t due = mrct_swarm_immediates(c, 1 - host, q);
        c->steps[q] = (struct mrct_step){.kind = MRCT_STEP_RECV, .host = host, .qp = q + 1};
        c->steps[q].count = q == few ? mrct_rng_below(d->r, due + 1) : due;
    }
    c->step_count += c->qps;
}

/* ---- what befalls a host ---- */

static void draw_mpr(struct draw *d)
{
    struct mrct_step *const s = add(d, MRCT_STEP_SET_MPR, mrct_rng_below(d->r, 2));
    s->qp = mrct_draw_between(d->r, 1, d->c->qps);
    s->mpr = (uint8_t)mrct_draw_between(d->r, 1, 40);
}

static void draw_shortage(struct draw *d)
{
    static const uint8_t reasons[] = {MRC_NACK_NO_BITMAP, MRC_NACK_NO_PKT_BUFFER,
                                      MRC_NACK_NO_RESOURCE};
    struct mrct_step *const s = add(d, MRCT_STEP_SHORTAGE, mrct_rng_below(d->r, 2));
    s->qp = mrct_draw_between(d->r, 1, d->c->qps);
    s->reason = reasons[mrct_rng_below(d->r, 3)];
    s->count = mrct_rng_below(d->r, 6);
    s->rate_ppm = s->count == 0 ? mrct_rng_below(d->r, 100000) : 0;
    if (mrct_draw_one_in(d->r, 12)) {
        s->reason = MRC_NACK_UNEXP_EVENT;
        s->count = 1;
        s->rate_ppm = 0;
    }
}

/* Between a change and its end some of the writes may start. */
static void go_on(struct draw *d)
{
    while (d->writes_left > 0 && mrct_draw_one_in(d->r, 2)) {
        add_write(d, true);
    }
    d->at_ns += mrct_draw_between(d->r, 1000, 300000);
}

static void draw_port(struct draw *d)
{
    const unsigned host = mrct_rng_below(d->r, 2);
    const unsigned plane = mrct_rng_below(d->r, d->c->fabric.planes);
    add(d, MRCT_STEP_PORT, host)->plane = plane;
    go_on(d);
    struct mrct_step *const up = add(d, MRCT_STEP_PORT, host);
    up->plane = plane;
    up->up = true;
}

/* Some EVs of one plane are denied, and allowed again; one of them may stay so. The first of the
 * first plane is left, whatever comes together: a host that cannot send at all gives its QPs up,
 * which is no news. */
static void draw_denied(struct draw *d)
{
    const unsigned host = mrct_rng_below(d->r, 2);
    const unsigned each = d->c->host[host].evs;
    const unsigned plane = mrct_rng_below(d->r, d->c->fabric.planes);
    const unsigned qp = mrct_draw_between(d->r, 1, d->c->qps);
    const unsigned first = mrct_rng_below(d->r, each);
    const unsigned left = plane == 0 ? 1 : 0;
    const unsigned spare = each - left;
    const unsigned most = spare < DENIED_MAX ? spare : DENIED_MAX;
    if (most == 0) {
        return;
    }
    const unsigned count = mrct_draw_between(d->r, 1, most);
    const unsigned stay = mrct_draw_one_in(d->r, 3) ? 1 : 0;
    for (unsigned good = 0; good < 2; good++) {
        for (unsigned i = good == 0 ? 0 : stay; i < count; i++) {
            struct mrct_step *const s = add(d, MRCT_STEP_EV_STATE, host);
            s->qp = qp;
            s->plane = plane;
            s->ev = left + (first + i) % spare;
            s->state = good == 0 ? MRC_EV_DENIED : MRC_EV_GOOD;
        }
        go_on(d);
    }
}

/* Another EV takes the place of one, whatever became of that. */
static void draw_replaced(struct draw *d)
{
    const unsigned host = mrct_rng_below(d->r, 2);
    if (d->c->host[host].ev_source == MRCT_EVS_LIST) {
        return;
    }
    struct mrct_step *const s = add(d, MRCT_STEP_EV_REPLACE, host);
    s->plane = mrct_rng_below(d->r, d->c->fabric.planes);
    s->ev = mrct_rng_below(d->r, d->c->host[host].evs);
}

static void draw_change(struct draw *d)
{
    const uint32_t kind = mrct_rng_below(d->r, 8);
    wait(d, 60000);
    if (mrct_draw_one_in(d->r, 4)) {
        draw_replaced(d);
    }
    if (kind == 0 && d->c->fabric.planes > 1) {
        draw_port(d);
    } else if (kind <= 1) {
        draw_denied(d);
    } else if (kind < 5 && d->moves) {
        draw_mpr(d);
    } else if (d->is_short) {
        draw_shortage(d);
    }
}

static void draw_list(struct draw *d)
{
    d->moves = d->c->host[0].dynamic_mpr && d->c->host[1].dynamic_mpr;
    d->is_short = mrct_draw_one_in(d->r, 3);
    d->writes_left = mrct_draw_between(d->r, 1, WRITES_MAX);
    unsigned changes = mrct_draw_one_in(d->r, 2) ? mrct_draw_between(d->r, 1, CHANGES_MAX) : 0;
    while (d->writes_left > 0 || changes > 0) {
        if (d->writes_left > 0 && (changes == 0 || mrct_draw_one_in(d->r, 2))) {
            add_write(d, false);
        } else {
            draw_change(d);
            changes--;
        }
    }
    d->at_ns += 100000;
    for (unsigned host = 0; host < 2 && d->is_short; host++) {
        add(d, MRCT_STEP_SHORTAGE, host)->reason = MRC_NACK_NO_BITMAP; /* over: rate and count 0 */
    }
}

/* ---- links ---- */

static void add_link(struct mrct_case *c, struct mrct_case_link l)
{
    c->links[c->link_count++] = l;
}

/* Links go down for a while, a path or the whole of a plane, and come back before retries end. */
static void draw_flaps(struct mrct_rng *r, struct mrct_case *c)
{
    const uint32_t flaps = mrct_draw_one_in(r, 3) ? mrct_draw_between(r, 1, FLAPS_MAX) : 0;
    for (uint32_t i = 0; i < flaps; i++) {
        struct mrct_case_link down = {.host = (int)mrct_rng_below(r, 3) - 1, .path = -1};
        down.at_ns = mrct_rng_below(r, 400000);
        down.plane = mrct_rng_below(r, c->fabric.planes);
        if (!mrct_draw_one_in(r, 3)) {
            down.path = (int)mrct_rng_below(r, c->fabric.paths);
        }
        struct mrct_case_link up = down;
        up.up = true;
        up.at_ns += mrct_draw_between(r, 1000, 200000);
        add_link(c, down);
        add_link(c, up);
    }
}

/* All planes die, and with them every QP that has something to say; or one of several. Then the
 * hosts use EVs on all: answers that leave by the dead plane alone are missed for good. */
static void draw_death(struct mrct_rng *r, struct mrct_case *c)
{
    const bool all = c->fabric.planes == 1 || mrct_draw_one_in(r, 2);
    const unsigned one = mrct_rng_below(r, c->fabric.planes);
    const uint64_t at_ns = mrct_rng_below(r, 400000);
    for (unsigned h = 0; h < 2 && !all; h++) {
        c->host[h].ev_active = 0;
        c->host[h].exp_cnt = 25; /* for ever: all must get through by the other planes */
    }
    for (unsigned p = 0; p < c->fabric.planes; p++) {
        if (all || p == one) {
            add_link(c, (struct mrct_case_link){
                            .at_ns = at_ns, .host = -1, .plane = p, .path = -1, .up = false});
        }
    }
}

int mrct_draw_steps(struct mrct_rng *r, struct mrct_case *c)
{
    struct draw d = {.r = r, .c = c};
    c->steps = mrct_pool_alloc(&c->pool, STEPS_MAX * sizeof *c->steps);
    c->links = mrct_pool_alloc(&c->pool, LINKS_MAX * sizeof *c->links);
    if (c->steps == NULL || c->links == NULL) {
        return -1;
    }
    draw_list(&d);
    /* Each packet that is turned away counts as a retry, however soon: behind one that its timer
     * has to bring back, many would use them up. */
    for (unsigned h = 0; h < 2 && d.is_short; h++) {
        c->host[h].exp_cnt = 25;
    }
    refuse_one(&d);
    if (mrct_draw_one_in(r, 10)) {
        draw_receives(&d);
    }
    if (mrct_draw_one_in(r, 12)) {
        draw_death(r, c);
    } else {
        draw_flaps(r, c);
    }
    return 0;
}
