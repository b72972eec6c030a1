# commands.tcl - the tables of script commands, keys, menus and buttons of a window. The parts of a window (see below)
# add rows to these tables, so this file is sourced before theirs.

# Parts of a window: dialogs, panes and other features of which window.tcl itself knows nothing. A part is a class in a
# file of its own. At its end, the file declares the part's commands (`words`), keys, menu entries and buttons:
#
#     ::pith::part::add Histogram {
#         words {lengths {?NAME?} {how long states last, as a histogram} word_lengths}    rows as in commands.tcl
#         keys  {{l} {l} {how long states last} {lengths}}                                rows as in commands.tcl
#         menus {Statistics {"State lengths..." lengths l}}                               text, script, key
#         buttons {lengths "Lengths" lengths {how long states last}}                      name, text, script, help
#         group Statistics                     group of its keys and words in the help; default: its first menu
#     }
#
# Each window makes one object of the class, by `::pith::Histogram new $window`. The methods of this object run the
# `words`. The object gets what it needs from the window: `$window model`, `$window timeline`, `$window top`, `$window
# part Histogram`. It may have these methods, too. The command `sync` calls `flush`, which finishes pending drawing. The
# window calls `finish` after the first picture, before any command or key; it makes widgets that this picture does not
# need, such as closed bars and menus. `state` returns a text that is saved with the view, and `restore` gets this text
# when the log is opened again (view_state.tcl).
namespace eval ::pith::part {
    variable all {} ;# class -> dict of words, keys, menus, buttons
}

proc ::pith::part::add {class brings} {
    variable all
    dict set all $class [dict merge {words {} keys {} menus {} buttons {}} $brings]
}

proc ::pith::part::classes {} {
    variable all
    return [dict keys $all]
}

# All table rows of a KIND (words, keys, menus or buttons): OWN, the rows of the window itself, then the rows of all
# parts.
proc ::pith::part::rows {kind own} {
    variable all
    dict for {class brings} $all {
        lappend own {*}[dict get $brings $kind]
    }
    return $own
}

# The table rows of a part's script commands.
proc ::pith::part::words {class} {
    variable all
    return [dict get $all $class words]
}

proc ::pith::part::keys {class} {
    variable all
    return [dict get $all $class keys]
}

# The group in which the help lists the keys and words of a part: by default the first menu that has entries of the
# part.
proc ::pith::part::group {class} {
    variable all
    set menus [dict get $all $class menus]
    return [expr {[dict exists $all $class group] ? [dict get $all $class group] :
        $menus eq {} ? "View" : [lindex $menus 0]}]
}

# Script commands: `pith view LOG -e 'zoom 1.2 1.4; shot x.png; quit'`. A script runs in a namespace
# of its window that has these commands; keys and buttons use them too.
#
# The script commands of the window itself. Columns: command, its arguments, help, method of the window.
namespace eval ::pith::words {
    variable table {
        zoom   {FROM TO}     {show this interval (1.5, 20ms, 1:02:33, init+1s, end)} word_zoom
        work   {}            {show the part between MPI_Init and MPI_Finalize}        word_work
        fit    {}            {show the whole log}                                     word_fit
        in     {?FACTOR?}    {zoom in at the middle, by a factor of 2 by default}     word_in
        out    {?FACTOR?}    {zoom out}                                               word_out
        pan    {PART}        {move by a fraction of the window: 0.5 right, -0.5 left} word_pan
        undo   {}            {undo the last zoom, or the last change of rows, filters, hidden states or messages} word_undo
        redo   {}            {redo what undo has undone}                              word_redo
        window {}            {start and end of the time shown, in seconds}            word_window
        select {FROM TO | none} {select an interval, in words as for zoom}                          word_select
        selected {}          {start and end of the selection, in seconds; {} none}    word_selected
        rows   {?LIST?}      {show only these ranks (0-3,7.1); without LIST all}      word_rows
        height {?PIXELS?}    {get or set the row height; 0: rows fill the window}                              word_height
        top    {ROW}         {scroll this row to the top}                             word_top
        hide   {NAME}        {hide states and events whose name matches}              word_hide
        show   {NAME}        {show hidden states and events whose name matches}      word_show
        arrows {on|off|auto} {show or hide messages; auto: hide them if even bundles would cover more than a tenth of the picture} word_arrows
        names  {on|off}      {show or hide names in bars, and scales of counters}        word_names
        at     {TIME ROW ?LEVEL?} {details of the state there, as a list of names and values} word_at
        legend {}            {lists of name, count, total and self seconds}  word_legend
        status {}            {text of the status line}                                word_status
        shot   {FILE.png}    {save a picture of the window}                           word_shot
        canvas {}            {Tk path of the canvas of the timelines, for event generate} word_canvas
        sync   {}            {wait until everything is drawn}                         word_sync
        anim   {}            {open the animation of this log}                         word_anim
        view   {LOG}         {open a log in a new window}                             word_view
        close  {}            {close this window; the last one ends the program}       word_close
        quit   {}            {quit}                                                   word_quit
        help   {?WORD?}      {list these commands, or explain one}                    word_help
    }
}

