# pair_table.tcl - what is in the window of two logs, side by side: a line for each state, its time in the first and in
# the second log, and how much more or less that is. Below the legend.

oo::class create ::pith::PairTable {
    variable a b path tree
    variable jobs      ;# dict: a, b -> the command of the work on sums that goes on
    variable sums      ;# dict: a, b -> dict of name -> ns
    variable pending   ;# after id of what is to come

    constructor {frame first second names} {
        set path [ttk::frame $frame]
        set a $first
        set b $second
        set jobs {}
        set sums [dict create a {} b {}]
        set pending {}
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
        ttk::label $path.title -text "Exclusive time in the window" -style Bold.TLabel -padding {8 4}
        set tree [ttk::treeview $path.tree -columns {a b more} -selectmode none -height 8 \
            -yscrollcommand [list $path.scroll set]]
        ttk::scrollbar $path.scroll -orient vertical -command [list $tree yview]
        foreach {column title width} [list #0 Name 110 a [lindex $names 0] 80 b [lindex $names 1] 80 more Change 70] {
            set anchor [expr {$column eq "#0" ? "w" : "e"}]
            $tree heading $column -text $title -anchor $anchor
            $tree column $column -width [::pith::theme::px $width] -minwidth 40 -anchor $anchor \
                -stretch [expr {$column eq "#0"}]
        }
        grid $path.title - -sticky w
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
            dict set jobs $which [[$model log] sumsjob {*}[$model window] [list [self] heard $which $model]]
        }
    }

    method stop {} {
        dict for {which job} $jobs {
            catch {$job stop}
        }
        set jobs {}
    }

    # What is not in the list of jobs was stopped.
    method heard {which model what args} {
        if {$what eq "progress" || ![dict exists $jobs $which]} {
            return
        }
        dict unset jobs $which
        set named {}
        if {$what eq "done"} {
            foreach sum [lindex $args 0] {
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

    # All that is still to be done, now.
    method flush {} {
        if {$pending ne {}} {
            after cancel $pending
            my start
        }
        while {[dict size $jobs]} {
            vwait [my varname jobs]
        }
    }

    # Names in the order of their time in both: {name ns ns} ...
    method rows {} {
        set rows {}
        foreach name [lsort -unique [concat [dict keys [dict get $sums a]] [dict keys [dict get $sums b]]]] {
            set times [lmap which {a b} {
                expr {[dict exists $sums $which $name] ? [dict get $sums $which $name] : 0}
            }]
            lappend rows [list [::tcl::mathop::+ {*}$times] $name {*}$times]
        }
        return [lmap row [lsort -integer -decreasing -index 0 $rows] {lrange $row 1 end}]
    }

    method fill {} {
        $tree delete [$tree children {}]
        foreach row [my rows] {
            lassign $row name first second
            $tree insert {} end -text " $name" -image [my image $name] -values [list [::pithtk::duration $first] \
                [::pithtk::duration $second] [::pith::pair::change $first $second]]
        }
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

# "+12.5 %", from one time to another; "new", "gone".
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
