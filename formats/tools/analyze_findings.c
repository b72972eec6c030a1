/* analyze_findings.c - what makes a run slow, each with its cost: wait states with their causes, load imbalance,
 * transfers, descheduled ranks, small messages, I/O, recording. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tools/analyze.h"
#include "tools/table.h"

enum { SHOWN = 3, PATH_SHOWN = 6, NAME = 28 };

double pithi_findings_percent(const struct pithi_findings *f, double ns)
{
    double all = (double)(f->info->to_ns - f->info->from_ns) * f->info->lanes;
    return all > 0 ? 100 * ns / all : 0;
}

const char *pithi_findings_lane(const struct pithi_findings *f, uint32_t lane, char text[32])
{
    const struct pithlog_info *info = pithlog_get_info(f->log);
    const struct pithlog_lane *of = pithlog_get_lane(f->log, lane);
    int32_t rank = of->rank;
    uint32_t thread = of->thread;
    int is_alone = (lane == 0 || pithlog_get_lane(f->log, lane - 1)->rank != rank) &&
                   (lane + 1 == info->lanes || pithlog_get_lane(f->log, lane + 1)->rank != rank);

    if (is_alone)
        snprintf(text, 32, "rank %d", (int)rank);
    else
        snprintf(text, 32, "rank %d.%u", (int)rank, (unsigned)thread);
    return text;
}

/* Begins a finding: a stream for its text. NULL: no memory. */
static FILE *begin(struct pithi_findings *f, const char *name, double ns)
{
    struct pithi_finding *list = realloc(f->list, (f->count + (size_t)1) * sizeof *list);
    FILE *text;

    if (!list)
        return NULL;
    f->list = list;
    list[f->count] = (struct pithi_finding){.name = name, .ns = ns};
    text = open_memstream(&list[f->count].text, &f->text_size);
    f->count += text != NULL;
    return text;
}

/* 0: no memory. */
static int end(FILE *text) { return fclose(text) == 0; }

static int is_small(const struct pithi_findings *f, double ns)
{
    return pithi_findings_percent(f, ns) < PITHI_FINDING_LEAST;
}

/* ---- Wait states ------------------------------------------------------------------------------------------------- */

static const char *explanation(uint32_t kind)
{
    static const char *const texts[PITHLOG_WAIT_KINDS] = {
        [PITHLOG_LATE_SENDER] = "a receive waits because its message is sent late",
        [PITHLOG_LATE_RECEIVER] = "a send waits because its receive is posted late",
        [PITHLOG_WAIT_AT_BARRIER] = "ranks wait at a barrier for the last one",
        [PITHLOG_WAIT_AT_NXN] = "ranks wait in a collective for the last one",
        [PITHLOG_LATE_BROADCAST] = "ranks wait for the root of a broadcast or scatter",
        [PITHLOG_EARLY_REDUCE] = "the root of a reduce or gather waits for the others",
        [PITHLOG_EARLY_SCAN] = "ranks wait in a scan for lower ranks",
        [PITHLOG_WAIT_AT_FINALIZE] = "ranks wait for the last one at the end of the run",
    };
    return texts[kind];
}

/* "ranks 1-3,7": at most about 30 characters. */
static void put_ranks(const struct pithi_findings *f, const unsigned char *lanes, FILE *out)
{
    const struct pithlog_info *info = pithlog_get_info(f->log);
    size_t used = 0;
    int32_t first = -1, last = -1;
    char text[64] = "";
    int is_cut = 0;

    for (uint32_t i = 0; i <= info->lanes; i++) {
        int32_t rank = i < info->lanes ? pithlog_get_lane(f->log, i)->rank : -2;
        if (i < info->lanes && !lanes[i])
            continue;
        if (first >= 0 && rank != last && rank != last + 1) {
            if (used > 24) {
                is_cut = 1;
                break;
            }
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", used ? "," : "", (int)first);
            if (last > first)
                used += (size_t)snprintf(text + used, sizeof text - used, "-%d", (int)last);
            first = rank;
        }
        first = first < 0 ? rank : first;
        last = rank;
    }
    fprintf(out, "%s %s%s", strpbrk(text, ",-") ? "ranks" : "rank", text, is_cut ? ",..." : "");
}

