#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Goodput of two `mrct endpoint`s between two namespaces, at a path MTU of 4 KiB with every ICRC made
# and verified, beside iperf3's TCP and UDP on the same veth pair, in turns and in one run; then the same
# with `mrct fabric` in a third namespace between them: packets per second and added latency. Also how
# wrong software timestamps are. Figures and ratios; nothing is asserted. Needs root, iproute2 and iperf3
# (scripts/deps.sh live).
# Usage: bench_live.sh [ROUNDS]; SECONDS_EACH and MESSAGES change the length.
set -u
MRCT=${MRCT:-${BUILD:-build}/mrct}
case $MRCT in /*) ;; *) MRCT=$PWD/$MRCT ;; esac
rounds=${1:-3} seconds=${SECONDS_EACH:-4} messages=${MESSAGES:-4000}
A=mrctbench-$$-a B=mrctbench-$$-b F=mrctbench-$$-f
dir=$(mktemp -d) || exit 1
pids=""
end() {
    trap '' INT TERM HUP
    for p in $pids; do kill "$p" 2>/dev/null; done
    wait 2>/dev/null
    ip netns del "$A" 2>/dev/null
    ip netns del "$B" 2>/dev/null
    ip netns del "$F" 2>/dev/null
    rm -rf "$dir"
}
trap end EXIT
trap 'exit 130' INT TERM HUP
for c in ip iperf3 awk; do
    command -v $c >/dev/null 2>&1 || { echo "bench_live: no $c here, nothing measured"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "bench_live: needs root, nothing measured"; exit 0; }
ip netns add "$A" && ip netns add "$B" && ip netns add "$F" || exit 3
for v in p0 p1; do
    ip -n "$A" link add "$v" mtu 9000 type veth peer name "$v" netns "$B" mtu 9000 || exit 3
    ip -n "$A" link set "$v" up && ip -n "$B" link set "$v" up
done
# With the fabric between: f0 and f1 of A and B lead to it.
for v in f0 f1; do
    for x in "$A" "$B"; do
        far=$([ "$x" = "$A" ] && echo "a$v" || echo "b$v")
        ip -n "$x" link add "$v" mtu 9000 type veth peer name "$far" netns "$F" mtu 9000 || exit 3
        ip -n "$x" link set "$v" up && ip -n "$F" link set "$far" up
    done
done
ip -n "$A" addr add 192.0.2.1/24 dev p0 && ip -n "$B" addr add 192.0.2.2/24 dev p0
ip -n "$A" addr add fd00::1/64 dev p0 nodad && ip -n "$B" addr add fd00::2/64 dev p0 nodad

# Waits until something listens on a TCP port in B.
listening() {
    until ip netns exec "$B" cat /proc/net/tcp /proc/net/tcp6 | grep -q "$(printf ':%04X 0*:0000 0A' "$1")"; do
        kill -0 "$2" 2>/dev/null || return 1
    done
}

# iperf ARGS...: Gb/s that arrived, and the CPU time of both sides for each GB, in seconds.
iperf() {
    ip netns exec "$B" iperf3 -s -1 -p 5301 >/dev/null 2>&1 &
    s=$!
    pids="$pids $s"
    listening 5301 "$s"
    ip netns exec "$A" iperf3 -c fd00::2 -p 5301 -t "$seconds" --json "$@" >"$dir/iperf.json" 2>/dev/null
    wait "$s"
    # One member a line in iperf3's JSON; sum_received is what arrived.
    awk '/"sum_received"/ {want = 1}
         want && /"bits_per_second"/ {gsub(/[^0-9.e+]/, "", $2); v = $2; want = 0}
         /"host_total"/ {gsub(/[^0-9.e+]/, "", $2); cpu += $2}
         /"remote_total"/ {gsub(/[^0-9.e+]/, "", $2); cpu += $2}
         END {g = v / 1e9; print g, (g > 0 ? cpu / 100 / (g / 8) : 0)}' "$dir/iperf.json"
}

# mrct PORTS QPS ARGS...: the same.
mrct() {
    ports=$1 qps=$2
    shift 2
    # shellcheck disable=SC2086 # words
    (ip netns exec "$B" "$MRCT" endpoint --listen 192.0.2.2:7272 $ports --qps "$qps" --receive --no-verify "$@" \
        >"$dir/b.txt" 2>&1
        times >"$dir/b.times") &
    s=$!
    pids="$pids $s"
    # shellcheck disable=SC2086
    (ip netns exec "$A" "$MRCT" endpoint --connect 192.0.2.2:7272 $ports --qps "$qps" "$@" \
        --pattern 65536 --depth 8 --messages $((messages * 16)) >"$dir/a.txt" 2>&1
        times >"$dir/a.times")
    wait "$s"
    # times: the second line is of the children, "0m1.23s 0m4.56s"
    cpu=$(for f in "$dir/a.times" "$dir/b.times"; do sed -n 2p "$f"; done | tr 'ms' '  ' |
        awk '{n += $1 * 60 + $2 + $3 * 60 + $4} END {print n}')
    sed -n 's/^received .* messages, \([0-9.]*\) Gb\/s.*/\1/p' "$dir/b.txt" |
        awk -v cpu="$cpu" -v bytes=$((messages * 1048576)) '{print $1, cpu / (bytes / 1e9)}'
}

