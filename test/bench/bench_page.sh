#!/usr/bin/env bash
# Pages in Chromium, headless and drawn without a graphics card: the size of the page without a log; until heat2d is exact,
# until 8e6 records of 64 lanes have a picture, in the page or chosen as a file; frames of a tour of zooms and moves, and
# pictures a second of a view that moves, at 1600 x 1000; the memory of scripts and module.
. "$(dirname "$0")/../lib.sh"
. "$top/test/bench/bench.sh"
{ [ -e "$build/share/pith/page/viewer.html" ] && have chromium; } || { echo "no page or no browser here"; exit 0; }
mpi=$(mpis | head -n 1)
[ -n "$mpi" ] && PITH_QUIET=1 mpiexec_of "$mpi" 4 pith run -o heat2d.pith -- "$build/samples/$mpi/heat2d" >/dev/null 2>&1
[ -s heat2d.pith ] || { echo "heat2d cannot be recorded here"; exit 0; }
"$build/test/bench/make_big_log" large.pith 64 64 125000 || exit 0
pith draw --viewer -o viewer.html && pith draw heat2d.pith -o small.html && pith draw large.pith -o large.html || exit 0
row "page: size without a log" "$(calc "$(stat -c %s viewer.html) / 1000")" kB 0 "<=700"
timeout 300 python3 "$top/test/bench/page_first.py" "$PWD/chromium" viewer.html small.html large.html large.pith >said || cat said
while IFS=$'\t' read -r what value unit low high goal; do
    [ "$low" != "$high" ] || low='' high=''
    row "$what" "$value" "$unit" 0 "$goal" "$low" "$high"
done <said
