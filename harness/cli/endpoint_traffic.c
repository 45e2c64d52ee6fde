/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages out and in. Message i goes by QP i modulo their number, as a write with immediate data
 * i, so that the receiver's completions say what arrived. */
#include "harness/cli/endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <isa-l.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t crc64(const uint8_t *bytes, uint64_t len)
{
    return len == 0 ? 0 : crc64_ecma_refl(0, bytes, len);
}

/* ---- out ---- */

static bool map_file(struct mrct_live *l, char *err, size_t cap)
{
    struct stat st;
    const char *const name = l->opt.send_file;
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (good && st.st_size > 0) {
        l->file_len = (size_t)st.st_size;
        l->file = mmap(NULL, l->file_len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
        if (l->file == MAP_FAILED) {
            l->file = NULL;
            good = false;
        }
    }
    if (!good)
        snprintf(err, cap, "%s: %s", name, errno == 0 ? "is no regular file" : strerror(errno));
    if (fd >= 0)
        close(fd);
    return good;
}

bool mrct_live_load_file(struct mrct_live *l, char *err, size_t cap)
{
    struct mrct_live_load *const out = &l->out.load;
    const struct mrct_live_options *const o = &l->opt;
    l->out.on = o->send_file != NULL || o->pattern_bytes != 0;
    *out = (struct mrct_live_load){.is_file = o->send_file != NULL,
                                   .message_bytes = o->message_bytes,
                                   .slots = o->qps * o->depth,
                                   .seed = o->seed};
    errno = 0;
    if (out->is_file) {
        if (!map_file(l, err, cap))
            return false;
        out->total_bytes = l->file_len;
        out->messages = (l->file_len + o->message_bytes - 1) / o->message_bytes;
        out->crc64 = crc64(l->file, l->file_len);
        l->out.mem = l->file;
        return true;
    }
    if (!l->out.on)
        return true;
    out->message_bytes = o->pattern_bytes;
    out->messages = o->messages;
    l->out.mem = l->out.pattern = mrct_live_pattern(out->seed, out->message_bytes);
    if (l->out.mem == NULL)
        snprintf(err, cap, "no memory for a message of %llu bytes",
                 (unsigned long long)out->message_bytes);
    return l->out.mem != NULL;
}

static uint64_t pattern_start(uint64_t i)
{
    return i * MRCT_LIVE_PATTERN_STEP % MRCT_LIVE_PATTERN_TURN;
}

static bool post(struct mrct_live *l, unsigned q, uint64_t now_ns)
{
    struct mrct_live_sender *const s = &l->out;
    const uint64_t i = s->next[q];
    const struct mrc_write w = {
        .wr_id = i,
        .local =
            s->mem + (s->load.is_file ? mrct_live_message_offset(&s->load, i) : pattern_start(i)),
        .len_bytes = (uint32_t)mrct_live_message_len(&s->load, i),
        .remote_va = s->va + mrct_live_message_offset(&s->load, i),
        .rkey = s->rkey,
        .has_imm = true,
        .imm = (uint32_t)i,
    };
    const int e = mrc_qp_post_write(l->ep, l->qpn[q], now_ns, &w);
    if (e != MRC_EP_OK) {
        mrct_live_finish(l, MRCT_EXIT_FAIL, "message %llu could not be posted: %s",
                         (unsigned long long)i, mrc_ep_strerror(e));
        return false;
    }
    s->posted_ns[i % (l->opt.qps * l->opt.depth)] = now_ns;
    s->next[q] += l->opt.qps;
    return true;
}

void mrct_live_begin(struct mrct_live *l)
{
    const uint64_t now_ns = mrc_net_now_ns();
    l->out.begin_ns = l->out.end_ns = l->in.begin_ns = l->in.end_ns = now_ns;
    for (uint64_t d = 0; l->out.on && d < l->opt.depth; d++)
        for (unsigned q = 0; q < l->opt.qps && !l->over; q++)
            if (l->out.next[q] < l->out.load.messages)
                post(l, q, now_ns);
    mrc_net_node_kick(l->node);
}

static unsigned index_of(const struct mrct_live *l, uint32_t qpn)
{
    unsigned q = 0;
    while (q + 1 < l->opt.qps && l->qpn[q] != qpn)
        q++;
    return q;
}

static void send_done(struct mrct_live *l, const struct mrc_ep_event *ev)
{
    struct mrct_live_sender *const s = &l->out;
    const uint64_t now_ns = mrc_net_now_ns();
    const unsigned q = (unsigned)(ev->wr_id % l->opt.qps);
    if (ev->status != MRC_WC_SUCCESS) {
        mrct_live_finish(l, MRCT_EXIT_FAIL, "message %llu failed: %s",
                         (unsigned long long)ev->wr_id, mrc_wc_status_str(ev->status));
        return;
    }
    mrct_live_times_add(&s->times, now_ns - s->posted_ns[ev->wr_id % (l->opt.qps * l->opt.depth)]);
    s->done++;
    s->bytes += mrct_live_message_len(&s->load, ev->wr_id);
    s->end_ns = now_ns;
    if (s->next[q] < s->load.messages)
        post(l, q, now_ns);
}

/* ---- in ---- */

bool mrct_live_prepare_in(struct mrct_live *l)
{
    struct mrct_live_receiver *const r = &l->in;
    r->room = r->on ? mrct_live_room(&r->load) : 1;
    r->mem = mmap(NULL, r->room, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (r->mem == MAP_FAILED) {
        r->mem = NULL;
        return false;
    }
    if (r->on && !r->load.is_file)
        r->pattern = mrct_live_pattern(r->load.seed, r->load.message_bytes);
    r->mr = (struct mrc_mr){.mem = r->mem,
                            .va = UINT64_C(0x100000000),
                            .len_bytes = r->room,
                            .access = MRC_MR_REMOTE_WRITE};
    bool good = (!r->on || r->load.is_file || r->pattern != NULL) &&
                mrc_ep_register(l->ep, &r->mr) == MRC_EP_OK;
    for (unsigned q = 0; q < l->opt.qps && good; q++)
        for (uint64_t d = 0; r->on && d < MRCT_LIVE_WIMM && good; d++)
            good = mrc_qp_post_recv(l->ep, l->qpn[q], d) == MRC_EP_OK;
    return good;
}

static void check_pattern(struct mrct_live_receiver *r, uint64_t i)
{
    const uint8_t *const is = r->mem + mrct_live_message_offset(&r->load, i);
    if (memcmp(is, r->pattern + pattern_start(i), r->load.message_bytes) != 0)
        r->wrong++;
}

static void recv_imm(struct mrct_live *l, const struct mrc_ep_event *ev)
{
    struct mrct_live_receiver *const r = &l->in;
    const unsigned q = index_of(l, ev->qpn);
    const uint64_t i = r->next[q];
    if (!r->on || i >= r->load.messages || ev->imm != (uint32_t)i ||
        ev->len_bytes != mrct_live_message_len(&r->load, i)) {
        mrct_live_finish(l, MRCT_EXIT_FAIL,
                         "QP %u: immediate %u with %u bytes came where message %llu was due",
                         ev->qpn, ev->imm, ev->len_bytes, (unsigned long long)i);
        return;
    }
    r->next[q] += l->opt.qps;
    r->done++;
    r->bytes += ev->len_bytes;
    r->end_ns = mrc_net_now_ns();
    if (!r->load.is_file && l->opt.verify)
        check_pattern(r, i);
    mrc_qp_post_recv(l->ep, ev->qpn, ev->wr_id);
}

static int write_out(const struct mrct_live *l)
{
    FILE *const f = fopen(l->opt.out_file, "wb");
    if (f == NULL)
        return -1;
    const uint64_t n = l->in.load.is_file ? l->in.load.total_bytes : 0;
    const bool good = fwrite(l->in.mem, 1, n, f) == n;
    return fclose(f) == 0 && good ? 0 : -1;
}

void mrct_live_check_in(struct mrct_live *l)
{
    struct mrct_live_receiver *const r = &l->in;
    r->checked = true;
    if (r->load.is_file && l->opt.verify && crc64(r->mem, r->load.total_bytes) != r->load.crc64)
        r->wrong = 1;
    if (r->wrong == 0 && l->opt.out_file != NULL && write_out(l) != 0)
        mrct_live_finish(l, MRCT_EXIT_USAGE, "%s: %s", l->opt.out_file, strerror(errno));
}

void mrct_live_event(void *user, const struct mrc_ep_event *ev)
{
    struct mrct_live *const l = user;
    if (l->over)
        return;
    switch (ev->kind) {
    case MRC_EVENT_SEND_DONE:
        send_done(l, ev);
        break;
    case MRC_EVENT_RECV_IMM:
        recv_imm(l, ev);
        break;
    case MRC_EVENT_QP_ERROR:
        mrct_live_finish(l, MRCT_EXIT_FAIL, "QP %u went to ERROR: %s", ev->qpn,
                         mrc_wc_status_str(ev->status));
        break;
    case MRC_EVENT_PLACED:
    case MRC_EVENT_EV:
    case MRC_EVENT_PROBE:
        break;
    }
    mrct_live_progress(l);
}
