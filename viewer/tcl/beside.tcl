# beside.tcl - shows a second log below the first one, on the same time axis. The second log has a model and timelines
# of its own, which show the same time as those of the first log. A bar between the timelines shows both durations and
# the alignment. A table compares the time that each state takes in the two logs.

# A pairing puts two models on one time axis: it converts times of one log to times of the other. If the user shows or
# selects another time in one log, the pairing shows or selects the corresponding time in the other log.
#
# Example: the logs are aligned at their starts, with an offset of 1 s. Then time 3 s of the first log is above 2 s of
# the second. If the logs are also fitted, and 10 s of the first are as wide as 5 s of the second, 3 s of the first is
# above (3 - 1) * 5 / 10 = 1 s of the second.

oo::class create ::pith::Pairing {
    variable a b        ;# models
    variable align      ;# what is aligned: start, or init (the end of MPI_Init)
    variable offset     ;# by how much the second log is shifted to the right, in ns of the first log
    variable fitted     ;# 1: both logs have the same width; 0: both have the same scale
    variable origin_a origin_b ratio ;# time b of the second log = origin_b + (a - origin_a - offset) * ratio
    variable busy       ;# 1: a change is being copied to the other model
    variable callback       ;# script called when the alignment has changed

    constructor {first second its_callback} {
        set a $first
        set b $second
        set callback $its_callback
        set align start
        set offset 0
        set fitted 0
        set busy 0
        my measure
        $a follow [list [self] first_changed]
        $b follow [list [self] second_changed]
        my take_colours
        my take_hidden $a $b
        $b set_message_filter [$a message_filter]
    }

    # Called when the second log is closed.
    destructor {
        $a unfollow [list [self] first_changed]
        $b unfollow [list [self] second_changed]
        $a set_extent {}
    }

    method align {} { return $align }
    method offset {} { return $offset }
    method fitted {} { return $fitted }
    # Returns 1 if every time is at the same x in both logs.
    method is_same {} { expr {$ratio == 1 && [my to_second 0] == 0} }

    # ---- Converting times

    method to_second {time} {
        expr {wide(round($origin_b + ($time - $origin_a - $offset) * $ratio))}
    }

    method to_first {time} {
        expr {wide(round($origin_a + $offset + ($time - $origin_b) / $ratio))}
    }

    method origin {model} {
        return [lindex [expr {$align eq "init" ? [[$model log] work] : [$model log_time]}] 0]
    }

    method measure {} {
        set origin_a [my origin $a]
        set origin_b [my origin $b]
        set length_a [expr {[lindex [$a log_time] 1] - $origin_a}]
        set length_b [expr {[lindex [$b log_time] 1] - $origin_b}]
        set ratio [expr {$fitted ? double(max(1, $length_b)) / max(1, $length_a) : 1.0}]
        my join_times
    }

    # Lets both models show all times that either of the logs has, because the timelines of one log must be able to show
    # the time that the other one shows.
    method join_times {} {
        lassign [$a log_time] from to
        lassign [lmap time [$b log_time] {my to_first $time}] other_from other_to
        set all [list [expr {min($from, $other_from)}] [expr {max($to, $other_to)}]]
        set busy 1
        $b set_extent [lmap time $all {my to_second $time}]
        $a set_extent $all
        my show_same $a $b to_second
        $b set_selection [lmap time [$a selection] {my to_second $time}]
        set busy 0
        {*}$callback
    }

    method set_align {what} {
        set align $what
        set offset 0
        my measure
    }

    method set_offset {time} {
        set offset [expr {wide($time)}]
        my join_times
    }

    method set_fitted {on} {
        set fitted [expr {!!$on}]
        my measure
    }

    # ---- Following each other

    method first_changed {what} { my follow_model $a $b to_second $what }
    method second_changed {what} { my follow_model $b $a to_first $what }

    method follow_model {model other map what} {
        if {$busy} {
            return
        }
        set busy 1
        try {
            switch $what {
                time { my show_same $model $other $map }
                selection { $other set_selection [lmap time [$model selection] {my $map $time}] }
                hidden { my take_hidden $model $other }
                message_filter { $other set_message_filter [$model message_filter] }
                rows {
                    # Applies the row filter of the first log to the second log, unless no row of the second log passes
                    # the filter.
                    if {$model eq $a && [$a tree pattern] ne [$b tree pattern]} {
                        catch {$b select [$a tree pattern]}
                    }
                }
                colours {
                    if {$model eq $a} {
                        my take_colours
                    }
                }
                log { after idle [namespace code {my measure}] }
            }
        } finally {
            set busy 0
        }
    }

    # Makes OTHER show the same time as MODEL. Uses `zoom`, which saves the old view for undo, only if OTHER is the
    # first model and the length of the time shown changes, because undo changes only the first model. Otherwise uses
    # `set_window`, which saves nothing.
    method show_same {model other map} {
        set window [lmap time [$model window] {my $map $time}]
        lassign [$other window] from to
        set resized [expr {abs(($to - $from) - ([lindex $window 1] - [lindex $window 0])) > 2}]
        $other [expr {$resized && $other eq $a ? "zoom" : "set_window"}] {*}$window
    }

    # Hides in OTHER the states that have the same names as the hidden states of MODEL. Draws messages in OTHER in the
    # same way as in MODEL: always, never or automatically.
    method take_hidden {model other} {
        set names [$model names [$model hidden]]
        $other set_hidden [$other ids_named $names]
        $other set_arrows [$model arrows_way]
    }

    # Gives states of the second log the colours that states of the same name have in the first log.
    method take_colours {} {
        set colours {}
        dict for {id def} [$a defs] {
            dict set by_name [dict get $def name] [dict get $def colour]
        }
        dict for {id def} [$b defs] {
            if {[info exists by_name] && [dict exists $by_name [dict get $def name]]} {
                dict set colours $id [dict get $by_name [dict get $def name]]
            }
        }
        $b set_colours $colours
    }
}

