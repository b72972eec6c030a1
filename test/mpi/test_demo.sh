#!/usr/bin/env bash
# What `make demo` shows once all is built.
. "$(dirname "$0")/../lib.sh"
[ -n "$(mpis)" ] || { skip "the demo" "no MPI"; finish; }

(cd "$top" && O="${O:-build}" DISPLAY='' samples/demo) >out 2>&1
is "$?" 0 "the demo runs" || tail -n 20 out
like "$(cat out)" '^heat2d: 1200 x 1200 cells, 100 steps' "the sample says its result"
like "$(cat out)" '^pith: .*heat2d.pith.* [2-4] ranks' "Pith says what it wrote"
like "$(cat out)" '[0-9]+ % of the run is lost' "why the slow one is slow"
like "$(cat out)" '^rank 1 .*R.*R' "and its picture"
like "$(cat out)" '^    pith analyze .*late_sender.pith ' "what to do next"
like "$(cat out)" '^No display here. .*pith view ' "how to open the window"
for log in heat2d late_sender; do
    pith check "$build/demo/$log.pith" >check.out 2>&1
    ok $? "the log of $log is good" || cat check.out
done
if [ -e "$build/demo/late_sender.png" ]; then
    like "$(identify "$build/demo/late_sender.png" 2>&1)" 'PNG [0-9]+x[0-9]+ ' "the picture is a picture"
fi
# The build before it: how far it is, and what went wrong.
cat >make <<'END'
#!/bin/sh
echo 'cc -c -o x.o x.c'
case $* in *-n) ;; bad) echo broken; exit 1 ;; esac
END
chmod +x make
demo_after() { (cd "$top" && O="$scratch/built" samples/demo "$scratch/make" "$1" 2>&1; echo "exit $?"); }
like "$(demo_after good)" '^building: 1 of 1$' "a build says how far it is"
like "$(joined "$(demo_after bad)")" '[|]broken[|]demo: the build failed.*exit 1' "one that fails shows why, and ends the demo"
finish
