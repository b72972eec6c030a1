#!/usr/bin/env bash
# The logging calls of MPE in C and Fortran: their results, and every record of the log.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

# build MPI: builds ./calls-MPI and ./fcalls-MPI, linked by MPE's name, and ./shared-MPI with the shared library
build_all() {
    local folder=$build/lib/pith/$1 flags
    flags="-g -O1 $(sanitizers)"
    # shellcheck disable=SC2086 # flags are words
    "mpicc.$1" $flags -Wno-stringop-overread -I"$build/include" -o "calls-$1" "$top/test/mpi/mpe_calls.c" -L"$folder" -lmpe -lpthread &&
        "mpicc.$1" $flags -Wno-stringop-overread -I"$build/include" -o "shared-$1" "$top/test/mpi/mpe_calls.c" "$folder/libpith-mpe.so" \
            -Wl,-rpath,"$folder" -lpthread &&
        "mpif90.$1" $flags -I"$build/include" -o "fcalls-$1" "$top/test/mpi/mpe_calls.f90" -L"$folder" -lmpe
}
# run MPI RANKS PROGRAM...: runs it; sorted output in out, stderr in err, exit status in $status
run() {
    local mpi=$1 ranks=$2
    shift 2
    rm -rf ./*.pith ./*.spill ./*.clog2
    TIMEOUT=60 timeout -k 5 90 "mpiexec.$mpi" -n "$ranks" "$@" >out.raw 2>err
    status=$?
    sort out.raw >out
}
# records LOG RANK: the records of one rank, without times and Pith's own state
records() { pith print "$1" | grep -v '^#' | grep -v 'pith:flush' | awk -F '\t' -v r="$2" '$2 == r' | cut -f 4-; }
tabs() { sed 's/ *| */\t/g'; }

# ---- the expected records ----
# log_on NUMBER
log_on() {
    cat <<END
enter | Broadcast | comm=$1
event | tock | comm=$1 | payload=X=11 E=0
event | plain | comm=$1
event | plain
event | Broadcast info | comm=$1 | payload="said"
leave | Broadcast | comm=$1
END
}
# first RANK SIZE
first() {
    local r=$1 n=$2 next=$((($1 + 1) % $2)) before=$((($1 + $2 - 1) % $2)) partner=$(($1 ^ 1))
    tabs <<END
enter | Broadcast
event | plain
leave | Broadcast
enter | Compute
event | Compute info | payload=i=$((100 + r)) l=-5000000000
event | tick | payload=hello h=-3 d=$((100 + r)) x=beef e=0.5
event | tock | payload=X=123456789abc E=0.33333333333333331
event | Compute info | payload=i=0 l=20015998343868
leave | Compute
enter | Exchange
send | MPI_COMM_WORLD | comm=0 | peer=$next | tag=7 | bytes=64
recv | MPI_COMM_WORLD | comm=0 | peer=$before | tag=7 | bytes=64 | posted=0
comm | | comm=1 | op=create
$(log_on 1)
send | | comm=1 | peer=$next | tag=8 | bytes=128
recv | | comm=1 | peer=$before | tag=8 | bytes=128 | posted=1
END
    [ $((n % 2)) = 1 ] || tabs <<END
comm | | comm=2 | op=create
send | | comm=2 | peer=$partner | tag=9 | bytes=256
recv | | comm=2 | peer=$partner | tag=9 | bytes=256 | posted=2
$(log_on 2)
comm | | comm=2 | op=free
END
    tabs <<END
comm | | comm=1 | op=free
leave | Exchange
pause |
resume |
enter | described in a pause
leave | described in a pause
enter | a name that is longer than the thirty-one bytes of CLOG-2
event | a name that is longer than the thirty-one bytes of CLOG-2 info | payload="a text without a format"
leave | a name that is longer than the thirty-one bytes of CLOG-2
END
}
second() {
    local name="of rank 0"
    [ "$1" = 0 ] || name="of the others"
    tabs <<END
leave | $name
enter | $name
enter | $name
enter | overlaps
leave | $name
leave | overlaps
enter | state 702
leave | state 702
event | event 5700
event | event -7
event | event 2147483647
event | event 9999 | payload="nobody knows"
END
}
fortran() {
    tabs <<END
pause |
resume |
enter | Broadcast
leave | Broadcast
enter | Compute
event | Compute info | payload=i=42
leave | Compute
event | tick | payload=text=5
event | plain
enter | two words
send | MPI_COMM_WORLD | comm=0 | peer=$((($1 + 1) % $2)) | tag=3 | bytes=16
recv | MPI_COMM_WORLD | comm=0 | peer=$((($1 + $2 - 1) % $2)) | tag=3 | bytes=16 | posted=0
leave | two words
END
}
# same LOG FUNCTION SIZE WHAT: compares the records of every rank
same() {
    local rank got='' wanted=''
    for ((rank = 0; rank < $3; rank++)); do
        got+="rank $rank"$'\n'$(records "$1" $rank)$'\n'
        wanted+="rank $rank"$'\n'$("$2" $rank "$3")$'\n'
    done
    is "$got" "$wanted" "$4"
}
# The reader's number of a communicator depends on the log, so it is removed from messages.
returned='MPE_Describe_state(1, 2, "late", "red") 4
MPE_Finish_log("first") 0
MPE_Finish_log("never") 0
MPE_Finish_log("second again") 0
MPE_Finish_log("second") 0
MPE_Finish_log("third") 0
MPE_Finish_log("too late") 0
MPE_Init_log() 0
MPE_Init_log() 4
MPE_Initialized_logging() 0
MPE_Initialized_logging() 1
MPE_Initialized_logging() 2
MPE_Log_event(1, 0, NULL) 4
MPE_Log_event(600, 0, NULL) 4
MPE_Log_pack(NULL, &pos, '\''h'\'', 1, &size) 5
MPE_Log_pack(bytes, &pos, '\''d'\'', 1, &size) 5
MPE_Log_pack(bytes, &pos, '\''h'\'', -1, &size) 5
MPE_Log_pack(bytes, &pos, '\''h'\'', 1, NULL) 5
MPE_Log_pack(bytes, &pos, '\''h'\'', 2147483647, &size) 5
MPE_Log_pack(bytes, &pos, '\''q'\'', 1, &size) 5
MPE_Log_pack(bytes, &pos, '\''s'\'', 2, "xx") 5
MPE_Log_pack(bytes, NULL, '\''h'\'', 1, &size) 5
MPE_Start_log() 0
MPE_Start_log() 4
bytes changed 0
first number 600
name before 0
numbers 600 601 602 605 606 607 5000 5001 5002
packed 21
position 29
wrote /first.pith'
notable() { sort -u out | grep -E '^(MPE_(Fin|Init|Start)|[a-z])| [45]$'; }

for mpi in $(mpis); do
    build_all "$mpi" >build.out 2>&1
    ok $? "$mpi: a program builds with -lmpe" || sed 's/^/# /' build.out
    for ranks in 1 2 4; do
        name="$mpi $ranks"
        run "$mpi" $ranks "./calls-$mpi"
        is "$status:$(notable)" "0:$returned" "$name: what the calls return" || head -n 20 err
        same first.pith first $ranks "$name: the records, described on rank 0"
        same second.pith second $ranks "$name: the records of misuse"
        is "$(pith print third.pith | grep -v '^#' | grep -v pith:flush | cut -f 2,4- | sort | uniq -c | awk '{ $1 = $1 } 1' | sort)" \
            "$(for ((r = 0; r < ranks; r++)); do echo "4000 $r enter in a thread"; echo "4000 $r leave in a thread"
                for t in 0 1 2 3; do echo "1000 $r event of a thread payload=$t"; done; done | sort)" "$name: records of four threads"
        for log in first second third; do
            is "$(pith check $log.pith >check.out 2>&1; echo $?)" 0 "$name: $log: a good log" || cat check.out
        done
        run "$mpi" $ranks "./fcalls-$mpi"
        is "$status:$(grep -c . out)" "0:33" "$name: Fortran ends well" || cat out err
        same fortran.pith fortran $ranks "$name: the records of the Fortran program"
    done
    is "$(head -n 3 out | tr -s ' '; grep -E 'overflow|position|finished|before|running' out)" " 600 601 602 603 604 605 5000 5001
