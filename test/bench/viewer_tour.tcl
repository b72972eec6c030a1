# viewer_tour.tcl - run inside of a window (`pith view SMALL -e 'source viewer_tour.tcl'`): opens BENCH_LOG in a window of
# its own whose picture is BENCH_SIZE, and takes a tour of fixed steps through it, pans and zooms. Prints lines of words
# and numbers: milliseconds from the begin of a step until the X server has done all of it. With BENCH_ONLY it ends after
# the first picture.

proc milliseconds_of {script} {
    set begin [clock microseconds]
    uplevel 1 $script
    return [expr {([clock microseconds] - $begin) / 1000.0}]
}

# Tk has drawn, and the server answers after it.
proc seen {top} {
    update
    winfo pointerxy $top
}

proc resident_mb {} {
    set channel [open /proc/self/status]
    set status [read $channel]
    close $channel
    regexp {VmRSS:\s+(\d+)} $status all kb
    return [expr {$kb / 1024.0}]
}

# The window's size is such that the picture has this one.
proc fit_size {window width height} {
    set top [$window top]
    for {set i 0} {$i < 3} {incr i} {
        update
        lassign [[$window timeline] size] w h
        wm geometry $top [expr {[winfo width $top] + $width - $w}]x[expr {[winfo height $top] + $height - $h}]
    }
    update
}

# Some lists of steps: {what script}, of a model; the same each time.
proc tour {model} {
    set steps {}
    foreach part {0.02 0.02 0.05 -0.01 -0.03 0.1 0.01 0.01 0.01 -0.2} {
        lappend steps [list pan [list $model pan $part]]
    }
    set zooms {}
    foreach place {0.3 0.6 0.5 0.8} {
        lappend zooms [list zoom [list zoom_at $model 0.7 $place]]
    }
    set all {}
    for {set round 0} {$round < 10} {incr round} {
        lappend all {*}$steps {*}$zooms
    }
    for {set round 0} {$round < 20} {incr round} {
        lappend all [list zoom [list zoom_at $model 1.8 0.4]] [list pan [list $model pan 0.07]]
    }
    return $all
}

proc zoom_at {model factor part} {
    lassign [$model window] t0 t1
    $model zoom_about $factor [expr {$t0 + wide(($t1 - $t0) * $part)}]
}

proc percentile {sorted part} {
    return [lindex $sorted [expr {min([llength $sorted] - 1, int([llength $sorted] * $part))}]]
}

proc tell_times {name times} {
    set sorted [lsort -real $times]
    puts "$name [percentile $sorted 0.5] [percentile $sorted 0.95] [percentile $sorted 0.99] [lindex $sorted end]"
}

proc take_tour {window} {
    set model [$window model]
    set top [$window top]
    set all {}
    foreach step [tour $model] {
        lassign $step what script
        set took [milliseconds_of {
            {*}$script
            seen $top
        }]
        lappend all $took
        lappend of($what) $took
        after 4 ;# a hand is not faster
    }
    tell_times frames $all
    tell_times pans $of(pan)
    tell_times zooms $of(zoom)
}

# Until the time lines have been drawn once, and the server has done it.
proc open_log {} {
    set window [::pith::Window open $::env(BENCH_LOG)]
    set script [list set ::drawn 1]
    [$window timeline] after_drawing $script
    vwait ::drawn
    [$window timeline] not_after_drawing $script
    update idletasks
    winfo pointerxy [$window top]
    return $window
}

# The least that a window can take: Tk's own, with one canvas and a text in it.
proc open_bare {} {
    toplevel .bare
    pack [canvas .bare.canvas -width 1400 -height 1000]
    .bare.canvas create text 100 100 -text bare
    seen .bare
}

puts "bare [milliseconds_of open_bare]"
destroy .bare
update
set before [resident_mb]
set opened [milliseconds_of {
    set window [open_log]
}]
puts "open $opened"
if {[info exists ::env(BENCH_ONLY)]} {
    exit 0
}
puts "image [image type [[$window timeline] photo]]"
# Messages are drawn, too.
update
[$window model] finish_reading
while {[[$window timeline] is_rough]} {
    update
    after 10
}
fit_size $window {*}[split $::env(BENCH_SIZE) x]
puts "size [[$window timeline] size]"
seen [$window top]
take_tour $window
[$window model] fit
seen [$window top]
puts "resident [expr {[resident_mb] - $before}]"
set right [milliseconds_of {
    while {[[$window timeline] is_rough]} {
        update
        after 5
    }
}]
puts "right $right"
exit 0
