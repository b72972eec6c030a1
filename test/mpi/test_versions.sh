#!/usr/bin/env bash
# Two versions of Pith in one job, whose processes would not understand each other: each version records its own processes, and a
# line says so. The other version is this one with another PITH_PROTOCOL. And spill files of other versions are refused.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
. "$top/test/mpi/heavy.sh"

# other MPI: in ./MPI, an installation whose log library has another protocol
other() {
    local parts
    mkdir -p "$1/lib/pith/$1" && cp -r "$build/bin" "$build/libexec" "$1" && cp "$build"/lib/libpith.so* "$1/lib" &&
        cp "$build/lib/pith/libpith-run.so" "$1/lib/pith" || return
    parts="$(runtime_objects "$1" mpi/members) $build/obj/mpi-$1/gen/mpi.o"
    "mpicc.$1" -std=gnu11 -fPIC -fvisibility=hidden -D_GNU_SOURCE -DPITH_PROTOCOL=99 -I"$build/include" -I"$build/layers/"{base,analysis,symbols} -I"$top/wrappers/mpi" -I"$top/wrappers/handles" \
        -c -o members.o "$top/wrappers/mpi/members.c" &&
        "mpicc.$1" -shared -Wl,-z,nodelete -o "$1/lib/pith/$1/libpith-mpi.so" $parts members.o -L"$build/lib" -lpith -ldl -lpthread \
            -Wl,-rpath,"$build/lib"
}
# ranks LOG...: ranks and world ranks of each log
ranks() { for log in "$@"; do pith info "$log" | sed -n 's/^\(ranks\|world_ranks\): //p'; done | tr '\n' ' '; }
apart="started with pith run \(0-1\) and 2 with another version of it \(2-3\), which cannot work together; the former are ranks 0 to 1 here"

# Hosts that are processes of this machine, so that marks show nothing.
printf '#!/bin/sh\n[ "$1" = -x ] && shift\nshift\nexec unshare -u sh -c "hostname h$$; $*"\n' >agent; chmod +x agent
ssh_is "$PWD/agent"
for mpi in $(mpis); do
    compile hosts "$mpi"
    other "$mpi"; ok $? "$mpi: another version" || continue
    ours="pith run -o ours.pith ./hosts-$mpi" theirs="./$mpi/bin/pith run -o theirs.pith ./hosts-$mpi"
    timeout -k 5 60 "mpiexec.$mpi" -n 2 $ours : -n 2 $theirs >out 2>err
    is "$? $(grep -c '^[0-9]' out) $(ranks ours.pith theirs.pith)" "0 4 2 0-1 2 2-3 " "$mpi: each records its own ranks" || cat err
    # The one that looks later may see that the others are not its own, and not why: they have gone on.
    like "$(cat err)" "^pith: of 4 processes 2 were started with pith run \((0-1|2-3)\) and 2 with another version of it" "and says so"
    is "$(grep -c '^pith: of 4 processes 2 were started with pith run' err)" 2 "once each"
    rm -rf ours.pith* theirs.pith*
    if unshare -u true 2>/dev/null; then
        case $mpi in
        mpich) hosts="-launcher ssh -launcher-exec $PWD/agent -hosts ha:2,hb:2" ;;
        openmpi) hosts="-host ha:2,hb:2" ;;
        esac
        timeout -k 5 60 "mpiexec.$mpi" $hosts -n 2 env PWD="$PWD" sh -c "cd $PWD; exec $ours" : -n 2 sh -c "cd $PWD; exec $theirs" >out 2>err
        is "$? $(ranks ours.pith theirs.pith)" "0 2 0-1 2 2-3 " "$mpi: over several hosts too" || cat err
        like "$(cat err)" "^pith: of 4 processes 2 were $apart$" "and it is said"
        rm -rf ours.pith* theirs.pith*
    else
        skip "$mpi: several hosts" "no name spaces can be made"
    fi
done

# A spill file of another version is not read as one of this.
cat >dies.c <<'END'
#include <pith.h>
#include <unistd.h>
int main(void)
{
    pith_begin(pith_state_define("s", 0));
    _exit(0);
}
END
cc -I"$build/include" dies.c -o dies -L"$build/lib" -lpith -Wl,-rpath,"$build/lib" $(sanitizers) && PITH_LOG=dies.pith ./dies
for number in 99 00; do
    is_of=newer; [ $number = 99 ] || is_of=older
    printf "PSPILL$number" | dd of="$(ls dies.pith.spill/*.spill)" conv=notrunc 2>/dev/null
    for command in recover info "print --follow"; do
        like "$(timeout 30 pith $command dies.pith.spill 2>&1)" \
            "^pith: dies.pith.spill/.*\.spill: byte 6: a spill file of an? $is_of version of Pith; recover it with that version$" "$command: $is_of spill files"
    done
done
finish
