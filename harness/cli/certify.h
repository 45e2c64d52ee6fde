/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct certify, its parts. */
#ifndef MRCT_CLI_CERTIFY_H
#define MRCT_CLI_CERTIFY_H

#include "harness/cases/claims.h"
#include "harness/cases/plan.h"
#include "harness/cases/run.h"
#include "harness/cli/cli.h"
#include "harness/cli/devices.h"
#include "harness/live/stage.h"

#define MRCT_CERTIFY_GLOBS_MAX 256u
#define MRCT_CERTIFY_LACKS_MAX 16u

/* The command line, and what it selected. */
struct mrct_certify {
    struct mrct_run_config cfg;
    struct mrct_selection selection;
    const char *globs[MRCT_CERTIFY_GLOBS_MAX];
    const char *lacks[MRCT_CERTIFY_LACKS_MAX + 1]; /* NULL-terminated */
    size_t lacks_count;
    const char *device;      /* "reference", "deviant:NAME", or a manifest's file */
    const char *cases_dir;   /* as given, or NULL */
    const char *claims_path; /* manifest whose claims count, or NULL */
    struct mrct_claims claims;
    int today;        /* YYYYMMDD; 0: the clock's day */
    const char *date; /* as given, or NULL */
    struct mrct_device dut;
    bool strict, list, json, deviants, live, has_clock_error;
    char dir[4096]; /* where the cases are */
    char readings[200];
    char *replay; /* the command that repeats this run, without the selection of cases */
    struct mrct_plan plan;
    size_t taken;                /* cases of the plan that are selected */
    struct mrct_run_stage stage; /* with live */
    struct mrct_pool network_pool;
    const char **network; /* what its preflight found, a line each */
    size_t network_count;
};

/* ---- certify_claims.c: what a manifest claims, in a run ---- */
/* Reads it once the plan is loaded: capabilities and roles that are not claimed become those of the
 * run. 0, or a status with a sentence told. */
int mrct_certify_claims_load(struct mrct_certify *c);
/* How far the harness's clock may err, where nobody said: not at all in virtual time. */
void mrct_certify_clock(struct mrct_certify *c);
/* The device's versions and the hashes of its claims, before the cases run. */
void mrct_certify_claims_name(const struct mrct_certify *c, struct mrct_result_run *run);
/* Known failures and contradictions, after them. 0, or -1 when memory fails. */
int mrct_certify_claims_apply(struct mrct_certify *c, struct mrct_result_run *run,
                              struct mrct_pool *pool);

/* Every deviant through its cases; a line each, and the closing line. Returns the exit status. */
int mrct_certify_deviants(struct mrct_certify *c);

/* From now on cases are played on real sockets, once a preflight found nothing wrong with them: 0,
 * or the exit status with a sentence printed. */
int mrct_certify_go_live(struct mrct_certify *c);
/* Gives the stage back; fine when there was none. */
void mrct_certify_come_back(struct mrct_certify *c);
/* A line on how the live run went. */
void mrct_certify_say_live(const struct mrct_certify *c);

#endif
