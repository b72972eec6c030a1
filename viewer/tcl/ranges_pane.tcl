# ranges_pane.tcl - the pane with the mountain ranges, below the time lines and with their time axis: its picture, the
# scale, a bar that is also the sash, and what the pointer does in it. What is shown and how is ranges.tcl's.

oo::class create ::pith::RangesPane {
    variable ranges model timeline pointer
    variable bar scale plot ;# the bar above; the scale at the left; the picture
    variable photo
    variable height         ;# of the picture, pixels
    variable pending        ;# after id of what is to come: load or draw
    variable stale          ;# 1: it must be counted anew
    variable job            ;# the one that counts exactly; {} none
    variable job_pending    ;# after id of its start
    variable drag           ;# dict of the drag under way; {} none
    variable done_text      ;# how far the job is

    # RANGES: whose `look` says depth, smooth, order, chosen.
    constructor {its_ranges window} {
        set ranges $its_ranges
        set model [$window model]
        set timeline [$window timeline]
        set pointer [$window pointer]
        set photo [image create photo]
        set height [::pith::theme::px 130]
        foreach field {pending job job_pending drag done_text} {
            set $field {}
        }
        set stale 1
        my build
        $model follow [list [self] changed]
    }

    destructor {
        after cancel $pending
        after cancel $job_pending
        my stop_job
        image delete $photo
        foreach widget [list $bar $scale $plot] {
            destroy $widget
        }
    }

    method plot {} { return $plot }
    method bar {} { return $bar }
    method photo {} { return $photo }
    method height {} { return $height }

    # ---- Widgets

    method build {} {
        set frame [$timeline path]
        set paper [::pith::theme::colour paper]
        set bar [ttk::frame $frame.rangesbar -cursor sb_v_double_arrow]
        set scale [canvas $frame.rangesscale -highlightthickness 0 -borderwidth 0 -background $paper -width 10]
        set plot [canvas $frame.rangesplot -highlightthickness 0 -borderwidth 0 -background $paper -cursor crosshair \
            -width 10]
        $plot create image 0 0 -anchor nw -image $photo
        $plot create line -1 0 -1 0 -fill [::pith::theme::colour accent] -tags cursor -state hidden
        my build_bar
        my bind_pointer
        bind $plot <Configure> [list [self] resized %w]
        my set_height $height
    }

    method build_bar {} {
        ttk::label $bar.title -text "[my unit] per state" -style Faint.TLabel -padding [list [::pith::theme::px 10] 1] -cursor sb_v_double_arrow
        ttk::label $bar.done -textvariable [my varname done_text] -style Faint.TLabel -padding {6 1} \
            -cursor sb_v_double_arrow
        ttk::button $bar.close -text "\u00d7" -style Toolbutton -takefocus 0 -cursor arrow -padding {6 0} \
            -command [list $ranges turn 0]
        foreach {name text} {smooth Smooth outermost Outermost} {
            ttk::checkbutton $bar.$name -text $text -style Toolbutton -takefocus 0 -cursor arrow -padding {6 1} \
                -variable [$ranges switch_name $name] -command [list $ranges switched $name]
        }
        ttk::button $bar.all -text "All states" -style Toolbutton -takefocus 0 -cursor arrow -padding {6 1} \
            -command [list $ranges choose {}]
        pack $bar.title $bar.done -side left
        pack $bar.close $bar.smooth $bar.outermost -side right
        foreach widget [list $bar $bar.title $bar.done] {
            bind $widget <Button-1> [list [self] grip %Y]
            bind $widget <B1-Motion> [list [self] pull %Y]
        }
    }

    method unit {} {
        return [expr {[$model info lanes] == [$model info ranks] ? "Processes" : "Threads"}]
    }

    method show {} {
        my make_room
        grid $bar -row 4 -column 0 -columnspan 2 -sticky nsew
        grid $scale -row 5 -column 0 -sticky nsew
        grid $plot -row 5 -column 1 -sticky nsew
        my load_soon
    }

    # A window just high enough for its rows gets higher.
    method make_room {} {
        set top [winfo toplevel $plot]
        set more [expr {$height + 24}]
        if {[winfo height [$timeline path]] < 3 * $more && [wm state $top] eq "normal" && [winfo height $top] > 1} {
            set most [expr {[winfo screenheight $top] * 9 / 10}]
            set wanted [expr {max([winfo height $top], min($most, [winfo height $top] + $more))}]
            wm geometry $top [winfo width $top]x$wanted
        }
    }

    method hide {} {
        my stop_job
        grid remove $bar $scale $plot
    }

    method is_shown {} { expr {[grid info $plot] ne {}} }

    # ---- The sash

    method set_height {pixels} {
        set most [expr {[winfo height [$timeline path]] - 160}]
        set height [expr {max(40, min($most > 60 ? $most : 2000, int($pixels)))}]
        $plot configure -height $height
        $scale configure -height $height
        my draw_soon
    }

    method grip {y} {
        set drag [dict create kind sash y $y height $height]
    }

    method pull {y} {
        if {[dict exists $drag kind] && [dict get $drag kind] eq "sash"} {
            my set_height [expr {[dict get $drag height] + [dict get $drag y] - $y}]
        }
    }

    # ---- Drawing

    method changed {what} {
        switch $what {
            pointer { my follow_pointer }
            log { my stop_job }
            selection - trouble - reading - searchable {}
            size - colours - theme { my draw_soon }
            default { my load_soon }
        }
    }

    method resized {width} { my load_soon }

    method load_soon {} {
        set stale 1
        my draw_soon
    }

    method draw_soon {} {
        if {$pending eq {} && [my is_shown]} {
            set pending [after idle [namespace code {my draw}]]
        }
    }

    # All that is still to be done, now.
    method flush {} {
        if {$pending ne {}} {
            after cancel $pending
            my draw
        }
        if {$job_pending ne {}} {
            after cancel $job_pending
            my start_job
        }
        while {$job ne {}} {
            vwait [my varname job]
        }
    }

    method draw {} {
        set pending {}
        set width [winfo width $plot]
        if {![winfo exists $plot] || ![my is_shown] || $width <= 1} {
            return
        }
        if {$stale} {
            my load $width
        }
        $bar.title configure -text "[my unit] per state[expr {[$ranges chosen] eq {} ? {} : { (some)}}]"
        if {[$ranges chosen] eq {}} {
            pack forget $bar.all
        } else {
            pack $bar.all -side right
        }
        lassign [$ranges look] smooth order chosen
        my draw_scale [[$model log] rangesdraw $photo $height $smooth $order $chosen]
    }

    method load {width} {
        set stale 0
        my stop_job
        set loaded [[$model log] rangesload {*}[$model window] $width [$ranges depth]]
        $ranges take_states [[$model log] rangestimes]
        if {[dict get $loaded more]} {
            set job_pending [after 1 [namespace code {my more}]]
        } elseif {[dict get $loaded rough]} {
            set job_pending [after 150 [namespace code {my start_job}]]
        }
    }

    method draw_scale {step} {
        set lanes [dict get [[$model log] rangesat 0 0] lanes]
        $scale delete all
        set right [winfo width $scale]
        set marks {}
        for {set mark 0} {$mark <= $lanes} {incr mark $step} {
            lappend marks $mark
        }
        if {($lanes - [lindex $marks end]) * $height >= 13 * $lanes} {
            lappend marks $lanes
        }
        foreach mark $marks {
            set y [expr {$height - round(double($mark) / max(1, $lanes) * $height)}]
            $scale create line [expr {$right - 5}] $y $right $y -fill [::pith::theme::colour edge]
            $scale create text [expr {$right - 8}] [expr {max(7, min($height - 7, $y))}] -anchor e -text $mark \
                -font PithSmall -fill [::pith::theme::colour faint]
        }
        $scale create line [expr {$right - 1}] 0 [expr {$right - 1}] $height -fill [::pith::theme::colour edge]
    }

    # The rest of a rough picture, in helpings; then the exact one.
    method more {} {
        set job_pending {}
        if {[[$model log] rangesmore]} {
            set job_pending [after 1 [namespace code {my more}]]
        } else {
            set job_pending [after 150 [namespace code {my start_job}]]
        }
        $ranges take_states [[$model log] rangestimes]
        my draw
    }

    # ---- Counting exactly

    method start_job {} {
        set job_pending {}
        my stop_job
        set job [[$model log] rangesexact [list [self] heard]]
    }

    method stop_job {} {
        after cancel $job_pending
        set job_pending {}
        if {$job ne {}} {
            catch {$job stop}
            set job {}
        }
        set done_text {}
    }

    # From the job. One that was stopped may still say so when another runs.
    method heard {what {value {}}} {
        switch $what {
            progress {
                if {$job ne {}} {
                    set done_text [format {exact: %.0f %%} [expr {$value * 100}]]
                }
            }
            done - failed {
                if {$what eq "failed" || $value} {
                    set done_text {}
                    set job {}
                    my draw_soon
                }
            }
        }
    }

    # ---- The pointer

    method bind_pointer {} {
        set me [self]
        bind $plot <Motion> [list $me moved %x %y]
        bind $plot <Leave> [list $me left]
        bind $plot <Button-1> [list $me press %x %y layer]
        bind $plot <Double-Button-1> [list $me double %x %y]
        bind $plot <Shift-Button-1> [list $me press %x %y move]
        bind $plot <Button-2> [list $me press %x %y move]
        bind $plot <Button-3> [list $me menu %x %y %X %Y]
        foreach button {1 2} {
            bind $plot <B$button-Motion> [list $me dragged %x %y]
            bind $plot <ButtonRelease-$button> [list $me release]
        }
        foreach {button steps} {4 1 5 -1} {
            bind $plot <Button-$button> [list $pointer wheel %x $steps zoom]
            bind $plot <Shift-Button-$button> [list $pointer wheel %x $steps pan]
        }
        bind $plot <MouseWheel> "$pointer wheel %x \[expr {%D > 0 ? 1 : -1}\] zoom"
        bind $plot <Shift-MouseWheel> "$pointer wheel %x \[expr {%D > 0 ? 1 : -1}\] pan"
    }

    method layer_at {x y} {
        set there [[$model log] rangesat $x $y]
        return [expr {[dict exists $there state] ? [dict get $there state] : -1}]
    }

    method moved {x y} {
        $pointer shadow $x
        set there [[$model log] rangesat $x $y]
        if {![dict exists $there state]} {
            return
        }
        $model set_pointer [dict create time [$timeline time_at $x] lines [my lines $there]]
        my draw_note $x $y [dict get $there state] [my lines $there]
    }

    # What is told of a place, as the details of a state are.
    method lines {there} {
        set state [dict get $there state]
        set lanes [dict get $there lanes]
        set values [dict get $there values]
        if {$state >= 0} {
            set count [expr {[dict exists $values $state] ? [dict get $values $state] : 0.0}]
            set name [dict get [$model def $state] name]
        } else {
            set count [expr {max(0, $lanes - [::tcl::mathop::+ {*}[dict values $values]])}]
            set name "no state"
        }
        list {} $name {} "[format %.4g $count] of $lanes [string tolower [my unit]]" \
            {} [format {%.1f %%} [expr {100.0 * $count / max(1, $lanes)}]]
    }

    method draw_note {x y state lines} {
        $plot delete note
        if {$state < 0} {
            return
        }
        set text [$plot create text [expr {$x + 12}] [expr {$y - 6}] -anchor sw -font PithSmall -tags note \
            -fill [::pith::theme::colour text] -text "[lindex $lines 1]\n[lindex $lines 3], [lindex $lines 5]"]
        lassign [$plot bbox $text] a b c d
        set left [expr {$c + 8 > [winfo width $plot] ? $a - $c - 24 : 0}]
        $plot move $text $left [expr {max(0, 4 - $b)}]
        lassign [$plot bbox $text] a b c d
        $plot create rectangle [expr {$a - 5}] [expr {$b - 3}] [expr {$c + 5}] [expr {$d + 3}] -tags note \
            -fill [::pith::theme::colour paper] -outline [::pith::theme::colour edge]
        $plot raise $text
    }

    method left {} {
        $pointer shadow {}
        $plot delete note
        $model set_pointer {}
    }

    # The line of the pointer, wherever it is.
    method follow_pointer {} {
        if {![my is_shown]} {
            return
        }
        if {![dict exists [$model pointer] time]} {
            $plot itemconfigure cursor -state hidden
            return
        }
        set x [expr {round([$timeline x_of [dict get [$model pointer] time]])}]
        $plot coords cursor $x 0 $x $height
        $plot itemconfigure cursor -state normal
        $plot raise cursor
    }

    # ---- Dragging: a layer to another place, or the paper

    method press {x y kind} {
        set drag [dict create kind $kind x $x y $y window [$model window] state [my layer_at $x $y]]
        focus [$timeline plot]
    }

    method dragged {x y} {
        if {$drag eq {}} {
            return
        }
        if {[dict get $drag kind] eq "move"} {
            lassign [dict get $drag window] t0 t1
            set shift [expr {wide(double($x - [dict get $drag x]) * ($t1 - $t0) / [winfo width $plot])}]
            $model set_window [expr {$t0 - $shift}] [expr {$t1 - $shift}]
            return
        }
        my drag_layer $y
    }

    # It changes places with the layer that the pointer comes to, in the column where it was taken.
    method drag_layer {y} {
        set state [dict get $drag state]
        set other [my layer_at [dict get $drag x] $y]
        set up [expr {$y < [dict get $drag y]}]
        dict set drag y $y
        if {$state < 0 || $other < 0 || $other == $state} {
            return
        }
        $plot configure -cursor fleur
        $plot delete note
        if {$up == [$ranges is_above $other $state]} {
            $ranges move $state $other
        }
    }

    method release {} {
        set drag {}
        $plot configure -cursor crosshair
    }

    # One state alone, and all again.
    method double {x y} {
        set drag {}
        set state [my layer_at $x $y]
        $ranges choose [expr {$state < 0 || [$ranges chosen] ne {} ? {} : $state}]
    }

    method menu {x y root_x root_y} {
        destroy $plot.menu
        $ranges fill_menu [menu $plot.menu -tearoff 0] [my layer_at $x $y]
        tk_popup $plot.menu $root_x $root_y
    }
}
