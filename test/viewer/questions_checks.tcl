# questions_checks.tcl - the seven questions of the tour, each with two clicks at most of a real pointer; runs in a window
# that opens as for a user. The environment has what the commands say: ANSWER, ITERATIONS ("COUNT MEDIAN_NS SLOW OUTLIER",
# or "0"), WAIT ("STATE RANK CAUSE FROM TO BYTES" of the longest wait for a late sender, whose message has so many bytes;
# {}: none), and FUNCTION (dict: `called`, in the card of that call; `most`, the first function of the call tree).

source [file join [file dirname [info script]] window_tap.tcl]
source [file join [file dirname [info script]] hands.tcl]

set window [lindex [info class instances ::pith::Window] 0]
set book $top.panes.panel.book
[$window part Waiting] wait_for
sync
update
# Clicks on a tab by its title.
proc click_tab {title} {
    variable book
    set place [lsearch -exact [lmap tab [$book tabs] {$book tab $tab -text}] $title]
    for {set x 4} {$x < [winfo width $book] && [$book index @$x,8] ne $place} {incr x 4} {}
    hand [onto $book [expr {$x + 6}] 8] "click 1"
    sync
    update
}
proc lines {tree {item {}}} { concat {*}[lmap child [$tree children $item] {list $child {*}[lines $tree $child]}] }
proc click_line {tree item} {
    $tree see $item
    update
    lassign [$tree bbox $item #0] x y width height
    hand [onto $tree [expr {$x + 60}] [expr {$y + $height / 2}]] "click 1"
    sync
    update
}

# ---- Which rank is slow?
set answer [regsub -all {`([^`]*)`} $::env(ANSWER) "\u201c\\1\u201d"]
ok [winfo ismapped $top.answer] "the answer stands above the timelines, without a click"
# (The command also names the call's function and line, for which it reads the program.)
set said [set [$top.answer.text cget -textvariable]]
is $said [string range $answer 0 [string length $said]-1] "as pith analyze --answer: $answer"
ok [expr {$said ne {}}] "which is not empty"
set before [window]
hand [onto $top.answer.show] "click 1"
sync
ok [expr {[window] ne $before || [$plot find withtag choice] ne {}}] "one click on \"Show me\" goes there: [window]"
if {[regexp {^Rank (\d+)} $answer - slow] && [$plot find withtag choice] ne {}} {
    is [dict get [[$window choice] thing] hit rank] $slow "and frames a state of rank $slow"
}

# ---- Why?
fit
click_tab Findings
set list $top.panes.findings.tree
set said $top.panes.findings.said.text
ok [winfo ismapped $list] "one click: the findings"
click_line $list [lindex [$list children {}] 0]
like [$said get 1.0 end] {rank|share} "two clicks: what the first one is: [lindex [split [$said get 1.0 end] \n] 0]"

# ---- Which message is late, from whom, how big?
lassign $::env(WAIT) state rank cause from to bytes
if {$state ne {}} {
    set late [lsearch -all -inline -regexp [lmap item [lines $list] {list $item [$list item $item -text]}] "late sender +$state"]
    click_line $list [lindex $late 0 0]
    set hit [dict get [[$window choice] thing] hit]
    is [list [dict get $hit name] [dict get $hit rank] [expr {[dict get $hit start] <= $from && [dict get $hit end] >= $to}]] \
        [list $state $rank 1] "Findings, \"late sender\": the longest wait is chosen"
    like [status] "waits .* for rank $cause: late sender" "and said with the rank that it waits for"
    ok [expr {[lsearch -regexp [lmap item [$plot find withtag choice] {$plot type $item}] line] >= 0}] "the arrow of its message is lit"
    zoom [expr {($from - ($to - $from)) / 1e9}] [expr {($to + ($to - $from)) / 1e9}]
    set row [[$window model] row_of $rank 0]
    hand [onto $plot [x_of [expr {($from + $to) / 2e9}]] [expr {round(($row + 0.5) * [row_height])}]] "click 1"
    sync
    update
    set texts [lmap label [lsearch -all -inline -regexp [winfo children $top.card] {\.[vw]\d+$}] {string map {\u2009 {}} [$label cget -text]}]
    ok [expr {[lsearch -regexp $texts "^$bytes bytes from rank $cause,"] >= 0}] "one click on a waiting call: $bytes bytes from rank $cause"
}

# ---- In which function?
if {[dict exists [dict create {*}$::env(FUNCTION)] called]} {
    ok [expr {[lsearch -exact $texts [dict get $::env(FUNCTION) called]] >= 0}] "in its card: [dict get $::env(FUNCTION) called]"
}
if {[dict exists [dict create {*}$::env(FUNCTION)] most]} {
    fit
    click_tab "Call tree"
    calltree
    set tree $top.calltree.body.table.tree
    is [string trim [$tree item [lindex [lines $tree] 0] -text]] [dict get $::env(FUNCTION) most] "one click: the tree of functions"
}

# ---- How long is an iteration, and which is the outlier?
fit
click_tab Iterations
lassign $::env(ITERATIONS) count median slow longest
set page $top.stack.body
sync
update
if {$count} {
    like [set [$page.controls.summary cget -textvariable]] "^[::pithtk::number $count], [::pithtk::duration $median] each, *$slow slow$" "one click: their length"
    hand [onto $page.controls.order 10] "click 1"
    sync
    if {$longest ne {}} {
        is [lindex [stack order] 0] $longest "two clicks: the outlier on top"
    }
} else {
    like [set [$page.controls.summary cget -textvariable]] "^none found" "there are none, and it is said"
}
done
