/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/mutation/score.h"

#include "tests/mutation/equal.h"
#include "tests/mutation/mutant.h"

#include <jansson.h>
#include <string.h>

static const char *const words[] = {[FATE_UNREACHED] = "unreached",
                                    [FATE_ALIVE] = "alive",
                                    [FATE_KILLED] = "killed",
                                    [FATE_ENDLESS] = "endless",
                                    [FATE_CRASHED] = "crashed"};

static json_t *in_json(const struct kill *k, unsigned m, const char *equal)
{
    const struct mutant *const one = &mrct_mutants[m - 1];
    json_t *const j =
        json_pack("{s:s, s:i, s:s, s:s, s:s}", "file", one->file, "line", (int)one->line, "from",
                  one->from, "to", one->to, "fate", words[k->fate[m]]);
    if (k->fate[m] == FATE_KILLED && k->killer[m] < k->units->count)
        json_object_set_new(j, "killer", json_string(k->units->list[k->killer[m]].name));
    if (equal != NULL)
        json_object_set_new(j, "equal", json_string(equal));
    return j;
}

int score_print(const struct kill *k, const char *only, unsigned every, const char *json)
{
    struct equals equals;
    if (equals_load(&equals, "tests/mutation/equal.yaml") != 0)
        return 2;
    unsigned count = 0, killed = 0, equal = 0;
    json_t *const list = json_array();
    for (unsigned m = 1; m <= mrct_mutant_count; m++) {
        const struct mutant *const one = &mrct_mutants[m - 1];
        if (m % every != 0 || (only != NULL && strstr(one->file, only) == NULL))
            continue;
        const bool dead = k->fate[m] >= FATE_KILLED;
        const char *const why = dead ? NULL : equals_find(&equals, one);
        count++;
        killed += dead;
        equal += why != NULL;
        json_array_append_new(list, in_json(k, m, why));
        if (!dead && why == NULL)
            printf("%-9s %s:%u: %s: %s\n", words[k->fate[m]], one->file, one->line, one->from,
                   one->to);
    }
    const unsigned matter = count - equal;
    const double percent = matter > 0 ? 100.0 * killed / matter : 0;
    if (every > 1)
        printf("a sample, each of %u: ", every);
    printf("%u mutants of the checks, %u killed, %u that change nothing, %u alive: %.1f%%\n", count,
           killed, equal, matter - killed, percent);
    json_t *const all =
        json_pack("{s:i, s:i, s:i, s:i, s:o}", "mutants", (int)count, "killed", (int)killed,
                  "equal", (int)equal, "alive", (int)(matter - killed), "list", list);
    int rc = matter > 0 && percent >= SCORE_ENOUGH ? 0 : 1;
    if (json != NULL && json_dump_file(all, json, JSON_INDENT(1)) != 0) {
        fprintf(stderr, "mutation: %s: cannot be written\n", json);
        rc = 2;
    }
    json_decref(all);
    equals_fini(&equals);
    return rc;
}
