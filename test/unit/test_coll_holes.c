/* test_coll_holes.c - collectives of a log in which a rank has lost records. What a member is said to have waited for
 * must be what it waited for in the whole log, and where all is known it must be said. */
#include "analysis/waits/collectives.h"
#include "native/log.h"
#include "common/log_model.h"
#include "reader/read/iter.h"
#include "reader/read/lane_blocks.h"
#include "tap.h"

enum { RANKS = 4, LANES = RANKS * 2, STEPS = 3000, COMMS = 4, NONE = -1 };
enum { BARRIER, BCAST, REDUCE, SCAN, IBARRIER, WAIT, STARTED, COMPLETE, DEFINITIONS };
static const struct pithlog_def definitions[DEFINITIONS] = {
    [BARRIER] = {PITHLOG_STATE, "MPI_Barrier", "", "MPI", ""},
    [BCAST] = {PITHLOG_STATE, "MPI_Bcast", "", "MPI", ""},
    [REDUCE] = {PITHLOG_STATE, "MPI_Reduce", "", "MPI", ""},
    [SCAN] = {PITHLOG_STATE, "MPI_Scan", "", "MPI", ""},
    [IBARRIER] = {PITHLOG_STATE, "MPI_Ibarrier", "", "MPI", ""},
    [WAIT] = {PITHLOG_STATE, "MPI_Wait", "", "MPI", ""},
    [STARTED] = {PITHLOG_EVENT_TYPE, PITHI_COLL_STARTED, "", "Pith", "%d"},
    [COMPLETE] = {PITHLOG_EVENT_TYPE, PITHI_COLL_COMPLETE, "", "Pith", "%d"},
};

/* The last is between two groups: the first two members, and the others. */
static const int sizes[COMMS] = {4, 3, 2, 4}, members[COMMS][RANKS] = {{0, 1, 2, 3}, {0, 1, 2}, {1, 3}, {0, 2, 1, 3}};

/* Each rank's part in each instance of the whole log. */
static struct part {
    int is_member, is_second;
    uint32_t lane;
    int64_t begin_ns, end_ns, last_ns; /* last_ns: when the last one came that it waited for; INT64_MIN: none */
} parts[STEPS][RANKS];
static struct {
    int comm, op, root;
} steps[STEPS];

static struct model whole;

/* ---- The log ----------------------------------------------------------------------------------------------------- */

static int waits_for(int step, int place, int other)
{
    int op = steps[step].op, root = steps[step].root;
    if (steps[step].comm == 3)
        return place / 2 != other / 2;
    return op == BCAST ? other == root && place != root : op == REDUCE ? place == root : op == SCAN ? other < place : 1;
}

static void add(int step, int rank, int64_t time_ns, uint32_t kind, uint32_t id)
{
    struct pithlog_record r = {
        .time_ns = time_ns, .lane = parts[step][rank].lane, .kind = kind, .id = id, .peer = NONE};
    if (kind == PITHLOG_COLL) {
        int root = steps[step].root;
        r.id = 0;
        r.comm = (uint32_t)steps[step].comm;
        r.peer = root == NONE ? NONE : members[steps[step].comm][root];
        r.bytes = r.got_bytes = (uint64_t)step + 1;
    } else if (kind == PITHLOG_EVENT) {
        r.payload = "\0\0\0\7";
        r.payload_bytes = 4;
    }
    model_add(&whole, &r);
}

/* All times are even, and those of different ranks differ. */
static int64_t time_of(int64_t now, int rank) { return (now * RANKS + rank) * 2; }

static void add_part(int step, int rank, int64_t *now)
{
    struct part *p = &parts[step][rank];
    int op = steps[step].op, is_started = op == IBARRIER;
    add(step, rank, p->begin_ns, PITHLOG_ENTER, (uint32_t)op);
    add(step, rank, p->begin_ns, PITHLOG_COLL, 0);
    if (is_started) {
        add(step, rank, p->begin_ns, PITHLOG_EVENT, STARTED);
        add(step, rank, time_of(++*now, rank), PITHLOG_LEAVE, (uint32_t)op);
        add(step, rank, time_of(++*now, rank), PITHLOG_ENTER, WAIT);
    }
    *now = p->last_ns > time_of(*now, rank) ? p->last_ns / 2 / RANKS + 2 : *now + 1;
    p->end_ns = time_of(*now, rank);
    if (is_started)
        add(step, rank, p->end_ns, PITHLOG_EVENT, COMPLETE);
    add(step, rank, p->end_ns, PITHLOG_LEAVE, (uint32_t)(is_started ? WAIT : op));
}

