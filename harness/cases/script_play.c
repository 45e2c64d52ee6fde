/* SPDX-License-Identifier: BSD-2-Clause */
/* The player: one line after the other, each when its time has come or its packet has. */
#include "harness/cases/script_priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RX_MAX 100000u /* things a device may do in one script */

/* What became of an attempt to go on. */
enum step { STEP_MOVED, STEP_WAITS };

struct mrct_player *mrct_player_new(const struct mrct_script *s, const struct mrct_script_world *w)
{
    struct mrct_player *const p = calloc(1, sizeof *p);
    if (p == NULL) {
        return NULL;
    }
    p->s = s;
    p->w = *w;
    mrct_pool_init(&p->pool);
    mrct_rng_init(&p->rng, w->seed);
    p->left = calloc(s->line_count + 1, sizeof *p->left);
    p->guard = calloc(s->line_count + 1, sizeof *p->guard);
    if (p->left == NULL || p->guard == NULL) {
        mrct_player_free(p);
        return NULL;
    }
    for (size_t i = 0; i < MRCT_CASE_QPS_MAX; i++) {
        p->qp[i].seen_last = p->qp[i].seen_latest = p->qp[i].seen_cack = -1;
    }
    return p;
}

void mrct_player_free(struct mrct_player *p)
{
    if (p == NULL) {
        return;
    }
    for (size_t i = 0; i < MRCT_CASE_QPS_MAX; i++) {
        free(p->qp[i].seen);
        free(p->qp[i].sent);
    }
    free(p->left);
    free(p->guard);
    free(p->rx);
    free(p->laid);
    mrct_pool_fini(&p->pool);
    free(p);
}

/* ---- how it ends ---- */

static void say_times(struct mrct_player *p, struct mrc_text *t, const struct mrct_rx *rx)
{
    mrc_text_add(t, " at ");
    mrct_play_print_time(t, rx->time_ns - p->start_ns);
}

void mrct_play_stop(struct mrct_player *p, enum mrct_player_state state,
                    const struct mrct_script_line *line, const struct mrct_rx *rx, const char *fmt,
                    ...)
{
    char why[300];
    if (p->state != MRCT_PLAYER_PLAYING && p->state != MRCT_PLAYER_DONE) {
        return;
    }
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    const bool preamble = line->phase == MRCT_PHASE_PREAMBLE && state == MRCT_PLAYER_FAILED;
    p->state = preamble ? MRCT_PLAYER_UNCLEAR : state;
    (void)snprintf(p->due, sizeof p->due, "%s:%d: %s", p->w.file, line->number, line->text);
    if (rx != NULL) {
        mrct_play_print(p, rx, p->came, sizeof p->came);
    }
    struct mrc_text t;
    mrc_text_init(&t, p->words, sizeof p->words);
    mrc_text_add(&t, "%s:%d: %s%s", p->w.file, line->number,
                 preamble ? "the preamble failed: " : "", why);
    if (rx != NULL) {
        mrc_text_add(&t, "; due was '%s', came '%s'", line->text, p->came);
        say_times(p, &t, rx);
    } else {
        mrc_text_add(&t, "; due was '%s'", line->text);
    }
}

/* ---- times ---- */

static uint64_t add_ns(uint64_t a, uint64_t b)
{
    return a > MRCT_SCRIPT_NEVER - b ? MRCT_SCRIPT_NEVER : a + b;
}

/* The time of a line whose predecessor happened at prev. What is expected must come after the last
 * thing that the script did, and not later; a range says both ends; what is done is done at the
 * first. */
static void window(const struct mrct_player *p, const struct mrct_script_line *line, uint64_t prev,
                   uint64_t *from, uint64_t *to)
{
    const struct mrct_script_time *const t = &line->time;
    const uint64_t base = t->kind == MRCT_TIME_ABSOLUTE ? p->start_ns : prev;
    const bool deed = line->kind == MRCT_LINE_SEND || line->kind > MRCT_LINE_WAIT;
    *from = 0;
    *to = MRCT_SCRIPT_NEVER;
    if (t->kind == MRCT_TIME_ANY) {
        return;
    }
    *to = add_ns(base, t->to_ns);
    *from = t->ranged || deed ? add_ns(base, t->from_ns) : p->deed_ns;
    if (line->kind == MRCT_LINE_EXPECT || line->kind == MRCT_LINE_AWAIT) {
        *to = add_ns(*to, p->w.slack_ns);
    }
}

