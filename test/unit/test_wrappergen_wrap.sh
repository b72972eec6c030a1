#!/usr/bin/env bash
# wrappergen: the wrap dialect, prototype files, the standard's names of arguments, --guard, --fortran.
. "$(dirname "$0")/../lib.sh"

cat >mpi.i <<'E1'
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Barrier(MPI_Comm comm);
double MPI_Wtime(void);
void MPI_Nothing(int i);
int MPI_Cart_create(MPI_Comm old_comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *comm_cart);
int MPI_Cart_create_c(MPI_Comm old_comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *comm_cart);
int MPI_Waitany(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status);
int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup);
int MPI_Pcontrol(const int level, ...);
E1
wrap() { wrappergen --dialect=wrap --no-prelude -H mpi.i "$@" 2>err; }
classic() { wrappergen -H mpi.i "$@" 2>err; }
body() { sed -n "/ $1(/,/^}/p" | tr -s ' \n' ' '; }
# text TEMPLATE: the generated body of a wrapper of MPI_Send, in one line
text() { wrap - <<<"{{fn f MPI_Send}}[$1]{{endfn}}" | sed -n 's/^\[\(.*\)\]$/\1/p'; }

# ---- wrappers stand where they are, with any number of calls ----
out=$(wrap - <<<'before
{{fn f MPI_Barrier MPI_Nothing MPI_Wtime}}  if (x) { {{callfn}} } else { {{callfn}}; }
{{endfn}}
after
{{fn f MPI_Send}}  /* no call */ {{ret_val}} = 3;
{{endfn}}')
is "$out" 'before

int MPI_Barrier(MPI_Comm comm)
{
  int returnVal = 0;
  if (x) { returnVal = PMPI_Barrier(comm); } else { returnVal = PMPI_Barrier(comm); }

  return returnVal;
}

double MPI_Wtime(void)
{
  double returnVal = 0;
  if (x) { returnVal = PMPI_Wtime(); } else { returnVal = PMPI_Wtime(); }

  return returnVal;
}

void MPI_Nothing(int i)
{
  if (x) { PMPI_Nothing(i); } else { PMPI_Nothing(i); }

}

after

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
  int returnVal = 0;
  /* no call */ returnVal = 3;

  return returnVal;
}' 'fn: whole functions in place, callfn twice or not at all'

