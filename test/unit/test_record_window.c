/* test_record_window.c - PITH_FROM and PITH_TO: what lies between is kept whole, by the merge and by recover; nothing
 * grows before, nothing is stored after; messages match rightly. */
#include "fork_job.h"
#include "record_help.h"

#include <time.h>

enum { MANY = 1000000, STEPS = 80, BUSY_STEPS = 800, RANKS = 2, ROUNDS = 600 };
static int slowness = 1; /* TEST_SLOWNESS (test/run): all times are so many times as long */
/* A busy machine may take up to FROM_NS to enter main and phase, and as long as the window for a step to begin. */
#define FROM_NS (INT64_C(150000000) * slowness)
#define TO_NS (INT64_C(300000000) * slowness)

static void nap(long us)
{
    int64_t ns = INT64_C(1000) * us * slowness;
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&time, NULL);
}

static const char *in_ms(int ms)
{
    static char text[32];
    snprintf(text, sizeof text, "%dms", ms * slowness);
    return text;
}

static const char *in_s(int ms, const char *unit)
{
    static char text[32];
    snprintf(text, sizeof text, "%d.%03d%s", ms * slowness / 1000, ms * slowness % 1000, unit);
    return text;
}

static const char *in_us(int ms)
{
    static char text[32];
    snprintf(text, sizeof text, "%d000us", ms * slowness);
    return text;
}

static void window(const char *from, const char *to)
{
    if (from != NULL)
        setenv("PITH_FROM", from, 1);
    if (to != NULL)
        setenv("PITH_TO", to, 1);
}

/* main > phase > step 0, 1, 2 ..., for longer than the window; `busy` pairs in each. */
static void run_steps(int steps, int busy)
{
    uint32_t outer = pith_state_define("main", NULL), phase = pith_state_define("phase", NULL),
             work = pith_state_define("work", NULL), number = pith_event_define("number", NULL, NULL);
    int32_t i, j;
    pith_begin(outer);
    pith_begin(phase);
    for (i = 0; i < steps; i++) {
        pith_event_data(number, &i, sizeof i);
        for (j = 0; j < busy; j++) {
            pith_begin(work);
            pith_end(work);
        }
        nap(400000 / steps);
    }
    pith_end(phase);
    pith_end(outer);
}

static void record_window(void)
{
    window(in_ms(150), in_s(300, ""));
    run_steps(STEPS, 100);
}

static void record_busy(void)
{
    window(in_ms(150), in_s(300, ""));
    run_steps(BUSY_STEPS, 2250);
}

static void record_killed(void)
{
    window(in_s(150, "s"), in_us(300));
    run_steps(STEPS, 100);
    raise(SIGKILL);
}

static void record_from(void)
{
    window(in_ms(150), NULL);
    run_steps(STEPS, 100);
}

static void record_to(void)
{
    window(NULL, in_ms(300));
    run_steps(STEPS, 100);
}

static void record_ring(void)
{
    setenv("PITH_WHEN_FULL", "ring", 1);
    setenv("PITH_MAX_MB", "1", 1);
    window(in_ms(150), in_s(300, ""));
    run_steps(BUSY_STEPS, 2250);
}

/* Numbers one after another and whole states, all in [from, to]. Gives how many numbers; -1. */
static long kept(const struct help_log *log, int64_t from_ns, int64_t to_ns)
{
    uint32_t open[16], depth = 0;
    int32_t next = -1, number;
    long numbers = 0;
    size_t i;
    for (i = 0; i < log->count; i++) {
        const struct pithlog_record *r = &log->records[i];
        if (r->time_ns < from_ns || r->time_ns > to_ns)
            return -1;
        if (r->kind == PITHLOG_ENTER && depth < 16)
            open[depth++] = r->id;
        if (r->kind == PITHLOG_LEAVE && (depth == 0 || open[--depth] != r->id))
            return -1;
        if (r->kind != PITHLOG_EVENT)
            continue;
        memcpy(&number, r->payload, 4);
        if ((next >= 0 && number != next) || depth < 2)
            return -1;
        next = number + 1;
        numbers++;
    }
    return depth == 0 ? numbers : -1;
}

static void test_both(struct help_log *log, int steps, const char *what)
{
    long numbers = kept(log, FROM_NS, TO_NS);
    OK(numbers > 0 && numbers < steps, "%s: states are whole, steps without a gap (%ld)", what, numbers);
    OK(log->count > 4 && log->records[0].time_ns == FROM_NS && log->records[1].time_ns == FROM_NS &&
           strcmp(help_name(log, &log->records[0]), "main") == 0 &&
           strcmp(help_name(log, &log->records[1]), "phase") == 0,
       "%s: open states are entered at its beginning", what);
    OK(log->count > 4 && log->records[log->count - 1].time_ns == TO_NS &&
           strcmp(help_name(log, &log->records[log->count - 1]), "main") == 0,
       "%s: and left at its end", what);
    OK(log->info->lost == 0, "%s: nothing is counted as lost", what);
}

