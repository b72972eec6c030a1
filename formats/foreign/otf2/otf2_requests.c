/* otf2_requests.c - an open hash table with linear probing. A removal moves later entries back, so no tombstones are
 * needed.
 *
 *     slot     3    4    5            A and B have the hash 3, C has the hash 5
 *              A    B    C
 *     A goes   B    -    C            B moves to 3: its search begins there and would stop at the empty slot
 *                                     C stays: its search begins at 5
 *
 * Requests come and go by the million, but few are pending at once. A table with tombstones would fill up and would
 * have to be rebuilt again and again.
 */
#include "foreign/otf2/otf2_requests.h"

#include <stdlib.h>

#include "base/hash.h"

static uint32_t home(const struct otf2_requests *r, uint64_t id)
{
    return (uint32_t)(pithi_hash_number(id, id >> 29) >> 32) & (r->size - 1);
}

static uint32_t place(const struct otf2_requests *r, uint64_t id)
{
    uint32_t at = home(r, id);
    while (r->slots[at].lane && r->slots[at].id != id)
        at = (at + 1) & (r->size - 1);
    return at;
}

static int enlarge(struct otf2_requests *r)
{
    struct otf2_requests bigger = {.size = r->size ? r->size * 2 : 16, .used = r->used};

    if (bigger.size < r->size || !(bigger.slots = calloc(bigger.size, sizeof *bigger.slots)))
        return 0;
    for (uint32_t i = 0; i < r->size; i++)
        if (r->slots[i].lane)
            bigger.slots[place(&bigger, r->slots[i].id)] = r->slots[i];
    free(r->slots);
    *r = bigger;
    return 1;
}

int pithi_otf2_requests_add(struct otf2_requests *r, uint64_t id, uint64_t posted, uint32_t lane)
{
    if (r->used >= r->size / 2 && !enlarge(r))
        return 0;
    r->slots[place(r, id)] = (struct otf2_request){id, posted, lane + 1};
    r->used++;
    return 1;
}

int pithi_otf2_requests_take(struct otf2_requests *r, uint64_t id, struct otf2_request *request)
{
    uint32_t at = r->used ? place(r, id) : 0;
    if (!r->used || !r->slots[at].lane)
        return 0;
    *request = r->slots[at];
    uint32_t mask = r->size - 1;
    for (uint32_t next = (at + 1) & mask; r->slots[next].lane; next = (next + 1) & mask)
        if (((next - home(r, r->slots[next].id)) & mask) >= ((next - at) & mask)) {
            r->slots[at] = r->slots[next];
            at = next;
        }
    r->slots[at].lane = 0;
    r->used--;
    return 1;
}

void pithi_otf2_requests_free(struct otf2_requests *r)
{
    free(r->slots);
    *r = (struct otf2_requests){0};
}
