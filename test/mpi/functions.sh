# functions.sh - for the tests of single functions: sourced after lib.sh.

# compile NAME MPI: test/mpi/NAME.c as ./NAME-MPI
compile() { "mpicc.$2" -std=gnu11 -g -O1 -Wno-stringop-overflow -o "$1-$2" "$top/test/mpi/$1.c" -lpthread 2>compile.err || { cat compile.err; return 1; }; }

# waiting_sleeps: from here on the ranks of either MPI that wait sleep (give_way.c)
waiting_sleeps() {
    ${CC:-cc} -std=gnu11 -O1 -fPIC -shared -DWAITING_SLEEPS -o waiting_sleeps.so "$top/test/mpi/give_way.c" -ldl &&
        export LD_PRELOAD="$PWD/waiting_sleeps.so"
}

# reader NAME: a program of ours on pithlog.h
reader() { ${CC:-cc} -std=gnu11 -I"$top/formats" -I"$top/formats/reader" -o "$1" "$top/test/mpi/$1.c" "$build/lib/libpithlog.a" -lz -lm -lpthread; }

# record NAME MPI RANKS ARGS: runs it recorded, as NAME.pith; output sorted in out, stderr in err, exit status in $status
record() {
    local name=$1 mpi=$2 ranks=$3
    shift 3
    rm -rf "$name.pith" "$name.pith.spill"
    TIMEOUT=60 timeout -k 5 90 "mpiexec.$mpi" -n "$ranks" pith run -o "$name.pith" "./$name-$mpi" "$@" >out.raw 2>err
    status=$?
    sort out.raw >out
}
# plain NAME MPI RANKS ARGS: the same unrecorded; output sorted in plain.out
plain() {
    local name=$1 mpi=$2 ranks=$3
    shift 3
    timeout -k 5 90 "mpiexec.$mpi" -n "$ranks" "./$name-$mpi" "$@" >out.raw 2>plain.err
    plain_status=$?
    sort out.raw >plain.out
}
# lines LOG KIND: the records of a kind without their times
lines() { pith print "$1" | grep -P "^[0-9.]+\t\d+\t\d+\t$2(\t|\$)" | cut -f 2-; }
# colls LOG: the records of collectives, without those that make or free communicators
colls() {
    pith print "$1" | awk -F'\t' '$4 == "enter" { state[$2, $3] = $5 } $4 == "coll" && state[$2, $3] !~ /omm_|_create|art_sub/' | cut -f 2-
}
# calls LOG NAME: how many calls of a function the log holds
calls() { lines "$1" enter | grep -cP "\t$2\$"; }
# calls_of LOG: the names of all functions called
calls_of() { lines "$1" enter | cut -f 4 | sort -u; }
