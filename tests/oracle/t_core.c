/* SPDX-License-Identifier: BSD-2-Clause */
/* The core: tables, pairing, grading, what is said when something is not known. */
#include "gen/mrc_req.h"
#include "tests/oracle/mirror.h"
#include "tests/oracle/suites.h"
#include <string.h>

#define CHECKS_MAX 512u

static bool lists(const struct mrc_requirement *r, const char *check)
{
    for (const char *const *c = r->checks; *c != NULL; c++)
        if (strcmp(*c, check) == 0)
            return true;
    return false;
}

START_TEST(each_check_has_its_requirement)
{
    static struct mrct_check_info checks[CHECKS_MAX];
    const size_t n = mrct_oracle_checks(checks, CHECKS_MAX);
    ck_assert_uint_gt(n, 100);
    ck_assert_uint_le(n, CHECKS_MAX);
    ck_assert_uint_eq(mrct_oracle_checks(checks, 0), n);
    for (size_t i = 0; i < n; i++) {
        const struct mrc_requirement *const r = mrc_requirement_find(checks[i].requirement);
        ck_assert_msg(r != NULL && lists(r, checks[i].name), "%s is not of %s", checks[i].name,
                      checks[i].requirement);
        ck_assert_msg(strstr(checks[i].file, "sec_") != NULL && checks[i].line > 0, "%s",
                      checks[i].name);
        for (size_t k = 0; k < i; k++)
            ck_assert_str_ne(checks[i].name, checks[k].name);
    }
}
END_TEST

START_TEST(each_requirement_has_its_checks)
{
    static struct mrct_check_info checks[CHECKS_MAX];
    const size_t n = mrct_oracle_checks(checks, CHECKS_MAX);
    for (size_t r = 0; r < mrc_requirement_count; r++)
        for (const char *const *c = mrc_requirements[r].checks; *c != NULL; c++) {
            bool found = false;
            for (size_t i = 0; i < n; i++)
                found = found || strcmp(checks[i].name, *c) == 0;
            ck_assert_msg(found, "%s of %s is not in any table", *c, mrc_requirements[r].id);
        }
}
END_TEST

START_TEST(results_keep_the_order_of_the_table)
{
    static struct mirror m;
    const struct mrct_req_result *results;
    mirror_init(&m, 100);
    mirror_begin(&m);
    const size_t n = mrct_oracle_results(m.t.w.oracle, &results);
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        while (at < mrc_requirement_count &&
               strcmp(mrc_requirements[at].id, results[i].requirement) != 0)
            at++;
        ck_assert_uint_lt(at, mrc_requirement_count);
        ck_assert_uint_eq(results[i].exercised, 0);
    }
    mirror_end(&m, NULL);
}
END_TEST

/* ---- pairing ---- */

/* One request that asks, its SACK with a wrong RTX: told only if both are paired. */
static void exchange(struct mirror *m, uint32_t n, uint32_t peer_qpn, uint32_t qpn)
{
    struct mrc_pkt p = mirror_request(m, n);
    p.bth.dest_qp = peer_qpn;
    p.bth.a = 1;
    mirror_come(m, &p);
    struct mrc_pkt s = mirror_sack(m, &p);
    s.bth.dest_qp = qpn;
    s.bth.rtx = 1;
    s.seth.spdcid = (uint16_t)peer_qpn;
    talk_frame(&m->t, &s);
}

START_TEST(learns_qpn_of_the_only_flow)
{
    static struct mirror m;
    mirror_init(&m, 100);
    talk_qp(&m.t)->qpn = talk_qp(&m.t)->peer_qpn = MRCT_UNKNOWN;
    mirror_begin(&m);
    exchange(&m, 0, 55, 66);
    mirror_end(&m, NULL);
    talk_fails(&m.t, "sack-rtx-echoed", 2);
}
END_TEST

