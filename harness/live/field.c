/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/live/field.h"

#include "harness/live/ports.h"
#include "harness/live/side.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RING      1024u
#define BATCH     16u              /* frames of a plane in one turn */
#define HOLD_NS   UINT64_C(500000) /* by which the kernel may show a frame later than a later one */
#define REST_NS   UINT64_C(500000) /* at most, without a frame: a device is asked for news then */
#define MOMENT_NS UINT64_C(60000000)
#define SYNC_NS   UINT64_C(500000000)

struct mrct_field {
    struct mrct_field_config cfg;
    struct mrc_net_port *port[2][MRC_EP_PORTS_MAX];
    struct mrc_net_stamps stamps;
    uint64_t frames;
    struct mrc_net_port_counters lost; /* before the case that is on */
    /* The case that is on. */
    struct mrct_fab *fab;
    struct mrct_side *side[2]; /* NULL: the host's device is in this process */
    struct mrct_dut *dut[2];
    unsigned planes;
    uint64_t base_ns;
};

/* ---- the place ---- */

static int open_ports(struct mrct_field *f, unsigned h, char *err, size_t cap)
{
    for (unsigned p = 0; p < f->cfg.planes[h]; p++) {
        const struct mrc_net_port_config c = {
            .ifname = f->cfg.ifname[h][p], .rx_slots = RING, .promiscuous = true};
        f->port[h][p] = mrc_net_port_open(&c, err, cap);
        if (f->port[h][p] == NULL)
            return -1;
    }
    return 0;
}

struct mrct_field *mrct_field_new(const struct mrct_field_config *cfg, char *err, size_t err_cap)
{
    struct mrct_field *const f = calloc(1, sizeof *f);
    if (f == NULL) {
        (void)snprintf(err, err_cap, "out of memory");
        return NULL;
    }
    f->cfg = *cfg;
    mrc_net_stamps_sync(&f->stamps);
    if (open_ports(f, 0, err, err_cap) == 0 && open_ports(f, 1, err, err_cap) == 0)
        return f;
    mrct_field_free(f);
    return NULL;
}

static void leave(struct mrct_field *f)
{
    for (unsigned h = 0; h < 2; h++) {
        mrct_side_free(f->side[h]);
        f->side[h] = NULL;
    }
}

void mrct_field_free(struct mrct_field *f)
{
    if (f == NULL)
        return;
    leave(f);
    for (unsigned h = 0; h < 2; h++)
        for (unsigned p = 0; p < f->cfg.planes[h]; p++)
            mrc_net_port_free(f->port[h][p]);
    free(f);
}

static struct mrc_net_port_counters losses(const struct mrct_field *f)
{
    struct mrc_net_port_counters sum = {0};
    for (unsigned h = 0; h < 2; h++)
        mrct_ports_add_losses(f->port[h], f->cfg.planes[h], &sum);
    return sum;
}

static int make_side(struct mrct_field *f, unsigned h, const struct mrc_wire_config *wire)
{
    const struct mrct_side_config c = {.index = h,
                                       .planes = f->planes,
                                       .fab = f->fab,
                                       .port = f->port[h],
                                       .wire = wire,
                                       .batch = BATCH,
                                       .at_once = true,
                                       .in_step = true,
                                       .hold_ns = f->planes > 1 ? HOLD_NS : 0};
    if (f->cfg.planes[h] == 0)
        return 0;
    f->side[h] = mrct_side_new(&c);
    return f->side[h] != NULL ? 0 : -1;
}

int mrct_field_enter(struct mrct_field *f, struct mrct_fab *fab, unsigned planes,
                     const struct mrc_wire_config *wire, struct mrct_dut *const dut[2], char *err,
                     size_t err_cap)
{
    leave(f);
    f->fab = fab;
    f->planes = planes;
    for (unsigned h = 0; h < 2; h++) {
        f->dut[h] = dut[h];
        if (f->cfg.planes[h] > 0 && f->cfg.planes[h] < planes) {
            (void)snprintf(err, err_cap, "%u planes are needed, and %u interfaces lead to host%u",
                           planes, f->cfg.planes[h], h + 1);
            return -1;
        }
        mrct_ports_sweep(f->port[h], f->cfg.planes[h]);
        if (make_side(f, h, wire) != 0) {
            (void)snprintf(err, err_cap, "out of memory");
            return -1;
        }
    }
    f->lost = losses(f);
    mrc_net_stamps_sync(&f->stamps);
    f->base_ns = mrc_net_now_ns();
    return 0;
}

/* ---- the play ---- */

