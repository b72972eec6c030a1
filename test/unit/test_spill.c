/* test_spill.c - reading spill files: the words of records, the fit of clocks, and bytes that no process would have
 * written. */
#include <pthread.h>

#include "record_help.h"
#include "common/random.h"
#include "spill/spill_walk.h"

/* ---- A file made by hand ----------------------------------------------------------------------------------------- */

enum { FILE_SIZE = 4096 * 6, DEFS_AT = 4096, LANE_AT = 8192, LANE2_AT = 16384 };
static union {
    unsigned char bytes[FILE_SIZE];
    uint64_t words[FILE_SIZE / 8];
} file;

static void put_def(unsigned char **at, uint16_t type, uint32_t id, const char *strings, size_t size)
{
    struct pithi_spill_def def = {(uint32_t)((sizeof def + size + 7) & ~(size_t)7), type, 0, id, 0};
    memcpy(*at, &def, sizeof def);
    memcpy(*at + sizeof def, strings, size);
    *at += def.size_bytes;
}

static void put_chunk(size_t at, uint64_t size, uint32_t lane, uint32_t seq, uint64_t ticks)
{
    struct pithi_chunk *chunk = (void *)(file.bytes + at);
    chunk->magic = PITHI_CHUNK_MAGIC;
    chunk->size_bytes = size;
    chunk->lane = lane;
    chunk->seq = seq;
    chunk->base_ticks = ticks;
    chunk->anchor = (struct pithi_anchor){ticks, (int64_t)(ticks / 2), 0};
}

#define WORD(ticks, id, kind) ((uint64_t)(ticks) << 24 | (uint64_t)(id) << 4 | (kind))

/* Two ticks a nanosecond, three definitions, one communicator, lane 0 with two chunks. */
static void make_file(void)
{
    struct pithi_spill_page *page = (void *)file.bytes;
    struct {
        struct pithi_spill_comm head;
        int32_t ranks[2];
        char name[8];
    } comm = {{77, 0, 2, 0, 0}, {0, 1}, "pair"};
    unsigned char *def = file.bytes + DEFS_AT + sizeof(struct pithi_chunk);
    uint64_t *word;

    memset(&file, 0, sizeof file);
    page->magic = PITHI_SPILL_MAGIC;
    page->clock = PITHI_CLOCK_TSC;
    page->rank = 0;
    page->size = 2;
    page->job = 5;
    strcpy(page->host, "node");
    strcpy(page->boot_id, "another machine");
    strcpy(page->program, "prog");
    page->first = (struct pithi_anchor){1000000, 500000, 0};
    page->last = (struct pithi_anchor){UINT64_C(1000000) + (UINT64_C(1) << 42), 500000 + (INT64_C(1) << 41), 0};
    put_chunk(DEFS_AT, 4096, PITHI_SPILL_DEFS, 0, 1000000);
    put_def(&def, PITHI_D_STATE, 1, "state\0red\0user\0", sizeof "state\0red\0user\0");
    put_def(&def, PITHI_D_EVENT, 2, "event\0\0user\0%d", sizeof "event\0\0user\0%d");
    put_def(&def, PITHI_D_COUNTER, 3, "counter\0\0user\0bytes", sizeof "counter\0\0user\0bytes");
    put_def(&def, PITHI_D_COMM, 1, (const char *)&comm, sizeof comm);
    put_def(&def, PITHI_D_THREAD, 0, "main", sizeof "main");
    put_def(&def, PITHI_D_PROPERTY, 0, "key\0value", sizeof "key\0value");
    put_chunk(LANE_AT, 8192, 0, 0, 1000000);
    word = file.words + (LANE_AT + sizeof(struct pithi_chunk)) / 8;
    *word++ = WORD(1000010, 1, PITHI_W_ENTER);
    *word++ = WORD(1000020, 2, PITHI_W_EVENT_DATA);
    *word++ = 9;
    *word++ = UINT64_C(0x0807060504030201);
    *word++ = 9;
    *word++ = WORD(1000016, 3, PITHI_W_COUNTER); /* a step back: taken up to the one before */
    *word++ = UINT64_C(0x4004000000000000);      /* 2.5 */
    *word++ = WORD(1000040, 1, PITHI_W_SEND);
    *word++ = 1 | UINT64_C(42) << 32;
    *word++ = 1000;
    *word++ = WORD(1000050, 9, PITHI_W_ENTER); /* never defined */
    put_chunk(LANE2_AT, 8192, 0, 1, UINT64_C(1000000) + (UINT64_C(1) << 41));
    word = file.words + (LANE2_AT + sizeof(struct pithi_chunk)) / 8;
    *word++ = WORD(UINT64_C(1000000) + (UINT64_C(1) << 41), 0, PITHI_W_TIME);
    *word++ = UINT64_C(1000100) + (UINT64_C(1) << 41);
    *word++ = WORD(UINT64_C(1000100) + (UINT64_C(1) << 41), 1, PITHI_W_LEAVE);
}

