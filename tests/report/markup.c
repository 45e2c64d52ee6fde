/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/report/markup.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 64

struct reader {
    const char *start, *p;
    bool html;
    char open[DEPTH_MAX][24];
    unsigned depth;
    char fault[200];
};

static void fail(struct reader *r, const char *what)
{
    if (r->fault[0] == '\0')
        snprintf(r->fault, sizeof(r->fault), "%s at byte %zu: %.40s", what,
                 (size_t)(r->p - r->start), r->p);
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_' || c == ':' || c == '.';
}

static void name(struct reader *r, char out[24])
{
    size_t n = 0;
    while (is_name(*r->p) && n < 23)
        out[n++] = *r->p++;
    out[n] = '\0';
    if (n == 0)
        fail(r, "a name was expected");
}

static void reference(struct reader *r)
{
    const size_t len = strcspn(r->p, ";");
    if (len < 2 || len > 8)
        fail(r, "& begins no reference");
    r->p++;
}

static void attribute(struct reader *r)
{
    char skipped[24];
    name(r, skipped);
    if (*r->p != '=') {
        if (!r->html)
            fail(r, "an attribute has no value");
        return;
    }
    r->p++;
    if (*r->p++ != '"') {
        fail(r, "an attribute is not quoted");
        return;
    }
    for (; *r->p != '"' && r->fault[0] == '\0'; r->p++) {
        if (*r->p == '\0' || *r->p == '<')
            fail(r, "an attribute never ends");
        else if (*r->p == '&')
            reference(r);
    }
    r->p++;
}

static bool is_void(const char *tag)
{
    return strcmp(tag, "meta") == 0 || strcmp(tag, "br") == 0 || strcmp(tag, "input") == 0;
}

static void open_tag(struct reader *r)
{
    char tag[24], end[32];
    name(r, tag);
    while (isspace((unsigned char)*r->p)) {
        r->p++;
        attribute(r);
    }
    const bool closed = *r->p == '/';
    r->p += closed ? 1 : 0;
    if (*r->p != '>') {
        fail(r, "a tag is not closed");
        return;
    }
    r->p++;
    if (closed || (r->html && is_void(tag)))
        return;
    if (r->depth == DEPTH_MAX) {
        fail(r, "too deep");
        return;
    }
    snprintf(r->open[r->depth++], sizeof(r->open[0]), "%s", tag);
    if (r->html && (strcmp(tag, "style") == 0 || strcmp(tag, "script") == 0)) {
        snprintf(end, sizeof(end), "</%s>", tag);
        const char *const stop = strstr(r->p, end);
        r->p = stop == NULL ? r->p + strlen(r->p) : stop;
    }
}

static void close_tag(struct reader *r)
{
    char tag[24];
    name(r, tag);
    if (r->depth == 0 || strcmp(r->open[r->depth - 1], tag) != 0)
        fail(r, "a tag closes that is not open");
    else
        r->depth--;
    if (*r->p++ != '>')
        fail(r, "a closing tag does not end");
}

static void tag_or_text(struct reader *r)
{
    if (*r->p == '&') {
        reference(r);
    } else if (*r->p == '>') {
        fail(r, "a bare >");
    } else if (*r->p != '<') {
        r->p++;
    } else if (r->p[1] == '?' || r->p[1] == '!') {
        r->p += strcspn(r->p, ">") + 1;
    } else if (r->p[1] == '/') {
        r->p += 2;
        close_tag(r);
    } else {
        r->p++;
        open_tag(r);
    }
}

const char *markup_fault(const char *text, bool html)
{
    static struct reader r;
    r = (struct reader){.start = text, .p = text, .html = html};
    while (*r.p != '\0' && r.fault[0] == '\0')
        tag_or_text(&r);
    if (r.depth != 0)
        fail(&r, "a tag stays open");
    return r.fault;
}
