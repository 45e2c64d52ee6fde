#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# README.md says what docs/figures.txt measured, and this build is not behind it. Prints TAP; MRCT is the
# program, README and FIGURES other files to try.
set -u
. "$(dirname "$0")/lib/tap.sh"
: "${README:=README.md}" "${FIGURES:=docs/figures.txt}"

# number NAME WORDS: the number before these words in the figures' lines of that name
number() { sed -n "s/^$1 .*[^0-9]\([0-9][0-9]*\)$2.*/\1/p" "$FIGURES"; }

[ "$(sed -n '/^    requirements  /,/^$/s/^    //p' "$README")" = "$(cat "$FIGURES")" ]
ok "README.md shows docs/figures.txt, line by line"

"$MRCT" spec coverage | tail -n 1 | grep -q "^[0-9]* requirements: .*; [0-9]* gaps explained, 0 not$" &&
    [ "$("$MRCT" spec coverage | sed -n 's/^[0-9]* requirements: \([0-9]*\) checked.*/\1/p')" -ge "$(number requirements ' checked')" ]
ok "no fewer requirements are checked than the figures say"

[ "$(number innocents ' honest pairs passed')" -ge 100000 ] && [ "$(number innocents ' failed')" -eq 0 ] &&
    [ "$(number innocents ' errors')" -eq 0 ]
ok "a hundred thousand honest pairs were accused of nothing"
[ "$(number mutation ' deviants,')" -eq "$(number mutation ' killed, [0-9]* by the named')" ]
ok "every deviant was killed"
finish
