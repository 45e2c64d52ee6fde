/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Items of a script's packets: the words of the one-line notation, with numbers of the script's
 * own. A decimal PSN, QP, EV, address or key is the script's; a hexadecimal one is the wire's.
 */
#include "harness/cases/script_lex.h"

#include "harness/cases/case_parts.h"
#include "ref/wire/words.h"

#include <stdlib.h>
#include <string.h>

#define BIT(id) (UINT32_C(1) << (id))

const char *mrct_script_name_str(int name)
{
    static const char *const own[] = {"*", "WRITE", "ANSWER", "raw", "completion", "recv", "error"};
    return name >= MRCT_NAME_ANY ? own[name - MRCT_NAME_ANY] : mrc_opcode_str((uint8_t)name);
}

/* ---- the name ---- */

static int name_of(const char *word)
{
    for (int i = 0; i <= MRCT_NAME_ERROR; i++) {
        const char *const name = mrct_script_name_str(i);
        if (name != NULL && strcmp(name, word) == 0) {
            return i;
        }
    }
    return -1;
}

/* Headers whose words a packet of that name may have. */
static uint32_t headers_of(int name)
{
    if (name == MRCT_NAME_WRITE) {
        name = MRC_OP_WRITE_LAST_IMM;
    }
    const struct mrc_chain *const chain =
        name < MRCT_NAME_ANY ? mrc_opcode_chain((unsigned)name) : NULL;
    return BIT(MRC_HDR_BTH) | (chain != NULL ? chain->required | chain->optional : 0);
}

static struct mrct_script_item *add(struct mrct_lex *l, struct mrct_script_line *line,
                                    enum mrct_item_kind kind, const char *word)
{
    if (line->item_count == MRCT_SCRIPT_ITEMS_MAX) {
        (void)mrct_lex_fail(l, "a packet has at most %u items", MRCT_SCRIPT_ITEMS_MAX);
        return NULL;
    }
    struct mrct_script_item *const i = &line->items[line->item_count++];
    *i = (struct mrct_script_item){.kind = kind, .word = word, .plane = -1, .var = -1};
    return i;
}

static int flag(struct mrct_lex *l, struct mrct_script_line *line, enum mrct_item_kind kind,
                const char *word, int64_t value)
{
    struct mrct_script_item *const i = add(l, line, kind, word);
    if (i == NULL) {
        return -1;
    }
    i->lo = i->hi = value;
    return 0;
}

/* ---- values ---- */

static int variable(struct mrct_lex *l, const char *name, struct mrct_script_item *i)
{
    struct mrct_script *const s = l->s;
    i->map = MRCT_MAP_VAR;
    for (i->var = 0; i->var < (int)s->var_count; i->var++) {
        if (strcmp(s->vars[i->var], name) == 0) {
            return 0;
        }
    }
    if (name[0] == '\0' || s->var_count == MRCT_SCRIPT_VARS_MAX) {
        return mrct_lex_fail(l, "a script has at most %u variables, with names",
                             MRCT_SCRIPT_VARS_MAX);
    }
    s->vars[s->var_count++] = name;
    return 0;
}

/* "last", "last-3", "end+8": what is named, and an offset. */
static int named(struct mrct_lex *l, const char *name, char *text, enum mrct_item_map map,
                 struct mrct_script_item *i)
{
    const char *const rest = text + strlen(name);
    i->map = map;
    i->lo = 0;
    if (rest[0] == '+' || rest[0] == '-') {
        if (mrct_lex_number(l, rest + (rest[0] == '+'), -(INT64_C(1) << 40), INT64_C(1) << 40,
                            &i->lo) != 0) {
            return -1;
        }
    } else if (rest[0] != '\0') {
        return mrct_lex_fail(l, "'%s' is no number, and not '%s' with an offset", text, name);
    }
    i->hi = i->lo;
    return 0;
}

static int code_value(const struct mrc_field *f, const char *text, int64_t *value)
{
    for (size_t k = 0; f != NULL && f->codes != NULL && k < f->codes->count; k++) {
        if (strcmp(f->codes->codes[k].name, text) == 0) {
            *value = f->codes->codes[k].value;
            return 0;
        }
    }
    return -1;
}

