# window_tap.tcl - what checks inside a window share: they begin with
#     source [file join [file dirname [info script]] window_tap.tcl]
# run in the namespace of the window (its words are commands), print TAP lines, and end with `done`.

set count 0
set failed 0
proc ok {good what} {
    variable count
    variable failed
    incr count
    puts "[expr {$good ? {} : {not }}]ok $count - $what"
    if {!$good} {
        incr failed
    }
}
proc is {got wanted what} {
    ok [expr {$got eq $wanted}] $what
    if {$got ne $wanted} {
        puts "#   got:    $got\n#   wanted: $wanted"
    }
}
proc like {got pattern what} {
    ok [regexp -- $pattern $got] $what
    if {![regexp -- $pattern $got]} {
        puts "#   got:    $got\n#   wanted: /$pattern/"
    }
}

set plot [canvas]
set top [winfo toplevel $plot]
set photo [$plot itemcget picture -image]

proc x_of {seconds} {
    variable plot
    lassign [window] t0 t1
    expr {int(($seconds - $t0) / ($t1 - $t0) * [winfo width $plot])}
}
# The colour in the middle of a bar; `part` of a row's height.
proc colour {seconds row {part 0.5}} {
    variable photo
    sync
    format %02x%02x%02x {*}[$photo get [x_of $seconds] [expr {int(($row + $part) * [row_height])}]]
}
proc row_height {} {
    return [height]
}
proc press_key {key} {
    variable plot
    focus -force $plot
    update
    event generate $plot <$key>
    sync
}
proc point {seconds row {part 0.5}} {
    variable plot
    event generate $plot <Motion> -x [x_of $seconds] -y [expr {int(($row + $part) * [row_height])}]
    sync
    return [status]
}
# The tooltip where the pointer rests in a widget of a window; {} none within four seconds.
proc tip_at {widget x y} {
    set tip [string trimright [winfo toplevel $widget] .].tip
    destroy $tip
    event generate $widget <Motion> -x $x -y $y -warp 1 ;# a tip that covers the pointer goes
    for {set i 0} {$i < 80 && ![winfo exists $tip]} {incr i} {
        if {$i % 20 == 19} {
            event generate $widget <Motion> -x $x -y $y ;# other events hide it
        }
        after 50
        update
    }
    set text [expr {[winfo exists $tip] ? [$tip cget -text] : {}}]
    event generate $widget <Leave>
    update
    return $text
}
proc near {got wanted {within 0.002}} {
    foreach g $got w $wanted {
        if {$g eq {} || $w eq {} || abs($g - $w) > $within} {
            return 0
        }
    }
    return 1
}
# The item of the table `tree` with this text.
proc item_named {name {below {}}} {
    variable tree
    foreach one [$tree children $below] {
        if {[string trim [$tree item $one -text]] eq $name} {
            return $one
        }
    }
    return {}
}
# The end of all checks.
proc done {} {
    variable count
    variable failed
    puts "# $count checks, $failed failed"
    quit
}
