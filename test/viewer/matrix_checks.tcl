# matrix_checks.tcl - the communication matrix and waiting times; runs in a window of the log "late". Messages: two of 1000
# and 4000 bytes from 0 to 1, one of 2000 from 0 to 2, one of 8000 from 2 to 1.

source [file join [file dirname [info script]] window_tap.tcl]

proc read_file {file} {
    set in [::open $file]
    set text [read $in]
    ::close $in
    return $text
}
# A point in the tile of two ranks, when all three are shown.
proc tile {from to} {
    variable picture
    lassign [$picture coords [lindex [$picture find all] 0]] left top right bottom
    return [list [expr {int($left + ($right - $left) * ($to + 0.5) / 3)}] \
        [expr {int($top + ($bottom - $top) * ($from + 0.5) / 3)}]]
}
proc seen {from to} {
    variable picture
    lassign [tile $from $to] x y
    foreach item [$picture find all] {
        if {[$picture type $item] eq "image"} {
            lassign [$picture coords $item] left top
            return [format %02x%02x%02x {*}[[$picture itemcget $item -image] get \
                [expr {int($x - $left)}] [expr {int($y - $top)}]]]
        }
    }
}
proc point_at {from to} {
    variable picture
    variable told
    lassign [tile $from $to] x y
    event generate $picture <Motion> -x $x -y $y
    return [set $told]
}
proc click_at {x y} {
    variable picture
    event generate $picture <Button-1> -x $x -y $y
    event generate $picture <ButtonRelease-1> -x $x -y $y
    sync
}
proc type {key} {
    variable picture
    focus -force $picture
    update
    event generate $picture <$key>
    update
}
panel beside ;# all columns of totals
sync
press_key x
matrix
set board $top.matrix
set picture $board.body.book.matrix.canvas
set told [$board.body.book.matrix.readout cget -textvariable]
update
ok [winfo ismapped $picture] "x opens the matrix"
is [focus -lastfor $board] $picture "keys go to its picture"

# ---- The sums
set pair [matrix pair 0 1]
is [list [dict get $pair count] [dict get $pair bytes] [dict get $pair time]] {2 5000 14000000} "from 0 to 1"
is [matrix pair 1 0] {} "from 1 to 0: nothing"
set paper [string range [$picture cget -background] 1 end]
ok [expr {[seen 0 1] ne $paper && [seen 2 1] ne $paper && [seen 1 0] eq $paper && [seen 0 0] eq $paper}] \
    "tiles are drawn where messages are"
ok [expr {[seen 0 1] ne [seen 0 2]}] "more messages, another colour"
matrix bytes
set dark [seen 2 1]
ok [expr {$dark ne [seen 0 1]}] "by bytes"
matrix log off
ok [expr {[seen 2 1] eq $dark && [seen 0 2] ne $paper}] "on a linear scale"
like [point_at 0 1] {from 0  to 1  :  2 messages, 5 kB, 14 ms in transfer} "the tile under the pointer is told"
ok [llength [$picture find withtag cursor]] "and framed"
lassign [$picture coords [lindex [$picture find withtag line0] 0]] x0 y0 x1 y1
event generate $picture <Motion> -x [expr {int($x0 + 2)}] -y [expr {int($y0 + 3)}]
like [set $told] {from 0  :  3 messages, 7 kB} "the total of a line"
lassign [$picture coords [lindex [$picture find withtag column1] 0]] x0 y0 x1 y1
event generate $picture <Motion> -x [expr {int($x0 + 2)}] -y [expr {int($y0 + 3)}]
like [set $told] {to 1  :  3 messages, 13 kB} "and of a column"
proc head_of_totals {} {
    variable picture
    lmap item [$picture find withtag total] {$picture itemcget $item -text}
}
is [lsort -unique [head_of_totals]] total "the bars at the sides are named"
matrix bandwidth
is [lsort -unique [head_of_totals]] mean "of bandwidths they are no sums"
matrix bytes
matrix comm MPI_COMM_WORLD
is [dict get [matrix pair 0 1] count] 2 "of one communicator"
ok [catch {matrix comm none}] "that must be there"
matrix comm all
zoom 0.2 0.25
matrix
is "[matrix pair 0 2] [dict get [matrix pair 0 1] count]" " 1" "of the window shown"
fit
matrix of whole

