/* findings_json.c - writes the analysis of a log as JSON, for `pith analyze --json` and for pages. The output is one
 * object with stable keys. Times are integers in ns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/findings.h"
#include "analysis/hybrid_model.h"
#include "base/error.h"
#include "base/put_json.h"
#include "base/shell_word.h"

/* ---- Gathering --------------------------------------------------------------------------------------------------- */

/* Counts the hosts of the log; lanes are sorted by rank. */
static void count_hosts(struct pithi_findings *f)
{
    const struct pithlog_info *info = pithlog_get_info(f->log);
    const char **hosts = calloc(info->lanes + (size_t)1, sizeof *hosts);

    f->ranks = info->ranks;
    f->cores = pithi_cores_of(f->log, &f->all_cores);
    /* Each host is compared with all hosts found before, because there are few hosts, even with many lanes. */
    for (uint32_t i = 0; hosts && i < info->lanes; i++) {
        const char *host = pithlog_get_lane(f->log, i)->host;
        uint32_t k = 0;
        while (k < f->hosts && strcmp(hosts[k], host) != 0)
            k++;
        if (k == f->hosts)
            hosts[f->hosts++] = host;
    }
    free(hosts);
}

int pithi_findings_none(const struct pithi_findings *f, int is_damaged)
{
    /* There are two reasons for an empty interval: holes cover all of it, or nothing happened in it. The advice
     * differs, so there are two texts. */
    const char *why = pithlog_get_info(f->log)->incomplete;

    if (f->info->gaps)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: nothing to analyse: records of rank %d are missing%s", f->path,
                          (int)pithlog_get_lane(f->log, f->info->gap_lane)->rank,
                          is_damaged ? " in a damaged part; `pith recover` takes the rest" : "");
    return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: nothing to analyse: this part of the run has no records%s%s", f->path,
                      why ? "; the log is incomplete: " : "", why ? why : "");
}

int pithi_findings_gather(struct pithi_findings *f)
{
    count_hosts(f);
    if ((f->groups = pithi_wait_groups(f->analysis)) == NULL)
        return PITH_ERR_MEMORY;
    return pithlog_analysis_findings(f->analysis, &f->list, &f->count);
}

void pithi_findings_around(const struct pithi_findings *f, const struct pithlog_finding_place *place, int64_t *from_ns,
                           int64_t *to_ns)
{
    const struct pithlog_info *info = pithlog_get_info(f->log);
    /* Adds half the length of the place on each side, within the log: the place 100 to 120 ms becomes 90 to 130 ms.
     * Adds nothing if the place is the whole analysed part. */
    int is_all = place->from_ns <= f->info->from_ns && place->to_ns >= f->info->to_ns;
    int64_t half_ns = is_all ? 0 : (place->to_ns - place->from_ns) / 2;

    *from_ns = place->from_ns - half_ns > info->start_ns ? place->from_ns - half_ns : info->start_ns;
    *to_ns = place->to_ns + half_ns < info->end_ns ? place->to_ns + half_ns : info->end_ns;
}

char *pithi_findings_command(const struct pithi_findings *f, const struct pithlog_finding_place *place)
{
    uint32_t lane = place->lane, other = place->other;
    int64_t from_ns, to_ns;
    char rows[32] = "", word[4096], *command;

    if (f->no_commands)
        return NULL;
    pithi_findings_around(f, place, &from_ns, &to_ns);
    /* The command shows only the rows that the finding is about: the lane that waits, and the lane that it waits for,
     * if there is one. */
    if (lane != UINT32_MAX)
        snprintf(rows, sizeof rows, other != UINT32_MAX ? " --rows %d,%d" : " --rows %d",
                 (int)pithlog_get_lane(f->log, lane)->rank,
                 other != UINT32_MAX ? (int)pithlog_get_lane(f->log, other)->rank : 0);
    /* 9 decimals are whole nanoseconds, and the path is quoted for a shell: the user copies the line. */
    if (asprintf(&command, "pith view %s --from %.9fs --to %.9fs%s", pithi_shell_word(f->path, word, sizeof word),
                 (double)from_ns / 1e9, (double)to_ns / 1e9, rows) < 0)
        return NULL;
    return command;
}

