/* analyze_explain.c - `pith analyze --explain NAME`: what a term means, with the numbers of this log.
 *
 * Each term is a row of the table below. For an efficiency, its formula and its value are printed. If a row has a
 * function `here`, this function prints the numbers of this log; otherwise the findings with the term's name are
 * printed:
 *
 *     load balance        = mean time outside MPI / largest time outside MPI
 *                         = 0.842 here
 *     late sender         Here: 7.3 % of all ranks' time, 1.9 s
 *
 * From this table also come the words that `pith --complete analyze --explain` offers. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/nearest.h"
#include "tools/analyze.h"
#include "tools/table.h"
#include "tools/tools.h"

enum { SHOWN = 3 };

/* `here` prints the numbers of this log. If it is NULL, the findings whose name is `name` are printed. */
struct term {
    const char *name, *meaning, *formula;
    double (*value)(const struct pithi_findings *f);
    void (*here)(const struct pithi_findings *f, FILE *out);
};

static double parallel(const struct pithi_findings *f) { return f->info->parallel; }
static double load_balance(const struct pithi_findings *f) { return f->info->load_balance; }
static double communication(const struct pithi_findings *f) { return f->info->communication; }
static double serialisation(const struct pithi_findings *f) { return f->info->serialisation; }
static double transfer(const struct pithi_findings *f) { return f->info->transfer; }

static void path_here(const struct pithi_findings *f, FILE *out)
{
    uint32_t count;
    struct pithi_state_sum *sums = pithi_path_sums(f->analysis, &count);

    for (uint32_t i = 0; sums && i < count; i++) {
        fprintf(out, i ? "      " : "Here: ");
        pithi_state_sum_put(f->analysis, &sums[i], (double)(f->info->to_ns - f->info->from_ns), out);
    }
    free(sums);
}

static void imbalance_here(const struct pithi_findings *f, FILE *out)
{
    uint32_t count, shown = 0;
    struct pithi_state_sum *sums = pithi_path_sums(f->analysis, &count);
    double run_ns = (double)(f->info->to_ns - f->info->from_ns);
    char text[PITHI_NS_TEXT];

    for (uint32_t i = 0; sums && i < count; i++) {
        double ns = pithi_path_imbalance(f->analysis, sums[i].state, sums[i].ns);
        if (ns <= 0)
            continue;
        fprintf(out, "%s%.*s: %s, %.0f %% of the run\n", shown++ ? "      " : "Here: ", PITHI_NAME_COLUMNS,
                pithi_state_text(f->log, sums[i].state), pithi_ns_text(text, ns), 100 * ns / run_ns);
    }
    if (!shown)
        fprintf(out, "Here: no state takes longer on the critical path than on average\n");
    free(sums);
}

static void delay_here(const struct pithi_findings *f, FILE *out)
{
    const struct pithlog_delay *all;
    size_t count = pithlog_analysis_delays(f->analysis, &all);
    char sum[PITHI_NS_TEXT], direct[PITHI_NS_TEXT], lane[32];

    for (size_t i = 0; i < count && i < SHOWN; i++)
        fprintf(out, "%s%.*s on %s causes %s of %s\n      (%s direct, the rest indirect)\n",
                i ? "      " : "Here: ", PITHI_NAME_COLUMNS, pithi_state_text(f->log, all[i].state),
                pithi_lane_text(f->log, all[i].lane, lane), pithi_ns_text(sum, all[i].direct_ns + all[i].indirect_ns),
                pithlog_wait_kind_name(all[i].kind), pithi_ns_text(direct, all[i].direct_ns));
    if (!count)
        fprintf(out, "Here: no rank waits\n");
}

static void order_here(const struct pithi_findings *f, FILE *out)
{
    const struct pithi_wait_group *group = &f->groups[PITHLOG_LATE_SENDER];
    char text[PITHI_NS_TEXT];

    fprintf(out, "Here: %llu times, %s, %.1f %% of all ranks' time\n", (unsigned long long)group->wrong_order,
            pithi_ns_text(text, (double)group->wrong_order_ns),
            pithi_analysis_percent(f->analysis, (double)group->wrong_order_ns));
}

static void threads_here(const struct pithi_findings *f, FILE *out)
{
    struct pithlog_efficiency all[PITHLOG_HYBRID];
    uint32_t count = pithlog_analysis_hybrid(f->analysis, all);

    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%-24s %.3f  %s\n", i ? "      " : "Here: ", all[i].name, all[i].value, all[i].meaning);
    if (!count)
        fprintf(out, "Here: all threads call MPI\n");
}

