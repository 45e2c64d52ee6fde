#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct nscc: agreement is 0, the first event that differs is named and 1, what is no file of traces
# is 2 with file and place. Speaks TAP. BUILD names the build directory.
set -u
. "$(dirname "$0")/lib/tap.sh"
vectors=tests/data/vectors/nscc.json

# run WANTED-STATUS TEXT ARGS...: output in out and err.
run() {
    wanted=$1 text=$2
    shift 2
    "$MRCT" nscc "$@" >"$tmp/out" 2>"$tmp/err"
    point "$text" "$([ $? -eq "$wanted" ] && echo 0 || echo 1)"
}

run 0 "the traces agree" "$vectors"
grep -q '^[0-9]* traces, [0-9]* events, all agree$' "$tmp/out"
point "their number is told" $?

# The second window of the first trace is a byte off.
sed 's/"cwnd":225000\.0/"cwnd":225001.0/2' "$vectors" >"$tmp/changed.json"
run 1 "a file that wants another window differs" "$tmp/changed.json"
grep -q "trace 'quiet', event 1 .*: cwnd is 225000.000000, wanted 225001.000000" "$tmp/out"
point "trace, event, values are named" $?

sed 's/"can_send":true/"can_send":false/' "$vectors" >"$tmp/flag.json"
run 1 "a file that wants another flag differs" "$tmp/flag.json"
grep -q "event 0.*can_send is true, wanted false" "$tmp/out"
point "the flag is named" $?

sed 's/"newly_rcvd":4352/"newly_rcvd":4351/' "$vectors" >"$tmp/input.json"
run 1 "a file with another event differs" "$tmp/input.json"
grep -q "event 1 .*inflight is 1.*wanted 0" "$tmp/out"
point "inflight is the first to tell" $?

head -c 1000 "$vectors" >"$tmp/cut.json"
run 2 "a file cut short is no input" "$tmp/cut.json"
grep -q "cut.json:1: " "$tmp/err"
point "file and line are named" $?
echo '{}' >"$tmp/object.json"
run 2 "a file without a list is no input" "$tmp/object.json"
echo '[]' >"$tmp/empty.json"
run 2 "an empty list is no input" "$tmp/empty.json"
sed 's/"mtu":4096/"mtu":0/' "$vectors" >"$tmp/mtu.json"
run 2 "a configuration out of range is no input" "$tmp/mtu.json"
grep -q "config.mtu" "$tmp/err"
point "the key is named" $?
sed 's/"ev":"sack"/"ev":"sock"/' "$vectors" >"$tmp/kind.json"
run 2 "an event of no known kind is no input" "$tmp/kind.json"
grep -q "trace 'quiet', event 1: 'ev': expected send, sack, nack or loss" "$tmp/err"
point "trace and event are named" $?
run 2 "a file that is not there is no input" "$tmp/none.json"
run 2 "no file is wrong usage"
run 2 "an unknown option is wrong usage" --fast
run 0 "help" --help

finish
