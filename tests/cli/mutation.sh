#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct mutation from outside: what it prints, leaves and exits with. Prints TAP; MRCT is the program;
# MRCT_LONG plays every deviant in every case.
set -u
. "$(dirname "$0")/lib/tap.sh"
run() {
    "$MRCT" mutation "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
}

if [ -n "${MRCT_LONG:-}" ]; then all=""; else all=--listed; fi
run $all --cases cases --out "$tmp/one"
[ "$rc" -eq 0 ] && tail -n 1 "$tmp/out" |
    grep -Eq '^([0-9]+) deviants, \1 killed, \1 by the named requirement$'
ok "every deviant is caught by its name"
deviants=$(find cases/deviants -name '*.yaml' | wc -l | tr -d ' ')
[ "$(grep -c '^named ' "$tmp/out")" -eq "$deviants" ]
ok "a line for each of the $deviants deviants"
tail -n 2 "$tmp/out" | head -n 1 | grep -Eq '^[0-9]+ checks, [0-9]+ proven' &&
    ! grep -q '^STILL NAMED' "$tmp/out"
ok "each check that has a deviant lets it pass when switched off"
run $all --cases cases --jobs 1 --out "$tmp/two"
diff -r "$tmp/one" "$tmp/two" >"$tmp/out" 2>&1
ok "the number of threads changes nothing"

# A suite with a hole: the deviant's only case does not provoke its fault.
mkdir "$tmp/own" && cp -R cases "$tmp/own/"
sed -i 's|^cases: .*|cases: [message/one-byte]|' "$tmp/own/cases/deviants/rtx-not-set.yaml"
run --listed --cases "$tmp/own/cases"
[ "$rc" -eq 1 ] && grep -q '^ALIVE  *REQ-7.4-01  *rtx-not-set ' "$tmp/out" &&
    grep -q '^STILL NAMED\|^[0-9]* checks' "$tmp/out" &&
    tail -n 1 "$tmp/out" | grep -q "^$deviants deviants, $((deviants - 1)) killed, $((deviants - 1)) by"
ok "a deviant that no case provokes is alive, and the suite fails"

run --jobs 0
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct mutation: '0' is no number of threads, 1..256" ]
ok "a bad number of threads: exit 2, one sentence"
run --cases "$tmp/nowhere"
[ "$rc" -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
ok "no cases: exit 2, one sentence"
: >"$tmp/file"
run --listed --cases cases --out "$tmp/file/sub"
[ "$rc" -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
ok "an output directory that cannot be: exit 2, one sentence"

finish
