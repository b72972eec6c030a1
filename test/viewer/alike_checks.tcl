# alike_checks.tcl - ranks that are alike, folded to a row; runs in a window of the log of alike_log.py.

source [file join [file dirname [info script]] window_tap.tcl]

set labels [labels]
panel beside
wm geometry $top 1300x860
update
proc seen {} { return [lmap row [row_list] {lrange $row 2 3}] }
proc click_triangle {row} {
    variable labels
    foreach event {Button-1 ButtonRelease-1} {
        event generate $labels <$event> -x 12 -y [expr {int(($row + 0.5) * [height])}]
    }
    sync
}
proc choose_entry {menu label} {
    variable top
    $top.menu.$menu invoke $label
    sync
}
sync
is [llength [row_list]] 64 "64 rows"
choose_entry rows.group "Group ranks that are alike"
is [seen] {{{ranks 0, 8, ...} {8 ranks}} {{ranks 1-3, 5-7, ...} {47 ranks}} {{ranks 4, 12, ...} {8 ranks}} {{rank 17} {}}} \
    "the menu: a row for each kind, and one for the odd rank"
height 40
is [colour 0.001 0] [colour 0.001 2] "a row shows what most of its ranks do: compute"
ok [expr {[colour 0.0498 0] ne [colour 0.048 2]}] "and wait"
like [tip_at $labels 60 20] {^Ranks 0, 8, 16.* none differs from rank (8|16|24|32|40|48|56|0), .* more than [01]\.[0-9] %} \
    "the tooltip says which rank stands for them, and how far they differ"
is [tip_at $labels 60 [expr {3 * 40 + 20}]] {} "a rank needs none"

click_triangle 2
is [lrange [seen] 2 4] {{{ranks 4, 12, ...} {8 ranks}} {{rank 4} {}} {{rank 12} {}}} "a click unfolds"
set state [rowstate]
like $state {^group alike alike [0-9]+:[0-9.]+:0,8,16,} "and the arrangement has the groups"
click_triangle 2
is [llength [row_list]] 4 "another one folds"
undo ;# changes within 0.6 s are one
if {[llength [row_list]] != 64} {
    is [llength [row_list]] 12 "and is undone"
    undo
    undo
}
is [llength [row_list]] 64 "undone: no groups"
set_rowstate $state
is [rowstate] $state "restored, with the groups, and what was open"
press_key u

# In another time, ranks are alike that are not alike in all of it.
zoom 0 0.045
group alike
is [seen] {{{ranks 0, 8, ...} {8 ranks}} {{ranks 1-3, 5-7, ...} {48 ranks}} {{ranks 4, 12, ...} {8 ranks}}} "it is the time shown that counts"
group alike 100
is [seen] {{{ranks 0-63} {64 ranks}}} "ranks that may differ in all of their time are alike"
fit
group alike 22.5
is [llength [row_list]] 2 "those that may differ by 22.5 %"
foreach {words text} {{host 3} {group: only alike takes a number, of per cent, not 3} {alike x} {group: only alike takes a number, of per cent, not x}
    {alike 101} {group: only alike takes a number, of per cent, not 101}} {
    catch {group {*}$words} message
    is $message $text "refused: group $words"
}
group none
press_key G
is [lindex [rowstate] 1] alike "Shift-g comes to them, too"
rows 0-9
is [lindex [seen] 0] {{ranks 0, 8, ...} {2 of 8 ranks}} "a filter"
rows {}
sort self compute falling
is [lmap row [row_list] {lindex $row 2}] {{ranks 1-3, 5-7, ...} {ranks 4, 12, ...} {ranks 0, 8, ...} {rank 17}} "sorted by the time of a state"
done
