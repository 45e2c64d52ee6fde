/* SPDX-License-Identifier: BSD-2-Clause */
/* pcapng: sections of blocks; interfaces with clocks of their own, frames, counts of drops. */
#include "harness/trace/capture_priv.h"
#include "harness/trace/link.h"

#include <stdio.h>
#include <string.h>

/* Of the pcapng specification (draft-ietf-opsawg-pcapng). */
enum {
    BLOCK_SECTION = 0x0A0D0D0A,
    BLOCK_INTERFACE = 1,
    BLOCK_PACKET_OLD = 2,
    BLOCK_PACKET_SIMPLE = 3,
    BLOCK_STATISTICS = 5,
    BLOCK_PACKET = 6,
    BYTE_ORDER = 0x1A2B3C4D,
    BLOCK_MIN = 12,       /* type and both lengths */
    BLOCK_MAX = 16 << 20, /* a longer one makes no sense */
    OPT_END = 0,
    OPT_COMMENT = 1,
    OPT_IF_NAME = 2,
    OPT_IF_DESCR = 3,
    OPT_IF_TSRESOL = 9,
    OPT_IF_TSOFFSET = 14,
    OPT_DROPCOUNT = 4,
    OPT_ISB_IFRECV = 4,
    OPT_ISB_IFDROP = 5,
    OPT_ISB_OSDROP = 7,
    TEXT_MAX = 256,
};

/* Options of a block on their way: what is left, and the option at hand. */
struct options {
    const uint8_t *at, *end;
    bool swapped;
    unsigned code;
    const uint8_t *value;
    size_t len;
};

static bool next_option(struct options *o)
{
    if (o->end - o->at < 4)
        return false;
    o->code = mrct_load16(o->at, o->swapped);
    o->len = mrct_load16(o->at + 2, o->swapped);
    o->value = o->at + 4;
    const size_t room = (o->len + 3) & ~(size_t)3;
    if (o->code == OPT_END || (size_t)(o->end - o->value) < room)
        return false;
    o->at = o->value + room;
    return true;
}

static uint64_t option_u64(const struct options *o)
{
    if (o->len < 8)
        return 0;
    const uint64_t a = mrct_load32(o->value, o->swapped), b = mrct_load32(o->value + 4, o->swapped);
    /* The halves stand in the file's own order. */
    const bool big = o->swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    return big ? a << 32 | b : b << 32 | a;
}

static void option_text(const struct options *o, char text[TEXT_MAX])
{
    const size_t len = o->len < TEXT_MAX ? o->len : TEXT_MAX - 1;
    memcpy(text, o->value, len);
    text[len] = '\0';
}

bool mrct_capture_is_pcapng(const uint8_t first[4])
{
    return mrct_load32(first, false) == BLOCK_SECTION; /* the same in both byte orders */
}

static void set_resolution(struct capture_clock *k, uint8_t resol)
{
    const unsigned power = resol & 0x7F;
    k->per_s = 1;
    if ((resol & 0x80) != 0)
        k->per_s = power < 63 ? UINT64_C(1) << power : 0;
    for (unsigned i = 0; (resol & 0x80) == 0 && i < power; i++)
        k->per_s = power <= 18 ? k->per_s * 10 : 0;
    k->ns = k->per_s != 0 && MRCT_NS_PER_S % k->per_s == 0 ? MRCT_NS_PER_S / k->per_s : 0;
}

static uint64_t time_of(const struct capture_clock *k, uint64_t units)
{
    uint64_t ns;
    if (k->ns != 0) {
        ns = units * k->ns;
    } else {
        const uint64_t s = units / k->per_s, rest = units % k->per_s;
        ns = s * MRCT_NS_PER_S + (uint64_t)((double)rest / (double)k->per_s * 1e9);
    }
    return ns + (uint64_t)k->offset_s * MRCT_NS_PER_S;
}

