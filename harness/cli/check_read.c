/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading: in which order, by how many judges, and once more where the first look was wrong. */
#include "harness/cli/check_run.h"

#include "harness/cli/check_planes.h"
#include "harness/stats/stats.h"
#include "harness/trace/offset.h"
#include "harness/trace/pcapng.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JUDGES_MAX  64u
#define LOOK_FRAMES 20000u /* read ahead to see how the work may be divided */

int mrct_check_no_memory(void)
{
    mrct_cli_fail("check", "out of memory");
    return MRCT_EXIT_HARNESS;
}

/* ---- where all judges end when they are interrupted ---- */

/* Each reads at its own pace: they end at the frame that the furthest of them has judged. */
struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t all_here;
    unsigned missing; /* judges that neither came nor ended */
    uint64_t frames;  /* judged by the furthest */
};

/* One comes, or has ended. Returns how many frames all are to judge, once all are here; where
 * nobody waits for that, what is known. */
static uint64_t meet(struct meeting *m, uint64_t frames, bool wait)
{
    pthread_mutex_lock(&m->lock);
    if (m->missing > 0 && --m->missing == 0)
        pthread_cond_broadcast(&m->all_here);
    if (frames > m->frames)
        m->frames = frames;
    while (wait && m->missing > 0)
        pthread_cond_wait(&m->all_here, &m->lock);
    const uint64_t all = m->frames;
    pthread_mutex_unlock(&m->lock);
    return all;
}

/* ---- one judge at work ---- */

struct worker {
    struct check_judge judge;
    struct check_run *run;
    struct mrct_feed *feed;
    atomic_bool *give_up; /* frames are out of order, or another failed */
    struct mrct_spool *spool;
    struct check_progress progress;
    struct meeting *meeting;
    bool met;
    uint64_t end; /* frames to judge, once met */
    uint64_t frames, first_ns, last_ns;
    enum mrct_capture_state state;
    int status; /* exit status, 0 for all well */
    bool disorder;
    pthread_t thread;
};

/* A copy of what cannot be read twice. */
struct mrct_spool {
    struct mrct_pcapng w;
    bool open;
};

static void spool_frame(struct mrct_spool *s, const struct mrct_feed *feed,
                        const struct mrct_capture_frame *f)
{
    while (s->w.ifaces <= f->iface) {
        const struct mrct_feed_iface *const i = mrct_feed_iface(feed, s->w.ifaces);
        const struct mrct_pcapng_iface out = {.name = i->name,
                                              .description = i->description,
                                              .comment = i->comment,
                                              .link = i->link,
                                              .snap_len = i->snap_len};
        mrct_pcapng_iface_add(&s->w, &out);
    }
    const struct mrct_pcapng_frame out = {.iface = f->iface,
                                          .time_ns = f->time_ns,
                                          .bytes = f->raw,
                                          .cap_len = f->raw_len,
                                          .wire_len = f->raw_wire_len};
    mrct_pcapng_frame(&s->w, &out);
}

static bool went_back(struct worker *w, uint64_t time_ns)
{
    const bool back = w->frames > 0 && time_ns < w->last_ns;
    if (w->frames++ == 0)
        w->first_ns = w->last_ns = time_ns;
    if (time_ns > w->last_ns)
        w->last_ns = time_ns;
    return back;
}

/* Whether an interrupt ends the work before the next frame. What cannot be read again ends by
 * itself, and leaves nothing unjudged. */
static bool interrupted(struct worker *w)
{
    if (*w->run->shared.stop == 0 || !w->run->several)
        return false;
    if (!w->met) {
        w->met = true;
        w->end = meet(w->meeting, w->frames, true);
    }
    return w->frames >= w->end;
}

