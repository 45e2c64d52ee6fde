/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/live/side.h"

#include "harness/live/checksum.h"
#include "ref/net/merge.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE   64u /* frames of a plane queued before they are sent */
#define WAIT_MS 20  /* for room in the kernel, before the interface is looked at again */

struct plane {
    struct mrc_net_port *port;
    struct mrc_net_rx rx; /* the first frame of the ring, when looked_at */
    bool looked_at;       /* rx is good, and still in the ring */
    bool taken;           /* the fabric has it: to be given back */
    bool other;           /* it is not MRC */
    bool parsed;          /* the codec takes it: it is `frame` */
    struct mrc_frame frame;
    unsigned budget; /* frames it may still give in this turn */
    uint8_t *bytes;  /* QUEUE buffers of MRC_NET_JUMBO_MAX */
    unsigned next;   /* the buffer to be used next */
    struct mrct_side_counters count;
};

struct mrct_side {
    struct mrct_dut dut; /* first */
    struct mrct_side_config cfg;
    struct plane plane[MRC_EP_PORTS_MAX];
    struct mrc_net_stamps *stamps;
    uint64_t base_ns;
    uint64_t late_ns;
    uint64_t *stamp; /* of the frames taken in this turn */
    unsigned taken;
};

static struct mrct_side *side_of(struct mrct_dut *d)
{
    return (struct mrct_side *)d;
}

static void give_back(struct plane *pl)
{
    if (pl->looked_at && pl->taken) {
        mrc_net_port_rx_keep(pl->port);
        pl->looked_at = false;
        pl->taken = false;
    }
}

static bool is_other(const struct mrct_side *s, const struct mrc_net_rx *rx)
{
    struct mrc_pkt p;
    return mrc_pkt_decode(s->cfg.wire, rx->bytes, rx->len, rx->len, false, &p) == MRC_WIRE_NOT_MRC;
}

void mrct_side_as_it_is(const struct mrc_wire_config *wire, const struct mrc_net_rx *rx,
                        struct mrc_frame *f)
{
    struct mrc_pkt p;
    size_t len = rx->len;
    (void)mrc_pkt_decode(wire, rx->bytes, len, len, true, &p);
    *f = (struct mrc_frame){.icrc_state = MRC_ICRC_ABSENT};
    if (p.icrc_state == MRC_ICRC_VALID || p.icrc_state == MRC_ICRC_WRONG) {
        const uint8_t last[4] = {(uint8_t)p.icrc, (uint8_t)(p.icrc >> 8), (uint8_t)(p.icrc >> 16),
                                 (uint8_t)(p.icrc >> 24)};
        if (memcmp(rx->bytes + len - sizeof last, last, sizeof last) == 0) {
            f->icrc_state = p.icrc_state;
            f->icrc = p.icrc;
            len -= sizeof last;
        }
    }
    const size_t hdr = len < MRC_FRAME_HDR_MAX ? len : MRC_FRAME_HDR_MAX;
    memcpy(f->hdr, rx->bytes, hdr);
    f->hdr_len = (uint16_t)hdr;
    f->payload_len = (uint32_t)(len - hdr);
    f->payload = f->payload_len > 0 ? rx->bytes + hdr : NULL;
}

bool mrct_side_fits(const struct mrc_net_rx *rx)
{
    return rx->len > 0 && rx->len <= MRC_FRAME_HDR_MAX + MRC_PAYLOAD_MAX;
}

/* Looks at the first frame of the ring; false: there is none, or it is not for the fabric. */
static bool look(struct mrct_side *s, struct plane *pl)
{
    give_back(pl);
    if (pl->looked_at)
        return !pl->other;
    if (!mrc_net_port_rx(pl->port, &pl->rx))
        return false;
    pl->looked_at = true;
    if (pl->rx.checksum_due && pl->rx.offload == NULL) /* the ring is ours to write */
        mrct_checksum_complete((uint8_t *)pl->rx.bytes, pl->rx.len);
    pl->parsed = mrc_frame_parse(s->cfg.wire, pl->rx.bytes, pl->rx.len, &pl->frame) == 0;
    pl->other =
        !pl->parsed && (!mrct_side_fits(&pl->rx) || (!s->cfg.all_enter && is_other(s, &pl->rx)));
    return !pl->other;
}

static uint64_t stamp_of(struct mrct_side *s, const struct mrc_net_rx *rx)
{
    const uint64_t at = mrc_net_stamps_at(s->stamps, rx->sec, rx->nsec, mrc_net_now_ns());
    return at > s->base_ns ? at - s->base_ns : 0;
}

