#!/usr/bin/env bash
# The recipes of pith-launchers(7). Launchers that are not here are played by scripts that set what they set, around the
# mpiexec that connects the ranks; read-only systems and containers are name spaces with mounts of their own.
. "$(dirname "$0")/../lib.sh"
export UCX_LOG_LEVEL=fatal PRTE_MCA_ras=^slurm PRTE_MCA_plm=^slurm # (Open MPI 6 asks a Slurm that is not here)

# What the launchers that are here set, and those that are played do not.
hydra='MPI_LOCALRANKID MPI_LOCALNRANKS' open="${!OMPI_COMM_WORLD_*} OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK OMPI_COMM_WORLD_LOCAL_SIZE"
# task: a process as srun, flux, or the mpiexec of PALS start it: LAUNCHER PROGRAM...
cat >task <<END
#!/bin/sh
rank=\${PMI_RANK:-\$PMIX_RANK} size=\${PMI_SIZE:-\$OMPI_COMM_WORLD_SIZE}
unset $hydra $open
case \$1 in
srun) export SLURM_JOB_ID=77 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=\$size SLURM_NTASKS=\$size SLURM_PROCID=\$rank SLURM_LOCALID=\$rank ;;
flux) export FLUX_JOB_ID=f77 FLUX_JOB_SIZE=\$size FLUX_TASK_RANK=\$rank FLUX_TASK_LOCAL_ID=\$rank ;;
pals) export PALS_RANKID=\$rank PALS_LOCAL_RANKID=\$rank PMI_LOCAL_RANK=\$rank PMI_LOCAL_SIZE=\$size ;;
esac
shift
exec "\$@"
END
chmod +x task
# launch LAUNCHER MPI N COMMAND...
launch() { local launcher=$1 mpi=$2 n=$3; shift 3; timeout 120 "mpiexec.$mpi" -n "$n" "$PWD/task" "$launcher" "$@" >out 2>err; }
# whole LOG N WHAT: the log is that of all ranks, said by one line
whole() {
    is "$(pith info "$1" 2>&1 | sed -n 's/^ranks: //p') $(grep -c "^pith: $1: $2 ranks" err) $(grep ^pith: err | grep -c -v ' share ')" "$2 1 1" "$3" || sed 's/^/# /' err
}

for mpi in $(mpis); do
    "mpicc.$mpi" -O1 -o "until.$mpi" "$top/test/mpi/until.c" || { ok 1 "$mpi: compiles"; continue; }
    app=./until.$mpi
    touch stop
    for launcher in srun flux pals; do
        [ "$launcher $mpi" != "pals openmpi" ] || continue
        SLURM_JOB_ID=77 launch $launcher "$mpi" 4 pith run -o "app.77.pith" "$app"
        is $? 0 "$launcher, $mpi: ends well"
        whole app.77.pith 4 "one log of all ranks"
    done
    # Some ranks only: which are on this machine is known from what they have in common.
    cat >some <<END
