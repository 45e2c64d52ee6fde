/* SPDX-License-Identifier: BSD-2-Clause */
/* The golden frames, read once per test. */
#ifndef TESTS_WIRE_GOLDEN_H
#define TESTS_WIRE_GOLDEN_H

#include "ref/wire/pkt.h"
#include <check.h>
#include <jansson.h>
#include <stdbool.h>

struct golden_frame {
    const char *name, *kind, *why; /* kind and why NULL for a valid frame */
    uint8_t *bytes; /* malloc'd with exactly len bytes, so that ASan sees an overrun */
    size_t len;
    const json_t *fields;
};

struct golden {
    json_t *root;
    struct golden_frame *frames;
    size_t count;
};

void golden_load(struct golden *g);
void golden_free(struct golden *g);

/* Whether the decoder must refuse the frame. */
bool golden_malformed(const struct golden_frame *f);

/* The value of a field as 64 bits; what exceeds 63 bits has its sign bit set. */
int64_t golden_number(const json_t *v);

Suite *suite_golden(void);
Suite *suite_robust(void);
Suite *suite_codec(void);
Suite *suite_frame(void);
Suite *suite_like(void);
Suite *suite_print(void);

#endif
