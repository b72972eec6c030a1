#!/usr/bin/env bash
# The examples of wrappergen(1), as a reader copies them from the page. test/cli/test_man.sh tests the last one.
. "$(dirname "$0")/../lib.sh"
# block N: the Nth example
block() { awk -v n="$1" '/^\.EX/ { k++; on = 1; next } /^\.EE/ { on = 0 } on && k == n' "$top/man/wrappergen.1" | sed 's/\\e/\\/g; s/\\-/-/g'; }
# same N WHAT: standard input equals the Nth example, apart from blanks and ends of lines
words() { tr -s ' \n' ' ' | sed 's/^ //'; }
same() { is "$(words)" "$(block "$1" | words)" "$2"; }
cat >mpi.i <<'E1'
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Barrier(MPI_Comm comm);
int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status);
E1
for n in 1 3 4 6 8 11 13; do block $n >example$n.w; done
block 10 >roles; block 15 >protos
same 2 "fn, vardecl, callfn" < <(wrappergen -H mpi.i example1.w)
same 5 "two templates nest" < <(wrappergen -H mpi.i example3.w example4.w)
same 7 "a loop" < <(wrappergen -H mpi.i example6.w)
same 9 "the wrap dialect" < <(wrappergen -H mpi.i --dialect=wrap --no-prelude example8.w)
same 12 "the table of roles" < <(wrappergen -H mpi.i -r roles example11.w)
same 14 "--cxx" < <(sed 's/^int MPI_Barrier.*/int MPI_Comm_rank(MPI_Comm comm, int *rank);/' mpi.i >cxx.i; wrappergen -H cxx.i --cxx --bindings "$top/wrappers/cxx/bindings.table" example13.w | sed -n '/^int MPI::/,$p')
is "$(wrappergen -p protos - <<<'{{fnall f}}{{callfn}}{{endfnall}}' | grep '^int')" "$(sed -n 's/^is \(int MPI_.*\)\.$/\1/p' "$top/man/wrappergen.1")" "the prototype file"
# Every option that the program prints has a paragraph.
for option in $(wrappergen -h | grep -oE '^  -[-a-zA-Z]+(=[a-z]+)?' | sort -u); do
    grep -qF -- "$(sed 's/-/\\-/g' <<<"$option")" "$top/man/wrappergen.1"; ok $? "$option is described"
done
finish
