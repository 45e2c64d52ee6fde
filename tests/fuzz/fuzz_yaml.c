/* SPDX-License-Identifier: BSD-2-Clause */
/* Arbitrary bytes as a case and as a facts file: taken, or refused with a sentence. */
#include "harness/cases/case.h"
#include "harness/trace/facts.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char err[1024] = "";
    const char *const path = fuzz_file(data, len);
    struct mrct_case c;
    if (mrct_case_load(&c, path, NULL, err, sizeof err) == 0)
        mrct_case_fini(&c);
    else
        FUZZ_ASSERT(err[0] != '\0');
    err[0] = '\0';
    struct mrct_facts f;
    mrct_facts_init(&f);
    if (mrct_facts_load(&f, path, err, sizeof err) != 0)
        FUZZ_ASSERT(err[0] != '\0');
    mrct_facts_fini(&f);
    return 0;
}
