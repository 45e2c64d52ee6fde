/* SPDX-License-Identifier: BSD-2-Clause */
/* Both taps: every frame is numbered, recorded, decoded once and shown to its host's oracle. */
#include "harness/cases/run_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const tap_names[2] = {"requestor", "responder"};

/* Findings outlive the facts of their run, where the names of hosts stand. */
static const char *lasting_name(const char *host)
{
    for (unsigned h = 0; h < 2 && host != NULL; h++) {
        if (strcmp(host, mrct_run_host_names[h]) == 0) {
            return mrct_run_host_names[h];
        }
    }
    return host;
}

static void keep_finding(struct mrct_run *r, const struct mrct_finding *f, unsigned host)
{
    const bool nameless = f->host == NULL || f->host[0] == '\0';
    if (r->c->script != NULL && nameless && r->sender == mrct_case_scripted_host(r->c)) {
        return; /* of no flow, so it is about the frame itself */
    }
    const enum mrct_blame blame = mrct_verdict_blame(r->c, f);
    if (blame == MRCT_BLAME_PATH) {
        return; /* the fabric broke the frame as told; the sender's own tap judges the sender */
    }
    if (blame == MRCT_BLAME_PEER && r->c->script != NULL) {
        return; /* a script does what it is told to */
    }
    if (r->finding_count == r->finding_cap) {
        const size_t cap = r->finding_cap > 0 ? 2 * r->finding_cap : 16;
        struct mrct_result_finding *const more = realloc(r->findings, cap * sizeof *more);
        if (more == NULL) {
            (void)mrct_run_fault(r, "no memory for findings");
            return;
        }
        r->findings = more;
        r->finding_cap = cap;
    }
    struct mrct_result_finding *const kept = &r->findings[r->finding_count++];
    *kept = (struct mrct_result_finding){.f = *f, .tap = tap_names[host]};
    kept->f.host = lasting_name(f->host);
}

static void finding_at_host1(void *run, const struct mrct_finding *f)
{
    keep_finding(run, f, 0);
}

static void finding_at_host2(void *run, const struct mrct_finding *f)
{
    keep_finding(run, f, 1);
}

static int setup_oracle(struct mrct_run *r, unsigned host)
{
    struct mrct_run_node *const n = &r->node[host];
    struct mrct_oracle_config cfg;
    mrct_oracle_config_default(&cfg);
    cfg.facts = &n->facts;
    cfg.tap = host == 0 ? MRCT_TAP_REQUESTOR : MRCT_TAP_RESPONDER;
    cfg.strict = r->cfg->strict;
    cfg.have_events = true;
    cfg.complete = true;
    cfg.reaction_ns = r->cfg->reaction_ns > 0 ? r->cfg->reaction_ns : cfg.reaction_ns;
    for (size_t i = 0; i < MRCT_QUESTIONS_MAX; i++) {
        cfg.reading[i] = r->cfg->reading[i];
    }
    cfg.disabled_check = r->cfg->disabled_check;
    cfg.on_finding = host == 0 ? finding_at_host1 : finding_at_host2;
    cfg.user = r;
    n->oracle = mrct_oracle_new(&cfg);
    return n->oracle != NULL ? 0 : mrct_run_fault(r, "no memory for an oracle");
}

/* The word that tells a reader of the capture where it was taken; NULL where both hosts write,
 * since it would mean another host for each QP. */
static const char *side_of(const struct mrct_case *c, unsigned host)
{
    bool asks[2] = {false, false};
    for (size_t i = 0; i < c->step_count; i++) {
        asks[c->steps[i].host] = asks[c->steps[i].host] || c->steps[i].kind == MRCT_STEP_WRITE;
    }
    if (asks[0] && asks[1]) {
        return NULL;
    }
    return tap_names[asks[1] ? 1 - host : host];
}

