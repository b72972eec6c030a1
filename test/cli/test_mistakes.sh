#!/usr/bin/env bash
# Mistakes of careless users: each gets one line that names the thing and says what to do, and a fitting exit status (2:
# wrong usage, else 1). Nothing that exists is harmed, and nothing is left behind.
. "$(dirname "$0")/../lib.sh"
"$build/test/cli/make_cli_log" small small.pith
{
    for rank in 0 1; do printf '# lane\trank=%d\tthread=0\tname=\thost=vm\n' $rank; done
    for name in MPI_Init MPI_Send MPI_Recv MPI_Allreduce solve MPI_Finalize; do printf '# state\tname=%s\tcolour=red\tgroup=\n' $name; done
    printf '# event\tname=checkpoint\tcolour=red\tgroup=\tformat=\n'
    at=0
    for name in MPI_Init solve MPI_Send MPI_Allreduce MPI_Finalize; do
        for rank in 0 1; do printf '0.%03d000000\t%d\t0\tenter\t%s\n' $at $rank $name; done
        for rank in 0 1; do printf '0.%03d000000\t%d\t0\tleave\t%s\n' $((at + 50)) $rank $name; done
        at=$((at + 60))
    done
} >run.txt
pith convert run.txt run.pith 2>err
ok $? "logs made" || cat err
cp run.pith other.pith
mkdir folder empty_folder
: >empty
head -c 3000 "$(command -v sh)" >binary
printf '\n' >blank.w
checked=$(cat run.pith run.txt small.pith other.pith | cksum)

# try STATUS COMMAND EXPECTED: the command prints just the line EXPECTED on stderr; after ~, a line that matches it.
try() {
    local status=$1 command=$2 wanted=$3 got
    timeout 120 env -u DISPLAY bash -c "$command" >out 2>err </dev/null
    got="$? $(cat err)"
    case $wanted in
    '~'*) like "$(joined "$got")" "^$status ${wanted#\~}\$" "$command" ;;
    *) is "$got" "$status $wanted" "$command" ;;
    esac
    set -- o.* x.* nowhere*
    [ ! -e "$1" ] || [ "$status" = 0 ] || ok 1 "$command: leaves $*"
    rm -rf o.* x.*
}
# The rows: status, command, what it says; $see: "; see `pith help COMMAND`" of the command.
table() {
    local status command wanted word
    while IFS='|' read -r status command wanted; do
        [ -n "$status" ] || continue
        word=${command#pith }
        word=${word%% *}
        try "$status" "$command" "${wanted//\$see/; see \`pith help $word\`}"
    done
}

# ---- Times
table <<'END'
2|pith cut run.pith -o o.pith --from 5 --to 3|pith: cut: --from 5 is after --to 3; exchange them$see
2|pith cut run.pith -o o.pith --to 3ms --from 5ms|pith: cut: --from 5ms is after --to 3ms; exchange them$see
2|pith stat run.pith --from 0.5 --to 0.1|pith: stat: --from 0.5 is after --to 0.1; exchange them$see
2|pith print run.pith --from 0.5 --to 0.1|pith: print: --from 0.5 is after --to 0.1; exchange them$see
2|pith analyze run.pith --from 0.5 --to 0.1|pith: analyze: --from 0.5 is after --to 0.1; exchange them$see
2|pith convert run.pith o.alog --from 0.5 --to 0.1|pith: convert: --from 0.5 is after --to 0.1; exchange them$see
1|pith cut run.pith -o o.pith --from finalize --to init|pith: run.pith: --from finalize (0.240000000 s) is after --to init (0.050000000 s); exchange them
0|pith cut run.pith -o o.pith --from 50|pith: note: run.pith: no record lies in the window; the log covers 0.000000000 s to 0.290000000 s
0|pith print run.pith --from 50 --to 60|pith: note: run.pith: no record lies in the window; the log covers 0.000000000 s to 0.290000000 s
0|pith stat run.pith --to -1|pith: note: run.pith: no record lies in the window; the log covers 0.000000000 s to 0.290000000 s
2|pith cut run.pith -o o.pith --from 10 ms|pith: cut: write a time without a blank before its unit, such as 10ms$see
2|pith cut run.pith -o o.pith --from '10 m'|pith: cut: --from: '10 m' is not a time such as 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]$see
2|pith stat run.pith --from 1h|pith: stat: --from: '1h' is not a time such as 1.5, 3ms, 1:02:33, init, finalize, end-1s or STATE[n]$see
1|pith print run.pith --from 'slove[1]'|pith: run.pith: slove[1]: the log has 0 instances of this state; did you mean solve?
1|pith print run.pith --from 'solve[9]'|pith: run.pith: solve[9]: the log has 2 instances of this state
2|pith merge -o o.pith --shift 3h run.pith small.pith|pith: merge: --shift needs seconds, or a time such as -3ms, not '3h'$see
END

