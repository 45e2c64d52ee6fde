/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing pcapng: one section, little-endian, nanosecond stamps, several interfaces, comments on
 * frames. Nothing is written that the caller did not give: no clock, no host, no user.
 */
#ifndef MRCT_TRACE_PCAPNG_H
#define MRCT_TRACE_PCAPNG_H

#include "harness/trace/outfile.h"
#include <stdint.h>

enum mrct_dir { MRCT_DIR_UNKNOWN, MRCT_DIR_IN, MRCT_DIR_OUT }; /* seen from the interface's host */

struct mrct_pcapng {
    struct mrct_outfile out;
    uint32_t ifaces;
};

/* A frame on its way into the file. Everything is the caller's. */
struct mrct_pcapng_frame {
    uint32_t iface; /* index from mrct_pcapng_iface() */
    enum mrct_dir dir;
    uint64_t time_ns;
    const uint8_t *bytes;
    uint32_t cap_len, wire_len;
    const char *const *comments; /* comment_count strings, UTF-8 */
    size_t comment_count;
};

/* Opens path for writing. Returns 0, or -1 with one sentence in err. */
int mrct_pcapng_open(struct mrct_pcapng *w, const char *path, char *err, size_t err_cap);
/* Adds an interface and returns its index; text "" is left out. All before the first frame. */
uint32_t mrct_pcapng_iface(struct mrct_pcapng *w, const char *name, const char *description);
/* The same with another LINKTYPE_ than Ethernet; before the first frame that names it. */
uint32_t mrct_pcapng_iface_link(struct mrct_pcapng *w, const char *name, const char *description,
                                unsigned link);
void mrct_pcapng_frame(struct mrct_pcapng *w, const struct mrct_pcapng_frame *f);
/* Finishes the file. Returns 0, or -1 with one sentence in err when anything went wrong before. */
int mrct_pcapng_commit(struct mrct_pcapng *w, char *err, size_t err_cap);
void mrct_pcapng_abort(struct mrct_pcapng *w);

#endif