/* A hexadecimal number of up to 64 bits is what the wire has. */
static int literal(struct mrct_lex *l, const char *text, struct mrct_script_item *i)
{
    char *end = NULL;
    const unsigned long long v = strtoull(text, &end, 16);
    if (strlen(text) < 3 || *end != '\0') {
        return mrct_lex_fail(l, "'%s' is no number", text);
    }
    i->map = MRCT_MAP_LITERAL;
    i->lo = i->hi = (int64_t)v;
    return 0;
}

/* Largest and least of a field's literal values. */
static void limits(const struct mrc_field *f, int64_t *min, int64_t *max)
{
    const unsigned width = f != NULL ? f->bit_width : 32;
    *max = width >= 63 ? INT64_MAX : (INT64_C(1) << width) - 1;
    *min = 0;
    if (f != NULL && f->is_signed) {
        *max /= 2;
        *min = -*max - 1;
    }
}

static int number_of(struct mrct_lex *l, char *text, enum mrct_item_map map,
                     struct mrct_script_item *i)
{
    int64_t min = -0x7FFFFF;
    int64_t max = 0x7FFFFF;
    i->map = map;
    switch (map) {
    case MRCT_MAP_PSN:
        if (strncmp(text, "last", 4) == 0) {
            return named(l, "last", text, MRCT_MAP_PSN_LAST, i);
        }
        break;
    case MRCT_MAP_VA:
        if (strncmp(text, "end", 3) == 0) {
            return named(l, "end", text, MRCT_MAP_VA_END, i);
        }
        min = -(INT64_C(1) << 40);
        max = INT64_C(1) << 40;
        break;
    case MRCT_MAP_QP:
        min = 1;
        max = MRCT_CASE_QPS_MAX;
        break;
    case MRCT_MAP_RKEY:
        min = 1;
        max = 3;
        break;
    case MRCT_MAP_EV: {
        char *const at = strchr(text, '@');
        int64_t plane = -1;
        if (at != NULL) {
            *at = '\0';
            if (mrct_lex_number(l, at + 1, 0, MRC_EP_PORTS_MAX - 1, &plane) != 0) {
                return -1;
            }
        }
        i->plane = (int)plane;
        min = 0;
        max = MRCT_CASE_EVS_MAX - 1;
        break;
    }
    case MRCT_MAP_LITERAL:
    case MRCT_MAP_PSN_LAST:
    case MRCT_MAP_VA_END:
    case MRCT_MAP_VAR:
        limits(i->field, &min, &max);
        break;
    }
    return mrct_lex_range(l, text, min, max, &i->lo, &i->hi);
}

static int value(struct mrct_lex *l, char *text, enum mrct_item_map map, struct mrct_script_item *i)
{
    if (text[0] == '!') {
        i->differs = true;
        text++;
    }
    if (text[0] == '$') {
        return variable(l, text + 1, i);
    }
    if (code_value(i->field, text, &i->lo) == 0) {
        i->map = MRCT_MAP_LITERAL;
        i->hi = i->lo;
        return 0;
    }
    if (strncmp(text, "0x", 2) == 0 && strchr(text, '~') == NULL) {
        return literal(l, text, i);
    }
    return number_of(l, text, map, i);
}

static enum mrct_item_map map_of(const struct mrc_field *f)
{
    static const struct {
        const char *field;
        enum mrct_item_map map;
    } maps[] = {
        {"bth.psn", MRCT_MAP_PSN},       {"seth.cack_psn", MRCT_MAP_PSN},
        {"neth.nack_psn", MRCT_MAP_PSN}, {"bth.dest_qp", MRCT_MAP_QP},
        {"seth.spdcid", MRCT_MAP_QP},    {"seth.dpdcid", MRCT_MAP_QP},
        {"neth.spdcid", MRCT_MAP_QP},    {"neth.dpdcid", MRCT_MAP_QP},
        {"peth.spdcid", MRCT_MAP_QP},    {"peth.dpdcid", MRCT_MAP_QP},
        {"seth.entropy", MRCT_MAP_EV},   {"neth.entropy", MRCT_MAP_EV},
        {"reth.va", MRCT_MAP_VA},        {"reth.rkey", MRCT_MAP_RKEY},
    };
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        if (strcmp(maps[i].field, f->name) == 0) {
            return maps[i].map;
        }
    }
    return MRCT_MAP_LITERAL;
}