static void messages_here(const struct pithi_findings *f, FILE *out)
{
    struct pithi_communication found;
    struct pithi_trust trust = {0};

    if (pithi_trust_find(f->analysis, &trust) != PITH_OK)
        return;
    if (pithi_communication_find(f->analysis, &trust, &found) == PITH_OK) {
        fprintf(out, "Here: %llu messages, %.0f bytes\n", (unsigned long long)found.messages, found.bytes);
        pithi_communication_put(&found, out);
    }
    pithi_communication_free(&found);
}

static void answer_here(const struct pithi_findings *f, FILE *out)
{
    fprintf(out, "Here (%s):\n", f->answer->kind);
    pithi_findings_wrap(f->answer->text, "", out);
}

static const struct term terms[] = {
    {"parallel",
     "The share of the run in which a rank computes, as the mean of all ranks. It is the\n"
     "product of load balance, serialisation and transfer. Source: the POP standard metrics.",
     "mean time outside MPI / run time", parallel, NULL},
    {"load balance",
     "It is 1 if all ranks compute equally long. The rest up to 1 is the time in which the\n"
     "other ranks have nothing to compute while the busiest rank computes.",
     "mean time outside MPI / largest time outside MPI", load_balance, NULL},
    {"communication", "The share of the run in which the busiest rank computes. It is serialisation x transfer.",
     "largest time outside MPI / run time", communication, NULL},
    {"serialisation",
     "The communication efficiency on an ideal network, where transfers take no time. The\n"
     "rest up to 1 is the time in which ranks wait for one another in turn; a faster network\n"
     "does not reduce it. The run on an ideal network is a replay of this log with the same\n"
     "dependencies.",
     "largest time outside MPI / run time on an ideal network", serialisation, NULL},
    {"transfer", "The rest up to 1 is the time of data transfers and the overhead of MPI calls.",
     "run time on an ideal network / run time", transfer, NULL},
    {"critical path",
     "The chain of computing and calls that determines the run time. It is followed backwards\n"
     "from the end of the run. At the end of a wait state it changes to the rank that was\n"
     "waited for. It is on one rank at each moment, so its length is the run time, and making\n"
     "a state faster saves at most its share of the path. Source: Boehme et al., IPDPS 2012.",
     NULL, NULL, path_here},
    {"delay",
     "The root cause of waiting. If A waits for B, it is the time that B spent longer in a\n"
     "state than A since they last synchronised. If B waited for C, that part is passed on to\n"
     "C (indirect). The sum of all delays is the sum of all wait states.\n"
     "Source: Boehme et al., ICPP 2010.",
     NULL, NULL, delay_here},
    {"imbalance",
     "The time of a state on the critical path minus its mean over all ranks: the run would\n"
     "be shorter by up to this time if all ranks shared the state equally.",
     NULL, NULL, imbalance_here},
    {"load imbalance",
     "A rank computes longer in a state than the mean of all ranks. The cost is the\n"
     "difference times the number of ranks, at most what the rank computes longer in all.",
     NULL, NULL, NULL},
    {"descheduled ranks",
     "Calls whose transfer took over 1 ms and over 20 times the 10th percentile of calls of\n"
     "their function and size, and did not end where a call of their partner began. It happens\n"
     "if there are more ranks than cores, and the system runs another process.\n"
     "Remedy: no more ranks than free cores. PITH_COUNTERS=run-delay measures it.",
     NULL, NULL, NULL},
    {"no core",
     "The time in which threads could run but the system gave their core to others, by the\n"
     "kernel's count of each thread. Recorded with PITH_COUNTERS=run-delay.",
     NULL, NULL, NULL},
    {"slow hosts",
     "Messages between two hosts whose transfer, from the begin of the send to the end of the\n"
     "receive that waits for it, takes twice as long as that of messages of the same size\n"
     "between most pairs of hosts. The cost is the difference of the medians.",
     NULL, NULL, NULL},
    {"slow collectives",
     "Calls of a collective that take over three times the median of calls with as many ranks\n"
     "and bytes, from the moment when the ranks that it needs have come. The cost is what\n"
     "they take beyond the median.",
     NULL, NULL, NULL},
    {"serialised MPI-IO",
     "Ranks read or write files one after another. There are two cases. In the first, other\n"
     "ranks wait: the cost is the waiting that calls of MPI_File_* cause. In the second,\n"
     "three or more ranks call one function at the same time, but the calls end one after another,\n"
     "each later than the one before by about the time of the quickest call: the cost is their\n"
     "time beyond that of the quickest. Remedy: write at the same time to different places, or\n"
     "use collective calls (MPI_File_write_all).",
     NULL, NULL, NULL},
    {"OpenMP waiting",
     "The time in which threads that call MPI are in the waiting states of OpenMP (pith run\n"
     "--also openmp), outside MPI calls: most often at the barrier at the end of a loop.\n"
     "Remedy: give all threads of the team as much work (schedule), or remove barriers (nowait).",
     NULL, NULL, NULL},
    {"thread waiting",
     "The time in which threads that call MPI wait for other threads in the states of pith run\n"
     "--also pthread (joins, conditions, locks, barriers, semaphores), outside MPI calls. Other\n"
     "threads may wait for work. The finding names the state that another thread of the rank is\n"
     "in for most of that time, in the call and on the thread with most of it. Remedy: let the\n"
     "thread that waits do a part of that work, or divide the work among more threads.",
     NULL, NULL, NULL},
    {"small messages",
     "Messages of at most 1 KiB to the same rank as the message before them, less than 100 us\n"
     "later, with no receive in between. The sender could put them into one message. The cost\n"
     "is the time of the calls that send them; a call of 1 ms or more waits for something else.",
     NULL, NULL, NULL},
    {"messages",
     "Messages with both ends that were received in the window. The bandwidth is that of\n"
     "calls that receive one message and wait for nothing else, from the moment when both\n"
     "sides are ready to the end of the call; it is left out if the fitted network does not\n"
     "explain the run. A blocking send waited for its receiver if it ended after the receive\n"
     "(MPI_Recv, MPI_Sendrecv) began; only receives that began 10 us or more after the send\n"
     "count. The sizes are those of this log, not a known limit of the MPI library: 90 %\n"
     "or more of the larger sends waited, 10 % or less of the smaller ones. One rank receives\n"
     "from many at the same time if half of its bytes were sent before it had received\n"
     "another rank's.\n"
     "The bytes of collectives are those that callers give: the root of a broadcast sends its\n"
     "data once, MPI_Alltoall sends a part to each rank. A call without bytes moves none, or\n"
     "the log does not have them.",
     NULL, NULL, messages_here},
    {"files",
     "The time in calls of MPI_File_* and in states io:* (pith run --also io), without waiting\n"
     "for other ranks. It is not useful time. Bytes and rate are those of the rank with most of\n"
     "it. Waiting that files cause is part of it. Remedy: write less often and larger pieces,\n"
     "and let all ranks write at the same time.",
     NULL, NULL, NULL},
    {"answer",
     "What costs most of the run, in one sentence. It costs at least 5 % of the run and half of\n"
     "what the most expensive one costs; the first of: more ranks than cores, a rank that does\n"
     "not call MPI, imbalance, files, ranks that work in turn, transfer, threads, start and end.",
     NULL, NULL, answer_here},
    {"recording",
     "The number of records, times the cost of a record, which was measured when the program began.\n"
     "pith compensate removes it from the log.",
     NULL, NULL, NULL},
    {"wrong order",
     "A late sender, while another message to the same rank, which a later call receives, was already sent, and the\n"
     "rank computes for 100 us or more between the two calls. If it received that message first, it could compute\n"
     "while it waits. Remedy: MPI_ANY_SOURCE, MPI_Waitany.",
     NULL, NULL, order_here},
    {"all threads",
     "The efficiency of all threads, by POP's hybrid model: MPI x threads. A thread works while it is in a state, but\n"
     "not in MPI and not waiting for another thread (--also openmp, pthread).",
     NULL, NULL, threads_here},
    {"iterations",
     "Programs repeat their work. An iteration is found in the MPI calls of a rank, or named by --iterations STATE. A\n"
     "slow one is longer than the median by over 10 % and over five times the median deviation.",
     NULL, NULL, pithi_findings_put_iterations},
};

