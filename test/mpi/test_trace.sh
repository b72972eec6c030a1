#!/usr/bin/env bash
# libpith-trace: the exact lines of a known program, whole lines from many threads, the last line of those that die.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
python_mpi=$(/usr/bin/python3 -c 'from mpi4py import MPI; print("openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich")' 2>/dev/null)
traced() { local mpi=$1 n=$2; shift 2; timeout -k 5 60 "mpiexec.$mpi" -n "$n" pith run --lib trace "$@"; }
shape='^\[[0-9]+(\.[0-9]+)?\] (Starting MPI_[A-Za-z_]+( with [a-z]+ = [a-z0-9]+(, [a-z]+ = [a-z0-9]+)*)?\.\.\.|Ending MPI_[A-Za-z_]+( with .*)?)$'

# What rank $1 of $2 says of `traced`.
wanted() {
    local r=$1 to=$((($1 + 1) % $2)) from=$((($1 + $2 - 1) % $2))
    sed "s/^/[$r] /" <<END
Starting MPI_Init...
Ending MPI_Init
Starting MPI_Comm_rank...
Ending MPI_Comm_rank
Starting MPI_Comm_size...
Ending MPI_Comm_size
Starting MPI_Bcast...
Ending MPI_Bcast
Starting MPI_Irecv with count = 4, source = $from, tag = 5...
Ending MPI_Irecv
Starting MPI_Isend with count = 3, dest = $to, tag = 5...
Ending MPI_Isend
Starting MPI_Waitall with count = 2...
Ending MPI_Waitall
Starting MPI_Sendrecv with count = 1, dest = $to, tag = 6, source = $from, tag = 6...
Ending MPI_Sendrecv with bytes = 4, source = $from, tag = 6
Starting MPI_Isend with count = 2, dest = $to, tag = 7...
Ending MPI_Isend
Starting MPI_Probe with source = any, tag = 7...
Ending MPI_Probe with bytes = 8, source = $from, tag = 7
Starting MPI_Recv with count = 2, source = any, tag = any...
Ending MPI_Recv with count = 2, source = $from, tag = 7
Starting MPI_Wait...
Ending MPI_Wait
Starting MPI_Send with count = 1, dest = none, tag = 1...
Ending MPI_Send
Starting MPI_Pcontrol...
Ending MPI_Pcontrol
Starting MPI_Pcontrol...
Ending MPI_Pcontrol
Starting MPI_Barrier...
Ending MPI_Barrier
${3-Starting MPI_Finalize...
Ending MPI_Finalize}
END
}

