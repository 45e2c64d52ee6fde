# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034 # B is for those who read this in
# What tests with processes in the background and network namespaces share; read in after tap.sh. The
# namespaces A and B are for two hosts, F for what stands between them; a test adds those it needs. What
# is in pids is killed at the end, and awaited.
A=mrct-$$-a B=mrct-$$-b F=mrct-$$-f
pids=""
end() {
    trap '' INT TERM HUP
    for p in $pids; do kill "$p" 2>/dev/null; done
    wait 2>/dev/null
    for x in "$A" "$B" "$F"; do ip netns del "$x" 2>/dev/null; done
    rm -rf "$tmp"
}
trap end EXIT
trap 'exit 130' INT TERM HUP

# add_spaces NAME...: those namespaces; this and the next say why they cannot, and fail
add_spaces() {
    command -v ip >/dev/null 2>&1 || { echo "no ip command"; return 1; }
    [ "$(id -u)" = 0 ] || { echo "needs root"; return 1; }
    for x in "$@"; do
        ip netns add "$x" 2>/dev/null || { echo "no network namespaces here"; return 1; }
        ip -n "$x" link set lo up
    done
}
# veth SPACE NAME SPACE NAME: a pair of interfaces that are up
veth() {
    ip -n "$1" link add "$2" mtu 9000 type veth peer name "$4" netns "$3" mtu 9000 2>/dev/null ||
        { echo "no veth pairs here"; return 1; }
    ip -n "$1" link set "$2" up && ip -n "$3" link set "$4" up
}
# Interfaces p0 and p1 of A lead to a0 and a1 of F, those of B to b0 and b1.
two_planes() {
    for p in 0 1; do veth "$A" p$p "$F" a$p && veth "$B" p$p "$F" b$p || return 1; done
}
# A way from A to B for TCP: 192.0.2.1 and 192.0.2.2.
control() {
    veth "$A" ctl "$B" ctl && ip -n "$A" addr add 192.0.2.1/24 dev ctl && ip -n "$B" addr add 192.0.2.2/24 dev ctl
}
