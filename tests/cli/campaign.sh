#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a certification campaign needs, from outside: pages of the cases, the claims of a manifest, known
# failures. Prints TAP; MRCT is the program.
set -u
. "$(dirname "$0")/lib/tap.sh"

has() { grep -qF -- "$1" "$tmp/out"; }

# ---- pages ----
files=$(find cases -name '*.yaml' ! -path 'cases/deviants/*' | wc -l | tr -d ' ')
run cases --pages "$tmp/pages"
[ "$rc" -eq 0 ] && has "$files cases: $tmp/pages/index.html" &&
    [ "$(find "$tmp/pages" -name '*.html' | wc -l)" -eq $((files + 1)) ] &&
    [ "$(find "$tmp/pages" -name '*.md' | wc -l)" -eq $((files + 1)) ]
ok "a page per case in both forms, and an index"
bad=0
for page in "$tmp"/pages/*.html "$tmp"/pages/*.md; do
    for link in $(grep -oE '(href="|\]\()[^")]+' "$page" | sed -E 's/^(href="|\]\()//'); do
        [ -e "$tmp/pages/$link" ] || { bad=1 && echo "# $page: $link"; }
    done
    case $page in */index.*) continue ;; esac
    for part in Purpose References Resources Setup Procedure 'Observable results' 'Possible problems'; do
        grep -qE "(<h2>|^## )$part" "$page" || { bad=1 && echo "# $page: no $part"; }
    done
done
[ "$bad" -eq 0 ]
ok "each page has all its parts, and each link leads to a file"
[ "$(grep -c '^### [0-9]' "$tmp/pages/index.md")" -ge 12 ] && grep -q '^### sack' "$tmp/pages/index.md"
ok "the index is by subject and by section"
run cases sack/on-ce
[ "$rc" -eq 0 ] && has '# sack/on-ce' && has '1. Write: `{size: 60000}`' &&
    has 'Mark congestion: `{direction: requests, psn: 5}`' && has '`sack_threshold`: `1MiB`' &&
    cmp -s "$tmp/out" "$tmp/pages/sack-on-ce.md"
ok "one page on standard output"
run cases none/such
[ "$rc" -eq 4 ] && [ "$(cat "$tmp/err")" = "mrct cases: none of the $files cases matches" ]
ok "no such case is exit status 4"
run certify --out "$tmp/report" sack/on-ce
[ "$rc" -eq 0 ] && grep -qF 'href="./cases/sack-on-ce.html"' "$tmp/report/report.html" &&
    [ -s "$tmp/report/cases/sack-on-ce.html" ] && [ -s "$tmp/report/cases/index.html" ] &&
    grep -qF '"page": "cases/sack-on-ce.html"' "$tmp/report/report.json"
ok "the report links to the pages beside it"

# ---- open questions ----
run certify --device deviant:beyond-window-silent psn/beyond-window
[ "$rc" -eq 1 ] && [ "$(grep -cx ' *Q2: passes under a, fails under b (the default)' "$tmp/out")" -eq 2 ]
ok "a verdict that depends on a reading says under which it passes"
run certify --device deviant:beyond-window-silent --reading Q2=a psn/beyond-window
[ "$rc" -ne 1 ] && ! grep -q '^FAIL' "$tmp/out"
ok "and passes under that one"
run certify --json psn/beyond-window
[ "$rc" -eq 0 ] && has '"readings": ""'
ok "a device that passes under each has nothing said"

# ---- m of n, and the clock ----
run certify --json congestion/busy-link timeout/tail-in-time
[ "$rc" -eq 0 ] && has '"repeated": "30 of 30 runs passed; with 95% confidence 88.6% to 100.0% do, 80.0% are wanted"' &&
    has '"repeated": "20 of 20 runs passed; with 95% confidence 83.8% to 100.0% do, 80.0% are wanted"'
