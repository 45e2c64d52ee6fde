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
