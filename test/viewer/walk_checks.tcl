# walk_checks.tcl - details of the chosen record, and steps to other records; runs in a window of the log "plain".

source [file join [file dirname [info script]] window_tap.tcl]

proc click {seconds row {part 0.5}} {
    variable plot
    event generate $plot <Motion> -x [x_of $seconds] -y [expr {int(($row + $part) * [row_height])}]
    event generate $plot <Button-1> -x [x_of $seconds] -y [expr {int(($row + $part) * [row_height])}]
    event generate $plot <ButtonRelease-1> -x [x_of $seconds] -y [expr {int(($row + $part) * [row_height])}]
    sync
}
proc say {word} {
    foreach {key value} [chosen] {
        if {$key eq $word} {
            return $value
        }
    }
    return {}
}
sync

# ---- What is known
click 0.25 0
is [say {}] green "a click chooses"
is [say inside] "red, 20 % of it" "the state around it, and its share of it"
is [say share] "10 % of the run" "its share of the run"
ok [expr {[$plot find withtag choice] ne {}}] "it has a frame"
clipboard clear
press_key Control-c
like [clipboard get] {^green\non: rank 0\nfrom: 200 ms\nto: 300 ms\nfor: 100 ms\n} "Ctrl-c copies it as text"
press_key Escape
click 0.5 0 1.0
is [say {}] message "a message"
is [say "sent in"] "red, 500 ms" "the call that sent it"
is [say "received in"] "blue, 500 ms" "and the one that received it"
press_key Escape
press_key Escape
is [expr {[$plot find withtag choice] eq {}}] 1 "Escape: nothing is chosen"

# ---- From one to the next
choose 0.25 0
is [say {}] green "the word choose"
press_key o
is [say {}] red "o: the state around it"
press_key Control-Right
is [say {}] green "Ctrl-Right: the next that begins"
press_key Control-Right
is [say {}] blue "and the one after"
press_key Control-Right
like [status] {none found} "behind the last there is none"
is [say {}] blue "it stays chosen"
press_key Control-Left
is [say {}] green "Ctrl-Left goes back"
press_key period
like [status] {none found} "no other green on this row"
choose 0.6 0
press_key Control-Down
is "[say {}] [say on]" "blue rank 1" "Ctrl-Down: the row below"
press_key Control-Up
is "[say {}] [say on]" "green rank 0" "Ctrl-Up: the row above, at the time where that one began"
zoom 0.75 0.8
sync
choose 0.25 0
sync
ok [expr {[lindex [window] 0] <= 0.2 && [lindex [window] 1] >= 0.3}] "what is out of sight is brought into view: [window]"
fit
press_key Control-period
is "[say {}] [say took]" "message 200 ms" "Ctrl-.: the next message sent on this row, with its other end"
ok [catch {same sideways}] "a way that is none is refused"
press_key Escape
press_key Escape

# ---- Along a message
click 0.5 0 1.0
press_key Escape
zoom 0.38 0.42
press_key j
ok [expr {[lindex [window] 0] < 0.6 && [lindex [window] 1] > 0.6}] "j: to the end of the message: [window]"
press_key j
ok [expr {[lindex [window] 0] < 0.4 && [lindex [window] 1] > 0.4}] "j: and back to where it was sent: [window]"
fit
press_key Escape

# ---- The window of details
choose 0.25 0
press_key space
set dialog $top.details
ok [winfo exists $dialog] "Space opens it"
like [$dialog.text get 1.0 end] {^green\n.*rank 0} "it tells what is chosen"
$dialog.buttons.parent invoke
sync
like [$dialog.text get 1.0 end] {^red\n} "its buttons go on, and it follows"
focus -force $dialog
update
event generate $dialog <Escape>
update
ok [expr {![winfo exists $dialog]}] "Escape closes it"

done
