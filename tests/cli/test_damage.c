/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Honest conversations whose captures were damaged on purpose: frames dropped, one direction alone,
 * the wrong place, cut, shuffled. Whatever is left of them, nobody may be accused. Liars whose
 * captures are whole are still caught.
 */
#include "harness/trace/capture.h"
#include "ref/wire/pkt.h"
#include "tests/cli/judge.h"
#include "tests/cli/suites.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA       "tests/data/conversations/"
#define FRAMES_MAX 2000u

struct kept {
    struct mrct_capture_frame f;
    uint8_t *bytes;
};
static struct kept frames[FRAMES_MAX];
static size_t frame_count;
static json_t *lists; /* index.json */
static char dir[64];
static uint32_t chance;

static uint32_t draw(uint32_t below)
{
    chance = chance * 1103515245u + 12345u;
    return (chance >> 8) % below;
}

static void setup(void)
{
    strcpy(dir, "/tmp/mrct-damage-"
                "XX"
                "XX"
                "XX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    lists = json_load_file(DATA "index.json", 0, NULL);
    ck_assert_ptr_nonnull(lists);
}

static void teardown(void)
{
    char path[128];
    static const char *const names[] = {"capture.pcap", "out.json"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
    json_decref(lists);
}

static void load(const char *name)
{
    char path[256], err[400];
    struct mrct_capture_frame f;
    snprintf(path, sizeof(path), DATA "%s.pcap", name);
    struct mrct_capture *const c = mrct_capture_open(path, err, sizeof(err));
    ck_assert_msg(c != NULL, "%s", err);
    frame_count = 0;
    while (mrct_capture_next(c, &f) == MRCT_CAPTURE_FRAME && frame_count < FRAMES_MAX) {
        struct kept *const k = &frames[frame_count++];
        k->f = f;
        k->bytes = malloc(f.cap_len);
        memcpy(k->bytes, f.bytes, f.cap_len);
    }
    mrct_capture_close(c);
}

static void unload(void)
{
    while (frame_count > 0)
        free(frames[--frame_count].bytes);
}

static bool is_control(const struct kept *k)
{
    struct mrc_wire_config cfg;
    struct mrc_pkt p;
    mrc_wire_config_default(&cfg);
    mrc_pkt_decode(&cfg, k->bytes, k->f.cap_len, k->f.wire_len, false, &p);
    return MRC_PKT_HAS(&p, BTH) && !mrc_op_is_write(p.bth.opcode) && p.bth.opcode != MRC_OP_PROBE;
}

/* ---- damage ---- */

enum damage {
    WHOLE,
    FEW_LOST,
    MANY_LOST,
    NO_ANSWERS,
    NO_REQUESTS,
    MIDDLE,
    SHORT_SNAP,
    SHORTER_SNAP,
    NO_BEGINNING,
    HOLE,
    REQUESTS_LOST,
    SHUFFLED,
    NEIGHBOURS,
    CUT_FILE,
    LONE_ANSWER,
    LONE_REQUEST,
    DAMAGES
};
static const char *const words[DAMAGES] = {
    "whole",        "few lost",        "many lost",       "no answers",
    "no requests",  "from the middle", "snap 160",        "snap 100",
    "no beginning", "a hole",          "requests lost",   "shuffled",
    "neighbours",   "cut file",        "one answer lost", "one request lost"};
static size_t lone; /* the frame that is lost, counted from 0 */

static bool is_lost(enum damage d, size_t i)
{
    switch (d) {
    case FEW_LOST:
        return draw(100) < 4;
    case MANY_LOST:
        return draw(100) < 20;
    case NO_ANSWERS:
        return is_control(&frames[i]);
    case NO_REQUESTS:
        return !is_control(&frames[i]);
    case NO_BEGINNING:
        return i < 20;
    case HOLE:
        return i >= 40 && i < 60;
    case REQUESTS_LOST:
        return !is_control(&frames[i]) && draw(100) < 10;
    case LONE_ANSWER:
        return is_control(&frames[i]) && lone-- == 0;
    case LONE_REQUEST:
        return !is_control(&frames[i]) && lone-- == 0;
    case WHOLE:
    case MIDDLE:
    case SHORT_SNAP:
    case SHORTER_SNAP:
    case SHUFFLED:
    case NEIGHBOURS:
    case CUT_FILE:
    case DAMAGES:
        break;
    }
    return false;
}

static void shuffle(size_t reach)
{
    for (size_t i = 0; i + 1 < frame_count; i++) {
        const size_t left = frame_count - i;
        const size_t k = i + draw((uint32_t)(left < reach ? left : reach));
        const struct kept t = frames[i];
        frames[i] = frames[k];
        frames[k] = t;
    }
}

static void put32(FILE *out, uint32_t v)
{
    fwrite(&v, sizeof(v), 1, out);
}

static void write_damaged(const char *path, enum damage d)
{
    FILE *const out = fopen(path, "wb");
    ck_assert_ptr_nonnull(out);
    if (d == SHUFFLED || d == NEIGHBOURS)
        shuffle(d == SHUFFLED ? frame_count : 3);
    put32(out, 0xA1B23C4D);
    put32(out, 2 | 4 << 16);
    put32(out, 0);
    put32(out, 0);
    put32(out, 65535);
    put32(out, 1);
    for (size_t i = 0; i < frame_count; i++) {
        const struct mrct_capture_frame *const f = &frames[i].f;
        const uint32_t snap = d == SHORT_SNAP ? 160 : d == SHORTER_SNAP ? 100 : 65535;
        const uint32_t len = f->cap_len < snap ? f->cap_len : snap;
        if (is_lost(d, i))
            continue;
        put32(out, (uint32_t)(f->time_ns / 1000000000));
        put32(out, (uint32_t)(f->time_ns % 1000000000));
        put32(out, len);
        put32(out, f->wire_len);
        fwrite(frames[i].bytes, 1, d == CUT_FILE && i + 1 == frame_count ? len / 2 : len, out);
    }
    ck_assert_int_eq(fclose(out), 0);
}

/* ---- judging ---- */

static json_t *check(const char *capture, const char *name, const char *tap)
{
    char out[128], facts[256];
    char *argv[] = {(char *)"check",
                    (char *)"--strict",
                    (char *)"--json",
                    (char *)"--facts",
                    facts,
                    (char *)(uintptr_t)capture,
                    (char *)(uintptr_t)(tap != NULL ? "--tap" : NULL),
                    (char *)(uintptr_t)tap,
                    NULL};
    snprintf(facts, sizeof(facts), DATA "%s.facts.yaml", name);
    snprintf(out, sizeof(out), "%s/out.json", dir);
    return cli_judge(out, tap != NULL ? 8 : 6, argv);
}

/* FAILs but those that the network caused: a wrong ICRC is said of "sender or path". */
static size_t accusations(const json_t *report, char *why, size_t cap)
{
    size_t n = 0, i;
    const json_t *f;
    why[0] = '\0';
    json_array_foreach(json_object_get(report, "findings"), i, f)
    {
        const char *const host = json_string_value(json_object_get(f, "host"));
        if (strcmp(json_string_value(json_object_get(f, "verdict")), "FAIL") != 0 ||
            strcmp(host, "sender or path") == 0)
            continue;
        if (n++ == 0)
            snprintf(why, cap, "%s: %s", json_string_value(json_object_get(f, "check")),
                     json_string_value(json_object_get(f, "why")));
    }
    return n;
}

START_TEST(accuses_no_honest_one)
{
    const enum damage d = (enum damage)_i;
    size_t i;
    const json_t *one;
    char path[128], why[500];
    snprintf(path, sizeof(path), "%s/capture.pcap", dir);
    json_array_foreach(lists, i, one)
    {
        const char *const name = json_string_value(json_object_get(one, "name"));
        if (!json_is_true(json_object_get(one, "honest")))
            continue;
        chance = (uint32_t)i * 7919u + (uint32_t)d;
        load(name);
        write_damaged(path, d);
        json_t *const report = check(path, name, d == MIDDLE ? "middle" : NULL);
        ck_assert_msg(accusations(report, why, sizeof(why)) == 0, "%s, %s: %s", name, words[d],
                      why);
        json_decref(report);
        unload();
    }
}
END_TEST

/* Damage that chance deals, anew for each number: MRCT_LONG asks for more. */
static const enum damage chancy[] = {LONE_ANSWER, LONE_REQUEST, SHUFFLED, NEIGHBOURS};
#define CHANCY (int)(sizeof(chancy) / sizeof(chancy[0]))

static void judge_damaged(const char *name, enum damage d, uint32_t seed)
{
    char path[128], why[500];
    snprintf(path, sizeof(path), "%s/capture.pcap", dir);
    chance = seed;
    load(name);
    lone = draw((uint32_t)frame_count / 3);
    write_damaged(path, d);
    json_t *const report = check(path, name, NULL);
    ck_assert_msg(accusations(report, why, sizeof(why)) == 0, "%s, %s, %u: %s", name, words[d],
                  seed, why);
    json_decref(report);
    unload();
}

START_TEST(accuses_nobody_by_chance)
{
    const uint32_t rounds = getenv("MRCT_LONG") != NULL ? 300 : 3;
    size_t i;
    const json_t *one;
    json_array_foreach(lists, i, one)
    {
        for (uint32_t n = 0; n < rounds && json_is_true(json_object_get(one, "honest")); n++)
            judge_damaged(json_string_value(json_object_get(one, "name")), chancy[_i],
                          (uint32_t)i * 104729u + n * 7919u + 1u);
    }
}
END_TEST

START_TEST(catches_every_liar)
{
    size_t i;
    const json_t *one;
    char path[256], why[500];
    json_array_foreach(lists, i, one)
    {
        const char *const name = json_string_value(json_object_get(one, "name"));
        if (json_is_true(json_object_get(one, "honest")))
            continue;
        snprintf(path, sizeof(path), DATA "%s.pcap", name);
        json_t *const report = check(path, name, NULL);
        ck_assert_msg(accusations(report, why, sizeof(why)) > 0, "%s", name);
        json_decref(report);
    }
}
END_TEST

Suite *cli_damage_suite(void)
{
    Suite *const s = suite_create("damaged captures");
    TCase *const t = tcase_create("damage");
    tcase_set_timeout(t, 0);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, accuses_no_honest_one, 0, DAMAGES);
    tcase_add_loop_test(t, accuses_nobody_by_chance, 0, CHANCY);
    tcase_add_test(t, catches_every_liar);
    suite_add_tcase(s, t);
    return s;
}
