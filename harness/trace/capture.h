/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading a capture: pcap (both byte orders, micro- or nanoseconds) and pcapng, plain or packed
 * with gzip or zstd, from a file, standard input or a live interface. One frame at a time, in the
 * order of the file; nothing is kept. Frames of other link types than Ethernet come with an
 * Ethernet header in place of their own.
 *
 *     struct mrct_capture *c = mrct_capture_open(path, err, sizeof(err));
 *     while (mrct_capture_next(c, &f) == MRCT_CAPTURE_FRAME)
 *         ...
 *     if (mrct_capture_state(c) != MRCT_CAPTURE_END)
 *         puts(mrct_capture_message(c));
 *     mrct_capture_close(c);
 */
#ifndef MRCT_TRACE_CAPTURE_H
#define MRCT_TRACE_CAPTURE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mrct_capture;

/* One frame. bytes and raw live until the next call with the same reader. */
struct mrct_capture_frame {
    uint64_t frame_no;    /* from 1 */
    uint64_t time_ns;     /* as the file has it: since 1970, or since the start of a virtual run */
    uint32_t cap_len;     /* bytes here */
    uint32_t wire_len;    /* bytes on the wire, never below cap_len */
    const uint8_t *bytes; /* from an Ethernet header on; not owned */
    uint32_t iface;       /* index of mrct_capture_iface() */
    uint16_t link;        /* LINKTYPE_ of raw */
    uint32_t raw_len, raw_wire_len; /* as the file has them, for writing the frame again */
    const uint8_t *raw;
    uint64_t dropped_before; /* frames known lost since the one before on this interface (pcapng) */
};

/* One interface of a capture; classic pcap has one without a name. Strings are the reader's. */
struct mrct_capture_iface {
    const char *name, *description, *comment; /* "" when not given */
    uint16_t link;
    uint32_t snap_len; /* 0: none told */
    bool have_counts;  /* counts are told (a statistics block, or a live interface) */
    uint64_t received; /* by the interface, 0 when not told */
    uint64_t dropped;  /* by the kernel or the interface, as far as told */
    uint64_t dropped_iface, dropped_os; /* the same told apart, where counts are */
};

enum mrct_capture_state {
    MRCT_CAPTURE_FRAME, /* a frame was read, or may be */
    MRCT_CAPTURE_END,   /* the file ended where a record ended */
    MRCT_CAPTURE_CUT,   /* the file ended inside a record: what came before is good */
    MRCT_CAPTURE_BAD,   /* a record makes no sense: an input error */
};

/*
 * Opens a capture; "-" is standard input. Returns NULL, with one sentence in err (no newline), when
 * the file is missing, is no capture, or has a link type that is not read: exit status 2.
 */
struct mrct_capture *mrct_capture_open(const char *path, char *err, size_t err_cap);
/* The same of a live interface; mrct_capture_watch() ends it. Needs the rights to capture. */
struct mrct_capture *mrct_capture_live(const char *iface, char *err, size_t err_cap);
void mrct_capture_close(struct mrct_capture *c); /* NULL is allowed */

/* Reads the next frame into f. After anything but FRAME every further call gives the same state. */
enum mrct_capture_state mrct_capture_next(struct mrct_capture *c, struct mrct_capture_frame *f);
enum mrct_capture_state mrct_capture_state(const struct mrct_capture *c);
/* A flag of the caller's that ends a live capture, or a read that waits, once it is not 0. */
void mrct_capture_watch(struct mrct_capture *c, const volatile sig_atomic_t *stop);

/* Reads no more: what a live interface counted so far is told. */
void mrct_capture_stop(struct mrct_capture *c);

/* Interfaces seen so far; more may come until the end. i < count. */
size_t mrct_capture_iface_count(const struct mrct_capture *c);
const struct mrct_capture_iface *mrct_capture_iface(const struct mrct_capture *c, size_t i);

/* How much of the file was read, for progress; total is 0 when nobody knows. */
void mrct_capture_progress(const struct mrct_capture *c, uint64_t *done, uint64_t *total);

/* One sentence for CUT (a warning) and BAD (an error), "" otherwise. Owned by c. */
const char *mrct_capture_message(const struct mrct_capture *c);

#endif
