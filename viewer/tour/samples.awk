# samples.awk - writes a log as text, for `pith convert`: two ranks of a made-up stencil program, with a sample of the
# call stack every half millisecond. Always the same. Records are not sorted: sort -s -g -k 1,1 does that.
BEGIN {
    OFS = "\t"
    print "# property", "key=sample_ns", "value=500000"
    print "# property", "key=sample_clock", "value=wall"
    split("main relax flux exchange_halo pack residual", names, " ")
    for (i = 1; i <= 6; i++)
        for (place = 0; place < 2; place++) # the innermost function; its callers, by the end of their call
            printf "# property\tkey=code %d%s feedbeef\tvalue=%s\\t%d000\\t%d\\t/src/heat.c\\t%d\\t/src/heat.c\\n\n",
                i, place ? "01f" : "010", names[i], i, 20 * i, 20 * i + 5
    for (rank = 0; rank < 2; rank++)
        print "# lane", "rank=" rank, "thread=0", "name=", "host=node1"
    print "# event", "name=pith:sample", "colour=", "group=pith", "format=cpu=%l"
    print "# event", "name=pith:module", "colour=", "group=pith", "format=begin=%X end=%X bias=%X build=%s path=%s"
    print "# state", "name=MPI_Waitall", "colour=#d9694f", "group=MPI wait"
    print "# state", "name=MPI_Allreduce", "colour=#624c92", "group=MPI collective"
    for (rank = 0; rank < 2; rank++)
        record(1000, "event", "pith:module", "payload=begin=500000000000 end=500000010000 bias=500000000000 " \
            "build=feedbeef path=/gone/heat")
    for (step = 0; step < 5; step++)
        for (rank = 0; rank < 2; rank++) {
            # Rank 1 computes longer, so rank 0 waits for its edges.
            begin = step * 10e6 + 1e6
            relaxed = begin + (rank ? 7.2e6 : 4.6e6)
            for (t = begin + 0.2e6; t < relaxed; t += 0.5e6)
                sample(t, int(t / 0.5e6) % 5 < 3 ? "3 2 1" : "2 1")
            sample(relaxed + 0.3e6, "5 4 1")
            call("MPI_Waitall", relaxed + 0.6e6, begin + 8.2e6, "4 1")
            sample(begin + 8.3e6, "6 1")
            call("MPI_Allreduce", begin + 8.5e6, begin + 9e6, "6 1")
        }
}
function record(ns, kind, name, more) { printf "%.9f\t%d\t0\t%s\t%s\t%s\n", ns / 1e9, rank, kind, name, more }
# STACK: numbers of functions, innermost first.
function sample(ns, stack,    count, path, i, text) {
    count = split(stack, path, " ")
    for (i = 1; i <= count; i++)
        text = text "000050000000" path[i] (i == 1 ? "010" : "020")
    record(ns, "event", "pith:sample", sprintf("payload=cpu=%d %s", ns, text))
}
function call(name, from, to, stack,    t) {
    record(from, "enter", name, "")
    for (t = from + 0.1e6; t < to; t += 0.5e6)
        sample(t, stack)
    record(to, "leave", name, "")
}
