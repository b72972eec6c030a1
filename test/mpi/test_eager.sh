#!/usr/bin/env bash
# The log tells how long a posted message may be that comes while its sender computes (eager_bytes), and that is so.
. "$(dirname "$0")/../lib.sh"
. "$top/test/mpi/functions.sh"

# posted BYTES SECONDS: "moves" or "stays"
posted() { timeout 60 "mpiexec.$mpi" -n 2 "./eager-$mpi" "$1" "$2" 2>err; }
# told RANKS: what its log says
told() { record eager "$mpi" "$1" 8 0.01 >/dev/null; pith info eager.pith | sed -n 's/^eager_bytes: //p'; }

for mpi in $(mpis); do
    compile eager "$mpi" || { ok 1 "$mpi: built"; continue; }
    for ranks in 1 2 4; do
        limit=$(told $ranks)
        case $mpi$ranks in
        openmpi[24]) like "$limit" '^same_host=[1-9][0-9]* network=[1-9][0-9]*$' "$mpi $ranks: limits of Open MPI's own transports" ;;
        openmpi1) like "$limit" '^network=[1-9][0-9]*$' "$mpi $ranks: nothing of its own host" ;;
        *) is "$limit" "" "$mpi $ranks: nothing" ;;
        esac
    done
    [ $mpi = openmpi ] || continue
    limit=$(told 2) limit=${limit#same_host=} limit=${limit%% *}
    is "$(posted "$limit" 30) $(posted $((limit + 1)) 0.3)" "moves stays" "$mpi: $limit bytes go at once, one more does not"
    # Where a process may read another one's memory, the receiver fetches it; not everywhere it may.
    export OMPI_MCA_btl_vader_single_copy_mechanism=cma OMPI_MCA_smsc=cma
    case $(told 2) in
    network=*) is "$(posted 1000000 30)" moves "$mpi: no limit is told, and all go" ;;
    *) is "$(posted 1000000 0.3)" stays "$mpi: a limit is told here, too" ;;
    esac
    export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma,xpmem,knem
    # Other limits than usual.
    export OMPI_MCA_btl_vader_eager_limit=2000 OMPI_MCA_btl_sm_eager_limit=2000
    limit=$((2000 - (4096 - limit))) # of both the header is taken
    is "$(told 2 | cut -d' ' -f1) $(posted $limit 30) $(posted $((limit + 1)) 0.3)" "same_host=$limit moves stays" "$mpi: a limit that the user sets"
    unset OMPI_MCA_btl_vader_eager_limit OMPI_MCA_btl_sm_eager_limit
done
finish
