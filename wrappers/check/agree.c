/* agree.c - compares the calls of a team's processes. Each process computes a number from its call (facts.h), and the
 * processes add these numbers up by a collective on the team's shadow. The sum is 0 if the calls agree. A sum of one
 * number per process costs about as little as any collective of MPI.
 *
 * The collective that computes the sum does not block. A call that waits for the sum tests now and then whether it has
 * waited too long. A call that must not wait leaves its sum to the call that completes its request, or if it has no
 * request (MPI_Comm_free), to later calls.
 */
#include "agree.h"

#include "members.h"
#include "base/launcher.h"
#include "left.h"
#include "request.h"

#include <sched.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOKS = 256, ROUNDS = 64 }; /* LOOKS: how many tests per read of the clock; ROUNDS: the most rounds in end_job */

int64_t pithi_agreed_calls, pithi_agreed_other_job, pithi_agreed_errors;

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

int64_t pithi_await_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int pithi_await_seconds(void)
{
    static int seconds = -1; /* -1: not read yet; all threads read the same value */

    if (seconds < 0) {
        const char *value = secure_getenv("PITH_CHECK_SECONDS");
        int given = value && *value ? atoi(value) : 30;
        seconds = given < 0 ? 0 : given;
    }
    return seconds;
}

/* Reports a long wait. `whom`: a text that says what the call waits for; NULL: the function finds the missing
 * processes. Returns 1 if the wait was reported or there is nothing to report. Returns 0 if there was no report because
 * a later one will be more exact; with `is_last` 1, the function does not put off the report. */
static int report_wait(const struct pithi_check *check, int64_t waited_ns, const char *whom, int is_last)
{
    char missing[1024] = "", where[128], line[1536];

    struct pithi_where_call of = {.shadow = check->team->shadow,
                                  .members = check->members,
                                  .count = check->members ? check->member_count : check->team->size,
                                  .team = check->team->id,
                                  .call = check->call};
    if (!whom && of.shadow != MPI_COMM_NULL && !pithi_where_missing(&of, missing, sizeof missing))
        return 1;
    if (of.vague && !is_last)
        return 0;
    pithi_verdict_where(check, where, sizeof where);
    snprintf(line, sizeof line, "pith check: %srank %d: has waited for %d s in %s %s for %s%s\n", pithi_where_prefix,
             pithi_where_rank, (int)(waited_ns / 1000000000), check->name, where, whom ? whom : missing,
             check->is_wait_ours ? " (the wait is that of the check: MPI need not wait here)" : "");
    pithi_check_say(line);
    return 1;
}

/* Declared here, because pithi_await calls it while it waits. */
static void end_left(void);

/* See agree.h. While this function waits, the call is noted in shared memory, where other processes can read it
 * (whereabouts.h). */
