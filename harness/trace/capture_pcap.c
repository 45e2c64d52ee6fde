/* SPDX-License-Identifier: BSD-2-Clause */
/* Classic pcap: a header, then records of 16 bytes and a frame. */
#include "harness/trace/capture_priv.h"

#include <stdio.h>
#include <string.h>

#define FILE_HEADER_LEN 24u
#define RECORD_LEN      16u
#define MODIFIED_LEN    24u /* a record of Kuznetzov's old patch carries 8 bytes more */

struct magic {
    uint32_t value;
    uint32_t record_len;
    uint64_t per_s;
};
static const struct magic magics[] = {
    {0xA1B2C3D4, RECORD_LEN, 1000000},
    {0xA1B23C4D, RECORD_LEN, MRCT_NS_PER_S},
    {0xA1B2CD34, MODIFIED_LEN, 1000000},
};

static const struct magic *magic_of(const uint8_t first[4], bool *swapped)
{
    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
        for (int s = 0; s < 2; s++)
            if (mrct_load32(first, s == 1) == magics[i].value) {
                *swapped = s == 1;
                return &magics[i];
            }
    return NULL;
}

bool mrct_capture_is_pcap(const uint8_t first[4])
{
    bool swapped;
    return magic_of(first, &swapped) != NULL;
}

static enum mrct_capture_state read_record(struct mrct_capture *c, struct mrct_capture_frame *f)
{
    const uint8_t *p = mrct_source_need(&c->src, c->record_header);
    if (p == NULL)
        return mrct_capture_ended(c);
    const uint32_t len = mrct_load32(p + 8, c->swapped);
    if (len > MRCT_CAPTURE_SNAP_MAX)
        return mrct_capture_damaged(c, "a record is longer than any frame");
    p = mrct_source_need(&c->src, c->record_header + len);
    if (p == NULL)
        return mrct_capture_ended(c);
    f->time_ns = mrct_load32(p, c->swapped) * MRCT_NS_PER_S +
                 mrct_load32(p + 4, c->swapped) * c->clocks[0].ns;
    f->raw_len = len;
    f->raw_wire_len = mrct_load32(p + 12, c->swapped);
    f->raw = p + c->record_header;
    f->iface = 0;
    f->link = c->ifaces[0].link;
    f->dropped_before = 0;
    mrct_source_skip(&c->src, c->record_header + len);
    return MRCT_CAPTURE_FRAME;
}

int mrct_capture_begin_pcap(struct mrct_capture *c, char *err, size_t err_cap)
{
    const uint8_t *const p = mrct_source_need(&c->src, FILE_HEADER_LEN);
    if (p == NULL) {
        snprintf(err, err_cap, "%s: is no pcap or pcapng capture: its header is cut", c->name);
        return -1;
    }
    const struct magic *const m = magic_of(p, &c->swapped);
    /* The upper half may tell the length of an FCS, which nobody needs: IP tells its own. */
    const unsigned link = mrct_load32(p + 20, c->swapped) & 0xFFFF;
    if (!mrct_capture_link_ok(c->name, link, err, err_cap))
        return -1;
    const struct mrct_capture_iface iface = {.name = "",
                                             .description = "",
                                             .comment = "",
                                             .link = (uint16_t)link,
                                             .snap_len = mrct_load32(p + 16, c->swapped)};
    const struct capture_clock clock = {.per_s = m->per_s, .ns = MRCT_NS_PER_S / m->per_s};
    if (mrct_capture_add_iface(c, &iface, &clock) != 0) {
        snprintf(err, err_cap, "%s: out of memory", c->name);
        return -1;
    }
    c->record_header = m->record_len;
    c->read = read_record;
    mrct_source_skip(&c->src, FILE_HEADER_LEN);
    return 0;
}
