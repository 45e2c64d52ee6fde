#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sees that what the build needs is there. As root on Debian or Ubuntu it installs what is missing;
# otherwise it prints the one command to run. Usage: deps.sh build|lint|memcheck|fuzz|coverage|pictures ...
set -u

# command or pkg-config module, and the Debian package that brings it
build="cmd:gcc:gcc cmd:pkg-config:pkg-config cmd:ar:binutils hdr:stdlib.h:libc6-dev
pc:libpcap:libpcap-dev pc:yaml-0.1:libyaml-dev pc:jansson:libjansson-dev pc:zlib:zlib1g-dev
pc:libzstd:libzstd-dev pc:libisal:libisal-dev pc:check:check hdr:uthash.h:uthash-dev
hdr:ev.h:libev-dev"
lint="cmd:clang-format:clang-format cmd:clang-tidy:clang-tidy cmd:cppcheck:cppcheck cmd:git:git"
live="cmd:ip:iproute2 cmd:tcpdump:tcpdump cmd:iperf3:iperf3"
memcheck="cmd:valgrind:valgrind"
dissectors="cmd:tshark:tshark cmd:editcap:wireshark-common"
plugin="pc:wireshark:libwireshark-dev cmd:tshark:tshark"
fuzz="cmd:clang:clang"
coverage="cmd:gcovr:gcovr"
pictures="cmd:tshark:tshark cmd:wireshark:wireshark cmd:Xvfb:xvfb cmd:xdotool:xdotool cmd:import:imagemagick
cmd:chromium:chromium hdr:../share/fonts/truetype/dejavu/DejaVuSansMono.ttf:fonts-dejavu-core"
mutation="hdr:clang-c/Index.h:libclang-dev"

missing=""
need() {
    kind=${1%%:*} rest=${1#*:}
    name=${rest%%:*} package=${rest#*:}
    case $kind in
    cmd) command -v "$name" >/dev/null 2>&1 && return ;;
    pc) pkg-config --exists "$name" 2>/dev/null && return ;;
    hdr) for f in "/usr/include/$name" /usr/lib/llvm-*/include/"$name"; do [ -f "$f" ] && return; done ;;
    esac
    missing="$missing $package"
}
for group in "$@"; do
    case $group in
    build | lint | live | dissectors | plugin | memcheck | fuzz | coverage | pictures | mutation)
        eval "items=\$$group"
        for item in $items; do need "$item"; done ;;
    *) echo "deps.sh: no group of packages is called '$group'" >&2; exit 2 ;;
    esac
done
[ -z "$missing" ] && exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    log=$(mktemp)
    # Package lists may be absent or old: try, refresh, try again.
    if $install >"$log" 2>&1 || { apt-get update >"$log" 2>&1 && $install >"$log" 2>&1; }; then
        rm -f "$log"
        exit 0
    fi
    cat "$log" >&2
    rm -f "$log"
    echo "deps.sh: could not install:$missing" >&2
    exit 2
fi
echo "missing packages; on Debian or Ubuntu run: sudo $install" >&2
exit 2
