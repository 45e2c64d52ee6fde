/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/trace/link.h"

#include <string.h>

#define ETH_LEN 14u

enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86DD, TYPE_NONE = 0 };

/* Bytes before the network header, and where in them its EtherType stands. */
struct link_row {
    uint16_t link;
    uint8_t header, type_at;
    uint16_t type; /* of links that carry one protocol; 0 where the first nibble or type_at says */
};
#define BY_VERSION 0xFF
static const struct link_row rows[] = {
    {MRCT_LINK_SLL, 16, 14, 0},
    {MRCT_LINK_SLL2, 20, 0, 0},
    {MRCT_LINK_RAW, 0, BY_VERSION, 0},
    {MRCT_LINK_RAW_BSD, 0, BY_VERSION, 0},
    {MRCT_LINK_RAW_OPENBSD, 0, BY_VERSION, 0},
    {MRCT_LINK_IPV4, 0, BY_VERSION, TYPE_IPV4},
    {MRCT_LINK_IPV6, 0, BY_VERSION, TYPE_IPV6},
};

static const struct link_row *row_of(unsigned link)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].link == link)
            return &rows[i];
    return NULL;
}

bool mrct_link_is_read(unsigned link)
{
    return link == MRCT_LINK_ETHERNET || row_of(link) != NULL;
}

static unsigned type_of(const struct link_row *r, const struct mrct_link_frame *f)
{
    if (r->type_at != BY_VERSION)
        return (unsigned)f->bytes[r->type_at] << 8 | f->bytes[r->type_at + 1];
    if (r->type != 0 || f->cap_len == 0)
        return r->type;
    return f->bytes[0] >> 4 == 4 ? TYPE_IPV4 : f->bytes[0] >> 4 == 6 ? TYPE_IPV6 : TYPE_NONE;
}

void mrct_link_view(unsigned link, struct mrct_link_frame *f, uint8_t *view)
{
    const struct link_row *const r = row_of(link);
    memset(view, 0, ETH_LEN);
    if (r == NULL || f->cap_len < r->header) {
        const uint32_t wire_len = f->wire_len > ETH_LEN ? f->wire_len : ETH_LEN;
        *f = (struct mrct_link_frame){view, ETH_LEN, wire_len};
        return;
    }
    const unsigned type = type_of(r, f);
    size_t len = f->cap_len - r->header;
    if (len > MRCT_LINK_VIEW_MAX - ETH_LEN)
        len = MRCT_LINK_VIEW_MAX - ETH_LEN;
    view[12] = (uint8_t)(type >> 8);
    view[13] = (uint8_t)type;
    if (len > 0)
        memcpy(view + ETH_LEN, f->bytes + r->header, len);
    /* A file may claim any length: the sum must not wrap below what is here. */
    const uint64_t wire_len = (uint64_t)f->wire_len - r->header + ETH_LEN;
    *f = (struct mrct_link_frame){view, (uint32_t)(ETH_LEN + len),
                                  wire_len < UINT32_MAX ? (uint32_t)wire_len : UINT32_MAX};
}
