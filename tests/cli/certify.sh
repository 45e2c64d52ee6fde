#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct certify and mrct swarm from outside: what they print, leave and exit with. Prints TAP; MRCT is
# the program; MRCT_LONG asks for the long runs.
set -u
. "$(dirname "$0")/lib/tap.sh"

# refuses STATUS SENTENCE ARGS...: that exit status with just this sentence
refuses() {
    want_rc=$1 want="mrct $3: $2"
    shift 2
    run "$@"
    [ "$rc" -eq "$want_rc" ] && [ ! -s "$tmp/out" ] && [ "$(cat "$tmp/err")" = "$want" ]
    ok "$*: exit $want_rc, $want"
}
lines() { wc -l <"$tmp/out" | tr -d ' '; }
files=$(find cases -name '*.yaml' ! -path 'cases/deviants/*' | wc -l | tr -d ' ')

# ---- what there is ----
run certify --list --cases cases
[ "$rc" -eq 0 ] && [ "$(lines)" -eq "$files" ] && [ "$files" -ge 45 ]
ok "--list has a line for each case, 45 or more"
cp "$tmp/out" "$tmp/list"
run certify --list
[ "$rc" -eq 0 ] && cmp -s "$tmp/out" "$tmp/list"
ok "cases are found without --cases"
(cd "$tmp" && case $MRCT in /*) m=$MRCT ;; *) m=$OLDPWD/$MRCT ;; esac && "$m" certify --list >"$tmp/out" 2>"$tmp/err") &&
    cmp -s "$tmp/out" "$tmp/list"
ok "and from another directory"
run certify --list 'sack/*' timeout/linear
[ "$rc" -eq 0 ] && [ "$(grep -c '^sack/' "$tmp/out")" -eq "$(grep -c '^sack/' "$tmp/list")" ] &&
    [ "$(grep -vc '^sack/' "$tmp/out")" -eq 1 ]
ok "ids are selected by pattern"
run certify --list --section 7.5 --role responder
[ "$rc" -eq 0 ] && grep -q '^nack/trimmed ' "$tmp/out" && ! grep -q '^timeout/' "$tmp/out"
ok "--section and --role select"
run certify --list --requirement REQ-7.4-13
[ "$rc" -eq 0 ] && [ "$(lines)" -ge 1 ] && [ "$(grep -vc '^timeout/' "$tmp/out")" -eq 0 ]
ok "--requirement selects"

# ---- a run ----
run certify --out "$tmp/one"
[ "$rc" -eq 0 ] && [ "$(tail -n 2 "$tmp/out" | head -n 1)" = \
    "$files passed, 0 failed, 0 inconclusive, 0 not applicable" ] &&
    [ "$(tail -n 1 "$tmp/out")" = "report: $tmp/one/report.html" ]
ok "all cases pass on the reference endpoint"
[ "$(grep -c '^PASS .*REQ-' "$tmp/out")" -ge 80 ]
ok "80 requirements or more are exercised"
[ -s "$tmp/one/report.html" ] && [ -s "$tmp/one/report.json" ] && [ -s "$tmp/one/junit.xml" ] &&
    [ -s "$tmp/one/report.tap" ] && [ "$(find "$tmp/one" -name '*.pcapng' | wc -l)" -eq "$files" ]
ok "the reports and a pcapng per case are left"
run certify --out "$tmp/two"
diff -rq "$tmp/one" "$tmp/two" >"$tmp/out" 2>&1
ok "the same seed gives the same bytes"
run certify --out "$tmp/three" --seed 1 --case nack/trimmed
[ "$rc" -eq 0 ] && cmp -s "$tmp/one/nack-trimmed.pcapng" "$tmp/three/nack-trimmed.pcapng"
ok "a case alone sends the frames that it sends among others"
run certify --out "$tmp/four" --seed 2 --case nack/trimmed
[ "$rc" -eq 0 ] && ! cmp -s "$tmp/one/nack-trimmed.pcapng" "$tmp/four/nack-trimmed.pcapng"
ok "another seed sends others"
for seed in 3 4 5; do
    run certify --seed "$seed"
    [ "$rc" -eq 0 ]
    ok "all cases pass with seed $seed"
done
run certify --json --case message/one-byte
[ "$rc" -eq 0 ] && head -c 1 "$tmp/out" | grep -q '{' && grep -q '"message/one-byte"' "$tmp/out"
ok "--json prints the report alone"
run check --tap requestor --strict "$tmp/one/damage-bit-errors.pcapng"
[ "$rc" -ne 2 ] && [ "$rc" -ne 3 ]
ok "a capture that a case left can be judged again"

# ---- verdicts that are not PASS ----
run certify --device deviant:rtx-not-set --case retransmission/one-loss --out "$tmp/liar"
[ "$rc" -eq 1 ] && grep -q '^FAIL  *retransmission/one-loss' "$tmp/out" && grep -q 'FAIL REQ-7.4-01, frame' "$tmp/out" &&
    grep -q 'mrct certify --seed 1 --device deviant:rtx-not-set --case retransmission/one-loss' "$tmp/out" &&
    grep -aq 'FAIL REQ-7.4-01' "$tmp/liar/retransmission-one-loss.pcapng"
ok "a deviant fails: exit 1, requirement, replay command, comment in the capture"
run certify --without ipv4 --case format/ipv4
[ "$rc" -eq 0 ] && grep -q '^NOT APPLICABLE' "$tmp/out"
ok "a capability that is not declared is NOT APPLICABLE: exit 0"
mkdir -p "$tmp/own/x"
sed -e 's,^id: .*,id: x/far,' -e 's,psn: 20,psn: 2000,' cases/retransmission/one-loss.yaml >"$tmp/own/x/far.yaml"
run certify --cases "$tmp/own"
[ "$rc" -eq 5 ] && grep -q '^INCONCLUSIVE  *x/far' "$tmp/out"
ok "a stimulus that never came is INCONCLUSIVE: exit 5"
run certify --reading Q2=a --case psn/far-beyond-window
[ "$rc" -ne 2 ] && grep -q 'mrct certify --seed 1 --reading Q2=a' "$tmp/out"
ok "--reading is taken and stands in the replay command"

# ---- sentences ----
refuses 4 "none of the $files cases matches" certify --case 'no/such*'
refuses 4 "none of the $files cases matches" certify --list nothing
refuses 2 "unknown option --sed (see mrct certify --help)" certify --sed 1
refuses 2 "option --seed needs a value" certify --seed
refuses 2 "'x' is no seed (a whole number)" certify --seed x
refuses 2 "'switch' is no role: requestor or responder" certify --role switch
refuses 2 "there is no requirement 'REQ-0-00'" certify --requirement REQ-0-00
refuses 2 "'router' is no device: reference, deviant:NAME, or the file of a manifest" certify --device router
refuses 2 "there is no deviant 'nobody'" certify --device deviant:nobody
refuses 2 "'flight' is no capability that cases ask for" certify --without flight
refuses 2 "$tmp/away: no such directory of cases" certify --cases "$tmp/away"
printf 'id: x/bad\ntitle: t\ncolour: red\n' >"$tmp/own/x/bad.yaml"
run certify --cases "$tmp/own"
[ "$rc" -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
    grep -q "^mrct certify: $tmp/own/x/bad.yaml:3: unknown key 'colour'" "$tmp/err"
ok "a bad case: exit 2, one sentence with file and line"
: >"$tmp/file"
run certify --case message/one-byte --out "$tmp/file/sub"
[ "$rc" -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
ok "an output directory that cannot be: exit 2, one sentence"

# ---- liars and swarms ----
run certify --deviants
[ "$rc" -eq 0 ] && tail -n 1 "$tmp/out" |
    grep -Eq '^([0-9]+) deviants, \1 killed, \1 by the named requirement$'
ok "every deviant is caught by the requirement that it breaks"
if [ -n "${MRCT_LONG:-}" ]; then seeds=1..50000; else seeds=1..${MRCT_SEEDS:-200}; fi
run swarm --seeds "$seeds"
[ "$rc" -eq 0 ] && [ "$(tail -n 1 "$tmp/out")" = \
    "${seeds#1..} seeds passed, 0 failed, 0 inconclusive, 0 errors" ]
ok "nothing accuses honest pairs with random faults, seeds $seeds"
run swarm --seeds 1..20 --json --jobs 1
cp "$tmp/out" "$tmp/seeds.json"
run swarm --seeds 1..20 --json --jobs 7
[ "$rc" -eq 0 ] && cmp -s "$tmp/out" "$tmp/seeds.json" &&
    grep -q '"false_accusations": 0,' "$tmp/out" && grep -q '"seeds": 20,' "$tmp/out" &&
    grep -q '"packets": [1-9]' "$tmp/out"
ok "so many threads or one: the same JSON object, with the number of false accusations"
refuses 2 "--jobs takes a number from 1 to 256" swarm --jobs 0
refuses 2 "'5..3' is no range of seeds like 1..100" swarm --seeds 5..3
refuses 2 "'x' was not expected (see mrct swarm --help)" swarm x

# ---- what repeats a run ----
cp -r cases "$tmp/my cases"
run certify --cases "$tmp/my cases" --without vlan --date 2027-01-31 --clock-error 2us ack/cumulative
cp "$tmp/out" "$tmp/first"
again=$(sed -n 's/^replay: mrct //p' "$tmp/out")
[ "$again" = "certify --seed 1 --date 2027-01-31 --clock-error 2000ns --without vlan --cases '$tmp/my cases'" ] &&
    eval "\"$MRCT\" $again ack/cumulative" >"$tmp/out" 2>"$tmp/err" && cmp -s "$tmp/first" "$tmp/out"
ok "the replay command says all that matters, quoted, and says the same again"
long=$(printf './%.0s' $(seq 900))cases
run certify --cases "$long" --json ack/cumulative
[ "$rc" -eq 0 ] && grep -q "\"replay\": \"mrct certify --seed 1 --cases $long\"" "$tmp/out" &&
    grep -q "\"replay\": \"mrct certify --seed 1 --cases $long --case ack/cumulative\"" "$tmp/out"
ok "a long one is not cut"

finish
