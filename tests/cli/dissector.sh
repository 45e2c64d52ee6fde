#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Wireshark dissectors, in Lua and as a plugin, beside each other and beside mrct decode. Speaks
# TAP. MRCT names the program, BUILD the build directory.
set -u
. "$(dirname "$0")/lib/tap.sh"
chmod 755 "$tmp"
# What is in note.txt explains a point that is bad.

cmp "$BUILD/dissectors/mrc.lua" dissectors/mrc.lua >"$tmp/note.txt" 2>&1
point "dissectors/mrc.lua is what its parts and spec/wire.yaml make (else: make dissectors)" $?
if ! command -v tshark >/dev/null 2>&1; then
    skip "the dissectors" "tshark is not installed"
    finish
fi

# Wireshark loads nobody's own plugins for root, so tshark runs as nobody; settings of the user and
# plugins of his are out of sight in homes of their own.
as=""
if [ "$(id -u)" = 0 ]; then
    as="setpriv --reuid=65534 --regid=65534 --clear-groups"
    $as true 2>/dev/null || as=""
fi
cp dissectors/mrc.lua "$tmp/mrc.lua"
mkdir "$tmp/plain"
export LC_ALL=C.UTF-8
version=$(tshark --version 2>/dev/null | sed -n '1s/.*Wireshark) \([0-9]*\.[0-9]*\).*/\1/p')
# shark HOME ARGUMENT...: standard error is kept aside, less what root is told
shark() {
    home=$1
    shift
    $as env -u XDG_CONFIG_HOME HOME="$tmp/$home" tshark "$@" 2>"$tmp/err" </dev/null
}
lua() { shark plain -X lua_script:"$tmp/mrc.lua" "$@"; }
plugin() { shark plugged "$@"; }

if shark plain -G plugins | grep -q '^mrc\.so'; then
    skip "the dissectors" "the plugin is installed for everybody and would hide the one under test"
    finish
fi
have_plugin=no why="wireshark-dev is not installed, so the plugin was not built"
if [ -f "$BUILD/dissectors/plugin/mrc.so" ]; then
    own=$tmp/plugged/.local/lib/wireshark/plugins/$version/epan
    mkdir -p "$own" && cp "$BUILD/dissectors/plugin/mrc.so" "$own/" && chmod -R a+rX "$tmp/plugged"
    why="Wireshark loads no plugins for this user"
    if shark plugged -G plugins | grep -q '^mrc\.so'; then have_plugin=yes; fi
fi

columns=$("$BUILD/dissectors/fieldcmp" names | sed 's/^/-e /' | tr '\n' ' ')
all=$(shark plain -G fields -X lua_script:"$tmp/mrc.lua" | cut -f 3 | grep '^mrc\.' | grep -v '^mrc\.expert' | sort -u | sed 's/^/-e /' | tr '\n' ' ')
all="$all -e udp.srcport -e udp.length -e _ws.col.Info -e _ws.expert.message -e _ws.malformed"
verify="-o mrc.verify_icrc:TRUE"

# take FILE: a capture where nobody can read it
take() {
    cp "$1" "$tmp/$2" && chmod a+r "$tmp/$2"
}
# beside_mrct WHO FILE: field by field
beside_mrct() {
    "$MRCT" decode --json "$tmp/$2" >"$tmp/json" 2>/dev/null
    # shellcheck disable=SC2086
    "$1" -r "$tmp/$2" $verify -T fields -E occurrence=l $columns >"$tmp/fields"
    "$BUILD/dissectors/fieldcmp" "$tmp/json" "$tmp/fields" >"$tmp/note.txt" 2>&1
}
# alike FILE: Lua and plugin in every field, with links forward
alike() {
    # shellcheck disable=SC2086
    lua -2 -Y frame -r "$tmp/$1" $verify -T fields $all >"$tmp/by-lua"
    # shellcheck disable=SC2086
    plugin -2 -Y frame -r "$tmp/$1" $verify -T fields $all >"$tmp/by-plugin"
    [ -s "$tmp/by-lua" ] && cmp "$tmp/by-lua" "$tmp/by-plugin" >"$tmp/note.txt" 2>&1
}
# quiet WHO FILE: no Lua error, no bug, and nothing of MRC's called malformed
quiet() {
    "$1" -r "$tmp/$2" $verify -Y '_ws.lua or (mrc and _ws.malformed)' >"$tmp/note.txt"
    status=$?
    grep -iE 'bug|assert|crash|fault|lua' "$tmp/err" >>"$tmp/note.txt"
    [ "$status" -eq 0 ] && [ ! -s "$tmp/note.txt" ]
}
# shows WHO FILE FILTER FIELD...: the fields, a frame a line, blanks between them
shows() {
    who=$1 file=$2 filter=$3
    shift 3
    # shellcheck disable=SC2046
    "$who" -2 -r "$tmp/$file" -Y "$filter" -T fields $(printf -- '-e %s ' "$@") | tr '\t' ' '
}
# is TEXT WANTED: the file got is WANTED
is() {
    cp "$tmp/got" "$tmp/note.txt"
    [ "$(cat "$tmp/got")" = "$2" ]
    point "$1" $?
}

