/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/report/term.h"

#include "harness/report/escape.h"
#include "harness/report/report.h"
#include "harness/report/words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_COLUMNS 72u /* of a requirement's sentence */

static bool wants_colour(FILE *out)
{
    const char *const no = getenv("NO_COLOR");
    const char *const term = getenv("TERM");
    return isatty(fileno(out)) && (no == NULL || no[0] == '\0') &&
           (term == NULL || strcmp(term, "dumb") != 0);
}

void mrct_term_init(struct mrct_term *t, FILE *out, size_t total)
{
    *t = (struct mrct_term){.out = out, .colour = wants_colour(out), .total = total};
    if (isatty(STDERR_FILENO))
        t->progress = stderr;
}

const char *mrct_term_paint(const struct mrct_term *t, enum mrct_verdict v)
{
    static const char *const paint[] = {
        [MRCT_PASS] = "\033[32m",         [MRCT_NOT_APPLICABLE] = "\033[90m",
        [MRCT_INCONCLUSIVE] = "\033[33m", [MRCT_FAIL] = "\033[1;31m",
        [MRCT_ERROR] = "\033[1;35m",
    };
    return t->colour ? paint[v] : "";
}

const char *mrct_term_plain(const struct mrct_term *t)
{
    return t->colour ? "\033[0m" : "";
}

static void verdict(const struct mrct_term *t, enum mrct_verdict v)
{
    fprintf(t->out, "%s%-15s%s", mrct_term_paint(t, v), mrct_verdict_str(v), mrct_term_plain(t));
}

static void wipe_progress(const struct mrct_term *t)
{
    if (t->progress != NULL)
        fputs("\r\033[K", t->progress);
}

void mrct_term_start(struct mrct_term *t, const char *case_id)
{
    if (t->progress == NULL)
        return;
    fprintf(t->progress, "\r\033[K[%zu/%zu] %s", t->done + 1, t->total, case_id);
    fflush(t->progress);
}

static void indented(const struct mrct_term *t, const char *words)
{
    fprintf(t->out, "%14s", "");
    mrct_escape_line(t->out, words, 0);
    fputc('\n', t->out);
}

void mrct_term_done(struct mrct_term *t, const struct mrct_result_case *c)
{
    t->done++;
    wipe_progress(t);
    verdict(t, c->verdict);
    mrct_escape_line(t->out, c->id, 0);
    fputs("  ", t->out);
    mrct_escape_line(t->out, c->title, 0);
    fputc('\n', t->out);
    if (c->verdict != MRCT_PASS && c->why[0] != '\0')
        indented(t, c->why);
    if (c->repeated[0] != '\0' && c->verdict == MRCT_PASS)
        indented(t, c->repeated);
    if (c->readings[0] != '\0')
        indented(t, c->readings);
    fflush(t->out);
}

/* A sentence on one line, cut between words where it is too long. */
static void sentence(const struct mrct_term *t, const char *text)
{
    char cut[TEXT_COLUMNS + 1];
    const size_t len = strlen(text);
    if (len <= TEXT_COLUMNS) {
        mrct_escape_line(t->out, text, 0);
        return;
    }
    memcpy(cut, text, TEXT_COLUMNS);
    cut[TEXT_COLUMNS] = '\0';
    char *const space = strrchr(cut, ' ');
    if (space != NULL)
        *space = '\0';
    mrct_escape_line(t->out, cut, 0);
    fputs(" ...", t->out);
}

static void requirement(const struct mrct_term *t, const struct mrct_result_run *run,
                        const struct mrct_result_req *r)
{
    const struct mrct_words w = mrct_words_of(r->id);
    const size_t warned = mrct_result_count_findings(run, MRCT_FINDING_WARN, r->id);
    verdict(t, r->verdict);
    fprintf(t->out, "%-14s %7" PRIu64 "  ", r->id, r->exercised);
    if (warned > 0)
        fprintf(t->out, "[%zu warned] ", warned);
    sentence(t, w.text);
    fputc('\n', t->out);
}

static void requirements(const struct mrct_term *t, const struct mrct_result_run *run)
{
    if (run->req_count == 0)
        return;
    fprintf(t->out, "\n%-15s%-14s %7s  %s\n", "verdict", "requirement", "seen", "sentence");
    for (size_t i = 0; i < run->req_count; i++)
        requirement(t, run, &run->reqs[i]);
}

