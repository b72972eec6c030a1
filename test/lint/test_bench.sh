#!/usr/bin/env bash
# The report card: what benches tell, in C and in shell, comes out as table and JSON; nothing there fails for a number.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
export BENCH_OUT=$scratch/lines

cat >told.c <<'E'
#include "bench/bench.h"
int main(void)
{
    bench_row("an event", 11.0, "ns", 10.0, "<=1.15x");
    bench_row("encode", 45.0, "Mevents/s", 180.0, ">=60");
    return 0;
}
E
cc -Wall -Wextra -Werror -std=gnu11 -I"$top/test" -o told told.c
ok $? "bench.h alone compiles"
printf 'RUN\trecord\n' >lines
like "$(./told)" 'an event +11 ns +floor 10 +goal <=1.15x' "a line for people, from C"
peer "an event" OTF2 12.5 >out
peer "an event" uftrace "" >>out
is "$(cat out)" "    OTF2                                                  12.5
    uftrace: not installed" "peers for people"
printf 'RUN\tmpi\n' >>lines
like "$(row "a call" 30 ns 10 "<=3x" 28 33.25)" 'a call +30 ns +floor 10 +\(28 to 33.25\) goal <=3x' "a line for people, from shell"
row "size" 2.5 bytes/event >/dev/null
peer "never measured" zlib 5 >/dev/null
python3 "$top/test/bench/report.py" lines bench.json >table
ok $? "the report is made"
squeezed=$(sed -E 's/ +/ /g' table)
like "$squeezed" '^an event \| 11 \| ns \| 1.10 \| <= 1.15 x \| yes \| OTF2: 12.5, uftrace: not installed$' "a goal of the floor, met; peers beside"
like "$squeezed" '^encode \| 45 \| Mevents/s \| 4.00 \| >= 60 \| NO$' "rates turned round; a goal missed"
like "$squeezed" '^a call \| 30 \(28 to 33.25\) \| ns \| 3.00 \| <= 3 x \| yes$' "the spread"
like "$squeezed" '^size \| 2.5 \| bytes/event$' "a measure with neither floor nor goal"
like "$squeezed" '^never measured \|.* zlib: 5$' "a peer of a bench that was not run"
like "$(tail -n 2 table)" '2 of 3 goals met' "the sum"
is "$(python3 -c 'import json
rows = json.load(open("bench.json"))["rows"]
print([(r["bench"], r["what"], r["value"], r["ratio"], r["met"], r["low"], r["peers"].get("uftrace")) for r in rows[:3]])')" \
    "[('record', 'an event', 11.0, 1.1, True, None, 'not installed'), ('record', 'encode', 45.0, 4.0, False, None, None), ('mpi', 'a call', 30.0, 3.0, True, 28.0, None)]" "as JSON"

# A run of none of them: no programs, still a table.
mkdir empty
O=$scratch/empty "$top/test/bench/measure" nonesuch >out 2>&1
is "$?" 0 "measure: a bench that is not there is no failure"
like "$(cat out)" '0 of 0 goals met' "and the table is empty"
for bench in "$top"/test/bench/bench_*.{c,sh}; do
    name=$(basename "${bench%.*}"); name=${name#bench_}
    grep -qE "^\[ .*set -- .*\b$name\b" "$top/test/bench/measure" && grep -q "\`$name\`" "$top/test/bench/README.md"
    ok $? "bench $name is run, and told of in the README"
done
finish
