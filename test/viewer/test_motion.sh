#!/usr/bin/env bash
# Moving through a log: each way that pictures get to the screen shows the same; what is shifted is what is drawn anew;
# rows lower than a pixel (motion_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
screen_size=1000x700
"$make_log" plain plain.pith && "$make_log" rich rich.pith && "$make_log" big big.pith
ok $? "logs are made"
start_display
export XDG_CONFIG_HOME=$PWD/config
mkdir -p config/pith
for way in shared sent photo; do
    echo "image $way" >config/pith/view.conf
    MOTION_WAY=$way inside big.pith motion_checks.tcl
    pith view rich.pith -e "zoom 4ms 6ms; pan 0.1; pan -0.05; shot $way.png; quit"
done
cmp shared.png photo.png && cmp sent.png photo.png
ok $? "after moving to and fro the window looks the same in each way"
finish
