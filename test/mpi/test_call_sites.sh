#!/usr/bin/env bash
# Call sites that are recorded without being asked for: of calls that take long, or follow long computing; and where
# `pith analyze` says that the worst instances are.
. "$(dirname "$0")/../lib.sh"
undisturbed
unset PITH_CALLSITES

source=$top/test/mpi/long_calls.c
line() { grep -n "$1" "$source" | cut -d: -f1; }
# record LOG COMMAND...: whether it ran, and gave a good log
record() {
    TIMEOUT=60 mpiexec_of "$mpi" 2 pith run -o "$1" "${@:2}" >out 2>err && pith check "$1" >check 2>&1 || sed 's/^/# /' err check
}
# sites LOG: rank and call of each site; "bad" for sites outside of MPI calls, and for second ones of a call
sites() {
    pith print "$1" | awk -F '\t' '
        $4 == "enter" { top = ++depth[$2]; state[$2, top] = $5; had[$2, top] = 0 }
        $4 == "leave" { depth[$2]-- }
        $5 == "pith:site" { top = depth[$2]; name = state[$2, top]; print (name !~ /^MPI_/ || had[$2, top]++ ? "bad" : $2), name }'
}
# counts LOG: the calls of messages, "RANK CALL NUMBER"; of those that take 20 us, or follow 20 us of computing, only the ones
# that have a site. (A rank without a core may come so late that it need not wait.)
counts() {
    sites "$1" | grep bad
    pith print "$1" | awk -F '\t' '
        $4 == "enter" { begin[$2] = $1; long[$2] = $1 - end[$2] > 20e-6; site[$2] = 0 }
        $5 == "pith:site" { site[$2] = 1 }
        $4 == "leave" { end[$2] = $1; if ($1 - begin[$2] > 20e-6) long[$2] = 1
            if ($5 ~ /^MPI_(Send|Recv|Wait)$/) n[$2 " " $5] += site[$2] || !long[$2] }
        END { for (k in n) print k, n[k] }' | sort
}
wanted="0 MPI_Recv 5
0 MPI_Wait 5
1 MPI_Send 10"

for mpi in $(mpis); do
    "mpicc.$mpi" -g -O1 -o long_calls "$source" && "mpicc.$mpi" -g -O1 -fopenmp -o threads "$source"
    ok $? "$mpi: compiled"
    # A run in which ranks had no core says so first.
    for try in 1 2 3; do
        record log.pith ./long_calls
        [[ $(pith analyze --answer log.pith) != Rank\ 1* ]] || break
    done
    is "$(counts log.pith)" "$wanted" "$mpi: calls that wait, and that follow 15 ms of computing"
    short=$(sites log.pith | grep -c MPI_Comm_rank)
    ok $((short > 200)) "$mpi: nearly no short calls ($short of 2000)"
    # (A call that is short for once, as counts says, has no site.)
    is "$(pith stat log.pith --by callsite --csv | awk -F, '/^MPI_(Send|Recv|Wait),/ { n[$1] += $2; if ($7 != "[unknown]") site[$1] = site[$1] "," $6 "," $7 }
        END { for (call in n) print call "," n[call] site[call] }' | sort)" \
        "MPI_Recv,5,long_calls.c:$(line 'MPI_Recv('),take
MPI_Send,10,long_calls.c:$(line 'MPI_Send('),give
MPI_Wait,5,long_calls.c:$(line 'MPI_Wait('),take" "$mpi: --by callsite"
    like "$(pith analyze --answer log.pith)" "^Rank 1 .* is lost\. Longest: up to MPI_Send in \`give\`, long_calls\.c:$(line 'MPI_Send(')\.$" \
        "$mpi: the answer says where the rank computes"
    page=$(pith analyze log.pith)
    like "$page" "^Longest: up to MPI_Send in \`give\`, long_calls.c:$(line 'MPI_Send(')\.$" "$mpi: so does the page"
    like "$(sed -n '/late sender: /,/pith view/p' <<<"$page")" \
        "^ *longest: MPI_(Recv|Wait) in \`take\`, long_calls.c:($(line 'MPI_Recv(')|$(line 'MPI_Wait('))$" "$mpi: and where it is waited for"
    pith analyze --json log.pith >json
    is "$(python3 -c 'import json; a = json.load(open("json")); print(a["answer"]["longest"]); print(*{f["longest"].split(",")[0] for f in a["findings"] if f["name"] == "late sender"})' | sed 's/Recv\|Wait/X/')" \
        "up to MPI_Send in \`give\`, long_calls.c:$(line 'MPI_Send(')
MPI_X in \`take\`" "$mpi: in JSON"
    pith analyze log.pith --html a.html
    like "$(cat a.html)" "is lost[^<]*\. Longest: up to MPI_Send in \`give\`, long_calls" "$mpi: in HTML"

    PITH_CALLSITES=no record none.pith ./long_calls
    is "$(sites none.pith)" "" "$mpi: PITH_CALLSITES=no"
    unlike "$(pith analyze none.pith)" "[Ll]ongest:" "$mpi: then nothing is said"
    PITH_CALLSITES=1 record all.pith ./long_calls
    is "$(sites all.pith | awk '{ n[$1 " " $2]++ } END { print n["0 MPI_Comm_rank"], n["1 MPI_Comm_rank"], n["0 MPI_Irecv"], n["bad"] }')" \
        "1000 1000 5 " "$mpi: PITH_CALLSITES=1: one of each call"
    for clock in monotonic counter; do
        PITH_CLOCK=$clock record clock.pith ./long_calls
        is "$(counts clock.pith)" "$wanted" "$mpi: PITH_CLOCK=$clock"
    done
    PITH_COMPENSATE=datatype record late.pith ./long_calls
    is "$(counts late.pith)" "$wanted" "$mpi: with PITH_COMPENSATE"
    # Each thread's buffer is full after some calls, and its records go on in another chunk.
    PITH_CHUNK_KB=1 record small.pith ./long_calls
    unlike "$(counts small.pith)" bad "$mpi: at the end of a chunk"

    OMP_NUM_THREADS=2 record threads.pith ./threads
    is "$(counts threads.pith)" "$wanted" "$mpi: a program with OpenMP"
    OMP_NUM_THREADS=2 record threads.pith --also openmp ./threads
    region=$(line 'pragma omp') # compilers give it this line, or the function's
    like "$(pith analyze threads.pith | sed -n '/OpenMP waiting: /,/pith view/p')" \
        "^ *longest: the parallel region in \`give\`, long_calls\.c:($region|$((region - 1)))$" "$mpi: --also openmp: the parallel region"

    if [ -n "$(command -v "mpif90.$mpi")" ]; then
        cat >waits.f90 <<'END'
program waits
    use mpi
    integer :: ierr, rank, i
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    do i = 1, 3
        if (rank == 1) call sleep(1)
        call MPI_Barrier(MPI_COMM_WORLD, ierr)
    end do
    call MPI_Finalize(ierr)
end program
END
        "mpif90.$mpi" -g -O1 -o waits waits.f90
        record fortran.pith ./waits
        like "$(pith analyze --answer fortran.pith)" 'Longest: up to MPI_Barrier in `waits`, waits\.f90:8\.$' "$mpi: Fortran"
    fi
done
finish
