#!/usr/bin/env bash
# wrappergen --cxx: member functions of the C++ bindings from templates for C, and errors in the table. test_cxx_profiled.sh
# tests that these functions compile and record.
. "$(dirname "$0")/../lib.sh"

cat >mpi.i <<'E1'
typedef int MPI_Comm; typedef int MPI_Datatype; typedef int MPI_Request; typedef struct MPI_Status { int a; } MPI_Status;
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);
int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Op_create(int (*function)(void *, int), int commute, int *op);
double MPI_Wtime(void);
E1
cat >bindings.table <<'E1'
# a comment
class Status MPI_Status -
class Datatype MPI_Datatype MPI_DATATYPE_NULL
class Request MPI_Request MPI_REQUEST_NULL
class Comm MPI_Comm MPI_COMM_NULL
class Intracomm : Comm
class Op MPI_Op MPI_OP_NULL
Comm + typedef int something;
Comm | void Send(const void* buf, int count, const Datatype& datatype, int dest, int tag) const | MPI_Send buf count datatype dest tag this
Comm | void Recv(void* buf, int count, const Datatype& datatype, int source, int tag, Status& status) const | MPI_Recv buf count datatype source tag this status
Comm | void Recv(void* buf, int count, const Datatype& datatype, int source, int tag) const | MPI_Recv buf count datatype source tag this MPI_STATUS_IGNORE
Comm | int Get_rank(int nobody) const | MPI_Comm_rank this return
Intracomm | Intracomm Dup() const | MPI_Comm_dup this return
Intracomm | Intracomm& Clone() const | MPI_Comm_dup this return | clone
Request | void Wait() | MPI_Wait &this MPI_STATUS_IGNORE
Request | static void Waitall(int count, Request array_of_requests[], Status array_of_statuses[]) | MPI_Waitall count array_of_requests[count] array_of_statuses[count]
Op | void Init(User_function* function, bool commute) | MPI_Op_create | hand
Comm | void Absent(int i) | MPI_Absent i
- | double Wtime() | MPI_Wtime | value anytime
E1
# gen TEMPLATE...: prints the output, and writes the standard error to err; member NAME: the functions of that name, a line
# each
gen() { wrappergen --cxx --bindings bindings.table -H mpi.i "$@" 2>err; }
member() { awk -v name=" $1(" 'index($0, name) && !/;$/ { on = 1 } on { printf "%s ", $0 } on && /^}/ { on = 0; print "" }' | tr -s ' ' | sed 's/ $//'; }

cat >count.w <<'E1'
{{foreachfn f MPI_Send MPI_Recv}}static long calls_{{f}};
{{endforeachfn}}
{{fn f MPI_Send MPI_Recv}}{{vardecl double begin}}
  {{begin}} = now(); calls_{{f}}++;
  {{callfn}}
  say("{{f}} of {{count}}", {{count}}, {{comm}}, {{begin}}, {{returnVal}});
{{endfn}}
E1
gen count.w >out; is "$? $(cat err)" "0 " "a template of C, unchanged"
is "$(member MPI::Comm::Send <out)" 'void MPI::Comm::Send(const void* cxx_buf, int cxx_count, const Datatype& cxx_datatype, int cxx_dest, int cxx_tag) const { pith_cxx::begin_call(); int returnVal; const void *buf = (const void *)cxx_buf; int count = cxx_count; MPI_Datatype datatype = cxx_datatype; int dest = cxx_dest; int tag = cxx_tag; MPI_Comm comm = *this; double begin; begin = now(); calls_MPI_Send++; returnVal = MPI_Send(buf, count, datatype, dest, tag, comm); say("MPI::Comm::Send of count", count, comm, begin, returnVal); pith_cxx::end_call(returnVal); return; }' "a member: C's arguments, before, the call, after"
is "$(grep -c '^static long calls_MPI_' out) $(grep -c '^void MPI::Comm::Recv(' out)" "2 2" "loops name C functions; each overload has a wrapper"
like "$(member MPI::Comm::Recv <out | head -n 1)" 'MPI_Status c_status = cxx_status; MPI_Status \*status = &c_status;.*MPI_Recv\(.*, status\);.* cxx_status = c_status; pith_cxx::end_call' "a status goes in and out"
like "$(member MPI::Comm::Recv <out | tail -n 1)" 'MPI_Status \*status = MPI_STATUS_IGNORE;' "or is ignored"

