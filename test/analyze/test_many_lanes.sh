#!/usr/bin/env bash
# Logs of more lanes than are read together: their records come rank by rank, in intervals, and the results must be
# those of records in the order of times. A log that defines one-sided epochs comes in that order, so each log is compared
# with itself and this definition. MANY_SEEDS=FIRST-LAST: other random programs.
. "$(dirname "$0")/../lib.sh"
seeds=${MANY_SEEDS:-1-8} compared=0

# as_in_order LOG NAME
as_in_order() {
    mv "$1" log.txt
    pith analyze log.txt --json --waits >intervals.json
    { printf '# event\tname=pith:epoch\tformat=what=%%s ranks=%%s\n'; cat log.txt; } >epochs
    mv epochs log.txt
    pith analyze log.txt --json --waits >in_order.json
    is "$(cmp in_order.json intervals.json 2>&1)" "" "$2: as in the order of times"
}

RANKS=300 python3 "$top/test/analyze/random_log.py" "${seeds%-*}" "${seeds#*-}"
for ((seed = ${seeds%-*}; seed <= ${seeds#*-}; seed++)); do
    grep -q pith:epoch "$seed.txt" && continue
    compared=$((compared + 1))
    as_in_order "$seed.txt" "program $seed of 300 ranks"
done
is "$((compared > 2))" 1 "programs without epochs were compared"
python3 "$top/test/analyze/given_up.py" >given_up.txt
as_in_order given_up.txt "a send that many calls could complete"
finish
