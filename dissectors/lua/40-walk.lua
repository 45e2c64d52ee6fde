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
