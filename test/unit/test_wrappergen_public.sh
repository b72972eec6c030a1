#!/usr/bin/env bash
# wrappergen: the constructs that templates written for wrap.py and for MPE's wrappergen use, each with what it gives; then
# whole templates of these kinds, generated and compiled, as C and as C++, under each MPI.
. "$(dirname "$0")/../lib.sh"

cat >mpi.i <<'E1'
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Barrier(MPI_Comm comm);
int MPI_Finalize(void);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
double MPI_Wtime(void);
int MPI_Pcontrol(const int level, ...);
MPI_Fint MPI_Comm_c2f(MPI_Comm comm);
int MPI_Status_c2f08(const MPI_Status *from, MPI_F08_status *to);
int MPI_T_finalize(void);
int MPIX_Query(int kind);
E1
wrap() { wrappergen --dialect=wrap --no-prelude -H mpi.i "$@" 2>err; }
# text TEMPLATE [FUNCTION]: what the body of its wrapper becomes, in one line
text() { wrap - <<<"{{fn f ${2:-MPI_Send}}}[$1]{{endfn}}" | sed -n 's/^\[\(.*\)\]$/\1/p'; }
fault() { wrap - <<<"$1" >out; echo "$? $(head -n 1 err)"; }

# ---- words ----
is "$(text '{{retType}} {{argList}} {{argTypeList}}' MPI_Comm_dup)" 'int (comm, newcomm) (MPI_Comm comm, MPI_Comm *newcomm)' 'names of old: retType, argList, argTypeList'
is "$(text '{{argList}}{{argTypeList}}' MPI_Finalize)" '()(void)' 'of a function without arguments'
is "$(text '{{applyToType int use}}')" 'use(count); use(dest); use(tag);' 'applyToType'
is "$(text '{{args 0}} {{types 1}} {{formals 2}} {{args -1}} {{get_arg -1}} {{get_arg -6}} {{args {{list 3}}}}')" 'buf int MPI_Datatype datatype comm comm buf dest' 'elements of lists, also from the end'
is "$(fault '{{fn f MPI_Barrier}}{{args 1}}{{endfn}}')" '1 -:1:21: MPI_Barrier has no argument 1' 'an element that is not there'
is "$(fault '{{fn f MPI_Barrier}}{{get_arg -2}}{{endfn}}')" '1 -:1:21: MPI_Barrier has no argument -2' 'from the end, too'
is "$(text '{{def mine {{ret_type}}}}{{mine}} {{def v unsigned long}}{{v}} {{def l {{list {{args}} x}} }}({{l}}) {{filter ^d {{l}}}}')" 'int unsigned long (buf, count, datatype, dest, tag, comm, x) datatype, dest' 'def with a value: a text, words, a list'
is "$(wrap - <<<'{{def a 1}}{{foreachfn f MPI_Barrier MPI_Test}}{{def a {{f}}}}{{def comm c}}{{a}} {{comm}}; {{endforeachfn}}{{a}}')" 'MPI_Barrier c; MPI_Test c; 1' 'it holds in the turn where it stands, before arguments'
is "$(wrap - <<<'{{def comm outer}}{{fn f MPI_Barrier}}<{{comm}}>{{endfn}}{{comm}}' | grep -o '<.*>\|outer$' | tr '\n' ' ')" '<comm> outer ' 'an outer one does not hide an argument'
is "$(text '{{sub mine f ^MPI_ NQ_}}{{mine}} {{sub other text t+ u}}{{other}}')" 'NQ_Send uexu' 'sub that declares a name'
is "$(wrap - <<<'{{forallfn f}}{{fn_num}}{{fn_num}} {{endforallfn}}{{foreachfn g MPI_Send}}{{fn_num}}{{endforeachfn}}')" '01 23 45 67 89 1011 1213 1415 16' 'fn_num: one more at each use, in all loops'
is "$(wrap - <<<'{{forallfn f MPI_Send}}{{f}} {{endforallfn}}')" 'MPI_Barrier MPI_Finalize MPI_Comm_dup MPI_Comm_free MPI_Test MPI_Wtime MPI_Pcontrol ' 'all functions: without MPIX, MPI_T and conversions'
is "$(wrap --all - <<<'{{forallfn f MPI_Send}}{{f}} {{endforallfn}}')" 'MPI_Barrier MPI_Finalize MPI_Comm_dup MPI_Comm_free MPI_Test MPI_Wtime MPI_Pcontrol MPI_Comm_c2f MPI_Status_c2f08 MPI_T_finalize MPIX_Query ' '--all: with them'
is "$(wrap - <<<'{{foreachfn f MPI_Comm_c2f MPIX_Query}}{{f}} {{endforeachfn}}')" 'MPI_Comm_c2f MPIX_Query ' 'and where they are named'
is "$(wrap - <<<'{{fnalltype f MPI_Comm* MPI_Comm_free MPI_Session_finalize}}{{callfn}}{{endfnalltype}}' | grep '^int MPI'; sed 's/MPI_Sess/&/' err)" 'int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
-:1:39: warning: this MPI has no MPI_Session_finalize; skipped' 'fnalltype: what follows the type is left out'
is "$(wrap - <<<'{{fnallntype f MPI_Comm MPI_Finalize MPI_Status*}}{{callfn}}{{endfnallntype}}' | grep -oE '^[a-z]+ MPI_\w+')" 'int MPI_Comm_free
double MPI_Wtime
int MPI_Pcontrol' 'fnallntype: so too; a further type counts as one'
wrap - <<<'{{fnalltype f MPI_Session}}{{callfn}}{{endfnalltype}}' >out
is "$? $(cat err)" '0 -:1:15: warning: no function has an argument of the type MPI_Session' 'a type that no argument has'

