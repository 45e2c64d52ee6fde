/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/wire/words.h"

#include <string.h>

#define DEC(w, f, h)                                                                               \
    {                                                                                              \
        w, f, MRC_HDR_##h, MRC_WORD_DEC, false, 0                                                  \
    }
#define DEC_BUT(w, f, h, u)                                                                        \
    {                                                                                              \
        w, f, MRC_HDR_##h, MRC_WORD_DEC, true, u                                                   \
    }
#define HEX(w, f, h)                                                                               \
    {                                                                                              \
        w, f, MRC_HDR_##h, MRC_WORD_HEX, false, 0                                                  \
    }
#define HEX_BUT(w, f, h, u)                                                                        \
    {                                                                                              \
        w, f, MRC_HDR_##h, MRC_WORD_HEX, true, u                                                   \
    }
#define FLAG(w, f, h)                                                                              \
    {                                                                                              \
        w, f, MRC_HDR_##h, MRC_WORD_FLAG, true, 0                                                  \
    }
#define CODE(w, f, h)                                                                              \
    {                                                                                              \
        w, f, MRC_HDR_##h, MRC_WORD_CODE, false, 0                                                 \
    }
#define CODE_BUT(w, f, h, u)                                                                       \
    {                                                                                              \
        w, f, MRC_HDR_##h, MRC_WORD_CODE, true, u                                                  \
    }
#define OWN(f, h)                                                                                  \
    {                                                                                              \
        "", f, MRC_HDR_##h, MRC_WORD_OWN, false, 0                                                 \
    }

/* clang-format off */
const struct mrc_word mrc_words[] = {
    OWN("opcode", BTH),
    OWN("pad_cnt", BTH),
    OWN("ts", BTH),
    HEX("qp", "dest_qp", BTH),
    DEC("psn", "psn", BTH),
    FLAG("A", "a", BTH),
    FLAG("RTX", "rtx", BTH),
    FLAG("SE", "se", BTH),
    FLAG("MIG", "m", BTH),
    DEC_BUT("tver", "tver", BTH, 0),
    HEX_BUT("pkey", "pkey", BTH, 0xFFFF),
    DEC("ts", "tx_timestamp", TSETH),
    DEC_BUT("tsr", "tsr", TSETH, 0),
    DEC_BUT("ftype", "ftype", TSETH, MRC_FTYPE_TIMESTAMP),
    DEC("msn", "msn", METH),
    DEC("rqmsn", "rqmsn", METH),
    HEX("va", "va", RETH),
    HEX("rkey", "rkey", RETH),
    DEC("dma", "dma_len", RETH),
    HEX("imm", "imm", IMMDT),
    CODE("syn", "syndrome", AETH),
    DEC("msn", "msn", AETH),
    DEC("cack", "cack_psn", SETH),
    DEC("off", "ack_psn_offset", SETH),
    FLAG("PR", "pr", SETH),
    DEC("probe", "probe_id", SETH),
    CODE_BUT("m", "m", SETH, MRC_M_NONE),
    HEX("entropy", "entropy", SETH),
    DEC("mpr", "mpr", SETH),
    DEC("soff", "sack_offset", SETH),
    {"sack", "sack_bitmap", MRC_HDR_SETH, MRC_WORD_SACK, false, 0},
    HEX("spdcid", "spdcid", SETH),
    HEX("dpdcid", "dpdcid", SETH),
    DEC_BUT("cctype", "cc_type", SETH, MRC_CC_TYPE_CC_STATE),
    DEC("ts", "tx_timestamp", CC_STATE),
    DEC("ooo", "ooo_count", CC_STATE),
    FLAG("RC", "r_c", CC_STATE),
    DEC("pen", "rcv_cwnd_pen", CC_STATE),
    DEC("rcvd", "rcvd_bytes", CC_STATE),
    CODE("reason", "nack_reason", NETH),
    DEC("npsn", "nack_psn", NETH),
    HEX("entropy", "entropy", NETH),
    DEC("ts", "tx_timestamp", NETH),
    DEC_BUT("vendor", "vendor_info", NETH, 0),
    HEX("spdcid", "spdcid", NETH),
    HEX("dpdcid", "dpdcid", NETH),
    DEC_BUT("cctype", "cc_type", NETH, MRC_CC_TYPE_NACK),
    DEC("probe", "probe_id", PETH),
    DEC("ts", "tx_timestamp", PETH),
    DEC_BUT("tsr", "tsr", PETH, 0),
    DEC_BUT("ftype", "ftype", PETH, MRC_FTYPE_TIMESTAMP),
    DEC_BUT("vendor", "vendor_info", PETH, 0),
    HEX("spdcid", "spdcid", PETH),
    HEX("dpdcid", "dpdcid", PETH),
    CODE("ep", "op", ERTH),
    HEX("ports", "port_status_mask", ERTH),
    DEC("ts", "tx_timestamp", ERTH),
    DEC_BUT("tsr", "tsr", ERTH, 0),
    DEC_BUT("ftype", "ftype", ERTH, MRC_FTYPE_TIMESTAMP),
    DEC_BUT("vendor", "vendor_info", ERTH, 0),
    CODE("ep", "op", EETH),
    DEC("ts", "tx_timestamp", EETH),
};
/* clang-format on */
const size_t mrc_word_count = sizeof mrc_words / sizeof mrc_words[0];

static const char *own_name(const struct mrc_field *f)
{
    return strchr(f->name, '.') + 1;
}

const struct mrc_field *mrc_word_field(const struct mrc_word *w)
{
    const struct mrc_hdr_info *const h = &mrc_hdrs[w->hdr];
    for (unsigned i = 0; i < h->field_count; i++) {
        const struct mrc_field *const f = &mrc_fields[h->first_field + i];
        if (strcmp(own_name(f), w->field) == 0) {
            return f;
        }
    }
    return NULL;
}

bool mrc_word_covers(const struct mrc_field *f)
{
    for (size_t i = 0; i < mrc_word_count; i++) {
        if (mrc_words[i].hdr == f->hdr && strcmp(mrc_words[i].field, own_name(f)) == 0) {
            return true;
        }
    }
    return false;
}