# ---- Names that the log does not have
table <<'END'
1|pith print run.pith --state MPI_Sned|pith: run.pith: no state, event or counter matches 'MPI_Sned'; did you mean MPI_Send?
1|pith print run.pith --state 'MPI_Sned*'|pith: run.pith: no state, event or counter matches 'MPI_Sned*'; did you mean MPI_Send?
1|pith print run.pith --state mpi_send --csv|pith: run.pith: no state, event or counter matches 'mpi_send'; did you mean MPI_Send?
1|pith print run.pith --state ''|pith: run.pith: no state, event or counter matches ''; `pith print` shows the names in its first lines
1|pith stat run.pith --state chekpoint|pith: run.pith: no state, event or counter matches 'chekpoint'; did you mean checkpoint?
1|pith stat run.pith --state xyzzy|pith: run.pith: no state, event or counter matches 'xyzzy'; `pith print` shows the names in its first lines
0|pith stat run.pith --state computing|
1|pith print run.pith --where 'name == "MPI_Sned"'|pith: run.pith: no state, event or counter matches 'MPI_Sned'; did you mean MPI_Send?
1|pith print run.pith --where 'state ~ "slove*" and rank == 0'|pith: run.pith: no state matches 'slove*'; did you mean solve?
1|pith print run.pith --where 'event == chekpoint' --columns time_ns|pith: run.pith: no event matches 'chekpoint'; did you mean checkpoint?
1|pith stat run.pith --where 'name == MPI_Sned'|pith: run.pith: no state, event or counter matches 'MPI_Sned'; did you mean MPI_Send?
1|pith cut run.pith -o o.pith --where 'name == MPI_Sned'|pith: run.pith: no state, event or counter matches 'MPI_Sned'; did you mean MPI_Send?
1|pith convert run.pith o.pith --where 'name == MPI_Sned'|pith: run.pith: no state, event or counter matches 'MPI_Sned'; did you mean MPI_Send?
1|pith analyze run.pith --where 'name == MPI_Sned'|pith: run.pith: no state, event or counter matches 'MPI_Sned'; did you mean MPI_Send?
1|pith print run.pith --where 'rank == 7'|pith: run.pith: no rank matches the query; `pith info` shows how many the log has
1|pith cut run.pith -o o.pith --where 'thread > 3'|pith: run.pith: no thread matches the query; `pith info` shows how many the log has
0|pith print run.pith --where 'name in (MPI_Sned, MPI_Send)'|
0|pith print run.pith --where 'name == MPI_Sned or rank == 0'|
0|pith print run.pith --where 'not name == MPI_Sned'|
0|pith print run.pith --where 'name != MPI_Sned'|
0|pith print run.pith --where 'duration > 10'|pith: note: run.pith: no record matches
0|pith print run.pith --where 'duration > 10' --columns name|pith: note: run.pith: no record matches
0|pith stat run.pith --where 'duration > 10'|pith: note: run.pith: no record matches
0|pith cut run.pith -o o.pith --where 'duration > 10'|pith: note: run.pith: no record matches
0|pith convert run.pith o.pith --where 'duration > 10'|pith: note: run.pith: no record matches
2|pith print run.pith --where 'nme == "MPI_Send"'|~pith: query: column 1: there is no field 'nme'; did you mean name\?\|.*
2|pith print run.pith --where 'rank = 3'|~pith: query: column 6: '=' is no comparison; use ==\|.*
2|pith print run.pith --columns time_ns,rnk|pith: print: --columns: there is no column 'rnk'; did you mean rank?
1|pith print run.pith --lane 99|pith: run.pith: no lane matches --lane; `pith info` shows how many lanes the log has
2|pith print run.pith --lane rank0|pith: print: --lane needs ranks, or rank.thread, such as 0-3,7.1, not 'rank0'$see
END