# ---- regular expressions, as Python's ----
if [ "$(text '{{sub a a b}}')" = b ]; then
    is "$(text "{{sub {{f}} '(?i)mpi_(\\w+?)n' '<\\1>'}}")" '<Se>d' '(?i), \w, non-greedy'
    is "$(text "{{sub 'a1b22 c' '\\d+' '#'}} {{sub 'a  b' '\\s+' _}} {{sub 'foo bar' '\\b(?:f|b)' _}}")" 'a#b# c a_b _oo _ar' '\d, \s, \b, (?:...)'
    is "$(text "{{sub {{f}} '(?P<head>MPI)_(?=S)' '\\g<head>x\\g<1>\\\\'}}")" 'MPIxMPI\Send' 'groups by name, looking ahead'
    is "$(text "{{sub {{types}} '.*' {{ret_type}}}}")" 'int, int, int, int, int, int' 'what may be empty matches a text once'
    is "$(text "{{sub abc 'x*' -}} {{sub 'MPI_Status *s' 'MPI_Status \\*' ''}} {{sub ab 'b\\Z' x}} {{sub abab ^a x}}")" '-a-b-c- s ax xbab' 'empty matches; ends'
    is "$(fault "{{sub $(printf 'a%.0s' {1..50})b '(a+)+\$' x}}")" "1 -:1:1: '(a+)+\$': the regular expression takes too long" 'one that would take ages'
    is "$(fault "{{sub b b '\\1'}}")" "1 -:1:1: 'b': the replacement names a group that the regular expression does not have" 'a group that is not there'
else
    skip "regular expressions" "built without PCRE2"
fi

