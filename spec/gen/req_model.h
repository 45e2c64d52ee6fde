/* SPDX-License-Identifier: BSD-2-Clause */
/* What is made of the requirements besides the C tables. */
#ifndef GEN_REQ_MODEL_H
#define GEN_REQ_MODEL_H

#include "spec/load/spec.h"

#include <stdio.h>

/* docs/reference/requirements.md: every requirement by section, and the open questions. */
void gen_emit_req_md(FILE *o, const struct mrc_spec *s);

#endif
