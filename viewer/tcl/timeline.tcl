# timeline.tcl - the time lines: axis, row labels, the picture that the C core draws, scrollbars, and what the pointer
# does in it.
#
# Nothing is drawn at once: changes of the model ask for a redraw when Tk is idle, and many changes make one redraw.

oo::class create ::pith::Timeline {
    variable model
    variable path                 ;# the frame
    variable axis labels plot     ;# canvases
    variable overview             ;# the strip below
    variable photo                ;# the picture
    variable width height         ;# of the plot, pixels
    variable pending              ;# after id of the redraw to come
    variable refining             ;# after id of the next helping that makes a rough picture right
    variable drag                 ;# dict of the drag under way: kind, x, from...; {} none
    variable label_width
    variable hover                ;# after id of the look at what is under the pointer
    variable at                   ;# x y of the pointer in the plot; {} outside
    variable card_for             ;# hit shown as a card

    constructor {parent its_model} {
        set model $its_model
        set path [ttk::frame $parent]
        set width 1
        set height 1
        set pending {}
        set refining {}
        set hover {}
        set drag {}
        set at {}
        set card_for {}
        set photo [image create photo]
        my build
        my bind_pointer
        my measure_labels
        $model follow [list [self] changed]
    }

    destructor {
        after cancel $pending
        after cancel $hover
        $overview destroy
        image delete $photo
    }

    method plot {} { return $plot }
    method photo {} { return $photo }

    # ---- Widgets

    method build {} {
        set paper [::pith::theme::colour paper]
        set options [list -highlightthickness 0 -borderwidth 0 -background $paper]
        set axis [canvas $path.axis {*}$options -height 26]
        set labels [canvas $path.labels {*}$options -width 60]
        set plot [canvas $path.plot {*}$options -cursor crosshair -width 900 -height 420]
        canvas $path.corner {*}$options -height 26 -width 60
        ttk::scrollbar $path.h -orient horizontal -command [list [self] scroll_time]
        ttk::scrollbar $path.v -orient vertical -command [list [self] scroll_rows]
        grid $path.corner $axis -sticky nsew
        grid $labels $plot $path.v -sticky nsew
        set overview [::pith::Overview new $path.overview $model]
        grid x $path.h -sticky nsew
        grid x $path.overview -sticky nsew
        grid columnconfigure $path 1 -weight 1
        grid rowconfigure $path 1 -weight 1
        $plot create image 0 0 -anchor nw -image $photo -tags picture
        $plot create line -1 0 -1 0 -fill [::pith::theme::colour accent] -tags cursor -state hidden
        $path.corner create text 10 13 -anchor w -tags base -font PithSmall -fill [::pith::theme::colour faint]
    }

    # ---- Following the model

    method changed {what} {
        switch $what {
            pointer {}
            rows - digest { my measure_labels; my fill_height; my redraw }
            default { my redraw }
        }
    }

    method redraw {} {
        if {$pending eq {}} {
            set pending [after idle [namespace code {my draw}]]
        }
    }

    method resized {w h} {
        set width $w
        set height $h
        my fill_height
        my redraw
    }

    # As long as nobody chose a height, rows fill the window within reason.
    method fill_height {} {
        if {[$model row_count] && $height > 1} {
            $model set_row_height [expr {max(11, min(44, ($height - 2) / [$model row_count]))}] 1
        }
    }

    # Rows that fit as a whole, and the last row that may stand on top.
    method rows_in_view {} {
        expr {max(1, $height / [$model row_height])}
    }

    method last_first {} {
        expr {max(0, [$model row_count] - [my rows_in_view])}
    }

    # Draws now if there is something to draw, and until it is right.
    method flush {} {
        if {$pending ne {}} {
            after cancel $pending
            my draw
        }
        while {$refining ne {}} {
            after cancel $refining
            my refine
        }
        $overview flush
    }

    # A rough picture is made right when nobody asks for another one.
    method refine_soon {drawn} {
        set refining {}
        if {[dict get $drawn rough]} {
            set refining [after 10 [namespace code {my refine}]]
        }
    }

    method refine {} {
        set refining {}
        if {[winfo exists $plot] && $width > 1 && $pending eq {}} {
            my refine_soon [[$model log] refine $photo {*}[my what_is_drawn]]
        }
    }

    method what_is_drawn {} {
        list {*}[$model window] $width $height [$model first_row] [$model row_height] \
            [expr {[$model arrows] ? 3000 : 0}]
    }

    method draw {} {
        set pending {}
        if {![winfo exists $plot] || $width <= 1} {
            return
        }
        lassign [$model window] t0 t1
        if {[$model first_row] > [my last_first]} {
            $model scroll_to [my last_first]
        }
        try {
            after cancel $refining
            set refining {}
            my refine_soon [[$model log] draw $photo {*}[my what_is_drawn]]
        } trap {PITH LOG} text {
            # A part of the file is damaged: the rest is drawn, what is wrong is said.
            $model set_trouble $text
        }
        my draw_axis $t0 $t1
        my draw_labels
        my set_scrollbars $t0 $t1
        $plot delete outline
        my look_soon
    }

    method draw_axis {t0 t1} {
        $axis delete all
        set faint [::pith::theme::colour faint]
        set marks [lassign [[$model log] ticks $t0 $t1 $width 90] base]
        foreach {x label} $marks {
            set x [expr {int($x)}]
            $axis create line $x 20 $x 26 -fill [::pith::theme::colour edge]
            if {$x > 14 && $x < $width - 14} {
                $axis create text $x 12 -text $label -font PithSmall -fill $faint
            }
        }
        $axis create line 0 25 $width 25 -fill [::pith::theme::colour edge]
        $path.corner itemconfigure base -text $base
    }

    method measure_labels {} {
        set widest 40
        foreach row [$model rows] {
            set widest [expr {max($widest, [font measure TkDefaultFont [dict get $row label]])}]
        }
        set label_width [expr {min($widest, 190) + 20}]
        $labels configure -width $label_width
        $path.corner configure -width $label_width
    }

    method draw_labels {} {
        $labels delete all
        set pixels [$model row_height]
        set every [expr {max(1, int(ceil(13.0 / $pixels)))}]
        set row [$model first_row]
        for {set y 0} {$y < $height && $row < [$model row_count]} {incr y [expr {$pixels * $every}]; incr row $every} {
            set entry [lindex [$model rows] $row]
            $labels create text 10 [expr {$y + $pixels / 2}] -anchor w -text [dict get $entry label] \
                -fill [::pith::theme::colour [expr {[dict get $entry kind] eq "states" ? "text" : "faint"}]]
        }
        $labels create line [expr {$label_width - 1}] 0 [expr {$label_width - 1}] $height \
            -fill [::pith::theme::colour edge]
    }

    # ---- Scrolling

    method set_scrollbars {t0 t1} {
        lassign [$model whole] first last
        set span [expr {double($last - $first)}]
        $path.h set [expr {($t0 - $first) / $span}] [expr {($t1 - $first) / $span}]
        set rows [expr {double(max(1, [$model row_count]))}]
        set from [expr {[$model first_row] / $rows}]
        set to [expr {min(1.0, ([$model first_row] + double($height) / [$model row_height]) / $rows)}]
        $path.v set $from $to
        if {$from <= 0 && $to >= 1} {
            grid remove $path.v
        } else {
            grid $path.v
        }
    }

    method scroll_time {how amount {unit {}}} {
        lassign [$model whole] first last
        lassign [$model window] t0 t1
        if {$how eq "moveto"} {
            set from [expr {$first + wide(($last - $first) * $amount)}]
            $model set_window $from [expr {$from + $t1 - $t0}]
        } else {
            $model pan [expr {$amount * ($unit eq "pages" ? 0.9 : 0.1)}]
        }
    }

    method scroll_rows {how amount {unit {}}} {
        if {$how eq "moveto"} {
            my scroll_to [expr {int(round([$model row_count] * $amount))}]
        } else {
            my scroll_to [expr {[$model first_row] + $amount * ($unit eq "pages" ? max(1, [my rows_in_view] - 1) : 1)}]
        }
    }

    method scroll_to {row} {
        $model scroll_to [expr {max(0, min($row, [my last_first]))}]
    }

    method all_rows_seen {} {
        expr {[$model row_count] * [$model row_height] <= $height}
    }

    # ---- Pixels and time

    method time_at {x} {
        lassign [$model window] t0 t1
        expr {$t0 + wide(double($x) * ($t1 - $t0) / $width)}
    }

    method x_of {time} {
        lassign [$model window] t0 t1
        expr {double($time - $t0) / ($t1 - $t0) * $width}
    }

    # The row under y, or -1.
    method row_at {y} {
        set row [expr {[$model first_row] + int($y) / [$model row_height]}]
        expr {$y >= 0 && $row < [$model row_count] ? $row : -1}
    }

    # ---- Pointer

    method bind_pointer {} {
        set me [self]
        bind $plot <Configure> [list $me resized %w %h]
        bind $plot <Motion> [list $me moved %x %y]
        bind $plot <Leave> [list $me left]
        bind $plot <Button-1> [list $me press %x %y zoom]
        bind $plot <Shift-Button-1> [list $me press %x %y move]
        bind $plot <Button-2> [list $me press %x %y move]
        bind $plot <B1-Motion> [list $me dragged %x %y]
        bind $plot <B2-Motion> [list $me dragged %x %y]
        bind $plot <ButtonRelease-1> [list $me release %x %y]
        bind $plot <ButtonRelease-2> [list $me release %x %y]
        bind $plot <Double-Button-1> [list $me zoom_to_pointed]
        foreach widget [list $plot $labels $axis] {
            # Tk 8.6 reports the wheel as buttons under X11, Tk 9 as MouseWheel.
            foreach {button steps} {4 1 5 -1} {
                bind $widget <Button-$button> [list $me wheel %x $steps {}]
                bind $widget <Control-Button-$button> [list $me wheel %x $steps zoom]
                bind $widget <Shift-Button-$button> [list $me wheel %x $steps pan]
            }
            bind $widget <MouseWheel> "$me wheel %x \[expr {%D > 0 ? 1 : -1}\] {}"
            bind $widget <Control-MouseWheel> "$me wheel %x \[expr {%D > 0 ? 1 : -1}\] zoom"
            bind $widget <Shift-MouseWheel> "$me wheel %x \[expr {%D > 0 ? 1 : -1}\] pan"
        }
    }

    method wheel {x steps how} {
        if {$how eq {}} {
            set how [expr {[my all_rows_seen] ? "zoom" : "rows"}]
        }
        switch $how {
            zoom { $model zoom_about [expr {$steps > 0 ? 0.8 : 1.25}] [my time_at $x] }
            pan { $model pan [expr {-0.1 * $steps}] }
            rows { my scroll_rows scroll [expr {-2 * $steps}] units }
        }
    }

    method press {x y kind} {
        my close_card
        focus $plot
        set drag [dict create kind $kind x $x y $y from [$model window] moved 0]
    }

    method dragged {x y} {
        if {$drag eq {}} {
            return
        }
        set by [expr {$x - [dict get $drag x]}]
        if {abs($by) > 3} {
            dict set drag moved 1
        }
        if {[dict get $drag kind] eq "move"} {
            lassign [dict get $drag from] t0 t1
            set shift [expr {wide(double($by) * ($t1 - $t0) / $width)}]
            $model set_window [expr {$t0 - $shift}] [expr {$t1 - $shift}]
        } elseif {[dict get $drag moved]} {
            my show_selection [dict get $drag x] $x
        }
    }

    method show_selection {x0 x1} {
        $plot delete selection
        set accent [::pith::theme::colour accent]
        $plot create rectangle $x0 -2 $x1 [expr {$height + 2}] -outline $accent -fill $accent -stipple gray25 \
            -tags selection
        set span [expr {abs([my time_at $x1] - [my time_at $x0])}]
        set text [$plot create text [expr {($x0 + $x1) / 2}] 14 -text [::pithtk::duration $span] -font PithBold \
            -fill [::pith::theme::colour text] -tags selection]
        lassign [$plot bbox $text] a b c d
        $plot create rectangle [expr {$a - 4}] [expr {$b - 2}] [expr {$c + 4}] [expr {$d + 2}] \
            -fill [::pith::theme::colour paper] -outline $accent -tags selection
        $plot raise $text
    }

    method release {x y} {
        if {$drag eq {}} {
            return
        }
        set was $drag
        set drag {}
        $plot delete selection
        if {[dict get $was kind] eq "zoom"} {
            if {[dict get $was moved]} {
                set x0 [expr {max(0, min($x, [dict get $was x]))}]
                set x1 [expr {min($width, max($x, [dict get $was x]))}]
                $model zoom [my time_at $x0] [my time_at $x1]
            } else {
                my open_card $x $y
            }
        }
    }

    method moved {x y} {
        set at [list $x $y]
        $plot coords cursor $x 0 $x $height
        $plot itemconfigure cursor -state normal
        my look_soon
    }

    method left {} {
        set at {}
        $plot itemconfigure cursor -state hidden
        $plot delete outline
        $model set_pointer {}
    }

    # ---- What is under the pointer

    method look_soon {} {
        if {$hover eq {} && $at ne {}} {
            set hover [after idle [namespace code {my look}]]
        }
    }

    method look {} {
        set hover {}
        if {$at ne {} && [winfo exists $plot]} {
            if {[catch {my what_is_at {*}$at} what]} {
                return
            }
            my outline $what
            $model set_pointer $what
        }
    }

    # A frame around the state, a line along the message that is told of.
    method outline {what} {
        $plot delete outline
        if {![dict exists $what kind]} {
            return
        }
        set hit [dict get $what hit]
        set accent [::pith::theme::colour accent]
        switch [dict get $what kind] {
            state {
                set x0 [expr {max(-5, [my x_of [dict get $hit start]])}]
                set x1 [expr {min($width + 5, max($x0 + 1, [my x_of [dict get $hit end]]))}]
                set line [expr {[my row_at [lindex $at 1]] - [$model first_row]}]
                set y0 [expr {$line * [$model row_height] + [dict get $hit top]}]
                set y1 [expr {$y0 + [dict get $hit height]}]
                $plot create rectangle [expr {$x0 - 1}] [expr {$y0 - 1}] $x1 $y1 -outline white -width 3 -tags outline
                $plot create rectangle [expr {$x0 - 1}] [expr {$y0 - 1}] $x1 $y1 -outline $accent -width 1 -tags outline
            }
            arrow {
                lassign [dict get $hit line] x0 y0 x1 y1
                # X11 has 16 bits for a coordinate; Tk clips, but not billions.
                if {max(abs($x0), abs($x1)) < 30000} {
                    $plot create line $x0 $y0 $x1 $y1 -fill white -width 4 -tags outline
                    $plot create line $x0 $y0 $x1 $y1 -fill $accent -width 2 -arrow last -tags outline
                }
            }
        }
        $plot raise cursor
        $plot raise selection
    }

    # A dict: time; and, if there is something, kind, hit (as the core gave it) and lines {word value ...} for people.
    method what_is_at {x y} {
        set what [dict create time [my time_at $x]]
        set row [my row_at $y]
        if {$row < 0} {
            return $what
        }
        foreach kind {event arrow state} {
            set hit [my ${kind}_at $row $x $y]
            if {$hit ne {}} {
                return [dict merge $what [dict create kind $kind hit $hit lines [my ${kind}_lines $hit]]]
            }
        }
        return $what
    }

    # Events are drawn in the upper third of a row, and looked for there.
    method event_at {row x y} {
        if {int($y) % [$model row_height] > [$model row_height] * 0.4} {
            return {}
        }
        set reach [expr {max(1, [my time_at 5] - [my time_at 0])}]
        return [[$model log] eventat $row [my time_at $x] $reach]
    }

    method arrow_at {row x y} {
        if {![$model arrows]} {
            return {}
        }
        # The core looks among the arrows of its last picture, which must be of this window.
        my flush
        return [[$model log] arrowat $x $y]
    }

    method state_at {row x y} {
        set from [my time_at $x]
        set to [expr {max($from + 1, [my time_at [expr {$x + 1}]])}]
        return [[$model log] stateat $row $from $to [expr {int($y) % [$model row_height]}] [$model row_height]]
    }

    method place_of {hit} {
        set place "rank [dict get $hit rank]"
        if {[dict get $hit thread]} {
            append place " thread [dict get $hit thread]"
        }
        return $place
    }

    method state_lines {hit} {
        set start [dict get $hit start]
        set end [dict get $hit end]
        set fine [expr {max(1, ($end - $start) / 1000)}]
        set lines [list {} [dict get $hit name] on [my place_of $hit] from [::pithtk::time $start $fine] \
            to [::pithtk::time $end $fine] for [::pithtk::duration [expr {$end - $start}]]]
        if {![dict get $hit ended]} {
            lappend lines {} "(and longer)"
        }
        if {[dict get $hit depth]} {
            lappend lines depth [dict get $hit depth]
        }
        return $lines
    }

    method event_lines {hit} {
        set lines [list {} [dict get $hit name] on [my place_of $hit] at [::pithtk::time [dict get $hit start] 1]]
        if {[dict get $hit payload] ne {}} {
            lappend lines with [dict get $hit payload]
        }
        if {[dict get $hit count] > 1} {
            lappend lines {} "([expr {[dict get $hit count] - 1}] more near by)"
        }
        return $lines
    }

    method arrow_lines {hit} {
        set span [expr {[dict get $hit end] - [dict get $hit start]}]
        set lines [list {} message from "rank [dict get $hit from]" to "rank [dict get $hit to]" \
            size "[::pithtk::number [dict get $hit bytes]] bytes" tag [dict get $hit tag] \
            sent [::pithtk::time [dict get $hit start] 1] took [::pithtk::duration $span]]
        if {$span > 0 && [dict get $hit bytes]} {
            lappend lines rate [format {%.4g MB/s} [expr {[dict get $hit bytes] * 1e3 / $span}]]
        }
        return $lines
    }

    # ---- The card of details

    method open_card {x y} {
        my close_card
        set what [my what_is_at $x $y]
        if {![dict exists $what lines]} {
            return
        }
        set card [ttk::frame $plot.card -style Card.TFrame -padding {10 7}]
        set line 0
        foreach {word value} [dict get $what lines] {
            ttk::label $card.w$line -text $word -style CardFaint.TLabel
            ttk::label $card.v$line -text $value -style [expr {$line ? "Card.TLabel" : "CardBold.TLabel"}]
            if {$line} {
                grid $card.w$line $card.v$line -sticky w
                grid configure $card.w$line -padx {0 8}
            } else {
                grid $card.v$line -columnspan 2 -sticky w
            }
            incr line
        }
        update idletasks
        set left [expr {min($x + 12, $width - [winfo reqwidth $card] - 4)}]
        set top [expr {min($y + 12, $height - [winfo reqheight $card] - 4)}]
        place $card -x [expr {max(2, $left)}] -y [expr {max(2, $top)}]
    }

    method close_card {} {
        catch {destroy $plot.card}
    }

    method zoom_to_pointed {} {
        set hit [expr {[dict exists [$model pointer] hit] ? [dict get [$model pointer] hit] : {}}]
        set drag {}
        if {$hit ne {} && [dict get $hit end] > [dict get $hit start]} {
            my close_card
            set margin [expr {([dict get $hit end] - [dict get $hit start]) / 5 + 1}]
            $model zoom [expr {[dict get $hit start] - $margin}] [expr {[dict get $hit end] + $margin}]
        }
    }
}
