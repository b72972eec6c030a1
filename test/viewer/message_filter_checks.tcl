# message_filter_checks.tcl - only some messages are drawn; runs in a window of the log of wait_log.sh with more messages
# (test_message_filter.sh): `wanted` says how many pass each filter.

source [file join [file dirname [info script]] window_tap.tcl]

set model [lindex [info class instances ::pith::Model] 0]
set bar $top.message_filter
proc picture {} {
    variable photo
    sync
    set copy [image create photo]
    $photo copy $copy
    set data [$copy data]
    image delete $copy
    return $data
}
sync
set all [picture]
is [messages_drawn] 5 "all messages"
foreach {words number what} {
    {{size > 1000}} 2 "by size"
    {{size >= 1kB and tag == 9}} 1 "by size and tag"
    {{tag != 0}} 3 "by tag"
    {{comm == "halo"}} 2 "by communicator"
    {{rank == 2}} 2 "one end is on rank 2"
    {-longer 60ms} 2 "by duration"
    {-longer 60ms -shorter 100ms} 1 "between two"
    {-late 250ms} 1 "whose receiver waited so long"
    {-late 350ms} 0 "none so late"
    {{tag != 0} -longer 60ms} 1 "both"
    {} 5 "without words all again"
} {
    message_filter {*}$words
    is [messages_drawn] $number "message_filter $words: $what"
}
is [expr {[picture] eq $all}] 1 "the picture is as at first"
message_filter {size > 1000}
ok [expr {[picture] ne $all}] "a filter changes it"
like [status] {2 of 5 messages} "which is said"
set tree $top.panes.legend.tree
proc messages_row {} {
    variable tree
    sync
    return "[string trim [$tree item messages -text]]: [$tree set messages count]"
}
is [messages_row] "messages (filtered): 2" "the legend counts those"

# ---- Wrong words
foreach {words pattern} {
    {{sise > 3}} {there is no field 'sise'}
    {-longer} {-longer needs a time}
    {-longer soon} {-longer: no time: soon}
    {-size 3} {no such option: -size; there are -longer, -shorter and -late}
} {
    ok [catch {message_filter {*}$words} text] "message_filter $words is refused"
    like $text $pattern "and it is said why"
}
is "[messages_drawn] [$model message_filter]" "2 {size > 1000}" "the filter is as before"

# ---- Undo, the bar
after 700
message_filter {tag == 9}
press_key u
is [messages_drawn] 2 "u takes back the filter"
press_key r
is [messages_drawn] 1 "r does it again"
press_key Control-Key-m
ok [winfo ismapped $bar] "Ctrl-m opens the bar"
is [$bar.query get] "tag == 9" "it has the filter"
$bar.query delete 0 end
$bar.longer insert end "60 ms"
focus -force $bar.longer
update
event generate $bar.longer <Return>
sync
is [messages_drawn] 2 "Return in the bar sets it"
$bar.query insert end "tag ="
event generate $bar.query <Return>
sync
like [$bar.message cget -textvariable] . "the bar has a place for errors"
is [messages_drawn] 2 "a wrong query changes nothing"
$bar.all invoke
sync
is "[messages_drawn] [$bar.query get][$bar.longer get]" "5 " "All: all are drawn"
focus -force $bar.query
update
event generate $bar.query <Escape>
update
ok [expr {![winfo ismapped $bar]}] "Escape closes the bar"

# ---- Other pictures
message_filter {size > 1000}
set window [lindex [info class instances ::pith::Window] 0]
like [[$window part Export] view_words] {message_filter \{size > 1000\}} "pictures of the view have the filter"
$model replace [::pithtk::open more.pith] 0
sync
is [messages_drawn] 2 "another log in the window is filtered, too"
message_filter
is [messages_row] "messages: 5" "the legend counts all again"
done
