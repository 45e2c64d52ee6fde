/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/trace/pcapng.h"

#include <string.h>

/* Block and option types of the pcapng specification (draft-ietf-opsawg-pcapng). */
enum {
    BLOCK_SECTION = 0x0A0D0D0A,
    BLOCK_INTERFACE = 1,
    BLOCK_STATISTICS = 5,
    BLOCK_PACKET = 6,
    BYTE_ORDER = 0x1A2B3C4D,
    LINK_ETHERNET = 1,
    OPT_END = 0,
    OPT_COMMENT = 1,
    OPT_USERAPPL = 4,
    OPT_IF_NAME = 2,
    OPT_IF_DESCR = 3,
    OPT_IF_TSRESOL = 9,
    OPT_FLAGS = 2,
    OPT_DROPCOUNT = 4,
    OPT_ISB_IFRECV = 4,
    OPT_ISB_IFDROP = 5,
    OPT_ISB_OSDROP = 7,
    BLOCK_FRAME = 12, /* type and the two lengths around every block's body */
    OPT_MAX = 65535,
};

static const uint8_t zeroes[4] = {0, 0, 0, 0};

static uint32_t pad4(size_t len)
{
    return (uint32_t)(-len & 3u);
}

static void put(struct mrct_pcapng *w, const void *bytes, size_t len)
{
    if (len > 0)
        fwrite(bytes, 1, len, w->out.file); /* the stream remembers an error until commit */
}

static void put16(struct mrct_pcapng *w, unsigned v)
{
    const uint8_t b[2] = {(uint8_t)v, (uint8_t)(v >> 8)};
    put(w, b, sizeof(b));
}

