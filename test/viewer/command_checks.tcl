# command_checks.tcl - the command line, goto and bookmarks; runs in a window of the log "plain".

source [file join [file dirname [info script]] window_tap.tcl]

set bar $top.command
proc type {text} {
    variable bar
    focus -force $bar.line
    update
    foreach char [split $text {}] {
        event generate $bar.line <Key> -keysym [expr {[string is alnum $char] ? $char :
            [dict get {{ } space . period _ underscore ; semicolon * asterisk} $char]}]
        event generate $bar.line <KeyRelease> -keysym x
    }
    update
}
proc press {key} {
    variable bar
    event generate $bar.line <$key>
    sync
}
proc answer {} {
    variable bar
    set name [$bar.answer cget -textvariable]
    upvar #0 $name answer
    return $answer
}
sync

# ---- Words do not hide commands of Tcl
set channel [open [info script]]
like [gets $channel] {^# command_checks.tcl} "a script opens and reads files"
is [catch {close $channel} why],[catch {gets $channel}] 0,1 "and closes them, although close closes the window: $why"

# ---- The command line
press_key colon
ok [winfo ismapped $bar] ": opens the line"
is [focus] $bar.line "one can type at once"
type "zo"
press Tab
is [$bar.line get] "zoom " "Tab completes a word"
like [answer] {^zoom FROM TO – show this interval} "its help stands beside it"
type "0.2 0.4"
press Return
ok [near [window] {0.2 0.4}] "Return does it: [window]"
ok [expr {![winfo ismapped $bar] && [focus] eq $plot}] "there is no answer to read: the line closes"
press_key colon
is [$bar.line get] {} "the line is empty again"
type "boo"
press Tab
is [$bar.line get] bookmark "Tab completes as far as words are alike"
like [answer] {^bookmark .*bookmark the current view} "and tells of the one that it is"
$bar.line delete 0 end
type "nonsense"
press Return
like [answer] {^no such command: nonsense} "what is wrong is said in the line"
type "zoom 3"
press Return
like [answer] {^usage: zoom from to} "how a word is used, too"
type "expr 6*7"
press Return
is [answer] 42 "Tcl is understood, and answers"
press Up
is [$bar.line get] "expr 6*7" "Up: what was typed last"
press Up
press Up
press Up
is [$bar.line get] "zoom 0.2 0.4" "and before"
press Down
is [$bar.line get] "nonsense" "Down: back"
press Escape
ok [expr {![winfo ismapped $bar]}] "Escape closes it"
press_key colon
type "zoon 3"
press Return
is [answer] "no such command: zoon; did you mean zoom?" "the line says which command is meant"
press Escape

# ---- Names that the log does not have
foreach {script wanted} {
    {hide gren}                     {no state or event is called gren; did you mean green?}
    {show GREEN*}                   {no state or event is called GREEN*; did you mean green?}
    {only xyzzy}                    {no state or event is called xyzzy}
    {searchable gren off}           {no state or event is called gren; did you mean green?}
    {lengths gren}                  {no state is called gren; did you mean green?}
    {help zoon}                     {no such command: zoon; did you mean zoom?}
} {
    set status [catch $script text]
    is "$status $text" "1 $wanted" $script
}
is [catch {show *}] 0 "show * is no mistake, whatever there is"

# ---- Times
fit
press_key g
is [$bar.line get] "goto " "g begins a goto"
type "200ms 300ms"
press Return
ok [near [window] {0.2 0.3}] "from and to: [window]"
press Escape
foreach {words wanted} {
    {0.5} {0.45 0.55}  {last 10 ms} {0.99 1}  {first 100 ms} {0 0.1}  {+50 ms} {0.05 0.15}  {-50ms} {0 0.1}
    {200-400ms} {0.2 0.4}  {0.2 to 0.6} {0.2 0.6}  {100000 us 0.2 s} {0.1 0.2}  {1e-1 3E-1} {0.1 0.3}
} {
    goto {*}$words
    ok [near [window] $wanted] "goto $words: [window]"
}
ok [catch {goto tomorrow} text] "a time that is none is refused: $text"
ok [catch {goto 0.5 0.2}] "so is one that ends before it begins"

# ---- Bookmarks
fit
set axis [winfo parent $plot].axis
zoom 0.2 0.4
is [bookmark middle "look here"] middle "a bookmark has a name and a note"
press_key b
is [llength [bookmarks]] 2 "b makes one with a name of its own"
fit
sync
is [llength [$axis find withtag bookmark]] 4 "flags at the axis"
visit middle
ok [near [window] {0.2 0.4}] "visit goes there: [window]"
like [status] {look here} "and tells the note"
fit
sync
event generate $axis <Motion> -x [x_of 0.302] -y 6
event generate $axis <Button-1> -x [x_of 0.302] -y 6
event generate $axis <ButtonRelease-1> -x [x_of 0.302] -y 6
sync
ok [near [window] {0.2 0.4}] "a click on a flag goes there: [window]"
fit
press_key B
set list $top.bookmarks.list
ok [winfo exists $list] "Shift-b opens the list"
is [llength [$list children {}]] 2 "with both"
$list selection set [list middle]
update
$top.bookmarks.edit.name delete 0 end
$top.bookmarks.edit.name insert 0 "the middle"
$top.bookmarks.buttons.save invoke
update
is [lindex [bookmarks] 0 0] "the middle" "names can be changed"
$list selection set [list "the middle"]
update
$top.bookmarks.buttons.visit invoke
sync
ok [near [window] {0.2 0.4}] "Visit goes there: [window]"
$list selection set [list "the middle"]
focus -force $list
update
event generate $list <Delete>
is [llength [bookmarks]] 1 "Delete removes one"
forget [lindex [bookmarks] 0 0]
is [bookmarks] {} "forget removes one"
ok [catch {visit nowhere}] "a bookmark that is not there is refused"
focus -force $list
update
event generate $list <Escape>
update
ok [expr {![winfo exists $list]}] "Escape closes the list"

done
