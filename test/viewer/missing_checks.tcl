# missing_checks.tcl - prints what the legend and the selection say of each range of the file `ranges`:
# WHAT FROM TO NAME INCLUSIVE EXCLUSIVE, in ns.

set window [lindex [::info class instances ::pith::Window] 0]
set model [$window model]
proc say {what range name inclusive exclusive} {
    variable out
    puts $out "$what $range $name $inclusive $exclusive"
}
set out [open said w]
set in [open ranges]
set job {}
proc heard {what args} {
    variable job
    if {$what ne "progress"} {
        set job [lindex $args 0]
    }
}
while {[gets $in range] > 0} {
    $model zoom {*}$range
    sync
    set rows [lindex [::info class instances ::pith::LegendRows] 0]
    dict for {id sum} [$rows sums] {
        say legend $range [$model name $id] [dict get $sum inclusive] [dict get $sum exclusive]
    }
    set computing [$rows sum computing]
    if {$computing ne {}} {
        say legend $range computing 0 [dict get $computing exclusive]
    }
    set job {}
    [$model log] interval {*}$range [namespace current]::heard
    while {$job eq {}} {
        vwait [namespace current]::job
    }
    foreach entry [$job all] {
        lassign $entry id count inclusive exclusive
        say selection $range [$model name $id] $inclusive $exclusive
    }
    say selection $range computing 0 [$job computing]
}
close $out
quit
