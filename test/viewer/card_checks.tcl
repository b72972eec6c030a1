# card_checks.tcl - the card of a clicked record, by real clicks and keys, at the scale ::env(SCALE). The log is that of
# test_card.sh.
source [file join [file dirname [info script]] window_tap.tcl]

# A click on a time of a row; returns the texts of the card.
proc click {seconds row {part 0.5}} {
    variable plot
    set y [expr {int(($row + $part) * [row_height])}]
    foreach event {Motion Button-1 ButtonRelease-1} {
        event generate $plot <$event> -x [x_of $seconds] -y $y
    }
    sync
    return [card]
}
proc card {} {
    variable top
    lmap label [lsearch -all -inline -regexp [winfo children $top.card] {\.[vw]\d+$}] {$label cget -text}
}
proc line_of {word card} {
    foreach {name value} $card {
        if {$name eq $word} {
            return $value
        }
    }
}
proc chosen_name {} { dict get [lrange [chosen] 0 1] {} }

prefer scale $::env(SCALE)
sync
[lindex [info class instances ::pith::Flames] 0] flush

# ---- The place in the program. The events of the recorder are neither drawn nor hit.
foreach {seconds row part name} {
    0.201 0 0.3 MPI_Waitall  0.201 0 0.5 MPI_Waitall  0.4 0 0.3 MPI_Waitall  0.701 1 0.1 MPI_Allreduce
} {
    is [lrange [click $seconds $row $part] 0 1] [list {} $name] "a click on $name at $seconds s, $part of the row, selects it"
}
set card [click 0.4 0]
is [line_of called $card] "in exchange_halo (heat2d.c:89)" "its card has the function and the line of the call"
is [line_of called [click 0.8 1]] "in main (heat2d.c:128)" "that of MPI_Allreduce, too"
is [line_of called [click 0.65 0]] "in exchange_halo (heat2d.c:89)" "that of a call whose site was recorded at its end"
is [line_of called [click 0.61 0]] {} "not a state around it that ends later"
is [line_of called [click 0.16 0]] {} "a state around calls has none of its own"
# ---- Messages, from both ends, and the arrows of the chosen call
proc lit {} {
    variable plot
    lsort [lmap item [$plot find withtag choice] {
        if {[$plot type $item] ne "line" || [$plot itemcget $item -arrow] ne "last"} continue
        lmap {x y} [$plot coords $item] {list [expr {round(100 * [time_of $x])}] [expr {int($y / [row_height])}]}
    }]
}
proc time_of {x} {
    variable plot
    lassign [window] t0 t1
    expr {$t0 + ($t1 - $t0) * $x / [winfo width $plot]}
}
set card [click 0.4 0]
is [lmap {name value} $card {expr {$name eq "received" ? $value : [continue]}}] \
    [list "4\u2009096 bytes from rank 1, tag 7, took 280 ms" "16 bytes from rank 2, tag 9, took 180 ms"] \
    "MPI_Waitall: what it received"
is [lit] {{{31 1} {59 0}} {{41 2} {59 0}}} "both arrows are lit"
is [line_of sent [click 0.33 1]] "4\u2009096 bytes to rank 0, tag 7, took 280 ms" "MPI_Isend: what it sent"
is [lit] {{{31 1} {59 0}}} "its arrow is lit"
is [line_of received [click 0.63 0]] "100 bytes from rank 2, tag 3, took 160 ms" "MPI_Recv"
is [line_of received [click 0.16 0]] {} "a state around calls has none"
is [lit] {} "and no arrow"

# ---- The place of the card: all of it in the window, and not over the bar that it explains
proc box {widget} {
    list [winfo rootx $widget] [winfo rooty $widget] [expr {[winfo rootx $widget] + [winfo width $widget]}] \
        [expr {[winfo rooty $widget] + [winfo height $widget]}]
}
proc bar {} { # of the chosen state, as its frame shows it
    variable plot
    lassign [$plot coords [lindex [$plot find withtag choice] 0]] x0 y0 x1 y1
    lmap place [list $x0 $y0 $x1 $y1] from {x y x y} {expr {round($place) + [winfo root$from $plot]}}
}
proc overlap {a b} {
    lassign [concat $a $b] x0 y0 x1 y1 X0 Y0 X1 Y1
    expr {$x0 < $X1 && $X0 < $x1 && $y0 < $Y1 && $Y0 < $y1}
}
foreach {seconds row} {0.4 0 0.33 1 0.8 1 0.8 2 0.42 2 0.97 0 0.05 2} {
    click $seconds $row
    update
    lassign [box $top.card] x0 y0 x1 y1
    lassign [box $top] X0 Y0 X1 Y1
    is [list [expr {$x0 >= $X0 && $y0 >= $Y0 && $x1 <= $X1 && $y1 <= $Y1}] [overlap [box $top.card] [bar]]] {1 0} \
        "the card at $seconds s of row $row is in the window, beside its bar"
}
foreach {key what} {plus "a zoom" Right "a move" U "an unfolded row"} {
    zoom 0.1 0.9
    click 0.4 0
    focus -force $plot
    update
    event generate $plot <Key-$key>
    sync
    ok [expr {![winfo exists $top.card]}] "$what closes the card"
}
fit
fold_rows
sync

# ---- j
click 0.63 0
press_key j
is [list [chosen_name] [lindex [chosen] 3]] {MPI_Send {rank 2}} "j: from MPI_Recv to its sender"
is [lit] {{{51 2} {67 0}}} "whose arrow is lit"
press_key j
is [list [chosen_name] [lindex [chosen] 3]] {MPI_Recv {rank 0}} "and back"
click 0.4 0
press_key j
is [list [chosen_name] [line_of from [chosen]]] {MPI_Send {400 ms}} "from MPI_Waitall to the message that was sent last"
press_key j
is [chosen_name] MPI_Waitall "and back"
click 0.33 1
press_key j
is [chosen_name] MPI_Waitall "from MPI_Isend to the call that received"
click 0.16 0
press_key j
like [status] "no message" "a state without messages says so"

# ---- Members of a collective
waits on
sync
set card [click 0.72 1]
is [lmap name {members moved first last} {line_of $name $card}] \
    {{3 of MPI_COMM_WORLD} {8 bytes sent, 8 received} {this call} {rank 0, 200 ms after this call}} \
    "a member of MPI_Allreduce"
press_key j
is [lindex [chosen] 3] "rank 0" "j: to the member that began last"
press_key j
is [lindex [chosen] 3] "rank 1" "and back"
is [line_of first [click 0.91 0]] "rank 1, 200 ms before this call" "the last member"
press_key j
is [lindex [chosen] 3] "rank 1" "j: to the first"
done
