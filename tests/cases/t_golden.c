/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each invalid packet of the golden list has a scripted case of its name, and that case sends a
 * packet with that fault: one that the decoder refuses for the same reason, or, where the decoder
 * takes it, one that a checker would hold against its sender in the same words.
 */
#include "harness/cases/run.h"
#include "harness/trace/capture.h"
#include "tests/cases/suites.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define VECTORS "tests/data/vectors/mrc-golden.json"

static struct mrc_pkt pkt;

static bool is_sack(const struct mrc_pkt *p)
{
    return p->bth.opcode == MRC_OP_SACK;
}

static bool is_first(const struct mrc_pkt *p)
{
    return p->bth.opcode == MRC_OP_WRITE_FIRST;
}

/* What makes a packet illegal that the decoder takes, by the list's name of it. */
static bool is_illegal(const char *name, const struct mrc_pkt *p)
{
    if (strcmp(name, "sack-m-reserved") == 0)
        return is_sack(p) && p->seth.m == 3;
    if (strcmp(name, "nack-reason-unknown") == 0)
        return p->bth.opcode == MRC_OP_NACK && mrc_nack_reason_str(p->neth.nack_reason) == NULL;
    if (strcmp(name, "nack-psn-mismatch") == 0)
        return p->bth.opcode == MRC_OP_NACK && p->neth.nack_psn != p->bth.psn;
    if (strcmp(name, "sack-psn-mismatch") == 0)
        return is_sack(p) && p->seth.cack_psn != p->bth.psn;
    if (strcmp(name, "ep-op-reserved") == 0)
        return p->bth.opcode == MRC_OP_EP_REQUEST && p->erth.op > MRC_EP_OP_EV_PROBE;
    if (strcmp(name, "ep-wrong-qp") == 0)
        return p->bth.opcode == MRC_OP_EP_REQUEST && p->bth.dest_qp != 2;
    if (strcmp(name, "first-not-multiple") == 0)
        return is_first(p) && p->payload_len != 1024;
    if (strcmp(name, "only-length-mismatch") == 0)
        return p->bth.opcode == MRC_OP_WRITE_ONLY && p->payload_len != p->reth.dma_len;
    return false;
}

static bool shows(const char *name, const char *why, const struct mrct_capture_frame *f)
{
    struct mrc_wire_config cfg;
    mrc_wire_config_default(&cfg);
    const enum mrc_wire_error err =
        mrc_pkt_decode(&cfg, f->bytes, f->cap_len, f->wire_len, true, &pkt);
    if (err != MRC_WIRE_OK) {
        return strcmp(mrc_wire_error_str(err), why) == 0 &&
               (strstr(name, "ip4") != NULL) == !pkt.is_v6;
    }
    return is_illegal(name, &pkt);
}

/* The case of that name, played with its capture: a frame in it has the fault. */
static bool case_shows(const char *name, const char *why)
{
    char path[600];
    char id[100];
    char err[700] = "";
    struct mrct_case c;
    struct mrct_run_config cfg;
    struct mrct_pool pool;
    struct mrct_result_case r;
    struct mrct_capture_frame f;
    bool shown = false;
    (void)snprintf(id, sizeof id, "malformed/%s", name);
    (void)snprintf(path, sizeof path, "cases/%s.yaml", id);
    ck_assert_msg(mrct_case_load(&c, path, id, err, sizeof err) == 0, "%s", err);
    ck_assert_msg(c.script != NULL, "%s is not scripted", id);
    mrct_run_config_default(&cfg);
    cfg.out_dir = scratch_path(".");
    mrct_pool_init(&pool);
    mrct_run_case(&cfg, &c, &pool, &r);
    ck_assert_msg(r.verdict == MRCT_PASS, "%s: %s", id, r.why);
    struct mrct_capture *const in = mrct_capture_open(scratch_path(r.capture), err, sizeof err);
    ck_assert_msg(in != NULL, "%s", err);
    while (!shown && mrct_capture_next(in, &f) == MRCT_CAPTURE_FRAME) {
        shown = shows(name, why, &f);
    }
    mrct_capture_close(in);
    mrct_pool_fini(&pool);
    mrct_case_fini(&c);
    return shown;
}

START_TEST(each_invalid_packet_is_sent)
{
    json_error_t bad;
    json_t *const list = json_load_file(VECTORS, JSON_DECODE_INT_AS_REAL, &bad);
    size_t i = 0;
    size_t invalid = 0;
    json_t *one = NULL;
    ck_assert_msg(list != NULL, "%s: %s", VECTORS, bad.text);
    json_array_foreach(list, i, one)
    {
        const char *const name = json_string_value(json_object_get(one, "name"));
        const char *const why = json_string_value(json_object_get(one, "why"));
        if (json_is_true(json_object_get(one, "valid"))) {
            continue;
        }
        invalid++;
        ck_assert_msg(case_shows(name, why), "malformed/%s sends no packet with '%s'", name, why);
    }
    ck_assert_uint_eq(invalid, 26);
    json_decref(list);
}
END_TEST

Suite *cases_golden_suite(void)
{
    Suite *const s = suite_create("golden");
    TCase *const t = tcase_create("golden");
    tcase_set_timeout(t, 0);
    tcase_add_checked_fixture(t, scratch_setup, scratch_teardown);
    tcase_add_test(t, each_invalid_packet_is_sent);
    suite_add_tcase(s, t);
    return s;
}
