# times_checks.tcl - times in a window of a log of two hours: what the axis shows can be typed, and places in the run.

source [file join [file dirname [info script]] window_tap.tcl]
set axis [winfo parent $plot].axis
panel beside ;# as many labels as these checks expect
sync
panel size 538
sync

proc labels {} {
    variable axis
    set labels {}
    foreach item [$axis find all] {
        if {[$axis type $item] eq "text" && "base" ni [$axis gettags $item]} {
            lappend labels [lindex [$axis coords $item] 0] [$axis itemcget $item -text]
        }
    }
    return $labels
}
proc middle {} {
    lassign [window] t0 t1
    return [expr {($t0 + $t1) / 2}]
}

# Types each label after g, and sees its place in the middle.
foreach {from to pattern} {
    0 7300 {^[01]:[0-5][0-9]:00$}
    10:00 11:30 {^10:[0-9][0-9]$|^11:[0-9][0-9]$}
    1:02:30 1:02:33 {^1:02:3[0-3]\.[05]}
    1.2 1.6 {^[0-9.]+ ms$|^1\.[0-9]+ s$}
} {
    fit
    zoom $from $to
    sync
    lassign [window] t0 t1
    set labels [labels]
    ok [expr {[llength $labels] >= 6}] "$from to $to: labels: $labels"
    set good 1
    foreach {x label} $labels {
        set wanted [expr {$t0 + ($t1 - $t0) * $x / [winfo width $plot]}]
        zoom $from $to
        if {![regexp $pattern $label]} {
            set good 0
            puts "# $label"
        }
        if {$wanted - ($t1 - $t0) / 2 < 0 || $wanted + ($t1 - $t0) / 2 > 7300} {
            continue
        }
        goto {*}$label
        if {abs([middle] - $wanted) > 1.5 * ($t1 - $t0) / [winfo width $plot]} { ;# marks stand at whole pixels
            set good 0
            puts "# $label: [middle], not $wanted"
        }
    }
    ok $good "and each can be typed"
}

# Typed with keys.
fit
press_key g
set bar $top.command
foreach char [split "20:00 1:00:00" {}] {
    event generate $bar.line <Key> -keysym [expr {$char eq ":" ? "colon" : $char eq " " ? "space" : $char}]
}
event generate $bar.line <Return>
sync
ok [near [window] {1200 3600}] "g 20:00 1:00:00 Return: [window]"

# ---- Places in the run: MPI_Init ends at 100 s, MPI_Finalize begins at 7000 s, the log ends at 7300 s.
foreach {words wanted} {
    {init+10s end-1:00} {110 7240}  {init finalize} {100 7000}  {init to init+2:00} {100 220}
    {a b[1] finalize-1s} {1000 6999}  {a b[1]+1s end} {1001 7300}
} {
    fit
    goto {*}$words
    ok [near [window] $wanted] "goto $words: [window]"
}
fit
zoom init+1s end-1s
ok [near [window] {101 7299}] "zoom: [window]"
select init+1s {a b[1]+1s}
ok [near [selected] {101 2001}] "select: [selected]"
ok [catch {goto init+soon} text] "what is no time is refused: $text"

# ---- Times of day: the log begins at 14:03:05.25 of a zone an hour before UTC.
fit
sync
set before [lindex [labels] end]
is [time_of_day on] {} "times of day"
sync
set labels [labels]
like $labels {^[0-9.]+ 14:30:00 [0-9.]+ 15:00:00 [0-9.]+ 15:30:00$} "on the axis: $labels"
is [$axis itemcget base -text] 2026-11-29 "with the day, at the left of the axis, as the labels are narrow"
foreach {x label} $labels {
    fit
    set wanted [expr {7300.0 * $x / [winfo width $plot]}]
    goto $label $label+2s
    ok [near [window] [list $wanted [expr {$wanted + 2}]] 20] "goto $label: [window]"
}
foreach {words wanted} {
    {14:10:00 14:20:00} {414.75 1014.75}  {2026-11-29T14:10:00 2026-11-29 14:20:00} {414.75 1014.75}
    {2026-11-29T13:10:00Z end} {414.75 7300}
} {
    goto {*}$words
    ok [near [window] $wanted] "goto $words: [window]"
}
sync
like [status] {} "the status line"
time_of_day off
fit
sync
is [lindex [labels] end] $before "times from the start again"
prefer time_of_day on
sync
like [labels] {14:30:00} "the preference is followed at once"
prefer time_of_day off
sync
is [lindex [labels] end] $before "both ways"
done
