# iterations.tcl - marks the program's iterations below the time axis. The mark of an iteration is a box with its
# number; boxes of slow iterations stand out. The analysis that waiting.tcl starts finds the iterations. stack.tcl shows
# them one below the other.

oo::class create ::pith::Iterations {
    variable window model
    variable axis corner  ;# canvas of the time axis; canvas beside it
    variable marks        ;# list of {FIRST LAST X0 X1 SLOW} for each mark as drawn

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set axis [[$window timeline] axis]
        set corner [[$window timeline] path].corner
        set marks {}
        [$window timeline] after_drawing [list [self] draw]
        $model follow [list [self] changed]
        bind $axis <Button-1> +[list [self] clicked %x %y 1]
        bind $axis <Double-Button-1> +[list [self] clicked %x %y 2]
        bind $axis <Motion> +[list [self] pointed %x %y]
        bind $axis <Leave> +[list [self] pointed -1 -1]
    }

    method changed {what} {
        if {$what in {waiting log}} {
            my draw
        }
    }

    method is_shown {} { return [[$window part Waiting] is_shown iterations] }

    # ---- The strip

    method top {} { px 26 }
    method height {} { px 15 }

    method draw {} {
        if {![winfo exists $axis]} {
            return
        }
        set on [my is_shown]
        set height [expr {[my top] + ($on ? [my height] : 0)}]
        foreach canvas [list $axis $corner] {
            if {[$canvas cget -height] != $height} {
                $canvas configure -height $height
            }
            $canvas delete iterations
        }
        set marks {}
        if {!$on} {
            return
        }
        lassign [[$window timeline] size] width
        set y0 [my top]
        set y1 [expr {$height - 2}]
        set text [expr {[[$window part Waiting] is_ready] ? "iterations" : "analyzing"}]
        if {[font measure PithSmall $text] + 10 > [winfo width $corner]} {
            set text [string range $text 0 4]\u2026
        }
        $corner create text 10 [expr {($y0 + $y1) / 2}] -anchor w -tags iterations -font PithSmall \
            -fill [colour faint] -text $text
        set marks [[$model log] iterationmarks {*}[$model window] $width]
        set line [expr {$y1 + 1}]
        foreach mark $marks {
            lassign $mark first last x0 x1 slow
            set x0 [expr {int(max(-2, min($width + 2, $x0)))}]
            set x1 [expr {int(max($x0 + 2, min($width + 2, $x1)))}]
            $axis create rectangle $x0 $y0 $x1 $y1 -outline [colour paper] -tags iterations \
                -fill [colour [expr {$slow ? "path" : "edge"}]]
            set text [expr {$first == $last ? $first + 1 : "[expr {$first + 1}]\u2013[expr {$last + 1}]"}]
            if {$x1 - $x0 > [px 10] && $x1 - $x0 > [font measure PithSmall $text] + [px 4]} {
                $axis create text [expr {($x0 + $x1) / 2}] [expr {($y0 + $y1) / 2}] -text $text -font PithSmall \
                    -fill [colour [expr {$slow ? "paper" : "text"}]] -tags iterations
            }
        }
    }

    # ---- The pointer

    # Index of the iteration at a pixel of the axis; {} if there is none.
    method at {x y} {
        if {$y < [my top]} {
            return
        }
        foreach mark $marks {
            lassign $mark first last x0 x1
            if {$x >= $x0 && $x < $x1} {
                return [expr {$first + int(($x - $x0) / ($x1 - $x0) * ($last - $first + 1))}]
            }
        }
    }

    # The text about an iteration: its number, its duration, and, if it is slow, why, such as "iteration 47, 31.2 ms:
    # +21 ms force on rank 2" (21 ms more than usual in the state force).
    method said {index} {
        set found [[$model log] iteration $index]
        set said "iteration [regsub { +} [dict get $found label] {, }]"
        if {[dict get $found reason] ne {}} {
            append said ": [dict get $found reason]"
        }
        return $said
    }

    method pointed {x y} {
        set index [my at $x $y]
        if {$index ne {}} {
            $window say [my said $index]
        }
    }

    # A click selects the time of the iteration; a double click zooms to it.
    method clicked {x y times} {
        set index [my at $x $y]
        if {$index eq {}} {
            return
        }
        set found [[$model log] iteration $index]
        set interval [list [dict get $found start] [dict get $found end]]
        if {$times == 1} {
            $model set_selection $interval
        } else {
            $model set_selection {}
            $model zoom {*}$interval
        }
    }

    # ---- Words

    method word_iterations {{word {}}} {
        set waiting [$window part Waiting]
        if {$word ne {}} {
            $waiting switch_by iterations $word
            return
        }
        $waiting wait_for
        set found [[$model log] iterations]
        if {![dict get $found count]} {
            return
        }
        return [lmap index [dict get $found all] {
            set one [[$model log] iteration $index]
            list [::pith::words::seconds [dict get $one start]] [::pith::words::seconds [dict get $one end]]
        }]
    }

    method word_iterations_of {{state {}}} {
        if {$state ne {} && [lsearch -exact [$model names [dict keys [$model defs]]] $state] < 0} {
            throw {PITH USAGE} "iterations_of: no such state: $state"
        }
        [$window part Waiting] set_iterations_of $state
    }
}

::pith::part::add Iterations {
    words {
        iterations {?on|off?} {mark the iterations below the time axis; without argument: lists of begin and end, in seconds} word_iterations
        iterations_of {?STATE?} {take the instances of this state as the iterations; without STATE find them by the MPI calls} word_iterations_of
    }
    keys {{I} {Shift-i} {mark the iterations below the time axis, or stop it} {iterations toggle}}
    menus {View {"Iterations" {iterations toggle} I}}
}
