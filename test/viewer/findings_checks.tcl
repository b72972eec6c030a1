# findings_checks.tcl - the list of findings stays where it is while one reads, whatever the scale; runs in a window of
# the log of test_findings.sh.

source [file join [file dirname [info script]] window_tap.tcl]
source [file join [file dirname [info script]] hands.tcl]

set pane $top.panes.findings
set list $pane.tree
wm geometry $top 1400x740+0+0
findings on
sync
sync
# All lines, as the list has them one below the other.
proc lines {{item {}}} {
    variable list
    return [concat {*}[lmap child [$list children $item] {list $child {*}[lines $child]}]]
}
proc titles {} {
    variable list
    return [lmap item [lines] {$list item $item -text}]
}
# Lines of which nothing is cut.
proc visible {} {
    variable list
    return [lmap item [lines] {
        lassign [$list bbox $item] x y width height
        if {$y eq {} || $y + $height > [winfo height $list] - 1} continue ;# its edge
        set item
    }]
}
proc place {} {
    variable list
    return "[winfo rootx $list] [winfo rooty $list] [winfo width $list] [winfo height $list]"
}
ok [expr {[llength [visible]] >= 3}] "at least three findings are visible: [llength [visible]] of [llength [lines]]"
is [lsort [titles]] [lsort -unique [titles]] "no two lines are equal: [join [titles] {, }]"
like [lsort [titles]] {load imbalance  alpha  .*load imbalance  beta  } "findings of one name say where"

set before [place]
set moved {}
set unseen {}
foreach item [visible] {
    lassign [$list bbox $item] x y width height
    hand [onto $list [expr {$x + 40}] [expr {$y + $height / 2}]] "click 1"
    sync
    if {[place] ne $before} {
        lappend moved $item
    }
    if {[$list identify item [expr {$x + 40}] [expr {$y + $height / 2}]] ne $item} {
        lappend unseen $item
    }
}
is "$moved $unseen" " " "a click explains a finding and leaves the list below the pointer as it is"
set unseen {}
like [$pane.said.text get 1.0 end] . "there is an explanation"
for {set i 0} {$i < [llength [lines]]} {incr i} {
    hand "key Down"
    sync
    if {[$list bbox [lindex [$list selection] 0]] eq {} || [place] ne $before} {
        lappend unseen $i
    }
}
is "[$list selection] $unseen" "[lindex [lines] end] " "Down: the chosen line is always visible, to the last"
set said [$pane.said.text get 1.0 end]
waits on
waits off
theme dark
theme light
sync
is "[$list selection] [expr {[$pane.said.text get 1.0 end] eq $said}]" "[lindex [lines] end] 1" \
    "other switches leave the chosen one"

# ---- The answer stands above the time lines
set strip $top.answer
ok [expr {[winfo ismapped $strip] && [winfo rooty $strip] + [winfo height $strip] <= [winfo rooty $plot]}] \
    "what costs most stands above the time lines"
set told [set [$strip.text cget -textvariable]]
is $told [exec pith analyze --answer log.pith] "in the words of pith analyze"
fit
sync
$strip.show invoke
sync
lassign [window] from to
is "$from $to" "0.340000000 0.960000000" "\"Show me\" goes to beta of rank 1, with half of its length around it, as far as that was analyzed"
is [answer] $told "the word answer says it, too"
findings off
sync
ok [expr {![winfo exists $strip]}] "it goes with the findings"
findings on
sync
ok [winfo ismapped $strip] "and comes with them"

# ---- Each word explains itself
wm geometry $top 1400x[expr {[winfo screenheight .] - 10}]+0+0
sync
sync
lassign [$list bbox [lindex [visible] 0] time] x y width height
like [tip_at $list [expr {$x + $width / 2}] 6] {^What it costs all ranks together: .* more than 100 %} "the heading of the costs says what they are"
like [tip_at $list [expr {$x + $width / 2}] [expr {$y + 5}]] {[a-z]+ [a-z]+ [a-z]+} "a finding says what it means"
set run $pane.run
lassign [$run bbox 0] x y width height
like [tip_at $run [expr {$x + $width / 2}] [expr {$y + 5}]] {[a-z]+ [a-z]+ [a-z]+} "so does an efficiency"
done
