# labels.tcl - the column of row labels left of the timelines. The labels form a tree, with triangles that open and
# close groups; only the visible part of the tree is drawn. The class Labels also highlights rows across the timelines.
# The second class in this file handles the pointer.

oo::class create ::pith::Labels {
    variable model
    variable path         ;# canvas
    variable corner       ;# canvas above the labels, of the same width
    variable plot         ;# canvas of the timelines
    variable label_width  ;# width of the labels, pixels
    variable user_width   ;# 1: the user has chosen the width
    variable is_tree      ;# 1: some rows are nested
    variable shown        ;# dict: visible line -> dict of its row (model.tcl)
    variable cut          ;# dict: line -> full text of a label that is cut off
    variable under        ;# row under the pointer; -1 none
    variable chosen       ;# nodes of the chosen rows, in row order
    variable drawn_as     ;# what the last drawing depended on; {}: the labels must be drawn again

    constructor {canvas its_corner its_plot its_model} {
        set path $canvas
        set corner $its_corner
        set plot $its_plot
        set model $its_model
        set user_width 0
        set label_width 0
        set under -1
        lassign {} chosen shown cut drawn_as
        canvas $path -highlightthickness 0 -borderwidth 0 -background [colour paper] -width 60 -height 1 -takefocus 0
        my measure
        $model follow [list [self] changed]
    }

    method path {} { return $path }
    method width {} { return $label_width }
    method user_width {} { return $user_width }
    # The tooltip of a line of the column: the full label if it is cut, and, for a row of many ranks, which ranks the
    # row stands for.
    method whole {line} {
        set text [expr {[dict exists $cut $line] ? [dict get $cut $line] : {}}]
        if {[dict exists $shown $line tip]} {
            set text [string trimleft "$text\n[dict get $shown $line tip]"]
        }
        return $text
    }

    method lines {} { return $shown }
    method under {} { return $under }

    method changed {what} {
        if {$what in {rows digest theme}} {
            my measure [expr {$what eq "theme"}] ;# fonts may have changed
        }
        if {$what ni {time pointer selection hidden trouble left_out exact}} {
            set drawn_as {}
        }
    }

    # ---- Width

    # Makes the column as wide as the first 200 labels need. If SHRINK is 0, never makes the column narrower, so that
    # the timelines beside it do not move back and forth when the user opens and closes a group.
    method measure {{shrink 0}} {
        set is_tree [$model tree tree]
        if {$user_width} {
            return
        }
        set widest [expr {$shrink ? 40 : max(40, $label_width)}]
        foreach row [$model rows 0 199] {
            set widest [expr {max($widest, min([my needed $row], [px 250]))}]
        }
        my take_width $widest
    }

    method needed {row} {
        set need [expr {[my text_x $row] + [font measure [my font_of $row] [dict get $row label]] + 10}]
        if {[dict get $row note] ne {}} {
            incr need [expr {[font measure PithSmall [dict get $row note]] + 8}]
        }
        return $need
    }

    method take_width {pixels} {
        set label_width $pixels
        $path configure -width $pixels
        $corner configure -width $pixels
    }

    # Sets the width that the user wants; 0: the width that the labels need.
    method set_width {pixels} {
        set user_width [expr {$pixels > 0}]
        if {$user_width} {
            my take_width [expr {max(40, min(600, int($pixels)))}]
        } else {
            my measure 1
        }
        my draw [winfo height $path]
    }

    # ---- Drawing

    method indent {row} { expr {[px 8] + [dict get $row depth] * [px 13]} }
    method text_x {row} { expr {[my indent $row] + ($is_tree ? [px 13] : 2)} }
    method font_of {row} { expr {[dict get $row kind] eq "group" ? "PithBold" : "TkDefaultFont"} }

    # Returns the number N for which every Nth row can have a label: 1 if rows are high enough for all labels; more if
    # rows are lower than a line of text.
    method every {} {
        set needs [expr {[font metrics TkDefaultFont -linespace] - 2}]
        expr {max(1, int(ceil(double($needs) / [$model row_height])))}
    }

    # Draws the labels. Does nothing if they would look the same as before, as when only the time shown has changed.
    method draw {height} {
        set as [list $height $label_width [$model row_height] [$model first_row] [colour paper] \
            [font actual TkDefaultFont]]
        if {$as eq $drawn_as} {
            return
        }
        set drawn_as $as
        set pixels [$model row_height]
        set lines [expr {int($height / $pixels) + 1}]
        set pinned [expr {min([$model pinned_count], $lines)}]
        set first [expr {[$model pinned_count] + [$model first_row]}]
        set shown {}
        set cut {}
        # If rows are very low, thousands of them are visible. To save time, asks the model only for those rows whose
        # labels have room.
        set every [expr {[$model row_height] < 2 ? [my every] : 1}]
        for {set line 0} {$line < $lines} {incr line $every} {
            set number [expr {$line < $pinned ? $line : $first + $line - $pinned}]
            foreach row [$model rows $number $number] {
                dict set shown $line $row
            }
        }
        $path delete all
        my draw_marks
        set every [my every]
        dict for {line row} $shown {
            if {$line % $every == 0} {
                my draw_label $line $row
            }
        }
        set x [expr {$label_width - 1}]
        $path create line $x 0 $x $height -fill [colour edge]
        $plot delete pins
        if {!$pinned} {
            return
        }
        set y [expr {$pinned * [$model row_height] - 1}]
        set accent [colour accent]
        $path create rectangle 0 0 2 [expr {$y - 1}] -fill $accent -outline {} -tags pin
        $path create line 0 $y $label_width $y -fill $accent -tags pin
        $plot create line 0 $y [winfo width $plot] $y -fill $accent -tags pins
    }

    method draw_label {line row} {
        set pixels [$model row_height]
        set half [expr {[font metrics TkDefaultFont -linespace] / 2}]
        set middle [expr {max($half, $line * $pixels + $pixels / 2)}]
        set x [my text_x $row]
        set room [expr {$label_width - $x - 6}]
        set label [dict get $row label]
        set fitting [::pith::cut_text $label [my font_of $row] $room]
        if {$fitting ne $label} {
            dict set cut $line "$label  [dict get $row note]"
        }
        set text [$path create text $x $middle -anchor w -text $fitting -font [my font_of $row] -tags label \
            -fill [colour [expr {[dict get $row kind] eq "counter" || [dict get $row below] ? "faint" : "text"}]]]
        set right [expr {[lindex [$path bbox $text] 2] + 6}]
        if {[dict get $row note] ne {} && $fitting eq $label} {
            set note [::pith::cut_text [dict get $row note] PithSmall [expr {$label_width - $right - 6}]]
            $path create text $right $middle -anchor w -text $note -font PithSmall -tags note \
                -fill [colour faint]
            if {$note ne [dict get $row note]} {
                dict set cut $line "$label  [dict get $row note]"
            }
        }
        if {[dict get $row children] && ![dict get $row below]} {
            set x [my indent $row]
            set y $middle
            set open [dict get $row open]
            set a [px 4]
            if {$open} {
                set corners [list $x [expr {$y - $a / 2}] [expr {$x + 2 * $a}] [expr {$y - $a / 2}] \
                    [expr {$x + $a}] [expr {$y + $a - $a / 2 + 1}]]
            } else {
                set corners [list [expr {$x + $a / 2}] [expr {$y - $a}] [expr {$x + $a / 2}] [expr {$y + $a}] \
                    [expr {$x + $a / 2 + $a + 1}] $y]
            }
            $path create polygon {*}$corners -fill [colour faint] -outline {} -tags [list triangle t$line]
        }
    }

    # ---- Highlighted rows: pinned, chosen, under the pointer

    method draw_marks {} {
        $path delete rowmark
        $plot delete rowmark
        set pixels [$model row_height]
        dict for {line row} $shown {
            set is_chosen [expr {[dict get $row node] in $chosen}]
            if {$is_chosen} {
                my mark_line $line select
            }
            if {$line == [$model line_of $under]} {
                my mark_line $line [expr {$is_chosen ? "select" : "hover"}]
            }
        }
        $path lower rowmark
    }

    method mark_line {line colour} {
        set pixels [$model row_height]
        set y [expr {$line * $pixels}]
        set below [expr {$y + $pixels - 1}]
        set colour [colour $colour]
        $path create rectangle 0 $y [expr {$label_width - 1}] $below -fill $colour -outline {} -tags rowmark
        foreach edge [list $y $below] {
            $plot create line 0 $edge [winfo width $plot] $edge -fill $colour -tags rowmark
        }
    }

    # Highlights the row under the pointer, which may be in this column or in the timelines.
    method hover {row} {
        if {$row != $under} {
            set under $row
            my draw_marks
        }
    }

    method chosen {} { return $chosen }

    method choose {nodes} {
        set chosen $nodes
        my draw_marks
    }

    # Draws a line at Y, which shows where the dragged rows would be put; if Y < 0, removes the line.
    method draw_drop {y} {
        $path delete drop
        $plot delete drop
        if {$y >= 0} {
            set y [expr {max(1, $y)}]
            set accent [colour accent]
            $path create line 0 $y $label_width $y -fill $accent -width 2 -tags drop
            $plot create line 0 $y [winfo width $plot] $y -fill $accent -width 2 -tags drop
        }
    }
}

