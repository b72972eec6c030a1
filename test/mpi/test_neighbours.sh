#!/usr/bin/env bash
# The log tells who sends to whom in neighbourhood collectives: once for each communicator, the ranks that MPI names.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

# What the log tells, in the form of the program: the n-th list of a rank belongs to its n-th communicator.
lists() {
    pith print "$1" | awk -F'\t' '
        function number(hex,  i, n) { for (i = 1; i <= 8; i++) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
        $4 == "event" && $5 == "pith:neighbours" {
            text = ""
            for (rest = substr($6, 9); rest != ""; rest = substr(rest, 9)) text = text " " number(rest)
            told[$2] = told[$2] " |" text }
        END { for (r in told) print r told[r] }' | sort -n
}
# What the program printed: KIND RANK SOURCE ...; a rank without sources tells nothing.
printed() {
    awk '{ text = ""; for (i = 3; i <= NF; i++) text = text " " $i; if (text != "") told[$2] = told[$2] " |" text }
         END { for (r in told) print r told[r] }' | sort -n
}

for mpi in $(mpis); do
    "mpicc.$mpi" -std=c11 -O1 -Wall -o neighbours "$top/test/mpi/neighbours.c" || { ok 1 "$mpi: built"; continue; }
    for n in 2 4; do
        mpiexec_of "$mpi" $n pith run -o log.pith ./neighbours >out 2>err
        is "$?" 0 "$mpi, $n ranks: it runs" || cat err
        cat sources.* | printed >known
        rm sources.*
        is "$(lists log.pith)" "$(cat known)" "$mpi, $n ranks: the sources of each rank, once a communicator"
        pith check log.pith >check.out 2>&1
        ok $? "$mpi, $n ranks: the log is good" || cat check.out
    done
done
finish
