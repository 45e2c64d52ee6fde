#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct fabric from outside: it stands in a namespace of its own between two endpoints on two planes.
# Speaks TAP. MRCT names the program. Needs root, namespaces and iproute2; without them it skips.
set -u
MRCT=${MRCT:-${BUILD:-build}/mrct}
case $MRCT in /*) ;; *) MRCT=$PWD/$MRCT ;; esac
A=mrct-$$-a B=mrct-$$-b F=mrct-$$-f
PORT=7171
dir=$(mktemp -d) || exit 1
pids=""
end() {
    trap '' INT TERM HUP
    for p in $pids; do kill "$p" 2>/dev/null; done
    wait 2>/dev/null
    for x in "$A" "$B" "$F"; do ip netns del "$x" 2>/dev/null; done
    rm -rf "$dir"
}
trap end EXIT
trap 'exit 130' INT TERM HUP

n=0 bad=0
point() {
    n=$((n + 1))
    if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else
        echo "not ok $n - $1"
        for t in "$dir"/*.txt; do [ -f "$t" ] && sed "s/^/# ${t##*/}: /" "$t" | cut -c 1-200 | head -n 20; done
        bad=1
    fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
finish() { echo "1..$n"; exit "$bad"; }

# ---- what needs no network ----
refused() { # SENTENCE ARGS...
    want=$1
    shift
    "$MRCT" fabric "$@" >"$dir/out.txt" 2>"$dir/err.txt" </dev/null
    [ $? -eq 2 ] && [ ! -s "$dir/out.txt" ] && [ "$(cat "$dir/err.txt")" = "mrct fabric: $want" ]
}
refused "at least one --pair is needed"
point "a fabric without interfaces is refused" $?
refused "'a0' is no pair of interfaces A:B" --pair a0
point "a pair has two ends" $?
refused "a0: stands twice among the pairs" --pair a0:b0 --pair a1:a0
point "an interface stands at one place" $?
refused "--for wants a time like 10s or 500ms, not '10'" --pair a:b --for 10
point "a time has a unit" $?
printf 'faults:\n  - drop: {qp: 1}\n' >"$dir/f.yaml"
refused "$dir/f.yaml:2: qp counts what a case has: between interfaces dest_qp and ev_value were expected" \
    --pair a:b --faults "$dir/f.yaml"
point "a fault that only a case can have is refused with its line" $?
printf 'links:\n  - {at: 1ms, plane: 1, state: down}\n' >"$dir/f.yaml"
refused "$dir/f.yaml:1: links: entry 1 names a plane or path that is not" --pair a:b --faults "$dir/f.yaml"
point "a plane that is not there is refused" $?

# ---- three namespaces ----
make_net() {
    command -v ip >/dev/null 2>&1 || { echo "no ip command"; return 1; }
    [ "$(id -u)" = 0 ] || { echo "needs root"; return 1; }
    for x in "$A" "$B" "$F"; do
        ip netns add "$x" 2>/dev/null || { echo "no network namespaces here"; return 1; }
    done
    for p in 0 1; do
        ip -n "$A" link add p$p mtu 9000 type veth peer name a$p netns "$F" mtu 9000 2>/dev/null &&
            ip -n "$B" link add p$p mtu 9000 type veth peer name b$p netns "$F" mtu 9000 2>/dev/null ||
            { echo "no veth pairs here"; return 1; }
        for v in a$p b$p; do ip -n "$F" link set $v up; done
        ip -n "$A" link set p$p up && ip -n "$B" link set p$p up
    done
    ip -n "$A" link add ctl type veth peer name ctl netns "$B"
    for x in "$A" "$B"; do ip -n "$x" link set lo up && ip -n "$x" link set ctl up; done
    ip -n "$A" addr add 192.0.2.1/24 dev ctl && ip -n "$B" addr add 192.0.2.2/24 dev ctl
}
if ! why=$(make_net); then
    skip "a fabric between two endpoints" "$why"
    finish
fi

ip netns exec "$F" "$MRCT" fabric --pair a0:nothere >"$dir/out.txt" 2>"$dir/err.txt"
[ $? -eq 2 ] && grep -q "nothere: there is no such network interface" "$dir/err.txt"
point "an interface that is not there is named" $?

fabric() { # ARGS...; waits until it stands
    ip netns exec "$F" "$MRCT" fabric --pair a0:b0 --pair a1:b1 --ring 4096 "$@" \
        >"$dir/f.txt" 2>"$dir/f.err.txt" &
    f=$!
    pids="$pids $f"
    until grep -q ready "$dir/f.txt" "$dir/f.err.txt" || ! kill -0 "$f" 2>/dev/null; do :; done
}
end_fabric() { # SIGNAL; sets f_status
    kill "-$1" "$f"
    wait "$f"
    f_status=$?
}
# A file of $1 bytes from A to B.
move() {
    head -c "$1" /dev/urandom >"$dir/sent"
    ip netns exec "$B" "$MRCT" endpoint --listen 192.0.2.2:$PORT --port p0 --port p1 --out "$dir/got" \
        >"$dir/b.txt" 2>&1 &
    b=$!
    pids="$pids $b"
    ip netns exec "$A" "$MRCT" endpoint --connect 192.0.2.2:$PORT --port p0 --port p1 --send "$dir/sent" \
        --json >"$dir/a.txt" 2>&1
    a_status=$?
    wait "$b" && [ "$a_status" -eq 0 ] && cmp -s "$dir/sent" "$dir/got"
}

