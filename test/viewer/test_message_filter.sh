#!/usr/bin/env bash
# Which messages are drawn: by size, tag, communicator, duration, lateness; in the window and by pith draw.
. "$(dirname "$0")/../lib.sh"
. "$top/test/viewer/window.sh"
. "$top/test/viewer/wait_log.sh"
# Five messages: that of wait_log (8 bytes, tag 0, 80 ms, 0.3 s late), 20 bytes with tag 0 from 1 to 0, and three others:
# 2000 bytes with tag 9 and 20 bytes with tag 8 in the communicator halo, 5000 bytes with tag 8, which takes 200 ms.
{
    printf '# comm\tcomm=1\tname=halo\tsize=3\tranks=0,1,2\n'
    wait_log | grep '^#'
    {
        wait_log | grep -v '^#'
        line 0.61 1 send MPI_COMM_WORLD comm=0 peer=0 tag=0 bytes=20
        line 0.62 0 recv MPI_COMM_WORLD comm=0 peer=1 tag=0 bytes=20 posted=1
        line 0.63 0 send halo comm=1 peer=1 tag=9 bytes=2000
        line 0.64 1 recv halo comm=1 peer=0 tag=9 bytes=2000 posted=0
        line 0.65 2 send halo comm=1 peer=1 tag=8 bytes=20
        line 0.66 1 recv halo comm=1 peer=2 tag=8 bytes=20 posted=1
        line 0.67 2 send MPI_COMM_WORLD comm=0 peer=1 tag=8 bytes=5000
        line 0.87 1 recv MPI_COMM_WORLD comm=0 peer=2 tag=8 bytes=5000 posted=2
    } | sort -s -g -k 1,1
} >more.txt
pith convert more.txt more.pith
ok $? "a log is made"

# ---- pith draw
if [ -x "$build/libexec/pith/pith-draw" ]; then
    pith draw more.pith -o all.png && pith draw more.pith -o some.png -e 'message_filter {size > 1000}'
    ok $? "pith draw with a filter"
    ok $(($(cmp -s all.png some.png; echo $?) != 1)) "it draws other messages"
    pith draw more.pith -o two.png -e 'message_filter {size in 1000-9000}' && cmp some.png two.png
    ok $? "another query for the same messages: the same picture"
    pith draw more.pith -o every.png -e 'message_filter -longer 0s; message_filter' && cmp all.png every.png
    ok $? "without words all are drawn again"
    pith draw more.pith -o none.png -e 'message_filter -late 2s' && pith draw more.pith -o off.png -e 'arrows off' && cmp none.png off.png
    ok $? "none passes: as without arrows"
    is "$(pith draw more.pith -o wrong.png -e 'message_filter {sise > 3}' 2>&1; echo $?)" \
        "pith: draw: -e: message_filter: query: column 1: there is no field 'sise'; did you mean size?; see \`pith help draw\`
2" "a wrong query"
    is "$(pith draw more.pith -o wrong.png -e 'message_filter -longer' 2>&1)" \
        "pith: draw: -e: message_filter: -longer needs a time; see \`pith help draw\`" "a time is missing"
fi

# ---- The window
start_display
inside more.pith message_filter_checks.tcl
finish