static unsigned pass_others(struct mrct_field *f)
{
    unsigned n = 0;
    for (unsigned h = 0; h < 2; h++)
        if (f->side[h] != NULL)
            n += f->side[1 - h] != NULL ? mrct_side_pass_others(f->side[h], f->side[1 - h])
                                        : mrct_side_drop_others(f->side[h]);
    return n;
}

static unsigned turn(struct mrct_field *f, uint64_t now_ns)
{
    const uint64_t *stamps;
    const uint64_t next_ns = mrct_fab_next(f->fab);
    unsigned moved = 0;
    for (unsigned h = 0; h < 2; h++) {
        if (f->side[h] != NULL) {
            mrct_side_begin(f->side[h], &f->stamps, f->base_ns);
        } else if (f->dut[h]->ops->deadline(f->dut[h]) <= now_ns) {
            f->dut[h]->ops->tick(f->dut[h], now_ns);
            moved++;
        }
    }
    do {
        (void)mrct_fab_pace(f->fab, now_ns, NULL, NULL);
    } while (pass_others(f) > 0);
    for (unsigned h = 0; h < 2; h++) {
        if (f->side[h] == NULL)
            continue;
        mrct_side_flush(f->side[h]);
        const unsigned taken = mrct_side_taken(f->side[h], &stamps);
        f->frames += taken;
        moved += taken;
    }
    return moved + (next_ns <= now_ns);
}

/* When somebody in this process has something to do of itself. */
static uint64_t next_time(const struct mrct_field *f)
{
    uint64_t next = mrct_fab_next(f->fab);
    for (unsigned h = 0; h < 2; h++) {
        const uint64_t due =
            f->side[h] == NULL ? f->dut[h]->ops->deadline(f->dut[h]) : MRC_TIME_NEVER;
        next = due < next ? due : next;
    }
    return next;
}

static void rest(const struct mrct_field *f, uint64_t now_ns)
{
    struct pollfd fd[2 * MRC_EP_PORTS_MAX];
    nfds_t n = 0;
    const uint64_t next_ns = next_time(f);
    const uint64_t due_ns = next_ns > now_ns ? next_ns - now_ns : 0;
    const struct timespec t = {.tv_nsec = (long)(due_ns < REST_NS ? due_ns : REST_NS)};
    for (unsigned h = 0; h < 2; h++)
        for (unsigned p = 0; p < f->planes && f->side[h] != NULL; p++)
            fd[n++] = (struct pollfd){.fd = mrc_net_port_fd(f->port[h][p]), .events = POLLIN};
    (void)ppoll(fd, n, &t, NULL);
}

static bool waits_for_nothing(const struct mrct_field *f)
{
    for (unsigned h = 0; h < 2; h++)
        if (f->side[h] != NULL && f->dut[h]->ops->deadline(f->dut[h]) != MRC_TIME_NEVER)
            return false;
    return true;
}

uint64_t mrct_field_play(struct mrct_field *f, uint64_t limit_ns, uint64_t quiet_ns,
                         void (*step)(void *run, uint64_t now_ns), void *run, char *err,
                         size_t err_cap)
{
    uint64_t now_ns = mrc_net_now_ns() - f->base_ns;
    uint64_t moved_ns = now_ns;
    err[0] = '\0';
    while (now_ns < limit_ns && mrct_fab_error(f->fab) == NULL) {
        if (turn(f, now_ns) > 0)
            moved_ns = now_ns;
        else if (now_ns - moved_ns >= (waits_for_nothing(f) ? MOMENT_NS : quiet_ns) &&
                 next_time(f) == MRC_TIME_NEVER)
            break;
        else
            rest(f, now_ns);
        step(run, now_ns);
        now_ns = mrc_net_now_ns() - f->base_ns;
        if (now_ns + f->base_ns - f->stamps.synced_ns > SYNC_NS)
            mrc_net_stamps_sync(&f->stamps);
    }
    const struct mrc_net_port_counters lost = losses(f);
    mrct_ports_tell_losses(&f->lost, &lost, err, err_cap);
    return now_ns < limit_ns ? now_ns : limit_ns;
}

uint64_t mrct_field_late(const struct mrct_field *f)
{
    uint64_t late_ns = 0;
    for (unsigned h = 0; h < 2; h++)
        if (f->side[h] != NULL && mrct_side_late(f->side[h]) > late_ns)
            late_ns = mrct_side_late(f->side[h]);
    return late_ns;
}

uint64_t mrct_field_frames(const struct mrct_field *f)
{
    return f->frames;
}