bare 0
before 4
before  4
finished  2
overflow  5
position 30
running  1" "$mpi: what Fortran gets"

    # With libpith-mpi there is one log, which MPE_Finish_log writes. MPE's records are the same.
    for program in calls shared; do
        run "$mpi" 2 pith run "./$program-$mpi"
        is "$status:$(echo ./*.pith)" "0:./first.pith ./second.pith ./third.pith" "$mpi $program: with pith run one log at each end" || cat err
        is "$(records first.pith 1 | grep -vE 'MPI_(Init|Comm|Interc|Query)|^(comm|coll)' | sed 's/comm=[0-9]*/comm/; s/posted=[0-9]*//')" \
            "$(first 1 2 | grep -v '^comm' | sed 's/comm=[0-9]*/comm/; s/posted=[0-9]*//')" "$mpi $program: the records beside those of MPI's calls"
        is "$(records first.pith 0 | grep -cP 'enter\tMPI_Comm_split$')" 2 "$mpi $program: MPI's calls, each once"
        is "$(records first.pith 0 | grep -c op=create)" 3 "$mpi $program: each communicator once"
        is "$(records first.pith 0 | grep -cP 'MPI_Comm_(set|get)_attr|MPI_Initialized')" 0 "$mpi $program: none of libmpe's own"
    done

    # Programs that do not call MPE_Finish_log, or MPE_Init_log.
    run "$mpi" 2 "./calls-$mpi" forgot
    is "$status:$(records "calls-$mpi.pith" 1)" "0:$(printf 'enter\tBroadcast\nleave\tBroadcast')" "$mpi: without MPE_Finish_log the log comes in MPI_Finalize"
    run "$mpi" 2 "./calls-$mpi" early
    is "$status:$(grep -c 'MPE_Init_log was called before MPI_Init' err):$(records "calls-$mpi.pith" 1)" \
        "0:1:$(printf 'enter\tBroadcast\nleave\tBroadcast')" "$mpi: MPE_Init_log before MPI_Init"

    run "$mpi" 3 "./calls-$mpi" duplicates
    is "$status:$(pith print duplicates.pith | grep -c '^# comm') $(pith info duplicates.pith | grep ^messages)" "0:4 messages: 3" "$mpi: duplicates are told apart, whoever uses them first"
    pith print duplicates.pith | cut -f 2,4- | grep -v pith: >duplicates.txt
    is "$(grep -c 'event.e.comm=' duplicates.txt) $(grep '^2.event' duplicates.txt | cut -f 4) $(grep -c 'key=mpe_comm_5000' duplicates.txt)" "4 $(grep '^1.event' duplicates.txt | cut -f 4) 1" "$mpi: so their events, and what was described of one"

    # Numbers that other ranks describe, in different ways; also in a job that ended before the merge.
    differ=
    for who in 2 2 2 3; do
        differ+=$(printf 'enter | of rank %d\nevent | of rank %d info | payload="done"\nleave | of rank %d\n' $who $who $who | tabs)$'\n'
    done
    run "$mpi" 4 "./calls-$mpi" differ
    is "$(for r in 0 1 2 3; do records "calls-$mpi.pith" $r; done)" "${differ%$'\n'}" "$mpi: a rank's own word, else that of the lowest"
    run "$mpi" 4 "./calls-$mpi" die
    pith recover "calls-$mpi.pith.spill" -o recovered.pith >/dev/null
    is "$(for r in 0 1 2 3; do records recovered.pith $r; done)" "${differ%$'\n'}" "$mpi: pith recover does the same"

    # Selections by rank and by name apply to the described states, not to their numbers.
    PITH_RANKS=1 run "$mpi" 2 "./calls-$mpi"
    is "$status:$(records first.pith 0):$(records first.pith 1 | grep -vP '^(comm|send|recv)')" "0::$(first 1 2 | grep -vP '^(comm|send|recv)')" "$mpi: PITH_RANKS=1, described on rank 0"
    PITH_ONLY=Broadcast run "$mpi" 2 "./calls-$mpi"
    is "$status:$(records first.pith 1 | grep -vE '^(pause|resume)')" "0:$(first 1 2 | grep Broadcast | sed 's/\tcomm=[0-9]//')" "$mpi: PITH_ONLY, of a state described on rank 0"

    # The same log as CLOG-2 and ALOG, with the program's numbers, and CLOG-2 when an environment variable asks for it.
    PITH_FORMAT=clog2 run "$mpi" 2 "./calls-$mpi"
    is "$status:$(echo ./*.pith ./*.clog2):$(grep wrote out)" "0:./*.pith ./first.clog2 ./second.clog2 ./third.clog2:wrote /first.clog2" "$mpi: PITH_FORMAT=clog2"
    is "$(records first.clog2 1 | sed 's/comm=[0-9]/comm/')" "$(first 1 2 | grep -vP '^(pause|resume)\t' | sed 's/thirty-one bytes of CLOG-2//; s/  *\(info\|$\|\t\)/ \1/; s/comm=[0-9]/comm/' |
        sed 's/ *\(\t\|$\)/\1/g')" "$mpi: .clog2 has the same records"
    python3 "$top/test/golden/clog2_dump.py" first.clog2 >dump.txt
    ok $? "$mpi: it is as strict readers want it" || tail -n 3 dump.txt
    is "$(sed -nE 's/.* (s_et=[0-9]+ e_et=[0-9]+) .* name=([^ ]+).*/\1 \2/p; s/.* edef (et=[0-9]+) .* name=([^ ]+).*/\1 \2/p' dump.txt | grep -v pith: | sort)" \
        "et=5000 tick
