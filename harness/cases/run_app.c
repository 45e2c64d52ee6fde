/* SPDX-License-Identifier: BSD-2-Clause */
/* The applications at both hosts: they post what the steps say, and hear what became of it. */
#include "harness/cases/run_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void mrct_run_tell(struct mrct_run *r, const struct mrct_event *ev)
{
    mrct_oracle_event(r->node[0].oracle, ev);
    mrct_oracle_event(r->node[1].oracle, ev);
    mrct_run_readings_event(r, ev);
}

/* ---- what is to be done, from the steps ---- */

static uint32_t rkey_of(const struct mrct_run_memory *m, enum mrct_write_target target)
{
    if (target == MRCT_TARGET_READ_ONLY) {
        return m->read_only.rkey;
    }
    if (target != MRCT_TARGET_WRONG_RKEY) {
        return m->target.rkey;
    }
    uint32_t wrong = m->target.rkey ^ 0x005A5A5Au;
    while (wrong == m->read_only.rkey || wrong == m->target.rkey) {
        wrong++;
    }
    return wrong;
}

static uint64_t va_of(struct mrct_run_memory *m, enum mrct_write_target target, uint32_t size)
{
    switch (target) {
    case MRCT_TARGET_GOOD:
    case MRCT_TARGET_WRONG_RKEY: {
        const uint64_t va = m->target.va + m->used;
        m->used += size;
        return va;
    }
    case MRCT_TARGET_PAST_END:
        return m->target.va + m->target.len_bytes - size / 2;
    case MRCT_TARGET_BEFORE:
        return m->target.va - (size + 1) / 2;
    case MRCT_TARGET_READ_ONLY:
        return m->read_only.va;
    }
    return m->target.va;
}

static void add_write(struct mrct_run *r, const struct mrct_step *s, uint32_t i, const uint8_t *src)
{
    struct mrct_run_memory *const m = &r->node[1 - s->host].mem;
    struct mrct_run_write *const w = &r->writes[r->write_count++];
    *w = (struct mrct_run_write){
        .host = s->host,
        .qp = s->qp - 1,
        .wr_id = r->write_count,
        .src = src,
        .size = s->size,
        .va = va_of(m, s->target, s->size),
        .rkey = rkey_of(m, s->target),
        .has_imm = s->has_imm,
        .imm = s->imm + i,
        .target = s->target,
        .phase = s->phase,
    };
}

static int add_writes(struct mrct_run *r, const struct mrct_step *s)
{
    const size_t bytes = (size_t)s->count * s->size;
    uint8_t *const src = mrct_pool_alloc(&r->own, bytes + 8);
    if (src == NULL) {
        return mrct_run_fault(r, "no memory for the bytes to write");
    }
    for (size_t i = 0; i < bytes; i += 8) {
        const uint64_t v = mrct_rng_next(&r->rng);
        memcpy(src + i, &v, 8);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        add_write(r, s, i, src + (size_t)i * s->size);
    }
    return 0;
}

static void post_recvs(struct mrct_run *r, unsigned host, unsigned qp, uint32_t count,
                       uint64_t now_ns)
{
    struct mrct_run_node *const n = &r->node[host];
    struct mrct_run_qp *const q = &n->qp[qp];
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t wr_id = q->recvs + 1u;
        const int rc = n->dut->ops->post_recv(n->dut, q->qpn, wr_id);
        if (rc == MRC_EP_ESTATE) {
            return; /* the QP is in ERROR: what is left would be flushed */
        }
        if (rc != 0) {
            (void)mrct_run_fault(r, "host%u refused to post a receive: %s", host + 1,
                                 mrc_ep_strerror(rc));
            return;
        }
        q->recvs++;
        const struct mrct_event ev = {.kind = MRCT_EVENT_POST_RECV,
                                      .time_ns = now_ns,
                                      .host = mrct_run_host_names[host],
                                      .qpn = q->qpn,
                                      .wr_id = wr_id};
        mrct_run_tell(r, &ev);
    }
}

