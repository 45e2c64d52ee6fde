#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct sim: a scene runs and is told of, results are the same twice, a wrong scene is 2 with file and
# line and leaves no file behind. Speaks TAP. BUILD names the build directory.
set -u
BUILD=${BUILD:-build}
mrct=$BUILD/mrct
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 bad=0

# run WANTED-STATUS TEXT ARGS...: output in out and err.
run() {
    wanted=$1 text=$2
    shift 2
    "$mrct" sim "$@" >"$dir/out" 2>"$dir/err"
    point "$text" "$([ $? -eq "$wanted" ] && echo 0 || echo 1)"
}

# point TEXT STATUS: STATUS 0 is good.
point() {
    n=$((n + 1))
    if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else
        echo "not ok $n - $1"
        cat "$dir/out" "$dir/err" | sed 's/^/# /' | head -n 20
        bad=1
    fi
}

cat >"$dir/scene.yaml" <<'END'
title: eight to one
topology: {planes: 2, t0: 2, t1: 2, hosts_per_t0: 8}
traffic:
  - incast: {size: 64KiB, from: 8..15, to: 0}
sample: 10us
END
run 0 "a scene runs" "$dir/scene.yaml" --json "$dir/a.json"
grep -q 'incast .*8 of 8 flows done' "$dir/out"
point "its flows are told of" $?
run 0 "again" "$dir/scene.yaml" --json "$dir/b.json"
cmp -s "$dir/a.json" "$dir/b.json"
point "the results are the same, byte for byte" $?
run 0 "with another seed" "$dir/scene.yaml" --seed 9 --json "$dir/b.json"
[ "$(cmp -s "$dir/a.json" "$dir/b.json"; echo $?)" -eq 1 ]
point "they are others" $?
run 0 "to standard output" "$dir/scene.yaml" --json -
cmp -s "$dir/a.json" "$dir/out"
point "nothing but JSON is there" $?

sed 's/to: 0/to: 16/' "$dir/scene.yaml" >"$dir/wrong.yaml"
run 2 "a host that is not there" "$dir/wrong.yaml" --json "$dir/c.json"
grep -q "^mrct sim: $dir/wrong.yaml:4: incast: there is no host 16 (of 16)$" "$dir/err" && [ ! -e "$dir/c.json" ]
point "file, line and reason are told, no file is left" $?
(cat "$dir/scene.yaml"; echo "watch: [0, 8]") >"$dir/watched.yaml"
run 0 "a folder of results" "$dir/watched.yaml" --out "$dir/all"
[ "$(ls "$dir/all" | tr '\n' ' ')" = "evs.csv flows.csv links.csv queues.csv report.html results.json samples.csv " ]
point "all files are there" $?
grep -q 'host 8: [0-9]* frames judged by [0-9]* requirements, 0 failures' "$dir/out"
point "watched hosts are told of" $?
[ "$(awk -F, 'NR > 1 { n += $6 } END { print n }' "$dir/all/evs.csv")" = \
    "$(awk -F, '$3 == 8 { print $9 + $10 }' "$dir/all/flows.csv")" ]
point "packets by EV and by flow agree" $?
grep -q '<polyline' "$dir/all/report.html" && ! grep -Eq '(src|href)=' "$dir/all/report.html"
point "the page has plots and needs no network" $?
run 2 "a folder that cannot be made" "$dir/scene.yaml" --out "$dir/none/all"
sed 's/watch: .*/watch: 16/' "$dir/watched.yaml" >"$dir/wrong.yaml"
run 2 "a watched host that is not there" "$dir/wrong.yaml"
run 2 "no such file" "$dir/none.yaml"
run 2 "no scene" --json -
run 2 "a seed that is none" "$dir/scene.yaml" --seed many
run 2 "results that cannot be written" "$dir/scene.yaml" --json "$dir/none/c.json"
run 0 "help" --help

echo "1..$n"
exit "$bad"
