/* test_batches.c - one lane read in batches, against the same lane read record by record: all kinds of records in
 * nested states, and logs damaged in ways that CRCs do not find. */
#include <stdio.h>
#include <string.h>

#include "base/zip.h"
#include "native/chunk.h"
#include "common/log_model.h"
#include "tap.h"

enum { RECORDS = 40000, DEEPEST = 4, TRIES = 300 };

static void make_log(const char *path)
{
    struct model model = {0};
    uint32_t open[DEEPEST], depth = 0;
    int64_t now_ns = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        struct pithlog_record r = {.peer = -1};
        now_ns += random_below(3000) == 0 ? 3000000000 : random_below(2000); /* rarely a step of many bits */
        if (random_below(4) == 0)
            do
                r = model_record(0, now_ns);
            while (r.kind <= PITHLOG_LEAVE || (r.kind == PITHLOG_EVENT && r.comm != 0));
        else if (depth == 0 || (depth < DEEPEST && random_below(2)))
            r.kind = PITHLOG_ENTER, r.id = open[depth++] = random_below(3);
        else
            r.kind = PITHLOG_LEAVE, r.id = open[--depth];
        r.time_ns = now_ns;
        if (r.kind <= PITHLOG_LEAVE && random_below(300) == 0) /* so that some batches have none */
            r.comm = 1;
        model_add(&model, &r);
    }
    if (model_write(&model, path))
        exit(1);
    model_free(&model);
}

/* Reads the lane both ways. Returns the number of records; -1: records or errors differ. */
static long compare(const char *path)
{
    enum { MOST = 200 };
    const uint32_t lane = 0;
    const struct pithlog_query query = {INT64_MIN, INT64_MAX, &lane, 1, 0, 0, NULL};
    struct pithlog *log;
    struct pithlog_iter *one, *many;
    struct pithlog_record r, records[MOST];
    char text[512];
    long count = 0;
    int got = 1, same = 1;
    if (pithlog_open(path, &log) != PITH_OK)
        return 0;
    if (pithlog_iter_open(log, &query, &one) || pithlog_iter_open(log, &query, &many))
        exit(1);
    for (int size = 0; got != 0 && same; size++) {
        got = pithlog_iter_next_many(many, records, 1 + size % MOST);
        snprintf(text, sizeof text, "%s", pithlog_error());
        for (int i = 0; i < got; i++, count++)
            same &= pithlog_iter_next(one, &r) == 1 && same_record(&r, &records[i]);
        if (got <= 0)
            same &= pithlog_iter_next(one, &r) == got && (got == 0 || strcmp(text, pithlog_error()) == 0);
    }
    pithlog_iter_close(one);
    pithlog_iter_close(many);
    pithlog_close(log);
    return same ? count : -1;
}

/* Reads windows of the lane, in some calls a record, in others many. Returns how many windows differ from those read
 * record by record. */
static int count_mixed(const char *path)
{
    enum { MOST = 200 };
    const uint32_t lane = 0, all = UINT32_MAX, states = 1u << PITHLOG_ENTER | 1u << PITHLOG_LEAVE;
    struct pithlog_record r, records[MOST];
    struct pithlog *log;
    int differ = 0;
    if (pithlog_open(path, &log) != PITH_OK)
        return -1;
    struct pithlog_query query = {INT64_MIN, INT64_MAX, &lane, 1, 0, 0, NULL};
    struct pithlog_iter *one, *mixed;
    static int64_t times_ns[RECORDS];
    if (pithlog_iter_open(log, &query, &one))
        exit(1);
    for (int i = 0; i < RECORDS && pithlog_iter_next(one, &r) == 1; i++)
        times_ns[i] = r.time_ns;
    pithlog_iter_close(one);
    for (int i = 0; i < TRIES; i++) {
        uint32_t from = random_below(RECORDS - 1000);
        int got = 1, same = 1;
        query.from_ns = times_ns[from];
        query.to_ns = times_ns[from + random_below(1000)];
        query.kinds = random_below(2) ? all : states;
        query.flags = random_below(2) ? 0 : random_below(2) ? PITHLOG_NEST : PITHLOG_NEST | PITHLOG_CLIP;
        if (pithlog_iter_open(log, &query, &one) || pithlog_iter_open(log, &query, &mixed))
            exit(1);
        while (got > 0 && same) {
            got = random_below(2)
                      ? pithlog_iter_next(mixed, records)
                      : pithlog_iter_next_many(mixed, records, 1 + (int)random_below(random_below(2) ? 3 : MOST));
            for (int k = 0; k < got; k++)
                same &= pithlog_iter_next(one, &r) == 1 && same_record(&r, &records[k]);
        }
        differ += !same || got != 0 || pithlog_iter_next(one, &r) != 0;
        pithlog_iter_close(one);
        pithlog_iter_close(mixed);
    }
    pithlog_close(log);
    return differ;
}

/* Changes some bytes of a chunk's payload, and makes its CRCs right again. */
static void damage(unsigned char *data, size_t at)
{
    size_t size = (size_t)pithi_get64(data + at + 8);
    size_t spot = at + PITHI_CHUNK_HEAD + random_below(random_below(2) ? 400 : (uint32_t)size);
    for (uint32_t k = 1 + random_below(4); k > 0 && spot < at + PITHI_CHUNK_HEAD + size; k--)
        data[spot++] = (unsigned char)random_u64();
    pithi_put32(data + at + 20, pithi_crc(data + at + PITHI_CHUNK_HEAD, size));
    pithi_put32(data + at + 28, pithi_crc(data + at, 28));
}

static void test_hostile(const char *good)
{
    static unsigned char data[4 << 20], copy[4 << 20];
    const char *path = scratch_path("hostile.pith");
    size_t blocks[16], count = 0, size;
    int differ = 0, shorter = 0;
    FILE *file = fopen(good, "rb");
    size = file ? fread(data, 1, sizeof data, file) : 0;
    if (!file || fclose(file) != 0)
        exit(1);
    for (size_t at = PITHI_HEADER_SIZE; count < 16 && pithi_get32(data + at) == PITHI_CHUNK_MAGIC_LE;
         at += PITHI_CHUNK_HEAD + (size_t)pithi_pad8(pithi_get64(data + at + 8)))
        if (pithi_get16(data + at + 4) == PITHI_C_EVENTS)
            blocks[count++] = at;
    for (int i = 0; i < TRIES && count > 0; i++) {
        memcpy(copy, data, size);
        damage(copy, blocks[random_below((uint32_t)count)]);
        if (!(file = fopen(path, "wb")) || fwrite(copy, 1, size, file) != size || fclose(file) != 0)
            exit(1);
        long records = compare(path);
        differ += records < 0;
        shorter += records >= 0 && records < RECORDS;
    }
    OK(differ == 0 && shorter > 0, "%d damaged logs, %d of them with fewer records: %d differ", TRIES, shorter, differ);
}

int main(void)
{
    char path[256];
    snprintf(path, sizeof path, "%s", scratch_path("batches.pith"));
    make_log(path);
    long records = compare(path);
    OK(records == RECORDS, "%ld records are the same in batches", records);
    int differ = count_mixed(path);
    OK(differ == 0, "%d windows are the same in batches between single records: %d differ", TRIES, differ);
    test_hostile(path);
    scratch_remove();
    return tap_done();
}
