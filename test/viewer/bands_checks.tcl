# bands_checks.tcl - a lane unfolded into a row for each nesting level, and names in bars; runs in a window of the log
# "deep": rank r is in "level d" from d to 100 - 2d + r hundredths of a second.
source [file join [file dirname [info script]] window_tap.tcl]

set labels [labels]
proc y_of {row} { return [expr {int(($row + 0.5) * [height])}] }

sync
names off
sync
is [llength [row_list]] 3 "a row for each rank"
unfold_rows 0
sync
is [llength [row_list]] 22 "20 levels of rank 0, and two ranks"
is [lmap row {0 1 19 20} {lindex [row_list] $row 2}] {{rank 0} {level 2} {level 20} {rank 1}} "the labels of levels"

# Every level shows its own state, and nothing where it has none.
set wrong {}
for {set level 0} {$level < 20} {incr level} {
    foreach {second there} [list [expr {$level / 100.0 + 0.004}] 1 [expr {(100 - 2 * $level) / 100.0 - 0.004}] 1 \
        [expr {(100 - 2 * $level) / 100.0 + 0.006}] 0] {
        set said [point $second $level]
        if {[string match "level $level  *" $said] != $there} {
            lappend wrong "$level at $second: $said"
        }
    }
}
is $wrong {} "the record under the pointer, in all bands"
is [dict get [at 0.3 12] name] "level 12" "and by the word at"

# A click chooses, a double click zooms.
event generate $plot <Button-1> -x [x_of 0.3] -y [y_of 7]
event generate $plot <ButtonRelease-1> -x [x_of 0.3] -y [y_of 7]
sync
ok [winfo exists $top.card] "a click opens the card"
is [$top.card.v0 cget -text] "level 7" "of the state of that level"
press_key Escape
point 0.3 15
foreach event {Button-1 ButtonRelease-1 Button-1 ButtonRelease-1} {
    event generate $plot <$event> -x [x_of 0.3] -y [y_of 15]
}
sync
lassign [window] from to
ok [expr {$from < 0.15 && $to > 0.7 && $to - $from < 0.9}] "a double click zooms to it: [window]"
fit
sync

# Names: dark or light pixels in the bars, which plain bars do not have.
set photo [$plot itemcget picture -image]
proc inks {} {
    variable photo
    set inks 0
    for {set level 0} {$level < 20} {incr level} {
        set seen {}
        for {set x [x_of [expr {$level / 100.0 + 0.005}]]} {$x < [x_of 0.55]} {incr x} {
            dict incr seen [$photo get $x [y_of $level]]
        }
        incr inks [expr {[dict size $seen] > 2}]
    }
    return $inks
}
is [inks] 0 "names off: plain bars"
names on
sync
is [inks] 20 "names on: each of the 20 levels has its name"

# By the keyboard and by the label, with real events.
fold_rows
sync
is [llength [row_list]] 3 "fold"
focus -force $plot
update
event generate $plot <Motion> -x [x_of 0.3] -y [y_of 1]
sync
event generate $plot <Key-U>
sync
is [llength [row_list]] 22 "Shift-U unfolds the row under the pointer"
set state [rowstate]
foreach event {Button-1 ButtonRelease-1 Button-1 ButtonRelease-1} {
    event generate $labels <$event> -x 30 -y [y_of 1]
}
sync
is [llength [row_list]] 3 "a double click on the label folds it"
set_rowstate $state
sync
is [llength [row_list]] 22 "set_rowstate: unfolded again"
done
