#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct and mrct check from outside: what they print, and the exit status of each kind of input.
# Speaks TAP. MRCT names the program.
set -u
MRCT=${MRCT:-build/mrct}
golden=tests/data/vectors/mrc-golden.pcap
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 bad=0

# verdict TEXT STATUS: one point; STATUS 0 is good.
verdict() {
    n=$((n + 1))
    if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else
        echo "not ok $n - $1"
        sed 's/^/# out: /' "$dir/out" | head -n 20
        sed 's/^/# err: /' "$dir/err" | head -n 20
        bad=1
    fi
}
# run ARGUMENT...: the program's output in out and err, its exit status in $status.
run() {
    "$MRCT" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
}
# refused TEXT WORDS ARGUMENT...: exit 2, nothing on standard output, one sentence with WORDS.
refused() {
    text=$1 words=$2
    shift 2
    run "$@"
    [ "$status" -eq 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" -eq 1 ] &&
        grep -qF -- "$words" "$dir/err"
    verdict "$text" $?
}
# says TEXT STATUS WORDS ARGUMENT...: that exit status, and WORDS on standard output.
says() {
    text=$1 wanted=$2 words=$3
    shift 3
    run "$@"
    [ "$status" -eq "$wanted" ] && grep -qF -- "$words" "$dir/out"
    verdict "$text" $?
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
"$MRCT" certify sack/all-marked --out "$dir/marked" >/dev/null 2>&1
says "the reaction time of a device decides: enough" 5 ", 0 failed, " check "$dir/marked/sack-all-marked.pcapng"
says "the reaction time of a device decides: too short" 1 ", 1 failed, " \
    check --reaction 1ns "$dir/marked/sack-all-marked.pcapng"
refused "unknown tap" "'top' is no tap" check --tap top "$golden"
refused "port out of range" "'65536' is no UDP port" check --port 65536 "$golden"
refused "port that is no number" "'x' is no UDP port" check --port x "$golden"
refused "reading of no question" "'Q99=a' is no reading" check --reading Q99=a "$golden"
refused "reading that no question has" "'Q2=z' is no reading" check --reading Q2=z "$golden"
refused "missing file" "$dir/none: cannot open the capture: No such file" check "$dir/none"
refused "folder" "is a directory" check "$dir"
echo "This is a text, and no capture." >"$dir/text"
refused "text as capture" "$dir/text: is no pcap or pcapng capture" check "$dir/text"
: >"$dir/empty"
refused "empty file" "is no pcap or pcapng capture" check "$dir/empty"
# A header with link type 105, IEEE 802.11.
printf '\115\074\262\241\002\000\004\000\000\000\000\000\000\000\000\000\377\377\000\000\151\000\000\000' >"$dir/raw"
refused "other link type" "only Ethernet, Linux cooked and raw IP are read" check "$dir/raw"
printf 'path_mtu: 1024\nqps:\n  - {qpn: 1}\n  - {qpn: 99999999}\n' >"$dir/facts.yaml"
refused "bad facts with their line" "$dir/facts.yaml:4: qpn must be a number" \
    check --facts "$dir/facts.yaml" "$golden"
printf 'path_mtu: 1024\nhosts: [\n' >"$dir/broken.yaml"
refused "facts that are no YAML" "$dir/broken.yaml:" check --facts "$dir/broken.yaml" "$golden"
refused "missing facts" "$dir/none.yaml: No such file" check --facts "$dir/none.yaml" "$golden"

# ---- captures ----
head -c 24 "$golden" >"$dir/header"
refused "folder for the output is missing" "cannot write" check -o "$dir/no/x.pcapng" "$dir/header"
run check "$dir/header"
[ "$status" -eq 4 ] && grep -q 'no MRC frame' "$dir/out"
verdict "a capture without frames is nothing to judge: exit 4" $?
run check --json "$dir/header"
[ "$status" -eq 4 ] && [ "$(tr -d ' \n' <"$dir/out")" = '{"frames":0,"findings":[]}' ]
verdict "the same as JSON" $?

run check --strict "$golden"
[ "$status" -eq 1 ] && [ ! -s "$dir/err" ]
verdict "the golden capture fails when strict, silently on standard error" $?
run check --strict --json "$golden"
[ "$status" -eq 1 ] && grep -q '"frames": 113' "$dir/out" &&
    grep -q '"verdict": "FAIL"' "$dir/out" && ! [ -s "$dir/err" ]
verdict "the same as JSON" $?
cp "$dir/out" "$dir/first"
run check --strict --json "$golden"
cmp -s "$dir/out" "$dir/first"
verdict "the same bytes again" $?
"$MRCT" check --strict --json - <"$golden" >"$dir/out" 2>"$dir/err"
cmp -s "$dir/out" "$dir/first"
verdict "standard input as capture" $?

head -c -3 "$golden" >"$dir/cut.pcap"
run check --strict --json "$dir/cut.pcap"
[ "$status" -eq 1 ] && grep -q '"frames": 112' "$dir/out" && [ "$(wc -l <"$dir/err")" -eq 1 ] &&
    grep -q 'warning: .*cut.pcap: is cut inside the record after frame 112' "$dir/err"
verdict "a capture cut in its last record: as far as it goes, one warning" $?

run check --strict -o "$dir/again.pcapng" "$golden"
[ "$status" -eq 1 ] && grep -qa 'FAIL REQ-' "$dir/again.pcapng"
verdict "the capture again, with comments" $?
run check --strict --json "$dir/again.pcapng"
cmp -s "$dir/out" "$dir/first"
verdict "which is judged like the first" $?
[ "$(find "$dir" -name 'again*' | wc -l)" -eq 1 ]
verdict "and nothing half-written lies beside it" $?

cp "$golden" "$dir/evidence.pcap"
ln -s evidence.pcap "$dir/other-name.pcap"
refused "a capture is not written over" "is read, so it cannot be written" \
    check --write "$dir/other-name.pcap" "$dir/evidence.pcap"
cmp -s "$golden" "$dir/evidence.pcap"
verdict "and is as it was" $?
for command in "spec list" "certify --list" "cases sack/on-ce" "pics --new" "--help"; do
    "$MRCT" $command >/dev/full 2>"$dir/err"
    status=$?
    [ "$status" -eq 3 ] && [ "$(wc -l <"$dir/err")" -eq 1 ]
    verdict "mrct $command on a full disk: exit 3, one sentence" $?
done

echo "1..$n"
exit "$bad"
