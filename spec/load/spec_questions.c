/* SPDX-License-Identifier: BSD-2-Clause */
/* questions.yaml: each open question with its readings. */
#include "spec/load/spec_internal.h"

#include <string.h>

static const char *const top_keys[] = {"questions", NULL};
static const char *const question_keys[] = {"id", "text", "readings", "default", "note", NULL};

static int read_number(struct mrc_yaml *y, const yaml_node_t *n, struct mrc_spec_question *q)
{
    if (mrc_yaml_get_text(y, n, "id", true, &q->id) != 0) {
        return -1;
    }
    unsigned v = 0;
    const char *p = q->id + 1;
    for (; q->id[0] == 'Q' && *p >= '0' && *p <= '9' && v <= MRC_SPEC_QUESTIONS_MAX; p++) {
        v = v * 10 + (unsigned)(*p - '0');
    }
    if (*p != '\0' || q->id[1] == '0' || v < 1 || v > MRC_SPEC_QUESTIONS_MAX) {
        return mrc_yaml_fail(y, mrc_yaml_get(y, n, "id"),
                             "expected an id from Q1 to Q%u, found '%s'", MRC_SPEC_QUESTIONS_MAX,
                             q->id);
    }
    q->number = v;
    return 0;
}

static int read_readings(struct mrc_yaml *y, const yaml_node_t *n, struct mrc_spec_question *q)
{
    const yaml_node_t *map = mrc_yaml_get(y, n, "readings");
    const size_t count = mrc_yaml_count(map);
    if (!map || map->type != YAML_MAPPING_NODE || count < 2 || count > MRC_SPEC_READINGS_MAX) {
        return mrc_yaml_fail(y, map ? map : n, "expected 2 to %u readings in '%s'",
                             MRC_SPEC_READINGS_MAX, q->id);
    }
    yaml_node_t *k, *v;
    for (size_t i = 0; mrc_yaml_pair(y, map, i, &k, &v); i++) {
        const char *id = mrc_yaml_text(k), *text = mrc_yaml_text(v);
        if (!id || id[0] != (char)('a' + (int)i) || id[1] != '\0') {
            return mrc_yaml_fail(y, k, "expected reading '%c', found '%s'", 'a' + (int)i,
                                 id ? id : "no text");
        }
        if (!text || *text == '\0') {
            return mrc_yaml_fail(y, v, "expected the text of reading '%s'", id);
        }
        q->readings[i].id = id[0];
        q->readings[i].text = text;
        q->reading_count++;
    }
    return 0;
}

static int read_default(struct mrc_yaml *y, const yaml_node_t *n, struct mrc_spec_question *q)
{
    const char *text;
    if (mrc_yaml_get_text(y, n, "default", true, &text) != 0) {
        return -1;
    }
    for (unsigned i = 0; i < q->reading_count; i++) {
        if (text[0] == q->readings[i].id && text[1] == '\0') {
            q->default_reading = text[0];
            return 0;
        }
    }
    return mrc_yaml_fail(y, mrc_yaml_get(y, n, "default"),
                         "expected a reading of %s as its default, found '%s'", q->id, text);
}

static int read_question(struct mrc_yaml *y, const yaml_node_t *n, struct mrc_spec_question *q)
{
    memset(q, 0, sizeof *q);
    return mrc_yaml_only_keys(y, n, question_keys) || read_number(y, n, q) ||
                   mrc_yaml_get_text(y, n, "text", true, &q->text) ||
                   mrc_yaml_get_text(y, n, "note", false, &q->note) || read_readings(y, n, q) ||
                   read_default(y, n, q)
               ? -1
               : 0;
}

int spec_read_questions(struct mrc_spec *s, struct mrc_yaml *y)
{
    const yaml_node_t *root = mrc_yaml_root(y);
    if (mrc_yaml_only_keys(y, root, top_keys) != 0) {
        return -1;
    }
    const yaml_node_t *list = mrc_yaml_get(y, root, "questions");
    if (!list || list->type != YAML_SEQUENCE_NODE || mrc_yaml_count(list) == 0) {
        return mrc_yaml_fail(y, list ? list : root, "expected a list 'questions'");
    }
    const yaml_node_t *n;
    for (size_t i = 0; (n = mrc_yaml_item(y, list, i)) != NULL; i++) {
        struct mrc_spec_question q;
        if (read_question(y, n, &q) != 0) {
            spec_take_error(s, y);
        } else if (s->question_count == MRC_SPEC_QUESTIONS_MAX || q.number != i + 1) {
            (void)mrc_yaml_fail(y, n, "expected question Q%zu here, found '%s'", i + 1, q.id);
            spec_take_error(s, y);
        } else {
            s->questions[s->question_count++] = q;
        }
    }
    return 0;
}
