#!/usr/bin/env bash
# The panel with tabs, with the keys and the pointer of the X server: panel_checks.tcl; what it remembers.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" rich rich.pith
ok $? "a log is made"
screen_size=1900x1000
start_display
inside rich.pith panel_checks.tcl
is "$(grep -v '^ok\|^#' checks.out)" "" "nothing else is said"
[ ! -e "$XDG_CONFIG_HOME/pith/view.conf" ]
ok $? "a script's choices are not those of the user"

# By the user, they are.
cat >user.tcl <<END
source $top/test/viewer/window_tap.tcl
source $top/test/viewer/hands.tcl
sync
set panes \$top.panes
hand [onto \$panes.sash] "down 1" [onto \$panes.sash {} -80] "up 1"
sync
hand "key Control_L Next"
sync
puts "[lindex [panel] 0] [tab] [expr {[winfo height \$panes.panel] == [lindex [panel] 1]}]"
puts [winfo height \$panes.panel]
quit
END
out=$(pith view rich.pith --restore -e 'source user.tcl' 2>&1)
is "$(head -n 1 <<<"$out")" "below findings 1" "the sash is dragged, and the next tab chosen"
is "$(grep -v '^#' "$XDG_CONFIG_HOME/pith/view.conf" | sed '/^$/d' | sort | tr '\n' ';')" \
    "panel_height $(tail -n 1 <<<"$out");panel_tab findings;" "the preferences have the place"
is "$(pith view rich.pith --restore -e 'sync; puts "[panel] [tab] [winfo height [winfo toplevel [canvas]].panes.panel]"; quit' 2>&1)" \
    "below $(tail -n 1 <<<"$out") findings $(tail -n 1 <<<"$out")" "the next window has it"
is "$(pith view rich.pith --restore -e 'prefer panel beside; sync; puts [lindex [panel] 0]; quit' 2>&1)" beside "a place is chosen"
is "$(pith view rich.pith --restore -e 'sync; puts [lindex [panel] 0]; quit' 2>&1)" beside "and kept"

# A page with a line to type, as that of SQL, is restored without the focus: keys are those of the timelines.
echo "panel_tab sql" >"$XDG_CONFIG_HOME/pith/view.conf"
cat >keys.tcl <<END
source $top/test/viewer/window_tap.tcl
source $top/test/viewer/hands.tcl
sync
hand [onto \$plot] "key M"
sync
puts "[tab] [winfo exists \$top.sql.body] [\$top.sql.body.controls.query get] [ranges]"
quit
END
is "$(pith view rich.pith --restore -e 'source keys.tcl' 2>&1)" "sql 1  on" "a tab with a line to type is restored; the keys are those of the timelines"
finish
