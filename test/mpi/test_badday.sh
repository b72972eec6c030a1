#!/usr/bin/env bash
# When things go wrong: nothing that was recorded is lost, nothing hangs, and Pith changes nothing about the end.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/real.sh"

# job HOW N [run's options]: runs badday under Pith, at most 60 seconds.
job() {
    local how=$1 n=$2
    shift 2
    timeout 60 "mpiexec.$mpi" -n "$n" pith run "$@" -- ./badday "$how" >out 2>err
}
plain_status() { timeout 60 "mpiexec.$mpi" -n "$2" ./badday "$1" >plain.out 2>plain.err; echo $?; }

# rounds LOG: enter and leave of MPI_Sendrecv on each rank.
rounds() { pith print "$1" --state MPI_Sendrecv | awk -F'\t' '$4 == "enter" || $4 == "leave" { n[$2 " " $4]++ } END { for (k in n) print k, n[k] }' | sort | tr '\n' ' '; }
all_rounds='0 enter 100 0 leave 100 1 enter 100 1 leave 100 2 enter 100 2 leave 100 3 enter 100 3 leave 100 '

# is_said FOLDER: 1 if somebody has written the line about the folder; a launcher on a busy machine may end before it reads it.
is_said() {
    for _ in $(seq 40); do
        [ ! -s "$(echo "$1"/.told-*)" ] || { echo 1; return; }
        sleep 0.05
    done
    echo 0
}

