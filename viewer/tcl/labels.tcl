# labels.tcl - the column of row labels, left of the time lines: a tree with triangles, of which only what is in view is
# made. It also marks rows across the time lines. What the pointer does here is label_pointer.tcl's.

oo::class create ::pith::Labels {
    variable model
    variable path         ;# the canvas
    variable corner       ;# the canvas above it, as wide
    variable plot         ;# the canvas of the time lines
    variable label_width  ;# pixels
    variable user_width   ;# 1: somebody chose it
    variable is_tree      ;# 1: there are rows below others
    variable shown        ;# dict: line -> the row's dict (model.tcl), of the lines in view
    variable cut          ;# dict: line -> the whole label, where it is cut
    variable under        ;# row under the pointer, -1 none
    variable chosen       ;# nodes of the rows that were chosen, in the order of rows
    variable drawn_as     ;# what the labels depend on, as it was drawn last; {} something else has changed

    constructor {canvas its_corner its_plot its_model} {
        set path $canvas
        set corner $its_corner
        set plot $its_plot
        set model $its_model
        set user_width 0
        set label_width 0
        set under -1
        set chosen {}
        set shown {}
        set cut {}
        set drawn_as {}
        canvas $path -highlightthickness 0 -borderwidth 0 -background [::pith::theme::colour paper] -width 60 \
            -takefocus 0
        my measure
        $model follow [list [self] changed]
    }

    method path {} { return $path }
    method width {} { return $label_width }
    method user_width {} { return $user_width }
    method whole {line} { expr {[dict exists $cut $line] ? [dict get $cut $line] : {}} }
    method lines {} { return $shown }
    method under {} { return $under }

    method changed {what} {
        if {$what in {rows digest}} {
            my measure
        }
        if {$what ni {time pointer selection hidden trouble}} {
            set drawn_as {}
        }
    }

    # ---- Width

    # As wide as the first labels need; it only grows, so that opening a group does not move the picture to and fro.
    method measure {{shrink 0}} {
        set is_tree [$model tree tree]
        if {$user_width} {
            return
        }
        set widest [expr {$shrink ? 40 : max(40, $label_width)}]
        foreach row [$model rows 0 199] {
            set widest [expr {max($widest, min([my needed $row], [::pith::theme::px 250]))}]
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

    # 0: by the labels again.
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

    method indent {row} { expr {[::pith::theme::px 8] + [dict get $row depth] * [::pith::theme::px 13]} }
    method text_x {row} { expr {[my indent $row] + ($is_tree ? [::pith::theme::px 13] : 2)} }
    method font_of {row} { expr {[dict get $row kind] eq "group" ? "PithBold" : "TkDefaultFont"} }

    # Of low rows not every one has room for its label.
    method every {} {
        set needs [expr {[font metrics TkDefaultFont -linespace] - 2}]
        expr {max(1, int(ceil(double($needs) / [$model row_height])))}
    }

    # Moving through time leaves the labels as they are.
    method draw {height} {
        set as [list $height $label_width [$model row_height] [$model first_row] [::pith::theme::colour paper] \
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
        # Of thousands of low rows only those are asked for whose labels have room.
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
        $path create line $x 0 $x $height -fill [::pith::theme::colour edge]
        my draw_pins $pinned
    }

    method draw_label {line row} {
        set pixels [$model row_height]
        set half [expr {[font metrics TkDefaultFont -linespace] / 2}]
        set middle [expr {max($half, $line * $pixels + $pixels / 2)}]
        set x [my text_x $row]
        set room [expr {$label_width - $x - 6}]
        set label [dict get $row label]
        set fitting [my fit $label [my font_of $row] $room]
        if {$fitting ne $label} {
            dict set cut $line "$label  [dict get $row note]"
        }
        set text [$path create text $x $middle -anchor w -text $fitting -font [my font_of $row] -tags label \
            -fill [::pith::theme::colour [expr {[dict get $row kind] eq "counter" ? "faint" : "text"}]]]
        set right [expr {[lindex [$path bbox $text] 2] + 6}]
        if {[dict get $row note] ne {} && $fitting eq $label} {
            set note [my fit [dict get $row note] PithSmall [expr {$label_width - $right - 6}]]
            $path create text $right $middle -anchor w -text $note -font PithSmall -tags note \
                -fill [::pith::theme::colour faint]
            if {$note ne [dict get $row note]} {
                dict set cut $line "$label  [dict get $row note]"
            }
        }
        if {[dict get $row children]} {
            my draw_triangle [my indent $row] $middle [dict get $row open] $line
        }
    }

    method draw_triangle {x y open line} {
        set a [::pith::theme::px 4]
        if {$open} {
            set corners [list $x [expr {$y - $a / 2}] [expr {$x + 2 * $a}] [expr {$y - $a / 2}] \
                [expr {$x + $a}] [expr {$y + $a - $a / 2 + 1}]]
        } else {
            set corners [list [expr {$x + $a / 2}] [expr {$y - $a}] [expr {$x + $a / 2}] [expr {$y + $a}] \
                [expr {$x + $a / 2 + $a + 1}] $y]
        }
        $path create polygon {*}$corners -fill [::pith::theme::colour faint] -outline {} -tags [list triangle t$line]
    }

    # As much of a text as there is room for.
    method fit {text font room} {
        if {[font measure $font $text] <= $room} {
            return $text
        }
        set keep [string length $text]
        while {$keep > 0 && [font measure $font "[string range $text 0 $keep-1]\u2026"] > $room} {
            incr keep -1
        }
        return [expr {$keep ? "[string range $text 0 $keep-1]\u2026" : {}}]
    }

    # ---- Rows that are marked: pinned, chosen, under the pointer

    method draw_pins {pinned} {
        $plot delete pins
        if {!$pinned} {
            return
        }
        set y [expr {$pinned * [$model row_height] - 1}]
        set accent [::pith::theme::colour accent]
        $path create rectangle 0 0 2 [expr {$y - 1}] -fill $accent -outline {} -tags pin
        $path create line 0 $y $label_width $y -fill $accent -tags pin
        $plot create line 0 $y [winfo width $plot] $y -fill $accent -tags pins
    }

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
        set colour [::pith::theme::colour $colour]
        $path create rectangle 0 $y [expr {$label_width - 1}] $below -fill $colour -outline {} -tags rowmark
        foreach edge [list $y $below] {
            $plot create line 0 $edge [winfo width $plot] $edge -fill $colour -tags rowmark
        }
    }

    # The row under the pointer, here or in the time lines.
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

    # Where rows that are dragged would come to lie; < 0: nowhere.
    method draw_landing {y} {
        $path delete landing
        $plot delete landing
        if {$y >= 0} {
            set y [expr {max(1, $y)}]
            set accent [::pith::theme::colour accent]
            $path create line 0 $y $label_width $y -fill $accent -width 2 -tags landing
            $plot create line 0 $y [winfo width $plot] $y -fill $accent -width 2 -tags landing
        }
    }
}
