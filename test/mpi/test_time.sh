#!/usr/bin/env bash
# libpith-time: counts against an independent witness, known messages and bytes, its table and files.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
. "$top/test/mpi/real.sh"
python_mpi=$(/usr/bin/python3 -c 'from mpi4py import MPI; print("openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich")' 2>/dev/null)
export OMPI_MCA_btl_tcp_if_include=lo # else Open MPI 5 may say that it has no network for one machine
timed() { local mpi=$1 n=$2; shift 2; timeout -k 5 60 "mpiexec.$mpi" -n "$n" pith run --lib time "$@"; }
reads() { python3 "$top/test/mpi/timed.py" "$@"; }
# against WHAT MPI RANKS PROGRAM: each function as often, on each rank, as the counting preload saw it; but for those of
# $late, called inside MPI_Finalize or after it, when the table is written
late=MPI_Finalized
against() {
    local what=$1 mpi=$2 n=$3
    shift 3
    rm -rf counts t.csv t.json; mkdir counts
    COUNT_OUT=$PWD/counts LD_PRELOAD=$counter PITH_QUIET=1 timed "$mpi" "$n" -o t.csv "$@" >out 2>err
    is "$? $(grep -c pith err)" "0 0" "$mpi $n: $what: runs as ever" || head -n 5 err
    is "$(reads calls t.csv | sort | grep -vE " ($late) ")" "$(counted counts | grep -vE " ($late) ")" "$mpi $n: $what: every call of the program, once"
}

# What the ranks of `timed` send: "RANK FUNCTION MESSAGES BYTES".
wanted_sent() {
    local n=$1 r sum=$((2 * $1 * ($1 + 1)))
    for ((r = 0; r < n; r++)); do
        printf "$r %s\n" "MPI_Alltoall 0 $((12 * n))" "MPI_Allreduce 0 112" "MPI_Gather 0 8" "MPI_Reduce 0 16" \
            "MPI_Reduce_scatter 0 $sum" "MPI_Sendrecv 10 180" "MPI_Start 3 60" "MPI_Startall 1 20"
        [ $r != 0 ] || printf "$r %s\n" "MPI_Bcast 0 12" "MPI_Scatter 0 $((8 * n))" "MPI_Scatterv 0 $sum"
    done | sort
}