static enum mrct_capture_state take_interface(struct mrct_capture *c, const uint8_t *p, size_t len)
{
    char name[TEXT_MAX] = "", descr[TEXT_MAX] = "", comment[TEXT_MAX] = "";
    struct capture_clock clock = {.per_s = 1000000, .ns = 1000};
    if (len < 8)
        return mrct_capture_damaged(c, "an interface block is too short");
    struct options o = {.at = p + 8, .end = p + len, .swapped = c->swapped};
    while (next_option(&o)) {
        if (o.code == OPT_IF_NAME)
            option_text(&o, name);
        else if (o.code == OPT_IF_DESCR)
            option_text(&o, descr);
        else if (o.code == OPT_COMMENT)
            option_text(&o, comment);
        else if (o.code == OPT_IF_TSRESOL && o.len > 0)
            set_resolution(&clock, o.value[0]);
        else if (o.code == OPT_IF_TSOFFSET)
            clock.offset_s = (int64_t)option_u64(&o);
    }
    if (clock.per_s == 0)
        return mrct_capture_damaged(c, "an interface's clock is finer than anything known");
    const struct mrct_capture_iface iface = {.name = name,
                                             .description = descr,
                                             .comment = comment,
                                             .link = mrct_load16(p, c->swapped),
                                             .snap_len = mrct_load32(p + 4, c->swapped)};
    if (mrct_capture_add_iface(c, &iface, &clock) != 0)
        return mrct_capture_damaged(c, "too many interfaces, or no memory for them");
    return MRCT_CAPTURE_FRAME;
}

static enum mrct_capture_state take_statistics(struct mrct_capture *c, const uint8_t *p, size_t len)
{
    if (len < 12)
        return mrct_capture_damaged(c, "a statistics block is too short");
    const size_t i = c->section_base + mrct_load32(p, c->swapped);
    if (i >= c->iface_count)
        return MRCT_CAPTURE_FRAME; /* of an interface that nobody described: of no use */
    uint64_t if_drop = 0, os_drop = 0;
    struct mrct_capture_iface *const iface = &c->ifaces[i];
    struct options o = {.at = p + 12, .end = p + len, .swapped = c->swapped};
    while (next_option(&o)) {
        if (o.code == OPT_ISB_IFRECV)
            iface->received = option_u64(&o);
        else if (o.code == OPT_ISB_IFDROP)
            if_drop = option_u64(&o);
        else if (o.code == OPT_ISB_OSDROP)
            os_drop = option_u64(&o);
    }
    iface->have_counts = true;
    iface->dropped_iface = if_drop;
    iface->dropped_os = os_drop;
    if (if_drop + os_drop > iface->dropped)
        iface->dropped = if_drop + os_drop;
    return MRCT_CAPTURE_FRAME;
}

/* Sets the interface of a frame; its link type must be one that is read. */
static enum mrct_capture_state from_iface(struct mrct_capture *c, struct mrct_capture_frame *f,
                                          uint32_t id)
{
    char why[300];
    const size_t i = c->section_base + id;
    if (i >= c->iface_count)
        return mrct_capture_damaged(c, "a frame names an interface that is not described");
    f->iface = (uint32_t)i;
    f->link = c->ifaces[i].link;
    if (f->link != MRCT_LINK_ETHERNET &&
        !mrct_capture_link_ok(c->name, f->link, why, sizeof(why))) {
        snprintf(c->message, sizeof(c->message), "%s", why);
        return MRCT_CAPTURE_BAD;
    }
    return MRCT_CAPTURE_FRAME;
}

/* A frame of len bytes whose head takes head bytes of the block's body. */
static enum mrct_capture_state frame_body(struct mrct_capture *c, struct mrct_capture_frame *f,
                                          const uint8_t *p, size_t body, size_t head)
{
    if (f->raw_len > MRCT_CAPTURE_SNAP_MAX || f->raw_len > body - head)
        return mrct_capture_damaged(c, "a frame is longer than its block");
    f->raw = p + head;
    return MRCT_CAPTURE_FRAME;
}

static void packet_options(struct mrct_capture *c, struct mrct_capture_frame *f, const uint8_t *p,
                           const uint8_t *end)
{
    struct options o = {.at = p, .end = end, .swapped = c->swapped};
    while (next_option(&o))
        if (o.code == OPT_DROPCOUNT)
            f->dropped_before = option_u64(&o);
    struct mrct_capture_iface *const iface = &c->ifaces[f->iface];
    if (f->dropped_before > 0) {
        iface->have_counts = true;
        iface->dropped += f->dropped_before;
    }
}

static enum mrct_capture_state take_packet(struct mrct_capture *c, struct mrct_capture_frame *f,
                                           const uint8_t *p, size_t body, bool old)
{
    if (body < 20)
        return mrct_capture_damaged(c, "a frame's block is too short");
    const uint32_t id = old ? mrct_load16(p, c->swapped) : mrct_load32(p, c->swapped);
    enum mrct_capture_state state = from_iface(c, f, id);
    if (state != MRCT_CAPTURE_FRAME)
        return state;
    f->time_ns = time_of(&c->clocks[f->iface], (uint64_t)mrct_load32(p + 4, c->swapped) << 32 |
                                                   mrct_load32(p + 8, c->swapped));
    f->raw_len = mrct_load32(p + 12, c->swapped);
    f->raw_wire_len = mrct_load32(p + 16, c->swapped);
    state = frame_body(c, f, p, body, 20);
    const size_t used = 20 + (((size_t)f->raw_len + 3) & ~(size_t)3);
    if (state == MRCT_CAPTURE_FRAME && !old && used + 4 <= body)
        packet_options(c, f, p + used, p + body);
    return state;
}

