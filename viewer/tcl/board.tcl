# board.tcl - the base class of boards: pages of the panel (panel.tcl) with statistics of the time shown, of the
# selected time or of the whole log. When the model changes, a board computes its statistics anew, in a job
# (tk/background.h) with a progress bar and a Stop button. The key Escape closes a board.
#
# A board is a part (commands.tcl). A subclass defines:
#     build FRAME         makes its widgets
#     ask CALLBACK        starts the job for [my interval] and returns its command
#     answered RESULT     shows the result of the job
#     draw                draws again, after a change of colours
#     drop                frees the results, after a change of the log
#     follows             names of the model changes that need a new job: time selection rows ...

oo::class create ::pith::Board {
    variable window model
    variable board       ;# frame; {}: the board is closed
    variable title
    variable scope       ;# which time the statistics are of: window (time shown), selection, whole, kept
    variable rows        ;# which rows the statistics are of: shown, all
    variable interval     ;# {from to} of the shown result; {}: none yet
    variable job waiting ;# command of the job; after id of the job's start; {}: none
    variable run         ;# number of the last job; results of older ones are dropped
    variable part        ;# progress, 0 to 100
    variable said        ;# text beside the progress bar
    variable scope_text rows_text

    constructor {its_window its_title} {
        set window $its_window
        set model [$window model]
        set title $its_title
        lassign {} board interval job waiting said
        set scope window
        set rows shown
        set run 0
        set part 0
        $model follow [list [self] changed]
    }

    destructor {
        my stop
    }

    # ---- The window

    method is_open {} { expr {$board ne {} && [winfo exists $board]} }
    method board {} { return $board }
    method page {} { return [string tolower [namespace tail [info object class [self]]]] }

    # Opens the board and returns 1. If the board is already open, selects its page and returns 0.
    method open {} {
        if {[my is_open]} {
            [$window panel] select [my page]
            return 0
        }
        set board [ttk::frame [$window top].[my page]]
        ttk::frame $board.body -padding {8 6}
        pack $board.body -fill both -expand 1
        [$window panel] put [my page] $board
        my build $board.body
        [$window panel] select [my page]
        my renew 0
        return 1
    }

    method close {} {
        if {[my is_open]} {
            my stop
            destroy $board
            [$window panel] leave [my page]
        }
        set board {}
    }

    # Makes the comboboxes in which the user chooses the time and the rows of the statistics.
    method build_scope {frame} {
        ttk::label $frame.of -text "of"
        set scope_text [my scope_name $scope]
        ttk::combobox $frame.scope -state readonly -width 15 -textvariable [my varname scope_text] \
            -values [lmap one {window selection whole} {my scope_name $one}]
        set rows_text [my rows_name $rows]
        ttk::combobox $frame.rows -state readonly -width 10 -textvariable [my varname rows_text] \
            -values [lmap one {shown all} {my rows_name $one}]
        bind $frame.scope <<ComboboxSelected>> [list [self] choose_scope]
        bind $frame.rows <<ComboboxSelected>> [list [self] choose_rows]
        return [list $frame.of $frame.scope $frame.rows]
    }

    # Makes the progress bar of the job, with a Stop button.
    method build_progress {frame} {
        ttk::frame $frame
        ttk::label $frame.said -textvariable [my varname said] -style Faint.TLabel
        ttk::progressbar $frame.bar -maximum 100 -length 120 -variable [my varname part]
        ttk::button $frame.stop -text Stop -width 5 -command [list [self] stop]
        pack $frame.said -side left
        my show_progress
        return $frame
    }

    method show_progress {} {
        set frame $board.body.progress
        if {![my is_open] || ![winfo exists $frame]} {
            return
        }
        if {$job eq {}} {
            pack forget $frame.bar $frame.stop
        } elseif {![winfo ismapped $frame.stop]} {
            pack $frame.stop $frame.bar -side right -padx 4
        }
    }

    # Puts WIDGETS into a second line of controls if the panel is narrow.
    method wrap_controls {is_narrow widgets} {
        set frame $board.body.controls
        if {![winfo exists $frame.second]} {
            lower [ttk::frame $frame.second]
        }
        if {$is_narrow} {
            pack $frame.second -side bottom -fill x -pady {4 0} -before [lindex [pack slaves $frame] 0]
            pack {*}$widgets -in $frame.second -side right -padx {6 0}
        } else {
            pack forget $frame.second
            pack {*}$widgets -in $frame -side right -padx {6 0}
        }
    }

    # Puts the progress bar beside the controls if the panel is low, else below them.
    method place_progress {is_low} {
        set frame $board.body.progress
        if {$is_low} {
            raise $frame
            pack $frame -in $board.body.controls -side left -fill x -expand 1 -padx {6 0} -pady 0
        } else {
            pack $frame -in $board.body -side bottom -fill x -padx 0 -pady {6 0} -after $board.body.controls
        }
    }

    method say {text} { set said $text }

    # Saves a screenshot of the page.
    method picture {file} {
        [$window panel] select [my page]
        update
        ::pith::save_shot $board $file
    }

    # ---- Time and rows

    method scope_name {word} {
        dict get {window {Window shown} selection {Selection} whole {Whole log} kept {Kept time}} $word
    }

    method rows_name {word} {
        dict get {shown {Rows shown} all {All rows}} $word
    }

    method set_scope {word} {
        if {$word ni {window selection whole kept}} {
            throw {PITH USAGE} "of: must be window, selection, whole or kept"
        }
        set scope $word
        set scope_text [my scope_name $word]
        my renew 0
    }

    method set_rows {word} {
        if {$word ni {shown all}} {
            throw {PITH USAGE} "rows: must be shown or all"
        }
        set rows $word
        set rows_text [my rows_name $word]
        my renew 0
    }

    method choose_scope {} {
        foreach word {window selection whole kept} {
            if {[my scope_name $word] eq $scope_text} {
                my set_scope $word
                return
            }
        }
    }

    method choose_rows {} {
        my set_rows [expr {$rows_text eq [my rows_name all] ? "all" : "shown"}]
    }

    # From now on, the board keeps the time of its present result, even if the timelines then show or select another
    # time.
    method keep {} {
        if {$scope in {window selection}} {
            set scope kept
            set scope_text [my scope_name kept]
        }
    }

    method rows {} { return $rows }
    method scope {} { return $scope }
    method interval {} { return $interval }

    method new_interval {} {
        switch $scope {
            window { return [$model window] }
            selection { return [$model selection] }
            whole { return [$model whole] }
            kept { return $interval }
        }
    }

    # ---- Work

    method follows {} { return {time selection rows digest log} }

    method changed {what} {
        if {$what eq "log"} {
            my stop
            my drop
        }
        if {$what in {colours theme} && [my is_open]} {
            my draw
        }
        if {![my is_open] || $what ni [my follows] ||
                ($what eq "time" && $scope ne "window") || ($what eq "selection" && $scope ne "selection")} {
            return
        }
        my renew 250
    }

    # Starts the job after a delay. If the view moves again during the delay, the delay begins again, so that a moving
    # view starts one job instead of a hundred.
    method renew {after_ms} {
        after cancel $waiting
        set waiting {}
        if {[my is_open]} {
            set waiting [after $after_ms [namespace code {my compute}]]
        }
    }

    method stop {} {
        after cancel $waiting
        set waiting {}
        if {$job ne {}} {
            incr run
            catch {$job stop}
            set job {}
            my say "stopped"
            my show_progress
        }
    }

    method compute {} {
        my stop
        my say {}
        set new [my new_interval]
        if {![my is_open]} {
            return
        }
        if {$new eq {} || [lindex $new 0] >= [lindex $new 1]} {
            my say "nothing is selected: drag over the timelines"
            return
        }
        set interval $new
        set part 0
        set job [my ask [my job_callback]]
        # Shows the progress bar only after 0.3 s, so that it does not appear for a shorter job.
        after 300 [list catch [list [self] show_progress]]
    }

    method job_callback {} {
        return [namespace code [list my job_event [incr run]]]
    }

    method job_event {number what {value {}}} {
        if {$number != $run} {
            if {$what eq "done"} {
                my free_result $value
            }
            return
        }
        if {$what eq "progress"} {
            set part [expr {100 * $value}]
            return
        }
        set job {}
        my show_progress
        if {$what eq "failed"} {
            my say $value
        } elseif {$what eq "done"} {
            my answered $value
        }
    }

    # Frees the result of a job. Subclasses whose results use memory of their own define this.
    method free_result {result} {}

    # Starts a pending job at once, and waits until it has finished.
    method wait {} {
        if {$waiting ne {}} {
            my compute
        }
        while {$job ne {}} {
            vwait [my varname job]
        }
        update idletasks
    }

    # ---- Going to a record

    # Chooses a record (choice.tcl) and brings it into view at a visible size.
    method go_to {thing} {
        set start [dict get $thing hit start]
        set end [dict get $thing hit end]
        set length [expr {max(1, abs($end - $start))}]
        my keep
        if {$length < [$model span] / 60} {
            set from [expr {($start + $end) / 2 - $length * 4}]
            $model zoom $from [expr {$from + $length * 8}]
        }
        [$window choice] choose $thing
        [$window choice] show
    }
}