START_TEST(learns_without_any_facts)
{
    static struct mirror m;
    mirror_init(&m, 100);
    mrct_facts_fini(&m.t.facts);
    mrct_facts_init(&m.t.facts);
    mirror_begin(&m);
    exchange(&m, 0, 55, 66);
    mirror_end(&m, NULL);
    talk_fails(&m.t, "sack-rtx-echoed", 2);
    ck_assert_str_eq(watch_find(&m.t.w, MRCT_FINDING_FAIL, "sack-rtx-echoed")->requirement,
                     "REQ-7.5.2-08");
    ck_assert_ptr_nonnull(watch_find(&m.t.w, MRCT_FINDING_INCONCLUSIVE, "cack-not-too-far"));
}
END_TEST

START_TEST(learns_by_the_id_of_the_sack)
{
    static struct mirror m;
    mirror_init(&m, 100);
    m.t.facts.qp_count = 0;
    mirror_begin(&m);
    struct mrc_pkt other = mirror_request(&m, 0);
    other.bth.dest_qp = 77;
    mirror_come(&m, &other);
    exchange(&m, 1, 55, 66);
    mirror_end(&m, NULL);
    talk_fails(&m.t, "sack-rtx-echoed", 3);
}
END_TEST

START_TEST(cannot_pair_is_inconclusive)
{
    static struct mirror m;
    mirror_init(&m, 100);
    m.t.facts.qp_count = 0;
    mirror_begin(&m);
    for (uint32_t qpn = 55; qpn < 57; qpn++) {
        struct mrc_pkt p = mirror_request(&m, 0);
        p.bth.dest_qp = qpn;
        mirror_come(&m, &p);
    }
    struct mrc_pkt s = talk_sack(100, 0);
    s.seth.spdcid = 0;
    talk_frame(&m.t, &s);
    talk_frame(&m.t, &s);
    mirror_end(&m, NULL);
    talk_all_hold(&m.t);
    const struct mrct_finding *const f =
        watch_find(&m.t.w, MRCT_FINDING_INCONCLUSIVE, "sack-rtx-echoed");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(strstr(f->why, "qpn"));
    ck_assert_uint_eq(f->frames[0], 3);
}
END_TEST

START_TEST(a_foreign_sack_is_not_learned)
{
    static struct mirror m;
    mirror_init(&m, 100);
    m.t.facts.qp_count = 0;
    mirror_begin(&m);
    mirror_come_all(&m, 0, 0);
    struct mrc_pkt s = talk_sack(5000000, 0); /* far from any PSN of the flow */
    s.seth.spdcid = 0;
    talk_frame(&m.t, &s);
    mirror_end(&m, NULL);
    talk_all_hold(&m.t);
    ck_assert_ptr_nonnull(watch_find(&m.t.w, MRCT_FINDING_INCONCLUSIVE, "sack-rtx-echoed"));
}
END_TEST

/* ---- facts that nobody gave ---- */

static void one_of_each(struct mirror *m)
{
    exchange(m, 0, TALK_PEER_QPN, TALK_ASKER_QPN);
    const struct mrc_pkt whole = mirror_request(m, 1);
    const struct mrc_pkt p = mirror_trimmed(&whole, MRC_TRIM_TRIMMED);
    mirror_come(m, &p);
    const struct mrc_pkt n = mirror_nack(&p, MRC_NACK_TRIMMED);
    talk_frame(&m->t, &n);
    const struct mrc_pkt a = mirror_ack(m);
    talk_frame(&m->t, &a);
}

static const struct {
    const char *fact, *check;
} facts[] = {
    {"start_psn", "cack-not-too-far"},
    {"start_psn", "transport-ack-due"},
    {"start_psn", "ooo-count"},
    {"start_psn", "transport-ack-msn"},
    {"start_psn", "sack-on-duplicate"},
    {"mpr", "beyond-window-not-recorded"},
    {"trim_nack", "trimmed-nacked"},
    {"dynamic_mpr", "sack-mpr-zero"},
    {"sack_threshold", "sack-on-threshold"},
    {"dscp", "nack-reason-by-class"},
};

