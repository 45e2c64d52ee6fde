#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How fast mrct check reads and judges, beside a bare libpcap loop, tcpdump and tshark, in one run.
# CPU seconds of user and system, the best of three; nothing is asserted.
# Usage: bench_check.sh [BUILD]   (make BUILD/bench/gen_capture BUILD/bench/loop_pcap first)
set -u
build=${1:-build}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
for p in bench/gen_capture bench/loop_pcap mrct; do
    [ -x "$build/$p" ] || { echo "bench_check.sh: make $build/$p first" >&2; exit 2; }
done

# best COMMAND...: least CPU seconds, and the wall seconds of that run.
best() {
    for _ in 1 2 3; do
        { bash -c 'TIMEFORMAT="%U %S %R"; time "$@" >/dev/null 2>&1' - "$@"; } 2>&1 | tail -n 1
    done | awk '{c = $1 + $2} NR == 1 || c < b {b = c; w = $3} END {print b, w}'
}
# line NAME FRAMES BYTES BASE CPU WALL
line() {
    echo "$5 $6" | awk -v name="$1" -v n="$2" -v b="$3" -v base="$4" '{
        c = $1 > 0 ? $1 : 0.001; w = $2 > 0 ? $2 : 0.001
        printf "  %-28s %9.0f frames/s  %6.2f GB/s of CPU time  %5.2f x the loop  wall %.2f s\n",
               name, n / c, b / c / 1e9, (base > 0 ? c / base : 1), w}'
}
# round TITLE FRAMES LEN TSHARK_FRAMES
round() {
    "$build/bench/gen_capture" "$dir/c.pcap" "$2" "$3" 8 || exit 2
    bytes=$(wc -c <"$dir/c.pcap")
    echo "$1"
    set -- "$2" "$3" "$4" $(best "$build/bench/loop_pcap" "$dir/c.pcap")
    base=$4
    line "bare libpcap loop" "$1" "$bytes" "$base" "$4" "$5"
    line "mrct check, one thread" "$1" "$bytes" "$base" \
        $(best "$build/mrct" check --threads 1 -t requestor "$dir/c.pcap")
    line "mrct check" "$1" "$bytes" "$base" $(best "$build/mrct" check -t requestor "$dir/c.pcap")
    command -v tcpdump >/dev/null 2>&1 &&
        line "tcpdump -w /dev/null" "$1" "$bytes" "$base" \
            $(best tcpdump -r "$dir/c.pcap" -w /dev/null)
    command -v tshark >/dev/null 2>&1 || return 0
    "$build/bench/gen_capture" "$dir/t.pcap" "$3" "$2" 8
    line "tshark, $3 frames" "$3" "$(wc -c <"$dir/t.pcap")" \
        "$(echo "$base $3 $1" | awk '{print $1 * $2 / $3}')" $(best tshark -r "$dir/t.pcap" -n)
}
round "2,000,000 frames of 128 bytes" 2000000 128 200000
round "200,000 frames of 4,200 bytes" 200000 4200 50000
