/* state_sums.c - sums of states over lanes, as causes of waiting and on the critical path; also texts for states and
 * lanes.
 *
 * If a state is on the critical path, moving work can save only the time beyond the mean of the lanes. Example:
 * `refine` is on the path for 5 s, and lanes are in it for 3 s on average, so its imbalance is 2 s. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/graph/bins.h"
#include "analysis/findings.h"
#include "analysis/mpi_calls.h"
#include "analysis/replay/network.h"
#include "analysis/coll_rules.h"
#include "base/decimal.h"
#include "base/error.h"

enum { CAUSES_SHOWN = 3, PATH_SHOWN = 6 };

double pithi_analysis_percent(const struct pithlog_analysis *a, double ns)
{
    double all = (double)(a->info.to_ns - a->info.from_ns) * a->info.lanes;
    return all > 0 ? 100 * ns / all : 0;
}

const char *pithi_lane_text(const struct pithlog *log, uint32_t lane, char text[32])
{
    const struct pithlog_info *info = pithlog_get_info(log);
    const struct pithlog_lane *of = pithlog_get_lane(log, lane);
    int32_t rank = of->rank;
    uint32_t thread = of->thread;
    int is_alone = (lane == 0 || pithlog_get_lane(log, lane - 1)->rank != rank) &&
                   (lane + 1 == info->lanes || pithlog_get_lane(log, lane + 1)->rank != rank);

    if (is_alone)
        snprintf(text, 32, "rank %d", (int)rank);
    else
        snprintf(text, 32, "rank %d.%u", (int)rank, (unsigned)thread);
    return text;
}

const char *pithi_state_text(const struct pithlog *log, uint32_t state)
{
    return state == PITHLOG_COMPUTING ? "computing" : pithlog_get_def(log, state)->name;
}

/* Returns the number of different cores in the property `affinity` of a host. The property lists the cores of all
 * ranks, "0-3,8", or of each rank, "rank 0 on 0-1, rank 1 on 2-3". Returns 0 if the text is cut, or is no such list. */
static uint32_t cores_listed(const char *text)
{
    enum { CORES = 8192 }; /* numbers of cores that a list may have */
    unsigned char listed[CORES] = {0};
    uint32_t count = 0;
    int rank, length = 0;

    while (*text) {
        char *end;
        if (sscanf(text, "rank %d on %n", &rank, &length) == 1)
            text += length;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (end == text)
            return 0;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (last < first || last >= CORES)
            return 0;
        for (; first <= last; first++) {
            count += !listed[first];
            listed[first] = 1;
        }
        text = end + strspn(end, ", ");
    }
    return count;
}

/* One pass over the log's properties suffices, because "affinity HOST" comes after "cores HOST" of the same host. */
uint32_t pithi_cores_of(const struct pithlog *log, uint32_t *all)
{
    const char *key, *value, *host = NULL;
    uint32_t usable = 0, there = 0, of_host = 0;

    for (uint32_t i = 0; (key = pithlog_get_property(log, i, &value)) != NULL; i++)
        if (strncmp(key, "cores", 5) == 0 && (!key[5] || key[5] == ' ')) {
            host = key + 5;
            of_host = (uint32_t)strtoul(value, NULL, 10);
            there += of_host;
            usable += of_host;
        } else if (host && strncmp(key, "affinity", 8) == 0 && strcmp(key + 8, host) == 0) {
            uint32_t listed = cores_listed(value);
            usable -= listed && listed < of_host ? of_host - listed : 0;
            host = NULL;
        }
    if (all)
        *all = there;
    return usable;
}

static int by_sum(const void *a, const void *b)
{
    const struct pithi_state_sum *x = a, *y = b;
    return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : x->state < y->state ? -1 : x->state > y->state;
}

void pithi_state_sum_place(const struct pithlog_analysis *a, const struct pithi_state_sum *sum, FILE *out)
{
    char lane[32];

    if (sum->most_ns >= 0.95 * sum->ns)
        fprintf(out, "on %s", pithi_lane_text(a->graph.log, sum->most, lane));
    else
        fprintf(out, "most on %s (%.0f %%)", pithi_lane_text(a->graph.log, sum->most, lane),
                100 * sum->most_ns / sum->ns);
}

