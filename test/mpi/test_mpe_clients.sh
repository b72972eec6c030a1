#!/usr/bin/env bash
# MPE's API as well-known programs use it (test/mpe/*.c, coast.f90), linked by MPE's names, with 1, 2 and 4 ranks. Logs are
# native and CLOG-2.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
# build PROGRAM MPI OPTION...: builds it with MPE's own link line
build() { local name=$1 mpi=$2; shift 2; "mpicc.$mpi" -std=gnu11 -Wall -Wextra -g "$@" -I"$build/include" -o "$name" "$top/test/mpe/$name.c" -L"$build/lib/pith/$mpi" $lmpe -lmpe -lpthread; }
lmpe=
# run MPI RANKS PROGRAM...: runs it for a native log, then for CLOG-2; exit status in $status
run() { local mpi=$1 ranks=$2; shift 2; rm -rf ./*.pith ./*.clog2; timeout -k 5 60 "mpiexec.$mpi" -n "$ranks" "$@" >out 2>err && PITH_FORMAT=clog2 timeout -k 5 60 "mpiexec.$mpi" -n "$ranks" "$@" >out 2>>err; status=$?; }
# count LOG KIND NAME: records of that kind and name
count() { lines "$1" "$2" | cut -f 4 | grep -cxF "$3"; }
# whole LOG RANKS: checks that the log is complete, has that many ranks and lost nothing
whole() { pith info "$1" | grep -E '^(complete|ranks|lost):' | tr '\n' ' '; }

for mpi in $(mpis); do
    { build phases "$mpi" && lmpe=-llmpe build io_layer "$mpi" -DUSE_MPE && build task_server "$mpi" && build interpreter "$mpi"; } 2>err
    ok $? "$mpi: the programs compile and link" || cat err
    is "$(cat err)" "" "$mpi: without a warning"
    "mpicc.$mpi" -std=gnu11 -Wall -Wextra -g -o io_plain "$top/test/mpe/io_layer.c" 2>err
    ok $? "$mpi: an I/O layer without USE_MPE" || cat err
    for ranks in 1 2 4; do
        run "$mpi" $ranks ./phases solver
        for log in solver.pith solver.clog2; do
            is "$status $(count $log enter KSPSolve) $(count $log enter MatMult) $(count $log leave VecNorm) $(count $log enter MatAssemble) $(whole $log)" \
                "0 $ranks $((3 * ranks)) $((3 * ranks)) $ranks complete: yes ranks: $ranks lost: 0 " "$mpi $ranks: a solver's phases, $log" || cat err
        done
        is "$(lines solver.pith '(enter|leave)' | grep -v pith: | grep -P '^0\t' | cut -f 3,4 | tr '\t\n' '  ')" \
            "enter MatAssemble leave MatAssemble enter KSPSolve $(for _ in 1 2 3; do echo -n 'enter MatMult leave MatMult enter VecNorm leave VecNorm '; done)leave KSPSolve " "$mpi $ranks: nested as called"
        run "$mpi" $ranks ./phases
        is "$status $(ls ./*.pith ./*.clog2 2>/dev/null)" "0 " "$mpi $ranks: a solver that is not asked to log leaves no log" || cat err

        run "$mpi" $ranks ./io_layer
        is "$status $(count io_layer.pith enter 'PIO open') $(count io_layer.pith enter 'PIO write') $(count io_layer.pith enter 'PIO init') $(whole io_layer.pith)" \
            "0 $((3 * ranks)) $((6 * ranks)) $ranks complete: yes ranks: $ranks lost: 0 " "$mpi $ranks: an I/O layer, states described by rank 0" || cat err
        is "$(lines io_layer.pith event | grep -cF 'file2.nc record 1') $(lines io_layer.pith event | grep -cF "rank $((ranks - 1))") $(lines io_layer.pith event | grep -cE 'a text that is longer than a')" "$ranks 1 $((3 * ranks))" "$mpi $ranks: with its texts"
        is "$(count io_layer.clog2 enter 'PIO write') $(lines io_layer.clog2 event | grep -cF 'file2.nc record 1')" "$((6 * ranks)) $ranks" "$mpi $ranks: the same as CLOG-2"

        run "$mpi" $ranks ./task_server
        for log in tasks.pith tasks.clog2; do
            is "$status $(lines $log enter | grep -c 'task type') $(count $log enter 'task type 0') $(lines $log event | grep -c 'queue [0-9]') $(lines $log event | grep -c 'size=39 priority=-39 bytes=42880953483264')" \
                "0 $((40 * ranks)) 40 40 1" "$mpi $ranks: a task server's states and packed events, $log" || cat err
        done
        is "$(pith print tasks.pith | grep -c '^# state.*task type')" 300 "$mpi $ranks: all its states are described"

        run "$mpi" $ranks ./interpreter
        is "$status $(basename "$(cat out)") $(count interpreter.pith enter half) $(count interpreter.pith enter world) $(count interpreter.pith event mark) $(lines interpreter.pith send | wc -l) $(lines interpreter.pith recv | wc -l) $(whole interpreter.pith)" \
            "0 interpreter.clog2 $((200 * ranks)) $ranks $ranks $((ranks - 1)) $((ranks - 1)) complete: yes ranks: $ranks lost: 0 " "$mpi $ranks: an interpreter's module: communicators, threads" || cat err
        is "$(lines interpreter.pith event | grep -cE 'value=3049')" $ranks "$mpi $ranks: its payloads"
    done
    # The calls of two runs that MPE logged: its printer would show the same text of our log, except what differs from run to run.
    lmpe=-llmpe build replica "$mpi" 2>err
    ok $? "$mpi: the calls of two runs under MPE compile and link" || cat err
    for log in pi:cpilog ring:srtest; do
        text=$top/../shared/logs/${log#*:}.clog2_print.txt
        [ -r "$text" ] || [ -r "$text.gz" ] || { skip "$mpi: ${log%:*} as MPE's printer shows it" "no ../shared/logs/${log#*:}"; continue; }
        if [ -r "$text" ]; then cp "$text" printed.txt; else gzip -dc "$text.gz" >printed.txt; fi
        MPE_LOGFILE_PREFIX=${log%:*} timeout -k 5 120 "mpiexec.$mpi" -n 4 ./replica "${log%:*}" 2>err
        is "$(python3 "$top/test/golden/clog2_view.py" --compared "${log%:*}.clog2")" \
            "$(python3 "$top/test/golden/clog2_view.py" --compared printed.txt)" "$mpi: ${log%:*} as MPE's printer shows it" || cat err
    done
    lmpe=-llmpe build places "$mpi" 2>err
    ok $? "$mpi: a program with descriptions in all places compiles and links" || cat err
    for overhead in yes no; do
        MPE_LOG_OVERHEAD=$overhead MPE_LOGFILE_PREFIX=places timeout -k 5 60 "mpiexec.$mpi" -n 2 ./places 2>err
        # cargo and the communicator's numbers aside
        python3 "$top/test/golden/clog2_view.py" --compared places.clog2 | grep -E 'type=(sdef|edef|bare|cago|shft)' >seen.txt
        { cat "$top/test/mpe/places.expected"; [ $overhead = no ] || echo "icomm=0 rank=0 thd=0 type=sdef state=280 s_et=560 e_et=561 color=maroon name=CLOG_Buffer_write2disk fmt="; } |
            sort >expected.txt
        is "$(sort seen.txt | diff expected.txt -)" "" "$mpi: MPE_LOG_OVERHEAD=$overhead: each description is a definition" || cat err
        for rank in 0 1; do
            of_rank() { grep -E " rank=$rank " "$1" | grep -vF name=CLOG_Buffer; }
            is "$(of_rank seen.txt)" "$(of_rank "$top/test/mpe/places.expected")" "$mpi: MPE_LOG_OVERHEAD=$overhead: rank $rank: definitions stand where the program describes, those of MPI at the end" || cat err
        done
        is "$(python3 "$top/test/golden/clog2_dump.py" places.clog2 | grep BAD)" "" "$mpi: MPE_LOG_OVERHEAD=$overhead: a strict file"
    done
    lmpe=-llmpe build nested_state "$mpi" 2>err
    ok $? "$mpi: a state inside itself: compiles and links" || cat err
    PITH_FORMAT=clog2 timeout -k 5 60 "mpiexec.$mpi" -n 1 ./nested_state 2>err
    is "$(python3 "$top/test/golden/clog2_view.py" nested_state.clog2 | sed -n 's/.*type=sdef \(state=[0-9]*\) .*name=\(outer\|later\) .*/\1/p' | sort | uniq -c | awk '{ print $1 }' | xargs)" \
        "1 1 1" "$mpi: each of its levels and the next state have a number of their own" || cat err
    if command -v "mpif90.$mpi" >/dev/null; then
        "mpif90.$mpi" -g -Wall -I"$build/include" -o coast "$top/test/mpe/coast.f90" -L"$build/lib/pith/$mpi" -lmpe 2>err
        ok $? "$mpi: a Fortran model compiles and links" || cat err
        for ranks in 1 2 4; do
            run "$mpi" $ranks ./coast
            for log in coast.pith coast.clog2; do
                is "$status $(count $log enter flow) $(count $log leave 'sediment transport') $(lines $log event | grep -c 'step=4') $(whole $log)" \
                    "0 $((4 * ranks)) $((4 * ranks)) $ranks complete: yes ranks: $ranks lost: 0 " "$mpi $ranks: a Fortran model, $log" || cat err
            done
        done
    else skip "$mpi: Fortran" "no compiler"; fi
done
finish
