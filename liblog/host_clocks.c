/* host_clocks.c - measures the offsets between clocks by round trips.
 *
 * Rank 0 measures one leader after another, by messages of the transport:
 *
 *     rank 0    WAKE -> next leader;  PING -> leader, answer <- ... as often as needed;  END -> leader
 *     leader    sleeps until its WAKE; then answers each PING at once with its time
 *     others    sleep until the result comes down a binomial tree
 *
 * Waiting processes sleep, because with more processes than cores they would take cores from the two that measure. The
 * next leader is woken one measurement early, so that rank 0 need not wait for it.
 *
 * The number of round trips. A measurement ends when AGAIN more round trips were within a fifth of the shortest one,
 * and a tenth (LOOK_PART) of its time has passed: then the shortest round trip is the latency and not chance. The
 * measurement continues if the shortest round trip is more than twice the shortest of earlier comparisons, or if one of
 * the two processes was without a core for more than a fifth of the time: a process that gets its core in turns of 4 ms
 * sees round trips of 4 ms again and again. A clock that never meets these conditions takes its whole part of the
 * budget. The budget of all clocks together is 100 ms * log2(processes), or a tenth of the time since the last
 * comparison if that is less, but at least 20 ms * log2(processes). The first comparison has no earlier round trip to
 * compare with, so it may take four times as long while cores are lacking.
 */
#include "host_clocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "clock.h"
#include "spill/clock_sync.h"
#include "base/hash.h"

enum { AGAIN = 5, LEAST = 8, ROUNDS_KEPT = 128 }; /* LEAST: round trips of a measurement; ROUNDS_KEPT: comparisons */
#define BUDGET_NS 100000000                       /* ns for all clocks together, times log2(processes) */
#define BUDGET_LEAST_NS 20000000                  /* the least budget, for a comparison soon after another one */
#define SINCE_PART 10 /* a comparison takes at most a tenth of the time since the last one */
#define AWAY_PART 5   /* the measurement is poor if a process had no core for more than a fifth of the time */
#define AWAY_TIMES 4  /* while a process lacks a core, the first measurement may take four times as long */
#define LOOK_PART 10  /* a clock is measured for at least a tenth of its part of the budget */
enum { WAKE, PING, END };

struct host {
    uint64_t boot;  /* the host's boot id, as a number */
    int32_t leader; /* the host's lowest rank */
    int32_t reserved;
};

static struct {
    struct host *hosts;        /* hosts of the job, by number; known in all processes */
    uint32_t count, own;       /* count: number of hosts; own: the number of this process's host */
    int joined;                /* 1: the fields above are set, in all processes */
    struct pithi_sync *table;  /* [count], used during a comparison */
    struct pithi_sync last;    /* newest sync point of the own clock */
    int known;                 /* 1: `last` is valid */
    struct pithi_sync ends[2]; /* first and newest point, if they are good enough for a drift */
    uint32_t ends_count;
    /* offset_ns: the offset at the time at_ns; gain_ns: its change in a second; accessed atomically */
    int64_t at_ns, offset_ns, gain_ns;
    /* In rank 0: */
    struct pithi_sync *points; /* [rounds][count] */
    int64_t *worst;            /* longest round trip used, by clock; -1: none */
    int64_t *least;            /* shortest round trip, by clock */
    /* rounds: rounds in `points`; stride: one of so many rounds is kept; skipped: rounds since the last kept one */
    uint32_t rounds, stride, skipped;
} clocks;

/* ---- Hosts and their leaders ------------------------------------------------------------------------------------- */

/* Adds a host, or a lower leader of a known host. Without memory the host is left out and not measured. */
static void add_host(const struct host *host)
{
    struct host *more;
    for (uint32_t i = 0; i < clocks.count; i++)
        if (clocks.hosts[i].boot == host->boot) {
            if (host->leader < clocks.hosts[i].leader)
                clocks.hosts[i].leader = host->leader;
            return;
        }
    more = realloc(clocks.hosts, (clocks.count + 1) * sizeof *more);
    if (more == NULL)
        return;
    clocks.hosts = more;
    more[clocks.count++] = *host;
}

static int by_leader(const void *a, const void *b)
{
    const struct host *left = a, *right = b;
    return (left->leader > right->leader) - (left->leader < right->leader);
}

