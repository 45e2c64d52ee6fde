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
