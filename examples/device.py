# SPDX-License-Identifier: BSD-2-Clause
"""A minimal MRC endpoint in software, over IPv6: writes in both roles, SACKs and ACKs, one frame at
a time for each free port, retransmission by time-out. It has a fixed window, heeds no NACK, and has
neither immediates nor probes of its own. It stands where a real device would, and shows what one is
asked for."""
import ipaddress
import struct
import zlib
from collections import deque

WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY = 0xC6, 0xC7, 0xC8, 0xCA
ACK, EP_REQUEST, EP_RESPONSE, SACK, PROBE = 0xD1, 0xD8, 0xD9, 0xDC, 0xDE
A, RTX, TS = 0x80, 0x20, 0x10  # in byte 8 of the BTH
SYN_ACK, SYN_INVALID, SYN_ACCESS = 0x1F, 0x61, 0x62
STATUS = {SYN_INVALID: "remote_invalid", SYN_ACCESS: "remote_access", 0x63: "remote_op"}
SKIP_ONCE = 1
CE = 3  # of ECN
PSN = 0xFFFFFF
NODE_QPN = 2
NS_PER_TIMEOUT_UNIT = 1024
# Bytes of headers after the BTH, without a TSETH.
HEADERS = {WRITE_FIRST: 20, WRITE_MIDDLE: 20, WRITE_LAST: 20, WRITE_ONLY: 20, ACK: 4,
           EP_REQUEST: 16, SACK: 36, PROBE: 16}


class Refused(Exception):
    """The word of an answer, and why."""


def diff(a, b):
    """a - b of PSNs, signed."""
    return ((a - b + 0x800000) & PSN) - 0x800000


def ipv6(text):
    address = ipaddress.ip_address(text)
    if address.version != 6:
        raise Refused("unsupported", "this device speaks IPv6 alone")
    return address.packed


def icrc(ip):
    """Over all from the IPv6 header on; what may change on the way counts as ones."""
    b = bytearray(ip)
    b[0] |= 0x0F  # traffic class, flow label
    b[1:4] = b"\xff\xff\xff"
    b[7] = 0xFF  # hop limit
    b[46:48] = b"\xff\xff"  # UDP checksum
    b[52] = 0xFF  # the part of the BTH that switches may change
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + b))


def bth(opcode, pad, qpn, flags, psn):
    return struct.pack(">BBHIBBH", opcode, pad << 4, 0xFFFF, qpn, flags, psn >> 16, psn & 0xFFFF)


