# rows_derived.tcl - derived rows: a pane below the timelines, with the same time axis and rows. The user gives a
# formula, and colours show its value for each row over time (core/measure/derived.h). A text in the pane's head has the
# value under the pointer.

oo::class create ::pith::Derived {
    superclass ::pith::Board
    variable window model board interval job
    variable formula       ;# formula in use; {}: none, or the pane is closed
    variable typed         ;# text of the entry
    variable plot side photo
    variable found         ;# result, a command of tk/log_object.h; {}: none yet
    variable readout
    variable height        ;# height of the picture if there is enough room, pixels

    constructor {its_window} {
        next $its_window "Derived rows"
        lassign {} formula typed found readout plot side
        set height [px 150]
        set photo [image create photo]
        set board [[$window timeline] path].derived
    }

    destructor {
        my drop
        image delete $photo
        next
    }

    method is_open {} { winfo exists $board }

    # ---- The pane

    method show {} {
        if {[my is_open]} {
            return
        }
        set path [[$window timeline] path]
        set me [self]
        ttk::frame $board -padding {6 2}
        set body [ttk::frame $board.body]
        ttk::label $body.name -text "Derived:" -style Faint.TLabel
        ttk::entry $body.formula -textvariable [my varname typed]
        ttk::button $body.close -text "\u00d7" -width 2 -style Toolbutton -takefocus 0 -command [list $me close]
        ttk::label $body.readout -textvariable [my varname readout] -style Faint.TLabel -anchor w
        pack $body -fill x
        pack $body.name -side left
        pack $body.close -side right
        pack [my build_progress $body.progress] -side right
        pack $body.formula -side left -fill x -expand 1 -padx 4
        pack $body.readout -side left -fill x -expand 1
        set side [canvas $path.derivedside -highlightthickness 0 -borderwidth 0 -background [colour paper] -width 10 \
            -height $height]
        set plot [canvas $path.derivedplot -highlightthickness 0 -borderwidth 0 -background [colour paper] -width 10 \
            -height $height -cursor crosshair]
        $plot create image 0 0 -anchor nw -image $photo
        grid $board -row 6 -column 0 -columnspan 2 -sticky nsew
        grid $side -row 7 -column 0 -sticky nsew
        grid $plot -row 7 -column 1 -sticky nsew
        # If the timelines have little room, the layout makes the pane lower, so that the overview below it stays
        # visible.
        grid rowconfigure $path 7 -weight 1 -minsize [px 40]
        update idletasks ;# without this, the head has no size yet
        event generate $path <<Panes>>
        bind $body.formula <Return> [list $me entered]
        bind $body.formula <Escape> "[list focus [[$window timeline] plot]]; break"
        bind $plot <Configure> [list $me renew 60]
        bind $plot <Motion> [list $me moved %x %y]
        bind $plot <Leave> [list $me left]
        set pointer [$window pointer]
        ::pith::bind_wheel $plot {} [list $pointer wheel %x 1 zoom] [list $pointer wheel %x -1 zoom]
        ::pith::bind_wheel $plot Shift- [list $pointer wheel %x 1 pan] [list $pointer wheel %x -1 pan]
    }

    method close {} {
        set formula {}
        my stop
        my drop
        if {[my is_open]} {
            destroy $board $side $plot
            grid rowconfigure [[$window timeline] path] 7 -weight 0 -minsize 0
            event generate [[$window timeline] path] <<Panes>>
        }
    }

    # Called when the user has typed a formula. If it is wrong, it stays in the entry, and the text beside the entry
    # says what is wrong.
    method entered {} {
        if {[catch {my set_formula $typed} text]} {
            set readout $text
        }
    }

    method set_formula {text} {
        set text [string trim $text]
        if {$text eq {}} {
            my close
            return
        }
        [$model log] derivecheck $text
        set formula $text
        set typed $text
        my show
        my renew 0
    }

    # ---- Following

    method follows {} { return {time rows digest log size} }
    method new_interval {} { return [$model window] }

    # Starts the job that computes the rows. Does nothing if the user has not given a formula yet.
    method renew {after_ms} {
        if {$formula ne {}} {
            next $after_ms
        }
    }

    # The height of the picture. Before Tk has laid it out, the height that it is going to have.
    method high {} { return [expr {[winfo height $plot] > 1 ? [winfo height $plot] : $height}] }

    method ask {callback} {
        return [[$model log] derive $formula {*}$interval [expr {max(1, [winfo width $plot])}] [my high] $callback]
    }

    method answered {result} {
        my drop
        set found $result
        my draw
    }

    method free_result {result} { rename $result {} }

    method drop {} {
        if {$found ne {}} {
            rename $found {}
            set found {}
        }
    }

    # ---- Drawing

    method draw {} {
        if {$found eq {} || ![my is_open]} {
            return
        }
        set high [my high]
        $found draw $photo $high
        $plot configure -background [colour paper]
        $side configure -background [colour paper]
        $side delete all
        set lines [dict get [$found info] lines]
        set line_height [font metrics PithSmall -linespace]
        set below 0
        for {set line 0} {$line < $lines} {incr line} {
            set y [expr {($line + 0.5) * $high / $lines}]
            if {$y - $line_height / 2 < $below || $y + $line_height / 2 > $high} continue
            $side create text [expr {[winfo width $side] - 8}] $y -anchor e -font PithSmall -fill [colour text] \
                -text [my line_name $line]
            set below [expr {$y + $line_height / 2}]
        }
        my left
    }

    # The name of a line of the picture: the label of its row. If a line stands for several rows, the labels of the
    # first and the last of them; for LINE -1, "all rows".
    method line_name {line} {
        if {$line < 0} {
            return "all rows"
        }
        lassign [$found row $line] first last
        set name [dict get [$model row $first] label]
        return [expr {$first == $last ? $name : "$name to [dict get [$model row $last] label]"}]
    }

    method number {value} {
        if {$value eq {}} {
            return "no value"
        }
        if {abs($value) >= 1000 && abs($value) < 1e15} {
            return [::pithtk::number [expr {round($value)}]]
        }
        return [format %.4g $value]
    }

    method moved {x y} {
        [$window pointer] shadow $x
        if {$found eq {} || $y < 0 || $y >= [my high]} {
            return
        }
        set line [expr {int($y * [dict get [$found info] lines] / [my high])}]
        set readout "[my line_name $line]: [my number [$found at $line $x]],  all rows: [my number [$found at -1 $x]]"
    }

    method left {} {
        [$window pointer] shadow {}
        if {$found eq {}} {
            return
        }
        set info [$found info]
        set readout "[my number [dict get $info low]] to [my number [dict get $info high]]"
    }

    # ---- State and words

    method state {} { return [list formula $formula height $height] }

    method restore {state} {
        if {$state ne {} && [dict get $state formula] ne {}} {
            catch {my set_formula [dict get $state formula]}
        }
    }

    # The command `derive`. `derive FORMULA` shows derived rows, `derive off` closes the pane, and `derive save FILE`
    # writes the values. Without arguments, it opens the pane, so that the user can type a formula. Returns the formula.
    method word_derive {args} {
        if {$args eq {}} {
            my show
            focus $board.body.formula
        } elseif {$args eq "off"} {
            my close
        } elseif {[lindex $args 0] eq "save" && [llength $args] == 2} {
            my save [lindex $args 1]
        } else {
            my set_formula [join $args]
        }
        return $formula
    }

    # Writes the values of the picture as a table. The first line has the times at which the columns begin. It is
    # followed by a line of values for each line of the picture, and one for all rows together.
    method save {file} {
        if {$formula eq {}} {
            throw {PITH USAGE} "derive save: no rows are derived; give a formula first"
        }
        update idletasks
        my renew 0
        my wait
        lassign $interval from to
        set count [llength [$found line -1]]
        set times {}
        for {set x 0} {$x < $count} {incr x} {
            lappend times [::pith::words::seconds [expr {$from + ($to - $from) * $x / $count}]]
        }
        set lines [list [list row {*}$times]]
        for {set line 0} {$line < [dict get [$found info] lines]} {incr line} {
            lappend lines [list [my line_name $line] {*}[$found line $line]]
        }
        ::pith::board::write $file [linsert $lines end [list "all rows" {*}[$found line -1]]]
    }
}

::pith::part::add Derived {
    words {
        derive {?FORMULA|off|save FILE.csv?} {colour each row, in a pane below, by a formula such as time(MPI_*)} word_derive
    }
    menus {Statistics {"Derived rows..." {derive} {}}}
}
