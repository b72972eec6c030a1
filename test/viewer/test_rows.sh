#!/usr/bin/env bash
# The rows of the window: tree, filter, drag, pin, sort, with real events (rows_checks.tcl); many lanes.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" hosts hosts.pith
ok $? "a log is made"
start_display
inside hosts.pith rows_checks.tcl
"$make_log" deep deep.pith
inside deep.pith bands_checks.tcl

# Ranks that are alike are one row, also in a picture.
python3 "$top/test/viewer/alike_log.py" >alike.txt
pith convert alike.txt alike.pith
inside alike.pith alike_checks.tcl
state=$(pith view alike.pith -e 'group alike; puts [rowstate]; quit')
pith draw alike.pith --text --group alike >group.out
is "$(cut -c 1-15 group.out | sed -n 2,5p | tr '\n' ,)" "ranks 0, 8, ...,ranks 1-3, 5-7,,ranks 4, 12, ..,rank 17        ," "pith draw --group alike"
pith draw alike.pith --text -e "set_rowstate {$state}" >state.out
is "$(pith view alike.pith -e "set_rowstate {$state}; puts [rowstate]; quit")" "$state" "another window takes the groups over"
is "$(cat state.out)" "$(cat group.out)" "the same rows by the arrangement of the window"
is "$(pith draw alike.pith --text -e 'group alike 22.5' | grep -c '^rank')" 2 "with more difference"
is "$(pith draw alike.pith --text --to 0.045 --group alike | grep -c '^rank')" 3 "and of another time"
like "$(pith draw alike.pith --text -e 'group alike -1' 2>&1)" 'draw: -e: group: only alike takes a number, of per cent, not -1' \
    "a bad number"

# What one window was made to show, another one shows too, also with words of a log that is not there any more.
state=$(pith view hosts.pith -e 'group comm; collapse even; hide_rows 3; pin 5; rows 0-5; height 31; puts [rowstate]; quit')
like "$state" 'group comm filter 0-5 .*closed comm:1 hidden .*comm:2/3.* height 31' "rowstate: what was done"
other=$(pith view hosts.pith -e "set_rowstate {$state}; puts [rowstate]; quit")
is "$other" "$state" "set_rowstate: the same in another window"
is "$(pith view hosts.pith -e 'set_rowstate {hidden {host:nowhere 99 7/heat} order {host:x {1 2}}}; puts [llength [row_list]]; quit')" \
    24 "words of rows that are not there are passed over"
is "$(pith view hosts.pith -e 'group comm; set_rowstate {}; puts [lindex [rowstate] 1]; quit')" host "nothing: as at first"
# Damaged lists of members: the status line says it once they are needed.
python3 "$top/test/analyze/damaged_check.py" members hosts.pith members.pith
trouble='members.pith: the lists of members of 2 communicators are damaged'
is "$(pith view members.pith -e 'puts [string match "*members*damaged*" [status]]; group comm; puts [lrange [status] 0 9]; group host
    puts [lrange [status] 0 9]; quit' 2>&1)" "0
$trouble
$trouble" "damaged lists of members"
# The rows of a log beside another one are a tree of their own.
cat >second.tcl <<'END'
panel beside
set second [winfo toplevel [canvas]].panes.second.time.labels
proc first_labels {} {
    variable second
    return [lmap item [lrange [$second find withtag label] 0 1] {$second itemcget $item -text}]
}
sync
set before [lindex [first_labels] 1]
event generate $second <Button-1> -x 12 -y 8
event generate $second <ButtonRelease-1> -x 12 -y 8
sync
puts "[expr {$before ne "beta"}], [first_labels], [lindex [row_list] 1 2]"
quit
END
is "$(pith view --together hosts.pith hosts.pith -e 'source second.tcl')" "1, alpha beta, rank 0" \
    "a host closed in the second log alone"
finish
