/* SPDX-License-Identifier: BSD-2-Clause */
/* One requirement of a file of spec/requirements. */
#include "spec/load/spec_internal.h"

#include <stdio.h>
#include <string.h>

const char *const mrc_spec_levels[] = {"MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", NULL};
const char *const mrc_spec_roles[] = {"any", "requestor", "responder", "node", NULL};
const char *const mrc_spec_taps[] = {"requestor", "responder", "middle", NULL};
const char *const mrc_spec_facts[] = {
    "path_mtu",       "udp_ports",      "dscp",          "hosts",      "qpn",
    "peer_qpn",       "start_psn",      "mpr",           "max_wimm",   "trim_nack",
    "svc_time",       "dynamic_mpr",    "timeout",       "linear_cnt", "exp_cnt",
    "exp_ceiling_ns", "sack_threshold", "ev_min_active", NULL};
static const char *const capabilities[] = {"TRIM_NACK", "DYNAMIC_MPR", "SVC_TIME", NULL};
static const char *const deciders[] = {"frames", "events", NULL};
static const char *const verdicts[] = {"pass", "fail", NULL};
static const char *const requirement_keys[] = {
    "id",     "level",           "role",        "evidence",       "table",    "text",
    "taps",   "decided_by",      "facts",       "capability",     "question", "reading_verdicts",
    "checks", "not_checked_why", "no_case_why", "no_deviant_why", NULL};

int spec_index_of(const char *const *list, const char *text)
{
    for (int i = 0; list[i]; i++) {
        if (strcmp(list[i], text) == 0) {
            return i;
        }
    }
    return -1;
}