static enum mrct_capture_state take_simple(struct mrct_capture *c, struct mrct_capture_frame *f,
                                           const uint8_t *p, size_t body)
{
    if (body < 4)
        return mrct_capture_damaged(c, "a frame's block is too short");
    const enum mrct_capture_state state = from_iface(c, f, 0);
    if (state != MRCT_CAPTURE_FRAME)
        return state;
    const uint32_t snap = c->ifaces[f->iface].snap_len;
    f->raw_wire_len = mrct_load32(p, c->swapped);
    f->raw_len = snap != 0 && f->raw_wire_len > snap ? snap : f->raw_wire_len;
    f->time_ns = 0; /* such a block has no time */
    return frame_body(c, f, p, body, 4);
}

/* A section header tells the byte order of what follows, its own length with it. */
static enum mrct_capture_state section_order(struct mrct_capture *c)
{
    const uint8_t *const p = mrct_source_need(&c->src, 12);
    if (p == NULL)
        return mrct_capture_ended(c);
    c->swapped = mrct_load32(p + 8, false) != BYTE_ORDER;
    if (mrct_load32(p + 8, c->swapped) != BYTE_ORDER)
        return mrct_capture_damaged(c, "a section has no byte order");
    c->section_base = c->iface_count;
    return MRCT_CAPTURE_FRAME;
}

static enum mrct_capture_state take_block(struct mrct_capture *c, struct mrct_capture_frame *f,
                                          uint32_t type, const uint8_t *p, size_t body, bool *got)
{
    *got = true;
    switch (type) {
    case BLOCK_PACKET:
        return take_packet(c, f, p, body, false);
    case BLOCK_PACKET_OLD:
        return take_packet(c, f, p, body, true);
    case BLOCK_PACKET_SIMPLE:
        return take_simple(c, f, p, body);
    default:
        *got = false;
        return type == BLOCK_INTERFACE    ? take_interface(c, p, body)
               : type == BLOCK_STATISTICS ? take_statistics(c, p, body)
                                          : MRCT_CAPTURE_FRAME;
    }
}

static enum mrct_capture_state read_block(struct mrct_capture *c, struct mrct_capture_frame *f)
{
    f->dropped_before = 0;
    for (;;) {
        bool got;
        enum mrct_capture_state state = MRCT_CAPTURE_FRAME;
        const uint8_t *p = mrct_source_need(&c->src, 8);
        if (p == NULL)
            return mrct_capture_ended(c);
        const bool section = mrct_capture_is_pcapng(p);
        if (section && (state = section_order(c)) != MRCT_CAPTURE_FRAME)
            return state;
        p = c->src.at;
        const uint32_t type = mrct_load32(p, c->swapped), len = mrct_load32(p + 4, c->swapped);
        if (len < BLOCK_MIN || len > BLOCK_MAX || len % 4 != 0)
            return mrct_capture_damaged(c, "a block's length makes no sense");
        p = mrct_source_need(&c->src, len);
        if (p == NULL)
            return mrct_capture_ended(c);
        if (mrct_load32(p + len - 4, c->swapped) != len)
            return mrct_capture_damaged(c, "a block's two lengths differ");
        state = take_block(c, f, type, p + 8, len - BLOCK_MIN, &got);
        if (state != MRCT_CAPTURE_FRAME)
            return state;
        mrct_source_skip(&c->src, len);
        if (got)
            return MRCT_CAPTURE_FRAME;
    }
}

int mrct_capture_begin_pcapng(struct mrct_capture *c, char *err, size_t err_cap)
{
    const uint8_t *const p = mrct_source_need(&c->src, 12);
    const bool good = p != NULL && (mrct_load32(p + 8, false) == BYTE_ORDER ||
                                    mrct_load32(p + 8, true) == BYTE_ORDER);
    if (!good) {
        snprintf(err, err_cap, "%s: is no pcap or pcapng capture: its header is cut", c->name);
        return -1;
    }
    c->read = read_block;
    return 0;
}
