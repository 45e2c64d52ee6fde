#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct certify --live: cases over real sockets. Speaks TAP. MRCT names the program. Needs root and network
# namespaces; without them it skips. With MRCT_LONG the whole catalogue is run, and again beside a load.
set -u
. "$(dirname "$0")/lib/tap.sh"
. "$(dirname "$0")/lib/netns.sh"

live() { "$MRCT" certify --cases cases --live "$@"; }

live --case 'ack/*' --list >"$tmp/list.txt" 2>&1 && ! grep -q live: "$tmp/list.txt"
point "listing the cases needs no network" $?

if ! live ack/cumulative >"$tmp/first.txt" 2>&1; then
    if grep -q -- "--live: " "$tmp/first.txt"; then
        skip "cases over real sockets" "$(sed 's/.*--live: //' "$tmp/first.txt")"
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
live $some --out "$tmp/report" >"$tmp/some.txt" 2>&1
status=$?
set +f
[ "$status" -eq 0 ] && tail -n 1 "$tmp/some.txt" |
    grep -qx '[1-9][0-9]* passed, 0 failed, 0 inconclusive, 0 not applicable'
point "cases of every kind pass, and the last line says so" $?
grep -q '^live: [1-9][0-9]* frames through sockets' "$tmp/some.txt"
point "frames went through sockets" $?
[ -s "$tmp/report/report.html" ] && [ -s "$tmp/report/network-plane-fails.pcapng" ] &&
    grep -q 'mrct certify --live --seed 1 --cases cases --case ack/lost' "$tmp/report/report.json"
point "the report is as always, and says how to run a case again" $?

live --device deviant:no-sack-on-ce --case sack/on-ce >"$tmp/liar.txt" 2>&1
[ $? -eq 1 ] && grep -q '^FAIL .*REQ-7.5.2-02' "$tmp/liar.txt"
point "a deviant fails there too" $?
live --device deviant:tver-unchecked --case damage/transport-version >"$tmp/liar.txt" 2>&1
[ $? -eq 1 ] && grep -q '^FAIL .*REQ-6.3-06' "$tmp/liar.txt"
point "and one that takes what is no packet for one" $?

# Two at once do not see each other.
live 'sack/*' >"$tmp/one.txt" 2>&1 &
one=$!
live 'sack/*' --seed 2 >"$tmp/two.txt" 2>&1
two_status=$?
wait "$one" && [ "$two_status" -eq 0 ]
point "two runs stand side by side" $?

# Killed in the middle, it leaves nothing behind.
live --seed 3 --out "$tmp/killed" >"$tmp/killed.txt" 2>&1 &
k=$!
until grep -q PASS "$tmp/killed.txt"; do kill -0 "$k" 2>/dev/null || break; done
kill -KILL "$k"
wait "$k" 2>/dev/null
[ "$(interfaces)" -eq "$was" ] && [ ! -e "$tmp/killed/report.json" ] && [ ! -e "$tmp/killed/report.html" ]
point "killed, it leaves no interface and no half a report" $?

if [ -n "${MRCT_LONG:-}" ]; then
    live --deviants >"$tmp/liars.txt" 2>&1
    tail -n 1 "$tmp/liars.txt" | grep -qE '^([0-9]+) deviants, \1 killed, '
    point "every deviant fails there" $?
    for load in 0 4; do
        busy=""
        for i in $(seq 1 $load); do
            (while :; do :; done) &
            busy="$busy $!"
        done
        pids="$pids $busy"
        live --seed "$((load + 10))" >"$tmp/all.txt" 2>&1
        status=$?
        # shellcheck disable=SC2086
        [ -z "$busy" ] || kill $busy
        [ "$status" -eq 0 ]
        point "the whole catalogue, beside $load busy processes" $?
    done
fi
finish
