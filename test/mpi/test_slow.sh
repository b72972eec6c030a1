#!/usr/bin/env bash
# samples/slow: copied, built and recorded as its README says, under each MPI. pith analyze names the reason, and it is
# gone when mended.
. "$(dirname "$0")/../lib.sh"
undisturbed
unset GIVE_WAY # ranks sleep while they wait, and while they compute, which is in ms
. "$top/test/mpi/functions.sh"
unset MAKEFLAGS MFLAGS MAKEOVERRIDES PITH MPICC # of a `make check` around this

# reason KIND: of the waiting of that kind in slow.json, the call that waits most, the state that causes most of it, and
# on which rank; the lowest factor of efficiency; and "less" if fast.json has less than half of this waiting.
reason() {
    python3 - "$1" <<'E'
import json, sys
kind, slow, fast = sys.argv[1], json.load(open("slow.json")), json.load(open("fast.json"))
def waits(analysis): return {w["state"]: w["ns"] for w in analysis["waits"] if w["kind"] == kind}
def most(amounts): return max(amounts, key=amounts.get, default="nothing")
states, ranks = {}, {}
for d in slow["delays"]:
    if d["causes"] == kind:
        ns = d["direct_ns"] + d["indirect_ns"]
        states[d["state"]] = states.get(d["state"], 0) + ns
        ranks[d["state"], d["rank"]] = ns
factors = {name: -slow["efficiencies"][name] for name in ("load_balance", "serialisation", "transfer")}
less = sum(waits(fast).values()) < sum(waits(slow).values()) / 2
print(most(waits(slow)), most(states), most(ranks)[1], most(factors), "less" if less else "as much")
E
}

is_found() {
    local said=
    for how in slow fast; do
        TIMEOUT=120 timeout -k 5 150 "mpiexec.$mpi" -n "$ranks" pith run -o "$how.pith" "slow/$program" $how >out 2>err </dev/null
        said+="$? $(cat out) " && pith analyze --json "$how.pith" >"$how.json" 2>>err
    done
    grep -qE "^(0 $program: [0-9]+ steps in [0-9.]+ s ){2}$" <<<"$said" || ran=$said
    found=$(reason "$kind")
    grep -qE "^$wanted\$" <<<"$found"
}
cp -r "$top/samples/slow" slow
for mpi in $(mpis); do
    (cd slow && make -s clean && make MPICC=mpicc.$mpi) >make.out 2>&1
    ok $? "$mpi: make" || cat make.out
    is "$(grep -ciE 'warning|error' make.out)" 0 "$mpi: without warnings" || cat make.out
    while IFS=/ read -r program ranks kind wanted; do
        ran=yes
        quota 2 5 is_found # a busy machine makes ranks late for reasons of its own, and long messages slow
        ok $? "$mpi: $program: the reason is found, and gone when mended ($quota)" || sed 's/^/# /' err - <<<"$found"
        is "$ran" yes "$mpi: $program runs"
    done <<'E'
late_sender/3/late sender/MPI_Recv refine 1 load_balance less
in_turn/3/late sender/MPI_Recv write [01] serialisation less
late_receiver/2/late receiver/MPI_Send radiation 1 (serialisation|transfer) less
laggard/3/wait at N x N/MPI_Allreduce report 0 load_balance less
many_small/2/late sender/.* transfer .*
E
    is "$(pith info slow.pith | sed -n 's/^messages: //p') $(pith info fast.pith | sed -n 's/^messages: //p')" "200000 200" "$mpi: many_small: messages"
done
finish
