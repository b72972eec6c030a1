/* test_damage.c - damaged logs: cut anywhere, or overwritten anywhere. Either a clean error, or good records; never
 * a crash (run it under the sanitizers, too), never a hang. */
#include <sys/resource.h>

#include "base/bytes.h"
#include "base/zip.h"
#include "native/block.h"
#include "native/chunk.h"
#include "reader/read/check.h"
#include "reader/read/native.h"
#include "common/log_model.h"
#include "tap.h"

struct file {
    unsigned char *data;
    size_t size;
};

/* The log under test: three lanes of one rank after another, small enough to be damaged thousands of times. */
static struct model model;
static struct file good;

static void make_good(void)
{
    const char *path = scratch_path("good.pith");
    model_random(&model, 2000, 4);
    for (uint32_t i = 0; i < 36000; i++) /* several blocks, small ones */
        model_add(
            &model,
            &(struct pithlog_record){
                .time_ns = 2000000 + i / 2 * 2, .lane = 1, .kind = PITHLOG_ENTER + i % 2, .id = i / 2 % 3, .peer = -1});
    if (model_write(&model, path))
        exit(1);
    good.data = read_whole_file(path, &good.size);
}

struct outcome {
    int opened, complete;
    uint64_t records, wrong, errors; /* wrong: such as were never written */
};

/* Opens and reads lane by lane. What comes must be the records of that lane, in order; blocks may be missing. */
static struct outcome read_damaged(const char *path)
{
    struct outcome o = {0};
    struct pithlog *log;
    struct pithlog_record r;
    if (pithlog_open(path, &log) != PITH_OK) {
        o.errors = strstr(pithlog_error(), path) ? 1 : 1000; /* the text names the file */
        return o;
    }
    o.opened = 1;
    o.complete = pithlog_get_info(log)->complete;
    for (uint32_t lane = 0; pithlog_get_lane(log, lane); lane++) {
        const struct pithlog_lane *l = pithlog_get_lane(log, lane);
        uint32_t number = (uint32_t)l->rank * 3 + l->thread;
        struct pithlog_query query = {INT64_MIN, INT64_MAX, &lane, 1, 0, 0, NULL};
        struct pithlog_iter *iter;
        size_t at = 0;
        int status, errors = 0;
        if (pithlog_iter_open(log, &query, &iter) != PITH_OK)
            continue;
        while ((status = pithlog_iter_next(iter, &r)) != 0 && errors < 100) {
            errors += status < 0;
            if (status < 0)
                continue;
            o.records++;
            int found = 0;
            while (!found && at < model.count) {
                const struct pithlog_record *w = &model.records[at++];
                found = w->lane == number && w->time_ns == r.time_ns && w->kind == r.kind && w->id == r.id &&
                        w->tag == r.tag && w->bytes == r.bytes && w->payload_bytes == r.payload_bytes;
            }
            o.wrong += !found;
        }
        o.errors += (uint64_t)errors;
        pithlog_iter_close(iter);
    }
    pithlog_close(log);
    return o;
}

/* How many records stand in blocks that end at or before `size`, found by walking the chunks by hand. */
static uint64_t records_before(size_t size)
{
    uint64_t count = 0;
    for (size_t at = 64; at + 32 <= good.size && pithi_get32(good.data + at) == PITHI_CHUNK_MAGIC_LE;) {
        uint64_t end = at + 32 + pithi_get64(good.data + at + 8);
        if (pithi_get16(good.data + at + 4) == PITHI_C_EVENTS && end <= size)
            count += pithi_get32(good.data + at + 32 + 4);
        at = (end + 7) / 8 * 8;
    }
    return count;
}

static void test_cut(void)
{
    char path[256];
    uint64_t lost = 0, wrong = 0, cuts = 0, opened = 0, complete = 0;
    snprintf(path, sizeof path, "%s", scratch_path("cut.pith"));
    for (size_t size = 1; size < good.size; size += cuts % 3 ? 341 : cuts % 2 ? 342 : 1, cuts++) {
        write_whole_file(path, good.data, size);
        struct outcome o = read_damaged(path);
        lost += o.records != records_before(size);
        wrong += o.wrong || (!o.opened && o.errors != 1);
        opened += (uint64_t)o.opened;
        complete += (uint64_t)o.complete;
    }
    OK(good.size > 20000 && opened > cuts / 2, "%d cuts of %zu bytes, %d open", (int)cuts, good.size, (int)opened);
    OK(lost == 0, "every record of every block before the cut is there");
    OK(wrong == 0, "and none that was not, or an error that names the file");
    OK(complete == 0, "and it is said that the log is not complete");
}

