# keys.tcl - the keys of a window: one table, from which the bindings, the help and the page pith-view(1) are made.
#
# A row: events, how help shows them, what they do, the script (words of words.tcl and methods of the window). Rows stand
# in groups, named like the menus; those of a part go to the group of its first menu (part.tcl).

namespace eval ::pith::keys {
    variable own {
        View {
            {plus equal KP_Add w}      {+  w}        {zoom in}                    {in}
            {minus KP_Subtract s}      {-  s}        {zoom out}                   {out}
            {f Home}                   {f  Home}     {show all}                   {fit}
            {i}                        {i}           {from MPI_Init to MPI_Finalize} {work}
            {Left a}                   {Left  a}     {move left}                  {pan -0.25}
            {Right d}                  {Right  d}    {move right}                 {pan 0.25}
            {Shift-Left}               {Shift-Left}  {a whole window left}        {pan -1}
            {Shift-Right}              {Shift-Right} {a whole window right}       {pan 1}
            {z Return}                 {z  Return}   {zoom to the selection, or the state pointed at} {zoom_chosen}
            {u BackSpace Control-z}    {u  Ctrl-z}   {back to the window before}  {undo}
            {r Control-y}              {r  Ctrl-y}   {and forth again}            {redo}
            {m}                        {m}           {messages on and off}        {toggle_arrows}
            {h}                        {h}           {hide the state pointed at}  {hide_pointed}
            {H}                        {Shift-h}     {show everything hidden}     {show *}
            {Escape}                   {Esc}         {close the card; select nothing} {escape}
        }
        Rows {
            {Up}                       {Up}          {rows up}                    {scroll -1}
            {Down}                     {Down}        {rows down}                  {scroll 1}
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
            {Control-q q}              {Ctrl-q  q}   {quit}                       {quit}
        }
        Window {
            {question F1}              {?  F1}       {these keys}                 {show_keys}
        }
    }
    variable pointing {
        {Wheel}                    {rows up and down; when all are seen, zoom about the pointer}
        {Ctrl-wheel}               {zoom about the pointer}
        {Shift-wheel}              {move left and right}
        {Drag}                     {select a stretch of time; its edges can be dragged}
        {Ctrl-drag}                {zoom to what is dragged over}
        {Shift-drag, middle drag}  {move time and rows}
        {Click}                    {a card of details}
        {Double click}             {zoom to the state, or to the selection}
        {Double click on a colour} {another colour}
        {Space, Return in the legend} {show or hide what is selected; another colour}
        {Alt-wheel}                {lower and higher rows}
        {Drag of a label}          {rows to another place; of the column's edge: its width}
        {Third button on a label}  {what can be done with rows}
    }
}

# All groups with the rows of the parts: a dict.
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

# What a key does: COMMAND SCRIPT.
proc ::pith::keys::install {top command rows} {
    foreach {events shown help script} $rows {
        foreach event $events {
            # Shift-Left -> <Shift-Key-Left>
            set key [lassign [lreverse [split $event -]] name]
            set pattern [join [list {*}$key Key $name] -]
            bind $top <$pattern> [list ::pith::keys::run $top %W $command $script]
        }
    }
}

# Bindings of a toplevel are called for its dialogs' widgets and entries too: those keep their keys.
proc ::pith::keys::run {top widget command script} {
    if {[winfo toplevel $widget] eq $top && [winfo class $widget] ni {TEntry Entry}} {
        {*}$command $script
    }
}

# ---- The dialog

# `groups`: a dict of rows as in the tables; `pointing`: words and what they do.
proc ::pith::keys::show {top groups pointing} {
    set dialog $top.keys
    if {[winfo exists $dialog]} {
        destroy $dialog
        return
    }
    toplevel $dialog -background [::pith::theme::colour paper] -padx 18 -pady 14
    wm title $dialog "Pith: keys"
    wm transient $dialog $top
    set texts [dict map {group rows} $groups {concat {*}[lmap {events shown help script} $rows {list $shown $help}]}]
    if {$pointing ne {}} {
        dict set texts Mouse $pointing
    }
    fill $dialog $texts
    ::pith::theme::put_over $dialog $top
    bind $dialog <Key> {if {[string length %A]} {destroy [winfo toplevel %W]}}
    bind $dialog <Button-1> {destroy [winfo toplevel %W]}
    after idle [list catch [list focus $dialog]]
}

# Groups below each other, in columns of about 30 lines.
proc ::pith::keys::fill {dialog texts} {
    set total 0
    dict for {group lines} $texts {
        incr total [expr {[llength $lines] / 2 + 2}]
    }
    set columns [expr {max(1, min(4, int(ceil($total / 30.0))))}]
    set each [expr {$total / double($columns)}]
    set done 0
    dict for {group lines} $texts {
        if {$lines eq {}} continue
        set column [expr {min($columns - 1, int(($done + [llength $lines] / 4.0) / $each))}]
        incr done [expr {[llength $lines] / 2 + 2}]
        if {![winfo exists $dialog.c$column]} {
            pack [frame $dialog.c$column -background [::pith::theme::colour paper]] -side left -anchor n -padx {0 18}
        }
        pack [group $dialog.c$column.g[string tolower $group] $group $lines] -anchor w -pady {0 10} -fill x
    }
}

proc ::pith::keys::group {frame title lines} {
    frame $frame -background [::pith::theme::colour paper]
    ttk::label $frame.title -text $title -style CardFaint.TLabel
    grid $frame.title -columnspan 2 -sticky w -pady {0 2}
    set line 0
    foreach {shown help} $lines {
        ttk::label $frame.k$line -text $shown -style CardBold.TLabel
        ttk::label $frame.h$line -text $help -style Card.TLabel -wraplength 270
        grid $frame.k$line $frame.h$line -sticky nw -padx {0 12}
        incr line
    }
    return $frame
}