# Makes each command of a table available to scripts, in the namespace of a window. The command calls a method of
# OBJECT.
proc ::pith::words::install {object namespace table} {
    namespace eval $namespace {}
    foreach {word arguments help method} $table {
        interp alias {} ${namespace}::$word {} $object $method
    }
}

# The script commands of the window and of its parts: a dict from the name of a group to the table rows of its commands.
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
    throw {PITH USAGE} "no such command: $sought[nearest $sought]"
}

# A hint such as "; did you mean zoom?", or {} if no command is similar.
proc ::pith::words::nearest {word} {
    variable table
    return [::pithtk::nearest $word [lmap {known arguments help method} [::pith::part::rows words $table] {set known}]]
}

# Rewrites Tcl's error message for users who do not know Tcl. OTHERWISE: the advice that follows the name of an unknown
# command, if no known command is similar.
proc ::pith::words::error_text {text otherwise} {
    if {[regexp {^invalid command name "(.*)"} $text -> word]} {
        set hint [nearest $word]
        return "no such command: $word[expr {$hint ne {} ? $hint : $otherwise}]"
    }
    if {[regexp {^wrong # args: should be "(.*)"} $text -> usage]} {
        return "usage: $usage"
    }
    return $text
}

# Converts a text such as "1.5" or "20ms" to nanoseconds.
proc ::pith::words::time {word} {
    return [::pithtk::parse $word]
}

proc ::pith::words::seconds {ns} {
    return [format %.9f [expr {$ns / 1e9}]]
}

# The keys of a window. The bindings, the help and the page pith-view(1) are all made from this table.
#
# Columns: events, name in the help, help, script (commands of commands.tcl and methods of the window). The groups
# have the names of menus; the keys of a part go to the group of its first menu (commands.tcl).
namespace eval ::pith::keys {
    variable own {
        View {
            {plus equal KP_Add w}      {+  w}        {zoom in}                    {in}
            {minus KP_Subtract s}      {-  s}        {zoom out}                   {out}
            {f Home}                   {f  Home}     {show all}                   {fit}
            {i}                        {i}           {from MPI_Init to MPI_Finalize} {work}
            {Left a}                   {Left  a}     {move left}                  {pan -0.25}
            {Right d}                  {Right  d}    {move right}                 {pan 0.25}
            {Shift-Left}               {Shift-Left}  {one window to the left}        {pan -1}
            {Shift-Right}              {Shift-Right} {one window to the right}       {pan 1}
            {z Return}                 {z  Return}   {zoom to the selection, else to the state under the pointer} {zoom_chosen}
            {u BackSpace Control-z}    {u  Ctrl-z}   {undo the last zoom, or the last change of rows, filters, hidden states or messages} {undo}
            {r Control-y Control-Z}    {r  Ctrl-y}   {redo what u has undone}     {redo}
            {m}                        {m}           {show or hide messages}      {toggle_arrows}
            {h}                        {h}           {hide or show the state under the pointer}  {hide_pointed}
            {H}                        {Shift-h}     {show all hidden states}     {show *}
            {Escape}                   {Esc}         {close the card, else clear the selection} {escape}
        }
        Rows {
            {Up}                       {Up}          {scroll rows up}             {scroll -1}
            {Down}                     {Down}        {scroll rows down}           {scroll 1}
            {Prior}                    {Page Up}     {a page of rows up}          {page -1}
            {Next}                     {Page Down}   {a page of rows down}        {page 1}
            {bracketleft}              {[}           {lower rows}                 {taller 0.8}
            {bracketright}             {]}           {higher rows}                {taller 1.25}
        }
        Search {}
        Statistics {}
        Log {
            {Control-o}                {Ctrl-o}      {open another log}           {choose_log}
            {Control-s}                {Ctrl-s}      {save a picture}             {choose_picture}
            {Control-w}                {Ctrl-w}      {close this window}          {close}
            {Control-q q}              {Ctrl-q  q}   {quit the program}                       {quit}
        }
        Window {
            {question F1}              {?  F1}       {show the usual keys; again: all} {show_keys}
        }
    }
    # The scripts whose keys the dialog of keys shows at first, because a newcomer needs them. The dialog also shows
    # mouse actions, and has a button that shows all other keys.
    variable common {
        in out fit work {pan -0.25} {pan 0.25} zoom_chosen undo toggle_arrows
        {waits toggle} {critical_path toggle} {findings toggle} find command
    }
    variable common_pointing {Ctrl-wheel Drag Click}
    variable pointing {
        {Wheel}                    {scroll rows; if all rows are visible, zoom at the pointer}
        {Ctrl-wheel}               {zoom at the pointer}
        {Shift-wheel}              {move left and right}
        {Pinch on a touchpad}      {zoom at the pointer}
        {Drag}                     {select an interval; its edges can be dragged}
        {Ctrl-drag}                {zoom to the dragged interval}
        {Shift-drag, middle drag}  {move through time and rows}
        {Click}                    {choose a record and show its details}
        {Double click}             {zoom to the state, or to the selection}
        {Double click on a colour} {change the colour}
        {Space, Return in the legend} {show or hide the selected entries; change their colour}
        {Alt-wheel}                {change the row height}
        {Drag of a label}          {move rows; a drag of the edge of the column sets its width}
        {Right button on a label}  {menu of actions on rows}
    }
}

# The keys of the window and of its parts: a dict from the name of a group to the table rows of its keys.
proc ::pith::keys::groups {} {
    variable own
    set groups $own
    foreach class [::pith::part::classes] {
        dict lappend groups [::pith::part::group $class] {*}[::pith::part::keys $class]
    }
    return $groups
}

proc ::pith::keys::rows {} {
    return [concat {*}[dict values [groups]]]
}

# Binds keys in a window. ROWS: rows as in the table of keys. Each key calls COMMAND with the key's script.
proc ::pith::keys::install {top command rows} {
    foreach {events shown help script} $rows {
        foreach event $events {
            # Shift-Left -> <Shift-Key-Left>
            set key [lassign [lreverse [split $event -]] name]
            set pattern [join [list {*}$key Key $name] -]
            set held [expr {("Control" in $key ? 4 : 0) | ("Alt" in $key ? 8 : 0)}]
            bind $top <$pattern> [list ::pith::keys::run $top %W %s $held <$pattern> $command $script]
        }
    }
}

# Runs the script of a key, unless the key press is meant for something else. Tk runs a binding of the window in two
# other cases, too. First, the focus may be in an entry or in a dialog of the window, which need the key themselves.
# Second, more modifiers may be held than the binding names: Alt-s opens a menu and must not run the script of the key
# s. HELD: the bits of Control (4), Alt (8) and Super (64) that must be set; of these three, no other may be set. All
# other bits, such as NumLock and AltGr, may have any value.
proc ::pith::keys::run {top widget state held pattern command script} {
    if {($state & 76) == $held && [winfo toplevel $widget] eq $top && ![has_key $widget $pattern]} {
        {*}$command $script
    }
}

# Returns 1 if a widget needs this key itself. Entries need all keys, buttons need Space, and tables need the arrow
# keys.
proc ::pith::keys::has_key {widget pattern} {
    set class [winfo class $widget]
    return [expr {$class in {TEntry Entry TCombobox TSpinbox TScale} ||
        $class eq "Text" && [$widget cget -state] eq "normal" ||
        $class ne "Canvas" && [bind $class $pattern] ne {}}]
}

# ---- The dialog

# Shows the keys in a dialog. The first call shows only the most usual keys. A second call, or the button below the
# keys, shows all keys; a third call closes the dialog. GROUPS: a dict from the name of a group to rows as in the tables
# of keys. POINTING: mouse actions and their help; {} for a window with only a few keys, all of which the first call
# shows.
proc ::pith::keys::show {top groups pointing} {
    set dialog $top.keys
    set all [expr {[winfo exists $dialog] || $pointing eq {}}]
    if {[winfo exists $dialog]} {
        set is_last [expr {![winfo exists $dialog.all]}]
        destroy $dialog
        if {$is_last} {
            return
        }
    }
    toplevel $dialog -background [::pith::theme::colour paper]
    wm title $dialog "Pith: keys"
    wm transient $dialog $top
    set inside [::pith::theme::build_scrolled $dialog [::pith::theme::colour paper]]
    $inside configure -padx 18 -pady 14
    if {$all} {
        set texts [dict map {group rows} $groups {
            concat {*}[lmap {events shown help script} $rows {list $shown $help}]
        }]
        if {$pointing ne {}} {
            dict set texts Mouse $pointing
        }
        fill $inside $texts
    } else {
        pack [group $inside.first {} [common_texts $groups $pointing]] -anchor w
        ttk::button $dialog.all -text "All keys" -command [list ::pith::keys::show $top $groups $pointing]
        pack $dialog.all -side bottom -anchor w -padx 18 -pady {0 12}
    }
    ::pith::theme::fit_scrolled $dialog 0
    pack $dialog.view -fill both -expand 1
    ::pith::theme::put_over $dialog $top
    # These bindings destroy the dialog. `break` keeps Tk from then running further bindings, such as that of Tab, which
    # would move the focus in a dialog that is gone.
    bind $dialog <Key> {if {[string length %A]} {destroy [winfo toplevel %W]; break}}
    bind $dialog <question> "[list ::pith::keys::show $top $groups $pointing]; break"
    bind $dialog <Button-1> {
        if {[winfo class %W] ni {TScrollbar TButton}} {
            destroy [winfo toplevel %W]
            break
        }
    }
    foreach {key by} {Up {-2 units} Down {2 units} Prior {-1 pages} Next {1 pages}} {
        bind $dialog <$key> [list $dialog.view yview scroll {*}$by]
    }
    after idle [list catch [list focus $dialog]]
}

proc ::pith::keys::common_texts {groups pointing} {
    variable common
    variable common_pointing
    set texts {}
    foreach {events shown help script} [concat {*}[dict values $groups]] {
        if {$script in $common} {
            lappend texts $shown $help
        }
    }
    foreach action $common_pointing {
        lappend texts $action [dict get $pointing $action]
    }
    return $texts
}

# Shows the groups of keys one below the other, in columns of about 30 lines, but in no more columns than fit on the
# screen.
proc ::pith::keys::fill {frame texts} {
    set total 0
    dict for {group lines} $texts {
        incr total [expr {[llength $lines] / 2 + 2}]
    }
    set fitting [expr {([winfo screenwidth $frame] - [::pith::theme::px 60]) / [::pith::theme::px 390]}]
    set columns [expr {max(1, min(4, $fitting, int(ceil($total / 30.0))))}]
    set each [expr {$total / double($columns)}]
    set done 0
    dict for {group lines} $texts {
        if {$lines eq {}} continue
        set column [expr {min($columns - 1, int(($done + [llength $lines] / 4.0) / $each))}]
        incr done [expr {[llength $lines] / 2 + 2}]
        if {![winfo exists $frame.c$column]} {
            pack [frame $frame.c$column -background [::pith::theme::colour paper]] -side left -anchor n -padx {0 18}
        }
        pack [group $frame.c$column.g[string tolower $group] $group $lines] -anchor w -pady {0 10} -fill x
    }
}

proc ::pith::keys::group {frame title lines} {
    frame $frame -background [::pith::theme::colour paper]
    if {$title ne {}} {
        ttk::label $frame.title -text $title -style CardFaint.TLabel
        grid $frame.title -columnspan 2 -sticky w -pady {0 2}
    }
    set line 0
    foreach {shown help} $lines {
        ttk::label $frame.k$line -text $shown -style CardBold.TLabel
        ttk::label $frame.h$line -text $help -style Card.TLabel -wraplength [::pith::theme::px 250]
        grid $frame.k$line $frame.h$line -sticky nw -padx {0 12}
        incr line
    }
    return $frame
}

# The menu bar and the toolbar of a window. They have entries of the window itself, given here, and entries of its
# parts, given by ::pith::part::add.
#
# A menu is a list of text, script and key in turn. Its entries are those of `head`, then those of the parts, then those
# of `tail`. Afterwards, `order` brings them into the order of the menu.
namespace eval ::pith::menus {
    # The scripts of each menu in the order of use, at most 12 entries; "-" is a separator, "> NAME" a menu inside the
    # menu. An entry that is not here comes last.
    variable order {
        Log {choose_log recent reload - choose_picture choose_clip - choose_beside {beside none} - close quit}
        View {fit work {> Zoom} undo redo - toggle_arrows {waits toggle} {critical_path toggle} {iterations toggle} -
              {pane panel} {> Show} {> Colours}}
        Rows {filter_rows {> Sort} {> Group} expand collapse - unfold_chosen unfold_rows fold_rows - pin_chosen hide_chosen
              show_rows {> Arrange}}
        Search {find next prev {command {goto }} {> Step} jump cause - details copy - bookmark bookmark_list note_here}
        Statistics {{findings toggle} matrix lengths {lengths sizes} late stack calltree sql - {ranges toggle} derive - find_in_legend}
        Window {command commands preferences - anim}
        Help {show_keys}
    }
    variable inside {
        Zoom {in out zoom_chosen {select none}}
        Show {toggle_names {core_waits toggle} choose_messages {show *} - {time_of_day toggle} {pane overview} {pane toolbar}}
        Colours {toggle_theme - {palette log} {palette classic} {palette safe}}
        Sort {{sort rank} {sort name} {sort mpi} {sort waiting} {sort caused} {sort messages} {sort bytes}}
        Group {{group host} {group comm} {group alike} {group none}}
        Arrange {cut_rows paste_rows unpin}
        Step {{same next} {same prev} {state next} {state prev} {row next} {row prev} parent {message next} {message prev}}
    }
    # Help on scripts in menus that have no help of their own, because they are neither script commands nor bound to
    # keys.
    variable helps {
        toggle_names {show or hide names in bars, and scales of counters}
    }
    variable head {
        Log {"Open..." choose_log Ctrl-O  "Open recent" recent {}  "Save picture..." choose_picture Ctrl-S}
        View {"Show all" fit f  "From MPI_Init to MPI_Finalize" work i  "Zoom in" in +  "Zoom out" out -
              "Zoom to the selection" zoom_chosen z  "Clear the selection" {select none} Esc  "Undo" undo u  "Redo" redo r
              "Messages" toggle_arrows m  "Names in bars" toggle_names {}  "Show all hidden states" {show *} H}
        Rows {}
        Search {}
        Statistics {}
        Window {"Animation" anim {}}
        Help {"Keys" show_keys ?}
    }
    variable tail {
        Log {"Close" close Ctrl-W  "Quit" quit Ctrl-Q}
    }
    variable buttons {
        fit "Fit" fit {show the whole log}
        in "+" in {zoom in}
        out "\u2212" out {zoom out}
        left "\u25c0" {pan -0.5} {move left}
        right "\u25b6" {pan 0.5} {move right}
        line1 - {} {}
        undo "Back" undo {previous view}
        redo "Forward" redo {next view}
        line2 - {} {}
        work "Init\u2013Finalize" work {show the time from MPI_Init to MPI_Finalize}
        arrows "Messages" toggle_arrows {show or hide messages}
    }
    variable last_buttons {keys "?" show_keys {show the keys}}
    variable tip_timer {}
}

proc ::pith::menus::rows {} {
    variable head
    variable tail
    return [list {*}$head {*}[::pith::part::rows menus {}] {*}$tail]
}

# Makes the menu bar with empty menus. `fill` fills them later, because they are not needed before the first picture.
proc ::pith::menus::build_bar {top} {
    set bar [menu $top.menu -tearoff 0]
    set labels {}
    foreach {label entries} [rows] {
        if {$label ni $labels} {
            lappend labels $label
            $bar add cascade -label $label -underline 0 -menu $bar.[string tolower $label]
        }
    }
    $top configure -menu $bar
}

# Fills the menus. An entry calls OBJECT's method `act`. The menu of recent logs is filled by OBJECT's method
# `fill_recent`.
proc ::pith::menus::fill {top object} {
    variable order
    variable inside
    set by_script {}
    set late {}
    foreach {label entries} [rows] {
        foreach {text script key} $entries {
            dict set by_script $script [list $text $script $key]
            if {$text ne "-" && $script ni [concat {*}[dict values $order] {*}[dict values $inside]]} {
                dict lappend late $label $script
            }
        }
    }
    dict for {label scripts} $order {
        if {[dict exists $late $label]} {
            lappend scripts {*}[dict get $late $label]
        }
        fill_one $top.menu.[string tolower $label] $scripts $by_script $object
    }
    # These bindings are made only once, because they apply to the menus of all windows.
    if {![string match *menus::chosen* [bind Menu <<MenuSelect>>]]} {
        bind Menu <<MenuSelect>> {+::pith::menus::chosen %W}
        bind Menu <Unmap> {+::pith::menus::hide_tip}
    }
}

proc ::pith::menus::fill_one {menu scripts by_script object} {
    variable inside
    if {![winfo exists $menu]} {
        menu $menu -tearoff 0
    }
    foreach script $scripts {
        if {[lindex $script 0] eq ">"} {
            set name [lindex $script 1]
            $menu add cascade -label $name -menu $menu.[string tolower $name]
            fill_one $menu.[string tolower $name] [dict get $inside $name] $by_script $object
        } elseif {$script eq "-"} {
            $menu add separator
        } else {
            add $menu {*}[dict get $by_script $script] $object
        }
    }
}

# Returns help on the script of a menu entry or button, followed by its key, such as "Show the whole log (f)"; {} if
# there is no help.
proc ::pith::menus::help_of {script} {
    variable helps
    variable buttons
    variable last_buttons
    set text {}
    set shown {}
    foreach {name label its_script help} [list {*}$buttons {*}[::pith::part::rows buttons {}] {*}$last_buttons] {
        if {$its_script eq $script} {
            set text $help
        }
    }
    foreach {events key help its_script} [::pith::keys::rows] {
        if {$its_script eq $script} {
            set shown " ([regsub { .*} $key {}])"
            if {$text eq {}} {
                set text $help
            }
        }
    }
    if {$text eq {} && [dict exists $helps $script]} {
        set text [dict get $helps $script]
    }
    if {$text eq {}} {
        foreach {word takes help method} [::pith::part::rows words $::pith::words::table] {
            if {$word eq [lindex $script 0]} {
                set text $help
            }
        }
    }
    return [expr {$text eq {} ? {} : "[string toupper $text 0 0]$shown"}]
}

# Called when the pointer or a key has moved to another entry of a menu. If the entry stays chosen for a while, its
# tooltip appears.
proc ::pith::menus::chosen {menu} {
    variable tip_timer
    hide_tip
    if {[winfo exists $menu] && [$menu index active] ni {none {}} && [$menu type active] in {command checkbutton}} {
        set tip_timer [after 500 [list ::pith::menus::show_tip $menu [$menu index active]]]
    }
}

proc ::pith::menus::hide_tip {} {
    variable tip_timer
    after cancel $tip_timer
    destroy .menutip
}

# Shows the tooltip of a menu's entry, as a toplevel beside the menu. The class ::pith::Tip cannot show it: its tooltip
# is part of the window, and so lies below an open menu, which also takes all pointer events.
proc ::pith::menus::show_tip {menu index} {
    if {![winfo exists $menu] || ![winfo ismapped $menu] || [$menu index active] ne $index} {
        return
    }
    set text [help_of [lindex [$menu entrycget $index -command] end]]
    if {$text eq {}} {
        return
    }
    toplevel .menutip -background [::pith::theme::colour edge]
    wm overrideredirect .menutip 1
    pack [ttk::label .menutip.text -text $text -style Card.TLabel -padding {6 3} -wraplength [::pith::theme::px 360]] \
        -padx 1 -pady 1
    set x [expr {[winfo rootx $menu] + [winfo width $menu] + 2}]
    if {$x + [winfo reqwidth .menutip.text] + 4 > [winfo screenwidth $menu]} {
        set x [expr {max(0, [winfo rootx $menu] - [winfo reqwidth .menutip.text] - 4)}]
    }
    wm geometry .menutip +$x+[expr {[winfo rooty $menu] + [$menu yposition $index]}]
}

proc ::pith::menus::add {menu text script key object} {
    if {$script eq "recent"} {
        $menu add cascade -label $text \
            -menu [menu $menu.recent -tearoff 0 -postcommand [list $object fill_recent $menu.recent]]
    } elseif {[$object state_of $script] ne {}} {
        # The entry switches something on and off, or chooses one of several values. Its mark is set each time the menu
        # opens.
        variable switches
        set switches($menu,$script) [$object state_of $script]
        $menu add checkbutton -label $text -accelerator $key -command [list $object act $script] \
            -variable ::pith::menus::switches($menu,$script)
        $menu configure -postcommand [list ::pith::menus::update_switches $menu $object]
    } else {
        $menu add command -label $text -accelerator $key -command [list $object act $script]
    }
}

proc ::pith::menus::update_switches {menu object} {
    variable switches
    foreach name [array names switches $menu,*] {
        set switches($name) [$object state_of [string range $name [string length $menu,] end]]
    }
}

proc ::pith::menus::build_buttons {tools object} {
    variable buttons
    variable last_buttons
    foreach {name text script help} [list {*}$buttons {*}[::pith::part::rows buttons {}] {*}$last_buttons] {
        if {$text eq "-"} {
            ttk::separator $tools.$name -orient vertical
            pack_button $tools.$name
            continue
        }
        ttk::button $tools.$name -text [subst -nocommands -novariables $text] -style Toolbutton -takefocus 0 \
            -command [list $object act $script]
        ::pith::Tip new $tools.$name [list ::pith::menus::tip_of $script]
        pack_button $tools.$name
    }
    # The button that opens a menu of the buttons for which the toolbar has no room.
    ttk::menubutton $tools.more -text "\u00bb" -style Toolbutton -takefocus 0 -menu $tools.more.menu
    menu $tools.more.menu -tearoff 0 -postcommand [list ::pith::menus::fill_more $tools $object]
    ::pith::Tip new $tools.more [list ::pith::menus::tip_of more]
    foreach widget [list $tools $tools.window] {
        bind $widget <Configure> [list ::pith::menus::fit_buttons $tools]
    }
}

# The tooltip of a button. X, Y: the place of the pointer, which Tip passes and which is not used.
proc ::pith::menus::tip_of {script x y} {
    return [expr {$script eq "more" ? "More buttons" : [help_of $script]}]
}

# Marks the buttons of switches that are on.
proc ::pith::menus::mark_buttons {tools object} {
    variable buttons
    foreach {name text script help} [list {*}$buttons {*}[::pith::part::rows buttons {}]] {
        set on [$object state_of $script]
        if {$on ne {}} {
            $tools.$name state [expr {$on ? "selected" : "!selected"}]
        }
    }
}

proc ::pith::menus::pack_button {button} {
    if {[winfo class $button] eq "TSeparator"} {
        pack $button -side left -padx 5 -pady 2 -fill y
    } else {
        pack $button -side left -padx 1
    }
}

# The buttons of a toolbar, without the title and the button "more", which are at its right end.
proc ::pith::menus::buttons_of {tools} {
    return [lmap button [winfo children $tools] {
        expr {$button in [list $tools.window $tools.more] ? [continue] : $button}
    }]
}

# Packs the buttons for which the toolbar has room. If there is no room for all, packs the first ones and the last one,
# and the button "more" before the last one. The menu of "more" has the buttons that are left out.
proc ::pith::menus::fit_buttons {tools} {
    set buttons [buttons_of $tools]
    set room [expr {[winfo width $tools] - [winfo reqwidth $tools.window] - 20}]
    set fitting [fitting_into $room $buttons]
    if {[llength $fitting] < [llength $buttons]} {
        set fitting [fitting_into [expr {$room - [winfo reqwidth $tools.more] - 2}] $buttons]
        set fitting [linsert $fitting end-1 $tools.more]
    }
    if {$fitting ne [lsearch -all -inline -not -exact [pack slaves $tools] $tools.window]} {
        pack forget {*}$buttons $tools.more
        foreach button $fitting {
            pack_button $button
        }
    }
}

# Returns the buttons that fit into ROOM pixels: the last button always, and as many of the first buttons as also fit.
proc ::pith::menus::fitting_into {room buttons} {
    set last [lindex $buttons end]
    set fitting {}
    foreach button [list $last {*}[lrange $buttons 0 end-1]] {
        incr room -[expr {[winfo reqwidth $button] + ([winfo class $button] eq "TSeparator" ? 10 : 2)}]
        if {$room < 0} {
            break
        }
        lappend fitting $button
    }
    return [list {*}[lrange $fitting 1 end] $last]
}

# Fills the menu of the buttons that the toolbar leaves out. The entry of a switch has a mark that shows whether it is
# on.
proc ::pith::menus::fill_more {tools object} {
    variable more_on
    $tools.more.menu delete 0 end
    foreach button [buttons_of $tools] {
        if {[winfo class $button] eq "TSeparator" || $button in [pack slaves $tools]} continue
        set script [lindex [$button cget -command] end]
        set options [list -label [$button cget -text] -command [$button cget -command]]
        set on [$object state_of $script]
        if {$on eq {}} {
            $tools.more.menu add command {*}$options
        } else {
            set more_on($button) $on
            $tools.more.menu add checkbutton {*}$options -variable ::pith::menus::more_on($button)
        }
    }
}
