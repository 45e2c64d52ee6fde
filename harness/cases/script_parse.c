/* SPDX-License-Identifier: BSD-2-Clause */
/* A script's text, line by line. */
#include "harness/cases/script_lex.h"

#include "harness/cases/case.h"
#include "harness/cases/case_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VA_MAX (INT64_C(1) << 40)

/* ---- packets ---- */

static int raw_bytes(struct mrct_lex *l, struct mrct_script_line *line)
{
    size_t digits = 0;
    for (size_t i = l->at; i < l->count; i++) {
        digits += strlen(l->word[i]);
    }
    uint8_t *const bytes = mrct_pool_alloc(l->pool, digits / 2 + 1);
    if (bytes == NULL) {
        return mrct_lex_fail(l, "out of memory");
    }
    size_t n = 0;
    for (char *w; (w = mrct_lex_next(l)) != NULL;) {
        for (const char *p = w; *p != '\0'; p++, n++) {
            if (!isxdigit((unsigned char)*p)) {
                return mrct_lex_fail(l, "raw: '%s' is no run of hexadecimal digits", w);
            }
            const int c = tolower((unsigned char)*p);
            bytes[n / 2] = (uint8_t)(bytes[n / 2] << 4 | (isdigit(c) ? c - '0' : c - 'a' + 10));
        }
    }
    line->bytes = bytes;
    line->byte_count = n / 2;
    if (n == 0 || n % 2 != 0 || n / 2 > MRC_FRAME_MAX) {
        return mrct_lex_fail(l, "raw: 1 to %u whole bytes were expected", MRC_FRAME_MAX);
    }
    return 0;
}

/* From the scratch to the pool. */
static int keep_items(struct mrct_lex *l, struct mrct_script_line *line)
{
    const size_t bytes = line->item_count * sizeof *line->items;
    line->items = mrct_pool_alloc(l->pool, bytes + 1);
    if (line->items == NULL) {
        return mrct_lex_fail(l, "out of memory");
    }
    memcpy(line->items, l->scratch, bytes);
    return 0;
}

static int packet(struct mrct_lex *l, struct mrct_script_line *line, enum mrct_line_kind kind)
{
    line->kind = kind;
    line->items = l->scratch;
    if (mrct_lex_name(l, line) != 0) {
        return -1;
    }
    const bool sent = kind == MRCT_LINE_SEND;
    if (sent && line->name == MRCT_NAME_RAW) {
        return raw_bytes(l, line) != 0 ? -1 : keep_items(l, line);
    }
    if (sent ? line->name >= MRCT_NAME_ANY : line->name == MRCT_NAME_RAW) {
        return mrct_lex_fail(l, "'%s' cannot be %s", mrct_script_name_str(line->name),
                             sent ? "sent" : "expected");
    }
    return mrct_lex_items(l, line) != 0 ? -1 : keep_items(l, line);
}

/* ---- what the device's application does ---- */

static int take_number(struct mrct_lex *l, const char *what, int64_t min, int64_t max, int64_t *v)
{
    char *text = NULL;
    return mrct_lex_value(l, what, &text) != 0 ? -1 : mrct_lex_number(l, text, min, max, v);
}

static int count_of(struct mrct_lex *l, struct mrct_script_line *line, const char *word)
{
    int64_t v = 0;
    if (mrct_lex_number(l, word + 1, 1, 1000, &v) != 0) {
        return -1;
    }
    line->count = (uint32_t)v;
    return 0;
}

enum call_key { KEY_LEN = 1, KEY_IMM = 2, KEY_RKEY = 4, KEY_COUNT = 8 };

static const struct {
    const char *word;
    int key; /* 0: every call has it */
    int64_t min, max;
} call_words[] = {
    {"qp", 0, 1, MRCT_CASE_QPS_MAX},
    {"len", KEY_LEN, 1, MRCT_CASE_SIZE_MAX},
    {"imm", KEY_IMM, 0, UINT32_MAX},
    {"rkey", KEY_RKEY, 1, 3},
};

static void store_call(struct mrct_script_line *line, size_t i, int64_t v)
{
    switch (i) {
    case 0:
        line->qp = (unsigned)v;
        break;
    case 1:
        line->size = (uint32_t)v;
        break;
    case 2:
        line->has_imm = true;
        line->imm = (uint32_t)v;
        break;
    default:
        line->rkey = (unsigned)v;
        break;
    }
}

