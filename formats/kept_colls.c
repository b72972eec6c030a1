/* kept_colls.c - see kept_colls.h. */
#include "kept_colls.h"

void pithi_kept_free(struct pithi_kept_colls *k)
{
    pithi_map_free(&k->requests);
    pithi_map_free(&k->numbers);
    free(k->all);
}

int pithi_kept_make(struct pithi_kept_colls *k, uint32_t rank, uint32_t request, uint32_t state, uint32_t number)
{
    uint64_t key = (uint64_t)rank << 32 | request;
    uint32_t at;
    if (!pithi_map_get(&k->requests, key, &at)) {
        at = k->count;
        if (!pithi_grow(&k->all, k->count, &k->room, sizeof *k->all) || !pithi_map_put(&k->requests, key, at))
            return 0;
        k->count++;
    }
    k->all[at] = (struct pithi_kept){state, number};
    return 1;
}

const struct pithi_kept *pithi_kept_find(const struct pithi_kept_colls *k, uint32_t rank, uint32_t request)
{
    uint32_t at;
    return pithi_map_get(&k->requests, (uint64_t)rank << 32 | request, &at) ? &k->all[at] : NULL;
}

int pithi_kept_who(struct pithi_kept_colls *k, uint32_t comm, uint32_t number, uint32_t *who)
{
    uint64_t key = (uint64_t)comm << 32 | number;
    if (pithi_map_get(&k->numbers, key, who))
        return 1;
    *who = (uint32_t)k->numbers.count;
    return pithi_map_put(&k->numbers, key, *who);
}
