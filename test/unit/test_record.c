/* test_record.c - every call of pith.h in one process: what was recorded is what the log says. */
#include "record_help.h"

static int is_dir_empty_of_spill(void) { return help_files(".", ".spill") == 0; }

/* ---- Everything once --------------------------------------------------------------------------------------------- */

static void record_all(void)
{
    uint32_t work = pith_state_define("work", "red"), inner = pith_state_define_group("inner", "#00ff00", "mine");
    uint32_t mark = pith_event_define("mark", "blue", "i=%d"), memory = pith_counter_define("memory", "bytes");
    unsigned char payload[4] = {0, 0, 1, 2};
    if (work != pith_state_define("work", "green") || work == inner || mark == memory)
        exit(3);
    errno = 77;
    pith_begin(work);
    pith_begin(inner);
    pith_begin(inner);
    pith_end(inner);
    pith_end(inner);
    pith_event(mark);
    pith_event_data(mark, payload, sizeof payload);
    pith_count(memory, 2.5);
    pith_send(3, 7, 1000);
    pith_recv(2, 8, 2000);
    pith_end(work);
    pith_thread_name("the main one");
    pith_property("colour", "none");
    pith_flush();
    if (errno != 77 || !pith_recording() || pith_lost() != 0)
        exit(4);
}

static void test_all(void)
{
    static const uint32_t kinds[] = {PITHLOG_ENTER, PITHLOG_ENTER, PITHLOG_ENTER, PITHLOG_LEAVE,
                                     PITHLOG_LEAVE, PITHLOG_EVENT, PITHLOG_EVENT, PITHLOG_COUNTER,
                                     PITHLOG_SEND,  PITHLOG_RECV,  PITHLOG_LEAVE};
    struct help_log log;
    const struct pithlog_def *def;
    size_t i;
    int good = 1;

    OK(help_child(record_all) == 0, "a program with every call ends well, errno kept");
    OK(help_said()[0] == '\0', "PITH_QUIET=1: nothing is said");
    OK(help_read(&log, "run.pith") && log.count == 15, "its log has every record and pith:flush");
    for (i = 0; i < 11 && i < log.count; i++)
        good &= log.records[i].kind == kinds[i] && (i == 0 || log.records[i].time_ns >= log.records[i - 1].time_ns);
    OK(good, "in the order of the calls");
    OK(log.count == 15 && help_count(&log, PITHLOG_ENTER, "pith:flush") == 2 &&
           strcmp(help_name(&log, &log.records[11]), "pith:flush") == 0,
       "pith:flush is last: pith_flush, and the end");
    def = pithlog_get_def(log.log, log.records[0].id);
    OK(def != NULL && strcmp(def->name, "work") == 0 && strcmp(def->colour, "red") == 0 &&
           strcmp(def->group, "user") == 0,
       "the first colour given stays");
    def = pithlog_get_def(log.log, log.records[1].id);
    OK(def != NULL && strcmp(def->group, "mine") == 0, "groups");
    OK(log.records[5].payload_bytes == 0 && log.records[6].payload_bytes == 4 &&
           memcmp(log.records[6].payload, "\0\0\1\2", 4) == 0,
       "payload as given");
    OK(log.records[7].value == 2.5, "counter value");
    OK(log.records[8].peer == 3 && log.records[8].tag == 7 && log.records[8].bytes == 1000 && log.records[8].comm == 0,
       "send");
    OK(log.records[9].peer == 2 && log.records[9].tag == 8 && log.records[9].bytes == 2000 &&
           log.records[9].posted == 0,
       "receive");
    OK(strcmp(pithlog_get_lane(log.log, 0)->name, "the main one") == 0, "thread name");
    OK(log.info->lost == 0 && log.info->complete, "complete, nothing lost");
    help_close(&log);
    OK(is_dir_empty_of_spill(), "no spill folder is left");
}

/* ---- Times ------------------------------------------------------------------------------------------------------- */

enum { NAP_NS = 2000000 };
static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL); }

static void record_same(void)
{
    uint32_t call = pith_state_define("call", NULL);
    pith_begin(call);
    nap();
    pith_same_from_now();
    nap();
    pith_same_recv(0, 0, 1, 2, pith_recv_post());
    nap();
    pith_same_end(call);
    pith_same_coll(0, 0, 1, 2);
    pith_same_begin(call);
    pith_same_send(0, 0, 1, 2);
    nap();
    pith_end(call);
}