static void read_and_judge(struct worker *w)
{
    const struct check_options *const o = w->run->shared.opt;
    const bool may_restart = o->live == NULL && w->run->feed_cfg.order == MRCT_ORDER_AS_IS;
    struct mrct_capture_frame f;
    while (!interrupted(w) && (w->state = mrct_feed_next(w->feed, &f)) == MRCT_CAPTURE_FRAME) {
        if (went_back(w, f.time_ns) && may_restart) {
            w->disorder = true;
            atomic_store(w->give_up, true);
        }
        if (atomic_load_explicit(w->give_up, memory_order_relaxed))
            return;
        if (w->spool != NULL)
            spool_frame(w->spool, w->feed, &f);
        mrct_progress_frame(&w->progress, w->feed);
        if (mrct_judge_frame(&w->judge, w->feed, &f) != 0) {
            w->status = mrct_check_no_memory();
            atomic_store(w->give_up, true);
            return;
        }
        if (o->count != 0 && w->frames >= o->count)
            return;
    }
}

static void work(struct worker *w)
{
    read_and_judge(w);
    if (!w->met)
        meet(w->meeting, w->frames, false);
}

static void *work_thread(void *arg)
{
    work(arg);
    return NULL;
}

/* ---- what cannot be read twice, and must be ---- */

static int name_spool(struct check_run *c)
{
    const char *const tmp = getenv("TMPDIR");
    if (asprintf(&c->spool, "%s/mrct-check.%ld", tmp == NULL ? "/tmp" : tmp, (long)getpid()) >= 0)
        return 0;
    c->spool = NULL;
    return -1;
}

static int copy_input(FILE *in, struct mrct_outfile *out, const volatile sig_atomic_t *stop)
{
    char buf[65536];
    size_t got;
    while (*stop == 0 && (got = fread(buf, 1, sizeof(buf), in)) > 0)
        if (fwrite(buf, 1, got, out->file) != got)
            return -1;
    return ferror(in) != 0 && *stop == 0 ? -1 : 0;
}

/* Standard input, put where it can be read once for the findings and once for the comments. */
static int keep_input(struct check_run *c)
{
    struct mrct_outfile out;
    char err[400];
    if (c->feed_cfg.file_count != 1 || strcmp(c->feed_cfg.files[0], "-") != 0)
        return 0;
    if (name_spool(c) != 0)
        return mrct_check_no_memory();
    if (mrct_outfile_open(&out, c->spool, err, sizeof(err)) != 0)
        return mrct_cli_fail("check", "%s", err);
    if (copy_input(stdin, &out, c->shared.stop) != 0) {
        mrct_outfile_abort(&out);
        return mrct_cli_fail("check", "standard input cannot be copied to %s", c->spool);
    }
    if (mrct_outfile_commit(&out, err, sizeof(err)) != 0)
        return mrct_cli_fail("check", "%s", err);
    c->spooled[0] = c->spool;
    c->feed_cfg.files = c->spooled;
    return 0;
}

/* ---- all of them ---- */

struct crew {
    struct worker w[JUDGES_MAX];
    unsigned count;
    atomic_bool give_up;
    struct meeting meeting;
    struct mrct_spool spool;
};

static int start_worker(struct check_run *c, struct crew *crew, unsigned i,
                        const struct mrct_tap_side sides[MRCT_TAPS])
{
    struct worker *const w = &crew->w[i];
    char err[400];
    w->run = c;
    w->give_up = &crew->give_up;
    w->meeting = &crew->meeting;
    if (mrct_judge_init(&w->judge, &c->shared, i, crew->count) != 0)
        return mrct_check_no_memory();
    memcpy(w->judge.sides, sides, sizeof(w->judge.sides));
    w->feed = mrct_feed_open(&c->feed_cfg, err, sizeof(err));
    if (w->feed == NULL)
        return mrct_cli_fail("check", "%s", err);
    mrct_progress_begin(&w->progress, i == 0 ? c->term->progress : NULL);
    if (i == 0 && crew->spool.open)
        w->spool = &crew->spool;
    return 0;
}

