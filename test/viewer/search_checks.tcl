# search_checks.tcl - searches; runs in a window of the log "plain".

source [file join [file dirname [info script]] window_tap.tcl]

# The frame of the chosen record, in seconds and rows; {} none.
proc framed {} {
    variable plot
    sync
    if {[$plot find withtag choice] eq {}} {
        return {}
    }
    lassign [window] t0 t1
    lassign [$plot coords [lindex [$plot find withtag choice] 0]] x0 y0 x1 y1
    return [list [expr {$t0 + $x0 * ($t1 - $t0) / [winfo width $plot]}] \
        [expr {$t0 + $x1 * ($t1 - $t0) / [winfo width $plot]}] [expr {int(($y0 + $y1) / 2 / [row_height])}]]
}
proc type {widget text} {
    focus -force $widget
    update
    foreach char [split $text {}] {
        event generate $widget <Key-$char>
    }
}
# Waits until the bar has an answer.
proc answered {} {
    variable bar
    for {set i 0} {$i < 6000 && [string match {*ing...*} [$bar.message cget -text]]} {incr i} {
        after 10
        update
    }
    sync
}
set bar $top.search
sync
ok [expr {![winfo ismapped $bar]}] "at first there is no bar"

# ---- Words
like [find blue] {^blue, rank 1, at 250 ms, } "find: the first in time, on any rank"
ok [near [framed] {0.25 0.75 1} 0.003] "it has a frame: [framed]"
like [next] {^blue, rank 0, at 500 ms, } "next"
like [next] {^from the start: blue, rank 1} "behind the last comes the first"
like [prev] {^from the end: blue, rank 0} "before the first comes the last"
is [hits] 2 "how many there are"
set strip [winfo parent $plot].overview
is [llength [$strip find withtag hits]] 4 "the strip marks both, above and below"
like [find gr?en] {^green, rank 0} "with a pattern"
is [hits] 1 "of which there is one"
like [find E -longer 450ms] {^(blue|red), } "by part of the name and length"
like [find e -shorter 150ms] {^green} "shorter ones"
like [find {} -payload ANSWER=4] {^mark, rank 1, at 100 ms} "by payload"
is [hits] 1 "only that event"
like [find {} -kind message] {^message rank 0 to 1, 1.?024 bytes, at 400 ms} "messages"
like [find {} -bytes 1025] {nothing found} "large ones"
like [find {} -tag 7] {^message rank 0 to 1} "by tag"
like [find {} -kind message -longer 150ms] {^message rank 0 to 1, .*, at 400 ms, took 200 ms} "messages by how long they took"
is [hits] 1 "counted"
like [find {} -kind message -longer 250ms] {nothing found} "none is slower"
like [find {} -kind message -shorter 250ms -partner 1] {^message rank 0 to 1} "by who receives"
like [find {} -partner 0] {nothing found} "to rank 0 nobody sends"
like [find {} -most 1023] {nothing found} "small ones"
like [find {} -most 1024] {^message rank 0 to 1} "not above a size"
like [find blue -ranks 0] {^blue, rank 0} "on some ranks"
is [hits] 1 "and no other"
ok [catch {find nothing_like_it} text] "a name that is not there is refused: $text"
ok [catch {find blue -longer x}] "so is a length that is none"
ok [catch {find blue -colour red}] "and an option that is none"
like [find {state ~ "b*" and rank == 0}] {^blue, rank 0, at 500 ms} "a query"
is [hits] 1 "of which there is one"
like [find {duration <= 100ms}] {^green, rank 0.* 100 ms} "by the duration of states"
ok [near [framed] {0.2 0.3 0} 0.002] "the end of the state is found: [framed]"
like [find {size == 1KiB or payload ~ "*=42*"}] {^mark, rank 1, at 100 ms} "events"
like [next] {^message rank 0 to 1, 1.?024 bytes, at 400 ms} "and messages, by their sends"
is [hits] 2 "counted"
like [find {size == 1KiB or payload ~ "*=42*"} -kind event -ranks 0-1] {^mark} "only events"
is [hits] 1 "counted, too"
like [find {rank == 7}] {^nothing found} "a query without a hit"
searchable blue off
like [find {duration >= 450ms}] {^red} "states that are excluded from searches are not found by a query"
searchable blue on
ok [catch {find {rank = 1}} text] "a wrong query"
is $text "query: column 6: '=' is no comparison; use ==" "says its column"
ok [catch {find {rank == 1} -longer 1ms} text] "a query has no -longer: $text"
zoom 0.6 0.7
like [find green] {^from the start: green} "out of sight"
ok [expr {[lindex [window] 0] <= 0.2 && [lindex [window] 1] >= 0.3}] "it is brought into view: [window]"
ok [near [framed] {0.2 0.3 0} 0.002] "in its frame: [framed]"
fit
rows 1
like [find green] {its row is not shown} "on a row that is not shown: said"
rows
press_key Escape
is [framed] {} "Escape: no frame any more"

