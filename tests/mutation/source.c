/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/mutation/source.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int complain(const char *path)
{
    fprintf(stderr, "mutate: %s: %s\n", path, strerror(errno));
    return -1;
}

int source_read(struct source *s, const char *path)
{
    *s = (struct source){.path = path};
    FILE *const f = fopen(path, "rb");
    struct stat st;
    if (f == NULL || fstat(fileno(f), &st) != 0) {
        if (f != NULL)
            fclose(f);
        return complain(path);
    }
    s->len = (size_t)st.st_size;
    s->text = malloc(s->len + 1);
    const bool whole = s->text != NULL && fread(s->text, 1, s->len, f) == s->len;
    fclose(f);
    if (!whole) {
        free(s->text);
        return complain(path);
    }
    s->text[s->len] = '\0';
    return 0;
}

void source_fini(struct source *s)
{
    free(s->text);
    free(s->places);
    *s = (struct source){.text = NULL};
}

static void add(struct source *s, struct place p)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->places[i].start == p.start && s->places[i].end == p.end)
            return; /* one literal may be seen under several cursors */
    }
    if (s->count == s->cap) {
        s->cap = s->cap != 0 ? 2 * s->cap : 64;
        s->places = realloc(s->places, s->cap * sizeof *s->places);
        if (s->places == NULL) {
            fprintf(stderr, "mutate: out of memory\n");
            exit(2);
        }
    }
    s->places[s->count++] = p;
}

/* What a comparison may become: its border moved, and negated. */
static const struct {
    const char *op, *becomes[2];
} comparisons[] = {
    {"<", {"<=", ">="}}, {"<=", {"<", ">"}}, {">", {">=", "<="}},
    {">=", {">", "<"}},  {"==", {"!="}},     {"!=", {"=="}},
};

static const char *const *becomes(const char *op, size_t len)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++) {
        if (strlen(comparisons[i].op) == len && memcmp(comparisons[i].op, op, len) == 0)
            return comparisons[i].becomes;
    }
    return NULL;
}

void source_add_comparison(struct source *s, size_t start, size_t end, size_t left_end,
                           size_t right)
{
    if (left_end > right || right > end)
        return;
    size_t a = left_end;
    size_t b = right;
    while (a < b && isspace((unsigned char)s->text[a]))
        a++;
    while (b > a && isspace((unsigned char)s->text[b - 1]))
        b--;
    if (becomes(s->text + a, b - a) != NULL)
        add(s, (struct place){start, end, left_end, a, b - a, right});
}

void source_add_constant(struct source *s, size_t start, size_t end)
{
    for (size_t i = start; i < end; i++) {
        if (!isalnum((unsigned char)s->text[i]) && s->text[i] != '_')
            return; /* inside a macro's call */
    }
    if (end - start == 4 && memcmp(s->text + start, "NULL", 4) == 0)
        return;
    add(s, (struct place){.start = start, .end = end});
}

/* ---- the copy ---- */

FILE *source_open(const char *dir, const char *name)
{
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/%s", dir, name);
    if (n < 0 || (size_t)n >= sizeof path) {
        fprintf(stderr, "mutate: %s: the name is too long\n", name);
        return NULL;
    }
    for (char *p = path + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            complain(path);
        *p = '/';
    }
    FILE *const f = fopen(path, "w");
    if (f == NULL)
        complain(path);
    return f;
}

static int by_start(const void *a, const void *b)
{
    const struct place *const p = a;
    const struct place *const q = b;
    if (p->start != q->start)
        return p->start < q->start ? -1 : 1;
    return p->end > q->end ? -1 : p->end < q->end; /* the outer one first */
}

struct copy {
    struct source *s;
    FILE *out, *table;
    unsigned *id;
    size_t next; /* place */
};

static void put(FILE *f, const char *text, size_t len)
{
    fwrite(text, 1, len, f);
}

static unsigned line_of(const struct source *s, size_t at)
{
    unsigned line = 1;
    for (size_t i = 0; i < at; i++)
        line += s->text[i] == '\n';
    return line;
}

/* C string of a stretch of source, on one line. */
static void put_string(FILE *f, const char *text, size_t len)
{
    fputc('"', f);
    for (size_t i = 0; i < len; i++) {
        if (isspace((unsigned char)text[i])) {
            if (i == 0 || !isspace((unsigned char)text[i - 1]))
                fputc(' ', f);
            continue;
        }
        if (text[i] == '"' || text[i] == '\\')
            fputc('\\', f);
        fputc(text[i], f);
    }
    fputc('"', f);
}

static unsigned row(struct copy *c, const struct place *p, const char *to)
{
    fprintf(c->table, "    {\"%s\", %u, ", c->s->path, line_of(c->s, p->start));
    put_string(c->table, c->s->text + p->start, p->end - p->start);
    fprintf(c->table, ", \"%s\"},\n", to);
    return (*c->id)++;
}

static void render(struct copy *c, size_t from, size_t to);

static void render_comparison(struct copy *c, const struct place *p)
{
    const char *const op = c->s->text + p->op;
    const char *const *const to = becomes(op, p->op_len);
    const unsigned id = row(c, p, to[0]);
    if (to[1] != NULL)
        row(c, p, to[1]);
    fprintf(c->out, "({ __auto_type l_%u = (0, (", id);
    render(c, p->start, p->left_end);
    fprintf(c->out, ")); __auto_type r_%u = (0, (", id);
    render(c, p->right, p->end);
    fprintf(c->out, ")); ");
    for (unsigned i = 0; i < 2 && to[i] != NULL; i++)
        fprintf(c->out, "mrct_mutant(%u) ? l_%u %s r_%u : ", id + i, id, to[i], id);
    fprintf(c->out, "l_%u %.*s r_%u; })", id, (int)p->op_len, op, id);
}

static void render_constant(struct copy *c, const struct place *p)
{
    const char *const text = c->s->text + p->start;
    const int len = (int)(p->end - p->start);
    const bool is_true = len == 4 && memcmp(text, "true", 4) == 0;
    const unsigned id = row(c, p, is_true ? "false" : "one more");
    fprintf(c->out, "(mrct_mutant(%u) ? %s(%.*s) : (%.*s))", id, is_true ? "!" : "1 + ", len, text,
            len, text);
}

/* The bytes [from, to), each place in them with its switches. */
static void render(struct copy *c, size_t from, size_t to)
{
    while (c->next < c->s->count && c->s->places[c->next].end <= to) {
        const struct place *const p = &c->s->places[c->next];
        if (p->start < from) {
            c->next++; /* crosses what was written already */
            continue;
        }
        put(c->out, c->s->text + from, p->start - from);
        c->next++;
        if (p->op_len != 0)
            render_comparison(c, p);
        else
            render_constant(c, p);
        from = p->end;
    }
    put(c->out, c->s->text + from, to - from);
}

int source_write(struct source *s, const char *dir, FILE *table, unsigned *id)
{
    struct copy c = {.s = s, .table = table, .id = id};
    c.out = source_open(dir, s->path);
    if (c.out == NULL)
        return -1;
    if (s->count != 0)
        qsort(s->places, s->count, sizeof *s->places, by_start);
    fprintf(c.out, "#include \"tests/mutation/mutant.h\"\n#line 1 \"%s\"\n", s->path);
    render(&c, 0, s->len);
    return fclose(c.out) == 0 ? 0 : complain(s->path);
}
