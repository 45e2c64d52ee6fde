/* SPDX-License-Identifier: BSD-2-Clause */
/* A live interface, by libpcap. */
#include "harness/trace/capture_priv.h"
#include "harness/trace/link.h"

#include <pcap/pcap.h>
#include <poll.h>
#include <stdio.h>

#define BUFFER_BYTES (64 << 20) /* of the kernel: bursts of a fast port must fit */
#define WAIT_MS      100        /* how long a stop may take to be noticed */

void mrct_capture_live_counts(struct mrct_capture *c)
{
    struct pcap_stat st;
    if (pcap_stats(c->pcap, &st) == 0) {
        c->ifaces[0].have_counts = true;
        c->ifaces[0].received = st.ps_recv;
        c->ifaces[0].dropped_os = st.ps_drop;
        c->ifaces[0].dropped_iface = st.ps_ifdrop;
        c->ifaces[0].dropped = (uint64_t)st.ps_drop + st.ps_ifdrop;
    }
}

static enum mrct_capture_state ended(struct mrct_capture *c)
{
    mrct_capture_live_counts(c);
    return MRCT_CAPTURE_END;
}

/* libpcap's own wait goes on over an interrupt while no frame comes; this one ends. */
static void wait_a_while(pcap_t *p)
{
    struct pollfd fd = {.fd = pcap_get_selectable_fd(p), .events = POLLIN};
    poll(&fd, fd.fd >= 0 ? 1 : 0, WAIT_MS);
}

static enum mrct_capture_state read_live(struct mrct_capture *c, struct mrct_capture_frame *f)
{
    struct pcap_pkthdr *hdr = NULL;
    const u_char *bytes = NULL;
    int rc = 0;
    while (rc == 0 && (c->src.stop == NULL || *c->src.stop == 0)) {
        rc = pcap_next_ex(c->pcap, &hdr, &bytes);
        if (rc == 0)
            wait_a_while(c->pcap);
    }
    if (rc == 0 || rc == PCAP_ERROR_BREAK)
        return ended(c);
    if (rc != 1)
        return mrct_capture_damaged(c, pcap_geterr(c->pcap));
    f->time_ns =
        (uint64_t)hdr->ts.tv_sec * MRCT_NS_PER_S + (uint64_t)hdr->ts.tv_usec * c->clocks[0].ns;
    f->raw = bytes;
    f->raw_len = hdr->caplen;
    f->raw_wire_len = hdr->len;
    f->iface = 0;
    f->link = c->ifaces[0].link;
    f->dropped_before = 0;
    return MRCT_CAPTURE_FRAME;
}

static int activate(struct mrct_capture *c, const char *iface, char *err, size_t err_cap)
{
    char reason[PCAP_ERRBUF_SIZE] = "";
    pcap_t *const p = pcap_create(iface, reason);
    if (p == NULL) {
        snprintf(err, err_cap, "%s: cannot capture: %s", iface, reason);
        return -1;
    }
    c->pcap = p;
    pcap_set_snaplen(p, (int)MRCT_CAPTURE_SNAP_MAX);
    pcap_set_promisc(p, 1);
    pcap_set_timeout(p, WAIT_MS);
    pcap_set_buffer_size(p, BUFFER_BYTES);
    pcap_set_tstamp_precision(p, PCAP_TSTAMP_PRECISION_NANO);
    const int rc = pcap_activate(p);
    if (rc < 0) {
        const char *const more = pcap_geterr(p);
        snprintf(err, err_cap, "%s: cannot capture: %s", iface,
                 more[0] != '\0' ? more : pcap_statustostr(rc));
        return -1;
    }
    if (pcap_setnonblock(p, 1, reason) != 0) {
        snprintf(err, err_cap, "%s: cannot capture: %s", iface, reason);
        return -1;
    }
    return mrct_capture_link_ok(iface, (unsigned)pcap_datalink(p), err, err_cap) ? 0 : -1;
}

struct mrct_capture *mrct_capture_live(const char *iface, char *err, size_t err_cap)
{
    struct mrct_capture *const c = mrct_capture_new(iface, err, err_cap);
    if (c == NULL)
        return NULL;
    if (activate(c, iface, err, err_cap) != 0) {
        mrct_capture_close(c);
        return NULL;
    }
    const bool nano = pcap_get_tstamp_precision(c->pcap) == PCAP_TSTAMP_PRECISION_NANO;
    const struct capture_clock clock = {.per_s = nano ? MRCT_NS_PER_S : 1000000,
                                        .ns = nano ? 1 : 1000};
    const struct mrct_capture_iface one = {
        .name = iface, .description = "", .comment = "", .link = (uint16_t)pcap_datalink(c->pcap)};
    c->read = read_live;
    if (mrct_capture_add_iface(c, &one, &clock) != 0) {
        snprintf(err, err_cap, "%s: out of memory", iface);
        mrct_capture_close(c);
        return NULL;
    }
    return c;
}
