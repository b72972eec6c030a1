/* test_record_merge.c - jobs of 1 to 16 processes: the merged log holds what each of them recorded; when one fails,
 * none pretends to have succeeded. */
#include "fork_job.h"
#include "record_help.h"

enum { ROUNDS = 2000, STATES = 7 };

/* ---- What every rank records ------------------------------------------------------------------------------------- */

static uint32_t states[STATES], event, halves;

/* Names in another order on each rank, and one that only this rank has. */
static void define_all(const struct fork_job *job)
{
    char name[32], colour[16];
    int32_t ranks[JOB_MAX];
    struct pith_comm half = {0, NULL, 0, 0, ranks, 0, NULL};
    int i, rank;
    for (i = 0; i < STATES; i++) {
        int which = (i + job->rank * 3) % STATES;
        snprintf(name, sizeof name, "state %d", which);
        snprintf(colour, sizeof colour, "colour %d", which);
        states[which] = pith_state_define(name, colour);
    }
    snprintf(name, sizeof name, "only on %d", job->rank);
    event = pith_event_define(name, NULL, "r=%d");
    pith_property(name, "yes");
    for (rank = job->rank % 2; rank < job->size; rank += 2) {
        if (rank == job->rank)
            half.rank = half.size;
        ranks[half.size++] = rank;
    }
    half.key = 100 + (uint64_t)(job->rank % 2);
    half.name = job->rank % 2 == 0 ? "even" : "odd";
    halves = pith_comm_define(&half);
}

static void record_round(const struct fork_job *job, int i)
{
    unsigned char payload[4] = {0, 0, (unsigned char)(i >> 8), (unsigned char)i};
    int next = (job->rank + 1) % job->size, before = (job->rank + job->size - 1) % job->size;
    pith_begin(states[i % STATES]);
    pith_event_data(event, payload, sizeof payload);
    pith_comm_send(0, next, i, (uint64_t)(job->rank * 1000 + i));
    pith_comm_recv(0, before, i, (uint64_t)(before * 1000 + i), pith_recv_post());
    if (i % 100 == 0)
        pith_comm_coll(halves, job->rank % 2, 8, 16);
    pith_end(states[i % STATES]);
}

static void record_job(struct fork_job *job)
{
    int i;
    define_all(job);
    for (i = 0; i < ROUNDS; i++)
        record_round(job, i);
    pith_comm_free(halves);
}

static void whole_job(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    pith_event(pith_event_define("before the job", NULL, NULL));
    if (pith_job_join(&transport) != 0)
        exit(3);
    pith_finish(); /* is the job's business now */
    record_job(job);
    pith_job_finish(&transport);
    pith_event(event);
    if (pith_recording())
        exit(4);
}

/* ---- Is it all there? -------------------------------------------------------------------------------------------- */

static const struct pithlog_record *next_of(const struct help_log *log, uint32_t lane, size_t *at)
{
    while (*at < log->count && log->records[*at].lane != lane)
        ++*at;
    return *at < log->count ? &log->records[(*at)++] : NULL;
}

static int is_named(const struct help_log *log, const struct pithlog_record *record, uint32_t kind, const char *format,
                    int number)
{
    char name[64];
    snprintf(name, sizeof name, format, number);
    return record != NULL && record->kind == kind && strcmp(help_name(log, record), name) == 0;
}

static int is_comm(const struct help_log *log, const struct pithlog_record *record, uint32_t kind, int rank)
{
    const struct pithlog_comm *comm =
        record != NULL && record->kind == kind ? pithlog_get_comm(log->log, record->comm) : NULL;
    return comm != NULL && comm->key == 100 + (uint64_t)(rank % 2);
}

