/* SPDX-License-Identifier: BSD-2-Clause */
/* The hosts' memory: laid out with guards, filled with noise, compared at the end. */
#include "harness/cases/run_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(struct mrct_rng *rng, uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i += 8) {
        const uint64_t v = mrct_rng_next(rng);
        memcpy(p + i, &v, len - i < 8 ? len - i : 8);
    }
}

int mrct_run_memory_setup(struct mrct_run *r, unsigned host, uint64_t target_bytes)
{
    struct mrct_run_memory *const m = &r->node[host].mem;
    const size_t target = target_bytes > 0 ? (size_t)target_bytes : MRCT_RUN_GUARD;
    m->len = 3 * (size_t)MRCT_RUN_GUARD + target + MRCT_RUN_READ_ONLY;
    m->bytes = malloc(m->len);
    m->before = malloc(m->len);
    if (m->bytes == NULL || m->before == NULL) {
        return mrct_run_fault(r, "no memory for the regions of host%u", host + 1);
    }
    fill(&r->rng, m->bytes, m->len);
    memcpy(m->before, m->bytes, m->len);
    const uint64_t base = (UINT64_C(0x7F) << 40) | ((mrct_rng_next(&r->rng) & 0xFFFFFFFu) << 12);
    m->target = (struct mrc_mr){
        .mem = m->bytes + MRCT_RUN_GUARD,
        .va = base + MRCT_RUN_GUARD,
        .len_bytes = target,
        .access = MRC_MR_REMOTE_WRITE,
    };
    const size_t ro = 2 * (size_t)MRCT_RUN_GUARD + target;
    m->read_only = (struct mrc_mr){
        .mem = m->bytes + ro,
        .va = base + ro,
        .len_bytes = MRCT_RUN_READ_ONLY,
    };
    struct mrct_dut *const dut = r->node[host].dut;
    if (dut->ops->map != NULL && dut->ops->map(dut, m->bytes, base, m->len) != 0) {
        return mrct_run_fault(r, "host%u refused to hold its memory", host + 1);
    }
    if (dut->ops->register_mr(dut, &m->target) != 0 ||
        dut->ops->register_mr(dut, &m->read_only) != 0) {
        return mrct_run_fault(r, "host%u refused to register a region", host + 1);
    }
    return 0;
}

void mrct_run_memory_free(struct mrct_run_memory *m)
{
    free(m->bytes);
    free(m->before);
    m->bytes = NULL;
    m->before = NULL;
}

/* VA of the first byte, which is a guard. */
static uint64_t base_va(const struct mrct_run_memory *m)
{
    return m->target.va - MRCT_RUN_GUARD;
}

uint8_t *mrct_run_memory_at(struct mrct_run_memory *m, uint64_t va, uint64_t len)
{
    const uint64_t off = va - base_va(m);
    return off < m->len && len <= m->len - off ? m->bytes + off : NULL;
}

void mrct_run_memory_rewrite(struct mrct_run *r, unsigned host, size_t step, uint64_t va,
                             uint32_t len)
{
    struct mrct_dut *const dut = r->node[host].dut;
    uint8_t *const p = mrct_run_memory_at(&r->node[host].mem, va, len);
    if (p == NULL || (dut->ops->fetch != NULL && dut->ops->fetch(dut, p, va, len) != 0)) {
        return;
    }
    for (uint32_t i = 0; i < len; i++) {
        p[i] = (uint8_t)~p[i];
    }
    if (dut->ops->put != NULL) {
        (void)dut->ops->put(dut, p, va, len);
    }
    r->rewrites[step] = (struct mrct_run_rewrite){.va = va, .len = len, .made = true};
}

/*
 * Lays what a write may have left over `want`: its bytes when it succeeded; of one that did not,
 * each byte may be the new one or the old, so what is there is taken if it is one of both. That
 * holds inside the region only, since packets of a message that runs over its edge may lie within;
 * a wrong key and a region without remote write leave nothing at all.
 */
static void lay_write(const struct mrct_run_memory *m, const struct mrct_run_write *w,
                      uint8_t *want)
{
    if (w->target == MRCT_TARGET_WRONG_RKEY || w->target == MRCT_TARGET_READ_ONLY) {
        return;
    }
    const bool whole = w->done && w->status == MRC_WC_SUCCESS && w->target == MRCT_TARGET_GOOD;
    for (uint32_t i = 0; i < w->size; i++) {
        const uint64_t at = w->va + i - m->target.va;
        if (at >= m->target.len_bytes) {
            continue;
        }
        if (whole || m->target.mem[at] == w->src[i]) {
            want[MRCT_RUN_GUARD + at] = w->src[i];
        }
    }
}

static void lay_rewrite(const struct mrct_run *r, const struct mrct_run_memory *m,
                        const struct mrct_run_rewrite *w, uint8_t *want)
{
    const uint64_t off = w->va - base_va(m);
    for (size_t i = 0; i < r->write_count; i++) {
        const struct mrct_run_write *const src = &r->writes[i];
        if (src->va <= w->va && w->va + w->len <= src->va + src->size) {
            for (uint32_t k = 0; k < w->len; k++) {
                want[off + k] = (uint8_t)~src->src[w->va - src->va + k];
            }
            return;
        }
    }
}

static void tell_difference(const struct mrct_run_memory *m, const uint8_t *want, unsigned host,
                            char *buf, size_t cap)
{
    size_t first = 0;
    while (m->bytes[first] == want[first]) {
        first++;
    }
    size_t wrong = 0;
    for (size_t i = first; i < m->len; i++) {
        wrong += m->bytes[i] != want[i];
    }
    const uint64_t va = base_va(m) + first;
    const bool inside = va >= m->target.va && va - m->target.va < m->target.len_bytes;
    (void)snprintf(buf, cap,
                   "memory of host%u differs in %zu bytes, the first %s 0x%" PRIx64
                   " is 0x%02x and must be 0x%02x",
                   host + 1, wrong, inside ? "in the region at" : "outside the region at", va,
                   (unsigned)m->bytes[first], (unsigned)want[first]);
}

bool mrct_run_memory_check(struct mrct_run *r, unsigned host, char *buf, size_t cap)
{
    const struct mrct_run_memory *const m = &r->node[host].mem;
    struct mrct_dut *const dut = r->node[host].dut;
    if (mrct_run_troubled(r) ||
        (dut->ops->fetch != NULL && dut->ops->fetch(dut, m->bytes, base_va(m), m->len) != 0)) {
        return true; /* that is told otherwise */
    }
    uint8_t *const want = malloc(m->len);
    if (want == NULL) {
        (void)mrct_run_fault(r, "no memory to compare host%u's regions", host + 1);
        return true;
    }
    memcpy(want, m->before, m->len);
    if (r->player != NULL) {
        mrct_player_lay(r->player, m->target.mem, want + MRCT_RUN_GUARD, m->target.len_bytes);
    }
    for (size_t i = 0; i < r->write_count; i++) {
        if (r->writes[i].host != host && r->writes[i].posted) {
            lay_write(m, &r->writes[i], want);
        }
    }
    for (size_t i = 0; i < r->c->step_count; i++) {
        if (r->rewrites[i].made && r->c->steps[i].host == host) {
            lay_rewrite(r, m, &r->rewrites[i], want);
        }
    }
    const bool same = memcmp(want, m->bytes, m->len) == 0;
    if (!same) {
        tell_difference(m, want, host, buf, cap);
    }
    free(want);
    return same;
}
