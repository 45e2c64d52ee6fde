/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/report/words.h"

#include <stddef.h>

const char *mrct_words_evidence(char evidence)
{
    switch (evidence) {
    case 'C':
        return "confirmed: at least two independent public descriptions agree";
    case 'I':
        return "from the InfiniBand/RoCEv2 base specification";
    case 'S':
        return "one public description only";
    case 'U':
        return "from Ultra Ethernet Transport, which the protocol names as the source of this part";
    default:
        return "";
    }
}

struct mrct_words mrct_words_of(const char *id)
{
    const struct mrc_requirement *const r = mrc_requirement_find(id);
    struct mrct_words w = {
        .id = id, .section = "", .title = "", .table = "", .text = "", .level = ""};
    if (r == NULL)
        return w;
    w.section = r->section;
    w.title = r->title == NULL ? "" : r->title;
    w.table = r->table == NULL ? "" : r->table;
    w.text = r->text;
    w.level = mrc_req_level_str(r->level);
    w.evidence[0] = r->evidence;
    return w;
}
