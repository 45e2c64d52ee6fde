#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct agent-check against agents that are bad in one way each: the reference agent behind a filter.
# Prints TAP; MRCT is the program.
set -u
. "$(dirname "$0")/lib/tap.sh"

check() {
    "$MRCT" agent-check --patience "${patience:-20000}" "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
}
# bad WORDS ITEM WHY COMMAND: that item is bad for that reason (a pattern), and exit 1
bad() {
    check --item "$2" "$4"
    [ "$rc" -eq 1 ] && grep -A1 "^\(BAD\|NOT SHOWN\) *$2 " "$tmp/out" | grep -q "$3"
    ok "$1"
}
# What answers pass on their way out, and requests on their way in.
outof() { printf '"$MRCT" agent | %s' "$1"; }
into() { printf '%s | "$MRCT" agent' "$1"; }

# As little as gets past hello.
greet='read -r line; echo "{\"id\":1,\"ok\":true,\"version\":1,\"name\":\"x\",\"modes\":[\"virtual\"]}"'

check -- "$MRCT" agent
[ "$rc" -eq 0 ] && ! grep -q '^BAD' "$tmp/out" && tail -n 1 "$tmp/out" | grep -q '^[12][0-9] passed, 0 failed'
ok "the reference agent is fit"

# ---- unknown cases and operations ----
bad "one that takes any case" unknown-case "does not exist, so its 'ok' means nothing" \
    "$(outof "sed -u '2s/\"error\":\"unsupported\"/\"ok\":true/'")"
bad "one that takes any operation" unknown-operation "answered 'ok' to an operation that does not exist" \
    "$(outof "sed -u '2s/\"error\":\"unsupported\"/\"ok\":true/'")"
check --item known-case "$(into "sed -u 's/\"case\":\"[a-z]/&Q/'")"
[ "$rc" -eq 0 ] && grep -A1 '^skipped *known-case' "$tmp/out" | grep -q 'supports none of the cases'
ok "one that knows no case is fit, and proves nothing"

# ---- versions ----
bad "one that agrees to every version" version 'agreed to version 999' \
    "$(into "sed -u 's/\"version\":999/\"version\":1/'")"
bad "one of another version" hello 'speaks version 9 of the protocol where 1 was offered' \
    "$(outof "sed -u 's/\"version\":1/\"version\":9/'")"

# ---- late ----
patience=300
bad "one that never answers" hello 'no answer came in 300 ms' 'sleep 1000'
bad "one that is always an answer behind" hello 'no answer came in 300 ms' \
    "$(outof "sed -u 'x;1d'")"
bad "one that does not end" bye "did not end after 'bye'" '"$MRCT" agent; sleep 1001'
patience=20000
bad "one that answers the wrong request" unknown-case 'does not carry the id of the request' \
    "$(outof "sed -u 's/\"id\":2/\"id\":77/'")"

# ---- garbage ----
bad "one that talks garbage at once" hello 'no JSON' 'echo hello; cat >/dev/null'
bad "one that talks garbage later" unknown-case 'garbage: no JSON' "$(outof "sed -u '2s/.*/oops/'")"
bad "one that answers with half an object" unknown-case 'no JSON' "$(outof "sed -u '2s/.\$//'")"
bad "one that answers neither yes nor no" unknown-case "neither 'ok' nor 'error'" \
    "$(outof "sed -u '2s/\"error\"/\"eror\"/'")"
bad "one whose line never ends" hello 'longer than 1048576 bytes' "yes | tr -d '\n'"
bad "one that says nothing of its name" hello "'name' is missing" "$(outof "sed -u 's/\"name\"/\"nam\"/'")"
bad "one that is upset by garbage" garbage 'ended with exit status 7' "$greet; read -r line; exit 7"
bad "one whose frames are none" write "'frame' is no frame" "$(outof "sed -u 's/\"frame\":\"../&x/'")"
bad "one whose events are none" write "event 0: 'kind'" "$(outof "sed -u 's/\"send_done\"/\"done\"/'")"
bad "one that sends on a busy port" write 'a port that is not free' "$(outof "sed -u 's/{\"port\":0/{\"port\":3/'")"

# ---- crash ----
bad "one that crashes at once" hello 'ended by signal 11' 'kill -SEGV $$'
bad "one that crashes later" unknown-case 'ended by signal 6' "$greet; read -r line; kill -ABRT \$\$"
check --  /nowhere/agent x
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct agent-check: '/nowhere/agent' cannot be started: No such file or directory" ]
ok "one that is not there is told"

# ---- claims ----
bad "one that claims what nobody asks for" 'capability wings' 'no case asks for a capability of this name' \
    "$(outof "sed -u 's/\"capabilities\":\[/&\"wings\",/'")"
bad "one that claims an operation which it refuses" 'capability dynamic_mpr' "'unsupported' to 'set_mpr'" \
    "$(into "sed -u 's/\"op\":\"set_mpr\"/\"op\":\"dance\"/'")"
bad "one that claims tags and sends none" 'capability vlan' 'its frames carry no tag' \
    "$(into "sed -u 's/\"vlan\":true/\"vlan\":false/'")"
bad "one that claims planes and uses one" 'capability planes' 'did not send by both' \
    '"$MRCT" agent --deviant one-plane'
bad "one that claims trimming and does not tell" 'capability trim_nack' 'no NACK for a trimmed request' \
    '"$MRCT" agent --deviant trim-silent'
bad "one that forgets nothing" write 'the same seed gave other frames' \
    "$(outof "sed -u '0,/\"frame\"/!s/\"frame\":\"020000000201020000000101/\"frame\":\"020000000201020000000109/'")"
bad "one that loses what it is told to keep" memory 'gave other bytes' "$(outof "sed -u 's/\"data\":\"01/\"data\":\"02/'")"

# ---- nothing that was started stays ----
# An agent that escapes into a session of its own, and one that ignores signals.
patience=300
check 'setsid sleep 4242 & trap "" TERM HUP INT; sleep 4242'
[ "$rc" -eq 1 ] && ! grep -lqx 'sleep.4242.*' /proc/[0-9]*/cmdline 2>/dev/null
ok "no process is left behind, whatever it does"

# ---- and no verdict before it is fit ----
printf 'name: bad-1\nagent:\n  command: >-\n    "%s" agent | sed -u %s\n' "$MRCT" "'2s/\"error\":\"unsupported\"/\"ok\":true/'" >"$tmp/bad.yaml"
"$MRCT" certify --device "$tmp/bad.yaml" message/one-byte >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'the agent of bad-1 is not fit to speak for its device' "$tmp/err" && [ ! -s "$tmp/out" ]
ok "certify gives no verdict of a device whose agent is not fit"

finish