/* [kind]: what this kind of wait state means. */
static const char *const meanings[PITHLOG_WAIT_KINDS] = {
#define WAIT_KIND(kind, name, colour, is, try, meaning) [PITHLOG_##kind] = meaning,
#include "analysis/wait_kinds.def"
#undef WAIT_KIND
};

/* Returns 1 if the user's word is the term `name`: "late-sender" and "Late_Sender" are "late sender". */
static int is_term(const char *given, const char *name)
{
    size_t i;

    for (i = 0; given[i] && name[i]; i++)
        if (strncasecmp(given + i, name + i, 1) != 0 && !((given[i] == '-' || given[i] == '_') && name[i] == ' '))
            return 0;
    return !given[i] && !name[i];
}

/* Prints a warning if the known part is too short to judge the run. */
static void put_short(const struct pithi_findings *f, FILE *out)
{
    if (f->info->is_too_short)
        fprintf(out,
                "The part without missing records is too short to judge the run:\n%.2g %% of the time asked for.\n",
                100 * f->info->part);
}

/* Explains a term. If the known part is too short to judge the run, prints only the formula with its value, no sentence
 * on the run. */
static void explain(const struct pithi_findings *f, const struct term *term, FILE *out)
{
    char text[PITHI_NS_TEXT];

    fprintf(out, "%s\n", term->name);
    pithi_findings_wrap(term->meaning, "", out);
    if (term->formula) {
        fprintf(out, "= %s\n= %.3f here\n", term->formula, term->value(f));
        fprintf(out, "Run time %s", pithi_ns_text(text, (double)(f->info->to_ns - f->info->from_ns)));
        fprintf(out, "; largest time outside MPI %s", pithi_ns_text(text, (double)f->info->most_useful_ns));
        fprintf(out, "; ideal network %s\n", pithi_ns_text(text, f->info->ideal_ns));
    } else if (term->here && !f->info->is_too_short) {
        term->here(f, out);
    } else if (!term->here && !f->info->is_too_short) {
        /* Prints the findings with the term's name. */
        int some = 0;
        for (uint32_t i = 0; i < f->count; i++) {
            if (strcmp(f->list[i].name, term->name) != 0)
                continue;
            some = 1;
            fprintf(out, "Here: %.1f %% of all ranks' time, %s:\n", 100 * f->list[i].share,
                    pithi_ns_text(text, f->list[i].ns));
            for (const char *line = f->list[i].text; *line; line = strchr(line, '\n') + 1)
                fprintf(out, "  %.*s\n", (int)strcspn(line, "\n"), line);
        }
        if (!some)
            fprintf(out, "Here: below %.1f %% of all ranks' time\n",
                    strcmp(term->name, "recording") == 0 ? 1 : 100 * PITHLOG_FINDING_LEAST);
    }
    put_short(f, out);
}

