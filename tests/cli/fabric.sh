#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct fabric from outside: it stands in a namespace of its own between two endpoints on two planes.
# Speaks TAP. MRCT names the program. Needs root, namespaces and iproute2; without them it skips.
set -u
. "$(dirname "$0")/lib/tap.sh"
. "$(dirname "$0")/lib/netns.sh"
PORT=7171

# ---- what needs no network ----
refused() { # SENTENCE ARGS...
    want=$1
    shift
    "$MRCT" fabric "$@" >"$tmp/out.txt" 2>"$tmp/err.txt" </dev/null
    [ $? -eq 2 ] && [ ! -s "$tmp/out.txt" ] && [ "$(cat "$tmp/err.txt")" = "mrct fabric: $want" ]
}
refused "at least one --pair is needed"
point "a fabric without interfaces is refused" $?
refused "'a0' is no pair of interfaces A:B" --pair a0
point "a pair has two ends" $?
refused "a0: stands twice among the pairs" --pair a0:b0 --pair a1:a0
point "an interface stands at one place" $?
refused "--for wants a time like 10s or 500ms, not '10'" --pair a:b --for 10
point "a time has a unit" $?
printf 'faults:\n  - drop: {qp: 1}\n' >"$tmp/f.yaml"
refused "$tmp/f.yaml:2: qp counts what a case has: between interfaces dest_qp and ev_value were expected" \
    --pair a:b --faults "$tmp/f.yaml"
point "a fault that only a case can have is refused with its line" $?
printf 'links:\n  - {at: 1ms, plane: 1, state: down}\n' >"$tmp/f.yaml"
refused "$tmp/f.yaml:1: links: entry 1 names a plane or path that is not" --pair a:b --faults "$tmp/f.yaml"
point "a plane that is not there is refused" $?

# ---- three namespaces ----
make_net() { add_spaces "$A" "$B" "$F" && two_planes && control; }
if ! why=$(make_net); then
    skip "a fabric between two endpoints" "$why"
    finish
fi

ip netns exec "$F" "$MRCT" fabric --pair a0:nothere >"$tmp/out.txt" 2>"$tmp/err.txt"
[ $? -eq 2 ] && grep -q "nothere: there is no such network interface" "$tmp/err.txt"
point "an interface that is not there is named" $?

fabric() { # ARGS...; waits until it stands
    ip netns exec "$F" "$MRCT" fabric --pair a0:b0 --pair a1:b1 --ring 4096 "$@" \
        >"$tmp/f.txt" 2>"$tmp/f.err.txt" &
    f=$!
    pids="$pids $f"
    until grep -q ready "$tmp/f.txt" "$tmp/f.err.txt" || ! kill -0 "$f" 2>/dev/null; do :; done
}
end_fabric() { # SIGNAL; sets f_status
    kill "-$1" "$f"
    wait "$f"
    f_status=$?
}
# A file of $1 bytes from A to B.
move() {
    head -c "$1" /dev/urandom >"$tmp/sent"
    ip netns exec "$B" "$MRCT" endpoint --listen 192.0.2.2:$PORT --port p0 --port p1 --out "$tmp/got" \
        >"$tmp/b.txt" 2>&1 &
    b=$!
    pids="$pids $b"
    ip netns exec "$A" "$MRCT" endpoint --connect 192.0.2.2:$PORT --port p0 --port p1 --send "$tmp/sent" \
        --json >"$tmp/a.txt" 2>&1
    a_status=$?
    wait "$b" && [ "$a_status" -eq 0 ] && cmp -s "$tmp/sent" "$tmp/got"
}

fabric
move 3000000
point "a file passes" $?
end_fabric TERM
[ "$f_status" -eq 0 ] && grep -q ' + 0 duplicated = .* out + 0 dropped by rules + 0 at random + 0 by links + 0 where' \
    "$tmp/f.txt" && grep -q '^itself   lost 0:' "$tmp/f.txt"
point "and of itself the fabric dropped nothing" $?

cat >"$tmp/f.yaml" <<'Y'
faults:
  - drop: {direction: requests, psn: 20..29, retransmission: false}
  - duplicate: {direction: requests, psn: 100..149, retransmission: false}
  - reorder: {direction: requests, psn: 200..219, past: 3}
  - corrupt: {direction: requests, psn: 300..304, retransmission: false, bit: 900}
  - delay: {opcode: sack, nth: 5..8, by: 2ms}
links:
  - {at: 0ms, plane: 1, state: down}
  - {at: 1ms, plane: 1, state: up}