class Device:
    """A node: its ports, regions and QPs. Frames leave when the harness asks for them."""

    def __init__(self, node, wire, ports, memory):
        self.node, self.wire, self.memory = node, wire, memory
        self.ports = [(ipv6(p["ip"]), bytes.fromhex(p["mac"].replace(":", ""))) for p in ports]
        if wire["q3"] != "a" or node["vlan"]:
            raise Refused("unsupported", "this device has neither VLANs nor other entropy")
        self.regions = {}  # rkey: first, end
        self.qps = {}
        self.control = deque()  # port and frame of answers
        self.events = []
        self.now = 0
        self.turn = 0

    # ---- what the agent asks for ----
    def register(self, va, length, remote_write):
        self.memory.at(va, length)
        rkey = 0x1000 + len(self.regions)
        self.regions[rkey] = (va, va + length if remote_write else va)
        return rkey

    def create_qp(self, attributes):
        qpn = attributes["qpn"] or 16 + len(self.qps)
        if attributes["cc"] is not None or not attributes["evs"]:
            raise Refused("unsupported", "this device has a fixed window and a list of EVs")
        self.qps[qpn] = Qp(self, qpn, attributes)
        return qpn

    def qp(self, qpn):
        if qpn not in self.qps:
            raise Refused("not_found", "no such QP")
        return self.qps[qpn]

    def take_events(self):
        events, self.events = self.events, []
        return events

    def event(self, kind, qp, status="success", **more):
        self.events.append({"kind": kind, "status": status, "time": self.now, "qpn": qp.qpn,
                            **more})

    # ---- frames out ----
    def frame(self, port, to, ev, service, ecn, transport, payload=b"", pad=0):
        """An Ethernet frame with headers and ICRC. The EV is UDP source port and flow label."""
        (src, src_mac), (dst, dst_mac) = self.ports[port], to
        rest = transport + payload + bytes(pad)
        length = 8 + len(rest) + 4
        word = 6 << 28 | service << 22 | ecn << 20 | ev & 0xFFFF
        ip = (struct.pack(">IHBB", word, length, 17, 64) + src + dst +
              struct.pack(">HHHH", ev >> 16, self.node["udp_port"], length, 0) + rest)
        return dst_mac + src_mac + b"\x86\xdd" + ip + icrc(ip)

    def answer(self, port, to, ev, transport):
        frame = self.frame(port, to, ev, self.wire["dscp_control"], 0, transport)
        self.control.append((port, frame))

    def output(self, now, mask):
        """At most one frame for each port of the mask: answers first, then the QPs in turn."""
        self.now = now
        frames = []
        for i in range(len(self.control)):
            port, frame = self.control.popleft()
            if mask >> port & 1:
                frames.append((port, frame))
                mask &= ~(1 << port)
            else:
                self.control.append((port, frame))
        qps = list(self.qps.values())
        idle = 0
        while mask and qps and idle < len(qps):
            qp = qps[self.turn % len(qps)]
            self.turn += 1
            one = qp.next_frame(mask)
            if one:
                frames.append(one)
                mask &= ~(1 << one[0])
            idle = 0 if one else idle + 1
        return frames

    # ---- frames in ----
    def input(self, now, port, frame):
        """What is not for this device, or damaged, is dropped without a word."""
        self.now = now
        ip, end = frame[14:], 0
        if frame[12:14] == b"\x86\xdd" and len(ip) >= 40:
            end = 40 + int.from_bytes(ip[4:6], "big")
        if end < 64 or len(ip) < end or ip[6] != 17 or icrc(ip[:end - 4]) != ip[end - 4:end]:
            return
        p = Packet(ip[:end], frame[6:12], port)
        if p.udp_port not in self.wire["udp_ports"] or p.version != 0 or p.udp_len != end - 40:
            return
        if p.pkey != self.node["pkey"] or len(p.body) < HEADERS.get(p.opcode, end):
            return
        if p.qpn == NODE_QPN and p.opcode == EP_REQUEST and p.body[1] & 3 < 2:
            self.answer_node(p)
        elif p.qpn in self.qps and p.qpn != NODE_QPN:
            self.qps[p.qpn].packet(p)

    def answer_node(self, p):
        """An Endpoint Response: the request's id, operation and timestamp."""
        eeth = bytearray(36)
        eeth[1] = (p.body[1] & 3) << 2
        eeth[28:30] = p.body[12:14]
        self.answer(p.port, p.source, p.ev, bth(EP_RESPONSE, 0, NODE_QPN, 0, p.psn) + eeth)

    # ---- time ----
    def deadline(self):
        due = [qp.due() for qp in self.qps.values() if qp.due() is not None]
        return min(due) if due else None

    def tick(self, now):
        self.now = now
        for qp in self.qps.values():
            if qp.due() is not None and qp.due() <= now:
                qp.timed_out()


class Packet:
    """What a frame holds, from the IPv6 header to the pad."""

    def __init__(self, ip, mac, port):
        self.port, self.source = port, (ip[8:24], mac)
        self.ev = int.from_bytes(ip[40:42], "big") << 16 | int.from_bytes(ip[2:4], "big")
        self.marked = ip[1] >> 4 & 3 == CE
        self.nominal = len(ip)  # UDP length + 40
        self.udp_port, self.udp_len = struct.unpack(">HH", ip[42:46])
        self.opcode, self.pad, self.version = ip[48], ip[49] >> 4 & 3, ip[49] & 15
        self.pkey = int.from_bytes(ip[50:52], "big")
        self.qpn = int.from_bytes(ip[53:56], "big")
        self.flags = ip[56]
        self.psn = int.from_bytes(ip[57:60], "big")
        self.body = ip[60:len(ip) - 4]  # the headers after the BTH, the payload, the pad