# ---- faults that help ----
is "$(fault '{{fn f MPI_Sned}}{{callfn}}{{endfn}}')" '1 -:1:8: no function MPI_Sned; did you mean MPI_Send?' 'an unknown function in fn'
is "$(fault '{{fn f MPI_Type_struct}}{{callfn}}{{endfn}}')" '0 -:1:8: warning: MPI_Type_struct was removed from MPI in 3.0, for MPI_Type_create_struct; skipped' 'one that MPI no longer has'
for dialect in classic wrap; do
    wrappergen --dialect=$dialect --keep-unknown -H mpi.i - <<<'{{fn f MPI_Sned MPI_Barrier}}{{callfn}}{{endfn}}' 2>err >out
    is "$? $(cat err)" '0 -:1:8: warning: no function MPI_Sned; skipped; did you mean MPI_Send?' "$dialect: with --keep-unknown a warning"
    for block in fn fnall foreachfn forallfn; do
        wrappergen --dialect=$dialect -H mpi.i - <<<"{{$block MPI_Send MPI_Barrier}}{{end$block}}" 2>err >out
        like "$? $(cat err)" "^1 -:1:1: \{\{$block\}\} needs a name for the function before its list; write \{\{$block f MPI_Send \.\.\.\}\}" "$dialect: $block without a name"
    done
    echo MPI_Barrier >only
    wrappergen --dialect=$dialect --no-prelude -H mpi.i -f only - <<<'{{fn f MPI_Send MPI_Barrier}}{{callfn}}{{endfn}}' 2>err >out
    is "$? $(cat err)" '0 -:1:8: warning: MPI_Send is left out; skipped' "$dialect: a function that -f leaves out"
    wrappergen --dialect=$dialect --no-prelude -H mpi.i - </dev/null >out 2>err; is "$? $(cat err out)" '0 ' "$dialect: an empty template"
    printf '\xef\xbb\xbf{{forallfn f}}{{endforallfn}}x' >bom.w
    is "$(wrappergen --dialect=$dialect --no-prelude -H mpi.i bom.w | od -c | head -n 1)" '0000000   x' "$dialect: a byte order mark is passed over"
    printf '{{fn f MPI_Barrier}}{{vardecl const char *const s = "x", *t, *volatile *u}}{{s}} {{t}} {{u}};{{callfn}}{{endfn}}' >q.w
    out=$(wrappergen --dialect=$dialect --no-prelude -H mpi.i q.w)
    like "$out" '^ *s t u;' "$dialect: vardecl with const behind the star"
    like "$out" '  const char \*const s = "x"' "$dialect: as it was written"
done
{ printf '\xef\xbb\xbf'; cat mpi.i; } >bom.i; printf '\xef\xbb\xbfMPI_Send send peer=dest\n' >bom.roles; printf '\xef\xbb\xbfMPI_Send\n' >bom.only
is "$(wrappergen -H bom.i -r bom.roles -f bom.only - <<<'{{foreachfn f @send}}{{f}}{{endforeachfn}}')" MPI_Send 'a byte order mark in header, table, list'
is "$(fault '{{args}}')" '1 -:1:1: {{args}} outside a wrapper or a loop' 'a word outside of any function'
is "$(fault '{{fn f MPI_Send}}{{args 0 1}}{{endfn}}')" '1 -:1:18: write {{args}} or {{args N}} for {{args}}' 'a known word with wrong words behind it'
is "$(fault '{{fn f MPI_Send}}{{what}}{{endfn}}')" '1 -:1:18: unknown escape {{what}} in the wrapper of MPI_Send' 'no hint where nothing is near'
is "$(fault '{{fn f MPI_Send}}{{ceant}}{{endfn}}')" '1 -:1:18: unknown escape {{ceant}} in the wrapper of MPI_Send' 'nor where it is two letters of five'
is "$(fault '{{fn f MPI_Send}}{{ret_tpe}}{{endfn}}')" '1 -:1:18: unknown escape {{ret_tpe}} in the wrapper of MPI_Send; did you mean ret_type?' 'else the nearest'
is "$(wrappergen -H mpi.i - 2>&1 <<<'{{fn f MPI_Send}}{{args}}{{callfn}}{{endfn}}' | head -n 1)" '-:1:18: {{args}} belongs to the other dialect; use --dialect=wrap' 'a word of the other dialect'
# Many wrappers of one function, all with a variable of one name.
for ((i = 0; i < 4000; i++)); do echo "{{fn f MPI_Send}}{{vardecl int i}}{{i}} = $i;{{callfn}}{{endfn}}"; done >many.w
is "$(wrappergen -H mpi.i many.w -o many.c 2>&1)$?" 0 '4000 wrappers of one function'
like "$(<many.c)" 'i3999;' 'each with a variable of its own'