/* A state of a cut log keeps its name, though the definitions' last chunk is gone. */
static void test_names(void)
{
    char path[256];
    struct pithlog *log = NULL;
    snprintf(path, sizeof path, "%s", scratch_path("names.pith"));
    write_whole_file(path, good.data, good.size / 2);
    OK(pithlog_open(path, &log) == 0 && pithlog_get_info(log)->defs >= MODEL_STATES, "half a log");
    OK(log && strcmp(pithlog_get_def(log, 3)->name, "thing 3") == 0, "has names");
    OK(log && pithlog_get_info(log)->comms == MODEL_COMMS, "and communicators");
    pithlog_close(log);
}

static int ignore_count;
static void ignore(void *context, const char *text)
{
    (void)context;
    ignore_count += text[0] != 0;
}

/* Every 64-byte window is overwritten in turn. */
static void test_windows(void)
{
    char path[256];
    uint64_t wrong = 0, unseen = 0, unsaid = 0, windows = 0;
    unsigned char *data = malloc(good.size);
    snprintf(path, sizeof path, "%s", scratch_path("window.pith"));
    for (size_t at = 0; at < good.size; at += 64) {
        size_t n = good.size - at < 64 ? good.size - at : 64;
        for (int fill = 0; fill < 3; fill++) {
            if ((at / 64 + (size_t)fill) % 3 && at > 2048 && good.size - at > 8192)
                continue; /* in the midst of blocks each window is filled in one way only */
            memcpy(data, good.data, good.size);
            for (size_t i = 0; i < n; i++)
                data[at + i] = fill == 0 ? 0 : fill == 1 ? 0xff : (unsigned char)random_u64();
            if (memcmp(data + at, good.data + at, n) == 0)
                continue;
            windows++;
            write_whole_file(path, data, good.size);
            struct outcome o = read_damaged(path);
            wrong += o.wrong;
            unseen += o.records != model.count && o.errors == 0 && o.complete; /* gone, and nobody said so */
            ignore_count = 0;
            int damages = pithi_check(path, ignore, NULL, NULL);
            unsaid += damages == 0 || (damages > 0 && ignore_count != damages);
        }
    }
    free(data);
    OK(windows > good.size / 64, "%d windows overwritten", (int)windows);
    OK(wrong == 0, "no record comes that was never written");
    OK(unseen == 0, "none is missing without a word");
    OK(unsaid == 0, "check finds every damage and says it");
}

/* Damage that CRCs do not find, as a hostile writer can make it: bytes of a chunk changed, its CRC made right again. */
static void test_hostile(void)
{
    char path[256];
    unsigned char *data = malloc(good.size);
    uint64_t tries = 0, opened = 0;
    snprintf(path, sizeof path, "%s", scratch_path("hostile.pith"));
    for (size_t at = 64; at + 32 < good.size && pithi_get32(good.data + at) == PITHI_CHUNK_MAGIC_LE;) {
        size_t size = (size_t)pithi_get64(good.data + at + 8);
        for (int i = 0; i < 40; i++) {
            memcpy(data, good.data, good.size);
            size_t spot =
                at + 32 + (i < 28 ? random_below(size < 400 ? (uint32_t)size : 400) : random_below((uint32_t)size));
            static const unsigned char values[] = {0, 0xff, 0x7f, 0x80, 1};
            for (uint32_t k = 0; k < 1u + (i % 2) * 7u && spot + k < at + 32 + size; k++)
                data[spot + k] = i % 6 < 5 ? values[i % 6] : (unsigned char)random_u64();
            pithi_put32(data + at + 20, pithi_get16(data + at + 6) & 1 ? 0 : pithi_crc(data + at + 32, size));
            pithi_put32(data + at + 28, pithi_crc(data + at, 28));
            if (i % 3 == 0) /* and without a footer, by scanning */
                data[good.size - 1] ^= 1;
            write_whole_file(path, data, good.size);
            struct outcome o = read_damaged(path);
            opened += (uint64_t)o.opened;
            tries++;
            pithi_check(path, ignore, NULL, NULL);
            struct pithlog *log;
            struct pithlog_iter *iter;
            struct pithlog_record r;
            struct pithlog_query q = {500000, 2020000, NULL, 0, 0, PITHLOG_CLIP, NULL};
            if (i % 4 == 0 && pithlog_open(path, &log) == 0) {
                int errors = 0, status;
                if (pithlog_iter_open(log, &q, &iter) == 0) {
                    while ((status = pithlog_iter_next(iter, &r)) != 0 && errors < 100)
                        errors += status < 0;
                    pithlog_iter_close(iter);
                }
                pithlog_close(log);
            }
        }
        at += 32 + (size + 7) / 8 * 8;
    }
    free(data);
    OK(tries > 500, "%d hostile logs, %d open", (int)tries, (int)opened);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    OK(usage.ru_maxrss < 600000, "in %ld MB of memory", usage.ru_maxrss / 1024);
}

