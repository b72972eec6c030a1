# lib.sh - what every shell test sources first: . "$(dirname "$0")/../lib.sh"
# Gives: $top (the source tree), $build, $scratch (an own empty folder, the current one, removed at the end), PATH with
# the built programs first, a fixed locale; and ok, is, like, skip, finish. Every check prints one TAP line.
set -u
# A pipeline fails if one of its parts does. So no part may end early: `grep X >/dev/null`, not `grep -q X`, behind a pipe.
set -o pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${O:-$top/build}
case $build in /*) ;; *) build=$top/$build ;; esac
export LC_ALL=C.UTF-8 PATH="$build/bin:$PATH"
# Open MPI refuses root and counts slots; in a test neither matters. (4, 5 and 6 have different names for slots.)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_smsc=^cma,xpmem,knem PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_mapby=:oversubscribe
# hwloc, in both MPIs, looks for graphics cards at each X server from :0 to :9, whatever DISPLAY says: when another test's Xvfb
# ends in that moment, Xlib ends the rank ("X connection to :0 broken"), in programs without Pith as well.
# Nor does a test need the PCI bus, which takes 20 ms of processor time to read in a job of four ranks (50 with Open MPI), nor Open
# MPI's transports for fabrics, which take 20 more.
export HWLOC_COMPONENTS=-gl,-pci,-linuxio OMPI_MCA_mtl=^ofi,psm,psm2
# UCX, in MPICH, would fill 4 MB of buffers in each rank before it starts; these are made as they are needed.
export UCX_POSIX_RX_BUFS_GROW=16 UCX_SYSV_RX_BUFS_GROW=16 UCX_WARN_UNUSED_ENV_VARS=n
unset ${!PITH_*}
# Elsewhere it would cost time in each run (test_summary.sh), and add records that depend on time (test_call_sites.sh).
export PITH_SUMMARY=no PITH_CALLSITES=no
# What the checks in Python share and use, compiled once for all tests; else each start of Python takes six times as long.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPATH="$top/test/common${PYTHONPATH:+:$PYTHONPATH}" PYTHONPYCACHEPREFIX="$build/test/pycache"
# Temporary files of what is tested go beside the scratch folder, and with it.
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/pith-test.XXXXXX")
export TMPDIR XDG_CACHE_HOME="$TMPDIR/cache"
scratch=$TMPDIR/scratch
trap 'cd /; rm -rf "$TMPDIR"' EXIT
{ mkdir "$scratch" && cd "$scratch"; } || exit 1
# Ranks that wait in MPI let others have the processor, by a library that mpiexec, here a script, preloads (mpi/give_way.c). A rank
# that waits busily takes half of the machine from all other tests.
export OMPI_MCA_mpi_yield_when_idle=1
gives_way=$build/test/mpi/gives_way
[ ! -e "$gives_way" ] || PATH=$gives_way:$PATH
tap_count=0 tap_failed=0

# ok STATUS WHAT: a line, good when STATUS is 0, which it gives back. `cmd >out; ok $? "cmd works" || sed 's/^/# /' out`
ok() {
    tap_count=$((tap_count + 1))
    if [ "$1" = 0 ]; then echo "ok $tap_count - $2"; else
        tap_failed=$((tap_failed + 1)); echo "not ok $tap_count - $2"; fi
    return "$1"
}
# is GOT WANTED WHAT: the two strings are equal. Of long ones the difference is shown.
is() {
    [ "$1" = "$2" ]
    ok $? "$3" && return
    case $1$2 in
    *$'\n'*) diff <(echo "$2") <(echo "$1") | grep '^[<>]' | head -n 12 | sed 's/^</#   wanted:/; s/^>/#   got:   /' ;;
    *) printf '#   got:    %s\n#   wanted: %s\n' "$1" "$2" ;;
    esac
    return 1
}
# like GOT PATTERN WHAT: a line of GOT matches the extended regular expression. Of several lines, compare joined ones.
like() {
    case $2 in *$'\n'*)
        ok 1 "$3"
        echo "#   the pattern has a newline: grep would look for one of its lines"
        return 1 ;;
    esac
    if grep -qE -- "$2" <<<"$1"; then ok 0 "$3"; else ok 1 "$3"; printf '#   got:    %s\n#   wanted: /%s/\n' "${1//$'\n'/$'\n#   '}" "$2"; return 1; fi
}
# unlike GOT PATTERN WHAT: no line of GOT matches
unlike() {
    ! grep -qE -- "$2" <<<"$1"
    ok $? "$3" || { printf '#   got:    %s\n' "${1//$'\n'/$'\n#   '}"; return 1; }
}
# flowing TEXT: in one line, with one blank between words; for sentences that a page may break anywhere.
flowing() { tr -s ' \n' ' ' <<<"$1"; }
# joined TEXT: its lines as one, with | in between
joined() { echo "${1//$'\n'/|}"; }
# skip WHAT WHY
skip() { tap_count=$((tap_count + 1)); echo "ok $tap_count - $1 # SKIP $2"; }
# checks_of FILE [PREFIX]: the checks that a helper printed ("ok 1 - it works", "not ok - it fails") become checks of this test.
# Other lines are shown as comments.
checks_of() {
    local line
    while IFS= read -r line; do
        case $line in
        'ok '*) ok 0 "${2:-}${line#ok *- }" ;;
        'not ok '*) ok 1 "${2:-}${line#not ok *- }" ;;
        '' | 1..*) ;;
        *) echo "# ${line#\# }" ;;
        esac
    done <"$1"
}
# undisturbed: what a test measures of time is spoiled by what runs beside it, so it goes first from here on, where that is allowed.
# Its ranks that wait only yield (give_way.c), since one that sleeps notices a message up to 50 us late.
undisturbed() {
    renice -n -10 -p $$ >/dev/null 2>&1 || :
    export GIVE_WAY=yield
}
# waiting_burns: from here on ranks that wait keep their processor, as without give_way.c: one that gave it away may get it back
# late, and is then not delayed by what another rank does meanwhile.
waiting_burns() { PATH=${PATH#"$gives_way:"} OMPI_MCA_mpi_yield_when_idle=0; }
# quota GOOD OF COMMAND...: for a check that a busy machine can spoil, though nothing is wrong. The command must succeed GOOD
# of OF times; it is run until that is decided. $quota tells the count.
quota() {
    local quota_wanted=$1 quota_of=$2 quota_runs quota_good=0
    shift 2
    for ((quota_runs = 1; quota_runs <= quota_of; quota_runs++)); do
        "$@" && quota_good=$((quota_good + 1))
        quota="$quota_good of $quota_runs"
        [ $quota_good -lt $quota_wanted ] && [ $((quota_good + quota_of - quota_runs)) -ge $quota_wanted ] || break
    done
    [ $quota_good -ge $quota_wanted ]
}
# quick_or_full QUICK FULL: a count of a long sweep, for `make check` and for `make check-full` (FULL=1). What is checked of each
# input is the same. (In C: common/quick_or_full.h.)
quick_or_full() { if [ "${FULL:-}" ]; then echo "$2"; else echo "$1"; fi; }
# its_turn MPI NUMBER: of a long sweep under both MPIs `make check` takes each case under one of them, in turn; `make check-full`
# all under both. NUMBER counts the cases from 0.
its_turn() { [ "${FULL:-}" ] || [ "$(mpis | wc -l)" = 1 ] || [ $(($2 % 2)) = $(($(mpis | grep -n "^$1\$" | cut -d: -f1) - 1)) ]; }
# tree PATHSPEC...: the source files that match, those not yet added too. A PATHSPEC without a file fails the test: a search
# in a folder that has got another name finds nothing wrong.
tree() {
    local spec file files found
    for spec; do
        case $spec in ':!'*) continue ;; esac
        files=$(git ls-files -co --exclude-standard -- "$spec") found=
        while IFS= read -r file; do [ ! -e "$file" ] || found=yes; done <<<"$files"
        [ "$found" ] || echo "$spec" >>"$TMPDIR/gone"
    done
    git ls-files -co --exclude-standard -- "$@" | while IFS= read -r file; do [ ! -e "$file" ] || printf '%s\n' "$file"; done
}
# git, also in a checkout that belongs to somebody else.
git() { command git -c 'safe.directory=*' "$@"; }
# sanitizers: how programs must be compiled that are to run with a build for a sanitizer; else nothing.
sanitizers() {
    nm "$build/lib/libpith.a" 2>/dev/null | grep __asan_ >/dev/null && echo -fsanitize=address,undefined
    nm "$build/lib/libpith.a" 2>/dev/null | grep __tsan_ >/dev/null && echo -fsanitize=thread
}
# mpis: the MPIs that the wrappers were built for; mpiexec_of NAME N ARGS: start N ranks under it.
mpis() { ls "$build/lib/pith" 2>/dev/null | grep -E '^(mpich|openmpi)$'; }
# Lines of `pith print` as most formats keep them: states and events without their communicator.
off_comms() { sed -E '/\t(enter|leave|event)\t/s/\tcomm=[0-9]+//'; }
# romio: Open MPI's component for MPI-IO that makes MPI calls of its own; another one where it has none.
romio() { ompi_info 2>/dev/null | sed -n 's/.*MCA io: \(romio[0-9]*\).*/\1/p' | grep . || echo ompio; }
# ssh_is AGENT: what Open MPI starts in place of ssh (the names of version 4, and of 5 and later). The hosts that such agents play
# have the same addresses; version 6's TCP finds no way between these, UCX does.
ssh_is() {
    export OMPI_MCA_plm_rsh_agent="$1" PRTE_MCA_plm_ssh_agent="$1"
    [[ $(mpiexec.openmpi --version 2>/dev/null) != *' 6.'* ]] || export OMPI_MCA_pml="${OMPI_MCA_pml-ucx}" OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any
}
mpiexec_of() { local m=$1 n=$2; shift 2; "mpiexec.$m" -n "$n" "$@"; }
finish() {
    [ ! -e "$TMPDIR/gone" ] || is "$(sort -u "$TMPDIR/gone")" "" "what is looked at is there"
    echo "1..$tap_count"; exit $((tap_failed != 0))
}
