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
