#!/usr/bin/env bash
# pith analyze --what-if against reality: one rank computes 15 ms more in each step; the run without that is measured, too. And
# replays of samples come near their runs, or the page says that they do not.
. "$(dirname "$0")/../lib.sh"
undisturbed
. "$top/test/mpi/functions.sh"

cat >step.c <<'C'
#include <mpi.h>
#include <pith.h>
#include <time.h>

/* Sleeps instead: other programs on this machine cannot make it longer. */
static void compute(const char *state, long ms)
{
    uint32_t id = pith_state_define(state, NULL);
    struct timespec time = {0, ms * 1000000};

    pith_begin(id);
    nanosleep(&time, NULL);
    pith_end(id);
}

int main(int argc, char **argv)
{
    static char here[1000], there[1000];
    int rank, size, extra = argc > 1;
    double sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < 16; step++) {
        compute("solve", 30 + rank);
        if (rank == 1 && extra)
            compute("extra", 15);
        MPI_Sendrecv(here, 1000, MPI_CHAR, (rank + 1) % size, 0, there, 1000, MPI_CHAR, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (step % 4 == 0)
            MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
C
measured() { pith analyze "$@" --json | python3 -c 'import json, sys; w = json.load(sys.stdin)["window"]; print(w["to_ns"] - w["from_ns"])'; }
predicted() { local log=$1 change=$2; shift 2; pith analyze "$log" --what-if "$change" "$@" | awk '{ printf "%.0f", $2 * 1e9 }'; }
# On a busy machine the system stops some rank in every run, which can only make it longer. So each figure is the least of
# four parts of some runs, of four steps and a collective each. least FIGURE LOG [CHANGE]: the least of LOG's parts.
least() {
    local figure=$1 step
    shift
    for step in 0 4 8 12; do
        "$figure" "$@" --from "solve[$((2 * step + 1))]" --to "solve[$((2 * step + 7))]"
        echo
    done | sort -n | sed '/./!d' | head -n 1
}
lower() { printf '%s\n%s\n' "$1" "${2:-$1}" | sort -n | head -n 1; }
near() { awk -v a="$1" -v b="$2" -v part="$3" 'BEGIN { exit !(b > 0 && a / b > 1 - part && a / b < 1 + part) }'; }

# Both ranks exchange 2 MB, which take from 0.2 to 1.4 ms. One of them comes first, the other one 1 us later. Each
# receiver copies the message in its call, so the transfers of both ranks come from the model, and none is kept.
{
    printf '# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1\n'
    awk 'BEGIN {
        for (k = 0; k < 60; k++) {
            us = 200 + k * 7 % 13 * 100
            for (n = 0; n < 2; n++) {
                lane = (k + n) % 2
                printf "%.9f\t%d\t0\tenter\tMPI_Sendrecv\n%.9f\t%d\t0\tsend\t\tcomm=0\tpeer=%d\ttag=0\tbytes=2000000\n", (t + n) / 1e6, lane, (t + n) / 1e6, lane, 1 - lane
                printf "%.9f\t%d\t0\trecv\t\tcomm=0\tpeer=%d\ttag=0\tbytes=2000000\n%.9f\t%d\t0\tleave\tMPI_Sendrecv\n", (t + us) / 1e6, lane, 1 - lane, (t + us) / 1e6, lane
            }
            t += us + 2
        } }' | sort -s -g -k 1,1
} >exchange.txt
near "$(pith analyze exchange.txt --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["trust"]["replay_ns"])')" "$(measured exchange.txt)" 0.02
ok $? "exchanges of long messages: the replay on the fitted network takes as long as the run" || pith analyze exchange.txt

is "$(python3 "$top/test/analyze/threads_what_if.py" 40)" "0 wrong" "teams of threads: 40 random programs, simulated again with a faster state"

for mpi in $(mpis); do
    "mpicc.$mpi" -std=gnu11 -O1 -g -I"$build/include" -o step step.c -L"$build/lib" -Wl,-rpath,"$build/lib" -lpith ||
        { ok 1 "$mpi: built"; continue; }
    slow='' want='' got=''
    for _ in 1 2 3 4 5 6; do # all six, whatever the first ones give
        TIMEOUT=60 mpiexec_of "$mpi" 2 pith run -o with.pith ./step extra >out 2>err &&
            TIMEOUT=60 mpiexec_of "$mpi" 2 pith run -o without.pith ./step >out 2>err
        want=$(lower "$(least measured without.pith)" "$want") slow=$(lower "$(least measured with.pith)" "$slow")
        got=$(lower "$(least predicted with.pith extra@1=1e6)" "$got")
    done
    near "$got" "$want" 0.05
    ok $? "$mpi: without 15 ms in each step of one rank: predicted $got ns, measured $want ns" || sed 's/^/# /' err
    near "$slow" "$want" 0.2
    ok $((! $?)) "$mpi: which differs from the run with it: $slow ns"
    for sample in heat2d ring master_worker; do
        TIMEOUT=60 mpiexec_of "$mpi" 2 pith run -o $sample.pith "$build/samples/$mpi/$sample" >out 2>err
        near "$(predicted $sample.pith computing=1)" "$(measured $sample.pith)" 0.02
        ok $? "$mpi: $sample: a replay without a change takes as long as the run" || pith analyze $sample.pith --what-if computing=1
        pith analyze $sample.pith --json | python3 -c 'import json, sys
a = json.load(sys.stdin); print(abs(a["trust"]["replay_ns"] / (a["window"]["to_ns"] - a["window"]["from_ns"]) - 1) > 0.02)' >differs
        is "$(pith analyze $sample.pith | grep -c 'cannot be trusted')" "$(grep -c True differs)" "$mpi: $sample: the page says whether the fitted network explains the run"
        is "$(pith analyze $sample.pith | grep -v 'pith view' | grep -E '.{81}')" "" "$mpi: $sample: no more than 80 columns"
    done
done
finish