/* Collects the hosts up a binomial tree: rank r receives the hosts of r + 1, r + 2, r + 4 ... */
static int gather(const struct pith_transport *t)
{
    for (int step = 1; step < t->size; step *= 2) {
        uint64_t count = clocks.count;
        if ((t->rank & step) != 0) {
            int status = t->send(t->context, t->rank - step, &count, sizeof count);
            for (uint64_t i = 0; i < count && status == 0; i++)
                status = t->send(t->context, t->rank - step, &clocks.hosts[i], sizeof *clocks.hosts);
            return status;
        }
        if (t->rank + step >= t->size)
            continue;
        if (t->recv(t->context, t->rank + step, &count, sizeof count) != 0)
            return -1;
        for (uint64_t i = 0; i < count; i++) {
            struct host host;
            if (t->recv(t->context, t->rank + step, &host, sizeof host) != 0)
                return -1;
            add_host(&host);
        }
    }
    return 0;
}

/* Sends rank 0's list of hosts to all. Returns 0; or -1 if that failed or a process has no memory for the list: then
 * clocks are not compared. */
static int give_out(const struct pith_transport *t, uint64_t boot)
{
    uint64_t count = clocks.count, good;
    if (t->rank == 0)
        qsort(clocks.hosts, clocks.count, sizeof *clocks.hosts, by_leader);
    if (t->bcast(t->context, 0, &count, sizeof count) != 0)
        return -1;
    if (t->rank != 0) {
        free(clocks.hosts);
        clocks.hosts = calloc(count + 1, sizeof *clocks.hosts);
        clocks.count = (uint32_t)count;
    }
    clocks.table = calloc(count + 1, sizeof *clocks.table);
    good = clocks.hosts != NULL && clocks.table != NULL;
    if (t->reduce(t->context, &good, 1, PITH_MIN) != 0 || good == 0)
        return -1;
    if (t->bcast(t->context, 0, clocks.hosts, count * sizeof *clocks.hosts) != 0)
        return -1;
    for (clocks.own = 0; clocks.own < clocks.count && clocks.hosts[clocks.own].boot != boot;)
        clocks.own++;
    return 0;
}

int pithi_host_clocks_join(const struct pith_transport *t, int same)
{
    char boot[64];
    pithi_boot_id(boot, sizeof boot);
    struct host own = {pithi_hash_text(PITHI_HASH, boot), t->rank, 0};
    uint64_t others = !same;
    free(clocks.hosts);
    free(clocks.points);
    free(clocks.worst);
    free(clocks.least);
    free(clocks.table);
    memset(&clocks, 0, sizeof clocks);
    clocks.stride = 1;
    if (t->reduce(t->context, &others, 1, PITH_MAX) != 0)
        return -1;
    clocks.joined = 1;
    if (others == 0)
        return 0;
    add_host(&own);
    if (gather(t) != 0 || give_out(t, own.boot) != 0) {
        clocks.count = 0;
        clocks.joined = 0;
        return -1;
    }
    if (t->rank == 0) {
        clocks.worst = malloc(clocks.count * sizeof *clocks.worst);
        clocks.least = malloc(clocks.count * sizeof *clocks.least);
        for (uint32_t i = 0; clocks.worst != NULL && i < clocks.count; i++)
            clocks.worst[i] = i == 0 ? 0 : -1;
        for (uint32_t i = 0; clocks.least != NULL && i < clocks.count; i++)
            clocks.least[i] = INT64_MAX / 2;
    }
    return 0;
}

uint32_t pithi_host_clocks_own(void)
{
    return clocks.own < clocks.count || clocks.count == 0 ? clocks.own : UINT32_MAX;
}

int pithi_host_clocks_several(void) { return clocks.count > 1; }

int pithi_host_clocks_ns(int64_t local_ns, int64_t *reference_ns)
{
    *reference_ns = pithi_sync_ns(&clocks.last, 1, local_ns);
    return clocks.known ? 0 : -1;
}

int pith_job_clock(int64_t local_ns, int64_t *offset_ns)
{
    double away_s = 1e-9 * (double)(local_ns - __atomic_load_n(&clocks.at_ns, __ATOMIC_RELAXED));
    *offset_ns = __atomic_load_n(&clocks.offset_ns, __ATOMIC_RELAXED) +
                 (int64_t)(away_s * (double)__atomic_load_n(&clocks.gain_ns, __ATOMIC_RELAXED));
    return clocks.known || (clocks.joined && clocks.count == 0) ? 0 : -1;
}

const struct pithi_sync *pithi_host_clocks_point(void) { return clocks.known ? &clocks.last : NULL; }

uint32_t pithi_host_clocks_count(void) { return clocks.count; }

