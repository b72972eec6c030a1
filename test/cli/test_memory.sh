#!/usr/bin/env bash
# Memory does not grow with the log: every format that is written and read, with files that are larger than what the command may
# have in memory.
. "$(dirname "$0")/../lib.sh"
limit=48 records=2400000 # MiB; nearly all files have more
sanitized=$(sanitizers) # its memory is not ours
[ -z "$sanitized" ] || records=200000
cc -O1 -o peak "$top/test/bench/peers/peak.c" || exit 1
"$build/test/bench/make_big_log" log.pith 4 4 $((records / 4))
ok $? "a log of $records records"
# bounded WHAT COMMAND...
bounded() {
    local what=$1 peak; shift
    ./peak used "$@" >/dev/null 2>err || { ok 1 "$what"; sed 's/^/# /' err; return; }
    read -r _ peak <used
    [ "${peak%.*}" -lt $limit ] || [ -n "$sanitized" ]
    ok $? "$what: within $limit MiB" || echo "# $peak MiB"
}
while read -r name can suffix _; do
    case $can in *writ*) ;; *) continue ;; esac
    file=log.out.${suffix%/}
    bounded "$name is written" pith convert log.pith "$file" --format "$name"
    case $can/$name in */native) ;; read*) bounded "$name is read" pith info "$file" ;; esac
    rm -rf log.out.* "$XDG_CACHE_HOME"
done < <(pith help formats | grep -E '^[a-z0-9]+ +(read|writ)')
bounded "print" pith print log.pith
bounded "stat" pith stat log.pith
bounded "stat --by size" pith stat --by size log.pith
finish
