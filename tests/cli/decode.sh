#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mrct decode from outside. Speaks TAP. MRCT names the program.
set -u
. "$(dirname "$0")/lib/tap.sh"
golden=tests/data/vectors/mrc-golden.pcap
run() {
    "$MRCT" decode "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}
# line NUMBER: of the output.
line() { sed -n "$1p" "$tmp/out"; }

run "$golden"
[ "$status" -eq 0 ] && [ "$(wc -l <"$tmp/out")" -eq 113 ] && [ ! -s "$tmp/err" ]
point "one line a frame" $?
[ "$(line 33)" = "33 1700000000.000032000 IP6 fd00:0:0:1::21 > fd00:0:0:2::21 port 4971 ev 0x86c06720 dscp 4 ect0: MRC WRITE_ONLY qp 0x11 psn 8 msn 0 rqmsn 0 va 0x2000 rkey 0x1234 dma 64 len 64" ]
point "in tcpdump's manner" $?
case $(line 93) in *"[truncated RETH]") true ;; *) false ;; esac
point "a frame that is refused says why" $?

run --json "$golden"
[ "$status" -eq 0 ] && [ "$(grep -c '^{"frame": [0-9]*, "time": .*}$' "$tmp/out")" -eq 113 ]
point "one JSON object a line" $?
case $(line 47) in
*'"frame": 47, "time": 1700000000.000046000, "len": 114, "error": null, "kind": null'*'"opcode": 220'*'"va": null'*'"ack_psn_offset": -32768, "probe_id": null'*'"sack_offset": -1, "sack_bitmap": 9223372036854775809'*) true ;;
*) false ;;
esac
point "absent headers are null, signed and 64-bit numbers whole" $?
case $(line 35) in *'"trimmed": 0, "srv6": "fcbb:bb00:20:10:22::", "srh": "fcbb:bb00:30:31::"}') true ;; *) false ;; esac
point "SRv6 addresses" $?
case $(line 113) in *'"error": "UDP length beyond the IP payload", "kind": "malformed"'*) true ;; *) false ;; esac
point "the reason of a malformed frame" $?

# An opcode that is none, under an ICRC that is wrong: nothing says where the payload begins.
cp "$golden" "$tmp/hidden.pcap"
printf '\300' | dd of="$tmp/hidden.pcap" bs=1 seek=$((24 + 16 + 14 + 40 + 8)) conv=notrunc 2>/dev/null
run --json "$tmp/hidden.pcap"
case $(line 1) in *'"error": "icrc"'*'"va": null'*'"payload_len": null'*) true ;; *) false ;; esac
point "a payload whose beginning is not known has no length" $?

run -v "$golden"
[ "$status" -eq 0 ] && grep -q '^ *bth.psn\|^ *[0-9.]* *24  bth.psn  *4661 (0x1235)$' "$tmp/out"
point "all fields with -v" $?
run --port 9999 "$golden"
[ "$status" -eq 0 ] && [ "$(wc -l <"$tmp/out")" -eq 113 ]
point "one more port" $?
run --reading Q3=b "$golden"
[ "$status" -eq 0 ] && case $(line 33) in *"ev 0x672086c0"*) true ;; *) false ;; esac
point "another reading of Q3" $?

head -c 5000 "$golden" >"$tmp/cut.pcap"
run "$tmp/cut.pcap"
[ "$status" -eq 0 ] && [ -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
point "a file cut in its last record: what is there, and one warning" $?

# refused TEXT ARGUMENT...: exit 2, nothing printed, one sentence.
refused() {
    text=$1
    shift
    run "$@"
    [ "$status" -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
    point "$text" $?
}
refused "a missing file" "$tmp/none.pcap"
refused "a file that is no capture" tests/cli/decode.sh
refused "an unknown option" --colour "$golden"
refused "a port that is none" --port 70000 "$golden"
refused "no file"
refused "two files" "$golden" "$golden"

finish
