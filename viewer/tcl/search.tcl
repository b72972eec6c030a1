# search.tcl - lets the user search for states, events, messages, functions of samples and notes, in a bar at the bottom
# of the window and by the commands find, next and prev. core/measure/search.h searches the log, in a thread.

oo::class create ::pith::Search {
    variable window model
    variable bar          ;# frame; packed while open
    variable what         ;# dict of the search as typed: pattern kind longer shorter payload ranks bytes most tag partner
    variable sought       ;# the search in the form for the log's method `find` (tk/log_object.h); {}: none yet
    variable place        ;# position of the last hit, {TIME LANE TIE}; {}: none
    variable job          ;# command of the current search; {} none
    variable counting     ;# command of the current count; {} none
    variable counts       ;# number of hits; {} unknown
    variable marks        ;# for each column of the whole log: 1 if it has a hit
    variable turn         ;# array: number of the latest search and count; a job that was stopped reports its end later
    variable over         ;# written at the end of a search or count
    variable entered      ;# array: values of the widgets, keys as in `what`
    variable message      ;# text at the end of the bar
    variable room         ;# pixels in a row of the bar; 0 not known yet
    variable last_row row_used ;# while the bar is laid out: its last row; the pixels used in it

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set bar [$window top].search
        array set entered [my no_terms]
        lassign {} what sought place job counting counts marks message
        lassign {0 0} over room
        array set turn {search 0 count 0}
        $model follow [list [self] changed]
        bind [winfo parent [[$window timeline] plot]].overview <Configure> +[list [self] mark_hits]
    }

    destructor {
        my stop
    }

    # After these changes, ids of definitions in `sought` may no longer be right. So forgets `sought` and all results;
    # the next search makes `sought` again from the fields.
    method changed {what_changed} {
        if {$what_changed in {searchable log}} {
            my stop
            set sought {}
            set place {}
            set counts {}
            set marks {}
            my mark_hits
        } elseif {$what_changed eq "theme"} { ;# also after a change of the scale
            after idle [list catch [list [self] lay_out]]
        }
    }

    # ---- The bar

    method finish {} {
        ttk::frame $bar -padding {10 4}
        ttk::label $bar.find -text Find
        ttk::entry $bar.pattern -width 22 -textvariable [my varname entered](pattern)
        ttk::combobox $bar.kind -width 16 -state readonly -textvariable [my varname entered](kind) \
            -values [list {states and events} states events messages {*}[expr {[[$model log] flames] ? "functions" : {}}] notes]
        foreach {key text width} {longer {longer than} 6 shorter {shorter than} 6 payload payload 10 bytes bytes 6
            most to 6 tag tag 4 ranks ranks 6 partner to 4} {
            ttk::label $bar.l$key -text $text -style Faint.TLabel
            ttk::entry $bar.$key -width $width -textvariable [my varname entered]($key)
        }
        ttk::button $bar.prev -text "\u25c0" -width 2 -style Toolbutton -command [list [self] from_bar prev]
        ttk::button $bar.next -text "\u25b6" -width 2 -style Toolbutton -command [list [self] from_bar next]
        ttk::button $bar.stop -text Stop -style Toolbutton -command [list [self] stop]
        ttk::button $bar.close -text "\u00d7" -width 2 -style Toolbutton -command [list [self] close]
        ttk::label $bar.message -textvariable [my varname message] -style Faint.TLabel
        my lay_out
        bind $bar.kind <<ComboboxSelected>> [list [self] lay_out]
        bind $bar <Configure> [list [self] lay_out_again %w]
        foreach key {pattern longer shorter payload bytes most tag ranks partner} {
            bind $bar.$key <Return> [list [self] from_bar next]
            bind $bar.$key <Shift-Return> [list [self] from_bar prev]
            bind $bar.$key <Escape> [list [self] close]
        }
    }

    # Lays out the fields of the bar in one or more rows: first those that every search has, then those for the chosen
    # kind of record. A field for which a row has no room begins another row.
    method lay_out {} {
        pack forget {*}[winfo children $bar]
        set keys {longer shorter payload ranks}
        switch $entered(kind) {
            states - functions { set keys {longer shorter ranks} }
            events { set keys {payload ranks} }
            messages { set keys {longer shorter bytes most tag ranks partner} }
            notes { set keys {} }
        }
        # The labels of fields are shorter in a search for messages, because it has many fields.
        foreach {key text short} {longer {longer than} took  shorter {shorter than} to  ranks ranks {from ranks}} {
            $bar.l$key configure -text [expr {$entered(kind) eq "messages" ? $short : $text}]
        }
        lassign {-1 0} last_row row_used
        my begin_row
        pack $bar.close -in $bar.row0 -side right
        set row_used [winfo reqwidth $bar.close]
        my place_in_row find {0 6}
        # A search for messages has no field for a name, because messages have no names.
        if {$entered(kind) ne "messages"} {
            my place_in_row pattern {0 6}
        }
        my place_in_row prev {0 0} [winfo reqwidth $bar.next]
        my place_in_row next {0 0}
        my place_in_row kind {6 6}
        foreach key $keys {
            my place_in_row l$key {0 3} [winfo reqwidth $bar.$key]
            my place_in_row $key {0 6}
        }
        my place_in_row message {8 8} [px 100]
    }

    method begin_row {} {
        incr last_row
        set row_used 0
        if {![winfo exists $bar.row$last_row]} {
            lower [ttk::frame $bar.row$last_row]
        }
        pack $bar.row$last_row -side top -fill x
    }

    # Places a widget of the bar in the last row, or, if that has no room, in a new row. NEXT: pixels that must stay
    # free after the widget, for the one that belongs to it.
    method place_in_row {part padding {next 0}} {
        set width [expr {[winfo reqwidth $bar.$part] + [::tcl::mathop::+ {*}$padding]}]
        if {$room && $row_used && $row_used + $width + $next > $room} {
            my begin_row
        }
        pack $bar.$part -in $bar.row$last_row -side left -padx $padding
        incr row_used $width
    }

    method lay_out_again {width} {
        if {$width - 20 != $room} {
            set room [expr {$width - 20}]
            my lay_out
        }
    }

    method open {} {
        if {![winfo ismapped $bar]} {
            pack $bar -side bottom -fill x -after [$window top].status
        }
        set first [expr {$entered(kind) eq "messages" ? "$bar.longer" : "$bar.pattern"}]
        focus $first
        $first selection range 0 end
    }

    method close {} {
        pack forget $bar
        focus [[$window timeline] plot]
    }

    method from_bar {way} {
        try {
            my set_search [array get entered]
            my step $way
        } trap {PITH} {text options} {
            my say $text
            my point_at [lindex [dict get $options -errorcode] 2]
        }
    }

    # Selects the text of a query from the place where it is wrong. COLUMN {}: the place is not known, and nothing is
    # selected.
    method point_at {column} {
        if {$column ne {}} {
            $bar.pattern icursor [expr {$column - 1}]
            $bar.pattern selection range [expr {$column - 1}] end
            $bar.pattern xview [expr {max($column - 8, 0)}]
        }
    }

    method say {text} {
        set message $text
        $window say $text
    }

    # ---- Search terms

    method no_terms {} {
        return {pattern {} kind {states and events} longer {} shorter {} payload {} ranks {} bytes {} most {} tag {}
            partner {}}
    }

    # Begins a search. TEXTS: a dict of the fields as typed. Does nothing if they are the same as those of the current
    # search.
    method set_search {texts} {
        if {$sought ne {} && $texts eq $what} {
            return
        }
        if {[dict get $texts kind] eq "notes"} {
            return [my set_note_search $texts]
        }
        set kinds [dict get {{states and events} {state event} states state events event messages message
            functions function} [dict get $texts kind]]
        if {$kinds eq "function"} {
            [$window part Flames] find_all
        }
        set for [dict create kinds $kinds]
        set pattern [dict get $texts pattern]
        if {$kinds eq "function" && ![my is_query $pattern]} {
            # Turns the pattern into a query for names. It cannot be turned into ids of definitions, as for states,
            # because names of functions are not among the definitions of this log. They are in another log, which only
            # the drawing core reads.
            set mask [expr {[regexp {[*?\[]} $pattern] ? $pattern : "*$pattern*"}]
            dict set for query "state ~ \"[string map {\\ \\\\ \" \\\"} $mask]\""
        } elseif {$kinds ne "message" && [my is_query $pattern]} {
            set for [my query_for $texts $kinds]
        } elseif {$kinds ne "message"} {
            dict set for ids [my ids_like $pattern $kinds]
        }
        foreach {key name} {longer min shorter max} {
            if {[dict get $texts $key] ne {}} {
                dict set for $name [::pith::words::time [dict get $texts $key]]
            }
        }
        foreach key {payload ranks} {
            dict set for $key [dict get $texts $key]
        }
        foreach key {bytes most tag partner} {
            set text [dict get $texts $key]
            if {$text ne {}} {
                if {![string is wideinteger -strict $text]} {
                    throw {PITH USAGE} "$key: must be a whole number, not $text"
                }
                dict set for $key $text
            }
        }
        if {[dict get $for payload] ne {}} {
            dict set for kinds event
        } elseif {$kinds ne "message" && ([dict exists $for min] || [dict exists $for max])} {
            dict set for kinds state
        }
        my replace $texts $for
        my count
    }

    # Replaces the current search by another one. Stops the jobs of the old search; what they still report is ignored,
    # and code that waits for them goes on.
    method replace {texts for} {
        my stop
        incr turn(search)
        incr turn(count)
        set over [clock microseconds]
        set what $texts
        set sought $for
        set place {}
        array set entered $texts
        my lay_out
    }

    # Searches the notes. Needs no job, because there are only a few notes.
    method set_note_search {texts} {
        my replace $texts notes
        set counts [llength [[$window part Notes] matching [dict get $texts pattern]]]
        set marks {}
        my mark_hits
    }

    method step_note {way} {
        set found {}
        set from [lindex [my from $way] 0]
        set numbers [[$window part Notes] matching [dict get $what pattern]]
        foreach number [expr {$way eq "next" ? $numbers : [lreverse $numbers]}] {
            set time [dict get [lindex [$model notes] $number] time]
            if {$way eq "next" ? $time > $from : $time < $from} {
                set found $number
                break
            }
        }
        if {$numbers eq {}} {
            my say "nothing found"
            return
        }
        set how {}
        if {$found eq {}} {
            set how [expr {$way eq "next" ? "from the start: " : "from the end: "}]
            set found [lindex $numbers [expr {$way eq "next" ? 0 : "end"}]]
        }
        set place [list [dict get [lindex [$model notes] $found] time] 0 0]
        my show_count
        $window say $how[[$window part Notes] visit $found]
    }

    method is_query {text} { expr {![catch {::pithtk::query $text}]} }

    # Returns the search for a query, in the form for the log's method `find`. A query for states and events also finds
    # messages, at the times of their sends.
    method query_for {texts kinds} {
        foreach {key instead} {longer duration shorter duration payload payload} {
            if {[dict get $texts $key] ne {}} {
                throw {PITH USAGE} "$key: cannot be combined with a query; compare $instead in the query"
            }
        }
        if {[llength $kinds] == 2} {
            lappend kinds message
        }
        set for [dict create query [dict get $texts pattern] kinds $kinds]
        if {$kinds ne "function"} {
            dict set for ids [$model searchable]
        }
        return $for
    }

    # Ids of the definitions whose names match PATTERN, or contain it if it has no *, ? or [. Upper and lower case are
    # the same.
    method ids_like {pattern kinds} {
        set mask [expr {[regexp {[*?\[]} $pattern] ? $pattern : "*$pattern*"}]
        set searchable [$model searchable]
        set ids {}
        dict for {id def} [$model defs] {
            if {[dict get $def kind] in $kinds && $id in $searchable &&
                [string match -nocase $mask [dict get $def name]]} {
                lappend ids $id
            }
        }
        if {$ids eq {}} {
            if {[regexp {[=<>~]} $pattern]} {
                ::pithtk::query $pattern ;# throws an error that says what is wrong
            }
            throw {PITH USAGE} "no name matches $pattern[$model nearest $pattern $kinds]"
        }
        return $ids
    }

    # ---- The next one

    # The place where the search for the next hit starts: the last hit if its time is in the view, else the begin or the
    # end of the view.
    method from {way} {
        lassign [$model window] t0 t1
        if {$place ne {} && [lindex $place 0] >= $t0 && [lindex $place 0] < $t1} {
            return $place
        }
        return [expr {$way eq "next" ? [list [expr {$t0 - 1}] 4294967295 4294967295] : [list $t1 0 0]}]
    }

    method step {way} {
        if {$sought eq "notes"} {
            return [my step_note $way]
        }
        my start_search $way [my from $way] 0
    }

    method start_search {way from wrapped} {
        if {$job ne {}} {
            $job stop
        }
        set message "searching..."
        set job [[$model log] find [string map {prev previous} $way] $sought $from \
            [list [self] search_event [incr turn(search)] $way $wrapped]]
    }

    # Shows the progress of a job, but only when the job has done 2 % of its work, because most jobs end so soon that
    # progress need not be shown.
    method show_progress {what part} {
        if {$part > 0.02} {
            set message "$what... [expr {round($part * 100)}] %"
            pack $bar.stop -in $bar.row$last_row -side right
        }
    }

    method search_event {its_turn way wrapped how {found {}}} {
        if {$its_turn != $turn(search)} {
            return
        }
        if {$how eq "progress"} {
            my show_progress "searching" $found
            return
        }
        set job {}
        pack forget $bar.stop
        switch $how {
            failed { my say $found }
            stopped { set message stopped }
            done {
                if {$found eq {} && !$wrapped} {
                    my start_search $way [expr {$way eq "next" ? "-9223372036854775808 0 0" :
                        "9223372036854775807 4294967295 0"}] 1
                    return
                }
                my arrive $found [expr {$wrapped ? [expr {$way eq "next" ? "from the start: " : "from the end: "}] : {}}]
            }
        }
        set over [clock microseconds]
    }

    method arrive {found how} {
        if {$found eq {}} {
            my say "nothing found"
            return
        }
        set place [dict get $found at]
        set thing [my thing $found]
        if {[dict get $found kind] eq "function" && [lindex [[$window choice] rows_of $thing] 0] < 0} {
            [$window part Rows] word_unfold_rows [dict get $found rank].[dict get $found thread]
        }
        [$window choice] choose $thing
        [$window choice] show
        set text $how[my text $found]
        $window say $text
        my show_count
        if {[lindex [[$window choice] rows] 0] < 0} {
            my say "$text; its row is not shown"
        }
    }

    # Turns a hit of a search into a record that can be chosen (a `thing` of choice.tcl). The hit of a message is its
    # send. If the message was received, adds what is known of the whole message, so that its details can be shown.
    method thing {found} {
        set kind [dict get $found kind]
        if {$kind eq "message"} {
            set place [list [dict get $found rank] [dict get $found thread]]
            set whole [[$model log] messageof {*}$place [dict get $found start] [dict get $found peer] [dict get $found tag]]
            set found [dict merge $found [dict create from [lindex $place 0] from_thread [lindex $place 1] \
                to [dict get $found peer]] $whole]
        }
        return [dict create kind $kind hit $found]
    }

    method text {found} {
        set at [$model time_text [dict get $found start] 1]
        if {[dict get $found kind] eq "message"} {
            set took [expr {[dict get $found end] - [dict get $found start]}]
            return "message rank [dict get $found rank] to [dict get $found peer],\
                [::pithtk::number [dict get $found bytes]] bytes, at $at[expr {$took ? ", took [::pithtk::duration $took]" : {}}]"
        }
        set text "[dict get $found name], rank [dict get $found rank], at $at"
        if {[dict get $found kind] in {state function}} {
            append text ", [::pithtk::duration [expr {[dict get $found end] - [dict get $found start]}]]"
        }
        return $text
    }

    # ---- Number of hits

    method count {} {
        set counts {}
        set marks {}
        my mark_hits
        set counting [[$model log] count $sought 2000 [list [self] count_event [incr turn(count)]]]
    }

    method count_event {its_turn how {value {}}} {
        if {$its_turn != $turn(count)} {
            return
        }
        if {$how eq "progress"} {
            my show_progress "counting" $value
            return
        }
        set counting {}
        pack forget $bar.stop
        if {$how eq "done"} {
            set marks [lassign $value counts]
            my mark_hits
            my show_count
        }
        set over [clock microseconds]
    }

    method show_count {} {
        if {$counts ne {}} {
            set message "[::pithtk::number $counts] hit[expr {$counts == 1 ? {} : {s}}]"
        }
    }

    # Marks on the overview, the strip below the timelines, where there are hits.
    method mark_hits {} {
        set strip [winfo parent [[$window timeline] plot]].overview
        if {![winfo exists $strip]} {
            return
        }
        $strip delete hits
        set last -1
        set column 0
        set width [winfo width $strip]
        foreach mark $marks {
            set x [expr {int(($column + 0.5) * $width / [llength $marks])}]
            if {$mark && $x > $last + 1} {
                set last $x
                $strip create line $x 0 $x 6 -fill [colour text] -tags hits
                $strip create line $x [expr {[winfo height $strip] - 6}] $x [winfo height $strip] \
                    -fill [colour text] -tags hits
            }
            incr column
        }
    }

    method stop {} {
        foreach one [list $job $counting] {
            if {$one ne {}} {
                $one stop
            }
        }
        set job {}
        set counting {}
        set over [clock microseconds] ;# wakes up commands that wait for the search or count
    }

    # ---- Words

    method word_find {{pattern {}} args} {
        if {$pattern eq {} && $args eq {}} {
            my open
            return
        }
        set texts [dict replace [my no_terms] pattern $pattern]
        foreach {option value} $args {
            set key [string range $option 1 end]
            if {![string match -* $option] || ![dict exists $texts $key] || $key eq "pattern"} {
                throw {PITH USAGE} \
                    "find: no such option: $option; must be one of -kind -longer -shorter -payload -ranks -bytes -most -tag -partner"
            }
            if {$key eq "kind"} {
                set value [my kind_of $value]
            }
            dict set texts $key $value
        }
        if {"[dict get $texts bytes][dict get $texts most][dict get $texts tag][dict get $texts partner]" ne {}} {
            dict set texts kind messages
        }
        my set_search $texts
        return [my word_next]
    }

    method kind_of {word} {
        foreach kind {states events messages functions notes {states and events}} {
            if {$word in [list $kind [string trimright $kind s]]} {
                return $kind
            }
        }
        throw {PITH USAGE} "find: no such kind: $word; must be state, event, message, function or note"
    }

    method word_next {} { return [my go next] }
    method word_prev {} { return [my go prev] }

    method go {way} {
        if {$what eq {}} {
            my open
            return
        }
        my set_search $what
        my step $way
        while {[info object isa object [self]] && $job ne {}} {
            vwait [my varname over]
        }
        return [$window status_text]
    }

    method word_hits {} {
        while {[info object isa object [self]] && $counting ne {}} {
            vwait [my varname over]
        }
        return $counts
    }
}

::pith::part::add Search {
    words {
        find {?PATTERN|QUERY? ?-OPTION VALUE ...?} {find the first record from the start of the window that matches a name or a query: -kind, -longer, -shorter (messages: transfer time), -payload, -ranks, -bytes, -most, -tag, -partner} word_find
        next {} {go to the next hit} word_next
        prev {} {go to the previous hit} word_prev
        hits {} {number of hits} word_hits
    }
    keys {
        {slash Control-f} {/  Ctrl-f} {find states, events, messages} {find}
        {n F3} {n  F3} {next hit} {next}
        {N Shift-F3} {Shift-n} {previous hit} {prev}
    }
    buttons {find "Find" find {find states, events, messages}}
    menus {
        Search {"Find..." find /  "Next hit" next n  "Previous hit" prev Shift-n}
    }
}