/* Every record of one rank, in order, with all its fields. */
static int rank_good(const struct help_log *log, int rank, int size)
{
    const struct pithlog_record *record;
    int i, next = (rank + 1) % size, before = (rank + size - 1) % size;
    size_t at = 0;
    int good = is_named(log, next_of(log, (uint32_t)rank, &at), PITHLOG_EVENT, "before the job", 0) &&
               is_comm(log, next_of(log, (uint32_t)rank, &at), PITHLOG_COMM_CREATE, rank);
    for (i = 0; good && i < ROUNDS; i++) {
        good &= is_named(log, next_of(log, (uint32_t)rank, &at), PITHLOG_ENTER, "state %d", i % STATES);
        record = next_of(log, (uint32_t)rank, &at);
        good &= is_named(log, record, PITHLOG_EVENT, "only on %d", rank) && record->payload_bytes == 4 &&
                ((const unsigned char *)record->payload)[3] == (unsigned char)i;
        record = next_of(log, (uint32_t)rank, &at);
        good &= record != NULL && record->kind == PITHLOG_SEND && record->peer == next && record->tag == i &&
                record->bytes == (uint64_t)(rank * 1000 + i) && record->comm == 0;
        record = next_of(log, (uint32_t)rank, &at);
        good &= record != NULL && record->kind == PITHLOG_RECV && record->peer == before && record->tag == i &&
                record->bytes == (uint64_t)(before * 1000 + i) && record->posted == (uint64_t)i;
        if (i % 100 == 0) {
            record = next_of(log, (uint32_t)rank, &at);
            good &= is_comm(log, record, PITHLOG_COLL, rank) && record->peer == rank % 2 && record->bytes == 8 &&
                    record->got_bytes == 16;
        }
        good &= is_named(log, next_of(log, (uint32_t)rank, &at), PITHLOG_LEAVE, "state %d", i % STATES);
    }
    return good && is_comm(log, next_of(log, (uint32_t)rank, &at), PITHLOG_COMM_FREE, rank);
}

static int halves_good(const struct help_log *log, int size)
{
    uint32_t i;
    int32_t member;
    int good = 1, seen = 0;
    for (i = 1; i < log->info->comms; i++) {
        const struct pithlog_comm *comm = pithlog_get_comm(log->log, i);
        int odd = comm->key == 101;
        seen++;
        good &= comm->size == (size + !odd) / 2 && strcmp(comm->name, odd ? "odd" : "even") == 0;
        for (member = 0; good && member < comm->size; member++)
            good &= comm->world_ranks[member] == 2 * member + odd;
    }
    return good && seen == (size > 1 ? 2 : 1);
}

static const char *property(const struct help_log *log, const char *wanted)
{
    const char *key, *value;
    uint32_t i;
    for (i = 0; (key = pithlog_get_property(log->log, i, &value)) != NULL; i++)
        if (strcmp(key, wanted) == 0)
            return value;
    return "";
}

static void test_job(int size)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    uint64_t matched = 0, sends, recvs;
    struct help_log log;
    int rank, good = 1;
    help_fresh();
    OK(job_run(size, whole_job) == 0 && help_read(&log, "run.pith"), "a job of %d", size);
    OK(log.info->ranks == (uint32_t)size && log.info->lost == 0 && log.info->complete &&
           log.info->defs == STATES + 2 + (uint32_t)size,
       "ranks and definitions");
    for (rank = 0; rank < size; rank++) {
        int fits = pithlog_get_lane(log.log, (uint32_t)rank)->rank == rank && rank_good(&log, rank, size);
        if (!fits)
            printf("# rank %d differs\n", rank);
        good &= fits;
    }
    OK(good, "each rank's records, field by field");
    OK(halves_good(&log, size), "communicators, with their members");
    OK(strcmp(property(&log, "only on 0"), "yes") == 0 && strcmp(property(&log, "clock_error_ns"), "100") == 0 &&
           property(&log, "start_unix_s")[0] != '\0',
       "properties");
    OK(pithlog_matcher_open(log.log, &matcher) == PITH_OK, "messages");
    while (pithlog_matcher_next(matcher, &message) == 1)
        matched++;
    pithlog_matcher_unmatched(matcher, &sends, &recvs);
    pithlog_matcher_close(matcher);
    OK(matched == (uint64_t)size * ROUNDS && sends == 0 && recvs == 0, "are matched");
    help_close(&log);
    OK(help_files(".", ".spill") == 0 && help_files(".", ".part") == 0, "nothing else is left");
}

/* ---- Bad days ---------------------------------------------------------------------------------------------------- */

static int said_by_all(int size, const char *text)
{
    int rank, count = 0;
    for (rank = 0; rank < size; rank++) {
        char name[32], line[1024];
        FILE *file;
        snprintf(name, sizeof name, "said.%d", rank);
        file = fopen(name, "r");
        while (file != NULL && fgets(line, sizeof line, file) != NULL)
            count += strstr(line, text) != NULL;
        if (file != NULL)
            fclose(file);
    }
    return count;
}

static void failing_job(struct fork_job *job)
{
    job->fail_write = job->rank == 2;
    whole_job(job);
}

static void test_failure(void)
{
    struct help_log log;
    help_fresh();
    OK(job_run(4, failing_job) == 0, "a job whose rank 2 cannot write ends well all the same");
    OK(access("run.pith", F_OK) != 0 && help_files(".", ".part") == 0, "there is no log, whole or in part");
    OK(said_by_all(4, "cannot be written") == 1 && said_by_all(4, "pith recover") == 1,
       "it is said once, and how to recover");
    OK(help_files("run.pith.spill", ".spill") == 4 && help_recover(&log, "run.pith.spill"), "all spill files are kept");
    OK(log.info->ranks == 4 && rank_good(&log, 2, 4) && rank_good(&log, 3, 4), "and hold everything");
    help_close(&log);
}