# ---- -H: a header of another MPI than the compiler's, beside what it includes, behind a link ----
mkdir -p other/real other/link
echo '#include "part.h"' >other/real/mpi.h; echo '#include <more.h>' >other/link/part.h; printf '#define X\nint MPI_Other(int here);\n' >other/real/more.h
ln -s ../real/mpi.h other/link/mpi.h
for mpi in $(mpis); do
    is "$(MPICC=mpicc.$mpi wrappergen -H other/link/mpi.h --list)" MPI_Other "$mpi: -H: both folders of a header are searched"
done

# ---- whole templates: generated, and compiled as the originals' output would be ----
cat >trace.w <<'W'
#include <stdio.h>
#include "mpi.h"
/* classic: says when each call begins and ends */
{{fnall fn_name MPI_Pcontrol MPI_Type_count}}
/* {{fn_name}} - {{fn_name}} with two lines */
  {{vardecl int llrank, *const none = &llrank}}
  PMPI_Comm_rank(MPI_COMM_WORLD, &{{llrank}}); (void){{none}};
  printf("[%d] -> {{fn_name}} in {{fileno}}\n", {{llrank}});
  {{callfn}}
  printf("[%d] <- {{fn_name}}\n", {{llrank}});
{{endfnall}}
W
cat >waits.w <<'W'
/* classic: requests that are complete, behind another template */
static double waited_{{fileno}}; static int calls_{{fileno}}[{{fn_num}} + 2];
static void seen_{{fileno}}(MPI_Request *r, MPI_Status *s, const char *in) { calls_{{fileno}}[0] += r && s && in; }
{{forallfn fn_name MPI_Pcontrol}}static int {{fn_name}}_ncalls_{{fileno}};
{{endforallfn}}
{{foreachfn each mpi_send MPI_Recv}}static int again_{{each}}_{{fileno}} = {{fn_num}};
{{endforeachfn}}
{{fn this MPI_Waitsome MPI_Testsome}}
  {{vardecl int i, j}}{{vardecl const char *const name = "{{this}}"}}
  {{vardecl double begin}}
  {{begin}} = PMPI_Wtime();
  {{callfn}}
  for ({{i}} = 0; {{i}} < *{{outcount}}; {{i}}++)
    seen_{{fileno}}(&({{array_of_requests}}[{{array_of_indices}}[{{i}}]]), &{{array_of_statuses}}[{{i}}], "{{this}}");
  waited_{{fileno}} += PMPI_Wtime() - {{begin}} + ({{returnVal}} != MPI_SUCCESS) + ({{j}} = {{0}});
{{endfn}}
{{fnall f MPI_Pcontrol}}{{callfn}} {{f}}_ncalls_{{fileno}}++;{{endfnall}}
{{fn f mpi_send MPI_Recv}}{{callfn}} again_{{f}}_{{fileno}}++;{{endfn}}
W
sed -i 's/{{vardecl const char \*const name = "{{this}}"}}/{{vardecl const char *const name = ""}}(void){{name}};/' waits.w
cat >swap.w <<'W'
// wrap, in C++ or C: another communicator in place of the world
#ifdef __cplusplus
inline void swap_world(MPI_Comm &comm, MPI_Comm to) { if (comm == MPI_COMM_WORLD) comm = to; }
#else
#define swap_world(comm, to) do { if (comm == MPI_COMM_WORLD) comm = to; } while (0)
#endif
static MPI_Comm world = MPI_COMM_NULL;
#define swap(comm) swap_world(comm, world)
{{fn func MPI_Init}}{
  // {{callfn}} stays a comment
  {{callfn}}
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &world);
}{{endfn}}
{{fn func MPI_Init_thread}}
  if (!getenv("SWAP")) {
    *{{3}} = MPI_THREAD_SINGLE;
    return MPI_SUCCESS;
  }
  {{callfn}}
{{endfn}}
{{fnall func MPI_Init MPI_Init_thread MPI_Session_finalize}}{
  {{applyToType MPI_Comm swap}}
  {{callfn}}
}{{endfnall}}
W
cat >counts.w <<'W'
/* wrap: names, numbers and a table of all functions */
enum { {{forallfn foo }}
  {{sub {{foo}} MPI_ COUNT_MPI_}},{{endforallfn}}
  COUNTS
};
static const char *const names[] = { {{forallfn foo}}"{{sub {{foo}} '(?i)^mpi_(\w+?)$' '\1'}}",
{{endforallfn}} 0 };
struct counters { {{forallfn foo}}long {{foo}}; {{endforallfn}} };
static struct counters counters;
{{forallfn foo}}#define {{foo}}_ID {{fn_num}}
{{endforallfn}}
{{fn foo MPI_Finalize}}{
  {{forallfn each MPI_Pcontrol}}if (counters.{{each}} > 0) printf("%ld %s %d\n", counters.{{each}}, names[{{each}}_ID], COUNTS);
  {{endforallfn}}{{callfn}}
}{{endfn}}
{{fnall foo MPI_Finalize MPI_Pcontrol}}
  {{def real {{sub {{foo}} '^M' PM}}}}
  counters.{{foo}}++;
  WRAP_MPI_CALL_PREFIX
  {{ret_type}} ret = {{real}}({{args}});
  WRAP_MPI_CALL_POSTFIX
  return ret;
{{endfnall}}
W
cat >redirect.w <<'W'
/* wrap: loops that write functions of other names, their types, and tables of them; then of the same names */
{{forallfn fn_name MPI_Pcontrol}}
typedef {{ret_type}} (*type_{{fn_name}})({{formals}});
_EXTERN_C_ {{ret_type}} {{sub {{fn_name}} '^MPI_' NQJ_}}({{formals}});
{{ret_type}} X{{fn_name}}_NewStack({{list "int stack" {{formals}}}})
{
  (void)stack;
  WRAP_MPI_CALL_PREFIX
  return P{{fn_name}}({{args}});
  WRAP_MPI_CALL_POSTFIX
}
{{endforallfn}}
struct table { {{forallfn f MPI_Pcontrol}}type_{{f}} *of_{{f}};
{{endforallfn}} };
{{forallfn fn_name MPI_Init MPI_Pcontrol MPI_Finalize}}
#define Internal_{{fn_name}} {{fn_num}}
{{retType}} {{fn_name}}{{argTypeList}}
{
  WRAP_MPI_CALL_PREFIX
  return P{{fn_name}}{{argList}};
  WRAP_MPI_CALL_POSTFIX
}
{{endforallfn}}
{{foreachfn foo MPI_Send MPI_Recv}}
{{ret_type}} Y{{foo}}({{zip {{types}} {{args}}}});
{{ret_type}} Z{{foo}}({{zip {{sub {{types}} '^MPI_Data.*' MPI_Op}} {{args}}}}, {{types 0}}x, {{formals 1}}x);
{{endforeachfn}}
W
cat >kinds.w <<'W'
/* wrap: by the types of arguments */
static int started, known; static void made(MPI_Request *r, MPI_Comm *c) { started += r != 0; known += c != 0; }
#define preComm(c) (void)(c)
#define postComm(c) made(0, c)
#define postRequest(r) made(r, 0)
{{fnalltype fn_name MPI_Request* MPI_Start MPI_Cancel MPI_Request_free MPI_Wait MPI_Test}}
  {{apply_to_type MPI_Comm preComm}}
  {{ret_val}} = P{{fn_name}}({{args}});
  {{apply_to_type MPI_Request* postRequest}} {{apply_to_type MPI_Comm* postComm}}
{{endfnalltype}}
{{fnallntype fn_name MPI_Request* MPI_Pcontrol MPI_Address MPI_Session_finalize MPI_Aint_add MPI_Start MPI_Cancel MPI_Wait}}
  {{apply_to_type MPI_Comm preComm}}
  if (known) { {{callfn}} } else {{callfn}}
  {{apply_to_type MPI_Comm* postComm}}
{{endfnallntype}}
{{fn f MPI_Pcontrol}}known += {{0}} + {{nargs}}; {{endfn}}
W
cat >ignore.w <<'W'
/* wrap: statuses that programs ignore; texts and lists over several lines */
{{fn fn_name MPI_Probe
             MPI_Recv MPI_Wait }}
{
  MPI_Status *cur = {{sub
                      {{filter '^(const +)?MPI_Status' {{formals}} }}
                      'MPI_Status \*'
                      ''
                    }};
  MPI_Status own;
  if (cur == MPI_STATUS_IGNORE)
    {{sub {{filter '^(const +)?MPI_Status' {{formals}} }} 'MPI_Status \*' ''}} = &own;
  {{callfn}}
} {{endfn}}
{{fn fn_name MPI_Waitall}}
  if ({{get_arg -1}} == MPI_STATUSES_IGNORE && {{args 0}} > 0)
    {{args -1}} = ({{sub {{types -1}} '\s*(\[\]|\*)' ''}} *)malloc(sizeof(MPI_Status) * (size_t){{args 0}});
  {{callfn}}
{{endfn}}
W
for mpi in $(mpis); do
    export MPICC=mpicc.$mpi
    warn=(-Wall -Wextra -Wno-deprecated-declarations -Wno-unused -Werror)
    wrappergen trace.w waits.w -o out.c 2>err && "$MPICC" "${warn[@]}" -c out.c 2>>err
    is "$? $(sed "s,MPI_Type_[a-z]*?$,MPI_Type_..?," err)" "0 trace.w:4:30: warning: no function MPI_Type_count; skipped; did you mean MPI_Type_..?" "$mpi: classic templates, nested" || head -n 5 err
    for kind in swap counts redirect kinds ignore; do
        wrappergen --dialect=wrap "$kind.w" -o out.c 2>err; status=$?
        is "$status $(grep -v ': warning: ' err)" "0 " "$mpi: $kind is generated"
        "$MPICC" "${warn[@]}" -c out.c 2>err; is "$?$(head -n 5 err)" 0 "$mpi: and compiles as C"
        [ -e "$build/lib/pith/$mpi/libpith-cxx.so" ] || continue
        "mpicxx.$mpi" -Wall -Wno-deprecated-declarations -Wno-unused -Werror -x c++ -c out.c 2>err; is "$?$(head -n 5 err)" 0 "$mpi: and as C++"
    done
    wrappergen --dialect=wrap --fortran --guard swap.w -o out.c 2>err && "$MPICC" "${warn[@]}" -c out.c 2>err
    is "$?$(head -n 5 err)" 0 "$mpi: swap with Fortran entries and guards, as C"
    [ ! -e "$build/lib/pith/$mpi/libpith-cxx.so" ] || "mpicxx.$mpi" -Wall -Wno-deprecated-declarations -Wno-unused -Werror -x c++ -c out.c 2>err
    is "$?$(head -n 5 err)" 0 "$mpi: and as C++"
    wrappergen --dialect=wrap - -o out.c <<<'{{fn f MPI_Barrier}}{{callfn}}{{endfn}}' && "$MPICC" "${warn[@]}" -c out.c 2>err
    is "$?$(cat err)" 0 "$mpi: one wrapper and nothing else"
    wrappergen --dialect=wrap -w - -o out.c <<<'{{fnall f}}{{callfn}}{{endfnall}}' && "$MPICC" -Wall -Werror -c out.c 2>err
    is "$?$(head -n 5 err)" 0 "$mpi: -w: no warning of deprecated functions"
    is "$(wrappergen --dialect=wrap --no-prelude - <<<'{{forallfn f}}{{f}}
{{endforallfn}}')" "$(wrappergen --list | grep -vE '^MPIX_|^MPI_T_|(c2f|f2c|2f08|f082c|f082f)$')" "$mpi: all functions are those of the library, but for MPIX, MPI_T and conversions"
    like "$(wrappergen --dialect=wrap --no-prelude - <<<'{{forallfn fun}}<f name="{{fun}}" args="{{args}}"/>
{{endforallfn}}')" '^<f name="MPI_Send" args="buf, count, datatype, dest, tag, comm"/>$' "$mpi: what is no C"
done
finish
