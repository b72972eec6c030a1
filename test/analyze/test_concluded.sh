#!/usr/bin/env bash
# What pith analyze concludes from coinciding times, and what the rest of a log contradicts: the same begin and end, with and
# without calls that show that nobody waited.
. "$(dirname "$0")/../lib.sh"

# Lines RANK FUNCTION FROM TO [WHEN RECORD...] in ms, or RANK STATE FROM TO, as a log; WHEN: in the call, b or e.
log() {
    awk -v OFS='\t' '
        function put(ms, text) { printf "%.9f\t%s\t0\t%s\n", ms / 1000, $1, text }
        BEGIN { print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=4\tranks=0,1,2,3"
                print "# property\tkey=eager_bytes\tvalue=same_host=1000 network=1000" }
        { put($3, "enter\t" $2)
          record = $6; for (i = 7; i <= NF; i++) record = record "\t" $i
          if (NF > 5) put($5 == "b" ? $3 : $4, record)
          put($4, "leave\t" $2) }' | sort -s -g -k 1,1
}
# The kinds of waiting in it, each with its number of waits and ms.
waits() {
    log >log.txt && pith analyze log.txt --json --waits | python3 -c '
import json, sys
from collections import Counter
count, sums = Counter(), Counter()
for w in json.load(sys.stdin)["wait_states"]:
    count[w["kind"]] += 1
    sums[w["kind"]] += (w["to_ns"] - w["from_ns"]) / 1e6
print("; ".join("%s %d %g" % (kind, count[kind], sums[kind]) for kind in sorted(count)))'
}

# MPI_Bcast from rank 0, three times: rank 3 ends when rank 1 has come; or it does so once, and twice leaves before.
bcasts() {
    for at in 0 100 200; do
        for rank in 0 2; do echo "$rank MPI_Bcast $((at + 5)) $((at + 6)) b coll - comm=0 bytes=8 got_bytes=8 root=0"; done
        echo "1 MPI_Bcast $((at + 60)) $((at + 61)) b coll - comm=0 bytes=8 got_bytes=8 root=0"
        echo "3 MPI_Bcast $((at + 10)) $((at + ($at ? $1 : 61))) b coll - comm=0 bytes=8 got_bytes=8 root=0"
    done
}
is "$(bcasts 61 | waits)" "late inner rank 3 150" "rank 3 always ends when rank 1 has come"
is "$(bcasts 11 | waits)" "" "it twice left before: it does not need rank 1"

# MPI_Send to a rank that has posted the receive and computes: it ends when that rank calls MPI; or twice it does not wait.
sends() {
    for at in 0 100 200; do
        echo "1 MPI_Irecv $at $((at + 1))"
        echo "1 MPI_Wait $((at + 60)) $((at + 61)) e recv - comm=0 peer=0 tag=0 bytes=100000 posted=$((at / 100))"
        echo "0 MPI_Send $((at + 10)) $((at + ($at ? $1 : 61))) b send - comm=0 peer=1 tag=0 bytes=$2"
    done
}
is "$(sends 61 100000 | waits)" "wait for progress 3 150" "large messages wait for their receiver's next call"
is "$(sends 12 100000 | waits)" "" "two did not: the library makes progress by itself"
is "$(sends 61 1000 | waits)" "" "messages up to the eager limit need none"