static void test_same(void)
{
    struct help_log log;
    static const uint32_t kinds[] = {PITHLOG_RECV, PITHLOG_LEAVE, PITHLOG_COLL, PITHLOG_ENTER, PITHLOG_SEND};
    OK(help_child(record_same) == 0 && help_read(&log, "run.pith"), "records of one time");
    const struct pithlog_record *r = log.records, *same[5] = {NULL};
    const struct pithlog_record *first = NULL, *last = NULL;
    size_t count = 0;
    int is_good = 1;
    for (size_t i = 0; i < log.count; i++) { /* counters may lie between */
        if (r[i].kind == PITHLOG_COUNTER || !strcmp(help_name(&log, &r[i]), "pith:flush"))
            continue;
        if (count > 0 && count <= 5)
            same[count - 1] = &r[i];
        first = count == 0 ? &r[i] : first;
        last = count == 6 ? &r[i] : last;
        count++;
    }
    for (size_t i = 0; i < 5; i++)
        is_good &= same[i] && same[i]->kind == kinds[i] && same[i]->time_ns == same[0]->time_ns;
    OK(is_good, "a receive, an end, a collective, a begin and a send have one time");
    OK(last && same[0]->time_ns - first->time_ns >= NAP_NS && last->time_ns - same[0]->time_ns >= 3 * NAP_NS,
       "pith_same_from_now: that of the call of it");
    help_close(&log);
}

/* ---- Earlier times ----------------------------------------------------------------------------------------------- */

static uint64_t wait_ticks; /* when thread 0 knows that the wait of thread 1 is over */
static uint32_t waiting_id, idle_id;

static void *wait_forever(void *unused)
{
    static struct pith_wait_end end;
    (void)unused;
    pith_begin(waiting_id);
    end = (struct pith_wait_end){&wait_ticks, {waiting_id}, idle_id};
    pith_late(&end);
    __atomic_store_n(&wait_ticks, 0, __ATOMIC_RELEASE);
    for (;;)
        pause();
    return NULL;
}

static void record_earlier(void)
{
    pthread_t thread;
    uint64_t ticks;
    waiting_id = pith_state_define("waiting", NULL);
    idle_id = pith_state_define("idle", NULL);
    wait_ticks = 1;
    pith_begin(waiting_id);
    nap();
    ticks = pith_clock_ticks();
    nap();
    pith_same_from(ticks);
    pith_same_end(waiting_id);
    pith_same_begin(idle_id);
    pith_end(idle_id);
    if (pthread_create(&thread, NULL, wait_forever, NULL) != 0)
        return;
    while (__atomic_load_n(&wait_ticks, __ATOMIC_ACQUIRE) != 0)
        nap();
    nap();
    __atomic_store_n(&wait_ticks, pith_clock_ticks(), __ATOMIC_RELEASE);
    nap();
    pith_event(pith_event_define("end", NULL, NULL));
    ticks = pith_clock_ticks();
    pith_same_from(ticks + (UINT64_C(1) << 39)); /* some minutes, longer than a record's bits reach */
    pith_same_begin(waiting_id);
    pith_same_end(waiting_id);
}

static void test_earlier(void)
{
    struct help_log log;
    const struct pithlog_record *leave[2] = {NULL, NULL}, *enter[2] = {NULL, NULL}, *last = NULL, *far = NULL;
    OK(help_child(record_earlier) == 0 && help_read(&log, "run.pith") && log.count >= 8, "records of earlier times");
    for (uint64_t i = 0; i < log.count; i++) {
        const struct pithlog_record *r = &log.records[i];
        const char *name = help_name(&log, r);
        if (last && r->lane == 0) {
            far = r->kind == PITHLOG_ENTER && !strcmp(name, "waiting") ? r : far;
            continue;
        }
        if (r->kind == PITHLOG_LEAVE && !strcmp(name, "waiting"))
            leave[r->lane != 0] = r;
        if (r->kind == PITHLOG_ENTER && !strcmp(name, "idle"))
            enter[r->lane != 0] = r;
        if (r->kind == PITHLOG_EVENT)
            last = r;
    }
    OK(leave[0] && enter[0] && leave[0]->time_ns == enter[0]->time_ns,
       "pith_same_begin: the time of the record before");
    OK(leave[0] && last && leave[0]->time_ns >= NAP_NS && leave[0]->time_ns <= last->time_ns - 3 * NAP_NS,
       "pith_same_from: the time that it names");
    OK(far && last && far->time_ns - last->time_ns > INT64_C(60000000000), "and a time minutes away");
    OK(leave[1] && enter[1] && last && leave[1]->time_ns == enter[1]->time_ns &&
           enter[1]->time_ns <= last->time_ns - NAP_NS,
       "pith_late: what another thread announced is recorded at the end");
    help_close(&log);
}

