#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What plain tcpdump saw between two live endpoints, through a network with faults, goes through both
# dissectors and mrct check: no frame is malformed and nobody is accused. Speaks TAP. MRCT names the
# program, BUILD the build directory. Needs root, namespaces, tcpdump; without them it skips.
set -u
. "$(dirname "$0")/lib/tap.sh"
. "$(dirname "$0")/lib/netns.sh"
PORT=7171
chmod 755 "$tmp"

make_net() {
    command -v tcpdump >/dev/null 2>&1 || { echo "no tcpdump (scripts/deps.sh live)"; return 1; }
    add_spaces "$A" "$B" "$F" && two_planes && control
}
if ! why=$(make_net); then
    skip "what tcpdump saw between two endpoints" "$why"
    finish
fi

# when WORDS FILE PID: waits until the file says so, or the process is gone.
when() { until grep -q "$1" "$2" 2>/dev/null || ! kill -0 "$3" 2>/dev/null; do :; done; }
# capture WHERE IFACE FILE: tcpdump in a namespace; sets cap
capture() {
    : >"$3.txt"
    ip netns exec "$1" tcpdump -i "$2" -B 65536 -U --immediate-mode --time-stamp-precision=nano \
        -w "$3" udp port 4791 2>"$3.txt" &
    cap=$!
    pids="$pids $cap"
    when 'listening on' "$3.txt" "$cap"
}
stop() { kill "-$1" "$2" && wait "$2"; }

cat >"$tmp/f.yaml" <<'Y'
faults:
  - drop: {direction: requests, psn: 20..29, retransmission: false}
  - drop: {opcode: sack, nth: 3..4}
  - duplicate: {direction: requests, psn: 100..109}
  - reorder: {direction: requests, psn: 200..219, past: 3}
  - delay: {opcode: sack, nth: 5..8, by: 2ms}
Y
: >"$tmp/f.txt"
ip netns exec "$F" "$MRCT" fabric --pair a0:b0 --pair a1:b1 --ring 4096 --faults "$tmp/f.yaml" \
    >"$tmp/f.txt" 2>"$tmp/f.err.txt" &
f=$!
pids="$pids $f"
when ready "$tmp/f.txt" "$f"
capture "$B" any "$tmp/any.pcap"
at_b=$cap
capture "$A" p0 "$tmp/p0.pcap"
at_a=$cap
ip netns exec "$B" "$MRCT" endpoint --listen 192.0.2.2:$PORT --port p0 --port p1 --receive \
    --facts "$tmp/facts.yaml" >"$tmp/b.txt" 2>&1 &
b=$!
pids="$pids $b"
ip netns exec "$A" "$MRCT" endpoint --connect 192.0.2.2:$PORT --port p0 --port p1 --pattern 65536 \
    --messages 40 --timeout 14 >"$tmp/a.txt" 2>&1
a_status=$?
wait "$b" && [ "$a_status" -eq 0 ]
moved=$?
stop INT "$at_a"
stop INT "$at_b"
stop TERM "$f"
[ "$moved" -eq 0 ] && grep -q "^fault    'drop, line 2': [1-9]" "$tmp/f.txt"
point "messages pass through a network with faults, seen by tcpdump" $?

# accuses FILE ARGUMENT...: whether mrct check fails anything in it; it must find frames of MRC.
accuses() {
    file=$1
    shift
    "$MRCT" check "$@" "$file" >"$tmp/check.txt" 2>&1
    status=$?
    grep -qE '^ *[0-9]+  WRITE_' "$tmp/check.txt" || return 0
    { [ "$status" -eq 0 ] || [ "$status" -eq 5 ]; } && ! grep -q '^FAIL' "$tmp/check.txt" && return 1
    return 0
}
! accuses "$tmp/any.pcap" --facts "$tmp/facts.yaml"
point "both planes, cooked: mrct check accuses nobody, with facts" $?
! accuses "$tmp/any.pcap"
point "and without" $?
! accuses "$tmp/p0.pcap" --tap requestor
point "one plane of two alone, where the requests leave: nobody is accused" $?
"$MRCT" decode --json "$tmp/any.pcap" >"$tmp/json" 2>&1 && ! grep -q '"kind": "malformed"' "$tmp/json"
point "mrct decode finds no malformed frame" $?

if ! command -v tshark >/dev/null 2>&1; then
    skip "the dissectors" "tshark is not installed"
    finish
fi
# Wireshark loads nobody's own plugins for root: tshark runs as nobody.
as="setpriv --reuid=65534 --regid=65534 --clear-groups"
$as true 2>/dev/null || as=""
cp dissectors/mrc.lua "$tmp/mrc.lua"
mkdir "$tmp/plain"
chmod -R a+rX "$tmp"
export LC_ALL=C.UTF-8
shark() {
    home=$1
    shift
    $as env -u XDG_CONFIG_HOME HOME="$tmp/$home" tshark "$@" 2>"$tmp/shark.txt" </dev/null
}
# clean HOME FILE ARGUMENT...: all frames that mrct decode calls MRC are MRC; none is malformed or breaks
# a rule (REQ-9-04 aside: without congestion control this endpoint asks for no marks)
clean() {
    home=$1 file=$2
    shift 2
    shark "$home" "$@" -r "$file" -o mrc.verify_icrc:TRUE -T fields -e mrc.bth.psn -e _ws.malformed \
        -e mrc.requirement >"$tmp/rows" || return 1
    "$MRCT" decode --json "$file" >"$tmp/json" 2>/dev/null
    awk -F '\t' '$2 != "" || ($3 != "" && $3 != "REQ-9-04") {print "frame", NR, $0}' "$tmp/rows" >"$tmp/rows.txt"
    [ ! -s "$tmp/rows.txt" ] && [ "$(grep -c '"kind": null' "$tmp/json")" -gt 100 ] &&
        [ "$(awk -F '\t' '$1 != ""' "$tmp/rows" | wc -l)" -eq "$(grep -c '"kind": null' "$tmp/json")" ]
}
for c in any p0; do
    clean plain "$tmp/$c.pcap" -X lua_script:"$tmp/mrc.lua"
    point "lua: every MRC frame of $c.pcap, none of them malformed" $?
done
version=$(tshark --version 2>/dev/null | sed -n '1s/.*Wireshark) \([0-9]*\.[0-9]*\).*/\1/p')
own=$tmp/plugged/.local/lib/wireshark/plugins/$version/epan
if [ ! -f "$BUILD/dissectors/plugin/mrc.so" ]; then
    skip "the plugin" "wireshark-dev is not installed, so the plugin was not built"
    finish
fi
mkdir -p "$own" && cp "$BUILD/dissectors/plugin/mrc.so" "$own/" && chmod -R a+rX "$tmp/plugged"
if ! shark plugged -G plugins | grep -q '^mrc\.so'; then
    skip "the plugin" "Wireshark loads no plugins for this user"
    finish
fi
for c in any p0; do
    clean plugged "$tmp/$c.pcap"
    point "plugin: every MRC frame of $c.pcap, none of them malformed" $?
done
finish
