# lengths_map_checks.tcl - lengths over time and by rank, with real clicks; runs in a window of the log "maps.txt", whose
# instances of "work" are also in maps.list (rank, begin and end in seconds), and which has messages.

source [file join [file dirname [info script]] window_tap.tcl]

set in [::open maps.list]
set instances [split [string trim [read $in]] \n]
close $in
sync
lengths work
lengths as time
sync
update
set board $top.lengths
set graph $board.body.graph
set readout [$board.body.readout cget -textvariable]
lassign [$graph bbox map] left top_y right bottom
set shortest [dict get [lengths stats] min]
set longest [dict get [lengths stats] max]

proc click {x y} {
    variable graph
    foreach event {Motion Button-1 ButtonRelease-1} {
        event generate $graph <$event> -x [expr {round($x)}] -y [expr {round($y)}]
    }
    sync
}
proc dot_of {instance is_log} {
    foreach name {left right top_y bottom shortest longest t0 t1} { variable $name }
    lassign $instance rank from to
    set length [expr {($to - $from) * 1e9}]
    set part [expr {$is_log ? log($length / $shortest) / log(($longest + 1.0) / $shortest) : ($length - $shortest) / ($longest + 1 - $shortest)}]
    return [list [expr {$left + ($from - $t0) / ($t1 - $t0) * ($right - $left)}] [expr {$bottom - 2 - $part * ($bottom - $top_y - 2)}]]
}
# "RANK FROM TO" of the chosen state
proc chosen_state {} {
    set hit [chosen_hit]
    format {%d %.3f %.3f} [dict get $hit rank] [expr {[dict get $hit start] / 1e9}] [expr {[dict get $hit end] / 1e9}]
}
proc chosen_hit {} {
    return [dict get [[[lindex [info class instances ::pith::Window] 0] choice] thing] hit]
}

# ---- Over time
is [$board.body.controls.view get] "Over time" "lengths as time"
ok [$board.body.controls.slider instate disabled] "which has no bins"
foreach is_log {0 1} {
    set wrong {}
    foreach instance $instances {
        fit
        lengths log $is_log
        lengths of whole
        lengths stats
        update
        lassign [window] t0 t1
        click {*}[dot_of $instance $is_log]
        if {[chosen_state] ne [format {%d %.3f %.3f} {*}$instance]} {
            lappend wrong "$instance: [chosen_state]"
        }
    }
    is $wrong {} "a click on each of [llength $instances] dots goes to its instance ([expr {$is_log ? {logarithmic} : {linear}}])"
}
fit
lassign [window] t0 t1
set outlier [lindex [lsort -real -decreasing -index 3 [lmap one $instances {list {*}$one [expr {[lindex $one 2] - [lindex $one 1]}]}]] 0]
lassign [dot_of $outlier 1] x y
event generate $graph <Motion> -x [expr {round($x) + 3}] -y [expr {round($y) + 3}]
update
like [set $readout] "^rank [lindex $outlier 0], begins at .*, lasts 90 ms" "a dot near the pointer is told: [set $readout]"
is [llength [$graph find withtag pointed]] 1 "and framed"
event generate $graph <Leave>
update
like [set $readout] "each click shows its next longest instance" "what a click does"
ok [expr {![llength [$graph find withtag pointed]]}] "and no frame, when it has left"
focus -force $graph
update
event generate $graph <Right>
set first [lindex [lsort -real -index 1 $instances] 0]
like [set $readout] "^rank [lindex $first 0], begins at" "the key Right: the first dot"
event generate $graph <Return>
sync
is [chosen_state] [format {%d %.3f %.3f} {*}$first] "Return goes there"
fit
lengths of whole
event generate $graph <plus>
update
ok [expr {[dict get [lengths stats] count] < [llength $instances]}] "plus: a smaller range of lengths"
event generate $graph <Home>
update
is [dict get [lengths stats] count] [llength $instances] "Home: all"

event generate $graph {*}[expr {$::tcl_version < 9 ? {<Button-4>} : {<MouseWheel> -delta 120}}] \
    -x [expr {round(($left + $right) / 2)}] -y $top_y
update
ok [expr {[dict get [lengths stats] max] == $longest && [dict get [lengths stats] min] > $shortest}] "the wheel at the top keeps the longest"
event generate $graph <Home>

# ---- By rank
$board.body.controls.view set "By rank"
event generate $board.body.controls.view <<ComboboxSelected>>
lengths log off
lengths bins 10
update
lassign [$graph bbox map] left top_y right bottom
ok [expr {[$graph find withtag handle] ne {}}] "by rank, chosen from the list: with the handles of the range"
set wrong {}
set ranks {}
foreach instance $instances {
    dict lappend ranks [lindex $instance 0] [expr {round(1e9 * ([lindex $instance 2] - [lindex $instance 1]))}]
}
for {set rank 0} {$rank < 4} {incr rank} {
    for {set bin 0} {$bin < 10} {incr bin} {
        event generate $graph <Motion> -x [expr {round($left + ($bin + 0.5) / 10 * ($right - $left))}] \
            -y [expr {round($top_y + ($rank + 0.5) / 4 * ($bottom - $top_y))}]
        update
        lassign [lengths bin $bin] from to
        set in [lsort -integer -decreasing [lmap length [dict get $ranks $rank] {expr {$length >= $from && $length < $to ? $length : [continue]}}]]
        set said [set $readout]
        set good [expr {
            [llength $in] == 0 ? [string match "Point at a tile*" $said] :
            [llength $in] == 1 ? [string match "rank $rank, begins at *, lasts [::pithtk::duration [lindex $in 0]]" $said] :
            [string match "[llength $in] instances of rank $rank, * the longest: rank $rank, *, lasts [::pithtk::duration [lindex $in 0]]" $said]}]
        if {!$good} {
            lappend wrong [list $rank $bin $in $said]
        }
    }
}
is $wrong {} "each tile of four ranks and ten bins has its instances"
fit
lengths bins 2
update
set tile_of [lindex [lengths bin 0] 1]
set short [lsort -integer -decreasing [lmap length [dict get $ranks 3] {expr {$length < $tile_of ? $length : [continue]}}]]
set seen {}
foreach one $short {
    click [expr {$left + 0.5 / 2 * ($right - $left)}] [expr {$top_y + 3.5 / 4 * ($bottom - $top_y)}]
    lappend seen [expr {[dict get [chosen_hit] end] - [dict get [chosen_hit] start]}]
}
is [expr {[llength $short] > 4}]:$seen 1:$short "each click on a tile shows its next longest instance: $seen"
lengths save map.svg
set in [::open map.svg]
like [read $in] {<image [^>]*href="data:image/png;base64,iVBOR} "as SVG: with the picture of the tiles"
close $in

# ---- Messages
lengths messages
lengths as time
sync
lassign [$graph bbox map] left top_y right bottom
fit
event generate $graph <Right>
update
like [set $readout] {^rank 0 to 1, sent at 200 ms, 50 ms} "a message over time"
lengths sizes
event generate $graph <Right>
update
like [set $readout] {^rank 0 to 1, sent at 200 ms, 2\.5 kB} "its size"
lengths as bars
ok [expr {[$graph find withtag bar] ne {} && [$graph find withtag map] eq {}}] "and bars again"
ok [catch {lengths as pie}] "there is no other view"
done