void pithi_state_sum_put(const struct pithlog_analysis *a, const struct pithi_state_sum *sum, double all_ns, FILE *out)
{
    char text[PITHI_NS_TEXT];

    fprintf(out, "%.*s: %s (%.0f %%), ", PITHI_NAME_COLUMNS, pithi_state_text(a->graph.log, sum->state),
            pithi_ns_text(text, sum->ns), 100 * sum->ns / all_ns);
    pithi_state_sum_place(a, sum, out);
    fprintf(out, "\n");
}

static void add_sum(struct pithi_state_sum *sums, uint32_t index, uint32_t state, uint32_t lane, double ns)
{
    sums[index].state = state;
    sums[index].ns += ns;
    if (ns > sums[index].most_ns) {
        sums[index].most_ns = ns;
        sums[index].most = lane;
    }
}

struct pithi_state_sum *pithi_cause_sums(const struct pithlog_analysis *a, const struct pithi_wait_group *group,
                                         uint32_t *count)
{
    const struct pithlog_delay *delays;
    size_t delay_count = pithlog_analysis_delays(a, &delays);
    uint32_t defs = pithlog_get_info(a->graph.log)->defs;
    struct pithi_state_sum *sums = calloc(defs + (size_t)1, sizeof *sums);

    *count = 0;
    for (size_t i = 0; sums && i < delay_count; i++)
        if (delays[i].kind == group->kind)
            add_sum(sums, delays[i].state == PITHLOG_COMPUTING ? defs : delays[i].state, delays[i].state,
                    delays[i].lane, delays[i].direct_ns + delays[i].indirect_ns);
    if (sums)
        qsort(sums, defs + (size_t)1, sizeof *sums, by_sum);
    while (sums && *count < CAUSES_SHOWN && *count <= defs && sums[*count].ns >= 0.05 * (double)group->ns)
        ++*count;
    return sums;
}

struct pithi_state_sum *pithi_path_sums(const struct pithlog_analysis *a, uint32_t *count)
{
    const struct pithlog_path_share *shares;
    size_t share_count = pithlog_analysis_path_shares(a, &shares);
    uint32_t defs = pithlog_get_info(a->graph.log)->defs;
    struct pithi_state_sum *sums = calloc(defs + (size_t)1, sizeof *sums);
    double length = (double)(a->info.to_ns - a->info.from_ns);

    *count = 0;
    for (size_t i = 0; sums && i < share_count; i++)
        add_sum(sums, shares[i].state == PITHLOG_COMPUTING ? defs : shares[i].state, shares[i].state, shares[i].lane,
                (double)shares[i].ns);
    if (sums)
        qsort(sums, defs + (size_t)1, sizeof *sums, by_sum);
    while (sums && *count < PATH_SHOWN && *count <= defs && sums[*count].ns >= 0.01 * length)
        ++*count;
    return sums;
}

