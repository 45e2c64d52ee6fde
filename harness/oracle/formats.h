/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that judge packet formats share. */
#ifndef MRCT_ORACLE_FORMATS_H
#define MRCT_ORACLE_FORMATS_H

#include "harness/oracle/check.h"

/* Whether the frame's fields are as its sender wrote them: its ICRC is right or absent, or it was
 * seen leaving its sender. */
bool mrct_formats_trust(const struct look *l);

/* Judges the reserved fields of a header of len bytes (0: nothing to judge). */
void mrct_formats_reserved(struct look *l, enum mrc_hdr_id id, const uint8_t *hdr, size_t len);

#endif
