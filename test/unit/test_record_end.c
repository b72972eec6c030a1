/* test_record_end.c - what the end of a job makes of its records as the environment asks: coarser times, no short
 * states, several files; and that a log's files come, are replaced and go together. */
#include "fork_job.h"
#include "base/bytes.h"
#include "native/layout.h"
#include "record_help.h"

enum { ROUNDS = 3000 };

/* Rounds with a short state in a longer one, and a message. */
static void job(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    uint32_t slow = pith_state_define("slow", "red"), quick = pith_state_define("quick", "green");
    int i, next = (job->rank + 1) % job->size, before = (job->rank + job->size - 1) % job->size;
    if (pith_job_join(&transport) != 0)
        exit(3);
    for (i = 0; i < ROUNDS; i++) {
        pith_begin(quick);
        pith_comm_send(0, next, i, 100);
        pith_comm_recv(0, before, i, 100, pith_recv_post());
        pith_end(quick);
    }
    pith_begin(slow);
    usleep(20000);
    pith_end(slow);
    pith_job_finish(&transport);
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

static void test_plain(void)
{
    struct help_log log;
    help_fresh();
    OK(job_run(3, job) == 0 && help_read(&log, "run.pith"), "a job of 3");
    OK(*property(&log, "time_unit_ns") == '\0' && *property(&log, "states_left_out") == '\0' &&
           help_count(&log, PITHLOG_ENTER, "quick") == 3 * ROUNDS,
       "as it was recorded");
    help_close(&log);
}

static void test_unit(void)
{
    struct help_log log;
    size_t i;
    int good = 1;
    help_fresh();
    setenv("PITH_TIME_UNIT", "10us", 1);
    OK(job_run(3, job) == 0 && help_read(&log, "run.pith"), "PITH_TIME_UNIT=10us");
    for (i = 0; i < log.count; i++)
        good &= log.records[i].time_ns % 10000 == 0 && (i == 0 || log.records[i].time_ns >= log.records[i - 1].time_ns);
    OK(good && log.count > 3 * 4 * ROUNDS && log.info->states == 3 * (ROUNDS + 2), "all times are multiples of it");
    OK(strcmp(property(&log, "time_unit_ns"), "10000") == 0, "the log says so");
    help_close(&log);
    unsetenv("PITH_TIME_UNIT");
}

static void test_min_duration(void)
{
    struct help_log log;
    help_fresh();
    setenv("PITH_MIN_DURATION", "10ms", 1);
    OK(job_run(3, job) == 0 && help_read(&log, "run.pith"), "PITH_MIN_DURATION=10ms");
    OK(help_count(&log, PITHLOG_ENTER, "slow") == 3 && help_count(&log, PITHLOG_LEAVE, "slow") == 3,
       "longer states are there");
    OK(help_count(&log, PITHLOG_ENTER, NULL) == help_count(&log, PITHLOG_LEAVE, NULL), "each whole");
    OK(help_count(&log, PITHLOG_ENTER, NULL) + (uint64_t)atoll(property(&log, "states_left_out")) == 3 * (ROUNDS + 2) &&
           help_count(&log, PITHLOG_ENTER, "quick") < ROUNDS,
       "the rest is counted: %s", property(&log, "states_left_out"));
    OK(help_count(&log, PITHLOG_SEND, NULL) == 3 * ROUNDS && help_count(&log, PITHLOG_RECV, NULL) == 3 * ROUNDS,
       "messages stay");
    help_close(&log);
    unsetenv("PITH_MIN_DURATION");
}

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

static void comm_job(struct fork_job *job)
{
    struct pith_transport transport = job_transport(job);
    int32_t members[] = {3, 0, 2, 1};
    struct pith_comm all = {77, "all", 0, 4, members, 0, NULL};
    if ((pith_job_join(&transport) == 0) != (getenv("PITH_RANKS") == NULL || job->rank < 3))
        exit(3);
    while (members[all.rank] != job->rank)
        all.rank++;
    pith_comm_free(pith_comm_define(&all));
    pith_job_finish(&transport);
}

/* How many descriptions of communicators in a log list members. */
static int member_lists(const char *path)
{
    static unsigned char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t size = file != NULL ? fread(bytes, 1, sizeof bytes - 16, file) : 0, at;
    int lists = 0;
    if (file != NULL)
        fclose(file);
    for (at = 0; at + PITHI_CHUNK_HEAD < size; at += 8) {
        const unsigned char *p = bytes + at + PITHI_CHUNK_HEAD, *end;
        uint64_t type, length, number, name, members;
        if (memcmp(bytes + at, "PChK", 4) != 0 || pithi_get16(bytes + at + 4) != PITHI_C_META)
            continue;
        end = p + pithi_get64(bytes + at + 8);
        while (p < end && (p = pithi_get_varint(p, end, &type)) && (p = pithi_get_varint(p, end, &length))) {
            const unsigned char *q = pithi_get_varint(p, end, &number);
            if (type == PITHI_M_COMM && (q = pithi_get_varint(q + 8, end, &name)) &&
                pithi_get_varint(q + name, end, &members))
                lists += members > 0;
            p += length;
        }
    }
    return lists;
}

static void test_members(const char *ranks)
{
    struct help_log log;
    const struct pithlog_comm *comm;
    help_fresh();
    if (ranks != NULL)
        setenv("PITH_RANKS", ranks, 1);
    OK(job_run(4, comm_job) == 0 && help_read(&log, "run.pith"), "a communicator of ranks 3, 0, 2, 1%s%s",
       ranks != NULL ? ", PITH_RANKS=" : "", ranks != NULL ? ranks : "");
    comm = pithlog_get_comm(log.log, 1);
    OK(comm != NULL && comm->key == 77 && comm->size == 4 && comm->world_ranks[0] == 3 && comm->world_ranks[3] == 1,
       "has its members");
    OK(member_lists("run.pith") == 1, "which one rank tells");
    help_close(&log);
    unsetenv("PITH_RANKS");
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* Number of the volume, of all, and the common number, by the header of a file; 0: not there, or none,
 * or no chunk behind it. */
static int header_of(const char *path, uint32_t numbers[2], uint64_t *id)
{
    unsigned char header[68]; /* and what stands behind it */
    FILE *file = fopen(path, "rb");
    size_t got = file != NULL ? fread(header, 1, sizeof header, file) : 0;
    if (file != NULL)
        fclose(file);
    memcpy(numbers, header + 16, 8);
    memcpy(id, header + 24, 8);
    return got == sizeof header && memcmp(header, "\x89Pith\r\n\x1a", 8) == 0 && memcmp(header + 64, "PChK", 4) == 0;
}

static int headers_good(uint32_t files)
{
    uint32_t i, numbers[2];
    uint64_t first = 0, id;
    int good = 1;
    for (i = 0; good && i <= files; i++) {
        char path[32];
        snprintf(path, sizeof path, i > 0 ? "run.pith.%u" : "run.pith", i);
        good = header_of(path, numbers, &id) && numbers[0] == i && numbers[1] == files && (i == 0 || id == first);
        first = id;
    }
    return good && first != 0;
}

static int volumes_there(void)
{
    char path[32];
    int i, there = 0;
    for (i = 0; i < 40; i++) {
        snprintf(path, sizeof path, "run.pith.%d", i);
        there += access(path, F_OK) == 0;
    }
    return there;
}

static int parts_there(void)
{
    int count = 0;
    DIR *dir = opendir(".");
    struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        count += strstr(entry->d_name, ".part") != NULL;
    if (dir != NULL)
        closedir(dir);
    return count;
}

static void test_files(int size, int files)
{
    char text[8];
    int expected = files < size ? files : size;
    struct help_log log;
    help_fresh();
    snprintf(text, sizeof text, "%d", files);
    setenv("PITH_FILES", text, 1);
    OK(job_run(size, job) == 0 && volumes_there() == (expected > 1 ? expected : 0), "%d ranks, PITH_FILES=%d", size,
       files);
    OK(headers_good(expected > 1 ? (uint32_t)expected : 0), "headers of one log");
    OK(help_read(&log, "run.pith") && help_count(&log, PITHLOG_SEND, NULL) == (uint64_t)(size * ROUNDS) &&
           log.info->ranks == (uint32_t)size && log.info->complete,
       "it is read as one");
    OK(parts_there() == 0 && help_files(".", ".spill") == 0, "nothing else is left");
    help_close(&log);
}

static void failing_job(struct fork_job *which)
{
    which->fail_write = which->rank == 2;
    job(which);
}

/* A log in other files is replaced: those that the new one has not go, others' files stay. */
static void test_replaced(void)
{
    struct help_log log;
    help_fresh();
    setenv("PITH_FILES", "4", 1);
    OK(job_run(4, job) == 0 && volumes_there() == 4, "a log in 4 files beside its own");
    rename("run.pith.3", "another");
    usleep(20000);
    OK(job_run(4, job) == 0 && volumes_there() == 4, "is replaced by one in 4");
    rename("another", "run.pith.3"); /* of that number, but of another log */
    usleep(20000);
    setenv("PITH_FILES", "2", 1);
    OK(job_run(4, job) == 0 && headers_good(2) && help_read(&log, "run.pith"), "is replaced by one in 2");
    help_close(&log);
    OK(access("run.pith.4", F_OK) != 0 && access("run.pith.3", F_OK) == 0, "its own files go, a foreign one stays");
    unlink("run.pith.3");
    usleep(20000);
    unsetenv("PITH_FILES");
    OK(job_run(4, job) == 0 && volumes_there() == 0 && headers_good(0), "and by one in a single file");
}

/* A volume of that name that is younger than the job is another's: the log takes the next name, all of it. */
static void claiming_job(struct fork_job *which)
{
    if (which->rank == 0) {
        FILE *file;
        usleep(20000);
        pith_event(pith_event_define("recording has begun", NULL, NULL));
        usleep(20000);
        file = fopen("run.pith.2", "wb");
        fputs("mine", file);
        fclose(file);
    }
    job(which);
}

static void test_claimed(void)
{
    struct help_log log;
    help_fresh();
    setenv("PITH_FILES", "3", 1);
    OK(job_run(3, claiming_job) == 0 && help_read(&log, "run-2.pith"), "a name that is taken in part");
    OK(access("run.pith", F_OK) != 0 && volumes_there() == 1 && access("run-2.pith.3", F_OK) == 0,
       "is not used at all");
    help_close(&log);
}

static void test_failure(void)
{
    help_fresh();
    setenv("PITH_FILES", "3", 1);
    OK(job_run(4, failing_job) == 0 && volumes_there() == 0 && access("run.pith", F_OK) != 0,
       "a rank that cannot write");
    OK(help_files("run.pith.spill", ".spill") == 4, "leaves the spill files");
    OK(parts_there() == 0, "and no file half written");
}

/* Another format is one file. */
static void test_foreign(void)
{
    help_fresh();
    if (!help_can_convert()) {
        OK(1, "PITH_FORMAT=alog " HELP_NO_CONVERT);
        return;
    }
    setenv("PITH_FILES", "3", 1);
    setenv("PITH_FORMAT", "alog", 1);
    OK(job_run(3, job) == 0 && access("run.alog", F_OK) == 0 && volumes_there() == 0, "PITH_FORMAT=alog: one file");
    unsetenv("PITH_FORMAT");
    unsetenv("PITH_FILES");
}

int main(void)
{
    help_begin();
    test_plain();
    test_unit();
    test_min_duration();
    test_members(NULL);
    test_members("0-2");
    test_files(5, 3);
    test_files(16, 16);
    test_files(2, 9);
    test_files(1, 5);
    test_replaced();
    test_claimed();
    test_failure();
    test_foreign();
    help_clean();
    return tap_done();
}