static void join(const char *const *list, char *buf, size_t cap)
{
    size_t used = 0;
    buf[0] = '\0';
    for (int i = 0; list[i] && used < cap; i++) {
        const int n = snprintf(buf + used, cap - used, "%s%s", i ? ", " : "", list[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

/* The text must be one of list; *index says which. */
static int expect_one(struct mrc_yaml *y, const yaml_node_t *n, const char *what,
                      const char *const *list, unsigned *index)
{
    const char *text = mrc_yaml_text(n);
    const int i = text ? spec_index_of(list, text) : -1;
    if (i < 0) {
        char all[320];
        join(list, all, sizeof all);
        return mrc_yaml_fail(y, n, "expected one of %s as %s, found '%s'", all, what,
                             text ? text : "no text");
    }
    *index = (unsigned)i;
    return 0;
}

static int get_one(struct mrc_yaml *y, const yaml_node_t *map, const char *key, bool required,
                   const char *const *list, unsigned *index)
{
    const yaml_node_t *n = mrc_yaml_get(y, map, key);
    if (!n) {
        return required ? mrc_yaml_fail(y, map, "'%s' is missing", key) : 0;
    }
    return expect_one(y, n, key, list, index);
}

/* A list of texts without one twice. Returns their number, 0 when the key is absent, or -1. */
static int get_list(struct mrc_yaml *y, const yaml_node_t *map, const char *key,
                    const char *out[MRC_SPEC_LIST_MAX + 1])
{
    const yaml_node_t *list = mrc_yaml_get(y, map, key), *n;
    if (!list) {
        return 0;
    }
    const size_t count = mrc_yaml_count(list);
    if (list->type != YAML_SEQUENCE_NODE || count == 0 || count > MRC_SPEC_LIST_MAX) {
        return mrc_yaml_fail(y, list, "expected a list of 1 to %u in '%s'", MRC_SPEC_LIST_MAX, key);
    }
    for (size_t i = 0; (n = mrc_yaml_item(y, list, i)) != NULL; i++) {
        const char *text = mrc_yaml_text(n);
        if (!text || *text == '\0') {
            return mrc_yaml_fail(y, n, "expected a text in '%s'", key);
        }
        if (spec_index_of(out, text) >= 0) {
            return mrc_yaml_fail(y, n, "'%s' stands twice in '%s'", text, key);
        }
        out[i] = text;
    }
    return (int)count;
}

/* "REQ-" section "-" two digits; the section is that of the file. */
static int read_id(struct mrc_yaml *y, const yaml_node_t *map, const char *section,
                   struct mrc_spec_requirement *r)
{
    const yaml_node_t *n = mrc_yaml_get(y, map, "id");
    if (mrc_yaml_get_text(y, map, "id", true, &r->id) != 0) {
        return -1;
    }
    r->line = mrc_yaml_line(n);
    const size_t len = strlen(section);
    const char *tail = strlen(r->id) == 4 + len + 3 ? r->id + 4 + len : "";
    if (strncmp(r->id, "REQ-", 4) != 0 || strncmp(r->id + 4, section, len) != 0 || tail[0] != '-' ||
        tail[1] < '0' || tail[1] > '9' || tail[2] < '0' || tail[2] > '9') {
        return mrc_yaml_fail(y, n, "expected an id of the form REQ-%s-NN, found '%s'", section,
                             r->id);
    }
    return 0;
}

static int read_text(struct mrc_yaml *y, const yaml_node_t *map, struct mrc_spec_requirement *r)
{
    if (mrc_yaml_get_text(y, map, "text", true, &r->text) != 0) {
        return -1;
    }
    return r->text[strlen(r->text) - 1] == '.'
               ? 0
               : mrc_yaml_fail(y, mrc_yaml_get(y, map, "text"),
                               "expected a sentence that ends with a period as the text of %s",
                               r->id);
}

static int read_evidence(struct mrc_yaml *y, const yaml_node_t *map, struct mrc_spec_requirement *r)
{
    static const char *const tags[] = {"C", "S", "U", "I", NULL};
    unsigned i = 0;
    if (get_one(y, map, "evidence", true, tags, &i) != 0) {
        return -1;
    }
    r->evidence = tags[i][0];
    return 0;
}

static int read_taps(struct mrc_yaml *y, const yaml_node_t *map, struct mrc_spec_requirement *r)
{
    const char *names[MRC_SPEC_LIST_MAX + 1] = {NULL};
    const int count = get_list(y, map, "taps", names);
    if (count == 0) {
        return mrc_yaml_fail(y, map, "'taps' is missing");
    }
    for (int i = 0; i < count; i++) {
        unsigned tap = 0;
        const yaml_node_t *n = mrc_yaml_item(y, mrc_yaml_get(y, map, "taps"), (size_t)i);
        if (expect_one(y, n, "tap", mrc_spec_taps, &tap) != 0) {
            return -1;
        }
        r->taps |= 1u << tap;
    }
    return count < 0 ? -1 : 0;
}

static int read_facts(struct mrc_yaml *y, const yaml_node_t *map, struct mrc_spec_requirement *r)
{
    const int count = get_list(y, map, "facts", r->facts);
    for (int i = 0; i < count; i++) {
        unsigned fact = 0;
        const yaml_node_t *n = mrc_yaml_item(y, mrc_yaml_get(y, map, "facts"), (size_t)i);
        if (expect_one(y, n, "fact", mrc_spec_facts, &fact) != 0) {
            return -1;
        }
    }
    return count < 0 ? -1 : 0;
}

static bool is_check_name(const char *s)
{
    const char *p = s;
    for (; *p; p++) {
        const bool word = (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9');
        if (!word && (*p != '-' || p == s || p[-1] == '-')) {
            return false;
        }
    }
    return p > s && p[-1] != '-';
}

/* A requirement either names checks or says why it has none. */
static int read_checks(struct mrc_yaml *y, const yaml_node_t *map, struct mrc_spec_requirement *r)
{
    const int count = get_list(y, map, "checks", r->checks);
    for (int i = 0; i < count; i++) {
        if (!is_check_name(r->checks[i])) {
            return mrc_yaml_fail(y, mrc_yaml_item(y, mrc_yaml_get(y, map, "checks"), (size_t)i),
                                 "expected a check's name of small letters, digits and single "
                                 "hyphens, found '%s'",
                                 r->checks[i]);
        }
    }
    if (count < 0 ||
        mrc_yaml_get_text(y, map, "not_checked_why", false, &r->not_checked_why) != 0 ||
        mrc_yaml_get_text(y, map, "no_case_why", false, &r->no_case_why) != 0 ||
        mrc_yaml_get_text(y, map, "no_deviant_why", false, &r->no_deviant_why) != 0) {
        return -1;
    }
    if ((count > 0) == (r->not_checked_why != NULL)) {
        return mrc_yaml_fail(y, map, "%s needs either 'checks' or 'not_checked_why'", r->id);
    }
    return 0;
}

/* The verdict on one who breaks the sentence, for each reading of the question. */
static int read_verdicts(struct mrc_yaml *y, const yaml_node_t *map, struct mrc_spec_requirement *r)
{
    const yaml_node_t *node = mrc_yaml_get(y, map, "reading_verdicts");
    const struct mrc_spec_question *q = r->question;
    if (!node || node->type != YAML_MAPPING_NODE || mrc_yaml_count(node) != q->reading_count) {
        return mrc_yaml_fail(
            y, node ? node : map,
            "expected 'reading_verdicts' with a verdict for each of the %u readings "
            "of %s",
            q->reading_count, q->id);
    }
    size_t used = 0;
    for (unsigned i = 0; i < q->reading_count; i++) {
        const char key[2] = {q->readings[i].id, '\0'};
        const yaml_node_t *n = mrc_yaml_get(y, node, key);
        unsigned v = 0;
        if (!n) {
            return mrc_yaml_fail(y, node, "expected a verdict for reading '%s' of %s", key, q->id);
        }
        if (expect_one(y, n, "verdict", verdicts, &v) != 0) {
            return -1;
        }
        const int len = snprintf(r->reading_verdicts + used, sizeof r->reading_verdicts - used,
                                 "%s%s=%s", i ? " " : "", key, verdicts[v]);
        used += len > 0 ? (size_t)len : 0;
    }
    return 0;
}

static int read_question(const struct mrc_spec *s, struct mrc_yaml *y, const yaml_node_t *map,
                         struct mrc_spec_requirement *r)
{
    const char *id;
    if (mrc_yaml_get_text(y, map, "question", false, &id) != 0) {
        return -1;
    }
    const yaml_node_t *v = mrc_yaml_get(y, map, "reading_verdicts");
    if (!id) {
        return v ? mrc_yaml_fail(y, v, "'reading_verdicts' stands without a 'question'") : 0;
    }
    for (size_t i = 0; i < s->question_count; i++) {
        if (strcmp(s->questions[i].id, id) == 0) {
            r->question = &s->questions[i];
            return read_verdicts(y, map, r);
        }
    }
    return mrc_yaml_fail(y, mrc_yaml_get(y, map, "question"),
                         "expected the id of an open question, found '%s'", id);
}

void spec_read_requirement(struct mrc_spec *s, struct mrc_spec_doc *doc, const yaml_node_t *n,
                           struct mrc_spec_requirement *r)
{
    struct mrc_yaml *y = &doc->yaml;
    unsigned decider = 0, capability = 0;
    if (mrc_yaml_only_keys(y, n, requirement_keys) != 0 || read_id(y, n, doc->section, r) != 0) {
        spec_take_error(s, y);
        return;
    }
    if (get_one(y, n, "level", true, mrc_spec_levels, &r->level) == 0 &&
        get_one(y, n, "role", true, mrc_spec_roles, &r->role) == 0 && read_evidence(y, n, r) == 0 &&
        mrc_yaml_get_text(y, n, "table", false, &r->table) == 0 && read_text(y, n, r) == 0 &&
        read_taps(y, n, r) == 0 && get_one(y, n, "decided_by", true, deciders, &decider) == 0 &&
        read_facts(y, n, r) == 0 &&
        get_one(y, n, "capability", false, capabilities, &capability) == 0 &&
        mrc_yaml_get_text(y, n, "capability", false, &r->capability) == 0 &&
        read_question(s, y, n, r) == 0) {
        (void)read_checks(y, n, r);
    }
    r->needs_events = decider == 1;
    spec_take_error(s, y);
}
