#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct preflight: what it says of a good way, and of ways on which mrct fabric does one thing wrong. Speaks
# TAP. MRCT names the program. Needs root, namespaces and iproute2; without them it skips.
set -u
MRCT=${MRCT:-${BUILD:-build}/mrct}
case $MRCT in /*) ;; *) MRCT=$PWD/$MRCT ;; esac
N=mrct-$$-p
dir=$(mktemp -d) || exit 1
pids=""
end() {
    trap '' INT TERM HUP
    for p in $pids; do kill "$p" 2>/dev/null; done
    wait 2>/dev/null
    ip netns del "$N" 2>/dev/null
    rm -rf "$dir"
}
trap end EXIT
trap 'exit 130' INT TERM HUP

n=0 bad=0
point() {
    n=$((n + 1))
    if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else
        echo "not ok $n - $1"
        for t in "$dir"/*.txt; do [ -f "$t" ] && sed "s/^/# ${t##*/}: /" "$t" | cut -c 1-200; done
        bad=1
    fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
finish() { echo "1..$n"; exit "$bad"; }
refused() { # SENTENCE ARGS...
    want=$1
    shift
    "$MRCT" preflight "$@" >"$dir/out.txt" 2>"$dir/err.txt"
    [ $? -eq 2 ] && [ ! -s "$dir/out.txt" ] && [ "$(cat "$dir/err.txt")" = "mrct preflight: $want" ]
}
refused "at least one --pair is needed"
point "a preflight without interfaces is refused" $?
refused "--mtu wants 256, 512, 1024, 2048 or 4096, not '1500'" --mtu 1500
point "a path MTU is one of five" $?

make_net() {
    command -v ip >/dev/null 2>&1 || { echo "no ip command"; return 1; }
    [ "$(id -u)" = 0 ] || { echo "needs root"; return 1; }
    ip netns add "$N" 2>/dev/null || { echo "no network namespaces here"; return 1; }
    for v in a b; do
        ip -n "$N" link add ${v}0 mtu 9000 type veth peer name f$v mtu 9000 2>/dev/null ||
            { echo "no veth pairs here"; return 1; }
        ip -n "$N" link set ${v}0 up && ip -n "$N" link set f$v up
    done
}
if ! why=$(make_net); then
    skip "ways between two interfaces" "$why"
    finish
fi
# ARGS of the fabric between a0 and b0: what the preflight says, and its status.
flight() {
    ip netns exec "$N" "$MRCT" fabric --pair fa:fb "$@" >"$dir/f.txt" 2>&1 &
    f=$!
    pids="$pids $f"
    until grep -q ready "$dir/f.txt" || ! kill -0 "$f" 2>/dev/null; do :; done
    ip netns exec "$N" "$MRCT" preflight --pair a0:b0 >"$dir/out.txt" 2>"$dir/err.txt"
    status=$?
    kill "$f"
    wait "$f"
}
flight
[ "$status" -eq 0 ] && [ "$(grep -c '^ok  ' "$dir/out.txt")" -eq 6 ] && ! grep -q BAD "$dir/out.txt"
point "a way that changes nothing has six good lines" $?

# FAULT LINE: with the fault, just this line is bad.
wrong() {
    printf 'faults:\n  - %s\n' "$1" >"$dir/f.yaml"
    flight --faults "$dir/f.yaml"
    [ "$status" -eq 3 ] && [ "$(grep -c BAD "$dir/out.txt")" -eq 1 ] && grep -q "^BAD  plane 0, $2" "$dir/out.txt"
    point "$2" $?
}
wrong 'mark_ce: {direction: host1}' 'CE: ECT(1) arrives as CE'
wrong 'dscp: {direction: host2, to: 0}' 'DSCP: code point [0-9]* arrives as 0'
wrong 'corrupt: {direction: host1, field: ipv6.flow_label, mask: 0x100, mend: true}' \
    'flow label, source port: source port 49152 and flow label 0 arrive as 49152 and 256'
wrong 'corrupt: {direction: host2, field: udp.src_port, mask: 1, mend: true}' \
    'flow label, source port: source port 49152 and flow label 0 arrive as 49153 and 0'
wrong 'drop: {nth: 3}' 'alive: 1 packets lost one way, 0 the other'
ip -n "$N" link set fb mtu 2200
flight
[ "$status" -eq 3 ] && [ "$(grep -c BAD "$dir/out.txt")" -eq 1 ] &&
    grep -q '^BAD  plane 0, MTU: a path MTU of 2048 passes, 4096 does not' "$dir/out.txt"
point "MTU: a path MTU of 2048 passes, 4096 does not" $?
ip netns exec "$N" "$MRCT" preflight --pair a0:b0 --json >"$dir/out.txt" 2>&1
[ $? -eq 3 ] && grep -q '"good":false' "$dir/out.txt" &&
    grep -q '"item":"alive","good":false,"words":"2 packets lost one way, 2 the other, and then no more' "$dir/out.txt"
point "JSON; with nobody between, nothing is alive" $?
finish