# ---- Options and words
table <<'END'
2|pith print run.pith --jsn|pith: print: no such option: --jsn; did you mean --json?
2|pith print run.pith --Csv|pith: print: no such option: --Csv; did you mean --csv?
2|pith print run.pith -csv|pith: print: no such option: -csv; did you mean --csv?
2|pith print run.pith -state x|pith: print: no such option: -state; did you mean --state?
2|pith stat run.pith --sate=x|pith: stat: no such option: --sate=x; did you mean --state?
2|pith info run.pith --json|pith: info: no such option: --json$see
2|pith stat run.pith -o x|pith: stat: no such option: -o$see
2|pith print run.pith csv|pith: print: too many arguments: 'csv'$see
2|pith print -- run.pith --csv|pith: print: too many arguments: '--csv'$see
2|pith stat run.pith --by rank|pith: stat: --by needs state, state,lane, lane, comm, size, wait, function, callsite, callpath, line or statepath, not 'rank'$see
2|pith stat run.pith --by|pith: stat: option --by needs a value$see
2|pith stat run.pith --longest -5|pith: stat: --longest needs a number from 1 to 2147483647, not '-5'$see
2|pith stat run.pith --longest 99999999999|pith: stat: --longest needs a number from 1 to 2147483647, not '99999999999'$see
1|pith stat run.pith --by function|pith: run.pith: the log has no samples; record with pith run --sample
1|pith stat run.pith --by callsite|pith: run.pith: the log has no call sites; record with PITH_CALLSITES=1
2|pith analyze run.pith --what-if network=fast|pith: analyze: --what-if network=fast: 'fast' must be ideal, latency or a number above 0: so many times faster$see
2|pith analyze run.pith --what-if solve=-1|pith: analyze: --what-if solve=-1: '-1' must be a number above 0: so many times faster$see
2|pith analyze run.pith --what-if netwrok=2|pith: analyze: --what-if netwrok=2: the log has no state 'netwrok'; did you mean network?
2|pith analyze run.pith --what-if slove=2|pith: analyze: --what-if slove=2: the log has no state 'slove'; did you mean solve?
2|pith analyze run.pith --what-if solve@9=2|pith: analyze: --what-if solve@9=2: the log has no rank '9'$see
2|pith analyze run.pith --what-if balance|pith: analyze: --what-if balance: must be balanced, network=ideal, network=latency, network=K, STATE=K or STATE@RANK=K; K: so many times faster$see
2|pith analyze run.pith --explain lat-sender|pith: analyze: --explain: no such term: lat-sender; did you mean 'late sender'?
2|pith analyze run.pith --explain xyzzy|~pith: analyze: --explain knows .* 'late sender', .*; not 'xyzzy'
2|pith analyze run.pith --iterations slove|pith: analyze: --iterations: the log has no state 'slove'; did you mean solve?
2|pith diff run.pith|pith: diff: B is missing$see
2|pith symbols run.pith --search nowhere|pith: symbols: --search nowhere: there is no such folder$see
2|pith record ./app|pith: no such command: record; use `pith run`
2|pith report run.pith|pith: no such command: report; use `pith analyze` or `pith stat`
2|pith stats run.pith|pith: no such command: stats; did you mean `pith stat`?
2|pith PRINT run.pith|pith: no such command: PRINT; did you mean `pith print`?
2|pith plot run.pith|pith: no such command: plot; use `pith draw`
2|pith run.pith|pith: run.pith: a command is missing before this file: `pith view run.pith`, `pith info run.pith` ...
2|pith --versoin|pith: no such command: --versoin; did you mean `pith --version`?
2|pith -v|pith: no such command: -v; use `pith --version`
2|pith help prnit|pith: help: no such topic: prnit; did you mean `pith help print`?
2|pith help --formats|pith: help: no such topic: --formats; did you mean `pith help formats`?
2|pith help nothing|pith: help: no such topic: nothing; `pith help` lists them
2|pith --help prnit|pith: help: no such topic: prnit; did you mean `pith help print`?
2|pith help print stat|pith: help: give one topic at a time$see
END
is "$(pith --help draw)" "$(pith help draw)" "pith --help draw is pith help draw"
is "$(pith -h stat)" "$(pith help stat)" "pith -h stat, too"
is "$(upshot --help; upshot --version)" "$(pith help view; pith --version)" "upshot --help, upshot --version"

