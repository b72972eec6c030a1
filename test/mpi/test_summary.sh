#!/usr/bin/env bash
# At its end a recorded job says what `pith analyze` answers; not where nobody wants it, and not if it takes long.
. "$(dirname "$0")/../lib.sh"
undisturbed
unset PITH_SUMMARY

# A command that takes longer than a job may, where the library looks for it.
mkdir -p slow/bin && cp -r "$build/lib" "$build/libexec" slow/ && printf '#!/bin/sh\nexec sleep 100.25\n' >slow/bin/pith && chmod +x slow/bin/pith

# job MPI RANKS COMMAND...: its standard error without the line that names the log
job() {
    TIMEOUT=60 mpiexec_of "$1" "$2" "${@:3}" >out 2>err
    status=$?
    said=$(grep -v 'open it with' err)
    [ $status = 0 ]
}

# The machine may be too busy for an analysis in 0.2 s, so a sentence has five runs to come; and so busy that it is about that.
says() { job "$@" && [[ $said == *'of the run is lost'* ]]; }
cause='(Rank 1 computes `refine`|Other (threads or )?programs use the ([0-9]+ cores?|core of rank [01]),|The program takes [0-9.]+ s to start,) .* of the run is lost\.'

for mpi in $(mpis); do
    late=$build/samples/$mpi/slow/late_sender
    quota 1 5 says "$mpi" 2 pith run -o late.pith "$late"
    is "$status $said" "0 pith: $(pith analyze --answer late.pith)" "$mpi: a job says the answer"
    like "$said" "^pith: $cause\$" "$mpi: which names the rank and the state"
    is "$(pith analyze --json late.pith | python3 -c 'import json, sys; print(json.load(sys.stdin)["answer"]["text"])')" \
        "$(pith analyze --answer late.pith)" "$mpi: --answer is the answer of the page"
    quota 1 5 says "$mpi" 2 pith run -o late.prv "$late"
    like "$said" "^pith: $cause" "$mpi: also of a log in a foreign format"
    PITH_SUMMARY=no job "$mpi" 2 pith run -o late.pith "$late"
    is "$status $said" "0 " "$mpi: PITH_SUMMARY=no"
    PITH_QUIET=1 job "$mpi" 2 pith run -o late.pith "$late"
    is "$status $(cat err)" "0 " "$mpi: PITH_QUIET=1"
    job "$mpi" 1 pith run -o one.pith "$build/samples/$mpi/heat2d"
    is "$status $said" "0 " "$mpi: nothing of one rank"
    begin=$SECONDS
    job "$mpi" 2 slow/libexec/pith/pith-run -o late.pith "$late"
    is "$status $said $((SECONDS - begin < 60))" "0  1" "$mpi: an analysis that takes long is ended, and left out"
    is "$(ls -A | grep said)" "" "$mpi: no file is left"
done
is "$(pgrep -f 'sleep 100.25')" "" "and is ended"
for with in '--explain answer' --json --csv '--html a.html' '--what-if balanced=1'; do
    pith analyze late.pith --answer $with >out 2>err
    is "$? $(wc -l <err)" "2 1" "--answer and $with exclude each other" || cat err
done
finish
