/* packed.c - a byte of kind and mark, a mask of the fields that are not what most records have, time and lane as
 * differences, and these fields as varints. */
#include "packed.h"

#include <string.h>

#include "native/bytes.h"

enum { ID, COMM, PEER, TAG, BYTES, GOT, POSTED, VALUE, PAYLOAD, DEPTH, START, NESTED, FIELDS };

static void get_fields(const struct pithlog_record *r, uint64_t field[FIELDS])
{
    field[ID] = r->id;
    field[COMM] = r->comm;
    field[PEER] = pithi_zigzag((int64_t)r->peer + 1);
    field[TAG] = pithi_zigzag(r->tag);
    field[BYTES] = r->bytes;
    field[GOT] = r->got_bytes;
    field[POSTED] = r->posted;
    memcpy(&field[VALUE], &r->value, sizeof r->value);
    field[PAYLOAD] = r->payload_bytes;
    field[DEPTH] = r->depth;
    field[START] = r->start_ns ? pithi_zigzag((int64_t)((uint64_t)r->time_ns - (uint64_t)r->start_ns)) + 1 : 0;
    field[NESTED] = pithi_zigzag(r->nested_ns);
}

unsigned char *pithi_pack(struct pithi_packing *before, const struct pithlog_record *r, unsigned mark, unsigned char *p)
{
    uint64_t field[FIELDS];
    uint32_t mask = 0;
    unsigned char *mask_at = p + 1;
    *p = (unsigned char)(r->kind | mark << 4);
    p = pithi_put_varint(p + 3, pithi_zigzag((int64_t)((uint64_t)r->time_ns - (uint64_t)before->time_ns)));
    p = pithi_put_varint(p, pithi_zigzag((int64_t)r->lane - (int64_t)before->lane));
    get_fields(r, field);
    for (unsigned i = 0; i < FIELDS; i++)
        if (field[i]) {
            mask |= 1u << i;
            p = pithi_put_varint(p, field[i]);
        }
    pithi_put16(mask_at, (uint16_t)mask);
    *before = (struct pithi_packing){r->time_ns, r->lane};
    return p;
}

static void set_fields(struct pithlog_record *r, const uint64_t field[FIELDS])
{
    r->id = (uint32_t)field[ID];
    r->comm = (uint32_t)field[COMM];
    r->peer = (int32_t)(pithi_unzigzag(field[PEER]) - 1);
    r->tag = (int32_t)pithi_unzigzag(field[TAG]);
    r->bytes = field[BYTES];
    r->got_bytes = field[GOT];
    r->posted = field[POSTED];
    memcpy(&r->value, &field[VALUE], sizeof r->value);
    r->payload_bytes = (uint32_t)field[PAYLOAD];
    r->depth = (uint32_t)field[DEPTH];
    r->start_ns = field[START] ? (int64_t)((uint64_t)r->time_ns - (uint64_t)pithi_unzigzag(field[START] - 1)) : 0;
    r->nested_ns = pithi_unzigzag(field[NESTED]);
}

const unsigned char *pithi_unpack(struct pithi_packing *before, const unsigned char *p, const unsigned char *end,
                                  struct pithlog_record *r, unsigned *mark)
{
    uint64_t time, lane, field[FIELDS] = {0};
    if (end - p < 3)
        return NULL;
    unsigned kind = *p, mask = pithi_get16(p + 1);
    if (!(p = pithi_get_varint(p + 3, end, &time)) || !(p = pithi_get_varint(p, end, &lane)))
        return NULL;
    for (; mask; mask &= mask - 1)
        if (!(p = pithi_get_varint(p, end, &field[__builtin_ctz(mask) % FIELDS])))
            return NULL;
    if (field[PAYLOAD] > (uint64_t)(end - p))
        return NULL;
    r->kind = kind & 15;
    *mark = kind >> 4;
    r->time_ns = (int64_t)((uint64_t)before->time_ns + (uint64_t)pithi_unzigzag(time));
    r->lane = (uint32_t)((int64_t)before->lane + pithi_unzigzag(lane));
    set_fields(r, field);
    r->payload = r->payload_bytes ? p : NULL;
    *before = (struct pithi_packing){r->time_ns, r->lane};
    return p + r->payload_bytes;
}
