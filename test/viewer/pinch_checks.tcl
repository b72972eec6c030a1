# pinch_checks.tcl - pinches of a touchpad, which ::env(TOUCHPAD) does; runs in a window of the log "plain".
source [file join [file dirname [info script]] window_tap.tcl]

set touchpad [::open |$::env(TOUCHPAD) r+]
chan configure $touchpad -buffering line

# Lets the touchpad do that, and waits until the window shows this part of the log's duration, or for a minute.
proc touch {part args} {
    variable touchpad
    variable all
    puts $touchpad $args
    gets $touchpad
    for {set i 0} {$i < 2400 && ![shows $part]} {incr i} {
        after 25 {set ::later 1}
        vwait ::later
    }
    sync
}
proc shows {part} {
    variable all
    return [near [span] [expr {$all * $part}]]
}
proc spot {canvas part} {
    return [expr {int([winfo rootx $canvas] + $part * [winfo width $canvas])}],[expr {[winfo rooty $canvas] + 20}]
}
proc span {} {
    lassign [window] from to
    return [expr {$to - $from}]
}
# The time at a part of the width.
proc time_at {part} {
    lassign [window] from to
    return [expr {$from + $part * ($to - $from)}]
}

sync
set all [span]
set whole [window]
set there [time_at 0.25]
touch 0.5 [spot $plot 0.25] begin 2
ok [shows 0.5] "two fingers apart, scale 2: half the time ([window])"
ok [near [time_at 0.25] $there] "about the pointer"
touch 0.25 4
ok [shows 0.25] "farther, scale 4: a quarter"
ok [near [time_at 0.25] $there] "about the same time"
touch 0.3125 2.5 3 3.2
ok [shows 0.3125] "closer: the last scale counts"
touch 1 0.5
is [window] $whole "closer than at first: the whole log, and not more"
touch 0.5 2 end
ok [shows 0.5] "and apart again"
set one [window]
touch 0.25 [spot $plot 0.75] begin 2 end
ok [shows 0.25] "another pinch"
undo
sync
is [window] $one "undone as one"
undo
sync
is [window] $whole "so is the first"

# Right after another zoom: the clock of undo stands still, so that a slow machine takes no longer.
rename ::clock ::running_clock
proc ::clock {what args} {
    return [expr {$what eq "milliseconds" ? 1000 : [running_clock $what {*}$args]}]
}
lassign $whole from to
zoom $from [expr {$from + ($to - $from) / 2}]
set one [window]
touch 0.125 [spot $plot 0.5] begin 4 end
ok [shows 0.125] "a pinch right after a zoom"
undo
sync
is [window] $one "undone without the zoom"
undo
sync
is [window] $whole "which is undone next"
rename ::clock {}
rename ::running_clock ::clock

# Elsewhere nothing happens: only the pinch over the time lines after it does.
touch 0.5 [spot [winfo toplevel $plot].panes.legend 0.5] begin 8 end [spot $plot 0.5] begin 2 end
ok [shows 0.5] "a pinch over the legend is none of the time lines"

# A second log, whose time lines go with it.
fit
beside plain.pith
sync
set second [winfo toplevel $plot].panes.second.time.plot
touch 0.5 [spot $second 0.5] begin 2 end
ok [shows 0.5] "over the second log: both zoom"
beside none
sync
fit
touch 0.5 [spot $plot 0.5] begin 2 end
ok [shows 0.5] "and still when it is closed"
::close $touchpad
done
