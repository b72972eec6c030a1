#!/usr/bin/env bash
# Long commands say how far they are, on a terminal only; and an interrupt leaves nothing half-written.
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_cli_log
"$make_log" big $([ -n "$(sanitizers)" ] && echo 1500000 || echo 2000000) big.pith && pith convert big.pith big.alog 2>/dev/null && pith cut big.pith -o part.pith --to 1
ok $? "logs made"
rm -r "$XDG_CACHE_HOME" 2>/dev/null

# ---- progress
shows() { # WHAT COMMAND...: a line as below, which goes away at the end
    local what=$1 got moment; shift
    for moment in 20 10 30 5 60; do # it may be over before it is stopped, or had not begun
        rm -rf out.* "$XDG_CACHE_HOME"
        got=$(python3 "$top/test/cli/on_terminal.py" $moment "$@")
        [ "$got" = "0 ''" ] || break
    done
    like "$got" "^0 '(.r(pith: $what: [0-9]+ %, [0-9.]+ ([kMG]?records|[kMG]?B)/s(, [0-9]+ (s|min) left)?)?.x1b\[K)+(pith: note: [^\']*)*(.r.x1b\[K)?'\$" "$*" || return
    rm -rf out.*
}
shows convert pith convert big.pith out.txt
shows cut pith cut big.pith -o out.pith --lane 0-2
shows merge pith merge -o out.pith --align none big.pith part.pith
shows check pith check big.pith
shows stat pith stat big.pith
shows info pith info big.alog
rm -rf "$XDG_CACHE_HOME"
shows convert pith convert big.alog out.pith
pith cut big.pith -o out.txt 2>err && pith check big.pith >/dev/null 2>>err && pith merge -o out.pith big.pith --align none 2>>err
is "$? $(cat err)" "0 " "nothing where stderr is no terminal"

# ---- interrupts
interrupted() { # SIGNAL PART COMMAND...: when the file or folder PART is there the signal comes
    local signal=$1 part=$2 pid before try i tries=12000; shift 2
    [ "$part" = none ] && tries=0
    : >out
    before=$(ls -A . "$XDG_CACHE_HOME/pith" 2>/dev/null)
    for try in 1 2 3 4 5; do
        env --default-signal=INT "$@" >out 2>err & pid=$! # which a shell's background job ignores
        for ((i = 0; i < tries; i++)); do [ -e "$part" ] || ! kill -0 $pid 2>/dev/null && break; sleep 0.005; done
        [ "$part" != none ] || sleep 0.1
        kill -STOP $pid 2>/dev/null
        until [ ! -e "/proc/$pid" ] || grep -qs ') T ' "/proc/$pid/stat"; do sleep 0.001; done
        [ -e "$part" ] || { [ "$part" = none ] && [ -e "/proc/$pid" ]; } && break
        # All was written before it was stopped: once more.
        [ $try = 5 ] || { kill -KILL $pid; wait $pid; rm -rf out.*; } 2>/dev/null
        [ "$part" != none ] || rm -f "$XDG_CACHE_HOME"/pith/*
    done
    kill -"$signal" $pid; kill -CONT $pid
    wait $pid 2>/dev/null
    is "$? $(ls -A . "$XDG_CACHE_HOME/pith" 2>/dev/null)" "$((128 + $(kill -l "$signal"))) $before" "SIG$signal: $*"
}
rm -f out.*
: >err
interrupted TERM out.txt.part pith convert big.pith out.txt
interrupted INT out.prv.part pith convert big.pith out.prv
interrupted TERM out.ctf.part pith convert big.pith out.ctf
interrupted INT out.pith.part pith convert big.pith out.pith
interrupted INT out.pith.part pith cut big.pith -o out.pith --lane 0-2
interrupted TERM out.clog2.part pith cut big.pith -o out.clog2 --lane 0-2
interrupted TERM out.pith.part pith merge -o out.pith --align none big.pith part.pith
interrupted INT out.pith.part pith recover big.pith -o out.pith
rm -rf "$XDG_CACHE_HOME"; mkdir -p "$XDG_CACHE_HOME/pith"
interrupted INT none pith info big.alog # whatever it is doing after a tenth of a second
finish