# Tests with 8 ms between them until the message has come, which is sent at 20; then the next send, or 8 ms of work.
tests() {
    for at in 0 40 80; do
        echo "0 MPI_Irecv $at $((at + 1))"
        for test in 9 17; do echo "0 MPI_Test $((at + test)) $((at + test + 1))"; done
        echo "0 MPI_Test $((at + 25)) $((at + 26)) e recv - comm=0 peer=1 tag=0 bytes=8 posted=$((at / 40))"
        echo "0 MPI_Send $((at + 26 + $1)) $((at + 27 + $1)) b send - comm=0 peer=1 tag=0 bytes=8"
        echo "1 MPI_Send $((at + 20)) $((at + 21)) b send - comm=0 peer=0 tag=0 bytes=8"
        echo "1 MPI_Recv $((at + 38)) $((at + 39)) e recv - comm=0 peer=0 tag=0 bytes=8 posted=$((at / 40))"
    done
}
is "$(tests 0 | waits)" "late notice 3 18; polling 3 33" "tests that end with the message: polling from 9 to 20, noticed at 26"
is "$(tests 8 | waits)" "" "work goes on when it is there: the work between the tests was work, too"
# Ten iterations of work in pieces of 2 ms, each followed by a test, on two ranks: rank 0 in so many pieces as are named. Rank 1
# sends when its 20 ms are over; then the last test of rank 0 finds the message, or MPI_Wait does where it is named.
pieces() {
    local at=0 piece begin i=0
    for count in "$@"; do
        echo "0 MPI_Irecv $at $((at + 1))"
        begin=$((at + 1))
        for ((piece = 1; piece < ${count%w}; piece++)); do echo "0 MPI_Test $((begin + 2 * piece)) $((begin + 2 * piece))"; done
        case $count in
        *w)
            echo "0 MPI_Test $((begin + 2 * piece)) $((begin + 2 * piece))"
            echo "0 MPI_Wait $((begin + 2 * piece)) $((begin + 2 * piece + 1)) e recv - comm=0 peer=1 tag=0 bytes=8 posted=$i" ;;
        *) echo "0 MPI_Test $((begin + 2 * piece)) $((begin + 2 * piece + 1)) e recv - comm=0 peer=1 tag=0 bytes=8 posted=$i" ;;
        esac
        echo "1 MPI_Send $((begin + 2 * piece - 1)) $((begin + 2 * piece)) b send - comm=0 peer=0 tag=0 bytes=8"
        at=$((begin + 2 * piece + 2)) i=$((i + 1))
    done
}
is "$(pieces 9 14 10 11 8 10 12 9 10 13 11 10 | waits)" "late notice 12 24; polling 12 218" "tests until the message comes: their number differs"
is "$(pieces 10 10 10 10 10 10 10 10 10 10 10 10 | waits)" "" "always ten: work, which happens to end with the message"
unlike "$(pieces 9w 14 10w 11 8w 10 12w 9 10w 13 11w 10 | waits)" polling "half of the messages come after the last test: it does not wait for them"
# The message comes after a fifth of the time: the work goes on.
early() {
    local at=0
    for i in {0..11}; do
        echo "0 MPI_Irecv $at $((at + 1))"
        for test in 1 $((30 + i % 3)); do echo "0 MPI_Test $((at + test)) $((at + test + 1))"; done
        echo "0 MPI_Test $((at + 60)) $((at + 61)) e recv - comm=0 peer=1 tag=0 bytes=8 posted=$i"
        echo "1 MPI_Send $((at + 12)) $((at + 13)) b send - comm=0 peer=0 tag=0 bytes=8"
        at=$((at + 62))
    done
}
unlike "$(early | waits)" polling "most of the time lies behind the message"

# Rank 1 posts its MPI_Isend and computes. Rank 0 comes before, when the message moves at once, or later, when it does not.
posted() {
    for at in 0 100 200 300; do
        echo "1 MPI_Isend $((at + 20)) $((at + 21)) b send - comm=0 peer=0 tag=0 bytes=100000"
        echo "1 MPI_Wait $((at + 60)) $((at + 61))"
        if ((at % 200)); then
            echo "0 MPI_Recv $((at + 10)) $((at + 23)) e recv - comm=0 peer=1 tag=0 bytes=100000 posted=$((at / 100))"
        else
            echo "0 MPI_Recv $((at + 30)) $((at + 61)) e recv - comm=0 peer=1 tag=0 bytes=100000 posted=$((at / 100))"
        fi
    done
}
is "$(posted | waits)" "late sender 2 20; wait for progress 2 60" "what moves while the receiver is there does not show what moves without it"
finish
