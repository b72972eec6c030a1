# keys.tcl - the keys of a window: one table, from which the bindings and the help are made.
#
# A row: events, how help shows them, what they do, the script (words of words.tcl and methods of the window).

namespace eval ::pith::keys {
    variable table {
        {plus equal KP_Add w}      {+  w}        {zoom in}                    {in}
        {minus KP_Subtract s}      {-  s}        {zoom out}                   {out}
        {f Home}                   {f  Home}     {show all}                   {fit}
        {i}                        {i}           {from the end of MPI_Init to MPI_Finalize} {work}
        {Left a}                   {Left  a}     {move left}                  {pan -0.25}
        {Right d}                  {Right  d}    {move right}                 {pan 0.25}
        {Shift-Left}               {Shift-Left}  {a whole window left}        {pan -1}
        {Shift-Right}              {Shift-Right} {a whole window right}       {pan 1}
        {Up}                       {Up}          {rows up}                    {scroll -1}
        {Down}                     {Down}        {rows down}                  {scroll 1}
        {Prior}                    {Page Up}     {a page of rows up}          {page -1}
        {Next}                     {Page Down}   {a page of rows down}        {page 1}
        {bracketleft}              {[}           {lower rows}                 {taller 0.8}
        {bracketright}             {]}           {higher rows}                {taller 1.25}
        {m}                        {m}           {messages on and off}        {toggle_arrows}
        {z Return}                 {z  Return}   {zoom to the selection; if there is none, to the state under the pointer} {zoom_chosen}
        {h}                        {h}           {hide the state under the pointer} {hide_pointed}
        {H}                        {Shift-h}     {show everything hidden}     {show *}
        {u BackSpace Control-z}    {u  Ctrl-z}   {back to the window before}  {undo}
        {r Control-y}              {r  Ctrl-y}   {and forth again}            {redo}
        {Escape}                   {Esc}         {close the card of details; select nothing} {escape}
        {Control-o}                {Ctrl-o}      {open another log}           {choose_log}
        {Control-s}                {Ctrl-s}      {save a picture}             {choose_picture}
        {Control-w}                {Ctrl-w}      {close this window}          {close}
        {Control-q q}              {Ctrl-q  q}   {quit}                       {quit}
        {question F1}              {?  F1}       {these keys}                 {show_keys}
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
        {Alt-wheel}                {lower and higher rows}
        {Drag of a label}          {rows to another place; of the column's edge: its width}
        {Third button on a label}  {what can be done with rows}
    }
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

# The dialog.
proc ::pith::keys::show {top keys rows} {
    set dialog $top.keys
    if {[winfo exists $dialog]} {
        destroy $dialog
        return
    }
    toplevel $dialog -background [::pith::theme::colour paper] -padx 18 -pady 14
    wm title $dialog "Pith: keys"
    wm transient $dialog $top
    set line 0
    if {$rows ne {}} {
        lappend rows {} {}
    }
    foreach {events shown help script} $keys {
        lappend rows $shown $help
    }
    foreach {shown help} $rows {
        ttk::label $dialog.k$line -text $shown -style CardBold.TLabel
        ttk::label $dialog.h$line -text $help -style Card.TLabel
        grid $dialog.k$line $dialog.h$line -sticky w -padx {0 18} -pady 1
        incr line
    }
    bind $dialog <Key> {if {[string length %A]} {destroy [winfo toplevel %W]}}
    bind $dialog <Button-1> {destroy [winfo toplevel %W]}
    after idle [list catch [list focus $dialog]]
}