static int call_items(struct mrct_lex *l, struct mrct_script_line *line, int keys)
{
    for (char *word; (word = mrct_lex_next(l)) != NULL;) {
        size_t i = 0;
        const size_t n = sizeof call_words / sizeof call_words[0];
        while (i < n && strcmp(call_words[i].word, word) != 0) {
            i++;
        }
        if ((keys & KEY_COUNT) != 0 && word[0] == 'x') {
            if (count_of(l, line, word) != 0) {
                return -1;
            }
        } else if (i == n || (call_words[i].key & ~keys) != 0) {
            return mrct_lex_fail(l, "'%s' is no word of this call", word);
        } else {
            int64_t v = 0;
            if (take_number(l, word, call_words[i].min, call_words[i].max, &v) != 0) {
                return -1;
            }
            store_call(line, i, v);
        }
    }
    return 0;
}

static int post(struct mrct_lex *l, struct mrct_script_line *line)
{
    if (mrct_lex_take(l, "recv")) {
        line->kind = MRCT_LINE_POST_RECV;
        return call_items(l, line, KEY_COUNT);
    }
    line->kind = MRCT_LINE_POST_WRITE;
    if (!mrct_lex_take(l, "write")) {
        return mrct_lex_fail(l, "post: 'write' or 'recv' was expected");
    }
    if (call_items(l, line, KEY_LEN | KEY_IMM | KEY_RKEY | KEY_COUNT) != 0) {
        return -1;
    }
    return line->size > 0 ? 0 : mrct_lex_fail(l, "post write: len is missing");
}

static int set_mpr(struct mrct_lex *l, struct mrct_script_line *line)
{
    int64_t v = 0;
    line->kind = MRCT_LINE_SET_MPR;
    if (!mrct_lex_take(l, "mpr")) {
        return mrct_lex_fail(l, "set: 'mpr' was expected");
    }
    if (take_number(l, "mpr", 1, 255, &v) != 0) {
        return -1;
    }
    line->value = (unsigned)v;
    return call_items(l, line, 0);
}

static int shortage(struct mrct_lex *l, struct mrct_script_line *line)
{
    char *text = NULL;
    line->kind = MRCT_LINE_SHORTAGE;
    if (mrct_lex_value(l, "shortage", &text) != 0) {
        return -1;
    }
    for (const struct mrct_load_word *w = mrct_words_reason; w->name != NULL; w++) {
        if (strcmp(w->name, text) == 0) {
            line->value = (unsigned)w->value;
            return call_items(l, line, KEY_COUNT);
        }
    }
    return mrct_lex_fail(l, "shortage: '%s' is no reason to turn a request away", text);
}

/* ---- memory ---- */

static int memory(struct mrct_lex *l, struct mrct_script_line *line, enum mrct_line_kind kind)
{
    int64_t first = 0;
    int64_t length = 0;
    int64_t pattern = 0;
    line->kind = kind;
    if (take_number(l, "memory", 0, VA_MAX, &first) != 0) {
        return -1;
    }
    if (!mrct_lex_take(l, "len") || take_number(l, "len", 1, VA_MAX, &length) != 0 ||
        !mrct_lex_take(l, "is")) {
        return mrct_lex_fail(l, "OFFSET len BYTES is ... was expected");
    }
    const bool write = mrct_lex_take(l, "write");
    if (write || !mrct_lex_take(l, "old")) {
        if (take_number(l, "is", 1, write ? 100000 : 250, &pattern) != 0) {
            return -1;
        }
    }
    line->first = (uint64_t)first;
    line->length = (uint64_t)length;
    line->pattern = (int)(write ? -pattern : pattern);
    return l->at == l->count ? 0 : mrct_lex_fail(l, "'%s' is too much", l->word[l->at]);
}

/* ---- a line ---- */

static int plain_line(struct mrct_lex *l, struct mrct_script_line *line, enum mrct_line_kind kind)
{
    line->kind = kind;
    if ((kind == MRCT_LINE_NOTHING || kind == MRCT_LINE_WAIT) && line->time.kind == MRCT_TIME_ANY) {
        return mrct_lex_fail(l, "a time was expected: how long?");
    }
    return l->at == l->count ? 0 : mrct_lex_fail(l, "'%s' is too much", l->word[l->at]);
}

