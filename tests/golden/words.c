/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/golden/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const struct tape_way as_it_was = {.name = "as it was"};
static const struct tape_way others[] = {
    {.name = "lenient, no events", .lenient = true, .no_events = true},
    {.name = "no facts", .no_facts = true, .no_events = true},
    {.name = "in the middle", .elsewhere = true, .no_events = true},
    {.name = "at the other host", .opposite = true},
    {.name = "tighter facts", .tight = true},
    {.name = "requests alone", .one_way = true},
    {.name = "frames lost", .lost = 17},
};
#define OTHERS (sizeof others / sizeof others[0])

/* Findings of one check against one host, of one kind. */
struct kept {
    struct mrct_finding first;
    char host[80]; /* the finding's own lives as long as its oracle */
    uint64_t times;
};
#define KEPT_MAX 400u

struct account {
    struct kept kept[KEPT_MAX];
    size_t count;
    uint64_t of_kind[3];
    uLong digest;
};

static void mix(struct account *a, const char *text)
{
    a->digest = crc32(a->digest, (const Bytef *)text, (uInt)strlen(text));
}

static void hear(void *user, const struct mrct_finding *f)
{
    struct account *const a = user;
    char line[MRCT_FINDING_WHY_MAX + 300];
    (void)snprintf(line, sizeof line, "%s %s %s %s %" PRIu64 " ", mrct_finding_kind_str(f->kind),
                   f->requirement, f->check, f->host, f->time_ns);
    mix(a, line);
    for (unsigned i = 0; i < f->frame_count; i++) {
        (void)snprintf(line, sizeof line, "%" PRIu64 " ", f->frames[i]);
        mix(a, line);
    }
    mix(a, f->why);
    a->of_kind[f->kind]++;
    for (size_t i = 0; i < a->count; i++) {
        struct kept *const k = &a->kept[i];
        if (k->first.kind == f->kind && k->first.check == f->check &&
            strcmp(k->host, f->host) == 0) {
            k->times++;
            return;
        }
    }
    if (a->count < KEPT_MAX) {
        struct kept *const k = &a->kept[a->count++];
        k->first = *f;
        k->times = 1;
        (void)snprintf(k->host, sizeof k->host, "%s", f->host);
    }
}

struct judged {
    uint64_t requirements, times;
};

static struct judged results(struct account *a, const struct mrct_oracle *o)
{
    const struct mrct_req_result *r;
    const size_t n = mrct_oracle_results(o, &r);
    struct judged j = {0, 0};
    for (size_t i = 0; i < n; i++) {
        char line[200];
        (void)snprintf(line, sizeof line, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                       r[i].requirement, r[i].exercised, r[i].failed, r[i].warned,
                       r[i].inconclusive);
        mix(a, line);
        j.requirements += r[i].exercised != 0;
        j.times += r[i].exercised;
    }
    struct mrct_gaps g;
    char line[200];
    mrct_oracle_gaps(o, &g);
    (void)snprintf(line, sizeof line,
                   "%" PRIu64 " %" PRIu64 " %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                   g.flows, g.missing, g.more, g.frame, g.one_sided, g.cut, g.unpaired);
    mix(a, line);
    return j;
}

static void tell_findings(FILE *out, const struct account *a)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct kept *const k = &a->kept[i];
        if (k->first.kind == MRCT_FINDING_INCONCLUSIVE)
            continue;
        fprintf(out, "    %s %s %s", mrct_finding_kind_str(k->first.kind), k->first.requirement,
                k->first.check);
        if (k->host[0] != '\0')
            fprintf(out, " by %s", k->host);
        if (k->first.frame_count != 0)
            fprintf(out, " at frame %" PRIu64, k->first.frames[0]);
        if (k->times > 1)
            fprintf(out, ", %" PRIu64 " times", k->times);
        fputc('\n', out);
    }
}

/* On one line: most captures leave a lot open. */
static void tell_inconclusive(FILE *out, const struct account *a)
{
    const char *before = "    INCONCLUSIVE ";
    for (size_t i = 0; i < a->count; i++) {
        const struct kept *const k = &a->kept[i];
        if (k->first.kind != MRCT_FINDING_INCONCLUSIVE)
            continue;
        fprintf(out, "%s%s", before, k->first.check);
        if (k->times > 1)
            fprintf(out, " %" PRIu64, k->times);
        before = ", ";
    }
    if (a->of_kind[MRCT_FINDING_INCONCLUSIVE] != 0)
        fputc('\n', out);
}

