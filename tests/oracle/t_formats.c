/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet formats: the golden capture, and one wrong field at a time. */
#include "harness/trace/capture.h"
#include "tests/oracle/suites.h"
#include "tests/oracle/talk.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define GOLDEN "tests/data/vectors/mrc-golden"

/* What is said of an invalid frame; its "why" in the vectors stands in the words of the finding. */
static const struct {
    const char *name, *check;
} invalid[] = {
    {"bad-icrc", "icrc-correct"},
    {"bad-icrc-ip4", "icrc-correct"},
    {"tver", "tver-zero"},
    {"opcode-unknown", "opcode-listed"},
    {"pad-over-payload", "pad-within-payload"},
    {"sack-m-reserved", "sack-m-listed"},
    {"nack-reason-unknown", "nack-reason-listed"},
    {"nack-psn-mismatch", "nack-psn-in-bth"},
    {"sack-psn-mismatch", "sack-psn-is-cack"},
    {"ep-op-reserved", "endpoint-op-listed"},
    {"ep-wrong-qp", "endpoint-to-qp-2"},
    {"first-not-multiple", "first-middle-full-mtu"},
    {"only-length-mismatch", "only-length-matches"},
    {"udp-length-over", "udp-length-fits"},
};

static const char *check_of(const char *name)
{
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
        if (strcmp(invalid[i].name, name) == 0)
            return invalid[i].check;
    return strncmp(name, "short-", 6) == 0 ? "headers-complete" : "";
}

static const struct mrct_finding *fail_on(const struct watch *w, uint64_t frame)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->found[i].kind == MRCT_FINDING_FAIL && w->found[i].frames[0] == frame)
            return &w->found[i];
    return NULL;
}

static void judge_golden(const struct watch *w, const json_t *vectors)
{
    for (size_t i = 0; i < json_array_size(vectors); i++) {
        const json_t *const v = json_array_get(vectors, i);
        const char *const name = json_string_value(json_object_get(v, "name"));
        const struct mrct_finding *const f = fail_on(w, i + 1);
        if (json_is_true(json_object_get(v, "valid"))) {
            ck_assert_msg(f == NULL, "%s: %s", name, f != NULL ? f->why : "");
            continue;
        }
        ck_assert_msg(f != NULL, "nothing is said of %s", name);
        ck_assert_msg(strcmp(f->check, check_of(name)) == 0, "%s is called %s: %s", name, f->check,
                      f->why);
    }
}

/* Numbers beyond jansson's range need not be read here. */
static json_t *load_vectors(void)
{
    json_error_t err;
    json_t *const v = json_load_file(GOLDEN ".json", JSON_DECODE_INT_AS_REAL, &err);
    ck_assert_msg(v != NULL, "%s:%d: %s", GOLDEN ".json", err.line, err.text);
    return v;
}

START_TEST(golden_capture)
{
    static struct watch w;
    struct mrct_facts facts;
    struct mrct_oracle_config cfg;
    json_t *const vectors = load_vectors();
    mrct_facts_init(&facts);
    mrc_wire_config_default(&facts.wire);
    mrct_oracle_config_default(&cfg);
    cfg.strict = true;
    cfg.facts = &facts;
    watch_start(&w, &cfg);
    ck_assert_uint_eq(watch_capture(&w, GOLDEN ".pcap", &facts), json_array_size(vectors));
    judge_golden(&w, vectors);
    ck_assert_uint_eq(watch_count(&w, MRCT_FINDING_FAIL), 26);
    watch_stop(&w);
    mrct_facts_fini(&facts);
    json_decref(vectors);
}
END_TEST

/* ---- one field at a time ---- */

static struct mrc_pkt a_write(void)
{
    return talk_write(MRC_OP_WRITE_FIRST, TALK_START_PSN, 0, 0x1000, TALK_MTU, 600);
}
static struct mrc_pkt a_last(void)
{
    return talk_write(MRC_OP_WRITE_LAST, TALK_START_PSN, 0, 0x1000, 88, 600);
}
static struct mrc_pkt an_only(void)
{
    return talk_only(TALK_START_PSN, 0);
}
static struct mrc_pkt a_sack(void)
{
    return talk_sack(TALK_START_PSN, 0);
}
static struct mrc_pkt a_nack(void)
{
    const struct mrc_pkt p = an_only();
    return talk_nack(&p, MRC_NACK_TRIMMED);
}
static struct mrc_pkt an_ack(void)
{
    return talk_ack(TALK_START_PSN, 1, MRC_SYN_ACK);
}
static struct mrc_pkt a_nak(void)
{
    return talk_ack(TALK_START_PSN, 1, MRC_SYN_REMOTE_ACCESS);
}
static struct mrc_pkt a_probe(void)
{
    return talk_probe(3);
}

