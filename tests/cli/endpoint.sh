#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct endpoint from outside: two of them in two network namespaces with two planes between. Speaks
# TAP. MRCT names the program. Needs root, namespaces and iproute2; without them it skips.
set -u
. "$(dirname "$0")/lib/tap.sh"
. "$(dirname "$0")/lib/netns.sh"
PORT=7171

# ---- what needs no network ----
refused() { # SENTENCE ARGS...
    want=$1
    shift
    "$MRCT" endpoint "$@" >"$tmp/out.txt" 2>"$tmp/err.txt" </dev/null
    [ $? -eq 2 ] && [ ! -s "$tmp/out.txt" ] && [ "$(cat "$tmp/err.txt")" = "mrct endpoint: $want" ]
}
refused "one of --listen and --connect is needed" --port lo
point "an endpoint without a peer is refused" $?
refused "at least one --port is needed" --listen :7171
point "an endpoint without a port is refused" $?
refused "'fd00::zz' is no IPv4 or IPv6 address" --port x=fd00::zz
point "a bad address is named" $?
refused "--mtu wants 256, 512, 1024, 2048 or 4096" --listen :7171 --port x --mtu 1500
point "a path MTU is one of five" $?
refused "--qps wants a number of 1 to 1024, not '0'" --qps 0
point "a number out of range is refused" $?
refused "'fd00::1' is no ADDRESS=MAC" --neighbour fd00::1
point "a neighbour has a MAC" $?

# ---- two namespaces ----
make_net() { add_spaces "$A" "$B" && veth "$A" p0 "$B" p0 && veth "$A" p1 "$B" p1 && control; }
if ! why=$(make_net); then
    skip "endpoints on two planes" "$why"
    finish
fi
# What runs in the background is started without this, so that $! is the program itself.
in_a() { ip netns exec "$A" "$@"; }

PORTS="--port p0 --port p1"
# The side in B waits in the background; listen ARGS, then connect ARGS, then both.
listen() {
    # shellcheck disable=SC2086 # words
    ip netns exec "$B" "$MRCT" endpoint --listen "192.0.2.2:$PORT" $PORTS "$@" >"$tmp/b.txt" 2>"$tmp/b.err.txt" &
    b=$!
    pids="$pids $b"
}
connect() {
    # shellcheck disable=SC2086
    in_a "$MRCT" endpoint --connect "192.0.2.2:$PORT" $PORTS "$@" >"$tmp/a.txt" 2>"$tmp/a.err.txt"
    a_status=$?
}
both() { wait "$b"; b_status=$?; [ "$a_status" -eq 0 ] && [ "$b_status" -eq 0 ]; }

head -c 3000001 /dev/urandom >"$tmp/one"
head -c 1234567 /dev/urandom >"$tmp/two"
listen --send "$tmp/two" --out "$tmp/got-one"
connect --send "$tmp/one" --out "$tmp/got-two"
both && cmp -s "$tmp/one" "$tmp/got-one" && cmp -s "$tmp/two" "$tmp/got-two"
point "two files, one each way, at the same time" $?

# The kernel notices a carrier late, the second time within a second.
for x in "$A" "$B" "$A" "$B"; do ip -n "$x" link set p1 down; done
for x in "$A" "$B"; do ip -n "$x" link set p1 up; done
listen --receive
connect --pattern 65536 --messages 40 --json
both && [ "$(grep -o '"tx_frames":[0-9]*' "$tmp/a.txt" | sed 's/.*://' | awk '$1 > 250' | wc -l)" -eq 2 ]
point "a plane that was switched on just now carries its half" $?

: >"$tmp/empty"
listen --out "$tmp/got-empty"
connect --send "$tmp/empty"
both && [ -f "$tmp/got-empty" ] && [ ! -s "$tmp/got-empty" ]
point "an empty file" $?

listen --receive --qps 16 --mtu 1024
connect --qps 16 --mtu 1024 --pattern 10007 --messages 300 --nscc --json
both && grep -q '"verified":true' "$tmp/a.txt" && grep -q 'in 300 of 300 messages.*verified' "$tmp/b.txt"
point "a pattern by 16 QPs with NSCC, judged by the receiver; JSON" $?
# shellcheck disable=SC2016
[ "$(grep -o '"rx_bad_icrc":0' "$tmp/a.txt" | wc -l)" -eq 1 ] && grep -q '"rx_ring_full":0' "$tmp/a.txt"
point "no wrong ICRC, no full ring" $?

# IPv4 and ARP; then addresses that the kernel owns, for which it must stay silent.
ports_were=$PORTS
PORTS="--port p0=198.51.100.2 --port p1=198.51.101.2"
listen --receive
PORTS="--port p0=198.51.100.1 --port p1=198.51.101.1"
connect --pattern 65536 --messages 20
both
point "IPv4, neighbours by ARP" $?
for v in 0 1; do
    ip -n "$A" addr add "fd00:$v::1/64" dev p$v nodad
    ip -n "$B" addr add "fd00:$v::2/64" dev p$v nodad
