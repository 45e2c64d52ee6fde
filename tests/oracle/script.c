/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/script.h"
#include "gen/mrc_req.h"
#include "tests/oracle/stage.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

bool stage_word(const char **p, char split, struct word *w)
{
    while (**p == split)
        ++*p;
    const char *const end = strchrnul(*p, split);
    *w = (struct word){*p, (size_t)(end - *p)};
    *p = end;
    return w->len != 0;
}

const char *stage_value(const struct word *w, const char *name)
{
    const size_t n = strlen(name);
    if (w->len < n || memcmp(w->at, name, n) != 0)
        return NULL;
    return w->len == n ? "1" : w->at[n] == '=' ? w->at + n + 1 : NULL;
}

void stage_bad_word(const struct stage *g, const struct word *w)
{
    ck_abort_msg("%s: what is \"%.*s\"?", g->s->steps, (int)w->len, w->at);
}

/* ---- a conversation ---- */

#define LOOPS_MAX 2u

static void play(struct stage *g)
{
    const char *p = g->s->steps, *again[LOOPS_MAX];
    unsigned long times[LOOPS_MAX];
    unsigned depth = 0;
    for (struct word w; stage_word(&p, ' ', &w);) {
        if (w.at[w.len - 1] == '[') {
            ck_assert_uint_lt(depth, LOOPS_MAX);
            times[depth] = strtoul(w.at, NULL, 10);
            again[depth++] = p;
        } else if (w.at[0] == ']') {
            ck_assert_uint_gt(depth, 0);
            if (--times[depth - 1] > 0)
                p = again[depth - 1];
            else
                depth--;
        } else if (w.at[0] == '+' || w.at[0] == '@') {
            g->next_ns = (w.at[0] == '+' ? g->t.now_ns : g->begin_ns) + stage_ns(g, w.at + 1);
            g->waited = true;
        } else if (w.at[0] == '!') {
            stage_event(g, &w);
        } else {
            stage_step(g, &w);
        }
    }
    mrct_oracle_end(g->t.w.oracle, g->waited ? g->next_ns : g->t.now_ns);
}

/* ---- what was said ---- */

static void add_word(char *to, size_t cap, const char *word, const struct mrct_finding *f)
{
    size_t at = strlen(to);
    (void)snprintf(to + at, cap - at, " %s", word);
    for (unsigned i = 0; i < f->frame_count; i++) {
        at = strlen(to);
        (void)snprintf(to + at, cap - at, "%c%llu", i == 0 ? '@' : '+',
                       (unsigned long long)f->frames[i]);
    }
}

static void sum_up(const struct stage *g, char *to, size_t cap)
{
    const struct mrct_req_result *results;
    const size_t n = mrct_oracle_results(g->t.w.oracle, &results);
    for (size_t i = 0; i < n; i++)
        if (strcmp(results[i].requirement, g->s->requirement) == 0)
            (void)snprintf(to, cap, "%llu", (unsigned long long)results[i].exercised);
    for (size_t i = 0; i < g->t.w.count; i++) {
        static const char *const words[] = {[MRCT_FINDING_FAIL] = "fail",
                                            [MRCT_FINDING_WARN] = "warn",
                                            [MRCT_FINDING_INCONCLUSIVE] = "unsure"};
        const struct mrct_finding *const f = &g->t.w.found[i];
        const bool own = strcmp(f->requirement, g->s->requirement) == 0;
        if (own || f->kind != MRCT_FINDING_INCONCLUSIVE)
            add_word(to, cap, own ? words[f->kind] : f->check, f);
    }
}

static bool gives_reason(const struct stage *g, const char *words)
{
    for (size_t i = 0; i < g->t.w.count; i++)
        if (strcmp(g->t.w.found[i].requirement, g->s->requirement) == 0 &&
            strstr(g->t.w.found[i].why, words) != NULL)
            return true;
    return false;
}

static bool tell_from(const struct script *s, uint32_t start)
{
    static struct stage g;
    char said[1000] = "never judged";
    stage_set_up(&g, s, start);
    play(&g);
    sum_up(&g, said, sizeof said);
    const size_t len = strcspn(s->said, "~");
    const bool as_told = strlen(said) == len && memcmp(said, s->said, len) == 0 &&
                         (s->said[len] == '\0' || gives_reason(&g, s->said + len + 1));
    if (!as_told) {
        printf("%s (%s) %s\n  is told of: %s\n  and not of: %s\n", s->requirement, s->setup,
               s->steps, said, s->said);
        watch_print(&g.t.w);
    }
    watch_stop(&g.t.w);
    mrct_facts_fini(&g.t.facts);
    return as_told;
}

bool script_holds(const struct script *s)
{
    return tell_from(s, 100) && tell_from(s, 0xFFFFFD);
}
