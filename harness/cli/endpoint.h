/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mrct endpoint, its parts: options, the talk with the peer over TCP, messages out and in, and what
 * is said of it all at the end.
 */
#ifndef MRCT_CLI_ENDPOINT_H
#define MRCT_CLI_ENDPOINT_H

#include "harness/cli/cli.h"
#include "ref/net/node.h"

#include <ev.h>
#include <jansson.h>

#define MRCT_LIVE_NEIGHBOURS_MAX 64u
#define MRCT_LIVE_QPS_MAX        1024u
#define MRCT_LIVE_EVS_MAX        4096u
#define MRCT_LIVE_PATTERN_STEP                                                                     \
    64u                              /* message n of a pattern begins so many bytes later, n times \
                                      */
#define MRCT_LIVE_PATTERN_TURN 4096u /* and starts over there */

#define MRCT_LIVE_MPR  16 /* PSN window of a QP, units of 128 */
#define MRCT_LIVE_WIMM 64 /* messages of a QP in flight that a responder tracks */

struct mrct_live_options {
    const char *listen, *connect, *send_file, *out_file, *facts_file;
    struct mrc_net_node_port ports[MRC_EP_PORTS_MAX];
    char names[MRC_EP_PORTS_MAX][IF_NAMESIZE];
    unsigned port_count;
    struct mrc_addr neighbours[MRCT_LIVE_NEIGHBOURS_MAX];
    unsigned neighbour_count;
    uint64_t pattern_bytes; /* size of a message; 0: no pattern */
    uint64_t messages;
    uint64_t message_bytes; /* a file's messages */
    uint64_t qps, evs, mtu, seed, depth, window_bytes, timeout, busy_poll_us, ring, udp_port;
    bool receive, verify, json, nscc, bypass;
};
/* Returns MRCT_CLI_END when there is something to do, else what mrct_cli_next() or a value said. */
int mrct_live_command_line(struct mrct_live_options *o, int argc, char **argv);

/* ---- the talk: one JSON object a line ---- */

struct mrct_live_talk {
    struct ev_loop *loop;
    int fd, listen_fd;
    ev_io io, accept_io;
    ev_timer again; /* the next try to connect */
    unsigned tries;
    const char *target; /* ADDR:PORT to connect to */
    char *in;
    size_t in_len, in_room;
    char *out;
    size_t out_len, out_room;
    bool connected, closed;
    void (*on_open)(void *user);
    void (*on_line)(void *user, const json_t *object);
    /* The talk is over: why is a sentence. */
    void (*on_close)(void *user, const char *why);
    void *user;
};
/* Starts to listen or to connect. Returns 0, or -1 with a sentence. */
int mrct_live_talk_start(struct mrct_live_talk *t, const char *listen, const char *connect,
                         char *err, size_t err_cap);
/* Takes the reference of object. */
void mrct_live_talk_say(struct mrct_live_talk *t, json_t *object);
/* Sends what is left, waiting for it, and closes. */
void mrct_live_talk_end(struct mrct_live_talk *t);

/* ---- what a side sends, as it tells the other ---- */

struct mrct_live_load {
    bool is_file;
    uint64_t total_bytes;   /* of a file */
    uint64_t message_bytes; /* the last one of a file may be shorter */
    uint64_t messages;
    uint64_t slots; /* messages of a pattern that have a place of their own in memory */
    uint64_t seed;  /* of the pattern */
    uint64_t crc64; /* of the file */
};
uint64_t mrct_live_message_len(const struct mrct_live_load *l, uint64_t i);
uint64_t mrct_live_message_offset(const struct mrct_live_load *l, uint64_t i);
/* Bytes that the receiver sets aside; at least 1. */
uint64_t mrct_live_room(const struct mrct_live_load *l);
/* The bytes that messages of a pattern are cut from; NULL without memory. free() it. */
uint8_t *mrct_live_pattern(uint64_t seed, uint64_t message_bytes);

