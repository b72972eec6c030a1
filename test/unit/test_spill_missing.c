/* test_spill_missing.c - spill files that were cut or overwritten after the process had stored them: each loss is told,
 * with a bound that holds and a span of time that holds the records; and of a whole file nothing is told. */
#include "record_help.h"

#include <sys/mman.h>

#include "reader/read/check.h"
#include "spill/spill_missing.h"

enum { THREADS = 2, ROUNDS = 60000, KILLED = 20 };

/* ---- What a process leaves --------------------------------------------------------------------------------------- */

static void record(uint32_t rounds)
{
    uint32_t work = pith_state_define("work", "red"), step = pith_event_define("step", NULL, "i=%d");
    for (uint32_t i = 0; i < rounds; i++) {
        pith_begin(work);
        if (i % 3 == 0)
            pith_event_data(step, &i, sizeof i);
        pith_end(work);
    }
}

static void *record_thread(void *nothing)
{
    record(ROUNDS);
    return nothing;
}

static void record_many(void)
{
    pthread_t thread;
    record(ROUNDS);
    pthread_create(&thread, NULL, record_thread, NULL);
    pthread_join(thread, NULL);
    _exit(0);
}

static void record_few(void)
{
    record(1000);
    _exit(0);
}

static void record_ring(void)
{
    setenv("PITH_WHEN_FULL", "ring", 1);
    setenv("PITH_MAX_MB", "1", 1);
    record(ROUNDS * 5);
    _exit(0);
}

static void record_forking(void)
{
    record(1000);
    pid_t child = fork();
    record(child == 0 ? ROUNDS : 2000);
    if (child > 0)
        waitpid(child, NULL, 0);
    _exit(0);
}

/* ---- What is told of it ------------------------------------------------------------------------------------------ */

static struct {
    uint64_t lines, most; /* at most so many records, all lines added up */
    double from_s, to_s;  /* the first span that was told */
    char text[4096];
} told;

static void listen(void *context, const char *text)
{
    const char *most = strstr(text, "at most "), *between = strstr(text, "between "), *after = strstr(text, "after ");
    (void)context;
    told.lines++;
    printf("# %s\n", text);
    snprintf(told.text + strlen(told.text), sizeof told.text - strlen(told.text), "%s\n", text);
    if (most != NULL)
        told.most += strtoull(most + 8, NULL, 10);
    if (between != NULL && told.to_s == 0)
        sscanf(between, "between %lf and %lf", &told.from_s, &told.to_s);
    else if (after != NULL && told.to_s == 0) {
        sscanf(after, "after %lf", &told.from_s);
        told.to_s = 1e9;
    }
}

/* The records that are left; -1: the folder cannot be opened. */
static int64_t check(void)
{
    uint64_t records = 0;
    memset(&told, 0, sizeof told);
    return pithi_check("run.pith.spill", listen, NULL, &records) < 0 ? -1 : (int64_t)records;
}

static char path[600];

static void find_file(void)
{
    DIR *dir = opendir("run.pith.spill");
    struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            snprintf(path, sizeof path, "run.pith.spill/%s", entry->d_name);
    if (dir != NULL)
        closedir(dir);
}

static uint64_t whole; /* records of the undamaged file */

static void leave(void (*scenario)(void))
{
    help_fresh();
    help_child(scenario);
    find_file();
    whole = (uint64_t)check();
}

/* Gives chunk `seq` of a lane: where it is and how long; 0: it is not there. */
static int find_chunk(uint32_t lane, uint32_t seq, struct pithi_spill_chunk *chunk)
{
    struct pithi_spill spill;
    int good = 0;
    if (pithi_spill_open(&spill, path) != PITH_OK)
        return 0;
    for (uint32_t i = 0; i < spill.chunk_count && !good; i++)
        if (spill.chunks[i].lane == lane && spill.chunks[i].seq == seq) {
            *chunk = spill.chunks[i];
            good = 1;
        }
    pithi_spill_close(&spill);
    return good;
}

static void overwrite(uint64_t offset, uint64_t size, int with)
{
    char bytes[4096];
    int fd = open(path, O_WRONLY);
    memset(bytes, with, sizeof bytes);
    while (size > 0) {
        size_t part = size < sizeof bytes ? (size_t)size : sizeof bytes;
        if (pwrite(fd, bytes, part, (off_t)offset) != (ssize_t)part)
            exit(1);
        offset += part;
        size -= part;
    }
    close(fd);
}

