/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/live/relay.h"

#include "harness/trace/pcapng.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH    32u /* frames of a plane in one turn */
#define RING     1024u
#define SYNC_NS  UINT64_C(500000000) /* between two readings of both clocks */
#define SLEEP_NS UINT64_C(200000000) /* at most */
#define LOOK     64u                 /* turns between two looks at what ends the run */

struct mrct_relay {
    struct mrct_relay_config cfg;
    struct mrct_fab *fab;
    struct mrct_side *side[2];
    struct mrc_net_port *port[2][MRC_EP_PORTS_MAX];
    int link_fd;
    struct mrc_net_stamps stamps;
    uint64_t base_ns; /* of the fabric's time, monotonic */
    uint64_t last_work_ns;
    uint64_t link_news;
    struct mrct_spread added;
    bool capturing[2];
    struct mrct_pcapng pcap[2];
};

/* ---- capture ---- */

static void on_frame(void *user, unsigned side, unsigned plane, bool in, uint64_t stamp_ns,
                     const uint8_t *bytes, size_t len)
{
    struct mrct_relay *const r = user;
    const struct mrct_pcapng_frame f = {
        .iface = plane,
        .dir = in ? MRCT_DIR_IN : MRCT_DIR_OUT,
        .time_ns = stamp_ns,
        .bytes = bytes,
        .cap_len = (uint32_t)len,
        .wire_len = (uint32_t)len,
    };
    mrct_pcapng_frame(&r->pcap[side], &f);
}

static int open_capture(struct mrct_relay *r, unsigned side, char *err, size_t cap)
{
    if (r->cfg.capture[side] == NULL)
        return 0;
    if (mrct_pcapng_open(&r->pcap[side], r->cfg.capture[side], err, cap) != 0)
        return -1;
    r->capturing[side] = true;
    for (unsigned p = 0; p < r->cfg.fab.planes; p++) {
        char words[80];
        (void)snprintf(words, sizeof words, "the fabric's port on plane %u that faces host %u", p,
                       side + 1);
        mrct_pcapng_iface(&r->pcap[side], r->cfg.ifname[side][p], words);
    }
    return 0;
}

int mrct_relay_close(struct mrct_relay *r, char *err, size_t err_cap)
{
    int rc = 0;
    for (unsigned s = 0; s < 2; s++) {
        if (r->capturing[s] && mrct_pcapng_commit(&r->pcap[s], err, err_cap) != 0)
            rc = -1;
        r->capturing[s] = false;
    }
    return rc;
}

/* ---- life ---- */

static int open_port(struct mrct_relay *r, unsigned side, unsigned plane, char *err, size_t cap)
{
    const struct mrc_net_port_config pc = {.ifname = r->cfg.ifname[side][plane],
                                           .frame_max = MRC_NET_JUMBO_MAX,
                                           .rx_slots = r->cfg.ring == 0 ? RING : r->cfg.ring,
                                           .busy_poll_us = r->cfg.busy_poll_us,
                                           .promiscuous = true,
                                           .giants = true,
                                           .qdisc_bypass = r->cfg.qdisc_bypass};
    r->port[side][plane] = mrc_net_port_open(&pc, err, cap);
    return r->port[side][plane] == NULL ? -1 : 0;
}

static int open_side(struct mrct_relay *r, unsigned side, char *err, size_t cap)
{
    for (unsigned p = 0; p < r->cfg.fab.planes; p++)
        if (open_port(r, side, p, err, cap) != 0)
            return -1;
    const struct mrct_side_config sc = {.index = side,
                                        .planes = r->cfg.fab.planes,
                                        .fab = r->fab,
                                        .port = r->port[side],
                                        .wire = &r->cfg.fab.wire,
                                        .far = r->port[1 - side],
                                        .batch = BATCH,
                                        .watch = r->cfg.capture[side] != NULL ? on_frame : NULL,
                                        .user = r};
    r->side[side] = mrct_side_new(&sc);
    if (r->side[side] == NULL) {
        (void)snprintf(err, cap, "out of memory");
        return -1;
    }
    return 0;
}

static int open_all(struct mrct_relay *r, char *err, size_t cap)
{
    r->fab = mrct_fab_new(&r->cfg.fab, r->cfg.seed);
    if (r->fab == NULL) {
        (void)snprintf(err, cap, "the fabric refused its topology");
        return -1;
    }
    r->link_fd = mrc_net_link_watch();
    if (r->link_fd < 0) {
        (void)snprintf(err, cap, "no news of interfaces: %s", strerror(errno));
        return -1;
    }
    if (open_side(r, 0, err, cap) != 0 || open_side(r, 1, err, cap) != 0)
        return -1;
    return open_capture(r, 0, err, cap) != 0 ? -1 : open_capture(r, 1, err, cap);
}

