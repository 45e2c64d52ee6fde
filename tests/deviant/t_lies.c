/* SPDX-License-Identifier: BSD-2-Clause */
/* Each liar behaves until it lies, and then exactly what it lies about is different. */
#include "tests/deviant/suites.h"

#include "tests/deviant/differ.h"
#include <string.h>

/* What differs first; "?": a lie of many consequences, something does; "~": this run has no
 * occasion for the lie, so nothing does. */
static const struct {
    const char *name, *differs;
    struct net_options options;
} table[] = {
    {"wrong-icrc", "icrc", {false}},
    {"icrc-over-outer", "~", {false}},
    {"headers-cut", "?", {false}},
    {"udp-too-long", "?", {false}},
    {"udp-too-short", "?", {false}},
    {"pad-without-payload", "?", {false}},
    {"middle-short", "?", {false}},
    {"only-length", "?", {false}},
    {"message-order", "bth.opcode", {false}},
    {"probe-reserved-set", "?", {false}},
    {"endpoint-op", "?", {false}},
    {"endpoint-to-qp-three", "?", {false}},
    {"endpoint-reserved-set", "?", {false}},
    {"probe-unanswered", "?", {false}},
    {"probe-id-other", "?", {false}},
    {"sack-cc-type", "seth.cc_type", {false}},
    {"bitmap-forgets", "?", {false}},
    {"late-ev-used", "?", {false}},
    {"denial-ignored", "?", {false}},
    {"replacement-ignored", "~", {false}},
    {"port-change-untold", "~", {false}},
    {"retries-per-packet", "~", {false}},
    {"checksum-minded", "~", {false}},
    {"ev-sticky", "?", {false}},
    {"ev-favoured", "?", {false}},
    {"evs-uneven", "~", {false}},
    {"one-plane", "~", {false}},
    {"nacked-withdrawn", "?", {false}},
    {"always-skip-ignored", "~", {false}},
    {"bad-ev-unprobed", "missing", {false}},
    {"mark-ignored", "?", {false}},
    {"trim-ignored", "?", {false}},
    {"port-status-ignored", "~", {false}},
    {"port-up-ignored", "~", {false}},
    {"probe-takes-psn", "?", {false}},
    {"rkey-in-last", "reth.rkey", {false}},
    {"rtx-beyond-window", "~", {false}},
    {"request-marked", "ipv6.ecn", {false}},
    {"trimmed-class-sent", "ipv6.dscp", {false}},
    {"nak-other-psn", "bth.psn", {false}},
    {"nak-early", "~", {false}},
    {"inside-refused", "?", {false}},
    {"below-nacked", "?", {false}},
    {"refused-recorded", "~", {false}},
    {"reserved-minded", "~", {false}},
    {"pkey-unchecked", "~", {false}},
    {"response-op-other", "eeth.op", {false}},
    {"port-status-unanswered", "~", {false}},
    {"probe-entropy", "seth.entropy", {false}},
    {"probe-timestamp", "cc_state.tx_timestamp", {false}},
    {"probe-mark-untold", "~", {false}},
    {"window-untold", "~", {false}},
    {"sack-ts-set", "bth.ts", {false}},
    {"completions-swapped", "told", {false}},
    {"completion-twice", "told", {false}},
    {"completion-missing", "told", {false}},
    {"flush-missing", "~", {false}},
    {"nak-untold", "told", {false}},
    {"nak-cause", "told", {false}},
    {"nak-ignored", "?", {false}},
    {"gives-up-early", "?", {false}},
    {"answers-in-error", "~", {false}},
    {"empty-rq-untold", "~", {false}},
    {"wimm-excess-silent", "?", {false}},
    {"wimm-excess-untold", "~", {false}},
    {"receives-swapped", "told", {false}},
    {"receive-length", "~", {false}},
    {"opcode-unlisted", "extra", {false}},
    {"tver-one", "extra", {false}},
    {"pad-missing", "ipv6.payload_len udp.length bth.pad_cnt", {false}},
    {"bth-reserved-set", "bth.r", {false}},
    {"tseth-ftype", "tseth.ftype", {false}},
    {"tseth-reserved-set", "tseth.rsvd", {false}},
    {"timestamp-unit", "tseth.tx_timestamp", {false}},
    {"psn-skipped", "bth.psn", {false}},
    {"start-psn", "bth.psn", {false}},
    {"penalty-ignored", "~", {false}},
    {"mpr-ignored", "bth.a", {false}},
    {"dynamic-mpr-ignored", "bth.a", {.dynamic_mpr = true}},
    {"va-not-advanced", "reth.va", {false}},
    {"dma-length-left", "reth.dma_len", {false}},
    {"dma-length-of-first", "reth.dma_len", {false}},
    {"dma-length-more", "reth.dma_len", {false}},
    {"message-empty", "reth.dma_len", {false}},
    {"last-empty", "ipv6.payload_len udp.length payload length", {false}},
    {"msn-in-last", "meth.msn", {false}},
    {"msn-not-counted", "meth.msn", {false}},
    {"rqmsn-in-last", "meth.rqmsn", {false}},
    {"rqmsn-not-counted", "meth.rqmsn", {false}},
    {"wimm-limit-ignored", "bth.a", {false}},
    {"immediate-changed", "immdt.imm", {false}},
    {"completion-early", "told", {false}},
    {"rtx-not-set", "ipv6.dscp bth.rtx", {false}},
    {"rtx-on-first", "ipv6.dscp bth.rtx", {false}},
    {"rtx-other-header", "meth.rqmsn", {false}},
    {"rtx-other-payload", "payload", {false}},
    {"rtx-on-nacked-ev", "?", {false}},
    {"rtx-on-same-ev", "ipv6.flow_label udp.src_port", {false}},
    {"rtx-old-timestamp", "tseth.tx_timestamp", {false}},
    {"hole-kept", "missing", {false}},
    {"go-back-n", "extra", {false}},
    {"nack-ignored", "missing", {false}},
    {"unexp-event-ignored", "?", {false}},
    {"timeout-halved", "tseth.tx_timestamp", {false}},
    {"backoff-flat", "?", {false}},
    {"retry-limit-ignored", "extra", {false}},
    {"retry-exceeded-silent", "told", {false}},
    {"no-a-before-idle", "bth.a", {false}},
    {"request-dscp", "ipv6.dscp", {false}},
    {"rtx-dscp", "ipv6.dscp", {false}},
    {"request-not-ect", "ipv6.ecn", {false}},
    {"flow-label-high", "ipv6.flow_label", {false}},
    {"request-after-error", "extra", {false}},
    {"ack-early", "extra", {false}},
    {"ack-msn-stuck", "aeth.msn", {false}},
    {"ack-missing", "missing", {false}},
    {"access-error-silent", "?", {false}},
    {"icrc-unchecked", "?", {false}},
    {"tver-unchecked", "?", {false}},
    {"bad-length-answered", "extra", {false}},
    {"immediate-early", "told", {false}},
    {"immediate-wrong", "told", {false}},
    {"placed-too-much", "memory", {false}},
    {"duplicate-placed", "told", {false}},
    {"duplicate-unacked", "missing", {false}},
    {"beyond-window-recorded", "missing", {false}},
    {"beyond-window-silent", "missing", {false}},
    {"sack-bth-psn", "bth.psn", {false}},
    {"nack-bth-psn", "bth.psn", {false}},
    {"sack-m-reserved", "seth.m", {false}},
    {"nack-reason-unlisted", "neth.nack_reason", {false}},
    {"nak-sequence-error", "aeth.syndrome", {false}},
    {"nak-code-unlisted", "aeth.syndrome", {false}},
    {"sack-other-qp", "extra", {false}},
    {"response-op", "eeth.op", {false}},
    {"response-psn-high", "bth.psn", {false}},
    {"response-reserved-set", "eeth.rsvd2", {false}},
    {"ev-probe-unanswered", "missing", {false}},
    {"response-timestamp", "eeth.tx_timestamp", {false}},
    {"response-unprovoked", "extra", {false}},
    {"ack-credit", "aeth.syndrome", {false}},
    {"nack-cc-type", "neth.cc_type", {false}},
    {"sack-reserved-set", "seth.rsvd2", {false}},
    {"nack-reserved-set", "neth.rsvd2", {false}},
    {"sack-with-payload", "ipv6.payload_len udp.length payload length", {false}},
    {"ids-swapped", "seth.spdcid seth.dpdcid", {false}},
    {"trim-silent", "missing", {false}},
    {"nack-reason-swapped", "neth.nack_reason", {false}},
    {"nack-uncalled", "?", {.no_trim_nack = true}},
    {"nack-psn", "bth.psn neth.nack_psn", {false}},
    {"nack-entropy", "neth.entropy", {false}},
    {"nack-timestamp", "neth.tx_timestamp", {false}},
    {"nack-rtx", "bth.rtx", {false}},
    {"trimmed-recorded", "?", {false}},
    {"no-sack-on-a", "missing", {false}},
    {"no-sack-on-ce", "?", {false}},
    {"no-sack-on-rtx", "missing", {false}},
    {"sack-threshold-ignored", "?", {false}},
    {"no-sack-on-duplicate", "missing", {false}},
    {"sack-trigger-offset", "seth.ack_psn_offset", {false}},
    {"sack-entropy", "seth.entropy", {false}},
    {"sack-rtx", "bth.rtx", {false}},
    {"sack-timestamp", "cc_state.tx_timestamp", {false}},
    {"sack-timestamp-invented", "cc_state.tx_timestamp", {.no_tseth = true}},
    {"m-never", "seth.m", {false}},
    {"m-always", "seth.m", {false}},
    {"cack-too-far", "bth.psn seth.ack_psn_offset seth.cack_psn seth.sack_offset", {false}},
    {"cack-behind",
     "bth.psn seth.ack_psn_offset seth.cack_psn seth.sack_bitmap cc_state.ooo_count",
     {false}},
    {"sack-bitmap-shifted", "seth.sack_bitmap", {false}},
    {"sack-bitmap-high", "seth.sack_offset seth.sack_bitmap", {false}},
    {"ooo-count", "cc_state.ooo_count", {false}},
    {"rcvd-bytes-back", "cc_state.rcvd_bytes", {false}},
    {"rcvd-bytes-duplicates", "cc_state.rcvd_bytes", {false}},
    {"rcvd-bytes-payload", "cc_state.rcvd_bytes", {false}},
    {"sack-mpr-set", "seth.mpr", {false}},
    {"control-dscp", "ipv6.dscp", {false}},
};
#define ROWS (sizeof table / sizeof table[0])