void pithi_await(MPI_Request *request, const struct pithi_check *check, const char *whom)
{
    int64_t begun_ns = 0, limit_ns = (int64_t)pithi_await_seconds() * 1000000000;
    struct pithi_where *here = pithi_where;
    int done = 0, is_reported = 0;

    here->named = 0;
    for (int looks = 1; REAL(MPI_Test)(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done; looks++) {
        here->team = check->team->id;
        here->call = check->call;
        if (looks > 20) /* not in the first tests, because the other processes usually come soon */
            sched_yield();
        if (looks % LOOKS) /* a read of the clock costs more than a test */
            continue;
        end_left();
        int64_t now_ns = pithi_await_now_ns();
        if (!begun_ns) {
            begun_ns = now_ns;
            pithi_verdict_where(check, here->text, sizeof here->text);
            /* `named` is set after the text is complete, so that other processes may print the text. */
            __atomic_store_n(&here->named, here->call, __ATOMIC_RELEASE);
        }
        if (limit_ns && !is_reported && now_ns - begun_ns > limit_ns)
            /* After twice the limit, the wait is reported even if the report is vague. */
            is_reported = report_wait(check, now_ns - begun_ns, whom, now_ns - begun_ns > 2 * limit_ns);
    }
    here->team = 0;
}

/* Waits until all processes of a communicator without a team have entered the call. */
void pithi_await_all(MPI_Comm comm, const char *name)
{
    struct pithi_team team = {.comm = comm, .shadow = MPI_COMM_NULL, .origin = "MPI_Comm_idup"};
    const struct pithi_check check = {.team = &team, .name = name, .call = 1, .is_wait_ours = 1};
    MPI_Request request;

    if (REAL(MPI_Ibarrier)(comm, &request) == MPI_SUCCESS)
        pithi_await(&request, &check, "its other processes");
}

/* ---- the sum ----------------------------------------------------------------------------------------------------- */

/* Starts the collective that computes the sum. Returns 0 if it did not start; check->got is then the result. */
static int begin(struct pithi_check *check)
{
    check->call = ++check->team->calls;
    check->sent = check->got = pithi_fact_sum(check);
    if (check->team->shadow == MPI_COMM_NULL)
        return 0;
    return REAL(MPI_Iallreduce)(&check->sent, &check->got, 1, MPI_UINT64_T, MPI_SUM, check->team->shadow,
                                &check->exchange) == MPI_SUCCESS;
}

/* Counts a checked call for the numbers that end_job prints. */
static void count(const struct pithi_check *check)
{
    __atomic_add_fetch(&pithi_agreed_calls, 1, __ATOMIC_RELAXED);
    if (check->team->places)
        __atomic_add_fetch(&pithi_agreed_other_job, 1, __ATOMIC_RELAXED);
}

/* Compares a value that only some processes state. Returns 1 if all stated values are equal. One MPI_MIN over the value
 * and its complement gives the smallest and the largest stated value. */
static int agrees_on_only(struct pithi_check *check)
{
    int64_t value = (int64_t)(check->only.value & INT64_MAX), sent[2] = {INT64_MAX, INT64_MAX}, got[2];

    if (!check->may_have_only || check->team->shadow == MPI_COMM_NULL)
        return 1;
    if (check->has_only)
        /* The smallest of ~x is the complement of the largest x. */
        memcpy(sent, (int64_t[]){value, ~value}, sizeof sent);
    memcpy(got, sent, sizeof got);
    if (REAL(MPI_Iallreduce)(sent, got, 2, MPI_INT64_T, MPI_MIN, check->team->shadow, &check->exchange) == MPI_SUCCESS)
        pithi_await(&check->exchange, check, NULL);
    return got[0] == INT64_MAX || got[0] == ~got[1];
}

/* Makes a blocking check. Returns 1 if all processes of the team agree. */
static int agrees(struct pithi_check *check)
{
    if (begin(check))
        pithi_await(&check->exchange, check, NULL);
    return check->got == 0 && agrees_on_only(check);
}

/* Calls the error handler that MPI would call for an invalid argument of this call. The handler may end the process
 * instead of returning. */
static int call_handler(const struct pithi_team *team)
{
    if (pithi_team_is_closing(team)) {
        /* The communicator is freed, so its error handler is called on the shadow, which has the same processes. */
        MPI_Comm comm = team->shadow == MPI_COMM_NULL ? MPI_COMM_SELF : team->shadow;
        MPI_Errhandler own;

        if (team->handler != MPI_ERRHANDLER_NULL && REAL(MPI_Comm_get_errhandler)(comm, &own) == MPI_SUCCESS) {
            REAL(MPI_Comm_set_errhandler)(comm, team->handler);
            REAL(MPI_Comm_call_errhandler)(comm, MPI_ERR_ARG);
            REAL(MPI_Comm_set_errhandler)(comm, own);
            REAL(MPI_Errhandler_free)(&own);
        }
        return MPI_ERR_ARG;
    }
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

/* Reports that the calls differ, then calls the error handler, as MPI does for any error. */
static void refuse(struct pithi_check *check, int *result)
{
    pithi_verdict(check);
    *result = call_handler(check->team);
}

/* See check.h. For a call that may wait for the other processes, makes the check, and waits until it is complete. */
int pithi_check_agree(int *result)
{
    struct pithi_check *check = pithi_check_now();
    int good;

    end_left();
    if (!check->team)
        return 1;
    count(check);
    good = check->members ? pithi_subgroup_agrees(check) : agrees(check);
    if (!good)
        refuse(check, result);
    free(check->members); /* malloc'ed by subgroup.c */
    check->members = NULL;
    check->team = NULL;
    return good;
}

/* ---- calls that do not block ------------------------------------------------------------------------------------- */

static int client; /* this file's number as a client of request.h; its data for a request is the pending check */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pithi_check *left_checks; /* pending checks without a request, the newest first; atomic */

/* Called if a new request has the handle of an older one. Returns 0, which keeps the older one's pending check, because
 * a handle may have several pending checks at once. */
static int reused(void *data)
{
    (void)data;
    return 0;
}

/* Copies the description of a call into a pending check, which outlives the call. The pending check gets the arrays of
 * the description, and the thread's next call allocates new arrays. */
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

/* Starts a check of a call that must not block, and returns the check; NULL if the call is not checked. */
struct pithi_check *pithi_check_start(void)
{
    end_left();
    struct pithi_check *now = pithi_check_now(), *check = now->team ? take_over(now) : NULL;

    now->team = NULL;
    if (!check)
        return NULL;
    check->caller = pithi_source_address(check->caller);
    pithi_team_hold(check->team, 1);
    check->exchange = MPI_REQUEST_NULL;
    count(check);
    begin(check);
    return check;
}

/* Puts the check into left_checks, which later calls test. */
static void leave(struct pithi_check *check)
{
    pthread_mutex_lock(&lock);
    check->next = left_checks;
    __atomic_store_n(&left_checks, check, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

/* Call it after the call has made its request. Attaches the check to this request. If there is no request, leaves the
 * check to later calls. */
void pithi_check_posted(struct pithi_check *check, int result, const MPI_Request *request)
{
    struct pithi_request *entry = NULL;

    if (!check)
        return;
    if (result == MPI_SUCCESS && *request != MPI_REQUEST_NULL)
        entry = pithi_request_open(pithi_request_key(*request), client);
    if (!entry) {
        leave(check);
        return;
    }
    *(struct pithi_check **)pithi_request_data(entry, client) = check;
    pithi_request_close();
}

/* See check.h. */
void pithi_check_post(void)
{
    struct pithi_check *check = pithi_check_start();

    if (check)
        leave(check);
}

/* Claims and returns an entry of the request, if the entry has a pending check. Returns NULL if there is none. */
static struct pithi_request *claim(MPI_Request request)
{
    return pithi_request_claim(pithi_request_key(request), 1u << client);
}

/* Returns the check of a claimed entry, and removes the entry. Returns NULL if `claimed` is NULL. */
static struct pithi_check *take(struct pithi_request *claimed)
{
    struct pithi_check *check = claimed ? *(struct pithi_check **)pithi_request_data(claimed, client) : NULL;

    if (claimed)
        pithi_request_forget(claimed, client);
    return check;
}

/* Ends and frees a check whose sum has arrived. Returns 0 if the calls differ, after it reported that. */
static int finish(struct pithi_check *check, int *result)
{
    int good = check->got == 0;

    if (!good)
        refuse(check, result);
    pithi_team_hold(check->team, -1); /* may free the team */
    free(check->facts);
    free(check->parts);
    free(check);
    return good;
}

/* Called before MPI_Wait and MPI_Waitall. Waits for the sums of all checks of these requests. */
int pithi_check_settled(MPI_Count count, const MPI_Request *requests, int *result)
{
    struct pithi_check *check;

    for (MPI_Count i = 0; pithi_request_any() && i < count; i++)
        while ((check = take(claim(requests[i])))) {
            pithi_await(&check->exchange, check, NULL);
            if (!finish(check, result))
                return 0;
        }
    return 1;
}

/* Called before MPI_Test and the like. Returns 1 if the sums of all checks have arrived; -1 if a sum has not arrived
 * yet, so that MPI_Test must return "not complete"; 0 if calls differ. */
int pithi_check_ready(MPI_Count count, const MPI_Request *requests, int *result)
{
    struct pithi_check *check;
    int done, late = 0;

    for (MPI_Count i = 0; pithi_request_any() && i < count; i++)
        while ((check = take(claim(requests[i])))) {
            REAL(MPI_Test)(&check->exchange, &done, MPI_STATUS_IGNORE);
            if (!done) {
                pithi_check_posted(check, MPI_SUCCESS, &requests[i]); /* gives the check back to the request */
                late = 1;
                break;
            }
            if (!finish(check, result))
                return 0;
        }
    return late ? -1 : 1;
}

/* Called before MPI_Waitany and MPI_Waitsome. Waits until the sums of all these requests have arrived, or until a
 * request without a pending check is complete. */
int pithi_check_settled_some(MPI_Count count, const MPI_Request *requests, int *result)
{
    while (pithi_request_any()) {
        int ready = pithi_check_ready(count, requests, result);
        if (ready >= 0)
            return ready;
        /* If a request without a pending check is complete, the real call can return it at once. */
        int complete = 0;

        for (MPI_Count i = 0; i < count && !complete; i++)
            if (requests[i] != MPI_REQUEST_NULL && !pithi_request_find(pithi_request_key(requests[i]), client))
                REAL(MPI_Request_get_status)(requests[i], &complete, MPI_STATUS_IGNORE);
        if (complete)
            return 1;
        sched_yield();
    }
    return 1;
}

/* Ends the checks in left_checks whose sum has arrived, the oldest first. Does not hold the lock meanwhile: an error
 * handler of the program may make calls that are checked, and these take the lock. */
static void end_left(void)
{
    struct pithi_check *left = NULL, *check, *next;
    int done, result;

    if (!__atomic_load_n(&left_checks, __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&lock);
    for (check = left_checks; check; check = next) { /* reverses the list, so that the oldest comes first */
        next = check->next;
        check->next = left;
        left = check;
    }
    __atomic_store_n(&left_checks, NULL, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    for (check = left; check; check = next) {
        next = check->next;
        if (REAL(MPI_Test)(&check->exchange, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
            leave(check);
        else
            finish(check, &result);
    }
}

/* ---- the job ----------------------------------------------------------------------------------------------------- */

static int is_mixed; /* 1: some processes of the job run without this library */

void pithi_check_mark(void)
{
    pithi_many_threads = 1;
    if (pithi_where_rank < 0)
        pithi_members_mark("check");
}

enum { CALLS, OTHER_JOB, ERRORS, UNCHECKED, SUMS }; /* indices of the sums over the job */

/* Called at the end of the job. Completes pending checks, and prints the last lines, which have sums over all
 * processes. */
static void end_job(void)
{
    const struct pithi_team *world = pithi_team_of_comm(MPI_COMM_WORLD);
    int64_t all[SUMS];

    if (world && world->shadow != MPI_COMM_NULL) {
        /* In MPI_Finalize no process begins a check. In each round all processes test their pending checks and wait for
         * one another. Checks that are still pending after ROUNDS rounds will never complete. Their memory is not
         * freed, because MPI may write to it. */
        int more = 1, done;
        MPI_Request request;
        struct pithi_check *check;

        /* Checks of requests that the program never completed become checks that this function completes. */
        while ((check = take(pithi_request_claim_any(1u << client))))
            leave(check);
        for (int round = 0; round < ROUNDS && more; round++) {
            int mine = left_checks != NULL;
            if (REAL(MPI_Iallreduce)(&mine, &more, 1, MPI_INT, MPI_MAX, world->shadow, &request) != MPI_SUCCESS)
                break;
            do
                end_left();
            while (REAL(MPI_Test)(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done);
        }
        for (check = left_checks; check; check = check->next) {
            char where[128], line[256];

            pithi_verdict_where(check, where, sizeof where);
            snprintf(line, sizeof line, "pith check: %srank %d: %s was not called by all processes %s\n",
                     pithi_where_prefix, pithi_where_rank, check->name, where);
            pithi_check_say(line);
            __atomic_add_fetch(&pithi_agreed_errors, 1, __ATOMIC_RELAXED);
        }
    }
    pithi_left_report(world);
    int64_t mine[SUMS] = {pithi_agreed_calls, pithi_agreed_other_job, pithi_agreed_errors, pithi_fact_unchecked};
    memcpy(all, mine, sizeof all);
    if (world && world->shadow != MPI_COMM_NULL)
        REAL(MPI_Reduce)(mine, all, SUMS, MPI_INT64_T, MPI_SUM, 0, world->shadow);
    if ((world ? world->rank : pithi_where_rank) == 0 && !pithi_is_quiet()) {
        int ranks = world ? world->size : 1;
        char text[512];
        int size =
            snprintf(text, sizeof text, "pith check: %lld collective calls of %d rank%s: ", (long long)all[CALLS],
                     ranks, ranks == 1 ? "" : "s");

        if (all[ERRORS])
            size += snprintf(text + size, sizeof text - size, "%lld error%s\n", (long long)all[ERRORS],
                             all[ERRORS] == 1 ? "" : "s");
        else
            size += snprintf(text + size, sizeof text - size, "no errors\n");
        if (all[OTHER_JOB])
            size += snprintf(text + size, sizeof text - size, "pith check: %lld of them with processes %s\n",
                             (long long)all[OTHER_JOB],
                             is_mixed ? "that are not checked: checked among the others"
                                      : "of another job: checked among those of this one");
        if (all[UNCHECKED])
            snprintf(text + size, sizeof text - size, "pith check: %lld more not checked; see pith-collcheck(7)\n",
                     (long long)all[UNCHECKED]);
        pithi_check_say(text);
    }
    pithi_handles_end();
}

/* The attribute is not copied, so a duplicate of MPI_COMM_SELF does not end the job when it is freed. */
static int not_copied(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)copy;
    *flag = 0;
    return MPI_SUCCESS;
}

static int is_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    end_job();
    return MPI_SUCCESS;
}

/* Called after MPI_Init or MPI_Init_thread, which returned `result`. */
void pithi_check_begin_job(int result)
{
    static const struct pithi_request_client checks = {.size_bytes = sizeof(struct pithi_check *), .reused = reused};
    const struct pithi_team *world;
    MPI_Comm parent = MPI_COMM_NULL;

    if (result == MPI_SUCCESS && pithi_where_rank < 0) {
        /* Only processes with this library can take part in checks. The function prints a line that names the other
         * processes. */
        MPI_Group members = pithi_members_find("what they do together is checked among them");

        pithi_team_make_world(members);
        is_mixed = members != MPI_GROUP_NULL;
        pithi_team_make_comm(MPI_COMM_SELF, NULL, "MPI_Init");
    }
    pithi_members_end();
    if (result != MPI_SUCCESS || pithi_where_rank >= 0)
        return;
    world = pithi_team_of_comm(MPI_COMM_WORLD);
    client = pithi_request_register(&checks);
    pithi_where_begin(pithi_team_ours());
    pithi_subgroup_begin(pithi_team_ours());
    /* MPI_Finalize first deletes the attributes of MPI_COMM_SELF, in reverse order of setting. This attribute is set in
     * MPI_Init, so it is deleted after the program's attributes, whose callbacks may still make calls (MPI-4.0,
     * 11.2.4). */
    int key;

    if (REAL(MPI_Comm_create_keyval)(not_copied, is_deleted, &key, NULL) == MPI_SUCCESS) {
        REAL(MPI_Comm_set_attr)(MPI_COMM_SELF, key, &pithi_agreed_calls);
        REAL(MPI_Comm_free_keyval)(&key);
    }
    /* A spawned job shares an intercommunicator with its parent job. */
    if (REAL(MPI_Comm_get_parent)(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL)
        pithi_team_make_comm(parent, world, "MPI_Comm_get_parent");
}

void pithi_check_ended_job(void) { pithi_where_end(); }
