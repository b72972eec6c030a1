# leak_checks.tcl - windows that are opened and closed leave nothing behind; runs in a window of any log.

source [file join [file dirname [info script]] window_tap.tcl]

proc pause {ms} {
    after $ms {set ::ticked 1}
    vwait ::ticked
}
# What there is: objects, commands of logs and jobs, images, toplevels, namespaces of scripts, timers.
proc census {} {
    update
    set objects {}
    foreach class [::info class instances ::oo::class ::pith::*] {
        lappend objects [llength [::info class instances $class]]
    }
    dict create objects [::tcl::mathop::+ {*}$objects] logs [llength [::info commands ::pithtk::log*]] \
        jobs [llength [::info commands ::pithtk::job*]] images [llength [image names]] \
        windows [llength [winfo children .]] scripts [llength [namespace children ::pith script*]]
}
proc resident_kb {} {
    set file [::open /proc/self/status]
    regexp {VmRSS:\s+(\d+)} [read $file] -> kb
    ::close $file
    return $kb
}
# A window with all that this test knows: mountain ranges, another log, which goes before it or with it. `is_seen`: it goes
# when it has shown all: pictures that all windows share are kept.
proc come_and_go {with {is_seen 0}} {
    set window [view rich.pith]
    $window run {ranges on; beside later.pith; zoom 1ms 5ms; select 2ms 3ms; sync}
    if {$is_seen} rest
    $window run [expr {$with ? "close" : "beside none; close"}]
    pause 30
}

# Waits, at most a minute, until threads that shall end have ended: nothing changes any more, or all is as it was BEFORE.
proc rest {{before {}}} {
    set last {}
    for {set i 0} {$i < 600 && [set now [census]] ne $before && ($before ne {} || $now ne $last || [dict get $now jobs])} {incr i} {
        set last $now
        pause 100
    }
}

sync
# Until all pictures that windows share were made: on a busy machine, a window may close before it has shown one.
for {set i 0; set before {}} {$i < 5 && [set now [census]] ne $before} {incr i} {
    set before $now
    come_and_go 0 1
    come_and_go 1 1
    rest
}
set before [census]
set kb [resident_kb]
for {set i 0} {$i < 20} {incr i} {
    come_and_go [expr {$i % 2}]
}
rest $before
is [census] $before "20 windows with two logs each came and went: nothing is left"
ok [expr {[resident_kb] - $kb < 6000}] "nor in memory ([expr {[resident_kb] - $kb}] KB)"
set window [view rich.pith]
$window run close
$window after_first_picture ;# what waits for idleness is done there, closing too
rest $before
is [list [census] $::pith::trouble::last] [list $before {}] "one that was closed before its first picture, and no fault"
foreach i {1 2 3} {
    view rich.pith
}
sync
is [llength [::info class instances ::pith::Window]] 4 "four windows at once"
done
