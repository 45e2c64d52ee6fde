#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct check on captures of all kinds: packed, piped, of two points, interrupted; and everything that
# it writes. Speaks TAP. MRCT names the program.
set -u
MRCT=${MRCT:-build/mrct}
golden=tests/data/vectors/mrc-golden.pcap
talks=tests/data/conversations
loss=$talks/honest-loss-requestor
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 bad=0

verdict() {
    n=$((n + 1))
    if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else
        echo "not ok $n - $1"
        sed 's/^/# out: /' "$dir/out" | head -n 20
        sed 's/^/# err: /' "$dir/err" | head -n 20
        bad=1
    fi
}
run() {
    "$MRCT" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
}
# has TEXT STATUS WORDS ARGUMENT...: that exit status, and WORDS on standard output.
has() {
    text=$1 wanted=$2 words=$3
    shift 3
    run "$@"
    [ "$status" -eq "$wanted" ] && grep -qF -- "$words" "$dir/out"
    verdict "$text" $?
}
# same TEXT: out is what first holds.
same() {
    cmp -s "$dir/out" "$dir/first"
    verdict "$1" $?
}

# ---- the quick way and the thorough one say the same ----
"$MRCT" certify --out "$dir/runs" message/megabytes message/two-qps message/sizes-around-mtu \
    network/bad-weather psn/window-shrinks psn/wrap ev/marked imm/in-order format/ipv4 \
    timeout/linear access/wrong-key >/dev/null 2>&1
differ() {
    set -- "$@" --json --coverage --strict --threads 1
    "$MRCT" check "$@" >"$dir/out" 2>&1
    "$MRCT" check --thorough "$@" >"$dir/first" 2>&1
    cmp -s "$dir/out" "$dir/first" && return 1
    echo "$@" >>"$dir/differ"
}
: >"$dir/differ" >"$dir/err"
for f in "$talks"/*.pcap; do differ "$f" -f "${f%.pcap}.facts.yaml"; done
for f in "$dir"/runs/*.pcapng "$golden"; do differ "$f"; done
cp "$dir/differ" "$dir/out"
[ "$(ls "$dir/runs" | grep -c pcapng)" -eq 11 ] && [ ! -s "$dir/differ" ]
verdict "--thorough changes nothing" $?
has "two taps count a frame twice, and say so" 5 "conversations, each frame counted at every tap" \
    check "$dir/runs/message-two-qps.pcapng"

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
} >"$dir/counts.pcapng"
has "drops are told" 4 "5 frames" check --health "$dir/counts.pcapng"
run check --json --health -w "$dir/again.pcapng" "$dir/counts.pcapng"
cp "$dir/out" "$dir/first"
run check --json --health "$dir/again.pcapng"
grep -q '"dropped": 5' "$dir/first" && [ "$(grep dropped "$dir/first")" = "$(grep dropped "$dir/out")" ]
verdict "and told again by what -w wrote" $?

# ---- one capture, however it comes ----
run check --strict --json --coverage --stats --threads 1 "$golden"
cp "$dir/out" "$dir/first"
for t in 2 3 7; do
    run check --strict --json --coverage --stats --threads $t "$golden"
    same "$t threads say what one does"
done
gzip -c "$golden" >"$dir/golden.pcap.gz"
run check --strict --json --coverage --stats "$dir/golden.pcap.gz"
same "packed with gzip"
"$MRCT" check --strict --json --coverage --stats - <"$dir/golden.pcap.gz" >"$dir/out" 2>"$dir/err"
same "packed, from standard input"
if command -v zstd >/dev/null 2>&1; then
    zstd -q -c "$golden" >"$dir/golden.pcap.zst"
    run check --strict --json --coverage --stats "$dir/golden.pcap.zst"
    same "packed with zstd"
fi
"$MRCT" check --strict --json -o "$dir/piped.pcapng" - <"$golden" >"$dir/out" 2>"$dir/err"
run check --strict --json "$golden"
cp "$dir/out" "$dir/first"
run check --strict --json "$dir/piped.pcapng"
same "annotated from standard input, and judged again"
grep -qa 'FAIL REQ-' "$dir/piped.pcapng"
verdict "with its comments" $?
head -c -20 "$dir/golden.pcap.gz" >"$dir/cut.gz"
run check --strict "$dir/cut.gz"
[ "$status" -eq 1 ] && grep -q 'warning: .*is cut inside the record' "$dir/err"
verdict "a packed file that is cut: as far as it goes" $?

# ---- taps ----
run check --strict --json -t requestor -f "$loss.facts.yaml" "$loss.pcap"
cp "$dir/out" "$dir/first"
run check --strict --json -t 0=requestor -f "$loss.facts.yaml" "$loss.pcap"
same "the tap of an interface by its number"
run check --strict --json -t honest-loss-requestor.pcap=requestor -f "$loss.facts.yaml" "$loss.pcap"
same "by its file"
run check -t requestor -o "$dir/named.pcapng" -f "$loss.facts.yaml" "$loss.pcap"
sed 's/^tap:.*//' "$loss.facts.yaml" >"$dir/notap.yaml"
run check --strict --json -f "$dir/notap.yaml" "$dir/named.pcapng"
same "by its own description"

# ---- two points ----
has "captures of two runs have nothing in common" 5 "no frame was seen at both points" check --merge \
    -t honest-loss-requestor.pcap=requestor -t honest-loss-responder.pcap=responder \
    -f "$loss.facts.yaml" "$loss.pcap" "$talks/honest-loss-responder.pcap"