static void make_whole(void)
{
    int64_t now[RANKS] = {1, 1, 1, 1};
    for (int step = 0; step < STEPS; step++) {
        int comm = (int)random_below(COMMS), op = comm == 3 ? BARRIER : (int)random_below(WAIT);
        steps[step].comm = comm;
        steps[step].op = op;
        steps[step].root = op == BCAST || op == REDUCE ? (int)random_below((uint32_t)sizes[comm]) : NONE;
        for (int i = 0; i < sizes[comm]; i++) {
            int rank = members[comm][i];
            now[rank] += 1 + random_below(200);
            parts[step][rank] = (struct part){.is_member = 1,
                                              .lane = (uint32_t)rank * 2 + random_below(2),
                                              .begin_ns = time_of(now[rank], rank),
                                              .last_ns = INT64_MIN};
        }
        for (int i = 0; i < sizes[comm]; i++)
            for (int other = 0; other < sizes[comm]; other++) {
                struct part *p = &parts[step][members[comm][i]], *o = &parts[step][members[comm][other]];
                if (waits_for(step, i, other) && o->begin_ns > p->last_ns)
                    p->last_ns = o->begin_ns;
            }
        for (int i = 0; i < sizes[comm]; i++)
            add_part(step, members[comm][i], &now[members[comm][i]]);
    }
}

/* Writes the log without the records of a lane in [from_ns, to_ns); lane LANES: with all. */
static struct pithlog *write_log(const char *path, uint32_t lane, int64_t from_ns, int64_t to_ns)
{
    struct pithlog_record lost = {.time_ns = from_ns, .lane = lane, .kind = PITHLOG_LOST, .peer = NONE, .bytes = 7};
    struct pithi_writer *w;
    struct pithlog *log;
    uint32_t number;
    must(pithi_writer_open(&w, path, -1));
    for (int i = 0; i < DEFINITIONS; i++)
        must(pithi_defs_add(pithi_writer_defs(w), &definitions[i], &number));
    for (int i = 1; i < COMMS; i++) {
        struct pithlog_comm comm = {.key = 1000 + (uint64_t)i,
                                    .name = "some",
                                    .size = i == 3 ? 2 : sizes[i],
                                    .remote_size = i == 3 ? 2 : 0,
                                    .world_ranks = members[i]};
        must(pithi_writer_comm(w, &comm, &number));
    }
    for (uint32_t i = 0; i < LANES; i++)
        must(pithi_writer_lane(w, (int32_t)i / 2, i % 2, NULL, &number));
    for (size_t i = 0; i < whole.count; i++) {
        const struct pithlog_record *r = &whole.records[i];
        int is_gone = r->lane == lane && r->time_ns >= from_ns && r->time_ns < to_ns;
        if (r->lane == lane && r->time_ns >= from_ns && lost.bytes) {
            must(pithi_writer_add(w, &lost));
            lost.bytes = 0;
        }
        if (!is_gone)
            must(pithi_writer_add(w, r));
    }
    must(pithi_writer_finish(w));
    pithi_writer_close(w);
    must(pithlog_open(path, &log));
    return log;
}

/* ---- What is found ----------------------------------------------------------------------------------------------- */

struct found {
    uint32_t right, wrong;
};

static void end_part(struct pithi_colls *colls, const struct pithi_coll_part *part, const struct pithlog_record *r,
                     struct found *found)
{
    struct pithi_moment last;
    if (pithi_colls_last(colls, part, &last) > 0) {
        int64_t last_ns = parts[part->bytes - 1][r->lane / 2].last_ns;
        ++*(last.at_ns == (double)last_ns ? &found->right : &found->wrong);
    }
    pithi_colls_leave(colls, part, r->time_ns);
}

