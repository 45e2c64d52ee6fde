/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/cases/stage.h"
#include "tests/cases/suites.h"

struct stage stage;

void stage_setup(void)
{
    scratch_setup();
    mrct_run_config_default(&stage.cfg);
    mrct_pool_init(&stage.pool);
    mrct_case_init(&stage.c);
    stage.err[0] = '\0';
}

void stage_teardown(void)
{
    mrct_pool_fini(&stage.pool);
    mrct_case_fini(&stage.c);
    scratch_teardown();
}

void stage_run(const char *more)
{
    mrct_case_fini(&stage.c);
    const int rc =
        mrct_case_load(&stage.c, scratch_case("t/run", more), "t/run", stage.err, sizeof stage.err);
    ck_assert_msg(rc == 0, "%s", stage.err);
    mrct_run_case(&stage.cfg, &stage.c, &stage.pool, &stage.r);
}
