# selection.tcl - statistics of the selected time, in a pane below the legend: its duration, the sums of each
# state, a bar for each row, and messages.

oo::class create ::pith::Selection {
    superclass ::pith::Board
    variable window model board stretch job
    variable tree bars     ;# table of states; canvas with a bar per row
    variable cut           ;# keeps names and headings within their columns
    variable found         ;# result, a command of tk/log_object.h; {} none yet
    variable traffic       ;# dict of message sums; {} none yet
    variable headline message_text ;# duration; messages

    constructor {its_window} {
        next $its_window "Selection"
        lassign {} found traffic headline message_text
        set board [$window top].panes.legend.selection
    }

    destructor {
        my drop
        next
    }

    # ---- The pane

    # A closed pane still computes, for the command `stats`.
    method is_open {} { return 1 }
    method is_shown {} { winfo exists $board }

    method show {} {
        if {[my is_shown] || ![winfo exists [$window top].panes.legend]} {
            return
        }
        ttk::frame $board
        ttk::frame $board.body -padding {8 6}
        pack $board.body -fill both -expand 1
        my build $board.body
        grid $board -row 90 -column 0 -columnspan 9 -sticky nsew
        grid rowconfigure [winfo parent $board] 90 -weight 1
    }

    method hide {} {
        my stop
        my drop
        if {[my is_shown]} {
            grid rowconfigure [winfo parent $board] 90 -weight 0
            destroy $board
        }
    }

    method build {body} {
        ttk::frame $body.head
        ttk::label $body.head.line -textvariable [my varname headline] -style Bold.TLabel
        ttk::button $body.head.close -text "\u00d7" -width 2 -style Toolbutton -takefocus 0 \
            -command [list $model set_selection {}]
        pack $body.head.close -side right
        pack $body.head.line -side left
        ttk::label $body.messages -textvariable [my varname message_text] -style Faint.TLabel
        ttk::notebook $body.book
        $body.book add [my build_states $body.book.states] -text States
        $body.book add [my build_bars $body.book.rows] -text Rows
        pack $body.head -fill x
        pack $body.messages -fill x
        pack [my build_progress $body.progress] -side bottom -fill x
        pack $body.book -fill both -expand 1 -pady {4 0}
    }

    method build_states {frame} {
        ttk::frame $frame
        set tree [ttk::treeview $frame.tree -columns {count inclusive exclusive share} -height 6 -selectmode browse \
            -yscrollcommand [list $frame.scroll set]]
        ttk::scrollbar $frame.scroll -orient vertical -command [list $tree yview]
        set cut [::pith::CutTable new $tree {inclusive count}]
        # As wide as typical contents.
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

    method build_bars {frame} {
        ttk::frame $frame
        set bars [canvas $frame.bars -highlightthickness 0 -borderwidth 0 -width [px 200] \
            -height [px 120] -background [colour paper] -yscrollcommand [list $frame.scroll set]]
        ttk::scrollbar $frame.scroll -orient vertical -command [list [self] scroll_bars]
        ttk::label $frame.readout -style Faint.TLabel -padding {2 2}
        pack $frame.readout -side bottom -fill x
        pack $frame.scroll -side right -fill y
        pack $bars -fill both -expand 1
        bind $bars <Configure> [list [self] draw_bars]
        bind $bars <Motion> [list [self] point %x %y]
        ::pith::bind_wheel $bars {} [list [self] scroll_bars scroll -2 units] [list [self] scroll_bars scroll 2 units]
        return $frame
    }

    # ---- Following

    method new_stretch {} {
        set selected [$model selection]
        return [expr {$selected eq {} ? [$model window] : $selected}]
    }

    method changed {what} {
        switch $what {
            selection {
                if {[$model selection] eq {}} {
                    my hide
                } else {
                    my show
                    my show_stretch
                    my renew 60
                }
            }
            rows - digest {
                if {[my is_shown]} {
                    my renew 60
                }
            }
            log {
                my stop
                my drop
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
        return [[$model log] stretch {*}$stretch $callback]
    }

    # First the states, which the summary has at once, then the messages, which need the records.
    method answered {result} {
        if {[llength $result] > 1} {
            set traffic $result
            my show_stretch
            return
        }
        my drop
        set found $result
        my draw
        if {[$model info messages]} {
            set job [[$model log] traffic {*}$stretch [my job_callback]]
        }
    }

    # ---- Drawing

    method show_stretch {} {
        set selected [my new_stretch]
        lassign $selected from to
        set headline "Selection: [::pithtk::duration [expr {$to - $from}]]"
        set message_text {}
        if {$traffic ne {} && $selected eq $stretch} {
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
        my show_stretch
        $tree delete [$tree children {}]
        lassign [my computing] name exclusive share
        if {$name ne {}} {
            $tree insert {} end -id computing -text " $name" -image [::pith::box::image state [colour idle] 1] \
                -values [list {} {} [::pithtk::duration $exclusive] [format {%.1f %%} [expr {100 * $share}]]]
        }
        foreach entry [my states] {
            lassign $entry id count inclusive exclusive share
            set text [list [::pith::theme::cell $count] {} {} {}]
            if {[dict get [$model def $id] kind] eq "state"} {
                set text [list [::pith::theme::cell $count] [::pithtk::duration $inclusive] \
                    [::pithtk::duration $exclusive] [format {%.1f %%} [expr {100 * $share}]]]
            }
            $tree insert {} end -id $id -text " [$model name $id]" -image [[$window legend] image $id] \
                -values $text
        }
        $cut fit
        my draw_bars
    }

    # {id count inclusive exclusive share}..., most time first.
    method states {} {
        if {$found eq {}} {
            return {}
        }
        set entries [lsort -integer -decreasing -index 3 [$found all]]
        set lanes [$found lanes]
        return [lmap entry $entries {my with_share $entry $lanes}]
    }

    # Time outside all states: name exclusive share; {}: there is none.
    method computing {} {
        if {$found eq {} || [$found computing] == 0} {
            return {}
        }
        set exclusive [$found computing]
        lassign [my with_share [list {} {} {} $exclusive] [$found lanes]] - - - - share
        return [list [[[$window legend] rows] name computing] $exclusive $share]
    }

    # Dict id -> index in the table.
    method places {} {
        set places {}
        foreach entry [my states] {
            dict set places [lindex $entry 0] [dict size $places]
        }
        return $places
    }

    method with_share {entry lanes} {
        lassign $stretch from to
        return [linsert $entry end [expr {[lindex $entry 3] / (double($to - $from) * max(1, $lanes))}]]
    }

    # The same for a row, in the order of the whole.
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

    # Only the visible bars.
    method draw_bars {} {
        if {![my is_shown] || [winfo width $bars] <= 1} {
            return
        }
        set height [my line_height]
        set count [$model row_count]
        $bars configure -scrollregion [list 0 0 [winfo width $bars] [expr {$height * $count}]] -yscrollincrement $height
        $bars delete all
        set first [expr {max(0, int([$bars canvasy 0]) / $height)}]
        set last [expr {min($count - 1, $first + [winfo height $bars] / $height + 1)}]
        set left [my labels_width]
        for {set row $first} {$row <= $last} {incr row} {
            my draw_bar $row $left [expr {$row * $height}] $height
        }
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
        set row [expr {int([$bars canvasy $y]) / [my line_height]}]
        set text {}
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

    # Table: the states of all rows, then row by row.
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

    # `stats`: a dict; `stats FILE`: writes the table.
    method word_stats {{file {}}} {
        my renew 0
        my wait
        if {$file ne {}} {
            ::pith::board::write $file [my table]
            return
        }
        lassign $stretch from to
        set last [expr {[llength [$found all]] + ([my computing] ne {})}]
        set lines [lmap line [lrange [my table] 1 $last] {lrange $line 1 end}]
        return [list from [::pith::words::seconds $from] to [::pith::words::seconds $to] states $lines {*}$traffic]
    }
}

::pith::part::add Selection {
    words {
        stats {?FILE.csv?} {sums of the states in the selection, else the window: as a dict, or by row in a file} word_stats
    }
}