static void partly_recorded_job(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    unsetenv("PITH_QUIET");
    if (job->rank == 1)
        setenv("PITH_SPILL", "/nonexistent/folder", 1);
    if ((pith_job_join(&transport) == 0) != (job->rank != 1))
        exit(3);
    record_job(job);
    pith_job_finish(&transport);
}

static void test_missing_rank(void)
{
    struct help_log log;
    help_fresh();
    OK(job_run(3, partly_recorded_job) == 0 && help_read(&log, "run.pith"),
       "a rank that cannot record does not spoil the log");
    OK(log.info->ranks == 3 && log.info->lanes == 2 && said_by_all(3, "3 ranks (1 not recorded)") == 1 &&
           said_by_all(3, "recording is off") == 1,
       "which says so");
    help_close(&log);
}

/* MPI_Abort of MPICH 4.2 may return, and the program may then call MPI_Finalize. */
static void abandoned_job(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    unsetenv("PITH_QUIET");
    pith_job_join(&transport);
    record_job(job);
    job_barrier(job);
    pith_job_abandon();
    job_barrier(job);
    pith_job_finish(&transport);
}

static void test_abandoned(void)
{
    help_fresh();
    OK(job_run(4, abandoned_job) == 0 && said_by_all(4, "pith recover run.pith.spill\n") == 1,
       "a job that is abandoned: one process says how to get at its records");
    OK(access("run.pith", F_OK) == 0 && access("run.pith.spill", F_OK) != 0,
       "if it is finished all the same, the log is there, and nothing else");
}

static void unfinished_job(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    unsetenv("PITH_QUIET");
    pith_event(pith_event_define("before the job", NULL, NULL));
    pith_job_join(&transport);
    record_job(job);
    job_barrier(job);
    if (job->rank == 1)
        kill(getpid(), SIGKILL);
}

static void test_unfinished(void)
{
    struct help_log log;
    struct pithi_spill_folder folder;
    int rank, good = 1;
    help_fresh();
    OK(job_run(4, unfinished_job) == 1 && access("run.pith", F_OK) != 0, "a job that never finishes");
    OK(said_by_all(4, "pith recover run.pith.spill\n") == 1, "one process says how to get at its records");
    OK(pithi_spill_folder_open(&folder, "run.pith.spill") == PITH_OK && folder.job_count == 1 &&
           folder.jobs[0].ranks == 4 && folder.jobs[0].count == 4 && folder.jobs[0].missing == 0 &&
           folder.jobs[0].running == 0,
       "its files are known as one job");
    pithi_spill_folder_close(&folder);
    OK(help_recover(&log, "run.pith.spill"), "it is recovered");
    for (rank = 0; rank < 4; rank++)
        good &= rank_good(&log, rank, 4);
    OK(good, "with every record of every rank, the killed one's too");
    help_close(&log);
}

/* Two jobs with one log name at the same time. */
static void test_two_jobs(void)
{
    struct help_log one, two;
    int status = 0, bad = 0, tries;
    pid_t pid;
    /* On a busy machine one job may begin after the other has ended, and replace its log. One of five must not. */
    for (tries = 0; tries < 5 && bad == 0 && status == 0 && (tries == 0 || access("run-2.pith", F_OK) != 0); tries++) {
        help_fresh();
        pid = fork();
        if (pid == 0)
            exit(job_run(3, whole_job));
        bad = job_run(3, whole_job);
        waitpid(pid, &status, 0);
    }
    OK(bad == 0 && status == 0, "two jobs of one name at once");
    OK(help_read(&one, "run.pith") && help_read(&two, "run-2.pith"), "run.pith and run-2.pith");
    OK(rank_good(&one, 1, 3) && rank_good(&two, 1, 3) && help_files(".", ".spill") == 0, "both whole");
    help_close(&one);
    help_close(&two);
    OK(job_run(1, whole_job) == 0 && access("run-3.pith", F_OK) != 0, "a later job of that name replaces the log");
}

int main(void)
{
    static const int sizes[] = {1, 2, 4, 5, 16};
    size_t i;
    help_begin();
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        test_job(sizes[i]);
    test_failure();
    test_missing_rank();
    test_abandoned();
    test_unfinished();
    test_two_jobs();
    help_clean();
    return tap_done();
}
