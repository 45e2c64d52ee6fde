/* SPDX-License-Identifier: BSD-2-Clause */
/* A document of headings, paragraphs and lists, written as HTML or as Markdown. Internal to
 * harness/cases. */
#ifndef MRCT_CASES_DOC_H
#define MRCT_CASES_DOC_H

#include <stdbool.h>
#include <stdio.h>

enum mrct_doc_form { MRCT_DOC_HTML, MRCT_DOC_MARKDOWN };

struct mrct_doc {
    FILE *out;
    enum mrct_doc_form form;
    bool numbered; /* the list that is open */
};

/* The frame of the page; the style of an HTML page is the file style.css beside it. */
void mrct_doc_begin(struct mrct_doc *t, const char *title, const char *lead);
void mrct_doc_end(struct mrct_doc *t);

void mrct_doc_heading(struct mrct_doc *t, unsigned level, const char *words); /* level 2 or 3 */
void mrct_doc_para(struct mrct_doc *t, const char *words);

void mrct_doc_list(struct mrct_doc *t, bool numbered);
void mrct_doc_item(struct mrct_doc *t); /* what is put next belongs to it */
void mrct_doc_item_end(struct mrct_doc *t);
void mrct_doc_list_end(struct mrct_doc *t);

void mrct_doc_block(struct mrct_doc *t, const char *lines); /* as they stand */

/* Within an item or between begin and end of a paragraph. */
void mrct_doc_para_begin(struct mrct_doc *t);
void mrct_doc_para_end(struct mrct_doc *t);
void mrct_doc_put(struct mrct_doc *t, const char *words);
void mrct_doc_code(struct mrct_doc *t, const char *words);
void mrct_doc_link(struct mrct_doc *t, const char *to, const char *words);

#endif