Y
fabric --faults "$tmp/f.yaml" --capture "$tmp/cap"
move 3000000
point "a file passes through faults" $?
end_fabric INT
[ "$f_status" -eq 0 ] && grep -q "^fault    'drop, line 2': 10 frames" "$tmp/f.txt" &&
    grep -q "^fault    'corrupt, line 5': [1-9]" "$tmp/f.txt" &&
    grep -q ' in + 50 duplicated = ' "$tmp/f.txt"
point "which hit what they name" $?
"$MRCT" decode "$tmp/cap/host1.pcapng" >"$tmp/one" && "$MRCT" decode "$tmp/cap/host2.pcapng" >"$tmp/two" &&
    [ "$(grep -c WRITE_ "$tmp/one")" -gt 730 ] && [ "$(grep -c SACK "$tmp/two")" -gt 1 ]
point "what passed on both sides is captured" $?

# Frames that are not MRC: IPv6 between the kernels on either side, and TCP that leaves it to the
# interface to cut what it sends.
# A neighbour is fixed, so that the kernels need not ask for each other while nobody answers.
mac=$(ip netns exec "$B" cat /sys/class/net/p0/address)
ip -n "$A" addr add fd00::1/64 dev p0 nodad && ip -n "$A" neigh add fd00::2 lladdr "$mac" dev p0 && ip -n "$B" addr add fd00::2/64 dev p0 nodad
fabric --json --for 600s
(ip netns exec "$B" "$MRCT" endpoint --listen '[fd00::2]:7272' --port p1 --receive >"$tmp/b.txt" 2>&1) &
b=$!
pids="$pids $b"
ip netns exec "$A" "$MRCT" endpoint --connect '[fd00::2]:7272' --port p1 --pattern 100 >"$tmp/a.txt" 2>&1
a_status=$?
wait "$b" && [ "$a_status" -eq 0 ]
point "TCP of the kernels passes untouched" $?
# An agent answers each of the lines, so that as many bytes go both ways.
: >"$tmp/b.txt" # what the last one said of a port is not its word
ip netns exec "$B" "$MRCT" agent --listen '[fd00::2]:7373' >>"$tmp/b.txt" 2>&1 &
b=$!
pids="$pids $b"
until grep -q port "$tmp/b.txt" || ! kill -0 "$b" 2>/dev/null; do :; done
ip netns exec "$A" bash -c 'exec 3<>/dev/tcp/fd00::2/7373
    (for i in {1..2000}; do printf "%01000d\n" 7; done; echo "{\"op\":\"hello\",\"version\":1}"; echo "{\"op\":\"bye\"}") >&3 &
    cat <&3' >"$tmp/a.txt" 2>&1
kill "$b"
[ "$(grep -c '"error":"invalid"' "$tmp/a.txt")" -eq 2000 ]
point "and so do segments of 64 KB that no interface has cut" $?
end_fabric HUP
# On a machine that is too busy a segment may find no room to leave by; then the fabric says so.
{ [ "$f_status" -eq 0 ] || { [ "$f_status" -eq 3 ] && grep -q 'it lost [0-9]* frames itself' "$tmp/f.err.txt"; }; } &&
    grep -q '"balanced":true' "$tmp/f.txt" && grep -q '"ring_full":0' "$tmp/f.txt" &&
    grep -q '"giants":[1-9]' "$tmp/f.txt"
point "JSON" $?

# A ring that overflows while the fabric sleeps makes whatever it saw worthless: exit status 3.
ip netns exec "$F" "$MRCT" fabric --pair a0:b0 --ring 16 >"$tmp/f.txt" 2>"$tmp/f.err.txt" &
f=$!
pids="$pids $f"
until grep -q ready "$tmp/f.txt" || ! kill -0 "$f" 2>/dev/null; do :; done
kill -STOP "$f"
stuck() { ip netns exec "$F" cat /sys/class/net/a0/statistics/rx_packets; }
was=$(stuck)
while [ "$(stuck)" -lt $((was + 100)) ]; do
    ip netns exec "$A" bash -c 'for i in 1 2 3 4 5 6 7 8 9 10; do echo x >/dev/udp/fd00::2/9; done' 2>/dev/null
done
kill -CONT "$f"
end_fabric TERM
[ "$f_status" -eq 3 ] && grep -q 'it lost [1-9][0-9]* frames itself' "$tmp/f.err.txt"
point "a full ring is the fabric's own fault: exit status 3" $?
finish