# ---- golden frames ----
take tests/data/vectors/mrc-golden.pcap golden.pcap
beside_mrct lua golden.pcap
point "lua: golden frames field by field as mrct decode" $?
quiet lua golden.pcap
point "lua: no golden frame is malformed" $?
rules="88 REQ-6-11
89 REQ-6-11
$(for f in 90 91 92 93 94 95 96 97 98 99 100 101; do echo "$f REQ-6-03"; done)
102 REQ-6-02
103 REQ-6-01
104 REQ-6-05
105 REQ-7-03
106 REQ-7-04
107 REQ-7-02
108 REQ-7-01
109 REQ-7-05
110 REQ-7-07
111 REQ-6-07
112 REQ-6-08
113 REQ-6-04"
# shellcheck disable=SC2086
lua -r "$tmp/golden.pcap" $verify -Y mrc.requirement -T fields -e frame.number -e mrc.requirement |
    tr '\t' ' ' >"$tmp/got"
is "lua: invalid frames name the requirement, and no other does" "$rules"
shows lua golden.pcap mrc.trimmed frame.number mrc.trimmed udp.length mrc.payload_len >"$tmp/got"
is "lua: trimmed frames are dissected in full and named" "82 1 1072 20
83 1 1072 20
84 1 1072 20
85 2 1072 20
86 2 1072 20
87 2 1072 20"
shows lua golden.pcap 'frame.number == 35' mrc.srv6.dst mrc.srv6.segment mrc.srv6.usid >"$tmp/got"
is "lua: SRv6 outer header and SRH are linked" \
        "fcbb:bb00:20:10:22:: fcbb:bb00:30:31:: 0x0020,0x0010,0x0022,0x0030,0x0031"
lua -o mrc.ev_reading:b -o mrc.ev_fields:plane:4,path:12 -r "$tmp/golden.pcap" -Y 'frame.number == 33' \
    -T fields -e mrc.ev -e mrc.ev.plane -e mrc.ev.path | tr '\t' ' ' >"$tmp/got"
is "lua: the other reading of the EV, with plane and path" "0x672086c0 6 1824"
lua -o mrc.udp_ports:5000 -r "$tmp/golden.pcap" -Y mrc >"$tmp/got"
is "lua: other ports are left alone" ""

# ---- source ports of others, and plain RoCEv2 ----
# from_golden FRAME FILE SED...: a frame of the golden ones with its hex dump changed
from_golden() {
    frame=$1 file=$2
    shift 2
    shark plain -r "$tmp/golden.pcap" -Y "frame.number == $frame" -x | grep '^[0-9a-f]\{4\} ' |
        cut -c 1-53 | sed "$@" >"$tmp/hex"
    text2pcap -q "$tmp/hex" "$tmp/$file" 2>/dev/null && chmod a+r "$tmp/$file"
}
# The source port is at byte 54, the opcode at byte 62, of which the dump's row 0030 has six and 14.
if command -v text2pcap >/dev/null 2>&1; then
    from_golden 32 dlep.pcap 's/^\(0030  .. .. .. .. .. .. .. .. .. ..\) .. ../\1 03 56/'
    from_golden 30 dlep.pcap 's/^\(0030 \( ..\)\{6\}\) .. ../\1 03 56/;s/^\(0030  .. .. .. .. .. ..\) .. ../\1 03 56/'
    shows lua dlep.pcap mrc udp.srcport mrc.bth.opcode >"$tmp/got"
