#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct interop from outside: the matrix, who is to blame, what is left when something dies. Prints
# TAP; MRCT is the program; MRCT_LONG asks for one deviant of each kind through all cases.
set -u
. "$(dirname "$0")/lib/tap.sh"

# manifest NAME COMMAND
manifest() {
    printf 'name: %s\nagent:\n  patience: 60s\n  command: >-\n    %s\n' "$1" "$2" >"$tmp/$1.yaml"
}

# ---- words ----
run interop
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct interop: no device was given (see --help)" ]
ok "no device is a sentence"
run interop reference nobody
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct interop: 'nobody' is no device: reference, deviant:NAME, or the file of a manifest" ]
ok "what is no device is told"
run interop reference reference
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct interop: two devices are called 'reference'" ]
ok "two of one name are told"
run interop reference --case 'nothing/*'
[ "$rc" -eq 4 ]
ok "no case is exit 4"
run interop --list
[ "$rc" -eq 0 ] && [ "$(wc -l <"$tmp/out")" -ge 80 ] && ! grep -q '^probe/ev-probe ' "$tmp/out"
ok "cases in which the peer is made to err are not meant for two devices"

# ---- a matrix, with agents among the devices ----
manifest agent-c 'exec "$MRCT" agent'
manifest agent-liar 'exec "$MRCT" agent --deviant no-sack-on-ce'
some="--case message/both-directions --case sack/on-ce --case timeout/linear --captures notable"
run interop reference deviant:timeout-halved "$tmp/agent-c.yaml" "$tmp/agent-liar.yaml" \
    --strict $some --out "$tmp/one"
cat >"$tmp/want" <<'END'
  1 reference                        pass pass pass FAIL
  2 timeout-halved                   FAIL FAIL FAIL FAIL
  3 agent-c                          pass pass pass FAIL
  4 agent-liar                       pass pass pass FAIL
END
sed -n '3,6p' "$tmp/out" >"$tmp/table"
[ "$rc" -eq 1 ] && cmp -s "$tmp/table" "$tmp/want"
ok "the matrix is as one expects"
grep '^FAIL' "$tmp/out" | sed 's/^[^:]*: //; s/; /\n/g' | sort -u >"$tmp/blame"
[ -s "$tmp/blame" ] && ! grep -v '^\(timeout-halved broke REQ-7.4-12\|agent-liar broke REQ-7.5.2-02\) in' "$tmp/blame"
ok "the blame is on the liars, by the requirement that each breaks"
[ "$(ls "$tmp/one/cells" | wc -l)" -eq 16 ] && [ -s "$tmp/one/index.html" ] && [ -s "$tmp/one/matrix.json" ] &&
    [ -s "$tmp/one/cells/agent-c--agent-liar/index.html" ] && [ -s "$tmp/one/cells/agent-c--agent-liar/host2.log" ] &&
    [ -s "$tmp/one/cells/agent-c--agent-liar/sack-on-ce.pcapng" ] && [ -s "$tmp/one/cells/agent-c--agent-liar/message-both-directions.pcapng" ]