static int deed(struct mrct_lex *l, struct mrct_script_line *line)
{
    static const struct {
        const char *word;
        enum mrct_line_kind kind;
        int (*read)(struct mrct_lex *l, struct mrct_script_line *line, enum mrct_line_kind kind);
    } with_kind[] = {
        {">", MRCT_LINE_SEND, packet},        {"<", MRCT_LINE_EXPECT, packet},
        {"<~", MRCT_LINE_AWAIT, packet},      {"<?", MRCT_LINE_MAYBE, packet},
        {"<!", MRCT_LINE_FORBID, packet},     {"memory", MRCT_LINE_MEMORY, memory},
        {"own", MRCT_LINE_OWN, memory},       {"nothing", MRCT_LINE_NOTHING, plain_line},
        {"wait", MRCT_LINE_WAIT, plain_line},
    };
    static const struct {
        const char *word;
        int (*read)(struct mrct_lex *l, struct mrct_script_line *line);
    } calls[] = {{"post", post}, {"set", set_mpr}, {"shortage", shortage}};
    for (size_t i = 0; i < sizeof with_kind / sizeof with_kind[0]; i++) {
        if (mrct_lex_take(l, with_kind[i].word)) {
            return with_kind[i].read(l, line, with_kind[i].kind);
        }
    }
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (mrct_lex_take(l, calls[i].word)) {
            return calls[i].read(l, line);
        }
    }
    return mrct_lex_fail(l, "what happens then? >, <, <~, <?, <!, nothing, wait, post, set, "
                            "shortage, memory or own was expected");
}

struct reading {
    struct mrct_lex lex;
    size_t cap; /* of the lines */
    enum mrct_script_phase phase;
    bool in_set;
};

static int brace(struct reading *r, struct mrct_script_line *line, bool open)
{
    line->kind = open ? MRCT_LINE_OPEN : MRCT_LINE_CLOSE;
    if (r->in_set == open || r->lex.at != r->lex.count) {
        return mrct_lex_fail(&r->lex, "'{' and '}' stand alone, and one set holds no other");
    }
    r->in_set = open;
    return 0;
}

static bool in_set_ok(enum mrct_line_kind kind)
{
    return kind == MRCT_LINE_EXPECT || kind == MRCT_LINE_AWAIT || kind == MRCT_LINE_MAYBE;
}

/* 1: the line is only a heading. */
static int heading(struct reading *r)
{
    static const char *const words[] = {"preamble", "body", "postamble"};
    for (unsigned i = 0; i < 3 && r->lex.count == 1; i++) {
        if (mrct_lex_take(&r->lex, words[i])) {
            r->phase = (enum mrct_script_phase)i;
            return r->in_set ? mrct_lex_fail(&r->lex, "a set was not closed") : 1;
        }
    }
    return 0;
}

static int read_line(struct reading *r, struct mrct_script_line *line)
{
    struct mrct_lex *const l = &r->lex;
    line->phase = r->phase;
    line->count = 1;
    line->qp = 1;
    line->rkey = 1;
    if (mrct_lex_take(l, "{")) {
        return brace(r, line, true);
    }
    if (mrct_lex_take(l, "}")) {
        return brace(r, line, false);
    }
    if (mrct_lex_time(l, mrct_lex_next(l), &line->time) != 0 || deed(l, line) != 0) {
        return -1;
    }
    if (r->in_set && !in_set_ok(line->kind)) {
        return mrct_lex_fail(l, "a set in braces holds only lines with <, <~ and <?");
    }
    return 0;
}

static const char *copy_text(struct mrct_pool *pool, const char *from, size_t len)
{
    while (len > 0 && (from[0] == ' ' || from[0] == '\t')) {
        from++;
        len--;
    }
    while (len > 0 && isspace((unsigned char)from[len - 1])) {
        len--;
    }
    char *const copy = mrct_pool_alloc(pool, len + 1);
    if (copy != NULL) {
        memcpy(copy, from, len);
    }
    return copy;
}

