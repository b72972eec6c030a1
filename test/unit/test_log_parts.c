/* test_log_parts.c - large logs are read in parts, when they are asked for: by many threads at once, with damage that
 * is seen only where one looks, from several files, while the file is cut, and with tables that lie about their size.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"
#include "base/bytes.h"
#include "base/zip.h"
#include "native/chunk.h"
#include "native/log.h"
#include "reader/read/cache.h"
#include "reader/read/check.h"
#include "reader/read/native.h"
#include "common/log_model.h"
#include "segment_log.h"
#include "tap.h"

static char path[256];

static struct pithlog *open_log(void)
{
    struct pithlog *log = NULL;
    if (pithlog_open(path, &log) != PITH_OK)
        printf("# %s\n", pithlog_error());
    return log;
}

static void write_log(struct segment_log log)
{
    log.path = path;
    if (segment_log_write(&log) != PITH_OK)
        exit(1);
}

/* Changes bytes of the file `name`. */
static void patch(const char *name, uint64_t at, const void *bytes, size_t size)
{
    FILE *f = fopen(name, "r+b");
    if (!f || fseek(f, (long)at, SEEK_SET) != 0 || fwrite(bytes, 1, size, f) != size || fclose(f) != 0)
        exit(1);
}

struct seen {
    uint64_t records, wrong, errors;
    char error[512]; /* the last */
};

/* Reads a lane and compares with what was written; records may be missing from where an error is told. */
static struct seen read_lane(struct pithlog *log, uint32_t lane, uint32_t threads)
{
    struct pithlog_query query = {INT64_MIN, INT64_MAX, &lane, 1, 0, 0, NULL};
    struct pithlog_iter *iter;
    struct pithlog_record r;
    struct seen s = {0};
    uint64_t i = 0;
    int status;
    pithlog_iter_open(log, &query, &iter);
    while ((status = pithlog_iter_next(iter, &r)) != 0 && s.errors < 100) {
        if (status < 0) {
            s.errors++;
            snprintf(s.error, sizeof s.error, "%s", pithlog_error());
            continue;
        }
        i = s.errors ? (uint64_t)r.time_ns / 100 : i;
        struct pithlog_record w = segment_record(lane / threads, lane % threads, i++);
        s.wrong += r.time_ns != w.time_ns || r.kind != w.kind || r.bytes != w.bytes || r.peer != w.peer ||
                   r.lane != lane || (w.comm && pithlog_get_comm(log, r.comm)->key != 500);
        s.records++;
    }
    pithlog_iter_close(iter);
    return s;
}

static struct seen read_all(struct pithlog *log, uint32_t threads)
{
    struct seen all = {0};
    for (uint32_t lane = 0; pithlog_get_lane(log, lane); lane++) {
        struct seen s = read_lane(log, lane, threads);
        all.records += s.records;
        all.wrong += s.wrong;
        all.errors += s.errors;
        if (s.errors)
            snprintf(all.error, sizeof all.error, "%s", s.error);
    }
    return all;
}

static uint32_t loaded(const struct pithlog *log)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->rank_count; i++)
        count += log->ranks[i].part != NULL;
    return count;
}

