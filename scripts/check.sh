#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the test programs and the command-line tests, a line each, and ends on `N passed, N failed`. What
# was skipped counts as neither; each reason is printed.
# Usage: check.sh BUILD TEST...   where a TEST is a Check program or a tests/cli/*.sh that speaks TAP.
set -u
BUILD=$1
shift
export BUILD MRCT="$BUILD/mrct" CK_DEFAULT_TIMEOUT=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0 skipped=0
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then red='\033[31m' green='\033[32m' off='\033[0m'; else red='' green='' off=''; fi

# Whoever makes networks runs alone, when its turn comes; the others side by side, the last ones first,
# since those take longest.
alone() { case $1 in *.sh) grep -q 'netns\|--live\|-live' "$1" ;; *) false ;; esac; }
for t in "$@"; do
    alone "$t" || printf '%s\n' "$t"
done | tac | xargs -r -P "$(nproc)" -I '{}' sh -c '
    case $1 in *.sh) sh "$1" ;; *) "$1" ;; esac >"$2/${1##*/}" 2>&1
    echo $? >"$2/${1##*/}.rc"' sh '{}' "$dir"

for t in "$@"; do
    out=$dir/${t##*/}
    if alone "$t"; then
        sh "$t" >"$out" 2>&1
        echo $? >"$out.rc"
    fi
    status=$(cat "$out.rc")
    case $t in
    *.sh)
        ok=$(grep -c '^ok ' "$out") skips=$(grep -c '^ok .*# SKIP' "$out") bad=$(grep -c '^not ok ' "$out") ;;
    *)
        # Check's closing line: 97%: Checks: 34, Failures: 1, Errors: 0
        set -- $(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 \2 \3/p' "$out" |
            awk '{n += $1; f += $2 + $3} END {print n + 0, f + 0}') "$@"
        ok=$(($1 - $2)) skips=$(grep -c '^SKIP' "$out") bad=$2
        shift 2 ;;
    esac
    # A program that died, or that counted nothing, has failed whatever it printed.
    [ "$status" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
    [ "$ok" -eq 0 ] && [ "$bad" -eq 0 ] && bad=1
    [ "$skips" -gt "$ok" ] && skips=$ok
    ok=$((ok - skips)) skipped=$((skipped + skips))
    passed=$((passed + ok)) failed=$((failed + bad))
    if [ "$bad" -eq 0 ]; then
        [ "$skips" -eq 0 ] || sed -n -e 's/^SKIP:* */        skipped: /p' -e 's/^ok .*# SKIP/        skipped:/p' "$out" |
            sort | uniq -c | sed 's/^ *\([0-9]*\)  */      \1 /'
        printf "${green}%5d passed${off}  %s\n" "$ok" "$t"
    else
        printf "${red}%5d FAILED${off}  %s (exit %d)\n" "$bad" "$t" "$status"
        sed 's/^/    /' "$out" | grep -v '^    ok ' | tail -n 60
    fi
done
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