# A board whose results are the output of a `pith` command. The command runs as a process of its own and can be stopped.
# A subclass defines `words`, which returns the words of the command, and `read TEXT`, which takes the output. If no
# command is to run, `words` tells the user why, by `say`, and returns {}.
oo::class create ::pith::ProgramBoard {
    superclass ::pith::Board
    variable window model board job interval rows
    variable notes   ;# notes that the program printed beside its answer
    variable began   ;# time at which the program was started, ms
    variable took_ms ;# how long the program took the last time; if it was stopped, how long it had run
    variable former  ;# 1: the shown answer is for an earlier view
    variable lanes   ;# the lanes for which the program was started

    constructor {args} {
        next {*}$args
        lassign {0 0 0} began took_ms former lanes
    }

    # A change of rows needs a new job only if other lanes are shown. Unfolding rows shows the same lanes.
    method changed {what} {
        if {$what ne "rows" || ($rows ne "all" && [$model tree lanes] ne $lanes)} {
            next $what
        }
    }

    # Runs the command again after a change. First stops a running command, because its answer would be out of date.
    # Starts the new one when the timelines have not moved for as long as the last command took, but after at most 2
    # seconds. Until the new answer comes, the old answer stays and is shown as out of date (`show_former 1`).
    method renew {after_ms} {
        if {$after_ms} {
            if {$job ne {}} {
                set took_ms [expr {max($took_ms, [clock milliseconds] - $began)}]
                my stop
            }
            my set_former 1
            set after_ms [my rest_ms $after_ms]
        }
        next $after_ms
    }

    method compute {} {
        next
        if {$former && $job ne {}} {
            my set_former 1
        }
    }

    method rest_ms {least} { expr {max($least, min(2000, $took_ms))} }

    method set_former {is} {
        set former $is
        if {[my is_open]} {
            my say [expr {$is ? "of the view before" : {}}]
            my show_former $is
        }
    }

    method show_former {is} {}

    # Makes a progress bar that only moves to and fro, because the command does not report how far it is.
    method build_progress {frame} {
        next $frame
        $frame.bar configure -mode indeterminate -length [px 60]
        $frame.bar start 60
        return $frame
    }

    method ask {callback} {
        set words [my words]
        if {$words eq {}} {
            return {}
        }
        set began [clock milliseconds]
        set lanes [$model tree lanes]
        set runner [::pith::Runner new [$window top] {} $words [list ::pith::tell_if_there [self] heard $callback] 1 [my most]]
        $runner quiet
        return $runner
    }

    method most {} { return 0 }

    # Takes the output of the command. Notes of the command, such as those on damage, are shown beside the answer. For a
    # damaged log the command fails, but first prints an answer from the readable rest of the log; this counts as the
    # answer.
    method heard {callback how text {more {}}} {
        if {$how eq "failed" && $more ne {}} {
            lassign [list done $more $text] how text more
        }
        set notes [regsub -all -line {^pith: (note: )?} [string trim $more] {}]
        {*}$callback $how $text
    }

    method answered {text} {
        set took_ms [expr {[clock milliseconds] - $began}]
        my set_former 0
        my read $text
        if {$notes ne {}} {
            my say [string map {\n { }} $notes]
        }
    }

    # Returns the options of a `pith` command that limit its output to the time and the rows of the board.
    method range {} {
        lassign $interval from to
        set options [list --from ${from}ns --to ${to}ns]
        set shown [expr {$rows eq "all" ? {} : [$model tree lanes]}]
        return [expr {$shown eq {} ? $options : [list {*}$options --lane $shown]}]
    }
}

