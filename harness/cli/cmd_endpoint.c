/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mrct endpoint: the reference endpoint on real interfaces. Both sides say hello over TCP, look for
 * their neighbours, connect their QPs, say "ready" with the memory that may be written, write, look
 * at what came ("checked"), and say "bye" when they owe nothing more. They stay until both did, so
 * that late packets are still answered.
 */
#include "harness/cli/endpoint.h"

#include "ref/endpoint/cc.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void mrct_live_finish(struct mrct_live *l, int status, const char *fmt, ...)
{
    va_list ap;
    if (l->over)
        return;
    l->over = true;
    l->status = status;
    va_start(ap, fmt);
    vsnprintf(l->why, sizeof l->why, fmt, ap);
    va_end(ap);
    if (status != MRCT_EXIT_PASS)
        mrct_live_talk_say(&l->talk, json_pack("{s:s,s:s}", "type", "failed", "why", l->why));
    ev_break(l->loop, EVBREAK_ALL);
}

static void say_type(struct mrct_live *l, const char *type)
{
    mrct_live_talk_say(&l->talk, json_pack("{s:s}", "type", type));
}

void mrct_live_progress(struct mrct_live *l)
{
    if (l->over)
        return;
    if (l->phase == MRCT_LIVE_RUN && l->in.on && !l->in.checked &&
        l->in.done == l->in.load.messages) {
        mrct_live_check_in(l);
        if (l->over)
            return;
        mrct_live_talk_say(
            &l->talk, json_pack("{s:s,s:I}", "type", "checked", "wrong", (json_int_t)l->in.wrong));
        if (l->in.wrong > 0)
            mrct_live_finish(l, MRCT_EXIT_FAIL, "what arrived is not what was sent");
    }
    if (l->phase == MRCT_LIVE_RUN &&
        (!l->out.on || (l->out.checked && l->out.done == l->out.load.messages)) &&
        (!l->in.on || l->in.checked)) {
        l->phase = MRCT_LIVE_BYE;
        say_type(l, "bye");
    }
    if (l->phase == MRCT_LIVE_BYE && l->peer_bye)
        mrct_live_finish(l, MRCT_EXIT_PASS, "%s", "");
}

/* ---- from hello to ready ---- */

/* Either side may be ready first. */
static void run_when_ready(struct mrct_live *l)
{
    if (l->phase != MRCT_LIVE_READY || !l->peer_ready)
        return;
    l->phase = MRCT_LIVE_RUN;
    mrct_live_begin(l);
}

static void say_ready(struct mrct_live *l)
{
    for (unsigned q = 0; q < l->opt.qps; q++) {
        const int e = mrc_qp_connect(l->ep, l->qpn[q], &l->peers[q]);
        if (e != MRC_EP_OK) {
            mrct_live_finish(l, MRCT_EXIT_HARNESS, "QP %u cannot be connected: %s", l->qpn[q],
                             mrc_ep_strerror(e));
            return;
        }
    }
    if (!mrct_live_prepare_in(l)) {
        mrct_live_finish(l, MRCT_EXIT_HARNESS, "no memory for what the peer sends");
        return;
    }
    if (l->opt.facts_file != NULL && mrct_live_facts(l) != 0) {
        mrct_live_finish(l, MRCT_EXIT_USAGE, "%s: %s", l->opt.facts_file, strerror(errno));
        return;
    }
    l->phase = MRCT_LIVE_READY;
    mrct_live_talk_say(&l->talk,
                       json_pack("{s:s,s:I,s:I}", "type", "ready", "va", (json_int_t)l->in.mr.va,
                                 "rkey", (json_int_t)l->in.mr.rkey));
    run_when_ready(l);
}

static void set_mac(struct mrct_live *l, unsigned port, const struct mrc_addr *a)
{
    for (unsigned q = 0; q < l->opt.qps; q++)
        memcpy(l->peers[q].addr[port].mac, a->mac, sizeof a->mac);
}

static void on_neighbour(void *user, unsigned port, const struct mrc_addr *addr, bool found)
{
    struct mrct_live *const l = user;
    char text[46];
    if (l->over || l->phase != MRCT_LIVE_RESOLVE)
        return;
    if (!found) {
        mrct_live_finish(l, MRCT_EXIT_FAIL, "%s: nobody answers for %s", l->opt.names[port],
                         mrc_net_addr_str(addr, text));
        return;
    }
    struct mrc_addr a = *addr;
    mrc_net_node_lookup(l->node, port, &a);
    set_mac(l, port, &a);
    if (--l->unresolved == 0)
        say_ready(l);
    mrct_live_progress(l);
}

