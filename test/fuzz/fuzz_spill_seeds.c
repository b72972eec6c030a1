/* fuzz_spill_seeds.c - the spill files that fuzzing begins with, into the folder named, in the form that fuzz_spill.c
 * reads: made by recording programs, without the pages and words that are 0. */
#include <stddef.h>

#include "unit/record_help.h"

enum { SAME_JOB = 1, RUNNING = 2 };
static FILE *seed;

static void put_piece(const void *data, size_t size, unsigned flag)
{
    while (size > 0 && ((const unsigned char *)data)[size - 1] == 0)
        size--;
    if (size > 600) /* the records after that are like those before */
        size = 600;
    fputc((int)(size & 255), seed);
    fputc((int)(size >> 8 | flag), seed);
    fwrite(data, 1, size, seed);
}

/* How the process page is changed: its process runs, or is one of two in a job. */
static void put_page(const unsigned char *data, int rank, int flags)
{
    struct pithi_spill_page page;
    unsigned char piece[sizeof page];
    size_t numbers = offsetof(struct pithi_spill_page, host) - 8, first = offsetof(struct pithi_spill_page, first);
    memcpy(&page, data, sizeof page);
    page.pid = (page.pid & ~1u) | (flags & RUNNING ? 1u : 0);
    if (flags & SAME_JOB) {
        page.job = 5;
        page.rank = rank;
        page.size = 2;
    }
    memcpy(piece, (char *)&page + 8, numbers);
    memcpy(piece + numbers, (char *)&page + first, sizeof page - first);
    put_piece(piece, numbers + sizeof page - first, 0x80);
}

static void put_file(const char *path, int rank, int flags)
{
    FILE *in = fopen(path, "rb");
    static union {
        unsigned char bytes[1 << 24];
        uint64_t aligned;
    } data;
    size_t size = in ? fread(data.bytes, 1, sizeof data, in) : 0;
    if (in)
        fclose(in);
    if (size < PITHI_SPILL_PAGE)
        exit(1);
    put_page(data.bytes, rank, flags);
    for (size_t at = PITHI_SPILL_PAGE; at + PITHI_SPILL_PAGE <= size;) {
        struct pithi_chunk header;
        memcpy(&header, data.bytes + at, sizeof header);
        if (header.magic != PITHI_CHUNK_MAGIC) {
            at += PITHI_SPILL_PAGE;
            continue;
        }
        memset(data.bytes + at + offsetof(struct pithi_chunk, size_bytes), 0, 8); /* its size goes with the piece */
        put_piece(data.bytes + at, (size_t)header.size_bytes, 0);
        at += (size_t)header.size_bytes;
    }
}

/* ---- What is recorded -------------------------------------------------------------------------------------------- */

static void record_some(int rounds)
{
    uint32_t work = pith_state_define("work", "red"), step = pith_event_define("step", "blue", "i=%d s=%s");
    uint32_t heap = pith_counter_define("heap", "bytes");
    static const int32_t members[] = {0, 1};
    uint32_t comm = pith_comm_define(&(struct pith_comm){7, "pair", 0, 2, members, 0, NULL});
    pith_thread_name("main");
    for (int i = 0; i < rounds; i++) {
        pith_begin(work);
        pith_event_data(step, "\0\0\0\1\0\2ab", 8);
        pith_count(heap, i / 3.0);
        pith_comm_send(comm, 1, i, 100);
        pith_comm_recv(0, 0, i, 100, pith_recv_post());
        pith_comm_coll(comm, 0, 8, 16);
        pith_end(work);
    }
    pith_pause();
    pith_resume();
    pith_comm_free(comm);
}

static void *record_events(void *name)
{
    uint32_t step = pith_event_define("step", "blue", "i=%d s=%s");
    pith_thread_name(name);
    for (int i = 0; i < 20; i++)
        pith_event(step);
    return NULL;
}

static void few(void)
{
    record_some(3);
    _exit(0);
}

static void threads(void)
{
    pthread_t thread[2];
    record_some(2);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, record_events, i ? "second" : "first");
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    _exit(0);
}

static void many(void)
{
    record_some(20000);
    _exit(0);
}

static void ring(void)
{
    setenv("PITH_WHEN_FULL", "ring", 1);
    setenv("PITH_MAX_MB", "1", 1);
    many();
}

/* ---- Seeds ------------------------------------------------------------------------------------------------------- */

/* The file that the scenario leaves, after those that the seed has. */
static void put(void (*scenario)(void), int rank, int flags)
{
    char path[600] = "";
    struct dirent *entry;
    help_fresh();
    help_child(scenario);
    DIR *dir = opendir("run.pith.spill");
    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            snprintf(path, sizeof path, "run.pith.spill/%s", entry->d_name);
    if (dir)
        closedir(dir);
    put_file(path, rank, flags);
}

static void begin(const char *folder, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (seed)
        fclose(seed);
    if (!(seed = fopen(path, "wb")))
        exit(1);
}

int main(int argc, char **argv)
{
    char *folder = argc == 2 ? realpath(argv[1], NULL) : NULL;
    if (!folder)
        return 2;
    help_begin();
    begin(folder, "few");
    put(few, 0, 0);
    begin(folder, "running");
    put(few, 0, RUNNING);
    begin(folder, "threads");
    put(threads, 0, 0);
    begin(folder, "many");
    put(many, 0, 0);
    begin(folder, "ring");
    put(ring, 0, 0);
    begin(folder, "job");
    put(few, 0, SAME_JOB);
    put(threads, 1, SAME_JOB);
    fclose(seed);
    free(folder);
    help_clean();
    return 0;
}
