#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct spec: list, show, coverage and questions. Prints TAP; MRCT is the program.
set -u
. "$(dirname "$0")/lib/tap.sh"

# run ARGS...: leaves out, err and rc
run() {
    "$MRCT" spec "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
}
# refuses WORDS ARGS...: exit 2 with just this sentence
refuses() {
    want="mrct spec: $1"
    shift
    run "$@"
    [ "$rc" -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(cat "$tmp/err")" = "$want" ]
    ok "spec $*: exit 2, $want"
}
lines() { wc -l <"$tmp/out" | tr -d ' '; }

run list
[ "$rc" -eq 0 ] && [ "$(lines)" -eq "$(cat spec/requirements/*.yaml | grep -c '^  - id:')" ]
ok "list has a line for each requirement"
[ "$(grep -cvE '^REQ-[0-9.]+-[0-9][0-9] +(MUST|SHOULD|MAY)( NOT)? +[a-z]+ +[CSUI]  [A-Z].*\.$' "$tmp/out")" -eq 0 ]
ok "each line has id, level, role, evidence and a sentence"
cut -d' ' -f1 "$tmp/out" >"$tmp/ids"
[ "$(sort -u "$tmp/ids" | wc -l)" -eq "$(wc -l <"$tmp/ids")" ]
ok "ids are unique"

run list --section 7.5
[ "$rc" -eq 0 ] && grep -q '^REQ-7\.5-01 ' "$tmp/out" && grep -q '^REQ-7\.5\.2-01 ' "$tmp/out" &&
    ! grep -qv '^REQ-7\.5[-.]' "$tmp/out"
ok "--section takes the section and those below it"
run list --section 7.5 --role requestor
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct spec: no requirement matches" ]
ok "selecting nothing is an error"
run list --role node
[ "$rc" -eq 0 ] && [ "$(grep -c ' node  *[CSUI]  ' "$tmp/out")" -eq "$(lines)" ]
ok "--role takes one role"

run show --cases cases REQ-7.5.2-02
[ "$rc" -eq 0 ] && grep -q '^REQ-7.5.2-02  MUST  responder$' "$tmp/out" &&
    grep -q '^  taps  *responder$' "$tmp/out" &&
    grep -Eq '^  check  *sack-on-ce \(harness/oracle/.*\.c:[0-9]+\)$' "$tmp/out" &&
    grep -Eq '^  defined  *spec/requirements/07\.5\.2-sack\.yaml:[0-9]+$' "$tmp/out"
ok "show tells text, taps, check and where each stands"
run show --cases cases REQ-7.5.2-16 REQ-7.4-14
[ "$rc" -eq 0 ] && grep -q '^  question  *Q4 ' "$tmp/out" && grep -q 'Who breaks the sentence fails' "$tmp/out" &&
    grep -q '^  not checked  *The ceiling' "$tmp/out"
ok "show takes several ids, tells readings and why something is not checked"

run questions
[ "$rc" -eq 0 ] && [ "$(grep -c '^Q[0-9]' "$tmp/out")" -eq 27 ] && [ "$(grep -c '^   \* ' "$tmp/out")" -eq 27 ]
ok "27 questions, one default each"

run coverage --cases cases
[ "$rc" -le 1 ] && [ "$(grep -c '^REQ-' "$tmp/out")" -ge "$(wc -l <"$tmp/ids")" ] &&
    tail -n 1 "$tmp/out" | grep -Eq '^[0-9]+ requirements: [0-9]+ checked, [0-9]+ with a case, [0-9]+ with a deviant; [0-9]+ gaps explained, [0-9]+ not$'
ok "coverage has a row for each requirement and a closing line"
{ [ "$rc" -eq 0 ] && tail -n 1 "$tmp/out" | grep -q ' 0 not$'; } ||
    { [ "$rc" -eq 1 ] && ! tail -n 1 "$tmp/out" | grep -q ' 0 not$'; }
ok "coverage exits 1 just when a gap has no reason"
! grep -Eq ': check missing .|: check without requirement|: deviant without requirement|: no case$|: reason out of date' "$tmp/out"
ok "every check has its requirement, every requirement its checks and a case"
run coverage --cases cases --json
[ "$rc" -le 1 ] && grep -q '"schema": 1' "$tmp/out" && grep -q '"gaps": ' "$tmp/out"
ok "coverage --json"

mkdir -p "$tmp/none" "$tmp/bad/sack"
run coverage --cases "$tmp/none"
[ "$rc" -eq 1 ] && grep -q '^spec/requirements/07.5.2-sack.yaml:[0-9]*: REQ-7.5.2-02: no case$' "$tmp/out"
ok "without cases each requirement is a gap, with file and line"
echo 'title: 1' >"$tmp/bad/sack/on-ce.yaml"
run coverage --cases "$tmp/bad"
[ "$rc" -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "^mrct spec: .*/sack/on-ce.yaml:[0-9]*: " "$tmp/err"
ok "a case that cannot be read is named with its line"

refuses "expected list, show, coverage or questions; see --help"
refuses "no subcommand 'lists'; there are list, show, coverage and questions" lists
refuses "list takes --section S and --role R, not '--sections'" list --sections
refuses "--section needs a value" list --section
refuses "no role 'switch'; there are any, requestor, responder and node" list --role switch
refuses "show needs the id of a requirement" show
refuses "no requirement 'REQ-1'" show REQ-1
refuses "coverage takes --json and --cases DIR, not '--xml'" coverage --xml
refuses "--cases needs a directory" coverage --cases
refuses "$tmp/nowhere: no such directory of cases" coverage --cases "$tmp/nowhere"
refuses "questions takes no 'Q1'" questions Q1

# The generator, which the build leaves beside the program.
gen=${BUILD:-build}
if [ -x "$gen/specgen" ]; then
    cmp -s "$gen/gen/requirements.md" docs/reference/requirements.md 2>"$tmp/err"
    ok "docs/reference/requirements.md is what make docs makes"
    mkdir -p "$tmp/req" "$tmp/gen"
    sed 's/level: SHOULD$/level: SHALL/; s/role: responder/role: switch/' tests/data/spec/requirements.yaml >"$tmp/req/a.yaml"
    "$gen/specgen" req "$tmp/req" tests/data/spec/questions.yaml "$tmp/gen" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 2 ] && [ -z "$(ls "$tmp/gen")" ]
    ok "specgen prints all errors, exits 2 and writes nothing"
    "$gen/specgen" req tests/data/spec/nowhere tests/data/spec/questions.yaml "$tmp/gen" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && [ "$(cat "$tmp/err")" = "specgen: tests/data/spec/nowhere: No such file or directory" ]
    ok "specgen names a directory that is not there"
    cp tests/data/spec/requirements.yaml "$tmp/req/a.yaml"
    "$gen/specgen" req "$tmp/req" tests/data/spec/questions.yaml "$tmp/gen" >"$tmp/out" 2>"$tmp/err" &&
        [ "$(cd "$tmp/gen" && echo *)" = "mrc_req.c mrc_req.h requirements.md" ]
    ok "specgen writes three files of good data"
    "$gen/specgen" req "$tmp/req" tests/data/spec/questions.yaml "$tmp/none/deeper" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
    ok "specgen names a directory that it cannot write to"
fi

for c in "" list show coverage questions; do
    # shellcheck disable=SC2086
    run $c --help
    [ "$rc" -eq 0 ] && [ ! -s "$tmp/err" ] && grep -q '^Usage: mrct spec list' "$tmp/out"
    ok "spec $c --help"
done

finish
