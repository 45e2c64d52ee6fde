/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/load.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

yaml_node_t *mrct_load_open(struct mrct_load *l, const char *path)
{
    if ((l->text != NULL ? mrc_yaml_load_text(&l->yaml, path, l->text)
                         : mrc_yaml_load(&l->yaml, path)) != 0) {
        return NULL;
    }
    yaml_node_t *const root = mrc_yaml_root(&l->yaml);
    if (root == NULL || root->type != YAML_MAPPING_NODE) {
        (void)mrc_yaml_fail(&l->yaml, root, "a map of keys was expected");
        return NULL;
    }
    return root;
}

const char *mrct_load_single(struct mrct_load *l, yaml_node_t *map, yaml_node_t **value)
{
    yaml_node_t *key = NULL;
    if (map->type != YAML_MAPPING_NODE || mrc_yaml_count(map) != 1 ||
        !mrc_yaml_pair(&l->yaml, map, 0, &key, value)) {
        return NULL;
    }
    return mrc_yaml_text(key);
}

void *mrct_load_array(struct mrct_load *l, yaml_node_t *list, size_t entry_size, const char *what)
{
    if (list == NULL || list->type != YAML_SEQUENCE_NODE) {
        (void)mrc_yaml_fail(&l->yaml, list, "%s: a list was expected", what);
        return NULL;
    }
    const size_t n = mrc_yaml_count(list);
    void *const array = mrct_pool_alloc(l->pool, (n > 0 ? n : 1) * entry_size);
    if (array == NULL) {
        (void)mrc_yaml_fail(&l->yaml, list, "out of memory");
    }
    return array;
}

int mrct_load_word(struct mrct_load *l, const yaml_node_t *node, const char *key,
                   const struct mrct_load_word *words)
{
    const char *const text = mrc_yaml_text(node);
    char list[200] = "";
    for (const struct mrct_load_word *w = words; w->name != NULL; w++) {
        if (text != NULL && strcmp(text, w->name) == 0) {
            return w->value;
        }
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", w->name);
    }
    if (text != NULL) {
        (void)mrc_yaml_fail(&l->yaml, node, "%s: '%s' is none of %s", key, text, list);
    } else {
        (void)mrc_yaml_fail(&l->yaml, node, "%s: one of %s was expected", key, list);
    }
    return INT_MIN;
}

static const struct mrct_load_field *find_field(const struct mrct_load_field *fields,
                                                const char *key)
{
    for (; fields->key != NULL; fields++) {
        if (strcmp(fields->key, key) == 0) {
            return fields;
        }
    }
    return NULL;
}

static int unknown_key(struct mrct_load *l, const yaml_node_t *node, const char *key,
                       const struct mrct_load_field *fields)
{
    char list[400] = "";
    for (const struct mrct_load_field *f = fields; f->key != NULL; f++) {
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", f->key);
    }
    return mrc_yaml_fail(&l->yaml, node, "unknown key '%s'; known here: %s", key, list);
}

int mrct_load_map(struct mrct_load *l, yaml_node_t *map, const struct mrct_load_field *fields,
                  void *base)
{
    if (map == NULL || map->type != YAML_MAPPING_NODE) {
        return mrc_yaml_fail(&l->yaml, map, "a map of keys was expected");
    }
    uint64_t seen = 0;
    yaml_node_t *key_node = NULL;
    yaml_node_t *value = NULL;
    for (size_t i = 0; mrc_yaml_pair(&l->yaml, map, i, &key_node, &value); i++) {
        const char *const key = mrc_yaml_text(key_node);
        if (key == NULL) {
            return mrc_yaml_fail(&l->yaml, key_node, "a plain word was expected as key");
        }
        const struct mrct_load_field *const f = find_field(fields, key);
        if (f == NULL) {
            return unknown_key(l, key_node, key, fields);
        }
        const uint64_t bit = UINT64_C(1) << (f - fields);
        if ((seen & bit) != 0) {
            return mrc_yaml_fail(&l->yaml, key_node, "the key '%s' stands twice", key);
        }
        seen |= bit;
        if (mrct_load_value(l, value, f, base) != 0) {
            return -1;
        }
    }
    for (const struct mrct_load_field *f = fields; f->key != NULL; f++) {
        if (f->required && (seen & (UINT64_C(1) << (f - fields))) == 0) {
            return mrc_yaml_fail(&l->yaml, map, "the key '%s' is missing", f->key);
        }
    }
    return 0;
}
