/* agree.c - the check of a call: one reduction over the team's shadow, of five words:
 *
 *     the sum of parts, 0 in all                                      (facts.h)
 *     the hash of facts, and its complement: the least of each        equal when the least is the greatest
 *     the same of what only some state; others say the greatest number there is
 *
 * The reduction does not block: a call that waits looks now and then whether it has waited for too long, and one that
 * must not wait leaves it to the call that completes its request.
 */
#include "agree.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 5, LOOKS = 256 };

int64_t pithi_agreed_calls, pithi_agreed_errors;

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

int64_t pithi_await_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int pithi_await_seconds(void)
{
    static int seconds = -1; /* the same for all threads */

    if (seconds < 0) {
        const char *value = getenv("PITH_CHECK_SECONDS");
        int given = value && *value ? atoi(value) : 30;
        seconds = given < 0 ? 0 : given;
    }
    return seconds;
}

static void say_late(const struct pithi_check *check, int64_t waited_ns, const char *whom)
{
    char missing[1024] = "", where[128], line[1536];

    if (!whom && check->team->shadow != MPI_COMM_NULL &&
        !pithi_where_missing(check->team->shadow, check->team->id, check->call, missing, sizeof missing))
        return;
    pithi_verdict_where(check, where, sizeof where);
    snprintf(line, sizeof line, "pith check: %srank %d: has waited for %d s in %s %s for %s\n", pithi_where_prefix,
             pithi_where_rank, (int)(waited_ns / 1000000000), check->name, where, whom ? whom : missing);
    pithi_say(line);
}

