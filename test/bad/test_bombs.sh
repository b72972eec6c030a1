#!/usr/bin/env bash
# Native logs whose check values fit and whose counts are absurd: memory stays within what formats/native/SPEC.md says, 256 MiB and 16
# times the bytes of the log; an error is one line.
. "$(dirname "$0")/../lib.sh"
sanitized=$(sanitizers) # its memory is not ours
cc -O1 -o peak "$top/test/bench/peers/peak.c" || exit 1
# bounded WHAT STATUS COMMAND...: exit status STATUS, little memory, at most one line on stderr
bounded() {
    local what=$1 wanted=$2 status peak most; shift 2
    timeout 300 ./peak used "$@" >out 2>err
    status=$?
    is "$status $(grep -vc '^pith: note: ' err)" "$wanted $((wanted))" "$what: exit status $wanted" || head -n 3 err | cut -c1-200 | sed 's/^/# /'
    read -r _ peak <used
    most=$((256 + 16 * $(stat -c %s bomb.pith) / 1048576))
    [ "${peak%.*}" -le "$most" ] || [ -n "$sanitized" ]
    ok $? "$what: within $most MiB" || echo "# $peak MiB"
}
suffixes='clog2 slog2 alog trf prv pftrace trace.json paje csv json svg'
[ -z "$sanitized" ] || suffixes=$(quick_or_full 'slog2 prv json svg' "$suffixes")
# Blocks that unpack to more than they may, alone or together, cannot be read; all others can. Nor can the members of the
# communicators: who needs them says so.
for kind in $(python3 "$top/test/bad/bombs.py" kinds); do
    python3 "$top/test/bad/bombs.py" "$kind" bomb.pith
    ok $? "$kind: $(stat -c %s bomb.pith) bytes"
    case $kind in payload* | records | lanes-payloads) status=1 ;; *) status=0 ;; esac
    bounded "$kind: info" 0 pith info bomb.pith
    members=$status && [ "$kind" = comms ] && members=1
    bounded "$kind: print" $members pith print bomb.pith
    bounded "$kind: stat" $status pith stat bomb.pith
    case $kind in far | comms)
        for suffix in $suffixes; do
            command=convert option=
            [ $suffix = svg ] && command=draw option=-o
            case $suffix in clog2 | slog2 | prv | csv | json) status=$members ;; *) status=0 ;; esac
            # shellcheck disable=SC2086
            bounded "$kind: $suffix" $status pith $command bomb.pith $option out.$suffix
        done ;;
    esac
    rm -rf out.*
    head -c -130 bomb.pith >cut && mv cut bomb.pith # without the footer everything is made again from the chunks
    timeout 300 ./peak used pith info bomb.pith >out 2>err
    read -r _ peak <used
    [ "${peak%.*}" -le $((256 + 16 * $(stat -c %s bomb.pith) / 1048576)) ] || [ -n "$sanitized" ]
    ok $? "$kind: cut, within as much" || echo "# $peak MiB"
done
finish
