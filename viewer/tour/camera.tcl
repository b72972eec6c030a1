# camera.tcl - what the scripts that take the pictures of the tour share (shots.tcl, functions.tcl). They run in a
# window, in the folder of the pictures.

set window [lindex [info class instances ::pith::Window] 0]
set top [$window top]

# Waits until jobs and redraws have finished.
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
    foreach class {Lengths Matrix} {
        [$window part $class] close
    }
    catch {destroy $top.details}
    escape
    select none
    ranges off
    waits off
    critical_path off
    findings off
    group host
    expand
    sort rank
    show_all ;# includes messages
    size 1180 640
    work
}
proc picture {name} {
    settle
    shot $name.png
}
proc descendants {path} {
    return [concat $path {*}[lmap child [winfo children $path] {descendants $child}]]
}
# A window of its own beside the timelines.
proc picture_of {path name wide high} {
    wm geometry $path ${wide}x$high+20+20
    settle
    raise $path
    ::pith::save_shot $path $name.png
}
