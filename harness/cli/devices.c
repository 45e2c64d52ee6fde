/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/devices.h"

#include <string.h>
#include <unistd.h>

static const char deviant_prefix[] = "deviant:";

static struct mrct_dut *make(const struct mrct_dut_source *s, const char *case_id, unsigned host,
                             const struct mrc_ep_config *cfg, uint64_t seed,
                             enum mrct_dut_trouble *trouble, char *words, size_t cap)
{
    struct mrct_device *const d = s->user;
    *trouble = MRCT_DUT_FINE;
    if (!d->has_manifest)
        return d->deviant != NULL ? d->deviant->make(cfg, seed) : mrct_dut_reference(cfg, seed);
    if (mrct_device_begin(d, host, words, cap) != 0) {
        *trouble = MRCT_DUT_BROKEN;
        return NULL;
    }
    int error = 0;
    const struct mrct_agent_case c = {
        .case_id = case_id, .host = host, .live = d->live, .cfg = cfg, .seed = seed};
    struct mrct_dut *const dut = mrct_agent_begin(d->session[host], d->name, &c, &error);
    if (dut == NULL) {
        *trouble = error == MRCT_AGENT_UNSUPPORTED ? MRCT_DUT_UNSUPPORTED : MRCT_DUT_BROKEN;
        (void)snprintf(words, cap, "%s", mrct_agent_why(d->session[host]));
    }
    return dut;
}

int mrct_device_open(struct mrct_device *d, const char *text, char *err, size_t err_cap)
{
    *d = (struct mrct_device){.text = text};
    d->source = (struct mrct_dut_source){.name = d->name, .make = make, .user = d};
    (void)snprintf(d->name, sizeof d->name, "%s", text);
    if (strcmp(text, "reference") == 0)
        return 0;
    if (strncmp(text, deviant_prefix, sizeof deviant_prefix - 1) == 0) {
        const char *const name = text + sizeof deviant_prefix - 1;
        d->deviant = mrct_deviant_find(name);
        (void)snprintf(d->name, sizeof d->name, "%s", name);
        (void)snprintf(err, err_cap, "there is no deviant '%s'", name);
        return d->deviant != NULL ? 0 : -1;
    }
    if (strchr(text, '/') == NULL && strchr(text, '.') == NULL && access(text, R_OK) != 0) {
        (void)snprintf(err, err_cap,
                       "'%s' is no device: reference, deviant:NAME, or the file of a manifest",
                       text);
        return -1;
    }
    if (mrct_manifest_load(&d->manifest, text, err, err_cap) != 0)
        return -1;
    d->has_manifest = true;
    (void)snprintf(d->name, sizeof d->name, "%s", d->manifest.name);
    return 0;
}

void mrct_device_end(struct mrct_device *d, unsigned host)
{
    mrct_agent_free(d->session[host]);
    d->session[host] = NULL;
}

void mrct_device_close(struct mrct_device *d)
{
    mrct_device_end(d, 0);
    mrct_device_end(d, 1);
    if (d->has_manifest)
        mrct_manifest_fini(&d->manifest);
    d->has_manifest = false;
}

static struct mrct_agent_io *reach(const struct mrct_device *d, unsigned host, char *err,
                                   size_t err_cap)
{
    const struct mrct_manifest *const m = &d->manifest;
    if (m->address != NULL)
        return mrct_agent_connect(m->address, m->patience_ns, err, err_cap);
    if (d->log[host] != NULL)
        (void)fflush(d->log[host]);
    return mrct_agent_spawn(m->command, m->folder, d->log[host] != NULL ? fileno(d->log[host]) : -1,
                            m->patience_ns, err, err_cap);
}

int mrct_device_begin(struct mrct_device *d, unsigned host, char *err, size_t err_cap)
{
    if (!d->has_manifest || (d->session[host] != NULL && !mrct_agent_broken(d->session[host])))
        return 0;
    mrct_device_end(d, host);
    struct mrct_agent_io *const io = reach(d, host, err, err_cap);
    d->session[host] = io != NULL ? mrct_agent_new(io) : NULL;
    if (d->session[host] == NULL)
        return -1;
    mrct_agent_log(d->session[host], d->log[host]);
    if (mrct_agent_hello(d->session[host], &d->hello) == 0)
        return 0;
    (void)snprintf(err, err_cap, "%s", mrct_agent_why(d->session[host]));
    mrct_device_end(d, host);
    return -1;
}

static bool listed(const char *const *all, const char *name)
{
    while (*all != NULL && strcmp(*all, name) != 0)
        all++;
    return *all != NULL;
}

/* Every plane from 0 on has an interface that leads to the device. */
static bool has_ways(const struct mrct_device *d, char *err, size_t err_cap)
{
    const struct mrct_manifest *const m = &d->manifest;
    for (unsigned p = 0; p < m->port_count; p++)
        if (mrct_device_way(d, p) == NULL) {
            (void)snprintf(err, err_cap, "%s: ports: no interface leads to plane %u", m->path, p);
            return false;
        }
    if (m->port_count == 0)
        (void)snprintf(err, err_cap, "%s: no ports: nothing leads to the device", m->path);
    return m->port_count > 0;
}

const char *mrct_device_way(const struct mrct_device *d, unsigned plane)
{
    for (unsigned i = 0; i < d->manifest.port_count; i++)
        if (d->manifest.ports[i].plane == plane)
            return d->manifest.ports[i].interface;
    return NULL;
}

int mrct_device_ready(struct mrct_device *d, const char *const *all, char *err, size_t err_cap)
{
    const struct mrct_manifest *const m = &d->manifest;
    char why[500];
    if (!d->has_manifest)
        return 0;
    for (unsigned i = 0; i < m->capability_count; i++) {
        if (!listed(all, m->capabilities[i])) {
            (void)snprintf(err, err_cap, "%s:%d: capabilities: '%s' is none that cases ask for",
                           m->path, m->capability_lines[i], m->capabilities[i]);
            return -1;
        }
    }
    if (mrct_device_begin(d, 0, why, sizeof why) != 0) {
        (void)snprintf(err, err_cap, "the agent of %s: %s", d->name, why);
        return -1;
    }
    if (d->live && !has_ways(d, err, err_cap))
        return -1;
    if (d->live && !d->hello.live) {
        (void)snprintf(err, err_cap, "%s cannot be judged live: its agent has no ports", d->name);
        return -1;
    }
    if (!d->live && !d->hello.virtual_time) {
        (void)snprintf(err, err_cap, "%s cannot be judged in virtual time: its agent is live only",
                       d->name);
        return -1;
    }
    for (unsigned i = 0; i < m->capability_count; i++) {
        if (!mrct_agent_claims(&d->hello, m->capabilities[i])) {
            (void)snprintf(err, err_cap,
                           "%s:%d: capabilities: '%s' is claimed here and not by the agent",
                           m->path, m->capability_lines[i], m->capabilities[i]);
            return -1;
        }
    }
    return 0;
}

static bool declares(const struct mrct_device *d, const char *capability)
{
    if (!d->has_manifest)
        return true;
    return d->manifest.has_capabilities ? mrct_manifest_claims(&d->manifest, capability)
                                        : mrct_agent_claims(&d->hello, capability);
}

size_t mrct_device_lacks(const struct mrct_device *d, const char *const *all,
                         const char *lacks[MRCT_DEVICE_LACKS_MAX + 1])
{
    size_t n = 0;
    for (; *all != NULL && n < MRCT_DEVICE_LACKS_MAX; all++)
        if (!declares(d, *all))
            lacks[n++] = *all;
    lacks[n] = NULL;
    return n;
}