#!/bin/sh
[ "\$SLURM_PROCID" = 1 ] && exec "\$@"
exec pith run -o some.pith "\$@"
END
    chmod +x some
    launch srun "$mpi" 3 "$PWD/some" "$app"
    is $? 0 "srun, $mpi: two ranks of three are recorded: ends well"
    like "$(cat err)" '^pith: of 3 processes 2 were started with pith run \(0,2\)' "and it is said which" || sed 's/^/# /' err

    # srun with the wrong --mpi starts jobs of one rank.
    for rank in 0 1 2; do
        SLURM_PROCID=$rank SLURM_LOCALID=$rank SLURM_STEP_NUM_TASKS=3 timeout 60 pith run -o alone.pith "$app" >/dev/null 2>err.$rank &
    done
    wait
    is "$(ls alone*.pith | wc -l) $(cat err.? | grep -c '^pith: alone.*: 1 rank,')" "3 3" "srun --mpi=none, $mpi: three logs, each said"
    case $mpi in mpich) name=MPICH ;; *) name='Open MPI' ;; esac
    is "$(grep -h 'processes were' err.?)" "pith: 3 processes were started, but each is a job of its own with 1 rank: the program's MPI is $name, which srun did not connect; see srun --mpi=list" "and once why"
    SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=3 SLURM_PTY_PORT=4711 timeout 60 pith run -o alone.pith "$app" >/dev/null 2>err
    is "$(grep -c 'processes were started' err)" 0 "in a shell of srun --pty one process is one process"
    rm -f stop ./*.pith

    # Several mpiruns in one job, at the same time: a batch script of Slurm has a rank itself, a shell that srun started has more.
    for around in "SLURM_PROCID=0 SLURM_JOB_ID=77" "PMI_RANK=0 PMI_SIZE=1 SLURM_PROCID=0 SLURM_PTY_PORT=4711" "PMIX_RANK=0 SLURM_PROCID=0"; do
        # (Open MPI does not start below what says that it is a rank of another one.)
        [ "${around%%=*} $mpi" != "PMIX_RANK openmpi" ] || continue
        for run in 1 2; do
            mkdir -p "run$run"
            ln -sf "../$app" "run$run/app"
            # The same log by its full name; a folder of its own to say that it runs.
            # (Open MPI's mpiexecs race for their folder in TMPDIR.)
            (cd "run$run" && rm -f running && exec env TMPDIR="$PWD" $around timeout 120 "mpiexec.$mpi" -n 2 pith run -o "$scratch/app.pith" ./app >out 2>err) &
        done
        for ((i = 0; i < 1000; i++)); do [ -e run1/running ] && [ -e run2/running ] && break; sleep 0.05; done
        touch run1/stop run2/stop
        wait
        is "$(ls app*.pith | xargs)" "app-2.pith app.pith" "$mpi, two mpiruns at once, in $around: two logs" || sed 's/^/# /' run?/err
        is "$(for log in app.pith app-2.pith; do pith info $log 2>&1 | sed -n 's/^ranks: //p'; done | xargs) $(cat run?/err | grep -cE '^pith: .*/?app(-2)?.pith: 2 ranks')" "2 2 2" "of two ranks each, and each run says its own" || sed 's/^/# /' run?/err
        rm -rf run? app*.pith
    done
    touch stop

    # PBS and LSF: a script in the home folder, with what names its hosts and its folder.
    mkdir -p home work && ln -sf "../$app" work/app && touch work/stop
    echo localhost >nodes
    (cd home && PBS_ENVIRONMENT=PBS_BATCH PBS_JOBID=77.server PBS_NODEFILE="$scratch/nodes" PBS_O_WORKDIR="$scratch/work" sh -c '
        cd "$PBS_O_WORKDIR"; timeout 120 mpiexec.'"$mpi"' -n 2 pith run -o "app.$PBS_JOBID.pith" ./app') >out 2>err
    is $? 0 "PBS, $mpi: ends well" || sed 's/^/# /' err
    is "$(ls home) $(ls work)" " app
app.77.server.pith
stop" "the log is in the folder of the job"
    (cd work && LSB_JOBID=77 LSB_MCPU_HOSTS='localhost 2' LSB_HOSTS='localhost localhost' LSB_DJOB_NUMPROC=2 sh -c '
        timeout 120 mpiexec.'"$mpi"' -n 2 pith run -o app.$LSB_JOBID.pith ./app') >out 2>err
    is "$? $(pith info work/app.77.pith 2>&1 | sed -n 's/^ranks: //p')" "0 2" "LSF, $mpi" || sed 's/^/# /' err
    rm -rf home work ./*.pith
done

# ---- Read-only systems and containers -----------------------------------------------------------------------------
if ! unshare -m true 2>err; then skip "read-only systems" "no name spaces can be made: $(head -n 1 err)"; finish; fi
mkdir writable
# inside WRITABLE COMMAND...: on a system that is read-only but for that folder, /dev and /proc (/tmp may be a file system). SPACES: more that it has of its own.
cat >inside <<'END'
#!/bin/sh
exec unshare -m $SPACES sh -c '
    mount --bind "$1" "$1" && mount -o remount,bind,ro / && mount -o remount,bind,ro "$(df --output=target . | tail -n 1)" || exit 99
    cd "$PWD" && shift && exec "$@"' - "$@"
END
chmod +x inside
export SPACES='' XDG_CACHE_HOME=$PWD/cache
ok "$(./inside writable sh -c 'touch here 2>/dev/null || touch writable/here; echo $?')" "it is" || { finish; }
is "$(ls here writable/here 2>/dev/null)" writable/here "and only there"
rm -f writable/here

for mpi in $(mpis); do
    app=./until.$mpi
    [ -x "$app" ] || continue
    # (Open MPI needs a folder for files of its own.)
    export TMPDIR=$scratch/writable
    timeout 120 ./inside writable "mpiexec.$mpi" -n 2 pith run -o writable/app.pith $app >out 2>err
    is "$? $(pith info writable/app.pith 2>&1 | sed -n 's/^ranks: //p') $(grep ^pith: err | grep -c -v ' share ') $(ls writable/app*)" "0 2 1 writable/app.pith" "$mpi, a read-only system: the log is where -o says" || sed 's/^/# /' err
    # A reader there has no cache, and does not speak of it.
    for command in stat 'analyze --csv' 'draw --text'; do
        is "$(./inside writable pith ${command%% *} writable/app.pith $(cut -s -d ' ' -f 2- <<<"$command") 2>&1 | cksum)" "$(pith ${command%% *} writable/app.pith $(cut -s -d ' ' -f 2- <<<"$command") 2>&1 | cksum)" "pith $command reads it there as elsewhere"
    done

    timeout 120 ./inside writable "mpiexec.$mpi" -n 2 pith run $app >out 2>err
    is $? 0 "no folder for the log: the program ends well" || sed 's/^/# /' err
    like "$(grep -m 1 ^pith: err)" "until.$mpi.pith: .*Read-only file system" "a line says so"
    is "$(pith recover "writable/pith-$(id -u)-until.$mpi.pith.spill" -o writable/again.pith >/dev/null 2>&1; pith info writable/again.pith 2>&1 | sed -n 's/^ranks: //p')" 2 "the records are in TMPDIR" || { sed 's/^/# /' err; ls writable; }
    rm -rf writable/*

    # Containers: a job in one, and a rank in each, with the processes of the machine or with its own ones.
    for how in "--pid --fork --mount-proc --uts --ipc|job" "|rank" "--pid --fork --mount-proc|rank"; do
        export SPACES=${how%|*}
        case $how in
        *job) timeout 120 ./inside writable "mpiexec.$mpi" -n 2 pith run -o writable/app.pith $app ;;
        # (Open MPI's shared memory needs the numbers of processes.)
        *pid*) OMPI_MCA_btl=self,tcp timeout 120 "mpiexec.$mpi" -n 2 ./inside writable pith run -o "$PWD/writable/app.pith" $app ;;
        *) timeout 120 "mpiexec.$mpi" -n 2 ./inside writable pith run -o "$PWD/writable/app.pith" $app ;;
        esac >out 2>err
        is "$? $(pith info writable/app.pith 2>&1 | sed -n 's/^ranks: //p') $(grep ^pith: err | grep -c -v ' share ') $(ls writable/app*)" "0 2 1 writable/app.pith" "$mpi, a container for the ${how#*|}${SPACES:+, with its own processes}: one log" || sed 's/^/# /' err
        rm -rf writable/app*
    done
    SPACES=''
done
# Nowhere at all: MPICH runs there.
if [ -x until.mpich ]; then
    TMPDIR=$scratch timeout 120 ./inside writable mpiexec.mpich -n 2 ./until.mpich >wanted 2>&1
    TMPDIR=$scratch timeout 120 ./inside writable mpiexec.mpich -n 2 pith run ./until.mpich >out 2>err
    is "$?" 0 "no folder for records either: the program ends well" || sed 's/^/# /' err
    is "$(cat err)" "pith: $PWD/until.mpich.pith: cannot make a folder for the buffers, neither beside the log nor in TMPDIR; set PITH_SPILL (recording is off)" "a line says so"
    is "$(ls -A writable) $(ls -d ./*.spill 2>/dev/null)" " " "nothing is left"
fi
finish
