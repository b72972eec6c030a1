#!/usr/bin/env bash
# Processes that the program starts while it runs: its own part is recorded, and it works as without Pith.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
reader matched

for mpi in $(mpis); do
    compile spawn "$mpi"
    plain spawn "$mpi" 2
    if [ "$(wc -l <plain.out)" != 4 ]; then echo "# $mpi: MPI_Comm_spawn does not work here, also without Pith"; continue; fi
    record spawn "$mpi" 2
    is "$status $(cat out)" "$plain_status $(cat plain.out)" "$mpi: output as without Pith" || head -n 20 err
    is "$(pith print spawn.pith | grep -P '\tevent\t' | cut -f 2,5-)" $'1\tMPI spawn\tpayload=processes=2 command=./spawn-'"$mpi" "$mpi: the root tells what is started"
    is "$(./matched spawn.pith)" "messages 1 wrong 0 unsized 0 unmatched 0 0 nobody 1" "$mpi: messages with processes of another job are nobody's"
    is "$(lines spawn.pith comm | grep -c op=free)" 4 "$mpi: both communicators are made and freed"
    is "$(pith check spawn.pith >/dev/null 2>&1; echo $?)" 0 "$mpi: the log is good"
done
finish
