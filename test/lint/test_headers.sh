#!/usr/bin/env bash
# Each public header compiles alone, in C and C++, without a warning.
. "$(dirname "$0")/../lib.sh"

is "$(cd "$build/include" && ls mpe*.h | tr '\n' ' ')" "mpe.h mpe_callstack.h mpe_graphics.h mpe_graphicsf.h mpe_log.h mpe_logf.h mpe_misc.h mpe_nompi.h " "MPE's are beside them"
compilers=$(for c in gcc clang; do command -v $c; done)
[ -n "$compilers" ] || compilers=cc
for cc in $compilers; do
    for header in pith.h pith_tool.h pithlog.h pithlog_findings.h; do
        for language in 'c -std=c99' 'c -std=c11' 'c++ -std=c++11' 'c++ -std=c++17'; do
            for define in '' -DPITH_NULL; do
                [ -n "$define" ] && [[ $header == pithlog*.h ]] && continue
                # shellcheck disable=SC2086 # the options are words
                printf '#include <%s>\n#include <%s>\nextern int nothing;\n' "$header" "$header" |
                    $cc -x $language -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$build/include" $define -fsyntax-only - >out 2>&1
                ok $? "${cc##*/} ${language} $header $define" || sed 's/^/# /' out
            done
        done
    done
done

# Every call, used as the header says; with PITH_NULL nothing of the library is needed, and with it all is there.
cat >use.c <<'C'
#include <pith.h>
int main(void)
{
    uint32_t state = pith_state_define("work", "red"), event = pith_event_define("tick", "", "n=%d");
    uint32_t counter = pith_counter_define("speed", "m/s");
    pith_thread_name("main");
    pith_begin(state);
    pith_event(event);
    pith_event_data(event, "\0\0\0\1", 4);
    pith_count(counter, 1.5);
    pith_send(0, 1, 8);
    pith_recv(0, 1, 8);
    pith_pause();
    pith_resume();
    pith_flush();
    pith_end(state);
    pith_finish();
    return (int)pith_lost();
}
C
gcc -O2 -Wall -Wextra -Werror -DPITH_NULL -I"$build/include" -o use-null use.c 2>out && ./use-null
ok $? "with -DPITH_NULL nothing is linked" || cat out
is "$(nm use-null | grep -c pith)" 0 "and nothing of Pith is in the program"
gcc -Wall -Wextra -Werror -I"$build/include" -o use-nulllib use.c -L"$build/lib" -lpith-null 2>out && LD_LIBRARY_PATH=$build/lib ./use-nulllib
ok $? "linked with libpith-null" || cat out
is "$(ls ./*.pith ./*.spill 2>/dev/null)" "" "which writes nothing"
if nm -D "$build/lib/libpith.so.0" | grep __asan >/dev/null; then
    skip "linked with libpith" "a sanitizer build"
else
    gcc -Wall -Wextra -Werror -I"$build/include" -o use use.c -L"$build/lib" -lpith 2>out && LD_LIBRARY_PATH=$build/lib ./use
    ok $? "linked with libpith" || cat out
    pith check use.pith >out 2>&1
    ok $? "which writes a good log" || cat out
fi
finish
