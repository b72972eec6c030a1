# opening_checks.tcl - opening a log with progress and Stop, and error dialogs; runs in a window of a foreign log.

source [file join [file dirname [info script]] window_tap.tcl]
sync
like [window] {^0\.0} "a log that was opened in a thread is shown"

# ---- Progress and Stop
set ::pith::opening::at_once 0
set ::pith::opening::patience_ms 0
# Processor time of this process, which does not depend on what else the machine does; in units of 10 ms.
proc cpu_ms {} {
    set file [::open /proc/self/stat]
    lassign [lrange [regsub {.*\) } [read $file] {}] 11 12] user system
    ::close $file
    return [expr {10 * ($user + $system)}]
}
proc watch {} {
    variable seen
    variable part
    variable stopped_at
    variable patience
    set dialog [lindex [lsearch -all -inline -glob [winfo children .] .opening*] 0]
    if {$dialog ne {}} {
        set seen [$dialog.what cget -text]
        if {[$dialog.part cget -text] eq {} && [incr patience -1] > 0} {
            after 1 [namespace current]::watch
            return
        }
        set part "[$dialog.part cget -text] [$dialog.bar cget -mode] [expr {[$dialog.bar cget -value] > 0}]"
        if {[info exists ::env(SHOT)]} {
            ::pith::save_shot $dialog $::env(SHOT)
        }
        $dialog.stop invoke
        set stopped_at [cpu_ms]
    } else {
        after 1 [namespace current]::watch
    }
}
set seen {}
set part {}
file delete -force $::env(XDG_CACHE_HOME)/pith ;# what is kept of it is opened at once
set patience 5000
watch
ok [catch {view big.alog} text options] "Stop: not opened: $text"
is [dict get $options -errorcode] {PITH STOPPED} "it is said so"
like $seen {^Opening big.alog, [0-9]+ MB} "the dialog says what takes so long"
like $part {^[0-9]+ % determinate 1$} "and how far it is"
# The job is over when its command is gone.
while {[info commands ::pithtk::job*] ne {}} {
    update
    after 5
}
set ending [expr {[cpu_ms] - $stopped_at}]
is [lsearch -glob [winfo children .] .opening*] -1 "and is gone"
set before [llength [info class instances ::pith::Window]]
set begun_at [cpu_ms]
view big.alog
set whole [expr {[cpu_ms] - $begun_at}]
ok [expr {$ending < $whole / 2}] "the thread ended soon ($ending ms, of $whole for all)"
is [llength [info class instances ::pith::Window]] [expr {$before + 1}] "without Stop it opens"
after 300
update
ok [catch {view none.pith} text options] "a log that is not there: $text"
is [dict get $options -errorcode] {PITH LOG} "is refused"
set channel [::open text.pith w]
puts $channel "this is no log"
::close $channel
ok [catch {view text.pith} text] "a file that is no log: $text"
unset -nocomplain seen

# ---- Trouble
set window [lindex [info class instances ::pith::Window] 0]
$window open_or_complain text.pith
update
set dialog $top.trouble
ok [winfo exists $dialog] "from the menu: a dialog"
like [$dialog.text cget -text] {^text\.pith: } "that says what is wrong"
ok [expr {![winfo exists $dialog.buttons.details]}] "what the user can mend has no details"
focus -force $dialog
update
event generate $dialog <Escape>
update
ok [expr {![winfo exists $dialog]}] "Escape closes it"
focus -force $plot
after 1 {error "a fault of the program"}
after 50
update
ok [winfo exists $dialog] "a fault of the program: a dialog"
like [$dialog.text cget -text] {^Internal error: a fault of the program\.} "in a sentence"
$dialog.buttons.details invoke
like [$dialog.details get 1.0 end] {while executing} "with details for those who want them"
$dialog.buttons.copy invoke
like [clipboard get] {^Pith .*fault of the program} "to be copied"
destroy $dialog
after 1 {error "a fault of the program"}
after 50
update
ok [expr {![winfo exists $dialog]}] "the same one again is not shown again"
set menu $top.menu.log.recent
$window fill_recent $menu
like [$menu entrycget 0 -label] {.} "the menu has the logs opened last"

done