struct pithi_clock_history pithi_host_clocks_history(uint32_t number)
{
    return (struct pithi_clock_history){clocks.hosts[number].leader, clocks.points + number, clocks.rounds,
                                        clocks.count, clocks.worst != NULL ? clocks.worst[number] : -1};
}

/* ---- Ping-pong --------------------------------------------------------------------------------------------------- */

static int send_word(const struct pith_transport *t, int to, uint64_t word)
{
    return t->send(t->context, to, &word, sizeof word);
}

static int wait_for(const struct pith_transport *t, int from, int nap)
{
    return t->wait != NULL ? t->wait(t->context, from, nap) : 0;
}

/* The answer to a ping. away_ns is read before the ping arrives, so it does not lengthen the round trip. */
struct pong {
    int64_t local_ns; /* time of the answer, by the clock of the process that answers */
    int64_t away_ns;
};

/* Returns the time that this thread was not on a core. The thread does not sleep while it measures, so the difference
 * of two values is the time without a core. */
static int64_t away_ns(void) { return pithi_clock_ns(CLOCK_MONOTONIC) - pithi_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

/* In a leader: sleeps until rank 0 wakes it, then answers pings until END. */
static int answer(const struct pith_transport *t)
{
    uint64_t word = WAKE;
    struct pong pong = {0, 0};
    if (wait_for(t, 0, 1) != 0)
        return -1;
    while (word != END) {
        pong.away_ns = away_ns();
        if (wait_for(t, 0, 0) != 0 || t->recv(t->context, 0, &word, sizeof word) != 0)
            return -1;
        pong.local_ns = pithi_clock_ns(CLOCK_MONOTONIC);
        if (word == PING && t->send(t->context, 0, &pong, sizeof pong) != 0)
            return -1;
    }
    return 0;
}

/* Makes one round trip to rank `to`. Stores in *point its length and the offset that it gives. */
static int ping(const struct pith_transport *t, int to, struct pithi_sync *point, int64_t *their_away_ns)
{
    struct pong pong;
    int64_t before = pithi_clock_ns(CLOCK_MONOTONIC);
    if (send_word(t, to, PING) != 0 || wait_for(t, to, 0) != 0 || t->recv(t->context, to, &pong, sizeof pong) != 0)
        return -1;
    point->round_ns = pithi_clock_ns(CLOCK_MONOTONIC) - before;
    point->local_ns = pong.local_ns;
    *their_away_ns = pong.away_ns;
    point->offset_ns = pithi_ns_apart(before + point->round_ns / 2, point->local_ns);
    return 0;
}

/* Measures the clock of rank `to` by round trips; *best gets the shortest. least_ns: the shortest of earlier
 * comparisons. */
static int measure(const struct pith_transport *t, int to, int64_t budget_ns, int64_t least_ns, struct pithi_sync *best)
{
    struct pithi_sync now = {.shift_ns = best->shift_ns};
    int64_t begin_ns, passed_ns = 0, own_away_ns, their_away_ns, their_now_ns, away;
    int again = 0, count, is_away = 0, more = clocks.known ? 1 : AWAY_TIMES;
    if (ping(t, to, best, &their_away_ns) != 0) /* the first one includes the wait for the other process */
        return -1;
    begin_ns = pithi_clock_ns(CLOCK_MONOTONIC);
    own_away_ns = away_ns();
    for (count = 1; count < LEAST || passed_ns < (is_away ? more : 1) * budget_ns; count++) {
        if (again >= AGAIN && best->round_ns <= 2 * least_ns && passed_ns >= budget_ns / LOOK_PART && !is_away)
            break;
        if (ping(t, to, &now, &their_now_ns) != 0)
            return -1;
        if (now.round_ns < best->round_ns - best->round_ns / 5)
            again = 0;
        else if (now.round_ns <= best->round_ns + best->round_ns / 5)
            again++;
        if (now.round_ns < best->round_ns)
            *best = now;
        passed_ns = pithi_clock_ns(CLOCK_MONOTONIC) - begin_ns;
        away = away_ns() - own_away_ns;
        away = their_now_ns - their_away_ns > away ? their_now_ns - their_away_ns : away;
        /* without `wait`, recv sleeps, and away_ns would count its sleep as time without a core */
        is_away = t->wait != NULL && away > passed_ns / AWAY_PART;
    }
    return send_word(t, to, END);
}

/* In rank 0: measures all clocks, one after another, into points[count]. */
static int measure_all(const struct pith_transport *t, struct pithi_sync *points)
{
    int64_t each_ns = BUDGET_NS, left_ns = 0, steps = 0;
    for (int size = 1; size < t->size; size *= 2)
        steps++;
    if (clocks.known && (points->local_ns - clocks.last.local_ns) / SINCE_PART < each_ns * steps)
        each_ns = (points->local_ns - clocks.last.local_ns) / SINCE_PART / steps;
    left_ns = steps * (each_ns > BUDGET_LEAST_NS ? each_ns : BUDGET_LEAST_NS);
    for (uint32_t i = 1; i < clocks.count; i++) {
        int64_t begin_ns = pithi_clock_ns(CLOCK_MONOTONIC), part_ns = left_ns / (clocks.count - i);
        if ((i == 1 && send_word(t, clocks.hosts[i].leader, WAKE) != 0) ||
            (i + 1 < clocks.count && send_word(t, clocks.hosts[i + 1].leader, WAKE) != 0) ||
            measure(t, clocks.hosts[i].leader, part_ns < BUDGET_NS ? part_ns : BUDGET_NS,
                    clocks.least != NULL ? clocks.least[i] : INT64_MAX / 2, &points[i]) != 0)
            return -1;
        if (clocks.least != NULL && points[i].round_ns < clocks.least[i])
            clocks.least[i] = points[i].round_ns;
        begin_ns = pithi_clock_ns(CLOCK_MONOTONIC) - begin_ns;
        left_ns -= begin_ns < part_ns ? begin_ns : part_ns;
    }
    return 0;
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

/* Keeps at most ROUNDS_KEPT points of each clock for the log. When there are more, it drops every second round, and
 * from then on keeps half as many of the new rounds. */
static void remember(const struct pithi_sync *points)
{
    struct pithi_sync *more;
    if (clocks.worst == NULL)
        return;
    for (uint32_t i = 1; i < clocks.count; i++)
        if (points[i].round_ns > clocks.worst[i])
            clocks.worst[i] = points[i].round_ns;
    if (clocks.rounds == ROUNDS_KEPT) {
        for (uint32_t i = 1; i < ROUNDS_KEPT / 2; i++)
            memcpy(clocks.points + (size_t)i * clocks.count, clocks.points + 2 * (size_t)i * clocks.count,
                   clocks.count * sizeof *points);
        clocks.rounds /= 2;
        clocks.stride *= 2;
    }
    if (clocks.skipped > 0 && clocks.rounds > 0) /* the newest round is always kept */
        clocks.rounds--;
    clocks.skipped = (clocks.skipped + 1) % clocks.stride;
    more = realloc(clocks.points, (clocks.rounds + (size_t)1) * clocks.count * sizeof *points);
    if (more == NULL)
        return;
    clocks.points = more;
    memcpy(more + clocks.rounds++ * (size_t)clocks.count, points, clocks.count * sizeof *points);
}

int pithi_spread(const struct pith_transport *t, void *data, size_t size)
{
    int step = 1;
    while (step < t->size && (t->rank & step) == 0)
        step *= 2;
    if (t->rank != 0 && (wait_for(t, t->rank - step, 1) != 0 || t->recv(t->context, t->rank - step, data, size) != 0))
        return -1;
    for (step /= 2; step > 0; step /= 2)
        if (t->rank + step < t->size && t->send(t->context, t->rank + step, data, size) != 0)
            return -1;
    return 0;
}

int pithi_host_clocks_sync(const struct pith_transport *t)
{
    struct pithi_sync *points = clocks.table;
    struct pithi_anchor now;
    int good;
    if (clocks.count < 2)
        return 0;
    pithi_clock_anchor(&now);
    for (uint32_t i = 0; i < clocks.count; i++)
        points[i] = (struct pithi_sync){.local_ns = now.mono_ns, .shift_ns = now.real_ns - now.mono_ns};
    if (t->rank == 0)
        good = measure_all(t, points) == 0;
    else
        good = clocks.own >= clocks.count || clocks.hosts[clocks.own].leader != t->rank || answer(t) == 0;
    good = good && pithi_spread(t, points, clocks.count * sizeof *points) == 0;
    if (good && clocks.own < clocks.count) {
        const struct pithi_sync *point = &points[clocks.own];
        int64_t now_ns = point->local_ns, then_ns = now_ns + 1000000000;
        clocks.last = *point;
        clocks.known = 1;
        clocks.ends[clocks.ends_count < 1 ? 0 : 1] = *point;
        clocks.ends_count = pithi_sync_tidy(clocks.ends, clocks.ends_count < 1 ? 1 : 2);
        int64_t offset_ns = pithi_sync_ns(clocks.ends, clocks.ends_count, now_ns) - now_ns;
        int64_t later_ns = pithi_sync_ns(clocks.ends, clocks.ends_count, then_ns) - then_ns;
        __atomic_store_n(&clocks.at_ns, now_ns, __ATOMIC_RELAXED);
        __atomic_store_n(&clocks.offset_ns, offset_ns, __ATOMIC_RELAXED);
        __atomic_store_n(&clocks.gain_ns, later_ns - offset_ns, __ATOMIC_RELAXED);
    }
    if (good && t->rank == 0)
        remember(points);
    return good ? 0 : -1;
}

/* ---- Comparison without a log ------------------------------------------------------------------------------------ */

int pith_clocks_compare(const struct pith_transport *t)
{
    char own[64], first[64];
    pithi_boot_id(own, sizeof own);
    memcpy(first, own, sizeof first);
    if (!clocks.joined &&
        (t->bcast(t->context, 0, first, sizeof first) != 0 || pithi_host_clocks_join(t, strcmp(own, first) == 0) != 0))
        return -1;
    return pithi_host_clocks_sync(t);
}

/* ---- Times of comparison ----------------------------------------------------------------------------------------- */

#define FIRST_NS 100000000 /* ns from the first comparison to the second, for pith_clocks_follow */

static struct {
    /* begun is 1 if pithi_turns_begin was called, follow if pith_clocks_follow was called */
    int begun, follow;
    int64_t every_ns, begin_ns, last_ns; /* every_ns: as in pithi_turns_begin; last_ns: of the last comparison */
    /* taken: turns taken; next: the number of the next turn at which rank 0 decides */
    uint64_t taken, next;
} turns;

void pithi_turns_begin(int64_t every_ns)
{
    int64_t now_ns = pithi_clock_ns(CLOCK_MONOTONIC);
    turns.begun = 1;
    turns.every_ns = every_ns;
    turns.begin_ns = turns.last_ns = now_ns;
    turns.taken = 0;
    turns.next = pithi_host_clocks_several() ? 1 : UINT64_MAX;
}

void pith_clocks_follow(void) { turns.follow = 1; }

/* Returns the time from one comparison to the next; 0 if there is no further comparison. */
static int64_t interval_ns(void)
{
    int64_t so_far_ns = turns.last_ns - turns.begin_ns;
    if (turns.every_ns > 0 || !turns.follow)
        return turns.every_ns;
    return so_far_ns > FIRST_NS ? so_far_ns : FIRST_NS;
}

int pithi_turns_take(const struct pith_transport *t)
{
    uint64_t decision[2] = {0, UINT64_MAX};
    if (++turns.taken < turns.next)
        return 0;
    if (t->rank == 0) {
        /* Decides whether to compare now, and which turn decides next. */
        int64_t now_ns = pithi_clock_ns(CLOCK_MONOTONIC), left_ns, wait_ns = interval_ns();
        double each_ns = (double)(now_ns - turns.begin_ns) / (double)turns.taken, ahead;
        if (wait_ns != 0) {
            decision[0] = now_ns - turns.last_ns >= wait_ns;
            if (decision[0] != 0)
                turns.last_ns = now_ns;
            left_ns = turns.last_ns + interval_ns() - now_ns;
            ahead = each_ns > 0 ? (double)left_ns / each_ns / 2 : 1;
            if (ahead > (double)turns.taken)
                ahead = (double)turns.taken;
            decision[1] = turns.taken + (ahead > 1 ? (uint64_t)ahead : 1);
        }
    }
    if (t->bcast(t->context, 0, decision, sizeof decision) != 0)
        decision[1] = UINT64_MAX;
    turns.next = decision[1];
    return decision[0] != 0;
}

/* ---- Comparing clocks without a log ------------------------------------------------------------------------------ */

/* Returns the period that PITH_SYNC asks for, in ns; 0 if it is not set. */
static int64_t asked_ns(int rank)
{
    const char *value = secure_getenv("PITH_SYNC");
    int64_t ns = value != NULL && *value != '\0' ? pithi_moment_ns(value, 1000000000) : 0;
    if (ns < 0 && rank == 0)
        pithi_say("PITH_SYNC=%s: not " PITHI_MOMENT_WORDS "; ignored", value);
    return ns > 0 ? ns : 0;
}

int pith_clocks_turn(const struct pith_transport *t)
{
    if (!turns.begun)
        pithi_turns_begin(asked_ns(t->rank));
    return pithi_turns_take(t) && pithi_host_clocks_sync(t) == 0;
}
