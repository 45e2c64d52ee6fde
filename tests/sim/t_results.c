/* SPDX-License-Identifier: BSD-2-Clause */
/* What results tell beside figures of flows: queues by link over time, and what papers report. */
#include "harness/sim/expect.h"
#include "harness/sim/page.h"
#include "harness/sim/sim_priv.h"
#include "tests/sim/suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INCAST                                                                                     \
    "title: t\ntopology: {planes: 2, t0: 1, hosts_per_t0: 5}\nlimit: 10ms\nsample: 5us\n"          \
    "traffic:\n  - incast: {size: 256KiB, from: 1..4, to: 0}\n"

static struct mrct_scene scene;

static struct mrct_sim *sim_of(const char *yaml)
{
    char err[300];
    scene_of(&scene, yaml);
    struct mrct_sim *const sim = mrct_sim_new(&scene, err, sizeof err);
    if (sim == NULL)
        ck_abort_msg("%s", err);
    return sim;
}

static void run(struct mrct_sim *sim)
{
    char err[300];
    ck_assert_int_eq(mrct_sim_run(sim, NULL, NULL, err, sizeof err), 0);
}

static void end(struct mrct_sim *sim)
{
    mrct_sim_free(sim);
    mrct_scene_fini(&scene);
}

/* The series of a link by its name; there is one. */
static json_t *link_of(json_t *results, const char *name)
{
    size_t i = 0;
    json_t *l = NULL;
    json_array_foreach(json_object_get(json_object_get(results, "link_queues"), "links"), i, l)
    {
        if (strcmp(json_string_value(json_object_get(l, "link")), name) == 0)
            return l;
    }
    ck_abort_msg("no link %s", name);
    return NULL;
}

START_TEST(queues_are_told_by_link)
{
    struct mrct_sim *const sim = sim_of(INCAST);
    run(sim);
    json_t *const r = mrct_sim_json(sim);
    json_t *const l = link_of(r, "t0.0 to host0, plane 1");
    const json_t *const at = json_object_get(l, "at_ns"), *const b = json_object_get(l, "bytes");
    ck_assert_double_eq(number(r, "link_queues/interval_ns"), 5000);
    ck_assert_uint_gt(json_array_size(at), 5);
    ck_assert_uint_eq(json_array_size(at), json_array_size(b));
    json_int_t most = 0, last = 0;
    for (size_t i = 0; i < json_array_size(at); i++) {
        const json_int_t t = json_integer_value(json_array_get(at, i));
        ck_assert_int_gt(t, last);
        ck_assert_int_eq(t % 5000, 0);
        last = t;
        most = json_integer_value(json_array_get(b, i)) > most
                   ? json_integer_value(json_array_get(b, i))
                   : most;
    }
    /* What came after the last sample is missing. */
    ck_assert_double_le((double)most, number(l, "max_bytes"));
    ck_assert_double_gt((double)most, 0);
    ck_assert_double_eq(
        number(r, "queue_max_bytes/t0_host"),
        fmax(number(l, "max_bytes"), number(link_of(r, "t0.0 to host0, plane 0"), "max_bytes")));
    /* Only what goes to host 0 waits. */
    ck_assert_uint_eq(json_array_size(json_object_get(json_object_get(r, "link_queues"), "links")),
                      2);
    json_decref(r);
    end(sim);
}
END_TEST

/* A queue that only drains is there in the next interval, too. */
START_TEST(what_still_waits_stays_noted)
{
    struct mrct_sim *const sim = sim_of(INCAST);
    struct sim_port *const p = &sim->ports[sim_host_port(sim, 0, 0)];
    p->depth[MRCT_CLASS_DATA] = 7000;
    p->depth_seen = 9000;
    p->depth_next = SIM_NONE;
    sim->noted = sim_host_port(sim, 0, 0);
    sim->sample_count = 1;
    sim_link_queues_sample(sim);
    p->depth[MRCT_CLASS_DATA] = 0;
    sim->sample_count = 2;
    sim_link_queues_sample(sim);
    sim->sample_count = 3;
    sim_link_queues_sample(sim);
    ck_assert_uint_eq(sim->link_queues.count, 2);
    ck_assert_uint_eq(sim->link_queues.depth[0].bytes, 9000);
    ck_assert_uint_eq(sim->link_queues.depth[1].bytes, 7000);
    ck_assert_uint_eq(sim->noted, SIM_NONE);
    end(sim);
}
END_TEST

/* However long it runs: the interval doubles, the deepest stays. */
START_TEST(memory_is_bounded)
{
    struct mrct_sim *const sim = sim_of(INCAST);
    const uint32_t id = sim_host_port(sim, 0, 0);
    struct sim_port *const p = &sim->ports[id];
    for (uint32_t i = 1; i <= 300000; i++) {
        p->depth_seen = i == 777 ? 5000 : 10;
        p->depth_next = SIM_NONE;
        sim->noted = id;
        sim->sample_count = i;
        sim_link_queues_sample(sim);
    }
    const struct sim_link_queues *const q = &sim->link_queues;
    ck_assert_uint_le(q->count, 1u << 17);
    ck_assert_uint_eq(q->stride, 4);
    json_t *const r = sim_link_queues_json(sim);
    const json_t *const l = json_array_get(json_object_get(r, "links"), 0);
    const json_t *const at = json_object_get(l, "at_ns"), *const b = json_object_get(l, "bytes");
    ck_assert_double_eq(number(r, "interval_ns"), 20000);
    ck_assert_uint_eq(json_array_size(at), 75000);
    ck_assert_int_eq(json_integer_value(json_array_get(b, 776 / 4)), 5000);
    ck_assert_int_eq(json_integer_value(json_array_get(at, 776 / 4)), (776 / 4 + 1) * 20000);
    ck_assert_int_eq(json_integer_value(json_array_get(b, 0)), 10);
    json_decref(r);
    end(sim);
}
END_TEST