for mpi in $(mpis); do
    compile timed "$mpi"
    compile traced "$mpi"
    for ranks in 1 2 4; do
        against "many calls" "$mpi" $ranks ./timed-$mpi
        is "$(reads sent t.csv | sort)" "$(wanted_sent $ranks)" "$mpi $ranks: messages and bytes"
        is "$(reads share t.csv 2>&1)" "" "$mpi $ranks: the time in MPI is some of the run, and not more"
    done
    is "$(reads barrier t.csv | sort)" $'1 True\n2 True\n3 True' "$mpi: those who wait"

    PITH_TIME_MATRIX=1 PITH_TIME_COMM=1 timed "$mpi" 4 -o t.json ./timed-$mpi >out 2>err
    is "$? $(reads partners t.json | tr '\n' ',')" "0 0 1 14 260,1 2 14 260,2 3 14 260,3 0 14 260," "$mpi: JSON: the partners"
    is "$(reads comms t.json | sort)" "$(for r in 0 1 2 3; do printf "$r %s\n" 'MPI_Barrier 2 the "named", one' "MPI_Allreduce 7 ranks $((r % 2)) $((r % 2 + 2))"; done | sort)" "$mpi: JSON: the communicators"
    like "$(cat err)" "^MPI_Allreduce +14 .* ranks 1 3$" "$mpi: the table, beside a file for scripts"
    like "$(cat err)" '^ +3 +0 +14 +260$' "$mpi: the partners in the table"
    PITH_TIME_MATRIX=1 PITH_TIME_COMM=1 PITH_QUIET=1 timed "$mpi" 4 -o t.csv ./timed-$mpi >out 2>err
    is "$(cat err) $(reads comms t.csv) $(reads partners t.csv)" " $(reads comms t.json) $(reads partners t.json)" "$mpi: CSV: the same; PITH_QUIET=1: no table"
    is "$(sed -n 1p t.csv)" kind,rank,function,communicator,peer,calls,total_s,mean_s,min_s,max_s,messages,bytes,run_s "$mpi: CSV: its heading"
    timed "$mpi" 2 -o t.txt ./timed-$mpi >out 2>err
    is "$(cat err) $(grep -c '^rank [01]$' t.txt) $(grep -c '^MPI_Startall ' t.txt) $(ls t.txt*)" " 2 3 t.txt" "$mpi: text: one table for all and one for each rank"
    timed "$mpi" 2 ./timed-$mpi >out 2>err
    is "$(head -n 1 err | sed 's/[0-9.]* s,/N s,/; s/[0-9.]*%/N%/') $(grep -cE '^MPI_[A-Z][a-z_]+ +[0-9]+ +[0-9]+\.[0-9]{6} +[0-9.]+% +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+ +[0-9]+$' err)" \
        "pith: MPI calls of 2 ranks in N s, of which they took N% $(reads calls t.json | cut -d' ' -f 2 | sort -u | wc -l)" "$mpi: the table on standard error"
    PITH_ONLY='mpi_start*' PITH_QUIET=1 timed "$mpi" 2 -o t.json ./timed-$mpi
    is "$(reads calls t.json | tr '\n' ',')" "0 MPI_Start 6,0 MPI_Startall 1,1 MPI_Start 6,1 MPI_Startall 1," "$mpi: functions chosen"
    PITH_SKIP='MPI p*,MPI [ewcd]*' PITH_QUIET=1 timed "$mpi" 2 -o t.json ./timed-$mpi
    is "$(reads calls t.json | grep -cE 'MPI_(Send|Start|Init|Bcast|Comm_rank|Recv)')" 0 "$mpi: groups left out"
    timed "$mpi" 2 -o /nonexistent/t.csv ./timed-$mpi >out 2>err
    is "$? $(head -n 1 err)" "0 pith: PITH_TIME_FILE: /nonexistent/t.csv: No such file or directory; the table goes to standard error" "$mpi: a file that cannot be: said"

    PITH_QUIET=1 timed "$mpi" 2 -o t.json ./timed-$mpi threads
    is "$(reads calls t.json | grep -E 'rank|Send|Recv' | sort | tr '\n' ',')" "0 MPI_Comm_rank 4001,0 MPI_Recv 40,0 MPI_Send 40,1 MPI_Comm_rank 4001,1 MPI_Recv 40,1 MPI_Send 40," "$mpi: threads that come and go"
    PITH_QUIET=1 timed "$mpi" 1 -o t.json ./timed-$mpi pause
    is "$(reads calls t.json | grep -E 'Barrier|Pcontrol' | tr '\n' ',')" "0 MPI_Barrier 1,0 MPI_Pcontrol 2," "$mpi: MPI_Pcontrol"
    timed "$mpi" 1 ./timed-$mpi exit >out 2>err
    is "$(grep -c '^pith: no table of times: the program ended without MPI_Finalize$' err)" 1 "$mpi: a program that does not finalize: said"

    # User code inside MPI calls is the program's; what MPI does for itself is not. (Open MPI with ROMIO, which makes MPI calls.)
    OMPI_MCA_io=$(romio) against "callbacks and files" "$mpi" 2 ./traced-$mpi callbacks
    is "$(reads share t.csv 2>&1)" "" "$mpi: what callbacks call counts once"
    nests() { PITH_QUIET=1 timed "$mpi" 2 -o t.json ./timed-$mpi nested; [ "$(reads nested t.json)" = "True True" ]; }
    quota 1 4 nests # without a core for 100 ms, the outer call is long, too
    ok $? "$mpi: the time of a call inside another is not counted twice ($quota)" || reads nested t.json
    ./timed-$mpi session >out 2>&1
    if [ $? != 77 ]; then # 77: an MPI from before 4.0
        PITH_QUIET=1 timed "$mpi" 2 -o t.json ./timed-$mpi session
        is "$? $(reads sent t.json | tr '\n' ',')" "0 0 MPI_Allreduce 0 20,1 MPI_Allreduce 0 20," "$mpi: sessions"
    fi
    if [ "$mpi" = openmpi ]; then # (Debian's MPICH cannot start processes here.)
        compile spawn "$mpi"
        # Spawned processes get the environment of mpiexec; what its -x adds they get from Open MPI 4 only.
        PITH_QUIET=1 PITH_TIME_FILE="$PWD/sp.csv" LD_PRELOAD="$build/lib/pith/$mpi/libpith-time.so" timeout -k 5 60 mpiexec.openmpi -n 2 ./spawn-$mpi >out 2>err
        is "$? $(ls sp*.csv | sed 's/-[0-9]*//' | tr '\n' ' ')$(reads calls sp*.csv | grep -c 'MPI_Init ')" "0 sp.csv sp.spawned.csv 4" "$mpi: spawned processes have a file of their own" || cat err
    fi
    for sample in heat2d master_worker pi wave ring77; do
        [ -x "$build/samples/$mpi/$sample" ] || { skip "$mpi: $sample" "not built"; continue; }
        against "$sample" "$mpi" 4 "$build/samples/$mpi/$sample"
    done
    # mpi4py 4 frees its key while MPI_Finalize deletes its attribute.
    [ "$python_mpi" != "$mpi" ] || late='MPI_Finalized|MPI_Comm_free_keyval' against ring.py "$mpi" 2 /usr/bin/python3 "$top/samples/ring.py"
done
finish
