/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of the script and of the wire, in both directions. */
#include "harness/cases/script_priv.h"

#include <string.h>

unsigned mrct_play_flow_host(unsigned from, int opcode)
{
    const bool answer = opcode == MRC_OP_SACK || opcode == MRC_OP_NACK || opcode == MRC_OP_ACK;
    return answer ? 1 - from : from;
}

int mrct_play_qp_of(const struct mrct_player *p, unsigned host, uint32_t qpn)
{
    for (unsigned i = 0; i < p->w.qps; i++) {
        if (p->w.qpn[host][i] == qpn) {
            return (int)i;
        }
    }
    return -1;
}

static bool is_field(const struct mrct_script_item *i, const char *name)
{
    return i->kind == MRCT_ITEM_FIELD && strcmp(i->field->name, name) == 0;
}

unsigned mrct_play_line_qp(const struct mrct_script_line *line)
{
    for (size_t i = 0; i < line->item_count; i++) {
        const struct mrct_script_item *const it = &line->items[i];
        if (it->map == MRCT_MAP_QP && (it->kind == MRCT_ITEM_QP || is_field(it, "bth.dest_qp"))) {
            return (unsigned)it->lo - 1;
        }
    }
    return 0;
}

int64_t mrct_play_last(const struct mrct_player *p, unsigned from, int opcode, unsigned qp)
{
    const struct mrct_play_qp *const q = &p->qp[qp];
    return mrct_play_flow_host(from, opcode) == p->w.host ? q->next_psn - 1 : q->seen_last;
}

/* ---- from the script to the wire ---- */

static bool sender_field(const struct mrct_script_item *i)
{
    return i->field != NULL && strstr(i->field->name, "spdcid") != NULL;
}

static bool qp_value(const struct mrct_player *p, const struct mrct_script_item *i, unsigned from,
                     int64_t number, uint64_t *value)
{
    const unsigned host = sender_field(i) ? from : 1 - from;
    const uint32_t qpn = p->w.qpn[host][number - 1];
    *value = i->field != NULL && i->field->bit_width == 16 ? qpn & 0xFFFFu : qpn;
    return true;
}

/* Plane of an EV: its own, or the line's. */
static unsigned ev_plane(const struct mrct_script_line *line, const struct mrct_script_item *i)
{
    return i->plane >= 0 ? (unsigned)i->plane : mrct_play_plane(line);
}

static unsigned ev_host(const struct mrct_script_item *i, unsigned from)
{
    return i->kind == MRCT_ITEM_EV ? from : 1 - from;
}

static bool ev_value(const struct mrct_player *p, const struct mrct_script_line *line,
                     const struct mrct_script_item *i, unsigned from, int64_t number,
                     uint64_t *value)
{
    const unsigned host = ev_host(i, from);
    const unsigned n = p->w.evs_per_plane[host];
    if (p->w.evs[host] == NULL || number >= (int64_t)n) {
        return false;
    }
    *value = p->w.evs[host][ev_plane(line, i) * n + (unsigned)number].value;
    return true;
}

/* The region that an address of the line is in. */
static const struct mrc_mr *region_of(const struct mrct_player *p,
                                      const struct mrct_script_line *line, unsigned owner)
{
    for (size_t i = 0; i < line->item_count; i++) {
        if (line->items[i].map == MRCT_MAP_RKEY && line->items[i].lo == 2) {
            return &p->w.read_only[owner];
        }
    }
    return &p->w.target[owner];
}

static uint32_t rkey_value(const struct mrct_player *p, unsigned owner, int64_t number)
{
    return number == 1   ? p->w.target[owner].rkey
           : number == 2 ? p->w.read_only[owner].rkey
                         : p->w.wrong_rkey;
}

int64_t mrct_play_step(const struct mrct_script_line *line, const struct mrct_script_item *i,
                       uint32_t k)
{
    const bool single = line->name == MRC_OP_WRITE_ONLY || line->name == MRC_OP_WRITE_ONLY_IMM;
    const bool counts =
        is_field(i, "bth.psn") || is_field(i, "peth.probe_id") || is_field(i, "seth.probe_id") ||
        (single &&
         (is_field(i, "meth.msn") || is_field(i, "meth.rqmsn") || is_field(i, "immdt.imm")));
    return counts ? (int64_t)k : 0;
}

