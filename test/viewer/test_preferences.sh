#!/usr/bin/env bash
# Preferences: the file view.conf (comments, unknown and damaged lines, two programs at once), the dialog, what follows
# them; the man page.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith
ok $? "a log is made"
conf="$XDG_CONFIG_HOME/pith/view.conf"
prefer() { # SCRIPT: without Tk
    tclsh - <<<"source $top/viewer/tcl/commands.tcl; source $top/viewer/tcl/files.tcl; source $top/viewer/tcl/preferences.tcl
        namespace import ::pith::preferences::*
        namespace eval ::pith::preferences { $1 }" 2>&1
}

# ---- The file
is "$(prefer 'puts "[get theme] [get most_arrows]"')" "light 3000" "defaults without a file"
[ ! -e "$conf" ]
ok $? "reading makes no file"
is "$(prefer 'change most_arrows 100')" "" "a change"
like "$(cat "$conf")" '^most_arrows 100$' "is stored"
like "$(cat "$conf")" '^#theme light$' "the other keys stand in comments with their defaults"
like "$(grep -B1 '^most_arrows' "$conf")" '^# maximum number of arrows .*\(0 to 100000\)$' "each with what it means"
cat >"$conf" <<'END'
# my own words
theme dark

from_the_future 42
wheel sideways
font_size 12
   # indented
font_size 11
END
out=$(prefer 'puts "[get theme] [get wheel] [get font_size]"; get theme; read_file')
like "$out" '^dark auto 11$' "what is good is used; of two lines the last"
like "$out" 'view.conf: line 4: no such preference: from_the_future; it is kept' "an unknown key is said"
like "$out" 'line 5: wheel: must be auto, zoom or scroll, not "sideways"; the default is used' "a damaged line as well"
is "$(grep -c 'line [45]' <<<"$out")" 2 "each once"
prefer 'change font_size 13; change row_height 20' >/dev/null
is "$(cat "$conf")" "# my own words
theme dark

from_the_future 42
wheel sideways
font_size 12
   # indented
font_size 13

# in pixels; 0 fills the window, with at most 64 (0 to 200)
row_height 20" "changes leave all other lines as they are"
like "$(prefer 'change theme pink')" 'theme: must be light or dark, not "pink"' "a bad value is refused"
like "$(prefer 'change them dark')" 'no such preference: them; must be one of theme, palette' "and a bad key"
mv "$conf" mine.conf && ln -s "$PWD/mine.conf" "$conf"
prefer 'change arrows off' >/dev/null
is "$(readlink "$conf"):$(tail -n 1 mine.conf)" "$PWD/mine.conf:arrows off" "a link stays one"
rm "$conf"
for key in most_arrows row_height font_size; do
    prefer "for {set i 6} {\$i <= 32} {incr i} {change $key \$i}" &
done
wait $(jobs -p | grep -v "^$$\$")
is "$(grep -cE '^(most_arrows|row_height|font_size) 32$' "$conf")" 3 "three programs at once: no change is lost"
is "$(ls "$XDG_CONFIG_HOME/pith")" view.conf "and nothing is left beside the file"
touch -d '10 seconds ago' "$conf.lock"
is "$(prefer 'change wheel zoom; puts done')" "done" "a lock of a dead program is passed over"
rm -f "$conf"
mkdir "$conf"
like "$(prefer 'puts [get theme]')" '^light$' "what cannot be read: defaults"
rmdir "$conf"

# ---- The man page tells of each key as the table does
# shellcheck disable=SC2016
prefer 'foreach key [keys] {
    set row [row $key]
    set help [dict get $row help]
    set line ".BR $key \" (\" \"[range_text $key]\" \"; \" [dict get $row default] )"
    puts [string map {- \\-} ".TP\n$line\n[string toupper [string index $help 0]][string range $help 1 end]."]
}' >manual.txt
awk '/^\.SS Preferences/ { on = 1; next } on && /^\.S[SH]/ { exit } on && /^\.TP/ { list = 1 } on && list' "$top/man/pith-view.1" >page.txt
diff manual.txt page.txt >diff.txt
ok $? "pith-view(1) has the table of preferences" || sed 's/^/# /' diff.txt

# ---- The window
start_display
inside plain.pith preferences_checks.tcl
like "$(cat "$conf")" '^theme dark$' "the dialog's values are in the file"
is "$(pith view plain.pith -e 'puts [theme]; puts [prefer row_height]; puts [height]; quit')" $'dark\n30\n30' "and in the next window"
is "$(pith view plain.pith plain.pith -e 'theme light
    foreach w [info class instances ::pith::Window] { puts [[[$w timeline] plot] cget -background] }; quit' | sort -u)" "#ffffff" \
    "a theme is for all windows"
is "$(pith view plain.pith -e 'theme light; palette safe; quit'; grep -E '^(theme|palette)' "$conf")" $'theme dark\npalette log' "words for now are not stored"
rm "$conf"
is "$(pith view plain.pith -e 'puts [::pith::theme::px 10]; prefer scale 2; puts [::pith::theme::px 10]; quit')" $'10\n20' "the scale by the preference"
kill "$xvfb"
rm -f "$conf"
exec 9<> <(:)
Xvfb -noreset -dpi 192 -displayfd 9 -screen 0 1600x1200x24 >/dev/null 2>&1 &
xvfb=$!
read -r -t 60 -u 9 display
export DISPLAY=":$display"
is "$(pith view plain.pith -e 'puts [::pith::theme::px 10]; puts [winfo height [winfo parent [canvas]].axis]; quit')" $'20\n52' "twice the dots: twice the pixels"
finish