uint32_t pithi_findings_absent(const struct pithi_findings *f)
{
    const struct pithlog_comm *world = pithlog_get_comm(f->log, 0);
    uint32_t present = 0, lanes = pithlog_get_info(f->log)->lanes, world_size = world ? (uint32_t)world->size : 0;
    int32_t rank = 0; /* the last rank that is present */

    /* Counts each rank once, even with several threads. Lanes are sorted by rank, so it suffices to compare each lane's
     * rank with the last rank. */
    for (uint32_t i = 0; i < lanes; i++) {
        const struct pithlog_lane *lane = pithlog_get_lane(f->log, i);
        if (lane->records && (!present || lane->rank != rank)) {
            present++;
            rank = lane->rank;
        }
    }
    /* Takes the larger of the size of MPI_COMM_WORLD and the number of the log's ranks, because the log may have no or
     * a smaller MPI_COMM_WORLD. */
    world_size = world_size > f->ranks ? world_size : f->ranks;
    return world_size - present + f->info->unread;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

struct json {
    struct pithi_json_out to;       /* the stream, with its state */
    const struct pithi_findings *f; /* the analysis that is written */
};

/* Writes a lane as two members: its index, which other members refer to, and its rank, which users know. */
static void put_lane(struct json *j, uint32_t lane)
{
    pithi_json_put_integer(&j->to, "lane", lane);
    pithi_json_put_integer(&j->to, "rank", pithlog_get_lane(j->f->log, lane)->rank);
}

static void put_efficiencies(struct json *j)
{
    const struct pithlog_analysis_info *info = j->f->info;

    pithi_json_put_begin(&j->to, "efficiencies", '{');
    pithi_json_put_number(&j->to, "parallel", info->parallel);
    pithi_json_put_number(&j->to, "load_balance", info->load_balance);
    pithi_json_put_number(&j->to, "communication", info->communication);
    pithi_json_put_number(&j->to, "serialisation", info->serialisation);
    pithi_json_put_number(&j->to, "transfer", info->transfer);
    pithi_json_put_integer(&j->to, "ideal_ns", llround(info->ideal_ns));
    pithi_json_put_end(&j->to, '}');
}

/* Writes the efficiencies of the hybrid model. Without threads at work, pithlog_analysis_hybrid returns 0, and the
 * member is left out. */
static void put_hybrid(struct json *j)
{
    struct pithlog_efficiency all[PITHLOG_HYBRID];

    if (!pithlog_analysis_hybrid(j->f->analysis, all))
        return;
    pithi_json_put_number(&j->to, "all_threads", all[0].value);
    pithi_json_put_begin(&j->to, "hybrid", '{');
    pithi_json_put_number(&j->to, "mpi", all[1].value);
    pithi_json_put_number(&j->to, "threads", all[2].value);
    pithi_json_put_number(&j->to, "threads_load_balance", all[3].value);
    pithi_json_put_number(&j->to, "threads_communication", all[4].value);
    pithi_json_put_begin(&j->to, "omp_wait_ns", '[');
    for (uint32_t lane = 0; lane < pithlog_get_info(j->f->log)->lanes; lane++)
        pithi_json_put_item(&j->to, pithi_thread_wait_ns(j->f->analysis, lane));
    pithi_json_put_end(&j->to, ']');
    pithi_json_put_end(&j->to, '}');
}

/* Writes how far the other numbers can be trusted: which messages and collectives were matched, how much time has no
 * explanation, and how the replay of the log compares with the log. */
static void put_trust(struct json *j)
{
    const struct pithi_trust *trust = &j->f->trust;

    pithi_json_put_begin(&j->to, "trust", '{');
    pithi_json_put_integer(&j->to, "messages", (int64_t)trust->of_messages);
    pithi_json_put_integer(&j->to, "messages_matched", (int64_t)trust->messages);
    pithi_json_put_integer(&j->to, "collective_calls", (int64_t)trust->of_collectives);
    pithi_json_put_integer(&j->to, "collective_calls_matched", (int64_t)trust->collectives);
    pithi_json_put_integer(&j->to, "unknown_ns", llround(trust->unknown_ns));
    pithi_json_put_integer(&j->to, "path_unknown_ns", llround(trust->path_unknown_ns));
    pithi_json_put_integer(&j->to, "replay_ns", llround(trust->replay_ns));
    pithi_json_put_begin(&j->to, "worst", '[');
    for (uint32_t i = 0; i < trust->worst_count; i++) {
        pithi_json_put_begin(&j->to, NULL, '{');
        pithi_json_put_text(&j->to, "state", pithi_state_text(j->f->log, trust->worst[i].state));
        pithi_json_put_integer(&j->to, "calls", (int64_t)trust->worst[i].calls);
        pithi_json_put_integer(&j->to, "log_ns", llround(trust->worst[i].log_ns));
        pithi_json_put_integer(&j->to, "replay_ns", llround(trust->worst[i].replay_ns));
        pithi_json_put_end(&j->to, '}');
    }
    pithi_json_put_end(&j->to, ']');
    pithi_json_put_end(&j->to, '}');
}

static void put_groups(struct json *j)
{
    pithi_json_put_begin(&j->to, "waits", '[');
    /* from 1: kind 0 is no wait state */
    for (uint32_t kind = 1; kind < PITHLOG_WAIT_KINDS; kind++)
        /* Writes an object for each pair of kind and state: late senders in MPI_Recv and in MPI_Wait are two
         * objects. */
        for (uint32_t state = 0; state < pithlog_get_info(j->f->log)->defs; state++) {
            const struct pithi_wait_group *group = &j->f->groups[kind];
            if (!group->state_counts[state])
                continue;
            pithi_json_put_begin(&j->to, NULL, '{');
            pithi_json_put_text(&j->to, "kind", pithlog_wait_kind_name(kind));
            pithi_json_put_text(&j->to, "state", pithi_state_text(j->f->log, state));
            pithi_json_put_integer(&j->to, "ns", group->of_state[state]);
            pithi_json_put_integer(&j->to, "instances", (int64_t)group->state_counts[state]);
            pithi_json_put_end(&j->to, '}');
        }
    pithi_json_put_end(&j->to, ']');
}

/* Writes the answer. All members are always written; a member that does not apply to the answer is null. */
static void put_answer(struct json *j)
{
    const struct pithlog_answer *answer = j->f->answer;
    const struct pithlog *log = j->f->log;
    char *command = answer->ns > 0 ? pithi_findings_command(j->f, &answer->place) : NULL;

    pithi_json_put_begin(&j->to, "answer", '{');
    pithi_json_put_text(&j->to, "text", answer->text);
    pithi_json_put_text(&j->to, "kind", answer->kind);
    pithi_json_put_integer(&j->to, "ns", llround(answer->ns));
    pithi_json_put_number(&j->to, "share", answer->share);
    if (answer->lane != UINT32_MAX)
        pithi_json_put_integer(&j->to, "rank", pithlog_get_lane(log, answer->lane)->rank);
    else
        pithi_json_put_null(&j->to, "rank");
    if (answer->state)
        pithi_json_put_text(&j->to, "state", answer->state);
    else
        pithi_json_put_null(&j->to, "state");
    if (answer->other != UINT32_MAX)
        pithi_json_put_integer(&j->to, "other", pithlog_get_lane(log, answer->other)->rank);
    else
        pithi_json_put_null(&j->to, "other");
    if (answer->last_iteration) {
        pithi_json_put_begin(&j->to, "iterations", '[');
        pithi_json_put_item(&j->to, (int64_t)answer->first_iteration);
        pithi_json_put_item(&j->to, (int64_t)answer->last_iteration);
        pithi_json_put_end(&j->to, ']');
    } else
        pithi_json_put_null(&j->to, "iterations");
    if (j->f->answer_site)
        pithi_json_put_text(&j->to, "longest", j->f->answer_site);
    if (command)
        pithi_json_put_text(&j->to, "command", command);
    free(command);
    pithi_json_put_end(&j->to, '}');
}

static void put_findings(struct json *j)
{
    size_t first, last, costly;

    pithi_json_put_begin(&j->to, "findings", '[');
    for (uint32_t i = 0; i < j->f->count; i++) {
        const struct pithlog_finding *finding = &j->f->list[i];
        char *command = pithi_findings_command(j->f, &finding->place);
        pithi_json_put_begin(&j->to, NULL, '{');
        pithi_json_put_text(&j->to, "name", finding->name);
        pithi_json_put_number(&j->to, "ns", finding->ns);
        pithi_json_put_number(&j->to, "percent", 100 * finding->share);
        /* in JSON, part_of counts from 0; in the struct from 1, and 0 means part of nothing */
        if (finding->part_of)
            pithi_json_put_integer(&j->to, "part_of", finding->part_of - 1);
        if (pithi_finding_is_guess(j->f->analysis, finding))
            pithi_json_put_flag(&j->to, "guess", 1);
        pithi_json_put_text(&j->to, "text", finding->text);
        if (finding->place.lane != UINT32_MAX)
            put_lane(j, finding->place.lane);
        if (finding->place.other != UINT32_MAX)
            pithi_json_put_integer(&j->to, "other_lane", finding->place.other);
        pithi_json_put_integer(&j->to, "from_ns", finding->place.from_ns);
        pithi_json_put_integer(&j->to, "to_ns", finding->place.to_ns);
        if (j->f->functions && j->f->functions[i])
            pithi_json_put_text(&j->to, "function", j->f->functions[i]);
        if (j->f->sites && j->f->sites[i])
            pithi_json_put_text(&j->to, "longest", j->f->sites[i]);
        if (pithi_finding_iterations(j->f->analysis, finding, &first, &last, &costly) == 1) {
            /* iterations are numbered from 1, as in the texts */
            pithi_json_put_integer(&j->to, "first_iteration", (int64_t)first + 1);
            pithi_json_put_integer(&j->to, "last_iteration", (int64_t)last + 1);
        }
        if (command)
            pithi_json_put_text(&j->to, "command", command);
        free(command);
        pithi_json_put_end(&j->to, '}');
    }
    pithi_json_put_end(&j->to, ']');
}

static void put_delays(struct json *j)
{
    const struct pithlog_delay *delays;
    size_t count = pithlog_analysis_delays(j->f->analysis, &delays);

    pithi_json_put_begin(&j->to, "delays", '[');
    for (size_t i = 0; i < count; i++) {
        pithi_json_put_begin(&j->to, NULL, '{');
        put_lane(j, delays[i].lane);
        pithi_json_put_text(&j->to, "state", pithi_state_text(j->f->log, delays[i].state));
        pithi_json_put_text(&j->to, "causes", pithlog_wait_kind_name(delays[i].kind));
        pithi_json_put_number(&j->to, "direct_ns", delays[i].direct_ns);
        pithi_json_put_number(&j->to, "indirect_ns", delays[i].indirect_ns);
        pithi_json_put_end(&j->to, '}');
    }
    pithi_json_put_end(&j->to, ']');
}

static void put_path(struct json *j)
{
    const struct pithlog_path_share *shares;
    size_t count = pithlog_analysis_path_shares(j->f->analysis, &shares);
    const struct pithlog_info *info = pithlog_get_info(j->f->log);

    pithi_json_put_begin(&j->to, "critical_path", '{');
    pithi_json_put_integer(&j->to, "ns", j->f->info->to_ns - j->f->info->from_ns);
    pithi_json_put_begin(&j->to, "profile", '[');
    for (size_t i = 0; i < count; i++) {
        pithi_json_put_begin(&j->to, NULL, '{');
        put_lane(j, shares[i].lane);
        pithi_json_put_text(&j->to, "state", pithi_state_text(j->f->log, shares[i].state));
        pithi_json_put_integer(&j->to, "ns", shares[i].ns);
        pithi_json_put_end(&j->to, '}');
    }
    pithi_json_put_end(&j->to, ']');
    pithi_json_put_begin(&j->to, "states", '[');
    /* The round after the last definition is for the time outside all states. */
    for (uint32_t k = 0; k <= info->defs; k++) {
        /* `shares` has an entry for each lane and state, so adds those of a state over the lanes. */
        uint32_t state = k == info->defs ? PITHLOG_COMPUTING : k;
        int64_t ns = 0;
        for (size_t i = 0; i < count; i++)
            ns += shares[i].state == state ? shares[i].ns : 0;
        if (ns == 0)
            continue;
        pithi_json_put_begin(&j->to, NULL, '{');
        pithi_json_put_text(&j->to, "state", pithi_state_text(j->f->log, state));
        pithi_json_put_integer(&j->to, "ns", ns);
        pithi_json_put_number(&j->to, "imbalance_ns", pithi_path_imbalance(j->f->analysis, state, (double)ns));
        pithi_json_put_end(&j->to, '}');
    }
    pithi_json_put_end(&j->to, ']');
    pithi_json_put_end(&j->to, '}');
}

static void put_waits(struct json *j)
{
    const struct pithlog_wait_state *waits;

    pithi_json_put_begin(&j->to, "wait_states", '[');
    for (uint32_t lane = 0; lane < pithlog_get_info(j->f->log)->lanes; lane++) {
        size_t count = pithlog_analysis_waits(j->f->analysis, lane, &waits);
        for (size_t i = 0; i < count; i++) {
            pithi_json_put_begin(&j->to, NULL, '{');
            pithi_json_put_text(&j->to, "kind", pithlog_wait_kind_name(waits[i].kind));
            pithi_json_put_text(&j->to, "state", pithi_state_text(j->f->log, waits[i].state));
            put_lane(j, lane);
            pithi_json_put_integer(&j->to, "from_ns", waits[i].from_ns);
            pithi_json_put_integer(&j->to, "to_ns", waits[i].to_ns);
            pithi_json_put_integer(&j->to, "cause_lane", waits[i].cause_lane);
            pithi_json_put_integer(&j->to, "release_ns", waits[i].release_ns);
            if (waits[i].order != PITHLOG_IN_ORDER)
                pithi_json_put_text(&j->to, "wrong_order",
                                    waits[i].order == PITHLOG_WRONG_ORDER_SAME_SOURCE ? "same source" : "other source");
            pithi_json_put_number(&j->to, "handed_ns", waits[i].handed_ns);
            pithi_json_put_end(&j->to, '}');
        }
    }
    pithi_json_put_end(&j->to, ']');
}

static void put_iterations(struct json *j)
{
    const struct pithlog_iterations *all = j->f->iterations;

    pithi_json_put_begin(&j->to, "iterations", '{');
    pithi_json_put_integer(&j->to, "count", (int64_t)all->count);
    if (all->count) {
        pithi_json_put_text(&j->to, "found_by", pithi_state_text(j->f->log, all->state));
        put_lane(j, all->lane);
        pithi_json_put_integer(&j->to, "from_ns", all->all[0].from_ns);
        pithi_json_put_integer(&j->to, "to_ns", all->all[all->count - 1].to_ns);
        pithi_json_put_number(&j->to, "mean_ns", all->mean_ns);
        pithi_json_put_integer(&j->to, "median_ns", all->median_ns);
        pithi_json_put_integer(&j->to, "min_ns", all->min_ns);
        pithi_json_put_integer(&j->to, "max_ns", all->max_ns);
        pithi_json_put_number(&j->to, "drift_ns_per_iteration", all->drift_ns);
        pithi_json_put_integer(&j->to, "slow_count", (int64_t)all->slow_count);
    }
    pithi_json_put_begin(&j->to, "slow", '[');
    for (size_t i = 0; i < all->slow_count && i < PITHLOG_SLOW_MOST; i++) {
        const struct pithlog_slow_iteration *slow = &all->slow[i];
        pithi_json_put_begin(&j->to, NULL, '{');
        /* users count iterations from 1 */
        pithi_json_put_integer(&j->to, "index", slow->index + (int64_t)1);
        pithi_json_put_integer(&j->to, "from_ns", all->all[slow->index].from_ns);
        pithi_json_put_integer(&j->to, "to_ns", all->all[slow->index].to_ns);
        pithi_json_put_integer(&j->to, "excess_ns", slow->excess_ns);
        pithi_json_put_text(&j->to, "state",
                            slow->kind ? pithlog_wait_kind_name(slow->kind) : pithi_state_text(j->f->log, slow->state));
        pithi_json_put_integer(&j->to, "difference_ns", slow->difference_ns);
        put_lane(j, slow->lane);
        pithi_json_put_end(&j->to, '}');
    }
    pithi_json_put_end(&j->to, ']');
    pithi_json_put_end(&j->to, '}');
}

/* Writes traffic, but not the end of the object, so that the caller can add members. Leaves out a member, `from` or
 * `to`, if it is -1, because the traffic is then a sum over all ranks. */
static void put_sent(struct json *j, const char *name, const struct pithi_rank_traffic *sent)
{
    pithi_json_put_begin(&j->to, name, '{');
    if (sent->from >= 0)
        pithi_json_put_integer(&j->to, "from", sent->from);
    if (sent->to >= 0)
        pithi_json_put_integer(&j->to, "to", sent->to);
    pithi_json_put_integer(&j->to, "messages", (int64_t)sent->messages);
    pithi_json_put_integer(&j->to, "bytes", llround(sent->bytes));
}

static void put_sizes(struct json *j, const char *name, const struct pithi_send_sizes *sizes)
{
    pithi_json_put_begin(&j->to, name, '{');
    pithi_json_put_integer(&j->to, "least_bytes", sizes->least);
    pithi_json_put_integer(&j->to, "most_bytes", sizes->most);
    pithi_json_put_integer(&j->to, "calls", (int64_t)sizes->calls);
    pithi_json_put_integer(&j->to, "waited", (int64_t)sizes->waited);
    pithi_json_put_end(&j->to, '}');
}

/* Writes an overlap, but not the end of the object, because the object of the sum over all ranks also contains the
 * array of the ranks. */
static void put_overlap(struct json *j, const char *name, const struct pithi_overlap *of)
{
    pithi_json_put_begin(&j->to, name, '{');
    if (of->rank >= 0)
        pithi_json_put_integer(&j->to, "rank", of->rank);
    pithi_json_put_integer(&j->to, "messages", (int64_t)of->messages);
    pithi_json_put_integer(&j->to, "ns", of->ns);
    pithi_json_put_integer(&j->to, "computing_ns", of->computing_ns);
    pithi_json_put_integer(&j->to, "waiting_ns", of->waiting_ns);
}

static void put_colls(struct json *j, const struct pithi_communication *c)
{
    pithi_json_put_begin(&j->to, "collectives", '[');
    for (uint32_t i = 0; i < c->coll_count; i++) {
        const struct pithi_coll_traffic *of = &c->colls[i];
        pithi_json_put_begin(&j->to, NULL, '{');
        pithi_json_put_text(&j->to, "function", of->function);
        pithi_json_put_integer(&j->to, "calls", (int64_t)of->calls);
        pithi_json_put_integer(&j->to, "calls_without_bytes", (int64_t)of->without_bytes);
        pithi_json_put_integer(&j->to, "ranks", of->ranks);
        pithi_json_put_integer(&j->to, "bytes", llround(of->bytes));
        pithi_json_put_integer(&j->to, "got_bytes", llround(of->got_bytes));
        pithi_json_put_number(&j->to, "mean_bytes", of->bytes / of->ranks);
        if (of->bytes > 0) {
            pithi_json_put_begin(&j->to, "top_sender", '{');
            pithi_json_put_integer(&j->to, "from", of->sender);
            pithi_json_put_integer(&j->to, "bytes", llround(of->sender_bytes));
            pithi_json_put_end(&j->to, '}');
        }
        pithi_json_put_end(&j->to, '}');
    }
    pithi_json_put_end(&j->to, ']');
}

static void put_communication(struct json *j, const struct pithi_communication *c)
{
    pithi_json_put_begin(&j->to, "communication", '{');
    pithi_json_put_integer(&j->to, "messages", (int64_t)c->messages);
    pithi_json_put_integer(&j->to, "bytes", llround(c->bytes));
    pithi_json_put_number(&j->to, "messages_a_second", c->run_ns > 0 ? 1e9 * (double)c->messages / c->run_ns : 0);
    pithi_json_put_begin(&j->to, "pairs", '[');
    for (uint32_t i = 0; i < c->pair_count; i++) {
        put_sent(j, NULL, &c->pairs[i]);
        pithi_json_put_end(&j->to, '}');
    }
    pithi_json_put_end(&j->to, ']');
    if (c->messages) {
        pithi_json_put_integer(&j->to, "senders", c->senders);
        put_sent(j, "top_sender", &c->sender);
        pithi_json_put_end(&j->to, '}');
        put_sent(j, "busiest_sender", &c->busiest);
        pithi_json_put_end(&j->to, '}');
        put_sent(j, "top_receiver", &c->receiver);
        pithi_json_put_integer(&j->to, "senders", c->receiver_senders);
        pithi_json_put_integer(&j->to, "overlapping_bytes", llround(c->receiver_late_bytes));
        pithi_json_put_end(&j->to, '}');
    }
    if (c->timed) {
        pithi_json_put_begin(&j->to, "bandwidth", '{');
        pithi_json_put_integer(&j->to, "messages", (int64_t)c->timed);
        pithi_json_put_number(&j->to, "bytes_a_second", c->bytes_a_second);
        pithi_json_put_number(&j->to, "fitted_bytes_a_second", c->fitted_bytes_a_second);
        pithi_json_put_number(&j->to, "fitted_latency_ns", c->fitted_latency_ns);
        pithi_json_put_end(&j->to, '}');
    }
    if (c->waiting_sends.calls) {
        pithi_json_put_begin(&j->to, "late_receivers", '{');
        put_sizes(j, "waiting_sends", &c->waiting_sends);
        put_sizes(j, "other_sends", &c->free_sends);
        pithi_json_put_end(&j->to, '}');
    }
    if (c->overlap.messages) {
        put_overlap(j, "overlap", &c->overlap);
        pithi_json_put_begin(&j->to, "ranks", '[');
        for (uint32_t i = 0; i < c->overlap_count; i++) {
            put_overlap(j, NULL, &c->overlaps[i]);
            pithi_json_put_end(&j->to, '}');
        }
        pithi_json_put_end(&j->to, ']');
        pithi_json_put_end(&j->to, '}');
    }
    put_colls(j, c);
    pithi_json_put_end(&j->to, '}');
}

static void put_run_delay(struct json *j)
{
    struct pithi_run_delay delay;

    if (!pithi_run_delay_find(j->f->log, &delay))
        return;
    pithi_json_put_begin(&j->to, "run_delay", '{');
    pithi_json_put_integer(&j->to, "delay_ns", (int64_t)delay.delay_ns);
    pithi_json_put_integer(&j->to, "cpu_ns", (int64_t)delay.cpu_ns);
    pithi_json_put_integer(&j->to, "time_ns", (int64_t)delay.time_ns);
    pithi_json_put_integer(&j->to, "ranks", delay.ranks);
    pithi_json_put_integer(&j->to, "threads_ns", (int64_t)delay.threads_ns);
    pithi_json_put_end(&j->to, '}');
}

int pithi_findings_json(const struct pithi_findings *f, FILE *out, int with_waits)
{
    struct json j = {.f = f, .to.is_first = 1};
    const struct pithlog_info *info = pithlog_get_info(f->log);
    struct pithi_communication communication;

    /* Finds the communication before the first byte is written, because an error must not leave half an object
     * behind. */
    int err = pithi_communication_find(f->analysis, &f->trust, &communication);
    if (err || (err = pithi_out_open(&j.to.out, out)) != PITH_OK) {
        pithi_communication_free(&communication);
        return err;
    }
    pithi_json_put_begin(&j.to, NULL, '{');
    pithi_json_put_begin(&j.to, "window", '{');
    pithi_json_put_integer(&j.to, "from_ns", f->info->from_ns);
    pithi_json_put_integer(&j.to, "to_ns", f->info->to_ns);
    pithi_json_put_number(&j.to, "part", f->info->part);
    pithi_json_put_end(&j.to, '}');
    pithi_json_put_integer(&j.to, "ranks", f->ranks);
    pithi_json_put_integer(&j.to, "lanes", info->lanes);
    pithi_json_put_integer(&j.to, "hosts", f->hosts);
    pithi_json_put_integer(&j.to, "cores", f->cores);
    put_run_delay(&j);
    put_answer(&j);
    put_trust(&j);
    pithi_json_put_integer(&j.to, "given_up", (int64_t)f->info->given_up);
    pithi_json_put_integer(&j.to, "ranks_absent", pithi_findings_absent(f));
    pithi_json_put_integer(&j.to, "gaps", f->info->gaps);
    if (f->info->gaps) {
        pithi_json_put_begin(&j.to, "first_gap", '{');
        put_lane(&j, f->info->gap_lane);
        pithi_json_put_integer(&j.to, "from_ns", f->info->gap_from_ns);
        pithi_json_put_integer(&j.to, "to_ns", f->info->gap_to_ns);
        pithi_json_put_end(&j.to, '}');
    }
    pithi_json_put_integer(&j.to, "lost_comms", f->info->lost_comms);
    pithi_json_put_begin(&j.to, "useful_ns", '[');
    for (uint32_t lane = 0; lane < info->lanes; lane++)
        pithi_json_put_item(&j.to, pithlog_analysis_useful_ns(f->analysis, lane));
    pithi_json_put_end(&j.to, ']');
    put_efficiencies(&j);
    put_hybrid(&j);
    if (f->computation.ipc > 0) {
        pithi_json_put_begin(&j.to, "computation", '{');
        pithi_json_put_number(&j.to, "instructions", f->computation.instructions);
        pithi_json_put_number(&j.to, "ipc", f->computation.ipc);
        pithi_json_put_number(&j.to, "cycles_a_second", f->computation.cycles_a_second);
        pithi_json_put_end(&j.to, '}');
    }
    put_findings(&j);
    put_groups(&j);
    put_delays(&j);
    put_path(&j);
    put_iterations(&j);
    put_communication(&j, &communication);
    pithi_communication_free(&communication);
    /* All wait states would often be most of the output, so they are written only on request. */
    if (with_waits)
        put_waits(&j);
    pithi_json_put_end(&j.to, '}');
    pithi_out_char(&j.to.out, '\n');
    return pithi_out_close(&j.to.out, PITH_OK);
}

int pithlog_analysis_json(struct pithlog_analysis *analysis, const char *path, char **json)
{
    struct pithi_findings f = {.log = analysis->graph.log, .path = path, .analysis = analysis};
    size_t size;
    int err;
    FILE *out;

    *json = NULL;
    f.info = pithlog_analysis_get_info(analysis);
    if (f.info->to_ns <= f.info->from_ns)
        return pithi_findings_none(&f, 0);
    if (!(f.trusting = pithi_trust_begin(analysis)))
        return PITH_ERR_MEMORY;
    TRY(pithi_findings_gather(&f));
    TRY(pithlog_analysis_computation(analysis, &f.computation));
    TRY(pithlog_analysis_iterations(analysis, UINT32_MAX, &f.iterations));
    TRY(pithlog_analysis_answer(analysis, &f.answer));
    err = pithi_trust_end(f.trusting, &f.trust);
    f.trusting = NULL;
    TRY(err);
    if (!(out = open_memstream(json, &size)))
        return pithi_no_memory();
    err = pithi_findings_json(&f, out, 0);
    if (fclose(out) != 0 && !err)
        err = pithi_no_memory();
out:
    pithi_trust_end(f.trusting, NULL);
    return err;
}