bool mrct_play_value(struct mrct_player *p, const struct mrct_script_line *line,
                     const struct mrct_script_item *i, unsigned from, int64_t number, uint32_t k,
                     uint64_t *value)
{
    const unsigned qp = mrct_play_line_qp(line);
    const unsigned flow = mrct_play_flow_host(from, line->name);
    const int32_t step = (int32_t)mrct_play_step(line, i, k);
    switch (i->map) {
    case MRCT_MAP_LITERAL:
        *value = (uint64_t)(number + step);
        return true;
    case MRCT_MAP_PSN:
        *value = mrc_psn_add(p->w.start_psn[flow][qp], (int32_t)number + step);
        return true;
    case MRCT_MAP_PSN_LAST:
        *value = mrc_psn_add(p->w.start_psn[flow][qp],
                             (int32_t)(mrct_play_last(p, from, line->name, qp) + number));
        return true;
    case MRCT_MAP_QP:
        return qp_value(p, i, from, number, value);
    case MRCT_MAP_EV:
        return ev_value(p, line, i, from, number, value);
    case MRCT_MAP_VA:
        *value = region_of(p, line, 1 - from)->va + (uint64_t)number;
        return true;
    case MRCT_MAP_VA_END: {
        const struct mrc_mr *const mr = region_of(p, line, 1 - from);
        *value = mr->va + mr->len_bytes + (uint64_t)number;
        return true;
    }
    case MRCT_MAP_RKEY:
        *value = rkey_value(p, 1 - from, number);
        return true;
    case MRCT_MAP_VAR:
        *value = p->var[i->var];
        return p->bound[i->var];
    }
    return false;
}

/* ---- from the wire to the script ---- */

static bool ev_number(const struct mrct_player *p, const struct mrct_script_line *line,
                      const struct mrct_script_item *i, unsigned from, uint64_t value,
                      int64_t *number)
{
    const unsigned host = ev_host(i, from);
    const unsigned n = p->w.evs_per_plane[host];
    for (unsigned k = 0; p->w.evs[host] != NULL && k < n; k++) {
        if (p->w.evs[host][ev_plane(line, i) * n + k].value == value) {
            *number = k;
            return true;
        }
    }
    return false;
}

static bool qp_number(const struct mrct_player *p, const struct mrct_script_item *i, unsigned from,
                      uint64_t value, int64_t *number)
{
    const unsigned host = sender_field(i) ? from : 1 - from;
    const bool low = i->field != NULL && i->field->bit_width == 16;
    for (unsigned k = 0; k < p->w.qps; k++) {
        const uint32_t qpn = p->w.qpn[host][k];
        if ((low ? qpn & 0xFFFFu : qpn) == value) {
            *number = k + 1;
            return true;
        }
    }
    return false;
}

static bool rkey_number(const struct mrct_player *p, unsigned owner, uint64_t value,
                        int64_t *number)
{
    *number = value == p->w.target[owner].rkey ? 1 : value == p->w.read_only[owner].rkey ? 2 : 3;
    return true;
}

bool mrct_play_number(const struct mrct_player *p, const struct mrct_script_line *line,
                      const struct mrct_script_item *i, const struct mrct_rx *rx, uint64_t value,
                      int64_t *number)
{
    const unsigned from = mrct_play_device(p);
    const int qp = mrct_play_qp_of(p, 1 - from, rx->pkt.bth.dest_qp);
    const unsigned q = qp >= 0 ? (unsigned)qp : mrct_play_line_qp(line);
    const uint32_t base = p->w.start_psn[mrct_play_flow_host(from, rx->name)][q];
    const struct mrc_mr *const mr = region_of(p, line, 1 - from);
    switch (i->map) {
    case MRCT_MAP_PSN:
        *number = mrc_psn_diff((uint32_t)value, base);
        return true;
    case MRCT_MAP_PSN_LAST:
        *number = mrc_psn_diff((uint32_t)value, base) - mrct_play_last(p, from, rx->name, q);
        return true;
    case MRCT_MAP_QP:
        return qp_number(p, i, from, value, number);
    case MRCT_MAP_EV:
        return ev_number(p, line, i, from, value, number);
    case MRCT_MAP_VA:
        *number = (int64_t)(value - mr->va);
        return true;
    case MRCT_MAP_VA_END:
        *number = (int64_t)(value - mr->va - mr->len_bytes);
        return true;
    case MRCT_MAP_RKEY:
        return rkey_number(p, 1 - from, value, number);
    case MRCT_MAP_LITERAL:
    case MRCT_MAP_VAR:
        break;
    }
    *number = (int64_t)value;
    return true;
}
