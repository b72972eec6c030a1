# rows_checks.tcl - the tree of rows, by commands and by real events; runs in a window of the log "hosts" of make_log.

source [file join [file dirname [info script]] window_tap.tcl]

set labels [labels]
set tools [winfo parent $plot].rowtools

# The labels as they are seen, each with so many dots before it as it is deep.
proc seen {{from 0} {to end}} {
    return [lrange [lmap row [row_list] {string cat [string repeat . [lindex $row 0]] [lindex $row 2]}] $from $to]
}
proc seen_like {pattern} {
    return [lsearch -all -inline -regexp [seen] $pattern]
}
proc row_of {label} {
    return [lsearch -exact [lmap row [row_list] {lindex $row 2}] $label]
}
proc y_of {label {part 0.5}} {
    return [expr {int(([row_of $label] + $part) * [height])}]
}
proc x_of_triangle {label} {
    return [expr {8 + 13 * [lindex [row_list] [row_of $label] 0] + 4}]
}
proc click {x y args} {
    variable labels
    foreach event {Button-1 ButtonRelease-1} {
        event generate $labels <[join [list {*}$args $event] -]> -x $x -y $y
    }
    sync
}
# Down at one place, and over to another; `during` is run before the button is let go.
proc drag {from to {during {}} {x 60}} {
    variable labels
    event generate $labels <Button-1> -x $x -y $from
    event generate $labels <B1-Motion> -x $x -y [expr {$from + 6}]
    event generate $labels <B1-Motion> -x $x -y $to
    set seen [uplevel 1 $during]
    event generate $labels <ButtonRelease-1> -x $x -y $to
    sync
    return $seen
}
proc middle_of {label seconds} {
    return [colour $seconds [row_of $label]]
}
sync
panel beside ;# all of the height for the rows
wm geometry $top 1000x760
update
height 24
sync

# ---- The tree
is [llength [seen]] 24 "all rows at first: hosts, ranks, threads, counters"
is [seen 0 6] {alpha {.rank 0} {..load [tasks]} ..queue {..0.1 worker} {.rank 1} {..load [tasks]}} "as they lie in each other"
is [lindex [row_list] 0] {0 group alpha {4 ranks}} "a host tells how many ranks it has"
is [middle_of {rank 1} 0.15] 2a9d5c "rank 1 works at 0.15 s"
is [middle_of alpha 0.15] ffffff "the row of an open host is blank"
set texts [lmap item [$labels find withtag label] {$labels itemcget $item -text}]
is [lsort $texts] [lsort [lmap row [row_list] {lindex $row 2}]] "each row has its label"
is [llength [$labels find withtag triangle]] 11 "what has rows below it has a triangle"
click [x_of_triangle beta] [y_of beta]
is [seen_like {^beta|4|5|gamma}] {beta gamma} "a click on its triangle closes a host"
is [middle_of beta 0.25] c98a1b "then its row is what most of its lanes do: three of five help"
like [point 0.25 [row_of beta]] {^help   on rank 4 thread 1 .* in 3 of 5 lanes of this row$} "and that is told"
click [x_of_triangle beta] [y_of beta]
is [seen_like {^beta|4|5|gamma}] {beta {.rank 4} {..4.1 worker} {.rank 5} {..5.1 worker} {..5.2 worker} gamma} "another one opens it"
click [x_of_triangle {rank 5}] [y_of {rank 5}]
is [lindex [row_list] [row_of {rank 5}]] {1 states {rank 5} {3 threads}} "a rank closed: its threads are counted"
set y [y_of gamma]
click 60 $y
click 60 $y
is [seen_like {6|7}] {} "a double click on a label closes as well"
expand
is [llength [seen]] 24 "expand: all are open"
collapse
is [seen] {alpha beta gamma} "collapse: hosts only"
level 1
is [llength [seen]] 11 "level 1: their ranks"
expand beta
press_key E
is [seen] {alpha beta gamma} "the key E: all closed"
press_key e
is [llength [seen]] 24 "the key e: all open"
collapse 1-3,gamma
is [llength [seen]] 17 "collapse: ranks and hosts by name"
expand