static struct mrc_pkt endpoint(uint8_t opcode, uint32_t header)
{
    struct mrc_pkt p = talk_probe(0);
    p.present &= ~(UINT32_C(1) << MRC_HDR_PETH);
    p.present |= UINT32_C(1) << header;
    p.bth.opcode = opcode;
    p.bth.dest_qp = 2;
    p.bth.psn = 9;
    p.erth.op = p.eeth.op = MRC_EP_OP_EV_PROBE;
    p.erth.ftype = 1;
    p.dscp = opcode == MRC_OP_EP_RESPONSE ? 46 : 4;
    return p;
}
static struct mrc_pkt an_ep_request(void)
{
    return endpoint(MRC_OP_EP_REQUEST, MRC_HDR_ERTH);
}
static struct mrc_pkt an_ep_response(void)
{
    return endpoint(MRC_OP_EP_RESPONSE, MRC_HDR_EETH);
}

#define SET(name, lvalue, value)                                                                   \
    static void name(struct mrc_pkt *p)                                                            \
    {                                                                                              \
        p->lvalue = (value);                                                                       \
    }
SET(psn_off, bth.psn, TALK_START_PSN + 5)
SET(psn_high, bth.psn, 0x10009)
SET(qp_data, bth.dest_qp, TALK_PEER_QPN)
SET(r_bit, bth.r, 1)
SET(rsvd_bit, bth.inv_rsvd, 8)
SET(pad_odd, bth.pad_cnt, 1)
SET(pad_wide, bth.pad_cnt, 4)
SET(ftype_two, tseth.ftype, 2)
SET(ftype_probe, peth.ftype, 2)
SET(stamp_rsvd, tseth.rsvd, 1)
SET(not_mtu, payload_len, 512)
SET(only_long, reth.dma_len, 8)
SET(last_empty, payload_len, 0)
SET(last_wide, payload_len, TALK_MTU + 4)
SET(first_short, reth.dma_len, TALK_MTU)
SET(no_length, reth.dma_len, 0)
SET(m_three, seth.m, 3)
SET(reason_odd, neth.nack_reason, 0x55)
SET(request_op, erth.op, 2)
SET(response_op, eeth.op, 2)
SET(credit, aeth.syndrome, 0x05)
SET(sequence, aeth.syndrome, 0x60)
SET(rnr, aeth.syndrome, 0x2C)
SET(nak_odd, aeth.syndrome, 0x7F)
SET(nack_cc, neth.cc_type, 0)
SET(sack_rsvd, seth.rsvd1, 1)
SET(state_rsvd, cc_state.rsvd, 1)
SET(nack_rsvd, neth.rsvd2, 1)
SET(probe_rsvd, peth.rsvd2, 1)
SET(probe_psn, bth.psn, 4)
SET(request_rsvd, erth.next_hdr, 1)
SET(response_rsvd, eeth.rsvd2[7], 1)
SET(payload, payload_len, 4)
SET(icrc_off, icrc_state, MRC_ICRC_WRONG)

static void icrc_off_srv6(struct mrc_pkt *p)
{
    p->has_outer = true;
    p->icrc_state = MRC_ICRC_WRONG;
}