# Handles the pointer in the column of row labels. It opens and closes groups, chooses rows, drags rows to another
# place, drags the edge of the column, opens a menu, and shows tooltips with the full text of labels that are cut.
oo::class create ::pith::LabelPointer {
    variable window model labels
    variable path       ;# canvas of the labels
    variable rows       ;# part with the commands (rows.tcl)
    variable drag       ;# dict of the current drag: kind (sash, press, rows), x, y, node; {} none
    variable anchor     ;# node of the row from which a click with Shift chooses all rows
    variable tip        ;# tooltip

    constructor {its_window its_rows} {
        set window $its_window
        set rows $its_rows
        set model [$window model]
        set labels [[$window timeline] labels]
        set path [$labels path]
        lassign {} drag anchor
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
        set tip [::pith::Tip new $path [list $me whole_at]]
    }

    destructor {
        $tip destroy
    }

    method whole_at {x y} { $labels whole [$model line_at $y] }

    # ---- Where the pointer is

    method row_at {y} { return [[$window timeline] row_at $y] }
    method on_sash {x} { expr {$x >= [$labels width] - 5} }

    method on_triangle {x row} {
        set left [$labels indent $row]
        expr {[dict get $row children] && ![dict get $row below] && $x >= $left - 4 && $x < $left + [px 13]}
    }

    method moved {x y} {
        $path configure -cursor [expr {[my on_sash $x] ? "sb_h_double_arrow" : {}}]
        $labels hover [my row_at $y]
    }

    method left {} { $labels hover -1 }

    # ---- Press, drag, release

    method press {x y how} {
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

    # Chooses rows when the mouse button is pressed on ROW. HOW: `add` adds ROW to the chosen rows or removes it,
    # `range` chooses the rows from the last pressed one to ROW, {} chooses only ROW. If HOW is {} and ROW is one of
    # several chosen rows, all of these stay chosen for now, because a drag would move them all; if no drag follows,
    # `release` chooses only ROW.
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
                # Scrolls the rows while the pointer is above or below the column of labels.
                if {$y < 0 || $y >= [winfo height $path]} {
                    [$window timeline] scroll_rows scroll [expr {$y < 0 ? -1 : 1}] units
                    [$window timeline] flush
                }
                lassign [my drop_place $y] node behind edge
                $labels draw_drop [expr {$node eq {} ? -1 : $edge}]
            }
        }
    }

    method release {x y} {
        set was $drag
        set drag {}
        $path configure -cursor {}
        $labels draw_drop -1
        if {$was eq {}} {
            return
        }
        if {[dict get $was kind] eq "rows"} {
            lassign [my drop_place $y [dict get $was node]] node behind edge
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

    # Returns where the dragged rows would be put if the button were released at Y. The answer is {NODE AFTER EDGE}.
    # NODE is the row beside which they would be put: the nearest row of the same group, because rows cannot leave their
    # group. AFTER is 0 if they would be put before NODE; 1 if after NODE and all visible rows inside it. EDGE is the y
    # of this place. Returns {} if the rows cannot be put anywhere there.
    method drop_place {y {pressed {}}} {
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

    # The nearest row at or above NUMBER that is in the same group as the row FROM; -1 if there is none.
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

    # Handles a double click. On the edge of the column, it fits the width of the column to the labels. On a label, it
    # opens or closes a group, or unfolds or folds a lane; this happens only when the button is released, and not if the
    # rows are dragged before that.
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
        } elseif {[dict get $row kind] eq "states"} {
            $model arrange unfold [list $node] [expr {![dict get $row unfolded]}]
        }
    }

    # ---- The menu of a label

    method menu {x y root_x root_y} {
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
