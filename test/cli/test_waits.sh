#!/usr/bin/env bash
# pith stat --by wait: late senders and late receivers, against the definitions; collectives.
. "$(dirname "$0")/../lib.sh"
here=$top/test/cli

for case in "2 1" "2 60" "3 40" "5 60" "16 12" "100 3"; do
    for seed in 1 2 3; do
        # shellcheck disable=SC2086
        python3 "$here/wait_log.py" $case $seed expected >log.txt && pith convert log.txt log.pith
        ok $? "$case, seed $seed: a log"
        pith stat --by wait --csv log.pith >got.csv
        cat expected >>all
        is "$(tail -n +2 got.csv | cut -d, -f1-5,7 | sort)" "$(sort expected)" "its wait states are those of the definitions"
    done
done
like "$(cat all)" 'MPI_Waitall,MPI,late sender,[1-9]' "there are late senders in it"
like "$(cat all)" 'MPI_Waitall,MPI,late receiver,[1-9]' "there are late receivers in it"
is "$(head -n 1 got.csv)" "name,group,kind,count,wait_s,mean_s,max_s" "columns"

# rank 0 |== Waitall 10..100 ==|: Irecv at 0, Isend of a long message at 5
# rank 1     Irecv at 60, Isend at 80: both release rank 0's Waitall, the later one is the late sender's
line() { printf '%.9f\t%s\t0\t%s\t%s' "$(awk "BEGIN { print $1 / 1e9 }")" "$2" "$3" "$4"; shift 4; printf '\t%s' "$@"; echo; }
symmetric() { # when rank 1 calls Irecv, and Isend
    printf '# property\tkey=eager_bytes\tvalue=same_host=100 network=100\n'
    {
        line 0 0 enter MPI_Irecv; line 2 0 leave MPI_Irecv
        line 4 0 enter MPI_Isend; line 5 0 send MPI_COMM_WORLD comm=0 peer=1 tag=0 bytes=5000; line 6 0 leave MPI_Isend
        line 10 0 enter MPI_Waitall; line 99 0 recv MPI_COMM_WORLD comm=0 peer=1 tag=0 bytes=5000 posted=0; line 100 0 leave MPI_Waitall
        line "$1" 1 enter MPI_Irecv; line "$(($1 + 1))" 1 leave MPI_Irecv
        line "$2" 1 enter MPI_Isend; line "$2" 1 send MPI_COMM_WORLD comm=0 peer=0 tag=0 bytes=5000; line "$(($2 + 1))" 1 leave MPI_Isend
        line 95 1 enter MPI_Waitall; line 99 1 recv MPI_COMM_WORLD comm=0 peer=0 tag=0 bytes=5000 posted=0; line 100 1 leave MPI_Waitall
    } | sort -s -g -k 1,1
}
symmetric 60 80 >log.txt; pith convert log.txt log.pith
is "$(pith stat --by wait --csv log.pith | tail -n +2 | cut -d, -f1,3-5)" "MPI_Waitall,late sender,1,0.000000070" "the call waits for the latest: the send at 80"
symmetric 80 60 >log.txt; pith convert log.txt log.pith
is "$(pith stat --by wait --csv log.pith | tail -n +2 | cut -d, -f1,3-5)" "MPI_Waitall,late receiver,1,0.000000070" "or for the receive that is posted at 80"
sed 's/bytes=5000/bytes=50/' log.txt >short.txt; pith convert short.txt short.pith
is "$(pith stat --by wait --csv short.pith | tail -n +2 | cut -d, -f1,3-5)" "MPI_Waitall,late sender,1,0.000000050" "a buffered message waits for no receive"
is "$(pith stat --by wait --csv log.pith --from 30ns --to 50ns | tail -n +2 | cut -d, -f1,3-5)" "MPI_Waitall,late receiver,1,0.000000020" "a wait counts with its part in the window"
is "$(pith stat --by wait --csv log.pith --lane 1 | tail -n +2)" "" "and on the lane that waits"

# Collectives: both wait for rank 1 at the barrier; rank 1 for the data of rank 0.
{
    for rank in 0 1; do line 0 $rank enter MPI_Init; line 10 $rank leave MPI_Init; done
    line 20 0 enter MPI_Barrier; line 65 0 coll MPI_COMM_WORLD comm=0 root=-1 bytes=0 got_bytes=0; line 70 0 leave MPI_Barrier
    line 60 1 enter MPI_Barrier; line 65 1 coll MPI_COMM_WORLD comm=0 root=-1 bytes=0 got_bytes=0; line 70 1 leave MPI_Barrier
    line 100 0 enter MPI_Bcast; line 105 0 coll MPI_COMM_WORLD comm=0 root=0 bytes=8 got_bytes=0; line 110 0 leave MPI_Bcast
    line 75 1 enter MPI_Bcast; line 112 1 coll MPI_COMM_WORLD comm=0 root=0 bytes=0 got_bytes=8; line 115 1 leave MPI_Bcast
    for rank in 0 1; do line 200 $rank enter MPI_Finalize; line 210 $rank leave MPI_Finalize; done
} | sort -s -g -k 1,1 >colls.txt
printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1\n' | cat - colls.txt >colls2.txt; pith convert colls2.txt colls.pith
is "$(pith stat --by wait --csv colls.pith | tail -n +2 | cut -d, -f1,3-5)" "MPI_Barrier,wait at barrier,1,0.000000040
MPI_Bcast,late broadcast,1,0.000000025" "waits in collectives"
is "$(pith stat --by wait --csv colls.pith --state '*cast' | tail -n +2 | cut -d, -f1)" MPI_Bcast "of some states"
finish
