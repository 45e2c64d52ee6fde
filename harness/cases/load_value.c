/* SPDX-License-Identifier: BSD-2-Clause */
/* One value of a case's YAML, by the type its field has. */
#include "harness/cases/load.h"

#include "harness/cases/units.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

static int expected(struct mrct_load *l, const yaml_node_t *node, const struct mrct_load_field *f,
                    const char *what)
{
    const char *const text = mrc_yaml_text(node);
    if (text == NULL) {
        return mrc_yaml_fail(&l->yaml, node, "%s: %s was expected", f->key, what);
    }
    return mrc_yaml_fail(&l->yaml, node, "%s: '%s' is not %s", f->key, text, what);
}

static int out_of_range(struct mrct_load *l, const yaml_node_t *node,
                        const struct mrct_load_field *f)
{
    return mrc_yaml_fail(&l->yaml, node, "%s: %s is not in %" PRId64 "..%" PRId64, f->key,
                         mrc_yaml_text(node), f->min, f->max);
}

static void store_int(enum mrct_load_type type, void *p, int64_t v)
{
    if (type == MRCT_LOAD_U8) {
        *(uint8_t *)p = (uint8_t)v;
    } else if (type == MRCT_LOAD_U16) {
        *(uint16_t *)p = (uint16_t)v;
    } else if (type == MRCT_LOAD_U32) {
        *(uint32_t *)p = (uint32_t)v;
    } else if (type == MRCT_LOAD_INT) {
        *(int *)p = (int)v;
    } else {
        *(int64_t *)p = v;
    }
}

static int load_int(struct mrct_load *l, const yaml_node_t *node, const struct mrct_load_field *f,
                    void *p)
{
    const char *const text = mrc_yaml_text(node);
    int64_t v = 0;
    if (text == NULL || mrct_units_int(text, &v) != 0) {
        return expected(l, node, f, "a whole number");
    }
    if (v < f->min || v > f->max) {
        return out_of_range(l, node, f);
    }
    store_int(f->type, p, v);
    return 0;
}

static int load_range(struct mrct_load *l, const yaml_node_t *node, const struct mrct_load_field *f,
                      void *p)
{
    const char *const text = mrc_yaml_text(node);
    int64_t ends[2] = {0, 0};
    if (text == NULL || mrct_units_range(text, &ends[0], &ends[1]) != 0) {
        return expected(l, node, f, "a number or a range like 3..5 or 3..");
    }
    if (ends[0] < f->min || ends[0] > f->max || (ends[1] > f->max && ends[1] != INT64_MAX)) {
        return out_of_range(l, node, f);
    }
    for (int i = 0; i < 2; i++) {
        if (f->type == MRCT_LOAD_RANGE) {
            ((int64_t *)p)[i] = ends[i];
        } else {
            ((int *)p)[i] = ends[i] > INT_MAX ? INT_MAX : (int)ends[i];
        }
    }
    return 0;
}

static int load_bool(struct mrct_load *l, const yaml_node_t *node, const struct mrct_load_field *f,
                     void *p)
{
    const char *const text = mrc_yaml_text(node);
    bool v = false;
    if (text == NULL || mrct_units_bool(text, &v) != 0) {
        return expected(l, node, f, "true or false");
    }
    if (f->type == MRCT_LOAD_BOOL) {
        *(bool *)p = v;
    } else {
        *(int *)p = v;
    }
    return 0;
}

static int load_quantity(struct mrct_load *l, const yaml_node_t *node,
                         const struct mrct_load_field *f, void *p)
{
    const char *const text = mrc_yaml_text(node);
    uint64_t v = 0;
    if (f->type == MRCT_LOAD_DURATION) {
        if (text == NULL || mrct_units_duration(text, &v) != 0) {
            return expected(l, node, f, "a duration like 250ns, 10us, 2ms or 1s");
        }
    } else if (f->type == MRCT_LOAD_RATE) {
        if (text == NULL || mrct_units_rate(text, &v) != 0) {
            return expected(l, node, f, "a rate like 100gbps or 400mbps");
        }
    } else if (text == NULL || mrct_units_size(text, &v) != 0) {
        return expected(l, node, f, "a size like 512, 64KiB or 3MiB");
    }
    if (f->max != 0 && (v > INT64_MAX || (int64_t)v < f->min || (int64_t)v > f->max)) {
        return out_of_range(l, node, f);
    }
    if (f->type == MRCT_LOAD_SIZE) {
        *(uint32_t *)p = (uint32_t)v;
    } else {
        *(uint64_t *)p = v;
    }
    return 0;
}

