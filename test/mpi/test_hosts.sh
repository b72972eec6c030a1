#!/usr/bin/env bash
# The end of a job on one host and on two (MPI-IO), in one file and in some (PITH_FILES): the same log.
#
# Two hosts are played on this machine: MPICH's launcher starts a proxy for each name itself; Open MPI's is given an agent
# in place of ssh that starts its daemon under that host name, in a name space of its own (needs root).
. "$(dirname "$0")/../lib.sh"
export PITH_QUIET=1

cat >agent <<'END'
#!/bin/sh
# agent HOST COMMAND...: what ssh would be asked.
host=$1; shift
exec unshare -u sh -c "hostname $host; $*"
END
chmod +x agent
ssh_is "$PWD/agent"

# on HOSTS MPI RANKS ARGS...
on() {
    local hosts=$1 mpi=$2 ranks=$3 half=$((($3 + 1) / 2)); shift 3
    case $hosts$mpi in
    1*) mpiexec_of "$mpi" "$ranks" "$@" ;;
    2mpich) mpiexec.mpich -launcher fork -hosts hosta,hostb -ppn $half -n "$ranks" "$@" ;;
    2openmpi) PRTE_MCA_rmaps_default_mapping_policy=slot PRTE_MCA_mapby=slot mpiexec.openmpi -host hosta:$half,hostb:$half -n "$ranks" "$@" ;;
    esac
}

# All records without their times, sorted. How communicators of one host each are made depends on the hosts: their records
# are left out, and each counts as communicator "host".
records() {
    pith print "$1" 2>>err | sed '/^#/d; s/\tcomm=[1-9][0-9]*\t/\tcomm=host\t/' | cut -f 2- | awk -F '\t' '$3 != "comm"' | sort
}

# is_host MPI GOT WANTED: what the program says of the ranks with which its own shares memory
is_host() {
    if [ "$(mpiexec_of "$1" 2 "./hosts.$1" | sort -u)" = 2 ]; then is "$2" "$3" "that many ranks a host"; else
        skip "that many ranks a host" "to this $1 two ranks on one host share no memory"; fi
}

for mpi in $(mpis); do
    "mpicc.$mpi" -O1 -o "hosts.$mpi" "$top/test/mpi/hosts.c" || { ok 1 "$mpi: compiles"; continue; }
    for ranks in 1 2 4; do
        for case in "1 1" "1 3" "2 1" "2 3"; do
            read -r hosts files <<<"$case"
            what="$mpi, $ranks ranks, $hosts host(s), PITH_FILES=$files"
            [ "$hosts $ranks" != "2 1" ] || continue
            if [ "$hosts$mpi" = 2openmpi ] && ! unshare -u true 2>/dev/null; then
                skip "$what" "no name space can be made"; continue
            fi
            rm -rf log.pith*
            PITH_FILES=$files on "$hosts" "$mpi" "$ranks" pith run -o log.pith "./hosts.$mpi" >out 2>err
            is $? 0 "$what: ends well" || sed 's/^/# /' err
            is_host "$mpi" "$(sort -u out)" $((ranks / hosts))
            many=$((files < ranks ? files : ranks)); [ $many -gt 1 ] || many=0
            is "$(ls -d log.pith* | tr '\n' ' ')" \
                "log.pith $(for ((i = 1; i <= many; i++)); do echo -n "log.pith.$i "; done)" "its files, and no others"
            pith check log.pith >out 2>&1
            ok $? "pith check" || sed 's/^/# /' out
            records log.pith >got
            [ "$case" = "1 1" ] && mv got wanted && is "$(grep -c 'MPI_Allreduce' wanted)" $((200 * ranks)) "all is there" && continue
            cmp -s got wanted; ok $? "the same records as on one host in one file" || diff wanted got | head -n 10
            if [ "$ranks $case" = "4 2 3" ]; then
                PITH_FILES=3 on 2 "$mpi" 4 pith run --answer -o log.pith "./hosts.$mpi" >out 2>err
                is "$?:$(cat err)" "0:$(pith analyze log.pith)" "--answer: one page"
                [ "$mpi" = mpich ] || like "$(cat err)" '^log.pith: 4 ranks, 2 hosts' "of both hosts" # MPICH's have one name
            fi
            [ "$ranks $case" = "4 1 3" ] || continue
            rm log.pith.2
            like "$(pith stat log.pith 2>&1)" '^pith: log.pith.2: cannot be opened: .*' "without one of the files: said"
            rm -f rest.pith && pith recover log.pith -o rest.pith >out 2>&1
            is "$?:$(cat out)" "0:rest.pith: the intact parts of log.pith; 1 damaged place left out" "pith recover takes the others"
            records rest.pith >got
            is "$(($(wc -l <got) > 100)):$(comm -23 got wanted)" 1: "their records"
        done
    done
done

# More ranks than one writes for in the table of ranks.
if mpis | grep -x openmpi >/dev/null; then
    rm -rf log.pith*
    PITH_FILES=5 on 1 openmpi 66 pith run -o log.pith ./hosts.openmpi >out 2>err
    is $? 0 "66 ranks: ends well" || sed 's/^/# /' err
    pith check log.pith >out 2>&1
    ok $? "pith check" || sed 's/^/# /' out
    is "$(pith info log.pith | grep -E '^(ranks|lanes|messages):' | tr '\n' ' ')" "ranks: 66 lanes: 66 messages: 6600 " "all are there"
    is "$(pith print log.pith | cut -f 2,5 | grep -c $'^65\tMPI_Allreduce')" 200 "the last rank's calls are its own"
fi
finish
