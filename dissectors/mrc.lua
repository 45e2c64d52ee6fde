-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Wireshark dissector of MRC (Multipath Reliable Connection) 1.0. To install it copy this one file
-- into the folder of Wireshark's personal Lua plugins (Help > About > Folders), or name it:
--     tshark -X lua_script:mrc.lua -r FILE
-- For Wireshark 3.6 and newer.
--
-- mrc.lua is put together of dissectors/lua/*.lua and the field list made of spec/wire.yaml; change
-- those and run `make dissectors`.

-- The C plugin registers the same protocol: it is faster and may stay alone.
for _, name in ipairs(Dissector.list()) do
    if name == "mrc" then
        return
    end
end

local mrc = Proto("mrc", "Multipath Reliable Connection")

-- The list of fields, made of spec/wire.yaml.
local spec = (function()
local M = {}
M.headers = {
  { id = "eth", len = 14, title = "Ethernet", fields = {
    { name = "eth.dst", bit_off = 0, bits = 48, signed = false, bytes = true, label = "Dst", meaning = "destination address" },
    { name = "eth.src", bit_off = 48, bits = 48, signed = false, bytes = true, label = "Src", meaning = "source address" },
    { name = "eth.ethertype", bit_off = 96, bits = 16, signed = false, bytes = false, label = "Ethertype", codes = "ethertype", meaning = "what follows" },
  } },
  { id = "vlan", len = 4, title = "802.1Q tag", fields = {
    { name = "vlan.tci", bit_off = 0, bits = 16, signed = false, bytes = false, label = "Tci", meaning = "priority, drop eligibility and VLAN id" },
    { name = "vlan.ethertype", bit_off = 16, bits = 16, signed = false, bytes = false, label = "Ethertype", codes = "ethertype", meaning = "what follows" },
  } },
  { id = "ipv4", len = 20, title = "IPv4", fields = {
    { name = "ipv4.version", bit_off = 0, bits = 4, signed = false, bytes = false, label = "Version", meaning = "IP version" },
    { name = "ipv4.ihl", bit_off = 4, bits = 4, signed = false, bytes = false, label = "Ihl", unit = "4 bytes", meaning = "length of the header" },
    { name = "ipv4.dscp", bit_off = 8, bits = 6, signed = false, bytes = false, label = "Dscp", codes = "dscp_default", meaning = "DSCP class of the packet" },
    { name = "ipv4.ecn", bit_off = 14, bits = 2, signed = false, bytes = false, label = "Ecn", codes = "ecn", meaning = "congestion mark" },
    { name = "ipv4.total_len", bit_off = 16, bits = 16, signed = false, bytes = false, label = "Total length", unit = "bytes", meaning = "length from this header to the end of the ICRC" },
    { name = "ipv4.id", bit_off = 32, bits = 16, signed = false, bytes = false, label = "Id", meaning = "identification" },
    { name = "ipv4.flags", bit_off = 48, bits = 3, signed = false, bytes = false, label = "Flags", meaning = "reserved, don't fragment, more fragments" },
    { name = "ipv4.frag_off", bit_off = 51, bits = 13, signed = false, bytes = false, label = "Frag off", unit = "8 bytes", meaning = "fragment offset" },
    { name = "ipv4.ttl", bit_off = 64, bits = 8, signed = false, bytes = false, label = "Ttl", unit = "hops", meaning = "time to live" },
    { name = "ipv4.protocol", bit_off = 72, bits = 8, signed = false, bytes = false, label = "Protocol", codes = "ip_proto", meaning = "what follows" },
    { name = "ipv4.checksum", bit_off = 80, bits = 16, signed = false, bytes = false, label = "Checksum", meaning = "checksum of the header" },
    { name = "ipv4.src", bit_off = 96, bits = 32, signed = false, bytes = true, label = "Src", meaning = "source address" },
    { name = "ipv4.dst", bit_off = 128, bits = 32, signed = false, bytes = true, label = "Dst", meaning = "destination address" },
  } },
  { id = "ipv6", len = 40, title = "IPv6", fields = {
    { name = "ipv6.version", bit_off = 0, bits = 4, signed = false, bytes = false, label = "Version", meaning = "IP version" },
    { name = "ipv6.dscp", bit_off = 4, bits = 6, signed = false, bytes = false, label = "Dscp", codes = "dscp_default", meaning = "DSCP class of the packet" },
    { name = "ipv6.ecn", bit_off = 10, bits = 2, signed = false, bytes = false, label = "Ecn", codes = "ecn", meaning = "congestion mark" },
    { name = "ipv6.flow_label", bit_off = 12, bits = 20, signed = false, bytes = false, label = "Flow label", meaning = "low 16 bits: half of the entropy value (Q3); high 4 bits: 0" },
    { name = "ipv6.payload_len", bit_off = 32, bits = 16, signed = false, bytes = false, label = "Payload length", unit = "bytes", meaning = "what follows this header" },
    { name = "ipv6.next_hdr", bit_off = 48, bits = 8, signed = false, bytes = false, label = "Next header", codes = "ip_proto", meaning = "what follows" },
    { name = "ipv6.hop_limit", bit_off = 56, bits = 8, signed = false, bytes = false, label = "Hop limit", unit = "hops", meaning = "hops left" },
    { name = "ipv6.src", bit_off = 64, bits = 128, signed = false, bytes = true, label = "Src", meaning = "source address" },
    { name = "ipv6.dst", bit_off = 192, bits = 128, signed = false, bytes = true, label = "Dst", meaning = "destination address; of the outer header in SRv6 mode: a 32-bit locator and up to six 16-bit uSIDs" },
  } },
  { id = "srh", len = 24, title = "Segment Routing Header", fields = {
    { name = "srh.next_hdr", bit_off = 0, bits = 8, signed = false, bytes = false, label = "Next header", codes = "ip_proto", meaning = "what follows" },
    { name = "srh.hdr_ext_len", bit_off = 8, bits = 8, signed = false, bytes = false, label = "Header ext length", unit = "8 bytes", meaning = "length beyond the first 8 bytes" },
    { name = "srh.routing_type", bit_off = 16, bits = 8, signed = false, bytes = false, label = "Routing type", meaning = "segment routing" },
    { name = "srh.segments_left", bit_off = 24, bits = 8, signed = false, bytes = false, label = "Segments left", meaning = "segments still to visit" },
    { name = "srh.last_entry", bit_off = 32, bits = 8, signed = false, bytes = false, label = "Last entry", meaning = "index of the last segment in the list" },
    { name = "srh.flags", bit_off = 40, bits = 8, signed = false, bytes = false, label = "Flags", hex = true, reserved = "zero", meaning = "flags" },
    { name = "srh.tag", bit_off = 48, bits = 16, signed = false, bytes = false, label = "Tag", meaning = "group of packets" },
    { name = "srh.segment", bit_off = 64, bits = 128, signed = false, bytes = true, label = "Segment", meaning = "the further compressed segment" },
  } },
  { id = "udp", len = 8, title = "UDP", fields = {
    { name = "udp.src_port", bit_off = 0, bits = 16, signed = false, bytes = false, label = "Src port", meaning = "half of the entropy value (Q3)" },
    { name = "udp.dst_port", bit_off = 16, bits = 16, signed = false, bytes = false, label = "Dst port", codes = "udp_port", json = "dport", meaning = "the deployment's MRC port (Q1)" },
    { name = "udp.length", bit_off = 32, bits = 16, signed = false, bytes = false, label = "Length", unit = "bytes", meaning = "this header to the end of the ICRC, as sent: a switch that trims leaves it alone" },
    { name = "udp.checksum", bit_off = 48, bits = 16, signed = false, bytes = false, label = "Checksum", meaning = "0 is allowed; receivers ignore it" },
  } },
  { id = "bth", len = 12, title = "Base Transport Header", table = "6-3, 6-4, 7-10, 7-11", fields = {
    { name = "bth.opcode", bit_off = 0, bits = 8, signed = false, bytes = false, label = "Opcode", hex = true, codes = "opcode", json = "opcode", meaning = "kind of packet; the top three bits 110b mark MRC" },
    { name = "bth.se", bit_off = 8, bits = 1, signed = false, bytes = false, label = "SE", flag = true, meaning = "solicited event" },
    { name = "bth.m", bit_off = 9, bits = 1, signed = false, bytes = false, label = "M", flag = true, meaning = "migration request" },
    { name = "bth.pad_cnt", bit_off = 10, bits = 2, signed = false, bytes = false, label = "Pad count", unit = "bytes", json = "pad", meaning = "pad between payload and ICRC" },
    { name = "bth.tver", bit_off = 12, bits = 4, signed = false, bytes = false, label = "TVer", codes = "tver", meaning = "transport version" },
    { name = "bth.pkey", bit_off = 16, bits = 16, signed = false, bytes = false, label = "P_Key", hex = true, meaning = "partition key" },
    { name = "bth.var_rsvd", bit_off = 32, bits = 8, signed = false, bytes = false, label = "Var reserved", hex = true, reserved = "any", meaning = "variant: counted as all ones in the ICRC" },
    { name = "bth.dest_qp", bit_off = 40, bits = 24, signed = false, bytes = false, label = "Dest QP", hex = true, json = "dqp", meaning = "queue pair addressed; 0x2 is the node itself" },
    { name = "bth.a", bit_off = 64, bits = 1, signed = false, bytes = false, label = "A", flag = true, json = "a", meaning = "acknowledge request" },
    { name = "bth.r", bit_off = 65, bits = 1, signed = false, bytes = false, label = "R", hex = true, flag = true, reserved = "zero", meaning = "reserved" },
    { name = "bth.rtx", bit_off = 66, bits = 1, signed = false, bytes = false, label = "RTX", flag = true, json = "rtx", meaning = "a retransmission; SACK and NACK echo the bit of the packet that triggered them" },
    { name = "bth.ts", bit_off = 67, bits = 1, signed = false, bytes = false, label = "TS", flag = true, json = "ts", meaning = "a TSETH follows the METH" },
    { name = "bth.inv_rsvd", bit_off = 68, bits = 4, signed = false, bytes = false, label = "Inv reserved", hex = true, reserved = "zero", meaning = "invariant: reserved, and part of the ICRC" },
    { name = "bth.psn", bit_off = 72, bits = 24, signed = false, bytes = false, label = "PSN", json = "psn", meaning = "packet sequence number; what it means depends on the opcode" },
  } },
  { id = "meth", len = 4, title = "Message Extended Transport Header", table = "6-8, 6-9", fields = {
    { name = "meth.rqmsn", bit_off = 0, bits = 16, signed = false, bytes = false, label = "RQMSN", unit = "messages", json = "rqmsn", meaning = "counts messages with immediate; the same in all packets of one, unused in other messages" },
    { name = "meth.msn", bit_off = 16, bits = 16, signed = false, bytes = false, label = "MSN", unit = "messages", json = "msn", meaning = "counts messages; the same in all packets of one" },
  } },
  { id = "tseth", len = 4, title = "Timestamp Extended Transport Header", table = "6-6, 6-7", fields = {
    { name = "tseth.tx_timestamp", bit_off = 0, bits = 16, signed = false, bytes = false, label = "TX timestamp", unit = "see tsr", json = "tx_timestamp", meaning = "when the packet was sent" },
    { name = "tseth.tsr", bit_off = 16, bits = 1, signed = false, bytes = false, label = "TSR", codes = "tsr", json = "tsr", meaning = "resolution of the timestamp (Q14)" },
    { name = "tseth.rsvd", bit_off = 17, bits = 11, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "tseth.ftype", bit_off = 28, bits = 4, signed = false, bytes = false, label = "FType", codes = "ftype", meaning = "format of this header" },
  } },
  { id = "reth", len = 16, title = "RDMA Extended Transport Header", table = "6-5", fields = {
    { name = "reth.va", bit_off = 0, bits = 64, signed = false, bytes = false, label = "VA", hex = true, unit = "bytes", json = "va", meaning = "virtual address of this packet's first byte" },
    { name = "reth.rkey", bit_off = 64, bits = 32, signed = false, bytes = false, label = "R_Key", hex = true, json = "rkey", meaning = "key of the remote region" },
    { name = "reth.dma_len", bit_off = 96, bits = 32, signed = false, bytes = false, label = "DMA length", unit = "bytes", json = "dmalen", meaning = "length of the whole message, the same in all its packets (Q8)" },
  } },
  { id = "immdt", len = 4, title = "Immediate Data", fields = {
    { name = "immdt.imm", bit_off = 0, bits = 32, signed = false, bytes = false, label = "Data", hex = true, json = "imm", meaning = "handed to the application with the completion" },
  } },
  { id = "aeth", len = 4, title = "ACK Extended Transport Header", fields = {
    { name = "aeth.syndrome", bit_off = 0, bits = 8, signed = false, bytes = false, label = "Syndrome", hex = true, codes = "syndrome", json = "syndrome", meaning = "ACK or the kind of NAK" },
    { name = "aeth.msn", bit_off = 8, bits = 24, signed = false, bytes = false, label = "MSN", unit = "messages", json = "aeth_msn", meaning = "messages completed; compared with METH.MSN modulo 2^16" },
  } },
  { id = "seth", len = 28, title = "SACK Extended Transport Header", table = "7-12, 7-13", fields = {
    { name = "seth.type", bit_off = 0, bits = 4, signed = false, bytes = false, label = "Type", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "seth.next_hdr", bit_off = 4, bits = 5, signed = false, bytes = false, label = "Next header", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "seth.m", bit_off = 9, bits = 2, signed = false, bytes = false, label = "M", codes = "seth_m", json = "m", meaning = "what the sender should do with the entropy value" },
    { name = "seth.rsvd1", bit_off = 11, bits = 3, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "seth.pr", bit_off = 14, bits = 1, signed = false, bytes = false, label = "PR", flag = true, json = "pr", meaning = "this SACK answers a Reliability Probe" },
    { name = "seth.rsvd0", bit_off = 15, bits = 1, signed = false, bytes = false, label = "Reserved", hex = true, flag = true, reserved = "zero", meaning = "reserved" },
    { name = "seth.ack_psn_offset", bit_off = 16, bits = 16, signed = true, bytes = false, label = "Ack PSN offset", unit = "PSNs", json = "ack_psn_offset", when = "seth.pr", when_value = 0, meaning = "PSN that triggered this SACK minus cack_psn" },
    { name = "seth.probe_id", bit_off = 16, bits = 16, signed = false, bytes = false, label = "Probe id", hex = true, json = "probe_id", when = "seth.pr", when_value = 1, meaning = "probe_id of the probe answered" },
    { name = "seth.entropy", bit_off = 32, bits = 32, signed = false, bytes = false, label = "Entropy", hex = true, json = "entropy", meaning = "entropy value of the packet that triggered this SACK (Q19 on IPv4)" },
    { name = "seth.spdcid", bit_off = 64, bits = 16, signed = false, bytes = false, label = "SPDCID", hex = true, json = "spdcid", meaning = "low 16 bits of the source QP number" },
    { name = "seth.dpdcid", bit_off = 80, bits = 16, signed = false, bytes = false, label = "DPDCID", hex = true, json = "dpdcid", meaning = "low 16 bits of the destination QP number" },
    { name = "seth.rsvd2", bit_off = 96, bits = 8, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "seth.cack_psn", bit_off = 104, bits = 24, signed = false, bytes = false, label = "cAck PSN", json = "cack_psn", meaning = "all PSNs up to and with this one have arrived" },
    { name = "seth.cc_type", bit_off = 128, bits = 4, signed = false, bytes = false, label = "CC type", codes = "cc_type", json = "cc_type", meaning = "what follows as congestion control state (Q18)" },
    { name = "seth.cc_flags", bit_off = 132, bits = 4, signed = false, bytes = false, label = "CC flags", hex = true, reserved = "zero", meaning = "flags of the congestion control" },
    { name = "seth.mpr", bit_off = 136, bits = 8, signed = false, bytes = false, label = "MPR", unit = "128 PSNs", json = "mpr", meaning = "size of the PSN window offered; 0 when dynamic MPR is off" },
    { name = "seth.sack_offset", bit_off = 144, bits = 16, signed = true, bytes = false, label = "SACK offset", unit = "PSNs", json = "sack_offset", meaning = "bit 0 of the bitmap stands for cack_psn + sack_offset" },
    { name = "seth.sack_bitmap", bit_off = 160, bits = 64, signed = false, bytes = false, label = "SACK bitmap", hex = true, json = "sack_bitmap", meaning = "bit i, least significant first, stands for cack_psn + sack_offset + i: 1 arrived, 0 no information (Q4)" },
  } },
  { id = "cc_state", len = 8, title = "Congestion Control State", table = "7-14, 7-15", fields = {
    { name = "cc_state.tx_timestamp", bit_off = 0, bits = 16, signed = false, bytes = false, label = "TX timestamp", unit = "as in the request", json = "cc_tx_timestamp", meaning = "timestamp of the packet that triggered the SACK (Q20)" },
    { name = "cc_state.rsvd", bit_off = 16, bits = 1, signed = false, bytes = false, label = "Reserved", hex = true, flag = true, reserved = "zero", meaning = "reserved" },
    { name = "cc_state.ooo_count", bit_off = 17, bits = 15, signed = false, bytes = false, label = "OOO count", unit = "packets", json = "ooo_count", meaning = "packets received above cack_psn" },
    { name = "cc_state.r_c", bit_off = 32, bits = 1, signed = false, bytes = false, label = "R c", flag = true, json = "restore_cwnd", meaning = "restore the congestion window" },
    { name = "cc_state.rcv_cwnd_pen", bit_off = 33, bits = 7, signed = false, bytes = false, label = "Rcv cwnd penalty", json = "rcv_cwnd_pen", meaning = "receiver's penalty on the congestion window" },
    { name = "cc_state.rcvd_bytes", bit_off = 40, bits = 24, signed = false, bytes = false, label = "Rcvd bytes", unit = "256 bytes", json = "rcvd_bytes", meaning = "bytes received in all, rounded up, modulo 2^24 (Q12)" },
  } },
  { id = "neth", len = 20, title = "NACK Extended Transport Header", table = "7-16, 7-17", fields = {
    { name = "neth.type", bit_off = 0, bits = 4, signed = false, bytes = false, label = "Type", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "neth.next_hdr", bit_off = 4, bits = 5, signed = false, bytes = false, label = "Next header", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "neth.rsvd0", bit_off = 9, bits = 7, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "neth.nack_reason", bit_off = 16, bits = 8, signed = false, bytes = false, label = "NACK reason", hex = true, codes = "nack_reason", json = "nack_reason", meaning = "why the packet was refused" },
    { name = "neth.vendor_info", bit_off = 24, bits = 8, signed = false, bytes = false, label = "Vendor info", hex = true, json = "vendor_info", meaning = "the vendor's own" },
    { name = "neth.entropy", bit_off = 32, bits = 32, signed = false, bytes = false, label = "Entropy", hex = true, json = "entropy", meaning = "entropy value of the packet that triggered this NACK (Q19 on IPv4)" },
    { name = "neth.spdcid", bit_off = 64, bits = 16, signed = false, bytes = false, label = "SPDCID", hex = true, json = "spdcid", meaning = "low 16 bits of the source QP number" },
    { name = "neth.dpdcid", bit_off = 80, bits = 16, signed = false, bytes = false, label = "DPDCID", hex = true, json = "dpdcid", meaning = "low 16 bits of the destination QP number" },
    { name = "neth.rsvd1", bit_off = 96, bits = 8, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "neth.nack_psn", bit_off = 104, bits = 24, signed = false, bytes = false, label = "NACK PSN", json = "nack_psn", meaning = "PSN of the packet that triggered this NACK; equals BTH.PSN" },
    { name = "neth.cc_type", bit_off = 128, bits = 4, signed = false, bytes = false, label = "CC type", codes = "cc_type", json = "cc_type", meaning = "2: the reflected timestamp below" },
    { name = "neth.cc_flags", bit_off = 132, bits = 4, signed = false, bytes = false, label = "CC flags", hex = true, reserved = "zero", meaning = "flags of the congestion control" },
    { name = "neth.rsvd2", bit_off = 136, bits = 8, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "neth.tx_timestamp", bit_off = 144, bits = 16, signed = false, bytes = false, label = "TX timestamp", unit = "as in the request", json = "tx_timestamp", meaning = "timestamp of the packet that triggered this NACK" },
  } },
  { id = "peth", len = 16, title = "Probe Extended Transport Header", table = "7-18, 7-19", fields = {
    { name = "peth.type", bit_off = 0, bits = 4, signed = false, bytes = false, label = "Type", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "peth.next_hdr", bit_off = 4, bits = 5, signed = false, bytes = false, label = "Next header", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "peth.rsvd0", bit_off = 9, bits = 7, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "peth.rsvd1", bit_off = 16, bits = 8, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "peth.vendor_info", bit_off = 24, bits = 8, signed = false, bytes = false, label = "Vendor info", hex = true, json = "vendor_info", meaning = "the vendor's own" },
    { name = "peth.probe_id", bit_off = 32, bits = 16, signed = false, bytes = false, label = "Probe id", hex = true, json = "probe_id", meaning = "returned by the SACK that answers" },
    { name = "peth.rsvd2", bit_off = 48, bits = 16, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "peth.spdcid", bit_off = 64, bits = 16, signed = false, bytes = false, label = "SPDCID", hex = true, json = "spdcid", meaning = "low 16 bits of the source QP number" },
    { name = "peth.dpdcid", bit_off = 80, bits = 16, signed = false, bytes = false, label = "DPDCID", hex = true, json = "dpdcid", meaning = "low 16 bits of the destination QP number" },
    { name = "peth.tx_timestamp", bit_off = 96, bits = 16, signed = false, bytes = false, label = "TX timestamp", unit = "see tsr", json = "tx_timestamp", meaning = "when the probe was sent" },
    { name = "peth.tsr", bit_off = 112, bits = 1, signed = false, bytes = false, label = "TSR", codes = "tsr", json = "tsr", meaning = "resolution of the timestamp (Q14)" },
    { name = "peth.rsvd3", bit_off = 113, bits = 11, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "peth.ftype", bit_off = 124, bits = 4, signed = false, bytes = false, label = "FType", codes = "ftype", meaning = "format of the timestamp" },
  } },
  { id = "erth", len = 16, title = "Endpoint Request Extended Transport Header", table = "7-20, 7-21", fields = {
    { name = "erth.type", bit_off = 0, bits = 4, signed = false, bytes = false, label = "Type", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "erth.next_hdr", bit_off = 4, bits = 5, signed = false, bytes = false, label = "Next header", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "erth.rsvd0", bit_off = 9, bits = 5, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "erth.op", bit_off = 14, bits = 2, signed = false, bytes = false, label = "Op", codes = "ep_op", json = "ep_op", meaning = "what is asked" },
    { name = "erth.rsvd1", bit_off = 16, bits = 8, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "erth.vendor_info", bit_off = 24, bits = 8, signed = false, bytes = false, label = "Vendor info", hex = true, json = "vendor_info", meaning = "the vendor's own" },
    { name = "erth.port_status_mask", bit_off = 32, bits = 32, signed = false, bytes = false, label = "Port status mask", hex = true, json = "port_status_mask", meaning = "op 0: a bit set says that this local port is reachable; ports count from 1 (Q10)" },
    { name = "erth.rsvd2", bit_off = 64, bits = 32, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "erth.tx_timestamp", bit_off = 96, bits = 16, signed = false, bytes = false, label = "TX timestamp", unit = "see tsr", json = "tx_timestamp", meaning = "when the request was sent" },
    { name = "erth.tsr", bit_off = 112, bits = 1, signed = false, bytes = false, label = "TSR", codes = "tsr", json = "tsr", meaning = "resolution of the timestamp (Q14)" },
    { name = "erth.rsvd3", bit_off = 113, bits = 11, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "erth.ftype", bit_off = 124, bits = 4, signed = false, bytes = false, label = "FType", codes = "ftype", meaning = "format of the timestamp" },
  } },
  { id = "eeth", len = 36, title = "Endpoint Response Extended Transport Header", table = "7-22, 7-23", fields = {
    { name = "eeth.type", bit_off = 0, bits = 4, signed = false, bytes = false, label = "Type", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "eeth.next_hdr", bit_off = 4, bits = 5, signed = false, bytes = false, label = "Next header", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "eeth.rsvd0", bit_off = 9, bits = 3, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "eeth.op", bit_off = 12, bits = 2, signed = false, bytes = false, label = "Op", codes = "ep_op", json = "ep_op", meaning = "what was asked (Q5)" },
    { name = "eeth.rsvd1", bit_off = 14, bits = 2, signed = false, bytes = false, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "eeth.rsvd2", bit_off = 16, bits = 208, signed = false, bytes = true, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
    { name = "eeth.tx_timestamp", bit_off = 224, bits = 16, signed = false, bytes = false, label = "TX timestamp", unit = "as in the request", json = "tx_timestamp", meaning = "timestamp of the request answered" },
    { name = "eeth.rsvd3", bit_off = 240, bits = 48, signed = false, bytes = true, label = "Reserved", hex = true, reserved = "zero", meaning = "reserved" },
  } },
}
M.codes = {
  opcode = { closed = true, title = "BTH opcode", values = {
    { value = 0xC6, name = "WRITE_FIRST", headers = "meth tseth? reth", meaning = "RDMA WRITE First; to the responder's QP, PSN of the data" },
    { value = 0xC7, name = "WRITE_MIDDLE", headers = "meth tseth? reth", meaning = "RDMA WRITE Middle; to the responder's QP, PSN of the data" },
    { value = 0xC8, name = "WRITE_LAST", headers = "meth tseth? reth", meaning = "RDMA WRITE Last; to the responder's QP, PSN of the data" },
    { value = 0xC9, name = "WRITE_LAST_IMM", headers = "meth tseth? reth immdt", meaning = "RDMA WRITE Last with Immediate; to the responder's QP, PSN of the data" },
    { value = 0xCA, name = "WRITE_ONLY", headers = "meth tseth? reth", meaning = "RDMA WRITE Only; to the responder's QP, PSN of the data" },
    { value = 0xCB, name = "WRITE_ONLY_IMM", headers = "meth tseth? reth immdt", meaning = "RDMA WRITE Only with Immediate; to the responder's QP, PSN of the data" },
    { value = 0xD1, name = "ACK", headers = "aeth", meaning = "transport ACK or NAK; to the requestor's QP, PSN acknowledged" },
    { value = 0xD8, name = "EP_REQUEST", headers = "erth", meaning = "Endpoint Request; to QP 0x2, request id in the low 16 bits of the PSN" },
    { value = 0xD9, name = "EP_RESPONSE", headers = "eeth", meaning = "Endpoint Response; to QP 0x2, the request's id in the low 16 bits of the PSN" },
    { value = 0xDC, name = "SACK", headers = "seth cc_state", meaning = "Reliability SACK; to the requestor's QP, PSN equals cack_psn" },
    { value = 0xDD, name = "NACK", headers = "neth", meaning = "Reliability NACK; to the requestor's QP, PSN of the packet that triggered it" },
    { value = 0xDE, name = "PROBE", headers = "peth", meaning = "Reliability Probe Request; to the responder's QP, PSN reserved and none consumed" },
  } },
  syndrome = { closed = true, title = "AETH syndrome", values = {
    { value = 0x1F, name = "ACK", meaning = "acknowledged; the credit field is unused and all ones" },
    { value = 0x61, name = "INVALID_REQUEST", meaning = "NAK invalid request (Q9 for too many immediates)" },
    { value = 0x62, name = "REMOTE_ACCESS", meaning = "NAK remote access error" },
    { value = 0x63, name = "REMOTE_OP", meaning = "NAK remote operational error" },
  } },
  nack_reason = { closed = true, title = "NETH reason", values = {
    { value = 0x1, name = "TRIMMED", meaning = "a switch trimmed the packet; optional, the path is at fault, retransmit" },
    { value = 0x2, name = "TRIMMED_LASTHOP", meaning = "trimmed at the last hop; optional, the path is not at fault, retransmit" },
    { value = 0x6, name = "NO_BITMAP", meaning = "no room to note the PSN; retransmit" },
    { value = 0x7, name = "NO_PKT_BUFFER", meaning = "no packet buffer; retransmit" },
    { value = 0xA, name = "NO_RESOURCE", meaning = "another resource was missing; retransmit" },
    { value = 0xB, name = "PSN_OOR_WINDOW", meaning = "PSN outside the window (Q2); retransmit" },
    { value = 0x19, name = "UNEXP_EVENT", meaning = "unexpected event: no retry, the QP goes to error" },
  } },
  seth_m = { closed = true, title = "SETH.M", values = {
    { value = 0x0, name = "NONE", meaning = "nothing" },
    { value = 0x1, name = "SKIP_ONCE", meaning = "the request carried a congestion mark; skip the entropy value once" },
    { value = 0x2, name = "ALWAYS_SKIP", meaning = "stop using the entropy value" },
  } },
  ep_op = { closed = true, title = "Endpoint operation", values = {
    { value = 0x0, name = "PORT_STATUS", meaning = "Port Status Update" },
    { value = 0x1, name = "EV_PROBE", meaning = "EV Probe" },
  } },
  tver = { closed = true, title = "Transport version", values = {
    { value = 0x0, name = "MRC1", meaning = "the only version" },
  } },
  ftype = { closed = false, title = "Timestamp format", values = {
    { value = 0x1, name = "TIMESTAMP", meaning = "16-bit transmit timestamp" },
  } },
  tsr = { closed = false, title = "Timestamp resolution", values = {
    { value = 0x0, name = "128NS", meaning = "units of 128 ns" },
    { value = 0x1, name = "1US", meaning = "units of 1 us (Q14)" },
  } },
  cc_type = { closed = false, title = "Kind of congestion control state", values = {
    { value = 0x0, name = "CC_STATE", meaning = "the CC_STATE of a SACK" },
    { value = 0x2, name = "NACK", meaning = "the timestamp of a NACK" },
  } },
  ecn = { closed = false, title = "ECN field of the IP header", values = {
    { value = 0x0, name = "NOT_ECT", meaning = "not capable of congestion marks" },
    { value = 0x1, name = "ECT1", meaning = "capable, ECT(1)" },
    { value = 0x2, name = "ECT0", meaning = "capable, ECT(0)" },
    { value = 0x3, name = "CE", meaning = "congestion experienced" },
  } },
  dscp_default = { closed = false, title = "DSCP classes with the values of one implementation", values = {
    { value = 0x0, name = "NO_TRIM", meaning = "requests where the network cannot trim" },
    { value = 0x4, name = "TRIMMABLE", meaning = "requests, reliability probes, Endpoint Requests" },
    { value = 0x8, name = "TRIMMABLE_RETX", meaning = "retransmitted requests where configured" },
    { value = 0xC, name = "TRIMMED", meaning = "trimmed by a switch" },
    { value = 0x10, name = "TRIMMED_LASTHOP", meaning = "trimmed at the last hop" },
    { value = 0x2E, name = "CONTROL", meaning = "SACK, NACK, transport ACK, Endpoint Response" },
  } },
  udp_port = { closed = false, title = "UDP destination port", values = {
    { value = 0x12B7, name = "ROCEV2", meaning = "RoCEv2's port (Q1 a)" },
    { value = 0x136B, name = "PRINTED", meaning = "the number printed in revision 1.0 (Q1 b)" },
  } },
  node_qp = { closed = false, title = "QP number with a fixed meaning", values = {
    { value = 0x2, name = "NODE", meaning = "the node itself: Endpoint Requests and Responses" },
  } },
  ethertype = { closed = false, title = "Ethernet type", values = {
    { value = 0x800, name = "IPV4", meaning = "IPv4" },
    { value = 0x8100, name = "VLAN", meaning = "802.1Q tag" },
    { value = 0x88A8, name = "QINQ", meaning = "outer tag of two" },
    { value = 0x86DD, name = "IPV6", meaning = "IPv6" },
  } },
  ip_proto = { closed = false, title = "IP protocol or next header", values = {
    { value = 0x11, name = "UDP", meaning = "UDP" },
    { value = 0x29, name = "IPV6", meaning = "IPv6 in IPv6" },
    { value = 0x2B, name = "ROUTING", meaning = "routing header; MRC uses type 4, segment routing" },
  } },
}
return M
end)()

-- ---- fields: those of the headers from the specification's list, then the dissector's own ------

local FIRST_OWN = "bth" -- headers before it are shown by Wireshark itself
local fields = {}       -- by name, "bth.psn"
local headers = {}      -- by id: len, title, and the places of the fields
local all_fields = {}

local function declare(name, field)
    fields[name] = field
    all_fields[#all_fields + 1] = field
end

local function names_of(set)
    if not set then
        return nil
    end
    local names = {}
    for _, v in ipairs(spec.codes[set].values) do
        names[v.value] = v.name
    end
    return names
end

local function has_name(set, value)
    for _, v in ipairs(spec.codes[set].values) do
        if v.value == value then
            return v.name
        end
    end
    return nil
end

local UINTS = { ftypes.UINT8, ftypes.UINT16, ftypes.UINT24, ftypes.UINT32, nil, nil, nil,
    ftypes.UINT64 }

local function place_of(f)
    local byte = math.floor(f.bit_off / 8)
    local len = math.floor((f.bit_off + f.bits - 1) / 8) - byte + 1
    local place = { name = f.name, byte = byte, len = len, bits = f.bits, signed = f.signed,
        reserved = f.reserved, when = f.when, when_value = f.when_value,
        blob = len > 4 and f.bits ~= 64, wide = f.bits == 64 }
    if not place.blob and f.bits ~= 8 * len then
        place.shift = 2 ^ (8 * len - (f.bit_off - 8 * byte) - f.bits)
        place.mask = (2 ^ f.bits - 1) * place.shift
    end
    return place
end

local function field_of(f, place)
    local abbr, mask = "mrc." .. f.name, place.mask
    if mask then
        mask = math.floor(mask) -- an integer also where numbers have a fractional kind
    end
    if place.blob then
        return ProtoField.bytes(abbr, f.label, base.NONE, f.meaning)
    elseif f.flag then
        return ProtoField.bool(abbr, f.label, 8 * place.len, nil, mask, f.meaning)
    elseif f.signed then
        return ProtoField.int16(abbr, f.label, base.DEC, nil, mask, f.meaning)
    end
    return ProtoField.new(f.label, abbr, UINTS[place.len], names_of(f.codes),
        f.hex and base.HEX or base.DEC, mask, f.meaning)
end

do
    local own = false
    for _, h in ipairs(spec.headers) do
        own = own or h.id == FIRST_OWN
        if own then
            local header = { id = h.id, len = h.len, title = h.title, places = {} }
            for _, f in ipairs(h.fields) do
                local place = place_of(f)
                header.places[#header.places + 1] = place
                declare(f.name, field_of(f, place))
            end
            headers[h.id] = header
        end
    end
end

local function own_number(name, label, kind, shown, names, descr)
    declare(name, ProtoField.new(label, "mrc." .. name, kind, names, shown, nil, descr))
end
local function own_frame(name, label, kind, descr)
    declare(name, ProtoField.framenum("mrc." .. name, label, base.NONE, kind, 0, descr))
end
local function own_time(name, label, descr)
    declare(name, ProtoField.relative_time("mrc." .. name, label, descr))
end
local function own_text(name, label, descr)
    declare(name, ProtoField.new(label, "mrc." .. name, ftypes.STRING, nil, base.NONE, nil, descr))
end

local EV_STATES = { [0] = "good", [1] = "skip once", [2] = "assumed bad" }
local REASONS = { [1] = "NACK", [2] = "hole in a SACK", [3] = "silence" }
local U8, U16, U24, U32 = ftypes.UINT8, ftypes.UINT16, ftypes.UINT24, ftypes.UINT32

own_number("ev", "Entropy value", U32, base.HEX, nil, "from source port and flow label")
own_number("ev.plane", "Plane", U32, base.DEC, nil, "field 'plane' of the entropy value")
own_number("ev.path", "Path", U32, base.DEC, nil, "field 'path' of the entropy value")
own_number("dscp", "DSCP", U8, base.DEC, nil, "of the outermost IP header")
own_number("ecn", "ECN", U8, base.DEC, names_of("ecn"), "of the outermost IP header")
own_number("trimmed", "Trimmed", U8, base.DEC,
    { [1] = "by a switch", [2] = "by a switch at the last hop" }, "cut by a switch, by its DSCP")
own_number("payload_len", "Payload length", U32, base.DEC, nil, "bytes without pad")
declare("payload", ProtoField.bytes("mrc.payload", "Payload", base.NONE, "what is written"))
own_number("icrc", "ICRC", U32, base.HEX, nil, "as found")
own_number("icrc.expected", "ICRC expected", U32, base.HEX, nil, "as computed")
own_number("icrc.status", "ICRC status", U8, base.DEC,
    { [0] = "bad", [1] = "good", [2] = "unverified", [3] = "gone" }, "what is known of the ICRC")
declare("srv6.src", ProtoField.ipv6("mrc.srv6.src", "Outer source"))
declare("srv6.dst", ProtoField.ipv6("mrc.srv6.dst", "Outer destination"))
own_number("srv6.usid", "uSID", U16, base.HEX, nil, "of the outer destination, then the segment")
declare("srv6.segment", ProtoField.ipv6("mrc.srv6.segment", "Further segment"))
own_number("srv6.segments_left", "Segments left", U8, base.DEC)
own_number("srv6.inner_dscp", "Inner DSCP", U8, base.DEC)
own_number("srv6.inner_ecn", "Inner ECN", U8, base.DEC, names_of("ecn"))
own_number("seth.bitmap", "Bitmap", ftypes.UINT64, base.HEX, nil, "the SACK bitmap, drawn")
own_text("seth.arrived", "Arrived", "PSNs whose bit is set")
own_text("seth.unknown", "No information", "PSNs whose bit is clear below the highest set")
own_number("seth.trigger_psn", "Trigger PSN", U24, base.DEC, nil, "cack_psn + ack_psn_offset")
own_text("error", "Error", "why this is no acceptable MRC packet")
own_text("requirement", "Requirement broken", "id of a requirement that this frame alone breaks")
own_number("stream", "Stream", U32, base.DEC, nil, "one direction of a connection")

local A = "analysis."
own_number(A .. "rel_psn", "Relative PSN", ftypes.INT32, base.DEC, nil,
    "PSN less the first one of the stream")
own_frame(A .. "retransmission", "Retransmits frame", frametype.NONE, "sent before in")
own_time(A .. "retransmission.delay", "Since that frame")
own_number(A .. "retransmission.reason", "Likely reason", U8, base.DEC, REASONS,
    "what had been told before")
own_frame(A .. "retransmitted_in", "Retransmitted in", frametype.NONE)
own_frame(A .. "duplicate", "Same transmission as", frametype.NONE,
    "seen again: at another tap, or doubled on the way")
declare(A .. "original_unseen", ProtoField.bool("mrc.analysis.original_unseen",
    "Original not captured", base.NONE, nil, 0, "a retransmission of what is not in the capture"))
own_frame(A .. "acked_in", "Acknowledged in", frametype.ACK)
own_time(A .. "acked_time", "Acknowledged after")
own_frame(A .. "nacked_in", "Refused in", frametype.NONE)
own_number(A .. "in_flight", "Packets in flight", U32, base.DEC, nil,
    "sent, and neither acknowledged nor refused")
own_frame(A .. "message.first", "Message begins in", frametype.NONE)
own_frame(A .. "message.last", "Message ends in", frametype.NONE)
own_number(A .. "message.offset", "Offset in the message", U32, base.DEC, nil, "bytes")
own_number(A .. "message.length", "Length of the message", U32, base.DEC, nil, "bytes")
own_number(A .. "ev_state", "State of the entropy value", U8, base.DEC, EV_STATES,
    "as told before this frame")
own_frame(A .. "ev_told_in", "Told in", frametype.NONE)
own_number(A .. "ev_verdict", "Verdict on the entropy value", U8, base.DEC, EV_STATES,
    "what this frame tells of the entropy value it reflects")
own_frame(A .. "trigger", "Caused by", frametype.REQUEST)
own_time(A .. "rtt", "RTT", "from the packet whose timestamp is reflected; right at its sender")
own_number(A .. "newly_acked", "Newly acknowledged", U32, base.DEC, nil, "packets")
own_text(A .. "newly_acked_psns", "Newly acknowledged PSNs")
own_frame(A .. "acks_frame", "Acknowledges", frametype.ACK)
own_number(A .. "holes", "Holes opened", U32, base.DEC, nil, "packets")
own_number(A .. "hole", "Hole", U24, base.DEC, nil, "PSN not arrived while a later one has")
own_frame(A .. "hole_frame", "Hole's frame", frametype.NONE)
own_number(A .. "holes_filled", "Holes filled", U32, base.DEC, nil, "packets")
own_frame(A .. "answered_in", "Answered in", frametype.RESPONSE)
own_frame(A .. "answers", "Answers", frametype.REQUEST)
own_time(A .. "answer_time", "Answered after")

-- The UDP header is shown by this dissector under UDP's own names, so that filters keep working.
declare("udp", ProtoField.protocol("udp", "User Datagram Protocol"))
declare("udp.srcport", ProtoField.uint16("udp.srcport", "Source Port", base.DEC))
declare("udp.dstport", ProtoField.uint16("udp.dstport", "Destination Port", base.DEC))
declare("udp.port", ProtoField.uint16("udp.port", "Source or Destination Port", base.DEC))
declare("udp.length", ProtoField.uint16("udp.length", "Length", base.DEC))
declare("udp.checksum", ProtoField.uint16("udp.checksum", "Checksum", base.HEX))

mrc.fields = all_fields

local experts = {
    broken = ProtoExpert.new("mrc.expert.requirement", "A requirement is broken",
        expert.group.PROTOCOL, expert.severity.WARN),
    error = ProtoExpert.new("mrc.expert.error", "No acceptable MRC packet",
        expert.group.UNDECODED, expert.severity.ERROR),
    cut = ProtoExpert.new("mrc.expert.cut", "Cut short by the capture",
        expert.group.UNDECODED, expert.severity.NOTE),
    icrc = ProtoExpert.new("mrc.expert.icrc", "Wrong ICRC",
        expert.group.CHECKSUM, expert.severity.ERROR),
    trimmed = ProtoExpert.new("mrc.expert.trimmed", "Trimmed by a switch",
        expert.group.SEQUENCE, expert.severity.NOTE),
    retransmission = ProtoExpert.new("mrc.expert.retransmission", "Retransmission",
        expert.group.SEQUENCE, expert.severity.NOTE),
    hole = ProtoExpert.new("mrc.expert.hole", "Holes opened",
        expert.group.SEQUENCE, expert.severity.NOTE),
    nack = ProtoExpert.new("mrc.expert.nack", "Refused",
        expert.group.SEQUENCE, expert.severity.NOTE),
}
mrc.experts = { experts.broken, experts.error, experts.cut, experts.icrc, experts.trimmed,
    experts.retransmission, experts.hole, experts.nack }

-- ---- preferences ---------------------------------------------------------------------------------

mrc.prefs.udp_ports = Pref.range("UDP destination ports", "4791,4971",
    "Taken as MRC where the opcode is one of MRC's (Q1)", 65535)
mrc.prefs.verify_icrc = Pref.bool("Verify the ICRC", false, "Compute and compare the ICRC")
mrc.prefs.ev_reading = Pref.enum("Entropy value", 0, "Which half of it goes where (Q3, Q19)", {
    { "a", "a: source port high, flow label low", 0 },
    { "b", "b: flow label high, source port low", 1 },
}, false)
mrc.prefs.icrc_reading = Pref.enum("ICRC in SRv6 mode", 0, "What it covers (Q6)", {
    { "a", "a: the inner packet", 0 },
    { "b", "b: outer and inner headers", 1 },
}, false)
mrc.prefs.ev_fields = Pref.string("Fields of the entropy value", "",
    "Names and widths in bits from the most significant bit on, such as plane:4,path:12; "
    .. "the fields plane and path can be filtered for")
mrc.prefs.dscp_trimmed = Pref.uint("DSCP of trimmed packets", 12, "Class TRIMMED")
mrc.prefs.dscp_trimmed_lasthop = Pref.uint("DSCP of packets trimmed at the last hop", 16,
    "Class TRIMMED_LASTHOP")
mrc.prefs.relative_psn = Pref.bool("Relative PSNs", true,
    "Count PSNs in the Info column from the first one of the stream")
mrc.prefs.analyse = Pref.bool("Analyse connections", true,
    "Follow retransmissions, acknowledgements, entropy values and messages")

local port_is_mrc = {}
local ev_format = {} -- {name, divisor, modulus}

local function read_ports(text)
    port_is_mrc = {}
    for from, to in tostring(text):gmatch("(%d+)%-?(%d*)") do
        local last = to == "" and tonumber(from) or tonumber(to)
        for port = tonumber(from), math.min(last, 65535) do
            port_is_mrc[port] = true
        end
    end
end

local function read_ev_format(text)
    ev_format = {}
    local left = 32
    for name, bits in tostring(text):gmatch("([%w_%-]+)%s*:%s*(%d+)") do
        local width = tonumber(bits)
        if width < 1 or width > left then
            return
        end
        left = left - width
        ev_format[#ev_format + 1] = { name = name, divisor = 2 ^ left, modulus = 2 ^ width }
    end
end

local function read_prefs()
    read_ports(mrc.prefs.udp_ports)
    read_ev_format(mrc.prefs.ev_fields)
end
mrc.prefs_changed = read_prefs
read_prefs()

-- ---- what carries a packet: IP headers, entropy value, ICRC ----------------------------------------
-- A UDP dissector sees no IP header, so the bytes before the datagram are looked at in the frame.

local frame_field = Field.new("frame")
local time_field = Field.new("frame.time_epoch")
-- A listener with a filter makes Wireshark build the trees that fields are taken from.
local tree_maker = Listener.new("frame", "mrc")
tree_maker.packet = function() end

local function u16(r, at)
    return r(at, 2):uint()
end
local function u8(r, at)
    return r(at, 1):uint()
end

local function frame_range(tvb)
    local infos = { frame_field() }
    local r = infos[1] and infos[1].range
    local base_off = tvb:offset()
    local len = math.min(tvb:len(), 8)
    if not r or base_off + len > r:len() or
        tostring(r(base_off, len):bytes()) ~= tostring(tvb(0, len):bytes()) then
        return nil -- reassembled or decrypted: its bytes are not the frame's
    end
    return r
end

local function find_v4(r, at)
    for ihl = 5, 15 do
        local off = at - 4 * ihl
        if off >= 0 and u8(r, off) == 0x40 + ihl and u8(r, off + 9) == 17 then
            return off
        end
    end
    return nil
end

-- Outer IPv6 header in front of the inner one at off; and the SRH between them.
local function find_outer(r, off)
    if off >= 40 and math.floor(u8(r, off - 40) / 16) == 6 and u8(r, off - 34) == 41 then
        return off - 40, nil
    end
    for words = 2, 32 do
        local srh = off - 8 - 8 * words
        if srh < 40 then
            return nil, nil
        end
        if u8(r, srh) == 41 and u8(r, srh + 1) == words and u8(r, srh + 2) == 4 and
            math.floor(u8(r, srh - 40) / 16) == 6 and u8(r, srh - 34) == 43 then
            return srh - 40, srh
        end
    end
    return nil, nil
end

local function dscp_ecn(r, off, is_v6)
    local class = is_v6 and math.floor(u16(r, off) / 16) % 256 or u8(r, off + 1)
    return math.floor(class / 4), class % 4
end

local function read_v6(c, r, off)
    c.ip, c.is_v6 = off, true
    c.flow_label = r(off + 1, 3):uint() % 2 ^ 20
    c.ip_end = u16(r, off + 4)
    c.inner_dscp, c.inner_ecn = dscp_ecn(r, off, true)
    c.dscp, c.ecn = c.inner_dscp, c.inner_ecn
    c.outer, c.srh = find_outer(r, off)
    if c.outer then
        c.dscp, c.ecn = dscp_ecn(r, c.outer, true)
        c.ip_end = math.min(c.ip_end, c.outer + 40 + u16(r, c.outer + 4) - c.base)
    end
end

-- Everything before the datagram; offsets are the frame's, ip_end counts from the UDP header.
local function read_carrier(tvb, pinfo)
    local c = { base = tvb:offset(), is_v6 = tostring(pinfo.net_src):find(":", 1, true) ~= nil,
        ip_end = tvb:reported_len(), wire_len = tvb:reported_len(), flow_label = 0 }
    local r = frame_range(tvb)
    if not r then
        return c
    end
    c.frame = r
    c.wire_len = pinfo.len - c.base
    if not c.is_v6 then
        local off = find_v4(r, c.base)
        if off then
            c.ip = off
            c.dscp, c.ecn = dscp_ecn(r, off, false)
            c.ip_end = u16(r, off + 2) - (c.base - off)
        end
    elseif c.base >= 40 and math.floor(u8(r, c.base - 40) / 16) == 6 and
        u8(r, c.base - 34) == 17 then
        read_v6(c, r, c.base - 40)
    end
    return c
end

local function ev_of(c, src_port)
    local flow = c.flow_label % 65536
    if mrc.prefs.ev_reading == 0 then
        return src_port * 65536 + (c.is_v6 and flow or 0)
    end
    return (c.is_v6 and flow or 0) * 65536 + src_port
end

-- ---- ICRC ----

local bxor = (rawget(_G, "bit") and bit.bxor) or (rawget(_G, "bit32") and bit32.bxor) or
    load("return function(a, b) return a ~ b end")()

local crc_table
local function crc_start()
    crc_table = {}
    for i = 0, 255 do
        local crc = i
        for _ = 1, 8 do
            local odd = crc % 2 == 1
            crc = math.floor(crc / 2)
            if odd then
                crc = bxor(crc, 0xEDB88320) % 2 ^ 32
            end
        end
        crc_table[i] = math.floor(crc)
    end
end

local function crc_add(crc, text)
    for i = 1, #text do
        local index = bxor(crc % 256, text:byte(i)) % 256
        crc = bxor(math.floor(crc / 256), crc_table[index]) % 4294967296
    end
    return crc
end

-- text with its bytes at these offsets as ones
local function masked(text, offsets)
    for at, bits in pairs(offsets) do
        local byte = text:byte(at + 1)
        if byte then
            byte = bits == 0x0F and byte - byte % 16 + 15 or 0xFF
            text = text:sub(1, at) .. string.char(byte) .. text:sub(at + 2)
        end
    end
    return text
end

local V6_MASK = { [0] = 0x0F, [1] = 0xFF, [2] = 0xFF, [3] = 0xFF, [7] = 0xFF }
local V4_MASK = { [1] = 0xFF, [8] = 0xFF, [10] = 0xFF, [11] = 0xFF }

local function raw(r, from, to)
    return to > from and r(from, to - from):bytes():raw() or ""
end

-- The ICRC over the packet, end_off (in the frame) being its place; read little-endian.
local function compute_icrc(c, end_off)
    if not crc_table then
        crc_start()
    end
    local crc = crc_add(4294967295, string.rep("\255", 8))
    if c.outer and mrc.prefs.icrc_reading == 1 then
        crc = crc_add(crc, masked(raw(c.frame, c.outer, c.outer + 40), V6_MASK))
        crc = crc_add(crc, raw(c.frame, c.outer + 40, c.ip))
    end
    crc = crc_add(crc, masked(raw(c.frame, c.ip, c.base), c.is_v6 and V6_MASK or V4_MASK))
    -- UDP's checksum and the variant byte of the BTH
    crc = crc_add(crc, masked(raw(c.frame, c.base, end_off),
        { [6] = 0xFF, [7] = 0xFF, [12] = 0xFF }))
    return bxor(crc, 4294967295) % 4294967296
end

-- ---- from bytes to values: the same order of judgement as the suite's own decoder -------------------

local OPCODES = {} -- header ids in order, by opcode; optional ones end in "?"
for _, v in ipairs(spec.codes.opcode.values) do
    local chain = { name = v.name }
    for id in (v.headers or ""):gmatch("%S+") do
        chain[#chain + 1] = id
    end
    OPCODES[v.value] = chain
end

local SHOWN = { immdt = "ImmDt" }

local function read_field(tvb, off, place)
    if place.blob then
        return nil
    end
    local r = tvb(off + place.byte, place.len)
    if place.wide then
        return r:uint64()
    end
    local v = r:uint()
    if place.shift then
        v = math.floor(v / place.shift) % 2 ^ place.bits
    end
    if place.signed and v >= 2 ^ (place.bits - 1) then
        v = v - 2 ^ place.bits
    end
    return v
end

-- Reads the header at p.pos; false and p.error when it is not there whole.
local function take(p, tvb, id)
    local header = headers[id]
    if p.pos + header.len > p.limit then
        return false, "truncated " .. (SHOWN[id] or id:upper())
    end
    if p.pos + header.len > tvb:len() then
        return false, "cut short"
    end
    for _, place in ipairs(header.places) do
        local applies = not place.when or p[place.when] == place.when_value
        if applies then
            p[place.name] = read_field(tvb, p.pos, place)
        end
    end
    p.headers[#p.headers + 1] = { header = header, off = p.pos }
    p[id] = true
    p.pos = p.pos + header.len
    return true, nil
end

local function walk_payload(p, tvb)
    local pad = p["bth.pad_cnt"]
    local left = math.max(p.limit - p.pos, 0)
    if p.short then
        local sent = math.max(p.udp_end - 4 - pad - p.pos, 0)
        p.payload_len = math.min(left, sent)
    elseif pad > left then
        return "pad longer than payload"
    else
        p.payload_len = left - pad
    end
    if p.payload_len > 0 and p.pos + p.payload_len <= tvb:len() then
        p.payload = tvb(p.pos, p.payload_len)
    end
    return nil
end

-- Trimming must leave METH and TSETH; what lies behind may be gone.
local function walk_mrc(p, tvb)
    local ok, err = take(p, tvb, "bth")
    if not ok then
        return err
    end
    if p["bth.tver"] ~= 0 then
        return "transport version"
    end
    local chain = OPCODES[p["bth.opcode"]]
    if not chain then
        return "opcode"
    end
    for _, id in ipairs(chain) do
        local name = id:gsub("%?", "")
        if name == id or p["bth.ts"] == 1 then
            ok, err = take(p, tvb, name)
            if not ok then
                if err == "cut short" or not p.short or (name ~= "reth" and name ~= "immdt") then
                    return err
                end
                p.limit = p.pos
                break
            end
        end
    end
    return walk_payload(p, tvb)
end

local function judge_lengths(p, c)
    p.short = p.trim > 0 and p.udp_end > c.ip_end
    p.limit = p.short and c.ip_end or c.ip_end - 4
    if c.ip_end > c.wire_len then
        return "cut short"
    elseif p.udp_end > c.ip_end and not p.short then
        return "UDP length beyond the IP payload"
    elseif p.udp_end < c.ip_end then
        return "UDP length short of the IP payload"
    end
    return nil
end

-- 0 bad, 1 good, 2 unverified, 3 gone; nothing may be asked of the ICRC of a trimmed packet.
local function check_icrc(p, tvb, c)
    p.icrc_status = 3
    if p.short or c.ip_end > tvb:len() or c.ip_end - 4 < 8 then
        return
    end
    p.icrc_at = c.ip_end - 4
    p.icrc = tvb(p.icrc_at, 4):le_uint()
    p.icrc_status = 2
    if mrc.prefs.verify_icrc and c.ip then
        p.icrc_expected = compute_icrc(c, c.base + p.icrc_at)
        p.icrc_status = p.icrc == p.icrc_expected and 1 or 0
    end
    if p.icrc_status == 0 and p.trim > 0 then
        p.icrc_status = 3
    end
end

local function decode(tvb, pinfo)
    local c = read_carrier(tvb, pinfo)
    local p = { carrier = c, headers = {}, pos = 8, trim = 0, icrc_status = 3 }
    p.src_port, p.dst_port = u16(tvb, 0), u16(tvb, 2)
    p.udp_end = u16(tvb, 4)
    p.ev = ev_of(c, p.src_port)
    if c.dscp == mrc.prefs.dscp_trimmed then
        p.trim = 1
    elseif c.dscp == mrc.prefs.dscp_trimmed_lasthop then
        p.trim = 2
    end
    local carrier_error = judge_lengths(p, c)
    if not carrier_error then
        check_icrc(p, tvb, c)
    end
    local err = walk_mrc(p, tvb)
    if carrier_error then
        err = carrier_error
    elseif p.icrc_status == 0 then
        err = "icrc"
    end
    p.error = err
    if err and err ~= "icrc" then
        p.payload_len, p.payload = nil, nil -- its length is what is in doubt
    end
    p.is_request = p["bth.opcode"] and p["bth.opcode"] >= 0xC6 and p["bth.opcode"] <= 0xCB
    return p
end

-- ---- requirements that a frame alone can break -------------------------------------------------------

local rules = {}
local function rule(id, needs, check)
    rules[#rules + 1] = { id = id, needs = needs, check = check }
end
local spread = table.unpack or rawget(_G, "unpack")
local function say(format, ...)
    local args = { ... }
    for i, v in ipairs(args) do
        args[i] = type(v) == "number" and math.floor(v) or v
    end
    return string.format(format, spread(args))
end

-- A request whose lengths its sender answers for: a trimmed one has lost them.
local function whole(p)
    return p.is_request and p.reth and p.trim == 0 and p.payload_len
end
local function opcode_in(p, ...)
    for _, op in ipairs({ ... }) do
        if p["bth.opcode"] == op then
            return true
        end
    end
    return false
end
local function is_mtu(len)
    return len == 256 or len == 512 or len == 1024 or len == 2048 or len == 4096
end
local function first_reserved(p, ids, but)
    for _, h in ipairs(p.headers) do
        for _, place in ipairs(ids[h.header.id] and h.header.places or {}) do
            if place.reserved == "zero" and place.name ~= but then
                local v = p[place.name]
                if place.blob then
                    v = p.tvb(h.off + place.byte, place.len):bytes():tohex():find("[^0]") and 1 or 0
                end
                if v ~= 0 and v ~= nil then
                    return say("the reserved field %s is not 0", place.name)
                end
            end
        end
    end
    return nil
end

rule("REQ-5.1-01", nil, function(p)
    return whole(p) and p["reth.dma_len"] == 0 and "the DMA length is 0"
end)
rule("REQ-6-01", nil, function(p)
    return p.error == "opcode" and say("opcode 0x%02X is none of MRC's", p["bth.opcode"])
end)
rule("REQ-6-02", nil, function(p)
    return p.error == "transport version" and
        say("transport version %d, not 0", p["bth.tver"])
end)
rule("REQ-6-03", nil, function(p)
    return p.error and p.error:find("^truncated ") and p.error
end)
rule("REQ-6-04", nil, function(p)
    return p.error == "UDP length beyond the IP payload" and p.error
end)
rule("REQ-6-05", nil, function(p)
    return p.error == "pad longer than payload" and p.error
end)
rule("REQ-6-06", nil, function(p)
    return whole(p) and (p.payload_len + p["bth.pad_cnt"]) % 4 ~= 0 and
        say("payload of %d and pad of %d bytes are no multiple of 4", p.payload_len,
            p["bth.pad_cnt"])
end)
rule("REQ-6-07", nil, function(p)
    if not whole(p) or not opcode_in(p, 0xC6, 0xC7) then
        return nil
    elseif not is_mtu(p.payload_len) then
        return say("First/Middle payload of %d bytes is not a path MTU", p.payload_len)
    end
    return p["bth.pad_cnt"] ~= 0 and
        say("First/Middle packet has %d pad bytes", p["bth.pad_cnt"])
end)
rule("REQ-6-08", nil, function(p)
    return whole(p) and opcode_in(p, 0xCA, 0xCB) and p.payload_len ~= p["reth.dma_len"] and
        say("Only payload of %d bytes differs from DMALen %.0f", p.payload_len, p["reth.dma_len"])
end)
rule("REQ-6-09", nil, function(p)
    if not whole(p) or opcode_in(p, 0xC6, 0xC7) then
        return nil
    elseif opcode_in(p, 0xC8, 0xC9) and p.payload_len == 0 then
        return "a Last packet without payload"
    end
    return p.payload_len > 4096 and
        say("payload of %d bytes, more than a path MTU of 4096", p.payload_len)
end)
rule("REQ-6-10", nil, function(p)
    return whole(p) and opcode_in(p, 0xC6) and p["reth.dma_len"] <= p.payload_len and
        say("a First packet of %d bytes begins a message of only %d", p.payload_len,
            p["reth.dma_len"])
end)
local function icrc_words(p)
    return p.icrc_status == 0 and
        say("icrc is 0x%08X, must be 0x%08X", p.icrc, p.icrc_expected)
end
rule("REQ-6-11", nil, function(p)
    return not p.carrier.outer and icrc_words(p)
end)
rule("REQ-6-12", nil, function(p)
    return p.carrier.outer and icrc_words(p)
end)
rule("REQ-6-13", "bth", function(p)
    return (p["bth.r"] ~= 0 or p["bth.inv_rsvd"] ~= 0) and
        say("reserved bits of the BTH are set: R %d, beside the PSN 0x%X", p["bth.r"],
            p["bth.inv_rsvd"])
end)
local STAMPS = { tseth = "rsvd", peth = "rsvd3", erth = "rsvd3" }
for id, rsvd in pairs(STAMPS) do
    rule("REQ-6-14", id, function(p)
        return p[id .. ".ftype"] ~= 1 and
            say("ftype of the timestamp is %d, not 1", p[id .. ".ftype"])
    end)
    rule("REQ-6-15", id, function(p)
        return p[id .. "." .. rsvd] ~= 0 and
            say("reserved bits of the timestamp are 0x%X, not 0", p[id .. "." .. rsvd])
    end)
end
rule("REQ-7-01", "cc_state", function(p)
    return p["bth.psn"] ~= p["seth.cack_psn"] and
        say("BTH.PSN %d differs from cack_psn %d", p["bth.psn"], p["seth.cack_psn"])
end)
rule("REQ-7-02", "neth", function(p)
    return p["bth.psn"] ~= p["neth.nack_psn"] and
        say("BTH.PSN %d differs from nack_psn %d", p["bth.psn"], p["neth.nack_psn"])
end)
rule("REQ-7-03", "cc_state", function(p)
    return p["seth.m"] > 2 and say("SETH.M has the reserved value %d", p["seth.m"])
end)
rule("REQ-7-04", "neth", function(p)
    return not has_name("nack_reason", p["neth.nack_reason"]) and
        say("nack_reason 0x%02X is a reserved value", p["neth.nack_reason"])
end)
rule("REQ-7-05", "erth", function(p)
    return p["erth.op"] > 1 and say("endpoint op %d is a reserved value", p["erth.op"])
end)
rule("REQ-7-06", "eeth", function(p)
    return p["eeth.op"] > 1 and
        say("endpoint op %d of the response is a reserved value", p["eeth.op"])
end)
for _, id in ipairs({ "erth", "eeth" }) do
    rule("REQ-7-07", id, function(p)
        return p["bth.dest_qp"] ~= 2 and
            say("endpoint packet to QP 0x%X, not to QP 0x2", p["bth.dest_qp"])
    end)
    rule("REQ-7-08", id, function(p)
        return p["bth.psn"] > 65535 and
            say("PSN 0x%06X of an endpoint packet is no sixteen-bit id", p["bth.psn"])
    end)
end
local function syndrome_kind(s)
    local class = math.floor(s / 32) % 4
    return class == 0 and "ack" or (s == 0x60 or class == 1) and "rnr" or "nak"
end
rule("REQ-7-09", "aeth", function(p)
    local s = p["aeth.syndrome"]
    return syndrome_kind(s) == "ack" and s ~= 0x1F and
        say("syndrome 0x%02X of a transport ACK, not 0x1F", s)
end)
rule("REQ-7-10", "aeth", function(p)
    local s = p["aeth.syndrome"]
    return syndrome_kind(s) == "rnr" and say("syndrome 0x%02X tells of a %s", s,
        s == 0x60 and "PSN sequence error" or "receiver that is not ready")
end)
rule("REQ-7-11", "aeth", function(p)
    local s = p["aeth.syndrome"]
    return syndrome_kind(s) == "nak" and not has_name("syndrome", s) and
        say("syndrome 0x%02X is no listed NAK", s)
end)
rule("REQ-7-12", "neth", function(p)
    return p["neth.cc_type"] ~= 2 and say("cc_type of a NACK is %d, not 2", p["neth.cc_type"])
end)
rule("REQ-7-13", "cc_state", function(p)
    return p["seth.cc_type"] ~= 0 and say("cc_type of a SACK is %d, not 0", p["seth.cc_type"])
end)
rule("REQ-7-14", "cc_state", function(p)
    return first_reserved(p, { seth = true, cc_state = true })
end)
rule("REQ-7-15", "neth", function(p)
    return first_reserved(p, { neth = true })
end)
rule("REQ-7-16", "peth", function(p)
    return p["bth.psn"] ~= 0 and
        say("the PSN of a Reliability Probe is 0x%06X, reserved and not 0", p["bth.psn"]) or
        first_reserved(p, { peth = true }, "peth.rsvd3")
end)
rule("REQ-7-17", "erth", function(p)
    return first_reserved(p, { erth = true }, "erth.rsvd3")
end)
rule("REQ-7-18", "eeth", function(p)
    return first_reserved(p, { eeth = true })
end)
rule("REQ-7-19", "bth", function(p)
    return not p.is_request and (p.payload_len > 0 or p["bth.pad_cnt"] > 0) and
        say("%d bytes of payload and %d of pad in a control packet", p.payload_len,
            p["bth.pad_cnt"])
end)
rule("REQ-9-04", "bth", function(p)
    return p.is_request and p.carrier.ecn == 0 and "the request is not ECN capable"
end)
rule("REQ-9-05", "bth", function(p)
    return p.carrier.is_v6 and p.carrier.flow_label > 65535 and
        say("flow label 0x%05X has more than the EV's sixteen bits", p.carrier.flow_label)
end)
table.sort(rules, function(a, b)
    return a.id < b.id or (a.id == b.id and (a.needs or "") < (b.needs or ""))
end)

-- Calls found(id, words) for each requirement that the frame breaks. What is not decoded whole, or
-- has a wrong ICRC, is blamed for that alone.
local function judge(p, found)
    if p.error == "cut short" then
        return
    end
    for _, r in ipairs(rules) do
        if not r.needs or (not p.error and p[r.needs]) then
            local words = r.check(p)
            if words and (p.icrc_status ~= 0 or r.id == "REQ-6-11" or r.id == "REQ-6-12") then
                found(r.id, words)
            end
        end
    end
end

-- ---- connections: which frames belong together -------------------------------------------------------
-- Requests carry no source QP. A stream is known by the two hosts and the responder's QP, which
-- requests and probes name; the requestor's QP, which control packets name, is learned from the
-- first of those that only one stream can have caused.

local SPAN = 32768 -- PSNs; about the widest window

local streams_by_responder, streams_by_requestor, streams_of_pair = {}, {}, {}
local endpoints = {} -- Endpoint Requests by asker, answerer and id
local results = {}   -- by frame number
local analysed = 0   -- the last frame that was
local stream_count = 0
local base_secs

function mrc.init()
    streams_by_responder, streams_by_requestor, streams_of_pair = {}, {}, {}
    endpoints, results = {}, {}
    stream_count, base_secs, analysed = 0, nil, 0
end

local function psn_diff(a, b)
    local d = (a - b) % 2 ^ 24
    return d >= 2 ^ 23 and d - 2 ^ 24 or d
end
local function psn_add(psn, n)
    return (psn + n) % 2 ^ 24
end

local function stream_new(asker, answerer, qpn, psn)
    local s = { id = stream_count, asker = asker, answerer = answerer, qpn = qpn, first = psn,
        cack = nil, top = nil, pkts = {}, msgs = {}, evs = {}, probes = {}, in_flight = 0 }
    stream_count = stream_count + 1
    streams_by_responder[asker .. ">" .. answerer .. " " .. qpn] = s
    local pair = asker .. ">" .. answerer
    streams_of_pair[pair] = streams_of_pair[pair] or {}
    local list = streams_of_pair[pair]
    list[#list + 1] = s
    return s
end

-- PSN relative to the first of the stream, unwrapped around the highest one sent.
local function rel_psn(s, psn)
    local top = s.top or 0
    return top + psn_diff(psn, psn_add(s.first, top))
end

-- The stream of a request. A PSN that no window explains is passed over; two in a row begin a new
-- stream, since the QP may have been used again.
local function request_stream(asker, answerer, qpn, psn)
    local s = streams_by_responder[asker .. ">" .. answerer .. " " .. qpn]
    if not s then
        return stream_new(asker, answerer, qpn, psn)
    end
    if not s.first then
        s.first = psn -- probes came first
    end
    if math.abs(rel_psn(s, psn) - (s.top or 0)) <= SPAN then
        return s
    end
    if s.strange and math.abs(psn_diff(psn, s.strange)) <= SPAN then
        local list = streams_of_pair[asker .. ">" .. answerer]
        for i, other in ipairs(list) do
            if other == s then
                table.remove(list, i)
                break
            end
        end
        if s.peer_qpn then
            streams_by_requestor[answerer .. ">" .. asker .. " " .. s.peer_qpn] = nil
        end
        return stream_new(asker, answerer, qpn, psn)
    end
    s.strange = psn
    return nil
end

local function probe_stream(asker, answerer, qpn)
    return streams_by_responder[asker .. ">" .. answerer .. " " .. qpn] or
        stream_new(asker, answerer, qpn, nil)
end

-- Whether the stream can have caused a control packet for this PSN; probe_id: or for that probe.
local function may_have_caused(s, psn, probe_id)
    if probe_id and s.probes[probe_id] then
        return true
    end
    return s.first ~= nil and math.abs(rel_psn(s, psn) - (s.top or 0)) < SPAN
end

local function control_stream(from, to, qpn, psn, spdcid, probe_id)
    local key = from .. ">" .. to .. " " .. qpn
    local s = streams_by_requestor[key]
    if s then
        return may_have_caused(s, psn, probe_id) and s or nil
    end
    local any, by_id, any_count, id_count = nil, nil, 0, 0
    for _, other in ipairs(streams_of_pair[to .. ">" .. from] or {}) do
        if not other.peer_qpn and may_have_caused(other, psn, probe_id) then
            any, any_count = other, any_count + 1
            if spdcid and other.qpn % 65536 == spdcid then
                by_id, id_count = other, id_count + 1
            end
        end
    end
    s = id_count == 1 and by_id or (any_count == 1 and any or nil)
    if s then
        s.peer_qpn = qpn
        streams_by_requestor[key] = s
    end
    return s
end

-- ---- analysis: done once per frame, in the order of the capture -----------------------------------------

local GOOD, SKIP, BAD = 0, 1, 2
local MSNS_KEPT = 32768 -- of 65536: an older message of the same number is another one

local function new_result(p, s, now)
    return { stream = s, frame = p.frame, now = now }
end

-- The one among the sendings of a packet that a report tells of: by entropy value and timestamp.
local function sending_of(pkt, ev, ts)
    for i = #pkt.sends, 1, -1 do
        local sent = pkt.sends[i]
        if sent.ev == ev and (not sent.ts or sent.ts == ts) then
            return sent
        end
    end
    return nil
end

local function outstanding(s, pkt, now_out)
    if pkt.out ~= now_out then
        pkt.out = now_out
        s.in_flight = s.in_flight + (now_out and 1 or -1)
    end
end

local function note_message(p, s, r)
    local msn, op = p["meth.msn"], p["bth.opcode"]
    local m = s.msgs[msn]
    if m and math.abs(r.rel - m.rel) > MSNS_KEPT then
        m = nil
    end
    local starts = op == 0xC6 or op == 0xCA or op == 0xCB
    if not p.reth then
        r.message = m
        return
    end
    if starts and (not m or m.rel ~= r.rel) then
        m = { first = p.frame, rel = r.rel, va = p["reth.va"], len = p["reth.dma_len"] }
        s.msgs[msn] = m
    end
    if not m then
        return
    end
    if op ~= 0xC6 and op ~= 0xC7 and not m.last then
        m.last = p.frame
    end
    r.message = m
    if p["reth.va"] >= m.va then
        local offset = (p["reth.va"] - m.va):tonumber()
        if offset < 2 ^ 32 then
            r.offset = offset
        end
    end
end

local function note_ev(p, s, r)
    local state = s.evs[p.ev]
    if state and state.state ~= GOOD then
        r.ev_state, r.ev_told_in = state.state, state.frame
        if state.state == SKIP then
            state.state = GOOD -- it is skipped once
        end
    end
end

local function why_again(pkt)
    return pkt.nacked and 1 or pkt.hole and 2 or 3
end

local function again(p, s, r, pkt)
    local before = pkt.sends[#pkt.sends]
    local same = before.ev == p.ev and before.rtx == p["bth.rtx"] and
        before.ts == p["tseth.tx_timestamp"]
    if same then
        r.duplicate = before.frame
        return
    end
    r.retransmission, r.delay, r.reason = before.frame, r.now - before.now, why_again(pkt)
    before.again_in = p.frame
end

local function on_request(p, r)
    local s = request_stream(p.src, p.dst, p["bth.dest_qp"], p["bth.psn"])
    if not s then
        return nil
    end
    r.stream, r.rel = s, rel_psn(s, p["bth.psn"])
    local pkt = s.pkts[r.rel]
    if pkt then
        again(p, s, r, pkt)
    else
        pkt = { sends = {} }
        s.pkts[r.rel] = pkt
        r.original_unseen = p["bth.rtx"] == 1
    end
    r.pkt = pkt
    s.top = math.max(s.top or r.rel, r.rel)
    s.low = math.min(s.low or r.rel, r.rel)
    note_ev(p, s, r)
    if not r.duplicate then
        pkt.sends[#pkt.sends + 1] = { frame = p.frame, now = r.now, ev = p.ev,
            rtx = p["bth.rtx"], ts = p["tseth.tx_timestamp"] }
        pkt.nacked = false
        if not pkt.acked then
            outstanding(s, pkt, true)
        end
    end
    r.send = pkt.sends[#pkt.sends]
    r.in_flight = s.in_flight
    note_message(p, s, r)
    return r
end

local function acknowledge(p, s, r, rel)
    local pkt = s.pkts[rel]
    if not pkt or pkt.acked then
        return
    end
    pkt.acked, pkt.acked_now = p.frame, r.now
    outstanding(s, pkt, false)
    r.acked[#r.acked + 1] = rel
    if pkt.hole then
        r.filled = r.filled + 1
    end
end

local function advance(p, s, r, psn)
    local rel = rel_psn(s, psn)
    local from = s.cack and s.cack + 1 or s.low
    for at = from, math.min(rel, s.top) do
        acknowledge(p, s, r, at)
    end
    s.cack = math.max(s.cack or rel, rel)
    return rel
end

local function bit_of(hi, lo, i)
    local word, at = lo, i
    if i >= 32 then
        word, at = hi, i - 32
    end
    return math.floor(word / 2 ^ at) % 2 == 1
end

local function on_bitmap(p, s, r, cack)
    local base_rel, highest = cack + p["seth.sack_offset"], -1
    for i = 0, 63 do
        if bit_of(p.bitmap_hi, p.bitmap_lo, i) then
            highest = i
            if base_rel + i <= s.top then
                acknowledge(p, s, r, base_rel + i)
            end
        end
    end
    for i = 0, highest - 1 do
        local pkt = s.pkts[base_rel + i]
        if pkt and not pkt.acked and not pkt.hole and not bit_of(p.bitmap_hi, p.bitmap_lo, i) then
            pkt.hole = true
            r.holes[#r.holes + 1] = base_rel + i
        end
    end
end

-- Which packet a SACK or NACK answers; and the RTT, where the sending is sure.
local function find_trigger(s, r, rel, ev, ts)
    local pkt = s.pkts[rel]
    if not pkt then
        return nil
    end
    local sent = sending_of(pkt, ev, ts)
    r.trigger = (sent or pkt.sends[#pkt.sends]).frame
    if sent and sent.ts then
        r.rtt = r.now - sent.now
    end
    return pkt
end

local function verdict(s, r, ev, state)
    r.verdict = state
    s.evs[ev] = { state = state, frame = r.frame }
end

local function on_sack(p, r)
    local probe_id = p["seth.probe_id"]
    local s = control_stream(p.src, p.dst, p["bth.dest_qp"], p["seth.cack_psn"],
        p["seth.spdcid"], probe_id)
    if not s then
        return nil
    end
    r.stream = s
    local ev, m = p["seth.entropy"], p["seth.m"]
    if m == 1 or m == 2 then
        verdict(s, r, ev, m)
    end
    if probe_id then
        local probe = s.probes[probe_id]
        if probe then
            r.answers, r.answer_time = probe.frame, r.now - probe.now
            probe.answered = probe.answered or p.frame
            if probe.ts == p["cc_state.tx_timestamp"] then
                r.rtt = r.answer_time
            end
        end
        if m == 0 and s.evs[ev] and s.evs[ev].state ~= GOOD then
            verdict(s, r, ev, GOOD)
        end
    end
    if not s.first or not s.top then
        return r
    end
    r.rel = rel_psn(s, p["seth.cack_psn"])
    if not probe_id then
        find_trigger(s, r, r.rel + p["seth.ack_psn_offset"], ev, p["cc_state.tx_timestamp"])
    end
    on_bitmap(p, s, r, advance(p, s, r, p["seth.cack_psn"]))
    r.in_flight = s.in_flight
    return r
end

local function on_ack(p, r)
    local s = control_stream(p.src, p.dst, p["bth.dest_qp"], p["bth.psn"])
    if not s or not s.top then
        return nil
    end
    r.stream, r.rel = s, rel_psn(s, p["bth.psn"])
    if p["aeth.syndrome"] == 0x1F then
        advance(p, s, r, p["bth.psn"])
    end
    r.in_flight = s.in_flight
    return r
end

local function on_nack(p, r)
    local s = control_stream(p.src, p.dst, p["bth.dest_qp"], p["neth.nack_psn"],
        p["neth.spdcid"])
    if not s or not s.top then
        return nil
    end
    r.stream, r.rel = s, rel_psn(s, p["neth.nack_psn"])
    local pkt = find_trigger(s, r, r.rel, p["neth.entropy"], p["neth.tx_timestamp"])
    if pkt and not pkt.acked then
        pkt.nacked = true
        local sent = sending_of(pkt, p["neth.entropy"], p["neth.tx_timestamp"])
        if sent then
            sent.nacked_in = p.frame
        end
        outstanding(s, pkt, false)
    end
    if p["neth.nack_reason"] == 1 then
        verdict(s, r, p["neth.entropy"], SKIP)
    end
    r.in_flight = s.in_flight
    return r
end

local function on_probe(p, r)
    local s = probe_stream(p.src, p.dst, p["bth.dest_qp"])
    r.stream = s
    note_ev(p, s, r)
    r.probe = { frame = p.frame, now = r.now, ts = p["peth.tx_timestamp"] }
    s.probes[p["peth.probe_id"]] = r.probe
    return r
end

local function on_endpoint(p, r)
    local id = p["bth.psn"] % 65536
    if p.erth then
        r.probe = { frame = p.frame, now = r.now, ts = p["erth.tx_timestamp"] }
        endpoints[p.src .. ">" .. p.dst .. " " .. id] = r.probe
        return r
    end
    local asked = endpoints[p.dst .. ">" .. p.src .. " " .. id]
    if asked then
        r.answers, r.answer_time = asked.frame, r.now - asked.now
        asked.answered = asked.answered or p.frame
        if asked.ts == p["eeth.tx_timestamp"] then
            r.rtt = r.answer_time
        end
    end
    return r
end

-- Nanoseconds from the start of the second in which the capture's first packet came.
local function time_of(pinfo)
    local info = time_field()
    if not info then
        return math.floor(pinfo.rel_ts * 1e9 + 0.5)
    end
    local t = info.value
    base_secs = base_secs or t.secs
    return (t.secs - base_secs) * 1e9 + t.nsecs
end

local function analyse(p, pinfo)
    local r = { frame = p.frame, now = time_of(pinfo), acked = {}, holes = {}, filled = 0 }
    if p.is_request then
        return p.meth and on_request(p, r)
    end
    local by_header = { cc_state = on_sack, aeth = on_ack, neth = on_nack, peth = on_probe,
        erth = on_endpoint, eeth = on_endpoint }
    for id, handler in pairs(by_header) do
        if p[id] then
            return handler(p, r)
        end
    end
    return nil
end

-- ---- the tree and the Info column -----------------------------------------------------------------------

local function ranges(list, first)
    local parts, i = {}, 1
    while i <= #list do
        local last = i
        while last < #list and list[last + 1] == list[last] + 1 do
            last = last + 1
        end
        local from, to = list[i] + first, list[last] + first
        parts[#parts + 1] = i == last and string.format("%.0f", from % 2 ^ 24) or
            string.format("%.0f-%.0f", from % 2 ^ 24, to % 2 ^ 24)
        i = last + 1
    end
    return table.concat(parts, ", ")
end

local function show_udp(tvb, tree, p)
    local udp = tree:add(fields.udp, tvb(0, 8))
    udp:set_text(say("User Datagram Protocol, Src Port: %d, Dst Port: %d", p.src_port, p.dst_port))
    udp:add(fields["udp.srcport"], tvb(0, 2))
    udp:add(fields["udp.dstport"], tvb(2, 2))
    udp:add(fields["udp.port"], tvb(0, 2)):set_hidden(true)
    udp:add(fields["udp.port"], tvb(2, 2)):set_hidden(true)
    local length = udp:add(fields["udp.length"], tvb(4, 2))
    if p.short then
        length:append_text(say(" (as sent; %d bytes are left)", p.carrier.ip_end))
    end
    udp:add(fields["udp.checksum"], tvb(6, 2))
end

local function show_ev(tvb, tree, p)
    local item = tree:add(fields.ev, p.ev)
    item:set_generated(true)
    for _, f in ipairs(ev_format) do
        local value = math.floor(p.ev / f.divisor) % f.modulus
        if fields["ev." .. f.name] then
            item:add(fields["ev." .. f.name], value):set_generated(true)
        else
            item:add(mrc, tvb(0, 0)):set_text(say("%s: %d", f.name, value))
        end
        item:append_text(say(", %s %d", f.name, value))
    end
end

local function show_outer(tree, p)
    local c, r = p.carrier, p.carrier.frame
    local outer = tree:add(mrc, r(c.outer, c.ip - c.outer))
    outer:set_text("SRv6, carried in an outer IPv6 header")
    outer:add(fields["srv6.src"], r(c.outer + 8, 16))
    local dst = outer:add(fields["srv6.dst"], r(c.outer + 24, 16))
    for i = 2, 7 do
        if u16(r, c.outer + 24 + 2 * i) ~= 0 then
            dst:add(fields["srv6.usid"], r(c.outer + 24 + 2 * i, 2))
        end
    end
    if c.srh and c.srh + 24 <= c.ip then
        outer:add(fields["srv6.segments_left"], r(c.srh + 3, 1))
        local segment = outer:add(fields["srv6.segment"], r(c.srh + 8, 16))
        for i = 2, 7 do
            if u16(r, c.srh + 8 + 2 * i) ~= 0 then
                segment:add(fields["srv6.usid"], r(c.srh + 8 + 2 * i, 2))
            end
        end
    end
    outer:add(fields["srv6.inner_dscp"], c.inner_dscp):set_generated(true)
    outer:add(fields["srv6.inner_ecn"], c.inner_ecn):set_generated(true)
end

local function show_carrier(tvb, tree, p)
    local c = p.carrier
    show_ev(tvb, tree, p)
    if c.dscp then
        tree:add(fields.dscp, c.dscp):set_generated(true)
        tree:add(fields.ecn, c.ecn):set_generated(true)
    end
    if c.outer then
        show_outer(tree, p)
    end
    if p.trim > 0 then
        local item = tree:add(fields.trimmed, p.trim)
        item:set_generated(true)
        if p.short then
            item:append_text(say(", %d of %d bytes are left", c.ip_end, p.udp_end))
        end
        item:add_proto_expert_info(experts.trimmed)
    end
end

local function show_bitmap(tvb, tree, p, off)
    local base_psn = p["seth.cack_psn"] + p["seth.sack_offset"]
    local arrived, unknown, highest = {}, {}, -1
    for i = 0, 63 do
        if bit_of(p.bitmap_hi, p.bitmap_lo, i) then
            arrived[#arrived + 1], highest = i, i
        end
    end
    local drawn = {}
    for i = 0, highest do
        local set = bit_of(p.bitmap_hi, p.bitmap_lo, i)
        drawn[#drawn + 1] = set and "x" or "."
        if not set then
            unknown[#unknown + 1] = i
        end
    end
    local item = tree:add(fields["seth.bitmap"], tvb(off + 20, 8))
    item:set_text("Bitmap from PSN " .. string.format("%.0f", base_psn % 2 ^ 24) .. ": " ..
        (highest < 0 and "nothing" or table.concat(drawn)))
    item:add(fields["seth.arrived"], tvb(off + 20, 8), ranges(arrived, base_psn))
        :set_generated(true)
    item:add(fields["seth.unknown"], tvb(off + 20, 8), ranges(unknown, base_psn))
        :set_generated(true)
    if p["seth.ack_psn_offset"] then
        tree:add(fields["seth.trigger_psn"], tvb(off + 2, 2),
            psn_add(p["seth.cack_psn"], p["seth.ack_psn_offset"])):set_generated(true)
    end
end

local function show_headers(tvb, tree, p)
    for _, h in ipairs(p.headers) do
        local sub = tree:add(mrc, tvb(h.off, h.header.len))
        sub:set_text(h.header.title)
        for _, place in ipairs(h.header.places) do
            if p[place.name] ~= nil or place.blob then
                sub:add(fields[place.name], tvb(h.off + place.byte, place.len))
            end
        end
        if h.header.id == "seth" then
            show_bitmap(tvb, sub, p, h.off)
        elseif h.header.id == "neth" then
            sub:add_proto_expert_info(experts.nack)
        end
    end
end

local function show_tail(tvb, tree, p)
    if p.payload_len then
        tree:add(fields.payload_len, p.payload_len):set_generated(true)
    end
    if p.payload then
        tree:add(fields.payload, p.payload)
    end
    if p.icrc then
        tree:add_le(fields.icrc, tvb(p.icrc_at, 4))
    end
    if p.icrc_expected and p.icrc_status < 2 then
        tree:add(fields["icrc.expected"], p.icrc_expected):set_generated(true)
    end
    tree:add(fields["icrc.status"], p.icrc_status):set_generated(true)
end

local function show_errors(tree, p)
    if p.error then
        local item = tree:add(fields.error, p.error)
        item:set_generated(true)
        local kind = p.error == "cut short" and experts.cut or p.error == "icrc" and experts.icrc or
            experts.error
        item:add_proto_expert_info(kind, p.error)
    end
    judge(p, function(id, words)
        local item = tree:add(fields.requirement, id)
        item:set_generated(true)
        item:append_text(": " .. words)
        item:add_proto_expert_info(experts.broken, id .. ": " .. words)
    end)
end

local function ns_time(ns)
    local sign = ns < 0 and -1 or 1
    local secs = math.floor(math.abs(ns) / 1e9)
    return NSTime.new(math.floor(sign * secs), math.floor(sign * (math.abs(ns) % 1e9)))
end

local LINKS_MAX = 64 -- shown per frame

local function show_request(put, r)
    local pkt, sent = r.pkt, r.send
    put("retransmission", r.retransmission)
    put("retransmission.delay", r.delay and ns_time(r.delay))
    put("retransmission.reason", r.reason)
    put("duplicate", r.duplicate)
    if r.original_unseen then
        put("original_unseen", true)
    end
    put("retransmitted_in", sent.again_in)
    put("acked_in", pkt.acked)
    put("acked_time", pkt.acked and ns_time(pkt.acked_now - sent.now))
    put("nacked_in", sent.nacked_in)
    if r.message then
        put("message.first", r.message.first)
        put("message.last", r.message.last)
        put("message.offset", r.offset)
        put("message.length", r.message.len)
    end
end

local function show_report(put, r)
    local s = r.stream
    put("newly_acked", #r.acked > 0 and #r.acked or nil)
    put("newly_acked_psns", #r.acked > 0 and ranges(r.acked, s.first) or nil)
    for i = 1, math.min(#r.acked, LINKS_MAX) do
        local sends = s.pkts[r.acked[i]].sends
        put("acks_frame", sends[#sends].frame)
    end
    put("holes", #r.holes > 0 and #r.holes or nil)
    for i = 1, math.min(#r.holes, LINKS_MAX) do
        put("hole", psn_add(s.first, r.holes[i]))
        put("hole_frame", s.pkts[r.holes[i]].sends[1].frame)
    end
    put("holes_filled", r.filled > 0 and r.filled or nil)
end

local function show_analysis(tree, r)
    local sub = tree:add(mrc)
    sub:set_text("Analysis")
    sub:set_generated(true)
    local function put(name, value)
        if value ~= nil then
            local item = sub:add(fields["analysis." .. name], value)
            item:set_generated(true)
            return item
        end
        return nil
    end
    put("rel_psn", r.rel)
    if r.pkt then
        show_request(put, r)
    end
    put("trigger", r.trigger)
    put("rtt", r.rtt and ns_time(r.rtt))
    put("answered_in", r.probe and r.probe.answered)
    put("answers", r.answers)
    put("answer_time", r.answer_time and ns_time(r.answer_time))
    put("ev_state", r.ev_state)
    put("ev_told_in", r.ev_told_in)
    put("ev_verdict", r.verdict)
    if r.stream then
        show_report(put, r)
    end
    put("in_flight", r.in_flight)
    if r.retransmission or r.original_unseen then
        sub:add_proto_expert_info(experts.retransmission)
    end
    if #r.holes > 0 then
        sub:add_proto_expert_info(experts.hole)
    end
end

-- ---- the Info column ----

local function psn_text(p, r, psn)
    if mrc.prefs.relative_psn and r and r.stream and r.stream.first and r.rel then
        return string.format("%.0f", r.rel + psn_diff(psn, p["bth.psn"]))
    end
    return string.format("%.0f", psn)
end

local function list_text(r, list)
    local first = r.stream.first
    return mrc.prefs.relative_psn and ranges(list, 0) or ranges(list, first)
end

local function info_of_kind(p, r, add)
    if p.is_request then
        add("PSN=%s", psn_text(p, r, p["bth.psn"]))
        add(p.meth and "MSN=%d", p["meth.msn"])
        add(p.payload_len and "Len=%d", p.payload_len)
        add(r and r.offset and "%s", r and r.offset and
            string.format("Off=%.0f/%.0f", r.offset, r.message.len))
        add("EV=0x%08x", p.ev)
    elseif p.cc_state then
        add("cAck=%s", psn_text(p, r, p["seth.cack_psn"]))
        add(p["seth.ack_psn_offset"] and "Trigger=%s",
            p["seth.ack_psn_offset"] and
            psn_text(p, r, psn_add(p["seth.cack_psn"], p["seth.ack_psn_offset"])))
        add(p["seth.probe_id"] and "Probe=0x%04x", p["seth.probe_id"])
        add("EV=0x%08x", p["seth.entropy"])
        add(p["seth.m"] > 0 and "M=%s", has_name("seth_m", p["seth.m"]) or "reserved")
        add(p["cc_state.ooo_count"] > 0 and "OOO=%d", p["cc_state.ooo_count"])
    elseif p.neth then
        add("PSN=%s", psn_text(p, r, p["neth.nack_psn"]))
        add("%s", has_name("nack_reason", p["neth.nack_reason"]) or "unlisted")
        add("EV=0x%08x", p["neth.entropy"])
    elseif p.aeth then
        add("PSN=%s", psn_text(p, r, p["bth.psn"]))
        add("MSN=%d", p["aeth.msn"])
        add("%s", has_name("syndrome", p["aeth.syndrome"]) or "unlisted")
    elseif p.peth then
        add("Probe=0x%04x", p["peth.probe_id"])
        add("EV=0x%08x", p.ev)
    elseif p.erth or p.eeth then
        local op = p.erth and p["erth.op"] or p["eeth.op"]
        add("%s", has_name("ep_op", op) or "reserved")
        add("Id=0x%04x", p["bth.psn"] % 65536)
        add(p.erth and op == 0 and "Ports=0x%08x", p["erth.port_status_mask"])
    end
end

local function info_of_analysis(r, add)
    add(r.retransmission and "[Retransmission of frame %d]", r.retransmission)
    add(r.original_unseen and "[Retransmission, original not captured]")
    add(r.duplicate and "[Same as frame %d]", r.duplicate)
    add(r.pkt and r.pkt.acked and "%s", r.pkt and r.pkt.acked and
        string.format("[Acked in frame %.0f after %.3f us]", r.pkt.acked,
            (r.pkt.acked_now - r.send.now) / 1000))
    add(r.ev_state and "[EV told: %s]", r.ev_state and EV_STATES[r.ev_state])
    add(r.answers and "[Answers frame %d]", r.answers)
    add(#r.acked > 0 and "[Acks %s]", #r.acked > 0 and list_text(r, r.acked))
    add(#r.holes > 0 and "[Holes %s]", #r.holes > 0 and list_text(r, r.holes))
    add(r.rtt and "[RTT %.3f us]", r.rtt and r.rtt / 1000)
end

local function info_text(p, r)
    local parts = {}
    local function add(format, value)
        if format then
            if format:find("%%[dx0]") and value then
                value = math.floor(value)
            end
            parts[#parts + 1] = value ~= nil and string.format(format, value) or format
        end
    end
    local chain = OPCODES[p["bth.opcode"]]
    add("%s", chain and chain.name or "MRC")
    add(p["bth.dest_qp"] and "QP=0x%x", p["bth.dest_qp"])
    info_of_kind(p, r, add)
    add(p["bth.a"] == 1 and "A")
    add(p["bth.rtx"] == 1 and "RTX")
    add(p.carrier.ecn == 3 and "CE")
    add(p.trim == 1 and "[Trimmed]")
    add(p.trim == 2 and "[Trimmed at the last hop]")
    add(p.error and "[%s]", p.error)
    if r then
        info_of_analysis(r, add)
    end
    return table.concat(parts, " ")
end

-- ---- taking the place of UDP ---------------------------------------------------------------------------
-- A trimmed packet's UDP length is that of the packet as sent, which the UDP dissector calls
-- malformed; and its source port, an entropy value, often is another protocol's. So datagrams to
-- MRC's ports are taken before UDP sees them, and all others are handed on.

local ip_proto = DissectorTable.get("ip.proto")
local udp_dissector = ip_proto:get_dissector(17)

local function is_mrc(tvb, pinfo)
    return tvb:len() > 8 and port_is_mrc[u16(tvb, 2)] and math.floor(u8(tvb, 8) / 32) == 6 and
        not pinfo.fragmented and not pinfo.in_error_pkt
end

local function result_of(p, pinfo)
    if not mrc.prefs.analyse then
        return nil
    end
    -- A pass without trees, such as the first one of tshark -2 without a filter, shows no bytes of
    -- the IP header: then the next pass is the one to learn from.
    if p.frame > analysed and p.carrier.frame then
        analysed = p.frame
        results[p.frame] = not p.error and analyse(p, pinfo) or nil
    end
    return results[p.frame]
end

local function set_columns(pinfo, p, r)
    pinfo.src_port, pinfo.dst_port = p.src_port, p.dst_port
    pinfo.cols.protocol = "MRC"
    pinfo.cols.info = info_text(p, r)
end

-- What another dissector throws has been shown by then; it is no error of this script's.
local function hand_on(tvb, pinfo, tree)
    local ok, taken = pcall(udp_dissector.call, udp_dissector, tvb, pinfo, tree)
    return ok and taken or tvb:len()
end

function mrc.dissector(tvb, pinfo, tree)
    if not is_mrc(tvb, pinfo) then
        return hand_on(tvb, pinfo, tree)
    end
    local p = decode(tvb, pinfo)
    p.tvb, p.frame = tvb, pinfo.number
    p.src, p.dst = tostring(pinfo.net_src), tostring(pinfo.net_dst)
    if p.seth then
        local at = p.headers[2].off + 20
        p.bitmap_hi, p.bitmap_lo = tvb(at, 4):uint(), tvb(at + 4, 4):uint()
    end
    local r = result_of(p, pinfo)
    set_columns(pinfo, p, r)
    show_udp(tvb, tree, p)
    local sub = tree:add(mrc, tvb(8))
    sub:append_text(p["bth.opcode"] and OPCODES[p["bth.opcode"]] and
        ", " .. OPCODES[p["bth.opcode"]].name or "")
    if r and r.stream then
        sub:add(fields.stream, r.stream.id):set_generated(true)
    end
    show_carrier(tvb, sub, p)
    show_headers(tvb, sub, p)
    show_tail(tvb, sub, p)
    show_errors(sub, p)
    if r then
        show_analysis(sub, r)
    end
    return tvb:len()
end

ip_proto:add(17, mrc)
