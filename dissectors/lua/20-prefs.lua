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
