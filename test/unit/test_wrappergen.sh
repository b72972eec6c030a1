#!/usr/bin/env bash
# wrappergen: the examples of the classic manual, error messages, and wrappers for the installed mpi.h.
. "$(dirname "$0")/../lib.sh"

cat >mpi.i <<'E1'
typedef int MPI_Comm; typedef int MPI_Datatype; typedef struct MPI_Status { int a; } MPI_Status;
typedef void (MPI_User_function)(void *, void *, int *, MPI_Datatype *);
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
    __attribute__((__pointer_with_type_tag__(MPI,1,3)));
int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
extern double MPI_Wtime(void);
__attribute__((visibility("default"))) int MPI_Group_range_excl(int group, int n, int ranges[][3], int *newgroup);
int MPI_Op(int (*function)(void *, int), int argc, char ***argv);
int MPI_Pcontrol(const int level, ...);
void MPI_Nothing(int i);
int MPI_Bare(int, void *, const char []);
E1
# gen TEMPLATE...: the output with the standard error in err
gen() { wrappergen -H mpi.i "$@" 2>err; }
body() { sed -n "/ $1(/,/^}/p" | tr -s ' \n' ' '; }

# ---- the manual's examples ----
printf 'static double overhead_time_{{fileno}};\n' >a.w
printf '{{forallfn fn_name}}static int {{fn_name}}_ncalls_{{fileno}};\n{{endforallfn}}' >b.w
printf '{{foreachfn fn_name mpi_send mpi_recv}}static int {{fn_name}}_ncalls_{{fileno}};\n{{endforeachfn}}' >c.w
out=$(gen -w a.w b.w c.w)
is "$(head -n 1 <<<"$out")" 'static double overhead_time_0;' 'fileno of the first file'
is "$(sed -n '2,4p' <<<"$out")" 'static int MPI_Send_ncalls_1;
static int MPI_Recv_ncalls_1;
static int MPI_Bcast_ncalls_1;' 'forallfn: a line per function, in prototype order'
is "$(tail -n 2 <<<"$out")" 'static int MPI_Send_ncalls_2;
static int MPI_Recv_ncalls_2;' 'foreachfn: names are found without regard to case'

cat >d.w <<'E1'
{{fn this_fn MPI_Send}}{{vardecl int i}}
{{callfn}}
printf( "Call to {{this_fn}}.\n" );
printf( "{{i}} was not used.\n" );
printf( "The first argument to {{this_fn}} is {{0}}\n" );
{{endfn}}
E1
is "$(gen d.w | body MPI_Send)" 'int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) { int returnVal; int i; returnVal = PMPI_Send(buf, count, datatype, dest, tag, comm); printf( "Call to MPI_Send.\n" ); printf( "i was not used.\n" ); printf( "The first argument to MPI_Send is buf\n" ); return returnVal; } ' 'the example of fn, callfn, vardecl'

for f in 1 2; do for w in 1 2; do
    echo "{{fn f MPI_Send}}{{vardecl int i}}before $f/$w {{i}}; {{callfn}} after $f/$w {{i}};{{endfn}}"
done >prof$f.w; done
is "$(gen prof1.w prof2.w | body MPI_Send)" 'int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) { int returnVal; int i, i1, i2, i3; before 1/1 i; before 1/2 i1; before 2/1 i2; before 2/2 i3; returnVal = PMPI_Send(buf, count, datatype, dest, tag, comm); after 2/2 i3; after 2/1 i2; after 1/2 i1; after 1/1 i; return returnVal; } ' 'wrappers of one function nest, in and across files'

for n in 1 2 3; do echo "{{fn f MPI_Send}}{{vardecl double d}}{{callfn}}{{endfn}}"; done >e.w
echo '{{fn f MPI_Send}}{{vardecl int i, d}}{{callfn}}{{endfn}}' >>e.w
like "$(gen e.w)" '^  int i, d3;$' 'vardecl: d is taken by three wrappers before'