# ---- Ranks
matrix ranks 1 2
like [set $told] {Drag} "part of the ranks"
type Home
lassign [tile 0 1] x0 y0
lassign [tile 1 2] x1 y1
event generate $picture <Button-1> -x $x0 -y $y0
event generate $picture <B1-Motion> -x $x1 -y $y1
ok [llength [$picture find withtag zoom]] "a drag draws a box"
event generate $picture <ButtonRelease-1> -x $x1 -y $y1
update
lassign [tile 0 0] x y
event generate $picture <Motion> -x $x -y $y
like [set $told] {from 0  to 1  :  2 messages} "and zooms to its ranks"
type Home
like [point_at 2 1] {from 2  to 1} "Home: all of them"

# ---- Going there
zoom 0 0.01
click_at {*}[tile 2 1]
lassign [window] t0 t1
ok [expr {$t0 < 0.261 && $t1 > 0.28 && $t1 - $t0 < 0.2}] "a click goes to the longest message: [window]"
ok [expr {[$plot find withtag choice] ne {}}] "which is framed"
fit
type Home
type Right
type Right
type Down
like [set $told] {from 1  to 1} "keys go from tile to tile"
type Up
zoom 0 0.01
type Return
lassign [window] t0 t1
ok [expr {$t0 < 0.241 && $t1 > 0.25 && $t1 - $t0 < 0.1}] "Return goes to the message"
fit

# ---- Waiting
set waited [late]
is [lmap rank $waited {list [dict get $rank rank] [dict get $rank late_sender] [dict get $rank late_receiver]}] \
    {{1 80000000 0} {0 0 80000000} {2 0 0}} "late: who waited, by rank"
is [lmap state [late states] {list [dict get $state name] [dict get $state late_sender] [dict get $state late_receiver]}] \
    {{MPI_Waitall 50000000 0} {MPI_Recv 30000000 0} {MPI_Send 0 80000000}} "by the calls that waited"
set tree $board.body.book.table.tree
is [$tree item [lindex [$tree children {}] 0] -values] "MPI_Waitall 1 {50.00 ms} 0 {}" "in the table"
is [dict get [matrix pair 0 1] late_sender],[dict get [matrix pair 2 1] late_sender] 30000000,50000000 "a Waitall waits for the latest"
$board.body.book.table.by.pairs invoke
$tree heading bytes
update
is [llength [$tree children {}]] 3 "pairs, by a click"
$board.body.book select 0
# The waiting times stay when another value is chosen, also when the matrix is computed again.
matrix count
matrix of whole
is [dict get [matrix pair 0 1] late_sender] 30000000 "waiting times are kept with another value"
matrix of window
matrix late_sender
ok [expr {[seen 0 2] eq $paper && [seen 0 1] ne $paper}] "the picture: late senders"
matrix late_receiver
ok [expr {[seen 0 2] ne $paper && [seen 0 1] eq $paper}] "late receivers"

matrix waiting
[[lindex [info class instances ::pith::Window] 0] part Waiting] wait_for
sync
matrix
is [dict get [matrix pair 2 1] waiting],[dict get [matrix pair 2 0] waiting] 50000000,80000000 "waiting of one rank for each other rank, in all calls"
ok [expr {[seen 2 0] ne $paper}] "in the picture"
matrix late_receiver

# ---- Files
matrix save matrix.csv
is [lindex [split [read_file matrix.csv] \n] 1] "0,1,2,5000,0.014000000,357143,0.030000000,0.000000000,0.030000000" "matrix save FILE.csv"
matrix save matrix.png
is [image width [image create photo -file matrix.png]] [winfo width $board] "FILE.png: a picture"
focus -force $board
update
event generate $board <Escape>
update
ok [expr {![winfo exists $board]}] "Escape closes it"

# ---- `matrix save` and `matrix pair` find the waiting times, also if the matrix showed another value before.
matrix count
matrix close
matrix save first.csv
is [lindex [split [read_file first.csv] \n] 1] "0,1,2,5000,0.014000000,357143,0.030000000,0.000000000,0.030000000" "a file has all values"
matrix close
is [dict get [matrix pair 0 1] late_sender] 30000000 "a pair, too"
matrix comm MPI_COMM_WORLD
matrix save comm.csv
is [lindex [split [read_file comm.csv] \n] 1] "0,1,2,5000,0.014000000,357143,0.030000000,0.000000000," \
    "of one communicator, waiting is not known"
done