for mpi in $(mpis); do
    compile traced "$mpi"
    for ranks in 1 2 4; do
        traced "$mpi" $ranks ./traced-$mpi >out 2>err
        is "$? $(cat out)" "0 " "$mpi $ranks: runs as ever"
        is "$(sort -s -t']' -k1,1 err)" "$(for ((r = 0; r < ranks; r++)); do wanted $r $ranks; done)" "$mpi $ranks: the lines, on standard error"
    done
    rm -f of.*; traced "$mpi" 2 -o of.%r ./traced-$mpi 2>err
    is "$(cat err; cat of.0) $(cat of.1)" "$(wanted 0 2) $(wanted 1 2)" "$mpi: a file for each rank"
    rm -f all; (mkdir -p sub; PITH_TRACE_FILE=all PITH_ONLY='mpi_*send' PITH_SKIP='MPI_I*' traced "$mpi" 2 ./traced-$mpi 2>err)
    is "$(cat err; sort all)" "$(for r in 0 1; do wanted $r 2 | grep -E 'MPI_Send( |$)'; done | sort)" "$mpi: one file for all, functions chosen"
    PITH_SKIP='MPI point-to-point, MPI environment,MPI_[^S]*' traced "$mpi" 2 ./traced-$mpi 2>err
    is "$(grep -o 'Starting [A-Za-z_]*' err | sort -u | tr '\n' ' ')" "$(for r in 0 1; do wanted $r 2; done | grep -o 'Starting MPI_S[A-Za-z_]*' | grep -vE 'send|recv|Start' | sort -u | tr '\n' ' ')" "$mpi: groups left out"
    PITH_TRACE_TIME=1 PITH_ONLY=MPI_Barrier traced "$mpi" 1 ./traced-$mpi 2>err
    like "$(tr '\n' '|' <err)" '^\[0\] [0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6} Starting MPI_Barrier\.\.\.\|\[0\] [0-9:.]{15} Ending MPI_Barrier after [0-9]+\.[0-9]{9} s\|$' "$mpi: with times"
    PITH_TRACE_FILE=/nonexistent/x traced "$mpi" 1 ./traced-$mpi 2>err
    is "$? $(head -n 1 err) $(grep -c . err)" "0 pith: PITH_TRACE_FILE: /nonexistent/x: No such file or directory; the trace goes to standard error 35" "$mpi: a file that cannot be: said"

    for way in stderr file; do
        rm -f all
        if [ $way = file ]; then traced "$mpi" 4 -o all ./traced-$mpi threads 2>err; else traced "$mpi" 4 ./traced-$mpi threads 2>all; fi
        is "$? $(grep -cvE "$shape" all) $(grep -c 'Starting MPI_Iprobe' all) $(grep -c 'Ending MPI_Iprobe' all)" "0 0 6400 6400" "$mpi: 4 ranks of 8 threads, no line torn ($way)" || grep -vE "$shape" all | head -n 3
        is "$(cut -d' ' -f 1 all | sort -u | wc -l)" 36 "$mpi: each thread has its number ($way)"
    done

    rm -f of.*; traced "$mpi" 2 -o of.%r ./traced-$mpi kill >out 2>err
    ok $(($? == 0)) "$mpi: a program that is killed"
    is "$(cat of.1)" "$(wanted 1 2 '' | sed '/^\[1\] $/d')" "$mpi: all lines of the killed one are there"
    is "$(tail -n 1 of.0)" "[0] Starting MPI_Recv with count = 1, source = 1, tag = 9..." "$mpi: the last line says where the other one hangs"

    # User code inside MPI calls is the program's; what MPI does for itself is not.
    # (Open MPI with ROMIO, which makes MPI calls for its files.)
    OMPI_MCA_io=$(romio)
    export OMPI_MCA_io
    traced "$mpi" 2 ./traced-$mpi callbacks 2>err
    is "$(grep -F '[0] Starting' err | cut -d' ' -f 3 | sort | uniq -c | awk '{ print $1 $2 }' | grep -v Type_size | tr '\n' ' ')" \
        "1MPI_Allreduce... 1MPI_Comm_create_keyval... 1MPI_Comm_delete_attr... 1MPI_Comm_dup... 1MPI_Comm_free... 1MPI_Comm_free_keyval... 1MPI_Comm_rank... 1MPI_Comm_set_attr... 2MPI_Comm_size... 1MPI_File_close... 1MPI_File_open... 1MPI_File_read_at_all... 1MPI_File_write_at_all... 1MPI_Finalize... 1MPI_Init... 1MPI_Op_create... 1MPI_Op_free... " \
        "$mpi: each call of the program once"
    ok $(($(grep -c 'Starting MPI_Type_size' err) < 1)) "$mpi: calls of an operation are seen"
    is "$(grep -F '[0]' err | grep -A3 'Starting MPI_Comm_dup' | tr '\n' '|')" "[0] Starting MPI_Comm_dup...|[0] Starting MPI_Comm_size...|[0] Ending MPI_Comm_size|[0] Ending MPI_Comm_dup|" "$mpi: inside the call that they are made in"
    PITH_NESTED=1 traced "$mpi" 2 ./traced-$mpi callbacks 2>nested
    if [ "$mpi $(romio)" = "openmpi ompio" ]; then skip "$mpi: PITH_NESTED=1 tells of more" "this Open MPI has no ROMIO"; else
        ok $(($(grep -c . nested) <= $(grep -c . err))) "$mpi: PITH_NESTED=1 tells of more"; fi

    for sample in pi wave ring77; do
        [ -x "$build/samples/$mpi/$sample" ] || { skip "$mpi: $sample" "not built"; continue; }
        traced "$mpi" 2 "$build/samples/$mpi/$sample" >out 2>err
        is "$? $(grep -cvE "$shape" err)" "0 0" "$mpi: Fortran: $sample: only lines of the trace" || grep -vE "$shape" err | head -n 3
        is "$(grep -c 'Starting MPI_Init' err) $(grep -c 'Ending MPI_Finalize' err) $(grep -c Starting err)" "2 2 $(grep -c Ending err)" "$mpi: Fortran: $sample: from the beginning to the end"
    done
    if [ "$python_mpi" = "$mpi" ]; then
        traced "$mpi" 2 /usr/bin/python3 -c 'from mpi4py import MPI
c = MPI.COMM_WORLD
c.Send(bytearray(100), 1, 3) if c.rank == 0 else c.Recv(bytearray(200), 0)' 2>err
        is "$(sed 's/_c with/ with/' err | grep -E 'Starting MPI_Send |Ending MPI_Recv ' | sort)" "[0] Starting MPI_Send with count = 100, dest = 1, tag = 3...
[1] Ending MPI_Recv with count = 100, source = 0, tag = 3" "$mpi: Python"
    fi
done
pith run --lib trace ls / >out 2>err
is "$? $(cat out) $(cat err)" "0 $(ls /) pith run: /usr/bin/ls: not linked with MPI and not started by mpirun; it runs without trace (--mpi names its MPI)" "no MPI program: runs as ever, and it is said"
finish