double pithi_path_imbalance(const struct pithlog_analysis *a, uint32_t state, double path_ns)
{
    double all_ns = 0;

    for (uint32_t lane = 0; lane < pithlog_get_info(a->graph.log)->lanes; lane++)
        if (pithlog_analysis_calls_mpi(a, lane))
            all_ns += (double)pithlog_analysis_state_ns(a, lane, state);
    return a->info.lanes ? path_ns - all_ns / a->info.lanes : 0;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* Sums the calls of each MPI function: time, waiting, and transfers that took unusually long because a rank had no
 * core. If there are more ranks than cores, most calls of a function can be long. So a call is compared with the 10th
 * percentile of the calls of its function and size. If these are few, it is compared with all calls of its function. It
 * must also exceed 1 ms, about the time slice of a scheduler:
 *
 *     MPI_Recv of 8 bytes: 10 calls of 2 us, 30 of 4 ms     limit: 1 ms; 30 are long, by 4 ms - 2 us each
 *
 * The partner of a long call had come before; otherwise the call would have a wait state. But if another call of the
 * partner begins where the long call ends, the long call needed that other call, for a reason that no rule knows. Then
 * the call was not long for lack of a core. */

enum {
    LONG_TIMES = 20,         /* a call is long if its transfer exceeds this many times the 10th percentile, */
    LONG_LEAST_NS = 1000000, /* and this time */
    LONG_PEERS = 10,         /* if fewer calls have its size, it is compared with calls of all sizes */
    PART = 10,               /* the 10th percentile (pithi_bins_part) */
    MESSAGE_NS = 10000,      /* in a call that completes several messages: work for each message */
    WAKE_NS = 50000          /* a call may end this much later than a call that it needed began */
};

/* Calls of one function with about as many bytes. */
struct sized_calls {
    struct pithi_bins bins; /* of their transfers */
    double limit_ns;        /* beyond it, a call is long */
};
struct all_calls {
    struct pithi_map map;   /* (function, log2 of bytes) */
    struct sized_calls *of; /* [count] */
    uint32_t count, room;
};

/* Finds or adds the entry for the calls of a function with a size, or with ALL_SIZES, for all calls of the function.
 * Returns NULL if there is no memory. */
enum { ALL_SIZES = 64 };
static uint32_t size_of(const struct pithi_need *need) { return need ? 1 + pithi_log2(need->bytes) : 0; }
static struct sized_calls *sized_calls_of(struct all_calls *all, uint32_t state, uint32_t size)
{
    return pithi_item_at(&all->map, pithi_map_pair(state, size), &all->of, &all->count, &all->room, sizeof *all->of,
                         NULL);
}

/* Returns 1 if a call of `lane` begins within the last latency_ns of the call `p`. */
static int begins_at_end(const struct pithlog_analysis *a, const struct pithi_pieces *p, uint32_t lane,
                         int64_t latency_ns)
{
    int64_t end_ns = p->next->begin_ns, since_ns = end_ns - latency_ns;
    uint32_t at;

    if (lane == p->lane || !pithlog_analysis_calls_mpi(a, lane))
        return 0;
    for (at = pithi_graph_find(&a->graph, lane, end_ns);; at--) {
        const struct pithi_lane_piece *piece = pithi_graph_piece(&a->graph, lane, at);
        if (piece->begin_ns <= end_ns && (piece->begin_ns < since_ns || piece->begin_ns <= p->piece->begin_ns))
            return 0;
        if (piece->begin_ns <= end_ns && pithi_graph_is_call(&a->graph, piece->state))
            return 1;
        if (at == 0)
            return 0;
    }
}

/* The begins of the calls of one function, in order. There is one list for each collective that has long calls, and one
 * for all calls, at index [definitions]. The list of a collective shows whether a member entered late. By the rules, a
 * call may need only some members or none, but it may wait for others, too, as an inner rank in the tree of MPI_Reduce
 * does. The list of all calls shows whether another rank's call began when this call ended, because this call may then
 * have needed it. */
struct begins {
    int64_t *ns; /* ascending */
    size_t count;
    /* 1: the function receives, and has long calls. If a call of this function has no need, the log lacks its partner,
     * so the call is not judged */
    int receives;
};

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Collects the begins that too_long_ns needs. `begins`: [definitions + 1], all zero. Returns 0 if there is no
 * memory. */
static int collect_begins(struct pithlog_analysis *a, const struct pithlog_call_sum *sums, struct begins *begins,
                          struct pithi_scratch *scratch)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    struct begins *all = &begins[info->defs];
    size_t calls = 0;
    struct pithi_pieces p;

    for (uint32_t i = 0; i < info->defs; i++) {
        calls += (size_t)sums[i].calls;
        begins[i].receives = sums[i].longest_ns > LONG_LEAST_NS &&
                             pithi_mpi_call_traits(pithlog_get_def(a->graph.log, i)) & PITHI_RECEIVES;
        if (sums[i].longest_ns > LONG_LEAST_NS &&
            pithi_coll_rule(pithi_state_text(a->graph.log, i)).shape != PITHI_COLL_NONE &&
            !(begins[i].ns = pithi_scratch_get(scratch, (size_t)sums[i].calls * sizeof *begins[i].ns)))
            return 0;
    }
    if (!(all->ns = pithi_scratch_get(scratch, calls * sizeof *all->ns)))
        return 0;
    for (uint32_t lane = 0; lane < info->lanes; lane++)
        for (pithi_pieces_begin(&p, a, lane); p.index < p.end; pithi_pieces_next(&p)) {
            if (!pithi_graph_is_call(&a->graph, p.piece->state))
                continue;
            struct begins *of = &begins[p.piece->state];
            all->ns[all->count++] = p.piece->begin_ns;
            if (of->ns)
                of->ns[of->count++] = p.piece->begin_ns;
        }
    for (uint32_t i = 0; i <= info->defs; i++)
        if (begins[i].count)
            qsort(begins[i].ns, begins[i].count, sizeof *begins[i].ns, by_time);
    return 1;
}

