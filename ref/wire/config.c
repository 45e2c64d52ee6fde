/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/wire/pkt.h"

#include <string.h>

void mrc_wire_config_default(struct mrc_wire_config *cfg)
{
    memset(cfg, 0, sizeof *cfg);
    cfg->udp_ports[0] = MRC_UDP_PORT_ROCEV2;
    cfg->udp_ports[1] = MRC_UDP_PORT_PRINTED;
    cfg->udp_port_count = 2;
    cfg->dscp[MRC_DSCP_NO_TRIM] = MRC_DSCP_DEFAULT_NO_TRIM;
    cfg->dscp[MRC_DSCP_TRIMMABLE] = MRC_DSCP_DEFAULT_TRIMMABLE;
    cfg->dscp[MRC_DSCP_TRIMMABLE_RETX] = MRC_DSCP_DEFAULT_TRIMMABLE_RETX;
    cfg->dscp[MRC_DSCP_TRIMMED] = MRC_DSCP_DEFAULT_TRIMMED;
    cfg->dscp[MRC_DSCP_TRIMMED_LASTHOP] = MRC_DSCP_DEFAULT_TRIMMED_LASTHOP;
    cfg->dscp[MRC_DSCP_CONTROL] = MRC_DSCP_DEFAULT_CONTROL;
    cfg->q3_ev = 'a';
    cfg->q6_icrc = 'a';
}

static const char *const error_strings[MRC_WIRE_ERRORS] = {
    [MRC_WIRE_OK] = "ok",
    [MRC_WIRE_NOT_MRC] = "not MRC",
    [MRC_WIRE_CUT] = "cut short",
    [MRC_WIRE_SHORT_BTH] = "truncated BTH",
    [MRC_WIRE_SHORT_METH] = "truncated METH",
    [MRC_WIRE_SHORT_TSETH] = "truncated TSETH",
    [MRC_WIRE_SHORT_RETH] = "truncated RETH",
    [MRC_WIRE_SHORT_IMMDT] = "truncated ImmDt",
    [MRC_WIRE_SHORT_AETH] = "truncated AETH",
    [MRC_WIRE_SHORT_SETH] = "truncated SETH",
    [MRC_WIRE_SHORT_CC_STATE] = "truncated CC_STATE",
    [MRC_WIRE_SHORT_NETH] = "truncated NETH",
    [MRC_WIRE_SHORT_PETH] = "truncated PETH",
    [MRC_WIRE_SHORT_ERTH] = "truncated ERTH",
    [MRC_WIRE_SHORT_EETH] = "truncated EETH",
    [MRC_WIRE_BAD_TVER] = "transport version",
    [MRC_WIRE_BAD_OPCODE] = "opcode",
    [MRC_WIRE_BAD_PAD] = "pad longer than payload",
    [MRC_WIRE_BAD_UDP_LEN] = "UDP length beyond the IP payload",
    [MRC_WIRE_BAD_ICRC] = "icrc",
    [MRC_WIRE_BAD_UDP_SHORT] = "UDP length short of the IP payload",
};

const char *mrc_wire_error_str(enum mrc_wire_error e)
{
    return (unsigned)e < MRC_WIRE_ERRORS ? error_strings[e] : "unknown error";
}

uint32_t mrc_ev_from_fields(const struct mrc_wire_config *cfg, uint16_t src_port,
                            uint32_t flow_label, bool is_v6)
{
    const uint32_t port = src_port, label = is_v6 ? flow_label & 0xFFFFu : 0;
    return cfg->q3_ev == 'b' ? label << 16 | port : port << 16 | label;
}

void mrc_ev_to_fields(const struct mrc_wire_config *cfg, uint32_t ev, uint16_t *src_port,
                      uint32_t *flow_label)
{
    const uint16_t high = (uint16_t)(ev >> 16), low = (uint16_t)ev;
    *src_port = cfg->q3_ev == 'b' ? low : high;
    *flow_label = cfg->q3_ev == 'b' ? high : low;
}
