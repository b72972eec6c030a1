# pairing.tcl - two models on one time axis: which time of the second log stands below which time of the first, and that
# both show the same. Time zooms, scrolls and is selected in both, whichever is touched.
#
# Worked example: aligned at the starts, the second shifted by 1 s: below 3 s of the first stands 2 s of the second.
# Fitted, where 10 s of the first are as wide as 5 s of the second, (3 - 1) * 5 / 10 = 1 s stands there.

oo::class create ::pith::Pairing {
    variable a b        ;# models
    variable align      ;# what stands one above the other: start, init (the end of MPI_Init)
    variable offset     ;# by so much of the first one's time (ns) the second is moved to the right
    variable fitted     ;# 1: both as long, 0: the same scale in seconds
    variable origin_a origin_b stretch ;# b = origin_b + (a - origin_a - offset) * stretch
    variable busy       ;# 1: one follows the other
    variable told       ;# script that is called when the alignment changed

    constructor {first second callback} {
        set a $first
        set b $second
        set told $callback
        set align start
        set offset 0
        set fitted 0
        set busy 0
        my measure
        $a follow [list [self] first_changed]
        $b follow [list [self] second_changed]
        my take_colours
        my take_hidden $a $b
    }

    # The second model goes; the first one is by itself again.
    destructor {
        $a unfollow [list [self] first_changed]
        $b unfollow [list [self] second_changed]
        $a set_extent {}
    }

    method align {} { return $align }
    method offset {} { return $offset }
    method fitted {} { return $fitted }
    # 1: times of both are the same numbers.
    method is_same {} { expr {$stretch == 1 && [my to_second 0] == 0} }

    # ---- Which time

    method to_second {time} {
        expr {wide(round($origin_b + ($time - $origin_a - $offset) * $stretch))}
    }

    method to_first {time} {
        expr {wide(round($origin_a + $offset + ($time - $origin_b) / $stretch))}
    }

    method origin {model} {
        return [lindex [expr {$align eq "init" ? [[$model log] work] : [$model log_time]}] 0]
    }

    method measure {} {
        set origin_a [my origin $a]
        set origin_b [my origin $b]
        set length_a [expr {[lindex [$a log_time] 1] - $origin_a}]
        set length_b [expr {[lindex [$b log_time] 1] - $origin_b}]
        set stretch [expr {$fitted ? double(max(1, $length_b)) / max(1, $length_a) : 1.0}]
        my join_times
    }

    # All of both can be shown.
    method join_times {} {
        lassign [$a log_time] from to
        lassign [lmap time [$b log_time] {my to_first $time}] other_from other_to
        set all [list [expr {min($from, $other_from)}] [expr {max($to, $other_to)}]]
        set busy 1
        $b set_extent [lmap time $all {my to_second $time}]
        $a set_extent $all
        my show_same $a $b to_second
        $b set_selection [lmap time [$a selection] {my to_second $time}]
        set busy 0
        {*}$told
    }

    method set_align {what} {
        set align $what
        set offset 0
        my measure
    }

    method set_offset {time} {
        set offset [expr {wide($time)}]
        my join_times
    }

    method set_fitted {on} {
        set fitted [expr {!!$on}]
        my measure
    }

    # ---- Following each other

    method first_changed {what} { my follow_model $a $b to_second $what }
    method second_changed {what} { my follow_model $b $a to_first $what }

    method follow_model {model other map what} {
        if {$busy} {
            return
        }
        set busy 1
        try {
            switch $what {
                time { my show_same $model $other $map }
                selection { $other set_selection [lmap time [$model selection] {my $map $time}] }
                hidden { my take_hidden $model $other }
                rows {
                    # Rows that were chosen by a pattern in the first log are chosen in the second, if it has such.
                    if {$model eq $a && [$a tree pattern] ne [$b tree pattern]} {
                        catch {$b select [$a tree pattern]}
                    }
                }
                colours {
                    if {$model eq $a} {
                        my take_colours
                    }
                }
                log { after idle [namespace code {my measure}] }
            }
        } finally {
            set busy 0
        }
    }

    # Steps of a zoom can be taken back in the first log.
    method show_same {model other map} {
        set window [lmap time [$model window] {my $map $time}]
        lassign [$other window] from to
        set resized [expr {abs(($to - $from) - ([lindex $window 1] - [lindex $window 0])) > 2}]
        $other [expr {$resized && $other eq $a ? "zoom" : "set_window"}] {*}$window
    }

    # Hidden states, and messages on or off: the same by name.
    method take_hidden {model other} {
        set names [lmap id [$model hidden] {dict get [$model def $id] name}]
        $other set_hidden [lmap id [dict keys [$other defs]] {
            if {[dict get [$other def $id] name] ni $names} continue
            set id
        }]
        $other set_arrows [$model arrows]
    }

    # What has the same name has the same colour: that of the first log.
    method take_colours {} {
        set colours {}
        dict for {id def} [$a defs] {
            dict set by_name [dict get $def name] [dict get $def colour]
        }
        dict for {id def} [$b defs] {
            if {[info exists by_name] && [dict exists $by_name [dict get $def name]]} {
                dict set colours $id [dict get $by_name [dict get $def name]]
            }
        }
        $b set_colours $colours
    }
}