click 60 [y_of beta]
press_key less
is [seen_like {^beta|4|5|gamma}] {beta gamma} "the key <: the group chosen is closed"
press_key greater
is [llength [seen_like {^beta|4|5|gamma}]] 7 "the key >: and opened"
click 60 [y_of {5.2 worker}]
press_key less
is [seen_like {5}] {{.rank 5}} "where there is nothing to close, the group around it"
expand

# ---- Grouping
group none
is [seen 0 4] {{rank 0} {.load [tasks]} .queue {0.1 worker} {rank 1}} "one list: lanes with their counters"
is [lindex [row_list] 0 3] alpha "each with its host"
press_key G
is [lindex [rowstate] 1] alike "the key G: by likeness"
press_key G
is [lindex [rowstate] 1] host "by host"
press_key G
collapse
is [row_list] {{0 group MPI_COMM_WORLD {8 ranks}} {0 group even {4 ranks}} {0 group odd {4 ranks}}} "and by communicator"
expand odd
is [seen_like rank] {{.rank 1} {.rank 3} {.rank 5} {.rank 7}} "its members"
group host
ok [catch {group planets}] "another grouping is refused"

# ---- Filter
rows beta
is [seen_like {^\.?[a-z]}] {beta {.rank 4} {.rank 5}} "rows: a host by its name"
rows 0-1,5.1
is [seen] {alpha {.rank 0} {..load [tasks]} ..queue {..0.1 worker} {.rank 1} {..load [tasks]} beta {.5.1 worker}} "ranks and threads"
is [lindex [row_list] 0 3] {2 of 4 ranks} "the group tells how many of its ranks"
ok [catch {rows nothing}] "what fits no row is refused"
rows
event generate $tools.filter <FocusIn>
focus -force $tools.filter
foreach key {w o r k e} {
    event generate $tools.filter <Key> -keysym $key
}
event generate $tools.filter <KeyRelease> -keysym e
after 300
sync
is [seen_like worker] {{.0.1 worker} {.4.1 worker} {.5.1 worker} {.5.2 worker}} "typed into the filter: threads by name"
is [llength [seen_like rank]] 0 "and no other"
event generate $tools.filter <Key> -keysym z
event generate $tools.filter <KeyRelease> -keysym z
after 300
sync
is [llength [seen_like worker]] 4 "what fits nothing leaves the rows"
is [$tools.filter cget -foreground] [::pith::theme::colour alarm] "and is shown in another colour"
event generate $tools.filter <Escape>
sync
is "[llength [seen]] [$tools.filter get]" "24 " "Escape: all rows"
press_key F
is [focus] $tools.filter "the key F: into the filter"
focus -force $plot

# ---- Moving
level 1
set said [drag [y_of {rank 0}] [y_of {rank 2} 0.8] {llength [$labels find withtag drop]}]
is $said 1 "while a label is dragged, a line shows where it goes"
is [seen_like rank] {{.rank 1} {.rank 2} {.rank 0} {.rank 3} {.rank 4} {.rank 5} {.rank 6} {.rank 7}} "there it goes"
is [middle_of {rank 2} 0.25] 2a9d5c "the time lines go with it"
ok [expr {[$labels find withtag drop] eq {}}] "the line goes"
set said [drag [y_of {rank 0}] [y_of {rank 5}] {llength [$labels find withtag drop]}]
is $said 0 "over another host there is no place for it"
is [seen_like rank] {{.rank 1} {.rank 2} {.rank 0} {.rank 3} {.rank 4} {.rank 5} {.rank 6} {.rank 7}} "and it stays"
drag [y_of gamma] [y_of {rank 1}]
is [seen_like {^[a-z]}] {gamma alpha beta} "a host goes with all that is in it"
move_rows gamma behind beta
move_rows 0 before 1
is [seen_like {rank|^[a-z]}] {alpha {.rank 0} {.rank 1} {.rank 2} {.rank 3} beta {.rank 4} {.rank 5} gamma {.rank 6} {.rank 7}} "move_rows: back"
ok [catch {move_rows 0 before 7}] "not into another host"
click 60 [y_of {rank 1}]
click 60 [y_of {rank 2}] Shift
drag [y_of {rank 2}] [y_of {rank 3} 0.9]
is [seen_like rank] {{.rank 0} {.rank 3} {.rank 1} {.rank 2} {.rank 4} {.rank 5} {.rank 6} {.rank 7}} "Shift-click chooses several, dragged together"
click 60 [y_of {rank 3}]
press_key Control-x
is [seen_like {rank [0-3]}] {{.rank 0} {.rank 1} {.rank 2}} "Ctrl-x takes a row away"
click 60 [y_of {rank 0}]
press_key Control-v
is [seen_like {rank [0-3]}] {{.rank 3} {.rank 0} {.rank 1} {.rank 2}} "Ctrl-v puts it above the one chosen"

