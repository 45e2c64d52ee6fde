/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/trace/capture_priv.h"
#include "harness/trace/link.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mrct_capture *mrct_capture_new(const char *name, char *err, size_t err_cap)
{
    struct mrct_capture *const c = calloc(1, sizeof(*c));
    char *const copy = strdup(name);
    if (c == NULL || copy == NULL) {
        snprintf(err, err_cap, "%s: out of memory", name);
        free(copy);
        free(c);
        return NULL;
    }
    c->name = copy;
    c->state = MRCT_CAPTURE_FRAME;
    return c;
}

static int begin(struct mrct_capture *c, char *err, size_t err_cap)
{
    const uint8_t *const first = mrct_source_need(&c->src, 4);
    if (first != NULL && mrct_capture_is_pcap(first))
        return mrct_capture_begin_pcap(c, err, err_cap);
    if (first != NULL && mrct_capture_is_pcapng(first))
        return mrct_capture_begin_pcapng(c, err, err_cap);
    const char *const failure = mrct_source_failure(&c->src);
    if (failure != NULL)
        snprintf(err, err_cap, "%s: %s", c->name, failure);
    else
        snprintf(err, err_cap, "%s: is no pcap or pcapng capture: %s", c->name,
                 first == NULL ? "it is empty or ends at once" : "its first bytes are others");
    return -1;
}

struct mrct_capture *mrct_capture_open(const char *path, char *err, size_t err_cap)
{
    struct mrct_capture *const c = mrct_capture_new(path, err, err_cap);
    if (c == NULL)
        return NULL;
    c->have_src = mrct_source_open(&c->src, path, err, err_cap) == 0;
    if (!c->have_src || begin(c, err, err_cap) != 0) {
        mrct_capture_close(c);
        return NULL;
    }
    return c;
}

static void free_strings(const struct mrct_capture_iface *i)
{
    free((char *)(uintptr_t)i->name);
    free((char *)(uintptr_t)i->description);
    free((char *)(uintptr_t)i->comment);
}

void mrct_capture_close(struct mrct_capture *c)
{
    if (c == NULL)
        return;
    if (c->have_src)
        mrct_source_close(&c->src);
    if (c->pcap != NULL)
        pcap_close(c->pcap);
    for (size_t i = 0; i < c->iface_count; i++)
        free_strings(&c->ifaces[i]);
    free(c->ifaces);
    free(c->clocks);
    free(c->view);
    free(c->name);
    free(c);
}

int mrct_capture_add_iface(struct mrct_capture *c, const struct mrct_capture_iface *i,
                           const struct capture_clock *clock)
{
    if (c->iface_count == MRCT_CAPTURE_IFACES_MAX)
        return -1;
    struct mrct_capture_iface *const more =
        realloc(c->ifaces, (c->iface_count + 1) * sizeof(*more));
    if (more == NULL)
        return -1;
    c->ifaces = more;
    struct capture_clock *const clocks = realloc(c->clocks, (c->iface_count + 1) * sizeof(*clocks));
    if (clocks == NULL)
        return -1;
    c->clocks = clocks;
    struct mrct_capture_iface *const kept = &more[c->iface_count];
    *kept = *i;
    kept->name = strdup(i->name);
    kept->description = strdup(i->description);
    kept->comment = strdup(i->comment);
    if (kept->name == NULL || kept->description == NULL || kept->comment == NULL) {
        free_strings(kept);
        return -1;
    }
    clocks[c->iface_count++] = *clock;
    return 0;
}

bool mrct_capture_link_ok(const char *name, unsigned link, char *err, size_t err_cap)
{
    if (mrct_link_is_read(link))
        return true;
    const char *const words = pcap_datalink_val_to_name((int)link);
    snprintf(err, err_cap,
             "%s: has link type %s (%u), and only Ethernet, Linux cooked and raw IP are read", name,
             words == NULL ? "unknown" : words, link);
    return false;
}

enum mrct_capture_state mrct_capture_damaged(struct mrct_capture *c, const char *why)
{
    snprintf(c->message, sizeof(c->message), "%s: damaged after frame %llu: %s", c->name,
             (unsigned long long)c->frames, why);
    return MRCT_CAPTURE_BAD;
}

enum mrct_capture_state mrct_capture_ended(struct mrct_capture *c)
{
    const char *const failure = mrct_source_failure(&c->src);
    if (failure != NULL) {
        snprintf(c->message, sizeof(c->message), "%s: %s, after frame %llu", c->name, failure,
                 (unsigned long long)c->frames);
        return MRCT_CAPTURE_BAD;
    }
    if (c->src.stop != NULL && *c->src.stop != 0)
        return MRCT_CAPTURE_END; /* told to end wherever it was */
    if (c->src.at == c->src.end && !mrct_source_was_cut(&c->src))
        return MRCT_CAPTURE_END;
    snprintf(c->message, sizeof(c->message),
             "%s: is cut inside the record after frame %llu; judged as far as it goes", c->name,
             (unsigned long long)c->frames);
    return MRCT_CAPTURE_CUT;
}

/* Puts an Ethernet header in the place of another link's. */
static enum mrct_capture_state make_view(struct mrct_capture *c, struct mrct_capture_frame *f)
{
    struct mrct_link_frame view = {f->raw, f->raw_len, f->raw_wire_len};
    if (c->view == NULL)
        c->view = malloc(MRCT_LINK_VIEW_MAX);
    if (c->view == NULL)
        return mrct_capture_damaged(c, "out of memory");
    mrct_link_view(f->link, &view, c->view);
    f->bytes = view.bytes;
    f->cap_len = view.cap_len;
    f->wire_len = view.wire_len;
    return MRCT_CAPTURE_FRAME;
}

enum mrct_capture_state mrct_capture_next(struct mrct_capture *c, struct mrct_capture_frame *f)
{
    if (c->state != MRCT_CAPTURE_FRAME)
        return c->state;
    c->state = c->read(c, f);
    if (c->state != MRCT_CAPTURE_FRAME)
        return c->state;
    f->frame_no = ++c->frames;
    if (f->raw_wire_len < f->raw_len)
        f->raw_wire_len = f->raw_len;
    if (f->link != MRCT_LINK_ETHERNET)
        return c->state = make_view(c, f);
    f->bytes = f->raw;
    f->cap_len = f->raw_len;
    f->wire_len = f->raw_wire_len;
    return MRCT_CAPTURE_FRAME;
}

void mrct_capture_watch(struct mrct_capture *c, const volatile sig_atomic_t *stop)
{
    c->src.stop = stop;
}

void mrct_capture_stop(struct mrct_capture *c)
{
    if (c->pcap != NULL && c->state == MRCT_CAPTURE_FRAME)
        mrct_capture_live_counts(c);
    if (c->state == MRCT_CAPTURE_FRAME)
        c->state = MRCT_CAPTURE_END;
}

enum mrct_capture_state mrct_capture_state(const struct mrct_capture *c)
{
    return c->state;
}

size_t mrct_capture_iface_count(const struct mrct_capture *c)
{
    return c->iface_count;
}

const struct mrct_capture_iface *mrct_capture_iface(const struct mrct_capture *c, size_t i)
{
    return &c->ifaces[i];
}

void mrct_capture_progress(const struct mrct_capture *c, uint64_t *done, uint64_t *total)
{
    *done = c->have_src ? c->src.taken : 0;
    *total = c->have_src ? c->src.size : 0;
}

const char *mrct_capture_message(const struct mrct_capture *c)
{
    return c->message;
}
