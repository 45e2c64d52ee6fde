#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct check on captures of all kinds: packed, piped, of two points, interrupted; and everything that
# it writes. Speaks TAP. MRCT names the program.
set -u
. "$(dirname "$0")/lib/tap.sh"
golden=tests/data/vectors/mrc-golden.pcap
talks=tests/data/conversations
loss=$talks/honest-loss-requestor

# has TEXT STATUS WORDS ARGUMENT...: that exit status, and WORDS on standard output.
has() {
    text=$1 wanted=$2 words=$3
    shift 3
    run "$@"
    [ "$rc" -eq "$wanted" ] && grep -qF -- "$words" "$tmp/out"
    point "$text" $?
}
# same TEXT: out is what first holds.
same() {
    cmp -s "$tmp/out" "$tmp/first"
    point "$1" $?
}

# ---- the quick way and the thorough one say the same ----
"$MRCT" certify --out "$tmp/runs" message/megabytes message/two-qps message/sizes-around-mtu \
    network/bad-weather psn/window-shrinks psn/wrap ev/marked imm/in-order format/ipv4 \
    timeout/linear access/wrong-key >/dev/null 2>&1
differ() {
    set -- "$@" --json --coverage --strict --threads 1
    "$MRCT" check "$@" >"$tmp/out" 2>&1
    "$MRCT" check --thorough "$@" >"$tmp/first" 2>&1
    cmp -s "$tmp/out" "$tmp/first" && return 1
    echo "$@" >>"$tmp/differ"
}
: >"$tmp/differ" >"$tmp/err"
for f in "$talks"/*.pcap; do differ "$f" -f "${f%.pcap}.facts.yaml"; done
for f in "$tmp"/runs/*.pcapng "$golden"; do differ "$f"; done
cp "$tmp/differ" "$tmp/out"
[ "$(ls "$tmp/runs" | grep -c pcapng)" -eq 11 ] && [ ! -s "$tmp/differ" ]
point "--thorough changes nothing" $?
has "two taps count a frame twice, and say so" 5 "conversations, each frame counted at every tap" \
    check "$tmp/runs/message-two-qps.pcapng"

# ---- what the input's interfaces counted stands in the output, too ----
le32() {
    for v in "$@"; do
        for s in 0 8 16 24; do printf "\\$(printf %o $((v >> s & 255)))"; done
    done
}
{
    le32 0x0A0D0D0A 28 0x1A2B3C4D 1 0xFFFFFFFF 0xFFFFFFFF 28
    le32 1 20 1 0 20                                          # an Ethernet interface
    le32 6 64 0 0 1 14 60 0 0 0 0 $((8 << 16 | 4)) 3 0 0 64   # a frame, 3 lost before it
    le32 5 48 0 0 1 $((8 << 16 | 4)) 9 0 $((8 << 16 | 7)) 5 0 48 # 9 received, 5 dropped
} >"$tmp/counts.pcapng"
has "drops are told" 4 "5 frames" check --health "$tmp/counts.pcapng"
run check --json --health -w "$tmp/again.pcapng" "$tmp/counts.pcapng"
cp "$tmp/out" "$tmp/first"
run check --json --health "$tmp/again.pcapng"
grep -q '"dropped": 5' "$tmp/first" && [ "$(grep dropped "$tmp/first")" = "$(grep dropped "$tmp/out")" ]
point "and told again by what -w wrote" $?

# ---- one capture, however it comes ----
run check --strict --json --coverage --stats --threads 1 "$golden"
cp "$tmp/out" "$tmp/first"
for t in 2 3 7; do
    run check --strict --json --coverage --stats --threads $t "$golden"
    same "$t threads say what one does"
done
gzip -c "$golden" >"$tmp/golden.pcap.gz"
run check --strict --json --coverage --stats "$tmp/golden.pcap.gz"
same "packed with gzip"
"$MRCT" check --strict --json --coverage --stats - <"$tmp/golden.pcap.gz" >"$tmp/out" 2>"$tmp/err"
same "packed, from standard input"
if command -v zstd >/dev/null 2>&1; then
    zstd -q -c "$golden" >"$tmp/golden.pcap.zst"
    run check --strict --json --coverage --stats "$tmp/golden.pcap.zst"
    same "packed with zstd"
fi
"$MRCT" check --strict --json -o "$tmp/piped.pcapng" - <"$golden" >"$tmp/out" 2>"$tmp/err"
run check --strict --json "$golden"
cp "$tmp/out" "$tmp/first"
run check --strict --json "$tmp/piped.pcapng"
same "annotated from standard input, and judged again"
grep -qa 'FAIL REQ-' "$tmp/piped.pcapng"
point "with its comments" $?
head -c -20 "$tmp/golden.pcap.gz" >"$tmp/cut.gz"
run check --strict "$tmp/cut.gz"
[ "$rc" -eq 1 ] && grep -q 'warning: .*is cut inside the record' "$tmp/err"
point "a packed file that is cut: as far as it goes" $?

# ---- taps ----
run check --strict --json -t requestor -f "$loss.facts.yaml" "$loss.pcap"
cp "$tmp/out" "$tmp/first"
run check --strict --json -t 0=requestor -f "$loss.facts.yaml" "$loss.pcap"
same "the tap of an interface by its number"
run check --strict --json -t honest-loss-requestor.pcap=requestor -f "$loss.facts.yaml" "$loss.pcap"
same "by its file"
run check -t requestor -o "$tmp/named.pcapng" -f "$loss.facts.yaml" "$loss.pcap"
sed 's/^tap:.*//' "$loss.facts.yaml" >"$tmp/notap.yaml"
run check --strict --json -f "$tmp/notap.yaml" "$tmp/named.pcapng"
same "by its own description"

