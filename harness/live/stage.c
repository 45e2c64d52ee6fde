/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/live/stage.h"

#include "harness/live/ports.h"
#include "harness/live/station.h"
#include "harness/live/veth.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MTU     9000u
#define RING    512u
#define BATCH   1u                   /* frames of a plane that the fabric takes at once */
#define SPIN_NS UINT64_C(60000)      /* shorter waits are not worth a sleep */
#define LOST_NS UINT64_C(5000000000) /* a frame that the kernel has had so long is lost */

struct mrct_stage {
    unsigned planes;                                 /* that exist */
    struct mrc_net_port *outer[2][MRC_EP_PORTS_MAX]; /* by host, plane: the host's end of a veth */
    struct mrc_net_port *inner[2][MRC_EP_PORTS_MAX]; /* and the fabric's */
    struct mrc_net_stamps stamps;
    struct mrct_stage_times times;
    struct mrc_net_port_counters lost; /* before the case that is on */
    /* The case that is on. */
    struct mrct_fab *fab;
    struct mrct_side *side[2];
    struct mrct_station station[2];
    unsigned used; /* planes */
    uint64_t base_ns, now_ns;
    uint64_t real_ns;  /* the real clock when now_ns last moved */
    uint64_t limbo_ns; /* real time since which the kernel has a frame; 0: it has none */
};

/* ---- the place ---- */

struct mrct_stage *mrct_stage_new(char *err, size_t err_cap)
{
    struct mrct_stage *const s = calloc(1, sizeof *s);
    if (s == NULL) {
        (void)snprintf(err, err_cap, "out of memory");
        return NULL;
    }
    if (mrct_veth_alone(err, err_cap) == 0)
        return s;
    free(s);
    return NULL;
}

static void leave(struct mrct_stage *s)
{
    for (unsigned h = 0; h < 2; h++) {
        mrct_side_free(s->side[h]);
        s->side[h] = NULL;
    }
}

void mrct_stage_free(struct mrct_stage *s)
{
    if (s == NULL)
        return;
    leave(s);
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned p = 0; p < s->planes; p++) {
            mrc_net_port_free(s->outer[h][p]);
            mrc_net_port_free(s->inner[h][p]);
        }
    }
    free(s);
}

static struct mrc_net_port *open_port(const char *name, char *err, size_t cap)
{
    const struct mrc_net_port_config c = {
        .ifname = name, .rx_slots = RING, .promiscuous = true, .qdisc_bypass = false};
    return mrc_net_port_open(&c, err, cap);
}

static int add_plane(struct mrct_stage *s, char *err, size_t cap)
{
    const unsigned p = s->planes;
    for (unsigned h = 0; h < 2; h++) {
        char outer[16], inner[16];
        (void)snprintf(outer, sizeof outer, "h%up%u", h + 1, p);
        (void)snprintf(inner, sizeof inner, "f%up%u", h + 1, p);
        if (mrct_veth_pair(outer, inner, MTU, err, cap) != 0)
            return -1;
        s->outer[h][p] = open_port(outer, err, cap);
        s->inner[h][p] = s->outer[h][p] != NULL ? open_port(inner, err, cap) : NULL;
        if (s->inner[h][p] == NULL)
            return -1;
    }
    s->planes++;
    return 0;
}

static int make_side(struct mrct_stage *s, unsigned h, const struct mrc_wire_config *wire,
                     struct mrct_dut *dut)
{
    const struct mrct_side_config c = {.index = h,
                                       .planes = s->used,
                                       .fab = s->fab,
                                       .port = s->inner[h],
                                       .wire = wire,
                                       .batch = BATCH,
                                       .at_once = true,
                                       .all_enter = true};
    s->side[h] = mrct_side_new(&c);
    if (s->side[h] == NULL)
        return -1;
    s->station[h] =
        (struct mrct_station){.dut = dut, .planes = s->used, .port = s->outer[h], .wire = wire};
    return 0;
}

