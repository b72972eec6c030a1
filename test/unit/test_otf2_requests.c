/* test_otf2_requests.c - receives under way against a plain list of them, at random. */
#include <stdlib.h>

#include "common/random.h"
#include "foreign/otf2/otf2_requests.h"
#include "tap.h"

enum { STEPS = 200000, MOST = 300 };

static struct otf2_request list[MOST];
static uint32_t count;

static uint32_t find(uint64_t id)
{
    uint32_t i = 0;
    while (i < count && list[i].id != id)
        i++;
    return i;
}

/* One id is posted if it is not under way, else it ends. */
static int step(struct otf2_requests *requests, uint64_t id, uint64_t number)
{
    struct otf2_request got;
    uint32_t at = find(id);
    int there = pithi_otf2_requests_take(requests, id, &got);

    if (there != (at < count))
        return 0;
    if (there) {
        int same = got.posted == list[at].posted && got.lane == list[at].lane;
        list[at] = list[--count];
        return same;
    }
    if (count == MOST)
        return 1;
    list[count++] = (struct otf2_request){id, number, (uint32_t)number % 7 + 1};
    return pithi_otf2_requests_add(requests, id, number, (uint32_t)number % 7);
}

int main(void)
{
    struct otf2_requests requests = {0};
    int good = 1;

    OK(!pithi_otf2_requests_take(&requests, 5, &list[0]), "nothing is under way at first");
    for (uint32_t i = 0; good && i < STEPS; i++) /* ids as pointers are, few of them near each other */
        good = step(&requests, UINT64_C(0x7ffc00000000) + 8 * random_below(1000) + (random_below(2) ? 0 : 4096), i);
    OK(good, "%d requests posted and ended: each is known as long as it is under way", STEPS);
    OK(requests.used == count && requests.size <= 4 * MOST, "memory is that of those under way");
    good = 1;
    for (uint32_t i = 0; i < requests.size; i++)
        good &= !requests.slots[i].lane || find(requests.slots[i].id) < count;
    OK(good, "and all slots in use are of such");
    pithi_otf2_requests_free(&requests);
    return tap_done();
}
