/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/mutation/equal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const keys[] = {"file", "source", "from", "to", "why", NULL};

static int check_rows(struct equals *e)
{
    const char *text;
    for (size_t i = 0; i < mrc_yaml_count(e->list); i++) {
        yaml_node_t *const row = mrc_yaml_item(&e->yaml, e->list, i);
        if (mrc_yaml_only_keys(&e->yaml, row, keys) != 0)
            return -1;
        for (size_t k = 0; keys[k] != NULL; k++) {
            const bool needed = strcmp(keys[k], "to") != 0;
            if (mrc_yaml_get_text(&e->yaml, row, keys[k], needed, &text) != 0)
                return -1;
        }
    }
    return 0;
}

int equals_load(struct equals *e, const char *path)
{
    if (mrc_yaml_load(&e->yaml, path) == 0) {
        e->list = mrc_yaml_root(&e->yaml);
        if (check_rows(e) == 0)
            return 0;
    }
    fprintf(stderr, "%s\n", e->yaml.err);
    mrc_yaml_fini(&e->yaml);
    return -1;
}

void equals_fini(struct equals *e)
{
    mrc_yaml_fini(&e->yaml);
}

/* The mutant's line of source without the blanks at both ends; empty when it cannot be read. */
static void read_line(const struct mutant *m, char *line, size_t cap)
{
    FILE *const f = fopen(m->file, "r");
    line[0] = '\0';
    char buf[512];
    for (unsigned n = 1; f != NULL && fgets(buf, sizeof buf, f) != NULL; n++) {
        if (n != m->line)
            continue;
        const char *p = buf;
        while (isspace((unsigned char)*p))
            p++;
        size_t len = strlen(p);
        while (len > 0 && isspace((unsigned char)p[len - 1]))
            len--;
        (void)snprintf(line, cap, "%.*s", (int)len, p);
        break;
    }
    if (f != NULL)
        fclose(f);
}

static bool same(struct equals *e, const yaml_node_t *row, const char *key, const char *text)
{
    const char *said = NULL;
    (void)mrc_yaml_get_text(&e->yaml, row, key, false, &said);
    return said == NULL || strcmp(said, text) == 0;
}

const char *equals_find(struct equals *e, const struct mutant *m)
{
    char line[512];
    read_line(m, line, sizeof line);
    for (size_t i = 0; i < mrc_yaml_count(e->list); i++) {
        const yaml_node_t *const row = mrc_yaml_item(&e->yaml, e->list, i);
        const char *why = NULL;
        if (same(e, row, "file", m->file) && same(e, row, "source", line) &&
            same(e, row, "from", m->from) && same(e, row, "to", m->to) &&
            mrc_yaml_get_text(&e->yaml, row, "why", true, &why) == 0)
            return why;
    }
    return NULL;
}
