#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The three numbers of the suite, a line each: requirements covered, mutation score, false accusations.
# Usage: numbers.sh BUILD SEEDS [OUT]. With OUT comparisons and constants of the checks are changed as well,
# one in eight of them (BUILD/mutation/mutation; make mutation-checks changes all), and the lines go to
# that file, whole or not at all.
# Exit status 1 when a number is not as it must be, 3 when a program that measures one did not say it.
set -u
build=$1 seeds=$2 out=${3:-}
mrct=$build/mrct
bad=0
export CK_DEFAULT_TIMEOUT=0 # of what mutants run
tmp=$(mktemp) && lines=$(mktemp "${out:-/tmp/numbers}.XXXXXX") || exit 3
trap 'rm -f "$tmp" "$lines"' EXIT
trap 'exit 3' HUP INT TERM

# last SED COMMAND...: what SED makes of the command's closing line; progress goes where it always goes.
last() {
    sed=$1
    shift
    "$@" >"$tmp" || bad=1
    line=$(tail -n 1 "$tmp" | sed -n "$sed")
    [ -n "$line" ] || { echo "numbers.sh: no number in the last line of: $*" >&2; exit 3; }
    echo "$line" | tee -a "$lines"
}

last 's/^\([0-9]*\) requirements: \([0-9]*\) checked, \(.*\), \([0-9]*\) not$/requirements  \1: \2 checked; \3, \4 not/p' \
    "$mrct" spec coverage
last 's/^/mutation      /p' "$mrct" mutation --listed
[ -z "$out" ] || last 's/^/mutation      /p' "$build/mutation/mutation" --jobs "$(nproc)" \
    --every 8 --budget 100000 --json "$build/mutation/checks.json"
last 's/^\([0-9]*\) seeds passed, \(.*\)$/innocents     \1 honest pairs passed, \2/p' \
    "$mrct" swarm --seeds "1..$seeds" --jobs "$(nproc)"
[ -z "$out" ] || { chmod 644 "$lines" && mv "$lines" "$out"; } || exit 3
exit "$bad"
