/* SPDX-License-Identifier: BSD-2-Clause */
/* What mrct check prints. */
#include "harness/cli/check.h"

#include "gen/mrc_req.h"
#include "harness/report/escape.h"
#include <inttypes.h>
#include <string.h>

#define LINES_MAX 20u /* of one requirement, or of conversations: --json has them all */

enum mrct_verdict mrct_check_verdict(const struct mrct_req_result *r)
{
    return r->failed > 0 ? MRCT_FAIL : r->inconclusive > 0 ? MRCT_INCONCLUSIVE : MRCT_PASS;
}

bool mrct_check_met(const struct mrct_req_result *r)
{
    return r->exercised > 0 || r->failed > 0 || r->warned > 0 || r->inconclusive > 0;
}

int mrct_check_status(const struct mrct_check_result *r)
{
    enum mrct_verdict worst = MRCT_PASS;
    bool met = false;
    for (size_t i = 0; i < r->req_count; i++) {
        met = met || mrct_check_met(&r->reqs[i]);
        worst = mrct_verdict_worse(worst, mrct_check_verdict(&r->reqs[i]));
    }
    if (!met)
        return MRCT_EXIT_NOTHING;
    if (worst == MRCT_FAIL)
        return MRCT_EXIT_FAIL;
    return worst == MRCT_INCONCLUSIVE ? MRCT_EXIT_INCONCLUSIVE : MRCT_EXIT_PASS;
}

/* ---- text ---- */

static bool several_taps(const struct mrct_check_result *r)
{
    return (r->taps & (r->taps - 1)) != 0;
}

static void print_packets(const struct mrct_check_result *r, FILE *out)
{
    fprintf(out, "%s: %" PRIu64 " frames, %" PRIu64 " of them MRC, over ", r->file, r->frames,
            r->mrc);
    mrct_escape_seconds(out, r->last_ns - r->first_ns);
    const bool several = several_taps(r);
    fprintf(out, " s; judged at %s%s%s%s%s%s\n", several ? "the taps of its interfaces" : "the ",
            several ? "" : mrct_tap_str(r->tap),
            several                     ? ""
            : r->tap == MRCT_TAP_MIDDLE ? " of the path"
                                        : "'s tap",
            r->strict ? ", strict" : "", r->readings[0] == '\0' ? "" : ", readings ", r->readings);
    for (unsigned op = 0; op < 256; op++) {
        const char *const name = mrc_opcode_str(op);
        if (r->by_opcode[op] > 0)
            fprintf(out, "  %8" PRIu64 "  %s\n", r->by_opcode[op],
                    name == NULL ? "opcode that is not listed" : name);
    }
    for (unsigned e = MRC_WIRE_CUT; e < MRC_WIRE_ERRORS; e++)
        if (r->by_error[e] > 0)
            fprintf(
                out, "  %8" PRIu64 "  %s%s\n", r->by_error[e],
                e == MRC_WIRE_CUT ? "" : "malformed: ", mrc_wire_error_str((enum mrc_wire_error)e));
}

static void print_talk(const struct mrct_talk *k, FILE *out)
{
    fprintf(out, "  %s -> %s QP 0x%" PRIx32 ":", k->from, k->to, k->dest_qp);
    if (k->requests > 0)
        fprintf(out,
                " %" PRIu64 " requests (PSN %" PRIu32 "..%" PRIu32 ", %" PRIu64 " retransmitted)",
                k->requests, k->psn_first, k->psn_last, k->retransmitted);
    if (k->sacks > 0)
        fprintf(out, " %" PRIu64 " SACK", k->sacks);
    if (k->nacks > 0)
        fprintf(out, " %" PRIu64 " NACK", k->nacks);
    if (k->acks > 0)
        fprintf(out, " %" PRIu64 " ACK", k->acks);
    if (k->others > 0)
        fprintf(out, " %" PRIu64 " other", k->others);
    fputc('\n', out);
}

