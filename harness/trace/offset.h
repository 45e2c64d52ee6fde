/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far the clocks of two capture points differ, from frames that both saw. A frame takes some
 * time from one point to the other, so each direction bounds the offset from its own side; the
 * shortest way of either direction bounds it best, and half-way between both is the estimate, which
 * is right when both shortest ways take the same time.
 */
#ifndef MRCT_TRACE_OFFSET_H
#define MRCT_TRACE_OFFSET_H

#include "ref/wire/pkt.h"

struct mrct_offset {
    bool known;        /* some frame was seen at both points */
    bool one_way;      /* of one direction alone: the least delay is taken as none */
    int64_t offset_ns; /* to be added to the second file's times */
    uint64_t pairs;    /* frames matched */
    uint64_t delay_ns; /* half of what the shortest ways of both directions take together */
};

/*
 * Matches the first frames of two captures by addresses, PSN, headers and ICRC; what was seen twice
 * at one point is left out. Returns 0, or -1 with one sentence in err.
 */
int mrct_offset_estimate(const char *first, const char *second, const struct mrc_wire_config *cfg,
                         struct mrct_offset *out, char *err, size_t err_cap);

#endif
