/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/wire/chain.h"
#include "ref/wire/print.h"
#include "ref/wire/text.h"

#include <inttypes.h>

static void put_bytes(struct mrc_text *t, const struct mrc_field *f, const uint8_t *at)
{
    const bool is_ip = f->hdr == MRC_HDR_IPV4 || f->hdr == MRC_HDR_IPV6 || f->hdr == MRC_HDR_SRH;
    if (is_ip) {
        mrc_text_ip(t, at, f->bit_width == 128);
        return;
    }
    for (unsigned i = 0; i < f->bit_width / 8u; i++) {
        mrc_text_add(t, i ? ":%02x" : "%02x", at[i]);
    }
}

static void put_value(struct mrc_text *t, const struct mrc_field *f, const uint8_t *hdr)
{
    if (f->is_bytes) {
        put_bytes(t, f, hdr + f->bit_off / 8);
        return;
    }
    const uint64_t v = mrc_field_get(f, hdr);
    const char *const name = f->codes ? mrc_code_name(f->codes, v) : NULL;
    if (f->is_signed) {
        mrc_text_add(t, "%d", (int16_t)v);
    } else {
        mrc_text_add(t, "%" PRIu64, v);
    }
    if (v > 9) {
        mrc_text_add(t, " (0x%" PRIx64 ")", v);
    }
    if (name) {
        mrc_text_add(t, " %s", name);
    } else if (f->codes && f->codes->closed) {
        mrc_text_add(t, " (unlisted)");
    }
}

static void put_field(struct mrc_text *t, const struct mrc_field *f, size_t off, const uint8_t *hdr)
{
    const unsigned bit = 7u - f->bit_off % 8u;
    mrc_text_add(t, "  %5zu.%u %4u  %-22s ", off + f->bit_off / 8u, bit, f->bit_width, f->name);
    put_value(t, f, hdr);
    if (f->unit) {
        mrc_text_add(t, "  [%s]", f->unit);
    }
    if (f->reserved_zero && !f->is_bytes && mrc_field_get(f, hdr) != 0) {
        mrc_text_add(t, "  reserved, should be 0");
    }
    mrc_text_add(t, "\n");
}

static void put_header(struct mrc_text *t, enum mrc_hdr_id id, const char *which, size_t off,
                       const uint8_t *hdr)
{
    const struct mrc_hdr_info *const h = &mrc_hdrs[id];
    mrc_text_add(t, "%s%s, %u bytes at %zu", which, h->title, h->len, off);
    mrc_text_add(t, h->table ? " (Tables %s)\n" : "\n", h->table);
    for (unsigned i = 0; i < h->field_count; i++) {
        const struct mrc_field *const f = &mrc_fields[h->first_field + i];
        if (mrc_field_applies(f, hdr)) {
            put_field(t, f, off, hdr);
        }
    }
}

static void put_vlans(struct mrc_text *t, const struct mrc_pkt *p)
{
    uint8_t hdr[MRC_HDR_LEN_MAX] = {0};
    for (unsigned i = 0; i < p->vlan_count && i < 2; i++) {
        (void)mrc_vlan_encode(&p->vlan[i], hdr, hdr + sizeof hdr);
        put_header(t, MRC_HDR_VLAN, "", MRC_ETH_LEN + (size_t)i * MRC_VLAN_LEN, hdr);
    }
}

static void put_outer(struct mrc_text *t, const struct mrc_pkt *p)
{
    uint8_t hdr[MRC_HDR_LEN_MAX] = {0};
    if (!p->has_outer) {
        return;
    }
    (void)mrc_ipv6_encode(&p->outer_ip6, hdr, hdr + sizeof hdr);
    put_header(t, MRC_HDR_IPV6, "outer ", p->outer_off, hdr);
    if (MRC_PKT_HAS(p, SRH)) {
        (void)mrc_srh_encode(&p->srh, hdr, hdr + sizeof hdr);
        put_header(t, MRC_HDR_SRH, "", p->off[MRC_HDR_SRH], hdr);
    }
}

static void put_summary(struct mrc_text *t, const struct mrc_pkt *p)
{
    static const char *const states[] = {"absent", "not verified", "right", "wrong"};
    if (!MRC_PKT_HAS(p, BTH)) {
        return;
    }
    mrc_text_add(t, "EV 0x%08" PRIx32, p->ev);
    if (p->complete || p->icrc_state != MRC_ICRC_WRONG)
        mrc_text_add(t, ", payload %" PRIu32 " bytes at %u, pad %u", p->payload_len, p->hdr_end,
                     p->bth.pad_cnt);
    else
        mrc_text_add(t, ", headers end early at %u", p->hdr_end);
    mrc_text_add(t, ", %s",
                 p->trim == MRC_TRIM_TRIMMED   ? "trimmed, "
                 : p->trim == MRC_TRIM_LASTHOP ? "trimmed at the last hop, "
                                               : "");
    mrc_text_add(t, "ICRC %s", states[p->icrc_state]);
    if (p->icrc_state == MRC_ICRC_WRONG) {
        mrc_text_add(t, ": 0x%08" PRIx32 ", should be 0x%08" PRIx32, p->icrc, p->icrc_expected);
    }
    mrc_text_add(t, "\n");
}

size_t mrc_print_full(const struct mrc_pkt *p, enum mrc_wire_error err, char *buf, size_t cap)
{
    struct mrc_text t;
    uint8_t hdr[MRC_HDR_LEN_MAX] = {0};
    mrc_text_init(&t, buf, cap);
    for (unsigned id = 0; id < MRC_HDR_COUNT; id++) {
        if (id == MRC_HDR_IPV4) {
            put_outer(&t, p);
        }
        if (id == MRC_HDR_VLAN) {
            put_vlans(&t, p);
        } else if (id != MRC_HDR_SRH && (p->present >> id & 1) != 0) {
            (void)mrc_chain_encode_one((enum mrc_hdr_id)id, p, hdr, hdr + sizeof hdr);
            put_header(&t, (enum mrc_hdr_id)id, "", p->off[id], hdr);
        }
    }
    put_summary(&t, p);
    if (err != MRC_WIRE_OK) {
        mrc_text_add(&t, "error: %s\n", mrc_wire_error_str(err));
    }
    return t.len;
}
