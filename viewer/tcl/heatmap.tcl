# heatmap.tcl - the picture of a communication matrix: senders as lines, receivers as columns, totals at the
# sides, a colour scale, and its pointer and keys. A drag zooms to some ranks, a click goes to the longest
# message.
#
# A subclass (Matrix) has the method `go_to_pair DICT`.

oo::class create ::pith::Heatmap {
    variable canvas
    variable matrix        ;# command of tk/log_object.h; {} none
    variable value         ;# value shown
    variable logarithmic   ;# 1: logarithmic colour scale
    variable shown         ;# from0 from1 to0 to1: indices of the ranks shown
    variable whole         ;# 1: all ranks are shown
    variable photo scale   ;# picture; colour scale
    variable frame_of      ;# left top right bottom of the tiles
    variable info          ;# dict: columns lines low high of the picture
    variable drag          ;# x y of the start of a drag; {} none
    variable cursor        ;# line and column of the keyboard cursor; {} none
    variable readout

    method clear {} {
        lassign {} canvas matrix shown info drag cursor
        set value count
        set logarithmic 1
        set whole 1
        set frame_of {0 0 1 1}
    }

    method values {} { return {count bytes time bandwidth late_sender late_receiver waiting} }

    method value_name {word} {
        dict get {count Messages bytes Bytes time {Transfer time} bandwidth Bandwidth late_sender {Late sender time}
            late_receiver {Late receiver time} waiting {Waiting for a rank}} $word
    }

    method value_text {amount {of {}}} {
        switch [expr {$of eq {} ? $value : $of}] {
            count { return [::pithtk::number [expr {wide($amount)}]] }
            bytes { return [::pith::board::bytes $amount] }
            bandwidth { return "[::pith::board::bytes $amount]/s" }
            default { return [::pithtk::duration [expr {wide($amount)}]] }
        }
    }

    # ---- Widgets

    method build_picture {frame} {
        ttk::frame $frame
        set canvas [canvas $frame.canvas -width [px 660] -height [px 560] \
            -highlightthickness 1 -borderwidth 0 -takefocus 1 -background [colour paper] \
            -highlightbackground [colour edge] -highlightcolor [colour accent]]
        set photo [image create photo]
        set scale [image create photo]
        bind $canvas <Destroy> [list image delete $photo $scale]
        ttk::label $frame.readout -textvariable [my varname readout] -padding {2 6}
        pack $frame.readout -side bottom -fill x
        pack $canvas -fill both -expand 1
        set me [self]
        bind $canvas <Configure> [list $me draw]
        bind $canvas <Motion> [list $me moved %x %y]
        bind $canvas <Leave> [list $me left]
        bind $canvas <Button-1> [list $me press %x %y]
        bind $canvas <B1-Motion> [list $me dragged %x %y]
        bind $canvas <ButtonRelease-1> [list $me release %x %y]
        ::pith::bind_wheel $canvas {} [list $me zoom_at 0.7 %x %y] [list $me zoom_at 1.43 %x %y]
        foreach {keys script} {
            {Left} {step 0 -1} {Right} {step 0 1} {Up} {step -1 0} {Down} {step 1 0} {Return space} {go_to_cursor}
            {plus equal KP_Add} {zoom_at 0.7} {minus KP_Subtract} {zoom_at 1.43} {Home f} {all_ranks}
        } {
            foreach key $keys {
                bind $canvas <Key-$key> "$me $script; break"
            }
        }
        return $frame
    }

    # ---- Ranks shown

    # A new matrix; that of another log may have another number of ranks.
    method matrix_changed {} {
        set count [llength [$matrix ranks]]
        if {$whole || max([lindex $shown 1], [lindex $shown 3]) > $count} {
            my set_part_all
        }
    }

    method set_part_all {} {
        set whole 1
        set count [llength [$matrix ranks]]
        set shown [list 0 $count 0 $count]
    }

    method all_ranks {} {
        my set_part_all
        my draw
    }

    # Ranks of the senders and, if different, of the receivers.
    method zoom_ranks {args} {
        if {$args eq {}} {
            my all_ranks
            return
        }
        lassign $args from0 from1 to0 to1
        if {$to0 eq {}} {
            lassign [list $from0 $from1] to0 to1
        }
        set places [lmap rank [list $from0 $from1 $to0 $to1] {lsearch -exact -integer [$matrix ranks] $rank}]
        if {-1 in $places || $from1 < $from0 || $to1 < $to0} {
            throw {PITH USAGE} "no such ranks: $args"
        }
        lassign $places from0 from1 to0 to1
        my set_part $from0 [expr {$from1 + 1}] $to0 [expr {$to1 + 1}]
    }

    method set_part {from0 from1 to0 to1} {
        set count [llength [$matrix ranks]]
        set new {}
        foreach {low high} [list $from0 $from1 $to0 $to1] {
            set span [expr {max(1, min($count, $high - $low))}]
            set low [expr {max(0, min($count - $span, $low))}]
            lappend new $low [expr {$low + $span}]
        }
        set cursor {}
        set whole 0
        set shown $new
        my draw
    }

    method zoom_at {factor {x {}} {y {}}} {
        if {$matrix eq {}} {
            return
        }
        lassign $frame_of left top right bottom
        lassign $shown from0 from1 to0 to1
        set across [expr {$x eq {} ? 0.5 : max(0.0, min(1.0, double($x - $left) / ($right - $left)))}]
        set down [expr {$y eq {} ? 0.5 : max(0.0, min(1.0, double($y - $top) / ($bottom - $top)))}]
        set new {}
        foreach {low high share} [list $from0 $from1 $down $to0 $to1 $across] {
            set span [expr {$high - $low}]
            # At least one rank more or less.
            set wanted [expr {round($span * $factor)}]
            set wanted [expr {$factor < 1 ? min($span - 1, $wanted) : max($span + 1, $wanted)}]
            set low [expr {round($low + ($span - $wanted) * $share)}]
            lappend new $low [expr {$low + $wanted}]
        }
        my set_part {*}$new
    }

    # ---- Drawing

    method draw_picture {} {
        lassign [list [winfo width $canvas] [winfo height $canvas]] width height
        $canvas delete all
        set info {}
        if {$matrix eq {} || $width <= 1 || [$matrix ranks] eq {}} {
            return
        }
        set left [expr {[font measure PithSmall [lindex [$matrix ranks] end]] + 34}]
        lassign [lmap pixels {34 76 116} {px $pixels}] top right bottom
        set frame_of [list $left $top [expr {max($left + 40, $width - $right)}] \
            [expr {max($top + 40, $height - $bottom)}]]
        lassign $frame_of left top right bottom
        set info [$matrix draw $photo $value [expr {$logarithmic ? "log" : "linear"}] {*}$shown \
            [expr {$right - $left}] [expr {$bottom - $top}]]
        $canvas create rectangle [expr {$left - 1}] [expr {$top - 1}] $right $bottom -outline [colour edge]
        $canvas create image $left $top -anchor nw -image $photo
        my draw_ranks
        my draw_sides
        my draw_scale
        my draw_cursor
        if {![dict get $info high]} {
            $canvas create text [expr {($left + $right) / 2}] [expr {($top + $bottom) / 2}] \
                -text "no messages in this time" -fill [colour faint]
        }
        my left
    }

    method draw_ranks {} {
        lassign $frame_of left top right bottom
        lassign $shown from0 from1 to0 to1
        set faint [colour faint]
        $canvas create text 6 [expr {$top - [px 24]}] -anchor w -font PithSmall -fill $faint \
            -text "from \u2193  to \u2192"
        foreach place [my marked $from0 $from1 [expr {($bottom - $top) / [px 18]}]] {
            set y [expr {$top + ($place + 0.5 - $from0) * ($bottom - $top) / ($from1 - $from0)}]
            $canvas create text [expr {$left - 6}] $y -anchor e -text [lindex [$matrix ranks] $place] \
                -font PithSmall -fill $faint
        }
        set wide [expr {[font measure PithSmall [lindex [$matrix ranks] end]] + 8}]
        foreach place [my marked $to0 $to1 [expr {($right - $left) / max([px 18], $wide)}]] {
            set x [expr {$left + ($place + 0.5 - $to0) * ($right - $left) / ($to1 - $to0)}]
            $canvas create text $x [expr {$top - 6}] -anchor s -text [lindex [$matrix ranks] $place] -font PithSmall \
                -fill $faint
        }
    }

    # Ranks to be labelled, at most `most`.
    method marked {low high most} {
        if {$high - $low <= max(1, $most)} {
            set places {}
            for {set place $low} {$place < $high} {incr place} {
                lappend places $place
            }
            return $places
        }
        return [lmap mark [::pith::board::marks $low [expr {$high - 1}] $most] {expr {int($mark)}}]
    }

    # Totals, as bars on the right of lines and below columns.
    method draw_sides {} {
        lassign $frame_of left top right bottom
        lassign [$matrix sides] lines columns
        foreach {name totals first last edge room} [list line $lines $top $bottom $right 56 \
                column $columns $left $right $bottom 46] {
            set most [tcl::mathfunc::max 1e-9 {*}$totals]
            set number 0
            foreach total $totals {
                set from [expr {$first + $number * ($last - $first) / [llength $totals]}]
                set to [expr {$first + ($number + 1) * ($last - $first) / [llength $totals]}]
                set to [expr {$to - ($to - $from > 4)}]
                set near [expr {$edge + 6}]
                set far [expr {$edge + 7 + round([px $room] * $total / $most)}]
                if {$total > 0} {
                    set box [expr {$name eq "line" ? [list $near $from $far $to] : [list $from $near $to $far]}]
                    $canvas create rectangle {*}$box -width 0 -fill [colour faint] -tags $name$number
                }
                incr number
            }
        }
    }

    method draw_scale {} {
        lassign $frame_of left top right bottom
        set wide [expr {min([px 260], $right - $left)}]
        set y [expr {$bottom + [px 70]}]
        dict with info {}
        if {$high <= 0} {
            return
        }
        $matrix scale $scale $wide 10
        $canvas create image $left $y -anchor nw -image $scale
        if {$low == $high} {
            $canvas create text [expr {$left + $wide + 14}] [expr {$y + 5}] -anchor w -font PithSmall \
                -text "[my value_name $value]: all [my value_text $high]" -fill [colour text]
            return
        }
        set texts [list 0 w [expr {$logarithmic ? $low : 0}]  0.5 n \
            [expr {$logarithmic ? sqrt(double($low) * $high) : $high / 2.0}]  1 e $high]
        foreach {share anchor amount} $texts {
            $canvas create text [expr {$left + $share * $wide}] [expr {$y + 14}] -font PithSmall \
                -anchor [dict get {w nw n n e ne} $anchor] -text [my value_text $amount] -fill [colour faint]
        }
        $canvas create text [expr {$left + $wide + 14}] [expr {$y + 5}] -anchor w -font PithSmall \
            -text [my value_name $value] -fill [colour text]
    }

    # ---- The pointer

    method at {x y} {
        lassign $frame_of left top right bottom
        if {$info eq {} || $x < $left || $y < $top} {
            return {}
        }
        return [$matrix at [expr {int($x - $left)}] [expr {int($y - $top)}]]
    }

    method ranks_text {first last} {
        return [expr {$first == $last ? $first : "$first\u2013$last"}]
    }

    method show_readout {what} {
        if {$what eq {}} {
            set readout "Drag to zoom to ranks; click to go to the longest message; Home shows all ranks"
            return
        }
        set text {}
        if {[dict exists $what from]} {
            append text "from [my ranks_text [dict get $what from] [dict get $what from_last]]  "
        }
        if {[dict exists $what to]} {
            append text "to [my ranks_text [dict get $what to] [dict get $what to_last]]  "
        }
        append text ":  "
        if {![dict get $what count] && ![dict get $what waiting]} {
            set readout "${text}no messages"
            return
        }
        append text "[my value_text [dict get $what count] count] messages,\
            [my value_text [dict get $what bytes] bytes], [my value_text [dict get $what time] time] in transfer"
        if {[dict get $what bandwidth] > 0} {
            append text " ([my value_text [dict get $what bandwidth] bandwidth])"
        }
        foreach {key name} {late_sender {late sender} late_receiver {late receiver} waiting {waiting}} {
            if {[dict get $what $key]} {
                append text ", $name [my value_text [dict get $what $key] time]"
            }
        }
        set readout $text
    }

    method moved {x y} {
        set what [my at $x $y]
        if {$what ne {}} {
            set cursor [list [dict get $what line] [dict get $what column]]
        } else {
            set cursor {}
        }
        my draw_cursor
        my show_readout $what
    }

    method left {} {
        set cursor {}
        my draw_cursor
        my show_readout {}
    }

    method tile_box {line column} {
        lassign $frame_of left top right bottom
        dict with info {}
        if {$line < 0} {
            lassign {0 1} line lines
        }
        if {$column < 0} {
            lassign {0 1} column columns
        }
        return [list [expr {$left + $column * ($right - $left) / $columns}] \
            [expr {$top + $line * ($bottom - $top) / $lines}] \
            [expr {$left + ($column + 1) * ($right - $left) / $columns}] \
            [expr {$top + ($line + 1) * ($bottom - $top) / $lines}]]
    }

    method draw_cursor {} {
        $canvas delete cursor
        if {$cursor ne {} && $info ne {}} {
            lassign [my tile_box {*}$cursor] x0 y0 x1 y1
            $canvas create rectangle [expr {$x0 - 2}] [expr {$y0 - 2}] [expr {$x1 + 1}] [expr {$y1 + 1}] -width 2 \
                -outline [colour alarm] -tags cursor
        }
    }

    method press {x y} {
        focus $canvas
        set drag [list $x $y]
    }

    method dragged {x y} {
        if {$drag eq {}} {
            return
        }
        lassign $drag x0 y0
        $canvas delete zoom
        if {max(abs($x - $x0), abs($y - $y0)) > 4} {
            $canvas create rectangle $x0 $y0 $x $y -outline [colour accent] -width 2 -tags zoom
        }
    }

    method release {x y} {
        if {$drag eq {}} {
            return
        }
        lassign $drag x0 y0
        set drag {}
        $canvas delete zoom
        if {max(abs($x - $x0), abs($y - $y0)) > 4} {
            my zoom_box [expr {min($x0, $x)}] [expr {min($y0, $y)}] [expr {max($x0, $x)}] [expr {max($y0, $y)}]
        } else {
            set what [my at $x $y]
            if {[dict exists $what longest]} {
                my go_to_pair $what
            }
        }
    }

    # Zooms to the ranks that the box touches.
    method zoom_box {x0 y0 x1 y1} {
        lassign $frame_of left top right bottom
        lassign $shown from0 from1 to0 to1
        set new {}
        foreach {low high first last a b} [list $from0 $from1 $top $bottom $y0 $y1  $to0 $to1 $left $right $x0 $x1] {
            set span [expr {double($high - $low) / ($last - $first)}]
            set a [expr {max(0, min($last - $first - 1, $a - $first))}]
            set b [expr {max(0, min($last - $first - 1, $b - $first))}]
            lappend new [expr {int($low + $span * $a)}] [expr {int($low + $span * $b) + 1}]
        }
        my set_part {*}$new
    }

    # ---- Keys

    method step {down across} {
        if {$info eq {}} {
            return
        }
        lassign [expr {$cursor eq {} ? {-1 -1} : $cursor}] line column
        if {$line < 0 || $column < 0} {
            set cursor {0 0}
        } else {
            set cursor [list [expr {max(0, min([dict get $info lines] - 1, $line + $down))}] \
                [expr {max(0, min([dict get $info columns] - 1, $column + $across))}]]
        }
        my draw_cursor
        my show_readout [my at_cursor]
    }

    method at_cursor {} {
        if {$cursor eq {}} {
            return {}
        }
        lassign [my tile_box {*}$cursor] x0 y0 x1 y1
        return [my at [expr {($x0 + $x1) / 2}] [expr {($y0 + $y1) / 2}]]
    }

    method go_to_cursor {} {
        set what [my at_cursor]
        if {[dict exists $what longest]} {
            my go_to_pair $what
        }
    }
}
