#!/usr/bin/env bash
# The manual's examples: the programs in section 3 compile, run and do what they say.
. "$(dirname "$0")/../lib.sh"
mapfile -t flags < <(sanitizers)

example() { # PAGE: the first example that is a C program, as a reader copies it from the page
    sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' "$top/man/$1" | sed -n '/^\.EX/,/^\.EE/{/^\./d;p}' | sed 's/\\e/\\/g; s/\\-/-/g; s/\\(aq/'"'"'/g'
}
for page in pith.3 pithlog.3; do
    example $page >${page%.3}.c
    ${CC:-cc} "${flags[@]}" -Wall -Wextra -std=c11 -I"$build/include" ${page%.3}.c -o ${page%.3}_example "$build/lib/lib${page%.3}.a" -lz -lm -lpthread 2>err
    is "$? $(cat err)" "0 " "the program in $page compiles"
done
PITH_LOG=own.pith PITH_QUIET=1 ./pith_example
ok $? "the program in pith.3 runs"
example pith_tool.3 >tool.c
${CC:-cc} "${flags[@]}" -Wall -Wextra -std=c11 -I"$build/include" tool.c -o tool_example "$build/lib/libpith.a" -lz -lm -lpthread 2>err
is "$? $(cat err)" "0 " "the program in pith_tool.3 compiles"
PITH_LOG=tool.pith PITH_QUIET=1 ./tool_example
is "$? $(pith print tool.pith | grep -v -e '^#' -e pith:flush | cut -f4- | tr '\n' ' ')" "0 enter	load leave	load " "and runs"
is "$(pith print own.pith | grep -v -e '^#' -e pith:flush | cut -f4-)" "enter	work
event	step	payload=i=0
leave	work
enter	work
event	step	payload=i=1
leave	work
enter	work
event	step	payload=i=2
leave	work" "and its log holds what it did"
is "$(./pithlog_example own.pith)" "4 states" "the program in pithlog.3 reads it (the writing of the log is a state too)"

# The awk line of pith-print(1), on a log with sends.
"$build/test/cli/make_cli_log" small app.pith
line=$(sed -n '/^The ranks that sent most/,/^With Python/{/^\./d;/^The ranks/d;/^With/d;p}' "$top/man/pith-print.1" | sed 's/\\(aq/'"'"'/g; s/\\et/\\t/g; s/\\-/-/g; s/^\$ //')
is "$(bash -c "$line")" "2 0" "the awk line of pith-print.1 counts sends"
# The template of wrappergen(1), on two functions.
sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' "$top/man/wrappergen.1" | sed -n '/^\.EX/,/^\.EE/{/^\.EE/q;/^\./d;p}' >count.w
printf 'int MPI_Barrier(int comm);\nint MPI_Pcontrol(const int level, ...);\nint MPI_Finalize(void);\n' >two.h
wrappergen -w count.w -H two.h -o count.c 2>err
is "$? $(cat err)" "0 " "the template in wrappergen.1 is one"
is "$(tr -s ' \n' ' ' <count.c | grep -oE 'static long calls_0;|calls_0\+\+;|PMPI_Barrier\(comm\)')" "static long calls_0;
calls_0++;
PMPI_Barrier(comm)
calls_0++;" "and gives a wrapper that counts"
finish