# ---- values of words ----
is "$(text '{{f}} {{fn_name}} {{ret_type}} {{ret_val}} {{returnVal}} {{nargs}}')" 'MPI_Send MPI_Send int returnVal returnVal 6' 'names and numbers'
is "$(text '{{formals}}')" 'const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm' formals
is "$(text '{{args}} | {{types}}')" 'buf, count, datatype, dest, tag, comm | const void *, int, MPI_Datatype, int, int, MPI_Comm' 'args, types'
is "$(text '{{0}} {{5}} {{dest}} {{get_arg 1}} {{get_arg tag}}')" 'buf comm dest count tag' 'arguments by number and by name'
is "$(text '{{apply_to_type MPI_Comm note}} {{apply_to_type int use}} {{apply_to_type '"'const void *'"' see}}{{apply_to_type MPI_Win no}}')" 'note(comm); use(count); use(dest); use(tag); see(buf);' 'apply_to_type'
is "$(text '{{def show}}<{{arg}} of {{fn_name}}>{{enddef}}{{apply_to_type int show}}')" '<count of MPI_Send> <dest of MPI_Send> <tag of MPI_Send>' 'apply_to_type with a def'
is "$(text '{{sub {{fn_name}} '"'^MPI_(.)' 'my_\\1'"'}} {{sub '"'a b'"' b '"'c d'"'}} {{sub aaa a bb}} {{sub {{args}} t T}}')" 'my_Send a c d bbbbbb buf, counT, daTaType, desT, Tag, comm' 'sub: groups, quotes, everywhere, lists'
is "$(text '{{zip {{types}} {{args}}}}')" 'const void * buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm' 'zip'
is "$(text '{{list a '"'b c'"' {{args}}}} / {{filter ^[dt] {{args}}}} / {{filter x {{args}}}}')" 'a, b c, buf, count, datatype, dest, tag, comm / datatype, dest, tag / ' 'list, filter'
is "$(text '{{list {{sub {{filter t$ {{list {{args}}}}}} ^ _}}}}')" '_count, _dest' 'escapes inside escapes inside escapes'
is "$(text '{{def twice}}{{one}}{{one}}{{enddef}}{{def one}}({{0}}){{enddef}}{{twice}}')" '(buf)(buf)' 'def: evaluated where it is used'
is "$(text '/* {{0}} */ "// {{0}}" '"'\"'"' {{0}} {{{{ /*/ {{0}}*/')" '/* {{0}} */ "// buf" '"'\"'"' buf {{ /*/ {{0}}*/' 'comments are left alone, texts and characters are none'
is "$(wrap - <<<'{{fn f MPI_Barrier MPI_Wtime}}<{{fn_num}} {{fn_num}} {{fn_id}}>{{endfn}}{{fn f MPI_Send}}<{{fn_num}} {{fn_id}}>{{endfn}}' | grep -o '<.*>' | tr '\n' ' ')" '<0 1 2> <2 3 3> <4 0> ' 'fn_num: one more at each use; fn_id: of the function'
is "$(wrap - <<<'{{forallfn f MPI_Send}}{{f}}{{fn_num}} {{endforallfn}}' | head -n 1)" 'MPI_Recv0 MPI_Barrier1 MPI_Wtime2 MPI_Nothing3 MPI_Cart_create4 MPI_Cart_create_c5 MPI_Waitany6 MPI_Group_range_excl7 MPI_Pcontrol8 ' 'forallfn with an exception'
is "$(wrap - <<<'{{foreachfn f MPI_Send mpi_barrier}}{{ret_type}} {{f}}({{formals}}) {{forallfn g {{f}} MPI_Recv}}{{sub {{g}} MPI_W.* !}}{{endforallfn}}; {{endforallfn}}{{endforeachfn}}' | wc -l; head -n 1 err)" '0
-:1:138: {{endforallfn}} without {{forallfn}} before it' 'a stray end'
is "$(wrap - <<<'{{foreachfn f MPI_Wtime mpi_send}}{{ret_type}} {{f}}({{formals}}); {{endforeachfn}}')" 'double MPI_Wtime(void); int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm); ' 'foreachfn in the order of the list'
is "$(wrap - <<<'{{fnalltype f MPI_Comm '"'MPI_Status*'"'}}{{callfn}}{{endfnalltype}}' | grep -oE '^int MPI_\w+' | tr '\n' ' ')" 'int MPI_Send int MPI_Recv int MPI_Barrier int MPI_Cart_create int MPI_Cart_create_c int MPI_Waitany ' 'fnalltype'
is "$(wrap - <<<'{{fnallntype f MPI_Comm MPI_Status*}}{{callfn}}{{endfnallntype}}' | grep -oE '^\w+ MPI_\w+' | tr '\n' ' ')" 'double MPI_Wtime void MPI_Nothing int MPI_Group_range_excl int MPI_Pcontrol ' 'fnallntype'
like "$(wrap - <<<'{{fn f MPI_Group_range_excl}}{{types}}{{endfn}}')" '^MPI_Group, int, int \[\]\[3\], MPI_Group \*$' 'types of arrays'
is "$(wrap - <<<'{{fn f MPI_Send}}{{vardecl int a, *count[2]}}{{a}} {{count}} {{1}}{{endfn}}' | sed -n '3,8p')" '{
  int returnVal = 0;
  int a;
  int *count1[2];
a count1 count
  return returnVal;' 'vardecl: at the top; a name that an argument has gets a number'
is "$(wrap - <<<'{{def keep}}{{vardecl int a}}{{a}}; {{enddef}}{{fn f MPI_Barrier}}{{b}} {{keep}}{{keep}}{{foreachfn g MPI_Send MPI_Recv}}{{vardecl int b}}{{endforeachfn}}{{endfn}}' | sed -n '5,7p')" '  int b;
  int a;
