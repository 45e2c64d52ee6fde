#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Captures of honest pairs, judged without a single fact: whatever stays unknown, nobody is accused,
# by one thread or by two. A liar among them is still found. Speaks TAP. MRCT names the program.
set -u
cd "$(dirname "$0")/../.." || exit 2
MRCT=${MRCT:-build/mrct}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 bad=0
point() {
    n=$((n + 1))
    if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else
        echo "not ok $n - $1"
        sed 's/^/# /' "$dir/accused" | head -n 40
        bad=1
    fi
}

# What no peer crafts and no path corrupts: there nobody breaks anything.
honest=$(grep -LE '^script:|inject:|corrupt' cases/*/*.yaml | grep -v '^cases/deviants/' |
    sed -e 's|^cases/||' -e 's|\.yaml$||')
# shellcheck disable=SC2086 # ids are words
"$MRCT" certify --cases cases --out "$dir/runs" $honest >"$dir/out" 2>&1
[ "$(ls "$dir/runs" | grep -c pcapng)" -eq "$(echo "$honest" | wc -l)" ] &&
    [ "$(echo "$honest" | wc -l)" -ge 100 ]
point "a capture of each honest case, 100 or more" $?

for threads in 1 2; do
    : >"$dir/accused"
    for f in "$dir"/runs/*.pcapng; do
        "$MRCT" check --threads $threads "$f" >"$dir/out" 2>&1
        status=$?
        [ $status -eq 0 ] || [ $status -eq 5 ] || {
            echo "${f##*/}: exit $status"
            grep -A 1 '^FAIL' "$dir/out"
        } >>"$dir/accused"
    done
    [ ! -s "$dir/accused" ]
    point "without a fact nobody is accused, threads $threads" $?
done

# Pairs with everything drawn, both readings of each open question among it. Of a packet that the path
# corrupted all that can be said is that sender or path did it.
mkdir "$dir/swarm"
"$MRCT" swarm --seeds 1..60 --out "$dir/swarm" >"$dir/out" 2>&1
: >"$dir/accused"
for f in "$dir"/swarm/*.pcapng; do
    "$MRCT" check "$f" >"$dir/out" 2>&1
    grep -q '^FAIL' "$dir/out" && grep -A 1 '^FAIL' "$dir/out" | grep -v '^FAIL REQ-6-11 ' |
        grep -B 1 -A 1 '^FAIL' | sed "s|^|${f##*/}: |" >>"$dir/accused"
done
[ "$(ls "$dir/swarm" | grep -c pcapng)" -eq 60 ] && [ ! -s "$dir/accused" ]
point "nor in captures of 60 pairs that a seed drew" $?

"$MRCT" certify --cases cases --device deviant:rtx-not-set --out "$dir/liar" \
    --case retransmission/one-loss >"$dir/accused" 2>&1
"$MRCT" check "$dir/liar/retransmission-one-loss.pcapng" >"$dir/accused" 2>&1
[ $? -eq 1 ] && grep -q '^FAIL REQ-7.4-01 ' "$dir/accused"
point "a liar is found without a fact" $?

echo "1..$n"
exit $bad
