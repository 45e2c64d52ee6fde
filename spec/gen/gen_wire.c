/* SPDX-License-Identifier: BSD-2-Clause */
#include "spec/gen/out.h"
#include "spec/gen/specgen.h"
#include "spec/gen/wire_model.h"

#include <stdlib.h>

static const struct {
    const char *name;
    void (*emit)(FILE *o, const struct gen_wire *w);
} outputs[] = {
    {"mrc_wire.c", gen_emit_wire_c}, {"mrc_fields.lua", gen_emit_lua}, {"wire.md", gen_emit_md},
    {"mrc_ws.h", gen_emit_ws},       {"mrc_wire.h", gen_emit_wire_h}, /* last: make looks at its
                                                                         time */
};

void gen_put_upper(FILE *o, const char *s)
{
    for (; *s; s++) {
        const bool lower = *s >= 'a' && *s <= 'z';
        const bool kept = (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9');
        (void)fputc(lower ? *s - 'a' + 'A' : kept ? *s : '_', o);
    }
}

static int write_outputs(const struct gen_wire *w, const char *dir, char *err, size_t err_cap)
{
    struct gen_out out;
    gen_out_init(&out, dir);
    int rc = 0;
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0] && rc == 0; i++) {
        FILE *o = gen_out_open(&out, outputs[i].name);
        if (o) {
            outputs[i].emit(o, w);
        } else {
            (void)snprintf(err, err_cap, "out of memory");
            rc = -1;
        }
    }
    if (rc == 0) {
        rc = gen_out_commit(&out, err, err_cap);
    }
    gen_out_fini(&out);
    return rc;
}

int specgen_wire(int argc, char **argv)
{
    if (argc != 3) {
        (void)fprintf(stderr, "usage: specgen wire FILE OUTDIR\n");
        return 2;
    }
    struct gen_wire *w = calloc(1, sizeof *w);
    if (!w) {
        (void)fprintf(stderr, "specgen: out of memory\n");
        return 2;
    }
    char err[MRC_YAML_ERR_MAX] = "";
    int rc = gen_wire_load(w, argv[1]);
    if (rc != 0) {
        (void)snprintf(err, sizeof err, "%s", w->yaml.err);
    } else {
        rc = write_outputs(w, argv[2], err, sizeof err);
    }
    if (rc != 0) {
        (void)fprintf(stderr, "specgen: %s\n", err);
    }
    gen_wire_fini(w);
    free(w);
    return rc == 0 ? 0 : 2;
}
