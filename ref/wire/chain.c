/* SPDX-License-Identifier: BSD-2-Clause */
#include "ref/wire/chain.h"

size_t mrc_chain_decode_one(enum mrc_hdr_id id, const uint8_t *at, const uint8_t *end,
                            struct mrc_pkt *p)
{
    switch (id) {
    case MRC_HDR_ETH:
        return mrc_eth_decode(at, end, &p->eth);
    case MRC_HDR_VLAN:
        return mrc_vlan_decode(at, end, &p->vlan[0]);
    case MRC_HDR_IPV4:
        return mrc_ipv4_decode(at, end, &p->ip4);
    case MRC_HDR_IPV6:
        return mrc_ipv6_decode(at, end, &p->ip6);
    case MRC_HDR_SRH:
        return mrc_srh_decode(at, end, &p->srh);
    case MRC_HDR_UDP:
        return mrc_udp_decode(at, end, &p->udp);
    case MRC_HDR_BTH:
        return mrc_bth_decode(at, end, &p->bth);
    case MRC_HDR_METH:
        return mrc_meth_decode(at, end, &p->meth);
    case MRC_HDR_TSETH:
        return mrc_tseth_decode(at, end, &p->tseth);
    case MRC_HDR_RETH:
        return mrc_reth_decode(at, end, &p->reth);
    case MRC_HDR_IMMDT:
        return mrc_immdt_decode(at, end, &p->immdt);
    case MRC_HDR_AETH:
        return mrc_aeth_decode(at, end, &p->aeth);
    case MRC_HDR_SETH:
        return mrc_seth_decode(at, end, &p->seth);
    case MRC_HDR_CC_STATE:
        return mrc_cc_state_decode(at, end, &p->cc_state);
    case MRC_HDR_NETH:
        return mrc_neth_decode(at, end, &p->neth);
    case MRC_HDR_PETH:
        return mrc_peth_decode(at, end, &p->peth);
    case MRC_HDR_ERTH:
        return mrc_erth_decode(at, end, &p->erth);
    case MRC_HDR_EETH:
        return mrc_eeth_decode(at, end, &p->eeth);
    case MRC_HDR_COUNT:
        break;
    }
    return 0;
}

size_t mrc_chain_encode_one(enum mrc_hdr_id id, const struct mrc_pkt *p, uint8_t *at,
                            const uint8_t *end)
{
    switch (id) {
    case MRC_HDR_ETH:
        return mrc_eth_encode(&p->eth, at, end);
    case MRC_HDR_VLAN:
        return mrc_vlan_encode(&p->vlan[0], at, end);
    case MRC_HDR_IPV4:
        return mrc_ipv4_encode(&p->ip4, at, end);
    case MRC_HDR_IPV6:
        return mrc_ipv6_encode(&p->ip6, at, end);
    case MRC_HDR_SRH:
        return mrc_srh_encode(&p->srh, at, end);
    case MRC_HDR_UDP:
        return mrc_udp_encode(&p->udp, at, end);
    case MRC_HDR_BTH:
        return mrc_bth_encode(&p->bth, at, end);
    case MRC_HDR_METH:
        return mrc_meth_encode(&p->meth, at, end);
    case MRC_HDR_TSETH:
        return mrc_tseth_encode(&p->tseth, at, end);
    case MRC_HDR_RETH:
        return mrc_reth_encode(&p->reth, at, end);
    case MRC_HDR_IMMDT:
        return mrc_immdt_encode(&p->immdt, at, end);
    case MRC_HDR_AETH:
        return mrc_aeth_encode(&p->aeth, at, end);
    case MRC_HDR_SETH:
        return mrc_seth_encode(&p->seth, at, end);
    case MRC_HDR_CC_STATE:
        return mrc_cc_state_encode(&p->cc_state, at, end);
    case MRC_HDR_NETH:
        return mrc_neth_encode(&p->neth, at, end);
    case MRC_HDR_PETH:
        return mrc_peth_encode(&p->peth, at, end);
    case MRC_HDR_ERTH:
        return mrc_erth_encode(&p->erth, at, end);
    case MRC_HDR_EETH:
        return mrc_eeth_encode(&p->eeth, at, end);
    case MRC_HDR_COUNT:
        break;
    }
    return 0;
}
