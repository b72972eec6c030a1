#!/usr/bin/env bash
# The pages of logs in Firefox, from file:// and from `pith serve`: pointer, keys, cards, search, findings, files that are
# chosen or dropped, a large log, two pixels per pixel (firefox_checks.py). The checks are those of Chromium.
. "$(dirname "$0")/../lib.sh"

if [ ! -e "$build/share/pith/page/viewer.html" ]; then
    skip "pages in Firefox" "no clang for wasm32 (wasi-libc, libclang-rt-dev-wasm32, lld) or no pako"
    finish
fi
# Another browser than Chromium is no need of CI: not a skipped check, which counts as failed there.
if ! command -v firefox-esr >/dev/null && ! command -v firefox >/dev/null; then
    ok 0 "pages in Firefox: not looked at, as there is none here (Debian: firefox-esr)"
    finish
fi
. "$top/test/viewer/card_log.sh"
card_log >card.txt
python3 "$top/test/analyze/random_log.py" 3 3
awk -F '\t' 'BEGIN { OFS = FS } /^[0-9]/ { $1 = sprintf("%.9f", $1 * 100000) } { print }' 3.txt >long.txt
pith convert long.txt run.pith
awk 'BEGIN { # rank 1 is in `refine` three times as long as rank 0
    print "# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=2\tranks=0,1"
    for (rank = 0; rank < 2; rank++) {
        head = "\t" rank "\t0\t"; end = 0.02 + 0.04 * rank
        printf "0%senter\trefine\n%g%sleave\trefine\n%g%senter\tMPI_Barrier\n%g%scoll\tMPI_COMM_WORLD\tcomm=0\troot=-1\n0.06%sleave\tMPI_Barrier\n", head, end, head, end, head, end, head, head
    } }' | sort -s -g -k 1,1 >late.txt
bad=$'"><script>document.title="caught"<' # a name cannot have a slash
cp run.pith "$bad.pith" && pith draw "$bad.pith" --viewer -o hostile.html
printf '%b\n' '0\t0\t0\tenter\t</script><script>document.title="caught"</script>' '1\t0\t0\tleave' >states.txt
"$build/test/bench/make_big_log" large.pith 8 8 150000
${CC:-cc} -O1 -I"$top/formats" -I"$top/formats/reader" "$top/test/viewer/make_log.c" "$build/lib/libpithlog.a" -lz -lm -lpthread -o make_log &&
    ./make_log hosts many.pith && pith draw many.pith -o many.html -e 'height 120' && ./make_log plain plain.pith &&
    pith draw plain.pith -o bare.html --title plain.pith -e 'names off; height 30; arrows off' &&
    pith draw --viewer -o page.html && pith draw run.pith --viewer -o run.html
ok $? "the pages are made"
mkdir folder link && cp run.pith "$bad.pith" folder/ && mkfifo link/pipe
pith serve folder >link/pipe 2>/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null; cd /; rm -rf "$TMPDIR"' EXIT
read -r link <link/pipe
timeout 800 python3 "$top/test/viewer/firefox_checks.py" "$scratch/firefox" "$link" >checks.out 2>checks.err
is "$?" 0 "the checks in the browser come to their end" || tail -n 12 checks.err | sed 's/^/# /'
like "$(tail -n 1 checks.out)" '^1\.\.[0-9]+$' "with all of them"
checks_of checks.out "firefox: "
finish
