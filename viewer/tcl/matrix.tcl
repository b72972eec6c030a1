# matrix.tcl - the communication matrix. It shows, for each pair of sender and receiver, the messages and the time spent
# waiting for a late partner (pithlog_waits), as a picture of tiles and as a table.

# The picture of a communication matrix, with its pointer and keys. A line of tiles is a sender, and a column is a
# receiver. At the sides of the tiles there are totals and a colour scale. A drag zooms to the ranks in a box; a click
# on a tile goes to the longest message of its sender and receiver.
#
# A subclass (Matrix) has the method `go_to_pair DICT`.

oo::class create ::pith::Heatmap {
    variable canvas
    variable matrix        ;# command of tk/log_object.h; {} none
    variable value         ;# value shown
    variable logarithmic   ;# 1: logarithmic colour scale
    variable shown         ;# {from0 from1 to0 to1}: index ranges of the senders and receivers shown
    variable whole         ;# 1: all ranks are shown
    variable photo scale   ;# picture; colour scale
    variable frame_of      ;# left top right bottom of the tiles
    variable is_low        ;# 1: there is little room below the tiles
    variable info          ;# dict about the picture: columns, lines, low, high
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

    # Called when there is a new matrix. Keeps the ranks shown, unless the new matrix does not have all of them, as that
    # of another log may; then shows all ranks.
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
        if {$matrix ne {}} {
            my set_part_all
        }
        my draw
    }

    # Shows only some ranks. The first argument has the ranks of the senders, the second those of the receivers. With
    # one argument, senders and receivers are the same ranks. Without arguments, shows all ranks.
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
            # The number of ranks shown changes by at least one, so that each step of the zoom has an effect.
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
        set left [expr {max([font measure PithSmall [lindex [$matrix ranks] end]] + 34,
            [font measure PithSmall total] + 12)}]
        # In a low panel, the colour scale is to the right of the tiles instead of below them, and there are no totals
        # below the tiles.
        set is_low [expr {$height < [px 280] && $width > [px 640]}]
        lassign [lmap pixels [expr {$is_low ? {34 400 6} : {34 76 116}}] {px $pixels}] top right bottom
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

    # Returns which ranks get a label: at most MOST indices in [LOW, HIGH).
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

    # Draws the totals as bars: those of senders to the right of the tiles, those of receivers below them.
    method draw_sides {} {
        lassign $frame_of left top right bottom
        lassign [$matrix sides] lines columns
        set sides [list line $lines $top $bottom $right 56]
        if {!$is_low} {
            lappend sides column $columns $left $right $bottom 46
        }
        set text [expr {$value eq "bandwidth" ? "mean" : "total"}]
        set places [list [expr {$right + 6}] [expr {$top - 6}] sw]
        if {!$is_low} {
            lappend places [expr {$left - 6}] [expr {$bottom + [px 12]}] e
        }
        foreach {x y anchor} $places {
            $canvas create text $x $y -anchor $anchor -font PithSmall -text $text -fill [colour faint] -tags total
        }
        foreach {name totals first last edge room} $sides {
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
        if {$is_low} {
            set wide [px 180]
            set left [expr {$right + [px 84]}]
            set y $top
        } else {
            set wide [expr {min([px 260], $right - $left)}]
            set y [expr {$bottom + [px 70]}]
        }
        dict with info {}
        if {$high <= 0} {
            return
        }
        $matrix scale $scale $wide 10
        $canvas create image $left $y -anchor nw -image $scale
        if {$low == $high} {
            my name_scale [expr {$left + $wide}] $y "[my value_name $value]: all [my value_text $high]"
            return
        }
        set texts [list 0 w [expr {$logarithmic ? $low : 0}]  0.5 n \
            [expr {$logarithmic ? sqrt(double($low) * $high) : $high / 2.0}]  1 e $high]
        foreach {share anchor amount} $texts {
            $canvas create text [expr {$left + $share * $wide}] [expr {$y + 14}] -font PithSmall \
                -anchor [dict get {w nw n n e ne} $anchor] -text [my value_text $amount] -fill [colour faint]
        }
        my name_scale [expr {$left + $wide}] $y [my value_name $value]
    }

    # Writes the name of the value shown to the right of the colour scale, or, if there is no room, below the scale and
    # its numbers.
    method name_scale {right y text} {
        lassign [list [expr {$right + 14}] [expr {$y + 5}] w] x middle anchor
        if {$x + [font measure PithSmall $text] > [winfo width $canvas]} {
            lassign [list $right [expr {$y + [px 28]}] ne] x middle anchor
        }
        $canvas create text $x $middle -anchor $anchor -font PithSmall -text $text -fill [colour text]
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
        if {$matrix eq {}} {
            return
        }
        if {max(abs($x - $x0), abs($y - $y0)) > 4} {
            my zoom_box [expr {min($x0, $x)}] [expr {min($y0, $y)}] [expr {max($x0, $x)}] [expr {max($y0, $y)}]
        } else {
            set what [my at $x $y]
            if {[dict exists $what longest]} {
                my go_to_pair $what
            }
        }
    }

    # Zooms to the senders and receivers whose tiles the box touches.
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

oo::class create ::pith::Matrix {
    superclass ::pith::Board ::pith::Heatmap
    variable window model board interval said
    variable canvas matrix value logarithmic readout ;# see Heatmap
    variable value_text comm comm_text
    variable had_late      ;# 1: the times of waiting for late partners are computed with the matrix
    variable tree by       ;# table; what its lines are: pairs, ranks or states
    variable order falling ;# column by which the table is sorted; 1: largest first

    constructor {its_window} {
        next $its_window "Communication"
        my clear
        set comm all
        set had_late 0
        set by pairs
        set order time
        set falling 1
    }

    destructor {
        my drop
        next
    }

    method drop {} {
        if {$matrix ne {}} {
            my free_result $matrix
            set matrix {}
        }
    }

    method free_result {result} {
        rename $result {}
    }

    # ---- Widgets

    method build {body} {
        set had_late 0 ;# a page opened again does not compute them until the user asks
        my build_controls [ttk::frame $body.controls]
        ttk::notebook $body.book
        $body.book add [my build_picture $body.book.matrix] -text "Matrix"
        $body.book add [my build_table $body.book.table] -text "Table"
        bind $body.book <<NotebookTabChanged>> [list [self] draw]
        pack $body.controls -fill x -pady {0 4}
        my build_progress $body.progress
        bind $body <Configure> [list [self] lay_out %w %h]
        pack $body.book -fill both -expand 1
        focus $canvas
    }

    method lay_out {width height} {
        my wrap_controls [expr {$width < [px 640]}] [list $board.body.controls.log]
        my place_progress [expr {$height < [px 320]}]
    }

    method build_controls {frame} {
        set value_text [my value_name $value]
        ttk::combobox $frame.value -state readonly -width 16 -textvariable [my varname value_text] \
            -values [lmap one [my values] {my value_name $one}]
        bind $frame.value <<ComboboxSelected>> [list [self] choose_value]
        lassign [my build_scope $frame] of scope
        set names [concat {{All communicators}} [[$model log] comms]]
        set comm_text [lindex $names [expr {$comm eq "all" ? 0 : $comm + 1}]]
        ttk::combobox $frame.comm -state readonly -width 20 -textvariable [my varname comm_text] -values $names
        bind $frame.comm <<ComboboxSelected>> [list [self] choose_comm]
        ttk::checkbutton $frame.log -text "Logarithmic" -variable [my varname logarithmic] -command [list [self] draw]
        pack $frame.value $of $scope $frame.comm -side left -padx {0 6}
        pack $frame.log -side right
    }

    method build_table {frame} {
        ttk::frame $frame -padding {0 6}
        ttk::frame $frame.by
        foreach {word text} {pairs Pairs ranks Ranks states {Waiting calls}} {
            ttk::radiobutton $frame.by.$word -text $text -value $word -variable [my varname by] \
                -command [list [self] fill_table]
            pack $frame.by.$word -side left -padx {0 12}
        }
        set tree [ttk::treeview $frame.tree -selectmode browse -yscrollcommand [list $frame.scroll set]]
        ttk::scrollbar $frame.scroll -orient vertical -command [list $tree yview]
        pack $frame.by -fill x -pady {0 6}
        pack $frame.scroll -side right -fill y
        pack $tree -fill both -expand 1
        bind $tree <Double-Button-1> [list [self] go_to_line]
        bind $tree <Return> [list [self] go_to_line]
        return $frame
    }

    # ---- Value and communicator

    method choose_value {} {
        foreach one [my values] {
            if {[my value_name $one] eq $value_text} {
                my set_value $one
                return
            }
        }
    }

    # Sets which value the tiles show. Times of waiting for late partners are computed only when the user first chooses
    # them, because all calls must be read for this.
    method set_value {one} {
        if {$one ni [my values]} {
            throw {PITH USAGE} "no such value: $one; must be one of [join [my values] {, }]"
        }
        set value $one
        set value_text [my value_name $value]
        if {$value eq "waiting" && ![[$window part Waiting] is_ready]} {
            [$window part Waiting] start ;# at its end, the model reports `waiting`
        }
        if {[my wants_late] && !$had_late} {
            my renew 0
        } else {
            my draw
        }
    }

    method wants_late {} {
        expr {$value in {late_sender late_receiver}}
    }

    method choose_comm {} {
        set place [$board.body.controls.comm current]
        set comm [expr {$place <= 0 ? "all" : $place - 1}]
        my renew 0
    }

    method set_comm {name} {
        set names [[$model log] comms]
        set place [lsearch -exact $names $name]
        if {$name ne "all" && $place < 0} {
            throw {PITH USAGE} "no such communicator: $name; must be one of all, [join $names {, }]"
        }
        set comm [expr {$name eq "all" ? "all" : $place}]
        set comm_text [expr {$name eq "all" ? "All communicators" : $name}]
        my renew 0
    }

    method follows {} { return {time selection digest log waiting} }

    # Starts the job that computes the matrix. The job also computes the times of waiting for late partners, which takes
    # longer, if the user chooses them now, or has chosen them since the page was opened. So a user who looks at them,
    # then at another value and then at them again need not wait a second time.
    method ask {callback} {
        set had_late [expr {$had_late || [my wants_late]}]
        return [[$model log] matrix {*}$interval $comm $had_late $callback]
    }

    method answered {result} {
        my drop
        set matrix $result
        my matrix_changed
        my draw
    }

    method draw {args} {
        if {![my is_open] || ![winfo exists $canvas]} {
            return
        }
        if {[$board.body.book index current] == 0} {
            my say {}
            my draw_picture
        } else {
            my fill_table
        }
    }

    # ---- The table

    # The columns of the table as name, title and kind of value in turn.
    method columns {} {
        set sums {count Messages number  bytes Bytes bytes  time "Time" duration
            late_sender "Late sender" duration  late_receiver "Late receiver" duration
            waiting Waiting duration}
        switch $by {
            pairs { return [concat {from From rank  to To rank} $sums] }
            ranks { return {rank Rank rank  sent Sent number  sent_bytes Bytes bytes  received Received number
                received_bytes Bytes bytes  late_sender {Waited for senders} duration
                late_receiver {Waited for receivers} duration} }
            states { return {name State text  late_senders {Late senders} number  late_sender {Waited} duration
                late_receivers {Late receivers} number  late_receiver {Waited} duration} }
        }
    }

    # The lines of the table. Each is a dict from the name of a column to its value.
    method lines {} {
        if {$matrix eq {}} {
            return {}
        }
        switch $by {
            pairs { return [$matrix pairs] }
            ranks { return [my rank_lines] }
            states {
                return [lmap state [$matrix states] {
                    lassign $state id senders sender receivers receiver
                    dict create name [$model name $id] late_senders $senders late_sender $sender \
                        late_receivers $receivers late_receiver $receiver
                }]
            }
        }
    }

    # The lines of the table by rank. A late sender makes the receiver wait, so this time counts for the receiver's
    # rank; the time of a late receiver counts for the sender's rank.
    method rank_lines {} {
        set zero {sent 0 sent_bytes 0 received 0 received_bytes 0 late_sender 0 late_receiver 0}
        set lines {}
        foreach rank [$matrix ranks] {
            dict set lines $rank [dict merge [list rank $rank] $zero]
        }
        foreach pair [$matrix pairs] {
            dict with pair {
                foreach {rank key amount} [list $from sent $count  $from sent_bytes $bytes  $to received $count \
                        $to received_bytes $bytes  $to late_sender $late_sender  $from late_receiver $late_receiver] {
                    dict set lines $rank $key [expr {[dict get $lines $rank $key] + $amount}]
                }
            }
        }
        return [dict values $lines]
    }

    # The text of a cell. LONGEST: the longest time of the column; all times of the column have the unit that suits it.
    method cell {kind amount longest} {
        switch $kind {
            number { return [::pithtk::number [expr {wide($amount)}]] }
            bytes { return [::pith::board::bytes $amount] }
            duration { return [expr {$amount ? [::pith::board::time_in_column [expr {wide($amount)}] $longest] : {}}] }
            default { return $amount }
        }
    }

    method sorted {} {
        set columns [lmap {name title kind} [my columns] {set name}]
        if {$order ni $columns} {
            set order [lindex $columns end-1]
            set falling 1
        }
        set how [expr {$order eq "name" ? "-dictionary" : "-real"}]
        set keyed [lmap line [my lines] {list [dict get $line $order] $line}]
        return [lmap pair [lsort $how [expr {$falling ? "-decreasing" : "-increasing"}] -index 0 $keyed] {
            lindex $pair 1
        }]
    }

    # Fills the table with at most 2000 lines, because nobody reads more, and filling takes time.
    method fill_table {} {
        if {[my wants_waiting_first]} {
            return
        }
        set columns [my columns]
        $tree delete [$tree children {}]
        $tree configure -show headings -columns [lmap {name title kind} $columns {set name}]
        foreach least {80 64} { ;# least width of a column; 64 if not all titles fit with 80
            set widths [lmap {name title kind} $columns {
                expr {max([px $least], [font measure TkHeadingFont $title] + [px 12])}
            }]
            if {[::tcl::mathop::+ {*}$widths] <= [winfo width $tree]} {
                break
            }
        }
        foreach {name title kind} $columns width $widths {
            set side [expr {$name eq "name" ? "w" : "e"}]
            $tree heading $name -text $title -anchor $side -command [list [self] sort_by $name]
            $tree column $name -width $width -minwidth 50 -anchor $side
        }
        set lines [my sorted]
        set longest [lmap {name title kind} $columns {
            expr {$kind eq "duration" ? [::tcl::mathfunc::max 0 {*}[lmap line $lines {dict get $line $name}]] : 0}
        }]
        foreach line [lrange $lines 0 1999] {
            $tree insert {} end -values [lmap {name title kind} $columns most $longest {my cell $kind [dict get $line $name] $most}]
        }
        my say [my totals]
        if {[llength $lines] > 2000} {
            my say "the first 2000 of [llength $lines] lines; the command `matrix save FILE.csv` writes all.   [my totals]"
        }
    }

    method totals {} {
        if {$matrix eq {}} {
            return {}
        }
        set all [$matrix totals]
        dict with all {}
        return "all: [::pithtk::number $count] messages, [::pith::board::bytes $bytes]; waited for late senders\
            [::pithtk::duration $late_sender], late receivers [::pithtk::duration $late_receiver]"
    }

    # The table needs the times of waiting for late partners. If the matrix was computed without them, computes it again
    # with them, in a job, and returns 1. Otherwise returns 0.
    method wants_waiting_first {} {
        if {$had_late || $matrix eq {}} {
            return 0
        }
        set had_late 1
        my renew 0
        return 1
    }

    method know_late {} {
        if {[my wants_waiting_first]} {
            my wait
        }
    }

    # Sorts the table by a column. Tk calls this a moment after a click on the heading, so the page may have been closed
    # meanwhile.
    method sort_by {column} {
        if {![winfo exists $tree]} {
            return
        }
        set falling [expr {$column eq $order ? !$falling : $column ni {name from to rank}}]
        set order $column
        my fill_table
    }

    method go_to_line {} {
        set place [$tree index [lindex [$tree selection] 0]]
        if {$by eq "pairs" && [$tree selection] ne {}} {
            my go_to_pair [lindex [my sorted] $place]
        }
    }

    method go_to_pair {pair} {
        if {[dict exists $pair longest]} {
            my go_to [dict create kind message hit [dict get $pair longest]]
        }
    }

    # ---- Words

    method word_matrix {args} {
        if {$args eq {close}} {
            my close
            return
        }
        my open
        my wait
        set what [lindex $args 0]
        switch -- $what {
            {} {}
            of { my set_scope {*}[lrange $args 1 end] }
            comm { my set_comm {*}[lrange $args 1 end] }
            log { set logarithmic [string is true -strict [lindex $args 1]]; my draw }
            pair { return [my pair_of {*}[lrange $args 1 2]] }
            ranks { my zoom_ranks {*}[lrange $args 1 end] }
            save { my save [lindex $args 1] }
            default { my set_value $what }
        }
        my wait
        return {}
    }

    # The command `late`. Shows the table by pairs, ranks or states, and returns its lines as dicts.
    method word_late {{what ranks}} {
        if {$what ni {pairs ranks states}} {
            throw {PITH USAGE} "late: must be pairs, ranks or states"
        }
        my open
        my wait
        if {![my wants_late]} {
            my set_value late_sender
        }
        my wait
        set by $what
        $board.body.book select 1
        my fill_table
        return [my sorted]
    }

    method pair_of {from to} {
        my know_late
        foreach pair [$matrix pairs] {
            if {[dict get $pair from] == $from && [dict get $pair to] == $to} {
                return $pair
            }
        }
        return {}
    }

    # Saves a screenshot if FILE ends with .png; otherwise writes all values for each pair of sender and receiver.
    method save {file} {
        if {[file extension $file] eq ".png"} {
            my picture $file
            return
        }
        my know_late
        set analyzed [expr {[[$window part Waiting] is_ready] && $comm eq "all"}]
        set names {from to count bytes time_s bandwidth late_sender_s late_receiver_s waiting_s}
        set lines [lmap pair [$matrix pairs] {
            dict with pair {
                set waited [::pith::words::seconds $waiting]
                if {!$analyzed} {
                    set waited {}
                }
                list $from $to $count $bytes [::pith::words::seconds $time] [format %.0f $bandwidth] \
                    [::pith::words::seconds $late_sender] [::pith::words::seconds $late_receiver] \
                    $waited
            }
        }]
        ::pith::board::write $file [linsert $lines 0 $names]
    }
}

::pith::part::add Matrix {
    words {
        matrix {?VALUE?} {communication matrix of count, bytes, time, bandwidth, late_sender, late_receiver or waiting} word_matrix
        late   {?ranks?} {waiting for late senders and receivers, by ranks, pairs or states}                 word_late
    }
    keys {{x} {x} {communication matrix} {matrix}}
    menus {Statistics {"Communication matrix..." matrix x  "Late senders and receivers..." late {}}}
}