# ---- Files
table <<'END'
2|pith merge run.pith run.pith -o o.pith|pith: merge: run.pith is given twice; give each log once, or --ranks follow for its ranks twice$see
2|pith merge run.pith ./run.pith -o o.pith|pith: merge: ./run.pith is given twice; give each log once, or --ranks follow for its ranks twice$see
1|pith recover run.pith -o run.pith|pith: run.pith: is the log that is read; give the output another name
1|pith analyze run.pith --html run.pith|pith: run.pith: is the log that is read; give the output another name
1|pith cut run.pith -o nowhere/o.pith|pith: nowhere/o.pith: cannot write: the folder nowhere does not exist; make it first
1|pith convert run.pith nowhere/o.alog|pith: nowhere/o.alog: cannot write: the folder nowhere does not exist; make it first
1|pith merge --align start run.pith small.pith -o no/where/o.pith|pith: no/where/o.pith: cannot write: the folder no/where does not exist; make it first
1|pith recover run.pith -o nowhere/o.pith|pith: nowhere/o.pith: cannot write: the folder nowhere does not exist; make it first
1|pith analyze run.pith --html nowhere/x.html|pith: nowhere/x.html: cannot write: the folder nowhere does not exist; make it first
1|pith cut run.pith -o empty/o.pith|pith: empty/o.pith: cannot write: empty is not a folder; choose another place
1|pith cut run.pith -o /proc/o.pith|~pith: /proc/o.pith: cannot write: [^;|]*; no file can be made in the folder /proc; choose another place
1|pith cut run.pith -o folder|pith: folder: is a directory; give the name of a file
2|pith convert run.pith o.xyz|pith: convert: o.xyz: no format has this suffix; give --format NAME$see
2|pith convert run.pith x.png|pith: convert: x.png: no format has this suffix; `pith draw` makes pictures$see
2|pith convert run.pith o.x --format nativ|pith: convert: no such format: nativ; did you mean native?
2|pith convert run.pith o.x --format xml|pith: convert: no such format: xml; `pith help formats` lists them$see
2|pith convert run.pith|pith: convert: OUT is missing$see
2|pith cut run.pith o.pith|pith: cut: -o OUT is missing$see
2|pith info "$unset"|pith: info: LOG is empty$see
2|pith convert run.pith "$unset" --format paraver|pith: convert: OUT is empty$see
1|pith cut run.pith -o "$unset"|pith: the name of the output is empty
1|pith merge run.pith small.pith --align start -o "$unset"|pith: the name of the output is empty
1|pith convert run.pith x.row --format paraver|pith: x.row: in the format paraver this is a file beside the log; give x.prv
1|pith convert run.pith x.pcf --format paraver|pith: x.pcf: in the format paraver this is a file beside the log; give x.prv
1|pith info run.pth|pith: run.pth: cannot be opened: No such file or directory; did you mean run.pith?
1|pith stat smal.pith|pith: smal.pith: cannot be opened: No such file or directory; did you mean small.pith?
1|pith stat ./smal.pith|pith: ./smal.pith: cannot be opened: No such file or directory; did you mean ./small.pith?
1|pith stat nowhere/run.pith|pith: nowhere/run.pith: cannot be opened: No such file or directory
2|pith diff run.pith xyzzy|pith: xyzzy: cannot be opened: No such file or directory
1|pith print empty_folder|pith: empty_folder: is a folder without a log; give the name of one
1|pith print empty|pith: empty: byte 0: the file is empty; nothing was recorded in it
1|pith print binary|pith: binary: byte 0: not a log of any known format; `pith help formats` lists them
1|pith recover folder|pith: folder: holds no records; name the folder LOG.spill of the run
END
for command in help 'help formats' 'help print' --version 'info run.pith' 'stat run.pith' 'check run.pith' 'analyze run.pith'; do
    try 1 "pith $command >/dev/full" 'pith: standard output: No space left on device'