static void print_talks(const struct mrct_check_result *r, FILE *out)
{
    const struct mrct_talks *const t = &r->talks;
    if (t->count > 0)
        fprintf(out, "\nconversations%s\n",
                several_taps(r) ? ", each frame counted at every tap that saw it" : "");
    for (size_t i = 0; i < t->count && i < LINES_MAX; i++)
        print_talk(&t->list[i], out);
    if (t->count > LINES_MAX)
        fprintf(out, "  and %zu more\n", t->count - LINES_MAX);
    if (t->beyond > 0)
        fprintf(out, "  and %" PRIu64 " frames of others\n", t->beyond);
}

static void print_finding(const struct mrct_finding *f, FILE *out)
{
    fputs(f->frame_count == 0   ? "    no frame"
          : f->frame_count == 1 ? "    frame"
                                : "    frames",
          out);
    for (unsigned i = 0; i < f->frame_count; i++)
        fprintf(out, "%s%" PRIu64, i == 0 ? " " : ", ", f->frames[i]);
    if (f->host != NULL && f->host[0] != '\0') {
        fputs(" (", out);
        mrct_escape_line(out, f->host, 0);
        fputc(')', out);
    }
    fputs(": ", out);
    mrct_escape_line(out, f->why, 0);
    fputc('\n', out);
}

static void print_group(const struct mrct_check_result *r, const struct mrct_req_result *q,
                        enum mrct_finding_kind kind, const struct mrct_term *t)
{
    const struct mrc_requirement *const req = mrc_requirement_find(q->requirement);
    const enum mrct_verdict colour = kind == MRCT_FINDING_FAIL ? MRCT_FAIL : MRCT_INCONCLUSIVE;
    size_t n = 0;
    for (size_t i = 0; i < r->findings.count; i++) {
        const struct mrct_finding *const f = &r->findings.list[i];
        if (f->kind != kind || strcmp(f->requirement, q->requirement) != 0)
            continue;
        if (n == 0)
            fprintf(t->out, "\n%s%s%s %s", mrct_term_paint(t, colour), mrct_finding_kind_str(kind),
                    mrct_term_plain(t), q->requirement);
        if (n == 0 && req != NULL)
            fprintf(t->out, " (%s, evidence %c): %s", mrc_req_level_str(req->level), req->evidence,
                    req->text);
        if (n == 0)
            fputc('\n', t->out);
        if (n++ < LINES_MAX)
            print_finding(f, t->out);
    }
    if (n > LINES_MAX)
        fprintf(t->out, "    and %zu more (--json shows all)\n", n - LINES_MAX);
}

static void print_totals(const struct mrct_check_result *r, FILE *out)
{
    size_t met = 0, warned = 0, by[MRCT_VERDICTS] = {0};
    for (size_t i = 0; i < r->req_count; i++) {
        const struct mrct_req_result *const q = &r->reqs[i];
        if (!mrct_check_met(q))
            continue;
        met++;
        by[mrct_check_verdict(q)]++;
        warned += q->warned > 0 ? 1 : 0;
    }
    fprintf(out,
            "\n%zu requirements met in this capture, %zu never reached; of those met\n"
            "%zu passed, %zu failed, %zu inconclusive, %zu with warnings\n",
            met, r->req_count - met, by[MRCT_PASS], by[MRCT_FAIL], by[MRCT_INCONCLUSIVE], warned);
}

void mrct_check_text(const struct mrct_check_result *r, const struct mrct_term *t)
{
    print_packets(r, t->out);
    print_talks(r, t->out);
    if (r->feed != NULL && mrct_check_unwell(r))
        mrct_check_text_health(r, t->out);
    for (int k = MRCT_FINDING_FAIL; k <= MRCT_FINDING_INCONCLUSIVE; k++)
        for (size_t i = 0; i < r->req_count; i++)
            print_group(r, &r->reqs[i], (enum mrct_finding_kind)k, t);
    if (r->mrc == 0)
        fputs("\nno MRC frame: nothing was judged (--port adds a UDP port)\n", t->out);
    else
        print_totals(r, t->out);
}