# ---- Hiding
click 60 [y_of {rank 0}]
click 60 [y_of {rank 4}] Control
press_key Delete
is [seen_like rank] {{.rank 3} {.rank 1} {.rank 2} {.rank 5} {.rank 6} {.rank 7}} "Delete hides the rows chosen"
hide_rows gamma
is [seen_like {^g}] {} "hide_rows: a host"
only_rows 5
is [seen_like {rank|^[a-z]}] {beta {.rank 5}} "only_rows: a rank in its host"
show_rows
hide_rows 0,4,gamma
event generate $labels <Button-3> -x 60 -y [y_of {rank 1}]
update
set menu $labels.menu
ok [winfo ismapped $menu] "the third button: a menu"
set entries {}
for {set i 0} {$i <= [$menu index end]} {incr i} {
    lappend entries [expr {[$menu type $i] eq "separator" ? "-" : [$menu entrycget $i -label]}]
}
ok [expr {"Show hidden rows (3)" in $entries && "Pin to the top" in $entries}] "it tells how many are hidden: $entries"
$menu invoke [lsearch $entries "Show hidden rows*"]
event generate $menu <Escape>
sync
is [llength [seen_like rank]] 8 "and shows them"

# ---- Pinned rows
sort rank
expand
pin 7
is [seen 0 3] {{rank 7} {.load [tasks]} alpha {.rank 0}} "a pinned row is the first, with what is in it"
height 60
top 6
sync
is [colour 0.75 0] 2a9d5c "scrolled, it stays on top"
is [colour 0.25 3] 2a9d5c "below it the rows scrolled to: rank 2"
like [point 0.75 0] {on rank 7} "what is told of is what is seen"
like [point 0.15 3] {on rank 2} "also of the row below"
event generate $labels <Motion> -x 60 -y 30
sync
lassign [$labels coords rowmark] x0 y0 x1 y1
is [list $y0 $y1] {0.0 59.0} "the row under the pointer is marked"
is [llength [$plot find withtag rowmark]] 2 "and in the time lines"
height 24
top 0
click 60 [y_of {rank 7}]
press_key P
is [lindex [seen] end-1] {.rank 7} "the key P: back in its place"

# ---- Sorting
level 1
group none
rows 0-7
collapse
sort self work
is [seen] {{rank 7} {rank 6} {rank 5} {rank 4} {rank 3} {rank 2} {rank 1} {rank 0} {0.1 worker} {4.1 worker} {5.1 worker} {5.2 worker}} \
    "sort: by the time of a state"
sort mpi
is [seen 0 2] {{rank 0} {rank 1} {rank 2}} "by the time in MPI"
sort mpi rising
is [seen 4 5] {{rank 7} {rank 6}} "the least first"
sort messages
is [seen 0 0] {{rank 7}} "by messages: rank 7 sends them all"
sort bytes rising
is [lindex [seen] end] {rank 7} "by bytes"
is [lindex [seen] end-1] {rank 6} "and rank 6 gets most"
zoom 0.1 0.15
sort self work
is [lindex [seen] end] {5.2 worker} "by what is in the window"
ok [expr {[row_of {rank 0}] > 6}] "of which rank 0 has nothing"
fit
sort name
is [seen 0 3] {{0.1 worker} {4.1 worker} {5.1 worker} {5.2 worker}} "by name"
sort rank falling
is [seen 0 1] {{rank 7} {rank 6}} "by rank, falling"
group host
sort share MPI_Barrier
is [seen_like {^[a-z]}] {alpha gamma beta} "groups by their share"
ok [catch {sort exclusive}] "of which state? has to be said"
ok [catch {sort beauty}] "no such figure"
rows
sort rank

