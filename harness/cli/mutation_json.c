/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/mutation.h"

static json_t *of_deviant(const struct mrct_matrix *m, size_t i)
{
    const struct mrct_liar *const l = &m->liars->list[i];
    json_t *const cases = json_array();
    for (size_t k = 0; k < m->plan->count; k++) {
        const struct mrct_matrix_cell *const c = mrct_matrix_cell(m, i, k);
        if (!c->run || (c->end == MRCT_LIAR_ALIVE && !c->listed))
            continue;
        json_t *const cell = json_pack("{s:s, s:s, s:b}", "case", m->plan->cases[k].id, "end",
                                       mrct_mutation_end_str(c->end), "listed", (int)c->listed);
        if (c->first != NULL)
            json_object_set_new(cell, "first", json_string(c->first));
        json_array_append_new(cases, cell);
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", l->name, "breaks", l->breaks, "what",
                     l->what, "end", mrct_mutation_end_str(mrct_matrix_end(m, i)), "cases", cases);
}

static json_t *of_check(const struct mrct_matrix_check *c)
{
    json_t *const j = json_pack("{s:s, s:s, s:s}", "name", c->name, "requirement", c->requirement,
                                "disabled", mrct_mutation_proof_str(c->proof));
    if (c->liar != NULL) {
        json_object_set_new(j, "deviant", json_string(c->liar->name));
        json_object_set_new(j, "case", json_string(c->in->id));
    }
    return j;
}

json_t *mrct_mutation_json(const struct mrct_matrix *m)
{
    json_t *const deviants = json_array();
    json_t *const checks = json_array();
    for (size_t i = 0; i < m->liars->count; i++)
        json_array_append_new(deviants, of_deviant(m, i));
    for (size_t i = 0; i < m->check_count; i++)
        json_array_append_new(checks, of_check(&m->checks[i]));
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "schema", "mrct-mutation/1",
                     "deviants", (json_int_t)m->deviants, "killed", (json_int_t)m->killed, "named",
                     (json_int_t)m->named, "checks", (json_int_t)m->check_count, "checks_proven",
                     (json_int_t)m->proven, "checks_free", (json_int_t)m->free, "deviant", deviants,
                     "check", checks);
}