START_TEST(lies_about_one_thing)
{
    const struct mrct_deviant *const d = mrct_deviant_find(table[_i].name);
    struct net_log honest, liar;
    char words[400];
    ck_assert_ptr_nonnull(d);
    const unsigned watched = d->as_requestor ? 0 : 1;
    net_run(NULL, watched, &table[_i].options, &honest);
    net_run(d, watched, &table[_i].options, &liar);
    differ(&honest, &liar, words, sizeof words);
    if (table[_i].differs[0] == '~')
        ck_assert_msg(strcmp(words, "nothing") == 0, "%s: '%s' differs", d->name, words);
    else if (table[_i].differs[0] == '?')
        ck_assert_msg(strcmp(words, "nothing") != 0, "%s: nothing differs", d->name);
    else
        ck_assert_msg(strcmp(words, table[_i].differs) == 0, "%s: '%s' differs, not '%s'", d->name,
                      words, table[_i].differs);
    net_log_fini(&honest);
    net_log_fini(&liar);
}
END_TEST

START_TEST(every_deviant_is_in_the_table)
{
    for (size_t i = 0; i < mrct_deviant_count; i++) {
        size_t k = 0;
        while (k < ROWS && strcmp(table[k].name, mrct_deviants[i].name) != 0)
            k++;
        ck_assert_msg(k < ROWS, "%s", mrct_deviants[i].name);
    }
    ck_assert_uint_eq(ROWS, mrct_deviant_count);
}
END_TEST

