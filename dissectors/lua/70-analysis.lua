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
