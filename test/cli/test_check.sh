#!/usr/bin/env bash
# pith check: good logs, cut logs, logs with a changed byte.
. "$(dirname "$0")/../lib.sh"
make_log=$build/test/cli/make_log
"$make_log" small small.pith && "$make_log" empty empty.pith && "$make_log" big 200000 big.pith
ok $? "logs made"
for log in small empty big; do
    pith check $log.pith >out 2>err
    is "$? $(cat err)" "0 " "$log.pith is good"
done
finish
