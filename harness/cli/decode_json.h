/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A decoded frame as one JSON object: frame, time (seconds), len, error (the decoder's reason or
 * null), kind (null, "malformed", "cut", "other": another protocol), then the fields by the JSON
 * names of the wire format's tables, null where the header is absent, then payload_len, ev,
 * trimmed, srv6 and srh.
 */
#ifndef MRCT_CLI_DECODE_JSON_H
#define MRCT_CLI_DECODE_JSON_H

#include "harness/trace/capture.h"
#include "ref/wire/pkt.h"

#define MRCT_DECODE_JSON_MAX 4096u /* enough for any frame's object */

/* Written by hand, since Jansson's integers end below 2^63 and a SACK bitmap does not. Returns the
 * characters wanted; buf gets at most cap - 1 of them and a NUL. */
size_t mrct_decode_json(const struct mrct_capture_frame *f, const struct mrc_pkt *p,
                        enum mrc_wire_error err, char *buf, size_t cap);

#endif
