# card_log.sh - writes a text log of a second; tests of what a card says of a state source this after lib.sh. Its calls have
# call sites, messages and a collective of the three ranks.
. "$top/test/viewer/wait_log.sh"
# A call with its call site, which the recorder stores at the call's begin; or at its end, if the call took long.
sited() { call "$@"; line "$2" "$1" event pith:site "payload=address=$5"; }
sited_late() { line "$2" "$1" enter "$4"; line "$3" "$1" event pith:site "payload=address=$5"; line "$3" "$1" leave "$4"; }
part() { line "$1" "$2" coll MPI_COMM_WORLD comm=0 bytes=8 got_bytes=8 root=-1; }
card_log() {
    sed 's/|/\t/g' <<'T'
# property|key=code 11f abc|value=exchange_halo\t100\t80\tsrc/heat2d.c\t89\tsrc/heat2d.c\n
# property|key=code 21f abc|value=main\t200\t110\tsrc/heat2d.c\t128\tsrc/heat2d.c\n
# event|name=pith:module|colour=gray50|group=pith|format=begin=%X end=%X bias=%X build=%s path=%s
# event|name=pith:site|colour=gray50|group=pith|format=address=%X
# event|name=pith:coll_complete|colour=gray50|group=pith
# comm|comm=0|name=MPI_COMM_WORLD|size=3|ranks=0,1,2
T
    {
        for rank in 0 1 2; do
            line 0 $rank event pith:module 'payload=begin=0 end=1000 bias=0 build=abc path=/no/heat2d'
            call $rank 0 0.1 MPI_Init
        done
        call 0 0.15 0.94 step
        sited 0 0.2 0.6 MPI_Waitall 120
        line 0.4 0 event pith:coll_complete
        line 0.59 0 recv MPI_COMM_WORLD comm=0 peer=1 tag=7 bytes=4096 posted=0
        line 0.59 0 recv MPI_COMM_WORLD comm=0 peer=2 tag=9 bytes=16 posted=1
        call 1 0.3 0.35 MPI_Isend
        line 0.31 1 send MPI_COMM_WORLD comm=0 peer=0 tag=7 bytes=4096
        call 2 0.4 0.45 MPI_Send
        line 0.41 2 send MPI_COMM_WORLD comm=0 peer=0 tag=9 bytes=16
        sited_late 0 0.62 0.68 MPI_Recv 120
        call 0 0.68 0.685 after
        line 0.67 0 recv MPI_COMM_WORLD comm=0 peer=2 tag=3 bytes=100 posted=2
        call 2 0.5 0.55 MPI_Send
        line 0.51 2 send MPI_COMM_WORLD comm=0 peer=0 tag=3 bytes=100
        sited 1 0.7 0.92 MPI_Allreduce 220
        part 0.7 1
        sited 2 0.75 0.92 MPI_Allreduce 220
        part 0.75 2
        sited 0 0.9 0.92 MPI_Allreduce 220
        part 0.9 0
        for rank in 0 1 2; do call $rank 0.95 1 MPI_Finalize; done
    } | sort -s -g -k 1,1
}