/* Without the descriptions what is left is still shown, by names that say so. */
static void test_lost_descriptions(void)
{
    char path[256];
    unsigned char *data = malloc(good.size);
    struct pithlog *log = NULL;
    snprintf(path, sizeof path, "%s", scratch_path("lost.pith"));
    memcpy(data, good.data, good.size);
    for (size_t at = 64; at + 32 < good.size && pithi_get32(good.data + at) == PITHI_CHUNK_MAGIC_LE;) {
        unsigned type = pithi_get16(data + at + 4);
        if (type == PITHI_C_DEFS || type == PITHI_C_META)
            data[at + 34] ^= 1;
        at += 32 + (pithi_get64(good.data + at + 8) + 7) / 8 * 8;
    }
    write_whole_file(path, data, good.size);
    struct outcome o = read_damaged(path);
    OK(o.opened && !o.complete && o.records == model.count && o.wrong == 0, "all records without any description");
    OK(pithlog_open(path, &log) == 0 && pithlog_get_def(log, 2) &&
           strcmp(pithlog_get_def(log, 2)->name, "lost state 2") == 0 &&
           pithlog_get_def(log, MODEL_STATES)->kind == PITHLOG_EVENT_TYPE,
       "states and events have names that say so");
    pithlog_close(log);
    free(data);
}

/* Without a footer and with one chunk header gone, everything in the other chunks is still found. */
static void test_resync(void)
{
    char path[256];
    unsigned char *data = malloc(good.size);
    uint64_t wrong = 0, tries = 0;
    snprintf(path, sizeof path, "%s", scratch_path("resync.pith"));
    for (size_t at = 64; at + 32 < good.size && pithi_get32(good.data + at) == PITHI_CHUNK_MAGIC_LE;) {
        uint64_t gone = pithi_get16(good.data + at + 4) == PITHI_C_EVENTS ? pithi_get32(good.data + at + 36) : 0;
        memcpy(data, good.data, good.size);
        memset(data + at, 0x55, 32);
        memset(data + good.size - 64, 0, 64);
        write_whole_file(path, data, good.size);
        struct outcome o = read_damaged(path);
        wrong += !o.opened || o.complete || o.wrong || o.records != model.count - gone;
        tries++;
        at += 32 + (pithi_get64(good.data + at + 8) + 7) / 8 * 8;
    }
    free(data);
    OK(tries > 10 && wrong == 0, "each of %d chunks lost in turn: all others are read", (int)tries);
}

/* A log with a damaged block in it makes a sound log of what is left. */
static void test_recover(void)
{
    char path[256], whole[300];
    unsigned char *data = malloc(good.size);
    struct pithi_writer *w;
    uint64_t damages = 0, records = 0, gone = 0;
    snprintf(path, sizeof path, "%s", scratch_path("damaged.pith"));
    snprintf(whole, sizeof whole, "%s.whole", path);
    memcpy(data, good.data, good.size);
    for (size_t at = 64; !gone; at += 32 + (pithi_get64(good.data + at + 8) + 7) / 8 * 8)
        if (pithi_get16(data + at + 4) == PITHI_C_EVENTS) {
            gone = pithi_get32(data + at + 36);
            data[at + 200] ^= 0x10;
        }
    write_whole_file(path, data, good.size);
    OK(pithi_writer_open(&w, whole, -1) == 0 && pithi_native_recover(path, w, &damages) == 0 &&
           pithi_writer_finish(w) == 0 && damages == 1,
       "a damaged log is copied");
    pithi_writer_close(w);
    OK(pithi_check(whole, ignore, NULL, &records) == 0 && records == model.count - gone + 1,
       "without the damaged block, but with a mark in its place");
    free(data);
}

/* A block is not taken whose open states or communicators the log does not have. (Found by fuzzing: open states were
 * not looked at, and of a rank without any description every communicator was taken.) */
