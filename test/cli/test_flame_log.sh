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
grep -v pith:sample log.txt >none.txt
pith stat none.txt --flame none.pith >out 2>&1
is "$? $(cat out) $(ls none.pith* 2>/dev/null)" "1 pith: none.txt: the log has no samples; record with pith run --sample " "a log without samples"
pith stat log.pith --flame nowhere/x.pith >out 2>&1
like "$? $(cat out)" '^1 pith: nowhere/x.pith' "a folder that is not there"
finish
