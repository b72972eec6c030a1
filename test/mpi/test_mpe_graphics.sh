#!/usr/bin/env bash
# MPE's graphics on an Xvfb of its own: pixels read back from the screen, the mouse, captured files; C and Fortran; a
# display that is not there or goes away.
. "$(dirname "$0")/../lib.sh"
if ! command -v Xvfb >/dev/null; then
    skip "MPE's graphics" "no Xvfb"
    finish
fi
exec 9<>display
Xvfb -noreset -displayfd 9 -screen 0 600x400x24 >/dev/null 2>xvfb.log &
xvfb=$!
trap 'kill $xvfb 2>/dev/null; cd /; rm -rf "$TMPDIR"' EXIT
for _ in $(seq 600); do [ -s display ] && break; sleep 0.1; done
DISPLAY=:$(tr -d '\n' <display)
export DISPLAY
# pixel FILE X Y: its colour in hex
pixel() { convert "$1" -depth 8 -format "%[hex:p{$2,$3}]" info: 2>&1 | tr 'A-F' 'a-f'; }

for mpi in $(mpis); do
    export MPICC=mpicc.$mpi
    rm -f picture*
    MPI_CC=mpicc.$mpi mpecc -graphics -std=gnu11 -g -o "draw-$mpi" "$top/test/mpi/mpe_draw.c" -lX11 2>err
    ok $? "$mpi: mpecc -graphics" || cat err
    is "$(objdump -p "draw-$mpi" | grep -c 'NEEDED.*libX11') $(objdump -p "$build/lib/pith/$mpi/libpith-mpe.so" | grep -c 'NEEDED.*X11')" "1 0" "$mpi: Pith itself needs no libX11 to start"
    for ranks in 1 4; do
        timeout -k 5 120 "mpiexec.$mpi" -n $ranks "./draw-$mpi" >out 2>err
        is "$? $(cat out)" "0 " "$mpi $ranks: windows, shapes, styles, colours, mouse" || cat err
        is "$(cat picture0 2>/dev/null | head -c 8 | od -An -tx4 --endian=big | tr -s ' ') $(ls picture* | tr '\n' ' ')" " 00000068 00000007 picture0 picture1 picture2 picture3 " "$mpi $ranks: captured files"
        is "$(identify -format '%wx%h' XWD:picture0) $(pixel XWD:picture0 1 2) $(pixel XWD:picture0 40 100)" "400x300 ff0000 0000ff" "$mpi $ranks: a captured picture"
    done
    if command -v "mpif90.$mpi" >/dev/null; then
        MPI_F77=mpif90.$mpi mpefc -graphics -g -o "draw-f-$mpi" "$top/test/mpi/mpe_draw.f90" 2>err
        ok $? "$mpi: mpefc -graphics" || cat err
        for ranks in 1 4; do
            rm -f drawn seen fortran0
            { timeout -k 5 150 "mpiexec.$mpi" -n $ranks "./draw-f-$mpi" >out 2>err; echo $? >status; } &
            program=$!
            for _ in $(seq 1200); do [ -e drawn ] && break; sleep 0.1; done
            x=$((40 + 90 * (ranks - 1))) wanted="ff0000 0000ff 00ff00 000000 0000ff 00ff00 123456"
            for _ in $(seq 100); do # what all have sent the server may still have to draw
                import -window root screen.png
                got="$(pixel screen.png $((x + 5)) 35) $(pixel screen.png $x 85) $(pixel screen.png $((x + 5)) 90) $(pixel screen.png $((x + 6)) 90) $(pixel screen.png $((x + 20)) 210) $(pixel screen.png $((x + 5)) 285) $(pixel screen.png $((x + 25)) 285)"
                [ "$got" = "$wanted" ] && break
            done
            touch seen
            wait $program
            is "$(cat status out)" "0" "$mpi $ranks: Fortran: every call does what it should" || cat err
            is "$got" "$wanted" "$mpi $ranks: Fortran: what the last rank drew"
            is "$(identify -format '%wx%h' XWD:fortran0)" 400x300 "$mpi $ranks: Fortran: a captured picture"
        done
    else skip "$mpi: Fortran" "no compiler"; fi
    # The sample, recorded.
    MPI_CC=mpicc.$mpi mpecc -graphics -O2 -o "mandel-$mpi" "$top/samples/mandelbrot.c" 2>err
    ok $? "$mpi: the sample compiles" || cat err
    timeout -k 5 60 "mpiexec.$mpi" -n 4 pith run -o "mandel-$mpi.pith" "./mandel-$mpi" -w 200 -h 150 -c mandel >out 2>err
    is "$? $(pith check "mandel-$mpi.pith" | grep -c 'no damage found')" "0 1" "$mpi: the sample draws, and its log is whole" || cat err
    is "$(pixel XWD:mandel0 133 75) $([ "$(convert XWD:mandel0 -format '%k' info:)" -gt 10 ] && echo many)" "000000 many" "$mpi: the picture of the sample"
    # No display; one that goes away.
    env -u DISPLAY timeout 60 "mpiexec.$mpi" -n 2 "./mandel-$mpi" -w 20 -h 15 >out 2>err
    is "$? $(grep -c 'pith: MPE_Open_graphics: DISPLAY is not set; the program runs without a window' err)" "0 1" "$mpi: no DISPLAY: one line, and the program goes on" || cat out err
    DISPLAY=:77777 timeout 60 "mpiexec.$mpi" -n 2 "./mandel-$mpi" -w 20 -h 15 >out 2>err
    is "$? $(grep -c 'pith: MPE_Open_graphics: cannot connect to display :77777; the program runs without a window' err)" "0 1" "$mpi: no such display" || cat out err
done
cat >alone.c <<'END'
#define MPE_GRAPHICS
#include "mpe.h"
int main(void)
{
    MPE_XGraph window;
    if (MPE_Open_graphics(&window, MPI_COMM_WORLD, NULL, 40, 30, 60, 40, MPE_GRAPH_COLLECTIVE) || MPE_Fill_rectangle(window, 5, 5, 9, 9, MPE_GRAY) ||
        MPE_CaptureFile(window, "alone", 1) || MPE_Update(window))
        return 1;
    return MPE_Close_graphics(&window);
}
END
gcc -std=gnu11 -g -DNOMPI -I"$build/include" -o alone alone.c -L"$build/lib/pith/serial" -lmpe_nompi 2>err && timeout 60 ./alone >out 2>&1
is "$? $(pixel XWD:alone0 6 6)" "0 bebebe" "-lmpe_nompi: without MPI" || cat err out
finish