done
mkdir died.pith.spill
try 1 'pith stat died.pith' "pith: died.pith: cannot be opened: No such file or directory; its run left died.pith.spill: see \`pith help recover\`"
rmdir died.pith.spill
as_user=
if [ "$(id -u)" = 0 ]; then # root may read and write everywhere; somebody else uses a copy, for the build tree may be closed
    as_user="setpriv --reuid=65534 --regid=65534 --clear-groups env PATH=$PWD/copy:$PATH "
    mkdir copy && cp "$build/bin/pith" copy && chmod 755 .. . copy
fi
mkdir locked && chmod 500 locked && cp run.pith secret.pith && chmod 0 secret.pith
try 1 "${as_user}pith cut run.pith -o locked/o.pith" 'pith: locked/o.pith: cannot write: Permission denied; no file can be made in the folder locked; choose another place'
try 1 "${as_user}pith info secret.pith" 'pith: secret.pith: cannot be opened: Permission denied'
rm -rf copy locked secret.pith

# ---- SQL
if pith sql run.pith 'SELECT 1' >/dev/null 2>&1; then
    table <<'END'
1|pith sql run.pith 'SELECT * FROM state'|~pith: sql: no such table: state; did you mean states\? There are: call_paths, calls, .*intervals, .*, waits
1|pith sql run.pith 'SELECT * FROM xyzzy'|~pith: sql: no such table: xyzzy; there are: call_paths, calls, .*intervals, .*, waits
1|pith sql run.pith 'SELECT nme FROM states'|pith: sql: no such column: nme; did you mean name?
1|pith sql run.pith 'SELECT s.rnak FROM intervals s'|pith: sql: no such column: s.rnak; did you mean rank?
1|pith sql run.pith 'SELECT sum(ns) FROM waits'|pith: sql: no such column: ns; man pith-sql lists the columns
1|pith sql run.pith 'SELECT xyzzy FROM states'|pith: sql: no such column: xyzzy; man pith-sql lists the columns
1|pith sql run.pith ' '|pith: sql: the query is empty; ask, for example, 'SELECT * FROM states'
2|pith sql 'SELECT * FROM states' run.pith|pith: sql: LOG comes before QUERY; exchange them$see
END
else
    skip "pith sql" "no SQLite"
fi

# ---- Pictures and the window
if [ -x "$build/libexec/pith/pith-draw" ]; then
    table <<'END'