static const struct mrct_script_line *current(const struct mrct_player *p)
{
    return &p->s->lines[p->at];
}

static void enter(struct mrct_player *p)
{
    p->done = 0;
    if (p->at == p->s->line_count) {
        if (p->state == MRCT_PLAYER_PLAYING) {
            p->state = MRCT_PLAYER_DONE;
        }
        return;
    }
    const struct mrct_script_line *const line = current(p);
    window(p, line, p->prev_ns, &p->from_ns, &p->to_ns);
    if (line->kind == MRCT_LINE_SEND && line->time.ranged) {
        const uint64_t span = p->to_ns - p->from_ns;
        p->from_ns += span > 0 ? mrct_rng_next(&p->rng) % span : 0;
    }
}

static bool is_answer(enum mrct_line_kind kind)
{
    return kind == MRCT_LINE_EXPECT || kind == MRCT_LINE_AWAIT || kind == MRCT_LINE_MAYBE ||
           kind == MRCT_LINE_OPEN || kind == MRCT_LINE_CLOSE;
}

static enum step go_to(struct mrct_player *p, size_t line, uint64_t happened_ns)
{
    if (!is_answer(current(p)->kind)) {
        p->deed_ns = happened_ns;
    }
    p->at = line;
    p->prev_ns = happened_ns;
    enter(p);
    return STEP_MOVED;
}

static enum step next(struct mrct_player *p, uint64_t happened_ns)
{
    return go_to(p, p->at + 1, happened_ns);
}

/* ---- what is expected ---- */

static bool is_candidate(const struct mrct_player *p, const struct mrct_script_line *line,
                         const struct mrct_rx *rx)
{
    return !rx->used && mrct_play_about(p, line, rx) &&
           (line->time.kind == MRCT_TIME_ANY || rx->time_ns >= p->deed_ns);
}

static enum step taken(struct mrct_player *p, struct mrct_rx *rx)
{
    rx->used = rx->taken = true;
    if (++p->done < current(p)->count) {
        return STEP_MOVED;
    }
    return next(p, rx->time_ns > p->prev_ns ? rx->time_ns : p->prev_ns);
}

static void name_late(struct mrct_player *p, const struct mrct_script_line *line, uint64_t to_ns,
                      const struct mrct_rx *last, const char *words)
{
    char until[64] = "the end";
    if (to_ns != MRCT_SCRIPT_NEVER) {
        struct mrc_text t;
        mrc_text_init(&t, until, sizeof until);
        mrct_play_print_time(&t, to_ns - p->start_ns);
    }
    char count[40] = "";
    if (line->count > 1) {
        (void)snprintf(count, sizeof count, " (%u of %u came)", p->done, line->count);
    }
    mrct_play_stop(p, MRCT_PLAYER_FAILED, line, last, "it did not come until %s%s%s%s", until,
                   count, last != NULL ? ", the nearest differs: " : "", last != NULL ? words : "");
}

/* The last packet of its name that was no match, for the message. */
static struct mrct_rx *nearest(struct mrct_player *p, const struct mrct_script_line *line,
                               char *words, size_t cap)
{
    for (size_t i = p->rx_count; i > 0; i--) {
        struct mrct_rx *const rx = &p->rx[i - 1];
        if (!rx->taken && mrct_play_about(p, line, rx) && rx->time_ns >= p->deed_ns) {
            if (mrct_play_fits(p, line, p->done, rx, false, words, cap)) {
                (void)snprintf(words, cap, "it came too early, or too late");
            }
            return rx;
        }
    }
    return NULL;
}

