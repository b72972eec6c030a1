/* replay_log.h - for the tests of compensation: a log by a table of records, each lane a rank on a host of its own. The
 * counter "work" is what costs something there, on each host as much as the test says; all else costs nothing. */
#ifndef REPLAY_LOG_H
#define REPLAY_LOG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/coll_rules.h"
#include "common/test_files.h"
#include "native/own_cost.h"
#include "native/segment.h"
#include "pithlog.h"

enum { REPLAY_LANES = 4 };

/* Definitions: states by the names of their calls, then what the log tells beside. */
enum { SENDS, RECVS, WAITALL, WAIT, BARRIER, BCAST, REDUCE, SCAN, IBARRIER, NEIGHBOURS, USER, FLUSH, STATES };
enum { WORK = STATES, OWN, STARTED, COMPLETE, DEFINITIONS };
static const struct pithlog_def definitions[DEFINITIONS] = {
    [SENDS] = {PITHLOG_STATE, "MPI_Send", "", "MPI", ""},
    [RECVS] = {PITHLOG_STATE, "MPI_Recv", "", "MPI", ""},
    [WAITALL] = {PITHLOG_STATE, "MPI_Waitall", "", "MPI", ""},
    [WAIT] = {PITHLOG_STATE, "MPI_Wait", "", "MPI", ""},
    [BARRIER] = {PITHLOG_STATE, "MPI_Barrier", "", "MPI", ""},
    [BCAST] = {PITHLOG_STATE, "MPI_Bcast", "", "MPI", ""},
    [REDUCE] = {PITHLOG_STATE, "MPI_Reduce", "", "MPI", ""},
    [SCAN] = {PITHLOG_STATE, "MPI_Scan", "", "MPI", ""},
    [IBARRIER] = {PITHLOG_STATE, "MPI_Ibarrier", "", "MPI", ""},
    [NEIGHBOURS] = {PITHLOG_STATE, "MPI_Neighbor_allgather", "", "MPI", ""},
    [USER] = {PITHLOG_STATE, "solve", "", "user", ""},
    [FLUSH] = {PITHLOG_STATE, PITHI_OWN_STATE, "", "pith", ""},
    [WORK] = {PITHLOG_COUNTER_TYPE, "work", "", "user", ""},
    [OWN] = {PITHLOG_COUNTER_TYPE, PITHI_OWN_COUNTER, "", "Pith", ""},
    [STARTED] = {PITHLOG_EVENT_TYPE, PITHI_COLL_STARTED, "", "Pith", "%d"},
    [COMPLETE] = {PITHLOG_EVENT_TYPE, PITHI_COLL_COMPLETE, "", "Pith", "%d"},
};

/* A record, and when it is to be with messages and collectives followed, and by own costs only. */
struct row {
    struct pithlog_record record;
    int64_t right_ns, local_ns;
};
#define ROW(on, what, at, right, local, ...)                                                                           \
    {                                                                                                                  \
        {.lane = (on), .kind = PITHLOG_##what, .time_ns = (at), __VA_ARGS__}, (right), (local)                         \
    }
#define IN(on, call, at, right, local) ROW(on, ENTER, at, right, local, .id = (call), .peer = -1)
#define OUT(on, call, at, right, local) ROW(on, LEAVE, at, right, local, .id = (call), .peer = -1)
#define COUNT(on, what, number, at, right, local)                                                                      \
    ROW(on, COUNTER, at, right, local, .id = (what), .value = (number), .peer = -1)
#define WORKS(on, at, right, local) COUNT(on, WORK, 1, at, right, local)
#define SEND(on, to, at, right, local) ROW(on, SEND, at, right, local, .peer = (to), .tag = 1, .bytes = 8)
#define RECV(on, from, number, at, right, local)                                                                       \
    ROW(on, RECV, at, right, local, .peer = (from), .tag = 1, .bytes = 8, .posted = (number))
#define COLL(on, root, at, right, local) ROW(on, COLL, at, right, local, .peer = (root), .bytes = 8, .got_bytes = 8)
#define REQUEST(on, what, at, right, local)                                                                            \
    ROW(on, EVENT, at, right, local, .id = (what), .peer = -1, .payload = "\0\0\0\7", .payload_bytes = 4)
#define ROWS(table) (table), (uint32_t)(sizeof(table) / sizeof *(table))

static char replay_path[64], replay_out[64];

static void replay_files(void)
{
    snprintf(replay_path, sizeof replay_path, "/tmp/replay-%ld.pith", (long)getpid());
    snprintf(replay_out, sizeof replay_out, "/tmp/replayed-%ld.pith", (long)getpid());
}

static void replay_remove(void)
{
    unlink(replay_path);
    unlink(replay_out);
}

/* work_ns: what "work" costs, by lane. The log is open then. */
static struct pithlog *replay_log(const struct row *rows, uint32_t count, const double *work_ns)
{
    struct pithi_writer *w;
    struct pithlog *log;
    uint32_t number, lanes = 0;
    must(pithi_writer_open(&w, replay_path, -1));
    for (uint32_t i = 0; i < DEFINITIONS; i++)
        must(pithi_defs_add(pithi_writer_defs(w), &definitions[i], &number));
    for (uint32_t i = 0; i < count; i++)
        lanes = rows[i].record.lane >= lanes ? rows[i].record.lane + 1 : lanes;
    for (uint32_t i = 0; i < lanes; i++) {
        char host[16];
        snprintf(host, sizeof host, "host%u", i);
        must(pithi_writer_rank(w, &(struct pithi_rank){(int32_t)i, host, 1, 0}));
        must(pithi_writer_lane(w, (int32_t)i, 0, "", &number));
        must(pithi_own_cost_tell(pithi_writer_defs(w), host,
                                 &(struct pithi_own_cost){.ns = {[PITHLOG_COUNTER] = work_ns[i]}}));
    }
    for (uint32_t i = 0; i < count; i++)
        must(pithi_writer_add(w, &rows[i].record));
    must(pithi_writer_finish(w));
    pithi_writer_close(w);
    must(pithlog_open(replay_path, &log));
    return log;
}

#endif
