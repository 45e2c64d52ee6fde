/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a requestor used its EVs for, as its own tap shows, and what it was told of them: marks,
 * NACKs, answers to probes, and the ports that its peer reports down.
 */
#ifndef MRCT_ORACLE_PATH_H
#define MRCT_ORACLE_PATH_H

#include "harness/oracle/reqr.h"

#define PATH_EVS    1024u /* followed at most; a power of two */
#define PATH_PLANES 16u

/* What a report says of an EV that makes the rotation pass over it once. */
enum path_sign { PATH_MARK, PATH_TRIM, PATH_SIGNS };

struct path_ev {
    bool used;
    uint32_t ev;
    int plane;            /* MRCT_UNKNOWN: the address stands in no fact */
    uint64_t uses;        /* requests sent by it, first sendings and others */
    uint64_t last_use;    /* number of the newest of them among all requests, from 1 */
    uint64_t named_at;    /* requests sent when a NACK named it that says nothing of it */
    uint64_t named_frame; /* of that NACK; 0: none */
    uint64_t signs[PATH_SIGNS];
    uint64_t base[PATH_SIGNS]; /* uses when the watch began */
    bool bad;                  /* told ALWAYS_SKIP, and no probe was answered since */
    bool probed;               /* a probe left by it since */
    uint64_t bad_ns, bad_frame;
    bool late; /* a packet timed out on it, and no probe was answered since */
    bool late_probed;
    uint64_t late_ns, late_frame;
    uint64_t late_total;  /* requests sent until then */
    uint64_t answered_ns; /* last answer to a probe by it; 0: none */
};

/* An EV that its controller denied, whether it was ever used or not. */
struct path_denied {
    uint32_t ev;
    int plane;
    uint64_t ns;
};
#define PATH_DENIED 32u

/* A probe was answered by an EV, whatever the EV was used for. */
struct path_answer {
    uint32_t ev;
    uint64_t ns;
};
#define PATH_ANSWERS 64u

/* The first EV that a sign named, and how it was used while signs kept coming. */
struct path_watch {
    bool set; /* there was a sign */
    uint32_t ev;
    int plane;
    uint64_t first_ns;
    bool begun;     /* the reaction time after the first is over */
    uint64_t signs; /* since then */
    uint64_t until; /* requests sent by it at the newest of them */
    uint64_t frame; /* of the newest */
};

struct path_model {
    struct path_ev *evs; /* hash table; NULL: not at the requestor's tap */
    uint32_t cap;        /* its slots, a power of two */
    unsigned ev_count;
    bool full; /* there were more */
    uint64_t total;
    uint64_t total_on[PATH_PLANES];
    unsigned evs_on[PATH_PLANES];
    unsigned planes;    /* that both hosts have an address on, by the facts */
    bool plane_unknown; /* a request left by an address without a plane */
    uint64_t repeats;   /* requests by the EV of the one before */
    uint64_t repeats_on[PATH_PLANES];
    uint32_t last_ev;
    bool probe_between; /* a probe has left since, and may have had its turn */
    unsigned bad_count;
    struct path_ev
        *silent; /* EV of the sending that timed out, when the request at hand is sent for it */
    unsigned late_count; /* timed-out EVs that no probe was answered on since */
    uint64_t restored;   /* bad ones that a probe brought back */

    /* Signs that may move an EV out of the rotation. */
    bool any_again, any_loss; /* sent again; and for another reason than a NACK */
    bool any_mark, any_trim, any_always, any_nack;
    struct path_watch watch[PATH_SIGNS];

    struct path_answer answers[PATH_ANSWERS]; /* the newest, a ring */
    uint64_t answer_count;

    bool controlled; /* a controller changed EVs, or an own port went down or up */
    struct path_denied denied[PATH_DENIED];
    unsigned denied_count; /* more than PATH_DENIED: the rest is not followed */
    uint32_t own_down;     /* own ports that are down: bits of planes */
    uint64_t port_ns;      /* one of them went down or up last; 0: never */
    uint64_t told_own_ns;  /* the peer was last told of the own ports; 0: never */

    /* Ports that the peer reported: bits of planes. */
    bool told_ports;
    uint32_t down;     /* down under any reading of Q10 */
    uint32_t was_down; /* some time before */
    uint64_t told_ns, told_frame;
    uint64_t since_told; /* requests sent more than the reaction time after that */
    uint64_t since_on[PATH_PLANES];
};

/* The entry of an EV by a plane; NULL: none. */
struct path_ev *mrct_path_find(const struct path_model *m, uint32_t ev, int plane);
/* A probe by the EV was answered since, on this QP or on another between the same hosts, which may
 * share the EV's state with it (Q25). */
bool mrct_path_answered(const struct look *l, uint32_t ev, uint64_t since_ns);
/* f, or what became of its EVs, is of the flow at hand: they may share a profile (Q25 b). */
bool mrct_path_shares(const struct look *l, const struct flow *f);
/* The plane that the request at hand leaves by; MRCT_UNKNOWN. */
int mrct_path_plane(const struct look *l);

#endif