static int one_line(struct reading *r, const char *from, size_t len, int number)
{
    struct mrct_lex *const l = &r->lex;
    if (mrct_lex_split(l, from, len) != 0) {
        return -1;
    }
    const int head = l->count > 0 ? heading(r) : 1;
    if (head != 0) {
        return head < 0 ? -1 : 0;
    }
    if (l->s->line_count == r->cap) {
        return mrct_lex_fail(l, "a script has at most %u lines", MRCT_SCRIPT_LINES_MAX);
    }
    struct mrct_script_line *const line = &l->s->lines[l->s->line_count];
    line->number = number;
    line->text = copy_text(l->pool, from, len);
    if (line->text == NULL) {
        return mrct_lex_fail(l, "out of memory");
    }
    if (read_line(r, line) != 0) {
        return -1;
    }
    l->s->line_count++;
    return 0;
}

static size_t count_lines(const char *text)
{
    size_t n = 1;
    for (; *text != '\0'; text++) {
        n += *text == '\n';
    }
    return n < MRCT_SCRIPT_LINES_MAX ? n : MRCT_SCRIPT_LINES_MAX;
}

int mrct_script_parse(struct mrct_script *s, struct mrct_pool *pool, const char *text,
                      int first_line, int *bad_line, char *err, size_t err_cap)
{
    *s = (struct mrct_script){.text = text};
    struct reading *const r = calloc(1, sizeof *r);
    int rc = -1;
    *bad_line = first_line;
    (void)snprintf(err, err_cap, "out of memory");
    if (r != NULL) {
        r->cap = count_lines(text);
        r->phase = MRCT_PHASE_BODY;
        r->lex.s = s;
        r->lex.pool = pool;
        r->lex.err = err;
        r->lex.err_cap = err_cap;
        s->lines = mrct_pool_alloc(pool, r->cap * sizeof *s->lines);
        rc = s->lines != NULL ? 0 : -1;
    }
    while (rc == 0 && *text != '\0') {
        const size_t len = strcspn(text, "\n");
        rc = one_line(r, text, len, *bad_line);
        text += len;
        if (rc == 0 && *text == '\n') {
            text++;
            (*bad_line)++;
        }
    }
    if (rc == 0 && r->in_set) {
        rc = mrct_lex_fail(&r->lex, "a set was not closed: '}' is missing");
    }
    if (rc == 0 && s->line_count == 0) {
        rc = mrct_lex_fail(&r->lex, "the script has no line");
    }
    free(r);
    return rc;
}

/* ---- what only the whole case can tell ---- */

static bool calls_requestor(enum mrct_line_kind kind)
{
    return kind == MRCT_LINE_POST_WRITE;
}

static bool calls_responder(enum mrct_line_kind kind)
{
    return kind == MRCT_LINE_POST_RECV || kind == MRCT_LINE_SET_MPR || kind == MRCT_LINE_SHORTAGE;
}

static const char *verify_line(const struct mrct_script_line *line, bool device_is_requestor,
                               unsigned qps, unsigned planes)
{
    if (line->qp > qps) {
        return "the case has no such QP";
    }
    if (device_is_requestor ? calls_responder(line->kind) : calls_requestor(line->kind)) {
        return device_is_requestor ? "the device is the requestor: it receives no writes here"
                                   : "the device is the responder: it posts no writes here";
    }
    for (size_t i = 0; i < line->item_count; i++) {
        const struct mrct_script_item *const it = &line->items[i];
        if (it->map == MRCT_MAP_QP && it->hi > (int64_t)qps) {
            return "the case has no such QP";
        }
        if ((it->kind == MRCT_ITEM_PLANE && it->lo >= (int64_t)planes) ||
            it->plane >= (int)planes) {
            return "the case has no such plane: they count from 0";
        }
    }
    return NULL;
}

int mrct_script_verify(const struct mrct_script *s, bool device_is_requestor, unsigned qps,
                       unsigned planes, int *bad_line, char *err, size_t err_cap)
{
    for (size_t i = 0; i < s->line_count; i++) {
        const char *const why = verify_line(&s->lines[i], device_is_requestor, qps, planes);
        if (why != NULL) {
            *bad_line = s->lines[i].number;
            (void)snprintf(err, err_cap, "%s", why);
            return -1;
        }
    }
    return 0;
}
