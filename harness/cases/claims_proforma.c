/* SPDX-License-Identifier: BSD-2-Clause */
/* PICS and PIXIT proformas, made of the requirements: a manifest with a question mark wherever its
 * vendor has to answer. */
#include "harness/cases/claims.h"

#include "gen/mrc_req.h"

#include <string.h>
#include <strings.h>

static void write_head(FILE *out, const char *suite_version)
{
    fprintf(
        out,
        "# Manifest of a device under test: PICS and PIXIT proforma, MRC 1.0.\n"
        "# Made by mrct %s of specification data %s. Answer every \"?\", then see\n"
        "# what `mrct pics FILE` says of it.\n"
        "name: device\n"
        "vendor: \"?\"\n"
        "version: \"?\"\n"
        "firmware: \"?\"\n"
        "agent: {command: [./agent]}\n\n"
        "# Strike out what the device does not implement; cases that need it are NOT APPLICABLE.\n"
        "capabilities:\n",
        suite_version, mrc_spec_hash);
}

static void write_capability(FILE *out, const char *name)
{
    bool any = false;
    fprintf(out, "  - %s", name);
    for (size_t i = 0; i < mrc_requirement_count; i++) {
        const struct mrc_requirement *const r = &mrc_requirements[i];
        if (r->capability != NULL && strcasecmp(r->capability, name) == 0) {
            fprintf(out, "%s%s", any ? ", " : "  # ", r->id);
            any = true;
        }
    }
    fputc('\n', out);
}

static void write_requirements(FILE *out)
{
    const char *section = NULL;
    fputs("\n# PICS. yes: implemented as it says; no: not; n/a: its role or capability is not "
          "there.\n"
          "pics:\n  roles: [requestor, responder]\n  requirements:\n",
          out);
    for (size_t i = 0; i < mrc_requirement_count; i++) {
        const struct mrc_requirement *const r = &mrc_requirements[i];
        if (section == NULL || strcmp(section, r->section) != 0) {
            fprintf(out, "    # ---- %s %s\n", r->section, r->title != NULL ? r->title : "");
            section = r->section;
        }
        fprintf(out, "    # %s, %s%s%s: %s\n    %s: \"?\"\n", mrc_req_level_str(r->level),
                mrc_req_role_str(r->role), r->capability != NULL ? ", if " : "",
                r->capability != NULL ? r->capability : "", r->text, r->id);
    }
}

static void write_needed_by(FILE *out, const char *fact)
{
    unsigned n = 0;
    for (size_t i = 0; i < mrc_requirement_count; i++) {
        for (const char *const *f = mrc_requirements[i].facts; f != NULL && *f != NULL; f++) {
            if (strcmp(*f, fact) == 0 && n++ < 4) {
                fprintf(out, "%s%s", n == 1 ? "; needed by " : ", ", mrc_requirements[i].id);
            }
        }
    }
    if (n > 4) {
        fprintf(out, " and %u more", n - 4);
    }
}

void mrct_claims_proforma(FILE *out, const char *suite_version)
{
    write_head(out, suite_version);
    for (const char *const *k = mrct_capabilities; *k != NULL; k++) {
        write_capability(out, *k);
    }
    write_requirements(out);
    fputs("\n# PIXIT: what the lab has to know.\npixit:\n", out);
    for (const struct mrct_pixit_key *k = mrct_pixit_keys; k->key != NULL; k++) {
        fprintf(out, "  # %s", k->words);
        write_needed_by(out, k->key);
        fprintf(out, "\n  %s: \"?\"\n", k->key);
    }
    fputs("\n# Failures that are known, each until a date:\n"
          "#  - {case: sack/on-ce, requirement: REQ-7.5.2-02, reason: \"bug 17\", firmware: "
          "\"1.2*\",\n"
          "#     expires: 2027-01-31}\n"
          "known_failures: []\n",
          out);
}
