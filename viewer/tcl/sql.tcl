# sql.tcl - a page for queries of the log in SQL, which `pith sql` answers. It has an entry for the query, in which Tab
# completes the names of tables and columns, and a table with the rows of the answer. A click on a row with a time shows
# this time in the timelines. Before the first query, `pith sql` makes a database of the log. This happens when the page
# opens; for a large log, only when the user runs a query.

oo::class create ::pith::Sql {
    superclass ::pith::ProgramBoard
    variable window model board
    variable entry tables tree
    variable cut
    variable query        ;# text of the entry
    variable asked        ;# query whose rows are shown or being computed; {}: none
    variable schema       ;# dict: table -> columns; {} not known yet
    variable is_of_schema ;# 1: the command that runs or ran last lists the tables
    variable columns      ;# names of the rows' columns
    variable found        ;# rows, lists of values
    variable past past_at ;# earlier queries; index of the one that is shown while the user steps through them
    variable hint         ;# line below the entry: what Tab could mean, or how many rows there are

    # How many lines of output are read at most; 0: no limit, for the list of tables.
    method most {} { return [expr {$is_of_schema ? 0 : [::pith::Sql::most_rows] + 1}] }

    constructor {its_window} {
        next $its_window "SQL"
        lassign {} query asked schema columns found past hint
        lassign {0 0} past_at is_of_schema
    }

    method drop {} {
        lassign {} asked schema columns found
        if {[my is_open]} {
            my show_rows
        }
    }

    method draw {} {}

    method follows {} { return log }
    method new_interval {} { return [$model whole] }

    # ---- Widgets

    method build {body} {
        ttk::frame $body.controls
        set entry [ttk::entry $body.controls.query -textvariable [my varname query] -font TkFixedFont]
        ttk::button $body.controls.run -text "Run" -width 0 -takefocus 0 -command [list [self] run]
        ttk::button $body.controls.close -text "\u00d7" -width 2 -style Toolbutton -takefocus 0 -command [list [self] close]
        my build_progress $body.progress
        pack $body.controls.close -side right
        pack $body.progress -in $body.controls -side right
        pack $body.controls.run -side right -padx 6
        pack $entry -side left -fill x -expand 1
        ttk::label $body.hint -textvariable [my varname hint] -style Faint.TLabel -anchor w
        set tables [ttk::treeview $body.tables -show tree -selectmode browse -height 4 -yscrollcommand [list $body.ty set]]
        $tables column #0 -width [px 150] -minwidth 40
        ttk::scrollbar $body.ty -orient vertical -command [list $tables yview]
        set tree [ttk::treeview $body.tree -show headings -selectmode browse -height 4 -yscrollcommand [list $body.y set] \
            -xscrollcommand [list $body.x set]]
        ttk::scrollbar $body.y -orient vertical -command [list $tree yview]
        ttk::scrollbar $body.x -orient horizontal -command [list $tree xview]
        grid $body.controls -row 0 -column 0 -columnspan 4 -sticky ew
        grid $body.hint -row 1 -column 0 -columnspan 4 -sticky ew
        grid $body.tables $body.ty $tree $body.y -row 2 -sticky nsew
        grid $body.x -row 3 -column 2 -sticky ew
        grid columnconfigure $body 2 -weight 1
        grid rowconfigure $body 2 -weight 1
        ::pith::Tip new $tables [list [self] about_table]
        ::pith::Tip new $tree [list [self] about_cell]
        bind $entry <Return> "[list [self] run]; break"
        bind $entry <Escape> "[list [self] close]; break"
        bind $entry <Tab> "[list [self] complete]; break"
        bind $entry <Up> "[list [self] recall -1]; break"
        bind $entry <Down> "[list [self] recall 1]; break"
        bind $tables <Double-Button-1> "[list [self] insert_chosen]; break"
        bind $tables <Return> "[list [self] insert_chosen]; break"
        bind $tree <ButtonRelease-1> [list [self] clicked %x %y]
        bind $tree <Return> "[list [self] go_to_chosen]; break"
        foreach table [list $tables $tree] {
            foreach key {Up Down Left Right} {
                bind $table <$key> "[bind Treeview <$key>]; break"
            }
        }
        my list_tables
        my show_rows
    }

    # ---- The program

    # Returns the words of the `pith` command to be run next. As long as the tables are not known, this is the command
    # that lists them, and makes the database for this; afterwards it is the query. Returns {} if no command is to be
    # run.
    method words {} {
        if {[file isdirectory [$model path]]} {
            my say "not while the program runs"
            return {}
        }
        set is_of_schema [expr {$schema eq {}}]
        if {$is_of_schema} {
            set records [$model info records]
            if {$asked eq {} && $records > $::pith::Waiting::most_records} {
                set hint "The first query makes a database of [::pithtk::number $records] records, which takes a while."
                return {}
            }
            set hint "Reading the log..."
            return [list sql [$model path] $::pith::Sql::of_tables --csv]
        }
        if {$asked eq {}} {
            return {}
        }
        set hint "..."
        return [list sql [$model path] $asked --csv]
    }

    method heard {callback how text {more {}}} {
        if {$how eq "stopped"} {
            set hint {}
        } elseif {$how eq "failed" && $more eq {}} {
            set hint [regsub {^sql: } $text {}]
            set text {}
            set columns {}
            set found {}
            if {[my is_open]} {
                my show_rows
            }
        }
        next $callback $how $text $more
    }

    method read {text} {
        set lines [::pith::board::read_csv $text]
        if {$is_of_schema} {
            foreach line [lrange $lines 1 end] {
                lassign $line table column
                dict lappend schema $table $column
            }
            set hint {}
            my list_tables
            if {$asked ne {}} {
                my renew 0
            }
            return
        }
        set most [::pith::Sql::most_rows]
        set columns [lindex $lines 0]
        set found [lrange $lines 1 $most]
        set count [llength $found]
        if {!$count} {
            set hint "No rows."
        } elseif {$count >= $most} {
            set hint "The first [::pithtk::number $most] rows; there may be more. LIMIT, WHERE and ORDER BY choose others."
        } else {
            set hint "[::pithtk::number $count] row[expr {$count == 1 ? {} : {s}}].[expr {[my time_column] eq {} ? {} : { A click on a row goes to its time.}}]"
        }
        my show_rows
    }

    method run {} {
        set query [string trim $query]
        if {$query eq {}} {
            return
        }
        set past [list {*}[lsearch -all -inline -not -exact $past $query] $query]
        set past_at [llength $past]
        set asked $query
        my renew 0
    }

    method recall {by} {
        set past_at [expr {max(0, min($past_at + $by, [llength $past]))}]
        set query [lindex $past $past_at]
        $entry icursor end
    }

    # ---- Tables and columns

    method list_tables {} {
        $tables delete [$tables children {}]
        dict for {table its} $schema {
            $tables insert {} end -id $table -text $table
            foreach column $its {
                $tables insert $table end -text $column
            }
        }
    }

    method about_table {x y} {
        set item [$tables identify item $x $y]
        if {$item eq {}} {
            return {}
        }
        if {[dict exists $schema $item]} {
            return "$item ([join [dict get $schema $item] {, }]). A double click writes it into the query."
        }
        return "A double click writes the column into the query."
    }

    method insert_chosen {} {
        set item [lindex [$tables selection] 0]
        if {$item eq {}} {
            return
        }
        set name [$tables item $item -text]
        if {$query eq {} && [dict exists $schema $name]} {
            set name "SELECT * FROM $name"
        }
        $entry insert insert $name
        focus $entry
        $entry icursor insert
    }

    # Completes the word before the cursor. If several names begin with this word, completes only as many letters as all
    # of these names have in common.
    method complete {} {
        set cursor [$entry index insert]
        if {![regexp {[A-Za-z_][A-Za-z_0-9]*$} [string range $query 0 $cursor-1] word]} {
            return
        }
        set names [my names_like $word]
        if {$names eq {}} {
            set hint "No table or column begins with $word."
            return
        }
        set common [lindex $names 0]
        foreach name $names {
            while {![string equal -nocase -length [string length $common] $common $name]} {
                set common [string range $common 0 end-1]
            }
        }
        set from [expr {$cursor - [string length $word]}]
        $entry delete $from $cursor
        $entry insert $from $common
        $entry icursor [expr {$from + [string length $common]}]
        set hint [expr {[llength $names] == 1 ? {} : [join [lrange $names 0 19] {  }]}]
    }

    # Names that begin with WORD. After the name of a table and a dot, these are only columns of this table; otherwise
    # tables, columns and SQL keywords.
    method names_like {word} {
        set names {}
        set before [string range $query 0 [expr {[$entry index insert] - [string length $word] - 1}]]
        if {[regexp {([A-Za-z_]+)\.$} $before - table] && [dict exists $schema $table]} {
            set names [dict get $schema $table]
        } else {
            set names [concat [dict keys $schema] {*}[dict values $schema] $::pith::Sql::keywords]
        }
        return [lsort -unique [lsearch -all -inline -nocase -glob $names $word*]]
    }

    # ---- Rows

    method show_rows {} {
        $tree delete [$tree children {}]
        set places [lmap column $columns {incr place}]
        $tree configure -columns $places
        set numeric [lrepeat [llength $columns] 1]
        foreach row [lrange $found 0 49] {
            set numeric [lmap is $numeric value $row {expr {$is && ($value eq {} || [string is double -strict $value])}}]
        }
        set widths [lmap column $columns {expr {[font measure TkHeadingFont $column] + [px 16]}}]
        foreach row [lrange $found 0 199] {
            set widths [lmap width $widths value $row {expr {max($width, min([px 320], [font measure TkDefaultFont $value] + [px 16]))}}]
        }
        foreach place $places column $columns width $widths is $numeric {
            $tree heading $place -text $column -anchor [expr {$is ? "e" : "w"}] -command [list [self] sort_by [expr {$place - 1}]]
            $tree column $place -width $width -minwidth 30 -stretch 0 -anchor [expr {$is ? "e" : "w"}]
        }
        set number -1
        foreach row $found {
            $tree insert {} end -id [incr number] -values $row
        }
    }

    # Sorts the rows of the answer by a column. Tk calls this a moment after a click on the heading, so the page may
    # have been closed meanwhile.
    method sort_by {place} {
        if {![winfo exists $tree]} {
            return
        }
        set is_number 1
        foreach row $found {
            if {![string is double -strict [lindex $row $place]]} {
                set is_number 0
            }
        }
        set sorted [lsort {*}[expr {$is_number ? {-real} : {-dictionary}}] -index $place $found]
        set found [expr {$sorted eq $found ? [lreverse $sorted] : $sorted}]
        my show_rows
    }

    # The tooltip of a cell: its full text if the column is too narrow for it, and what a click does.
    method about_cell {x y} {
        set item [$tree identify item $x $y]
        if {$item eq {}} {
            return {}
        }
        set place [string range [$tree identify column $x $y] 1 end]
        set text [lindex $found $item [expr {$place - 1}]]
        set is_cut [expr {[font measure TkDefaultFont $text] + [px 8] > [$tree column $place -width]}]
        set times [lmap time [my times_of $item] {::pithtk::duration $time}]
        set help [expr {$times eq {} ? {} : "A click goes to [join $times { to }][my whose [my lane_of $item]]."}]
        return [string trim [expr {$is_cut ? "$text\n$help" : $help}]]
    }

    method whose {lane} { expr {$lane eq {} ? {} : " of rank [join [lsearch -all -inline -not -exact $lane 0] .]"} }

    # ---- Going there

    method column_of {names} {
        foreach name $names {
            set place [lsearch -exact -nocase $columns $name]
            if {$place >= 0} {
                return $place
            }
        }
        return {}
    }

    method time_column {} { my column_of {start_ns time_ns from_ns send_ns first_ns recv_ns end_ns to_ns last_ns} }

    method value_of {number names} {
        set place [my column_of $names]
        set value [expr {$place eq {} ? {} : [lindex $found $number $place]}]
        return [expr {[string is wideinteger -strict $value] ? $value : {}}]
    }

    # Returns the times that a row of the answer has in its columns: {FROM TO}, {TIME}, or {} if it has none.
    method times_of {number} {
        set from [my value_of $number {start_ns time_ns from_ns send_ns first_ns recv_ns end_ns to_ns last_ns}]
        set to [my value_of $number {end_ns to_ns recv_ns last_ns}]
        return [expr {$from eq {} ? {} : $to eq {} || $to <= $from ? [list $from] : [list $from $to]}]
    }

    # The lane of a row of the answer, {RANK THREAD}; {} if the row has none.
    method lane_of {number} {
        set lane [my value_of $number {lane send_lane}]
        set rank [my value_of $number {rank sender}]
        set thread [my value_of $number {thread}]
        if {$lane ne {}} {
            return [$model tree lane $lane]
        }
        return [expr {$rank eq {} ? {} : [list $rank [expr {$thread eq {} ? 0 : $thread}]]}]
    }

    method clicked {x y} {
        if {[$tree identify region $x $y] eq "cell"} {
            my go_to_chosen
        }
    }

    method go_to_chosen {} {
        set item [lindex [$tree selection] 0]
        if {$item ne {}} {
            my go_to_row $item
        }
    }

    # Shows the time and the lane of a row of the answer in the timelines, and chooses the state there.
    method go_to_row {number} {
        set times [my times_of $number]
        if {$times eq {}} {
            $window say "this row has no column of a time: start_ns, time_ns, from_ns, send_ns ..."
            return
        }
        lassign $times from to
        set lane [my lane_of $number]
        set length [expr {$to eq {} ? 1 : $to - $from}]
        lassign [$model window] t0 t1
        if {$length * 20 < $t1 - $t0} {
            $model zoom [expr {$from - 4 * $length - ($to eq {} ? ($t1 - $t0) / 20 : 0)}] \
                [expr {$from + 5 * $length + ($to eq {} ? ($t1 - $t0) / 20 : 0)}]
        } elseif {$from < $t0 || $from + $length > $t1} {
            $model zoom [expr {$from - $length}] [expr {$from + 2 * $length}]
        }
        if {$lane eq {} || [my go_to_state $lane $from $to]} {
            return
        }
        set row [$model row_of {*}$lane]
        if {$row >= 0} {
            [$window timeline] show_row $row
        }
    }

    # Chooses the state with these times on a lane. Returns 1 if there is such a state.
    method go_to_state {lane from to} {
        set walk [$window part Walk]
        if {$to eq {} || [$model row_of {*}$lane] < 0} {
            return 0
        }
        set hit [$walk state_of [dict create rank [lindex $lane 0] thread [lindex $lane 1]] $from]
        if {$hit eq {} || [dict get $hit start] != $from} {
            return 0
        }
        $walk go [dict create kind state hit $hit]
        return 1
    }

    # ---- Words

    # The command `sql`. Returns the rows of the answer; the first row has the names of the columns.
    method word_sql {args} {
        if {$args eq {close}} {
            my close
            return
        }
        my open
        # The entry gets the focus only here, where the user has asked for the page, and not when a new window opens the
        # page that was visible last. Otherwise Tk would give the focus to the entry as soon as the entry becomes
        # visible, even if the user has moved the focus meanwhile, and the keys of the timelines would not work.
        if {$args eq {}} {
            focus $entry
            return
        }
        if {[lindex $args 0] eq "go" && [llength $args] == 2} {
            my go_to_row [expr {[lindex $args 1] - 1}]
            return
        }
        if {[lindex $args 0] eq "save" && [llength $args] == 2} {
            my save [lindex $args 1]
            return
        }
        set query [join $args]
        my run
        my wait
        my wait ;# waits again: first for the tables, now for the query
        return [expr {$columns eq {} ? $hint : [list $columns {*}$found]}]
    }

    method save {file} {
        if {[file extension $file] eq ".png"} {
            my picture $file
            return
        }
        ::pith::board::write $file [list $columns {*}$found]
    }
}

namespace eval ::pith::Sql {
    # The query that lists tables and their columns.
    variable of_tables {SELECT m.name, p.name FROM sqlite_schema m, pragma_table_info(m.name) p
        WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite%' ORDER BY m.type = 'table', m.name, p.cid}
    variable keywords {SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN USING HAVING DISTINCT COUNT SUM AVG MIN MAX AND OR NOT IN
        LIKE BETWEEN DESC AS ON UNION CASE WHEN THEN ELSE END median percentile}
    proc most_rows {} { return 2000 }
}

::pith::part::add Sql {
    words {
        sql {?QUERY|go ROW|save FILE|close?} {rows of the log that an SQL query selects (the first 2000); go: to the time of a row} word_sql
    }
    keys {{S} {Shift-s} {query the log with SQL} {sql}}
    menus {Statistics {"SQL..." sql Shift-S}}
}
