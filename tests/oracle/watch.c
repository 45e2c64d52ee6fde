/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/oracle/watch.h"
#include "harness/trace/capture.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void keep(void *user, const struct mrct_finding *f)
{
    struct watch *const w = user;
    if (w->count < WATCH_FINDINGS_MAX)
        w->found[w->count++] = *f;
}

void watch_start(struct watch *w, const struct mrct_oracle_config *cfg)
{
    struct mrct_oracle_config mine;
    w->count = w->frames = 0;
    mrct_oracle_config_default(&mine);
    if (cfg != NULL)
        mine = *cfg;
    mine.on_finding = keep;
    mine.user = w;
    w->oracle = mrct_oracle_new(&mine);
}

void watch_stop(struct watch *w)
{
    mrct_oracle_free(w->oracle);
    w->oracle = NULL;
}

size_t watch_capture(struct watch *w, const char *path, const struct mrct_facts *facts)
{
    char err[256];
    struct mrct_capture *const c = mrct_capture_open(path, err, sizeof(err));
    struct mrct_capture_frame f;
    uint64_t last_ns = 0;
    if (c == NULL)
        return 0;
    while (mrct_capture_next(c, &f) == MRCT_CAPTURE_FRAME) {
        struct mrct_obs obs = {.time_ns = f.time_ns,
                               .frame_no = f.frame_no,
                               .cap_len = f.cap_len,
                               .wire_len = f.wire_len};
        obs.err = mrc_pkt_decode(&facts->wire, f.bytes, f.cap_len, f.wire_len, true, &obs.pkt);
        mrct_oracle_frame(w->oracle, &obs);
        last_ns = f.time_ns;
        w->frames++;
    }
    mrct_capture_close(c);
    mrct_oracle_end(w->oracle, last_ns);
    return w->frames;
}

size_t watch_count(const struct watch *w, enum mrct_finding_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < w->count; i++)
        n += w->found[i].kind == kind;
    return n;
}

const struct mrct_finding *watch_find(const struct watch *w, enum mrct_finding_kind kind,
                                      const char *check)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->found[i].kind == kind && strcmp(w->found[i].check, check) == 0)
            return &w->found[i];
    return NULL;
}

void watch_print(const struct watch *w)
{
    for (size_t i = 0; i < w->count; i++) {
        const struct mrct_finding *const f = &w->found[i];
        printf("  %s %s %s frame %" PRIu64 " (%s): %s\n", mrct_finding_kind_str(f->kind),
               f->requirement, f->check, f->frame_count != 0 ? f->frames[0] : 0, f->host, f->why);
    }
}
