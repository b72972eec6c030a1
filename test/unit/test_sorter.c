/* test_sorter.c - items in random order come out in order, those of equal keys as they were added, whether they fit in
 * memory or lie in many runs; large ones, empty ones, none; no place for the temporary file's bytes. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/random.h"
#include "base/sorter.h"
#include "pithlog.h"
#include "tap.h"

/* The data of item `number`: the number, then bytes made of it. */
static uint32_t make(uint64_t number, unsigned char data[300])
{
    uint32_t size = 8 + (uint32_t)(number * 7 % 290);
    memset(data, (int)(number & 0xff), size);
    memcpy(data, &number, 8);
    return size;
}

static int is_item(const struct pithi_sorted *item, uint64_t number)
{
    unsigned char data[300];
    return item->size == make(number, data) && memcmp(item->data, data, item->size) == 0;
}

static void test_order(uint64_t count, uint64_t keys, size_t memory, const char *what)
{
    struct pithi_sorter *sorter;
    struct pithi_sorted item;
    unsigned char data[300];
    uint64_t seen = 0, wrong = 0, last = 0, last_key[3] = {0};
    int status, err = pithi_sorter_new(&sorter, memory);
    for (uint64_t i = 0; i < count && !err; i++) {
        uint32_t size = make(i, data);
        struct pithi_sort_key key = {{pithi_sort_time((int64_t)(random_u64() % keys) - (int64_t)(keys / 2)),
                                      random_u64() % 3, random_u64() % 2}};
        err = pithi_sorter_add(sorter, &key, data, size);
    }
    OK(!err && pithi_sorter_end(sorter) == PITH_OK, "%s: added", what);
    while ((status = pithi_sorter_next(sorter, &item)) == 1) {
        uint64_t number;
        int order = memcmp(last_key, item.key.word, sizeof last_key) == 0 ? 0 : 1;
        for (int i = 0; i < 3 && order == 1; i++)
            if (last_key[i] != item.key.word[i])
                order = last_key[i] < item.key.word[i] ? 2 : -1;
        memcpy(&number, item.data, 8);
        wrong += !is_item(&item, number) || (seen && (order < 0 || (order == 0 && number < last)));
        memcpy(last_key, item.key.word, sizeof last_key);
        last = number;
        seen++;
    }
    OK(status == 0 && seen == count && wrong == 0, "%s: all in order, equal ones as they were added", what);
    OK(pithi_sorter_next(sorter, &item) == 0, "%s: and then none", what);
    pithi_sorter_free(sorter);
}

static void test_large(void)
{
    struct pithi_sorter *sorter;
    struct pithi_sorted item;
    char *large = malloc(100000);
    int good = 1;
    pithi_sorter_new(&sorter, 10000);
    for (uint64_t i = 0; i < 20; i++) {
        memset(large, (int)i, 100000);
        good &= pithi_sorter_add(sorter, &(struct pithi_sort_key){{19 - i}}, large, i % 3 ? 100000 : (uint32_t)i) == 0;
    }
    good &= pithi_sorter_end(sorter) == 0;
    for (uint64_t i = 20; i-- > 0;) {
        good &= pithi_sorter_next(sorter, &item) == 1 && item.size == (i % 3 ? 100000 : (uint32_t)i);
        for (uint32_t k = 0; k < item.size; k++)
            good &= ((const unsigned char *)item.data)[k] == i;
    }
    OK(good, "items larger than the memory, among empty ones");
    pithi_sorter_free(sorter);
    free(large);
}

static void test_full(void)
{
    struct rlimit limit = {1 << 18, 1 << 18};
    struct pithi_sorter *sorter;
    char data[1000] = "";
    int err = PITH_OK;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    pithi_sorter_new(&sorter, 65536);
    for (uint64_t i = 0; i < 2000 && !err; i++)
        err = pithi_sorter_add(sorter, &(struct pithi_sort_key){{i}}, data, sizeof data);
    OK(err == PITH_ERR_IO && strstr(pithlog_error(), "set TMPDIR"), "no room for the file: %s", pithlog_error());
    pithi_sorter_free(sorter);
}

int main(void)
{
    test_order(0, 1, 4096, "no item");
    test_order(1, 1, 4096, "one item");
    test_order(1000, 50, 1 << 20, "in memory");
    test_order(20000, 3, 1 << 16, "many equal ones in runs");
    test_order(50000, UINT64_C(1) << 62, 1 << 17, "in runs");
    test_order(50000, UINT64_C(1) << 62, 1 << 14, "in very many runs");
    test_large();
    test_full();
    pithi_sorter_free(NULL);
    return tap_done();
}