b a; a; ' 'vardecl: after the use, in a loop, in a def that is used twice'
wrap - <<<'{{def keep}}{{vardecl int a}}{{enddef}}{{fn f MPI_Barrier}}{{vardecl int a}}{{keep}}{{endfn}}{{keep}}' >out
is "$? $(cat err)" '1 -:1:13: a is already declared in this wrapper
wrappergen: 1 error, nothing written' 'vardecl: of a def and of its wrapper, with one name'
wrap - <<<'{{vardecl int a}}{{def keep}}{{vardecl int a}}{{enddef}}{{keep}}' >out
is "$? $(cat err)" '1 -:1:1: {{vardecl}} outside {{fn}} and {{fnall}}
-:1:30: {{vardecl}} outside {{fn}} and {{fnall}}
wrappergen: 2 errors, nothing written' 'vardecl: outside'
echo 'MPI_Send send peer=dest colour:blue' >roles
is "$(wrap -r roles - <<<'{{foreachfn g @send}}{{colour g}} {{endforeachfn}}{{fn f MPI_Send}}{{peer}} {{source|0}} {{tag|1}}{{endfn}}' | grep -o 'blue\|dest .*' | tr '\n' ' ')" 'blue dest 0 tag ' 'roles, and a text where a word has no value'
is "$(wrap - <<<'{{fn f {{sub MPI_Xend X S}} {{list MPI_Recv}}}}{{callfn}}{{endfn}}' | grep -c '^int')" 2 'lists of functions made by escapes'

