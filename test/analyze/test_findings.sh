#!/usr/bin/env bash
# The findings of pith analyze, on small logs.
. "$(dirname "$0")/../lib.sh"

# log RANK:STATE:MS ...: each rank is in these states one after another; at 100 ms all leave a barrier that they wait in.
log() {
    printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1\n' >log.txt
    printf '%s\n' "$@" | awk -F: '
        function line(ms, rank, text) { printf "%.9f\t%d\t0\t%s\n", ms / 1000, rank, text }
        { line(at[$1] + 0, $1, "enter\t" $2); at[$1] += $3; line(at[$1], $1, "leave\t" $2) }
        END { for (rank in at) {
            line(at[rank], rank, "enter\tMPI_Barrier")
            line(at[rank], rank, "coll\tMPI_COMM_WORLD\tcomm=0\troot=-1")
            line(100, rank, "leave\tMPI_Barrier") } }' | sort -s -g -k 1,1 >>log.txt
    pith convert log.txt log.pith
}
found() { pith analyze log.pith --csv | sed -n "s/^$1,//p" | cut -d, -f1; }

log 0:solve:60 1:solve:100
is "$(found 'load imbalance')" 0.040000000 "rank 1 solves 20 ms more than the mean of two ranks"
is "$(found 'wait at barrier')" 0.040000000 "and rank 0 waits for it"
log 0:ocean:100 1:radiation:60 1:flow:40
is "$(found 'load imbalance')" "" "ranks with different work, but the same amount, are balanced"
log 0:ocean:100 1:radiation:60 1:flow:30
is "$(found 'load imbalance' | sort -u)" 0.010000000 "or could give away what they have more in all"

# ---- pithlog_analysis_findings -----------------------------------------------------------------------------------
cat >list.c <<'C'
#include <pithlog_findings.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    struct pithlog *log;
    struct pithlog_analysis *analysis;
    const struct pithlog_finding *list, *again;
    uint32_t count, counted;

    if (argc < 2 || pithlog_open(argv[1], &log) ||
        pithlog_analyze(log, &(struct pithlog_analyze_query){.from_ns = INT64_MIN, .to_ns = INT64_MAX}, &analysis) ||
        pithlog_analysis_findings(analysis, &list, &count) || pithlog_analysis_findings(analysis, &again, &counted))
        return 1;
    for (uint32_t i = 0; i < count; i++)
        printf("%s|%.0f|%.3f|%s|%s|%d|%.9f\n%s", list[i].name, list[i].ns, list[i].share,
               list[i].kind ? pithlog_wait_kind_name(list[i].kind) : "-",
               list[i].state == PITHLOG_COMPUTING ? "-" : pithlog_get_def(log, list[i].state)->name, (int)list[i].lane,
               list[i].worst ? (double)list[i].worst->from_ns / 1e9 : 0, list[i].text);
    pithlog_analysis_free(analysis);
    pithlog_close(log);
    return list != again || count != counted;
}
C
${CC:-cc} -std=gnu11 -I"$build/include" -o list list.c "$build/lib/libpithlog.a" -lz -lm -ldl -lpthread
ok $? "a program on pithlog_findings.h"
log 0:solve:60 1:solve:100
is "$(./list log.pith)" "load imbalance|40000000|0.200|-|solve|1|0.000000000
solve takes 100.0 ms on rank 1 and 80.00 ms in the mean:
the other ranks could do more of it
wait at barrier|40000000|0.200|wait at barrier|MPI_Barrier|0|0.060000000
ranks wait at a barrier for the last one:
in MPI_Barrier, 1 times, rank 0
caused by solve: 40.00 ms (100 %), on rank 1
worst: 40.00 ms on rank 0, waiting for rank 1" "it gets the findings, largest first"
is "$(pith analyze log.pith --json | python3 -c 'import json, sys; print([f.get("command") for f in json.load(sys.stdin)["findings"]])')" \
    "[None, 'pith view log.pith --at 0.060000s --rows 0,1']" "pith analyze adds the command that shows the worst"
finish
