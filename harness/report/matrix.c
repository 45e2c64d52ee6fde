/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/report/matrix.h"

#include "harness/report/escape.h"

#include <string.h>

static const char *text_of(const json_t *o, const char *key)
{
    const char *const text = json_string_value(json_object_get(o, key));
    return text != NULL ? text : "";
}

enum mrct_verdict mrct_matrix_verdict(const json_t *o)
{
    const char *const text = text_of(o, "verdict");
    for (unsigned v = 0; v < MRCT_VERDICTS; v++)
        if (strcmp(text, mrct_verdict_str((enum mrct_verdict)v)) == 0)
            return (enum mrct_verdict)v;
    return MRCT_ERROR;
}

void mrct_matrix_words(const json_t *cell, char *buf, size_t cap)
{
    const json_t *const blame = json_object_get(cell, "blame");
    size_t used = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < json_array_size(blame) && used + 1 < cap; i++) {
        const json_t *const b = json_array_get(blame, i);
        const json_int_t n = json_integer_value(json_object_get(b, "cases"));
        const char *const req = text_of(b, "requirement");
        const int more = snprintf(
            buf + used, cap - used, "%s%s %s%s%s in %d case%s", i > 0 ? "; " : "",
            text_of(b, "device"), req[0] != '\0' ? "broke " : "failed", req,
            json_is_true(json_object_get(b, "together")) ? " (not with the reference)" : "", (int)n,
            n == 1 ? "" : "s");
        used += more > 0 ? (size_t)more : 0;
    }
    if (buf[0] == '\0' && mrct_matrix_verdict(cell) != MRCT_PASS)
        (void)snprintf(buf, cap, "%s", text_of(cell, "why"));
}

/* ---- the terminal ---- */

static const char *const codes[MRCT_VERDICTS] = {[MRCT_PASS] = "pass",
                                                 [MRCT_NOT_APPLICABLE] = "n/a",
                                                 [MRCT_INCONCLUSIVE] = "inc",
                                                 [MRCT_FAIL] = "FAIL",
                                                 [MRCT_ERROR] = "ERR"};

static void term_table(const struct mrct_term *t, const json_t *devices, const json_t *cells)
{
    const size_t n = json_array_size(devices);
    (void)fprintf(t->out, "%-4s%-32s", "", "host1 \\ host2");
    for (size_t b = 0; b < n; b++)
        (void)fprintf(t->out, " %4zu", b + 1);
    (void)fputc('\n', t->out);
    for (size_t a = 0; a < n; a++) {
        (void)fprintf(t->out, "%3zu %-32.32s", a + 1, text_of(json_array_get(devices, a), "name"));
        for (size_t b = 0; b < n; b++) {
            const enum mrct_verdict v = mrct_matrix_verdict(json_array_get(cells, a * n + b));
            (void)fprintf(t->out, " %s%4s%s", mrct_term_paint(t, v), codes[v], mrct_term_plain(t));
        }
        (void)fputc('\n', t->out);
    }
}

static void term_line(const struct mrct_term *t, const json_t *cell)
{
    const enum mrct_verdict v = mrct_matrix_verdict(cell);
    char words[2000];
    if (v == MRCT_PASS)
        return;
    mrct_matrix_words(cell, words, sizeof words);
    (void)fprintf(t->out, "%s%-15s%s %s -> %s: ", mrct_term_paint(t, v), mrct_verdict_str(v),
                  mrct_term_plain(t), text_of(json_object_get(cell, "requestor"), "name"),
                  text_of(json_object_get(cell, "responder"), "name"));
    mrct_escape_line(t->out, words, 0);
    (void)fputc('\n', t->out);
}

void mrct_matrix_term(const struct mrct_term *t, const json_t *matrix)
{
    const json_t *const cells = json_object_get(matrix, "cells");
    size_t n[MRCT_VERDICTS] = {0};
    term_table(t, json_object_get(matrix, "devices"), cells);
    (void)fputc('\n', t->out);
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *const cell = json_array_get(cells, i);
        n[mrct_matrix_verdict(cell)]++;
        term_line(t, cell);
    }
    (void)fprintf(
        t->out, "%zu cells passed, %zu failed, %zu inconclusive, %zu not applicable, %zu errors\n",
        n[MRCT_PASS], n[MRCT_FAIL], n[MRCT_INCONCLUSIVE], n[MRCT_NOT_APPLICABLE], n[MRCT_ERROR]);
}
