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
    variable plot
    lmap label [lsearch -all -inline -regexp [winfo children $plot.card] {\.[vw]\d+$}] {$label cget -text}
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
is [line_of called [click 0.16 0]] {} "a state around calls has none of its own"
done
