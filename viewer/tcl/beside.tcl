# beside.tcl - another log below this one, on the same time axis, a part of the window: a second model and second time
# lines that follow the first (pairing.tcl), a bar between them that says how long both are and how they are aligned,
# and the sums of both side by side (pair_table.tcl).

oo::class create ::pith::Beside {
    variable window model
    variable other      ;# the model of the other log; {} none: nothing of what follows is there
    variable pairing timeline choice details pointer table
    variable rows       ;# what arranges its rows (rows.tcl)
    variable ranges     ;# its mountain ranges (ranges.tcl), as those of the first log
    variable top second ;# the toplevel; the frame of the other log
    variable align_text offset_text fitted difference ;# in the bar
    variable following  ;# 1: what is told was caused here
    variable pending    ;# after id of a look to come
    variable drag       ;# {x offset} of a Ctrl-drag under way; {} none

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set top [$window top]
        set second $top.panes.second
        set other {}
        set pending {}
        set following 0
        set drag {}
    }

    destructor {
        my take_away 0
    }

    method other {} { return $other }
    method pairing {} { return $pairing }

    # What a window has, of the other log: for a part that is there in both.
    method model {} { return $other }
    method timeline {} { return $timeline }
    method pointer {} { return $pointer }
    method choice {} { return $choice }
    method taller {factor} { $other set_row_height [expr {max(2, round([$other row_height] * $factor))}] }
    method top {} { return $top }

    # ---- Putting it there

    method put_beside {path} {
        set read [::pith::Model new [::pith::opening::open $path]]
        my take_away 1
        set other $read
        set stack [ttk::panedwindow $top.panes.stack -orient vertical]
        ttk::frame $second
        set timeline [::pith::Timeline new $second.time $other]
        set choice [::pith::Choice new $timeline $other]
        set details [::pith::Details new $timeline $other]
        set pointer [::pith::Pointer new $timeline $choice $details $other]
        my build_bar [ttk::frame $second.bar -padding {0 2}]
        pack $second.bar -side top -fill x
        pack $second.time -side top -fill both -expand 1
        $top.panes forget $top.panes.time
        $top.panes insert 0 $stack -weight 1
        foreach pane [list $top.panes.time $second] {
            $stack add $pane -weight 1
            raise $pane
        }
        grid remove $second.time.h $second.time.overview
        set rows [::pith::Rows new [self]]
        set table [::pith::PairTable new $top.panes.legend.pair $model $other [my names]]
        grid $top.panes.legend.pair -row 80 -column 0 -columnspan 9 -sticky nsew
        grid rowconfigure $top.panes.legend 80 -weight 1
        my bind_offset
        set ranges [::pith::Ranges new [self]]
        $ranges follow [list [self] same_ranges $ranges [$window part Ranges]]
        [$window part Ranges] follow [list [self] same_ranges [$window part Ranges] $ranges]
        my same_ranges [$window part Ranges] $ranges
        set pairing [::pith::Pairing new $model $other [list [self] aligned]]
        $model follow [list [self] changed]
        $other follow [list [self] other_changed]
        $timeline after_drawing [list [self] same_columns]
        [$window timeline] after_drawing [list [self] same_columns]
        wm title $top "[join [my names] {, }] - Pith"
        my make_room
        my aligned
        set pending [after idle [namespace code {my first_look}]]
    }

    # When all has its place: as high as the first; and after the first picture, messages and counters.
    method first_look {} {
        set pending {}
        set me [self]
        update idletasks
        if {[info object isa object $me] && $other ne {}} { ;# that may have closed it
            catch {$top.panes.stack sashpos 0 [expr {[winfo height $top.panes.stack] / 2}]}
            set pending [after 10 [list $other digest]]
        }
    }

    method make_room {} {
        set wanted [expr {min([winfo screenheight $top] * 9 / 10, [winfo height $top] * 3 / 2)}]
        if {[wm state $top] eq "normal" && [winfo height $top] > 1} {
            wm geometry $top [winfo width $top]x[expr {max($wanted, [winfo height $top])}]
        }
    }

    # The window as it was. RESTORE 0: it goes itself.
    method take_away {restore} {
        if {$other eq {}} {
            return
        }
        after cancel $pending
        $model unfollow [list [self] changed]
        $other unfollow [list [self] other_changed]
        catch {[$window part Ranges] follow {}}
        foreach object [list $pairing $table $ranges $rows $pointer $details $choice $timeline $other] {
            $object destroy
        }
        set other {}
        if {!$restore} {
            return
        }
        [$window timeline] not_after_drawing [list [self] same_columns]
        grid rowconfigure $top.panes.legend 80 -weight 0
        $top.panes.stack forget $top.panes.time
        $top.panes forget $top.panes.stack
        destroy $top.panes.stack $second
        $top.panes insert 0 $top.panes.time -weight 1
        foreach column {0 2} {
            grid columnconfigure $top.panes.time $column -minsize 0
        }
        wm title $top "[file tail [$model path]] - Pith"
    }

    # Of files of the same name, with their folders.
    method names {} {
        set paths [list [file normalize [$model path]] [file normalize [$other path]]]
        set names [lmap path $paths {file tail $path}]
        if {[lindex $names 0] eq [lindex $names 1]} {
            set names [lmap path $paths {file join {*}[lrange [file split $path] end-1 end]}]
        }
        return $names
    }

    # ---- The bar

    method build_bar {bar} {
        ttk::label $bar.name -text [lindex [my names] 1] -style Bold.TLabel -padding {10 0 8 0}
        ttk::label $bar.difference -textvariable [my varname difference] -style Faint.TLabel
        ttk::label $bar.by -text "moved by"
        ttk::entry $bar.offset -textvariable [my varname offset_text] -width 10
        bind $bar.offset <Return> [list [self] typed]
        ttk::menubutton $bar.align -textvariable [my varname align_text] -style Toolbutton -menu $bar.align.menu
        menu $bar.align.menu -tearoff 0
        $bar.align.menu add command -label "At the starts" -command [list [self] word_align start]
        $bar.align.menu add command -label "At the ends of MPI_Init" -command [list [self] word_align init]
        ttk::checkbutton $bar.fitted -text "Fitted" -style Toolbutton -takefocus 0 -variable [my varname fitted] \
            -command [list [self] switched]
        ttk::button $bar.close -text "\u00d7" -style Toolbutton -takefocus 0 -padding {6 0} \
            -command [list after idle [list [self] take_away 1]]
        pack $bar.name -side left
        pack $bar.close $bar.fitted $bar.align $bar.offset $bar.by -side right -padx 2
        pack $bar.difference -side left
    }

    method typed {} {
        if {[catch {my word_offset $offset_text} text]} {
            $window say $text
            my aligned
        }
        focus [[$window timeline] plot]
    }

    method switched {} { $pairing set_fitted $fitted }

    # Told by the pairing. Times that are others than those above get an axis of their own.
    method aligned {} {
        if {![info exists pairing] || ![info object isa object $pairing]} {
            return
        }
        set align_text [expr {[$pairing align] eq "init" ? "At the ends of MPI_Init" : "At the starts"}]
        set offset_text [::pithtk::duration [$pairing offset]]
        set fitted [$pairing fitted]
        grid [expr {[$pairing is_same] ? "remove" : "configure"}] $second.time.axis $second.time.corner
        my tell
    }

    # How long both are, and what is selected in both.
    method tell {} {
        lassign [lmap log [list $model $other] {
            lassign [$log log_time] from to
            expr {$to - $from}
        }] first later
        # What matters stands first: in narrow windows the end is cut off.
        set difference "[::pith::pair::change $first $later]: [::pithtk::duration $first] above,\
            [::pithtk::duration $later] here"
        if {[$model selection] ne {} && [$other selection] ne {}} {
            lassign [lmap log [list $model $other] {
                lassign [$log selection] from to
                expr {$to - $from}
            }] first later
            append difference ";   selected [::pithtk::duration $first]"
            if {abs($first - $later) > 2} {
                append difference " and [::pithtk::duration $later]"
            }
        }
    }

    # ---- Following

    method changed {what} {
        switch $what {
            pointer { my shadow $model $pointer $timeline to_second }
            selection - log { my tell }
        }
    }

    # What is under the pointer here is told at the foot, as what is above is.
    method other_changed {what} {
        switch $what {
            pointer {
                my shadow $other [$window pointer] [$window timeline] to_first
                set there [$other pointer]
                $model set_pointer [expr {[dict exists $there lines] ? [dict filter $there key time lines] : {}}]
            }
            selection { my tell }
        }
    }

    # The line of the pointer in the other time lines.
    method shadow {from its_pointer its_timeline map} {
        if {$drag ne {}} {
            return
        }
        set x {}
        if {[dict exists [$from pointer] time]} {
            set x [expr {round([$its_timeline x_of [$pairing $map [dict get [$from pointer] time]]])}]
        }
        $its_pointer shadow $x
    }

    # Mountain ranges are seen in both, of the same states in the same order.
    method same_ranges {from to} {
        if {!$following} {
            set following 1
            try {
                $to restore [$from state]
            } finally {
                set following 0
            }
        }
    }

    # One above the other: labels and scroll bars as wide in both.
    method same_columns {} {
        if {$other eq {} || ![winfo exists $second.time.v]} {
            return
        }
        set upper $top.panes.time
        set lower $second.time
        set labels [expr {max([winfo reqwidth $upper.labels], [winfo reqwidth $lower.labels])}]
        set bars [expr {max([my bar_width $upper.v], [my bar_width $lower.v])}]
        foreach frame [list $upper $lower] {
            grid columnconfigure $frame 0 -minsize $labels
            grid columnconfigure $frame 2 -minsize $bars
        }
    }

    method bar_width {bar} { expr {[grid info $bar] eq {} ? 0 : [winfo reqwidth $bar]} }

    # ---- Ctrl-drag: by hand to another place

    method bind_offset {} {
        set plot [$timeline plot]
        bind $plot <Control-Button-1> [list [self] grip %x]
        bind $plot <Control-B1-Motion> [list [self] pull %x]
        bind $plot <ButtonRelease-1> "+[list [self] let_go]"
    }

    method grip {x} { set drag [list $x [$pairing offset]] }

    method pull {x} {
        if {$drag ne {}} {
            lassign $drag from offset
            set width [winfo width [$timeline plot]]
            $pairing set_offset [expr {$offset + wide(double($x - $from) * [$model span] / max(1, $width))}]
        }
    }

    method let_go {} { set drag {} }

    method flush {} {
        if {$other ne {}} {
            $timeline flush
            $ranges flush
            $table flush
        }
    }

    # ---- Words

    # LOG; none; offset, align, fitted, difference, table.
    method word {{what {}} args} {
        if {$what eq {}} {
            return [expr {$other eq {} ? {} : [$other path]}]
        }
        if {$what in {none offset align fitted difference table window}} {
            if {$other eq {}} {
                return -code error -errorcode {PITH USAGE} "beside $what: there is no other log: beside LOG"
            }
            my word_$what {*}$args
        } else {
            my put_beside $what
        }
    }

    method word_none {} { my take_away 1 }
    method word_offset {{time {}}} {
        if {$time ne {}} {
            $pairing set_offset [::pith::words::time [regsub {\s+(?=[a-z])} $time {}]]
        }
        return [::pith::words::seconds [$pairing offset]]
    }
    method word_align {how} {
        if {$how ni {start init}} {
            return -code error -errorcode {PITH USAGE} "beside align: start or init"
        }
        $pairing set_align $how
    }
    method word_fitted {on} { $pairing set_fitted [string is true -strict $on] }
    method word_difference {} { return $difference }
    method word_window {} { return [lmap time [$other window] {::pith::words::seconds $time}] }
    method word_table {} {
        my flush
        return [lmap row [$table rows] {
            lassign $row name first later
            list $name [::pith::words::seconds $first] [::pith::words::seconds $later]
        }]
    }

    method choose_other {} {
        set path [tk_getOpenFile -parent $top -title "A log beside this one"]
        if {$path ne {} && [catch {my put_beside $path} text]} {
            $window complain $text
        }
    }
}

::pith::part::add Beside {
    words {
        beside {LOG|none|...} {another log below, on one time axis; also offset, align, fitted, difference, table} word
        choose_beside {} {ask for the log, and put it beside this one} choose_other
    }
    menus {Log {"Beside this: another log..." choose_beside {} "Alone again" {beside none} {}}}
}
