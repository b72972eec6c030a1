/* test_spill_damage.c - spill files overwritten anywhere: what comes before the damage on a lane, and all of the other
 * lanes, is still there; never a crash (run it under the sanitizers, too). */
#include "record_help.h"

#include "common/random.h"
#include "reader/read/check.h"
#include "spill/spill_emit.h"

enum { WINDOW = 64, FILLS = 3, LANES = 2, ROUNDS = 9000, MOST = 60000, STEP = 29, WHOLE = 211 };

/* ---- The files under test ---------------------------------------------------------------------------------------- */

static void record(int rounds)
{
    uint32_t work = pith_state_define("work", "red"), step = pith_event_define("step", NULL, "i=%d");
    for (int i = 0; i < rounds; i++) {
        pith_begin(work);
        pith_event_data(step, &i, sizeof i);
        pith_end(work);
    }
}

static void *record_thread(void *nothing)
{
    pith_thread_name("other");
    record(ROUNDS);
    return nothing;
}

static void record_two(void)
{
    pthread_t thread;
    record(ROUNDS);
    pthread_create(&thread, NULL, record_thread, NULL);
    pthread_join(thread, NULL);
    _exit(0);
}

static void record_ring(void)
{
    setenv("PITH_WHEN_FULL", "ring", 1);
    setenv("PITH_MAX_MB", "1", 1);
    record(ROUNDS * 10);
    _exit(0);
}

struct file {
    unsigned char *data; /* as long as the file: what is read beyond its end is seen by a sanitizer */
    size_t size;
    char path[600];
};

