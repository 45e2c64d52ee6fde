/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading a capture file: pcap or pcapng, Ethernet, micro- or nanoseconds. One frame at a time, in
 * the order of the file; nothing is kept.
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

#include <stddef.h>
#include <stdint.h>

struct mrct_capture;

/* One frame of a file. bytes live until the next call with the same reader. */
struct mrct_capture_frame {
    uint64_t frame_no;    /* from 1 */
    uint64_t time_ns;     /* as the file has it: since 1970, or since the start of a virtual run */
    uint32_t cap_len;     /* bytes here */
    uint32_t wire_len;    /* bytes on the wire, never below cap_len */
    const uint8_t *bytes; /* not owned */
};

enum mrct_capture_state {
    MRCT_CAPTURE_FRAME, /* a frame was read, or may be */
    MRCT_CAPTURE_END,   /* the file ended where a record ended */
    MRCT_CAPTURE_CUT,   /* the file ended inside a record: what came before is good */
    MRCT_CAPTURE_BAD,   /* a record makes no sense: an input error */
};

/*
 * Opens a capture; "-" is standard input. Returns NULL, with one sentence in err (no newline), when
 * the file is missing, is no capture, or has another link type than Ethernet: exit status 2.
 */
struct mrct_capture *mrct_capture_open(const char *path, char *err, size_t err_cap);
void mrct_capture_close(struct mrct_capture *c); /* NULL is allowed */

/* Reads the next frame into f. After anything but FRAME every further call gives the same state. */
enum mrct_capture_state mrct_capture_next(struct mrct_capture *c, struct mrct_capture_frame *f);
enum mrct_capture_state mrct_capture_state(const struct mrct_capture *c);

/* One sentence for CUT (a warning) and BAD (an error), "" otherwise. Owned by c. */
const char *mrct_capture_message(const struct mrct_capture *c);

#endif
