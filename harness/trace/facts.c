/* SPDX-License-Identifier: BSD-2-Clause */
/* The facts file, in and out. */
#include "harness/trace/facts.h"

#include "spec/load/yaml_util.h"
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const tap_names[] = {
    [MRCT_TAP_MIDDLE] = "middle",
    [MRCT_TAP_REQUESTOR] = "requestor",
    [MRCT_TAP_RESPONDER] = "responder",
};

static const char *const dscp_names[MRC_DSCP_CLASSES] = {
    [MRC_DSCP_NO_TRIM] = "no_trim",
    [MRC_DSCP_TRIMMABLE] = "trimmable",
    [MRC_DSCP_TRIMMABLE_RETX] = "trimmable_retx",
    [MRC_DSCP_TRIMMED] = "trimmed",
    [MRC_DSCP_TRIMMED_LASTHOP] = "trimmed_lasthop",
    [MRC_DSCP_CONTROL] = "control",
};

/* A fact of a QP that is a number: where it is kept and what values it takes. */
enum kind { KIND_INT, KIND_INT64, KIND_BOOL };
struct number {
    const char *key;
    enum kind kind;
    size_t offset;
    uint64_t max;
};
#define QP(member, kind, max)                                                                      \
    {                                                                                              \
#member, kind, offsetof(struct mrct_fact_qp, member), max                                  \
    }
static const struct number qp_numbers[] = {
    QP(qpn, KIND_INT64, 0xFFFFFF),       QP(peer_qpn, KIND_INT64, 0xFFFFFF),
    QP(start_psn, KIND_INT64, 0xFFFFFF), QP(mpr, KIND_INT, 255),
    QP(dynamic_mpr, KIND_BOOL, 1),       QP(max_wimm, KIND_INT, 65535),
    QP(trim_nack, KIND_BOOL, 1),         QP(svc_time, KIND_BOOL, 1),
    QP(timeout, KIND_INT, 24),           QP(linear_cnt, KIND_INT, 7),
    QP(exp_cnt, KIND_INT, 25),           QP(exp_ceiling_ns, KIND_INT64, UINT64_C(1000000000000000)),
    QP(ev_min_active, KIND_INT, 65535),  QP(sack_threshold, KIND_INT64, UINT32_MAX),
};
#undef QP
#define QP_NUMBERS (sizeof(qp_numbers) / sizeof(qp_numbers[0]))

bool mrct_tap_named(const char *name, enum mrct_tap *tap)
{
    for (size_t i = 0; i < sizeof(tap_names) / sizeof(tap_names[0]); i++) {
        if (strcmp(tap_names[i], name) == 0) {
            *tap = (enum mrct_tap)i;
            return true;
        }
    }
    return false;
}

const char *mrct_tap_str(enum mrct_tap tap)
{
    return tap_names[tap];
}

