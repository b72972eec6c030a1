#!/usr/bin/env bash
# Programs of MPI 5's standard ABI: the log holds what that of the same program holds when it is compiled for MPICH or
# Open MPI itself. Where there is no libmpi_abi, a layer over MPICH 4 stands for it (abi/layer.c).
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
header=$build/gen/abi/include
[ -f "$build/lib/pith/abi/libpith-mpi.so" ] || { skip "the standard ABI" "its wrappers were not built"; finish; }

# layer FOLDER: makes libmpi_abi.so.1 there
layer() {
    local of="$top/test/mpi/abi" mpich
    echo '#include <mpi.h>
int main(void) { return MPI_Finalize(); }' | mpicc.mpich -o probe -x c - || return
    mpich=$(ldd probe | sed -n 's/.*libmpi[a-z]*\.so[.0-9]* => \(.*\) (.*/\1/p' | head -n 1)
    # A copy, whose ranks give way while they wait (layer.c): these four would keep both processors from each other.
    LC_ALL=C sed 's/\x00ucp_worker_progress\x00/\x00mpich_asks_progress\x00/' "${mpich:-/dev/null}" >mpich_copy.so || return
    for part in values.c functions.h; do
        LC_ALL=C awk -v make="${part%.*}" -f "$of/layer.awk" "$header/mpi.h" >"layer_$part" || return
    done
    mpicc.mpich -w -fPIC -I"$of" -c -o values.o layer_values.c &&
        ${CC:-cc} -std=gnu11 -O1 -w -fPIC -shared -Wl,-soname,libmpi_abi.so.1 -I"$header" -I"$of" -I. "-DMPICH_LIBRARY=\"$PWD/mpich_copy.so\"" \
            -o "$1/libmpi_abi.so.1" "$of/layer.c" values.o -lpthread -ldl
}
# compile_abi NAME: ./NAME-abi, for all of them
compile_abi() { ${CC:-cc} -std=gnu11 -g -O1 -w -I"$header" -o "${1##*/}-abi" "$top/$1.c" "$library" -lpthread -lm 2>compile.err || { cat compile.err; return 1; }; }
# contents LOG: its records in an order that is the same each time, without calls that are repeated until something came
contents() { for kind in enter send recv coll; do lines "$1" $kind; done | grep -vP '\tMPI_(Test|Testall|Testany|Testsome|Waitsome|Iprobe|Improbe)$' | sort; }
# table FILE: the calls, messages and bytes of --lib time -o FILE.csv
table() { awk -F, '$1 == "calls" { print $2, $3, $6, $11, $12 }' "$1" | sort; }

