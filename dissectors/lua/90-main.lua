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
