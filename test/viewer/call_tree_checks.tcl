# call_tree_checks.tcl - the call tree, with real events; runs in a window of the log of random_log.py, in the folder that
# has this log as random.pith.

source [file join [file dirname [info script]] window_tap.tcl]

wm geometry $top 1200x860
update
press_key C
is [tab] calltree "Shift-c: its tab"
set page $top.calltree.body
set tree $page.table.tree
calltree
# Lines of the table below an item: name and values.
proc lines {{item {}}} {
    variable tree
    return [lmap one [$tree children $item] {list [string trim [$tree item $one -text]] {*}[$tree item $one -values]}]
}
proc click_on {item {column #0} {x {}}} {
    variable tree
    $tree see $item
    update
    lassign [$tree bbox $item $column] left y width height
    if {$x eq {}} {
        set x [expr {$left + $width - 4}]
    }
    foreach event {Button-1 ButtonRelease-1} {
        event generate $tree <$event> -x $x -y [expr {$y + $height / 2}]
    }
    update
    sync
}
# What the command says of a part: {path total self count}... with times in ns.
proc said {args} {
    set text [exec pith stat random.pith --by statepath --csv {*}$args]
    return [lmap line [lrange [split $text \n] 1 end] {
        lassign [split $line ,] path self - total - count
        list $path [expr {round(1e9 * $total)}] [expr {round(1e9 * $self)}] $count
    }]
}
proc saved {} {
    calltree save saved.csv
    set channel [open saved.csv]
    set lines [lrange [split [string trim [read $channel]] \n] 1 end]
    close $channel
    return [lsort [lmap line $lines {
        lassign [split $line ,] path total self count
        list $path [expr {round(1e9 * $total)}] [expr {round(1e9 * $self)}] $count
    }]]
}
# The tree is as the command says; the lines that differ.
proc same {wanted what} {
    set got [saved]
    set odd [lsort [list {*}$got {*}$wanted]]
    is [lrange [lmap line $odd {expr {($line in $got) == ($line in $wanted) ? [continue] : $line}}] 0 3] {} $what
    ok [expr {[llength $got] == [llength $wanted]}] "$what: [llength $wanted] lines"
}
same [said] "top-down: the paths of pith stat --by statepath"
ok [expr {[llength [lines]] > 5}] "a line for each outermost state"
set totals [lmap line [lsort -integer -decreasing -index 1 [lsearch -all -inline -not -glob [said] *\;*]] {lindex $line 0}]
is [lmap line [lines] {lindex $line 0}] $totals "the longest first"
set units [lsort -unique [lmap line [lines] {lindex [lindex $line 1] end}]]
is [llength $units] 1 "times have one unit"

# ---- Branches are opened by a click on the triangle, and filled then
set item [lindex [$tree children {}] 2]
set name [string trim [$tree item $item -text]]
ok [expr {[llength [$tree children $item]] == 1 && [string trim [$tree item [lindex [$tree children $item] 0] -text]] eq {}}] \
    "a closed branch has no lines yet"
$tree see $item
update
lassign [$tree bbox $item #0] x y width height
for {set x 2} {$x < 40 && ![string match *indicator [$tree identify element $x [expr {$y + 8}]]]} {incr x} {}
click_on $item #0 $x
set inside [llength [lsearch -all -inline -regexp [said] "^\\{?[regsub -all {[][]} $name .];\[^;\]* "]]
is [llength [lines $item]] $inside "$name: a click on its triangle shows the states inside it"
is [hits] {} "and finds nothing"

# ---- A click finds the states
set line [lindex [lsearch -all -inline -not -glob [lines] *computing*] 0]
set name [lindex $line 0]
click_on [item_named $name]
set count [lindex $line 4]
is [hits] [string map {{ } {}} $count] "a click on a line finds its states: as many as its count"
like [status] $name "and chooses the first one"
set path [split [lindex [lsearch -inline -regexp [said] {^\{?state-.;state-.\}? }] 0] ";"]
set wanted 0
foreach line [said] {
    set other [split [lindex $line 0] ";"]
    if {[llength $other] == 2 && [lindex $other 1] eq [lindex $path 1]} {
        incr wanted [lindex $line 3]
    }
}
calltree find {*}$path
is [hits] $wanted "those inside another state: by their depth"

# ---- Bottom-up: totals and self times of a name are those of pith stat --by state
calltree up
set of_states {}
foreach line [lrange [split [exec pith stat random.pith --csv --state state-*] \n] 1 end] {
    lassign [split $line ,] name kind group n total self
    lappend of_states [list $name [expr {round(1e9 * $total)}] [expr {round(1e9 * $self)}] $n]
}
set up [saved]
is [lsearch -all -inline -not -glob [lsearch -all -inline -not -regexp $up {^\{?[^ ]*;}] *computing*] [lsort $of_states] \
    "bottom-up: a line for each state, with its times"
# The callers of a name have all of its self time but that of its outermost instances.
set wrong 0
foreach line [lsearch -all -inline -not -regexp $up {;}] {
    lassign $line name total self n
    set rest 0
    foreach one $up {
        if {[regexp "^[regsub -all {[][]} $name .];\[^;\]*$" [lindex $one 0]]} {
            incr rest [lindex $one 2]
        }
    }
    set outermost 0
    foreach one [said] {
        if {[lindex $one 0] eq $name} {
            set outermost [lindex $one 2]
        }
    }
    incr wrong [expr {$rest + $outermost != $self}]
}
is $wrong 0 "with its callers"
calltree down

# ---- Time and rows
rows 1
calltree of whole
calltree rows shown
same [said --lane 1] "the rows shown"
calltree rows all
same [said] "all rows"
rows {}
select 0.0005 0.0009
calltree of selection
same [said --from 0.0005 --to 0.0009] "the selection"
set before [window]
click_on [item_named [lindex [lines] 0 0]]
is [window] $before "a click does not move a window that has this time"
select none
calltree
like [set [$page.progress.said cget -textvariable]] {nothing is selected} "without a selection: said"
calltree close
select 0.0005 0.0009
calltree
same [said --from 0.0005 --to 0.0009] "opened anew: of the selection"
select none
zoom 0 0.001
calltree of window
lassign [window] from to
same [said --from $from --to $to] "of the time shown"
# The view moves: the tree of the view before stays, and looks so, until the new one is there.
set part [[lindex [info class instances ::pith::Window] 0] part CallTree]
set inside [info object namespace $part]
set before [lines]
zoom 0 0.0005
is [$tree cget -style],[set [$page.progress.said cget -textvariable]] "Former.Treeview,of the view before" "the view moves: it is said"
is [lines] $before "the tree of the view before stays"
ok [expr {[ttk::style lookup Former.Treeview -foreground] ne [ttk::style lookup Treeview -foreground]}] "and is grey"
$part compute
set running [set ${inside}::job]
ok [expr {$running ne {}}] "its program runs"
zoom 0 0.0004
is [set ${inside}::job] {} "the view moves again: the program is stopped at once"
is [lines] $before "and the tree stays"
calltree
lassign [window] from to
same [said --from $from --to $to] "then the tree of the view that is there"
is [$tree cget -style],[set [$page.progress.said cget -textvariable]] Treeview, "which is of this view"
set ${inside}::took_ms 1500
is [$part rest_ms 250] 1500 "a program that takes long waits longer for the view to rest"
set ${inside}::took_ms 60000
is [$part rest_ms 250] 2000 "two seconds at most"
foreach {words text} {{wings} {calltree: must be down, up, states, functions, of, rows, find NAME..., save FILE or close}
    {functions} {calltree: the log has no samples of functions; record them with pith run --sample}} {
    catch {calltree {*}$words} message
    is $message $text "refused: calltree $words"
}
ok [expr {![winfo ismapped $page.controls.what]}] "no choice of functions where there are none"
focus -force $tree
update
event generate $tree <Escape>
update
ok [expr {[tab] ne "calltree" && ![winfo exists $page]}] "Escape closes it"

# ---- Times of a column have one unit
foreach {times texts} {
    {4250000000 3000000 499999 0} {{4.250 s} {0.003 s} {<0.001 s} {0.000 s}}
    {999949999 1000000} {{999.9 ms} {1.0 ms}}
    {25000 7 49 0} {{25.00 us} {0.01 us} {0.05 us} {0.00 us}}
    {7 0} {{7 ns} {0 ns}}  {} {}  {4000000000000 600000000 400000000} {1:06:40 {1 s} {<1 s}}
} {
    is [::pith::board::times $times] $texts "times: $texts"
}
done