static enum step expect(struct mrct_player *p, uint64_t now_ns)
{
    const struct mrct_script_line *const line = current(p);
    char words[200];
    for (size_t i = 0; i < p->rx_count; i++) {
        struct mrct_rx *const rx = &p->rx[i];
        if (!is_candidate(p, line, rx)) {
            continue;
        }
        bool fits = mrct_play_fits(p, line, p->done, rx, false, words, sizeof words);
        if (fits && (rx->time_ns < p->from_ns || rx->time_ns > p->to_ns)) {
            (void)snprintf(words, sizeof words, "it came too %s",
                           rx->time_ns > p->to_ns ? "late" : "early");
            fits = false;
        }
        if (fits) {
            (void)mrct_play_fits(p, line, p->done, rx, true, words, sizeof words);
            return taken(p, rx);
        }
        if (line->kind == MRCT_LINE_EXPECT) {
            mrct_play_stop(p, MRCT_PLAYER_FAILED, line, rx, "%s", words);
            return STEP_WAITS;
        }
        if (line->kind == MRCT_LINE_MAYBE) {
            break;
        }
        rx->used = true;
    }
    if (line->kind == MRCT_LINE_MAYBE && (now_ns >= p->to_ns || line->time.kind == MRCT_TIME_ANY)) {
        return next(p, p->prev_ns);
    }
    if (now_ns > p->to_ns && line->kind != MRCT_LINE_MAYBE) {
        const struct mrct_rx *const last = nearest(p, line, words, sizeof words);
        name_late(p, line, p->to_ns, last, words);
    }
    return STEP_WAITS;
}

/* ---- sets ---- */

static size_t set_end(const struct mrct_player *p, size_t open)
{
    while (p->s->lines[open].kind != MRCT_LINE_CLOSE) {
        open++;
    }
    return open;
}

/* The first line of the set that takes rx. */
static bool set_takes(struct mrct_player *p, size_t end, struct mrct_rx *rx)
{
    char words[200];
    for (size_t i = p->at + 1; i < end; i++) {
        const struct mrct_script_line *const line = &p->s->lines[i];
        uint64_t from;
        uint64_t to;
        window(p, line, p->prev_ns, &from, &to);
        if (p->left[i] > 0 && is_candidate(p, line, rx) && rx->time_ns >= from &&
            rx->time_ns <= to &&
            mrct_play_fits(p, line, line->count - p->left[i], rx, true, words, sizeof words)) {
            p->left[i]--;
            rx->used = rx->taken = true;
            return true;
        }
    }
    return false;
}

static bool set_open(const struct mrct_player *p, size_t i)
{
    return p->left[i] > 0 && p->s->lines[i].kind != MRCT_LINE_MAYBE;
}

static enum step set(struct mrct_player *p, uint64_t now_ns)
{
    const size_t end = set_end(p, p->at);
    if (p->done == 0) {
        for (size_t i = p->at + 1; i < end; i++) {
            p->left[i] = p->s->lines[i].count;
        }
        p->done = 1;
    }
    uint64_t latest = p->prev_ns;
    for (size_t i = 0; i < p->rx_count; i++) {
        if (!p->rx[i].used) {
            (void)set_takes(p, end, &p->rx[i]);
        }
    }
    for (size_t i = 0; i < p->rx_count; i++) {
        latest = p->rx[i].used && p->rx[i].time_ns > latest ? p->rx[i].time_ns : latest;
    }
    bool open = false;
    for (size_t i = p->at + 1; i < end; i++) {
        uint64_t from;
        uint64_t to;
        window(p, &p->s->lines[i], p->prev_ns, &from, &to);
        open = open || set_open(p, i);
        if (set_open(p, i) && now_ns > to) {
            char words[200];
            p->done = p->s->lines[i].count - p->left[i];
            const struct mrct_rx *const last = nearest(p, &p->s->lines[i], words, sizeof words);
            name_late(p, &p->s->lines[i], to, last, words);
            return STEP_WAITS;
        }
    }
    return open ? STEP_WAITS : go_to(p, end + 1, latest);
}

/* ---- what must not come ---- */

static bool forbids(struct mrct_player *p, const struct mrct_script_line *line,
                    const struct mrct_rx *rx)
{
    char words[200];
    if (line->kind == MRCT_LINE_NOTHING) {
        return !rx->is_event;
    }
    return mrct_play_fits(p, line, 0, rx, false, words, sizeof words);
}

static enum step forbid(struct mrct_player *p, uint64_t now_ns)
{
    const struct mrct_script_line *const line = current(p);
    if (line->time.kind == MRCT_TIME_ANY) {
        p->guard[p->at] = true;
        return next(p, p->prev_ns);
    }
    const uint64_t from = line->time.ranged ? p->from_ns : p->prev_ns;
    for (size_t i = 0; i < p->rx_count; i++) {
        const struct mrct_rx *const rx = &p->rx[i];
        const bool inside =
            rx->time_ns <= p->to_ns && (rx->time_ns > from || (rx->time_ns == from && !rx->used));
        if (inside && forbids(p, line, rx)) {
            mrct_play_stop(p, MRCT_PLAYER_FAILED, line, rx, "that must not come");
            return STEP_WAITS;
        }
    }
    return now_ns >= p->to_ns ? next(p, p->to_ns) : STEP_WAITS;
}

