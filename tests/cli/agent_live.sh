#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Devices with ports of their own: agents in network namespaces, the fabric between them in another, and
# what is left when one of them, or the runner, is killed. Prints TAP; MRCT is the program; MRCT_LONG asks
# for the whole catalogue. Needs root, namespaces and iproute2; without them it skips.
set -u
. "$(dirname "$0")/lib/tap.sh"
. "$(dirname "$0")/lib/netns.sh"

make_net() { add_spaces "$A" "$B" "$F" && two_planes; }
if ! why=$(make_net); then
    skip "agents with ports" "$why"
    finish
fi
# device NAME NAMESPACE LETTER AGENT-OPTIONS: its manifest
device() {
    cat >"$tmp/$1.yaml" <<Y
name: $1
agent: {command: "exec ip netns exec $2 $MRCT agent --port p0 --port p1 $4", patience: 30s}
ports:
  - {plane: 0, interface: ${3}0}
  - {plane: 1, interface: ${3}1}
Y
}
device alpha "$A" a ""
device beta "$B" b "--deviant no-sack-on-ce"
in_f() {
    ip netns exec "$F" "$MRCT" "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
}

# ---- words ----
"$MRCT" agent --port nowhere0 >"$tmp/out" 2>"$tmp/err" </dev/null
[ $? -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct agent: nowhere0: there is no such network interface" ]
ok "an interface that is not there is told"
printf 'name: plain\nagent: {command: "exec %s agent"}\n' "$MRCT" >"$tmp/plain.yaml"
in_f certify --live --device "$tmp/plain.yaml" message/one-byte
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct certify: $tmp/plain.yaml: no ports: nothing leads to the device" ]
ok "a device without ports cannot be judged live"
printf 'name: plain\nagent: {command: "exec %s agent"}\nports: [{plane: 0, interface: a0}]\n' "$MRCT" >"$tmp/plain.yaml"
in_f certify --live --device "$tmp/plain.yaml" message/one-byte
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct certify: plain cannot be judged live: its agent has no ports" ]
ok "nor one whose agent has none"

# ---- certify ----
some="message/one-byte network/two-planes retransmission/selective sack/on-ce access/told-past-end timeout/linear"
[ -z "${MRCT_LONG:-}" ] || some=
in_f certify --live --device "$tmp/alpha.yaml" --out "$tmp/alpha" $some
tail -n 1 "$tmp/out" >"$tmp/last"
if [ -z "${MRCT_LONG:-}" ]; then
    [ "$rc" -eq 0 ] && grep -q '^5 passed, 0 failed, 0 inconclusive, 1 not applicable$' "$tmp/last"
else
    grep -q '^[1-9][0-9]* passed, 0 failed, ' "$tmp/last"
fi
ok "the reference on ports of its own passes"
grep -A1 '^NOT APPLICABLE *timeout/linear' "$tmp/out" | grep -q 'rests on exact times, which only virtual time keeps'
ok "a case of exact times is not applicable, and says why"
[ -s "$tmp/alpha/message-one-byte.pcapng" ] && [ -s "$tmp/alpha/report.html" ]
ok "captures and reports are there"
in_f certify --live --device "$tmp/beta.yaml" --strict sack/on-ce message/one-byte
[ "$rc" -eq 1 ] && grep -q '^FAIL *sack/on-ce' "$tmp/out" && grep -q '^FAIL *REQ-7.5.2-02' "$tmp/out" && grep -q '^PASS *message/one-byte' "$tmp/out"
ok "a liar on ports of its own is caught"

# ---- interop ----
in_f interop --live reference "$tmp/alpha.yaml" "$tmp/beta.yaml" --strict --case sack/on-ce --case message/one-byte --out "$tmp/matrix"
cat >"$tmp/want" <<'END'
  1 reference                        pass pass FAIL
  2 alpha                            pass  n/a FAIL
  3 beta                             pass pass  n/a
END
sed -n '3,5p' "$tmp/out" >"$tmp/table"
[ "$rc" -eq 1 ] && cmp -s "$tmp/table" "$tmp/want" && [ "$(grep -c '^FAIL.*: beta broke REQ-7.5.2-02 in 1 case$' "$tmp/out")" -eq 2 ]
ok "every ordered pair by their own ports: the blame is on the liar"

# ---- killed ----
# Events are counted in what the agent is asked: at the n-th request its process, or the runner, is
# killed. Everybody who was started holds the pipe `all`; its end is the end of them all.
mkfifo "$tmp/all" "$tmp/pid"
# at NUMBER COMMAND: a manifest whose agent does that when it is asked for the n-th time
at() {
    cat >"$tmp/kill.yaml" <<Y
name: kill
agent:
  patience: 30s
  command: >-
    [ -e $tmp/go ] || exec ip netns exec $A $MRCT agent --port p0 --port p1;
    { n=0; while read -r l; do n=\$((n + 1)); [ \$n -ne $1 ] || { $2; }; printf '%s\n' "\$l"; done; } |
    ip netns exec $A $MRCT agent --port p0 --port p1
ports: [{plane: 0, interface: a0}, {plane: 1, interface: a1}]
Y
}
left() {
    ! grep -lq "$A" /proc/[0-9]*/cmdline 2>/dev/null &&
        [ -z "$(find "$tmp/killed" -name '*.part' -o -name '*.tmp*' 2>/dev/null)" ] &&
        [ "$(ip -n "$F" -o link | wc -l)" -eq 5 ] && [ "$(ip netns | grep -c "^mrct-$$-")" -eq 3 ]
}
# play EVENT WHOM: runs it with the pipe to wait for all
play() {
    rm -rf "$tmp/killed"
    ip netns exec "$F" "$MRCT" interop --live reference "$tmp/kill.yaml" --case message/one-byte --out "$tmp/killed" \
        >"$tmp/all" 2>&1 &
    runner=$!
    echo "$runner" >"$tmp/runner"
    cat "$tmp/all" >"$tmp/out"
    wait "$runner" 2>/dev/null
    rc=$?
}
events="2 9"
[ -z "${MRCT_LONG:-}" ] || events="1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"
for event in $events; do
    at $event "touch $tmp/struck; kill -9 0"
    touch "$tmp/go"
    play
    rm -f "$tmp/go"
    [ -e "$tmp/struck" ] && rm "$tmp/struck" && [ "$rc" -eq 5 ] && [ -s "$tmp/killed/matrix.json" ] && left
    ok "the agent killed at its request $event spoils its cells, and leaves nothing"
    at $event "touch $tmp/struck; kill -9 \$(cat $tmp/runner)"
    touch "$tmp/go"
    play
    rm -f "$tmp/go"
    [ -e "$tmp/struck" ] && rm "$tmp/struck" && [ "$rc" -eq 137 ] && [ ! -e "$tmp/killed/matrix.json" ] && left
    ok "the runner killed at request $event leaves no process and nothing half-written"
done
finish
