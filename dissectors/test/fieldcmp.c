/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares what a Wireshark dissector makes of a capture with what `mrct decode --json` does.
 *   fieldcmp names           the filter fields to ask tshark for, one a line
 *   fieldcmp JSON FIELDS     JSON: lines of mrct decode --json; FIELDS: of tshark -T fields with
 *                            those fields in that order, separated by tabs
 * Prints each difference and, last, how many values were compared. Exit 1 when one differs.
 */
#include "gen/mrc_wire.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 128u
#define LINE_MAX    65536u

struct column {
    const char *json;
    char filter[80];
};

struct table {
    struct column columns[COLUMNS_MAX];
    size_t count;
};

struct tally {
    size_t frame, values, differences;
};

static void add(struct table *t, const char *json, const char *filter)
{
    struct column *const c = &t->columns[t->count++];
    c->json = json;
    (void)snprintf(c->filter, sizeof c->filter, "%s", filter);
}

static void table_make(struct table *t)
{
    t->count = 0;
    add(t, "error", "mrc.error");
    add(t, "dport", "udp.dstport");
    add(t, "payload_len", "mrc.payload_len");
    add(t, "ev", "mrc.ev");
    add(t, "trimmed", "mrc.trimmed");
    add(t, "srv6", "mrc.srv6.dst");
    add(t, "srh", "mrc.srv6.segment");
    for (size_t i = 0; i < mrc_field_count && t->count < COLUMNS_MAX; i++) {
        const struct mrc_field *const f = &mrc_fields[i];
        if (f->json && f->hdr >= MRC_HDR_BTH) {
            char filter[80];
            (void)snprintf(filter, sizeof filter, "mrc.%s", f->name);
            add(t, f->json, filter);
        }
    }
}

/*
 * The text of a value as tshark would print it in decimal; "" for null. The objects are flat and
 * their numbers may have 64 bits without a sign, which JSON libraries refuse: so by hand.
 */
static void json_text(const char *line, const char *key, char *out, size_t cap)
{
    char quoted[80];
    (void)snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(line, quoted);
    out[0] = '\0';
    if (!at) {
        return;
    }
    at += strlen(quoted);
    const bool is_string = *at == '"';
    at += is_string;
    const size_t len = strcspn(at, is_string ? "\"" : ",}");
    (void)snprintf(out, cap, "%.*s", (int)len, at);
    if (strcmp(out, "null") == 0 || (strcmp(key, "trimmed") == 0 && strcmp(out, "0") == 0)) {
        out[0] = '\0';
    }
}

/* Numbers in hexadecimal and the words of a bit become decimal numbers; the rest stays. */
static void shark_text(const char *json, char *text, size_t cap)
{
    char *end;
    if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0) {
        (void)snprintf(text, cap, "%d", text[0] == 'T');
    } else if (strncmp(text, "0x", 2) == 0) {
        (void)snprintf(text, cap, "%llu", strtoull(text, &end, 16));
    } else if (strcmp(json, "trimmed") == 0 && text[0] != '\0') {
        (void)snprintf(text, cap, "1");
    }
}

/* What the columns of one key say together: only one header of a packet has it. */
static void shark_value(const struct table *t, char *const cells[], size_t first, char *out,
                        size_t cap)
{
    out[0] = '\0';
    for (size_t i = first; i < t->count; i++) {
        if (strcmp(t->columns[i].json, t->columns[first].json) == 0 && cells[i][0] != '\0') {
            (void)snprintf(out, cap, "%s", cells[i]);
        }
    }
    shark_text(t->columns[first].json, out, cap);
}

static bool seen_before(const struct table *t, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (strcmp(t->columns[i].json, t->columns[at].json) == 0) {
            return true;
        }
    }
    return false;
}

static void compare_frame(const struct table *t, const char *frame, char *const cells[],
                          struct tally *tally)
{
    const bool other = strstr(frame, "\"kind\": \"other\"") != NULL;
    for (size_t i = 0; i < t->count; i++) {
        const char *const key = t->columns[i].json;
        char wanted[256], found[256];
        if (seen_before(t, i) || (other && strncmp(t->columns[i].filter, "mrc.", 4) != 0)) {
            continue;
        }
        json_text(other ? "" : frame, key, wanted, sizeof wanted);
        shark_value(t, cells, i, found, sizeof found);
        tally->values++;
        /* mrct says 0 where a wrong ICRC hides that the headers could not be read. */
        const bool unknown = strstr(frame, "\"error\": \"icrc\"") && found[0] == '\0' &&
                             strcmp(key, "payload_len") == 0;
        if (strcmp(wanted, found) != 0 && !unknown) {
            tally->differences++;
            printf("frame %zu: %s is '%s' by mrct, '%s' by tshark\n", tally->frame, key, wanted,
                   found);
        }
    }
}

/* Cuts line at its tabs; absent cells are empty. */
static void split(char *line, char *cells[COLUMNS_MAX], size_t count)
{
    line[strcspn(line, "\r\n")] = '\0';
    for (size_t i = 0; i < count; i++) {
        cells[i] = line;
        line += strcspn(line, "\t");
        if (*line == '\t') {
            *line++ = '\0';
        }
    }
}

static int compare(const struct table *t, FILE *json, FILE *fields)
{
    static char a[LINE_MAX], b[LINE_MAX];
    struct tally tally = {0};
    while (fgets(a, sizeof a, json)) {
        char *cells[COLUMNS_MAX];
        tally.frame++;
        if (!fgets(b, sizeof b, fields)) {
            printf("frame %zu: tshark has fewer\n", tally.frame);
            return 1;
        }
        split(b, cells, t->count);
        compare_frame(t, a, cells, &tally);
    }
    if (fgets(b, sizeof b, fields)) {
        printf("tshark has more than %zu frames\n", tally.frame);
        return 1;
    }
    printf("%zu frames, %zu values compared, %zu differ\n", tally.frame, tally.values,
           tally.differences);
    return tally.differences != 0 || tally.frame == 0;
}

int main(int argc, char **argv)
{
    static struct table table;
    table_make(&table);
    if (argc == 2 && strcmp(argv[1], "names") == 0) {
        for (size_t i = 0; i < table.count; i++) {
            puts(table.columns[i].filter);
        }
        return 0;
    }
    FILE *const json = argc == 3 ? fopen(argv[1], "r") : NULL;
    FILE *const fields = argc == 3 ? fopen(argv[2], "r") : NULL;
    int rc = 2;
    if (json && fields) {
        rc = compare(&table, json, fields);
    } else {
        fputs("usage: fieldcmp names | fieldcmp JSON FIELDS\n", stderr);
    }
    if (json) {
        (void)fclose(json);
    }
    if (fields) {
        (void)fclose(fields);
    }
    return rc;
}