# Calls a method of OBJECT if it still exists. Jobs call this, because a stopped job still calls back, when the object
# may be gone.
proc ::pith::tell_if_there {object args} {
    if {[info object isa object $object]} {
        $object {*}$args
    }
}

# The table on the legend's page that compares two logs. It has a line for each state, with its time in both logs and
# the change.
oo::class create ::pith::PairTable {
    variable a b path tree
    variable cut       ;# keeps names and headings within their columns
    variable title     ;# text above the table
    variable jobs      ;# dict: a, b -> command of the job for the sums
    variable sums      ;# dict: a, b -> dict of name -> {ns share}
    variable pending   ;# after id of the start of the jobs

    constructor {frame first second names} {
        set path [ttk::frame $frame]
        set a $first
        set b $second
        lassign {} jobs pending
        set sums [dict create a {} b {}]
        set title "Self time in the window"
        my build $names
        $a follow [list [self] changed]
        $b follow [list [self] changed]
        my changed time
    }

    destructor {
        after cancel $pending
        my stop
        $a unfollow [list [self] changed]
        $b unfollow [list [self] changed]
        destroy $path
    }

    method tree {} { return $tree }

    method build {names} {
        ttk::label $path.title -textvariable [my varname title] -style Bold.TLabel -padding {8 4}
        bind $path.title <Configure> {%W configure -wraplength [expr {%w - 20}]}
        set tree [ttk::treeview $path.tree -columns {a share_a b share_b more} -selectmode none -height 8 \
            -yscrollcommand [list $path.scroll set]]
        ttk::scrollbar $path.scroll -orient vertical -command [list $tree yview]
        set cut [::pith::CutTable new $tree {{share_a share_b} more}]
        lassign $names first second
        foreach {column title width} [list #0 Name 110 a $first 84 share_a {} 56 b $second 84 share_b {} 56 more Change 70] {
            set anchor [expr {$column eq "#0" ? "w" : "e"}]
            $tree heading $column -text $title -anchor $anchor
            $tree column $column -width [px $width] -minwidth 40 -anchor $anchor \
                -stretch [expr {$column eq "#0"}]
        }
        grid $path.title - -sticky ew
        grid $tree $path.scroll -sticky nsew
        grid columnconfigure $path 0 -weight 1
        grid rowconfigure $path 1 -weight 1
    }

    # ---- Sums

    method changed {what} {
        switch $what {
            time - rows - log - digest {
                my stop
                after cancel $pending
                set pending [after 150 [namespace code {my start}]]
            }
            colours - hidden - theme { my fill }
        }
    }

    method start {} {
        set pending {}
        foreach {which model} [list a $a b $b] {
            dict set jobs $which [[$model log] sumsjob {*}[$model window] [list ::pith::tell_if_there [self] job_event $which $model]]
        }
    }

    method stop {} {
        dict for {which job} $jobs {
            catch {$job stop}
        }
        set jobs {}
    }

    # A job of this table reports WHAT has happened. `stopped` is ignored, because only jobs of an earlier `start` are
    # stopped, and they are no longer in the dict `jobs`.
    method job_event {which model what args} {
        if {$what in {progress stopped} || ![dict exists $jobs $which]} {
            return
        }
        dict unset jobs $which
        set named {}
        if {$what eq "done"} {
            lassign [lindex $args 0] all computing
            # Computes each state's share of the time that the log covers within the view. Beside a longer log, the view
            # may also show times outside this log. These do not count, so the shares of the first log are the same as
            # in the legend.
            lassign [$model window] t0 t1
            lassign [$model log_time] from to
            set part [expr {double($t1 - $t0) / max(1, min($t1, $to) - max($t0, $from))}]
            foreach sum $all {
                set def [$model def [dict get $sum id]]
                if {[dict get $def kind] eq "state"} {
                    dict set named [dict get $def name] [list [dict get $sum exclusive] [expr {$part * [dict get $sum share]}]]
                }
            }
            if {$computing ne {}} {
                dict set named computing [list [dict get $computing exclusive] \
                    [expr {$part * [dict get $computing share]}]]
            }
        }
        dict set sums $which $named
        if {![dict size $jobs]} {
            my fill
        }
    }

    # Starts pending jobs now, and waits until all jobs have ended.
    method flush {} {
        if {$pending ne {}} {
            after cancel $pending
            my start
        }
        while {[dict size $jobs]} {
            vwait [my varname jobs]
        }
    }

    # The number of lanes in the visible rows of a model.
    method lanes {model} {
        set lanes 0
        foreach row [$model rows] {
            if {[dict get $row kind] ne "counter" && ![dict get $row blank] && ![dict get $row below]} {
                incr lanes [dict get $row lanes]
            }
        }
        return [expr {max(1, $lanes)}]
    }

    # Returns {A B}, the numbers by which the times of the two logs are divided. If both logs have equally many lanes,
    # both numbers are 1. Otherwise they are the numbers of lanes, so that the table shows times per lane.
    method divisors {} {
        set lanes [list [my lanes $a] [my lanes $b]]
        return [expr {[lindex $lanes 0] == [lindex $lanes 1] ? {1 1} : $lanes}]
    }

    # The lines of the table, {name ns ns share share}: times and shares of a state in the first and in the second log.
    # The state with the largest sum of both times comes first.
    method rows {} {
        set rows {}
        set divisors [my divisors]
        foreach name [lsort -unique [concat [dict keys [dict get $sums a]] [dict keys [dict get $sums b]]]] {
            lassign {} times shares
            foreach which {a b} divisor $divisors {
                lassign [expr {[dict exists $sums $which $name] ? [dict get $sums $which $name] : {0 0}}] ns share
                lappend times [expr {$ns / $divisor}]
                lappend shares $share
            }
            lappend rows [list [::tcl::mathop::+ {*}$times] $name {*}$times {*}$shares]
        }
        return [lmap row [lsort -integer -decreasing -index 0 $rows] {lrange $row 1 end}]
    }

    method fill {} {
        $tree delete [$tree children {}]
        set title "Self time in the window[expr {[my divisors] eq {1 1} ? {} : " per rank or thread"}]"
        set rows [my rows]
        set longest [::tcl::mathfunc::max 0 {*}[concat {*}[lmap row $rows {lrange $row 1 2}]]]
        foreach row $rows {
            lassign $row name first second
            set texts [lmap time [lrange $row 1 2] share [lrange $row 3 4] {
                list [::pith::board::time_in_column $time $longest] [format "%.1f %%" [expr {100 * $share}]]
            }]
            $tree insert {} end -text " $name" -image [my image $name] -values [list {*}[concat {*}$texts] \
                [::pith::pair::change $first $second]]
        }
        $cut fit
    }

    method image {name} {
        if {$name eq "computing"} {
            return [::pith::box::image state [colour idle] 1]
        }
        foreach model [list $a $b] {
            dict for {id def} [$model defs] {
                if {[dict get $def name] eq $name && [dict get $def kind] eq "state"} {
                    return [::pith::box::image state [dict get $def colour] [expr {$id ni [$model hidden]}]]
                }
            }
        }
    }
}

