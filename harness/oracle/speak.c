/* SPDX-License-Identifier: BSD-2-Clause */
/* How a check speaks: grading by the requirement's row, and the findings that come of it. */
#include "harness/oracle/core.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct flow_said {
    size_t count;
    uint8_t by_row[]; /* SAID_x */
};

struct flow_said *mrct_said_new(size_t rows)
{
    struct flow_said *const s = calloc(1, sizeof(*s) + rows);
    if (s != NULL)
        s->count = rows;
    return s;
}

/* True the first time that a row says something of its kind in its flow. */
static bool say_once(struct look *l, uint8_t what)
{
    struct flow_said *const s = l->flow != NULL ? l->flow->said : l->o->said;
    if ((s->by_row[l->row] & what) != 0)
        return false;
    s->by_row[l->row] |= what;
    return true;
}

static const struct mrc_requirement *req_of(const struct look *l)
{
    return l->o->reqs[l->row];
}

static struct mrct_req_result *result_of(struct look *l)
{
    return &l->o->results[l->o->result_of[l->row]];
}

static enum mrct_tap tap_of(const struct look *l)
{
    return l->flow != NULL ? l->flow->tap : l->cfg->tap;
}

bool mrct_look_can_decide(const struct look *l)
{
    return (l->o->passes[l->row].taps >> tap_of(l) & 1u) != 0;
}

static const struct mrc_question *question_of(int number)
{
    for (size_t i = 0; i < mrc_question_count; i++)
        if (mrc_questions[i].number == number)
            return &mrc_questions[i];
    return NULL;
}

bool mrct_look_reading_chosen(const struct look *l, int question)
{
    return question > 0 && question < (int)MRCT_QUESTIONS_MAX && l->cfg->reading[question] != 0;
}

char mrct_look_reading(const struct look *l, int question)
{
    if (mrct_look_reading_chosen(l, question))
        return l->cfg->reading[question];
    const struct mrc_question *const q = question_of(question);
    if (q == NULL)
        return 'a';
    return q->default_reading;
}

/* Whether the requirement's violation passes under the reading taken: "a=pass b=fail". */
static bool reading_excuses(const struct look *l, const struct mrc_requirement *r)
{
    const char reading = mrct_look_reading(l, r->question);
    const char *p = r->reading_verdicts;
    for (; p != NULL && *p != '\0'; p++)
        if (*p == reading && p[1] == '=')
            return strncmp(p + 2, "pass", 4) == 0;
    return false;
}

enum grade { GRADE_NOTHING, GRADE_FAIL, GRADE_WARN, GRADE_UNSURE };

/* What a whole QP must do is no measure for one plane's part of it. */
static bool is_part(const struct look *l)
{
    return l->flow != NULL && l->flow->is_plane && l->check->scope == SCOPE_FLOW;
}

static enum grade grade_of(const struct look *l, const struct mrc_requirement *r, bool any_reading)
{
    if (!mrct_look_can_decide(l))
        return GRADE_UNSURE;
    if (((l->check->flags & CHECK_NEEDS_COMPLETE) != 0 && !l->o->complete) || is_part(l))
        return GRADE_UNSURE;
    if (r->level != MRC_MUST && r->level != MRC_MUST_NOT)
        return GRADE_WARN;
    if (r->question != 0 && !any_reading) {
        if (reading_excuses(l, r))
            return GRADE_NOTHING;
        return l->cfg->strict ? GRADE_FAIL : GRADE_WARN;
    }
    if ((r->evidence == 'S' || r->evidence == 'U') && !l->cfg->strict)
        return GRADE_WARN;
    return GRADE_FAIL;
}

/* Who is to blame: the requirement's role, or for a role of any the sender of the frame. */
static const char *blamed(const struct look *l, const struct mrc_requirement *r)
{
    if (l->blame != NULL)
        return l->blame;
    if (l->flow == NULL)
        return l->sender != NULL ? l->sender : "";
    const bool by_frame = r->role == MRC_ROLE_ANY || r->role == MRC_ROLE_NODE;
    if (by_frame && l->obs != NULL)
        return l->to_responder ? l->flow->requestor : l->flow->responder;
    return r->role == MRC_ROLE_REQUESTOR ? l->flow->requestor : l->flow->responder;
}