static void forget(struct mirror *m, const char *fact)
{
    struct mrct_fact_qp *const q = talk_qp(&m->t);
    if (strcmp(fact, "start_psn") == 0)
        q->start_psn = MRCT_UNKNOWN;
    else if (strcmp(fact, "mpr") == 0)
        q->mpr = MRCT_UNKNOWN;
    else if (strcmp(fact, "trim_nack") == 0)
        q->trim_nack = MRCT_UNKNOWN;
    else if (strcmp(fact, "dynamic_mpr") == 0)
        q->dynamic_mpr = MRCT_UNKNOWN;
    else if (strcmp(fact, "sack_threshold") == 0)
        q->sack_threshold = MRCT_UNKNOWN;
    else
        m->t.facts.have_dscp = false;
}

START_TEST(missing_fact_is_named_once)
{
    static struct mirror m;
    size_t said = 0;
    mirror_init(&m, 100);
    forget(&m, facts[_i].fact);
    mirror_begin(&m);
    one_of_each(&m);
    one_of_each(&m);
    mirror_end(&m, NULL);
    talk_holds(&m.t, facts[_i].check);
    for (size_t i = 0; i < m.t.w.count; i++) {
        const struct mrct_finding *const f = &m.t.w.found[i];
        if (strcmp(f->check, facts[_i].check) == 0 && strstr(f->why, facts[_i].fact) != NULL) {
            ck_assert_int_eq(f->kind, MRCT_FINDING_INCONCLUSIVE);
            said++;
        }
    }
    ck_assert_uint_eq(said, 1);
}
END_TEST

/* ---- grading ---- */

static enum mrct_finding_kind graded(const char *check, bool strict, char q12, uint32_t more)
{
    static struct mirror m;
    mirror_init(&m, 100);
    m.t.cfg.strict = strict;
    m.t.cfg.reading[12] = q12;
    mirror_begin(&m);
    struct mrc_pkt p = mirror_request(&m, 1);
    p.bth.a = 1;
    mirror_come(&m, &p);
    struct mrc_pkt s = mirror_sack(&m, &p);
    s.cc_state.rcvd_bytes += more;
    talk_frame(&m.t, &s);
    mirror_end(&m, NULL);
    for (size_t i = 0; i < m.t.w.count; i++)
        if (strcmp(m.t.w.found[i].check, check) == 0)
            return m.t.w.found[i].kind;
    return MRCT_FINDING_INCONCLUSIVE;
}

START_TEST(weak_evidence_warns_unless_strict)
{
    ck_assert_int_eq(graded("rcvd-bytes-exact", false, 0, 100), MRCT_FINDING_WARN);
    ck_assert_int_eq(graded("rcvd-bytes-exact", true, 0, 100), MRCT_FINDING_FAIL);
    ck_assert_int_eq(graded("rcvd-bytes-exact", true, 0, 0), MRCT_FINDING_INCONCLUSIVE);
}
END_TEST

START_TEST(another_reading_passes_where_it_is_chosen)
{
    /* The reading c counts at least 1024 bytes a packet: 4 units, where a counts 1. */
    ck_assert_int_eq(graded("rcvd-bytes-exact", true, 'a', 3), MRCT_FINDING_FAIL);
    ck_assert_int_eq(graded("rcvd-bytes-exact", false, 'a', 3), MRCT_FINDING_WARN);
    ck_assert_int_eq(graded("rcvd-bytes-exact", true, 'c', 3), MRCT_FINDING_INCONCLUSIVE);
}
END_TEST

START_TEST(cut_frames_make_it_incomplete)
{
    static struct mirror m;
    mirror_init(&m, 100);
    mirror_begin(&m);
    const struct mrc_pkt p = mirror_request(&m, 0);
    talk_broken(&m.t, &p, MRC_WIRE_CUT);
    exchange(&m, 1, TALK_PEER_QPN, TALK_ASKER_QPN);
    mirror_end(&m, NULL);
    talk_holds(&m.t, "sack-rtx-echoed");
    ck_assert_ptr_nonnull(watch_find(&m.t.w, MRCT_FINDING_INCONCLUSIVE, "sack-rtx-echoed"));
}
END_TEST

