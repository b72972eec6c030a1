#!/usr/bin/env bash
# The C++ bindings of libpith-cxx: every function is called and checked, with 1, 2 and 4 ranks. wrappers/cxx/FUNCTIONS.md lists
# every function with the test that calls it; test_cxx_bindings.sh -u rewrites it.
update=${1-}
. "$(dirname "$0")/../lib.sh"
[ -n "$(mpis)" ] || { skip "C++ bindings" "no MPI"; finish; }
# Open MPI: use windows that need no network, and topologies that do not reorder ranks. With others, MPI_Dist_graph_create
# sometimes hangs with 4 ranks (4.1.4, also in a C program).
export OMPI_MCA_topo=basic
ompi_info 2>/dev/null | grep 'osc: pt2pt' >/dev/null && export OMPI_MCA_osc=pt2pt

# The members of MPI with an added line, which reports each call to the test program.
sed -E 's/^    (return )?forward::([A-Za-z0-9_]*)\(/    called("\2");\n&/; 1a void called(const char *id);' "$build/gen/cxx/mpi.cc" >counted.cc
for mpi in $(mpis); do
    [ -e "$build/lib/pith/$mpi/libpith-cxx.so" ] || continue
    objects=
    for source in "$top"/test/mpi/cxx_calls*.cc counted.cc; do
        object=$(basename "$source" .cc).o objects="$objects $(basename "$source" .cc).o"
        "mpicxx.$mpi" -std=c++11 -O0 -Wall -Wextra -Wshadow -I"$build/include/pith-cxx" -I"$build/gen/cxx" -I"$top/wrappers/cxx" \
            -c -o "$object" "$source" 2>>"$mpi.err" &
        [ $(($(wc -w <<<"$objects") % 2)) = 1 ] || wait
    done
    wait
    # shellcheck disable=SC2086 # the objects are words
    "mpicxx.$mpi" -o "calls-$mpi" $objects -L"$build/lib/pith/$mpi" -lpith-cxx -Wl,-rpath,"$build/lib/pith/$mpi" 2>>"$mpi.err"
    is "$? $(cat "$mpi.err")" "0 " "$mpi: the program of all functions compiles without a warning"
    # Open MPI 4.1 turns for ever in ompi_comm_nextcid, both ranks in MPI_Dist_graph_create, in 1 of 200 runs beside other work.
    all_right() { # RANKS [MODE]
        CXX_CALLED=$PWD/called timeout -k 5 60 "mpiexec.$mpi" -n "$1" "./calls-$mpi" ${2:+"$2"} >out 2>err &&
            [ "$(grep -c '^checked 0 wrong' out)" = "$1" ]
    }
    for ranks in 1 2 4; do
        quota 1 2 all_right "$ranks"
        ok $? "$mpi $ranks: all calls give what they should ($quota)" || cat out err
        [ "$ranks" != 1 ] || continue
        if grep -q '^nobody meets' out; then
            skip "$mpi $ranks: Accept and Connect" "this MPI has no ports, and MPI_Comm_accept waits for ever then, in C, too"; continue
        fi
        is "$(grep -oE '^(Accept|Connect) (works|fails) in C and in C[+][+]$' out | cut -d ' ' -f 1 | sort | tr '\n' ' ')" \
            "Accept Connect " "$mpi $ranks: Accept and Connect work or fail as in C" || cat out err
    done
    for mode in plain threads; do
        quota 1 2 all_right 2 $mode
        ok $? "$mpi: begun by another Init ($mode, $quota)" || cat out err
    done
    # Open MPI 5.0.7's launcher crashes when a program calls MPI_Comm_spawn_multiple (open-mpi/ompi#13303): one in C shows it.
    spawn=spawn kinds='Open_port Spawn Spawn_multiple'
    "mpicc.$mpi" -o "twice-$mpi" "$top/test/mpi/spawn_multiple.c" || ok 1 "$mpi: compiles"
    timeout -k 5 20 "mpiexec.$mpi" -n 1 "./twice-$mpi" >out 2>err
    if [ $? = 139 ]; then
        skip "$mpi: Spawn_multiple" "the launcher crashes at MPI_Comm_spawn_multiple, in C, too"
        spawn=spawn_one kinds='Open_port Spawn'
    fi
    # The launcher of Open MPI 4.1 sometimes never answers a spawned process, so there are six tries.
    for _ in 1 2 3 4 5 6; do
        CXX_CALLED=$PWD/called timeout -k 5 20 "mpiexec.$mpi" -n 1 "./calls-$mpi" $spawn >out 2>err
        status=$?
        [ $status = 124 ] || break
    done
    is "$status $(grep -c '^checked 0 wrong' out)" "0 1" "$mpi: processes are spawned, or the MPI says that it cannot" || cat out err
    is "$(sed -nE 's/^([A-Za-z_]*) (works|fails) in C and in C[+][+]$/\1/p' out | tr '\n' ' ')" "$kinds " "$mpi: ${kinds// /, } work or fail as in C" || cat out err
    CXX_CALLED=$PWD/called timeout -k 5 60 "mpiexec.$mpi" -n 2 "./calls-$mpi" abort >out 2>err
    is $? 3 "$mpi: Abort ends all with its code"
done
[ -e called ] || { skip "C++ bindings" "not built"; finish; }

# ---- every row of the table was called
awk -v make=list -f "$top/wrappers/cxx/bindings.awk" "$top"/wrappers/cxx/{bindings,constants}.table >rows
is "$(wc -l <rows)" "$(grep -c '^[A-Z-][A-Za-z]* | ' "$top/wrappers/cxx/bindings.table")" "the list has every row"
is "$(cut -f 1 called | sort -u | comm -13 - <(cut -f 1 rows | sort))" "" "every function of the table was called"
{
    cat <<'MD'
# Every function of the C++ bindings of MPI-2.2, and its test

Written by `test/mpi/test_cxx_bindings.sh -u`, from what was called in the parts of `test/mpi/cxx_calls.cc`; not by hand.

| function | part of the test |
|---|---|
MD
    awk -F'\t' 'NR == FNR { if (!(($1, $2) in seen)) { seen[$1, $2]; if ($2 != "begin_and_end") parts[$1] = parts[$1] (parts[$1] ? ", " : "") $2; all[$1] = 1 } next }
        { print "| `" $2 "` | " ($1 in parts ? parts[$1] : $1 in all ? "begin_and_end" : "**none**") " |" }' <(sort -u called) rows
} >FUNCTIONS.md
[ "$update" != -u ] || cp FUNCTIONS.md "$top/wrappers/cxx/FUNCTIONS.md"
is "$(cat FUNCTIONS.md)" "$(cat "$top/wrappers/cxx/FUNCTIONS.md")" "wrappers/cxx/FUNCTIONS.md is up to date (test_cxx_bindings.sh -u writes it)"
finish