/* A key that stands there with no value says as much as one that does not. */
static bool no_value(const yaml_node_t *n)
{
    const char *const text = n == NULL ? "" : mrc_yaml_text(n);
    return text != NULL && (text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

static yaml_node_t *given(struct mrc_yaml *y, const yaml_node_t *map, const char *key)
{
    yaml_node_t *const n = mrc_yaml_get(y, map, key);
    return no_value(n) ? NULL : n;
}

/* The list of a key: 0 and *list (NULL when absent), or -1. */
static int get_list(struct mrc_yaml *y, const yaml_node_t *map, const char *key, yaml_node_t **list)
{
    *list = given(y, map, key);
    if (*list != NULL && (*list)->type != YAML_SEQUENCE_NODE)
        return mrc_yaml_fail(y, *list, "%s must be a list", key);
    return 0;
}

static int load_mtu(struct mrct_facts *f, struct mrc_yaml *y, const yaml_node_t *root)
{
    const yaml_node_t *const n = given(y, root, "path_mtu");
    uint64_t mtu;
    if (n == NULL)
        return 0;
    if (!mrc_yaml_u64(n, 256, 4096, &mtu) || (mtu & (mtu - 1)) != 0)
        return mrc_yaml_fail(y, n, "path_mtu must be 256, 512, 1024, 2048 or 4096");
    f->path_mtu = (int)mtu;
    return 0;
}

static int load_ports(struct mrct_facts *f, struct mrc_yaml *y, const yaml_node_t *root)
{
    yaml_node_t *list;
    if (get_list(y, root, "udp_ports", &list) != 0)
        return -1;
    if (list == NULL)
        return 0;
    const size_t count = mrc_yaml_count(list);
    if (count == 0 || count > MRC_UDP_PORTS_MAX)
        return mrc_yaml_fail(y, list, "udp_ports must list 1 to %u ports", MRC_UDP_PORTS_MAX);
    for (size_t i = 0; i < count; i++) {
        const yaml_node_t *const n = mrc_yaml_item(y, list, i);
        uint64_t port;
        if (!mrc_yaml_u64(n, 1, 65535, &port))
            return mrc_yaml_fail(y, n, "a UDP port must be 1 to 65535");
        f->wire.udp_ports[i] = (uint16_t)port;
    }
    f->wire.udp_port_count = (unsigned)count;
    f->have_ports = true;
    return 0;
}

static int load_dscp(struct mrct_facts *f, struct mrc_yaml *y, const yaml_node_t *root)
{
    const char *keys[MRC_DSCP_CLASSES + 1] = {NULL};
    const yaml_node_t *const map = given(y, root, "dscp");
    if (map == NULL)
        return 0;
    memcpy(keys, dscp_names, sizeof(dscp_names));
    if (mrc_yaml_only_keys(y, map, keys) != 0)
        return -1;
    for (size_t i = 0; i < MRC_DSCP_CLASSES; i++) {
        const yaml_node_t *const n = given(y, map, dscp_names[i]);
        uint64_t value;
        if (n == NULL)
            continue;
        if (!mrc_yaml_u64(n, 0, 63, &value))
            return mrc_yaml_fail(y, n, "dscp %s must be 0 to 63", dscp_names[i]);
        f->wire.dscp[i] = (uint8_t)value;
    }
    f->have_dscp = true;
    return 0;
}

static int load_tap(struct mrct_facts *f, struct mrc_yaml *y, const yaml_node_t *root)
{
    const yaml_node_t *const n = given(y, root, "tap");
    if (n == NULL)
        return 0;
    const char *const name = mrc_yaml_text(n);
    if (name == NULL || !mrct_tap_named(name, &f->tap))
        return mrc_yaml_fail(y, n, "tap must be requestor, responder or middle");
    f->have_tap = true;
    return 0;
}

/* An address is written "IP" or {ip: "IP", plane: N}. */
static int load_address(struct mrct_facts *f, int host, struct mrc_yaml *y, const yaml_node_t *n)
{
    static const char *const keys[] = {"ip", "plane", NULL};
    const yaml_node_t *ip_node = n;
    uint64_t plane = 0;
    bool have_plane = false;
    uint8_t ip[16] = {0};
    if (n->type == YAML_MAPPING_NODE) {
        if (mrc_yaml_only_keys(y, n, keys) != 0)
            return -1;
        ip_node = mrc_yaml_get(y, n, "ip");
        const yaml_node_t *const p = given(y, n, "plane");
        have_plane = p != NULL;
        if (have_plane && !mrc_yaml_u64(p, 0, 255, &plane))
            return mrc_yaml_fail(y, p, "plane must be 0 to 255");
    }
    const char *const text = ip_node == NULL ? NULL : mrc_yaml_text(ip_node);
    const bool v6 = text != NULL && inet_pton(AF_INET6, text, ip) == 1;
    if (!v6 && (text == NULL || inet_pton(AF_INET, text, ip) != 1))
        return mrc_yaml_fail(y, n, "an IPv4 or IPv6 address was expected");
    if (mrct_facts_add_addr(f, host, v6, ip, have_plane ? (int)plane : MRCT_UNKNOWN) != 0)
        return mrc_yaml_fail(y, n, "address %s stands here twice", text);
    return 0;
}

static int load_host(struct mrct_facts *f, size_t index, struct mrc_yaml *y, const yaml_node_t *map)
{
    static const char *const keys[] = {"name", "addresses", NULL};
    char unnamed[MRCT_HOST_NAME_MAX];
    const char *name;
    yaml_node_t *list;
    if (mrc_yaml_only_keys(y, map, keys) != 0 || get_list(y, map, "addresses", &list) != 0 ||
        mrc_yaml_get_text(y, map, "name", false, &name) != 0)
        return -1;
    if (name == NULL) {
        snprintf(unnamed, sizeof(unnamed), "host%zu", index + 1);
        name = unnamed;
    }
    const int host = mrct_facts_add_host(f, name);
    if (host < 0)
        return mrc_yaml_fail(y, map, "host name '%s' is empty, too long or taken", name);
    for (size_t i = 0; i < mrc_yaml_count(list); i++)
        if (load_address(f, host, y, mrc_yaml_item(y, list, i)) != 0)
            return -1;
    return 0;
}

static int load_number(struct mrct_fact_qp *qp, const struct number *d, struct mrc_yaml *y,
                       const yaml_node_t *n)
{
    char *const where = (char *)qp + d->offset;
    uint64_t value = 0;
    bool flag = false;
    if (d->kind == KIND_BOOL) {
        if (!mrc_yaml_bool(n, &flag))
            return mrc_yaml_fail(y, n, "%s must be true or false", d->key);
        value = flag ? 1 : 0;
    } else if (!mrc_yaml_u64(n, 0, d->max, &value)) {
        return mrc_yaml_fail(y, n, "%s must be a number of 0 to %" PRIu64, d->key, d->max);
    }
    if (d->kind == KIND_INT64)
        *(int64_t *)(void *)where = (int64_t)value;
    else
        *(int *)(void *)where = (int)value;
    return 0;
}

/* The host that a key names; MRCT_UNKNOWN when the key is absent. */
static int load_host_ref(const struct mrct_facts *f, struct mrc_yaml *y, const yaml_node_t *map,
                         const char *key, int *host)
{
    const yaml_node_t *const n = given(y, map, key);
    *host = MRCT_UNKNOWN;
    if (n == NULL)
        return 0;
    const char *const name = mrc_yaml_text(n);
    *host = name == NULL ? MRCT_UNKNOWN : mrct_facts_host_named(f, name);
    if (*host < 0)
        return mrc_yaml_fail(y, n, "%s is none of the hosts above", key);
    return 0;
}

/* Between two hosts, one end tells the other. */
static void infer_hosts(const struct mrct_facts *f, int *host, int *peer)
{
    if (f->host_count != 2)
        return;
    if (*host == MRCT_UNKNOWN && *peer != MRCT_UNKNOWN)
        *host = 1 - *peer;
    else if (*peer == MRCT_UNKNOWN && *host != MRCT_UNKNOWN)
        *peer = 1 - *host;
}

static int load_qp(struct mrct_facts *f, struct mrc_yaml *y, const yaml_node_t *map)
{
    const char *keys[QP_NUMBERS + 3] = {"host", "peer_host"};
    int host, peer;
    for (size_t i = 0; i < QP_NUMBERS; i++)
        keys[i + 2] = qp_numbers[i].key;
    if (mrc_yaml_only_keys(y, map, keys) != 0 || load_host_ref(f, y, map, "host", &host) != 0 ||
        load_host_ref(f, y, map, "peer_host", &peer) != 0)
        return -1;
    infer_hosts(f, &host, &peer);
    struct mrct_fact_qp *const qp = mrct_facts_add_qp(f, host, peer);
    if (qp == NULL)
        return mrc_yaml_fail(y, map, "out of memory");
    for (size_t i = 0; i < QP_NUMBERS; i++) {
        const yaml_node_t *const n = given(y, map, qp_numbers[i].key);
        if (n != NULL && load_number(qp, &qp_numbers[i], y, n) != 0)
            return -1;
    }
    if (host == MRCT_UNKNOWN || peer == MRCT_UNKNOWN)
        f->qp_count--; /* what belongs to nobody says nothing */
    return 0;
}

static int load_hosts_and_qps(struct mrct_facts *f, struct mrc_yaml *y, const yaml_node_t *root)
{
    yaml_node_t *hosts, *qps;
    if (get_list(y, root, "hosts", &hosts) != 0 || get_list(y, root, "qps", &qps) != 0)
        return -1;
    for (size_t i = 0; i < mrc_yaml_count(hosts); i++)
        if (load_host(f, i, y, mrc_yaml_item(y, hosts, i)) != 0)
            return -1;
    for (size_t i = 0; i < mrc_yaml_count(qps); i++)
        if (load_qp(f, y, mrc_yaml_item(y, qps, i)) != 0)
            return -1;
    return 0;
}

static int load_root(struct mrct_facts *f, struct mrc_yaml *y)
{
    static const char *const keys[] = {"path_mtu", "udp_ports", "dscp", "tap",
                                       "hosts",    "qps",       NULL};
    const yaml_node_t *const root = mrc_yaml_root(y);
    if (mrc_yaml_only_keys(y, root, keys) != 0 || load_mtu(f, y, root) != 0 ||
        load_ports(f, y, root) != 0 || load_dscp(f, y, root) != 0 || load_tap(f, y, root) != 0)
        return -1;
    return load_hosts_and_qps(f, y, root);
}

int mrct_facts_load(struct mrct_facts *f, const char *path, char *err, size_t err_cap)
{
    struct mrc_yaml y;
    int status = mrc_yaml_load(&y, path);
    if (status == 0)
        status = load_root(f, &y);
    if (status != 0)
        snprintf(err, err_cap, "%s", y.err);
    mrc_yaml_fini(&y);
    return status;
}

/* ---- out ---- */

static void write_address(const struct mrct_fact_addr *a, FILE *out)
{
    char text[INET6_ADDRSTRLEN] = "";
    inet_ntop(a->is_v6 ? AF_INET6 : AF_INET, a->ip, text, sizeof(text));
    if (a->plane == MRCT_UNKNOWN)
        fprintf(out, "\"%s\"", text);
    else
        fprintf(out, "{ip: \"%s\", plane: %d}", text, a->plane);
}

/* Names are written quoted: they may look like anything. */
static void write_name(const char *name, FILE *out)
{
    fputc('"', out);
    for (; *name != '\0'; name++) {
        if (*name == '"' || *name == '\\')
            fputc('\\', out);
        fputc(*name, out);
    }
    fputc('"', out);
}

static void write_host(const struct mrct_fact_host *h, FILE *out)
{
    fputs("  - {name: ", out);
    write_name(h->name, out);
    fputs(", addresses: [", out);
    for (size_t i = 0; i < h->addr_count; i++) {
        fputs(i == 0 ? "" : ", ", out);
        write_address(&h->addrs[i], out);
    }
    fputs("]}\n", out);
}

static int64_t number_of(const struct mrct_fact_qp *qp, const struct number *d)
{
    const char *const where = (const char *)qp + d->offset;
    if (d->kind == KIND_INT64)
        return *(const int64_t *)(const void *)where;
    return *(const int *)(const void *)where;
}

static void write_qp(const struct mrct_facts *f, const struct mrct_fact_qp *qp, FILE *out)
{
    fputs("  - {host: ", out);
    write_name(f->hosts[qp->host].name, out);
    fputs(", peer_host: ", out);
    write_name(f->hosts[qp->peer_host].name, out);
    for (size_t i = 0; i < QP_NUMBERS; i++) {
        const struct number *const d = &qp_numbers[i];
        const int64_t value = number_of(qp, d);
        if (value == MRCT_UNKNOWN)
            continue;
        if (d->kind == KIND_BOOL)
            fprintf(out, ", %s: %s", d->key, value != 0 ? "true" : "false");
        else
            fprintf(out, ", %s: %" PRId64, d->key, value);
    }
    fputs("}\n", out);
}

static void write_deployment(const struct mrct_facts *f, FILE *out)
{
    if (f->path_mtu != MRCT_UNKNOWN)
        fprintf(out, "path_mtu: %d\n", f->path_mtu);
    for (unsigned i = 0; f->have_ports && i < f->wire.udp_port_count; i++)
        fprintf(out, "%s%u", i == 0 ? "udp_ports: [" : ", ", f->wire.udp_ports[i]);
    fputs(f->have_ports ? "]\n" : "", out);
    for (size_t i = 0; f->have_dscp && i < MRC_DSCP_CLASSES; i++)
        fprintf(out, "%s%s: %u", i == 0 ? "dscp: {" : ", ", dscp_names[i], f->wire.dscp[i]);
    fputs(f->have_dscp ? "}\n" : "", out);
    if (f->have_tap)
        fprintf(out, "tap: %s\n", tap_names[f->tap]);
    if (f->path_mtu == MRCT_UNKNOWN && !f->have_ports && !f->have_dscp && !f->have_tap &&
        f->host_count == 0 && f->qp_count == 0)
        fputs("{}\n", out); /* a file with nothing in it would be no YAML document */
}

void mrct_facts_write(const struct mrct_facts *f, FILE *out)
{
    write_deployment(f, out);
    fputs(f->host_count > 0 ? "hosts:\n" : "", out);
    for (size_t i = 0; i < f->host_count; i++)
        write_host(&f->hosts[i], out);
    fputs(f->qp_count > 0 ? "qps:\n" : "", out);
    for (size_t i = 0; i < f->qp_count; i++)
        write_qp(f, &f->qps[i], out);
}
