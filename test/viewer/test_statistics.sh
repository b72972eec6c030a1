#!/usr/bin/env bash
# The windows with statistics: with real events, in a display of their own (lengths_checks.tcl ...).
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
"$make_log" plain plain.pith && "$make_log" rich rich.pith && "$make_log" late late.pith
ok $? "logs are made"
start_display
inside plain.pith lengths_checks.tcl
inside rich.pith lengths_range_checks.tcl
# Instances of known lengths, far enough from each other to be dots of their own.
awk 'BEGIN { srand(5)
    for (rank = 0; rank < 4; rank++)
        for (i = 0; i < 9; i++) {
            from = i * 0.1 + rank * 0.02 + 0.001
            to = from + (rank == 2 && i == 5 ? 90 : 10 + 3 * rank + int(rand() * 9) + (rank == 3 ? 20 : 0)) / 1000
            printf "%d %.3f %.3f\n", rank, from, to
        } }' >maps.list
{
    awk '{ printf "%s\t%d\t0\tenter\twork\n%s\t%d\t0\tleave\twork\n", $2, $1, $3, $1 }' maps.list
    printf '0.2\t0\t0\tsend\t\tpeer=1\ttag=0\tbytes=2500\n0.25\t1\t0\trecv\t\tpeer=0\ttag=0\tbytes=2500\n'
} | sort -s -g -k 1,1 >maps.txt
inside maps.txt lengths_map_checks.tcl
inside plain.pith interval_checks.tcl
inside late.pith matrix_checks.tcl
is "$(pith view late.pith -e 'late; sync; update; set tree [winfo toplevel [canvas]].matrix.body.book.table.tree
    puts [expr {[::tcl::mathop::+ {*}[lmap column [$tree cget -columns] {$tree column $column -width}]] <= [winfo width $tree]}]; quit' 2>&1)" 1 \
    "all columns of the ranks fit into their table"
printf '%s\t0\t0\t%s\tMPI_Send\n' 0 enter 0.2 leave 0.5 enter 0.6 leave >gaps.txt
out=$(pith view gaps.txt -e '
    select 0.1 0.55
    puts [dict get [stats] states]
    set top [[lindex [info class instances ::pith::Window] 0] top]
    puts [$top.panes.selection.body.book.states.tree item computing -values]
    quit' 2>&1)
is "$out" "{MPI_Send 2 0.150000000 0.150000000 0.333333} {computing {} {} 0.300000000 0.666667}
{} {} {300.0 ms} {66.7 %}" "the time outside all states is computing"
{
    printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=3\tranks=0,1,2\n'
    for rank in 0 1 2; do
        printf '0.%d\t%d\t0\tenter\tMPI_Barrier\n0.%d\t%d\t0\tcoll\t\tcomm=0\tbytes=0\tgot_bytes=0\troot=-1\n' $((rank * 2)) $rank $((rank * 2)) $rank
        printf '0.5\t%d\t0\tleave\tMPI_Barrier\n' $rank
    done
} | sort -s -g -k 1,1 >barrier.txt
out=$(pith view barrier.txt -e 'matrix; matrix waiting; [[lindex [info class instances ::pith::Window] 0] part Waiting] wait_for
    sync; matrix; puts [dict get [matrix pair 2 0] waiting],[dict get [matrix pair 2 1] waiting]; matrix save barrier.csv; quit' 2>&1)
is "$out $(cat barrier.csv)" "400000000,200000000 from,to,count,bytes,time_s,bandwidth,late_sender_s,late_receiver_s,waiting_s
2,0,0,0,0.000000000,0,0.000000000,0.000000000,0.400000000
2,1,0,0,0.000000000,0,0.000000000,0.000000000,0.200000000" "the matrix has waiting in collectives"
out=$(pith view plain.pith -e 'lengths nonsense' 2>&1)
is "$out" "pith: view: -e: no state is called nonsense" "lengths of a state that is not there"
out=$(pith view plain.pith -e 'lengths blue; close; quit' 2>&1)
is "$?:$out" "0:" "the window goes while a board is open"
# Very many values are rounded, which the window says with their number.
"$make_log" crowd crowd.pith
out=$(pith view crowd.pith -e 'proc all {path} { list {*}[winfo children $path] {*}[concat {*}[lmap one [winfo children $path] {all $one}]] }
    lengths sizes; sync; foreach one [all [winfo toplevel [canvas]].lengths] {
        if {[winfo class $one] eq "TLabel" && [$one cget -textvariable] ne {}} { puts [set [$one cget -textvariable]] } }; quit' 2>&1)
like "$out" '^5.*values are many: they are rounded' "a large distribution: values are rounded"
for kind in empty point nasty; do
    "$make_log" $kind $kind.pith
    out=$(pith view $kind.pith -e 'lengths; lengths log on; lengths as time; lengths as ranks; lengths messages; lengths save x.svg; matrix; late; late states; stats; select 0 1; stats x.csv; matrix save x.png; quit' 2>&1)
    is "$?:$out" "0:" "an odd log has statistics: $kind"
done
finish