static void run_crew(struct crew *crew)
{
    bool started[JUDGES_MAX] = {false};
    crew->meeting = (struct meeting){.lock = PTHREAD_MUTEX_INITIALIZER,
                                     .all_here = PTHREAD_COND_INITIALIZER,
                                     .missing = crew->count};
    for (unsigned i = 1; i < crew->count; i++) {
        started[i] = pthread_create(&crew->w[i].thread, NULL, work_thread, &crew->w[i]) == 0;
        if (!started[i])
            meet(&crew->meeting, 0, false); /* nobody waits for it */
    }
    work(&crew->w[0]);
    for (unsigned i = 1; i < crew->count; i++)
        if (started[i])
            pthread_join(crew->w[i].thread, NULL);
    for (unsigned i = 1; i < crew->count; i++)
        if (!started[i])
            work(&crew->w[i]); /* no thread to be had: one after the other */
    mrct_progress_end(&crew->w[0].progress);
}

static int open_spool(struct check_run *c, struct crew *crew)
{
    char err[400];
    if (c->shared.opt->out_file == NULL || c->shared.opt->live == NULL)
        return 0;
    if (name_spool(c) != 0)
        return mrct_check_no_memory();
    if (mrct_pcapng_open(&crew->spool.w, c->spool, err, sizeof(err)) != 0)
        return mrct_cli_fail("check", "%s", err);
    crew->spool.open = true;
    return 0;
}

static int close_spool(struct crew *crew, int status)
{
    char err[400];
    if (!crew->spool.open)
        return status;
    crew->spool.open = false;
    if (mrct_pcapng_commit(&crew->spool.w, err, sizeof(err)) == 0)
        return status;
    return status != 0 ? status : mrct_cli_fail("check", "%s", err);
}

static int read_status(const struct crew *crew)
{
    for (unsigned i = 0; i < crew->count; i++)
        if (crew->w[i].status != 0)
            return crew->w[i].status;
    if (crew->w[0].state == MRCT_CAPTURE_BAD)
        return mrct_cli_fail("check", "%s", mrct_feed_message(crew->w[0].feed));
    return 0;
}

static void take_counts(struct check_run *c, struct worker *w)
{
    struct mrct_check_result *const r = &c->r;
    mrct_feed_stop(w->feed);
    r->frames = w->frames;
    r->first_ns = w->first_ns;
    r->last_ns = w->last_ns;
    r->stopped = *c->shared.stop != 0;
    r->health.cut_file = mrct_feed_warnings(w->feed) > 0;
    r->health.order = c->feed_cfg.order;
    r->health.times = mrct_feed_seen(w->feed);
    for (size_t i = 0; i < mrct_feed_warnings(w->feed); i++)
        mrct_cli_warn("check", "%s", mrct_feed_warning(w->feed, i));
    for (size_t i = 0; i < mrct_feed_iface_count(w->feed); i++)
        r->health.dropped += mrct_feed_iface(w->feed, i)->dropped;
    c->feed = w->feed;
    r->feed = w->feed;
    w->feed = NULL;
}

static int conclude(struct check_run *c, struct crew *crew)
{
    struct check_judge *const judges = calloc(crew->count, sizeof(*judges));
    if (judges == NULL)
        return mrct_check_no_memory();
    take_counts(c, &crew->w[0]);
    for (unsigned i = 0; i < crew->count; i++) {
        mrct_judge_end(&crew->w[i].judge, c->r.last_ns);
        judges[i] = crew->w[i].judge;
    }
    int status = mrct_check_conclude(c, judges, crew->count);
    for (unsigned i = 0; i < crew->count && c->shared.keep_stats; i++) {
        if (c->stats == NULL) {
            c->stats = crew->w[i].judge.stats;
            crew->w[i].judge.stats = NULL;
        } else if (mrct_stats_merge(c->stats, crew->w[i].judge.stats) != 0) {
            status = mrct_check_no_memory();
        }
    }
    if (c->stats != NULL)
        mrct_stats_end(c->stats);
    free(judges);
    return status;
}

/* ---- how the work may be divided ---- */

/* What the first frames show: between which hosts each tap's first connection goes, and how many
 * judges would have something to do. */
struct ahead {
    struct mrct_tap_side sides[MRCT_TAPS];
    unsigned taps_seen;
    struct mrct_peek peek;
    uint64_t owners; /* bit per judge */
    struct mrct_planes planes;
};

