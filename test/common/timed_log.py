"""python3 -m timed_log: makes a log in text of lines RANK[.THREAD] STATE FROM-TO ..., in us, on standard input.

After a state: >PEER[:BYTES]: it sends when it begins (8 bytes); <PEER[:BYTES]: it receives when it ends;
c[:BYTES[:GOT]]: it is a collective of all ranks."""
import sys


def records(lines, ranks):
    for line in lines:
        words = line.split()[::-1]  # the next one is the last: that one is taken at once, and lines are long
        lane = words.pop()
        rank, thread = (lane + ".0").split(".")[:2]
        ranks.add(rank)

        def record(us, *fields):
            return us, "%.9f\t%s\t%s\t%s" % (us / 1e6, rank, thread, "\t".join(fields))

        while words:
            name, times = words.pop(), words.pop()
            begin, end = map(float, times.split("-"))
            yield record(begin, "enter", name)
            while words and (words[-1][0] in "<>" or words[-1].split(":")[0] == "c"):
                what = words.pop()
                peer, size = (what[1:] + ":8").split(":")[:2]
                message = "", "comm=0", "peer=" + peer, "tag=0", "bytes=" + size
                if what[0] == "c":
                    gives, gets = (what.split(":")[1:] + ["8", "8"])[:2]
                    yield record(begin, "coll", "", "comm=0", "bytes=" + gives, "got_bytes=" + gets, "root=-1")
                elif what[0] == ">":
                    yield record(begin, "send", *message)
                else:
                    yield record(end, "recv", *message)
            yield record(end, "leave", name)


if __name__ == "__main__":
    of_ranks = set()
    all_records = sorted(records(sys.stdin, of_ranks), key=lambda r: r[0])
    print("# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=%d\tranks=%s" % (len(of_ranks), ",".join(sorted(of_ranks, key=int))))
    for _, text in all_records:
        print(text)
