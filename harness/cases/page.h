/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page per case, made of its YAML: what it is for, what it rests on, what it needs, how it is set
 * up, what is done, what must be seen, and what else can go wrong. In HTML and in Markdown; an
 * index by subject and by section of the specification.
 */
#ifndef MRCT_CASES_PAGE_H
#define MRCT_CASES_PAGE_H

#include "harness/cases/doc.h"
#include "harness/cases/plan.h"

/* Writes the page of a case that was read from a file. Returns 0, or -1 with one sentence in err.
 */
int mrct_page_case(const struct mrct_case *c, enum mrct_doc_form form, FILE *out, char *err,
                   size_t err_cap);

/* The index of the cases that the plan takes; links lead to NAME.html or NAME.md beside it. */
void mrct_page_index(const struct mrct_plan *p, enum mrct_doc_form form, FILE *out);

/* "sack/on-ce" as a file name without its ending: "sack-on-ce". */
void mrct_page_name(const char *id, char *buf, size_t cap);

/*
 * Writes both pages of each case that the plan takes, index.html, index.md and style.css into dir,
 * which is made when it is missing; each file whole or not at all. Returns 0, or -1 with one
 * sentence in err.
 */
int mrct_pages_write(const struct mrct_plan *p, const char *dir, char *err, size_t err_cap);

#endif
