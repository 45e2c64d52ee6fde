#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes docs/pictures/*.png of real output: Wireshark with the Lua dissector and its colours on a screen
# that nobody sees, and the page of `mrct check --html` in a browser. The capture is that of a case made
# for it (view/weather.yaml) and a deviant, so that a verdict is in the picture; same seed, same frames.
# Needs Wireshark, Xvfb, xdotool, ImageMagick and Chromium; `make pictures` installs them as root.
# Usage: pictures.sh BUILD OUTDIR
set -eu
build=$(realpath "$1") out=$(realpath -m "$2")
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
server=""
shark=""
finish() {
    [ -z "$shark" ] || kill "$shark" 2>/dev/null || true
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
mkdir -p "$out"
fail() { echo "pictures.sh: $*" >&2; exit 1; }

# ---- the capture: what the requestor's tap saw, with the verdicts as comments ---------------------
"$build/mrct" certify --device deviant:rtx-not-set --cases "$here" --out "$work/run" >/dev/null || [ $? = 1 ] ||
    fail "the case did not end as it must"
cd "$work"
tshark -r run/view-weather.pcapng -Y 'frame.interface_id == 0' -F nsecpcap -w weather.pcap 2>/dev/null
status=0
"$build/mrct" check weather.pcap --tap requestor --facts "$here/weather.facts.yaml" \
    --write weather.pcapng --html page.html >/dev/null || status=$?
[ "$status" = 1 ] || fail "mrct check ended with status $status"

# ---- Wireshark ------------------------------------------------------------------------------------
# A profile of its own: columns that fit, the colouring rules, no dialogs.
export HOME="$work" XDG_CONFIG_HOME="$work/config" XDG_RUNTIME_DIR="$work/run" QT_QPA_PLATFORM=xcb
export LC_ALL=C.UTF-8 QT_FONT_DPI=96 NO_AT_BRIDGE=1
profile="$XDG_CONFIG_HOME/wireshark"
mkdir -p "$profile"
chmod 700 "$XDG_RUNTIME_DIR"
cp "$top/dissectors/mrc.colorfilters" "$profile/colorfilters"
cat >"$profile/preferences" <<'END'
gui.update.enabled: FALSE
mrc.verify_icrc: TRUE
gui.column.format: "No.", "%m", "Time", "%t", "Source", "%s", "Info", "%i"
gui.qt.font_name: DejaVu Sans Mono,9,-1,5,50,0,0,0,0,0
gui.layout_type: 1
gui.layout_content_3: NONE
gui.interfaces_show_hidden: FALSE
END
cat >"$profile/recent" <<'END'
gui.toolbar_main_show: FALSE
gui.filter_toolbar_show: TRUE
gui.wireless_toolbar_show: FALSE
gui.packet_list_show: TRUE
gui.tree_view_show: TRUE
gui.byte_view_show: FALSE
gui.statusbar_show: TRUE
gui.time_format: RELATIVE
gui.time_precision: NSEC
column.width: %m, 50, %t, 100, %s, 115, %i, 900
END
cat >"$profile/recent_common" <<'END'
gui.geometry_main_x: 0
gui.geometry_main_y: 0
gui.geometry_main_width: 1280
gui.geometry_main_height: 920
gui.geometry_main_maximized: FALSE
END

# Xvfb chooses a free display and writes its number when it is ready.
mkfifo display
Xvfb -displayfd 3 -screen 0 1280x920x24 -nolisten tcp 3>display 2>/dev/null &
server=$!
read -r number <display
export DISPLAY=":$number"
wireshark -X "lua_script:$top/dissectors/mrc.lua" -r weather.pcapng -g 115 >log 2>&1 &
shark=$!
window=$(timeout 60 xdotool search --sync --onlyvisible --name 'weather.pcapng' | head -1)
[ -n "$window" ] || fail "Wireshark showed no window"
sleep 15
# From the frame that is scrolled to, up to the one that is looked at; open its headers, the analysis and
# the comment.
xdotool mousemove 600 452 click 1
xdotool key --delay 100 Up Up Up Up Up Up Up Up
sleep 1
xdotool key --delay 100 Tab End Right End Right Home Right
sleep 1
import -window root wireshark.png

# ---- the page -------------------------------------------------------------------------------------
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-color-profile=srgb \
    --run-all-compositor-stages-before-draw --virtual-time-budget=10000 \
    --window-size=1000,1570 --screenshot="$work/page.png" "file://$work/page.html" >>log 2>&1
[ -s page.png ] || fail "the browser made no picture"

# Few colours make small files.
for name in wireshark page; do
    convert "$name.png" +dither -colors 96 -strip -define png:compression-level=9 "$out/$name.png"
    size=$(wc -c <"$out/$name.png")
    [ "$size" -lt 150000 ] || fail "$name.png has $size bytes"
    echo "$out/$name.png: $size bytes"
done
