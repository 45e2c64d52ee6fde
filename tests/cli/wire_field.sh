#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A field added to a copy of the wire format is in all that is made of it: C, Lua and Markdown; and
# the generated C reads and writes it. Errors in the YAML name file and line and leave nothing
# half-written. Speaks TAP. BUILD names the build directory.
set -u
. "$(dirname "$0")/lib/tap.sh"

mkdir "$tmp/gen"
: >"$tmp/err"
# One of the four reserved bits of the BTH becomes a field.
sed 's/^\( *- {name: \)inv_rsvd, byte: 8, bit: 3, width: 4,\(.*\)$/\1novel, byte: 8, bit: 3, width: 1, meaning: a brand new bit, json: novel}\
\1inv_rsvd, byte: 8, bit: 2, width: 3,\2/' spec/wire.yaml >"$tmp/wire.yaml"
"$BUILD/specgen" wire "$tmp/wire.yaml" "$tmp/gen" 2>"$tmp/err"
point "a copy with one more field is accepted" $?

grep -q 'uint8_t novel; .*a brand new bit' "$tmp/gen/mrc_wire.h"
point "the C struct has it" $?
grep -q '{"bth.novel", "novel", "a brand new bit"' "$tmp/gen/mrc_wire.c" &&
    grep -q 'h->novel = ' "$tmp/gen/mrc_wire.c" && grep -q 'v_novel & 0x1u' "$tmp/gen/mrc_wire.c"
point "the field table, the decoder and the encoder have it" $?
grep -q 'name = "bth.novel", bit_off = 68, bits = 1' "$tmp/gen/mrc_fields.lua"
point "the dissector's field list has it" $?
grep -q '| 8, bit 3 | 1 | `novel` |.*a brand new bit' "$tmp/gen/wire.md"
point "the reference page has it" $?

cat >"$tmp/try.c" <<'EOF'
#include "gen/mrc_wire.h"
int main(void)
{
    struct mrc_bth h = {.novel = 1, .psn = 5};
    struct mrc_bth back;
    uint8_t p[MRC_BTH_LEN];
    const struct mrc_field *const f = mrc_field_find("bth.novel");
    const int good = mrc_bth_encode(&h, p, p + sizeof p) == sizeof p && p[8] == 0x08 &&
                     mrc_bth_decode(p, p + sizeof p, &back) == sizeof p && back.novel == 1 &&
                     back.psn == 5 && f && mrc_field_get(f, p) == 1;
    return good ? 0 : 1;
}
EOF
"${CC:-cc}" -std=c11 -Wall -Wextra -Wconversion -Werror -I"$tmp" -o "$tmp/try" "$tmp/try.c" \
    "$tmp/gen/mrc_wire.c" 2>"$tmp/err" && "$tmp/try"
point "the generated C compiles without a warning, writes it and reads it" $?

# refused TEXT WORDS SED: a copy changed by SED is refused with one sentence that names file, line
# and WORDS, and what was generated before is as it was.
cp -r "$tmp/gen" "$tmp/before"
refused() {
    sed "$3" spec/wire.yaml >"$tmp/bad.yaml"
    "$BUILD/specgen" wire "$tmp/bad.yaml" "$tmp/gen" >"$tmp/out" 2>"$tmp/err"
    status=$?
    [ "$status" -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q "bad.yaml:[0-9]*: .*$2" "$tmp/err" && diff -r "$tmp/before" "$tmp/gen" >/dev/null
    point "$1" $?
}
refused "a field that overlaps" "starts at bit" 's/name: inv_rsvd, byte: 8, bit: 3/name: inv_rsvd, byte: 8, bit: 4/'
refused "a gap" "starts at bit" '/name: inv_rsvd/d'
refused "a field beyond its header" "ends beyond" 's/name: psn, byte: 9, width: 24/name: psn, byte: 9, width: 32/'
refused "a header that its fields do not fill" "end at bit" '/name: psn, byte: 9/d'
refused "a name given twice" "given twice" 's/name: rqmsn/name: msn/'
refused "a header given twice" "given twice" 's/- id: reth/- id: meth/'
refused "a missing meaning" "meaning. is missing" 's/, meaning: acknowledge request//'
refused "an unknown key" "unknown key 'colour'" 's/meaning: acknowledge request/colour: red, &/'
refused "a key given twice" "key 'name' given twice" 's/{name: a,/{name: b, name: a,/'
refused "an unknown set of code points" "unknown set 'colours'" 's/codes: seth_m,/codes: colours,/'
refused "a set of another width" "and its set" 's/codes: seth_m,/codes: opcode,/'
refused "an unknown header of an opcode" "unknown header 'nowhere'" 's/headers: aeth/headers: nowhere/'
refused "a value twice" "has the name or the value" 's/value: 0xD9/value: 0xD8/'
refused "a value too large" "must be a number from 0 to 255" 's/value: 0xD9/value: 0x1D9/'
refused "an evidence that is none" "one of C, S, U and I" 's/evidence: C/evidence: X/'
refused "a number that is none" "must be a number" 's/width: 24, json: psn/width: many, json: psn/'
refused "a bad name" "must be of letters" 's/name: dest_qp/name: dest-qp/'
refused "a condition on nothing" "unknown field 'prr'" 's/when: pr=0/when: prr=0/'
refused "no YAML at all" "" 's/headers:/headers: [/'
"$BUILD/specgen" wire "$tmp/none.yaml" "$tmp/gen" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q 'none.yaml: No such file' "$tmp/err"
point "a missing file" $?
"$BUILD/specgen" wire spec/wire.yaml "$tmp/nowhere" 2>"$tmp/err"
[ $? -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
point "a directory that is not there" $?
"$BUILD/specgen" wire 2>"$tmp/err"
[ $? -eq 2 ]
point "too few arguments" $?

cmp "$BUILD/gen/wire.md" docs/reference/wire.md >"$tmp/err" 2>&1
point "docs/reference/wire.md is what spec/wire.yaml makes (else: make docs)" $?

finish
