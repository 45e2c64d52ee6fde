/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices by what a command line calls them: reference, deviant:NAME, or the file of a manifest. */
#ifndef MRCT_CLI_DEVICES_H
#define MRCT_CLI_DEVICES_H

#include "harness/deviant/deviant.h"
#include "harness/dut/agent.h"
#include "harness/dut/manifest.h"

#include <stdio.h>

/* A device, and the sessions with its agent: one for each host that it plays at a time. */
struct mrct_device {
    const char *text;                   /* as given */
    char name[64];                      /* for tables: "reference", "no-sack-on-ce", "acme-1" */
    const struct mrct_deviant *deviant; /* or NULL */
    bool has_manifest;
    bool live; /* it is used by ports of its own; of devices with a manifest */
    struct mrct_manifest manifest;
    struct mrct_agent_hello hello; /* of the latest session */
    struct mrct_agent *session[2];
    FILE *log[2];                  /* of the sessions, and of the agents' standard error; or NULL */
    struct mrct_dut_source source; /* the two hosts' devices come from here */
};

/* Finds out what text means and reads a manifest. 0, or -1 with a sentence. */
int mrct_device_open(struct mrct_device *d, const char *text, char *err, size_t err_cap);
void mrct_device_close(struct mrct_device *d); /* ends the sessions too */

/* Begins the session of a host (0, 1), unless it is there and whole: starts the agent or connects
 * to it, and says hello. 0, or -1 with a sentence. Built-in devices need none. */
int mrct_device_begin(struct mrct_device *d, unsigned host, char *err, size_t err_cap);
void mrct_device_end(struct mrct_device *d, unsigned host);

/* Begins the first session and sees that the device can be judged in virtual time, or live by the
 * ports of its manifest, and that its manifest claims nothing unknown and nothing that its agent
 * does not. 0, or -1 with a sentence. */
int mrct_device_ready(struct mrct_device *d, const char *const *all, char *err, size_t err_cap);

/* The interface of this machine that leads to the device's port on a plane, or NULL. */
const char *mrct_device_way(const struct mrct_device *d, unsigned plane);

/* Capability names that the device does not declare, into lacks (NULL-terminated). Built-in ones
 * declare all. Needs a session when the manifest is silent. */
#define MRCT_DEVICE_LACKS_MAX 32u
size_t mrct_device_lacks(const struct mrct_device *d, const char *const *all,
                         const char *lacks[MRCT_DEVICE_LACKS_MAX + 1]);

#endif
