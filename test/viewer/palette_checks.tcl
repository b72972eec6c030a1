# palette_checks.tcl - the list of all commands (Ctrl-Shift-P); runs in a window of the log "plain".

source [file join [file dirname [info script]] window_tap.tcl]

set dialog $top.commands
proc type {text} {
    variable dialog
    focus -force $dialog.line
    update
    foreach char [split $text {}] {
        set name [expr {[string is alnum $char] ? $char : [dict get {{ } space . period _ underscore} $char]}]
        event generate $dialog.line <Key> -keysym $name
        event generate $dialog.line <KeyRelease> -keysym $name
    }
    update
}
proc press {key} {
    variable dialog
    focus -force $dialog.line
    update
    event generate $dialog.line <Key> -keysym $key
    update
    if {[winfo exists $dialog.line]} {
        event generate $dialog.line <KeyRelease> -keysym $key
    }
    sync
}
proc titles {} {
    variable dialog
    return [lmap item [$dialog.list children {}] {$dialog.list item $item -text}]
}
proc chosen_title {} {
    variable dialog
    return [$dialog.list item [lindex [$dialog.list selection] 0] -text]
}
proc answer {} {
    variable dialog
    upvar #0 [$dialog.answer cget -textvariable] answer
    return $answer
}
sync
press_key Control-Key-P
ok [winfo exists $dialog] "Ctrl-Shift-P opens the list"
is [focus] $dialog.line "one can type at once"

# ---- Everything is in it
set missing {}
foreach {word takes help method} [::pith::part::rows words $::pith::words::table] {
    set title [::pith::cut_text [string trim "$word $takes"] TkDefaultFont [::pith::theme::px 252]]
    if {[lsearch -exact [titles] $title] < 0 &&
        $word ni [concat {*}[lmap {menu rows} [::pith::menus::rows] {lmap {text script key} $rows {set script}}]] &&
        $word ni [lmap {events shown help script} [::pith::keys::rows] {set script}]} {
        lappend missing $word
    }
}
is $missing {} "all commands are in it, by name or as an entry of a menu or a key"
ok [expr {"View: Show all" in [titles] && "pith analyze" in [titles]}] "entries of menus, and commands of pith"

# ---- Long entries are cut, and are whole under the pointer
set before [winfo reqwidth $dialog]
type "message_filter"
is [winfo reqwidth $dialog] $before "the long help of a command makes the dialog no wider"
set item [lindex [$dialog.list children {}] 0]
set text [$dialog.list item $item -text]
ok [expr {[string match "message_filter *\u2026" $text] &&
    [font measure TkDefaultFont $text] + [::pith::theme::px 20] < [$dialog.list column #0 -width]}] \
    "cut to its column: $text"
lassign [$dialog.list bbox $item] x y
for {set try 0} {$try < 10 && ![winfo exists $dialog.tip]} {incr try} { # other events hide it
    event generate $dialog.list <Motion> -x [expr {$x + 50}] -y [expr {$y + 5}]
    after 500 {set ::waited yes}
    vwait ::waited
}
like [expr {[winfo exists $dialog.tip] ? [$dialog.tip cget -text] : {}}] \
    "^message_filter .QUERY. .-longer TIME. .-shorter TIME. .-late TIME.\ndraw only some" "its tip"
press_key Control-Key-P
press_key Control-Key-P

# ---- Narrowing, completion
type "hist"
is [titles] [lsort -unique [titles]] "no entry is there twice"
type "zzz"
is "[titles] [answer]" " nothing fits" "what fits nothing is said"
$dialog.line delete 0 end
type "critical"
is [chosen_title] "View: Critical path" "the best fit is chosen"
$dialog.line delete 0 end
type "zo"
set first [chosen_title]
while {[chosen_title] ne "zoom FROM TO"} {
    set before [chosen_title]
    press Down
    if {[chosen_title] eq $before} break
}
is [chosen_title] "zoom FROM TO" "Down goes on, from $first"
like [answer] {^needs FROM TO} "what a command needs stands below"
press Tab
is [$dialog.line get] "zoom " "Tab completes it"
like [answer] {^zoom FROM TO – show this interval} "with its help"
type "0.2 0.4"
press Return
ok [expr {![winfo exists $dialog] && [near [window] {0.2 0.4}]}] "Return runs it: [window]"

# ---- Errors, menus, keys
commands
type "zoom 1"
press Return
ok [winfo exists $dialog] "after an error it stays open"
like [answer] {usage|wrong} "and says it: [answer]"
press Escape
ok [expr {![winfo exists $dialog]}] "Escape closes it"
commands "show all"
sync
is [chosen_title] "View: Show all" "opened with a text"
press Return
ok [near [window] {0 1}] "an entry of a menu runs"
commands
commands
ok [expr {![winfo exists $dialog]}] "again: closed"

# ---- Commands of pith
commands "pith info"
sync
press Return
for {set i 0} {$i < 6000 && ![winfo exists $top.report]} {incr i} {
    update
    after 10
}
like [$top.report.text get 1.0 end] {ranks: 2\n} "pith info shows what the log holds"
event generate $top.report <Escape>
update
ok [expr {![winfo exists $top.report]}] "Escape closes it"
done
