# findings.tcl - what makes the run slow, in a pane below the legend, as `pith analyze` says it. A click goes to the
# longest wait state, or to the lane with most of it; arrow keys go to the other wait states. waiting.tcl has the switch
# and the analysis.

oo::class create ::pith::Findings {
    variable window model
    variable pane tree
    variable number nth    ;# chosen finding, and which of its wait states, longest first; from 0
    variable readout       ;# line at the foot
    variable text          ;# what the chosen finding says

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set pane [$window top].panes.legend.findings
        lassign {0 0} number nth
        lassign {} readout text
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

    method show {on} {
        if {!$on && [my is_open]} {
            grid rowconfigure [winfo parent $pane] 95 -weight 0
            destroy $pane
        } elseif {$on && ![my is_open]} {
            [$window part Looks] show_part legend 1
            my build
        }
        my fill
    }

    method build {} {
        ttk::frame $pane -padding {8 6}
        ttk::frame $pane.head
        ttk::label $pane.head.line -text "Findings" -style Bold.TLabel
        ttk::button $pane.head.close -text "\u00d7" -width 2 -style Toolbutton -takefocus 0 \
            -command [list $window act {findings off}]
        set tree [ttk::treeview $pane.tree -columns {time share} -height 5 -selectmode browse]
        foreach {column text widest} {
            #0 Finding "wait at N x N and more"  time Cost "000.0 ms"  share Share "00.0 %"
        } {
            set anchor [expr {$column eq "#0" ? "w" : "e"}]
            $tree heading $column -text $text -anchor $anchor
            $tree column $column -width [expr {[font measure TkDefaultFont $widest] + [px 12]}] -minwidth 30 \
                -stretch [expr {$column eq "#0"}] -anchor $anchor
        }
        ttk::frame $pane.foot
        foreach {name text by} {prev "\u25c0" -1 next "\u25b6" 1} {
            ttk::button $pane.foot.$name -text $text -width 2 -style Toolbutton -takefocus 0 \
                -command [list [self] step $by]
            pack $pane.foot.$name -side left
        }
        ttk::label $pane.foot.text -textvariable [my varname readout] -style Faint.TLabel
        pack $pane.foot.text -side left -fill x -expand 1
        ttk::label $pane.text -textvariable [my varname text] -anchor nw -justify left
        bind $pane.text <Configure> {%W configure -wraplength [expr {%w - 4}]}
        pack $pane.head.close -side right
        pack $pane.head.line -side left
        pack $pane.head -fill x
        pack $pane.foot -side bottom -fill x
        pack $pane.text -side bottom -fill x
        pack $tree -fill both -expand 1
        bind $tree <ButtonRelease-1> [list [self] clicked]
        # The window's keys for these are not wanted here.
        foreach {key action} {Up {choose -1} Down {choose 1} Left {step -1} Right {step 1} Return {step 0}} {
            bind $tree <$key> "[list [self] {*}$action]; break"
        }
        grid $pane -row 95 -column 0 -columnspan 9 -sticky nsew
        grid rowconfigure [winfo parent $pane] 95 -weight 1
    }

    method fill {} {
        if {![my is_open]} {
            return
        }
        $tree delete [$tree children {}]
        set found [[$model log] findings]
        set i -1
        foreach finding $found {
            $tree insert {} end -id [incr i] -text [dict get $finding name] -values [list \
                [::pithtk::duration [dict get $finding ns]] [format {%.1f %%} [expr {100 * [dict get $finding share]}]]]
        }
        set number 0
        set nth 0
        lassign {} readout text
        if {$found eq {}} {
            set readout [expr {[[$window part Waiting] is_ready] ? "nothing costs 0.5 %" : "analyzing..."}]
        }
    }

    # ---- Walking

    method clicked {} {
        set item [lindex [$tree selection] 0]
        if {$item ne {}} {
            my go $item 0
        }
    }

    # Up and down: to the next finding.
    method choose {by} {
        set item [lindex [$tree selection] 0]
        my go [expr {$item eq {} ? 0 : $item + $by}] 0
    }

    # Left and right: to the next wait state of the finding.
    method step {by} { my go $number [expr {$nth + $by}] }

    # Returns what is said about it; {} if there is none.
    method go {its_number its_nth} {
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
        set text [string trimright [dict get $finding text] \n]
        set readout [expr {[dict get $finding waits] ? "number [expr {$nth + 1}], longest first" : {}}]
        if {[my is_open]} {
            $tree selection set [list $number]
            $tree see $number
            focus $tree
        }
        if {$place eq {}} {
            return [my said $finding]
        }
        if {![dict exists $place start]} {
            [$window timeline] show_row [$model row_of [dict get $place rank] [dict get $place thread]]
            return [my said $finding]
        }
        set walk [$window part Walk]
        set hit [$walk state_of $place [dict get $place start]]
        if {$hit eq {}} {
            return
        }
        # The call gets at least a twentieth of the window.
        set length [expr {max(1, [dict get $hit end] - [dict get $hit start])}]
        if {$length * 20 < [$model span]} {
            $model zoom [expr {[dict get $hit start] - 4 * $length}] [expr {[dict get $hit end] + 4 * $length}]
        }
        return [$walk go [dict create kind state hit $hit]]
    }

    method said {finding} {
        set said "[dict get $finding name]: [string map {\n { }} [string trim [dict get $finding text]]]"
        $window say $said
        return $said
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

    method word_finding {its_number {its_nth 1}} {
        if {![string is integer -strict $its_number] || ![string is integer -strict $its_nth]} {
            throw {PITH USAGE} "finding: must be numbers from 1 on"
        }
        [$window part Waiting] wait_for
        return [my go [expr {$its_number - 1}] [expr {$its_nth - 1}]]
    }
}

::pith::part::add Findings {
    words {
        findings {?on|off?} {show or hide the list of what makes the run slow; without argument: lists of name, seconds, share} word_findings
        finding {NUMBER ?NTH?} {go to this line of the list, and choose its NTH longest wait state} word_finding
    }
    keys {{A} {Shift-a} {show or hide the list of what makes the run slow} {findings toggle}}
    menus {Statistics {"Findings" {findings toggle} A}}
}
