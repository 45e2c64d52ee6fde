/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/report/sample.h"

#include "gen/mrc_req.h"
#include <stdlib.h>
#include <string.h>

#define REQS_MAX  512u
#define CASE_REQS 3u

static struct mrct_result_req reqs[REQS_MAX];
static struct mrct_result_req case_reqs[MRCT_VERDICTS][CASE_REQS];
static struct mrct_result_finding findings[3];
static struct mrct_result_case cases[MRCT_VERDICTS];
static struct mrct_result_run run;
static const char *const notes[] = {"rule drop-third: 1 hit", SAMPLE_EVIL};

static const char *const ids[MRCT_VERDICTS] = {
    [MRCT_PASS] = "sack-hole-retransmitted",
    [MRCT_NOT_APPLICABLE] = "trim-nack",
    [MRCT_INCONCLUSIVE] = "wimm-limit",
    [MRCT_FAIL] = "sack-bitmap-base",
    [MRCT_ERROR] = "broken-case",
};
static const char *const whys[MRCT_VERDICTS] = {
    [MRCT_PASS] = "",
    [MRCT_NOT_APPLICABLE] = "TRIM_NACK is not declared",
    [MRCT_INCONCLUSIVE] = "rule drop-third never hit",
    [MRCT_FAIL] = "bit 3 of the bitmap stands for PSN 103, which never arrived " SAMPLE_EVIL,
    [MRCT_ERROR] = "the fabric lost a packet",
};

static char replays[MRCT_ERROR + 1][80];

static void fill_case(enum mrct_verdict v)
{
    struct mrct_result_case *const c = &cases[v];
    *c = (struct mrct_result_case){
        .id = ids[v],
        .title = "One packet of a write is lost and must be sent again",
        .purpose = "A hole that the bitmap shows is filled by a retransmission; nothing else is "
                   "sent twice.",
        .section = v < MRCT_FAIL ? "7.4" : "7.5.2",
        .verdict = v,
        .seed = UINT64_C(0xFFFFFFFFFFFFFFFF) - (uint64_t)v,
        .virtual_ns = UINT64_C(1000000042) + (uint64_t)v,
        .frames = 120,
        .reqs = case_reqs[v],
        .req_count = CASE_REQS,
    };
    snprintf(c->why, sizeof(c->why), "%s", whys[v]);
    snprintf(replays[v], sizeof(replays[v]), "mrct certify %s --seed 7 --strict", ids[v]);
    c->replay = replays[v];
    if (v != MRCT_NOT_APPLICABLE)
        snprintf(c->capture, sizeof(c->capture), "%s.pcapng", ids[v]);
    for (size_t i = 0; i < CASE_REQS; i++)
        case_reqs[v][i] = (struct mrct_result_req){
            .id = mrc_requirements[(7 * (size_t)v + i) % mrc_requirement_count].id,
            .verdict = i == 0 ? v : MRCT_PASS,
            .exercised = 3 + i};
}

static void fill_findings(void)
{
    for (size_t i = 0; i < 3; i++) {
        struct mrct_finding *const f = &findings[i].f;
        *f = (struct mrct_finding){.requirement = cases[MRCT_FAIL].reqs[0].id,
                                   .check = "sack-bitmap",
                                   .kind = (enum mrct_finding_kind)i,
                                   .host = "host2",
                                   .time_ns = 5000 + i,
                                   .frames = {31 + i, 12},
                                   .frame_count = i == 2 ? 0 : 2};
        snprintf(f->why, sizeof(f->why), "%s", whys[MRCT_FAIL]);
        findings[i].tap = "responder";
    }
    cases[MRCT_FAIL].findings = findings;
    cases[MRCT_FAIL].finding_count = 3;
    cases[MRCT_FAIL].notes = notes;
    cases[MRCT_FAIL].note_count = 2;
    cases[MRCT_FAIL].problems = "A long reordering looks like a loss.";
}

struct mrct_result_run *sample_run(void)
{
    for (int v = 0; v < (int)MRCT_VERDICTS; v++)
        fill_case((enum mrct_verdict)v);
    fill_findings();
    run = (struct mrct_result_run){.suite_version = "0.1.0",
                                   .spec_hash = mrc_spec_hash,
                                   .device = "reference " SAMPLE_EVIL,
                                   .reading = "Q2=b",
                                   .seed = 7,
                                   .strict = true,
                                   .cases = cases,
                                   .case_count = MRCT_VERDICTS,
                                   .reqs = reqs};
    for (size_t i = 0; i < mrc_requirement_count && i < REQS_MAX; i++)
        reqs[run.req_count++] = (struct mrct_result_req){
            .id = mrc_requirements[i].id, .verdict = MRCT_PASS, .exercised = 10 * i};
    for (size_t v = 0; v < MRCT_VERDICTS; v++)
        reqs[7 * v % run.req_count].verdict = (enum mrct_verdict)v;
    return &run;
}

char *sample_text(void (*write)(const struct mrct_result_run *r, FILE *out),
                  const struct mrct_result_run *r)
{
    char *text = NULL;
    size_t len = 0;
    FILE *const out = open_memstream(&text, &len);
    write(r, out);
    fclose(out);
    return text;
}

static void write_json(const struct mrct_result_run *r, FILE *out)
{
    if (mrct_report_json(r, out) != 0)
        abort();
}

char *sample_json(const struct mrct_result_run *r)
{
    return sample_text(write_json, r);
}