static void learn_side(struct ahead *a, const struct mrc_pkt *p, enum mrct_tap tap)
{
    struct mrct_tap_side *const s = &a->sides[tap];
    const bool back = p->bth.opcode == MRC_OP_EP_RESPONSE;
    const size_t len = p->is_v6 ? 16 : 4;
    const uint8_t *const src = p->is_v6 ? p->ip6.src : p->ip4.src;
    const uint8_t *const dst = p->is_v6 ? p->ip6.dst : p->ip4.dst;
    if (s->known)
        return;
    s->known = true;
    s->is_v6 = p->is_v6;
    memcpy(s->requestor, back ? dst : src, len);
    memcpy(s->responder, back ? src : dst, len);
}

static bool begins_flow(const struct mrc_pkt *p)
{
    const uint8_t op = p->bth.opcode;
    return mrc_op_is_write(op) || op == MRC_OP_PROBE || op == MRC_OP_EP_REQUEST ||
           op == MRC_OP_EP_RESPONSE;
}

static void look_at(struct check_run *c, struct ahead *a, const struct mrct_feed *feed,
                    const struct mrct_capture_frame *f)
{
    struct mrc_pkt p;
    const enum mrct_tap tap =
        mrct_check_tap_of(&c->shared, mrct_feed_iface(feed, f->iface), f->iface);
    a->taps_seen |= 1u << tap;
    a->owners |= UINT64_C(1) << mrct_peek_owner(&a->peek, f);
    const bool ask = c->shared.facts->host_count == 0 && !a->planes.found;
    if ((a->sides[tap].known && !ask) ||
        mrc_pkt_decode(&c->shared.facts->wire, f->bytes, f->cap_len, f->wire_len, true, &p) !=
            MRC_WIRE_OK)
        return;
    if (!a->sides[tap].known && begins_flow(&p))
        learn_side(a, &p, tap);
    if (ask)
        mrct_planes_look(&a->planes, &p);
}

static unsigned cores(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > (long)JUDGES_MAX ? JUDGES_MAX : (unsigned)n;
}

/* Number of judges; 1 where the frames cannot be read by each of them, or are of one pair. */
static unsigned divide(struct check_run *c, struct ahead *a)
{
    const struct check_options *const o = c->shared.opt;
    const unsigned want = o->threads != 0 ? o->threads : cores();
    struct mrct_capture_frame f;
    char err[400];
    *a = (struct ahead){.peek = {.facts = c->shared.facts, .judges = want}};
    if (want < 2 || c->feed_cfg.order != MRCT_ORDER_AS_IS || !mrct_feed_rereadable(&c->feed_cfg))
        return 1;
    struct mrct_feed *const feed = mrct_feed_open(&c->feed_cfg, err, sizeof(err));
    if (feed == NULL)
        return 1; /* whoever opens it next says why */
    for (unsigned n = 0; n < LOOK_FRAMES && mrct_feed_next(feed, &f) == MRCT_CAPTURE_FRAME; n++)
        look_at(c, a, feed, &f);
    mrct_feed_close(feed);
    for (unsigned t = 0; t < MRCT_TAPS; t++)
        if ((a->taps_seen >> t & 1u) != 0 && !a->sides[t].known)
            return 1;
    if (a->planes.found)
        return 1; /* whoever judges one plane of a QP must see the others */
    return (a->owners & (a->owners - 1)) == 0 ? 1 : want;
}

/* ---- the run ---- */

/* Why frames are out of order, which all of them must tell. */
static int find_order(struct check_run *c)
{
    struct mrct_capture_frame f;
    char err[400];
    struct mrct_feed *const feed = mrct_feed_open(&c->feed_cfg, err, sizeof(err));
    if (feed == NULL)
        return mrct_cli_fail("check", "%s", err);
    while (*c->shared.stop == 0 && mrct_feed_next(feed, &f) == MRCT_CAPTURE_FRAME)
        ;
    const struct mrct_order_seen seen = mrct_feed_seen(feed);
    mrct_feed_close(feed);
    c->feed_cfg.order = mrct_order_needed(&seen);
    c->feed_cfg.window = MRCT_ORDER_FRAMES;
    if (c->feed_cfg.order == MRCT_ORDER_AS_IS) /* files of a ring overlap */
        c->feed_cfg.order = MRCT_ORDER_SORT;
    return 0;
}

