#!/usr/bin/env bash
# PITH_COUNTERS: what the system counts for each thread, against the program's own readings; and machines without.
. "$(dirname "$0")/../lib.sh"
counters=task-clock,run-delay,context-switches,page-faults,minor-faults

# between OUT LOG RANKS: what pith stat sums for each state and rank lies between what the program read inside and around it.
between() {
    for ((rank = 0; rank < $3; rank++)); do
        pith stat "$2" --lanes $rank --csv >stat.$rank.csv || return
    done
    python3 - "$1" "$3" <<'EOF'
import csv, sys
rows = {}
for rank in range(int(sys.argv[2])):
    for row in csv.DictReader(open("stat.%d.csv" % rank)):
        rows[rank, row["name"]] = row
checked = bad = 0
for line in open(sys.argv[1]):
    rank, state, counter, least, most = line.split()
    value = float(rows[int(rank), state][counter]) * (1e9 if counter.endswith("_s") else 1)
    checked += 1
    if not int(least) - 2 <= value <= int(most) + 2:  # of the rounding of seconds
        bad += 1
        print("#   rank", line.strip(), "but recorded:", value)
sys.exit(bad > 0 or checked != 16 * int(sys.argv[2]))
EOF
}
value() { python3 -c 'import csv, sys
print(next(r[sys.argv[3]] for r in csv.DictReader(open(sys.argv[1])) if r["name"] == sys.argv[2]))' "$@"; }

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    # shellcheck disable=SC2046
    "mpicc.$mpi" -D_GNU_SOURCE -g -O2 $(sanitizers) -I"$build/include" -o counted "$top/test/mpi/counted.c" -L"$build/lib" -Wl,-rpath,"$build/lib" \
        -lpith -lpthread
    ok $? "$mpi: counted compiles" || continue
    for n in 1 2 4; do
        PITH_COUNTERS=$counters mpiexec_of "$mpi" $n pith run -o $n.pith ./counted >out 2>err
        ok $? "$mpi, $n ranks: counted runs" || cat err
        between out $n.pith $n
        ok $? "$mpi, $n ranks: sums of states and threads are the system's"
    done
    PITH_COUNTERS=$counters mpiexec_of "$mpi" 2 pith run --sample=1,wall -o sampled.pith ./counted >out 2>err
    between out sampled.pith 2
    ok $? "$mpi: with samples as well" || cat err
    pith check sampled.pith >check.out 2>&1
    ok $? "$mpi: the log is good" || cat check.out
    if [ -n "$(value stat.0.csv touch minor-faults 2>/dev/null)" ]; then
        ok $(($(value stat.0.csv touch minor-faults) < 1000)) "$mpi: perf counts the pages that were touched"
    else
        skip "$mpi: minor-faults" "$(grep minor-faults err)"
    fi

    # Two ranks share a core: what they wait for is the core and not each other.
    core=$(sed -n 's/^Cpus_allowed_list:\t\([0-9]*\).*/\1/p' /proc/self/status)
    free=
    [ "$mpi" = openmpi ] && free="--bind-to none"
    # shellcheck disable=SC2086
    PITH_COUNTERS=run-delay "mpiexec.$mpi" $free -n 3 taskset -c "$core" pith run -o shared.pith ./counted >out 2>err
    like "$(pith analyze shared.pith)" ' no core: [0-9.]+ %' "$mpi: analyze says that there was no core"
    like "$(pith analyze shared.pith)" '^ *3 ranks on [0-9]+ cores?: threads could run, but the system gave them no core;$' "$mpi: for how many ranks"
    like "$(pith analyze shared.pith)" '^ *[0-9]+ % of MPI_[A-Za-z_]+ \(.*\) is waiting for a core, and ' "$mpi: in which call"
    is "$(pith analyze shared.pith | grep -c 'descheduled ranks')" 0 "$mpi: and does not guess"

    PITH_COUNTERS=task-clock,nonsense mpiexec_of "$mpi" 2 pith run -o nonsense.pith ./counted >out 2>err
    is "$? $(grep -c . err) $(grep nonsense: err)" "0 2 pith: PITH_COUNTERS: nonsense: no such counter (man 7 pith has the list)" "$mpi: one line about an unknown name"
    PITH_COUNTERS=PAPI_TOT_INS mpiexec_of "$mpi" 1 pith run -o papi.pith ./counted >out 2>papi.err
    PITH_COUNTERS=instructions mpiexec_of "$mpi" 1 pith run -o hard.pith ./counted >out 2>err
    if grep -q PITH_COUNTERS err; then
        like "$(cat err)" '^pith: PITH_COUNTERS: instructions: (not permitted; allow it by|this machine does not count it)' "$mpi: why the processor does not count"
        is "$(pith print hard.pith | grep -c thread:)" 0 "$mpi: the run goes on without it"
        is "$(grep COUNTERS papi.err)" "$(grep COUNTERS err | sed 's/instructions/PAPI_TOT_INS/')" "$mpi: the same by PAPI's name"
    else
        ok $(($(pith stat hard.pith --csv >hard.csv; value hard.csv spin instructions) < 1000000)) "$mpi: instructions"
    fi
done

cd "$scratch/$mpi" || exit 1
PITH_COUNTERS=minor-faults,run-delay,page-faults PITH_LOG=alone.pith ./counted alone >out 2>err
is "$? $(cat out)" "0 counted: well" "a program that closes all descriptors keeps its own"
pith stat alone.pith --csv >alone.csv
ok $(($(value alone.csv pages page-faults) < 1000)) "its page faults are counted"
child=$(ls alone*-*.pith alone.*.pith 2>/dev/null | head -n 1)
pith stat "$child" --csv >child.csv
ok $(($(value child.csv child page-faults) < 1000)) "a forked child counts anew"
is "$(pith print "$child" | awk -F'\t' '$4 == "counter" { print $6; exit }')" "value=0" "from 0"
(ulimit -n 17; PITH_COUNTERS=run-delay PITH_LOG=few.pith ./counted alone >out 2>err)
is "$? $(cat out) $(grep COUNTERS err)" \
    "0 counted: well pith: PITH_COUNTERS: there are no more descriptors (ulimit -n), so some threads lack run-delay" "without descriptors"
finish
