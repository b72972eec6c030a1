#!/usr/bin/env bash
# Programs with MPE calls, built by the lines their users type: MPE's library names, mpecc and mpefc, the samples; logs
# that begin and end by themselves; MPE's environment variables; without MPI; and opened while a program runs.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
include=-I$build/include

# counts LOG NAME...: how many states or events of each name, with what the records say of them
counts() { local log=$1 name; shift; for name; do printf '%s %s ' "$name" "$(lines "$log" '(enter|event)' | cut -f 4 | grep -cxF "$name")"; done; }
# run MPI RANKS PROGRAM...: stderr in err
run() { local mpi=$1 ranks=$2; shift 2; timeout -k 5 60 "mpiexec.$mpi" -n "$ranks" "$@" >out 2>err; }
# sequence LOG: what each lane did, without times
sequence() { pith print "$1" | grep -vP '^#' | grep -P '\t(enter|leave|event)\t' | grep -v 'pith:flush' | cut -f 2,4- | sort -s -k 1,1; }

for mpi in $(mpis); do
    names=$build/lib/pith/$mpi
    fortran=$(command -v "mpif90.$mpi")

    # ---- the samples, by MPE's names ----------------------------------------------------------------------------------
    "mpicc.$mpi" $include -c -o cpilog.o "$top/samples/cpilog.c" && "mpicc.$mpi" -o cpilog cpilog.o -L"$names" -lmpe -lm 2>out &&
        "mpicc.$mpi" -o cpilog-auto cpilog.o -L"$names" -llmpe -lmpe -lm 2>>out
    ok $? "$mpi: -lmpe and -llmpe -lmpe link" || cat out
    for ranks in 1 2 4; do
        run "$mpi" $ranks ./cpilog
        is "$? $(grep -c 'pi is near 3.14159265' out) $(counts cpilog.pith Broadcast Sync Compute Reduce 'New round')" \
            "0 1 Broadcast $((5 * ranks)) Sync $((5 * ranks)) Compute $((5 * ranks)) Reduce $((5 * ranks)) New round 5 " "$mpi, $ranks ranks: cpilog" || cat out err
        is "$(pith info cpilog.pith | grep -E '^(complete|ranks|lost):' | tr '\n' ' ')" "complete: yes ranks: $ranks lost: 0 " "$mpi, $ranks ranks: its log"
    done
    is "$(sed '/^pith: .* had no core/d' err | grep -c '^pith: ') $(sed '/^pith: .* had no core/d' err | wc -l)" "1 1" "$mpi: one line says where the log is"
    like "$(lines cpilog.pith event)" 'New round.*round=4 strips=2560000' "$mpi: with its payloads"
    run "$mpi" 2 ./cpilog-auto
    is "$(counts cpilog.pith Broadcast MPI_Bcast MPI_Reduce MPI_Init 'New round')" "Broadcast 10 MPI_Bcast 10 MPI_Reduce 10 MPI_Init 2 New round 5 " "$mpi: -llmpe: MPI calls as well" || cat err
    if [ -n "$fortran" ]; then
        "$fortran" $include -w -c -o fpilog.o "$top/samples/fpilog.f" 2>out && "$fortran" -o fpilog fpilog.o -L"$names" -lmpe_f2cmpi -llmpe -lmpe 2>>out
        ok $? "$mpi: Fortran: -lmpe_f2cmpi -llmpe -lmpe" || cat out
        run "$mpi" 2 ./fpilog
        is "$? $(counts fpilog.pith Broadcast Compute MPI_Bcast MPI_Reduce)" "0 Broadcast 10 Compute 10 MPI_Bcast 10 MPI_Reduce 10 " "$mpi: fpilog" || cat err
        MPI_F77=$fortran mpefc -mpilog -w -o fpilog-fc "$top/samples/fpilog.f" 2>out && rm -f fpilog.pith && run "$mpi" 2 ./fpilog-fc
        is "$? $(counts fpilog.pith Broadcast Compute MPI_Bcast)" "0 Broadcast 10 Compute 10 MPI_Bcast 10 " "$mpi: mpefc -mpilog" || cat out err
    fi

    # ---- the same log in each format ----------------------------------------------------------------------------------
    for format in alog clog2; do rm -f "cpilog.$format"; PITH_FORMAT=$format run "$mpi" 2 ./cpilog-auto; done
    sequence cpilog.pith | cut -f 1,3 >wanted
    ok $(($(wc -l <wanted) < 100)) "$mpi: the log is something to compare"
    is "$(sequence cpilog.clog2 | cut -f 1,3)" "$(<wanted)" "$mpi: the log as CLOG-2 is the same"
    is "$(sequence cpilog.alog | cut -f 1,3 | sed 's/\tNew round info$/\tNew round/')" "$(<wanted)" "$mpi: and as ALOG"
    is "$(python3 "$top/test/golden/clog2_dump.py" cpilog.clog2 | grep -E 'Broadcast|Compute|MPI_Bcast|MPI_Reduce|New round' | grep -oE '(s_et|e_et|et|color|name)=[^ ]*' | tr '\n' ' ')" \
        "s_et=600 e_et=601 color=red name=Broadcast s_et=604 e_et=605 color=blue name=Compute et=5000 color=white name=New s_et=12 e_et=13 color=cyan name=MPI_Bcast s_et=24 e_et=25 color=MediumPurple name=MPI_Reduce " "$mpi: in it MPE's numbers and colours"

    # ---- for MPE's tools: what MPE logged, and the constants of this MPI ------------------------------------------------
    MPE_LOGFILE_PREFIX=tools run "$mpi" 2 ./cpilog-auto
    python3 "$top/test/golden/clog2_dump.py" tools.clog2 >dump
    is "$(grep -c 'MPI_Init\|MPI_Finalize\|pith:' dump) $(grep -c 'name=MPI_Comm_rank\|name=MPI_Bcast' dump)" "0 2" "$mpi: a log for MPE's tools has the calls that MPE logged"
    printf '#include <mpi.h>\n#include <stdio.h>\nint main(void) { printf("%%d %%d %%d ", MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ANY_TAG); }\n' >constants.c && "mpicc.$mpi" -o constants constants.c
    is "$(grep ' cdef ' dump | sed 's/.*value=//' | tr '\n' ' ')" "$(./constants)" "$mpi: and the constants of the MPI"
    PITH_FORMAT=clog2 MPE_LOGFILE_PREFIX=tools run "$mpi" 2 ./cpilog-auto
    is "$(calls tools.clog2 MPI_Init)" 2 "$mpi: PITH_FORMAT=clog2 asks for all"

    # ---- a log that begins and ends by itself -------------------------------------------------------------------------
    MPI_CC=mpicc.$mpi mpecc -mpilog -o auto "$top/test/mpi/mpe_auto.c" 2>out && "mpicc.$mpi" $include -o auto-static "$top/test/mpi/mpe_auto.c" -L"$names" -llmpe -lmpe 2>>out &&
        MPI_CC=mpicc.$mpi mpecc -o auto-api "$top/test/mpi/mpe_auto.c" 2>>out
    ok $? "$mpi: mpecc -mpilog, mpecc" || cat out
    for program in auto auto-static; do
        rm -rf ./*.pith; run "$mpi" 2 ./$program
        is "$? $(counts $program.pith work tick MPI_Barrier MPI_Allreduce MPI_Pcontrol)" "0 work 2 tick 2 MPI_Barrier 2 MPI_Allreduce 0 MPI_Pcontrol 4 " \
            "$mpi: $program: MPI_Pcontrol(0) stops MPI calls, not the program's own" || cat err
    done
    run "$mpi" 2 ./auto own
    is "$? $(counts mine.pith work tick MPI_Barrier)" "0 work 2 tick 2 MPI_Barrier 2 " "$mpi: MPE_Finish_log names it, with MPI calls in it" || cat err
    rm -rf ./*.pith; run "$mpi" 2 pith run -o both.pith ./auto-api
    is "$? $(counts both.pith work tick MPI_Barrier)" "0 work 2 tick 2 MPI_Barrier 2 " "$mpi: pith run and MPE's calls: one log" || cat err
    "mpicc.$mpi" $include -o api-static "$top/test/mpi/mpe_auto.c" -L"$names" -lmpe 2>out && rm -rf ./*.pith && run "$mpi" 2 pith run -o both.pith ./api-static
    is "$? $(ls -d ./*.pith) $(counts both.pith work tick MPI_Barrier MPI_Allreduce)" "0 ./both.pith work 2 tick 2 MPI_Barrier 2 MPI_Allreduce 0 " "$mpi: the same with the archive" || cat err
    "mpicc.$mpi" -o ring "$top/samples/ring.c" -L"$names" -llmpe -lmpe -lm 2>out
    MPE_LOGFILE_PREFIX=round run "$mpi" 2 ./ring
    is "$? $(pith info round.clog2 | grep -E '^(format|ranks):' | tr '\n' ' ')" "0 format: clog2 ranks: 2 " "$mpi: a program without MPE calls, linked with -llmpe -lmpe" || cat err

    # ---- MPE's environment ----------------------------------------------------------------------------------------------
    mkdir -p "$mpi" && cd "$mpi" || exit 1
    MPE_LOGFILE_PREFIX=a MPE_LOG_RANK2PROCNAME=yes MPE_LOG_OVERHEAD=no CLOG_BLOCK_SIZE=1024 MPE_SYNC_FREQUENCY=3 MPE_CLOCKS_SYNC=often run "$mpi" 2 ../auto own
    is "$? $(ls -d ./* | tr '\n' ' ')" "0 ./a.clog2 ./a.clog2.pnm ./err ./out " "$mpi: only MPE's variables set: CLOG-2, under their name"
    is "$(sed 's/ : .*/ : host/' a.clog2.pnm | tr '\n' ' ')" "Rank 0 : host Rank 1 : host " "$mpi: MPE_LOG_RANK2PROCNAME"
    is "$(counts a.clog2 pith:flush work)" "pith:flush 0 work 2 " "$mpi: MPE_LOG_OVERHEAD=no"
    is "$(grep '^pith: [MC]' err)" "pith: MPE_CLOCKS_SYNC=often: not yes or no; ignored
