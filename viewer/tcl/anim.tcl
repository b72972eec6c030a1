# anim.tcl - the window of the animation: ranks on a ring or grid, coloured by state, and messages as moving arrows. The
# drawing core draws the picture of one moment (core/scene/animation.c). The class Anim has the clock that decides which
# moment is shown, and the commands.
#
# While the window follows a running program, it shows the moment of a quarter of a second ago. If the user chooses a
# slower speed or pauses the animation, the window plays the records that it has already read. The program itself is
# neither slowed down nor paused.

oo::class create ::pith::Anim {
    variable animation      ;# command of the C core (tk/commands.h)
    variable info       ;# dict: the latest result of `$animation info`
    variable path       ;# log file as named by the user or the library
    variable top        ;# the toplevel
    variable canvas photo legend
    variable words      ;# namespace of the script commands
    variable moment     ;# time shown, ns
    variable playing    ;# 1: playing, 0: paused
    variable following  ;# 1: the shown moment follows the running program
    variable speed      ;# program time per second of real time: 0.01 is a hundredth
    variable layout     ;# ring or grid
    variable last_us    ;# microseconds of the clock at the last picture
    variable next_look  ;# time of the clock at which the files are read again, ms
    variable timer
    variable drawn      ;# what the last picture shows; if a new picture would show the same, it is not drawn
    variable labels     ;# canvas items: rank -> {number name}
    variable shown      ;# dict: rank -> the state that is named below the rank
    variable names colours ;# state id -> name, colour
    variable legend_ids ;# states in the legend
    variable clock_text speed_text status_text play_text
    variable slider     ;# position of the slider, 0 to 1000
    variable replayed   ;# 1: a short run was replayed from its start
    variable end_handled   ;# 1: the end of the program was handled
    variable opened     ;# 1: the window of the finished log was opened
    variable flying     ;# number of messages under way

    # SOURCE: `follow` for a running program, `log` for a log. FILE: the log or the folder of spill files to be read.
    # LOG: the path of the log.
    constructor {source file log} {
        set animation [::pithtk::animation $source $file]
        set path $log
        set info [$animation info]
        set playing 1
        set speed 1.0
        set following [dict get $info live]
        set layout [expr {[dict get $info ranks] > 24 ? "grid" : "ring"}]
        set moment [my first]
        set last_us [clock microseconds]
        set next_look 0
        lassign {} drawn legend_ids
        array set labels {}
        array set names {}
        set replayed 0
        set end_handled 0
        set opened [expr {$source eq "log"}]
        set flying 0
        set slider 0
        set top [toplevel .a[incr ::pith::Window::count]]
        set words ::pith::script$::pith::Window::count
        wm title $top "[file tail $path] - Pith animation"
        wm protocol $top WM_DELETE_WINDOW [list [self] word_close]
        wm geometry $top [my first_size]
        wm minsize $top 560 420
        namespace eval $words {}
        foreach {word arguments help method} $::pith::anim::table {
            interp alias {} ${words}::$word {} [self] $method
        }
        my build
        ::pith::keys::install $top [list namespace eval $words] $::pith::anim::keys
        if {!$following} {
            my choose_speed
        }
        set timer [after idle [list [self] tick]]
        focus $top
    }

    destructor {
        after cancel $timer
        catch {$animation close}
        catch {image delete $photo}
        destroy $top
        catch {namespace delete $words}
    }

    method first_size {} {
        return [expr {min(1080, [winfo screenwidth .] * 9 / 10)}]x[expr {min(820, [winfo screenheight .] * 9 / 10)}]
    }

    # ---- Putting together

    method build {} {
        set tools [ttk::frame $top.tools -padding {10 6}]
        foreach {name text script} {
            start "|\u25c0" start  play "" toggle  end "\u25b6|" live  slower "\u2212" slower
        } {
            ttk::button $tools.$name -text $text -style Toolbutton -takefocus 0 \
                -command [list namespace eval $words $script]
            pack $tools.$name -side left -padx 1
        }
        $tools.play configure -textvariable [my varname play_text] -width 7
        ttk::label $tools.speed -textvariable [my varname speed_text] -width 19 -anchor center
        ttk::button $tools.faster -text "+" -style Toolbutton -takefocus 0 -command [list namespace eval $words faster]
        ttk::button $tools.layout -text "Ring / grid" -style Toolbutton -takefocus 0 \
            -command [list namespace eval $words other_layout]
        ttk::button $tools.log -text "Timelines" -style Toolbutton -takefocus 0 -command [list namespace eval $words timelines]
        ttk::button $tools.keys -text "?" -style Toolbutton -takefocus 0 -command [list namespace eval $words show_keys]
        pack $tools.speed $tools.faster $tools.layout $tools.log $tools.keys -side left -padx 1
        ttk::label $tools.clock -textvariable [my varname clock_text] -font PithClock -anchor e
        pack $tools.clock -side right -padx 4
        ttk::scale $top.slider -from 0 -to 1000 -variable [my varname slider] -command [list [self] slide] -takefocus 0
        set canvas [canvas $top.canvas -highlightthickness 0 -background [colour paper]]
        set photo [image create photo]
        $canvas create image 0 0 -anchor nw -image $photo
        ttk::label $top.status -textvariable [my varname status_text] -padding {12 4}
        pack $tools -side top -fill x
        pack $top.status -side bottom -fill x
        pack $top.slider -side bottom -fill x -padx 12 -pady {2 0}
        set legend [canvas $top.legend -highlightthickness 0 -width 170 -background [colour paper]]
        pack $legend -side left -fill y
        pack $canvas -side left -fill both -expand 1
        bind $canvas <Configure> [list [self] place_labels]
        bind $canvas <Motion> [list [self] point %x %y]
    }

    # ---- The clock

    # The time at which playing starts: the end of MPI_Init, or the begin of the log if the log does not have this end.
    method first {} {
        set work [dict get $info work]
        return [expr {$work eq {} || $work < [dict get $info begin] ? [dict get $info begin] : $work}]
    }

    method last {} {
        return [dict get $info now]
    }

    method span {} { expr {max(1, [my last] - [my first])} }

    method tick {} {
        set started [clock microseconds]
        try {
            my look
            set passed [expr {min(200000, $started - $last_us)}]
            set last_us $started
            if {$following && [dict get $info live] && ![dict get $info ended]} {
                if {$playing} {
                    set moment [expr {max([dict get $info begin], [dict get $info now] - 250000000)}]
                }
            } elseif {$playing} {
                set moment [expr {wide($moment + $passed * 1000.0 * $speed)}]
            }
            if {$moment >= [my last]} {
                set moment [my last]
                if {[dict get $info ended] && $playing} {
                    set playing 0
                    if {!$opened && [dict get $info finished]} {
                        set opened 1
                        catch {my word_timelines}
                    }
                }
            }
            set moment [expr {max([dict get $info begin], $moment)}]
            my draw
        } trap {PITH LOG} text {
            set status_text $text
        }
        set used [expr {([clock microseconds] - $started) / 1000}]
        # Starts the timer for the next picture only when Tk is idle. Without this pause, `update` would never return
        # while several animations together need more time than there is.
        set timer [after idle [list [self] tick_after [expr {max(5, 33 - $used)}]]]
    }

    method tick_after {ms} { set timer [after $ms [list [self] tick]] }

    method look {} {
        set now [clock milliseconds]
        if {$now < $next_look || ([dict get $info ended])} {
            return
        }
        set next_look [expr {$now + 60}]
        $animation look $moment
        set info [$animation info]
        if {[dict get $info ended] && !$end_handled} {
            set end_handled 1
            # The program has ended. If the run was shorter than 10 s, and so too short to be watched, it is replayed
            # slowly.
            if {$following && [dict get $info live]} {
                set following 0
                if {[my span] < 10000000000 && !$replayed} {
                    set replayed 1
                    set moment [my first]
                    my choose_speed
                }
            }
        }
    }

    # Sets a speed at which the whole run takes 8 to 40 seconds, the longer the more messages there are, so that the eye
    # can follow a message.
    method choose_speed {} {
        set seconds [expr {min(40.0, max(8.0, 0.4 * [dict get $info messages] / max(1, [dict get $info ranks])))}]
        my set_speed [::pith::anim::round_speed [expr {[my span] / 1e9 / $seconds}]]
    }

    method set_speed {value} {
        set speed [expr {min(10.0, max(1e-7, $value))}]
        set drawn {}
    }

    # ---- Drawing

    method draw {} {
        my say_times
        set w [winfo width $canvas]
        set h [winfo height $canvas]
        if {$w < 2 || $h < 2} {
            return
        }
        set what [list $w $h $layout $moment $speed [dict get $info records] [dict get $info ranks]]
        if {$what eq $drawn} {
            return
        }
        set drawn $what
        my place_labels
        set dwell [expr {wide(max(1, 6e8 * $speed))}]
        set flying [$animation draw $w $h $layout $photo $moment $dwell]
        foreach {id name colour} [$animation states] {
            set names($id) $name
            set colours($id) $colour
        }
        set rank 0
        foreach state [$animation at $moment] {
            if {[info exists labels($rank)] && (![info exists shown($rank)] || $shown($rank) != $state)} {
                set shown($rank) $state
                lassign $labels($rank) number name
                if {$number ne {}} {
                    $canvas itemconfigure $number -fill [my ink $state]
                }
                if {$name ne {}} {
                    $canvas itemconfigure $name -text [my state_name $state]
                }
            }
            incr rank
        }
        set ids [lsort -integer [array names names]]
        if {$ids eq $legend_ids} {
            return
        }
        set legend_ids $ids
        $legend delete all
        set y 16
        foreach {fill text} [concat [list [colour paper] "computing"] \
                {*}[lmap id [lrange $ids 0 39] {list $colours($id) $names($id)}]] {
            $legend create oval 14 [expr {$y - 6}] 26 [expr {$y + 6}] -fill $fill -outline [colour rim]
            $legend create text 33 $y -anchor w -text $text -font PithSmall -fill [colour text]
            incr y 18
        }
    }

    method place_labels {} {
        set w [winfo width $canvas]
        set h [winfo height $canvas]
        set places [$animation places [expr {max(1, $w)}] [expr {max(1, $h)}] $layout]
        if {[info exists labels(places)] && $labels(places) eq $places} {
            return
        }
        $canvas delete label
        array unset labels
        array unset shown
        set labels(places) $places
        set radius [lindex $places 0]
        set rank 0
        set under [expr {$radius >= 12}]
        foreach {x y} [lrange $places 1 end] {
            set number {}
            set name {}
            if {$radius >= 7} {
                set number [$canvas create text $x $y -text $rank -tags label \
                    -font [expr {$radius >= 22 ? "PithRank" : $radius >= 12 ? "PithBold" : "PithSmall"}]]
            }
            if {$under} {
                set name [$canvas create text $x [expr {$y + $radius + 11}] -tags label -font PithSmall \
                    -fill [colour text]]
            }
            set labels($rank) [list $number $name]
            incr rank
        }
        set drawn {}
    }

    method state_name {state} {
        switch $state {
            -1 { return "computing" }
            -2 { return {} }
            default { return [regsub {^MPI_} $names($state) {}] }
        }
    }

    # The colour of text on a state: black or white, whichever can be read on the state's colour.
    method ink {state} {
        if {$state < 0} {
            return [colour [expr {$state == -2 ? "hidden" : "text"}]]
        }
        return [::pith::theme::text_on $colours($state)]
    }

    method say_times {} {
        set clock_text [format "%.6f s" [expr {$moment / 1e9}]]
        set play_text [expr {$playing ? "Pause" : "Play"}]
        set speed_text [expr {$following && ![dict get $info ended] ? "live" : [::pith::anim::speed_name $speed]}]
        set first [dict get $info begin]
        set slider [expr {1000.0 * ($moment - $first) / max(1, [my last] - $first)}]
        set state [expr {[dict get $info ended]
            ? [dict get $info finished] || ![dict get $info live] ? "finished" : "ended without MPI_Finalize"
            : [dict get $info live] ? "running" : "reading"}]
        set ranks [dict get $info ranks]
        set status_text "$state   $ranks rank[expr {$ranks == 1 ? {} : {s}}]"
        if {[dict get $info seen] < $ranks} {
            append status_text ", [dict get $info seen] visible here"
        }
        append status_text "   [::pithtk::number [$animation sent $moment]] messages sent,\
            [::pithtk::number $flying] under way"
        if {$playing && !$following && !([dict get $info ended])} {
            append status_text "   [::pithtk::duration [expr {[dict get $info now] - $moment}]] behind"
        }
        if {[dict get $info lost]} {
            append status_text "   [::pithtk::number [dict get $info lost]] records lost"
        }
        if {[dict get $info trouble] ne {}} {
            append status_text "   [dict get $info trouble]"
        }
    }

    method point {x y} {
        my draw ;# draws first, because this finds the names of all states of the moment
        set places [$animation places [winfo width $canvas] [winfo height $canvas] $layout]
        set rank 0
        foreach {px py} [lrange $places 1 end] {
            if {hypot($px - $x, $py - $y) <= [lindex $places 0]} {
                set state [lindex [$animation at $moment] $rank]
                set status_text "rank $rank   [expr {$state >= 0 ? $names($state) : [my state_name $state]}]"
            }
            incr rank
        }
    }

    # ---- The commands that scripts, keys and buttons run

    method run {script} {
        my word_sync
        return [namespace eval $words $script]
    }

    method top {} { return $top }

    method slide {value} {
        set first [dict get $info begin]
        my seek_to [expr {wide($first + ([my last] - $first) * $value / 1000.0)}]
    }

    method seek_to {time} {
        set following 0
        set moment [expr {max([dict get $info begin], min([my last], $time))}]
    }

    method word_seek {time} { my seek_to [::pith::words::time $time] }
    method word_start {} {
        my seek_to [my first]
        set playing 1
    }
    method word_live {} {
        set following [expr {![dict get $info ended]}]
        set moment [my last]
        set playing $following
    }
    method word_play {} {
        if {[dict get $info ended] && $moment >= [my last]} {
            set moment [my first]
        }
        set playing 1
    }
    method word_pause {} {
        set playing 0
        set following 0
    }
    method word_toggle {} {
        if {$playing} { my word_pause } else { my word_play }
    }
    method word_speed {{value {}}} {
        if {$value ne {}} {
            set value [regsub {^1/(.+)$} $value {1.0/\1}]
            if {[catch {expr {double([expr $value])}} value] || $value <= 0} {
                throw {PITH USAGE} "speed: need a number such as 0.01 or 1/100"
            }
            set following 0
            my set_speed $value
        }
        return $speed
    }
    method word_slower {} { my word_speed [::pith::anim::next_speed $speed -1] }
    method word_faster {} { my word_speed [::pith::anim::next_speed $speed 1] }
    method word_step {direction} {
        my word_pause
        my seek_to [expr {wide($moment + $direction * max(1, 1e8 * $speed))}]
    }
    method word_layout {{which {}}} {
        if {$which in {ring grid}} {
            set layout $which
            set drawn {}
        } elseif {$which ne {}} {
            throw {PITH USAGE} "layout: must be ring or grid"
        }
        return $layout
    }
    method word_other_layout {} { my word_layout [expr {$layout eq "ring" ? "grid" : "ring"}] }
    method word_time {} { return [::pith::words::seconds $moment] }
    method word_info {} { return $info }
    method word_flying {} { return $flying }
    method word_states {} { return [lmap state [$animation at $moment] {my state_name $state}] }
    method word_status {} { return $status_text }
    method word_canvas {} { return $canvas }
    method word_help {} { puts -nonewline [::pith::words::help [dict create Animation $::pith::anim::table]] }
    method word_keys {} { ::pith::keys::show $top [dict create Animation $::pith::anim::keys] {} }

    # Opens a window with the log, or with a snapshot of the spill files if there is no log yet.
    method word_timelines {} {
        set log [::pith::anim::find_log $path]
        if {$log eq {} && [file isdirectory $path.spill]} {
            set log $path.spill
        }
        if {$log eq {}} {
            throw {PITH LOG} "$path: no log yet"
        }
        set window [::pith::Window open $log]
        catch {[$window model] work}
        return $window
    }

    method word_sync {} {
        update
        my draw
        update
        winfo pointerxy $top
    }

    method word_wait {seconds} {
        set until [expr {[clock milliseconds] + round($seconds * 1000)}]
        while {[clock milliseconds] < $until} {
            after [expr {max(1, min(20, $until - [clock milliseconds]))}] [list set ::pith::anim::waited 1]
            vwait ::pith::anim::waited
        }
    }

    method word_shot {file} {
        my word_sync
        ::pith::save_shot $top $file
    }

    method word_close {} { after idle [list [self] close_now] }
    method close_now {} {
        my destroy
        ::pith::end_with_last_window
    }
    method word_quit {} { exit 0 }
}

