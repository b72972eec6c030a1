# window.tcl - the viewer's window. It makes the parts, the menus and the toolbar, and has the methods that run the
# commands of scripts, keys and buttons.

oo::class create ::pith::Window {
    variable model timeline choice details pointer panel legend status ;# parts of every window
    variable parts                        ;# class -> object of the parts (commands.tcl)
    variable top                          ;# toplevel
    variable words                        ;# namespace of scripts
    variable title_text
    variable unfinished                   ;# 1: `finish` has not run yet

    # Opens a window for a log. Throws {PITH ...} if the log cannot be opened or the user stops the opening.
    self method open {path} {
        set log [::pith::opening::open $path]
        ::pith::typing::wait
        try {
            set window [my new $log]
        } on error {text options} {
            ::pith::typing::go_on
            return -options $options $text
        }
        ::pith::state::opened $path
        return $window
    }

    constructor {log} {
        set model [::pith::Model new $log]
        set unfinished 1
        set path [$model path]
        # The toplevel draws no background. Its children cover it completely, so painting its 1.5 million pixels would
        # be a waste of time.
        set top [toplevel .w[incr ::pith::Window::count] -background {}]
        set words ::pith::script$::pith::Window::count
        wm title $top "[file tail $path] - Pith"
        wm protocol $top WM_DELETE_WINDOW [list [self] word_close]
        wm geometry $top [my first_size]
        wm minsize $top [px 480] [px 220]
        ::pith::words::install [self] $words $::pith::words::table
        # These commands are not in the table of commands, because only keys, menus and buttons use them.
        foreach word {choose_log show_keys toggle_arrows toggle_names hide_pointed zoom_chosen scroll page taller escape} {
            interp alias {} ${words}::$word {} [self] $word
        }
        my build
        set parts {}
        foreach class [::pith::part::classes] {
            set part [::pith::$class new [self]]
            dict set parts $class $part
            ::pith::words::install $part $words [::pith::part::words $class]
        }
        ::pith::menus::build_bar $top
        ::pith::keys::install $top [list [self] act] [::pith::keys::rows]
        if {![[my part ViewState] restore_view]} {
            my look_first
        }
        after idle [list after 0 [list [self] after_first_picture]]
        focus $top
    }

    destructor {
        after cancel [list after 0 [list [self] after_first_picture]]
        after cancel [list [self] after_first_picture]
        after cancel [list [self] finish]
        if {$unfinished} {
            ::pith::typing::go_on
        }
        foreach part [list {*}[dict values $parts] $pointer $details $choice $timeline $legend $status $panel $model] {
            $part destroy
        }
        destroy $top
        namespace delete $words
    }

    # ---- Construction

    method first_size {} {
        set w [expr {min([px 1400], [winfo screenwidth .] * 9 / 10)}]
        set rows [expr {max(12, min(30, [$model row_count]))}]
        set h [expr {min([px [expr {370 + 30 * $rows}]], [winfo screenheight .] * 9 / 10)}]
        return ${w}x[expr {max(320, $h)}]
    }

    method build {} {
        set tools [ttk::frame $top.tools -padding {8 5}]
        # The label with the time shown is packed before the buttons, because Tk cuts off what is packed last.
        ttk::label $tools.window -textvariable [my varname title_text] -style Faint.TLabel -padding {12 0}
        pack $tools.window -side right
        ::pith::menus::build_buttons $tools [self]
        # Like the toplevel, this frame draws no background, because its children cover it completely.
        frame $top.panes -background {}
        set panel [::pith::Panel new [self] $top.panes]
        set timeline [::pith::Timeline new $top.panes.time $model]
        set choice [::pith::Choice new $timeline $model]
        set details [::pith::Details new $timeline $model]
        set pointer [::pith::Pointer new $timeline $choice $details $model]
        set legend [::pith::Legend new $top.panes.legend $model]
        set status [::pith::Status new $top.status $model]
        $panel set_main $top.panes.time [list $timeline needs]
        $panel put legend $top.panes.legend
        pack $top.tools -side top -fill x
        pack $top.status -side bottom -fill x
        pack $top.panes -fill both -expand 1
        $model follow [list [self] changed]
        my changed time
    }

    # Sets the time that is shown first in a log without a saved view: from MPI_Init to MPI_Finalize. The view stays the
    # whole log if a script runs, so that scripts always begin with the same view, and if the program is still running,
    # so that the view follows its end (live.tcl).
    method look_first {} {
        if {!$::pith::plain && ![file isdirectory [$model path]] && [$model look_at_work]} {
            my say "shown from MPI_Init to MPI_Finalize; f shows the whole log"
        }
    }

    method dropped {files} {
        foreach file $files {
            my open_or_complain $file
        }
        return copy
    }

    # Draws the first picture, then makes the rest of the window.
    method after_first_picture {} {
        set me [self]
        update idletasks
        if {[info object isa object $me] && [winfo exists $top]} { ;# update may have closed this window
            after 0 [list $me finish]
        }
    }

    # Makes everything that the first picture does not need: menus, bars that are closed, and so on. Then starts reading
    # messages and counters.
    method finish {} {
        if {$unfinished} {
            set unfinished 0
            ::pith::menus::fill $top [self]
            ::pith::menus::mark_buttons $top.tools [self]
            my call_parts finish
            $pointer finish
            $timeline learn_letters new
            # Accepts dropped files if the package tkdnd is installed.
            if {![catch {package require tkdnd}]} {
                ::tkdnd::drop_target register $top DND_Files
                bind $top <<Drop:DND_Files>> [list [self] dropped %D]
            }
            ::pith::typing::go_on
            $model digest
        }
    }

    # Calls a method of all parts that have such a method.
    method call_parts {method} {
        foreach part [dict values $parts] {
            if {$method in [info object methods $part -all]} {
                $part $method
            }
        }
    }

    method changed {what} {
        if {$what eq "log"} {
            wm title $top "[file tail [$model path]] - Pith"
        }
        if {$what in {time rows digest}} {
            lassign [$model window] t0 t1
            set fine [expr {max(1, ($t1 - $t0) / 1000)}]
            set title_text "[$model time_text $t0 $fine] \u2013 [$model time_text $t1 $fine]"
            append title_text "    [::pithtk::duration [expr {$t1 - $t0}]]"
        }
        # The model reports the change `left_out` for each picture of a moving view. So after this change, the buttons
        # are marked anew only if messages have appeared or disappeared.
        if {!$unfinished && ($what in {hidden waiting} ||
            ($what eq "left_out" && [$model arrows_seen] != [$top.tools.arrows instate selected]))} {
            ::pith::menus::mark_buttons $top.tools [self]
        }
    }

    # ---- Scripts

    method run {script} {
        my word_sync
        return [namespace eval $words $script]
    }

    # Runs the script of a key, menu entry or button. Errors appear in the status line.
    method act {script} {
        my finish
        try {
            namespace eval $words $script
        } trap {PITH} text {
            my say $text
        }
    }

    # Runs a script for the command line or the dialog of commands. Does not handle errors, because the callers show
    # them.
    method evaluate {script} { return [namespace eval $words $script] }
    method word_rows_of_table {} { return [::pith::part::rows words $::pith::words::table] }

    method top {} { return $top }
    method model {} { return $model }
    method timeline {} { return $timeline }
    method choice {} { return $choice }
    method details {} { return $details }
    # Shows a message in the status line for some seconds.
    method say {text} { $status say $text }
    method end_message {} { $status end_message }
    method status_text {} { return [$status text] }
    method pointer {} { return $pointer }
    method legend {} { return $legend }
    method panel {} { return $panel }
    method status {} { return $status }
    method parts {} { return $parts }
    method part {class} { return [dict get $parts $class] }

    method word_zoom {from to} {
        set from [[$model log] time $from begin]
        set to [[$model log] time $to end]
        if {$from >= $to} {
            throw {PITH USAGE} "zoom: must end after it begins"
        }
        $model zoom $from $to
    }

    method word_select {from {to {}}} {
        if {$from eq "none"} {
            $model set_selection {}
            return
        }
        $model set_selection [list [[$model log] time $from begin] [[$model log] time $to end]]
    }

    method word_selected {} { return [lmap time [$model selection] {::pith::words::seconds $time}] }
    method word_fit {} { $model fit }
    method word_in {{factor 2}} { $model zoom_by [expr {1.0 / $factor}] }
    method word_out {{factor 2}} { $model zoom_by $factor }
    method word_pan {part} { $model pan $part }
    method word_undo {} { $model undo }
    method word_redo {} { $model redo }
    method word_rows {{list {}}} { $model select $list }
    method word_height {{pixels {}}} {
        if {$pixels eq "0"} {
            $model release_row_height
            my word_sync
        } elseif {$pixels ne {}} {
            $model set_row_height $pixels
        }
        return [$model row_height]
    }
    method word_top {row} { $timeline scroll_to $row }
    method word_arrows {how} { $model set_arrows [expr {$how eq "auto" ? $how : [string is true -strict $how]}] }
    method word_status {} { return [$status text] }
    method word_help {{word {}}} {
        if {$word eq {}} {
            puts -nonewline [::pith::words::help [::pith::words::groups]]
            return
        }
        return [::pith::words::help_on $word]
    }
    method word_work {} { $model work }
    method word_anim {} { return [::pith::anim::open [$model path] {}] }
    method word_view {path} { return [::pith::Window open $path] }
    method word_quit {} { ::pith::quit }

    method word_canvas {} { return [$timeline plot] }

    method word_window {} {
        return [lmap time [$model window] {::pith::words::seconds $time}]
    }

    method word_hide {pattern} {
        $model set_hidden [concat [$model hidden] [$model ids_of $pattern]]
    }

    method word_show {pattern} {
        set shown [expr {$pattern eq "*" ? [$model ids_like *] : [$model ids_of $pattern]}]
        $model set_hidden [lmap id [$model hidden] {if {$id in $shown} continue; set id}]
    }

    # The command `at`. Returns the state that is drawn at a time on a row. LEVEL: at which nesting level, from 0
    # (outermost) to 3 (innermost).
    method word_at {time row {level 3}} {
        my word_sync
        set middle [expr {[$model row_height] * (0.5 - 0.15 * (3 - $level))}]
        set from [[$model log] time $time begin]
        set hit [[$model log] stateat $row $from [expr {$from + 1}] [expr {max(0, int($middle))}] [$model row_height]]
        return $hit
    }

    method word_legend {} {
        my word_sync
        return [lmap sum [$legend sums] {
            list [dict get [$model def [dict get $sum id]] name] [dict get $sum count] \
                [::pith::words::seconds [dict get $sum inclusive]] [::pith::words::seconds [dict get $sum exclusive]]
        }]
    }

    method word_sync {} {
        update
        my finish
        $model finish_reading
        $timeline flush
        $legend refresh
        my call_parts flush
        update
        # Asks the X server for the pointer's place, and so waits until the server has drawn everything; `update` alone
        # does not wait for the server.
        winfo pointerxy $top
    }

    method word_shot {file} {
        my word_sync
        ::pith::save_shot $top $file
    }

    # The command `close`. Without arguments, it closes the window, but only when Tk is idle, because the caller may be
    # a part of the window. With arguments, it is Tcl's own command `close`.
    method word_close {args} {
        if {$args ne {}} {
            return [::close {*}$args]
        }
        after idle [list [self] close_now]
    }

    method close_now {} {
        [my part ViewState] save
        my destroy
        ::pith::end_with_last_window
    }

    # ---- Keys and buttons

    method show_keys {} { ::pith::keys::show $top [::pith::keys::groups] $::pith::keys::pointing }
    method word_names {on} { $model set_names [string is true -strict $on] }
    method toggle_names {} { $model set_names [expr {![$model names_on]}] }
    method toggle_arrows {} { $model toggle_arrows }
    method scroll {rows} { $timeline scroll_rows scroll $rows units }
    method page {pages} { $timeline scroll_rows scroll $pages pages }
    # Makes rows FACTOR times as high. The row under the pointer keeps its place on the screen; if the pointer is not on
    # a row, the row in the middle does.
    method taller {factor} {
        set pixels [expr {[$model row_height] * $factor}]
        set height [lindex [$timeline size] 1]
        set y [expr {[winfo pointery $top] - [winfo rooty [$timeline plot]]}]
        set y [expr {$y >= 0 && $y < $height ? $y : $height / 2}]
        set row [$model row_on [$model line_at $y]]
        $model set_row_height [expr {$pixels >= 4 ? round($pixels) : $pixels}]
        if {$row >= [$model pinned_count]} {
            $timeline scroll_to [expr {$row - [$model line_at $y]}]
        }
    }

    # Says whether menus and buttons mark a script as on. If the script switches something, returns 1 if that is on,
    # else 0. If the script makes one of several choices, returns 1 if this is the present choice, else 0. Returns {}
    # for other scripts, which have no mark.
    method state_of {script} {
        switch $script {
            toggle_arrows { return [$model arrows_seen] }
            toggle_names { return [$model names_on] }
            toggle_theme { return [expr {[::pith::theme::name] eq "dark"}] }
            {waits toggle} { return [[my part Waiting] is_shown waits] }
            {critical_path toggle} { return [[my part Waiting] is_shown path] }
            {time_of_day toggle} { return [$model time_of_day] }
            {core_waits toggle} { return [[my part CoreWaits] is_shown] }
            {findings toggle} { return [[my part Waiting] sees findings] }
            {iterations toggle} { return [[my part Waiting] is_shown iterations] }
            {ranges toggle} { return [expr {[[my part Ranges] word] eq "on"}] }
            {palette log} - {palette classic} - {palette safe} {
                return [expr {[$model palette] eq [lindex $script 1]}]
            }
            {group host} - {group comm} - {group alike} - {group none} {
                return [expr {[$model tree grouping] eq [lindex $script 1]}]
            }
            {pane panel} - {pane overview} - {pane toolbar} { return [[my part Looks] has_part [lindex $script 1]] }
        }
        return {}
    }

    # Called for the key Escape. Closes what is open: the card of details, the dialog with the keys, or a page of the
    # panel that has the focus. If none of these is open, clears the selection and the chosen record.
    method escape {} {
        if {![$details close_card] && ![winfo exists $top.keys] && ![$panel escape]} {
            $model set_selection {}
            $choice choose {}
        }
        destroy $top.keys
    }

    method zoom_chosen {} {
        if {[$model selection] ne {}} {
            $model zoom {*}[$model selection]
        } else {
            $details zoom_to_pointed
        }
    }

    method hide_pointed {} {
        if {[dict exists [$model pointer] hit id]} {
            $model toggle [dict get [$model pointer] hit id]
        }
    }

    method complain {text} { ::pith::trouble::show $top $text }

    method open_or_complain {path} {
        try {
            ::pith::Window open $path
        } trap {PITH STOPPED} text {
            my say $text
        } trap {PITH} text {
            my complain $text
        }
    }

    method choose_log {} {
        set path [tk_getOpenFile -parent $top -title "Open a log" -initialdir [file dirname [file normalize [$model path]]] \
            -filetypes {
            {{All logs} {.pith .spill .clog2 .clog .clog1 .slog2 .alog .log .trf .picl .prv .paraver .otf2 .json .chrome
                .paje .trace .txt .text .gz}}
            {Pith .pith} {CLOG {.clog2 .clog .clog1}} {SLOG-2 .slog2} {ALOG {.alog .log}} {PICL {.trf .picl}}
            {Paraver {.prv .paraver}} {OTF2 .otf2} {Chrome {.json .chrome}} {Paje {.paje .trace}} {Text {.txt .text}}
            {{All files} *}}]
        if {$path ne {}} {
            my open_or_complain $path
        }
    }

    method fill_recent {menu} {
        $menu delete 0 end
        foreach path [::pith::state::recent] {
            $menu add command -label $path -command [list [self] open_or_complain $path]
        }
        if {[$menu index end] in {none {}}} {
            $menu add command -label "(none)" -state disabled
        }
    }
}
namespace eval ::pith::Window { variable count 0 }