1|pith draw run.pith -o nowhere/x.png|pith: nowhere/x.png: cannot write: the folder nowhere does not exist; make it first
1|pith draw run.pith -o nowhere/x.svg|pith: nowhere/x.svg: cannot write: the folder nowhere does not exist; make it first
1|pith draw run.pith -o nowhere/x.pdf|pith: nowhere/x.pdf: cannot write: the folder nowhere does not exist; make it first
1|pith draw run.pith -o empty/x.png|pith: empty/x.png: cannot write: empty is not a folder; choose another place
2|pith draw run.pith x.png|pith: draw: -o is missing before x.png$see
2|pith draw run.pith small.pith -o x.png|pith: draw: one log at a time, not also small.pith$see
2|pith draw -o x.png|pith: draw: LOG is missing$see
2|pith draw run.pith|pith: draw: where to? give -o OUT.png (or .svg, .pdf, .ps, .eps, .html), or --text$see
2|pith draw run.pith -o x.jpg|pith: draw: -o x.jpg: its name must end in .png, .svg, .pdf, .ps, .eps or .html$see
2|pith draw run.pith -o x.png --size 100|pith: draw: --size must be from 240x120 to 32000x32000, not 100$see
2|pith draw run.pith -o x.png --size -5x5|pith: draw: --size -5x5: must be pixels like 1200x400, at most 32000x32000$see
2|pith draw run.pith -o x.png --size 999999x999999|pith: draw: --size 999999x999999: must be pixels like 1200x400, at most 32000x32000$see
2|pith draw run.pith -o x.png --tilte x|pith: draw: no such option: --tilte; did you mean --title?
2|pith draw run.pith -o x.png -size 300x200|pith: draw: no such option: -size; did you mean --size?
2|pith draw run.pith -o x.png --xyzzy|pith: draw: no such option: --xyzzy$see
2|pith draw run.pith -o x.png --theme drak|pith: draw: --theme drak: must be light or dark$see
2|pith draw run.pith -o x.png -e 'hide MPI_Sned'|pith: draw: -e: hide: no state or event is called MPI_Sned; did you mean MPI_Send?
2|pith draw run.pith -o x.png -e 'only xyzzy'|pith: draw: -e: only: no state or event is called xyzzy; see `pith info` and `pith stat`
2|pith draw run.pith -o x.png -e 'zom 1 2'|pith: draw: -e: no such word for pictures: zom; did you mean zoom?
2|pith draw run.pith -o x.png -e 'zoom 3 1'|pith: draw: -e: zoom: must end after it begins$see
1|pith draw run.pith -o x.png --lanes 99|pith: run.pith: no lanes 99; `pith info` tells which there are
1|pith draw run.pith -o x.png --iterations=slove|pith: run.pith: --iterations: there is no state slove; did you mean solve?
1|pith draw run.pith -o x.png --from 0.2 --to 0.1|~pith: run.pith: nothing to draw from 0.2 s to 0.1 s; .*
1|pith draw run.pth -o x.png|pith: run.pth: cannot be opened: No such file or directory; did you mean run.pith?
END
    [ ! -e "$build/share/pith/page/viewer.html" ] || table <<'END'
1|pith draw run.pith -o nowhere/x.html|pith: nowhere/x.html: cannot write: the folder nowhere does not exist; make it first
END
else
    skip "pith draw" "not built"
fi
if [ -x "$build/libexec/pith/pith-view" ] && command -v tclsh >/dev/null; then
    table <<'END'
2|pith view|pith: view: a log is missing$see
1|pith view missing.pith|pith: missing.pith: no such file; this folder has other.pith, run.pith, small.pith
1|pith view nowhere/x.pith|pith: nowhere/x.pith: no such file
1|upshot missing.pith|pith: missing.pith: no such file; this folder has other.pith, run.pith, small.pith
2|pith view run.pith --form 1|pith: view: no such option: --form; there are -e, --from, --to, --at, --rows, --live, --together, --anim, --fresh and --restore
2|pith view run.pith --from|pith: view: --from needs a value$see
2|pith view --together run.pith|pith: view: --together needs two logs$see
1|pith view run.pith|~pith: view: no display \(.*\); a picture without a window: pith draw LOG -o OUT.png
1|DISPLAY=:7777 pith view run.pith|~pith: view: no display \(.*:7777.*\); a picture without a window: pith draw LOG -o OUT.png
END
else
    skip "pith view" "not built"
fi

# ---- wrappergen
try 2 'wrappergen' 'wrappergen: no template; see wrappergen -h'
try 2 'wrappergen --dialect=warp blank.w' 'wrappergen: no dialect warp (classic, wrap); see wrappergen -h'
try 2 'wrappergen --preloda blank.w' 'wrappergen: no option --preloda; did you mean --preload?'
try 2 'wrappergen --xyzzy blank.w' 'wrappergen: no option --xyzzy; see wrappergen -h'
try 2 'wrappergen -o blank.w blank.w' 'wrappergen: -o blank.w is the template; give the output another name; see wrappergen -h'
printf 'int MPI_Init(int *argc, char ***argv);\n' >one.h
try 1 'wrappergen -H one.h -o nowhere/x.c blank.w' '~.*wrappergen: nowhere/x.c: cannot write: the folder nowhere does not exist; make it first'
try 0 'wrappergen -H one.h -o x.c blank.w' 'wrappergen: warning: blank.w: the template is empty'
try 1 'wrappergen -H one.h missing.w' 'wrappergen: missing.w: No such file or directory'

is "$(cat run.pith run.txt small.pith other.pith | cksum)" "$checked" "no log was changed"
finish