static void test_windows(void)
{
    struct help_log log;
    help_fresh();
    OK(help_child(record_window) == 0 && help_read(&log, "run.pith"), "PITH_FROM=150ms PITH_TO=0.3");
    test_both(&log, STEPS, "a window");
    help_close(&log);
    help_fresh();
    OK(help_child(record_busy) == 0 && help_read(&log, "run.pith"), "the same with many chunks");
    test_both(&log, BUSY_STEPS, "a window of many records");
    help_close(&log);
    help_fresh();
    help_child(record_killed);
    OK(help_recover(&log, "run.pith.spill"), "killed after it");
    test_both(&log, STEPS, "recovered");
    help_close(&log);
    help_fresh();
    OK(help_child(record_from) == 0 && help_read(&log, "run.pith") && kept(&log, FROM_NS, INT64_MAX) > 0,
       "PITH_FROM alone");
    OK(strcmp(help_name(&log, &log.records[log.count - 1]), "pith:flush") == 0, "goes to the end");
    help_close(&log);
    help_fresh();
    OK(help_child(record_to) == 0 && help_read(&log, "run.pith") && kept(&log, 0, TO_NS) > 0, "PITH_TO alone");
    OK(log.records[0].time_ns < FROM_NS, "goes from the start");
    help_close(&log);
    help_fresh();
    OK(help_child(record_ring) == 0 && help_read(&log, "run.pith") && kept(&log, FROM_NS, TO_NS) >= 0,
       "with a ring that is shorter: whole states");
    help_close(&log);
}

/* ---- Outside ----------------------------------------------------------------------------------------------------- */

static off_t spill_bytes(void)
{
    const char *log, *spill;
    struct stat info;
    return pith_where(&log, &spill) == 0 && stat(spill, &info) == 0 ? info.st_size : -1;
}

static void record_outside(void)
{
    uint32_t state = pith_state_define("s", NULL);
    int i;
    for (i = 0; i < MANY; i++) {
        pith_begin(state);
        pith_end(state);
    }
    if (spill_bytes() <= 0 || spill_bytes() > 700000 || pith_lost() != 0)
        exit(3);
}

static void record_before(void)
{
    window("1000", NULL);
    record_outside();
}

static void record_after(void)
{
    window(NULL, "0");
    record_outside();
}

static void record_wrong(void)
{
    window("soon", "-3");
    record_outside();
}