grep -q 'judged at the taps of its interfaces' "$dir/out" && ! grep -q '^FAIL' "$dir/out"
verdict "judged at both taps, and nobody is accused" $?
run check --merge "$loss.pcap" -
[ "$status" -eq 2 ] && grep -q -- '--merge takes files' "$dir/err"
verdict "standard input cannot be merged" $?

# ---- what is written ----
has "coverage" 1 "never reached" check --strict -C "$golden"
has "coverage as JSON" 1 '"verdict": "NEVER REACHED"' check --strict --coverage --json "$golden"
has "health" 5 "nothing shows that it lacks a frame" check --health -f "$loss.facts.yaml" "$loss.pcap"
has "health as JSON" 5 '"proves_absence": true' check --health --json -f "$loss.facts.yaml" "$loss.pcap"
has "statistics" 5 "host1 -> host2 QP 0x11:" check -S -f "$loss.facts.yaml" "$loss.pcap"
has "statistics as JSON" 5 '"goodput_bps"' check -S --json -f "$loss.facts.yaml" "$loss.pcap"
run check --junit "$dir/j.xml" --html "$dir/p.html" --csv "$dir/s.csv" --strict "$golden"
[ "$status" -eq 1 ] && grep -q '<failure type="FAIL"' "$dir/j.xml"
verdict "JUnit" $?
grep -q '<svg' "$dir/p.html" && grep -q '</html>' "$dir/p.html" && ! grep -qE '(src|href)="http' "$dir/p.html"
verdict "a page with plots, and nothing from a network" $?
[ "$(head -n 1 "$dir/s.csv" | tr ',' '\n' | wc -l)" -eq 17 ] &&
    [ "$(tr -cd ',\n' <"$dir/s.csv" | sort -u | wc -l)" -eq 1 ]
verdict "CSV, as many columns in each line" $?

grep '^ev,' "$dir/s.csv" | grep -q ',,$'
verdict "no time where none was measured" $?
run check -S -f "$loss.facts.yaml" "$loss.pcap"
grep -qE '^ +0x[0-9a-f]{8} .* - +-$' "$dir/out"
verdict "nor on the terminal" $?

# ---- a snap length ----
{
    head -c 24 "$loss.pcap"
    le32 1 0 60 1100
    tail -c +41 "$loss.pcap" | head -c 60
} >"$dir/snap.pcap"
has "cut by a snap length" 4 "       1  cut short" check --health "$dir/snap.pcap"
! grep -q malformed "$dir/out"
verdict "which is nobody's fault" $?

# ---- a damaged record: one sentence that names the last good frame, and no file is left ----
mkdir "$dir/none"
{
    head -c "$((24 + 16 + $(od -An -tu4 -j 32 -N 4 "$loss.pcap")))" "$loss.pcap"
    le32 1 0 0x7FFFFFFF 0x7FFFFFFF 1 2 3 4
} >"$dir/damaged.pcap"
for t in 1 2; do
    run check --threads $t -w "$dir/none/o.pcapng" --html "$dir/none/p.html" --csv "$dir/none/s.csv" \
        --junit "$dir/none/j.xml" "$dir/damaged.pcap"
    [ "$status" -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q 'damaged after frame 1' "$dir/err" &&
        [ ! -s "$dir/out" ] && [ -z "$(ls -A "$dir/none")" ]
    verdict "a damaged record, threads: $t" $?
done
"$MRCT" check -w "$dir/none/o.pcapng" - <"$dir/damaged.pcap" >"$dir/out" 2>"$dir/err"
[ $? -eq 2 ] && grep -q 'damaged after frame 1' "$dir/err" && [ -z "$(ls -A "$dir/none")" ]
verdict "from standard input" $?

# ---- fields ----
run check --fields frame.number,op,bth.psn,ip.src "$loss.pcap"
[ "$status" -eq 0 ] && [ "$(wc -l <"$dir/out")" -eq 87 ] &&
    [ "$(head -n 1 "$dir/out")" = "$(printf '1\tWRITE_FIRST\t100\tfd00:0:0:1::1')" ]
verdict "fields, a line a frame" $?
has "fields that there are" 0 "seth.cack_psn" check --fields help
run check --fields bth.nonsense "$loss.pcap"
[ "$status" -eq 2 ] && grep -q "'bth.nonsense' is no field" "$dir/err"
verdict "a field that there is not" $?
run check --count 10 --fields frame.number "$loss.pcap"
[ "$(wc -l <"$dir/out")" -eq 10 ]
verdict "no more frames than asked for" $?

# ---- interrupted ----
mkfifo "$dir/pipe"
"$MRCT" check --json --health - <"$dir/pipe" >"$dir/out" 2>"$dir/err" &
pid=$!
exec 9>"$dir/pipe"
# More than a pipe holds: once it is written, the program is reading, and listens.
for _ in 1 2 3 4 5 6 7 8; do cat "$dir/named.pcapng" >&9; done
kill -INT "$pid"
exec 9>&-
wait "$pid"
status=$?
[ "$status" -ne 130 ] && grep -q '"stopped": true' "$dir/out"
verdict "interrupted, it reports what it has" $?

# ---- bad usage ----
for words in "-i lo $loss.pcap" "--merge $loss.pcap" "--threads 0 $loss.pcap" "-t x=top $loss.pcap"; do
    # shellcheck disable=SC2086
    run check $words
    [ "$status" -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && [ ! -s "$dir/out" ]
    verdict "refused: $words" $?
done

echo "1..$n"
exit "$bad"
