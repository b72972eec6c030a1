/* test_encode.c - a process's records encoded by 1 to 8 threads: the bytes are the same, and they are all there. */
#include "base/file_at.h"
#include "encode.h"
#include "process.h"
#include "record_help.h"
#include "spill/spill_emit.h"

/* A leak checker looks for threads and in /proc as a process ends, where these processes have neither. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }

enum { THREADS = 5, PAIRS = 150000 };

static uint32_t outer, inner, event;

static void *record_thread(void *context)
{
    int i, pairs = PAIRS / (1 + (int)(intptr_t)context); /* lanes of different lengths */
    char name[32];
    snprintf(name, sizeof name, "thread %d", (int)(intptr_t)context);
    pith_thread_name(name);
    for (i = 0; i < pairs; i++) {
        pith_begin(outer);
        if (i % 16 == 0)
            pith_event_data(event, &i, sizeof i);
        pith_begin(inner);
        pith_end(inner);
        pith_end(outer);
    }
    return NULL;
}

static void record(void)
{
    pthread_t threads[THREADS];
    intptr_t i;
    outer = pith_state_define("outer", "red");
    inner = pith_state_define("inner", "green");
    event = pith_event_define("event", NULL, "i=%d");
    record_thread(NULL);
    for (i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, record_thread, (void *)(i + 1)) != 0)
            _exit(1);
    for (i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    _exit(0);
}

static const char *spill_path(void)
{
    static char path[512];
    struct dirent *entry;
    DIR *dir = opendir("run.pith.spill");
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            snprintf(path, sizeof path, "run.pith.spill/%s", entry->d_name);
    if (dir != NULL)
        closedir(dir);
    return path;
}

struct bytes {
    unsigned char *data;
    size_t size;
};

static int put(void *context, uint64_t offset, const void *data, size_t size)
{
    struct bytes *all = context;
    if (offset != all->size)
        return -1;
    all->data = realloc(all->data, all->size + size);
    memcpy(all->data + all->size, data, size);
    all->size += size;
    return 0;
}

/* 1: done as asked, with `all` the segment's bytes and `left_out` of its states gone. */
static int encode(unsigned threads, int64_t least_ns, struct bytes *all, uint64_t *left_out,
                  struct pithi_totals *totals)
{
    struct pithi_rank rank = {.rank = 3, .host = "host", .pid = 77};
    struct pithi_encode encode;
    struct pithi_spill spill;
    struct pithi_defs *defs;
    struct pithi_encode_job job = {&spill, NULL, 3, 0, {1, least_ns}, threads};
    int good;
    *all = (struct bytes){NULL, 0};
    if (pithi_defs_new(&defs) != PITH_OK || pithi_spill_open(&spill, spill_path()) != PITH_OK ||
        pithi_spill_fit(&spill, NULL) != PITH_OK || pithi_encode_open(&encode, &rank, ".") != PITH_OK)
        return 0;
    job.defs = defs;
    good = pithi_encode_records(&encode, &job) == PITH_OK && pithi_segment_finish(encode.segment) == PITH_OK &&
           pithi_segment_index(encode.segment, 4096, defs) == PITH_OK && pithi_encode_write(&encode, put, all) == 0;
    pithi_segment_totals(encode.segment, totals);
    *left_out = encode.states_left_out;
    pithi_encode_close(&encode);
    pithi_spill_close(&spill);
    pithi_defs_free(defs);
    return good;
}

static uint64_t pairs_in_all(void)
{
    uint64_t pairs = PAIRS;
    int i;
    for (i = 0; i < THREADS; i++)
        pairs += PAIRS / (unsigned)(2 + i);
    return pairs;
}

static void test_threads(int64_t least_ns)
{
    static const unsigned threads[] = {2, 3, 8};
    struct bytes alone, shared;
    struct pithi_totals totals, others;
    uint64_t left_out, left_out_too;
    size_t i;
    OK(encode(1, least_ns, &alone, &left_out, &totals), "one thread, states from %d ns on", (int)least_ns);
    OK(totals.lanes == THREADS + 1 && totals.states + left_out == 2 * pairs_in_all(), "has all of them");
    for (i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        OK(encode(threads[i], least_ns, &shared, &left_out_too, &others), "%u threads", threads[i]);
        OK(shared.size == alone.size && memcmp(shared.data, alone.data, alone.size) == 0 && left_out_too == left_out &&
               memcmp(&others, &totals, sizeof totals) == 0,
           "give the same %zu bytes", alone.size);
        free(shared.data);
    }
    free(alone.data);
}