namespace eval ::pith::anim {
    variable waited 0
    # The commands of the animation. Columns: command, its arguments, help, method.
    variable table {
        play    {}          {continue playing}                                       word_play
        pause   {}          {stop the animation; the program continues}              word_pause
        toggle  {}          {play or pause}                                          word_toggle
        speed   {?FACTOR?}  {program time per second: 1, 0.01, 1/1000}               word_speed
        slower  {}          {next slower speed}                                      word_slower
        faster  {}          {next faster speed}                                      word_faster
        step    {1|-1}      {step forward or back}                                   word_step
        seek    {TIME}      {go to this time (1.5, 20ms)}                            word_seek
        start   {}          {play from the end of MPI_Init}                          word_start
        live    {}          {go to the current time of the program, or to its end}   word_live
        layout  {?ring|grid?} {arrangement of the ranks}                             word_layout
        other_layout {}     {switch between ring and grid}                           word_other_layout
        time    {}          {time shown, in seconds}                                 word_time
        states  {}          {current state of each rank}                             word_states
        flying  {}          {number of messages under way}                           word_flying
        info    {}          {facts about the program, as a list of names and values} word_info
        status  {}          {text of the status line}                                word_status
        timelines {}        {open the timelines of this log}                         word_timelines
        wait    {SECONDS}   {wait while the animation continues}                     word_wait
        shot    {FILE.png}  {save a picture of the window}                           word_shot
        canvas  {}          {Tk path of the canvas}                                  word_canvas
        sync    {}          {wait until everything is drawn}                         word_sync
        show_keys {}        {show the keys}                                          word_keys
        close   {}          {close this window}                                      word_close
        quit    {}          {quit}                                                   word_quit
        help    {}          {list these commands}                                    word_help
    }
    variable keys {
        {space p}               {Space}      {pause or play}                     {toggle}
        {minus KP_Subtract s Down}   {-  s}  {slower}                            {slower}
        {plus equal KP_Add w Up}     {+  w}  {faster}                            {faster}
        {Right d period}        {Right  d}   {step forward}                      {step 1}
        {Left a comma}          {Left  a}    {step back}                       {step -1}
        {Home i}                {Home  i}    {play from the end of MPI_Init}            {start}
        {End l}                 {End  l}     {go to the current time of the program, or to its end} {live}
        {g}                     {g}          {ring or grid}                      {other_layout}
        {t}                     {t}          {open the timelines}                        {timelines}
        {Control-w}             {Ctrl-w}     {close this window}                 {close}
        {Control-q q}           {Ctrl-q  q}  {quit}                              {quit}
        {question F1}           {?  F1}      {show these keys}                        {show_keys}
    }
}