static int walk_all(struct pithi_spill *spill, struct pithlog_record *records, int room, uint64_t *dropped)
{
    static const uint32_t ids[] = {UINT32_MAX, 10, 20, 30}, comms[] = {0, 5};
    struct pithi_spill_walk walk;
    struct pithlog_record record = {.peer = -1};
    int count = 0;
    if (spill->lane_count == 0)
        return 0;
    pithi_spill_walk(&walk, spill, 0);
    walk.ids = ids;
    walk.id_count = spill->def_count < 4 ? spill->def_count : 4;
    walk.comms = comms;
    walk.comm_count = 2;
    while (pithi_spill_next(&walk, &record))
        if (count < room)
            records[count++] = record;
    *dropped = walk.dropped;
    return pithi_spill_next(&walk, &record) == 0 ? count : -1;
}

static void test_walk(void)
{
    struct pithi_spill spill;
    struct pithlog_record records[16];
    uint64_t dropped = 0;
    make_file();
    OK(pithi_spill_scan(&spill, "hand-made", file.bytes, FILE_SIZE) == PITH_OK &&
           pithi_spill_fit(&spill, NULL) == PITH_OK,
       "a file made by hand is read");
    OK(spill.lane_count == 1 && spill.lanes[0].count == 2 && strcmp(spill.lanes[0].name, "main") == 0, "its lane");
    OK(strcmp(spill.defs[1].name, "state") == 0 && strcmp(spill.defs[1].colour, "red") == 0 &&
           strcmp(spill.defs[3].format, "bytes") == 0 && spill.defs[3].kind == PITHLOG_COUNTER_TYPE,
       "its definitions");
    OK(spill.comms[1].defined && spill.comms[1].comm.key == 77 && spill.comms[1].comm.world_ranks[1] == 1 &&
           strcmp(spill.comms[1].comm.name, "pair") == 0,
       "its communicator");
    OK(spill.property_count == 1 && strcmp(spill.properties[0].value, "value") == 0, "its property");
    OK(walk_all(&spill, records, 16, &dropped) == 5 && dropped == 1, "five records, one dropped");
    OK(records[0].kind == PITHLOG_ENTER && records[0].id == 10 && records[0].time_ns == 500005,
       "two ticks are a nanosecond");
    OK(records[1].kind == PITHLOG_EVENT && records[1].payload_bytes == 9 &&
           memcmp(records[1].payload, "\1\2\3\4\5\6\7\10\11", 9) == 0,
       "payload");
    OK(records[2].kind == PITHLOG_COUNTER && records[2].value == 2.5 && records[2].time_ns == 500010 &&
           records[2].payload == NULL,
       "a time that falls is taken up");
    OK(records[3].kind == PITHLOG_SEND && records[3].comm == 5 && records[3].peer == 1 && records[3].tag == 42 &&
           records[3].bytes == 1000,
       "send");
    OK(records[4].kind == PITHLOG_LEAVE && records[4].time_ns == 500050 + (INT64_C(1) << 40) && records[4].bytes == 0 &&
           records[4].peer == -1,
       "after a long gap; no field of another record is left in it");
    pithi_spill_close(&spill);
}

/* A process that runs puts a chunk away and fills its place anew while somebody looks. */
static void test_doubles(void)
{
    struct pithi_spill spill;
    make_file();
    put_chunk(LANE_AT, 8192, 0, 1, 1000000);
    OK(pithi_spill_scan(&spill, "hand-made", file.bytes, FILE_SIZE) == PITH_OK && spill.lanes[0].count == 1 &&
           spill.chunks[spill.lanes[0].first].offset == LANE2_AT,
       "of a chunk that is there twice the copy is taken, which stays");
    OK(!pithi_spill_used_again(&spill, &spill.chunks[spill.lanes[0].first]), "it is what it was");
    put_chunk(LANE2_AT, 8192, 0, 3, 1000000);
    OK(pithi_spill_used_again(&spill, &spill.chunks[spill.lanes[0].first]), "until another one stands there");
    pithi_spill_close(&spill);
}

