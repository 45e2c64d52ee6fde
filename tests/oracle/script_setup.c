/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known before a script begins. */
#include "tests/oracle/stage.h"
#include <check.h>
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t at;
} int_facts[] = {
    {"mpr", offsetof(struct mrct_fact_qp, mpr)},
    {"dynamic_mpr", offsetof(struct mrct_fact_qp, dynamic_mpr)},
    {"trim_nack", offsetof(struct mrct_fact_qp, trim_nack)},
    {"svc_time", offsetof(struct mrct_fact_qp, svc_time)},
    {"max_wimm", offsetof(struct mrct_fact_qp, max_wimm)},
    {"timeout", offsetof(struct mrct_fact_qp, timeout)},
    {"linear_cnt", offsetof(struct mrct_fact_qp, linear_cnt)},
    {"exp_cnt", offsetof(struct mrct_fact_qp, exp_cnt)},
    {"ev_min_active", offsetof(struct mrct_fact_qp, ev_min_active)},
};

static int fact(const char *value)
{
    return *value == '?' ? MRCT_UNKNOWN : (int)strtol(value, NULL, 10);
}

static bool set_fact(struct stage *g, const struct word *w)
{
    struct mrct_fact_qp *const q = talk_qp(&g->t);
    const char *v;
    for (size_t i = 0; i < sizeof int_facts / sizeof int_facts[0]; i++) {
        if ((v = stage_value(w, int_facts[i].name)) != NULL) {
            const int n = fact(v);
            memcpy((char *)q + int_facts[i].at, &n, sizeof n);
            return true;
        }
    }
    if ((v = stage_value(w, "qpn")) != NULL)
        q->qpn = fact(v);
    else if ((v = stage_value(w, "peer_qpn")) != NULL)
        q->peer_qpn = fact(v);
    else if ((v = stage_value(w, "sack_threshold")) != NULL)
        q->sack_threshold = *v == '?' ? MRCT_UNKNOWN : strtol(v, NULL, 10);
    else if ((v = stage_value(w, "mtu")) != NULL)
        g->t.facts.path_mtu = fact(v);
    else if ((v = stage_value(w, "synced")) != NULL)
        q->start_psn = *v == '0' ? MRCT_UNKNOWN : q->start_psn;
    else if ((v = stage_value(w, "dscp")) != NULL)
        g->t.facts.have_dscp = *v != '0';
    else
        return false;
    return true;
}

static bool set_config(struct stage *g, const struct word *w)
{
    struct mrct_oracle_config *const c = &g->t.cfg;
    const char *v;
    if ((v = stage_value(w, "tap")) != NULL)
        c->tap = *v == 'q' ? MRCT_TAP_REQUESTOR : *v == 'r' ? MRCT_TAP_RESPONDER : MRCT_TAP_MIDDLE;
    else if ((v = stage_value(w, "events")) != NULL)
        c->have_events = *v != '0';
    else if ((v = stage_value(w, "complete")) != NULL)
        c->complete = *v != '0';
    else if ((v = stage_value(w, "pace")) != NULL)
        c->own_pace = *v != '0';
    else if ((v = stage_value(w, "strict")) != NULL)
        c->strict = *v != '0';
    else if ((v = stage_value(w, "facts")) != NULL)
        c->facts = *v != '0' ? c->facts : NULL;
    else if ((v = stage_value(w, "reaction")) != NULL)
        c->reaction_ns = stage_ns(g, v);
    else if ((v = stage_value(w, "err")) != NULL)
        g->err_ns = stage_ns(g, v);
    else if ((v = stage_value(w, "begin")) != NULL)
        g->t.now_ns = stage_ns(g, v);
    else if (w->at[0] == 'q' && isdigit((unsigned char)w->at[1]))
        c->reading[strtoul(w->at + 1, NULL, 10)] = w->at[w->len - 1];
    else
        return false;
    return true;
}

void stage_address(bool asker, unsigned plane, uint8_t ip[16])
{
    memset(ip, 0, 16);
    ip[0] = 0xfd;
    ip[1] = asker ? 1 : 2;
    ip[15] = (uint8_t)plane; /* the first is talk.c's own */
}

static bool set_planes(struct stage *g, const struct word *w)
{
    const char *const v = stage_value(w, "planes");
    if (v == NULL)
        return false;
    const unsigned planes = (unsigned)strtoul(v, NULL, 10);
    for (int host = 0; host < 2 && planes == 0; host++)
        g->t.facts.hosts[host].addrs[0].plane = MRCT_UNKNOWN;
    for (unsigned p = 1; p < planes; p++)
        for (int host = 0; host < 2; host++) {
            uint8_t ip[16];
            stage_address(host == 0, p, ip);
            ck_assert_int_eq(mrct_facts_add_addr(&g->t.facts, host, true, ip, (int)p), 0);
        }
    return true;
}

/* The QP's other direction, of which the answerer is the requestor; or another QP. */
static bool set_second(struct stage *g, const struct word *w)
{
    const bool both = stage_value(w, "both") != NULL;
    if (!both && stage_value(w, "two") == NULL)
        return false;
    struct mrct_fact_qp *const q = mrct_facts_add_qp(&g->t.facts, both, !both);
    ck_assert_ptr_nonnull(q);
    q->qpn = both ? TALK_PEER_QPN : TALK_ASKER_QPN + 1;
    q->peer_qpn = both ? TALK_ASKER_QPN : TALK_PEER_QPN + 1;
    q->start_psn = g->start;
    return true;
}

void stage_set_up(struct stage *g, const struct script *s, uint32_t start)
{
    const size_t used = g->next < STAGE_PSNS ? g->next : STAGE_PSNS;
    memset(g->sent, 0, used * sizeof g->sent[0]); /* of the script before */
    memset(g->got, 0, sizeof g->got);
    memset(g->ends, 0, sizeof g->ends);
    memset(g->probe, 0, sizeof g->probe);
    g->waited = false;
    g->err_ns = g->bytes = 0;
    g->msn = g->rqmsn = 0;
    g->again = g->next = 0;
    talk_init(&g->t);
    g->s = s;
    g->start = start;
    talk_qp(&g->t)->start_psn = start;
    talk_qp(&g->t)->sack_threshold = 1 << 30;
    const char *p = s->setup;
    for (struct word w; stage_word(&p, ' ', &w);)
        if (!set_fact(g, &w) && !set_config(g, &w) && !set_planes(g, &w) && !set_second(g, &w))
            stage_bad_word(g, &w);
    g->begin_ns = g->next_ns = g->t.now_ns;
    talk_begin(&g->t);
}
/* ---- times ---- */

uint64_t stage_ns(const struct stage *g, const char *p)
{
    int64_t sum = 0;
    for (bool more = true; more;) {
        const int sign = *p == '-' ? -1 : 1;
        p += *p == '-' || *p == '+';
        char *end;
        int64_t n = strtol(p, &end, 10);
        n = end == p ? 1 : n;
        const int timeout = g->t.facts.qps[0].timeout;
        if (*end == 'T')
            n *= INT64_C(1024) << (timeout < 0 ? TALK_TIMEOUT : timeout);
        else if (*end == 'R')
            n *= (int64_t)g->t.cfg.reaction_ns;
        p = end + (*end == 'T' || *end == 'R');
        sum += sign * n;
        more = *p == '-' || *p == '+';
    }
    return (uint64_t)sum;
}
