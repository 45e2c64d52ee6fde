/* SPDX-License-Identifier: BSD-2-Clause */
/* A case's script in its run: the world it is played in, and what it came to. */
#include "harness/cases/run_priv.h"

#include <string.h>

#define LIVE_SLACK_NS 5000000u /* sockets and schedulers are late now and then */

static const uint8_t *write_bytes(void *run, uint64_t n, uint32_t *len_bytes)
{
    const struct mrct_run *const r = run;
    if (n < 1 || n > r->write_count) {
        return NULL;
    }
    *len_bytes = r->writes[n - 1].size;
    return r->writes[n - 1].src;
}

static uint64_t slack_ns(const struct mrct_run_stage *stage)
{
    if (stage == NULL) {
        return 0;
    }
    return stage->slack_ns > 0 ? stage->slack_ns : LIVE_SLACK_NS;
}

static uint32_t wrong_rkey(const struct mrct_run_memory *m)
{
    uint32_t wrong = m->target.rkey ^ 0x005A5A5Au;
    while (wrong == m->read_only.rkey || wrong == m->target.rkey) {
        wrong++;
    }
    return wrong;
}

/* A device behind an agent has its memory elsewhere. */
static bool fetch(void *user, unsigned host, uint64_t first, uint64_t len)
{
    struct mrct_run *const r = user;
    struct mrct_run_node *const n = &r->node[host];
    return n->dut->ops->fetch == NULL || n->dut->ops->fetch(n->dut, n->mem.target.mem + first,
                                                            n->mem.target.va + first, len) == 0;
}

static void fill_host(const struct mrct_run *r, unsigned h, struct mrct_script_world *w)
{
    const struct mrct_run_node *const n = &r->node[h];
    for (unsigned p = 0; p < w->planes; p++) {
        mrct_run_address(r, h, p, &w->addr[h][p]);
    }
    for (unsigned q = 0; q < w->qps; q++) {
        w->qpn[h][q] = n->qp[q].qpn;
        w->start_psn[h][q] = n->qp[q].start_psn;
    }
    w->evs[h] = n->evs;
    w->evs_per_plane[h] = r->c->host[h].evs;
    w->target[h] = n->mem.target;
    w->read_only[h] = n->mem.read_only;
    w->before[h] = n->mem.before + MRCT_RUN_GUARD;
}

int mrct_run_script_setup(struct mrct_run *r)
{
    if (r->c->script == NULL) {
        return 0;
    }
    const unsigned host = mrct_case_scripted_host(r->c);
    const struct mrct_case_host *const h = &r->c->host[host];
    struct mrct_script_world w = {
        .wire = r->wire,
        .file = r->c->file,
        .host = host,
        .planes = r->c->fabric.planes,
        .qps = r->c->qps,
        .wrong_rkey = wrong_rkey(&r->node[1 - host].mem),
        .path_mtu = h->path_mtu,
        .dest_port = h->dest_port,
        .vlan = h->vlan,
        .vlan_tci = MRCT_RUN_VLAN_TCI,
        .tseth = h->tseth,
        .ecn = h->ecn,
        .trimmable = h->trimmable,
        .mpr = (uint8_t)(h->dynamic_mpr && r->c->host[1 - host].dynamic_mpr ? h->mpr : 0),
        .slack_ns = slack_ns(r->cfg->stage),
        .seed = mrct_rng_next(&r->rng),
        .write_bytes = write_bytes,
        .fetch = fetch,
        .user = r,
    };
    fill_host(r, 0, &w);
    fill_host(r, 1, &w);
    r->player = mrct_player_new(r->c->script, &w);
    if (r->player == NULL) {
        return mrct_run_fault(r, "no memory for the script's player");
    }
    mrct_scripted_set(r->node[host].dut, r->player);
    return 0;
}

static const char *keep(struct mrct_run *r, const char *s)
{
    return s[0] != '\0' ? mrct_pool_strdup(r->pool, s) : NULL;
}

void mrct_run_script_end(struct mrct_run *r, uint64_t now_ns, struct mrct_result_case *out)
{
    if (r->player == NULL) {
        return;
    }
    mrct_player_end(r->player, now_ns);
    struct mrct_player_why why;
    mrct_player_why(r->player, &why);
    switch (mrct_player_state(r->player)) {
    case MRCT_PLAYER_PLAYING:
    case MRCT_PLAYER_DONE:
        return;
    case MRCT_PLAYER_FAILED:
        r->tally.script_failed = why.words;
        break;
    case MRCT_PLAYER_UNCLEAR:
        r->tally.script_unclear = why.words;
        break;
    case MRCT_PLAYER_BROKEN:
        (void)mrct_run_fault(r, "%s", why.words);
        break;
    }
    out->due = keep(r, why.due);
    out->came = keep(r, why.came);
}