const char *pithi_findings_term(size_t number)
{
    size_t count = sizeof terms / sizeof *terms, kind = number - count + 1;

    return number < count              ? terms[number].name
           : kind < PITHLOG_WAIT_KINDS ? pithlog_wait_kind_name((uint32_t)kind)
                                       : NULL;
}

int pithi_findings_explain(const struct pithi_findings *f, const char *name, FILE *out)
{
    struct pithi_nearest nearest;
    char text[PITHI_NS_TEXT];

    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (is_term(name, terms[i].name)) {
            explain(f, &terms[i], out);
            return 0;
        }
    for (uint32_t kind = 1; kind < PITHLOG_WAIT_KINDS; kind++)
        if (is_term(name, pithlog_wait_kind_name(kind))) {
            fprintf(out, "%s\n", pithlog_wait_kind_name(kind));
            pithi_findings_wrap(meanings[kind], "", out);
            fprintf(out, "Here: %llu times, %s, %.1f %% of all ranks' time\n",
                    (unsigned long long)f->groups[kind].instances, pithi_ns_text(text, (double)f->groups[kind].ns),
                    pithi_analysis_percent(f->analysis, (double)f->groups[kind].ns));
            put_short(f, out);
            return 0;
        }
    pithi_nearest_begin(&nearest, name, strlen(name));
    for (size_t i = 0; pithi_findings_term(i); i++)
        pithi_nearest_try(&nearest, pithi_findings_term(i));
    if (nearest.name)
        return pithi_tool_usage("analyze", "--explain: no such term: %s; did you mean '%s'?", name, nearest.name);
    fprintf(stderr, "pith: analyze: --explain knows");
    for (size_t i = 0; pithi_findings_term(i); i++)
        fprintf(stderr, " '%s'%s", pithi_findings_term(i), pithi_findings_term(i + 1) ? "," : "");
    fprintf(stderr, "; not '%s'\n", name);
    return 2;
}