gen - >out <<<'{{fnall f}}a("{{f}}");{{callfn}}z("\"{{f}}", {{f}});{{endfnall}}'
is "$(grep -o 'a("MPI::[^"]*"' out | grep -o '"[^"]*"' | tr -d '"' | tr '\n' ' ')" "MPI::Comm::Send MPI::Comm::Recv MPI::Comm::Recv MPI::Comm::Get_rank MPI::Intracomm::Dup MPI::Intracomm::Clone MPI::Request::Waitall MPI::Request::Wait MPI::Op::Init MPI::Wtime " "fnall: every member whose function is there, by its own name"
is "$(grep -c 'z("\\"MPI::.*", MPI_' out)" 10 "its own name where it is to be read, C's elsewhere"
like "$(member MPI::Comm::Get_rank <out)" '^int MPI::Comm::Get_rank\(int \) const .*int c_rank = \{\}; int \*rank = &c_rank; .*end_call\(returnVal\); return c_rank; \}$' "a value is returned"
like "$(member MPI::Intracomm::Dup <out)" '^MPI::Intracomm MPI::Intracomm::Dup\(\) const .*return c_newcomm; \}$' "a handle too"
like "$(member MPI::Intracomm::Clone <out)" 'return \*new MPI::Intracomm\(c_newcomm\); \}$' "Clone's is new"
like "$(member MPI::Request::Wait <out)" 'MPI_Request c_request = \*this; MPI_Request \*request = &c_request;.*\*this = c_request;' "the object itself may change"
like "$(member MPI::Request::Waitall <out)" 'std::vector<MPI_Request> c_array_of_requests\(cxx_array_of_requests, .*std::copy\(c_array_of_statuses.begin\(\)' "arrays are copied"
like "$(member MPI::Op::Init <out)" 'try \{ this->pmpi\(\).Init\(cxx_function, cxx_commute\); \} catch .*std::rethrow_exception' "what takes callbacks calls its twin"
is "$(member MPI::Wtime <out)" 'double MPI::Wtime() { double returnVal; a("MPI::Wtime"); returnVal = MPI_Wtime(); z("\"MPI::Wtime", MPI_Wtime); return returnVal; }' "a function of the namespace, without an error code"

gen prof1.w prof2.w >out 2>&1 <<<''; is $? 1 "a template that is not there"
echo '{{fn f MPI_Send}}{{vardecl int i}}one({{i}});{{callfn}}four({{i}});{{endfn}}{{fn f MPI_Send}}{{vardecl int i}}two({{i}});{{callfn}}three({{i}});{{endfn}}' >nest.w
like "$(gen nest.w | member MPI::Comm::Send)" 'int i, i1; one\(i\);two\(i1\); returnVal = MPI_Send\(.*\); three\(i1\);four\(i\);' "wrappers nest"
like "$(gen --guard nest.w | member MPI::Comm::Send)" 'if \(wrappergen_inside\) \{ returnVal = MPI_Send\(.*end_call\(returnVal\); return; \} .*wrappergen_inside\+\+; int i, i1;' "--guard: a call inside a call goes straight"
echo '{{fn f MPI_Comm_rank}}if (x) { {{callfn}} } else { {{callfn}} } p("{{fn_name}}", {{args}});{{endfn}}' >branch.w
like "$(gen --dialect=wrap branch.w | member MPI::Comm::Get_rank)" 'int returnVal = 0; .*if \(x\) \{ returnVal = MPI_Comm_rank\(comm, rank\); \} else \{ returnVal = MPI_Comm_rank\(comm, rank\); \} p\("MPI::Comm::Get_rank", comm, rank\);' "the wrap dialect: callfn in branches, arguments, the name"
like "$(gen --cxx=weak nest.w)" '^__attribute__\(\(weak\)\) void MPI::Comm::Send\(' "--cxx=weak"
wrappergen -H mpi.i nest.w | grep 'MPI::' >/dev/null; is $? 1 "without --cxx none of it"

printf 'class X\nclass Y : Z\nQ | void f() | MPI_Wtime\nnonsense\n- | void g(int i) | MPI_Send i\n- | what | MPI_Wtime\n' >bad.table
wrappergen --cxx --bindings bad.table -H mpi.i -o none nest.w 2>err; is "$? $(cat err) $(ls none 2>/dev/null)" '1 bad.table:1:1: no class in this line; write class NAME C_TYPE C_NULL, or class NAME : BASE
bad.table:2:1: no class in this line; write class NAME C_TYPE C_NULL, or class NAME : BASE
bad.table:3:1: no class Q; name it in a line "class Q ..." before
bad.table:4:1: no function in this line; write CLASS | DECLARATION | C_FUNCTION ARGUMENT ...
bad.table:6:1: no function in this line; write CLASS | DECLARATION | C_FUNCTION ARGUMENT ...
bad.table:5:1: MPI_Send has 6 arguments, the table gives 1; see its prototype in the header
wrappergen: 6 errors, nothing written ' "faults of the table"
wrappergen --cxx --preload -H mpi.i nest.w 2>err; is "$? $(cat err)" "2 wrappergen: --cxx writes members only; --preload and --fortran are for the C functions, in a file of their own; see wrappergen -h" "not with --preload"
like "$(wrappergen --cxx --bindings nosuch -H mpi.i nest.w 2>&1)" '^wrappergen: nosuch: No such file' "a table that is not there"
finish