/* The names alone of the checks that accuse. */
static void tell_names(FILE *out, const struct account *a)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct kept *const k = &a->kept[i];
        if (k->first.kind != MRCT_FINDING_INCONCLUSIVE)
            fprintf(out, " %s%s", k->first.kind == MRCT_FINDING_WARN ? "~" : "", k->first.check);
    }
    fputc('\n', out);
}

/* Which readings were taken otherwise than by the run's first oracle. */
static void tell_reading(FILE *out, const struct tape *t, const struct tape *first)
{
    for (unsigned q = 1; q < MRCT_QUESTIONS_MAX; q++) {
        if (t->cfg.reading[q] != first->cfg.reading[q])
            fprintf(out, ", Q%u=%c", q, t->cfg.reading[q] != 0 ? t->cfg.reading[q] : '0');
    }
}

static struct judged play(struct account *a, const struct tape *t, const struct tape_way *way)
{
    struct mrct_facts facts;
    a->count = 0;
    a->digest = 0;
    memset(a->of_kind, 0, sizeof a->of_kind);
    struct mrct_oracle *const o = tape_play(t, way, &facts, hear, a);
    const struct judged j = results(a, o);
    mrct_oracle_free(o);
    mrct_facts_fini(&facts);
    return j;
}

static void tell_as_it_was(FILE *out, struct account *a, const struct tape *t,
                           const struct tape *first)
{
    const struct judged j = play(a, t, &as_it_was);
    fprintf(out, "  at the %s", mrct_tap_str(t->cfg.tap));
    tell_reading(out, t, first);
    fprintf(out, ": %" PRIu64 " frames, %" PRIu64 " judged in %" PRIu64 " requirements, #%08lx\n",
            t->frames, j.times, j.requirements, a->digest);
    tell_findings(out, a);
    tell_inconclusive(out, a);
}

static void tell_otherwise(FILE *out, struct account *a, const struct tape *t,
                           const struct tape_way *way)
{
    (void)play(a, t, way);
    fprintf(out, "    %s: %" PRIu64 " fail, %" PRIu64 " warn, %" PRIu64 " inconclusive #%08lx",
            way->name, a->of_kind[MRCT_FINDING_FAIL], a->of_kind[MRCT_FINDING_WARN],
            a->of_kind[MRCT_FINDING_INCONCLUSIVE], a->digest);
    tell_names(out, a);
}

/* One of the other ways, which stays the same when runs are added. */
static size_t one_of_them(const char *name, const struct tape *t)
{
    return (crc32(0, (const Bytef *)name, (uInt)strlen(name)) + t->frames + t->cfg.tap) % OTHERS;
}

static void tell_briefly(FILE *out, struct account *a, const struct tape *t,
                         const struct tape_way *way)
{
    const struct judged j = play(a, t, way);
    fprintf(out,
            "  %s: %" PRIu64 " judged, %" PRIu64 " fail, %" PRIu64 " warn, %" PRIu64
            " inconclusive #%08lx\n",
            way->name, j.times, a->of_kind[MRCT_FINDING_FAIL], a->of_kind[MRCT_FINDING_WARN],
            a->of_kind[MRCT_FINDING_INCONCLUSIVE], a->digest);
}

char *words_of(const char *name, const struct tapes *t, bool brief)
{
    char *text = NULL;
    size_t len = 0;
    FILE *const out = open_memstream(&text, &len);
    struct account *const a = malloc(sizeof *a);
    if (out == NULL || a == NULL)
        exit(3);
    fprintf(out, "%s\n", name);
    for (size_t i = 0; i < t->count; i++) {
        const struct tape_way *const other = &others[one_of_them(name, &t->list[i])];
        if (brief) {
            tell_briefly(out, a, &t->list[i], &as_it_was);
            tell_briefly(out, a, &t->list[i], other);
        } else {
            tell_as_it_was(out, a, &t->list[i], &t->list[0]);
            tell_otherwise(out, a, &t->list[i], other);
        }
    }
    free(a);
    (void)fclose(out);
    return text;
}
