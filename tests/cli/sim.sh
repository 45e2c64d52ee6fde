#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct sim: a scene runs and is told of, results are the same twice, a wrong scene is 2 with file and
# line and leaves no file behind. Speaks TAP. BUILD names the build directory.
set -u
. "$(dirname "$0")/lib/tap.sh"

# sim WANTED-STATUS TEXT ARGS...: output in out and err.
sim() {
    wanted=$1 text=$2
    shift 2
    run sim "$@"
    [ "$rc" -eq "$wanted" ]
    ok "$text"
}

cat >"$tmp/scene.yaml" <<'END'
title: eight to one
topology: {planes: 2, t0: 2, t1: 2, hosts_per_t0: 8}
traffic:
  - incast: {size: 64KiB, from: 8..15, to: 0}
sample: 10us
END
sim 0 "a scene runs" "$tmp/scene.yaml" --json "$tmp/a.json"
grep -q 'incast .*8 of 8 flows done' "$tmp/out"
point "its flows are told of" $?
sim 0 "again" "$tmp/scene.yaml" --json "$tmp/b.json"
cmp -s "$tmp/a.json" "$tmp/b.json"
point "the results are the same, byte for byte" $?
sim 0 "with another seed" "$tmp/scene.yaml" --seed 9 --json "$tmp/b.json"
[ "$(cmp -s "$tmp/a.json" "$tmp/b.json"; echo $?)" -eq 1 ]
point "they are others" $?
sim 0 "to standard output" "$tmp/scene.yaml" --json -
cmp -s "$tmp/a.json" "$tmp/out"
point "nothing but JSON is there" $?

sed 's/to: 0/to: 16/' "$tmp/scene.yaml" >"$tmp/wrong.yaml"
sim 2 "a host that is not there" "$tmp/wrong.yaml" --json "$tmp/c.json"
grep -q "^mrct sim: $tmp/wrong.yaml:4: incast: there is no host 16 (of 16)$" "$tmp/err" && [ ! -e "$tmp/c.json" ]
point "file, line and reason are told, no file is left" $?
(cat "$tmp/scene.yaml"; echo "watch: [0, 8]") >"$tmp/watched.yaml"
sim 0 "a folder of results" "$tmp/watched.yaml" --out "$tmp/all"
[ "$(ls "$tmp/all" | tr '\n' ' ')" = "evs.csv flows.csv links.csv queues.csv report.html results.json samples.csv " ]
point "all files are there" $?
grep -q 'host 8: [0-9]* frames judged by [0-9]* requirements, 0 failures' "$tmp/out"
point "watched hosts are told of" $?
[ "$(awk -F, 'NR > 1 { n += $6 } END { print n }' "$tmp/all/evs.csv")" = \
    "$(awk -F, '$3 == 8 { print $9 + $10 }' "$tmp/all/flows.csv")" ]
point "packets by EV and by flow agree" $?
grep -q '<polyline' "$tmp/all/report.html" && ! grep -Eq '(src|href)=' "$tmp/all/report.html"
point "the page has plots and needs no network" $?
sim 2 "a folder that cannot be made" "$tmp/scene.yaml" --out "$tmp/none/all"
sed 's/watch: .*/watch: 16/' "$tmp/watched.yaml" >"$tmp/wrong.yaml"
sim 2 "a watched host that is not there" "$tmp/wrong.yaml"
sim 2 "no such file" "$tmp/none.yaml"
sim 2 "no scene" --json -
sim 2 "a seed that is none" "$tmp/scene.yaml" --seed many
sim 2 "results that cannot be written" "$tmp/scene.yaml" --json "$tmp/none/c.json"
sim 0 "help" --help

finish
