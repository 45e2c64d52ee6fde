/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts: what the parser takes and refuses, and what the player makes of times, sets and bans. */
#include "tests/cases/stage.h"
#include "tests/cases/suites.h"

#include <stdio.h>
#include <string.h>

/* The script's first line is line 9 of the file. */
static int load(const char *device, const char *script)
{
    char text[6000];
    (void)snprintf(text, sizeof text,
                   "id: t/s\ntitle: A title\npurpose: A purpose.\nrequirements: [REQ-6.2-01]\n"
                   "device: %s\ntopology: {planes: 2}\noptions: {host1: {timeout: 14}}\n"
                   "script: |\n%s",
                   device, script);
    mrct_case_fini(&stage.c);
    return mrct_case_load(&stage.c, scratch_file("t/s.yaml", text), "t/s", stage.err,
                          sizeof stage.err);
}

static void play(const char *device, const char *script)
{
    const int rc = load(device, script);
    ck_assert_msg(rc == 0, "%s", stage.err);
    stage.c.requirement_count = 0;
    mrct_run_case(&stage.cfg, &stage.c, &stage.pool, &stage.r);
}

static void came_to(enum mrct_verdict v, const char *words)
{
    ck_assert_msg(stage.r.verdict == v, "%s: %s", mrct_verdict_str(stage.r.verdict), stage.r.why);
    ck_assert_msg(strstr(stage.r.why, words) != NULL, "'%s' is not in '%s'", words, stage.r.why);
}

/* ---- what is refused ---- */

static const struct {
    const char *script;
    const char *want; /* behind the file's name */
} bad[] = {
    {"  0 > WRITE_ONLY\n  then > SACK\n", ":10: script: a time was expected first, like 10us"},
    {"  10 > SACK\n", ":9: script: a time was expected first"},
    {"  +1us~2us > SACK\n", ":9: script: the time +1us~2us is no range"},
    {"  2us~1us wait\n", ":9: script: the time 2us~1us is no range"},
    {"  0 dance\n", ":9: script: what happens then?"},
    {"  0\n", ":9: script: what happens then?"},
    {"  0 >\n", ":9: script: a packet was expected: its opcode is missing"},
    {"  0 > WRITE_TWICE\n", ":9: script: 'WRITE_TWICE' is no opcode"},
    {"  0 > WRITE psn 1\n", ":9: script: 'WRITE' cannot be sent"},
    {"  0 < raw 00\n", ":9: script: 'raw' cannot be expected"},
    {"  0 > ACK cack 1\n", ":9: script: 'cack' is no word of a ACK"},
    {"  0 > ACK psn\n", ":9: script: the value of 'psn' is missing"},
    {"  0 > ACK psn many\n", ":9: script: a number from -8388607 to 8388607 was expected"},
    {"  0 > ACK psn 5~3\n", ":9: script: the range 5~3 ends before it starts"},
    {"  0 > ACK psn last5\n", ":9: script: 'last5' is no number, and not 'last' with an offset"},
    {"  0 > ACK bth.nose=1\n", ":9: script: 'bth.nose' is no field with a number"},
    {"  0 > ACK tver 16\n", ":9: script: a number from 0 to 15 was expected"},
    {"  0 > WRITE_ONLY qp 2\n", ":9: script: the case has no such QP"},
    {"  0 > @2 WRITE_ONLY\n", ":9: script: the case has no such plane"},
    {"  0 > SACK entropy 1@2\n", ":9: script: the case has no such plane"},
    {"  0 > SACK sack 5-3\n", ":9: script: sack: a range ends before it starts"},
    {"  0 > WRITE_ONLY dscp 64\n", ":9: script: dscp: a number from 0 to 63 was expected"},
    {"  0 > WRITE_ONLY x0\n", ":9: script: 'x0' is no word of a WRITE_ONLY"},
    {"  0 < SACK cut 3\n", ":9: script: 'cut' can be said only of what the harness sends"},
    {"  0 > raw 123\n", ":9: script: raw: 1 to"},
    {"  0 > raw 12 x\n", ":9: script: raw: 'x' is no run of hexadecimal digits"},
    {"  * nothing\n", ":9: script: a time was expected: how long?"},
    {"  +1us nothing else\n", ":9: script: 'else' is too much"},
    {"  {\n  0 > SACK\n  }\n", ":10: script: a set in braces holds only lines with <"},
    {"  {\n  {\n  }\n", ":10: script: '{' and '}' stand alone"},
    {"  {\n  0 < SACK\n", ":11: script: a set was not closed"},
    {"  {\n  body\n  }\n", ":10: script: a set was not closed"},
    {"  # nothing at all\n", ":10: script: the script has no line"},
    {"  0 post\n", ":9: script: post: 'write' or 'recv' was expected"},
    {"  0 post write\n", ":9: script: post write: len is missing"},
    {"  0 post recv len 5\n", ":9: script: 'len' is no word of this call"},
    {"  0 post write len 5\n", ":9: script: the device is the responder: it posts no writes"},
    {"  0 set mpr 256\n", ":9: script: a number from 1 to 255 was expected"},
    {"  0 shortage sleep\n", ":9: script: shortage: 'sleep' is no reason"},
    {"  0 memory 5 is 1\n", ":9: script: OFFSET len BYTES is ... was expected"},
    {"  0 < completion status fine\n", ":9: script: 'fine' is no status of a completion"},
    {"  0 < recv psn 5\n", ":9: script: 'psn' is no word of a recv"},
};

