#!/usr/bin/env bash
# `pith stat --flame FILE.pith`: samples as states, compared with bars found for each sample on its own (flame_log.py).
. "$(dirname "$0")/../lib.sh"
oracle="$top/test/cli/flame_log.py"

for seed in 1 2 3; do
    for clock in cpu wall; do
        python3 "$oracle" make $seed $clock >log.txt
        pith convert log.txt log.pith && pith stat log.pith --flame flames.pith >out 2>&1
        is "$? $(cat out)" "0 " "$seed, $clock: flames.pith is made"
        pith print log.pith >printed 2>err
        pith print flames.pith >flames 2>>err
        python3 "$oracle" bars printed $clock 1000000 >wanted
        python3 "$oracle" states flames >got
        ok $((!($(wc -l <wanted) > 100))) "$seed, $clock: there are many bars"
        is "$(cmp wanted got 2>&1)" "" "$seed, $clock: the states are the bars" || diff wanted got | head -5
        is "$(awk -F'\t' '$4 == "event" { print $1, $2, $3, $5 }' flames | sed 's/ (.*//')" \
            "$(awk -F'\t' '$5 == "pith:sample" { n = split($NF, f, /[;=]/); print $1, $2, $3, f[n] }' printed)" \
            "$seed, $clock: each sample is an event of its innermost function"
    done
done
pith check flames.pith >check.out 2>&1
ok $? "pith check" || cat check.out
is "$(grep -c '^# lane' flames)" 4 "the lanes of the log, also those without samples"
is "$(sed -n 's/^# property	key=place //p' flames | sort)" "copy	value=b.c:51
fill	value=a.c:31
main	value=a.c:1
solve	value=b.c:41
solve (a.c:21)	value=a.c:21
step	value=a.c:11" "where functions are declared; two of the same name"
# A part: the lanes stay, and the window is that of the samples.
pith stat log.pith --flame part.pith --lane 1 --to 20ms 2>err
is "$(pith print part.pith | grep -c '^# lane') $(pith print part.pith | awk -F'\t' '!/^#/ { print $2, ($1 > 0.02) }' | sort -u)" \
    "4 1 0" "--lane and --to"
# A format that cannot hold the payloads of samples has them as text, which must not be taken for numbers.
for format in trace.json paje alog; do
    pith convert log.pith text.$format >/dev/null 2>&1
    pith stat text.$format --by function >out 2>&1
    is "$? $(cat out)" "1 pith: text.$format: its samples became text when it was converted; use the log that it was made from" \
        "$format: samples are text"
done
# The first sample of a lane stands for one period, others for the time since the one before, by the clock of the samples.
# So formats that hold samples must say the period and the clock.
for clock in cpu wall; do
    sed "s/\(key=sample_clock.value=\).*/\1$clock/" log.txt >clock.txt
    is "$(pith stat clock.txt --by function --csv | awk -F, 'NR > 1 { s += $2 } END { print (s > 0.1) }')" 1 "$clock: samples have times"
    times() { pith stat "$1" --by function --csv 2>/dev/null | awk -F, 'NR > 1 { n += $8; s += $2 } END { print n, s }'; }
    for suffix in slog2 prv; do
        pith convert clock.txt clock.$suffix >/dev/null 2>&1
        is "$(times clock.$suffix)" "$(times clock.txt)" "$clock, $suffix: the samples stand for the same times"
    done
done
# A line of the source is shown as it stands there.
for file in a b; do for _ in $(seq 60); do printf '%s\n' 'puts("a\n, b");'; done >$file.c; done
sed "s|/src/|$PWD/|g" log.txt >here.txt
is "$(pith stat here.txt --by line | grep -cF ' puts("a\n, b"); '):$(pith stat here.txt --by line | grep -cF '\\n')" "6:0" "--by line: a backslash"
is "$(pith stat here.txt --by line --csv | grep -cF ',"puts(""a\n, b"");",')" 6 "--by line --csv: a backslash"
# A part has the names of its functions: pith:module, written before it, in thread 0 of the rank, comes along.
window='--from 20ms --to 60ms'
same_functions() { # WHAT FILE LANES: the functions of FILE are those of the window in the log
    is "$(pith stat --by function --csv "$2")" "$(pith stat --by function --csv log.pith $window ${3:-})" "$1: the functions of a window"
}
ok $((!($(pith stat --by function --csv log.pith $window | grep -c /gone/app) == 6))) "the window has six functions with names"
pith cut log.pith -o cut.pith $window && pith check cut.pith >check.out 2>&1
ok $? "cut: the part is sound" || cat check.out
same_functions cut cut.pith
pith cut log.pith -o cut.pith $window --lane 0.1 && same_functions "cut --lane" cut.pith "--lane 0.1"
# convert does the same; SLOG-2 has no room for the names that the log has stored itself
events() { awk -F'\t' -v last="$1" '$4 == "event" { print $2, $3, $5, last ? $NF : "" }' | sort; }
wanted() { { pith print log.pith | grep "^0.000.*pith:module"; pith print log.pith $window; } | events $1; }
pith convert log.pith part.pith $window && is "$(pith print part.pith | events 1)" "$(wanted 1)" "convert: the functions of a window"
pith convert log.pith part.slog2 $window >/dev/null 2>&1
is "$(pith print part.slog2 2>/dev/null | events 0)" "$(wanted 0)" "convert to SLOG-2: pith:module comes along"
grep -v pith:sample log.txt >none.txt
pith stat none.txt --flame none.pith >out 2>&1
is "$? $(cat out) $(ls none.pith* 2>/dev/null)" "1 pith: none.txt: the log has no samples; record with pith run --sample " "a log without samples"
pith stat log.pith --flame nowhere/x.pith >out 2>&1
like "$? $(cat out)" '^1 pith: nowhere/x.pith' "a folder that is not there"
finish