static long resident_kb(void)
{
    long pages = 0, ignored;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &ignored, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* ---- Many ranks -------------------------------------------------------------------------------------------------- */

static void test_many_ranks(void)
{
    enum { RANKS = 100000 };
    write_log((struct segment_log){.ranks = RANKS, .threads = 1, .records = 4});
    long before = resident_kb();
    struct pithlog *log = open_log();
    long grown = resident_kb() - before;
    const struct pithlog_info *info = pithlog_get_info(log);
    OK(info->complete && info->ranks == RANKS && info->lanes == RANKS && info->records == 4 * RANKS && info->comms == 2,
       "%d ranks open", RANKS);
    OK(loaded(log) == 0 && grown < 40000, "by the front alone, in %ld KB", grown);
    const struct pithlog_lane *lane = pithlog_get_lane(log, 77777);
    OK(lane->rank == 77777 && strcmp(lane->host, "host1555") == 0 && lane->records == 4 && loaded(log) == 1,
       "a lane that is asked for is loaded, and no other");
    struct seen s = read_lane(log, 99999, 1);
    OK(s.records == 4 && s.wrong == 0 && s.errors == 0 && loaded(log) == 2, "and so is one that is read");
    const struct pithlog_comm *world = pithlog_get_comm(log, 0), *all = pithlog_get_comm(log, 1);
    OK(world->size == RANKS && world->world_ranks[RANKS - 1] == RANKS - 1, "the world is all of them");
    OK(all->size == 2 && all->world_ranks[1] == 1 && strcmp(all->name, "all") == 0 && loaded(log) == 2,
       "the members of a communicator are found in the rank that tells them");
    pithlog_close(log);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

enum { READERS = 6, ROUNDS = 10 };

static void *reader(void *context)
{
    struct pithlog *log = context;
    uint64_t *sum = calloc(1, sizeof *sum);
    struct seen s = read_all(log, 2);
    *sum = s.wrong || s.errors ? 0 : s.records + (uint64_t)pithlog_get_comm(log, 1)->size;
    return sum;
}

static void test_threads(void)
{
    uint32_t good = 0;
    write_log((struct segment_log){.ranks = 40, .threads = 2, .records = 300});
    for (int round = 0; round < ROUNDS; round++) {
        struct pithlog *log = open_log();
        pthread_t threads[READERS];
        for (int i = 0; i < READERS; i++)
            pthread_create(&threads[i], NULL, reader, log);
        for (int i = 0; i < READERS; i++) {
            void *sum;
            pthread_join(threads[i], &sum);
            good += *(uint64_t *)sum == 40 * 2 * 300 + 2;
            free(sum);
        }
        pithlog_close(log);
    }
    OK(good == READERS * ROUNDS, "%d threads read a fresh log at once, %d times", READERS, ROUNDS);
}

/* ---- Damage ------------------------------------------------------------------------------------------------------ */

static void ignore(void *context, const char *text)
{
    (void)context;
    (void)text;
}

static void test_damaged_index(void)
{
    static const char junk[] = "junk that was never written here";
    write_log((struct segment_log){.ranks = 9, .threads = 2, .records = 20000});
    struct pithlog *log = open_log();
    const struct pithi_log_lane *lane;
    struct pithi_log_window window = {0};
    struct pithi_log_block block;
    uint64_t index = pithi_log_rank(log, 5)->index, *metas;
    uint32_t meta_count;
    pithi_part_metas(log, pithi_log_rank(log, 8), &metas, &meta_count);
    free(metas);
    /* where the index of rank 8 counts the records of its first lane, behind two communicators */
    uint64_t records = pithi_log_rank(log, 8)->index + PITHI_CHUNK_HEAD + PITHI_INDEX_HEAD + 8 * meta_count + 8 + 24;
    pithi_log_lane(log, 6, &lane); /* thread 0 of rank 3 */
    uint64_t entry = lane->list + PITHI_INDEX_BLOCK;
    pithlog_close(log);

    patch(path, index + 40, junk, sizeof junk);
    patch(path, records, junk, 4);
    log = open_log();
    OK(pithlog_get_info(log)->complete && log->damages == 0, "a log with one damaged index opens, and nobody minds");
    struct seen s = read_lane(log, 2, 2);
    OK(s.records == 20000 && !s.wrong && !s.errors && log->damages == 0, "lanes of other ranks are read");
    s = read_lane(log, 11, 2);
    OK(s.records == 20000 && !s.wrong && !s.errors && log->damages == 1, "that rank is made again of its blocks");
    OK(strcmp(pithlog_get_lane(log, 11)->name, "worker 5.1") == 0, "with the names of its lanes");
    OK(pithlog_get_lane(log, 16)->records == 20000 && log->damages == 2, "so is one whose index tells wrong numbers");
    pithi_log_lane(log, 10, &lane);
    pithi_log_block(log, lane, 0, &window, &block);
    pithlog_close(log);
    OK(pithi_check(path, ignore, NULL, NULL) > 0, "check minds");

    patch(path, block.offset + 200, junk, sizeof junk);
    log = open_log();
    s = read_lane(log, 10, 2);
    OK(s.records == 20000 - block.count && !s.wrong && s.errors == 1 && strstr(s.error, "rank 5 is damaged"),
       "a block gone with the index is told: %s", s.error);
    pithlog_close(log);

    patch(path, entry + 28, junk, 4); /* the mask of kinds */
    log = open_log();
    s = read_lane(log, 6, 2);
    OK(s.records > 0 && s.records < 20000 && !s.wrong && s.errors == 1 && strstr(s.error, "index of rank 3"),
       "so is a block whose entry is damaged: %s", s.error);
    pithlog_close(log);

    struct pithi_writer *w;
    uint64_t damages;
    int fd = pithi_temporary_file();
    OK(pithi_writer_open(&w, "recovered", fd) == 0 && pithi_native_recover(path, w, &damages) == 0 && damages > 0 &&
           pithi_writer_finish(w) == 0,
       "recover takes the rest");
    pithi_writer_close(w);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    log = open_log();
    OK(log && pithlog_get_info(log)->records == 9 * 2 * 20000 - block.count + 1 && pithlog_get_info(log)->lost == 1,
       "which is all but one block, and a mark in its place");
    pithlog_close(log);
    close(fd);
    snprintf(path, sizeof path, "%s", scratch_path("parts.pith"));
}

/* An entry of a list of blocks is damaged, nothing else: the block is found again where it stands. */
static void test_damaged_entry(void)
{
    struct pithi_writer *w;
    uint64_t damages = 0, records = 0;
    const struct pithi_log_lane *lane;
    char whole[300];
    snprintf(whole, sizeof whole, "%s.whole", path);
    write_log((struct segment_log){.ranks = 3, .threads = 1, .records = 40000});
    struct pithlog *log = open_log();
    pithi_log_lane(log, 1, &lane);
    uint64_t entry = lane->list + PITHI_INDEX_BLOCK;
    pithlog_close(log);
    patch(path, entry + 8, "damage", 6);
    OK(pithi_check(path, ignore, NULL, NULL) > 0, "check finds a damaged entry of the index");
    OK(pithi_writer_open(&w, whole, -1) == 0 && pithi_native_recover(path, w, &damages) == 0 &&
           pithi_writer_finish(w) == 0 && pithi_check(whole, ignore, NULL, &records) == 0 && records == 3 * 40000,
       "recover loses nothing by it");
    pithi_writer_close(w);
}

/* ---- Several files ----------------------------------------------------------------------------------------------- */

static uint64_t file_size(const char *name)
{
    struct stat st;
    return stat(name, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* A byte between the samples of a file changes its time only. */
static void test_keys_of_volumes(struct pithlog *log, const char *volume)
{
    const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
    struct pithi_cache_key before, same, after;
    OK(pithi_cache_key(log, &before) && pithi_cache_key(log, &same) && memcmp(&before, &same, sizeof before) == 0,
       "what is kept of a log in three files is found");
    OK(utimensat(AT_FDCWD, volume, times, 0) == 0 && pithi_cache_key(log, &after) &&
           memcmp(&before, &after, sizeof before) != 0,
       "but not once any of them was changed");
}

static void test_volumes(void)
{
    char first[300], second[300], spare[300];
    struct pithlog *log;
    snprintf(first, sizeof first, "%s.1", path);
    snprintf(second, sizeof second, "%s.2", path);
    snprintf(spare, sizeof spare, "%s.spare", path);
    write_log((struct segment_log){.ranks = 7, .threads = 2, .records = 3000, .volumes = 2, .id = 42});
    log = open_log();
    struct seen s = read_all(log, 2);
    OK(s.records == 7 * 2 * 3000 && !s.wrong && !s.errors, "a log in three files");
    OK(pithlog_get_info(log)->bytes == file_size(path) + file_size(first) + file_size(second), "all bytes are counted");
    OK(pithlog_get_comm(log, 1)->size == 2, "members are found in a volume");
    test_keys_of_volumes(log, second);
    pithlog_close(log);
    uint64_t records = 0;
    OK(pithi_check(path, ignore, NULL, &records) == 0 && records == 7 * 2 * 3000, "check reads all three");
    FILE *one = fopen(spare, "w+b");
    OK(pithlog_open(path, &log) == 0 && pithi_native_write(log, one, NULL) == 0 && fclose(one) == 0 &&
           pithi_check(spare, ignore, NULL, &records) == 0 && records == 7 * 2 * 3000,
       "written again it is one file");
    pithlog_close(log);
    OK(pithlog_open(second, &log) == PITH_ERR_OPEN && strstr(pithlog_error(), "part 2 of a log; open "), "%s",
       pithlog_error());

    char footer[32] = {0};
    patch(path, file_size(path) - 64, footer, sizeof footer);
    log = open_log();
    s = read_all(log, 2);
    OK(!pithlog_get_info(log)->complete && s.records == 7 * 2 * 3000 && !s.wrong,
       "without a footer all files are looked at");
    uint32_t all = pithlog_get_comm(log, 1)->key == 500;
    OK(all && pithlog_get_comm(log, 1)->size == 2 && pithlog_get_comm(log, 1)->world_ranks[1] == 1,
       "and have the members of communicators");
    pithlog_close(log);

    write_log((struct segment_log){.ranks = 7, .threads = 2, .records = 3000, .volumes = 2, .id = 42});
    patch(second, 500, "damage", 6);
    OK(pithi_check(path, ignore, NULL, NULL) > 0, "check finds damage in a volume");
    rename(second, spare);
    OK(pithlog_open(path, &log) == PITH_ERR_OPEN && strstr(pithlog_error(), second), "%s", pithlog_error());
    struct pithi_writer *w;
    uint64_t damages;
    OK(pithi_writer_open(&w, spare, -1) == 0 && pithi_native_recover(path, w, &damages) == 0 && damages == 1,
       "recover takes what the other volume has");
    pithi_writer_close(w);

    struct segment_log other = {.path = scratch_path("other.pith"), .ranks = 7, .threads = 2, .records = 3000};
    other.volumes = 2;
    other.id = 43;
    if (segment_log_write(&other) != PITH_OK)
        exit(1);
    char foreign[300];
    snprintf(foreign, sizeof foreign, "%s.2", scratch_path("other.pith"));
    rename(foreign, second);
    log = open_log();
    s = read_lane(log, 0, 2);
    OK(s.errors == 0 && s.records == 3000, "with a volume of another log the rest can be read");
    s = read_lane(log, 2, 2);
    OK(s.records == 0 && s.errors == 1 && strstr(s.error, second) && strstr(s.error, "is not part 2"), "%s", s.error);
    OK(pithlog_get_lane(log, 2)->rank == 1 && pithlog_get_lane(log, 2)->records == 0, "its lanes are there, empty");
    pithlog_close(log);
}

/* ---- The file changes -------------------------------------------------------------------------------------------- */

static void test_cut_while_open(void)
{
    struct segment_log how = {.ranks = 6, .threads = 1, .records = 40000};
    write_log(how);
    struct pithlog *log = open_log();
    struct seen s = read_lane(log, 0, 1);
    OK(s.records == 40000 && s.errors == 0, "one lane is read");
    if (truncate(path, (off_t)(file_size(path) / 3)) != 0)
        exit(1);
    s = read_all(log, 1);
    OK(s.records >= 40000 && s.records < 6 * 40000 && !s.wrong && s.errors > 0 && strstr(s.error, path),
       "the file is cut; what is gone is an error: %s", s.error);
    OK(pithlog_get_comm(log, 1) && pithlog_get_comm(log, 0), "communicators can be asked for");
    pithlog_close(log);

    write_log(how);
    log = open_log();
    how.records = 17; /* another log in the same file */
    write_log(how);
    s = read_all(log, 1);
    OK(s.wrong == 0 && s.errors > 0, "the file is written anew; an error: %s", s.error);
    pithlog_close(log);
}

/* ---- Tables that lie --------------------------------------------------------------------------------------------- */

static void put_crc(unsigned char *p, size_t size) { pithi_put32(p + size - 4, pithi_crc(p, size - 4)); }

/* A number in an entry of the rank table, or in the footer, is not what it should be. */
static void test_hostile(void)
{
    static const uint64_t numbers[] = {0, 1, 0x7fffffff, 0xffffffff, 0x100000000, UINT64_MAX - 7, UINT64_MAX / 2};
    uint32_t wrong = 0, greedy = 0, tries = 0;
    write_log((struct segment_log){.ranks = 20, .threads = 2, .records = 50});
    uint64_t size = file_size(path), entry = size - PITHI_FOOTER_SIZE - 5 * PITHI_RANK_ENTRY_SIZE;
    unsigned char good[PITHI_FOOTER_SIZE], bad[PITHI_FOOTER_SIZE];
    for (int in_footer = 0; in_footer < 2; in_footer++) {
        uint64_t at = in_footer ? size - PITHI_FOOTER_SIZE : entry;
        size_t length = in_footer ? PITHI_FOOTER_SIZE : PITHI_RANK_ENTRY_SIZE;
        FILE *f = fopen(path, "rb");
        if (!f || fseek(f, (long)at, SEEK_SET) != 0 || fread(good, 1, length, f) != length)
            exit(1);
        fclose(f);
        for (size_t field = in_footer ? 12 : 4; field + 12 <= length; field += 4)
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++, tries++) {
                memcpy(bad, good, length);
                pithi_put64(bad + field, numbers[i]);
                put_crc(bad, length);
                patch(path, at, bad, length);
                struct pithlog *log = NULL;
                int err = pithlog_open(path, &log);
                greedy += err == PITH_ERR_MEMORY;
                if (err == PITH_OK) {
                    struct seen s = read_all(log, 2);
                    wrong += s.wrong > 0;
                    pithlog_close(log);
                }
                pithi_check(path, ignore, NULL, NULL);
            }
        patch(path, at, good, length);
    }
    OK(wrong == 0 && tries > 200, "%u lies in footer and rank table: no record comes that was not written", tries);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    /* (A sanitizer keeps what was freed for a while.) */
    OK(greedy == 0 && usage.ru_maxrss < 800000, "nor is memory asked for that they promise");
}

int main(void)
{
    snprintf(path, sizeof path, "%s", scratch_path("parts.pith"));
    test_many_ranks();
    test_threads();
    test_damaged_index();
    test_damaged_entry();
    test_volumes();
    test_cut_while_open();
    test_hostile();
    scratch_remove();
    return tap_done();
}
