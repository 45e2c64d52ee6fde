/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The manifest of a device under test, a YAML file of its vendor's: who it is, how its agent is
 * reached, its ports, what it claims to implement (PICS), the lab's parameters (PIXIT) and the
 * failures that are known. Format: docs/reference/agent-protocol.md.
 *
 * The sections pics, pixit and known_failures are kept as they stand, for those who evaluate them.
 */
#ifndef MRCT_DUT_MANIFEST_H
#define MRCT_DUT_MANIFEST_H

#include "ref/endpoint/mrc_ep.h"
#include "spec/load/yaml_util.h"

#define MRCT_MANIFEST_CAPS_MAX 32u
#define MRCT_MANIFEST_ARGS_MAX 64u
/* How long an agent may take for an answer when nothing else is said, ns of real time. */
#define MRCT_PATIENCE_NS UINT64_C(10000000000)

struct mrct_manifest_port {
    unsigned plane;        /* from 0; each once */
    const char *interface; /* of this machine, towards the device; or NULL */
    bool has_addr;
    struct mrc_addr addr; /* the device's on this plane */
};

/* All strings live until mrct_manifest_fini(). */
struct mrct_manifest {
    struct mrc_yaml yaml;
    char *path;                     /* as given */
    char *folder;                   /* where it lies: the agent is started there */
    const char *name;               /* letters, digits, '.', '_' and '-'; at most 40 */
    const char *vendor;             /* or NULL */
    const char *version, *firmware; /* "" when not told */
    const char *command[MRCT_MANIFEST_ARGS_MAX + 1]; /* NULL-terminated; [0] NULL: by address */
    const char *address;  /* "HOST:PORT" of an agent that runs already, or NULL */
    uint64_t patience_ns; /* for one answer, real time; 1 ms .. 1 h */
    bool exclusive;       /* one session at a time: it has an address or ports of its own */
    struct mrct_manifest_port ports[MRC_EP_PORTS_MAX];
    unsigned port_count;
    bool has_capabilities;                                /* false: what the agent's hello says */
    const char *capabilities[MRCT_MANIFEST_CAPS_MAX + 1]; /* NULL-terminated */
    int capability_lines[MRCT_MANIFEST_CAPS_MAX];
    unsigned capability_count;
};

/*
 * Reads the file. Returns 0, or -1 with one sentence "FILE:LINE: ..." in err and nothing to free.
 * Names of capabilities are not looked up: the caller knows those that cases ask for.
 */
int mrct_manifest_load(struct mrct_manifest *m, const char *path, char *err, size_t err_cap);
void mrct_manifest_fini(struct mrct_manifest *m);

/* A section that is evaluated elsewhere: "pics", "pixit", "known_failures"; NULL: not there. Errors
 * in it are told with mrc_yaml_fail(&m->yaml, ...). */
yaml_node_t *mrct_manifest_section(struct mrct_manifest *m, const char *key);

bool mrct_manifest_claims(const struct mrct_manifest *m, const char *capability);

/* True for a name that may stand in a file name and in a table: see name above. */
bool mrct_manifest_name_ok(const char *name);

#endif
