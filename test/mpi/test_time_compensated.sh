#!/usr/bin/env bash
# libpith-time with PITH_COMPENSATE: what a wrapper burns in each call (at least HEAVY_NS, which it tells) is missing in the
# second column, also at those who waited because of it. Without, the table and the files are as ever.
. "$(dirname "$0")/../lib.sh"
undisturbed
waiting_burns
. "$top/test/mpi/heavy.sh"
# timed MPI COMMAND...: two ranks with the burning time library; the table in err
timed() {
    local mpi=$1
    shift
    TIMEOUT=60 timeout -k 5 90 "mpiexec.$mpi" -n 2 env LD_PRELOAD="$PWD/heavytime-$mpi.so" "$@" >out 2>err </dev/null
}
# less FILE RANK FUNCTION: "CALLS US": by how much the compensated total is less, in whole us a call
less() { awk -F, -v r="$2" -v f="$3" '$1 == "calls" && $2 == r && $3 == f { printf "%d %d\n", $6, ($7 - $14) * 1e6 / $6 }' "$1"; }
burnt() { awk -v wanted="$2" '{ n = $1; us = $2 } END { exit !(n == wanted && us >= 200) }' <<<"$1"; }

for mpi in $(mpis); do
    make_heavytime "$mpi" && make_workloads "$mpi" || { ok 1 "$mpi: built"; continue; }
    for how in local message datatype auto; do
        PITH_QUIET=1 PITH_TIME_FILE=t.csv PITH_COMPENSATE=$how HEAVY_NS=200000 timed "$mpi" "./workloads-$mpi" montecarlo 20 1000
        is "$? $(head -n 1 t.csv)" "0 kind,rank,function,communicator,peer,calls,total_s,mean_s,min_s,max_s,messages,bytes,run_s,compensated_s,delay_s" "$mpi, $how: measured and compensated"
        got=$(less t.csv 1 MPI_Iprobe)
        burnt "$got" 80; ok $? "$mpi, $how: what was burnt is taken out of the 80 calls: $got us a call"
        # Rank 0 burns in its 20 receives, and waits in each for 5 calls of rank 1 that burn: Iprobe four times, Send.
        got=$(less t.csv 0 MPI_Recv)
        if [ $how = local ]; then
            burnt "$got" 20; ok $? "$mpi, $how: of who waits, what it burnt itself: ${got#* } us a call"
        else
            awk '{ exit !($1 == 20 && $2 >= 700) }' <<<"$got"; ok $? "$mpi, $how: of who waits, what the other burnt too: ${got#* } us a call"
        fi
        # (A wait may become longer: for one who was delayed less. When nothing is carried, none does.)
        is "$(awk -F, -v how=$how '($1 == "run" || $1 == "calls") && ($14 == "" || $14 < 0 || (how == "local" && $14 > $7 + 1e-9))' t.csv)" "" "$mpi, $how: not below 0, nor, on its own, above the measured time"
        is "$(awk -F, '$1 == "run" && ($15 < 8e-3 || $15 > $13)' t.csv)" "" "$mpi, $how: each rank's delay is at least what it burnt, and less than its run"
    done
    PITH_QUIET=1 PITH_TIME_FILE=t.json PITH_COMPENSATE=auto HEAVY_NS=50000 timed "$mpi" "./workloads-$mpi" ring 9 1000
    is "$(python3 -c 'import json
for p in json.load(open("t.json"))["processes"]:
    print(p["delay_s"] > 0, all(0 <= f["compensated_s"] <= p["run_s"] for f in p["functions"]))')" $'True True\nTrue True' "$mpi: JSON"
    PITH_TIME_FILE=t.txt PITH_COMPENSATE=message HEAVY_NS=50000 timed "$mpi" "./workloads-$mpi" sort 9 1000
    is "$(grep -c '^function  *calls  *total s compensated s  *share' t.txt) $(grep -c '^  *rank  *calls  *MPI s compensated s  *share  *run s compensated s  *delay s' t.txt)" "3 1" "$mpi: the table of all, and of each rank"
    is "$(grep -c 'nan\|inf\| -[0-9]' t.txt)" 0 "$mpi: no odd number in it"
    PITH_QUIET=1 PITH_TIME_FILE=t.csv HEAVY_NS=50000 timed "$mpi" "./workloads-$mpi" ring 9 1000
    is "$(head -n 1 t.csv) $(awk -F, 'NF != 13' t.csv)" "kind,rank,function,communicator,peer,calls,total_s,mean_s,min_s,max_s,messages,bytes,run_s " "$mpi: without PITH_COMPENSATE as ever"
    timed "$mpi" "./workloads-$mpi" ring 9 1000
    is "$(grep -c 'ompensated\|delay' err)" 0 "$mpi: and so the table"
done
finish
