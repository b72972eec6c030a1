# export_checks.tcl - saving pictures and parts of a log, by commands and by the dialog; runs in a window of the log "plain".
source [file join [file dirname [info script]] window_tap.tcl]

set window [lindex [info class instances ::pith::Window] 0]
set top [$window top]
set export [$window part Export]

proc size_of {file} { expr {[file exists $file] ? [file size $file] : 0} }
# `open` is a word of the window.
proc text_of {file} {
    set channel [::open $file]
    try { return [read $channel] } finally { ::close $channel }
}
proc trouble_of {script} {
    return [expr {[catch {uplevel 1 $script} text] ? $text : "no error"}]
}
proc wait_for {condition} {
    for {set i 0} {$i < 1200 && ![uplevel 1 [list expr $condition]]} {incr i} {
        after 50 {set ::waited 1}
        vwait ::waited
    }
    return [uplevel 1 [list expr $condition]]
}

save all.png
ok [expr {[size_of all.png] > 1000}] "save: a picture"
is [glob -nocomplain *.part] {} "and nothing else"
set kinds {svg pdf ps eps}
if {[file exists [file dirname [file dirname [file normalize [lindex [auto_execok pith] 0]]]]/share/pith/page/viewer.html]} {
    lappend kinds html
}
foreach kind $kinds {
    save all.$kind
    ok [expr {[size_of all.$kind] > 1000}] "save: $kind"
}
is [trouble_of {save x.gif}] "-o [file normalize x.gif]: its name must end in .png, .svg, .pdf, .ps, .eps or .html" "save: another suffix"
ok [string match "*nowhere/x.png*: the folder *nowhere does not exist; make it first" [trouble_of {save nowhere/x.png}]] "save: no such folder"
save stats.svg --stats --legend none
ok [string match "*total*self*" [text_of stats.svg]] "save: options of pith draw"

# What is seen is what is saved: test_export.sh looks at view.png.
zoom 0.2 0.6
rows 0
hide green
[$window part ColourEditor] word_colour red #abcdef now ;# `colour` is of window_tap.tcl
arrows off
save view.png
rows
save view.svg
ok [expr {![string match {*<g stroke="#16202a"*} [text_of view.svg]]}] "messages are off in the picture too"
arrows on
save view.svg
ok [string match {*<g stroke="#16202a"*} [text_of view.svg]] "and on"
fit; rows; show *; arrows on

# The dialog.
focus -force $top
sync
event generate $top <Control-s>
sync
ok [winfo exists $top.export] "Ctrl-S: the dialog"
set field $top.export.body.file
is [file tail [$field get]] plain.png "with a name"
$field delete 0 end
$field insert end [file join [pwd] dialog.svg]
$top.export.body.places.right invoke
$top.export.body.stats invoke
$top.export.body.buttons.save invoke
ok [wait_for {![winfo exists $top.export]}] "saved, it is closed"
set text [text_of dialog.svg]
ok [string match "*self*" $text] "with the table"
ok [regexp {<text x="\d{3,4}(\.\d+)?" y="[^>]*>blue<} $text] "and the legend beside"
$export choose
sync
$field delete 0 end
$field insert end /nowhere/at/all.png
$top.export.body.buttons.save invoke
ok [wait_for {[$top.export.body.trouble cget -text] ne {} || [set [$top.export.body.trouble cget -textvariable]] ne {}}] \
    "an error is said in the dialog"
ok [string match "/nowhere/at/all.png: *the folder /nowhere/at does not exist; make it first" [set [$top.export.body.trouble cget -textvariable]]] "in one clear line"
focus -force $field
event generate $field <Escape>
sync
ok [expr {![winfo exists $top.export]}] "Escape closes it"

# Parts of a log.
zoom 0.25 0.45
clip part.pith
ok [expr {[size_of part.pith] > 100}] "clip: what is shown"
select 0.3 0.35
clip chosen.alog
ok [expr {[size_of chosen.alog] > 100}] "clip: the selection, as another format"
ok [string match "*nowhere*" [trouble_of {clip nowhere/x.pith}]] "clip: an error"
select none
fit

# Long work shows itself and can be stopped.
set answer {}
set runner [::pith::Runner new $top "Waiting" {print --follow never.pith} [list lappend [namespace current]::answer]]
wait_for {[winfo exists $top.runner1] || [llength [info commands $top.runner*]]}
set box [lindex [lsearch -all -inline [winfo children $top] *.runner*] 0]
ok [expr {$box ne {}}] "long work: a window tells of it"
$box.body.stop invoke
ok [wait_for {$answer ne {}}] "it can be stopped"
is $answer {stopped {}} "and says so"
ok [expr {![winfo exists $box]}] "and is gone"
done