static char *text_of(void (*put)(const json_t *, FILE *), const json_t *results)
{
    char *text = NULL;
    size_t len = 0;
    FILE *const out = open_memstream(&text, &len);
    ck_assert_ptr_nonnull(out);
    put(results, out);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

START_TEST(queues_have_their_rows)
{
    struct mrct_sim *const sim = sim_of(INCAST);
    run(sim);
    json_t *const r = mrct_sim_json(sim);
    char *const csv = text_of(mrct_sim_csv_queues, r);
    size_t rows = 0;
    for (const char *c = csv; *c != '\0'; c++)
        rows += *c == '\n';
    ck_assert_ptr_nonnull(strstr(csv, "\nt0.0,host0,1,"));
    ck_assert_uint_eq(
        rows - 1,
        json_array_size(json_object_get(link_of(r, "t0.0 to host0, plane 0"), "at_ns")) +
            json_array_size(json_object_get(link_of(r, "t0.0 to host0, plane 1"), "at_ns")));
    free(csv);
    json_decref(r);
    end(sim);
}
END_TEST

#define REPORTED                                                                                   \
    INCAST "phases:\n  - {name: early, from: 20us, to: 40us}\nreported:\n"                         \
           "  - {what: half of it, is: 0.5, value: phases/early/goodput_bps/incast,"               \
           " over: phases/early/all_goodput_bps, phase: early}\n"                                  \
           "  - {what: a range, is: [1e9, 2e9], value: phases/early/goodput_bps/incast,"           \
           " phase: early, estimate: true}\n"                                                      \
           "  - {what: no plot, is: 3, value: hosts}\n"                                            \
           "  - {what: nothing here, is: 4}\n"

START_TEST(papers_stand_beside)
{
    struct mrct_sim *const sim = sim_of(REPORTED);
    run(sim);
    json_t *const r = mrct_sim_json(sim);
    mrct_sim_reported(&scene, r);
    ck_assert_double_eq(number(r, "reported/0/ours"), 1);
    ck_assert_double_eq(number(r, "reported/0/low_bps"),
                        number(r, "phases/early/all_goodput_bps") / 2);
    ck_assert_double_eq(number(r, "reported/0/from_ns"), 20000);
    ck_assert_double_eq(number(r, "reported/1/high_bps"), 2e9);
    ck_assert_double_eq(number(r, "reported/2/ours"), 5);
    const json_t *const list = json_object_get(r, "reported");
    ck_assert_ptr_null(json_object_get(json_array_get(list, 2), "low_bps"));
    ck_assert(json_is_null(json_object_get(json_array_get(list, 3), "ours")));
    char *const page = text_of(mrct_sim_html, r);
    size_t dashed = 0;
    for (const char *at = page; (at = strstr(at, "stroke-dasharray")) != NULL; at++)
        dashed++;
    ck_assert_uint_eq(dashed, 3); /* one level, and the two ends of a range */
    ck_assert_ptr_nonnull(strstr(page, "a range</td><td>1 Gb/s to 2 Gb/s (an estimate)</td>"));
    ck_assert_ptr_nonnull(strstr(page, "nothing here</td><td>4</td><td>not run here</td>"));
    ck_assert_ptr_nonnull(strstr(page, "t0.0 to host0, plane 1"));
    free(page);
    json_decref(r);
    end(sim);
}
END_TEST

static const struct {
    const char *yaml, *error;
} bad[] = {
    {INCAST "reported:\n  - {what: w}\n", ":8: the key 'is' is missing"},
    {INCAST "reported:\n  - {what: w, is: many}\n", ":8: is: a number was expected"},
    {INCAST "reported:\n  - {what: w, is: [1]}\n",
     ":8: is: a number, or two in a list, were expected"},
    {INCAST "reported:\n  - {what: w, is: [2, 1]}\n", ":8: is: the first is the larger"},
    {INCAST "reported:\n  - {what: w, is: 1, phase: none}\n",
     ":8: reported: there is no phase 'none'"},
};

START_TEST(reports_that_cannot_be_are_refused)
{
    struct mrct_scene s;
    char err[600];
    ck_assert_int_eq(scene_load(&s, bad[_i].yaml, err, sizeof err), -1);
    mrct_scene_fini(&s);
    ck_assert_str_eq(err, bad[_i].error);
}
END_TEST

Suite *suite_results(void)
{
    Suite *const s = suite_create("results");
    TCase *const t = tcase_create("results");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, queues_are_told_by_link);
    tcase_add_test(t, what_still_waits_stays_noted);
    tcase_add_test(t, memory_is_bounded);
    tcase_add_test(t, queues_have_their_rows);
    tcase_add_test(t, papers_stand_beside);
    tcase_add_loop_test(t, reports_that_cannot_be_are_refused, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    suite_add_tcase(s, t);
    return s;
}
