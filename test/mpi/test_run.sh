#!/usr/bin/env bash
# pith run: which MPI, what is said, exit statuses, scripts.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
told() { grep -c '^pith: nothing was recorded' err; }
kind_of() { if [ "$1" = mpich ]; then echo MPICH; else echo "Open MPI"; fi; }

pith run ls / >out 2>err
is "$? $(cat out)" "0 $(ls /)" "no MPI program: runs as ever"
is "$(cat err)" "pith: nothing was recorded: ls is not linked with MPI, was not started by mpirun, and called no function of pith.h" "and says why nothing was recorded"
PITH_QUIET=1 pith run ls / >out 2>err; is "$(cat err)" "" "PITH_QUIET=1: it does not"
pith run bash -c 'ls /; ls /; exit 9' >out 2>err; is "$? $(told)" "9 1" "children do not report; exit status kept"
pith run bash -c 'kill -9 $$' >out 2>err; is "$?" 137 "a signal too"
PITH_LOG=hand.pith pith run bash -c "'$build/samples/threads' 40; true" >out 2>err
is "$(told) $(grep -c 'hand.pith: ' err)" "0 1" "a child that records by hand: no complaint"
pith run nosuchprogram 2>err; is "$? $(cat err)" "127 pith run: nosuchprogram: no such program" "not found: 127"
pith run ./nosuch 2>err; is "$? $(cat err)" "127 pith run: ./nosuch: no such program" "nor by path"
echo text >file; pith run ./file 2>err; is "$? $(cat err)" "126 pith run: ./file: not executable" "not executable: 126"
pith run / 2>err; is "$? $(cat err)" "126 pith run: /: is a directory" "a folder: 126"
for wrong in "" "--nosuch ls" "--mpi lam ls" "--lib nosuch ls" "-o" "-o none ls" "-o - ls"; do
    pith run $wrong >out 2>err; is "$? $(grep -c 'see .pith help run.' err)" "2 1" "usage: 'pith run $wrong'"
done
is "$(pith run --lib nosuch ls 2>&1)" "pith run: no library nosuch; there are: log, trace, time, anim, check, and paths of your own (./libNAME.so); see \`pith help run\`" "an unknown library: those that there are"
like "$(pith run --help)" '^usage: pith run' "--help"
printf 'echo script $1 $#\n' >plain-script; chmod +x plain-script
PITH_QUIET=1 pith run ./plain-script a b >out 2>err; is "$? $(cat out)" "0 script a 2" "a script without #!"
is "$(PITH_QUIET=1 pith run -- echo -o x --mpi)" "-o x --mpi" "options after the program are the program's"
is "$(LD_PRELOAD=/nonexistent.so PITH_QUIET=1 pith run -- sh -c 'echo ${LD_PRELOAD%%:*}' 2>/dev/null)" /nonexistent.so "what is preloaded stays, and stays first"
echo 'int main(void) { return 7; }' >static.c
if cc -static -o static static.c 2>/dev/null; then
    pith run ./static 2>err; is "$? $(cat err)" "7 pith run: ./static: a static program, which cannot be recorded without relinking it; it runs unrecorded" "a static program runs, and it is said"
else
    skip "static program" "no static libc"
fi