START_TEST(a_bad_script)
{
    const char *const path = scratch_path("t/s.yaml");
    char want[700];
    (void)snprintf(want, sizeof want, "%s%s", path, bad[_i].want);
    ck_assert_int_eq(load("responder", bad[_i].script), -1);
    ck_assert_msg(strncmp(stage.err, want, strlen(want)) == 0, "'%s' does not start as '%s'",
                  stage.err, want);
}
END_TEST

START_TEST(bad_places)
{
    ck_assert_int_eq(load("both", "  0 > SACK\n"), -1);
    ck_assert_ptr_nonnull(strstr(stage.err, ":5: device: requestor or responder was expected"));
    ck_assert_int_eq(load("requestor", "  0 post recv\n"), -1);
    ck_assert_ptr_nonnull(strstr(stage.err, ":9: script: the device is the requestor"));
    ck_assert_int_eq(load("requestor", "  0 > SACK\ntraffic:\n  - write: {size: 1}\n"), -1);
    ck_assert_ptr_nonnull(strstr(stage.err, "either 'traffic' or 'script' was expected"));
    ck_assert_int_eq(mrct_case_load(&stage.c, scratch_case("t/q", "script: \"0 > SACK\"\n"), "t/q",
                                    stage.err, sizeof stage.err),
                     -1);
    ck_assert_ptr_nonnull(strstr(stage.err, "script: a block of lines after '|' was expected"));
}
END_TEST

/* ---- what is played ---- */

static const char sacked[] = "  0      > WRITE_ONLY psn 0 A len 100\n"
                             "  +20us  < SACK cack 0\n"
                             "  +20us  < ACK psn 0\n";

static void after_sacked(const char *more)
{
    char script[2000];
    (void)snprintf(script, sizeof script, "%s%s", sacked, more);
    play("responder", script);
}

START_TEST(plays_to_its_end)
{
    after_sacked("  +50us nothing\n  * memory 0 len 100 is 1\n  * memory 100 len 50 is old\n");
    came_to(MRCT_PASS, "");
    ck_assert_ptr_null(stage.r.due);
}
END_TEST

