# reload_checks.tcl - a log whose file changes on disk; runs in a window of run.pith, a copy of first.pith, in a folder
# that also has second.pith (the same program, which ran longer) and other.pith (another log).

source [file join [file dirname [info script]] window_tap.tcl]
source [file join [file dirname [info script]] hands.tcl]

set bar $top.reload
set model [[lindex [info class instances ::pith::Window] 0] model]
proc wait_until {condition} {
    for {set i 0} {$i < 150 && ![uplevel 1 [list expr $condition]]} {incr i} {
        after 100 {set ::ticked 1}
        vwait ::ticked
    }
    uplevel 1 [list expr $condition]
}
# By a new file, as `pith run` does it.
proc record {from} {
    exec cp $from run.new
    file rename -force run.new run.pith
}
proc view {} {
    variable model
    return [list [window] [llength [row_list]] [$model first_row] [height] [$model names [$model hidden]] [selected] \
        [theme]]
}
proc records {} {
    variable model
    return [$model info records]
}
sync
wm geometry $top 1000x500
height 24
rows 0-29
zoom 0.003 0.005
select 0.0035 0.004
hide MPI_Isend
hide compute
sync
top 6
sync
set before [view]
set held [records]
is [lrange $before 2 3] {6 24} "rows are scrolled"

# ---- It is noticed, and said once
after 3500 {set ::ticked 1}
vwait ::ticked
ok [expr {![winfo ismapped $bar]}] "nothing is said of a file that stays as it is"
record second.pith
ok [wait_until {[winfo ismapped $bar]}] "a log that is recorded again is noticed"
like [set [$bar.text cget -textvariable]] {^run.pith has changed} "that is said in a line"
is [list [view] [records]] [list $before $held] "the view stays as it is"
shot said.png
hand [onto $bar.close] "click 1"
ok [expr {![winfo ismapped $bar]}] "its x closes it"
after 3500 {set ::ticked 1}
vwait ::ticked
ok [expr {![winfo ismapped $bar]}] "the same version is not said again"
record first.pith
record second.pith
ok [wait_until {[winfo ismapped $bar]}] "the next one is"

# ---- The button and the keys
focus -force $plot
hand [onto $bar.again] "click 1"
sync
ok [expr {[records] != $held}] "the button opens the log again: [records] records, not $held"
is [view] $before "and keeps the view"
ok [expr {![winfo ismapped $bar]}] "the line is gone"
foreach {key from} {"key Control_L r" first.pith "key F5" second.pith} {
    set last [records]
    record $from
    focus -force $plot
    hand [onto $plot] $key
    sync
    ok [expr {[records] != $last}] "$key does the same"
    is [view] $before "and keeps the view, too"
}
after 3500 {set ::ticked 1}
vwait ::ticked
ok [expr {![winfo ismapped $bar]}] "nothing more is said"

# ---- The whole log; a file that is written in its place; other logs
fit
select none
sync
exec cp first.pith run.pith
reload
sync
is [window] [lmap time [$model log_time] {::pith::words::seconds $time}] "the whole log stays the whole log"
rows
record other.pith
reload
sync
is "[$model info ranks] [$model row_count]" "2 2" "a log of fewer ranks"
undo
undo
sync
set text [::open run.pith w]
puts -nonewline $text "no log any more"
::close $text
focus -force $plot
hand "key F5"
like [status] {run.pith: } "a file that is no log is said to be none: [status]"
is [$model info ranks] 2 "and the old one stays"
file delete run.pith
hand "wait 0.1" "key F5"
like [status] {no such file} "so is one that is not there"

done