# What the user can still mend is said at the start.
cat >marks.c <<'END'
#include <pith.h>
int main(void)
{
    uint32_t state = pith_state_define("work", 0);
    pith_begin(state);
    pith_end(state);
    return 0;
}
END
cc -I"$build/include" marks.c -o marks -L"$build/lib" -lpith -Wl,-rpath,"$build/lib" $(sanitizers); ok $? "a program with marks"
last() { sed -n '$p' err; }
pith run -o nofolder/x.pith ./marks 2>err
like "$(head -n 1 err)" "^pith: nofolder/x.pith: $PWD/nofolder: No such file or directory; mend this while the program runs, or its records stay in $TMPDIR/" "a folder that is not there"
pith run -o x.xyz ./marks 2>err
is "$(head -n 1 err)" "pith: x.xyz: no format has the suffix .xyz, so the log will have Pith's own; \`pith help formats\` lists them" "a suffix of no format"
pith run -o run-2.5 ./marks 2>err; is "$(wc -l <err)" 1 "a number is no suffix"
pith run ./marks 2>err; is "$(last | grep -c 'older')" 0 "a first log"
pith run ./marks 2>err; like "$(last)" '^pith: marks.pith: 1 rank, .* kB, replaces an older log; open it with: pith view marks.pith$' "a second one says what it replaces"
PITH_SKP=x PITHLOG=y PITH_OF_MINE=z pith run ./marks 2>err
is "$(grep 'no such variable' err | sort)" "pith: PITHLOG: no such variable; did you mean PITH_LOG?
pith: PITH_SKP: no such variable; did you mean PITH_SKIP?" "misspelt variables"
PITH_SKIP='wrk,pith:*' PITH_ONLY='*, nothing-like-it' pith run ./marks 2>err
is "$(grep 'nothing in this run' err)" "pith: PITH_ONLY: nothing in this run has the name or group nothing-like-it
pith: PITH_SKIP: nothing in this run has the name or group wrk; did you mean work?" "patterns that match nothing"
pith run mpiexec -n 2 ./marks 2>err; is "$? $(cat err)" "2 pith run: put it the other way round: mpiexec -n 2 pith run ./marks" "mpiexec behind pith run"
pith run -n 4 ./marks x 2>err; is "$? $(cat err)" "2 pith run: put it the other way round: mpirun -n 4 pith run ./marks x" "the arguments of mpirun"
like "$(pith run --help)" '^  --also NAMES ' "--help names --also"
for mpi in $(mpis); do
    "mpiexec.$mpi" -n 4 pith run ./nosuch >out 2>err; is "$(grep -c 'no such program' err)" 1 "$mpi: a program that is not there: said once"
done

# Programs with other rights than their user's.
cat >rights.c <<'END'
#include <stdio.h>
#include <unistd.h>
#ifdef LINKED
#include <pith.h>
#endif
int main(void)
{
#ifdef LINKED
    pith_begin(pith_state_define("s", 0));
#endif
    return geteuid() == 0 ? 0 : 5;
}
END
if [ "$(id -u)" = 0 ] && chmod 711 "$TMPDIR" "$scratch" && setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$build/libexec/pith/pith-run" 2>/dev/null; then
    nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
    cc -o rights rights.c && cc -DLINKED -I"$build/include" -o linked rights.c "$build/lib/libpith.a" -lz -lpthread -ldl $(sanitizers) && chmod 4755 rights linked; ok $? "set-user-ID programs"
    nobody pith run ./rights 2>err
    is "$? $(cat err)" "0 pith run: ./rights: a set-user-ID program, which the system protects from being recorded; it runs unrecorded" "it runs, and it is said"
    nobody env PITH_LOG=/tmp/x.pith ./linked 2>err
    is "$? $(cat err)" "0 pith: linked: nothing is recorded: it runs with other rights than its user's (set-user-ID, set-group-ID or capabilities)" "linked: it is said, too"
    chmod 2755 rights; chgrp 1 rights; chmod 2755 rights; nobody pith run ./rights 2>err
    like "$(cat err)" '^pith run: ./rights: a set-group-ID program, ' "set-group-ID"
    if chmod 755 rights && setcap cap_net_raw+ep rights 2>/dev/null; then
        nobody pith run ./rights 2>err; like "$(cat err)" '^pith run: ./rights: a program with file capabilities, ' "capabilities"
    else
        echo "# no setcap here"
    fi
    chmod 4755 rights; PITH_QUIET=1 pith run ./rights 2>err; is "$? $(cat err)" "0 " "of the user's own: nothing to say"
else
    echo "# set-user-ID programs: not root, or the build is not readable for others"
fi

# A program that calls exec: what it recorded before is not "nothing".
cat >becomes.c <<'END'
#include <unistd.h>
#ifdef MPI
#include <mpi.h>
#else
#include <pith.h>
#endif
int main(int argc, char **argv)
{
#ifdef MPI
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        MPI_Finalize();
#else
    pith_begin(pith_state_define("s", 0));
    if (argc > 1)
        pith_finish();
#endif
    return execlp("true", "true", (char *)0) + (argv == 0);
}
END
# The line is written after the end of the program, so its reader waits for the end of the pipe.
left='^pith: becomes: the program ended without finishing the job; the records are kept: pith recover becomes.pith.spill$'
cc -I"$build/include" becomes.c -o becomes -L"$build/lib" -lpith -Wl,-rpath,"$build/lib" $(sanitizers) &&
    pith run ./becomes 2>&1 | cat >err