static struct file left_by(void (*scenario)(void))
{
    struct file file = {0};
    struct dirent *entry;
    struct stat info;
    help_fresh();
    help_child(scenario);
    DIR *dir = opendir("run.pith.spill");
    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            snprintf(file.path, sizeof file.path, "run.pith.spill/%s", entry->d_name);
    if (dir)
        closedir(dir);
    int fd = open(file.path, O_RDONLY);
    if (fd < 0 || fstat(fd, &info) != 0 || !(file.data = malloc((size_t)info.st_size)))
        exit(1);
    while (file.size < (size_t)info.st_size) {
        ssize_t got = read(fd, file.data + file.size, (size_t)info.st_size - file.size);
        if (got <= 0)
            exit(1);
        file.size += (size_t)got;
    }
    close(fd);
    return file;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

/* What is known of a record: enough to tell it from its neighbours. */
struct seen {
    uint32_t kind, number;
};

static struct seen good[LANES][MOST];
static uint32_t good_count[LANES];

/* A reading: of each lane, how far it was as the good one. */
struct reading {
    int is_good; /* the first one, to which others are compared */
    uint32_t same[LANES], differs[LANES];
};

static int lane(void *context, uint32_t thread, const char *name, uint32_t *index)
{
    (void)context, (void)name;
    *index = thread < LANES ? thread : LANES;
    return PITH_OK;
}

static int comm(void *context, const struct pithlog_comm *definition, uint32_t *index)
{
    (void)context, (void)definition;
    *index = 0;
    return PITH_OK;
}

static int add(void *context, const struct pithlog_record *r)
{
    struct reading *reading = context;
    struct seen seen = {r->kind, 0};
    uint32_t at;
    if (r->payload_bytes >= sizeof seen.number)
        memcpy(&seen.number, r->payload, sizeof seen.number);
    if (r->lane >= LANES)
        return PITH_OK;
    if (reading->is_good && good_count[r->lane] < MOST)
        good[r->lane][good_count[r->lane]++] = seen;
    at = reading->same[r->lane];
    if (reading->differs[r->lane] || at == good_count[r->lane] || memcmp(&good[r->lane][at], &seen, sizeof seen) != 0)
        reading->differs[r->lane] = 1;
    else
        reading->same[r->lane]++;
    return PITH_OK;
}

/* 0: it is no spill file. */
static int read_bytes(const struct file *file, struct reading *reading)
{
    struct pithi_spill spill;
    struct pithi_spill_target target = {.context = reading, .lane = lane, .comm = comm, .add = add};
    if (pithi_spill_scan(&spill, "damaged", file->data, file->size) != PITH_OK)
        return 0;
    if (pithi_defs_new(&target.defs) != PITH_OK || pithi_spill_fit(&spill, NULL) != PITH_OK ||
        pithi_spill_emit(&spill, &target, NULL, NULL) != PITH_OK)
        exit(1);
    pithi_defs_free(target.defs);
    pithi_spill_close(&spill);
    return 1;
}

/* A log with missing records says so; that is no damage. */
static void count_damage(void *context, const char *text) { *(int *)context += !strstr(text, ": incomplete: "); }

/* As a log, and followed: 1 when the log, if there is one, is sound. */
static int read_folder(const struct file *file)
{
    struct pithlog_follow *follow;
    struct pithlog_record r;
    int fd = open(file->path, O_WRONLY), sound = 1, looks = 0, damages = 0;
    if (fd < 0 || write(fd, file->data, file->size) != (ssize_t)file->size || close(fd) != 0)
        exit(1);
    struct pithi_writer *writer;
    struct pithi_input input = {.path = "run.pith.spill"};
    if (pithi_spill_probe(&input) && pithi_writer_open(&writer, "made.pith", -1) == PITH_OK) {
        sound = pithi_spill_read(&input, writer) != PITH_OK || pithi_writer_finish(writer) != PITH_OK ||
                (pithi_check("made.pith", count_damage, &damages, NULL) >= 0 && damages == 0);
        pithi_writer_close(writer);
    }
    if (pithlog_follow_open("run.pith.spill", &follow) == PITH_OK) {
        while (looks++ < 3 && !pithlog_follow_get_info(follow)->ended && pithlog_follow_look(follow) == PITH_OK)
            while (pithlog_follow_next(follow, &r) == 1)
                sound &= pithlog_follow_get_lane(follow, r.lane) != NULL;
        pithlog_follow_close(follow);
    }
    return sound;
}

/* ---- Damage ------------------------------------------------------------------------------------------------------ */

static void overwrite(unsigned char *at, int fill)
{
    for (int i = 0; i < WINDOW; i++)
        at[i] = fill == 0 ? 0 : fill == 1 ? 0xff : (unsigned char)random_u64();
}

/* How many records of each lane must come when the bytes at `at` are gone: all, but of their own lane those in the
 * chunks before; with the page or a definition none. */
static void needed(const struct pithi_spill *spill, size_t at, uint32_t need[LANES])
{
    const struct pithi_spill_chunk *hit = NULL;
    memcpy(need, good_count, LANES * sizeof *need);
    for (uint32_t i = 0; i < spill->chunk_count; i++)
        if (at >= spill->chunks[i].offset && at < spill->chunks[i].offset + spill->chunks[i].size)
            hit = &spill->chunks[i];
    if (!hit || hit->lane >= LANES) {
        memset(need, 0, LANES * sizeof *need);
        return;
    }
    need[hit->lane] = 0;
    for (uint32_t i = 0; i < spill->chunk_count; i++) {
        const struct pithi_spill_chunk *chunk = &spill->chunks[i];
        const uint64_t *word = (const void *)(spill->data + chunk->offset + sizeof(struct pithi_chunk));
        const uint64_t *end = (const void *)(spill->data + chunk->offset + chunk->size);
        if (chunk->lane != hit->lane || chunk->seq >= hit->seq)
            continue;
        for (uint64_t words; (words = pithi_spill_record_words(word, (uint64_t)(end - word))) > 0; word += words)
            need[hit->lane] += (*word & 15) != PITHI_W_TIME;
    }
}

/* Pages and headers are overwritten window by window; of the many words one window in STEP. */
static int is_chosen(const struct pithi_spill *spill, size_t at)
{
    if (at < PITHI_SPILL_PAGE || at / WINDOW % STEP == 0)
        return 1;
    for (uint32_t i = 0; i < spill->chunk_count; i++)
        if (at >= spill->chunks[i].offset && at < spill->chunks[i].offset + 1024 + sizeof(struct pithi_chunk) + WINDOW)
            return 1;
    return 0;
}

static void test_windows(struct file *file, const char *what, int exact)
{
    struct pithi_spill spill;
    struct reading first = {.is_good = 1};
    unsigned char saved[WINDOW];
    uint32_t need[LANES], windows = 0, opened = 0, missing = 0, unsound = 0;
    memset(good_count, 0, sizeof good_count);
    read_bytes(file, &first);
    OK(good_count[0] > 1000 && (!exact || (good_count[0] == 3 * ROUNDS && good_count[1] == 3 * ROUNDS)),
       "%s: %zu bytes, %u and %u records", what, file->size, good_count[0], good_count[1]);
    if (pithi_spill_scan(&spill, "good", file->data, file->size) != PITH_OK)
        exit(1);
    for (size_t at = 0; at + WINDOW <= file->size; at += WINDOW) {
        if (!is_chosen(&spill, at))
            continue;
        needed(&spill, at, need);
        memcpy(saved, file->data + at, WINDOW);
        for (int fill = 0; fill < FILLS; fill++) {
            struct reading reading = {0};
            if (at > PITHI_SPILL_PAGE && at / WINDOW % FILLS != (size_t)fill && at / WINDOW % STEP == 0)
                continue; /* in the midst of words each window is filled in one way only */
            overwrite(file->data + at, fill);
            opened += (uint32_t)read_bytes(file, &reading);
            for (int i = 0; exact && i < LANES; i++)
                missing += reading.same[i] < need[i];
            if (++windows % WHOLE == 0)
                unsound += !read_folder(file);
        }
        memcpy(file->data + at, saved, WINDOW);
    }
    pithi_spill_close(&spill);
    OK(windows > 500 && opened > windows - 10, "%s: %u windows overwritten, %u can be read", what, windows, opened);
    OK(missing == 0, "%s: nothing is missing that stood before the damage, nor of another lane", what);
    OK(unsound == 0, "%s: the logs made of them are sound", what);
}

static void test_cut(struct file *file)
{
    uint32_t cuts = 0, opened = 0;
    for (size_t size = 0; size < file->size; size += size < 8192 ? 56 : 28504) {
        struct file cut = {malloc(size ? size : 1), size, ""};
        struct reading reading = {0};
        memcpy(cut.data, file->data, size);
        opened += (uint32_t)read_bytes(&cut, &reading);
        free(cut.data);
        cuts++;
    }
    OK(opened > cuts / 3, "%u cuts, %u can be read", cuts, opened);
}

/* ---- Records under ids of something else ------------------------------------------------------------------------- */

static void record_wrong_ids(void)
{
    uint32_t state = pith_state_define("state", NULL), event = pith_event_define("event", NULL, NULL);
    uint32_t counter = pith_counter_define("counter", NULL);
    pith_begin(event);
    pith_event(state);
    pith_count(state, 1);
    pith_event_data(counter, "x", 1);
    pith_begin(state);
    pith_event(event);
    pith_count(counter, 2);
    pith_end(state);
    pith_end(counter);
}

static void test_wrong_ids(void)
{
    struct help_log log;
    help_fresh();
    OK(help_child(record_wrong_ids) == 0 && help_read(&log, "run.pith"), "a program mixes up its ids");
    OK(log.info->states >= 1 && log.info->events == 1 && log.info->lost == 5,
       "what makes no sense is lost, and counted");
    OK(pithi_check("run.pith", NULL, NULL, NULL) == 0, "and the log is sound");
    help_close(&log);
}

int main(void)
{
    struct file file;
    help_begin();
    test_wrong_ids();
    file = left_by(record_two);
    test_windows(&file, "two threads", 1);
    test_cut(&file);
    free(file.data);
    file = left_by(record_ring);
    test_windows(&file, "a ring", 0);
    free(file.data);
    help_clean();
    return tap_done();
}
