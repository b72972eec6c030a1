#!/usr/bin/env bash
# A library that records, opened and closed again and again, local to itself; and C++ exceptions that leave states.
. "$(dirname "$0")/../lib.sh"
lib=$build/lib
flags="-g -O1 -I$top/liblog -L$lib -Wl,-rpath,$lib"
# A library built with sanitizers needs a program that is.
nm -D "$lib/libpith.so" 2>/dev/null | grep __asan_init >/dev/null && flags="$flags -fsanitize=address,undefined"

cat >plugin.c <<'C'
#include <pith.h>
void work(int i)
{
    pith_begin(pith_state_define("plugin", 0));
    pith_count(pith_counter_define("i", 0), i);
    pith_end(pith_state_define("plugin", 0));
}
C
cat >host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    int i;
    for (i = 0; i < 100; i++) {
        void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
        void (*work)(int) = plugin ? (void (*)(int))dlsym(plugin, "work") : NULL;
        if (!work)
            return fprintf(stderr, "%s\n", dlerror());
        work(i);
        dlclose(plugin);
    }
    puts("done");
    return 4;
}
C
# shellcheck disable=SC2086
${CC:-cc} $flags -fPIC -shared -o plugin.so plugin.c -lpith && ${CC:-cc} $flags -o host host.c -ldl
ok $? "a program and its library compile"
PITH_LOG=run.pith ./host >out 2>err
is "$? $(cat out)" "4 done" "100 times dlopen and dlclose of a library that records, the only one that does" || cat err
pith check run.pith >check.out 2>&1
ok $? "the log is good" || cat check.out err
is "$(pith print run.pith --csv | grep -c ',counter,')" 100 "all that it recorded is there"
is "$(ls -d ./*.spill 2>/dev/null)" "" "nothing else is left"

cat >throw.cc <<'C'
#include <pith.h>
#include <cstdio>
static void deep(int n)
{
    pith_begin(pith_state_define("deep", "red"));
    if (n == 0)
        throw n;
    deep(n - 1);
    pith_end(pith_state_define("deep", "red"));
}
int main()
{
    for (int i = 0; i < 50; i++) {
        pith_begin(pith_state_define("outer", "blue"));
        try {
            deep(3);
        } catch (int) {
        }
        pith_end(pith_state_define("outer", "blue"));
    }
    std::puts("caught");
}
C
# shellcheck disable=SC2086
${CXX:-c++} $flags -o throw throw.cc -lpith
ok $? "a C++ program compiles"
PITH_LOG=throw.pith ./throw >out 2>err
is "$? $(cat out)" "0 caught" "exceptions leave states" || cat err
pith check throw.pith >check.out 2>&1
ok $? "the log is good" || cat check.out err
is "$(pith print throw.pith --state outer | grep -cP '\tleave\t')" 50 "the state around them begins and ends each time"
finish