/* ---- States that are taken back ---------------------------------------------------------------------------------- */

static void record_tentative(void)
{
    uint32_t state = pith_state_define("state", NULL), other = pith_state_define("other", NULL);
    uint32_t mark = pith_event_define("mark", NULL, NULL);
    pith_begin(other);
    pith_end(other);
    struct pith_tentative begun = pith_begin_tentative(state);
    if (!pith_begin_undo(&begun))
        exit(3);
    begun = pith_begin_tentative(state);
    pith_begin(other);
    pith_end(other);
    if (pith_begin_undo(&begun))
        exit(5);
    pith_end(state);
    /* The thread comes to the same place again, where there is now another record. */
    for (int round = 0; round < 4; round++) {
        int is_open = 0;
        for (int i = 0; (begun = pith_begin_tentative(state)).record == NULL; i++) {
            pith_end(state);
            if (i == 1000)
                exit(6);
        }
        if (round % 2)
            pith_event(mark);
        do {
            is_open ? pith_end(other) : pith_begin(other);
            is_open = !is_open;
        } while (pith_buffer_.next != begun.record + 1);
        if (pith_begin_undo(&begun))
            exit(7);
        if (is_open)
            pith_end(other);
        pith_end(state);
    }
}

static void test_tentative(void)
{
    struct help_log log;
    OK(help_child(record_tentative) == 0, "a state is taken back if its begin is the last record");
    OK(help_read(&log, "run.pith") &&
           help_count(&log, PITHLOG_ENTER, "state") == help_count(&log, PITHLOG_LEAVE, "state"),
       "each state that stays has an end");
    OK(help_count(&log, PITHLOG_ENTER, "other") == help_count(&log, PITHLOG_LEAVE, "other") &&
           help_count(&log, PITHLOG_ENTER, "other") > 1000,
       "no other record is taken back");
    help_close(&log);
}

/* ---- Payloads ---------------------------------------------------------------------------------------------------- */

static const size_t payload_sizes[] = {0, 1, 7, 8, 9, 15, 16, 17, 255, 4096, 65534, 65535};
enum { PAYLOADS = sizeof payload_sizes / sizeof payload_sizes[0] };

