# lengths_range_checks.tcl - bins, the range of lengths, going to instances; runs in a window of the log "rich".

source [file join [file dirname [info script]] window_tap.tcl]

proc stat {key} {
    return [dict get [lengths stats] $key]
}
# The x of a handle or bar, in the graph.
proc middle {tag} {
    variable graph
    lassign [$graph bbox $tag] x0 y0 x1 y1
    return [list [expr {($x0 + $x1) / 2}] [expr {($y0 + $y1) / 2}]]
}
proc pull {tag to} {
    variable graph
    lassign [middle $tag] x y
    event generate $graph <Button-1> -x $x -y $y
    event generate $graph <B1-Motion> -x [expr {($x + $to) / 2}] -y $y
    event generate $graph <B1-Motion> -x $to -y $y
    event generate $graph <ButtonRelease-1> -x $to -y $y
    update
}
proc type {key} {
    variable graph
    focus -force $graph
    update
    event generate $graph <$key>
    update
}
proc click_bin {number} {
    variable graph
    lassign [middle bar$number] x y
    event generate $graph <Motion> -x $x -y $y
    event generate $graph <Button-1> -x $x -y $y
    event generate $graph <ButtonRelease-1> -x $x -y $y
    sync
}
sync
lengths compute
set board $top.lengths
set graph $board.body.graph
set readout [$board.body.readout cget -textvariable]
update

# ---- Bins
lengths bins 200
is [$board.body.controls.count get] 200 "200 bins"
ok [catch {lengths bins many}] "a number of bins must be one"
$board.body.controls.slider set 20
update
is [$board.body.controls.count get] 20 "the slider for bins"
$board.body.controls.count delete 0 end
$board.body.controls.count insert 0 5
focus -force $board.body.controls.count
update
event generate $board.body.controls.count <Return>
update
set counts [lmap bin {0 1 2 3 4} {lindex [lengths bin $bin] 2}]
is [tcl::mathop::+ {*}$counts] [stat count] "five bins, typed, have all: $counts"
is [llength [$graph find withtag bar]] 5 "and are drawn"
set heights [lmap bin {0 1 2 3 4} {lassign [$graph coords bar$bin] x0 y0 x1 y1; expr {$y1 - $y0}}]
is [lsort -indices -real $heights] [lsort -indices -integer $counts] "the more, the higher"
lassign [middle bar2] x y
event generate $graph <Motion> -x $x -y $y
update
like [set $readout] "^278 us . 325.2 us:   [lindex $counts 2] .*total" "the bin under the pointer is told"
set edges [lmap bin {0 1 2 3} {lindex [lengths bin $bin] 1}]
$board.body.controls.log invoke
update
set log_edges [lmap bin {0 1 2 3} {lindex [lengths bin $bin] 1}]
ok [expr {[lindex $log_edges 0] < [lindex $edges 0] && [lindex $log_edges 3] < [lindex $edges 3]}] "logarithmic bins are narrower at first"
ok [expr {abs(double([lindex $log_edges 1]) / [lindex $log_edges 0] - double([lindex $log_edges 3]) / [lindex $log_edges 2]) < 0.001}] \
    "each as much wider"
$board.body.controls.log invoke
update

# ---- The range
set all [stat count]
lassign [middle low] from
lassign [middle high] to
pull low [expr {($from + $to) / 2}]
ok [expr {abs([stat min] - 302000) < 5000 && [stat count] < $all && [stat max] == 419621}] "the lower handle: [lengths stats]"
ok [expr {abs([lindex [lengths bin 0] 0] - 301600) < 2000}] "the bars are of that range: [lengths bin 0]"
pull high [expr {$from + ($to - $from) * 3 / 4}]
ok [expr {abs([stat max] - 360600) < 5000}] "the upper handle: [stat max]"
set before [list [stat min] [stat max]]
lassign [middle chosen] x
pull chosen [expr {$x - 60}]
ok [expr {[stat min] < [lindex $before 0] && [stat max] < [lindex $before 1]}] "both, by what is between them"
pull high 0
is [lindex [lengths bin 0] 1] [expr {[lindex [lengths bin 0] 0] + 1}] "the upper one stops at the lower one: [lengths bin 0]"
type Home
is [stat count] $all "Home: all lengths"
lengths range 200us 300us
ok [expr {[stat min] >= 200000 && [stat max] <= 300000}] "the word for it"
zoom 0 10ms
lengths stats
is [lindex [lengths bin 0] 0] 200000 "the range stays when the window moves"
type Home
fit
lengths stats

# ---- Going there
zoom 0 0.3ms
after 300
lengths of whole
lengths bins 5
click_bin 4
lassign [window] t0 t1
ok [expr {$t1 - $t0 < 0.01}] "a click on a bar goes to its longest: [window]"
is [$board.body.controls.scope get] "Whole log" "the histogram stays as it is"
is [stat count] $all "with all that it had"
ok [expr {[$plot find withtag choice] ne {}}] "it is framed"
like [set $readout] "shown: longest number 1" "and told"
set first [window]
click_bin 4
like [set $readout] "shown: longest number 2" "the next click: the next longest"
ok [expr {[window] ne $first}] "elsewhere"
type Left
type Return
like [set $readout] "shown: longest number 1" "keys: the bin before, Return shows its longest"
lengths of window
click_bin 2
is [$board.body.controls.scope get] "Kept time" "the histogram of a window stays when a click goes elsewhere"
lengths save lengths.png
set shot [image create photo -file lengths.png]
is [image width $shot] [winfo width $board] "a picture of it"
lengths save lengths.svg
set in [::open lengths.svg]
set svg [read $in]
::close $in
is [regexp -all {<rect x=} $svg] [llength [$graph find withtag bar]] "and as SVG: a rectangle for each bar"
like $svg {>compute: count 6, total 1.82 ms, average} "with the numbers"

# ---- Stopping
lengths of whole
set before [lengths stats]
set part [[lindex [info class instances ::pith::Window] 0] part Lengths]
$part compute
$board.body.progress.stop invoke
is [set [$board.body.progress.said cget -textvariable]] stopped "a job can be stopped"
after 200
update
is [set [$board.body.progress.said cget -textvariable]] stopped "and says no more"
is [lengths stats] $before "what was there stays"
$part compute
$part close
after 200
update
ok [expr {![winfo exists $board]}] "closed while it computes"
done