/* Returns the time from the last begin before end_ns to end_ns, the end of a call. */
static int64_t since_last(const struct begins *begins, int64_t end_ns)
{
    size_t low = 0, high = begins->count;

    while (high - low > 1) { /* the call's own begin is in the list */
        size_t middle = low + (high - low) / 2;
        if (begins->ns[middle] < end_ns)
            low = middle;
        else
            high = middle;
    }
    return end_ns - begins->ns[low];
}

/* Returns the transfer of a call, that is, its time in the window without its wait states. Sets *waited_ns to the time
 * of its wait states. Moves *wait past the lane's wait states that end before the call. */
static int64_t transfer_of(const struct pithlog_analysis *a, const struct pithi_pieces *p, size_t *wait,
                           int64_t *waited_ns)
{
    const struct pithi_analysis_lane *of = &a->lanes[p->lane];
    int64_t from_ns, to_ns;

    pithi_pieces_part(a, p, &from_ns, &to_ns);
    while (*wait < of->wait_count && of->waits[*wait].to_ns <= from_ns)
        ++*wait;
    *waited_ns = 0;
    for (size_t i = *wait; i < of->wait_count && of->waits[i].from_ns < to_ns; i++) /* a call has two at most */
        *waited_ns += of->waits[i].to_ns - of->waits[i].from_ns;
    return to_ns - from_ns - *waited_ns;
}

/* Returns by how much a call is longer than its time on the fitted network or, if that time is not known, than its
 * short peers. Returns 0 if the call is not too long. */
static int64_t too_long_ns(struct pithlog_analysis *a, const struct pithi_pieces *p, int64_t transfer_ns,
                           const struct sized_calls *peers, const struct pithi_need *need, const struct begins *begins)
{
    const struct begins *members = &begins[p->piece->state], *all = &begins[pithlog_get_info(a->graph.log)->defs];
    double short_ns = pithi_bins_part(&peers->bins, PART), usual_ns;
    /* messages_ns: the work for the messages of a call that has several (MPI_Waitall). */
    int64_t messages_ns = 0, end_ns = p->next->begin_ns;
    int64_t latency_ns = short_ns > WAKE_NS ? (int64_t)short_ns : WAKE_NS;

    for (const struct pithi_need *of = need ? pithi_graph_need(&a->graph, p->piece->needs) : NULL; of;
         of = pithi_graph_need(&a->graph, of->next))
        messages_ns += MESSAGE_NS;
    messages_ns = messages_ns > MESSAGE_NS ? messages_ns : 0;
    transfer_ns -= messages_ns;
    if (members->ns) {
        int64_t alone_ns = since_last(members, end_ns);
        transfer_ns = alone_ns < transfer_ns ? alone_ns : transfer_ns;
    }
    if ((double)transfer_ns <= peers->limit_ns || (!need && members->receives))
        return 0;
    if (need && need->of == PITHI_NEED_LANE) {
        if (need->lane != PITHI_NO_LANE && begins_at_end(a, p, need->lane, latency_ns))
            return 0;
    } else if ((need || members->ns) && since_last(all, end_ns) <= latency_ns)
        return 0;
    usual_ns = need ? pithi_network_ns(a, p->lane, p->piece->state, need, 1, 1) : 0;
    usual_ns = usual_ns > 0 && usual_ns < peers->limit_ns ? usual_ns : short_ns;
    return transfer_ns > (int64_t)usual_ns ? transfer_ns - (int64_t)usual_ns : 0;
}

