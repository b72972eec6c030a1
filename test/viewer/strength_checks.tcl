# strength_checks.tcl - how dark the arrow of a message is; runs in a window of the log of wait_log.sh, whose message goes
# from MPI_Send on rank 1, at 510 ms, to MPI_Recv on rank 0, at 590 ms.

source [file join [file dirname [info script]] window_tap.tcl]
source [file join [file dirname [info script]] hands.tcl]
panel beside ;# the arrow is as steep as these checks expect
sync
panel size 538
sync

# How dark it is on the screen, 0 to 1, in the bar of MPI_Recv: of the darkest pixels around some places of the arrow.
proc strength {} {
    variable plot
    sync
    set shot [image create photo]
    ::pithtk::grab $plot $shot
    set strengths {}
    foreach row {0.7 0.75 0.8} {
        set x [x_of [expr {0.51 + 0.08 * (1.5 - $row)}]]
        set y [expr {int($row * [row_height])}]
        set ground [lindex [$shot get [expr {$x - 12}] $y] 0]
        set least $ground
        for {set near [expr {$x - 4}]} {$near <= $x + 4} {incr near} {
            set least [expr {min($least, [lindex [$shot get $near $y] 0])}]
        }
        lappend strengths [expr {($ground - $least) / double($ground - 0x16)}]
    }
    image delete $shot
    return [format %.2f [::tcl::mathfunc::max {*}$strengths]]
}
proc between {low high what} {
    set strength [strength]
    ok [expr {$strength > $low && $strength < $high}] "$what: $strength"
}

raise $top
zoom 0.15 0.7
sync
hand [onto [winfo parent $plot].corner]
between 0.1 0.4 "the arrow is faint"
hand [onto $plot [x_of 0.3] [expr {int(0.5 * [row_height])}]]
between 0.85 1.1 "the receive under the pointer makes it dark"
hand [onto $plot [x_of 0.53] [expr {int(1.8 * [row_height])}]]
between 0.85 1.1 "so does the send"
hand [onto $plot [x_of 0.5] [expr {int(2.5 * [row_height])}]]
between 0.1 0.4 "a barrier does not"
arrows off
hand [onto $plot [x_of 0.3] [expr {int(0.5 * [row_height])}]]
between -0.1 0.1 "nor the receive where messages are hidden"
arrows on
hand [onto [winfo parent $plot].corner]
select 0.45 0.65
between 0.5 0.8 "the selection makes those in it dark"
select 0.16 0.2
between -0.1 0.35 "but not the others"
select none
hand [onto $plot [x_of 0.3] [expr {int(0.5 * [row_height])}]] "click 1" [onto [winfo parent $plot].corner]
between 0.85 1.1 "a click on its call makes it dark"
done
