#!/usr/bin/env bash
# MPE's calls that do not concern logs, and its graphics: every call in C and Fortran, with the shared and the static libmpe.
. "$(dirname "$0")/../lib.sh"
unset DISPLAY
no_window='pith: MPE_Open_graphics: DISPLAY is not set; the program runs without a window'
notes=$(printf 'pith: %s: not supported; the program continues\n' MPE_Start_debugger MPE_Errors_call_debugger MPE_Errors_call_xdbx \
    MPE_Errors_call_dbx_in_xterm MPE_Errors_call_gdb_in_xterm MPE_Signals_call_debugger MPE_Print_datatype_{pack,unpack}_action)
notes="$notes
pith: MPE_IO_Stdout_to_file: /nonexistent/R: No such file or directory"

for mpi in $(mpis); do
    export MPICC=mpicc.$mpi MPIFC=mpif90.$mpi
    "mpicc.$mpi" -std=gnu11 -g -w -rdynamic -I"$build/include" -o "misc-$mpi" "$top/test/mpi/mpemisc.c" -L"$build/lib/pith/$mpi" -lmpe 2>err
    ok $? "$mpi: C: links with -lmpe" || cat err
    "mpicc.$mpi" -std=gnu11 -g -w -rdynamic -I"$build/include" -o "shared-$mpi" "$top/test/mpi/mpemisc.c" -L"$build/lib/pith/$mpi" -l:libpith-mpe.so -Wl,-rpath,"$build/lib/pith/$mpi:$build/lib" 2>err
    ok $? "$mpi: C: links with the shared library" || cat err
    for program in "misc-$mpi 1" "misc-$mpi 2" "misc-$mpi 3" "misc-$mpi 4" "shared-$mpi 2"; do
        set -- $program
        rm -rf of; mkdir of
        timeout -k 5 60 "mpiexec.$mpi" -n "$2" "./$1" of >out 2>err
        is "$? $(cat out)" "0 " "$mpi $2: ${1%-*}: every call does what it should"
        is "$(sed 's|/nonexistent/[0-9]*|/nonexistent/R|' err | grep -vE 'MPE_Errors_to_dbx|^pith:   |MPE_Open' | sort | uniq -c | sed 's/^ *//')" "$(sort <<<"$notes" | sed "s/^/$2 /")" "$mpi $2: a note for each thing that there is not"
        is "$(grep -cxF "$no_window" err) $(grep -cE 'MPE_Errors_to_dbx: MPI error [0-9]+; no debugger' err) $(grep -cE '^pith:   \[[0-9]+\] main\+0x' err)" "1 $2 $2" "$mpi $2: no display; an error handler that shows the calls"
        is "$(cd of && for r in $(seq 0 $(($2 - 1))); do echo "$(cat "out.$r.txt") $(stat -c %a "out.$r.txt")"; done)" "$(for r in $(seq 0 $(($2 - 1))); do echo "of rank $r 640"; done)" "$mpi $2: each rank's output in its file"
    done
    if command -v "mpif90.$mpi" >/dev/null; then
        "mpif90.$mpi" -g -w -o "misc-f-$mpi" "$top/test/mpi/mpemisc.f90" -L"$build/lib/pith/$mpi" -lmpe 2>err
        ok $? "$mpi: Fortran: links with -lmpe" || cat err
        for names in -fno-underscoring -fsecond-underscore; do
            "mpif90.$mpi" -c -w $names -o names.o "$top/test/mpi/mpemisc.f90" && nm -u names.o | sed -n 's/.* U \(mpe_.*\)/\1/p' | sort -u >names
            is "$(comm -23 names <(nm --defined-only "$build/lib/pith/$mpi/libpith-mpe.a" 2>/dev/null | sed -n 's/.* [TW] \(mpe_.*\)/\1/p' | sort -u)) $(($(wc -l <names) > 20))" " 1" "$mpi: Fortran: names with $names"
        done
        for ranks in 1 2 4; do
            timeout -k 5 60 "mpiexec.$mpi" -n $ranks "./misc-f-$mpi" >out 2>err
            is "$? $(cat out) $(sort err | uniq -c | sed 's/^ *//')" "0  1 $no_window" "$mpi $ranks: Fortran: every call does what it should"
        done
    else skip "$mpi: Fortran" "no compiler"; fi
done

for name in nompi nompi_null; do
    gcc -std=gnu11 -g -w -DNOMPI -I"$build/include" -o "alone-$name" "$top/test/mpi/mpemisc_alone.c" -L"$build/lib/pith/serial" -lmpe_$name 2>err &&
        "./alone-$name" . >out 2>err
    is "$? $(cat out out.0.txt) $(ldd "alone-$name" | grep -c mpi)" "0 of rank 0 0" "-lmpe_$name: every call does what it should, without MPI" || cat err
    rm -f out.0.txt
done
finish