for mpi in $(mpis); do
    mkdir "$scratch/$mpi" && cd "$scratch/$mpi" || exit 1
    "mpicc.$mpi" -O1 -o badday "$top/test/mpi/badday.c" -lpthread || { ok 1 "$mpi: badday compiles"; continue; }

    # ---- the end comes without MPI_Finalize -----------------------------------------------------------------------
    cases=0 said=0 read=0 twice=
    for how in kill-one kill-all abort error exit quick-exit handler exec threads; do
        wanted=$(plain_status $how 4)
        job $how 4 -o $how.pith
        got=$?
        # Ranks that leave one after another: MPICH's mpiexec may or may not kill the last ones before they are gone, and
        # says 0, 9 or 1 for it, without Pith too. After a crash it says 11, or 9 as of those that it killed.
        case $how$got$wanted in handler119 | handler911 | kill-one[09][09] | exit[019][019] | quick-exit[019][019] | exec[019][019]) wanted=$got ;; esac
        is "$got" "$wanted" "$mpi $how: exit status as without Pith, and no hang"
        if [ $how = exit ] && [ -e $how.pith ]; then
            mv $how.pith back.pith # written at exit
        else
            lines=$(grep -c "^pith: badday: the program ended without finishing the job; the records are kept: pith recover $how.pith.spill\$" err)
            # After a fatal error MPICH's mpiexec ends at once, and nobody reads what its ranks print.
            [ $mpi$how = mpicherror ] || cases=$((cases + 1)) said=$((said + $(is_said $how.pith.spill))) read=$((read + lines))
            twice=$twice${lines#[01]}
            pith recover $how.pith.spill -o back.pith >recover.out 2>&1
            ok $? "$mpi $how: pith recover" || cat recover.out err
        fi
        is "$(rounds back.pith)" "$all_rounds" "$mpi $how: every round of every rank is there"
        pith check back.pith >check.out 2>&1
        ok $? "$mpi $how: the log is good" || cat check.out
        is "$(info back.pith ranks)" 4 "$mpi $how: of four ranks"
        [ $how != threads ] || is "$(pith print back.pith --lane 1.1 --state MPI_Initialized | grep -cP '\tenter\t')" 100 "$mpi threads: and the other thread's calls"
        rm -rf ./*.spill back.pith
    done

    is "$said" "$cases" "$mpi: in all of $cases cases a line says where the records are"
    ok $((read < 2)) "$mpi: and in $read of them the launcher read it"
    is "$twice" "" "$mpi: never two"

    # ---- children --------------------------------------------------------------------------------------------------
    job recorded-child 2 -o child.pith
    is "$(rounds child.pith) $(grep -c 'pith recover child.pith.spill -o [^ ]*child-[0-9]*.pith$' err)" \
        "0 enter 100 0 leave 100 1 enter 100 1 leave 100  1" "$mpi: a child that records and calls _exit: its records are told of" || cat err
    rm -rf child*
    wanted=$(plain_status fork 4)
    job fork 4 -o fork.pith
    is "$?" "$wanted" "$mpi fork: exit status as without Pith"
    is "$(rounds fork.pith)" "$all_rounds" "$mpi fork: every round is there"
    is "$(info fork.pith ranks)" 4 "$mpi fork: children are no ranks"
    is "$(ls)" "$(printf '%s\n' badday err fork.pith out plain.err plain.out check.out recover.out | sort)" "$mpi fork: no other file is left"
    is "$(cat out)" "$(cat plain.out)" "$mpi fork: output as without"

    rm -rf rest.pith*
    PITH_RANKS=1-3 job kill-one 4 -o rest.pith
    is "$(is_said rest.pith.spill)" 1 "$mpi: rank 0 is left out: it is said where the records of the others are" || cat err
    rm -rf rest.pith*
    PITH_RANKS=1-3 job good 4 -o rest.pith
    is "$(grep -c recover err) $(ls -d rest.pith*)" "0 rest.pith" "$mpi: and nothing of the kind after a good end"
    rm -rf rest.pith*

    # ---- started by a script ---------------------------------------------------------------------------------------
    printf '#!/bin/sh\n./badday kill-all\n./badday good >/dev/null\nexit 0\n' >wrap
    chmod +x wrap
    pith run --mpi "$mpi" -o first.pith -- ./wrap 2>&1 >/dev/null | cat >err
    like "$(cat err)" '^pith: badday: the program ended without .* pith recover first.pith.spill$' \
        "$mpi script: one of its programs was killed: that is said" || cat err
    unlike "$(cat err)" 'nothing was recorded' "$mpi script: and not that nothing was recorded"
    rm -rf first.pith*
    printf '#!/bin/sh\necho start >/dev/null\n./badday good\n' >wrap
    chmod +x wrap
    timeout 60 "mpiexec.$mpi" -n 4 pith run -o script.pith -- ./wrap >out 2>err
    ok $? "$mpi script: runs"
    is "$(rounds script.pith)" "$all_rounds" "$mpi script: the program that it starts is recorded"

    # ---- nowhere to write ------------------------------------------------------------------------------------------
    mkdir folder.pith
    for log in /proc/none/x.pith folder.pith "$PWD/err/x.pith"; do
        job good 4 -o "$log"
        is "$?" 0 "$mpi -o $log: the program runs all the same"
        is "$(cat out)" "badday: all is well" "$mpi -o $log: its output is its own"
        like "$(cat err)" '^pith: ' "$mpi -o $log: said what is wrong"
        is "$(grep '^pith: ' err | sort | uniq -d)" "" "$mpi -o $log: once, not by every rank"
    done
    is "$(ls -A folder.pith)" "" "$mpi: nothing left in a folder of the log's name"

    # ---- no room ---------------------------------------------------------------------------------------------------
    mkdir small
    if mount -t tmpfs -o size=64k none small 2>/dev/null; then
        job good 4 -o small/full.pith
        is "$?" 0 "$mpi disk full: the program runs all the same"
        is "$(cat out)" "badday: all is well" "$mpi disk full: its output is its own"
        # Or the log of the few records that were stored fits.
        like "$(cat err)" '^pith: .*full.pith.*: .*[Nn]o space left' "$mpi disk full: said"
        is "$(find small -name '*.part')" "" "$mpi disk full: no half a log"
        [ ! -e small/full.pith ] || { pith check small/full.pith >/dev/null 2>&1; ok $? "$mpi disk full: what log there is, is good"; }
        rm -rf small/*
        job good 2 -o small/full.pith
        like "$(cat err)" '^pith: .*full.pith.*: no space left on its file system.* -o' "$mpi disk full for records: why, and what to do"
        is "$(grep -c "no space left\|No space left" err)" 1 "$mpi disk full for records: said once" || sed 's/^/#   /' err
        like "$(pith info small/full.pith | grep ^lost)" 'lost: [1-9]' "$mpi disk full for records: how many"
        rm -rf small/*
        dd if=/dev/zero of=small/fill bs=4k 2>/dev/null
        job good 4 -o small/full.pith
        is "$(cat out)" "badday: all is well" "$mpi disk full from the start: the program runs all the same"
        is "$(grep -v 'records .* kept' err)" "pith: $PWD/small/full.pith: cannot be written: No space left on device" \
            "$mpi disk full from the start: one reason, by one rank"
        umount small
    else
        skip "$mpi disk full" "may not mount a small file system"
    fi

    # ---- side by side ----------------------------------------------------------------------------------------------
    rm -rf ./*.pith ./*.spill
    # Each with a session folder of its own: jobs of Open MPI that start at one moment get in each other's way there.
    for i in 1 2 3 4 5; do
        mkdir -p session$i
        case $i in [123]) name="-o many$i.pith" ;; *) name= ;; esac
        # shellcheck disable=SC2086
        OMPI_MCA_orte_tmpdir_base=$PWD/session$i timeout 60 "mpiexec.$mpi" -n 2 pith run $name -- ./badday good \
            >many$i.out 2>&1 &
    done
    wait
    for log in many1 many2 many3 badday badday-2; do
        pith check $log.pith >check.out 2>&1
        ok $? "$mpi jobs side by side: $log.pith is good" || sed 's/^/#   /' check.out many?.out
        is "$(rounds $log.pith)" '0 enter 100 0 leave 100 1 enter 100 1 leave 100 ' "$mpi jobs side by side: $log.pith is of one job"
    done
    is "$(ls -d ./*.spill ./*.part 2>/dev/null)" "" "$mpi: no spill folder stays after a good end"
    cd "$scratch" || exit 1
done

# ---- programs without MPI -----------------------------------------------------------------------------------------------
touch something
out=$(pith run -- ls something 2>err)
is "$?" 0 "pith run ls: runs"
is "$out" something "pith run ls: its output is its own"
like "$(cat err)" '^pith: .*(nothing|no ).*' "pith run ls: says that nothing was recorded"
is "$(ls)" "$(printf '%s\n' err something $(mpis) | sort)" "pith run ls: leaves no file"
pith run -- sh -c 'exit 7' 2>/dev/null
is "$?" 7 "pith run: the exit status is the program's"
pith run -- ./no-such-program >out 2>err
like "$? $(cat err)" '^127 pith run: .*no-such-program' "pith run: a program that is not there"
if [ -x "$build/samples/threads" ]; then
    (ulimit -f 8 && PITH_LOG=limit.pith "$build/samples/threads" 20 >out 2>err)
    is "$? $(cat out)" "0 threads: 20 jobs, 20 results over 1" "a limit of the size of files: the program runs all the same"
    like "$(cat err)" '^pith: ' "and it is said"
fi
finish
