# counter_checks.tcl - details of counters and the context menu; runs in a window of the log "rich".

source [file join [file dirname [info script]] window_tap.tcl]
arrows off
sync
set row [lsearch -index 1 [row_list] counter]
ok [expr {$row >= 0}] "there is a counter's row: $row"
like [point 0.01 $row] {^residual.* on rank 0   value [0-9.e-]+   at (9\.9|10)[.0-9]* ms$} "its value under the pointer"
set early [regexp -inline {value ([0-9.e-]+)} [point 0.002 $row]]
set late [regexp -inline {value ([0-9.e-]+)} [point 0.017 $row]]
ok [expr {[lindex $early 1] > [lindex $late 1]}] "which falls: [lindex $early 1], [lindex $late 1]"

# ---- In the legend: how many values, and their range in the window
set tree $top.panes.legend.tree
proc residual {} {
    variable tree
    foreach item [concat {*}[lmap item [$tree children {}] {list $item {*}[$tree children $item]}]] {
        if {[string trim [$tree item $item -text]] eq "residual"} {
            lassign [lrange [$tree item $item -values] 2 4] values total range
            return [list $values {*}[string map {{ to } { }} $range] $total]
        }
    }
}
lassign [residual] values low high total
ok [expr {$values > 3}] "how many values it has: $values"
is $total {} "both ends of their range are in one column"
ok [expr {$low < [lindex $late 1] + 1e-9 && $high >= [lindex $early 1]}] "from $low to $high"
zoom 0.012 0.017
sync
set last $high
lassign [residual] values low high
ok [expr {$high < $last && $high > [lindex $late 1] - 1}] "in the window: to $high"
fit
sync

# ---- The menu of the right button
set menu $plot.context
proc entries {} {
    variable menu
    set labels {}
    for {set i 0} {$i <= [$menu index end]} {incr i} {
        if {[$menu type $i] eq "command"} {
            lappend labels [$menu entrycget $i -label]
        }
    }
    return $labels
}
# The menu itself takes over the pointer: what it would show is looked at without it.
rename ::tk_popup ::tk_popup_real
proc ::tk_popup {args} {}
event generate $plot <Button-3> -x [x_of 0.01] -y [expr {int(0.5 * [row_height])}]
sync
set state [dict get [chosen] {}]
like [entries] "{Hide $state} {Find $state} {Next with this name}" "what can be done with the state under it"
$menu invoke "Select its time"
sync
is [llength [selected]] 2 "its time can be selected"
$menu invoke "Hide $state"
sync
ok [expr {[lsearch -index 0 [legend] $state] < 0 || [dict get [chosen] {}] eq $state}] "it can be hidden"
event generate $plot <Button-3> -x [x_of 0.01] -y [expr {int(0.5 * [row_height])}]
like [entries] {Zoom to the selection} "and what can be done with the selection"
like [entries] {Only rank 0} "and with the row"

done
