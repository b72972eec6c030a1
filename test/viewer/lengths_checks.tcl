# lengths_checks.tcl - the histogram of lengths; runs in a window of the log "plain": blue lasts 500 ms twice, red 500 ms
# once, with green for 100 ms inside.

source [file join [file dirname [info script]] window_tap.tcl]

proc stat {key} {
    return [dict get [lengths stats] $key]
}
proc texts_of {path} {
    set texts {}
    foreach child [winfo children $path] {
        if {[winfo class $child] eq "TLabel"} {
            set name [$child cget -textvariable]
            lappend texts [expr {$name eq {} ? [$child cget -text] : [set $name]}]
        }
        lappend texts {*}[texts_of $child]
    }
    return $texts
}
sync
lengths blue
set board $top.lengths
set graph $board.body.graph
update
ok [winfo ismapped $board] "lengths NAME opens a window"
is [lengths stats] {count 2 total 1000000000 min 500000000 max 500000000 mean 500000000 median 500000000 p95 500000000 deviation 0} \
    "both instances of blue"
is [$board.body.numbers.vcount cget -text][$board.body.numbers.vmean cget -text] "2500 ms" "and it says so"
is [lengths bin 0] {500000000 500000001 2 1000000000} "lengths all alike: one bin"
$board.body.controls.state set red
event generate $board.body.controls.state <<ComboboxSelected>>
lengths bins 10
is [stat count],[stat total] 1,500000000 "red, chosen from the list"
lengths messages
is [stat count],[stat max] 1,200000000 "messages: from send to receive"
lengths sizes
is [stat count],[stat max] 1,1024 "sizes of messages: bytes"
is "[$board.body.numbers.vmax cget -text] [$board.body.numbers.tmax cget -text]" "1.024 kB Largest" "and it says so"

# ---- Following
zoom 0.6 0.7
lengths blue
is [stat count],[stat min] 2,500000000 "of the window: what reaches into it, with all its length"
zoom 0.8 0.9
lengths stats
update
after 400
lengths blue
is [stat count] 1 "the window moves: one blue is left"
rows 1
lengths blue
is [dict get [lengths stats] count] 0 "of the rows shown: none in rank 1"
lengths rows all
is [stat count] 1 "of all rows: one"
lengths rows shown
rows
lengths of whole
is [stat count] 2 "of the whole log"
lengths of selection
set after_none [set [$board.body.progress.said cget -textvariable]]
like $after_none "nothing is selected" "of the selection: there is none, and it is said"
select 0.1 0.3
lengths blue
is [stat count] 1 "of the selection"
select none
lengths of whole
fit

# ---- From the time lines
focus -force $board
update
event generate $board <Escape>
update
ok [expr {![winfo exists $board]}] "Escape closes it"
point 0.25 0
press_key l
lengths stats
is [$board.body.controls.state get] green "the key l: of the state under the pointer"


lengths sizes
event generate $graph <Motion> -x [expr {[winfo width $graph] / 2}] -y 1
update
event generate $graph <Leave>
update
like [texts_of $board] {each click shows its next largest message} "it says what a click does"
event generate $graph <Button-1> -x [expr {[winfo width $graph] / 2}] -y [expr {[winfo height $graph] / 2}]
sync
is [dict get [chosen] size] "1\u2009024 bytes" "of sizes: a click on a bar chooses the message"
choose 0.1 0

# ---- From menus: what they would run
set part [[lindex [info class instances ::pith::Window] 0] part Lengths]
$part open_items {group:none 0}
lengths stats
is [$board.body.controls.state get] red "of a state of the legend"

# ---- Another log in the window, as of a program that runs
lengths blue
matrix
matrix ranks 1 1
select 0.1 0.3
stats
set model [[lindex [info class instances ::pith::Window] 0] model]
$model replace [::pithtk::open rich.pith] 0
$model set_window {*}[$model whole]
$model set_selection [$model whole]
sync
like "[lengths stats]" {^count [1-9]} "another log: blue is not in it, but others"
lengths compute
is [stat count] 144 "its states are"
is [dict get [matrix pair 0 1] count] 24 "its messages"
matrix ranks
matrix save grown.png
ok [file exists grown.png] "and ranks"
like [dict get [stats] states] {compute 144 } "and sums"
done
