# label_pointer.tcl - what the pointer does in the column of row labels: opens and closes groups, chooses rows, drags
# them to another place, drags the column's edge; its menu; labels that are cut are told in full.

oo::class create ::pith::LabelPointer {
    variable window model labels
    variable path       ;# the labels' canvas
    variable rows       ;# the part with the words (rows.tcl)
    variable drag       ;# dict of the drag under way: kind (sash, press, rows), x, y, nodes; {} none
    variable anchor     ;# node from which Shift chooses
    variable telling    ;# after id of the tip to come

    constructor {its_window its_rows} {
        set window $its_window
        set rows $its_rows
        set model [$window model]
        set labels [[$window timeline] labels]
        set path [$labels path]
        set drag {}
        set anchor {}
        set telling {}
        set me [self]
        bind $path <Motion> [list $me moved %x %y]
        bind $path <Leave> [list $me left]
        bind $path <Button-1> [list $me press %x %y {}]
        bind $path <Control-Button-1> [list $me press %x %y add]
        bind $path <Shift-Button-1> [list $me press %x %y range]
        bind $path <B1-Motion> [list $me dragged %x %y]
        bind $path <ButtonRelease-1> [list $me release %x %y]
        bind $path <Double-Button-1> [list $me double %x %y]
        bind $path <Button-3> [list $me menu %x %y %X %Y]
    }

    destructor {
        after cancel $telling
    }

    # ---- Where the pointer is

    method row_at {y} { return [[$window timeline] row_at $y] }
    method on_sash {x} { expr {$x >= [$labels width] - 5} }

    method on_triangle {x row} {
        set left [$labels indent $row]
        expr {[dict get $row children] && $x >= $left - 4 && $x < $left + [::pith::theme::px 13]}
    }

    method moved {x y} {
        $path configure -cursor [expr {[my on_sash $x] ? "sb_h_double_arrow" : {}}]
        $labels hover [my row_at $y]
        my tell_soon $x $y
    }

    method left {} {
        my untell
        $labels hover -1
    }

    # ---- Labels in full

    method untell {} {
        after cancel $telling
        destroy [winfo toplevel $path].rowtip
    }

    method tell_soon {x y} {
        my untell
        set telling [after 400 [namespace code [list my tell $x $y]]]
    }

    method tell {x y} {
        set text [$labels whole [$model line_at $y]]
        if {$text eq {} || ![winfo exists $path]} {
            return
        }
        set top [winfo toplevel $path]
        set tip [ttk::label $top.rowtip -text $text -style Card.TLabel -relief solid -borderwidth 1 -padding {6 3}]
        place $tip -x [expr {[winfo rootx $path] - [winfo rootx $top] + $x + 12}] \
            -y [expr {[winfo rooty $path] - [winfo rooty $top] + $y + 14}]
        raise $tip
    }

    # ---- Press, drag, release

    method press {x y how} {
        my untell
        focus [[$window timeline] plot]
        if {[my on_sash $x]} {
            set drag [dict create kind sash x [expr {$x - [$labels width]}]]
            return
        }
        set number [my row_at $y]
        if {$number < 0} {
            $labels choose {}
            return
        }
        set row [$model row $number]
        if {[my on_triangle $x $row]} {
            $model arrange open [list [dict get $row node]] [expr {![dict get $row open]}]
            return
        }
        my choose $row $number $how
        set drag [dict create kind press x $x y $y node [dict get $row node] how $how]
    }

    # What is chosen already stays so until it is clear that it is not dragged.
    method choose {row number how} {
        set node [dict get $row node]
        set nodes [$labels chosen]
        switch $how {
            add {
                if {$node in $nodes} {
                    set nodes [lsearch -all -inline -not -exact $nodes $node]
                } else {
                    lappend nodes $node
                }
            }
            range {
                set from [expr {$anchor ni $nodes ? $number : [$model tree row $anchor]}]
                if {$from >= 0} {
                    set nodes [lmap one [$model rows [expr {min($from, $number)}] [expr {max($from, $number)}]] {
                        dict get $one node
                    }]
                }
            }
            default {
                if {$node ni $nodes} {
                    set nodes [list $node]
                }
            }
        }
        if {$how ne "range"} {
            set anchor $node
        }
        $labels choose $nodes
    }

    method dragged {x y} {
        if {$drag eq {}} {
            return
        }
        switch [dict get $drag kind] {
            sash {
                $labels set_width [expr {max(40, $x - [dict get $drag x])}]
            }
            press {
                if {abs($y - [dict get $drag y]) > 4} {
                    dict set drag kind rows
                    $path configure -cursor fleur
                }
            }
            rows {
                my scroll_along $y
                lassign [my landing $y] node behind edge
                $labels draw_landing [expr {$node eq {} ? -1 : $edge}]
            }
        }
    }

    # At the upper and lower edge rows scroll on.
    method scroll_along {y} {
        if {$y < 0 || $y >= [winfo height $path]} {
            [$window timeline] scroll_rows scroll [expr {$y < 0 ? -1 : 1}] units
            [$window timeline] flush
        }
    }

    method release {x y} {
        set was $drag
        set drag {}
        $path configure -cursor {}
        $labels draw_landing -1
        if {$was eq {}} {
            return
        }
        if {[dict get $was kind] eq "rows"} {
            lassign [my landing $y [dict get $was node]] node behind edge
            if {$node ne {}} {
                $model arrange move [my dragged_nodes [dict get $was node]] $node $behind
            }
        } elseif {[dict get $was kind] eq "press" && [dict get $was how] in {{} double}} {
            $labels choose [list [dict get $was node]]
            if {[dict get $was how] eq "double"} {
                my toggle [dict get $was node]
            }
        }
    }

    method dragged_nodes {pressed} {
        set nodes [$labels chosen]
        return [expr {$pressed in $nodes ? $nodes : [list $pressed]}]
    }

    # Where what is dragged would go: node, 1 behind it or 0 before it, y of the edge. Rows keep their group: the place
    # is before or behind the row of the same group that is nearest, with all that is open in it. {} nowhere.
    method landing {y {pressed {}}} {
        if {$pressed eq {}} {
            set pressed [dict get $drag node]
        }
        set from [$model row [$model tree row $pressed]]
        set line [$model line_at [expr {max(0, min(int($y), [winfo height $path] - 1))}]]
        set number [expr {[$model row_on $line] < 0 ? [$model row_count] - 1 : [$model row_on $line]}]
        set first [my sibling_around $from $number]
        if {$first < 0} {
            return {}
        }
        set depth [dict get $from depth]
        set last $first
        while {$last + 1 < [$model row_count] && [dict get [$model row [expr {$last + 1}]] depth] > $depth} {
            incr last
        }
        set pixels [$model row_height]
        set top [expr {[$model line_of $first] * $pixels}]
        set bottom [expr {([$model line_of $first] + $last - $first + 1) * $pixels}]
        set behind [expr {$y >= ($top + $bottom) / 2}]
        return [list [dict get [$model row $first] node] $behind [expr {$behind ? $bottom : $top}]]
    }

    # The row at `number`, or above it, that lies in the same group as `from`; -1: there is none.
    method sibling_around {from number} {
        for {} {$number >= 0} {incr number -1} {
            set row [$model row $number]
            if {[dict get $row pinned] && [dict get $from pinned]} {
                return $number
            }
            if {[dict get $row parent] == [dict get $from parent]} {
                return [expr {[dict get $row pinned] || [dict get $from pinned] ? -1 : $number}]
            }
            if {[dict get $row depth] < [dict get $from depth]} {
                return -1
            }
        }
        return -1
    }

    # On the edge: as wide as the labels need. On a label: open or closed, unless it is dragged from there.
    method double {x y} {
        if {[my on_sash $x]} {
            set drag {}
            $labels set_width 0
            return
        }
        my press $x $y {}
        if {$drag ne {}} {
            dict set drag how double
        }
    }

    method toggle {node} {
        set row [$model row [$model tree row $node]]
        if {[dict get $row children]} {
            $model arrange open [list $node] [expr {![dict get $row open]}]
        }
    }

    # ---- The menu of a label

    method menu {x y root_x root_y} {
        my untell
        set number [my row_at $y]
        if {$number >= 0} {
            set node [dict get [$model row $number] node]
            if {$node ni [$labels chosen]} {
                $labels choose [list $node]
            }
        }
        tk_popup [$rows make_menu $path.menu [expr {$number < 0 ? {} : [$model row $number]}]] $root_x $root_y
    }
}