et=5001 tock
et=5002 plain
s_et=560 e_et=561 CLOG_Buffer_write2disk
s_et=600 e_et=601 Broadcast
s_et=602 e_et=603 Compute
s_et=604 e_et=605 Exchange
s_et=606 e_et=607 a
s_et=608 e_et=609 described" "$mpi: it has the numbers of the program"
    is "$(grep -cE '^[0-9.]+ [356] [01] 0 (bare|cago) et=(600|601|5001|5002)' dump.txt):$(grep -c 'comm et=intra icomm=3' dump.txt)" "16:2" "$mpi: records on a communicator are on its lines"
    pith convert first.clog2 again.pith 2>/dev/null && pith convert again.pith again.clog2 2>/dev/null
    is "$(records again.clog2 1)" "$(records first.clog2 1)" "$mpi: nothing of it is lost on the way to .pith and back"
    is "$(grep -c 'cago et=602 bytes=000000[0-9a-f]*fffffffed5fa0e00' dump.txt) $(grep -c 'cago et=603 ' dump.txt)" "2 2" "$mpi: payloads of states are where they were"
    pith convert first.clog2 first.alog 2>/dev/null
    is "$(sed -nE 's/^-13 0 ([0-9]+ [0-9]+) 0 0 [^ ]+ ([^ ]+).*/\1 \2/p; s/^-9 0 0 ([0-9]+) 0 0 ([^ ]+)$/\1 \2/p' first.alog | grep -v pith: | sort)" \
        "5000 tick