static const struct {
    const char *check;
    struct mrc_pkt (*make)(void);
    void (*spoil)(struct mrc_pkt *p);
} fields[] = {
    {"bth-reserved-zero", a_write, r_bit},
    {"bth-reserved-zero", a_sack, rsvd_bit},
    {"pad-to-four", an_only, pad_odd},
    {"first-middle-full-mtu", a_write, not_mtu},
    {"first-middle-full-mtu", a_write, pad_wide},
    {"only-length-matches", an_only, only_long},
    {"last-only-length-bounded", a_last, last_empty},
    {"last-only-length-bounded", a_last, last_wide},
    {"first-length-exceeds-payload", a_write, first_short},
    {"message-not-empty", an_only, no_length},
    {"icrc-correct", a_write, icrc_off},
    {"icrc-srv6-inner", a_write, icrc_off_srv6},
    {"tseth-ftype-one", a_write, ftype_two},
    {"tseth-ftype-one", a_probe, ftype_probe},
    {"tseth-reserved-zero", a_write, stamp_rsvd},
    {"sack-psn-is-cack", a_sack, psn_off},
    {"nack-psn-in-bth", a_nack, psn_off},
    {"sack-m-listed", a_sack, m_three},
    {"nack-reason-listed", a_nack, reason_odd},
    {"endpoint-op-listed", an_ep_request, request_op},
    {"endpoint-response-op-listed", an_ep_response, response_op},
    {"endpoint-to-qp-2", an_ep_request, qp_data},
    {"endpoint-to-qp-2", an_ep_response, qp_data},
    {"endpoint-psn-high-zero", an_ep_request, psn_high},
    {"aeth-credit-unused", an_ack, credit},
    {"no-sequence-or-rnr-nak", a_nak, sequence},
    {"no-sequence-or-rnr-nak", a_nak, rnr},
    {"nak-code-listed", a_nak, nak_odd},
    {"nack-cc-type", a_nack, nack_cc},
    {"sack-reserved-zero", a_sack, sack_rsvd},
    {"sack-reserved-zero", a_sack, state_rsvd},
    {"nack-reserved-zero", a_nack, nack_rsvd},
    {"probe-reserved-zero", a_probe, probe_rsvd},
    {"probe-reserved-zero", a_probe, probe_psn},
    {"endpoint-request-reserved-zero", an_ep_request, request_rsvd},
    {"endpoint-response-reserved-zero", an_ep_response, response_rsvd},
    {"control-without-payload", a_sack, payload},
    {"control-without-payload", a_probe, payload},
};

static void one_frame(struct talk *t, const struct mrc_pkt *p)
{
    talk_init(t);
    talk_begin(t);
    talk_frame(t, p);
    talk_end(t);
}

START_TEST(field_is_judged)
{
    static struct talk t;
    struct mrc_pkt p = fields[_i].make();
    one_frame(&t, &p);
    talk_holds(&t, fields[_i].check);
    fields[_i].spoil(&p);
    one_frame(&t, &p);
    talk_fails(&t, fields[_i].check, 1);
}
END_TEST

/* Bits that the network turned are not the sender's, but where the frame was seen leaving. */
START_TEST(damage_on_the_way)
{
    static struct talk t;
    struct mrc_pkt p = a_write();
    p.icrc_state = MRC_ICRC_WRONG;
    p.bth.r = 1;
    p.reth.dma_len = 0;
    talk_init(&t);
    t.cfg.tap = MRCT_TAP_RESPONDER;
    talk_begin(&t);
    talk_frame(&t, &p);
    talk_end(&t);
    ck_assert_uint_eq(watch_count(&t.w, MRCT_FINDING_FAIL), 1);
    const struct mrct_finding *const f = watch_find(&t.w, MRCT_FINDING_FAIL, "icrc-correct");
    ck_assert_ptr_nonnull(f);
    ck_assert_str_eq(f->host, "sender or path");
}
END_TEST

START_TEST(trimmed_lengths_are_not_judged)
{
    static struct talk t;
    struct mrc_pkt p = a_write();
    p.trim = MRC_TRIM_TRIMMED;
    p.dscp = p.inner_dscp = 12;
    p.icrc_state = MRC_ICRC_ABSENT;
    p.payload_len = 16;
    talk_init(&t);
    t.cfg.tap = MRCT_TAP_RESPONDER;
    talk_begin(&t);
    talk_frame(&t, &p);
    talk_end(&t);
    talk_all_hold(&t);
}
END_TEST

Suite *oracle_formats_suite(void)
{
    Suite *const s = suite_create("formats");
    TCase *const c = tcase_create("formats");
    tcase_add_test(c, golden_capture);
    tcase_add_loop_test(c, field_is_judged, 0, (int)(sizeof fields / sizeof fields[0]));
    tcase_add_test(c, damage_on_the_way);
    tcase_add_test(c, trimmed_lengths_are_not_judged);
    suite_add_tcase(s, c);
    return s;
}
