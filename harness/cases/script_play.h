/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plays a script against a device. Pure: times, frames and what the device's application hears go
 * in; frames and calls of the device's application come out. It reads no clock and knows no
 * endpoint, so that it plays in virtual time and on real ports alike. Whoever drives it
 *
 *   - hands over each frame that the device sent, and each event of its application;
 *   - asks for frames whenever a port is free, and after each of the other calls;
 *   - carries out the calls it asks for;
 *   - calls mrct_player_tick() at its deadline and at the start, and mrct_player_end() when nothing
 *     further can happen, or when the time is up.
 *
 * Times are ns and never go back; those of the script count from the first call.
 */
#ifndef MRCT_CASES_SCRIPT_PLAY_H
#define MRCT_CASES_SCRIPT_PLAY_H

#include "harness/cases/case.h"
#include "harness/cases/script.h"

/* What a run gives the numbers of a script. Hosts are 0 and 1; nothing is owned but a copy. */
struct mrct_script_world {
    struct mrc_wire_config wire;
    const char *file; /* for messages */
    unsigned host;    /* which of the two the harness plays */
    unsigned planes, qps;
    struct mrc_addr addr[2][MRC_EP_PORTS_MAX]; /* by host and plane */
    uint32_t qpn[2][MRCT_CASE_QPS_MAX], start_psn[2][MRCT_CASE_QPS_MAX];
    const struct mrc_ev *evs[2]; /* by plane, then index; NULL: not known */
    unsigned evs_per_plane[2];
    /* Memory of each host. mem is NULL where it cannot be read. */
    struct mrc_mr target[2], read_only[2];
    /* Brings the target's bytes of a host from where they are into mem; NULL: they are there. False
     * when they cannot be had. */
    bool (*fetch)(void *user, unsigned host, uint64_t first, uint64_t len);
    const uint8_t *before[2]; /* what the targets held at the start; NULL: not known */
    uint32_t wrong_rkey;      /* of no region of the device */
    uint16_t path_mtu, dest_port;
    bool vlan;
    uint16_t vlan_tci;
    bool tseth, ecn, trimmable; /* how the harness sends requests */
    uint8_t mpr;                /* what its SACKs say, units of 128; 0 without dynamic MPR */
    uint64_t slack_ns;          /* by how much what is due may come later */
    uint64_t seed;
    /* Bytes of the n-th write (from 1) that the device's application posted; NULL: unknown. */
    const uint8_t *(*write_bytes)(void *user, uint64_t n, uint32_t *len_bytes);
    void *user;
};

struct mrct_player;

/* NULL when memory fails. The script, and what the world refers to, outlive it. */
struct mrct_player *mrct_player_new(const struct mrct_script *s, const struct mrct_script_world *w);
void mrct_player_free(struct mrct_player *p);

/* A whole frame that the device sent on a plane. */
void mrct_player_input(struct mrct_player *p, uint64_t now_ns, unsigned plane, const uint8_t *bytes,
                       size_t len);
/* Completions, receives and errors of the device's QPs; the others are passed over. */
void mrct_player_event(struct mrct_player *p, uint64_t now_ns, const struct mrc_ep_event *ev);
/* The next frame, if one is due, and a port of planes_free is what it leaves by: returns that
 * plane. -1: none. The payload stays where it is until the player is freed. */
int mrct_player_output(struct mrct_player *p, uint64_t now_ns, uint64_t planes_free,
                       struct mrc_frame *out);
uint64_t mrct_player_deadline(const struct mrct_player *p); /* MRC_TIME_NEVER: none */
void mrct_player_tick(struct mrct_player *p, uint64_t now_ns);
/* Calls of the device's application that are due, in the order of the script: how many of the
 * script's lines POST_WRITE, POST_RECV, SET_MPR and SHORTAGE so far. */
size_t mrct_player_calls(const struct mrct_player *p);
/* Nothing further will happen: what has not come will not come. */
void mrct_player_end(struct mrct_player *p, uint64_t now_ns);

enum mrct_player_state {
    MRCT_PLAYER_PLAYING,
    MRCT_PLAYER_DONE,    /* the script came true to its last line */
    MRCT_PLAYER_FAILED,  /* the device did not do what a line says */
    MRCT_PLAYER_UNCLEAR, /* the preamble failed, or something could not be looked at */
    MRCT_PLAYER_BROKEN,  /* the script asks for what cannot be built; no memory */
};
enum mrct_player_state mrct_player_state(const struct mrct_player *p);

/* Why it did not come true. Strings live as long as the player; "" where there is nothing. */
struct mrct_player_why {
    const char *words; /* one sentence with file and line */
    const char *due;   /* the script's line, "FILE:LINE: < SACK cack 5" */
    const char *came;  /* what came instead, in the same notation */
};
void mrct_player_why(const struct mrct_player *p, struct mrct_player_why *why);

/*
 * What the script's writes may have left in the device's region: for each byte of `now` (len bytes
 * from the region's start) that is one a valid packet carried there, that value goes to `want`.
 */
void mrct_player_lay(const struct mrct_player *p, const uint8_t *now, uint8_t *want, size_t len);

#endif