/* Sums all calls by function. `sums`: [definitions], all zero. Returns PITH_OK or an error. */
static int sum_calls(struct pithlog_analysis *a, struct pithlog_call_sum *sums)
{
    const struct pithlog_info *info = pithlog_get_info(a->graph.log);
    struct all_calls all = {0};
    struct begins *begins = calloc(info->defs + (size_t)1, sizeof *begins);
    struct pithi_scratch scratch = {0};
    int64_t waited_ns;
    int has_long = 0, err = PITH_OK;
    struct pithi_pieces p;

    if (!begins)
        return pithi_analysis_no_memory(a);
    /* A call is too long compared with other calls of its function and size. So a first pass collects their times, and
     * a second pass judges each call. If no call reaches LONG_LEAST_NS, the second pass is not needed. */
    for (int is_second = 0; is_second < 1 + has_long; is_second++) {
        if (is_second && !pithi_network_of(a)) {
            err = PITH_ERR_MEMORY;
            goto out;
        }
        if (is_second && !collect_begins(a, sums, begins, &scratch)) {
            err = pithi_analysis_no_memory(a);
            goto out;
        }
        for (uint32_t lane = 0; lane < info->lanes; lane++) {
            size_t wait = 0;
            for (pithi_pieces_begin(&p, a, lane); p.index < p.end; pithi_pieces_next(&p)) {
                uint32_t state = p.piece->state;
                if (!pithi_graph_is_call(&a->graph, state))
                    continue;
                struct pithlog_call_sum *sum = &sums[state];
                int64_t transfer_ns = transfer_of(a, &p, &wait, &waited_ns);
                if (is_second && transfer_ns <= LONG_LEAST_NS)
                    continue;
                const struct pithi_need *need = p.piece->needs ? pithi_graph_decisive(&a->graph, p.piece) : NULL;
                struct sized_calls *peers = sized_calls_of(&all, state, size_of(need));
                if (peers && !is_second)
                    pithi_bins_add(&peers->bins, transfer_ns);
                /* Each call also counts among the calls of all sizes, which are its peers if its size has few calls. */
                if (peers && (!is_second || peers->bins.all < LONG_PEERS))
                    peers = sized_calls_of(&all, state, ALL_SIZES);
                if (!peers) {
                    err = pithi_analysis_no_memory(a);
                    goto out;
                }
                if (!is_second) {
                    sum->calls++;
                    sum->wait_ns += waited_ns;
                    sum->transfer_ns += transfer_ns;
                    has_long |= transfer_ns > LONG_LEAST_NS;
                    pithi_bins_add(&peers->bins, transfer_ns);
                    if (sum->calls == 1 || transfer_ns > sum->longest_ns) {
                        sum->longest_ns = transfer_ns;
                        sum->longest_lane = lane;
                        pithi_pieces_part(a, &p, &sum->longest_from_ns, &sum->longest_to_ns);
                    }
                } else {
                    int64_t more_ns = too_long_ns(a, &p, transfer_ns, peers, need, begins);
                    sum->long_calls += more_ns > 0;
                    sum->long_ns += more_ns;
                }
            }
        }
        /* The limit is LONG_TIMES times the 10th percentile of the calls, but at least LONG_LEAST_NS. */
        for (uint32_t i = 0; !is_second && i < all.count; i++) {
            all.of[i].limit_ns = LONG_TIMES * pithi_bins_part(&all.of[i].bins, PART);
            all.of[i].limit_ns = all.of[i].limit_ns < LONG_LEAST_NS ? LONG_LEAST_NS : all.of[i].limit_ns;
        }
    }
out:
    free(begins);
    pithi_scratch_free(&scratch);
    free(all.of);
    pithi_map_free(&all.map);
    return err;
}

int pithlog_analysis_calls(struct pithlog_analysis *a, struct pithlog_call_sum *sums)
{
    uint32_t defs = pithlog_get_info(a->graph.log)->defs;
    int err = PITH_OK;

    if (!a->calls) {
        if (!(a->calls = calloc(defs + (size_t)1, sizeof *sums)))
            return pithi_analysis_no_memory(a);
        err = sum_calls(a, a->calls);
    }
    if (!err)
        memcpy(sums, a->calls, defs * sizeof *sums);
    else {
        free(a->calls);
        a->calls = NULL;
    }
    return err;
}

uint64_t pithlog_analysis_small_messages(const struct pithlog_analysis *a, int64_t *ns)
{
    uint64_t count = 0;

    *ns = 0;
    for (uint32_t i = 0; i < pithlog_get_info(a->graph.log)->lanes; i++) {
        count += a->graph.lanes[i].small;
        *ns += a->graph.lanes[i].small_ns;
    }
    return count;
}
