/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/doc.h"

#include "harness/report/escape.h"

#include <string.h>

static bool is_html(const struct mrct_doc *t)
{
    return t->form == MRCT_DOC_HTML;
}

/* Letters that mean something to Markdown lose it; a line stays a line. */
static void put_markdown(FILE *out, const char *words)
{
    for (; *words != '\0'; words++) {
        if (strchr("\\`*_[]<>#|", *words) != NULL) {
            fputc('\\', out);
        }
        fputc(*words == '\n' ? ' ' : *words, out);
    }
}

void mrct_doc_put(struct mrct_doc *t, const char *words)
{
    if (is_html(t)) {
        mrct_escape_markup(t->out, words);
    } else {
        put_markdown(t->out, words);
    }
}

void mrct_doc_begin(struct mrct_doc *t, const char *title, const char *lead)
{
    if (!is_html(t)) {
        fputs("# ", t->out);
        put_markdown(t->out, title);
        fputs("\n\n", t->out);
        put_markdown(t->out, lead);
        fputs("\n\n", t->out);
        return;
    }
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          t->out);
    mrct_escape_markup(t->out, title);
    fputs("</title>\n<link rel=\"stylesheet\" href=\"style.css\"></head>\n<body>\n<header>"
          "<div class=\"wrap\"><div class=\"top\"><div><div class=\"kind\">MRC 1.0 conformance case"
          "</div><h1>",
          t->out);
    mrct_escape_markup(t->out, title);
    fputs("</h1><p class=\"sum\">", t->out);
    mrct_escape_markup(t->out, lead);
    fputs("</p></div></div></div></header>\n<main class=\"wrap page\">\n", t->out);
}

void mrct_doc_end(struct mrct_doc *t)
{
    if (is_html(t)) {
        fputs("</main>\n</body></html>\n", t->out);
    }
}

void mrct_doc_heading(struct mrct_doc *t, unsigned level, const char *words)
{
    if (is_html(t)) {
        fprintf(t->out, "<h%u>", level);
        mrct_escape_markup(t->out, words);
        fprintf(t->out, "</h%u>\n", level);
    } else {
        fprintf(t->out, "%.*s ", (int)level, "####");
        put_markdown(t->out, words);
        fputs("\n\n", t->out);
    }
}

void mrct_doc_para_begin(struct mrct_doc *t)
{
    fputs(is_html(t) ? "<p>" : "", t->out);
}

void mrct_doc_para_end(struct mrct_doc *t)
{
    fputs(is_html(t) ? "</p>\n" : "\n\n", t->out);
}

void mrct_doc_para(struct mrct_doc *t, const char *words)
{
    mrct_doc_para_begin(t);
    mrct_doc_put(t, words);
    mrct_doc_para_end(t);
}

void mrct_doc_block(struct mrct_doc *t, const char *lines)
{
    if (is_html(t)) {
        fputs("<pre>", t->out);
        mrct_escape_markup(t->out, lines);
        fputs("</pre>\n", t->out);
        return;
    }
    for (const char *p = lines; *p != '\0';) {
        const size_t len = strcspn(p, "\n");
        fprintf(t->out, "    %.*s\n", (int)len, p);
        p += len + (p[len] == '\n');
    }
    fputc('\n', t->out);
}

void mrct_doc_list(struct mrct_doc *t, bool numbered)
{
    t->numbered = numbered;
    if (is_html(t)) {
        fputs(numbered ? "<ol>\n" : "<ul>\n", t->out);
    }
}

void mrct_doc_item(struct mrct_doc *t)
{
    if (is_html(t)) {
        fputs("<li>", t->out);
    } else {
        fputs(t->numbered ? "1. " : "- ", t->out);
    }
}

void mrct_doc_item_end(struct mrct_doc *t)
{
    fputs(is_html(t) ? "</li>\n" : "\n", t->out);
}

void mrct_doc_list_end(struct mrct_doc *t)
{
    if (is_html(t)) {
        fputs(t->numbered ? "</ol>\n" : "</ul>\n", t->out);
    } else {
        fputc('\n', t->out);
    }
}

void mrct_doc_code(struct mrct_doc *t, const char *words)
{
    if (is_html(t)) {
        fputs("<code>", t->out);
        mrct_escape_markup(t->out, words);
        fputs("</code>", t->out);
    } else {
        fprintf(t->out, "`%s`", words);
    }
}

void mrct_doc_link(struct mrct_doc *t, const char *to, const char *words)
{
    if (is_html(t)) {
        fputs("<a href=\"", t->out);
        mrct_escape_markup(t->out, to);
        fputs("\">", t->out);
        mrct_escape_markup(t->out, words);
        fputs("</a>", t->out);
    } else {
        fputc('[', t->out);
        put_markdown(t->out, words);
        fprintf(t->out, "](%s)", to);
    }
}