# Rounds a speed down to 1, 2 or 5 times a power of ten.
proc ::pith::anim::round_speed {speed} {
    set power [expr {pow(10, floor(log10($speed) + 1e-9))}]
    foreach step {5 2 1} {
        if {$speed >= $step * $power * 0.999} {
            return [expr {$step * $power}]
        }
    }
    return $power
}

proc ::pith::anim::next_speed {speed direction} {
    set rounded [round_speed $speed]
    set first [format %.0e $rounded]
    set factor [expr {[string index $first 0] eq "2" ? 2.5 : 2}]
    if {$direction < 0} {
        set factor [expr {[string index $first 0] eq "5" ? 0.4 : 0.5}]
    }
    return [expr {$rounded * $factor}]
}

proc ::pith::anim::speed_name {speed} {
    if {abs($speed - 1) < 1e-6} {
        return "real time"
    }
    if {$speed > 1} {
        return [format {%g times as fast} $speed]
    }
    return "1/[::pithtk::number [expr {wide(round(1 / $speed))}]] of real time"
}

# Of the log at PATH (run.pith) and the logs with a number in the name (run-2.pith), returns the newest. The numbers
# come from liblog, which never overwrites the log of another job and chooses another name instead.
proc ::pith::anim::find_log {path} {
    set found {}
    set newest 0
    set root [file rootname $path]
    foreach file [concat [list $path] [glob -nocomplain -- [::pith::pattern_of $root]-*[file extension $path]]] {
        if {[file isfile $file] && [file mtime $file] > $newest} {
            set found $file
            set newest [file mtime $file]
        }
    }
    return $found
}

# `pith view --anim LOG`: follows the program that records LOG. If no such program runs, plays the log. SPILL: the spill
# files to follow, as a file or folder; "" means LOG.spill.
proc ::pith::anim::open {path spill} {
    foreach folder [list $spill $path $path.spill] {
        if {$folder ne {} && ([file isdirectory $folder] || $folder eq $spill)} {
            if {![catch {::pith::Anim new follow $folder [regsub {\.spill/?$} $path {}]} window options]} {
                return $window
            }
            if {[lrange [dict get $options -errorcode] 0 0] ne "PITH"} {
                return -options $options $window
            }
        }
    }
    # The program ended before this window opened, so there is nothing to follow. Waits until the program's log is
    # written.
    for {set i 0} {$spill ne {} && $i < 100 && [find_log $path] eq {}} {incr i} {
        after 100
    }
    if {[file isfile $path]} {
        set log [expr {$spill eq {} ? $path : [find_log $path]}]
        return [::pith::Anim new log $log $log]
    }
    throw {PITH LOG} "$path: no such log, and no program is recording it; start the program with pith run"
}
