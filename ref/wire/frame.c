/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/wire/frame.h"

#include "ref/wire/icrc.h"
#include "ref/wire/pkt.h"
#include <string.h>

size_t mrc_frame_wire_len(const struct mrc_frame *f)
{
    const size_t icrc = f->icrc_state == MRC_ICRC_ABSENT ? 0 : 4;
    return (size_t)f->hdr_len + f->payload_len + f->pad_len + icrc;
}

uint32_t mrc_frame_icrc(const struct mrc_wire_config *cfg, const struct mrc_frame *f)
{
    static const uint8_t zeros[4] = {0};
    struct mrc_icrc_span span;
    if (f->icrc_state == MRC_ICRC_ABSENT)
        return 0;
    if (f->icrc_state != MRC_ICRC_DEFERRED)
        return f->icrc;
    if (!mrc_icrc_find_span(f->hdr, f->hdr_len, cfg->q6_icrc == 'b', &span))
        return 0;
    uint32_t crc = mrc_icrc_compute(f->hdr, &span);
    crc = mrc_icrc_extend(crc, f->payload, f->payload_len);
    return mrc_icrc_extend(crc, zeros, f->pad_len);
}

size_t mrc_frame_gather(const struct mrc_wire_config *cfg, const struct mrc_frame *f, uint8_t *buf,
                        size_t cap)
{
    const size_t total = mrc_frame_wire_len(f);
    if (total > cap || f->hdr_len > MRC_FRAME_HDR_MAX) {
        return 0;
    }
    size_t n = f->hdr_len;
    memcpy(buf, f->hdr, n);
    if (f->payload_len > 0) {
        memcpy(buf + n, f->payload, f->payload_len);
        n += f->payload_len;
    }
    memset(buf + n, 0, f->pad_len);
    n += f->pad_len;
    if (f->icrc_state != MRC_ICRC_ABSENT) {
        const uint32_t icrc = mrc_frame_icrc(cfg, f);
        buf[n] = (uint8_t)icrc;
        buf[n + 1] = (uint8_t)(icrc >> 8);
        buf[n + 2] = (uint8_t)(icrc >> 16);
        buf[n + 3] = (uint8_t)(icrc >> 24);
    }
    return total;
}

static bool all_zero(const uint8_t *p, size_t n)
{
    uint8_t any = 0;
    for (size_t i = 0; i < n; i++) {
        any |= p[i];
    }
    return any == 0;
}

int mrc_frame_parse(const struct mrc_wire_config *cfg, const uint8_t *bytes, size_t len,
                    struct mrc_frame *f)
{
    struct mrc_pkt p;
    enum mrc_wire_error err = mrc_pkt_decode(cfg, bytes, len, len, true, &p);
    if (err == MRC_WIRE_BAD_ICRC) {
        /* Whether the rest is sound decides where to split. */
        struct mrc_pkt again;
        err = mrc_pkt_decode(cfg, bytes, len, len, false, &again);
    }
    if (err != MRC_WIRE_OK || p.hdr_end > MRC_FRAME_HDR_MAX) {
        return -1;
    }
    const size_t icrc_len = p.wire_len >= p.nominal_len - 40u + p.off[MRC_HDR_UDP] ? 4 : 0;
    const size_t rest = p.wire_len - icrc_len - p.hdr_end; /* payload and pad */
    if (rest > MRC_PAYLOAD_MAX + 3u) {
        return -1;
    }
    f->icrc_state = icrc_len == 0                    ? MRC_ICRC_ABSENT
                    : p.icrc_state == MRC_ICRC_VALID ? MRC_ICRC_VALID
                                                     : MRC_ICRC_WRONG;
    f->icrc = p.icrc;
    f->hdr_len = p.hdr_end;
    f->pad_len = 0;
    f->payload = rest > 0 ? bytes + p.hdr_end : NULL;
    f->payload_len = (uint32_t)rest;
    if (icrc_len == 0 && p.hdr_end + rest <= MRC_FRAME_HDR_MAX) {
        f->hdr_len = (uint16_t)(p.hdr_end + rest); /* trimmed: all that is left */
        f->payload = NULL;
        f->payload_len = 0;
    } else if (icrc_len != 0 && all_zero(bytes + p.hdr_end + p.payload_len, p.bth.pad_cnt)) {
        f->pad_len = p.bth.pad_cnt;
        f->payload_len = p.payload_len;
        f->payload = p.payload;
    }
    memcpy(f->hdr, bytes, f->hdr_len);
    return 0;
}
