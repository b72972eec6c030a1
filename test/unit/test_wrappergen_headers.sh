#!/usr/bin/env bash
# wrappergen finds arguments by their positions: headers name them as they like (Open MPI 5 says mpi_assert, and tag for stringtag).
. "$(dirname "$0")/../lib.sh"

cat >mpi.i <<'E1'
typedef struct ompi_win_t *MPI_Win; typedef struct ompi_group_t *MPI_Group; typedef struct ompi_comm_t *MPI_Comm;
int MPI_Win_fence(int mpi_assert, MPI_Win win);
int MPI_Comm_create_from_group(MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm);
int MPI_Win_lock(int, int rank, int mpi_assert, MPI_Win win);
int MPI_Win_sync(MPI_Win win, int flags);
int MPI_Barrier(MPI_Comm comm);
E1
gen() { wrappergen -H mpi.i "$@" 2>err; }
out=$(gen - <<<'{{fn f MPI_Win_fence MPI_Win_lock}}<{{assert}} {{mpi_assert}}>{{callfn}}{{endfn}}{{fn f MPI_Comm_create_from_group}}<{{stringtag}} {{tag}}>{{callfn}}{{endfn}}')
is "$? $(grep '^<' <<<"$out" | tr '\n' ' ')" '0 <assert assert> <stringtag stringtag> <assert assert> ' "the standard's name and the header's"
like "$out" '^int MPI_Win_fence\(int assert, MPI_Win win\)$' 'the wrapper has the names of the standard'
like "$out" 'PMPI_Win_lock\(lock_type, rank, assert, win\)' 'also for an argument without a name'
printf 'MPI_Win_fence fence window=win how=assert\nMPI_Win_sync sync window=win\n' >roles
out=$(gen -r roles - <<<'{{fn f @fence @sync}}<{{how|0}} {{window}}>{{callfn}}{{endfn}}{{fnall f}}{{callfn}}{{endfnall}}')
is "$? $(grep '^<' <<<"$out") $(cat err)" '0 <assert win> left out: MPI_Win_sync (the header declares 2 arguments, the MPI standard has 1)' \
    'a function with other arguments than in the standard is left out with a line, the rest is written'
is "$(grep -c '^int MPI_' <<<"$out") $(grep -c Win_sync <<<"$out")" '4 0' 'the rest: all others'
out=$(gen - <<<'{{fn f MPI_Session_init MPI_Win_sync MPI_Barrier}}{{callfn}}{{endfn}}')
is "$? $(cat err) $(grep -c '^int' <<<"$out")" '0 left out: MPI_Win_sync (the header declares 2 arguments, the MPI standard has 1)
-:1:8: warning: this MPI has no MPI_Session_init; skipped
-:1:25: warning: MPI_Win_sync is left out; skipped 1' 'so is one that this MPI does not have'

# The first declaration behind the body of a function, as in headers with inline functions.
cat >inline.i <<'E1'
typedef int MPI_Comm;
struct pair { int first; } typedef pair;
static inline int twice(int n)
{
    return n + n;
}
int MPI_Barrier(MPI_Comm comm);
static inline int half(int n) __attribute__((unused));
static inline int half(int n) { return n / 2; } extern int MPI_Comm_size(MPI_Comm comm, int *size);
struct { int a; } *MPI_Odd(void);
E1
is "$(wrappergen -H inline.i --list 2>&1)" "$(printf 'MPI_Barrier\nMPI_Comm_size')" 'a function declared behind the body of another one'

# The installed headers with all names of arguments replaced give the same wrappers, for the functions of the standard.
cat >rename.py <<'E1'
import re, sys
count = 0
def renamed(arguments):
    global count
    parts, depth = [""], 0
    for c in arguments:
        depth += (c in "([") - (c in ")]")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    for i, part in enumerate(parts):
        count += 1
        function = re.subn(r"\(\*\w+\)", "(*odd%d)" % count, part, count=1)
        parts[i] = function[0] if function[1] else re.sub(r"([ *])\w+((\[\w*\])*)$", r"\1odd%d\2" % count, part)
    return ",".join(parts)