static struct found find(struct pithlog *log)
{
    struct pithi_coll_part open[LANES], part;
    uint32_t state[LANES];
    struct found found = {0, 0};
    struct pithi_colls *colls;
    struct pithlog_iter *iter;
    struct pithlog_record r;
    for (uint32_t i = 0; i < LANES; i++) {
        open[i].coll = UINT32_MAX;
        state[i] = UINT32_MAX;
    }
    must(pithi_colls_open(log, 0, &colls));
    must(pithlog_iter_open(log, NULL, &iter));
    while (pithlog_iter_next(iter, &r) > 0) {
        if (r.kind == PITHLOG_ENTER)
            state[r.lane] = r.id;
        if (r.kind == PITHLOG_COLL && pithi_colls_enter(colls, &r, state[r.lane], 0, &part) == 0) {
            pithi_colls_arrive(colls, &part, &(struct pithi_moment){(double)r.time_ns, (double)r.time_ns});
            open[r.lane] = part.starts ? open[r.lane] : part;
        }
        if (pithi_colls_event(colls, &r, state[r.lane], &part) > 0)
            end_part(colls, &part, &r, &found);
        if (r.kind == PITHLOG_LEAVE && open[r.lane].coll != UINT32_MAX)
            end_part(colls, &open[r.lane], &r, &found);
        if (r.kind == PITHLOG_LEAVE || pithi_is_hole(log, &r))
            open[r.lane].coll = UINT32_MAX;
        if (pithi_is_hole(log, &r))
            pithi_colls_missing(colls, r.lane);
    }
    pithlog_iter_close(iter);
    pithi_colls_close(colls);
    pithlog_close(log);
    return found;
}

/* ---- By the definition ------------------------------------------------------------------------------------------- */

/* 1: it is known what a rank waited for: the rank of the lost records was not there yet when these were lost, or the
 * part was over by then. */
static int is_certain(int step, int rank, uint32_t lane, int64_t from_ns)
{
    const struct part *p = &parts[step][rank], *lost = lane < LANES ? &parts[step][lane / 2] : NULL;
    if (!p->is_member || p->last_ns == INT64_MIN)
        return 0;
    if (!lost || !lost->is_member || p->end_ns < from_ns)
        return 1;
    if (p == lost && (p->lane == lane || steps[step].op == IBARRIER))
        return 0;
    return lost->begin_ns < from_ns;
}

static uint32_t count_certain(uint32_t lane, int64_t from_ns)
{
    uint32_t count = 0;
    for (int step = 0; step < STEPS; step++)
        for (int rank = 0; rank < RANKS; rank++)
            count += (uint32_t)is_certain(step, rank, lane, from_ns);
    return count;
}

int main(void)
{
    char path[128];
    uint32_t holes = 0, wrong = 0, missing = 0, right = 0;
    snprintf(path, sizeof path, "%s", scratch_path("whole.pith"));
    make_whole();
    struct found found = find(write_log(path, LANES, 0, 0));
    OK(found.wrong == 0 && found.right == count_certain(LANES, 0) && found.right > STEPS,
       "the whole log: all %u members that wait know for whom", found.right);
    int64_t end_ns = parts[STEPS - 1][members[steps[STEPS - 1].comm][0]].end_ns;
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (int i = 0; i < 12; i++, holes++) {
            int64_t from_ns = 20001 + 2 * (int64_t)random_below((uint32_t)(end_ns / 3));
            found = find(write_log(path, lane, from_ns, from_ns + 2 * random_below(20000)));
            right += found.right;
            wrong += found.wrong;
            missing += found.right != count_certain(lane, from_ns);
        }
    OK(wrong == 0 && right > holes * 100, "records lost in %u logs: %u members know for whom, %u wrong", holes, right,
       wrong);
    OK(missing == 0, "and all of which it is certain do (not in %u logs)", missing);
    model_free(&whole);
    scratch_remove();
    return tap_done();
}
