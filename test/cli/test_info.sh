#!/usr/bin/env bash
# pith info: exact lines.
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_cli_log
"$make_log" small small.pith && "$make_log" names names.pith && "$make_log" empty empty.pith
ok $? "logs made"
size=$(stat -c %s small.pith)
is "$(pith info small.pith)" "format: native
version: 1
complete: yes
ranks: 2
lanes: 3
threads: 2
definitions: 5
communicators: 2
records: 24
states: 5
events: 2
messages: 2
lost: 3
start: 2001-09-09T01:46:40Z
first_s: 0.000500000
duration_s: 1.999499999
bytes: $size
bytes_per_event: $(python3 -c "print('%.2f' % ($size / 24))")
host: alpha beta
ranks alpha: 1
ranks beta: 1
program: small
start_unix_s: 1000000000" "every line"
is "$(pith info empty.pith | sed -n '/^ranks/,/^duration/p')" "ranks: 0
lanes: 0
threads: 0
definitions: 0
communicators: 1
records: 0
states: 0
events: 0
messages: 0
lost: 0
first_s: 0.000000000
duration_s: 0.000000000" "a log of nothing"
is "$(pith info names.pith | tail -n 1)" 'pro\tgram: a\x1b[2Jb' "properties are escaped"
finish