static const struct {
    const char *more;
    enum mrct_verdict verdict;
    const char *words;
} ends[] = {
    {"  +5us < SACK\n", MRCT_FAIL, ":12: it did not come until"},
    {"  * < SACK\n", MRCT_FAIL, ":12: it did not come until the end"},
    {"  * > WRITE_ONLY A len 9\n  +9us < SACK cack 7\n", MRCT_FAIL, "cack is 1, due was 7"},
    {"  * > WRITE_ONLY A len 9\n  +9us <~ SACK cack 7\n", MRCT_FAIL, "the nearest differs: cack"},
    {"  * > WRITE_ONLY A len 9\n  +9us <! SACK\n", MRCT_FAIL, "that must not come"},
    {"  * <! SACK cack 1\n  * > WRITE_ONLY A len 9\n", MRCT_FAIL, ":12: that must not come"},
    {"  * <! SACK cack 2\n  * > WRITE_ONLY A len 9\n", MRCT_PASS, ""},
    {"  * > WRITE_ONLY A len 9\n  +9us nothing\n", MRCT_FAIL, ":13: that must not come"},
    {"  * > WRITE_ONLY A len 9\n  +1us~+2us < SACK\n", MRCT_FAIL, ":13: it did not come until"},
    {"  * > WRITE_ONLY A len 9\n  +8us~+9us < SACK\n", MRCT_FAIL, ":13: it came too early"},
    {"  * > WRITE_ONLY A len 9\n  +1us~+9us < SACK\n", MRCT_PASS, ""},
    {"  * > WRITE_ONLY A len 9\n  {\n  +9us < ACK\n  +9us < SACK\n  }\n", MRCT_PASS, ""},
    {"  * > WRITE_ONLY A len 9\n  {\n  +9us < ACK\n  +9us < NACK\n  }\n", MRCT_FAIL, ":15: it did"},
    {"  * > WRITE_ONLY A len 9\n  {\n  * <? NACK\n  +9us < SACK\n  }\n", MRCT_PASS, ""},
    {"  * <? NACK\n  +5us <? SACK\n  +5us wait\n", MRCT_PASS, ""},
    {"  * memory 0 len 100 is 2\n", MRCT_FAIL, "byte 0 of the region is"},
    {"  * memory 99 len 2 is 1\n", MRCT_FAIL, "byte 100 of the region is"},
    {"  * memory 0 len 70000 is 1\n", MRCT_ERROR, "the region has only 65536 bytes"},
    {"  * > WRITE_ONLY seth.mpr=1\n", MRCT_ERROR, "'seth.mpr' has no value to send here"},
    {"  * > WRITE_ONLY len 5 cut 99\n", MRCT_ERROR, "cut: the headers are shorter than that"},
    {"  * > WRITE_ONLY len 4097\n", MRCT_ERROR, "the packet cannot be built"},
    {"  * > WRITE_ONLY psn $never\n", MRCT_ERROR, "'psn' has no value to send here"},
    {"  * > WRITE_ONLY x3 len 9 A\n  +50us <~ SACK cack 3\n", MRCT_PASS, ""},
    {"  * > WRITE_ONLY x3 len 9 A\n  +50us < SACK x3\n  +50us < ACK x3\n", MRCT_PASS, ""},
    {"  * > WRITE_ONLY x3 len 9 A\n  +50us < SACK x4\n", MRCT_FAIL, "(3 of 4 came)"},
    {"  * > raw 00 11 22\n  +20us nothing\n", MRCT_PASS, ""},
    {"  preamble\n  +5us < SACK\n", MRCT_INCONCLUSIVE, ":13: the preamble failed: it did not"},
    {"  preamble\n  +1us wait\n  body\n  +5us < SACK\n", MRCT_FAIL, ":15: it did not"},
};

START_TEST(ends_as_it_must)
{
    after_sacked(ends[_i].more);
    came_to(ends[_i].verdict, ends[_i].words);
}
END_TEST

START_TEST(shows_the_line_beside_what_came)
{
    after_sacked("  *      > WRITE_ONLY A len 9\n  +9us   < SACK cack 7 ...  # no\n");
    ck_assert_int_eq(stage.r.verdict, MRCT_FAIL);
    ck_assert_ptr_nonnull(strstr(stage.r.due, "t/s.yaml:13: +9us   < SACK cack 7"));
    ck_assert_ptr_nonnull(strstr(stage.r.came, "< @"));
    ck_assert_ptr_nonnull(strstr(stage.r.came, ": SACK qp 1 psn 1 cack 1 off 0 entropy "));
}
END_TEST

START_TEST(binds_variables)
{
    play("requestor", "  0    post write len 3000 x2\n"
                      "  *    < WRITE_FIRST psn 0 msn $m ev $a\n"
                      "  *    < WRITE_MIDDLE psn 1 msn $m ev !$a\n"
                      "  *    <~ WRITE_LAST psn 5 msn !$m\n"
                      "  *    > SACK\n"
                      "  *    > ACK\n"
                      "  1s   < completion wr 1 status success\n"
                      "  1s   < completion wr 2 status success\n"
                      "  *    own 0 len 3000 is write 1\n"
                      "  *    own 3000 len 3000 is write 2\n");
    came_to(MRCT_PASS, "");
}
END_TEST

Suite *cases_script_suite(void)
{
    Suite *const s = suite_create("script");
    TCase *const t = tcase_create("script");
    tcase_add_checked_fixture(t, stage_setup, stage_teardown);
    tcase_add_loop_test(t, a_bad_script, 0, sizeof bad / sizeof bad[0]);
    tcase_add_test(t, bad_places);
    tcase_add_test(t, plays_to_its_end);
    tcase_add_loop_test(t, ends_as_it_must, 0, sizeof ends / sizeof ends[0]);
    tcase_add_test(t, shows_the_line_beside_what_came);
    tcase_add_test(t, binds_variables);
    suite_add_tcase(s, t);
    return s;
}