/* Without a step that posts receives, a host posts as many as immediates will come. */
static void post_recvs_unasked(struct mrct_run *r, unsigned host)
{
    for (size_t i = 0; i < r->c->step_count; i++) {
        if (r->c->steps[i].kind == MRCT_STEP_RECV && r->c->steps[i].host == host) {
            return;
        }
    }
    for (size_t i = 0; i < r->write_count; i++) {
        if (r->writes[i].host != host && r->writes[i].has_imm) {
            post_recvs(r, host, r->writes[i].qp, 1, 0);
        }
    }
}

int mrct_run_app_setup(struct mrct_run *r)
{
    size_t writes = 0;
    for (size_t i = 0; i < r->c->step_count; i++) {
        writes += r->c->steps[i].kind == MRCT_STEP_WRITE ? r->c->steps[i].count : 0;
    }
    r->writes = mrct_pool_alloc(&r->own, (writes + 1) * sizeof *r->writes);
    r->rewrites = mrct_pool_alloc(&r->own, (r->c->step_count + 1) * sizeof *r->rewrites);
    if (r->writes == NULL || r->rewrites == NULL) {
        return mrct_run_fault(r, "out of memory");
    }
    for (size_t i = 0; i < r->c->step_count; i++) {
        if (r->c->steps[i].kind == MRCT_STEP_WRITE && add_writes(r, &r->c->steps[i]) != 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < r->write_count; i++) {
        r->tally.before += r->writes[i].phase == MRCT_STEP_BEFORE;
        r->tally.after += r->writes[i].phase == MRCT_STEP_AFTER;
    }
    r->tally.writes = writes - r->tally.before - r->tally.after;
    post_recvs_unasked(r, 0);
    post_recvs_unasked(r, 1);
    return 0;
}

/* ---- what is heard ---- */

static unsigned qp_of(const struct mrct_run *r, unsigned host, uint32_t qpn)
{
    for (unsigned q = 0; q < r->c->qps; q++) {
        if (r->node[host].qp[q].qpn == qpn) {
            return q;
        }
    }
    return 0;
}

static void write_done(struct mrct_run *r, struct mrct_run_write *w, enum mrc_wc_status status)
{
    if (w->done) {
        return; /* the oracle judges it: REQ-6.2-17 */
    }
    w->done = true;
    w->status = status;
    r->done_writes++;
    switch (w->phase) {
    case MRCT_STEP_BEFORE:
        r->tally.before_done += status == MRC_WC_SUCCESS;
        return;
    case MRCT_STEP_AFTER:
        r->tally.after_done += status == MRC_WC_SUCCESS;
        return;
    case MRCT_STEP_BODY:
        break;
    }
    r->body_to_ns = r->now_ns;
    r->tally.body_bytes += status == MRC_WC_SUCCESS ? w->size : 0;
    if ((unsigned)status < MRCT_WC_STATUSES) {
        r->tally.done[status]++;
    }
}

static void on_send_done(struct mrct_run *r, unsigned host, const struct mrc_ep_event *e)
{
    if (e->wr_id < 1 || e->wr_id > r->write_count || r->writes[e->wr_id - 1].host != host) {
        (void)mrct_run_fault(r, "host%u completed a write %" PRIu64 " that was never posted",
                             host + 1, e->wr_id);
        return;
    }
    write_done(r, &r->writes[e->wr_id - 1], e->status);
}

/* The immediate that is due next on a QP: that of the peer's next posted WriteImm. */
static const struct mrct_run_write *next_imm(struct mrct_run *r, unsigned host, unsigned qp)
{
    struct mrct_run_qp *const q = &r->node[host].qp[qp];
    while (q->next_imm < r->write_count) {
        const struct mrct_run_write *const w = &r->writes[q->next_imm++];
        if (w->host != host && w->qp == qp && w->has_imm) {
            return w;
        }
    }
    return NULL;
}

static void on_recv_imm(struct mrct_run *r, unsigned host, const struct mrc_ep_event *e)
{
    const unsigned qp = qp_of(r, host, e->qpn);
    const struct mrct_run_write *const due = next_imm(r, host, qp);
    r->tally.immediates++;
    if (r->player != NULL) {
        return; /* the script sends them, and says what is due */
    }
    if (r->tally.imm_wrong != NULL || (due != NULL && due->imm == e->imm)) {
        return;
    }
    if (due == NULL) {
        (void)snprintf(r->words, sizeof r->words,
                       "host%u delivered the immediate 0x%" PRIx32 " that nobody sent", host + 1,
                       e->imm);
    } else {
        (void)snprintf(r->words, sizeof r->words,
                       "host%u delivered the immediate 0x%" PRIx32 " when 0x%" PRIx32 " was next",
                       host + 1, e->imm, due->imm);
    }
    r->tally.imm_wrong = r->words;
}

static void on_placed(struct mrct_run *r, unsigned host, const struct mrc_ep_event *e)
{
    const unsigned qp = qp_of(r, host, e->qpn);
    for (size_t i = 0; i < r->c->step_count; i++) {
        const struct mrct_step *const s = &r->c->steps[i];
        if (s->kind != MRCT_STEP_OVERWRITE || s->host != host || s->qp != qp + 1 ||
            r->rewrites[i].made) {
            continue;
        }
        const uint32_t psn = mrc_psn_add(r->node[1 - host].qp[qp].start_psn, (int32_t)s->psn);
        if (psn == e->psn) {
            mrct_run_memory_rewrite(r, host, i, e->va, e->len_bytes);
        }
    }
}

static enum mrct_event_kind kind_of(enum mrc_ep_event_kind kind)
{
    switch (kind) {
    case MRC_EVENT_SEND_DONE:
        return MRCT_EVENT_SEND_DONE;
    case MRC_EVENT_RECV_IMM:
        return MRCT_EVENT_RECV_IMM;
    case MRC_EVENT_QP_ERROR:
        return MRCT_EVENT_QP_ERROR;
    case MRC_EVENT_PLACED:
        return MRCT_EVENT_MEM_WRITE;
    case MRC_EVENT_EV:
    case MRC_EVENT_PROBE:
        break;
    }
    return MRCT_EVENT_QP_ERROR;
}

static void hear(struct mrct_run *r, unsigned host, uint64_t now_ns, const struct mrc_ep_event *e)
{
    if (e->kind == MRC_EVENT_EV || e->kind == MRC_EVENT_PROBE)
        return; /* a controller's, not an application's */
    const struct mrct_event ev = {
        .kind = kind_of(e->kind),
        .time_ns = now_ns,
        .host = mrct_run_host_names[host],
        .qpn = e->qpn,
        .wr_id = e->wr_id,
        .va = e->va,
        .len_bytes = e->len_bytes,
        .psn = e->kind == MRC_EVENT_PLACED ? e->psn : UINT32_MAX,
        .has_imm = e->kind == MRC_EVENT_RECV_IMM,
        .imm = e->imm,
        .status = (int)e->status,
    };
    mrct_run_tell(r, &ev);
    if (r->player != NULL) {
        mrct_player_event(r->player, now_ns, e);
    }
    switch (e->kind) {
    case MRC_EVENT_SEND_DONE:
        on_send_done(r, host, e);
        break;
    case MRC_EVENT_RECV_IMM:
        on_recv_imm(r, host, e);
        break;
    case MRC_EVENT_QP_ERROR:
        r->node[host].qp[qp_of(r, host, e->qpn)].error = (int)e->status;
        if (r->tally.qp_error[host] < 0) {
            r->tally.qp_error[host] = (int)e->status;
        }
        break;
    case MRC_EVENT_PLACED:
        on_placed(r, host, e);
        break;
    case MRC_EVENT_EV:
    case MRC_EVENT_PROBE:
        break;
    }
}

static bool hear_all(struct mrct_run *r, uint64_t now_ns)
{
    bool heard = false;
    for (unsigned h = 0; h < 2; h++) {
        struct mrct_dut *const dut = r->node[h].dut;
        struct mrc_ep_event e;
        while (dut->ops->poll(dut, &e)) {
            hear(r, h, now_ns, &e);
            heard = true;
        }
    }
    return heard;
}

/* ---- what is done ---- */

/* The phase of a step begins when all writes of the one before have ended. Times count from there.
 */
static bool phase_is_due(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns)
{
    if (r->next_step > 0 && s[-1].phase == s->phase) {
        return true;
    }
    if (r->done_writes != r->started_writes) {
        return false;
    }
    const bool is_new = r->next_step > 0 && r->phase_step != r->next_step;
    r->phase_step = r->next_step;
    r->phase_ns = is_new ? now_ns : r->phase_ns;
    r->body_from_ns = s->phase == MRCT_STEP_BODY ? r->phase_ns : r->body_from_ns;
    for (size_t i = r->next_step; is_new && i < r->c->step_count; i++) {
        if (r->c->steps[i].phase == s->phase && r->c->steps[i].when == MRCT_WHEN_AT) {
            (void)mrct_fab_wake(r->fab, now_ns + r->c->steps[i].at_ns);
        }
    }
    return true;
}

static bool is_due(struct mrct_run *r, const struct mrct_step *s, uint64_t now_ns)
{
    if (!phase_is_due(r, s, now_ns)) {
        return false;
    }
    switch (s->when) {
    case MRCT_WHEN_NOW:
        return true;
    case MRCT_WHEN_AT:
        return now_ns >= r->phase_ns + s->at_ns;
    case MRCT_WHEN_COMPLETED:
        return r->done_writes == r->started_writes;
    case MRCT_WHEN_SCRIPT:
        return r->next_step < mrct_player_calls(r->player);
    }
    return true;
}

static bool start_steps(struct mrct_run *r, uint64_t now_ns)
{
    bool started = false;
    while (r->next_step < r->c->step_count && is_due(r, &r->c->steps[r->next_step], now_ns)) {
        const struct mrct_step *const s = &r->c->steps[r->next_step++];
        started = true;
        switch (s->kind) {
        case MRCT_STEP_WRITE:
            r->started_writes += s->count;
            break;
        case MRCT_STEP_RECV:
            post_recvs(r, s->host, s->qp - 1, s->count, now_ns);
            break;
        case MRCT_STEP_OVERWRITE:
            break; /* armed from the start: it waits for its packet */
        case MRCT_STEP_INJECT:
            (void)mrct_run_inject(r, s, now_ns);
            break;
        case MRCT_STEP_SET_MPR:
        case MRCT_STEP_SHORTAGE:
        case MRCT_STEP_PORT:
        case MRCT_STEP_EV_STATE:
        case MRCT_STEP_EV_REPLACE:
            mrct_run_change(r, s, now_ns);
            break;
        }
    }
    return started;
}

static void tell_post(struct mrct_run *r, const struct mrct_run_write *w, uint64_t now_ns)
{
    const struct mrct_event ev = {
        .kind = MRCT_EVENT_POST_WRITE,
        .time_ns = now_ns,
        .host = mrct_run_host_names[w->host],
        .qpn = r->node[w->host].qp[w->qp].qpn,
        .wr_id = w->wr_id,
        .va = w->va,
        .rkey = w->rkey,
        .len_bytes = w->size,
        .has_imm = w->has_imm,
        .imm = w->imm,
    };
    mrct_run_tell(r, &ev);
}

/* True when the write is settled: posted, or refused by a QP in ERROR. */
static bool post_one(struct mrct_run *r, struct mrct_run_write *w, uint64_t now_ns)
{
    struct mrct_dut *const dut = r->node[w->host].dut;
    const struct mrc_write post = {
        .wr_id = w->wr_id,
        .local = w->src,
        .len_bytes = w->size,
        .remote_va = w->va,
        .rkey = w->rkey,
        .has_imm = w->has_imm,
        .imm = w->imm,
    };
    const int rc = dut->ops->post_write(dut, r->node[w->host].qp[w->qp].qpn, now_ns, &post);
    if (rc == MRC_EP_EFULL) {
        return false;
    }
    if (rc == 0) {
        w->posted = true;
        r->tally.immediates_posted += w->has_imm;
        tell_post(r, w, now_ns);
        return true;
    }
    if (rc == MRC_EP_ESTATE) {
        write_done(r, w, MRC_WC_FLUSHED);
        return true;
    }
    (void)mrct_run_fault(r, "host%u refused to post a write: %s", w->host + 1, mrc_ep_strerror(rc));
    return true;
}

/* Posts in order per QP; a full queue holds only its own QP up. */
static bool post_writes(struct mrct_run *r, uint64_t now_ns)
{
    bool posted = false;
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned q = 0; q < r->c->qps; q++) {
            size_t *const next = &r->node[h].qp[q].next_post;
            for (; *next < r->started_writes; (*next)++) {
                struct mrct_run_write *const w = &r->writes[*next];
                if (w->host != h || w->qp != q) {
                    continue;
                }
                if (!post_one(r, w, now_ns)) {
                    break;
                }
                posted = true;
            }
        }
    }
    return posted;
}