text = re.sub(r"__attribute__ ?\(\((?:[^()]|\([^()]*\))*\)\)", "", re.sub(r"\s+", " ", re.sub(r"(?m)^#.*", "", sys.stdin.read())))
print(re.sub(r"(\bP?MPI_\w+ ?\()([^;{}]*)\) ?;", lambda m: m[1] + (m[2] if m[2] == "void" else renamed(m[2])) + ");", text))
E1
templates=
for t in mpi/compare_clocks compensate/after_call mpi/log mpi/messages compensate/piggyback handles/requests handles/handle; do
    templates="$templates $top/wrappers/$t.w"
done
for mpi in $(mpis); do
    python3 rename.py <"$build/gen/$mpi/mpi.i" >odd.i
    wrappergen -H odd.i --list 2>/dev/null | grep -vE '^MPIX_|^MPI_Session_set_info$' >only # not in the standard
    roles="$top/wrappers/mpi/roles.table" exported="$build/gen/$mpi/exported"
    # shellcheck disable=SC2086
    for header in "$build/gen/$mpi/mpi.i" odd.i; do
        wrappergen --preload -w $templates -f only -r "$roles" -H "$header" --exports "$exported" -o "$(basename "$header").c" 2>>err
    done
    like "$(grep 'MPI_Send(' odd.i)" 'MPI_Send ?\([^)]*MPI_Comm odd[0-9]+\)' "$mpi: the names are others"
    cmp mpi.i.c odd.i.c >err 2>&1; ok $? "$mpi: the wrappers of $(wc -l <only) functions are the same" || diff mpi.i.c odd.i.c | head -n 6 | sed 's/^/# /'
    wrappergen -w "$top/wrappers/check/check.w" "$top/wrappers/handles/handle.w" -f only -r "$roles" -H odd.i --exports "$exported" -o check.c 2>err
    is "$? $(cat err)" "0 " "$mpi: also those of the checks"
done

# Open MPI 5 and 6 have sessions whatever their MPI_VERSION, and their handles are no constants for Pith. Here an older one gets such
# sessions; what the wrappers call for them must be there.
mkdir sessions
cat >sessions/mpi.h <<'E1'
#include_next <mpi.h>
#ifndef MPI_SESSION_NULL
typedef struct ompi_instance_t *MPI_Session;
extern struct ompi_predefined_instance_t { char bytes[512]; } ompi_mpi_instance_null;
#define MPI_SESSION_NULL OMPI_PREDEFINED_GLOBAL(MPI_Session, ompi_mpi_instance_null)
#define BOTH(name, arguments) int MPI_##name arguments; int PMPI_##name arguments
BOTH(Session_init, (MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session));
BOTH(Session_finalize, (MPI_Session *session));
BOTH(Group_from_session_pset, (MPI_Session session, const char *pset_name, MPI_Group *newgroup));
BOTH(Comm_create_from_group, (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm));
#endif
E1
for mpi in $(mpis | grep openmpi); do for version in 3 5; do
    for file in mpi/job time/job_time mpi/transport; do
        { echo '#include <mpi.h>'; echo "#undef MPI_VERSION"; echo "#define MPI_VERSION $version"; cat "$top/wrappers/$file.c"; } >"$(basename "$file").c"
        "mpicc.$mpi" -std=c11 -D_GNU_SOURCE -Wall -Isessions -I"$build/include" -I"$build/layers/"{base,analysis,symbols} -I"$top/wrappers/mpi" -I"$top/wrappers/handles" \
            -I"$top/wrappers/compensate" -I"$top/wrappers" -fPIC -I"$top/wrappers/${file%/*}" -c "$(basename "$file").c" 2>err
        ok $? "$mpi with sessions, MPI $version: wrappers/$file.c compiles" || head -n 5 err | sed 's/^/# /'
    done
    is "$(nm job.o job_time.o | grep -oE 'T pithi_(job|time)_session[a-z_]*' | tr '\n' ' ')" \
        "T pithi_job_session T pithi_job_session_end T pithi_time_session T pithi_time_session_finish " "$mpi with sessions, MPI $version: what the wrappers call is there"
done; done
finish
