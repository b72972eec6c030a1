#!/usr/bin/env bash
# Files and one-sided communication: bytes, offsets, targets; with each implementation of MPI-IO.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

# details LOG RANK: the events of a rank, each behind the function it belongs to.
details() { pith print "$1" | awk -F '\t' -v r="$2" '$2 == r && $4 == "enter" { f = $5 } $2 == r && $4 == "event" && $5 !~ /^pith:/ { sub("payload=", "", $6); print f ": " $6 }'; }

files_of() { cat <<END
MPI_File_open: file=1 name=access$1.dat
MPI_File_write: file=1 bytes=32 offset=0
MPI_File_write: file=1 bytes=4 offset=32
MPI_File_write_at: file=1 bytes=8 offset=100
MPI_File_iwrite_at: file=1 bytes=16 offset=1024
MPI_File_read_all: file=1 bytes=16 offset=1024
MPI_File_write_at_all_begin: file=1 bytes=8 offset=1064
MPI_File_open: file=2 name=access.dat
MPI_File_write_shared: file=2 bytes=8 offset=-1
MPI_File_write_ordered: file=2 bytes=16 offset=-1
END
}
windows_of() { cat <<END
MPI_Win_allocate: window=1 bytes=64
MPI_Win_set_name: window=1 name=turned
MPI_Put: window=1 target=$1 bytes=4 displacement=2
MPI_Win_lock: window=1 target=$1
MPI_Get: window=1 target=$1 bytes=4 displacement=3
MPI_Win_flush: window=1 target=$1
MPI_Accumulate: window=1 target=$1 bytes=4 displacement=4
MPI_Get_accumulate: window=1 target=$1 bytes=8 displacement=4
MPI_Fetch_and_op: window=1 target=$1 bytes=4 displacement=6
MPI_Compare_and_swap: window=1 target=$1 bytes=4 displacement=7
MPI_Rput: window=1 target=$1 bytes=4 displacement=1
MPI_Win_unlock: window=1 target=$1
END
}

# The implementation of MPI-IO calls MPI itself: what it does so must not be in the log.
check() { # NAME RANKS
    is "$status $(sort -u out | tr '\n' ' ')" "0 $(seq -f 'rank %.0f failed 0' 0 $(($2 - 1)) | tr '\n' ' ')" "$1: runs" || head -n 20 err
    for r in $(seq 0 $(($2 - 1))); do
        is "$(details access.pith "$r")" "$(files_of "$r"; windows_of $(($2 - 1)))" "$1: rank $r: files and windows"
    done
    is "$(calls_of access.pith)" "$(calls_wanted "$2")" "$1: each call of the program once, and no other"
    is "$(pith check access.pith >/dev/null 2>&1; echo $?)" 0 "$1: the log is good"
}
calls_of() { pith print "$1" | awk -F '\t' '$4 == "enter" && $5 ~ /^MPI/ { n[$5]++ } END { for (f in n) print n[f], f }' | sort -k 2; }
# What stands in the source: every call of it is made once by every rank.
calls_wanted() {
    grep -oE '\bMPI_[A-Z][a-z]+[A-Za-z_]*\(' "$top/test/mpi/access.c" | tr -d '(' | sort | uniq -c |
        awk -v n="$1" '{ print $1 * n, $2 }' | sort -k 2
}

for mpi in $(mpis); do
    compile access "$mpi"
    for ranks in 1 2; do
        record access "$mpi" $ranks
        check "$mpi $ranks" $ranks
    done
    # With PITH_NESTED=1 what the implementation calls is there too, as states inside those of the program.
    # (Open MPI's own calls nothing.)
    PITH_NESTED=1 OMPI_MCA_io=$(romio) record access "$mpi" 1
    is "$(pith print access.pith | awk -F '\t' '$4 == "enter" && $5 ~ /^MPI/ && depth++ == 0 { n[$5]++ } $4 == "leave" && $5 ~ /^MPI/ { depth-- }
        END { for (f in n) print n[f], f; if (depth) print "open:", depth }' | sort -k 2)" "$(calls_wanted 1)" "$mpi: PITH_NESTED=1: the program's calls are the outer ones"
    inner=$(pith print access.pith | awk -F '\t' '$4 == "enter" && depth++ && file { n++ } $4 == "enter" && depth == 1 { file = $5 ~ /^MPI_File/ } $4 == "leave" { depth-- } END { print n + 0 }')
    if [ "$mpi $(romio)" = "openmpi ompio" ]; then skip "$mpi: PITH_NESTED=1: inner calls" "this Open MPI has no ROMIO"; else
        ok $((inner < 3)) "$mpi: PITH_NESTED=1: inner calls lie in those of MPI_File_*" || echo "# $inner of them"; fi
    [ "$mpi" = openmpi ] || continue
    OMPI_MCA_io=$(romio)
    export OMPI_MCA_io
    record access openmpi 2
    check "openmpi romio 2" 2
    unset OMPI_MCA_io
done
finish
