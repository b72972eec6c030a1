/* top_ranks.c - finds what each rank does now, from the records of a running program (top.h).
 *
 * Only the present of each rank is kept, so memory does not grow with the run. The share of time in MPI is computed
 * over the recent time, which --last gives. For this, a lane has a ring of 33 sums of time in MPI, one for each step of
 * 1/32 of the recent time. With --last 10 a step is 312,500,001 ns:
 *
 *     call from 0.9 s to 1.3 s     crosses steps 2 to 4: 37.5 ms in step 2, 312.5 ms in step 3, 50.0 ms in step 4
 *
 * A sum is cleared when its slot of the ring is used for a new step, so a lane that records nothing costs nothing. The
 * share covers the last 10 to 10.3 s, as an old step is dropped as a whole. The time of the present call is added
 * separately, because the call's end is not recorded yet. */
#include <stdlib.h>
#include <string.h>

#include "analysis/mpi_calls.h"
#include "base/bytes.h"
#include "base/error.h"
#include "symbols/sample_names.h"
#include "tools/table.h"
#include "tools/top.h"

/* Two more traits of calls, in bits that mpi_calls.h does not use. OTHER_REQUEST: the call begins a request that is not
 * that of a message. */
#define OTHER_REQUEST (1u << 30)
#define MEETS_STRANGERS (1u << 31) /* the call may connect to processes of other jobs */

/* ---- Definitions and lanes --------------------------------------------------------------------------------------- */

/* Adds OTHER_REQUEST and MEETS_STRANGERS to the traits of a call, by the name of the function in the C or C++
 * interface. `rule` shows whether the call is a collective with a request, or one-sided. */
static unsigned more_traits(const char *name, struct pithi_coll_rule rule, unsigned traits)
{
    /* These are begins of names: "Sp", for example, is that of Spawn and Spawn_multiple. */
    static const char *const strangers[] = {"MPI_Comm_spawn",      "MPI_Comm_connect",   "MPI_Comm_accept",
                                            "MPI_Comm_join",       "MPI::Intracomm::Sp", "MPI::Intracomm::Con",
                                            "MPI::Intracomm::Acc", "MPI::Comm::Join"};
    static const char *const others[] = {"MPI_File_i", "MPI::File::I", "MPI_Grequest_start", "MPI::Grequest::Start"};

    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (strncmp(name, strangers[i], strlen(strangers[i])) == 0)
            return MEETS_STRANGERS;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(name, others[i], strlen(others[i])) == 0)
            return OTHER_REQUEST;
    return rule.flags & (PITHI_COLL_STARTS | PITHI_COLL_KEEPS) || traits & PITHI_ACCESSES ? OTHER_REQUEST : 0;
}

static int compare_ranks(const void *a, const void *b)
{
    const struct pithi_top_rank *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->lane > y->lane) - (x->lane < y->lane);
}

/* ---- Time in MPI ------------------------------------------------------------------------------------------------- */

/* Returns the length of a step in ns. It is rounded up, so that 32 steps are not shorter than the recent time. */
static int64_t step_ns(const struct pithi_top *top) { return top->recent_ns / PITHI_TOP_STEPS + 1; }

static void add_time(const struct pithi_top *top, struct pithi_top_lane *lane, int64_t from_ns, int64_t to_ns)
{
    int64_t width = step_ns(top), last = to_ns / width, step = from_ns / width;

    if (step < last - PITHI_TOP_STEPS) /* the ring has no room for older steps */
        step = last - PITHI_TOP_STEPS;
    for (step = step < 0 ? 0 : step; step <= last; step++) {
        int64_t begin = step * width > from_ns ? step * width : from_ns;
        int64_t end = (step + 1) * width < to_ns ? (step + 1) * width : to_ns;
        /* The slot of this step was used before by the steps that are 33, 66 ... older. */
        size_t at = (size_t)(step % (PITHI_TOP_STEPS + 1));
        if (lane->steps[at].number != step)
            lane->steps[at].ns = 0;
        lane->steps[at].number = step;
        lane->steps[at].ns += end > begin ? end - begin : 0;
    }
}

