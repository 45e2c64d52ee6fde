#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The experiments have the shape that the papers report, and each would fail without its stimulus.
# MRCT_LONG=1 runs them at full scale as well. Speaks TAP. BUILD names the build directory.
set -u
. "$(dirname "$0")/lib/tap.sh"

all() {
    for f in "$1"/*.yaml; do
        "$MRCT" sim "$f" >"$tmp/out" 2>&1
        point "$f" $?
    done
}

# lame TEXT FILE SED: the scene without what matters must fail, by its expectations.
lame() {
    sed "$3" "experiments/$2" >"$tmp/lame.yaml"
    "$MRCT" sim "$tmp/lame.yaml" >"$tmp/out" 2>&1
    point "$1" "$([ $? -eq 1 ] && grep -q '^  FAIL ' "$tmp/out"; echo $?)"
}

all experiments
[ -z "${MRCT_LONG:-}" ] || all experiments/full

lame "no link fails" e02-nic-links-one-by-one.yaml '/^faults:/,/^limit:/{/^limit:/!d}'
lame "no link flaps" e03-four-links-flap.yaml '/^faults:/,/^limit:/{/^limit:/!d}'
lame "the EV loses nothing" e06-one-ev-loses.yaml 's/share: 20%/share: 0/'
lame "nothing is marked" e07-two-flows-one-ev.yaml 's/^queues:.*/queues: {ecn: off}/'
lame "no path has failed" e11-start-with-failed-paths.yaml 's/tier: t0_t1, at: 0/tier: t0_t1, at: 5ms/'
lame "a NIC of half the speed" e01-point-to-point.yaml 's/planes: 8/planes: 4/'
lame "a bound that cannot be met" e10-incast-and-victim.yaml 's/min: 370e9/min: 401e9/'
lame "RoCE's stand-in is MRC itself" e10-incast-and-victim.yaml 's/transport: rc, cc: dcqcn/mtu: 4096/'
lame "nothing is lost" loss-one-percent.yaml 's/share: 1%/share: 0/'
lame "a value that is not there" e10-incast-and-victim.yaml 's,works/incast/jain,works/none/jain,'

finish
