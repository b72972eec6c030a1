# ranges.tcl - mountain ranges: a picture below the timelines that shows how many processes are in each state over time.
# Each state is a layer, and the layers are stacked. The class Ranges has the commands and the settings: which states
# are shown, in which order, and whether outermost or innermost states are counted.

oo::class create ::pith::Ranges {
    variable window model
    variable pane      ;# the RangesPane; {} until it is shown first
    variable shown     ;# 1: the pane is visible
    variable order     ;# ids of all states seen, from the bottom up
    variable chosen    ;# ids of the states shown; {}: all states
    variable smooth    ;# 1: smooth, 0: stepped
    variable outermost ;# 1: counts outermost states, 0: innermost states
    variable follower  ;# script called after every change; {} none

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        lassign {} pane order chosen follower
        set shown 0
        set smooth 0
        set outermost 0
    }

    destructor {
        if {$pane ne {}} {
            $pane destroy
        }
    }

    method pane {} { return $pane }
    method chosen {} { return $chosen }
    method depth {} { expr {$outermost ? "outermost" : "innermost"} }
    method look {} { list $smooth $order $chosen }
    method switch_name {name} { my varname $name }
    method follow {script} { set follower $script }

    method set_shown {on} {
        set shown [expr {!!$on}]
        if {$shown && $pane eq {}} {
            set pane [::pith::RangesPane new [self] $window]
        }
        if {$pane ne {}} {
            $pane [expr {$shown ? "show" : "hide"}]
        }
        my notify
    }

    method notify {} {
        if {$follower ne {}} {
            {*}$follower
        }
    }

    method flush {} {
        if {$shown} {
            $pane flush
        }
    }

    # Called when the user has clicked on a checkbutton of the pane.
    method switched {name} {
        my redraw [expr {$name eq "outermost"}]
    }

    method redraw {anew} {
        if {$shown} {
            $pane [expr {$anew ? "load_soon" : "draw_soon"}]
        }
        my notify
    }

    # ---- The order of layers

    # Adds layers for new states. TIMES: each state in the time shown, and its time there. States that had no layer yet
    # get one on top of the others; of several new states, the one with the longest time is the lowest.
    method take_states {times} {
        foreach {id time} [lsort -integer -decreasing -stride 2 -index 1 $times] {
            if {$id ni $order} {
                lappend order $id
            }
        }
    }

    method is_above {id other} {
        expr {[lsearch -exact $order $id] > [lsearch -exact $order $other]}
    }

    # Moves a layer to the place of another one.
    method move {id other} {
        set place [lsearch -exact $order $other]
        set order [linsert [lsearch -all -inline -not -exact $order $id] $place $id]
        my redraw 0
    }

    method order_by_time {} {
        set order {}
        if {$pane ne {}} {
            my take_states [[$model log] rangestimes]
        }
        my redraw 0
    }

    # Moves the layers of IDS to the bottom, in this order.
    method put_first {ids} {
        set order [concat $ids [lmap id $order {if {$id in $ids} continue; set id}]]
        my redraw 0
    }

    method put_last {ids} {
        set order [concat [lmap id $order {if {$id in $ids} continue; set id}] $ids]
        my redraw 0
    }

    method choose {ids} {
        set chosen $ids
        my redraw 0
    }

    method fill_menu {menu id} {
        if {$id >= 0} {
            $menu add command -label [$model name $id] -state disabled
            $menu add command -label "To the bottom" -command [list [self] put_first $id]
            $menu add command -label "To the top" -command [list [self] put_last $id]
            $menu add command -label "Show only this" -command [list [self] choose $id]
            $menu add command -label "Hide this" -command [list [self] leave_out $id]
            $menu add separator
        }
        $menu add command -label "Show all states" -command [list [self] choose {}]
        $menu add command -label "Order by time" -command [list [self] order_by_time]
    }

    method leave_out {id} {
        set from [expr {$chosen eq {} ? $order : $chosen}]
        my choose [lmap other $from {if {$other == $id} continue; set other}]
    }

    # ---- State: saved with the view (view_state.tcl), copied to a second log (beside.tcl)

    # Returns the ids of the states of this log that have one of NAMES.
    method ids {names} {
        return [lmap id [$model ids_named $names] {
            if {[dict get [$model def $id] kind] ne "state"} continue
            set id
        }]
    }

    method state {} {
        if {$pane eq {}} {
            return {}
        }
        return [list shown $shown height [$pane height] outermost $outermost smooth $smooth \
            order [$model names $order] chosen [$model names $chosen]]
    }

    method restore {state} {
        if {$state eq {}} {
            return
        }
        foreach key {outermost smooth} {
            set $key [string is true -strict [dict get $state $key]]
        }
        set ids [my ids [dict get $state order]]
        set order [concat $ids [lmap id $order {if {$id in $ids} continue; set id}]]
        set chosen [my ids [dict get $state chosen]]
        if {[string is true -strict [dict get $state shown]]} {
            my set_shown 1
            $pane set_height [dict get $state height]
        } elseif {$shown} {
            my set_shown 0
        }
    }

    # ---- Words

    # The command `ranges`. Without arguments, it returns `on` if the mountain ranges are shown, otherwise `off`.
    method word {{what {}} args} {
        set words {on off toggle order depth smooth only height at}
        if {$what eq {}} {
            return [expr {$shown ? "on" : "off"}]
        }
        if {$what ni $words} {
            throw {PITH USAGE} "ranges $what: must be one of [join $words {, }]"
        }
        my word_$what {*}$args
    }

    method word_on {} { my set_shown 1 }
    method word_off {} { my set_shown 0 }
    method word_toggle {} { my set_shown [expr {!$shown}] }

    method states_like {patterns} {
        set ids {}
        foreach pattern $patterns {
            set found [lmap id [$model ids_like $pattern] {
                if {[dict get [$model def $id] kind] ne "state"} continue
                set id
            }]
            if {$found eq {}} {
                throw {PITH USAGE} "ranges: no state is called $pattern[$model nearest $pattern state]"
            }
            lappend ids {*}$found
        }
        return $ids
    }

    # The command `ranges order`. With names of states, it moves their layers to the bottom; with `time`, it orders all
    # layers by time. Returns the names of the states from the bottom up.
    method word_order {args} {
        if {$args eq "time"} {
            my order_by_time
        } elseif {$args ne {}} {
            my put_first [my states_like $args]
        }
        return [$model names $order]
    }

    method word_depth {which} {
        if {$which ni {innermost outermost}} {
            throw {PITH USAGE} "ranges depth: innermost or outermost"
        }
        set outermost [expr {$which eq "outermost"}]
        my redraw 1
    }

    method word_smooth {on} {
        set smooth [string is true -strict $on]
        my redraw 0
    }

    method word_only {args} { my choose [my states_like $args] }

    method word_height {{pixels {}}} {
        if {$pane eq {}} {
            my set_shown 1
        }
        if {$pixels ne {}} {
            $pane set_height $pixels
        }
        return [$pane height]
    }

    # The command `ranges at`. Returns the states at a time and how many processes are in each, from the bottom up, as a
    # list of {NAME PROCESSES}.
    method word_at {time} {
        if {!$shown} {
            my set_shown 1
        }
        $window word_sync
        set x [expr {int([[$window timeline] x_of [::pith::words::time $time]])}]
        set values [dict get [[$model log] rangesat $x 0] values]
        return [lmap id $order {
            if {![dict exists $values $id]} continue
            list [$model name $id] [format %.4f [dict get $values $id]]
        }]
    }
}

