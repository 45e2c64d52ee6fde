/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs one case in virtual time: two devices, the fabric between them, a tap and an oracle at each
 * host, the applications' steps, and the verdict. The same seed gives the same frames, whether the
 * case runs alone or among others.
 */
#ifndef MRCT_CASES_RUN_H
#define MRCT_CASES_RUN_H

#include "harness/cases/case.h"
#include "harness/deviant/deviant.h"
#include "harness/oracle/oracle.h"
#include "harness/report/result.h"

#define MRCT_RUN_FRAMES_MAX                                                                        \
    UINT64_C(1500000) /* frames passing taps, after which a run is stopped */

struct mrct_run;

/* Where a case is played other than in virtual time. */
struct mrct_run_stage {
    void *user;
    uint64_t slack_ns; /* by how much what a script waits for may come later; 0: 5 ms */
    /* NULL, or how far the times of the taps may be off by now. */
    uint64_t (*tap_error_ns)(const void *user);
    /* Puts the devices `dut` at both ends of fab, which was made to keep bytes. 0, or -1 with a
     * sentence: the verdict is ERROR then. */
    int (*enter)(void *user, struct mrct_fab *fab, unsigned planes,
                 const struct mrc_wire_config *wire, struct mrct_dut *const dut[2], char *err,
                 size_t err_cap);
    /* Plays until limit_ns or rest and calls step(run, now) whenever a device may have moved.
     * Returns the time reached. err is "", or a sentence: the verdict is ERROR then. */
    uint64_t (*play)(void *user, uint64_t limit_ns, void (*step)(void *run, uint64_t now_ns),
                     void *run, char *err, size_t err_cap);
};

/* A frame as it leaves a host. */
struct mrct_watch {
    unsigned host, plane;
    uint64_t now_ns;
    bool whole; /* it decoded without an error */
    const struct mrc_pkt *pkt;
};

struct mrct_run_config {
    uint64_t seed;           /* of the whole run; a case derives its own */
    bool seed_is_case;       /* seed is the case's own: nothing is derived */
    uint64_t clock_error_ns; /* largest error of the harness's own clock */
    uint64_t reaction_ns;    /* time that a device may take to react; 0: the oracle's default */
    const struct mrc_addr *addr[2];     /* of a host, by plane, where it has its own; or NULL */
    bool strict;                        /* S and U evidence fail, chosen readings bind */
    char reading[MRCT_QUESTIONS_MAX];   /* by number of the question, 0 = its default */
    const struct mrct_deviant *deviant; /* the device; NULL is the reference endpoint */
    bool without_requestor, without_responder; /* the device does not play that role */
    /* Who the device is on host1 and host2 instead, where the case wants it there; NULL: deviant
       or the reference. For two devices the case's device is MRCT_DEVICE_BOTH. */
    const struct mrct_dut_source *source[2];
    const char *const *lacks;   /* capabilities not declared, NULL-terminated; or NULL */
    const char *out_dir;        /* where the pcapng goes; NULL: none is written */
    const char *replay;         /* command without the case, "mrct certify --seed 1"; or NULL:
                                   out->replay stays empty */
    const char *disabled_check; /* NULL, or a check that is switched off */
    /* NULL, or called for each thing that chance does to a packet, with the rule that does the
     * same. */
    mrct_fab_chance on_chance;
    void *chance_user;
    /* NULL, or a look at each frame that leaves a host, and one at the end of the run besides the
       case's expectations: fills words and returns false when something is wrong. */
    bool (*watch)(struct mrct_run *run, const struct mrct_watch *w, char *words, size_t cap);
    bool (*look)(struct mrct_run *run, char *words, size_t cap);
    const struct mrct_run_stage *stage; /* NULL: virtual time */
};
void mrct_run_config_default(struct mrct_run_config *cfg);

/* The seed a case runs with. */
uint64_t mrct_run_case_seed(uint64_t run_seed, const char *case_id);

/*
 * Runs c and fills out, whose lists live in pool; ids and texts of c are referenced, so c outlives
 * it. What goes wrong with the harness itself is the verdict ERROR with a sentence, never a crash.
 */
void mrct_run_case(const struct mrct_run_config *cfg, const struct mrct_case *c,
                   struct mrct_pool *pool, struct mrct_result_case *out);

/* The result of a case that is not run, NOT APPLICABLE for a reason. */
void mrct_run_not_applicable(const struct mrct_run_config *cfg, const struct mrct_case *c,
                             const char *why, struct mrct_pool *pool, struct mrct_result_case *out);

/* Sums the cases of run up by requirement; the list lives in pool. 0, or -1 when memory fails. */
int mrct_run_sum_requirements(struct mrct_result_run *run, struct mrct_pool *pool);

#endif
