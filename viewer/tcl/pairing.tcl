# pairing.tcl - two models on one time axis: maps times of the second log to those of the first, and makes both
# show and select the same time, whichever changes.
#
# Worked example: aligned at the starts, with an offset of 1 s, time 3 s of the first is above 2 s of the
# second. Fitted, with 10 s of the first as wide as 5 s of the second, it is above (3 - 1) * 5 / 10 = 1 s.

oo::class create ::pith::Pairing {
    variable a b        ;# models
    variable align      ;# what is aligned: start, or init (the end of MPI_Init)
    variable offset     ;# shift of the second log to the right, in ns of the first
    variable fitted     ;# 1: both have the same width, 0: the same scale
    variable origin_a origin_b stretch ;# b = origin_b + (a - origin_a - offset) * stretch
    variable busy       ;# 1: a change is being copied to the other model
    variable callback       ;# script called when the alignment has changed

    constructor {first second its_callback} {
        set a $first
        set b $second
        set callback $its_callback
        set align start
        set offset 0
        set fitted 0
        set busy 0
        my measure
        $a follow [list [self] first_changed]
        $b follow [list [self] second_changed]
        my take_colours
        my take_hidden $a $b
        $b set_message_filter [$a message_filter]
    }

    # The second log is closed.
    destructor {
        $a unfollow [list [self] first_changed]
        $b unfollow [list [self] second_changed]
        $a set_extent {}
    }

    method align {} { return $align }
    method offset {} { return $offset }
    method fitted {} { return $fitted }
    # 1: aligned times are equal numbers.
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

    # Makes all times of both logs available in both.
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
        {*}$callback
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
                message_filter { $other set_message_filter [$model message_filter] }
                rows {
                    # Applies the row filter of the first log to the second, if it matches any row there.
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

    # Only the first model has undo for zooms.
    method show_same {model other map} {
        set window [lmap time [$model window] {my $map $time}]
        lassign [$other window] from to
        set resized [expr {abs(($to - $from) - ([lindex $window 1] - [lindex $window 0])) > 2}]
        $other [expr {$resized && $other eq $a ? "zoom" : "set_window"}] {*}$window
    }

    # Hides the same states, by name, and messages.
    method take_hidden {model other} {
        set names [$model names [$model hidden]]
        $other set_hidden [$other ids_named $names]
        $other set_arrows [$model arrows_way]
    }

    # States of the same name have the colour of the first log.
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

# Compares the windows of two logs, below the legend: a line for each state with its time in
# both logs and the change.
oo::class create ::pith::PairTable {
    variable a b path tree
    variable cut       ;# keeps names and headings within their columns
    variable title     ;# text above the table
    variable jobs      ;# dict: a, b -> command of the job for the sums
    variable sums      ;# dict: a, b -> dict of name -> ns
    variable pending   ;# after id of the start of the jobs

    constructor {frame first second names} {
        set path [ttk::frame $frame]
        set a $first
        set b $second
        lassign {} jobs pending
        set sums [dict create a {} b {}]
        set title "Self time in the window"
        my build $names
        $a follow [list [self] changed]
        $b follow [list [self] changed]
        my changed time
    }

    destructor {
        after cancel $pending
        my stop
        $a unfollow [list [self] changed]
        $b unfollow [list [self] changed]
        destroy $path
    }

    method tree {} { return $tree }

    method build {names} {
        ttk::label $path.title -textvariable [my varname title] -style Bold.TLabel -padding {8 4}
        bind $path.title <Configure> {%W configure -wraplength [expr {%w - 20}]}
        set tree [ttk::treeview $path.tree -columns {a share_a b share_b more} -selectmode none -height 8 \
            -yscrollcommand [list $path.scroll set]]
        ttk::scrollbar $path.scroll -orient vertical -command [list $tree yview]
        set cut [::pith::CutTable new $tree {{share_a share_b} more}]
        lassign $names first second
        foreach {column title width} [list #0 Name 110 a $first 84 share_a {} 46 b $second 84 share_b {} 46 more Change 70] {
            set anchor [expr {$column eq "#0" ? "w" : "e"}]
            $tree heading $column -text $title -anchor $anchor
            $tree column $column -width [px $width] -minwidth 40 -anchor $anchor \
                -stretch [expr {$column eq "#0"}]
        }
        grid $path.title - -sticky ew
        grid $tree $path.scroll -sticky nsew
        grid columnconfigure $path 0 -weight 1
        grid rowconfigure $path 1 -weight 1
    }

    # ---- Sums

    method changed {what} {
        switch $what {
            time - rows - log - digest {
                my stop
                after cancel $pending
                set pending [after 150 [namespace code {my start}]]
            }
            colours - hidden - theme { my fill }
        }
    }

    method start {} {
        set pending {}
        foreach {which model} [list a $a b $b] {
            dict set jobs $which [[$model log] sumsjob {*}[$model window] [list [self] job_event $which $model]]
        }
    }

    method stop {} {
        dict for {which job} $jobs {
            catch {$job stop}
        }
        set jobs {}
    }

    # `stopped` comes from a job before those in the dict.
    method job_event {which model what args} {
        if {$what in {progress stopped} || ![dict exists $jobs $which]} {
            return
        }
        dict unset jobs $which
        set named {}
        if {$what eq "done"} {
            foreach sum [lindex $args 0 0] {
                set def [$model def [dict get $sum id]]
                if {[dict get $def kind] eq "state"} {
                    dict set named [dict get $def name] [dict get $sum exclusive]
                }
            }
        }
        dict set sums $which $named
        if {![dict size $jobs]} {
            my fill
        }
    }

    # Finishes all pending work now.
    method flush {} {
        if {$pending ne {}} {
            after cancel $pending
            my start
        }
        while {[dict size $jobs]} {
            vwait [my varname jobs]
        }
    }

    # The number of visible lanes.
    method lanes {model} {
        set lanes 0
        foreach row [$model rows] {
            if {[dict get $row kind] ne "counter" && ![dict get $row blank] && ![dict get $row below]} {
                incr lanes [dict get $row lanes]
            }
        }
        return [expr {max(1, $lanes)}]
    }

    # The lanes by which the times of each log are divided: if the logs have different numbers, times are those of a lane.
    method divisors {} {
        set lanes [list [my lanes $a] [my lanes $b]]
        return [expr {[lindex $lanes 0] == [lindex $lanes 1] ? {1 1} : $lanes}]
    }

    # {name ns ns}..., in the order of their total time.
    method rows {} {
        set rows {}
        set divisors [my divisors]
        foreach name [lsort -unique [concat [dict keys [dict get $sums a]] [dict keys [dict get $sums b]]]] {
            set times [lmap which {a b} divisor $divisors {
                expr {[dict exists $sums $which $name] ? [dict get $sums $which $name] / $divisor : 0}
            }]
            lappend rows [list [::tcl::mathop::+ {*}$times] $name {*}$times]
        }
        return [lmap row [lsort -integer -decreasing -index 0 $rows] {lrange $row 1 end}]
    }

    method fill {} {
        $tree delete [$tree children {}]
        set title "Self time in the window[expr {[my divisors] eq {1 1} ? {} : " per rank or thread"}]"
        set rows [my rows]
        set all [lmap column {1 2} {expr {max(1, [::tcl::mathop::+ {*}[lmap row $rows {lindex $row $column}]])}}]
        foreach row $rows {
            lassign $row name first second
            set texts [lmap time [lrange $row 1 2] whole $all {
                list [::pithtk::duration $time] [format "%.0f %%" [expr {100.0 * $time / $whole}]]
            }]
            $tree insert {} end -text " $name" -image [my image $name] -values [list {*}[concat {*}$texts] \
                [::pith::pair::change $first $second]]
        }
        $cut fit
    }

    method image {name} {
        foreach model [list $a $b] {
            dict for {id def} [$model defs] {
                if {[dict get $def name] eq $name && [dict get $def kind] eq "state"} {
                    return [::pith::box::image state [dict get $def colour] [expr {$id ni [$model hidden]}]]
                }
            }
        }
    }
}

namespace eval ::pith::pair {}

# Change as "+12.5 %", "new" or "gone".
proc ::pith::pair::change {first second} {
    if {$first == $second} {
        return "="
    }
    if {$first == 0 || $second == 0} {
        return [expr {$first ? "gone" : "new"}]
    }
    set part [expr {100.0 * ($second - $first) / $first}]
    return [expr {$part >= 1000 ? [format "\u00d7 %.3g" [expr {double($second) / $first}]] : [format "%+.1f %%" $part]}]
}