# ---- Width, height
set was [winfo width $labels]
event generate $labels <Button-1> -x [expr {$was - 2}] -y 60
event generate $labels <B1-Motion> -x [expr {$was + 58}] -y 60
event generate $labels <ButtonRelease-1> -x [expr {$was + 58}] -y 60
sync
is [winfo width $labels] [expr {$was + 60}] "the edge of the labels can be dragged"
event generate $labels <Button-1> -x [expr {$was + 58}] -y 60
event generate $labels <B1-Motion> -x 60 -y 60
event generate $labels <ButtonRelease-1> -x 60 -y 60
sync
set item [lindex [$labels find withtag label] 1]
like [$labels itemcget $item -text] "\u2026$" "what has no room is cut: [$labels itemcget $item -text]"
for {set try 0} {$try < 10 && ![winfo exists $top.tip]} {incr try} { # other events hide it
    event generate $labels <Motion> -x 20 -y 30
    after 500
    update
}
ok [expr {[winfo exists $top.tip] && [$top.tip cget -text] eq "rank 0  "}] "and told in full under the pointer"
event generate $labels <Leave>
ok [expr {![winfo exists $top.tip]}] "until it leaves"
click 58 60
click 58 60
ok [expr {[winfo width $labels] > 100}] "a double click on the edge: as wide as is needed"
set before [height]
event generate $plot <Alt-Button-4> -x 10 -y 10
sync
ok [expr {[height] > $before}] "Alt-wheel makes rows higher"
$tools.height set 3.0
sync
is [height] 20 "the slider too"

# ---- The row under the pointer stays there, whatever is rounded
proc row_under {y} {
    variable its_model
    return [$its_model row_on [$its_model line_at $y]]
}
set its_model [lindex [info class instances ::pith::Model] 0]
set middle [lindex [info class instances ::pith::Timeline] 0]
height 40
foreach y {95 131 199} {
    $middle scroll_to 6
    event generate $plot <Motion> -x 200 -y $y -warp 1
    sync
    set wanted [row_under $y]
    set got {}
    foreach key {bracketright bracketright bracketright bracketleft bracketleft bracketright bracketright} {
        press_key $key
        lappend got [row_under $y]
    }
    is $got [lrepeat 7 $wanted] "row $wanted stays under the pointer while rows get higher and lower"
    height 40
}
$middle scroll_to 0
event generate $plot <Motion> -x 10 -y 10 -warp 1

# ---- Rows too low to be seen alone
height 0.3
sync
set this [lindex [info class instances ::pith::Window] 0]
set details [$this details]
set what [$details what_is_at [x_of 1.5] 1]
is [dict get $what kind] group "of rows that are lines together, the group is told"
like [dict get $what lines] {^\{\} \{ranks? [0-9]+( to [0-9]+)?\} of \{[0-9]+ lanes?\} MPI_Barrier} "its ranks and its mix: [dict get $what lines]"
set shares [dict get $what hit mix]
ok [expr {abs([lindex $shares 1] + ([llength $shares] > 2 ? [lindex $shares 3] : 0) - 1) < 0.001}] "which comes to all of its time"
event generate $plot <Motion> -x [x_of 1.5] -y 1
event generate $plot <Button-1> -x [x_of 1.5] -y 1
event generate $plot <ButtonRelease-1> -x [x_of 1.5] -y 1
sync
ok [winfo exists $top.card] "a click opens its card"
is [[$this choice] thing] {} "and chooses nothing"
foreach key {o j h period Control-Down} {
    press_key $key
}
ok 1 "keys for what is chosen: no harm"
press_key Escape

# ---- The menus mark the current grouping and palette.
# The entries of a menu that are marked when it opens.
proc marked {name} {
    variable top
    set menu $top.menu.$name
    uplevel #0 [$menu cget -postcommand]
    set labels {}
    for {set i 0} {$i <= [$menu index end]} {incr i} {
        if {[$menu type $i] eq "checkbutton" && [set [$menu entrycget $i -variable]]} {
            lappend labels [$menu entrycget $i -label]
        }
    }
    return $labels
}
group comm
palette safe
is [list {*}[marked rows.group] {*}[lsearch -all -inline [marked view.colours] Colours*]] {{Group by communicator} {Colours for the colour-blind}} \
    "a grouping and a palette"
group none
palette log
is [list {*}[marked rows.group] {*}[lsearch -all -inline [marked view.colours] Colours*]] {{No groups} {Colours of the log}} "the others"
done
