#!/usr/bin/env bash
# PITH_ONLY, PITH_SKIP, PITH_RANKS: what is left out is not in the log, all else is as without, and the program never notices.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
reader matched
# names LOG: functions called, without the recorder's own state
names() { calls_of "$1" | grep -v '^pith:' | tr '\n' ' '; }
# kinds LOG: which kinds of records of messages and communicators there are
kinds() { pith print "$1" | grep -oP '^[0-9.]+\t\d+\t\d+\t(send|recv|coll|comm\w*)(?=\t)' | cut -f 4 | sort -u | tr '\n' ' '; }
# same WHAT: ended well, with the output of the plain run
same() { is "$status $(cat out)" "0 $(cat plain.out)" "$1: runs as ever" || head -n 20 err; }
# gaps LOG: how many sends and collectives came less than 19 ms after what their rank did before
gaps() { pith print "$1" | awk -F '\t' '/^#/ { next } ($4 == "send" || /coll.*root=0/) && $1 - last[$2] < 0.019 { n++ } { last[$2] = $1 } END { print n + 0 }'; }
all_point="MPI_Irecv MPI_Isend MPI_Recv_init MPI_Request_free MPI_Send_init MPI_Start "

for mpi in $(mpis); do
    compile chosen "$mpi"
    compile p2p "$mpi"
    for ranks in 1 2 4; do
        name="$mpi $ranks"
        plain chosen "$mpi" $ranks
        record chosen "$mpi" $ranks
        all=$(names chosen.pith)
        PITH_SKIP='MPI_Comm_*,mpi wait' record chosen "$mpi" $ranks
        same "$name: PITH_SKIP"
        is "$(names chosen.pith)" "$(tr ' ' '\n' <<<"$all" | grep -vE 'MPI_(Comm_|Waitall)|^$' | tr '\n' ' ')" "$name: functions and a group left out"
        like "$(./matched chosen.pith)" "messages $((2 * ranks)) wrong 0 .* unmatched 0 0" "$name: their messages are there, and matched"
        PITH_ONLY='MPI_Bcast,MPI point-to-point,MPI file' PITH_SKIP='MPI_File_c*' record chosen "$mpi" $ranks
        same "$name: both"
        is "$(names chosen.pith)$(kinds chosen.pith)" "MPI_Bcast MPI_File_open MPI_File_write_at $all_point" "$name: what the one names and the other does not; no messages"
        is "$(lines chosen.pith event | cut -f 4 | sort | uniq -c | awk '{ print $1, $3, $4 }' | tr '\n' ' ')" "$ranks file access $ranks file open " "$name: events go with their group"
        PITH_ONLY=messages record chosen "$mpi" $ranks
        is "$(names chosen.pith)$(kinds chosen.pith | grep -c 'coll comm.* recv send')" 1 "$name: messages alone"
        like "$(./matched chosen.pith)" "messages $((2 * ranks)) wrong 0 .* unmatched 0 0" "$name: matched without their calls"
        PITH_SKIP='MPI_Isend,MPI_Start,MPI_Bcast' record chosen "$mpi" $ranks
        is "$(gaps chosen.pith)" 0 "$name: a message whose call is left out has its own time"
        PITH_SKIP=messages record chosen "$mpi" $ranks
        is "$(names chosen.pith)$(kinds chosen.pith)" "$all" "$name: all calls, no messages"
    done

    plain p2p "$mpi" 4
    record p2p "$mpi" 4
    all=$(names p2p.pith)
    PITH_SKIP=messages record p2p "$mpi" 4
    same "$mpi: every way to send and receive, PITH_SKIP=messages"
    is "$(names p2p.pith)$(kinds p2p.pith)" "$all" "$mpi: all their calls, no messages"
    is "$(pith info p2p.pith | grep -E '^(messages|lost):' | tr -s ' ' | tr '\n' ' ')" "messages: 0 lost: 0 " "$mpi: nothing unmatched, nothing lost"
    PITH_RANKS=1-3:2,2 record p2p "$mpi" 4
    same "$mpi: PITH_RANKS without rank 0"
    like "$(cat err)" '^pith: p2p.pith: 3 of 4 ranks, [0-9]+ events, ' "$mpi: the last line tells how many"
    is "$(pith print p2p.pith | awk '!/^#/ { print $2 }' | sort -u | tr '\n' ' ')$(pith info p2p.pith | grep ranks_not | tr -s ' ')" "1 2 3 ranks_not_recorded: 1" "$mpi: three ranks have lanes"
    like "$(pith info p2p.pith | tr -s ' ' | tr '\n' ' ')" ' duration_s: [0-9]{1,3}\..* clock: (tsc|cntvct|clock_gettime) ' "$mpi: its end and its clock are known"
    is "$(pith check p2p.pith >/dev/null 2>&1; echo $?) $(ls -d p2p.pith*)" "0 p2p.pith" "$mpi: the log is good; no spill folder is left"
    PITH_RANKS=7 record p2p "$mpi" 4
    same "$mpi: PITH_RANKS without any rank of the job"
    is "$(cat err) $(ls -d p2p.pith* 2>&1 | grep -c '^p2p')" "pith: PITH_RANKS=7: the job has ranks 0 to 3; nothing is recorded 0" "$mpi: said; no log"
    PITH_RANKS=0..3 PITH_MAX_MB=1G record p2p "$mpi" 2
    is "$(grep -v 'events' err)" "pith: PITH_MAX_MB=1G: not a number of MiB, 1 or more; ignored
pith: PITH_RANKS=0..3: not a list of ranks such as 0-3,8,16-31:2; ignored" "$mpi: values that make no sense are said once"

    compile timed "$mpi"
    if ./timed-$mpi session >/dev/null 2>&1; [ $? != 77 ]; then # 77: an MPI from before 4.0
        PITH_RANKS=1 record timed "$mpi" 2 session
        is "$status $(grep -c ': 1 of 2 ranks, ' err)" "0 1" "$mpi: sessions: all take part in the end"
    fi
    for sample in ring77 wave; do
        [ -x "$build/samples/$mpi/$sample" ] || { skip "$mpi: $sample" "not built"; continue; }
        cp "$build/samples/$mpi/$sample" "$sample-$mpi"
        PITH_ONLY='mpi_*send*,mpi_init' PITH_RANKS=1 record "$sample" "$mpi" 2
        is "$status $(calls_of $sample.pith | grep -cvE '^(MPI_[A-Za-z]*[Ss]end[a-z_]*|MPI_Init|pith:flush)$') $(calls $sample.pith MPI_Init) $(kinds $sample.pith)" "0 0 1 " "$mpi: Fortran: $sample"
    done
done
finish