/* ---- The clock fit ----------------------------------------------------------------------------------------------- */

static void test_fit(void)
{
    /* The example of spill_time.h, times 100000: 2.6 GHz. */
    struct pithi_anchor anchors[] = {
        {360000000, 5100000000, 0}, {100000000, 5000000000, 0}, {100000100, 5000000040, 0}};
    static const struct pithi_spill_page tsc = {.clock = PITHI_CLOCK_TSC};
    struct pithi_anchor young[] = {{1000, 5000, 0}, {1010, 5100, 0}};
    struct pithi_anchor_pair base = {{0, 0, 0}, {UINT64_C(2000000000000), 1000000000000, 0}};
    struct pithi_spill_time time;
    int64_t ns;
    OK(pithi_time_fit(&time, &tsc, anchors, 3, NULL) == PITH_OK && time.count == 2, "anchors too near are left out");
    OK(pithi_time_ns(&time, 230000000) == 5050000000 || pithi_time_ns(&time, 230000000) == 5049999999,
       "between two anchors");
    OK(pithi_time_ns(&time, 100000000) == 5000000000 && pithi_time_ns(&time, 360000000) == 5100000000,
       "at the anchors");
    ns = pithi_time_ns(&time, 620000000);
    OK(ns >= 5199999999 && ns <= 5200000001, "after the last");
    ns = pithi_time_ns(&time, 74000000);
    OK(ns >= 4989999999 && ns <= 4990000001, "before the first");
    OK(time.ticks_per_s > 2.599e9 && time.ticks_per_s < 2.601e9, "2.6 GHz");
    pithi_time_free(&time);
    OK(pithi_time_fit(&time, &tsc, young, 2, &base) == PITH_OK && pithi_time_ns(&time, 3000) == 6000,
       "a process that died young goes by the base line of another");
    pithi_time_free(&time);
    OK(pithi_time_fit(&time, &(struct pithi_spill_page){.clock = PITHI_CLOCK_NS}, NULL, 0, NULL) == PITH_OK &&
           pithi_time_ns(&time, 12345) == 12345,
       "nanoseconds are nanoseconds");
    pithi_time_free(&time);
}

/* ---- Damage ------------------------------------------------------------------------------------------------------ */

/* Reads it whatever it is. */
static int read_damaged(const void *bytes, size_t size)
{
    struct pithi_spill spill;
    struct pithlog_record records[1];
    uint64_t dropped;
    void *copy = malloc(size > 0 ? size : 1); /* of just this size, for the address sanitizer */
    int count = -1;
    memcpy(copy, bytes, size);
    if (pithi_spill_scan(&spill, "damaged", copy, size) == PITH_OK) {
        count = pithi_spill_fit(&spill, NULL) == PITH_OK ? walk_all(&spill, records, 1, &dropped) : -1;
        pithi_spill_close(&spill);
    }
    free(copy);
    return count;
}

static void test_damage(void)
{
    static const unsigned char patterns[] = {0x00, 0xff, 0x41, 0x80};
    static unsigned char damaged[FILE_SIZE];
    size_t at, pattern;
    int runs = 0;
    make_file();
    for (at = 0; at <= FILE_SIZE; at += 56) {
        read_damaged(file.bytes, at);
        runs++;
    }
    for (at = 0; at < LANE_AT + 512; at += 8)
        for (pattern = 0; pattern < sizeof patterns; pattern++) {
            memcpy(damaged, file.bytes, FILE_SIZE);
            memset(damaged + at, patterns[pattern], 8);
            read_damaged(damaged, FILE_SIZE);
            runs++;
        }
    for (pattern = 0; pattern < 2000; pattern++) {
        memcpy(damaged, file.bytes, FILE_SIZE);
        for (at = 0; at < 6; at++) {
            uint32_t place = random_below(LANE_AT + 256);
            damaged[place] = (unsigned char)random_u64();
        }
        read_damaged(damaged, FILE_SIZE);
        runs++;
    }
    OK(runs > 4000, "%d damaged files are read without harm", runs);
    memcpy(damaged, file.bytes, FILE_SIZE);
    memset(damaged + DEFS_AT, 0, 64);
    OK(read_damaged(damaged, FILE_SIZE) == 1, "a chunk after a hole is found");
    OK(read_damaged(file.bytes, LANE_AT + 200) == 1, "a file cut in a chunk gives what is left");
    OK(read_damaged(file.bytes, 4095) == -1 && read_damaged("hello", 5) == -1, "what is no spill file is refused");
}