class Request:
    """A packet that is on its way until a SACK covers it."""

    def __init__(self, psn, opcode, msn, flags, va, rkey, message, payload):
        self.psn, self.opcode, self.msn, self.flags = psn, opcode, msn, flags
        self.va, self.rkey, self.message, self.payload = va, rkey, message, payload
        self.pad = -len(payload) % 4
        self.sent_at, self.sends = None, 0
        self.tries = 0  # since the latest progress


class Qp:
    def __init__(self, device, qpn, attributes):
        self.device, self.qpn, self.attributes = device, qpn, attributes
        self.peer, self.failed = None, False
        # requestor
        self.evs = deque((e["port"], e["ev"]) for e in attributes["evs"])
        self.reverse = {}  # port: the EV that answers take
        for port, ev in self.evs:
            self.reverse.setdefault(port, ev)
        self.psn, self.msn = attributes["start_psn"], 0
        self.waiting = deque()  # requests that were not sent, or have to be sent again
        self.sent = {}          # PSN: request that was sent and not SACKed
        self.messages = deque() # last PSN and wr_id of writes that are not acknowledged
        self.unsent = self.unacked = self.psn
        self.cack = (self.psn - 1) & PSN
        # responder
        self.expected, self.arrived = None, {}  # arrived: PSN: whether it ends a message
        self.highest = None
        self.received_bytes = self.unsacked_bytes = self.done = 0
        self.ack_wanted = []  # PSNs whose requests asked for an ACK

    def connect(self, peer):
        self.peer = peer
        self.to = [(ipv6(p["ip"]), bytes.fromhex(p["mac"].replace(":", ""))) for p in peer["ports"]]
        self.window = 128 * peer["mpr"]
        self.expected = peer["start_psn"]
        self.highest = (self.expected - 1) & PSN

    # ---- the requestor ----
    def write(self, q):
        """Cuts a message into requests. The last one asks for an ACK."""
        if self.peer is None or self.failed:
            raise Refused("state", "the QP is not connected")
        if q["has_imm"]:
            raise Refused("unsupported", "this device has no immediates")
        if len(self.messages) >= self.attributes["sq_depth"]:
            raise Refused("full", "the queue is full")
        mtu, size = self.device.node["path_mtu"], q["len"]
        data = self.device.memory.read(q["local"], size)
        for at in range(0, size, mtu):
            first, last = at == 0, at + mtu >= size
            opcode = WRITE_ONLY if first and last else (
                WRITE_FIRST if first else WRITE_LAST if last else WRITE_MIDDLE)
            self.waiting.append(Request(self.psn, opcode, self.msn, A if last else 0,
                                        q["remote"] + at, q["rkey"], size, data[at:at + mtu]))
            self.psn = (self.psn + 1) & PSN
        self.messages.append(((self.psn - 1) & PSN, q["wr_id"]))
        self.msn = (self.msn + 1) & 0xFFFF

    def next_ev(self, mask):
        """The next EV of the rotation whose port is free."""
        for i, (port, ev) in enumerate(self.evs):
            if mask >> port & 1:
                del self.evs[i]
                self.evs.append((port, ev))
                return port, ev
        return None

    def next_frame(self, mask):
        if not self.waiting or self.failed:
            return None
        r = self.waiting[0]
        in_flight = sum(len(s.payload) + 112 for s in self.sent.values())
        if self.sent and in_flight + len(r.payload) + 112 > self.attributes["cwnd_bytes"]:
            return None
        if diff(r.psn, self.cack) > self.window:
            return None
        where = self.next_ev(mask)
        if where is None:
            return None
        self.waiting.popleft()
        return where[0], self.send(r, *where)

    def send(self, r, port, ev):
        d, wire = self.device, self.device.wire
        again = r.sends > 0
        r.sends += 1
        r.tries += 1
        r.sent_at = d.now
        if not again:
            self.unsent = (r.psn + 1) & PSN
        self.sent[r.psn] = r
        service = "dscp_no_trim"
        if d.node["trimmable"]:
            service = "dscp_trimmable_retx" if again else "dscp_trimmable"
        flags = r.flags | (RTX if again else 0) | (TS if d.node["tseth"] else 0)
        headers = bth(r.opcode, r.pad, self.peer["qpn"], flags, r.psn)
        headers += struct.pack(">HH", 0, r.msn)
        if d.node["tseth"]:
            headers += struct.pack(">HH", d.now // 128 & 0xFFFF, 1)
        headers += struct.pack(">QII", r.va, r.rkey, r.message)
        return d.frame(port, self.to[port], ev, wire[service], 2 if d.node["ecn"] else 0, headers,
                       r.payload, r.pad)

    def expiry(self, r):
        """The first retries come at one interval, then it doubles."""
        a = self.attributes
        doublings = max(0, r.tries - 1 - a["linear_cnt"])
        wait = NS_PER_TIMEOUT_UNIT << a["timeout"] << doublings
        return r.sent_at + (min(wait, a["exp_ceiling_ns"]) if doublings else wait)

    def due(self):
        """When a request has been on its way for too long."""
        return min(map(self.expiry, self.sent.values())) if self.sent else None

    def timed_out(self):
        r = min(self.sent.values(), key=self.expiry)
        if r.tries > self.attributes["linear_cnt"] + self.attributes["exp_cnt"]:
            return self.fail("retry_exceeded")
        del self.sent[r.psn]
        self.waiting.appendleft(r)

    def take_sack(self, p):
        cack = int.from_bytes(p.body[13:16], "big")
        base = cack + int.from_bytes(p.body[18:20], "big", signed=True)
        bitmap = int.from_bytes(p.body[20:28], "big")
        if diff(cack, self.unsent) >= 0:
            return
        self.arrived_up_to(cack)
        for i in range(64):
            if bitmap >> i & 1:
                self.forget((base + i) & PSN)

    def arrived_up_to(self, psn):
        if diff(psn, self.cack) > 0:
            for r in self.sent.values():
                r.tries = 1
        while diff(psn, self.cack) > 0:
            self.cack = (self.cack + 1) & PSN
            self.forget(self.cack)

    def forget(self, psn):
        """A request that has arrived is not sent again."""
        self.sent.pop(psn, None)
        if self.waiting and self.waiting[0].sends:
            self.waiting = deque(r for r in self.waiting if r.psn != psn or not r.sends)

    def take_ack(self, p):
        """An ACK completes all up to its PSN, a NAK all before it."""
        refused = STATUS.get(p.body[0])
        if diff(p.psn, self.unsent) >= 0 or diff(p.psn, self.unacked) < 0:
            return
        if not refused and p.body[0] != SYN_ACK:
            return
        self.unacked = p.psn if refused else (p.psn + 1) & PSN
        self.arrived_up_to((self.unacked - 1) & PSN)
        while self.messages and diff(self.messages[0][0], p.psn) < (0 if refused else 1):
            self.device.event("send_done", self, wr_id=self.messages.popleft()[1])
        if refused:
            self.fail(refused)

    def fail(self, why, status=None):
        """The oldest write fails, the others are flushed, and the QP does no more."""
        self.failed, status = True, status or why
        self.sent.clear()
        self.waiting.clear()
        for _, wr_id in self.messages:
            self.device.event("send_done", self, status, wr_id=wr_id)
            status = "flushed"
        self.messages.clear()
        self.device.event("qp_error", self, why)

    # ---- the responder ----
    def packet(self, p):
        if self.peer is None or self.failed:
            return
        if p.opcode == SACK:
            self.take_sack(p)
        elif p.opcode == ACK:
            self.take_ack(p)
        elif p.opcode == PROBE:
            self.sack(p, probe=True)
        elif p.opcode in (WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY):
            self.request(p)

    def request(self, p):
        headers = HEADERS[p.opcode] + (4 if p.flags & TS else 0)
        if len(p.body) < headers:
            return
        data = p.body[headers:len(p.body) - p.pad]
        ahead = diff(p.psn, self.expected)
        mtu = self.device.node["path_mtu"]
        least = mtu if p.opcode in (WRITE_FIRST, WRITE_MIDDLE) else 1
        va, rkey, message = struct.unpack(">QII", p.body[headers - 16:headers])
        if not least <= len(data) <= mtu or (p.opcode == WRITE_ONLY and message != len(data)):
            return
        if ahead >= 128 * self.attributes["mpr"]:
            return
        if ahead < 0 or p.psn in self.arrived:
            self.sack(p)
            if ahead < 0:
                self.ack(p.port)
            elif p.flags & A:
                self.ack_wanted.append(p.psn)
            return
        first, end = self.device.regions.get(rkey, (0, 0))
        good = first <= va and va + len(data) <= end
        if good:
            self.device.memory.write(va, data)
        self.arrived[p.psn] = p.opcode in (WRITE_LAST, WRITE_ONLY) if good else None
        if diff(p.psn, self.highest) > 0:
            self.highest = p.psn
        self.received_bytes += p.nominal
        self.unsacked_bytes += max(len(data), self.device.node["sack_min_packet"])
        if p.flags & A:
            self.ack_wanted.append(p.psn)
        refused = self.advance()
        if (p.flags & (A | RTX) or p.marked
                or self.unsacked_bytes > self.device.node["sack_threshold"]):
            self.sack(p)
        if refused:
            self.nak(p.port)
        elif any(diff(psn, self.expected) < 0 for psn in self.ack_wanted):
            self.ack_wanted = [psn for psn in self.ack_wanted if diff(psn, self.expected) >= 0]
            self.ack(p.port)

    def advance(self):
        """Over what has arrived in a row. True: the next one cannot be carried out."""
        while self.expected in self.arrived:
            if self.arrived[self.expected] is None:
                return True
            self.done += self.arrived.pop(self.expected)
            self.expected = (self.expected + 1) & PSN
        return False

    def answer(self, port, opcode, flags, psn, headers):
        self.device.answer(port, self.to[port], self.reverse.get(port, self.evs[0][1]),
                           bth(opcode, 0, self.peer["qpn"], flags, psn) + headers)

    def sack(self, p, probe=False):
        """Tells what has arrived; entropy, RTX and timestamp are those of the packet that asked."""
        cack = (self.expected - 1) & PSN
        base = max(1, diff(self.highest, cack) - 63)
        bitmap = sum(1 << i for i in range(64) if (cack + base + i) & PSN in self.arrived)
        stamp = 0
        if probe:
            stamp = int.from_bytes(p.body[12:14], "big")
        elif p.flags & TS:
            stamp = int.from_bytes(p.body[4:6], "big")
        about = p.body[4:6] if probe else struct.pack(">h", diff(p.psn, cack))
        units = -(-self.received_bytes // 256) & PSN
        seth = (struct.pack(">BB", 0, (SKIP_ONCE << 5 if p.marked else 0) | (2 if probe else 0)) +
                about + struct.pack(">IHHIBBhQ", p.ev, self.qpn & 0xFFFF, self.peer["qpn"] & 0xFFFF,
                                    cack, 0, 0, base, bitmap))
        self.answer(p.port, SACK, 0 if probe else p.flags & RTX, cack,
                    seth + struct.pack(">HHI", stamp, len(self.arrived), units))
        if not probe:
            self.unsacked_bytes = 0

    def ack(self, port):
        self.answer(port, ACK, 0, (self.expected - 1) & PSN,
                    struct.pack(">I", SYN_ACK << 24 | self.done & PSN))

    def nak(self, port):
        self.answer(port, ACK, 0, self.expected,
                    struct.pack(">I", SYN_ACCESS << 24 | self.done & PSN))
        self.fail("local_access", "flushed")