# ---- the rest of the language ----
echo '{{fnall f MPI_Send mpi_bcast}}[{{f}} {{fn_num}}]{{callfn}}{{endfnall}}' >f.w
out=$(gen f.w)
is "$(grep -o '\[MPI.*\]' <<<"$out" | tr '\n' ' ')" '[MPI_Recv 0] [MPI_Wtime 1] [MPI_Group_range_excl 2] [MPI_Op 3] [MPI_Pcontrol 4] [MPI_Nothing 5] [MPI_Bare 6] ' 'fnall: all but the exceptions, numbered'
like "$out" '^double MPI_Wtime\(void\)$' 'no arguments, another result'
like "$out" '^int MPI_Group_range_excl\(int group, int n, int ranges\[\]\[3\], int \*newgroup\)$' 'array arguments, attributes left out'
like "$out" '^int MPI_Op\(int \(\*function\)\(void \*, int\), int argc, char \*\*\*argv\)$' 'function pointers'
like "$out" 'PMPI_Op\(function, argc, argv\)' 'and their names'
like "$out" '^int MPI_Pcontrol\(const int level, \.\.\.\)$' 'variable arguments'
like "$out" 'returnVal = PMPI_Pcontrol\(level\);' 'of which the named ones are passed on'
like "$out" '^  PMPI_Nothing\(i\);$' 'a function without result'
like "$out" '^int MPI_Bare\(int arg0, void \*arg1, const char arg2\[\]\)$' 'arguments without names'
echo '{{fn f MPI_Op}}{{vardecl void (*cb)(int, char), *_p, x[3][2], i = 0, function}}{{cb}} {{_p}} {{x}} {{function}} {{0}}{{callfn}}{{endfn}}' >g.w
out=$(gen g.w)
like "$out" '^  void \(\*cb\)\(int, char\), \*_p, x\[3\]\[2\], i = 0, function1;$' 'vardecl: commas in brackets, function pointers, a name that an argument has'
like "$out" '^cb _p x function1 function' 'and their use'
out=$(gen - <<<'{{fn f MPI_Send MPI_Recv MPI_Bcast}}<{{dest|-1}} {{status|NULL}} {{1|x}}>{{callfn}}{{endfn}}')
is "$(grep '^<' <<<"$out" | tr '\n' ' ')" '<dest NULL count> <-1 status count> <-1 NULL count> ' 'a text for functions in which a word has no value'
gen - >out <<<'{{fn f MPI_Send}}{{dst|-1}}{{callfn}}{{endfn}}'
is "$? $(head -n 1 err)" '1 -:1:18: unknown escape {{dst|-1}} in the wrapper of MPI_Send' 'but not for a word that no function has'
printf '{{fn f MPI_Send}}{{i}}{{foreachfn g MPI_Recv MPI_Bcast}} {{g}}-{{f}}{{endforeachfn}}{{vardecl\n int\n i}}{{callfn}}{{endfn}}{{{{x}}' >h.w
out=$(gen h.w)
like "$out" '^i MPI_Recv-MPI_Send MPI_Bcast-MPI_Send' 'a loop inside a wrapper; vardecl after the use, over lines'
like "$out" '\{\{x\}\}' 'four braces give two'
is "$(gen - <<<'{{forallfn f MPI_Recv MPI_Bcast MPI_Wtime MPI_Group_range_excl MPI_Op MPI_Pcontrol MPI_Nothing MPI_Bare}}{{foreachfn f MPI_Recv}}{{f}}{{endforeachfn}}{{endforallfn}}')" 'MPI_Send' 'of two loops with one name the outer wins'
gen - >out <<<'{{fn f MPI_Send}}x{{endfn}}'
like "$(cat err)" '^-:1:1: warning: \{\{fn\}\} without \{\{callfn\}\}' 'no callfn: a warning'
like "$(body MPI_Send <out)" 'x returnVal = PMPI_Send' 'and the body stands before the call'
gen - >out <<<'{{foreachfn f MPI_Sendd MPI_Recv}}{{f}}{{endforeachfn}}'; is "$? $(cat err) $(cat out)" '0 -:1:15: warning: no function MPI_Sendd; skipped; did you mean MPI_Send? MPI_Recv' 'an unknown function is skipped'
gen --keep-unknown - >out <<<'a {{what ever}} b'; is "$? $(cat out)" '0 a {{what ever}} b' '--keep-unknown'
echo MPI_Recv >only; is "$(gen -f only - <<<'{{forallfn f}}{{f}}{{endforallfn}}')" MPI_Recv '-f limits the functions'

# ---- roles ----
cat >roles <<'E1'
# a comment
MPI_Send send peer=dest type=datatype colour:#0000ff # its colour
MPI_Recv recv,both peer=source tag=tag   # more
E1
out=$(gen -r roles - <<<'{{foreachfn f @send @recv}}{{f}}:{{colour f}};{{endforeachfn}}{{fn f @send @both}}{{peer}} {{class}}-{{colour}} {{type}}{{vardecl int type}}{{callfn}}{{endfn}}')
is "$(head -n 1 <<<"$out")" 'MPI_Send:#0000ff;MPI_Recv:;' '@class in lists, {{key loopname}}'
like "$out" '^dest send-#0000ff type' 'role, class, key, a # in a word; a variable goes before a role'
like "$out" '^source recv,both-  ?type' 'another function with the same class'
printf 'MPI_Send send peer=nobody\nMPI_Recv\nMPI_Bcast x y\n' >bad; wrappergen -H mpi.i -r bad - -o none >out 2>err <<<''
is "$? $(cat err)" '1 bad:2:1: MPI_Recv has no class; write - for none
bad:3:13: '"'y'"' is not a role; write ROLE=ARGUMENT or KEY:TEXT
bad:1:1: MPI_Send has no argument nobody (role peer); see its prototype in the header
wrappergen: 3 errors, nothing written' 'faults of the table'