/* ---- Folders ----------------------------------------------------------------------------------------------------- */

static void save(const char *path, uint64_t job, int32_t rank)
{
    struct pithi_spill_page *page = (void *)file.bytes;
    FILE *out = fopen(path, "w");
    page->job = job;
    page->rank = rank;
    page->first.real_ns = (int64_t)job * 1000;
    if (out == NULL || fwrite(&file, 1, sizeof file, out) != sizeof file)
        exit(97);
    fclose(out);
}

static void test_folders(void)
{
    struct pithi_spill_folder folder;
    struct help_log log;
    FILE *out;
    help_fresh();
    mkdir("dir", 0755);
    OK(pithi_spill_folder_open(&folder, "dir") == PITH_OK && folder.job_count == 0, "an empty folder");
    pithi_spill_folder_close(&folder);
    make_file();
    save("dir/b.spill", 9, 1);
    save("dir/a.spill", 9, 0);
    save("dir/c.spill", 4, 1);
    out = fopen("dir/bad.spill", "w");
    fputs("not one", out);
    fclose(out);
    OK(pithi_spill_folder_open(&folder, "dir") == PITH_OK && folder.job_count == 2 && folder.unreadable == 1,
       "two jobs and a bad file");
    OK(folder.jobs[0].count == 1 && folder.jobs[0].missing == 1 && folder.jobs[1].count == 2 &&
           folder.jobs[1].missing == 0,
       "the older first, one rank missing");
    OK(strcmp(folder.members[folder.jobs[1].first].path, "dir/a.spill") == 0, "in order of ranks");
    pithi_spill_folder_close(&folder);
    OK(help_read(&log, "dir") && strcmp(log.info->format, "spill") == 0 && log.info->ranks == 2,
       "pithlog_open takes the newest");
    OK(help_count(&log, PITHLOG_LEAVE, "state") == 2, "with both ranks' records");
    help_close(&log);
    OK(help_read(&log, "dir/c.spill") && help_count(&log, PITHLOG_LEAVE, "state") == 1, "or one file alone");
    help_close(&log);
    OK(pithi_spill_folder_open(&folder, "dir/bad.spill") == PITH_ERR_FORMAT &&
           strcmp(pithlog_error(), "dir/bad.spill: byte 0: not a spill file of Pith") == 0,
       "a bad file named by itself is refused: %s", pithlog_error());
    OK(pithi_spill_folder_open(&folder, "none") == PITH_ERR_OPEN, "as is one that is not there");
}

/* ---- Words that are being stored --------------------------------------------------------------------------------- */

enum { WORDS = 3 * 4000, PAYLOAD = 15 }; /* records of three words; PAYLOAD is no kind of a record */
static uint64_t stored[WORDS];

/* Stores a record as the recorder does: the mark, the words behind it, the first word. */
static void *store(void *unused)
{
    for (int i = 0; i < WORDS; i += 3) {
        __atomic_store_n(&stored[i], 3 << 4 | PITHI_W_CLAIMED, __ATOMIC_RELEASE);
        __atomic_store_n(&stored[i + 1], PAYLOAD, __ATOMIC_RELEASE);
        __atomic_store_n(&stored[i + 2], PAYLOAD, __ATOMIC_RELEASE);
        __atomic_store_n(&stored[i], PITHI_W_COUNTER, __ATOMIC_RELEASE);
    }
    return unused;
}

static void test_storing(void)
{
    uint64_t inside = 0, behind = 0;
    for (int round = 0; round < 400; round++) {
        pthread_t thread;
        memset(stored, 0, sizeof stored);
        if (pthread_create(&thread, NULL, store, NULL) != 0)
            break;
        for (int i = 0; i < WORDS;) {
            if (__atomic_load_n(&stored[i], __ATOMIC_ACQUIRE) == 0) {
                const uint64_t *found = pithi_spill_behind_hole(&stored[i], stored + WORDS);
                inside += found < stored + WORDS && __atomic_load_n(found, __ATOMIC_RELAXED) == PAYLOAD;
                behind += found == &stored[i];
            } else {
                i += 3;
            }
        }
        pthread_join(thread, NULL);
    }
    OK(behind > 0 && inside == 0, "a record that is stored meanwhile is found at its first word (%llu times)",
       (unsigned long long)behind);
}

int main(void)
{
    help_begin();
    test_walk();
    test_storing();
    test_doubles();
    test_fit();
    test_damage();
    test_folders();
    help_clean();
    return tap_done();
}
