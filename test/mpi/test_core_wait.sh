#!/usr/bin/env bash
# How long ranks had no core is in each log of a job, on the page of pith analyze, and in a line at the end of the run if ranks
# share cores with more ranks than these are.
. "$(dirname "$0")/../lib.sh"
undisturbed
. "$top/test/mpi/functions.sh"

cat >busy.c <<'E2'
#include <mpi.h>
#include <time.h>
static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (double from = cpu_s(); cpu_s() < from + 0.1;)
        ;
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
E2
# Two other threads compute for 0.1 s each: one that has a lane and ends before MPI_Finalize, and one that lives on.
cat >threads.c <<'E2'
#include <mpi.h>
#include <pith.h>
#include <pthread.h>
#include <time.h>
static int done;
static void *work(void *lives)
{
    struct timespec now;
    pith_event(pith_event_define("works", "red", NULL));
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (now.tv_sec == 0 && now.tv_nsec < 100000000);
    __atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
    while (lives)
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t ends, lives;
    MPI_Init(&argc, &argv);
    pthread_create(&ends, NULL, work, NULL);
    pthread_create(&lives, NULL, work, &lives);
    pthread_join(ends, NULL);
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < 2)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return MPI_Finalize();
}
E2
core=$(taskset -cp $$ | sed 's/.*[ ,-]//')
# run RANKS: on one core
run() { TIMEOUT=60 timeout -k 5 90 "mpiexec.$mpi" -n "$1" taskset -c "$core" pith run -o "busy$1.pith" ./busy >out 2>err </dev/null; }
for mpi in $(mpis); do
    "mpicc.$mpi" -O1 -o busy busy.c && run 4
    ok $? "$mpi: 4 ranks on a core" || sed 's/^/# /' err
    # Each computes for 0.1 s, so all take at least 0.4 s, and have no core in three quarters of it.
    is "$(pith info busy4.pith | awk -F'[ =]' '/^run_delay_ns:/ { print ($3 > 0.5 * $7 && $5 >= 4e8 && $3 + $5 <= 1.01 * $7), $9 }')" "1 4" "$mpi: the log has the time without a core" ||
        pith info busy4.pith | grep run_delay
    is "$(pith info busy4.pith | awk -F'[ =]' '/^run_delay_ns:/ { all = $3 } /^run_delay_ns [0-3]:/ { n++; sum += $4 } END { print n, all - sum }')" "4 0" "$mpi: and that of each rank, which is all of it" ||
        pith info busy4.pith | grep run_delay
    like "$(grep -v 'open it with' err)" '^pith: 4 ranks share 1 core: they had no core for [5-9][0-9] % of the time, which makes times longer$' "$mpi: a line says so"
    like "$(pith analyze busy4.pith)" '^  Ranks could run but had no core for [5-9][0-9] % of the time' "$mpi: and the page"
    like "$(pith analyze busy4.pith | head -n 1)" '^4 ranks share 1 core(, of [0-9]+,)? and wait for a core: (at least )?[4-9][0-9] % of the run is( lost)?' "$mpi: which is the answer"
    # Each of the two has no core while the other one has it: both for about 0.1 s.
    "mpicc.$mpi" -O1 -I"$build/include" -o threads threads.c -L"$build/lib" -lpith -Wl,-rpath,"$build/lib" -lpthread &&
        TIMEOUT=60 timeout -k 5 90 "mpiexec.$mpi" -n 1 taskset -c "$core" pith run -o threads.pith ./threads >out 2>err </dev/null
    is "$? $(pith info threads.pith | awk -F'[ =]' '/^run_delay_ns:/ { print ($11 > 5e7 && $11 <= 2 * $7 && $3 < $11 / 2) }')" "0 1" "$mpi: threads without a core are counted apart" ||
        { cat err; pith info threads.pith | grep run_delay; }
    PITH_QUIET=1 run 4
    is "$? $(cat err)" "0 " "$mpi: PITH_QUIET"
    run 1
    is "$? $(grep -c 'no core' err) $(pith info busy1.pith | grep -c '^run_delay_ns: delay=[0-9]* cpu=[0-9]* time=[0-9]* ranks=1 threads=[0-9]*$')" "0 0 1" "$mpi: a rank that shares its core with no other rank"
done

# What the page says of it.
page() {
    { printf '# property\tkey=%s\tvalue=%s\n' "run_delay_ns" "$1" "cores vm" "$2"
        printf '%s\t0\t0\t%s\tMPI_Barrier\n' 0 enter 0.5 leave; } >page.txt
    pith analyze page.txt | grep 'no core'
}
is "$(page 'delay=3000 cpu=1000 time=4000 ranks=8' 2)" "  Ranks could run but had no core for 75 % of the time: 8 ranks on 2 cores." "more ranks than cores"
is "$(page 'delay=1000 cpu=1000 time=4000 ranks=2' 2)" "  Ranks could run but had no core for 25 % of the time: other programs ran." "other programs"
is "$(page 'delay=30 cpu=1000 time=4000 ranks=8' 2)$(page 'delay=5000 cpu=1 time=4000 ranks=8' 2)$(page 'delay=x' 2)" "" "less than 1 %; impossible; none"
page 'delay=3000 cpu=1000 time=4000 ranks=8' 2 >/dev/null
is "$(pith analyze page.txt --json | grep -o '"run_delay":{[^}]*}')" '"run_delay":{"delay_ns":3000,"cpu_ns":1000,"time_ns":4000,"ranks":8,"threads_ns":0}' "as JSON"
# A rank that computes for 1 s, and threads of it, which may sleep.
alone() {
    { printf '# property\tkey=run_delay_ns\tvalue=delay=500000000 cpu=500000000 time=1000000000 ranks=1 threads=0\n# property\tkey=cores vm\tvalue=2\n'
        printf '0\t0\t0\tenter\tMPI_Init\n0.1\t0\t0\tleave\tMPI_Init\n'
        for ((thread = 1; thread < $1; thread++)); do printf '0.2\t0\t%d\tenter\tidle\n0.3\t0\t%d\tleave\tidle\n' $thread $thread; done | sort -s -g -k 1,1
        printf '1.1\t0\t0\tenter\tMPI_Finalize\n1.2\t0\t0\tleave\tMPI_Finalize\n'; } >alone.txt
    pith analyze alone.txt | sed -n '1,/^$/p; /^  Ranks could.*:$/{ p; n; p; }; /^  Ranks could.*[.]$/p' | grep -v 'pith view' | xargs
}
is "$(alone 1)" "Other programs use the 2 cores, so the rank waits for a core: 50 % of the run is lost. Ranks could run but had no core for 50 % of the time: other programs ran." "one rank, as many threads"
is "$(alone 3)" "3 threads or other programs use the 2 cores, so the rank waits for a core: 50 % of the run is lost. Ranks could run but had no core for 50 % of the time: 3 threads on 2 cores, or other programs." \
    "more threads than cores, which may sleep: who took the cores is not known"
finish
