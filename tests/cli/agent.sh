#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct agent, and devices behind an agent, from outside. Prints TAP; MRCT is the program; MRCT_LONG
# asks for the whole catalogue.
set -u
. "$(dirname "$0")/lib/tap.sh"
trap 'kill $(cat "$tmp"/*.pid 2>/dev/null) 2>/dev/null; rm -rf "$tmp"' EXIT

# manifest NAME COMMAND [LINE...]: writes NAME.yaml
manifest() {
    name=$1 command=$2
    shift 2
    { echo "name: $name"; echo "agent: {command: \"$command\", patience: 20s}"; [ $# -eq 0 ] || printf '%s\n' "$@"; } >"$tmp/$name.yaml"
}
# talk LINE...: those lines to an agent, its answers in out
talk() {
    printf '%s\n' "$@" | "$MRCT" agent >"$tmp/out" 2>"$tmp/err"
    rc=$?
}
says() { sed -n "$1p" "$tmp/out" | grep -q "$2"; }

# ---- by hand ----
hello='{"id":1,"op":"hello","version":1}'
talk "$hello" '{"id":2,"op":"bye"}'
[ "$rc" -eq 0 ] && [ "$(wc -l <"$tmp/out")" -eq 2 ] && says 1 '"version":1' && says 1 '"ok":true' &&
    says 1 '"id":1' && says 1 '"write_imm"' && says 2 '"ok":true'
ok "hello and bye are answered, and bye ends it"
talk '{"id":1,"op":"hello","version":2}'
[ "$rc" -eq 0 ] && says 1 '"error":"version"'
ok "another version is refused"
talk '{"id":1,"op":"poll"}' "$hello" '{"id":3,"op":"poll"}'
says 1 '"error":"state"' && says 2 '"ok":true' && says 3 '"error":"state"'
ok "what is out of turn is refused"
talk "$hello" 'no json' '[]' '{}' '{"id":5,"op":"dance"}' '{"id":6,"op":"case","case":"x/y","mode":"virtual"}'
says 2 '"error":"invalid"' && says 3 '"error":"invalid"' && says 4 '"error":"invalid"' &&
    says 5 '"error":"unsupported"' && says 6 '"error":"unsupported"' && says 6 '"id":6'
ok "garbage, unknown operations and unknown cases are told as such"
run agent --deviant nobody
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct agent: there is no deviant 'nobody'" ]
ok "a deviant that does not exist is refused"

# ---- certify through an agent ----
manifest reference-agent "exec $MRCT agent"
some="message/one-byte nack/trimmed psn/window-shrinks imm/limit damage/transport-version access/wrong-key ev/rotation ev/replaced"
[ -z "${MRCT_LONG:-}" ] || some=
run certify --out "$tmp/direct" $some
run certify --device "$tmp/reference-agent.yaml" --strict --out "$tmp/agent" $some
[ "$rc" -eq 0 ] && tail -n 2 "$tmp/out" | grep -q '^[1-9][0-9]* passed, 0 failed, 0 inconclusive, 0 not applicable'
ok "the reference behind an agent passes"
same=0
for f in "$tmp"/direct/*.pcapng; do cmp -s "$f" "$tmp/agent/${f##*/}" || same=1; done
[ "$same" -eq 0 ]
ok "frame by frame as it does without one"
manifest liar "exec $MRCT agent --deviant wrong-icrc"
run certify --device "$tmp/liar.yaml" --strict message/one-byte
[ "$rc" -eq 1 ] && grep -q 'REQ-.*ICRC' "$tmp/out"
ok "a deviant behind an agent is caught"
manifest plain "exec $MRCT agent" "capabilities: [planes]"
run certify --device "$tmp/plain.yaml" imm/in-order message/one-byte
[ "$rc" -eq 0 ] && grep -q "^NOT APPLICABLE *imm/in-order" "$tmp/out" && grep -q '^PASS *message/one-byte' "$tmp/out"
ok "what a manifest does not claim is not asked for"

# A liar that dies after its first frame: the oracle saw it lie, but a dead agent's device stands accused nowhere.
cat >"$tmp/dies.yaml" <<Y
name: dies
agent:
  command: >-
    { n=0; while read -r l; do case \$l in *message/one-byte*) n=1;; esac;
    [ \$n -eq 0 ] || n=\$((n + 1)); [ \$n -lt 28 ] || break; printf '%s\n' "\$l";
    case \$l in *'"bye"'*) break;; esac; done; } | $MRCT agent --deviant wrong-icrc; kill -KILL \$\$
Y
run certify --device "$tmp/dies.yaml" --strict --out "$tmp/dies" message/one-byte
[ "$rc" -eq 5 ] && ! grep -aq 'FAIL REQ' "$tmp/dies/message-one-byte.pcapng" && ! grep -q ': "FAIL"' "$tmp/dies/report.json" &&
    grep -aq 'INCONCLUSIVE REQ-6-11 (host1)' "$tmp/dies/message-one-byte.pcapng"
ok "nothing is held against a device whose agent died, in its capture neither"

# ---- TCP ----
"$MRCT" agent --listen 127.0.0.1:0 >"$tmp/port" 2>"$tmp/err" &
echo $! >"$tmp/tcp.pid"
while ! grep -q '^port' "$tmp/port" && kill -0 "$(cat "$tmp/tcp.pid")" 2>/dev/null; do :; done
printf 'name: tcp-agent\nagent: {address: "127.0.0.1:%s"}\n' "$(sed 's/port //' "$tmp/port")" >"$tmp/tcp.yaml"
run certify --device "$tmp/tcp.yaml" message/one-byte message/both-directions
[ "$rc" -eq 0 ] && grep -q '^2 passed' "$tmp/out"
ok "an agent is reached over TCP"
kill "$(cat "$tmp/tcp.pid")"
wait "$(cat "$tmp/tcp.pid")" 2>/dev/null
rm "$tmp/tcp.pid"
run certify --device "$tmp/tcp.yaml" message/one-byte
[ "$rc" -eq 2 ] && grep -q 'Connection refused' "$tmp/err"
ok "an agent that is not there is a sentence"

# ---- manifests ----
run certify --device nothing
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct certify: 'nothing' is no device: reference, deviant:NAME, or the file of a manifest" ]
ok "what is no device is told"
manifest odd "exec $MRCT agent" "capabilities: [wings]"
run certify --device "$tmp/odd.yaml" message/one-byte
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct certify: $tmp/odd.yaml:3: capabilities: 'wings' is none that cases ask for" ]
ok "a capability that nobody knows has its line"
manifest more "exec $MRCT agent --without vlan" "capabilities: [vlan]"
run certify --device "$tmp/more.yaml" message/one-byte
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct certify: $tmp/more.yaml:3: capabilities: 'vlan' is claimed here and not by the agent" ]
ok "a claim that the agent does not make is told"
manifest absent "exec /nowhere/agent"
run certify --device "$tmp/absent.yaml" message/one-byte
[ "$rc" -eq 2 ] && grep -q 'the agent of absent' "$tmp/err"
ok "a command that cannot be run is told"

finish
