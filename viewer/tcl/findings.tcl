# findings.tcl - shows what makes the run slow. A strip above the timelines says in one sentence what costs most. A page
# of the panel has the numbers of ranks, hosts and threads, the duration, the efficiencies, and the findings of `pith
# analyze`, that is, the named causes of lost time. A click on a finding goes to its longest wait state, or, if it has
# none, to the lane that it costs most; arrow keys go to its other wait states. waiting.tcl runs the analysis, and
# switches the page on and off.

oo::class create ::pith::Findings {
    variable window model
    variable pane tree     ;# the frame; the list of findings
    variable run           ;# the tree of efficiencies
    variable number nth    ;# indices of the chosen finding and of its chosen wait state (0: the longest)
    variable readout       ;# line at the foot
    variable listed        ;# the findings in the list; {} none yet
    variable table         ;# a CutTable of the list
    variable strip         ;# the frame above the timelines
    variable answer        ;# text of the strip
    variable facts         ;# line about the run
    variable notice        ;# text that says which records are missing; {}: none
    variable absent        ;# names of the page's widgets that are not shown because they have no content

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set pane [$window top].panes.findings
        set strip [$window top].answer
        lassign {0 0} number nth
        lassign {} readout listed answer facts notice
        set absent {notice analyze said}
        $model follow [list [self] changed]
    }

    method changed {what} {
        switch $what {
            waiting - log { my show [[$window part Waiting] is_shown findings] }
            colours { my fill }
        }
    }

    # ---- The pane

    method is_open {} { winfo exists $pane }
    method open_page {} { [$window part Waiting] switch_by findings on }

    method show {on} {
        if {!$on && [my is_open]} {
            [$window part Beside] take_changes_off
            [$window panel] leave findings
            destroy $pane $strip
        } elseif {$on && ![my is_open]} {
            my build
            my build_strip
            my fill_facts
            [$window part Beside] put_changes
        }
        my fill
    }

    method build {} {
        ttk::frame $pane -padding {8 6}
        ttk::frame $pane.head
        ttk::label $pane.head.line -textvariable [my varname facts] -style Bold.TLabel
        ttk::button $pane.head.close -text "\u00d7" -width 2 -style Toolbutton -takefocus 0 \
            -command [list $window act {findings off}]
        ttk::label $pane.notice -textvariable [my varname notice] -anchor nw -justify left
        bind $pane.notice <Configure> {%W configure -wraplength [expr {%w - 4}]}
        ttk::button $pane.analyze -text "Analyze" -width 0 -takefocus 0 -command [list [$window part Waiting] ask]
        set run [ttk::treeview $pane.run -columns value -height 5 -selectmode browse -show tree]
        $run column #0 -width [px 60] -stretch 1
        $run column value -width [expr {[font measure TkDefaultFont "0.000"] + [px 12]}] -stretch 0 -anchor e
        set tree [ttk::treeview $pane.tree -columns {time share} -height 3 -selectmode browse]
        set listed {}
        foreach {column text widest} {
            #0 Finding "wait at N x N and more"  time Cost "000.0 ms"  share Share "00.0 %"
        } {
            set anchor [expr {$column eq "#0" ? "w" : "e"}]
            $tree heading $column -text $text -anchor $anchor
            $tree column $column -width [expr {[font measure TkDefaultFont $widest] + [px 12]}] -minwidth 30 \
                -stretch [expr {$column eq "#0"}] -anchor $anchor
        }
        set table [::pith::CutTable new $tree {} {time cost share cost} [list [self] about_finding]]
        ::pith::Tip new $run [list [self] about_efficiency]
        ttk::frame $pane.foot
        foreach {name text by} {prev "\u25c0" -1 next "\u25b6" 1} {
            ttk::button $pane.foot.$name -text $text -width 2 -style Toolbutton -takefocus 0 \
                -command [list [self] step $by]
            pack $pane.foot.$name -side left
        }
        ttk::label $pane.foot.text -textvariable [my varname readout] -style Faint.TLabel
        pack $pane.foot.text -side left -fill x -expand 1
        ttk::frame $pane.said
        text $pane.said.text -width 1 -height 2 -wrap word -font TkDefaultFont -relief flat -borderwidth 0 \
            -highlightthickness 0 -background [colour panel] -foreground [colour text] -takefocus 0 -cursor {} \
            -yscrollcommand [list $pane.said.y set]
        ttk::scrollbar $pane.said.y -command [list $pane.said.text yview]
        pack $pane.said.y -side right -fill y
        pack $pane.said.text -side left -fill both -expand 1
        pack $pane.head.close -side right
        pack $pane.head.line -side left
        grid columnconfigure $pane 0 -minsize 1
        bind $run <ButtonRelease-1> [list [self] efficiency_clicked]
        bind $run <Return> "[list [self] efficiency_clicked]; break"
        bind $tree <ButtonRelease-1> [list [self] clicked]
        # In the list, these keys move between findings. `break` keeps the window's scripts for the same keys from
        # running, too.
        foreach {key action} {Up {choose -1} Down {choose 1} Left {step -1} Right {step 1} Return {step 0}} {
            bind $tree <$key> "[list [self] {*}$action]; break"
        }
        [$window panel] put findings $pane
        bind $pane <Configure> [list [self] keep_room]
    }

    # Makes the strip with the answer, the sentence that says what costs most. The strip is shown from the start of the
    # analysis, when there is no answer yet, so that the timelines do not move when the answer comes.
    method build_strip {} {
        ttk::frame $strip -padding {10 4}
        ttk::label $strip.text -textvariable [my varname answer] -anchor w -justify left
        ttk::button $strip.show -text "Show me" -takefocus 0 -command [list [self] word_answer]
        bind $strip.text <Configure> {%W configure -wraplength [expr {%w - 4}]}
        pack $strip.show -side right -padx {8 0}
        pack $strip.text -side left -fill x -expand 1
    }

    method fill_strip {} {
        set found [[$model log] answer]
        set waiting [$window part Waiting]
        set answer {}
        if {$found ne {}} {
            set answer [regsub -all {`([^`]*)`} [dict get $found text] "\u201c\\1\u201d"] ;# quotes names
        } elseif {![$waiting is_ready] && [$waiting why_not] eq {}} {
            set answer "Looking for what costs most..."
        }
        $strip.show state [expr {[dict exists $found start] ? "!disabled" : "disabled"}]
        if {$answer eq {}} {
            pack forget $strip
        } else {
            pack $strip -before [$window top].panes -side top -fill x
        }
    }

    # Lays out the page again. In a wide panel the table of the run, the list of its findings and the explanation of the
    # chosen finding stand side by side, else one below the other.
    method keep_room {} {
        after idle [list after 0 [list catch [namespace code {my lay_out}]]]
    }

    method lay_out {} {
        set wide [expr {[winfo width $pane] > [px 800]}]
        set rows [expr {$wide ? {notice 1 analyze 2 run 3 tree 0 said 0 foot 4} : {notice 1 analyze 2 run 3 said 5 tree 4 foot 6}}]
        set room [winfo height $pane]
        set line [font metrics TkDefaultFont -linespace]
        # The height of the explanation depends only on the height of the page and not on the text, so that the list
        # does not move when a finding is chosen.
        $pane.said.text configure -height [expr {$wide ? 2 : max(2, min(8, $room / (5 * $line)))}]
        grid $pane.head -row 0 -column 0 -sticky ew
        foreach {name row} $rows {
            set is_there [expr {$name ni $absent}]
            if {!$is_there} {
                grid forget $pane.$name
                continue
            }
            set column 0
            set span 1
            if {$wide} {
                set column [dict get {notice 0 analyze 0 run 0 tree 1 said 2 foot 2} $name]
                set span [dict get {notice 1 analyze 1 run 2 tree 5 said 4 foot 1} $name]
            }
            grid $pane.$name -row $row -column $column -rowspan $span -sticky [expr {$name eq "analyze" ? "nw" : "nsew"}] \
                -padx [expr {$wide && $column ? [list [px 12] 0] : 0}] -pady [expr {$name eq "run" ? [list 2 6] : 0}]
        }
        foreach row {0 1 2 3 4 5 6} {
            grid rowconfigure $pane $row -weight [expr {$row == ($wide ? 3 : 4)}]
        }
        foreach column {0 1 2} weight [expr {$wide ? {2 3 3} : {1 0 0}}] {
            grid columnconfigure $pane $column -weight $weight -uniform [expr {$wide ? "columns" : {}}]
        }
        my fit_run $wide $room
    }

    # Shows as many lines of efficiencies as the page has room for.
    method fit_run {wide room} {
        set high [ttk::style lookup Treeview -rowheight]
        if {$wide} {
            set lines 5
        } else {
            # Room for three findings and for the heading of their list is reserved.
            set others [expr {4 * $high + [px 20]}]
            foreach name {head notice analyze said foot} {
                if {[winfo manager $pane.$name] ne {}} {
                    incr others [winfo reqheight $pane.$name]
                }
            }
            set lines [expr {($room - $others) / $high}]
        }
        if {$lines < 1 || [$run children {}] eq {}} {
            grid remove $run
        } else {
            $run configure -height [expr {min(5, $lines)}]
            grid $run
        }
    }

    method fill {} {
        if {![my is_open]} {
            return
        }
        set found [[$model log] findings]
        # If the findings are the same as before, the list stays as it is, so that a user who reads an explanation can
        # go on reading.
        if {$found ne $listed || $found eq {}} {
            my list_findings $found
        }
        set waiting [$window part Waiting]
        if {$found eq {} && [$waiting why_not] eq {}} {
            set readout [expr {[$waiting is_ready] ? "nothing costs 0.5 %" : "analyzing..."}]
        }
        my fill_strip
        my fill_run
    }

    method list_findings {found} {
        set listed $found
        $tree delete [$tree children {}]
        set i -1
        set longest [::tcl::mathfunc::max 0 {*}[lmap finding $found {dict get $finding ns}]]
        foreach finding $found {
            set part_of [dict get $finding part_of]
            $tree insert [expr {$part_of < 0 ? {} : $part_of}] end -id [incr i] -open 1 -text [my title $finding] \
                -values [list [::pith::board::time_in_column [dict get $finding ns] $longest] \
                    [format {%.1f %%} [expr {100 * [dict get $finding share]}]]]
        }
        $table fit
        lassign {0 0 {}} number nth readout
        if {$found eq {}} {
            my put_away said
        } else {
            my bring_back said
            my explain "A click on a finding explains it and goes to its place."
        }
    }

    # The name of a finding, followed by the state and the rank that it costs most. These tell it apart from other
    # findings of the same name.
    method title {finding} {
        set parts [list [dict get $finding name]]
        if {[dict exists $finding state]} {
            lappend parts [dict get $finding state]
        }
        if {[dict exists $finding rank]} {
            set thread [dict get $finding thread]
            lappend parts "rank [dict get $finding rank][expr {$thread ? ".$thread" : {}}]"
        }
        return [join $parts {  }]
    }

    method explain {text} {
        set said $pane.said.text
        $said configure -state normal
        $said replace 1.0 end $text
        $said configure -state disabled
        $said yview moveto 0
    }

    # Shows how far the analysis is.
    method progress {its_readout} { set readout $its_readout }

    # ---- The run

    method fill_facts {} {
        set parts [list [my many [$model info ranks] rank]]
        if {[$model info lanes] > [$model info ranks]} {
            lappend parts [my many [$model info lanes] thread]
        }
        if {[$model info hosts]} {
            lappend parts [my many [$model info hosts] host]
        }
        lassign [$model log_time] from to
        set facts [join [list {*}$parts [::pithtk::duration [expr {$to - $from}]]] ", "]
    }

    method many {number noun} { return "[::pithtk::number $number] $noun[expr {$number == 1 ? {} : {s}}]" }

    method fill_run {} {
        $run delete [$run children {}]
        my put_away notice analyze
        set efficiencies [[$model log] efficiencies]
        set notice [[$window part Waiting] why_not]
        if {$notice ne {}} {
            my bring_back analyze
        } elseif {[[$window part Waiting] is_ready]} {
            set missing [string map {\n { }} [[$model log] missing]]
            if {$efficiencies eq {}} {
                set where [expr {$missing eq {} ? {} : { in the analyzed part}}]
                set notice "No MPI calls$where, so there are no efficiencies."
            } elseif {![$model info complete]} {
                set notice "The log is incomplete. These figures are for the part that can be read."
            }
            set notice [string trim "$notice $missing"]
        }
        if {$notice ne {}} {
            my bring_back notice
        }
        set above {}
        set item -1
        foreach efficiency $efficiencies {
            set depth [dict get $efficiency depth]
            set above [lrange $above 0 [expr {$depth - 1}]]
            $run insert [lindex $above end] end -id [incr item] -open 1 -values [format %.2f [dict get $efficiency value]] \
                -text "[dict get $efficiency name][expr {$depth ? {} : { efficiency}}]"
            lappend above $item
        }
        my keep_room
    }

    method put_away {args} { set absent [lsort -unique [concat $absent $args]] }
    method bring_back {name} { set absent [lsearch -all -inline -not -exact $absent $name] }

    method efficiency_clicked {} {
        set item [lindex [$run selection] 0]
        if {$item ne {}} {
            my go_efficiency [lindex [[$model log] efficiencies] $item]
        }
    }

    method about_finding {item} {
        return [string map {\n { }} [string trim [dict get [lindex [[$model log] findings] $item] text]]]
    }

    method about_efficiency {x y} {
        set item [$run identify item $x $y]
        return [expr {$item eq {} ? {} : [dict get [lindex [[$model log] efficiencies] $item] meaning]}]
    }

    method go_efficiency {efficiency} {
        return [my visit [dict get $efficiency place] [format "%s efficiency %.2f: %s" [dict get $efficiency name] \
            [dict get $efficiency value] [dict get $efficiency meaning]]]
    }

    # ---- Walking

    method clicked {} {
        set item [lindex [$tree selection] 0]
        if {$item ne {}} {
            my go $item 0 0
        }
    }

    # Goes to the next finding (BY is 1) or to the previous one (BY is -1). The keys Up and Down call this.
    method choose {by} {
        set item [lindex [$tree selection] 0]
        my go [expr {$item eq {} ? 0 : $item + $by}] 0
    }

    # Goes to the next wait state of the chosen finding (BY is 1) or to the previous one (BY is -1). The keys Left and
    # Right call this.
    method step {by} { my go $number [expr {$nth + $by}] }

    # Shows wait state ITS_NTH of finding ITS_NUMBER in the timelines, or another place if the finding has no wait
    # states. Returns the text for the status line; {} if there is no such finding or wait state. SEE 1: also scrolls
    # the list of findings to its line.
    method go {its_number its_nth {see 1}} {
        set finding [lindex [[$model log] findings] $its_number]
        if {$finding eq {} || $its_number < 0} {
            return
        }
        set place [[$model log] finding $its_number $its_nth]
        if {$place eq {} && ($its_nth != 0 || [dict get $finding waits])} {
            return
        }
        set number $its_number
        set nth $its_nth
        set readout [expr {[dict get $finding waits] ? "number [expr {$nth + 1}], longest first" : {}}]
        if {[my is_open]} {
            my explain [string trimright [dict get $finding text] \n]
            $tree selection set [list $number]
            if {$see} {
                $tree see $number
            }
            if {[[$window panel] sees findings]} {
                focus $tree
            }
        }
        return [my visit $place "[dict get $finding name]: [string map {\n { }} [string trim [dict get $finding text]]]"]
    }

    # Shows a place in the timelines: an interval, the state at a time on a lane, a row, or, if PLACE is {}, nothing
    # (tk/log_object.h). Returns the text for the status line.
    method visit {place said} {
        if {[dict exists $place end]} {
            $model zoom [dict get $place start] [dict get $place end]
        } elseif {[dict exists $place start]} {
            return [my visit_record $place]
        } elseif {[dict exists $place rank]} {
            [$window timeline] show_row [$model row_of [dict get $place rank] [dict get $place thread]]
        }
        $window say $said
        return $said
    }

    method visit_record {place} {
        set walk [$window part Walk]
        set hit [$walk state_of $place [dict get $place start]]
        if {$hit eq {}} {
            return
        }
        # Zooms in if the call is shorter than a twentieth of the time shown.
        set length [expr {max(1, [dict get $hit end] - [dict get $hit start])}]
        if {$length * 20 < [$model span]} {
            $model zoom [expr {[dict get $hit start] - 4 * $length}] [expr {[dict get $hit end] + 4 * $length}]
        }
        return [$walk go [dict create kind state hit $hit]]
    }

    # ---- Words

    method word_findings {{word {}}} {
        set waiting [$window part Waiting]
        if {$word ne {}} {
            $waiting switch_by findings $word
            return
        }
        $waiting wait_for
        return [lmap finding [[$model log] findings] {
            list [dict get $finding name] [::pith::words::seconds [dict get $finding ns]] \
                [format %.4f [dict get $finding share]]
        }]
    }

    # Shows the time and the row that the answer, the sentence on the strip, is about. Returns the answer.
    method word_answer {} {
        [$window part Waiting] wait_for
        set found [[$model log] answer]
        if {$found eq {}} {
            return
        }
        if {[dict exists $found start]} {
            $model zoom [dict get $found start] [dict get $found end]
        }
        if {[dict exists $found rank]} {
            [$window timeline] show_row [$model row_of [dict get $found rank] [dict get $found thread]]
        }
        # Chooses the state that begins at the time and row of the answer. The frame of a chosen state shows the user
        # what is meant, even if the view did not have to move.
        if {[dict exists $found rank]} {
            set hit [[$window part Walk] state_of $found [dict get $found at]]
            if {$hit ne {} && [dict get $hit start] == [dict get $found at]} {
                [$window choice] choose [dict create kind state hit $hit]
            }
        }
        return [dict get $found text]
    }

    method word_finding {its_number {its_nth 1}} {
        if {![string is integer -strict $its_number] || ![string is integer -strict $its_nth]} {
            throw {PITH USAGE} "finding: must be numbers from 1 on"
        }
        [$window part Waiting] wait_for
        return [my go [expr {$its_number - 1}] [expr {$its_nth - 1}]]
    }

    method word_efficiency {{name {}}} {
        [$window part Waiting] wait_for
        set efficiencies [[$model log] efficiencies]
        if {$name eq {}} {
            return [lmap efficiency $efficiencies {list [dict get $efficiency name] [format %.4f [dict get $efficiency value]]}]
        }
        foreach efficiency $efficiencies {
            if {[dict get $efficiency name] eq $name} {
                return [my go_efficiency $efficiency]
            }
        }
        throw {PITH USAGE} "efficiency: must be one of [join [lmap efficiency $efficiencies {dict get $efficiency name}] {, }]"
    }
}

::pith::part::add Findings {
    words {
        findings {?on|off?} {show or hide the run at a glance and what makes it slow; without argument: lists of name, seconds, share} word_findings
        answer {} {go to what costs most; returns it in a sentence} word_answer
        finding {NUMBER ?NTH?} {go to this line of the list, and choose its NTH longest wait state} word_finding
        efficiency {?NAME?} {go to what lowers this efficiency (load balance, transfer ...); without argument: lists of name, value} word_efficiency
    }
    keys {{A} {Shift-a} {show or hide the run at a glance and what makes it slow} {findings toggle}}
    menus {Statistics {"Findings" {findings toggle} A}}
}