# through PORTS QPS ARGS...: mrct with the fabric between; leaves what the fabric says.
through() {
    ip netns exec "$F" "$MRCT" fabric --pair af0:bf0 --pair af1:bf1 --ring 4096 >"$dir/f.txt" 2>"$dir/f.err" &
    f=$!
    pids="$pids $f"
    until grep -qs ready "$dir/f.txt"; do kill -0 "$f" 2>/dev/null || return 1; done
    mrct "$@"
    kill "$f"
    wait "$f" || cat "$dir/f.err" >&2
    grep -E '^(added|speed|itself|clock)' "$dir/f.txt" >"$dir/fabric.txt"
}

row() { # NAME COMMAND...
    name=$1
    shift
    "$@" >"$dir/row" || echo "0 0" >"$dir/row"
    [ -s "$dir/row" ] || echo "0 0" >"$dir/row"
    echo "$name|$(cat "$dir/row")" >>"$dir/rows"
}

i=0
while [ $i -lt "$rounds" ]; do
    row "iperf3 TCP" iperf
    row "iperf3 UDP, 4 KiB" iperf -u -b 0 -l 4096
    row "mrct, 1 QP, 1 port" mrct "--port p0" 1
    row "mrct, 1 QP, 1 port, --bypass" mrct "--port p0" 1 --bypass
    row "mrct, 16 QPs, 1 port" mrct "--port p0" 16
    row "mrct, 16 QPs, 2 ports" mrct "--port p0 --port p1" 16
    row "mrct, 16 QPs, 2 ports, --bypass" mrct "--port p0 --port p1" 16 --bypass
    row "through mrct fabric, 1 QP, 1 port" through "--port f0" 1
    row "through mrct fabric, 16 QPs, 2 ports" through "--port f0 --port f1" 16
    i=$((i + 1))
done
echo "goodput, best of $rounds rounds                   Gb/s   x TCP   CPU s/GB (both sides)"
awk -F'[| ]' '{split($0, part, "|"); split(part[2], v, " "); n = part[1]
    if (!(n in best)) order[++count] = n
    if (!(n in best) || v[1] > best[n]) {best[n] = v[1]; cpu[n] = v[2]}}
    END {for (i = 1; i <= count; i++) {n = order[i]; t = best["iperf3 TCP"]
        printf "  %-38s %8.2f  %6.2f  %8.3f\n", n, best[n], (t > 0 ? best[n] / t : 0), cpu[n]}}' "$dir/rows"
echo "mrct fabric in the last round:"
sed 's/^/  /' "$dir/fabric.txt"
echo "software timestamps of mrct endpoint in the last round:"
grep '^clock' "$dir/a.txt" "$dir/b.txt" | sed 's/^.*txt:/  /'
