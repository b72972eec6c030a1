#!/usr/bin/env bash
# The guided tour: every picture that it names is there and small, and the script that takes them runs.
. "$(dirname "$0")/../lib.sh"

named=$(grep -ohE '\]\((viewer/)?tour/[a-z]+\.png\)' "$top/viewer/TOUR.md" "$top/README.md" | grep -oE '[a-z]+\.png' | sort -u)
is "$(cd "$top/viewer/tour" && ls ./*.png | sed 's/..//' | tr '\n' ' ')" "$(tr '\n' ' ' <<<"$named")" "the tour shows the pictures that are there"
total=0
for picture in $named; do
    size=$(stat -c %s "$top/viewer/tour/$picture")
    total=$((total + size))
    ok $((size > 80000)) "$picture: below 80 KB ($size bytes)"
done
ok $((total > 1000000)) "all: below 1 MB"
# Its words and commands exist.
for word in $(grep -oE '`(palette|help)`' "$top/viewer/TOUR.md" | tr -d '`' | sort -u); do
    grep -qE "^ +$word +\{" "$top"/viewer/tcl/*.tcl
    ok $? "the word $word"
done

if [ ! -e "$build/lib/pith/libpithtk.so" ] || [ ! -x "$build/libexec/pith/pith-draw" ]; then
    skip "taking them" "no Tcl/Tk or no cairo"
    finish
fi
if ! command -v Xvfb >/dev/null || ! command -v chromium >/dev/null; then
    skip "taking them" "no Xvfb or no chromium"
    finish
fi
mkdir taken
O="$build" "$top/viewer/tour/shoot" "$scratch/taken" >shoot.out 2>&1
is "$?:$(cat shoot.out)" "0:" "make tour takes them"
is "$(ls taken | tr '\n' ' ')" "$(tr '\n' ' ' <<<"$named")" "all of them"
for picture in $named; do
    is "$(identify -format %wx%h "taken/$picture")" "$(identify -format %wx%h "$top/viewer/tour/$picture")" "$picture: as large as in the tour"
    ok $(($(identify -format %k "taken/$picture") < 10)) "$picture: it shows something"
done
finish