struct mrct_relay *mrct_relay_new(const struct mrct_relay_config *cfg, char *err, size_t err_cap)
{
    struct mrct_relay *const r = calloc(1, sizeof *r);
    if (r == NULL) {
        (void)snprintf(err, err_cap, "out of memory");
        return NULL;
    }
    r->cfg = *cfg;
    /* Else a frame leaves in the turn in which it came. */
    r->cfg.fab.keep_bytes =
        cfg->fab.rate_bps != 0 || cfg->fab.latency_ns != 0 || cfg->fab.latency_step_ns != 0;
    r->cfg.fab.learn_psn = true;
    r->link_fd = -1;
    mrc_net_stamps_sync(&r->stamps);
    if (open_all(r, err, err_cap) == 0)
        return r;
    mrct_relay_free(r);
    return NULL;
}

void mrct_relay_free(struct mrct_relay *r)
{
    if (r == NULL)
        return;
    for (unsigned s = 0; s < 2; s++) {
        if (r->capturing[s])
            mrct_pcapng_abort(&r->pcap[s]);
        mrct_side_free(r->side[s]);
        for (unsigned p = 0; p < r->cfg.fab.planes; p++)
            mrc_net_port_free(r->port[s][p]);
    }
    if (r->link_fd >= 0)
        close(r->link_fd);
    mrct_fab_free(r->fab);
    free(r);
}

struct mrct_fab *mrct_relay_fab(struct mrct_relay *r)
{
    return r->fab;
}

/* ---- a turn ---- */

/* What a fault did to somebody's time, or to the order; these turns say nothing of the fabric's. */
static uint64_t faults(const struct mrct_fab_account *a)
{
    return a->duplicated + a->delayed + a->reordered + a->dropped_rule + a->dropped_random +
           a->dropped_link;
}

static void note_added(struct mrct_relay *r, uint64_t left_ns)
{
    for (unsigned s = 0; s < 2; s++) {
        const uint64_t *stamps = NULL;
        const unsigned n = mrct_side_taken(r->side[s], &stamps);
        for (unsigned i = 0; i < n; i++)
            mrct_spread_add(&r->added, left_ns > stamps[i] ? left_ns - stamps[i] : 0);
    }
}

static unsigned turn(struct mrct_relay *r, uint64_t now_ns)
{
    struct mrct_fab_account before, after;
    const uint64_t *stamps;
    mrct_fab_account_get(r->fab, &before);
    for (unsigned s = 0; s < 2; s++)
        mrct_side_begin(r->side[s], &r->stamps, r->base_ns);
    unsigned others = 0;
    do {
        (void)mrct_fab_pace(r->fab, now_ns - r->base_ns, NULL, NULL);
        others = mrct_side_pass_others(r->side[0], r->side[1]);
        others += mrct_side_pass_others(r->side[1], r->side[0]);
    } while (others > 0);
    mrct_side_flush(r->side[0]);
    mrct_side_flush(r->side[1]);
    mrct_fab_account_get(r->fab, &after);
    if (faults(&before) == faults(&after) && before.in_flight == 0 && after.in_flight == 0)
        note_added(r, mrc_net_now_ns() - r->base_ns);
    return mrct_side_taken(r->side[0], &stamps) + mrct_side_taken(r->side[1], &stamps);
}

/* The fabric's time begins now, unless it already has. */
static uint64_t begin(struct mrct_relay *r)
{
    const uint64_t now_ns = mrc_net_now_ns();
    if (r->base_ns == 0)
        r->base_ns = now_ns;
    return now_ns;
}

unsigned mrct_relay_turn(struct mrct_relay *r)
{
    return turn(r, begin(r));
}

/* ---- between turns ---- */

