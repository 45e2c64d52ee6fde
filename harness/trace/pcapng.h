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
    uint64_t dropped_before; /* frames lost since the one before on this interface; 0: not told */
    const char *const *comments; /* comment_count strings, UTF-8 */
    size_t comment_count;
};

/* An interface on its way into the file; text NULL or "" is left out. */
struct mrct_pcapng_iface {
    const char *name, *description, *comment;
    unsigned link;     /* LINKTYPE_ */
    uint32_t snap_len; /* bytes, 0: none told */
};

/* What an interface counted in all. */
struct mrct_pcapng_counts {
    uint64_t received;      /* 0: not told */
    uint64_t dropped_iface; /* by the interface */
    uint64_t dropped_os;    /* by the operating system */
};

/* Opens path for writing. Returns 0, or -1 with one sentence in err. */
int mrct_pcapng_open(struct mrct_pcapng *w, const char *path, char *err, size_t err_cap);
/* Adds an Ethernet interface and returns its index; before the first frame that names it. */
uint32_t mrct_pcapng_iface(struct mrct_pcapng *w, const char *name, const char *description);
/* The same of any interface. */
uint32_t mrct_pcapng_iface_add(struct mrct_pcapng *w, const struct mrct_pcapng_iface *i);
void mrct_pcapng_frame(struct mrct_pcapng *w, const struct mrct_pcapng_frame *f);
/* Tells what an interface counted, as of time_ns; once, behind its last frame. */
void mrct_pcapng_counts(struct mrct_pcapng *w, uint32_t iface, uint64_t time_ns,
                        const struct mrct_pcapng_counts *counts);
/* Finishes the file. Returns 0, or -1 with one sentence in err when anything went wrong before. */
int mrct_pcapng_commit(struct mrct_pcapng *w, char *err, size_t err_cap);
void mrct_pcapng_abort(struct mrct_pcapng *w);

#endif