static void test_strangers(void)
{
    struct pithi_encoder *e = pithi_encoder_new(0);
    struct pithi_buffer first = {0}, second = {0};
    struct pithi_block_head head;
    struct pithi_zip zip = {0};
    struct pithi_stack opened = {0};
    const char *why;
    pithi_encoder_add(e, &(struct pithlog_record){.kind = PITHLOG_ENTER, .id = 500, .peer = -1}, 0);
    pithi_encoder_end(e, &zip, &first, &head);
    pithi_encoder_add(e, &(struct pithlog_record){.kind = PITHLOG_SEND, .peer = 0}, 2);
    pithi_encoder_end(e, &zip, &second, &head);
    struct pithi_block b = {.def_count = 501, .comm_count = 3};
    OK(pithi_block_load(&b, &zip, second.data, second.size, &opened, &why) == PITH_OK && opened.count == 1 &&
           opened.states[0].id == 500,
       "a block with a state open that the log has");
    b.def_count = 500;
    OK(pithi_block_load(&b, &zip, second.data, second.size, &opened, &why) == PITH_ERR_DAMAGED, "not one it has not");
    b.def_count = 501;
    b.comm_count = 2;
    OK(pithi_block_load(&b, &zip, second.data, second.size, &opened, &why) == PITH_ERR_DAMAGED,
       "nor with a communicator it has not");
    pithi_block_free(&b);
    pithi_encoder_free(e);
    pithi_zip_free(&zip);
    free(opened.states);
    free(first.data);
    free(second.data);
}

/* The bytes of a stored column. */
static unsigned char *column_of(unsigned char *payload, unsigned type)
{
    uint32_t columns = pithi_get32(payload + 44);
    unsigned char *at = payload + PITHI_EVENTS_HEAD + (size_t)columns * PITHI_COLUMN_ENTRY;
    for (uint32_t i = 0; i < columns; i++) {
        const unsigned char *entry = payload + PITHI_EVENTS_HEAD + (size_t)i * PITHI_COLUMN_ENTRY;
        if (pithi_get16(entry) == type)
            return at;
        at += pithi_get32(entry + 4);
    }
    abort();
}

/* Records that make sense; the last one's id. */
static int count_steps(struct pithi_block *b, uint32_t *id)
{
    struct pithlog_record r;
    int steps = 0;
    for (; pithi_block_step(b) == 1; steps++) {
        pithi_block_take(b, &r);
        *id = r.id;
    }
    return steps;
}

/* LEAVE of the innermost state, where none is open: what comes before it is good. In a block where all states nest, and
 * with a LEAVE that ends none. */
static void test_innermost(int nested)
{
    static const struct pithlog_record records[] = {
        {.kind = PITHLOG_ENTER, .id = 7}, {.kind = PITHLOG_SEND},           {.kind = PITHLOG_LEAVE, .id = 7},
        {.kind = PITHLOG_ENTER, .id = 8}, {.kind = PITHLOG_LEAVE, .id = 8}, {.kind = PITHLOG_LEAVE, .id = 9},
    };
    struct pithi_encoder *e = pithi_encoder_new(0);
    struct pithi_block b = {.def_count = 10, .comm_count = 1};
    struct pithi_block_head head;
    struct pithi_buffer payload = {0};
    struct pithi_zip zip = {0};
    const char *why;
    int count = nested ? 5 : 6;
    uint32_t id = 0;
    for (int i = 0; i < count; i++)
        pithi_encoder_add(e, &records[i], 0);
    pithi_encoder_end(e, &zip, &payload, &head);
    OK(pithi_block_load(&b, &zip, payload.data, payload.size, NULL, &why) == PITH_OK && count_steps(&b, &id) == count &&
           id == records[count - 1].id && b.nested == nested,
       "states that %s come back", nested ? "nest" : "do not nest");
    unsigned char *what = column_of(payload.data, PITHI_COL_WHAT);
    what[3] = what[2];
    OK(pithi_block_load(&b, &zip, payload.data, payload.size, NULL, &why) == PITH_OK && count_steps(&b, &id) == 3 &&
           id == 7 && b.why,
       "what is before a LEAVE where nothing is open");
    pithi_block_free(&b);
    pithi_encoder_free(e);
    pithi_zip_free(&zip);
    free(payload.data);
}

int main(void)
{
    test_strangers();
    test_innermost(1);
    test_innermost(0);
    make_good();
    test_cut();
    test_names();
    test_windows();
    test_resync();
    test_recover();
    test_hostile();
    test_lost_descriptions();
    free(good.data);
    model_free(&model);
    scratch_remove();
    return tap_done();
}