namespace eval ::pith::pair {}

# The change from FIRST to SECOND as text: "+12.5 %", "new", "gone" or "=".
proc ::pith::pair::change {first second} {
    if {$first == $second} {
        return "="
    }
    if {$first == 0 || $second == 0} {
        return [expr {$first ? "gone" : "new"}]
    }
    set part [expr {100.0 * ($second - $first) / $first}]
    return [format [expr {$part >= 1000 ? "%+.0f %%" : "%+.1f %%"}] $part]
}

oo::class create ::pith::Beside {
    variable window model
    variable other      ;# model of the second log; {}: there is none, and the variables below are unset
    variable pairing timeline choice details pointer table changes
    variable rows       ;# arranges the rows of the second log (rows.tcl)
    variable ranges     ;# mountain ranges of the second log (ranges.tcl), with the same settings as the first
    variable top second ;# toplevel; frame of the second log
    variable align_text offset_text fitted difference ;# texts and switch in the bar
    variable tip        ;# tooltip of the difference, which may be cut
    variable following  ;# 1: this object is copying settings of mountain ranges to the other log
    variable pending    ;# after id of after_layout
    variable drag       ;# {x offset} at the start of a Ctrl-drag; {}: there is no drag
    variable dragged    ;# 1: the user has moved the sash between the timelines
    variable sharing    ;# after id of share_room

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set top [$window top]
        set second $top.panes.second
        lassign {} other pending drag sharing
        set following 0
    }

    destructor {
        my close 0
    }

    method other {} { return $other }
    method pairing {} { return $pairing }

    # The classes Rows and Ranges of the second log get this object instead of a window. The following methods are those
    # of a window that they call.
    method model {} { return $other }
    method timeline {} { return $timeline }
    method pointer {} { return $pointer }
    method choice {} { return $choice }
    method taller {factor} { $other set_row_height [expr {max(2, round([$other row_height] * $factor))}] }
    method top {} { return $top }

    # ---- Opening and closing

    method open {path} {
        set read [::pith::Model new [::pith::opening::open $path]]
        my close 1
        set other $read
        set stack [ttk::panedwindow $top.panes.stack -orient vertical]
        ttk::frame $second
        set timeline [::pith::Timeline new $second.time $other]
        $timeline learn_letters more
        set choice [::pith::Choice new $timeline $other]
        set details [::pith::Details new $timeline $other]
        set pointer [::pith::Pointer new $timeline $choice $details $other]
        $pointer finish
        set bar [ttk::frame $second.bar -padding {0 2}]
        ttk::label $bar.name -text [lindex [my names] 1] -style Bold.TLabel -padding {10 0 8 0}
        ttk::label $bar.difference -style Faint.TLabel
        set tip [::pith::Tip new $bar.difference [list [self] whole_difference]]
        bind $bar.difference <Configure> [list [self] cut_difference]
        ttk::label $bar.by -text "shifted by"
        ttk::entry $bar.offset -textvariable [my varname offset_text] -width 10
        bind $bar.offset <Return> [list [self] offset_typed]
        ttk::menubutton $bar.align -textvariable [my varname align_text] -style Toolbutton -menu $bar.align.menu
        menu $bar.align.menu -tearoff 0
        $bar.align.menu add command -label "At the starts" -command [list [self] word_align start]
        $bar.align.menu add command -label "At the ends of MPI_Init" -command [list [self] word_align init]
        ttk::checkbutton $bar.fitted -text "Fitted" -style Toolbutton -takefocus 0 -variable [my varname fitted] \
            -command [list [self] switched]
        ttk::button $bar.close -text "\u00d7" -style Toolbutton -takefocus 0 -padding {6 0} \
            -command [list after idle [list [self] close 1]]
        pack $bar.name -side left
        pack $bar.close $bar.fitted $bar.align $bar.offset $bar.by -side right -padx 2
        pack $bar.difference -side left -fill x -expand 1
        pack $second.bar -side top -fill x
        pack $second.time -side top -fill both -expand 1
        [$window panel] set_main $stack [list [self] needs]
        foreach pane [list $top.panes.time $second] {
            $stack add $pane -weight 1
            raise $pane
        }
        set dragged 0
        bind $stack <B1-Motion> [list set [my varname dragged] 1]
        bind $stack <Configure> [list [self] share_soon]
        foreach time [list $top.panes.time $second.time] {
            bind $time <<Panes>> [list event generate $stack <<Panes>>]
        }
        bind $stack <<Panes>> [list [self] share_soon]
        grid remove $second.time.h $second.time.overview
        set rows [::pith::Rows new [self]]
        set table [::pith::PairTable new $top.panes.pair $model $other [my names]]
        set changes [::pith::Changes new $window $top.panes.changes $model $other [my names]]
        my put_changes
        [$window part Selection] make_way
        [$window panel] put_guest legend $top.panes.pair
        set plot [$timeline plot]
        bind $plot <Control-Button-1> [list [self] begin_drag %x]
        bind $plot <Control-B1-Motion> [list [self] drag_to %x]
        bind $plot <ButtonRelease-1> "+[list [self] end_drag]"
        set ranges [::pith::Ranges new [self]]
        $ranges follow [list [self] copy_ranges $ranges [$window part Ranges]]
        [$window part Ranges] follow [list [self] copy_ranges [$window part Ranges] $ranges]
        my copy_ranges [$window part Ranges] $ranges
        set pairing [::pith::Pairing new $model $other [list [self] aligned]]
        $model follow [list [self] changed]
        $other follow [list [self] other_changed]
        [$window status] set_second $other
        $timeline after_drawing [list [self] align_columns]
        [$window timeline] after_drawing [list [self] align_columns]
        wm title $top "[join [my names] {, }] - Pith"
        my grow_window
        my aligned
        set pending [after idle [namespace code {my after_layout}]]
    }

    # Shows the table of changes beside the findings, if the findings are open.
    method put_changes {} {
        if {$other ne {} && [[$window part Findings] is_open]} {
            [$window panel] put_guest findings [$changes path]
        }
    }

    method take_changes_off {} {
        if {$other ne {}} {
            [$window panel] take_off [$changes path]
        }
    }

    # The height that both timelines and the bar between them need.
    method needs {} {
        return [expr {[[$window timeline] needs] + [winfo reqheight $second.bar] + [$timeline needs] + [px 5]}]
    }

    # Moves the sash between the two timelines, when Tk is idle. Each of the timelines gets the height that it needs. If
    # there is more or less height than both need, the difference is divided equally. If the user has moved the sash, it
    # stays where it is.
    method share_soon {} {
        if {$sharing eq {}} {
            set sharing [after idle [namespace code {my share_room}]]
        }
    }

    method share_room {} {
        set sharing {}
        set stack $top.panes.stack
        if {$other ne {} && !$dragged && [winfo height $stack] > 1} {
            $stack sashpos 0 [expr {[[$window timeline] needs] + ([winfo height $stack] - [my needs]) / 2}]
        }
    }

    # Called when Tk has laid out the window. Divides the height between the two timelines, and starts reading the
    # second log's messages and counters shortly after its first picture.
    method after_layout {} {
        set pending {}
        set me [self]
        update idletasks
        if {[info object isa object $me] && $other ne {}} { ;# update may have closed this window
            my share_room
            set pending [after 10 [list $other digest]]
        }
    }

    method grow_window {} {
        set wanted [expr {min([winfo screenheight $top] * 9 / 10, [winfo height $top] * 3 / 2)}]
        if {[wm state $top] eq "normal" && [winfo height $top] > 1} {
            wm geometry $top [winfo width $top]x[expr {max($wanted, [winfo height $top])}]
        }
    }

    # Closes the second log. RESTORE 1: restores the window of a single log; 0: the window is being closed.
    method close {restore} {
        if {$other eq {}} {
            return
        }
        after cancel $pending
        after cancel $sharing
        set sharing {}
        $model unfollow [list [self] changed]
        $other unfollow [list [self] other_changed]
        [$window status] set_second {}
        catch {[$window part Ranges] follow {}}
        [$window panel] take_off $top.panes.pair
        my take_changes_off
        foreach object [list $tip $pairing $table $changes $ranges $rows $pointer $details $choice $timeline $other] {
            $object destroy
        }
        set other {}
        if {!$restore} {
            return
        }
        [$window timeline] not_after_drawing [list [self] align_columns]
        $top.panes.stack forget $top.panes.time
        bind $top.panes.time <<Panes>> {}
        [$window panel] set_main $top.panes.time [list [$window timeline] needs]
        destroy $top.panes.stack $second
        foreach column {0 2} {
            grid columnconfigure $top.panes.time $column -minsize 0
        }
        wm title $top "[file tail [$model path]] - Pith"
    }

    # The file names of both logs. If the names are the same, each also has the name of its folder.
    method names {} {
        set paths [list [file normalize [$model path]] [file normalize [$other path]]]
        set names [lmap path $paths {file tail $path}]
        if {[lindex $names 0] eq [lindex $names 1]} {
            set names [lmap path $paths {file join {*}[lrange [file split $path] end-1 end]}]
        }
        return $names
    }

    # ---- The bar

    method offset_typed {} {
        if {[catch {my word_offset $offset_text} text]} {
            $window say $text
            my aligned
        }
        focus [[$window timeline] plot]
    }

    method switched {} { $pairing set_fitted $fitted }

    # The pairing calls this after the alignment has changed. Shows the time axis of the second log only if its times
    # differ from those on the axis of the first log.
    method aligned {} {
        if {![info exists pairing] || ![info object isa object $pairing]} {
            return
        }
        set align_text [expr {[$pairing align] eq "init" ? "At the ends of MPI_Init" : "At the starts"}]
        set offset_text [::pithtk::duration [$pairing offset]]
        set fitted [$pairing fitted]
        grid [expr {[$pairing is_same] ? "remove" : "configure"}] $second.time.axis $second.time.corner
        my show_difference
    }

    # Shows the durations of both logs and of their selections.
    method show_difference {} {
        lassign [lmap log [list $model $other] {
            lassign [$log log_time] from to
            expr {$to - $from}
        }] first later
        # The most important text comes first, because the end of the text is cut off in a narrow window.
        set difference "[::pith::pair::change $first $later]: [::pithtk::duration $first] above,\
            [::pithtk::duration $later] here"
        if {[$model selection] ne {} && [$other selection] ne {}} {
            lassign [lmap log [list $model $other] {
                lassign [$log selection] from to
                expr {$to - $from}
            }] first later
            append difference ";   selected [::pithtk::duration $first]"
            if {abs($first - $later) > 2} {
                append difference " and [::pithtk::duration $later]"
            }
        }
        my cut_difference
    }

    method cut_difference {} {
        set label $second.bar.difference
        $label configure -text [::pith::cut_text $difference TkDefaultFont [expr {[winfo width $label] - [px 4]}]]
    }

    method whole_difference {x y} { return $difference }

    # ---- Following

    method changed {what} {
        switch $what {
            pointer { my shadow $model $pointer $timeline to_second }
            selection - log { my show_difference }
        }
    }

    # Called when WHAT of the second model has changed. The details of what is under the pointer in the second log are
    # given to the first model, so that the status line shows them.
    method other_changed {what} {
        switch $what {
            pointer {
                my shadow $other [$window pointer] [$window timeline] to_first
                set there [$other pointer]
                $model set_pointer [expr {[dict exists $there lines] ? [dict filter $there key time lines] : {}}]
            }
            selection { my show_difference }
            exact { [$window status] show_exact }
        }
    }

    # While the pointer is in the timelines of the model FROM, draws a line at the same time in the timelines of the
    # other log. MAP: the pairing's method that converts the time.
    method shadow {from its_pointer its_timeline map} {
        if {$drag ne {}} {
            return
        }
        set x {}
        if {[dict exists [$from pointer] time]} {
            set x [expr {round([$its_timeline x_of [$pairing $map [dict get [$from pointer] time]]])}]
        }
        $its_pointer shadow $x
    }

    # Copies the settings of the mountain ranges, so that both logs show the same states in the same order.
    method copy_ranges {from to} {
        if {!$following} {
            set following 1
            try {
                $to restore [$from state]
            } finally {
                set following 0
            }
        }
    }

    # Gives the row labels of both timelines the same width, and their scrollbars, too, so that equal times are one
    # above the other.
    method align_columns {} {
        if {$other eq {} || ![winfo exists $second.time.v]} {
            return
        }
        set upper $top.panes.time
        set lower $second.time
        set labels [expr {max([winfo reqwidth $upper.labels], [winfo reqwidth $lower.labels])}]
        set bars [expr {max([my bar_width $upper.v], [my bar_width $lower.v])}]
        foreach frame [list $upper $lower] {
            grid columnconfigure $frame 0 -minsize $labels
            grid columnconfigure $frame 2 -minsize $bars
        }
    }

    method bar_width {bar} { expr {[grid info $bar] eq {} ? 0 : [winfo reqwidth $bar]} }

    # ---- Ctrl-drag shifts the second log

    method begin_drag {x} { set drag [list $x [$pairing offset]] }

    method drag_to {x} {
        if {$drag ne {}} {
            lassign $drag from offset
            set width [winfo width [$timeline plot]]
            $pairing set_offset [expr {$offset + wide(double($x - $from) * [$model span] / max(1, $width))}]
        }
    }

    method end_drag {} { set drag {} }

    method flush {} {
        if {$other ne {}} {
            [$other picking] finish
            $timeline flush
            $ranges flush
            $table flush
        }
    }

    # ---- Words

    # The command `beside LOG` opens a second log; `beside none` closes it. Other words, such as `beside offset`, are
    # commands for the open second log.
    method word {{what {}} args} {
        if {$what eq {}} {
            return [expr {$other eq {} ? {} : [$other path]}]
        }
        if {$what in {none offset align fitted difference table window changes}} {
            if {$other eq {}} {
                throw {PITH USAGE} "beside $what: no second log is open; open it with: beside LOG"
            }
            my word_$what {*}$args
        } else {
            my open $what
        }
    }

    method word_none {} { my close 1 }
    method word_offset {{time {}}} {
        if {$time ne {}} {
            $pairing set_offset [::pith::words::time [regsub {\s+(?=[a-z])} $time {}]]
        }
        return [::pith::words::seconds [$pairing offset]]
    }
    method word_align {how} {
        if {$how ni {start init}} {
            throw {PITH USAGE} "beside align: start or init"
        }
        $pairing set_align $how
    }
    method word_fitted {on} { $pairing set_fitted [string is true -strict $on] }
    method word_difference {} { return $difference }
    method word_window {} { return [lmap time [$other window] {::pith::words::seconds $time}] }
    method word_table {} {
        my flush
        return [lmap row [$table rows] {
            lassign $row name first later
            list $name [::pith::words::seconds $first] [::pith::words::seconds $later]
        }]
    }

    # The command `beside changes`. Returns the table of changes as a list: first the sentence above the table, then for
    # each line {PART KIND STATE RANK FIRST LATER}, with the times of the first and the second log in seconds per rank.
    method word_changes {} {
        $changes wait
        return [linsert [lmap line [$changes lines] {
            lassign $line part kind state rank first later
            list $part $kind $state $rank [::pith::words::seconds $first] [::pith::words::seconds $later]
        }] 0 [$changes title]]
    }

    method choose_other {} {
        set path [tk_getOpenFile -parent $top -title "Open a second log" \
            -initialdir [file dirname [file normalize [[$window model] path]]]]
        if {$path ne {} && [catch {my open $path} text]} {
            $window complain $text
        }
    }
}

::pith::part::add Beside {
    words {
        beside {LOG|none|...} {open a second log below, on the same time axis; also offset, align, fitted, difference, table, changes} word
        choose_beside {} {choose a second log and open it below this one} choose_other
    }
    menus {Log {"Compare with another log..." choose_beside {} "Close the second log" {beside none} {}}}
}
