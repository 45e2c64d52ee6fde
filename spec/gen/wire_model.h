/* SPDX-License-Identifier: BSD-2-Clause */
/* spec/wire.yaml, read and proved consistent. Strings belong to the YAML document. */
#ifndef SPECGEN_WIRE_MODEL_H
#define SPECGEN_WIRE_MODEL_H

#include "spec/load/yaml_util.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define GEN_HEADERS_MAX 32u
#define GEN_FIELDS_MAX  48u /* per header */
#define GEN_SETS_MAX    32u
#define GEN_VALUES_MAX  64u /* per set */

struct gen_field {
    const char *name, *meaning;
    const char *unit, *values, *codes, *json, *reserved; /* NULL where not given */
    const char *evidence, *table;                        /* table may be NULL */
    const char *when_field;                              /* NULL: always there */
    unsigned when_value;
    unsigned bit_off; /* of the most significant bit, from the start of the header */
    unsigned width;   /* bits */
    bool is_signed;
    bool is_bytes; /* a byte array in C */
    int alt;       /* index of the field it shares its place with, or -1 */
};

struct gen_header {
    const char *id, *title, *meaning, *evidence, *table;
    unsigned len; /* bytes */
    struct gen_field fields[GEN_FIELDS_MAX];
    unsigned field_count;
};

struct gen_value {
    const char *name, *meaning, *headers, *evidence;
    uint64_t value;
    bool payload;
};

struct gen_set {
    const char *id, *title, *prefix, *evidence, *table;
    unsigned width;
    bool closed;
    struct gen_value values[GEN_VALUES_MAX];
    unsigned value_count;
};

struct gen_wire {
    struct mrc_yaml yaml;
    struct gen_header headers[GEN_HEADERS_MAX];
    unsigned header_count;
    struct gen_set sets[GEN_SETS_MAX];
    unsigned set_count;
};

/* Reads and checks. Returns 0, or -1 with one sentence in w->yaml.err. gen_wire_fini() is due. */
int gen_wire_load(struct gen_wire *w, const char *path);
void gen_wire_fini(struct gen_wire *w);

const struct gen_set *gen_wire_set(const struct gen_wire *w, const char *id);
/* Index of a header by id (len bytes of it), or -1. */
int gen_wire_header(const struct gen_wire *w, const char *id, size_t len);

/* Writes s with letters in upper case and anything but letters and digits as '_'. */
void gen_put_upper(FILE *o, const char *s);

void gen_emit_wire_h(FILE *o, const struct gen_wire *w);
void gen_emit_wire_c(FILE *o, const struct gen_wire *w);
void gen_emit_codec(FILE *o, const struct gen_header *h); /* decoder and encoder of one header */
void gen_emit_lua(FILE *o, const struct gen_wire *w);
void gen_emit_md(FILE *o, const struct gen_wire *w);
void gen_emit_ws(FILE *o, const struct gen_wire *w);

/* ---- how both Wireshark dissectors show a field ---- */

/* The bytes a field touches, and its bits among them; a blob is shown as bytes. */
struct gen_ws_place {
    unsigned byte, len; /* from the start of the header; bytes */
    uint64_t mask;      /* 0: all of them */
    bool is_blob;
};
struct gen_ws_place gen_ws_place(const struct gen_field *f);
bool gen_ws_own(const struct gen_wire *w, unsigned header); /* MRC's own, not its carrier's */
bool gen_ws_is_hex(const struct gen_field *f);
bool gen_ws_is_flag(const struct gen_field *f);
void gen_ws_put_label(FILE *o, const struct gen_field *f);

#endif
