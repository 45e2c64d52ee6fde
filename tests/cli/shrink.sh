#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct shrink from outside: what it leaves of failing runs still fails by the same requirement, is not
# larger, and is the same each time. Prints TAP; MRCT is the program.
set -u
. "$(dirname "$0")/lib/tap.sh"

has() { grep -qF -- "$1" "$tmp/out"; }
broken() { grep -oE '"why": "REQ-[^:]*' "$1" | head -n 1 | cut -c 9-; }

# shrinks DEVIANT REQUIREMENT FAULTS FRAMES ARGS...: no more faults and frames than these are left, and what
# is left, run by itself, fails by that requirement
shrinks() {
    deviant=$1 requirement=$2 faults=$3 frames=$4
    shift 4
    rm -rf "$tmp/small"
    run shrink --device "deviant:$deviant" --out "$tmp/small" "$@"
    cp "$tmp/out" "$tmp/printed"
    seed=$(sed -n 's/.*--seed \([0-9]*\).*/\1/p' "$tmp/printed")
    file=$(cd "$tmp/small" && find . -name '*.yaml')
    line=$(grep '^# faults ' "$tmp/printed")
    echo "$line" | awk -F '[ ,;]+' -v a="$faults" -v b="$frames" \
        '{ exit !($3 <= a && $3 <= $5 && $7 >= 1 && $7 <= $9 && $11 <= b && $11 < $13) }' &&
        cmp -s "$tmp/printed" "$tmp/small/$file" &&
        "$MRCT" certify --cases "$tmp/small" --seed "$seed" --device "deviant:$deviant" \
            --out "$tmp/run" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 1 ] && [ "$rc" -eq 0 ] && [ "$(broken "$tmp/run/report.json")" = "$requirement" ]
    ok "$deviant in $*: $line"
}
shrinks no-sack-on-ce REQ-7.5.2-02 1 20 sack/on-ce
shrinks access-error-silent REQ-6.3-04 0 40 access/wrong-key
shrinks below-nacked REQ-6.3.1-07 1 20 ack/old-duplicates
shrinks completion-twice REQ-6.2-17 0 10 message/deep-queue
shrinks psn-skipped REQ-6.2-01 0 100 message/megabytes
shrinks nack-psn REQ-7.5-04 1 40 nack/trimmed
shrinks sack-rtx REQ-7.5.2-08 1 40 sack/on-retransmission
shrinks rtx-not-set REQ-7.4-01 1 20 congestion/marked
has 'REQ-7.4-01' && grep -q '  - drop: {direction: requests, nth: 1}' "$tmp/printed" && ! grep -q '^random' "$tmp/printed"
ok "what chance did is left as one fault that names its packet"
shrinks unexp-event-ignored REQ-7.4-11 0 10 nack/told-unexpected-event
grep -q '^script: |' "$tmp/printed"
ok "a script keeps the lines that matter"
# What a seed draws changes as the swarm learns: the first one in which the fault shows.
seed=1
while [ "$seed" -lt 40 ] && ! "$MRCT" shrink --device deviant:rtx-not-set --swarm "$seed" >"$tmp/first" 2>"$tmp/err"; do
    seed=$((seed + 1))
done
shrinks rtx-not-set REQ-7.4-01 9 400 --swarm "$seed"
cmp -s "$tmp/first" "$tmp/printed"
ok "the same each time"
run shrink --device deviant:rtx-not-set --runs 3 congestion/marked
[ "$rc" -eq 0 ] && has '; 3 runs, which is all that --runs allows'
ok "--runs ends it, and says so"

run shrink sack/on-ce
[ "$rc" -eq 4 ] && [ ! -s "$tmp/out" ] && [ "$(cat "$tmp/err")" = "mrct shrink: sack/on-ce does not fail: it is PASS" ]
ok "a case that passes cannot be shrunk"
run shrink --cases cases none/such
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct shrink: cases/none/such.yaml: there is no such case" ]
ok "a case that is not there is bad input"
run shrink
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = \
    "mrct shrink: either a case or --swarm was expected (see mrct shrink --help)" ]
ok "something to shrink is asked for"
run shrink --device deviant:none sack/on-ce
[ "$rc" -eq 2 ]
ok "a device that is not there is bad usage"

finish
