#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# House rules that no compiler knows. Prints each breach as FILE:LINE: words; exit 1 when there is one.
set -u
cd "$(dirname "$0")/.." || exit 2
bad=0
say() {
    [ -n "$2" ] || return 0
    printf '%s\n' "$2" | while IFS= read -r l; do echo "$l: $1"; done
    bad=1
}
list() { git ls-files --cached --others --exclude-standard -- "$@" 2>/dev/null; }
sources=$(list '*.c' '*.h')

for f in $sources; do
    head -n 1 "$f" | grep -q 'SPDX-License-Identifier' || say "no SPDX line first" "$f:1"
    n=$(wc -l <"$f")
    [ "$n" -le 700 ] || say "$n lines: look for the second subject" "$f:1"
done
# Tests may hold a long expected string on its line.
say "a line over 100 columns" "$(grep -nE '^.{101,}' $(list 'ref/*.[ch]' 'spec/*.[ch]' 'harness/*.[ch]') \
    /dev/null | cut -d: -f1,2)"
say "a tab" "$(grep -nP '\t' $sources /dev/null | cut -d: -f1,2)"
say "unfinished words" "$(grep -nE 'TODO|FIXME|XXX|not implemented' $sources /dev/null |
    grep -v XXXXXX | cut -d: -f1,2)"

# Who may know whom (docs/architecture.md): part, then what it must not include.
layers='
ref/wire/:ref/endpoint|ref/net|ref/api|harness/
ref/endpoint/:ref/net|ref/api|harness/
ref/net/:ref/api|harness/
harness/trace/:ref/endpoint|ref/net|harness/(fabric|live|oracle|deviant|dut|cases|report|sim|cli)
harness/oracle/:ref/endpoint/[^m]|ref/net|harness/(fabric|live|deviant|dut|cases|report|sim|cli)
harness/dut/:harness/(fabric|oracle|cases|report|sim|cli)
harness/deviant/:harness/(fabric|oracle|cases|report|sim|cli)
harness/fabric/:ref/net|harness/(live|oracle|cases|report|sim|cli)
harness/live/:harness/(oracle|deviant|cases|report|sim|cli)
harness/report/:ref/endpoint|harness/(fabric|deviant|dut|cases|sim|cli)
harness/cases/:ref/net|harness/(live|sim|cli)
harness/sim/:harness/cli'
for rule in $layers; do
    files=$(list "${rule%%:*}*.c" "${rule%%:*}*.h")
    [ -n "$files" ] || continue
    say "includes a part below it" "$(grep -nE "#include \"(${rule#*:})" $files /dev/null | cut -d: -f1,2)"
done

# Purity: the endpoint reads no clock, opens nothing, draws no random number that is not seeded.
say "a clock, a socket or unseeded chance in ref/wire or ref/endpoint" "$(grep -nE \
    '\b(clock_gettime|gettimeofday|time\(NULL|rand\(|random\(|socket\(|open\(|fopen\(|exit\()' \
    $(list 'ref/wire/*.c' 'ref/endpoint/*.c') /dev/null | cut -d: -f1,2)"
say "exit() outside main" "$(grep -nE '(^|[^_a-z])exit\(' $(list 'harness/*.c' 'spec/load/*.c') /dev/null |
    grep -v '^harness/cli/main.c' | cut -d: -f1,2)"

# A link of a page leads to a file, but for those of the web and within the page. A link's words may go over
# a line's end, so its address is looked for alone.
for f in $(list '*.md'); do
    for link in $(grep -oE '\]\([^)#: ]+' "$f" | cut -c3-); do
        [ -e "$(dirname "$f")/$link" ] || say "links to $link, which is not there" "$f"
    done
done
[ "$bad" -eq 0 ]
