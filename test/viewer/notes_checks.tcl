# notes_checks.tcl - notes at times and rows; runs in a window of the log of wait_log.sh.

source [file join [file dirname [info script]] window_tap.tcl]

set file log.pith.notes
proc lines {} {
    variable file
    if {![file exists $file]} {
        return {}
    }
    set channel [open $file]
    set lines [lrange [split [string trim [read $channel]] \n] 1 end]
    ::close $channel
    return [lmap line $lines {split $line \t}]
}
set accent [string range [::pith::theme::colour accent] 1 end]
# Whether a flag's line is at the foot of a row.
proc flag_at {seconds row} {
    variable accent
    variable photo
    sync
    return [expr {[format %02x%02x%02x {*}[$photo get [expr {[x_of $seconds]}] [expr {int(($row + 0.9) * [row_height])}]]] eq $accent}]
}
height 40
arrows off
sync

# ---- Words, the file, undo
is "[notes] [flag_at 0.5 1] [file exists $file]" " 0 0" "no notes at first"
note 0.5 1 late, why?
is [notes] {{0.500000000 {rank 1} {late, why?}}} "a note"
is [lines] {{0.500000000 {rank 1} {late, why?}}} "is in the file"
is "[flag_at 0.5 1] [flag_at 0.5 0]" "1 0" "and has a flag in its row"
note 0.25 0 "waits\there\nand there"
is [lines] {{0.250000000 {rank 0} {waits here and there}} {0.500000000 {rank 1} {late, why?}}} "notes are in order of time, on a line each"
undo
is "[llength [notes]] [llength [lines]] [flag_at 0.25 0]" "1 1 0" "undo takes it back"
undo
is "[notes] [file exists $file]" " 0" "undo of the first: no file"
redo
redo
is "[llength [notes]] [llength [lines]] [flag_at 0.25 0]" "2 2 1" "redo"
edit_note 2 of rank 1
is [lindex [lines] 1] {0.500000000 {rank 1} {of rank 1}} "edited"
delete_note 1
is [lines] {{0.500000000 {rank 1} {of rank 1}}} "deleted"
undo
is [llength [lines]] 2 "and back"
is [catch {edit_note 3 x} text]:$text "1:there is no note 3" "no such note"
is [catch {note 0.5 7 x}] 1 "no such row"

# ---- Under the pointer
proc move {x y} {
    variable plot
    event generate $plot <Motion> -x $x -y $y
    update
    return [join [lmap item [$plot find withtag note] {
        if {[$plot type $item] ne "text"} continue
        $plot itemcget $item -text
    }]]
}
set x [x_of 0.25]
is [move [expr {$x + 3}] 3] "waits here and there" "the text under the pointer"
like [status] {^note 1, rank 0, at 250 ms: waits here and there} "and in the status line"
is [move [expr {$x + 3}] 36] {} "below the flag: none"
is [move [expr {$x - 3}] 3] {} "beside it: none"

# ---- The menu and the dialog
proc menu_of {x y} {
    variable plot
    [info object namespace [lindex [info class instances ::pith::Context] 0]]::my fill {} -1
    set part [lindex [info class instances ::pith::Notes] 0]
    return [$part entries $x $y]
}
is [lmap {text script key} [menu_of [expr {$x + 3}] 3] {set text}] {{Edit note 1...} {Delete note 1}} "the menu on a flag"
set entry [menu_of [x_of 0.75] 100]
is "[lindex $entry 0] [dict remove [lindex $entry 1 1] time]" "Note here... rank 2 thread 0" "and elsewhere"
{*}[lindex $entry 1]
sync
focus -force $top.note.text
foreach key {h i Return} {
    event generate $top.note.text <Key-$key>
}
sync
ok [expr {![winfo exists $top.note]}] "Return closes the dialog"
like [lindex [notes] 2] {^0.7[45][0-9]* \{rank 2\} hi$} "the note is where the pointer was"
edit_note 3
is [$top.note.text get] hi "the dialog has the text"
$top.note.text delete 0 end
$top.note.buttons.ok invoke
sync
is [llength [notes]] 2 "an empty text deletes the note"
proc pointer_to {x y} {
    variable plot
    event generate $plot <Motion> -warp 1 -x $x -y $y
    sync
}
pointer_to [x_of 0.8] 20
press_key Control-n
ok [winfo exists $top.note] "Ctrl-n: a note at the pointer"
destroy $top.note

# ---- Search
zoom 0.6 0.9
like [find {rank 1} -kind note] {^from the start: note 2, rank 1, at 500 ms: of rank 1} "find: the note comes into view"
is [hits] 1 "number of hits"
ok [expr {[lindex [window] 0] < 0.5 && [lindex [window] 1] > 0.5}] "in the window"
fit
like [find {} -kind note] {^note 1,} "all notes: the first"
like [next] {^note 2,} "next"
like [next] {^from the start: note 1,} "and from the start"
like [prev] {^from the end: note 2,} "previous"
is [find nothing -kind note] "nothing found" "none"

# ---- Pictures of the view have the notes
save notes.svg
set channel [open notes.svg]
ok [string match "*2  of rank 1*" [read $channel]] "a saved picture has the notes with their texts"
::close $channel

# ---- A file that cannot be written
file mkdir $file.part
set before [lines]
note 0.1 0 lost
like [status] {log.pith.notes: .*; the notes are kept for this window only} "a message"
is "[llength [notes]] [lines]" "3 $before" "the note stays for the window, the file is as it was"
file delete $file.part
done