# ---- The bar
press_key slash
ok [winfo ismapped $bar] "/ opens the bar"
is [focus] $bar.pattern "one can type at once"
$bar.pattern delete 0 end
type $bar.pattern blue
event generate $bar.pattern <Return>
answered
like [status] {^blue, rank 1} "Return finds"
like [$bar.message cget -text] {^2 hits$} "and counts"
event generate $bar.pattern <Return>
answered
like [status] {^blue, rank 0} "Return again: the next"
press_key N
like [status] {^blue, rank 1} "Shift-n in the time lines: the one before"
press_key n
like [status] {^blue, rank 0} "n: the next"
$bar.prev invoke
answered
like [status] {^blue, rank 1} "the button: the one before"
$bar.pattern delete 0 end
$bar.pattern insert 0 {rank == 1 && tag == 2}
focus -force $bar.pattern
event generate $bar.pattern <Return>
answered
like [$bar.message cget -text] {^query: column 11: '&' is no operator} "a wrong query in the bar"
is [list [$bar.pattern index insert] [$bar.pattern index sel.first]] {10 10} "the cursor is where it is wrong"
$bar.pattern delete 0 end
$bar.pattern insert 0 {rank == 1 and state == blue}
event generate $bar.pattern <Return>
answered
like [status] {^blue, rank 1} "a right one"
like [$bar.message cget -text] {^1 hit$} "is counted"
$bar.pattern delete 0 end
$bar.pattern insert 0 blue
$bar.longer insert 0 nonsense
focus -force $bar.longer
event generate $bar.longer <Return>
answered
like [$bar.message cget -text] {is not a time such as} "what is wrong is said in the bar"
$bar.kind set messages
event generate $bar.kind <<ComboboxSelected>>
update
ok [expr {[winfo ismapped $bar.bytes] && [winfo ismapped $bar.longer] && [winfo ismapped $bar.partner]}] \
    "messages have sizes, take time, and go to somebody"
foreach {key text} {longer 150ms partner 1} {
    $bar.$key delete 0 end
    focus -force $bar.$key
    update
    type $bar.$key $text
}
if {[info exists ::env(SHOT)]} {
    ::pith::save_shot $top $::env(SHOT)
}
event generate $bar.partner <Return>
answered
like [status] {^message rank 0 to 1, .*, took 200 ms} "typed into the bar"
# ---- A narrow window has all fields, in several rows
proc cut_off {} {
    variable bar
    variable top
    set right [expr {[winfo rootx $top] + [winfo width $top]}]
    return [lmap part [winfo children $bar] {
        if {![winfo ismapped $part] || [winfo rootx $part] + [winfo width $part] <= $right} continue
        set part
    }]
}
set geometry [wm geometry $top]
foreach {kind fields} {{states and events} 5 states 4 events 3 messages 7 notes 1} {
    $bar.kind set $kind
    foreach width {640 480 1200} {
        wm geometry $top ${width}x600
        for {set try 0} {$try < 200 && [winfo width $bar] != $width} {incr try} {
            after 20 {set ::waited yes}
            vwait ::waited
        }
        event generate $bar.kind <<ComboboxSelected>>
        update
        set entries [lmap part [winfo children $bar] {
            if {[winfo class $part] ne "TEntry" || ![winfo ismapped $part] ||
                [winfo width $part] < [winfo reqwidth $part]} continue
            set part
        }]
        is "[llength $entries] [cut_off] [winfo ismapped $bar.close]" "$fields  1" "$kind in $width pixels: all fields"
    }
}
$bar.kind set messages
event generate $bar.kind <<ComboboxSelected>>
prefer scale 2
sync
update
is [lmap part [winfo children $bar] {
    if {[winfo class $part] ni {TEntry TCombobox} || ![winfo ismapped $part] ||
        [winfo width $part] >= [winfo reqwidth $part]} continue
    set part
}] {} "a new scale: no field is cut"
prefer scale 0
wm geometry $top $geometry
sync
focus -force $bar.tag
update
event generate $bar.tag <Escape>
update
ok [expr {![winfo ismapped $bar]}] "Escape closes the bar"

done
