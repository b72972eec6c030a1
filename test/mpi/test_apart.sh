#!/usr/bin/env bash
# Hosts that have no folder in common: their ranks' parts of the log go to rank 0's host, and what they recorded is found
# again when the log cannot be written.
#
# Two hosts are played on this machine, as in test_hosts.sh; each sees another folder under the name of the log's. The
# log is compared with that of a run on one host.
. "$(dirname "$0")/../lib.sh"
export PITH_QUIET=1

unshare -u -m true 2>err || { skip "hosts without a common folder" "no name spaces can be made: $(head -n 1 err)"; finish; }
mkdir own other small

# agent [-x] HOST COMMAND...: what ssh would be asked. hostb has `other` in place of `own`; where FULL is set, hosta's
# `small` is a disk of 4 KiB.
cat >agent <<END
#!/bin/sh
[ "\$1" = -x ] && shift
host=\$1; shift
[ \$host = hostb ] && mount="mount --bind $PWD/other $PWD/own" || mount="[ ! -e $PWD/full ] || mount -t tmpfs -o size=4k none $PWD/small"
exec unshare -u -m sh -c "\$mount; hostname \$host; cd $PWD/own; \$*"
END
chmod +x agent
ssh_is "$scratch/agent"

# on MPI A B ARGS...: A ranks on hosta, B on hostb
on() {
    local mpi=$1 a=$2 b=$3; shift 3
    cd own || return
    case $mpi in
    mpich) timeout 120 mpiexec.mpich -launcher ssh -launcher-exec "$scratch/agent" -hosts "hosta:$a,hostb:$b" -n $((a + b)) "$@" ;;
    openmpi) PRTE_MCA_rmaps_default_mapping_policy=slot PRTE_MCA_mapby=slot timeout 120 mpiexec.openmpi -host "hosta:$a,hostb:$b" -n $((a + b)) "$@" ;;
    esac >../out 2>../err
    local status=$?
    cd ..
    return $status
}
# All records without their times, sorted. How communicators of one host each are made depends on the hosts: their records
# are left out, and each counts as communicator "host".
records() {
    pith print "$1" 2>>err | sed '/^#/d; s/\tcomm=[1-9][0-9]*\t/\tcomm=host\t/' | cut -f 2- | awk -F '\t' '$3 != "comm"' | sort
}
clear_folders() { rm -rf own/* other/* small/* full; }

# apart MPI A B FILES
apart() {
    local mpi=$1 a=$2 b=$3 what="$1, $2 + $3 ranks, PITH_FILES=$4"
    clear_folders
    mpiexec_of "$mpi" $((a + b)) pith run -o wanted.pith "./hosts.$mpi" >out 2>err || sed 's/^/# /' err
    records wanted.pith >wanted
    rm wanted.pith
    PITH_FILES=$4 on "$mpi" "$a" "$b" pith run -o log.pith "../hosts.$mpi"
    is $? 0 "$what: ends well" || sed 's/^/# /' err | head -n 20
    if [ "$(mpiexec_of "$mpi" 2 "./hosts.$mpi" | sort -u)" = 2 ]; then
        is "$(sort -n -u out | tr '\n' ' ')" "$(printf '%s\n' "$a" "$b" | sort -n -u | tr '\n' ' ')" "that many ranks a host"
    else
        skip "that many ranks a host" "to this $mpi two ranks on one host share no memory"
    fi
    is "$(ls own) $(ls other)" "log.pith " "one log on rank 0's host, and nothing on the other"
    pith check own/log.pith >out 2>&1; ok $? "pith check" || sed 's/^/# /' out
    records own/log.pith >got
    [ -s got ] && cmp -s got wanted; ok $? "the same records as on one host" || diff wanted got | head -n 10
}

# full MPI: rank 0's host has no room for the log
full() {
    local mpi=$1
    clear_folders
    touch full
    PITH_SPILL="$PWD/own/spill" on "$mpi" 2 2 pith run -o "$PWD/small/log.pith" "../hosts.$mpi"
    is "$(grep 'cannot be written' err | sort -u)" "pith: $PWD/small/log.pith: cannot be written: No space left on device" "$mpi: no room for the log: said" || sed 's/^/# /' err
    like "$(cat err)" "^pith: the records are kept: pith recover spill -o LOG" "where it is on rank 0's host"
    is "$(grep 'of hostb' err)" "pith: the records of hostb are kept there, in $PWD/own/spill; copy its files into the folder of hosta, then run pith recover there" "and on the other"
    like "$(pith recover own/spill -o half.pith)" "2 of 4 ranks" "rank 0's host has a half of it"
    cp other/spill/*.spill own/spill
    like "$(pith recover own/spill -o all.pith)" "4 of 4 ranks" "both together have all"
    rm -f half.pith all.pith
}

for mpi in $(mpis); do
    "mpicc.$mpi" -O1 -o "hosts.$mpi" "$top/test/mpi/hosts.c" || { ok 1 "$mpi: compiles"; continue; }
    apart "$mpi" 1 1 1
    apart "$mpi" 2 2 3
    full "$mpi"
done
# The second group of 64 ranks begins on the other host.
if mpis | grep -x openmpi >/dev/null; then
    apart openmpi 60 6 1
fi
finish
