# shots.tcl - takes the pictures of the guided tour in a window of the log "before"; viewer/tour/shoot runs it in the
# folder of the pictures. Each picture starts from `fresh`: the time between MPI_Init and MPI_Finalize.

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

fresh
arrows off
picture window

fresh
zoom 85ms 125ms
picture zoom

fresh
zoom 85ms 125ms
choose 98.6ms 8
message next
details
settle
picture_of $top.details details 600 290
destroy $top.details

fresh
zoom 85ms 125ms
arrows off
waits on
critical_path on
findings on
settle
choose 106ms 10
picture waiting

fresh
zoom 85ms 125ms
select 86ms 110ms
settle
set book [lindex [lsearch -all -inline [descendants $top] *.book] 0]
$book select 1
picture selection
$book select 0

fresh
zoom 85ms 125ms
arrows off
group none
sort exclusive MPI_Waitall rising
picture sorted

fresh
zoom 85ms 125ms
ranges on
picture ranges
ranges off

fresh
lengths compute
picture_of $top.lengths lengths 720 420

fresh
zoom 85ms 125ms
matrix late_sender
picture_of $top.matrix matrix 700 540

fresh
zoom 40ms 140ms
arrows off
[$window part Search] open
find "refine*"
picture found
[$window part Search] close

fresh
collapse
size 1180 420
picture hosts

fresh
size 1180 560
beside after.pith
arrows off
picture beside
beside none

fresh
theme dark
zoom 85ms 125ms
picture dark
theme light

fresh
zoom 85ms 125ms
save page.html
quit
