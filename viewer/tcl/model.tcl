# model.tcl - the model of a window: the log, the time and rows shown, and what is hidden. All views of a window share
# one model. They change it only through its methods, and the model notifies them of changes:
#
#     $model follow CALLBACK      calls CALLBACK with the name of each change: time, rows, hidden, size, pointer, digest,
#                                 log, selection, trouble, reading, colours, searchable, theme, left_out, exact,
#                                 message_filter, picking, picked
#
# Times are nanoseconds from the start of the log.

# Undo and redo. The state of a view is divided into parts, such as its time and its rows, and each change of a part can
# be undone. A subclass (Model) has the methods
#
#     current WHAT         returns the value of a part: time, rows, hidden, arrows, messages, notes
#     apply WHAT VALUE     sets the value of a part, without a call of `push`
#
# It calls `push WHAT` before it changes a part, and `forget_past` in its constructor. The value of a part may also be
# kept by another object, such as the legend's filter of names. That object calls `share WHAT [self]`, and has the
# methods `current` and `apply VALUE`.

oo::class create ::pith::History {
    variable past future ;# stacks of {what value} for undo and redo
    variable pushed      ;# {what ms} of the last push
    variable owners      ;# array: part -> the object that has its value; no entry: this object has it

    # Saves a part of the view for undo. Changes of one part that follow each other within 0.6 s are undone as one.
    method push {what} {
        set now [clock milliseconds]
        lassign $pushed before ms
        if {$what ne $before || $now - $ms > 600} {
            lappend past [list $what [my value_of $what]]
            set past [lrange $past end-99 end]
            set future {}
        }
        set pushed [list $what $now]
    }

    # Like push, but the change is undone alone, even if other changes of the same part come within 0.6 s before or
    # after it.
    method push_alone {what} {
        set pushed {{} 0}
        my push $what
        set pushed {{} 0}
    }

    method undo {} { my take_back past future }
    method redo {} { my take_back future past }

    # Takes the last saved value from the stack FROM, gives it to its part, and saves the part's present value on the
    # stack TO. Skips saved values that are the same as the present value: they were saved by commands that then failed
    # and changed nothing.
    method take_back {from to} {
        set pushed {{} 0}
        while {[set $from] ne {}} {
            lassign [lindex [set $from] end] what value
            set $from [lrange [set $from] 0 end-1]
            set now [my value_of $what]
            if {$value ne $now} {
                lappend $to [list $what $now]
                my give $what $value
                return
            }
        }
    }

    method share {what object} { set owners($what) $object }

    method value_of {what} {
        if {[info exists owners($what)]} {
            return [$owners($what) current]
        }
        return [my current $what]
    }

    method give {what value} {
        if {[info exists owners($what)]} {
            $owners($what) apply $value
        } else {
            my apply $what $value
        }
    }

    # Replaces each saved value of a part by what CHANGE, called with this value, returns.
    method revise_past {what change} {
        foreach stack {past future} {
            set $stack [lmap saved [set $stack] {
                lassign $saved its_what value
                expr {$its_what eq $what ? [list $what [{*}$change $value]] : $saved}
            }]
        }
    }

    # Forgets the saved values of all parts, or of one part, so that their changes can no longer be undone.
    method forget_past {{what {}}} {
        foreach stack {past future} {
            set $stack [expr {$what eq {} ? {} : [lsearch -all -inline -not -exact -index 0 [set $stack] $what]}]
        }
        set pushed {{} 0}
    }
}

