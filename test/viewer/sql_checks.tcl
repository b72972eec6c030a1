# sql_checks.tcl - SQL in the window, with real events; runs in a window of before.pith of make_tour_log.

source [file join [file dirname [info script]] window_tap.tcl]

wm geometry $top 1200x860
update
press_key S
is [tab] sql "Shift-s: its tab"
set page $top.sql.body
set entry $page.controls.query
set tree $page.tree
# Waits for an end: the hint is no dots any more.
proc hint {} {
    variable page
    return [set [$page.hint cget -textvariable]]
}
proc answered {} {
    for {set i 0} {$i < 2000 && [hint] in {... {Reading the log...}}} {incr i} {
        after 10
        update
    }
    update
}
sync
for {set i 0} {$i < 2000 && [$page.tables children {}] eq {}} {incr i} {
    after 10
    update
}
set names [lsort [$page.tables children {}]]
foreach table {calls intervals lanes messages ranks state_times waits} {
    ok [expr {$table in $names}] "the tables have $table"
}
is [lmap item [$page.tables children lanes] {$page.tables item $item -text}] {lane rank thread name host first_ns last_ns records} "and its columns"
is [focus] $entry "the keyboard is in the line"

proc type {text} {
    variable entry
    focus -force $entry
    foreach letter [split $text {}] {
        event generate $entry <Key> -keysym [expr {$letter eq " " ? "space" : $letter eq "*" ? "asterisk" : $letter eq "_" ? "underscore" :
            $letter eq "." ? "period" : $letter eq "=" ? "equal" : $letter eq "," ? "comma" : $letter}]
    }
    update
}
proc key {name} {
    variable entry
    focus -force $entry
    update
    event generate $entry <$name>
    update
}
proc typed {} {
    variable entry
    return [$entry get]
}

# ---- Completion
type "SELECT rank, sta"
key Tab
is [typed] "SELECT rank, sta" "Tab: more than one begins so"
like [hint] {start_ns *state *state_times *states} "which is said"
type "rt"
key Tab
is [typed] "SELECT rank, start_ns" "only one column"
type ", end_ns FROM cal"
key Tab
is [typed] "SELECT rank, start_ns, end_ns FROM call" "two tables: as far as they are equal"
type s
key Tab
type " WHERE calls.sta"
key Tab
is [hint] "start_ns  state" "after a table only its columns"
type te
type " = "
$entry insert end "'refine mesh' ORDER BY start_ns"
key Return
answered

# ---- Rows
set said [lmap line [lrange [split [exec pith sql before.pith [typed] --csv] \n] 1 end] {split $line ,}]
proc rows_shown {} {
    variable tree
    return [lmap item [$tree children {}] {$tree item $item -values}]
}
is [rows_shown] $said "the rows of pith sql: [llength $said]"
is [hint] "[llength $said] rows. A click on a row goes to its time." "their number"
is [lmap column [$tree cget -columns] {$tree heading $column -text}] {rank start_ns end_ns} "and the columns"
set item [lindex [$tree children {}] 7]
$tree see $item
update
lassign [$tree bbox $item 2] x y width height
foreach event {Button-1 ButtonRelease-1} {
    event generate $tree <$event> -x [expr {$x + 4}] -y [expr {$y + $height / 2}]
}
sync
lassign [lindex $said 7] rank from to
lassign [window] t0 t1
ok [expr {$t0 * 1e9 < $from && $t1 * 1e9 > $to && ($t1 - $t0) * 1e9 < 20 * ($to - $from)}] "a click goes to its time"
like [status] {refine mesh} "and chooses the state"
like [tip_at $tree [expr {$x + 4}] [expr {$y + $height / 2}]] {^A click goes to .* ms to .* ms of rank 6\.$} "its tooltip"
lassign [$tree bbox [lindex [$tree children {}] 0] 2] x
foreach event {Motion Button-1 ButtonRelease-1} {
    event generate $tree <$event> -x [expr {$x + 10}] -y 6
}
update
is [lindex [rows_shown] 0] [lindex $said end] "a click on the heading of sorted rows turns them"

# ---- Queries before
key Up
like [typed] {refine mesh} "Up: the query before"
key Down
is [typed] {} "Down: none after the last one"

# ---- Bounds and errors
set rows [sql {SELECT a.id FROM intervals a}]
is [llength $rows] 2001 "2000 rows and no more"
is [llength [sql {WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000000)
    SELECT CASE WHEN x < 1000000 THEN x ELSE abs(-9223372036854775808) END FROM n}]] 2001 "what comes later, an error, is not read"
like [hint] {^The first 2.?000 rows; there may be more\. LIMIT, WHERE and ORDER BY choose others\.$} "said"
is [sql {SELECT rank FROM lanes WHERE rank > 99}]:[hint] {rank:No rows.} "no rows"
is [sql {SELECT rnak FROM lanes}] {no such column: rnak; did you mean rank?} "a mistake"
is [rows_shown] {} "has no rows"
like [sql {DELETE FROM lanes}] . "nothing can be changed: [hint]"
is [join [lindex [sql {SELECT 'a,b' AS x, 'say "no"' AS y, NULL AS z, 'two
lines' AS w}] 1] |] {a,b|say "no"||two\nlines} "cells with commas, quotes and line ends"
sql {SELECT lane, state FROM intervals LIMIT 1}
sql go 1
like [status] {no column of a time} "a row without a time"
sql {SELECT 6 AS rank, 150000000 AS time_ns}
sql go 1
lassign [window] t0 t1
ok [expr {$t0 < 0.15 && $t1 > 0.15}] "a single time"
sql save rows.csv
set channel [open rows.csv]
is [read $channel] "rank,time_ns\n6,150000000\n" "saved"
close $channel

# ---- A long query is stopped
$entry delete 0 end
$entry insert 0 {WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n}
key Return
for {set i 0} {$i < 500 && ![winfo ismapped $page.progress.stop]} {incr i} {
    after 10
    update
}
ok [winfo ismapped $page.progress.stop] "a long query has a button"
$page.progress.stop invoke
update
for {set i 0} {$i < 500 && ![catch {exec pgrep -P [pid] -f RECURSIVE}]} {incr i} {
    after 10
    update
}
ok [catch {exec pgrep -P [pid] -f RECURSIVE}] "which ends its program"
ok [expr {![winfo ismapped $page.progress.stop]}] "and goes"

# ---- Tables are written into the line by a double click
$entry delete 0 end
$page.tables see lanes
update
lassign [$page.tables bbox lanes] x y width height
foreach event {Button-1 ButtonRelease-1 Button-1 ButtonRelease-1} {
    event generate $page.tables <$event> -x [expr {$x + $width - 5}] -y [expr {$y + $height / 2}]
}
update
is [typed] "SELECT * FROM lanes" "a double click on a table"
focus -force $entry
update
key Escape
is [winfo exists $page]:[tab] 0:legend "Escape closes it"
done