static int setup_record(struct mrct_run *r)
{
    r->record = mrct_record_new(0);
    for (unsigned h = 0; h < 2 && r->record != NULL; h++) {
        for (unsigned p = 0; p < r->c->fabric.planes; p++) {
            char name[32];
            char description[64];
            (void)snprintf(name, sizeof name, "host%u-plane%u", h + 1, p);
            const char *const side = side_of(r->c, h);
            (void)snprintf(description, sizeof description, "NIC of host%u on plane %u%s%s", h + 1,
                           p, side != NULL ? ", the " : "", side != NULL ? side : "");
            r->node[h].iface[p] = mrct_record_iface(r->record, name, description);
            if (r->node[h].iface[p] < 0) {
                return mrct_run_fault(r, "no memory for the record");
            }
        }
    }
    return r->record != NULL ? 0 : mrct_run_fault(r, "no memory for the record");
}

int mrct_run_tap_setup(struct mrct_run *r)
{
    for (unsigned h = 0; h < 2; h++) {
        if (mrct_run_facts(r, h) != 0 || setup_oracle(r, h) != 0) {
            return -1;
        }
    }
    if (mrct_run_readings_setup(r) != 0 || (r->cfg->out_dir != NULL && setup_record(r) != 0)) {
        return -1;
    }
    mrct_fab_set_tap(r->fab, mrct_run_tap, r);
    mrct_fab_set_chance(r->fab, r->cfg->on_chance, r->cfg->chance_user);
    return 0;
}

static bool is_all_ours(const struct mrct_run_config *cfg)
{
    return cfg->deviant == NULL && cfg->source[0] == NULL && cfg->source[1] == NULL;
}

/* Too many frames mean a loop between the endpoints: the gates shut, and the run comes to rest. It
 * is our fault where nobody else took part. */
static void stop(struct mrct_run *r)
{
    static const char words[] = "more than 1500000 frames passed the taps, so the run was stopped";
    _Static_assert(MRCT_RUN_FRAMES_MAX == 1500000, "the number in the words");
    if (is_all_ours(r->cfg)) {
        (void)mrct_run_fault(r, "%s", words);
    }
    r->tally.stopped = words;
    mrct_gate_shut(r->node[0].gate);
    mrct_gate_shut(r->node[1].gate);
}

static void count_expected(struct mrct_run *r, unsigned host, const struct mrc_pkt *p)
{
    for (size_t i = 0; i < r->c->expect.frame_count; i++) {
        const struct mrct_expect_frames *const f = &r->c->expect.frames[i];
        if (f->host == host && f->opcode == p->bth.opcode &&
            (f->retransmission < 0 || f->retransmission == p->bth.rtx)) {
            r->frames_seen[i]++;
        }
    }
}

void mrct_run_tap(void *run, unsigned host, bool out, uint64_t now_ns, unsigned plane,
                  const uint8_t *bytes, size_t len)
{
    struct mrct_run *const r = run;
    r->frames++;
    r->sender = out ? host : 1 - host;
    if (r->frames > MRCT_RUN_FRAMES_MAX) {
        stop(r);
        return;
    }
    if (r->record != NULL && mrct_record_append(r->record, now_ns, r->node[host].iface[plane],
                                                out ? MRCT_DIR_OUT : MRCT_DIR_IN, bytes,
                                                (uint32_t)len, (uint32_t)len) != r->frames) {
        (void)mrct_run_fault(r, "no memory to record frame %llu", (unsigned long long)r->frames);
    }
    const struct mrct_run_stage *const stage = r->cfg->stage;
    struct mrct_obs obs = {
        .time_ns = now_ns,
        .frame_no = r->frames,
        .cap_len = (uint32_t)len,
        .wire_len = (uint32_t)len,
        .plane = (uint8_t)plane,
        .time_err_ns =
            stage != NULL && stage->tap_error_ns != NULL ? stage->tap_error_ns(stage->user) : 0,
    };
    obs.err = mrc_pkt_decode(&r->wire, bytes, len, len, true, &obs.pkt);
    if (out) {
        const struct mrct_watch w = {host, plane, now_ns, obs.err == MRC_WIRE_OK, &obs.pkt};
        count_expected(r, host, &obs.pkt);
        if (r->cfg->watch != NULL && r->tally.wrong == NULL &&
            !r->cfg->watch(r, &w, r->look_words, sizeof r->look_words)) {
            r->tally.wrong = r->look_words;
        }
    }
    mrct_oracle_frame(r->node[host].oracle, &obs);
    mrct_run_readings_frame(r, host, &obs);
}
