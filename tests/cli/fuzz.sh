#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The fuzz targets over the inputs that were kept (tests/fuzz/corpus). Prints TAP.
n=0 failed=0
for dir in tests/fuzz/corpus/*/; do
    target=$(basename "$dir")
    n=$((n + 1))
    if out=$("$BUILD/tests/replay_$target" "$dir" 2>&1); then
        echo "ok $n - fuzz target $target: $out"
    else
        echo "not ok $n - fuzz target $target"
        echo "$out" | tail -n 20
        failed=1
    fi
done
echo "1..$n"
[ "$n" -gt 0 ] && [ "$failed" -eq 0 ]
