# ranges.tcl - mountain ranges: the number of processes in each state, stacked, below the timelines
# (ranges_pane.tcl). This class has the settings (which states, in which order, outermost or innermost) and the
# commands.

oo::class create ::pith::Ranges {
    variable window model
    variable pane      ;# {} until first shown
    variable shown     ;# 1: the pane is visible
    variable order     ;# ids of all states seen, from the bottom up
    variable chosen    ;# ids of the states shown; {} all
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

    # Called by the checkbuttons of the pane.
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

    # Takes the states in the window, {id time ...}: adds unseen states on top, those with the most time first.
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

    # Moves these to the bottom, in this order.
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

    # Ids of the names that exist in this log.
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

    # Without arguments: returns on or off.
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

    # NAME ...: moves these to the bottom; `time`: orders by time. Returns the names from the bottom up.
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

    # The states at a time, from the bottom up: {name processes} ...
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
