#!/usr/bin/env bash
# Programs linked with libpith-mpi.a in the traditional way, one pass over the libraries, in C and Fortran; and what is said
# when a link was in vain.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

# calls_by_name LOG: "NAME COUNT" of every MPI function.
calls_by_name() { lines "$1" enter | cut -f 4 | grep '^MPI_' | sort | uniq -c | awk '{ print $2, $1 }'; }
# run_linked MPI NAME: ./NAME on two ranks; its log NAME.pith
run_linked() {
    rm -rf "$2.pith" "$2.pith.spill"
    PITH_LOG="$2.pith" timeout -k 5 90 "mpiexec.$1" -n 2 "./$2" >out 2>err
}

for mpi in $(mpis); do
    archives=("$build/lib/pith/$mpi/libpith-mpi.a" "$build/lib/libpith.a" -lz -lpthread -lm)
    is "$(nm "${archives[0]}" 2>/dev/null | awk '$2 ~ /^[TWVD]$/ && $3 ~ /^P?MPIX?_|^pmpi/ { print $3 }' | grep -vE '^MPIX?_' | tr '\n' ' ')" "" "$mpi: the archive defines no PMPI function"
    "mpicc.$mpi" -w -c -o ring.o "$top/samples/ring.c" -I"$build/include"
    "mpicc.$mpi" -o plain ring.o -L"$build/lib" -lpith -lm && PITH_QUIET=1 mpiexec_of "$mpi" 2 env LD_LIBRARY_PATH="$build/lib" pith run -o plain.pith ./plain >out 2>&1
    calls_by_name plain.pith >wanted
    for needed in as-needed no-as-needed; do
        "mpicc.$mpi" -o ring -Wl,--$needed ring.o "${archives[@]}" 2>err
        ok $? "$mpi, C, --$needed: links" || cat err
        run_linked "$mpi" ring
        is "$? $(calls_by_name ring.pith)" "0 $(<wanted)" "$mpi, C, --$needed: records what pith run does"
    done
    ok $(($(wc -l <wanted) < 5)) "$mpi: that is something"

    command -v "mpif90.$mpi" >/dev/null || { skip "$mpi: Fortran" "no mpif90.$mpi"; continue; }
    for program in entries entries_f08; do
        rm -f entries.o
        "mpif90.$mpi" -w -c -o entries.o "$top/test/mpi/$program.f90" 2>err
        ok $? "$mpi: $program.f90 compiles" || cat err
        rm -rf fplain.pith*; "mpif90.$mpi" -o fplain entries.o && PITH_QUIET=1 mpiexec_of "$mpi" 2 pith run -o fplain.pith ./fplain >out 2>&1
        calls_by_name fplain.pith >wanted
        lines fplain.pith send | cut -f 1,4- | sort >sends
        for needed in as-needed no-as-needed; do
            "mpif90.$mpi" -o entries -Wl,--$needed entries.o "${archives[@]}" 2>err
            ok $? "$mpi, $program, --$needed: links" || cat err
            run_linked "$mpi" entries
            is "$? $(grep -c fine out)" "0 2" "$mpi, $program, --$needed: the program finds nothing changed" || cat out err
            is "$(calls_by_name entries.pith)" "$(<wanted)" "$mpi, $program, --$needed: records what pith run does"
            is "$(lines entries.pith send | cut -f 1,4- | sort)" "$(<sends)" "$mpi, $program, --$needed: the messages too"
            is "$(pith info entries.pith | grep -E '^(messages|unmatched|ranks)')" "$(pith info fplain.pith | grep -E '^(messages|unmatched|ranks)')" "$mpi, $program, --$needed: all matched"
        done
        ok $(($(wc -l <wanted) < 15)) "$mpi: that is something"
        # pith run on top of it: the shared library records, once.
        rm -f entries*.pith; mpiexec_of "$mpi" 2 pith run -o entries.pith ./entries >out 2>err
        is "$? $(echo entries*.pith) $(grep -c '^pith: entries' err)" "0 entries.pith 1" "$mpi, $program: pith run of it: one log" || cat err
        is "$(calls_by_name entries.pith)" "$(<wanted)" "$mpi, $program: with each call once"
    done

    # The shared library, and a linker that drops MPI's own, which the program then needs no more (MPICH): real.c loads it.
    for needed in as-needed no-as-needed; do
        "mpicc.$mpi" -o dropped ring.o -Wl,--$needed -L"$build/lib/pith/$mpi" -lpith-mpi -L"$build/lib" -lpith -lm -Wl,-rpath,"$build/lib/pith/$mpi:$build/lib" 2>err
        ok $? "$mpi, --$needed, -lpith-mpi: links" || cat err
        [ "$mpi, $needed" != "mpich, as-needed" ] || is "$(readelf -d dropped | grep -c 'NEEDED.*libmpich')" 0 "$mpi, --$needed: without MPI's library"
        run_linked "$mpi" dropped
        is "$? $(calls_by_name dropped.pith)" "0 $(calls_by_name ring.pith)" "$mpi, --$needed, -lpith-mpi: runs by itself, and is recorded" || cat err
    done

    # In vain: MPI stands before libpith-mpi on the line.
    library=$([ "$mpi" = mpich ] && echo -lmpich || echo -lmpi)
    "mpicc.$mpi" -o vain ring.o -Wl,--no-as-needed $library -L"$build/lib/pith/$mpi" -lpith-mpi -L"$build/lib" -lpith -lm -Wl,-rpath,"$build/lib/pith/$mpi:$build/lib" 2>err
    ok $? "$mpi: a link in vain succeeds" || cat err
    run_linked "$mpi" vain
    is "$? $(ls -d vain.pith* 2>/dev/null)" "0 " "$mpi: the program runs, and nothing is recorded"
    is "$(grep '^pith:' err)" "pith: nothing was recorded: the program's MPI calls do not come to libpith-mpi; on the link line it must stand before the MPI library" "$mpi: it is said, once"
    PITH_QUIET=1 run_linked "$mpi" vain; is "$(grep -c '^pith:' err)" 0 "$mpi: not with PITH_QUIET"
done
finish