# ---- errors: all in one run ----
cat >bad.w <<'E1'
{{fn f MPI_Send}} {{dst}} {{sub a}} {{sub a (( b}} {{sub a (a*)* b}} {{get_arg 9}}
{{forallfn g}}
{{endfn}}
{{fnall g}}{{dst}}{{callfn}}{{endfnall}} {{endfnall}} {{callfn}} {{formals}} {{ }} {{fn}}{{endfn}}
{{def x}}{{x}}{{enddef}}{{x}} {{foreachfn f MPI_None}}{{endforeachfn}} {{forallfn f}}{{fn g MPI_Recv}}{{endfn}}{{endforallfn}} {{
E1
wrap -o none.c bad.w >out; status=$?
is "$status $(ls none* 2>/dev/null)$(cat out)" '1 ' 'faults: exit 1, nothing written'
is "$(cat err)" "bad.w:2:1: {{forallfn}} without {{endforallfn}}; add it
bad.w:4:42: {{endfnall}} without {{fnall}} before it
bad.w:4:78: an empty escape; write {{{{ for two braces
bad.w:4:84: {{fn}} needs a name; write {{fn NAME ...}}
bad.w:5:86: {{fn}} inside {{forallfn}}; wrappers belong on the outermost level
bad.w:5:128: {{ without }}; write {{{{ for two braces
bad.w:1:19: unknown escape {{dst}} in the wrapper of MPI_Send; did you mean dest?
bad.w:1:27: write {{sub TEXT REGEX REPLACEMENT}}, {{filter REGEX LIST}} or {{zip LIST LIST}}
bad.w:1:37: '((': missing closing parenthesis
bad.w:1:70: MPI_Send has no argument 9
bad.w:4:1: MPI_Send already has a wrapper, at bad.w:1; this dialect allows one (they nest with --dialect=classic)
bad.w:4:12: unknown escape {{dst}} in the wrapper of MPI_Recv
bad.w:4:55: {{callfn}} outside {{fn}} and {{fnall}}
bad.w:4:66: {{formals}} outside a wrapper or a loop
bad.w:5:10: {{x}} uses itself endlessly
bad.w:5:45: warning: no function MPI_None; skipped
wrappergen: 15 errors, nothing written" 'each once, with file, line, column and what to do'
classic - <<<'{{fn f MPI_Send}}{{formals}} {{sub a b c}} {{list {{args}}}} {{callfn}} {{callfn}}{{endfn}}' >out
is "$? $(cat err)" '1 -:1:44: an escape inside an escape belongs to the other dialect; use --dialect=wrap
-:1:73: a second {{callfn}} in one wrapper; the call is made once (any number: --dialect=wrap)
-:1:18: {{formals}} belongs to the other dialect; use --dialect=wrap
-:1:30: {{sub}} belongs to the other dialect; use --dialect=wrap
wrappergen: 4 errors, nothing written' 'what only the wrap dialect has: told so, with the flag'
classic - <<<'{{fn f MPI_Nothing}}{{returnVal}}{{callfn}}{{endfn}}'; is "$? $(head -n 1 err)" '1 -:1:21: MPI_Nothing returns nothing; leave it out of this wrapper' 'the result of a function without one'
classic - <<<'{{fnall f}}{{dst}}{{callfn}}{{endfnall}}'; is "$(wc -l <err)" 2 'a fault in a wrapper of all functions is told once'
printf '{{forallfn a}}{{forallfn b}}{{forallfn c}}{{forallfn d}}{{forallfn e}}{{forallfn g}}{{forallfn h}}{{forallfn i}}{{endforallfn}}{{endforallfn}}{{endforallfn}}{{endforallfn}}{{endforallfn}}{{endforallfn}}{{endforallfn}}{{endforallfn}}' >deep.w
for dialect in classic wrap; do
    wrappergen --dialect=$dialect -H mpi.i deep.w >out 2>err
    is "$? $(grep -c 'expands endlessly: more than 3000000 expansions' err)" '1 1' "$dialect: an endless template is stopped"
done
{ printf '{{list %.0s' {1..500}; printf '}}%.0s' {1..500}; } >nested.w
wrap nested.w; is "$? $(head -n 1 err)" '1 nested.w:1:701: blocks and escapes are nested deeper than 100' 'escapes inside escapes have an end'
printf '{{forallfn f%d}}' {1..500} >nested.w
wrap nested.w; is "$? $(grep -o 'blocks and escapes.*' err)" '1 blocks and escapes are nested deeper than 100' 'blocks too'
printf '{{nosuch}}%.0s' {1..700} >many.w
classic many.w; is "$? $(wc -l <err) $(tail -n 1 err)" '1 502 wrappergen: 700 errors, nothing written' 'of very many errors 500 are told'
wrappergen --dialect=other -H mpi.i deep.w 2>err; is "$? $(cat err)" '2 wrappergen: no dialect other (classic, wrap); see wrappergen -h' 'no such dialect'

# ---- the standard's names ----
out=$(classic - <<<'{{fn f MPI_Cart_create MPI_Cart_create_c}}[{{comm_old}} {{old_comm}}]{{callfn}}{{endfn}}{{fn f MPI_Waitany}}[{{index}} {{indx}}]{{callfn}}{{endfn}}')
is "$(grep -o '^\[.*\]' <<<"$out" | tr '\n' ' ')" '[comm_old comm_old] [comm_old comm_old] [index index] ' 'the name in the standard, and the header'"'"'s, both work'
like "$out" '^int MPI_Cart_create\(MPI_Comm comm_old, int ndims' 'the generated function has the standard name'

# ---- prototype files ----
cat >protos <<'E1'
3
int
MPI_Send
3
void *
buf
int
int
count
int
int
ranges
[3]
double
MPI_Wtime
0
int
MPI_Waitall
2
int
count
int
MPI_Request
list
arr
E1
out=$(wrappergen -p protos - 2>err <<<'{{fnall f}}[{{0}}{{callfn}}{{endfnall}}' 2>&1); is "$(head -n 1 <<<"$out")" '-:1:13: MPI_Wtime has no argument 0' 'an argument number that is too large'
out=$(wrappergen -p protos - <<<'{{fnall f}}{{callfn}}{{endfnall}}')
is "$(grep -E '^[a-z].*\(' <<<"$out")" 'int MPI_Send(void *buf, int count, int ranges[3])
double MPI_Wtime(void)
int MPI_Waitall(int count, MPI_Request list[])' '-p: a classic prototype file'
for wrong in '' x 2 '1\nint\nMPI_X\n2\nint\na\nint\n' '1\nint\nMPI_X\n1\nint\na b\nint\n' '1\nint\nMPI_X\n1\nint\na\n(3)\n' '2\nint\nMPI_X\n0\nint\nMPI_X\n0\n' '1\nint\nMPI_X\n-1\n'; do
    printf "$wrong" >bad; wrappergen -p bad - <<<'' >out 2>>allerr; echo "$?" >>allerr
done
is "$(cat allerr)" "bad:1:1: the file ends where the number of functions should be
wrappergen: 1 error, nothing written
1
bad:1:1: 'x' should be the number of functions, a number up to 100000
wrappergen: 1 error, nothing written
1
bad:1:1: the type of a result is missing
wrappergen: 1 error, nothing written
1
bad:7:1: the type of an argument is missing
wrappergen: 1 error, nothing written
1
bad:6:1: 'a b' should be the name of an argument
wrappergen: 1 error, nothing written
1
bad:7:1: '(3)' cannot follow the argument a; write int, arr, or [3]
wrappergen: 1 error, nothing written
1
bad:6:1: MPI_X already has a prototype
wrappergen: 1 error, nothing written
1
bad:4:1: '-1' should be the number of arguments, a number up to 1000
wrappergen: 1 error, nothing written
1" 'its faults'
wrappergen -p protos -H mpi.i - 2>err <<<''; is "$? $(cat err)" '2 wrappergen: -p and -H exclude each other; see wrappergen -h' '-p and -H'

# ---- --guard ----
is "$(classic --guard - <<<'{{fn f MPI_Barrier MPI_Nothing}}x{{callfn}}y{{endfn}}' | body MPI_Nothing)" 'void MPI_Nothing(int i) { if (wrappergen_inside) { PMPI_Nothing(i); return; } __attribute__((unused, cleanup(wrappergen_leave))) int wrappergen_outer = wrappergen_inside++; x PMPI_Nothing(i); y } ' '--guard: a call inside goes straight on'
cat >guard.w <<'E1'
int MPI_Barrier(int comm); int MPI_Poke(int to);
int PMPI_Barrier(int comm); int PMPI_Poke(int to);
extern int printf(const char *, ...);
{{fnall f}}{{vardecl int r}}{{r}} = 0; printf("+{{f}} ");{{callfn}}printf("-{{f}} ");{{endfnall}}
int PMPI_Barrier(int comm) { MPI_Poke(1); return comm; }
int PMPI_Poke(int to) { printf("poke "); return to; }
int main(void) { MPI_Barrier(3); MPI_Poke(4); return 0; }
E1
echo 'int MPI_Barrier(int comm); int MPI_Poke(int to);' >two.i
for guard in '' --guard; do wrappergen $guard -H two.i guard.w -o guard.c && cc -w -o guard guard.c && ./guard >>guarded; echo >>guarded; done
is "$(sed 's/ $//' guarded)" '+MPI_Barrier +MPI_Poke poke -MPI_Poke -MPI_Barrier +MPI_Poke poke -MPI_Poke
+MPI_Barrier poke -MPI_Barrier +MPI_Poke poke -MPI_Poke' 'and when it runs'

# ---- every function of the installed MPIs, in both dialects ----
cat >all.w <<'E1'
#include <mpi.h>
#undef MPI_Aint_add
#undef MPI_Aint_diff
static long calls[1000];
{{fnall f MPI_Wtime}}  if (calls[{{fn_id}}]++ % 2) { {{callfn}} } else { {{callfn}} }
{{endfnall}}
E1
cat >some.w <<'E1'
#include <mpi.h>
#undef MPI_Aint_add
#undef MPI_Aint_diff
static long calls[1000];
{{fnall f}}{{vardecl int n}}{{n}} = {{fn_num}}; {{callfn}} calls[{{n}}]++;{{endfnall}}
E1
for mpi in $(mpis); do
    i="$build/gen/$mpi/mpi.i" exported="$build/gen/$mpi/exported"
    warnings=(-Wall -Wextra -Wstrict-prototypes -Wno-deprecated-declarations -Werror)
    wrappergen --dialect=wrap --guard -H "$i" all.w -o all.c && "mpicc.$mpi" "${warnings[@]}" -c all.c 2>err
    is "$?$(head -n 3 err)" 0 "$mpi: wrap dialect, --guard: no warning for any function"
    MPICC="mpicc.$mpi" wrappergen --fortran --exports "$exported" some.w -o some.c && "mpicc.$mpi" "${warnings[@]}" -c some.c 2>err
    is "$?$(head -n 3 err)" 0 "$mpi: --fortran: no warning for any function"
    nm some.o | awk '$2 == "T" { print $3 }' >defined
    is "$(grep -cxE '(mpi_send_?_?|MPI_SEND|MPI_Send|mpi_wtime_|mpi_init_|mpi_comm_spawn_)' defined)" "$(grep -qx pmpi_send_ "$exported" && echo 8 || echo 1)" "$mpi: with entries of four spellings"
done
finish
