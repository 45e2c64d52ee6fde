/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole conversations that code foreign to this project made: no honest one gets a FAIL, and each
 * liar gets one on the frame where its lie stands, by the requirement that names it.
 */
#include "harness/trace/facts.h"
#include "tests/oracle/suites.h"
#include "tests/oracle/watch.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define FOLDER "tests/data/conversations"

/* Which check names which lie. */
static const struct {
    const char *lie, *check;
} names[] = {
    {"bitmap-shifted", "bitmap-only-arrived"},
    {"cack-too-far", "cack-not-too-far"},
    {"ce-not-told", "sack-m-on-ce"},
    {"rtx-not-echoed", "sack-rtx-echoed"},
    {"rcvd-bytes-backwards", "rcvd-bytes-monotone"},
    {"ooo-count-wrong", "ooo-count"},
    {"lost-called-arrived", "bitmap-only-arrived"},
    {"transport-ack-early", "transport-ack-not-early"},
    {"nack-psn-wrong", "nack-psn-of-trigger"},
    {"nack-reason-swapped", "nack-reason-by-class"},
    {"trimmed-called-arrived", "trimmed-not-recorded"},
    {"icrc-not-checked", "bad-icrc-dropped"},
    {"no-sack-on-ce", "sack-on-ce"},
    {"no-transport-ack", "transport-ack-due"},
    {"probe-id-wrong", "probe-id-echoed"},
    {"probe-unanswered", "probe-answered"},
    {"rtx-bit-on-first-send", NULL},
    {"rtx-other-va", NULL},
    {"va-not-advanced", "va-advances"},
    {"msn-changes-inside", "msn-constant"},
    {"first-twice", "message-order"},
    {"rqmsn-not-counted", "rqmsn-counts"},
    {"no-ackreq-before-idle", NULL},
    {"psn-skipped", "psn-consecutive"},
    {"beyond-mpr", "within-mpr"},
};

static const char *check_of(const char *lie)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i].lie, lie) == 0)
            return names[i].check;
    return NULL;
}

static bool lists(const json_t *frames, uint64_t frame)
{
    for (size_t i = 0; i < json_array_size(frames); i++)
        if ((uint64_t)json_integer_value(json_array_get(frames, i)) == frame)
            return true;
    return false;
}

/* What the network did to a frame is nobody's lie. */
static bool counts(const struct mrct_finding *f, const json_t *path)
{
    return f->kind == MRCT_FINDING_FAIL &&
           !(strcmp(f->check, "icrc-correct") == 0 && lists(path, f->frames[0]));
}

static const struct mrct_finding *fail_on(const struct watch *w, const json_t *frames,
                                          const json_t *path, const char *check)
{
    for (size_t i = 0; i < w->count; i++) {
        const struct mrct_finding *const f = &w->found[i];
        const bool there =
            json_array_size(frames) == 0 || (f->frame_count != 0 && lists(frames, f->frames[0]));
        if (counts(f, path) && there && (check == NULL || strcmp(f->check, check) == 0))
            return f;
    }
    return NULL;
}

/* No FAIL stands on an earlier frame than the one that names the lie. */
static bool is_earliest(const struct watch *w, const struct mrct_finding *f, const json_t *path)
{
    for (size_t i = 0; i < w->count; i++)
        if (counts(&w->found[i], path) && w->found[i].frames[0] < f->frames[0])
            return false;
    return true;
}

static void load(const json_t *entry, struct mrct_facts *facts, char path[256])
{
    char err[256];
    const char *const name = json_string_value(json_object_get(entry, "name"));
    snprintf(path, 256, FOLDER "/%s.facts.yaml", name);
    mrct_facts_init(facts);
    ck_assert_msg(mrct_facts_load(facts, path, err, sizeof(err)) == 0, "%s", err);
    snprintf(path, 256, FOLDER "/%s.pcap", name);
}

static void judge(const json_t *entry, struct watch *w)
{
    const char *const name = json_string_value(json_object_get(entry, "name"));
    const char *const lie = json_string_value(json_object_get(entry, "lie"));
    const json_t *const frames = json_object_get(entry, "frames");
    const json_t *const path = json_object_get(entry, "path");
    const json_t *const none = NULL;
    const struct mrct_finding *f;
    if (lie == NULL) {
        f = fail_on(w, none, path, NULL);
        ck_assert_msg(f == NULL, "%s: %s %s", name, f != NULL ? f->check : "",
                      f != NULL ? f->why : "");
        return;
    }
    f = fail_on(w, frames, path, check_of(lie));
    ck_assert_msg(f != NULL, "%s is not failed by %s", name, check_of(lie));
    ck_assert_msg(is_earliest(w, f, path), "%s has an earlier FAIL", name);
}

static void watch_entry(const json_t *entry, struct watch *w)
{
    struct mrct_facts facts;
    char path[256];
    struct mrct_oracle_config cfg;
    load(entry, &facts, path);
    mrct_oracle_config_default(&cfg);
    cfg.facts = &facts;
    cfg.tap = facts.tap;
    cfg.strict = true;
    watch_start(w, &cfg);
    ck_assert_uint_eq(watch_capture(w, path, &facts),
                      (size_t)json_integer_value(json_object_get(entry, "total")));
    watch_stop(w);
    mrct_facts_fini(&facts);
}

static json_t *load_index(void)
{
    json_error_t err;
    json_t *const index = json_load_file(FOLDER "/index.json", 0, &err);
    ck_assert_msg(index != NULL, "%s", err.text);
    return index;
}

START_TEST(conversation)
{
    json_t *const index = load_index();
    static struct watch w;
    const json_t *const entry = json_array_get(index, (size_t)_i);
    watch_entry(entry, &w);
    if (getenv("ORACLE_VERBOSE") != NULL) {
        printf("%s\n", json_string_value(json_object_get(entry, "name")));
        watch_print(&w);
    }
    judge(entry, &w);
    json_decref(index);
}
END_TEST

Suite *oracle_conversations_suite(void)
{
    Suite *const s = suite_create("conversations");
    TCase *const t = tcase_create("all");
    tcase_add_loop_test(t, conversation, 0, 57);
    suite_add_tcase(s, t);
    return s;
}
