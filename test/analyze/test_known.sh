#!/usr/bin/env bash
# pith analyze finds wait states of a known length: every kind, under each MPI, on 2, 4 and 8 ranks; and none where all
# come in time.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

# Open MPI 4.1 without single copies finds no other way for MPI_Win_create.
export OMPI_MCA_osc=sm,pt2pt
# What the tries said, each check once: it is good if it was in one of them.
best() {
    awk '/^(not )?ok / { name = $0; sub(/^(not )?ok /, "", name); if (!(name in good)) order[++count] = name
                         good[name] += /^ok/; said[name] = ""; next }
        { said[name] = said[name] "\n" $0 }
        END { for (i = 1; i <= count; i++)
                  print (good[order[i]] ? "ok " order[i] : "not ok " order[i] said[order[i]]) }' lines.?
}

for mpi in $(mpis); do
    "mpicc.$mpi" -std=gnu11 -Wall -Wextra -Wno-stringop-overflow -O1 -g -o known "$top"/test/analyze/known*.c || { ok 1 "$mpi: built"; continue; }
    give_way "$mpi"
    for ranks in 2 4 8; do
        for mode in late in-time; do
            name="$mpi $ranks $mode"
            # Where the system stops a rank between its look at the clock and its call, what it knows is wrong.
            rm -f lines.?
            for try in 1 2 3 4 5 6; do
                TIMEOUT=60 timeout -k 5 90 "mpiexec.$mpi" -n $ranks pith run -o log.pith ./known $mode >known.txt 2>err
                status=$?
                pith analyze log.pith --json --waits >analysis.json 2>>err
                status+=" $?"
                pith analyze log.pith --json --waits --from 0 >whole.json 2>>err
                status+=" $?"
                python3 "$top/test/analyze/known_check.py" known.txt analysis.json whole.json >lines.$try 2>>err
                status+=" $?"
                best >lines
                [ "$status" = "0 0 0 0" ] && grep -q '^not ok' lines || break
            done
            is "$status" "0 0 0 0" "$name: runs and is analysed" || sed 's/^/# /' err
            checks_of lines "$name: "
        done
    done
    unset LD_PRELOAD
done
finish
