# words.tcl - the words of scripts: `pith view LOG -e 'zoom 1.2 1.4; shot x.png; quit'`. A script runs in a namespace
# of its window, where these are commands; keys and buttons use the same words.
#
# A row: word, arguments for help, what it does, the method of the window that does it.

namespace eval ::pith::words {
    variable table {
        zoom   {FROM TO}     {show this stretch of time (1.5, 20ms, 300us)}          word_zoom
        work   {}            {show the part between MPI_Init and MPI_Finalize}        word_work
        fit    {}            {show all}                                               word_fit
        in     {?FACTOR?}    {zoom in about the middle, by 2 if not said}             word_in
        out    {?FACTOR?}    {zoom out}                                               word_out
        pan    {PART}        {move by a part of the window: 0.5 right, -0.5 left}     word_pan
        undo   {}            {back to the window before}                              word_undo
        redo   {}            {and forth again}                                        word_redo
        window {}            {from and to in seconds}                                 word_window
        select {FROM TO | none} {select a stretch of time}                            word_select
        selected {}          {its from and to in seconds; nothing if there is none}   word_selected
        rows   {?LIST?}      {show only these ranks (0-3,7.1); without LIST all}      word_rows
        height {?PIXELS?}    {of a row}                                               word_height
        top    {ROW}         {scroll this row to the top}                             word_top
        hide   {NAME}        {states and events whose name matches}                   word_hide
        show   {NAME}        {them again}                                             word_show
        arrows {on|off}      {messages}                                               word_arrows
        at     {TIME ROW ?LEVEL?} {what is there, as a list of words and values}      word_at
        legend {}            {lists of name, count, inclusive and exclusive seconds}  word_legend
        status {}            {the line at the foot}                                   word_status
        shot   {FILE.png}    {a picture of the window}                                word_shot
        canvas {}            {Tk's name of the time lines' canvas, for event generate} word_canvas
        sync   {}            {wait until everything is drawn}                         word_sync
        anim   {}            {the animation of this log}                              word_anim
        open   {LOG}         {another window}                                         word_open
        close  {}            {this window; the program ends with the last}            word_close
        quit   {}            {end}                                                    word_quit
        help   {?WORD?}      {print these words; with WORD what it does}              word_help
    }
}

# Makes words of a table commands in the namespace of a window: methods of an object, the window or a part of it.
proc ::pith::words::install {object namespace table} {
    namespace eval $namespace {}
    foreach {word arguments help method} $table {
        interp alias {} ${namespace}::$word {} $object $method
    }
}

# The window's words and those of the parts, in groups: a dict of rows.
proc ::pith::words::groups {} {
    variable table
    set groups [dict create General $table]
    foreach class [::pith::part::classes] {
        if {[::pith::part::words $class] ne {}} {
            dict lappend groups [::pith::part::group $class] {*}[::pith::part::words $class]
        }
    }
    return $groups
}

proc ::pith::words::help {groups} {
    set text {}
    dict for {group rows} $groups {
        append text "$group\n"
        foreach {word arguments help method} $rows {
            append text [format "  %-28s %s\n" "$word $arguments" $help]
        }
    }
    return $text
}

proc ::pith::words::help_on {sought} {
    variable table
    foreach {word arguments help method} [::pith::part::rows words $table] {
        if {$word eq $sought} {
            return "$word $arguments - $help"
        }
    }
    return -code error -errorcode {PITH USAGE} "there is no word $sought"
}

# "1.5" or "20ms" as nanoseconds.
proc ::pith::words::time {word} {
    return [::pithtk::parse $word]
}

proc ::pith::words::seconds {ns} {
    return [format %.9f [expr {$ns / 1e9}]]
}