static void heed_guards(struct mrct_player *p, const struct mrct_rx *rx)
{
    for (size_t i = 0; i < p->s->line_count; i++) {
        if (p->guard[i] && forbids(p, &p->s->lines[i], rx)) {
            mrct_play_stop(p, MRCT_PLAYER_FAILED, &p->s->lines[i], rx, "that must not come");
        }
    }
}

/* ---- memory ---- */

static int due_byte(const struct mrct_player *p, const struct mrct_script_line *line,
                    const uint8_t *write, uint64_t i)
{
    (void)p;
    return line->pattern < 0 ? write[i]
                             : mrct_script_pattern((unsigned)line->pattern, line->first + i);
}

static void look_at(struct mrct_player *p, const struct mrct_script_line *line,
                    const struct mrc_mr *mr, const uint8_t *before, const uint8_t *write)
{
    for (uint64_t i = 0; i < line->length; i++) {
        const int is = mr->mem[line->first + i];
        const int due = line->pattern == 0 ? before[line->first + i] : due_byte(p, line, write, i);
        if (is != due) {
            mrct_play_stop(p, MRCT_PLAYER_FAILED, line, NULL,
                           "byte %" PRIu64 " of the region is 0x%02x, due was 0x%02x",
                           line->first + i, (unsigned)is, (unsigned)due);
            return;
        }
    }
}

static enum step memory(struct mrct_player *p, uint64_t now_ns)
{
    const struct mrct_script_line *const line = current(p);
    const unsigned owner = line->kind == MRCT_LINE_OWN ? p->w.host : mrct_play_device(p);
    const struct mrc_mr *const mr = &p->w.target[owner];
    uint32_t len = 0;
    const uint8_t *write = NULL;
    if (line->pattern < 0 && p->w.write_bytes != NULL) {
        write = p->w.write_bytes(p->w.user, (uint64_t)-line->pattern, &len);
    }
    if (line->first > mr->len_bytes || line->length > mr->len_bytes - line->first) {
        mrct_play_stop(p, MRCT_PLAYER_BROKEN, line, NULL, "the region has only %llu bytes",
                       (unsigned long long)mr->len_bytes);
    } else if (line->pattern < 0 && (write == NULL || line->length > len)) {
        mrct_play_stop(p, MRCT_PLAYER_BROKEN, line, NULL,
                       "there is no such write, or it is shorter");
    } else if (mr->mem == NULL || (line->pattern == 0 && p->w.before[owner] == NULL) ||
               (p->w.fetch != NULL && !p->w.fetch(p->w.user, owner, line->first, line->length))) {
        mrct_play_stop(p, MRCT_PLAYER_UNCLEAR, line, NULL, "that memory cannot be looked at");
    } else {
        look_at(p, line, mr, p->w.before[owner], write);
    }
    return p->state == MRCT_PLAYER_PLAYING ? next(p, now_ns) : STEP_WAITS;
}

/* ---- one line ---- */

static enum step play_line(struct mrct_player *p, uint64_t now_ns)
{
    switch (current(p)->kind) {
    case MRCT_LINE_SEND:
        return STEP_WAITS; /* for a port: mrct_player_output() */
    case MRCT_LINE_EXPECT:
    case MRCT_LINE_AWAIT:
    case MRCT_LINE_MAYBE:
        return expect(p, now_ns);
    case MRCT_LINE_FORBID:
    case MRCT_LINE_NOTHING:
        return forbid(p, now_ns);
    case MRCT_LINE_WAIT:
        return now_ns >= p->to_ns ? next(p, p->to_ns) : STEP_WAITS;
    case MRCT_LINE_POST_WRITE:
    case MRCT_LINE_POST_RECV:
    case MRCT_LINE_SET_MPR:
    case MRCT_LINE_SHORTAGE:
        if (now_ns < p->from_ns) {
            return STEP_WAITS;
        }
        p->calls++;
        return next(p, now_ns);
    case MRCT_LINE_MEMORY:
    case MRCT_LINE_OWN:
        return now_ns < p->from_ns ? STEP_WAITS : memory(p, now_ns);
    case MRCT_LINE_OPEN:
        return set(p, now_ns);
    case MRCT_LINE_CLOSE:
        return next(p, p->prev_ns);
    }
    return STEP_WAITS;
}

