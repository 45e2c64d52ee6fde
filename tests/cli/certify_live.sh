#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct certify --live: cases over real sockets. Speaks TAP. MRCT names the program. Needs root and network
# namespaces; without them it skips. With MRCT_LONG the whole catalogue is run, and again beside a load.
set -u
MRCT=${MRCT:-${BUILD:-build}/mrct}
case $MRCT in /*) ;; *) MRCT=$PWD/$MRCT ;; esac
cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d) || exit 1
pids=""
end() {
    trap '' INT TERM HUP
    for p in $pids; do kill "$p" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$dir"
}
trap end EXIT
trap 'exit 130' INT TERM HUP

n=0 bad=0
point() {
    n=$((n + 1))
    if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else
        echo "not ok $n - $1"
        for t in "$dir"/*.txt; do [ -f "$t" ] && sed "s/^/# ${t##*/}: /" "$t" | tail -n 30; done
        bad=1
    fi
}
finish() { echo "1..$n"; exit "$bad"; }
live() { "$MRCT" certify --cases cases --live "$@"; }

live --case 'ack/*' --list >"$dir/list.txt" 2>&1 && ! grep -q live: "$dir/list.txt"
point "listing the cases needs no network" $?

if ! live ack/cumulative >"$dir/first.txt" 2>&1; then
    if grep -q -- "--live: " "$dir/first.txt"; then
        echo "ok 2 - cases over real sockets # SKIP $(sed 's/.*--live: //' "$dir/first.txt")"
        n=2
        finish
    fi
    point "a case passes over real sockets" 1
    finish
fi

# What is on this host before and after; nobody else of ours makes h1p0.
interfaces() { ls /sys/class/net | grep -c '^[hf][12]p[0-9]'; }
was=$(interfaces)

# Loss, marks, trims, corrupted headers, two planes, a timeline, crafted frames, SRv6, IPv4, a VLAN tag.
some="ack/lost damage/* format/* network/bad-weather network/plane-fails nack/trimmed-* probe/* psn/window-edge"
# shellcheck disable=SC2086 # words
set -f
live $some --out "$dir/report" >"$dir/some.txt" 2>&1
status=$?
set +f
[ "$status" -eq 0 ] && tail -n 1 "$dir/some.txt" |
    grep -qx '[1-9][0-9]* passed, 0 failed, 0 inconclusive, 0 not applicable'
point "cases of every kind pass, and the last line says so" $?
grep -q '^live: [1-9][0-9]* frames through sockets' "$dir/some.txt"
point "frames went through sockets" $?
[ -s "$dir/report/report.html" ] && [ -s "$dir/report/network-plane-fails.pcapng" ] &&
    grep -q 'mrct certify --live --seed 1 --cases cases --case ack/lost' "$dir/report/report.json"
point "the report is as always, and says how to run a case again" $?

live --device deviant:no-sack-on-ce --case sack/on-ce >"$dir/liar.txt" 2>&1
[ $? -eq 1 ] && grep -q '^FAIL .*REQ-7.5.2-02' "$dir/liar.txt"
point "a deviant fails there too" $?
live --device deviant:tver-unchecked --case damage/transport-version >"$dir/liar.txt" 2>&1
[ $? -eq 1 ] && grep -q '^FAIL .*REQ-6.3-06' "$dir/liar.txt"
point "and one that takes what is no packet for one" $?

# Two at once do not see each other.
live 'sack/*' >"$dir/one.txt" 2>&1 &
one=$!
live 'sack/*' --seed 2 >"$dir/two.txt" 2>&1
two_status=$?
wait "$one" && [ "$two_status" -eq 0 ]
point "two runs stand side by side" $?

# Killed in the middle, it leaves nothing behind.
live --seed 3 --out "$dir/killed" >"$dir/killed.txt" 2>&1 &
k=$!
until grep -q PASS "$dir/killed.txt"; do kill -0 "$k" 2>/dev/null || break; done
kill -KILL "$k"
wait "$k" 2>/dev/null
[ "$(interfaces)" -eq "$was" ] && [ ! -e "$dir/killed/report.json" ] && [ ! -e "$dir/killed/report.html" ]
point "killed, it leaves no interface and no half a report" $?

if [ -n "${MRCT_LONG:-}" ]; then
    live --deviants >"$dir/liars.txt" 2>&1
    tail -n 1 "$dir/liars.txt" | grep -qE '^([0-9]+) deviants, \1 killed, '
    point "every deviant fails there" $?
    for load in 0 4; do
        busy=""
        for i in $(seq 1 $load); do
            (while :; do :; done) &
            busy="$busy $!"
        done
        pids="$pids $busy"
        live --seed "$((load + 10))" >"$dir/all.txt" 2>&1
        status=$?
        # shellcheck disable=SC2086
        [ -z "$busy" ] || kill $busy
        [ "$status" -eq 0 ]
        point "the whole catalogue, beside $load busy processes" $?
    done
fi
finish
