# changes.tcl - a table that shows what changed between two logs (beside.tcl): the efficiencies, and the times per rank
# by cause. They come from `pith analyze A B`, which runs as a process of its own. The table is beside the findings of
# the first log.

oo::class create ::pith::Changes {
    variable window a b path tree
    variable cut       ;# keeps names and headings within their columns
    variable title     ;# the change of the run time, or what is being done
    variable names     ;# names of the two logs
    variable runner    ;# the Runner of the program; {}: none
    variable lines     ;# {part kind state rank ns_a ns_b}... as the program prints them; {}: none yet
    variable ratios    ;# {name value_a value_b}...
    variable cause_of  ;# dict: item of the table -> {state rank}
    variable over      ;# written at the end of the program

    constructor {its_window frame first second its_names} {
        set window $its_window
        set path [ttk::frame $frame -padding {8 6}]
        set a $first
        set b $second
        set names $its_names
        lassign {} runner lines ratios cause_of title
        set over 0
        my build
        $a follow [list [self] changed]
        $b follow [list [self] changed]
        my begin
    }

    destructor {
        my stop
        $a unfollow [list [self] changed]
        $b unfollow [list [self] changed]
        destroy $path
    }

    method path {} { return $path }

    method build {} {
        ttk::frame $path.head
        ttk::label $path.head.title -textvariable [my varname title] -style Bold.TLabel
        ttk::button $path.head.analyze -text "Compare" -width 0 -takefocus 0 -command [list [self] start]
        ttk::button $path.head.stop -text "Stop" -width 0 -takefocus 0 -command [list [self] stop]
        bind $path.head.title <Configure> {%W configure -wraplength [expr {%w - 4}]}
        pack $path.head.title -side left -fill x -expand 1
        set tree [ttk::treeview $path.tree -columns {a b more} -height 6 -selectmode browse -yscrollcommand [list $path.y set]]
        ttk::scrollbar $path.y -orient vertical -command [list $tree yview]
        set cut [::pith::CutTable new $tree {} {a changes_a b changes_b more changes_more} [list [self] about]]
        foreach {column text width} [list #0 "Per rank" 150 a [lindex $names 0] 84 b [lindex $names 1] 84 more Change 80] {
            set side [expr {$column eq "#0" ? "w" : "e"}]
            $tree heading $column -text $text -anchor $side
            $tree column $column -width [px $width] -minwidth 40 -stretch [expr {$column eq "#0"}] -anchor $side
        }
        pack $path.head -fill x -pady {0 4}
        pack $path.y -side right -fill y
        pack $tree -side left -fill both -expand 1
        # Runs `clicked` only after the Treeview's own binding. The method `clicked` waits for a search, and meanwhile
        # the user may close the table, which the Treeview's binding needs.
        bind $tree <ButtonRelease-1> [list after idle [list catch [list [self] clicked]]]
        bind $tree <Return> "[list [self] clicked]; break"
        foreach key {Up Down Left Right} {
            bind $tree <$key> "[bind Treeview <$key>]; break"
        }
    }

    # ---- The program

    method changed {what} {
        switch $what {
            log {
                my stop
                my begin
            }
            theme { $cut fit }
        }
    }

    # Compares small logs at once. For logs with many records, shows a button, and compares them only when the user
    # presses this button.
    method begin {} {
        lassign {} lines ratios
        my fill
        set records [expr {[$a info records] + [$b info records]}]
        if {[file isdirectory [$a path]] || [file isdirectory [$b path]]} {
            my say "A log of a running program cannot be compared yet."
        } elseif {$records > $::pith::Waiting::most_records} {
            my say "A comparison of [::pithtk::number $records] records takes a while." analyze
        } elseif {![::pith::preferences::get findings]} {
            my say "What changed?" analyze
        } else {
            my start
        }
    }

    method say {text {button {}}} {
        set title $text
        pack forget $path.head.analyze $path.head.stop
        if {$button ne {}} {
            pack $path.head.$button -side right -before $path.head.title
        }
    }

    method start {} {
        my stop
        my say "Comparing..." stop
        set runner [::pith::Runner new [$window top] {} [list analyze [$a path] [$b path] --csv] \
            [list ::pith::tell_if_there [self] answered] 1]
        $runner quiet
    }

    method stop {} {
        if {$runner ne {}} {
            $runner destroy
            set runner {}
            my say "Stopped." analyze
            incr over
        }
    }

    # Takes the output of the program. With a damaged log the program fails, but its output MORE is the analysis of the
    # readable rest.
    method answered {how text {more {}}} {
        set runner {}
        incr over
        if {$how ne "done" && $more eq {}} {
            my say $text analyze
            return
        }
        my read [expr {$how eq "done" ? $text : $more}]
        my say "[my sentence][expr {$how eq "done" ? {} : " $text"}]"
        my fill
    }

    # Reads two tables. The first has a line for each log. The second has the changes; it is left out if records are
    # missing.
    method read {text} {
        set lines {}
        set rows [::pith::board::read_csv $text]
        lassign $rows columns first second
        set ratios {}
        foreach {column name} {global_efficiency "global efficiency" parallel "parallel efficiency" load_balance "load balance"
            communication communication serialisation serialisation transfer transfer} {
            set place [lsearch -exact $columns $column]
            lappend ratios [list $name [lindex $first $place] [lindex $second $place]]
        }
        set is_change 0
        foreach row $rows {
            if {$is_change} {
                lassign $row part kind state rank ns_a ns_b
                lappend lines [list $part $kind $state $rank [expr {round(1e9 * $ns_a)}] [expr {round(1e9 * $ns_b)}]]
            }
            set is_change [expr {$is_change || [lindex $row 0] eq "part"}]
        }
    }

    method sentence {} {
        foreach line $lines {
            lassign $line part kind state rank first second
            if {$part eq "run time" && $first == $second} {
                return "Both take the same time."
            }
            if {$part eq "run time"} {
                return "[lindex $names 1] is [::pithtk::duration [expr {abs($second - $first)}]]\
                    ([format %.1f [expr {100.0 * abs($second - $first) / max(1, $first)}]] %)\
                    [expr {$second < $first ? "faster" : "slower"}] than [lindex $names 0]."
            }
        }
        return "Records are missing, so the run times cannot be compared."
    }

    # ---- The table

    # Fills the table with the run time, its parts, the kinds of waiting, and the causes, each with the largest changes
    # first. If there are more than eight causes, they are below one line, which the user can open.
    method fill {} {
        $tree delete [$tree children {}]
        set cause_of {}
        if {$lines ne {} || $ratios ne {}} {
            my add_lines
            my add_ratios
        }
        $cut fit
    }

    method add_lines {} {
        set all [concat {*}[lmap line $lines {lrange $line 4 5}]]
        set longest [::tcl::mathfunc::max 0 {*}$all]
        set count {}
        set place {}
        foreach line [linsert [lsearch -all -inline -not -exact -index 0 $lines "run time"] 0 \
                {*}[lsearch -all -inline -exact -index 0 $lines "run time"]] {
            lassign $line part kind state rank first second
            if {$first == 0 && $second == 0} continue
            if {$state eq {}} {
                set name [expr {$kind eq {} ? $part : $kind}]
                set parent [expr {$kind eq {} ? {} : [dict get $place $part]}]
                set item [my insert $parent $name $first $second $longest]
                $tree item $item -open [expr {$part eq "waiting"}]
                dict set place [string trim "$part $kind"] $item
                continue
            }
            set parent [dict get $place [string trim "$part $kind"]]
            dict incr count $parent
            if {[dict get $count $parent] == 9} {
                dict set rest $parent [$tree insert $parent end -text " others"]
                dict set sums $parent {0 0}
            }
            if {[dict get $count $parent] >= 9} {
                lassign [dict get $sums $parent] x y
                dict set sums $parent [list [expr {$x + $first}] [expr {$y + $second}]]
            }
            set name [expr {$rank eq {} ? $state : "$state on rank $rank"}]
            set item [my insert [expr {[dict get $count $parent] >= 9 ? [dict get $rest $parent] : $parent}] $name \
                $first $second $longest]
            dict set cause_of $item [list $state $rank]
        }
        if {[info exists rest]} {
            dict for {parent item} $rest {
                $tree item $item -text " [expr {[dict get $count $parent] - 8}] others" \
                    -values [my cells {*}[dict get $sums $parent] $longest]
            }
        }
    }

    method add_ratios {} {
        foreach ratio $ratios {
            lassign $ratio name first second
            if {$first eq {} || $second eq {}} continue
            $tree insert {} end -text " $name" -values [list [format %.2f $first] [format %.2f $second] \
                [my sign [format %+.2f [expr {$second - $first}]]]]
        }
    }

    method insert {parent name first second longest} {
        return [$tree insert $parent end -text " $name" -values [my cells $first $second $longest]]
    }

    # The cells of a line: the two times and their difference, all in the unit that suits the longest time of the table.
    method cells {first second longest} {
        lassign [lmap ns [list $first $second [expr {abs($second - $first)}]] {::pith::board::time_in_column $ns $longest}] x y change
        set change [expr {$second > $first ? "+" : $second < $first ? "-" : ""}]$change
        return [list $x $y [my sign [regsub {^([-+])<} $change {<\1}]]]
    }

    # Replaces a hyphen by a minus sign.
    method sign {text} { return [string map {- \u2212} $text] }

    method about {item} {
        if {![dict exists $cause_of $item]} {
            return {}
        }
        lassign [dict get $cause_of $item] state rank
        return "A click finds $state[expr {$rank eq {} ? {} : " of rank $rank"}] in the log above."
    }

    # ---- Going there

    method clicked {} {
        set item [lindex [$tree selection] 0]
        if {[dict exists $cause_of $item]} {
            my go {*}[dict get $cause_of $item]
        }
    }

    # Goes to a cause: searches for its state in the first log, and shows the row of its rank in both logs.
    method go {state rank} {
        set query "state == \"[string map {\\ \\\\ \" \\\"} $state]\""
        if {$rank ne {}} {
            append query " and rank == $rank"
            [[$window part Beside] timeline] show_row [$b row_of $rank 0]
        }
        if {[catch {[$window part Search] word_find $query -kind states} text]} {
            $window say $text
        }
    }

    # ---- For scripts

    # Starts the comparison if it would only start by the button, and waits until it has ended.
    method wait {} {
        if {$ratios eq {} && [winfo manager $path.head.analyze] ne {} && $title ne "Stopped."} {
            my start
        }
        while {$runner ne {}} {
            vwait [my varname over]
        }
    }

    method lines {} { return $lines }
    method title {} { return $title }
}
