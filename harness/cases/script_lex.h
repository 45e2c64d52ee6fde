/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a script's line, and the numbers and times in them. Internal to the script's parser. */
#ifndef MRCT_CASES_SCRIPT_LEX_H
#define MRCT_CASES_SCRIPT_LEX_H

#include "harness/cases/script.h"

#define MRCT_LEX_WORDS_MAX 300u

/* A line being read. All functions that can fail return 0, or -1 with a sentence in err. */
struct mrct_lex {
    struct mrct_script *s;
    struct mrct_pool *pool;
    char *err;
    size_t err_cap;
    char *word[MRCT_LEX_WORDS_MAX]; /* in the pool; a colon at a word's end is gone */
    size_t count, at;               /* words; the next one */
    struct mrct_script_item scratch[MRCT_SCRIPT_ITEMS_MAX]; /* items of the line being read */
};

int mrct_lex_fail(struct mrct_lex *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Splits the line, up to a "#". */
int mrct_lex_split(struct mrct_lex *l, const char *line, size_t len);
/* The next word, taken; NULL at the end of the line. */
char *mrct_lex_next(struct mrct_lex *l);
/* Takes the next word when it is this one. */
bool mrct_lex_take(struct mrct_lex *l, const char *word);
/* The next word as what follows `what`. */
int mrct_lex_value(struct mrct_lex *l, const char *what, char **value);
/* A whole number from min to max, decimal or 0x. */
int mrct_lex_number(struct mrct_lex *l, const char *text, int64_t min, int64_t max, int64_t *out);
/* "7" or "3~5". */
int mrct_lex_range(struct mrct_lex *l, char *text, int64_t min, int64_t max, int64_t *first,
                   int64_t *last);
int mrct_lex_time(struct mrct_lex *l, char *text, struct mrct_script_time *t);

/* script_item.c: reads the rest of the line as a packet's or an event's items. */
int mrct_lex_items(struct mrct_lex *l, struct mrct_script_line *line);
/* Its name: an opcode, or one of MRCT_NAME_; head items may stand before it. */
int mrct_lex_name(struct mrct_lex *l, struct mrct_script_line *line);

#endif