pith: MPE_SYNC_FREQUENCY, CLOG_BLOCK_SIZE: set, but without effect in Pith (man 3 mpe)" "$mpi: variables without effect are named once"
    MPE_TMPDIR=/nowhere MPE_LOG_FORMAT=XML run "$mpi" 1 ../auto own
    is "$? $(ls mine.clog2) $(grep '^pith: MPE' err | tr '\n' ' ')" "0 mine.clog2 pith: MPE_LOG_FORMAT=XML: not ALOG, CLOG or SLOG; ignored pith: MPE_TMPDIR=/nowhere: not a writable folder; ignored " "$mpi: invalid values"
    MPE_LOG_FORMAT=ALOG run "$mpi" 2 ../auto own; is "$(pith info mine.alog | sed -n 1p)" "format: alog" "$mpi: MPE_LOG_FORMAT"
    PITH_QUIET=1 MPE_LOGFILE_PREFIX=b CLOG_BLOCK_SIZE=1024 run "$mpi" 2 ../auto own
    is "$(grep -c '^pith' err) $(ls b.*)" "0 b.pith" "$mpi: with one of Pith's set as well: Pith's own format; PITH_QUIET"
    mkdir buffers && MPE_TMPDIR=$PWD/buffers run "$mpi" 2 ../auto-static unfinished
    pith recover buffers/*.spill -o dead.pith >/dev/null 2>&1
    is "$(counts dead.pith tick work)" "tick 2 work 2 " "$mpi: MPE_TMPDIR has the buffers of a run that died" || ls -R
    cd .. || exit 1

    # ---- trace, animation, null --------------------------------------------------------------------------------------------
    "mpicc.$mpi" -w -o ring-trace "$top/samples/ring.c" -L"$names" -ltmpe -lm 2>out && run "$mpi" 2 ./ring-trace
    is "$? $(grep -cE '^\[[01]\] (Starting MPI_Send with count = [0-9]+, dest = [01], tag = [0-9]+\.\.\.|Ending MPI_Finalize)$' out | sed 's/[1-9].*/some/') $(grep -c Starting err)" "0 some 0" "$mpi: -ltmpe: lines on standard output" || cat out err
    if [ -n "$fortran" ]; then
        "$fortran" -w -o ring-fortran "$top/samples/ring77.f" -L"$names" -ltmpe 2>out && run "$mpi" 2 ./ring-fortran
        is "$? $(grep -c 'Starting MPI_Probe' out)" "0 2" "$mpi: -ltmpe: of a Fortran program" || cat out err
        MPI_F77=$fortran mpefc -mpitrace -w -o fpilog-trace "$top/samples/fpilog.f" 2>out && run "$mpi" 2 ./fpilog-trace
        is "$? $(grep -c 'Starting MPI_Bcast' out) $(counts fpilog.pith Broadcast)" "0 10 Broadcast 10 " "$mpi: mpefc -mpitrace: beside MPE's log" || cat out err
    fi
    MPI_CC=mpicc.$mpi mpecc -mpitrace -w -o ring-trace2 "$top/samples/ring.c" -lm && run "$mpi" 1 ./ring-trace2
    is "$? $(grep -c 'Ending MPI_Finalize' out)" "0 1" "$mpi: mpecc -mpitrace" || cat err
    "mpicc.$mpi" -w -o ring-anim "$top/samples/ring.c" -L"$names" -lampe -lmpe -lm 2>out && DISPLAY='' run "$mpi" 2 ./ring-anim
    is "$? $(grep -c 'no animation: DISPLAY is not set' err) $(ls -d ring-anim.pith)" "0 1 ring-anim.pith" "$mpi: -lampe without a display" || cat out err
    "mpicc.$mpi" -w -o ring-check "$top/samples/ring.c" -L"$names" -lmpe_collchk -lm 2>out && run "$mpi" 2 ./ring-check
    is "$? $(grep -c 'came back' out) $(<err)" "0 1 pith check: 2 collective calls of 2 ranks: no errors" "$mpi: -lmpe_collchk: a good program" || cat out err
    printf '%s\n' '#include <mpi.h>' 'int main(int c, char **v) { int r; MPI_Init(&c, &v); MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Bcast(&c, 1, MPI_INT, r, MPI_COMM_WORLD); return MPI_Finalize(); }' >wrong.c
    MPI_CC=mpicc.$mpi mpecc -mpicheck -o wrong wrong.c 2>out && { run "$mpi" 2 ./wrong; ! [ $? = 0 ]; }
    # (Open MPI 5's launcher ends its own message with a NUL, which may stand before this line.)
    is "$? $(tr -d '\0' <err | grep '^pith check' | grep -c MPI_Bcast | sed 's/[1-9].*/some/')" "0 some" "$mpi: mpecc -mpicheck: roots that differ" || cat out err
    rm -rf ./*.pith ./*.spill
    "mpicc.$mpi" -o cpilog-null cpilog.o -L"$names" -lmpe_null -lm 2>out && run "$mpi" 2 ./cpilog-null
    is "$? $(grep -c 'pi is near' out) $(ls -d ./*.pith 2>/dev/null) $(wc -c <err)" "0 1  0" "$mpi: -lmpe_null: the program runs, and no log" || cat out err
    MPI_CC=mpicc.$mpi mpecc -nolog -o auto-null "$top/test/mpi/mpe_auto.c" && run "$mpi" 2 ./auto-null own
    is "$? $(ls -d ./*.pith 2>/dev/null)" "0 " "$mpi: mpecc -nolog"

    # ---- in libraries ------------------------------------------------------------------------------------------------------
    printf '%s\n' '#include "mpe.h"' 'void solver(void); int main(int c, char **v) { MPI_Init(&c, &v); MPE_Init_log(); solver(); MPE_Finish_log("solve"); return MPI_Finalize(); }' >app.c
    printf '%s\n' '#include "mpe.h"' 'void solver(void) { int b, e; MPE_Log_get_state_eventIDs(&b, &e); MPE_Describe_state(b, e, "KSPSolve", "red"); MPE_Log_event(b, 0, ""); MPE_Log_event(e, 0, ""); }' >solver.c
    "mpicc.$mpi" $include -shared -fPIC -o libsolver.so solver.c -L"$names" -lmpe 2>out && "mpicc.$mpi" $include -o app app.c -L. -lsolver -L"$names" -lmpe -Wl,-rpath,"$PWD" 2>>out && run "$mpi" 2 ./app
    is "$? $(counts solve.pith KSPSolve)" "0 KSPSolve 2 " "$mpi: a library with MPE's calls (PETSc's way)" || cat out err
    printf '%s\n' '#include <dlfcn.h>' '#include <mpi.h>' 'int main(int c, char **v) { void *h = dlopen(v[1], RTLD_NOW | RTLD_GLOBAL); int (*init)(void), (*finish)(const char *); if (!h) return 3;' \
        'MPI_Init(&c, &v); init = (int (*)(void))dlsym(h, "MPE_Init_log"); finish = (int (*)(const char *))dlsym(h, "MPE_Finish_log"); int bad = init(); bad |= finish("opened"); MPI_Finalize(); return bad; }' >open.c
    "mpicc.$mpi" -o open open.c -ldl && run "$mpi" 2 ./open "$names/shared/libmpe.so"
    is "$? $(pith info opened.pith | grep ^ranks:)" "0 ranks: 2" "$mpi: libmpe.so opened by the program (mpi4py's way)" || cat err
    rm -rf ./*.pith
done

# ---- without MPI -----------------------------------------------------------------------------------------------------
names=$build/lib/pith/serial
gcc -DNOMPI $include -o alone "$top/test/mpi/mpe_auto.c" -L"$names" -lmpe_nompi 2>out && ./alone own 2>err
is "$? $(counts mine.pith work tick) $(pith info mine.pith | grep ^ranks:)" "0 work 1 tick 1  ranks: 1" "-lmpe_nompi: a log of one rank" || cat out err
is "$(ldd alone | grep -c mpi)" 0 "without MPI"
printf '#include "mpe.h"\nint comm_is_int(MPI_Comm comm); int comm_is_int(int comm) { return comm; }\n' >int.c
for macro in NOMPI CLOG_NOMPI MPE_NOMPI; do
    gcc -D$macro -DMPE_GRAPHICS -Wall -Werror $include -fsyntax-only int.c 2>out
    ok $? "without MPI: -D$macro" || cat out
done
MPE_LOGFILE_PREFIX=c ./alone own 2>err; is "$(pith info c.clog2 | grep ^format)" "format: clog2" "with MPE's environment"
rm -f mine.pith; gcc -DNOMPI $include -o alone-null "$top/test/mpi/mpe_auto.c" -L"$names" -lmpe_nompi_null 2>out && ./alone-null own
is "$? $(ls mine.pith 2>/dev/null)" "0 " "-lmpe_nompi_null: none" || cat out
first=$(mpis | head -n 1)
is "$(mpecc -mpicc="mpicc.$first" -show x.c | cut -d' ' -f 1) $(mpefc -mpif77="mpif90.$first" -show x.f | cut -d' ' -f 1) $(mpecc -h | head -n 1 | cut -c 1-12)" "mpicc.$first mpif90.$first Usage: mpecc" "mpecc -mpicc=, mpefc -mpif77=, -h"
is "$(mpecc -help | grep -c -- -mpilog) $(MPI_CC=mpicc.$(mpis | head -n 1) mpecc -show -mpilog -c x.c | grep -c -- '-lpith')" "1 0" "mpecc -help; -show; -c links nothing"
like "$(MPE_WRAPPERS_ADD_LDFLAGS=-Lhere MPI_CC=mpicc.$(mpis | head -n 1) mpecc -show 'a b.c')" " 'a b.c' .*-lpith-mpe .*-Lhere$" "mpecc: names with blanks, MPE_WRAPPERS_ADD_LDFLAGS"
finish