/* An Endpoint Request's PSN is its id, and its QP is the node. */
static enum mrct_item_map map_in(const struct mrc_field *f, int name)
{
    const enum mrct_item_map map = map_of(f);
    const bool node = name == MRC_OP_EP_REQUEST || name == MRC_OP_EP_RESPONSE;
    return node && map == MRCT_MAP_PSN ? MRCT_MAP_LITERAL : map;
}

/* "none", or "3-5,7". */
static int sack_set(struct mrct_lex *l, struct mrct_script_line *line, char *text)
{
    struct mrct_script_item *const i = add(l, line, MRCT_ITEM_SACK, "sack");
    struct mrct_psn_range *const r = mrct_pool_alloc(l->pool, 64 * sizeof *r);
    if (i == NULL || r == NULL) {
        return i == NULL ? -1 : mrct_lex_fail(l, "out of memory");
    }
    i->ranges = r;
    if (strcmp(text, "none") == 0) {
        return 0;
    }
    char *save = NULL;
    for (char *one = strtok_r(text, ",", &save); one != NULL; one = strtok_r(NULL, ",", &save)) {
        char *const dash = one[0] != '\0' ? strchr(one + 1, '-') : NULL;
        if (dash != NULL) {
            *dash = '\0';
        }
        if (i->range_count == 64) {
            return mrct_lex_fail(l, "sack: more than 64 ranges");
        }
        struct mrct_psn_range *const to = &r[i->range_count++];
        if (mrct_lex_number(l, one, -0x7FFFFF, 0x7FFFFF, &to->first) != 0 ||
            mrct_lex_number(l, dash != NULL ? dash + 1 : one, -0x7FFFFF, 0x7FFFFF, &to->last) !=
                0) {
            return -1;
        }
        if (to->last < to->first) {
            return mrct_lex_fail(l, "sack: a range ends before it starts");
        }
    }
    return 0;
}

static int field_word(struct mrct_lex *l, struct mrct_script_line *line, const struct mrc_word *w,
                      bool differs)
{
    char *text = NULL;
    if (w->style == MRC_WORD_SACK) {
        return mrct_lex_value(l, w->word, &text) != 0 ? -1 : sack_set(l, line, text);
    }
    struct mrct_script_item *const i = add(l, line, MRCT_ITEM_FIELD, w->word);
    if (i == NULL) {
        return -1;
    }
    i->field = mrc_word_field(w);
    if (w->style == MRC_WORD_FLAG) {
        i->lo = i->hi = !differs;
        return 0;
    }
    return mrct_lex_value(l, w->word, &text) != 0 ? -1
                                                  : value(l, text, map_in(i->field, line->name), i);
}

/* "bth.r=1", "udp.dst_port=4000": any field, as the wire has it. */
static int assignment(struct mrct_lex *l, struct mrct_script_line *line, char *word, char *eq)
{
    *eq = '\0';
    const struct mrc_field *const f = mrc_field_find(word);
    if (f == NULL || f->is_bytes) {
        return mrct_lex_fail(l, "'%s' is no field with a number", word);
    }
    struct mrct_script_item *const i = add(l, line, MRCT_ITEM_FIELD, f->name);
    if (i == NULL) {
        return -1;
    }
    i->field = f;
    return value(l, eq + 1, MRCT_MAP_LITERAL, i);
}

/* ---- words that are no field's ---- */

enum { IN_HEAD = 1, IN_PACKET = 2, IN_EVENT = 4, SENT_ONLY = 8 };