static void advance(struct mrct_player *p, uint64_t now_ns)
{
    if (!p->started) {
        p->started = true;
        p->start_ns = p->prev_ns = p->deed_ns = now_ns;
        enter(p);
    }
    p->now_ns = now_ns;
    while (p->state == MRCT_PLAYER_PLAYING && play_line(p, now_ns) == STEP_MOVED) {
    }
}

/* ---- what comes in ---- */

static struct mrct_rx *new_rx(struct mrct_player *p, uint64_t now_ns)
{
    if (p->rx_count == p->rx_cap) {
        const size_t cap = p->rx_cap > 0 ? 2 * p->rx_cap : 32;
        struct mrct_rx *const more =
            p->rx_count < RX_MAX ? realloc(p->rx, cap * sizeof *more) : NULL;
        if (more == NULL) {
            mrct_play_stop(p, MRCT_PLAYER_BROKEN, &p->s->lines[0], NULL,
                           "no memory for what the device does");
            return NULL;
        }
        p->rx = more;
        p->rx_cap = cap;
    }
    struct mrct_rx *const rx = &p->rx[p->rx_count];
    memset(rx, 0, sizeof *rx);
    rx->time_ns = now_ns;
    return rx;
}

static void take(struct mrct_player *p, struct mrct_rx *rx, uint64_t now_ns)
{
    p->rx_count++;
    heed_guards(p, rx);
    advance(p, now_ns);
}

void mrct_player_input(struct mrct_player *p, uint64_t now_ns, unsigned plane, const uint8_t *bytes,
                       size_t len)
{
    advance(p, now_ns);
    struct mrct_rx *const rx = new_rx(p, now_ns);
    if (rx == NULL) {
        return;
    }
    rx->plane = plane;
    rx->head_len = len < MRCT_PLAY_HEAD ? len : MRCT_PLAY_HEAD;
    memcpy(rx->head, bytes, rx->head_len);
    rx->err = mrc_pkt_decode(&p->w.wire, bytes, len, len, true, &rx->pkt);
    rx->name = MRC_PKT_HAS(&rx->pkt, BTH) ? rx->pkt.bth.opcode : MRCT_NAME_RAW;
    mrct_play_place(p, rx, rx->pkt.payload);
    rx->pkt.payload = NULL;
    if (mrct_play_note_seen(p, rx) != 0) {
        mrct_play_stop(p, MRCT_PLAYER_BROKEN, &p->s->lines[0], NULL, "out of memory");
        return;
    }
    take(p, rx, now_ns);
}

void mrct_player_event(struct mrct_player *p, uint64_t now_ns, const struct mrc_ep_event *ev)
{
    static const int names[] = {[MRC_EVENT_SEND_DONE] = MRCT_NAME_COMPLETION,
                                [MRC_EVENT_RECV_IMM] = MRCT_NAME_RECV,
                                [MRC_EVENT_QP_ERROR] = MRCT_NAME_ERROR};
    if (ev->kind > MRC_EVENT_QP_ERROR) {
        return;
    }
    advance(p, now_ns);
    struct mrct_rx *const rx = new_rx(p, now_ns);
    if (rx != NULL) {
        rx->is_event = true;
        rx->name = names[ev->kind];
        rx->ev = *ev;
        take(p, rx, now_ns);
    }
}

/* ---- what goes out ---- */

int mrct_player_output(struct mrct_player *p, uint64_t now_ns, uint64_t planes_free,
                       struct mrc_frame *out)
{
    advance(p, now_ns);
    if (p->state != MRCT_PLAYER_PLAYING) {
        return -1;
    }
    const struct mrct_script_line *const line = current(p);
    if (line->kind != MRCT_LINE_SEND || now_ns < p->from_ns ||
        (planes_free >> mrct_play_plane(line) & 1) == 0) {
        return -1;
    }
    unsigned plane = 0;
    if (!mrct_play_build(p, line, p->done, out, &plane)) {
        return -1;
    }
    if (++p->done == line->count) {
        (void)next(p, now_ns);
        advance(p, now_ns);
    }
    return (int)plane;
}