is "lua: a source port of DLEP does not matter" "854 0xca"
    from_golden 30 roce.pcap 's/^\(0030 \( ..\)\{14\}\) ca/\1 0a/'
    shows lua roce.pcap 'infiniband and not mrc and udp' udp.dstport >"$tmp/got"
is "lua: plain RoCEv2 is left to its own dissector" "4791"
fi

# ---- connections ----
take tests/data/conversations/honest-trims-requestor.pcap trims.pcap
beside_mrct lua trims.pcap
point "lua: a conversation field by field as mrct decode" $?
shows lua trims.pcap 'frame.number in {8, 53, 54}' mrc.analysis.nacked_in mrc.analysis.trigger \
    mrc.analysis.rtt mrc.analysis.retransmission mrc.analysis.retransmission.reason \
    mrc.analysis.retransmitted_in mrc.analysis.acked_in >"$tmp/got"
is "lua: a packet, its NACK and its retransmission are linked" "53     54 84
 8 0.000013036    
   8 1  84"
shows lua trims.pcap 'frame.number == 50' mrc.analysis.newly_acked_psns mrc.analysis.hole \
    mrc.analysis.rtt mrc.analysis.in_flight >"$tmp/got"
is "lua: what a SACK acknowledges, the holes it opens, the RTT" \
        "100-106, 108-109, 111-113, 115-116, 119, 123, 126 107,110,114,117,118,120,121,122,124,125 0.000012522 32"
shows lua trims.pcap 'frame.number in {8 .. 10}' mrc.analysis.message.first \
    mrc.analysis.message.last mrc.analysis.message.offset mrc.analysis.message.length >"$tmp/got"
is "lua: message boundaries, offset and length" "8 27 0 5000
8 27 256 5000
8 27 512 5000"
take tests/data/conversations/honest-probes-requestor.pcap probes.pcap
shows lua probes.pcap 'mrc.peth.probe_id and mrc.analysis.answered_in' frame.number |
    head -n 1 >"$tmp/asked"
[ -s "$tmp/asked" ] && shows lua probes.pcap mrc.analysis.answers mrc.analysis.answers |
    grep -qx "$(cat "$tmp/asked")"
point "lua: probes and answers are matched" $?

