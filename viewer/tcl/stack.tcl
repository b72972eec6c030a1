# stack.tcl - shows the iterations of the program one below the other, aligned at their starts, so that they can be
# compared (core/scene/figure.h draws them). A click on an iteration shows it in the timelines.

oo::class create ::pith::Stack {
    superclass ::pith::Board
    variable window model board
    variable body axis labels picture photo ;# canvases, and the picture of the visible bands
    variable order       ;# indices of the iterations, from the top down
    variable first       ;# number of iterations that are scrolled out at the top
    variable longest_first ;# 1: ordered by length
    variable state_text  ;# text of the combobox
    variable said        ;# line at the foot
    variable summary     ;# line at the top

    constructor {its_window} {
        next $its_window "Iterations"
        lassign {} order said summary
        set first 0
        set longest_first 0
        set state_text [my found_text]
    }

    method drop {} { set order {} }
    method follows {} { return {rows hidden waiting log} }
    method found_text {} { return "found by the MPI calls" }

    method close {} {
        if {[my is_open]} {
            image delete $photo
        }
        next
        [$window part Waiting] set_shown stack 0
    }

    # ---- Widgets

    method build {its_body} {
        set body $its_body
        ttk::frame $body.controls
        ttk::label $body.controls.of -text "Iterations"
        set names [lsort -dictionary [lmap {id def} [$model defs] {
            if {[dict get $def kind] ne "state"} continue
            dict get $def name
        }]]
        ttk::combobox $body.controls.state -state readonly -width 24 -textvariable [my varname state_text] \
            -values [linsert $names 0 [my found_text]]
        bind $body.controls.state <<ComboboxSelected>> [list [self] choose_state]
        ttk::checkbutton $body.controls.order -text "Slowest first" -variable [my varname longest_first] \
            -command [list [self] renew 0]
        ttk::label $body.controls.summary -textvariable [my varname summary] -style Faint.TLabel
        pack $body.controls.of $body.controls.state $body.controls.order -side left -padx {0 8}
        pack $body.controls.summary -side left -fill x -expand 1
        set options [list -highlightthickness 0 -borderwidth 0 -background [colour paper]]
        ttk::frame $body.view
        set axis [canvas $body.view.axis {*}$options -height [px 24]]
        set labels [canvas $body.view.labels {*}$options -width [px 110] -height 10]
        set picture [canvas $body.view.picture {*}$options -width [px 820] -height [px 460] -cursor hand2]
        canvas $body.view.corner {*}$options -height [px 24] -width 10
        ttk::scrollbar $body.view.scroll -orient vertical -command [list [self] scroll]
        grid $body.view.corner $axis -sticky nsew
        grid $labels $picture $body.view.scroll -sticky nsew
        grid columnconfigure $body.view 1 -weight 1
        grid rowconfigure $body.view 1 -weight 1
        set photo [image create photo]
        $picture create image 0 0 -anchor nw -image $photo
        ttk::label $body.said -textvariable [my varname said] -style Faint.TLabel
        pack $body.controls -fill x -pady {0 8}
        pack $body.said -side bottom -fill x
        pack $body.view -fill both -expand 1
        bind $picture <Configure> [list [self] draw]
        bind $picture <Motion> [list [self] pointed %x %y]
        bind $picture <Leave> [list [self] pointed -1 -1]
        bind $picture <Button-1> [list [self] clicked %y]
        foreach {event by} {Button-4 -3 Button-5 3 Up -1 Down 1 Prior -10 Next 10} {
            bind $picture <$event> "[list [self] scroll scroll $by units]; break"
        }
        bind $picture <MouseWheel> [list [self] wheel %D]
        focus $picture
        [$window part Waiting] set_shown stack 1
    }

    method choose_state {} {
        $body.controls.state selection clear
        my set_state [expr {$state_text eq [my found_text] ? {} : $state_text}]
    }

    method set_state {name} {
        set state_text [expr {$name eq {} ? [my found_text] : $name}]
        [$window part Waiting] set_iterations_of $name
    }

    # ---- The list

    # Fills the list of iterations. Needs no job of its own, because the analysis that waiting.tcl starts has found the
    # iterations.
    method compute {} {
        set ready [[$window part Waiting] is_ready]
        set found [[$model log] iterations]
        set order {}
        set first 0
        if {!$ready} {
            set summary "analyzing..."
        } elseif {![dict get $found count]} {
            set summary "none found; choose a state that repeats"
        } else {
            set summary "[::pithtk::number [dict get $found count]], [::pithtk::duration [dict get $found median]] each,\
                [llength [dict get $found slow]] slow"
            set order [dict get $found all]
            if {$longest_first} {
                set order [lsort -command [list [self] compare] $order]
            }
        }
        my draw
    }

    method compare {a b} {
        set lengths [lmap index [list $a $b] {
            set one [[$model log] iteration $index]
            expr {[dict get $one end] - [dict get $one start]}
        }]
        lassign $lengths x y
        expr {$x == $y ? $a - $b : $x < $y ? 1 : -1}
    }

    method flush {} {
        if {[my is_open]} {
            my renew 0
            update
        }
    }

    # ---- The picture

    method gap {} { px 6 }
    method band {} { expr {max([px 18], min([px 110], [$model row_count] * [px 14]))} }
    method fit {} { expr {max(1, [winfo height $picture] / ([my band] + [my gap]))} }

    method draw {} {
        if {![my is_open] || [winfo width $picture] <= 1} {
            return
        }
        foreach canvas [list $axis $labels $picture] {
            $canvas configure -background [colour paper]
            $canvas delete mark
        }
        $body.view.corner configure -background [colour paper]
        set fit [my fit]
        set first [expr {max(0, min($first, [llength $order] - $fit))}]
        set shown [lrange $order $first [expr {$first + $fit}]]
        $photo blank
        set total [expr {double(max(1, [llength $order]))}]
        $body.view.scroll set [expr {$first / $total}] [expr {min(1.0, ($first + $fit) / $total)}]
        if {$shown eq {}} {
            return
        }
        set width [winfo width $picture]
        try {
            [$model log] iterationsdraw $photo $shown $width [my band] [my gap]
        } trap {PITH} text {
            set said $text
        }
        set y 0
        foreach index $shown {
            set one [[$model log] iteration $index]
            $labels create text [px 8] [expr {$y + [my band] / 2}] -anchor w -tags mark -font PithSmall \
                -text [dict get $one label] -fill [colour [expr {[dict get $one slow] ? "path" : "text"}]]
            incr y [expr {[my band] + [my gap]}]
        }
        set marks [lassign [[$model log] ticks 0 [dict get [[$model log] iterations] longest] $width [px 90] duration] base]
        foreach {x label} $marks {
            $axis create line $x [px 18] $x [px 24] -fill [colour edge] -tags mark
            $axis create text $x [px 9] -text $label -font PithSmall -fill [colour faint] -tags mark \
                -anchor [expr {$x < 14 ? "w" : $x > $width - 30 ? "e" : "center"}]
        }
    }

    method scroll {how amount {unit {}}} {
        if {$how eq "moveto"} {
            set first [expr {int([llength $order] * $amount)}]
        } else {
            incr first [expr {int($amount) * ($unit eq "pages" ? [my fit] : 1)}]
        }
        my draw
    }

    method wheel {delta} { my scroll scroll [expr {$delta > 0 ? -3 : 3}] units }

    # ---- The pointer

    # Index of the iteration at Y; {} if there is none.
    method at {y} {
        return [expr {$y < 0 ? {} : [lindex $order [expr {$first + $y / ([my band] + [my gap])}]]}]
    }

    method pointed {x y} {
        set index [my at $y]
        set said {}
        if {$index eq {}} {
            return
        }
        set said [[$window part Iterations] said $index]
        set one [[$model log] iteration $index]
        set within [expr {$y % ([my band] + [my gap])}]
        set high [expr {double([my band]) / max(1, [$model row_count])}]
        set longest [dict get [[$model log] iterations] longest]
        set time [expr {[dict get $one start] + wide(double($x) / [winfo width $picture] * $longest)}]
        if {$within >= [my band] || $time >= [dict get $one end] || $high < 1} {
            return
        }
        set row [expr {int($within / $high)}]
        set span [expr {max(1, wide($longest / [winfo width $picture]))}]
        set hit [[$model log] stateat $row $time [expr {$time + $span}] [expr {$within - $row * $high}] $high]
        append said "    [dict get [$model row $row] label]"
        if {$hit ne {}} {
            append said ": [dict get $hit name], [::pithtk::duration [expr {[dict get $hit end] - [dict get $hit start]}]]"
        }
    }

    method clicked {y} {
        set index [my at $y]
        if {$index ne {}} {
            set one [[$model log] iteration $index]
            $model zoom [dict get $one start] [dict get $one end]
        }
    }

    # ---- Words

    # The command `stack`. It opens the page; its first argument is a command for the page.
    method word_stack {{what {}} args} {
        my open
        [$window part Waiting] wait_for
        my compute
        update
        switch $what {
            {} {}
            close { my close }
            picture { my picture {*}$args }
            slowest { set longest_first [string is true -strict [lindex $args 0]]; my compute }
            order { return [lmap index $order {expr {$index + 1}}] }
            default { throw {PITH USAGE} "stack: close, order, picture FILE or slowest on|off" }
        }
        return
    }
}

::pith::part::add Stack {
    words {stack {?close|order|picture FILE|slowest on|off?} {show the iterations one below the other; also their order, a picture, the slowest first} word_stack}
    keys {{K} {Shift-k} {show the iterations one below the other} {stack}}
    menus {Statistics {"Iterations..." stack K}}
}
