# selection.tcl - a pane with statistics of the selected time, or, if no time is selected, of the time shown. It has the
# duration, the sums of each state, a bar for each row, and the numbers of messages. The bars show either all states of
# each row, or a single state, with the rows sorted by their time in this state. So the user sees which rank computes
# longest, waits most, or calls a function most often. A click on a state in the legend shows the bars of this state.

oo::class create ::pith::Selection {
    superclass ::pith::Board
    variable window model board interval job
    variable tree bars     ;# table of states; canvas with a bar per row
    variable cut           ;# keeps names and headings within their columns
    variable found         ;# result, a command of tk/log_object.h; {} none yet
    variable changes       ;# how often the rows have changed so far
    variable asked_at found_at ;# `changes` when the job began; `changes` when the job of the shown result began
    variable traffic       ;# dict of message sums; {} none yet
    variable headline message_text ;# texts on the duration and on messages
    variable of            ;# ids that the bars show; {}: all states
    variable measure       ;# what the length of a bar shows: Self, Total or Count
    variable of_text       ;# text of the combobox
    variable ranking       ;# {row amount}... of one state, most first
    variable asked         ;# 1: the user chose the tab, so the pane stays open even without a selection

    constructor {its_window} {
        next $its_window "Selection"
        lassign {} found traffic headline message_text of ranking
        set measure Self
        lassign {0 0 0} changes asked_at found_at
        set of_text [my all_text]
        set board [$window top].panes.selection
        set asked 0
    }

    method finish {} { [$window legend] set_asker [list [self] ask_from_legend] }
    method ask_from_legend {ids text} { my set_of $ids $text legend }

    destructor {
        my drop
        next
    }

    # ---- The pane

    # A closed pane still computes, for the command `stats`.
    method is_open {} { return 1 }
    method is_shown {} { winfo exists $board }

    method show {} {
        if {[my is_shown]} {
            return
        }
        ttk::frame $board
        ttk::frame $board.body -padding {8 6}
        pack $board.body -fill both -expand 1
        my build $board.body
    }

    # Puts the pane on its own page. If PAGE is `legend`, because the user has clicked on a state there, puts the pane
    # on the legend's page instead, so that both are visible. Does not do so if the table that compares two logs is on
    # that page.
    method put_on {page} {
        set panel [$window panel]
        my show
        $panel take_off $board
        if {$page eq "legend" && [$panel guest legend] eq {}} {
            $panel put_guest legend $board
        } else {
            set page selection
            $panel put selection $board
        }
        $panel select $page
    }

    # Moves the pane to its own page. Called when the table that compares two logs needs the place on the legend's page.
    method make_way {} {
        if {[my is_shown]} {
            [$window panel] take_off $board
            [$window panel] put selection $board
        }
    }

    # Called when the user has chosen the tab of the page.
    method open_page {} {
        set asked 1
        my put_on selection
        my show_interval
        my renew 0
    }

    method hide {} {
        my stop
        my drop
        if {[my is_shown]} {
            [$window panel] take_off $board
            destroy $board
            [$window panel] leave selection
        }
    }

    method build {body} {
        ttk::frame $body.head
        ttk::label $body.head.line -textvariable [my varname headline] -style Bold.TLabel
        ttk::button $body.head.close -text "\u00d7" -width 2 -style Toolbutton -takefocus 0 \
            -command [list [self] dismiss]
        ttk::label $body.head.messages -textvariable [my varname message_text] -style Faint.TLabel
        pack $body.head.close -side right
        pack [my build_progress $body.progress] -in $body.head -side right
        pack $body.head.line -side left
        pack $body.head.messages -side left -padx {12 0}
        ttk::notebook $body.book
        $body.book add [my build_states $body.book.states] -text States
        $body.book add [my build_bars $body.book.rows] -text Rows
        pack $body.head -fill x
        pack $body.book -fill both -expand 1 -pady {4 0}
    }

    method build_states {frame} {
        ttk::frame $frame
        set tree [ttk::treeview $frame.tree -columns {count inclusive exclusive share} -height 6 -selectmode browse \
            -yscrollcommand [list $frame.scroll set]]
        ttk::scrollbar $frame.scroll -orient vertical -command [list $tree yview]
        set cut [::pith::CutTable new $tree {inclusive count}]
        # At first, each column is as wide as a typical text in it.
        foreach {column text widest} {
            #0 Name "MPI_Sendrecv"  count Count "000 000"  inclusive Total "000.0 ms"
            exclusive Self "000.0 ms"  share Share "00.0 %"
        } {
            set width [expr {[font measure TkDefaultFont $widest] + [px 12]}]
            $tree heading $column -text $text -anchor [expr {$column eq "#0" ? "w" : "e"}]
            $tree column $column -width $width -minwidth 30 -stretch [expr {$column eq "#0"}] \
                -anchor [expr {$column eq "#0" ? "w" : "e"}]
        }
        pack $frame.scroll -side right -fill y
        pack $tree -fill both -expand 1
        return $frame
    }

    method all_text {} { return "all states" }

    method build_bars {frame} {
        ttk::frame $frame
        ttk::frame $frame.of
        ttk::combobox $frame.of.state -state readonly -width 16 -textvariable [my varname of_text] \
            -postcommand [list [self] fill_choice $frame.of.state]
        ttk::combobox $frame.of.measure -state readonly -width 6 -textvariable [my varname measure] \
            -values {Self Total Count}
        bind $frame.of.state <<ComboboxSelected>> [list [self] choose]
        bind $frame.of.measure <<ComboboxSelected>> "%W selection clear; [list [self] rank]"
        pack $frame.of.measure -side right
        pack $frame.of.state -side left -fill x -expand 1
        pack $frame.of -fill x -pady 2
        set bars [canvas $frame.bars -highlightthickness 0 -borderwidth 0 -width [px 200] \
            -height [px 120] -background [colour paper] -yscrollcommand [list $frame.scroll set]]
        ttk::scrollbar $frame.scroll -orient vertical -command [list [self] scroll_bars]
        ttk::label $frame.readout -style Faint.TLabel -padding {2 2}
        pack $frame.readout -side bottom -fill x
        pack $frame.scroll -side right -fill y
        pack $bars -fill both -expand 1
        bind $bars <Configure> [list [self] draw_bars]
        bind $bars <Motion> [list [self] point %x %y]
        bind $bars <Button-1> [list [self] go %y]
        ::pith::bind_wheel $bars {} [list [self] scroll_bars scroll -2 units] [list [self] scroll_bars scroll 2 units]
        return $frame
    }

    # ---- Following

    method new_interval {} {
        set selected [$model selection]
        return [expr {$selected eq {} ? [$model window] : $selected}]
    }

    method changed {what} {
        switch $what {
            selection {
                if {[$model selection] eq {} && $of eq {} && !$asked} {
                    my hide
                } else {
                    if {[$model selection] ne {} && ![my is_shown]} {
                        my put_on selection
                    }
                    my show_interval
                    my renew 60
                }
            }
            time {
                if {[my is_shown] && [$model selection] eq {}} {
                    my show_interval
                    my renew 200
                }
            }
            rows - digest {
                incr changes
                my rank
                if {[my is_shown]} {
                    my renew 60
                }
            }
            log {
                my stop
                my drop
                set of {}
                set ranking {}
                set of_text [my all_text]
                if {[my is_shown]} {
                    my renew 0
                }
            }
            colours - theme - size { my draw }
        }
    }

    method free_result {result} {
        if {[llength $result] == 1} {
            rename $result {}
        }
    }

    method drop {} {
        if {$found ne {}} {
            my free_result $found
        }
        set found {}
        set traffic {}
    }

    method ask {callback} {
        set traffic {}
        set asked_at $changes
        return [[$model log] interval {*}$interval $callback]
    }

    # Takes the results of two jobs, one after the other. The first job gives the states, from the log's summary. The
    # second, which then starts, gives the messages; it takes longer, because it must read records.
    method answered {result} {
        if {[llength $result] > 1} {
            set traffic $result
            my show_interval
            return
        }
        my drop
        set found $result
        set found_at $asked_at
        my draw
        if {[$model info messages]} {
            set job [[$model log] traffic {*}$interval [my job_callback]]
        }
    }

    # ---- Drawing

    method show_interval {} {
        set selected [my new_interval]
        lassign $selected from to
        set headline "[expr {[$model selection] eq {} ? "Visible" : "Selection"}]: [::pithtk::duration [expr {$to - $from}]]"
        set message_text {}
        if {$traffic ne {} && $selected eq $interval} {
            dict with traffic {}
            set message_text "[::pithtk::number $sent] message[expr {$sent == 1 ? {} : {s}}] sent\
                ([::pith::board::bytes $sent_bytes]), "
            append message_text "[::pithtk::number $received] received ([::pith::board::bytes $received_bytes])"
        }
    }

    method draw {} {
        if {![my is_shown]} {
            return
        }
        my show_interval
        $tree delete [$tree children {}]
        lassign [my computing] name exclusive share
        # All times of the table have the unit that suits the longest of them.
        set longest [::tcl::mathfunc::max 0 {*}[lmap entry [my states] {
            expr {[dict get [$model def [lindex $entry 0]] kind] eq "state" ? [lindex $entry 2] : 0}
        }]]
        set longest [expr {$name eq {} ? $longest : max($longest, $exclusive)}]
        foreach entry [my states] {
            lassign $entry id count inclusive self self_share
            set text [list [::pith::theme::cell $count] {} {} {}]
            if {[dict get [$model def $id] kind] eq "state"} {
                set text [list [::pith::theme::cell $count] [::pith::board::time_in_column $inclusive $longest] \
                    [::pith::board::time_in_column $self $longest] [format {%.1f %%} [expr {100 * $self_share}]]]
            }
            $tree insert {} end -id $id -text " [$model name $id]" -image [[$window legend] image $id] \
                -values $text
        }
        if {$name ne {}} { ;# inserts the line of computing at the place that its time gives
            set before [llength [lmap entry [my states] {expr {[lindex $entry 3] > $exclusive ? 1 : [continue]}}]]
            $tree insert {} $before -id computing -text " $name" -image [::pith::box::image state [colour idle] 1] \
                -values [list {} {} [::pith::board::time_in_column $exclusive $longest] [format {%.1f %%} [expr {100 * $share}]]]
        }
        $cut fit
        my rank
    }

    # The states as a list of {ID COUNT INCLUSIVE EXCLUSIVE SHARE}, those with the most self time first.
    method states {} {
        if {$found eq {}} {
            return {}
        }
        set entries [lsort -integer -decreasing -index 3 [$found all]]
        set lanes [$found lanes]
        return [lmap entry $entries {my with_share $entry $lanes}]
    }

    # The time outside all states, as {NAME EXCLUSIVE SHARE}; {} if there is no such time.
    method computing {} {
        if {$found eq {} || [$found computing] == 0} {
            return {}
        }
        set exclusive [$found computing]
        lassign [my with_share [list {} {} {} $exclusive] [$found lanes]] - - - - share
        return [list [[[$window legend] rows] name computing] $exclusive $share]
    }

    # Dict id -> index of its state in the table.
    method places {} {
        set places {}
        foreach entry [my states] {
            dict set places [lindex $entry 0] [dict size $places]
        }
        return $places
    }

    method with_share {entry lanes} {
        lassign $interval from to
        return [linsert $entry end [expr {[lindex $entry 3] / (double($to - $from) * max(1, $lanes))}]]
    }

    # The states of a single row, in the same order as in the table of all rows.
    method of_row {row} {
        if {$found eq {}} {
            return {}
        }
        set entries [lassign [$found row $row] lanes]
        set places [my places]
        set entries [lsort -integer -index 0 [lmap entry $entries {list [dict get $places [lindex $entry 0]] $entry}]]
        return [lmap entry $entries {my with_share [lindex $entry 1] $lanes}]
    }

    # ---- Bars

    method line_height {} { expr {[font metrics PithSmall -linespace] + 5} }

    method labels_width {} {
        set widest 20
        foreach row [$model rows 0 200] {
            set widest [expr {max($widest, [font measure PithSmall [dict get $row label]])}]
        }
        return [expr {min($widest, [winfo width $bars] / 3) + 12}]
    }

    # Draws the bars that are visible.
    method draw_bars {} {
        if {![my is_shown] || [winfo width $bars] <= 1} {
            return
        }
        set height [my line_height]
        set count [expr {$of eq {} ? [$model row_count] : [llength $ranking]}]
        $bars configure -scrollregion [list 0 0 [winfo width $bars] [expr {$height * $count}]] -yscrollincrement $height
        $bars delete all
        set first [expr {max(0, int([$bars canvasy 0]) / $height)}]
        set last [expr {min($count - 1, $first + [winfo height $bars] / $height + 1)}]
        set left [my labels_width]
        for {set line $first} {$line <= $last} {incr line} {
            if {$of eq {}} {
                my draw_bar $line $left [expr {$line * $height}] $height
            } else {
                my draw_ranked {*}[lindex $ranking $line] $left [expr {$line * $height}] $height
            }
        }
    }

    # Sorts the rows by the state that the bars show. Sets `ranking` to a list of {ROW AMOUNT}, with the largest amount
    # first. AMOUNT is the time in this state or the count of its instances; for a group, the mean over its lanes.
    method rank {} {
        set amounts {}
        if {$found ne {} && $found_at == $changes} { ;# otherwise the result is about rows that may be gone
            set column [dict get {Count 2 Total 3 Self 4} $measure]
            foreach id $of {
                foreach sum [$found rows $id] {
                    lassign $sum row lanes
                    set before [expr {[dict exists $amounts $row] ? [dict get $amounts $row] : 0}]
                    dict set amounts $row [expr {$before + [lindex $sum $column] / double($lanes)}]
                }
            }
        }
        set ranking [lsort -stride 2 -real -decreasing -index 1 $amounts]
        set ranking [lmap {row amount} $ranking {list $row $amount}]
        if {[my is_shown]} {
            [winfo parent $bars].of.measure state [expr {$of eq {} ? "disabled" : "!disabled"}]
        }
        my draw_bars
    }

    method amount_text {amount} {
        if {$measure ne "Count"} {
            return [::pithtk::duration [expr {round($amount)}]]
        }
        return [expr {$amount == round($amount) ? [::pithtk::number [expr {round($amount)}]] : [format %.1f $amount]}]
    }

    method draw_ranked {row amount left y height} {
        set most [lindex $ranking 0 1]
        set room [font measure PithSmall " 000.0 ms "]
        set wide [expr {[winfo width $bars] - $left - $room}]
        set right [expr {$left + ($most > 0 ? round($wide * $amount / $most) : 0)}]
        set middle [expr {$y + $height / 2}]
        $bars create text 6 $middle -anchor w -text [dict get [$model row $row] label] -font PithSmall -fill [colour text]
        $bars create rectangle $left [expr {$y + 2}] $right [expr {$y + $height - 2}] -width 0 \
            -fill [dict get [$model def [lindex $of 0]] colour] -tags [list ranked r$row]
        $bars create text [expr {$right + 4}] $middle -anchor w -text [my amount_text $amount] -font PithSmall \
            -fill [colour faint]
    }

    # ---- One state

    # Shows bars of the definitions IDS, which have the name TEXT; if IDS is {}, bars of all states. For events, the
    # bars show counts, because events have no duration. PAGE: the page on which the pane is shown if it is not visible.
    method set_of {ids {text {}} {page {}}} {
        set of $ids
        if {$ids ne {} && "state" ni [lmap id $ids {dict get [$model def $id] kind}]} {
            set measure Count
        }
        set of_text [expr {$ids eq {} ? [my all_text] : $text}]
        set ranking {}
        if {$ids eq {} && [$model selection] eq {} && !$asked} {
            my hide
            return
        }
        set opened [expr {![my is_shown]}]
        if {$opened || ![winfo ismapped $board]} {
            my put_on [expr {$page ne {} ? $page : "selection"}]
        }
        if {$ids ne {}} {
            $board.body.book select $board.body.book.rows
        }
        my show_interval
        if {$opened} {
            my renew 0
        }
        $bars yview moveto 0
        my rank
    }

    # Fills the combobox with the states of the pane's time, in the order of the table.
    method fill_choice {combobox} {
        $combobox configure -values [list [my all_text] {*}[lmap entry [my states] {$model name [lindex $entry 0]}]]
    }

    method choose {} {
        set name $of_text
        my set_of [expr {$name eq [my all_text] ? {} : [$model ids_named [list $name]]}] $name
    }

    method dismiss {} {
        set of {}
        set of_text [my all_text]
        set asked 0
        my hide
        $model set_selection {}
    }

    # Scrolls the timelines to the row whose bar is under the pointer.
    method go {y} {
        set row [my row_at $y]
        if {$row >= 0} {
            [$window timeline] show_row $row
            $window say [[winfo parent $bars].readout cget -text]
        }
    }

    # The row whose bar is at Y; -1 if there is none.
    method row_at {y} {
        set line [expr {int([$bars canvasy $y]) / [my line_height]}]
        if {$of eq {}} {
            return [expr {$line < [$model row_count] ? $line : -1}]
        }
        return [expr {$line < [llength $ranking] ? [lindex $ranking $line 0] : -1}]
    }

    method draw_bar {row left y height} {
        set entry [$model row $row]
        $bars create text 6 [expr {$y + $height / 2}] -anchor w -text [dict get $entry label] -font PithSmall \
            -fill [colour text]
        if {[dict get $entry kind] eq "counter"} {
            return
        }
        set wide [expr {[winfo width $bars] - $left - 8}]
        $bars create rectangle $left [expr {$y + 2}] [expr {$left + $wide}] [expr {$y + $height - 2}] -width 0 \
            -fill [colour idle]
        set x $left
        foreach sum [my of_row $row] {
            lassign $sum id count inclusive exclusive share
            set next [expr {$x + $wide * $share}]
            if {round($next) > round($x)} {
                $bars create rectangle [expr {round($x)}] [expr {$y + 2}] [expr {round($next)}] \
                    [expr {$y + $height - 2}] -width 0 -fill [dict get [$model def $id] colour] \
                    -tags [list part p$id r$row]
            }
            set x $next
        }
    }

    method scroll_bars {args} {
        $bars yview {*}$args
        my draw_bars
    }

    method point {x y} {
        set row [my row_at $y]
        set text {}
        if {$of ne {}} {
            if {$row >= 0} {
                set amount [lindex [lsearch -inline -exact -index 0 $ranking $row] 1]
                set text "[dict get [$model row $row] label]:  $of_text [my amount_text $amount]"
            }
            [winfo parent $bars].readout configure -text $text
            return
        }
        set left [my labels_width]
        set share [expr {double($x - $left) / max(1, [winfo width $bars] - $left - 8)}]
        foreach sum [my of_row $row] {
            lassign $sum id count inclusive exclusive part
            if {$share >= 0 && $share < $part} {
                set text "[dict get [$model row $row] label]:  [$model name $id]\
                    [::pithtk::duration $exclusive] ([format %.1f [expr {100 * $part}]] %)"
                break
            }
            set share [expr {$share - $part}]
        }
        [winfo parent $bars].readout configure -text $text
    }

    # ---- Saving

    # The table to save: the states of all rows together, then those of each row.
    method table {} {
        set lines {{row name count total_s self_s share}}
        foreach entry [my states] {
            lappend lines [my table_line all $entry]
        }
        lassign [my computing] name exclusive share
        if {$name ne {}} {
            lappend lines [list all $name {} {} [::pith::words::seconds $exclusive] [format %.6f $share]]
        }
        for {set row 0} {$row < [$model row_count]} {incr row} {
            foreach entry [my of_row $row] {
                lappend lines [my table_line [dict get [$model row $row] label] $entry]
            }
        }
        return $lines
    }

    method table_line {label entry} {
        lassign $entry id count inclusive exclusive share
        return [list $label [$model name $id] $count [::pith::words::seconds $inclusive] \
            [::pith::words::seconds $exclusive] [format %.6f $share]]
    }

    # The command `by_rank`. With a state, it shows the bars of this state, and returns a list of {LABEL AMOUNT}, with
    # the largest amount first; an amount is a time in ns or a count. Without arguments, it shows the bars of all
    # states.
    method word_by_rank {{pattern {}} {its_measure Self}} {
        set its_measure [string totitle $its_measure]
        if {$its_measure ni {Self Total Count}} {
            throw {PITH USAGE} "by_rank: self, total or count"
        }
        if {$pattern eq {}} {
            my set_of {}
            return
        }
        set ids [$model ids_of $pattern]
        set measure $its_measure
        my set_of $ids [expr {[llength $ids] == 1 ? [$model name [lindex $ids 0]] : $pattern}]
        my renew 0
        my wait
        return [lmap entry $ranking {
            lassign $entry row amount
            list [dict get [$model row $row] label] [expr {round($amount)}]
        }]
    }

    # The command `stats`. With a file, it writes the table to the file; otherwise it returns the sums as a dict.
    method word_stats {{file {}}} {
        my renew 0
        my wait
        if {$file ne {}} {
            ::pith::board::write $file [my table]
            return
        }
        lassign $interval from to
        set last [expr {[llength [$found all]] + ([my computing] ne {})}]
        set lines [lmap line [lrange [my table] 1 $last] {lrange $line 1 end}]
        return [list from [::pith::words::seconds $from] to [::pith::words::seconds $to] states $lines {*}$traffic]
    }
}

::pith::part::add Selection {
    words {
        stats {?FILE.csv?} {sums of the states in the selection, else the window: as a dict, or by row in a file} word_stats
        by_rank {?STATE? ?self|total|count?} {a bar for each row of the time in one state, most first} word_by_rank
    }
}