namespace eval ::pith::board {
}

# A number of bytes as text, such as "1.5 MB".
proc ::pith::board::bytes {count} {
    foreach unit {B kB MB GB TB PB} {
        if {abs($count) < 1000} {
            break
        }
        set count [expr {$count / 1000.0}]
    }
    return "[format %.4g $count] $unit"
}

proc ::pith::board::csv {lines} {
    set text {}
    foreach line $lines {
        append text [join [lmap cell $line {csv_cell $cell}] ,] \n
    }
    return $text
}

proc ::pith::board::csv_cell {cell} {
    if {[regexp {[",\n]} $cell]} {
        return "\"[string map {\" \"\"} $cell]\""
    }
    return $cell
}

# Formats LINES as text in columns. The first column is left-aligned, the others are right-aligned.
proc ::pith::board::columns {lines} {
    foreach line $lines {
        set column 0
        foreach cell $line {
            set least [expr {[info exists wide($column)] ? $wide($column) : 0}]
            set wide($column) [expr {max($least, [string length $cell])}]
            incr column
        }
    }
    set text {}
    foreach line $lines {
        set cells {}
        set column 0
        foreach cell $line {
            lappend cells [format %[expr {$column ? {} : {-}}]$wide($column)s $cell]
            incr column
        }
        append text [string trimright [join $cells {  }]] \n
    }
    return $text
}

# Writes LINES to a file, as CSV if the name ends with .csv, otherwise as text in columns. On an error, an old file of
# this name stays as it was.
proc ::pith::board::write {file lines} {
    write_text $file [expr {[file extension $file] eq ".csv" ? [csv $lines] : [columns $lines]}]
}

proc ::pith::board::write_text {file text} {
    try {
        ::pith::files::write $file $text
    } on error {why} {
        throw {PITH IO} "$file: [::pith::write_error $file $why]"
    }
}

# Returns the marks of a scale: at most about MOST numbers in [LOW, HIGH], at equal distances of 1, 2 or 5 times a power
# of ten.
proc ::pith::board::marks {low high most} {
    if {$high <= $low} {
        return {}
    }
    set step [expr {pow(10, floor(log10(double($high - $low) / $most)))}]
    foreach times {1 2 5 10} {
        if {($high - $low) / ($step * $times) <= $most} {
            break
        }
    }
    set step [expr {$step * $times}]
    set marks {}
    for {set i [expr {wide(ceil($low / $step))}]} {$i * $step <= $high} {incr i} {
        lappend marks [expr {$i * $step}]
    }
    return $marks
}

# Marks of a logarithmic scale: powers of ten, and, if the range is small, 2 and 5 times these powers.
proc ::pith::board::log_marks {low high} {
    set low [expr {double(max(1, $low))}]
    if {$high <= $low} {
        return {}
    }
    set digits [expr {log10($high / $low) < 3 ? {1 2 5} : {1}}]
    set marks {}
    for {set power [expr {int(floor(log10($low)))}]} {pow(10, $power) <= $high} {incr power} {
        foreach digit $digits {
            set mark [expr {$digit * pow(10, $power)}]
            if {$mark >= $low && $mark <= $high} {
                lappend marks $mark
            }
        }
    }
    return $marks
}

# Reads CSV, such as the output of `pith ... --csv`. Returns a list of lines, each of which is a list of cells. The
# first line has the names of the columns.
proc ::pith::board::read_csv {text} {
    set parts [split $text \"]
    set last [expr {[llength $parts] - 1}]
    set lines {}
    set cells {}
    set cell {}
    set at -1
    foreach part $parts {
        incr at
        if {$at % 2} {
            append cell $part
        } elseif {$part eq {} && $at > 0 && $at < $last} {
            append cell \" ;# two quotes stand for one
        } else {
            set rest [split $part \n]
            foreach line $rest {
                set fields [split $line ,]
                append cell [lindex $fields 0]
                foreach field [lrange $fields 1 end] {
                    lappend cells $cell
                    set cell $field
                }
                if {[incr left_lines] < [llength $rest]} {
                    lappend lines [lappend cells $cell]
                    set cells {}
                    set cell {}
                }
            }
            unset left_lines
        }
    }
    return $lines
}

# The text of a time in a table. All times of a column have the same unit and the same number of decimals, such that the
# longest time of the column has four digits: "4.250 s", "0.003 s". A time that would be rounded to zero is written as
# "<0.001 s". A time of two minutes or more is written as minutes and seconds: 2:05.3.
proc ::pith::board::time_in_column {ns longest} {
    if {$ns >= 120000000000} {
        return [::pithtk::duration $ns]
    }
    foreach {unit size} {s 1e9 ms 1e6 us 1e3 ns 1} {
        if {$longest >= $size} {
            break
        }
    }
    set digits [expr {$unit eq "ns" || $longest >= 1000 * $size ? 0 : $longest >= 100 * $size ? 1 : $longest >= 10 * $size ? 2 : 3}]
    set least [expr {0.5 * 10.0 ** -$digits * $size}]
    if {$ns > 0 && $ns < $least} {
        return "<[format %.${digits}f [expr {10.0 ** -$digits}]] $unit"
    }
    return [format "%.${digits}f %s" [expr {$ns / $size}] $unit]
}

# The texts of ALL, the times of one column.
proc ::pith::board::times {all} {
    set longest [::tcl::mathfunc::max 0 {*}[lmap ns $all {expr {abs($ns)}}]]
    return [lmap ns $all {time_in_column $ns $longest}]
}
