# real.sh - what the tests of whole programs share; sourced after lib.sh.
# Reads logs through `pith print`, whose lines are: time, rank, thread, kind, name, key=value...

counter=$build/test/mpi/count.so
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# entries LOG: a line "RANK NAME COUNT" for each MPI function recorded, sorted.
entries() {
    pith print "$1" | awk -F'\t' '$4 == "enter" && $5 ~ /^MPI_/ { n[$2 " " $5]++ } END { for (k in n) print k, n[k] }' | sort
}
# counted FOLDER: the same from the files of the counting preload, one a rank.
counted() {
    awk '{ n = split(FILENAME, part, "/"); sum[part[n] " " $1] += $2 } END { for (k in sum) print k, sum[k] }' "$1"/* | sort
}
# info LOG KEY: the value of a line of `pith info`.
info() { pith info "$1" | sed -n "s/^$2: *//p"; }

# kinds LOG: how many states of each name begin and end, how many messages leave and come. A receive of nobody (cancelled)
# is no message.
kinds() {
    pith print "$1" | awk -F'\t' '$4 == "enter" || $4 == "leave" { n[$4 " " $5]++ } ($4 == "send" || $4 == "recv") && !/peer=-1/ { n[$4]++ }
        END { for (k in n) print k, n[k] }' | sort
}
# unmatched LOG: "SENDS RECEIVES" that found no partner. matched LOG: how many messages did.
unmatched() {
    local note
    note=$(pith stat "$1" --by comm --csv 2>&1 >/dev/null)
    [ -n "$note" ] || { echo 0 0; return; }
    sed -E 's/.*note: ([0-9]+) sends and ([0-9]+) receives.*/\1 \2/' <<<"$note"
}
matched() { pith stat "$1" --by comm --csv | awk -F, 'NR > 1 { n += $3 } END { print n + 0 }'; }

# usable LOG WHAT: a log can be verified, printed, converted, drawn.
usable() {
    local log=$1 what=$2 out
    pith check "$log" >check.txt 2>&1
    ok $? "$what: pith check" || cat check.txt
    is "$(info "$log" complete)" yes "$what: the log is complete"
    is "$(matched "$log")" "$(info "$log" messages)" "$what: pith stat finds every message"
    is "$(info "$log" lost)" 0 "$what: nothing lost"
    like "$(pith stat "$log" 2>&1)" MPI_ "$what: pith stat"
    for format in alog clog2; do
        pith convert "$log" "out.$format" >convert.txt 2>&1 && pith check "out.$format" >>convert.txt 2>&1
        ok $? "$what: to $format" || cat convert.txt
        is "$(kinds "out.$format")" "$(kinds "$log")" "$what: $format holds the same"
    done
    like "$(pith draw "$log" --text 2>&1)" '^rank 0 *\|' "$what: drawn as text"
    if [ -x "$build/libexec/pith/pith-draw" ]; then
        pith draw "$log" -o out.png --size 800x400 && out=$(identify -format '%m %wx%h %k' out.png 2>&1)
        like "${out:-}" '^PNG 800x400 ([1-9][0-9]|[5-9])' "$what: drawn, in more than four colours"
        pith draw "$log" -o out.svg && grep -q '</svg>' out.svg
        ok $? "$what: drawn as SVG"
    fi
}
