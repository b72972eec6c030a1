# lengths.tcl - the distribution of the lengths of a state (or of message transfers, or message sizes): a histogram, the range of
# lengths with a handle at each end, and statistics of that range. Each click on a bar goes to its next longest
# instance.

oo::class create ::pith::Lengths {
    superclass ::pith::Board ::pith::Histogram
    variable window model board
    variable canvas list bins logarithmic low high drawn at step readout spread ;# see Histogram
    variable state         ;# id of the definition, "messages", or "sizes" of messages
    variable names         ;# displayed name -> state
    variable state_text    ;# text of the combobox

    constructor {its_window} {
        next $its_window "State lengths"
        my clear
        set state {}
        my list_names
    }

    destructor {
        my drop
        next
    }

    method drop {} {
        if {$list ne {}} {
            my free_result $list
            set list {}
        }
    }

    method free_result {result} {
        rename $result {}
    }

    # ---- Widgets

    method build {body} {
        my build_controls [ttk::frame $body.controls]
        my build_graph $body.graph
        ttk::label $body.readout -textvariable [my varname readout] -padding {2 6}
        set frame [ttk::frame $body.numbers]
        set column 0
        foreach {key text} {
            count Count  total Total  mean Average  median Median  p95 {95 % below}  min Shortest  max Longest
            deviation {Std. deviation}
        } {
            ttk::label $frame.t$key -text $text -style Faint.TLabel
            ttk::label $frame.v$key -text {} -style Bold.TLabel
            grid $frame.t$key -row 0 -column $column -sticky w -padx {2 12}
            grid $frame.v$key -row 1 -column $column -sticky w -padx {2 12}
            grid columnconfigure $frame $column -weight 1 -uniform numbers
            incr column
        }
        pack $body.controls -fill x -pady {0 8}
        pack [my build_progress $body.progress] -side bottom -fill x -pady {6 0}
        pack $body.numbers -side bottom -fill x
        pack $body.readout -side bottom -fill x
        pack $canvas -fill both -expand 1
        focus $canvas
    }

    method build_controls {frame} {
        my list_names
        if {$state eq {}} {
            set state [my usual_state]
        }
        set state_text [my name_of $state]
        ttk::label $frame.what -text "Distribution of"
        ttk::combobox $frame.state -state readonly -width 24 -height 24 -textvariable [my varname state_text] \
            -values [dict keys $names]
        bind $frame.state <<ComboboxSelected>> [list [self] choose_state]
        ttk::label $frame.bins -text "Bins"
        ttk::spinbox $frame.count -from 1 -to 200 -width 4 -textvariable [my varname bins] -command [list [self] draw]
        bind $frame.count <Return> [list [self] draw]
        bind $frame.count <FocusOut> [list [self] draw]
        ttk::scale $frame.slider -from 1 -to 200 -length [px 110] -value $bins -command [list [self] slide_bins]
        ttk::checkbutton $frame.log -text "Logarithmic" -variable [my varname logarithmic] -command [list [self] draw]
        pack $frame.what $frame.state {*}[my build_scope $frame] -side left -padx {0 6}
        pack $frame.log $frame.count $frame.slider $frame.bins -side right -padx {6 0}
    }

    # ---- Which state

    # Adds the id to names that occur twice.
    method list_names {} {
        set names {}
        dict for {id def} [$model defs] {
            if {[dict get $def kind] eq "state"} {
                set name [dict get $def name]
                dict set names [expr {[dict exists $names $name] ? "$name ($id)" : $name}] $id
            }
        }
        set names [lsort -stride 2 -dictionary $names]
        dict set names messages messages
        dict set names {message sizes} sizes
    }

    # After a change of the log: the state of the same name.
    method changed {what} {
        if {$what eq "log"} {
            set name [my name_of $state]
            my list_names
            set state [expr {[dict exists $names $name] ? [dict get $names $name] : [lindex $names 1]}]
            if {[my is_open]} {
                set state_text [my name_of $state]
                $board.body.controls.state configure -values [dict keys $names]
            }
        }
        next $what
    }

    method name_of {wanted} {
        dict for {name one} $names {
            if {$one eq $wanted} {
                return $name
            }
        }
        return {}
    }

    # Initially the state with the most time.
    method usual_state {} {
        foreach sum [[$window legend] sums] {
            if {[dict get [$model def [dict get $sum id]] kind] eq "state"} {
                return [dict get $sum id]
            }
        }
        return [lindex $names 1]
    }

    method choose_state {} {
        my set_state [dict get $names $state_text]
    }

    method set_state {wanted} {
        set state $wanted
        if {[my is_open]} {
            set state_text [my name_of $state]
            my all_lengths
            my drop
            my renew 0
        }
    }

    method longest {} { return [expr {$state eq "sizes" ? "largest" : "longest"}] }
    method of_messages {} { return [expr {$state in {messages sizes}}] }

    # Text of a length, or of a size.
    method amount {value} {
        return [expr {$state eq "sizes" ? [::pith::board::bytes $value] : [::pithtk::duration $value]}]
    }

    method bar_colour {} {
        return [expr {[my of_messages] ? [colour accent] : [dict get [$model def $state] colour]}]
    }

    # ---- Work

    method ask {callback} {
        return [[$model log] lengths $state {*}[my stretch] [my rows] $callback]
    }

    # A chosen range survives a move of the window.
    method answered {result} {
        set chosen [expr {$list ne {} && [list $low $high] ne [lrange [$list range] 0 1]}]
        my drop
        set list $result
        if {!$chosen} {
            lassign [$list range] low high
        }
        set step -1
        my draw
        if {![lindex [$list range] 2]} {
            my say "[::pithtk::number [dict get [$list spread $low $high] count]] values are many: they are rounded to 0.05 %"
        }
    }

    method show_numbers {} {
        set frame $board.body.numbers
        foreach key {count total mean median p95 min max deviation} {
            set text "\u2013"
            if {$spread ne {} && [dict get $spread count]} {
                set value [dict get $spread $key]
                set text [expr {$key eq "count" ? [::pithtk::number $value] : [my amount $value]}]
            }
            $frame.v$key configure -text $text
        }
        $frame.tmin configure -text [expr {$state eq "sizes" ? "Smallest" : "Shortest"}]
        $frame.tmax configure -text [expr {$state eq "sizes" ? "Largest" : "Longest"}]
    }

    # ---- Words

    method more_bins {by} {
        my set_bins [expr {$bins + $by}]
    }

    method slide_bins {value} {
        my set_bins [expr {round($value)}] 0
    }

    method set_bins {count {slide 1}} {
        if {![string is integer -strict $count]} {
            throw {PITH USAGE} "lengths bins: must be 1 to 200"
        }
        set bins [expr {max(1, min(200, $count))}]
        if {[my is_open]} {
            if {$slide} {
                $board.body.controls.slider set $bins
            }
            my draw
        }
    }

    # Goes to the longest instance of the bin, then to the next longest.
    method show_instance {} {
        if {$at < 0} {
            return
        }
        lassign [lrange $drawn [expr {4 * $at}] end] from to
        set place [$list nth $from [expr {$to - 1}] [incr step]]
        if {$place eq {} && $step} {
            set step 0
            set place [$list nth $from [expr {$to - 1}] 0]
        }
        if {$place eq {}} {
            set step -1
            return
        }
        my go_to [my thing $place]
        my point $at
    }

    method thing {place} {
        if {[my of_messages]} {
            return [dict create kind message hit $place]
        }
        set more [dict create id $state name [$model name $state] depth 0 ended 1]
        return [dict create kind state hit [dict merge $place $more]]
    }

    # For the state or message under the pointer, if there is one.
    method open_pointed {} {
        set what [$model pointer]
        if {[dict exists $what kind] && [dict get $what kind] eq "message"} {
            my set_state messages
        } elseif {[dict exists $what hit id] && [dict get [$model def [dict get $what hit id]] kind] eq "state"} {
            my set_state [dict get $what hit id]
        }
        my open
        focus $canvas
    }

    # For the first state or `messages` among items of the legend.
    method open_items {items} {
        foreach item $items {
            if {$item in [dict values $names]} {
                my set_state $item
                break
            }
        }
        my open
    }

    method word_lengths {args} {
        if {[lindex $args 0] in {save bins log range of rows stats bin close}} {
            return [my run_word {*}$args]
        }
        if {[llength $args] > 1} {
            throw {PITH USAGE} "lengths: only one state can be shown; see help"
        }
        if {[llength $args]} {
            my set_state [my state_like [lindex $args 0]]
        }
        my open
        my wait
    }

    method state_like {pattern} {
        if {$pattern in {messages sizes}} {
            return $pattern
        }
        foreach id [$model ids_like $pattern] {
            if {[dict get [$model def $id] kind] eq "state"} {
                return $id
            }
        }
        throw {PITH USAGE} "no state is called $pattern[$model nearest $pattern state]"
    }

    # FILE.svg: the graph. Other suffixes: a PNG screenshot.
    method save {file} {
        if {[file extension $file] ne ".svg"} {
            my picture $file
            return
        }
        set numbers {}
        foreach {key name} {count count total total mean average median median p95 {95 % below} deviation deviation} {
            set amount [dict get $spread $key]
            lappend numbers "$name [expr {$key eq "count" ? [::pithtk::number $amount] : [my amount $amount]}]"
        }
        ::pith::svg::write $canvas $file {pointed handle track} "[my name_of $state]: [join $numbers {, }]"
    }

    method run_word {word args} {
        if {$word eq "close"} {
            my close
            return
        }
        my open
        my wait
        switch $word {
            bins { my set_bins {*}$args }
            log { set logarithmic [string is true -strict [lindex $args 0]]; my draw }
            range { my set_range {*}[lmap word $args {expr {$state eq "sizes" ? $word : [::pith::words::time $word]}}] }
            of { my set_scope {*}$args; my wait }
            rows { my set_rows {*}$args; my wait }
            stats { return $spread }
            bin { return [lrange $drawn [expr {4 * [lindex $args 0]}] [expr {4 * [lindex $args 0] + 3}]] }
            save { my save {*}$args }
        }
    }
}

::pith::part::add Lengths {
    words {
        lengths {?NAME?}      {histogram of the lengths of a state, of "messages", or of their "sizes"} word_lengths
        lengths_of_pointed {} {histogram of the lengths of the state under the pointer}     open_pointed
    }
    keys {{l} {l} {histogram of the lengths of the state under the pointer} {lengths_of_pointed}}
    menus {Statistics {"State lengths..." lengths l  "Message sizes..." {lengths sizes} {}}}
}