static const struct plain {
    const char *word;
    enum mrct_item_kind kind;
    int where;
    bool has_value;
    enum mrct_item_map map;
    int64_t max; /* of the value; of a flag: its value */
} plain_words[] = {
    {"ev", MRCT_ITEM_EV, IN_HEAD, true, MRCT_MAP_EV, 0},
    {"dscp", MRCT_ITEM_DSCP, IN_HEAD, true, MRCT_MAP_LITERAL, 63},
    {"not-ect", MRCT_ITEM_ECN, IN_HEAD, false, MRCT_MAP_LITERAL, 0},
    {"ect1", MRCT_ITEM_ECN, IN_HEAD, false, MRCT_MAP_LITERAL, 1},
    {"ect0", MRCT_ITEM_ECN, IN_HEAD, false, MRCT_MAP_LITERAL, 2},
    {"ce", MRCT_ITEM_ECN, IN_HEAD, false, MRCT_MAP_LITERAL, 3},
    {"len", MRCT_ITEM_LEN, IN_PACKET | IN_EVENT, true, MRCT_MAP_LITERAL, 1 << 30},
    {"pad", MRCT_ITEM_PAD, IN_PACKET, true, MRCT_MAP_LITERAL, 3},
    {"udp", MRCT_ITEM_UDP_LEN, IN_PACKET, true, MRCT_MAP_LITERAL, 0xFFFF},
    {"ip-len", MRCT_ITEM_IP_LEN, IN_PACKET | SENT_ONLY, true, MRCT_MAP_LITERAL, 0xFFFF},
    {"data", MRCT_ITEM_DATA, IN_PACKET | SENT_ONLY, true, MRCT_MAP_LITERAL, 250},
    {"cut", MRCT_ITEM_CUT, IN_PACKET | SENT_ONLY, true, MRCT_MAP_LITERAL, 200},
    {"trimmed", MRCT_ITEM_TRIM, IN_PACKET | SENT_ONLY, true, MRCT_MAP_LITERAL, 4096},
    {"trimmed-lasthop", MRCT_ITEM_TRIM, IN_PACKET | SENT_ONLY, true, MRCT_MAP_LITERAL, 4096},
    {"chop", MRCT_ITEM_CHOP, IN_PACKET | SENT_ONLY, true, MRCT_MAP_LITERAL, 4000},
    {"badicrc", MRCT_ITEM_BAD_ICRC, IN_PACKET | SENT_ONLY, false, MRCT_MAP_LITERAL, 1},
    {"noicrc", MRCT_ITEM_NO_ICRC, IN_PACKET | SENT_ONLY, false, MRCT_MAP_LITERAL, 1},
    {"nots", MRCT_ITEM_NO_TS, IN_PACKET | SENT_ONLY, false, MRCT_MAP_LITERAL, 1},
    {"from", MRCT_ITEM_FROM_IP6, IN_HEAD | SENT_ONLY, true, MRCT_MAP_LITERAL, 255},
    {"wr", MRCT_ITEM_WR, IN_EVENT, true, MRCT_MAP_LITERAL, 1 << 20},
    {"imm", MRCT_ITEM_IMM, IN_EVENT, true, MRCT_MAP_LITERAL, UINT32_MAX},
    {"qp", MRCT_ITEM_QP, IN_EVENT, true, MRCT_MAP_QP, 0},
};

static int plain_word(struct mrct_lex *l, struct mrct_script_line *line, const struct plain *w)
{
    if ((w->where & SENT_ONLY) != 0 && line->kind != MRCT_LINE_SEND) {
        return mrct_lex_fail(l, "'%s' can be said only of what the harness sends", w->word);
    }
    if (!w->has_value) {
        return flag(l, line, w->kind, w->word, w->max);
    }
    struct mrct_script_item *const i = add(l, line, w->kind, w->word);
    char *text = NULL;
    if (i == NULL || mrct_lex_value(l, w->word, &text) != 0) {
        return -1;
    }
    if (value(l, text, w->map, i) != 0) {
        return -1;
    }
    if (i->map == MRCT_MAP_LITERAL && w->max != 0 && (i->lo < 0 || i->hi > w->max)) {
        return mrct_lex_fail(l, "%s: a number from 0 to %lld was expected", w->word,
                             (long long)w->max);
    }
    if (w->kind == MRCT_ITEM_TRIM) {
        i->hi = strcmp(w->word, "trimmed") != 0;
    }
    return 0;
}

static int status_word(struct mrct_lex *l, struct mrct_script_line *line)
{
    char *text = NULL;
    if (mrct_lex_value(l, "status", &text) != 0) {
        return -1;
    }
    for (const struct mrct_load_word *w = mrct_words_status; w->name != NULL; w++) {
        if (strcmp(w->name, text) == 0) {
            return flag(l, line, MRCT_ITEM_STATUS, "status", w->value);
        }
    }
    return mrct_lex_fail(l, "'%s' is no status of a completion", text);
}

