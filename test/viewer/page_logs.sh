# page_logs.sh - sourced after lib.sh. page_logs makes what tests drop on pages in browsers: card.txt, long.txt, run.pith, late.txt;
# states.txt and a copy of run.pith ($bad.pith), whose names would be markup if a page did not escape them.
. "$top/test/viewer/card_log.sh"
page_logs() {
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
    cp run.pith "$bad.pith"
    printf '%b\n' '0\t0\t0\tenter\t</script><script>document.title="caught"</script>' '1\t0\t0\tleave' >states.txt
}