ok "each cell has its page, logs and captures"
dead=0
for page in "$tmp"/one/index.html "$tmp"/one/cells/*/index.html; do
    for link in $(grep -o 'href="[^"]*"' "$page" | sed 's/href="//; s/"//'); do
        [ -e "${page%/*}/$link" ] || dead=1
    done
done
[ "$dead" -eq 0 ]
ok "every link leads somewhere"
run interop reference deviant:timeout-halved "$tmp/agent-c.yaml" "$tmp/agent-liar.yaml" \
    --strict $some --out "$tmp/two" --jobs 5
diff -r "$tmp/one" "$tmp/two" >"$tmp/diff"
ok "a second run, five cells at a time, leaves the same bytes"

# ---- the examples ----
example=${MRCT%/*}/examples/agent
printf 'name: example-c\nagent: {command: ["%s"]}\ncapabilities: [planes, tseth, write_imm]\n' "$example" >"$tmp/example-c.yaml"
run interop reference "$tmp/example-c.yaml" deviant:no-sack-on-ce --strict --case message/one-byte --case sack/on-ce --case psn/wrap
[ "$rc" -eq 1 ] && grep -q '^  2 example-c  *pass pass FAIL' "$tmp/out" && [ "$(grep -c '^FAIL.*: no-sack-on-ce broke REQ-7.5.2-02 in 1 case$' "$tmp/out")" -eq 3 ]
ok "the example in C passes, and the liar beside it is blamed"
if command -v python3 >/dev/null 2>&1; then
    run interop reference examples/agent-py.yaml deviant:no-sack-on-ce --strict --case message/one-byte --case sack/on-ce --case psn/dynamic-window
    [ "$rc" -eq 1 ] && grep -q '^  2 example-py  *pass pass FAIL' "$tmp/out" && [ "$(grep -c '^FAIL.*: no-sack-on-ce broke REQ-7.5.2-02 in 1 case$' "$tmp/out")" -eq 3 ]
    ok "the example in Python passes, and the liar beside it is blamed"
fi

# ---- resuming ----
rm -rf "$tmp/two/cells/reference--timeout-halved" "$tmp/two/index.html"
echo '{"half' >"$tmp/two/cells/timeout-halved--reference/cell.json"
touch "$tmp/two/cells/reference--reference/kept" "$tmp/two/cells/timeout-halved--reference/gone"
run interop reference deviant:timeout-halved "$tmp/agent-c.yaml" "$tmp/agent-liar.yaml" \
    --strict $some --resume "$tmp/two"
[ "$rc" -eq 1 ] && rm "$tmp/two/cells/reference--reference/kept" && [ ! -e "$tmp/two/cells/timeout-halved--reference/gone" ] &&
    diff -r "$tmp/one" "$tmp/two" >"$tmp/diff"
ok "a resumed run makes what is missing or broken, and keeps the rest"
run interop reference --strict --seed 2 --case message/one-byte --out "$tmp/three"
touch "$tmp/three/cells/reference--reference/gone"
run interop reference --strict --seed 3 --case message/one-byte --resume "$tmp/three"
[ "$rc" -eq 0 ] && [ ! -e "$tmp/three/cells/reference--reference/gone" ]
ok "cells of another seed are not kept"

# ---- agents that fail ----
manifest crasher '"$MRCT" agent | sed -u "/\"frames\":\[{/{s/.*/oops/}"'
manifest stranger '"$MRCT" agent | sed -u "2s/\"error\":\"unsupported\"/\"ok\":true/"'
manifest falls 'read -r a; echo "{\"id\":1,\"ok\":true,\"version\":1,\"name\":\"x\",\"modes\":[\"virtual\"]}"; exit 1'
run interop reference "$tmp/falls.yaml" "$tmp/stranger.yaml" --case message/one-byte
[ "$rc" -eq 5 ] && grep -q '^  1 reference  *pass  inc  inc' "$tmp/out" && grep -q 'stranger is not fit' "$tmp/out"
ok "an agent that is not fit spoils its own cells alone"
# Fit, until it meets one case.
manifest breaks 'sed -u "/imm.\{1,2\}in-order/Q; /\"bye\"/q" | "$MRCT" agent; kill -SEGV $$'
run interop reference "$tmp/breaks.yaml" --case message/one-byte --case imm/in-order
[ "$rc" -eq 5 ] && grep -q 'INCONCLUSIVE.* the agent of host[12] (breaks).*ended by signal 11' "$tmp/out" &&
    grep -q '^  1 reference  *pass' "$tmp/out"
ok "an agent that crashes in a case proves nothing, and spoils that case"

# ---- what is left when the runner is killed ----
mkfifo "$tmp/started" "$tmp/all"
manifest sleeper 'ls '"$tmp"'/four/cells/*.part >/dev/null 2>&1 && { setsid sleep 4343 & echo x >'"$tmp"'/started; exec sleep 4344; }; exec "$MRCT" agent'
for signal in KILL TERM HUP; do
    rm -rf "$tmp/four"
    # Everybody who was started holds this pipe; its end is the end of them all.
    "$MRCT" interop reference "$tmp/sleeper.yaml" --case message/one-byte --out "$tmp/four" >"$tmp/all" 2>&1 &
    pid=$!
    { read -r x <"$tmp/started"; kill -s "$signal" "$pid"; } &
    cat "$tmp/all" >"$tmp/out"
    wait "$pid" 2>/dev/null
    ! grep -lq 'sleep.434[34]' /proc/[0-9]*/cmdline 2>/dev/null && [ -z "$(find "$tmp/four" -name '*.part' -o -name '*.tmp*' -o -name matrix.json)" ]
    ok "killed by SIG$signal it leaves no process and nothing half-written"
    wait
done

if [ -n "${MRCT_LONG:-}" ]; then
    kinds="wrong-icrc timeout-halved no-sack-on-ce ack-early ev-sticky retry-limit-ignored go-back-n duplicate-placed rkey-in-last trim-silent port-status-unanswered psn-skipped access-error-silent request-dscp rtx-other-payload immediate-early"
    run interop reference "$tmp/example-c.yaml" examples/agent-py.yaml $(for k in $kinds; do echo "deviant:$k"; done) --strict --out "$tmp/long" --captures none
    grep '^FAIL' "$tmp/out" | sed 's/^[^:]*: //; s/; /\n/g' | sed 's/ .*//' | sort -u >"$tmp/guilty"
    [ "$rc" -eq 1 ] && [ "$(wc -l <"$tmp/guilty")" -eq "$(echo $kinds | wc -w)" ] && ! grep -q 'reference\|example' "$tmp/guilty"
    ok "of one liar of each kind every one is blamed, and nobody else"
    ! grep -q '^\(ERROR\|INCONCLUSIVE\)' "$tmp/out"
    ok "no cell is undecided"
fi

finish