/* An interface that went down leaves an error at its socket, which would wake us for ever. */
static void clear_error(int fd)
{
    int error;
    socklen_t len = sizeof error;
    (void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
}

void mrct_relay_look(struct mrct_relay *r)
{
    mrc_net_link_drain(r->link_fd);
    for (unsigned s = 0; s < 2; s++) {
        for (unsigned p = 0; p < r->cfg.fab.planes; p++) {
            const struct mrc_net_link was = *mrc_net_port_link(r->port[s][p]);
            if (mrc_net_port_refresh(r->port[s][p]))
                mrct_side_forget(r->side[s], p);
            const struct mrc_net_link *const is = mrc_net_port_link(r->port[s][p]);
            r->link_news += was.index != is->index || was.up != is->up;
        }
    }
}

/* Sleeps until a frame, news of a link, the end, or what the fabric has to do of itself. */
static void rest(struct mrct_relay *r, int stop_fd, uint64_t now_ns, uint64_t until_ns)
{
    struct pollfd fd[2 * MRC_EP_PORTS_MAX + 2];
    nfds_t n = 0;
    for (unsigned s = 0; s < 2; s++)
        for (unsigned p = 0; p < r->cfg.fab.planes; p++)
            fd[n++] = (struct pollfd){.fd = mrc_net_port_fd(r->port[s][p]), .events = POLLIN};
    fd[n++] = (struct pollfd){.fd = stop_fd, .events = POLLIN};
    fd[n++] = (struct pollfd){.fd = r->link_fd, .events = POLLIN};
    const uint64_t next = mrct_fab_next(r->fab);
    uint64_t wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;
    if (next != MRC_TIME_NEVER) {
        const uint64_t at = r->base_ns + next;
        const uint64_t due_ns = at > now_ns ? at - now_ns : 0;
        wait_ns = due_ns < wait_ns ? due_ns : wait_ns;
    }
    wait_ns = wait_ns < SLEEP_NS ? wait_ns : SLEEP_NS;
    const struct timespec t = {.tv_sec = 0, .tv_nsec = (long)wait_ns};
    if (ppoll(fd, n, &t, NULL) <= 0)
        return;
    for (nfds_t i = 0; i + 2 < n; i++)
        if ((fd[i].revents & (POLLERR | POLLHUP)) != 0)
            clear_error(fd[i].fd);
    if (fd[n - 1].revents != 0)
        mrct_relay_look(r);
}

static bool ended(int stop_fd)
{
    struct pollfd fd = {.fd = stop_fd, .events = POLLIN};
    return poll(&fd, 1, 0) > 0;
}

int mrct_relay_run(struct mrct_relay *r, int stop_fd, uint64_t for_ns, char *err, size_t err_cap)
{
    const uint64_t patience_ns = (uint64_t)r->cfg.busy_poll_us * 1000u;
    uint64_t now_ns = begin(r);
    r->last_work_ns = now_ns;
    const uint64_t until_ns = for_ns == MRC_TIME_NEVER ? MRC_TIME_NEVER : now_ns + for_ns;
    for (unsigned turns = 0; now_ns < until_ns && mrct_fab_error(r->fab) == NULL; turns++) {
        if (turns % LOOK == 0 && ended(stop_fd))
            break;
        if (turn(r, now_ns) > 0) {
            r->last_work_ns = now_ns;
        } else if (now_ns - r->last_work_ns >= patience_ns) {
            rest(r, stop_fd, now_ns, until_ns);
            turns = UINT_MAX; /* a look next */
        }
        now_ns = mrc_net_now_ns();
        if (now_ns - r->stamps.synced_ns > SYNC_NS) {
            mrc_net_stamps_sync(&r->stamps);
            mrct_relay_look(r);
        }
    }
    if (mrct_fab_error(r->fab) == NULL)
        return 0;
    (void)snprintf(err, err_cap, "the fabric stopped: %s", mrct_fab_error(r->fab));
    return -1;
}

/* ---- accounts ---- */

static void add_port(struct mrct_relay *r, unsigned s, unsigned p, struct mrct_relay_sum *sum)
{
    const struct mrct_side_counters *const c = mrct_side_counters(r->side[s], p);
    const struct mrc_net_port_counters *const n = mrc_net_port_counters(r->port[s][p]);
    sum->in += c->in;
    sum->out += n->tx_frames;
    sum->others += c->others;
    sum->others_cut += c->others_cut;
    sum->vanished += n->tx_down;
    sum->own_ring += n->rx_ring_full;
    sum->own_long += n->rx_cut;
    sum->own_refused += n->tx_refused;
}

void mrct_relay_sum(struct mrct_relay *r, struct mrct_relay_sum *sum)
{
    *sum = (struct mrct_relay_sum){.link_news = r->link_news};
    for (unsigned s = 0; s < 2; s++)
        for (unsigned p = 0; p < r->cfg.fab.planes; p++)
            add_port(r, s, p, sum);
    sum->elapsed_ns = mrc_net_now_ns() - r->base_ns;
    mrct_fab_account_get(r->fab, &sum->fab);
}

uint64_t mrct_relay_own_losses(const struct mrct_relay_sum *sum)
{
    return sum->own_ring + sum->own_long + sum->own_refused;
}

bool mrct_relay_balanced(struct mrct_relay *r, char *why, size_t cap)
{
    struct mrct_relay_sum sum;
    mrct_relay_sum(r, &sum);
    const struct mrct_fab_account *const a = &sum.fab;
    const uint64_t left = sum.out + sum.vanished + sum.own_refused;
    const uint64_t due = a->delivered + sum.others - sum.others_cut;
    if (sum.in != a->sent + sum.others)
        (void)snprintf(why, cap, "%" PRIu64 " frames came in, but %" PRIu64 " were looked at",
                       sum.in, a->sent + sum.others);
    else if (!mrct_fab_account_balanced(a))
        (void)snprintf(why, cap, "of %" PRIu64 " frames the fabric lost sight of some", a->sent);
    else if (left != due)
        (void)snprintf(why, cap, "%" PRIu64 " frames were due to leave, but %" PRIu64 " did", due,
                       left);
    else
        return true;
    return false;
}

const struct mrct_side_counters *mrct_relay_side(const struct mrct_relay *r, unsigned side,
                                                 unsigned plane)
{
    return mrct_side_counters(r->side[side], plane);
}

const struct mrc_net_port_counters *mrct_relay_port(struct mrct_relay *r, unsigned side,
                                                    unsigned plane)
{
    return mrc_net_port_counters(r->port[side][plane]);
}

const struct mrct_spread *mrct_relay_added(const struct mrct_relay *r)
{
    return &r->added;
}

const struct mrc_net_stamps *mrct_relay_stamps(const struct mrct_relay *r)
{
    return &r->stamps;
}
