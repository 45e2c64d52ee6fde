/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/decode_json.h"

#include "ref/wire/text.h"
#include <inttypes.h>
#include <string.h>

static const char *kind_of(enum mrc_wire_error err)
{
    return err == MRC_WIRE_OK        ? "null"
           : err == MRC_WIRE_NOT_MRC ? "\"other\""
           : err == MRC_WIRE_CUT     ? "\"cut\""
                                     : "\"malformed\"";
}

/* Whether an earlier field of the table has this one's key: a key is printed once. */
static bool is_repeated(const struct mrc_field *f)
{
    for (const struct mrc_field *e = mrc_fields; e < f; e++)
        if (e->json && strcmp(e->json, f->json) == 0)
            return true;
    return false;
}

/* The field with this key whose header is in the packet, or NULL. */
static const struct mrc_field *present_field(const struct mrc_pkt *p, const uint8_t *bytes,
                                             const char *key)
{
    for (size_t i = 0; i < mrc_field_count; i++) {
        const struct mrc_field *const f = &mrc_fields[i];
        if (f->json && strcmp(f->json, key) == 0 && (p->present >> f->hdr & 1) != 0 &&
            mrc_field_applies(f, bytes + p->off[f->hdr]))
            return f;
    }
    return NULL;
}

static void put_field(struct mrc_text *t, const struct mrc_pkt *p, const uint8_t *bytes,
                      const char *key)
{
    const struct mrc_field *const f = present_field(p, bytes, key);
    mrc_text_add(t, ", \"%s\": ", key);
    if (!f) {
        mrc_text_add(t, "null");
        return;
    }
    const uint64_t value = mrc_field_get(f, bytes + p->off[f->hdr]);
    if (f->is_signed)
        mrc_text_add(t, "%d", (int16_t)value);
    else
        mrc_text_add(t, "%" PRIu64, value);
}

static void put_number(struct mrc_text *t, const char *key, bool there, uint64_t value)
{
    if (there)
        mrc_text_add(t, ", \"%s\": %" PRIu64, key, value);
    else
        mrc_text_add(t, ", \"%s\": null", key);
}

static void put_address(struct mrc_text *t, const char *key, const uint8_t *addr)
{
    mrc_text_add(t, ", \"%s\": ", key);
    if (!addr) {
        mrc_text_add(t, "null");
        return;
    }
    mrc_text_add(t, "\"");
    mrc_text_ip(t, addr, true);
    mrc_text_add(t, "\"");
}

size_t mrct_decode_json(const struct mrct_capture_frame *f, const struct mrc_pkt *p,
                        enum mrc_wire_error err, char *buf, size_t cap)
{
    struct mrc_text t;
    const bool is_mrc = err != MRC_WIRE_NOT_MRC && MRC_PKT_HAS(p, UDP);
    const bool whole = (err == MRC_WIRE_OK || err == MRC_WIRE_BAD_ICRC) && p->complete;
    mrc_text_init(&t, buf, cap);
    mrc_text_add(&t, "{\"frame\": %" PRIu64 ", \"time\": %" PRIu64 ".%09" PRIu64 ", \"len\": %u",
                 f->frame_no, f->time_ns / 1000000000, f->time_ns % 1000000000, f->wire_len);
    if (err == MRC_WIRE_OK)
        mrc_text_add(&t, ", \"error\": null");
    else
        mrc_text_add(&t, ", \"error\": \"%s\"", mrc_wire_error_str(err));
    mrc_text_add(&t, ", \"kind\": %s", kind_of(err));
    for (size_t i = 0; i < mrc_field_count; i++)
        if (mrc_fields[i].json && !is_repeated(&mrc_fields[i]))
            put_field(&t, p, f->bytes, mrc_fields[i].json);
    put_number(&t, "payload_len", whole, p->payload_len);
    put_number(&t, "ev", is_mrc, p->ev);
    put_number(&t, "trimmed", is_mrc, p->trim != MRC_TRIM_NONE);
    put_address(&t, "srv6", p->has_outer ? p->outer_ip6.dst : NULL);
    put_address(&t, "srh", MRC_PKT_HAS(p, SRH) ? p->srh.segment : NULL);
    mrc_text_add(&t, "}");
    return t.len;
}
