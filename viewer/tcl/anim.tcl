# anim.tcl - the animation: ranks on a ring or grid, states as their colours, messages as arrows that move. The C core
# draws the picture of a moment (core/stage_draw.c); this window has the clock that says which moment, and the words.
#
# Live, the moment follows the program, a quarter of a second behind it. Any slower, and from a pause on, the window
# plays what it holds; the program does not notice.

oo::class create ::pith::Anim {
    variable stage      ;# the command of the C core (tk/stage_object.h)
    variable info       ;# dict: what it said last
    variable path       ;# the log, as the user or the library named it
    variable top        ;# the toplevel
    variable canvas photo legend
    variable words      ;# namespace of scripts
    variable moment     ;# shown, ns
    variable playing    ;# 1; 0: pause
    variable following  ;# 1: as far as the program is
    variable speed      ;# program time in a second of ours, as a part: 0.01 is a hundredth
    variable layout     ;# ring, grid
    variable last_us    ;# clock of the last picture
    variable next_look  ;# clock, ms
    variable timer
    variable drawn      ;# what the picture was drawn for
    variable labels     ;# canvas items: rank -> {number name}
    variable shown      ;# rank -> state named under it
    variable names colours ;# state id -> name, colour
    variable legend_ids ;# in the legend
    variable clock_text speed_text status_text play_text
    variable slider     ;# 0 to 1000
    variable replayed   ;# 1: a short run was played again from its start
    variable told_end   ;# 1: the end was seen
    variable opened     ;# 1: the finished log's window was opened
    variable flying     ;# messages on their way

    # SOURCE: follow or log, FILE: what the core reads; LOG: the log's name.
    constructor {source file log} {
        set stage [::pithtk::stage $source $file]
        set path $log
        set info [$stage info]
        set playing 1
        set speed 1.0
        set following [dict get $info live]
        set layout [expr {[dict get $info ranks] > 24 ? "grid" : "ring"}]
        set moment [my first]
        set last_us [clock microseconds]
        set next_look 0
        set drawn {}
        array set labels {}
        array set names {}
        set legend_ids {}
        set replayed 0
        set told_end 0
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
        catch {$stage close}
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
        ttk::button $tools.log -text "Time lines" -style Toolbutton -takefocus 0 -command [list namespace eval $words timelines]
        ttk::button $tools.keys -text "?" -style Toolbutton -takefocus 0 -command [list namespace eval $words show_keys]
        pack $tools.speed $tools.faster $tools.layout $tools.log $tools.keys -side left -padx 1
        ttk::label $tools.clock -textvariable [my varname clock_text] -font PithClock -anchor e
        pack $tools.clock -side right -padx 4
        ttk::scale $top.slider -from 0 -to 1000 -variable [my varname slider] -command [list [self] slide] -takefocus 0
        set canvas [canvas $top.canvas -highlightthickness 0 -background [::pith::theme::colour paper]]
        set photo [image create photo]
        $canvas create image 0 0 -anchor nw -image $photo
        ttk::label $top.status -textvariable [my varname status_text] -padding {12 4}
        pack $tools -side top -fill x
        pack $top.status -side bottom -fill x
        pack $top.slider -side bottom -fill x -padx 12 -pady {2 0}
        set legend [canvas $top.legend -highlightthickness 0 -width 170 -background [::pith::theme::colour paper]]
        pack $legend -side left -fill y
        pack $canvas -side left -fill both -expand 1
        bind $canvas <Configure> [list [self] place_labels]
        bind $canvas <Motion> [list [self] point %x %y]
    }

    # ---- The clock

    # Where the interesting part begins: after MPI_Init, if it is over.
    method first {} {
        set work [dict get $info work]
        return [expr {$work eq {} || $work < [dict get $info begin] ? [dict get $info begin] : $work}]
    }

    # Where it ends: at MPI_Finalize, with a little after it.
    method last {} {
        return [dict get $info now]
    }

    method span {} { expr {max(1, [my last] - [my first])} }

    method tick {} {
        set started [clock microseconds]
        try {
            my look
            my advance $started
            my draw
        } trap {PITH LOG} text {
            set status_text $text
        }
        set used [expr {([clock microseconds] - $started) / 1000}]
        set timer [after [expr {max(5, 33 - $used)}] [list [self] tick]]
    }

    method look {} {
        set now [clock milliseconds]
        if {$now < $next_look || ([dict get $info ended])} {
            return
        }
        set next_look [expr {$now + 60}]
        $stage look $moment
        set info [$stage info]
        if {[dict get $info ended] && !$told_end} {
            set told_end 1
            my at_end
        }
    }

    method advance {now_us} {
        set passed [expr {min(200000, $now_us - $last_us)}]
        set last_us $now_us
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
                my reached_end
            }
        }
        set moment [expr {max([dict get $info begin], $moment)}]
    }

    # The program has ended. What was too short to be seen is played again, slowly.
    method at_end {} {
        if {$following && [dict get $info live]} {
            set following 0
            if {[my span] < 10000000000 && !$replayed} {
                set replayed 1
                set moment [my first]
                my choose_speed
            }
        }
    }

    method reached_end {} {
        set playing 0
        if {!$opened && [dict get $info finished]} {
            set opened 1
            catch {my word_timelines}
        }
    }

    # So slow that a message can be followed, so fast that the whole takes about half a minute.
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
        set flying [$stage draw $w $h $layout $photo $moment $dwell]
        my name_states
        my fill_legend
    }

    method place_labels {} {
        set w [winfo width $canvas]
        set h [winfo height $canvas]
        set places [$stage places [expr {max(1, $w)}] [expr {max(1, $h)}] $layout]
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
                    -fill [::pith::theme::colour text]]
            }
            set labels($rank) [list $number $name]
            incr rank
        }
        set drawn {}
    }

    method name_states {} {
        foreach {id name colour} [$stage states] {
            set names($id) $name
            set colours($id) $colour
        }
        set rank 0
        foreach state [$stage at $moment] {
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
    }

    method state_name {state} {
        switch $state {
            -1 { return "computing" }
            -2 { return {} }
            default { return [regsub {^MPI_} $names($state) {}] }
        }
    }

    # Black or white, whichever is read on the state's colour.
    method ink {state} {
        if {$state < 0} {
            return [::pith::theme::colour [expr {$state == -2 ? "hidden" : "text"}]]
        }
        return [::pith::theme::text_on $colours($state)]
    }

    method fill_legend {} {
        set ids [lsort -integer [array names names]]
        if {$ids eq $legend_ids} {
            return
        }
        set legend_ids $ids
        $legend delete all
        set y 16
        foreach {fill text} [concat [list [::pith::theme::colour paper] "computing (own code)"] \
                {*}[lmap id [lrange $ids 0 39] {list $colours($id) $names($id)}]] {
            $legend create oval 14 [expr {$y - 6}] 26 [expr {$y + 6}] -fill $fill \
                -outline [::pith::theme::colour rim]
            $legend create text 33 $y -anchor w -text $text -font PithSmall -fill [::pith::theme::colour text]
            incr y 18
        }
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
            append status_text ", [dict get $info seen] of them seen here"
        }
        append status_text "   [::pithtk::number [$stage sent $moment]] messages sent, [::pithtk::number $flying] on their way"
        if {$playing && !$following && !([dict get $info ended])} {
            append status_text "   [::pithtk::duration [expr {[dict get $info now] - $moment}]] behind"
        }
        if {[dict get $info lost]} {
            append status_text "   [::pithtk::number [dict get $info lost]] records lost"
        }
    }

    method point {x y} {
        set places [$stage places [winfo width $canvas] [winfo height $canvas] $layout]
        set rank 0
        foreach {px py} [lrange $places 1 end] {
            if {hypot($px - $x, $py - $y) <= [lindex $places 0]} {
                set state [lindex [$stage at $moment] $rank]
                set status_text "rank $rank   [expr {$state >= 0 ? $names($state) : [my state_name $state]}]"
            }
            incr rank
        }
    }

    # ---- Words: scripts, keys and buttons

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
                return -code error -errorcode {PITH USAGE} "speed: a number such as 0.01 or 1/100"
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
            return -code error -errorcode {PITH USAGE} "layout: ring or grid"
        }
        return $layout
    }
    method word_other_layout {} { my word_layout [expr {$layout eq "ring" ? "grid" : "ring"}] }
    method word_time {} { return [::pith::words::seconds $moment] }
    method word_info {} { return $info }
    method word_flying {} { return $flying }
    method word_states {} { return [lmap state [$stage at $moment] {my state_name $state}] }
    method word_status {} { return $status_text }
    method word_canvas {} { return $canvas }
    method word_help {} { puts -nonewline [::pith::words::help [dict create Animation $::pith::anim::table]] }
    method word_keys {} { ::pith::keys::show $top [dict create Animation $::pith::anim::keys] {} }

    # The program's log when there is one, else a snapshot of what it has recorded.
    method word_timelines {} {
        set log [::pith::anim::find_log $path]
        if {$log eq {} && [file isdirectory $path.spill]} {
            set log $path.spill
        }
        if {$log eq {}} {
            return -code error -errorcode {PITH LOG} "$path: no log yet"
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

    # Lets time go by.
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
    # A row: word, arguments for help, what it does, the method.
    variable table {
        play    {}          {go on}                                                  word_play
        pause   {}          {stand still; the program does not}                      word_pause
        toggle  {}          {the one or the other}                                   word_toggle
        speed   {?FACTOR?}  {program time a second: 1, 0.01, 1/1000}                 word_speed
        slower  {}          {the next slower one}                                    word_slower
        faster  {}          {the next faster one}                                    word_faster
        step    {1|-1}      {a little forth or back}                                 word_step
        seek    {TIME}      {to this moment (1.5, 20ms)}                             word_seek
        start   {}          {from the end of MPI_Init on}                            word_start
        live    {}          {to what the program is doing now; at its end, to that}  word_live
        layout  {?ring|grid?} {how the ranks stand}                                  word_layout
        other_layout {}     {the other way}                                          word_other_layout
        time    {}          {the moment shown, in seconds}                           word_time
        states  {}          {of each rank}                                           word_states
        flying  {}          {messages on their way}                                  word_flying
        info    {}          {what is known of the program, as words and values}      word_info
        status  {}          {the line at the foot}                                   word_status
        timelines {}        {the window of time lines}                               word_timelines
        wait    {SECONDS}   {let time go by}                                         word_wait
        shot    {FILE.png}  {a picture of the window}                                word_shot
        canvas  {}          {Tk's name of the canvas}                                word_canvas
        sync    {}          {wait until everything is drawn}                         word_sync
        show_keys {}        {the keys}                                               word_keys
        close   {}          {this window}                                            word_close
        quit    {}          {end}                                                    word_quit
        help    {}          {print these words}                                      word_help
    }
    variable keys {
        {space p}               {Space}      {pause, and on}                     {toggle}
        {minus KP_Subtract s Down}   {-  s}  {slower}                            {slower}
        {plus equal KP_Add w Up}     {+  w}  {faster}                            {faster}
        {Right d period}        {Right  d}   {a step forth}                      {step 1}
        {Left a comma}          {Left  a}    {a step back}                       {step -1}
        {Home i}                {Home  i}    {to the end of MPI_Init}            {start}
        {End l}                 {End  l}     {live; at the end of the program, there} {live}
        {g}                     {g}          {ring or grid}                      {other_layout}
        {t}                     {t}          {time lines}                        {timelines}
        {Control-w}             {Ctrl-w}     {close this window}                 {close}
        {Control-q q}           {Ctrl-q  q}  {quit}                              {quit}
        {question F1}           {?  F1}      {these keys}                        {show_keys}
    }
}

# Speeds go 1, 2, 5, 10.
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

# The log that was written under this name, or the next free one (liblog never overwrites another job's).
proc ::pith::anim::find_log {path} {
    set found {}
    set newest 0
    set root [file rootname $path]
    foreach file [concat [list $path] [glob -nocomplain -- [string map {[ \\[ ] \\] * \\* ? \\? \{ \\\{ \} \\\}} $root]-*[file extension $path]]] {
        if {[file isfile $file] && [file mtime $file] > $newest} {
            set found $file
            set newest [file mtime $file]
        }
    }
    return $found
}

# `pith view --anim LOG`: what runs under that name, else the log. `spill`: the file or folder to follow, "" LOG.spill.
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
    # A program that is over before this window was there: its log comes in a moment.
    for {set i 0} {$spill ne {} && $i < 100 && [find_log $path] eq {}} {incr i} {
        after 100
    }
    if {[file isfile $path]} {
        set log [expr {$spill eq {} ? $path : [find_log $path]}]
        return [::pith::Anim new log $log $log]
    }
    return -code error -errorcode {PITH LOG} "$path: no such log, and nothing that is being recorded; start the program with pith run"
}