static void free_crew(struct crew *crew)
{
    for (unsigned i = 0; i < crew->count; i++) {
        mrct_judge_fini(&crew->w[i].judge);
        mrct_feed_close(crew->w[i].feed);
    }
    if (crew->spool.open)
        mrct_pcapng_abort(&crew->spool.w);
    free(crew);
}

/* One pass over all frames; *again when it must be made in another order. */
static int pass(struct check_run *c, bool *again)
{
    struct ahead ahead;
    struct crew *const crew = calloc(1, sizeof(*crew));
    if (crew == NULL)
        return mrct_check_no_memory();
    crew->count = divide(c, &ahead);
    if (crew->count == 1)
        memset(ahead.sides, 0, sizeof(ahead.sides));
    int status = open_spool(c, crew);
    for (unsigned i = 0; i < crew->count && status == 0; i++)
        status = start_worker(c, crew, i, ahead.sides);
    if (status == 0)
        run_crew(crew);
    for (unsigned i = 0; i < crew->count; i++)
        *again |= crew->w[i].disorder;
    status = close_spool(crew, status);
    if (status == 0 && !*again)
        status = read_status(crew);
    if (status == 0 && !*again)
        status = conclude(c, crew);
    free_crew(crew);
    return status;
}

static int estimate_offset(struct check_run *c)
{
    struct mrct_offset o;
    char err[400];
    if (mrct_offset_estimate(c->feed_cfg.files[0], c->feed_cfg.files[1], &c->shared.facts->wire, &o,
                             err, sizeof(err)) != 0)
        return mrct_cli_fail("check", "%s", err);
    struct mrct_health *const h = &c->r.health;
    h->merged = true;
    h->offset_known = o.known;
    h->offset_one_way = o.one_way;
    h->offset_ns = o.offset_ns;
    h->offset_pairs = o.pairs;
    h->delay_ns = o.delay_ns;
    c->offsets[1] = o.offset_ns;
    return 0;
}

int mrct_check_read(struct check_run *c)
{
    const struct check_options *const o = c->shared.opt;
    bool again = false;
    c->feed_cfg = (struct mrct_feed_config){.files = (const char *const *)o->files,
                                            .file_count = o->file_count,
                                            .live = o->live,
                                            .merge = o->merge,
                                            .offset_ns = c->offsets,
                                            .stop = c->shared.stop};
    if (o->merge && !mrct_feed_rereadable(&c->feed_cfg))
        return mrct_cli_fail("check", "--merge takes files, which are read twice");
    int status = o->merge ? estimate_offset(c) : 0;
    if (status == 0 && o->out_file != NULL && o->live == NULL)
        status = keep_input(c);
    if (o->live == NULL && !mrct_feed_rereadable(&c->feed_cfg)) {
        c->feed_cfg.order = MRCT_ORDER_SORT;
        c->feed_cfg.window = MRCT_ORDER_SMALL;
    }
    c->several = mrct_feed_rereadable(&c->feed_cfg);
    if (c->several)
        c->feed_cfg.stop = NULL; /* they end where all of them do */
    if (status == 0)
        status = pass(c, &again);
    if (status != 0 || !again)
        return status;
    status = find_order(c);
    again = false;
    return status != 0 ? status : pass(c, &again);
}

void mrct_check_run_fini(struct check_run *c)
{
    mrct_feed_close(c->feed);
    if (c->spool != NULL)
        unlink(c->spool);
    free(c->spool);
    free(c->reqs);
    mrct_stats_free(c->stats);
    mrct_findings_fini(&c->r.findings);
    mrct_talks_fini(&c->r.talks);
}