fabric
move 3000000
point "a file passes" $?
end_fabric TERM
[ "$f_status" -eq 0 ] && grep -q ' + 0 duplicated = .* out + 0 dropped by rules + 0 at random + 0 by links + 0 where' \
    "$dir/f.txt" && grep -q '^itself   lost 0:' "$dir/f.txt"
point "and of itself the fabric dropped nothing" $?

cat >"$dir/f.yaml" <<'Y'
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
fabric --faults "$dir/f.yaml" --capture "$dir/cap"
move 3000000
point "a file passes through faults" $?
end_fabric INT
[ "$f_status" -eq 0 ] && grep -q "^fault    'drop, line 2': 10 frames" "$dir/f.txt" &&
    grep -q "^fault    'corrupt, line 5': [1-9]" "$dir/f.txt" &&
    grep -q ' in + 50 duplicated = ' "$dir/f.txt"
point "which hit what they name" $?
"$MRCT" decode "$dir/cap/host1.pcapng" >"$dir/one" && "$MRCT" decode "$dir/cap/host2.pcapng" >"$dir/two" &&
    [ "$(grep -c WRITE_ "$dir/one")" -gt 730 ] && [ "$(grep -c SACK "$dir/two")" -gt 1 ]
point "what passed on both sides is captured" $?

# Frames that are not MRC: IPv6 between the kernels on either side, and TCP that leaves it to the
# interface to cut what it sends.
# A neighbour is fixed, so that the kernels need not ask for each other while nobody answers.
mac=$(ip netns exec "$B" cat /sys/class/net/p0/address)
ip -n "$A" addr add fd00::1/64 dev p0 nodad && ip -n "$A" neigh add fd00::2 lladdr "$mac" dev p0 && ip -n "$B" addr add fd00::2/64 dev p0 nodad
fabric --json --for 600s
(ip netns exec "$B" "$MRCT" endpoint --listen '[fd00::2]:7272' --port p1 --receive >"$dir/b.txt" 2>&1) &
b=$!
pids="$pids $b"
ip netns exec "$A" "$MRCT" endpoint --connect '[fd00::2]:7272' --port p1 --pattern 100 >"$dir/a.txt" 2>&1
a_status=$?
wait "$b" && [ "$a_status" -eq 0 ]
point "TCP of the kernels passes untouched" $?
# An agent answers each of the lines, so that as many bytes go both ways.
: >"$dir/b.txt" # what the last one said of a port is not its word
ip netns exec "$B" "$MRCT" agent --listen '[fd00::2]:7373' >>"$dir/b.txt" 2>&1 &
b=$!
pids="$pids $b"
until grep -q port "$dir/b.txt" || ! kill -0 "$b" 2>/dev/null; do :; done
ip netns exec "$A" bash -c 'exec 3<>/dev/tcp/fd00::2/7373
    (for i in {1..2000}; do printf "%01000d\n" 7; done; echo "{\"op\":\"hello\",\"version\":1}"; echo "{\"op\":\"bye\"}") >&3 &
    cat <&3' >"$dir/a.txt" 2>&1
kill "$b"
[ "$(grep -c '"error":"invalid"' "$dir/a.txt")" -eq 2000 ]
point "and so do segments of 64 KB that no interface has cut" $?
end_fabric HUP
# On a machine that is too busy a segment may find no room to leave by; then the fabric says so.
{ [ "$f_status" -eq 0 ] || { [ "$f_status" -eq 3 ] && grep -q 'it lost [0-9]* frames itself' "$dir/f.err.txt"; }; } &&
    grep -q '"balanced":true' "$dir/f.txt" && grep -q '"ring_full":0' "$dir/f.txt" &&
    grep -q '"giants":[1-9]' "$dir/f.txt"
point "JSON" $?

# A ring that overflows while the fabric sleeps makes whatever it saw worthless: exit status 3.
ip netns exec "$F" "$MRCT" fabric --pair a0:b0 --ring 16 >"$dir/f.txt" 2>"$dir/f.err.txt" &
f=$!
pids="$pids $f"
until grep -q ready "$dir/f.txt" || ! kill -0 "$f" 2>/dev/null; do :; done
kill -STOP "$f"
stuck() { ip netns exec "$F" cat /sys/class/net/a0/statistics/rx_packets; }
was=$(stuck)
while [ "$(stuck)" -lt $((was + 100)) ]; do
    ip netns exec "$A" bash -c 'for i in 1 2 3 4 5 6 7 8 9 10; do echo x >/dev/udp/fd00::2/9; done' 2>/dev/null
done
kill -CONT "$f"
end_fabric TERM
[ "$f_status" -eq 3 ] && grep -q 'it lost [1-9][0-9]* frames itself' "$dir/f.err.txt"
point "a full ring is the fabric's own fault: exit status 3" $?
finish