/* A time limit has passed only an instant later. */
static uint64_t after(uint64_t ns)
{
    return ns == MRCT_SCRIPT_NEVER ? MRC_TIME_NEVER : ns + 1;
}

static uint64_t set_deadline(const struct mrct_player *p)
{
    uint64_t least = MRC_TIME_NEVER;
    for (size_t i = p->at + 1; i < set_end(p, p->at); i++) {
        uint64_t from;
        uint64_t to;
        window(p, &p->s->lines[i], p->prev_ns, &from, &to);
        if (set_open(p, i) && after(to) < least) {
            least = after(to);
        }
    }
    return least;
}

static uint64_t line_deadline(const struct mrct_player *p)
{
    switch (current(p)->kind) {
    case MRCT_LINE_EXPECT:
    case MRCT_LINE_AWAIT:
        return after(p->to_ns);
    case MRCT_LINE_MAYBE:
    case MRCT_LINE_FORBID:
    case MRCT_LINE_NOTHING:
    case MRCT_LINE_WAIT:
        return p->to_ns;
    case MRCT_LINE_OPEN:
        return set_deadline(p);
    case MRCT_LINE_SEND:
    case MRCT_LINE_POST_WRITE:
    case MRCT_LINE_POST_RECV:
    case MRCT_LINE_SET_MPR:
    case MRCT_LINE_SHORTAGE:
    case MRCT_LINE_MEMORY:
    case MRCT_LINE_OWN:
    case MRCT_LINE_CLOSE:
        break;
    }
    return p->from_ns;
}

uint64_t mrct_player_deadline(const struct mrct_player *p)
{
    if (p->state != MRCT_PLAYER_PLAYING) {
        return MRC_TIME_NEVER;
    }
    if (!p->started) {
        return 0;
    }
    const uint64_t at = line_deadline(p);
    return at > p->now_ns ? at : MRC_TIME_NEVER;
}

void mrct_player_tick(struct mrct_player *p, uint64_t now_ns)
{
    advance(p, now_ns);
}

size_t mrct_player_calls(const struct mrct_player *p)
{
    return p->calls;
}

/* ---- the end ---- */

void mrct_player_end(struct mrct_player *p, uint64_t now_ns)
{
    advance(p, now_ns);
    while (p->state == MRCT_PLAYER_PLAYING) {
        const struct mrct_script_line *const line = current(p);
        char words[200];
        if (line->kind == MRCT_LINE_MAYBE || line->kind == MRCT_LINE_NOTHING ||
            line->kind == MRCT_LINE_FORBID || line->kind == MRCT_LINE_WAIT) {
            (void)next(p, p->to_ns); /* nothing comes any more, so time may pass */
            advance(p, p->prev_ns);
            continue;
        }
        if (line->kind == MRCT_LINE_OPEN) {
            for (size_t i = p->at + 1; i < set_end(p, p->at); i++) {
                if (set_open(p, i)) {
                    name_late(p, &p->s->lines[i], MRCT_SCRIPT_NEVER,
                              nearest(p, &p->s->lines[i], words, sizeof words), words);
                }
            }
        } else if (line->kind == MRCT_LINE_EXPECT || line->kind == MRCT_LINE_AWAIT) {
            name_late(p, line, MRCT_SCRIPT_NEVER, nearest(p, line, words, sizeof words), words);
        }
        mrct_play_stop(p, MRCT_PLAYER_UNCLEAR, line, NULL, "the time was up before this line");
    }
}

enum mrct_player_state mrct_player_state(const struct mrct_player *p)
{
    return p->state;
}

void mrct_player_why(const struct mrct_player *p, struct mrct_player_why *why)
{
    *why = (struct mrct_player_why){.words = p->words, .due = p->due, .came = p->came};
}

void mrct_player_lay(const struct mrct_player *p, const uint8_t *now, uint8_t *want, size_t len)
{
    for (size_t i = 0; i < p->laid_count; i++) {
        const struct mrct_laid *const l = &p->laid[i];
        for (uint32_t k = 0; k < l->len && l->offset + k < len; k++) {
            const uint8_t carried = mrct_script_pattern(l->pattern, l->offset + k);
            if (now[l->offset + k] == carried) {
                want[l->offset + k] = carried;
            }
        }
    }
}
