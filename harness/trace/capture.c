/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/trace/capture.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NS_PER_S UINT64_C(1000000000)

struct mrct_capture {
    pcap_t *pcap;
    char *name; /* for messages */
    uint64_t frames;
    enum mrct_capture_state state;
    char message[400];
};

static void say(char *err, size_t cap, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void say(char *err, size_t cap, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err, cap, fmt, ap);
    va_end(ap);
}

static FILE *open_file(const char *path, char *err, size_t cap)
{
    if (strcmp(path, "-") == 0)
        return stdin;
    FILE *const file = fopen(path, "rb");
    struct stat st;
    if (file == NULL) {
        say(err, cap, "%s: cannot open the capture: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(fileno(file), &st) == 0 && S_ISDIR(st.st_mode)) {
        say(err, cap, "%s: is a directory, not a capture", path);
        fclose(file);
        return NULL;
    }
    return file;
}

static pcap_t *open_pcap(const char *path, char *err, size_t cap)
{
    char reason[PCAP_ERRBUF_SIZE] = "";
    FILE *const file = open_file(path, err, cap);
    if (file == NULL)
        return NULL;
    pcap_t *const pcap =
        pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, reason);
    if (pcap == NULL) {
        say(err, cap, "%s: is no pcap or pcapng capture: %s", path, reason);
        if (file != stdin)
            fclose(file);
        return NULL;
    }
    const int link = pcap_datalink(pcap);
    if (link != DLT_EN10MB) {
        const char *const name = pcap_datalink_val_to_name(link);
        say(err, cap, "%s: has link type %s (%d), and only Ethernet is read", path,
            name == NULL ? "unknown" : name, link);
        pcap_close(pcap);
        return NULL;
    }
    return pcap;
}

struct mrct_capture *mrct_capture_open(const char *path, char *err, size_t err_cap)
{
    struct mrct_capture *const c = calloc(1, sizeof(*c));
    char *const name = strdup(path);
    if (c == NULL || name == NULL) {
        say(err, err_cap, "%s: out of memory", path);
        free(name);
        free(c);
        return NULL;
    }
    c->name = name;
    c->state = MRCT_CAPTURE_FRAME;
    c->pcap = open_pcap(path, err, err_cap);
    if (c->pcap == NULL) {
        mrct_capture_close(c);
        return NULL;
    }
    return c;
}

void mrct_capture_close(struct mrct_capture *c)
{
    if (c == NULL)
        return;
    if (c->pcap != NULL)
        pcap_close(c->pcap);
    free(c->name);
    free(c);
}

/* libpcap has one status for a file that ends too early and for one that is damaged; its words
 * tell them apart. */
static enum mrct_capture_state failed(struct mrct_capture *c)
{
    const char *const reason = pcap_geterr(c->pcap);
    if (strncmp(reason, "truncated", 9) == 0) {
        say(c->message, sizeof(c->message),
            "%s: is cut inside the record after frame %llu; judged as far as it goes", c->name,
            (unsigned long long)c->frames);
        return MRCT_CAPTURE_CUT;
    }
    say(c->message, sizeof(c->message), "%s: damaged after frame %llu: %s", c->name,
        (unsigned long long)c->frames, reason);
    return MRCT_CAPTURE_BAD;
}

static uint64_t time_of(const struct timeval *tv)
{
    /* With nanosecond precision tv_usec counts nanoseconds. A time before 1970 is no time. */
    if (tv->tv_sec < 0 || tv->tv_usec < 0)
        return 0;
    return (uint64_t)tv->tv_sec * NS_PER_S + (uint64_t)tv->tv_usec;
}

enum mrct_capture_state mrct_capture_next(struct mrct_capture *c, struct mrct_capture_frame *f)
{
    struct pcap_pkthdr *hdr = NULL;
    const u_char *bytes = NULL;
    if (c->state != MRCT_CAPTURE_FRAME)
        return c->state;
    switch (pcap_next_ex(c->pcap, &hdr, &bytes)) {
    case 1:
        break;
    case PCAP_ERROR_BREAK:
        return c->state = MRCT_CAPTURE_END;
    default:
        return c->state = failed(c);
    }
    f->frame_no = ++c->frames;
    f->time_ns = time_of(&hdr->ts);
    f->cap_len = hdr->caplen;
    f->wire_len = hdr->len < hdr->caplen ? hdr->caplen : hdr->len;
    f->bytes = bytes;
    return MRCT_CAPTURE_FRAME;
}

enum mrct_capture_state mrct_capture_state(const struct mrct_capture *c)
{
    return c->state;
}

const char *mrct_capture_message(const struct mrct_capture *c)
{
    return c->message;
}