/* Of what is missing enough is told, and that it is told of rank 0. */
static int accounted(const char *words)
{
    int64_t left = check();
    printf("# %lld of %llu left, at most %llu missing\n", (long long)left, (unsigned long long)whole,
           (unsigned long long)told.most);
    return left >= 0 && told.lines > 0 && (uint64_t)left + told.most >= whole && strstr(told.text, "rank 0") != NULL &&
           strstr(told.text, words) != NULL;
}

/* ---- Damages ----------------------------------------------------------------------------------------------------- */

static void test_whole(void)
{
    leave(record_few);
    OK(whole == 2334 && told.lines == 0, "of a small file that is whole nothing is told");
    leave(record_many);
    OK(whole == THREADS * (2 * ROUNDS + ROUNDS / 3) && told.lines == 0, "nor of one with many chunks of two threads");
    leave(record_ring);
    OK(whole > 10000 && told.lines == 0, "nor of a flight recorder");
    leave(record_forking);
    OK(help_files("run.pith.spill", ".spill") == 2 && told.lines == 0, "nor of a process that forked");
}

static void test_cut(void)
{
    struct pithi_spill_chunk chunk;
    leave(record_few);
    OK(truncate(path, 8192) == 0 && accounted("missing"), "cut to 8192 bytes: at most so many records are missing");
    OK(told.most < 40000, "the bound is not more than a chunk holds");
    leave(record_few);
    OK(truncate(path, 4096) == 0 && accounted("definitions are missing"), "cut to the first page");
    leave(record_few);
    OK(truncate(path, 100) == 0 && check() == -1 && strstr(pithlog_error(), "run.pith.spill") != NULL,
       "cut within the page: an error");
    leave(record_many);
    OK(find_chunk(0, 3, &chunk) && truncate(path, (off_t)(chunk.offset + chunk.size / 2)) == 0 &&
           accounted("the file is cut"),
       "cut in the middle of a chunk of many");
    OK(told.most > whole / 4 && told.most < 2 * whole, "the bound is near");
    leave(record_ring);
    OK(find_chunk(PITHI_SPILL_DEFS, 0, &chunk) && truncate(path, (off_t)(chunk.offset + 400000)) == 0 &&
           accounted("the file is cut"),
       "a flight recorder's file cut in the middle");
}

static void test_missing(void)
{
    struct pithi_spill_chunk chunk, next;
    struct help_log log;
    uint64_t in_span = 0, most;
    double from_s, to_s;
    leave(record_many);
    OK(find_chunk(0, 2, &chunk) && find_chunk(0, 3, &next) && help_recover(&log, "run.pith.spill"),
       "a file with many chunks");
    overwrite(chunk.offset, chunk.size, 0);
    OK(accounted("thread 0: 1 chunk is missing"), "a chunk in the middle that is all zeros");
    most = told.most;
    from_s = told.from_s;
    to_s = told.to_s;
    for (size_t i = 0; i < log.count; i++)
        in_span += log.records[i].lane == 0 && (double)log.records[i].time_ns / 1e9 >= from_s - 1e-9 &&
                   (double)log.records[i].time_ns / 1e9 <= to_s + 1e-9;
    printf("# %llu records in the span\n", (unsigned long long)in_span);
    OK(in_span >= whole - (uint64_t)check() && in_span <= most + 2, "the span of time holds them and no more");
    help_close(&log);
    leave(record_many);
    find_chunk(0, 2, &chunk);
    overwrite(chunk.offset + 4096, 1, 7);
    OK(accounted("a chunk is damaged"), "a byte of a chunk that its thread has left");
    leave(record_many);
    find_chunk(1, 0, &chunk);
    overwrite(chunk.offset + chunk.size / 2, chunk.size / 2, 0);
    OK(accounted("a chunk is cut"), "the second half of a chunk that is zeros");
    leave(record_many);
    for (uint32_t seq = 0; find_chunk(1, seq, &chunk); seq++)
        next = chunk;
    overwrite(next.offset, 64, 0x55);
    OK(accounted("1 chunk is missing"), "the newest chunk of a thread whose header is overwritten");
    leave(record_many);
    find_chunk(PITHI_SPILL_DEFS, 0, &chunk);
    overwrite(chunk.offset + sizeof(struct pithi_chunk) + sizeof(struct pithi_spill_def) + 1, 1, 'X');
    OK(check() >= 0 && strstr(told.text, "definition is damaged") != NULL, "a byte of a definition");
    leave(record_ring);
    for (uint32_t seq = 0; seq < 1000 && !find_chunk(0, seq, &chunk); seq++)
        ;
    find_chunk(0, chunk.seq + 3, &chunk);
    overwrite(chunk.offset, chunk.size, 0);
    OK(accounted("1 chunk is missing"), "a chunk of a flight recorder");
}