static int plane_word(struct mrct_lex *l, struct mrct_script_line *line, const char *word)
{
    int64_t plane = 0;
    return mrct_lex_number(l, word + 1, 0, MRC_EP_PORTS_MAX - 1, &plane) != 0
               ? -1
               : flag(l, line, MRCT_ITEM_PLANE, "@", plane);
}

static int count_word(struct mrct_lex *l, struct mrct_script_line *line, const char *word)
{
    int64_t n = 0;
    if (mrct_lex_number(l, word + 1, 1, MRCT_SCRIPT_COUNT_MAX, &n) != 0) {
        return -1;
    }
    line->count = (uint32_t)n;
    return 0;
}

static const struct plain *find_plain(const char *word, int where)
{
    for (size_t i = 0; i < sizeof plain_words / sizeof plain_words[0]; i++) {
        if ((plain_words[i].where & where) != 0 && strcmp(plain_words[i].word, word) == 0) {
            return &plain_words[i];
        }
    }
    return NULL;
}

/* 1: taken, 0: not a word of the head, -1: bad. */
static int head_word(struct mrct_lex *l, struct mrct_script_line *line, const char *word)
{
    const struct plain *const w = find_plain(word, IN_HEAD);
    if (w != NULL) {
        return plain_word(l, line, w) == 0 ? 1 : -1;
    }
    if (word[0] == '@') {
        return plane_word(l, line, word) == 0 ? 1 : -1;
    }
    return strcmp(word, "MRC") == 0;
}

int mrct_lex_name(struct mrct_lex *l, struct mrct_script_line *line)
{
    int rc = 1;
    char *word = NULL;
    while (rc == 1) {
        word = mrct_lex_next(l);
        if (word == NULL) {
            return mrct_lex_fail(l, "a packet was expected: its opcode is missing");
        }
        rc = head_word(l, line, word);
    }
    line->name = rc < 0 ? -1 : name_of(word);
    if (rc == 0 && line->name < 0) {
        return mrct_lex_fail(l, "'%s' is no opcode, and nothing that an application hears", word);
    }
    return rc;
}

static bool is_event(const struct mrct_script_line *line)
{
    return line->name >= MRCT_NAME_COMPLETION;
}

static int one_item(struct mrct_lex *l, struct mrct_script_line *line, char *word)
{
    const uint32_t headers = headers_of(line->name);
    const bool not = word[0] == '!';
    if (word[0] == 'x' && word[1] >= '1' && word[1] <= '9') {
        return count_word(l, line, word);
    }
    for (size_t i = 0; i < mrc_word_count && !is_event(line); i++) {
        const struct mrc_word *const w = &mrc_words[i];
        if ((headers & BIT(w->hdr)) != 0 && w->style != MRC_WORD_OWN &&
            strcmp(w->word, word + (not &&w->style == MRC_WORD_FLAG)) == 0) {
            return field_word(l, line, w, not );
        }
    }
    const int rc = is_event(line) ? 0 : head_word(l, line, word);
    if (rc != 0) {
        return rc < 0 ? -1 : 0;
    }
    const struct plain *const w = find_plain(word, is_event(line) ? IN_EVENT : IN_PACKET);
    if (w != NULL) {
        return plain_word(l, line, w);
    }
    if (is_event(line) && strcmp(word, "status") == 0) {
        return status_word(l, line);
    }
    char *const eq = is_event(line) ? NULL : strchr(word, '=');
    return eq != NULL ? assignment(l, line, word, eq)
                      : mrct_lex_fail(l, "'%s' is no word of a %s", word,
                                      mrct_script_name_str(line->name) != NULL
                                          ? mrct_script_name_str(line->name)
                                          : "packet");
}

int mrct_lex_items(struct mrct_lex *l, struct mrct_script_line *line)
{
    for (char *word; (word = mrct_lex_next(l)) != NULL;) {
        if (strcmp(word, "...") == 0 && l->at == l->count) {
            return 0;
        }
        if (one_item(l, line, word) != 0) {
            return -1;
        }
    }
    return 0;
}