int mrct_stage_enter(struct mrct_stage *s, struct mrct_fab *fab, unsigned planes,
                     const struct mrc_wire_config *wire, struct mrct_dut *const dut[2], char *err,
                     size_t err_cap)
{
    leave(s);
    while (s->planes < planes)
        if (add_plane(s, err, err_cap) != 0)
            return -1;
    for (unsigned h = 0; h < 2; h++) {
        mrct_ports_sweep(s->outer[h], s->planes);
        mrct_ports_sweep(s->inner[h], s->planes);
    }
    s->fab = fab;
    s->used = planes;
    for (unsigned h = 0; h < 2; h++) {
        if (make_side(s, h, wire, dut[h]) != 0) {
            (void)snprintf(err, err_cap, "out of memory");
            return -1;
        }
    }
    mrc_net_stamps_sync(&s->stamps);
    s->now_ns = 0;
    s->limbo_ns = 0;
    s->real_ns = mrc_net_now_ns();
    return 0;
}

int mrct_stage_preflight(struct mrct_stage *s, unsigned planes, uint16_t path_mtu,
                         struct mrct_preflight result[2][MRC_EP_PORTS_MAX], char *err,
                         size_t err_cap)
{
    struct mrc_wire_config wire;
    mrc_wire_config_default(&wire);
    while (s->planes < planes)
        if (add_plane(s, err, err_cap) != 0)
            return -1;
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned p = 0; p < planes; p++) {
            struct mrc_net_port *const both[2] = {s->outer[h][p], s->inner[h][p]};
            mrct_preflight_ports(both, &wire, path_mtu, &s->stamps, &result[h][p]);
        }
    }
    return 0;
}

/* ---- the clock ---- */

/* Frames on their way inward that the fabric has not taken yet. */
static uint64_t on_the_way_in(const struct mrct_stage *s, unsigned h, unsigned p)
{
    return s->station[h].sent[p] - mrct_side_counters(s->side[h], p)->in;
}

static uint64_t on_the_way_out(const struct mrct_stage *s, unsigned h, unsigned p)
{
    return mrct_side_counters(s->side[h], p)->delivered - s->station[h].got[p];
}

/* A frame that was sent is in nobody's ring: the kernel has it. */
static bool kernel_has_one(const struct mrct_stage *s)
{
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned p = 0; p < s->used; p++) {
            if (on_the_way_in(s, h, p) > 0 && !mrct_side_waiting(s->side[h], p))
                return true;
            if (on_the_way_out(s, h, p) > 0 && !mrc_net_port_rx_ready(s->outer[h][p]))
                return true;
        }
    }
    return false;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* When somebody has something to do of itself; MRC_TIME_NEVER: all came to rest. */
static uint64_t next_time(const struct mrct_stage *s)
{
    uint64_t wanted = MRC_TIME_NEVER;
    for (unsigned h = 0; h < 2; h++)
        wanted = least(wanted, s->station[h].dut->ops->deadline(s->station[h].dut));
    if (wanted == MRC_TIME_NEVER && mrct_fab_at_rest(s->fab))
        return wanted;
    return least(wanted, mrct_fab_next(s->fab));
}

static void sleep_ns(uint64_t ns)
{
    const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
                               .tv_nsec = (long)(ns % 1000000000u)};
    (void)nanosleep(&t, NULL);
}

/* The case's time goes on by what the real clock did, but by no more than `most`. */
static void pass_time(struct mrct_stage *s, uint64_t most_ns)
{
    const uint64_t real_ns = mrc_net_now_ns();
    const uint64_t passed_ns = real_ns - s->real_ns;
    const uint64_t ns = least(passed_ns, most_ns);
    s->real_ns = real_ns;
    s->now_ns += ns;
    s->times.played_ns += ns;
    s->times.stood_ns += passed_ns - ns;
}

/* Nothing moves until next_ns. */
static void wait_until(struct mrct_stage *s, uint64_t next_ns)
{
    while (s->now_ns < next_ns) {
        if (next_ns - s->now_ns > SPIN_NS)
            sleep_ns(next_ns - s->now_ns);
        pass_time(s, next_ns - s->now_ns);
    }
}