is "$? $(told) $(grep -c "$left" err)" "0 0 1" "a program that calls exec: what it recorded is told of" || cat err
is "$(pith recover becomes.pith.spill)" "becomes.pith: 1 of 1 rank, 1 records" "and is there"
pith run true 2>&1 | cat >err; is "$(told) $(wc -l <err)" "1 1" "another process is not told of it"
PITH_QUIET=1 pith run ./becomes 2>&1 | cat >err; is "$(cat err)" "" "PITH_QUIET=1: not told of"
rm -rf becomes.pith*; pith run ./becomes finish 2>&1 | cat >err
is "$(joined "$(sed 's/1 rank.*/1 rank/' err)")" "pith: becomes.pith: 1 rank" "exec after pith_finish: the log's line alone" || cat err
for mpi in $(mpis); do
    rm -rf becomes.pith*
    "mpicc.$mpi" -DMPI becomes.c -o becomes && pith run --mpi "$mpi" ./becomes 2>&1 | cat >err
    is "$(told) $(grep -c "$left" err)" "0 1" "$mpi: the same after MPI_Init" || cat err
    rm -rf becomes.pith*
    "mpiexec.$mpi" -n 2 pith run ./becomes finalize 2>err
    is "$(joined "$(sed 's/2 ranks.*/2 ranks/' err)")" "pith: becomes.pith: 2 ranks" "$mpi: after MPI_Finalize, the log's line alone" || cat err
done

for mpi in $(mpis); do
    compile corners "$mpi"
    record corners "$mpi" 2
    is "$status $(pith info corners.pith | sed -n 's/^ranks: //p') $(grep -c '^pith: corners.pith: 2 ranks' err)" "0 2 1" "$mpi: one log, one line"
    like "$(pith info corners.pith)" "^mpi: .*$(kind_of "$mpi")" "$mpi: named in the log"
    "mpiexec.$mpi" -n 2 pith run ls / >out 2>err; is "$? $(told)" "0 1" "$mpi: ls on two ranks: said once"
    # The launcher tells the MPI when the program does not.
    printf '#!/bin/sh\nls / >/dev/null\n%s\nls / >/dev/null\n' "./corners-$mpi" >script.sh; chmod +x script.sh; rm -f corners-*.pith
    "mpiexec.$mpi" -n 2 pith run ./script.sh >out 2>err
    is "$? $(told) $(calls "corners-$mpi.pith" MPI_Comm_rank)" "0 0 2" "$mpi: an MPI program started by a script is recorded" || cat err
    rm -rf sub && mkdir sub && "mpiexec.$mpi" -n 2 pith run -o sub/here.pith bash -c "cd /; exec $PWD/corners-$mpi" >out 2>err
    is "$? $(ls sub)" "0 here.pith" "$mpi: -o is from where pith run was called"
    "mpiexec.$mpi" -n 2 ./corners-$mpi status >out 2>err; wanted=$?
    is "$wanted" "$(PITH_LOG=/nonexistent/x.pith "mpiexec.$mpi" -n 2 pith run ./corners-$mpi status >out 2>err; echo $?)" "$mpi: a log that cannot be made: the program runs on"
    for other in mpich openmpi; do
        [ $other = "$mpi" ] || [ ! -d "$build/lib/pith/$other" ] || { "mpiexec.$mpi" -n 1 pith run -o wrong.pith --mpi $other ./corners-$mpi >out 2>err
            is "$? $(ls -d wrong.pith* 2>/dev/null)" "0 " "$mpi: with the wrong wrappers the program runs unrecorded"
            like "$(cat err)" "^pith: ./corners-$mpi: uses $(kind_of $mpi), which these wrappers cannot record; it runs unrecorded" "$mpi: and that is said"
            # The launcher of the one starts as many jobs of the other as processes.
            told="^pith: 2 processes were started, but each is a job of its own with 1 rank: the program's MPI is $(kind_of $mpi), the mpiexec that of another one\$"
            "mpiexec.$other" -n 2 ./corners-$mpi >out 2>&1 ||
                { skip "$mpi: started by the other's mpiexec" "the program ends with an error then, without Pith, too"; continue; }
            for lib in log time check; do
                PITH_LOG=alone-$mpi.pith "mpiexec.$other" -n 2 pith run --lib $lib ./corners-$mpi >out 2>err
                is "$(grep -c "$told" err)" 1 "$mpi: started by the other's mpiexec: --lib $lib says so, once"
            done; }
    done
