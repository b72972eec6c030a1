# timeline.tcl - the timelines: the axis, the row labels (labels.tcl), the picture that the drawing core draws, and the
# scrollbars. pointer.tcl handles the pointer.
#
# After a change of the model, the picture is drawn when Tk is idle, so that several changes in a row cause only one
# drawing.

oo::class create ::pith::Timeline {
    # The widgets are in a grid. Its rows 2 to 7 are for panes with the same time axis, such as that of ranges.tcl. Code
    # that shows or hides a pane, or changes its height, sends the event <<Panes>> to the frame. If a pane may become
    # lower when there is little room, its row of the grid has a weight of 1 and a least size.

    variable model
    variable path                 ;# frame
    variable axis plot            ;# canvases
    variable labels               ;# column of row labels
    variable overview             ;# strip below
    variable photo                ;# picture
    variable width height         ;# width and height of the plot, pixels
    variable pending              ;# after id of the redraw
    variable refining             ;# after id of the next refinement of a rough picture
    variable rough_since          ;# milliseconds of the clock when the picture became rough; {} it is exact
    variable lit                  ;# {from to}: times outside this interval are drawn pale; {0 0}: nothing is pale
    variable drawn                ;# scripts called after each drawing

    constructor {parent its_model} {
        set model $its_model
        # The frame draws no background, because its children cover it completely: `build` puts frames where there would
        # be no other widget.
        set path [frame $parent -background {}]
        set width 1
        set height 1
        lassign {} pending refining rough_since drawn
        set lit {0 0}
        # Uses the type of image that the user prefers, if it is available here; otherwise the fastest available type.
        set way [::pith::preferences::get image]
        set ways [::pithtk::paper .]
        if {$way ni $ways} {
            set way [lindex $ways 0]
        }
        set photo [expr {$way eq "photo" ? [image create photo] : [image create pithpaper -way $way]}]
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

    method plot {} { return $plot }
    method axis {} { return $axis }
    method labels {} { return $labels }
    method photo {} { return $photo }
    method size {} { list $width $height }

    # Lets SCRIPT run after each drawing of the picture, for example to draw something over it.
    method after_drawing {script} { lappend drawn $script }
    method not_after_drawing {script} { set drawn [lsearch -all -inline -not -exact $drawn $script] }

    # ---- Widgets

    method build {} {
        set paper [colour paper]
        set options [list -highlightthickness 0 -borderwidth 0 -background $paper]
        set axis [canvas $path.axis {*}$options -height [px 26]]
        set plot [canvas $path.plot {*}$options -cursor crosshair -width 900 -height 1]
        canvas $path.corner {*}$options -height [px 26] -width 60
        set labels [::pith::Labels new $path.labels $path.corner $plot $model]
        ttk::scrollbar $path.h -orient horizontal -command [list [self] scroll_time]
        ttk::scrollbar $path.v -orient vertical -command [list [self] scroll_rows]
        grid $path.corner $axis -sticky nsew
        grid $path.labels $plot $path.v -sticky nsew
        set overview [::pith::Overview new $path.overview $model]
        grid $path.h -row 8 -column 1 -sticky nsew
        grid $path.overview -row 9 -column 1 -sticky nsew
        grid columnconfigure $path 1 -weight 1
        # Reserves room for the vertical scrollbar even while it is hidden. So the picture keeps its width, and need not
        # be drawn again, when the scrollbar appears.
        grid columnconfigure $path 2 -minsize [winfo reqwidth $path.v]
        # The rows of the timelines get all the room that the panes leave. If less than their least height is left,
        # panes whose row of the grid has a weight become lower.
        grid rowconfigure $path 1 -weight 1000 -minsize [my least]
        # These frames are the background beside and below the scrollbars, and behind a hidden overview.
        foreach {name place} {side {-row 0 -rowspan 10 -column 2}  foot {-row 8 -rowspan 2 -column 0 -columnspan 3}} {
            frame $path.$name -background [colour panel]
            grid $path.$name {*}$place -sticky nsew
            lower $path.$name
        }
        bind $plot <Configure> [list [self] resized %w %h]
        bind $axis <Configure> [list [self] widened %w]
        $plot create image 0 0 -anchor nw -image $photo -tags picture
        if {[image type $photo] eq "pithpaper"} {
            $photo straight $plot picture
        }
        $path.corner create text 10 [px 13] -anchor w -tags base -font PithSmall -fill [colour faint]
    }

    # ---- Following the model

    method changed {what} {
        switch $what {
            pointer - reading - selection - left_out - exact - message_filter - picking {}
            rows - digest { my fill_height; my redraw }
            log { my learn_letters more }
            theme {
                $path.corner coords base 10 [px 13]
                my learn_letters new
            }
            default { my redraw }
        }
    }

    # Gives the drawing core pictures of letters, with which it writes names and durations into bars: ASCII, and all
    # other letters of the names in this log.
    method learn_letters {how} {
        set names [lmap def [dict values [$model defs]] {dict get $def name}]
        set ascii {}
        for {set code 32} {$code < 127} {incr code} {
            append ascii [format %c $code]
        }
        ::pithtk::font PithSmall $how "$ascii\u2026\u2009\u00b5[join $names {}]"
        my redraw
    }

    method redraw {} {
        if {$pending eq {}} {
            set pending [after idle [namespace code {my draw}]]
        }
    }

    # Called when the picture gets another size. Draws the first picture at once, because otherwise the canvas would
    # first appear empty.
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

    # Called when the axis gets another width. The picture has the same width, but Tk does not report it for the picture
    # if there is no height left for rows.
    method widened {w} {
        if {$width > 1} {
            my resized $w $height
        }
    }

    # The height that the rows get at least, so that a few of them stay visible.
    method least {} { return [px [expr {max(44, min(150, 22 * [$model row_count]))}]] }

    # The height that the timelines need, with axis, panes and scrollbar. It counts each pane with the height that the
    # pane asks for, so it is the same even if panes are lower now because there is little room.
    method needs {} {
        set needs [my least]
        foreach row {0 2 3 4 5 6 7} {
            set inside [lmap widget [grid slaves $path -row $row] {
                if {[dict get [grid info $widget] -rowspan] > 1} continue
                winfo reqheight $widget
            }]
            incr needs [::tcl::mathfunc::max 0 {*}$inside]
        }
        set sides {}
        foreach column {0 1} {
            lappend sides [::tcl::mathop::+ {*}[lmap widget [grid slaves $path -column $column] {
                if {[dict get [grid info $widget] -row] < 8 || [winfo class $widget] eq "Frame"} continue
                winfo reqheight $widget
            }]]
        }
        return [expr {$needs + [::tcl::mathfunc::max {*}$sides]}]
    }

    # Makes rows so high that they fill the window, but at least 11 and at most 64 pixels; if there are too many, they
    # scroll. Does nothing if the user has set a height.
    method fill_height {} {
        grid rowconfigure $path 1 -minsize [my least]
        if {[$model row_count] && $height > 1} {
            set pixels [expr {($height - 2) / [$model row_count]}]
            $model set_row_height [expr {max([px 11], min([px 64], $pixels))}] 1
        }
    }

    # `rows_in_view` returns how many rows fit into the picture. `last_first` returns the last row to which the picture
    # can scroll.
    method rows_in_view {} {
        expr {max(1, int($height / [$model row_height]))}
    }

    method last_first {} {
        expr {max(0, [$model row_count] - [my rows_in_view])}
    }

    # If a redraw is pending, draws now. The picture may be rough.
    method draw_pending {} {
        if {$pending ne {}} {
            after cancel $pending
            my draw
        }
    }

    # If a redraw is pending, draws now. Then draws again until the picture is exact.
    method flush {} {
        my draw_pending
        while {$refining ne {}} {
            after cancel $refining
            after 2
            my refine
        }
        $overview flush
    }

    # Draws the picture. If it is only a rough one (core/cells/cell_cache.h), draws it again after a while, until it is
    # exact. Waits three times as long as the drawing took, because on a large screen drawing takes long, and a moving
    # view would otherwise do nothing else.
    method put_picture {how} {
        after cancel $refining
        set refining {}
        set rough 1
        set began [clock milliseconds]
        try {
            set drew [[$model log] $how $photo {*}[my what_is_drawn]]
            set rough [dict get $drew rough]
            $model set_left_out [dict get $drew leftout]
            my tell_exact $how [expr {$rough ? [dict get $drew exact] : 1}]
        } trap {PITH LOG} text {
            # A chunk of the file is damaged; everything else has been drawn.
            $model set_trouble $text
        }
        if {$rough} {
            set refining [after [expr {max(30, 3 * ([clock milliseconds] - $began))}] [namespace code {my refine}]]
        }
    }

    # Lets the status line show how much of the picture is exact, if the picture stays rough for more than 0.3 s. Does
    # not do so earlier, because for a moving view Tk would draw this text with each picture.
    method tell_exact {how part} {
        if {$part == 1} {
            set rough_since {}
            $model set_exact 1
        } elseif {$rough_since eq {}} {
            set rough_since [clock milliseconds]
        } elseif {$how eq "refine" && [clock milliseconds] - $rough_since > 300} {
            $model set_exact $part
        }
    }

    # Returns 1 if the picture is not exact yet.
    method is_rough {} { expr {$pending ne {} || $refining ne {}} }

    method refine {} {
        set refining {}
        if {[winfo exists $plot] && $width > 1 && $pending eq {}} {
            my put_picture refine
        }
    }

    method what_is_drawn {} {
        list {*}[$model window] $width $height [$model first_row] [$model row_height] \
            [expr {[$model arrows] ? [::pith::preferences::get most_arrows] : 0}] \
            [expr {[$model arrows_way] eq "auto"}] {*}$lit
    }

    # Draws all times outside INTERVAL pale; {}: draws nothing pale.
    method light {interval} {
        set interval [expr {$interval eq {} ? {0 0} : $interval}]
        if {$interval ne $lit} {
            set lit $interval
            my redraw
        }
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
        my put_picture draw
        $axis delete all
        set faint [colour faint]
        set foot [px 26]
        set marks [lassign [[$model log] ticks $t0 $t1 $width [px 90] time] base]
        # The labels of the marks are relative to a time, the base. The base is written in the corner; if the corner is
        # too narrow, at the left end of the axis.
        set end [expr {[my base_fits $base] ? 0 : [font measure PithSmall $base] + [px 10]}]
        $path.corner itemconfigure base -text [expr {$end ? {} : $base}]
        if {$end} {
            $axis create text [px 2] [expr {$foot / 2 - 1}] -anchor w -text $base -font PithSmall -fill $faint -tags base
        }
        foreach {x label} $marks {
            set x [expr {int($x)}]
            $axis create line $x [expr {$foot - 6}] $x $foot -fill [colour edge]
            set half [expr {[font measure PithSmall $label] / 2 + 1}]
            if {$x - $half >= $end && $x + $half <= $width} {
                $axis create text $x [expr {$foot / 2 - 1}] -text $label -font PithSmall -fill $faint
            }
        }
        $axis create line 0 [expr {$foot - 1}] $width [expr {$foot - 1}] -tags edge -fill [colour edge]
        $labels draw $height
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
        foreach script $drawn {
            {*}$script
        }
    }

    method base_fits {base} { expr {10 + [font measure PithSmall $base] <= [$path.corner cget -width]} }

    # ---- Scrolling

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

    # Scrolls a row into view. Does nothing if ROW is -1.
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

    # The row at Y; -1 if there is none.
    method row_at {y} {
        expr {$y >= 0 ? [$model row_on [$model line_at $y]] : -1}
    }
}

# The strip below the timelines that shows the whole log. A frame on it marks the time that the timelines show; a click
# or a drag moves this time.

oo::class create ::pith::Overview {
    variable model
    variable path     ;# canvas
    variable photo faded shown ;# images: full colours; faded; full colours, only inside the frame
    variable placed   ;# 1: the canvas has the images
    variable width
    variable pending  ;# after id of the redraw to come
    variable grip     ;# during a drag: time from the start of the view to the pointer, ns

    constructor {canvas its_model} {
        set model $its_model
        set path $canvas
        foreach name {photo faded shown} {
            set $name [image create photo]
        }
        set placed 0
        set width 1
        set pending {}
        set grip 0
        canvas $path -height [my height] -highlightthickness 0 -borderwidth 0 \
            -background [colour paper] -cursor sb_h_double_arrow
        bind $path <Configure> [list [self] resized %w]
        bind $path <Button-1> [list [self] press %x]
        bind $path <B1-Motion> [list [self] drag %x]
        $model follow [list [self] changed]
    }

    destructor {
        after cancel $pending
        image delete $photo $faded $shown
    }

    method height {} { return [px 36] }

    method resized {w} {
        set width $w
        my redraw
    }

    method changed {what} {
        switch $what {
            time { my mark }
            rows - hidden - colours { my redraw }
            theme {
                $path configure -height [my height]
                my redraw
            }
        }
    }

    method photo {} { return $photo }

    # Places the images on the canvas, when they are first drawn. Doing this earlier would delay the first picture of
    # the timelines, because for the first photo image of a program, Tk requests 256 colours from the X server, one by
    # one.
    method place {} {
        if {!$placed} {
            set placed 1
            $path create image 0 3 -anchor nw -image $faded
            $path create image 0 3 -anchor nw -image $shown -tags shown
            $path create rectangle -9 -9 -9 -9 -outline [colour accent] -width 2 -tags window
        }
    }

    # Draws the overview later, after other idle work, so that the first picture of the timelines does not wait for it.
    method redraw {} {
        if {$pending eq {}} {
            set pending [after idle [namespace code {my draw_soon}]]
        }
    }

    method draw_soon {} {
        set pending [after 60 [namespace code {my draw}]]
    }

    # If a redraw is pending, draws now.
    method flush {} {
        if {$pending ne {}} {
            after cancel $pending
            my draw
        }
    }

    method draw {} {
        set pending {}
        if {![winfo exists $path] || $width <= 1} {
            return
        }
        my place
        catch {[$model log] overview $photo $faded {*}[$model whole] $width [expr {[my height] - 6}]}
        my mark
    }

    method x_of {time} {
        lassign [$model whole] first last
        expr {double($time - $first) / ($last - $first) * $width}
    }

    method time_at {x} {
        lassign [$model whole] first last
        expr {$first + wide(double($x) * ($last - $first) / $width)}
    }

    method mark {} {
        lassign [$model window] t0 t1
        set x0 [expr {max(0, min($width - 3, round([my x_of $t0])))}]
        set x1 [expr {min($width, max($x0 + 3, round([my x_of $t1])))}]
        if {[image width $photo] >= $x1} {
            $shown copy $photo -from $x0 0 $x1 [image height $photo] -shrink
            $path coords shown $x0 3
        }
        $path coords window [expr {max(1, $x0)}] 1 [expr {min($width - 1, $x1)}] [expr {[my height] - 2}]
    }

    # Called when the mouse button is pressed on the overview. If the pointer is inside the frame that marks the time
    # shown, a drag moves this time from where it is. Otherwise the time is first centred on the pointer.
    method press {x} {
        lassign [$model window] t0 t1
        set time [my time_at $x]
        set grip [expr {$time >= $t0 && $time < $t1 ? $time - $t0 : ($t1 - $t0) / 2}]
        my drag $x
    }

    method drag {x} {
        lassign [$model window] t0 t1
        set from [expr {[my time_at $x] - $grip}]
        $model set_window $from [expr {$from + $t1 - $t0}]
    }
}
