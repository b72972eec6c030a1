# camera.tcl - procedures for shots.tcl and functions.tcl, the scripts that take the pictures of the guided tour. These
# scripts run in a viewer's window; the current folder is that of the pictures.

set window [lindex [info class instances ::pith::Window] 0]
set top [$window top]

# Waits until the window has finished its background jobs and has drawn everything.
proc settle {{ms 700}} {
    variable settled
    sync
    after $ms [list set [namespace current]::settled 1]
    vwait [namespace current]::settled
    sync
}
proc size {wide high} {
    variable top
    wm geometry $top ${wide}x$high
    sync
}
proc fresh {} {
    variable window
    variable top
    foreach class {Lengths Matrix CallTree Sql} {
        [$window part $class] close
    }
    [$window part DetailsWindow] close
    tab legend
    escape
    select none
    ranges off
    waits off
    critical_path off
    findings off
    group host
    expand
    sort rank
    show_all ;# also shows messages
    size 1180 640
    work
}
proc picture {name} {
    settle
    shot $name.png
}
# Takes a picture of a page of the panel beside the time lines; the panel gets the given size.
proc picture_of {path name wide high} {
    panel beside
    size 1260 640
    panel size $wide
    sync
    panel size [expr {2 * $wide - [winfo width $path]}]
    size 1260 [expr {640 + $high - [winfo height $path]}]
    settle
    ::pith::save_shot $path $name.png
    panel auto
    sync
}
