# model.tcl - what a window looks at: the log, the stretch of time, the rows, what is hidden. All views of a window
# share one model, change it only through its methods, and follow it by trace:
#
#     $model follow {callback}      called with the name of what changed: time, rows, hidden, size, pointer, digest,
#                                   log, selection, trouble, reading, colours, searchable, theme
#
# Times are nanoseconds from the log's start.

oo::class create ::pith::Model {
    variable log        ;# the command of the C core (tk/log_object.h)
    variable info       ;# dict: what the log is
    variable defs       ;# dict: id -> dict of name, kind, colour, group
    variable row_count pinned_count ;# of the rows that are seen; of them the pinned ones, which are the first
    variable t0 t1      ;# shown, t0 < t1
    variable extent     ;# {from to}: times that can be shown when these are more than the log's (pairing.tcl); {} its own
    variable hidden     ;# list of ids
    variable unsearched ;# list of ids that the search passes over
    variable palette    ;# log, classic or safe
    variable given      ;# dict id -> colour that somebody gave to it, whatever the palette
    variable selection  ;# {from to}: a stretch of time that was chosen; {} none
    variable row_height ;# pixels, whole ones from 2 on
    variable auto_height ;# 1: rows fill the window
    variable first_row  ;# how many rows below the pinned ones are scrolled out at the top
    variable arrows     ;# 1: messages are shown
    variable pointer    ;# dict: what is under the pointer, {} nothing
    variable reader     ;# what reads them, a job
    variable reading    ;# the part of messages and counters that is read, while they are; {} else
    variable trouble    ;# what is wrong with the log, {} nothing
    variable past future pushed_ms ;# stacks of {t0 t1}; when the last was pushed
    variable changed    ;# traced: written with the name of what changed

    # `opened`: the C core's command of the log (opening.tcl).
    constructor {opened} {
        set log $opened
        set given {}
        my read_log [::pith::preferences::get palette]
        set extent {}
        lassign [my whole] t0 t1
        # What the recorder tells those who replay a log says nothing to a reader, until it is asked for.
        set hidden [lmap id [dict keys $defs] {if {![string match pith:coll_* [dict get $defs $id name]]} continue; set id}]
        $log hide $hidden
        set unsearched {}
        set selection {}
        set row_height 24
        set auto_height 1
        set first_row 0
        set arrows 1
        set pointer {}
        set trouble {}
        set reading {}
        set past {}
        set future {}
        set pushed_ms 0
        set changed {}
    }

    destructor {
        catch {$log close}
    }

    method read_log {its_palette} {
        set info [$log info]
        set defs {}
        foreach def [$log defs] {
            dict set defs [dict get $def id] $def
        }
        my take_palette $its_palette
        my count_rows
    }

    # Another log of the same program: a later look at one that runs. Those who have begun something with the old one
    # drop it when they hear of `log`; what was hidden stays so, by name. DIGESTED, 1: its messages and counters have
    # been read.
    method replace {new digested} {
        set old $log
        set by_name [my given_by_name]
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
        $log hide $hidden
        catch {$log rows set_state [$old rows state]}
        set pointer {}
        set trouble {}
        set reading {}
        my notify log
        my rows_changed
        my notify colours
        if {$digested} {
            my notify digest
        } else {
            my digest
        }
        # At last: until now somebody may have had work under way with it.
        $old close
    }

    # ---- Following

    method follow {callback} {
        trace add variable [my varname changed] write [list ::pith::followed [my varname changed] $callback]
    }

    method unfollow {callback} {
        trace remove variable [my varname changed] write [list ::pith::followed [my varname changed] $callback]
    }

    method notify {what} {
        set changed $what
    }

    # ---- Asking

    method log {} { return $log }
    method info {key} { dict get $info $key }
    method row_count {} { return $row_count }
    method pinned_count {} { return $pinned_count }
    method def {id} { dict get $defs $id }
    method defs {} { return $defs }
    method window {} { list $t0 $t1 }
    method span {} { expr {$t1 - $t0} }
    method whole {} { expr {$extent ne {} ? $extent : [my log_time]} }
    method log_time {} { list [dict get $info t0] [dict get $info t1] }
    method hidden {} { return $hidden }
    method row_height {} { return $row_height }
    method auto_height {} { return $auto_height }
    method first_row {} { return $first_row }
    method arrows {} { return $arrows }
    method palette {} { return $palette }
    method pointer {} { return $pointer }
    method selection {} { return $selection }
    method trouble {} { return $trouble }
    method reading {} { return $reading }

    # ---- Time

    # The window [from, to), kept inside the log and no shorter than 20 ns. Remembered for undo, but not each step of a
    # turning wheel.
    method zoom {from to} {
        set now [clock milliseconds]
        if {$now - $pushed_ms > 600} {
            lappend past [list $t0 $t1]
            set past [lrange $past end-99 end]
            set future {}
        }
        set pushed_ms $now
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

    # More than the log's time can be shown; {} no more. Who shows all goes on doing so.
    method set_extent {stretch} {
        set all [expr {[my window] eq [my whole]}]
        set extent $stretch
        if {$all} {
            my set_window {*}[my whole]
        } else {
            my set_window $t0 $t1
        }
    }

    # Factor < 1 zooms in; `time` stays where it is on the screen.
    method zoom_about {factor time} {
        my zoom [expr {$time - ($time - $t0) * double($factor)}] [expr {$time + ($t1 - $time) * double($factor)}]
    }

    method zoom_by {factor} {
        my zoom_about $factor [expr {($t0 + $t1) / 2}]
    }

    # By a part of what is shown, to the right when > 0.
    method pan {part} {
        set by [expr {wide(($t1 - $t0) * double($part))}]
        my set_window [expr {$t0 + $by}] [expr {$t1 + $by}]
    }

    # From the last end of MPI_Init to the first begin of MPI_Finalize.
    method work {} {
        my zoom {*}[$log work]
    }

    method path {} { dict get $info path }

    method fit {} {
        my zoom {*}[my whole]
    }

    method undo {} {
        if {$past ne {}} {
            lappend future [list $t0 $t1]
            set back [lindex $past end]
            set past [lrange $past 0 end-1]
            my set_window {*}$back
        }
        set pushed_ms 0
    }

    method redo {} {
        if {$future ne {}} {
            lappend past [list $t0 $t1]
            set next [lindex $future end]
            set future [lrange $future 0 end-1]
            my set_window {*}$next
        }
        set pushed_ms 0
    }

    # ---- Rows

    # Rows from FIRST to LAST as dicts: label, note, kind (group, states, counter), node, depth, children, open, pinned,
    # parent, lane, lanes (how many), rank, thread, name, host. Asked for where they are shown: there may be 100,000.
    method rows {{first 0} {last 1000000000}} { $log rows list $first $last }
    method row {row} { lindex [$log rows list $row $row] 0 }

    # The row that shows a thread, by itself or among others; -1 none.
    method row_of {rank thread} { $log rows shows $rank $thread }

    # Rows are drawn on lines, from 0: first the pinned ones, then those that are scrolled to.
    method line_of {row} {
        if {$row < $pinned_count} {
            return $row
        }
        expr {$row - $first_row >= $pinned_count ? $row - $first_row : -1}
    }

    # The line at y from the top, and how far below its upper edge that is.
    method line_at {y} { expr {int(floor(int($y) / double($row_height)))} }
    method within_line {y} { expr {int($y) - int([my line_at $y] * $row_height)} }

    # -1: no row is there.
    method row_on {line} {
        set row [expr {$line < $pinned_count ? $line : $line + $first_row}]
        expr {$line >= 0 && $row < $row_count ? $row : -1}
    }

    method count_rows {} {
        set row_count [$log rows count]
        set pinned_count [$log rows pinned]
    }

    # A word of tk/log_rows.c that asks.
    method tree {args} { $log rows {*}$args }

    # One that changes which rows are seen, or in which order.
    method arrange {args} {
        set result [$log rows {*}$args]
        my rows_changed
        return $result
    }

    method rows_changed {} {
        my count_rows
        set first_row [expr {max(0, min($first_row, $row_count - 1))}]
        my notify rows
    }

    # A pattern: ranks (0-3,7.1) and names; "" all.
    method select {pattern} {
        $log rows filter $pattern
        set first_row 0
        my rows_changed
    }

    method set_row_height {pixels {auto 0}} {
        # From two pixels on whole ones; below that rows get grouped, and as low as it takes.
        set pixels [expr {$pixels >= 2 ? min(200, int($pixels)) : max(0.01, double($pixels))}]
        if {$auto && !$auto_height} {
            return
        }
        set auto_height $auto
        if {$pixels != $row_height} {
            set row_height $pixels
            my notify size
        }
    }

    # Rows fill the window again.
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
        set hidden [lsort -unique -integer $ids]
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

    # All definitions whose name, or group as "group:NAME", matches.
    method ids_like {pattern} {
        set ids {}
        dict for {id def} $defs {
            if {[string match $pattern [dict get $def name]] || [string match $pattern group:[dict get $def group]]} {
                lappend ids $id
            }
        }
        return $ids
    }

    # What the search looks for: ids.
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

    # By a palette, and then those that the user chose (colours.tcl).
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

    # The colours of definitions: a dict id -> #rrggbb. Kept as long as the window; colours.tcl keeps them longer.
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

    # Those that were given before, or none.
    method give_back_colours {before} {
        set given $before
        my set_palette $palette
    }

    method set_arrows {on} {
        set arrows [expr {!!$on}]
        my notify hidden
    }

    # A stretch of time, in any order, kept inside the log; {} none.
    method set_selection {stretch} {
        if {$stretch ne {}} {
            lassign [my whole] first last
            set stretch [lmap time [lsort -integer $stretch] {expr {max($first, min($last, wide($time)))}}]
        }
        if {$stretch ne $selection} {
            set selection $stretch
            my notify selection
        }
    }

    method set_pointer {what} {
        if {$what ne $pointer} {
            set pointer $what
            my notify pointer
        }
    }

    method set_trouble {text} {
        if {$text ne $trouble} {
            set trouble $text
            my notify trouble
        }
    }

    # Messages and counters are read after the first picture, beside the window.
    method digest {} {
        if {$reading eq {}} {
            set reading 0
            set reader [$log digest [list [self] digest_told]]
        }
    }

    # Without them, then.
    method stop_reading {} {
        if {$reading ne {}} {
            $reader stop
        }
    }

    method digest_told {word {value {}}} {
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

    # Until all is read, or the window is gone.
    method finish_reading {} {
        while {[info exists reading] && $reading ne {}} {
            vwait [my varname reading]
        }
    }
}

# What a trace calls: variable's name first, Tcl's own words last.
proc ::pith::followed {variable callback args} {
    {*}$callback [set $variable]
}
