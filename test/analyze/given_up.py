"""given_up.py - prints the text of a log of 300 ranks: rank 0 starts a long send and then waits for other requests many times, before
rank 1 posts the receive; its first call can no longer be said to wait for that receive."""
RANKS, WAITS = 300, 200
print("# property\tkey=eager_bytes\tvalue=same_host=100 network=100")
print("# comm\tcomm=0\tname=MPI_COMM_WORLD\tsize=%d\tranks=%s" % (RANKS, ",".join(map(str, range(RANKS)))))
lines = []


def state(rank, begin, end, name, text="", at_end=False):
    lines.append((begin, rank, "enter\t" + name))
    if text:
        lines.append((end if at_end else begin, rank, text))
    lines.append((end, rank, "leave\t" + name))


state(0, 10, 11, "MPI_Isend", "send\t\tcomm=0\tpeer=1\ttag=0\tbytes=5000")
for i in range(WAITS):
    state(0, 20 + 10 * i, 25 + 10 * i, "MPI_Waitall")
late = 20 + 10 * WAITS
state(1, 22, 23, "MPI_Irecv")
state(1, 24, late, "MPI_Wait", "recv\t\tcomm=0\tpeer=0\ttag=0\tbytes=5000", True)
for rank in range(2, RANKS):
    for i in range(20):
        state(rank, 10 + 100 * i, 50 + 100 * i, "work")
for time, rank, text in sorted(lines, key=lambda line: line[0]):
    print("%.9f\t%d\t0\t%s" % (time / 1e9, rank, text))