5001 tock
5002 plain
600 601 Broadcast
602 603 Compute
604 605 Exchange
606 607 a
608 609 described" "$mpi: so has ALOG"

    # Intercommunicators: messages are between the right ranks of the world, for our reader and for one that pairs as Jumpshot does.
    "mpicc.$mpi" -o across "$top/test/mpi/across.c" -L"$build/lib/pith/$mpi" -llmpe -lmpe -lpthread
    ok $? "$mpi: a program with intercommunicators links"
    for ranks in 2 3 4; do
        MPE_LOGFILE_PREFIX=across run "$mpi" $ranks ./across
        is "$status:$(python3 "$top/test/golden/clog2_dump.py" --messages across.clog2 | sort)" "0:$(<out)" "$mpi $ranks: between groups: messages as Jumpshot pairs them" || head err
        is "$(lines across.clog2 recv | sed -E 's/^([0-9]+).*peer=([0-9]+)\ttag=([0-9]+)\tbytes=([0-9]+).*/\2 -> \1 tag=\3 sz=\4/' | sort)" "$(<out)" "$mpi $ranks: as the reader pairs them"
        python3 "$top/test/golden/clog2_dump.py" across.clog2 >dump.txt
        is "$(grep -oE 'comm et=(inter|local|remote) .* wrank=' dump.txt | sed 's/icomm=[0-9]* //' | sort | uniq -c | awk '{ $1 = $1 } 1')" \
            "$(for k in inter local; do for ((r = 0; r < ranks - 1; r++)); do echo "$((2 + 2 * (r == 0))) comm et=$k rank=$r wrank="; done; done; echo "$((2 * ranks)) comm et=remote rank=-1 wrank=")" "$mpi $ranks: three records of each member"
    done
done
finish
