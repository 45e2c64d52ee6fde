/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/dut/manifest.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const top_keys[] = {
    "name",         "vendor", "version", "firmware",       "agent", "ports",
    "capabilities", "pics",   "pixit",   "known_failures", NULL};
static const char *const agent_keys[] = {"command", "address", "patience", NULL};
static const char *const port_keys[] = {"plane", "interface", "ip", "mac", NULL};

bool mrct_manifest_name_ok(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const size_t len = strlen(name);
    return len > 0 && len <= 40 && strspn(name, letters) == len && name[0] != '.' &&
           name[0] != '-' && strstr(name, "--") == NULL;
}

/* ---- durations: "500ms", "10s" ---- */

static bool duration(const char *text, uint64_t *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}};
    char *end = NULL;
    errno = 0;
    const double v = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (errno == 0 && end != text && strcmp(end, units[i].name) == 0 && v > 0 &&
            v * units[i].ns >= 1e6 && v * units[i].ns <= 3600e9) {
            *ns = (uint64_t)(v * units[i].ns);
            return true;
        }
    }
    return false;
}

/* ---- agent ---- */

static int take_command(struct mrct_manifest *m, yaml_node_t *node)
{
    const char *const line = mrc_yaml_text(node);
    if (line != NULL && line[0] != '\0') {
        m->command[0] = "/bin/sh";
        m->command[1] = "-c";
        m->command[2] = line;
        return 0;
    }
    const size_t n = node->type == YAML_SEQUENCE_NODE ? mrc_yaml_count(node) : 0;
    if (n == 0 || n > MRCT_MANIFEST_ARGS_MAX) {
        return mrc_yaml_fail(&m->yaml, node,
                             "command: a line for the shell, or a list of at most %u words, was "
                             "expected",
                             MRCT_MANIFEST_ARGS_MAX);
    }
    for (size_t i = 0; i < n; i++) {
        m->command[i] = mrc_yaml_text(mrc_yaml_item(&m->yaml, node, i));
        if (m->command[i] == NULL) {
            return mrc_yaml_fail(&m->yaml, node, "command: word %zu is no text", i + 1);
        }
    }
    return 0;
}

static int take_address(struct mrct_manifest *m, yaml_node_t *node)
{
    const char *const text = mrc_yaml_text(node);
    const char *const colon = text != NULL ? strrchr(text, ':') : NULL;
    if (colon == NULL || colon == text || colon[1] == '\0') {
        return mrc_yaml_fail(&m->yaml, node, "address: 'HOST:PORT' was expected");
    }
    m->address = text;
    return 0;
}

static int take_agent(struct mrct_manifest *m, yaml_node_t *root)
{
    yaml_node_t *const agent = mrc_yaml_get(&m->yaml, root, "agent");
    if (agent == NULL) {
        return mrc_yaml_fail(&m->yaml, root,
                             "agent: is missing; it says how the device is reached");
    }
    if (mrc_yaml_only_keys(&m->yaml, agent, agent_keys) != 0) {
        return -1;
    }
    yaml_node_t *const command = mrc_yaml_get(&m->yaml, agent, "command");
    yaml_node_t *const address = mrc_yaml_get(&m->yaml, agent, "address");
    if ((command == NULL) == (address == NULL)) {
        return mrc_yaml_fail(&m->yaml, agent, "agent: either 'command' or 'address' was expected");
    }
    yaml_node_t *const patience = mrc_yaml_get(&m->yaml, agent, "patience");
    const char *const text = mrc_yaml_text(patience);
    m->patience_ns = MRCT_PATIENCE_NS;
    if (patience != NULL && (text == NULL || !duration(text, &m->patience_ns))) {
        return mrc_yaml_fail(&m->yaml, patience,
                             "patience: a time of 1ms to 60m was expected, such as 500ms or 10s");
    }
    m->exclusive = address != NULL;
    return command != NULL ? take_command(m, command) : take_address(m, address);
}

/* ---- ports ---- */

static int take_ip(struct mrct_manifest *m, const yaml_node_t *node, struct mrct_manifest_port *p)
{
    const char *const text = mrc_yaml_text(node);
    p->has_addr = true;
    if (text != NULL && inet_pton(AF_INET, text, p->addr.ip) == 1) {
        return 0;
    }
    p->addr.is_v6 = true;
    if (text != NULL && inet_pton(AF_INET6, text, p->addr.ip) == 1) {
        return 0;
    }
    return mrc_yaml_fail(&m->yaml, node, "ip: '%s' is no address", text != NULL ? text : "");
}

static int take_mac(struct mrct_manifest *m, const yaml_node_t *node, struct mrct_manifest_port *p)
{
    const char *const text = mrc_yaml_text(node);
    struct ether_addr mac;
    if (text == NULL || strlen(text) != 17 || ether_aton_r(text, &mac) == NULL) {
        return mrc_yaml_fail(&m->yaml, node, "mac: '02:00:00:00:00:01' was expected");
    }
    memcpy(p->addr.mac, mac.ether_addr_octet, sizeof p->addr.mac);
    return 0;
}