/* Bytes of files that are mapped and present. */
static long mapped_bytes(void)
{
    long pages = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*s %ld %ld", &pages, &shared) != 2)
        exit(1);
    fclose(file);
    return shared * sysconf(_SC_PAGESIZE);
}

static long most_mapped;

static int watch(void *context, const struct pithlog_record *record)
{
    uint64_t *count = context;
    (void)record;
    if (++*count % 4096 == 0) {
        long now = mapped_bytes();
        most_mapped = now > most_mapped ? now : most_mapped;
    }
    return PITH_OK;
}

/* The file is read through a mapping, but never much of it is there: it may be larger than the memory. */
static void test_memory(void)
{
    uint64_t count = 0;
    struct pithi_spill spill;
    struct pithi_spill_ids ids;
    struct pithi_spill_counts counts = {0, 0, 0, 0};
    struct pithi_defs *defs;
    struct pithi_spill_target target = {.context = &count, .add = watch};
    long before = mapped_bytes();
    uint32_t i;
    int good = pithi_defs_new(&defs) == PITH_OK && pithi_spill_open(&spill, spill_path()) == PITH_OK &&
               pithi_spill_fit(&spill, NULL) == PITH_OK;
    target.defs = defs;
    good = good && pithi_spill_ids_make(&spill, &target, &ids) == PITH_OK;
    for (i = 0; good && i < spill.lane_count; i++)
        good = pithi_spill_emit_lane(&spill, &target, &ids, i, 0, &counts, NULL) == PITH_OK;
    OK(good && count == counts.records && most_mapped > before && most_mapped - before < (long)spill.size / 2,
       "of %ld bytes at most %ld are there at once", (long)spill.size, most_mapped - before);
    pithi_spill_ids_free(&ids);
    pithi_spill_close(&spill);
    pithi_defs_free(defs);
}

/* No thread can be made: the caller does it all. */
static void limited(void)
{
    struct rlimit none = {0, 0};
    struct bytes all;
    struct pithi_totals totals;
    uint64_t left_out;
    setrlimit(RLIMIT_NPROC, &none);
    if (geteuid() == 0 && seteuid(65534) != 0) /* root has no such limit */
        exit(2);
    exit(encode(8, 0, &all, &left_out, &totals) && totals.states == 2 * pairs_in_all() ? 0 : 1);
}

/* A file for encoded bytes takes no standard descriptor, even one that the program has closed, and has no name. */
static void test_file(void)
{
    char text[4] = "";
    int kept = dup(0), fd;
    close(0);
    fd = pithi_descriptor_temporary(".");
    OK(fd > 2 && fcntl(0, F_GETFD) < 0, "a temporary file is not the closed standard input");
    OK(pithi_write_at(fd, "abc", 3, 1 << 20) == 3 && pithi_read_at(fd, text, 4, 1 << 20) == 3 && errno == 0 &&
           strcmp(text, "abc") == 0 && fcntl(fd, F_GETFD) & FD_CLOEXEC,
       "it can be written and read, and is closed by exec");
    close(fd);
    OK(pithi_descriptor_temporary("no/such") < 0 && errno == ENOENT, "none in a folder that is not there");
    dup2(kept, 0);
    close(kept);
}

int main(void)
{
    help_begin();
    test_file();
    OK(help_child(record) == 0, "a process with %d threads recorded, and was killed", THREADS + 1);
    test_memory();
    test_threads(0);
    test_threads(200);
    chmod(".", 0777);
    chmod("run.pith.spill", 0777);
    chmod(spill_path(), 0666);
    OK(help_child(limited) == 0, "where no thread can be made it is done without");
    help_clean();
    return tap_done();
}
