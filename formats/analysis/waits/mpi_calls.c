/* mpi_calls.c - the table of the traits of MPI calls, which the search for wait states and the delay replay use.
 *
 * A log has only the name of a call, and the name decides what the call does for messages. If MPI_Recv contains the
 * record of a receive, MPI_Recv has also posted this receive; if MPI_Wait does, another call has posted it. A function
 * without a row (MPI_Comm_rank) is a call that neither waits nor lets others go on. Add a row for each new function
 * that moves messages; rows of collectives are in coll_rules.c. */
#include "analysis/mpi_calls.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/coll_rules.h"
#include "native/log.h"

static const struct function {
    const char *name;
    unsigned traits;
} functions[] = {
    {"Recv", PITHI_RECEIVES | PITHI_POSTS | PITHI_MOVES},
    {"Send", PITHI_SENDS},
    {"Rsend", PITHI_SENDS},
    {"Sendrecv", PITHI_RECEIVES | PITHI_POSTS | PITHI_MOVES},
    {"Sendrecv_replace", PITHI_RECEIVES | PITHI_POSTS | PITHI_MOVES},
    {"Irecv", PITHI_POSTS},
    {"Mprobe", PITHI_POSTS | PITHI_MOVES},
    {"Mrecv", PITHI_MOVES},
    {"Probe", PITHI_MOVES},
    {"Iprobe", PITHI_MOVES | PITHI_TESTS},
    {"Improbe", PITHI_MOVES | PITHI_TESTS},
    {"Isendrecv", PITHI_POSTS | PITHI_SENDS_LATER},
    {"Isendrecv_replace", PITHI_POSTS | PITHI_SENDS_LATER},
    {"Start", PITHI_MAY_POST | PITHI_SENDS_LATER},
    {"Startall", PITHI_POSTS_MANY | PITHI_SENDS_LATER},
    {"Isend", PITHI_SENDS_LATER},
    {"Irsend", PITHI_SENDS_LATER},
    {"Issend", PITHI_SENDS_LATER | PITHI_SYNCHRONOUS},
    {"Ibsend", PITHI_SENDS_LATER | PITHI_BUFFERED},
    {"Bsend", PITHI_BUFFERED},
    {"Ssend", PITHI_SYNCHRONOUS | PITHI_MOVES},
    {"Wait", PITHI_COMPLETES | PITHI_MOVES | PITHI_ONE},
    {"Waitany", PITHI_COMPLETES | PITHI_MOVES | PITHI_ONE | PITHI_FIRST},
    {"Waitsome", PITHI_COMPLETES | PITHI_MOVES | PITHI_FIRST},
    {"Waitall", PITHI_COMPLETES | PITHI_MOVES | PITHI_LEAVES_NONE},
    {"Test", PITHI_MOVES | PITHI_TESTS},
    {"Testall", PITHI_MOVES | PITHI_TESTS},
    {"Testany", PITHI_MOVES | PITHI_TESTS | PITHI_FIRST},
    {"Testsome", PITHI_MOVES | PITHI_TESTS | PITHI_FIRST},
    {"Put", PITHI_ACCESSES},
    {"Get", PITHI_ACCESSES},
    {"Accumulate", PITHI_ACCESSES},
    {"Get_accumulate", PITHI_ACCESSES},
    {"Fetch_and_op", PITHI_ACCESSES},
    {"Compare_and_swap", PITHI_ACCESSES},
    {"Rput", PITHI_ACCESSES},
    {"Rget", PITHI_ACCESSES},
    {"Raccumulate", PITHI_ACCESSES},
    {"Rget_accumulate", PITHI_ACCESSES},
    {"Win_lock", PITHI_ACCESSES},
    {"Win_lock_all", PITHI_ACCESSES},
    {"Win_unlock", PITHI_ACCESSES},
    {"Win_unlock_all", PITHI_ACCESSES},
    {"Win_flush", PITHI_ACCESSES},
    {"Win_flush_all", PITHI_ACCESSES},
    {"Win_flush_local", PITHI_ACCESSES},
    {"Win_flush_local_all", PITHI_ACCESSES},
};

unsigned pithi_mpi_call_traits(const struct pithlog_def *def)
{
    struct pithi_coll_rule rule = pithi_coll_rule(def->name);
    size_t length;
    const char *call = pithi_mpi_call(def->name, &length);

    if (def->kind != PITHLOG_STATE || (!call && strncmp(def->group, "MPI", 3) != 0))
        return 0;
    /* MPI::Win::Wait must not get the row of MPI_Wait. */
    int of_window = strncmp(def->name, "MPI::Win::", 10) == 0;
    for (size_t i = 0; call && i < sizeof functions / sizeof *functions; i++) {
        const char *name = functions[i].name + (of_window && strncmp(functions[i].name, "Win_", 4) == 0 ? 4 : 0);
        if (strlen(name) == length && strncasecmp(name, call, length) == 0 &&
            (!of_window || functions[i].traits & PITHI_ACCESSES))
            return PITHI_CALL | functions[i].traits;
    }
    return PITHI_CALL | (rule.shape != PITHI_COLL_NONE && !(rule.flags & PITHI_COLL_STARTS) ? PITHI_MOVES : 0);
}

static uint64_t value_of(const char *words, const char *name)
{
    const char *found = strstr(words, name);
    uint64_t bytes = found ? strtoull(found + strlen(name), NULL, 10) : 0;
    return bytes ? bytes : UINT64_MAX;
}

int pithi_has_mpi_calls(const struct pithlog *log)
{
    const struct pithlog_def *def;
    for (uint32_t i = 0; (def = pithlog_get_def(log, i)) != NULL; i++)
        if (pithi_mpi_call_traits(def))
            return 1;
    return 0;
}

void pithi_eager_of_log(const struct pithlog *log, struct pithi_eager *eager)
{
    const char *key, *value, *words = "";
    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        if (strcmp(key, "eager_bytes") == 0)
            words = value;
    *eager = (struct pithi_eager){value_of(words, "same_host="), value_of(words, "network=")};
}

uint64_t pithi_eager_limit(const struct pithi_eager *eager, const struct pithlog *log, uint32_t lane, int32_t peer)
{
    if (eager->same_host == UINT64_MAX && eager->network == UINT64_MAX)
        return UINT64_MAX;
    const struct pithi_log_rank *from = pithi_log_rank(log, pithi_log_rank_of(log, lane));
    const struct pithi_log_rank *to = pithi_log_find_rank(log, peer);
    return !to ? UINT64_MAX : to->host == from->host ? eager->same_host : eager->network;
}

int pithi_send_waits(const struct pithi_eager *eager, const struct pithlog *log, const struct pithlog_record *send,
                     unsigned traits)
{
    if (traits & PITHI_SYNCHRONOUS)
        return 1;
    if (traits & PITHI_BUFFERED)
        return 0;
    uint64_t limit = pithi_eager_limit(eager, log, send->lane, send->peer);
    return limit == UINT64_MAX ? -1 : send->bytes > limit;
}
