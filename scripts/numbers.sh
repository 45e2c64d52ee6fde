#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The three numbers of the suite, a line each: requirements covered, mutation score, false
# accusations. Usage: numbers.sh BUILD SEEDS. Exit status 1 when one of them is not as it must be.
set -u
mrct=$1/mrct seeds=$2
bad=0
tmp=$(mktemp) || exit 3
trap 'rm -f "$tmp"' EXIT

"$mrct" spec coverage >"$tmp" 2>&1 || bad=1
tail -n 1 "$tmp" | sed -n 's/^\([0-9]*\) requirements: \([0-9]*\) checked.*; [0-9]* gaps explained, \([0-9]*\) not$/\1 \2 \3/p' |
    { read -r all checked gaps &&
        echo "requirements  $all: $checked checked, $((all - checked)) not testable and why, $gaps unexplained"; } || bad=1

"$mrct" mutation --listed >"$tmp" 2>&1 || bad=1
tail -n 2 "$tmp" | sed -n 's/^\([0-9]*\) checks, \([0-9]*\) proven.*/\1 \2/p' >"$tmp.checks"
read -r checks proven <"$tmp.checks" || bad=1
rm -f "$tmp.checks"
echo "mutation      $(tail -n 1 "$tmp"); $proven of $checks checks missed when switched off"

"$mrct" swarm --seeds "1..$seeds" >"$tmp" 2>&1 || bad=1
tail -n 1 "$tmp" | sed -n 's/^\([0-9]*\) seeds passed, \([0-9]*\) failed, \([0-9]*\) errors$/\1 \2 \3/p' |
    { read -r passed failed errors &&
        echo "innocents     $((passed + failed + errors)) honest seeds: $failed accused, $errors errors"; } || bad=1
exit "$bad"
