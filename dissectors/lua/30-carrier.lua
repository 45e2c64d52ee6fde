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
