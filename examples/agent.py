#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An agent in Python to start from (docs/reference/agent-protocol.md): the session, the cases and
the memory are here, the device is not. Until you write it, every case is answered with "unsupported":
name a case in CASES once the operations that it needs reach your device."""
import json
import sys
import zlib

CASES = set()  # {"message/one-byte", ...}
CAPABILITIES = []


class Refused(Exception):
    """The word of the answer, and why."""


class Agent:
    def __init__(self):
        self.greeted = self.running = False
        self.memory = {}  # address: bytes

    def at(self, va, length):
        for base, mem in self.memory.items():
            if base <= va and va + length <= base + len(mem):
                return mem, va - base
        raise Refused("not_found", "no memory there")

    # ---- the session ----
    def op_hello(self, q):
        if q["version"] != 1:
            raise Refused("version", "this agent speaks version 1")
        self.greeted = True
        return {"version": 1, "name": "example-py", "device_version": "1", "modes": ["virtual"],
                "ports": 1, "capabilities": CAPABILITIES}

    def op_case(self, q):
        if q["case"] not in CASES or q["mode"] != "virtual":
            raise Refused("unsupported", "this agent does not know the case")
        self.running = True  # your device, as q["node"] and q["ports"] want it
        return {}

    def op_reset(self, q):
        self.running = False
        self.memory.clear()
        return {}

    # ---- memory ----
    def op_alloc(self, q):
        self.memory[q["va"]] = bytearray(q["len"])
        return {}

    def op_free(self, q):
        if self.memory.pop(q["va"], None) is None:
            raise Refused("not_found", "no memory there")
        return {}

    def op_store(self, q):
        data = bytes.fromhex(q["data"])
        mem, at = self.at(q["va"], len(data))
        mem[at:at + len(data)] = data
        return {}

    def op_load(self, q):
        mem, at = self.at(q["va"], q["len"])
        return {"data": mem[at:at + q["len"]].hex()}

    def op_digest(self, q):
        mem, at = self.at(q["va"], q["len"])
        return {"crc32": zlib.crc32(mem[at:at + q["len"]])}

    # ---- the device: create_qp, connect, register, write, post_recv, input, output, tick, ... ----

    def answer(self, line):
        q = {}
        try:
            q = json.loads(line)
            op = q["op"]
            if op == "bye":
                return {"id": q.get("id"), "ok": True}, True
            do = getattr(self, "op_" + str(op), None)
            if not self.greeted and op != "hello":
                raise Refused("state", "hello comes first")
            if not self.running and op not in ("hello", "case", "reset") and do:
                raise Refused("state", "no case is running")
            if do is None:
                raise Refused("unsupported", "no such operation")
            return {"id": q.get("id"), "ok": True, **do(q)}, False
        except Refused as r:
            word, why = r.args
        except (ValueError, KeyError, TypeError, AttributeError) as e:
            word, why = "invalid", repr(e)
        return {"id": q.get("id") if isinstance(q, dict) else None, "error": word, "why": why}, False


def main():
    agent = Agent()
    for line in sys.stdin.buffer:
        answer, bye = agent.answer(line)
        print(json.dumps(answer), flush=True)
        if bye:
            break


main()