# ---- two points ----
has "captures of two runs have nothing in common" 5 "no frame was seen at both points" check --merge \
    -t honest-loss-requestor.pcap=requestor -t honest-loss-responder.pcap=responder \
    -f "$loss.facts.yaml" "$loss.pcap" "$talks/honest-loss-responder.pcap"
grep -q 'judged at the taps of its interfaces' "$tmp/out" && ! grep -q '^FAIL' "$tmp/out"
point "judged at both taps, and nobody is accused" $?
run check --merge "$loss.pcap" -
[ "$rc" -eq 2 ] && grep -q -- '--merge takes files' "$tmp/err"
point "standard input cannot be merged" $?

# ---- what is written ----
has "coverage" 1 "never reached" check --strict -C "$golden"
has "coverage as JSON" 1 '"verdict": "NEVER REACHED"' check --strict --coverage --json "$golden"
has "health" 5 "nothing shows that it lacks a frame" check --health -f "$loss.facts.yaml" "$loss.pcap"
has "health as JSON" 5 '"proves_absence": true' check --health --json -f "$loss.facts.yaml" "$loss.pcap"
has "statistics" 5 "host1 -> host2 QP 0x11:" check -S -f "$loss.facts.yaml" "$loss.pcap"
has "statistics as JSON" 5 '"goodput_bps"' check -S --json -f "$loss.facts.yaml" "$loss.pcap"
run check --junit "$tmp/j.xml" --html "$tmp/p.html" --csv "$tmp/s.csv" --strict "$golden"
[ "$rc" -eq 1 ] && grep -q '<failure type="FAIL"' "$tmp/j.xml"
point "JUnit" $?
grep -q '<svg' "$tmp/p.html" && grep -q '</html>' "$tmp/p.html" && ! grep -qE '(src|href)="http' "$tmp/p.html"
point "a page with plots, and nothing from a network" $?
[ "$(head -n 1 "$tmp/s.csv" | tr ',' '\n' | wc -l)" -eq 17 ] &&
    [ "$(tr -cd ',\n' <"$tmp/s.csv" | sort -u | wc -l)" -eq 1 ]
point "CSV, as many columns in each line" $?

grep '^ev,' "$tmp/s.csv" | grep -q ',,$'
point "no time where none was measured" $?
run check -S -f "$loss.facts.yaml" "$loss.pcap"
grep -qE '^ +0x[0-9a-f]{8} .* - +-$' "$tmp/out"
point "nor on the terminal" $?

# ---- a snap length ----
{
    head -c 24 "$loss.pcap"
    le32 1 0 60 1100
    tail -c +41 "$loss.pcap" | head -c 60
} >"$tmp/snap.pcap"
has "cut by a snap length" 4 "       1  cut short" check --health "$tmp/snap.pcap"
! grep -q malformed "$tmp/out"
point "which is nobody's fault" $?

# ---- a damaged record: one sentence that names the last good frame, and no file is left ----
mkdir "$tmp/none"
{
    head -c "$((24 + 16 + $(od -An -tu4 -j 32 -N 4 "$loss.pcap")))" "$loss.pcap"
    le32 1 0 0x7FFFFFFF 0x7FFFFFFF 1 2 3 4
} >"$tmp/damaged.pcap"
for t in 1 2; do
    run check --threads $t -w "$tmp/none/o.pcapng" --html "$tmp/none/p.html" --csv "$tmp/none/s.csv" \
        --junit "$tmp/none/j.xml" "$tmp/damaged.pcap"
    [ "$rc" -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q 'damaged after frame 1' "$tmp/err" &&
        [ ! -s "$tmp/out" ] && [ -z "$(ls -A "$tmp/none")" ]
    point "a damaged record, threads: $t" $?
done
"$MRCT" check -w "$tmp/none/o.pcapng" - <"$tmp/damaged.pcap" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'damaged after frame 1' "$tmp/err" && [ -z "$(ls -A "$tmp/none")" ]
point "from standard input" $?

# ---- fields ----
run check --fields frame.number,op,bth.psn,ip.src "$loss.pcap"
[ "$rc" -eq 0 ] && [ "$(wc -l <"$tmp/out")" -eq 87 ] &&
    [ "$(head -n 1 "$tmp/out")" = "$(printf '1\tWRITE_FIRST\t100\tfd00:0:0:1::1')" ]
point "fields, a line a frame" $?
has "fields that there are" 0 "seth.cack_psn" check --fields help
run check --fields bth.nonsense "$loss.pcap"
[ "$rc" -eq 2 ] && grep -q "'bth.nonsense' is no field" "$tmp/err"
point "a field that there is not" $?
run check --count 10 --fields frame.number "$loss.pcap"
[ "$(wc -l <"$tmp/out")" -eq 10 ]
point "no more frames than asked for" $?

# ---- interrupted ----
mkfifo "$tmp/pipe"
"$MRCT" check --json --health - <"$tmp/pipe" >"$tmp/out" 2>"$tmp/err" &
pid=$!
exec 9>"$tmp/pipe"
# More than a pipe holds: once it is written, the program is reading, and listens.
for _ in 1 2 3 4 5 6 7 8; do cat "$tmp/named.pcapng" >&9; done
kill -INT "$pid"
exec 9>&-
wait "$pid"
rc=$?
[ "$rc" -ne 130 ] && grep -q '"stopped": true' "$tmp/out"
point "interrupted, it reports what it has" $?

# ---- bad usage ----
for words in "-i lo $loss.pcap" "--merge $loss.pcap" "--threads 0 $loss.pcap" "-t x=top $loss.pcap"; do
    # shellcheck disable=SC2086
    run check $words
    [ "$rc" -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && [ ! -s "$tmp/out" ]
    point "refused: $words" $?
done

finish