START_TEST(other_protocols_are_not_judged)
{
    static struct mirror m;
    mirror_init(&m, 100);
    mirror_begin(&m);
    const struct mrc_pkt p = {0};
    talk_broken(&m.t, &p, MRC_WIRE_NOT_MRC);
    mirror_end(&m, NULL);
    ck_assert_uint_eq(m.t.w.count, 0);
}
END_TEST

START_TEST(time_error_is_taken_off)
{
    static struct mirror m;
    mirror_init(&m, 100);
    mirror_begin(&m);
    struct mrc_pkt p = mirror_request(&m, 0);
    p.bth.rtx = 1;
    struct mrct_obs obs = {
        .frame_no = 1, .pkt = p, .time_ns = 1000, .time_err_ns = 2 * m.t.cfg.reaction_ns};
    mrct_oracle_frame(m.t.w.oracle, &obs);
    obs.frame_no = 2;
    obs.pkt = mirror_request(&m, 1);
    obs.time_ns = 1000 + 3 * m.t.cfg.reaction_ns;
    mrct_oracle_frame(m.t.w.oracle, &obs);
    talk_holds(&m.t, "sack-on-rtx");
    obs.frame_no = 3;
    obs.pkt = mirror_request(&m, 2);
    obs.time_ns = 1000 + 6 * m.t.cfg.reaction_ns;
    mrct_oracle_frame(m.t.w.oracle, &obs);
    talk_fails(&m.t, "sack-on-rtx", 1);
    mirror_end(&m, NULL);
}
END_TEST

START_TEST(words_of_verdicts)
{
    ck_assert_str_eq(mrct_verdict_str(MRCT_PASS), "PASS");
    ck_assert_str_eq(mrct_verdict_str(MRCT_NOT_APPLICABLE), "NOT APPLICABLE");
    ck_assert_str_eq(mrct_verdict_str(MRCT_INCONCLUSIVE), "INCONCLUSIVE");
    ck_assert_str_eq(mrct_verdict_str(MRCT_FAIL), "FAIL");
    ck_assert_str_eq(mrct_verdict_str(MRCT_ERROR), "ERROR");
    ck_assert_str_eq(mrct_finding_kind_str(MRCT_FINDING_FAIL), "FAIL");
    ck_assert_str_eq(mrct_finding_kind_str(MRCT_FINDING_WARN), "WARN");
    ck_assert_str_eq(mrct_finding_kind_str(MRCT_FINDING_INCONCLUSIVE), "INCONCLUSIVE");
}
END_TEST

Suite *oracle_core_suite(void)
{
    Suite *const s = suite_create("core");
    TCase *const t = tcase_create("core");
    tcase_add_test(t, each_check_has_its_requirement);
    tcase_add_test(t, each_requirement_has_its_checks);
    tcase_add_test(t, results_keep_the_order_of_the_table);
    tcase_add_test(t, learns_qpn_of_the_only_flow);
    tcase_add_test(t, learns_without_any_facts);
    tcase_add_test(t, learns_by_the_id_of_the_sack);
    tcase_add_test(t, cannot_pair_is_inconclusive);
    tcase_add_test(t, a_foreign_sack_is_not_learned);
    tcase_add_loop_test(t, missing_fact_is_named_once, 0, (int)(sizeof(facts) / sizeof(facts[0])));
    tcase_add_test(t, weak_evidence_warns_unless_strict);
    tcase_add_test(t, another_reading_passes_where_it_is_chosen);
    tcase_add_test(t, cut_frames_make_it_incomplete);
    tcase_add_test(t, other_protocols_are_not_judged);
    tcase_add_test(t, time_error_is_taken_off);
    tcase_add_test(t, words_of_verdicts);
    suite_add_tcase(s, t);
    return s;
}