static void emit(struct look *l, enum mrct_finding_kind kind, const uint64_t *frames, unsigned n,
                 const char *prefix, const char *fmt, va_list ap)
{
    const struct mrc_requirement *const r = req_of(l);
    struct mrct_finding f = {.requirement = r->id,
                             .check = l->check->name,
                             .kind = kind,
                             .host = blamed(l, r),
                             .silence = l->silence,
                             .once = kind == MRCT_FINDING_INCONCLUSIVE && l->flow == NULL,
                             .time_ns = l->now_ns};
    for (; f.frame_count < n && f.frame_count < MRCT_FINDING_FRAMES_MAX; f.frame_count++)
        f.frames[f.frame_count] = frames[f.frame_count];
    const int at = snprintf(f.why, sizeof(f.why), "%s", prefix);
    vsnprintf(f.why + at, sizeof(f.why) - (size_t)at, fmt, ap);
    l->o->findings++;
    if (l->cfg->on_finding != NULL)
        l->cfg->on_finding(l->cfg->user, &f);
}

static void inconclusive(struct look *l, uint8_t what, const char *prefix, const char *fmt,
                         va_list ap)
{
    if (l->o->result_of == NULL || req_of(l) == NULL)
        return;
    result_of(l)->inconclusive++;
    if (!say_once(l, what))
        return;
    const uint64_t frame = l->obs != NULL   ? l->obs->frame_no
                           : l->due != NULL ? l->due->frame_no
                                            : 0;
    emit(l, MRCT_FINDING_INCONCLUSIVE, &frame, frame != 0, prefix, fmt, ap);
}

static void fail(struct look *l, bool any_reading, const uint64_t *frames, unsigned n,
                 const char *fmt, va_list ap)
{
    const struct mrc_requirement *const r = req_of(l);
    if (r == NULL)
        return;
    switch (grade_of(l, r, any_reading)) {
    case GRADE_NOTHING:
        result_of(l)->exercised++;
        return;
    case GRADE_UNSURE:
        inconclusive(l, SAID_UNSURE,
                     !mrct_look_can_decide(l) ? "cannot be decided at this tap: "
                     : is_part(l) ? "may be one plane of a QP, the fact hosts would tell: "
                                  : "frames may be missing here: ",
                     fmt, ap);
        return;
    case GRADE_WARN:
        result_of(l)->exercised++;
        result_of(l)->warned++;
        emit(l, MRCT_FINDING_WARN, frames, n, "", fmt, ap);
        return;
    case GRADE_FAIL:
        result_of(l)->exercised++;
        result_of(l)->failed++;
        emit(l, MRCT_FINDING_FAIL, frames, n, "", fmt, ap);
        return;
    }
}

/* The frame that a failure stands on when the check names none. */
static unsigned frame_of(const struct look *l, uint64_t *frame)
{
    *frame = l->obs != NULL ? l->obs->frame_no : l->due != NULL ? l->due->frame_no : 0;
    return *frame != 0;
}

void mrct_look_fail(struct look *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    uint64_t frame;
    const unsigned n = frame_of(l, &frame);
    fail(l, false, &frame, n, fmt, ap);
    va_end(ap);
}

void mrct_look_fail_any_reading(struct look *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    uint64_t frame;
    const unsigned n = frame_of(l, &frame);
    fail(l, true, &frame, n, fmt, ap);
    va_end(ap);
}

void mrct_look_fail_at(struct look *l, const uint64_t *frames, unsigned n, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fail(l, false, frames, n, fmt, ap);
    va_end(ap);
}

void mrct_look_pass(struct look *l)
{
    const struct row_pass *const p = &l->o->passes[l->row];
    if ((p->taps >> tap_of(l) & 1u) != 0)
        ++*p->exercised;
}

static void say_missing(struct look *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say_missing(struct look *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    inconclusive(l, SAID_MISSING, "", fmt, ap);
    va_end(ap);
}

void mrct_look_missing(struct look *l, const char *fact)
{
    say_missing(l, "the fact %s is not known", fact);
}

void mrct_look_unsure(struct look *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    inconclusive(l, SAID_UNSURE, "", fmt, ap);
    va_end(ap);
}
