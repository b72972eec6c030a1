/* test_record_lost.c - a recorder that has no room for some time, several times: the log says of each hole how many
 * states ended in it, by definition, and the sums of its summary are those of its records; at the end of the program,
 * after kill -9, of a ring, and of short states left out. */
#include "record_help.h"

#include "common/hole_numbers.h"
#include "common/random.h"
#include "native/lane_summary.h"
#include "native/log.h"
#include "reader/read/check.h"
#include "reader/read/lane_blocks.h"

enum { STATES = 60, PHASES = 5, DEPTH = 20 };

static void set_limit(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static uint32_t state[STATES], entered[DEPTH], depth;

static void step(void)
{
    if (depth == 0 || (depth < DEPTH && random_below(2)))
        pith_begin(state[entered[depth++] = random_below(STATES)]);
    else
        pith_end(state[entered[--depth]]);
}

/* Steps until none is lost any more. */
static void recover(void)
{
    uint64_t lost = pith_lost();
    for (uint32_t good = 0; good < 20000; good++) {
        step();
        good = pith_lost() == lost ? good : 0;
        lost = pith_lost();
    }
}

static void define(void)
{
    random_seed(7);
    for (uint32_t i = 0; i < STATES; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%u", i);
        state[i] = pith_state_define(name, NULL);
    }
}

static void record(void)
{
    define();
    for (int phase = 0; phase < PHASES; phase++) {
        for (uint32_t i = 0; i < 30000; i++)
            step();
        uint64_t most = pith_lost() + 500 + random_below(2000);
        set_limit(4096);
        for (uint32_t i = 0; pith_lost() < most && i < 3000000; i++)
            step();
        set_limit(RLIM_INFINITY);
        recover();
    }
    if (pith_lost() < 500)
        exit(3);
}

static void record_whole(void)
{
    record();
    while (depth > 3)
        pith_end(state[entered[--depth]]);
}

static void record_ring(void)
{
    define();
    for (uint32_t i = 0; i < 300000; i++)
        step();
}

/* A loss that belongs to no lane comes last, without a number. */
static void record_undefined(void)
{
    record_whole();
    pith_begin(0);
}

/* Longer than a record may be: it is cut, and that is lost in the middle of the lane. */
static void record_cut(void)
{
    static char long_one[100000];
    uint32_t event;
    define();
    event = pith_event_define("long", NULL, NULL);
    for (uint32_t i = 0; i < 20000; i++)
        step();
    pith_event_data(event, long_one, sizeof long_one);
    for (uint32_t i = 0; i < 20000; i++)
        step();
}

static void record_killed(void)
{
    record();
    kill(getpid(), SIGKILL);
}

static int sums_agree(struct pithlog *log, uint32_t lane)
{
    const struct pithlog_lane *of = pithlog_get_lane(log, lane);
    struct pithlog_summary *summary;
    int same = pithlog_summary_open(log, &summary) == PITH_OK;
    for (int i = 0; same && i < 20; i++) {
        struct pithlog_sum got[64] = {{0}}, want[64] = {{0}};
        struct pithlog_rest got_rest, want_rest;
        int64_t span = of->last_ns - of->first_ns, from_ns = of->first_ns + (i ? span / 40 * random_below(30) : 0);
        int64_t to_ns = i ? from_ns + span / 40 * (1 + random_below(10)) : of->last_ns + 1;
        same = pithlog_sums(log, summary, lane, from_ns, to_ns, got, &got_rest) == PITH_OK &&
               pithlog_sums(log, NULL, lane, from_ns, to_ns, want, &want_rest) == PITH_OK &&
               memcmp(got, want, sizeof got) == 0 && got_rest.missing_ns == want_rest.missing_ns &&
               got_rest.outside_ns == want_rest.outside_ns;
    }
    pithlog_summary_close(summary);
    return same;
}

/* Returns the number of states that ended in holes. */
static long look(struct help_log *log, const char *path, long holes, const char *name)
{
    struct hole_count count = {0};
    const struct pithi_lost_states *lost;
    OK(log->info && pithi_check(path, NULL, NULL, NULL) == 0, "%s", name);
    for (uint32_t lane = 0; log->info && lane < log->info->lanes; lane++)
        hole_numbers(log->log, lane, &count);
    printf("# %ld holes, %ld states ended in them\n", count.holes, count.ended);
    OK(count.holes >= holes && count.wrong == 0, "%s: says how many states ended in its holes (%ld wrong)", name,
       count.wrong);
    OK(log->info && pithi_lost_states_get(log->log, 0, &lost) == PITH_OK && (!lost || lost->is_numbered) &&
           pithi_log_kept_sheets(log->log, 0) && sums_agree(log->log, 0),
       "%s: its summary has the sums of its records", name);
    help_close(log);
    return count.ended;
}

int main(void)
{
    struct help_log log = {0};
    help_begin();
    help_fresh();
    OK(help_child(record_whole) == 0 && help_read(&log, "run.pith"), "no room, five times");
    OK(look(&log, "run.pith", PHASES, "at the end") > 5, "states ended in holes");

    help_fresh();
    OK(help_child(record_undefined) == 0 && help_read(&log, "run.pith"), "and a record that is no lane's");
    look(&log, "run.pith", PHASES + 1, "a last hole without number");

    help_fresh();
    OK(help_child(record_cut) == 0 && help_read(&log, "run.pith"), "a payload is cut");
    look(&log, "run.pith", 1, "a cut payload");

    help_fresh();
    setenv("PITH_MIN_DURATION", "2us", 1);
    OK(help_child(record_whole) == 0 && help_read(&log, "run.pith"), "short states are left out");
    look(&log, "run.pith", PHASES, "without short states");
    unsetenv("PITH_MIN_DURATION");

    help_fresh();
    setenv("PITH_SPILL", "spill", 1);
    OK(help_child(record_killed) != 0 && help_recover(&log, "spill"), "killed");
    OK(look(&log, "recovered.pith", PHASES, "after kill -9") > 5, "states ended in holes");
    unsetenv("PITH_SPILL");

    help_fresh();
    setenv("PITH_WHEN_FULL", "ring", 1);
    setenv("PITH_MAX_MB", "1", 1);
    OK(help_child(record_ring) == 0 && help_read(&log, "run.pith") && log.info->lost > 1000, "a ring");
    look(&log, "run.pith", 0, "a ring");
    help_clean();
    return tap_done();
}
