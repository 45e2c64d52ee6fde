/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_REPORT_MARKUP_H
#define TESTS_REPORT_MARKUP_H

#include <stdbool.h>

/*
 * A small strict reader of markup: tags nest and close, attributes are quoted and hold no '<',
 * '&' begins a reference, text holds no '<' or '>'. With html set, void elements need no close and
 * style and script are passed over. Returns "" or a sentence that says where it is wrong.
 */
const char *markup_fault(const char *text, bool html);

#endif