# ---- errors: all in one run, exit 1, no output ----
cat >bad.w <<'E1'
{{fn f MPI_Send}} {{dst}} {{callfn}} {{callfn}}
 {{vardecl int}} {{forallfn g}} {{fn h MPI_Recv}}{{endfn}}
{{endfn}}
{{endforallfn}} {{callfn}} {{
E1
wrappergen -H mpi.i -o none.c bad.w >out 2>err; status=$?
is "$status $(ls none* 2>/dev/null)$(cat out)" '1 ' 'faults: exit 1, nothing written'
is "$(cat err)" 'bad.w:1:38: a second {{callfn}} in one wrapper; the call is made once (any number: --dialect=wrap)
bad.w:2:2: {{vardecl}} needs a type and names; write {{vardecl int a, *b, c[3]}}
bad.w:2:33: {{fn}} inside {{forallfn}}; wrappers belong on the outermost level
bad.w:2:18: {{forallfn}} without {{endforallfn}}; add it
bad.w:4:1: {{endforallfn}} without {{forallfn}} before it
bad.w:4:17: {{callfn}} outside {{fn}} and {{fnall}}
bad.w:4:28: {{ without }}; write {{{{ for two braces
bad.w:1:19: unknown escape {{dst}} in the wrapper of MPI_Send; did you mean dest?
wrappergen: 8 errors, nothing written' 'each with file, line, column and what to do'
gen - <<<'{{fn f MPI_Send}}{{vardecl int i}}{{vardecl char i}}{{callfn}}{{endfn}}'; is "$? $(head -n 1 err)" '1 -:1:35: i is already declared in this wrapper' 'a name declared twice'
gen - <<<'{{filno}}'; is "$? $(head -n 1 err)" '1 -:1:1: unknown escape {{filno}}; did you mean fileno?' 'an unknown escape at the top'
ln -s /dev/null nowhere; gen -o nowhere a.w; is "$? $(readlink nowhere)$(find nowhere -type l)" '0 /dev/nullnowhere' 'a device as output is not replaced'
wrappergen -x 2>err; is "$? $(cat err)" '2 wrappergen: no option -x; see wrappergen -h' 'wrong usage: exit 2'
wrappergen -H nosuch.h a.w 2>err; is "$? $(cat err)" '1 wrappergen: nosuch.h: No such file or directory' 'a file that is not there'

# ---- the installed MPIs ----
for mpi in $(mpis); do
    export MPICC=mpicc.$mpi
    cat >all.w <<'E1'
#include <mpi.h>
static long calls[1000];
{{fnall f}}{{vardecl int n}}{{n}} = {{fn_num}}; {{callfn}} calls[{{n}}]++;{{endfnall}}
E1
    wrappergen all.w -o all.c && mpicc.$mpi -Wall -Wextra -Wno-deprecated-declarations -Werror -c all.c 2>err
    is "$?$(head -n 3 err)" 0 "$mpi: a wrapper for every function compiles without warnings"
    # The example of wrappers/README.md.
    (cd "$top" && sed -n "/^    cat >count.w/,/^    mpicc /p" wrappers/README.md | sed "s/^    //") |
        sed "s#wrappers/mpi#$top/wrappers/mpi#g; s/^mpicc/mpicc.$mpi/" >readme.sh
    cp "$top/test/mpi/comms.c" . && mpicc.$mpi -w -o app comms.c && bash -e readme.sh 2>err
    is "$?$(cat err)" 0 "$mpi: the example of the README builds"
    like "$(mpiexec_of $mpi 2 env LD_PRELOAD=./count.so ./app 2>&1)" "^MPI_Ssend 0$" "$mpi: and runs"
    # The library of wrappers defines MPI_X and PMPI_X for every function that mpi.h declares and the MPI library exports.
    library=$(ldd <(:) 2>/dev/null; printf '#include <mpi.h>\nint main(void){return MPI_Finalize();}' | mpicc.$mpi -x c - -o probe && ldd probe | sed -n 's/.*=> \(.*libmpi.*\) (.*/\1/p' | head -n 1)
    wrappergen --list | sort >declared
    nm -D --defined-only "$library" | sed -n 's/.* [TW] P\(MPIX*_.*\)/\1/p' | sort >exported
    # Handle conversions are not wrapped, because the Fortran bindings call them around every call.
    comm -12 declared exported | grep -vE '_(c2f|f2c|c2f08|f082c|f082f|f2f08)$' >wanted
    nm -D --defined-only "$build/lib/pith/$mpi/libpith-mpi.so" | awk '$3 !~ /^pithi_|^dlsym$/ { print $3 }' | sort >wrapped
    is "$(comm -23 wanted wrapped | tr '\n' ' ')" '' "$mpi: all $(wc -l <wanted) functions are wrapped"
    is "$(sed 's/^/P/' wanted | sort | comm -23 - wrapped | tr '\n' ' ')" '' "$mpi: under their PMPI names too"
    is "$(comm -13 <(sed 'p; s/^/P/' wanted | sort) wrapped | tr '\n' ' ')" '' "$mpi: and nothing else is exported"
    ok $(($(wc -l <wanted) < 370)) "$mpi: these are at least 370"
done
finish
