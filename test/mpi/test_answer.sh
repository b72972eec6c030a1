#!/usr/bin/env bash
# pith run --answer: at its end a job prints the page of `pith analyze`, and the program notices nothing of it.
. "$(dirname "$0")/../lib.sh"
noticed="0 signals, 0 pending, no child"

# A tree of its own: the library looks for the command beside itself.
mkdir -p other/bin && cp -r "$build/lib" "$build/libexec" other/
command_is() { printf '%s\n' "$@" >other/bin/pith && chmod +x other/bin/pith; }
without_pith=$(tr : '\n' <<<"$PATH" | while IFS= read -r part; do [ -x "$part/pith" ] || echo "$part"; done | paste -sd :)

# job MPI RANKS ARGUMENTS...: sets status; the page, which is what the job said without lines of Pith; and those lines.
job() {
    TIMEOUT=60 mpiexec_of "$1" "$2" "${from[@]}" "${@:3}" >out 2>err
    status=$?
    grep -v '^pith: ' err >page
    said=$(grep '^pith: ' err)
}
from=(pith run --answer)
hung=(env PATH="$without_pith" "$PWD/other/libexec/pith/pith-run" --answer)

# The first two of the cores that this test may use, and both as the kernel writes them.
cores=($(taskset -pc $$ | sed 's/.*: //' | tr ',' '\n' | awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -n 2))
both=$(taskset -c "${cores[0]},${cores[1]:-${cores[0]}}" sed -n 's/Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
cat >bound <<END
#!/bin/bash
cores=(${cores[*]})
exec taskset -c \${cores[\${PMI_RANK:-\$OMPI_COMM_WORLD_RANK}]} "\$@"
END
chmod +x bound

# When a rank has ended with a status, Open MPI's launcher kills the others: now and then rank 0 before it prints its line.
is_programs() {
    rm -rf run.* # the line on a log that it replaces
    job "$mpi" $ranks -o run.pith "./answered.$mpi" count 7
    [ "$status $(cat out)" = "7 $noticed" ]
}
for mpi in $(mpis); do
    "mpicc.$mpi" -o "answered.$mpi" "$top/test/mpi/answered.c" $(sanitizers)
    ok $? "$mpi: a program that watches its children"
    for ranks in 1 2 4; do
        quota 1 3 is_programs
        case $mpi in openmpi) grep -v -e '^---' -e '^Primary job' -e '^a non-zero' -e '^mpiexec' -e '^prterun' -e '^the job to' -e '^thus causing the job' -e '^ *Process name' -e '^ *Exit code' -e '^$' page >short ;; *) grep -v '^$' page >short ;; esac
        is "$status $(cat out)" "7 $noticed" "$mpi, $ranks ranks: output and status are the program's"
        like "$said" "^pith: run.pith: $ranks ranks?, .*; open it with: pith view run.pith$" "$mpi, $ranks ranks: one line on the log"
        is "$(cat short)" "$(pith analyze run.pith | grep -v '^$')" "$mpi, $ranks ranks: the page"
        is "$(cat run.analysis.json)" "$(pith analyze --json run.pith)" "$mpi, $ranks ranks: the file for programs"
        is "$(ls -d run* *.said 2>/dev/null | tr '\n' ' ')" "run.analysis.json run.pith " "$mpi, $ranks ranks: nothing else"
    done
    for how in ignore block; do
        job "$mpi" 2 -o run.pith "./answered.$mpi" $how 0
        is "$status $(cat out)" "0 $noticed" "$mpi: a program that does $how SIGCHLD"
        is "$(cat page)" "$(pith analyze run.pith)" "$mpi, $how: the page as it was printed"
    done

    mkdir -p empty && cd empty || exit 1
    job "$mpi" 2 -o none "../answered.$mpi" count 0
    is "$status $(cat out) $said" "0 $noticed " "$mpi: -o none: no line on a log"
    like "$(cat page)" '^pith-[0-9]+-answered\.[a-z]+\.pith: 2 ranks' "$mpi: -o none: a page"
    unlike "$(cat page)" '^ *pith view' "$mpi: -o none: without commands that need the log"
    is "$(ls -A . "$TMPDIR" | grep -c answered)" 0 "$mpi: -o none: no log, and no file for programs"
    PITH_ANALYZE=1 PITH_LOG=none PITH_QUIET=1 PITH_FILES=2 mpiexec_of "$mpi" 2 pith run "../answered.$mpi" "" 0 >out 2>err
    like "$(cat err)" '\.pith: 2 ranks' "$mpi: by the variables"
    is "$(ls -A . "$TMPDIR" | grep -c answered)" 0 "$mpi: by the variables: nothing is left of several files, either"
    kept=$TMPDIR/pith-$(id -u)-answered.$mpi.pith
    cp ../run.pith "$kept"
    job "$mpi" 2 -o none "../answered.$mpi" count 0
    is "$(cmp ../run.pith "$kept" && ls -A "$TMPDIR" | grep -c answered) $(grep -o 'pith: 2 ranks' page)" "1 pith: 2 ranks" \
        "$mpi: -o none: the log of another job, which may be about to be analysed, stays"
    rm "$kept"
    cd ..

    # A full disk: it has room for the log, and no more.
    mkdir -p small
    if mount -t tmpfs -o size=4k none small 2>/dev/null; then
        PITH_SPILL=$PWD/spill job "$mpi" 2 -o small/run.pith "./answered.$mpi" count 0
        is "$(sed '/^$/q' page)" "$(pith analyze small/run.pith | sed '/^$/q')" "$mpi: a full disk: the page"
        like "$said" '/small/run.analysis.json: .*No space left on device' "$mpi: a full disk: the file for programs is missing, which is said"
        umount small
    else
        skip "$mpi: a full disk" "may not mount a small file system"
    fi

    # A large log: its analysis is in the cache.
    job "$mpi" 2 -o run.pith "./answered.$mpi" "" 0 30000
    kept() { stat -c %i "$XDG_CACHE_HOME"/pith/*.analysis; }
    rm -rf "$XDG_CACHE_HOME"
    job "$mpi" 2 -o run.pith "./answered.$mpi" "" 0 30000
    before=$(kept) && pith analyze run.pith >again
    is "$(kept) $(wc -l <<<"$before") $(cmp again page && echo same)" "$before 1 same" "$mpi: the analysis of a large log is kept, and used"
    job "$mpi" 2 -o run.clog2 "./answered.$mpi" "" 0
    is "$(cat page)" "$(pith analyze run.clog2)" "$mpi: of a log in a foreign format"
    PITH_MAX_MB=1 job "$mpi" 2 -o run.pith "./answered.$mpi" "" 0 100000
    like "$said" ', [0-9]+ records lost' "$mpi: a log that lacks records"
    is "$(cat page)" "$(pith analyze run.pith 2>&1)" "$mpi: its page says what pith analyze does"

    # What can go wrong with the command.
    from=("${hung[@]}")
    rm -rf run.*
    command_is '#!/bin/sh' 'exec sleep 100.75'
    touch run.analysis.json
    PITH_ANALYZE=1500ms job "$mpi" 2 -o run.pith "./answered.$mpi" count 0
    is "$status $(cat out) $(tail -n 1 <<<"$said")" \
        "0 $noticed pith: run.pith: the analysis took longer than 1.5 s (PITH_ANALYZE); later: pith analyze run.pith" "$mpi: an analysis that takes too long"
    is "$(pgrep -f 'sleep 100.75') $(ls run.analysis.json 2>/dev/null)" " " "$mpi: is ended; the file of an older log is gone"
    pith check run.pith >/dev/null; ok $? "$mpi: the log is there"
    command_is '#!/bin/sh' 'kill -11 $$'
    job "$mpi" 2 -o none "./answered.$mpi" ignore 0
    log=$(sed -n 's/.*later: pith analyze //p' <<<"$said")
    is "$status $(cat out) $said" "0 $noticed pith: $log: the analysis was ended by signal 11; later: pith analyze $log" "$mpi: an analysis that crashes"
    pith check "$log" >/dev/null; ok $? "$mpi: its log is kept, though none was wanted"
    rm -f "$log"
    # Ranks that are bound to a core each: the analysis has the cores of all.
    command_is '#!/bin/sh' 'grep Cpus_allowed_list /proc/self/status'
    if [ ${#cores[@]} -ge 2 ]; then
        from=(./bound "${hung[@]}")
        job "$mpi" 2 -o run.pith "./answered.$mpi" count 0
        is "$status $(tr -d '\t ' <page)" "0 Cpus_allowed_list:$both" "$mpi: bound ranks leave their cores to it"
        from=("${hung[@]}")
    else
        skip "$mpi: bound ranks leave their cores to it" "one core"
    fi
    command_is '#!/bin/sh' 'exit 1'
    job "$mpi" 2 -o run.pith "./answered.$mpi" count 0
    is "$status $(tail -n 1 <<<"$said")" "0 pith: run.pith: the analysis failed; later: pith analyze run.pith" "$mpi: an analysis without a word"
    command_is '#!/nowhere/sh'
    job "$mpi" 2 -o run.pith "./answered.$mpi" count 0
    is "$status $(cat out page) $(tail -n 1 <<<"$said")" \
        "0 $noticed pith: run.pith: not analysed: \`pith\` cannot be run: No such file or directory; later: pith analyze run.pith" "$mpi: a command that cannot start"
    rm other/bin/pith
    job "$mpi" 2 -o run.pith "./answered.$mpi" count 0
    is "$status $(cat out page) $(tail -n 1 <<<"$said")" \
        "0 $noticed pith: run.pith: not analysed: no command \`pith\` beside libpith or in PATH; later: pith analyze run.pith" "$mpi: no command"

    # Rank 0 is killed meanwhile: the command ends with it.
    command_is '#!/bin/sh' 'echo $$ >command' 'exec sleep 100.75'
    rm -f command
    mpiexec_of "$mpi" 2 "${from[@]}" -o run.pith "./answered.$mpi" "" 0 >out 2>err &
    job=$!
    until [ -s command ] || ! kill -0 $job 2>/dev/null; do sleep 0.05; done
    between=$(ps -o ppid= -p "$(cat command)") && rank=$(ps -o ppid= -p $between) && kill -9 $rank
    wait $job
    unlike "$?" '^0$' "$mpi: rank 0 is killed while its run is analysed"
    for ((i = 0; i < 200; i++)); do [ "$(pgrep -f 'sleep 100.75')" ] || break; sleep 0.05; done
    is "$(pgrep -f 'sleep 100.75')" "" "$mpi: the analysis ends, too"
    from=(pith run --answer)

    if "mpicc.$mpi" -DSESSION -o session "$top/test/mpi/answered.c" $(sanitizers) 2>/dev/null && mpiexec_of "$mpi" 2 ./session >out 2>&1; then
        job "$mpi" 2 -o run.pith ./session count 0
        is "$status $(cat out) $(cat page)" "0 $noticed $(pith analyze run.pith)" "$mpi: a program with sessions"
    else
        echo "# $mpi: has no sessions, as it is older than MPI 4"
    fi
done

# Programs without MPI.
cat >alone.c <<'END'
#include <pith.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    uint32_t state = pith_state_define("work", 0);
    pith_begin(state);
    pith_end(state);
    if (fork() == 0)
        pith_begin(state), pith_end(state);
    pith_finish();
    fprintf(stderr, "bye\n");
    return 3;
}
END
cc -I"$build/include" alone.c -o alone -L"$build/lib" -lpith -Wl,-rpath,"$build/lib" $(sanitizers)
pith run --answer -o alone.pith ./alone 2>err
is "$? $(grep -A100 bye err | grep -v -e bye -e '^pith: ')" "3 $(pith analyze alone.pith)" "without MPI: the page when it exits, none of a child"
pith run --answer -o none ./alone 2>err
is "$? $(grep -c '1 rank' err) $(ls -A "$TMPDIR" | grep -c alone)" "3 1 0" "without MPI: -o none: no log of a child, either"
for closed in '1>&-' '0<&- 1>&-'; do
    rm -f alone.pith
    eval "pith run --answer -o alone.pith \"./answered.$mpi\" '' 0 2>err $closed"
    is "$? $(grep -c 'alone.pith: 1 rank, 1 host' err)" "0 1" "started with $closed"
done

is "$(pith run --lib time --answer ls 2>&1)" "pith run: --answer needs a library that writes a log, not --lib time; see \`pith help run\`" "a library without a log"
PITH_ANALYZE=soon pith run -o alone.pith ./alone 2>err
is "$(grep soon err)" "pith: PITH_ANALYZE=soon: not 0, 1 or a time such as 600 or 90s, up to a day; ignored" "a wrong value"
for with in '--answer' '--explain answer' --json --csv '--html a.html' '--what-if balanced'; do
    pith analyze alone.pith --json-file x.json $with >out 2>err
    is "$? $(wc -l <err)" "2 1" "--json-file and $with exclude each other" || cat err
done
cp alone.pith same.json && pith analyze same.json --json-file ./same.json >out 2>err
is "$? $(cmp alone.pith same.json)" "1 " "--json-file does not replace the log"
finish
