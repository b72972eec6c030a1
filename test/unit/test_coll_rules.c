/* test_coll_rules.c - which names of calls are collectives, in C and C++. */
#include "analysis/coll_rules.h"
#include "tap.h"

static void names(void)
{
    static const struct {
        const char *name;
        enum pithi_coll_shape shape;
        unsigned flags;
    } all[] = {
        {"MPI_Barrier", PITHI_COLL_ALL, PITHI_COLL_BARE},
        {"MPI_Bcast_c", PITHI_COLL_FROM, 0},
        {"MPI_Ireduce", PITHI_COLL_TO, PITHI_COLL_STARTS},
        {"MPI_Scan_init", PITHI_COLL_LOWER, PITHI_COLL_STARTS | PITHI_COLL_KEEPS},
        {"MPI::Comm::Bcast", PITHI_COLL_FROM, 0},
        {"MPI_Win_fence", PITHI_COLL_ALL, PITHI_COLL_BARE | PITHI_COLL_LOOSE},
        {"MPI_Win_allocate_c", PITHI_COLL_ALL, PITHI_COLL_BARE | PITHI_COLL_LOOSE},
        {"MPI::Win::Fence", PITHI_COLL_ALL, PITHI_COLL_BARE | PITHI_COLL_LOOSE},
        {"MPI::Win::Create", PITHI_COLL_ALL, PITHI_COLL_BARE | PITHI_COLL_LOOSE},
        {"MPI::Win::Free", PITHI_COLL_ALL, PITHI_COLL_BARE | PITHI_COLL_LOOSE},
        {"MPI::Comm::Free", PITHI_COLL_NONE, 0},
        {"MPI::Intracomm::Create", PITHI_COLL_NONE, 0},
        {"MPI_Win_lock", PITHI_COLL_NONE, 0},
        {"MPI_Win_", PITHI_COLL_NONE, 0},
        {"MPI::Win::", PITHI_COLL_NONE, 0},
        {"MPI_", PITHI_COLL_NONE, 0},
        {"Barrier", PITHI_COLL_NONE, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct pithi_coll_rule rule = pithi_coll_rule(all[i].name);
        OK(rule.shape == all[i].shape && rule.flags == all[i].flags, "%s", all[i].name);
    }
}

int main(void)
{
    names();
    return tap_done();
}
