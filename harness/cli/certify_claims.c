/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct certify --claims: PICS, PIXIT and known failures of a manifest, in a run. */
#include "harness/cli/certify.h"

#include "harness/live/field.h"

#include <stdlib.h>
#include <time.h>

static int today(void)
{
    const char *const epoch = getenv("SOURCE_DATE_EPOCH");
    uint64_t seconds = 0;
    if (epoch != NULL && mrct_cli_u64(epoch, 0, UINT64_C(253402300799), &seconds)) {
        return mrct_known_day(seconds);
    }
    return mrct_known_day((uint64_t)time(NULL));
}

int mrct_certify_claims_load(struct mrct_certify *c)
{
    char err[700];
    if (c->claims_path == NULL) {
        return 0;
    }
    if (mrct_claims_load(&c->claims, c->claims_path, &c->plan, err, sizeof err) != 0) {
        return mrct_cli_fail("certify", "%s", err);
    }
    for (const char *const *k = c->claims.lacks; *k != NULL; k++) {
        if (c->lacks_count < MRCT_CERTIFY_LACKS_MAX) {
            c->lacks[c->lacks_count++] = *k;
        }
    }
    c->cfg.without_requestor = !c->claims.requestor;
    c->cfg.without_responder = !c->claims.responder;
    c->today = c->today != 0 ? c->today : today();
    return 0;
}

void mrct_certify_clock(struct mrct_certify *c)
{
    if (!c->has_clock_error && c->live) {
        c->cfg.clock_error_ns = c->claims.clock_error_ns > 0 ? c->claims.clock_error_ns
                                : c->dut.live                ? MRCT_FIELD_CLOCK_ERROR_NS
                                                             : MRCT_STAGE_CLOCK_ERROR_NS;
    }
}

void mrct_certify_claims_name(const struct mrct_certify *c, struct mrct_result_run *run)
{
    if (c->claims_path != NULL) {
        run->device_version = c->claims.version;
        run->firmware = c->claims.firmware;
        run->pics_hash = c->claims.pics_hash;
        run->pixit_hash = c->claims.pixit_hash;
    }
}

int mrct_certify_claims_apply(struct mrct_certify *c, struct mrct_result_run *run,
                              struct mrct_pool *pool)
{
    if (c->claims_path == NULL) {
        return 0;
    }
    if (mrct_claims_apply(&c->claims, run, pool) != 0) {
        return -1;
    }
    return mrct_known_apply(&c->claims.known, run, c->claims.firmware, c->today, pool);
}
