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
