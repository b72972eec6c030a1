/* meta.c - parses the descriptions in META chunks. */
#include "native/meta.h"

static const unsigned char *get_comm(const unsigned char *p, const unsigned char *end, struct pithi_meta *meta)
{
    uint64_t number, size, remote;
    if (!(p = pithi_get_varint(p, end, &number)) || end - p < 8)
        return NULL;
    meta->key = pithi_get64(p);
    meta->number = (uint32_t)number;
    if ((meta->key == 0) != (number == 0) || number > UINT32_MAX || !(p = pithi_get_string(p + 8, end, &meta->name)) ||
        !(p = pithi_get_varint(p, end, &size)) || !(p = pithi_get_varint(p, end, &remote)) || size > INT32_MAX ||
        remote > INT32_MAX || size + remote > (uint64_t)(end - p))
        return NULL;
    meta->size = (int32_t)size;
    meta->remote_size = (int32_t)remote;
    meta->members = p;
    meta->end = end;
    return end;
}

const unsigned char *pithi_meta_next(const unsigned char *p, const unsigned char *end, struct pithi_meta *meta)
{
    uint64_t type, size;
    const unsigned char *good;
    *meta = (struct pithi_meta){0};
    if (!(p = pithi_get_varint(p, end, &type)) || !(p = pithi_get_varint(p, end, &size)) || size > (uint64_t)(end - p))
        return NULL;
    good = end = p + size;
    if (type == PITHI_M_RANK) {
        p = pithi_get_string(p, end, &meta->name);
        good = p ? pithi_get_varint(p, end, &meta->pid) : NULL;
    } else if (type == PITHI_M_LANE) {
        uint64_t thread;
        good = NULL;
        if ((p = pithi_get_varint(p, end, &thread)) && thread <= UINT32_MAX) {
            meta->number = (uint32_t)thread;
            good = pithi_get_string(p, end, &meta->name);
        }
    } else if (type == PITHI_M_COMM) {
        good = get_comm(p, end, meta);
    }
    meta->type = type <= PITHI_M_COMM ? (uint32_t)type : 0;
    if (good)
        return end;
    free(meta->name);
    meta->name = NULL;
    return NULL;
}

int32_t *pithi_meta_members(const struct pithi_meta *meta)
{
    int64_t count = (int64_t)meta->size + meta->remote_size, before = -1;
    const unsigned char *p = meta->members;
    int32_t *ranks = malloc(((size_t)count + 1) * sizeof *ranks);
    for (int64_t i = 0; ranks && p && i < count; i++) {
        uint64_t step;
        if (!(p = pithi_get_varint(p, meta->end, &step)) || step > UINT64_C(1) << 34)
            p = NULL;
        else if ((before += 1 + pithi_unzigzag(step)) < INT32_MIN || before > INT32_MAX)
            p = NULL;
        else
            ranks[i] = (int32_t)before;
    }
    if (p)
        return ranks;
    free(ranks);
    return NULL;
}
