/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader's inside, shared by capture.c and the formats. */
#ifndef MRCT_TRACE_CAPTURE_PRIV_H
#define MRCT_TRACE_CAPTURE_PRIV_H

#include "harness/trace/capture.h"
#include "harness/trace/source.h"

#define MRCT_NS_PER_S           UINT64_C(1000000000)
#define MRCT_CAPTURE_IFACES_MAX 4096u
#define MRCT_CAPTURE_SNAP_MAX   262144u /* libpcap's; a longer frame makes no sense */

/* What the formats need of an interface beside what everybody sees. */
struct capture_clock {
    uint64_t per_s; /* units a second: a power of ten or two */
    uint64_t ns;    /* nanoseconds a unit when that is whole, else 0 */
    int64_t offset_s;
};

struct mrct_capture {
    char *name; /* for messages */
    uint64_t frames;
    enum mrct_capture_state state;
    char message[400];
    struct mrct_source src;
    bool have_src;
    /* Reads one record: bytes, lengths, interface and time of the raw frame. */
    enum mrct_capture_state (*read)(struct mrct_capture *c, struct mrct_capture_frame *f);
    struct mrct_capture_iface *ifaces;
    struct capture_clock *clocks; /* of each */
    size_t iface_count;
    uint8_t *view; /* room for a frame whose link header is replaced; NULL until needed */
    bool swapped;  /* the file has the other byte order */
    /* pcap */
    uint32_t record_header; /* bytes */
    /* pcapng */
    size_t section_base; /* first interface of the section being read */
    /* live */
    void *pcap;
};

struct mrct_capture *mrct_capture_new(const char *name, char *err, size_t err_cap);
/* Adds an interface with copies of the strings; -1 when there are too many or memory fails. */
int mrct_capture_add_iface(struct mrct_capture *c, const struct mrct_capture_iface *i,
                           const struct capture_clock *clock);
/* Says why a link type cannot be read; false, with a sentence in err. */
bool mrct_capture_link_ok(const char *name, unsigned link, char *err, size_t err_cap);

/* Where a record should begin or go on and does not: the end, a cut, or damage. */
enum mrct_capture_state mrct_capture_ended(struct mrct_capture *c);
enum mrct_capture_state mrct_capture_damaged(struct mrct_capture *c, const char *why);

/* The formats: whether the first bytes are theirs; 0, or -1 with a sentence. */
bool mrct_capture_is_pcap(const uint8_t first[4]);
int mrct_capture_begin_pcap(struct mrct_capture *c, char *err, size_t err_cap);
bool mrct_capture_is_pcapng(const uint8_t first[4]);
int mrct_capture_begin_pcapng(struct mrct_capture *c, char *err, size_t err_cap);

/* What a live interface counted so far, taken into its entry. */
void mrct_capture_live_counts(struct mrct_capture *c);

static inline uint32_t mrct_load32(const uint8_t *p, bool swapped)
{
    uint32_t v;
    __builtin_memcpy(&v, p, sizeof(v));
    return swapped ? __builtin_bswap32(v) : v;
}

static inline uint16_t mrct_load16(const uint8_t *p, bool swapped)
{
    uint16_t v;
    __builtin_memcpy(&v, p, sizeof(v));
    return swapped ? __builtin_bswap16(v) : v;
}

#endif
