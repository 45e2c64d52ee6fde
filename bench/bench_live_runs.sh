#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The whole catalogue over real sockets, again and again with other seeds, on a machine that has more to do
# than it can: how often an honest endpoint is accused. Ends on one line, and fails if it ever was.
# Usage: bench_live_runs.sh [RUNS]; BUSY says how many processes spin beside (default: twice the CPUs).
# With MRCT_LONG, 200 runs unless it is said. Needs root.
set -u
MRCT=${MRCT:-${BUILD:-build}/mrct}
cd "$(dirname "$0")/.." || exit 2
runs=${1:-${MRCT_LONG:+200}}
runs=${runs:-5} busy=${BUSY:-$((2 * $(nproc)))}
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
i=0
while [ $i -lt "$busy" ]; do
    (while :; do :; done) &
    pids="$pids $!"
    i=$((i + 1))
done
begin=$(date +%s) i=0 pass=0 fail=0 unsure=0 error=0
while [ $i -lt "$runs" ]; do
    i=$((i + 1))
    "$MRCT" certify --cases cases --live --seed $i >"$dir/out" 2>"$dir/err"
    case $? in
    0) pass=$((pass + 1)) ;;
    1) fail=$((fail + 1)) ;;
    5) unsure=$((unsure + 1)) ;;
    *) error=$((error + 1)) ;;
    esac
    if ! tail -n 1 "$dir/out" | grep -q ' 0 failed, 0 inconclusive, .* not applicable$'; then
        echo "seed $i:"
        grep -E '^(FAIL|INCONCLUSIVE|ERROR) +[a-z0-9-]+/[a-z0-9-]+:' "$dir/out"
        cat "$dir/err"
    fi
    [ ! -t 2 ] || printf '\r%d of %d' "$i" "$runs" >&2
done
[ ! -t 2 ] || printf '\r' >&2
echo "$runs live runs of the catalogue beside $busy busy processes in $(($(date +%s) - begin)) s:" \
    "$pass passed, $fail failed, $unsure inconclusive, $error errors"
[ "$fail" -eq 0 ] && [ "$error" -eq 0 ]
