#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Captures of honest pairs, judged without a single fact: whatever stays unknown, nobody is accused,
# by one thread or by two. A liar among them is still found. Speaks TAP. MRCT names the program.
set -u
. "$(dirname "$0")/lib/tap.sh"

# What no peer crafts and no path corrupts: there nobody breaks anything.
honest=$(grep -LE '^script:|inject:|corrupt' cases/*/*.yaml | grep -v '^cases/deviants/' |
    sed -e 's|^cases/||' -e 's|\.yaml$||')
# shellcheck disable=SC2086 # ids are words
"$MRCT" certify --cases cases --out "$tmp/runs" $honest >"$tmp/out" 2>&1
[ "$(ls "$tmp/runs" | grep -c pcapng)" -eq "$(echo "$honest" | wc -l)" ] &&
    [ "$(echo "$honest" | wc -l)" -ge 100 ]
point "a capture of each honest case, 100 or more" $?

for threads in 1 2; do
    : >"$tmp/err"
    for f in "$tmp"/runs/*.pcapng; do
        "$MRCT" check --threads $threads "$f" >"$tmp/out" 2>&1
        status=$?
        [ $status -eq 0 ] || [ $status -eq 5 ] || {
            echo "${f##*/}: exit $status"
            grep -A 1 '^FAIL' "$tmp/out"
        } >>"$tmp/err"
    done
    [ ! -s "$tmp/err" ]
    point "without a fact nobody is accused, threads $threads" $?
done

# Pairs with everything drawn, both readings of each open question among it. Of a packet that the path
# corrupted all that can be said is that sender or path did it.
mkdir "$tmp/swarm"
"$MRCT" swarm --seeds 1..60 --out "$tmp/swarm" >"$tmp/out" 2>&1
: >"$tmp/err"
for f in "$tmp"/swarm/*.pcapng; do
    "$MRCT" check "$f" >"$tmp/out" 2>&1
    grep -q '^FAIL' "$tmp/out" && grep -A 1 '^FAIL' "$tmp/out" | grep -v '^FAIL REQ-6-11 ' |
        grep -B 1 -A 1 '^FAIL' | sed "s|^|${f##*/}: |" >>"$tmp/err"
done
[ "$(ls "$tmp/swarm" | grep -c pcapng)" -eq 60 ] && [ ! -s "$tmp/err" ]
point "nor in captures of 60 pairs that a seed drew" $?

# Seeds that showed a fault of the suite itself.
: >"$tmp/err"
for seed in $(grep -v '^#' tests/data/swarm-seeds.txt); do
    "$MRCT" swarm --seeds "$seed..$seed" >"$tmp/out" 2>&1 || cat "$tmp/out" >>"$tmp/err"
done
[ ! -s "$tmp/err" ]
point "nor by any of the seeds that once did" $?

"$MRCT" certify --cases cases --device deviant:rtx-not-set --out "$tmp/liar" \
    --case retransmission/one-loss >"$tmp/err" 2>&1
"$MRCT" check "$tmp/liar/retransmission-one-loss.pcapng" >"$tmp/err" 2>&1
[ $? -eq 1 ] && grep -q '^FAIL REQ-7.4-01 ' "$tmp/err"
point "a liar is found without a fact" $?

finish