START_TEST(names_and_words)
{
    for (size_t i = 0; i < mrct_deviant_count; i++) {
        const struct mrct_deviant *const d = &mrct_deviants[i];
        ck_assert_ptr_eq(mrct_deviant_find(d->name), d); /* so no name stands there twice */
        ck_assert_int_eq(strncmp(d->requirement, "REQ-", 4), 0);
        ck_assert_int_eq(d->what[strlen(d->what) - 1], '.');
        ck_assert_uint_eq(strspn(d->name, "abcdefghijklmnopqrstuvwxyz-"), strlen(d->name));
    }
    ck_assert_ptr_null(mrct_deviant_find("honest"));
}
END_TEST

START_TEST(a_run_repeats)
{
    const struct net_options plain = {false, false, false};
    struct net_log a, b;
    char words[400];
    net_run(NULL, (unsigned)_i, &plain, &a);
    net_run(NULL, (unsigned)_i, &plain, &b);
    differ(&a, &b, words, sizeof words);
    ck_assert_str_eq(words, "nothing");
    net_log_fini(&a);
    net_log_fini(&b);
}
END_TEST

START_TEST(a_bad_configuration_is_refused)
{
    struct mrc_ep_config cfg;
    mrc_ep_config_default(&cfg);
    cfg.ports = 0;
    ck_assert_ptr_null(mrct_deviants[0].make(&cfg, 1));
}
END_TEST

Suite *suite_lies(void)
{
    Suite *const s = suite_create("deviants");
    TCase *const tc = tcase_create("lies");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, lies_about_one_thing, 0, (int)ROWS);
    tcase_add_test(tc, every_deviant_is_in_the_table);
    tcase_add_test(tc, names_and_words);
    tcase_add_loop_test(tc, a_run_repeats, 0, 2);
    tcase_add_test(tc, a_bad_configuration_is_refused);
    suite_add_tcase(s, tc);
    return s;
}