double pithi_top_share(const struct pithi_top *top, const struct pithi_top_rank *rank)
{
    const struct pithi_top_lane *lane = pithi_top_lane_of(top, rank);
    int64_t width = step_ns(top), oldest = top->now_ns / width - PITHI_TOP_STEPS, ns = 0;
    /* The share covers the time from the oldest step on, or from the lane's first record on if that is later. */
    int64_t from_ns = oldest > 0 ? oldest * width : 0;

    for (int i = 0; i <= PITHI_TOP_STEPS; i++)
        if (lane->steps[i].number >= oldest)
            ns += lane->steps[i].ns;
    from_ns = lane->first_ns > from_ns ? lane->first_ns : from_ns;
    /* Adds the time of the present call, which has not ended. */
    if (lane->calls)
        ns += top->now_ns - (lane->inside_ns > from_ns ? lane->inside_ns : from_ns);
    return top->now_ns > from_ns && ns > 0 ? (double)ns / (double)(top->now_ns - from_ns) : 0;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static int count_one(struct pithi_map *map, uint64_t key, uint64_t *count)
{
    uint64_t *at = pithi_map_at(map, key);

    if (!at)
        return pithi_no_memory();
    *count = ++*at;
    return PITH_OK;
}

/* Returns 1 if the record shows that the rank makes progress. Returns 0 for a sample and for a counter that is recorded
 * with the sample, because timers record both even if the rank only waits. */
static int is_progress(const struct pithi_top *top, const struct pithlog_record *r)
{
    if (r->kind == PITHLOG_EVENT)
        return strncmp(pithlog_follow_get_def(top->follow, r->id)->name, "pith:", 5) != 0;
    return r->kind != PITHLOG_COUNTER;
}

/* Takes the event of a posted receive. The event's payload is big-endian: 8 bytes `posted`, 4 bytes source, 4 bytes
 * tag. This event is recorded only if PITH_HANG is set (`announce` in wrappers/mpi/message.c). */
static void expect(struct pithi_top_lane *lane, const struct pithlog_record *r)
{
    const unsigned char *p = r->payload;
    struct pithi_top_expected new;

    if (r->payload_bytes != 16)
        return;
    new.posted = (uint64_t)pithi_get_be32(p) << 32 | pithi_get_be32(p + 4);
    new.source = (int32_t)pithi_get_be32(p + 8);
    new.tag = (int32_t)pithi_get_be32(p + 12);
    lane->call.has_source = 1;
    lane->call.source = new.source;
    lane->call.source_tag = new.tag;
    /* If the list is full, only a flag says that there are more. */
    if (lane->expected_count == PITHI_TOP_EXPECTED)
        lane->has_more_expected = 1;
    else
        lane->expected[lane->expected_count++] = new;
}

static int complete(struct pithi_top_lane *lane, uint64_t posted)
{
    /* Searches from the oldest receive on. Removing one keeps the order in which the others were posted. */
    for (uint32_t i = 0; i < lane->expected_count; i++)
        if (lane->expected[i].posted == posted) {
            memmove(&lane->expected[i], &lane->expected[i + 1], (--lane->expected_count - i) * sizeof *lane->expected);
            return 1;
        }
    return 0;
}

/* Removes a completed receive from the list of the lane that posted it. The lane of the record is tried first; another
 * thread of the rank may have posted the receive. */
static void complete_in_rank(struct pithi_top *top, const struct pithlog_record *r, int32_t rank)
{
    /* The other lanes need not be searched if the receive was found, or if no thread records posted receives. */
    if (complete(&top->lanes[r->lane], r->posted) || top->expect_id == UINT32_MAX)
        return;
    for (uint32_t i = 0; i < top->lane_count; i++)
        if (i != r->lane && top->lanes[i].expected_count > 0 && pithlog_follow_get_lane(top->follow, i)->rank == rank &&
            complete(&top->lanes[i], r->posted))
            return;
}

static int take(struct pithi_top *top, const struct pithlog_record *r)
{
    struct pithi_top_lane *lane = &top->lanes[r->lane];
    uint32_t rank = (uint32_t)pithlog_follow_get_lane(top->follow, r->lane)->rank;
    uint64_t count;

    if (lane->records++ == 0)
        lane->first_ns = lane->since_ns = lane->outside_ns = r->time_ns;
    if (r->time_ns > top->last_ns)
        top->last_ns = r->time_ns;
    if (r->time_ns > top->progress_ns && is_progress(top, r))
        top->progress_ns = r->time_ns;
    lane->is_paused = r->kind == PITHLOG_PAUSE; /* any later record ends the pause */
    switch (r->kind) {
    case PITHLOG_ENTER: {
        uint32_t before = lane->open.count;

        lane->since_ns = r->time_ns;
        if (!pithi_stack_enter(&lane->open, r->id, r->time_ns))
            return pithi_no_memory();
        if (lane->open.count != before + 1) { /* the list of open states was full and has dropped some of them */
            lane->calls = 0;
            for (uint32_t i = 0; i + 1 < lane->open.count; i++)
                lane->calls += top->traits[lane->open.states[i].id] != 0;
        }
        lane->has_other_requests |= (top->traits[r->id] & OTHER_REQUEST) != 0;
        top->has_strangers |= (top->traits[r->id] & MEETS_STRANGERS) != 0;
        /* Only the outermost MPI call counts as the present call; MPI calls inside it are parts of it. */
        if (top->traits[r->id] && lane->calls++ == 0) {
            lane->inside_ns = r->time_ns;
            lane->call = (struct pithi_top_call){.state = r->id}; /* forgets the facts of the call before */
            lane->has_finalized |= strcmp(pithlog_follow_get_def(top->follow, r->id)->name, "MPI_Finalize") == 0;
        }
        return PITH_OK;
    }
    case PITHLOG_LEAVE: {
        struct pithi_open_state ended;
        uint32_t depth;

        lane->since_ns = r->time_ns;
        if (pithi_stack_leave(&lane->open, r->id, r->time_ns, &ended, &depth) && top->traits[r->id] &&
            --lane->calls == 0) {
            add_time(top, lane, lane->inside_ns, r->time_ns);
            lane->outside_ns = r->time_ns;
        }
    }
        return PITH_OK;
    case PITHLOG_SEND:
        lane->call.has_send = 1;
        /* After MPI_Isend or the like, the message may still be under way when the call has ended. */
        lane->has_sent_later |= lane->calls > 0 && (top->traits[lane->call.state] & PITHI_SENDS_LATER) != 0;
        lane->call.peer = r->peer;
        lane->call.tag = r->tag;
        if (!lane->call.has_coll) /* a send within a collective does not change the communicator of the call */
            lane->call.comm = r->comm;
        return r->peer < 0 ? PITH_OK : count_one(&top->sent, (uint32_t)r->peer, &count);
    case PITHLOG_RECV:
        complete_in_rank(top, r, (int32_t)rank);
        return r->peer < 0 ? PITH_OK : count_one(&top->received, rank, &count);
    case PITHLOG_COLL:
        lane->call.has_coll = 1;
        lane->call.comm = r->comm;
        lane->call.root = r->peer;
        /* Gives the collective its number on the communicator. All members call the collectives of a communicator in
         * the same order, so equal numbers mean the same instance. */
        return count_one(&top->entered, pithi_map_pair(r->comm, rank), &lane->call.number);
    case PITHLOG_EVENT:
        if (r->id == top->expect_id)
            expect(lane, r);
        /* The event may be the call site of the present call, which is recorded inside the call. */
        if (lane->calls)
            pithi_site_read(top->names, r, &lane->call.site);
        return pithi_sample_names_take(top->names, r); /* the event may also bring names for addresses of call sites */
    case PITHLOG_PAUSE:
    case PITHLOG_LOST:
        lane->is_partial = 1;
        return PITH_OK;
    default:
        return PITH_OK;
    }
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

int pithi_top_open(struct pithi_top *top, const char *path, int64_t recent_ns)
{
    memset(top, 0, sizeof *top);
    top->recent_ns = recent_ns;
    CHECK(pithlog_follow_open(path, &top->follow));
    top->young_ns = 1000000000;
    top->expect_id = UINT32_MAX;
    CHECK(pithi_sample_names_follow(top->follow, &top->names));
    top->info = pithlog_follow_get_info(top->follow);
    return PITH_OK;
}

int pithi_top_look(struct pithi_top *top)
{
    struct pithlog_record record;
    struct pithlog_message message;
    int more;

    CHECK(pithlog_follow_look(top->follow));
    /* Finds the traits and rules of new definitions. Definitions never change, so earlier ones need no look. */
    uint32_t defs = top->info->defs;
    if (defs != top->def_count && (!pithi_resize(&top->traits, top->def_count, defs, sizeof *top->traits) ||
                                   !pithi_resize(&top->rules, top->def_count, defs, sizeof *top->rules)))
        return pithi_no_memory();
    for (; top->def_count < defs; top->def_count++) {
        uint32_t i = top->def_count;
        const struct pithlog_def *def = pithlog_follow_get_def(top->follow, i);
        if (def->kind == PITHLOG_EVENT_TYPE && strcmp(def->name, "pith:expect") == 0)
            top->expect_id = i;
        top->traits[i] = pithi_mpi_call_traits(def);
        if (top->traits[i]) {
            top->rules[i] = pithi_coll_rule(def->name);
            top->traits[i] |= more_traits(def->name, top->rules[i], top->traits[i]);
        }
    }
    if (top->info->lanes != top->lane_count) {
        if (!pithi_resize(&top->lanes, top->lane_count, top->info->lanes, sizeof *top->lanes)) /* new lanes are zeros */
            return pithi_no_memory();
        top->lane_count = top->info->lanes;
    }
    while ((more = pithlog_follow_next(top->follow, &record)) == 1) {
        CHECK(take(top, &record));
        /* The follower also keeps a list of messages. They are fetched and not used, so that this list does not
         * grow. */
        while (pithlog_follow_message(top->follow, &message))
            ;
    }
    if (more < 0)
        return PITH_ERR_MEMORY;
    /* It is not known when a dead program died, so "now" is the time of its last record. */
    top->now_ns = top->info->running > 0 && top->info->now_ns > top->last_ns ? top->info->now_ns : top->last_ns;

    /* Makes the list of ranks anew, because a process gets its rank only when it joins its job, perhaps since the last
     * look. */
    uint32_t count = 0;
    top->rank_count = 0;
    for (uint32_t i = 0; i < top->lane_count; i++) {
        const struct pithlog_lane *lane = pithlog_follow_get_lane(top->follow, i);
        if (!pithi_grow(&top->ranks, top->rank_count, &top->rank_room, sizeof *top->ranks))
            return pithi_no_memory();
        top->ranks[top->rank_count++] =
            (struct pithi_top_rank){lane->rank, i, 1, top->lanes[i].records, pithlog_follow_is_running(top->follow, i)};
    }
    qsort(top->ranks, top->rank_count, sizeof *top->ranks, compare_ranks);
    /* So far the list has an entry for each lane. It is sorted, so the lanes of a rank are neighbours; they are joined
     * to one entry. */
    for (uint32_t i = 0; i < top->rank_count; i++) {
        struct pithi_top_rank *last = &top->ranks[count ? count - 1 : 0], *next = &top->ranks[i];
        if (count && last->rank == next->rank) {
            /* The lane of thread 0 stands for the rank; if there is none, that of the thread that recorded first. */
            if (pithlog_follow_get_lane(top->follow, next->lane)->thread == 0)
                last->lane = next->lane;
            last->threads++;
            last->records += next->records;
        } else {
            top->ranks[count++] = *next;
        }
    }
    top->rank_count = count;
    return PITH_OK;
}

int pithi_top_hangs(const struct pithi_top *top, int64_t for_ns)
{
    /* A rank on which recording is switched off records nothing even if it works. */
    for (uint32_t i = 0; i < top->lane_count; i++)
        if (top->lanes[i].is_paused && pithlog_follow_is_running(top->follow, i))
            return 0;
    return top->info->running > 0 && top->info->lost == 0 && top->now_ns - top->progress_ns >= for_ns;
}

void pithi_top_close(struct pithi_top *top)
{
    for (uint32_t i = 0; i < top->lane_count; i++)
        free(top->lanes[i].open.states);
    free(top->lanes);
    free(top->traits);
    free(top->rules);
    free(top->ranks);
    pithi_map_free(&top->entered);
    pithi_map_free(&top->sent);
    pithi_map_free(&top->received);
    pithi_sample_names_close(top->names);
    if (top->follow)
        pithlog_follow_close(top->follow);
}

const struct pithi_top_rank *pithi_top_find(const struct pithi_top *top, int32_t rank)
{
    /* Ranks are sorted, so a binary search finds the rank. */
    uint32_t low = 0, high = top->rank_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (top->ranks[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < top->rank_count && top->ranks[low].rank == rank ? &top->ranks[low] : NULL;
}

const struct pithlog_def *pithi_top_state(const struct pithi_top *top, const struct pithi_top_rank *rank)
{
    const struct pithi_top_lane *lane = pithi_top_lane_of(top, rank);

    return lane->open.count ? pithlog_follow_get_def(top->follow, lane->open.states[lane->open.count - 1].id) : NULL;
}

const char *pithi_top_state_text(const struct pithi_top *top, const struct pithi_top_rank *rank)
{
    const struct pithlog_def *def = pithi_top_state(top, rank);

    return def ? def->name : pithi_top_lane_of(top, rank)->has_finalized ? "after MPI_Finalize" : PITHI_COMPUTING_NAME;
}

int64_t pithi_top_for_ns(const struct pithi_top *top, const struct pithi_top_rank *rank)
{
    int64_t for_ns = top->now_ns - pithi_top_lane_of(top, rank)->since_ns;

    return for_ns > 0 ? for_ns : 0;
}

const char *pithi_top_ranks_text(char text[PITHI_TOP_RANKS_TEXT], const int32_t *ranks, uint32_t count)
{
    /* TAIL: bytes of the longest text that can end a cut list; RANGE: bytes of the longest range of ranks */
    enum { TAIL = sizeof "... (4294967295 ranks)", RANGE = sizeof ",2147483647-2147483647" };
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0, last; i < count; i = last + 1) {
        for (last = i; last + 1 < count && ranks[last + 1] == ranks[last] + 1; last++)
            ;
        if (used + RANGE + TAIL > PITHI_TOP_RANKS_TEXT) {
            snprintf(text + used, PITHI_TOP_RANKS_TEXT - used, "... (%u ranks)", count);
            break;
        }
        /* Writes two neighbouring ranks as "0,1", three as "0-2". */
        used += (size_t)snprintf(text + used, RANGE + 1, "%s%d", i ? "," : "", ranks[i]);
        if (last > i)
            used += (size_t)snprintf(text + used, RANGE + 1, "%s%d", last > i + 1 ? "-" : ",", ranks[last]);
    }
    return text;
}
