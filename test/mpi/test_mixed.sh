#!/usr/bin/env bash
# Jobs in which only some processes were started with pith run: the program runs as ever, and these are recorded.
. "$(dirname "$0")/../lib.sh"

# info LOG KEYS: these values of it, on a line
info() { pith info "$1" | grep -E "^($2): " | cut -d ' ' -f 2- | tr '\n' ' '; }

for mpi in $(mpis); do
    "mpicc.$mpi" -O1 -o "hosts.$mpi" "$top/test/mpi/hosts.c" || { ok 1 "$mpi: compiles"; continue; }
    plain="./hosts.$mpi" recorded="pith run -o log.pith ./hosts.$mpi"
    # mixed ARGS...
    mixed() { rm -rf log.pith*; timeout 120 "mpiexec.$mpi" "$@" >out 2>err; }

    # A shell between the launcher and the program makes no difference.
    mixed -n 1 $plain : -n 2 $recorded : -n 1 $plain : -n 1 sh -c "$recorded; exit \$?"
    is $? 0 "$mpi, 3 of 5: ends well" || sed 's/^/# /' err
    is "$(sort -u out | wc -l) $(wc -l <out)" "1 5" "all processes ran to their end" # and found as many on this host
    is "$(info log.pith 'complete|ranks|messages|world_ranks')" "yes 3 100 1-2,4 " "what these three did, and said to each other"
    is "$(pith print log.pith | cut -f 2,5 | grep -c $'^2\tMPI_Allreduce')" 200 "the last of them is rank 2"
    pith check log.pith >got 2>&1; ok $? "pith check" || cat got
    is "$(grep -c '^pith: of 5 processes 3 were started with pith run (1-2,4); they are ranks 0 to 2 here$' err)" 1 "a line tells"

    # Where the launcher does not say how many processes are on this machine, or thinks that they are on two.
    mixed -n 1 $plain : -n 2 env -u MPI_LOCALNRANKS -u OMPI_COMM_WORLD_LOCAL_SIZE $recorded
    is "$? $(info log.pith 'complete|ranks|world_ranks')$(grep -c '^pith: of 3 processes 2 were' err)" "0 yes 2 1-2 1" "$mpi, launcher without a number: nobody waits" || sed 's/^/# /' err
    if [ "$mpi" = mpich ]; then
        mixed -launcher fork -hosts localhost,127.0.0.1 -n 1 $plain : -n 1 $recorded
        is "$? $(info log.pith 'complete|ranks|world_ranks')$(grep -c '^pith: of 2 processes 1 were' err)" "0 yes 1 1 1" "$mpi, two names of one machine: nobody waits" || sed 's/^/# /' err
    fi

    mixed -n 1 $recorded : -n 1 $plain; is $? 0 "$mpi, 1 of 2: ends well" || sed 's/^/# /' err
    is "$(info log.pith 'complete|ranks|messages|world_ranks')" "yes 1 0 0 " "its log"
    mixed -n 1 $recorded : -n 1 $recorded : -n 2 sh -c "$recorded; exit \$?"; is $? 0 "$mpi, all: ends well" || sed 's/^/# /' err
    is "$(info log.pith 'complete|ranks|messages|world_ranks')$(grep -c 'started with' err)" "yes 4 400 0" "one log of all"
    PITH_COMPENSATE=auto mixed -n 2 $recorded : -n 1 $plain; is $? 0 "$mpi, PITH_COMPENSATE: ends well" || sed 's/^/# /' err
    is "$(grep -c '^pith: PITH_COMPENSATE: .* nothing is compensated' err)" 1 "and is not obeyed"

    mixed -n 1 $plain : -n 2 pith run --lib time -o times ./hosts.$mpi : -n 1 $recorded; is $? 0 "$mpi, some with --lib time, one with log: ends well" || sed 's/^/# /' err
    like "$(cat times)" "^MPI_Allreduce +200 " "a table of the two"
    is "$(info log.pith 'ranks|world_ranks')" "1 3 " "a log of the one"
done
finish
