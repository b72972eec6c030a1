#!/usr/bin/env bash
# The pane of findings, on a screen of the usual resolution and on one of twice that.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
. "$top/test/viewer/wait_log.sh"
# Two ranks are late for a barrier, each in a state of its own; a receive waits.
{
    printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=4\tranks=0,1,2,3\n'
    {
        for rank in 0 1 2 3; do
            call $rank 0 0.1 MPI_Init
            call $rank 0.1 $([ $rank = 0 ] && echo 0.45 || echo 0.2) alpha
            barrier $rank $([ $rank = 0 ] && echo 0.45 || echo 0.2) 0.47
            call $rank 0.47 $([ $rank = 1 ] && echo 0.82 || echo 0.5) beta
            barrier $rank $([ $rank = 1 ] && echo 0.82 || echo 0.5) 0.84
            call $rank 0.96 1 MPI_Finalize
        done
        call 0 0.85 0.93 MPI_Recv
        line 0.92 0 recv MPI_COMM_WORLD comm=0 peer=1 tag=0 bytes=8 posted=0
        call 1 0.9 0.91 MPI_Send
        line 0.905 1 send MPI_COMM_WORLD comm=0 peer=0 tag=0 bytes=8
    } | sort -s -g -k 1,1
} >log.txt
pith convert log.txt log.pith
ok $? "a log is made"
screen_size=1500x900
start_display
for scale in 1 2; do
    pith view log.pith -e "prefer scale $scale; quit"
    inside log.pith findings_checks.tcl
    is "$(grep -v '^ok\|^#' checks.out)" "" "scale $scale: nothing else is said"
done
finish