::pith::part::add Ranges {
    words {ranges {?on|off|...?} {show the processes per state, stacked; also order, depth, smooth, only, height, at} word}
    keys {{M} {Shift-m} {processes per state, stacked (mountain ranges)} {ranges toggle}}
    menus {Statistics {"Processes per state" {ranges toggle} M}}
}

# The pane of the mountain ranges below the timelines, with the same time axis. It has the picture, a scale, and a bar
# above them by which the user drags its height; it also handles the pointer. The class Ranges has the settings.

oo::class create ::pith::RangesPane {
    variable ranges model timeline pointer
    variable bar scale plot ;# bar above; scale on the left; picture
    variable photo
    variable height         ;# height of the picture, pixels
    variable pending        ;# after id of draw
    variable stale          ;# 1: the lanes must be counted again
    variable loaded_width   ;# width for which the lanes were counted, pixels
    variable job            ;# exact count; {} none
    variable job_pending    ;# after id of its start
    variable drag           ;# dict of the current drag; {} none
    variable done_text      ;# progress of the job

    # ITS_RANGES: the object with the settings.
    constructor {its_ranges window} {
        set ranges $its_ranges
        set model [$window model]
        set timeline [$window timeline]
        set pointer [$window pointer]
        set photo [image create photo]
        set height [px 130]
        foreach field {pending job job_pending drag done_text} {
            set $field {}
        }
        set stale 1
        set loaded_width 0
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
        set paper [colour paper]
        set bar [ttk::frame $frame.rangesbar -cursor sb_v_double_arrow]
        set scale [canvas $frame.rangesscale -highlightthickness 0 -borderwidth 0 -background $paper -width 10]
        set plot [canvas $frame.rangesplot -highlightthickness 0 -borderwidth 0 -background $paper -cursor crosshair \
            -width 10]
        $plot create image 0 0 -anchor nw -image $photo
        $plot create line -1 0 -1 0 -fill [colour accent] -tags cursor -state hidden
        my build_bar
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
        ::pith::bind_wheel $plot {} [list $pointer wheel %x 1 zoom] [list $pointer wheel %x -1 zoom]
        ::pith::bind_wheel $plot Shift- [list $pointer wheel %x 1 pan] [list $pointer wheel %x -1 pan]
        bind $plot <Configure> [list [self] resized]
        my set_height $height
    }

    method build_bar {} {
        ttk::label $bar.title -text "[my unit] per state" -style Faint.TLabel -padding [list [px 10] 1] -cursor sb_v_double_arrow
        ttk::label $bar.done -textvariable [my varname done_text] -style Faint.TLabel -padding {6 1} \
            -cursor sb_v_double_arrow
        ttk::button $bar.close -text "\u00d7" -style Toolbutton -takefocus 0 -cursor arrow -padding {6 0} \
            -command [list $ranges set_shown 0]
        foreach {name text} {smooth Smooth outermost Outermost} {
            ttk::checkbutton $bar.$name -text $text -style Toolbutton -takefocus 0 -cursor arrow -padding {6 1} \
                -variable [$ranges switch_name $name] -command [list $ranges switched $name]
        }
        ttk::button $bar.all -text "Show all states" -style Toolbutton -takefocus 0 -cursor arrow -padding {6 1} \
            -command [list $ranges choose {}]
        pack $bar.title $bar.done -side left
        pack $bar.close $bar.smooth $bar.outermost -side right
        foreach widget [list $bar $bar.title $bar.done] {
            bind $widget <Button-1> [list [self] begin_sash_drag %Y]
            bind $widget <B1-Motion> [list [self] drag_sash %Y]
        }
    }

    method unit {} {
        return [expr {[$model info lanes] == [$model info ranks] ? "Processes" : "Threads"}]
    }

    method show {} {
        my grow_window
        grid $bar -row 4 -column 0 -columnspan 2 -sticky nsew
        grid $scale -row 5 -column 0 -sticky nsew
        grid $plot -row 5 -column 1 -sticky nsew
        my may_be_lower
        event generate [$timeline path] <<Panes>>
        my load_soon
    }

    # Allows the layout to make the pane lower than its chosen height if there is little room, but not so low that the
    # scale cannot be read.
    method may_be_lower {} { grid rowconfigure [$timeline path] 5 -weight 1 -minsize [px 40] }

    # Makes the window higher, so that there is room for the pane. A window that is already high stays as it is.
    method grow_window {} {
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
        grid rowconfigure [$timeline path] 5 -weight 0 -minsize 0
        event generate [$timeline path] <<Panes>>
    }

    method is_shown {} { expr {[grid info $plot] ne {}} }

    # ---- The sash

    # Sets the height of the pane. If the timelines have little room, the layout makes the pane lower.
    method set_height {pixels} {
        set height [expr {max([px 40], min(2000, int($pixels)))}]
        $plot configure -height $height
        $scale configure -height $height
        event generate [$timeline path] <<Panes>>
        my draw_soon
    }

    method begin_sash_drag {y} {
        set drag [dict create kind sash y $y height [expr {min($height, [winfo height $plot])}] \
            most [expr {[winfo height [$timeline path]] - [$timeline needs] + $height}]]
    }

    method drag_sash {y} {
        if {[dict exists $drag kind] && [dict get $drag kind] eq "sash"} {
            my set_height [expr {min([dict get $drag height] + [dict get $drag y] - $y, [dict get $drag most])}]
        }
    }

    # ---- Drawing

    method changed {what} {
        switch $what {
            pointer { my follow_pointer }
            log { my stop_job }
            selection - trouble - reading - searchable - waiting - left_out - exact - message_filter - picking - picked {}
            size - colours { my draw_soon }
            theme {
                if {[my is_shown]} {
                    my may_be_lower
                }
                my draw_soon
            }
            default { my load_soon }
        }
    }

    method resized {} {
        if {[winfo width $plot] == $loaded_width} {
            my draw_soon
        } else {
            my load_soon
        }
    }

    method load_soon {} {
        set stale 1
        my draw_soon
    }

    method draw_soon {} {
        if {$pending eq {} && [my is_shown]} {
            set pending [after idle [namespace code {my draw}]]
        }
    }

    # Draws now if a redraw is pending, and waits until the exact count has ended.
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
            set stale 0
            set loaded_width $width
            my stop_job
            set loaded [[$model log] rangesload {*}[$model window] $width [$ranges depth]]
            $ranges take_states [[$model log] rangestimes]
            if {[dict get $loaded more]} {
                set job_pending [after 1 [namespace code {my more}]]
            } elseif {[dict get $loaded rough]} {
                set job_pending [after 150 [namespace code {my start_job}]]
            }
        }
        $bar.title configure -text "[my unit] per state[expr {[$ranges chosen] eq {} ? {} : { (some)}}]"
        if {[$ranges chosen] eq {}} {
            pack forget $bar.all
        } else {
            pack $bar.all -side right
        }
        lassign [$ranges look] smooth order chosen
        set high [winfo height $plot]
        set step [[$model log] rangesdraw $photo $high $smooth $order $chosen]
        set lanes [dict get [[$model log] rangesat 0 0] lanes]
        $scale delete all
        set right [winfo width $scale]
        set half [expr {[font metrics PithSmall -linespace] / 2}]
        set marks {}
        for {set mark 0} {$mark <= $lanes} {incr mark $step} {
            lappend marks $mark
        }
        if {($lanes - [lindex $marks end]) * $high >= 13 * $lanes} {
            lappend marks $lanes
        }
        foreach mark $marks {
            set y [expr {$high - round(double($mark) / max(1, $lanes) * $high)}]
            $scale create line [expr {$right - 5}] $y $right $y -fill [colour edge]
            $scale create text [expr {$right - 8}] [expr {max($half, min($high - $half, $y))}] -anchor e -text $mark \
                -font PithSmall -fill [colour faint]
        }
        $scale create line [expr {$right - 1}] 0 [expr {$right - 1}] $high -fill [colour edge]
    }

    # Refines a rough picture step by step, then starts the exact count.
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
        set job [[$model log] rangesexact [list [self] job_event]]
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

    # A job calls this when WHAT has happened. `stopped` is ignored, because it may come from an earlier job while the
    # present one runs.
    method job_event {what {value {}}} {
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
        set state [dict get $there state]
        set lines [my lines $there]
        $plot delete note
        if {$state < 0} {
            return
        }
        set text [$plot create text [expr {$x + 12}] [expr {$y - 6}] -anchor sw -font PithSmall -tags note \
            -fill [colour text] -text "[lindex $lines 1]\n[lindex $lines 3], [lindex $lines 5]"]
        lassign [$plot bbox $text] a b c d
        set left [expr {$c + 8 > [winfo width $plot] ? $a - $c - 24 : 0}]
        $plot move $text $left [expr {max(0, 4 - $b)}]
        lassign [$plot bbox $text] a b c d
        $plot create rectangle [expr {$a - 5}] [expr {$b - 3}] [expr {$c + 5}] [expr {$d + 3}] -tags note \
            -fill [colour paper] -outline [colour edge]
        $plot raise $text
    }

    # Describes a place in the picture by a list of names and values in turn, as details.tcl describes a record.
    method lines {there} {
        set state [dict get $there state]
        set lanes [dict get $there lanes]
        set values [dict get $there values]
        if {$state >= 0} {
            set count [expr {[dict exists $values $state] ? [dict get $values $state] : 0.0}]
            set name [$model name $state]
        } else {
            set count [expr {max(0, $lanes - [::tcl::mathop::+ {*}[dict values $values]])}]
            set name "no state"
        }
        list {} $name {} "[format %.4g $count] of $lanes [string tolower [my unit]]" \
            {} [format {%.1f %%} [expr {100.0 * $count / max(1, $lanes)}]]
    }

    method left {} {
        $pointer shadow {}
        $plot delete note
        $model set_pointer {}
    }

    # Draws a line at the time under the pointer, even if the pointer is not in this pane but in another one with the
    # same time axis.
    method follow_pointer {} {
        if {![my is_shown]} {
            return
        }
        if {![dict exists [$model pointer] time]} {
            $plot itemconfigure cursor -state hidden
            return
        }
        set x [expr {round([$timeline x_of [dict get [$model pointer] time]])}]
        $plot coords cursor $x 0 $x [winfo height $plot]
        $plot itemconfigure cursor -state normal
        $plot raise cursor
    }

    # ---- Drags: they move a layer to another place, or the picture in time

    method press {x y kind} {
        set drag [dict create kind $kind x $x y $y window [$model window] state [my layer_at $x $y]]
        focus [$timeline plot]
    }

    method dragged {x y} {
        if {$drag eq {} || [dict get $drag kind] eq "sash"} {
            return
        }
        if {[dict get $drag kind] eq "move"} {
            lassign [dict get $drag window] t0 t1
            set shift [expr {wide(double($x - [dict get $drag x]) * ($t1 - $t0) / [winfo width $plot])}]
            $model set_window [expr {$t0 - $shift}] [expr {$t1 - $shift}]
            return
        }
        # Moves the dragged layer to the place of the layer under the pointer. Which layer this is, is looked up at the
        # x where the drag began, because there the dragged layer is visible.
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

    # Handles a double click. It shows only the state under the pointer; if not all states are shown, it shows all
    # again.
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