static void one_finding(const struct mrct_term *t, const struct mrct_result_finding *r)
{
    const struct mrct_finding *const f = &r->f;
    fprintf(t->out, "    %s %s", mrct_finding_kind_str(f->kind), f->requirement);
    for (unsigned i = 0; i < f->frame_count; i++)
        fprintf(t->out, "%s%" PRIu64, i == 0 ? ", frame " : ", ", f->frames[i]);
    fputs(": ", t->out);
    mrct_escape_line(t->out, f->why, 0);
    fputc('\n', t->out);
}

static void not_passed(const struct mrct_term *t, const struct mrct_result_case *c)
{
    fputc('\n', t->out);
    verdict(t, c->verdict);
    fprintf(t->out, "%s: ", c->id);
    mrct_escape_line(t->out, c->why, 0);
    fputc('\n', t->out);
    if (c->readings[0] != '\0') {
        fputs("    ", t->out);
        mrct_escape_line(t->out, c->readings, 0);
        fputc('\n', t->out);
    }
    if (c->known != NULL) {
        fputs("    ", t->out);
        mrct_escape_line(t->out, c->known, 0);
        fputc('\n', t->out);
    }
    for (int kind = MRCT_FINDING_FAIL; kind <= MRCT_FINDING_INCONCLUSIVE; kind++)
        for (size_t i = 0; i < c->finding_count; i++)
            if ((int)c->findings[i].f.kind == kind)
                one_finding(t, &c->findings[i]);
    if (c->due != NULL) {
        fputs("    due      ", t->out);
        mrct_escape_line(t->out, c->due, 0);
        fputs("\n    came     ", t->out);
        mrct_escape_line(t->out, c->came != NULL ? c->came : "nothing of that name", 0);
        fputc('\n', t->out);
    }
    if (c->capture[0] != '\0')
        fprintf(t->out, "    capture  %s\n", c->capture);
    fprintf(t->out, "    replay   %s\n", c->replay);
}

static void counts(const struct mrct_term *t, const char *what, const struct mrct_result_counts *n)
{
    fprintf(t->out, "%s%zu passed, %zu failed, %zu inconclusive, %zu not applicable", what,
            n->n[MRCT_PASS], n->n[MRCT_FAIL], n->n[MRCT_INCONCLUSIVE], n->n[MRCT_NOT_APPLICABLE]);
    if (n->n[MRCT_ERROR] > 0)
        fprintf(t->out, ", %zu errors", n->n[MRCT_ERROR]);
    fputc('\n', t->out);
}

static void problems(const struct mrct_term *t, const struct mrct_result_run *run)
{
    if (run->problem_count > 0)
        fputc('\n', t->out);
    for (size_t i = 0; i < run->problem_count; i++) {
        verdict(t, MRCT_FAIL);
        mrct_escape_line(t->out, run->problems[i], 0);
        fputc('\n', t->out);
    }
}

void mrct_term_summary(const struct mrct_term *t, const struct mrct_result_run *run)
{
    const struct mrct_result_counts cases = mrct_result_count_cases(run);
    const struct mrct_result_counts reqs = mrct_result_count_reqs(run);
    const size_t warned = mrct_result_count_findings(run, MRCT_FINDING_WARN, NULL);
    const size_t known = mrct_result_count_known(run);
    char replay[400];
    wipe_progress(t);
    requirements(t, run);
    for (size_t i = 0; i < run->case_count; i++)
        if (run->cases[i].verdict != MRCT_PASS && run->cases[i].verdict != MRCT_NOT_APPLICABLE)
            not_passed(t, &run->cases[i]);
    problems(t, run);
    fputs("\ndevice ", t->out);
    mrct_escape_line(t->out, run->device, 0);
    fprintf(t->out, ", seed %" PRIu64 "\nreplay: %s\n", run->seed,
            mrct_report_replay(run, replay, sizeof(replay)));
    if (warned > 0)
        fprintf(t->out, "%zu warnings\n", warned);
    if (known > 0)
        fprintf(t->out, "%zu of the failures are known\n", known);
    counts(t, "requirements: ", &reqs);
    counts(t, "", &cases);
}