void mrct_run_step(void *run, uint64_t now_ns)
{
    struct mrct_run *const r = run;
    bool moved = true;
    r->now_ns = now_ns;
    if (r->player != NULL) {
        mrct_player_tick(r->player, now_ns);
    }
    while (moved && r->fault[0] == '\0') {
        moved = hear_all(r, now_ns);
        moved = start_steps(r, now_ns) || moved;
        moved = post_writes(r, now_ns) || moved;
    }
    if (mrct_run_troubled(r)) { /* nothing that follows would prove anything */
        mrct_gate_shut(r->node[0].gate);
        mrct_gate_shut(r->node[1].gate);
    }
}

/* ---- the end ---- */

static bool has_traffic(const struct mrct_run *r, unsigned to, unsigned qp)
{
    if (r->player != NULL) {
        return qp == 0;
    }
    for (size_t i = 0; i < r->write_count; i++) {
        if (r->writes[i].host != to && r->writes[i].qp == qp && r->writes[i].posted) {
            return true;
        }
    }
    return false;
}

static void end_memory(struct mrct_run *r, unsigned host, uint64_t now_ns)
{
    if (r->player != NULL && host == mrct_case_scripted_host(r->c)) {
        return; /* what the script told the device of it need not be true */
    }
    char words[sizeof r->memory_words];
    const bool ok = mrct_run_memory_check(r, host, words, sizeof words);
    if (!ok && r->tally.memory_wrong == NULL) {
        memcpy(r->memory_words, words, sizeof words);
        r->tally.memory_wrong = r->memory_words;
    }
    for (unsigned q = 0; q < r->c->qps; q++) {
        if (!has_traffic(r, host, q)) {
            continue;
        }
        const struct mrct_event ev = {
            .kind = MRCT_EVENT_MEM_CHECK,
            .time_ns = now_ns,
            .host = mrct_run_host_names[host],
            .qpn = r->node[host].qp[q].qpn,
            .va = r->node[host].mem.target.va,
            .rkey = r->node[host].mem.target.rkey,
            .len_bytes = (uint32_t)r->node[host].mem.target.len_bytes,
            .psn = UINT32_MAX,
            .ok = ok,
            .why = ok ? NULL : words,
        };
        mrct_run_tell(r, &ev);
    }
}

void mrct_run_app_end(struct mrct_run *r, uint64_t now_ns)
{
    end_memory(r, 0, now_ns);
    end_memory(r, 1, now_ns);
    r->tally.body_ns = r->body_to_ns - r->body_from_ns;
    r->tally.steps_left = r->c->step_count - r->next_step;
}