static void put32(struct mrct_pcapng *w, uint32_t v)
{
    const uint8_t b[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
    put(w, b, sizeof(b));
}

static size_t option_len(const char *text)
{
    const size_t len = text == NULL ? 0 : strlen(text);
    return len > OPT_MAX ? OPT_MAX : len;
}

/* Bytes an option takes in a block; one without text is left out. */
static uint32_t option_room(size_t len)
{
    return len == 0 ? 0 : 4 + (uint32_t)len + pad4(len);
}

static void put_option(struct mrct_pcapng *w, unsigned code, const void *value, size_t len)
{
    if (len == 0)
        return;
    put16(w, code);
    put16(w, (unsigned)len);
    put(w, value, len);
    put(w, zeroes, pad4(len));
}

static void put_option64(struct mrct_pcapng *w, unsigned code, uint64_t v)
{
    uint8_t b[8];
    for (unsigned i = 0; i < sizeof(b); i++)
        b[i] = (uint8_t)(v >> 8 * i);
    if (v != 0)
        put_option(w, code, b, sizeof(b));
}

static uint32_t option64_room(uint64_t v)
{
    return v == 0 ? 0 : option_room(sizeof(v));
}

static void put_options_end(struct mrct_pcapng *w)
{
    put16(w, OPT_END);
    put16(w, 0);
}

int mrct_pcapng_open(struct mrct_pcapng *w, const char *path, char *err, size_t err_cap)
{
    static const char program[] = "mrct";
    memset(w, 0, sizeof(*w));
    if (mrct_outfile_open(&w->out, path, err, err_cap) != 0)
        return -1;
    const uint32_t total = BLOCK_FRAME + 16 + option_room(strlen(program)) + 4;
    put32(w, BLOCK_SECTION);
    put32(w, total);
    put32(w, BYTE_ORDER);
    put16(w, 1); /* version 1.0 */
    put16(w, 0);
    put32(w, UINT32_MAX); /* the section's length is not told */
    put32(w, UINT32_MAX);
    put_option(w, OPT_USERAPPL, program, strlen(program));
    put_options_end(w);
    put32(w, total);
    return 0;
}

uint32_t mrct_pcapng_iface_add(struct mrct_pcapng *w, const struct mrct_pcapng_iface *i)
{
    static const uint8_t nanoseconds = 9; /* powers of ten below one second */
    const size_t name_len = option_len(i->name), descr_len = option_len(i->description),
                 comment_len = option_len(i->comment);
    const uint32_t total = BLOCK_FRAME + 8 + option_room(comment_len) + option_room(name_len) +
                           option_room(descr_len) + option_room(sizeof(nanoseconds)) + 4;
    put32(w, BLOCK_INTERFACE);
    put32(w, total);
    put16(w, i->link);
    put16(w, 0);
    put32(w, i->snap_len);
    put_option(w, OPT_COMMENT, i->comment, comment_len);
    put_option(w, OPT_IF_NAME, i->name, name_len);
    put_option(w, OPT_IF_DESCR, i->description, descr_len);
    put_option(w, OPT_IF_TSRESOL, &nanoseconds, sizeof(nanoseconds));
    put_options_end(w);
    put32(w, total);
    return w->ifaces++;
}

uint32_t mrct_pcapng_iface(struct mrct_pcapng *w, const char *name, const char *description)
{
    const struct mrct_pcapng_iface i = {
        .name = name, .description = description, .link = LINK_ETHERNET};
    return mrct_pcapng_iface_add(w, &i);
}

void mrct_pcapng_counts(struct mrct_pcapng *w, uint32_t iface, uint64_t time_ns,
                        const struct mrct_pcapng_counts *counts)
{
    const uint32_t total = BLOCK_FRAME + 12 + option64_room(counts->received) +
                           option64_room(counts->dropped_iface) +
                           option64_room(counts->dropped_os) + 4;
    put32(w, BLOCK_STATISTICS);
    put32(w, total);
    put32(w, iface);
    put32(w, (uint32_t)(time_ns >> 32));
    put32(w, (uint32_t)time_ns);
    put_option64(w, OPT_ISB_IFRECV, counts->received);
    put_option64(w, OPT_ISB_IFDROP, counts->dropped_iface);
    put_option64(w, OPT_ISB_OSDROP, counts->dropped_os);
    put_options_end(w);
    put32(w, total);
}

static uint32_t packet_options_room(const struct mrct_pcapng_frame *f)
{
    uint32_t room = f->dir == MRCT_DIR_UNKNOWN ? 0 : option_room(4);
    room += option64_room(f->dropped_before);
    for (size_t i = 0; i < f->comment_count; i++)
        room += option_room(option_len(f->comments[i]));
    return room == 0 ? 0 : room + 4;
}

static void put_packet_options(struct mrct_pcapng *w, const struct mrct_pcapng_frame *f)
{
    for (size_t i = 0; i < f->comment_count; i++)
        put_option(w, OPT_COMMENT, f->comments[i], option_len(f->comments[i]));
    if (f->dir != MRCT_DIR_UNKNOWN) {
        const uint8_t flags[4] = {f->dir == MRCT_DIR_IN ? 1 : 2, 0, 0, 0};
        put_option(w, OPT_FLAGS, flags, sizeof(flags));
    }
    put_option64(w, OPT_DROPCOUNT, f->dropped_before);
    put_options_end(w);
}

void mrct_pcapng_frame(struct mrct_pcapng *w, const struct mrct_pcapng_frame *f)
{
    const uint32_t options = packet_options_room(f);
    const uint32_t total = BLOCK_FRAME + 20 + f->cap_len + pad4(f->cap_len) + options;
    put32(w, BLOCK_PACKET);
    put32(w, total);
    put32(w, f->iface);
    put32(w, (uint32_t)(f->time_ns >> 32));
    put32(w, (uint32_t)f->time_ns);
    put32(w, f->cap_len);
    put32(w, f->wire_len);
    put(w, f->bytes, f->cap_len);
    put(w, zeroes, pad4(f->cap_len));
    if (options > 0)
        put_packet_options(w, f);
    put32(w, total);
}

int mrct_pcapng_commit(struct mrct_pcapng *w, char *err, size_t err_cap)
{
    return mrct_outfile_commit(&w->out, err, err_cap);
}

void mrct_pcapng_abort(struct mrct_pcapng *w)
{
    mrct_outfile_abort(&w->out);
}
