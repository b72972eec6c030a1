#!/usr/bin/env bash
# Collectives between two groups, of equal and of unequal size, under every library: the results are those of a plain run, the
# recorded and counted bytes are right, the log checks, and no right call is called wrong.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
reads() { python3 "$top/test/mpi/timed.py" "$@"; }
# under LIB MPI RANKS FIRST: a run; output sorted in out, standard error in err, exit status in $status
under() {
    local lib=$1 mpi=$2 ranks=$3 first=$4
    timeout -k 5 90 "mpiexec.$mpi" -n "$ranks" pith run --lib "$lib" -o "${result:-result}" "./intercolls-$mpi" "$first" >out.raw 2>err
    status=$?
    sort -s -n -k 1,1 out.raw >out
}
# The bytes that each function was given, by rank: "RANK FUNCTION 0 BYTES".
given() { sed 's/given=//' plain | awk '{ sum[$1 " " $2 " 0"] += $4 } END { for (what in sum) if (sum[what]) print what, sum[what] }' | sort; }
# The records of collectives as the program says them, without the function
recorded() { colls "$1" | sed -E 's/^([0-9]+)\t.*bytes=([0-9]+)\tgot_bytes=([0-9]+)\troot=(-?[0-9]+).*/\1 root=\4 given=\2 got=\3/' | sort -s -n -k 1,1; }

for mpi in $(mpis); do
    compile intercolls "$mpi" || { ok 1 "$mpi: compiles"; continue; }
    for groups in '1+1' '2+2' '1+3' '3+1'; do
        first=${groups%+*} ranks=$((${groups%+*} + ${groups#*+})) with="$mpi $groups"
        timeout -k 5 90 "mpiexec.$mpi" -n $ranks "./intercolls-$mpi" $first >out.raw 2>err
        is "$? $(grep '^rank' out.raw) $(cat err)" "0  " "$with: the program does what it should"
        sort -s -n -k 1,1 out.raw >plain
        sed 's/ MPI_[A-Za-z_]*//' plain >wanted
        for compensate in '' auto; do
            case $compensate$groups in auto1+1 | auto1+3) continue ;; esac
            also=${compensate:+, PITH_COMPENSATE=$compensate}
            export PITH_COMPENSATE=$compensate
            rm -rf l.pith*; result=l.pith under log "$mpi" $ranks $first
            is "$status $(cmp out plain) $(pith check l.pith 2>&1 | sed 's/: .* read,/:/')" "0  l.pith: no damage found" "$with: log$also: runs as ever, and its log checks" || head -n 5 err
            recorded l.pith >got
            cmp -s got wanted; ok $? "$with: log$also: $(wc -l <wanted) collective calls with root and bytes" || diff got wanted | head -n 10
            result=t.csv under time "$mpi" $ranks $first
            is "$status $(cmp out plain)" "0 " "$with: time$also: runs as ever" || head -n 5 err
            is "$(reads sent t.csv | grep -v '^[0-9]* MPI_Send ' | sort)" "$(given)" "$with: time$also: bytes"
        done
        unset PITH_COMPENSATE
        rm -f c.txt; result=c.txt under check "$mpi" $ranks $first
        is "$status $(cmp out plain) $(sed 's/check: [0-9]* coll/check: N coll/' c.txt)" "0  pith check: N collective calls of $ranks ranks: no errors" "$with: check: nothing is wrong" || head -n 5 err
        rm -f r.txt; result=r.txt under trace "$mpi" $ranks $first
        is "$status $(cmp out plain) $(grep -c Starting r.txt)" "0  $(grep -c Ending r.txt)" "$with: trace: runs as ever"
        is "$(grep -oE 'Ending MPI_I?(bcast|Bcast|all|All|[Rr]ed|[Ss]cat|[Gg]ath|[Bb]arrier)[a-z_]*$' r.txt | grep -v _init | sort | uniq -c | sed 's/Ending //')" \
            "$(awk '$2 != "MPI_Start" { print $2 }' plain | sort | uniq -c)" "$with: trace: each call has its lines"
    done
done
finish
