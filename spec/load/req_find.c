/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-ups in the generated tables; the one file here that is not part of the generator. */
#include "gen/mrc_req.h"

#include <string.h>

const struct mrc_requirement *mrc_requirement_find(const char *id)
{
    for (size_t i = 0; i < mrc_requirement_count; i++) {
        if (strcmp(mrc_requirements[i].id, id) == 0) {
            return &mrc_requirements[i];
        }
    }
    return NULL;
}

const struct mrc_requirement *mrc_requirement_of_check(const char *check)
{
    for (size_t i = 0; i < mrc_requirement_count; i++) {
        for (const char *const *c = mrc_requirements[i].checks; *c; c++) {
            if (strcmp(*c, check) == 0) {
                return &mrc_requirements[i];
            }
        }
    }
    return NULL;
}

const struct mrc_question *mrc_question_find(int number)
{
    for (size_t i = 0; i < mrc_question_count; i++) {
        if (mrc_questions[i].number == number) {
            return &mrc_questions[i];
        }
    }
    return NULL;
}

const char *mrc_req_level_str(enum mrc_req_level level)
{
    static const char *const names[] = {"MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"};
    return names[level];
}

const char *mrc_req_role_str(enum mrc_req_role role)
{
    static const char *const names[] = {"any", "requestor", "responder", "node"};
    return names[role];
}
