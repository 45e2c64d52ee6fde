#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each command has a manual page, and the page has each option that --help has. Prints TAP.
set -u
. "$(dirname "$0")/lib/tap.sh"

# options: those that out tells of, as a page writes them
options() { grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' "$tmp/out" | grep -oE -- '--[a-z-]+' | grep -v '^--help$' | sed 's/-/\\-/g'; }

run --help
commands=$(sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' "$tmp/out")
[ "$(echo "$commands" | wc -l)" -ge 17 ]
ok "--help names the commands"
for c in $commands; do
    page=docs/man/mrct-$c.1
    run "$c" --help
    : >"$tmp/err"
    [ -f "$page" ] || echo "there is no $page" >"$tmp/err"
    from=$(sed -n 's|^\.so man1/|docs/man/|p' "$page" 2>/dev/null)
    for o in $(options); do
        grep -qF -- "$o" "${from:-$page}" || echo "$page lacks $o" >>"$tmp/err"
    done
    [ "$rc" -eq 0 ] && [ ! -s "$tmp/err" ]
    ok "mrct $c has a page with all its options"
    grep -q "^\.B[A-Z]* *.*$(echo "$c" | sed 's/-/.*/g')" docs/man/mrct.1
    ok "mrct(1) names $c"
done
if command -v man >/dev/null 2>&1; then
    : >"$tmp/err"
    for page in $(grep -L '^\.so ' docs/man/*.1); do
        man --warnings -l "$page" >/dev/null 2>>"$tmp/err"
    done
    [ ! -s "$tmp/err" ]
    ok "man finds no fault with the pages"
fi
finish
