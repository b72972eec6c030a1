# motion_checks.tcl - the picture after moves; runs in a window of the log "big". MOTION_WAY: the image type.

source [file join [file dirname [info script]] window_tap.tcl]

set way $::env(MOTION_WAY)
set ways [::pithtk::paper .]
ok [expr {"photo" in $ways && "sent" in $ways}] "the ways of this display: $ways"
is [image type $photo] [expr {$way eq "photo" ? "photo" : "pithpaper"}] "$way: the type of image"
set model [[lindex [info class instances ::pith::Window] 0] model]
set log [$model log]
arrows off
sync

# What the picture is, line by line; of a pithpaper through a photo.
proc picture {} {
    variable photo
    variable way
    sync
    if {$way eq "photo"} {
        return [$photo data]
    }
    set copy [image create photo]
    $photo copy $copy
    set data [$copy data]
    image delete $copy
    return $data
}

# What the screen shows of it, as far as nothing lies over it: some columns.
proc on_screen {x y} {
    variable plot
    set shot [image create photo]
    ::pithtk::grab $plot $shot
    set colour [$shot get $x $y]
    image delete $shot
    return $colour
}

proc lines_differ {a b shift} {
    set wrong 0
    foreach x $a y $b {
        set wrong [expr {$wrong + ([lrange $x $shift end] ne [lrange $y 0 end-$shift])}]
    }
    return $wrong
}

# ---- To the right by whole pixels and back
fit
in 4
set width [winfo width $plot]
set before [picture]
lassign [$model window] t0 t1
set by 40
set step [expr {wide($by * double($t1 - $t0) / $width)}]
$model set_window [expr {$t0 + $step}] [expr {$t1 + $step}]
set after [picture]
set rows [llength $before]
set wrong [lines_differ $before $after $by]
# The grid moves on its own, and a bar that reaches over the edge begins there.
ok [expr {$wrong < $rows / 5}] "moved by $by pixels: the lines are those of before ($wrong of $rows differ)"
set x [expr {$width / 2}]
set y [expr {[row_height] / 2}]
is [on_screen $x $y] [$photo get $x $y] "and on the screen is what the image is"
$model set_window $t0 $t1
ok [expr {[picture] eq $before}] "back again: the same picture"

# ---- With items over the picture: what is around them is the picture, and they are whole
# Columns of the screen that differ from the picture, and rows.
proc covered {} {
    variable plot
    variable photo
    update
    set shot [image create photo]
    ::pithtk::grab $plot $shot
    set copy $photo
    if {[image type $photo] ne "photo"} {
        set copy [image create photo]
        $photo copy $copy
    }
    set columns {}
    foreach y {3 40 41 90 133} {
        for {set x 0} {$x < [image width $copy]} {incr x} {
            if {[$shot get $x $y] ne [$copy get $x $y]} {
                dict incr columns $x
            }
        }
    }
    image delete $shot
    return [lsort -integer [dict keys $columns]]
}
event generate $plot <Leave>
sync
is [covered] {} "nothing lies over it: the screen shows the picture"
$plot create line 77 0 77 [winfo height $plot] -fill #ff00ff -tags over
$plot create rectangle 100 20 140 120 -outline #ff00ff -width 1 -tags over
$plot create line 200 30 240 50 -fill #ff00ff -width 3 -tags over
update
set still [covered]
pan 0.1
sync
set after [covered]
is $after $still "after a move items lie over it as before"
ok [expr {77 in $after && 100 in $after && 140 in $after && 130 ni $after && 220 in $after}] "in these columns: $after"
$plot delete over
is [covered] {} "they go: the picture is there again"
pan -0.1

# ---- The same place by many ways
fit
set straight [picture]
foreach i {1 2 3 4 5} {
    in 1.5
    pan 0.13
    out 1.7
    pan -0.2
}
fit
ok [expr {[picture] eq $straight}] "zoomed and moved about, then all of it: as at first"

# ---- Low rows
height 1.5
is [height] 1.5 "rows of a pixel and a half"
sync
height 0.3
is [height] 0.3 "and of less than one"
sync
set seen 0
for {set x 0} {$x < $width} {incr x} {
    set seen [expr {$seen + ([$photo get $x 1] ne [$photo get $x [expr {[winfo height $plot] - 2}]])}]
}
ok [expr {$seen > $width / 4}] "grouped, they are seen ($seen of $width columns)"
event generate $plot <Motion> -x [expr {$width / 2}] -y 1
sync
ok 1 "the pointer goes over them"
height 0.001
is [height] 0.01 "no lower than that"
height 24
is [height] 24 "whole pixels again"

# ---- Sums as a job
set told {}
proc heard {args} {
    variable told
    if {[lindex $args 0] ne "progress"} {
        set told $args
    }
}
lassign [$model whole] from to
$log sumsjob $from $to [namespace current]::heard
while {$told eq {}} {
    vwait [namespace current]::told
}
is [lindex $told 0] done "sums beside the window"
is [lindex $told 1] [$log sums $from $to] "are the sums"

# ---- How much of the picture is exact
set main [lindex [info class instances ::pith::Window] 0]
set time_line [$main timeline]
set exact_label [winfo parent [$main top].status.text].exact
$time_line tell_exact draw 0.2
is [winfo manager $exact_label] {} "nothing is said of a picture that became rough just now"
after 310
$time_line tell_exact draw 0.3
is [winfo manager $exact_label] {} "nor while the window moves"
$time_line tell_exact refine 0.4567
is [list [winfo manager $exact_label] [$exact_label cget -text]] {pack {picture 45 % exact}} "then the status line says it"
$time_line tell_exact refine 0.9999
is [$exact_label cget -text] "picture 99 % exact" "rounded down"
$model zoom_about 0.5 [lindex [$model window] 0]
sync
is [list [$model exact] [winfo manager $exact_label]] {1 {}} "until the picture is exact"
done
