/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings as comments on the frames of a capture, and the command that replays a run. */
#include "harness/report/report.h"

#include "gen/mrc_req.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void mrct_report_comment(const struct mrct_finding *f, char *buf, size_t cap)
{
    const struct mrc_requirement *const r = mrc_requirement_find(f->requirement);
    const bool by = f->host != NULL && f->host[0] != '\0';
    snprintf(buf, cap, "%s %s%s%s%s: %s%s%s%s%s%s", mrct_finding_kind_str(f->kind), f->requirement,
             by ? " (" : "", by ? f->host : "", by ? ")" : "", f->why, r == NULL ? "" : " [",
             r == NULL ? "" : mrc_req_level_str(r->level), r == NULL ? "" : ": ",
             r == NULL ? "" : r->text, r == NULL ? "" : "]");
}

int mrct_report_annotate(struct mrct_record *r, const struct mrct_finding *f)
{
    char text[1024];
    int status = 0;
    for (unsigned i = 0; i < f->frame_count; i++) {
        if (f->frames[i] == 0 || f->frames[i] > mrct_record_count(r))
            continue;
        if (i == 0)
            mrct_report_comment(f, text, sizeof(text));
        else
            snprintf(text, sizeof(text), "see frame %" PRIu64 ": %s %s", f->frames[0],
                     mrct_finding_kind_str(f->kind), f->requirement);
        if (mrct_record_comment(r, f->frames[i], text) != 0)
            status = -1;
    }
    return status;
}

const char *mrct_report_replay(const struct mrct_result_run *run, char *buf, size_t cap)
{
    if (run->replay != NULL)
        return run->replay;
    const bool reading = run->reading != NULL && run->reading[0] != '\0';
    snprintf(buf, cap, "mrct certify --seed %" PRIu64 "%s%s%s", run->seed,
             run->strict ? " --strict" : "", reading ? " --reading " : "",
             reading ? run->reading : "");
    return buf;
}
