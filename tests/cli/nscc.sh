#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct nscc: agreement is 0, the first event that differs is named and 1, what is no file of traces
# is 2 with file and place. Speaks TAP. BUILD names the build directory.
set -u
BUILD=${BUILD:-build}
mrct=$BUILD/mrct
vectors=tests/data/vectors/nscc.json
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 bad=0

# run WANTED-STATUS TEXT ARGS...: output in out and err.
run() {
    wanted=$1 text=$2
    shift 2
    "$mrct" nscc "$@" >"$dir/out" 2>"$dir/err"
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

run 0 "the traces agree" "$vectors"
grep -q '^[0-9]* traces, [0-9]* events, all agree$' "$dir/out"
point "their number is told" $?

# The second window of the first trace is a byte off.
sed 's/"cwnd":225000\.0/"cwnd":225001.0/2' "$vectors" >"$dir/changed.json"
run 1 "a file that wants another window differs" "$dir/changed.json"
grep -q "trace 'quiet', event 1 .*: cwnd is 225000.000000, wanted 225001.000000" "$dir/out"
point "trace, event, values are named" $?

sed 's/"can_send":true/"can_send":false/' "$vectors" >"$dir/flag.json"
run 1 "a file that wants another flag differs" "$dir/flag.json"
grep -q "event 0.*can_send is true, wanted false" "$dir/out"
point "the flag is named" $?

sed 's/"newly_rcvd":4352/"newly_rcvd":4351/' "$vectors" >"$dir/input.json"
run 1 "a file with another event differs" "$dir/input.json"
grep -q "event 1 .*inflight is 1.*wanted 0" "$dir/out"
point "inflight is the first to tell" $?

head -c 1000 "$vectors" >"$dir/cut.json"
run 2 "a file cut short is no input" "$dir/cut.json"
grep -q "cut.json:1: " "$dir/err"
point "file and line are named" $?
echo '{}' >"$dir/object.json"
run 2 "a file without a list is no input" "$dir/object.json"
echo '[]' >"$dir/empty.json"
run 2 "an empty list is no input" "$dir/empty.json"
sed 's/"mtu":4096/"mtu":0/' "$vectors" >"$dir/mtu.json"
run 2 "a configuration out of range is no input" "$dir/mtu.json"
grep -q "config.mtu" "$dir/err"
point "the key is named" $?
sed 's/"ev":"sack"/"ev":"sock"/' "$vectors" >"$dir/kind.json"
run 2 "an event of no known kind is no input" "$dir/kind.json"
grep -q "trace 'quiet', event 1: 'ev': expected send, sack, nack or loss" "$dir/err"
point "trace and event are named" $?
run 2 "a file that is not there is no input" "$dir/none.json"
run 2 "no file is wrong usage"
run 2 "an unknown option is wrong usage" --fast
run 0 "help" --help

echo "1..$n"
exit $bad