# Our mpi.h says what theirs say: each function with its types again after theirs, each constant with its type and value.
# (MPICH 5.0 has another type for a count than the standard.)
awk '/^[A-Za-z_]+ P?MPI_[A-Za-z0-9_]+\(.*\);$/ { print }
    /^#define MPI_/ && NF > 2 {
        value = $0; sub(/^#define [^ ]+ /, "", value)
        if (value ~ /^\(\(/) # numbers may be members of an enum there
            print "_Static_assert(__builtin_types_compatible_p(__typeof__(" $2 "), __typeof__(" value ")), \"type\");"
        print "int value_of_" $2 "[(intptr_t)" $2 " == (intptr_t)" value " ? 1 : -1];"
    }' "$header/mpi.h" >ours
like "$(wc -l <ours)" '^1[0-9]{3}$' "mpi.h: functions and constants"
for theirs in /usr/lib/*/mpi_abi_mpich/include /usr/lib/*/openmpi/include/standard_abi; do
    [ -e "$theirs" ] || continue
    { echo '#include <mpi.h>'; grep -vE 'P(send|recv)_init' ours; } >both.c
    is "$(${CC:-cc} -w -fsyntax-only -I"$theirs" both.c 2>&1 | grep error)" "" "mpi.h: as in $theirs"
done

for mpi in $(mpis); do
    mkdir -p "abi-$mpi"
    real=$(find /usr/lib /usr/local/lib /opt -name "libmpi_abi_$mpi.so.1*" 2>/dev/null | head -n 1)
    if [ "$real" ]; then ln -s "$real" "abi-$mpi/libmpi_abi.so.1"
    elif [ "$mpi" = mpich ]; then
        layer abi-mpich
        ok $? "the layer over MPICH" || finish
    else
        echo "# $mpi has no libmpi_abi"
        continue
    fi
    library=$PWD/abi-$mpi/libmpi_abi.so.1
    for work in test/mpi/p2p:2 test/mpi/colls:2 test/mpi/comms:4 test/mpi/windows:1 samples/ring:2; do
        program=${work%:*} ranks=${work#*:}
        name=${program##*/}
        "mpicc.$mpi" -std=gnu11 -g -O1 -w -o "$name-$mpi" "$top/$program.c" -lpthread -lm && compile_abi "$program"
        ok $? "$mpi: $name compiles" || continue
        record "$name" "$mpi" $ranks
        contents "$name.pith" >wanted
        mv out wanted.out
        native=$status
        # The same name: the log has it, too.
        mv "$name-$mpi" native && cp "$name-abi" "$name-$mpi"
        LD_LIBRARY_PATH=$PWD/abi-$mpi record "$name" "$mpi" $ranks
        mv native "$name-$mpi"
        is "$status $(cat out)" "$native $(cat wanted.out)" "$mpi $ranks: $name: output and exit status" || head -n 5 err
        contents "$name.pith" >got
        [ -s got ] && cmp -s got wanted
        ok $? "$mpi $ranks: $name: $(wc -l <got) calls, messages and collectives with peers, tags, roots and bytes" ||
            diff wanted got | head -n 8
        is "$(pith check "$name.pith" >/dev/null 2>&1; echo $?)" 0 "$mpi $ranks: $name: the log is good"
    done

    # The other libraries.
    export LD_LIBRARY_PATH=$PWD/abi-$mpi
    for name in "colls-$mpi" colls-abi; do
        rm -f "$name".{csv,trace,check,pith}
        "mpiexec.$mpi" -n 2 pith run --lib time -o "$name.csv" "./$name" >/dev/null 2>&1
        "mpiexec.$mpi" -n 2 pith run --lib trace -o "$name.trace" "./$name" >/dev/null 2>&1
        "mpiexec.$mpi" -n 2 pith run --lib check -o "$name.check" "./$name" >/dev/null 2>&1
        PITH_COMPENSATE=1 "mpiexec.$mpi" -n 2 pith run -o "$name.pith" "./$name" >/dev/null 2>&1
    done
    is "$(table colls-abi.csv | wc -l) $(table colls-abi.csv)" "$(table "colls-$mpi.csv" | wc -l) $(table "colls-$mpi.csv")" "$mpi: time: $(table colls-abi.csv | wc -l) rows"
    is "$(grep -c Starting colls-abi.trace)" "$(grep -c Starting "colls-$mpi.trace")" "$mpi: trace: the same number of calls"
    is "$(cat colls-abi.check)" "$(cat "colls-$mpi.check")" "$mpi: check: $(cat colls-abi.check)"
    is "$(contents colls-abi.pith)" "$(contents "colls-$mpi.pith")" "$mpi: with PITH_COMPENSATE, the log holds the same"
    unset LD_LIBRARY_PATH

    # A script that the launcher starts: --mpi names the ABI.
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec ./ring-abi "$@"\n' "$PWD/abi-$mpi" >script
    chmod +x script
    "mpiexec.$mpi" -n 2 pith run --mpi abi -o script.pith ./script >/dev/null 2>err
    is "$(calls script.pith MPI_Init)" 2 "$mpi: --mpi abi records what a script starts" || cat err
done

# MPIs with MPICH's ABI have another name for their library: Intel MPI, MVAPICH, Cray MPICH.
if [ -x ring-mpich ]; then
    mpich=$(ldd ring-mpich | sed -n 's/.*libmpich\.so\.12 => \(.*\) (.*/\1/p')
    mkdir other
    LC_ALL=C sed 's/libmpich\.so\.12\x00/libmpi.so.12\x00\x00\x00/g' "${mpich:-/dev/null}" >other/libmpi.so.12
    mpicc.mpich -std=gnu11 -w -c -o ring.o "$top/samples/ring.c" && ${CC:-cc} -o ring-other ring.o "$PWD/other/libmpi.so.12" -lm
    if [ "$mpich" ] && LD_LIBRARY_PATH=$PWD/other ldd ring-other | grep 'libmpi\.so\.12' >/dev/null && ! ldd ring-other | grep libmpich >/dev/null; then
        record ring mpich 2
        contents ring.pith >wanted
        LD_LIBRARY_PATH=$PWD/other mpiexec.mpich -n 2 pith run -o other.pith ./ring-other >/dev/null 2>err
        is "$(contents other.pith)" "$(cat wanted)" "libmpi.so.12: recorded as MPICH" || cat err
    else
        skip "libmpi.so.12" "this MPICH's library has another name"
    fi
fi
finish