static void note_in(struct mrct_side *s, unsigned plane)
{
    struct plane *const pl = &s->plane[plane];
    const uint64_t at = stamp_of(s, &pl->rx);
    const uint64_t now = mrc_net_now_ns() - s->base_ns;
    s->late_ns = now > at && now - at > s->late_ns ? now - at : s->late_ns;
    pl->count.in++;
    pl->count.in_bytes += pl->rx.len;
    pl->budget--;
    if (s->taken < s->cfg.batch * s->cfg.planes)
        s->stamp[s->taken++] = at;
    if (s->cfg.watch != NULL)
        s->cfg.watch(s->cfg.user, s->cfg.index, plane, true, at, pl->rx.bytes, pl->rx.len);
}

static bool is_held(struct mrct_side *s, const struct mrc_net_rx *rx)
{
    if (s->cfg.hold_ns == 0)
        return false;
    const uint64_t at_ns = s->base_ns + stamp_of(s, rx), now_ns = mrc_net_now_ns();
    return at_ns < now_ns && now_ns - at_ns < s->cfg.hold_ns;
}

/* The plane whose first frame came first, so that planes keep their order; -1: none has one. */
static int first_plane(struct mrct_side *s, uint64_t port_free_mask)
{
    int first = -1;
    for (unsigned p = 0; p < s->cfg.planes; p++) {
        struct plane *const pl = &s->plane[p];
        const bool may = s->cfg.in_step || ((port_free_mask >> p & 1) != 0 && pl->budget > 0);
        if (may && look(s, pl) && (first < 0 || mrc_net_rx_earlier(&pl->rx, &s->plane[first].rx)))
            first = (int)p;
    }
    if (first < 0 || (port_free_mask >> first & 1) == 0)
        return -1;
    const struct plane *const pl = &s->plane[first];
    return pl->budget > 0 && !is_held(s, &pl->rx) ? first : -1;
}

static int side_output(struct mrct_dut *d, uint64_t now_ns, uint64_t port_free_mask,
                       struct mrc_frame *out)
{
    struct mrct_side *const s = side_of(d);
    (void)now_ns;
    const int p = first_plane(s, port_free_mask);
    if (p < 0)
        return -1;
    struct plane *const pl = &s->plane[p];
    if (!pl->parsed)
        mrct_side_as_it_is(s->cfg.wire, &pl->rx, out);
    else
        *out = pl->frame;
    pl->taken = true;
    note_in(s, (unsigned)p);
    pl->count.mrc++;
    return p;
}

/* Waits while the kernel's buffer is full: nothing is dropped for that. */
static void flush(struct plane *pl)
{
    while (!mrc_net_port_flush(pl->port)) {
        struct pollfd fd = {.fd = mrc_net_port_fd(pl->port), .events = POLLOUT};
        (void)poll(&fd, 1, WAIT_MS);
    }
}

/* Room for one more frame: sends until the kernel takes some, or the interface is no more. */
static uint8_t *room(struct plane *pl)
{
    if (mrc_net_port_room(pl->port) == 0)
        flush(pl);
    uint8_t *const at = pl->bytes + (size_t)pl->next * MRC_NET_JUMBO_MAX;
    pl->next = (pl->next + 1) % QUEUE;
    return at;
}

static void put(struct mrct_side *s, unsigned plane, const uint8_t *bytes, size_t len)
{
    mrc_net_port_put_bytes(s->plane[plane].port, bytes, len);
    if (s->cfg.watch != NULL)
        s->cfg.watch(s->cfg.user, s->cfg.index, plane, false, mrc_net_now_ns() - s->base_ns, bytes,
                     len);
    if (s->cfg.at_once)
        flush(&s->plane[plane]);
}

/* The bytes stay where they are until they are sent, and nobody wants to see them in a row. */
static bool lies_still(const struct mrct_side *s, unsigned plane, const struct mrc_frame *f)
{
    return s->cfg.watch == NULL && s->cfg.far != NULL && f->payload_len > 0 &&
           mrc_net_port_holds(s->cfg.far[plane], f->payload);
}

static void side_input(struct mrct_dut *d, uint64_t now_ns, unsigned port,
                       const struct mrc_frame *f)
{
    struct mrct_side *const s = side_of(d);
    struct plane *const pl = &s->plane[port];
    (void)now_ns;
    pl->count.delivered++;
    if (lies_still(s, port, f)) {
        (void)room(pl);
        (void)mrc_net_port_put(pl->port, s->cfg.wire, f);
        return;
    }
    uint8_t *const bytes = room(pl);
    const size_t len = mrc_frame_gather(s->cfg.wire, f, bytes, MRC_NET_JUMBO_MAX);
    put(s, port, bytes, len);
}

static uint64_t side_deadline(const struct mrct_dut *d)
{
    (void)d;
    return MRC_TIME_NEVER;
}

static void side_tick(struct mrct_dut *d, uint64_t now_ns)
{
    (void)d;
    (void)now_ns;
}

/* Only frames pass here: nobody plays an application on it. */
static const struct mrct_dut_ops side_ops = {
    .input = side_input, .output = side_output, .deadline = side_deadline, .tick = side_tick};

