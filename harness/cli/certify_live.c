/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct certify --live: the stage that cases are played on. */
#include "harness/cli/certify.h"

#include <inttypes.h>

static int enter(void *user, struct mrct_fab *fab, unsigned planes,
                 const struct mrc_wire_config *wire, struct mrct_dut *const dut[2], char *err,
                 size_t err_cap)
{
    return mrct_stage_enter(user, fab, planes, wire, dut, err, err_cap);
}

static uint64_t play(void *user, uint64_t limit_ns, void (*step)(void *run, uint64_t now_ns),
                     void *run, char *err, size_t err_cap)
{
    return mrct_stage_play(user, limit_ns, step, run, err, err_cap);
}

int mrct_certify_go_live(struct mrct_certify *c)
{
    char err[300];
    struct mrct_stage *const s = mrct_stage_new(err, sizeof err);
    if (s == NULL) {
        return mrct_cli_fail("certify", "--live: %s", err);
    }
    c->stage = (struct mrct_run_stage){.user = s, .enter = enter, .play = play};
    c->cfg.stage = &c->stage;
    return 0;
}

void mrct_certify_come_back(struct mrct_certify *c)
{
    if (c->cfg.stage == NULL) {
        return;
    }
    mrct_stage_free(c->stage.user);
    c->cfg.stage = NULL;
}

void mrct_certify_say_live(const struct mrct_certify *c)
{
    struct mrct_stage_times t;
    mrct_stage_times(c->stage.user, &t);
    printf("live: %" PRIu64 " frames through sockets; the cases took %.3f s, and their clock stood "
           "still for %.3f s\n",
           t.frames, (double)t.played_ns / 1e9, (double)t.stood_ns / 1e9);
}