void pithi_await(MPI_Request *request, const struct pithi_check *check, const char *whom)
{
    int64_t begun_ns = 0, limit_ns = (int64_t)pithi_await_seconds() * 1000000000;
    struct pithi_where *here = pithi_where;
    int done = 0, said = 0;

    here->team = check->team->id;
    here->call = check->call;
    for (int looks = 1; REAL(MPI_Test)(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done; looks++) {
        if (looks > 20)
            sched_yield();
        if (looks % LOOKS)
            continue;
        int64_t now_ns = pithi_await_now_ns();
        if (!begun_ns) {
            begun_ns = now_ns;
            pithi_verdict_where(check, here->text, sizeof here->text);
        }
        if (limit_ns && !said && now_ns - begun_ns > limit_ns) {
            said = 1;
            say_late(check, now_ns - begun_ns, whom);
        }
    }
    here->team = 0;
}

/* ---- the reduction ----------------------------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static MPI_Datatype words; /* one element: MPI may cut a list of several between processes */
static MPI_Op joined;

static void join(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const uint64_t *from = in;
    uint64_t *to = inout;

    (void)type;
    for (int n = 0; n < *count; n++, from += WORDS, to += WORDS) {
        to[0] += from[0];
        for (int i = 1; i < WORDS; i++)
            if ((int64_t)from[i] < (int64_t)to[i])
                to[i] = from[i];
    }
}

static void make_op(void)
{
    REAL(MPI_Type_contiguous)(WORDS, MPI_INT64_T, &words);
    REAL(MPI_Type_commit)(&words);
    REAL(MPI_Op_create)(join, 1, &joined);
}

static void drop_op(void)
{
    if (!words)
        return;
    REAL(MPI_Type_free)(&words);
    REAL(MPI_Op_free)(&joined);
}

/* 0: nothing is on its way; the answer is there. */
static int begin(struct pithi_check *check)
{
    int64_t hash = (int64_t)(pithi_fact_hash(check) >> 1),
            only = (int64_t)(check->only.value >> 1 ^ check->only.value << 62);
    int64_t sent[WORDS] = {(int64_t)pithi_fact_sum(check), hash, ~hash, check->has_if ? only : INT64_MAX,
                           check->has_if ? ~only : INT64_MAX};

    check->call = ++check->team->calls;
    __atomic_add_fetch(&pithi_agreed_calls, 1, __ATOMIC_RELAXED);
    memcpy(check->sent, sent, sizeof sent);
    memcpy(check->got, sent, sizeof sent);
    if (check->team->shadow == MPI_COMM_NULL)
        return 0;
    pthread_once(&once, make_op);
    return REAL(MPI_Iallreduce)(check->sent, check->got, 1, words, joined, check->team->shadow, &check->exchange) ==
           MPI_SUCCESS;
}

static int is_agreed(const struct pithi_check *check)
{
    const int64_t *got = check->got;

    return got[0] == 0 && got[1] == ~got[2] && (got[3] == INT64_MAX || got[3] == ~got[4]);
}

/* The error handler that the call itself would have called, with an error of an argument. It may not come back. */
static int call_handler(const struct pithi_team *team)
{
    if (team->is_gone)
        return MPI_ERR_ARG;
    switch (team->kind) {
    case PITHI_TEAM_FILE:
        REAL(MPI_File_call_errhandler)(team->file, MPI_ERR_ARG);
        break;
    case PITHI_TEAM_WINDOW:
        REAL(MPI_Win_call_errhandler)(team->window, MPI_ERR_ARG);
        break;
    default:
        REAL(MPI_Comm_call_errhandler)(team->comm, MPI_ERR_ARG);
    }
    return MPI_ERR_ARG;
}

static int conclude(struct pithi_check *check, int *result)
{
    if (is_agreed(check))
        return 1;
    pithi_verdict(check);
    *result = call_handler(check->team);
    return 0;
}

int pithi_check_agree(int *result)
{
    struct pithi_check *check = pithi_check_now();
    int good;

    if (!check->team)
        return 1;
    if (begin(check))
        pithi_await(&check->exchange, check, NULL);
    good = conclude(check, result);
    check->team = NULL;
    return good;
}

/* ---- calls that do not block ------------------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pithi_check *open_checks; /* begun, in no order */
static int open_count;                  /* read without the lock: 0 is what most calls find */

static struct pithi_check *take_over(struct pithi_check *now)
{
    struct pithi_check *check = malloc(sizeof *check);

    if (!check)
        return NULL;
    *check = *now;
    now->facts = NULL;
    now->parts = NULL;
    now->fact_count = now->fact_room = now->part_count = now->part_room = 0;
    return check;
}

static void end(struct pithi_check *check)
{
    pithi_team_hold(check->team, -1);
    free(check->facts);
    free(check->parts);
    free(check);
}

struct pithi_check *pithi_check_start(void)
{
    struct pithi_check *now = pithi_check_now(), *check = now->team ? take_over(now) : NULL;

    now->team = NULL;
    if (!check)
        return NULL;
    check->caller = pithi_source_address(check->caller);
    pithi_team_hold(check->team, 1);
    check->exchange = MPI_REQUEST_NULL;
    begin(check);
    return check;
}

void pithi_check_posted(struct pithi_check *check, int result, const MPI_Request *request)
{
    if (!check)
        return;
    check->request = result == MPI_SUCCESS ? *request : MPI_REQUEST_NULL;
    pthread_mutex_lock(&lock);
    check->next = open_checks;
    open_checks = check;
    __atomic_store_n(&open_count, open_count + 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

/* The oldest of those that stand for the request, taken out of the list, so that no other thread has it too. */
static struct pithi_check *take(MPI_Request request)
{
    struct pithi_check **found = NULL, *check;

    pthread_mutex_lock(&lock);
    for (struct pithi_check **at = &open_checks; *at; at = &(*at)->next)
        if ((*at)->request == request)
            found = at;
    check = found ? *found : NULL;
    if (found) {
        *found = check->next;
        __atomic_store_n(&open_count, open_count - 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
    return check;
}

static int is_any_open(void) { return __atomic_load_n(&open_count, __ATOMIC_RELAXED) != 0; }

static int finish(struct pithi_check *check, int *result)
{
    int good = conclude(check, result);

    end(check);
    return good;
}

int pithi_check_settled(MPI_Count count, const MPI_Request *requests, int *result)
{
    struct pithi_check *check;

    for (MPI_Count i = 0; is_any_open() && i < count; i++)
        while (requests[i] != MPI_REQUEST_NULL && (check = take(requests[i]))) {
            pithi_await(&check->exchange, check, NULL);
            if (!finish(check, result))
                return 0;
        }
    return 1;
}

int pithi_check_ready(MPI_Count count, const MPI_Request *requests, int *result)
{
    struct pithi_check *check;
    int done, late = 0;

    for (MPI_Count i = 0; is_any_open() && i < count; i++)
        while (requests[i] != MPI_REQUEST_NULL && (check = take(requests[i]))) {
            REAL(MPI_Test)(&check->exchange, &done, MPI_STATUS_IGNORE);
            if (!done) {
                pithi_check_posted(check, MPI_SUCCESS, &requests[i]);
                late = 1;
                break;
            }
            if (!finish(check, result))
                return 0;
        }
    return late ? -1 : 1;
}

static int is_open(MPI_Request request)
{
    int found = 0;

    pthread_mutex_lock(&lock);
    for (struct pithi_check *check = open_checks; check && !found; check = check->next)
        found = check->request == request;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Whether one that is not waiting for a check can complete, so that the real call need not wait. */
static int is_one_complete(MPI_Count count, const MPI_Request *requests)
{
    int complete = 0;

    for (MPI_Count i = 0; i < count && !complete; i++)
        if (requests[i] != MPI_REQUEST_NULL && !is_open(requests[i]))
            REAL(MPI_Request_get_status)(requests[i], &complete, MPI_STATUS_IGNORE);
    return complete;
}

int pithi_check_settled_some(MPI_Count count, const MPI_Request *requests, int *result)
{
    while (is_any_open()) {
        int ready = pithi_check_ready(count, requests, result);
        if (ready >= 0)
            return ready;
        if (is_one_complete(count, requests))
            return 1;
        sched_yield();
    }
    return 1;
}

/* All are in MPI_Finalize: an exchange that now does not end will never. */
void pithi_check_last(void)
{
    struct pithi_check *check;
    int done = 0, result;

    while ((check = open_checks)) {
        take(check->request);
        for (int64_t begun_ns = pithi_await_now_ns(); !done && pithi_await_now_ns() - begun_ns < 1000000000;)
            REAL(MPI_Test)(&check->exchange, &done, MPI_STATUS_IGNORE);
        if (done) {
            finish(check, &result);
            continue;
        }
        char where[128], line[256];
        pithi_verdict_where(check, where, sizeof where);
        snprintf(line, sizeof line, "pith check: %srank %d: %s was not called by all processes %s\n",
                 pithi_where_prefix, pithi_where_rank, check->name, where);
        pithi_say(line);
        __atomic_add_fetch(&pithi_agreed_errors, 1, __ATOMIC_RELAXED);
        free(check);
    }
}

/* ---- the leaders of two groups that become an intercommunicator -------------------------------------------------- */

enum { TAG_LEADERS = 3 };

static const char *compare_leaders(struct pithi_check *check, const struct pithi_team *peers, int other, int tag)
{
    static __thread char problem[128];
    int mine[2] = {tag, pithi_where_rank}, theirs[2] = {tag, -1};
    char whom[64];
    MPI_Request requests[2];

    snprintf(whom, sizeof whom, "the other leader, rank %d of peer_comm", other);
    REAL(MPI_Irecv)(theirs, 2, MPI_INT, other, TAG_LEADERS, peers->shadow, &requests[0]);
    REAL(MPI_Isend)(mine, 2, MPI_INT, other, TAG_LEADERS, peers->shadow, &requests[1]);
    pithi_await(&requests[0], check, whom);
    REAL(MPI_Wait)(&requests[1], MPI_STATUS_IGNORE);
    if (theirs[0] == tag)
        return NULL;
    snprintf(problem, sizeof problem, "tag is %d, but %d at the other leader, rank %d", tag, theirs[0], theirs[1]);
    return problem;
}

int pithi_check_leaders(MPI_Comm local, int leader, MPI_Comm peers, int remote_leader, int tag, int *result)
{
    struct pithi_check *check;
    const struct pithi_team *between;

    pithi_check_comm(local);
    check = pithi_check_now();
    if (!check->team)
        return 1;
    check->fact_count = 0;
    if (check->team->local_rank == leader) {
        between = pithi_team_of_comm(peers);
        int other = between && between->is_inter ? between->remote_from + remote_leader : remote_leader;
        if (between && between->shadow != MPI_COMM_NULL && other >= 0 && other < between->size &&
            other != between->rank)
            check->problem = compare_leaders(check, between, other, tag);
    }
    return pithi_check_agree(result);
}

/* ---- the job ----------------------------------------------------------------------------------------------------- */

void pithi_check_begin_job(int result)
{
    struct pithi_team *world;

    if (result != MPI_SUCCESS || pithi_where_rank >= 0)
        return;
    pithi_team_make_comm(MPI_COMM_SELF, "MPI_Init");
    pithi_team_make_comm(MPI_COMM_WORLD, "MPI_Init");
    world = pithi_team_of_comm(MPI_COMM_WORLD);
    if (world && world->shadow != MPI_COMM_NULL)
        pithi_where_begin(world->shadow);
    else
        pithi_where_begin(MPI_COMM_WORLD);
}

void pithi_check_end_job(void)
{
    const struct pithi_team *world = pithi_team_of_comm(MPI_COMM_WORLD);
    int64_t mine[2], all[2];
    const char *quiet = getenv("PITH_QUIET");
    char line[160];

    pithi_check_last();
    drop_op();
    memcpy(mine, (int64_t[]){pithi_agreed_calls, pithi_agreed_errors}, sizeof mine);
    memcpy(all, mine, sizeof all);
    if (world && world->shadow != MPI_COMM_NULL)
        REAL(MPI_Reduce)(mine, all, 2, MPI_INT64_T, MPI_SUM, 0, world->shadow);
    if (pithi_where_rank != 0 || (quiet && *quiet && strcmp(quiet, "0") != 0))
        return;
    snprintf(line, sizeof line, "pith check: %lld collective calls of %d rank%s: ", (long long)all[0],
             world ? world->size : 1, !world || world->size == 1 ? "" : "s");
    if (all[1])
        snprintf(line + strlen(line), sizeof line - strlen(line), "%lld error%s\n", (long long)all[1],
                 all[1] == 1 ? "" : "s");
    else
        strcat(line, "no errors\n");
    pithi_say(line);
}

void pithi_check_ended_job(void) { pithi_where_end(); }