static void test_outside(void)
{
    struct help_log log;
    help_fresh();
    OK(help_child(record_before) == 0, "two million records before the window: the file stays small");
    OK(help_read(&log, "run.pith") && log.count == 0 && log.info->lost == 0, "an empty log, nothing lost");
    help_close(&log);
    help_fresh();
    OK(help_child(record_after) == 0, "and behind it");
    OK(help_read(&log, "run.pith") && log.count == 0 && log.info->lost == 0, "an empty log, nothing lost");
    help_close(&log);
    help_fresh();
    OK(WEXITSTATUS(help_child(record_wrong)) == 3 && help_lines(help_said()) == 2 &&
           strstr(help_said(), "PITH_FROM=soon") != NULL && strstr(help_said(), "PITH_TO=-3") != NULL,
       "values that make no sense are said, and all is recorded");
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* A token goes round; each message has a size of its own. Receives are posted two ahead. */
static void job_body(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    uint32_t turn = pith_state_define("turn", NULL);
    uint64_t posted[2] = {pith_recv_post(), 0};
    int i, other = 1 - job->rank;
    pith_job_join(&transport);
    for (i = 0; i < ROUNDS; i++) {
        uint64_t token = 0;
        pith_begin(turn);
        posted[(i + 1) % 2] = pith_recv_post();
        if (job->rank == 0) {
            pith_comm_send(0, other, 1, 2 * (uint64_t)i);
            job_send(job, other, &token, sizeof token);
        }
        job_recv(job, other, &token, sizeof token);
        pith_comm_recv(0, other, 1, 2 * (uint64_t)i + (job->rank == 0), posted[i % 2]);
        if (job->rank == 1) {
            nap(500);
            pith_comm_send(0, other, 1, 2 * (uint64_t)i + 1);
            job_send(job, other, &token, sizeof token);
        }
        pith_end(turn);
    }
    pith_job_finish(&transport);
}

static void run_job(void)
{
    window(in_ms(150), in_s(300, "s"));
    exit(job_run(RANKS, job_body));
}

/* The bytes that the receive of a message told. */
static uint64_t received(const struct help_log *log, const struct pithlog_message *message)
{
    size_t i;
    for (i = 0; i < log->count; i++)
        if (log->records[i].kind == PITHLOG_RECV && log->records[i].lane == message->recv_lane &&
            log->records[i].time_ns == message->recv_ns && log->records[i].peer >= 0)
            return log->records[i].bytes;
    return UINT64_MAX;
}

static void test_messages(void)
{
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    struct help_log log;
    uint64_t messages = 0, wrong = 0, sends, recvs;
    help_fresh();
    OK(help_child(run_job) == 0 && help_read(&log, "run.pith"), "a job of %d with messages", RANKS);
    OK(log.count > 0 && log.records[0].time_ns >= FROM_NS && log.records[log.count - 1].time_ns <= TO_NS,
       "all of it in the window");
    OK(pithlog_matcher_open(log.log, &matcher) == PITH_OK, "matched");
    while (pithlog_matcher_next(matcher, &message) == 1) {
        messages++;
        wrong += message.bytes != received(&log, &message);
    }
    pithlog_matcher_unmatched(matcher, &sends, &recvs);
    OK(messages > 2 && wrong == 0, "%d messages, each with its own receive (%d wrong)", (int)messages, (int)wrong);
    OK(sends <= RANKS && recvs <= RANKS, "without a partner only those at the ends: %d and %d", (int)sends, (int)recvs);
    pithlog_matcher_close(matcher);
    help_close(&log);
}

/* Three messages of one rank to the other: X is over before the window begins, A crosses its beginning, B lies in it. A
 * was to be received first. */
static void edge_body(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    uint64_t first, second;
    pith_job_join(&transport);
    first = pith_recv_post_many(7) + 5;
    second = first + 1;
    if (job->rank == 0)
        pith_comm_send(0, 1, 1, 100); /* A */
    if (job->rank == 0)
        pith_comm_send(0, 1, 2, 200); /* X */
    job_barrier(job);
    if (job->rank == 1)
        pith_comm_recv(0, 0, 2, 200, second);
    nap(500000);
    job_barrier(job);
    if (job->rank == 1)
        pith_comm_recv(0, 0, 1, 100, first);
    job_barrier(job);
    if (job->rank == 0)
        pith_comm_send(0, 1, 1, 300); /* B */
    job_barrier(job);
    if (job->rank == 1)
        pith_comm_recv(0, 0, 1, 300, pith_recv_post());
    pith_job_finish(&transport);
}

static void run_edge(void)
{
    window(in_ms(500), NULL);
    exit(job_run(RANKS, edge_body));
}

static void test_edge(void)
{
    const uint64_t posted[] = {1, 0, 2};
    const int32_t peers[] = {PITH_NOBODY, 0, 0};
    struct pithlog_matcher *matcher;
    struct pithlog_message message;
    struct help_log log;
    uint64_t sends = 9, recvs = 9;
    int count = 0, good = 1;
    size_t i;
    help_fresh();
    OK(help_child(run_edge) == 0 && help_read(&log, "run.pith"), "a message that crosses the window's beginning");
    for (i = 0; i < log.count; i++)
        if (log.records[i].kind == PITHLOG_RECV) {
            good &= count < 3 && log.records[i].posted == posted[count] && log.records[i].peer == peers[count];
            count++;
        }
    OK(good && count == 3, "receives are numbered anew; one that was over closes its gap");
    OK(pithlog_matcher_open(log.log, &matcher) == PITH_OK && pithlog_matcher_next(matcher, &message) == 1 &&
           message.bytes == 300 && received(&log, &message) == 300 && pithlog_matcher_next(matcher, &message) == 0,
       "the one inside is matched");
    pithlog_matcher_unmatched(matcher, &sends, &recvs);
    OK(sends == 0 && recvs == 1, "the one across is not");
    pithlog_matcher_close(matcher);
    help_close(&log);
}

int main(void)
{
    const char *times = getenv("TEST_SLOWNESS");
    if (times != NULL && atoi(times) > 0)
        slowness = atoi(times);
    help_begin();
    unsetenv("PITH_FROM");
    unsetenv("PITH_TO");
    test_windows();
    test_outside();
    test_messages();
    test_edge();
    help_clean();
    return tap_done();
}