struct mrct_side *mrct_side_new(const struct mrct_side_config *cfg)
{
    struct mrct_side *const s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->dut = (struct mrct_dut){.ops = &side_ops, .name = "interfaces"};
    s->cfg = *cfg;
    s->stamp = calloc((size_t)cfg->planes * cfg->batch, sizeof *s->stamp);
    bool good = s->stamp != NULL;
    for (unsigned p = 0; p < cfg->planes; p++) {
        s->plane[p].port = cfg->port[p];
        s->plane[p].bytes = malloc((size_t)QUEUE * MRC_NET_JUMBO_MAX);
        good = good && s->plane[p].bytes != NULL;
    }
    if (!good) {
        mrct_side_free(s);
        return NULL;
    }
    mrct_fab_attach(cfg->fab, cfg->index, &s->dut);
    return s;
}

void mrct_side_free(struct mrct_side *s)
{
    if (s == NULL)
        return;
    for (unsigned p = 0; p < s->cfg.planes; p++) {
        give_back(&s->plane[p]);
        free(s->plane[p].bytes);
    }
    free(s->stamp);
    free(s);
}

void mrct_side_begin(struct mrct_side *s, struct mrc_net_stamps *stamps, uint64_t base_ns)
{
    s->stamps = stamps;
    s->base_ns = base_ns;
    s->taken = 0;
    for (unsigned p = 0; p < s->cfg.planes; p++) {
        give_back(&s->plane[p]);
        mrc_net_port_rx_release(s->plane[p].port);
        s->plane[p].budget = s->cfg.batch;
    }
}

/* As it came, uncut. */
static void send_giant(struct mrct_side *s, unsigned plane, const struct mrc_net_rx *rx)
{
    struct plane *const pl = &s->plane[plane];
    while (!mrc_net_port_send_giant(pl->port, rx)) {
        struct pollfd fd = {.fd = mrc_net_port_fd(pl->port), .events = POLLOUT};
        (void)poll(&fd, 1, WAIT_MS);
    }
    if (s->cfg.watch != NULL)
        s->cfg.watch(s->cfg.user, s->cfg.index, plane, false, mrc_net_now_ns() - s->base_ns,
                     rx->bytes, rx->len);
}

static void pass(struct mrct_side *s, struct mrct_side *far, unsigned plane)
{
    struct plane *const pl = &s->plane[plane];
    struct plane *const to = &far->plane[plane];
    note_in(s, plane);
    pl->count.others++;
    if (pl->rx.offload != NULL && mrct_fab_plane_up(s->cfg.fab, plane)) {
        to->count.others_out++;
        send_giant(far, plane, &pl->rx);
    } else if (mrct_fab_plane_up(s->cfg.fab, plane)) {
        uint8_t *const bytes = room(to);
        memcpy(bytes, pl->rx.bytes, pl->rx.len);
        to->count.others_out++;
        put(far, plane, bytes, pl->rx.len);
    } else {
        pl->count.others_cut++;
    }
    pl->taken = true;
    give_back(pl);
}

unsigned mrct_side_drop_others(struct mrct_side *s)
{
    unsigned dropped = 0;
    for (unsigned p = 0; p < s->cfg.planes; p++) {
        struct plane *const pl = &s->plane[p];
        for (; pl->budget > 0 && pl->looked_at && pl->other; dropped++) {
            note_in(s, p);
            pl->count.others++;
            pl->count.others_cut++;
            pl->taken = true;
            (void)look(s, pl);
        }
    }
    return dropped;
}

unsigned mrct_side_pass_others(struct mrct_side *s, struct mrct_side *far)
{
    unsigned passed = 0;
    for (unsigned p = 0; p < s->cfg.planes; p++) {
        struct plane *const pl = &s->plane[p];
        while (pl->budget > 0 && pl->looked_at && pl->other) {
            pass(s, far, p);
            passed++;
            (void)look(s, pl);
        }
    }
    return passed;
}

void mrct_side_flush(struct mrct_side *s)
{
    for (unsigned p = 0; p < s->cfg.planes; p++)
        flush(&s->plane[p]);
}

unsigned mrct_side_taken(const struct mrct_side *s, const uint64_t **stamps)
{
    *stamps = s->stamp;
    return s->taken;
}

const struct mrct_side_counters *mrct_side_counters(const struct mrct_side *s, unsigned plane)
{
    return &s->plane[plane].count;
}

uint64_t mrct_side_late(const struct mrct_side *s)
{
    return s->late_ns;
}

bool mrct_side_waiting(const struct mrct_side *s, unsigned plane)
{
    const struct plane *const pl = &s->plane[plane];
    return (pl->looked_at && !pl->taken) || mrc_net_port_rx_ready(pl->port);
}

void mrct_side_forget(struct mrct_side *s, unsigned plane)
{
    s->plane[plane].looked_at = false;
    s->plane[plane].taken = false;
}
