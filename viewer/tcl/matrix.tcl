# matrix.tcl - the communication matrix: messages by sender and receiver, as a picture of tiles (heatmap.tcl)
# and as a table, and the times spent waiting for late partners (pithlog_waits).

oo::class create ::pith::Matrix {
    superclass ::pith::Board ::pith::Heatmap
    variable window model board stretch said
    variable canvas matrix value logarithmic readout ;# see Heatmap
    variable value_text comm comm_text
    variable had_late      ;# 1: the matrix has waiting times
    variable tree by       ;# table; its lines: pairs, ranks, states
    variable order falling ;# column and direction of its order

    constructor {its_window} {
        next $its_window "Communication"
        my clear
        set comm all
        set had_late 0
        set by pairs
        set order time
        set falling 1
    }

    destructor {
        my drop
        next
    }

    method drop {} {
        if {$matrix ne {}} {
            my free_result $matrix
            set matrix {}
        }
    }

    method free_result {result} {
        rename $result {}
    }

    # ---- Widgets

    method build {body} {
        set had_late 0 ;# a closed window leaves no slow request behind
        my build_controls [ttk::frame $body.controls]
        ttk::notebook $body.book
        $body.book add [my build_picture $body.book.matrix] -text "Matrix"
        $body.book add [my build_table $body.book.table] -text "Table"
        bind $body.book <<NotebookTabChanged>> [list [self] draw]
        pack $body.controls -fill x -pady {0 8}
        pack [my build_progress $body.progress] -side bottom -fill x -pady {6 0}
        pack $body.book -fill both -expand 1
        focus $canvas
    }

    method build_controls {frame} {
        set value_text [my value_name $value]
        ttk::combobox $frame.value -state readonly -width 16 -textvariable [my varname value_text] \
            -values [lmap one [my values] {my value_name $one}]
        bind $frame.value <<ComboboxSelected>> [list [self] choose_value]
        lassign [my build_scope $frame] of scope
        set names [concat {{All communicators}} [[$model log] comms]]
        set comm_text [lindex $names [expr {$comm eq "all" ? 0 : $comm + 1}]]
        ttk::combobox $frame.comm -state readonly -width 20 -textvariable [my varname comm_text] -values $names
        bind $frame.comm <<ComboboxSelected>> [list [self] choose_comm]
        ttk::checkbutton $frame.log -text "Logarithmic" -variable [my varname logarithmic] -command [list [self] draw]
        pack $frame.value $of $scope $frame.comm -side left -padx {0 6}
        pack $frame.log -side right
    }

    method build_table {frame} {
        ttk::frame $frame -padding {0 6}
        ttk::frame $frame.by
        foreach {word text} {pairs Pairs ranks Ranks states {Waiting calls}} {
            ttk::radiobutton $frame.by.$word -text $text -value $word -variable [my varname by] \
                -command [list [self] fill_table]
            pack $frame.by.$word -side left -padx {0 12}
        }
        set tree [ttk::treeview $frame.tree -selectmode browse -yscrollcommand [list $frame.scroll set]]
        ttk::scrollbar $frame.scroll -orient vertical -command [list $tree yview]
        pack $frame.by -fill x -pady {0 6}
        pack $frame.scroll -side right -fill y
        pack $tree -fill both -expand 1
        bind $tree <Double-Button-1> [list [self] go_to_line]
        bind $tree <Return> [list [self] go_to_line]
        return $frame
    }

    # ---- Value and communicator

    method choose_value {} {
        foreach one [my values] {
            if {[my value_name $one] eq $value_text} {
                my set_value $one
                return
            }
        }
    }

    # Waiting times require reading all calls: computed only on request.
    method set_value {one} {
        if {$one ni [my values]} {
            throw {PITH USAGE} "no such value: $one; must be one of [join [my values] {, }]"
        }
        set value $one
        set value_text [my value_name $value]
        if {$value eq "waiting" && ![[$window part Waiting] is_ready]} {
            [$window part Waiting] start ;# its result is followed
        }
        if {[my wants_late] && !$had_late} {
            my renew 0
        } else {
            my draw
        }
    }

    method wants_late {} {
        expr {$value in {late_sender late_receiver}}
    }

    method choose_comm {} {
        set place [$board.body.controls.comm current]
        set comm [expr {$place <= 0 ? "all" : $place - 1}]
        my renew 0
    }

    method set_comm {name} {
        set names [[$model log] comms]
        set place [lsearch -exact $names $name]
        if {$name ne "all" && $place < 0} {
            throw {PITH USAGE} "no such communicator: $name; must be one of all, [join $names {, }]"
        }
        set comm [expr {$name eq "all" ? "all" : $place}]
        set comm_text [expr {$name eq "all" ? "All communicators" : $name}]
        my renew 0
    }

    method follows {} { return {time selection digest log waiting} }

    # Once requested, waiting times are kept up to date.
    method ask {callback} {
        set had_late [expr {$had_late || [my wants_late]}]
        return [[$model log] matrix {*}$stretch $comm $had_late $callback]
    }

    method answered {result} {
        my drop
        set matrix $result
        my matrix_changed
        my draw
    }

    method draw {args} {
        if {![my is_open] || ![winfo exists $canvas]} {
            return
        }
        if {[$board.body.book index current] == 0} {
            my say {}
            my draw_picture
        } else {
            my fill_table
        }
    }

    # ---- The table

    # Columns: name, title, kind.
    method columns {} {
        set sums {count Messages number  bytes Bytes bytes  time "Time" duration
            late_sender "Late sender" duration  late_receiver "Late receiver" duration
            waiting Waiting duration}
        switch $by {
            pairs { return [concat {from From rank  to To rank} $sums] }
            ranks { return {rank Rank rank  sent Sent number  sent_bytes Bytes bytes  received Received number
                received_bytes Bytes bytes  late_sender {Waited for senders} duration
                late_receiver {Waited for receivers} duration} }
            states { return {name State text  late_senders {Late senders} number  late_sender {Waited} duration
                late_receivers {Late receivers} number  late_receiver {Waited} duration} }
        }
    }

    # Dicts by column name.
    method lines {} {
        if {$matrix eq {}} {
            return {}
        }
        switch $by {
            pairs { return [$matrix pairs] }
            ranks { return [my rank_lines] }
            states {
                return [lmap state [$matrix states] {
                    lassign $state id senders sender receivers receiver
                    dict create name [$model name $id] late_senders $senders late_sender $sender \
                        late_receivers $receivers late_receiver $receiver
                }]
            }
        }
    }

    # A late sender makes the receiver wait, a late receiver makes the sender wait.
    method rank_lines {} {
        set zero {sent 0 sent_bytes 0 received 0 received_bytes 0 late_sender 0 late_receiver 0}
        set lines {}
        foreach rank [$matrix ranks] {
            dict set lines $rank [dict merge [list rank $rank] $zero]
        }
        foreach pair [$matrix pairs] {
            dict with pair {
                foreach {rank key amount} [list $from sent $count  $from sent_bytes $bytes  $to received $count \
                        $to received_bytes $bytes  $to late_sender $late_sender  $from late_receiver $late_receiver] {
                    dict set lines $rank $key [expr {[dict get $lines $rank $key] + $amount}]
                }
            }
        }
        return [dict values $lines]
    }

    method cell {kind amount} {
        switch $kind {
            number { return [::pithtk::number [expr {wide($amount)}]] }
            bytes { return [::pith::board::bytes $amount] }
            duration { return [expr {$amount ? [::pithtk::duration [expr {wide($amount)}]] : {}}] }
            default { return $amount }
        }
    }

    method sorted {} {
        set columns [lmap {name title kind} [my columns] {set name}]
        if {$order ni $columns} {
            set order [lindex $columns end-1]
            set falling 1
        }
        set how [expr {$order eq "name" ? "-dictionary" : "-real"}]
        set keyed [lmap line [my lines] {list [dict get $line $order] $line}]
        return [lmap pair [lsort $how [expr {$falling ? "-decreasing" : "-increasing"}] -index 0 $keyed] {
            lindex $pair 1
        }]
    }

    # At most 2000 lines, because more would only take time.
    method fill_table {} {
        if {[my wants_waiting_first]} {
            return
        }
        set columns [my columns]
        $tree delete [$tree children {}]
        $tree configure -show headings -columns [lmap {name title kind} $columns {set name}]
        foreach least {80 64} { ;# less, if not all titles fit into the table
            set widths [lmap {name title kind} $columns {
                expr {max([px $least], [font measure TkHeadingFont $title] + [px 12])}
            }]
            if {[::tcl::mathop::+ {*}$widths] <= [winfo width $tree]} {
                break
            }
        }
        foreach {name title kind} $columns width $widths {
            set side [expr {$name eq "name" ? "w" : "e"}]
            $tree heading $name -text $title -anchor $side -command [list [self] sort_by $name]
            $tree column $name -width $width -minwidth 50 -anchor $side
        }
        set lines [my sorted]
        foreach line [lrange $lines 0 1999] {
            $tree insert {} end -values [lmap {name title kind} $columns {my cell $kind [dict get $line $name]}]
        }
        my say [my totals]
        if {[llength $lines] > 2000} {
            my say "the first 2000 of [llength $lines] lines; the command `matrix save FILE.csv` writes all.   [my totals]"
        }
    }

    method totals {} {
        if {$matrix eq {}} {
            return {}
        }
        set all [$matrix totals]
        dict with all {}
        return "all: [::pithtk::number $count] messages, [::pith::board::bytes $bytes]; waited for late senders\
            [::pithtk::duration $late_sender], late receivers [::pithtk::duration $late_receiver]"
    }

    # The table has columns of waiting times, which the picture may not have needed.
    method wants_waiting_first {} {
        if {$had_late || $matrix eq {}} {
            return 0
        }
        set had_late 1
        my renew 0
        return 1
    }

    method know_late {} {
        if {[my wants_waiting_first]} {
            my wait
        }
    }

    method sort_by {column} {
        set falling [expr {$column eq $order ? !$falling : $column ni {name from to rank}}]
        set order $column
        my fill_table
    }

    method go_to_line {} {
        set place [$tree index [lindex [$tree selection] 0]]
        if {$by eq "pairs" && [$tree selection] ne {}} {
            my go_to_pair [lindex [my sorted] $place]
        }
    }

    method go_to_pair {pair} {
        if {[dict exists $pair longest]} {
            my go_to [dict create kind message hit [dict get $pair longest]]
        }
    }

    # ---- Words

    method word_matrix {args} {
        if {$args eq {close}} {
            my close
            return
        }
        my open
        my wait
        set what [lindex $args 0]
        switch -- $what {
            {} {}
            of { my set_scope {*}[lrange $args 1 end] }
            comm { my set_comm {*}[lrange $args 1 end] }
            log { set logarithmic [string is true -strict [lindex $args 1]]; my draw }
            pair { return [my pair_of {*}[lrange $args 1 2]] }
            ranks { my zoom_ranks {*}[lrange $args 1 end] }
            save { my save [lindex $args 1] }
            default { my set_value $what }
        }
        my wait
        return {}
    }

    # The rows of the table, as dicts.
    method word_late {{what ranks}} {
        if {$what ni {pairs ranks states}} {
            throw {PITH USAGE} "late: must be pairs, ranks or states"
        }
        my open
        my wait
        if {![my wants_late]} {
            my set_value late_sender
        }
        my wait
        set by $what
        $board.body.book select 1
        my fill_table
        return [my sorted]
    }

    method pair_of {from to} {
        my know_late
        foreach pair [$matrix pairs] {
            if {[dict get $pair from] == $from && [dict get $pair to] == $to} {
                return $pair
            }
        }
        return {}
    }

    # FILE.png: a screenshot. Other suffixes: the table.
    method save {file} {
        if {[file extension $file] eq ".png"} {
            my picture $file
            return
        }
        my know_late
        set analyzed [expr {[[$window part Waiting] is_ready] && $comm eq "all"}]
        set names {from to count bytes time_s bandwidth late_sender_s late_receiver_s waiting_s}
        set lines [lmap pair [$matrix pairs] {
            dict with pair {
                set waited [::pith::words::seconds $waiting]
                if {!$analyzed} {
                    set waited {}
                }
                list $from $to $count $bytes [::pith::words::seconds $time] [format %.0f $bandwidth] \
                    [::pith::words::seconds $late_sender] [::pith::words::seconds $late_receiver] \
                    $waited
            }
        }]
        ::pith::board::write $file [linsert $lines 0 $names]
    }
}

::pith::part::add Matrix {
    words {
        matrix {?VALUE?} {communication matrix of count, bytes, time, bandwidth, late_sender, late_receiver or waiting} word_matrix
        late   {?ranks?} {waiting for late senders and receivers, by ranks, pairs or states}                 word_late
    }
    keys {{x} {x} {communication matrix} {matrix}}
    menus {Statistics {"Communication matrix..." matrix x  "Late senders and receivers..." late {}}}
}