static void resolve(struct mrct_live *l)
{
    l->phase = MRCT_LIVE_RESOLVE;
    l->unresolved = 1;
    for (unsigned i = 0; i < l->opt.port_count; i++) {
        struct mrc_addr a = l->peers[0].addr[i];
        if (mrc_net_node_lookup(l->node, i, &a))
            set_mac(l, i, &a);
        else
            l->unresolved++;
    }
    if (--l->unresolved == 0)
        say_ready(l);
}

static void take_hello(struct mrct_live *l, const json_t *o)
{
    char err[200];
    if (mrct_live_take_hello(l, o, err, sizeof err))
        resolve(l);
    else
        mrct_live_finish(l, MRCT_EXIT_USAGE, "%s", err);
}

static void take_ready(struct mrct_live *l, const json_t *o)
{
    const json_t *const va = json_object_get(o, "va"), *const rkey = json_object_get(o, "rkey");
    if (!json_is_integer(va) || !json_is_integer(rkey) || json_integer_value(rkey) < 0 ||
        json_integer_value(rkey) > UINT32_MAX) {
        mrct_live_finish(l, MRCT_EXIT_USAGE, "the peer's 'ready' has no va and rkey");
        return;
    }
    l->out.va = (uint64_t)json_integer_value(va);
    l->out.rkey = (uint32_t)json_integer_value(rkey);
    l->peer_ready = true;
    run_when_ready(l);
}

static void take_checked(struct mrct_live *l, const json_t *o)
{
    const json_t *const wrong = json_object_get(o, "wrong");
    if (!json_is_integer(wrong) || json_integer_value(wrong) != 0)
        mrct_live_finish(l, MRCT_EXIT_FAIL, "the peer found wrong what arrived");
    else
        l->out.checked = true;
}

static void take_bye(struct mrct_live *l, const json_t *o)
{
    (void)o;
    l->peer_bye = true;
}

static void take_failed(struct mrct_live *l, const json_t *o)
{
    const char *const why = json_string_value(json_object_get(o, "why"));
    mrct_live_finish(l, MRCT_EXIT_FAIL, "the peer gave up: %s", why == NULL ? "?" : why);
}

#define IN(phase) (1u << (phase))
static const struct {
    const char *type;
    unsigned phases; /* when it may come */
    void (*take)(struct mrct_live *l, const json_t *o);
} lines[] = {
    {"hello", IN(MRCT_LIVE_HELLO), take_hello},
    {"ready", IN(MRCT_LIVE_READY) | IN(MRCT_LIVE_RESOLVE), take_ready},
    {"checked", IN(MRCT_LIVE_RUN), take_checked},
    {"bye", IN(MRCT_LIVE_RUN) | IN(MRCT_LIVE_BYE), take_bye},
    {"failed", ~0u, take_failed},
};

static void on_line(void *user, const json_t *o)
{
    struct mrct_live *const l = user;
    const char *const type = json_string_value(json_object_get(o, "type"));
    for (size_t i = 0; !l->over && i < sizeof lines / sizeof lines[0]; i++) {
        if (type == NULL || strcmp(type, lines[i].type) != 0)
            continue;
        if ((lines[i].phases & IN(l->phase)) == 0)
            mrct_live_finish(l, MRCT_EXIT_USAGE, "the peer said '%s' out of turn", type);
        else
            lines[i].take(l, o);
        mrct_live_progress(l);
        return;
    }
    mrct_live_finish(l, MRCT_EXIT_USAGE, "the peer's line has no 'type' that this side knows");
}

static void on_open(void *user)
{
    struct mrct_live *const l = user;
    mrct_live_talk_say(&l->talk, mrct_live_hello(l));
}

static void on_close(void *user, const char *why)
{
    mrct_live_finish(user, MRCT_EXIT_FAIL, "the peer is gone: %s", why);
}

static void on_signal(struct ev_loop *loop, ev_signal *w, int revents)
{
    struct mrct_live *const l = w->data;
    (void)loop;
    (void)revents;
    l->stopped = true;
    mrct_live_finish(l, MRCT_EXIT_INCONCLUSIVE, "stopped by a signal");
}

/* ---- setting up ---- */

