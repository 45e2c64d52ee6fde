/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/script_lex.h"

#include "harness/cases/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int mrct_lex_fail(struct mrct_lex *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(l->err, l->err_cap, fmt, ap);
    va_end(ap);
    return -1;
}

/* "dscp 4 ect0: SACK": the colon is for the eye. */
static char *copy_word(struct mrct_lex *l, const char *from, size_t len)
{
    char *const word = mrct_pool_alloc(l->pool, len + 1);
    if (word != NULL) {
        memcpy(word, from, len);
        if (len > 1 && word[len - 1] == ':') {
            word[len - 1] = '\0';
        }
    }
    return word;
}

int mrct_lex_split(struct mrct_lex *l, const char *line, size_t len)
{
    l->count = l->at = 0;
    for (size_t i = 0; i < len;) {
        if (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
            i++;
            continue;
        }
        if (line[i] == '#') {
            break;
        }
        const size_t start = i;
        while (i < len && line[i] != ' ' && line[i] != '\t' && line[i] != '\r') {
            i++;
        }
        if (l->count == MRCT_LEX_WORDS_MAX) {
            return mrct_lex_fail(l, "a line has at most %u words", MRCT_LEX_WORDS_MAX);
        }
        l->word[l->count] = copy_word(l, line + start, i - start);
        if (l->word[l->count++] == NULL) {
            return mrct_lex_fail(l, "out of memory");
        }
    }
    return 0;
}

char *mrct_lex_next(struct mrct_lex *l)
{
    return l->at < l->count ? l->word[l->at++] : NULL;
}

bool mrct_lex_take(struct mrct_lex *l, const char *word)
{
    if (l->at < l->count && strcmp(l->word[l->at], word) == 0) {
        l->at++;
        return true;
    }
    return false;
}

int mrct_lex_value(struct mrct_lex *l, const char *what, char **value)
{
    *value = mrct_lex_next(l);
    return *value != NULL ? 0 : mrct_lex_fail(l, "the value of '%s' is missing", what);
}

int mrct_lex_number(struct mrct_lex *l, const char *text, int64_t min, int64_t max, int64_t *out)
{
    if (mrct_units_int(text, out) != 0 || *out < min || *out > max) {
        return mrct_lex_fail(l, "a number from %" PRId64 " to %" PRId64 " was expected, not '%s'",
                             min, max, text);
    }
    return 0;
}

int mrct_lex_range(struct mrct_lex *l, char *text, int64_t min, int64_t max, int64_t *first,
                   int64_t *last)
{
    char *const tilde = strchr(text, '~');
    if (tilde == NULL) {
        const int rc = mrct_lex_number(l, text, min, max, first);
        *last = *first;
        return rc;
    }
    *tilde = '\0';
    if (mrct_lex_number(l, text, min, max, first) != 0 ||
        mrct_lex_number(l, tilde + 1, min, max, last) != 0) {
        return -1;
    }
    return *first <= *last
               ? 0
               : mrct_lex_fail(l, "the range %s~%s ends before it starts", text, tilde + 1);
}

/* One end of a time; relative when it has a plus. */
static int time_end(struct mrct_lex *l, const char *text, bool *relative, uint64_t *ns)
{
    *relative = text[0] == '+';
    if (mrct_units_duration(text + *relative, ns) != 0 || *ns > UINT64_MAX / 4) {
        return mrct_lex_fail(l,
                             "a time was expected first, like 10us, +10us, +10us~+40us or *, "
                             "not '%s'",
                             text);
    }
    return 0;
}

int mrct_lex_time(struct mrct_lex *l, char *text, struct mrct_script_time *t)
{
    *t = (struct mrct_script_time){.kind = MRCT_TIME_ANY};
    if (strcmp(text, "*") == 0) {
        return 0;
    }
    char *const tilde = strchr(text, '~');
    bool relative[2] = {false, false};
    if (tilde != NULL) {
        *tilde = '\0';
    }
    if (time_end(l, text, &relative[0], &t->from_ns) != 0 ||
        time_end(l, tilde != NULL ? tilde + 1 : text, &relative[1], &t->to_ns) != 0) {
        return -1;
    }
    if (relative[0] != relative[1] || t->from_ns > t->to_ns) {
        return mrct_lex_fail(l,
                             "the time %s~%s is no range: both ends need a plus or none, and "
                             "the first comes first",
                             text, tilde + 1);
    }
    t->kind = relative[0] ? MRCT_TIME_RELATIVE : MRCT_TIME_ABSOLUTE;
    t->ranged = tilde != NULL;
    return 0;
}