# Saves a screenshot of a window as PNG. First raises the window and waits until no other window covers it, because the
# X server does not have the pixels of covered areas. The window manager may raise the window a little later; if it does
# not do so at all, this throws an error.
proc ::pith::save_shot {top file} {
    set shot [image create photo]
    try {
        raise $top
        for {set tries 40} {1} {incr tries -1} {
            update
            winfo pointerxy $top ;# waits for the server, which reports uncovered areas; the next line draws them
            update
            if {![::pithtk::covered $top]} {
                break
            } elseif {!$tries} {
                error "another window covers this one; move it away"
            }
            after 50
        }
        ::pithtk::grab $top $shot
        ::pith::files::write $file [$shot data -format png] binary
    } on error {text} {
        throw {PITH IO} "shot $file: [::pith::write_error $file $text]"
    } finally {
        image delete $shot
    }
}

# Returns a text that says why a file could not be written. TEXT: Tcl's error message.
proc ::pith::write_error {file text} {
    set folder [file dirname $file]
    if {![file isdirectory $folder]} {
        return "cannot write: the folder $folder does not exist; make it first"
    }
    return [string map [list $file.part $file] $text]
}

# Saves the views of all windows, and exits.
proc ::pith::quit {} {
    foreach window [info class instances ::pith::Window] {
        catch {[$window part ViewState] save}
    }
    exit 0
}

proc ::pith::end_with_last_window {} {
    if {[info class instances ::pith::Window] eq {} && [info class instances ::pith::Anim] eq {}} {
        exit 0
    }
}