# ---- the catalogue and deviants ----
"$MRCT" certify --cases cases --out "$tmp/cat" >"$tmp/note.txt" 2>&1
# shellcheck disable=SC2012
small=$(ls -rS "$tmp"/cat/*.pcapng | head -n 16)
# shellcheck disable=SC2086
mergecap -a -F pcapng -w "$tmp/few.pcapng" $small && chmod a+r "$tmp/few.pcapng"
# shellcheck disable=SC2012,SC2046
mergecap -a -F pcapng -w "$tmp/many.pcapng" $(ls -rS "$tmp"/cat/*.pcapng | head -n 80) &&
    chmod a+r "$tmp/many.pcapng"
rm -rf "$tmp/cat"
beside_mrct lua few.pcapng
point "lua: captures of the catalogue field by field as mrct decode" $?
# breaks DEVIANT CASE REQUIREMENT
breaks() {
    "$MRCT" certify --cases cases --device "deviant:$1" --case "$2" --out "$tmp/dev" >/dev/null 2>&1
    cat "$tmp"/dev/*.pcapng >"$tmp/dev.pcapng"
    rm -rf "$tmp/dev"
    lua -r "$tmp/dev.pcapng" -Y "mrc.requirement == \"$3\"" >"$tmp/note.txt"
    [ -s "$tmp/note.txt" ] && quiet lua dev.pcapng
    point "lua: deviant $1 breaks $3" $?
}
breaks bth-reserved-set format/every-request REQ-6-13
breaks ack-credit format/every-sack-and-ack REQ-7-09
breaks flow-label-high format/every-request REQ-9-05

# ---- the plugin ----
if [ "$have_plugin" = no ]; then
    skip "plugin" "$why"
else
    shark plain -G fields -X lua_script:"$tmp/mrc.lua" | cut -f 3- | grep '^mrc\.' | sort >"$tmp/fields-lua"
    plugin -G fields | cut -f 3- | grep '^mrc\.' | sort >"$tmp/fields-plugin"
    diff "$tmp/fields-lua" "$tmp/fields-plugin" >"$tmp/note.txt"
    point "plugin: the same filter names, types and words as in Lua" $?
    for f in golden.pcap trims.pcap probes.pcap few.pcapng; do
        alike $f
        point "plugin: every field of $f as in Lua" $?
    done
    for f in golden.pcap many.pcapng; do
        beside_mrct plugin $f
        point "plugin: $f field by field as mrct decode" $?
        quiet plugin $f
        point "plugin: nothing of $f is malformed" $?
    done
    plugin -q -z mrc,tree -z conv,mrc -r "$tmp/trims.pcap" >"$tmp/note.txt"
    grep -q '^ SACK  *13 ' "$tmp/note.txt" && grep -q '^ Retransmissions  *7 ' "$tmp/note.txt" &&
        grep -q '<-> .* 21 .* 78 .* 99 ' "$tmp/note.txt"
    point "plugin: -z mrc,tree and conversations" $?
    shows plugin golden.pcap 'frame.number == 30' frame.protocols >"$tmp/got"
is "plugin: the frame's protocols" "eth:ethertype:ipv6:udp:mrc"
fi
sed '/^#/d;s/^@[^@]*@\([^@]*\)@.*/\1/' dissectors/mrc.colorfilters >"$tmp/filters"
status=0
: >"$tmp/note.txt"
while IFS= read -r filter; do
    lua -c 1 -r "$tmp/golden.pcap" -Y "$filter" >/dev/null || { echo "$filter" >>"$tmp/note.txt"; status=1; }
done <"$tmp/filters"
[ "$status" -eq 0 ] && [ "$(wc -l <"$tmp/filters")" -ge 10 ]
point "the colouring rules are filters" $?

# ---- damaged captures ----
# harmless TEXT FILE: no crash, no Lua error, nothing of MRC's called malformed; and both alike
harmless() {
    # shellcheck disable=SC2086
    lua -2 -Y 'mrc or _ws.lua' -r "$tmp/$2" $verify -T fields -e frame.number $all >"$tmp/by-lua"
    status=$?
    cp "$tmp/err" "$tmp/note.txt"
    if [ "$have_plugin" = yes ]; then
        # shellcheck disable=SC2086
        plugin -2 -Y mrc -r "$tmp/$2" $verify -T fields -e frame.number $all >"$tmp/by-plugin" ||
            status=$?
        cat "$tmp/err" >>"$tmp/note.txt"
        cmp "$tmp/by-lua" "$tmp/by-plugin" >>"$tmp/note.txt" 2>&1 || status=1
    fi
    if grep -ahE 'Lua Error|Dissector bug|Malformed' "$tmp/by-lua" "$tmp/note.txt"; then status=1; fi >"$tmp/found"
    cat "$tmp/found" >>"$tmp/note.txt"
    [ -s "$tmp/by-lua" ] && [ "$status" -eq 0 ]
    point "$1" $?
}
mergecap -a -F pcapng -w "$tmp/sane.pcapng" "$tmp/golden.pcap" "$tmp/trims.pcap" && chmod a+r "$tmp/sane.pcapng"
seed=1
for rate in 0.001 0.01 0.05 0.2; do
    editcap -E $rate --seed $seed "$tmp/sane.pcapng" "$tmp/fuzz.pcap" 2>/dev/null && chmod a+r "$tmp/fuzz.pcap"
    seed=$((seed + 1))
    harmless "quiet with $rate of the bytes changed" fuzz.pcap
done
for len in 66 75 100 130; do
    editcap -s $len "$tmp/sane.pcapng" "$tmp/cut.pcap" 2>/dev/null && chmod a+r "$tmp/cut.pcap"
    harmless "quiet about frames cut at $len bytes" cut.pcap
done
finish
