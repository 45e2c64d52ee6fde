#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct preflight: what it says of a good way, and of ways on which mrct fabric does one thing wrong. Speaks
# TAP. MRCT names the program. Needs root, namespaces and iproute2; without them it skips.
set -u
. "$(dirname "$0")/lib/tap.sh"
. "$(dirname "$0")/lib/netns.sh"

refused() { # SENTENCE ARGS...
    want=$1
    shift
    "$MRCT" preflight "$@" >"$tmp/out.txt" 2>"$tmp/err.txt"
    [ $? -eq 2 ] && [ ! -s "$tmp/out.txt" ] && [ "$(cat "$tmp/err.txt")" = "mrct preflight: $want" ]
}
refused "at least one --pair is needed"
point "a preflight without interfaces is refused" $?
refused "--mtu wants 256, 512, 1024, 2048 or 4096, not '1500'" --mtu 1500
point "a path MTU is one of five" $?

make_net() { add_spaces "$F" && veth "$F" a0 "$F" fa && veth "$F" b0 "$F" fb; }
if ! why=$(make_net); then
    skip "ways between two interfaces" "$why"
    finish
fi
# ARGS of the fabric between a0 and b0: what the preflight says, and its status.
flight() {
    ip netns exec "$F" "$MRCT" fabric --pair fa:fb "$@" >"$tmp/f.txt" 2>&1 &
    f=$!
    pids="$pids $f"
    until grep -q ready "$tmp/f.txt" || ! kill -0 "$f" 2>/dev/null; do :; done
    ip netns exec "$F" "$MRCT" preflight --pair a0:b0 >"$tmp/out.txt" 2>"$tmp/err.txt"
    status=$?
    kill "$f"
    wait "$f"
}
flight
[ "$status" -eq 0 ] && [ "$(grep -c '^ok  ' "$tmp/out.txt")" -eq 6 ] && ! grep -q BAD "$tmp/out.txt"
point "a way that changes nothing has six good lines" $?

# FAULT LINE: with the fault, just this line is bad.
wrong() {
    printf 'faults:\n  - %s\n' "$1" >"$tmp/f.yaml"
    flight --faults "$tmp/f.yaml"
    [ "$status" -eq 3 ] && [ "$(grep -c BAD "$tmp/out.txt")" -eq 1 ] && grep -q "^BAD  plane 0, $2" "$tmp/out.txt"
    point "$2" $?
}
wrong 'mark_ce: {direction: host1}' 'CE: ECT(1) arrives as CE'
wrong 'dscp: {direction: host2, to: 0}' 'DSCP: code point [0-9]* arrives as 0'
wrong 'corrupt: {direction: host1, field: ipv6.flow_label, mask: 0x100, mend: true}' \
    'flow label, source port: source port 49152 and flow label 0 arrive as 49152 and 256'
wrong 'corrupt: {direction: host2, field: udp.src_port, mask: 1, mend: true}' \
    'flow label, source port: source port 49152 and flow label 0 arrive as 49153 and 0'
wrong 'drop: {nth: 3}' 'alive: 1 packets lost one way, 0 the other'
ip -n "$F" link set fb mtu 2200
flight
[ "$status" -eq 3 ] && [ "$(grep -c BAD "$tmp/out.txt")" -eq 1 ] &&
    grep -q '^BAD  plane 0, MTU: a path MTU of 2048 passes, 4096 does not' "$tmp/out.txt"
point "MTU: a path MTU of 2048 passes, 4096 does not" $?
ip netns exec "$F" "$MRCT" preflight --pair a0:b0 --json >"$tmp/out.txt" 2>&1
[ $? -eq 3 ] && grep -q '"good":false' "$tmp/out.txt" &&
    grep -q '"item":"alive","good":false,"words":"2 packets lost one way, 2 the other, and then no more' "$tmp/out.txt"
point "JSON; with nobody between, nothing is alive" $?
finish