static void record_payloads(void)
{
    static unsigned char bytes[70000];
    uint32_t id = pith_event_define("data", NULL, NULL);
    size_t i, round;
    for (i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    for (round = 0; round < 20; round++) /* over the ends of several chunks */
        for (i = 0; i < PAYLOADS; i++)
            pith_event_data(id, bytes + i, payload_sizes[i]);
    pith_event_data(id, bytes, 70000);
    pith_event_data(id, NULL, 5);
    if (pith_lost() != 1)
        exit(3);
}

static void test_payloads(void)
{
    struct help_log log;
    size_t i, at;
    int good = 1;
    OK(help_child(record_payloads) == 0, "payloads of many sizes are taken; a cut one is counted");
    OK(help_read(&log, "run.pith") && help_count(&log, PITHLOG_EVENT, "data") == 20 * PAYLOADS + 2, "all are there");
    for (i = 0; i < 20 * PAYLOADS && i < log.count; i++) {
        const unsigned char *bytes = log.records[i].payload;
        size_t size = payload_sizes[i % PAYLOADS];
        good &= log.records[i].payload_bytes == size;
        for (at = 0; good && at < size; at++)
            good &= bytes[at] == (unsigned char)((at + i % PAYLOADS) * 7 + (at + i % PAYLOADS) / 256);
    }
    OK(good, "with their bytes");
    OK(log.count > i && log.records[i].payload_bytes == 65535 && log.info->lost == 1,
       "70000 bytes are cut to 65535, and said");
    help_close(&log);
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

static void record_definitions(void)
{
    char name[32];
    uint32_t i, first = 0;
    if (pith_state_define(NULL, "red") != 0 || pith_state_define("", "red") != 0)
        exit(3);
    for (i = 0; i < 20000; i++) {
        uint32_t id;
        snprintf(name, sizeof name, "state %u", i);
        id = pith_state_define(name, NULL);
        if (i == 0)
            first = id;
        if (id != first + i)
            exit(4);
    }
    if (pith_state_define("state 12345", NULL) != first + 12345)
        exit(5);
    pith_begin(first + 19999);
    pith_end(first + 19999);
    pith_begin(0);
    pith_end(0);
    pith_event(0);
    pith_event_data(0, "x", 1);
    pith_count(0, 1);
    if (pith_lost() != 5)
        exit(6);
    pith_begin(first + 25000); /* never defined */
}

static void test_definitions(void)
{
    struct help_log log;
    OK(help_child(record_definitions) == 0, "20000 definitions, ids dense, id 0 counted as lost");
    OK(help_read(&log, "run.pith") && log.info->defs == 20001, "all are in the log");
    OK(help_count(&log, PITHLOG_ENTER, "state 19999") == 1, "the last one was used");
    OK(log.info->lost == 6, "five records under id 0, one under an id never defined: lost, and said");
    help_close(&log);
}

/* ---- Pause, finish ----------------------------------------------------------------------------------------------- */

static void record_pauses(void)
{
    uint32_t id = pith_state_define("s", NULL);
    pith_begin(id);
    pith_end(id);
    pith_pause();
    pith_pause();
    if (pith_recording())
        exit(3);
    pith_begin(id);
    pith_end(id);
    pith_event_data(id, "abc", 3);
    pith_send(1, 1, 1);
    pith_resume();
    if (!pith_recording() || pith_lost() != 0)
        exit(4);
    pith_begin(id);
    pith_end(id);
    pith_finish();
    pith_begin(id);
    pith_send(1, 1, 1);
    pith_resume();
    pith_finish();
    if (pith_recording() || pith_lost() != 0 || access("run.pith", F_OK) != 0)
        exit(5);
}

static void record_paused_first(void)
{
    uint32_t id;
    pith_pause();
    id = pith_state_define("s", NULL);
    pith_begin(id);
    pith_end(id);
    pith_resume();
    pith_begin(id);
    pith_end(id);
}

static void record_nothing(void)
{
    pith_pause();
    pith_resume();
    pith_flush();
    pith_finish();
}

static void test_pauses(void)
{
    struct help_log log;
    OK(help_child(record_pauses) == 0, "pause, resume, finish in the middle");
    OK(help_read(&log, "run.pith") && help_count(&log, PITHLOG_ENTER, "s") == 2 &&
           help_count(&log, PITHLOG_SEND, NULL) == 0,
       "nothing was recorded while paused, or after the end");
    OK(help_count(&log, PITHLOG_PAUSE, NULL) == 1 && help_count(&log, PITHLOG_RESUME, NULL) == 1,
       "both moments are there");
    help_close(&log);
    OK(help_child(record_paused_first) == 0 && help_read(&log, "run.pith"), "a program that pauses before anything");
    OK(help_count(&log, PITHLOG_ENTER, "s") == 1, "is recorded from its resume on");
    help_close(&log);
    help_fresh();
    OK(help_child(record_nothing) == 0 && access("run.pith", F_OK) != 0 && is_dir_empty_of_spill(),
       "who records nothing leaves nothing");
}

/* ---- Many -------------------------------------------------------------------------------------------------------- */

enum { MANY = 1500000 };

static void record_many(void)
{
    uint32_t id = pith_state_define("s", NULL), i;
    for (i = 0; i < MANY; i++) {
        pith_begin(id);
        pith_end(id);
    }
}

static void test_many(void)
{
    struct help_log log;
    size_t i;
    int good = 1;
    OK(help_child(record_many) == 0 && help_read(&log, "run.pith") && log.count == 2 * MANY + 2,
       "three million records");
    for (i = 0; i < log.count; i++)
        good &= log.records[i].kind == (i % 2 == 0 ? PITHLOG_ENTER : PITHLOG_LEAVE) &&
                (i == 0 || log.records[i].time_ns >= log.records[i - 1].time_ns);
    OK(good, "in order, times never fall");
    help_close(&log);
}

/* A ring of 1 MiB keeps the newest; a limit of 1 MiB without ring the oldest. */
static void record_ring(void)
{
    setenv("PITH_MAX_MB", "1", 1);
    setenv("PITH_WHEN_FULL", "ring", 1);
    record_many();
    if (pith_lost() < 2 * MANY - 131072)
        exit(3);
}

static void record_stop(void)
{
    setenv("PITH_MAX_MB", "1", 1);
    record_many();
    if (pith_lost() < 2 * MANY - 131072)
        exit(3);
}

static void test_full(void)
{
    struct help_log log;
    OK(help_child(record_ring) == 0 && help_read(&log, "run.pith"), "PITH_WHEN_FULL=ring");
    OK(log.count > 60000 && log.records[0].kind == PITHLOG_LOST, "begins by telling what was overwritten");
    OK(log.info->lost + log.count - 1 == 2 * MANY + 2, "kept and lost make all: %llu + %zu",
       (unsigned long long)log.info->lost, log.count - 1);
    OK(strcmp(help_name(&log, &log.records[log.count - 1]), "pith:flush") == 0, "the newest are kept");
    help_close(&log);
    OK(help_child(record_stop) == 0 && help_read(&log, "run.pith"), "PITH_WHEN_FULL=stop");
    OK(log.count > 60000 && log.records[0].kind == PITHLOG_ENTER && log.records[log.count - 1].kind == PITHLOG_LOST,
       "ends by telling what was lost");
    OK(log.info->lost + log.count - 1 == 2 * MANY + 2, "kept and lost make all: %llu + %zu",
       (unsigned long long)log.info->lost, log.count - 1);
    help_close(&log);
}

/* ---- The log's name ---------------------------------------------------------------------------------------------- */

static void record_little(void)
{
    uint32_t id = pith_state_define("s", NULL);
    pith_begin(id);
    pith_end(id);
}

static void record_unnamed(void)
{
    unsetenv("PITH_LOG");
    record_little();
}

static void record_clog2(void)
{
    setenv("PITH_LOG", "run.clog2", 1);
    record_little();
}

static void record_format(void)
{
    setenv("PITH_FORMAT", "alog", 1);
    record_little();
}

static void record_unknown_format(void)
{
    setenv("PITH_FORMAT", "cuneiform", 1);
    record_little();
}

static void record_loud(void)
{
    unsetenv("PITH_QUIET");
    record_little();
}

static void test_names(void)
{
    struct help_log log;
    help_fresh();
    OK(help_child(record_unnamed) == 0 && help_read(&log, "test_record.pith"),
       "without PITH_LOG the program gives the name");
    help_close(&log);
    help_fresh();
    if (help_can_convert()) {
        OK(help_child(record_clog2) == 0 && access("run.clog2", F_OK) == 0 && help_files(".", "pith") == 0 &&
               help_files(".", "part") == 0,
           "PITH_LOG=run.clog2: that format, no other file");
        OK(help_read(&log, "run.clog2") && strcmp(log.info->format, "clog2") == 0 && log.info->states == 2,
           "which can be read");
        help_close(&log);
        help_fresh();
        OK(help_child(record_format) == 0 && access("run.alog", F_OK) == 0 && help_files(".", "pith") == 0,
           "PITH_FORMAT=alog: run.alog");
    } else {
        OK(1, "PITH_LOG=run.clog2, PITH_FORMAT=alog " HELP_NO_CONVERT);
    }
    OK(help_child(record_unknown_format) == 0 && access("run.pith", F_OK) == 0 &&
           strstr(help_said(), "cuneiform") != NULL,
       "an unknown format is said, the log written in Pith's own");
    OK(help_child(record_loud) == 0 && strstr(help_said(), "pith: run.pith: 1 rank, 4 events") != NULL &&
           help_lines(help_said()) == 1,
       "one line at the end");
}

int main(void)
{
    help_begin();
    test_all();
    test_same();
    test_earlier();
    setenv("PITH_COUNTERS", "task-clock", 1); /* records of states then take the slow path */
    test_same();
    test_earlier();
    unsetenv("PITH_COUNTERS");
    test_tentative();
    test_payloads();
    test_definitions();
    test_pauses();
    test_many();
    test_full();
    test_names();
    help_clean();
    return tap_done();
}