static int load_share(struct mrct_load *l, const yaml_node_t *node, const struct mrct_load_field *f,
                      void *p)
{
    const char *const text = mrc_yaml_text(node);
    if (text == NULL || mrct_units_share(text, (uint32_t *)p) != 0) {
        return expected(l, node, f, "a share like 0.5% or 200ppm");
    }
    return 0;
}

static int load_char(struct mrct_load *l, const yaml_node_t *node, const struct mrct_load_field *f,
                     void *p)
{
    const int v = mrct_load_word(l, node, f->key, f->words);
    if (v == INT_MIN) {
        return -1;
    }
    *(char *)p = (char)v;
    return 0;
}

static int load_word(struct mrct_load *l, const yaml_node_t *node, const struct mrct_load_field *f,
                     void *p)
{
    const int v = mrct_load_word(l, node, f->key, f->words);
    if (v == INT_MIN) {
        return -1;
    }
    *(int *)p = v;
    return 0;
}

static int load_string(struct mrct_load *l, const yaml_node_t *node,
                       const struct mrct_load_field *f, char **p)
{
    const char *const text = mrc_yaml_text(node);
    if (text == NULL || text[0] == '\0') {
        return expected(l, node, f, "a text");
    }
    *p = mrct_pool_strdup(l->pool, text);
    if (*p == NULL) {
        return mrc_yaml_fail(&l->yaml, node, "out of memory");
    }
    /* A folded block ends with the newline that YAML keeps; reports want none. */
    for (size_t n = strlen(*p); n > 0 && (*p)[n - 1] == '\n'; n--) {
        (*p)[n - 1] = '\0';
    }
    return 0;
}

struct strings {
    char **list;
    size_t count;
};

static int load_strings(struct mrct_load *l, yaml_node_t *node, const struct mrct_load_field *f,
                        struct strings *s)
{
    s->list = mrct_load_array(l, node, sizeof *s->list, f->key);
    if (s->list == NULL) {
        return -1;
    }
    const size_t n = mrc_yaml_count(node);
    for (size_t i = 0; i < n; i++) {
        if (load_string(l, mrc_yaml_item(&l->yaml, node, i), f, &s->list[i]) != 0) {
            return -1;
        }
        s->count++;
    }
    return 0;
}

int mrct_load_value(struct mrct_load *l, yaml_node_t *node, const struct mrct_load_field *f,
                    void *base)
{
    void *const p = (char *)base + f->offset;
    switch (f->type) {
    case MRCT_LOAD_U8:
    case MRCT_LOAD_U16:
    case MRCT_LOAD_U32:
    case MRCT_LOAD_INT:
    case MRCT_LOAD_I64:
        return load_int(l, node, f, p);
    case MRCT_LOAD_BOOL:
    case MRCT_LOAD_TRISTATE:
        return load_bool(l, node, f, p);
    case MRCT_LOAD_STRING:
        return load_string(l, node, f, p);
    case MRCT_LOAD_STRINGS:
        return load_strings(l, node, f, p);
    case MRCT_LOAD_CHAR:
        return load_char(l, node, f, p);
    case MRCT_LOAD_DURATION:
    case MRCT_LOAD_RATE:
    case MRCT_LOAD_SIZE:
        return load_quantity(l, node, f, p);
    case MRCT_LOAD_SHARE:
        return load_share(l, node, f, p);
    case MRCT_LOAD_RANGE:
    case MRCT_LOAD_RANGE_INT:
        return load_range(l, node, f, p);
    case MRCT_LOAD_WORD:
        return load_word(l, node, f, p);
    case MRCT_LOAD_CUSTOM:
        return f->custom(l, node, base);
    }
    return -1;
}
