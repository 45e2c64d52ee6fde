#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct and mrct check from outside: what they print, and the exit status of each kind of input.
# Speaks TAP. MRCT names the program.
set -u
. "$(dirname "$0")/lib/tap.sh"
golden=tests/data/vectors/mrc-golden.pcap

# refused TEXT WORDS ARGUMENT...: exit 2, nothing on standard output, one sentence with WORDS.
refused() {
    text=$1 words=$2
    shift 2
    run "$@"
    [ "$rc" -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -qF -- "$words" "$tmp/err"
    point "$text" $?
}
# says TEXT STATUS WORDS ARGUMENT...: that exit status, and WORDS on standard output.
says() {
    text=$1 wanted=$2 words=$3
    shift 3
    run "$@"
    [ "$rc" -eq "$wanted" ] && grep -qF -- "$words" "$tmp/out"
    point "$text" $?
}

# ---- the program ----
refused "no command" "no command was given"
refused "unknown command" "unknown command 'chekc'" chekc
refused "unknown option of the program" "unknown option '--frob'" --frob
says "version" 0 "mrct " --version
says "help" 0 "Usage: mrct COMMAND" --help
says "help of a command" 0 "Usage: mrct check" check --help

# ---- bad usage and bad input ----
refused "unknown option" "unknown option --frobnicate" check --frobnicate "$golden"
refused "unknown letter" "unknown option -Z" check -Z "$golden"
refused "option without its value" "option --tap needs a value" check "$golden" --tap
refused "option with a value too many" "option --strict=1 takes no value" check --strict=1 "$golden"
refused "no file" "one capture file is expected" check
refused "two files to merge" "--merge takes two captures" check --merge "$golden"
refused "a reaction time without a unit" "--reaction wants a time like 10ms or 1s, not '5'" check --reaction 5 "$golden"
"$MRCT" certify sack/all-marked --out "$tmp/marked" >/dev/null 2>&1
says "the reaction time of a device decides: enough" 5 ", 0 failed, " check "$tmp/marked/sack-all-marked.pcapng"
says "the reaction time of a device decides: too short" 1 ", 1 failed, " \
    check --reaction 1ns "$tmp/marked/sack-all-marked.pcapng"
refused "unknown tap" "'top' is no tap" check --tap top "$golden"
refused "port out of range" "'65536' is no UDP port" check --port 65536 "$golden"
refused "port that is no number" "'x' is no UDP port" check --port x "$golden"
refused "reading of no question" "'Q99=a' is no reading" check --reading Q99=a "$golden"
refused "reading that no question has" "'Q2=z' is no reading" check --reading Q2=z "$golden"
refused "missing file" "$tmp/none: cannot open the capture: No such file" check "$tmp/none"
refused "folder" "is a directory" check "$tmp"
echo "This is a text, and no capture." >"$tmp/text"
refused "text as capture" "$tmp/text: is no pcap or pcapng capture" check "$tmp/text"
: >"$tmp/empty"
refused "empty file" "is no pcap or pcapng capture" check "$tmp/empty"
# A header with link type 105, IEEE 802.11.
printf '\115\074\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\151\000\000\000' >"$tmp/raw"
refused "other link type" "only Ethernet, Linux cooked and raw IP are read" check "$tmp/raw"
printf 'path_mtu: 1024\nqps:\n  - {qpn: 1}\n  - {qpn: 99999999}\n' >"$tmp/facts.yaml"
refused "bad facts with their line" "$tmp/facts.yaml:4: qpn must be a number" \
    check --facts "$tmp/facts.yaml" "$golden"
printf 'path_mtu: 1024\nhosts: [\n' >"$tmp/broken.yaml"
refused "facts that are no YAML" "$tmp/broken.yaml:" check --facts "$tmp/broken.yaml" "$golden"
refused "missing facts" "$tmp/none.yaml: No such file" check --facts "$tmp/none.yaml" "$golden"

# ---- captures ----
head -c 24 "$golden" >"$tmp/header"
refused "folder for the output is missing" "cannot write" check -o "$tmp/no/x.pcapng" "$tmp/header"
run check "$tmp/header"
[ "$rc" -eq 4 ] && grep -q 'no MRC frame' "$tmp/out"
point "a capture without frames is nothing to judge: exit 4" $?
run check --json "$tmp/header"
[ "$rc" -eq 4 ] && [ "$(tr -d ' \n' <"$tmp/out")" = '{"frames":0,"findings":[]}' ]
point "the same as JSON" $?

run check --strict "$golden"
[ "$rc" -eq 1 ] && [ ! -s "$tmp/err" ]
point "the golden capture fails when strict, silently on standard error" $?
run check --strict --json "$golden"
[ "$rc" -eq 1 ] && grep -q '"frames": 113' "$tmp/out" &&
    grep -q '"verdict": "FAIL"' "$tmp/out" && ! [ -s "$tmp/err" ]
point "the same as JSON" $?
cp "$tmp/out" "$tmp/first"
run check --strict --json "$golden"
cmp -s "$tmp/out" "$tmp/first"
point "the same bytes again" $?
"$MRCT" check --strict --json - <"$golden" >"$tmp/out" 2>"$tmp/err"
cmp -s "$tmp/out" "$tmp/first"
point "standard input as capture" $?

head -c -3 "$golden" >"$tmp/cut.pcap"
run check --strict --json "$tmp/cut.pcap"
[ "$rc" -eq 1 ] && grep -q '"frames": 112' "$tmp/out" && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
    grep -q 'warning: .*cut.pcap: is cut inside the record after frame 112' "$tmp/err"
point "a capture cut in its last record: as far as it goes, one warning" $?

run check --strict -o "$tmp/again.pcapng" "$golden"
[ "$rc" -eq 1 ] && grep -qa 'FAIL REQ-' "$tmp/again.pcapng"
point "the capture again, with comments" $?
run check --strict --json "$tmp/again.pcapng"
cmp -s "$tmp/out" "$tmp/first"
point "which is judged like the first" $?
[ "$(find "$tmp" -name 'again*' | wc -l)" -eq 1 ]
point "and nothing half-written lies beside it" $?

cp "$golden" "$tmp/evidence.pcap"
ln -s evidence.pcap "$tmp/other-name.pcap"
refused "a capture is not written over" "is read, so it cannot be written" \
    check --write "$tmp/other-name.pcap" "$tmp/evidence.pcap"
cmp -s "$golden" "$tmp/evidence.pcap"
point "and is as it was" $?
for command in "spec list" "certify --list" "cases sack/on-ce" "pics --new" "--help"; do
    "$MRCT" $command >/dev/full 2>"$tmp/err"
    rc=$?
    [ "$rc" -eq 3 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
    point "mrct $command on a full disk: exit 3, one sentence" $?
done

finish
