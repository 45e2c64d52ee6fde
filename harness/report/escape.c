/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/report/escape.h"

#include "harness/trace/text.h"
#include <inttypes.h>

static void put(FILE *out, uint32_t c)
{
    char bytes[4] = {0};
    const size_t len = mrct_text_put(c, bytes);
    fwrite(bytes, 1, len, out);
}

/* Newline and tab stand as references: an attribute's value would lose them otherwise. */
static const char *markup_of(uint32_t c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\n':
        return "&#10;";
    case '\t':
        return "&#9;";
    default:
        return NULL;
    }
}

void mrct_escape_markup(FILE *out, const char *text)
{
    uint32_t c;
    while (text != NULL && (c = mrct_text_next(&text)) != 0) {
        const char *const markup = markup_of(c);
        if (markup != NULL)
            fputs(markup, out);
        else
            put(out, c);
    }
}

void mrct_escape_yaml(FILE *out, const char *text)
{
    uint32_t c;
    fputc('"', out);
    while (text != NULL && (c = mrct_text_next(&text)) != 0) {
        if (c == '"' || c == '\\')
            fputc('\\', out);
        if (c == '\n')
            fputs("\\n", out);
        else if (c == '\t')
            fputs("\\t", out);
        else
            put(out, c);
    }
    fputc('"', out);
}

void mrct_escape_line(FILE *out, const char *text, int tap)
{
    uint32_t c;
    while (text != NULL && (c = mrct_text_next(&text)) != 0) {
        if (tap && (c == '#' || c == '\\'))
            fputc('\\', out);
        put(out, c == '\n' || c == '\t' ? ' ' : c);
    }
}

void mrct_escape_seconds(FILE *out, uint64_t ns)
{
    const uint64_t second = UINT64_C(1000000000);
    fprintf(out, "%" PRIu64 ".%09" PRIu64, ns / second, ns % second);
}
