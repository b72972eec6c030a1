#!/usr/bin/env bash
# Saving from the window: pictures of what it shows, logs of an interval (export_checks.tcl).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith
ok $? "a log is made"
start_display
inside plain.pith export_checks.tcl

pixel() { convert "$1[1x1+$2+$3]" -depth 8 rgb:- | od -An -tx1 | tr -d ' \n'; }
width=$(identify -format %w view.png)
y=$(($(identify -format %h view.png) / 3))
is "$(pixel view.png $((width / 4)) $y)" abcdef "the picture: the colour given in the window"
is "$(pixel view.png $((width * 9 / 10)) $y)" 0000cc "its window of time: blue at the right"
is "$(convert view.png -fill none +opaque '#00aa00' -format %k info:)" 1 "green is hidden"
is "$(pith print part.pith | sed -n '/^0/p' | head -n 1)" "0.250000000	0	0	enter	red" "the part begins in the middle of red"
is "$(pith info part.pith | grep -E '^(ranks|messages)')" "ranks: 2
messages: 0" "and has what is in it"
is "$(pith print chosen.alog | grep -v '^#' | grep -c blue)" 2 "the selection: blue on rank 1"
# Names with braces and backslashes are words of the script for pith draw.
printf '0\t0\t0\tenter\t%s\n0.001\t0\t0\tleave\t%s\n' 'a{b' 'a{b' 'c}d' 'c}d' 'e\f' 'e\f' >odd.txt
pith view odd.txt -e 'hide a\\\{b; hide e\\\\f; sync; save odd.svg; quit' >out 2>&1
is "$(grep -oE 'a[{]b|c[}]d|e.f<' odd.svg | sort -u) $(cat out)" "c}d " "a picture without two states, a brace and a backslash in their names"
finish
