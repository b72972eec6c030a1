#!/usr/bin/env bash
# How work grows with the number of items: the time of one item among many, beside the time of one among few. Processor
# time, since other programs may disturb the measurement.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
export PITH_QUIET=1

# each_us ITEMS COMMAND...: processor time of the command in microseconds per item
each_us() {
    local items=$1 s; shift
    s=$(TIMEFORMAT=%3U; { time "$@" >out 2>err; } 2>&1)
    calc "$s * 1e6 / $items"
}

# Wrappers of one function, all with a variable of the same name.
mpi=$(mpis | head -n 1)
templates() { for ((i = 0; i < $1; i++)); do echo "{{fn f MPI_Send}}{{vardecl int i}}{{i}} = $i;{{callfn}}{{endfn}}"; done; }
if [ -n "$mpi" ]; then
    templates 1000 >few.w; templates 8000 >many.w
    floor=$(each_us 1000 wrappergen -H "$build/gen/$mpi/mpi.i" few.w -o few.c)
    row "growth: one of 8000 wrappers of a function, beside 1000" \
        "$(each_us 8000 wrappergen -H "$build/gen/$mpi/mpi.i" many.w -o many.c)" us "$floor"
fi

cat >define.c <<'E'
#include <pith_tool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* define state|property COUNT */
int main(int argc, char **argv)
{
    char name[32];
    int state = argc > 2 && strcmp(argv[1], "state") == 0;
    for (int i = 0; i < atoi(argv[argc - 1]); i++) {
        snprintf(name, sizeof name, "name %d", i);
        if (state)
            pith_state_define(name, NULL);
        else
            pith_property(name, "value");
    }
    pith_finish();
    return 0;
}
E
cc -O2 -I"$build/include" -o define define.c -L"$build/lib" -lpith -Wl,-rpath,"$build/lib" || exit 0
for what in state property; do
    export PITH_LOG=$what.pith
    floor=$(each_us 64000 ./define $what 64000)
    row "growth: one $what of 512000, beside 64000" "$(each_us 512000 ./define $what 512000)" us "$floor"
done
