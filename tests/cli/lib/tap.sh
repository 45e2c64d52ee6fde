# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# What the command-line tests share; they read it in first. The folder is the project's, BUILD and MRCT
# are the build directory and the program, tmp is a folder of the test's own, which goes with it.
cd "$(dirname "$0")/../.." || exit 2
: "${BUILD:=build}"
: "${MRCT:=$BUILD/mrct}"
case $MRCT in /*) ;; *) MRCT=$PWD/$MRCT ;; esac
export MRCT
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0

# point WORDS STATUS: one point of the test; 0 is good. A bad one shows what the program said last.
point() {
    n=$((n + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $n - $1"
    else
        failed=$((failed + 1))
        echo "not ok $n - $1"
        for said in "$tmp/out" "$tmp/err" "$tmp"/*.txt; do
            [ ! -f "$said" ] || tail -n 40 "$said" | cut -c 1-300 | sed "s/^/# ${said##*/}: /"
        done
    fi
}
# ok WORDS: the same, by the status of the command before it
ok() { point "$1" $?; }
# skip WORDS WHY: a point that cannot be tested here
skip() {
    n=$((n + 1))
    echo "ok $n - $1 # SKIP $2"
}
# run ARGS...: the program's output in out and err, its exit status in rc
run() {
    "$MRCT" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
}
finish() {
    echo "1..$n"
    [ "$failed" -eq 0 ]
    exit
}