static int take_port(struct mrct_manifest *m, yaml_node_t *node)
{
    struct mrct_manifest_port *const p = &m->ports[m->port_count];
    uint64_t plane = 0;
    if (mrc_yaml_only_keys(&m->yaml, node, port_keys) != 0 ||
        mrc_yaml_get_u64(&m->yaml, node, "plane", true, 0, MRC_EP_PORTS_MAX - 1, &plane) != 0 ||
        mrc_yaml_get_text(&m->yaml, node, "interface", false, &p->interface) != 0) {
        return -1;
    }
    p->plane = (unsigned)plane;
    for (unsigned i = 0; i < m->port_count; i++) {
        if (m->ports[i].plane == p->plane) {
            return mrc_yaml_fail(&m->yaml, node, "ports: plane %u stands there twice", p->plane);
        }
    }
    const yaml_node_t *const ip = mrc_yaml_get(&m->yaml, node, "ip");
    const yaml_node_t *const mac = mrc_yaml_get(&m->yaml, node, "mac");
    if ((ip != NULL && take_ip(m, ip, p) != 0) || (mac != NULL && take_mac(m, mac, p) != 0)) {
        return -1;
    }
    m->port_count++;
    return 0;
}

static int take_ports(struct mrct_manifest *m, yaml_node_t *root)
{
    yaml_node_t *const ports = mrc_yaml_get(&m->yaml, root, "ports");
    const size_t n = mrc_yaml_count(ports);
    if (ports == NULL) {
        return 0;
    }
    if (ports->type != YAML_SEQUENCE_NODE || n == 0 || n > MRC_EP_PORTS_MAX) {
        return mrc_yaml_fail(&m->yaml, ports, "ports: a list of 1 to %u was expected",
                             MRC_EP_PORTS_MAX);
    }
    m->exclusive = true;
    for (size_t i = 0; i < n; i++) {
        if (take_port(m, mrc_yaml_item(&m->yaml, ports, i)) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- what it claims ---- */

static int take_capabilities(struct mrct_manifest *m, yaml_node_t *root)
{
    yaml_node_t *const list = mrc_yaml_get(&m->yaml, root, "capabilities");
    const size_t n = mrc_yaml_count(list);
    if (list == NULL) {
        return 0;
    }
    if (list->type != YAML_SEQUENCE_NODE || n > MRCT_MANIFEST_CAPS_MAX) {
        return mrc_yaml_fail(&m->yaml, list, "capabilities: a list of at most %u was expected",
                             MRCT_MANIFEST_CAPS_MAX);
    }
    m->has_capabilities = true;
    for (size_t i = 0; i < n; i++) {
        const yaml_node_t *const node = mrc_yaml_item(&m->yaml, list, i);
        const char *const text = mrc_yaml_text(node);
        if (text == NULL || text[0] == '\0') {
            return mrc_yaml_fail(&m->yaml, node, "capabilities: a name was expected");
        }
        if (mrct_manifest_claims(m, text)) {
            return mrc_yaml_fail(&m->yaml, node, "capabilities: '%s' stands there twice", text);
        }
        m->capability_lines[m->capability_count] = mrc_yaml_line(node);
        m->capabilities[m->capability_count++] = text;
    }
    return 0;
}

bool mrct_manifest_claims(const struct mrct_manifest *m, const char *capability)
{
    for (unsigned i = 0; i < m->capability_count; i++) {
        if (strcmp(m->capabilities[i], capability) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- the whole ---- */

static int take_names(struct mrct_manifest *m, yaml_node_t *root)
{
    if (mrc_yaml_get_text(&m->yaml, root, "name", true, &m->name) != 0 ||
        mrc_yaml_get_text(&m->yaml, root, "vendor", false, &m->vendor) != 0 ||
        mrc_yaml_get_text(&m->yaml, root, "version", false, &m->version) != 0 ||
        mrc_yaml_get_text(&m->yaml, root, "firmware", false, &m->firmware) != 0) {
        return -1;
    }
    m->version = m->version != NULL ? m->version : "";
    m->firmware = m->firmware != NULL ? m->firmware : "";
    if (!mrct_manifest_name_ok(m->name)) {
        return mrc_yaml_fail(&m->yaml, mrc_yaml_get(&m->yaml, root, "name"),
                             "name: 1 to 40 letters, digits, '.', '_' and '-' were expected, "
                             "beginning with a letter or digit and without '--'");
    }
    return 0;
}

static int take_all(struct mrct_manifest *m)
{
    yaml_node_t *const root = mrc_yaml_root(&m->yaml);
    if (root->type != YAML_MAPPING_NODE) {
        return mrc_yaml_fail(&m->yaml, root, "a map was expected: name, agent, ...");
    }
    if (mrc_yaml_only_keys(&m->yaml, root, top_keys) != 0 || take_names(m, root) != 0 ||
        take_agent(m, root) != 0 || take_ports(m, root) != 0) {
        return -1;
    }
    return take_capabilities(m, root);
}

static char *folder_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    if (slash == NULL) {
        return strdup(".");
    }
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

int mrct_manifest_load(struct mrct_manifest *m, const char *path, char *err, size_t err_cap)
{
    *m = (struct mrct_manifest){.path = strdup(path), .folder = folder_of(path)};
    int rc = -1;
    if (m->path == NULL || m->folder == NULL) {
        (void)snprintf(err, err_cap, "%s: out of memory", path);
    } else {
        rc = mrc_yaml_load(&m->yaml, m->path);
        rc = rc == 0 ? take_all(m) : rc;
        (void)snprintf(err, err_cap, "%s", m->yaml.err);
    }
    if (rc != 0) {
        mrct_manifest_fini(m);
    }
    return rc;
}

void mrct_manifest_fini(struct mrct_manifest *m)
{
    mrc_yaml_fini(&m->yaml);
    free(m->path);
    free(m->folder);
    m->path = NULL;
    m->folder = NULL;
}

yaml_node_t *mrct_manifest_section(struct mrct_manifest *m, const char *key)
{
    return mrc_yaml_get(&m->yaml, mrc_yaml_root(&m->yaml), key);
}