/* Latencies, in buckets an eighth of a power of two wide. */
struct mrct_live_times {
    uint64_t bucket[64 * 8];
    uint64_t count, max_ns, sum_ns;
};
void mrct_live_times_add(struct mrct_live_times *t, uint64_t ns);
/* The upper end of the bucket that holds the q-th part, 0 < q <= 1; never above the maximum. */
uint64_t mrct_live_times_at(const struct mrct_live_times *t, double q);

/* ---- the run ---- */

enum mrct_live_phase {
    MRCT_LIVE_HELLO,   /* waiting for the peer's hello */
    MRCT_LIVE_RESOLVE, /* waiting for neighbours */
    MRCT_LIVE_READY,   /* waiting for the peer's ready */
    MRCT_LIVE_RUN,
    MRCT_LIVE_BYE, /* this side owes nothing more */
};

struct mrct_live_sender {
    bool on;
    struct mrct_live_load load;
    const uint8_t *mem;  /* file or pattern */
    uint8_t *pattern;    /* owned */
    uint64_t va;         /* at the peer */
    uint32_t rkey;       /* at the peer */
    uint64_t *next;      /* per QP: index of its next message */
    uint64_t *posted_ns; /* per message in flight: qps x depth */
    uint64_t done, bytes;
    uint64_t begin_ns, end_ns;
    bool checked; /* the peer has looked */
    struct mrct_live_times times;
};
struct mrct_live_receiver {
    bool on;
    struct mrct_live_load load;
    uint8_t *mem;
    uint64_t room;
    uint8_t *pattern; /* owned */
    struct mrc_mr mr;
    uint64_t *next; /* per QP: index of the message expected */
    uint64_t done, bytes, wrong;
    uint64_t begin_ns, end_ns;
    bool checked;
};
struct mrct_live {
    struct mrct_live_options opt;
    struct mrc_net_node_config node_cfg;
    struct ev_loop *loop;
    struct mrc_net_node *node;
    struct mrc_ep *ep;
    struct mrct_live_talk talk;
    ev_signal on_int, on_term;
    enum mrct_live_phase phase;
    uint32_t *qpn, *start_psn; /* own QPs */
    bool peer_ready, peer_bye;
    struct mrc_qp_peer *peers;
    unsigned unresolved;
    struct mrct_live_sender out;
    struct mrct_live_receiver in;
    uint8_t *file; /* mapped */
    size_t file_len;
    int status; /* enum mrct_exit once it is over */
    bool over, stopped;
    char why[256]; /* a failure in words */
};

/* Ends the run with a status and, unless it passed, a sentence. */
void mrct_live_finish(struct mrct_live *l, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Looks whether something is complete, and says so to the peer. */
void mrct_live_progress(struct mrct_live *l);

/* endpoint_hello.c: what the peers tell each other before a packet flows. */
json_t *mrct_live_hello(const struct mrct_live *l);
/* Reads the peer's; false with a sentence in err. */
bool mrct_live_take_hello(struct mrct_live *l, const json_t *o, char *err, size_t err_cap);

/* Writes opt.facts_file. Returns 0, or -1 with errno. */
int mrct_live_facts(const struct mrct_live *l);

/* endpoint_traffic.c */
bool mrct_live_load_file(struct mrct_live *l, char *err, size_t err_cap);
bool mrct_live_prepare_in(struct mrct_live *l);
void mrct_live_begin(struct mrct_live *l);
void mrct_live_event(void *user, const struct mrc_ep_event *ev);
/* Whether everything received is what was sent; writes the file asked for. */
void mrct_live_check_in(struct mrct_live *l);

/* endpoint_report.c */
void mrct_live_text(struct mrct_live *l, FILE *out);
int mrct_live_json(struct mrct_live *l, FILE *out);
/* Losses of rings, which are never silent. */
void mrct_live_warn(struct mrct_live *l);

#endif
