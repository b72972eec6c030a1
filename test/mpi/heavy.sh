# heavy.sh - for tests and benches of compensation, sourced after lib.sh: make_heavy MPI links the log library with a wrapper in it
# that burns HEAVY_NS in each call (test/mpi/heavy.mk compiles it), as ./heavy-MPI.so (make_heavy MPI SOURCE: with this in place of
# eager_limit.c); make_paused one that burns as much before the call, as if the program had done so, as ./paused-MPI.so; make_workloads
# MPI its programs, as ./workloads-MPI, ./heat2d-MPI. compare: whether on line and off line find the
# same in h.pith.
make_heavy() { make_log "heavy-$1" "$1" "${2:-}"; }
make_paused() { make_log "paused-$1" "$1"; }
# make_log NAME MPI SOURCE: the log library with these wrappers
make_log() {
    "mpicc.$2" -std=gnu11 -D_GNU_SOURCE -O1 -fPIC -shared -Wno-deprecated-declarations -I"$build/include" -I"$build/layers/"{base,analysis,symbols} -I"$top/wrappers/"{mpi,handles,compensate} \
        -o "$1.so" "$build/test/mpi/heavy/$1.o" ${3:-} $(runtime_objects "$2" ${3:+mpi/eager_limit}) -L"$build/lib" -lpith -Wl,-rpath,"$build/lib" -ldl -lpthread
}
# objects_of MPI SOURCE...: what was made of them, for this MPI or for all. The build may hold objects whose source has gone.
objects_of() {
    local mpi=$1 source object
    shift
    for source in "$@"; do
        source=${source#"$top/wrappers/"} object=$build/obj/wrappers/${source%.c}.o
        [ -e "$object" ] || object=$build/obj/mpi-$mpi/${source%.c}.o
        echo "$object"
    done
}
# What the log library is made of, besides its wrappers; without one.
runtime_objects() { objects_of "$1" "$top"/wrappers/{mpi,handles,compensate}/*.c | grep -vxF "$build/obj/mpi-$1/${2:-}.o"; }
# The same of the time library, as ./heavytime-MPI.so.
make_heavytime() {
    "mpicc.$1" -shared -o "heavytime-$1.so" "$build/test/mpi/heavy/heavytime-$1.o" $(objects_of "$1" "$top"/wrappers/{time,handles,compensate}/*.c) \
        $(objects_of "$1" "$top"/wrappers/mpi/{real,nested,group,eager_limit,host_comm,members,transport}.c) "$build/lib/libpith.a" -ldl -lpthread
}
make_workloads() {
    "mpicc.$1" -std=gnu11 -O2 -Wno-stringop-overflow -o "workloads-$1" "$top/test/bench/mpi/workloads.c" &&
        "mpicc.$1" -std=gnu11 -O2 -Wno-stringop-overflow -o "heat2d-$1" "$top/samples/heat2d.c" -lm
}
# ends LOG: of each rank, when its MPI_Finalize ended, in ns
ends() { pith print "$1" | awk -F'\t' '$4 == "leave" && $5 ~ /^MPI(_|::)Finalize$/ { printf "%d %.0f\n", $2, 1e9 * $1 }' | sort -n; }
# compare: a line for each rank whose delays differ, and the number of ranks
compare() {
    pith compensate h.pith -o out.pith 2>said || cat said
    join <(pith info h.pith | sed -n 's/^delay_ns \([0-9]*\): /\1 /p' | sort -n) <(join <(ends h.pith) <(ends out.pith)) |
        awk '{ on = $2; off = $3 - $4; far = on > off ? on - off : off - on; n++ }
             far > 0.05 * (on > off ? on : off) + 0.005 * $3 { print "rank " $1 ": while running " on ", afterwards " off }
             END { print n }'
}
# make_by_rank: ./by_rank COMMAND..., in which only the ranks of BURN burn, with the preloaded LIBRARIES. What the time library says of them:
# ms_late CSV: the delay of each rank in ms, on a line; stays, goes_round: are they right for `heavy_calls early`, rank 0 and
# every second burning 300 us a call, and for `ring`, rank 0 alone burning?
make_by_rank() {
    cat >by_rank <<'END'
#!/bin/sh
case " $BURN " in *" ${PMI_RANK:-$OMPI_COMM_WORLD_RANK} "*) ;; *) HEAVY_NS=0 ;; esac
export HEAVY_NS
exec env LD_PRELOAD="$LIBRARIES${LD_PRELOAD:+:$LD_PRELOAD}" "$@"
END
    chmod +x by_rank
}
ms_late() { awk -F, '$1 == "run" { printf "%d ", 1000 * $15 }' "$1"; }
stays() { awk '{ for (i = 1; i <= NF; i += 2) n += $i >= 8 } END { exit !(NF > 0 && n == NF / 2) }' <<<"$1"; }
goes_round() { awk '{ for (i = 1; i <= NF; i++) n += $i >= 30 && $i > 0.8 * $1 } END { exit !(NF > 1 && n == NF) }' <<<"$1"; }
