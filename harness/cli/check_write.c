/* SPDX-License-Identifier: BSD-2-Clause */
/* The capture again, with findings as comments on its frames: read a second time, so that nothing
 * but findings is kept in memory. */
#include "harness/cli/check_run.h"

#include "harness/report/report.h"
#include "harness/trace/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COMMENTS_MAX 64u /* of one frame; a frame with more says the same again */

/* A finding on one of its frames. */
struct note {
    uint64_t frame_no;
    size_t finding;
    unsigned place; /* which of its frames */
};
struct notes {
    struct note *list;
    size_t count, at;
};

static int compare(const void *a, const void *b)
{
    const struct note *const x = a;
    const struct note *const y = b;
    if (x->frame_no != y->frame_no)
        return x->frame_no < y->frame_no ? -1 : 1;
    if (x->finding != y->finding)
        return x->finding < y->finding ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int make_notes(const struct mrct_findings *f, struct notes *n)
{
    n->list = calloc(f->count * MRCT_FINDING_FRAMES_MAX + 1, sizeof(*n->list));
    if (n->list == NULL)
        return -1;
    for (size_t i = 0; i < f->count; i++)
        for (unsigned k = 0; k < f->list[i].frame_count; k++)
            n->list[n->count++] = (struct note){f->list[i].frames[k], i, k};
    qsort(n->list, n->count, sizeof(*n->list), compare);
    return 0;
}

static char *words_of(const struct mrct_finding *f, unsigned place)
{
    char text[1024], clean[1024];
    if (place == 0)
        mrct_report_comment(f, text, sizeof(text));
    else
        snprintf(text, sizeof(text), "see frame %" PRIu64 ": %s %s", f->frames[0],
                 mrct_finding_kind_str(f->kind), f->requirement);
    mrct_text_clean(text, clean, sizeof(clean));
    return strdup(clean);
}

/* The notes of frame frame_no, wherever it stands: a merged capture is read in order. */
static size_t first_note(const struct notes *n, uint64_t frame_no)
{
    size_t a = 0, b = n->count;
    while (a < b) {
        const size_t mid = a + (b - a) / 2;
        if (n->list[mid].frame_no < frame_no)
            a = mid + 1;
        else
            b = mid;
    }
    return a;
}

static void write_frame(struct mrct_pcapng *w, const struct mrct_findings *findings,
                        const struct notes *n, const struct mrct_capture_frame *f)
{
    char *comments[COMMENTS_MAX];
    struct mrct_pcapng_frame out = {.iface = f->iface,
                                    .time_ns = f->time_ns,
                                    .bytes = f->raw,
                                    .cap_len = f->raw_len,
                                    .wire_len = f->raw_wire_len,
                                    .dropped_before = f->dropped_before};
    for (size_t i = first_note(n, f->frame_no);
         i < n->count && out.comment_count < COMMENTS_MAX && n->list[i].frame_no == f->frame_no;
         i++) {
        char *const words = words_of(&findings->list[n->list[i].finding], n->list[i].place);
        if (words != NULL)
            comments[out.comment_count++] = words;
    }
    out.comments = (const char *const *)comments;
    mrct_pcapng_frame(w, &out);
    for (size_t i = 0; i < out.comment_count; i++)
        free(comments[i]);
}

static void add_iface(const struct check_run *c, struct mrct_pcapng *w,
                      const struct mrct_feed *feed)
{
    const struct mrct_feed_iface *const i = mrct_feed_iface(feed, w->ifaces);
    const char *const tap = mrct_tap_str(mrct_check_tap_of(&c->shared, i, w->ifaces));
    const struct mrct_pcapng_iface out = {.name = i->name[0] != '\0' ? i->name : "capture",
                                          .description =
                                              i->description[0] != '\0' ? i->description : tap,
                                          .comment = i->comment,
                                          .link = i->link,
                                          .snap_len = i->snap_len};
    mrct_pcapng_iface_add(w, &out);
}

void mrct_check_write_counts(struct mrct_pcapng *w, const struct mrct_feed *feed, uint64_t time_ns)
{
    for (uint32_t k = 0; k < w->ifaces && k < mrct_feed_iface_count(feed); k++) {
        const struct mrct_feed_iface *const i = mrct_feed_iface(feed, k);
        const struct mrct_pcapng_counts counts = {.received = i->received,
                                                  .dropped_iface = i->dropped_iface,
                                                  .dropped_os = i->dropped_os};
        if (i->have_counts)
            mrct_pcapng_counts(w, k, time_ns, &counts);
    }
}

static int write_all(const struct check_run *c, struct mrct_pcapng *w, const struct notes *n)
{
    struct mrct_feed_config cfg = c->feed_cfg;
    struct mrct_capture_frame f;
    char err[400];
    uint64_t left = c->r.frames, last_ns = 0;
    if (!cfg.merge)
        cfg.order = MRCT_ORDER_AS_IS; /* as the file has them; numbers are the file's */
    if (cfg.live != NULL) {
        cfg.live = NULL;
        cfg.files = (const char *const *)&c->spool;
        cfg.file_count = 1;
    }
    cfg.stop = NULL;
    struct mrct_feed *const feed = mrct_feed_open(&cfg, err, sizeof(err));
    if (feed == NULL)
        return mrct_cli_fail("check", "%s", err);
    while (left-- > 0 && mrct_feed_next(feed, &f) == MRCT_CAPTURE_FRAME) {
        while (w->ifaces <= f.iface)
            add_iface(c, w, feed);
        write_frame(w, &c->r.findings, n, &f);
        last_ns = f.time_ns;
    }
    /* Of an interface without frames counts may be all there is. */
    while (w->ifaces < mrct_feed_iface_count(c->feed) && w->ifaces < mrct_feed_iface_count(feed))
        add_iface(c, w, feed);
    mrct_check_write_counts(w, c->feed, last_ns);
    mrct_feed_close(feed);
    return 0;
}

int mrct_check_write_out(struct check_run *c)
{
    struct notes n = {0};
    struct mrct_pcapng w;
    char err[400];
    if (make_notes(&c->r.findings, &n) != 0)
        return mrct_check_no_memory();
    if (mrct_pcapng_open(&w, c->shared.opt->out_file, err, sizeof(err)) != 0) {
        free(n.list);
        return mrct_cli_fail("check", "%s", err);
    }
    int status = write_all(c, &w, &n);
    free(n.list);
    if (status != 0)
        mrct_pcapng_abort(&w);
    else if (mrct_pcapng_commit(&w, err, sizeof(err)) != 0)
        status = mrct_cli_fail("check", "%s", err);
    return status;
}
