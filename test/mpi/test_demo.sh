#!/usr/bin/env bash
# What `make demo` shows once all is built.
. "$(dirname "$0")/../lib.sh"
[ -n "$(mpis)" ] || { skip "the demo" "no MPI"; finish; }

(cd "$top" && O="${O:-build}" DISPLAY='' samples/demo) >out 2>&1
is "$?" 0 "the demo runs" || tail -n 20 out
like "$(cat out)" '^heat2d: 384 x 384 cells, 200 steps' "the sample says its result"
like "$(cat out)" '^pith: .*heat2d.pith.* 4 ranks' "Pith says what it wrote"
like "$(cat out)" '^ *MPI_Waitall .*[0-9]' "pith stat"
like "$(cat out)" '^No display here. .*pith view ' "how to open the window"
pith check "$build/demo/heat2d.pith" >check.out 2>&1
ok $? "the log is good" || cat check.out
if [ -x "$build/libexec/pith/pith-draw" ]; then
    like "$(identify "$build/demo/heat2d.png" 2>&1)" 'PNG [0-9]+x[0-9]+ ' "the picture is a picture"
fi
finish
