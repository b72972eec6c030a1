# timeline.tcl - the time lines: axis, row labels (labels.tcl), the picture that the C core draws, scrollbars. What the
# pointer does in it is pointer.tcl's.
#
# Nothing is drawn at once: changes of the model ask for a redraw when Tk is idle, and many changes make one redraw.

oo::class create ::pith::Timeline {
    variable model
    variable path                 ;# the frame
    variable axis plot            ;# canvases
    variable labels               ;# the column of row labels
    variable overview             ;# the strip below
    variable photo                ;# the picture
    variable width height         ;# of the plot, pixels
    variable pending              ;# after id of the redraw to come
    variable refining             ;# after id of the next helping that makes a rough picture right
    variable drawn                ;# list of scripts to be run after each drawing

    constructor {parent its_model} {
        set model $its_model
        # It paints nothing: what lies in it covers all of it (build_ground).
        set path [frame $parent -background {}]
        set width 1
        set height 1
        set pending {}
        set refining {}
        set drawn {}
        set photo [my create_image]
        my build
        $model follow [list [self] changed]
    }

    destructor {
        after cancel $pending
        after cancel $refining
        $labels destroy
        $overview destroy
        image delete $photo
    }

    method path {} { return $path }
    # On the way to the screen that is preferred, or the best there is.
    method create_image {} {
        set way [::pith::preferences::get image]
        set ways [::pithtk::paper .]
        if {$way ni $ways} {
            set way [lindex $ways 0]
        }
        return [expr {$way eq "photo" ? [image create photo] : [image create pithpaper -way $way]}]
    }

    method plot {} { return $plot }
    method axis {} { return $axis }
    method labels {} { return $labels }
    method photo {} { return $photo }
    method size {} { list $width $height }

    # What lies over the picture is put there again after each drawing.
    method after_drawing {script} { lappend drawn $script }
    method not_after_drawing {script} { set drawn [lsearch -all -inline -not -exact $drawn $script] }

    # ---- Widgets

    method build {} {
        set paper [::pith::theme::colour paper]
        set options [list -highlightthickness 0 -borderwidth 0 -background $paper]
        set axis [canvas $path.axis {*}$options -height [::pith::theme::px 26]]
        set plot [canvas $path.plot {*}$options -cursor crosshair -width 900 -height 420]
        canvas $path.corner {*}$options -height [::pith::theme::px 26] -width 60
        set labels [::pith::Labels new $path.labels $path.corner $plot $model]
        ttk::scrollbar $path.h -orient horizontal -command [list [self] scroll_time]
        ttk::scrollbar $path.v -orient vertical -command [list [self] scroll_rows]
        grid $path.corner $axis -sticky nsew
        grid $path.labels $plot $path.v -sticky nsew
        set overview [::pith::Overview new $path.overview $model]
        # Rows 2 to 7 are for panes that share the time axis (ranges.tcl).
        grid $path.h -row 8 -column 1 -sticky nsew
        grid $path.overview -row 9 -column 1 -sticky nsew
        grid columnconfigure $path 1 -weight 1
        # Room for the scrollbar also when it is not needed: the picture keeps its width, and is drawn once.
        grid columnconfigure $path 2 -minsize [winfo reqwidth $path.v]
        grid rowconfigure $path 1 -weight 1
        my build_ground [winfo reqwidth $path.v]
        bind $plot <Configure> [list [self] resized %w %h]
        $plot create image 0 0 -anchor nw -image $photo -tags picture
        if {[image type $photo] eq "pithpaper"} {
            $photo straight $plot picture
        }
        $path.corner create text 10 [::pith::theme::px 13] -anchor w -tags base -font PithSmall \
            -fill [::pith::theme::colour faint]
    }

    # Where nothing else may be: beside and below the scrollbars, and where the strip is when it is not shown.
    method build_ground {bar_width} {
        foreach {name place} [list \
            side [list -relx 1 -anchor ne -width $bar_width -relheight 1] \
            foot [list -rely 1 -anchor sw -relwidth 1 -height [::pith::theme::px 60]]] {
            frame $path.$name -background [::pith::theme::colour panel]
            place $path.$name {*}$place
            lower $path.$name
        }
    }

    # ---- Following the model

    method changed {what} {
        switch $what {
            pointer - reading {}
            rows - digest { my fill_height; my redraw }
            default { my redraw }
        }
    }

    method redraw {} {
        if {$pending eq {}} {
            set pending [after idle [namespace code {my draw}]]
        }
    }

    # The first picture is there when the canvas is shown for the first time, which else would be empty.
    method resized {w h} {
        if {$w != $width || $h != $height} {
            set first [expr {$width <= 1}]
            set width $w
            set height $h
            my fill_height
            my redraw
            if {$first} {
                my draw_pending
            }
        }
    }

    # As long as nobody chose a height, rows fill the window within reason.
    method fill_height {} {
        if {[$model row_count] && $height > 1} {
            set pixels [expr {($height - 2) / [$model row_count]}]
            $model set_row_height [expr {max([::pith::theme::px 11], min([::pith::theme::px 44], $pixels))}] 1
        }
    }

    # Rows that fit as a whole, and the last row that may stand on top.
    method rows_in_view {} {
        expr {max(1, int($height / [$model row_height]))}
    }

    method last_first {} {
        expr {max(0, [$model row_count] - [my rows_in_view])}
    }

    # Draws now if there is something to draw, as rough as it may be.
    method draw_pending {} {
        if {$pending ne {}} {
            after cancel $pending
            my draw
        }
    }

    # Draws now if there is something to draw, and until it is right.
    method flush {} {
        my draw_pending
        while {$refining ne {}} {
            after cancel $refining
            after 2
            my refine
        }
        $overview flush
    }

    # A picture that is rough gets better by itself (core/film.h): it is drawn again now and then until it is right. (Less
    # often where drawing takes long: on a large screen that moves, the window would do nothing else.)
    method put {how} {
        after cancel $refining
        set refining {}
        set rough 1
        set began [clock milliseconds]
        try {
            set rough [dict get [[$model log] $how $photo {*}[my what_is_drawn]] rough]
        } trap {PITH LOG} text {
            # A part of the file is damaged: the rest is drawn, what is wrong is said.
            $model set_trouble $text
        }
        if {$rough} {
            set refining [after [expr {max(30, 3 * ([clock milliseconds] - $began))}] [namespace code {my refine}]]
        }
    }

    # 1: what is seen is not right yet.
    method is_rough {} { expr {$pending ne {} || $refining ne {}} }

    method refine {} {
        set refining {}
        if {[winfo exists $plot] && $width > 1 && $pending eq {}} {
            my put refine
        }
    }

    method what_is_drawn {} {
        list {*}[$model window] $width $height [$model first_row] [$model row_height] \
            [expr {[$model arrows] ? [::pith::preferences::get most_arrows] : 0}]
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
        my put draw
        my draw_axis $t0 $t1
        $labels draw $height
        my set_scrollbars $t0 $t1
        foreach script $drawn {
            {*}$script
        }
    }

    method draw_axis {t0 t1} {
        $axis delete all
        set faint [::pith::theme::colour faint]
        set foot [::pith::theme::px 26]
        set marks [lassign [[$model log] ticks $t0 $t1 $width [::pith::theme::px 90]] base]
        foreach {x label} $marks {
            set x [expr {int($x)}]
            $axis create line $x [expr {$foot - 6}] $x $foot -fill [::pith::theme::colour edge]
            if {$x > 14 && $x < $width - 14} {
                $axis create text $x [expr {$foot / 2 - 1}] -text $label -font PithSmall -fill $faint
            }
        }
        $axis create line 0 [expr {$foot - 1}] $width [expr {$foot - 1}] -fill [::pith::theme::colour edge]
        $path.corner itemconfigure base -text $base
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

    # So that it is seen; -1: nothing happens.
    method show_row {row} {
        if {$row >= [$model pinned_count]} {
            set line [$model line_of $row]
            if {$line < 0 || $line >= [my rows_in_view]} {
                my scroll_to [expr {$row - max([$model pinned_count], [my rows_in_view] / 3)}]
            }
        }
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
        expr {$y >= 0 ? [$model row_on [$model line_at $y]] : -1}
    }
}
