#!/usr/bin/env bash
# Communicators: each has one key in all its members and another than every other, the right members, its name; messages on
# them carry world ranks.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"
reader matched

# What the program says, a line a communicator: name and members (both groups of an intercommunicator, smaller first).
told() {
    sed -E 's/^rank [0-9]+ //' "$1" | awk -F': ' '{ n = split($2, side, " \\| "); s = $2
        if (n == 2) { a = side[1]; b = side[2]; split(a, x, " "); split(b, y, " "); s = x[1] + 0 < y[1] + 0 ? a " | " b : b " | " a }
        if ($1 != "self") print $1 ": " s }' | sort | uniq
}
for mpi in $(mpis); do
    compile comms "$mpi"
    for ranks in 1 2 4; do
        name="$mpi $ranks"
        plain comms "$mpi" $ranks
        record comms "$mpi" $ranks
        is "$status $plain_status" "0 0" "$name: ends well" || head -n 20 err
        is "$(cat out)" "$(cat plain.out)" "$name: output as without Pith"
        pith print comms.pith | grep -P '^# comm\t' | cut -f 3- >log
        # `plain_ones` runs twice, so these names come twice; unnamed ones are the bases of others, and the 300.
        sed -E 's/^name=([^\t]*)\tsize=[^\t]*\t(.*)$/\1: \2/; s/(remote_)?ranks=//g; s/\t/ | /; s/,/ /g' log |
            grep -vE '^(:|MPI_COMM_WORLD|self|pith)' | sort >named
        is "$(awk -F': ' '{ split($2, s, " \\| "); a = s[1]; b = s[2]; if (b != "") { split(a, x, " "); split(b, y, " "); if (x[1] + 0 > y[1] + 0) $2 = b " | " a; print $1 ": " $2 } else print }' named | sort -u)" \
            "$(told out)" "$name: the members of every communicator"
        is "$(cut -d: -f1 named | sort | uniq -c | awk '$1 > 2' | tr -s ' \n' ' ')" "" "$name: one key in all members"
        twice=$(grep -cE '^(dup0|dup1|dup_with_info|idup|split0-0|split_type0):' named)
        is "$twice" 12 "$name: the same made twice has two keys"
        is "$(lines comms.pith comm | grep -c op=create)" "$(($(lines comms.pith comm | grep -c op=free) + ranks))" "$name: all freed but MPI_COMM_SELF"
        sent=$(lines comms.pith send | wc -l)
        like "$(./matched comms.pith)" "messages $sent wrong 0 unsized 0 unmatched 0 0 nobody 0" "$name: messages matched"
    done
done
finish
