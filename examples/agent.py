#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An agent in Python to start from (docs/reference/agent-protocol.md): the session, the memory and
every operation that plain writes need. The device behind it, device.py, is a minimal endpoint in
software; put yours in its place. Cases and operations that are not here are answered with
"unsupported", which costs nothing: be honest, a wrong yes does."""
import json
import sys
import zlib

from device import Device, Refused

CAPABILITIES = ["planes", "tseth"]
# By folder, what the device is ready for: the list grows with the device.
CASES = {
    "access":
        "after-hole before-start end-of-region last-packet-outside past-end read-only "
        "refused-in-order silent-in-error told-before-start told-key-of-another told-node-qp "
        "told-past-end told-read-only told-unknown-qp told-wrapped-address told-wrong-key "
        "wrong-key",
    "ack":
        "before-any-sack covers-several cumulative half-a-message lost msn-out-of-order "
        "old-duplicates optimistic refused-access refused-never-sent refused-operation "
        "refused-request refused-stale repeated stale",
    "format":
        "every-request every-sack-and-ack no-timestamps no-trim-class timestamps "
        "udp-port-4971",
    "message":
        "both-directions empty-last empty-only megabytes middle-short msn-counts mtu-2048 "
        "mtu-256 mtu-512 one-after-the-other one-byte one-byte-over oversize-only "
        "sizes-around-mtu timestamp-wraps-between two-qps",
    "placement":
        "copy-differs duplicate-in-window duplicate-not-placed guard-zones newest-first "
        "reordered",
    "psn":
        "far-below starts-as-agreed told-without-agreement window-edge window-full wrap "
        "wrap-as-requestor wrap-as-responder",
    "retransmission":
        "burst everything-once lost-again one-loss selective tail",
    "sack":
        "all-marked backwards beyond-what-was-sent bitmap-base-far-ahead "
        "bitmap-beyond-what-was-sent bitmap-with-holes entropy-reflected half-a-space-ahead "
        "hole-filled-late lost marks-told-by-script on-ack-request on-ce on-duplicate "
        "on-its-plane on-retransmission on-threshold other-cc-type rcvd-bytes-goes-back "
        "received-bytes reserved-set-by-peer sacked-is-not-done small-threshold "
        "threshold-by-script timestamp-wraps to-unknown-qp trigger-never-sent two-qps "
        "wide-gap",
}


class Memory:
    """The application's memory: buffers at the addresses that the harness chose."""

    def __init__(self):
        self.buffers = {}

    def at(self, va, length):
        for base, mem in self.buffers.items():
            if base <= va and va + length <= base + len(mem):
                return mem, va - base
        raise Refused("not_found", "no memory there")

    def read(self, va, length):
        mem, at = self.at(va, length)
        return bytes(mem[at:at + length])

    def write(self, va, data):
        mem, at = self.at(va, len(data))
        mem[at:at + len(data)] = data


class Agent:
    def __init__(self):
        self.greeted = False
        self.memory = Memory()
        self.device = None  # while a case is running

    # ---- the session ----
    def op_hello(self, q):
        if q["version"] != 1:
            raise Refused("version", "this agent speaks version 1")
        self.greeted = True
        return {"version": 1, "name": "example-py", "device_version": "1", "modes": ["virtual"],
                "ports": 16, "capabilities": CAPABILITIES}

    def op_case(self, q):
        folder, _, name = q["case"].partition("/")
        if name not in CASES.get(folder, "").split() or q["mode"] != "virtual":
            raise Refused("unsupported", "this agent does not know the case")
        if self.device:
            raise Refused("state", "a case is running already")
        self.device = Device(q["node"], q["wire"], q["ports"], self.memory)
        return {}

    def op_reset(self, q):
        self.device = None
        self.memory.buffers.clear()
        return {}

    def op_bye(self, q):
        return {}

    # ---- memory ----
    def op_alloc(self, q):
        self.memory.buffers[q["va"]] = bytearray(q["len"])
        return {}

    def op_free(self, q):
        if self.memory.buffers.pop(q["va"], None) is None:
            raise Refused("not_found", "no memory there")
        return {}

    def op_store(self, q):
        self.memory.write(q["va"], bytes.fromhex(q["data"]))
        return {}

    def op_load(self, q):
        return {"data": self.memory.read(q["va"], q["len"]).hex()}

    def op_digest(self, q):
        return {"crc32": zlib.crc32(self.memory.read(q["va"], q["len"]))}

    # ---- the device ----
    def op_register(self, q):
        return {"rkey": self.device.register(q["va"], q["len"], q["remote_write"])}

    def op_create_qp(self, q):
        return {"qpn": self.device.create_qp(q)}

    def op_connect(self, q):
        self.device.qp(q["qpn"]).connect(q["peer"])
        return {}

    def op_write(self, q):
        self.device.qp(q["qpn"]).write(q)
        return {}

    def op_poll(self, q):
        return {}  # events go with every answer

    def op_input(self, q):
        self.device.input(q["now"], q["port"], bytes.fromhex(q["frame"]))
        return {}

    def op_output(self, q):
        frames = self.device.output(q["now"], q["ports"])
        return {"frames": [{"port": port, "frame": frame.hex()} for port, frame in frames]}

    def op_tick(self, q):
        self.device.tick(q["now"])
        return {}

    # ---- a line, and its answer ----
    def do(self, q):
        op = str(q["op"])
        handler = getattr(self, "op_" + op, None)
        if not self.greeted and op != "hello":
            raise Refused("state", "hello comes first")
        if handler is None:
            raise Refused("unsupported", "no such operation")
        if self.device is None and op not in ("hello", "case", "reset", "bye"):
            raise Refused("state", "no case is running")
        answer = {"id": q.get("id"), "ok": True, **handler(q)}
        if self.device:
            answer["events"] = self.device.take_events()
            answer["deadline"] = self.device.deadline()
        return answer

    def answer(self, line):
        """The answer to a line, and whether it was the last."""
        q = {}
        try:
            q = json.loads(line)
            return self.do(q), q["op"] == "bye"
        except Refused as r:
            word, why = r.args
        except (ValueError, KeyError, TypeError, AttributeError) as e:
            word, why = "invalid", repr(e)
        q = q if isinstance(q, dict) else {}
        return {"id": q.get("id"), "error": word, "why": why}, False


def main():
    agent = Agent()
    for line in sys.stdin.buffer:
        answer, last = agent.answer(line)
        print(json.dumps(answer), flush=True)
        if last:
            break


main()