static void put_states(const struct pithi_findings *f, const struct pithi_wait_group *group, FILE *out)
{
    uint32_t best = 0, count = 0;

    for (uint32_t i = 0; i < pithlog_get_info(f->log)->defs; i++) {
        count += group->of_state[i] > 0;
        best = group->of_state[i] > group->of_state[best] ? i : best;
    }
    fprintf(out, "%.*s", NAME, pithi_findings_state(f, best));
    if (count > 1)
        fprintf(out, " (%.0f %%) and %u more", 100.0 * (double)group->of_state[best] / (double)group->ns, count - 1);
}

static int by_sum(const void *a, const void *b)
{
    const struct pithi_state_sum *x = a, *y = b;
    return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : x->state < y->state ? -1 : x->state > y->state;
}

void pithi_findings_put_place(const struct pithi_findings *f, const struct pithi_state_sum *sum, FILE *out)
{
    char lane[32];

    if (sum->most_ns >= 0.95 * sum->ns)
        fprintf(out, "on %s", pithi_findings_lane(f, sum->most, lane));
    else
        fprintf(out, "most on %s (%.0f %%)", pithi_findings_lane(f, sum->most, lane), 100 * sum->most_ns / sum->ns);
}

void pithi_findings_put_sum(const struct pithi_findings *f, const struct pithi_state_sum *sum, double all_ns, FILE *out)
{
    char text[PITHI_TIME_TEXT];

    fprintf(out, "%.*s: %s (%.0f %%), ", NAME, pithi_findings_state(f, sum->state),
            pithi_table_time_text(text, sum->ns), 100 * sum->ns / all_ns);
    pithi_findings_put_place(f, sum, out);
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

/* 0: no memory. */
static int put_causes(const struct pithi_findings *f, const struct pithi_wait_group *group, FILE *out)
{
    const struct pithlog_delay *delays;
    size_t count = pithlog_analysis_delays(f->analysis, &delays);
    uint32_t defs = pithlog_get_info(f->log)->defs;
    struct pithi_state_sum *sums = calloc(defs + (size_t)1, sizeof *sums);

    for (size_t i = 0; sums && i < count; i++)
        if (delays[i].kind == group->kind)
            add_sum(sums, delays[i].state == PITHLOG_COMPUTING ? defs : delays[i].state, delays[i].state,
                    delays[i].lane, delays[i].direct_ns + delays[i].indirect_ns);
    if (sums)
        qsort(sums, defs + (size_t)1, sizeof *sums, by_sum);
    for (uint32_t i = 0; sums && i < SHOWN && i <= defs && sums[i].ns >= 0.05 * (double)group->ns; i++) {
        fprintf(out, "     %s ", i ? "          " : "caused by ");
        pithi_findings_put_sum(f, &sums[i], (double)group->ns, out);
    }
    free(sums);
    return sums != NULL;
}

struct pithi_state_sum *pithi_findings_path(const struct pithi_findings *f, uint32_t *count)
{
    const struct pithlog_path_share *shares;
    size_t share_count = pithlog_analysis_path_shares(f->analysis, &shares);
    uint32_t defs = pithlog_get_info(f->log)->defs;
    struct pithi_state_sum *sums = calloc(defs + (size_t)1, sizeof *sums);
    double length = (double)(f->info->to_ns - f->info->from_ns);

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

static int find_waits(struct pithi_findings *f)
{
    char text[PITHI_TIME_TEXT], lane[32];

    for (uint32_t kind = 1; kind < PITHLOG_WAIT_KINDS; kind++) {
        const struct pithi_wait_group *group = &f->groups[kind];
        const struct pithlog_wait_state *worst = &group->worst;
        FILE *out;
        if (is_small(f, (double)group->ns))
            continue;
        if (!(out = begin(f, pithlog_wait_kind_name(kind), (double)group->ns)))
            return 0;
        f->list[f->count - 1].worst = worst;
        fprintf(out, "     %s:\n     in ", explanation(kind));
        put_states(f, group, out);
        fprintf(out, ", %llu times, ", (unsigned long long)group->instances);
        put_ranks(f, group->lanes, out);
        fprintf(out, "\n");
        if (group->wrong_order)
            fprintf(out, "     wrong order: %s in %llu of them; a later receive could have come first\n",
                    pithi_table_time_text(text, (double)group->wrong_order_ns), (unsigned long long)group->wrong_order);
        if (!put_causes(f, group, out)) {
            end(out);
            return 0;
        }
        fprintf(out, "     worst: %s on %s", pithi_table_time_text(text, (double)(worst->to_ns - worst->from_ns)),
                pithi_findings_lane(f, worst->lane, lane));
        fprintf(out, ", waiting for %s\n", pithi_findings_lane(f, worst->cause_lane, lane));
        fprintf(out, "     pith view %s --at %.6fs --rows %d,%d\n", f->path, (double)worst->from_ns / 1e9,
                (int)pithlog_get_lane(f->log, worst->lane)->rank,
                (int)pithlog_get_lane(f->log, worst->cause_lane)->rank);
        if (!end(out))
            return 0;
    }
    return 1;
}

/* ---- Other findings ---------------------------------------------------------------------------------------------- */

/* Finds states in which one lane spends more time than the mean of all lanes with MPI calls. The lane may spend less
 * time in other states (one lane computes the ocean, another the atmosphere), so the cost is at most what it computes
 * more than the mean in all states together. */
static int find_imbalance(struct pithi_findings *f)
{
    const struct pithlog_info *info = pithlog_get_info(f->log);
    char most_text[PITHI_TIME_TEXT], mean_text[PITHI_TIME_TEXT], name[32];

    for (uint32_t i = 0; i <= info->defs && f->info->lanes > 1; i++) {
        uint32_t state = i == info->defs ? PITHLOG_COMPUTING : i, most = 0;
        double sum = 0, most_ns = -1;
        FILE *out;
        if (state != PITHLOG_COMPUTING && pithlog_analysis_is_call(f->analysis, state))
            continue;
        for (uint32_t lane = 0; lane < info->lanes; lane++) {
            double ns = (double)pithlog_analysis_state_ns(f->analysis, lane, state);
            if (!pithlog_analysis_calls_mpi(f->analysis, lane))
                continue;
            sum += ns;
            if (ns > most_ns) {
                most_ns = ns;
                most = lane;
            }
        }
        double mean = sum / f->info->lanes, more = most_ns - mean;
        double all_more =
            (double)pithlog_analysis_useful_ns(f->analysis, most) - (double)f->info->useful_ns / f->info->lanes;
        double cost = (more < all_more ? more : all_more) * f->info->lanes;
        if (is_small(f, cost))
            continue;
        if (!(out = begin(f, "load imbalance", cost)))
            return 0;
        fprintf(out, "     %.*s takes %s on %s and %s in the mean:\n     the other ranks could do more of it\n", NAME,
                pithi_findings_state(f, state), pithi_table_time_text(most_text, most_ns),
                pithi_findings_lane(f, most, name), pithi_table_time_text(mean_text, mean));
        if (!end(out))
            return 0;
    }
    return 1;
}

static int is_io(const char *name) { return strncmp(name, "MPI_File_", 9) == 0; }

/* Time of MPI calls outside wait states: data moves, calls have overhead, or a rank is descheduled. */
static int find_transfer(struct pithi_findings *f)
{
    const struct pithlog_info *info = pithlog_get_info(f->log);
    struct pithlog_call_sum *sums = calloc(info->defs + (size_t)1, sizeof *sums);
    int64_t all_ns[2] = {0, 0}, long_ns = 0;
    uint64_t long_calls = 0;
    uint32_t most[2] = {0, 0};
    char text[PITHI_TIME_TEXT];
    FILE *out;
    int good = sums && pithlog_analysis_calls(f->analysis, sums) == PITH_OK;

    for (uint32_t i = 0; good && i < info->defs; i++) {
        int io = is_io(pithlog_get_def(f->log, i)->name);
        all_ns[io] += sums[i].transfer_ns;
        if (sums[i].transfer_ns > sums[most[io]].transfer_ns || is_io(pithlog_get_def(f->log, most[io])->name) != io)
            most[io] = i;
        long_ns += io ? 0 : sums[i].long_ns;
        long_calls += io ? 0 : sums[i].long_calls;
    }
    for (int io = 0; good && io < 2; io++) {
        if (is_small(f, (double)all_ns[io]))
            continue;
        if (!(out = begin(f, io ? "MPI-IO" : "transfer", (double)all_ns[io])))
            good = 0;
        else {
            fprintf(out, "     %s;\n     most of it in %.*s (%s, %llu calls)\n",
                    io ? "MPI calls for files" : "MPI calls outside wait states: data transfer and call overhead", NAME,
                    pithi_findings_state(f, most[io]), pithi_table_time_text(text, (double)sums[most[io]].transfer_ns),
                    (unsigned long long)sums[most[io]].calls);
            good = end(out);
        }
    }
    if (good && !is_small(f, (double)long_ns)) {
        if (!(out = begin(f, "descheduled ranks", (double)long_ns)))
            good = 0;
        else {
            fprintf(out,
                    "     in %llu calls, transfer took over 1 ms and over 20 times the median:\n"
                    "     are there more ranks than cores? (part of transfer)\n",
                    (unsigned long long)long_calls);
            good = end(out);
        }
    }
    free(sums);
    return good;
}

static int find_small_messages(struct pithi_findings *f)
{
    char text[PITHI_TIME_TEXT];
    int64_t ns;
    uint64_t count = pithlog_analysis_small_messages(f->analysis, &ns);
    FILE *out;

    if (is_small(f, (double)ns))
        return 1;
    if (!(out = begin(f, "small messages", (double)ns)))
        return 0;
    fprintf(out,
            "     %llu of %llu messages could be part of the message before them: at most\n"
            "     1 KiB, to the same rank, with no receive in between; %s each\n",
            (unsigned long long)count, (unsigned long long)f->info->sends,
            pithi_table_time_text(text, (double)ns / (double)count));
    return end(out);
}

/* The cost of recording: the measured cost of a record times the number of records. */
static int find_own_cost(struct pithi_findings *f)
{
    const struct pithlog_info *info = pithlog_get_info(f->log);
    double ns = 0;
    FILE *out;

    for (uint32_t i = 0; i < info->lanes; i++)
        ns += (double)pithlog_get_lane(f->log, i)->records *
              (pithlog_own_cost_ns(f->log, i, PITHLOG_ENTER) + pithlog_own_cost_ns(f->log, i, PITHLOG_OWN_CALL) / 2);
    if (pithi_findings_percent(f, ns) < 1)
        return 1;
    if (!(out = begin(f, "recording", ns)))
        return 0;
    fprintf(out, "     writing the records; `pith compensate` removes this from the log\n");
    return end(out);
}

static int by_cost(const void *a, const void *b)
{
    const struct pithi_finding *x = a, *y = b;
    return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : 0;
}

int pithi_findings_list(struct pithi_findings *f)
{
    if (!find_waits(f) || !find_imbalance(f) || !find_transfer(f) || !find_small_messages(f) || !find_own_cost(f))
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    if (f->count)
        qsort(f->list, f->count, sizeof *f->list, by_cost);
    return PITH_OK;
}

int pithi_findings_csv(const struct pithi_findings *f, FILE *out)
{
    static const struct pithi_table_column columns[] = {
        {"finding", PITHI_CELL_TEXT, 0}, {"cost", PITHI_CELL_TIME, 0}, {"share", PITHI_CELL_RATIO, 0}};
    struct pithi_report *table = NULL;
    int err;

    TRY(pithi_table_new(&table, columns, 3));
    for (uint32_t i = 0; i < f->count; i++) {
        TRY(pithi_table_row(table));
        TRY(pithi_table_text(table, f->list[i].name));
        pithi_table_number(table, (int64_t)f->list[i].ns);
        pithi_table_number(table, (int64_t)(pithi_findings_percent(f, f->list[i].ns) * 1e4));
    }
    TRY(pithi_table_print(table, out, PITHI_TEXT_CSV));
out:
    pithi_table_free(table);
    return err;
}