static uint64_t draw(uint64_t *x)
{
    *x += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = (*x ^ (*x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static void set_attr(const struct mrct_live *l, struct mrc_qp_attr *a, struct mrc_ev *evs,
                     const struct mrc_cc_profile *cc, uint64_t *x)
{
    const struct mrct_live_options *const o = &l->opt;
    mrc_qp_attr_default(a);
    for (unsigned i = 0; i < o->evs; i++) {
        const uint64_t r = draw(x);
        const unsigned port = i % o->port_count;
        evs[i].port = (uint8_t)port;
        evs[i].value = mrc_ev_from_fields(&l->node_cfg.ep.wire, (uint16_t)(0xC000u | (r & 0x3FFFu)),
                                          (uint32_t)(r >> 32) & 0xFFFFu,
                                          mrc_net_node_addr(l->node, port)->is_v6);
    }
    a->evs = evs;
    a->ev_count = (unsigned)o->evs;
    a->start_psn = (uint32_t)draw(x) & 0xFFFFFFu;
    a->mpr_dest = MRCT_LIVE_MPR;
    a->max_wimm_dest = MRCT_LIVE_WIMM;
    a->timeout = (uint8_t)o->timeout;
    a->cwnd_bytes = (uint32_t)o->window_bytes;
    a->cc = o->nscc ? cc : NULL;
}

static bool make_qps(struct mrct_live *l)
{
    struct mrc_ev *const evs = calloc(l->opt.evs, sizeof *evs);
    struct mrc_cc_profile cc;
    struct mrc_qp_attr attr;
    uint64_t x = l->opt.seed ^ (l->opt.listen != NULL ? UINT64_C(0x5EED) << 32 : 0);
    mrc_cc_profile_default(&cc);
    cc.trimming = false;
    for (unsigned q = 0; evs != NULL && q < l->opt.qps; q++) {
        set_attr(l, &attr, evs, &cc, &x);
        const int64_t qpn = mrc_qp_create(l->ep, &attr);
        if (qpn < 0) {
            mrct_cli_fail("endpoint", "QP %u: %s", q, mrc_ep_strerror((int)qpn));
            free(evs);
            return false;
        }
        l->qpn[q] = (uint32_t)qpn;
        l->start_psn[q] = attr.start_psn;
        l->out.next[q] = l->in.next[q] = q;
    }
    free(evs);
    return evs != NULL;
}

static void add_udp_port(struct mrc_wire_config *w, uint16_t port)
{
    for (unsigned i = 0; i < w->udp_port_count; i++)
        if (w->udp_ports[i] == port)
            return;
    w->udp_ports[w->udp_port_count++] = port;
}

/* Planes are read in turns, and so are the queues of a host's cores: order says little of loss. */
#define REORDER_PSN 256u

static bool make_node(struct mrct_live *l, char *err, size_t cap)
{
    struct mrc_net_node_config *const c = &l->node_cfg;
    const struct mrct_live_options *const o = &l->opt;
    mrc_ep_config_default(&c->ep);
    c->ep.qps_max = (unsigned)o->qps;
    c->ep.mrs_max = 1;
    c->ep.path_mtu = (uint16_t)o->mtu;
    c->ep.dest_port = (uint16_t)o->udp_port;
    c->ep.reorder_margin_psn = REORDER_PSN;
    add_udp_port(&c->ep.wire, (uint16_t)o->udp_port);
    /* A timestamp is worth something where round trips are measured. */
    c->ep.send_tseth = c->ep.ecn_capable = o->nscc;
    c->seed = o->seed;
    c->ports = o->port_count;
    memcpy(c->port, o->ports, sizeof c->port);
    c->busy_poll_us = (uint32_t)o->busy_poll_us;
    c->rx_slots = (uint32_t)o->ring;
    c->qdisc_bypass = o->bypass;
    c->on_event = mrct_live_event;
    c->on_neighbour = on_neighbour;
    c->user = l;
    l->node = mrc_net_node_new(l->loop, c, err, cap);
    if (l->node == NULL)
        return false;
    l->ep = mrc_net_node_ep(l->node);
    for (unsigned i = 0; i < o->neighbour_count; i++)
        for (unsigned p = 0; p < o->port_count; p++)
            mrc_net_node_fix_neighbour(l->node, p, &o->neighbours[i]);
    return true;
}

/* Headers around a payload: IPv6, UDP, BTH, METH, TSETH, RETH, ImmDt, ICRC. */
#define HEADERS_MAX 92u

static bool mtu_fits(const struct mrct_live *l, char *err, size_t cap)
{
    for (unsigned i = 0; i < l->opt.port_count; i++) {
        const struct mrc_net_link *const k = mrc_net_port_link(mrc_net_node_port(l->node, i));
        if (k->mtu >= l->opt.mtu + HEADERS_MAX)
            continue;
        snprintf(err, cap, "%s: an MTU of %u is too small for a path MTU of %u (--mtu): %u needed",
                 k->name, k->mtu, (unsigned)l->opt.mtu, (unsigned)l->opt.mtu + HEADERS_MAX);
        return false;
    }
    return true;
}

static bool make_tables(struct mrct_live *l)
{
    const size_t n = l->opt.qps;
    l->qpn = calloc(n, sizeof *l->qpn);
    l->start_psn = calloc(n, sizeof *l->start_psn);
    l->peers = calloc(n, sizeof *l->peers);
    l->out.next = calloc(n, sizeof *l->out.next);
    l->in.next = calloc(n, sizeof *l->in.next);
    l->out.posted_ns = calloc(n * l->opt.depth, sizeof *l->out.posted_ns);
    return l->qpn != NULL && l->start_psn != NULL && l->peers != NULL && l->out.next != NULL &&
           l->in.next != NULL && l->out.posted_ns != NULL;
}

static void set_signals(struct mrct_live *l)
{
    ev_signal_init(&l->on_int, on_signal, SIGINT);
    ev_signal_init(&l->on_term, on_signal, SIGTERM);
    l->on_int.data = l->on_term.data = l;
    ev_signal_start(l->loop, &l->on_int);
    ev_signal_start(l->loop, &l->on_term);
}

static int set_up(struct mrct_live *l)
{
    char err[256] = "";
    l->loop = ev_loop_new(EVFLAG_AUTO);
    if (l->loop == NULL || !make_tables(l)) {
        mrct_cli_fail("endpoint", "out of memory");
        return MRCT_EXIT_HARNESS;
    }
    l->talk = (struct mrct_live_talk){.loop = l->loop,
                                      .fd = -1,
                                      .listen_fd = -1,
                                      .on_open = on_open,
                                      .on_line = on_line,
                                      .on_close = on_close,
                                      .user = l};
    set_signals(l);
    if (!mrct_live_load_file(l, err, sizeof err) || !make_node(l, err, sizeof err) ||
        !mtu_fits(l, err, sizeof err))
        return mrct_cli_fail("endpoint", "%s", err);
    if (!make_qps(l))
        return MRCT_EXIT_HARNESS;
    if (mrct_live_talk_start(&l->talk, l->opt.listen, l->opt.connect, err, sizeof err) != 0)
        return mrct_cli_fail("endpoint", "%s", err);
    return MRCT_EXIT_PASS;
}

static void tear_down(struct mrct_live *l)
{
    if (l->loop != NULL)
        mrct_live_talk_end(&l->talk);
    mrc_net_node_free(l->node);
    if (l->loop != NULL)
        ev_loop_destroy(l->loop);
    if (l->in.mem != NULL)
        munmap(l->in.mem, l->in.room);
    if (l->file != NULL)
        munmap(l->file, l->file_len);
    free(l->out.pattern);
    free(l->in.pattern);
    free(l->out.next);
    free(l->in.next);
    free(l->out.posted_ns);
    free(l->qpn);
    free(l->start_psn);
    free(l->peers);
}

static int report(struct mrct_live *l)
{
    if (l->status != MRCT_EXIT_PASS)
        mrct_cli_fail("endpoint", "%s", l->why);
    mrct_live_warn(l);
    if (l->opt.json)
        mrct_live_json(l, stdout);
    else
        mrct_live_text(l, stdout);
    if (fflush(stdout) == 0)
        return l->status;
    mrct_cli_fail("endpoint", "standard output: write error");
    return MRCT_EXIT_HARNESS;
}

int mrct_cmd_endpoint(int argc, char **argv)
{
    struct mrct_live *const l = calloc(1, sizeof *l);
    if (l == NULL)
        return MRCT_EXIT_HARNESS;
    int status = mrct_live_command_line(&l->opt, argc, argv);
    if (status == MRCT_CLI_END) {
        status = set_up(l);
        if (status == MRCT_EXIT_PASS) {
            ev_run(l->loop, 0);
            status = report(l);
        }
        tear_down(l);
    } else {
        status = status == MRCT_CLI_HELP ? MRCT_EXIT_PASS : MRCT_EXIT_USAGE;
    }
    free(l);
    return status;
}