done
icmp() { for x in "$A" "$B"; do ip netns exec "$x" sed -n 's/^Icmp6OutDestUnreachs//p' /proc/net/snmp6; done | awk '{n += $1} END {print n + 0}'; }
icmp_was=$(icmp)
PORTS="--port p0=fd00:0::2 --port p1=fd00:1::2"
listen --receive
PORTS="--port p0=fd00:0::1 --port p1=fd00:1::1"
connect --pattern 65536 --messages 20 --json
both && grep -q '"kernels":true' "$tmp/a.txt" && [ "$(icmp)" = "$icmp_was" ]
point "addresses of the kernel's: it sends no ICMP error" $?
PORTS=$ports_were

# Something is wrong with the peer.
listen --receive --mtu 2048
connect --pattern 100
wait "$b"
[ "$a_status" -ne 0 ] && grep -q "the peer's path MTU is 2048, this side's 4096\|the peer gave up" "$tmp/a.err.txt"
point "peers that differ in their path MTU part with a sentence" $?
listen
# Whoever connects waits for the listener.
until in_a bash -c "exec 3<>/dev/tcp/192.0.2.2/$PORT && echo nonsense >&3 && cat <&3" >/dev/null 2>&1; do
    kill -0 "$b" 2>/dev/null || break
done
wait "$b"
[ $? -ne 0 ] && grep -q "no JSON object" "$tmp/b.err.txt"
point "a peer that talks nonsense gets a sentence" $?

# A signal stops it cleanly.
listen --receive
until ip netns exec "$B" grep -q "$(printf ':%04X 00000000:0000 0A' "$PORT")" /proc/net/tcp; do
    kill -0 "$b" 2>/dev/null || break
done
kill -TERM "$b"
wait "$b"
[ $? -eq 5 ] && grep -q "stopped by a signal" "$tmp/b.err.txt"
point "a signal ends it" $?

# ---- a plane dies in the middle, and another time returns ----
frames() { in_a cat "/sys/class/net/$1/statistics/tx_packets"; }
# Waits until so many frames more left by a port, or the run is over.
until_frames() {
    was=$(frames "$1") || return 1
    while kill -0 "$a" 2>/dev/null && [ "$(frames "$1")" -lt $((was + $2)) ]; do :; done
}
long() {
    ip netns exec "$A" "$MRCT" endpoint --connect "192.0.2.2:$PORT" --port p0 --port p1 \
        --pattern 1000000 --messages "$1" --json \
        >"$tmp/a.txt" 2>"$tmp/a.err.txt" &
    a=$!
    pids="$pids $a"
}
listen --receive
long 500
until_frames p0 500
ip -n "$A" link set p0 down
before=$(frames p1)
wait "$a"
a_status=$?
both && [ "$(frames p1)" -gt "$before" ] && grep -q '"verified":true' "$tmp/a.txt"
point "a plane goes down in the middle: all arrives by the other" $?
grep -q '"interface":"p0"[^}]*"up":false' "$tmp/a.txt" && grep -q '"interface":"p1"[^}]*"up":true' "$tmp/a.txt"
point "the report says which port is down" $?
ip -n "$A" link set p0 up

listen --receive
long 700
until_frames p1 500
ip -n "$B" link set p1 down
until_frames p0 500
ip -n "$B" link set p1 up
wait "$a"
a_status=$?
both && grep -q '"verified":true' "$tmp/a.txt"
point "the peer's port goes and comes back in the middle" $?

# ---- what plain tcpdump saw is judged ----
if command -v tcpdump >/dev/null 2>&1; then
    ip netns exec "$B" tcpdump -i any -B 65536 -U --immediate-mode --time-stamp-precision=nano \
        -w "$tmp/cap.pcap" udp port 4791 2>"$tmp/tcpdump.txt" &
    cap=$!
    pids="$pids $cap"
    until grep -q 'listening on' "$tmp/tcpdump.txt"; do kill -0 $cap 2>/dev/null || break; done
    listen --receive --facts "$tmp/facts.yaml" --qps 2
    connect --send "$tmp/one" --qps 2
    both
    moved=$?
    kill -INT $cap
    wait $cap
    [ "$moved" -eq 0 ] && "$MRCT" check --facts "$tmp/facts.yaml" --health "$tmp/cap.pcap" \
        >"$tmp/check.txt" 2>&1
    status=$?
    [ "$moved" -eq 0 ] && { [ "$status" -eq 0 ] || [ "$status" -eq 5 ]; } &&
        ! grep -q 'FAIL' "$tmp/check.txt" && ! grep -q 'in one direction alone' "$tmp/check.txt"
    point "a capture of both planes by tcpdump goes through mrct check" $?
else
    skip "tcpdump's captures go through mrct check" "no tcpdump (scripts/deps.sh live)"
fi
finish