ok "cases of pace pass by an interval"
run certify --clock-error 2us timeout/tail-in-time
[ "$rc" -eq 5 ] && has "the harness's own clock may err by 2000 ns, the margin is 1000 ns"
ok "a clock that errs by more than the margin is inconclusive"
run certify --clock-error 1us timeout/tail-in-time
[ "$rc" -eq 0 ]
ok "and by no more is not"

# ---- claims ----
run pics --new
[ "$rc" -eq 0 ] && cp "$tmp/out" "$tmp/new.yaml" && has 'REQ-7.4-01: "?"' && has 'path_mtu: "?"'
ok "the proforma asks for each requirement and parameter"
run pics "$tmp/new.yaml"
[ "$rc" -eq 5 ] && grep -q '^0 contradictions, [0-9]* open answers, 0 known failures$' "$tmp/out"
ok "a proforma that is not filled in is inconclusive"
sed -e '/trim_nack  #/d' "$tmp/new.yaml" >"$tmp/bad.yaml"
run pics "$tmp/bad.yaml"
[ "$rc" -eq 1 ] && has "'trimming' is declared and 'trim_nack' is not"
ok "trimming without NACKs is a contradiction"
run pics
[ "$rc" -eq 2 ]
ok "pics without a file is bad usage"
run certify --claims "$tmp/bad.yaml" sack/on-ce
[ "$rc" -eq 1 ] && has "'trimming' is declared and 'trim_nack' is not"
ok "a contradiction fails a run whose cases pass"
cat >"$tmp/device.yaml" <<'END'
name: nic
version: B1
firmware: 1.2.3
capabilities: [ipv4, tseth, write_imm]
pics: {roles: [responder]}
pixit: {path_mtu: 4096}
known_failures:
  - {case: sack/on-ce, requirement: REQ-7.5.2-02, reason: "bug 17", firmware: "1.2*", expires: 2027-01-31}
END
run certify --claims "$tmp/device.yaml" --date 2027-01-31 --json nack/trimmed sack/on-ce message/one-byte
[ "$rc" -eq 1 ] && has "unexpected pass: the known failure of line 8 (sack/on-ce, REQ-7.5.2-02: bug 17)" &&
    has '"device_version": "B1"' && has '"firmware": "1.2.3"' && has "the device does not declare 'requestor'" &&
    grep -qE '"pics_hash": "[0-9a-f]{16}"' "$tmp/out" && grep -qE '"pixit_hash": "[0-9a-f]{16}"' "$tmp/out"
ok "an unexpected pass fails the run; versions, hashes and roles count"
run certify --device deviant:no-sack-on-ce --claims "$tmp/device.yaml" --date 2027-01-31 sack/on-ce
[ "$rc" -eq 0 ] && has 'known until 2027-01-31: bug 17' && has '1 of the failures are known' &&
    has '0 passed, 1 failed'
ok "a known failure does not fail the run"
run certify --device deviant:no-sack-on-ce --claims "$tmp/device.yaml" --date 2027-02-01 sack/on-ce
[ "$rc" -eq 1 ] && has 'has expired: it held until 2027-01-31'
ok "an expired entry does"
SOURCE_DATE_EPOCH=1801353599 run certify --device deviant:no-sack-on-ce --claims "$tmp/device.yaml" sack/on-ce
[ "$rc" -eq 0 ]
ok "SOURCE_DATE_EPOCH gives the day"
run certify --date 2027-02-30 sack/on-ce
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = "mrct certify: '2027-02-30' is no day like 2027-01-31" ]
ok "a day that is not is refused"
echo 'pixit: {path_mtu: 9000}' >"$tmp/device.yaml"
run certify --claims "$tmp/device.yaml" sack/on-ce
[ "$rc" -eq 2 ] && [ "$(cat "$tmp/err")" = \
    "mrct certify: $tmp/device.yaml:1: path_mtu: a number of 256 to 4096 was expected" ]
ok "a bad manifest is refused with its line"

finish
