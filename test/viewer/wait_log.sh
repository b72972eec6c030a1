# wait_log.sh - writes a text log of a second; tests of waiting source this after lib.sh. Of its three ranks, 0 receives
# from 0.2 to 0.6 what 1 sends from 0.5 on; then 0 computes until 0.9, while 1 (from 0.6 on) and 2 (from 0.3 on) are in
# MPI_Barrier until 0.92. Rank 2 is in the state `tail` until 0.96. MPI_Init ends at 0.1; MPI_Finalize begins at 0.94, on
# rank 2 at 0.98.
line() { printf '%.9f\t%s\t0\t%s\t%s' "$1" "$2" "$3" "$4"; shift 4; [ $# = 0 ] || printf '\t%s' "$@"; echo; }
call() { line "$2" "$1" enter "$4"; line "$3" "$1" leave "$4"; }
barrier() {
    call "$1" "$2" "$3" MPI_Barrier
    line "$2" "$1" coll MPI_COMM_WORLD comm=0 bytes=0 got_bytes=0 root=-1
}
wait_log() {
    printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=3\tranks=0,1,2\n'
    {
        for rank in 0 1 2; do
            call $rank 0 0.1 MPI_Init
        done
        call 0 0.2 0.6 MPI_Recv
        line 0.59 0 recv MPI_COMM_WORLD comm=0 peer=1 tag=0 bytes=8 posted=0
        call 1 0.5 0.55 MPI_Send
        line 0.51 1 send MPI_COMM_WORLD comm=0 peer=0 tag=0 bytes=8
        barrier 2 0.3 0.92
        barrier 1 0.6 0.92
        barrier 0 0.9 0.92
        call 0 0.94 1 MPI_Finalize
        call 1 0.94 1 MPI_Finalize
        call 2 0.92 0.96 tail
        call 2 0.98 1 MPI_Finalize
    } | sort -s -g -k 1,1
}
