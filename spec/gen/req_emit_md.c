/* SPDX-License-Identifier: BSD-2-Clause */
#include "spec/gen/req_model.h"

#include <string.h>

static const char head[] =
    "# Requirements\n"
    "\n"
    "Generated from `spec/requirements/` and `spec/questions.yaml` by `make docs`; change those.\n"
    "\n"
    "Each sentence says what a conforming implementation does. Level: what the specification "
    "asks;\n"
    "MUST and MUST NOT fail, SHOULD and SHOULD NOT warn. Evidence (E): C, two independent public\n"
    "descriptions agree; S, one has it; U, from Ultra Ethernet; I, from InfiniBand and RoCEv2. "
    "What\n"
    "rests on S or U alone fails in strict mode only. Taps: where a capture must be taken so that "
    "the\n"
    "sentence can be decided; \"+ events\" needs what an application saw as well. Facts: what a "
    "capture\n"
    "does not say and a facts file must.\n";

/* A table's cell must not end at a bar of the text. */
static void put_cell(FILE *o, const char *s)
{
    for (; *s; s++) {
        (void)fprintf(o, *s == '|' ? "\\%c" : "%c", *s);
    }
}

static void put_words(FILE *o, const char *const *list, const char *quote)
{
    for (size_t i = 0; list[i]; i++) {
        (void)fprintf(o, "%s%s%s%s", i ? ", " : "", quote, list[i], quote);
    }
}

static void put_taps(FILE *o, const struct mrc_spec_requirement *r)
{
    const char *sep = "";
    if (r->taps == 7) {
        (void)fputs("any", o);
    }
    for (unsigned i = 0; r->taps != 7 && mrc_spec_taps[i]; i++) {
        if (r->taps & (1u << i)) {
            (void)fprintf(o, "%s%s", sep, mrc_spec_taps[i]);
            sep = ", ";
        }
    }
    (void)fputs(r->needs_events ? " + events" : "", o);
}

static void put_notes(FILE *o, const struct mrc_spec_requirement *r)
{
    if (r->capability) {
        (void)fprintf(o, " With the capability %s.", r->capability);
    }
    if (r->question) {
        (void)fprintf(o, " Open question %s: who breaks it has %s.", r->question->id,
                      r->reading_verdicts);
    }
    if (r->not_checked_why) {
        (void)fputs(" *Not checked:* ", o);
        put_cell(o, r->not_checked_why);
    }
}

static void put_requirement(FILE *o, const struct mrc_spec_requirement *r)
{
    (void)fprintf(o, "| %s | %s | %s | %c | %s | ", r->id, mrc_spec_levels[r->level],
                  mrc_spec_roles[r->role], r->evidence, r->table ? r->table : "");
    put_cell(o, r->text);
    put_notes(o, r);
    (void)fputs(" | ", o);
    put_taps(o, r);
    (void)fputs(" | ", o);
    put_words(o, r->facts, "");
    (void)fputs(" | ", o);
    put_words(o, r->checks, "`");
    (void)fputs(" |\n", o);
}

static void put_question(FILE *o, const struct mrc_spec_question *q)
{
    (void)fprintf(o, "\n### %s %s\n\n", q->id, q->text);
    for (unsigned i = 0; i < q->reading_count; i++) {
        const bool taken = q->readings[i].id == q->default_reading;
        (void)fprintf(o, "- %c: %s%s\n", q->readings[i].id, q->readings[i].text,
                      taken ? " **Default.**" : "");
    }
    if (q->note) {
        (void)fprintf(o, "\n%s\n", q->note);
    }
}

void gen_emit_req_md(FILE *o, const struct mrc_spec *s)
{
    (void)fputs(head, o);
    const char *section = "";
    for (size_t i = 0; i < s->req_count; i++) {
        const struct mrc_spec_requirement *r = &s->reqs[i];
        if (strcmp(section, r->section) != 0) {
            section = r->section;
            (void)fprintf(o, "\n## %s %s\n\n", r->section, r->title);
            (void)fputs("| id | level | role | E | table | requirement | taps | facts | checks |\n"
                        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
                        o);
        }
        put_requirement(o, r);
    }
    (void)fputs("\n## Open questions\n", o);
    for (size_t i = 0; i < s->question_count; i++) {
        put_question(o, &s->questions[i]);
    }
}