done
# A reader of the output of a program that leaves a daemon need not wait for the daemon.
cat >daemon.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    if (fork())
        _exit(0);
    for (int i = 0; i < 3; i++)
        close(i);
    for (int i = 0; i < 600 && access("read", F_OK); i++)
        usleep(50000);
    close(open("daemon-ended", O_CREAT, 0600));
    return 0;
}
END
cc -D_GNU_SOURCE -o daemon daemon.c && pith run ./daemon 2>&1 | cat >out
is "$(ls daemon-ended 2>&1 | grep -c 'No such file')" 1 "a daemon goes on: its starter's output has ended"
touch read; for _ in $(seq 100); do [ -e daemon-ended ] && break; sleep 0.05; done
pith run ./marks 2>&1 <&- | cat >out
like "$(cat out)" '^pith: marks.pith: 1 rank' "without standard input"
pith run ls / 2>err >/dev/full; pith run ls /nowhere 2>err
is "$(told) $(grep -c nowhere err)" "1 1" "ls closes its standard error: the line comes after what it wrote"
# The process that pith run leaves beside a program: no child that it could see, and no signal of its group reaches it.
cat >beside.c <<'END'
#include <errno.h>
#include <pith.h>
#include <signal.h>
#include <sys/wait.h>
int main(void)
{
    pith_begin(pith_state_define("s", 0));
    if (waitpid(-1, NULL, 0) >= 0 || errno != ECHILD)
        return 1;
    return kill(0, SIGTERM);
}
END
cc -D_GNU_SOURCE -I"$build/include" beside.c -o beside -L"$build/lib" -lpith -Wl,-rpath,"$build/lib" $(sanitizers)
timeout 20 setsid -w pith run ./beside 2>&1 <&- | cat >err
is "${PIPESTATUS[0]} $(grep -c 'pith recover beside.pith.spill' err)" "143 1" "SIGTERM to a program and its group: its records are told of" || cat err
# ---- where LD_PRELOAD cannot reach
mkdir "a place" && cp -r "$build/bin" "$build/lib" "$build/libexec" "a place"
out=$("a place/bin/pith" run sh -c 'echo runs; exit 3' 2>err)
is "$? $out" "3 runs" "a place with a blank: the program runs"
like "$(cat err)" '^pith run: /.*: nothing is recorded: a path with a blank or colon cannot be preloaded; move Pith$' "and it is said"
is "$(wc -l <err)" 1 "in one line"
# A program that is started without a standard error: descriptor 2 is then a file of its own. In between it may be one of
# a library (UCX's, for a moment; taken.c plays it), when Pith is loaded.
export UCX_VFS_ENABLE=n
cat >taken.c <<'END'
#include <fcntl.h>
__attribute__((constructor)) static void take(void) { open("/dev/null", O_RDONLY | O_CLOEXEC); }
END
${CC:-cc} -shared -fPIC -o libtaken.so taken.c
cat >early.c <<'END'
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    static char byte;
    MPI_Request request;
    int fd = (close(2), open("data", O_WRONLY | O_CREAT | O_TRUNC, 0600));
    if (fd != 2 || write(fd, "data\n", 5) != 5)
        return 1;
    MPI_Init(&argc, &argv);
    MPI_Irecv(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request); /* an error, for --lib check */
    MPI_Finalize();
    return 0;
}
END
for mpi in $(mpis); do
    "mpicc.$mpi" -o "early.$mpi" early.c
    "mpicc.$mpi" -o "taken.$mpi" early.c -Wl,--no-as-needed -L. -ltaken -Wl,-rpath,"$PWD"
    for program in early taken; do
        "./$program.$mpi" 2>&-
        plain="$? $(cat data)" # MPICH 4.2 writes there itself, of the request
        like "$plain" '^0 data$' "$mpi: a program without standard error, $program"
        for options in "--answer -o run.pith" "--lib check" "--lib time" "--lib trace" "--lib anim"; do
            pith run $options "./$program.$mpi" 2>&-
            is "$? $(cat data)" "$plain" "$mpi, $options: no standard error, $program: its file is its own"
        done
    done
done
finish