/* ---- the play ---- */

/* A device is asked for a frame when the fabric can take it at once, as in virtual time: so frames
 * of several planes pass the tap in the order in which they were sent. */
static uint64_t free_planes(const struct mrct_stage *s, unsigned h)
{
    uint64_t mask = mrct_fab_free_ports(s->fab, h);
    for (unsigned p = 0; p < s->used; p++)
        if (on_the_way_in(s, h, p) > 0)
            mask &= ~(UINT64_C(1) << p);
    return mask;
}

static unsigned tick(struct mrct_dut *d, uint64_t now_ns)
{
    if (d->ops->deadline(d) > now_ns)
        return 0;
    d->ops->tick(d, now_ns);
    return 1;
}

/* One turn of everybody. Returns how much moved. */
static unsigned turn(struct mrct_stage *s, void (*step)(void *user, uint64_t now_ns), void *user)
{
    unsigned moved = 0;
    for (unsigned h = 0; h < 2; h++)
        moved += mrct_station_take(&s->station[h], s->now_ns);
    for (unsigned h = 0; h < 2; h++)
        moved += tick(s->station[h].dut, s->now_ns);
    /* Before frames go out: whoever looks at what arrived does so before the peer can hear that it
     * did. */
    step(user, s->now_ns);
    for (unsigned h = 0; h < 2; h++)
        moved += mrct_station_give(&s->station[h], s->now_ns, free_planes(s, h));
    const uint64_t next = mrct_fab_next(s->fab);
    const uint64_t *stamps;
    for (unsigned h = 0; h < 2; h++)
        mrct_side_begin(s->side[h], &s->stamps, s->base_ns);
    (void)mrct_fab_pace(s->fab, s->now_ns, NULL, NULL);
    for (unsigned h = 0; h < 2; h++) {
        mrct_side_flush(s->side[h]);
        moved += mrct_side_taken(s->side[h], &stamps);
    }
    s->times.frames += moved;
    return moved + (next <= s->now_ns);
}

static void tell_losses(struct mrct_stage *s, char *err, size_t cap)
{
    struct mrc_net_port_counters is = {0};
    for (unsigned h = 0; h < 2; h++) {
        mrct_ports_add_losses(s->outer[h], s->planes, &is);
        mrct_ports_add_losses(s->inner[h], s->planes, &is);
    }
    mrct_ports_tell_losses(&s->lost, &is, err, cap);
    s->lost = is;
}

/* The kernel has had a frame for so long that it must be lost. */
static bool given_up(struct mrct_stage *s)
{
    if (!kernel_has_one(s)) {
        s->limbo_ns = 0;
        return false;
    }
    if (s->limbo_ns == 0)
        s->limbo_ns = mrc_net_now_ns();
    (void)sched_yield();
    return mrc_net_now_ns() - s->limbo_ns > LOST_NS;
}

uint64_t mrct_stage_play(struct mrct_stage *s, uint64_t limit_ns,
                         void (*step)(void *user, uint64_t now_ns), void *user, char *err,
                         size_t err_cap)
{
    err[0] = '\0';
    s->real_ns = mrc_net_now_ns();
    while (s->now_ns < limit_ns && mrct_fab_error(s->fab) == NULL) {
        const unsigned moved = turn(s, step, user);
        if (given_up(s)) {
            (void)snprintf(err, err_cap, "the kernel did not deliver a frame in 5 s");
            break;
        }
        if (s->limbo_ns != 0) {
            pass_time(s, 0);
        } else if (moved > 0) {
            pass_time(s, MRCT_STAGE_STEP_NS);
        } else {
            const uint64_t next = next_time(s);
            if (next == MRC_TIME_NEVER)
                break;
            wait_until(s, least(next, limit_ns));
        }
    }
    if (err[0] == '\0')
        tell_losses(s, err, err_cap);
    return s->now_ns;
}

void mrct_stage_times(const struct mrct_stage *s, struct mrct_stage_times *t)
{
    *t = s->times;
}
