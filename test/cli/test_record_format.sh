#!/usr/bin/env bash
# PITH_FORMAT and PITH_CAUSAL: the recorder runs `pith convert`. It finds the command, hides its own traces from it and from the
# program, and keeps the native log when there is no command or it fails.
. "$(dirname "$0")/../lib.sh"
cat >app.c <<'E2'
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "pith.h"
static volatile sig_atomic_t signals;
static void count(int number) { (void)number, signals++; }
int main(int argc, char **argv)
{
    uint32_t state = pith_state_define("work", 0);
    signal(SIGCHLD, argc > 1 ? SIG_IGN : count);
    if (argc > 2) /* descriptors 0, 1 and 2 are free */
        close(0), close(1), close(2);
    pith_begin(state);
    pith_end(state);
    pith_finish();
    return argc < 3 && printf("%d %d %s\n", (int)signals, wait(0) < 0 && errno == ECHILD, argv[0] ? "end" : "") < 0;
}
E2
# shellcheck disable=SC2046
${CC:-cc} $(sanitizers) -I"$build/include" -o app app.c -L"$build/lib" -lpith
ok $? "a program"

# The library as it stands in the build, and one moved away from its command.
mkdir lib fake
cp "$build/lib/libpith.so.0" lib/
run() { rm -rf ./*.pith ./*.clog2 ./*.spill; env "$@" >out 2>err; }
with=LD_LIBRARY_PATH=$build/lib without=LD_LIBRARY_PATH=$PWD/lib

run $with PATH=/usr/bin:/bin PITH_FORMAT=clog2 ./app
is "$? $(cat out) $(echo ./*.pith ./*.clog2)" "0 0 1 end ./*.pith ./app.clog2" "the command beside the library; the program sees no signal and no child" || cat err
like "$(cat err)" '^pith: app\.clog2: 1 rank, .* open it with: pith view app\.clog2$' "one line at the end"
is "$(pith check app.clog2 >/dev/null && pith print app.clog2 | grep -cP '\twork\b')" 2 "the log is whole"
run $with PITH_FORMAT=clog2 ./app ignore
is "$? $(cat out) $(echo ./*.clog2)" "0 0 1 end ./app.clog2" "SIGCHLD is ignored"
run $with PITH_FORMAT=clog2 ./app ignore closed
is "$? $(echo ./*.clog2)" "0 ./app.clog2" "no standard input, output or error"
run $with PITH_CAUSAL=1 ./app
is "$? $(cat out) $(pith check app.pith >/dev/null; echo $?)" "0 0 1 end 0" "PITH_CAUSAL" || cat err
like "$(cat err)" '^pith: PITH_CAUSAL: ' "which says what it did"
run $with PITH_CAUSAL=1 PITH_QUIET=1 ./app
is "$? $(cat err)" "0 " "PITH_QUIET"

run $without PITH_FORMAT=clog2 ./app
is "$? $(echo ./*.pith ./*.clog2)" "0 ./*.pith ./app.clog2" "the command in PATH"
run $without PATH=/usr/bin:/bin PITH_FORMAT=clog2 ./app
is "$? $(cat out) $(echo ./*.pith ./*.clog2)" "0 0 1 end ./app.pith ./*.clog2" "no command: the native log is kept"
like "$(head -n 1 err)" '^pith: the log cannot be converted to clog2: no command `pith` beside libpith or in PATH; it is kept in Pith.s own format$' "and a line says why"
pith check app.pith >/dev/null
ok $? "it is good"

# A command that prints its environment and its descriptors. (The runtime of the address sanitizer must be loaded first.)
preloaded=$PWD/lib/libpith.so.0
[ -z "$(sanitizers)" ] || preloaded="$(${CC:-cc} -print-file-name=libasan.so) $preloaded"
cat >fake/pith <<'E2'
#!/bin/sh
env >seen
fds=$(ls -l "/proc/$$/fd") && echo "$fds" >descriptors
echo "pith: here: it failed" >&2
exit 1
E2
chmod +x fake/pith
run $without PATH="$PWD/fake:$PATH" PITH_FORMAT=clog2 PITH_TIME_UNIT=10ns LD_PRELOAD="$preloaded" ./app
is "$? $(echo ./*.pith ./*.clog2)" "0 ./app.pith ./*.clog2" "a command that fails: the native log is kept"
like "$(head -n 1 err)" '^pith: the log cannot be converted to clog2: here: it failed; it is kept' "and a line has its error"
is "$(grep -cE '^(_?PITH_|LD_PRELOAD=)' seen) $(grep -c '^PATH=' seen)" "0 1" "its environment has nothing of the recorder"
is "$(grep -cE ' (0|1) -> /dev/null$' descriptors)" 2 "its standard input and output are /dev/null"
printf '#!/no/such/shell\n' >fake/pith
run $without PATH="$PWD/fake:$PATH" PITH_FORMAT=clog2 ./app
like "$? $(echo ./*.pith) $(head -n 1 err)" '^0 ./app.pith pith: .*/fake/pith cannot be run: No such file' "a command that cannot be run"
finish
