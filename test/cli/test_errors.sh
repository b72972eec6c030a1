#!/usr/bin/env bash
# Wrong arguments: exit status 2; files that are no logs: exit status 1; always one line that says what to do.
. "$(dirname "$0")/../lib.sh"
"$build/test/cli/make_cli_log" small small.pith
ok $? "log made"

fails() { # STATUS MESSAGE COMMAND...
    local status=$1 message=$2; shift 2
    "$@" >out 2>err </dev/null
    is "$? $(cat err)" "$status $message" "$*"
    [ ! -s out ] || { ok 1 "$*: nothing on standard output"; }
}
see() { echo "see \`pith help $1\`"; }
for c in info print stat check; do
    fails 2 "pith: $c: LOG is missing; $(see $c)" pith $c
    fails 2 "pith: $c: too many arguments: 'b'; $(see $c)" pith $c a b
    fails 2 "pith: $c: no such option: --nonsense; $(see $c)" pith $c --nonsense a
    fails 2 "pith: $c: no such option: -z; $(see $c)" pith $c -z a
done
fails 2 "pith: convert: IN is missing; $(see convert)" pith convert
fails 2 "pith: convert: OUT is missing; $(see convert)" pith convert a
fails 2 "pith: print: option --lane needs a value; $(see print)" pith print small.pith --lane
fails 2 "pith: print: option --csv takes no value; $(see print)" pith print --csv=1 small.pith
for lane in x 1. .1 1-0 1,,2 99999999999 ''; do
    fails 2 "pith: print: --lane needs ranks, or rank.thread, such as 0-3,7.1, not '$lane'; $(see print)" pith print --lane "$lane" small.pith
done
for time in x 1h nan inf ''; do
    fails 2 "pith: print: --from: '$time' is not a time such as 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]; $(see print)" pith print --from "$time" small.pith
done
# Relatives of what is read are named.
printf '\0\0\0\0\10\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0' >run.log
cp run.log run.rlog
for name in run.log run.rlog; do
    fails 1 "pith: $name: cannot be read: it looks like an RLOG, of MPICH2's rlog; Jumpshot-4's converter makes SLOG-2 of it" pith info $name
done
printf '\1\2\3\4' >run.slog
fails 1 "pith: run.slog: cannot be read: it looks like SLOG-1, of Jumpshot-3; convert the CLOG that it was made from" pith check run.slog
# So are formats of others that people bring.
# What Pith itself only writes.
pith convert small.pith made.csv 2>/dev/null; pith convert small.pith made.json 2>/dev/null; pith convert small.pith made.ctf 2>/dev/null
only='which Pith only writes; convert the log that it was made from'
fails 1 "pith: made.csv: cannot be read: it looks like the CSV of \`pith print\`, $only" pith info made.csv
fails 1 "pith: made.json: cannot be read: it looks like the JSON of \`pith print\`, $only" pith info made.json
fails 1 "pith: made.ctf: cannot be read: it looks like a trace in CTF, $only" pith info made.ctf
named() { fails 1 "pith: $1: cannot be read: it looks like $2" pith info "$1"; }
echo '{"meta":{"interval":1,"preprocessedProfileVersion":47},"threads":[]}' | tee firefox.json | gzip >firefox.json.gz
echo '{"meta":{"version":24,"stackwalk":1},"threads":[]}' >gecko.json
echo '{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[]}' >app.speedscope.json
printf '\1nsys report of some kind' >run.nsys-rep
python3 - <<'P'
import sqlite3
for name, table in (("nsys", "CUPTI_ACTIVITY_KIND_KERNEL"), ("rocpd", "rocpd_kernel_dispatch"), ("own", "t")):
    sqlite3.connect(name + ".db").execute("CREATE TABLE %s (x)" % table)
P
for name in firefox.json firefox.json.gz gecko.json; do named $name "a profile of Firefox; open it at profiler.firefox.com"; done
named app.speedscope.json "a profile of speedscope, without times of ranks; open it there"
named run.nsys-rep "a report of NVIDIA's nsys; open it with nsys-ui"
named nsys.db "a database of NVIDIA's nsys; query it with sqlite3"
named rocpd.db "a database of AMD's rocprofv3 (rocpd); \`rocprofv3 --output-format otf2\` writes what Pith reads"
named own.db "an SQLite database; convert the log that it was made from"
fails 1 "pith: small.pith: no lane matches --lane; \`pith info\` shows how many lanes the log has" pith print --lane 7 small.pith
fails 2 "pith: print: --csv and --json cannot be used together; $(see print)" pith print --csv --json small.pith
fails 2 "pith: stat: --csv and --json cannot be used together; $(see stat)" pith stat --json --csv small.pith
fails 2 "pith: stat: --by needs state, state,lane, lane, comm, size, wait, function, callsite, callpath, line or statepath, not 'x'; $(see stat)" pith stat --by x small.pith
fails 2 "pith: help: no such topic: x; \`pith help\` lists them" pith help x
fails 2 "pith: no such command: prnit; did you mean \`pith print\`?" pith prnit
fails 2 "pith: no such command: xyzzy; \`pith help\` lists them" pith xyzzy
fails 2 "pith: print: no such option: --?[31m; $(see print)" pith print $'--\033[31m'

# Files that are no logs.
mkdir folder
: >empty
echo "This is not a log." >text.pith
head -c 5000 /dev/zero >zeros.pith
for c in info print stat check "convert -"; do
    set -- $c
    for file in missing folder empty text.pith zeros.pith; do
        if [ "$1" = convert ]; then pith convert $file out.txt; else pith $c $file; fi >out 2>err
        like "$? $(wc -l <err) $(wc -c <out) $(cat err)" "^1 1 0 pith: $file: [a-z]" "pith $1 of $file: status 1, one line"
    done
done
[ ! -e out.txt ] && [ ! -e out.txt.part ]
ok $? "convert left nothing"
like "$(pith info missing 2>&1)" '^pith: missing: .*No such file or directory' "a missing file is said to be missing"
like "$(pith info folder 2>&1)" '^pith: folder: .*(directory|folder)' "a folder is said to be one"
like "$(pith info empty 2>&1)" '^pith: empty: .*empty' "an empty file is said to be empty"
finish