oo::class create ::pith::Model {
    superclass ::pith::History
    variable log        ;# the log's command (tk/log_object.h)
    variable info       ;# dict: facts about the log
    variable defs       ;# dict: id -> dict of name, kind, colour, group
    variable row_count pinned_count ;# visible rows; pinned ones, which come first
    variable t0 t1      ;# time shown, t0 < t1
    variable extent     ;# {from to}: the times that can be shown (beside.tcl); {}: those of the log
    variable hidden     ;# ids of hidden definitions
    variable unsearched ;# ids excluded from searches
    variable palette    ;# log, classic or safe
    variable given      ;# dict id -> colour set by the user, independent of the palette
    variable selection  ;# {from to}: selected time; {} none
    variable row_height ;# pixels, an integer from 2 on
    variable auto_height ;# 1: rows fill the window (Timeline fill_height)
    variable first_row  ;# number of rows below the pinned ones that are scrolled out at the top
    variable arrows     ;# on, off, or auto: messages are shown where they do not cover too much
    variable left_out   ;# the fraction of the picture that messages left out by auto would cover; 0: they are drawn
    variable exact      ;# the fraction of the picture that is exact; 1: all of it is, or soon will be
    variable names_on   ;# 1: bars have names
    variable wants_time_of_day ;# 1: times are dates and times of day, if the log knows them
    variable time_of_day ;# 1: times are shown as dates and times of day
    variable notes      ;# dicts of time, rank, thread and text (notes.tcl), sorted by time
    variable message_filter ;# words of message_filter.tcl; {}: all messages
    variable picking    ;# a Picking
    variable pointer    ;# dict: details of the record under the pointer; {} none
    variable reader     ;# job that reads messages and counters
    variable reading    ;# progress of `reader`, 0 to 1; {}: nothing is being read
    variable trouble    ;# problem with the log; {} none
    variable changed    ;# traced: name of the last change
    variable notices    ;# queue of changes; the first is being reported to the followers

    # OPENED: command of the log (opening.tcl).
    constructor {opened} {
        set log $opened
        lassign {} notes message_filter given extent unsearched selection pointer trouble reading changed
        set names_on 1
        set wants_time_of_day 0
        set notices {}
        my read_log [::pith::preferences::get palette]
        lassign [my whole] t0 t1
        set hidden [my tool_events]
        $log hide $hidden
        set row_height 24
        set auto_height 1
        set first_row 0
        set arrows auto
        set left_out 0.0
        set exact 1
        my forget_past
        set picking [::pith::Picking new [self]]
    }

    destructor {
        $picking destroy
        catch {$log close}
    }

    method read_log {its_palette} {
        set info [$log info]
        set defs {}
        foreach def [$log defs] {
            dict set defs [dict get $def id] $def
        }
        $log shownames $names_on
        set time_of_day [$log timeofday $wants_time_of_day]
        my take_palette $its_palette
        my count_rows
    }

    # Replaces the log, for example by a later snapshot of the same program. Notifies followers of `log`, so that they
    # end the work that they have begun with the old log. Hides those definitions of the new log that have the same
    # names as hidden definitions of the old one. DIGESTED 1: the messages and counters of the new log have already been
    # read.
    method replace {new digested} {
        set old $log
        set by_name [my given_by_name]
        set known [lmap id [dict keys $defs] {dict get $defs $id name}]
        foreach list {hidden unsearched} {
            set names($list) [lmap id [set $list] {dict get $defs $id name}]
        }
        set log $new
        set given {}
        my read_log $palette
        my give_by_name $by_name
        foreach list {hidden unsearched} {
            set $list [lmap id [dict keys $defs] {
                if {[dict get $defs $id name] ni $names($list)} continue
                set id
            }]
        }
        foreach id [my tool_events] {
            if {[dict get $defs $id name] ni $known} {lappend hidden $id}
        }
        $log hide $hidden
        my forget_past hidden ;# ids may have changed
        catch {$log rows set_state [$old rows state]}
        set pointer {}
        set trouble {}
        set reading {}
        set notes [$log setnotes $notes]
        my notify log
        my rows_changed
        my notify colours
        if {$digested} {
            my notify digest
        } else {
            my digest
        }
        # Closes the old log last, because jobs of followers may use it until the followers are notified.
        $old close
    }

    # ---- Following

    method follow {callback} {
        trace add variable [my varname changed] write [list ::pith::followed [my varname changed] $callback]
    }

    method unfollow {callback} {
        trace remove variable [my varname changed] write [list ::pith::followed [my varname changed] $callback]
    }

    # Notifies all followers of a change. A follower may then change the model itself; all followers are notified of
    # that change only after all have been notified of the first one.
    method notify {what} {
        lappend notices $what
        if {[llength $notices] > 1} {
            return
        }
        set me [self]
        try {
            while {$notices ne {}} {
                set changed [lindex $notices 0]
                if {![info object isa object $me]} {
                    return
                }
                set notices [lrange $notices 1 end]
            }
        } finally {
            if {[info object isa object $me]} {
                set notices {}
            }
        }
    }

    # ---- Asking

    method log {} { return $log }
    method info {key} { dict get $info $key }
    method row_count {} { return $row_count }
    method pinned_count {} { return $pinned_count }
    method def {id} { dict get $defs $id }
    method name {id} { dict get $defs $id name }
    method names {ids} { lmap id $ids {dict get $defs $id name} }

    # Ids of the definitions that have one of NAMES, in the order of NAMES.
    method ids_named {names} {
        set by_name {}
        dict for {id def} $defs {
            dict lappend by_name [dict get $def name] $id
        }
        return [concat {*}[lmap name $names {
            if {![dict exists $by_name $name]} continue
            dict get $by_name $name
        }]]
    }

    method defs {} { return $defs }
    method window {} { list $t0 $t1 }
    method span {} { expr {$t1 - $t0} }
    method whole {} { expr {$extent ne {} ? $extent : [my log_time]} }
    method log_time {} { list [dict get $info t0] [dict get $info t1] }
    method hidden {} { return $hidden }
    method row_height {} { return $row_height }
    method auto_height {} { return $auto_height }
    method first_row {} { return $first_row }
    method arrows {} { expr {$arrows ne "off"} }
    method arrows_way {} { return $arrows }
    method arrows_seen {} { expr {$arrows ne "off" && !$left_out} }
    method left_out {} { return $left_out }
    method exact {} { return $exact }
    method names_on {} { return $names_on }
    method time_of_day {} { return $time_of_day }

    # A time as the axis shows it, with enough digits to distinguish times FINE ns apart.
    method time_text {time fine} { return [$log timetext $time $fine] }
    method palette {} { return $palette }
    method pointer {} { return $pointer }
    method selection {} { return $selection }
    method trouble {} { return $trouble }
    method reading {} { return $reading }

    # ---- Time

    # Shows [FROM, TO), but never times outside the log, and never less than 20 ns. Saves the old view for undo. Several
    # calls in quick succession, as when a mouse wheel turns, are undone as one.
    method zoom {from to} {
        my push time
        my set_window $from $to
    }

    method set_window {from to} {
        lassign [my whole] first last
        set from [expr {wide(round($from))}]
        set to [expr {wide(round($to))}]
        set span [expr {min(max($to - $from, 20), max($last - $first, 20))}]
        set from [expr {max($first, min($from, $last - $span))}]
        if {$from == $t0 && $from + $span == $t1} {
            return
        }
        set t0 $from
        set t1 [expr {$from + $span}]
        my notify time
    }

    # Sets the largest interval that the view can show; {}: that of the log. If the view showed all of the old largest
    # interval, it then shows all of the new one.
    method set_extent {interval} {
        set all [expr {[my window] eq [my whole]}]
        set extent $interval
        if {$all} {
            my set_window {*}[my whole]
        } else {
            my set_window $t0 $t1
        }
    }

    # Makes the time shown FACTOR times as long; FACTOR < 1 zooms in. TIME stays at its place on the screen.
    method zoom_about {factor time} {
        my zoom [expr {$time - ($time - $t0) * double($factor)}] [expr {$time + ($t1 - $time) * double($factor)}]
    }

    method zoom_by {factor} {
        my zoom_about $factor [expr {($t0 + $t1) / 2}]
    }

    # Moves the view to the right by PART (a fraction) of the time shown; to the left if PART < 0.
    method pan {part} {
        set by [expr {wide(($t1 - $t0) * double($part))}]
        my set_window [expr {$t0 + $by}] [expr {$t1 + $by}]
    }

    # Shows the time from the last end of MPI_Init to the last begin of MPI_Finalize.
    method work {} {
        my zoom {*}[$log work]
    }

    # Called when a log is opened. Shows the time between MPI_Init and MPI_Finalize, and returns 1, if both are recorded
    # and more than a twentieth of the log is outside this time. Otherwise changes nothing and returns 0. Does not save
    # the old view for undo, because the user has not seen it.
    method look_at_work {} {
        if {[catch {list [$log time init begin] [$log time finalize end]} work]} {
            return 0
        }
        lassign $work from to
        lassign [my whole] first last
        if {$from >= $to || $to - $from > 0.95 * ($last - $first)} {
            return 0
        }
        my set_window $from $to
        return 1
    }

    method path {} { dict get $info path }

    method fit {} {
        my zoom {*}[my whole]
    }

    # ---- Undo

    method current {what} {
        switch $what {
            time { return [list $t0 $t1] }
            rows { return [$log rows state] }
            hidden { return $hidden }
            arrows { return $arrows }
            messages { return $message_filter }
            notes { return $notes }
        }
    }

    method apply {what value} {
        switch $what {
            time { my set_window {*}$value }
            rows {
                $log rows set_state $value
                my rows_changed
            }
            hidden { my hide $value }
            arrows { my set_arrows_way $value }
            messages { my filter_messages $value }
            notes { my show_notes $value }
        }
    }

    # ---- Notes

    method notes {} { return $notes }

    method set_notes {its_notes} {
        my push_alone notes
        my show_notes $its_notes
    }

    # Shows these notes. Saves nothing for undo.
    method show_notes {its_notes} {
        set notes [$log setnotes $its_notes]
        my notify notes
    }

    # ---- Rows

    # Rows FIRST to LAST as dicts: label, note, kind (group, states, counter), node, depth, children, open, pinned,
    # parent, lane, lanes (how many), rank, thread, name, host. Views ask only for visible rows, because there may be
    # 100,000 rows.
    method rows {{first 0} {last 1000000000}} { $log rows list $first $last }
    method row {row} { lindex [$log rows list $row $row] 0 }

    # The row that shows a thread; if the thread is in a closed group, the row of this group; -1 if there is no such
    # row.
    method row_of {rank thread} { $log rows shows $rank $thread }

    # The line on the screen at which a row is, counted from 0; -1 if the row is scrolled out at the top. The first
    # lines are pinned rows; the others scroll.
    method line_of {row} {
        if {$row < $pinned_count} {
            return $row
        }
        expr {$row - $first_row >= $pinned_count ? $row - $first_row : -1}
    }

    # `line_at` returns the line of the screen at Y; `within_line` returns how far Y is below the upper edge of that
    # line.
    method line_at {y} { expr {int(floor(int($y) / double($row_height)))} }
    method within_line {y} { expr {int($y) - int([my line_at $y] * $row_height)} }

    # The row on a line of the screen; -1 if there is none.
    method row_on {line} {
        set row [expr {$line < $pinned_count ? $line : $line + $first_row}]
        expr {$line >= 0 && $row < $row_count ? $row : -1}
    }

    method count_rows {} {
        set row_count [$log rows count]
        set pinned_count [$log rows pinned]
    }

    # Asks about the tree of rows. The queries are in tk/log_rows.c.
    method tree {args} { $log rows {*}$args }

    # Changes rows or their order, by a command of tk/log_rows.c, and saves the old rows for undo.
    method arrange {args} {
        my push rows
        set result [$log rows {*}$args]
        my rows_changed
        return $result
    }

    method rows_changed {} {
        my count_rows
        set first_row [expr {max(0, min($first_row, $row_count - 1))}]
        my notify rows
        if {$trouble eq {}} {
            my set_trouble [$log rows trouble]
        }
    }

    # Shows only the rows that match a pattern of ranks (0-3,7.1) and names. The pattern "" shows all rows.
    method select {pattern} {
        my push rows
        $log rows filter $pattern
        set first_row 0
        my rows_changed
    }

    method set_row_height {pixels {auto 0}} {
        # Heights of 2 pixels or more are made integers. Lower heights may be fractions; below 1, several rows share a
        # line of pixels.
        set pixels [expr {$pixels >= 2 ? min([px 200], int($pixels)) : max(0.01, double($pixels))}]
        if {$auto && !$auto_height} {
            return
        }
        set auto_height $auto
        if {$pixels != $row_height} {
            set row_height $pixels
            my notify size
        }
    }

    # Lets the rows fill the window again, after the user has set a height.
    method release_row_height {} {
        set auto_height 1
        my notify rows
    }

    method scroll_to {row} {
        set row [expr {max(0, min($row, $row_count - 1))}]
        if {$row != $first_row} {
            set first_row $row
            my notify size
        }
    }

    # ---- What is shown

    method set_hidden {ids} {
        set ids [lsort -unique -integer $ids]
        if {$ids ne $hidden} {
            my push hidden
            my hide $ids
        }
    }

    method hide {ids} {
        set hidden $ids
        $log hide $hidden
        my notify hidden
    }

    method toggle {id} {
        if {$id in $hidden} {
            my set_hidden [lsearch -all -inline -not -exact $hidden $id]
        } else {
            my set_hidden [concat $hidden $id]
        }
    }

    # Ids of the recorder's events for tools, such as samples, call sites, and events for a replay. These events are
    # hidden at first, because they would cover the states that users look for.
    method tool_events {} {
        return [lmap id [my ids_like pith:*] {
            if {[dict get $defs $id kind] ne "event"} continue
            set id
        }]
    }

    # Ids of all definitions whose name matches a pattern. A pattern "group:NAME" matches all definitions of this group.
    method ids_like {pattern} {
        set ids {}
        dict for {id def} $defs {
            if {[string match $pattern [dict get $def name]] || [string match $pattern group:[dict get $def group]]} {
                lappend ids $id
            }
        }
        return $ids
    }

    # Like ids_like, but if no definition matches, throws an error that names the most similar one.
    method ids_of {pattern} {
        set ids [my ids_like $pattern]
        if {$ids eq {}} {
            throw {PITH USAGE} "no state or event is called $pattern[my nearest $pattern]"
        }
        return $ids
    }

    # A hint such as "; did you mean MPI_Send?", or {} if no name is similar. KINDS: the kinds of definitions whose
    # names are compared.
    method nearest {pattern {kinds {state event counter}}} {
        set names {}
        dict for {id def} $defs {
            if {[dict get $def kind] in $kinds} {
                lappend names [dict get $def name]
            }
        }
        return [::pithtk::nearest $pattern $names]
    }

    # Ids of the definitions that searches find.
    method searchable {} {
        return [lmap id [dict keys $defs] {if {$id in $unsearched} continue; set id}]
    }

    method unsearched {} { return $unsearched }
    method is_searchable {id} { expr {$id ni $unsearched} }

    method set_searchable {ids on} {
        set rest [lmap id $unsearched {if {$id in $ids} continue; set id}]
        set unsearched [expr {$on ? $rest : [lsort -unique -integer [concat $rest $ids]]}]
        my notify searchable
    }

    # ---- Colours

    # Gives definitions the colours of a palette, and then those colours that the user has set for single definitions
    # (colours.tcl).
    method take_palette {name} {
        set palette $name
        foreach colour [$log palette $name] id [dict keys $defs] {
            dict set defs $id colour $colour
        }
        dict for {id colour} [dict merge [::pith::colours::chosen [dict get $info path] $defs] $given] {
            my take_colour $id $colour
        }
    }

    method take_colour {id colour} {
        $log colour $id $colour
        dict set defs $id colour $colour
    }

    method set_palette {name} {
        my take_palette $name
        my notify colours
    }

    # Sets colours of definitions until the window closes; colours.tcl stores them permanently. COLOURS: dict id ->
    # #rrggbb.
    method set_colours {colours} {
        set given [dict merge $given $colours]
        dict for {id colour} $colours {
            my take_colour $id $colour
        }
        my notify colours
    }

    method given_colours {} { return $given }

    method given_by_name {} {
        return [concat {*}[lmap {id colour} $given {list [dict get $defs $id name] $colour}]]
    }

    method give_by_name {colours} {
        dict for {id def} $defs {
            if {[dict exists $colours [dict get $def name]]} {
                dict set given $id [dict get $colours [dict get $def name]]
                my take_colour $id [dict get $given $id]
            }
        }
    }

    # Restores colours. BEFORE: what `given_colours` returned at that time.
    method give_back_colours {before} {
        set given $before
        my set_palette $palette
    }

    # Sets whether messages are drawn. HOW: on, off or auto.
    method set_arrows {how} {
        set how [expr {$how eq "auto" ? "auto" : $how ? "on" : "off"}]
        if {$how ne $arrows} {
            my push arrows
            my set_arrows_way $how
        }
    }

    method set_arrows_way {how} {
        set arrows $how
        my notify hidden
    }

    method message_filter {} { return $message_filter }
    method picking {} { return $picking }

    method set_message_filter {words} {
        if {$words ne $message_filter} {
            my push messages
            my filter_messages $words
        }
    }

    method filter_messages {words} {
        set message_filter $words
        my notify message_filter
    }

    # Hides messages if they are visible, and shows them otherwise, even if they cover too much for `auto`.
    method toggle_arrows {} {
        my set_arrows [expr {$arrows eq "off" ? "auto" : $left_out ? "on" : "off"}]
    }

    # The timelines call these two methods after drawing a picture. They set the fraction of the picture that the
    # messages left out would cover, and the fraction that is exact.
    method set_left_out {cover} { my set_if_new left_out [expr {round($cover * 100) / 100.0}] }
    method set_exact {part} { my set_if_new exact $part }

    method set_names {on} {
        set names_on [expr {!!$on}]
        $log shownames $names_on
        my notify hidden
    }

    method set_time_of_day {on} {
        set wants_time_of_day $on
        set time_of_day [$log timeofday $on]
        my notify time
    }

    # Selects the time between two times, which may be in any order; {}: selects no time. Times outside the log are not
    # selected.
    method set_selection {interval} {
        if {$interval ne {}} {
            lassign [my whole] first last
            set interval [lmap time [lsort -integer $interval] {expr {max($first, min($last, wide($time)))}}]
        }
        if {$interval ne $selection} {
            set selection $interval
            my notify selection
        }
    }

    method set_pointer {what} { my set_if_new pointer $what }
    method set_trouble {text} { my set_if_new trouble $text }

    # Sets a variable of this class. If its value changes, notifies the followers.
    method set_if_new {name value} {
        my variable $name
        if {$value ne [set $name]} {
            set $name $value
            my notify $name
        }
    }

    # Starts a job that reads messages and counters. Called after the first picture, so that the picture does not wait.
    method digest {} {
        if {$reading eq {}} {
            set reading 0
            set reader [$log digest [list [self] digest_event]]
        }
    }

    method stop_reading {} {
        if {$reading ne {}} {
            $reader stop
        }
    }

    method digest_event {word {value {}}} {
        switch $word {
            progress {
                set reading $value
                my notify reading
                return
            }
            done {
                if {[dict get $value trouble] ne {}} {
                    my set_trouble [dict get $value trouble]
                }
                if {[dict get $value counters]} {
                    my rows_changed
                }
            }
            failed { my set_trouble $value }
        }
        set reading {}
        my notify digest
    }

    # Waits until all messages and counters are read, or the window is closed.
    method finish_reading {} {
        while {[info exists reading] && $reading ne {}} {
            vwait [my varname reading]
        }
    }
}

# Returns a pattern, for the methods above and for glob, that matches only TEXT, which may be operator* or a[0].
proc ::pith::pattern_of {text} {
    return [string map {\\ \\\\ * \\* ? \\? [ \\[ ] \\] \{ \\\{ \} \\\}} $text]
}

# Calls CALLBACK with the value of VARIABLE. A trace runs this after each write to VARIABLE; ARGS is what Tcl passes to
# a trace.
proc ::pith::followed {variable callback args} {
    {*}$callback [set $variable]
}
