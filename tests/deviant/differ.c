/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/deviant/differ.h"

#include <stdio.h>
#include <string.h>

#define LOOK_AHEAD 64u

static bool same_bytes(const struct net_frame *a, const struct net_frame *b)
{
    return a->len == b->len && a->plane == b->plane && memcmp(a->bytes, b->bytes, a->len) == 0;
}

/* Bytes from the BTH on, but for the timestamp and the ICRC: what was said, whichever way it went.
 */
static bool same_message(const struct net_frame *a, const struct net_frame *b)
{
    struct mrc_wire_config wire;
    struct mrc_pkt pa, pb;
    struct net_frame x = *a, y = *b;
    mrc_wire_config_default(&wire);
    (void)mrc_pkt_decode(&wire, a->bytes, a->len, a->len, false, &pa);
    (void)mrc_pkt_decode(&wire, b->bytes, b->len, b->len, false, &pb);
    if (a->len != b->len || pa.present != pb.present || !MRC_PKT_HAS(&pa, BTH))
        return false;
    if (MRC_PKT_HAS(&pa, TSETH)) {
        memset(x.bytes + pa.off[MRC_HDR_TSETH], 0, 2);
        memset(y.bytes + pb.off[MRC_HDR_TSETH], 0, 2);
    }
    const size_t at = pa.off[MRC_HDR_BTH];
    return memcmp(x.bytes + at, y.bytes + at, (size_t)a->len - at - 4) == 0;
}

static bool stands_in(const struct net_frame *f, const struct net_log *log, size_t from)
{
    for (size_t i = from; i < log->count && i < from + LOOK_AHEAD; i++)
        if (same_message(f, &log->frames[i]))
            return true;
    return false;
}

static void add(char *words, size_t cap, const char *word)
{
    const size_t len = strlen(words);
    (void)snprintf(words + len, cap - len, "%s%s", len > 0 ? " " : "", word);
}

static void differ_header(const struct net_frame *a, const struct mrc_pkt *pa,
                          const struct net_frame *b, const struct mrc_pkt *pb, char *words,
                          size_t cap)
{
    for (size_t i = 0; i < mrc_field_count; i++) {
        const struct mrc_field *const f = &mrc_fields[i];
        const uint32_t bit = UINT32_C(1) << f->hdr;
        if ((pa->present & pb->present & bit) == 0)
            continue;
        const uint8_t *const ha = a->bytes + pa->off[f->hdr];
        const uint8_t *const hb = b->bytes + pb->off[f->hdr];
        const bool same = f->bit_width > 64 ? memcmp(ha + f->bit_off / 8, hb + f->bit_off / 8,
                                                     f->bit_width / 8) == 0
                                            : mrc_field_get(f, ha) == mrc_field_get(f, hb);
        if (!same && mrc_field_applies(f, ha) && mrc_field_applies(f, hb))
            add(words, cap, f->name);
    }
}

static void differ_frame(const struct net_frame *a, const struct net_frame *b, char *words,
                         size_t cap)
{
    struct mrc_wire_config wire;
    struct mrc_pkt pa, pb;
    mrc_wire_config_default(&wire);
    (void)mrc_pkt_decode(&wire, a->bytes, a->len, a->len, true, &pa);
    (void)mrc_pkt_decode(&wire, b->bytes, b->len, b->len, true, &pb);
    if (a->plane != b->plane)
        add(words, cap, "another way");
    differ_header(a, &pa, b, &pb, words, cap);
    if (pa.present != pb.present)
        add(words, cap, "headers");
    if (pa.payload_len != pb.payload_len)
        add(words, cap, "payload length");
    else if (pa.payload_len > 0 && memcmp(pa.payload, pb.payload, pa.payload_len) != 0)
        add(words, cap, "payload");
    if (pb.icrc_state == MRC_ICRC_WRONG)
        add(words, cap, "icrc");
}

void differ(const struct net_log *honest, const struct net_log *liar, char *words, size_t cap)
{
    size_t i = 0;
    words[0] = '\0';
    while (i < honest->count && i < liar->count &&
           honest->frames[i].at_ns == liar->frames[i].at_ns &&
           same_bytes(&honest->frames[i], &liar->frames[i]))
        i++;
    if (i == honest->count && i == liar->count) {
        const bool same_told = honest->events_len == liar->events_len &&
                               memcmp(honest->events, liar->events, honest->events_len) == 0;
        const bool same_memory = honest->memory == liar->memory;
        add(words, cap, !same_told ? "told" : !same_memory ? "memory" : "nothing");
        return;
    }
    const struct net_frame *const a = &honest->frames[i], *const b = &liar->frames[i];
    if (i == honest->count)
        add(words, cap, "extra");
    else if (i == liar->count)
        add(words, cap, "missing");
    else if (same_bytes(a, b))
        add(words, cap, b->at_ns < a->at_ns ? "earlier" : "later");
    else if (same_message(a, b))
        differ_frame(a, b, words, cap);
    else if (stands_in(a, liar, i + 1))
        add(words, cap, "extra");
    else if (stands_in(b, honest, i + 1))
        add(words, cap, "missing");
    else
        differ_frame(a, b, words, cap);
}