/* ---- No false alarm ---------------------------------------------------------------------------------------------- */

/* Rounds that the program may record, and has recorded. Without a limit the log grows while it is checked: where the
 * program records faster than the check reads, up to PITH_MAX_MB each time. */
static struct progress {
    uint32_t granted, recorded;
} * progress;
enum { STEP = 1000, GRANT = 300 * STEP }; /* 700,000 records, 8 MB */

static uint32_t recorded(void) { return __atomic_load_n(&progress->recorded, __ATOMIC_ACQUIRE); }
static void grant(void) { __atomic_store_n(&progress->granted, recorded() + GRANT, __ATOMIC_RELEASE); }

static void record_as_granted(void)
{
    for (;;)
        if (recorded() < __atomic_load_n(&progress->granted, __ATOMIC_ACQUIRE)) {
            record(STEP);
            __atomic_fetch_add(&progress->recorded, STEP, __ATOMIC_RELEASE);
        } else
            usleep(200);
}

/* Killed at any moment, every other one after its file is there, and looked at before: nothing is missing. It records
 * when the look begins, and goes on after it; one whose file is there is killed meanwhile. */
static void test_kills(int ring)
{
    uint64_t quiet = 0, quiet_running = 0, with_records = 0, killed_recording = 0;
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (ring) {
        setenv("PITH_WHEN_FULL", "ring", 1);
        setenv("PITH_MAX_MB", "1", 1);
    }
    for (unsigned i = 0; i < KILLED; i++) {
        int status, waits = i % 2;
        help_fresh();
        *progress = (struct progress){GRANT, 0};
        pid_t pid = fork();
        if (pid == 0)
            record_as_granted();
        for (int tries = 0; waits && help_files("run.pith.spill", ".spill") == 0 && tries < 5000; tries++)
            usleep(1000);
        usleep(3000 + 997 * i);
        grant();
        check();
        quiet_running += told.lines == 0;
        uint32_t before = recorded();
        grant();
        for (int tries = 0; waits && recorded() == before && tries < 5000; tries++)
            usleep(1000);
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        killed_recording += waits && recorded() < progress->granted;
        with_records += check() > 0;
        quiet += told.lines == 0;
    }
    OK(with_records >= KILLED / 2, "half of the kills leave records, at least");
    OK(killed_recording >= KILLED / 4, "%llu of %u kills come while records are stored",
       (unsigned long long)killed_recording, KILLED / 2);
    OK(quiet == KILLED, "%d kills%s: nothing is said to be missing", KILLED, ring ? " of a flight recorder" : "");
    OK(quiet_running == KILLED, "nor while it ran");
    munmap(progress, sizeof *progress);
    unsetenv("PITH_WHEN_FULL");
    unsetenv("PITH_MAX_MB");
}

/* A process extends its file after a reader has mapped it, and before the reader has read the page. */
static void test_grown(void)
{
    struct pithi_spill spill;
    uint64_t grown[2] = {0, 0};
    leave(record_many);
    if (pithi_spill_open_still(&spill, path) != PITH_OK || pithi_spill_fit(&spill, NULL) != PITH_OK)
        exit(1);
    spill.page.end_bytes = spill.size + 4096;
    for (int i = 0; i < 2; i++) {
        struct pithi_spill_missing missing = {.say = NULL};
        if (i == 1 && truncate(path, (off_t)spill.page.end_bytes) != 0)
            exit(1);
        pithi_spill_missing(&spill, PITHI_MISSING_LIVE, &missing);
        grown[i] = missing.places;
    }
    pithi_spill_close(&spill);
    OK(grown[0] == 1 && grown[1] == 0, "a file is cut only if it is too short now");
}

int main(void)
{
    help_begin();
    test_whole();
    test_cut();
    test_missing();
    test_grown();
    test_kills(0);
    test_kills(1);
    help_clean();
    return tap_done();
}
